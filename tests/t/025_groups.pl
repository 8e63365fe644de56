# 025_groups.pl - dp_groups and dpobj.train_groups: all models of a call or none, the charge
# before the first page, one tick for all, one charge for concurrent equal requests, a cancel, and
# the names.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use DpobjTest;

my $node = dpobj_cluster('groups', 'dpobj.release_tick = 0', 'dpobj.max_failures = 100');

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE ana LOGIN;
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
	is($ana->ask(groups('patient', name => 'all')), '3', 'a model for each key');
});
spends($node, 'the same again', {}, sub { is($ana->ask(groups('patient', name => 'all')), '3', 'is free'); });
spends($node, 'the owner\'s door', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is($owner->ask($own), '3', 'a model for each key');
});
spends($node, 'ROLLBACK', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$ana->ask('BEGIN');
	is($ana->ask(groups('patient', name => 'kept')), '3', 'released');
	$ana->ask('ROLLBACK');
	is($ana->ask("SELECT count(*) FROM dpobj.models WHERE name LIKE 'kept%' AND dpobj.verify(model)"), '3', 'and kept');
});

# ---- two sessions of one role, one name ----

my $again = session($node, user => 'ana');
spends($node, 'racers', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	$_->send(groups('patient', name => 'raced', what => 'string_agg(model::text, \'\' ORDER BY key)')) for $ana, $again;
	is($ana->result, $again->result, 'both get the same models');
});

# ---- one of the solvers fails: nothing goes out ----

my $solver = solver_path($node);
my $count = "$solver.count";
my $models = 'SELECT count(*) FROM dpobj.model_rows WHERE model IS NOT NULL';

# The solver fails when it is run for the second time from now on.
sub fail_second
{
	unlink $count;
	rename $solver, "$solver.kept" or die "cannot rename $solver: $!" unless -e "$solver.kept";
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
LOCATION:  fail, analyst\.c:\d+\z/, 'one failure, which says nothing');
});
is(slurp_file($count), "2\n", 'the first group was trained, the third was not');
fail_second();
spends($node, 'and at the owner\'s door', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	like($owner->ask($own), qr/^ERROR:  UB004: training was stopped and nothing was released/, 'an error');
});
is(scalar_of($node, $models), $before, 'no model was kept');
unlink $solver;
rename "$solver.kept", $solver or die;
spends($node, 'another try', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	is($ana->ask(groups('patient', name => 'failed')), '3', 'finds the names free');
});

# ---- ticks ----

$node->safe_psql('postgres', "LOAD 'dpobj'; ALTER ROLE ana SET dpobj.release_tick = '1s'");
$ana->quit;
$ana = session($node, user => 'ana');
my $last = scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events');
is($ana->ask(groups('patient')), '3', 'released at a tick') for 1 .. 3;
is(scalar_of($node, <<"SQL"), 't|3', 'a tick lies between charge and release');
SELECT bool_and(r.at - c.at BETWEEN interval '1 s' AND interval '1.9 s'), count(*)
FROM dpobj.ledger_events c JOIN dpobj.ledger_events r ON r.release = c.id WHERE c.id > $last
SQL
$node->safe_psql('postgres', 'ALTER ROLE ana RESET dpobj.release_tick');

# ---- the charge comes before the first page ----

my $file = $node->data_dir . '/' . scalar_of($node, "SELECT pg_relation_filepath('broken')");
$_->quit for $ana, $again, $owner;
$node->stop;
open my $page, '+<:raw', $file or die "open $file: $!";
print $page "\xff" x 100 or die;
close $page or die;
$node->start;
$ana = session($node, user => 'ana');
spends($node, 'a page that cannot be read', { epsilon => 0.5, charged => 1, failed => 1 }, sub {
	like($ana->ask(groups('broken')), qr/^ERROR:  UB004: /, 'the charge comes first');
});
is(scalar_of($node, "SELECT bool_and(dpobj.verify(model)) FROM dpobj.models"), 't', 'a restart keeps the models');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP/, 'nothing crashed');

$ana->quit;
$node->stop;
done_testing();
