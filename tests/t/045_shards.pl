# 045_shards.pl - tables of Citus without Citus: catalogs of its kind on a coordinator, and shards on two
# nodes.  What is read is one active placement of each shard at one moment; what cannot be read is refused
# before the charge.  046_citus.pl does the same with Citus.

use DpobjTest;

my ($coordinator, @nodes) = map { dpobj_cluster("shards_$_", 'dpobj.release_tick = 0') } qw(coordinator node1 node2);
my @all = ($coordinator, @nodes);
my %rows = (102008 => [ 1, 300 ], 102009 => [ 301, 700 ], 102010 => [ 701, 1000 ]);

sub rows_between
{
	my ($first, $last) = @_;
	return "SELECT i AS id, i % 50 AS who, i % 80 AS age, i % 80 > 40 AS rich FROM generate_series($first, $last) i";
}

sub sql { my ($node, $statement) = @_; return $node->safe_psql('postgres', $statement); }

# The same in one table, in a table of three shards, and in one of a single shard with two placements.
sql($coordinator, "CREATE TABLE whole AS @{[ rows_between(1, 1000) ]}; CREATE TABLE deal AS @{[ rows_between(5, 9) ]}; CREATE TABLE copied (LIKE whole)");
sql($nodes[0], "CREATE TABLE deal_102008 AS @{[ rows_between(@{ $rows{102008} }) ]}; CREATE TABLE deal_102009 AS @{[ rows_between(@{ $rows{102009} }) ]}");
sql($nodes[1], "CREATE TABLE deal_102010 AS @{[ rows_between(@{ $rows{102010} }) ]}; CREATE TABLE deal_102009 AS TABLE deal_102010 WITH NO DATA");
sql($_, "CREATE TABLE copied_102011 AS @{[ rows_between(1, 1000) ]}") for @nodes;
sql($nodes[1], 'DELETE FROM copied_102011 WHERE id > 500');

# The column by which rows are distributed is kept as the server keeps expressions: that of a constraint on
# the fourth column, made one on the first.
sql($coordinator, 'CREATE TABLE keyed (LIKE whole, CONSTRAINT key CHECK (rich))');
for my $node (@all)
{
	sql($node, <<'SQL');
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint);
CREATE TABLE pg_catalog.pg_dist_placement (placementid bigint, shardid bigint, shardstate integer, groupid integer);
CREATE TABLE pg_catalog.pg_dist_node (nodeid integer, groupid integer, nodename text, nodeport integer, isactive boolean, noderole text);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid integer);
CREATE TABLE pg_catalog.pg_dist_authinfo (nodeid integer, rolename name, authinfo text);
INSERT INTO pg_dist_local_group VALUES (0);
SQL
}
sql($coordinator, sprintf <<'SQL', map { ($_->host, $_->port) } @nodes);
INSERT INTO pg_dist_partition VALUES ('copied', 'n', NULL),
  ('deal', 'h', (SELECT replace(conbin::text, ':varattno 4', ':varattno 1') FROM pg_constraint WHERE conname = 'key'));
INSERT INTO pg_dist_shard VALUES ('deal', 102010), ('deal', 102008), ('deal', 102009), ('copied', 102011);
INSERT INTO pg_dist_placement VALUES (1, 102008, 1, 1), (2, 102009, 1, 1), (3, 102009, 3, 2), (4, 102010, 1, 2), (5, 102011, 1, 2), (6, 102011, 1, 1);
INSERT INTO pg_dist_node VALUES (1, 1, '%s', %d, true, 'primary'), (2, 2, '%s', %d, true, 'primary');
SQL
login_roles($coordinator, 'ana');
sql($coordinator, <<'SQL');
SELECT dpobj.protect(t, '{"who": {"clip": [0, 49]}, "age": {"clip": [0, 79]}, "rich": {}}', 'add_remove') FROM unnest('{whole,deal,copied}'::regclass[]) t;
SELECT dpobj.set_budget(t, 'ana', 100000000, 0) FROM unnest('{whole,deal,copied}'::regclass[]) t;
SQL
scan_functions($coordinator);
my $session = session($coordinator);
my $ana = session($coordinator, user => 'ana');

sub digest { return $session->ask("SELECT scan_digest('$_[0]', 'rich')"); }

sub training { return $ana->ask("SELECT (dpobj.train('$_[0]', 'rich', 1, '{age}')).weights"); }

# ---- what is read ----

my $whole = digest('whole');
like($whole, qr/^\(1000,/, 'one table has a digest');
is(digest('deal'), $whole, 'its shards have the same');
is(digest('copied'), $whole, 'a shard is read at the placement of the lowest group');

sub charges { return join ' ', map { scalar_of($_, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged'") } @all; }

spends($coordinator, 'a training on shards', { epsilon => 1, charged => 1, released => 1 },
	sub { like(training('deal'), qr/^\{/, 'a training on shards answers'); });
is(charges(), '1 0 0', 'the coordinator has one charge, the nodes have none');

# ---- what is refused before the charge ----

# A change of the catalogs, what is refused under it, and what takes it back.
sub refuses
{
	my ($name, $change, $state, $message, $undo, $table) = @_;
	my $before = charges();
	sql($coordinator, $change);
	my $text = training($table // 'deal');
	refused($name, $state, $text);
	like($text, $message, "$name: why");
	is(charges(), $before, "$name: no charge");
	sql($coordinator, $undo);
	return;
}

refuses('a node that is not active', 'UPDATE pg_dist_node SET isactive = nodeid <> 2', 'UB003', qr/No active primary node has an active placement of shard 102010/,
	'UPDATE pg_dist_node SET isactive = true');
refuses('a node that is a standby', q{UPDATE pg_dist_node SET noderole = 'secondary' WHERE nodeid = 1}, 'UB003', qr/No active primary node/,
	q{UPDATE pg_dist_node SET noderole = 'primary'});
refuses('a placement that is not active', 'UPDATE pg_dist_placement SET shardstate = 4 WHERE placementid = 1', 'UB003', qr/of shard 102008/,
	'UPDATE pg_dist_placement SET shardstate = 1 WHERE placementid = 1');
my $worker = qr/This node is a worker of Citus, and the coordinator counts releases\.\nHINT:.* on table public\.deal at the coordinator \(host here\.example, port 5433, database postgres\)\./;
sql($coordinator, q{INSERT INTO pg_dist_node VALUES (3, 0, 'here.example', 5433, true, 'primary')});
refuses('a worker', 'UPDATE pg_dist_local_group SET groupid = 1', 'UB003', $worker, 'UPDATE pg_dist_local_group SET groupid = 0');
my $declared = scalar_of($coordinator, q{SELECT count(*) FROM dpobj.ledger_events WHERE event <> 'charged'});
sql($coordinator, 'UPDATE pg_dist_local_group SET groupid = 1');
for my $declaration (q{protect('deal', '{"age": {"clip": [0, 79]}, "rich": {}}', 'add_remove')}, q{set_budget('deal', 'ana', 10, 0)}, q{raise_budget('deal', 'ana', 10, 0, 'more')}, q{limit_budget('deal', 10, 0)})
{
	my $text = $session->ask("SELECT dpobj.$declaration");
	refused("a worker: $declaration", 'UB003', $text);
	like($text, $worker, "a worker: $declaration: where the coordinator is");
}
is(scalar_of($coordinator, q{SELECT count(*) FROM dpobj.ledger_events WHERE event <> 'charged'}), $declared, 'a worker: its ledger has no declaration');
sql($coordinator, 'UPDATE pg_dist_local_group SET groupid = 0; DELETE FROM pg_dist_node WHERE groupid = 0');
refuses('a table distributed by append', q{UPDATE pg_dist_partition SET partmethod = 'a' WHERE logicalrelid = 'deal'::regclass}, 'UB003', qr/by append or by range/,
	q{UPDATE pg_dist_partition SET partmethod = 'h' WHERE logicalrelid = 'deal'::regclass});
refuses('a table without shards', q{UPDATE pg_dist_shard SET logicalrelid = 'whole'::regclass WHERE logicalrelid = 'deal'::regclass}, 'UB003', qr/It has no shards/,
	q{UPDATE pg_dist_shard SET logicalrelid = 'deal'::regclass WHERE logicalrelid = 'whole'::regclass});
refuses('an unknown catalog', 'SET allow_system_table_mods = on; ALTER TABLE pg_dist_node RENAME isactive TO active', 'UB003', qr/Its catalogs are not those that are known/,
	'SET allow_system_table_mods = on; ALTER TABLE pg_dist_node RENAME active TO isactive');
sql($_, 'CREATE ROLE dealer LOGIN') for @all;
sql($_, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO dealer') for @nodes;
refuses('a role that is no superuser', 'SET allow_system_table_mods = on; ALTER TABLE pg_dist_partition OWNER TO dealer', 'UB003', qr/is not marked/,
	'SET allow_system_table_mods = on; ALTER TABLE pg_dist_partition OWNER TO CURRENT_USER');
my $earlier = charges();
$nodes[1]->stop;
my $down = training('deal');
$nodes[1]->start;
refused('a node that is down', '08001', $down);
like($down, qr/part "public\.deal_102010 of public\.deal at [^"]+" cannot be read/, 'a node that is down: which part');
is(charges(), $earlier, 'a node that is down: no charge');
is(digest('deal'), $whole, 'all of it is undone');

my $owner = $session->ask(q{SELECT dp_halfspace(ARRAY[age], rich, 0.5, 0, '{"clip": [0, 79]}') FROM deal});
refused("the owner's door", 'UB003', $owner);
like($owner, qr/Use dpobj\.train/, "the owner's door: the hint names the other one");
my $node = session($nodes[0]);
refused('a shard on its node', 'UB003', $node->ask(q{SELECT dp_halfspace(ARRAY[age], rich, 0.5, 0, '{"clip": [0, 79]}') FROM deal_102008}));
for my $declaration (q{protect('deal_102008', '{"age": {"clip": [0, 79]}, "rich": {}}')}, q{set_budget('deal_102008', 'postgres', 10, 0)}, q{limit_budget('deal_102008', 10, 0)})
{
	refused("a shard on its node: $declaration", 'UB003', $node->ask("SELECT dpobj.$declaration"));
}

# ---- persons ----

sql($nodes[0], 'CREATE TABLE folk_102012 AS TABLE deal_102008');
sql($nodes[1], 'CREATE TABLE folk_102013 AS TABLE deal_102010');
sql($coordinator, <<'SQL');
CREATE TABLE folk (LIKE whole);
INSERT INTO pg_dist_partition SELECT 'folk', partmethod, partkey FROM pg_dist_partition WHERE logicalrelid = 'deal'::regclass;
INSERT INTO pg_dist_shard VALUES ('folk', 102012), ('folk', 102013);
INSERT INTO pg_dist_placement VALUES (7, 102012, 1, 1), (8, 102013, 1, 2);
SQL

sub protect_persons
{
	my ($table, $person) = @_;
	sql($coordinator, qq{SELECT dpobj.protect('$table', '{"age": {"clip": [0, 79]}, "rich": {}}', 'add_remove', person => '$person', max_rows_per_person => 3)});
	return;
}

my $person = q{SELECT dpobj.protect('folk', '{"age": {"clip": [0, 79]}, "rich": {}}', 'add_remove', person => 'who', max_rows_per_person => 3)};
sql($coordinator, 'DELETE FROM pg_dist_shard WHERE shardid = 102013');
protect_persons('folk', 'who');
like(digest('folk'), qr/^\(300,150,/, 'persons of a table that is distributed into one shard');
sql($coordinator, q{INSERT INTO pg_dist_shard VALUES ('folk', 102013)});
for my $text (digest('folk'), $session->ask($person))
{
	refused('a person in several shards', 'UB003', $text);
	like($text, qr/is not partitioned or distributed by column "who" alone/, 'a person in several shards: why');
}
sql($coordinator, q{SELECT dpobj.unprotect('folk')});
protect_persons('folk', 'id');
like(digest('folk'), qr/^\(600,0,/, 'persons by whom the table is distributed');
sql($coordinator, q{SELECT dpobj.unprotect('copied')});
protect_persons('copied', 'who');
like(digest('copied'), qr/^\(1000,850,/, 'persons of a table of one shard');

# ---- what users of Citus see on the nodes ----

sub problems { return join "\n", grep { (split /\|/)[2] ne '' } split /\n/, $session->ask(q{SELECT server, what, problem, to_do FROM dpobj.check_parts('deal') ORDER BY server, what}); }

sql($coordinator, 'SET allow_system_table_mods = on; CREATE FUNCTION pg_catalog.run_command_on_workers(command text) RETURNS void LANGUAGE sql AS $$ $$; REVOKE CONNECT ON DATABASE postgres FROM PUBLIC; GRANT CONNECT ON DATABASE postgres TO ana');
sql($_, 'REVOKE CONNECT ON DATABASE postgres FROM PUBLIC') for @nodes;
my $command = qr/^this server\|commands of Citus\|[^|]*run_command_on_workers[^|]*\|On this server: (REVOKE EXECUTE ON FUNCTION [\w.]*run_command_on_workers\(text\) FROM PUBLIC)$/;
my $seen = problems();
like($seen, $command, 'every role may run statements on the nodes');
sql($coordinator, $seen =~ $command ? $1 : 'SELECT 1');
is(problems(), '', 'not any more, and there is no other problem');
sql($nodes[0], 'GRANT CONNECT ON DATABASE postgres TO dealer');
like(problems(), qr/^host [^|]*, port @{[ $nodes[0]->port ]}, database postgres\|logins\|roles dealer may connect[^|]*\|On this server, after SET citus\.enable_ddl_propagation = off: REVOKE CONNECT ON DATABASE postgres FROM PUBLIC, dealer$/, 'a role that may log in to a node');
sql($nodes[0], 'REVOKE CONNECT ON DATABASE postgres FROM dealer');

# ---- a shard that moves meanwhile ----

my $writer = session($nodes[0]);
$writer->ask('BEGIN; UPDATE deal_102009 SET age = age');
$session->send(q{SELECT scan_digest('deal', 'rich')});
ok(wait_until(20, sub { scalar_of($nodes[0], "SELECT count(*) FROM pg_locks WHERE relation = 'deal_102009'::regclass AND NOT granted") }), 'a read waits for a writer of a shard');
sql($coordinator, 'UPDATE pg_dist_placement SET shardstate = 4 - shardstate WHERE shardid = 102009');
$writer->ask('COMMIT');
like($session->result, qr/^\(600,/, 'a shard that moves before the locks is read where it is then');
sql($coordinator, 'UPDATE pg_dist_placement SET shardstate = 4 - shardstate WHERE shardid = 102009');

# ---- a node that fails over to its standby ----

my $standby = standby_of($nodes[0], 'shards_standby');
$nodes[0]->stop;
$standby->promote;
@all = ($coordinator, $standby, $nodes[1]);
refuses('a node whose standby was promoted', "UPDATE pg_dist_node SET nodename = '@{[ $standby->host ]}', nodeport = @{[ $standby->port ]} WHERE nodeid = 1", '55000',
	qr/part "public\.deal_102008 of public\.deal at [^"]+" cannot be read\n.*restored or promoted since the last entry of its privacy ledger/, 'SELECT 1');
$standby->safe_psql('postgres', 'SELECT dpobj.confirm_epoch()');
refuses('a promoted standby that was confirmed there, at its new place', 'SELECT 1', '55000',
	qr/part "public\.deal_102008 of public\.deal at [^"]+" cannot be read\n.*restored, promoted or replaced since this one first read it/, 'SELECT dpobj.confirm_epoch()');
is(digest('deal'), $whole, 'it is read once the coordinator has confirmed it, too');
is(digest('whole'), $whole, 'and nothing else has changed');

finish($coordinator);
