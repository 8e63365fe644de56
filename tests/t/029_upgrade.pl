# 029_upgrade.pl - from 0.1.0, whose script is in tests/upgrade as it was tagged: what an
# update leaves is what a new installation makes, object for object; ledger, budgets,
# models and administrators' privileges stay; 0.1.0's functions work with the new
# library; and a dump, of either version, restores all of it.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use DpobjTest;

my $node = dpobj_cluster('upgrade', 'dpobj.release_tick = 0');
my ($scripts) = glob "$node->{dpobj_destination}/usr/share/postgresql/*/extension";
system_or_bail('cp', 'tests/upgrade/dpobj--0.1.0.sql', $scripts);

my $version = "SELECT extversion FROM pg_extension WHERE extname = 'dpobj'";

# ---- the same objects ----

# What there is, one entry for each object, privilege and comment, in an order of its own:
# pg_dump as pg_upgrade calls it takes extensions apart. Columns that an update appended
# stand elsewhere in a new installation, and OIDs differ.
sub objects
{
	my ($database) = @_;
	my ($text) = run_command([ 'pg_dump', '--binary-upgrade', '--schema-only', $node->connstr($database) ]);
	my @entries = split /^--\n(?=-- Name: )/m, $text;

	shift @entries;    # the head, which has a time in newer versions
	for my $entry (@entries)
	{
		$entry =~ s/^-- For binary upgrade, (?:must preserve|set \S+ relfrozenxid).*\n(?:(?:SELECT|UPDATE|SET|WHERE).*\n)*//mg;
		$entry =~ s/^SELECT pg_catalog\.binary_upgrade_set_next.*\n//mg;
		$entry =~ s/\A(-- Name: \S+; Type: EXTENSION; .*'dpobj'.*?'[\d.]+').*/$1/s;
		$entry =~ s/^\\(?:un)?restrict .*\n//mg;
		$entry =~ s/\n--\n-- PostgreSQL database dump complete.*//s;
		$entry = join "\n", sort map { s/,$//r } grep { /\S/ } split /\n/, $entry;
	}
	return sort @entries;
}

# What the first list has and the second has not.
sub lacking
{
	my ($these, $those) = @_;
	my %those = map { $_ => 1 } @$those;
	return join "\n\n", grep { !$those{$_} } @$these;
}

$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(fresh updated older);
$node->safe_psql('fresh', 'CREATE EXTENSION dpobj');
$node->safe_psql('updated', q{CREATE EXTENSION dpobj VERSION '0.1.0'});
is($node->safe_psql('updated', $version), '0.1.0', '0.1.0 can be installed');

my @old = objects('updated');
my @fresh = objects('fresh');
cmp_ok(scalar(@old), '>', 400, 'every object of 0.1.0 is compared: ' . @old);
like(join('', @fresh), $_, "with $_") for qr/CREATE FUNCTION dpobj\.verify\(/, qr/GRANT ALL ON FUNCTION dpobj\.set_budget\(/,
  qr/COMMENT ON COLUMN dpobj\.ledger_events\./, qr/ADD FUNCTION dpobj\.verify\(/;

# The validator loads the function; CREATE EXTENSION does not.
my $load = q{SELECT count(fmgr_c_validator(oid)::text) > 50 FROM pg_proc WHERE probin = '$libdir/dpobj'};
is($node->safe_psql('updated', $load), 't', 'the new library has every function of 0.1.0');
my (undef, undef, $missing) = $node->psql('updated', <<"SQL");
SET check_function_bodies = off;
BEGIN;
CREATE FUNCTION gone() RETURNS int AS '\$libdir/dpobj', 'dpobj_gone' LANGUAGE C;
$load
SQL
like($missing, qr/could not find function "dpobj_gone"/, 'or one would be missed');

$node->safe_psql('updated', 'ALTER EXTENSION dpobj UPDATE');
my @updated = objects('updated');
is(lacking(\@fresh, \@updated), '', 'an update leaves nothing out');
is(lacking(\@updated, \@fresh), '', 'and nothing behind');
is_deeply([ sort { $a cmp $b } @updated ], [ sort { $a cmp $b } @fresh ], 'as often');

# Tables and sequences by name: their OIDs differ.
my $dumped = 'SELECT string_agg(t::text, E\'\n\' ORDER BY t::text) FROM pg_extension, unnest(extconfig) t'
  . q{ WHERE extname = 'dpobj'};
$dumped =~ s/unnest\(extconfig\) t/unnest(extconfig::regclass[]) t/;
is($node->safe_psql('updated', $dumped), $node->safe_psql('fresh', $dumped), 'the same tables are dumped');

# ---- what 0.1.0 wrote ----

$node->safe_psql('older', <<'SQL');
CREATE EXTENSION dpobj VERSION '0.1.0';
CREATE ROLE ana LOGIN;
CREATE ROLE bob;
CREATE TABLE visit (id int, sex text, smokes boolean, ill boolean) PARTITION BY RANGE (id);
CREATE TABLE visit_early PARTITION OF visit FOR VALUES FROM (0) TO (100);
CREATE TABLE visit_late PARTITION OF visit FOR VALUES FROM (100) TO (1000);
INSERT INTO visit SELECT i, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, i % 2 = 0, i % 2 = 0 FROM generate_series(0, 199) i;
CREATE TABLE quick AS
  SELECT ARRAY[i % 2, i % 3 - 1]::float8[] AS features, i % 2 = 1 AS label FROM generate_series(1, 60) i;
SELECT dpobj.protect('visit', '{"sex": {"levels": ["f", "m"]}, "smokes": {}, "ill": {}}');
SELECT dpobj.set_budget('visit', 'ana', 10, 0, max_releases => 20);
SELECT dpobj.set_budget('visit', NULL, 5, 0.001, accountant => 'zcdp');
SELECT dpobj.raise_budget('visit', NULL, 2, 0, 'a new year');
SELECT dpobj.set_budget('quick', NULL, 3, 0);
CREATE TABLE kept AS SELECT dp_halfspace(features, label, 0.5, 0) AS model FROM quick;
REVOKE EXECUTE ON FUNCTION dpobj.report(regclass, numeric) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.scan_digest(regclass, text, text[], jsonb, boolean, bytea) TO ana;
SQL

my $ana = session($node, user => 'ana', database => 'older');
$ana->ask(q{SELECT release FROM dpobj.train('visit', 'ill', 0.5, name => 'first')});
$ana->ask(q{SELECT count(*) FROM dpobj.train_groups('visit', '{sex}', 'ill', 0.25, name => 'by sex')});
$ana->ask(q{SELECT dpobj.evaluate('first', 'visit', 0.125)});
is($ana->ask(q{SELECT count(*) FROM dpobj.models}), '3', q{0.1.0's statements work with the new library});
is($node->safe_psql('older', "SELECT string_agg(DISTINCT event, ' ' ORDER BY event) FROM dpobj.ledger"),
	'charged protect raise_budget released set_budget', 'and write the ledger');
is($node->safe_psql('older', 'SELECT dpobj.verify(model) FROM kept'), 't', 'a model verifies');

my $left = q{SELECT epsilon, delta, releases FROM dpobj.remaining('visit')};
my $left_before = $ana->ask($left);
like($left_before, qr/^1\.\d+\|.*\|17$/, 'budgets count');
my @kept = split /\n/, $node->safe_psql('older',
	q{SELECT t::text FROM pg_extension, unnest(extconfig::regclass[]) t, pg_class c
	  WHERE extname = 'dpobj' AND c.oid = t AND c.relkind = 'r' ORDER BY 1});

# All rows of a table, or the state of a sequence, as an array of JSON.
sub rows
{
	my ($database, $table) = @_;
	return $node->safe_psql($database, "SELECT coalesce(jsonb_agg(to_jsonb(t) - 'log_cnt'), '[]') FROM (SELECT * FROM $table) t");
}

my %before = map { $_ => rows('older', $_) } @kept;
is(join(' ', grep { $before{$_} eq '[]' } @kept), '', "each of 0.1.0's " . @kept . ' tables has rows');
my $privileges = q{SELECT has_function_privilege('ana', 'dpobj.report(regclass, numeric)', 'EXECUTE'),
  has_function_privilege('ana', 'dpobj.scan_digest(regclass, text, text[], jsonb, boolean, bytea)', 'EXECUTE')};
is($node->safe_psql('older', $privileges), 'f|t', 'the administrator revoked a privilege and granted one');

# What was there is there, in columns that may have become more, and nothing else.
sub keeps
{
	my ($database, $what) = @_;
	for my $table (@kept)
	{
		is( $node->safe_psql($database, <<"SQL"), 't|t', "$table, $what");
SELECT (SELECT bool_and(EXISTS (SELECT FROM $table t WHERE to_jsonb(t) @> old)) FROM jsonb_array_elements(\$old\$$before{$table}\$old\$) old),
       (SELECT count(*) FROM $table) = jsonb_array_length(\$old\$$before{$table}\$old\$)
SQL
	}
	is($node->safe_psql($database, $privileges), 'f|t', "privileges, $what");
	is($node->safe_psql($database, 'SELECT dpobj.verify(model) FROM kept'), 't', "the model verifies, $what");
	return;
}

sub restore
{
	my ($from, $to) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
	$node->safe_psql('postgres', "CREATE DATABASE $to");
	$node->command_ok([ 'pg_dump', '-F', 'custom', '-f', $file, $node->connstr($from) ], "pg_dump of $from");
	$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr($to), $file ], "restored as $to");
	is($node->safe_psql($to, $version), $node->safe_psql('fresh', $version), "$to has the new version");
	return;
}

# A dump does not say the version: what 0.1.0 wrote goes into the tables of the new one.
restore('older', 'older_restored');
keeps('older_restored', 'in a dump of 0.1.0 that the new version restored');

$node->safe_psql('older', 'ALTER EXTENSION dpobj UPDATE');
is($node->safe_psql('older', $version), $node->safe_psql('fresh', $version), 'updated');
keeps('older', 'after the update');

# ---- it goes on ----

is($ana->ask(q{SELECT (SELECT release FROM dpobj.train('visit', 'ill', 0.5, name => 'first'))
  = (SELECT release FROM dpobj.models WHERE name = 'first')}), 't', 'a session of before gets its model again for nothing');
is($ana->ask($left), $left_before, 'and has what it had left');
$ana->ask(q{SELECT release FROM dpobj.train('visit', 'ill', 0.5, name => 'second')});
is($ana->ask('SELECT name FROM dpobj.models ORDER BY release DESC LIMIT 1'), 'second', 'and trains');
$ana->ask(q{SELECT dpobj.share('second', 'bob')});
$ana->quit;

restore('older', 'newer_restored');
my $tables = q{SELECT t::text FROM pg_extension, unnest(extconfig::regclass[]) t WHERE extname = 'dpobj' ORDER BY 1};
for my $table (split /\n/, $node->safe_psql('older', $tables))
{
	is(rows('newer_restored', $table), rows('older', $table), "$table, in a dump of the new version");
}

# A table or sequence that is not said to be dumped would be empty after a restore.
is( $node->safe_psql('fresh', <<'SQL'), '', 'all tables and their sequences are dumped');
SELECT c.oid::regclass FROM pg_class c JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass
WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpobj') AND c.relkind IN ('r', 'p', 'S')
      AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'dpobj' AND c.oid = ANY (extconfig))
SQL

# As 0.1.0 had it: a function is for PUBLIC if that was granted, not if it was forgotten.
is($node->safe_psql('fresh', q{SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'dpobj'::regnamespace AND proacl IS NULL}),
	'', 'each function says who may call it');

$node->safe_psql('older', 'DROP EXTENSION dpobj CASCADE');
is($node->safe_psql('older', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'dpobj'}), '0', 'and drops');

$node->stop;
done_testing();
