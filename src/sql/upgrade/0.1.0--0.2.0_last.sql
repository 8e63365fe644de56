-- What else changed in the files that 0.1.0 had

-- Privileges of what is new

/*
 * 0.1.0 took its functions from PUBLIC, which leaves a list of privileges at each of
 * them: those without one are new.  What administrators have granted and revoked since
 * stays as it is; so privileges.sql, which grants everything, is not run again.
 */
DO $body$
DECLARE
  new_function pg_catalog.regprocedure;
BEGIN
  FOR new_function IN
    SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_depend d ON d.objid = p.oid
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e'
          AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
          AND d.refobjid = (SELECT e.oid FROM pg_catalog.pg_extension e WHERE e.extname = 'dpobj')
          AND p.pronamespace = 'dpobj'::pg_catalog.regnamespace AND p.proacl IS NULL
  LOOP
    EXECUTE pg_catalog.format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', new_function);
  END LOOP;
END
$body$;
