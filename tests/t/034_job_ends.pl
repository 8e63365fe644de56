# 034_job_ends.pl - the ends of jobs as rule Q7 says: a job that is cancelled, fails, loses its worker
# or gets none is charged once at most and never runs again after its charge; and the launcher, which
# starts workers again.

use DpobjJobs;
use DpobjTest;

jobs_cluster('ends');

# ---- cancelling in each phase ----

# Waits until a job's worker waits for a lock: a worker that finds no job, or whose wait was too long, ends.
sub worker_waits
{
	my ($name) = @_;
	return ok(wait_until(20, sub { grep { scalar_of($node, "SELECT count(*) FROM pg_locks WHERE pid = $_ AND NOT granted") } worker_pids() }), $name);
}

spends($node, 'before the charge', {}, sub {
	my $locker = session($node);
	my ($id) = while_queued(
		sub { submit('ana', 'locked', 'patient') },
		sub { $locker->ask('BEGIN; LOCK TABLE patient') });
	worker_waits('the job waits for the table');
	is(job($id, 'state, phase, release'), 'running|queued|', 'the job is not charged before it has the lock');
	cancel('ana', $id);
});

spends($node, 'waits in vain for the table, and then for its own row', $once, sub {
	my $table = session($node);
	my $rows = session($node);
	my ($id) = while_queued(
		sub { submit('ana', 'patient', 'patient') },
		sub { $table->ask('BEGIN; LOCK TABLE patient') });
	worker_waits('the job waits for the table');
	$rows->ask('BEGIN; LOCK TABLE dpobj.job_rows IN SHARE MODE');
	sleep(12); # longer than it waits for both locks
	$_->quit for $rows, $table;
	becomes($id, 'released');
});

spends($node, 'as it is taken from the queue', {}, sub {
	all_workers_end();
	my $holder = session($node);
	$holder->ask($_) for 'SELECT pg_advisory_lock(7)', <<'SQL';
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END';
CREATE TRIGGER hold AFTER UPDATE ON dpobj.job_rows FOR EACH ROW
  WHEN (OLD.state = 'queued' AND NEW.state = 'running') EXECUTE FUNCTION public.hold();
SQL
	my $id = submit('ana', 'taken', 'patient');
	worker_waits('the job is being taken');
	$session{ana}->send("BEGIN; SELECT dpobj.cancel($id)");
	ok(waits_for_lock($node, $session{ana}->pid), 'the cancel waits for it');
	$holder->ask('SELECT pg_advisory_unlock(7)');
	is($session{ana}->result, 't', 'the job is cancelled as it is taken');
	ok(wait_until(20, sub { row_state($id) eq 'cancelled' }), 'the job ends before the transaction that cancelled it');
	$session{ana}->ask('COMMIT');
	$holder->ask('DROP TRIGGER hold ON dpobj.job_rows; DROP FUNCTION hold()');
	$holder->quit;
});

spends($node, 'while it scans', $kept, sub {
	my $id = submit('ana', 'scanning', 'large', epsilon => '0.5');
	enters($id, 'scanning');
	cancel('ana', $id);
	like(job($id, 'release'), qr/^\d+$/, 'the charge of a cancelled job stays');
});

spends($node, 'while it solves', $kept, sub {
	my $id = submit('ana', 'solving', 'hard');
	enters($id, 'solving');
	my @solvers;
	ok(wait_until(20, sub { @solvers = solvers($node) }), 'the job has a solver');
	cancel('ana', $id);
	ok(wait_until(10, sub { !runs($solvers[0]) }), 'the solver ends with the job');
});

# Submits a job, and runs a block between its charge and its tick, which is far away.
sub between
{
	my ($who, $name, $table, $change) = @_;
	configure('ALTER SYSTEM SET dpobj.release_tick = 5000');
	sleep(0.3);
	my $id = $session{control}->ask("SET SESSION AUTHORIZATION $who; " . submission($name, $table) . '; RESET SESSION AUTHORIZATION');
	enters($id, 'scanning|solving');
	like(job($id, 'release'), qr/^\d+$/, 'the charge of a job that runs is shown');
	$change->();
	configure('ALTER SYSTEM RESET dpobj.release_tick');
	return $id;
}

# From then on nothing can be written to the ledger.
my $locker;
sub lock_ledger { ($locker = session($node, seconds => 300))->ask('BEGIN; LOCK TABLE dpobj.ledger_events IN SHARE MODE'); }

# A job ends as its charge does, when the ledger can be written: what was released stays released.
spends($node, 'while it releases', $once, sub {
	my $id = between('ana', 'releasing', 'patient', \&lock_ledger);
	enters($id, 'releasing');
	is($session{ana}->ask("SELECT dpobj.cancel($id)"), 't', 'ana cancels the job');
	sleep(6); # longer than a job waits for its locks
	is(job($id, 'state'), 'running', 'the job does not end before its charge');
	$locker->quit;
	becomes($id, 'released');
	is(scalar_of($node, "SELECT count(*) FROM dpobj.models WHERE name = 'releasing'"), 1, 'the model is kept');
});

spends($node, 'at its tick', $kept, sub {
	my $id = between('ana', 'tick', 'patient', sub { });
	is($session{ana}->ask("SELECT dpobj.cancel($id)"), 't', 'ana cancels a job that waits for its tick');
	becomes($id, 'cancelled');
	is(scalar_of($node, "SELECT e.reason FROM dpobj.ledger_events e JOIN dpobj.job_rows j ON e.release = j.release WHERE e.event = 'failed' AND j.id = $id"),
		'cancel', 'the charge ends with the cancel as its reason');
});

# ---- failures ----

spends($node, 'a solver that is not there', { epsilon => 1, charged => 2, failed => 2 }, sub {
	my ($id, $error);
	without_solver($node, sub {
		becomes($id = submit('ana', 'broken', 'patient'), 'failed');
		$error = $session{bob}->ask(q{SELECT dpobj.train('patient', 'ill', 0.5, '{a,b}')});
	});
	my ($state, $message, $detail) = $error =~ /^ERROR:  (\w{5}): (.*)\nDETAIL:  (.*)$/m;
	is(job($id, 'sqlstate, reason'), "$state|$message\n$detail", 'a job fails with the error of dpobj.train');
});

spends($node, 'a failure that is cancelled', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	hide_solver($node);
	my $id = between('ana', 'seen coming', 'patient', \&lock_ledger);
	enters($id, 'releasing');
	restore_solver($node);
	is($session{ana}->ask("SELECT dpobj.cancel($id)"), 't', 'a cancel after the failure') for 1, 2;
	sleep(6); # longer than a job waits for its locks
	is(job($id, 'state'), 'running', 'the job does not end before its failure is counted');
	$locker->quit;
	becomes($id, 'failed');
	like(job($id, 'sqlstate, reason'), qr/^UB004\|the release failed and nothing was released$/m, 'it has failed as dpobj.train does');
});

spends($node, 'renamed between charge and tick', $once, sub {
	my $id = between('bob', 'renamed', 'patient', sub { scalar_of($node, 'ALTER ROLE bob RENAME TO robert') });
	becomes($id, 'released');
	is(job($id, 'submitter'), 'robert', 'the job is the renamed role\'s');
	scalar_of($node, 'ALTER ROLE robert RENAME TO bob');
});

spends($node, 'dropped before the charge', {}, sub {
	scalar_of($node, <<'SQL');
CREATE TABLE brief AS TABLE patient;
CREATE ROLE brief;
SELECT dpobj.protect('brief', '{"ill": {}, "a": {}, "b": {}}'), dpobj.set_budget('brief', 'ana', 1, 0), dpobj.set_budget('patient', 'brief', 1, 0);
SQL
	my ($table, $role) = while_queued(
		sub {
			map { $session{control}->ask("SET SESSION AUTHORIZATION $_->[0]; " . submission('brief', $_->[1]) . '; RESET SESSION AUTHORIZATION') }
			  [ 'ana', 'brief' ], [ 'brief', 'patient' ];
		},
		sub { scalar_of($node, 'DROP TABLE brief; DROP ROLE brief') });
	becomes($_, 'failed') for $table, $role;
	like(job($table, 'sqlstate, reason'), qr/^42P01\|the table of the job does not exist any more$/, 'the job says that the table is gone');
	is(job($role, 'sqlstate, reason'), '42704|the role that submitted the job does not exist any more', 'the job says that the role is gone');
});

# ---- ticks ----

configure('ALTER SYSTEM SET dpobj.release_tick = 1000');
spends($node, 'ticks', $once, sub {
	my $id = submit('ana', 'ticks', 'patient');
	becomes($id, 'released');
	is(job($id, 'finished = date_trunc($$second$$, finished)'), 't', 'a job ends at a tick');
	is(scalar_of($node, 'SELECT abs(extract(epoch FROM l.at - j.finished)) < 1.5 FROM dpobj.ledger l, dpobj.jobs j'
			  . " WHERE j.id = $id AND l.event = 'released' AND l.release = j.release"), 't', 'its release comes at the same tick');
});
spends($node, 'a failure', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	my $id;
	without_solver($node, sub { becomes($id = submit('ana', 'late failure', 'patient'), 'failed') });
	is(job($id, 'finished = date_trunc($$second$$, finished)'), 't', 'a failure ends at a tick, too');
});
configure('ALTER SYSTEM RESET dpobj.release_tick');

# ---- deaths ----

# Has the ledger the failure of the job, after another session has read dpobj.jobs?
sub failed_release
{
	my ($id) = @_;
	in_session($node, 'bob', 'SELECT count(*) FROM dpobj.jobs');
	return scalar_of($node, "SELECT count(*) FROM dpobj.ledger_events e JOIN dpobj.job_rows j ON e.release = j.release"
		  . " WHERE e.event = 'failed' AND j.id = $id");
}

sub survives
{
	my ($name, $kill) = @_;
	my $before = checkpointer();
	spends($node, $name, { epsilon => 1, charged => 2, released => 1, failed => 1 }, sub {
		my $id = submit('ana', "$name 1", 'hard');
		my $queued = submit('ana', "$name 2", 'patient');
		enters($id, 'solving');
		my $release = job($id, 'release');
		like($release, qr/^\d+$/, 'the charge of a job that runs is shown');
		$_->quit for values %session;
		$kill->();
		ok(wait_until(30, sub { my $now = checkpointer(); $now ne '' && $now ne $before }), 'the server was restarted');
		connect_all();
		ok(wait_until(20, sub { row_state($queued) eq 'released' }), 'the queued job runs without a call');
		is($session{ana}->ask("SELECT state, phase, reason, release FROM dpobj.jobs WHERE id = $id"),
			"failed||the job's worker ended before the job\nThe charge stays.|$release", 'the job that ran has failed');
		is($session{ana}->ask("SELECT dpobj.wait($id)"), 'failed', 'dpobj.wait returns at once');
	});
	return;
}

survives('a restart', sub { $node->restart });
survives('an immediate stop', sub { $node->stop('immediate'); $node->start });
survives('kill -9 of the worker', sub { kill 'KILL', scalar_of($node, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpobj job'") });
survives('kill -9 of a backend', sub { my $victim = session($node); kill 'KILL', $victim->pid; $victim->quit });

# However a worker ends, a charge has an end in the ledger.
spends($node, 'the worker is terminated', { epsilon => 1, charged => 2, failed => 2 }, sub {
	my $id = submit('ana', 'terminated', 'hard');
	enters($id, 'solving');
	scalar_of($node, 'SELECT pg_terminate_backend(' . (worker_pids())[0] . ')');
	becomes($id, 'failed');
	ok(wait_until(20, sub { failed_release($id) }), 'the ledger has the failure after the next call');
	my $again = $session{ana}->ask(submission('terminated', 'hard'));
	isnt($again, $id, 'a second submission is another job, which is charged');
	enters($again, 'solving');
	cancel('ana', $again);
});
spends($node, 'the worker is cancelled by its process id', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	my $id = submit('ana', 'interrupted', 'hard');
	enters($id, 'solving');
	scalar_of($node, 'SELECT pg_cancel_backend(' . (worker_pids())[0] . ')');
	becomes($id, 'failed');
	ok(failed_release($id), 'the ledger has the failure of the interrupted job');
});

# ---- dump and restore ----

spends($node, 'a dump', $once, sub {
	becomes(submit('ana', 'first', 'patient'), 'released');
	while_queued(
		sub { submit('ana', 'dumped', 'patient') },
		sub {
			my ($id) = @_;
			copy_by_dump($node, 'postgres', 'restored', 'plain');
			is( $node->safe_psql('restored', "SELECT state, reason, submitter FROM dpobj.jobs WHERE id = $id"),
				'failed|the job was submitted before the database was restored|ana',
				'a job that was queued in the dump has failed');
			is($node->safe_psql('restored', "SELECT state = 'released', model IS NOT NULL FROM dpobj.jobs WHERE name = 'first'"),
				't|t', 'a released job keeps its model');
			$session{ana}->ask("SELECT dpobj.cancel($id)");
			$node->safe_psql('postgres', 'DROP DATABASE restored WITH (FORCE)');
		});
});

$_->quit for values %session;
$node->stop;

# ---- few worker slots ----

$node = dpobj_cluster('few', 'dpobj.release_tick = 0', 'max_worker_processes = 4', 'max_connections = 20');
hard_table($node);
patient_table();
login_roles($node, qw(ana bob cat eve));
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE mallory LOGIN CREATEDB;
SELECT dpobj.set_budget(t, r, 1000, 0) FROM unnest('{patient,hard}'::regclass[]) t, unnest('{ana,bob,cat}'::regrole[]) r;
SQL
connect_all();

# Two launchers leave no room for a job.
my $warning = qr/WARNING:  jobs of dpobj stay queued: max_worker_processes is 4/;

sub restart_with
{
	$_->quit for values %session;
	$node->append_conf('postgresql.conf', $_) for @_;
	$node->restart;
	connect_all();
	return;
}

like(slurp_file($node->logfile), $warning, 'the server warns when it starts');

spends($node, 'too few worker slots', {}, sub {
	cmp_ok(starts_during(sub { sleep(1) }), '<=', 1, 'without jobs no workers are started');
	my $id;
	my $starts = starts_during(sub { $id = submit('ana', 'never', 'patient'); sleep(2.5) });
	cmp_ok($starts, '<=', 5, "the launcher tries less and less often: $starts");
	cmp_ok($starts, '>=', 2, 'the launcher goes on trying');
	is($session{ana}->ask("SELECT state, reason FROM dpobj.jobs WHERE id = $id"),
		'queued|it waits for a background worker: too few of max_worker_processes are free', 'the view shows that the job waits for a worker slot');
	is($session{ana}->ask("SELECT dpobj.cancel($id)"), 't', 'a job that waits for a slot can be cancelled');
});

# One slot beside those of the launchers and those that jobs leave free.
restart_with('max_worker_processes = 5');
spends($node, 'few worker slots', { epsilon => 2, charged => 4, released => 2 }, sub {
	my $first = submit('ana', 'first', 'hard');
	enters($first, 'solving');
	my $second = submit('bob', 'second', 'hard');
	sleep(1);
	is(row_state($second), 'queued', 'two worker slots stay free');
	$_->send(q{SELECT release FROM dpobj.train('patient', 'ill', 0.5, '{a,b}')}) for @session{qw(bob cat)};
	like($_->result, qr/^\d+$/, 'charges find worker slots') for @session{qw(bob cat)};
	cancel('ana', $first);
	enters($second, 'solving');
	cancel('bob', $second);
});

restart_with('max_worker_processes = 12');

# ---- the launcher ----

is(scalar_of($node, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpobj launcher' AND datname IS NULL"),
	1, 'one launcher runs, without a database');

# The postmaster cannot start processes for a while.
spends($node, 'a worker that cannot be forked', $once, sub {
	my $processes = sub { system_or_bail('prlimit', '--pid', $node->{_pid}, "--nproc=$_[0]:") };
	chomp(my $limit = `prlimit --pid $node->{_pid} --nproc --output=SOFT --noheadings`);
	my $from = -s $node->logfile;

	$processes->(1);
	my $id = submit('ana', 'unforked', 'patient');
	ok(wait_until(10, sub { slurp_file($node->logfile, $from) =~ /could not fork (?:background )?worker process/ }), 'no worker is forked');
	$processes->($limit =~ s/\s//gr);
	ok(wait_until(20, sub { row_state($id) eq 'released' }), 'the launcher tries again');
	ok(all_workers_end(), 'the worker ends after the job');
});

spends($node, 'the worker is terminated before a queue', { epsilon => 1, charged => 2, released => 1, failed => 1 }, sub {
	my $id = submit('ana', 'terminated', 'hard');
	my $queued = submit('ana', 'left behind', 'patient');
	enters($id, 'solving');
	scalar_of($node, 'SELECT pg_terminate_backend(' . (worker_pids())[0] . ')');
	ok(wait_until(20, sub { row_state($queued) eq 'released' }), 'the launcher starts another worker');
	is(row_state($id), 'failed', 'the job of the terminated worker has failed');
});

spends($node, 'a cancel that is rolled back', { epsilon => 1, charged => 2, released => 1 }, sub {
	my $id = submit('ana', 'in front', 'hard');
	my $queued = submit('ana', 'not cancelled after all', 'patient');
	enters($id, 'solving');
	$session{control}->ask('BEGIN');
	is($session{control}->ask("SELECT dpobj.cancel($queued)"), 't', 'a cancel that is not committed');
	is($session{ana}->ask("SELECT dpobj.cancel($id)"), 't', 'a cancel of the job before it');
	ok(wait_until(20, sub { row_state($id) eq 'cancelled' }), 'the job before it ends');
	ok(all_workers_end(), 'no worker waits for the transaction');
	$session{control}->ask('ROLLBACK');
	ok(wait_until(20, sub { row_state($queued) eq 'released' }), 'after the rollback the job runs without a call');
});

# Functions with names of dpobj, in a database without the extension, would run as a superuser.
spends($node, 'a database with tables of our names', {}, sub {
	in_session($node, 'mallory', 'CREATE DATABASE trap');
	my $mallory = session($node, user => 'mallory', database => 'trap');
	$mallory->ask($_) for 'CREATE SCHEMA dpobj', 'CREATE TABLE dpobj.identities ()', 'CREATE TABLE dpobj.job_rows (id bigint, role oid, state text, origin text)',
		"INSERT INTO dpobj.job_rows VALUES (1, 10, 'queued', 'x')",
		q{CREATE FUNCTION dpobj_internal.origin() RETURNS text LANGUAGE plpgsql AS
			$$BEGIN EXECUTE 'ALTER ROLE mallory SUPERUSER'; RETURN 'y'; END$$};
	is($mallory->ask('SELECT state FROM dpobj.job_rows'), 'queued', 'the database has tables with names of dpobj');
	$mallory->ask($_) for 'BEGIN', 'LOCK TABLE dpobj.identities, dpobj.job_rows';
	cmp_ok(starts_during(sub { $node->reload; sleep(2) }), '>=', 2, 'a worker connects to each database');
	ok(all_workers_end(), 'the worker ends without waiting for their locks');
	$mallory->quit;
	is(scalar_of($node, "SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"), 'f', 'no function of the database was called');
	$node->safe_psql('postgres', 'DROP DATABASE trap');
});

sub launcher { return scalar_of($node, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpobj launcher'"); }

spends($node, 'a database that its owner has closed', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$node->safe_psql('postgres', 'CREATE DATABASE closed OWNER bob');
	$node->safe_psql('closed', <<'SQL');
CREATE EXTENSION dpobj;
CREATE TABLE patient (ill boolean, a boolean, b boolean);
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}, "b": {}}');
SELECT dpobj.set_budget('patient', 'bob', 1000, 0);
SQL
	my $session = session($node, user => 'bob', database => 'closed');
	$session->ask('SELECT 1');
	$session{bob}->ask('ALTER DATABASE closed ALLOW_CONNECTIONS false');
	$session->ask(submission('never', 'patient', epsilon => 20));
	my $refused = sub { return scalar(() = slurp_file($node->logfile) =~ /FATAL: .*"closed" is not currently accepting/g); };
	ok(wait_until(30, sub { $session->ask('SELECT count(*) FROM dpobj.jobs'); $refused->() >= 12 }),
		'workers are started that may not connect');
	becomes(submit('ana', 'meanwhile', 'patient'), 'released');
	$session->quit;
	$node->safe_psql('postgres', 'DROP DATABASE closed');
});

spends($node, 'the launcher is terminated', {}, sub {
	my $before = launcher();
	scalar_of($node, "SELECT pg_terminate_backend($before)");
	ok(wait_until(20, sub { my $now = launcher(); $now ne '' && $now ne $before }), 'another launcher starts');
});

# DROP DATABASE takes its lock before it checks the owner; this wait must not end jobs.
sub undisturbed
{
	my ($session, $id) = @_;
	my @eve = map { session($node, user => 'eve') } 0 .. 1;
	$eve[0]->ask($_) for 'BEGIN', q{ALTER ROLE eve IN DATABASE passing SET work_mem = '4MB'};
	$eve[1]->send('DROP DATABASE passing');
	ok(waits_for_lock($node, $eve[1]->pid), 'DROP DATABASE by another role waits for the lock');
	sleep(1);
	is($session->ask("SELECT state FROM dpobj.jobs WHERE id = $id"), 'running', 'the job goes on during that wait');
	$eve[0]->ask('ROLLBACK');
	like($eve[1]->result, qr/^ERROR:  42501: must be owner/, 'DROP DATABASE is refused');
	like($eve[1]->ask('DROP DATABASE passing'), qr/^ERROR:  42501/, 'DROP DATABASE is refused again') for 1 .. 50;
	is($session->ask("SELECT state FROM dpobj.jobs WHERE id = $id"), 'running', 'the job goes on after many refusals');
	$_->quit for @eve;
	return;
}

spends($node, 'DROP DATABASE', {}, sub {
	$node->safe_psql('postgres', 'CREATE DATABASE passing OWNER bob');
	$node->safe_psql('passing', 'CREATE EXTENSION dpobj');
	hard_table($node, 'passing');
	$node->safe_psql('passing', q{SELECT dpobj.set_budget('hard', 'ana', 1000, 0)});
	my $session = session($node, user => 'ana', database => 'passing');
	my $id = $session->ask(submission('moved', 'hard'));
	ok(wait_until(30, sub { $session->ask("SELECT phase FROM dpobj.jobs WHERE id = $id") eq 'solving' }), 'a job runs');
	undisturbed($session, $id);
	my $next = $session->ask(submission('dropped', 'hard'));
	$session->quit;
	$node->safe_psql('postgres', 'ALTER DATABASE passing RENAME TO moved');
	ok(wait_until(30, sub { $node->safe_psql('moved', "SELECT state FROM dpobj.job_rows WHERE id = $next") eq 'running' }),
		'ALTER DATABASE RENAME ends it, and the next one runs afterwards');
	is($node->safe_psql('moved', "SELECT state, release IS NOT NULL FROM dpobj.job_rows WHERE id = $id"), 'failed|t', 'the job that ran has failed and is charged');
	$session = session($node, user => 'ana', database => 'moved');
	ok(wait_until(30, sub { $session->ask("SELECT phase FROM dpobj.jobs WHERE id = $next") eq 'solving' }), 'the next job is solving');
	my @solvers;
	wait_until(20, sub { @solvers = solvers($node) });
	$session->quit;
	is($session{bob}->ask('DROP DATABASE moved'), '', "its owner's DROP DATABASE is not refused");
	ok(wait_until(10, sub { !runs($solvers[0]) }), 'the solver of the job has ended');
});

$_->quit for values %session;
finish($node);
