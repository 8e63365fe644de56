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
my $session = session($coordinator);
my $ana = session($coordinator, user => 'ana');
my $own = session($coordinator, user => 'own');
my @owners = map { session($_, user => 'own') } @workers;

sub digest { return $session->ask("SELECT dpobj_internal.scan_digest('$_[0]', 'rich', '{age}')"); }

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
}
like($own->ask("SELECT dpobj.protect('appended', '{}')"), qr/^ERROR: /m, 'a table distributed by append');
my $admin = session($coordinator);
like($admin->ask(q{SELECT dpobj.protect('appended', '{"age": {"clip": [0, 79]}, "rich": {}}')}), qr/UB003.*\n.*by append or by range/, 'a table distributed by append is not protected');
is(charges(), '6 0 0', 'nothing of this was charged');

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
my $node = scalar_of($coordinator, "SELECT nodeid FROM pg_dist_node WHERE nodeport = $port");
my $middle = scalar_of($coordinator, "SELECT (shardminvalue::bigint + shardmaxvalue::bigint) / 2 FROM pg_dist_shard WHERE shardid = $cut");
sql($coordinator, "SELECT citus_split_shard_by_split_points($cut, ARRAY['$middle'], ARRAY[$node, $node], 'block_writes')");
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
		$wrong++ unless $read eq $whole || $read =~ /55000: parts of the table have just been moved|08001: /;
	}
	$moved++ if $mover->result =~ /^moved/m;
	$writer->result;
}
is($moved, 4, 'shards moved meanwhile');
cmp_ok($same, '>=', 10, "$same of 20 reads saw all rows");
is($wrong, 0, 'none saw anything else');

# ---- workers without metadata, that are disabled, down or removed ----

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
