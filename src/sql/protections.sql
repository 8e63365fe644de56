-- The analyst's door: what administrators declare about tables

/*
 * One row per protected table, by its identity: the protection survives a rename, DROP and CREATE
 * under the same name, and a restore.
 */
CREATE TABLE dpobj.protections
(
    relation bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    encoders jsonb NOT NULL,
    adjacency text NOT NULL,
    person text,
    max_rows_per_person integer,
    n bigint,
    ignore_rls boolean NOT NULL,
    earlier_rows_per_person integer,
    holdout_by text,
    CONSTRAINT protection_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT protection_person_bounded CHECK ((person IS NULL) = (max_rows_per_person IS NULL)),
    CONSTRAINT protection_rows_valid CHECK (max_rows_per_person > 0),
    CONSTRAINT protection_n_valid CHECK (n > 0),
    CONSTRAINT protection_earlier_rows_valid
        CHECK (earlier_rows_per_person IS NULL OR person IS NOT NULL AND earlier_rows_per_person > 0),
    CONSTRAINT protection_holdout_valid CHECK (holdout_by IS NULL OR person IS NULL)
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.protections', '');

COMMENT ON TABLE dpobj.protections IS 'declarations of dpobj.protect, one row per table';
COMMENT ON INDEX dpobj.protections_pkey IS 'a table is protected once';
COMMENT ON COLUMN dpobj.protections.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.protections.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protections.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protections.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protections.person IS 'column that says whose row it is; null: each row is somebody else''s';
COMMENT ON COLUMN dpobj.protections.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protections.n IS 'declared number of rows; null: none';
COMMENT ON COLUMN dpobj.protections.ignore_rls IS 'may rows be read that row-level security would hide?';
COMMENT ON COLUMN dpobj.protections.holdout_by IS 'column by whose values rows are dealt between training and rating; null: by the person, or else by all declared columns';

CREATE OR REPLACE FUNCTION dpobj.unprotect(relation regclass) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_unprotect';
COMMENT ON FUNCTION dpobj.unprotect(regclass) IS
  'takes a declaration of dpobj.protect back; for administrators';

CREATE OR REPLACE FUNCTION dpobj.declare(relation regclass) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_declare';
COMMENT ON FUNCTION dpobj.declare(regclass) IS
  'a declaration for dpobj.protect from types and constraints alone, with gaps where they say not enough; free';

CREATE OR REPLACE FUNCTION dpobj.features(encoders jsonb, "row" anyelement) RETURNS float8[]
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_features';
COMMENT ON FUNCTION dpobj.features(jsonb, anyelement) IS
  'features of one row under a declaration of dpobj.protect; null for a neutral row';

CREATE OR REPLACE FUNCTION dpobj.protected_features(relation regclass, columns text[] DEFAULT NULL,
    OUT "position" integer, OUT feature text, OUT column_name text, OUT is_numeric boolean,
    OUT group_number integer, OUT low float8, OUT high float8) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_protected_features';
COMMENT ON FUNCTION dpobj.protected_features(regclass, text[]) IS
  'the features of a protected relation, in the order of a model''s weights';
