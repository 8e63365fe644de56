# 036_answer_jobs.pl - jobs of looks and evaluations: charged once at most, and kept, whatever ends them.

use DpobjJobs;
use DpobjTest;

jobs_cluster('answers');

# An answer waits for its tick, which is long enough to end the job after its charge.
configure('ALTER SYSTEM SET dpobj.release_tick = 4000');

sub answer
{
	my ($who, $name) = @_;
	my $id = $session{$who}->ask(qq(SELECT dpobj.submit('count', 'patient', '{"epsilon": 0.5}', '$name')));
	like($id, qr/^\d+$/, "$who submits $name");
	return $id;
}

sub is_charged
{
	my ($name) = @_;
	my $charges = "SELECT count(*) FROM dpobj.model_rows WHERE name = '$name'";
	return ok(wait_until(30, sub { scalar_of($node, $charges) eq '1' }), "$name is charged");
}

spends($node, 'one job', $once, sub {
	my $id = answer('ana', 'first');
	becomes($id, 'released');
	is($session{ana}->ask(q{SELECT a.release = j.release FROM dpobj.answers a JOIN dpobj.jobs j USING (name) WHERE name = 'first'}),
		't', 'its answer is kept');
	is(answer('ana', 'first'), $id, 'the same submission is the same job');
	like($session{ana}->ask(q{SELECT value FROM dpobj.count('patient', 0.5, name => 'first')}), qr/^\d+$/, 'a session gets the answer');
});

spends($node, 'a rollback of the submission', {}, sub {
	$session{ana}->ask('BEGIN');
	my $id = answer('ana', 'rolled back');
	$session{ana}->ask('ROLLBACK');
	is(row_state($id), '', 'there is no job');
});

spends($node, 'a cancel after the charge', $kept, sub {
	my $id = answer('ana', 'cancelled');
	is_charged('cancelled');
	cancel('ana', $id);
	like(job($id, 'release'), qr/^\d+$/, 'its charge is shown');
});

my $killed;
spends($node, 'kill -9 of the worker', $kept, sub {
	$killed = answer('bob', 'killed');
	is_charged('killed');
	my $before = checkpointer();
	$_->quit for values %session;
	kill 'KILL', scalar_of($node, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpobj job'");
	ok(wait_until(30, sub { my $now = checkpointer(); $now ne '' && $now ne $before }), 'the server was restarted');
	connect_all();
	becomes($killed, 'failed');
});

spends($node, 'the same request again', { %$once, failed => 1 }, sub {
	becomes(answer('bob', 'killed'), 'released');
	like(job($killed, 'release'), qr/^\d+$/, 'the charge of the killed job is shown, and has failed');
});

done_testing();
