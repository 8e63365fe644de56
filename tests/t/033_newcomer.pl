# 033_newcomer.pl - a newcomer's hour, in one fresh cluster: every statement of README.md and of
# docs/tutorial.md, in order, with the printed results; then a restart in the middle of a job, the
# minute of the real pg_cron, a budget that is used up and raised, a dump
# that is restored on another server, and DROP EXTENSION.
#
# The tutorial's files are made from DPOBJ_DATA's adult.data.csv and adult.test.csv, which differ
# from UCI's in their first line and in the dots behind the labels. Without them, the statements
# run on generated rows of the same columns, and only their SQLSTATEs are compared.

use Cwd qw(getcwd);
use DpobjGuide;
use DpobjTest;

my $no_cron = 'pg_cron is not installed (Debian package postgresql-15-cron)';
my $no_adult = 'no adult.data.csv and adult.test.csv in DPOBJ_DATA: generated rows';

# ---- the raw files -----------------------------------------------------------------

my $folder = PostgreSQL::Test::Utils::tempdir('tutorial');
my $data = $ENV{DPOBJ_DATA} // '';
my $real = -r "$data/adult.data.csv" && -r "$data/adult.test.csv";

sub write_file
{
	my ($name, @lines) = @_;
	open my $file, '>', "$folder/$name" or die;
	print $file map { "$_\n" } @lines;
	close $file;
	return;
}

# The lines of a file in DPOBJ_DATA without the first.
sub shared_lines
{
	my ($name) = @_;
	my (undef, @lines) = split /\n/, slurp_file("$data/$name");
	return grep { /,/ } @lines;
}

# Generated people: those with more education and hours earn more.
sub generated_lines
{
	my ($count) = @_;
	my @relationships = qw(Husband Wife Own-child Not-in-family Unmarried Other-relative);

	return map {
		my ($education, $hours, $relationship) = (1 + $_ * 7 % 16, 20 + $_ * 11 % 41, $relationships[ $_ % 6 ]);
		my $rich = $education + $hours / 5 + ($relationship eq 'Husband' ? 4 : 0) > 19;
		join(', ', 18 + $_ % 60, 'Private', 1000 + $_, 'Some-college', $education, 'Divorced', 'Sales', $relationship,
			'White', ($_ % 3 ? 'Male' : 'Female'), ($_ % 13 ? 0 : 7000), 0, $hours, 'United-States', $rich ? '>50K' : '<=50K')
	} 1 .. $count;
}

my @train = $real ? shared_lines('adult.data.csv') : generated_lines(6000);
my @test = $real ? shared_lines('adult.test.csv') : generated_lines(3000);
write_file('adult.data', @train, '');
write_file('adult.test', '|1x3 Cross validator', (map { "$_." } @test), '');

# ---- the cluster -------------------------------------------------------------------

my $node = dpobj_cluster('newcomer', guide_settings('newcomer'), 'max_connections = 40');

# The output of one statement in its own session.
sub ask
{
	my ($role, $statement, %where) = @_;
	return in_session($where{node} // $node, { user => $role, database => $where{database} // 'tutorial', seconds => 150 }, $statement);
}

# The epsilon that alice may still spend.
sub left
{
	my ($relation, %where) = @_;
	return ask('alice', "SELECT epsilon FROM dpobj.remaining('$relation')", %where);
}

sub plus { return sprintf '%.9g', $_[0] + $_[1]; }

# ---- README.md -----------------------------------------------------------------------

my @readme = guide_pieces('README.md');
my @blocks = guide_blocks(@readme);

cmp_ok(scalar @blocks, '>=', 10, 'the README has statements');
cmp_ok(scalar(grep { $_->{result} } @blocks), '>=', 3, 'the README has results');
is_deeply([ guide_languages(@readme) ], [], 'no statement hides in a block of another language');

# The owner's door begins with the demo's statement.
my ($promise) = map { $_->{body} =~ /^(SELECT dp_halfspace\(.*)$/m } @blocks;
is($promise, 'SELECT dp_halfspace(features, label, 1.0, 0) FROM adult;', 'the README has the first call of an aggregate');
like(slurp_file('scripts/demo_train.sql'), qr/^\\echo '  \Q$promise\E'$/m, 'the demo prints the same statement');
$node->safe_psql('postgres', 'CREATE DATABASE newcomer');
guide_check($node, 'newcomer', $_, role => 'postgres') for @blocks;
is($node->safe_psql('newcomer', q{SELECT epsilon > 0 FROM dpobj.remaining('visit')}),
	't', 'earlier charges leave a rest of the budget');
guide_write('README.md', @readme);

# The tutorial has the same roles and its own database, in which pg_cron now has its jobs.
$node->append_conf('postgresql.conf', $_) for guide_settings('tutorial');
$node->append_conf('postgresql.conf', "cron.host = '" . $node->host . "'") if guide_has_cron();
$node->restart;
$node->safe_psql('postgres', 'DROP DATABASE newcomer');
$node->safe_psql('postgres', 'DROP ROLE alice, carol');
$node->safe_psql('postgres', 'CREATE DATABASE tutorial');

# ---- docs/tutorial.md ------------------------------------------------------------------

# Its schedule is a live job at 02:30 GMT, whose run would change what is compared.
wait_until(600, sub { sleep 0.3; my (undef, $minute, $hour) = gmtime; $hour != 2 || $minute < 24 || $minute > 30 })
  if guide_has_cron();
my @pieces = guide_pieces('docs/tutorial.md');
@blocks = guide_blocks(@pieces);

cmp_ok(scalar @blocks, '>=', 14, 'the tutorial has statements');
is_deeply([ guide_languages(@pieces) ], [], 'no statement of the tutorial hides in a block of another language');
SKIP: { skip "$no_adult, no results are compared", 1 unless $real; }
my $sources = getcwd();
chdir $folder or die;
# After a skipped block the results show less spending, so they are not compared.
my $compared = $real;
for my $block (@blocks)
{
	$compared = guide_check($node, 'tutorial', $block, no_results => !$compared) && $compared;
}
guide_write('docs/tutorial.md', @pieces);
chdir $sources or die;

# ---- a job, and a restart in the middle of it ------------------------------------------

hard_table($node, 'tutorial');
$node->safe_psql('tutorial', q{SELECT dpobj.set_budget('hard', 'alice', 2, 0)});

sub submit
{
	my ($name, $relation, $label, $epsilon, %how) = @_;
	my $options = $how{options} // '{}';
	my $id = ask('alice', "SELECT dpobj.submit('train', '$relation', '{\"label\": \"$label\", \"epsilon\": $epsilon, \"options\": $options}', '$name')", %how);

	like($id, qr/^\d+$/, "job $name is submitted");
	return $id;
}

# The state in the table: reading the view would start a worker.
sub state_of { return $node->safe_psql('tutorial', "SELECT state FROM dpobj.job_rows WHERE id = $_[0]"); }

my $before = left('census');
my $long = submit('long', 'hard', 'ill', 0.5, options => '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}');
my $next = submit('next', 'census', 'income', 0.05);
my $phase = "SELECT phase FROM dpobj.progress WHERE job = $long";
ok(wait_until(60, sub { sleep 0.05; ask('alice', $phase) eq 'solving' }), 'one job is solving');
is(state_of($next), 'queued', 'another job waits for it');
$node->restart;
ok(wait_until(60, sub { sleep 0.1; state_of($next) eq 'released' }), 'after a restart the waiting job runs without a call');
is(ask('alice', "SELECT state, reason FROM dpobj.jobs WHERE id = $long"),
	"failed|the job's worker ended before the job\nThe charge stays.", 'the job that ran has failed');
is($node->safe_psql('tutorial', "SELECT string_agg(event, ' ' ORDER BY id) FROM dpobj.ledger"
		  . " WHERE relation_name = 'public.hard' AND event IN ('charged', 'released', 'failed')"),
	'charged failed', 'the failed job is charged once and not released');
is(left('hard'), '1.5', 'the charge of the failed job stays');
is(left('census'), plus($before, -0.05), 'the waiting job is charged once');
is(ask('alice', "SELECT dpobj.verify(model) FROM dpobj.models WHERE name = 'next'"), 't', 'the waiting job has a model');

# ---- the minute of pg_cron begins ------------------------------------------------------

# Two schedules, one within the budget and one beyond it, in one commit so that they begin in the same
# minute.
sub schedule_both
{
	my ($cron) = @_;
	like(ask('alice', "SELECT dpobj.schedule('train', 'census', '{\"label\": \"income\", \"epsilon\": 0.05}', 'minutely', '$cron'),"
			  . " dpobj.schedule('train', 'census', '{\"label\": \"income\", \"epsilon\": 0.5}', 'hungry', '$cron')"),
		qr/^\d+\|\d+$/, "two schedules are made for $cron");
	return;
}

$before = left('census');
SKIP:
{
	skip "$no_cron: no schedules", 2 unless guide_has_cron();
	is(ask('alice', "SELECT job IS NOT NULL FROM dpobj.schedules WHERE name = 'nightly'"), 't',
		'the schedule keeps its job over a restart');
	schedule_both('* * * * *');
}
my $since = ask('alice', 'SELECT clock_timestamp()');

# ---- pg_cron fires -----------------------------------------------------------------------

SKIP:
{
	skip "$no_cron: no schedule fires", 7 unless guide_has_cron();
	my $runs = "dpobj.schedule_runs WHERE schedule IN ('minutely', 'hungry')";
	my $jobs = "cron.job_run_details WHERE command ~ 'minutely|hungry'";

	my $ended = "SELECT count(DISTINCT schedule) FROM $runs AND finished IS NOT NULL";
	ok(wait_until(130, sub { sleep 0.3; $node->safe_psql('tutorial', $ended) eq '2' }), 'pg_cron fires');
	# A change keeps the runs; the next ones are at New Year.
	schedule_both('0 0 1 1 *');
	ok(wait_until(30, sub { sleep 0.2; $node->safe_psql('tutorial',
				"SELECT bool_and(status IN ('succeeded', 'failed')) FROM $jobs") eq 't' }), 'the jobs of pg_cron end');
	is($node->safe_psql('tutorial', "SELECT DISTINCT username, status FROM $jobs"), 'alice|succeeded', 'the jobs of pg_cron succeed as alice');
	# The next minute begins within 60 seconds; one that begins while pg_cron learns of the job may be the one after.
	is(ask('alice', "SELECT min(started) - '$since' < interval '75 s' FROM $runs"), 't', 'the runs start in the next minute');
	is(ask('alice', "SELECT DISTINCT schedule, state, epsilon, sqlstate, model IS NOT NULL FROM $runs ORDER BY 1"),
		"hungry|skipped||UB001|f\nminutely|released|0.05||t", 'one run is released, one is skipped for lack of budget');
	my $released = ask('alice', "SELECT count(*) FROM $runs AND state = 'released'");
	is(left('census'), plus($before, -0.05 * $released), 'only released runs are charged');
}

# ---- used up, and topped up ---------------------------------------------------------------

$before = left('census');
like(ask('alice', "SELECT dpobj.submit('train', 'census', '{\"label\": \"income\", \"epsilon\": 0.5}', 'more')"),
	qr/^ERROR:  UB001: privacy budget exhausted\nDETAIL:  The budget of role "alice" .* 0\.5 asked, \Q$before\E left of 4\.5\.$/m,
	'a job beyond the budget is refused');
is(left('census'), $before, 'the refused job is not charged');
ask('carol', "SELECT dpobj.raise_budget('census', $_, 1, 0, 'a second year')") for 'NULL', "'alice'";
is(left('census'), plus($before, 1), 'carol raises the budgets by 1');
my $job = submit('more', 'census', 'income', 0.5);
is(ask('alice', "SELECT dpobj.wait($job, '1 min')"), 'released', 'the same job is released then');
is(left('census'), plus($before, 0.5), 'the released job is charged');
SKIP:
{
	skip "$no_cron: no schedule that was skipped", 2 unless guide_has_cron();
	is(ask('alice', "CALL dpobj.run_schedule('hungry'); CALL dpobj.run_schedule('hungry')"), '', 'the skipped run can be run by hand');
	is(left('census'), $before, 'two calls of it are charged once');
}
is($node->safe_psql('tutorial', "SELECT dpobj.report('census', 'json')::jsonb ->> 'sums_equal'"), 'true', 'the ledger and the budgets agree');

# ---- dump, and restore on another server -----------------------------------------------------

my @views = qw(budgets ledger models jobs protected odometer scorecards);
push @views, qw(schedules schedule_runs) if guide_has_cron();

# The rows of a view for a superuser, without columns that depend on OIDs or on the time.
sub shown
{
	my ($where, $view) = @_;
	return $where->safe_psql('tutorial', <<"SQL");
SELECT jsonb_pretty(jsonb_agg(v ORDER BY v::text))
FROM (SELECT to_jsonb(t) - '{relation,next_run,next_model}'::text[] AS v FROM dpobj.$view t) s
SQL
}

my $roles = $node->basedir . '/roles.sql';
my $dump = $node->basedir . '/tutorial.dump';
my $scores = 'SELECT who, dpobj.score($$income$$, n), dpobj.predict($$income$$, n) FROM newcomer n ORDER BY who';
my %here = map { $_ => shown($node, $_) } @views;
$node->command_ok([ 'pg_dumpall', '--roles-only', '-f', $roles, '-d', $node->connstr('postgres') ], 'roles are dumped');
$node->command_ok([ 'pg_dump', '-F', 'custom', '-f', $dump, $node->connstr('tutorial') ], 'the database is dumped');

my $moved = dpobj_cluster('moved', guide_settings('tutorial'), 'max_connections = 40');
my @there = (node => $moved);
$moved->safe_psql('postgres', 'CREATE DATABASE tutorial');
my (undef, undef, $errors) = $moved->psql('postgres', "\\i $roles", on_error_stop => 0);
is(join("\n", grep { /ERROR/ && !/role "(?:postgres|dpobj_admin|dpobj_auditor)" already exists/ } split /\n/, $errors), '',
	'roles are restored');
$moved->command_ok([ 'pg_restore', '--exit-on-error', '-d', $moved->connstr('tutorial'), $dump ], 'the database is restored');

for my $view (@views)
{
	like($here{$view}, qr/\{/, "dpobj.$view shows something");
	is(shown($moved, $view), $here{$view}, "dpobj.$view shows the same on the other server");
}
is(ask('alice', $scores, @there), ask('alice', $scores), 'the restored model scores the same');
is(ask('carol', 'SELECT name, owner FROM dpobj.models', @there), 'income|alice', 'the restored model is shared');

$before = left('census');
is(left('census', @there), $before, 'the restored budget has the same rest');
my $small = "SELECT epsilon FROM dpobj.train('census', 'income', 0.05, name => 'there')";
like(ask('alice', $small, @there), qr/^ERROR:  55000: /, 'a release is refused before dpobj.confirm_epoch');
unlike(ask('carol', 'SELECT dpobj.confirm_epoch()', @there), qr/ERROR|WARNING|nothing to confirm/, 'carol confirms the epoch');
my $old = "SELECT epsilon FROM dpobj.train('census', 'income', 1, method => 'halfspace', name => 'income')";
is(ask('alice', $old, @there), '1', 'a model that was charged before the dump is free');
SKIP:
{
	skip "$no_cron: no schedules", 2 unless guide_has_cron();
	is(ask('alice', "CALL dpobj.run_schedule('hungry')", @there), '', 'a run that was charged before the dump is free');
	is(left('census', @there), $before, 'the repeated run spends nothing');
}
is(ask('alice', $small, @there), '0.05', 'a release after dpobj.confirm_epoch');
$job = submit('job there', 'census', 'income', 0.05, @there);
is(ask('alice', "SELECT dpobj.wait($job, '1 min')", @there), 'released', 'the other server runs jobs');
is(left('census', @there), plus($before, -0.1), 'the other server charges both');
like(ask('alice', "SELECT dpobj.train('census', 'income', 2)", @there), qr/^ERROR:  UB001: /, 'the restored budget has an end');
is(left('census'), $before, 'the old server is not charged');
$moved->stop;

# ---- the end -----------------------------------------------------------------------------------

my $people = $node->safe_psql('tutorial', 'SELECT count(*) FROM census');
my $events = $node->safe_psql('tutorial', 'SELECT count(*) FROM dpobj.ledger');
$node->safe_psql('tutorial', 'CREATE TABLE old_ledger AS SELECT * FROM dpobj.ledger; DROP EXTENSION dpobj');
is($node->safe_psql('tutorial', <<'SQL'), '0', 'DROP EXTENSION leaves no object');
SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = 'dpobj')
     + (SELECT count(*) FROM pg_proc WHERE probin LIKE '%dpobj%' OR proname LIKE 'dp\_%')
     + (SELECT count(*) FROM pg_type WHERE typname LIKE 'dp\_%')
SQL
is($node->safe_psql('tutorial', 'SELECT count(*) FROM census'), $people, 'DROP EXTENSION keeps the table');
is($node->safe_psql('tutorial', 'SELECT count(*) FROM old_ledger'), $events, 'a copy of the ledger stays');
my $processes = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'tutorial' AND backend_type LIKE 'dpobj%'";
ok(wait_until(30, sub { sleep 0.1; $node->safe_psql('postgres', $processes) eq '0' }), 'no process of dpobj stays in the database');
SKIP:
{
	skip "$no_cron: no jobs", 1 unless guide_has_cron();
	is($node->safe_psql('tutorial', q{SELECT count(cron.unschedule(jobid)) FROM cron.job WHERE command LIKE 'CALL dpobj.run_schedule(%'}),
		'3', 'pg_cron\'s jobs are removed');
}
$node->safe_psql('tutorial', 'CREATE EXTENSION dpobj');
is($node->safe_psql('tutorial', 'SELECT count(*) FROM dpobj.ledger'), '0', 'a new installation has an empty ledger');
unlike(slurp_file($moved->logfile), qr/PANIC|TRAP|was terminated by signal/, 'nothing crashed on the other server');

finish($node);
