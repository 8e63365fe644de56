-- Roles

/*
 * Roles belong to the whole cluster: another database, a restore or another user may have made
 * them already.  They are known by a setting that only superusers can give to a role and take from
 * it: a name is no proof, because in PostgreSQL 15 every role with CREATEROLE can rename roles.  A
 * dump of the roles has the setting, so it holds after a restore and in all databases.
 *
 * A dpobj_admin without the setting is of another user or of a version before 0.3.0.  It is taken
 * if it has no members, or has dpobj's comment and superusers granted all memberships.  An update
 * does not ask: its members administered before.
 */
DO $body$
DECLARE
  purpose constant text := 'dpobj: members administer privacy budgets, if a superuser granted the membership';
  kind text;
  marked oid;
  refused record;
BEGIN
  FOREACH kind IN ARRAY ARRAY['admin', 'auditor'] LOOP
    marked := (SELECT min(s.setrole) FROM pg_catalog.pg_db_role_setting s
                WHERE s.setdatabase = 0 AND 'dpobj.role=' || kind = ANY (s.setconfig));
    CONTINUE WHEN marked IS NOT NULL;
    marked := (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = 'dpobj_' || kind);
    IF marked IS NULL THEN
      EXECUTE pg_catalog.format('CREATE ROLE dpobj_%s NOLOGIN', kind);
    ELSIF kind = 'admin' AND pg_catalog.current_setting('dpobj_script.found') = '[]' THEN
      SELECT m.member::pg_catalog.regrole AS member, m.grantor::pg_catalog.regrole AS grantor INTO refused
        FROM pg_catalog.pg_auth_members m
       WHERE m.roleid = marked
         AND (pg_catalog.shobj_description(marked, 'pg_authid') IS DISTINCT FROM purpose
              OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles g WHERE g.oid = m.grantor AND g.rolsuper))
       ORDER BY m.member::pg_catalog.regrole::pg_catalog.text
       LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'role "dpobj_admin" exists already and has members'
          USING ERRCODE = 'duplicate_object',
                DETAIL = 'Its members would administer privacy budgets. ' || pg_catalog.format(
                  CASE WHEN pg_catalog.shobj_description(marked, 'pg_authid') = purpose
                       THEN '%s, who is no superuser, granted it to %s.'
                       ELSE '%s granted it to %s before dpobj was installed.' END, refused.grantor, refused.member),
                HINT = 'Revoke that membership, or drop the role.';
      END IF;
    END IF;
    EXECUTE pg_catalog.format('COMMENT ON ROLE dpobj_%s IS %L', kind, CASE kind WHEN 'admin' THEN purpose
      ELSE 'dpobj: members see all budgets and the whole ledger, if a superuser granted the membership' END);
    EXECUTE pg_catalog.format('ALTER ROLE dpobj_%s SET dpobj.role = %L', kind, kind);
  END LOOP;
END
$body$;

-- The views of what a role may see are in dpobj's schemas twice: one that ends in _seen, which only the owner of
-- the extension reads, and one over it for all (src/server/base/seen_query.c).
CREATE OR REPLACE FUNCTION dpobj_internal.reader() RETURNS oid
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_reader';
COMMENT ON FUNCTION dpobj_internal.reader() IS
  'internal: the role whose rows views show: the session user; in a SECURITY DEFINER function and in maintenance the current user';

CREATE OR REPLACE FUNCTION dpobj_internal.sees_all() RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_sees_all';
COMMENT ON FUNCTION dpobj_internal.sees_all() IS
  'does the current role see every budget and the whole ledger? superusers and those to whom a superuser granted dpobj_auditor';
