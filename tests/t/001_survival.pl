# 001_survival.pl - a charge survives everything that happens to its transaction, and a forged
# model differs from a released one.

use DpobjTest;

my $node = dpobj_cluster('survival', 'wal_writer_delay = 10s');
my $once = { epsilon => 0.5, charged => 1, released => 1 };
my $nothing = {};

sub run { return in_session($node, undef, @_); }

# ---- the end of the transaction ----

my $train = train(QUICK);

for my $case (
	[ 'COMMIT', 'BEGIN', $train, 'COMMIT' ],
	[ 'ROLLBACK', 'BEGIN', $train, 'ROLLBACK' ],
	[ 'ROLLBACK TO SAVEPOINT', 'BEGIN', 'SAVEPOINT here', $train, 'ROLLBACK TO here', 'COMMIT' ],
	[ 'PREPARE TRANSACTION, ROLLBACK PREPARED', 'BEGIN', $train, "PREPARE TRANSACTION 'here'", "ROLLBACK PREPARED 'here'" ],
	[ 'SERIALIZABLE, ROLLBACK', 'BEGIN ISOLATION LEVEL SERIALIZABLE', $train, 'ROLLBACK' ],
	[ 'the session ends within the transaction', 'BEGIN', $train ],
	[ 'CREATE TABLE AS, ROLLBACK', 'BEGIN', "CREATE TABLE model AS $train", 'ROLLBACK' ],
	[ 'a cursor that is fetched and closed', 'BEGIN', "DECLARE here CURSOR FOR $train", 'FETCH here', 'CLOSE here', 'ROLLBACK' ],
	[ 'a cursor WITH HOLD', 'BEGIN', "DECLARE here CURSOR WITH HOLD FOR $train", 'COMMIT', 'FETCH here', 'CLOSE here' ],
	[ 'a release whose answer only EXISTS reads', "SELECT EXISTS ($train)" ])
{
	my ($name, @statements) = @$case;
	spends($node, $name, $once, sub { run(@statements) });
}

# ---- an error after the release ----

for my $case (
	[ 'a deferred constraint that fails at COMMIT', '23505',
		'CREATE TABLE one (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)', 'BEGIN', 'INSERT INTO one VALUES (1), (1)',
		$train, 'COMMIT', 'DROP TABLE one' ],
	[ 'a division by zero in an expression over the model', '22012',
		'SELECT 1 / (cardinality(weights) - 2) FROM '
		  . '(SELECT (dp_halfspace(features, label, 0.5, 0)).weights FROM quick) AS model' ],
	[ 'a CHECK constraint that the model violates', '23514',
		'CREATE TABLE model (release bigint CHECK (release < 0))', "INSERT INTO model $train", 'DROP TABLE model' ])
{
	my ($name, $state, @statements) = @$case;
	spends($node, $name, $once, sub { like(run(@statements), qr/^ERROR:  $state/m, "$name is an error") });
}
spends(
	$node,
	'errors caught in PL/pgSQL, in a loop',
	{ epsilon => 2.5, charged => 5, released => 5 },
	sub {
		run(<<"SQL");
DO \$\$
BEGIN
  FOR i IN 1..5 LOOP
    BEGIN
      PERFORM (dp_halfspace(features, label, 0.5, 0)).release FROM quick;
      RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
  END LOOP;
END \$\$
SQL
	});

# ---- cursors, views and statements that run again ----

spends($node, 'a cursor that is never fetched', $nothing,
	sub { run('BEGIN', "DECLARE here CURSOR FOR $train", 'CLOSE here', 'COMMIT') });
spends(
	$node,
	'a scroll cursor that is read twice shows one release twice',
	$once,
	sub {
		my $text = run('BEGIN', "DECLARE here SCROLL CURSOR FOR $train",
			'FETCH here', 'MOVE BACKWARD ALL IN here', 'FETCH here', 'COMMIT');
		my @releases = $text =~ /^(\d+)$/mg;
		is(scalar @releases, 2, 'the cursor returns two rows');
		is($releases[0], $releases[1], 'both rows are the same release');
	});
spends(
	$node,
	'a view and a materialised view: a charge for each time that the query runs',
	{ epsilon => 2, charged => 4, released => 4 },
	sub {
		run("CREATE VIEW plain AS $train",
			"CREATE MATERIALIZED VIEW kept AS $train WITH NO DATA",
			'TABLE plain', 'TABLE plain',
			'REFRESH MATERIALIZED VIEW kept', 'REFRESH MATERIALIZED VIEW kept', 'TABLE kept',
			'DROP VIEW plain', 'DROP MATERIALIZED VIEW kept');
	});
spends(
	$node,
	'a prepared statement, executed six times with a generic plan',
	{ epsilon => 3, charged => 6, released => 6 },
	sub {
		run('PREPARE here(numeric) AS SELECT (dp_halfspace(features, label, $1, 0.0)).release FROM quick',
			'SET plan_cache_mode = force_generic_plan',
			('EXECUTE here(0.5)') x 6);
	});
spends(
	$node,
	'a subselect that is evaluated three times is charged for each time',
	{ epsilon => 1.5, charged => 3, released => 3 },
	sub {
		my $text = run('SET enable_material = off',
			'SELECT r FROM generate_series(1, 3) LEFT JOIN LATERAL (SELECT (dp_halfspace('
			  . 'features, label, 0.5, 0)).release AS r FROM quick) AS s ON true');
		my %releases = map { $_ => 1 } $text =~ /^(\d+)$/mg;
		is(scalar keys %releases, 3, 'each evaluation is a release of its own');
	});
spends(
	$node,
	'a correlated subselect is refused before the charge',
	$nothing,
	sub {
		like(
			run('SELECT (SELECT (dp_halfspace(features, label, 0.5, 0)).release FROM quick '
				  . 'WHERE id > outside * 0) FROM generate_series(1, 3) AS outside'),
			qr/UB003: /,
			'a correlated subselect is refused');
	});
spends($node, 'EXPLAIN and LIMIT 0 cost nothing', $nothing,
	sub { run("EXPLAIN $train", "$train LIMIT 0") });
spends(
	$node,
	'EXPLAIN ANALYZE is refused before the charge',
	$nothing,
	sub { like(run("EXPLAIN ANALYZE $train"), qr/^ERROR:  UB003/m, 'EXPLAIN ANALYZE is refused') });

# ---- a model and its forgeries ----

spends(
	$node,
	'verify',
	{ epsilon => 1.25, charged => 3, released => 3 },
	sub {
		run('CREATE TABLE model AS SELECT dp_halfspace(features, label, 0.5, 0) AS m FROM quick',
			'INSERT INTO model SELECT dp_halfspace(features, label, 0.25, 0) FROM quick');
		is(scalar_of($node, 'SELECT bool_and(dpobj.verify(m)) FROM model'), 't', 'released models verify');

		my $lost = run('BEGIN', 'SELECT dp_halfspace(features, label, 0.5, 0) FROM quick', 'ROLLBACK');
		$lost =~ s/'/''/g;
		is(scalar_of($node, "SELECT dpobj.verify('$lost'::dp_model)"),
			't', 'a model of a transaction that was rolled back verifies');
	});
my %forged = (
	kind => "'other'",
	mechanism => "'opdisc'",
	weights => '(SELECT array_agg(-w) FROM unnest((m).weights) w)',
	epsilon => '(m).epsilon / 2',
	delta => '0.5',
	adjacency => "'add_remove'",
	guarantee => "'unproven'",
	release => '(SELECT max((other.m).release) FROM model other)',
	details => q((m).details || '{"n": 1}'));
for my $attribute (sort keys %forged)
{
	is( run('BEGIN',
			"UPDATE model SET m.$attribute = $forged{$attribute}"
			  . ' WHERE (m).release = (SELECT min((other.m).release) FROM model other)',
			'SELECT count(*) FROM model WHERE NOT dpobj.verify(m)',
			'ROLLBACK') =~ s/^\s+|\s+$//gr,
		'1', "a forged $attribute does not verify");
}
is(scalar_of($node, 'SELECT dpobj.verify(NULL) IS NULL'), 't', 'dpobj.verify of NULL is NULL');

# ---- synchronous_commit = off ----

# The session commits asynchronously.  An ordinary row that is committed after the release is lost,
# which shows that the charge was flushed on purpose.
scalar_of($node, 'ALTER DATABASE postgres SET synchronous_commit = off; CREATE TABLE ordinary (n int)');
my $lost = 0;
for my $attempt (1 .. 3)
{
	spends(
		$node,
		"immediate stop with synchronous_commit = off, attempt $attempt",
		$once,
		sub {
			is(run('SHOW synchronous_commit', $train, "INSERT INTO ordinary VALUES ($attempt)") =~ /^off/,
				1, 'the session commits asynchronously');
			$node->stop('immediate');
			$node->start;
		});
	$lost = scalar_of($node, "SELECT count(*) FROM ordinary WHERE n = $attempt") eq '0';
	last if $lost;
}
ok($lost, 'an ordinary row was lost in the same stop');

finish($node);
