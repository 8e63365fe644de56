-- dpobj: an update, put together from src/sql/upgrade and the files of src/sql that are new or
-- have changed since that version
\echo Use "ALTER EXTENSION dpobj UPDATE" to load this file. \quit

-- As in schema.sql.
SET LOCAL search_path = pg_catalog, pg_temp;

-- What the update finds: privileges.sql leaves the privileges of these objects.
SELECT set_config('dpobj_script.found', jsonb_agg(d.classid || ':' || d.objid)::text, true)
  FROM pg_depend d
 WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
   AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj');

