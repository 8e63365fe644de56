# 006_stress.pl - twenty trainers at once while backends and solvers are killed at random: the
# ledger has every answer, and no process is left.

use POSIX ();
use DpobjTest;

use constant TRAINERS => 20;
use constant SECONDS => 15;
use constant MOST_SECONDS => 90; # on a busy machine few solvers are found in time

my $node = dpobj_cluster('stress', "log_min_messages = fatal", "log_min_error_statement = panic");
my $folder = PostgreSQL::Test::Utils::tempdir();

# A trainer sends calls over connections that get lost until the file "stop" exists, and writes down
# every answer.  Every second trainer has long solves.
sub trainer
{
	my ($number) = @_;
	my $statement =
	  $number % 2
	  ? train(QUICK, epsilon => 1)
	  : train(SLOW, epsilon => 1, options => '"grid": {"sparse": 8}');
	my $connection = $node->connstr('postgres');

	while (!-e "$folder/stop")
	{
		system("psql -XAtq -v VERBOSITY=verbose -d \"$connection\" "
			  . join(' ', map { '-c "' . $statement =~ s/"/\\"/gr . '"' } 1 .. 5)
			  . " >>$folder/answers_$number 2>>$folder/errors_$number");
		sleep(0.05);
	}
	return;
}

my @trainers;
for my $number (1 .. TRAINERS)
{
	my $pid = fork() // die "fork: $!";
	if ($pid == 0)
	{
		trainer($number);
		POSIX::_exit(0);
	}
	push @trainers, $pid;
}

# ---- the killer ----

sub answers
{
	return grep { /^\d+$/ } map { split /\n/, slurp_file($_) } glob "$folder/answers_*";
}

# The next crash is timed from the first solver after a start, however long the start takes.
my %killed = (solver => 0, backend => 0);
my $began = time();
my $next_crash;
while (time() < $began + SECONDS
	|| (time() < $began + MOST_SECONDS && ($killed{solver} <= 5 || $killed{backend} <= 2 || answers() <= 50)))
{
	sleep(rand(0.1));
	my @running = solvers_and_backends($node) or next;
	my ($solver, $backend) = @{ $running[ rand @running ] };
	$next_crash //= time() + 0.7 + rand(1);

	# The parent of a solver is in the middle of a release; any other child of the postmaster may be
	# charging, scanning or answering.
	if (time() > $next_crash)
	{
		my @any = children($node->{_pid});
		$killed{backend} += kill 'KILL', rand() < 0.5 ? $backend : $any[ rand @any ];
		wait_until(2, sub { !solvers($node) });
		undef $next_crash;
	}
	else
	{
		$killed{solver} += kill((qw(KILL SEGV))[ rand 2 ], $solver);
	}
}
my $ended = time();
append_to_file("$folder/stop", '');
waitpid $_, 0 for @trainers;
settle($node);

# ---- what is left ----

my @answers = answers();
my %counts;
@counts{qw(charged released failed)} = split /\|/,
  scalar_of($node,
	"SELECT count(*) FILTER (WHERE event = 'charged'), count(*) FILTER (WHERE event = 'released'), "
	  . "count(*) FILTER (WHERE event = 'failed') FROM dpobj.ledger_events");
diag(sprintf '%d s, %d solvers and %d backends killed: %d charged, %d released, %d failed, %d answers',
	$ended - $began, @killed{qw(solver backend)}, @counts{qw(charged released failed)}, scalar @answers);

# Clients may be told that the server went away, was not there, or that the solver was killed.
my %errors;
for my $file (glob "$folder/errors_*")
{
	$errors{$_}++ for slurp_file($file) =~ /^(?:ERROR|FATAL):  (\w{5}):/mg;
}
delete @errors{qw(UB004 57P01 57P02 57P03)};
is_deeply(\%errors, {}, 'clients got no other error');
cmp_ok($killed{solver}, '>', 5, 'solvers were killed');
cmp_ok($killed{backend}, '>', 2, 'backends were killed');
cmp_ok(scalar @answers, '>', 50, 'trainers were answered');
cmp_ok(scalar @answers, '<=', $counts{released}, 'answers <= released');
cmp_ok($counts{released} + $counts{failed}, '<=', $counts{charged}, 'released + failed <= charged');
my %distinct = map { $_ => 1 } @answers;
is(scalar keys %distinct, scalar @answers, 'no release was answered twice');
my $list = join ',', keys %distinct;
is( scalar_of($node,
		"SELECT count(DISTINCT c.id) FROM dpobj.ledger_events c JOIN dpobj.ledger_events r ON r.release = c.id "
		  . "WHERE c.event = 'charged' AND r.event = 'released' AND c.id IN ($list)"),
	scalar @answers,
	'each answer has a charge and a release in the ledger');
spends($node, 'one more release', { epsilon => 0.5, charged => 1, released => 1 },
	sub { is_answered(scalar_of($node, train(QUICK)), 'the server works') });
finish($node);
