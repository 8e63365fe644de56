-- Limits of a table's owner on all budgets

/*
 * A limit is a budget over all roles whose role is -1, which is no identity (src/server/budget.c).
 * Charges count and lock it as any other budget, and no function of administrators can name it.
 */
COMMENT ON COLUMN dpobj.budget_rows.role IS 'identity of the role or group; null: all roles together; -1: all roles together, the limit of the table''s owner';
COMMENT ON COLUMN dpobj.budget_state.role IS 'identity of the role or group; null: all roles together; -1: the limit of the table''s owner';
COMMENT ON TABLE dpobj.budget_rows IS 'privacy budgets; written by dpobj.set_budget, dpobj.drop_budget and dpobj.limit_budget only';
COMMENT ON COLUMN dpobj.ledger_events.event IS 'charged: before any noise is drawn; released: before the answer is sent; failed: nothing was released, the charge stays; protect, unprotect, set_budget, raise_budget, drop_budget, limit_budget, confirm_epoch: administration';
COMMENT ON COLUMN dpobj.ledger.event IS 'charged, released, failed, protect, unprotect, set_budget, raise_budget, drop_budget, limit_budget or confirm_epoch; charged alone means: may have been released';

CREATE FUNCTION dpobj.limit_budget(relation regclass, epsilon numeric, delta numeric, reason text DEFAULT NULL,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL, rdp_order integer DEFAULT NULL,
    delta_reserve numeric DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_limit_budget';
COMMENT ON FUNCTION dpobj.limit_budget(regclass, numeric, numeric, text, text, bigint, integer, numeric) IS
  'for the owner of a table: caps what all roles together may spend on it, whatever administrators give; a limit is raised, or with null for epsilon and delta removed, for a reason';

CREATE OR REPLACE FUNCTION dpobj.budget_exceeded(tables bigint[], payers bigint[], cost dpobj.charge_cost) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s on table %s has %s.',
             CASE WHEN b.role IS NULL THEN 'The budget of all roles' WHEN b.role = -1 THEN 'The owner''s limit'
                  ELSE format('The budget of role "%s"', r.name) END, t.name,
             CASE
               WHEN NOT fits.cost THEN
                 dpobj.cost_text(b.accountant, b.rdp_order, b.cost_spent, asked.cost, b.cost_limit)
               WHEN NOT fits.delta THEN format('%s: %s spent, %s asked, %s left of %s',
                 CASE b.accountant WHEN 'basic' THEN 'delta' ELSE 'delta reserved for releases' END,
                 trim_scale(b.delta_spent * 0.000000000000000001), trim_scale(asked.delta * 0.000000000000000001),
                 trim_scale(greatest(b.reserve_units - b.delta_spent, 0) * 0.000000000000000001),
                 trim_scale(b.reserve_units * 0.000000000000000001))
               ELSE format('releases: %s spent, 1 asked, %s left of %s', b.releases,
                 greatest(b.max_releases - b.releases, 0), b.max_releases)
             END)
      FROM dpobj.budget_state b
      JOIN dpobj.identities t ON t.id = b.relation
      LEFT JOIN dpobj.identities r ON r.id = b.role
     CROSS JOIN LATERAL
           (SELECT dpobj.cost_under($3, b.adjacency, b.accountant,
                     array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj.delta_under($3, b.adjacency, b.accountant) AS delta) asked
     CROSS JOIN LATERAL
           (SELECT b.cost_spent + asked.cost <= b.cost_limit AS cost,
                   b.delta_spent + asked.delta <= b.reserve_units AS delta,
                   coalesce(b.releases < b.max_releases, true) AS releases) fits
     WHERE b.relation = ANY ($1) AND (coalesce(b.role, -1) = -1 OR b.role = ANY ($2))
       AND (fits.cost AND fits.delta AND fits.releases) IS NOT TRUE
     ORDER BY b.relation, b.role
     LIMIT 1
  $$;
COMMENT ON FUNCTION dpobj.budget_exceeded(bigint[], bigint[], dpobj.charge_cost) IS
  'internal: of the budgets that apply, the first that a cost does not fit into; null: it fits';

CREATE OR REPLACE VIEW dpobj.budgets WITH (security_barrier) AS
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
       b.id AS budget,
       coalesce(b.role = -1, false) AS of_owner
  FROM dpobj.budget_state b
  JOIN dpobj.identity_tables t ON t.id = b.relation
  LEFT JOIN dpobj.identity_roles r ON r.id = b.role
 CROSS JOIN LATERAL
       (SELECT dpobj.composed_epsilon(b.accountant, b.rdp_order, b.cost_spent, b.delta_units - b.reserve_units)
                 AS epsilon_spent,
               CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) c
 WHERE b.role IN (SELECT id FROM own)
    OR coalesce(b.role, -1) = -1
       AND EXISTS (SELECT FROM dpobj.budget_rows o
                   WHERE o.relation = b.relation AND o.role IN (SELECT id FROM own))
    OR b.role = -1
       AND EXISTS (SELECT FROM pg_catalog.pg_class k
                   WHERE k.oid = t.relation AND k.relowner IN (SELECT role FROM mine))
    OR dpobj.sees_all();
COMMENT ON COLUMN dpobj.budgets.of_owner IS 'is it the limit that the owner of the table has set? It holds for all roles together';

/*
 * The odometer of a budget: how many more releases like the last one fit.  The last one is the last
 * that dpobj.ledger shows to the session's role.
 */
CREATE OR REPLACE VIEW dpobj.odometer WITH (security_barrier) AS
SELECT v.relation,
       v.role_name AS role,
       b.accountant,
       last.id AS release,
       last.mechanism,
       pg_catalog.trim_scale(last.epsilon_nano * 0.000000001) AS epsilon,
       pg_catalog.trim_scale(last.delta_units * 0.000000000000000001) AS delta,
       greatest(least(pg_catalog.div(b.cost_limit - b.cost_spent, nullif(k.cost, 0)),
                      pg_catalog.div(b.reserve_units - b.delta_spent, nullif(k.delta, 0)),
                      b.max_releases - b.releases), 0) AS more
  FROM dpobj.budget_state b
  JOIN dpobj.budgets v ON v.budget = b.id
 CROSS JOIN LATERAL
       (SELECT e.* FROM dpobj.ledger_events e
         WHERE e.event = 'charged'
           AND e.relation_identity = ANY ((SELECT f.members FROM dpobj.families f WHERE f.id = b.relation)::bigint[])
           AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))
           AND (e.role_identity IN (SELECT id FROM dpobj.identity_roles WHERE role_name = session_user)
                OR dpobj.sees_all())
         ORDER BY e.id DESC LIMIT 1) last
 CROSS JOIN LATERAL
       (SELECT dpobj.cost_under(c.cost, b.adjacency, b.accountant,
                 pg_catalog.array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
               dpobj.delta_under(c.cost, b.adjacency, b.accountant) AS delta
          FROM (SELECT ROW(last.adjacency, last.epsilon_nano, last.delta_units, last.rho_pico, last.rho_delta,
                           last.rdp_pico, last.rdp_delta, last.rdp_replaced)::dpobj.charge_cost AS cost) c) k;
REVOKE ALL ON TABLE dpobj.odometer FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.odometer TO PUBLIC;
COMMENT ON VIEW dpobj.odometer IS 'how many more releases like the last one of the session''s role fit into each budget that dpobj.budgets shows; of any role for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.odometer.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.odometer.role IS 'role or group; null: all roles together';
COMMENT ON COLUMN dpobj.odometer.accountant IS 'what is added up';
COMMENT ON COLUMN dpobj.odometer.release IS 'ledger id of the last charge that counts for the budget and may be seen';
COMMENT ON COLUMN dpobj.odometer.mechanism IS 'its mechanism';
COMMENT ON COLUMN dpobj.odometer.epsilon IS 'its epsilon';
COMMENT ON COLUMN dpobj.odometer.delta IS 'its delta';
COMMENT ON COLUMN dpobj.odometer.more IS 'how many more of its kind fit; null: any number';

CREATE OR REPLACE FUNCTION dpobj.report_budget(budget jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      dpobj.report_lines(format('%s on %s: epsilon %s, delta %s by %s%s%s',
        CASE WHEN ($1 -> 'of_owner')::boolean THEN 'the owner''s limit, for all roles together,'
             WHEN ($1 -> 'all_roles')::boolean THEN 'all roles together' ELSE 'role ' || ($1 ->> 'role') END,
        $1 ->> 'relation_name', $1 ->> 'epsilon_limit', $1 ->> 'delta_limit', $1 ->> 'accountant',
        ' of order ' || ($1 ->> 'rdp_order'), ', at most ' || ($1 ->> 'max_releases') || ' releases'), 2),
      dpobj.report_lines(format('spent: epsilon %s and delta %s in %s releases; %s',
        coalesce($1 ->> 'epsilon_spent', 'beyond all bounds'), $1 ->> 'delta_spent', $1 ->> 'releases',
        CASE WHEN ($1 ->> 'sums_equal')::boolean THEN 'the running sums equal the ledger'
             WHEN $1 ->> 'sums_equal' IS NULL THEN 'the next charge adds up the ledger'
             ELSE 'THE RUNNING SUMS DIFFER FROM THE LEDGER' END), 4),
      dpobj.report_lines(CASE
        WHEN NOT ($1 ->> 'within')::boolean THEN
          'More has been spent than its caps allow, so it bounds nothing.'
        WHEN ($1 ->> 'releases_before')::bigint = 0 THEN
          'Its caps hold for all these releases, whatever was asked after which answer.'
        ELSE format('Its caps were last set or raised after %s of these releases: they hold, whatever was asked '
          'after which answer, if that decision did not depend on the answers.', $1 ->> 'releases_before') END, 4))
  $$;
COMMENT ON FUNCTION dpobj.report_budget(jsonb) IS
  'internal: a budget of a report, in words';

CREATE OR REPLACE FUNCTION dpobj.report_event(event jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj.report_lines(concat_ws(' ',
      to_char(($1 ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI'), $1 ->> 'event', 'by', $1 ->> 'by',
      CASE WHEN $1 ->> 'event' IN ('set_budget', 'raise_budget', 'drop_budget')
           THEN 'for ' || coalesce('role ' || (p ->> 'role'), 'all roles') END,
      CASE $1 ->> 'event'
        WHEN 'set_budget' THEN format('to epsilon %s, delta %s by %s', p ->> 'epsilon', p ->> 'delta', p ->> 'accountant')
        WHEN 'raise_budget' THEN format('by epsilon %s, delta %s: %s', p ->> 'epsilon_added', p ->> 'delta_added',
                                        p ->> 'reason')
        WHEN 'limit_budget' THEN concat_ws(': ',
          CASE WHEN p ->> 'epsilon' IS NULL THEN 'to none'
               ELSE format('to epsilon %s, delta %s by %s', p ->> 'epsilon', p ->> 'delta', p ->> 'accountant') END,
          p ->> 'reason')
        WHEN 'protect' THEN concat(p ->> 'adjacency', ', person ' || (p ->> 'person')) END), 2)
      FROM (SELECT $1 -> 'parameters' AS p) e
  $$;
COMMENT ON FUNCTION dpobj.report_event(jsonb) IS
  'internal: an administrative event of a report, in words';

CREATE OR REPLACE FUNCTION dpobj.report_text(relation regclass, delta numeric DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    WITH r AS MATERIALIZED (SELECT dpobj.report($1, $2) AS j)
    SELECT concat_ws(E'\n',
      dpobj.report_lines('Privacy report of table ' || (r.j ->> 'relation'), 0),
      format('%s, dpobj %s', to_char((r.j ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'), r.j ->> 'version'),
      '', 'NEIGHBOURS',
      dpobj.report_lines(CASE
        WHEN r.j -> 'protection' = 'null' THEN 'The table is not protected.'
        WHEN r.j -> 'protection' -> 'person' = 'null' THEN
          format('The table is protected: adjacency %s.', r.j -> 'protection' ->> 'adjacency')
        ELSE
          format('The table is protected: adjacency %s, persons by column %s with at most %s rows each.',
                 r.j -> 'protection' ->> 'adjacency', r.j -> 'protection' ->> 'person',
                 r.j -> 'protection' ->> 'max_rows_per_person')
        END || coalesce(' What is composed below is for tables where ' || (r.j ->> 'neighbours') || '.',
                        ' Its releases are about neighbours of several kinds, so that they have no total.'), 2),
      CASE WHEN jsonb_array_length(r.j -> 'tables') > 1 THEN
        dpobj.report_lines('Releases from these tables count: '
          || (SELECT string_agg(t, ', ') FROM jsonb_array_elements_text(r.j -> 'tables') t) || '.', 2) END,
      '', 'COMPOSED GUARANTEE of all releases',
      (SELECT string_agg(concat_ws(E'\n',
                format('  %-6s ', a.name)
                  || coalesce('epsilon ' || (r.j -> 'composed' -> a.name ->> 'epsilon'), 'no epsilon')
                  || ' at delta ' || (r.j -> 'composed' -> a.name ->> 'delta')
                  || coalesce(' (order ' || (r.j -> 'composed' -> a.name ->> 'rdp_order') || ')', ''),
                dpobj.report_lines(r.j -> 'composed' -> a.name ->> 'assumes', 9)), E'\n' ORDER BY a.place)
         FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place)),
      '', 'BUDGETS: what holds whatever the analysts choose',
      coalesce((SELECT string_agg(dpobj.report_budget(b), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'budgets') WITH ORDINALITY v(b, place)),
               '  none: what is composed above is for releases that were fixed before the first answer.'),
      '', format('RELEASES: %s charged, %s released, %s failed, %s without an end', r.j -> 'releases' ->> 'charged',
                 r.j -> 'releases' ->> 'released', r.j -> 'releases' ->> 'failed', r.j -> 'releases' ->> 'open'),
      CASE WHEN jsonb_array_length(r.j -> 'kinds') > 0 THEN
        format('    %-17s %-11s %8s %9s %7s %5s   %s', 'mechanism', 'guarantee', 'charged', 'released', 'failed', 'open',
               'sums: epsilon, delta') END,
      dpobj.report_releases(r.j),
      dpobj.report_lines('Without an end: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'open') o)
        || CASE WHEN (r.j -> 'releases' ->> 'open')::bigint > jsonb_array_length(r.j -> 'open') THEN ', ...' ELSE '' END
        || '. They may have been released, and count.', 2),
      dpobj.report_lines('Failed: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'failed') o)
        || CASE WHEN (r.j -> 'releases' ->> 'failed')::bigint > jsonb_array_length(r.j -> 'failed') THEN ', ...' ELSE '' END
        || '. They count too: a charge is never given back.', 2),
      '', 'ADMINISTRATION',
      coalesce((SELECT string_agg(dpobj.report_event(e), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'events') WITH ORDINALITY v(e, place)), '  none'),
      '', 'WHAT IT RESTS ON',
      dpobj.report_lines('Sums below the caps of a budget hold for analysts who choose each release after the last answer. rdp at '
        'its best order and pld hold for releases that were all fixed before the first answer, and for no others.', 2),
      dpobj.report_lines(format('Releases labelled float: %s. Doubles decide something in their draw, which the proof does not '
        'cover.', r.j -> 'labels' ->> 'float'), CASE WHEN r.j -> 'labels' ? 'float' THEN 2 END),
      dpobj.report_lines(format('Releases labelled conditional: %s. A limit on time or memory could have stopped them, at a '
        'moment that the rows have a say in, or the number of their features was taken from a row; what that tells is not '
        'counted.', r.j -> 'labels' ->> 'conditional'),
        CASE WHEN r.j -> 'labels' ? 'conditional' THEN 2 END),
      dpobj.report_lines(format('Releases labelled unproven: %s. Their noise is as it was published; their epsilon is a claim, '
        'and so is every total above.', r.j -> 'labels' ->> 'unproven'),
        CASE WHEN r.j -> 'labels' ? 'unproven' THEN 2 END)) || E'\n'
      FROM r
  $$;
COMMENT ON FUNCTION dpobj.report_text(regclass, numeric) IS
  'dpobj.report for reading, in lines of 100 columns';
