# 024_spill.pl - rows that do not fit into memory: the temporary file exists only while the query
# runs, however the query ends; what others can see of the file does not depend on the rows; and
# the model is the same as without a file.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use DpobjTest;

my $node = dpobj_cluster('spill', 'dpobj.release_tick = 0', 'dpobj.max_failures = 100');

# 20,000 rows of 100 features take 8.5 MB.  The analyst's table has fewer columns.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE wide AS
  SELECT i AS id, array_agg(sin(i * j + j * j) ORDER BY j) AS features, hashint4(i) & 1 = 1 AS label
  FROM generate_series(1, 20000) i, generate_series(1, 100) j GROUP BY i;
UPDATE wide SET label = true WHERE features[1] > 0;
CREATE TABLE narrow AS
  SELECT i AS id, ARRAY[sin(i), sin(2 * i), cos(3 * i)] AS features, sin(i) + cos(5 * i) > 0.3 AS label
  FROM generate_series(1, 30000) i;
ALTER TABLE narrow SET (parallel_workers = 3);
CREATE TABLE patient AS
  SELECT sin(i) AS a, cos(3 * i) AS b, sin(i) + cos(5 * i) > 0.3 AS ill, i AS visit FROM generate_series(1, 30000) i;
CREATE TABLE many AS SELECT ARRAY[sin(i), cos(3 * i)] AS features, sin(i) + cos(5 * i) > 0.3 AS label
  FROM generate_series(1, 300000) i;
CREATE TABLE coded AS SELECT 'level' || i % 120 AS code, sin(i) AS a, i % 7 = 0 AS flag FROM generate_series(1, 30000) i;
CREATE TABLE flags AS SELECT i % 2 = 0 AS ill, i % 3 = 0 AS a, i % 5 = 0 AS b FROM generate_series(1, 30000) i;
CREATE TABLE stay AS
  SELECT i / 3 AS person, sin(i) AS a, cos(3 * i) AS b, sin(i) + cos(5 * i) > 0.3 AS ill, i AS visit FROM generate_series(1, 30000) i;
ANALYZE;
CREATE ROLE ana LOGIN;
SELECT dpobj.protect('coded', jsonb_build_object('a', '{"clip": [-1, 1]}'::jsonb, 'flag', '{}'::jsonb, 'code',
  jsonb_build_object('levels', (SELECT jsonb_agg(DISTINCT code) FROM coded))), n => 30000);
SELECT dpobj.set_budget('coded', 'ana', 100000, 0.01);
SELECT dpobj.protect('flags', '{"a": {}, "b": {}, "ill": {}}', n => 30000);
SELECT dpobj.set_budget('flags', 'ana', 100000, 0.01);
SELECT dpobj.protect('stay', '{"a": {"clip": [-1, 1]}, "b": {"clip": [-1, 1]}, "ill": {}, "visit": {"scale": 30000}}',
  n => 30000, person => 'person', max_rows_per_person => 2);
SELECT dpobj.set_budget('stay', 'ana', 100000, 0.01);
SELECT dpobj.protect('patient', '{"a": {"clip": [-1, 1]}, "b": {"clip": [-1, 1]}, "ill": {}, "visit": {"scale": 30000}}', n => 30000);
SELECT dpobj.set_budget('patient', 'ana', 100000, 0.01);
SQL

my @small = (q(SET work_mem = '64kB'), 'SET hash_mem_multiplier = 1', 'SET max_parallel_workers_per_gather = 0');
my @large = (q(SET work_mem = '1GB'), 'SET max_parallel_workers_per_gather = 0');
my @parallel = (
	'SET max_parallel_workers_per_gather = 3',
	'SET min_parallel_table_scan_size = 0',
	'SET parallel_setup_cost = 0',
	'SET parallel_tuple_cost = 0');
my $spent = { epsilon => 1, charged => 1, released => 1 };

sub logistic
{
	my ($table, %how) = @_;
	my $epsilon = $how{epsilon} // 1;
	my $what = $how{what} // 'release';
	my $options = $how{options} ? ", $how{options}" : '';
	return "SELECT (dp_logistic(features, label, $epsilon, 0, '{\"mechanism\": \"objective\"$options}')).$what FROM $table";
}

sub session_with
{
	my (@settings) = @_;
	my $session = session($node);
	$session->ask($_) for @settings;
	return $session;
}

# Ends a session and waits for its backend, which counts its temporary files when it exits.
sub quit_counted
{
	my ($session) = @_;
	$session->quit;
	wait_until(30, sub { !runs($session->pid) }) or die 'a backend does not exit';
	return;
}

sub temporary_files
{
	my @files = glob $node->data_dir . '/base/pgsql_tmp/*';
	return @files;
}

sub no_files
{
	my ($name) = @_;
	ok(wait_until(10, sub { !temporary_files() }), "$name: no temporary file is left");
	return;
}

# Private memory of a process, in kB.
sub private_memory
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/status" or return -1;
	my ($size) = map { /^RssAnon:\s+(\d+)/ } <$file>;
	return $size;
}

# A training on the wide table whose solver is stopped while it reads.
sub stopped_training
{
	my ($session, $statement) = @_;
	$session->send($statement);
	my $solver = solver_of($node, $session);
	kill 'STOP', $solver;
	return $solver;
}

# ---- where the rows are ----

spends(
	$node,
	'a training that spills',
	$spent,
	sub {
		my $session = session_with(@small);
		my $solver = stopped_training($session, logistic('wide'));
		my @files = temporary_files();
		is(scalar @files, 1, 'the rows are in one temporary file');
		cmp_ok(-s $files[0], '>=', 20000 * 101 * 4, 'of a size that holds them');
		cmp_ok(private_memory($session->pid), '<', 8000, 'and not in the backend');
		cmp_ok(private_memory($solver), '<', 6000, 'nor in the solver');
		kill 'CONT', $solver;
		like($session->result, qr/^\d+$/, 'it is answered');
		no_files('answered');
		quit_counted($session);
	});
spends(
	$node,
	'a training that does not',
	$spent,
	sub {
		my $session = session_with(@large);
		my $solver = stopped_training($session, logistic('wide'));
		is(scalar(temporary_files()), 0, 'there is no temporary file');
		cmp_ok(private_memory($session->pid), '>', 8000, 'the backend has the rows');
		kill 'CONT', $solver;
		like($session->result, qr/^\d+$/, 'it is answered');
		$session->quit;
	});

# What searches a grid has its rows from there too, and all distinct ones in memory.
spends(
	$node,
	'a halfspace whose rows spill',
	$spent,
	sub {
		my $session = session_with(@small);
		my $solver = stopped_training($session, 'SELECT (dp_halfspace(features, label, 1, 0)).release FROM many');
		my @files = temporary_files();
		is(scalar @files, 1, 'the rows are in one temporary file');
		cmp_ok(-s $files[0], '>=', 300000 * (2 * 4 + 16), 'of a size that holds them');
		cmp_ok(private_memory($session->pid), '<', 8000, 'and not in the backend');
		kill 'CONT', $solver;
		like($session->result, qr/^\d+$/, 'it is answered');
		no_files('halfspace');
		quit_counted($session);
	});

# ---- the model is the same ----

sub weights
{
	my (@settings) = @_;
	my $session = session_with(@settings);
	my $weights = $session->ask(logistic('narrow', epsilon => 10000, what => 'weights'));
	quit_counted($session);
	like($weights, qr/^\{[-0-9.,e]+\}$/, 'weights');
	return [ split /,/, $weights =~ tr/{}//dr ];
}

sub distance
{
	my ($a, $b) = @_;
	my $most = 0;
	return 1e9 if @$a != @$b;
	for my $j (0 .. $#$a)
	{
		my $difference = abs($a->[$j] - $b->[$j]);
		$most = $difference if $difference > $most;
	}
	return $most;
}

# With so much epsilon the noise is far below the third digit.
my $kept = weights(@large);
cmp_ok(abs($kept->[0]), '>', 1, 'there is something to compare');
cmp_ok(distance($kept, weights(@small)), '<', 1e-3, 'spilled');
cmp_ok(distance($kept, weights(@large, @parallel)), '<', 1e-3, 'where others run in parallel');
cmp_ok(distance($kept, weights(@small, @parallel)), '<', 1e-3, 'the same, spilled');
cmp_ok(distance($kept, weights(@small, 'SET dpobj.solver_threads = 3')), '<', 1e-3, 'with three threads');
{
	my $session = session_with(@parallel);
	unlike($session->ask('EXPLAIN ' . logistic('narrow')), qr/Partial Aggregate/, 'states are not combined');
	like(
		$session->ask('EXPLAIN SELECT dp_halfspace(features, label, 1, 0) FROM narrow'),
		qr/Partial Aggregate/, 'those of dp_halfspace are');
	unlike(
		$session->ask('EXPLAIN SELECT dp_simplex(features, features[1], 1, 0, \'{"n": 30000}\') FROM narrow'),
		qr/Partial Aggregate/, 'nor those of dp_simplex');
	$session->quit;
}

# ---- halfspaces: the rows that memory would have, and so the same optimum ----

# Without noise to speak of there is one, and the plan with partial states finds it too.
sub halfspace
{
	my ($mechanism, @settings) = @_;
	my $query = q(SELECT temp_files FROM pg_stat_database WHERE datname = 'postgres');
	my $before = scalar_of($node, $query);
	my $session = session_with(@settings);
	my $statement = "SELECT (dp_halfspace(features, label, 10000, 0, '{\"mechanism\": \"$mechanism\", "
	  . '"grid": "ternary"}\')).weights FROM narrow';
	my $plan = $session->ask("EXPLAIN $statement");
	my $weights = $session->ask($statement);
	quit_counted($session);
	wait_until(5, sub { scalar_of($node, $query) > $before }) if "@settings" =~ /64kB/;
	return ($weights, scalar_of($node, $query) - $before, $plan =~ /Partial Aggregate/ ? 'partial' : 'plain');
}

spends(
	$node,
	'halfspaces',
	{ epsilon => 10000 * 20, charged => 20, released => 20 },
	sub {
		for my $mechanism (qw(exponential permute_flip opdisc rspm sample_aggregate))
		{
			my ($kept, $files, $plan) = halfspace($mechanism, @large);
			like($kept, qr/^\{-?[01],-?[01],-?[01]\}$/, "$mechanism: weights");
			is("$files $plan", '0 plain', "$mechanism: in memory");
			my ($spilled, $spilled_files) = halfspace($mechanism, @small);
			is($spilled_files, 1, "$mechanism: in a file");
			my ($together, $together_files, $together_plan) = halfspace($mechanism, @large, @parallel);
			is("$together_files $together_plan", '0 partial', "$mechanism: states of workers");
			my ($shipped, $shipped_files, $shipped_plan) = halfspace($mechanism, @small, @parallel);
			cmp_ok($shipped_files, '>=', 2, "$mechanism: files of workers");
			is($shipped_plan, 'partial', "$mechanism: which the leader takes in");
			is("$spilled $together $shipped", "$kept $kept $kept", "$mechanism: the same model")
			  unless $mechanism eq 'sample_aggregate';
			no_files($mechanism);
		}
	});

# GROUP BY is refused in a worker too: its first group would wait for a leader that waits for its last.
spends(
	$node,
	'groups in parallel workers alone',
	{},
	sub {
		my $session = session_with(@small, @parallel, 'SET parallel_leader_participation = off', 'SET enable_hashagg = off',
			q(SET statement_timeout = '60s'));
		my $grouped = 'SELECT label, dp_halfspace(features, label, 1, 0) FROM many GROUP BY label';
		like($session->ask("EXPLAIN $grouped"), qr/Partial GroupAggregate/, 'workers form groups');
		refused('groups in workers', 'UB003', $session->ask($grouped));
		no_files('groups');
		$session->quit;
	});

# The leader may end at any moment, whatever its workers wait for.
spends(
	$node,
	'timeouts of parallel queries',
	{ epsilon => [ 0, 24 ], charged => [ 0, 24 ], released => [ 0, 24 ] },
	sub {
		my $session = session_with(@small, @parallel);
		for my $timeout (map { 4 * $_ } 1 .. 24)
		{
			$session->ask("SET statement_timeout = $timeout");
			like($session->ask("SELECT (dp_halfspace(features, label, 1, 0, '{\"grid\": \"ternary\"}')).release FROM narrow"),
				qr/^(?:\d+$|ERROR:  57014)/, "after $timeout ms");
		}
		no_files('timeouts');
		is(scalar_of($node, q(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker')),
			'0', 'no worker is left');
		$session->quit;
	});

# ---- every mechanism of convex models, and dp_simplex ----

# On the narrow table; what does not draw lots for rows has the same model from either place. The third
# number: how far the two may be apart, 0.01 if there is none.
my %streaming = (
	'sgd' => ['logistic', '"mechanism": "sgd", "iterations": 20'],
	'sgd, poisson' => ['svm', '"mechanism": "sgd", "iterations": 20, "sampling": "poisson", "n": 30000', 0.5],
	'sgd, fixed' => ['svm', '"mechanism": "sgd", "iterations": 20, "sampling": "fixed", "n": 30000', 0.5],
	'sgd, all of a batch' => ['logistic', '"mechanism": "sgd", "iterations": 20, "sampling": "fixed", "n": 30000, "batch": 30000'],
	'output' => ['svm', '"mechanism": "output", "regularization": 200'],
	'exponential' => ['logistic', '"mechanism": "exponential", "net": 3000'],
	'localized' => ['svm', '"mechanism": "localized", "net": 3000, "regularization": 200'],
	'opsamp' => ['logistic', '"mechanism": "opsamp", "n": 30000, "calls": 256'],
	# 429 draws, of which so many are of the rarer choices that two models differ by 0.008 in the mean square
	'simplex' => ['simplex', '"n": 30000', 0.06],
	'simplex, a part' => ['simplex', '"n": 20000', 0.5]);

# The weights, and whether a temporary file was made.
sub trained
{
	my ($method, $options, @settings) = @_;
	my $label = $method eq 'simplex' ? 'features[2]' : 'label';
	my $query = q(SELECT temp_files FROM pg_stat_database WHERE datname = 'postgres');
	my $before = scalar_of($node, $query);
	my $session = session_with(@settings);
	my $weights = $session->ask(
		"SELECT (dp_$method(features, $label, 10000.0, 1e-9, '{$options, \"intercept\": false}')).weights FROM narrow");
	quit_counted($session);
	like($weights, qr/^\{[-0-9.,e]+\}$/, "weights: $options");
	return ([ split /,/, $weights =~ tr/{}//dr ], scalar_of($node, $query) - $before);
}

spends(
	$node,
	'whatever streams',
	{ epsilon => 10000 * 2 * keys %streaming, charged => 2 * keys %streaming, released => 2 * keys %streaming },
	sub {
		for my $name (sort keys %streaming)
		{
			my ($method, $options, $tolerance) = @{ $streaming{$name} };
			my ($large, $large_files) = trained($method, $options, @large);
			my ($small, $small_files) = trained($method, $options, @small);
			is("$large_files $small_files", '0 1', "$name: only what does not fit goes to a file");
			cmp_ok(distance($large, $small), '<', $tolerance // 0.01, "$name: the same model");
		}
		no_files('all of them');
	});

# ---- limits ----

# The solver could not hold 8.5 MB of rows twice beside its libraries; so the option takes work_mem down.
spends(
	$node,
	'memory_limit',
	$spent,
	sub {
		my $session = session_with(@large, 'SET dpobj.solver_threads = 1');
		my $solver = stopped_training($session, logistic('wide', options => '"memory_limit": 48'));
		is(scalar(temporary_files()), 1, 'an eighth of it is for the rows');
		kill 'CONT', $solver;
		like($session->result, qr/^\d+$/, 'it is answered');
		$session->quit;
		no_files('memory_limit');
	});
spends(
	$node,
	'temp_file_limit at the owner\'s door',
	{},
	sub {
		my $session = session_with(@small, q(SET temp_file_limit = '2MB'));
		like(
			$session->ask(logistic('wide')),
			qr/^ERROR:  53400: temporary file size exceeds temp_file_limit \(2048kB\)\n[^\n]*$/,
			'is an error before the charge');
		no_files('temp_file_limit');
		$session->quit;
	});
spends(
	$node,
	'a savepoint',
	{ epsilon => 1, charged => 1, released => 1 },
	sub {
		my $session = session_with(@small, q(SET temp_file_limit = '2MB'), 'BEGIN', 'SAVEPOINT here');
		like($session->ask(logistic('wide')), qr/^ERROR:  53400/, 'an error');
		no_files('in an aborted subtransaction');
		$session->ask('ROLLBACK TO here');
		$session->ask('RESET temp_file_limit');
		like($session->ask(logistic('wide')), qr/^\d+$/, 'once more, in the same transaction');
		no_files('in a transaction');
		$session->ask('COMMIT');
		$session->quit;
	});
spends(
	$node,
	'a cursor',
	{ epsilon => 2, charged => 2, released => 2 },
	sub {
		my $session = session_with(@small, 'BEGIN');
		$session->ask('DECLARE c CURSOR FOR ' . logistic('narrow'));
		like($session->ask('FETCH 1 FROM c'), qr/^\d+$/, 'fetched');
		no_files('fetched');
		$session->ask('CLOSE c');
		no_files('closed');
		$session->ask('DECLARE c CURSOR WITH HOLD FOR ' . logistic('narrow'));
		is($session->ask('COMMIT'), '', 'held');
		no_files('held');
		like($session->ask('FETCH 1 FROM c'), qr/^\d+$/, 'fetched');
		$session->quit;
	});

# All that the backend has while it reads and while the solver runs, and what that may have.
spends(
	$node,
	'memory_limit of a halfspace',
	{ epsilon => 2, charged => 2, released => 2 },
	sub {
		my $statement = 'SELECT (dp_halfspace(features, label, 1, 0)).release FROM many';
		my %peak;
		for my $limit (0, 64)
		{
			my $session = session_with(@large, "SET dpobj.memory_limit = '${limit}MB'");
			$session->send($statement);
			$peak{$limit} = 0;
			my $solver;
			wait_until(
				30,
				sub {
					my $now = private_memory($session->pid);
					$peak{$limit} = $now if $now > $peak{$limit};
					($solver) = grep { $_ != $session->pid } map { $_->[0] } grep { $_->[1] == $session->pid } solvers_and_backends($node);
					return defined $solver;
				}) or die 'no solver was started';
			ok(wait_until(5, sub { slurp_file("/proc/$solver/limits") =~ /^Max address space\s+50331648 /m }),
				'the solver may have three quarters of the limit') if $limit == 64;
			like($session->result, qr/^\d+$/, 'it is answered');
			$session->quit;
		}
		cmp_ok($peak{0}, '>', 24 * 1024, 'without a limit');
		cmp_ok($peak{64}, '<', 16 * 1024, 'with one, a quarter of it in the backend');
	});

# ---- a full disk ----

# Larger than a segment of WAL, which a limit on the size of files must not touch.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE big AS SELECT sin(i) AS a, i % 2 = 0 AS ill FROM generate_series(1, 1000000) i;
VACUUM big;
SELECT dpobj.protect('big', '{"a": {"clip": [-1, 1]}, "ill": {}}', n => 1000000);
SELECT dpobj.set_budget('big', 'ana', 100, 0);
CHECKPOINT;
SQL
spends(
	$node,
	'no room for a file',
	{},
	sub {
		my %asked = (
			postgres => "SELECT dp_halfspace(ARRAY[a], ill, 1, 0, '{\"clip\": [-1, 1]}') FROM big",
			ana => q(SELECT dpobj.train('big', 'ill', 1)));
		for my $role (sort keys %asked)
		{
			my $session = session($node, user => $role);
			$session->ask($_) for @small;
			system_or_bail('prlimit', '--pid', $session->pid, '--fsize=17000000');
			like(
				$session->ask($asked{$role}),
				qr{^ERROR:  53100: could not write to temporary file "base/pgsql_tmp/pgsql_tmp\d+\.\d+": .*
DETAIL:  The file is in tablespace "pg_default" and was to have \d+ bytes\.
HINT:  Make room there, or set temp_tablespaces\.}, "$role: names the file and where it lies");
			no_files($role);
			$session->quit;
		}
	});

# ---- tablespaces ----

my $elsewhere = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', "CREATE TABLESPACE elsewhere LOCATION '$elsewhere'");
spends(
	$node,
	'temp_tablespaces',
	$spent,
	sub {
		my $session = session_with(@small, 'SET temp_tablespaces = elsewhere');
		my $solver = stopped_training($session, logistic('wide'));
		my @files = glob "$elsewhere/*/pgsql_tmp/*";
		is(scalar @files, 1, 'the file is there');
		is(scalar(temporary_files()), 0, 'and not where it usually is');
		kill 'CONT', $solver;
		like($session->result, qr/^\d+$/, 'it is answered');
		$session->quit;
		@files = glob "$elsewhere/*/pgsql_tmp/*";
		is(scalar @files, 0, 'the file is gone');
	});

# ---- ends ----

spends(
	$node,
	'a cancel during the solve',
	{ epsilon => 1, charged => 1 },
	sub {
		my $session = session_with(@small);
		my $solver = stopped_training($session, logistic('wide'));
		is(scalar(temporary_files()), 1, 'there is a file');
		scalar_of($node, 'SELECT pg_cancel_backend(' . $session->pid . ')');
		like($session->result, qr/^ERROR:  57014/, 'cancelled');
		no_files('cancelled');
		ok(wait_until(10, sub { !runs($solver) }), 'the solver is gone');
		$session->quit;
	});
spends(
	$node,
	'a client that goes away',
	{ epsilon => 1, charged => 1 },
	sub {
		my $session = session_with(@small, 'SET client_connection_check_interval = 100');
		my $solver = stopped_training($session, logistic('wide'));
		$session->kill_client;
		no_files('no client');
		ok(wait_until(10, sub { !runs($solver) }), 'the solver is gone');
	});
spends(
	$node,
	'a solver that dies',
	{ epsilon => 1, charged => 1, failed => 1 },
	sub {
		my $session = session_with(@small);
		my $solver = stopped_training($session, logistic('wide'));
		kill 'KILL', $solver;
		like($session->result, qr/^ERROR:  UB004/, 'nothing is released');
		no_files('solver killed');
		$session->quit;
	});
spends(
	$node,
	'a file that loses its rows',
	{ epsilon => 1, charged => 1, failed => 1 },
	sub {
		my $session = session_with(@small);
		my $solver = stopped_training($session, logistic('wide'));
		truncate((temporary_files())[0], 1000) or die "truncate: $!";
		kill 'CONT', $solver;
		like($session->result, qr/^ERROR:  UB004/, 'nothing is released');
		no_files('truncated');
		$session->quit;
	});
spends(
	$node,
	'kill -9 of the backend',
	{ epsilon => 1, charged => 1 },
	sub {
		my $session = session_with(@small);
		my $solver = stopped_training($session, logistic('wide'));
		kill 'KILL', $session->pid;
		ok(wait_until(10, sub { !runs($solver) }), 'the solver is gone');
		$session->quit;
		ok(wait_for_server($node), 'the server is back');
		no_files('backend killed');
	});
spends(
	$node,
	'kill -9 of the server',
	{ epsilon => 1, charged => 1 },
	sub {
		my $session = session_with(@small);
		my $solver = stopped_training($session, logistic('wide'));
		my @server = ($node->{_pid}, children($node->{_pid}));
		is(scalar(temporary_files()), 1, 'there is a file');
		$node->kill9;
		ok(wait_until(20, sub { !runs($solver) && !grep { runs($_) } @server }), 'nobody is left');
		$session->quit;

		# A postmaster that nobody has reaped yet looks alive to its successor.
		unless (wait_until(5, sub { !-e "/proc/$server[0]" }))
		{
			unlink $node->data_dir . '/postmaster.pid',
			  $node->host . '/.s.PGSQL.' . $node->port . '.lock';
		}
		$node->start;
		no_files('server restarted');
	});

# ---- the analyst's door ----

sub ask_for
{
	my ($filter, %how) = @_;
	my $label = $how{label} // 'ill';
	my $method = $how{method} // 'logistic';
	my $table = $how{table} // 'patient';
	my $features = $how{features} // 'a,b';
	my $delta = $how{delta} // 0;
	my $options = $how{options} // '{"mechanism": "objective", "intercept": false}';
	return "SELECT release FROM dpobj.train('$table', '$label', 1, features => '{$features}', method => '$method',"
	  . " delta => $delta, options => '$options', filter => '$filter')";
}

# Bytes of the temporary files that a statement of an analyst has used, as everybody can see them.
sub public_size
{
	my ($statement, $expected) = @_;
	my $query = q(SELECT temp_bytes FROM pg_stat_database WHERE datname = 'postgres');
	my $before = scalar_of($node, $query);
	my $session = session($node, user => 'ana');
	$session->ask($_) for @small;
	like($session->ask($statement), $expected, 'the answer');
	$session->quit;
	ok(wait_until(10, sub { scalar_of($node, $query) != $before }), 'counted');
	no_files('analyst');
	return scalar_of($node, $query) - $before;
}

spends(
	$node,
	'what shows of a file',
	{ epsilon => 3, charged => 3, released => 3 },
	sub {
		my $all = public_size(ask_for('{}'), qr/^\d+$/);
		cmp_ok($all, '>=', 30000 * (2 * 4 + 16), 'all rows');
		cmp_ok($all, '<', 30000 * 32, 'not many more: two numbers take 16 bytes of each');
		is(public_size(ask_for('{"visit": {"<": 100}}'), qr/^\d+$/), $all, 'a hundred rows look the same');
		is(public_size(ask_for('{"visit": {"<": 0}}'), qr/^\d+$/), $all, 'none do');
	});
spends(
	$node,
	'what shows of a file for other mechanisms',
	{ epsilon => 10, charged => 10, released => 10 },
	sub {
		# A target is one number more in each row.
		my %asked = (
			sgd => { delta => 1e-6, options => '{"mechanism": "sgd", "sampling": "fixed"}' },
			net => { options => '{"mechanism": "exponential", "net": 100}' },
			halfspace => { method => 'halfspace', options => '{"mechanism": "exponential", "grid": "ternary"}' },
			persons => { table => 'stay' },
			simplex => { method => 'simplex', label => 'visit', options => '{}' });
		for my $name (sort keys %asked)
		{
			my $all = public_size(ask_for('{}', %{ $asked{$name} }), qr/^\d+$/);
			cmp_ok($all, '>=', 30000 * (2 * 4 + 16), "$name: all rows");
			is(public_size(ask_for('{"visit": {"<": 0}}', %{ $asked{$name} }), qr/^\d+$/),
				$all, "$name: none look the same");
		}
	});
spends(
	$node,
	'as large as the columns can be',
	{ epsilon => 2, charged => 2, released => 2 },
	sub {
		# One of 120 levels takes a bit for each, in the table 8 bytes.
		my $size = public_size(
			ask_for('{}', table => 'coded', label => 'flag', features => 'code,a', options => '{"mechanism": "objective"}'), qr/^\d+$/);
		cmp_ok($size, '>=', 30000 * (16 + 4 + 16), 'room for all rows');
		cmp_ok($size, '<', scalar_of($node, q(SELECT pg_relation_size('coded'))), 'and no more than the table has');

		# Two flags make four rows, however many there are.
		my $query = q(SELECT temp_files FROM pg_stat_database WHERE datname = 'postgres');
		my $before = scalar_of($node, $query);
		my $session = session($node, user => 'ana');
		$session->ask($_) for @small;
		like($session->ask(ask_for('{}', table => 'flags')), qr/^\d+$/, 'rows that are few by their columns');
		quit_counted($session);
		is(scalar_of($node, $query), $before, 'need no file');
	});
spends(
	$node,
	'temp_file_limit at the analyst\'s door',
	{},
	sub {
		# Whether there is room must not depend on how many rows are written, if any.
		$node->safe_psql('postgres', q(ALTER ROLE ana SET temp_file_limit = '100kB'));
		my $session = session($node, user => 'ana');
		$session->ask($_) for @small;
		for my $filter ('{}', '{"visit": {"<": 100}}', '{"visit": {"<": 0}}')
		{
			like(
				$session->ask(ask_for($filter)),
				qr/^ERROR:  53400: temporary file size exceeds temp_file_limit \(100kB\)\n[^\n]*$/,
				"is an error before the charge: $filter");
		}
		no_files('analyst');
		$session->quit;
		$node->safe_psql('postgres', 'ALTER ROLE ana RESET temp_file_limit');
	});
spends(
	$node,
	'a limit that is not reached',
	{ epsilon => 2, charged => 2, released => 2 },
	sub {
		my $session = session($node, user => 'ana');
		my $statement = ask_for('{}') =~ s/release/guarantee/r;
		is($session->ask($statement), 'exact', 'without one');
		$session->quit;
		$node->safe_psql('postgres', q(ALTER ROLE ana SET temp_file_limit = '100MB'));
		$session = session($node, user => 'ana');
		$session->ask($_) for @small;
		is($session->ask($statement), 'exact', 'cannot be reached after the charge');
		$session->quit;
	});

# ---- when a file goes ----

# Anybody can see the size of a tablespace: that of a file must not tell when the solver has ended.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE ward AS SELECT i % 2 = 0 AS wing, sin(i) AS a, sin(i) + cos(5 * i) > 0.3 AS ill FROM generate_series(1, 30000) i;
SELECT dpobj.protect('ward', '{"wing": {}, "a": {"clip": [-1, 1]}, "ill": {}}', n => 30000);
SELECT dpobj.set_budget('ward', 'ana', 100000, 0.01);
CREATE FUNCTION lent() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS $$SELECT (dp_logistic(features, label, 1, 0, '{"mechanism": "objective"}')).release FROM narrow$$;
CREATE FUNCTION lent_groups() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS $$SELECT (((dp_groups((id % 2)::text, features, label, 1, 0,
    '{"method": "logistic", "mechanism": "objective", "dimension": 3, "keys": ["0", "1"]}'))[1]).model).release FROM narrow$$;
SELECT dpobj.grant_trainer('ana');
LOAD 'dpobj';
ALTER ROLE ana SET dpobj.release_tick = 4000;
ALTER DATABASE postgres SET work_mem = '64kB';
ALTER DATABASE postgres SET hash_mem_multiplier = 1;
ALTER DATABASE postgres SET max_parallel_workers_per_gather = 0;
SQL
my %stays = (
	'a training' => ask_for('{}'),
	'groups' => q(SELECT min((model).release) FROM dpobj.train_groups('ward', 'ill', 1, features => '{a}', method => 'logistic', by => '{wing}')),
	'a job' => q(SELECT dpobj.wait((SELECT max(id) FROM dpobj.jobs))),
	"the owner's door" => 'SELECT lent()',
	"groups at the owner's door" => 'SELECT lent_groups()');
my $patient = session($node, user => 'ana');
for my $name (sort keys %stays)
{
	$patient->ask(q(SELECT dpobj.submit('patient', 'ill', 1, features => '{a,b}', method => 'logistic', name => 'in the file'))) if $name eq 'a job';
	$patient->send($stays{$name});
	ok(wait_until(3, sub { temporary_files() }), "$name has a file");
	sleep(3);
	isnt(scalar(temporary_files()), 0, '... and keeps it until the tick');
	like($patient->result, qr/^(?:\d+|released)$/m, '... that brings the answer');
	no_files($name);
}
$patient->quit;

unlike(slurp_file($node->logfile), qr/file leak|file reference leak/, 'no file was forgotten');
is(scalar(solvers($node)), 0, 'no solver is left');
$node->stop;
done_testing();
