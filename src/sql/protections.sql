-- The analyst's door: what administrators declare about tables

/*
 * One row per protected relation.  Found by name, since OIDs do not survive a
 * restore: a relation that is renamed has to be protected again.
 */
CREATE TABLE dpobj.protections
(
    schema_name text NOT NULL,
    relation_name text NOT NULL,
    relation oid NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    encoders jsonb NOT NULL,
    adjacency text NOT NULL,
    person text,
    max_rows_per_person integer,
    n bigint,
    ignore_rls boolean NOT NULL,
    CONSTRAINT protections_pkey PRIMARY KEY (schema_name, relation_name),
    CONSTRAINT protection_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT protection_person_bounded CHECK ((person IS NULL) = (max_rows_per_person IS NULL)),
    CONSTRAINT protection_rows_valid CHECK (max_rows_per_person > 0),
    CONSTRAINT protection_n_valid CHECK (n > 0)
);
REVOKE ALL ON TABLE dpobj.protections FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.protections', '');
CREATE TRIGGER protection_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.protections
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.budget_refuse_change();
ALTER TABLE dpobj.protections ENABLE ALWAYS TRIGGER protection_guard;
COMMENT ON TRIGGER protection_guard ON dpobj.protections IS 'refuses changes but for dpobj''s own functions and superusers';

COMMENT ON TABLE dpobj.protections IS 'declarations of dpobj.protect, one row per relation';
COMMENT ON INDEX dpobj.protections_pkey IS 'a relation is protected once';
COMMENT ON COLUMN dpobj.protections.schema_name IS 'schema of the relation';
COMMENT ON COLUMN dpobj.protections.relation_name IS 'name of the relation';
COMMENT ON COLUMN dpobj.protections.relation IS 'OID that the relation had then; meaningless after a restore';
COMMENT ON COLUMN dpobj.protections.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protections.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protections.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protections.person IS 'column that says whose row it is; null: each row is somebody else''s';
COMMENT ON COLUMN dpobj.protections.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protections.n IS 'declared number of rows; null: none';
COMMENT ON COLUMN dpobj.protections.ignore_rls IS 'may rows be read that row-level security would hide?';

CREATE VIEW dpobj.protected AS
SELECT c.oid::regclass AS relation,
       pg_catalog.format('%I.%I', p.schema_name, p.relation_name) AS relation_name,
       p.at,
       p.encoders,
       p.adjacency,
       p.person,
       p.max_rows_per_person,
       p.n,
       p.ignore_rls
  FROM dpobj.protections p
  LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = p.schema_name
  LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = p.relation_name;
REVOKE ALL ON TABLE dpobj.protected FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.protected TO PUBLIC;

COMMENT ON VIEW dpobj.protected IS 'relations that analysts may be given a budget for, and how their columns become features';
COMMENT ON COLUMN dpobj.protected.relation IS 'the relation that has that name now; null when there is none';
COMMENT ON COLUMN dpobj.protected.relation_name IS 'schema-qualified, quoted name';
COMMENT ON COLUMN dpobj.protected.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protected.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protected.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protected.person IS 'column that says whose row it is';
COMMENT ON COLUMN dpobj.protected.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protected.n IS 'declared number of rows';
COMMENT ON COLUMN dpobj.protected.ignore_rls IS 'may rows be read that row-level security would hide?';

CREATE FUNCTION dpobj.protect(relation regclass, encoders jsonb, adjacency text DEFAULT 'replace',
    person text DEFAULT NULL, max_rows_per_person integer DEFAULT NULL, n bigint DEFAULT NULL,
    ignore_rls boolean DEFAULT false) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_protect';
COMMENT ON FUNCTION dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean) IS
  'declares how the columns of a table become features, and who its neighbours are; for administrators';

CREATE FUNCTION dpobj.features(encoders jsonb, "row" anyelement) RETURNS float8[]
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_features';
COMMENT ON FUNCTION dpobj.features(jsonb, anyelement) IS
  'features of one row under a declaration of dpobj.protect; null for a neutral row';

CREATE FUNCTION dpobj.protected_features(relation regclass, columns text[] DEFAULT NULL,
    OUT "position" integer, OUT feature text, OUT column_name text, OUT is_numeric boolean,
    OUT group_number integer, OUT low float8, OUT high float8) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_protected_features';
COMMENT ON FUNCTION dpobj.protected_features(regclass, text[]) IS
  'the features of a protected relation, in the order of a model''s weights';

CREATE FUNCTION dpobj.scan_digest(relation regclass, label text, features text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, with_digest boolean DEFAULT true,
    OUT "rows" bigint, OUT neutral bigint, OUT distinct_rows bigint, OUT digest bytea) RETURNS record
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_scan_digest';
COMMENT ON FUNCTION dpobj.scan_digest(regclass, text, text[], jsonb, boolean) IS
  'internal, for tests and superusers only: what a scan of a protected relation reads';
