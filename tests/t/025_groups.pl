# 025_groups.pl - dp_groups and dpobj.train_groups: all models of a call or none, the charge
# before the first page, one tick for all, one charge for concurrent equal requests, a cancel, and
# the names.

use DpobjTest;

my $node = dpobj_cluster('groups', 'dpobj.release_tick = 0', 'dpobj.max_failures = 100');

login_roles($node, 'ana');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient (ill boolean, a boolean, sex text, x float8);
INSERT INTO patient SELECT i % 2 = 0, i % 2 = 0, (ARRAY['f', 'm', 'x'])[i % 3 + 1], i / 300.0 FROM generate_series(1, 300) i;
CREATE TABLE broken AS TABLE patient;
SELECT dpobj.protect(t, '{"ill": {}, "a": {}, "sex": {"levels": ["f", "m", "d"]}}') FROM unnest('{patient,broken}'::regclass[]) t;
SELECT dpobj.set_budget(t, 'ana', 1000, 0) FROM unnest('{patient,broken}'::regclass[]) t;
CREATE TABLE own AS TABLE patient;
SQL

sub groups
{
	my ($table, %how) = @_;
	my $name = $how{name} ? ", name => '$how{name}'" : '';
	my $what = $how{what} // 'count(*)';
	return "SELECT $what FROM dpobj.train_groups('$table', 'ill', 0.5$name, by => '{sex}')";
}

my $own = q(SELECT cardinality(dp_groups(sex, ARRAY[x], ill, 0.5, 0, '{"keys": ["f", "m", "d"]}')) FROM own);
my $ana = session($node, user => 'ana');
my $owner = session($node);

# ---- one charge, all models ----

spends($node, 'the analyst\'s door', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is($ana->ask(groups('patient', name => 'all')), '3', 'an analyst gets a model for each key');
});
spends($node, 'the same again', {}, sub { is($ana->ask(groups('patient', name => 'all')), '3', 'the same call is free'); });
spends($node, 'the owner\'s door', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is($owner->ask($own), '3', 'an owner gets a model for each key');
});
spends($node, 'ROLLBACK', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$ana->ask('BEGIN');
	is($ana->ask(groups('patient', name => 'kept')), '3', 'models are released in a transaction');
	$ana->ask('ROLLBACK');
	is($ana->ask("SELECT count(*) FROM dpobj.models WHERE name LIKE 'kept%' AND dpobj.verify(model)"), '3', 'models are kept after ROLLBACK');
});

# ---- two sessions of one role, one name ----

my $again = session($node, user => 'ana');
spends($node, 'racers', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$_->send(groups('patient', name => 'raced', what => 'string_agg(model::text, \'\' ORDER BY key)')) for $ana, $again;
	is($ana->result, $again->result, 'two concurrent calls get the same models');
});

# ---- one of the solvers fails: nothing goes out ----

my $solver = solver_path($node);
my $count = "$solver.count";
my $models = 'SELECT count(*) FROM dpobj.model_rows WHERE model IS NOT NULL';

# From now on the solver fails in its second run.
sub fail_second
{
	unlink $count;
	hide_solver($node) unless -e "$solver.kept";
	open my $script, '>', $solver or die "cannot write $solver: $!";
	print $script "#!/bin/sh\nn=\$(cat '$count' 2>/dev/null || echo 0)\necho \$((n + 1)) >'$count'\n"
	  . "[ \$n = 1 ] && exit 1\nexec '$solver.kept' \"\$@\"\n";
	close $script or die;
	chmod 0755, $solver;
	return;
}

my $before = scalar_of($node, $models);
fail_second();
spends($node, 'the second group fails', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	like($ana->ask(groups('patient', name => 'failed')), qr/\AERROR:  UB004: the release failed and nothing was released
DETAIL:  The charge stays\. Failures are counted against the table, and the reason is in the server log only\.
LOCATION:  fail, release\.c:\d+\z/, 'the failure of one group is one error without a reason');
});
is(slurp_file($count), "2\n", 'the first group was trained, the third was not');
fail_second();
spends($node, 'and at the owner\'s door', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	like($owner->ask($own), qr/^ERROR:  UB004: training was stopped and nothing was released/, 'the owner\'s call fails');
});
is(scalar_of($node, $models), $before, 'no model was kept');
unlink $solver;
restore_solver($node);
spends($node, 'another try', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is($ana->ask(groups('patient', name => 'failed')), '3', 'the names that failed are free');
});

# ---- ticks ----

$node->safe_psql('postgres', "ALTER ROLE ana SET dpobj.release_tick = '1s'");
$ana->quit;
$ana = session($node, user => 'ana');
my $last = scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events');
is($ana->ask(groups('patient')), '3', 'a call is answered at a tick') for 1 .. 3;
is(ticks_since($node, $last), 't|3', 'a tick lies between charge and release');
$node->safe_psql('postgres', 'ALTER ROLE ana RESET dpobj.release_tick');

# ---- the charge comes before the first page ----

$_->quit for $ana, $again, $owner;
break_first_page($node, 'broken');
$ana = session($node, user => 'ana');
spends($node, 'a page that cannot be read', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	like($ana->ask(groups('broken')), qr/^ERROR:  UB004: /, 'the charge comes before the error');
});
is(scalar_of($node, "SELECT bool_and(dpobj.verify(model)) FROM dpobj.models"), 't', 'a restart keeps the models');

$ana->quit;
finish($node);
