-- Tables whose rows are on several servers: what owners declare on the server of a part

/*
 * One row per table that is a part of a table on another server, by its identity, as for protections.
 * A part releases nothing by itself: the charge of a release is refused.  Identities outlive DROP TABLE,
 * so the row also has the table that was marked: a later one of that name may be anybody's, and its rows
 * are not for the coordinator.
 */
CREATE TABLE dpobj.parts
(
    relation bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    coordinator text NOT NULL,
    role bigint NOT NULL,
    origin text NOT NULL,
    object oid NOT NULL
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.parts', '');

COMMENT ON TABLE dpobj.parts IS 'declarations of dpobj.mark_part, one row per table';
COMMENT ON INDEX dpobj.parts_pkey IS 'a table is a part of one table';
COMMENT ON COLUMN dpobj.parts.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.parts.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.parts.coordinator IS 'the table that it is a part of: database, schema and name on the other server';
COMMENT ON COLUMN dpobj.parts.role IS 'identity of the role as which the other server connects';
COMMENT ON COLUMN dpobj.parts.origin IS 'server and database in which it was declared, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.parts.object IS 'OID of the table there';

CREATE OR REPLACE FUNCTION dpobj.mark_part(relation regclass, coordinator text, role regrole DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_mark_part';
COMMENT ON FUNCTION dpobj.mark_part(regclass, text, regrole) IS
  'declares that a table is a part of a table on another server, which connects as the role and reads the rows. A null coordinator takes that back. Only the owner of the table may call it';

CREATE OR REPLACE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_part';
COMMENT ON FUNCTION dpobj_internal.part(bytea) IS
  'internal: answers the server of a table that a marked table is a part of, for the role of the mark only';

/*
 * What a login on this server shows of the rows of a part: PostgreSQL counts calls of functions and
 * statements, rows written and sizes for everybody who may connect.  Citus gives its users SQL on the
 * workers.  kind: part, for a marked table; shard, of Citus; coordinator, of Citus.  Run by
 * dpobj_internal.part() in the session of the coordinator, so settings of its role count.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.exposures(kind text, OUT what text, OUT problem text, OUT to_do text) RETURNS SETOF record
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$body$
WITH logins AS
  (SELECT string_agg(quote_ident(r.rolname), ', ' ORDER BY r.rolname) AS names
   FROM pg_roles r
   WHERE kind <> 'coordinator' AND r.rolcanlogin AND NOT r.rolsuper AND r.rolname <> session_user
     AND has_database_privilege(r.oid, current_database(), 'CONNECT')),
grants AS
  (SELECT format('EXECUTE ON FUNCTION %s', p.oid::regprocedure) AS privilege, p.proname AS name, p.proacl AS acl, 'f'::"char" AS type, p.proowner AS owner
   FROM pg_proc p
   WHERE p.pronamespace = 'pg_catalog'::regnamespace
     AND p.proname ~ '^(run_command_on_.*|master_run_on_worker|citus_(shard_sizes|table_size|(total_)?relation_size))$'
   UNION ALL
   SELECT format('SELECT ON %s', c.oid::regclass), c.relname, c.relacl, 'r', c.relowner
   FROM pg_class c
   WHERE c.relnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace) AND c.relname IN ('citus_shards', 'citus_tables')),
commands AS
  (SELECT string_agg(DISTINCT g.name, ', ') AS names,
          string_agg(DISTINCT format('REVOKE %s FROM %s', g.privilege, coalesce(quote_ident(r.rolname), 'PUBLIC')), '; ') AS revoke
   FROM grants g, aclexplode(coalesce(g.acl, acldefault(g.type, g.owner))) a LEFT JOIN pg_roles r ON r.oid = a.grantee
   WHERE kind = 'coordinator' AND a.privilege_type IN ('EXECUTE', 'SELECT') AND r.rolsuper IS NOT TRUE)
SELECT 'logins', CASE WHEN l.names IS NOT NULL THEN format('roles %s may connect to database %I, and read there how often functions are called, how many rows are written and how large tables are', l.names, current_database()) END,
       CASE kind WHEN 'part' THEN format('On this server: GRANT CONNECT ON DATABASE %1$I TO %2$I; ', current_database(), session_user)
            ELSE 'On this server, after SET citus.enable_ddl_propagation = off: ' END
       || format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC, %s', current_database(), l.names)
FROM logins l WHERE kind <> 'coordinator'
UNION ALL
SELECT 'track_functions', CASE WHEN current_setting('track_functions') = 'all' THEN 'calls of dpobj_internal.part are counted, and how many there are depends on the rows' END,
       format('On this server: ALTER ROLE %I SET track_functions = ''pl''', session_user)
WHERE kind <> 'coordinator'
UNION ALL
SELECT 'pg_stat_statements', CASE WHEN current_setting('pg_stat_statements.track', true) <> 'none' THEN 'calls of dpobj_internal.part are counted, and how many there are depends on the rows' END,
       format('On this server: ALTER ROLE %I SET pg_stat_statements.track = ''none''', session_user)
WHERE kind <> 'coordinator'
UNION ALL
SELECT 'role', CASE WHEN r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls THEN format('role %I, as which the coordinator connects, may do more than SELECT the part', session_user) END,
       format('On this server: ALTER ROLE %I NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS', session_user)
FROM pg_roles r WHERE kind = 'part' AND r.rolname = session_user
UNION ALL
SELECT 'commands of Citus', CASE WHEN c.names IS NOT NULL THEN format('roles that are no superusers may use %s, which run statements on the workers or show sizes of shards', c.names) END, 'On this server: ' || c.revoke
FROM commands c WHERE kind = 'coordinator'
$body$;
COMMENT ON FUNCTION dpobj_internal.exposures(text) IS
  'internal: what a login on the server of a part shows of its rows, and what to revoke';

CREATE OR REPLACE FUNCTION dpobj.check_parts(relation regclass, OUT server text, OUT what text, OUT problem text, OUT to_do text) RETURNS SETOF record
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_check_parts';
COMMENT ON FUNCTION dpobj.check_parts(regclass) IS
  'whether each part of a table on several servers can be read, and what its server shows of the rows; problem: null if there is none; for the table''s owner and administrators';
