-- dpobj: an update, put together from src/sql/upgrade and by scripts/update_sql.pl
\echo Use "ALTER EXTENSION dpobj UPDATE" to load this file. \quit

-- As in schema.sql.
SET LOCAL search_path = pg_catalog, pg_temp;

-- A role that got CREATE on one of the extension's schemas may have made objects there.
DO $body$
DECLARE
  foreigner record;
BEGIN
  SELECT pg_describe_object(o.class, o.object, 0) AS object, o.schema, r.rolname AS owner INTO foreigner
    FROM (SELECT 'pg_proc'::regclass, oid, pronamespace, proowner FROM pg_proc
           UNION ALL
          SELECT 'pg_operator'::regclass, oid, oprnamespace, oprowner FROM pg_operator
           UNION ALL
          SELECT 'pg_type'::regclass, oid, typnamespace, typowner FROM pg_type
           UNION ALL
          SELECT 'pg_class'::regclass, oid, relnamespace, relowner FROM pg_class
           UNION ALL
          SELECT 'pg_collation'::regclass, oid, collnamespace, collowner FROM pg_collation) o(class, object, schema, owner)
    JOIN pg_roles r ON r.oid = o.owner
   WHERE NOT r.rolsuper AND o.schema IN ('dpobj'::regnamespace, 'dpobj_internal'::regnamespace)
     AND NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                      WHERE e.extname = 'dpobj' AND d.deptype = 'e' AND (d.classid, d.objid) = (o.class, o.object))
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE (d.classid, d.objid) = (o.class, o.object) AND d.deptype IN ('a', 'i'))
   ORDER BY object LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% of role "%" is in schema %', foreigner.object, foreigner.owner, foreigner.schema::regnamespace
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Drop it, and revoke CREATE on the schema.';
  END IF;
  IF EXISTS (
    SELECT FROM pg_namespace n, aclexplode(n.nspacl) a
    WHERE n.oid IN ('dpobj'::regnamespace, 'dpobj_internal'::regnamespace) AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
      AND NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = a.grantee AND r.rolsuper)
  ) THEN
    RAISE EXCEPTION 'other roles may create objects in a schema of dpobj'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Revoke CREATE on schemas dpobj and dpobj_internal.';
  END IF;
END
$body$;

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
