# 029_upgrade.pl - the update from 0.3.0, whose script and a dump with every kind of event are in
# tests/upgrade: an update leaves the same objects as a new installation; ledger, budgets, models,
# jobs, schedules and administrators' privileges stay; before it the library refuses the tables of
# 0.3.0; and a dump of either version restores all of it. Scripts neither call nor keep objects that
# others have planted in the extension's schema, or refuse them. Then pg_upgrade, which keeps files.

use DpobjTest;

my $node = dpobj_cluster('upgrade', 'dpobj.release_tick = 0');
my ($scripts) = glob "$node->{dpobj_destination}/usr/share/postgresql/*/extension";
system_or_bail('cp', 'tests/upgrade/dpobj--0.3.0.sql', $scripts);

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
is($node->safe_psql('fresh', <<'SQL'), "CREATE TYPE dpobj.json_argument\nCREATE TYPE dpobj.model_argument\nCREATE TYPE public.dp_rows", 'a new installation makes each object once, except the shells of types');
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

# Tables and sequences by name: their OIDs differ.
my $dumped = q{SELECT string_agg(t::text, E'\n' ORDER BY t::text) FROM pg_extension, unnest(extconfig::regclass[]) t
  WHERE extname = 'dpobj'};

$node->safe_psql('postgres', 'CREATE DATABASE updated');
$node->safe_psql('updated', q{CREATE EXTENSION dpobj VERSION '0.3.0'});
is($node->safe_psql('updated', $version), '0.3.0', '0.3.0 can be installed');
cmp_ok(scalar(objects('updated')), '>', 400, 'every object of 0.3.0 is compared');
$node->safe_psql('updated', "$harden; ALTER EXTENSION dpobj UPDATE; $soften");
my @updated = objects('updated');
is(lacking(\@fresh, \@updated), '', 'an update leaves nothing out');
is(lacking(\@updated, \@fresh), '', 'an update leaves nothing behind');
is_deeply([ sort { $a cmp $b } @updated ], [ sort { $a cmp $b } @fresh ], 'an update makes each object once');
is($node->safe_psql('updated', $dumped), $node->safe_psql('fresh', $dumped), 'after an update the same tables are dumped');

# ---- what 0.3.0 wrote ----

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
my $revoke = <<'SQL';
REVOKE EXECUTE ON FUNCTION dpobj.protected_features(regclass, text[]) FROM PUBLIC;
REVOKE SELECT ON dpobj.budgets, dpobj.models, dpobj.odometer, dpobj.protected FROM PUBLIC;
GRANT SELECT ON dpobj.budgets, dpobj.models TO ana;
GRANT EXECUTE ON FUNCTION dpobj.grant_trainer(regrole) TO ana;
SQL

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

# The dump's databases: with the tables of 0.3.0, and, as the dump does not name the version, of this one.
my $dump = slurp_file('tests/upgrade/older-0.3.0.sql');
$node->safe_psql('postgres', 'CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE trainer; CREATE ROLE dealer');
$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(older restored);
$node->safe_psql('restored', $dump);
# This library counts charges in columns that 0.3.0 does not have; the update counts them again.
$node->safe_psql('older', $dump =~ s/EXISTS dpobj WITH SCHEMA public\K;/ VERSION '0.3.0'; ALTER TABLE dpobj.ledger_events DISABLE TRIGGER ledger_counted;/r
	. 'ALTER TABLE dpobj.ledger_events ENABLE ALWAYS TRIGGER ledger_counted');
$node->safe_psql($_, $revoke) for qw(older restored);
is($node->safe_psql('older', $version), '0.3.0', 'the dump is of 0.3.0');
is($node->safe_psql('older', "SELECT string_agg(DISTINCT event, ' ' ORDER BY event) FROM dpobj.ledger_events"),
	'charged confirm_epoch drop_budget failed limit_budget mark_part protect raise_budget released remember_server set_budget unmark_part unprotect',
	'the dump has every kind of event of 0.3.0');
my @kept = split /\n/, $node->safe_psql('older', q{SELECT t::text FROM pg_extension, unnest(extconfig::regclass[]) t, pg_class c
  WHERE extname = 'dpobj' AND c.oid = t AND c.relkind = 'r' ORDER BY 1});
my %before = map { $_ => rows('older', $_) } @kept;
is(join(' ', grep { $before{$_} eq '[]' } @kept), '', 'each of the ' . @kept . ' tables of 0.3.0 has rows');

my $ana = session($node, user => 'ana', database => 'older');
my $first = q{SELECT release FROM dpobj.train('visit', 'ill', 0.5, '{smokes,sex}', method => 'halfspace', name => 'first')};
like($ana->ask($_), qr/^ERROR:  55000: extension "dpobj" is of version 0\.3\.0 in this database, and the library of version \Q$current\E\nHINT:  Run ALTER EXTENSION dpobj UPDATE/,
	"before the update: $_") for $first, q{SELECT dpobj.price('visit', 'ill', 0.5)}, q{SELECT dpobj.cancel(1)}, q{SELECT dpobj.share('first', 'bob')}, q{SELECT dpobj.model_json('first')}, q{SELECT dpobj.confusion('first', 'visit', 0.5)};

like(($node->psql('older', q{SELECT dpobj.report('visit', 0.001)}))[2], qr/ERROR:  extension "dpobj" is of version 0\.3\.0/, 'before the update: a report');

$node->safe_psql('older', <<'SQL');
GRANT EXECUTE ON FUNCTION dp_svm(float8[], anyelement, float8, float8) TO bob WITH GRANT OPTION;
REVOKE EXECUTE ON FUNCTION dpobj.report(regclass, numeric) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.report(regclass, numeric) TO bob;
CREATE VIEW "of bob" AS SELECT dp_logistic(features, label, 0.5, 0) AS model FROM quick;
SQL
$node->safe_psql('older', 'ALTER EXTENSION dpobj UPDATE');
is($node->safe_psql('older', $version), $current, 'the update is made');
like($node->safe_psql('older', q{SELECT proacl FROM pg_proc WHERE oid = 'dp_svm(float8[], anyelement, float8, float8)'::regprocedure}), qr/bob=X\*/, 'who may call an aggregate still may');
is($node->safe_psql('older', q{SELECT has_function_privilege('ana', f, 'EXECUTE'), has_function_privilege('bob', f, 'EXECUTE') FROM (SELECT oid AS f FROM pg_proc WHERE proname = 'report') p ORDER BY f}),
	"f|f\nf|t", 'who could call a function can call the form that takes its name, and nobody the one that it calls');
keeps('older', \%before, 'after the update');
keeps('restored', \%before, 'in a dump of 0.3.0 that this version restored');
for my $database (qw(older restored))
{
	is($node->safe_psql($database, $counted), 't', "$database: the charges are counted");
	$node->safe_psql($database, 'SELECT dpobj.confirm_epoch()');
	my $session = session($node, user => 'ana', database => $database);
	like($session->ask($left), qr/^[1-9][\d.]*\|.*\|\d+$/, "$database: budgets count");
	is($session->ask(qq{SELECT ($first) = (SELECT release FROM dpobj.models WHERE name = 'first')}), 't', "$database: a model is had again for free");
	is($session->ask(q{SELECT value = (SELECT (answer -> 0 ->> 'value')::bigint FROM dpobj.answers WHERE name = 'how many') FROM dpobj.count('visit', 0.125, name => 'how many')}), 't', "$database: so is an answer");
	is($session->ask(q{SELECT (SELECT confidence FROM dpobj.count('visit', 0.125, name => 'how many')), (SELECT answer -> 0 ->> 'confidence' FROM dpobj.answers WHERE name = 'how many'),
	    (SELECT answer -> 0 ->> 'confidence' FROM dpobj.answer((SELECT release FROM dpobj.answers WHERE name = 'how many'))),
	    (SELECT bool_and(confidence = 0.95) FROM dpobj.model_history), (SELECT count(*) FROM dpobj.answers WHERE answer -> 0 ? 'level')}),
		'0.95|0.95|0.95|t|0', "$database: what was its level is its confidence");
	$session->ask(q{SELECT dpobj.histogram('visit', 'sex', 0.125, name => 'sexes now')});
	is($session->ask(q{SELECT count(*) FROM dpobj.drift('sexes', 'sexes now')}), '4', "$database: its histogram is compared with a new one");
	like($session->ask(q{SELECT release FROM dpobj.train('visit', 'ill', 0.25, '{smokes}', name => 'anew')}), qr/^\d+$/, "$database: ana trains");
	like($session->ask(q{CALL dpobj.run_schedule('yearly'); SELECT DISTINCT state FROM dpobj.schedule_runs}), qr/^released$/, "$database: the schedule");
	$session->ask(q{SELECT dpobj.submit('train', 'visit', '{"label": "ill", "epsilon": 0.0625, "features": ["smokes"], "options": {"force": true}}', 'queued')});
	is($session->ask(q{SELECT dpobj.wait(id) FROM dpobj.jobs WHERE name = 'queued'}), 'released', "$database: a job");
	# as 0.3.0 queued them here
	$node->safe_psql($database, <<'SQL');
INSERT INTO dpobj.job_rows (name, role, role_name, relation, relation_name, label, epsilon, delta, method, options, request_hash, call)
  SELECT n.name, 'ana'::regrole, j.role_name, 'visit'::regclass, j.relation_name, n.label, n.epsilon, n.delta, n.method, n.options, j.request_hash, n.call
    FROM dpobj.job_rows j, (VALUES ('old model', 'ill', 0.0625, 0, 'halfspace', '{}'::jsonb, NULL),
                                   ('old look', NULL, NULL, NULL, NULL, '{"epsilon": 0.0625, "by": ["smokes"], "options": {"level": 0.9}}', 'count'),
                                   ('old table', NULL, NULL, NULL, NULL, '{"epsilon": 0.0625, "model": "first"}', 'class_confusion')) n(name, label, epsilon, delta, method, options, call)
   WHERE j.id = 1
SQL
	is($session->ask(q{SELECT string_agg(dpobj.wait(id), ' ') FROM dpobj.jobs WHERE name LIKE 'old %'}), 'released released released', "$database: jobs that 0.3.0 had queued");
	is($session->ask(q{SELECT (SELECT count(*) FROM dpobj.models WHERE name = 'old model'), jsonb_array_length(answer), answer -> 0 ->> 'confidence' FROM dpobj.answers WHERE name = 'old look'}),
		'1|2|0.9', "$database: what they made is kept");
	is($session->ask(q{SELECT string_agg(concat_ws(' ', r ->> 'predicted', r ->> 'label', r ->> 'rows', r ->> 'error', r ->> 'confidence'), ', ' ORDER BY r ->> 'rows')
	    FROM jsonb_array_elements(dpobj_internal.answer_of_0_3('[{"true_positives": 1, "false_positives": 2, "false_negatives": 3, "true_negatives": 4, "error": 5, "level": 0.9}]')) r}),
		'positive positive 1 5 0.9, positive negative 2 5 0.9, negative positive 3 5 0.9, negative negative 4 5 0.9', "$database: an old table of two classes has a row for each number");
	is($session->ask(q{SELECT retired IS NOT NULL FROM dpobj.models WHERE name = 'second'}), 't', "$database: a retired model");
	$session->quit;
}
$ana->quit;
copy_by_dump($node, 'older', 'newer', 'custom');
for my $table (split /\n/, $node->safe_psql('older', $tables))
{
	is(rows('newer', $table), rows('older', $table), "$table, in a dump of the new version");
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

$node->safe_psql('updated', 'DROP EXTENSION dpobj CASCADE');
is($node->safe_psql('updated', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'dpobj'}), '0', 'an updated extension can be dropped');

# ---- objects that others have planted ----

my $captured = slurp_file('tests/captured.sql');
my $called = 'SELECT string_agg(DISTINCT who, $$ $$) FROM common.calls';

# A schema in which mallory has an operator and a function that fit calls better than those of
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
my @script = map { slurp_file($_) } glob "$scripts/dpobj--$current.sql $scripts/dpobj--0.3.0--$current.sql";
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

$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(planted grown);
$node->safe_psql('postgres', 'CREATE ROLE mallory');
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

$node->safe_psql('grown', q{CREATE SCHEMA common; CREATE EXTENSION dpobj VERSION '0.3.0' SCHEMA common});
$node->safe_psql('grown', $plant_all);
(undef, undef, $said) = $node->psql('grown', 'ALTER EXTENSION dpobj UPDATE');
like($said, qr/WARNING:  other roles may create objects in schema common\n/, 'an update in an open schema has a warning');
is($node->safe_psql('grown', "$captured; $called; $version"), "\n$current", 'an update in an open schema calls and uses nothing planted');

# What an update and an installation refuse.
$node->safe_psql('planted', q{CREATE EXTENSION dpobj VERSION '0.3.0'; DROP TABLE common.calls; CREATE TABLE calls AS SELECT ''::text AS who WHERE false;
  ALTER TABLE calls SET SCHEMA common; GRANT INSERT ON common.calls TO PUBLIC});
$node->safe_psql('planted', 'GRANT CREATE ON SCHEMA dpobj TO mallory; SET ROLE mallory; CREATE FUNCTION dpobj.wait(int) RETURNS int LANGUAGE sql AS $$SELECT 1$$');
refuses('planted', 'ALTER EXTENSION dpobj UPDATE', qr/ERROR:  function dpobj\.wait\(integer\) of role "mallory" is in schema dpobj/, 'an update beside a function in schema dpobj');
$node->safe_psql('planted', 'DROP FUNCTION dpobj.wait(int)');
refuses('planted', 'ALTER EXTENSION dpobj UPDATE', qr/ERROR:  other roles may create objects in a schema of dpobj/, 'an update while others may create in schema dpobj');
$node->safe_psql('planted', 'DROP EXTENSION dpobj; CREATE SCHEMA dpobj_internal AUTHORIZATION mallory');
my $taken = qr/ERROR:  schema "dpobj_internal" already exists/;
refuses('planted', 'CREATE EXTENSION dpobj', $taken, 'an installation beside a schema dpobj_internal of mallory');
$node->safe_psql('planted', q{DROP SCHEMA dpobj_internal; CREATE EXTENSION dpobj VERSION '0.3.0'});
$node->safe_psql('planted', 'GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory; CREATE FUNCTION public.dp_score(int) RETURNS int LANGUAGE sql AS $$SELECT 1$$');
my $namesake = qr/ERROR:  function public\.dp_score\(integer\) of role "mallory" has the name of one of dpobj's/;
refuses('planted', 'ALTER EXTENSION dpobj UPDATE', $namesake, q{an update beside a function with a name of dpobj});
$node->safe_psql('planted', 'DROP EXTENSION dpobj');
refuses('planted', 'CREATE EXTENSION dpobj', $namesake, 'an installation beside a function with a name of dpobj');
$node->safe_psql('planted', q{ALTER FUNCTION public.dp_score(int) OWNER TO CURRENT_USER; CREATE EXTENSION dpobj});
is($node->safe_psql('planted', $version), $current, q{a superuser's function with a name of dpobj is accepted});
$node->safe_psql('planted', 'DROP EXTENSION dpobj; CREATE ROLE boss SUPERUSER');
$node->safe_psql('planted', q{SET ROLE boss; CREATE EXTENSION dpobj VERSION '0.3.0'; RESET ROLE; ALTER ROLE boss NOSUPERUSER; ALTER EXTENSION dpobj UPDATE});
is($node->safe_psql('planted', $version), $current, 'an extension of a former superuser is updated');

# ---- pg_upgrade ----

# To the same version, the only one here. The queued job must wait, because the servers that pg_upgrade
# starts would break it off.
my $upgraded = 'newer';
$node->safe_psql('postgres', qq{DROP DATABASE "$_"}) for qw(fresh hardened updated elsewhere planted grown older restored);
$node->append_conf('postgresql.conf', "dpobj.max_jobs = 0");
$node->restart;
$node->safe_psql($upgraded, 'SELECT dpobj.confirm_epoch()');
$ana = session($node, user => 'ana', database => $upgraded);
$ana->ask(q{SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "ill", "epsilon": 0.0625, "method": "halfspace", "options": {"intercept": false, "force": true}}', 'daily', '0 0 1 1 *', 0.1, '1 year')});
is($ana->ask(q{CALL dpobj.run_schedule('daily'); SELECT state, epsilon FROM dpobj.schedule_runs WHERE schedule = 'daily'}), 'released|0.0625', 'a schedule has run before pg_upgrade');
like($ana->ask(q{SELECT dpobj.submit('train', 'visit', '{"label": "ill", "epsilon": 0.0625, "options": {"force": true}}', 'waits')}), qr/^\d+$/, 'a job is queued before pg_upgrade');
my $left_before = $ana->ask($left);
$ana->quit;
%before = map { $_ => rows($upgraded, $_) } split /\n/, $node->safe_psql($upgraded, $tables);
$node->stop;
$node->append_conf('postgresql.conf', 'dpobj.max_jobs = 2');

my $new = PostgreSQL::Test::Cluster->new('upgraded');
$new->{dpobj_destination} = $node->{dpobj_destination};
$new->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
system_or_bail('cp', $node->data_dir . '/postgresql.conf', $new->data_dir . '/postgresql.conf');
$new->append_conf('postgresql.conf', 'port = ' . $new->port);
my $programs = programs_of($node);
chdir PostgreSQL::Test::Utils::tempdir() or die;
command_ok([ 'pg_upgrade', '-b', $programs, '-B', $programs, '-d', $node->data_dir, '-D', $new->data_dir, '-p', $node->port,
		'-P', $new->port, '-s', $node->host ], 'pg_upgrade');
$node = $new;
$node->start;

is(rows($upgraded, $_), $before{$_}, "$_, after pg_upgrade") for grep { !/job_rows$/ } sort keys %before;
is($node->safe_psql($upgraded, q{SELECT name, state, reason FROM dpobj.jobs WHERE name = 'waits'}),
	'waits|failed|the job was submitted before the database was restored', 'the queued job has failed');
is($node->safe_psql($upgraded, $privileges), 'f|t|f', 'privileges, after pg_upgrade');
$ana = session($node, user => 'ana', database => $upgraded);
is($ana->ask(q{SELECT bool_and(dpobj.verify(model)), string_agg(name, ',' ORDER BY name) ~ 'first.*second.*yearly' FROM dpobj.models}), 't|t', 'models verify after pg_upgrade');
is($ana->ask($left), $left_before, 'budgets are the same after pg_upgrade');
like($ana->ask(q{SELECT dpobj.train('visit', 'ill', 0.0625, options => '{"force": true}')}), qr/^ERROR:  55000: .*restored/, 'a release is refused before dpobj.confirm_epoch');
is($ana->ask(q{CALL dpobj.run_schedule('daily'); SELECT state, epsilon FROM dpobj.schedule_runs WHERE schedule = 'daily'}), 'released|0.0625', 'a run that was charged is not run again');
$node->safe_psql($upgraded, 'SELECT dpobj.confirm_epoch()');
like($ana->ask(q{SELECT release FROM dpobj.train('visit', 'ill', 0.0625, options => '{"force": true}')}), qr/^\d+$/, 'a release after dpobj.confirm_epoch');
$ana->ask(q{SELECT dpobj.submit('train', 'visit', '{"label": "ill", "epsilon": 0.0625, "options": {"force": true}}', 'again')});
is($ana->ask(q{SELECT dpobj.wait(id) FROM dpobj.jobs WHERE name = 'again'}), 'released', 'a job runs after pg_upgrade');
$ana->quit;

finish($node);
