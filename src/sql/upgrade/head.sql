-- dpobj: an update, put together from src/sql/upgrade and the files of src/sql that are new or
-- have changed since that version
\echo Use "ALTER EXTENSION dpobj UPDATE" to load this file. \quit

-- As in schema.sql.
SET LOCAL search_path = pg_catalog, pg_temp;

-- The objects before the update, whose privileges privileges.sql does not change.
SELECT set_config('dpobj_script.found', jsonb_agg(d.classid || ':' || d.objid)::text, true)
  FROM pg_depend d
 WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
   AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj');


-- The privileges on functions before the update, which functions that replace them get.
SELECT set_config('dpobj_script.privileges', jsonb_object_agg(p.proname, p.grants)::text, true)
  FROM (SELECT p.proname, coalesce(jsonb_agg(DISTINCT jsonb_build_object('role', a.grantee::regrole, 'grantable', a.is_grantable))
                                     FILTER (WHERE a.grantee IS NOT NULL), '[]') AS grants
          FROM pg_depend d
          JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
          JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
          LEFT JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a ON a.grantee <> p.proowner
         WHERE d.deptype = 'e' AND e.extname = 'dpobj'
         GROUP BY p.proname) p;
