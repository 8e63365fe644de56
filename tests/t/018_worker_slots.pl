# 018_worker_slots.pl - more sessions than worker slots, while the ledger is locked, so that each
# charge needs a worker: they wait in a queue, and errors claim no more than is known.

use DpobjTest;

use constant CLIENTS => 50;
use constant TRAININGS => 3;

my $node = dpobj_cluster('worker_slots', 'max_worker_processes = 8', 'max_connections = 80');
my $train = train(QUICK, epsilon => 1);
my $folder = PostgreSQL::Test::Utils::tempdir;

# Who waits for a worker slot.
my $waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_authid'::regclass AND objsubid = 3";

# ---- a burst ----

spends(
	$node,
	'a burst of ' . CLIENTS . ' clients on 8 worker slots',
	{ epsilon => CLIENTS * TRAININGS, charged => CLIENTS * TRAININGS, released => CLIENTS * TRAININGS },
	sub {
		append_to_file("$folder/train.sql", "$train;\n" x TRAININGS);
		my $began = time();
		my $locker = session($node);
		$locker->ask('BEGIN; LOCK TABLE dpobj.ledger_events IN EXCLUSIVE MODE');
		my @clients = map {
			IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-f', "$folder/train.sql", '-d', $node->connstr('postgres') ],
				'>', "$folder/answers$_", '2>', "$folder/errors$_")
		} 1 .. CLIENTS;
		ok(wait_until(30, sub { scalar_of($node, $waits) > CLIENTS / 2 }), 'most sessions wait in the queue');
		$locker->quit;
		$_->finish for @clients;
		diag(sprintf '%d releases of %d clients in %.1f s', CLIENTS * TRAININGS, CLIENTS, time() - $began);
		is(join('', map { slurp_file($_) } glob "$folder/errors*"), '', 'no client is refused');
		my %releases = map { $_ => 1 } map { split /\n/, slurp_file($_) } glob "$folder/answers*";
		is(scalar keys %releases, CLIENTS * TRAININGS, 'every call is answered, each with its own release');
	});

# ---- no slot at all ----

# All slots are taken while a solver works.  The writer's is free again when it has been idle for a second.
my $nobody = qr/^ERROR:  53000: no background worker is free to write the privacy ledger\nDETAIL:  None was within 30 seconds\./m;

# Sessions that hold all worker slots: each has a parallel query that does not end.
sub occupy
{
	my @holders;
	wait_until(20, sub { scalar_of($node, "SELECT count(*) FROM pg_stat_activity WHERE backend_type IN ('dpobj writer', 'dpobj charge')") eq '0' })
	  or die 'the writer does not end';
	my $free = "SELECT current_setting('max_worker_processes')::int - count(*) FROM pg_stat_activity"
	  . " WHERE backend_type IN ('parallel worker', 'logical replication launcher', 'dpobj launcher')";
	while ((my $left = scalar_of($node, $free)) > 0)
	{
		my $holder = session($node);
		$holder->ask('SET ' . FORCE_PARALLEL . ' = on; SET max_parallel_workers_per_gather = 1; SET parallel_leader_participation = off');
		$holder->send('SELECT pg_sleep(300)');
		wait_until(20, sub { scalar_of($node, $free) < $left }) or die 'no worker is taken';
		push @holders, $holder;
	}
	return @holders;
}

scalar_of($node, 'ALTER SYSTEM SET max_parallel_workers = 8; SELECT pg_reload_conf()');
my $slow = session($node);
spends(
	$node,
	'no worker slot for the charge, nor for the end of a release',
	{ epsilon => 0.5, charged => 1, released => 1 },
	sub {
		$slow->send(train(SLOW, options => '"grid": {"sparse": 7}'));
		my $solver = solver_of($node, $slow);
		kill 'STOP', $solver;
		my @holders = occupy();
		my ($first, $second) = map { session($node) } 1 .. 2;
		$first->ask(q{SET lock_timeout = '10ms'});
		$_->send($train) for $first, $second;
		kill 'CONT', $solver;
		ok(wait_until(20, sub { scalar_of($node, $waits) eq '2' }), 'the sessions wait in the queue');
		refused('a cancel in the queue', '57014', in_session($node, undef, "SET statement_timeout = 300; $train"));
		for my $session ($first, $second)
		{
			my $text = $session->result;
			like($text, $nobody, 'a call is refused after half a minute');
			like($text, qr/^DETAIL:  .* Nothing was written to the ledger\.$/m, 'the refusal says that nothing was charged');
		}
		is(scalar_of($node, $waits), '0', 'no session waits in the queue any more');
		for my $holder (@holders)
		{
			scalar_of($node, 'SELECT pg_cancel_backend(' . $holder->pid . ')');
			$holder->result;
			$holder->quit;
		}
		is_answered($slow->result, 'the release whose end waited for a slot is answered');
	});
spends($node, 'free slots', { epsilon => 1, charged => 1, released => 1 },
	sub { is_answered($slow->ask($train), 'the session goes on') });
$slow->quit;

finish($node);
