# 028_schedules.pl - dpobj.schedule with the real pg_cron, by client sessions and by background
# workers: runs start within the minute, once for each scheduled time, and are skipped if the
# budget or allowance is used up; the messages if pg_cron is absent, in another database, or not
# open to the role.

use DpobjTest;

my $library = `pg_config --pkglibdir`;
chomp $library;
plan skip_all => 'pg_cron is not installed (Debian package postgresql-15-cron)' unless -e "$library/pg_cron.so";

my $node = dpobj_cluster('schedules', 'dpobj.release_tick = 0', 'fsync = off', 'max_connections = 40');

my $tables = <<'SQL';
CREATE TABLE patient (ill boolean, a boolean, b boolean, ward text);
INSERT INTO patient SELECT i % 2 = 0, i % 2 = 0, i % 3 = 0, (ARRAY['east', 'west', 'north'])[1 + i % 3] FROM generate_series(1, 300) i;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}, "b": {}, "ward": {"levels": ["east", "north", "west"]}}');
SELECT dpobj.set_budget('patient', 'ana', 1000, 0), dpobj.set_budget('patient', 'poor', 0.4, 0);
SQL
login_roles($node, qw(ana poor));
hard_table($node);
$node->safe_psql('postgres', <<"SQL");
CREATE ROLE closed NOLOGIN;
$tables
SELECT dpobj.set_budget('patient', 'closed', 1000, 0);
SELECT dpobj.set_budget('hard', 'ana', 1000, 0);
SQL
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', "CREATE EXTENSION dpobj; $tables");

# Names with spaces: jobs of two databases never have the same name.
$node->safe_psql('postgres', 'CREATE DATABASE "postgres a"');
isnt($node->safe_psql('postgres a', "CREATE EXTENSION dpobj; SELECT dpobj_internal.cron_jobname('b')"),
	$node->safe_psql('postgres', "SELECT dpobj_internal.cron_jobname('a b')"), 'jobs of two databases have different names');

sub schedule
{
	my ($name, $cron, $more) = @_;
	return "SELECT dpobj.schedule('train', 'patient', '{\"label\": \"ill\", \"epsilon\": 0.5}', '$name', '$cron'" . ($more ? ", $more" : '') . ')';
}

# The states of a schedule's runs, and what they cost.
sub runs_of
{
	my ($name, $database) = @_;
	return $node->safe_psql($database // 'postgres',
		"SELECT state, epsilon, model IS NOT NULL, sqlstate FROM dpobj.schedule_runs WHERE schedule = '$name' ORDER BY scheduled");
}

# ---- pg_cron is not loaded, not installed, not open to the role, or in another database ----

# A live job, which fires at New Year only.
my $nightly = schedule('nightly', '30 3 1 1 *');
my $ana = session($node, user => 'ana');
like($ana->ask($nightly),
	qr/^ERROR:  55000: pg_cron is not loaded\nDETAIL: .*\nHINT:  Install it, add pg_cron to shared_preload_libraries/,
	'without the library the error says what to do');
is(scalar_of($node, 'SELECT count(*) FROM dpobj.schedule_rows'), '0', 'without the library no schedule is kept');
$ana->quit;

$node->append_conf('postgresql.conf',
	"shared_preload_libraries = 'dpobj, pg_cron'\ncron.database_name = 'postgres'\ncron.host = '" . $node->host . "'");
$node->restart;
$ana = session($node, user => 'ana');
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA cron AUTHORIZATION poor;
CREATE FUNCTION cron.schedule(text, text, text) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED'; RETURN 1; END$$;
CREATE VIEW cron.job AS SELECT 1::bigint AS jobid, cron.schedule('', '', ''), ''::text AS command, 'ana'::name AS username, ''::text AS database;
GRANT USAGE ON SCHEMA cron TO PUBLIC;
GRANT SELECT ON cron.job TO PUBLIC;
SQL
unlike($ana->ask("$nightly; SELECT job FROM dpobj.schedules"), qr/CAPTURED/, 'functions of another role in a schema cron are not called');
$node->safe_psql('postgres', 'DROP SCHEMA cron CASCADE');
like($ana->ask($nightly), qr/^ERROR:  55000: extension "pg_cron" is not installed\nHINT:  .*CREATE EXTENSION pg_cron/,
	'without the extension the error says what to do');
$node->safe_psql('postgres', 'CREATE EXTENSION pg_cron');
like($ana->ask($nightly), qr/^ERROR:  42501: permission denied for schema cron\nHINT:  .*GRANT USAGE ON SCHEMA cron TO ana/,
	'without USAGE the error says what to do');
$node->safe_psql('postgres', 'GRANT USAGE ON SCHEMA cron TO ana, poor, closed');

my $control = session($node);
like($control->ask("SET SESSION AUTHORIZATION closed; $nightly"),
	qr/^ERROR:  55000: role "closed" cannot log in\nDETAIL:  .*\nHINT:  .*ALTER ROLE closed LOGIN/, 'for a NOLOGIN role the error says what to do');
$control->ask('RESET SESSION AUTHORIZATION');
is(scalar_of($node, 'SELECT count(*) FROM dpobj.schedule_rows'), '0', 'no refused schedule is kept');

my $there = session($node, database => 'other', user => 'ana');
my $said = $there->ask(schedule('minutely', '* * * * *'));
like($said, qr/^NOTICE:  00000: pg_cron does not know schedule "minutely" yet\nDETAIL:  It has its jobs in database "postgres"\./m,
	'a notice says that pg_cron is in another database');
my ($statement) = $said =~ /^HINT:  A superuser can run there: (SELECT cron\..*;)$/m;
ok(defined $statement, 'the notice has the statement to run');
is($there->ask('SELECT cron_statement, job FROM dpobj.schedules'), "$statement|", 'dpobj.schedules has the statement, too');
like($node->safe_psql('postgres', $statement), qr/^\d+$/, 'the statement runs in the other database');

# ---- the real pg_cron ----

like($ana->ask($nightly), qr/^\d+$/, 'dpobj.schedule returns the job');
is($ana->ask("SELECT s.job = j.jobid, j.schedule, j.command, j.username, j.database FROM dpobj.schedules s, cron.job j"
		  . " WHERE s.name = 'nightly' AND j.username = 'ana' AND j.database = 'postgres'"),
	"t|30 3 1 1 *|CALL dpobj.run_schedule('nightly')|ana|postgres", 'pg_cron has a job');
is($ana->ask(schedule('nightly', '30 4 1 1 *')), $ana->ask("SELECT job FROM dpobj.schedules WHERE name = 'nightly'"),
	'a change keeps the job');
is($ana->ask("SELECT schedule FROM cron.job WHERE database = 'postgres'"), '30 4 1 1 *', 'the job has its new time');
$node->safe_psql('postgres', "UPDATE cron.job SET jobname = 'of another version' WHERE database = 'postgres'");
is($ana->ask("$nightly = (SELECT job FROM dpobj.schedules WHERE name = 'nightly')"), 't', 'a job of another name is kept');
is($ana->ask("SELECT jobname, schedule FROM cron.job WHERE database = 'postgres'"), 'of another version|30 3 1 1 *', 'there is no second job');
$node->safe_psql('postgres', "UPDATE cron.job SET jobname = 'dpobj postgres nightly' WHERE database = 'postgres'");

# They are made well within a minute, so that fires() sees their first runs.
wait_until(70, sub { sleep 0.2; my ($second) = gmtime; $second >= 1 && $second <= 50 });
my $poor = session($node, user => 'poor');
my $allowance = 'allowance => 0.5, period => ';
like($_, qr/^\d+$/, 'dpobj.schedule returns a job each minute') for (
	$ana->ask(schedule('minutely', '* * * * *')),
	$ana->ask(schedule(q(it''s thrifty), '* * * * *', "$allowance '1 day'")),
	$ana->ask(schedule('wrong', '* * * * *')),
	$poor->ask(schedule('minutely', '* * * * *')));
# A filter on a column that does not exist any more.
$node->safe_psql('postgres', q(UPDATE dpobj.schedule_rows SET arguments = arguments || '{"filter": {"nothing": {"=": 1}}}' WHERE name = 'wrong'));

sub fires
{
	my ($how) = @_;
	my $since = scalar_of($node, 'SELECT clock_timestamp()');
	my $new = "SELECT count(DISTINCT (schedule, owner)) FROM dpobj.schedule_runs WHERE scheduled > '$since'";
	ok(wait_until(100, sub { sleep 0.3; scalar_of($node, $new) >= 4 && $node->safe_psql('other', $new) >= 1 }), "$how: pg_cron fires");
	settle($node);
	is(scalar_of($node, "SELECT bool_and(started - scheduled < interval '1 minute' AND scheduled = date_trunc('minute', started))"
			  . " FROM dpobj.schedule_runs WHERE scheduled > '$since'"), 't', "$how: runs start within their minute");
	ok(wait_until(20, sub { sleep 0.2; scalar_of($node, 'SELECT count(*) FROM cron.job_run_details'
				  . " WHERE status IN ('starting', 'running', 'sending', 'connecting')") eq '0' }), "$how: the jobs end");
	is( scalar_of($node, <<"SQL"), "ana|minutely|succeeded\nana|wrong|failed\npoor|minutely|succeeded", "$how: pg_cron knows how the jobs ended");
SELECT username, substring(command from '''(\\w+)'''), status FROM cron.job_run_details
WHERE status IN ('succeeded', 'failed') AND start_time > '$since' AND database = 'postgres' AND command ~ '''\\w+''' AND command !~ 'thrifty' GROUP BY 1, 2, 3 ORDER BY 1, 2
SQL
	like(scalar_of($node, "SELECT DISTINCT return_message FROM cron.job_run_details WHERE status = 'failed' AND start_time > '$since'"),
		qr/the filter names column "nothing", which does not exist/, "$how: pg_cron knows why a job failed");
	return $since;
}

sub is_of
{
	my ($name, $owner, $since, $expected, $what) = @_;
	is(scalar_of($node, 'SELECT DISTINCT state, epsilon, model IS NOT NULL, sqlstate FROM dpobj.schedule_runs'
			  . " WHERE schedule = \$x\$$name\$x\$ AND owner = '$owner' AND scheduled > '$since'"), $expected, $what);
	return;
}

my $since = fires('client sessions');
is_of('minutely', 'ana', $since, 'released|0.5|t|', 'a run is released and charged');
is_of('minutely', 'poor', $since, 'skipped||f|UB001', 'a run without a budget is skipped');
is_of('wrong', 'ana', $since, 'failed||f|22023', 'a run with an error has failed');
is_of(q(it's thrifty), 'ana', $since, 'released|0.5|t|', 'a run within the allowance is released');
like(runs_of('minutely', 'other'), qr/^released\|0.5\|t\|$/m, 'a run in the other database is released');
is($ana->ask("SELECT dpobj.verify(m.model), m.name = to_char(r.scheduled AT TIME ZONE 'GMT', '\"minutely\" YYYY-MM-DD HH24:MI')"
		  . " FROM dpobj.schedules s JOIN dpobj.models m ON m.name = s.latest_model"
		  . " JOIN dpobj.schedule_runs r ON r.model = m.name WHERE s.name = 'minutely'"), 't|t', 'latest_model names the model of the run');

# ---- background workers, a server that was restarted in between ----

$_->quit for $ana, $poor, $control, $there;
# The version of Debian 12 has no cron.timezone, and goes by GMT; dpobj reads it all the same.
$node->append_conf('postgresql.conf', "cron.use_background_workers = on\ncron.timezone = 'Europe/Berlin'");
$node->restart;
$since = fires('background workers');
is_of('minutely', 'ana', $since, 'released|0.5|t|', 'the run of another time is released');
is_of('minutely', 'poor', $since, 'skipped||f|UB001', 'another run without a budget is skipped');
is_of('wrong', 'ana', $since, 'failed||f|22023', 'another run with the error has failed');
is_of(q(it's thrifty), 'ana', $since, 'skipped||f|UB001', 'a run over the allowance is skipped');

# ---- time zones ----

$ana = session($node, user => 'ana');
is($ana->ask(q{SELECT string_agg(to_char(dpobj_internal.schedule_time('30 3 * * *', t) AT TIME ZONE 'GMT', 'DD HH24:MI'), ', ' ORDER BY t)
  FROM unnest('{2026-03-28 12:00+00, 2026-03-29 01:29+00, 2026-03-29 01:30+00, 2026-10-25 12:00+00}'::timestamptz[]) t}),
	'28 02:30, 28 02:30, 29 01:30, 25 02:30', 'times are in cron.timezone, in winter and in summer');
is($ana->ask(q{SELECT count(DISTINCT dpobj_internal.schedule_model('x', dpobj_internal.schedule_time('30 2 * * *', t)))
  FROM unnest('{2026-10-25 00:31+00, 2026-10-25 01:31+00}'::timestamptz[]) t}), '1', 'an hour that the clock repeats has one run');

# A setting of pg_cron since 1.6.8, which dpobj reads with older versions, too.
is($ana->ask("SELECT dpobj_internal.cron_time('0 0 13 * 5', '2026-11-01'), dpobj_internal.cron_time('0 0 13 * 5', '2026-11-14', true)"),
	'2026-10-30 00:00:00|2026-11-20 00:00:00', 'a day of the month and a weekday are alternatives');
$node->append_conf('postgresql.conf', 'cron.dom_dow_and_logic = yes');
$node->reload;
ok(wait_until(10, sub { $ana->ask("SELECT dpobj_internal.cron_time('0 0 13 * 5', '2026-11-01')") eq '2026-03-13 00:00:00' }),
	'with cron.dom_dow_and_logic both must hold');
$node->append_conf('postgresql.conf', 'cron.dom_dow_and_logic = off');
$node->reload;

# ---- removing ----

$poor = session($node, user => 'poor');
is($ana->ask("SELECT dpobj.unschedule('minutely'); SELECT dpobj.unschedule('wrong'); SELECT dpobj.unschedule('it''s thrifty')") =~ s/\n//gr,
	'', 'dpobj.unschedule returns nothing');
is($ana->ask("SELECT jobname FROM cron.job WHERE database = 'postgres'"), 'dpobj postgres nightly', 'jobs of removed schedules are removed');
$node->safe_psql('postgres', "SELECT dpobj.unschedule('minutely', 'poor')");
is(scalar_of($node, "SELECT count(*) FROM cron.job WHERE username = 'poor'"), '0', 'a superuser removes a schedule of another role');
my $other = session($node, database => 'other', user => 'ana');
my ($removal) = $other->ask("SELECT dpobj.unschedule('minutely')") =~
  /^NOTICE:  00000: pg_cron may still know .*\nDETAIL: .*\nHINT:  A superuser can run in the database of pg_cron: (SELECT .*;)$/m;
is($node->safe_psql('postgres', $removal // 'SELECT 0'), 't', 'the statement for the other database removes the job');
$other->quit;

# ---- one scheduled time is charged once ----

my $yearly = sub { return schedule('yearly', '0 0 1 1 *', $_[0]) };
my $call = "CALL dpobj.run_schedule('yearly')";
like($ana->ask($yearly->()), qr/^\d+$/, 'a schedule for New Year');
spends($node, 'a run, late and repeated', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is($ana->ask($call), '', 'a late run succeeds') for 1 .. 3;
});
is(runs_of('yearly'), 'released|0.5|t|', 'the scheduled time has one run');
$ana->ask("SELECT dpobj.unschedule('yearly')");
like($ana->ask($yearly->()), qr/^\d+$/, 'the schedule is made anew');
spends($node, 'a schedule made anew under its name', {}, sub { is($ana->ask($call), '', 'its run succeeds'); });
is(runs_of('yearly'), 'released|0.5|t|', 'the new schedule has the model of the scheduled time');

like($ana->ask(q{SELECT dpobj.schedule('train', 'patient', '{"label": "ward", "epsilon": 0.5, "features": ["a", "b"]}', 'wards', '0 0 1 1 *')}), qr/^\d+$/, 'a schedule for a label of several classes');
spends($node, 'its run', { epsilon => 0.5, charged => 1, released => 1 }, sub { is($ana->ask("CALL dpobj.run_schedule('wards')"), '', 'its run succeeds'); });
is($ana->ask(q{SELECT (m.model).kind, (m.model).details -> 'classes' FROM dpobj.schedules s JOIN dpobj.models m ON m.name = s.latest_model WHERE s.name = 'wards'}),
	'softmax|["east", "north", "west"]', 'its model has the classes');
$ana->ask("SELECT dpobj.unschedule('wards')");

my $again = session($node, user => 'ana');
$ana->ask(schedule('race', '0 0 1 1 *'));
spends($node, 'two at once', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	my $lock = session($node);
	$lock->ask('BEGIN; LOCK TABLE patient');
	$_->send("CALL dpobj.run_schedule('race')") for $ana, $again;
	my $pids = join ', ', $ana->pid, $again->pid;
	ok(wait_until(10, sub { scalar_of($node, "SELECT count(DISTINCT pid) FROM pg_locks WHERE pid IN ($pids) AND NOT granted") eq '2' }),
		'both runs wait');
	$lock->ask('COMMIT');
	is($_->result, '', 'both runs succeed') for $ana, $again;
});
is(runs_of('race'), 'released|0.5|t|', 'two concurrent runs are one');

# A run whose session dies is charged, ends as failed, and is not tried again.
my $hard = q{SELECT dpobj.schedule('train', 'hard', '{"label": "ill", "epsilon": 0.5, "options": {"mechanism": "permute_flip", "grid": "ternary", "intercept": false}}', 'hard', '0 0 1 1 *')};
like($ana->ask($hard), qr/^\d+$/, 'a schedule with a long solve');
is(scalar_of($node, q{SELECT string_agg(concat_ws(' ', name, call, arguments), E'\n' ORDER BY name) FROM dpobj.schedules WHERE name IN ('race', 'hard')}),
	qq(hard train {"label": "ill", "epsilon": 0.5, "options": {"grid": "ternary", "intercept": false, "mechanism": "permute_flip"}}\n)
	  . 'race train {"label": "ill", "epsilon": 0.5}', 'schedules keep the arguments as they were given');
$call = "CALL dpobj.run_schedule('hard')";
spends($node, 'a run that is terminated', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	$again->send($call);
	solver_of($node, $again);
	$node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . $again->pid . ')');
	$again->result;
});
is(runs_of('hard'), 'failed|0.5|f|', 'the terminated run is charged and has failed');
spends($node, 'run again', {}, sub { like($ana->ask($call), qr/^ERROR:  UB004: the run was charged already and has no answer/, 'another run fails'); });
is(runs_of('hard'), 'failed|0.5|f|', 'another run changes nothing');
$again->quit;

# A release that fails is charged, and not tried again.
$call = "CALL dpobj.run_schedule('failing')";
$ana->ask(schedule('failing', '0 0 1 1 *'));
spends($node, 'a release that fails', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	without_solver($node,
		sub { like($ana->ask($call), qr/^ERROR:  UB004: the release failed and nothing was released/, 'the run has the error without a reason') });
});
is($ana->ask("SELECT state, epsilon, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'failing'"),
	"failed|0.5|UB004|the release failed and nothing was released\nThe charge stays. Failures are counted against the table, "
	  . 'and the reason is in the server log only.', 'the record of the run has that error');
spends($node, 'run again', {}, sub { like($ana->ask($call), qr/^ERROR:  UB004: the release failed/, 'another run fails without a charge'); });
is($ana->ask("SELECT dpobj.unschedule('failing')"), '', 'the failing schedule is removed');

# ---- dump and restore: pg_cron's job does not come along ----

my $dump = $node->basedir . '/schedules.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres'), '--exclude-schema', 'cron' ], 'pg_dump without pg_cron');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->psql('copy', "\\i $dump", on_error_stop => 0);
my $copy = session($node, database => 'copy', user => 'ana');
is($copy->ask('SELECT name, owner, relation, epsilon, job FROM dpobj.schedules ORDER BY 1'),
	"hard|ana|hard|0.5|\nnightly|ana|patient|0.5|\nrace|ana|patient|0.5|\nyearly|ana|patient|0.5|", 'schedules are restored without jobs');
is($copy->ask("SELECT state, epsilon, model FROM dpobj.schedule_runs WHERE schedule = 'yearly'"),
	$ana->ask("SELECT state, epsilon, model FROM dpobj.schedule_runs WHERE schedule = 'yearly'"), 'runs are restored');
like($copy->ask($yearly->()), qr/HINT:  A superuser can run there: SELECT cron\.schedule_in_database\('dpobj copy yearly'/,
	'a restored schedule has a statement for its job');
is($copy->ask("SELECT count(*) FROM dpobj.schedules WHERE name = 'yearly'"), '1', 'dpobj.schedule changes the restored schedule');
is($copy->ask("CALL dpobj.run_schedule('yearly')"), '', 'a run that was charged before the dump is free');
like($copy->ask(q[SELECT dpobj_internal.schedule_put('train', 'patient', '{"label": "ill", "epsilon": 0.5, "method": "halfspace"}', 'new', '0 0 1 1 *', NULL, NULL);]
		  . " CALL dpobj.run_schedule('new')"), qr/^ERROR:  55000:/m, 'a new run is refused before dpobj.confirm_epoch');

# The name of a job separates database and schedule.
my $jobname = $copy->ask("SELECT dpobj_internal.cron_jobname('new x')");
is($jobname, 'dpobj copy new x', 'a job is named after database and schedule');
$node->safe_psql('postgres', 'ALTER DATABASE other RENAME TO "copy new"');
isnt($node->safe_psql('copy new', "SELECT dpobj_internal.cron_jobname('x')"), $jobname, 'another database and schedule give another name');

# DROP EXTENSION leaves the job, whose runs fail; the statement of the guide removes it.
$_->quit for $ana, $poor, $copy;
$node->safe_psql('postgres', 'DROP EXTENSION dpobj');
is(scalar_of($node, "SELECT count(*) FROM cron.job WHERE database = 'postgres' AND command LIKE 'CALL dpobj.run_schedule(%'"),
	'4', 'jobs of pg_cron stay when the extension is dropped');
$node->safe_psql('postgres', "SELECT cron.unschedule(jobid) FROM cron.job WHERE command LIKE 'CALL dpobj.run_schedule(%'");
is(scalar_of($node, 'SELECT count(*) FROM cron.job'), '0', 'the statement of the guide removes the jobs');
unlike(slurp_file($node->logfile), qr/WARNING:  you don't own/, 'no lock is released twice');

finish($node);
