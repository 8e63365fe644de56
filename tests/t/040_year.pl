# 040_year.pl - a year of a model: trained, held-out rows rated and a column watched every month by the
# real pg_cron, on a server whose clock the test sets (clock.c); the rows drift in July; in the end the
# old model is retired, the new one exported, and the auditor's page names all of it.
#
# The page is left in $W/pages (039_report_page.pl).
#
# The rows and each epsilon are chosen so that all checks hold but for a chance below 1e-10 together:
#   histogram   the noise of a bin is discrete Laplace of scale 2 / 0.25 = 8 rows, and above 250 with probability e^-31.
#               With less in all five bins of 100,000 rows, a distance of two histograms is within 0.026 of the truth.
#   accuracy    the noise of each of two counts is of scale 2 / 0.2 = 10 rows, and above 310 with probability e^-31: that
#               is 0.017 of the rows held out, which are 19,000 or more but for a chance of e^-25 (Chernoff). By Hoeffding's
#               inequality, which rows these are moves the accuracy by more than 0.03 with probability 2 e^-34.
#   training    every other rule is wrong for 1800 rows more, so it is less likely by e^(0.24 * 1800 / 2) = e^216; the
#               grid has 2^20 rules.

use DpobjClock;
use DpobjTest;

my $library = `pg_config --pkglibdir`;
chomp $library;
plan skip_all => 'pg_cron is not installed (Debian package postgresql-15-cron)' unless -e "$library/pg_cron.so";
my $clock = DpobjClock->new;
plan skip_all => 'there is no C compiler, cc, for the clock' unless $clock;

my $pages = "$ENV{W}/pages";
mkdir $pages;

# ---- New Year -----------------------------------------------------------------------------

my $node = dpobj_cluster('year', 'dpobj.release_tick = 0', 'fsync = off');
$node->append_conf('postgresql.conf',
	"shared_preload_libraries = 'dpobj, pg_cron'\ncron.database_name = 'postgres'\ncron.host = '" . $node->host . "'");
$clock->set('2030-01-01 00:00:00');
$clock->under(sub { $node->restart });
like(scalar_of($node, 'SELECT now()'), qr/^2030-01-01 00:00:/, 'the server has the clock of the test');

# Old people are ill, but for every eleventh row; half of the rows are of people above 40.
login_roles($node, qw(alice auditor));
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_cron;
GRANT USAGE ON SCHEMA cron TO alice;
GRANT dpobj_auditor TO auditor;
CREATE TABLE visit AS SELECT i AS id, i % 80 AS age, (ARRAY['f', 'm'])[1 + i / 80 % 2] AS sex, i / 160 % 2 = 0 AS fever, (i % 80 >= 40) <> (i % 11 = 0) AS ill
  FROM generate_series(1, 100000) i;
SELECT dpobj.protect('visit', '{"age": {"bins": [20, 40, 60]}, "sex": {"levels": ["f", "m"]}, "fever": {}, "ill": {}}', n => 100000, holdout_by => 'id');
SELECT dpobj.set_budget('visit', 'alice', 12, 0);
SQL

my $alice = session($node, user => 'alice');
my $training = q('visit', 'ill', 0.25, '{age,sex,fever}', method => 'halfspace', options => '{"holdout": 0.2}');
is($alice->ask("SELECT details ->> 'holdout' FROM dpobj.train($training, name => 'January')"), '0.2', 'a model is trained on four fifths of the rows');

my @schedules = (
	[ 'model', 3, q(schedule('train', 'visit', '{"label": "ill", "epsilon": 0.25, "features": ["age", "sex", "fever"], "method": "halfspace", "options": {"holdout": 0.2}}', 'model', '0 3 1 * *', allowance => 0.25, period => '1 month')) ],
	[ 'new model', 4, q(schedule('evaluate', 'visit', '{"model": "model", "epsilon": 0.2}', 'new model', '0 4 1 * *')) ],
	[ 'old model', 5, q(schedule('evaluate', 'visit', '{"model": "January", "epsilon": 0.2}', 'old model', '0 5 1 * *')) ],
	[ 'ages', 6, q(schedule('histogram', 'visit', '{"column": "age", "epsilon": 0.25}', 'ages', '0 6 1 * *')) ]);
like($alice->ask("SELECT dpobj.$_->[2]"), qr/^\d+$/, "schedule $_->[0]") for @schedules;

# ---- twelve months ------------------------------------------------------------------------

# Sets the clock to the second before a scheduled time, and waits for the end of the run: its state.
sub run_of
{
	my ($schedule, $day, $hour) = @_;
	my $run = "FROM dpobj.schedule_runs WHERE schedule = '$schedule' AND scheduled = '2030-$day $hour:00'";
	my $busy = "SELECT count(*) FROM cron.job_run_details WHERE status IN ('starting', 'running', 'sending', 'connecting')";

	$clock->set(sprintf '2030-%s %02d:59:59', $day, $hour - 1);
	wait_until(60, sub { sleep 0.05; $alice->ask("SELECT count(finished) $run") eq '1' && $alice->ask($busy) eq '0' });
	return $alice->ask("SELECT state $run");
}

sub near
{
	my ($what, $value, $truth, $distance) = @_;
	return ok(length($value) && abs($value - $truth) <= $distance, "$what: $value is within $distance of $truth");
}

my $history = q(SELECT value FROM dpobj.model_history WHERE kind = 'accuracy' AND holdout = 0.2 AND model);
for my $month (map { sprintf '%02d', $_ } 1 .. 12)
{
	my $drifted = $month >= 7;

	# Half of the old become young, and the feverish are ill.
	$node->safe_psql('postgres', <<'SQL') if $month == 7;
UPDATE visit SET age = CASE WHEN age >= 40 AND id / 320 % 2 = 0 THEN age - 40 ELSE age END, ill = fever <> (id % 11 = 0)
SQL
	is(join(' ', map { run_of($_->[0], "$month-01", $_->[1]) } @schedules), 'released released released released', "month $month: four runs");
	near("month $month, new model", $alice->ask("$history = (SELECT latest_model FROM dpobj.schedules WHERE name = 'model')"), 0.909, 0.05);
	near("month $month, old model", $alice->ask("$history = 'January' ORDER BY created DESC LIMIT 1"), $drifted ? 0.5 : 0.909, 0.05);
	near("month $month, drift", $alice->ask("SELECT value FROM dpobj.drifts WHERE name = 'ages 2030-$month-01 06:00'"), $drifted ? 0.25 : 0, 0.026) if $month > 1;
}

# The analyst wants a second training in December, and forgets the allowance.
like($alice->ask("SELECT dpobj.$schedules[0][2]" =~ s/0 3 1 /0 3 1,15 /r), qr/^\d+$/, 'the training is scheduled twice a month');
is(run_of('model', '12-15', 3), 'skipped', 'the second training of a month is skipped');
like($alice->ask("SELECT message FROM dpobj.schedule_runs WHERE state = 'skipped'"), qr/^allowance used up: epsilon: 0\.25 spent in 1 mon, 0\.25 asked, 0\.25 allowed/,
	'its message says why');

# ---- what is known at the end -------------------------------------------------------------

is($alice->ask(q(SELECT string_agg(to_char(created, 'MM'), ' ' ORDER BY created) FROM dpobj.drifts WHERE "column" = 'age' AND low > 0.1)),
	'07 08 09 10 11 12', 'the intervals say drift since July');
is($alice->ask(<<'SQL'), "age < 20|up\n20 <= age < 40|up\n40 <= age < 60|down\nage >= 60|down\nNULL|", 'the bins that have changed');
SELECT bin, CASE WHEN low > 0.05 THEN 'up' WHEN high < -0.05 THEN 'down' END FROM dpobj.drift('ages 2030-01-01 06:00', 'ages 2030-12-01 06:00')
SQL
is($alice->ask(<<'SQL'), '12|t', 'the history has a rating of the old model for each month, which falls');
SELECT count(*), min(value) FILTER (WHERE created < '2030-07-01') - max(value) FILTER (WHERE created >= '2030-07-01') > 0.3
  FROM dpobj.model_history WHERE model = 'January'
SQL
is($alice->ask(q(SELECT count(*), count(DISTINCT model) FROM dpobj.model_history WHERE model LIKE 'model %')), '12|12', 'each new model is rated once');
$alice->ask(q(SELECT value FROM dpobj.auc('January', 'visit', 0.3, name => 'AUC of the year')));
$alice->ask(q(SELECT rows FROM dpobj.confusion('model 2030-12-01 03:00', 'visit', 0.3, name => 'mistakes of the year')));

settle($node);
is(scalar_of($node, <<'SQL'), "ages|12|12\nmodel|12|12\nnew model|12|12\nold model|12|12", 'each run has one charge of its own');
SELECT r.schedule, count(*), count(DISTINCT e.id) FROM dpobj.schedule_runs r JOIN dpobj.ledger_events e ON e.id = r.release AND e.event = 'charged'
 GROUP BY 1 ORDER BY 1
SQL
is(scalar_of($node, <<'SQL'), '51|11650000000|51|0', 'the ledger has these and three more, all released: 11.65 to the nano');
SELECT count(*) FILTER (WHERE event = 'charged'), sum(epsilon_nano) FILTER (WHERE event = 'charged'),
       count(*) FILTER (WHERE event = 'released'), count(*) FILTER (WHERE event = 'failed') FROM dpobj.ledger_events
SQL
is($alice->ask("SELECT epsilon_limit, epsilon_spent, epsilon_left FROM dpobj.budgets WHERE role = 'alice'"), '12|11.65|0.35', 'so has the budget');
is($alice->ask('SELECT bool_and(dpobj.verify(model)), count(*) FROM dpobj.models'), 't|13', 'the ledger knows all models');

# ---- the model's end ----------------------------------------------------------------------

is($alice->ask("SELECT dpobj.unschedule('$_->[0]')"), '', "schedule $_->[0] ends") for @schedules;
is(scalar_of($node, 'SELECT count(*) FROM cron.job'), '0', 'pg_cron has no job any more');
$alice->ask("SELECT dpobj.comment('January', 'the ages have drifted'), dpobj.retire('January')");
refused('a prediction of the retired model', '55000', $alice->ask(q(SELECT dpobj.predict('January', n) FROM (SELECT 70 AS age, 'f' AS sex, true AS fever) n)));
like($alice->ask("SELECT dpobj.show('January')"), qr/retired .*the ages have drifted|the ages have drifted.*retired/s, 'dpobj.show says that it is retired, and why');

# All values of the features, and some that are missing or unknown.
$alice->ask(<<'SQL');
CREATE TEMP TABLE guest AS SELECT row_number() OVER () AS id, age, sex, fever
  FROM generate_series(-1, 90) age, unnest('{f,m,x,NULL}'::text[]) sex, unnest('{t,f,NULL}'::boolean[]) fever
SQL
my $guests = $alice->ask('SELECT count(*) FROM guest');
my $newest = 'model 2030-12-01 03:00';
my $sql = $alice->ask("SELECT dpobj.predict_sql('$newest', 'guest')");
is($alice->ask(<<"SQL"), "$guests|$guests", 'as plain SQL and as an array of features the newest model predicts the same');
SELECT count(*) FILTER (WHERE s.dp_prediction IS NOT DISTINCT FROM dpobj.predict('$newest', g)),
       count(*) FILTER (WHERE s.dp_prediction IS NOT DISTINCT FROM dp_predict(m.model, dpobj.features(p.encoders - 'ill', g)))
  FROM ($sql) s JOIN guest g USING (id), dpobj.models m, dpobj.protected p WHERE m.name = '$newest'
SQL
is($alice->ask("SELECT count(*) FILTER (WHERE dpobj.predict('$newest', g) = fever), count(dpobj.predict('$newest', g)) FROM guest g"), '368|368',
	'it predicts the new rule');
is($alice->ask("SELECT dpobj.show('$newest', 'json')::jsonb ->> 'kind'"), 'halfspace', 'there is JSON of it');
unlink "$pages/year.pmml";
append_to_file("$pages/year.pmml", $alice->ask("SELECT dpobj.show('$newest', 'pmml')"));
my $rows = $alice->ask('SELECT json_build_object($$age$$, age, $$sex$$, sex, $$fever$$, fever) FROM guest ORDER BY id');
IPC::Run::run([ '/usr/bin/python3', 'tests/readers/pmml.py', "$pages/year.pmml" ], '<', \$rows, '>', \my $read) or die 'the reader of PMML has failed';
is(scalar(() = $read =~ /"prediction": true\b/g), 184, 'a reader of PMML predicts the new rule, too');

# ---- the report ---------------------------------------------------------------------------

my $page = in_session($node, 'auditor', "SELECT dpobj.report('visit', 'html')");
append_to_file("$pages/year.html", $page);
my @there = ('January', '11.65', '0.35', 'confusion kept as mistakes of the year',
	map { sprintf 'model 2030-%02d-01 03:00', $_ } 1 .. 12);
is_deeply([ grep { index($page, $_) < 0 } @there ], [], 'the page names all models, what was kept of them, and the budget');
my $words = $page =~ s/<[^>]*>/ /gr =~ s/\s+/ /gr;
like($words, qr/ January alice halfspace ill 0\.25 2030-01-01 retired 2030-12-15 /, 'and that the old one is retired');
like(in_session($node, 'auditor', "SELECT dpobj.report('visit')"), qr/11\.65/, 'so does the report as text');
is(in_session($node, 'auditor', "SELECT dpobj.report('visit', 'json')::jsonb ->> 'sums_equal'"), 'true', 'the sums agree with the ledger');
like($alice->ask("SELECT dpobj.show('$newest', 'markdown')"), qr/accuracy 0\.[89]\d*.*confusion kept as mistakes of the year/s, 'the card of the newest model has its ratings');

$alice->quit;
finish($node);
