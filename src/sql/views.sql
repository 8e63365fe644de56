-- Features from several tables: what a view may read, and the check that its rows are row-local to a person

/*
 * One row per table that its owner declared public, by its OID: a declaration is about one table of one
 * owner in one database, and a restored database has none.
 */
CREATE TABLE dpobj.public_tables
(
    relation oid PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    owner oid NOT NULL,
    origin text NOT NULL
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.public_tables', '');

COMMENT ON TABLE dpobj.public_tables IS 'declarations of dpobj.declare_public, one row per table';
COMMENT ON INDEX dpobj.public_tables_pkey IS 'a table is declared once';
COMMENT ON COLUMN dpobj.public_tables.relation IS 'OID of the table';
COMMENT ON COLUMN dpobj.public_tables.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.public_tables.owner IS 'OID of the owner who declared it; another owner must declare it anew';
COMMENT ON COLUMN dpobj.public_tables.origin IS 'server and database in which it was declared, as dpobj_internal.origin() says it';

CREATE OR REPLACE FUNCTION dpobj.declare_public(relation regclass, is_public boolean DEFAULT true) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_declare_public';
COMMENT ON FUNCTION dpobj.declare_public(regclass, boolean) IS
  'declares that no row of a table is about a person, so that views join it freely; false takes that back. Only the owner of the table may call it';

CREATE OR REPLACE FUNCTION dpobj.days("from" date, "to" date) RETURNS integer
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_days';
COMMENT ON FUNCTION dpobj.days(date, date) IS 'days from one date to another one; null if one of them is infinite';

CREATE OR REPLACE FUNCTION dpobj_internal.check_view(relation regclass, person text, OUT base regclass, OUT base_person text) RETURNS SETOF record
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_check_view';
COMMENT ON FUNCTION dpobj_internal.check_view(regclass, text) IS
  'internal: the tables that a view reads and their columns of persons, null for public ones; an error if the view is not row-local to the person';
