# 022_many_databases.pl - jobs of more databases than shared memory has places for (job_area.c: 64):
# the launcher loses none, and sleeps where no job may run.

use DpobjTest;

my @databases = map { "copy_$_" } 1 .. 70;
my $node = dpobj_cluster('many', 'dpobj.release_tick = 0', 'max_connections = 20',
	'fsync = off', 'dpobj.max_jobs = 0');

$node->safe_psql('postgres', 'CREATE ROLE ana LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql('original', <<'SQL');
CREATE EXTENSION dpobj;
CREATE TABLE patient AS SELECT i % 2 = 0 AS ill, i % 3 = 0 AS a FROM generate_series(1, 300) i;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}}');
SELECT dpobj.set_budget('patient', 'ana', 1000, 0);
SQL
$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE original") for @databases;

# The table is read, not the view, so that only the launcher starts workers.
sub in_state
{
	my ($state) = @_;
	return scalar grep { $node->safe_psql($_, 'SELECT state FROM dpobj.job_rows') eq $state } @databases;
}

for (@databases)
{
	$node->safe_psql($_, 'SELECT dpobj.confirm_epoch()'); # a copy may have been charged elsewhere
	$node->safe_psql($_, q{SET SESSION AUTHORIZATION ana; SELECT dpobj.submit('train', 'patient', '{"label": "ill", "epsilon": 0.5}', 'one')});
}
is(in_state('queued'), @databases, 'a job is queued in each database');

my $launcher = scalar_of($node, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpobj launcher'");
sub wakes_in_two_seconds
{
	my ($before, $after) = map {
		sleep(2);
		slurp_file("/proc/$launcher/status") =~ /^voluntary_ctxt_switches:\s+(\d+)/m or die 'no launcher';
		$1;
	} 1 .. 2;
	return $after - $before;
}
cmp_ok(wakes_in_two_seconds(), '<=', 3, 'the launcher sleeps while no job may run');

$node->append_conf('postgresql.conf', 'dpobj.max_jobs = 2');
$node->reload;
my $released = 0;
wait_until(120, sub { ($released = in_state('released')) == @databases });
is($released, @databases, 'all jobs run once they may');
cmp_ok(wakes_in_two_seconds(), '<=', 3, 'the launcher sleeps after the last job');

# The owner of a database may hold such locks for any time. Workers do not wait for them in their places.
my @lockers = map { session($node, seconds => 300, database => $_) } @databases[ 0, 1 ];
$_->ask('BEGIN; ANALYZE dpobj.job_rows') for @lockers;
$node->safe_psql($_, q{SET SESSION AUTHORIZATION ana; SELECT dpobj.submit('train', 'patient', '{"label": "ill", "epsilon": 0.5}', 'two')}) for @databases[ 0 .. 2 ];
sub second { return $node->safe_psql($_[0], q{SELECT state FROM dpobj.job_rows WHERE name = 'two'}); }
ok(wait_until(60, sub { second($databases[2]) eq 'released' }), 'jobs of other databases run');
is(second($_), 'queued', "the job of $_ waits") for @databases[ 0, 1 ];
$_->ask('COMMIT') for @lockers;
for my $database (@databases[ 0, 1 ])
{
	ok(wait_until(60, sub { second($database) eq 'released' }), "the job of $database runs after the lock, without a call");
}
finish($node);
