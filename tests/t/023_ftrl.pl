# 023_ftrl.pl - a run of dp_ftrl is one charge, whatever happens to the statement: it is committed
# before the first choice is drawn, and its end before the first choice is returned.

use DpobjTest;

my $node = dpobj_cluster('ftrl');
my $control = session($node);
my $once = { epsilon => 0.5, charged => 1, released => 1 };

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE step AS
  SELECT i AS t, (i % 10)::float8 / 10 AS a, (i % 7)::float8 / 7 AS b FROM generate_series(1, 200) i;
-- its run takes ten seconds or more
CREATE TABLE long_step AS SELECT i AS t, 0.5::float8 AS a FROM generate_series(1, 150000) i;
CREATE TABLE broken_step AS SELECT i AS t, CASE WHEN i = 150 THEN 0 ELSE 1 END::float8 AS a FROM generate_series(1, 200) i;
SQL

my $run = q(SELECT dp_ftrl(ARRAY[a, b], 0.5, 0, '{"n": 200}') OVER (ORDER BY t) FROM step);
my $long = <<'SQL';
SELECT count(c) FROM (SELECT dp_ftrl(array_fill(a, ARRAY[100]), 0.5, 1e-6,
  '{"n": 150000, "dimension": 100, "noise": "gaussian"}') OVER (ORDER BY t) AS c FROM long_step) s
SQL

sub run { return in_session($node, undef, @_); }

# ---- one charge ----

spends($node, 'a run', $once,
	sub { is(scalar(split /\n/, run($run)), 200, 'the run has a choice for each row') });
for my $case (
	[ 'a run that is rolled back', 'BEGIN', $run, 'ROLLBACK' ],
	[ 'a subtransaction that is rolled back', 'BEGIN', 'SAVEPOINT here', $run, 'ROLLBACK TO here', 'COMMIT' ],
	[ 'LIMIT above the run', "$run LIMIT 3" ],
	[ 'an exception that is caught',
		"DO \$\$ BEGIN PERFORM 1 / (c - c) FROM ($run) s(c); EXCEPTION WHEN division_by_zero THEN NULL; END \$\$" ])
{
	my ($name, @statements) = @$case;
	spends($node, $name, $once, sub { run(@statements) });
}
spends($node, 'one row of a cursor', $once, sub {
	my $text = run('BEGIN', "DECLARE c CURSOR FOR $run", 'FETCH 1 FROM c', 'ROLLBACK');
	like($text, qr/^[12]$/m, 'the cursor returns the first choice');
});
spends($node, 'a cursor in all directions', $once, sub {
	my $text = run('BEGIN', "DECLARE c SCROLL CURSOR WITH HOLD FOR $run", 'FETCH 5 FROM c',
		'COMMIT', 'FETCH BACKWARD 4 FROM c', 'FETCH ALL FROM c', 'CLOSE c');
	my @choices = $text =~ /^([12])$/mg;
	is(scalar @choices, 208, 'the cursor returns all choices');
	is("@choices[0 .. 3]", join(' ', reverse @choices[5 .. 8]), 'rows that are read again have the same choices');
});
spends($node, 'an error above the run', $once,
	sub { like(run("SELECT 1 / (c - c) FROM ($run) s(c)"), qr/22012/, 'the error is raised') });
spends($node, 'a prepared statement, twice', { epsilon => 1, charged => 2, released => 2 }, sub {
	(my $with_parameter = $run) =~ s/0\.5, 0/\$1, 0/;
	run('PREPARE p(numeric) AS ' . $with_parameter, 'EXECUTE p(0.5)', 'EXECUTE p(0.5)');
});
spends($node, 'two runs of one statement', { epsilon => 1, charged => 2, released => 2 },
	sub { run("$run UNION ALL $run") });

# ---- no charge ----

# The plan decides whether the division or the charge comes first. Nothing is released.
spends($node, 'an error of a row', { epsilon => [ 0, 0.5 ], charged => [ 0, 1 ] }, sub {
	my $text = run(q(SELECT dp_ftrl(ARRAY[1 / a, a], 0.5, 0, '{"n": 200}') OVER (ORDER BY t) FROM broken_step));
	like($text, qr/22012/, 'the error is raised');
	unlike($text, qr/^[12]$/m, 'no choice is shown');
});
spends($node, 'a read-only transaction', {},
	sub { like(run('BEGIN READ ONLY', $run), qr/25006/, 'the run is refused') });
spends($node, 'EXPLAIN', {}, sub { run("EXPLAIN $run") });
spends($node, 'EXPLAIN ANALYZE', {},
	sub { like(run("EXPLAIN ANALYZE $run"), qr/UB003/, 'EXPLAIN ANALYZE is refused') });
spends($node, 'LIMIT 0', {}, sub { run("$run LIMIT 0") });

# ---- a charge without an end ----

sub charges
{
	my ($count) = @_;
	my $table = q(SELECT count(*) FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.long_step');
	return wait_until(30, sub { scalar_of($node, $table) == $count });
}

my $charged = { epsilon => 0.5, charged => 1 };
spends($node, 'a run that is cancelled', $charged, sub {
	my $session = session($node);
	my $pid = $session->pid;
	$session->send($long);
	ok(charges(1), 'the charge is there while choices are drawn');
	my $began = time;
	$control->ask("SELECT pg_cancel_backend($pid)");
	like($session->result, qr/57014/, 'the run is cancelled');
	cmp_ok(time - $began, '<', 5, 'the cancel takes effect at once');
});
spends($node, 'a run whose backend is terminated', $charged, sub {
	my $session = session($node);
	my $pid = $session->pid;
	$session->send($long);
	ok(charges(2), 'the run is charged');
	$control->ask("SELECT pg_terminate_backend($pid)");
	unlike($session->result, qr/^150000$/m, 'the run is not answered');
});
spends($node, 'statement_timeout', $charged, sub {
	like(run("SET statement_timeout = '2s'", $long), qr/57014/, 'the timeout stops the run');
});

# ---- learning ----

# Costs of 0 for the second choice and of 1 for the first, at a large epsilon.
spends($node, 'a run that learns', { epsilon => 100, charged => 1, released => 1 }, sub {
	my $right = scalar_of($node, <<'SQL');
SELECT count(*) FROM (SELECT dp_ftrl(ARRAY[1, 0]::float8[], 100, 0, '{"n": 200, "dimension": 2}') OVER (ORDER BY t) AS c
                      FROM step) s WHERE c = 2
SQL
	cmp_ok($right, '>', 150, "$right of 200 choices are right");
});

# A row's costs do not enter the row's own choice: the first choice is fair, and within 5.6 deviations of 60.
# With its own costs it would be the second one about 110 times.
spends($node, 'first choices', { epsilon => 100 * 120, charged => 120, released => 120 }, sub {
	my $second = 0;
	for (1 .. 120)
	{
		$second += $control->ask(<<'SQL') - 1;
SELECT dp_ftrl(ARRAY[1, 0]::float8[], 100, 0, '{"n": 1, "dimension": 2}') OVER (ORDER BY t) FROM step WHERE t = 1
SQL
	}
	ok(29 <= $second && $second <= 91, "the second choice is drawn $second times of 120");
});

$control->quit;
finish($node);
