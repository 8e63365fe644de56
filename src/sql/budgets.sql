-- Budgets

/*
 * One cap per table and role, or per table over all roles (role null), in the
 * units of the ledger, rounded down.  Costs are added up by one accountant, fixed when the
 * budget is made (PRIVACY.md 0.1 C5), and held under cost_limit; deltas that it does not
 * cover, under reserve_units.
 *
 * cost_spent, delta_spent and releases_spent are sums over the ledger.  The charge worker
 * adds to them in the transaction that writes the charge, under a lock on this row, so that they
 * are what dpobj.budget_sums says.  Whatever else could change that sum sets all three to null,
 * and the next charge adds up the ledger anew: no change of a budget resets what was spent.
 */
CREATE TABLE dpobj.budget_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation bigint NOT NULL,
    role bigint,
    accountant text NOT NULL,
    rdp_order integer,
    epsilon_nano bigint NOT NULL,
    delta_units bigint NOT NULL,
    reserve_units bigint NOT NULL,
    cost_limit bigint NOT NULL,
    max_releases bigint,
    cost_spent numeric,
    delta_spent numeric,
    releases_spent bigint,
    CONSTRAINT budget_accountant_known CHECK (accountant IN ('basic', 'zcdp', 'rdp')),
    CONSTRAINT budget_order_fixed CHECK ((accountant = 'rdp') = (rdp_order IS NOT NULL)),
    CONSTRAINT budget_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT budget_delta_valid CHECK (delta_units BETWEEN 0 AND 1000000000000000000),
    CONSTRAINT budget_reserve_valid CHECK (reserve_units BETWEEN 0 AND delta_units),
    CONSTRAINT budget_limit_valid CHECK (cost_limit >= 0),
    CONSTRAINT budget_releases_valid CHECK (max_releases >= 0),
    CONSTRAINT budget_sums_together CHECK ((cost_spent IS NULL) = (delta_spent IS NULL)
        AND (cost_spent IS NULL) = (releases_spent IS NULL))
);
CREATE UNIQUE INDEX budget_rows_key ON dpobj.budget_rows (relation, (coalesce(role, 0)));
COMMENT ON TABLE dpobj.budget_rows IS 'privacy budgets; written by dpobj.set_budget and dpobj.drop_budget only';
COMMENT ON SEQUENCE dpobj.budget_rows_id_seq IS 'numbers of budgets';
COMMENT ON INDEX dpobj.budget_rows_key IS 'one budget per table and role, one per table over all roles';
COMMENT ON COLUMN dpobj.budget_rows.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_rows.role IS 'identity of the role or group; null: all roles together';
COMMENT ON COLUMN dpobj.budget_rows.accountant IS 'what is added up: basic, epsilon; zcdp, rho; rdp, the Renyi divergence of one order';
COMMENT ON COLUMN dpobj.budget_rows.rdp_order IS 'rdp: that order';
COMMENT ON COLUMN dpobj.budget_rows.reserve_units IS 'the part of the cap of delta that is for deltas of releases, in units of 1e-18; the rest is for the conversion';
COMMENT ON COLUMN dpobj.budget_rows.cost_limit IS 'cap of the sum of costs: epsilon in units of 1e-9, rho or divergence in units of 1e-12';
COMMENT ON COLUMN dpobj.budget_rows.cost_spent IS 'sum of costs; null: to be summed over the ledger by the next charge';
COMMENT ON COLUMN dpobj.budget_rows.delta_spent IS 'sum of deltas in units of 1e-18; null likewise';
COMMENT ON COLUMN dpobj.budget_rows.releases_spent IS 'number of charges; null likewise';
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
 * Whose charges count for a table: those made on it, on a descendant, or on an ancestor of one of
 * these.  Functions, because a query that holds a recursion makes room for its result each time,
 * in milliseconds, even where it is not asked; and most tables have no relatives.
 */
CREATE FUNCTION dpobj.relatives(id bigint) RETURNS bigint[]
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH RECURSIVE
      down(id) AS (SELECT $1 UNION
                   SELECT l.descendant FROM dpobj.lineage l JOIN down ON l.ancestor = down.id),
      up(id) AS (SELECT id FROM down UNION
                 SELECT l.ancestor FROM dpobj.lineage l JOIN up ON l.descendant = up.id)
    SELECT array_agg(id) FROM up
  $$;
COMMENT ON FUNCTION dpobj.relatives(bigint) IS
  'internal: identities of a table, its descendants and all ancestors of these, by what was charged';

-- Has a table rows of another one now? It may be another parent of a child.
CREATE FUNCTION dpobj.shares_rows(id bigint, other bigint) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH RECURSIVE
      down(object) AS (SELECT i.object FROM dpobj.identities i WHERE i.id = $1 UNION
                       SELECT h.inhrelid FROM pg_inherits h JOIN down d ON h.inhparent = d.object),
      up(object) AS (SELECT object FROM down UNION
                     SELECT h.inhparent FROM pg_inherits h JOIN up u ON h.inhrelid = u.object)
    SELECT EXISTS (SELECT FROM up JOIN dpobj.identities i ON i.object = up.object
                   WHERE i.id = $2 AND i.origin = dpobj.origin())
  $$;
COMMENT ON FUNCTION dpobj.shares_rows(bigint, bigint) IS
  'internal: are two tables, by their identities, parents of one table now, or one of the other?';

CREATE VIEW dpobj.families AS
SELECT i.id,
       CASE WHEN EXISTS (SELECT FROM dpobj.lineage l WHERE l.ancestor = i.id)
              OR EXISTS (SELECT FROM dpobj.lineage l WHERE l.descendant = i.id)
            THEN dpobj.relatives(i.id)
            ELSE ARRAY[i.id] END AS members
  FROM dpobj.identities i
 WHERE i.kind = 'table';
REVOKE ALL ON TABLE dpobj.families FROM PUBLIC;
COMMENT ON VIEW dpobj.families IS 'tables whose charges and budgets concern each other: a charge on one reads rows of the other';
COMMENT ON COLUMN dpobj.families.id IS 'identity of a table';
COMMENT ON COLUMN dpobj.families.members IS 'identities of the tables whose charges count for it, its own among them';

-- What the ledger says each budget has spent; charge_counts.sql says it faster.
CREATE VIEW dpobj.budget_sums AS
SELECT b.id,
       u.adjacency,
       s.cost,
       s.delta,
       s.releases
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT coalesce((SELECT p.adjacency FROM dpobj.protections p WHERE p.relation = b.relation),
                        'replace') AS adjacency,
               pg_catalog.array_position(dpobj.rdp_orders(), b.rdp_order) AS place,
               (SELECT f.members FROM dpobj.families f WHERE f.id = b.relation) AS members) u
 CROSS JOIN LATERAL
       (SELECT coalesce(pg_catalog.sum(dpobj.cost_under(c.cost, u.adjacency, b.accountant, u.place)), 0) AS cost,
               coalesce(pg_catalog.sum(dpobj.delta_under(c.cost, u.adjacency, b.accountant)), 0) AS delta,
               pg_catalog.count(*) AS releases
          FROM dpobj.ledger_events e
         CROSS JOIN LATERAL
               (SELECT ROW(e.adjacency, e.epsilon_nano, e.delta_units, e.rho_pico, e.rho_delta, e.rdp_pico,
                           e.rdp_delta, e.rdp_replaced)::dpobj.charge_cost AS cost) c
         WHERE e.event = 'charged'
           AND e.relation_identity = ANY (u.members)
           AND (b.role IS NULL OR b.role = ANY (e.payers))) s;
REVOKE ALL ON TABLE dpobj.budget_sums FROM PUBLIC;
COMMENT ON VIEW dpobj.budget_sums IS 'what was spent of each budget, summed over the ledger';
COMMENT ON COLUMN dpobj.budget_sums.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_sums.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budget_sums.cost IS 'sum of costs, in the units of cost_limit';
COMMENT ON COLUMN dpobj.budget_sums.delta IS 'sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_sums.releases IS 'number of charges';

-- The same for the charge worker and the views, by the running sums where there are any.
CREATE VIEW dpobj.budget_state AS
SELECT b.id,
       b.relation,
       b.role,
       b.accountant,
       b.rdp_order,
       b.epsilon_nano,
       b.delta_units,
       b.reserve_units,
       b.cost_limit,
       b.max_releases,
       s.cost AS cost_spent,
       s.delta AS delta_spent,
       s.releases,
       coalesce((SELECT p.adjacency FROM dpobj.protections p WHERE p.relation = b.relation),
                'replace') AS adjacency
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT b.cost_spent AS cost, b.delta_spent AS delta, b.releases_spent AS releases
         WHERE b.cost_spent IS NOT NULL
        UNION ALL
        SELECT l.cost, l.delta, l.releases
          FROM dpobj.budget_sums l
         WHERE b.cost_spent IS NULL AND l.id = b.id) s;
REVOKE ALL ON TABLE dpobj.budget_state FROM PUBLIC;
COMMENT ON VIEW dpobj.budget_state IS 'budgets and what was spent of them, in units of the ledger';
COMMENT ON COLUMN dpobj.budget_state.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_state.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_state.role IS 'identity of the role or group; null: all roles together';
COMMENT ON COLUMN dpobj.budget_state.accountant IS 'what is added up';
COMMENT ON COLUMN dpobj.budget_state.rdp_order IS 'rdp: order of the divergence';
COMMENT ON COLUMN dpobj.budget_state.epsilon_nano IS 'cap of epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.budget_state.delta_units IS 'cap of delta in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.reserve_units IS 'cap of the sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.cost_limit IS 'cap of the sum of costs';
COMMENT ON COLUMN dpobj.budget_state.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budget_state.cost_spent IS 'sum of costs, in the units of cost_limit';
COMMENT ON COLUMN dpobj.budget_state.delta_spent IS 'sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.releases IS 'number of charges';
COMMENT ON COLUMN dpobj.budget_state.adjacency IS 'under which costs are added up: the protected table''s, else replace';

CREATE FUNCTION dpobj.cost_text(accountant text, rdp_order integer, spent numeric, asked numeric,
    cap numeric) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s: %s spent, %s asked, %s left of %s',
             CASE $1 WHEN 'basic' THEN 'epsilon' WHEN 'zcdp' THEN 'rho'
                     ELSE format('Renyi divergence of order %s', $2) END,
             trim_scale($3 * u.one),
             CASE WHEN $4 < 9223372036854775807 THEN trim_scale($4 * u.one)::text ELSE 'more than can be counted' END,
             trim_scale(greatest($5 - $3, 0) * u.one), trim_scale($5 * u.one))
      FROM (SELECT CASE $1 WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) u
  $$;
COMMENT ON FUNCTION dpobj.cost_text(text, integer, numeric, numeric, numeric) IS
  'internal: a sum of costs and what is left, in words';

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
       pg_catalog.trim_scale(c.epsilon_spent * 0.000000001) AS epsilon_spent,
       pg_catalog.trim_scale(greatest(b.epsilon_nano - c.epsilon_spent, 0) * 0.000000001) AS epsilon_left,
       pg_catalog.trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
       pg_catalog.trim_scale((b.delta_spent + CASE WHEN b.releases > 0 THEN b.delta_units - b.reserve_units ELSE 0 END)
                             * 0.000000000000000001) AS delta_spent,
       pg_catalog.trim_scale(greatest(b.reserve_units - b.delta_spent, 0) * 0.000000000000000001) AS delta_left,
       b.releases,
       b.max_releases,
       t.relation_name,
       CASE WHEN b.role IS NULL THEN NULL ELSE coalesce(r.role_name, r.recorded_name) END AS role_name,
       b.rdp_order,
       pg_catalog.trim_scale(b.cost_limit * c.one) AS cost_limit,
       pg_catalog.trim_scale(b.cost_spent * c.one) AS cost_spent,
       pg_catalog.trim_scale(dpobj.largest_epsilon(b.accountant, b.rdp_order, b.cost_limit - b.cost_spent)
                             * 0.000000001) AS largest_epsilon,
       b.adjacency,
       b.id AS budget
  FROM dpobj.budget_state b
  JOIN dpobj.identity_tables t ON t.id = b.relation
  LEFT JOIN dpobj.identity_roles r ON r.id = b.role
 CROSS JOIN LATERAL
       (SELECT dpobj.composed_epsilon(b.accountant, b.rdp_order, b.cost_spent, b.delta_units - b.reserve_units)
                 AS epsilon_spent,
               CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) c
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
COMMENT ON COLUMN dpobj.budgets.accountant IS 'what is added up: basic, epsilon; zcdp, rho; rdp, the Renyi divergence of order rdp_order';
COMMENT ON COLUMN dpobj.budgets.epsilon_limit IS 'cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_spent IS 'what the charges cost together: epsilon at the cap of delta less what is reserved; null: nothing finite';
COMMENT ON COLUMN dpobj.budgets.epsilon_left IS 'what is left of the cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.delta_limit IS 'cap of delta';
COMMENT ON COLUMN dpobj.budgets.delta_spent IS 'charged deltas, and what the conversion takes once anything is charged';
COMMENT ON COLUMN dpobj.budgets.delta_left IS 'what is left for deltas of releases';
COMMENT ON COLUMN dpobj.budgets.releases IS 'number of charges, from the ledger';
COMMENT ON COLUMN dpobj.budgets.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budgets.relation_name IS 'name of the table when a charge or a budget last touched it';
COMMENT ON COLUMN dpobj.budgets.role_name IS 'name of the role, also of one that is gone; null: all roles together';
COMMENT ON COLUMN dpobj.budgets.rdp_order IS 'rdp: order of the divergence, fixed when the budget was made';
COMMENT ON COLUMN dpobj.budgets.cost_limit IS 'cap of what is added up: of epsilon, rho or the divergence';
COMMENT ON COLUMN dpobj.budgets.cost_spent IS 'the sum so far';
COMMENT ON COLUMN dpobj.budgets.largest_epsilon IS 'the most that one more release with delta = 0 may cost';
COMMENT ON COLUMN dpobj.budgets.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budgets.budget IS 'number of the budget';

CREATE FUNCTION dpobj.set_budget(relation regclass, role regrole, epsilon numeric, delta numeric,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL,
    rdp_order integer DEFAULT NULL, delta_reserve numeric DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_set_budget';
COMMENT ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint, integer, numeric) IS
  'caps what a role, a group or, with a null role, all roles together may spend on a table; accountant: basic, zcdp or rdp';

CREATE FUNCTION dpobj.raise_budget(relation regclass, role regrole, epsilon numeric, delta numeric,
    reason text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_raise_budget';
COMMENT ON FUNCTION dpobj.raise_budget(regclass, regrole, numeric, numeric, text) IS
  'adds to the caps of a budget, for a reason that the ledger keeps';

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

CREATE FUNCTION dpobj.budgets_applying(relation regclass, role regrole) RETURNS SETOF dpobj.budgets
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
        tables(relation) AS (SELECT budgets_applying.relation::oid UNION
                             SELECT h.inhparent FROM pg_inherits h JOIN tables t ON h.inhrelid = t.relation)
      SELECT b.*
      FROM dpobj.budgets b
      WHERE b.relation::oid IN (SELECT t.relation FROM tables t)
        AND (b.role_name IS NULL
             OR b.role IN (SELECT r.rolname FROM payers p JOIN pg_roles r ON r.oid = p.role));
  END
  $$;
COMMENT ON FUNCTION dpobj.budgets_applying(regclass, regrole) IS
  'the budgets that a release by a role from a table must fit into; null: the session''s role';

CREATE FUNCTION dpobj.remaining(relation regclass, role regrole DEFAULT NULL)
  RETURNS TABLE (epsilon numeric, delta numeric, releases bigint)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT min(b.largest_epsilon), min(b.delta_left),
           min(CASE WHEN b.max_releases IS NOT NULL THEN greatest(b.max_releases - b.releases, 0) END)
      FROM dpobj.budgets_applying($1, $2) b
    HAVING count(*) > 0
  $$;
COMMENT ON FUNCTION dpobj.remaining(regclass, regrole) IS
  'the most that one more release of a role may cost on a table, by all budgets that apply; no row: no budget applies';

CREATE FUNCTION dpobj.calls_that_fit(relation regclass, cost dpobj.charge_cost) RETURNS numeric
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT min(greatest(least(div((b.cost_limit - b.cost_spent) / k.one, nullif(k.cost, 0)),
                              div(b.delta_left / 0.000000000000000001, nullif(k.delta, 0)),
                              b.max_releases - b.releases), 0))
      FROM dpobj.budgets_applying($1, NULL) b
     CROSS JOIN LATERAL
           (SELECT CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one,
                   dpobj.cost_under($2, b.adjacency, b.accountant,
                     array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj.delta_under($2, b.adjacency, b.accountant) AS delta) k
  $$;
COMMENT ON FUNCTION dpobj.calls_that_fit(regclass, dpobj.charge_cost) IS
  'how many releases of that cost fit into the budgets of the session''s role; null: any number';
