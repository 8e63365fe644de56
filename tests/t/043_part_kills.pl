# 043_part_kills.pl - releases over parts while servers, sessions and connections are killed at chosen and
# at random moments: what was released was charged, once; a lost part is one failure with one text,
# whatever happened; nothing is retried; and parts keep no connection, lock or snapshot.
#
#   DPOBJ_KILL_ROUNDS=200 bash scripts/check.sh tap    more rounds

use DpobjParts;
use DpobjTest;

my ($rounds) = ($ENV{DPOBJ_KILL_ROUNDS} || 12) =~ /^(\d+)/ or die 'DPOBJ_KILL_ROUNDS is no number';
my ($coordinator, @parts) =
  parts_clusters('part_kills', 'dpobj.release_tick = 100', 'dpobj.max_failures = 1000000', 'log_min_messages = log', 'work_mem = 64kB', 'hash_mem_multiplier = 1');
login_roles($coordinator, 'ana');
$coordinator->safe_psql('postgres', "SELECT dpobj.set_budget('visit', 'ana', 1000000, 0)");
$parts[ $_ - 1 ]->safe_psql('postgres', "INSERT INTO visit_part " . rows_between($_ * 1000 + 1, $_ * 1000 + 60000)) for 1, 2;

# The second part is reached through a proxy that can be cut.
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $proxy = start_proxy($parts[1], $port);
$coordinator->safe_psql('postgres', "ALTER SERVER part2 OPTIONS (SET host '127.0.0.1', SET port '$port')");

my $release = q{SELECT value FROM dpobj.count('visit', 1)};
my $failure = "ERROR:  UB004: the release failed and nothing was released\n"
  . 'DETAIL:  The charge stays. Failures are counted against the table, and the reason is in the server log only.';

sub restart_proxy
{
	kill 'KILL', $proxy;
	waitpid $proxy, 0;
	$proxy = start_proxy($parts[1], $port);
	return;
}

sub asks_again
{
	my ($name) = @_;
	ok(wait_until(60, sub { in_session($coordinator, 'ana', $release) =~ /^-?[\d.]+$/m }), "$name: afterwards a release answers");
	return;
}

# ---- chosen moments ----

# The charge waits for an administrator, when the parts have been opened; then something happens, and then
# the charge is committed.
sub between_open_and_charge
{
	my ($name, $expected, $happens, $check) = @_;
	my $text;
	spends(
		$coordinator,
		$name,
		$expected,
		sub {
			my $administrator = session($coordinator);
			my $ana = session($coordinator, user => 'ana');
			$administrator->ask("BEGIN; SELECT dpobj.protect('visit', '@{[ encoders() ]}', 'add_remove')");
			$ana->send($release);
			ok(wait_until(30, sub { links_of($parts[0]) == 1 && links_of($parts[1]) == 1
					&& scalar_of($parts[1], "SELECT state = 'idle in transaction' FROM pg_stat_activity WHERE application_name = 'dpobj'") eq 't' }),
				"$name: the parts have been opened");
			sleep(0.3);
			$happens->($ana, $administrator);
			$administrator->ask('COMMIT');
			$text = $ana->result;
		});
	$check ? $check->($text) : is($text =~ s/\nLOCATION.*//sr, $failure, "$name: the one failure");
	$_->safe_psql('postgres', 'SELECT 1') for @parts;
	no_link_is_left($name, @parts);
	asks_again($name);
	return;
}

my %lost = (epsilon => 1, charged => 1, failed => 1);
between_open_and_charge('a session of a part is ended', \%lost, sub {
	scalar_of($parts[0], 'SELECT pg_terminate_backend(' . join(',', links_of($parts[0])) . ')');
});
between_open_and_charge('a session of a part is killed', \%lost, sub {
	kill 'KILL', links_of($parts[0]);
	wait_for_server($parts[0]);
});
between_open_and_charge('the server of a part is stopped at once', \%lost, sub { $parts[1]->stop('immediate'); $parts[1]->start; });
between_open_and_charge('the network is cut', \%lost, sub { restart_proxy() });
between_open_and_charge('a part does not go on, and the release is cancelled', { epsilon => 1, charged => 1, failed => 1 }, sub {
	my ($ana, $administrator) = @_;
	my @sessions = links_of($parts[1]);
	kill 'STOP', @sessions;
	$administrator->ask('COMMIT');
	ok(wait_until(30, sub { scalar_of($coordinator, "SELECT count(*) FROM dpobj.ledger WHERE event = 'charged'") > 0 }), 'it is charged');
	sleep(0.5);
	scalar_of($coordinator, 'SELECT pg_cancel_backend(' . $ana->pid . ')');
	sleep(0.5);
	kill 'CONT', @sessions;
}, sub { like($_[0], qr/^ERROR:  57014: /, 'a cancel ends the wait for a part'); });
between_open_and_charge('the session of the coordinator is killed', { epsilon => [ 0, 1 ], charged => [ 0, 1 ] }, sub {
	my ($ana) = @_;
	kill 'KILL', $ana->pid;
	wait_for_server($coordinator);
}, sub { unlike($_[0], qr/^-?[\d.]+$/m, 'nothing is answered') });

# A part that answers what is no answer, or rows that the encoding cannot make: the one failure again.
my %answers = (
	'nothing' => 'RETURN NULL;',
	'other bytes' => q{RETURN '\x6e65766572';},
	'no end of the rows' => q{IF kind = 'r' THEN answer := set_byte(answer, 9, 0); END IF;},
	'a number beyond its bounds' => q{IF kind = 'r' THEN answer := set_byte(answer, 25, 63); END IF;},
	'more rows than any table' => q{IF kind = 'r' THEN answer := set_byte(answer, 10, 127); END IF;},
	'a negative number of rows' => q{IF kind = 'r' THEN answer := set_byte(answer, 33, 255); END IF;},
	'a piece twice' => q{IF kind = 'r' THEN answer := answer || '\x00'; END IF;});
$release = q{SELECT value FROM dpobj.sum('visit', 'r', 1)};
for my $name (sort keys %answers)
{
	between_open_and_charge("a part answers $name", \%lost, sub { answers_by($parts[0], $answers{$name}); }, sub {
		my ($text) = @_;
		is($text =~ s/\nLOCATION.*//sr, $failure, "a part answers $name: the one failure");
		answers_truly($parts[0]);
	});
}

# ---- messages with other bytes ----

# A part logs what it is asked; then the same messages come with some bytes changed.  Each is refused, or read as
# what it says; the server does not crash.
answers_by($parts[0], q{RAISE LOG 'asked: %', encode(message, 'hex');});
asks_again('a part that logs');
is(in_session($coordinator, 'ana',
		q{SELECT count(*) FROM dpobj.train('visit', 'y', 1, '{a,n,d,tz,t,e,b}', method => 'logistic', filter => '{"n": {">": 0.5}, "e": {"in": ["low"]}}', options => '{"mechanism": "objective", "holdout": 0.2}')}),
	'1', 'a training with all kinds of columns');
my @asked = slurp_file($parts[0]->logfile) =~ /asked: ([0-9a-f]+)/g;
answers_truly($parts[0]);
my @open = grep { /^6f/ } @asked;
my @scan = grep { /^73/ } @asked;
cmp_ok(scalar @open, '>', 1, 'the messages are known');
srand 20;
my $replay = PostgreSQL::Test::Utils::tempdir() . '/replay.sql';
for my $round (1 .. 600)
{
	my ($open, $scan) = map { pack 'H*', $_->[-1] } \@open, \@scan;
	my $changed = $round % 4 ? \$open : \$scan;
	substr($$changed, rand length $$changed, 1) = chr rand 256 for 1 .. 1 + rand 3;
	$$changed = substr $$changed, 0, rand length $$changed if $round % 10 == 0;
	append_to_file($replay, 'BEGIN;' . join('', map { sprintf q{SELECT length(dpobj_internal.part('\x%s'));}, unpack 'H*', $_ } $open, $scan, 'r', 'r') . "ROLLBACK;\n");
}
my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $parts[0]->connstr('postgres') . ' user=dealer', '-f', $replay ],
	'<', \undef, '>', \my $lengths, '2>', \my $refusals, IPC::Run::timeout(300));
$run->finish;
cmp_ok(scalar(() = $refusals =~ /ERROR/g), '>', 300, 'other bytes are refused');
cmp_ok(scalar(() = $lengths =~ /^\d+$/mg), '>', 60, 'or read as what they say');
unlike($refusals, qr/server closed|terminating|invalid memory alloc request/, 'and crash nothing');
like(in_session($parts[0], 'dealer', "DO \$\$ BEGIN PERFORM dpobj_internal.part('\\x$open[-1]'); EXCEPTION WHEN OTHERS THEN RAISE; END \$\$"), qr/ERROR:  08P01/,
	'a part answers in no subtransaction');

# ---- a network that keeps connections and passes nothing on ----

# The proxy stands still.  The coordinator waits until somebody ends it; the session of the part has its lock a
# minute at most, here two seconds, and without the lock it waits for longer.
my $train = q{SELECT (dpobj.train('visit', 'y', 1, '{a,r,b}', method => 'logistic', options => '{"mechanism": "objective"}')).weights};
my $idle = q{PERFORM set_config('idle_in_transaction_session_timeout', '2s', false);};
my $show = q{RAISE LOG 'after "%" a pause of %', kind, current_setting('idle_in_transaction_session_timeout');};

sub sleeps
{
	return wait_until(30, sub { scalar_of($parts[1], q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dpobj' AND wait_event = 'PgSleep'}) });
}

sub share_locks
{
	return scalar_of($parts[1], q{SELECT count(*) FROM pg_locks WHERE relation = 'visit_part'::regclass AND mode = 'ShareLock'});
}

# The second part sleeps after that message, long enough for a busy machine to stop the proxy; the statement may take so many seconds.
sub swallows
{
	my ($name, $statement, $condition, $expected, $seconds, $check) = @_;
	answers_by($parts[1], "$show IF kind = 'o' THEN $idle END IF; IF $condition THEN PERFORM pg_sleep(3); END IF;");
	spends(
		$coordinator,
		$name,
		$expected,
		sub {
			my $ana = session($coordinator, user => 'ana', set => ["SET statement_timeout = '${seconds}s'"]);
			$ana->send($statement);
			ok(sleeps(), "$name: the part is at work");
			kill 'STOP', $proxy;
			$check->($ana);
		});
	restart_proxy();
	answers_truly($parts[1]);
	no_link_is_left($name, @parts);
	asks_again($name); # for a while the server counts as silent
	return;
}

swallows('the answer of a part that opens is swallowed', $release, q{kind = 'o'}, {}, 30, sub {
	my ($ana) = @_;
	my $start = time;
	ok(wait_until(10, sub { !links_of($parts[1]) && !share_locks() }), 'its session ends, and gives its lock back');
	is(in_session($parts[1], 'postgres', "SET lock_timeout = '2s'; UPDATE visit_part SET s = s WHERE id < 0"), '', 'writers go on');
	my $text = $ana->result;
	like($text, qr/^ERROR:  08001: part "public\.visit_2" cannot be read$/m, 'the release ends by itself');
	like($text, qr/^DETAIL:  It has not answered in time\.$/m, 'and says why');
	cmp_ok(time - $start, '<', 20, 'in time');
});
swallows('the rows of a part are swallowed', $release, q{kind = 's'}, { epsilon => 1, charged => 1, failed => 1 }, 10, sub {
	my ($ana) = @_;
	ok(wait_until(10, sub { !share_locks() }), 'the part gives its lock back when it has read');
	like($ana->result, qr/^ERROR:  57014: /, 'a time limit of the statement ends the wait');
});
swallows('a pass is swallowed', $train, q{kind = 'p' AND pass = 3}, { epsilon => 1, charged => 1, failed => 1 }, 60, sub {
	my ($ana) = @_;
	sleep(1.5);
	is(share_locks(), '0', 'a part has no lock between passes');
	scalar_of($coordinator, 'SELECT pg_cancel_backend(' . $ana->pid . ')');
	like($ana->result, qr/^ERROR:  57014: /, 'a cancel ends the wait');
	ok(wait_until(10, sub { !solvers($coordinator) }), 'and the solver');
	ok(wait_until(10, sub { !links_of($parts[0]) }), 'and the session on the part that is reached');
});
my $log = slurp_file($parts[1]->logfile);
like($log, qr/after "o" a pause of 1min$/m, 'a session with the lock waits for a minute');
unlike($log, qr/after "o" a pause of (?!1min$)/m, 'and no longer');
like($log, qr/after "$_" a pause of 1d$/m, "after message $_ for a day") for qw(s m p);

# ---- random moments ----

my @killed = (
	[ 'session of a part', sub { kill 'KILL', links_of($parts[ rand 2 ]) } ],
	[ 'server of a part', sub { $parts[1]->stop('immediate'); $parts[1]->start; } ],
	[ 'session of the coordinator', sub { kill 'KILL', $_[0]->pid } ],
	[ 'network', sub { restart_proxy() } ]);
my $solver = [ 'solver process', sub { kill 'KILL', solvers($coordinator) } ];

# Rounds of the statement, each with one of these killed within so many seconds.
sub random_rounds
{
	my ($what, $statement, $answer, $seconds, @victims) = @_;
	my ($answered, $failed, $free) = (0, 0, 0);

	for my $round (1 .. $rounds)
	{
		my ($victim, $kill) = @{ $victims[ $round % @victims ] };
		my $name = "$what, round $round, $victim";
		my $before = scalar_of($coordinator, 'SELECT coalesce(max(id), 0) FROM dpobj.ledger_events');
		my $ana = session($coordinator, user => 'ana');
		$ana->send($statement);
		sleep(rand $seconds);
		$kill->($ana);
		my $text = $ana->result;
		wait_for_server($_) for $coordinator, @parts;
		settle($coordinator);
		my ($charged, $released, $ended, $epsilon) = split /\|/, scalar_of($coordinator, <<"SQL");
SELECT count(*) FILTER (WHERE event = 'charged'), count(*) FILTER (WHERE event = 'released'),
       count(*) FILTER (WHERE event = 'failed' AND release > $before), coalesce(sum(epsilon), 0)::int FROM dpobj.ledger WHERE id > $before
SQL
		cmp_ok($charged, '<=', 1, "$name: charged once at most");
		is($epsilon, $charged, "$name: and epsilon once");
		cmp_ok($released + $ended, '<=', $charged, "$name: what is released, or has failed, is charged");
		if ($text =~ $answer) { $answered++; is($released, 1, "$name: the answer is in the ledger"); }
		elsif ($text =~ /UB004/)
		{
			$failed++;
			is($text =~ s/\nLOCATION.*//sr, $failure, "$name: the one failure");
			is("$charged $ended", '1 1', "$name: which is charged");
		}
		elsif ($victim !~ /coordinator/) { $free++; is($charged, 0, "$name: any other error is free"); }
		no_link_is_left($name, @parts);
		ok(wait_until(10, sub { !solvers($coordinator) }), "$name: no solver is left");
	}
	note "$what: answered $answered, failed after the charge $failed, before it $free";
	return;
}

random_rounds('sums', $release, qr/^-?[\d.]+$/m, 0.25, @killed);

# Passes take most of a training's time.
my $start = time;
like(in_session($coordinator, 'ana', $train), qr/^\{/, 'a training by passes answers');
random_rounds('passes', $train, qr/^\{[-0-9.,e]+\}$/m, time - $start, @killed, $solver);
asks_again('the rounds');

kill 'KILL', $proxy;
finish($coordinator);
