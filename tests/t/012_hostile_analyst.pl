# 012_hostile_analyst.pl - attacks by an analyst without any privilege: every statement is refused
# or charged, none is free, and none shows a row.

use DpobjTest;
use DpobjHostile;

my $node = dpobj_cluster('analyst', 'dpobj.release_tick = 10', 'fsync = off', 'jit = off', 'max_connections = 40',
	"shared_preload_libraries = 'dpobj, pg_stat_statements'");
my $hostile = DpobjHostile->new($node);

# ana has a budget; noah has none; poor has less than one release costs; col may read one column.
login_roles($node, qw(ana noah poor col mallory));
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_stat_statements;
CREATE ROLE team;
GRANT team TO mallory;
GRANT SELECT (id) ON visit TO col;
GRANT CREATE ON SCHEMA public TO mallory;
SELECT dpobj.set_budget('visit', 'ana', 1000, 0), dpobj.set_budget('visit', 'poor', 0.4, 0),
       dpobj.set_budget('visit', 'col', 1000, 0);
CREATE VIEW visit_view AS SELECT * FROM visit;
CREATE MATERIALIZED VIEW visit_copy AS SELECT * FROM visit;
CREATE UNLOGGED TABLE visit_unlogged AS SELECT * FROM visit;
CREATE TABLE visit_rls AS SELECT * FROM visit;
CREATE SCHEMA ana AUTHORIZATION ana;
CREATE SCHEMA mallory AUTHORIZATION mallory;
GRANT USAGE ON SCHEMA mallory TO PUBLIC;
CREATE FUNCTION mallory.pick() RETURNS text LANGUAGE sql SECURITY DEFINER
  AS $$SELECT dpobj.select('{mine,second}', 'public.visit', 0.5)$$;
ALTER FUNCTION mallory.pick() OWNER TO mallory;
CREATE FUNCTION mallory.queue() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS $$SELECT dpobj.submit('train', 'public.visit', '{"label": "y", "epsilon": 0.5, "features": ["a"]}', 'stolen')$$;
CREATE FUNCTION mallory.stop(job bigint) RETURNS boolean LANGUAGE sql SECURITY DEFINER
  AS $$SELECT dpobj.cancel(job)$$;
ALTER FUNCTION mallory.queue() OWNER TO mallory;
ALTER FUNCTION mallory.stop(bigint) OWNER TO mallory;
SQL
$node->psql('postgres', "SELECT dpobj.set_budget('$_', 'ana', 1000, 0)") for qw(visit_view visit_copy visit_unlogged visit_rls);
scalar_of($node, q{SELECT dpobj.protect('visit_rls', '{"a": {"scale": 60}, "y": {}}')});
scalar_of($node, 'ALTER TABLE visit_rls ENABLE ROW LEVEL SECURITY');

my $call = q{dpobj.train('visit', 'y', 0.5, '{a,t}')};
my $train = "SELECT ($call).release";

# ---- the table itself ----

$hostile->try_all(
	'the table',
	map { [ $_, 'ana', '42501', $_ ] } (
		'TABLE visit',
		'SELECT count(*) FROM visit',
		'SELECT FROM visit WHERE a / (a - 47) > 0',
		'SELECT 1 FROM visit LIMIT 0',
		'SELECT * FROM visit FOR UPDATE',
		'SELECT ctid, xmin FROM visit',
		'SELECT visit FROM visit',
		'EXPLAIN SELECT * FROM visit WHERE t = NULL',
		'EXPLAIN ANALYZE SELECT * FROM visit WHERE a > 50',
		'COPY visit TO STDOUT',
		'COPY visit (t) TO STDOUT',
		'COPY (SELECT * FROM visit) TO STDOUT',
		"COPY visit TO PROGRAM 'cat >&2'",
		"COPY visit TO '/tmp/visit'",
		"CREATE TEMP TABLE x (t text); COPY x FROM PROGRAM 'id'",
		'INSERT INTO visit (id) VALUES (47) ON CONFLICT (id) DO UPDATE SET a = 0 RETURNING *',
		'UPDATE visit SET a = a RETURNING *',
		'DELETE FROM visit WHERE a > 100',
		'MERGE INTO visit USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE',
		'TRUNCATE visit',
		'BEGIN; LOCK TABLE visit IN ACCESS SHARE MODE',
		'SELECT * FROM visit TABLESAMPLE SYSTEM (1)',
		'CREATE TEMP TABLE x AS SELECT * FROM visit',
		'SELECT * INTO TEMP x FROM visit',
		'CREATE TEMP TABLE x (LIKE visit)',
		'CREATE TEMP TABLE x () INHERITS (visit)',
		'CREATE TABLE ana.x (id int REFERENCES visit)',
		'CREATE INDEX ON visit (t)',
		'CREATE STATISTICS ana.s ON a, t FROM visit',
		'CREATE TRIGGER x BEFORE INSERT ON visit EXECUTE FUNCTION suppress_redundant_updates_trigger()',
		'CREATE RULE x AS ON INSERT TO visit DO ALSO NOTHING',
		'CREATE POLICY x ON visit',
		'CREATE PUBLICATION x FOR TABLE visit',
		"COMMENT ON TABLE visit IS ''",
		'ALTER TABLE visit ENABLE ROW LEVEL SECURITY',
		'ALTER TABLE visit OWNER TO ana',
		'REINDEX TABLE visit',
		'CLUSTER visit USING visit_a',
		'GRANT SELECT ON visit TO ana, PUBLIC',
		'CREATE TEMP VIEW x AS SELECT * FROM visit; TABLE x',
		'PREPARE x AS SELECT * FROM visit; EXECUTE x',
		'BEGIN; DECLARE x CURSOR WITH HOLD FOR SELECT * FROM visit',
		q{DO $$ BEGIN PERFORM * FROM visit; END $$},
		q{CREATE FUNCTION pg_temp.x() RETURNS SETOF visit LANGUAGE sql AS 'TABLE visit'; SELECT pg_temp.x()},
		q{SELECT table_to_xml('visit', true, false, '')},
		q{SELECT query_to_xml('TABLE visit', true, false, '')},
		q{SELECT * FROM ts_stat('SELECT to_tsvector(t) FROM visit')},
		q{SELECT currtid2('visit', '(0,1)')},
		q{SELECT pg_read_binary_file(pg_relation_filepath('visit'))},
		q{SELECT lo_import('base')},
		q{SELECT nextval('dpobj.ledger_events_id_seq')},
		'TABLE pg_statistic',
		'SELECT stxdmcv FROM pg_statistic_ext_data',
		q{SELECT pg_create_logical_replication_slot('x', 'test_decoding')},
		'SELECT * FROM pg_stat_reset()',
		q{SELECT dpobj.features('{"a": {"scale": 60}}', v) FROM visit v},
		q{SELECT dp_halfspace(ARRAY[a]::float8[], y, 0.5, 0) FROM visit},));
$hostile->try_all(
	'one column is granted',
	[ 'the others', 'col', '42501', 'SELECT t FROM visit WHERE id = 47' ],
	[ 'a whole row', 'col', '42501', 'SELECT visit FROM visit WHERE id = 47' ],
	[ 'COPY', 'col', '42501', 'COPY visit TO STDOUT' ],
	[ 'a filter on another', 'col', '42501', 'SELECT id FROM visit WHERE a > 100' ],
	[ 'RETURNING', 'col', '42501', 'UPDATE visit SET id = id RETURNING t' ],
	[ 'a cheap function sees none', 'col', '42501', <<'SQL', 'SELECT id FROM visit v WHERE pg_temp.leak(v)' ],
CREATE FUNCTION pg_temp.leak(anyelement) RETURNS boolean COST 0.0001 LANGUAGE plpgsql
AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END'
SQL
	[ 'train needs a budget, not a column', 'col', 1, $train ]);
$hostile->try_all(
	'an error that is caught tells nothing',
	[ 'DO', 'ana', 0, q{DO $$ BEGIN PERFORM * FROM visit; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END $$} ]);

# ---- statistics ----

$hostile->try_all(
	'what everybody may look at',
	map { [ $_, 'ana', 1, 'BEGIN', $train, "SELECT * FROM $_" ] } (
		'pg_stats', 'pg_stats_ext', 'pg_stats_ext_exprs', 'pg_stat_user_tables', 'pg_stat_user_indexes',
		'pg_statio_user_tables', 'pg_stat_xact_user_tables', 'pg_stat_activity', 'pg_locks',
		'pg_prepared_xacts', 'pg_prepared_statements', 'pg_stat_statements', 'pg_stat_progress_copy',
		'pg_replication_slots', "pg_class WHERE relname = 'visit'", 'information_schema.columns',
		'dpobj.ledger', 'dpobj.budgets', 'dpobj.odometer', 'dpobj.models', 'dpobj.answers', 'dpobj.evaluations', 'dpobj.model_history', 'dpobj.drifts', 'dpobj.model_list', 'dpobj.scorecards', 'dpobj.jobs', 'dpobj.progress', 'dpobj.schedules', 'dpobj.schedule_runs', 'dpobj.protected',
		"dpobj.protected_features('visit')"));

# ---- the tables, functions and names of dpobj ----

my @ours = qw(ledger_events charge_counts charge_kinds budget_rows budget_state budget_sums families identities identity_tables identity_roles lineage
  protections model_rows model_shares model_readers job_rows schedule_rows schedule_run_rows schedule_owners schedule_charges kept_histograms);
$hostile->try_all('a table of dpobj', map { [ "dpobj.$_", 'ana', '42501', "TABLE dpobj.$_" ] } @ours);
$hostile->try_all(
	'objects of dpobj',
	map { [ $_, 'ana', '42501', $_ ] } (
		'CREATE TABLE ana.x () INHERITS (dpobj.ledger_events)',
		'CREATE TABLE ana.x (id bigint REFERENCES dpobj.ledger_events)',
		'CREATE TABLE dpobj.x ()',
		'CREATE PUBLICATION x FOR TABLE dpobj.ledger_events',
		'CREATE PUBLICATION x FOR ALL TABLES',
		'CREATE INDEX ON dpobj.ledger_events (id)',
		'ALTER TABLE dpobj.budget_rows DISABLE TRIGGER ALL',
		'INSERT INTO dpobj.model_rows (release, owner) VALUES (1, 1)',
		"INSERT INTO dpobj.model_shares SELECT 1, 1, dpobj_internal.origin(), 'ana'::regrole, 'ana'",
		'DELETE FROM dpobj.model_shares',
		'UPDATE dpobj.protections SET adjacency = NULL',
		"UPDATE dpobj.job_rows SET state = 'queued'",
		q{SELECT nextval('dpobj.job_rows_id_seq')},
		'UPDATE dpobj.schedule_rows SET epsilon = 0.0001',
		'DELETE FROM dpobj.schedule_run_rows',
		q{SELECT dpobj.unschedule('yearly', 'poor')},
		'BEGIN; LOCK TABLE dpobj.budget_rows',
		"COMMENT ON VIEW dpobj.ledger IS ''",
		'REINDEX TABLE dpobj.ledger_events',
		'DROP TABLE dpobj.ledger_events',
		'DROP EXTENSION dpobj',
		"ALTER EXTENSION dpobj UPDATE TO '0.3.0'",
		'ALTER EXTENSION dpobj DROP VIEW dpobj.ledger',
		'ALTER EXTENSION dpobj ADD SCHEMA ana',
		'ALTER SCHEMA dpobj RENAME TO x',
		'DROP OWNED BY pg_database_owner',
		q{CREATE OR REPLACE FUNCTION dpobj.verify(model dp_model) RETURNS boolean LANGUAGE sql AS 'SELECT true'},
		'CREATE FUNCTION dpobj.x() RETURNS int LANGUAGE sql AS $$SELECT 1$$',
		'ALTER FUNCTION dpobj.verify(dp_model) SECURITY INVOKER',
		q{CREATE FUNCTION ana.train() RETURNS dp_model LANGUAGE c AS '$libdir/dpobj', 'dpobj_train'},
		'ALTER TYPE dp_model ADD ATTRIBUTE x int',
		'CREATE TABLE ana.x (state dp_rows)',
		q{SELECT dpobj.set_budget('visit', 'ana', 1e6, 0)},
		q{SELECT dpobj.drop_budget('visit', 'ana')},
		q{SELECT dpobj.protect('visit', '{"note": {"levels": []}}')},
		'SELECT dpobj.confirm_epoch()',
		q{SELECT dpobj.grant_trainer('ana')},
		q{SELECT dpobj_internal.budget_exceeded('{1}', '{1}', NULL)},
		q{SELECT dpobj.raise_budget('visit', 'ana', 1, 0, 'I ask for it')},
		q{SELECT dpobj_internal.budgets_applying('visit', 'poor')},
		'SELECT dpobj_internal.train_final(NULL)',
		q{SELECT dpobj.remaining('visit', 'poor')},
		q{SELECT dpobj.report('visit', 'html')},
		q{SELECT dpobj_internal.model_contents('visit')},
		q{SELECT dpobj_internal.page_contents('visit', NULL)},
		'SELECT holdout_key FROM dpobj.identities',
		q{SELECT dpobj.protect('visit', '{"a": {}, "y": {}}', holdout_by => 'id')},
		'GRANT dpobj_admin TO ana',
		'GRANT dpobj_auditor TO ana',
		'SET ROLE dpobj_admin',
		'SET ROLE team'));

$hostile->try_all('views of dpobj',
	map { [ $_, 'ana', '55000', $_ ] } 'UPDATE dpobj.models SET name = NULL', 'DELETE FROM dpobj.protected', 'DELETE FROM dpobj.scorecards',
	"UPDATE dpobj.jobs SET state = 'queued'", 'DELETE FROM dpobj.progress', 'DELETE FROM dpobj.budgets',
	'UPDATE dpobj.ledger SET epsilon = 0', 'UPDATE dpobj.ledger SET mechanism = NULL', 'DELETE FROM dpobj.ledger',
	'INSERT INTO dpobj.ledger (mechanism) VALUES (NULL)');

# ---- settings ----

my $cheap = q{SELECT (dpobj.train('visit', 'y', 0.0001, '{a}')).release};
$hostile->try_all(
	'settings',
	(
		map { [ $_, 'ana', '42501', 'SELECT dpobj_internal.epoch()', 'BEGIN', $_ ] } (
			'SET dpobj.min_epsilon = 0', 'SET LOCAL dpobj.release_tick = 0',
			q{SELECT set_config('dpobj.max_failures', '1000', false)}, 'SET dpobj.max_solvers = 1000', 'SET dpobj.max_part_connections = 1000', 'SET dpobj.max_role_releases = 1000',
			'SET dpobj.require_budget = off', 'SET dpobj.time_limit = 1', 'SET dpobj.memory_limit = 1',
			'ALTER ROLE ana SET dpobj.min_epsilon = 0', 
			'ALTER DATABASE postgres SET dpobj.min_epsilon = 0',
			'CREATE FUNCTION ana.x() RETURNS int LANGUAGE sql SET dpobj.min_epsilon = 0 AS $$SELECT 1$$',
			'SET session_replication_role = replica', 'SET SESSION AUTHORIZATION postgres',
			'SET allow_system_table_mods = on', 'SET log_statement_stats = on', "LOAD 'auto_explain'")),
	(
		map { [ "$_ first in a session", 'ana', '22023 42501', \'', "SET $_", $cheap ] } (
			'dpobj.min_epsilon = 0', 'SESSION dpobj.min_epsilon = 0')),
	[ "a role in the connection's options", 'noah', 'UB002', \'-c role=none', $train ],
	[ 'ALTER SYSTEM', 'ana', '42501', 'ALTER SYSTEM SET dpobj.min_epsilon = 0' ],
	[ 'a setting that was refused', 'ana', '22023 42501', 'SELECT dpobj_internal.epoch()', 'SET dpobj.min_epsilon = 0', $cheap ]);
refused_to_connect($node, 'ana', $_) for qw(dpobj.min_epsilon=0 dpobj.release_tick=0 dpobj.max_failures=1000 dpobj.require_budget=off);
my @free_settings = (
	'search_path = ana', "search_path = ''", 'search_path = pg_temp, ana', 'exit_on_error = on',
	'debug_print_plan = on', 'debug_print_parse = on', 'debug_print_rewritten = on',
	'synchronous_commit = off', 'row_security = off', 'enable_seqscan = off', 'trace_sort = on',
	"default_transaction_isolation = 'serializable'", 'lock_timeout = 500', 'work_mem = 64',
	FORCE_PARALLEL . ' = on', FORCE_PARALLEL . ' = regress', 'bytea_output = escape', 'jit_above_cost = 0',
	"plan_cache_mode = 'force_generic_plan'", 'array_nulls = off', 'quote_all_identifiers = on',
	'standard_conforming_strings = off', 'transform_null_equals = on', 'dpobj.progress = on',
	'dpobj.solver_threads = 64', "client_encoding = 'LATIN1'");
my $qualified = $train =~ s/'visit'/'public.visit'/r;
$hostile->try_all('a setting that everybody may make',
	map { [ $_, 'ana', 1, "SET $_", $qualified ] } @free_settings);

# ---- relations that are not trained on, requests that are refused ----

$hostile->try_all(
	'relations',
	(
		map { [ $_, 'ana', 'UB003', "SELECT dpobj.train('$_', 'y', 0.5)" ] } (
			'visit_view', 'visit_copy', 'visit_unlogged', 'visit_rls', 'visit_a', 'pg_authid', 'dpobj.ledger_events',
			'dpobj.model_rows', 'information_schema.tables')),
	[ 'values kept out of line', 'ana', 'UB003',
		q{SELECT dpobj.train(reltoastrelid, 'y', 0.5) FROM pg_class WHERE relname = 'visit'} ],
	[ 'a temporary table of the name', 'ana', 'UB003',
		'CREATE TEMP TABLE visit AS SELECT 1 AS a, true AS y', $train ],
	[ 'no such OID', 'ana', '42P01', 'SELECT dpobj.train(0, \'y\', 0.5)' ],
	[ 'a table without a budget', 'noah', 'UB002', $train ],
	[ 'the role of a statement does not matter', 'noah', 'UB002', 'SET ROLE noah', $train ],
	[ 'too poor', 'poor', 'UB001', $train ],
	[ 'a cheap one, then too poor', 'poor', { error => 'UB001', epsilon => 0.3, charged => 1, released => 1 },
		q{SELECT (dpobj.train('visit', 'y', 0.3)).release}, q{SELECT (dpobj.train('visit', 'y', 0.3)).release} ],);

my $args = sub { return "SELECT (dpobj.train('visit', 'y', $_[0])).release" };
my $deep = sub { my ($n) = @_; return "(repeat('[', $n) || repeat(']', $n))::jsonb" };
$hostile->try_all(
	'arguments',
	# epsilon is a float8, which has no such numbers
	(map { [ $_, 'ana', '22003', $args->($_) ] } ('1e-400', '1e10000')),
	(
		map { [ $_, 'ana', '22023', $args->($_) ] } (
			"'NaN'", "'Infinity'", '-0.5', '0', 'NULL', "0.5, delta => 'NaN'", '0.5, delta => 1',
			"0.5, '{}'", "0.5, '{a,a}'", "0.5, '{ctid}'", "0.5, '{note}'", "0.5, '{\"a; DROP TABLE visit\"}'",
			"0.5, array_fill('a'::text, ARRAY[100000])", "0.5, '{y}'",
			"0.5, options => '{\"epsilon\": 9}'", "0.5, options => '{\"n\": 1}'", "0.5, options => '{\"time_limit\": 1}'",
			"0.5, options => '{\"mechanism\": \"opdisc\"}'", "0.5, options => '{\"modulus\": 1e999}'",
			"0.5, options => '{\"grid\": {\"max\": \"NaN\"}}'", "0.5, options => '{\"grid\": {\"levels\": [[1e300]]}}'",
			"0.5, options => '\"\"'", "0.5, options => " . $deep->(5000),
			"0.5, options => jsonb_build_object('grid', " . $deep->(5000) . ')',
			"0.5, options => jsonb_build_object('grid', repeat('x', 70000))",
			"0.5, filter => '{\"a\": {\"=\": \"x\"}}'", "0.5, filter => '{\"a\": {\"= 1 OR 1\": 1}}'",
			"0.5, filter => '{\"xmin\": {\">\": 1}}'", "0.5, filter => '{\"a\": {\"<\": 1e130000}}'",
			"0.5, filter => jsonb_build_object('a', jsonb_build_object('in', " . $deep->(5000) . '))',
			"0.5, filter => '{\"d\": {\"=\": \"now() + 1\"}}'", "0.5, filter => '{\"y\": {\"=\": null}}'",
			"0.5, method => 'halfspace; --'", "0.5, name => ''", "0.5, name => repeat('x', 257)")),
	[ 'a null character in a name', 'ana', '54000', $args->('0.5, name => chr(0)') ],
	[ 'a null character in JSON', 'ana', '22P05', $args->(q{0.5, filter => '{"t": {"=": "\u0000"}}'}) ],
	[ 'an invalid character', 'ana', '22021', $args->(q{0.5, name => E'\xff'}) ],
	[ 'half a surrogate pair', 'ana', '22P02', $args->(q{0.5, filter => '{"t": {"=": "\ud800"}}'}) ],
	[ 'JSON deeper than the stack', 'ana', '54001', $args->('0.5, options => ' . $deep->(500000)) ],
	(
		map { [ $_, 'ana', 1, $args->($_) ] } (
			q{0.5, name => 'a"b''c\d'}, q{0.5, name => E'line\nfeed'}, q{0.5, name => '$1; DROP TABLE visit'},
			q{0.5, name => repeat('é', 128)}, q~0.5, name => '"}, "x": {"'~,
			q~0.5, filter => '{"note": {"=": "\"}, {"}, "a": {"in": [1, 2]}}'~, q{0.5, filter => '{"n": {"<": 1e130000}}'},
			q{0.5, filter => '{"note": {">=": "S"}}'}, q{0.5, filter => '{"id": {"=": 47}}'},
			q{0.5, filter => '{"t": {"in": []}}'}, q{0.5, filter => '{"d": {"=": "infinity"}}'},
			"0.5, filter => jsonb_build_object('note', jsonb_build_object('=', repeat('x', 60000)))")),
	[ 'a name in another encoding', 'ana', 1, "SET client_encoding = 'LATIN1'", $args->(q{0.5, name => 'Ã¤'}) ]);

# ---- ways to call it: each release is charged, however the statement ends ----

# Since PostgreSQL 17 an index is made with another search_path.
my $evil = <<"SQL";
CREATE FUNCTION ana.once() RETURNS bigint LANGUAGE sql AS '@{[ $qualified =~ s/'/''/gr ]}';
CREATE FUNCTION ana.wrong(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN ana.once(); END';
CREATE FUNCTION ana.fires() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM ana.once(); RETURN NEW; END';
CREATE FUNCTION ana.holds(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN ana.once() > 0; END';
CREATE TABLE ana.mine (i int, release bigint);
CREATE TABLE ana.kept (release bigint);
SQL
$hostile->try_all('set-up', [ 'functions', 'ana', 0, $evil ]);
my $catch = 'EXCEPTION WHEN OTHERS THEN RAISE NOTICE \'caught %\', SQLSTATE';
$hostile->try_all(
	'calls',
	[ 'a statement', 'ana', 1, $train ],
	[ 'a transaction that is rolled back', 'ana', 1, 'BEGIN', $train, 'ROLLBACK' ],
	[ 'ROLLBACK TO and again', 'ana', 2, 'BEGIN', 'SAVEPOINT s', $train, 'ROLLBACK TO s', $train, 'COMMIT' ],
	[ 'two-phase commit', 'ana', 1, 'BEGIN', $train, "PREPARE TRANSACTION 'x'", "ROLLBACK PREPARED 'x'" ],
	[ 'locks of a prepared transaction', 'ana', 2, 'BEGIN', $train, "PREPARE TRANSACTION 'x'", $train, "COMMIT PREPARED 'x'" ],
	[ 'COPY', 'ana', 1, "COPY ($train) TO STDOUT" ],
	[ 'all attributes', 'ana', 1, "SELECT ($call).*" ],
	[ 'all attributes from a function', 'ana', 1, "SELECT * FROM $call" ],
	[ 'CREATE TABLE AS, dropped', 'ana', 1, "CREATE TABLE ana.x AS $train; DROP TABLE ana.x" ],
	[ 'INSERT', 'ana', 1, "INSERT INTO ana.kept $train" ],
	[ 'INSERT that fails', 'ana', { error => '22P02', epsilon => 0.5, charged => 1, released => 1 },
		"INSERT INTO ana.kept SELECT (r || 'x')::bigint FROM ($train AS r OFFSET 0) t" ],
	[ 'a materialized view, refreshed', 'ana', 2,
		"CREATE MATERIALIZED VIEW ana.v AS $train; REFRESH MATERIALIZED VIEW ana.v; DROP MATERIALIZED VIEW ana.v" ],
	[ 'a view, read twice', 'ana', 2, "CREATE TEMP VIEW v AS $train", 'TABLE v', 'TABLE v' ],
	[ 'EXPLAIN', 'ana', 0, "EXPLAIN (VERBOSE) $train" ],
	[ 'EXPLAIN ANALYZE', 'ana', 1, "EXPLAIN (ANALYZE, VERBOSE, BUFFERS, SETTINGS, WAL) $train" ],
	[ 'a prepared statement, twice', 'ana', 2,
		"PREPARE x(numeric) AS SELECT (dpobj.train('visit', 'y', \$1, '{a,t}')).release", 'EXECUTE x(0.5)', 'EXECUTE x(0.5)' ],
	[ 'a cursor, fetched forwards and backwards', 'ana', 1, 'BEGIN',
		"DECLARE c SCROLL CURSOR FOR $train", 'FETCH c', 'FETCH PRIOR c', 'FETCH ABSOLUTE 1 c', 'COMMIT' ],
	[ 'a cursor held over commit', 'ana', 1, 'BEGIN', "DECLARE c CURSOR WITH HOLD FOR $train", 'COMMIT', 'FETCH c' ],
	[ 'a cursor that is never read', 'ana', 0, 'BEGIN', "DECLARE c CURSOR FOR $train", 'COMMIT' ],
	[ 'once for each row', 'ana', 3, "SELECT ($call).release + i FROM generate_series(1, 3) i" ],
	[ 'in WHERE', 'ana', 2, "SELECT FROM generate_series(1, 2) i WHERE ($call).release > i" ],
	[ 'in ORDER BY', 'ana', 2, "SELECT FROM generate_series(1, 2) i ORDER BY ($call).release" ],
	[ 'in LIMIT', 'ana', 1, "SELECT FROM generate_series(1, 2) i LIMIT ($call).release" ],
	[ 'LATERAL', 'ana', 3, "SELECT r FROM generate_series(1, 3) i, LATERAL (SELECT ($call).release + i OFFSET 0) m(r)" ],
	[ 'a WITH read twice', 'ana', 1, "WITH m AS NOT MATERIALIZED ($train) SELECT * FROM m a, m b" ],
	[ 'a recursive WITH, whose terms have two releases', 'ana', 2,
		"WITH RECURSIVE m(i, r) AS (SELECT 1, ($call).release UNION ALL SELECT i + 1, ($call).release FROM m WHERE i < 3) TABLE m" ],
	[ 'UNION of the same call', 'ana', 2, "$train UNION ALL SELECT release FROM dpobj.train('visit', 'y', 0.5, '{t,a}')" ],
	[ 'a branch that is not taken', 'ana', 0, "SELECT CASE WHEN random() < 0 THEN ($call).release END" ],
	[ 'an error afterwards', 'ana', { error => '22012', epsilon => 0.5, charged => 1, released => 1 },
		"SELECT 1 / (r - r) FROM ($train AS r OFFSET 0) m" ],
	[ 'DO', 'ana', 1, "DO \$\$ BEGIN PERFORM ana.once(); END \$\$" ],
	[ 'DO that fails and catches', 'ana', 2,
		"DO \$\$ BEGIN BEGIN PERFORM 1 / (ana.once() * 0); $catch; END; PERFORM ana.once(); END \$\$" ],
	[ 'DO that loops', 'ana', 3, "DO \$\$ DECLARE m dp_model; BEGIN FOR i IN 1..3 LOOP m := $call; END LOOP; END \$\$" ],
	[ 'dynamic SQL', 'ana', 1, "DO \$\$ BEGIN EXECUTE 'SELECT ana.once()'; END \$\$" ],
	[ 'a commit in a procedure', 'ana', 2,
		"DO \$\$ BEGIN PERFORM ana.once(); COMMIT; PERFORM ana.once(); ROLLBACK; END \$\$" ],
	[ 'a function that lies about its volatility', 'ana', 1, 'SELECT ana.wrong(1)' ],
	[ 'the planner of EXPLAIN calls it', 'ana', 1, 'EXPLAIN SELECT ana.wrong(1)' ],
	[ 'an index expression', 'ana', 2,
		'INSERT INTO ana.mine VALUES (1), (2); CREATE INDEX ON ana.mine (ana.wrong(i)); DROP TABLE ana.mine; CREATE TABLE ana.mine (i int, release bigint)' ],
	[ 'a default', 'ana', 1, 'ALTER TABLE ana.mine ALTER release SET DEFAULT ana.once()', 'INSERT INTO ana.mine (i) VALUES (1)',
		'ALTER TABLE ana.mine ALTER release DROP DEFAULT' ],
	[ 'a check constraint', 'ana', 1, 'ALTER TABLE ana.mine ADD CONSTRAINT c CHECK (ana.holds(i)) NOT VALID',
		'INSERT INTO ana.mine (i) VALUES (1)', 'ALTER TABLE ana.mine DROP CONSTRAINT c' ],
	[ 'a trigger', 'ana', 1, 'CREATE TRIGGER t BEFORE INSERT ON ana.mine FOR EACH ROW EXECUTE FUNCTION ana.fires()',
		'INSERT INTO ana.mine (i) VALUES (1)', 'DROP TRIGGER t ON ana.mine' ],
	[ 'a trigger at commit', 'ana', 1,
		'CREATE CONSTRAINT TRIGGER t AFTER INSERT ON ana.mine DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ana.fires()',
		'BEGIN', 'INSERT INTO ana.mine (i) VALUES (1)', 'COMMIT', 'DROP TRIGGER t ON ana.mine' ],
	[ 'a rule', 'ana', 1, 'CREATE RULE r AS ON INSERT TO ana.mine DO ALSO SELECT ana.once()',
		'INSERT INTO ana.mine (i) VALUES (1)', 'DROP RULE r ON ana.mine' ],
	[ 'a policy', 'ana', 1, 'TRUNCATE ana.mine; INSERT INTO ana.mine VALUES (1)',
		'ALTER TABLE ana.mine ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
		'CREATE POLICY p ON ana.mine USING (ana.holds(i))', 'TABLE ana.mine',
		'ALTER TABLE ana.mine DISABLE ROW LEVEL SECURITY' ],
	[ 'a domain', 'ana', 1, 'CREATE DOMAIN ana.d AS int CHECK (ana.holds(VALUE))', 'SELECT 1::ana.d' ],
	[ 'a cast', 'ana', 1, 'CREATE TYPE ana.c AS (i int); CREATE FUNCTION ana.c(ana.c) RETURNS bigint LANGUAGE sql AS $$SELECT ana.once()$$',
		'CREATE CAST (ana.c AS bigint) WITH FUNCTION ana.c(ana.c)', 'SELECT ROW(1)::ana.c::bigint' ],
	[ 'an operator', 'ana', 1, 'CREATE FUNCTION ana.op(int) RETURNS bigint LANGUAGE sql AS $$SELECT ana.once()$$',
		'CREATE OPERATOR ana.@@@ (RIGHTARG = int, FUNCTION = ana.op)', 'SELECT OPERATOR(ana.@@@) 1' ],
	[ 'dpobj.evaluate as a final function', 'ana', '22023',
		'CREATE FUNCTION ana.keep(text, regclass, float8, dpobj.json_argument, dpobj.json_argument, text) RETURNS text LANGUAGE sql AS $$SELECT coalesce($1, $2::text)$$',
		'CREATE AGGREGATE ana.a(regclass, float8, dpobj.json_argument, dpobj.json_argument, text) (SFUNC = ana.keep, STYPE = text, FINALFUNC = dpobj.evaluate, FINALFUNC_EXTRA)',
		"SELECT ana.a('visit'::regclass, 0.5::float8, '{}'::dpobj.json_argument, NULL::dpobj.json_argument, NULL::text)" ],
	[ 'LISTEN hears nothing', 'ana', 1, 'LISTEN dpobj', $train, 'SELECT 1' ],
	[ 'a session that is discarded', 'ana', 2, $train, 'DISCARD ALL', $train ],
	[ 'read only', 'ana', '25006', 'BEGIN READ ONLY', $train ],
	[ 'set read only', 'ana', '25006', 'SET default_transaction_read_only = on', $train ],);

# ---- objects of the session with names of dpobj's ----

$hostile->try_all(
	'shadows',
	[ 'temporary tables', 'ana', 1,
		(map { "CREATE TEMP TABLE $_ (id bigint, role bigint, relation bigint, origin text, object oid, name text, kind text)" }
			qw(budget_rows identities ledger_events pg_auth_members pg_class pg_authid model_rows job_rows)),
		'SET search_path = pg_temp, public', $train ],
	[ 'temporary tables of somebody without a budget', 'noah', 'UB002',
		'CREATE TEMP TABLE budget_rows (id bigint, relation bigint, role bigint)',
		'INSERT INTO budget_rows SELECT i, i, j FROM generate_series(1, 9) i, generate_series(1, 9) j',
		'SET search_path = pg_temp, dpobj, public', $train ],
	[ 'a schema of the name', 'ana', '42501', 'CREATE SCHEMA pg_dpobj' ],
	[ 'operators and functions first in the path', 'ana', 1, <<'SQL', $qualified,
CREATE FUNCTION ana.spy(text, text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED %', $1; RETURN true; END$$;
CREATE FUNCTION ana.spy(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED %', $1; RETURN true; END$$;
CREATE FUNCTION ana.spy(oid, oid) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED %', $1; RETURN true; END$$;
CREATE FUNCTION ana.count(anyelement) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED'; RETURN 0; END$$;
CREATE FUNCTION ana.coalesce(bigint, bigint) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED'; RETURN 0; END$$;
CREATE FUNCTION ana.format(text, text, text) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED'; RETURN ''; END$$;
CREATE OPERATOR ana.= (LEFTARG = text, RIGHTARG = text, FUNCTION = ana.spy);
CREATE OPERATOR ana.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = ana.spy);
CREATE OPERATOR ana.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = ana.spy);
CREATE OPERATOR ana.> (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = ana.spy);
CREATE OPERATOR ana.<= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = ana.spy);
SET search_path = ana, pg_catalog, public;
SQL
		q{SELECT count(*) >= 0 FROM dpobj.budgets}, q{SELECT dpobj.verify(model) FROM dpobj.models LIMIT 1},
		q{SELECT * FROM dpobj.remaining('public.visit')} ],);

# ---- models and names ----

my $made_up = sub {
	my ($before, $after) = map { qq('{"adjacency": "replace", "epsilon_nano": 1000000, "rows_per_person": 1, "answer": [{"value": 1}, {"value": 2}], $_}') } @_;
	return "SELECT dpobj_internal.drift_total(jsonb_populate_record(NULL::dpobj.kept_histograms, $before), jsonb_populate_record(NULL::dpobj.kept_histograms, $after), 0.95)";
};
my $forged = sub { return "(ROW('halfspace', 'x', $_[0], 1, 0, 'replace', 'exact', 1, $_[1])::dp_model)" };
$hostile->try_all(
	'models',
	[ 'a name pays once', 'ana', 1, ($args->("0.5, name => 'mine'")) x 3 ],
	[ 'another request under it', 'ana', '22023', $args->("0.5, '{t}', name => 'mine'") ],
	[ 'a name after a rollback', 'ana', 1, 'BEGIN', $args->("0.5, name => 'gone'"), 'ROLLBACK', $args->("0.5, name => 'gone'") ],
	[ 'the name of somebody else', 'poor', 'UB001', $args->("0.5, name => 'mine'") ],
	[ 'the name of somebody else, without a budget', 'noah', 'UB002', $args->("0.5, name => 'mine'") ],
	[ 'evaluation of the model of somebody else', 'poor', '42704', "SELECT dpobj.evaluate('mine', 'visit', 0.1)" ],
	[ 'evaluation costs', 'ana', 1, "SELECT dpobj.evaluate('mine', 'visit', 0.5)" ],
	[ 'evaluation of a group of nobody costs', 'ana', 1, q{SELECT dpobj.evaluate('mine', 'visit', 0.5, '{"a": {"<": 0}}')} ],
	[ 'evaluation on another table', 'ana', 'UB003', "SELECT dpobj.evaluate('mine', 'visit_view', 0.5)" ],
	[ 'another model', 'ana', 1, $args->("0.5, '{t}', name => 'second'") ],
	[ 'a confusion table costs', 'ana', 1, "SELECT dpobj.confusion('mine', 'visit', 0.5)" ],
	[ 'its attributes together', 'ana', 1, "SELECT (dpobj.confusion('mine', 'visit', 0.5)).*" ],
	[ 'its attributes one by one', 'ana', 2,
		map { "SELECT (dpobj.confusion('mine', 'visit', 0.5)).$_" } qw(rows error) ],
	[ 'a confusion table for each row', 'ana', 3, "SELECT dpobj.confusion('mine', 'visit', 0.5), i FROM generate_series(1, 3) i" ],
	[ 'of one row', 'ana', 1, q{SELECT dpobj.confusion('mine', 'visit', 0.5, '{"id": {"=": 47}}')} ],
	[ 'of nobody', 'ana', 1, q{SELECT dpobj.confusion('mine', 'visit', 0.5, '{"a": {"<": 0}}')} ],
	[ 'rolled back', 'ana', 1, 'BEGIN', "SELECT dpobj.confusion('mine', 'visit', 0.5)", 'ROLLBACK' ],
	[ 'read only', 'ana', '25006', 'BEGIN READ ONLY', "SELECT dpobj.confusion('mine', 'visit', 0.5)" ],
	[ 'a choice costs once', 'ana', 1, "SELECT dpobj.select('{mine,second}', 'visit', 0.5)" ],
	[ 'a choice on one row', 'ana', 1, q{SELECT dpobj.select('{mine,second}', 'visit', 0.5, '{"id": {"=": 47}}')} ],
	[ 'a choice rolled back', 'ana', 1, 'BEGIN', "SELECT dpobj.select('{mine,second}', 'visit', 0.5)", 'ROLLBACK' ],
	[ 'a choice read only', 'ana', '25006', 'BEGIN READ ONLY', "SELECT dpobj.select('{mine,second}', 'visit', 0.5)" ],
	[ 'a choice among the models of somebody else', 'poor', '42704', "SELECT dpobj.select('{mine,second}', 'visit', 0.1)" ],
	[ 'a choice without a budget', 'noah', '42704', "SELECT dpobj.select('{mine,second}', 'visit', 0.5)" ],
	[ 'operators first in the path', 'ana', 1, 'SET search_path = ana, pg_catalog, public',
		"SELECT dpobj.confusion('mine', 'public.visit', 0.5)" ],
	[ 'a model with probabilities', 'ana', 1, $args->("0.5, '{a,t}', method => 'logistic', name => 'chance'") ],
	(
		map { my ($call, $model) = @$_; my $asked = "dpobj.$call('$model', 'visit', 0.5"; (
			[ "$call costs", 'ana', 1, "SELECT * FROM $asked)" ],
			[ "$call for each row", 'ana', 3, "SELECT $asked), i FROM generate_series(1, 3) i" ],
			[ "$call of one row", 'ana', 1, qq{SELECT $asked, '{"id": {"=": 47}}')} ],
			[ "$call of nobody", 'ana', 1, qq{SELECT $asked, '{"a": {"<": 0}}')} ],
			[ "$call, rolled back", 'ana', 1, 'BEGIN', "SELECT $asked)", 'ROLLBACK' ],
			[ "$call under a name, rolled back, again", 'ana', 1, ('BEGIN', "SELECT $asked, name => 'its $call')", 'ROLLBACK') x 2 ],
			[ "$call, read only", 'ana', '25006', 'BEGIN READ ONLY', "SELECT $asked)" ],
			[ "$call of the model of somebody else", 'poor', '42704', "SELECT dpobj.$call('$model', 'visit', 0.1)" ],
			[ "$call on a view", 'ana', 'UB003', "SELECT dpobj.$call('$model', 'visit_view', 0.5)" ],
			map { [ "$call, $_", 'ana', '22023', "SELECT $asked, options => '$_')" ] }
				'{"bins": 1}', '{"bins": 1e9}', '{"confidence": 1}', '{"confidence": "NaN"}', '{"holdout": 1}', '{"holdout": true}', '{"holdout": "0.5"}', '[]')
		} [ auc => 'mine' ], [ calibration => 'chance' ]),
	[ 'rows held out are charged', 'ana', 1, $args->(q{0.5, '{a,t}', options => '{"holdout": 0.5}', name => 'half'}) ],
	[ 'so is a rating on them', 'ana', 1, "SELECT dpobj.evaluate('half', 'visit', 0.5)" ],
	[ 'also on one row at most', 'ana', 1, q{SELECT dpobj.evaluate('half', 'visit', 0.5, '{"id": {"=": 47}}', '{"holdout": 0.001}')} ],
	[ 'and on all', 'ana', 1, q{SELECT dpobj.evaluate('half', 'visit', 0.5, options => '{"holdout": false}')} ],
	(
		map { [ "holdout $_", 'ana', '22023', $args->(qq{0.5, '{a}', options => '{"holdout": $_}'}) ] } (
			0, 1, -0.5, '1e-9', '1e400', 'true', 'null', '"0.5"', '[0.5]', '"NaN"')),
	[ 'two histograms, whose comparison is free', 'ana', 2,
		(map { "SELECT FROM dpobj.histogram('visit', 't', 0.5, name => 'histogram $_')" } 1, 2),
		"SELECT * FROM dpobj.drift('histogram 1', 'histogram 2')", 'TABLE dpobj.drifts' ],
	[ 'a comparison of histograms of somebody else', 'poor', '42704', "SELECT * FROM dpobj.drift('histogram 1', 'histogram 2')" ],
	[ 'their distances are not seen', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj.drifts' ],
	(
		map { [ "drift($_)", 'ana', '22023', "SELECT dpobj.drift($_)" ] } (
			"'histogram 1', 'histogram 2', 'NaN'", "'histogram 1', 'histogram 2', 1")),
	[ 'drift of another answer', 'ana', '42704', "SELECT dpobj.drift('histogram 1', 'its auc')" ],
	[ 'a histogram that is made up', 'ana', 0, $made_up->('"answer": [{"value": 1}, {"value": 9}]', '"answer": [{"value": 1e300}, {"value": -1e300}]') ],
	[ 'with the least epsilon and the most rows', 'ana', 0, $made_up->(('"epsilon_nano": 1, "rows_per_person": 2147483647') x 2) ],
	[ 'with the most epsilon', 'ana', 0, $made_up->(('"epsilon_nano": 9223372036854775807') x 2) ],
	(
		map { [ "histograms that are made up: $_", 'ana', '22023', $made_up->($_, '"adjacency": "replace"') ] } (
			'"answer": null', '"answer": 1', '"answer": {}', '"answer": []', '"answer": [1, 2]', '"answer": [[], []]', '"answer": [{}, {}]',
			(map { qq("answer": [{"value": 1}, {"value": $_}]) } '"x"', 'null', 'true', '1e400', '{}', '[1]'),
			'"answer": [{"value": 1}]', '"answer": [{"value": 1}, {"value": 1}, {"value": 1}]', '"adjacency": null',
			'"epsilon_nano": null', '"epsilon_nano": 0', '"epsilon_nano": -1', '"rows_per_person": 0', '"rows_per_person": 1e10')),
	[ 'more bins than a look has', 'ana', '22023', q{SELECT dpobj_internal.drift_total(h, h, 0.95) FROM (SELECT jsonb_populate_record(NULL::dpobj.kept_histograms,
		jsonb_build_object('adjacency', 'replace', 'epsilon_nano', 1, 'rows_per_person', 1, 'answer', jsonb_agg('{"value": 1}'::jsonb))) AS h FROM generate_series(1, 1000000)) s} ],
	(
		map { [ "select($_)", 'ana', '22023', "SELECT dpobj.select($_)" ] } (
			"'{mine}', 'visit', 0.5", "'{}', 'visit', 0.5", "NULL, 'visit', 0.5", "'{mine,NULL}', 'visit', 0.5",
			"'{mine,mine}', 'visit', 0.5", "array_fill('mine'::text, ARRAY[100000]), 'visit', 0.5",
			"'{mine,second}', NULL, 0.5", "'{mine,second}', 'visit', 'NaN'", "'{mine,second}', 'visit', 1e10",
			"'{mine,second}', 'visit', 0.0001", "'{mine,second}', 'visit', 0.5, '[]'",
			"'{mine,second}', 'visit', 0.5, '{\"xmin\": {\">\": 1}}'")),
	[ 'a choice on a view', 'ana', 'UB003', "SELECT dpobj.select('{mine,second}', 'visit_view', 0.5)" ],
	[ 'a choice in a function of somebody else', 'ana', 'UB003',
		"SELECT mallory.pick()" ],
	[ 'the aggregates are not for analysts', 'ana', '42501', "SELECT dp_accuracy('mine', NULL::float8[], true, 0.5)" ],
	[ 'nor are their functions', 'ana', '42501', 'SELECT dpobj_internal.accuracy_final(NULL)' ],
	[ 'nor the combining one', 'ana', '42501', q{SELECT dpobj_internal.counts_combine('x', 'y')} ],
	[ 'models of others are not seen', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj.models' ],
	[ 'verify on a model of others tells nothing but yes', 'noah', 0, 'SELECT dpobj.verify(' . $forged->("'{1}'", "'{}'") . ')' ],
	(
		map { [ "a forged model: @$_", 'ana', '22023', 'SELECT dp_score(' . $forged->(@$_) . ", '{1,2}')" ] } (
			[ "'{}'", "'{}'" ], [ "'{{1,2},{3,4}}'", "'{}'" ], [ "'{1,NULL}'", "'{}'" ], [ 'NULL', "'{}'" ],
			[ "'{1,2}'", 'NULL' ], [ "'{1,2,3}'", "'{}'" ], [ 'array_fill(1::float8, ARRAY[100000])', "'{}'" ],
			[ "'{1,2}'", q{'{"encoding": {"intercept": true}}'} ])),
	(
		map { [ "a forged model: @$_", 'ana', 0, 'SELECT dp_predict(m, x), dp_score(m, x), dpobj_internal.model_hash(m), dpobj.verify(m) FROM (VALUES ('
				  . $forged->(@$_) . ", '{1,2}'::float8[])) v(m, x)" ] } (
			[ "'{NaN,Infinity}'", "'[]'" ], [ "'{1,2}'", q{'{"encoding": {"scale": [0, -1], "low": "x"}}'} ],
			[ "'{1,2}'", q{'{"encoding": {"scale": [1e-320, 1e400], "low": [5], "high": [-5]}}'} ],
			[ "'[5:6]={1,2}'", q{jsonb_build_object('encoding', } . $deep->(5000) . ')' ])),
	[ 'a forged declaration', 'ana', '22023', q{SELECT dpobj.features('{"f1": {"scale": 1e-400}}', ROW(1))} ],
	[ 'a declaration of no row', 'ana', '22023', q{SELECT dpobj.features('{"a": {}}', 1)} ],);

# ---- predictions: free, for one's own and shared models ----

my $row = q{(SELECT r FROM (SELECT 1 AS a, 0.5::float8 AS f, 2.5 AS n, 'f' AS t) r)};
my $declared = q{'{"features": ["a"], "relation": "x", "label": "y", "encoding": {}, "types": {"a": "bigint"}, "encoders": {"a": %s}}'};
$hostile->try_all(
	'models in use',
	[ 'one\'s own is free', 'ana', 0, map { "SELECT $_" } "dpobj.predict('mine', $row)", "dpobj.score('mine', $row, 'ana')",
		"dpobj.predict_sql('mine')", "dpobj.show('mine')", "dpobj.show('mine', 'markdown', 'ana')", "dpobj.show('mine', 'pmml')", "dpobj.show('mine', 'json')",
		"count(*) FROM dpobj.scorecard('mine')", 'count(*) FROM dpobj.scorecards',
		"bool_and(dpobj.verify(model::jsonb::dp_model)) FROM dpobj.models WHERE name = 'mine'" ],
	[ 'on a table that one may not read', 'ana', '42501', q{SELECT dpobj.predict('mine', v) FROM visit v} ],
	(
		map { my $name = $_; map { [ $_, 'poor', '42704', $_ ] } (
			"SELECT dpobj.predict('$name', $row)", "SELECT dpobj.score('$name', $row)", "SELECT dpobj.predict_proba('$name', $row)",
			"SELECT dpobj.predict('$name', $row, 'ana')", "SELECT dpobj.score('$name', $row, 'ana')",
			"SELECT dpobj.predict_sql('$name')", "SELECT dpobj.predict_sql('$name', owner => 'ana')",
			(map { ("SELECT dpobj.$_)", "SELECT dpobj.$_, owner => 'ana')") } "scorecard('$name'", "show('$name'", "show('$name', 'markdown'", "show('$name', 'pmml'", "show('$name', 'json'"),
			"SELECT dpobj.share('$name', 'poor')", "SELECT dpobj.share('$name', 'mallory')", "SELECT dpobj.share('$name', 'poor', false)")
		} 'mine', 'unheard of'),
	[ 'points of others are not seen', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj.scorecards' ],
	[ 'a role that does not exist', 'ana', '42704', "SELECT dpobj.share('mine', '4294967295')" ],
	[ 'shared read only', 'ana', '25006', 'BEGIN READ ONLY', "SELECT dpobj.share('mine', 'poor')" ],
	[ 'shared, and taken back by a rollback', 'ana', 0, 'BEGIN', "SELECT dpobj.share('mine', 'poor')", 'ROLLBACK' ],
	[ 'which shares nothing', 'poor', '42704', "SELECT dpobj.predict('mine', $row, 'ana')" ],
	[ 'shared', 'ana', 0, "SELECT dpobj.share('mine', 'poor')", "SELECT dpobj.share('second', 'team')" ],
	[ 'that is free', 'poor', 0, "SELECT dpobj.predict('mine', $row)", "SELECT dpobj.predict_sql('mine', owner => 'ana')" ],
	[ 'but not to be rated', 'poor', '42704', "SELECT dpobj.evaluate('mine', 'visit', 0.1)" ],
	[ 'nor to be shared', 'poor', '42704', "SELECT dpobj.share('mine', 'noah')" ],
	[ 'nor with others', 'noah', '42704', "SELECT dpobj.predict('mine', $row, 'ana')" ],
	[ 'what a group was given, its members have', 'mallory', 0, "SELECT dpobj.predict_sql('second')" ],
	[ 'and nobody else', 'poor', '42704', "SELECT dpobj.predict_sql('second')" ],
	[ 'operators first in the path', 'poor', '42704', 'SET search_path = ana, mallory, pg_catalog, public', "SELECT dpobj.predict_sql('second')" ],
	[ 'tables of the name first in the path', 'poor', '42704', 'CREATE TEMP TABLE model_rows (name text, model dp_model)',
		'SET search_path = pg_temp, dpobj, pg_catalog, public', "SELECT dpobj.predict_sql('second')" ],
	[ 'taken back', 'ana', 0, "SELECT dpobj.share('mine', 'poor', false)" ],
	[ 'and gone', 'poor', '42704', "SELECT dpobj.predict('mine', $row, 'ana')" ],
	(
		map { [ "a forged model: @$_", 'ana', '22023', "SELECT dpobj.predict(m, ROW(1)), dpobj.predict_sql(m) FROM (SELECT " . $forged->(@$_) . ') v(m)' ] } (
			[ "'{1}'", "'{}'" ], [ "'{1}'", sprintf $declared, '{"levels": []}' ], [ "'{1}'", sprintf $declared, '{"scale": 0}' ],
			[ "'{1,2}'", sprintf $declared, '{"scale": 1}' ], [ "'{1}'", sprintf $declared, '{"bins": [2, 1]}' ],
			[ "'{1}'", q{'{"features": [], "relation": "x", "label": "y", "encoding": {}, "types": {}, "encoders": {}}'} ],
			[ "'{1}'", q{(SELECT jsonb_build_object('features', jsonb_build_array('a'), 'relation', 'x', 'label', 'y', 'encoding', '{}'::jsonb,
			  'encoders', '{}'::jsonb, 'types', jsonb_object_agg(i, 'text')) FROM generate_series(1, 5000) i)} ])),
	[ 'forged columns that the row does not have', 'ana', '42703',
		"SELECT dpobj.predict(m, ROW(1)) FROM (SELECT " . $forged->("'{1}'", sprintf $declared, '{"scale": 1}') . ') v(m)' ],
	(
		map { [ "JSON that is no model: $_", 'ana', '22023', "SELECT ($_)::jsonb::dp_model" ] } (
			"'1'", "'[]'", "'{}'", "'\"x\"'", q{'{"kind": "halfspace"}'}, $deep->(5000))),);

# ---- jobs ----

my $ended = q{SELECT state, reason FROM (SELECT dpobj.wait(max(id), '1 min') FROM dpobj.jobs OFFSET 0) w, dpobj.jobs WHERE id = (SELECT max(id) FROM dpobj.jobs)};
my $job = sub { return ("SELECT dpobj.submit('train', $_[0])", $ended); };
$hostile->try_all(
	'jobs',
	[ 'a job costs', 'ana', 1, $job->(q('visit', '{"label": "y", "epsilon": 0.5, "features": ["a", "t"]}', 'job')) ],
	[ 'its name pays once', 'ana', 0, $job->(q('visit', '{"label": "y", "epsilon": 0.5, "features": ["a", "t"]}', 'job')), $args->("0.5, '{a,t}', name => 'job'") ],
	[ 'another request under it', 'ana', '22023', "SELECT dpobj.submit('train', 'visit', '{\"label\": \"y\", \"epsilon\": 0.6, \"features\": [\"a\", \"t\"]}', 'job')" ],
	[ 'the name of a model', 'ana', '22023', "SELECT dpobj.submit('train', 'visit', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'mine')" ],
	[ 'of one row', 'ana', 1, $job->(q('visit', '{"label": "y", "epsilon": 0.5, "features": ["a", "t"], "filter": {"id": {"=": 47}}}', 'one row')) ],
	[ 'each call of many', 'ana', 3,
		q{SELECT pg_catalog.count(dpobj.submit('train', 'visit', '{"label": "y", "epsilon": 0.5, "features": ["a"]}', 'many ' || i)) FROM generate_series(1, 3) i},
		q{SELECT pg_catalog.count(dpobj.wait(id, '1 min')) FROM dpobj.jobs} ],
	[ 'rolled back', 'ana', 0, 'BEGIN', "SELECT dpobj.submit('train', 'visit', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'x')", 'ROLLBACK' ],
	[ 'read only', 'ana', '25006', 'BEGIN READ ONLY', "SELECT dpobj.submit('train', 'visit', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'x')" ],
	[ 'a wait for oneself', 'ana', '55000', 'BEGIN', "SELECT dpobj.wait(dpobj.submit('train', 'visit', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'x'))" ],
	[ 'operators first in the path', 'ana', 1, 'SET search_path = ana, pg_catalog, public',
		"SELECT dpobj.submit('train', 'public.visit', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'path')", 'TABLE dpobj.jobs', 'TABLE dpobj.progress',
		'SELECT dpobj.cancel(1)', 'RESET search_path', $ended ],
	[ 'a table of the name', 'ana', 1, 'CREATE TEMP TABLE job_rows (id bigint, role oid, state text, name text)',
		'SET search_path = pg_temp, public', $job->(q('visit', '{"label": "y", "epsilon": 0.5, "features": ["a"]}', 'shadow')) ],
	[ 'without a budget', 'noah', 'UB002', "SELECT dpobj.submit('train', 'visit', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'x')" ],
	[ 'too poor', 'poor', 'UB001', "SELECT dpobj.submit('train', 'visit', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'x')" ],
	[ 'in a function of somebody else', 'ana', 'UB003', 'SELECT mallory.queue()' ],
	[ 'those of others are not seen', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj.jobs' ],
	[ 'nor how far they are', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj.progress' ],
	[ 'nor in the list', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj_internal.job_list()' ],
	[ 'nor by a function that speaks', 'noah', 0, q{SELECT * FROM dpobj.jobs WHERE name LIKE '%'} ],
	[ 'nor cancelled', 'noah', '42704', 'SELECT dpobj.cancel(1)' ],
	[ 'nor waited for', 'noah', '42704', 'SELECT dpobj.wait(1)' ],
	[ 'a function of somebody else cancels none of mine', 'ana', '42704', 'SELECT mallory.stop(min(id)) FROM dpobj.jobs' ],
	[ 'one that has ended', 'ana', 0, 'SELECT dpobj.cancel(max(id)) FROM dpobj.jobs' ],
	(
		map { [ "submit($_)", 'ana', '22023', "SELECT dpobj.submit('train', $_)" ] } (
			q('visit', '{"label": "y", "epsilon": 0.5}', NULL), q('visit', '{"label": "y", "epsilon": 0.5}', ''), q(NULL, '{"label": "y", "epsilon": 0.5}', 'x'),
			q('visit', '[]', 'x'), q('visit', '{"label": "y", "epsilon": 0.5, "name": "z"}', 'x'), q('visit', '{"label": "y", "epsilon": 0.5, "relation": "pay"}', 'x'),
			(map { qq('visit', '{"label": "y", "epsilon": 0.5, $_}', 'x') } '"features": ["a", "a"]', '"label": null', '"epsilon": "NaN"', '"epsilon": 0.0001', '"delta": 2',
				'"method": "x"', '"options": {"time_limit": 1}', '"filter": {"xmin": {">": 1}}'))),
	[ 'on a view', 'ana', 'UB003', "SELECT dpobj.submit('train', 'visit_view', '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'x')" ],
	[ 'a table that has gone', 'ana', '42P01', "SELECT dpobj.submit('train', 0::oid::regclass, '{\"label\": \"y\", \"epsilon\": 0.5, \"features\": [\"a\"]}', 'x')" ],
	[ 'a job that is none', 'ana', '42704', 'SELECT dpobj.cancel(-1)' ],
	[ 'a wait that is none', 'ana', '22023', q{SELECT dpobj.wait(max(id), '-1 s') FROM dpobj.jobs} ],);

# ---- functions of others spend nobody's budget ----

$hostile->try_all('set-up', [ 'functions of mallory', 'mallory', 0, <<"SQL" ]);
CREATE FUNCTION public.steal() RETURNS dp_model LANGUAGE sql SECURITY DEFINER AS \$\$SELECT $call\$\$;
CREATE FUNCTION public.replay() RETURNS dp_model LANGUAGE sql SECURITY DEFINER AS \$\$SELECT dpobj.train('visit', 'y', 0.5, name => 'mine')\$\$;
CREATE FUNCTION public.measure() RETURNS float8 LANGUAGE sql SECURITY DEFINER AS \$\$SELECT dpobj.evaluate('mine', 'visit', 0.5)\$\$;
CREATE FUNCTION public.relay() RETURNS dp_model LANGUAGE plpgsql SECURITY DEFINER AS \$\$BEGIN RETURN public.steal(); END\$\$;
CREATE VIEW public.trap AS SELECT public.steal();
CREATE FUNCTION public.plan() RETURNS record LANGUAGE sql SECURITY DEFINER AS \$\$SELECT dpobj_internal.schedule_attempt('yearly')\$\$;
GRANT SELECT ON public.trap TO PUBLIC;
SQL
$hostile->try_all(
	'a function of somebody else',
	[ 'that trains', 'ana', 'UB003', 'SELECT public.steal()' ],
	[ 'that calls one', 'ana', 'UB003', 'SELECT public.relay()' ],
	[ 'that asks for a name', 'ana', 'UB003', 'SELECT public.replay()' ],
	[ 'that evaluates', 'ana', 'UB003', 'SELECT public.measure()' ],
	[ 'in a view', 'ana', 'UB003', 'TABLE public.trap' ],
	[ 'called by its owner', 'mallory', 'UB002', 'SELECT public.steal()' ]);

# ---- schedules ----

my $put = sub {
	my ($name, $filter, $allowance) = @_;
	return q[SELECT dpobj_internal.schedule_put('train', 'public.visit', '{"label": "y", "epsilon": 0.5, "features": ["a", "t"], "method": "halfspace",]
	  . ' "filter": ' . ($filter // 'null') . "}', '$name', '0 0 1 1 *', " . ($allowance // 'NULL, NULL') . ')';
};
my $look = sub {
	my ($name, $call, $arguments) = @_;
	return "SELECT dpobj_internal.schedule_put('$call', 'public.visit', '$arguments', '$name', '0 0 1 1 *', NULL, NULL)";
};
my $run = sub { "CALL dpobj.run_schedule('$_[0]')" };
$hostile->try_all(
	'schedules',
	[ 'making one costs nothing', 'ana', 0, $put->('yearly') ],
	[ 'each run of a scheduled time is the same one', 'ana', 1, ($run->('yearly')) x 3 ],
	[ 'also when it is made anew, or for less', 'ana', 0, "SELECT dpobj_internal.schedule_remove('yearly', NULL)", $put->('yearly'),
		$run->('yearly'), $put->('yearly') =~ s/0\.5/0.0001/r, $run->('yearly'), $put->('yearly') ],
	[ 'in a transaction block', 'ana', '25001', $put->('block'), 'BEGIN', $run->('block') ],
	[ 'in a block of PL/pgSQL that catches', 'ana', 0, $put->('block'),
		"DO \$\$ BEGIN CALL dpobj.run_schedule('block'); EXCEPTION WHEN OTHERS THEN NULL; END \$\$" ],
	[ 'in one that commits', 'ana', 1, $put->('block'), "DO \$\$ BEGIN CALL dpobj.run_schedule('block'); COMMIT; END \$\$" ],
	[ 'the function below it, rolled back, tried again', 'ana', 1, $put->('below'), 'BEGIN', "SELECT dpobj_internal.schedule_attempt('below')",
		'ROLLBACK', "SELECT dpobj_internal.schedule_attempt('below')", $run->('below') ],
	[ 'read only', 'ana', '25006', $put->('only'), 'SET default_transaction_read_only = on', $run->('only') ],
	[ 'a filter on one row', 'ana', 1, $put->('one', '{"id": {"=": 47}}'), $run->('one'), 'TABLE dpobj.schedule_runs' ],
	[ 'a run that was made up', 'ana', 1, $put->('forged'),
		q{SELECT dpobj_internal.schedule_record('forged', dpobj_internal.schedule_time('0 0 1 1 *', now()), now(), 'released', NULL, NULL)}, $run->('forged') ],
	[ 'a state that there is not', 'ana', '23514', $put->('forged'),
		q{SELECT dpobj_internal.schedule_record('forged', now(), now(), 'free', NULL, NULL)} ],
	[ 'a model under the name of a run', 'ana', 1, $put->('taken'),
		q{SELECT (dpobj.train('visit', 'y', 0.5, '{t}', name => dpobj_internal.schedule_model('taken', dpobj_internal.schedule_time('0 0 1 1 *', now())))).release},
		$run->('taken') ],
	[ 'an allowance that is taken back', 'ana', 1, $put->('spent', undef, q(0.5, '1 day')), $run->('spent'), $put->('spent'), $run->('spent') ],
	[ 'a name that is a statement', 'ana', 1, $put->(q{x''); DROP TABLE ana.mine; --}), $run->(q{x''); DROP TABLE ana.mine; --}),
		'SELECT FROM ana.mine LIMIT 0', 'TABLE dpobj.schedules' ],
	[ 'a budget that is too small', 'poor', 0, $put->('yearly'), $run->('yearly'), 'TABLE dpobj.schedule_runs' ],
	[ 'no budget', 'noah', 'UB002', $put->('yearly') ],
	[ 'the schedule of somebody else', 'noah', '42704', $run->('yearly') ],
	[ 'schedules of others are not seen', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj.schedules' ],
	[ 'nor their runs', 'noah', '22012', 'SELECT 1 / count(*) FROM dpobj.schedule_runs' ],
	[ 'operators and functions first in the path', 'ana', 1, 'SET search_path = ana, pg_catalog, public', $put->('path'), $run->('path'),
		'TABLE dpobj.schedules', 'TABLE dpobj.schedule_runs' ],
	[ 'temporary tables of our names', 'ana', 1, 'CREATE TEMP TABLE schedules (name text); CREATE TEMP TABLE schedule_rows (id bigint)',
		$put->('shadow'), $run->('shadow') ],
	[ 'in a function of somebody else', 'ana', 'UB003', 'SELECT public.plan()' ],
	[ 'a look: each run is the same one', 'ana', 1, $look->('look', 'histogram', '{"column": "t", "epsilon": 0.5}'), ($run->('look')) x 3,
		"SELECT * FROM dpobj.schedule_runs WHERE schedule = 'look'" ],
	[ 'a rating of the newest model of a schedule', 'ana', 1, $look->('rating', 'evaluate', '{"model": "one", "epsilon": 0.5}'), ($run->('rating')) x 2 ],
	[ 'a look at one row', 'ana', 1, $look->('one look', 'count', '{"epsilon": 0.5, "filter": {"id": {"=": 47}}}'), $run->('one look') ],
	[ 'a look beyond the budget is skipped', 'poor', 0, $look->('look', 'count', '{"epsilon": 0.5}'), $run->('look'), 'TABLE dpobj.schedule_runs' ],
	[ 'a rating of the model of somebody else', 'poor', '42704', $look->('rating', 'evaluate', '{"model": "mine", "epsilon": 0.1}'), $run->('rating') ],
	(
		map { [ "a call $_", 'ana', '22023', $look->('x', $_, '{"epsilon": 0.5}') ] } 'pg_sleep', 'train', 'drift', 'report', q{count(); --}, ''),
	(
		map { [ "arguments $_", 'ana', '22023', $look->('x', 'count', $_) ] } '1', '{}', '{"epsilon": "NaN"}', '{"epsilon": 0.5, "name": "x"}',
			'{"epsilon": 0.5, "1); --": 1}'),
	[ 'less than a release costs', 'ana', '22023', $look->('cheap', 'count', '{"epsilon": 0.0001}'), $run->('cheap') ],
	[ 'without pg_cron nothing is kept', 'ana', '55000', q{SELECT dpobj.schedule('count', 'public.visit', '{"epsilon": 0.5}', 'kept', '0 0 1 1 *')},
		q{SELECT * FROM dpobj.schedules WHERE name = 'kept'} ],
	[ 'a look without a budget', 'noah', 'UB002', q{SELECT dpobj.schedule('count', 'public.visit', '{"epsilon": 0.5}', 'kept', '0 0 1 1 *')} ]);

# ---- a row would be recognised ----

my $superuser = scalar_of($node, 'SELECT current_user');
ok(DpobjHostile::shows_a_row($hostile->told($superuser, undef, 'TABLE visit')), 'a row that is shown is recognised');

cmp_ok($hostile->count, '>=', 120, $hostile->count . ' cases were tried');
finish($node);
