# 002_crash.pl - the backend, the server or the solver dies between charge and answer: the charge
# stays, nothing is released, and no process is left.

use DpobjTest;

my $node = dpobj_cluster('crash');
# A solve of many minutes: a solver that nobody stops does not end in time.
my $train = train(SLOW, epsilon => 0.75, options => '"mechanism": "opdisc", "grid": {"max": 4}, "solver": "glpk_literal"');
my $quick = train(QUICK, epsilon => 0.75);
my $charged_only = { epsilon => 0.75, charged => 1 };
my $released = { epsilon => 0.75, charged => 1, released => 1 };
my $failed = { epsilon => 0.75, charged => 1, failed => 1 };

sub is_gone
{
	my ($solver, $name) = @_;
	my $start = time();
	wait_until(20, sub { !runs($solver) });
	my $milliseconds = int(1000 * (time() - $start));
	cmp_ok($milliseconds, '<', 10_000, "$name: the solver has ended after $milliseconds ms");
	ok(wait_until(10, sub { !solvers($node) }), "$name: no solver is left");
}

# A session whose solver works, and the solver's process id.
sub start_training
{
	my $session = session($node);
	$session->send($train);
	return ($session, solver_of($node, $session));
}

# ---- the backend or the server, between the charge and the answer ----

for my $case (
	[ 'kill -9 of the backend', sub { kill 'KILL', $_[0]->pid } ],
	[ 'kill -9 of the backend while the solver is stopped', sub { kill 'STOP', $_[1]; kill 'KILL', $_[0]->pid } ],
	[ 'an immediate stop', sub { $node->stop('immediate') }, sub { $node->start } ],
	[ 'a fast stop', sub {
		my $start = time();
		$node->stop('fast');
		cmp_ok(time() - $start, '<', 20, 'a solve does not hold up the shutdown');
	}, sub { $node->start } ],
	[ 'kill -9 of the postmaster', sub { my $solver = $_[1]; kill_server($node, sub { is_gone($solver, 'kill -9 of the postmaster') }) } ])
{
	my ($name, $end, $start) = @$case;
	spends($node, $name, $charged_only, sub {
		my ($session, $solver) = start_training();
		$end->($session, $solver);
		is_gone($solver, $name);
		$session->quit;
		$start->() if $start;
		ok(wait_for_server($node), "$name: the server is back");
	});
}
spends(
	$node,
	'kill -9 of a backend that waits for its charge',
	{ epsilon => [ 0, 0.75 ], charged => [ 0, 1 ] },
	sub {
		my $locker = session($node);
		my $session = session($node);
		$locker->ask('BEGIN; LOCK TABLE dpobj.ledger_events IN EXCLUSIVE MODE');
		$session->send($quick);
		$node->poll_query_until('postgres',
			"SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dpobj charge'");
		kill 'KILL', $session->pid;
		$_->quit for $session, $locker;
		ok(wait_for_server($node), 'the server is back');
	});

# ---- the solver ----

# The statement ends with UB004 and the session goes on.
sub survives
{
	my ($session, $name) = @_;
	my $text = $session->result;
	like($text, qr/^ERROR:  UB004: training was stopped and nothing was released$/m,
		"$name: UB004");
	like($text, qr/^DETAIL:  .*The charge of epsilon 0\.75 stays\.$/m, "$name: the charge stays");
	is($session->ask('SELECT 1'), '1', "$name: the session is alive");
	is(scalar(children($session->pid)), 0, "$name: no child and no zombie");
}

spends(
	$node,
	'memory runs out in the solver',
	$failed,
	sub {
		my ($session, $solver) = start_training();
		ok(wait_until(10, sub { slurp_file("/proc/$solver/oom_score_adj") eq "1000\n" }),
			'the kernel kills the solver first when memory runs out');
		cmp_ok(slurp_file('/proc/' . $session->pid . '/oom_score_adj'), '<', 1000, 'the kernel does not kill the backend first');
		kill 'KILL', $solver;
		survives($session, 'killed by the kernel');
	});
for my $signal (qw(KILL TERM SEGV ABRT INT))
{
	spends(
		$node,
		"$signal of the solver",
		$failed,
		sub {
			my ($session, $solver) = start_training();
			kill $signal, $solver;
			survives($session, $signal);
		});
}

# ---- a solver that is missing or broken ----

my $shell = "#!/bin/sh\n";
my $perl = <<'PERL';
#!/usr/bin/perl
use Socket;
open my $server, '+<&=', 0;
my $problem;
sub speak { my ($type, $payload, $length) = @_;
  syswrite $server, pack('VvvQ<', 0x4A424F44, 1, $type, $length // length $payload) . $payload; }
sub listen_once { recv $server, $problem, 1048576, 0; }
PERL
my %broken = (
	'missing' => undef,
	'not executable' => [ 0644, '' ],
	'not a program' => [ 0755, 'neither a script nor a binary' ],
	'exits at once' => [ 0755, "$shell exit 0\n" ],
	'fails' => [ 0755, "$shell exit 1\n" ],
	'crashes' => [ 0755, "$shell kill -SEGV \$\$\n" ],
	'closes its socket and lives on' => [ 0755, "$shell exec <&-; exec sleep 60\n" ],
	'answers with random bytes' => [ 0755, "$shell head -c 100000 /dev/urandom >&0\n" ],
	'answers with zeros' => [ 0755, "$shell head -c 100000 /dev/zero >&0\n" ],
	'sends half a header' => [ 0755, "$shell printf DOBJ >&0\n" ],
	'sends a text' => [ 0755, "$shell echo 'usage: dpobj-solver' >&0\n" ],
	'announces a frame without end' =>
	  [ 0755, "$perl speak(4, '', 1 << 40); sleep 60;\n" ],
	'announces an answer and dies' => [ 0755, "$perl speak(4, 'x', 65536); exit 0;\n" ],
	'sends a problem' => [ 0755, "$perl speak(1, 'x'); sleep 60;\n" ],
	'sends random bytes' => [ 0755, "$perl speak(3, 'x'); sleep 60;\n" ],
	'asks for no random bytes' => [ 0755, "$perl listen_once(); speak(2, pack 'V', 0); sleep 60;\n" ],
	'asks for too many random bytes' =>
	  [ 0755, "$perl listen_once(); speak(2, pack 'V', 65537); sleep 60;\n" ],
	'asks again before it has read' =>
	  [ 0755, "$perl listen_once(); speak(2, pack 'V', 65536) for 1 .. 1000; sleep 60;\n" ],
	'fails for an unknown reason' => [ 0755, "$perl listen_once(); speak(5, chr 77); sleep 60;\n" ],
	'answers with nonsense' =>
	  [ 0755, "$perl listen_once(); speak(4, chr(255) x 20); sleep 60;\n" ],
	'answers with a vector that is too long' =>
	  [ 0755, "$perl listen_once(); speak(4, \"\\0\" x 65536); sleep 60;\n" ],);

my $solver = hide_solver($node);
my $session = session($node);
my @descriptors = descriptors($node, $session);
for my $how (sort keys %broken)
{
	if ($broken{$how})
	{
		my ($mode, $content) = @{ $broken{$how} };
		unlink $solver;
		append_to_file($solver, $content);
		chmod $mode, $solver;
	}
	spends(
		$node,
		"solver: $how",
		$failed,
		sub {
			$session->send($quick);
			survives($session, $how);
		});
	unlink $solver;
}
is_deeply([ descriptors($node, $session) ], \@descriptors, 'no descriptor leaked');
restore_solver($node);
spends(
	$node,
	'the solver is back',
	{ epsilon => 0.75, charged => 1, released => 1 },
	sub { is_answered($session->ask($quick), 'the same session trains with the restored solver') });
$session->quit;

# ---- the ledger's worker ----

# The ledger is locked while the solver works. When it has answered, the event cannot be written, so
# the client gets no answer.
sub locks_out
{
	my ($name, $act) = @_;
	my $locker = session($node);
	my $session = session($node);
	my $slower = train(SLOW, epsilon => 0.75, options => '"grid": {"sparse": 7}');
	my $solver;

	$session->send($slower);
	$solver = solver_of($node, $session);
	kill 'STOP', $solver;
	$locker->ask('BEGIN; LOCK TABLE dpobj.ledger_events IN EXCLUSIVE MODE');
	kill 'CONT', $solver;
	$act->($locker);
	sleep(3);
	$locker->ask('COMMIT');
	is_answered($session->result, "$name: an answer after the lock");
	is($session->ask('SELECT 1'), '1', "$name: the session is alive");
}

spends($node, 'the released event cannot be written for a while', $released,
	sub { locks_out('locked ledger', sub { }) });
spends(
	$node,
	'the worker of the released event is terminated',
	$released,
	sub {
		locks_out(
			'terminated worker',
			sub {
				my ($locker) = @_;
				my $terminate = 'SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity '
				  . "WHERE backend_type = 'dpobj writer'";
				wait_until(30, sub { scalar_of($node, $terminate) eq '1' });
			});
	});

# ---- crashes at the analyst's door ----

# The rows may have caused a crash, which then says something about them: it counts as a failure.
hard_table($node);
$node->append_conf('postgresql.conf', "dpobj.release_tick = 0\ndpobj.max_failures = 1");
$node->reload;
login_roles($node, qw(ana bob eve zoe));
scalar_of($node, "SELECT dpobj.set_budget('hard', r, 1000, 0) FROM unnest('{ana,bob,eve,zoe}'::regrole[]) r");
my $once = { epsilon => 0.75, charged => 1, released => 1 };
my $hard = q{SELECT (dpobj.train('hard', 'ill', 0.75, method => 'halfspace', options => '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}')).release};
my $easy = q{SELECT (dpobj.train('hard', 'ill', 0.75, features => '{c1,c2}', method => 'halfspace')).release};
sub easily { my ($role) = @_; return in_session($node, $role, $easy); }
sub training_of
{
	my ($role) = @_;
	my $analyst = session($node, user => $role);
	$analyst->send($hard);
	return ($analyst, solver_of($node, $analyst));
}
sub crash_with
{
	my ($analyst, $solver) = @_;
	kill 'KILL', $analyst->pid;
	is_gone($solver, 'backend of an analyst killed');
	$analyst->quit;
	ok(wait_for_server($node), 'the server is back');
}

# It ends what the crashes above have left.
spends($node, 'a first release', { %$once, failed => [ 1, 20 ] }, sub { is_answered(easily('bob'), 'bob has a release') });
spends(
	$node,
	'a cancel is no failure',
	{ epsilon => 1.5, charged => 2, released => 1, failed => 1 },
	sub {
		my ($analyst) = training_of('ana');
		kill 'INT', $analyst->pid;
		refused('cancelled', '57014', $analyst->result);
		$analyst->quit;
		is(scalar_of($node, "SELECT role, reason FROM dpobj.ledger WHERE event = 'failed' ORDER BY id DESC LIMIT 1"), 'ana|cancel', 'its end says why');
		is_answered(easily('bob'), 'another role is answered');
	});
spends(
	$node,
	'a cancel is no failure after a restart either',
	{ %$once, failed => [ 0, 1 ] }, # a crash above may have left a charge of the owner's door
	sub {
		$node->restart;
		is_answered(easily('bob'), 'another role is answered');
		is(scalar_of($node, 'SELECT count(*) FROM dpobj.counted_failures'), '0', 'no failure of the role that cancelled counts');
	});
spends(
	$node,
	'a release during a crash',
	{ epsilon => 3.75, charged => 5, released => 2, failed => 3 },
	sub {
		is_answered(easily('ana'), 'the role that cancelled trains again');
		crash_with(training_of('ana'));
		my ($analyst, $solver) = training_of('bob');
		is(scalar_of($node, "SELECT string_agg(role, ',') FROM dpobj.ledger WHERE event = 'failed' AND reason IS NULL AND id > (SELECT max(id) FROM dpobj.ledger WHERE event = 'released')"),
			'ana', 'the next charge finds the release that crashed, and counts a failure');
		refused('another try of the role that failed', 'UB003', easily('ana'));
		my ($other, $others) = training_of('eve');
		is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger WHERE event = 'failed' AND role = 'bob'"), '0', 'a release that still runs has not failed');
		kill 'INT', $analyst->pid;
		like($analyst->result, qr/57014/, 'the release that runs is cancelled');
		kill 'INT', $other->pid;
		like($other->result, qr/57014/, 'the release of another role is cancelled');
		$_->quit for $analyst, $other;
		is_answered(easily('bob'), 'other roles go on');
	});
spends(
	$node,
	'releases during a crash of the postmaster',
	{ epsilon => 2.25, charged => 3, released => 0, failed => 3 },
	sub {
		my ($analyst, $solver) = training_of('eve');
		my ($other, $others) = training_of('bob');
		$node->stop('immediate');
		is_gone($_, 'immediate stop') for $solver, $others;
		$_->quit for $analyst, $other;
		$node->start;
		refused('a role without failures after three failures of all roles', 'UB003', easily('zoe'));
		like(easily('zoe'), qr/^DETAIL:  At most 3 releases of all roles may fail/m, 'the error says how many releases of all roles may fail');
		scalar_of($node, 'ALTER SYSTEM SET dpobj.max_failures = 2; SELECT pg_reload_conf()');
		my ($third, $thirds) = training_of('zoe');
		kill 'INT', $third->pid;
		like($third->result, qr/57014/, 'with a smaller limit a release starts again');
	});

finish($node);
