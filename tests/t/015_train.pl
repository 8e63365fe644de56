# 015_train.pl - dpobj.train as rules Q3 to Q5 say: concurrent equal requests are charged once,
# releases of one role at a time, places for solvers, ticks, the charge before the first page, one
# kind of failure, and settings that a client cannot lower.

use DpobjTest;

my $node = dpobj_cluster('train', 'dpobj.release_tick = 0');

hard_table($node);
login_roles($node, qw(ana bob));
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient (ill boolean, a boolean, b boolean);
INSERT INTO patient SELECT i % 2 = 0, i % 2 = 0, i % 3 = 0 FROM generate_series(1, 300) i;
CREATE TABLE other AS TABLE patient;
CREATE TABLE broken AS TABLE patient;
SELECT dpobj.protect(t, '{"ill": {}, "a": {}, "b": {}}') FROM unnest('{patient,other,broken}'::regclass[]) t;
SELECT dpobj.set_budget(t, r, 1000, 0)
FROM unnest('{patient,other,broken,hard}'::regclass[]) t, unnest('{ana,bob}'::regrole[]) r;
SQL

sub ask_for
{
	my ($table, %how) = @_;
	my $name = $how{name} ? ", name => '$how{name}'" : '';
	my $options = $table eq 'hard' ? q(, options => '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}') : '';
	return 'SELECT release FROM dpobj.train(' . "'$table', 'ill', " . ($how{epsilon} // '0.5') . "$options$name)";
}

sub configure
{
	my ($statement) = @_;
	$node->safe_psql('postgres', "$statement");
	$node->reload;
	return;
}

sub waits { return waits_for_lock($node, $_[0]->pid); }

my $ana = session($node, user => 'ana');
my $again = session($node, user => 'ana');
my $bob = session($node, user => 'bob');
my $control = session($node);

# ---- usable rows ----

# All rows can be used, but noise of some millions of rows hides it: the warning follows the noisy counts.
my $counted = <<'SQL';
SELECT c ->> 'usable', c ->> 'unusable' FROM (
  SELECT (dp_halfspace(ARRAY[a, b]::int[]::float8[], ill, 1.0, 0, '{"clip": [0, 1], "coverage_epsilon": 0.000001}')).details -> 'coverage'
  FROM patient) t(c)
SQL
my ($warned, $differ) = (0, 0);
for (1 .. 36)
{
	my ($counts, $errors);
	$node->psql('postgres', $counted, stdout => \$counts, stderr => \$errors);
	my ($usable, $unusable) = split /\|/, $counts;
	my $warning = $errors =~ /WARNING:  fewer than half of the rows could be used/ ? 1 : 0;
	$warned += $warning;
	$differ += $warning != ($usable <= 0 || $usable < $unusable ? 1 : 0);
}
is($differ, 0, 'the warning follows the noisy counts');
# each warns with probability 5/8: fails once in 10^7 runs
ok($warned > 0 && $warned < 36, "it says nothing about the rows: $warned warnings");

# ---- racers ----

# Places have the sub-objects from 1024 on; who looks for one has the turn, sub-object 1.
sub has_lock
{
	my ($session, $which) = @_;
	return wait_until(20, sub { scalar_of($node, "SELECT count(*) FROM pg_locks WHERE granted AND locktype = 'object' AND objsubid $which AND pid = " . $session->pid) });
}

# A training that has its place and name until its tick.
sub begin_training
{
	my ($session, %how) = @_;
	$session->send(ask_for('patient', %how));
	return has_lock($session, '>= 1024');
}

# A training that does not end by itself.
sub begin_endless
{
	my ($session) = @_;
	$session->send(ask_for('hard'));
	my $solver = eval { solver_of($node, $session) };
	return ok($solver && kill('STOP', $solver), 'a training solves');
}

sub is_cancelled
{
	my ($session) = @_;
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(' . $session->pid . ')');
	return like($session->result, qr/^ERROR:  57014/, 'a training is cancelled');
}

configure(q{ALTER ROLE ana SET dpobj.release_tick = '6s'});

spends($node, 'two racers with one name', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	begin_training($ana, name => 'race');
	$again->send(ask_for('patient', name => 'race'));
	ok(waits($again), 'the second call waits for the name');
	my $release = $ana->result;
	is_answered($release, 'the first call is answered');
	is($again->result, $release, 'the second call gets the same model');
});

spends($node, 'another request under a name that is being made', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	begin_training($ana, name => 'taken');
	$again->send(ask_for('patient', name => 'taken', epsilon => 0.6));
	waits($again);
	is_answered($ana->result, 'the first call is answered');
	like($again->result, qr/^ERROR:  22023: model "taken" was made by another request/, 'the second call is refused');
});

spends($node, 'a renaming to a name that is being made', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	begin_training($ana, name => 'made');
	$again->send(q{SELECT dpobj.rename('race', 'made')});
	ok(waits($again), 'the renaming waits for the name');
	is_answered($ana->result, 'the training is answered');
	like($again->result, qr/^ERROR:  42710/, 'the name is taken then');
});

# ---- releases of one role at a time ----

configure('ALTER ROLE ana RESET dpobj.release_tick');

sub limit_role
{
	my ($statement, $value, @sessions) = @_;
	configure($statement);
	return wait_until(5, sub { @sessions == grep { $_->ask('SHOW dpobj.max_role_releases') eq $value } @sessions });
}

my $third = session($node, user => 'ana');
my $look = q{SELECT value FROM dpobj.count('other', 0.5)};

spends($node, 'one role, two trainings and looks', { epsilon => 2, charged => 4, released => 2 }, sub {
	begin_endless($_) for $ana, $again;
	is_answered($third->ask($look), 'a look at another table is answered meanwhile');
	is_answered($third->ask(ask_for('other', name => 'stays')), 'and a training');
	is_cancelled($_) for $ana, $again;
});

ok(limit_role('ALTER SYSTEM SET dpobj.max_role_releases = 1', 1, $ana, $again, $third), 'one place for each role');
spends($node, 'one place of a role', { epsilon => 1, charged => 2, released => 1 }, sub {
	begin_endless($ana);
	is_answered($again->ask("SET lock_timeout = '2s'; " . ask_for('other', name => 'stays')), 'what is kept waits for no place');
	like($again->ask("SET lock_timeout = '100ms'; $look"), qr/^ERROR:  55P03/, 'lock_timeout ends the wait');
	$again->ask('RESET lock_timeout');
	is_answered($bob->ask($look), 'another role is answered meanwhile');
	is_cancelled($ana);
});

# The call that has the place waits for a table that the one that waits for the place has locked, or
# that a session has locked which waits for it.
my $locker = session($node);
$node->safe_psql('postgres', 'GRANT TRUNCATE ON broken TO ana');
for my $between ('', ' with a session between them')
{
	spends($node, "a deadlock of a place and a table$between", { epsilon => 0.5, charged => 1, released => 1 }, sub {
		$third->ask($_) for 'BEGIN', qq{SELECT dpobj.rename('stays', 'renamed$between')};
		$ana->send(ask_for('broken', name => "renamed$between"));
		ok(waits($ana), 'a call waits for a name that a transaction changes');
		$again->ask("BEGIN; SET LOCAL lock_timeout = '20s'; SELECT pg_advisory_xact_lock(7)");
		unlike(($between ? $locker : $again)->ask('BEGIN; LOCK TABLE broken'), qr/ERROR/, 'another session locks the table');
		$locker->send('SELECT pg_advisory_xact_lock(7)') if $between;
		$third->ask('ROLLBACK');
		$third->ask(qq{BEGIN; SELECT dpobj.rename('stays', 'no place$between')});
		ok(wait_until(10, sub { scalar_of($node, 'SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = ' . $ana->pid . " AND locktype = 'relation'") }),
			'the call has the place and waits for the table');
		like($again->ask($look), qr/^ERROR:  40P01/, 'the wait for the place ends as a deadlock');
		$_->ask('ROLLBACK') for $again, $third;
		($locker->result, $locker->ask('ROLLBACK')) if $between;
		is_answered($ana->result, 'the call that has the place is answered');
	});
}
$node->safe_psql('postgres', 'REVOKE TRUNCATE ON broken FROM ana');

ok(limit_role('ALTER SYSTEM SET dpobj.max_role_releases = 2', 2, $ana, $again, $third), 'two places for each role');
spends($node, 'two places of a role', { epsilon => 1.5, charged => 3, released => 1 }, sub {
	begin_endless($_) for $ana, $again;
	$third->send($look);
	ok(has_lock($third, '= 1'), 'a third call looks for a place');
	is_cancelled($again);
	is_answered($third->result, 'who waits takes the next place that is free');
	is_cancelled($ana);
});
limit_role('ALTER SYSTEM RESET dpobj.max_role_releases', 4, $ana, $again);
$third->quit;

# ---- places for solvers ----

spends($node, 'one place for solvers', { epsilon => 1, charged => 2, released => 1 }, sub {
	configure('ALTER SYSTEM SET dpobj.max_solvers = 1');
	wait_until(5, sub { $ana->ask('SHOW dpobj.max_solvers') eq '1' && $bob->ask('SHOW dpobj.max_solvers') eq '1' });
	$ana->send(ask_for('hard'));
	solver_of($node, $ana);
	$bob->send(ask_for('other'));
	ok(has_lock($bob, '= 1'), 'the second release waits for the place');
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(' . $ana->pid . ')');
	like($ana->result, qr/^ERROR:  57014/, 'the first release is cancelled');
	is_answered($bob->result, 'then the second release is answered');
	configure('ALTER SYSTEM RESET dpobj.max_solvers');
});

# ---- the table's lock, cancel ----

spends($node, 'the table while a solver works', { epsilon => 0.5, charged => 1 }, sub {
	$ana->send(ask_for('hard'));
	kill 'STOP', solver_of($node, $ana); # it does not end by itself
	is($control->ask("SET lock_timeout = '1s'; ALTER TABLE hard SET (fillfactor = 90)"), '', 'ALTER TABLE waits for no lock');
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(' . $ana->pid . ')');
	like($ana->result, qr/^ERROR:  57014/, 'a cancel is reported as a cancel');
	ok(wait_until(10, sub { !solvers($node) }), 'no solver is left');
	is(scalar_of($node, "SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND mode = 'ExclusiveLock'"),
		'0', 'no place for solvers is taken');
});
like($ana->ask(ask_for('hard', epsilon => 10) =~ s/"ternary"/{"sparse": 1}/r), qr/^\d+$/, 'after a cancel the role trains again');

spends($node, 'ROLLBACK, a lost client', { epsilon => 1, charged => 2, released => 1 }, sub {
	$ana->ask('BEGIN');
	is_answered($ana->ask(ask_for('patient', name => 'kept')), 'a release in a transaction');
	$ana->ask('ROLLBACK');
	is($ana->ask("SELECT count(*) FROM dpobj.models WHERE name = 'kept'"), '1', 'its model is kept after ROLLBACK');
	my $lost = session($node, user => 'bob');
	$lost->send(ask_for('hard'));
	solver_of($node, $lost);
	kill 'KILL', $lost->pid; # the whole server restarts
	wait_for_server($node);
});
$_->quit for $ana, $again, $bob, $control;
$ana = session($node, user => 'ana');
$bob = session($node, user => 'bob');
is($ana->ask("SELECT dpobj.verify(model) FROM dpobj.models WHERE name = 'kept'"), 't', 'a crash keeps the model');
is_answered($bob->ask(ask_for('patient')), 'a session that was killed does not block its role');

# ---- ticks ----

configure("ALTER ROLE bob SET dpobj.release_tick = '1s'");
my $last = scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events');
$bob->quit;
$bob = session($node, user => 'bob');
is_answered($bob->ask(ask_for('patient')), 'a release at a tick') for 1 .. 3;
is(ticks_since($node, $last), 't|3', 'a tick lies between charge and release');
refused_to_connect($node, 'bob', 'dpobj.release_tick=0');
$node->safe_psql('postgres', 'ALTER ROLE bob RESET dpobj.release_tick');
$bob->quit;

# ---- least epsilon ----

configure('ALTER SYSTEM SET dpobj.min_epsilon = 0.4');
refused_to_connect($node, 'bob', 'dpobj.min_epsilon=0');
$bob = session($node, user => 'bob');
spends($node, 'less than the least epsilon', {}, sub {
	like($bob->ask(ask_for('patient', epsilon => 0.3)), qr/^ERROR:  22023: epsilon of a release must be at least 0.4/m, 'less than the least epsilon is refused');
});
is_answered($bob->ask(ask_for('patient', epsilon => 0.4)), 'the least epsilon is answered');
$bob->quit;
configure('ALTER SYSTEM RESET dpobj.min_epsilon');

# ---- the charge comes before the first page; failures ----

my $generic = qr/\AERROR:  UB004: the release failed and nothing was released
DETAIL:  The charge stays\. Failures are counted against the table, and the reason is in the server log only\.
LOCATION:  fail, release\.c:\d+\z/;

$ana->quit;
break_first_page($node, 'broken');
$ana = session($node, user => 'ana');
$bob = session($node, user => 'bob');
my $bad_page;
spends($node, 'a page that cannot be read', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	$bad_page = $ana->ask(ask_for('broken', name => 'retried'));
	like($bad_page, $generic, 'the charge comes before the error, which names no reason');
});
is_answered($ana->ask(ask_for('other', name => 'rated')), 'a model of another table');
for my $rated (q{dpobj.confusion('rated', 'broken', 0.5)}, q{dpobj.select('{race,rated}', 'broken', 0.5)})
{
	spends($node, "$rated on that page", { epsilon => 0.5, charged => 1, failed => 1 }, sub {
		is($ana->ask("SELECT $rated"), $bad_page, 'an evaluation is charged first, too');
	});
}
hide_solver($node);
spends($node, 'no solver', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	is($ana->ask(ask_for('patient', name => 'retried')), $bad_page, 'a missing solver has the same error');
});
spends($node, 'failures up to the limit', { epsilon => 1.5, charged => 3, failed => 3 }, sub {
	like($bob->ask(ask_for('patient')), $generic, 'a failure') for 1 .. 3;
});
restore_solver($node);
sub too_often
{
	my ($whose) = @_;
	return qr/^ERROR:  UB003: releases from this table have failed too often\nDETAIL:  At most 3 releases of $whose may fail/m;
}
spends($node, 'after three failures of a role', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	like($bob->ask(ask_for('patient')), too_often('a role'), 'the role is refused');
	is_answered($ana->ask(ask_for('patient', name => 'retried')), 'another role trains under the name that failed');
});
configure('ALTER SYSTEM SET dpobj.max_failures = 1');
spends($node, 'three failures in a table of which one may be of each role', {}, sub {
	scalar_of($node, "CREATE ROLE zoe LOGIN; SELECT dpobj.set_budget('patient', 'zoe', 10, 0)");
	like(in_session($node, 'zoe', ask_for('patient')), too_often('all roles'), 'a role without failures is refused');
});
configure('ALTER SYSTEM RESET dpobj.max_failures');
is_answered($bob->ask(ask_for('other')), 'another table is open');
is_answered(scalar_of($node, train('patient', epsilon => 0.5) =~ s/features, label/ARRAY[a, b]::int[]::float8[], ill/r =~ s/, 0\)/, 0, '{"clip": [0, 1]}')/r),
	'aggregates may read the table');
configure('ALTER SYSTEM SET dpobj.max_failures = 4');
spends($node, 'a higher limit', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is_answered($bob->ask(ask_for('patient')), 'the table is open again');
});
like(slurp_file($node->logfile), qr/LOG:  private release \d+ failed: invalid page in block 0/, 'the log has the reason');

$_->quit for $ana, $bob;
finish($node);
