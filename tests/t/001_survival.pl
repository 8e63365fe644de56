# 001_survival.pl - a charge survives everything that happens to its transaction, and a forged
# model differs from a released one.

use strict;
use warnings;

use Test::More;

use DpobjTest;

my $node = dpobj_cluster('survival', "shared_preload_libraries = ''", 'wal_writer_delay = 10s');
my $once = { epsilon => 0.5, charged => 1, released => 1 };
my $nothing = {};

sub run { return in_session($node, undef, @_); }

# ---- the end of the transaction ----

my $train = train(QUICK);

spends($node, 'COMMIT', $once, sub { run('BEGIN', $train, 'COMMIT') });
spends($node, 'ROLLBACK', $once, sub { run('BEGIN', $train, 'ROLLBACK') });
spends($node, 'ROLLBACK TO SAVEPOINT', $once,
	sub { run('BEGIN', 'SAVEPOINT here', $train, 'ROLLBACK TO here', 'COMMIT') });
spends($node, 'PREPARE TRANSACTION, ROLLBACK PREPARED', $once,
	sub { run('BEGIN', $train, "PREPARE TRANSACTION 'here'", "ROLLBACK PREPARED 'here'") });
spends($node, 'SERIALIZABLE, ROLLBACK', $once,
	sub { run('BEGIN ISOLATION LEVEL SERIALIZABLE', $train, 'ROLLBACK') });
spends(
	$node,
	'end of the session within the transaction',
	$once,
	sub { run('BEGIN', $train) });
spends(
	$node,
	'deferred constraint that fails at COMMIT',
	$once,
	sub {
		my $text = run(
			'CREATE TABLE one (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)',
			'BEGIN',
			'INSERT INTO one VALUES (1), (1)',
			$train,
			'COMMIT',
			'DROP TABLE one');
		like($text, qr/^ERROR:  23505/m, 'COMMIT fails');
	});

# ---- an error after the release ----

spends(
	$node,
	'error in an expression over the model',
	$once,
	sub {
		like(
			run('SELECT 1 / (cardinality(weights) - 2) FROM '
				  . '(SELECT (dp_halfspace(features, label, 0.5, 0)).weights FROM quick) AS model'),
			qr/^ERROR:  22012/m,
			'division by zero');
	});
spends(
	$node,
	'constraint that refuses the model',
	$once,
	sub {
		like(
			run('CREATE TABLE model (release bigint CHECK (release < 0))',
				"INSERT INTO model $train",
				'DROP TABLE model'),
			qr/^ERROR:  23514/m,
			'CHECK violated');
	});
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
spends($node, 'CREATE TABLE AS, ROLLBACK', $once,
	sub { run('BEGIN', "CREATE TABLE model AS $train", 'ROLLBACK') });

# ---- cursors, views and statements that run again ----

spends($node, 'cursor that is never fetched', $nothing,
	sub { run('BEGIN', "DECLARE here CURSOR FOR $train", 'CLOSE here', 'COMMIT') });
spends(
	$node, 'cursor that is fetched and closed', $once,
	sub { run('BEGIN', "DECLARE here CURSOR FOR $train", 'FETCH here', 'CLOSE here', 'ROLLBACK') });
spends(
	$node,
	'scroll cursor read twice gives one release twice',
	$once,
	sub {
		my $text = run('BEGIN', "DECLARE here SCROLL CURSOR FOR $train",
			'FETCH here', 'MOVE BACKWARD ALL IN here', 'FETCH here', 'COMMIT');
		my @releases = $text =~ /^(\d+)$/mg;
		is(scalar @releases, 2, 'fetched twice');
		is($releases[0], $releases[1], 'the same release');
	});
spends(
	$node,
	'cursor WITH HOLD',
	$once,
	sub {
		run('BEGIN', "DECLARE here CURSOR WITH HOLD FOR $train", 'COMMIT', 'FETCH here', 'CLOSE here');
	});
spends(
	$node,
	'view and materialised view: a charge for each look that trains',
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
	'prepared statement, six times with a generic plan and with parameters',
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
		is(scalar keys %releases, 3, 'three releases');
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
			'refused');
	});
spends($node, 'what trains nothing costs nothing', $nothing,
	sub { run("EXPLAIN $train", "$train LIMIT 0") });
spends($node, 'a release that only EXISTS looks at is a release', $once,
	sub { run("SELECT EXISTS ($train)") });
spends(
	$node,
	'EXPLAIN ANALYZE is refused before the charge',
	$nothing,
	sub { like(run("EXPLAIN ANALYZE $train"), qr/^ERROR:  UB003/m, 'refused') });

# ---- a model and its forgeries ----

spends(
	$node,
	'verify',
	{ epsilon => 1.25, charged => 3, released => 3 },
	sub {
		run('CREATE TABLE model AS SELECT dp_halfspace(features, label, 0.5, 0) AS m FROM quick',
			'INSERT INTO model SELECT dp_halfspace(features, label, 0.25, 0) FROM quick');
		is(scalar_of($node, 'SELECT bool_and(dpobj.verify(m)) FROM model'), 't', 'models verify');

		my $lost = run('BEGIN', 'SELECT dp_halfspace(features, label, 0.5, 0) FROM quick', 'ROLLBACK');
		$lost =~ s/'/''/g;
		is(scalar_of($node, "SELECT dpobj.verify('$lost'::dp_model)"),
			't', 'so does one that was shown and rolled back');
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
is(scalar_of($node, 'SELECT dpobj.verify(NULL) IS NULL'), 't', 'no model, no verdict');

# ---- synchronous_commit = off ----

# The session asks for asynchronous commits.  An ordinary row that is committed
# after the release is lost, which shows that the release did not come for free.
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

is(scalar(solvers($node)), 0, 'no solver is left');
$node->stop;
done_testing();
