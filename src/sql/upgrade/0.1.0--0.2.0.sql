-- dpobj: what version 0.2.0 changed in objects of 0.1.0

/*
 * The script of 0.1.0 looked names up in the extension's schema, so its views, defaults of columns
 * and constraints may use objects of other roles, which superusers would go on calling.  And a role
 * that got CREATE on schema dpobj since may have made objects there.
 */
DO $body$
DECLARE
  foreigner record;
BEGIN
  WITH RECURSIVE
    ours(class, object) AS (
      SELECT d.classid, d.objid FROM pg_depend d
       WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
         AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
      UNION
      SELECT d.classid, d.objid FROM ours o
        JOIN pg_depend d ON d.refclassid = o.class AND d.refobjid = o.object AND d.deptype IN ('a', 'i')
       WHERE d.classid IN ('pg_rewrite'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass,
                           'pg_class'::regclass, 'pg_type'::regclass)
    ),
    owned(class, object, schema, owner) AS (
      SELECT 'pg_proc'::regclass, oid, pronamespace, proowner FROM pg_proc
       UNION ALL
      SELECT 'pg_operator'::regclass, oid, oprnamespace, oprowner FROM pg_operator
       UNION ALL
      SELECT 'pg_operator'::regclass, o.oid, o.oprnamespace, p.proowner
        FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode
       UNION ALL
      SELECT 'pg_type'::regclass, oid, typnamespace, typowner FROM pg_type
       UNION ALL
      SELECT 'pg_class'::regclass, oid, relnamespace, relowner FROM pg_class
       UNION ALL
      SELECT 'pg_collation'::regclass, oid, collnamespace, collowner FROM pg_collation
    )
  SELECT pg_describe_object(o.class, o.object, 0) AS object, r.rolname AS owner,
         (SELECT min(pg_describe_object(u.class, u.object, 0))
            FROM ours u JOIN pg_depend d ON d.classid = u.class AND d.objid = u.object
           WHERE d.refclassid = o.class AND d.refobjid = o.object) AS captive
    INTO foreigner
    FROM owned o JOIN pg_roles r ON r.oid = o.owner
   WHERE NOT r.rolsuper
     AND NOT EXISTS (SELECT FROM ours u WHERE u.class = o.class AND u.object = o.object)
     AND (o.schema = 'dpobj'::regnamespace
          OR EXISTS (SELECT FROM ours u JOIN pg_depend d ON d.classid = u.class AND d.objid = u.object
                     WHERE d.refclassid = o.class AND d.refobjid = o.object))
   ORDER BY captive, object LIMIT 1;
  IF foreigner.captive IS NOT NULL THEN
    RAISE EXCEPTION '% uses % of role "%"', foreigner.captive, foreigner.object, foreigner.owner
      USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'It was in the extension''s schema before the extension, and superusers call it.',
            HINT = 'Dump the database, and restore it into a new one on a server that has the new version.';
  ELSIF FOUND THEN
    RAISE EXCEPTION '% of role "%" is in schema dpobj', foreigner.object, foreigner.owner
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Drop it, and revoke CREATE on the schema.';
  END IF;
  IF EXISTS (
    SELECT FROM pg_namespace n, aclexplode(n.nspacl) a
    WHERE n.oid = 'dpobj'::regnamespace AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
      AND NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = a.grantee AND r.rolsuper)
  ) THEN
    RAISE EXCEPTION 'other roles may create objects in schema dpobj'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Revoke CREATE on the schema.';
  END IF;
END
$body$;

