-- The ledger's charges, counted: what budgets and the report add up

/*
 * A trigger counts a charge in the statement that writes it, whether the charge worker or a restore
 * runs it.  Equal charges of a block of 65536 ledger ids share one row, or a few: a row that
 * another transaction has locked is left for a new row, so that no charge waits for another
 * (src/server/charge_count.c).  The table grows with the variety of charges, not with their number.
 */
CREATE TABLE dpobj.charge_counts
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    block bigint NOT NULL,
    relation_identity bigint NOT NULL,
    role_identity bigint NOT NULL,
    payers bigint[] NOT NULL,
    mechanism text NOT NULL,
    adjacency text NOT NULL,
    person text,
    guarantee text NOT NULL,
    pair text NOT NULL,
    pair_terms jsonb NOT NULL,
    epsilon_nano bigint NOT NULL,
    delta_units bigint NOT NULL,
    rho_pico bigint NOT NULL,
    rho_delta bigint NOT NULL,
    rdp_pico bigint[] NOT NULL,
    rdp_delta bigint NOT NULL,
    rdp_replaced bigint[],
    times bigint NOT NULL,
    CONSTRAINT charge_counted CHECK (times > 0)
);
CREATE INDEX charge_counts_key ON dpobj.charge_counts (relation_identity, block, epsilon_nano);
REVOKE ALL ON TABLE dpobj.charge_counts FROM PUBLIC;
REVOKE ALL ON SEQUENCE dpobj.charge_counts_id_seq FROM PUBLIC;
CREATE TRIGGER charge_count_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.charge_counts
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('It is counted from the ledger.');
ALTER TABLE dpobj.charge_counts ENABLE ALWAYS TRIGGER charge_count_guard;
COMMENT ON TABLE dpobj.charge_counts IS 'how many charges of a kind the ledger has; not dumped: a restore counts anew';
COMMENT ON SEQUENCE dpobj.charge_counts_id_seq IS 'numbers of the rows';
COMMENT ON INDEX dpobj.charge_counts_pkey IS 'number of the row';
COMMENT ON INDEX dpobj.charge_counts_key IS 'finds the charges of a table, and those of a kind';
COMMENT ON TRIGGER charge_count_guard ON dpobj.charge_counts IS 'refuses changes but for the charge worker and superusers';
COMMENT ON COLUMN dpobj.charge_counts.id IS 'number of the row';
COMMENT ON COLUMN dpobj.charge_counts.block IS 'ledger ids of the charges, divided by 65536';
COMMENT ON COLUMN dpobj.charge_counts.relation_identity IS 'as in dpobj.ledger_events, like the next fifteen';
COMMENT ON COLUMN dpobj.charge_counts.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.charge_counts.payers IS 'identities of the session user and his groups';
COMMENT ON COLUMN dpobj.charge_counts.mechanism IS 'mechanism';
COMMENT ON COLUMN dpobj.charge_counts.adjacency IS 'which tables are neighbours';
COMMENT ON COLUMN dpobj.charge_counts.person IS 'column of persons';
COMMENT ON COLUMN dpobj.charge_counts.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.charge_counts.pair IS 'tag of the dominating pair';
COMMENT ON COLUMN dpobj.charge_counts.pair_terms IS 'its parameters';
COMMENT ON COLUMN dpobj.charge_counts.epsilon_nano IS 'epsilon of one charge, like the costs that follow';
COMMENT ON COLUMN dpobj.charge_counts.delta_units IS 'delta';
COMMENT ON COLUMN dpobj.charge_counts.rho_pico IS 'rho';
COMMENT ON COLUMN dpobj.charge_counts.rho_delta IS 'what rho leaves out';
COMMENT ON COLUMN dpobj.charge_counts.rdp_pico IS 'Renyi divergences';
COMMENT ON COLUMN dpobj.charge_counts.rdp_delta IS 'what they leave out';
COMMENT ON COLUMN dpobj.charge_counts.rdp_replaced IS 'Renyi divergences of a replacement';
COMMENT ON COLUMN dpobj.charge_counts.times IS 'number of charges';

-- The same counts from the ledger, which charge_counts must equal.
CREATE VIEW dpobj.charge_kinds AS
SELECT e.id >> 16 AS block,
       e.relation_identity,
       e.role_identity,
       e.payers,
       e.mechanism,
       e.adjacency,
       e.person,
       e.guarantee,
       e.pair,
       e.pair_terms,
       e.epsilon_nano,
       e.delta_units,
       e.rho_pico,
       e.rho_delta,
       e.rdp_pico,
       e.rdp_delta,
       e.rdp_replaced,
       pg_catalog.count(*) AS times
  FROM dpobj.ledger_events e
 WHERE e.event = 'charged'
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17;
REVOKE ALL ON TABLE dpobj.charge_kinds FROM PUBLIC;
COMMENT ON VIEW dpobj.charge_kinds IS 'the definition of dpobj.charge_counts, by the whole ledger';
COMMENT ON COLUMN dpobj.charge_kinds.block IS 'as in dpobj.charge_counts, like the others';
COMMENT ON COLUMN dpobj.charge_kinds.relation_identity IS 'identity of the table';
COMMENT ON COLUMN dpobj.charge_kinds.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.charge_kinds.payers IS 'identities of the session user and his groups';
COMMENT ON COLUMN dpobj.charge_kinds.mechanism IS 'mechanism';
COMMENT ON COLUMN dpobj.charge_kinds.adjacency IS 'which tables are neighbours';
COMMENT ON COLUMN dpobj.charge_kinds.person IS 'column of persons';
COMMENT ON COLUMN dpobj.charge_kinds.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.charge_kinds.pair IS 'tag of the dominating pair';
COMMENT ON COLUMN dpobj.charge_kinds.pair_terms IS 'its parameters';
COMMENT ON COLUMN dpobj.charge_kinds.epsilon_nano IS 'epsilon';
COMMENT ON COLUMN dpobj.charge_kinds.delta_units IS 'delta';
COMMENT ON COLUMN dpobj.charge_kinds.rho_pico IS 'rho';
COMMENT ON COLUMN dpobj.charge_kinds.rho_delta IS 'what rho leaves out';
COMMENT ON COLUMN dpobj.charge_kinds.rdp_pico IS 'Renyi divergences';
COMMENT ON COLUMN dpobj.charge_kinds.rdp_delta IS 'what they leave out';
COMMENT ON COLUMN dpobj.charge_kinds.rdp_replaced IS 'Renyi divergences of a replacement';
COMMENT ON COLUMN dpobj.charge_kinds.times IS 'number of charges';

CREATE FUNCTION dpobj.count_charges() RETURNS trigger
  LANGUAGE C SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_count_charges';
COMMENT ON FUNCTION dpobj.count_charges() IS 'trigger: counts the charges that a statement has added to the ledger';
CREATE TRIGGER ledger_counted AFTER INSERT ON dpobj.ledger_events
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.count_charges();
ALTER TABLE dpobj.ledger_events ENABLE ALWAYS TRIGGER ledger_counted;
COMMENT ON TRIGGER ledger_counted ON dpobj.ledger_events IS 'keeps dpobj.charge_counts';

-- Counts the charges before the update; the trigger's lock keeps new ones out.
INSERT INTO dpobj.charge_counts (block, relation_identity, role_identity, payers, mechanism, adjacency, person,
    guarantee, pair, pair_terms, epsilon_nano, delta_units, rho_pico, rho_delta, rdp_pico, rdp_delta,
    rdp_replaced, times)
SELECT * FROM dpobj.charge_kinds;

-- The report compares these sums without reading the ledger's rows.
DROP INDEX dpobj.ledger_events_spending_idx;
CREATE INDEX ledger_events_spending_idx ON dpobj.ledger_events (relation_identity, id)
    INCLUDE (epsilon_nano, delta_units) WHERE event = 'charged';
COMMENT ON INDEX dpobj.ledger_events_spending_idx IS 'what a table has spent';
CREATE INDEX ledger_events_administration_idx ON dpobj.ledger_events (relation_identity)
    WHERE event NOT IN ('charged', 'released', 'failed');
COMMENT ON INDEX dpobj.ledger_events_administration_idx IS 'events of administration';

-- What the ledger says each budget has spent: the definition that running sums must equal.
CREATE OR REPLACE VIEW dpobj.budget_sums AS
SELECT b.id,
       u.adjacency,
       s.cost,
       s.delta,
       s.releases
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT coalesce((SELECT p.adjacency FROM dpobj.protections p WHERE p.relation = b.relation),
                        'replace') AS adjacency,
               (SELECT p.earlier_rows_per_person FROM dpobj.protections p WHERE p.relation = b.relation) AS rows,
               pg_catalog.array_position(dpobj.rdp_orders(), b.rdp_order) AS place,
               (SELECT f.members FROM dpobj.families f WHERE f.id = b.relation) AS members) u
 CROSS JOIN LATERAL
       (SELECT coalesce(pg_catalog.sum(e.times * dpobj.cost_under(c.cost, u.adjacency, b.accountant, u.place)), 0) AS cost,
               coalesce(pg_catalog.sum(e.times * dpobj.delta_under(c.cost, u.adjacency, b.accountant)), 0) AS delta,
               coalesce(pg_catalog.sum(e.times), 0)::bigint AS releases
          FROM dpobj.charge_counts e
         CROSS JOIN LATERAL
               (SELECT CASE WHEN e.person IS NULL AND u.rows IS NOT NULL
                            THEN dpobj.cost_of_rows(e.adjacency, e.pair, e.pair_terms, e.epsilon_nano, e.delta_units, u.rows)
                            ELSE ROW(e.adjacency, e.epsilon_nano, e.delta_units, e.rho_pico, e.rho_delta, e.rdp_pico,
                                     e.rdp_delta, e.rdp_replaced)::dpobj.charge_cost END AS cost) c
         WHERE e.relation_identity = ANY (u.members)
           AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))) s;
COMMENT ON VIEW dpobj.budget_sums IS 'what was spent of each budget, summed over the charges that the ledger counts';

/*
 * The contents of a report.  Runs as the owner of dpobj's tables, from one snapshot; who may have
 * it is asked in dpobj.report (src/server/recompute.c).  What grows with the ledger is read from
 * dpobj.charge_counts and from indexes.
 */
CREATE OR REPLACE FUNCTION dpobj.report_contents(relation regclass, delta numeric) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      here AS (SELECT t.id FROM dpobj.identity_tables t WHERE t.relation = $1),
      family AS (SELECT DISTINCT unnest(f.members) AS id FROM dpobj.families f WHERE f.id IN (SELECT id FROM here)),
      charges AS (
        SELECT c.*, coalesce(r.role_name, r.recorded_name) AS role
          FROM dpobj.charge_counts c
          JOIN dpobj.identity_roles r ON r.id = c.role_identity
         WHERE c.relation_identity IN (SELECT id FROM family)),
      -- by two indexes alone
      ledger AS MATERIALIZED (
        SELECT count(*) AS charged, sum(e.epsilon_nano) AS epsilon, sum(e.delta_units) AS delta,
               array_agg(e.id) FILTER (WHERE x.release IS NULL) AS unended
          FROM dpobj.ledger_events e
          LEFT JOIN dpobj.ledger_events x ON x.release = e.id
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)),
      unreleased AS MATERIALIZED (
        SELECT u.id, u.ended, coalesce(r.role_name, r.recorded_name) AS role, e.mechanism, e.guarantee
          FROM (SELECT unnest(unended) AS id, 'open' AS ended FROM ledger
                UNION ALL
                SELECT x.release, x.event FROM dpobj.ledger_events x
                 WHERE x.event = 'failed' AND x.relation_identity IN (SELECT id FROM family)) u
          JOIN dpobj.ledger_events e ON e.id = u.id
          JOIN dpobj.identity_roles r ON r.id = e.role_identity),
      ends AS (
        SELECT role, mechanism, guarantee, count(*) FILTER (WHERE ended = 'failed') AS failed,
               count(*) FILTER (WHERE ended = 'open') AS open
          FROM unreleased
         GROUP BY role, mechanism, guarantee),
      kinds AS (
        SELECT k.role, k.mechanism, k.guarantee, k.charged, k.charged - coalesce(e.failed, 0) - coalesce(e.open, 0) AS released,
               coalesce(e.failed, 0) AS failed, coalesce(e.open, 0) AS open,
               trim_scale(k.epsilon * 0.000000001) AS epsilon, trim_scale(k.delta * 0.000000000000000001) AS delta
          FROM (SELECT role, mechanism, guarantee, sum(times)::bigint AS charged, sum(times::numeric * epsilon_nano) AS epsilon,
                       sum(times::numeric * delta_units) AS delta
                  FROM charges
                 GROUP BY role, mechanism, guarantee) k
          LEFT JOIN ends e USING (role, mechanism, guarantee)),
      labels AS (SELECT guarantee, sum(times)::bigint AS releases FROM charges GROUP BY guarantee),
      -- do the counted charges have what the ledger has?
      counted AS (
        SELECT ledger.charged = coalesce(sum(c.times), 0)
               AND coalesce(ledger.epsilon = sum(c.times::numeric * c.epsilon_nano), ledger.charged = 0)
               AND coalesce(ledger.delta = sum(c.times::numeric * c.delta_units), ledger.charged = 0) AS equal
          FROM ledger LEFT JOIN charges c ON true
         GROUP BY ledger.charged, ledger.epsilon, ledger.delta),
      events AS (
        SELECT e.id, e.at, e.event, e.role_name, e.relation_name, e.relation_identity, e.parameters
          FROM dpobj.ledger_events e
         WHERE e.event NOT IN ('charged', 'released', 'failed')
           AND (e.relation_identity IN (SELECT id FROM family) OR e.relation_identity IS NULL)),
      budgets AS (
        SELECT b.id, t.relation_name, coalesce(b.role, -1) = -1 AS all_roles,
               coalesce(b.role = -1, false) AS of_owner, coalesce(r.role_name, r.recorded_name) AS role,
               b.accountant, b.rdp_order, s.adjacency, b.max_releases, s.releases,
               trim_scale(b.epsilon_nano * 0.000000001) AS epsilon_limit,
               trim_scale(dpobj.composed_epsilon(b.accountant, b.rdp_order, s.cost, b.delta_units - b.reserve_units)
                          * 0.000000001) AS epsilon_spent,
               trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
               trim_scale(s.delta * 0.000000000000000001) AS delta_spent,
               trim_scale(b.reserve_units * 0.000000000000000001) AS delta_reserve,
               CASE WHEN NOT (SELECT c.equal FROM counted c) THEN false
                    WHEN b.cost_spent IS NOT NULL
                    THEN (b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases) END AS sums_equal,
               s.cost <= b.cost_limit AND s.delta <= b.reserve_units AND s.releases <= coalesce(b.max_releases, s.releases)
                 AS within,
               -- those that its caps could have been made to suit: whole blocks, and the first part of one
               (SELECT coalesce(sum(c.times), 0)::bigint
                  FROM charges c
                 WHERE (coalesce(b.role, -1) = -1 OR b.role = ANY (c.payers)) AND c.block < since.id >> 16)
               + (SELECT count(*)
                    FROM dpobj.ledger_events e
                   WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)
                     AND e.id >= since.id >> 16 << 16 AND e.id < since.id
                     AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))) AS releases_before
          FROM dpobj.budget_rows b
          JOIN dpobj.budget_sums s ON s.id = b.id
          JOIN dpobj.identity_tables t ON t.id = b.relation
          LEFT JOIN dpobj.identity_roles r ON r.id = b.role
         CROSS JOIN LATERAL
               (SELECT max(e.id) AS id FROM events e
                 WHERE e.relation_identity = b.relation
                   AND CASE WHEN b.role = -1 THEN e.event = 'limit_budget' ELSE e.event IN ('set_budget', 'raise_budget') END
                   AND CASE WHEN coalesce(b.role, -1) = -1 THEN e.parameters ->> 'role' IS NULL
                            ELSE e.parameters ->> 'role' IN (r.role_name, r.recorded_name) END) since
         WHERE b.relation IN (SELECT id FROM family)),
      composed AS MATERIALIZED (
        SELECT a.accountant, c.*
          FROM unnest('{basic,zcdp,rdp,pld}'::text[]) a(accountant)
         CROSS JOIN LATERAL dpobj.composed_charges($1, NULL, a.accountant, $2) c)
    SELECT jsonb_build_object(
      'relation', (SELECT format('%I.%I', n.nspname, k.relname) FROM pg_class k
                     JOIN pg_namespace n ON n.oid = k.relnamespace WHERE k.oid = $1),
      'at', statement_timestamp(),
      'version', (SELECT x.extversion FROM pg_extension x WHERE x.extname = 'dpobj'),
      'tables', (SELECT coalesce(jsonb_agg(i.name ORDER BY i.name), '[]')
                   FROM dpobj.identities i WHERE i.id IN (SELECT id FROM family)),
      'protection', (SELECT jsonb_build_object('adjacency', p.adjacency, 'person', p.person,
                              'max_rows_per_person', p.max_rows_per_person, 'since', p.at)
                       FROM dpobj.protections p WHERE p.relation IN (SELECT id FROM here)),
      'releases', (SELECT jsonb_build_object('charged', l.charged, 'released', l.charged - u.failed - u.open,
                            'failed', u.failed, 'open', u.open)
                     FROM ledger l, (SELECT count(*) FILTER (WHERE ended = 'failed') AS failed,
                                            count(*) FILTER (WHERE ended = 'open') AS open FROM unreleased) u),
      'open', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                 FROM (SELECT id FROM unreleased WHERE ended = 'open' ORDER BY id LIMIT 100) o),
      'failed', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                   FROM (SELECT id FROM unreleased WHERE ended = 'failed' ORDER BY id LIMIT 100) o),
      'labels', (SELECT coalesce(jsonb_object_agg(l.guarantee, l.releases), '{}') FROM labels l),
      'kinds', (SELECT coalesce(jsonb_agg(to_jsonb(k) ORDER BY k.role, k.mechanism, k.guarantee), '[]') FROM kinds k),
      'budgets', (SELECT coalesce(jsonb_agg(to_jsonb(b) - 'id' ORDER BY b.relation_name, b.of_owner DESC, b.all_roles DESC, b.role), '[]')
                    FROM budgets b),
      'sums_equal', (SELECT c.equal FROM counted c) AND (SELECT coalesce(bool_and(b.sums_equal), true) FROM budgets b),
      'neighbours', (SELECT c.neighbours FROM composed c LIMIT 1),
      'composed', (SELECT jsonb_object_agg(c.accountant, jsonb_build_object(
                            'epsilon', trim_scale(c.epsilon_nano * 0.000000001),
                            'delta', trim_scale(c.delta_units * 0.000000000000000001),
                            'rdp_order', c.rdp_order, 'assumes', c.assumes)) FROM composed c),
      'events', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'at', e.at, 'event', e.event,
                          'by', e.role_name, 'table', e.relation_name, 'parameters', e.parameters) ORDER BY e.id), '[]')
                   FROM events e))
  $$;
COMMENT ON FUNCTION dpobj.report_contents(regclass, numeric) IS
  'internal: the contents of dpobj.report';
