# 020_hostile_owner.pl - attacks by an owner with the aggregates on his own table: no row enters
# twice, nothing is free, and no budget is evaded.

use DpobjTest;
use DpobjHostile;

my $node = dpobj_cluster('owner', 'fsync = off', 'jit = off', 'max_connections = 40', 'dpobj.release_tick = 10');
my $hostile = DpobjHostile->new($node);

# The tables of owner have caps: those of ward and parts are large, that of tight is nearly used up.
login_roles($node, qw(owner trusted noah));
$node->safe_psql('postgres', <<'SQL');
SELECT dpobj.grant_trainer('owner'), dpobj.grant_trainer('trusted');
CREATE SCHEMA own AUTHORIZATION owner;
CREATE TABLE own.ward (id int PRIMARY KEY, features float8[], y boolean, eps float8, note text);
INSERT INTO own.ward SELECT i, ARRAY[i % 2, i % 3 - 1], i % 2 = 0, 0.5, CASE i WHEN 47 THEN 'SECRET-471147114711' END
  FROM generate_series(1, 60) i;
CREATE TABLE own.tight AS TABLE own.ward;
CREATE TABLE own.parts (LIKE own.ward) PARTITION BY LIST (y);
CREATE TABLE own.parts_yes PARTITION OF own.parts FOR VALUES IN (true);
CREATE TABLE own.parts_no PARTITION OF own.parts DEFAULT;
INSERT INTO own.parts TABLE own.ward;
ALTER TABLE own.ward OWNER TO owner;
ALTER TABLE own.tight OWNER TO owner;
ALTER TABLE own.parts OWNER TO owner;
ALTER TABLE own.parts_yes OWNER TO owner;
ALTER TABLE own.parts_no OWNER TO owner;
GRANT USAGE ON SCHEMA own TO PUBLIC;
GRANT SELECT ON own.ward TO trusted;
ALTER ROLE owner SET search_path = own, public;
SELECT dpobj.set_budget('own.ward', NULL, 100, 0), dpobj.set_budget('own.parts', NULL, 100, 0),
       dpobj.set_budget('own.tight', NULL, 0.4, 0);
SQL

my $call = 'dp_halfspace(features, y, 0.5, 0)';
my $train = "SELECT ($call).release FROM ward";
my $is_refused = sub { return map { [ $_, 'owner', 'UB003', $_ ] } @_ };

# ---- shapes in which a row could count twice, or a count could be seen ----

$hostile->try_all(
	'shapes',
	$is_refused->(
		"SELECT $call FROM ward GROUP BY y",
		"SELECT $call FROM ward GROUP BY GROUPING SETS ((), (y))",
		"SELECT $call FROM ward GROUP BY ROLLUP (id)",
		"SELECT $call FROM ward HAVING count(*) > 30",
		'SELECT dp_halfspace(DISTINCT features, y, 0.5, 0) FROM ward',
		'SELECT dp_halfspace(features, y, 0.5, 0 ORDER BY id) FROM ward',
		"SELECT dp_halfspace(a.features, a.y, 0.5, 0) FROM ward a, ward b",
		"SELECT dp_halfspace(a.features, a.y, 0.5, 0) FROM ward a JOIN ward b USING (y)",
		"SELECT dp_halfspace(a.features, a.y, 0.5, 0) FROM ward a, generate_series(1, 9)",
		"SELECT $call FROM (TABLE ward UNION ALL TABLE ward) u",
		"SELECT $call FROM (TABLE ward UNION TABLE tight) u",
		"SELECT $call FROM (TABLE ward EXCEPT TABLE tight) u",
		"SELECT $call FROM (SELECT * FROM ward LIMIT 1) u",
		"SELECT $call FROM (SELECT DISTINCT * FROM ward) u",
		"SELECT $call FROM (SELECT DISTINCT ON (y) * FROM ward ORDER BY y, id DESC) u",
		"SELECT $call FROM ward TABLESAMPLE BERNOULLI (50)",
		"SELECT $call FROM (VALUES (ARRAY[1.0::float8], true)) v(features, y)",
		"SELECT $call FROM (SELECT features, y, row_number() OVER () AS r FROM ward) u WHERE r < 30",
		"WITH u AS MATERIALIZED (TABLE ward) SELECT $call FROM u",
		"SELECT $call FROM (SELECT features, y, generate_series(1, 2) FROM ward) u",
		"SELECT $call FROM ward WHERE id IN (SELECT id FROM tight)",
		"SELECT $call FROM pg_class, ward",
		"EXPLAIN ANALYZE SELECT $call FROM ward WHERE id > 46",
		"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT $call FROM ward"),
	[ 'a window', 'owner', '0A000', "SELECT $call OVER () FROM ward" ],
	[ 'a growing window', 'owner', '0A000', "SELECT $call OVER (ORDER BY id) FROM ward" ],
	[ 'a function in FROM', 'owner', 'UB003',
		'CREATE FUNCTION pg_temp.f() RETURNS SETOF ward LANGUAGE plpgsql AS $$BEGIN RETURN QUERY TABLE ward; END$$',
		"SELECT $call FROM pg_temp.f()" ],
	[ 'epsilon from a row', 'owner', '22023', 'SELECT dp_halfspace(features, y, eps, eps) FROM ward' ],
	[ 'epsilon from a query', 'owner', '22023', 'SELECT dp_halfspace(features, y, (SELECT max(eps) FROM ward), 0) FROM ward' ],
	[ 'epsilon from a draw', 'owner', '22023', 'SELECT dp_halfspace(features, y, random(), 0::float8) FROM ward' ],
	[ 'options from a row', 'owner', '22023', 'SELECT dp_halfspace(features, y, 0.5, 0, to_jsonb(note)) FROM ward' ],
	[ 'named arguments', 'owner', '0A000', 'SELECT dp_halfspace(features, y, epsilon => 0.5, delta => 0) FROM ward' ]);

# ---- internal functions in other aggregates ----

$hostile->try_all(
	'spoofs',
	(
		map { [ $_, 'owner', '42501', $_ ] } (
			'CREATE AGGREGATE own.evil(float8[], boolean, float8, float8) (SFUNC = dpobj_internal.train_accumulate, STYPE = dp_rows)',
			'CREATE AGGREGATE own.evil(dp_rows) (SFUNC = dpobj_internal.rows_combine, STYPE = dp_rows, FINALFUNC = dpobj_internal.train_final)',
			'SELECT dpobj_internal.train_final(NULL)',
			'SELECT dpobj_internal.rows_combine(NULL, NULL)',
			'SELECT dpobj_internal.train_accumulate(NULL, features, y, 0.5, 0) FROM ward',
			'CREATE FUNCTION own.x(dp_rows) RETURNS int LANGUAGE sql AS $$SELECT 1$$',
			'ALTER AGGREGATE public.dp_halfspace(float8[], anyelement, float8, float8) OWNER TO owner',
			q{SELECT dpobj.grant_trainer('noah')},
			q{SELECT dpobj.set_budget('tight', NULL, 1000, 0)},
			q{SELECT dpobj.drop_budget('tight', NULL)},
			q{SELECT dpobj.protect('tight', '{"y": {}}')})),
	[ 'an aggregate of the same name charges nothing and knows nothing', 'owner', 0, <<'SQL',
CREATE FUNCTION own.fake(bigint, float8[], boolean, float8, float8) RETURNS bigint LANGUAGE sql AS 'SELECT coalesce($1, 0) + 1';
CREATE AGGREGATE own.dp_halfspace(float8[], boolean, float8, float8) (SFUNC = own.fake, STYPE = bigint);
SQL
		"SELECT own.$call FROM ward", 'DROP AGGREGATE own.dp_halfspace(float8[], boolean, float8, float8)' ],
	[ 'EXECUTE is not passed on', 'owner', 0,
		'GRANT EXECUTE ON FUNCTION public.dp_halfspace(float8[], anyelement, float8, float8) TO noah' ],
	[ 'without EXECUTE', 'noah', '42501', 'SELECT public.dp_halfspace(NULL::float8[], true, 0.5, 0)' ],
	[ 'without SELECT', 'trusted', '42501', "SELECT $call FROM own.tight" ],
	[ 'with both', 'trusted', 1, "SELECT ($call).release FROM own.ward" ],);

# ---- ways to call it: each release is charged ----

$hostile->try_all('set-up', [ 'functions', 'owner', 0, <<"SQL" ]);
CREATE FUNCTION own.once() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = own, public AS '$train';
CREATE FUNCTION own.fires() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM own.once(); RETURN NEW; END';
CREATE VIEW own.window_of AS SELECT * FROM ward WHERE id > 10;
CREATE FUNCTION own.named() RETURNS float8 LANGUAGE sql SECURITY DEFINER SET search_path = own, public
  AS 'SELECT dp_accuracy(''mine'', features, y, 0.5) FROM ward';
CREATE TABLE own.kept (release bigint);
SQL
$hostile->try_all(
	'calls',
	[ 'a statement', 'owner', 1, $train ],
	[ 'the same call twice in one statement', 'owner', 1, "SELECT ($call).release, ($call).weights IS NULL FROM ward" ],
	[ 'two calls', 'owner', { epsilon => 1.25, charged => 2, released => 2 },
		"SELECT ($call).release, (dp_halfspace(features, y, 0.75, 0)).release FROM ward" ],
	[ 'a WITH that is read twice', 'owner', 2, "WITH m AS NOT MATERIALIZED ($train) SELECT * FROM m a, m b" ],
	[ 'a WITH that is kept', 'owner', 1, "WITH m AS MATERIALIZED ($train) SELECT * FROM m a, m b" ],
	[ 'an answer that nobody reads', 'owner', 0, "SELECT count(*) FROM (SELECT $call FROM ward) m" ],
	[ 'a filter', 'owner', 1, "$train WHERE id > 30" ],
	[ 'a filter that nothing passes', 'owner', 1,
		q{SELECT (dp_halfspace(features, y, 0.5, 0, '{"dimension": 2}')).release FROM ward WHERE id < 0} ],
	[ 'FILTER', 'owner', 1, "SELECT ($call FILTER (WHERE id > 30)).release FROM ward" ],
	[ 'a view', 'owner', 1, "SELECT ($call).release FROM window_of" ],
	[ 'a partitioned table', 'owner', 1, "SELECT ($call).release FROM parts" ],
	[ 'EXPLAIN', 'owner', 0, "EXPLAIN (VERBOSE, SETTINGS) $train" ],
	[ 'ROLLBACK', 'owner', 1, 'BEGIN', $train, 'ROLLBACK' ],
	[ 'ROLLBACK TO and again', 'owner', 2, 'BEGIN', 'SAVEPOINT s', $train, 'ROLLBACK TO s', $train, 'COMMIT' ],
	[ 'two-phase commit', 'owner', 1, 'BEGIN', $train, "PREPARE TRANSACTION 'x'", "ROLLBACK PREPARED 'x'" ],
	[ 'a table made in the same transaction', 'owner', 1, 'BEGIN', 'CREATE TABLE own.new AS TABLE ward',
		"SELECT ($call).release FROM own.new", 'ROLLBACK' ],
	[ 'COPY', 'owner', 1, "COPY ($train) TO STDOUT" ],
	[ 'INSERT', 'owner', 1, "INSERT INTO kept $train" ],
	[ 'INSERT that fails', 'owner', { error => '22P02', epsilon => 0.5, charged => 1, released => 1 },
		"INSERT INTO kept SELECT (r || 'x')::bigint FROM ($train OFFSET 0) t(r)" ],
	[ 'CREATE TABLE AS', 'owner', 1, "CREATE TEMP TABLE x AS $train" ],
	[ 'a materialized view, refreshed', 'owner', 2, "CREATE MATERIALIZED VIEW own.v AS $train",
		'REFRESH MATERIALIZED VIEW own.v', 'DROP MATERIALIZED VIEW own.v' ],
	[ 'a prepared statement, twice', 'owner', 2,
		'PREPARE x(numeric) AS SELECT (dp_halfspace(features, y, $1, 0)).release FROM ward', 'EXECUTE x(0.5)', 'EXECUTE x(0.5)' ],
	[ 'a generic plan', 'owner', 1, 'SET plan_cache_mode = force_generic_plan',
		'PREPARE x(numeric) AS SELECT (dp_halfspace(features, y, $1, 0)).release FROM ward', 'EXECUTE x(0.5)' ],
	[ 'a cursor, back and forth', 'owner', 1, 'BEGIN', "DECLARE c SCROLL CURSOR FOR $train", 'FETCH c', 'FETCH PRIOR c',
		'FETCH ABSOLUTE 1 c', 'COMMIT' ],
	[ 'a cursor held over commit', 'owner', 1, 'BEGIN', "DECLARE c CURSOR WITH HOLD FOR $train", 'COMMIT', 'FETCH c' ],
	[ 'DO that fails and catches', 'owner', 2,
		"DO \$\$ BEGIN BEGIN PERFORM 1 / (own.once() * 0); EXCEPTION WHEN OTHERS THEN NULL; END; PERFORM own.once(); END \$\$" ],
	[ 'a loop', 'owner', 3, 'DO $$ BEGIN FOR i IN 1..3 LOOP PERFORM own.once(); END LOOP; END $$' ],
	[ 'a trigger', 'owner', 1, 'CREATE TRIGGER t BEFORE INSERT ON kept FOR EACH ROW EXECUTE FUNCTION own.fires()',
		'INSERT INTO kept VALUES (1)', 'DROP TRIGGER t ON kept' ],
	[ 'a function of the owner, called by somebody else', 'noah', 1, 'SELECT own.once()' ],
	[ 'in each row of somebody else', 'noah', 2, 'SELECT own.once() FROM generate_series(1, 2)' ],
	[ 'read only', 'owner', '25006', 'BEGIN READ ONLY', $train ],
	[ 'hostile names first in the path', 'owner', 1, <<'SQL', $train ],
CREATE FUNCTION own.spy(text, text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED'; RETURN true; END$$;
CREATE FUNCTION own.spy(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED'; RETURN true; END$$;
CREATE OPERATOR own.= (LEFTARG = text, RIGHTARG = text, FUNCTION = own.spy);
CREATE OPERATOR own.<= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = own.spy);
CREATE TEMP TABLE budget_rows (id bigint, relation bigint, role bigint);
SET search_path = own, pg_catalog, public;
SQL
	[ 'settings', 'owner', 1, 'SET exit_on_error = on; SET debug_print_plan = on; SET synchronous_commit = off', $train ],
	[ 'an isolation level', 'owner', 1, 'BEGIN ISOLATION LEVEL SERIALIZABLE', $train, 'COMMIT' ],);

# ---- evaluations: the same rules, and the model must not depend on the rows ----

my $hand = q{ROW('halfspace', 'x', '{1,0}', 1, 0, 'replace', 'exact', 1, '{}')::dp_model};
my $rate = "SELECT dp_accuracy($hand, features, y, 0.5) IS NULL FROM ward";
my $other = $hand =~ s/\{1,0\}/{0,1}/r;
$hostile->try_all('set-up', [ 'a model that is kept', 'owner', 1, "CREATE TABLE own.models AS SELECT 1 AS id, $call AS m FROM ward" ]);
$hostile->try_all(
	'ratings',
	[ 'an accuracy', 'owner', 1, $rate ],
	[ 'a confusion table, all attributes', 'owner', 1, "SELECT (dp_confusion($hand, features, y, 0.5)).* FROM ward" ],
	[ 'the same, of a model from a sub-select', 'owner', 1,
		'SELECT (dp_confusion((SELECT m FROM models), features, y, 0.5)).* FROM ward' ],
	[ 'a choice', 'owner', 1, "SELECT dp_select(ARRAY[$hand, $other], features, y, 0.5) FROM ward" ],
	[ 'a choice among many', 'owner', 1, "SELECT dp_select(array_fill($hand, ARRAY[256]), features, y, 0.5) FROM ward" ],
	[ 'trained and rated at once', 'owner', 2, "SELECT dp_accuracy((SELECT $call FROM ward WHERE id > 30), features, y, 0.5) IS NULL FROM ward WHERE id <= 30" ],
	[ 'one row', 'owner', 1, "$rate WHERE id = 47" ],
	[ 'no row', 'owner', 1, "$rate WHERE id < 0" ],
	[ 'a partitioned table', 'owner', 1, $rate =~ s/ward/parts/r ],
	[ 'ROLLBACK', 'owner', 1, 'BEGIN', $rate, 'ROLLBACK' ],
	[ 'a cursor, back and forth', 'owner', 1, 'BEGIN', "DECLARE c SCROLL CURSOR FOR $rate", 'FETCH c', 'FETCH PRIOR c',
		'FETCH ABSOLUTE 1 c', 'COMMIT' ],
	[ 'a loop', 'owner', 3, "DO \$\$ BEGIN FOR i IN 1..3 LOOP PERFORM ($rate); END LOOP; END \$\$" ],
	[ 'a parallel plan', 'owner', 1, 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0', $rate ],
	[ 'read only', 'owner', '25006', 'BEGIN READ ONLY', $rate ],
	[ 'EXPLAIN', 'owner', 0, "EXPLAIN (VERBOSE) $rate" ],
	[ 'a budget that is spent', 'owner', 'UB001', $rate =~ s/ward/tight/r ],
	[ 'without EXECUTE', 'noah', '42501', "SELECT public.dp_accuracy($hand, NULL::float8[], true, 0.5)" ],
	[ 'without SELECT', 'trusted', '42501', $rate =~ s/FROM ward/FROM own.tight/r ],
	[ 'a name in a function of somebody else', 'noah', 'UB003', 'SELECT own.named()' ],
	[ 'hostile names first in the path', 'owner', '42704', 'CREATE TEMP TABLE model_rows (name text)',
		'SET search_path = own, pg_catalog, public', "SELECT dp_accuracy('mine', features, y, 0.5) FROM ward" ],
	$is_refused->(
		"$rate GROUP BY y",
		"$rate HAVING count(*) > 30",
		"SELECT dp_accuracy($hand, a.features, a.y, 0.5) FROM ward a, ward b",
		"SELECT dp_accuracy(DISTINCT $hand, features, y, 0.5) FROM ward",
		"SELECT dp_accuracy($hand, features, y, 0.5 ORDER BY id) FROM ward",
		"SELECT dp_accuracy($hand, features, y, 0.5), count(*) FROM ward",
		"SELECT dp_select(ARRAY[$hand, $other], features, y, 0.5) FROM (SELECT * FROM ward LIMIT 1) u",
		"SELECT dp_accuracy($hand, features, y, 0.5) FROM ward WHERE id IN (SELECT id FROM tight)",
		"EXPLAIN ANALYZE $rate",
		'SELECT dp_accuracy((SELECT m FROM models WHERE EXISTS (SELECT FROM ward w WHERE w.id = 47)), features, y, 0.5) FROM ward',
		"SELECT dp_accuracy((SELECT ROW('halfspace', max(note), '{1,0}', 1, 0, 'replace', 'exact', 1, '{}')::dp_model FROM ward), features, y, 0.5) FROM ward",
		'SELECT dp_accuracy((SELECT m FROM models, parts_yes LIMIT 1), features, y, 0.5) FROM parts',
		'WITH w AS MATERIALIZED (SELECT count(*) AS n FROM ward) SELECT dp_accuracy((SELECT m FROM models, w WHERE n > 3), features, y, 0.5) FROM ward'),
	[ 'a window', 'owner', '0A000', "SELECT dp_accuracy($hand, features, y, 0.5) OVER () FROM ward" ],
	(
		map { [ $_, 'owner', '22023', "SELECT $_ FROM ward" ] } (
			'dp_accuracy((SELECT m FROM models WHERE id = length(note)), features, y, 0.5)',
			"dp_accuracy($hand, features, y, eps)",
			"dp_accuracy($hand, features, y, random())",
			"dp_accuracy($hand, ARRAY[features[1], 0, 0], y, 0.5)",
			"dp_accuracy(NULL::dp_model, features, y, 0.5)",
			"dp_select(ARRAY[$hand], features, y, 0.5)",
			"dp_select(array_fill($hand, ARRAY[257]), features, y, 0.5)",
			"dp_accuracy(ROW('halfspace', note, '{1,0}', 1, 0, 'replace', 'exact', 1, '{}')::dp_model, features, y, 0.5)")),
	(
		map { [ $_, 'owner', '42501', $_ ] } (
			'CREATE AGGREGATE own.evil(dp_model, float8[], boolean, float8) (SFUNC = dpobj_internal.evaluation_accumulate, STYPE = bytea)',
			'CREATE AGGREGATE own.evil(bytea) (SFUNC = dpobj_internal.counts_combine, STYPE = bytea)',
			'SELECT dpobj_internal.confusion_final(NULL)',
			"SELECT dpobj_internal.evaluation_accumulate(NULL, $hand, features, y, 0.5) FROM ward")),);

# ---- a budget that is used up ----

my $tight = $train =~ s/ward/tight/r;
$hostile->try_all(
	'a budget that is spent',
	[ 'a statement', 'owner', 'UB001', $tight ],
	[ 'in a function', 'owner', 'UB001', "DO \$\$ BEGIN PERFORM ($tight); END \$\$" ],
	[ 'after a rename', 'owner', 'UB001', 'BEGIN', 'ALTER TABLE tight RENAME TO loose', $tight =~ s/tight/loose/r ],
	[ 'through a view', 'owner', 'UB001', 'CREATE TEMP VIEW v AS TABLE tight', $tight =~ s/tight/v/r ],
	[ 'as a child of another table', 'owner', 'UB001', 'BEGIN', 'CREATE TABLE own.above (LIKE tight)',
		'ALTER TABLE tight INHERIT above', $tight ],
	[ 'dropped and made again', 'owner', 'UB001', 'CREATE TABLE own.again AS TABLE tight; DROP TABLE tight; ALTER TABLE again RENAME TO tight',
		$tight ],
	[ 'dropped in an open transaction', 'owner', 'UB001', 'BEGIN', 'CREATE TABLE own.again AS TABLE tight', 'DROP TABLE tight',
		'ALTER TABLE again RENAME TO tight', $tight ],);

$hostile->try_all('setting the budget by hand',
	map { [ $_, 'owner', '42501', $_ ] } 'UPDATE dpobj.budget_rows SET epsilon_nano = 1', 'DELETE FROM dpobj.ledger_events',
	'INSERT INTO dpobj.identities DEFAULT VALUES', 'TRUNCATE dpobj.lineage', 'SET ROLE dpobj_admin');

cmp_ok($hostile->count, '>=', 80, $hostile->count . ' cases were tried');
finish($node);
