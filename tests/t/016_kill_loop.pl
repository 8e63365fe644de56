# 016_kill_loop.pl - rounds of concurrent trainers at both doors, with and without temporary
# files. In each round a backend, a charge worker, a solver or the whole server is killed at a
# random moment: every answered request is charged, budgets hold, no process and no file is left,
# and the server comes back.
#
#   DPOBJ_KILL_ROUNDS=200 bash scripts/check.sh tap    more rounds

use DpobjTest;

my ($rounds) = ($ENV{DPOBJ_KILL_ROUNDS} || 12) =~ /^(\d+)$/ or die 'DPOBJ_KILL_ROUNDS is no number';
use constant TRAINERS => 9;

my $node = dpobj_cluster('kills', 'dpobj.release_tick = 20', 'log_min_messages = fatal', 'dpobj.max_failures = 1000000');

login_roles($node, qw(ana bob eve));
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient (ill boolean, a boolean, b boolean, c boolean, d boolean);
INSERT INTO patient
SELECT i % 2 = 0, i % 3 = 0, i % 5 = 0, i % 7 = 0, i % 11 = 0 FROM generate_series(1, 20000) i;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}, "b": {}, "c": {}, "d": {}}');
SELECT dpobj.set_budget('patient', r, 100000, 0) FROM unnest('{ana,bob,eve}'::regrole[]) r;
CREATE TABLE spills AS SELECT sin(i) AS a, cos(3 * i) AS b, i % 2 = 0 AS ill FROM generate_series(1, 20000) i;
SELECT dpobj.protect('spills', '{"a": {"clip": [-1, 1]}, "b": {"clip": [-1, 1]}, "ill": {}}', n => 20000);
SELECT dpobj.set_budget('spills', r, 100000, 0) FROM unnest('{ana,bob,eve}'::regrole[]) r;
SQL

# Each trainer sends a few calls over one connection, for models and answers under names of its own.
$ENV{PGOPTIONS} = '-c work_mem=64kB -c hash_mem_multiplier=1';
my $grid = '"grid": "ternary", "mechanism": "exponential"';
my @doors = (
	(map { my $role = $_; [ $role, "SELECT release FROM dpobj.train('patient', 'ill', 1, name => '%s')" ] } qw(ana bob eve)),
	[ 'ana', "SELECT FROM dpobj.count('patient', 1, name => '%s'); SELECT release FROM dpobj.answers WHERE name = '%s'" ],
	(map { [ 'postgres', train(QUICK, epsilon => 1) ] } 1 .. 2),
	[ 'postgres', train(SLOW, epsilon => 1, options => '"grid": {"sparse": 5}') ],
	[ 'postgres', "SELECT (dp_halfspace(ARRAY[a, b], ill, 1, 0, '{\"clip\": [-1, 1], $grid}')).release FROM spills" ],
	[ 'eve', "SELECT release FROM dpobj.train('spills', 'ill', 1, method => 'logistic', name => '%s',"
		. q{ options => '{"mechanism": "objective"}')} ]);

sub start_trainer
{
	my ($round, $number) = @_;
	my ($role, $statement) = @{ $doors[ $number % @doors ] };
	my $trainer = { output => '', errors => '' };
	my @statements = map { ('-c', $statement =~ s/%s/$round.$number.$_/gr) } 1 .. 4;

	$trainer->{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres') . " user=$role", @statements ],
		'<', \undef, '>', \$trainer->{output}, '2>', \$trainer->{errors}, IPC::Run::timeout(60));
	return $trainer;
}

# ---- the killer ----

my %killed = (solver => 0, backend => 0, worker => 0, server => 0, nobody => 0);

sub workers_and_backends
{
	my (%found) = (worker => [], backend => []);
	for my $pid (children($node->{_pid}))
	{
		open my $file, '<', "/proc/$pid/cmdline" or next;
		my $title = <$file> // '';
		push @{ $found{worker} }, $pid if $title =~ /dpobj (?:charge|writer)/;
		push @{ $found{backend} }, $pid if $title =~ /\[local\]/;
	}
	return %found;
}

sub kill_somebody
{
	my ($round) = @_;
	my %found = workers_and_backends();
	my $kind = (qw(backend worker solver server backend worker solver))[ $round % 7 ];

	if ($kind eq 'server')
	{
		kill_server($node);
		$killed{server}++;
		return;
	}
	my @victims = $kind eq 'solver' ? solvers($node) : @{ $found{$kind} };
	@victims = @{ $found{backend} } unless @victims;
	my $hit = @victims ? kill('KILL', $victims[ rand @victims ]) : 0;
	$killed{ $hit ? $kind : 'nobody' }++;
	return;
}

# ---- the rounds ----

my $wrong_events = <<'SQL';
SELECT count(*)
FROM dpobj.ledger_events e
WHERE e.event IN ('released', 'failed')
      AND NOT EXISTS (SELECT FROM dpobj.ledger_events c
                      WHERE c.event = 'charged' AND c.id = e.release AND c.id < e.id AND c.epsilon_nano = 1000000000)
   OR e.event = 'charged'
      AND (SELECT count(*) FROM dpobj.ledger_events c WHERE c.release = e.id) > 1
SQL
my $wrong_models = <<'SQL';
SELECT count(*)
FROM dpobj.ledger_events c LEFT JOIN dpobj.ledger_events r ON r.release = c.id AND r.event = 'released'
     LEFT JOIN dpobj.model_rows m ON m.release = c.id
WHERE c.event = 'charged' AND (m.release IS NULL OR (r.id IS NOT NULL) <> (m.released IS NOT NULL))
SQL
my $wrong_spending = <<'SQL';
SELECT count(*) FROM dpobj.budgets b
WHERE b.releases <> (SELECT count(*) FROM dpobj.ledger l
                     WHERE l.event = 'charged' AND l.relation = b.relation AND l.role = b.role)
   OR b.epsilon_spent <> b.releases
SQL

my %answers;
my %failures;
my $twice = 0;

# Nobody is killed at first, to see how long the trainers take on this machine.
my $began = time();
$_->{run}->finish for map { start_trainer(0, $_) } 0 .. TRAINERS - 1;
my $usual = time() - $began;
diag(sprintf 'a round takes %.1f s', $usual);

for my $round (1 .. $rounds)
{
	my @trainers = map { start_trainer($round, $_) } 0 .. TRAINERS - 1;
	my $until = time() + rand($usual);

	while (time() < $until)
	{
		$_->{run}->pumpable && eval { $_->{run}->pump_nb } for @trainers; # dies where psql just ended
		sleep(0.005);
	}
	kill_somebody($round);
	for my $trainer (@trainers)
	{
		eval { $trainer->{run}->finish; 1 } or $failures{"round $round: a trainer hangs"}++;
		$twice += grep { $answers{$_}++ } grep { /^\d+$/ } split /\n/, $trainer->{output};
		for my $state ($trainer->{errors} =~ /^(?:ERROR|FATAL):  (\w{5}):/mg)
		{
			$failures{"SQLSTATE $state"}++ unless $state =~ /^(?:UB004|57P0[123]|55000)$/;
		}
	}
	settle($node);
	$failures{"round $round: $_->[0]"}++
	  for grep { scalar_of($node, $_->[1]) ne '0' }
	  ([ 'events', $wrong_events ], [ 'models', $wrong_models ], [ 'spending', $wrong_spending ],
		[ 'locks', "SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND database = 0" ]);
	$failures{"round $round: a file is left"}++
	  unless wait_until(5, sub { my @files = glob $node->data_dir . '/base/pgsql_tmp/*'; !@files });
	$failures{"round $round: a solver is left"}++ unless wait_until(5, sub { !solvers($node) });
}

my $list = join ',', keys %answers;
my ($charged, $released, $failed) = split /\|/, scalar_of($node,
	"SELECT count(*) FILTER (WHERE event = 'charged'), count(*) FILTER (WHERE event = 'released'), "
	  . "count(*) FILTER (WHERE event = 'failed') FROM dpobj.ledger_events");
diag(sprintf '%d rounds, killed: %s; %d charged, %d released, %d failed, %d answers', $rounds,
	join(', ', map { "$killed{$_} $_" } sort keys %killed), $charged, $released, $failed, scalar keys %answers);

is_deeply(\%failures, {}, 'every round ended without a failure');
is($twice, 0, 'no release was answered twice');
cmp_ok($killed{server}, '>', 0, 'the server was killed');
cmp_ok(scalar keys %answers, '>', $rounds / 2, 'trainers were answered');
cmp_ok($released + $failed, '<=', $charged, 'released + failed <= charged');
is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'released' AND release IN ($list)"),
	scalar keys %answers, 'each answer was released');
is(scalar_of($node, 'SELECT count(*) FROM dpobj.models WHERE NOT dpobj.verify(model)'), '0', 'every model verifies');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal (?!9\b)/,
	'no process crashed by itself');
$node->stop;
done_testing();
