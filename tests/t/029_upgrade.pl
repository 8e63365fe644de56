# 029_upgrade.pl - updates from 0.1.0 and 0.2.0, whose released scripts are in tests/upgrade: an
# update leaves the same objects as a new installation; ledger, budgets, models, jobs, schedules
# and administrators' privileges stay; the old versions' functions work with the new library; and
# a dump of any version restores all of it. Scripts neither call nor keep objects that others have
# planted in the extension's schema, or refuse them. Then pg_upgrade, which keeps files.

use DpobjTest;

my $node = dpobj_cluster('upgrade', 'dpobj.release_tick = 0');
my ($scripts) = glob "$node->{dpobj_destination}/usr/share/postgresql/*/extension";
my @old_versions = qw(0.1.0 0.2.0);
system_or_bail('cp', (map { "tests/upgrade/dpobj--$_.sql" } @old_versions), $scripts);

my $version = "SELECT extversion FROM pg_extension WHERE extname = 'dpobj'";

# ---- the same objects ----

# One sorted entry for each object, privilege and comment, from pg_dump as pg_upgrade calls it, which
# dumps the members of extensions. Columns that an update appended have another place in a new
# installation, and OIDs differ.
sub objects
{
	my ($database) = @_;
	my ($text) = run_command([ 'pg_dump', '--binary-upgrade', '--schema-only', $node->connstr($database) ]);
	my @entries = split /^--\n(?=-- Name: )/m, $text;

	shift @entries;    # the head, which has the time in newer versions
	for my $entry (@entries)
	{
		$entry =~ s/^-- For binary upgrade, (?:must preserve|set \S+ relfrozenxid).*\n(?:(?:SELECT|UPDATE|SET|WHERE).*\n)*//mg;
		$entry =~ s/^SELECT pg_catalog\.binary_upgrade_set_next.*\n//mg;
		$entry =~ s/\A(-- Name: \S+; Type: EXTENSION; .*'dpobj'.*?'[\d.]+').*/$1/s;
		$entry =~ s/^\\(?:un)?restrict .*\n//mg;
		$entry =~ s/\n--\n-- PostgreSQL database dump complete.*//s;
		$entry = join "\n", sort map { s/,$//r } grep { /\S/ } split /\n/, $entry;
	}
	# An entry of default privileges has no statement left.
	my @sorted = sort grep { !/; Type: ACL;/ || /^(?:GRANT|REVOKE) /m } @entries;
	return @sorted;
}

# The entries of the first list that the second lacks.
sub lacking
{
	my ($these, $those) = @_;
	my %those = map { $_ => 1 } @$those;
	return join "\n\n", grep { !$those{$_} } @$these;
}

$node->safe_psql('postgres', 'CREATE DATABASE fresh');
# The script makes and comments each object once, except the shell of a type.
is($node->safe_psql('fresh', <<'SQL'), "CREATE TYPE dpobj.json_argument\nCREATE TYPE public.dp_rows", 'a new installation makes each object once, except the shells of types');
CREATE TABLE made (what text);
CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO public.made SELECT c.command_tag || $$ $$ || c.object_identity FROM pg_event_trigger_ddl_commands() c; END';
CREATE EVENT TRIGGER noted ON ddl_command_end EXECUTE FUNCTION note();
CREATE EXTENSION dpobj;
SELECT what FROM made WHERE what ~ '^(CREATE|COMMENT) ' GROUP BY what HAVING count(*) > 1 ORDER BY what;
DROP FUNCTION note CASCADE;
DROP TABLE made;
SQL
my $current = $node->safe_psql('fresh', $version);
my @fresh = objects('fresh');
like(join('', @fresh), $_, "the entries have $_") for qr/CREATE FUNCTION dpobj\.verify\(/, qr/GRANT ALL ON FUNCTION dpobj\.set_budget\(/,
  qr/COMMENT ON COLUMN dpobj\.ledger_events\./, qr/ADD FUNCTION dpobj\.verify\(/;

# Default privileges of the installing role change nothing.
my @kinds = qw(FUNCTIONS TYPES TABLES SEQUENCES SCHEMAS);
my $harden = join ';', map { my $to = /^(?:FUNCTIONS|TYPES)$/ ? 'evil' : 'evil, PUBLIC, dpobj_admin'; ("ALTER DEFAULT PRIVILEGES REVOKE ALL ON $_ FROM PUBLIC",
  "ALTER DEFAULT PRIVILEGES GRANT ALL ON $_ TO $to") } @kinds;
my $soften = join ';', (map { "ALTER DEFAULT PRIVILEGES REVOKE ALL ON $_ FROM evil, PUBLIC, dpobj_admin" } @kinds),
  'ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC', 'ALTER DEFAULT PRIVILEGES GRANT USAGE ON TYPES TO PUBLIC';
$node->safe_psql('postgres', 'CREATE ROLE evil; CREATE DATABASE hardened');
$node->safe_psql('hardened', "$harden; CREATE EXTENSION dpobj; $soften");
my @hardened = objects('hardened');
is(lacking(\@hardened, \@fresh), '', 'default privileges add nothing to a new installation');
is(lacking(\@fresh, \@hardened), '', 'default privileges take nothing from a new installation');

# The validator loads the function; CREATE EXTENSION does not.
my $load = q{SELECT count(fmgr_c_validator(oid)::text) > 50 FROM pg_proc WHERE probin = '$libdir/dpobj'};

# Tables and sequences by name: their OIDs differ.
my $dumped = q{SELECT string_agg(t::text, E'\n' ORDER BY t::text) FROM pg_extension, unnest(extconfig::regclass[]) t
  WHERE extname = 'dpobj'};

for my $old (@old_versions)
{
	my $updated = "updated_from_$old";
	$node->safe_psql('postgres', qq{CREATE DATABASE "$updated"});
	$node->safe_psql($updated, qq{CREATE EXTENSION dpobj VERSION '$old'});
	is($node->safe_psql($updated, $version), $old, "$old can be installed");
	cmp_ok(scalar(objects($updated)), '>', 400, "every object of $old is compared");
	is($node->safe_psql($updated, $load), 't', "the new library has every function of $old");
	my (undef, undef, $missing) = $node->psql($updated, <<"SQL");
SET check_function_bodies = off;
BEGIN;
CREATE FUNCTION gone() RETURNS int AS '\$libdir/dpobj', 'dpobj_gone' LANGUAGE C;
$load
SQL
	like($missing, qr/could not find function "dpobj_gone"/, 'a missing function would be found');

	$node->safe_psql($updated, "$harden; ALTER EXTENSION dpobj UPDATE; $soften");
	my @updated = objects($updated);
	is(lacking(\@fresh, \@updated), '', "an update from $old leaves nothing out");
	is(lacking(\@updated, \@fresh), '', "an update from $old leaves nothing behind");
	is_deeply([ sort { $a cmp $b } @updated ], [ sort { $a cmp $b } @fresh ], "an update from $old makes each object once");
	is($node->safe_psql($updated, $dumped), $node->safe_psql('fresh', $dumped), "after an update from $old the same tables are dumped");
	$node->safe_psql('postgres', qq{DROP DATABASE "$updated"});
}

# ---- what the old versions wrote ----

# All rows of a table, or the state of a sequence, as an array of JSON.
sub rows
{
	my ($database, $table) = @_;
	return $node->safe_psql($database, "SELECT coalesce(jsonb_agg(to_jsonb(t) - 'log_cnt'), '[]') FROM (SELECT * FROM $table) t");
}

my $privileges = q{SELECT has_function_privilege('ana', 'dpobj.protected_features(regclass, text[])', 'EXECUTE'),
  has_function_privilege('ana', 'dpobj.grant_trainer(regrole)', 'EXECUTE'),
  (SELECT bool_or(has_table_privilege('bob', v, 'SELECT'))
   FROM unnest('{dpobj.budgets,dpobj.models,dpobj.odometer,dpobj.protected}'::regclass[]) v)};

# The tables have the rows of before, perhaps with more columns, and no others.
sub keeps
{
	my ($database, $before, $what) = @_;
	for my $table (sort keys %$before)
	{
		is( $node->safe_psql($database, <<"SQL"), 't|t', "$table, $what");
SELECT (SELECT bool_and(EXISTS (SELECT FROM $table t WHERE to_jsonb(t) @> old)) FROM jsonb_array_elements(\$old\$$before->{$table}\$old\$) old),
       (SELECT count(*) FROM $table) = jsonb_array_length(\$old\$$before->{$table}\$old\$)
SQL
	}
	is($node->safe_psql($database, $privileges), 'f|t|f', "privileges, $what");
	is($node->safe_psql($database, 'SELECT dpobj.verify(model) FROM kept'), 't', "the model verifies, $what");
	return;
}

sub restore
{
	my ($from, $to) = @_;
	copy_by_dump($node, $from, $to, 'custom');
	is($node->safe_psql($to, $version), $current, "$to has the new version");
	return;
}

my $counted = 'SELECT count(*) > 0 AND sum(times) = (SELECT sum(times) FROM dpobj.charge_kinds) FROM dpobj.charge_counts';
my $left = q{SELECT epsilon, delta, releases FROM dpobj.remaining('visit')};
my $tables = q{SELECT t::text FROM pg_extension, unnest(extconfig::regclass[]) t WHERE extname = 'dpobj' ORDER BY 1};
my ($ana, $left_before);

$node->safe_psql('postgres', 'CREATE ROLE ana LOGIN; CREATE ROLE bob; CREATE ROLE trainer');
for my $old (@old_versions)
{
	my $older = "older_$old";
	$node->safe_psql('postgres', qq{CREATE DATABASE "$older"});
	$node->safe_psql($older, <<"SQL");
CREATE EXTENSION dpobj VERSION '$old';
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
REVOKE EXECUTE ON FUNCTION dpobj.protected_features(regclass, text[]) FROM PUBLIC;
REVOKE SELECT ON dpobj.budgets, dpobj.models, dpobj.odometer, dpobj.protected FROM PUBLIC;
GRANT SELECT ON dpobj.budgets, dpobj.models TO ana;
GRANT EXECUTE ON FUNCTION dpobj.grant_trainer(regrole) TO ana;
SQL

	# The new library knows schema dpobj_internal, which an old version does not have and others may.
	my @internal = ('origin()', 'epoch()', 'sees_all()', 'budget_exceeded(bigint[], bigint[], dpobj.charge_cost)', 'shares_rows(bigint, bigint)',
		'listed_keys(jsonb)', 'cost_under(dpobj.charge_cost, text, text, integer)', 'delta_under(dpobj.charge_cost, text, text)');
	$node->safe_psql($older, join ';', 'CREATE SCHEMA dpobj_internal', 'GRANT USAGE ON SCHEMA dpobj_internal TO PUBLIC',
		map { "CREATE FUNCTION dpobj_internal.$_ RETURNS text LANGUAGE plpgsql AS \$\$BEGIN RAISE EXCEPTION 'captured'; END\$\$" } @internal);
	$ana = session($node, user => 'ana', database => $older);
	$ana->ask(q{SELECT release FROM dpobj.train('visit', 'ill', 0.5, name => 'first')});
	$ana->ask(q{SELECT count(*) FROM dpobj.train_groups('visit', '{sex}', 'ill', 0.25, name => 'by sex')});
	$ana->ask(q{SELECT dpobj.evaluate('first', 'visit', 0.125)});
	is($ana->ask(q{SELECT count(*) FROM dpobj.models}), '3', "the statements of $old work with the new library");
	is($node->safe_psql($older, "SELECT string_agg(DISTINCT event, ' ' ORDER BY event) FROM dpobj.ledger"),
		'charged protect raise_budget released set_budget', "the statements of $old write the ledger");
	is($node->safe_psql($older, 'SELECT dpobj.verify(model) FROM kept'), 't', "a model of $old verifies");
	my (undef, undef, $keyless) = $node->psql($older, q{SELECT dpobj.train('visit', 'ill', 0.5, options => '{"holdout": 0.2}')}, extra_params => [ '-U', 'ana' ]);
	like($keyless, qr/option "holdout" is not for the installed version.*\nHINT:  Run ALTER EXTENSION dpobj UPDATE/, "tables of $old have no keys");
	if ($old ne '0.1.0')
	{
		$ana->ask(q{SELECT dpobj.share('first', 'bob')});
		$ana->ask(q{SELECT dpobj.schedule_put('yearly', '0 0 1 1 *', 'visit', 'ill', 0.0625, NULL, 0, 'halfspace', '{}', NULL, 0.1, '1 year')});
		is($ana->ask(q{CALL dpobj.run_schedule('yearly'); SELECT state, epsilon FROM dpobj.schedule_runs}), 'released|0.0625', "a schedule of $old has run");
		$ana->ask(q{SELECT dpobj.schedule_put('minutely', '* * * * *', 'visit', 'ill', 0.0625, NULL, 0, 'halfspace', '{}', NULL, 0.1, '1 year')});
		is($ana->ask(q{SELECT dpobj.submit('in the background', 'visit', NULL, 'ill', 0.0625)}), '1', "a job of $old is queued");
		is($ana->ask('SELECT dpobj.wait(1)'), 'released', "the job of $old has run");
	}

	$left_before = $ana->ask($left);
	like($left_before, qr/^1\.\d+\|.*\|1[57]$/, "budgets of $old count");
	my @kept = split /\n/, $node->safe_psql($older,
		q{SELECT t::text FROM pg_extension, unnest(extconfig::regclass[]) t, pg_class c
		  WHERE extname = 'dpobj' AND c.oid = t AND c.relkind = 'r' ORDER BY 1});
	my %before = map { $_ => rows($older, $_) } @kept;
	is(join(' ', grep { $before{$_} eq '[]' } @kept), '', "each of the " . @kept . " tables of $old has rows");
	is($node->safe_psql($older, $privileges), 'f|t|f', 'the administrator revoked privileges and granted one');

	$node->safe_psql($older, 'DROP SCHEMA dpobj_internal CASCADE');

	# A dump does not name the version, so the rows of the old version go into the tables of the new one.
	restore($older, "restored_$old");
	keeps("restored_$old", \%before, "in a dump of $old that the new version restored");
	is($node->safe_psql("restored_$old", $counted), 't', 'the restore counts the charges');

	# After the dump, because grants on functions that the new version lacks cannot be restored.
	$node->safe_psql($older, <<'SQL');
SELECT dpobj.grant_trainer('trainer');
GRANT EXECUTE ON FUNCTION dp_svm(float8[], integer, numeric, numeric) TO bob WITH GRANT OPTION;
GRANT EXECUTE ON FUNCTION dp_accuracy(text, float8[], boolean, float8) TO PUBLIC;
REVOKE EXECUTE ON FUNCTION dpobj.report(regclass, numeric) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.report(regclass, numeric) TO bob;
CREATE VIEW "of bob" AS SELECT dp_logistic(features, label, 0.5, 0) AS model FROM quick;
SQL
	refuses($older, 'ALTER EXTENSION dpobj UPDATE', qr/ERROR:  other objects use aggregates of dpobj, whose arguments change: view public."of bob"\nHINT:  Keep/,
		'an update while a view uses an old form');
	$node->safe_psql($older, 'DROP VIEW "of bob"');

	# Queued jobs were submitted when halfspaces had no intercept by default.
	is( $node->safe_psql($older, <<'SQL'), qq({"intercept": false}\n{"intercept": false}\n{"intercept": true}), 'queued jobs keep their intercept') if $old ne '0.1.0';
BEGIN;
INSERT INTO dpobj.job_rows (name, role, role_name, relation, relation_name, label, epsilon, delta, method, options, request_hash)
  SELECT 'waits', role, role_name, relation, relation_name, label, epsilon, delta, method, o, request_hash
    FROM dpobj.job_rows, unnest(ARRAY['{}', NULL, '{"intercept": true}']::jsonb[]) o;
ALTER EXTENSION dpobj UPDATE;
SELECT options FROM dpobj.job_rows WHERE name = 'waits' ORDER BY id;
ROLLBACK;
SQL
	$node->safe_psql($older, 'ALTER EXTENSION dpobj UPDATE');
	is($node->safe_psql($older, $version), $current, "the update from $old is made");
	is($node->safe_psql($older, <<'SQL'), "dp_accuracy -: 2\ndp_svm bob*: 2\ndp_* trainer: 19", 'roles that could call an aggregate can call its new forms');
SELECT string_agg(grants, E'\n' ORDER BY grants LIKE '%trainer%', grants) FROM (
  SELECT format('%s %s%s: %s', CASE g.grantee WHEN 'trainer'::regrole THEN 'dp_*' ELSE p.proname END, g.grantee::regrole,
                CASE WHEN g.is_grantable THEN '*' END, count(*)) AS grants
  FROM pg_proc p, aclexplode(p.proacl) g WHERE p.prokind IN ('a', 'w') AND p.proname LIKE 'dp\_%' AND g.grantee <> p.proowner
  GROUP BY CASE g.grantee WHEN 'trainer'::regrole THEN 'dp_*' ELSE p.proname END, g.grantee, g.is_grantable) a
SQL
	is($node->safe_psql($older, q{SELECT has_function_privilege('ana', f, 'EXECUTE'), has_function_privilege('bob', f, 'EXECUTE') FROM (SELECT oid AS f FROM pg_proc WHERE proname = 'report') p ORDER BY f}),
		"f|f\nf|t", 'who could call a function can call the form that takes its name, and nobody the one that it calls');
	keeps($older, \%before, "after the update from $old");

	is($node->safe_psql($older, $counted), 't', 'the update counts the charges');
	is($node->safe_psql($older, 'SELECT count(DISTINCT holdout_key) = count(*) AND count(*) > 1 FROM dpobj.identities'), 't', 'each identity gets a key of its own');

	is($ana->ask(q{SELECT (SELECT release FROM dpobj.train('visit', 'ill', 0.5, method => 'halfspace', name => 'first'))
	  = (SELECT release FROM dpobj.models WHERE name = 'first')}), 't', 'a session from before the update gets its model again for free');
	is($ana->ask($left), $left_before, 'the budget is as before the update');
	$ana->ask(q{SELECT release FROM dpobj.train('visit', 'ill', 0.5, name => 'second')});
	is($ana->ask('SELECT name FROM dpobj.models ORDER BY release DESC LIMIT 1'), 'second', 'the session trains');
	my $latest = q{SELECT m.name LIKE '%ly %', (m.model).kind, cardinality((m.model).weights) FROM dpobj.models m ORDER BY m.release DESC LIMIT 1};
	if ($old ne '0.1.0')
	{
		is($ana->ask(qq{CALL dpobj.run_schedule('minutely'); $latest}), 't|halfspace|3', 'a schedule from before the update trains the same');
		is($node->safe_psql($older, q{SELECT options FROM dpobj.schedules WHERE name = 'minutely'}), '{}', 'dpobj.schedules shows its options');
	}
	$ana->ask(q{SELECT count(*) FROM dpobj.train('visit', 'ill', 0.0625, name => 'now')});
	is($ana->ask(q{SELECT cardinality((model).weights) FROM dpobj.models WHERE name = 'now'}), '4', 'a new request has an intercept');
	is($ana->ask(q{SELECT details -> 'holdout' FROM dpobj.train('visit', 'ill', 0.0625, options => '{"holdout": 0.2}')}), '0.2', 'rows of an older table are held out');
	$ana->ask(q{SELECT dpobj.share('second', 'bob')});
	is( $ana->ask(<<'SQL'), "first anew second\nt", 'the owner changes models from before the update');
BEGIN;
CREATE TEMP TABLE of_women AS SELECT model FROM dpobj.models WHERE name = 'by sex{f}';
CREATE TEMP TABLE of_men AS SELECT model FROM dpobj.models WHERE name = 'by sex{m}';
DO $$BEGIN
  PERFORM dpobj.rename('first', 'first anew'), dpobj.comment('second', 'of the new version'), dpobj.retire('second'), dpobj.delete('by sex{f}');
END$$;
COMMIT;
SELECT string_agg(name, ' ' ORDER BY name) FROM dpobj.models WHERE name ~ '^(first|second)|f}';
SELECT dpobj.verify(w.model) AND dpobj.verify(m.model) FROM of_women w, of_men m;
SQL
	$ana->quit;

	restore($older, "newer_$old");
	for my $table (split /\n/, $node->safe_psql($older, $tables))
	{
		is(rows("newer_$old", $table), rows($older, $table), "$table, in a dump of the new version");
	}
}

# Tables and sequences that the extension does not mark for pg_dump would be empty after a restore.
# Not marked are charge_counts, because a restore counts the charges anew, and server_start, which is
# about a start of this server.
is( $node->safe_psql('fresh', <<'SQL'), "dpobj.charge_counts\ndpobj.charge_counts_id_seq\ndpobj.server_start", 'all other tables and their sequences are dumped');
SELECT c.oid::regclass FROM pg_class c JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass
WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpobj') AND c.relkind IN ('r', 'p', 'S')
      AND c.relpersistence <> 'u'
      AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'dpobj' AND c.oid = ANY (extconfig))
ORDER BY c.relname
SQL

# Each function has explicit privileges, so that none is open to PUBLIC by default.
is($node->safe_psql('fresh', q{SELECT oid::regprocedure FROM pg_proc WHERE pronamespace IN ('dpobj'::regnamespace, 'dpobj_internal'::regnamespace) AND proacl IS NULL}),
	'', 'each function has explicit privileges');

# A warning names a schema in which others may create.
$node->safe_psql('postgres', 'CREATE DATABASE elsewhere');
my (undef, undef, $warning) = $node->psql('elsewhere', <<'SQL');
CREATE SCHEMA "Of All %";
GRANT CREATE ON SCHEMA "Of All %" TO PUBLIC;
CREATE EXTENSION dpobj SCHEMA "Of All %";
SQL
like($warning, qr/WARNING:  other roles may create objects in schema "Of All %"$/m, 'a warning names a schema in which others may create');
is($node->safe_psql('elsewhere', $version), $node->safe_psql('fresh', $version), 'a schema with an unusual name can be used');

$node->safe_psql('older_0.1.0', 'DROP EXTENSION dpobj CASCADE');
is($node->safe_psql('older_0.1.0', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'dpobj'}), '0', 'an updated extension can be dropped');

# ---- objects that others have planted ----

my $captured = slurp_file('tests/captured.sql');
my $called = 'SELECT string_agg(DISTINCT who, $$ $$) FROM common.calls';

# A schema in which mallory has an operator and a function that fit calls of 0.1.0 better than those of
# pg_catalog, and record who calls them.
my $plant = <<'SQL';
CREATE SCHEMA IF NOT EXISTS common;
GRANT USAGE, CREATE ON SCHEMA common TO mallory;
CREATE TABLE common.calls AS SELECT ''::text AS who WHERE false;
GRANT INSERT ON common.calls TO PUBLIC;
SET ROLE mallory;
CREATE FUNCTION common.twice(bigint, numeric) RETURNS numeric LANGUAGE plpgsql AS
  'BEGIN INSERT INTO common.calls VALUES (current_user); RETURN 2 * pg_catalog.numeric_mul($1, $2); END';
CREATE OPERATOR common.* (LEFTARG = bigint, RIGHTARG = numeric, FUNCTION = common.twice);
CREATE FUNCTION common.format(text, text) RETURNS text LANGUAGE plpgsql AS
  'BEGIN INSERT INTO common.calls VALUES (current_user); RETURN pg_catalog.format($1, VARIADIC ARRAY[$2]); END';
RESET ROLE;
SQL

# All other functions that the scripts name, and operators for many types.
my @script = map { slurp_file($_) } glob "$scripts/dpobj--$current.sql $scripts/dpobj--0.1.0--$current.sql";
my %named = map { $_ => 1 } map { /\b([a-z]\w+)\(/g } @script;
my $names = join ',', sort keys %named;
my $plant_all = $plant . <<"SQL";
SET ROLE mallory;
SET search_path = pg_catalog;
CREATE FUNCTION common.call() RETURNS text LANGUAGE plpgsql AS
  'BEGIN INSERT INTO common.calls VALUES (current_user); RETURN NULL; END';
DO \$\$
DECLARE
  types constant regtype[] := '{bool,"\\"char\\"",int,int8,numeric,float8,text,name,oid,text[],int8[],timestamptz}';
  function text;
  arguments text;
  lefts regtype;
  rights regtype;
  operator text;
BEGIN
  FOR function IN SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
      AND proname = ANY ('{$names}') AND proname <> 'format' LOOP
    FOREACH arguments IN ARRAY '{"text","text,text","text,text,text","bigint","bigint,numeric","name","oid","text[]"}'::text[] LOOP
      EXECUTE format('CREATE FUNCTION common.%I(%s) RETURNS text LANGUAGE sql AS \$a\$SELECT common.call()\$a\$', function, arguments);
    END LOOP;
  END LOOP;
  FOREACH lefts IN ARRAY types LOOP
    FOREACH rights IN ARRAY types LOOP
      EXECUTE format('CREATE FUNCTION common.planted(%s, %s) RETURNS boolean LANGUAGE sql AS \$a\$SELECT common.call() IS NULL\$a\$', lefts, rights);
      FOREACH operator IN ARRAY '{=,<>,<,>,<=,>=,+,-,*,/,||,%}'::text[] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_operator WHERE (oprname, oprleft, oprright) = (operator, lefts, rights)
                              AND oprnamespace IN ('pg_catalog'::regnamespace, 'common'::regnamespace));
        EXECUTE format('CREATE OPERATOR common.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = common.planted)', operator, lefts, rights);
      END LOOP;
    END LOOP;
  END LOOP;
END
\$\$;
SQL

# The statement is refused with this message and changes nothing.
sub refuses
{
	my ($database, $statement, $message, $name) = @_;
	my $before = "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'dpobj'), 'none')";
	my $found = $node->safe_psql($database, $before);
	my ($status, undef, $error) = $node->psql($database, $statement);
	like($error, $message, "$name is refused");
	is($node->safe_psql($database, $before), $found, "$name changes nothing");
	return;
}

$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(planted captured grown);
$node->safe_psql('postgres', 'CREATE ROLE mallory');
$node->safe_psql('captured', $plant);
$node->safe_psql('captured', q{CREATE EXTENSION dpobj VERSION '0.1.0' SCHEMA common});
is($node->safe_psql('captured', $called), $node->safe_psql('captured', 'SELECT current_user'), q{the script of 0.1.0 calls planted functions});
like($node->safe_psql('captured', $captured), qr/view dpobj\.budgets: operator common\.\*\(bigint,numeric\)/, 'the views of 0.1.0 use a planted operator');
refuses('captured', 'ALTER EXTENSION dpobj UPDATE', qr/ERROR:  .* on view dpobj\.\w+ uses operator common\.\*\(bigint,numeric\) of role "mallory"/,
	'an update of views with an operator of mallory');
$node->safe_psql('captured', 'ALTER OPERATOR common.* (bigint, numeric) OWNER TO CURRENT_USER');
refuses('captured', 'ALTER EXTENSION dpobj UPDATE', qr/uses operator common\.\*\(bigint,numeric\) of role "mallory"/,
	'an update of views with a function of mallory');
restore('captured', 'released');
is($node->safe_psql('released', $captured), '', 'a restored dump, as the hint says, has views without planted operators');

$node->safe_psql('planted', $plant_all);
cmp_ok($node->safe_psql('planted', 'SELECT count(*) FROM pg_operator WHERE oprowner = (SELECT oid FROM pg_roles WHERE rolname = $$mallory$$)'),
	'>', 1200, 'operators are planted for many pairs of types');
my (undef, undef, $said) = $node->psql('planted', 'CREATE EXTENSION dpobj SCHEMA common');
like($said, qr/WARNING:  other roles may create objects in schema common\n/, 'an installation in an open schema has a warning');
is($node->safe_psql('planted', "$captured; $called"), '', 'an installation in an open schema calls and uses nothing planted');
$node->safe_psql('planted', q{DROP EXTENSION dpobj; ALTER SCHEMA common RENAME TO "a %s schema"; ALTER SCHEMA "a %s schema" OWNER TO mallory});
(undef, undef, $said) = $node->psql('planted', 'CREATE EXTENSION dpobj SCHEMA "a %s schema"');
like($said, qr/WARNING:  other roles may create objects in schema "a %s schema"\n/, q{an installation in a schema of mallory has a warning});
is($node->safe_psql('planted', $captured), '', 'an installation in a schema of mallory uses nothing planted');
$node->safe_psql('planted', 'DROP EXTENSION dpobj; ALTER SCHEMA "a %s schema" RENAME TO common');

$node->safe_psql('grown', q{CREATE SCHEMA common; CREATE EXTENSION dpobj VERSION '0.1.0' SCHEMA common});
$node->safe_psql('grown', $plant_all);
(undef, undef, $said) = $node->psql('grown', 'ALTER EXTENSION dpobj UPDATE');
like($said, qr/WARNING:  other roles may create objects in schema common\n/, 'an update in an open schema has a warning');
is($node->safe_psql('grown', "$captured; $called; $version"), "\n$current", 'an update in an open schema calls and uses nothing planted');

# What an update and an installation refuse.
$node->safe_psql('planted', q{CREATE EXTENSION dpobj VERSION '0.1.0'; DROP TABLE common.calls; CREATE TABLE calls AS SELECT ''::text AS who WHERE false;
  ALTER TABLE calls SET SCHEMA common; GRANT INSERT ON common.calls TO PUBLIC});
$node->safe_psql('planted', 'GRANT CREATE ON SCHEMA dpobj TO mallory; SET ROLE mallory; CREATE FUNCTION dpobj.wait(int) RETURNS int LANGUAGE sql AS $$SELECT 1$$');
refuses('planted', 'ALTER EXTENSION dpobj UPDATE', qr/ERROR:  function dpobj\.wait\(integer\) of role "mallory" is in schema dpobj/, 'an update beside a function in schema dpobj');
$node->safe_psql('planted', 'DROP FUNCTION dpobj.wait');
refuses('planted', 'ALTER EXTENSION dpobj UPDATE', qr/ERROR:  other roles may create objects in schema dpobj/, 'an update while others may create in schema dpobj');
$node->safe_psql('planted', 'REVOKE CREATE ON SCHEMA dpobj FROM mallory; CREATE SCHEMA dpobj_internal AUTHORIZATION mallory');
my $taken = qr/ERROR:  schema "dpobj_internal" already exists/;
refuses('planted', 'ALTER EXTENSION dpobj UPDATE', $taken, q{an update beside a schema dpobj_internal of mallory});
$node->safe_psql('planted', 'DROP EXTENSION dpobj');
refuses('planted', 'CREATE EXTENSION dpobj', $taken, 'an installation beside a schema dpobj_internal of mallory');
$node->safe_psql('planted', q{DROP SCHEMA dpobj_internal; CREATE EXTENSION dpobj VERSION '0.1.0'});
$node->safe_psql('planted', 'GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory; CREATE FUNCTION public.dp_score(int) RETURNS int LANGUAGE sql AS $$SELECT 1$$');
my $namesake = qr/ERROR:  function public\.dp_score\(integer\) of role "mallory" has the name of one of dpobj's/;
refuses('planted', 'ALTER EXTENSION dpobj UPDATE', $namesake, q{an update beside a function with a name of dpobj});
$node->safe_psql('planted', 'DROP EXTENSION dpobj');
refuses('planted', 'CREATE EXTENSION dpobj', $namesake, 'an installation beside a function with a name of dpobj');
$node->safe_psql('planted', q{ALTER FUNCTION public.dp_score(int) OWNER TO CURRENT_USER; CREATE EXTENSION dpobj});
is($node->safe_psql('planted', $version), $current, q{a superuser's function with a name of dpobj is accepted});
$node->safe_psql('planted', 'DROP EXTENSION dpobj; CREATE ROLE boss SUPERUSER');
$node->safe_psql('planted', q{SET ROLE boss; CREATE EXTENSION dpobj VERSION '0.1.0'; RESET ROLE; ALTER ROLE boss NOSUPERUSER; ALTER EXTENSION dpobj UPDATE});
is($node->safe_psql('planted', $version), $current, 'an extension of a former superuser is updated');

# ---- pg_upgrade ----

# To the same version, the only one here. The queued job must wait, because the servers that pg_upgrade
# starts would break it off.
my $upgraded = 'newer_0.1.0';
$node->safe_psql('postgres', qq{DROP DATABASE "$_"})
  for 'newer_0.2.0', qw(fresh elsewhere captured released planted grown), map { ("older_$_", "restored_$_") } @old_versions;
$node->append_conf('postgresql.conf', "dpobj.max_jobs = 0");
$node->restart;
$node->safe_psql($upgraded, 'SELECT dpobj.confirm_epoch()');
$ana = session($node, user => 'ana', database => $upgraded);
$ana->ask(q{SELECT dpobj_internal.schedule_put('visit', 'ill', 0.0625, NULL, 0, 'halfspace', '{}', NULL, 'yearly', '0 0 1 1 *', 0.1, '1 year')});
is($ana->ask(q{CALL dpobj.run_schedule('yearly'); SELECT state, epsilon FROM dpobj.schedule_runs}), 'released|0.0625', 'a schedule has run before pg_upgrade');
is($ana->ask(q{SELECT dpobj.submit('visit', 'ill', 0.0625, name => 'queued')}), '1', 'a job is queued before pg_upgrade');
$left_before = $ana->ask($left);
$ana->quit;
my %before = map { $_ => rows($upgraded, $_) } split /\n/, $node->safe_psql($upgraded, $tables);
$node->stop;
$node->append_conf('postgresql.conf', 'dpobj.max_jobs = 2');

my $new = PostgreSQL::Test::Cluster->new('upgraded');
$new->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
system_or_bail('cp', $node->data_dir . '/postgresql.conf', $new->data_dir . '/postgresql.conf');
$new->append_conf('postgresql.conf', 'port = ' . $new->port);
chomp(my $programs = `pg_config --bindir`);
chdir PostgreSQL::Test::Utils::tempdir() or die;
command_ok([ 'pg_upgrade', '-b', $programs, '-B', $programs, '-d', $node->data_dir, '-D', $new->data_dir, '-p', $node->port,
		'-P', $new->port, '-s', $node->host ], 'pg_upgrade');
$node = $new;
$node->start;

is(rows($upgraded, $_), $before{$_}, "$_, after pg_upgrade") for grep { !/job_rows$/ } sort keys %before;
is($node->safe_psql($upgraded, 'SELECT name, state, reason FROM dpobj.jobs'),
	'queued|failed|the job was submitted before the database was restored', 'the queued job has failed');
is($node->safe_psql($upgraded, $privileges), 'f|t|f', 'privileges, after pg_upgrade');
$ana = session($node, user => 'ana', database => $upgraded);
is($ana->ask(q{SELECT bool_and(dpobj.verify(model)), string_agg(name, ',' ORDER BY name) ~ 'first.*second.*yearly' FROM dpobj.models}), 't|t', 'models verify after pg_upgrade');
is($ana->ask($left), $left_before, 'budgets are the same after pg_upgrade');
like($ana->ask(q{SELECT dpobj.train('visit', 'ill', 0.0625)}), qr/^ERROR:  55000: .*restored/, 'a release is refused before dpobj.confirm_epoch');
is($ana->ask(q{CALL dpobj.run_schedule('yearly'); SELECT state, epsilon FROM dpobj.schedule_runs}), 'released|0.0625', 'a run that was charged is not run again');
$node->safe_psql($upgraded, 'SELECT dpobj.confirm_epoch()');
like($ana->ask(q{SELECT release FROM dpobj.train('visit', 'ill', 0.0625)}), qr/^\d+$/, 'a release after dpobj.confirm_epoch');
is($ana->ask(q{SELECT dpobj.submit('visit', 'ill', 0.0625, name => 'again')}), '2', 'a job is queued after pg_upgrade');
is($ana->ask('SELECT dpobj.wait(2)'), 'released', 'the job runs after pg_upgrade');
$ana->quit;

finish($node);
