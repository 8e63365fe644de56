-- Roles

/*
 * Roles belong to the whole cluster: another database, a restore or another user may have made
 * them already.  A dpobj_admin that has members is accepted only if it has dpobj's comment and
 * superusers granted all memberships.
 */
DO $body$
DECLARE
  purpose constant text := 'dpobj: members administer privacy budgets, if a superuser granted the membership';
  existing oid := (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'dpobj_admin');
  refused record;
BEGIN
  IF existing IS NULL THEN
    CREATE ROLE dpobj_admin NOLOGIN;
  ELSE
    SELECT m.member::pg_catalog.regrole AS member, m.grantor::pg_catalog.regrole AS grantor INTO refused
      FROM pg_catalog.pg_auth_members m
     WHERE m.roleid = existing
       AND (pg_catalog.shobj_description(existing, 'pg_authid') IS DISTINCT FROM purpose
            OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles g WHERE g.oid = m.grantor AND g.rolsuper))
     ORDER BY m.member::pg_catalog.regrole::pg_catalog.text
     LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'role "dpobj_admin" exists already and has members'
        USING ERRCODE = 'duplicate_object',
              DETAIL = 'Its members would administer privacy budgets. ' || pg_catalog.format(
                CASE WHEN pg_catalog.shobj_description(existing, 'pg_authid') = purpose
                     THEN '%s, who is no superuser, granted it to %s.'
                     ELSE '%s granted it to %s before dpobj was installed.' END, refused.grantor, refused.member),
              HINT = 'Revoke that membership, or drop the role.';
    END IF;
  END IF;
  EXECUTE pg_catalog.format('COMMENT ON ROLE dpobj_admin IS %L', purpose);
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'dpobj_auditor') THEN
    CREATE ROLE dpobj_auditor NOLOGIN;
  END IF;
  COMMENT ON ROLE dpobj_auditor IS 'dpobj: members see all budgets and the whole ledger';
END
$body$;

CREATE FUNCTION dpobj_internal.sees_all() RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = current_user AND r.rolsuper)
        OR EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'dpobj_auditor'
                   AND pg_has_role(current_user, r.oid, 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj_internal.sees_all() IS
  'does the current role see every budget and the whole ledger? superusers and dpobj_auditor';
