# 005_parallel.pl - parallel and partitioned plans read each row once, and a dump keeps the
# ledger.
#
# Epsilon is so large that the mechanism returns the optimum. If all rows agree on one vector, and
# no other vector of the grid equals it, the answer must be that vector. If a majority of one row
# decides, no row may be lost or read twice.

use DpobjTest;

my $node = dpobj_cluster('parallel');
my $optimum = '{1,-1,1,0,-1,1}';
my $release = { epsilon => 10000, charged => 1, released => 1 };

point_table($node);
$node->safe_psql('postgres', <<'SQL');
-- 200,000 rows, most of them alike; 20,000 rows, all distinct.
CREATE TABLE alike AS
  SELECT row_number() OVER () AS id, features, label FROM point, generate_series(1, 275);
CREATE TABLE distinct_rows AS
  SELECT i AS id, f AS features, f[1] - f[2] + f[3] - f[5] + f[6] > 0 AS label
  FROM (SELECT i, array_agg(sin(i * j + j * j) ORDER BY j) FROM generate_series(1, 20000) i,
               generate_series(1, 6) j GROUP BY i) AS p(i, f);

-- 100,000 contradictions that a majority of one decides, in runs of a thousand rows,
-- so that what one worker has read is not balanced in itself.
CREATE TABLE close AS
  SELECT i AS id, ARRAY[1.0::float8] AS features, (i - 1) / 1000 % 2 = 0 AS label
  FROM generate_series(1, 200001) i;
ALTER TABLE alike SET (parallel_workers = 3);
ALTER TABLE distinct_rows SET (parallel_workers = 3);
ALTER TABLE close SET (parallel_workers = 3);
ANALYZE;
SQL

my @parallel = parallel(3);
my @serial = ('SET max_parallel_workers_per_gather = 0');

sub weights_of
{
	my ($table, @more) = @_;
	return train($table, epsilon => 10000, what => 'weights', @more);
}

sub plan_of
{
	my ($statement, @settings) = @_;
	return under($node, "EXPLAIN (COSTS OFF) $statement", @settings);
}

# Runs one release under settings and compares its weights.
sub releases
{
	my ($name, $expected, $statement, @settings) = @_;
	spends($node, $name, $release, sub { is(under($node, $statement, @settings), $expected, "$name: the optimum") });
	return;
}

# ---- parallel plans ----

my $plan = plan_of(weights_of('alike'), @parallel);
like($plan, qr/Finalize Aggregate.*Gather.*Workers Planned: [23].*Partial Aggregate.*Parallel Seq Scan/s,
	'the plan is parallel');
unlike(plan_of(weights_of('alike'), @serial), qr/Partial/, 'the plan without workers is not parallel');

for my $table (qw(alike distinct_rows))
{
	releases("$table, serial", $optimum, weights_of($table), @serial);
	releases("$table, parallel", $optimum, weights_of($table), @parallel);
	releases("$table, parallel, the leader stays out",
		$optimum, weights_of($table), @parallel, 'SET parallel_leader_participation = off');
	releases("$table, no worker is free",
		$optimum, weights_of($table), @parallel, 'SET max_parallel_workers = 0');
	releases("$table, prepared",
		$optimum,
		'PREPARE here(float8) AS SELECT (dp_halfspace(features, label, $1, 0::float8, \'{"grid": "ternary"}\')).weights '
		  . "FROM $table; EXECUTE here(10000)",
		@parallel,
		'SET plan_cache_mode = force_generic_plan');
}

# With 20,000 rows the run is sure to end within a second, with a million it is not. With a condition the
# table's rows are counted, in both plans.
for my $settings (\@serial, \@parallel)
{
	my $text = under($node, train('distinct_rows', options => '"mechanism": "permute_flip", "grid": {"max": 2}', where => 'label IS NOT NULL'), @$settings, 'SET dpobj.longest_run = 1');
	is_answered($text, 'a run of counted rows is answered');
	unlike($text, qr/NOTICE/, 'and is sure to end');
}

# {1} errs on the negative rows, {-1} and {0} on the positive ones, of which there is one more: if a
# state is lost or added twice, one of the two answers changes.
for my $round (1 .. 4)
{
	my @settings =
	  $round == 1 ? @serial : (@parallel, 'SET parallel_leader_participation = ' . $round % 2);
	spends(
		$node,
		"majority of one, round $round",
		{ epsilon => 20000, charged => 2, released => 2 },
		sub {
			is(under($node, weights_of('close'), @settings), '{1}', 'the positive rows have the majority');
			like(under($node, weights_of('close', where => 'id NOT IN (1, 2)'), @settings),
				qr/^\{(?:0|-1)\}$/, 'without two of them the negative rows have it');
		});
}

# Fewer rows than workers, and none, where the planner expects many.
scalar_of($node, <<'SQL');
CREATE TABLE few AS SELECT * FROM close WHERE id <= 2000;
CREATE TABLE none AS TABLE few;
ALTER TABLE few SET (parallel_workers = 3);
ALTER TABLE none SET (parallel_workers = 3);
ANALYZE few, none;
DELETE FROM few WHERE id > 1;
DELETE FROM none;
SQL
for my $leader (qw(on off))
{
	my @settings = (@parallel, "SET parallel_leader_participation = $leader");
	like(plan_of(weights_of('few'), @settings), qr/Partial Aggregate/, 'the plan is parallel');
	releases("one row, leader $leader", '{1}', weights_of('few'), @settings);
	spends(
		$node,
		"no row at all, leader $leader",
		$release,
		sub {
			like(under($node, weights_of('none', options => '"dimension": 1'), @settings),
				qr/^\{-?[01]\}$/, 'a declared dimension is enough without rows');
		});
	spends(
		$node,
		"no row and no dimension, leader $leader",
		{},
		sub {
			like(under($node, weights_of('none'), @settings), qr/^ERROR:  22023: the dimension is not known$/m,
				'without rows and dimension the call is refused');
		});
}

# Each worker takes the dimension from the first row that it reads.
scalar_of($node, <<'SQL');
CREATE TABLE ragged AS
  SELECT i AS id, CASE WHEN i <= 1000 THEN ARRAY[1.0::float8] ELSE ARRAY[1.0::float8, 1.0] END AS features,
         true AS label
  FROM generate_series(1, 2000) i;
ALTER TABLE ragged SET (parallel_workers = 3);
ANALYZE ragged;
SQL
spends(
	$node,
	'rows of different lengths in different workers',
	{ epsilon => [ 0, 10000 ], charged => [ 0, 1 ], released => [ 0, 1 ] },
	sub {
		my $session = session($node, set => \@parallel);
		like($session->ask(weights_of('ragged')), qr/^(?:\{1(?:,-?[01])?\}|ERROR: .*)$/m,
			'one length wins or an error says why');
		is($session->ask('SELECT 1'), '1', 'the session is alive');
	});
releases('rows of another length are neutral where it is declared',
	'{1}', weights_of('ragged', options => '"dimension": 1'), @parallel);

# ---- partitions ----

scalar_of($node, <<'SQL');
CREATE SCHEMA "Odd";
CREATE TABLE "Odd".root (id bigint, features float8[], label boolean) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF "Odd".root FOR VALUES FROM (0) TO (200);
CREATE TABLE part_2 PARTITION OF "Odd".root FOR VALUES FROM (200) TO (400) PARTITION BY LIST (label);
CREATE TABLE part_2_true PARTITION OF part_2 FOR VALUES IN (true);
CREATE TABLE part_2_false PARTITION OF part_2 FOR VALUES IN (false);
CREATE TABLE part_3 (gone int, label boolean, features float8[], id bigint);
ALTER TABLE part_3 DROP gone;
ALTER TABLE "Odd".root ATTACH PARTITION part_3 FOR VALUES FROM (400) TO (600);
CREATE TABLE part_4 PARTITION OF "Odd".root DEFAULT;
CREATE TABLE part_5 PARTITION OF "Odd".root FOR VALUES FROM (1000) TO (2000);
INSERT INTO "Odd".root SELECT id, features, label FROM point;
ANALYZE "Odd".root;
SQL

sub root_is_charged
{
	return is(last_charge($node, 'relation_name'), '"Odd".root', 'the root table is charged');
}

for my $wise (qw(off on))
{
	for my $how ([ 'serial', @serial ], [ 'parallel', @parallel, 'SET enable_parallel_append = on' ])
	{
		my ($name, @settings) = @$how;
		push @settings, "SET enable_partitionwise_aggregate = $wise";
		releases("root, $name, partitionwise $wise", $optimum, weights_of('"Odd".root'), @settings);
		root_is_charged();
	}
}
for my $partition (qw(part_1 part_2 part_2_true part_3 part_5))
{
	spends(
		$node,
		"$partition queried directly",
		$release,
		sub {
			is_answered(scalar_of($node, train($partition, epsilon => 10000, options => '"dimension": 6')), 'the call is answered');
		});
	root_is_charged();
}
spends(
	$node,
	'all partitions but one pruned, and all',
	{ epsilon => 20000, charged => 2, released => 2 },
	sub {
		for my $where ('id = 7', 'id < 0 AND id > 0')
		{
			is_answered(scalar_of($node, train('"Odd".root', epsilon => 10000, options => '"dimension": 6', where => $where)),
				"the call with WHERE $where is answered");
			root_is_charged();
		}
	});

# ---- dump and restore ----

scalar_of($node,
	'CREATE TABLE kept AS SELECT dp_halfspace(features, label, 0.5, 0) AS model FROM quick');
my $events = 'SELECT md5(string_agg(e::text, chr(10) ORDER BY id)) FROM dpobj.ledger_events e';
for my $format (qw(plain custom))
{
	my $copy = "copy_$format";
	copy_by_dump($node, 'postgres', $copy, $format);
	is($node->safe_psql($copy, $events), scalar_of($node, $events), 'the restored ledger is the same');
	is($node->safe_psql($copy, 'SELECT dpobj.verify(model) FROM kept'), 't', 'the restored model verifies');
	my (undef, undef, $refusal) = $node->psql($copy, train(QUICK));
	like($refusal, qr/the database was restored/, 'nothing is released before dpobj.confirm_epoch');
	$node->safe_psql($copy, 'SELECT dpobj.confirm_epoch()');
	is( $node->safe_psql($copy, train(QUICK)),
		$node->safe_psql($copy, "SELECT max(id) FROM dpobj.ledger WHERE event = 'charged'"),
		'new releases have new ids');
	my ($code, $out, $error) = $node->psql($copy, 'DELETE FROM dpobj.ledger_events');
	like($error, qr/append-only/, 'the restored ledger is append-only');
}

finish($node);
