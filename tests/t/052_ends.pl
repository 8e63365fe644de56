# 052_ends.pl - every charge gets an end: maintenance loses no answer, and what ends a release says why.
#
# DPOBJ_CHARGES: how many charges are made beside the maintenance, 320 by default.

use DpobjTest;

use constant CLIENTS => 8;

my $charges = $ENV{DPOBJ_CHARGES} || 320;
my $node = dpobj_cluster('ends', 'max_connections = 60', 'dpobj.release_tick = 50');
my @roles = map { "c$_" } 1 .. CLIENTS;
login_roles($node, @roles);
scalar_of($node, <<'SQL');
CREATE TABLE patient AS SELECT i % 2 = 0 AS ill, i % 3 = 0 AS a FROM generate_series(1, 300) i;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}}');
SQL
scalar_of($node, "GRANT SELECT ON quick TO $_; SELECT dpobj.grant_trainer('$_'), dpobj.set_budget('patient', '$_', 100000, 0), dpobj.set_budget('quick', '$_', 100000, 0)")
  for @roles;

my $count = "SELECT 'answer', value FROM dpobj.count('patient', 0.1)";

# ---- maintenance beside eight clients ----

# What each client asks in turn: each door, with a model, groups and an answer.
my @calls = (
	$count,
	"SELECT 'answer', (dpobj.train('patient', 'ill', 0.1)).release",
	"SELECT 'answer', (dp_halfspace(features, label, 0.1, 0)).release FROM quick",
	"SELECT 'answer', value FROM dp_count(id, 0.1) FROM quick",
	"SELECT 'answer', count(*) FROM dpobj.train_groups('patient', 'ill', ARRAY['a'], 0.2)");
@calls = grep { !/dp_count|train_groups/ } @calls;

my @tables = qw(charge_counts ledger_events model_rows budget_rows identities job_rows lineage);
my @maintenance = (
	map({ "REINDEX TABLE dpobj.$_" } @tables),
	map({ "VACUUM FULL dpobj.$_" } @tables),
	map({ "CLUSTER dpobj.$_ USING ${_}_pkey" } grep { $_ ne 'lineage' } @tables),
	map({ "ALTER TABLE dpobj.$_ SET (fillfactor = 90)" } @tables),
	map({ "REINDEX TABLE CONCURRENTLY dpobj.$_" } 'charge_counts', 'model_rows'),

	# as pg_repack locks a table, and an administrator who looks at several
	map({ "BEGIN; LOCK TABLE dpobj.$_ IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.3); COMMIT" } @tables),
	"BEGIN; LOCK TABLE dpobj.model_rows IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.1); LOCK TABLE dpobj.ledger_events; COMMIT");

sub statements
{
	my ($name, @lines) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$name.sql";
	append_to_file($file, join ";\n", @lines, '');
	return $file;
}

sub run_client
{
	my ($role, $file, $output) = @_;
	return IPC::Run::start(
		[ 'psql', '-XAtq', '-U', $role, '-d', $node->connstr('postgres'), '-f', $file ],
		'>', "$output.out", '2>', "$output.err");
}

my $folder = PostgreSQL::Test::Utils::tempdir();
my $last = scalar_of($node, 'SELECT coalesce(max(id), 0) FROM dpobj.ledger_events');
my $each = int(($charges + CLIENTS - 1) / CLIENTS);
my $began = time();
my @clients = map {
	my $shift = $_;
	run_client("c$_", statements("c$_", map { $calls[ ($_ + $shift) % @calls ] } 1 .. $each), "$folder/c$_")
} 1 .. CLIENTS;
my $rounds = 0;
my $admin = session($node, seconds => 600);

while (grep { $_->pumpable } @clients)
{
	my $statement = $maintenance[ $rounds++ % @maintenance ];
	my $text = $admin->ask($statement);
	unlike($text, qr/ERROR/, $statement) if $text =~ /ERROR/ && $text !~ /deadlock detected/;
	$admin->ask('ROLLBACK') if $text =~ /ERROR/;
	sleep(0.05);
	$_->pump_nb for grep { $_->pumpable } @clients;
}
$_->finish for @clients;
note sprintf '%d charges beside %d commands of maintenance in %.0f s', CLIENTS * $each, $rounds, time() - $began;

my ($answers, @errors) = (0);
for my $role (@roles)
{
	$answers += () = slurp_file("$folder/$role.out") =~ /^answer\|/mg;
	push @errors, slurp_file("$folder/$role.err") =~ /ERROR: .*/g;
}
is("@errors", '', 'no client saw an error');
is($answers, CLIENTS * $each, 'each has its answer');
my $ends = 'FROM dpobj.ledger_events c LEFT JOIN dpobj.ledger_events e ON e.release = c.id'
  . " WHERE c.event = 'charged' AND c.id > $last";
is(scalar_of($node, "SELECT count(*), count(*) FILTER (WHERE e.event = 'released') $ends"),
	join('|', (CLIENTS * $each) x 2), 'each charge is released');

$admin->quit;
finish($node);
