# 038_drift.pl - dpobj.schedule with the real pg_cron: histograms of a column that drifts
# and of one that does not, ratings of a training's newest model, an allowance, and a crash between
# the charge and the end of a run.

use DpobjTest;

my $library = `pg_config --pkglibdir`;
chomp $library;
plan skip_all => 'pg_cron is not installed (Debian package postgresql-15-cron)' unless -e "$library/pg_cron.so";

my $node = dpobj_cluster('drift', 'dpobj.release_tick = 0', 'fsync = off', 'max_connections = 40');
$node->append_conf('postgresql.conf',
	"shared_preload_libraries = 'dpobj, pg_cron'\ncron.database_name = 'postgres'\ncron.host = '" . $node->host . "'");
$node->restart;
login_roles($node, 'ana');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_cron;
GRANT USAGE ON SCHEMA cron TO ana;
CREATE TABLE patient AS SELECT i % 2 = 0 AS ill, i % 2 = 0 AS fever, i % 80 AS age, (ARRAY['east', 'north', 'west'])[1 + i % 3] AS ward
  FROM generate_series(1, 1200) i;
SELECT dpobj.protect('patient', '{"ill": {}, "fever": {}, "age": {"bins": [20, 40, 60]}, "ward": {"levels": ["east", "north", "west"]}}');
SELECT dpobj.set_budget('patient', 'ana', 100000, 0);
SQL

my $ana = session($node, user => 'ana');

sub evaluation
{
	my ($name, $call, $arguments, $cron, $more) = @_;
	return "SELECT dpobj.schedule('$call', 'patient', '$arguments', '$name', '$cron'" . ($more ? ", $more" : '') . ')';
}

# How many scheduled times have a run.
sub times_of
{
	my ($name) = @_;
	return scalar_of($node, "SELECT count(*) FROM dpobj.schedule_runs WHERE schedule = '$name'");
}

sub states_of
{
	my ($name) = @_;
	return $node->safe_psql('postgres',
		"SELECT DISTINCT state, epsilon, sqlstate FROM dpobj.schedule_runs WHERE schedule = '$name' ORDER BY 1");
}

# ---- what pg_cron starts --------------------------------------------------------------

# Made well within a minute, so that all of them have their first run at the same time.
wait_until(70, sub { sleep 0.2; my ($second) = gmtime; $second >= 1 && $second <= 40 });
my @schedules = (
	[ 'ages', 'histogram', '{"column": "age", "epsilon": 20}' ],
	[ 'wards', 'histogram', '{"column": "ward", "epsilon": 20}' ],
	[ 'rating', 'evaluate', '{"model": "model", "epsilon": 20}' ],
	[ 'thrifty', 'count', '{"epsilon": 0.5}', "allowance => 0.5, period => '1 day'" ]);
like($ana->ask("SELECT dpobj.schedule('train', 'patient', '{\"label\": \"ill\", \"epsilon\": 20, \"features\": [\"fever\"]}', 'model', '* * * * *')"),
	qr/^\d+$/, 'a training is scheduled');
for my $schedule (@schedules)
{
	my ($name, $call, $arguments, $more) = @$schedule;
	like($ana->ask(evaluation($name, $call, $arguments, '* * * * *', $more)), qr/^\d+$/, "$name is scheduled");
}
is($ana->ask("SELECT s.job = j.jobid, j.schedule, j.command, j.username, s.call FROM dpobj.schedules s JOIN cron.job j ON j.jobid = s.job WHERE s.name = 'ages'"),
	"t|* * * * *|CALL dpobj.run_schedule('ages')|ana|histogram", 'pg_cron has a job of the look');

ok(wait_until(100, sub { sleep 0.3; !grep { times_of($_) < 1 } qw(ages wards thrifty model rating) }), 'each has its first run');
$node->safe_psql('postgres', 'UPDATE patient SET age = 70 WHERE age < 20');
ok(wait_until(100, sub { sleep 0.3; !grep { times_of($_) < 2 } qw(ages wards thrifty model rating) }), 'each has its second run');
settle($node);

is(states_of($_), 'released|20|', "runs of $_ are released") for qw(ages wards model);
is(states_of('thrifty'), "released|0.5|\nskipped||UB001", 'a run beyond the allowance is skipped');
like(scalar_of($node, "SELECT message FROM dpobj.schedule_runs WHERE schedule = 'thrifty' AND state = 'skipped' LIMIT 1"),
	qr/^allowance used up: epsilon: 0\.5 spent/, 'its message says why');
is(scalar_of($node, q{SELECT count(*) - count(DISTINCT (schedule, scheduled)) FROM dpobj.schedule_runs}), '0', 'a scheduled time has one run');
is(scalar_of($node, <<'SQL'), '0', 'each charge of the role is that of one run');
SELECT count(*) FROM dpobj.ledger WHERE event = 'charged' AND role = 'ana' AND id NOT IN (SELECT release FROM dpobj.schedule_runs WHERE release IS NOT NULL)
SQL
is($ana->ask(q{SELECT bool_and(a.name = to_char(r.scheduled AT TIME ZONE 'GMT', '"ages" YYYY-MM-DD HH24:MI')) FROM dpobj.schedule_runs r JOIN dpobj.answers a ON a.name = r.model
  WHERE r.schedule = 'ages'}), 't', 'answers are named after their times');

# Of two runs at the same time either comes first: the rating is of this minute's model, of the last one, or skipped in the first minute.
like(states_of('rating'), qr/^released\|20\|(\nskipped\|\|42704)?$/, 'ratings are released, or skipped where there is no model yet');
is($ana->ask(<<'SQL'), 't', 'a rating is of the newest model');
SELECT count(*) > 0 AND bool_and(h.model IN (dpobj_internal.schedule_model('model', r.scheduled), dpobj_internal.schedule_model('model', r.scheduled - interval '1 minute')))
  FROM dpobj.schedule_runs r JOIN dpobj.model_history h USING (release) WHERE r.schedule = 'rating'
SQL

# ---- drift ------------------------------------------------------------------------------

is($ana->ask(q{SELECT bool_and(low > 0.2 AND high < 0.3), bool_and(value BETWEEN low AND high) FROM dpobj.drifts WHERE "column" = 'age'}), 't|t', 'drift is found');
is($ana->ask(q{SELECT bool_and(low = 0 AND high < 0.05) FROM dpobj.drifts WHERE "column" = 'ward'}), 't', 'where there is none, none is found');
is($ana->ask(<<'SQL'), "20 <= age < 40\n40 <= age < 60\nNULL", 'the bins that may not have changed');
SELECT d.bin FROM dpobj.drifts v, LATERAL dpobj.drift(v.first, v.name) d
 WHERE v."column" = 'age' AND v.release = (SELECT min(release) FROM dpobj.drifts WHERE "column" = 'age') AND d.low <= 0 AND d.high >= 0 ORDER BY 1
SQL

# ---- the end ----------------------------------------------------------------------------

is($ana->ask("SELECT dpobj.unschedule('$_')"), '', "$_ is removed") for qw(ages wards rating thrifty model);
is(scalar_of($node, 'SELECT count(*) FROM cron.job'), '0', 'pg_cron has no job of them any more');
cmp_ok($ana->ask(q{SELECT count(*) FROM dpobj.answers WHERE name LIKE 'ages %'}), '>=', 2, 'the answers stay');
wait_until(20, sub { sleep 0.2; scalar_of($node, "SELECT count(*) FROM cron.job_run_details WHERE status IN ('starting', 'running', 'sending', 'connecting')") eq '0' });

# ---- a crash between the charge and the end of a run ------------------------------------

# A scan of seconds, which the crash ends after the charge.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE crowd AS SELECT i % 1000 AS x, i % 7 AS y FROM generate_series(1, 4000000) i;
SELECT dpobj.protect('crowd', '{"x": {"scale": 1000}, "y": {"bins": [1, 2, 3]}}'), dpobj.set_budget('crowd', 'ana', 10, 0);
SQL
like($ana->ask(q{SELECT dpobj.schedule('histogram', 'crowd', '{"column": "y", "epsilon": 0.5}', 'yearly', '0 0 1 1 *')}),
	qr/^\d+$/, 'a look for New Year');
my $call = "CALL dpobj.run_schedule('yearly')";
my $runs = "SELECT state, epsilon, model IS NOT NULL FROM dpobj.schedule_runs WHERE schedule = 'yearly'";
spends($node, 'a run that a crash ends', { epsilon => 0.5, charged => 1 }, sub {
	my $victim = session($node, user => 'ana');
	$ana->quit;
	$victim->send($call);
	ok(wait_until(30, sub { scalar_of($node, "SELECT count(*) FROM dpobj.model_rows WHERE name LIKE 'yearly %'") eq '1' }), 'it is charged');
	kill 'KILL', $victim->pid;
	$victim->quit;
	wait_for_server($node);
	$ana = session($node, user => 'ana');
});
is($ana->ask($runs), 'charged|0.5|f', 'it is charged and has no end');
spends($node, 'run again', {}, sub { like($ana->ask($call), qr/^ERROR:  UB004: the run was charged already and has no answer/, 'another run fails'); });
is($ana->ask($runs), 'charged|0.5|f', 'another run changes nothing');

like($ana->ask(evaluation('monthly', 'count', '{"epsilon": 0.25}', '0 0 1 * *')), qr/^\d+$/, 'a look for each month');
# The next charge writes down that the one before it has failed.
spends($node, 'a run, late and repeated', { epsilon => 0.25, charged => 1, released => 1, failed => 1 }, sub {
	is($ana->ask("CALL dpobj.run_schedule('monthly')"), '', 'a late run succeeds') for 1 .. 3;
});

$ana->quit;
finish($node);
