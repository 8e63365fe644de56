# 024_spill.pl - rows that do not fit into memory: the temporary file exists only while the query
# runs, however the query ends; what others can see of the file does not depend on the rows; and
# the model is the same as without a file.

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
SELECT dpobj.set_budget('stay', role, 100000, 0.01) FROM unnest('{ana,postgres}'::regrole[]) role;
SELECT dpobj.protect('patient', '{"a": {"clip": [-1, 1]}, "b": {"clip": [-1, 1]}, "ill": {}, "visit": {"scale": 30000}}', n => 30000);
SELECT dpobj.set_budget('patient', 'ana', 100000, 0.01);
SQL

my @small = (q(SET work_mem = '64kB'), 'SET hash_mem_multiplier = 1', 'SET max_parallel_workers_per_gather = 0');
my @large = (q(SET work_mem = '1GB'), 'SET max_parallel_workers_per_gather = 0');
my @parallel = parallel(3);
my $spent = { epsilon => 1, charged => 1, released => 1 };

sub logistic
{
	my ($table, %how) = @_;
	my $epsilon = $how{epsilon} // 1;
	my $what = $how{what} // 'release';
	my $options = $how{options} ? ", $how{options}" : '';
	return "SELECT (dp_logistic(features, label, $epsilon, 0, '{\"mechanism\": \"objective\"$options}')).$what FROM $table";
}

sub session_with { return session($node, set => [@_]); }

# An analyst's session whose rows do not fit into memory. Noisy counts of usable rows may warn where few rows are left.
sub analyst { return session($node, user => 'ana', set => [ @small, 'SET client_min_messages = error' ]); }

# Ends a session and waits for the exit of its backend, which counts its temporary files then.
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

# A line of a process's status, in kB.
sub memory
{
	my ($pid, $line) = @_;
	my ($size) = slurp_file("/proc/$pid/status") =~ /^$line:\s+(\d+)/m;
	return $size;
}
sub private_memory { return memory($_[0], 'RssAnon'); }
sub most_memory { return memory($_[0], 'VmHWM'); }

# Sends a training, stops its solver while it reads, and calls the block with session and solver.
sub while_reading
{
	my ($settings, $statement, $block) = @_;
	my $session = session($node, set => $settings);
	$session->send($statement);
	my $solver = solver_of($node, $session);
	kill 'STOP', $solver;
	$block->($session, $solver);
	return;
}

# Lets the solver go on, and looks at the answer.
sub goes_on
{
	my ($name, $session, $solver) = @_;
	kill 'CONT', $solver;
	is_answered($session->result, "$name: the training is answered");
	no_files($name);
	quit_counted($session);
	return;
}

# ---- where the rows are ----

spends($node, 'a training that spills', $spent, sub {
	while_reading(\@small, logistic('wide'), sub {
		my ($session, $solver) = @_;
		my @files = temporary_files();
		is(scalar @files, 1, 'the rows are in one temporary file');
		cmp_ok(-s $files[0], '>=', 20000 * 101 * 4, 'the file has the size of all rows');
		cmp_ok(private_memory($session->pid), '<', 8000, 'the backend does not have the rows in memory');
		cmp_ok(private_memory($solver), '<', 6000, 'the solver does not have the rows in memory');
		goes_on('a training that spills', $session, $solver);
	});
});
spends($node, 'a training that does not spill', $spent, sub {
	while_reading(\@large, logistic('wide'), sub {
		my ($session, $solver) = @_;
		is(scalar(temporary_files()), 0, 'there is no temporary file');
		cmp_ok(private_memory($session->pid), '>', 8000, 'the backend has the rows in memory');
		goes_on('a training in memory', $session, $solver);
	});
});

# A mechanism that searches a grid reads its rows from the file, too, and keeps all distinct ones in memory.
spends($node, 'a halfspace whose rows spill', $spent, sub {
	while_reading(\@small, 'SELECT (dp_halfspace(features, label, 1, 0)).release FROM many', sub {
		my ($session, $solver) = @_;
		my @files = temporary_files();
		is(scalar @files, 1, 'the rows of a halfspace are in one temporary file');
		cmp_ok(-s $files[0], '>=', 300000 * (2 * 4 + 16), 'the file has the size of all rows of the halfspace');
		cmp_ok(private_memory($session->pid), '<', 8000, 'the backend does not have the rows of the halfspace');
		goes_on('a halfspace', $session, $solver);
	});
});

# ---- the model is the same ----

sub weights
{
	my (@settings) = @_;
	my $session = session_with(@settings);
	my $weights = $session->ask(logistic('narrow', epsilon => 10000, what => 'weights'));
	quit_counted($session);
	like($weights, qr/^\{[-0-9.,e]+\}$/, 'the training returns weights');
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
cmp_ok(abs($kept->[0]), '>', 1, 'the weights are not all near 0');
cmp_ok(distance($kept, weights(@small)), '<', 1e-3, 'the model is the same from a file');
cmp_ok(distance($kept, weights(@large, @parallel)), '<', 1e-3, 'the model is the same with settings for parallel plans');
cmp_ok(distance($kept, weights(@small, @parallel)), '<', 1e-3, 'the model is the same with both');
cmp_ok(distance($kept, weights(@small, 'SET dpobj.solver_threads = 3')), '<', 1e-3, 'the model is the same with three threads');
{
	my $session = session_with(@parallel);
	for my $call ('dp_logistic(features, label, 1, 0)', 'dp_halfspace(features, label, 1, 0)', 'dp_simplex(features, features[1], 1, 0, \'{"n": 30000}\')')
	{
		like($session->ask("EXPLAIN SELECT $call FROM narrow"), qr/Partial Aggregate/, "states of $call are combined");
	}
}

# ---- halfspaces: the rows that memory would have, and so the same optimum ----

# With so large an epsilon there is one optimum, and the plan with partial states finds it, too.
sub halfspace
{
	my ($mechanism, @settings) = @_;
	my $query = q(SELECT temp_files FROM pg_stat_database WHERE datname = 'postgres');
	my $before = scalar_of($node, $query);
	my $session = session_with(@settings, 'SET client_min_messages = warning');
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
			is("$files $plan", '0 plain', "$mechanism: no file with much memory");
			my ($spilled, $spilled_files) = halfspace($mechanism, @small);
			is($spilled_files, 1, "$mechanism: one file with little memory");
			my ($together, $together_files, $together_plan) = halfspace($mechanism, @large, @parallel);
			is("$together_files $together_plan", '0 partial', "$mechanism: no file for states of workers");
			my ($shipped, $shipped_files, $shipped_plan) = halfspace($mechanism, @small, @parallel);
			cmp_ok($shipped_files, '>=', 2, "$mechanism: files for states of workers");
			is($shipped_plan, 'partial', "$mechanism: the leader combines the states");
			is("$spilled $together $shipped", "$kept $kept $kept", "$mechanism: the same model")
			  unless $mechanism eq 'sample_aggregate';
			no_files($mechanism);
		}
	});

# GROUP BY is refused in a worker, too: its first group would wait for a leader that waits for its last group.
spends(
	$node,
	'groups in parallel workers alone',
	{},
	sub {
		my $session = session_with(@small, @parallel, 'SET parallel_leader_participation = off', 'SET enable_hashagg = off',
			q(SET statement_timeout = '60s'));
		my $grouped = 'SELECT label, dp_halfspace(features, label, 1, 0) FROM many GROUP BY label';
		like($session->ask("EXPLAIN $grouped"), qr/Partial GroupAggregate/, 'the plan forms groups in workers');
		refused('groups in workers', 'UB003', $session->ask($grouped));
		no_files('groups');
	});

# The leader may end at any moment, also while its workers wait.
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
				qr/^(?:\d+$|ERROR:  57014)/, "a timeout of $timeout ms ends in an answer or its error");
		}
		no_files('timeouts');
		is(scalar_of($node, q(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker')),
			'0', 'no parallel worker is left');
	});

# ---- every mechanism of convex models, and dp_simplex ----

# On the narrow table: method, options, and how far the models from memory and from a file may be apart,
# 0.01 unless it is given. Mechanisms that sample rows differ more.
my %streaming = (
	'sgd' => ['logistic', '"mechanism": "sgd", "iterations": 20'],
	'sgd, poisson' => ['svm', '"mechanism": "sgd", "iterations": 20, "sampling": "poisson", "n": 30000', 0.5],
	'sgd, fixed' => ['svm', '"mechanism": "sgd", "iterations": 20, "sampling": "fixed", "n": 30000', 0.5],
	'sgd, all of a batch' => ['logistic', '"mechanism": "sgd", "iterations": 20, "sampling": "fixed", "n": 30000, "batch": 30000'],
	'output' => ['svm', '"mechanism": "output", "regularization": 200'],
	'exponential' => ['logistic', '"mechanism": "exponential", "net": 3000'],
	'localized' => ['svm', '"mechanism": "localized", "net": 3000, "regularization": 200'],
	'opsamp' => ['logistic', '"mechanism": "opsamp", "n": 30000, "calls": 256'],
	'linear' => ['linear', '"n": 30000'],
	# 429 draws, of which so many are of the rarer choices that two models differ by 0.008 in the mean square
	'simplex' => ['simplex', '"n": 30000', 0.06],
	'simplex, a part' => ['simplex', '"n": 20000', 0.5]);

# The weights, and whether a temporary file was made.
sub trained
{
	my ($method, $options, @settings) = @_;
	my $label = $method =~ /^(simplex|linear)$/ ? 'features[2]' : 'label';
	my $query = q(SELECT temp_files FROM pg_stat_database WHERE datname = 'postgres');
	my $before = scalar_of($node, $query);
	my $session = session_with(@settings);
	my $weights = $session->ask(
		"SELECT (dp_$method(features, $label, 10000.0, 1e-9, '{$options, \"intercept\": false}')).weights FROM narrow");
	quit_counted($session);
	like($weights, qr/^\{[-0-9.,e]+\}$/, "$method with $options returns weights");
	return ([ split /,/, $weights =~ tr/{}//dr ], scalar_of($node, $query) - $before);
}

spends(
	$node,
	'all mechanisms that read a file',
	{ epsilon => 10000 * 3 * keys %streaming, charged => 3 * keys %streaming, released => 3 * keys %streaming },
	sub {
		for my $name (sort keys %streaming)
		{
			my ($method, $options, $tolerance) = @{ $streaming{$name} };
			my ($large, $large_files) = trained($method, $options, @large);
			my ($small, $small_files) = trained($method, $options, @small);
			is("$large_files $small_files", '0 1', "$name: a file only with little memory");
			cmp_ok(distance($large, $small), '<', $tolerance // 0.01, "$name: the same model");
			my ($shipped, $shipped_files) = trained($method, $options, @small, @parallel);
			cmp_ok($shipped_files, '>=', 2, "$name: files for states of workers");
			cmp_ok(distance($large, $shipped), '<', $tolerance // 0.01, "$name: the same model from them");
		}
		no_files('all of them');
	});

# ---- limits ----

# The solver has no room for 8.5 MB of rows beside its libraries, so the option lowers work_mem.
spends(
	$node,
	'memory_limit',
	$spent,
	sub {
		while_reading([ @large, 'SET dpobj.solver_threads = 1' ], logistic('wide', options => '"memory_limit": 48'), sub {
			is(scalar(temporary_files()), 1, 'rows of more than an eighth of the limit are in a file');
			goes_on('memory_limit', @_);
		});
	});
spends(
	$node,
	'temp_file_limit at the owner\'s door',
	{},
	sub {
		my $session = session_with(@small, q(SET temp_file_limit = '2MB'));
		like(
			$session->ask(logistic('wide')),
			qr/^ERROR:  53400: temporary file size exceeds "?temp_file_limit"? \(2048kB\)\n[^\n]*$/,
			'the limit is an error before the charge');
		no_files('temp_file_limit');
	});
spends(
	$node,
	'a savepoint',
	{ epsilon => 1, charged => 1, released => 1 },
	sub {
		my $session = session_with(@small, q(SET temp_file_limit = '2MB'), 'BEGIN', 'SAVEPOINT here');
		like($session->ask(logistic('wide')), qr/^ERROR:  53400/, 'the limit is an error in a subtransaction');
		no_files('in an aborted subtransaction');
		$session->ask('ROLLBACK TO here');
		$session->ask('RESET temp_file_limit');
		is_answered($session->ask(logistic('wide')), 'the same transaction trains without the limit');
		no_files('in a transaction');
		$session->ask('COMMIT');
	});
spends(
	$node,
	'a cursor',
	{ epsilon => 2, charged => 2, released => 2 },
	sub {
		my $session = session_with(@small, 'BEGIN');
		$session->ask('DECLARE c CURSOR FOR ' . logistic('narrow'));
		is_answered($session->ask('FETCH 1 FROM c'), 'the cursor returns a release');
		no_files('cursor fetched');
		$session->ask('CLOSE c');
		no_files('cursor closed');
		$session->ask('DECLARE c CURSOR WITH HOLD FOR ' . logistic('narrow'));
		is($session->ask('COMMIT'), '', 'a cursor is held over COMMIT');
		no_files('cursor held');
		is_answered($session->ask('FETCH 1 FROM c'), 'the cursor returns a release');
	});

# The most memory of the backend, and the limit of the solver.
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
			my $before = most_memory($session->pid);
			$session->send($statement);
			my $solver = solver_of($node, $session);
			ok(wait_until(5, sub { slurp_file("/proc/$solver/limits") =~ /^Max address space\s+50331648 /m }),
				'the solver may have three quarters of the limit') if $limit == 64;
			is_answered($session->result, "the training is answered, memory_limit $limit");
			$peak{$limit} = most_memory($session->pid) - $before;
		}
		diag("memory_limit of a halfspace: $peak{0} kB without a limit, $peak{64} kB with 64 MB");
		cmp_ok($peak{0}, '>', 24 * 1024, 'without a limit the backend has the rows in memory');
		cmp_ok($peak{64}, '<', 16 * 1024, 'with a limit the backend uses at most a quarter of it');
	});

# ---- a full disk ----

# Larger than a WAL segment, so that the limit on the size of files does not stop WAL.
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
			my $session = session($node, user => $role, set => \@small);
			system_or_bail('prlimit', '--pid', $session->pid, '--fsize=17000000');
			like(
				$session->ask($asked{$role}),
				qr{^ERROR:  53100: could not write to temporary file "base/pgsql_tmp/pgsql_tmp\d+\.\d+": .*
DETAIL:  The file is in tablespace "pg_default" and was to have \d+ bytes\.
HINT:  Make room there, or set temp_tablespaces\.}, "$role: the error names the file and its tablespace");
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
		while_reading([ @small, 'SET temp_tablespaces = elsewhere' ], logistic('wide'), sub {
			my @files = glob "$elsewhere/*/pgsql_tmp/*";
			is(scalar @files, 1, 'the file is in that tablespace');
			is(scalar(temporary_files()), 0, 'the file is not in the default tablespace');
			goes_on('temp_tablespaces', @_);
			@files = glob "$elsewhere/*/pgsql_tmp/*";
			is(scalar @files, 0, 'the file is removed');
		});
	});

# ---- ends ----

# While a solver reads from the temporary file: what ends it, what it costs and what the session is told.
for my $case (
	[ 'a cancel during the solve', { epsilon => 1, charged => 1 }, qr/^ERROR:  57014/,
		sub { scalar_of($node, 'SELECT pg_cancel_backend(' . $_[0]->pid . ')') } ],
	[ 'a client that goes away', { epsilon => 1, charged => 1 }, undef, sub { $_[0]->kill_client } ],
	[ 'a solver that dies', { epsilon => 1, charged => 1, failed => 1 }, qr/^ERROR:  UB004/, sub { kill 'KILL', $_[1] } ],
	[ 'a file that loses its rows', { epsilon => 1, charged => 1, failed => 1 }, qr/^ERROR:  UB004/, sub {
		truncate((temporary_files())[0], 1000) or die "truncate: $!";
		kill 'CONT', $_[1];
	} ],
	[ 'kill -9 of the backend', { epsilon => 1, charged => 1 }, undef, sub { kill 'KILL', $_[0]->pid } ],
	[ 'kill -9 of the server', { epsilon => 1, charged => 1 }, undef, sub { kill_server($node) } ])
{
	my ($name, $cost, $message, $end) = @$case;
	spends($node, $name, $cost, sub {
		while_reading([ @small, 'SET client_connection_check_interval = 100' ], logistic('wide'), sub {
			my ($session, $solver) = @_;
			is(scalar(temporary_files()), 1, "$name: there is a file");
			$end->($session, $solver);
			like($session->result, $message, "$name: the error") if $message;
			ok(wait_until(10, sub { !runs($solver) }), "$name: the solver has ended");
			$session->quit;
			ok(wait_for_server($node), "$name: the server is there");
			no_files($name);
		});
	});
}

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

# Bytes of the temporary files of an analyst's statement, which everybody can see.
sub public_size
{
	my ($statement, $expected) = @_;
	my $query = q(SELECT temp_bytes FROM pg_stat_database WHERE datname = 'postgres');
	my $before = scalar_of($node, $query);
	my $session = analyst();
	like($session->ask($statement), $expected, 'the analyst\'s call is answered');
	$session->quit;
	ok(wait_until(10, sub { scalar_of($node, $query) != $before }), 'the size of the temporary file is counted');
	no_files('analyst');
	return scalar_of($node, $query) - $before;
}

spends(
	$node,
	'what shows of a file',
	{ epsilon => 3, charged => 3, released => 3, failed => 2 }, # the ends of the two that were killed
	sub {
		my $all = public_size(ask_for('{}'), qr/^\d+$/);
		cmp_ok($all, '>=', 30000 * (2 * 4 + 16), 'the file has room for all rows');
		cmp_ok($all, '<', 30000 * 32, 'the file is at most as large as the columns');
		is(public_size(ask_for('{"visit": {"<": 100}}'), qr/^\d+$/), $all, 'with a hundred rows the file has the same size');
		is(public_size(ask_for('{"visit": {"<": 0}}'), qr/^\d+$/), $all, 'without rows the file has the same size');
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
			cmp_ok($all, '>=', 30000 * (2 * 4 + 16), "$name: the file has room for all rows");
			is(public_size(ask_for('{"visit": {"<": 0}}', %{ $asked{$name} }), qr/^\d+$/),
				$all, "$name: without rows the file has the same size");
		}
	});

# The rows of persons have a file until it is known which of them enter, also for answers that keep no rows.
spends(
	$node,
	'what shows of the file of persons',
	{ epsilon => 7, charged => 7, released => 7 },
	sub {
		my $session = analyst();
		is_answered($session->ask(q(SELECT (dpobj.train('stay', 'ill', 1, '{a,b}', name => 'rated')).release)), 'a model to be rated');
		quit_counted($session);
		my %asked = (
			count => q(SELECT count(value) FROM dpobj.count('stay', 1, filter => '%s')),
			groups => q(SELECT count(value) FROM dpobj.count('stay', 1, '{ill}', filter => '%s')),
			accuracy => q(SELECT count(*) FROM dpobj.confusion('rated', 'stay', 1, filter => '%s')));
		for my $name (sort keys %asked)
		{
			my $all = public_size(sprintf($asked{$name}, '{}'), qr/^\d+$/);
			cmp_ok($all, '>=', 60000 * (24 + 16 + 8), "$name: the file has room for all rows");
			is(public_size(sprintf($asked{$name}, '{"visit": {"<": 0}}'), qr/^\d+$/), $all, "$name: without rows the file has the same size");
		}
	});

# Half of the rows are of one person; all of them would take 30 MB, and plans that the session keeps take 7 besides.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE crowd AS SELECT CASE WHEN i % 2 = 0 THEN i ELSE 1 END AS person, sin(i) AS a, cos(i) AS b, i % 3 = 0 AS ill FROM generate_series(1, 400000) i;
SELECT dpobj.protect('crowd', '{"a": {"clip": [-1, 1]}, "b": {"clip": [-1, 1]}, "ill": {}}', n => 400000, person => 'person', max_rows_per_person => 3);
SELECT dpobj.set_budget('crowd', role, 100000, 0.01) FROM unnest('{ana,postgres}'::regrole[]) role;
SELECT (dpobj.train('stay', 'ill', 1, '{a,b}', name => 'rated as well')).release;
SQL
spends(
	$node,
	'the memory of persons',
	{ epsilon => 3, charged => 3, released => 3 },
	sub {
		my %asked = (
			training => ask_for('{}', table => 'crowd'),
			count => q(SELECT count(value) FROM dpobj.count('crowd', 1)),
			accuracy => q(SELECT count(*) FROM dpobj.confusion('rated as well', 'crowd', 1)));
		for my $name (sort keys %asked)
		{
			my $session = session_with(@small);
			$session->ask('SELECT count(*) FROM crowd'); # shared memory counts, too
			my $before = most_memory($session->pid);
			like($session->ask($asked{$name}), qr/^\d+$/, "$name is answered");
			my $more = most_memory($session->pid) - $before;
			diag("memory of persons: $more kB for $name");
			cmp_ok($more, '<', 24 * 1024, "$name: the backend does not have the rows of persons in memory");
			quit_counted($session);
		}
		no_files('persons');
	});
for my $end ('cancel', 'kill')
{
	spends($node, "rows of persons, $end", { epsilon => [ 0, 1 ], charged => [ 0, 1 ] }, sub { # a file is made before the charge
		my $session = analyst();
		$session->send(ask_for('{}', table => 'crowd'));
		ok(wait_until(10, sub { temporary_files() }), 'rows of persons are being read');
		$end eq 'cancel' ? scalar_of($node, 'SELECT pg_cancel_backend(' . $session->pid . ')') : kill('KILL', $session->pid);
		$session->result;
		ok(wait_for_server($node), 'the server is there');
		no_files("persons, $end");
		$session->quit if $end eq 'cancel';
	});
}
spends(
	$node,
	'as large as the columns can be',
	{ epsilon => 2, charged => 2, released => 2, failed => [ 0, 1 ] },
	sub {
		# One of 120 levels takes a bit for each, in the table 8 bytes.
		my $size = public_size(
			ask_for('{}', table => 'coded', label => 'flag', features => 'code,a', options => '{"mechanism": "objective"}'), qr/^\d+$/);
		cmp_ok($size, '>=', 30000 * (16 + 4 + 16), 'the file has room for all coded rows');
		cmp_ok($size, '<', scalar_of($node, q(SELECT pg_relation_size('coded'))), 'the file is smaller than the table');

		# Two flags make four rows, however many there are.
		my $query = q(SELECT temp_files FROM pg_stat_database WHERE datname = 'postgres');
		my $before = scalar_of($node, $query);
		my $session = analyst();
		is_answered($session->ask(ask_for('{}', table => 'flags')), 'a table of two flags is trained on');
		quit_counted($session);
		is(scalar_of($node, $query), $before, 'rows of at most four kinds need no file');
	});
spends(
	$node,
	'temp_file_limit at the analyst\'s door',
	{},
	sub {
		# The error must not depend on the number of rows in the file.
		$node->safe_psql('postgres', q(ALTER ROLE ana SET temp_file_limit = '100kB'));
		my $session = analyst();
		for my $filter ('{}', '{"visit": {"<": 100}}', '{"visit": {"<": 0}}')
		{
			like(
				$session->ask(ask_for($filter)),
				qr/^ERROR:  53400: temporary file size exceeds "?temp_file_limit"? \(100kB\)\n[^\n]*$/,
				"temp_file_limit is an error before the charge: $filter");
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
		is($session->ask($statement), 'exact', 'without a limit the guarantee is exact');
		$session->quit;
		$node->safe_psql('postgres', q(ALTER ROLE ana SET temp_file_limit = '100MB'));
		$session = analyst();
		is($session->ask($statement), 'exact', 'a limit that cannot be reached after the charge leaves it exact');
	});

# ---- when a file is removed ----

# Everybody can see the size of a tablespace, so a file must not end with its solver.
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
ALTER ROLE ana SET dpobj.release_tick = 4000;
ALTER DATABASE postgres SET work_mem = '64kB';
ALTER DATABASE postgres SET hash_mem_multiplier = 1;
ALTER DATABASE postgres SET max_parallel_workers_per_gather = 0;
SQL
my %stays = (
	'a training' => ask_for('{}'),
	'groups' => q(SELECT min((model).release) FROM dpobj.train_groups('ward', 'ill', 1, features => '{a}', method => 'logistic', by => '{wing}')),
	'a count of rows of persons' => q(SELECT count(value) FROM dpobj.count('crowd', 1)),
	'a job' => q(SELECT dpobj.wait((SELECT max(id) FROM dpobj.jobs))),
	"the owner's door" => 'SELECT lent()',
	"groups at the owner's door" => 'SELECT lent_groups()');
my $patient = session($node, user => 'ana');
for my $name (sort keys %stays)
{
	$patient->ask(q(SELECT dpobj.submit('train', 'patient', '{"label": "ill", "epsilon": 1, "features": ["a", "b"], "method": "logistic"}', 'in the file'))) if $name eq 'a job';
	$patient->send($stays{$name});
	ok(wait_until(3, sub { temporary_files() }), "$name has a file");
	sleep(3);
	isnt(scalar(temporary_files()), 0, "$name keeps the file until the tick");
	like($patient->result, qr/^(?:\d+|released)$/m, "$name is answered at the tick");
	no_files($name);
}
$patient->quit;

unlike(slurp_file($node->logfile), qr/file leak|file reference leak/, 'the log has no warning of a leaked file');
finish($node);
