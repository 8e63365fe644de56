-- What was spent of budgets, and what is left

/*
 * The charges that count for a table are those on it, on its descendants, and on the ancestors of
 * all these.  A recursive query takes milliseconds even if its result is not used, so it is in a
 * function, which is called only for tables that have relatives other than their population.
 */
CREATE OR REPLACE VIEW dpobj.families AS
SELECT i.id,
       CASE WHEN EXISTS (SELECT FROM dpobj.lineage l WHERE l.ancestor = i.id)
              OR EXISTS (SELECT FROM dpobj.lineage l WHERE l.descendant = i.id
                            AND NOT EXISTS (SELECT FROM dpobj.populations o WHERE o.population = l.ancestor))
            THEN dpobj_internal.relatives(i.id)
            ELSE i.id || ARRAY(SELECT t.population FROM dpobj.population_tables t WHERE t.relation = i.id) END AS members
  FROM dpobj.identities i
 WHERE i.kind = 'table';
COMMENT ON VIEW dpobj.families IS 'tables whose charges count for each other''s budgets: a charge on one reads rows of the other';
COMMENT ON COLUMN dpobj.families.id IS 'identity of a table';
COMMENT ON COLUMN dpobj.families.members IS 'identities of the tables whose charges count for it, its own included';

/*
 * Charges for single rows count in a population for as many rows as dpobj.protect was told for their
 * table.  None gets into a population otherwise; if one did, it would count for the most rows that can be said.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.rows_in_population(population bigint, charged bigint) RETURNS integer
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(max(t.rows), 100000)
      FROM dpobj.population_tables t JOIN dpobj.families f ON f.id = t.relation
     WHERE t.population = $1 AND $2 = ANY (f.members)
  $$;
COMMENT ON FUNCTION dpobj_internal.rows_in_population(bigint, bigint) IS
  'internal: for how many rows of a person a charge for a single row of a table counts in a population';

-- The spending of each budget by the ledger, which the running sums must equal.
CREATE OR REPLACE VIEW dpobj.budget_sums AS
SELECT b.id,
       u.adjacency,
       s.cost,
       s.delta,
       s.releases
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT coalesce((SELECT p.adjacency FROM dpobj.units p WHERE p.relation = b.relation), 'replace') AS adjacency,
               (SELECT p.rows FROM dpobj.units p WHERE p.relation = b.relation) AS rows,
               EXISTS (SELECT FROM dpobj.populations o WHERE o.population = b.relation) AS is_population,
               pg_catalog.array_position(dpobj_internal.rdp_orders(), b.rdp_order) AS place,
               (SELECT f.members FROM dpobj.families f WHERE f.id = b.relation) AS members) u
 CROSS JOIN LATERAL
       (SELECT coalesce(pg_catalog.sum(e.times * dpobj_internal.cost_under(c.cost, u.adjacency, b.accountant, u.place)), 0) AS cost,
               coalesce(pg_catalog.sum(e.times * dpobj_internal.delta_under(c.cost, u.adjacency, b.accountant)), 0) AS delta,
               coalesce(pg_catalog.sum(e.times), 0)::bigint AS releases
          FROM dpobj.charge_counts e
         CROSS JOIN LATERAL
               (SELECT CASE WHEN e.person IS NULL THEN
                         CASE WHEN u.is_population THEN dpobj_internal.rows_in_population(b.relation, e.relation_identity)
                              ELSE u.rows END END AS rows) r
         CROSS JOIN LATERAL
               (SELECT CASE WHEN r.rows IS NOT NULL
                            THEN dpobj_internal.cost_of_rows(e.adjacency, e.pair, e.pair_terms, e.epsilon_nano, e.delta_units, r.rows)
                            ELSE ROW(e.adjacency, e.epsilon_nano, e.delta_units, e.rho_pico, e.rho_delta, e.rdp_pico,
                                     e.rdp_delta, e.rdp_replaced)::dpobj.charge_cost END AS cost) c
         WHERE e.relation_identity = ANY (u.members)
           AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))) s;
COMMENT ON VIEW dpobj.budget_sums IS 'what was spent of each budget, summed over the charges that the ledger counts';
COMMENT ON COLUMN dpobj.budget_sums.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_sums.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budget_sums.cost IS 'sum of costs, in the units of cost_limit';
COMMENT ON COLUMN dpobj.budget_sums.delta IS 'sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_sums.releases IS 'number of charges';

-- The spending of each budget for the charge worker and the views, by the running sums if there are any.
CREATE OR REPLACE VIEW dpobj.budget_state AS
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
       coalesce((SELECT p.adjacency FROM dpobj.units p WHERE p.relation = b.relation), 'replace') AS adjacency
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT b.cost_spent AS cost, b.delta_spent AS delta, b.releases_spent AS releases
         WHERE b.cost_spent IS NOT NULL
        UNION ALL
        SELECT l.cost, l.delta, l.releases
          FROM dpobj.budget_sums l
         WHERE b.cost_spent IS NULL AND l.id = b.id) s;
COMMENT ON VIEW dpobj.budget_state IS 'budgets and what was spent of them, in units of the ledger';
COMMENT ON COLUMN dpobj.budget_state.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_state.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_state.role IS 'identity of the role or group; null: all roles together; -1: the limit of the table''s owner';
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

/*
 * The first line says what does not fit, the last line what to do.  Names may contain line breaks;
 * they are in the first line only.  In PL/pgSQL a session keeps the plan, which takes milliseconds to make.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.budget_exceeded(tables bigint[], payers bigint[], cost dpobj.charge_cost) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
  AS $$
  #variable_conflict use_column
  BEGIN
    RETURN (
    SELECT format(E'%s on %s %s has %s.\n%s %s.',
             CASE WHEN b.role IS NULL THEN 'The budget of all roles' WHEN b.role = -1 THEN 'The owner''s limit'
                  ELSE format('The budget of role "%s"', r.name) END,
             CASE WHEN EXISTS (SELECT FROM dpobj.populations o WHERE o.population = b.relation) THEN 'population' ELSE 'table' END, t.name,
             CASE
               WHEN NOT fits.releases THEN format('releases: %s spent, 1 asked, %s left of %s', b.releases,
                 greatest(b.max_releases - b.releases, 0), b.max_releases)
               WHEN fits.overspent THEN format('%s: %s spent, which is more than its limit of %s, so that nothing more can be charged',
                 words.delta, trim_scale(b.delta_spent * 0.000000000000000001),
                 trim_scale(b.reserve_units * 0.000000000000000001))
               WHEN NOT fits.cost THEN concat(
                 dpobj_internal.cost_text(b.accountant, b.rdp_order, b.cost_spent, asked.cost, b.cost_limit),
                 CASE WHEN b.accountant <> 'basic' AND room.epsilon > 0
                      THEN format('. Epsilon up to %s with delta 0 fits', trim_scale(room.epsilon * 0.000000001)) END)
               ELSE format('%s: %s spent, %s asked, %s left of %s', words.delta,
                 trim_scale(b.delta_spent * 0.000000000000000001), trim_scale(asked.delta * 0.000000000000000001),
                 trim_scale((b.reserve_units - b.delta_spent) * 0.000000000000000001),
                 trim_scale(b.reserve_units * 0.000000000000000001))
             END,
             CASE WHEN NOT fits.releases OR fits.overspent OR room.epsilon = 0 THEN 'Ask ' ELSE 'Ask for less, or ask ' END
               || CASE WHEN b.role = -1 THEN 'the owner of the table' ELSE 'a member of dpobj_admin' END,
             CASE
               WHEN NOT fits.releases THEN 'to allow more releases: ' || words.again
               WHEN NOT fits.delta AND b.accountant <> 'basic' AND (fits.overspent OR fits.cost) THEN
                 'to reserve more delta: ' || words.again
               WHEN b.role = -1 THEN concat('to raise the limit: dpobj.limit_budget(relation, epsilon, delta, reason',
                 ', ''' || nullif(b.accountant, 'basic') || '''', ')')
               WHEN fits.overspent THEN 'to raise delta: dpobj.raise_budget(relation, role, 0, delta, reason)'
               ELSE 'to raise the budget: dpobj.raise_budget(relation, role, epsilon, delta, reason)'
             END)
      FROM dpobj.budget_state b
      JOIN dpobj.identities t ON t.id = b.relation
      LEFT JOIN dpobj.identities r ON r.id = b.role
     CROSS JOIN LATERAL
           (SELECT dpobj_internal.cost_under($3, b.adjacency, b.accountant,
                     array_position(dpobj_internal.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj_internal.delta_under($3, b.adjacency, b.accountant) AS delta) asked
     CROSS JOIN LATERAL
           (SELECT b.cost_spent + asked.cost <= b.cost_limit AS cost,
                   b.delta_spent + asked.delta <= b.reserve_units AS delta,
                   b.delta_spent > b.reserve_units AS overspent,
                   coalesce(b.releases < b.max_releases, true) AS releases) fits
     CROSS JOIN LATERAL
           (SELECT dpobj_internal.largest_epsilon(b.accountant, b.rdp_order, b.cost_limit - b.cost_spent) AS epsilon) room
     CROSS JOIN LATERAL
           (SELECT CASE b.accountant WHEN 'basic' THEN 'delta' ELSE 'delta reserved for releases' END AS delta,
                   -- a call that sets the budget again, with all its present limits
                   format('dpobj.%s, ''%s'', max_releases%s)',
                     CASE WHEN b.role = -1 THEN 'limit_budget(relation, epsilon, delta, reason'
                          ELSE 'set_budget(relation, role, epsilon, delta' END,
                     b.accountant, CASE WHEN b.accountant <> 'basic' THEN ', delta_reserve => ...' END) AS again) words
     WHERE b.relation = ANY ($1) AND (coalesce(b.role, -1) = -1 OR b.role = ANY ($2))
       AND (fits.cost AND fits.delta AND fits.releases) IS NOT TRUE
     ORDER BY b.relation, b.role
     LIMIT 1);
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.budget_exceeded(bigint[], bigint[], dpobj.charge_cost) IS
  'internal: the first applying budget that a cost does not fit into, and what to do; null: it fits';

/*
 * Roles see the budgets of their own and of their groups, and on the same tables and on their
 * populations the cap over all roles and the owner's limit; owners see their limit; superusers and auditors see all.
 */
CREATE OR REPLACE VIEW dpobj.budgets_seen AS
WITH RECURSIVE
  mine(role) AS (SELECT dpobj_internal.reader()
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
       CASE WHEN b.delta_spent > b.reserve_units THEN 0
            ELSE pg_catalog.trim_scale(dpobj_internal.largest_epsilon(b.accountant, b.rdp_order, b.cost_limit - b.cost_spent)
                                       * 0.000000001) END AS largest_epsilon,
       b.adjacency,
       b.id AS budget,
       coalesce(b.role = -1, false) AS of_owner
  FROM dpobj.budget_state b
  JOIN dpobj.identity_tables t ON t.id = b.relation
  LEFT JOIN dpobj.identity_roles r ON r.id = b.role
 CROSS JOIN LATERAL
       (SELECT dpobj_internal.composed_epsilon(b.accountant, b.rdp_order, b.cost_spent, b.delta_units - b.reserve_units)
                 AS epsilon_spent,
               CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) c
 WHERE b.role IN (SELECT id FROM own)
    OR coalesce(b.role, -1) = -1
       AND EXISTS (SELECT FROM dpobj.budget_rows o
                   WHERE o.role IN (SELECT id FROM own)
                     AND (o.relation = b.relation
                          OR o.relation IN (SELECT t.relation FROM dpobj.population_tables t WHERE t.population = b.relation)))
    OR b.role = -1
       AND dpobj_internal.table_owner(t.relation) IN (SELECT role FROM mine)
    OR dpobj_internal.reader_sees_all();
COMMENT ON VIEW dpobj.budgets_seen IS 'dpobj.budgets of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_budgets() RETURNS SETOF dpobj.budgets_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_budgets() IS 'internal: dpobj.budgets_seen for the reader';
CREATE OR REPLACE VIEW dpobj.budgets AS SELECT * FROM dpobj_internal.see_budgets();
COMMENT ON VIEW dpobj.budgets IS 'privacy budgets: those that cap the session''s role; all for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.budgets.relation IS 'the table; null if no table has the recorded OID or name any more';
COMMENT ON COLUMN dpobj.budgets.role IS 'role or group; null with a null role_name: all roles together';
COMMENT ON COLUMN dpobj.budgets.accountant IS 'what is added up: basic, epsilon; zcdp, rho; rdp, the Renyi divergence of order rdp_order';
COMMENT ON COLUMN dpobj.budgets.epsilon_limit IS 'cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_spent IS 'epsilon of all charges together, at the cap of delta without the reserve; null: no finite epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_left IS 'what is left of the cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.delta_limit IS 'cap of delta';
COMMENT ON COLUMN dpobj.budgets.delta_spent IS 'charged deltas, plus the delta of the conversion once anything is charged';
COMMENT ON COLUMN dpobj.budgets.delta_left IS 'what is left for deltas of releases';
COMMENT ON COLUMN dpobj.budgets.releases IS 'number of charges, from the ledger';
COMMENT ON COLUMN dpobj.budgets.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budgets.relation_name IS 'name of the table when a charge or a budget last touched it';
COMMENT ON COLUMN dpobj.budgets.role_name IS 'name of the role, also of a dropped one; null: all roles together';
COMMENT ON COLUMN dpobj.budgets.rdp_order IS 'rdp: order of the divergence, fixed when the budget was made';
COMMENT ON COLUMN dpobj.budgets.cost_limit IS 'cap of what is added up: of epsilon, rho or the divergence';
COMMENT ON COLUMN dpobj.budgets.cost_spent IS 'the sum so far';
COMMENT ON COLUMN dpobj.budgets.largest_epsilon IS 'largest epsilon of one more release with delta = 0; 0 if more delta was spent than the limit';
COMMENT ON COLUMN dpobj.budgets.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budgets.budget IS 'number of the budget';
COMMENT ON COLUMN dpobj.budgets.of_owner IS 'whether it is the limit of the table''s owner, which holds for all roles together';

/*
 * How many more releases like the last one fit into a budget.  The last one is the last that
 * dpobj.ledger shows to the session's role.
 */
CREATE OR REPLACE VIEW dpobj.odometer_seen AS
SELECT v.relation,
       v.role_name AS role,
       b.accountant,
       last.id AS release,
       last.mechanism,
       pg_catalog.trim_scale(last.epsilon_nano * 0.000000001) AS epsilon,
       pg_catalog.trim_scale(last.delta_units * 0.000000000000000001) AS delta,
       CASE WHEN b.delta_spent > b.reserve_units THEN 0
            ELSE greatest(least(pg_catalog.div(b.cost_limit - b.cost_spent, nullif(k.cost, 0)),
                                pg_catalog.div(b.reserve_units - b.delta_spent, nullif(k.delta, 0)),
                                b.max_releases - b.releases), 0) END AS more
  FROM dpobj.budget_state b
  JOIN dpobj.budgets_seen v ON v.budget = b.id
 CROSS JOIN LATERAL
       (SELECT max(c.last) AS id FROM dpobj.charge_counts c
         WHERE c.relation_identity = ANY ((SELECT f.members FROM dpobj.families f WHERE f.id = b.relation)::bigint[])
           AND (coalesce(b.role, -1) = -1 OR b.role = ANY (c.payers))
           AND (dpobj_internal.reader_sees_all()
                OR c.role_identity IN (SELECT i.id FROM dpobj.identity_roles i WHERE i.role = dpobj_internal.reader()))) newest
  JOIN dpobj.ledger_events last ON last.id = newest.id
 CROSS JOIN LATERAL
       (SELECT dpobj_internal.cost_under(c.cost, b.adjacency, b.accountant,
                 pg_catalog.array_position(dpobj_internal.rdp_orders(), b.rdp_order)) AS cost,
               dpobj_internal.delta_under(c.cost, b.adjacency, b.accountant) AS delta
          FROM (SELECT ROW(last.adjacency, last.epsilon_nano, last.delta_units, last.rho_pico, last.rho_delta,
                           last.rdp_pico, last.rdp_delta, last.rdp_replaced)::dpobj.charge_cost AS cost) c) k;
COMMENT ON VIEW dpobj.odometer_seen IS 'dpobj.odometer of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_odometer() RETURNS SETOF dpobj.odometer_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_odometer() IS 'internal: dpobj.odometer_seen for the reader';
CREATE OR REPLACE VIEW dpobj.odometer AS SELECT * FROM dpobj_internal.see_odometer();
COMMENT ON VIEW dpobj.odometer IS 'how many more releases like the last one of the session''s role fit into each budget that dpobj.budgets shows; of any role for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.odometer.relation IS 'the table; null if no table has the recorded OID or name any more';
COMMENT ON COLUMN dpobj.odometer.role IS 'role or group; null: all roles together';
COMMENT ON COLUMN dpobj.odometer.accountant IS 'what is added up';
COMMENT ON COLUMN dpobj.odometer.release IS 'ledger id of the last visible charge that counts for the budget';
COMMENT ON COLUMN dpobj.odometer.mechanism IS 'its mechanism';
COMMENT ON COLUMN dpobj.odometer.epsilon IS 'its epsilon';
COMMENT ON COLUMN dpobj.odometer.delta IS 'its delta';
COMMENT ON COLUMN dpobj.odometer.more IS 'number of such releases that still fit; null: any number';

CREATE OR REPLACE FUNCTION dpobj_internal.budgets_applying(relation regclass, role regrole) RETURNS SETOF dpobj.budgets
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
  #variable_conflict use_column
  DECLARE
    payer constant oid := coalesce(role::oid, dpobj_internal.reader());
  BEGIN
    IF payer <> dpobj_internal.reader() AND NOT dpobj_internal.sees_all() THEN
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
      WHERE b.relation::oid IN (SELECT t.relation FROM tables t
                                UNION SELECT dpobj_internal.population_of(t.relation) FROM tables t)
        AND (b.role_name IS NULL
             OR b.role IN (SELECT r.rolname FROM payers p JOIN pg_roles r ON r.oid = p.role));
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.budgets_applying(regclass, regrole) IS
  'the budgets that a release by a role from a table must fit into; null: the session''s role';

CREATE OR REPLACE FUNCTION dpobj.remaining(relation regclass, role regrole DEFAULT NULL)
  RETURNS TABLE (epsilon numeric, delta numeric, releases bigint)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT min(b.largest_epsilon), min(b.delta_left),
           min(CASE WHEN b.max_releases IS NOT NULL THEN greatest(b.max_releases - b.releases, 0) END)
      FROM dpobj_internal.budgets_applying($1, $2) b
    HAVING count(*) > 0
  $$;
COMMENT ON FUNCTION dpobj.remaining(regclass, regrole) IS
  'largest cost of one more release of a role on a table under all budgets that apply; no row: no budget applies';

CREATE OR REPLACE FUNCTION dpobj_internal.calls_that_fit(relation regclass, cost dpobj.charge_cost) RETURNS numeric
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT min(CASE WHEN b.delta_spent > b.delta_limit THEN 0
                    ELSE greatest(least(div((b.cost_limit - b.cost_spent) / k.one, nullif(k.cost, 0)),
                                        div(b.delta_left / 0.000000000000000001, nullif(k.delta, 0)),
                                        b.max_releases - b.releases), 0) END)
      FROM dpobj_internal.budgets_applying($1, NULL) b
     CROSS JOIN LATERAL
           (SELECT CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one,
                   dpobj_internal.cost_under($2, b.adjacency, b.accountant,
                     array_position(dpobj_internal.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj_internal.delta_under($2, b.adjacency, b.accountant) AS delta) k
  $$;
COMMENT ON FUNCTION dpobj_internal.calls_that_fit(regclass, dpobj.charge_cost) IS
  'how many releases of that cost fit into the budgets of the session''s role; null: any number';
