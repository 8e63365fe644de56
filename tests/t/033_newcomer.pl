# 033_newcomer.pl - a newcomer's hour, in one fresh cluster: every statement of README.md and of
# docs/tutorial.md, in order, with the printed results; then a restart in the middle of a job, the
# minute of the real pg_cron, a budget that is used up and raised, an update from 0.1.0, a dump
# that is restored on another server, and DROP EXTENSION.
#
# The tutorial's files are made from DPOBJ_DATA's adult.data.csv and adult.test.csv, which differ
# from UCI's in their first line and in the dots behind the labels. Without them, the statements
# run on generated rows of the same columns, and only their SQLSTATEs are compared.

use strict;
use warnings;

use Cwd qw(getcwd);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

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

# Lines of a file of the shared folder, without its head.
sub shared_lines
{
	my ($name) = @_;
	my (undef, @lines) = split /\n/, slurp_file("$data/$name");
	return grep { /,/ } @lines;
}

# People who are nobody: those with more years of education and hours earn more.
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

# One statement in a session of its own: what it says, errors with their SQLSTATE.
sub ask
{
	my ($role, $statement, %where) = @_;
	my $session = session($where{node} // $node, user => $role, database => $where{database} // 'tutorial', seconds => 150);
	my $answer = $session->ask($statement);

	$session->quit;
	return $answer;
}

# What alice may still spend.
sub left
{
	my ($relation, %where) = @_;
	return ask('alice', "SELECT epsilon FROM dpobj.remaining('$relation')", %where);
}

sub plus { return sprintf '%.9g', $_[0] + $_[1]; }

# ---- README.md -----------------------------------------------------------------------

my @readme = guide_pieces('README.md');
my @blocks = guide_blocks(@readme);

cmp_ok(scalar @blocks, '>=', 12, 'the README has statements');
cmp_ok(scalar(grep { $_->{result} } @blocks), '>=', 3, 'and results');
is_deeply([ guide_languages(@readme) ], [], 'no statement hides in a block of another language');

# The first one is the promise: its table is the demo's.
my ($promise) = $blocks[0]{body} =~ /\A(.*)/;
like($promise, qr/^SELECT dp_halfspace\(.*\) FROM adult;$/, 'the promise');
like(slurp_file('scripts/demo_train.sql'), qr/^\\echo '  \Q$promise\E'$/m, 'is what the demo says');
$node->safe_psql('postgres', 'CREATE DATABASE newcomer');
guide_check($node, 'newcomer', $_, role => 'postgres') for @blocks[ 1 .. $#blocks ];
is($node->safe_psql('newcomer', q{SELECT epsilon > 0 FROM dpobj.remaining('visit')}),
	't', 'what was charged before the budgets leaves room for more');
guide_write('README.md', @readme);

# Tried and thrown away: the tutorial has the same people, in a database of its own, which is
# now the one that pg_cron has its jobs in.
$node->append_conf('postgresql.conf', $_) for guide_settings('tutorial');
$node->append_conf('postgresql.conf', "cron.host = '" . $node->host . "'") if guide_has_cron();
$node->restart;
$node->safe_psql('postgres', 'DROP DATABASE newcomer');
$node->safe_psql('postgres', 'DROP ROLE alice, carol');
$node->safe_psql('postgres', 'CREATE DATABASE tutorial');

# ---- docs/tutorial.md ------------------------------------------------------------------

# Its schedule is a live job, of 02:30 GMT: a run would be charged in the middle of what is compared.
wait_until(600, sub { sleep 0.3; my (undef, $minute, $hour) = gmtime; $hour != 2 || $minute < 24 || $minute > 30 })
  if guide_has_cron();
my @pieces = guide_pieces('docs/tutorial.md');
@blocks = guide_blocks(@pieces);

cmp_ok(scalar @blocks, '>=', 14, 'the tutorial has statements');
is_deeply([ guide_languages(@pieces) ], [], 'none of them in a block of another language');
SKIP: { skip "$no_adult, no results are compared", 1 unless $real; }
my $sources = getcwd();
chdir $folder or die;
# After a block that was skipped the results show less spending.
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
	my $id = ask('alice', "SELECT dpobj.submit('$relation', '$label', $epsilon, options => '$options', name => '$name')", %how);

	like($id, qr/^\d+$/, "job $name is submitted");
	return $id;
}

# Of the row, which is no call of ours: nothing but the launcher has a job run.
sub state_of { return $node->safe_psql('tutorial', "SELECT state FROM dpobj.job_rows WHERE id = $_[0]"); }

my $before = left('census');
my $long = submit('long', 'hard', 'ill', 0.5, options => '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}');
my $next = submit('next', 'census', 'income', 0.05);
my $phase = "SELECT phase FROM dpobj.progress WHERE job = $long";
ok(wait_until(60, sub { sleep 0.05; ask('alice', $phase) eq 'solving' }), 'one job is solving');
is(state_of($next), 'queued', 'one waits for it');
$node->restart;
ok(wait_until(60, sub { sleep 0.1; state_of($next) eq 'released' }), 'after a restart the one that waited runs without a call');
is(ask('alice', "SELECT state, reason FROM dpobj.jobs WHERE id = $long"),
	"failed|the job's worker ended before the job\nThe charge stays.", 'the one that was running failed');
is($node->safe_psql('tutorial', "SELECT string_agg(event, ' ' ORDER BY id) FROM dpobj.ledger"
		  . " WHERE relation_name = 'public.hard' AND event IN ('charged', 'released', 'failed')"),
	'charged failed', 'charged once, and not released');
is(left('hard'), '1.5', 'the charge stays');
is(left('census'), plus($before, -0.05), 'the other one is charged once');
is(ask('alice', "SELECT dpobj.verify(model) FROM dpobj.models WHERE name = 'next'"), 't', 'and its model is there');

# ---- the minute of pg_cron begins ------------------------------------------------------

# Two schedules, of which one has a budget and one has none; in one commit, so that they begin
# with the same minute.
sub schedule_both
{
	my ($cron) = @_;
	like(ask('alice', "SELECT dpobj.schedule('census', 'income', 0.05, name => 'minutely', cron => '$cron'),"
			  . " dpobj.schedule('census', 'income', 0.5, name => 'hungry', cron => '$cron')"),
		qr/^\d+\|\d+$/, "two schedules, $cron");
	return;
}

$before = left('census');
SKIP:
{
	skip "$no_cron: no schedules", 2 unless guide_has_cron();
	is(ask('alice', "SELECT job IS NOT NULL FROM dpobj.schedules WHERE name = 'nightly'"), 't',
		'after the restart the schedule has its job');
	schedule_both('* * * * *');
}
my $since = ask('alice', 'SELECT clock_timestamp()');

# ---- meanwhile: an update from 0.1.0 ---------------------------------------------------

my ($scripts) = glob "$node->{dpobj_destination}/usr/share/postgresql/*/extension";
system_or_bail('cp', 'tests/upgrade/dpobj--0.1.0.sql', $scripts);
$node->safe_psql('postgres', 'CREATE DATABASE older');
$node->safe_psql('older', <<'SQL');
CREATE EXTENSION dpobj VERSION '0.1.0';
CREATE TABLE visit AS SELECT i % 2 = 0 AS smokes, i % 2 = 0 AS ill FROM generate_series(1, 300) i;
SELECT dpobj.protect('visit', '{"smokes": {}, "ill": {}}');
SELECT dpobj.set_budget('visit', 'alice', 2, 0);
SQL
my @older = (database => 'older');
my $first = q{SELECT release FROM dpobj.train('visit', 'ill', 0.5, method => 'halfspace', name => 'first')};
my $release = ask('alice', $first, @older);
like($release, qr/^\d+$/, 'trained under 0.1.0');
my $predicted = q{SELECT dpobj.predict('first', v) FROM (SELECT true AS smokes) v};
like(ask('alice', $predicted, @older), qr/^ERROR:  42883: /, 'which cannot predict');
$node->safe_psql('older', 'ALTER EXTENSION dpobj UPDATE');
is(ask('alice', $first, @older), $release, 'updated: the model is there, for nothing');
is(left('visit', @older), '1.5', 'and so is what was spent');
like(ask('alice', $predicted, @older), qr/^[tf]$/, 'it predicts');
my $job = submit('second', 'visit', 'ill', 0.5, @older);
is(ask('alice', "SELECT dpobj.wait($job, '1 min')", @older), 'released', 'and jobs run');
is(left('visit', @older), '1', 'and are charged');
$node->safe_psql('postgres', 'DROP DATABASE older');

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
				"SELECT bool_and(status IN ('succeeded', 'failed')) FROM $jobs") eq 't' }), 'its jobs end');
	is($node->safe_psql('tutorial', "SELECT DISTINCT username, status FROM $jobs"), 'alice|succeeded', 'well, and were alice\'s');
	# The next minute begins within 60 seconds; one that begins while pg_cron learns of the job may be the one after.
	is(ask('alice', "SELECT min(started) - '$since' < interval '75 s' FROM $runs"), 't', 'when the minute comes');
	is(ask('alice', "SELECT DISTINCT schedule, state, epsilon, sqlstate, model IS NOT NULL FROM $runs ORDER BY 1"),
		"hungry|skipped||UB001|f\nminutely|released|0.05||t", 'one is released, one skipped because the budget has no room for it');
	my $released = ask('alice', "SELECT count(*) FROM $runs AND state = 'released'");
	is(left('census'), plus($before, -0.05 * $released), 'what was released is charged, and nothing else');
}

# ---- used up, and topped up ---------------------------------------------------------------

$before = left('census');
like(ask('alice', "SELECT dpobj.submit('census', 'income', 0.5, name => 'more')"),
	qr/^ERROR:  UB001: privacy budget exhausted\nDETAIL:  The budget of role "alice" .* 0\.5 asked, \Q$before\E left of 4\.5\.$/m,
	'no job that the budget has no room for');
is(left('census'), $before, 'nothing is charged');
ask('carol', "SELECT dpobj.raise_budget('census', $_, 1, 0, 'a second year')") for 'NULL', "'alice'";
is(left('census'), plus($before, 1), 'carol raises the budgets');
$job = submit('more', 'census', 'income', 0.5);
is(ask('alice', "SELECT dpobj.wait($job, '1 min')"), 'released', 'and the same job is released');
is(left('census'), plus($before, 0.5), 'and charged');
SKIP:
{
	skip "$no_cron: no schedule that was skipped", 2 unless guide_has_cron();
	is(ask('alice', "CALL dpobj.run_schedule('hungry'); CALL dpobj.run_schedule('hungry')"), '', 'so is what pg_cron had skipped');
	is(left('census'), $before, 'once');
}
is($node->safe_psql('tutorial', "SELECT dpobj.report('census') ->> 'sums_equal'"), 'true', 'the ledger and the budgets agree');

# ---- dump, and restore on another server -----------------------------------------------------

my @views = qw(budgets ledger models jobs protected odometer scorecards);
push @views, qw(schedules schedule_runs) if guide_has_cron();

# What a superuser is shown, but for what depends on OIDs, which are others there, and on the time.
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
	is(shown($moved, $view), $here{$view}, 'and the same there');
}
is(ask('alice', $scores, @there), ask('alice', $scores), 'the model scores as it did');
is(ask('carol', 'SELECT name, owner FROM dpobj.models', @there), 'income|alice', 'it is shared as it was');

$before = left('census');
is(left('census', @there), $before, 'as much is left');
my $small = "SELECT epsilon FROM dpobj.train('census', 'income', 0.05, name => 'there')";
like(ask('alice', $small, @there), qr/^ERROR:  55000: /, 'no release before somebody has looked');
unlike(ask('carol', 'SELECT dpobj.confirm_epoch()', @there), qr/ERROR|WARNING|nothing to confirm/, 'carol has');
my $old = "SELECT epsilon FROM dpobj.train('census', 'income', 1, method => 'halfspace', name => 'income')";
is(ask('alice', $old, @there), '1', 'what was paid for there is free here');
SKIP:
{
	skip "$no_cron: no schedules", 2 unless guide_has_cron();
	is(ask('alice', "CALL dpobj.run_schedule('hungry')", @there), '', 'so is a run of a schedule');
	is(left('census', @there), $before, 'nothing is spent');
}
is(ask('alice', $small, @there), '0.05', 'then it goes on');
$job = submit('job there', 'census', 'income', 0.05, @there);
is(ask('alice', "SELECT dpobj.wait($job, '1 min')", @there), 'released', 'jobs, too');
is(left('census', @there), plus($before, -0.1), 'and is charged');
like(ask('alice', "SELECT dpobj.train('census', 'income', 2)", @there), qr/^ERROR:  UB001: /, 'up to where it ends');
is(left('census'), $before, 'the old server knows nothing of it');
$moved->stop;

# ---- the end -----------------------------------------------------------------------------------

my $people = $node->safe_psql('tutorial', 'SELECT count(*) FROM census');
my $events = $node->safe_psql('tutorial', 'SELECT count(*) FROM dpobj.ledger');
$node->safe_psql('tutorial', 'CREATE TABLE old_ledger AS SELECT * FROM dpobj.ledger; DROP EXTENSION dpobj');
is($node->safe_psql('tutorial', <<'SQL'), '0', 'nothing of it is left');
SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = 'dpobj')
     + (SELECT count(*) FROM pg_proc WHERE probin LIKE '%dpobj%' OR proname LIKE 'dp\_%')
     + (SELECT count(*) FROM pg_type WHERE typname LIKE 'dp\_%')
SQL
is($node->safe_psql('tutorial', 'SELECT count(*) FROM census'), $people, 'but the people');
is($node->safe_psql('tutorial', 'SELECT count(*) FROM old_ledger'), $events, 'and the ledger that was kept');
my $processes = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'tutorial' AND backend_type LIKE 'dpobj%'";
ok(wait_until(30, sub { sleep 0.1; $node->safe_psql('postgres', $processes) eq '0' }), 'no process of it stays in the database');
SKIP:
{
	skip "$no_cron: no jobs", 1 unless guide_has_cron();
	is($node->safe_psql('tutorial', q{SELECT count(cron.unschedule(jobid)) FROM cron.job WHERE command LIKE 'CALL dpobj.run_schedule(%'}),
		'3', 'pg_cron\'s jobs are removed');
}
$node->safe_psql('tutorial', 'CREATE EXTENSION dpobj');
is($node->safe_psql('tutorial', 'SELECT count(*) FROM dpobj.ledger'), '0', 'who installs it again starts from nothing');
unlike(slurp_file($_->logfile), qr/PANIC|TRAP|was terminated by signal/, $_->name . ': nothing crashed') for $node, $moved;

$node->stop;
done_testing();
