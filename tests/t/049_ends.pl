# 049_ends.pl - every charge gets an end: maintenance loses no answer, and what ends a release says why.
#
# DPOBJ_CHARGES: how many charges are made beside the maintenance, 160 by default.
# DPOBJ_STOPS: how often the server is stopped under load, 4 times by default.

use DpobjTest;

use constant CLIENTS => 8;

my $charges = $ENV{DPOBJ_CHARGES} || 160;
my $node = dpobj_cluster('ends', 'max_connections = 60', 'dpobj.release_tick = 50');
my @roles = map { "c$_" } 1 .. CLIENTS;
login_roles($node, @roles);
scalar_of($node, <<'SQL');
CREATE TABLE patient AS SELECT i % 2 = 0 AS ill, i % 3 = 0 AS a, i % 5 = 0 AS b FROM generate_series(1, 300) i;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}, "b": {}}');
SQL
scalar_of($node, "GRANT SELECT ON quick TO $_; SELECT dpobj.grant_trainer('$_'), dpobj.set_budget('patient', '$_', 100000, 0), dpobj.set_budget('quick', '$_', 100000, 0)")
  for @roles;

my $count = "SELECT 'answer', value FROM dpobj.count('patient', 0.1)";

# ---- maintenance beside eight clients ----

# What each client asks in turn: each door, with a model, groups and an answer.
my @calls = (
	$count,
	"SELECT 'answer', (dpobj.train('patient', 'ill', 0.1)).release",
	"SELECT 'answer', (dp_halfspace(features, label, 0.1, 0)).release FROM quick",
	"SELECT 'answer', (dp_count(0.1)).value FROM quick",
	"SELECT 'answer', count(*) FROM dpobj.train_groups('patient', 'ill', 0.2, by => ARRAY['a'])");

my @tables = qw(charge_counts ledger_events model_rows budget_rows identities job_rows lineage);
my @maintenance = (
	map({ "REINDEX TABLE dpobj.$_" } @tables),
	map({ "VACUUM FULL dpobj.$_" } @tables),
	map({ "CLUSTER dpobj.$_ USING ${_}_pkey" } grep { $_ ne 'lineage' } @tables),
	map({ "ALTER TABLE dpobj.$_ SET (fillfactor = 90)" } @tables),
	map({ "REINDEX TABLE CONCURRENTLY dpobj.$_" } 'charge_counts', 'model_rows'),

	# as pg_repack locks a table, and an administrator who looks at several
	map({ "BEGIN; LOCK TABLE dpobj.$_ IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.3); COMMIT" } @tables),
	"BEGIN; LOCK TABLE dpobj.model_rows IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.1); LOCK TABLE dpobj.ledger_events; COMMIT");

sub statements
{
	my ($name, @lines) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$name.sql";
	append_to_file($file, join ";\n", @lines, '');
	return $file;
}

sub run_client
{
	my ($role, $file, $output) = @_;
	return IPC::Run::start(
		[ 'psql', '-XAtq', '-U', $role, '-d', $node->connstr('postgres'), '-f', $file ],
		'>', "$output.out", '2>', "$output.err");
}

my $folder = PostgreSQL::Test::Utils::tempdir();
my $last = scalar_of($node, 'SELECT coalesce(max(id), 0) FROM dpobj.ledger_events');
my $each = int(($charges + CLIENTS - 1) / CLIENTS);
my $began = time();
my @clients = map {
	my $shift = $_;
	run_client("c$_", statements("c$_", map { $calls[ ($_ + $shift) % @calls ] } 1 .. $each), "$folder/c$_")
} 1 .. CLIENTS;
my $rounds = 0;
my $admin = session($node, seconds => 600);

while (grep { $_->pumpable } @clients)
{
	my $statement = $maintenance[ $rounds++ % @maintenance ];
	my $text = $admin->ask($statement);
	unlike($text, qr/ERROR/, $statement) if $text =~ /ERROR/ && $text !~ /deadlock detected/;
	$admin->ask('ROLLBACK') if $text =~ /ERROR/;
	sleep(0.05);
	eval { $_->pump_nb } for @clients; # it dies if the client has just ended
}
$_->finish for @clients;
note sprintf '%d charges beside %d commands of maintenance in %.0f s', CLIENTS * $each, $rounds, time() - $began;

my ($answers, @errors) = (0);
for my $role (@roles)
{
	$answers += () = slurp_file("$folder/$role.out") =~ /^answer\|/mg;
	push @errors, slurp_file("$folder/$role.err") =~ /ERROR: .*/g;
}
is("@errors", '', 'no client saw an error');
is($answers, CLIENTS * $each, 'each has its answer');
my $ends = 'FROM dpobj.ledger_events c LEFT JOIN dpobj.ledger_events e ON e.release = c.id'
  . " WHERE c.event = 'charged' AND c.id > $last";
is(scalar_of($node, "SELECT count(*), count(*) FILTER (WHERE e.event = 'released') $ends"),
	join('|', (CLIENTS * $each) x 2), 'each charge is released');

$admin->quit;

# ---- an end that meets a lock for longer than anybody waits ----

my %watch; # sessions by role

# The state of a charge, as a session of its role sees it.
sub state_of
{
	my ($role, $charge) = @_;
	$watch{$role} //= session($node, user => $role, seconds => 600);
	return $watch{$role}->ask("SELECT state, reason, name, model IS NOT NULL OR answer IS NOT NULL FROM dpobj.answer($charge)");
}

sub last_id
{
	$watch{postgres} //= session($node, seconds => 600);
	return $watch{postgres}->ask("SELECT max(id) FROM dpobj.ledger_events WHERE event = 'charged'");
}

my $locker = session($node);
my $hold = 'BEGIN; LOCK TABLE dpobj.model_rows IN SHARE MODE';
my $named = "SELECT value FROM dpobj.count('patient', 0.25, name => 'kept')";

spends(
	$node,
	'statement_timeout while the end waits for a lock',
	{ epsilon => 0.25, charged => 1, released => 1 },
	sub {
		scalar_of($node, 'ALTER ROLE c1 SET dpobj.release_tick = 5000');
		my $client = session($node, user => 'c1');
		my $before = last_id();
		state_of('c1', 0);
		$client->send("SET statement_timeout = '9s'; $named");
		ok(wait_until(30, sub { last_id() ne $before }), 'the charge is committed');
		my $charge = last_id();
		is(state_of('c1', $charge), 'running|||f', 'it runs');
		$locker->ask($hold);
		like($client->result, qr/^ERROR:  57014: .*\nCONTEXT:  release $charge, whose answer is written all the same/ms,
			'the statement ends, and says where the answer will be');
		is(state_of('c1', $charge), 'writing|||f', 'the answer waits to be written');
		like(in_session($node, 'c2', "SELECT * FROM dpobj.answer($charge)"), qr/^ERROR:  42704: charge $charge does not exist$/m, 'for its role only');

		# The same name does not pay again, however early it asks.
		$client->send("SET statement_timeout = 0; $named");
		sleep(1);
		$locker->ask('COMMIT');
		like($client->result, qr/^\d+$/m, 'the same name gets the answer');
		is(state_of('c1', $charge), 'released||kept|t', 'the charge has it');
	});

spends(
	$node,
	'a lock of the own transaction, which VACUUM FULL waits for before the charge',
	{},
	sub {
		my $client = session($node, user => 'c2');
		$client->ask('BEGIN; SELECT count(*) FROM dpobj.models');
		$locker->send('VACUUM FULL dpobj.model_rows');
		waits_for_lock($node, $locker->pid);
		like($client->ask($count), qr/^ERROR:  55P03: could not write the privacy ledger$/m, 'nobody waits for ever');
		$client->ask('ROLLBACK');
		$locker->result;
	});
spends(
	$node,
	'a lock of the own transaction, which VACUUM FULL waits for after the charge',
	{ epsilon => 0.1, charged => 1, released => 1 },
	sub {
		my $client = session($node, user => 'c1');
		my $before = last_id();
		$client->ask('BEGIN; SELECT count(*) FROM dpobj.models; SAVEPOINT s');
		$client->send($count);
		ok(wait_until(30, sub { last_id() ne $before }), 'the charge is committed');
		$locker->send('VACUUM FULL dpobj.model_rows');
		like($client->result, qr/^ERROR:  55P03: the answer is paid for but cannot be written yet$/m, 'nobody waits for ever');
		$client->ask('ROLLBACK TO s');
		like($client->ask($count), qr/^ERROR:  55P03: an earlier answer is paid for but cannot be written yet$/m, 'nor in a further call');
		$client->ask('ROLLBACK');
		$locker->result;
		ok(wait_until(20, sub { state_of('c1', last_id()) eq 'released|||t' }), 'the answer is given later');
	});

# ---- an end that cannot be written for another reason ----

spends(
	$node,
	'a ledger that takes no answers for a while',
	{ epsilon => 0.1, charged => 1, released => 1 },
	sub {
		my $closed = slurp_file($node->logfile);
		scalar_of($node, 'ALTER TABLE dpobj.model_rows ADD CONSTRAINT closed CHECK (released IS NULL) NOT VALID');
		like(in_session($node, 'c1', $count), qr/^ERROR:  23514: could not write the privacy ledger$/m, 'the call says why it gets no answer');
		my $charge = last_id();
		is(state_of('c1', $charge), 'writing|||f', 'the answer is kept');
		my @lines = substr(slurp_file($node->logfile), length $closed) =~ /could not write the end of private release $charge yet: new row/g;
		is(scalar @lines, 1, 'the server log says so once');
		scalar_of($node, 'ALTER TABLE dpobj.model_rows DROP CONSTRAINT closed');
		ok(wait_until(10, sub { state_of('c1', $charge) eq 'released|||t' }), 'whoever asks for the answer has it written');
	});

# ---- a clock that is set back ----

spends(
	$node,
	'a release that seems to have begun before the server',
	{ epsilon => 0.2, charged => 2, released => 2 },
	sub {
		my $client = session($node, user => 'c1');
		my $before = last_id();
		$client->send($count);
		ok(wait_until(30, sub { last_id() ne $before }), 'the charge is committed');
		scalar_of($node, 'ALTER TABLE dpobj.ledger_events DISABLE TRIGGER USER;'
			  . "UPDATE dpobj.ledger_events SET at = at - interval '1 year' WHERE id = (SELECT max(id) FROM dpobj.ledger_events WHERE event = 'charged');"
			  . 'ALTER TABLE dpobj.ledger_events ENABLE TRIGGER USER;'
			  . "UPDATE dpobj.server_start SET at = at - interval '1 day', settled = 0");
		like(in_session($node, 'c2', $count), qr/^answer\|/m, 'another charge is the first since the start');
		like($client->result, qr/^answer\|/m, 'the release goes on');
		$client->quit;
	});

# ---- what ends a release says why ----

scalar_of($node, 'ALTER ROLE c3 SET dpobj.release_tick = 5000');
my $canceled = { epsilon => 0.1, charged => 1, failed => 1 };

sub ends_by
{
	my ($name, $reason, $act) = @_;
	spends(
		$node, $name,
		$canceled,
		sub {
			my $client = session($node, user => 'c3');
			my $before = last_id();
			state_of('c3', 0);
			$client->send($count);
			ok(wait_until(30, sub { last_id() ne $before }), "$name: charged");
			$act->($client);
			eval { $client->result };
			ok(wait_until(20, sub { state_of('c3', last_id()) eq "failed|$reason||f" }), "$name: failed by $reason")
			  or diag(state_of('c3', last_id()));
		});
}
ends_by('pg_cancel_backend in the tick', 'cancel', sub { $watch{postgres}->ask('SELECT pg_cancel_backend(' . $_[0]->pid . ')') });
ends_by('pg_terminate_backend in the tick', 'cancel', sub { $watch{postgres}->ask('SELECT pg_terminate_backend(' . $_[0]->pid . ')') });
is(scalar_of($node, 'SELECT count(*) FROM dpobj.counted_failures'), '0', 'cancels are no failures');

# ---- stops of the server under load ----

$_->quit for values %watch, $locker;
%watch = ();

my $stops = $ENV{DPOBJ_STOPS} || 4;
my $slowest = 0;
scalar_of($node, "ALTER ROLE $_ SET dpobj.release_tick = 1000") for @roles;
for my $round (1 .. $stops)
{
	scalar_of($node, "SET SESSION AUTHORIZATION c$_; SELECT dpobj.submit('train', 'patient', '{\"label\": \"ill\", \"epsilon\": 0.1}', 'job $_ $round')") for 1 .. 3;
	my @sessions = map { session($node, user => "c$_") } 4 .. 6;
	$_->send($count) for @sessions;
	push @sessions, session($node);
	$sessions[-1]->send(train(SLOW));
	sleep(0.5 + rand(1.5));
	my $start = time();
	$node->stop('fast');
	my $took = time() - $start;
	$slowest = $took if $took > $slowest;
	$_->quit for @sessions;
	$node->start;
}
cmp_ok($slowest, '<', 5, sprintf('%d stops under load took at most %.1f s each', $stops, $slowest));

# A prepared transaction keeps the end of a release from being written, and a stop waits for neither.
scalar_of($node, 'ALTER ROLE c4 SET dpobj.release_tick = 60000');
{
	my $left = session($node, user => 'c4');
	my $before = last_id();
	$left->send($count);
	ok(wait_until(30, sub { last_id() ne $before }), 'a release waits for its tick');
	$node->safe_psql('postgres', "BEGIN; LOCK TABLE dpobj.ledger_events IN SHARE MODE; PREPARE TRANSACTION 'holds the ledger'");
	$node->stop('fast');
	$_->quit for $left, values %watch;
	%watch = ();
	$node->start;
	scalar_of($node, "COMMIT PREPARED 'holds the ledger'");
}

# A charge at the analyst's door ends what the stops have left.
like(in_session($node, 'c7', $count), qr/^answer\|/m, 'the ledger is open after the stops');
wait_until(60, sub { scalar_of($node, "SELECT count(*) FROM dpobj.jobs WHERE state IN ('queued', 'running')") eq '0' });
is(scalar_of($node, "SELECT count(*) $ends AND e.id IS NULL"), '0', 'every charge has an end');
is(scalar_of($node, 'SELECT count(*) FROM dpobj.counted_failures'), '0', 'an orderly stop is no failure');

# ---- failures that count, and their reset ----

scalar_of($node, 'ALTER ROLE c8 SET dpobj.release_tick = 5000');
for my $round (1 .. 3)
{
	my $client = session($node, user => 'c8');
	my $before = last_id();
	$client->send($count);
	ok(wait_until(30, sub { last_id() ne $before }), 'charged');
	$node->stop('immediate');
	$_->quit for $client, values %watch;
	%watch = ();
	$node->start;
	in_session($node, 'c7', $count);
}
is(scalar_of($node, "SELECT role, failures FROM dpobj.failures WHERE relation = 'patient'::regclass AND role = 'c8'"), 'c8|3', 'crashes are failures');
like(in_session($node, 'c8', $count), qr/^ERROR:  UB003: releases from this table have failed too often$/m, 'the role is refused');
scalar_of($node, 'CREATE TABLE hospital (LIKE patient); ALTER TABLE patient INHERIT hospital');
is(scalar_of($node, "SELECT dpobj.reset_failures('hospital', 'c8')"), '3', 'an administrator resets them in one call, where the table has become a child');
scalar_of($node, 'ALTER TABLE patient NO INHERIT hospital');
like(in_session($node, 'c8', $count), qr/^answer\|/m, 'the role may go on');
is(scalar_of($node, "SELECT dpobj.reset_failures('patient')"), '0', 'nothing is left to reset');

finish($node);
