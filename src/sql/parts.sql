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

CREATE TRIGGER part_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.parts
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.mark_part and dpobj.unmark_part.');
ALTER TABLE dpobj.parts ENABLE ALWAYS TRIGGER part_guard;
COMMENT ON TRIGGER part_guard ON dpobj.parts IS 'refuses changes but for dpobj''s own functions and superusers';

COMMENT ON TABLE dpobj.parts IS 'declarations of dpobj.mark_part, one row per table';
COMMENT ON INDEX dpobj.parts_pkey IS 'a table is a part of one table';
COMMENT ON COLUMN dpobj.parts.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.parts.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.parts.coordinator IS 'the table that it is a part of: database, schema and name on the other server';
COMMENT ON COLUMN dpobj.parts.role IS 'identity of the role as which the other server connects';
COMMENT ON COLUMN dpobj.parts.origin IS 'server and database in which it was declared, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.parts.object IS 'OID of the table there';

CREATE FUNCTION dpobj.mark_part(relation regclass, coordinator text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_mark_part';
COMMENT ON FUNCTION dpobj.mark_part(regclass, text, regrole) IS
  'declares a table as a part of a table on another server, which connects as the role and reads the rows; for the table''s owner';

CREATE FUNCTION dpobj.unmark_part(relation regclass) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_unmark_part';
COMMENT ON FUNCTION dpobj.unmark_part(regclass) IS
  'takes a declaration of dpobj.mark_part back; for the table''s owner';

CREATE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_part';
COMMENT ON FUNCTION dpobj_internal.part(bytea) IS
  'internal: answers the server of a table that a marked table is a part of, for the role of the mark only';
