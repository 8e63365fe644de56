-- dpobj: an update, put together from src/sql/upgrade and the files of src/sql that are new or
-- have changed since that version
\echo Use "ALTER EXTENSION dpobj UPDATE" to load this file. \quit

-- As in schema.sql.
SET LOCAL search_path = pg_catalog, pg_temp;

-- What the update finds: privileges.sql leaves the privileges of these functions.
SELECT set_config('dpobj_script.functions', string_agg(p.oid::text, ','), true)
  FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
 WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
   AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj');
