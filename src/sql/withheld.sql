-- Privileges that nobody was given

/*
 * When all functions are there: 0.1.0 took its functions from PUBLIC, and what came after it
 * grants for itself, which leaves a list of privileges at each function. One without a list is
 * new and for nobody. What administrators have granted and revoked stays as it is.
 */
DO $body$
DECLARE
  withheld regprocedure;
BEGIN
  FOR withheld IN
    SELECT p.oid FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid
    WHERE d.classid = 'pg_proc'::regclass
          AND d.refclassid = 'pg_extension'::regclass
          AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
          AND p.pronamespace = 'dpobj'::regnamespace
          AND d.deptype = 'e' AND p.proacl IS NULL
  LOOP
    EXECUTE format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', withheld);
  END LOOP;
END
$body$;
