# 028_schedules.pl - dpobj.schedule with the real pg_cron, by client sessions and by background
# workers: runs start within the minute, once for each scheduled time, and are skipped if the
# budget or allowance is used up; the messages if pg_cron is absent, in another database, or not
# open to the role.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use DpobjTest;

my $library = `pg_config --pkglibdir`;
chomp $library;
plan skip_all => 'pg_cron is not installed (Debian package postgresql-15-cron)' unless -e "$library/pg_cron.so";

my $node = dpobj_cluster('schedules', 'dpobj.release_tick = 0', 'fsync = off', 'max_connections = 40');

my $tables = <<'SQL';
CREATE TABLE patient (ill boolean, a boolean, b boolean);
INSERT INTO patient SELECT i % 2 = 0, i % 2 = 0, i % 3 = 0 FROM generate_series(1, 300) i;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}, "b": {}}');
SELECT dpobj.set_budget('patient', 'ana', 1000, 0), dpobj.set_budget('patient', 'poor', 0.4, 0);
SQL
$node->safe_psql('postgres', <<"SQL");
CREATE ROLE ana LOGIN;
CREATE ROLE poor LOGIN;
CREATE ROLE closed NOLOGIN;
$tables
SELECT dpobj.set_budget('patient', 'closed', 1000, 0);
-- permute-and-flip over 3^15 takes seconds
CREATE TABLE hard AS SELECT hashint4(7 * i) & 1 = 1 AS ill FROM generate_series(1, 400) i;
DO \$\$
BEGIN
  FOR j IN 1..15 LOOP
    EXECUTE format('ALTER TABLE hard ADD c%s boolean NOT NULL DEFAULT random() < 0.5', j);
  END LOOP;
END \$\$;
SELECT dpobj.protect('hard', (SELECT jsonb_object_agg(attname, '{}'::jsonb) FROM pg_attribute
                              WHERE attrelid = 'hard'::regclass AND attnum > 0));
SELECT dpobj.set_budget('hard', 'ana', 1000, 0);
SQL
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', "CREATE EXTENSION dpobj; $tables");

# Names with spaces: a job of one database never has the name of another's.
$node->safe_psql('postgres', 'CREATE DATABASE "postgres a"');
isnt($node->safe_psql('postgres a', "CREATE EXTENSION dpobj; SELECT dpobj_internal.cron_jobname('b')"),
	$node->safe_psql('postgres', "SELECT dpobj_internal.cron_jobname('a b')"), 'jobs of two databases have two names');

sub schedule
{
	my ($name, $cron, $more) = @_;
	return "SELECT dpobj.schedule('patient', 'ill', 0.5, name => '$name', cron => '$cron'" . ($more ? ", $more" : '') . ')';
}

# The states of a schedule's runs, and what they cost.
sub runs_of
{
	my ($name, $database) = @_;
	return $node->safe_psql($database // 'postgres',
		"SELECT state, epsilon, model IS NOT NULL, sqlstate FROM dpobj.schedule_runs WHERE schedule = '$name' ORDER BY scheduled");
}

# ---- pg_cron absent, not made, closed, elsewhere ----

# Live jobs, of which none fires while this runs, unless it is New Year.
my $nightly = schedule('nightly', '30 3 1 1 *');
my $ana = session($node, user => 'ana');
like($ana->ask($nightly),
	qr/^ERROR:  55000: pg_cron is not loaded\nDETAIL: .*\nHINT:  Install it, add pg_cron to shared_preload_libraries/,
	'not loaded: what to do');
is(scalar_of($node, 'SELECT count(*) FROM dpobj.schedule_rows'), '0', 'and nothing is kept');
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
unlike($ana->ask("$nightly; SELECT job FROM dpobj.schedules"), qr/CAPTURED/, 'a schema cron of somebody else is not asked');
$node->safe_psql('postgres', 'DROP SCHEMA cron CASCADE');
like($ana->ask($nightly), qr/^ERROR:  55000: extension "pg_cron" is not installed\nHINT:  .*CREATE EXTENSION pg_cron/,
	'not made: what to do');
$node->safe_psql('postgres', 'CREATE EXTENSION pg_cron');
like($ana->ask($nightly), qr/^ERROR:  42501: permission denied for schema cron\nHINT:  .*GRANT USAGE ON SCHEMA cron TO ana/,
	'closed: what to do');
$node->safe_psql('postgres', 'GRANT USAGE ON SCHEMA cron TO ana, poor, closed');

my $control = session($node);
like($control->ask("SET SESSION AUTHORIZATION closed; $nightly"),
	qr/^ERROR:  55000: role "closed" cannot log in\nDETAIL:  .*\nHINT:  .*ALTER ROLE closed LOGIN/, 'NOLOGIN: what to do');
$control->ask('RESET SESSION AUTHORIZATION');
is(scalar_of($node, 'SELECT count(*) FROM dpobj.schedule_rows'), '0', 'and nothing was kept');

my $there = session($node, database => 'other', user => 'ana');
my $said = $there->ask(schedule('minutely', '* * * * *'));
like($said, qr/^NOTICE:  00000: pg_cron does not know schedule "minutely" yet\nDETAIL:  It has its jobs in database "postgres"\./m,
	'in another database: a notice');
my ($statement) = $said =~ /^HINT:  A superuser can run there: (SELECT cron\..*;)$/m;
ok(defined $statement, 'with the statement to run');
is($there->ask('SELECT cron_statement, job FROM dpobj.schedules'), "$statement|", 'which the view has, too');
like($node->safe_psql('postgres', $statement), qr/^\d+$/, 'and which runs there');

# ---- the real pg_cron ----

like($ana->ask($nightly), qr/^\d+$/, 'scheduled');
is($ana->ask("SELECT s.job = j.jobid, j.schedule, j.command, j.username, j.database FROM dpobj.schedules s, cron.job j"
		  . " WHERE s.name = 'nightly' AND j.username = 'ana' AND j.database = 'postgres'"),
	"t|30 3 1 1 *|CALL dpobj.run_schedule('nightly')|ana|postgres", 'pg_cron has a job');
is($ana->ask(schedule('nightly', '30 4 1 1 *')), $ana->ask("SELECT job FROM dpobj.schedules WHERE name = 'nightly'"),
	'a change keeps the job');
is($ana->ask("SELECT schedule FROM cron.job WHERE database = 'postgres'"), '30 4 1 1 *', 'with its new time');
$node->safe_psql('postgres', "UPDATE cron.job SET jobname = 'of another version' WHERE database = 'postgres'");
is($ana->ask("$nightly = (SELECT job FROM dpobj.schedules WHERE name = 'nightly')"), 't', 'a job of another name is kept');
is($ana->ask("SELECT jobname, schedule FROM cron.job WHERE database = 'postgres'"), 'of another version|30 3 1 1 *', 'and is the only one');
$node->safe_psql('postgres', "UPDATE cron.job SET jobname = 'dpobj postgres nightly' WHERE database = 'postgres'");

# The minute in which they are made ends after fires() has looked at the clock, so that it sees their first runs.
wait_until(70, sub { sleep 0.2; my ($second) = gmtime; $second >= 1 && $second <= 50 });
my $poor = session($node, user => 'poor');
my $allowance = 'allowance => 0.5, period => ';
like($_, qr/^\d+$/, 'scheduled') for (
	$ana->ask(schedule('minutely', '* * * * *')),
	$ana->ask(schedule(q(it''s thrifty), '* * * * *', "$allowance '1 day'")),
	$ana->ask(schedule('wrong', '* * * * *')),
	$poor->ask(schedule('minutely', '* * * * *')));
# What the filter names is gone since it was scheduled.
$node->safe_psql('postgres', q(UPDATE dpobj.schedule_rows SET filter = '{"nothing": {"=": 1}}' WHERE name = 'wrong'));

sub fires
{
	my ($how) = @_;
	my $since = scalar_of($node, 'SELECT clock_timestamp()');
	my $new = "SELECT count(DISTINCT (schedule, owner)) FROM dpobj.schedule_runs WHERE scheduled > '$since'";
	ok(wait_until(100, sub { sleep 0.3; scalar_of($node, $new) >= 4 && $node->safe_psql('other', $new) >= 1 }), "$how: fired");
	settle($node);
	is(scalar_of($node, "SELECT bool_and(started - scheduled < interval '1 minute' AND scheduled = date_trunc('minute', started))"
			  . " FROM dpobj.schedule_runs WHERE scheduled > '$since'"), 't', "$how: within its minute");
	ok(wait_until(20, sub { sleep 0.2; scalar_of($node, 'SELECT count(*) FROM cron.job_run_details'
				  . " WHERE status IN ('starting', 'running', 'sending', 'connecting')") eq '0' }), "$how: the jobs end");
	is( scalar_of($node, <<"SQL"), "ana|minutely|succeeded\nana|wrong|failed\npoor|minutely|succeeded", "$how: pg_cron's view of it");
SELECT username, substring(command from '''(\\w+)'''), status FROM cron.job_run_details
WHERE status IN ('succeeded', 'failed') AND start_time > '$since' AND database = 'postgres' AND command ~ '''\\w+''' AND command !~ 'thrifty' GROUP BY 1, 2, 3 ORDER BY 1, 2
SQL
	like(scalar_of($node, "SELECT DISTINCT return_message FROM cron.job_run_details WHERE status = 'failed' AND start_time > '$since'"),
		qr/the filter names column "nothing", which does not exist/, "$how: and why it failed");
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
is_of('minutely', 'ana', $since, 'released|0.5|t|', 'released, and charged');
is_of('minutely', 'poor', $since, 'skipped||f|UB001', 'an exhausted budget: skipped');
is_of('wrong', 'ana', $since, 'failed||f|22023', 'an error: failed, and recorded');
is_of(q(it's thrifty), 'ana', $since, 'released|0.5|t|', 'within the allowance: released');
like(runs_of('minutely', 'other'), qr/^released\|0.5\|t\|$/m, 'in the other database, too');
is($ana->ask("SELECT dpobj.verify(m.model), m.name = to_char(r.scheduled AT TIME ZONE 'GMT', '\"minutely\" YYYY-MM-DD HH24:MI')"
		  . " FROM dpobj.schedules s JOIN dpobj.models m ON m.name = s.latest_model"
		  . " JOIN dpobj.schedule_runs r ON r.model = m.name WHERE s.name = 'minutely'"), 't|t', 'the latest model is found');

# ---- background workers, a server that was restarted in between ----

$_->quit for $ana, $poor, $control, $there;
# The version of Debian 12 has no cron.timezone, and goes by GMT; dpobj reads it all the same.
$node->append_conf('postgresql.conf', "cron.use_background_workers = on\ncron.timezone = 'Europe/Berlin'");
$node->restart;
$since = fires('background workers');
is_of('minutely', 'ana', $since, 'released|0.5|t|', 'released again, for another time');
is_of('minutely', 'poor', $since, 'skipped||f|UB001', 'skipped again');
is_of('wrong', 'ana', $since, 'failed||f|22023', 'failed again');
is_of(q(it's thrifty), 'ana', $since, 'skipped||f|UB001', 'the allowance is used up: skipped');

# ---- time zones ----

$ana = session($node, user => 'ana');
is($ana->ask(q{SELECT string_agg(to_char(dpobj_internal.schedule_time('30 3 * * *', t) AT TIME ZONE 'GMT', 'DD HH24:MI'), ', ' ORDER BY t)
  FROM unnest('{2026-03-28 12:00+00, 2026-03-29 01:29+00, 2026-03-29 01:30+00, 2026-10-25 12:00+00}'::timestamptz[]) t}),
	'28 02:30, 28 02:30, 29 01:30, 25 02:30', 'times are those of cron.timezone, in winter and in summer');
is($ana->ask(q{SELECT count(DISTINCT dpobj_internal.schedule_model('x', dpobj_internal.schedule_time('30 2 * * *', t)))
  FROM unnest('{2026-10-25 00:31+00, 2026-10-25 01:31+00}'::timestamptz[]) t}), '1', 'an hour that comes twice has its run once');

# Since pg_cron 1.6.8; for one that does not know it as well.
is($ana->ask("SELECT dpobj_internal.cron_time('0 0 13 * 5', '2026-11-01'), dpobj_internal.cron_time('0 0 13 * 5', '2026-11-14', true)"),
	'2026-10-30 00:00:00|2026-11-20 00:00:00', 'the 13th, and each Friday');
$node->append_conf('postgresql.conf', 'cron.dom_dow_and_logic = yes');
$node->reload;
ok(wait_until(10, sub { $ana->ask("SELECT dpobj_internal.cron_time('0 0 13 * 5', '2026-11-01')") eq '2026-03-13 00:00:00' }),
	'with cron.dom_dow_and_logic a Friday the 13th');
$node->append_conf('postgresql.conf', 'cron.dom_dow_and_logic = off');
$node->reload;

# ---- removing ----

$poor = session($node, user => 'poor');
is($ana->ask("SELECT dpobj.unschedule('minutely'); SELECT dpobj.unschedule('wrong'); SELECT dpobj.unschedule('it''s thrifty')") =~ s/\n//gr,
	'', 'unscheduled without a word');
is($ana->ask("SELECT jobname FROM cron.job WHERE database = 'postgres'"), 'dpobj postgres nightly', 'the jobs are gone');
$node->safe_psql('postgres', "SELECT dpobj.unschedule('minutely', 'poor')");
is(scalar_of($node, "SELECT count(*) FROM cron.job WHERE username = 'poor'"), '0', 'a superuser removes others\'');
my $other = session($node, database => 'other', user => 'ana');
my ($removal) = $other->ask("SELECT dpobj.unschedule('minutely')") =~
  /^NOTICE:  00000: pg_cron may still know .*\nDETAIL: .*\nHINT:  A superuser can run in the database of pg_cron: (SELECT .*;)$/m;
is($node->safe_psql('postgres', $removal // 'SELECT 0'), 't', 'in another database: the statement to run');
$other->quit;

# ---- one scheduled time is charged once ----

# The last scheduled time of it is New Year.
my $yearly = sub { return schedule('yearly', '0 0 1 1 *', $_[0]) };
my $call = "CALL dpobj.run_schedule('yearly')";
like($ana->ask($yearly->()), qr/^\d+$/, 'scheduled');
spends($node, 'a run, late and repeated', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is($ana->ask($call), '', 'run') for 1 .. 3;
});
is(runs_of('yearly'), 'released|0.5|t|', 'one run, one model');
$ana->ask("SELECT dpobj.unschedule('yearly')");
like($ana->ask($yearly->()), qr/^\d+$/, 'scheduled anew');
spends($node, 'made anew under its name', {}, sub { is($ana->ask($call), '', 'run'); });
is(runs_of('yearly'), 'released|0.5|t|', 'it has its model');

my $again = session($node, user => 'ana');
$ana->ask(schedule('race', '0 0 1 1 *'));
spends($node, 'two at once', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	my $lock = session($node);
	$lock->ask('BEGIN; LOCK TABLE patient');
	$_->send("CALL dpobj.run_schedule('race')") for $ana, $again;
	my $pids = join ', ', $ana->pid, $again->pid;
	ok(wait_until(10, sub { scalar_of($node, "SELECT count(DISTINCT pid) FROM pg_locks WHERE pid IN ($pids) AND NOT granted") eq '2' }),
		'both wait');
	$lock->ask('COMMIT');
	is($_->result, '', 'run') for $ana, $again;
	$lock->quit;
});
is(runs_of('race'), 'released|0.5|t|', 'one run');

# A run that died: charged, and not tried again.
my $hard = q{SELECT dpobj.schedule('hard', 'ill', 0.5, name => 'hard', cron => '0 0 1 1 *', options => '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}')};
like($ana->ask($hard), qr/^\d+$/, 'scheduled');
is(scalar_of($node, q{SELECT string_agg(DISTINCT concat(name, ' ', method, ' ', options -> 'intercept'), ',') FROM dpobj.schedules WHERE name IN ('race', 'hard')}),
	'hard auto false,race auto true', 'method and intercept are kept in so many words');
$call = "CALL dpobj.run_schedule('hard')";
spends($node, 'a run that is terminated', { epsilon => 0.5, charged => 1 }, sub {
	$again->send($call);
	solver_of($node, $again);
	$node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . $again->pid . ')');
	$again->result;
});
is(runs_of('hard'), 'charged|0.5|f|', 'charged: it may have been released');
spends($node, 'run again', {}, sub { like($ana->ask($call), qr/^ERROR:  UB004: the run was charged already and has no end/, 'failed'); });
is(runs_of('hard'), 'charged|0.5|f|', 'as before');
$again->quit;

# A release that failed: charged, and not tried again.
my $solver = solver_path($node);
$call = "CALL dpobj.run_schedule('failing')";
$ana->ask(schedule('failing', '0 0 1 1 *'));
rename $solver, "$solver.away" or die;
spends($node, 'a release that fails', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	like($ana->ask($call), qr/^ERROR:  UB004: the release failed and nothing was released/, 'with the generic error');
});
rename "$solver.away", $solver or die;
is($ana->ask("SELECT state, epsilon, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'failing'"),
	"failed|0.5|UB004|the release failed and nothing was released\nThe charge stays. Failures are counted against the table, "
	  . 'and the reason is in the server log only.', 'and so is it recorded');
spends($node, 'run again', {}, sub { like($ana->ask($call), qr/^ERROR:  UB004: the release failed/, 'failed, without a charge'); });
is($ana->ask("SELECT dpobj.unschedule('failing')"), '', 'unscheduled');

# ---- dump and restore: pg_cron's job does not come along ----

my $dump = $node->basedir . '/schedules.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres'), '--exclude-schema', 'cron' ], 'dumped');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->psql('copy', "\\i $dump", on_error_stop => 0);
my $copy = session($node, database => 'copy', user => 'ana');
is($copy->ask('SELECT name, owner, relation, epsilon, job FROM dpobj.schedules ORDER BY 1'),
	"hard|ana|hard|0.5|\nnightly|ana|patient|0.5|\nrace|ana|patient|0.5|\nyearly|ana|patient|0.5|", 'restored, without jobs');
is($copy->ask("SELECT state, epsilon, model FROM dpobj.schedule_runs WHERE schedule = 'yearly'"),
	$ana->ask("SELECT state, epsilon, model FROM dpobj.schedule_runs WHERE schedule = 'yearly'"), 'with their runs');
like($copy->ask($yearly->()), qr/HINT:  A superuser can run there: SELECT cron\.schedule_in_database\('dpobj copy yearly'/,
	'scheduled again, the statement to run');
is($copy->ask("SELECT count(*) FROM dpobj.schedules WHERE name = 'yearly'"), '1', 'and it is the same one');
is($copy->ask("CALL dpobj.run_schedule('yearly')"), '', 'what was charged is charged there, too');
like($copy->ask("SELECT dpobj_internal.schedule_put('patient', 'ill', 0.5, NULL, 0, 'halfspace', '{}', NULL, 'new', '0 0 1 1 *', NULL, NULL);"
		  . " CALL dpobj.run_schedule('new')"), qr/^ERROR:  55000:/m, 'nothing new before the epoch is confirmed');

# The names of a job's database and schedule cannot run into each other.
my $jobname = $copy->ask("SELECT dpobj_internal.cron_jobname('new x')");
is($jobname, 'dpobj copy new x', 'a job is named after database and schedule');
$node->safe_psql('postgres', 'ALTER DATABASE other RENAME TO "copy new"');
isnt($node->safe_psql('copy new', "SELECT dpobj_internal.cron_jobname('x')"), $jobname, 'not the same for another two');

# DROP EXTENSION leaves the job, whose runs fail; the statement of the guide removes it.
$_->quit for $ana, $poor, $copy;
$node->safe_psql('postgres', 'DROP EXTENSION dpobj');
is(scalar_of($node, "SELECT count(*) FROM cron.job WHERE database = 'postgres' AND command LIKE 'CALL dpobj.run_schedule(%'"),
	'4', 'jobs stay when the extension is dropped');
$node->safe_psql('postgres', "SELECT cron.unschedule(jobid) FROM cron.job WHERE command LIKE 'CALL dpobj.run_schedule(%'");
is(scalar_of($node, 'SELECT count(*) FROM cron.job'), '0', 'and can be removed');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|WARNING:  you don't own/, 'nothing crashed');

$node->stop;
done_testing();
