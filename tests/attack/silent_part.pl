# silent_part.pl - a server of a part that does not answer costs nobody but who asks it, and him not for ever.

use DpobjParts;
use DpobjTest;
use Time::HiRes qw(time sleep);

my ($coordinator, @parts) = parts_clusters('silent', 'dpobj.release_tick = 0', 'dpobj.max_solvers = 1', 'dpobj.max_failures = 1000', 'dpobj.max_jobs = 1');
login_roles($coordinator, qw(ana bob));
$coordinator->safe_psql('postgres', "SELECT dpobj.set_budget(t, r, 1000000, 0) FROM unnest('{visit,whole}'::regclass[]) t, unnest('{ana,bob}'::regrole[]) r");

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $proxy = start_proxy($parts[0], $port);
END { kill 'KILL', $proxy if $proxy; } # a stopped process does not end with the test
$coordinator->safe_psql('postgres', "ALTER SERVER part1 OPTIONS (SET host '127.0.0.1', SET port '$port')");
my ($ana, $bob) = map { session($coordinator, user => $_) } qw(ana bob);
my $count = q{SELECT value FROM dpobj.count('visit', 1000)};
my $train = q{SELECT (dpobj.train('%s', 'y', 1, '{a,r}', method => 'logistic')).release > 0};
my $in_vain = qr/ERROR:  08001: part "public\.visit_1" cannot be read\nDETAIL:  It has not answered in time\./;
my $known = qr/ERROR:  08001: part "public\.visit_1" cannot be read\nDETAIL:  Its server did not answer a short while ago\.\nHINT:  It is asked again within a minute/;

sub is_active { return scalar_of($coordinator, "SELECT state = 'active' FROM pg_stat_activity WHERE pid = " . $_[0]->pid) eq 't'; }

# The answer and the seconds until it came.
sub timed { my ($block) = @_; my $began = time; my $answer = $block->(); return ($answer, time - $began); }

is($ana->ask($count), '3000', 'the parts answer');
is($bob->ask(sprintf $train, 'whole'), 't', 'one table answers');

# ---- a server that accepts connections and says nothing ----

kill 'STOP', $proxy;
$ana->send(sprintf $train, 'visit');
sleep(1);
is($bob->ask(sprintf $train, 'whole'), 't', 'a training of another table goes on');
ok(is_active($ana), 'and does not wait for the server of a part, though one place is for all');
like($ana->result, $in_vain, 'who asks the server waits for it in vain');
my ($answer, $seconds) = timed(sub { $bob->ask($count) });
like($answer, $known, 'who asks then is refused');
cmp_ok($seconds, '<', 10, 'without a wait');

# A job waits without a place, too.
kill 'CONT', $proxy;
ok(wait_until(20, sub { $ana->ask($count) eq '3000' }), 'a server that answers again is read');
$ana->ask('BEGIN');
my $job = $ana->ask(q{SELECT dpobj.submit('train', 'visit', '{"label": "y", "epsilon": 1, "features": ["r"], "method": "logistic"}', 'silent')});
kill 'STOP', $proxy;
$ana->ask('COMMIT');
ok(wait_until(30, sub { scalar_of($coordinator, "SELECT state FROM dpobj.jobs WHERE id = $job") eq 'running' }), 'a job asks the server');
is($bob->ask(sprintf $train, 'whole'), 't', 'a training goes on beside the job');
is(scalar_of($coordinator, "SELECT state FROM dpobj.jobs WHERE id = $job"), 'running', 'without waiting for it');
is($ana->ask("SELECT dpobj.wait($job, '60 s')"), 'failed', 'the job ends');

# The memory grows from five seconds: the second wait in vain counts for ten.
sleep(5.2);
like($bob->ask($count), $in_vain, 'after that it is asked again');
sleep(5.2);
like($bob->ask($count), $known, 'a server that was silent twice is remembered for longer');
kill 'CONT', $proxy;
ok(wait_until(30, sub { $bob->ask($count) eq '3000' }), 'it is asked again, and answers');
is($ana->ask($count), '3000', 'and then at once');

# ---- a part that never answers after the charge ----

sub lost
{
	my ($name, $setting, $sleep, $text) = @_;
	my $from = -s $coordinator->logfile;
	$coordinator->safe_psql('postgres', "ALTER ROLE ana SET $setting");
	answers_by($parts[1], "IF kind = 's' THEN PERFORM pg_sleep($sleep); END IF;");
	my $asks = session($coordinator, user => 'ana', seconds => 120);
	spends($coordinator, $name, { epsilon => 1000, charged => 1, failed => 1 }, sub {
		my ($answer, $seconds) = timed(sub { $asks->ask($count) });
		like($answer, qr/^ERROR:  UB004: /, "$name: the release fails");
		cmp_ok($seconds, '<', 45, "$name: in time");
	});
	like(slurp_file($coordinator->logfile, $from), $text, "$name: the log names the part");
	answers_truly($parts[1]);
	$coordinator->safe_psql('postgres', 'ALTER ROLE ana RESET ALL');
	return;
}

lost('one answer', 'dpobj.part_timeout = 2', 60, qr/LOG:  part "public\.visit_2": It has not answered for 2 seconds\./);
sleep(5.2);
lost('all answers', 'dpobj.longest_run = 2', 60, qr/LOG:  part "public\.visit_2": It has not answered in time\./);
ok(wait_until(20, sub { $ana->ask($count) eq '3000' }), 'a part that answers again is read');

kill 'KILL', $proxy;
waitpid $proxy, 0;
undef $proxy;
finish($coordinator);
