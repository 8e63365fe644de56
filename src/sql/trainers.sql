-- Who may train at the owner's door

/*
 * The aggregates read whatever their caller can read, so only owners and roles that they trust may
 * call them.  Concurrent grants on one function fail, so a second call waits until the transaction
 * of the first has ended.
 */
CREATE OR REPLACE FUNCTION dpobj.grant_trainer(role regrole) RETURNS void
  LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    aggregate regprocedure;
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = role) THEN
      RAISE EXCEPTION 'role with OID % does not exist', role USING ERRCODE = 'undefined_object';
    END IF;
    LOCK TABLE pg_proc IN SHARE UPDATE EXCLUSIVE MODE;
    FOR aggregate IN
      SELECT p.oid
      FROM pg_depend d
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
      JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
      WHERE e.extname = 'dpobj' AND d.deptype = 'e' AND p.prokind IN ('a', 'w')
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', aggregate, role);
    END LOOP;
  END
  $$;
COMMENT ON FUNCTION dpobj.grant_trainer(regrole) IS
  'lets a trusted role call the training aggregates of the owner''s door';

COMMENT ON COLUMN @extschema@.dp_model.guarantee IS
  'exact, float, conditional (the details say on what) or unproven';
