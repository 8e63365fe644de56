-- Functions of others with the names of dpobj's

/*
 * A function in the extension's schema with the name of one of dpobj's, whose arguments fit a call
 * better, would be called instead of dpobj's.
 */
DO $body$
DECLARE
  namesake record;
BEGIN
  WITH ours AS (
    SELECT p.oid, p.proname, p.pronamespace
      FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
     WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
       AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
  )
  SELECT p.oid::regprocedure AS function, r.rolname AS owner INTO namesake
    FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
   WHERE p.pronamespace = '@extschema@'::regnamespace AND NOT r.rolsuper
     AND (p.proname, p.pronamespace) IN (SELECT proname, pronamespace FROM ours)
     AND p.oid NOT IN (SELECT oid FROM ours)
   ORDER BY p.oid LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'function % of role "%" has the name of one of dpobj''s', namesake.function, namesake.owner
      USING ERRCODE = 'duplicate_function',
            DETAIL = 'It could capture calls of the extension''s function.',
            HINT = 'Drop or rename it, or create the extension in a schema of its own.';
  END IF;
  IF EXISTS (
    SELECT FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
      LEFT JOIN pg_roles g ON g.oid = a.grantee
      LEFT JOIN pg_roles r
        ON r.oid = CASE g.rolname WHEN 'pg_database_owner'
                     THEN (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()) ELSE g.oid END
    WHERE n.oid = '@extschema@'::regnamespace AND a.privilege_type = 'CREATE' AND r.rolsuper IS NOT TRUE
  ) THEN
    RAISE WARNING 'other roles may create objects in schema %', '@extschema@'
      USING DETAIL = 'A function of theirs could capture calls of dp_halfspace and its like; '
                     'the owner of the schema can drop it, and with it the extension and the ledger.',
            HINT = 'Revoke CREATE on the schema, or create the extension in a schema of its own.';
  END IF;
END
$body$;
