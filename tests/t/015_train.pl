# 015_train.pl - dpobj.train as rules Q3 to Q5 say: concurrent equal requests are charged once,
# one charge in flight per role, places for solvers, ticks, the charge before the first page, one
# kind of failure, and settings that a client cannot lower.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use DpobjTest;

my $node = dpobj_cluster('train', "shared_preload_libraries = ''", 'dpobj.release_tick = 0');

hard_table($node);
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE ana LOGIN;
CREATE ROLE bob LOGIN;
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
	$node->safe_psql('postgres', "LOAD 'dpobj'; $statement");
	$node->reload;
	return;
}

sub waits
{
	my ($session) = @_;
	my $pid = $session->pid;
	return wait_until(10,
		sub { scalar_of($node, "SELECT count(*) FROM pg_locks WHERE pid = $pid AND NOT granted") });
}

my $ana = session($node, user => 'ana');
my $again = session($node, user => 'ana');
my $bob = session($node, user => 'bob');
my $control = session($node);

# ---- racers ----

spends($node, 'two racers with one name', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$control->ask('BEGIN; LOCK TABLE patient');
	$ana->send(ask_for('patient', name => 'race'));
	ok(waits($ana), 'the first waits for the table');
	$again->send(ask_for('patient', name => 'race'));
	ok(waits($again), 'the second waits');
	$control->ask('COMMIT');
	my $release = $ana->result;
	like($release, qr/^\d+$/, 'the first is answered');
	is($again->result, $release, 'the second gets the same model');
});

spends($node, 'another request under a name that is being made', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$control->ask('BEGIN; LOCK TABLE patient');
	$ana->send(ask_for('patient', name => 'taken'));
	waits($ana);
	$again->send(ask_for('patient', name => 'taken', epsilon => 0.6));
	waits($again);
	$control->ask('COMMIT');
	like($ana->result, qr/^\d+$/, 'the first is answered');
	like($again->result, qr/^ERROR:  22023: model "taken" was made by another request/, 'the second is refused');
});

# ---- one in flight per role ----

spends($node, 'one role, two tables', { epsilon => 1.5, charged => 3, released => 3 }, sub {
	$control->ask('BEGIN; LOCK TABLE patient');
	$ana->send(ask_for('patient'));
	waits($ana);
	$again->send(ask_for('other'));
	ok(waits($again), 'the second call of a role waits, whatever its table');
	like($bob->ask(ask_for('other')), qr/^\d+$/, 'another role is answered meanwhile');
	$control->ask('COMMIT');
	like($_->result, qr/^\d+$/, 'answered') for $ana, $again;
});

spends($node, 'a wait that is given up', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$control->ask('BEGIN; LOCK TABLE patient');
	$ana->send(ask_for('patient'));
	waits($ana);
	like($again->ask("SET lock_timeout = '100ms'; " . ask_for('other')), qr/^ERROR:  55P03/, 'lock_timeout holds');
	$again->ask('RESET lock_timeout');
	$control->ask('COMMIT');
	like($ana->result, qr/^\d+$/, 'answered');
});

# ---- places for solvers ----

spends($node, 'one place for solvers', { epsilon => 1, charged => 2, released => 1 }, sub {
	configure('ALTER SYSTEM SET dpobj.max_solvers = 1');
	wait_until(5, sub { $ana->ask('SHOW dpobj.max_solvers') eq '1' && $bob->ask('SHOW dpobj.max_solvers') eq '1' });
	$ana->send(ask_for('hard'));
	solver_of($node, $ana);
	$bob->send(ask_for('other'));
	ok(waits($bob), 'the second release waits for the place');
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(' . $ana->pid . ')');
	like($ana->result, qr/^ERROR:  57014/, 'cancelled');
	like($bob->result, qr/^\d+$/, 'then it is answered');
	configure('ALTER SYSTEM RESET dpobj.max_solvers');
});

# ---- the table's lock, cancel ----

spends($node, 'the table while a solver works', { epsilon => 0.5, charged => 1 }, sub {
	$ana->send(ask_for('hard'));
	kill 'STOP', solver_of($node, $ana); # it does not end by itself
	is($control->ask("SET lock_timeout = '1s'; ALTER TABLE hard SET (fillfactor = 90)"), '', 'is not locked');
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(' . $ana->pid . ')');
	like($ana->result, qr/^ERROR:  57014/, 'a cancel is a cancel');
	ok(wait_until(10, sub { !solvers($node) }), 'no solver is left');
	is(scalar_of($node, "SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND mode = 'ExclusiveLock'"),
		'0', 'and no place is taken');
});
like($ana->ask(ask_for('hard', epsilon => 10) =~ s/permute_flip/exponential/r), qr/^\d+$/, 'a cancel is no failure');

spends($node, 'ROLLBACK, a lost client', { epsilon => 1, charged => 2, released => 1 }, sub {
	$ana->ask('BEGIN');
	like($ana->ask(ask_for('patient', name => 'kept')), qr/^\d+$/, 'released in a transaction');
	$ana->ask('ROLLBACK');
	is($ana->ask("SELECT count(*) FROM dpobj.models WHERE name = 'kept'"), '1', 'and kept after ROLLBACK');
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
like($bob->ask(ask_for('patient')), qr/^\d+$/, 'who died does not block his role');

# ---- ticks ----

configure("ALTER ROLE bob SET dpobj.release_tick = '1s'");
my $last = scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events');
$bob->quit;
$bob = session($node, user => 'bob');
like($bob->ask(ask_for('patient')), qr/^\d+$/, 'released at a tick') for 1 .. 3;
is( scalar_of($node, <<"SQL"), 't|3', 'a tick lies between charge and release');
SELECT bool_and(r.at - c.at BETWEEN interval '1 s' AND interval '1.9 s'), count(*)
FROM dpobj.ledger_events c JOIN dpobj.ledger_events r ON r.release = c.id WHERE c.id > $last
SQL
# Without the library loaded the client's own setting hides the role's; the worker knows better.
$bob->quit;
$bob = session($node, user => 'bob', options => '-c dpobj.release_tick=0');
$last = scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events');
like($bob->ask(ask_for('patient')), qr/^\d+$/m, 'released') for 1 .. 2;
is( scalar_of($node, <<"SQL"), 't|2', 'a client cannot stop the clock');
SELECT bool_and(r.at - c.at BETWEEN interval '1 s' AND interval '1.9 s'), count(*)
FROM dpobj.ledger_events c JOIN dpobj.ledger_events r ON r.release = c.id WHERE c.id > $last
SQL
$node->safe_psql('postgres', 'ALTER ROLE bob RESET dpobj.release_tick');
$bob->quit;

# ---- least epsilon ----

configure('ALTER SYSTEM SET dpobj.min_epsilon = 0.4');
$bob = session($node, user => 'bob', options => '-c dpobj.min_epsilon=0');
spends($node, 'a client that lowers the least epsilon', {}, sub {
	like($bob->ask(ask_for('patient', epsilon => 0.3)), qr/^ERROR:  22023: epsilon of a release must be at least 0.4/m, 'is refused');
});
like($bob->ask(ask_for('patient', epsilon => 0.4)), qr/^\d+$/, 'what is enough is enough');
$bob->quit;
configure('ALTER SYSTEM RESET dpobj.min_epsilon');

# ---- the charge comes before the first page; failures ----

$bob = session($node, user => 'bob');
my $solver = solver_path($node);
my $generic = qr/\AERROR:  UB004: the release failed and nothing was released
DETAIL:  The charge stays\. Failures are counted against the table, and the reason is in the server log only\.
LOCATION:  fail, analyst\.c:\d+\z/;

my $file = $node->data_dir . '/' . scalar_of($node, "SELECT pg_relation_filepath('broken')");
$ana->quit;
$bob->quit;
$node->stop;
open my $page, '+<:raw', $file or die "open $file: $!";
print $page "\xff" x 100 or die;
close $page or die;
$node->start;
$ana = session($node, user => 'ana');
$bob = session($node, user => 'bob');
my $bad_page;
spends($node, 'a page that cannot be read', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	$bad_page = $ana->ask(ask_for('broken', name => 'retried'));
	like($bad_page, $generic, 'the charge comes first');
});
like($ana->ask(ask_for('other', name => 'rated')), qr/^\d+$/, 'a model of another table');
for my $rated (q{dpobj.confusion('rated', 'broken', 0.5)}, q{dpobj.select('{race,rated}', 'broken', 0.5)})
{
	spends($node, "$rated on that page", { epsilon => 0.5, charged => 1, failed => 1 }, sub {
		is($ana->ask("SELECT $rated"), $bad_page, 'the charge comes first there too');
	});
}
rename $solver, "$solver.away" or die;
spends($node, 'no solver', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	is($ana->ask(ask_for('patient', name => 'retried')), $bad_page, 'fails with the very same words');
});
spends($node, 'failures up to the limit', { epsilon => 1.5, charged => 3, failed => 3 }, sub {
	like($bob->ask(ask_for('patient')), $generic, 'a failure') for 1 .. 3;
});
rename "$solver.away", $solver or die;
sub too_often
{
	my ($whose) = @_;
	return qr/^ERROR:  UB003: releases from this table have failed too often\nDETAIL:  At most 3 releases of $whose may fail/m;
}
spends($node, 'after three failures of a role', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	like($bob->ask(ask_for('patient')), too_often('a role'), 'it is refused');
	like($ana->ask(ask_for('patient', name => 'retried')), qr/^\d+$/, 'others are not, and the name that failed is free again');
});
configure('ALTER SYSTEM SET dpobj.max_failures = 1');
spends($node, 'three failures in a table of which one may be of each role', {}, sub {
	scalar_of($node, "CREATE ROLE zoe LOGIN; SELECT dpobj.set_budget('patient', 'zoe', 10, 0)");
	my $zoe = session($node, user => 'zoe');
	like($zoe->ask(ask_for('patient')), too_often('all roles'), 'everybody is refused');
	$zoe->quit;
});
configure('ALTER SYSTEM RESET dpobj.max_failures');
like($bob->ask(ask_for('other')), qr/^\d+$/, 'another table is not concerned');
is($control = scalar_of($node, train('patient', epsilon => 0.5) =~ s/features, label/ARRAY[a, b]::int[]::float8[], ill/r =~ s/, 0\)/, 0, '{"clip": [0, 1]}')/r) > 0, 1,
	'nor is the owner\'s door');
configure('ALTER SYSTEM SET dpobj.max_failures = 4');
spends($node, 'a higher limit', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	like($bob->ask(ask_for('patient')), qr/^\d+$/, 'opens the table again');
});
like(slurp_file($node->logfile), qr/LOG:  private release \d+ failed: invalid page in block 0/, 'the log has the reason');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP/, 'nothing crashed');

$_->quit for $ana, $bob;
$node->stop;
done_testing();
