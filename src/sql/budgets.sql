-- Budgets

/*
 * One cap per table and role, or per table over all roles (role null), in the
 * units of the ledger, rounded down.  What was spent is not here: it is summed
 * over the ledger, so that no change of a budget resets it.
 */
CREATE TABLE dpobj.budget_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation bigint NOT NULL,
    role bigint,
    accountant text NOT NULL,
    epsilon_nano bigint NOT NULL,
    delta_units bigint NOT NULL,
    max_releases bigint,
    CONSTRAINT budget_accountant_known CHECK (accountant = 'basic'),
    CONSTRAINT budget_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT budget_delta_valid CHECK (delta_units BETWEEN 0 AND 1000000000000000000),
    CONSTRAINT budget_releases_valid CHECK (max_releases >= 0)
);
CREATE UNIQUE INDEX budget_rows_key ON dpobj.budget_rows (relation, (coalesce(role, 0)));
COMMENT ON TABLE dpobj.budget_rows IS 'privacy budgets; written by dpobj.set_budget and dpobj.drop_budget only';
COMMENT ON SEQUENCE dpobj.budget_rows_id_seq IS 'numbers of budgets';
COMMENT ON INDEX dpobj.budget_rows_key IS 'one budget per table and role, one per table over all roles';
COMMENT ON COLUMN dpobj.budget_rows.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_rows.role IS 'identity of the role or group; null: all roles together';
COMMENT ON COLUMN dpobj.budget_rows.accountant IS 'how costs add up: basic, their sum';
COMMENT ON COLUMN dpobj.budget_rows.epsilon_nano IS 'cap of epsilon in units of 1e-9, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.delta_units IS 'cap of delta in units of 1e-18, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.max_releases IS 'cap of the number of charges; null: none';

-- A role that may write every table may not write these.
CREATE TRIGGER budget_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.budget_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
CREATE TRIGGER identity_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.identities
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
CREATE TRIGGER lineage_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.lineage
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
ALTER TABLE dpobj.budget_rows ENABLE ALWAYS TRIGGER budget_guard;
ALTER TABLE dpobj.identities ENABLE ALWAYS TRIGGER identity_guard;
ALTER TABLE dpobj.lineage ENABLE ALWAYS TRIGGER lineage_guard;
COMMENT ON TRIGGER budget_guard ON dpobj.budget_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON TRIGGER identity_guard ON dpobj.identities IS 'refuses changes but for the charge worker and superusers';
COMMENT ON TRIGGER lineage_guard ON dpobj.lineage IS 'refuses changes but for the charge worker and superusers';

REVOKE ALL ON TABLE dpobj.identities, dpobj.lineage, dpobj.budget_rows FROM PUBLIC;
REVOKE ALL ON SEQUENCE dpobj.identities_id_seq, dpobj.budget_rows_id_seq FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.identities', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.identities_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.lineage', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows_id_seq', '');

/*
 * What each budget has spent, for the charge worker and the views: the one
 * definition, together with dpobj.budget_exceeded below.  A row that is replaced is
 * one that goes and one that comes: what is (epsilon, delta)-private under
 * add_remove is (2 epsilon, (1 + e^epsilon) delta)-private under replace (PRIVACY.md
 * 0), and delta is rounded up with a unit to spare for the last digits of exp().
 * Nothing follows the other way round; such a charge is refused by
 * src/server/charge_protection.c.  A charge counts for a table if it read rows of that table: it was
 * made on the table, on a descendant, or on an ancestor of one of these.
 */
CREATE VIEW dpobj.budget_state AS
SELECT b.id,
       b.relation,
       b.role,
       b.accountant,
       b.epsilon_nano,
       b.delta_units,
       b.max_releases,
       s.epsilon_nano AS epsilon_spent,
       s.delta_units AS delta_spent,
       s.releases,
       u.adjacency
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT coalesce((SELECT p.adjacency FROM dpobj.protections p WHERE p.relation = b.relation),
                        'replace') AS adjacency) u
 CROSS JOIN LATERAL
       (SELECT coalesce(pg_catalog.sum(e.epsilon_nano) FILTER (WHERE e.adjacency = u.adjacency), 0)
                 + 2 * coalesce(pg_catalog.sum(e.epsilon_nano) FILTER (WHERE e.adjacency <> u.adjacency), 0)
                 AS epsilon_nano,
               coalesce(pg_catalog.sum(e.delta_units) FILTER (WHERE e.adjacency = u.adjacency), 0)
                 + coalesce(pg_catalog.sum(
                     pg_catalog.ceil(e.delta_units * (1 + pg_catalog.exp(e.epsilon_nano * 0.000000001))) + 1)
                     FILTER (WHERE e.adjacency <> u.adjacency AND e.delta_units > 0), 0)
                 AS delta_units,
               pg_catalog.count(*) AS releases
          FROM dpobj.ledger_events e
         WHERE e.event = 'charged'
           AND e.relation_identity = ANY (
                 -- most tables have no relatives, and the recursion takes longer than the sum
                 CASE WHEN EXISTS (SELECT FROM dpobj.lineage l WHERE l.ancestor = b.relation)
                        OR EXISTS (SELECT FROM dpobj.lineage l WHERE l.descendant = b.relation)
                      THEN ARRAY(
                        WITH RECURSIVE
                          down(id) AS (SELECT b.relation UNION
                                       SELECT l.descendant FROM dpobj.lineage l JOIN down ON l.ancestor = down.id),
                          up(id) AS (SELECT id FROM down UNION
                                     SELECT l.ancestor FROM dpobj.lineage l JOIN up ON l.descendant = up.id)
                        SELECT id FROM up)
                      ELSE ARRAY[b.relation] END)
           AND (b.role IS NULL OR b.role = ANY (e.payers))) s;
REVOKE ALL ON TABLE dpobj.budget_state FROM PUBLIC;
COMMENT ON VIEW dpobj.budget_state IS 'budgets and what the ledger says was spent of them, in units of the ledger';
COMMENT ON COLUMN dpobj.budget_state.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_state.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_state.role IS 'identity of the role or group; null: all roles together';
COMMENT ON COLUMN dpobj.budget_state.accountant IS 'how costs add up';
COMMENT ON COLUMN dpobj.budget_state.epsilon_nano IS 'cap of epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.budget_state.delta_units IS 'cap of delta in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budget_state.epsilon_spent IS 'charged epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.budget_state.delta_spent IS 'charged delta in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.releases IS 'number of charges';
COMMENT ON COLUMN dpobj.budget_state.adjacency IS 'under which costs are added up: the protected table''s, else replace';

CREATE FUNCTION dpobj.budget_exceeded(tables bigint[], payers bigint[], epsilon_nano bigint,
    delta_units bigint, adjacency text) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('The budget of %s on table %s has %s.',
             CASE WHEN b.role IS NULL THEN 'all roles' ELSE format('role "%s"', r.name) END, t.name,
             CASE
               WHEN NOT fits.epsilon THEN format('epsilon: %s spent, %s asked, %s left of %s',
                 trim_scale(b.epsilon_spent * 0.000000001), trim_scale(asked.epsilon_nano * 0.000000001),
                 trim_scale(greatest(b.epsilon_nano - b.epsilon_spent, 0) * 0.000000001),
                 trim_scale(b.epsilon_nano * 0.000000001))
               WHEN NOT fits.delta THEN format('delta: %s spent, %s asked, %s left of %s',
                 trim_scale(b.delta_spent * 0.000000000000000001), trim_scale(asked.delta_units * 0.000000000000000001),
                 trim_scale(greatest(b.delta_units - b.delta_spent, 0) * 0.000000000000000001),
                 trim_scale(b.delta_units * 0.000000000000000001))
               ELSE format('releases: %s spent, 1 asked, %s left of %s', b.releases,
                 greatest(b.max_releases - b.releases, 0), b.max_releases)
             END)
      FROM dpobj.budget_state b
      JOIN dpobj.identities t ON t.id = b.relation
      LEFT JOIN dpobj.identities r ON r.id = b.role
     CROSS JOIN LATERAL
           (SELECT CASE WHEN $5 = b.adjacency THEN $3 ELSE 2 * $3::numeric END AS epsilon_nano,
                   CASE WHEN $5 = b.adjacency OR $4 = 0 THEN $4
                        ELSE ceil($4 * (1 + exp($3 * 0.000000001))) + 1 END AS delta_units) asked
     CROSS JOIN LATERAL
           (SELECT b.epsilon_spent + asked.epsilon_nano <= b.epsilon_nano AS epsilon,
                   b.delta_spent + asked.delta_units <= b.delta_units AS delta,
                   coalesce(b.releases < b.max_releases, true) AS releases) fits
     WHERE b.relation = ANY ($1) AND (b.role IS NULL OR b.role = ANY ($2))
       AND NOT (fits.epsilon AND fits.delta AND fits.releases)
     ORDER BY b.relation, b.role
     LIMIT 1
  $$;
COMMENT ON FUNCTION dpobj.budget_exceeded(bigint[], bigint[], bigint, bigint, text) IS
  'internal: of the budgets that apply, the first that a cost does not fit into; null: it fits';

/*
 * Roles see the budgets of their own and of their groups, and on the same tables
 * the cap over all roles; superusers and auditors see all.
 */
CREATE VIEW dpobj.budgets WITH (security_barrier) AS
WITH RECURSIVE
  mine(role) AS (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = session_user
                 UNION
                 SELECT m.roleid FROM pg_catalog.pg_auth_members m JOIN mine ON m.member = mine.role),
  own(id) AS (SELECT i.id FROM dpobj.identity_roles i WHERE i.role IN (SELECT role FROM mine))
SELECT t.relation::regclass AS relation,
       r.role_name AS role,
       b.accountant,
       pg_catalog.trim_scale(b.epsilon_nano * 0.000000001) AS epsilon_limit,
       pg_catalog.trim_scale(b.epsilon_spent * 0.000000001) AS epsilon_spent,
       pg_catalog.trim_scale(greatest(b.epsilon_nano - b.epsilon_spent, 0) * 0.000000001) AS epsilon_left,
       pg_catalog.trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
       pg_catalog.trim_scale(b.delta_spent * 0.000000000000000001) AS delta_spent,
       pg_catalog.trim_scale(greatest(b.delta_units - b.delta_spent, 0) * 0.000000000000000001) AS delta_left,
       b.releases,
       b.max_releases,
       t.relation_name,
       CASE WHEN b.role IS NULL THEN NULL ELSE coalesce(r.role_name, r.recorded_name) END AS role_name
  FROM dpobj.budget_state b
  JOIN dpobj.identity_tables t ON t.id = b.relation
  LEFT JOIN dpobj.identity_roles r ON r.id = b.role
 WHERE b.role IN (SELECT id FROM own)
    OR b.role IS NULL
       AND EXISTS (SELECT FROM dpobj.budget_rows o
                   WHERE o.relation = b.relation AND o.role IN (SELECT id FROM own))
    OR dpobj.sees_all();
REVOKE ALL ON TABLE dpobj.budgets FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.budgets TO PUBLIC;
COMMENT ON VIEW dpobj.budgets IS 'privacy budgets: those that cap the session''s role; all for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.budgets.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.budgets.role IS 'role or group; null with a null role_name: all roles together';
COMMENT ON COLUMN dpobj.budgets.accountant IS 'how costs add up: basic, their sum';
COMMENT ON COLUMN dpobj.budgets.epsilon_limit IS 'cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_spent IS 'charged epsilon, from the ledger';
COMMENT ON COLUMN dpobj.budgets.epsilon_left IS 'what is left of the cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.delta_limit IS 'cap of delta';
COMMENT ON COLUMN dpobj.budgets.delta_spent IS 'charged delta, from the ledger';
COMMENT ON COLUMN dpobj.budgets.delta_left IS 'what is left of the cap of delta';
COMMENT ON COLUMN dpobj.budgets.releases IS 'number of charges, from the ledger';
COMMENT ON COLUMN dpobj.budgets.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budgets.relation_name IS 'name of the table when a charge or a budget last touched it';
COMMENT ON COLUMN dpobj.budgets.role_name IS 'name of the role, also of one that is gone; null: all roles together';

CREATE FUNCTION dpobj.set_budget(relation regclass, role regrole, epsilon numeric, delta numeric,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_set_budget';
COMMENT ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint) IS
  'caps what a role, a group or, with a null role, all roles together may spend on a table';

CREATE FUNCTION dpobj.drop_budget(relation regclass, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_drop_budget';
COMMENT ON FUNCTION dpobj.drop_budget(regclass, regrole) IS
  'removes a budget; what was spent stays in the ledger';

CREATE FUNCTION dpobj.confirm_epoch() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_confirm_epoch';
COMMENT ON FUNCTION dpobj.confirm_epoch() IS
  'allows releases again after a restore or a promotion';

CREATE FUNCTION dpobj.remaining(relation regclass, role regrole DEFAULT NULL)
  RETURNS TABLE (epsilon numeric, delta numeric, releases bigint)
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
  #variable_conflict use_column
  DECLARE
    payer constant oid := coalesce(role::oid, (SELECT oid FROM pg_roles WHERE rolname = session_user));
  BEGIN
    IF payer <> (SELECT oid FROM pg_roles WHERE rolname = session_user) AND NOT dpobj.sees_all() THEN
      RAISE EXCEPTION 'permission denied to see the privacy budget of another role'
        USING ERRCODE = 'insufficient_privilege',
              HINT = 'Members of dpobj_auditor see all budgets.';
    END IF;
    RETURN QUERY
      WITH RECURSIVE
        payers(role) AS (SELECT payer UNION
                         SELECT m.roleid FROM pg_auth_members m JOIN payers p ON m.member = p.role),
        tables(relation) AS (SELECT remaining.relation::oid UNION
                             SELECT h.inhparent FROM pg_inherits h JOIN tables t ON h.inhrelid = t.relation)
      SELECT min(b.epsilon_left), min(b.delta_left),
             min(CASE WHEN b.max_releases IS NOT NULL THEN greatest(b.max_releases - b.releases, 0) END)
      FROM dpobj.budgets b
      WHERE b.relation::oid IN (SELECT t.relation FROM tables t)
        AND (b.role_name IS NULL
             OR b.role IN (SELECT r.rolname FROM payers p JOIN pg_roles r ON r.oid = p.role))
      HAVING count(*) > 0;
  END
  $$;
COMMENT ON FUNCTION dpobj.remaining(regclass, regrole) IS
  'what the budgets of a role on a table leave, at least of all that apply; no row: no budget applies';
