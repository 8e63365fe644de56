# 056_populations.pl - a population of three tables: races for its budget, failures, another snapshot, a restore,
# and rounds of eight clients in which somebody is killed: no charge is lost, none goes beyond the budget.
#
#   DPOBJ_KILL_ROUNDS=100 bash scripts/check.sh tap    more rounds

use DpobjTest;

my ($rounds) = ($ENV{DPOBJ_KILL_ROUNDS} || 7) =~ /^(\d+)$/ or die 'DPOBJ_KILL_ROUNDS is no number';
use constant CLIENTS => 8;

my $node = dpobj_cluster('people', 'dpobj.release_tick = 0', 'log_min_messages = fatal', 'dpobj.max_failures = 1000000', 'max_connections = 50');
my @tables = qw(patient visit lab);

login_roles($node, qw(ana bob eve));
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient (id int PRIMARY KEY, a boolean, ill boolean);
CREATE TABLE visit (id bigint, a boolean, ill boolean);
CREATE TABLE lab (id smallint, a boolean, ill boolean);
INSERT INTO patient SELECT i, i % 3 = 0, i % 2 = 0 FROM generate_series(1, 500) i;
INSERT INTO visit SELECT i % 500, i % 3 = 0, i % 2 = 0 FROM generate_series(1, 2000) i;
INSERT INTO lab SELECT i % 500, i % 3 = 0, i % 2 = 0 FROM generate_series(1, 2000) i;
SELECT dpobj.population('patients', 'patient', 'id');
SELECT dpobj.protect(t, '{"a": {}, "ill": {}}', person => 'id', max_rows_per_person => 2, population => 'patients')
  FROM unnest('{patient,visit,lab}'::regclass[]) t;
SELECT dpobj.set_budget(t, r, 100000) FROM unnest('{patient,visit,lab}'::regclass[]) t, unnest('{ana,bob,eve}'::regrole[]) r;
SQL

# The sums of all budgets, and that of the population once more from the rows of the ledger, in one snapshot.
my $wrong = <<'SQL';
SELECT (SELECT sum(differences) FROM dpobj.check_ledger() WHERE what IN ('counted charges', 'sums of budgets'))
     + (SELECT count(*) FROM dpobj.budget_rows b JOIN dpobj.identities i ON i.id = b.relation, LATERAL
          (SELECT coalesce(sum(e.epsilon_nano), 0) AS cost, count(*) AS releases FROM dpobj.ledger_events e
            WHERE e.event = 'charged' AND e.relation_name IN ('public.patient', 'public.visit', 'public.lab', 'public.stay')) l
         WHERE i.name = 'public.patients' AND b.role IS NULL
           AND ((b.cost_spent, b.releases_spent) <> (l.cost, l.releases) OR b.cost_spent > b.cost_limit))
SQL

# ---- races ----

# Twelve sessions ask about three tables for what only eleven can have, at each isolation level: the snapshot of an old
# transaction is no excuse.
my @racers = map { "racer_$_" } 1 .. 12; # a role makes one release at a time
login_roles($node, @racers);
scalar_of($node, "SELECT dpobj.set_budget(t, '$_', 100) FROM unnest('{patient,visit,lab}'::regclass[]) t") for @racers;
for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	my $spent = scalar_of($node, "SELECT coalesce(sum(epsilon), 0) FROM dpobj.ledger WHERE event = 'charged'");
	scalar_of($node, "SELECT dpobj.set_budget('patients', NULL, $spent + 5.75)");
	spends(
		$node,
		"12 sessions race on three tables at $level",
		{ epsilon => 5.5, charged => 11, released => 11 },
		sub {
			my @sessions = map { session($node, user => $_) } @racers;
			$_->ask("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM pg_class") for @sessions;
			$sessions[$_]->send("SELECT (dpobj.count('$tables[$_ % 3]', 0.5)).confidence") for 0 .. $#sessions;
			my @texts = map { $_->result } @sessions;
			$_->ask('ROLLBACK') for @sessions;
			$_->quit for @sessions;
			is(scalar(grep { /^0\.95$/ } @texts), 11, 'eleven are answered') or diag(join "\n", @texts);
			is(scalar(grep { /^DETAIL:  The budget of all roles on population public\.patients has epsilon: .* 0\.25 left of/m } @texts), 1,
				'one is refused by the budget of the population');
		});
}
is(scalar_of($node, $wrong), '0', 'the sums are those of the ledger');

# A table that is about to join holds up its own charges until that is decided; then the population counts them.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE stay AS TABLE visit;
SELECT dpobj.protect('stay', '{"a": {}, "ill": {}}', person => 'id', max_rows_per_person => 2), dpobj.set_budget('stay', 'ana', 100);
SQL
is(in_session($node, 'ana', q{SELECT (dpobj.count('stay', 0.125)).confidence}), '0.95', 'a table alone is charged');
my $before = scalar_of($node, "SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'patients'::regclass");
scalar_of($node, "SELECT dpobj.raise_budget('patients', NULL, 10, 0, 'more')");
my $admin = session($node);
$admin->ask(q{BEGIN; SELECT dpobj.protect('stay', '{"a": {}, "ill": {}}', person => 'id', max_rows_per_person => 2, population => 'patients')});
my $waiting = session($node, user => 'ana');
$waiting->send(q{SELECT (dpobj.count('stay', 0.125)).confidence});
sleep(0.3);
$admin->ask('COMMIT');
is($waiting->result, '0.95', 'it is charged when the table has joined');
is(scalar_of($node, "SELECT epsilon_spent - $before FROM dpobj.budgets WHERE relation = 'patients'::regclass"), '0.25',
	'the population counts what the table has spent before and since');
$_->quit for $admin, $waiting;

# ---- failures ----

# A release that fails by itself on one table counts on all of them.
my $failing = dpobj_cluster('failing', 'dpobj.release_tick = 0', 'dpobj.max_failures = 2');
login_roles($failing, 'ana');
$failing->safe_psql('postgres', <<'SQL');
CREATE TABLE patient (id int PRIMARY KEY, a boolean, ill boolean);
CREATE TABLE visit AS SELECT i % 500 AS id, i % 3 = 0 AS a, i % 2 = 0 AS ill FROM generate_series(1, 2000) i;
CREATE TABLE other AS TABLE visit;
SELECT dpobj.population('patients', 'patient', 'id');
SELECT dpobj.protect(t, '{"a": {}, "ill": {}}', person => 'id', max_rows_per_person => 2, population => 'patients')
  FROM unnest('{patient,visit}'::regclass[]) t;
SELECT dpobj.protect('other', '{"a": {}, "ill": {}}', person => 'id', max_rows_per_person => 2);
SELECT dpobj.set_budget(t, 'ana', 100) FROM unnest('{patient,visit,other,patients}'::regclass[]) t;
SQL
with_failing_solver($failing, sub {
	for (1 .. 2)
	{
		like(in_session($failing, 'ana', q{SELECT release FROM dpobj.train('visit', 'ill', 1, options => '{"mechanism": "exponential"}')}),
			qr/ERROR:  UB004/, 'a training fails');
	}
});
my $count = q{SELECT (dpobj.count('%s', 0.1)).confidence};
like(in_session($failing, 'ana', sprintf $count, 'patient'), qr/UB003: releases from this table have failed too often/, 'another table is closed to the role, too');
is(in_session($failing, 'ana', sprintf $count, 'other'), '0.95', 'but no table outside of the population');
is(scalar_of($failing, "SELECT dpobj.reset_failures('patients')"), '2', 'they are reset for the population');
is(in_session($failing, 'ana', sprintf $count, 'patient'), '0.95', 'which opens it');

# ---- restore ----

# After a restore the population is what it was, by its name, and its budget holds.
copy_by_dump($failing, 'postgres', 'restored', 'custom');
$failing->safe_psql('restored', 'SELECT dpobj.confirm_epoch()');
is(in_session($failing, { user => 'ana', database => 'restored' }, sprintf $count, 'visit'), '0.95', 'a table of a restored population is charged');
is($failing->safe_psql('restored', "SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'patients'::regclass"), '2.2', 'and so is the population');
is($failing->safe_psql('restored', 'SELECT sum(differences) FROM dpobj.check_ledger()'), '0', 'the sums are those of the ledger');
$failing->stop;

# ---- the killer ----

my %killed = (backend => 0, worker => 0, server => 0, nobody => 0);
my %failures;
my %answers;
my $refused = 0;
my @roles = qw(ana bob eve);

sub start_client
{
	my ($round, $number) = @_;
	my $client = { output => '', errors => '' };
	my @statements = map { ('-c', "SELECT (dpobj.count('$tables[($number + $_) % 3]', 0.5, name => '$round.$number.$_')).confidence",
			'-c', "SELECT release FROM dpobj.answers WHERE name = '$round.$number.$_'") } 1 .. 3;

	$client->{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres') . " user=$roles[$number % 3]", @statements ],
		'<', \undef, '>', \$client->{output}, '2>', \$client->{errors}, IPC::Run::timeout(60));
	return $client;
}

sub kill_somebody
{
	my ($round) = @_;
	my $kind = (qw(worker backend server worker backend))[ $round % 5 ];
	if ($kind eq 'server')
	{
		kill_server($node);
		$killed{server}++;
		return;
	}
	my @victims;
	for my $pid (children($node->{_pid}))
	{
		open my $file, '<', "/proc/$pid/cmdline" or next;
		my $title = <$file> // '';
		push @victims, $pid if $kind eq 'worker' ? $title =~ /dpobj (?:charge|writer)/ : $title =~ /\[local\]/;
	}
	my $hit = @victims ? kill('KILL', $victims[ rand @victims ]) : 0;
	$killed{ $hit ? $kind : 'nobody' }++;
	return;
}

# The budget covers some calls of each round, and never all.
sub give
{
	scalar_of($node, "SELECT dpobj.set_budget('patients', NULL, (SELECT epsilon_spent + 6.25 FROM dpobj.budgets WHERE relation = 'patients'::regclass AND role IS NULL))");
	return;
}

my $usual;
for my $round (0 .. $rounds)
{
	give();
	my $began = time();
	my @clients = map { start_client($round, $_) } 0 .. CLIENTS - 1;
	if ($round > 0)
	{
		my $until = time() + rand($usual);
		while (time() < $until)
		{
			$_->{run}->pumpable && eval { $_->{run}->pump_nb } for @clients;
			sleep(0.005);
		}
		kill_somebody($round);
	}
	for my $client (@clients)
	{
		eval { $client->{run}->finish; 1 } or $failures{"round $round: a client hangs"}++;
		$answers{$_}++ for grep { /^\d+$/ } split /\n/, $client->{output};
		for my $state ($client->{errors} =~ /^(?:ERROR|FATAL):  (\w{5}):/mg)
		{
			$refused++ if $state eq 'UB001';
			$failures{"SQLSTATE $state"}++ unless $state =~ /^(?:UB001|UB004|57P0[123]|55000|55P03|42710)$/;
		}
	}
	$usual = time() - $began if $round == 0;
	settle($node);
	$failures{"round $round: sums"}++ if scalar_of($node, $wrong) ne '0';
	$failures{"round $round: locks"}++ if scalar_of($node, "SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND database = 0") ne '0';
}

my $list = join ',', keys %answers;
diag(sprintf '%d rounds, killed: %s; %d answers, %d refused', $rounds, join(', ', map { "$killed{$_} $_" } sort keys %killed), scalar keys %answers, $refused);
is_deeply(\%failures, {}, 'every round ended without a failure');
cmp_ok($killed{server}, '>', 0, 'the server was killed') if $rounds > 2;
cmp_ok($refused, '>', 0, 'the budget was exhausted');
cmp_ok(scalar keys %answers, '>', $rounds, 'clients were answered');
is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged' AND id IN ($list)"), scalar keys %answers, 'each answer was charged');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal (?!9\b)/, 'no process crashed by itself');
$node->stop;
done_testing();
