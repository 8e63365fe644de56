# 017_writer.pl - a server that preloads the library commits many events at once: the ledger keeps
# every promise, and the writer does not block other statements.

use DpobjTest;

my $node = dpobj_cluster(
	'writer',
	'max_connections = 60',
	'track_commit_timestamp = on');
my $train = train(QUICK);
my $once = { epsilon => 0.5, charged => 1, released => 1 };
my $control = session($node, seconds => 600);

sub run { return in_session($node, undef, @_); }

sub answered
{
	my ($name, $text) = @_;
	return is_answered($text, "$name: an answer");
}

# ---- the writer's process, and who waits for it ----

sub writers
{
	return split /\n/,
	  $control->ask("SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpobj writer'");
}

# Stops an idle writer, so that requests wait in its queue.
sub stop_writer
{
	run($train);
	my ($pid) = writers() or die 'no writer';
	kill 'STOP', $pid;
	return $pid;
}

# Sessions that wait for a charge.
sub queued
{
	my (@statements) = @_;
	my @sessions = map { session($node) } @statements;
	$_->send(shift @statements) for @sessions;
	my $pids = join ',', map { $_->pid } @sessions;
	wait_until(
		30,
		sub {
			$control->ask("SELECT count(*) FROM pg_stat_activity WHERE pid IN ($pids)"
				  . " AND wait_event_type = 'Extension'") eq @sessions;
		}) or die 'not every session waits';
	return @sessions;
}

sub results
{
	my @texts = map { $_->result } @_;
	$_->quit for @_;
	return @texts;
}

# ---- the writer starts, shows nothing of requests, and ends ----

spends(
	$node,
	'one release',
	$once,
	sub {
		answered('one release', run($train));
		is( $control->ask(
				"SELECT query FROM pg_stat_activity WHERE backend_type = 'dpobj writer'"),
			'dpobj writer',
			'pg_stat_activity shows nothing of the request');
		ok(wait_until(7, sub { !writers() }), 'an idle writer ends'); # a busy one after ten seconds
	});
unlike(slurp_file($node->logfile), qr/dpobj writer/, 'the server log does not name the writer');

# ---- the promises of the ledger ----

spends($node, 'ROLLBACK', $once, sub { answered('ROLLBACK', run('BEGIN', $train, 'ROLLBACK')) });
scalar_of($node, 'ALTER DATABASE postgres SET synchronous_commit = off');
spends(
	$node,
	'immediate stop with synchronous_commit = off',
	$once,
	sub {
		answered('before the stop', run('BEGIN', $train));
		$control->quit;
		$node->stop('immediate');
		$node->start;
		$control = session($node, seconds => 600);
	});
scalar_of($node, 'ALTER DATABASE postgres RESET ALL');

race_for_cap($node, $_) for 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE';

# ---- neighbours in a batch ----

scalar_of($node, <<'SQL');
CREATE TABLE capped AS TABLE quick;
CREATE TABLE held AS TABLE quick;
SELECT dpobj.set_budget('capped', NULL, 3.5, 0), dpobj.set_budget('held', NULL, 10, 0);
SQL
my $last = scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events');
spends(
	$node,
	'a batch with refusals of each kind',
	{ epsilon => 3.75, charged => 6, released => 6 },
	sub {
		my $holder = session($node);
		$holder->ask("BEGIN; SELECT FROM dpobj.budget_rows WHERE epsilon_nano = 10e9 FOR UPDATE");
		my $writer = stop_writer();
		my $capped = train('capped');
		my @sessions = queued(
			$capped, "SET lock_timeout = '2s'; " . train('held'), train('capped', epsilon => '9.0'),
			train('capped', epsilon => '1.25'),
			$capped, $capped, $train, $capped);
		$control->ask('SELECT pg_cancel_backend(' . $sessions[6]->pid . ')');
		refused('a cancelled session', '57014', $sessions[6]->result);
		$sessions[6]->send('SELECT');
		kill 'CONT', $writer;
		my @texts = results(@sessions);
		answered('affordable', $_) for @texts[ 0, 3, 4, 5, 7 ];
		refused('too dear', 'UB001', $texts[2]);
		refused('a budget that is locked', '55P03', $texts[1]);
		like($texts[1], qr/^ERROR:  55P03: could not write the privacy ledger$/m, 'a locked budget has the same error as without a writer');
	});
cmp_ok(
	scalar_of($node,
		'SELECT max(n) FROM (SELECT count(*) AS n FROM dpobj.ledger_events'
		  . " WHERE event = 'charged' AND id > $last GROUP BY pg_xact_commit_timestamp(xmin)) c"),
	'>', 1, 'one commit has several charges');
spends(
	$node,
	'a batch that another session changes budgets of',
	{ epsilon => 2.5, charged => 5, released => 5 },
	sub {
		my $admin = session($node);
		my $writer = stop_writer();
		my @sessions = queued((train('held')) x 4);
		$admin->ask("BEGIN; SELECT dpobj.set_budget('held', NULL, 20, 0)");
		kill 'CONT', $writer;
		sleep(0.3);
		$admin->ask('COMMIT');
		answered('after the change', $_) for results(@sessions);
	});

# A row that several transaction ids had locked would be slow to read for the charges after them.
sub next_multixact { return $control->ask('CHECKPOINT; SELECT next_multixact_id FROM pg_control_checkpoint()'); }
my $multixact = next_multixact();
spends(
	$node,
	'a batch of charges on the same budgets',
	{ epsilon => 2.5, charged => 5, released => 5 },
	sub {
		my $writer = stop_writer();
		my @sessions = queued((train('held')) x 4);
		kill 'CONT', $writer;
		answered('beside others', $_) for results(@sessions);
	});
is(next_multixact(), $multixact, 'no row has had several lockers');

# ---- requests of sessions that have ended ----

spends(
	$node,
	'cancelled and terminated in the queue',
	$once,
	sub {
		my $writer = stop_writer();
		my @sessions = queued($train, $train);
		$control->ask('SELECT pg_cancel_backend(' . $sessions[0]->pid . ')');
		$control->ask('SELECT pg_terminate_backend(' . $sessions[1]->pid . ')');
		refused('cancelled', '57014', $sessions[0]->result);
		like($sessions[1]->result, qr/^FATAL:  57P01/m, 'terminated');
		kill 'CONT', $writer;
	});

# ---- writers that die ----

spends(
	$node,
	'a writer that does nothing',
	{ epsilon => 1.5, charged => 3, released => 3 },
	sub {
		my $writer = stop_writer();
		my $began = time();
		my $charges = scalar_of($node, q(SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged'));
		my @sessions = queued($train, $train);
		ok(wait_until(20, sub { scalar_of($node, q(SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged')) == $charges + 2 }),
			'workers of the sessions write the charges');
		cmp_ok(time() - $began, '>', 1.5, 'sessions wait before they start workers');
		kill 'CONT', $writer;
		answered('the writer writes the ends when it goes on', $_) for results(@sessions);
	});
spends(
	$node,
	'kill -9 of a writer that others wait for',
	$once,
	sub {
		my $writer = stop_writer();
		my @sessions = queued(($train) x 5);
		kill 'KILL', $writer;
		unlike($_, qr/^\d+$/m, 'no answer') for results(@sessions);
		$control->quit;
		ok(wait_for_server($node), 'the server is back');
		$control = session($node, seconds => 600);
	});
spends($node, 'after the crash', $once, sub { answered('after the crash', run($train)) });

# Commits wait for a standby that does not exist, so the writer cannot answer the requests that it took.
sub standby_is
{
	my ($name) = @_;
	scalar_of($node, "ALTER SYSTEM SET synchronous_standby_names = '$name'");
	scalar_of($node, 'SELECT pg_reload_conf()');
	return wait_until(10, sub { scalar_of($node, 'SHOW synchronous_standby_names') eq $name });
}

# Whatever has happened to the process that wrote a charge.
sub charges_have_ends
{
	my ($name) = @_;
	ok( wait_until(
			20,
			sub {
				scalar_of($node,
					"SELECT count(*) FROM dpobj.ledger_events c WHERE c.event = 'charged' AND c.id > $last AND c.at > pg_postmaster_start_time()"
					  . ' AND NOT EXISTS (SELECT FROM dpobj.ledger_events e WHERE e.release = c.id)') eq '0';
			}),
		"$name has an end");
	return is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'failed' AND reason IS NULL AND at > pg_postmaster_start_time()"),
		'0', "$name is no failure of its role");
}

spends(
	$node,
	'a writer terminated before it answers',
	{ epsilon => [ 0.5, 1.5 ], charged => [ 1, 3 ], failed => [ 1, 3 ] },
	sub {
		standby_is('nobody');
		my @sessions = queued(($train) x 3);
		my $pids = join ',', map { $_->pid } @sessions;
		ok(wait_until(
				30,
				sub {
					$control->ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
						  . " WHERE backend_type LIKE 'dpobj %' AND wait_event = 'SyncRep'");
					$control->ask("SELECT count(*) FROM pg_stat_activity WHERE pid IN ($pids)"
						  . " AND state = 'active'") eq '0';
				}),
			'no session waits for ever');
		for my $session (@sessions)
		{
			refused('terminated', '55000', $session->result);
			is($session->ask('SELECT 1'), '1', 'the session is alive');
			$session->quit;
		}
		standby_is('');
		charges_have_ends('a charge that nobody could answer');
	});

# The ledger has every release that a client was told, although writers are terminated.
sub terminate_writers
{
	my ($seconds) = @_;
	my $end = time() + $seconds;
	my $terminated = 0;

	# On a busy machine few writers are found in time.
	while (time() < $end || ($terminated <= 5 && time() < $end + 30))
	{
		sleep(rand(0.1));
		$terminated += $control->ask('SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity'
			  . " WHERE backend_type = 'dpobj writer'");
	}
	return $terminated;
}

spends(
	$node,
	'writers terminated at random',
	{ epsilon => [ 0, 200 ], charged => [ 0, 400 ], released => [ 0, 400 ], failed => [ 0, 400 ] },
	sub {
		my $folder = PostgreSQL::Test::Utils::tempdir;
		append_to_file("$folder/train.sql", "$train;\n" x 50);
		my @clients = map {
			IPC::Run::start(
				[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-f', "$folder/train.sql", '-d',
					$node->connstr('postgres') ],
				'>', "$folder/answers$_", '2>', "$folder/errors$_")
		} 1 .. 8;
		my $terminated = terminate_writers(2);
		$_->finish for @clients;
		cmp_ok($terminated, '>', 5, "$terminated writers were terminated");

		my $text = join '', map { slurp_file($_) } glob "$folder/*[0-9]";
		my %releases = map { $_ => 1 } $text =~ /^(\d+)$/mg;
		my @errors = grep { $_ ne '55000' } $text =~ /(?:ERROR|FATAL|PANIC):  (\w{5}):/g;
		cmp_ok(scalar keys %releases, '>', 100, 'many calls are answered');
		is_deeply(\@errors, [], 'the other errors say that the event may have been written');
		is( scalar_of($node,
				"SELECT count(DISTINCT release) FROM dpobj.ledger WHERE event = 'released' AND release IN ("
				  . join(',', keys %releases) . ')'),
			scalar keys %releases,
			'the ledger has every answer');
		charges_have_ends('a charge whose writer was terminated');
	});

# ---- settings that change while the writer lives ----

scalar_of($node, 'CREATE ROLE eve LOGIN; GRANT SELECT ON quick TO eve;'
	  . "SELECT dpobj.grant_trainer('eve')");
my $eve = session($node, user => 'eve', seconds => 600);
my %require = (
	'ALTER DATABASE' => [
		'ALTER DATABASE postgres SET dpobj.require_budget = on',
		'ALTER DATABASE postgres RESET dpobj.require_budget'
	],
	'ALTER ROLE' => [
		'ALTER ROLE eve SET dpobj.require_budget = on',
		'ALTER ROLE eve RESET dpobj.require_budget'
	],);
for my $how (sort keys %require)
{
	my ($set, $reset) = @{ $require{$how} };
	spends(
		$node, "$how while the writer lives",
		{ epsilon => 1, charged => 2, released => 2 },
		sub {
			answered('before', $eve->ask($train));
			$control->ask($set);
			refused("$how SET", 'UB002', $eve->ask($train));
			$control->ask($reset);
			answered("$how RESET", $eve->ask($train));
		});
}
spends(
	$node,
	'a reload while the writer lives',
	{ epsilon => 1, charged => 2, released => 2 },
	sub {
		my $reload = sub {
			my ($change, $state) = @_;
			$control->ask("ALTER SYSTEM $change");
			$control->ask('SELECT pg_reload_conf()');
			wait_until(10, sub { run('SHOW dpobj.require_budget') eq $state }) or die;
		};
		answered('before', $eve->ask($train));
		$reload->('SET dpobj.require_budget = on', 'on');
		refused('a reload', 'UB002', $eve->ask($train));
		$reload->('RESET dpobj.require_budget', 'off');
		answered('another reload', $eve->ask($train));
	});
$eve->quit;

# ---- several databases, and statements that need a database without other sessions ----

scalar_of($node, 'CREATE DATABASE second');
$node->safe_psql('second',
	'CREATE EXTENSION dpobj; CREATE TABLE quick (features float8[], label boolean);'
	  . 'INSERT INTO quick SELECT ARRAY[i % 2, i % 3 - 1], i % 2 = 1 FROM generate_series(1, 60) i');
spends(
	$node,
	'two databases at once',
	{ epsilon => 5, charged => 10, released => 10 },
	sub {
		my @sessions = map { session($node, database => $_) } (qw(postgres second)) x 10;
		$_->send($train) for @sessions;
		ok(wait_until(30, sub { writers() == 2 }), 'each database has a writer');
		my @texts = map { $_->result } @sessions;
		answered('each', $_) for @texts;
	});
is($node->safe_psql('second', "SELECT count(*) FROM dpobj.ledger WHERE event = 'released'"),
	'10', 'the other database has its own ledger');
my $elsewhere = session($node, database => 'second');
answered('before the extension is dropped', $elsewhere->ask($train));
$elsewhere->ask('DROP EXTENSION dpobj CASCADE; CREATE EXTENSION dpobj');
is($elsewhere->ask($train), '1', 'a charge goes to the ledger of the new extension');
$elsewhere->quit;

for my $case (
	[ second => 'CREATE DATABASE third TEMPLATE second' ],
	[ third => 'ALTER DATABASE third RENAME TO fourth' ],
	[ second => 'DROP DATABASE second' ],
	[ fourth => 'DROP DATABASE fourth WITH (FORCE)' ])
{
	my ($database, $change) = @$case;
	my $session = session($node, database => $database);
	$session->ask('SELECT dpobj.confirm_epoch()');
	answered("a charge before $change", $session->ask($train));
	$session->quit;
	is( $control->ask("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpobj writer'"
			  . " AND datname = '$database'"),
		'1', 'a writer is connected to the database');
	my $began = time();
	is($control->ask($change), '', $change);
	cmp_ok(time() - $began, '<', 20, sprintf('%s took %.1f s', $change, time() - $began));
}

# ---- few worker slots ----

# The launchers of logical replication and of jobs take two of them.
$control->quit;
$node->append_conf('postgresql.conf', 'max_worker_processes = 3');
$node->restart;
$control = session($node, seconds => 600);
spends(
	$node,
	'one slot is enough',
	{ epsilon => 10, charged => 20, released => 20 },
	sub {
		my @sessions = map { session($node) } 1 .. 20;
		$_->send($train) for @sessions;
		answered('each', $_) for results(@sessions);
		is(scalar_of($node, "SELECT dpobj.set_budget('quick', NULL, 1000, 0)"),
			'', 'dpobj.set_budget waits until the writer has ended');
	});
$control->quit;
$node->append_conf('postgresql.conf', 'max_worker_processes = 2');
$node->restart;
$control = session($node, seconds => 600);
spends(
	$node,
	'no slot',
	{},
	sub {
		my $began = time();
		refused('no slot', '53000', run($train));
		cmp_ok(time() - $began, '<', 60, 'the refusal comes after half a minute');
	});
$control->quit;

unlike(slurp_file($node->logfile), qr/deadlock/, 'no session met a deadlock');
finish($node);
