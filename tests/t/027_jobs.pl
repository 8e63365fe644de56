# 027_jobs.pl - jobs as rule Q7 says: they are queued at commit, run with the grants but without the
# settings of the submitter, wait in a queue, and reveal no more than dpobj.train. How they end is in
# 034_job_ends.pl.

use DpobjJobs;
use DpobjTest;

jobs_cluster('jobs');
login_roles($node, qw(boss clerk));
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE mute NOLOGIN;
GRANT dpobj_admin TO boss;
GRANT dpobj_auditor TO clerk;
CREATE TABLE other AS TABLE patient;
-- a draw for so many rows takes much longer than one for the rows of hard
CREATE TABLE harder AS SELECT hashint4(7 * i) & 1 = 1 AS ill FROM generate_series(1, 20000) i;
DO $$
BEGIN
  FOR j IN 1..15 LOOP
    EXECUTE format('ALTER TABLE harder ADD c%s real NOT NULL DEFAULT random()', j);
  END LOOP;
END $$;
CREATE TABLE hidden AS TABLE harder;
VACUUM ANALYZE harder, hidden;
SELECT dpobj.protect('other', '{"ill": {}, "a": {}, "b": {}}');
SELECT dpobj.protect(t, encoders, a, n => 20000) FROM dpobj.protected, (VALUES ('harder'::regclass, 'replace'), ('hidden', 'add_remove')) v(t, a)
WHERE relation = 'hard'::regclass;
SELECT dpobj.set_budget('patient', 'mute', 1000, 0), dpobj.set_budget('harder', 'ana', 1000, 0), dpobj.set_budget('hidden', 'ana', 1000, 0);
SQL
$session{$_} = session($node, user => $_, seconds => 300) for qw(boss clerk);

# ---- one job ----

spends($node, 'one job', $once, sub {
	my $id = submit('ana', 'first', 'patient');
	is($session{ana}->ask("SELECT dpobj.wait($id, '1 min')"), 'released', 'dpobj.wait returns the state');
	is($session{ana}->ask("SELECT name, state, phase, relation, submitter, dpobj.verify(model), sqlstate, reason,"
			  . " submitted <= started, started <= finished FROM dpobj.jobs WHERE id = $id"),
		'first|released||patient|ana|t|||t|t', 'the row of dpobj.jobs');
	is($session{ana}->ask("SELECT j.model = m.model AND j.release = m.release FROM dpobj.jobs j JOIN dpobj.models m USING (name)"),
		't', 'the model is in dpobj.models');
	ok(all_workers_end(), 'the worker ends');
});

spends($node, 'its name makes it idempotent', {}, sub {
	my $id = $session{ana}->ask("SELECT id FROM dpobj.jobs WHERE name = 'first'");
	is($session{ana}->ask(submission('first', 'patient')), $id, 'the same submission is the same job');
	like($session{ana}->ask(submission('first', 'patient', epsilon => 0.6)),
		qr/^ERROR:  22023: model "first" was made by another request/, 'another request under the name is refused');
	is($session{ana}->ask(q{SELECT release FROM dpobj.train('patient', 'ill', 0.5, '{a,b}', name => 'first')}),
		job($id, 'release'), 'dpobj.train returns the model of the job');
});

spends($node, 'a model that is there', $once, sub {
	my $release = $session{bob}->ask(q{SELECT release FROM dpobj.train('patient', 'ill', 0.5, '{a,b}', name => 'trained')});
	my $id = submit('bob', 'trained', 'patient');
	becomes($id, 'released');
	is(job($id, 'release'), $release, 'the job takes that model and is free');
});

# ---- the submitter ----

spends($node, 'a role that may not log in', $once, sub {
	$session{control}->ask('SET SESSION AUTHORIZATION mute');
	my $id = $session{control}->ask(submission('mute', 'patient'));
	$session{control}->ask('RESET SESSION AUTHORIZATION');
	becomes($id, 'released');
	is(scalar_of($node, "SELECT role FROM dpobj.ledger WHERE id = " . job($id, 'release')), 'mute', 'the role is charged');
});

spends($node, 'settings of the submitter do not apply', $once, sub {
	scalar_of($node, "ALTER ROLE cat SET $_") for 'default_transaction_read_only = on', q{statement_timeout = '1ms'},
	  q{search_path = nowhere}, q{session_preload_libraries = 'no_such_library'};
	my $id = submit('cat', 'settings', 'patient');
	becomes($id, 'released');
	scalar_of($node, 'ALTER ROLE cat RESET ALL');
});

sub guarantee
{
	return scalar_of($node, "SELECT guarantee FROM dpobj.ledger WHERE event = 'charged' AND id = " . job($_[0], 'release'));
}

spends($node, 'limits of the submitter apply', { epsilon => 1, charged => 2, released => 2 }, sub {
	scalar_of($node, "ALTER ROLE cat SET dpobj.time_limit = 600");
	configure('ALTER SYSTEM SET dpobj.max_jobs = 0');
	my ($limited, $other) = (submit('cat', 'limited', 'patient'), submit('ana', 'unlimited', 'patient'));
	configure('ALTER SYSTEM SET dpobj.max_jobs = 1');
	becomes($_, 'released') for $limited, $other;
	is(guarantee($limited), 'conditional', 'a limit that a superuser set for the role holds in its job');
	is(guarantee($other), 'exact', 'the limit does not hold in the next job of the worker');
	configure('ALTER SYSTEM RESET dpobj.max_jobs');
	scalar_of($node, 'ALTER ROLE cat RESET ALL');
});

spends($node, 'settings of the database', { epsilon => 1, charged => 2, released => 1 }, sub {
	my $running = submit('ana', 'before', 'hard');
	enters($running, 'solving');
	my $queued = submit('ana', 'after', 'patient');
	scalar_of($node, "$_") for 'ALTER DATABASE postgres SET dpobj.time_limit = 600',
	  'ALTER ROLE postgres SET dpobj.time_limit = 0'; # the worker's role
	$session{ana}->ask("SELECT dpobj.cancel($running)");
	becomes($queued, 'released');
	is(guarantee($queued), 'conditional', 'the settings are those of the database when the job begins');
	scalar_of($node, "ALTER $_ postgres RESET dpobj.time_limit") for 'DATABASE', 'ROLE';
});

spends($node, 'no superuser pays', {}, sub {
	# a budget of the bootstrap superuser is none of ana's
	scalar_of($node, "SELECT dpobj.set_budget('other', 'postgres', 1000, 0)");
	like($session{ana}->ask(submission('other', 'other')), qr/^ERROR:  UB002: /, 'a submission needs a budget of the submitter');
	is(scalar_of($node, "SELECT count(*) FROM dpobj.job_rows WHERE name = 'other'"), 0, 'a refused submission writes nothing');
});

# ---- registration at commit ----

spends($node, 'transactions that are rolled back', {}, sub {
	my $id = $session{ana}->ask('BEGIN; ' . submission('rolled', 'patient'));
	like($session{ana}->ask("SELECT dpobj.wait($id, '1 min')"),
		qr/^ERROR:  55000: job $id was submitted in this transaction/, 'dpobj.wait refuses a job of the same transaction');
	$session{ana}->ask('ROLLBACK');
	$id = $session{ana}->ask('BEGIN; SAVEPOINT s; ' . submission('rolled', 'patient'));
	like($session{ana}->ask("RELEASE s; SELECT dpobj.wait($id)"), qr/^ERROR:  55000: /, 'dpobj.wait refuses a job of a subtransaction');
	$session{ana}->ask('ROLLBACK');
	$session{ana}->ask('BEGIN; SAVEPOINT s; ' . submission('rolled', 'patient'));
	$session{ana}->ask('ROLLBACK TO s; COMMIT');
	sleep(1);
	is(scalar_of($node, "SELECT count(*) FROM dpobj.job_rows WHERE name = 'rolled'"), 0, 'no job is left');
});

spends($node, 'a transaction that commits late', $once, sub {
	my $id = $session{ana}->ask('BEGIN; ' . submission('late', 'patient'));
	sleep(0.5);
	is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger WHERE event = 'charged' AND role = 'ana'"
			  . ' AND at > now() - interval \'0.5 s\''), 0, 'nothing runs before the commit');
	$session{ana}->ask('COMMIT');
	is($session{ana}->ask("SELECT dpobj.wait($id, '1 min')"), 'released', 'the job runs after the commit');
});

spends($node, 'a prepared transaction', $once, sub {
	my $id = $session{ana}->ask('BEGIN; ' . submission('prepared', 'patient'));
	$session{ana}->ask("PREPARE TRANSACTION 'jobs'");
	sleep(0.5);
	$session{control}->ask("COMMIT PREPARED 'jobs'");
	sleep(0.5);
	is(row_state($id), 'queued', 'COMMIT PREPARED starts no worker');
	like($session{bob}->ask(q{SELECT count(*) FROM dpobj.jobs}), qr/^\d+$/, 'another session reads dpobj.jobs');
	becomes($id, 'released');
});

spends($node, 'the submitter goes', $once, sub {
	my $session = session($node, user => 'ana');
	my $id = $session->ask(submission('orphan', 'patient'));
	scalar_of($node, 'SELECT pg_terminate_backend(' . $session->pid . ')');
	becomes($id, 'released');
});

# ---- jobs of other roles ----

spends($node, 'jobs of others', $kept, sub {
	my $id = submit('ana', 'secret', 'hard');
	enters($id, 'solving');
	is($session{bob}->ask("SELECT count(*) FROM dpobj.jobs WHERE submitter <> 'bob'"), 0, 'dpobj.jobs does not show jobs of others');
	is($session{bob}->ask('SELECT count(*) FROM dpobj.progress'), 0, 'dpobj.progress does not show jobs of others');
	like($session{bob}->ask("SELECT dpobj.cancel($id)"), qr/^ERROR:  42704: job $id does not exist$/m, 'jobs of others cannot be cancelled');
	like($session{bob}->ask("SELECT dpobj.wait($id, '1s')"), qr/^ERROR:  42704: job $id does not exist$/m, 'dpobj.wait refuses jobs of others');
	like($session{bob}->ask('SELECT dpobj.cancel(4711)'), qr/^ERROR:  42704: job 4711 does not exist$/m, 'the error is that of a job that does not exist');
	is($session{clerk}->ask("SELECT phase, model IS NULL FROM dpobj.jobs WHERE id = $id"), 'solving|t', 'an auditor sees jobs of others');
	like($session{clerk}->ask("SELECT dpobj.cancel($id)"), qr/^ERROR:  42501: /, 'an auditor may not cancel them');
	is($session{boss}->ask("SELECT state FROM dpobj.jobs WHERE id = $id"), 'running', 'an administrator sees jobs of others');
	cancel('boss', $id);
	is($session{boss}->ask("SELECT dpobj.cancel($id)"), 'f', 'a job that has ended is not cancelled');
	is($session{clerk}->ask("SELECT count(*) FROM dpobj.jobs WHERE model IS NOT NULL"), 0, 'an auditor sees no models of others');
});

# ---- progress ----

spends($node, 'progress', $kept, sub {
	my $id = submit('ana', 'watched', 'harder', mechanism => 'exponential');
	enters($id, 'solving');
	my $seen = '';
	wait_until(20, sub { ($seen = $session{control}->ask("SELECT nodes > 0, gap IS NOT NULL FROM dpobj.progress WHERE job = $id")) eq 't|t' });
	is($seen, 't|t', 'the owner of the table sees nodes and bounds');
	is($session{ana}->ask("SELECT phase, rows_scanned, rows_total, nodes, attempts, gap FROM dpobj.progress WHERE job = $id"),
		'solving|20000|20000|||', 'the analyst sees no nodes and bounds');
	cancel('ana', $id);
});

spends($node, 'progress under add_remove', $kept, sub {
	my $id = submit('ana', 'watched too', 'hidden', mechanism => 'exponential');
	enters($id, 'solving');
	is($session{ana}->ask("SELECT phase, rows_scanned, rows_total FROM dpobj.progress WHERE job = $id"), 'solving||',
		'under add_remove the number of rows is not shown');
	cancel('ana', $id);
});

spends($node, 'rows of a scan', { epsilon => 0.5, charged => 1, released => [ 0, 1 ] }, sub {
	my $text = submission('scanned', 'large') =~ s/\}', /, "filter": {"a": {"=": true}}}', /r;
	my $id = $session{ana}->ask($text);
	my $seen = '';
	wait_until(60, sub {
		($seen = $session{ana}->ask("SELECT phase, rows_total, rows_scanned / (rows_total / 20.0) FROM dpobj.progress WHERE job = $id")) =~ /^scanning/;
	});
	my ($phase, $total, $step) = split /\|/, $seen;
	is($phase, 'scanning', "job $id is scanning");
	cmp_ok(abs($total - 1000000), '<', 50000, 'the number of rows is the estimate of the statistics');
	cmp_ok(abs($step - int($step + 0.5)), '<', 0.001, "the scan is shown in twentieths: $step");
	$session{ana}->ask("SELECT dpobj.cancel($id)");
	like($session{ana}->ask("SELECT dpobj.wait($id)"), qr/^(?:cancelled|released)$/, 'the job ends');
});

# ---- the queue ----

spends($node, 'a grant that is revoked', {}, sub {
	my ($id) = while_queued(
		sub { submit('bob', 'revoked', 'large') },
		sub { scalar_of($node, "SELECT dpobj.drop_budget('large', 'bob')") });
	becomes($id, 'failed');
	is($session{bob}->ask("SELECT sqlstate, split_part(reason, E'\\n', 1), release FROM dpobj.jobs WHERE id = $id"),
		'UB002|role "bob" has no privacy budget on table "large"|', 'the job shows the reason');
});

spends($node, 'a budget that is exhausted', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	scalar_of($node, "SELECT dpobj.set_budget('large', 'bob', 0.9, 0)");
	my ($first, $second) = while_queued(
		sub { map { submit('bob', "poor $_", 'large') } 1, 2 }, sub { });
	becomes($first, 'released');
	becomes($second, 'failed');
	is($session{bob}->ask("SELECT sqlstate, reason FROM dpobj.jobs WHERE id = $second"),
		"UB001|privacy budget exhausted\nThe budget of role \"bob\" on table public.large has epsilon: 0.5 spent, 0.5 asked, 0.4 left of 0.9.",
		'the job shows what the budget lacks');
});

spends($node, 'a table and a role that are dropped', {}, sub {
	scalar_of($node, <<'SQL');
CREATE TABLE passing AS TABLE patient;
CREATE ROLE gone;
SELECT dpobj.protect('passing', '{"ill": {}, "a": {}, "b": {}}');
SELECT dpobj.set_budget('passing', 'ana', 9, 0), dpobj.set_budget('patient', 'gone', 9, 0);
SQL
	my ($table, $role) = while_queued(
		sub {
			$session{control}->ask('SET SESSION AUTHORIZATION gone');
			my $id = $session{control}->ask(submission('gone', 'patient'));
			$session{control}->ask('RESET SESSION AUTHORIZATION');
			return (submit('ana', 'passing', 'passing'), $id);
		},
		sub { scalar_of($node, "SELECT dpobj.drop_budget('patient', 'gone'); DROP TABLE passing; DROP ROLE gone") });
	becomes($_, 'failed') for $table, $role;
	like(job($table, 'sqlstate, reason'), qr/^42P01\|the table of the job does not exist any more$/, 'the job says that the table is gone');
	is(job($role, 'sqlstate, reason'), '42704|the role that submitted the job does not exist any more', 'the job says that the role is gone');
});

spends($node, 'a queued job is cancelled', { epsilon => 0.6, charged => 1, released => 1 }, sub {
	my ($id) = while_queued(
		sub { submit('ana', 'idle', 'patient') },
		sub {
			$session{ana}->ask('BEGIN');
			is($session{ana}->ask("SELECT dpobj.cancel($_[0])"), 't', 'a cancel in a transaction');
			$session{ana}->ask('ROLLBACK');
			is(row_state($_[0]), 'queued', 'a rollback undoes the cancel');
			is($session{ana}->ask("SELECT dpobj.wait($_[0], '10ms')"), 'queued', 'dpobj.wait returns after its time');
			is($session{ana}->ask("SELECT dpobj.cancel($_[0])"), 't', 'a cancel outside a transaction');
		});
	is(row_state($id), 'cancelled', 'the cancelled job never runs');
	my $again = submit('ana', 'idle', 'patient', epsilon => 0.6);
	isnt($again, $id, 'the name of the cancelled job is free');
	becomes($again, 'released');
});

spends($node, 'a cancel in an old snapshot', {}, sub {
	while_queued(
		sub {
			my @olds = map { session($node, user => 'ana') } 1, 2;
			my $there = submit('ana', 'there', 'patient');
			$_->ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class') for @olds;
			my $new = submit('ana', 'new', 'patient');
			scalar_of($node, "UPDATE dpobj.job_rows SET name = name WHERE id = $there");
			is($olds[0]->ask("SELECT dpobj.cancel($there)"), 't', 'a cancel of a job that has changed since the snapshot');
			is($olds[1]->ask("SELECT dpobj.cancel($new)"), 't', 'a cancel of a job that is younger than the snapshot');
			$_->ask('COMMIT') for @olds;
			$_->quit for @olds;
			is(row_state($_), 'cancelled', "job $_ is cancelled") for $there, $new;
			return ();
		}, sub { });
});

spends($node, 'a queue has an end', {}, sub {
	while_queued(
		sub {
			like($session{cat}->ask("SELECT count(dpobj.submit('train', 'patient', '{\"label\": \"ill\", \"epsilon\": 0.1, \"features\": [\"a\"]}', 'many ' || i)) FROM generate_series(1, 101) i"),
				qr/^ERROR:  54000: too many jobs are queued/, 'the 101st queued job is refused');
			return ();
		}, sub { });
});

# ---- dpobj.max_jobs ----

spends($node, 'two at a time', { epsilon => 1, charged => 2 }, sub {
	my @ids = map { submit($_, 'crowd', 'hard') } qw(ana bob cat);
	enters($_, 'solving') for @ids[ 0, 1 ];
	sleep(0.5);
	is(row_state($ids[2]), 'queued', 'the third job waits');
	is(scalar(worker_pids()), 2, 'the third job has no worker');
	is($session{cat}->ask("SELECT dpobj.cancel($ids[2])"), 't', 'a cancel in the queue');
	is($session{control}->ask("SELECT dpobj.cancel($_)"), 't', 'a cancel of a running job') for @ids[ 0, 1 ];
	becomes($_, 'cancelled') for @ids;
});

spends($node, 'one of a role at a time', { epsilon => 1.5, charged => 3, released => 1 }, sub {
	my @ids = (submit('ana', 'mine 1', 'hard'), submit('ana', 'mine 2', 'hard'), submit('bob', 'his', 'patient'));
	enters($ids[0], 'solving');
	becomes($ids[2], 'released');
	is(row_state($ids[1]), 'queued', 'the second job of a role waits, and jobs of others do not');
	cancel('ana', $ids[0]);
	enters($ids[1], 'solving');
	cancel('ana', $ids[1]);
});

# A session that has the one place of a role, until it leaves.
configure('ALTER SYSTEM SET dpobj.max_role_releases = 1');

sub in_release
{
	my ($who) = @_;
	my $session = session($node, user => $who, seconds => 300);
	$session->send(q{SELECT release FROM dpobj.train('hard', 'ill', 0.5, options => '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}')});
	kill 'STOP', solver_of($node, $session); # it does not end by itself
	return $session;
}

sub leaves
{
	my ($session) = @_;
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(' . $session->pid . ')');
	like($session->result, qr/^ERROR:  57014/, 'the release in the session is cancelled');
	$session->quit;
	return;
}

spends($node, 'a role with a release in a session', { epsilon => 2.5, charged => 5, released => 3 }, sub {
	my @sessions = map { in_release($_) } qw(ana bob);
	my @gated = map { submit($_, 'gated', 'patient') } qw(ana bob);
	becomes(submit('cat', 'not gated', 'patient'), 'released');
	is(row_state($_), 'queued', 'a job of a role with a release in a session waits') for @gated;
	ok(wait_until(10, sub { worker_pids() <= 1 }), 'at most one worker waits');
	leaves($_) for @sessions;
	ok(wait_until(20, sub { row_state($gated[0]) eq 'released' && row_state($gated[1]) eq 'released' }),
		'the jobs run when the sessions end, without a call');
});

# A job that cannot have its locks before the charge is queued again.
spends($node, 'a table that is locked', { epsilon => 2, charged => 4, released => 2 }, sub {
	my ($locker, @sessions) = (session($node, seconds => 300), map { in_release($_) } qw(ana cat));
	my @blocked = map { submit($_, 'blocked', 'large') } qw(ana cat);
	$locker->ask('BEGIN; LOCK TABLE large');
	leaves($_) for @sessions;
	my $list = join ', ', @blocked;
	ok(wait_until(60, sub { $session{control}->ask("SELECT count(*) FROM dpobj.jobs WHERE id IN ($list) AND state = 'running'") == 2 }),
		'the two jobs have both places');
	becomes(submit('bob', 'not blocked', 'patient'), 'released');
	cancel('cat', $blocked[1]);
	like(row_state($blocked[0]), qr/^(?:queued|running)$/, 'the other job still waits');
	$locker->ask('COMMIT');
	becomes($blocked[0], 'released');
});

configure('ALTER SYSTEM RESET dpobj.max_role_releases');

# ---- starts ----

# Nothing is forked while the postmaster is stopped.
spends($node, 'jobs that come and go', {}, sub {
	my $postmaster = $node->{_pid};
	my $come_and_go = <<'SQL';
DO $$
DECLARE
  job bigint;
BEGIN
  FOR i IN 1..20 LOOP
    job := dpobj.submit('train', 'patient', '{"label": "ill", "epsilon": 0.5, "features": ["a"]}', 'come and go');
    COMMIT;
    PERFORM dpobj.cancel(job);
    COMMIT;
  END LOOP;
END $$
SQL
	all_workers_end();
	my $starts = starts_during(sub {
		kill 'STOP', $postmaster;
		my @answers = eval { ($session{ana}->ask($come_and_go), sleep(5.5), $session{ana}->ask($come_and_go)) };
		kill 'CONT', $postmaster;
		is($answers[$_], '', 'twenty jobs are submitted and cancelled') for 0, 2;
		wait_until(5, sub { worker_pids() });
		ok(all_workers_end(), 'the workers end');
	});
	cmp_ok($starts, '<=', 8, "few workers are started: $starts");
	cmp_ok($starts, '>=', 4, 'a start that did not happen is tried again after five seconds');
});

$_->quit for values %session;
finish($node);
