-- Privileges that nobody was given

/*
 * The last file: 0.1.0 took its functions from PUBLIC, and what came after it grants for
 * itself, which leaves a list of privileges at each function. One without a list is new
 * and for nobody. What administrators have granted and revoked stays as it is. A
 * superuser runs this, with the extension's schema in search_path: operators of others
 * there would fit these types better than pg_catalog's.
 */
DO $body$
DECLARE
  withheld pg_catalog.regprocedure;
BEGIN
  FOR withheld IN
    SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) p.oid
    WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
          AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
          AND d.refobjid OPERATOR(pg_catalog.=) (SELECT e.oid FROM pg_catalog.pg_extension e
                                                 WHERE e.extname OPERATOR(pg_catalog.=) 'dpobj')
          AND p.pronamespace OPERATOR(pg_catalog.=) 'dpobj'::pg_catalog.regnamespace
          AND d.deptype OPERATOR(pg_catalog.=) 'e' AND p.proacl IS NULL
  LOOP
    EXECUTE pg_catalog.format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', withheld);
  END LOOP;
END
$body$;
