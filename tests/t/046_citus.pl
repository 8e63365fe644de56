# 046_citus.pl - a coordinator and two workers of Citus: the analyst's door reads every kind of table as if
# it were one, also while shards move and split, charges once on the coordinator, and nothing else answers.
# It runs where Citus is installed; 045_shards.pl tests the same code elsewhere.

use DpobjTest;

my ($share) = split /\n/, `pg_config --sharedir`;
plan(skip_all => 'skipped: citus.control not found') unless -e "$share/extension/citus.control";

my @settings = ('dpobj.release_tick = 0', "shared_preload_libraries = 'citus,dpobj'", "listen_addresses = '127.0.0.1'", 'wal_level = logical', 'max_connections = 60',
	'max_worker_processes = 24', "citus.node_conninfo = 'sslmode=prefer'", 'citus.defer_shard_delete_interval = -1', 'citus.shard_count = 4');
my ($coordinator, @workers) = map { dpobj_cluster("citus_$_", @settings) } qw(coordinator worker1 worker2);
my @all = ($coordinator, @workers);

sub sql { my ($node, $statement) = @_; return $node->safe_psql('postgres', $statement); }

# ---- a cluster with a table of every kind ----

# Some versions of PostgreSQL ask for this before a split by logical replication.
for my $node (@all)
{
	next unless scalar_of($node, q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'});
	sql($node, "ALTER SYSTEM SET output_plugin_libraries = 'citus', 'pgoutput'");
	$node->reload;
}

# A table that is charged before its name is that of a shard.
sql($coordinator, q{CREATE TABLE trade_200001 AS SELECT i % 80 AS age, i % 80 > 40 AS rich FROM generate_series(1, 100) i;
SELECT dp_halfspace(ARRAY[age], rich, 0.5, 0, '{"clip": [0, 79]}') FROM trade_200001});
sql($_, 'CREATE EXTENSION citus') for @all;
sql($coordinator, "SELECT citus_set_coordinator_host('127.0.0.1', @{[ $coordinator->port ]})");
sql($coordinator, "SELECT citus_add_node('127.0.0.1', @{[ $_->port ]})") for @workers;
sql($coordinator, <<'SQL');
CREATE ROLE ana LOGIN;
CREATE ROLE own LOGIN;
GRANT CREATE ON SCHEMA public TO own;
SELECT dpobj.grant_trainer('own');
SET ROLE own;
CREATE TABLE whole (id int PRIMARY KEY, age int, rich boolean);
CREATE TABLE deal (LIKE whole INCLUDING ALL);
CREATE TABLE copied (LIKE whole INCLUDING ALL);
CREATE TABLE here (LIKE whole INCLUDING ALL);
CREATE TABLE single (LIKE whole INCLUDING ALL);
CREATE TABLE appended (LIKE whole);
CREATE TABLE visit (LIKE whole) PARTITION BY RANGE (age);
CREATE TABLE visit_young PARTITION OF visit FOR VALUES FROM (0) TO (40);
CREATE TABLE visit_old PARTITION OF visit FOR VALUES FROM (40) TO (100);
INSERT INTO deal SELECT i, 0, true FROM generate_series(1, 77) i;
SELECT create_distributed_table('deal', 'id');
SELECT create_reference_table('copied');
SELECT citus_add_local_table_to_metadata('here');
SELECT create_distributed_table('single', NULL, colocate_with => 'none');
SELECT create_distributed_table('appended', 'id', 'append');
SELECT create_distributed_table('visit', 'id');
DELETE FROM deal;
INSERT INTO whole SELECT i, i % 80, i % 80 > 40 FROM generate_series(1, 5000) i;
INSERT INTO deal TABLE whole;
INSERT INTO copied TABLE whole;
INSERT INTO here TABLE whole;
INSERT INTO single TABLE whole;
INSERT INTO visit TABLE whole;
RESET ROLE;
SET citus.next_shard_id = 200001;
CREATE TABLE trade (age int, rich boolean);
SELECT create_distributed_table('trade', 'age', shard_count => 1);
SET citus.next_shard_id = 300001;
SELECT dpobj.protect(t, '{"id": {"clip": [0, 1000]}, "age": {"clip": [0, 79]}, "rich": {}}', 'add_remove'), dpobj.set_budget(t, 'ana', 100000000, 0)
FROM unnest('{whole,deal,copied,here,single,visit}'::regclass[]) t;
SQL
sql($_, q{SELECT dpobj.grant_trainer('own')}) for @workers;
my @kinds = qw(deal copied here single visit);
scan_functions($coordinator);
my $session = session($coordinator);
my $ana = session($coordinator, user => 'ana');
my $own = session($coordinator, user => 'own');
my @owners = map { session($_, user => 'own') } @workers;

sub digest { return $session->ask("SELECT scan_digest('$_[0]', 'rich', '{age}')"); }

sub charges { return join ' ', map { scalar_of($_, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged'") } @all; }

sub shard_of
{
	my ($table, $place) = @_;
	return split /\|/, scalar_of($coordinator, "SELECT shardid, nodeport FROM citus_shards WHERE table_name = '$table'::regclass ORDER BY shardid LIMIT 1 OFFSET " . ($place // 0));
}

# ---- what is read and charged ----

my $whole = digest('whole');
like($whole, qr/^\(5000,0,80,/, 'one table has a digest');
is(digest($_), $whole, "$_ has the same") for @kinds;
for my $kind (@kinds)
{
	spends($coordinator, "a training on $kind", { epsilon => 1, charged => 1, released => 1 },
		sub { like($ana->ask("SELECT (dpobj.train('$kind', 'rich', 1, '{age}')).weights"), qr/^\{/, "a training on $kind answers"); });
}
is(charges(), '6 0 0', 'the workers have no charge');

# ---- what else would answer ----

my $call = q{(dp_halfspace(ARRAY[age], rich, 0.5, 0, '{"clip": [0, 79]}')).kind};
my $logistic = q{(dp_logistic(ARRAY[age], rich, 0.5, 0, '{"clip": [0, 79]}')).kind};
for my $kind (@kinds)
{
	for my $query ("SELECT $call FROM $kind", "SELECT $logistic FROM $kind", "SELECT $call FROM $kind WHERE id = 5")
	{
		my $text = $own->ask($query);
		like($text, qr/^ERROR: /m, "the owner's door: $query");
		unlike($text, qr/^halfspace|^logistic/m, "the owner's door has no answer: $query");
	}
}
unlike($own->ask("SELECT * FROM run_command_on_shards('$_', \$\$SELECT $call FROM %s\$\$)"), qr/\|t\|/, "run_command_on_shards on $_") for @kinds;
unlike($own->ask("CREATE TABLE model (m dp_model); SELECT create_reference_table('model'); INSERT INTO model SELECT dp_logistic(ARRAY[age], rich, 0.5) FROM copied; SELECT count(*) FROM model"),
	qr/^[1-9]/m, 'a reference table gets no models');
for my $worker (0, 1)
{
	my $shards = sql($workers[$worker], q{SET citus.override_table_visibility = off; SELECT relname FROM pg_class WHERE relname ~ '^(deal|copied|single|visit).*_\d{6}$' AND relkind IN ('r', 'p') ORDER BY 1});
	cmp_ok(scalar(split /\n/, $shards), '>=', 7, 'a worker has shards');
	refused("shard $_ on its worker", 'UB003', $owners[$worker]->ask("SELECT $call FROM $_")) for split /\n/, $shards;
	refused("$_ on a worker", 'UB003', $owners[$worker]->ask("SELECT $call FROM $_")) for qw(copied);
	my $there = session($workers[$worker]);
	my $place = qr/UB003: .*\n.*worker of Citus.*\n.* on table public\.deal at the coordinator \(host 127\.0\.0\.1, port @{[ $coordinator->port ]}, database postgres\)/;
	like($there->ask("SELECT dpobj.$_"), $place, "on a worker: $_") for q{protect('deal', '{"age": {"clip": [0, 79]}, "rich": {}}', 'add_remove')}, q{set_budget('deal', 'ana', 1, 0)}, q{limit_budget('deal', 1, 0)};
	my ($shard) = split /\n/, $shards;
	like($there->ask("SELECT dpobj.set_budget('$shard', 'ana', 1, 0)"), qr/UB003: .*\n.*a shard of a table that Citus manages.*\n.* at the coordinator \(host 127/, "a budget for shard $shard");
	$there->quit;
}
like($own->ask("SELECT dpobj.protect('appended', '{}')"), qr/^ERROR: /m, 'a table distributed by append');
my $admin = session($coordinator);
like($admin->ask(q{SELECT dpobj.protect('appended', '{"age": {"clip": [0, 79]}, "rich": {}}')}), qr/UB003.*\n.*by append or by range/, 'a table distributed by append is not protected');
is(charges(), '6 0 0', 'nothing of this was charged');

# ---- what analysts see on the workers ----

my $problems = q{SELECT what FROM dpobj.check_parts('deal') WHERE problem IS NOT NULL GROUP BY 1 ORDER BY 1};
like($ana->ask(q{SELECT * FROM run_command_on_workers('SELECT count(*) FROM pg_stat_user_functions')}), qr/\|t\|/, 'an analyst has SQL on the workers');
is(scalar_of($coordinator, $problems), "commands of Citus\nlogins", 'dpobj.check_parts says so');
for my $to_do (split /\n/, scalar_of($coordinator, q{SELECT DISTINCT to_do FROM dpobj.check_parts('deal') WHERE what = 'commands of Citus'}))
{
	sql($coordinator, $to_do =~ s/^On this server: //r);
}
is(scalar_of($coordinator, $problems), 'logins', 'the functions of Citus are revoked');
like($ana->ask(q{SELECT * FROM run_command_on_workers('SELECT 1')}), qr/42501/, 'an analyst has no SQL on the workers');
is(digest('deal'), $whole, 'the table is read all the same');

# ---- the ledger shows all ----

is(scalar_of($coordinator, q{SELECT count(*) FROM pg_class WHERE relname = 'trade_200001'}), '0', 'Citus hides a table that is called like a shard');
is(scalar_of($coordinator, q{SELECT count(*) FROM dpobj.ledger WHERE relation_name = 'public.trade_200001' AND relation IS NOT NULL AND event = 'charged'}), '1', 'the ledger shows its charge');
is(scalar_of($coordinator, 'SELECT count(*) FROM dpobj.ledger'), scalar_of($coordinator, 'SELECT count(*) FROM dpobj.ledger_events'), 'the ledger shows every event');

# ---- shards that move and split ----

my ($one, $from) = shard_of('single');
my ($to) = grep { $_ != $from } map { $_->port } @workers;
my ($old) = grep { $workers[$_]->port == $from } 0, 1;
sql($coordinator, "SELECT citus_move_shard_placement($one, '127.0.0.1', $from, '127.0.0.1', $to, 'block_writes')");
refused('what a move leaves over', 'UB003', $owners[$old]->ask("SELECT $call FROM single_$one"));
my ($cut, $port) = shard_of('deal');
($old) = grep { $workers[$_]->port == $port } 0, 1;
my $id = node_of($port);
my $middle = scalar_of($coordinator, "SELECT (shardminvalue::bigint + shardmaxvalue::bigint) / 2 FROM pg_dist_shard WHERE shardid = $cut");
sql($coordinator, "SELECT citus_split_shard_by_split_points($cut, ARRAY['$middle'], ARRAY[$id, $id], 'block_writes')");
refused('what a split leaves over', 'UB003', $owners[$old]->ask("SELECT $call FROM deal_$cut"));
is(digest($_), $whole, "$_ after moves and splits") for qw(deal single visit);

# Shards move to and fro while rows are written, and each read sees all rows.
my $mover = session($coordinator, seconds => 120);
my $writer = session($coordinator, seconds => 120);
my ($first) = shard_of('deal');
my ($same, $wrong, $moved) = (0, 0, 0);
for my $move (1 .. 4)
{
	my ($source) = split /\n/, scalar_of($coordinator, "SELECT nodeport FROM citus_shards WHERE shardid = $first");
	my ($target) = grep { $_ != $source } map { $_->port } @workers;
	$mover->send("SELECT 'moved', citus_move_shard_placement($first, '127.0.0.1', $source, '127.0.0.1', $target, '" . ($move % 2 ? 'block_writes' : 'force_logical') . "')");
	$writer->send('UPDATE deal SET rich = rich WHERE id % 50 = ' . $move);
	for (1 .. 5)
	{
		my $read = digest('deal');
		$same++ if $read eq $whole;
		$wrong++ unless $read eq $whole || $read =~ /55000: parts of the table have just been moved|55P03: /;
	}
	$moved++ if $mover->result =~ /^moved/m;
	$writer->result;
}
is($moved, 4, 'shards moved meanwhile');
cmp_ok($same, '>=', 10, "$same of 20 reads saw all rows");
is($wrong, 0, 'none saw anything else');

# Releases while Citus changes where the rows are: each gives the answer of one table, or is refused and
# costs nothing.
my @releases = (map({ [ "SELECT value FROM dpobj.count('$_', 1000)", qr/^5000$/ ] } qw(deal copied visit single)),
	[ q{SELECT (dpobj.train('deal', 'rich', 1, '{age}', method => 'logistic', options => '{"mechanism": "objective"}')).weights}, qr/^\{.*\}$/ ]);

sub meanwhile
{
	my ($name, $least, @changes) = @_;
	my ($answered, $refused, @other) = (0, 0);
	my ($charged, $released) = events();
	for my $change (@changes)
	{
		$mover->send("$change; SELECT 'changed'");
		for my $release (@releases)
		{
			my $text = $ana->ask($release->[0]);
			if ($text =~ $release->[1]) { $answered++; }
			elsif ($text =~ /^ERROR:  (?:55000|55P03|08001|UB003): /m) { $refused++; }
			else { push @other, $text; }
		}
		my $result = $mover->result;
		ok($result =~ /^changed$/m && $result !~ /ERROR/, "$name: $change") or diag($result);
	}
	is_deeply(\@other, [], "$name: no release gives anything but the answer of one table or a refusal");
	cmp_ok($answered, '>=', $least, "$name: $answered answers, $refused refusals");
	my ($charges, $ends) = events();
	is($charges - $charged, $answered, "$name: a charge for each answer and for no refusal");
	is($ends - $released, $answered, "$name: all of them are released");
	return;
}

sub events { return split /\|/, scalar_of($coordinator, "SELECT count(*) FILTER (WHERE event = 'charged'), count(*) FILTER (WHERE event = 'released') FROM dpobj.ledger_events"); }

sub node_of { return scalar_of($coordinator, "SELECT nodeid FROM pg_dist_node WHERE nodeport = $_[0]"); }

# A split of a shard of a table, into two at the same node.
sub split_of
{
	my ($table, $place, $mode) = @_;
	my ($shard, $at) = shard_of($table, $place);
	my $point = scalar_of($coordinator, "SELECT (shardminvalue::bigint + shardmaxvalue::bigint) / 2 FROM pg_dist_shard WHERE shardid = $shard");
	my $id = node_of($at);
	return "SELECT citus_split_shard_by_split_points($shard, ARRAY['$point'], ARRAY[$id, $id], '$mode')";
}

# A move of a shard of table deal to the worker.
sub move_to
{
	my ($worker, $mode) = @_;
	my ($shard, $from) = split /\|/, scalar_of($coordinator, "SELECT shardid, nodeport FROM citus_shards WHERE table_name = 'deal'::regclass AND nodeport <> @{[ $worker->port ]} ORDER BY shardid LIMIT 1");
	return "SELECT citus_move_shard_placement($shard, '127.0.0.1', $from, '127.0.0.1', @{[ $worker->port ]}, '$mode')";
}

my $at = "'127.0.0.1', @{[ $workers[1]->port ]}";
meanwhile("a split, $_", 3, split_of('deal', $_ eq 'block_writes' ? 1 : 3, $_)) for 'block_writes', 'force_logical';
meanwhile('the end of what splits have left over', 3, 'CALL citus_cleanup_orphaned_resources()');
is(digest($_), $whole, "$_ after splits") for qw(deal visit);
meanwhile('metadata is synced no longer, and again', 8, ("SELECT stop_metadata_sync_to_node($at)", "SELECT start_metadata_sync_to_node($at)") x 2);

# ---- a worker that is emptied, disabled, active again, removed and added again ----

meanwhile('a worker is emptied', 3, "SELECT citus_drain_node($at, 'block_writes')", 'CALL citus_cleanup_orphaned_resources()');
meanwhile('a worker is disabled', 3, "SELECT citus_disable_node($at, true)");
is(digest($_), $whole, "$_ while a worker is disabled") for @kinds;
meanwhile('a worker is active again', 3, "SELECT citus_activate_node($at)");
meanwhile('a worker is removed', 3, "SELECT citus_remove_node($at)");
is(digest($_), $whole, "$_ after a worker was removed") for @kinds;
meanwhile('a worker is added again', 3, "SELECT citus_add_node($at)", "SELECT replicate_reference_tables('block_writes')");
meanwhile('shards move to it', 5, move_to($workers[1], 'block_writes'));
meanwhile('and more of them', 5, move_to($workers[1], 'force_logical'));
sql($coordinator, 'CALL citus_cleanup_orphaned_resources()');
is(digest($_), $whole, "$_ after a worker was added again") for @kinds;

# ---- a worker that is restored from a backup, at its place ----

sub is_refused
{
	my ($name, $text) = @_;
	my $before = charges();
	my $error = $ana->ask($releases[0][0]);
	refused($name, '55000', $error);
	like($error, $text, "$name: why");
	is(charges(), $before, "$name: no charge");
	return;
}

$_->ask('\q') for @owners;
$workers[1]->backup('restored');
$workers[1]->stop;
my $restored = PostgreSQL::Test::Cluster->new('citus_restored', port => $workers[1]->port);
$restored->init_from_backup($workers[1], 'restored');
$restored->start;
is_refused('a worker that was restored', qr/restored or promoted since the last entry of its privacy ledger/);
sql($restored, 'SELECT dpobj.confirm_epoch()');
is_refused('a worker that was confirmed', qr/restored, promoted or replaced since this one first read it/);
sql($coordinator, 'SELECT dpobj.confirm_epoch()');
like($ana->ask($releases[0][0]), $releases[0][1], 'a worker that was confirmed at both ends is read');
$restored->stop;
$workers[1]->start;
is_refused('the worker that the restored one was a copy of', qr/restored, promoted or replaced/);
sql($_, 'SELECT dpobj.confirm_epoch()') for $workers[1], $coordinator;
is(digest($_), $whole, "$_ is read from it again") for @kinds;

# ---- a copy of the coordinator, which knows the same workers ----

$coordinator->backup('copy');
my $copy = PostgreSQL::Test::Cluster->new('citus_copy');
$copy->init_from_backup($coordinator, 'copy');
$copy->append_conf('postgresql.conf', 'citus.recover_2pc_interval = -1');
$copy->start;
my $before_copy = scalar_of($copy, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged'");
my $of_copy = session($copy, user => 'ana');
like($of_copy->ask($_->[0]), qr/^ERROR:  55000: the database was restored/m, "a copy of the coordinator: $_->[0]") for @releases;
sql($copy, 'SELECT dpobj.confirm_epoch()');
like($of_copy->ask($_->[0]), qr/^ERROR:  55000: .*\n.*answered another coordinator with this role/m, "a copy that was confirmed: $_->[0]") for @releases;
is(scalar_of($copy, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged'"), $before_copy, 'a copy of the coordinator has no charge');
$of_copy->quit;
$copy->stop;
is(digest($_), $whole, "$_ is read by the coordinator itself") for @kinds;

# ---- workers without metadata, that are down or removed ----

@owners = map { session($_, user => 'own') } @workers;
sql($coordinator, "SELECT stop_metadata_sync_to_node('127.0.0.1', @{[ $workers[1]->port ]})");
is(digest('deal'), $whole, 'a worker without metadata is read');
my ($bare) = split /\n/, scalar_of($coordinator, "SELECT shardid FROM citus_shards WHERE table_name = 'deal'::regclass AND nodeport = @{[ $workers[1]->port ]}");
refused('a shard on a worker without metadata', 'UB003', $owners[1]->ask("SELECT $call FROM deal_$bare"));
sql($coordinator, "SELECT start_metadata_sync_to_node('127.0.0.1', @{[ $workers[1]->port ]})");

my $before = charges();
$_->ask('\q') for @owners;
$workers[1]->stop;
my $down = $ana->ask(q{SELECT (dpobj.train('deal', 'rich', 1, '{age}')).weights});
$workers[1]->start;
refused('a worker that is down', '08001', $down);
is(charges(), $before, 'a worker that is down: no charge');

sql($coordinator, "SELECT citus_drain_node('127.0.0.1', @{[ $workers[1]->port ]}, 'block_writes')");
sql($coordinator, 'CALL citus_cleanup_orphaned_resources()');
sql($coordinator, "SELECT citus_remove_node('127.0.0.1', @{[ $workers[1]->port ]})");
is(digest($_), $whole, "$_ after a worker was removed") for @kinds;
is(charges(), $before, 'the workers have no charge at the end');

finish($coordinator);
