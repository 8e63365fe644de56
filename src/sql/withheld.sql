-- Privileges that nobody was given

/*
 * The last file: 0.1.0 took its functions from PUBLIC, and what came after it grants for
 * itself, which leaves a list of privileges at each function. One without a list is new
 * and for nobody. What administrators have granted and revoked stays as it is.
 */
DO $body$
DECLARE
  withheld pg_catalog.regprocedure;
BEGIN
  FOR withheld IN
    SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_depend d ON d.objid = p.oid
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e'
          AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
          AND d.refobjid = (SELECT e.oid FROM pg_catalog.pg_extension e WHERE e.extname = 'dpobj')
          AND p.pronamespace = 'dpobj'::pg_catalog.regnamespace AND p.proacl IS NULL
  LOOP
    EXECUTE pg_catalog.format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', withheld);
  END LOOP;
END
$body$;
