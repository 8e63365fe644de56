# DpobjJobs.pm - what the tests of jobs share: a cluster with tables and roles for them, a session of
# each role, and what is done with jobs and asked about them.
#
# $node is the cluster, and %session has the sessions of ana, bob, cat and, as control, of a superuser.
# A test with another cluster puts it into $node and calls connect_all.

package DpobjJobs;

use strict;
use warnings;

use Exporter 'import';

use DpobjTest;

our @EXPORT = qw(
  $node %session $once $kept
  jobs_cluster patient_table connect_all configure
  submission submit cancel row_state becomes enters job
  worker_pids all_workers_end while_queued starts_during checkpointer
);

our ($node, %session);

# What a job costs that is released, and one that is charged but neither released nor counted as a failure.
our $once = { epsilon => 0.5, charged => 1, released => 1 };
our $kept = { epsilon => 0.5, charged => 1 };

# ---- the cluster ----

# A protected table for jobs of milliseconds.
sub patient_table
{
	$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient (ill boolean, a boolean, b boolean);
INSERT INTO patient SELECT i % 2 = 0, i % 2 = 0, i % 3 = 0 FROM generate_series(1, 300) i;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}, "b": {}}');
SQL
	return;
}

sub connect_all
{
	%session = map { $_ => session($node, user => $_, seconds => 300) } qw(ana bob cat);
	$session{control} = session($node, seconds => 300);
	return;
}

# Jobs scan large for a while, and solve hard for seconds.
sub jobs_cluster
{
	my ($name) = @_;
	$node = dpobj_cluster($name, 'dpobj.release_tick = 0', 'dpobj.max_failures = 100', 'max_connections = 60');
	login_roles($node, qw(ana bob cat));
	hard_table($node);
	patient_table();
	$node->safe_psql('postgres', <<'SQL');
CREATE TABLE large AS SELECT i % 2 = 0 AS ill, i % 2 = 0 AS a, i % 3 = 0 AS b FROM generate_series(1, 1000000) i;
VACUUM ANALYZE large, hard;
SELECT dpobj.protect('large', '{"ill": {}, "a": {}, "b": {}}');
SELECT dpobj.set_budget(t, r, 1000, 0) FROM unnest('{patient,large,hard}'::regclass[]) t, unnest('{ana,bob,cat}'::regrole[]) r;
SQL
	connect_all();
	return;
}

sub configure
{
	my ($statement) = @_;
	$node->safe_psql('postgres', "$statement");
	$node->reload;
	return;
}

# ---- jobs ----

sub submission
{
	my ($name, $table, %how) = @_;
	my $mechanism = $table eq 'hard' ? 'permute_flip' : $how{mechanism};
	my $options = $mechanism ? qq({"mechanism": "$mechanism", "grid": "ternary", "intercept": false}) : '{}';
	my $features = $mechanism ? 'null' : '["a", "b"]';
	my $epsilon = $how{epsilon} // '0.5';
	return qq{SELECT dpobj.submit('train', '$table', '{"label": "ill", "epsilon": $epsilon, "features": $features, "options": $options}', '$name')};
}

# The number of the job.
sub submit
{
	my ($who, @what) = @_;
	my $id = $session{$who}->ask(submission(@what));
	like($id, qr/^\d+$/, "$who submits $what[0]");
	return $id;
}

# The state in the table: unlike the view, the table does not start workers.
sub row_state { return scalar_of($node, "SELECT state FROM dpobj.job_rows WHERE id = $_[0]"); }

sub becomes
{
	my ($id, $state) = @_;
	my $found = '';
	wait_until(60, sub { ($found = scalar_of($node, "SELECT state FROM dpobj.jobs WHERE id = $id")) eq $state });
	return is($found, $state, "job $id is $state");
}

sub enters
{
	my ($id, $phase) = @_;
	my $found = '';
	wait_until(60, sub { ($found = $session{control}->ask("SELECT phase FROM dpobj.jobs WHERE id = $id")) =~ /^$phase$/ });
	return like($found, qr/^$phase$/, "job $id is $phase");
}

sub job { return $session{control}->ask("SELECT $_[1] FROM dpobj.jobs WHERE id = $_[0]"); }

sub cancel
{
	my ($who, $id) = @_;
	is($session{$who}->ask("SELECT dpobj.cancel($id)"), 't', "$who cancels job $id");
	becomes($id, 'cancelled');
	return;
}

# ---- workers and the queue ----

sub worker_pids
{
	return split /\n/, $session{control}->ask("SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpobj job'");
}

sub all_workers_end { return wait_until(30, sub { !worker_pids() }); }

# The process id of the checkpointer, which differs after each restart, also after a crash.
sub checkpointer
{
	my ($rc, $pid) = eval {
		$node->psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'", timeout => 10);
	};
	return $pid // '';
}

# Submits jobs while none may run, and calls the block before they may.
sub while_queued
{
	my ($submit, $change) = @_;
	configure('ALTER SYSTEM SET dpobj.max_jobs = 0');
	sleep(0.3);
	my @ids = $submit->();
	sleep(0.5);
	is(job($_, 'state, reason'), 'queued|it waits for dpobj.max_jobs, which is 0', "job $_ says what it waits for") for @ids;
	$change->(@ids);
	configure('ALTER SYSTEM RESET dpobj.max_jobs');
	sleep(0.3);
	$session{control}->ask('SELECT count(*) FROM dpobj.jobs');
	return @ids;
}

# How many workers were started while the block ran.
sub starts_during
{
	my ($block) = @_;
	configure('ALTER SYSTEM SET log_min_messages = debug1');
	sleep(0.3);
	my $from = -s $node->logfile;
	$block->();
	my $log = slurp_file($node->logfile, $from);
	configure('ALTER SYSTEM RESET log_min_messages');
	return scalar(() = $log =~ /starting background worker process "dpobj job"/g);
}

1;
