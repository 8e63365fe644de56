# 010_shapes.pl - every plan for a query is judged alike.
#
# Settings force each kind of node. Epsilon is so large that the mechanism returns the optimum,
# which is known: no row may be lost or read twice.

use DpobjTest;

my $node = dpobj_cluster('shapes');
my $optimum = '{1,-1,1,0,-1,1}';
my $release = { epsilon => 10000, charged => 1, released => 1 };

point_table($node);
$node->safe_psql('postgres', <<'SQL');
CREATE INDEX point_id ON point (id);
CREATE INDEX point_week ON point (week);
CREATE INDEX point_all ON point (f1, label, f2, f3, f4, f5, f6);

CREATE TABLE root (LIKE point) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF root FOR VALUES FROM (0) TO (300);
-- columns in another order, so that a partition's expressions are not the root's
CREATE TABLE part_2 (f6 float8, f5 float8, f4 float8, f3 float8, f2 float8, f1 float8, label boolean,
  features float8[], week int, id int);
ALTER TABLE root ATTACH PARTITION part_2 FOR VALUES FROM (300) TO (600);
CREATE TABLE part_3 PARTITION OF root DEFAULT;
INSERT INTO root SELECT * FROM point;
CREATE INDEX root_id ON root (id);
CREATE INDEX root_f1 ON root (f1);
ALTER TABLE point SET (parallel_workers = 2);
ALTER TABLE part_1 SET (parallel_workers = 2);
ALTER TABLE part_2 SET (parallel_workers = 2);
ALTER TABLE part_3 SET (parallel_workers = 2);

CREATE FUNCTION told(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
  AS 'BEGIN RETURN $1 IS NOT NULL; END';
CREATE AGGREGATE spoof(float8[], boolean, float8, float8) (SFUNC = dpobj_internal.train_accumulate,
  STYPE = dp_rows, COMBINEFUNC = dpobj_internal.rows_combine, FINALFUNC = dpobj_internal.train_final,
  FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
VACUUM ANALYZE;
SQL

my $columns = 'ARRAY[f1, f2, f3, f4, f5, f6]';

sub training
{
	my ($from, %how) = @_;
	my $features = $how{features} // 'features';
	return "SELECT (dp_halfspace($features, label, 10000.0, 0, '{\"grid\": \"ternary\"}')).weights FROM $from";
}

# The plan and the result of a statement under settings.
sub plan_and_result
{
	my ($statement, @settings) = @_;
	my $session = session($node, set => \@settings);
	my $plan = $session->ask("EXPLAIN (COSTS OFF) $statement");
	my $result = $session->ask($statement);
	$session->quit;
	return ($plan, $result);
}

sub passes
{
	my ($name, $nodes, $statement, @settings) = @_;
	spends(
		$node, $name, $release,
		sub {
			my ($plan, $result) = plan_and_result($statement, @settings);
			like($plan, $nodes, "$name: the plan");
			is($result, $optimum, "$name: the optimum");
		});
}

sub is_refused
{
	my ($name, $nodes, $error, $statement, @settings) = @_;
	spends(
		$node, $name, {},
		sub {
			my ($plan, $result) = plan_and_result($statement, @settings);
			like($plan, $nodes, "$name: the plan");
			like($result, qr/^ERROR:  UB003: .*$error/s, "$name: refused");
		});
}

sub only
{
	my %wanted = map { $_ => 1 } @_;
	return map { "SET enable_$_ = " . ($wanted{$_} ? 'on' : 'off') }
	  qw(seqscan indexscan indexonlyscan bitmapscan tidscan sort incremental_sort);
}

my @parallel = parallel(2);
my @serial = ('SET max_parallel_workers_per_gather = 0');
my $sorted = '(SELECT * FROM point ORDER BY id) AS p';

# ---- scans ----

my @scans = (
	[ 'sequential', qr/Seq Scan/, 'point', only('seqscan') ],
	[ 'index', qr/Index Scan using point_id/, 'point WHERE id >= 0', only('indexscan') ],
	[ 'index-only', qr/Index Only Scan/, 'point WHERE f1 >= -1', only('indexscan', 'indexonlyscan'),
		$columns ],
	[ 'bitmap', qr/Bitmap Heap Scan.*Bitmap Index Scan/s, 'point WHERE id >= 0', only('bitmapscan') ],
	[   'two bitmaps or',
		qr/BitmapOr/, 'point WHERE id >= 100 OR id < 100 AND week >= 0', only('bitmapscan') ],
	[ 'row ids', qr/Tid Range Scan/, q{point WHERE ctid >= '(0,0)'}, only('tidscan') ],
	[ 'sorted', qr/Sort.*Seq Scan/s, $sorted, only('seqscan', 'sort') ],
	[ 'sorted by an index', qr/Index Scan/, $sorted, only('indexscan') ],
	[   'sorted further',
		qr/Incremental Sort/, '(SELECT * FROM point ORDER BY id, f2) AS p',
		only('indexscan', 'sort', 'incremental_sort') ]);
for my $scan (@scans)
{
	my ($name, $nodes, $from, @settings) = @$scan;
	my $features = $settings[-1] eq $columns ? pop @settings : 'features';
	my $statement = training($from, features => $features);
	passes("$name, serial", $nodes, $statement, @settings, @serial);
	passes("$name, parallel", qr/Finalize Aggregate.*Gather.*Partial Aggregate.*Parallel $nodes/s,
		$statement, @settings, @parallel)
	  if $name =~ /^(?:sequential|index|index-only|bitmap)$/;
}
passes('gathered in order', qr/Aggregate.*Gather Merge.*Sort/s,
	training('(SELECT * FROM point ORDER BY f1, id) AS p'), only('seqscan', 'sort'), @parallel);
passes('a barrier in between', qr/Subquery Scan/,
	training('(SELECT * FROM point WHERE id >= 0 OFFSET 0) AS p WHERE week >= 0'), @serial);
spends(
	$node,
	'a bitmap of two indexes',
	$release,
	sub {
		my ($plan, $result) = plan_and_result(
			training('point WHERE id BETWEEN 100 AND 400 AND week = 3'),
			only('bitmapscan'), 'SET random_page_cost = 0.01', 'SET cpu_tuple_cost = 1', @serial);
		like($plan, qr/Bitmap Heap Scan/, 'the plan has a bitmap');
		like($result, qr/^\{[-\d,]+\}$/, 'the call returns a model');
	});

# ---- partitions ----

for my $features ('features', $columns)
{
	for my $wise (qw(off on))
	{
		my @wise = ("SET enable_partitionwise_aggregate = $wise", 'SET cpu_tuple_cost = 1');
		my $statement = training('root', features => $features);
		my $nodes = $wise eq 'on' ? qr/Finalize.*Append.*Partial Aggregate/s : qr/Aggregate\n.*Append/s;
		passes("partitions, $features, serial, partitionwise $wise", $nodes, $statement, @wise, @serial);
		passes("partitions, $features, parallel, partitionwise $wise",
			$wise eq 'on'
			? qr/Finalize Aggregate.*Gather.*Parallel Append.*Partial Aggregate/s
			: qr/Finalize Aggregate.*Gather.*Partial Aggregate.*Parallel Append/s,
			$statement, @wise, @parallel);
	}
}
passes('partitions in order', qr/Aggregate.*Append.*Index Scan/s,
	training('(SELECT * FROM root ORDER BY id) AS p'), only('indexscan'), @serial);
passes('partitions merged', qr/Aggregate.*Merge Append/s,
	training('(SELECT * FROM root ORDER BY f1) AS p'), only('indexscan'), @serial);
is( scalar_of($node, "SELECT DISTINCT relation_name FROM dpobj.ledger WHERE id IN "
		  . "(SELECT id FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 10)"),
	'public.root', 'the root table is charged');

# ---- a refusal does not depend on the plan ----

for my $how ([ 'serial', @serial ], [ 'parallel', @parallel ])
{
	my ($name, @settings) = @$how;
	my $parallel = $name eq 'parallel' ? qr/Gather/ : qr/Seq Scan/;
	for my $leader (qw(on off))
	{
		my @all = (@settings, "SET parallel_leader_participation = $leader");
		is_refused("a spoofed aggregate, $name, leader $leader",
			$parallel, 'not one of dpobj', 'SELECT spoof(features, label, 1.0, 0) FROM point', @all);
		is_refused("beside another, $name, leader $leader", $parallel, 'Another aggregate',
			'SELECT dp_halfspace(features, label, 1.0, 0), count(*) FROM root', @all);
	}
}
# The functions of a query are judged before it is planned.
scalar_of($node, 'CREATE INDEX point_told ON point (f2, id, label, told(id)); VACUUM ANALYZE point');
is_refused("a user's function: $_", qr/^ERROR:  UB003/, 'Function told.integer. is not built in', training($_))
  for 'point WHERE told(id)', 'root WHERE told(id)';
is_refused("a user's function that an index-only scan has computed", qr/^ERROR:  UB003/,
	'Function told.integer. is not built in',
	training('point WHERE f2 >= -1 AND told(id)', features => 'ARRAY[f2]'),
	only('indexscan', 'indexonlyscan'), @serial);
passes('an index on a user\'s function that the query does not use', qr/Scan/, training('point WHERE f2 >= -1'), only('indexscan'), @serial);
for my $join (qw(hashjoin mergejoin nestloop))
{
	my @off = map { "SET enable_$_ = off" } grep { $_ ne $join } qw(hashjoin mergejoin nestloop);
	is_refused("$join", qr/Join|Nested Loop/, 'A join can let a row enter more than once',
		training('point JOIN (SELECT id AS other FROM root) AS r ON r.other = point.id'), @off, @serial);
}
for my $way (qw(hashagg sort))
{
	is_refused("distinct, not by $way", qr/Unique|HashAggregate|Sort/, 'DISTINCT, GROUP BY',
		training('(SELECT DISTINCT features, label FROM point) AS p'), "SET enable_$way = off");
}

# ---- whole plans in a worker, instrumentation ----

for my $mode (qw(on regress))
{
	is_refused("a whole plan in a worker, $mode", qr/./, 'cannot finish in a parallel worker',
		training('point'), "SET @{[ FORCE_PARALLEL ]} = $mode");
}
is_refused('auto_explain with log_analyze', qr/./, 'EXPLAIN ANALYZE and instrumented statements',
	training('point'), "LOAD 'auto_explain'", 'SET auto_explain.log_min_duration = 0',
	'SET auto_explain.log_analyze = on');
passes('auto_explain without', qr/./, training('point'), "LOAD 'auto_explain'",
	'SET auto_explain.log_min_duration = 0');

# ---- how many features there are ----

# Workers read the constraint of the partition that they scan, the leader that of the table in the query.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE ruled (LIKE root, CHECK (cardinality(features) = 6)) PARTITION BY RANGE (id);
CREATE TABLE ruled_1 PARTITION OF ruled FOR VALUES FROM (0) TO (400) WITH (parallel_workers = 2);
CREATE TABLE ruled_2 PARTITION OF ruled DEFAULT WITH (parallel_workers = 2);
INSERT INTO ruled SELECT id, week, CASE WHEN id >= 3 THEN features END, label FROM point;
CREATE TABLE part_ruled (LIKE root) PARTITION BY RANGE (id);
CREATE TABLE part_ruled_1 PARTITION OF part_ruled (CHECK (cardinality(features) = 6)) FOR VALUES FROM (0) TO (400) WITH (parallel_workers = 2);
CREATE TABLE part_ruled_2 PARTITION OF part_ruled DEFAULT WITH (parallel_workers = 2);
INSERT INTO part_ruled TABLE ruled;
VACUUM ANALYZE ruled, part_ruled;
SQL
for my $how ([ 'serial', @serial ], [ 'parallel', @parallel ])
{
	for my $wise (qw(off on))
	{
		my ($name, @settings) = (@$how, "SET enable_partitionwise_aggregate = $wise", 'SET cpu_tuple_cost = 1');
		my $says = sub {
			my $call = 'SELECT m.guarantee, cardinality(m.weights) FROM (SELECT (dp_halfspace(features, label, 10000.0, 0)).*';
			my ($plan, $result) = plan_and_result("$call FROM $_[0]) m", @settings);
			like($plan, $name eq 'parallel' ? qr/Gather/ : qr/Scan/, "$_[0], $name, partitionwise $wise: the plan");
			return $result;
		};
		is($says->('ruled'), 'exact|6', "a constraint, $name, partitionwise $wise");
		is($says->('ruled WHERE week < 0'), 'exact|6', "a constraint and no row, $name, partitionwise $wise");
		is($says->('ruled_2'), 'exact|6', "a partition of it, $name, partitionwise $wise");
		is($says->('part_ruled'), 'conditional|6', "a constraint of one partition, $name, partitionwise $wise");
		is($says->('part_ruled_1'), 'exact|6', "that partition, $name, partitionwise $wise");
		is($says->('point'), 'conditional|6', "none, $name, partitionwise $wise");
		like($says->('part_ruled_2 WHERE week < 0'), qr/22023.*dimension is not known/, "none, and no row, $name, partitionwise $wise");
	}
}

# ---- a protected table ----

# Another table, because the rows of root were charged under replace.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE trunk (LIKE point) PARTITION BY RANGE (id);
CREATE TABLE limb_1 PARTITION OF trunk FOR VALUES FROM (MINVALUE) TO (300);
CREATE TABLE limb_2 PARTITION OF trunk FOR VALUES FROM (300) TO (MAXVALUE);
INSERT INTO trunk SELECT * FROM point;
SELECT dpobj.protect('trunk', '{"label": {}}', 'add_remove');
SQL
for my $how ([ 'serial', @serial ], [ 'parallel', @parallel ])
{
	my ($name, @settings) = @$how;
	my $statement = training('trunk', features => $columns);
	passes("protected, $name", qr/Append/, $statement, @settings);
	is(last_charge($node, 'adjacency'), 'add_remove', "protected, $name: its adjacency");
	is_refused("arithmetic on a protected table, $name", qr/Append/, 'function float8pl',
		training('trunk', features => 'ARRAY[f1 + f2]'), @settings);
	is_refused("arithmetic on its partition, $name", qr/limb_2/, 'function float8pl',
		training('limb_2', features => 'ARRAY[f1 + f2]'), @settings);
}

finish($node);
