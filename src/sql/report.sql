-- The charges of a table, composed by each accountant, and the report for auditors

CREATE OR REPLACE FUNCTION dpobj_internal.composed_charges(relation regclass, role regrole, accountant text, delta numeric,
    OUT releases bigint, OUT epsilon_nano bigint, OUT delta_units bigint, OUT rdp_order integer,
    OUT assumes text, OUT neighbours text, OUT weaker bigint)
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_composed_charges';
COMMENT ON FUNCTION dpobj_internal.composed_charges(regclass, regrole, text, numeric) IS
  'internal: dpobj.recompute in units of the ledger';

/*
 * The releases that kinds of charges count, grouped, and their unit: the unit of the table's protection,
 * else a replacement, as for budgets (dpobj.budget_sums).  The unit is a replacement too if a charge says
 * nothing about the protection's unit.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.charge_groups(kinds jsonb, protection jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    WITH
      own AS (SELECT p.adjacency, p.person, p.earlier_rows_per_person AS rows, p.rows AS rows_of
                FROM jsonb_to_record($2) p(adjacency text, person text, earlier_rows_per_person integer, rows jsonb) WHERE $2 <> 'null'),
      groups AS (
        SELECT k.adjacency, CASE WHEN r.rows IS NOT NULL OR o.rows_of IS NOT NULL THEN o.person ELSE k.person END AS counted_person,
               r.rows, k.pair, k.pair_terms, k.epsilon_nano, k.delta_units,
               k.guarantee = 'exact' AS exact, sum(k.times)::bigint AS times
          FROM jsonb_to_recordset($1) k("table" bigint, adjacency text, person text, guarantee text, pair text, pair_terms jsonb,
                 epsilon_nano bigint, delta_units bigint, times bigint)
          LEFT JOIN own o ON true
         CROSS JOIN LATERAL (SELECT CASE WHEN k.person IS NULL THEN coalesce((o.rows_of ->> k."table"::text)::integer, o.rows) END AS rows) r
         WHERE k.times > 0
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)
    SELECT jsonb_build_object(
      'neighbours', CASE WHEN coalesce(bool_and(g.adjacency = 'add_remove'), true) AND EXISTS (SELECT FROM own WHERE own.adjacency = 'add_remove')
                         THEN 'add_remove' ELSE 'replace' END,
      'person', min(g.counted_person),
      'units', count(DISTINCT coalesce('p' || g.counted_person, '')),
      'earlier_rows', coalesce(max(g.rows), 0),
      'population', EXISTS (SELECT FROM own WHERE own.rows_of IS NOT NULL),
      'weaker', coalesce(sum(g.times) FILTER (WHERE NOT g.exact), 0),
      'groups', coalesce(jsonb_agg(jsonb_build_object('adjacency', g.adjacency, 'rows', coalesce(g.rows, 1), 'pair', g.pair, 'terms', g.pair_terms,
                           'epsilon', g.epsilon_nano, 'delta', g.delta_units, 'times', g.times)
                         ORDER BY g.adjacency COLLATE "C", g.rows, g.pair COLLATE "C", g.epsilon_nano, g.delta_units, g.pair_terms, g.exact,
                                  g.counted_person COLLATE "C"), '[]'))
      FROM groups g
  $$;
COMMENT ON FUNCTION dpobj_internal.charge_groups(jsonb, jsonb) IS
  'internal: kinds of charges, grouped for an accountant, and whom they are about; protection: of the table, null for none, or dpobj_internal.population_facts';

-- What sums of a population need to know of it, in the members that a protection has; rows: by table.
CREATE OR REPLACE FUNCTION dpobj_internal.population_facts(id bigint) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT jsonb_build_object('adjacency', o.adjacency, 'person', o.key_column, 'rows',
             (SELECT coalesce(jsonb_object_agg(c.table, dpobj_internal.rows_in_population(o.population, c.table)), '{}')
                FROM (SELECT DISTINCT c.relation_identity AS "table" FROM dpobj.charge_counts c
                       WHERE c.person IS NULL
                         AND c.relation_identity = ANY ((SELECT f.members FROM dpobj.families f WHERE f.id = $1)::bigint[])) c))
      FROM dpobj.populations o WHERE o.population = $1
  $$;
COMMENT ON FUNCTION dpobj_internal.population_facts(bigint) IS
  'internal: the neighbours of a population, and for how many rows of a person the charges for single rows of each table count; null: it is none';

CREATE OR REPLACE FUNCTION dpobj_internal.composed_groups(groups jsonb, accountant text, delta numeric,
    OUT releases bigint, OUT epsilon_nano bigint, OUT delta_units bigint, OUT rdp_order integer,
    OUT assumes text, OUT neighbours text, OUT weaker bigint)
  LANGUAGE C IMMUTABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_composed_groups';
COMMENT ON FUNCTION dpobj_internal.composed_groups(jsonb, text, numeric) IS
  'internal: the guarantee of what dpobj_internal.charge_groups says, in units of the ledger';

CREATE OR REPLACE FUNCTION dpobj.recompute(relation regclass, role regrole, accountant text, delta numeric DEFAULT NULL)
  RETURNS TABLE (accountant text, releases bigint, epsilon numeric, delta numeric, rdp_order integer, assumes text)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT $3, c.releases, trim_scale(c.epsilon_nano * 0.000000001),
           trim_scale(c.delta_units * 0.000000000000000001), c.rdp_order,
           concat_ws('; ', c.assumes, c.neighbours,
             CASE WHEN c.weaker > 0 THEN format('releases with a guarantee that is not exact: %s', c.weaker) END)
      FROM dpobj_internal.composed_charges($1, $2, $3, $4) c
  $$;
COMMENT ON FUNCTION dpobj.recompute(regclass, regrole, text, numeric) IS
  'guarantee of all charges of a role, or with null of all roles, on a table by an accountant: basic, zcdp, rdp, kov or pld; delta: null for 1e-6 plus the deltas of the releases';

CREATE OR REPLACE FUNCTION dpobj.report(relation regclass, format text DEFAULT 'text', delta numeric DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_report_table';
COMMENT ON FUNCTION dpobj.report(regclass, text, numeric) IS
  'for superusers and dpobj_auditor: releases, budgets and administration of a table, and what its releases guarantee together; format: text in lines of 100 columns, json, html, a page with the models of the table, for browsers and print, that needs nothing else, or registry, json with all events, for dpobj.verify_report and the registry of deployments; delta as for dpobj.recompute';

-- Is an event of administration about a budget?  role: the role's names now and as recorded.
CREATE OR REPLACE FUNCTION dpobj_internal.is_of_budget(event jsonb, budget jsonb, role jsonb) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce($1 -> 'identity' = coalesce($2 -> 'table', $2 -> 'relation')
           AND CASE WHEN $2 -> 'role' = '-1' THEN $1 ->> 'event' = 'limit_budget' ELSE $1 ->> 'event' IN ('set_budget', 'raise_budget') END
           AND CASE WHEN $2 -> 'role' IN ('-1', 'null') THEN $1 #>> '{parameters,role}' IS NULL
                    ELSE $1 #>> '{parameters,role}' IN ($3 ->> 'name', $3 ->> 'recorded') END, false)
  $$;
COMMENT ON FUNCTION dpobj_internal.is_of_budget(jsonb, jsonb, jsonb) IS
  'internal: has an event of administration set the caps of a budget?';

/*
 * What a report is made of: how often the ledger has each kind of charge, which are without an end, the
 * budgets, protections and events of administration.  It runs as the owner of dpobj's tables, on one
 * snapshot; dpobj.report checks who may call it (src/server/ledger/recompute.c).  It reads
 * dpobj.charge_counts and indexes instead of all rows of the ledger; dpobj.check_ledger() says whether the
 * counts are those of the rows.  The budgets of a family also count charges on tables outside of it.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.report_facts(relation regclass, delta numeric) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      here AS (SELECT t.id FROM dpobj.identity_tables t WHERE t.relation = $1),
      family AS MATERIALIZED (SELECT DISTINCT unnest(f.members) AS id FROM dpobj.families f WHERE f.id IN (SELECT id FROM here)),
      relatives AS MATERIALIZED (SELECT f.id, f.members FROM dpobj.families f WHERE f.id IN (SELECT id FROM family)),
      kinds AS MATERIALIZED (
        SELECT c.relation_identity AS "table", c.role_identity AS role, c.payers, c.mechanism, c.adjacency, c.person, c.guarantee, c.pair,
               c.pair_terms, c.epsilon_nano, c.delta_units, c.rho_pico, c.rho_delta, c.rdp_pico, c.rdp_delta, c.rdp_replaced,
               sum(c.times)::bigint AS times, max(c.last) AS last
          FROM dpobj.charge_counts c
         WHERE c.relation_identity IN (SELECT unnest(members) FROM relatives)
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
      -- an index has the charges of a table, another one the ends, both in the order of the charges
      unended AS MATERIALIZED (
        SELECT e.id
          FROM dpobj.ledger_events e
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)
           AND NOT EXISTS (SELECT FROM dpobj.ledger_events x
                            WHERE x.relation_identity = e.relation_identity AND x.release = e.id)
           AND NOT EXISTS (SELECT FROM dpobj.ledger_events x WHERE x.release = e.id OFFSET 0)),
      unreleased AS (
        SELECT u.id, u.ended, e.role_identity AS role, e.mechanism, e.guarantee
          FROM (SELECT id, 'open' AS ended FROM unended
                UNION ALL
                SELECT x.release, x.event FROM dpobj.ledger_events x
                 WHERE x.event = 'failed' AND x.relation_identity IN (SELECT id FROM family)) u
          JOIN dpobj.ledger_events e ON e.id = u.id),
      events AS MATERIALIZED (
        SELECT e.id, e.at, e.event, e.role_name AS by, e.relation_name AS "table", e.relation_identity AS identity, e.parameters
          FROM dpobj.ledger_events e
         WHERE e.event NOT IN ('charged', 'released', 'failed')
           AND (e.relation_identity IN (SELECT id FROM family) OR e.relation_identity IS NULL)),
      roles AS MATERIALIZED (
        SELECT r.id, coalesce(r.role_name, r.recorded_name) AS name, r.recorded_name AS recorded
          FROM dpobj.identity_roles r
         WHERE r.id IN (SELECT role FROM kinds UNION SELECT b.role FROM dpobj.budget_rows b WHERE b.relation IN (SELECT id FROM family))),
      budgets AS (
        SELECT b.id, b.relation AS "table", b.role, b.accountant, b.rdp_order, b.epsilon_nano, b.delta_units, b.reserve_units, b.cost_limit,
               b.max_releases, b.cost_spent, b.delta_spent, b.releases_spent,
               -- earlier charges, to which the caps could have been adapted: whole blocks, and the first part of one
               (SELECT coalesce(sum(c.times), 0)::bigint
                  FROM dpobj.charge_counts c
                 WHERE c.relation_identity IN (SELECT id FROM family)
                   AND (coalesce(b.role, -1) = -1 OR b.role = ANY (c.payers)) AND c.block < since.id >> 16)
               + (SELECT count(*)
                    FROM dpobj.ledger_events e
                   WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)
                     AND e.id >= since.id >> 16 << 16 AND e.id < since.id
                     AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))) AS releases_before
          FROM dpobj.budget_rows b
         CROSS JOIN LATERAL
               (SELECT max(e.id) AS id FROM events e
                 WHERE dpobj_internal.is_of_budget(to_jsonb(e), to_jsonb(b), (SELECT to_jsonb(r) FROM roles r WHERE r.id = b.role))) since
         WHERE b.relation IN (SELECT id FROM family))
    SELECT jsonb_build_object(
      'relation', dpobj_internal.table_name($1),
      'at', statement_timestamp(),
      'version', (SELECT x.extversion FROM pg_extension x WHERE x.extname = 'dpobj'),
      'delta', $2,
      'table', (SELECT min(id) FROM here),
      'family', (SELECT coalesce(jsonb_agg(f.id ORDER BY f.id), '[]') FROM family f),
      'tables', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'name', i.name, 'members', f.members)
                                                || CASE WHEN o.facts IS NULL THEN '{}' ELSE jsonb_build_object('population', o.facts) END ORDER BY i.id), '[]')
                   FROM dpobj.identities i JOIN relatives f USING (id)
                  CROSS JOIN LATERAL (SELECT dpobj_internal.population_facts(i.id) AS facts) o),
      'protections', (SELECT coalesce(jsonb_agg(jsonb_build_object('table', p.relation, 'adjacency', p.adjacency, 'person', p.person,
                               'max_rows_per_person', p.max_rows_per_person, 'earlier_rows_per_person', p.earlier_rows_per_person, 'since', p.at)
                               ORDER BY p.relation), '[]')
                        FROM dpobj.protections p WHERE p.relation IN (SELECT id FROM family)),
      'roles', (SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY r.id), '[]') FROM roles r),
      'kinds', (SELECT coalesce(jsonb_agg(to_jsonb(k)), '[]') FROM kinds k),
      'unreleased', (SELECT coalesce(jsonb_agg(to_jsonb(u)), '[]')
                       FROM (SELECT role, mechanism, guarantee, ended, count(*) AS times, (array_agg(id ORDER BY id))[:100] AS ids
                               FROM unreleased GROUP BY role, mechanism, guarantee, ended) u),
      'budgets', (SELECT coalesce(jsonb_agg(to_jsonb(b) ORDER BY b.id), '[]') FROM budgets b),
      'events', (SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY e.id), '[]') FROM events e))
  $$;
COMMENT ON FUNCTION dpobj_internal.report_facts(regclass, numeric) IS
  'internal: what the ledger says of a table, for dpobj_internal.report_of_facts';

-- It reads no table: dpobj.verify_report has facts of another server.
CREATE OR REPLACE FUNCTION dpobj_internal.report_of_facts(facts jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      family AS (SELECT id::bigint FROM jsonb_array_elements_text($1 -> 'family') v(id)),
      tables AS (SELECT * FROM jsonb_to_recordset($1 -> 'tables') t(id bigint, name text, members bigint[], population jsonb)),
      roles AS (SELECT * FROM jsonb_to_recordset($1 -> 'roles') r(id bigint, name text)),
      protections AS (
        SELECT * FROM jsonb_to_recordset($1 -> 'protections') p("table" bigint, adjacency text, person text, max_rows_per_person integer,
                        earlier_rows_per_person integer, since text)),
      here AS (SELECT * FROM protections p WHERE p."table" = ($1 ->> 'table')::bigint),
      population AS (SELECT t.population FROM tables t WHERE t.id = ($1 ->> 'table')::bigint AND t.population IS NOT NULL),
      kinds AS MATERIALIZED (
        SELECT k.*, ROW(k.adjacency, k.epsilon_nano, k.delta_units, k.rho_pico, k.rho_delta, k.rdp_pico, k.rdp_delta,
                        k.rdp_replaced)::dpobj.charge_cost AS cost, k."table" IN (SELECT id FROM family) AS counts
          FROM jsonb_to_recordset($1 -> 'kinds') k("table" bigint, role bigint, payers bigint[], mechanism text, adjacency text, person text,
                 guarantee text, pair text, pair_terms jsonb, epsilon_nano bigint, delta_units bigint, rho_pico bigint, rho_delta bigint,
                 rdp_pico bigint[], rdp_delta bigint, rdp_replaced bigint[], times bigint)),
      unreleased AS (SELECT * FROM jsonb_to_recordset($1 -> 'unreleased') u(role bigint, mechanism text, guarantee text, ended text, times bigint, ids bigint[])),
      counted AS (
        SELECT coalesce(sum(times) FILTER (WHERE ended = 'failed'), 0) AS failed, coalesce(sum(times) FILTER (WHERE ended = 'open'), 0) AS open,
               (SELECT coalesce(sum(k.times), 0) FROM kinds k WHERE k.counts) AS charged
          FROM unreleased),
      shown AS (
        SELECT x.role, x.mechanism, x.guarantee, k.charged, k.charged - x.failed - x.open AS released, x.failed, x.open,
               trim_scale(k.epsilon * 0.000000001) AS epsilon, trim_scale(k.delta * 0.000000000000000001) AS delta
          FROM (SELECT r.name AS role, k.mechanism, k.guarantee, sum(k.times) AS charged, sum(k.times::numeric * k.epsilon_nano) AS epsilon,
                       sum(k.times::numeric * k.delta_units) AS delta
                  FROM kinds k JOIN roles r ON r.id = k.role WHERE k.counts AND k.times > 0 GROUP BY 1, 2, 3) k
         CROSS JOIN LATERAL
               (SELECT k.role, k.mechanism, k.guarantee, coalesce(sum(u.times) FILTER (WHERE u.ended = 'failed'), 0) AS failed,
                       coalesce(sum(u.times) FILTER (WHERE u.ended = 'open'), 0) AS open
                  FROM unreleased u JOIN roles r ON r.id = u.role
                 WHERE (r.name, u.mechanism, u.guarantee) = (k.role, k.mechanism, k.guarantee)) x),
      budgets AS (
        SELECT t.name AS relation_name, coalesce(b.role, -1) = -1 AS all_roles, coalesce(b.role = -1, false) AS of_owner, r.name AS role,
               b.accountant, b.rdp_order, u.adjacency, b.max_releases, s.releases,
               trim_scale(b.epsilon_nano * 0.000000001) AS epsilon_limit,
               trim_scale(dpobj_internal.composed_epsilon(b.accountant, b.rdp_order, s.cost, b.delta_units - b.reserve_units)
                          * 0.000000001) AS epsilon_spent,
               trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
               trim_scale((s.delta + CASE WHEN s.releases > 0 THEN b.delta_units - b.reserve_units ELSE 0 END)
                          * 0.000000000000000001) AS delta_spent,
               trim_scale(b.reserve_units * 0.000000000000000001) AS delta_reserve,
               CASE WHEN b.cost_spent IS NOT NULL
                    THEN (b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases) END AS sums_equal,
               s.cost <= b.cost_limit AND s.delta <= b.reserve_units AND s.releases <= coalesce(b.max_releases, s.releases) AS within,
               b.releases_before
          FROM jsonb_to_recordset($1 -> 'budgets') b("table" bigint, role bigint, accountant text, rdp_order integer, epsilon_nano bigint,
                 delta_units bigint, reserve_units bigint, cost_limit bigint, max_releases bigint, cost_spent numeric, delta_spent numeric,
                 releases_spent bigint, releases_before bigint)
          JOIN tables t ON t.id = b."table"
          LEFT JOIN roles r ON r.id = b.role
          LEFT JOIN protections p ON p."table" = b."table"
         CROSS JOIN LATERAL
               (SELECT coalesce(p.adjacency, t.population ->> 'adjacency', 'replace') AS adjacency, p.earlier_rows_per_person AS rows,
                       array_position(dpobj_internal.rdp_orders(), b.rdp_order) AS place) u
         CROSS JOIN LATERAL -- as dpobj.budget_sums
               (SELECT coalesce(sum(k.times * dpobj_internal.cost_under(c.cost, u.adjacency, b.accountant, u.place)), 0) AS cost,
                       coalesce(sum(k.times * dpobj_internal.delta_under(c.cost, u.adjacency, b.accountant)), 0) AS delta,
                       coalesce(sum(k.times), 0)::bigint AS releases
                  FROM kinds k
                 CROSS JOIN LATERAL
                       (SELECT CASE WHEN k.person IS NULL THEN coalesce((t.population -> 'rows' ->> k."table"::text)::integer, u.rows) END AS rows) r
                 CROSS JOIN LATERAL
                       (SELECT CASE WHEN r.rows IS NOT NULL
                                    THEN dpobj_internal.cost_of_rows(k.adjacency, k.pair, k.pair_terms, k.epsilon_nano, k.delta_units, r.rows)
                                    ELSE k.cost END AS cost) c
                 WHERE k."table" = ANY (t.members) AND k.times > 0 AND (coalesce(b.role, -1) = -1 OR b.role = ANY (k.payers))) s),
      composed AS MATERIALIZED (
        SELECT a.accountant, c.*
          FROM (SELECT dpobj_internal.charge_groups((SELECT coalesce(jsonb_agg(to_jsonb(k)), '[]') FROM kinds k WHERE k.counts),
                                                    coalesce((SELECT population FROM population), (SELECT to_jsonb(h) FROM here h))) AS groups) g,
               unnest('{basic,zcdp,rdp,pld}'::text[]) a(accountant)
         CROSS JOIN LATERAL dpobj_internal.composed_groups(g.groups, a.accountant, ($1 ->> 'delta')::numeric) c)
    SELECT jsonb_build_object(
      'relation', $1 -> 'relation', 'at', $1 -> 'at', 'version', $1 -> 'version',
      'tables', (SELECT coalesce(jsonb_agg(t.name ORDER BY t.name COLLATE "C"), '[]') FROM tables t),
      'protection', (SELECT to_jsonb(h) - '{table,earlier_rows_per_person}'::text[] FROM here h),
      'releases', (SELECT jsonb_build_object('charged', c.charged, 'released', c.charged - c.failed - c.open, 'failed', c.failed, 'open', c.open)
                     FROM counted c),
      'labels', (SELECT coalesce(jsonb_object_agg(l.guarantee, l.releases), '{}')
                   FROM (SELECT guarantee, sum(times) AS releases FROM kinds WHERE counts AND times > 0 GROUP BY guarantee) l),
      'kinds', (SELECT coalesce(jsonb_agg(to_jsonb(s) ORDER BY s.role COLLATE "C", s.mechanism COLLATE "C", s.guarantee COLLATE "C"), '[]') FROM shown s),
      'budgets', (SELECT coalesce(jsonb_agg(to_jsonb(b) ORDER BY b.relation_name COLLATE "C", b.of_owner DESC, b.all_roles DESC, b.role COLLATE "C"), '[]')
                    FROM budgets b),
      'sums_equal', (SELECT coalesce(bool_and(b.sums_equal), true) FROM budgets b),
      'neighbours', (SELECT c.neighbours FROM composed c LIMIT 1),
      'composed', (SELECT jsonb_object_agg(c.accountant, jsonb_build_object(
                            'epsilon', trim_scale(c.epsilon_nano * 0.000000001),
                            'delta', trim_scale(c.delta_units * 0.000000000000000001),
                            'rdp_order', c.rdp_order, 'assumes', c.assumes)) FROM composed c),
      'events', (SELECT coalesce(jsonb_agg(e - 'identity' ORDER BY place), '[]') FROM jsonb_array_elements($1 -> 'events') WITH ORDINALITY v(e, place)))
      || coalesce((SELECT jsonb_build_object('population', population) FROM population), '{}')
      || (SELECT jsonb_object_agg(e.ended, (SELECT coalesce(jsonb_agg(id ORDER BY id), '[]')
                                               FROM (SELECT unnest(u.ids) AS id FROM unreleased u WHERE u.ended = e.ended ORDER BY id LIMIT 100) o))
            FROM unnest('{open,failed}'::text[]) e(ended))
  $$;
COMMENT ON FUNCTION dpobj_internal.report_of_facts(jsonb) IS
  'internal: the contents of a report, recomputed from what the ledger says';

CREATE OR REPLACE FUNCTION dpobj_internal.report_contents(relation regclass, delta numeric) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT dpobj_internal.report_of_facts(dpobj_internal.report_facts($1, $2)) $$;
COMMENT ON FUNCTION dpobj_internal.report_contents(regclass, numeric) IS
  'internal: the contents of dpobj.report';

-- ---- in words ----

CREATE OR REPLACE FUNCTION dpobj_internal.on_one_line(words text) RETURNS text
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_on_one_line';
COMMENT ON FUNCTION dpobj_internal.on_one_line(text) IS
  'internal: a text with a blank in the place of control characters, line breaks and other characters that are not seen';

CREATE OR REPLACE FUNCTION dpobj_internal.report_lines(words text, indent integer, width integer DEFAULT 100) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(string_agg(repeat(' ', $2) || m.line[1], E'\n'), '')
      FROM dpobj_internal.on_one_line($1) w(line),
           regexp_replace(w.line, format(E'(\\S{%s})(?=\\S)', $3 - $2), E'\\1 ', 'g') s(short),
           regexp_matches(s.short, format(E'(\\S.{0,%s}\\S|\\S)(?:\\s+|$)', $3 - 2 - $2), 'g') m(line)
  $$;
COMMENT ON FUNCTION dpobj_internal.report_lines(text, integer, integer) IS
  'internal: wraps a paragraph, and words that are too long for a line';

CREATE OR REPLACE FUNCTION dpobj_internal.report_releases(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT string_agg(concat_ws(E'\n',
             CASE WHEN k.first THEN dpobj_internal.report_lines('role ' || k.role, 2) END,
             format('    %-17s %-11s %8s %9s %7s %5s   %s', k.mechanism, k.guarantee, k.charged, k.released, k.failed, k.open,
                    CASE WHEN k.delta > 0 THEN format('%s, %s', k.epsilon, k.delta) ELSE k.epsilon::text END)),
             E'\n' ORDER BY k.place)
      FROM (SELECT x.*, x.place = min(x.place) OVER (PARTITION BY x.role) AS first
              FROM ROWS FROM (jsonb_to_recordset($1 -> 'kinds') AS (role text, mechanism text, guarantee text, charged bigint,
                                released bigint, failed bigint, open bigint, epsilon numeric, delta numeric))
                   WITH ORDINALITY x(role, mechanism, guarantee, charged, released, failed, open, epsilon, delta, place)) k
  $$;
COMMENT ON FUNCTION dpobj_internal.report_releases(jsonb) IS
  'internal: the releases of a report, as a table for each role';

CREATE OR REPLACE FUNCTION dpobj_internal.report_budget(budget jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT ARRAY[
      format('epsilon %s, delta %s by %s%s%s', $1 ->> 'epsilon_limit', $1 ->> 'delta_limit', $1 ->> 'accountant',
        ' of order ' || ($1 ->> 'rdp_order'), ', at most ' || ($1 ->> 'max_releases') || ' releases'),
      format('spent: epsilon %s at delta %s in %s releases; %s',
        coalesce($1 ->> 'epsilon_spent', 'beyond all bounds'), $1 ->> 'delta_spent', $1 ->> 'releases',
        CASE WHEN ($1 ->> 'sums_equal')::boolean THEN 'the running sums equal the counted charges'
             WHEN $1 ->> 'sums_equal' IS NULL THEN 'no running sum is kept yet; the next charge makes it'
             ELSE 'THE RUNNING SUMS DIFFER FROM THE COUNTED CHARGES' END),
      CASE
        WHEN NOT ($1 ->> 'within')::boolean THEN
          'More has been spent than its caps allow, so it bounds nothing.'
        WHEN ($1 ->> 'releases_before')::bigint = 0 THEN
          'Its caps hold for all these releases, whatever was asked after which answer.'
        ELSE format('Its caps were last set or raised after %s of these releases: they hold, whatever was asked '
          'after which answer, if that decision did not depend on the answers.', $1 ->> 'releases_before') END]
  $$;
COMMENT ON FUNCTION dpobj_internal.report_budget(jsonb) IS
  'internal: a budget of a report, in words: its caps, what is spent, and whether they hold';

CREATE OR REPLACE FUNCTION dpobj_internal.report_event(event jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(' ',
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
        WHEN 'protect' THEN concat(p ->> 'adjacency', ', person ' || (p ->> 'person'),
                                ', earlier_rows_per_person ' || (p ->> 'earlier_rows_per_person'),
                                ', population ' || (p ->> 'population'))
        WHEN 'population' THEN format('%s by key %s, %s', coalesce(p ->> 'population', 'of ' || (p ->> 'key')), p ->> 'column', p ->> 'adjacency')
        WHEN 'mark_part' THEN format('as a part of %s, for role %s', p ->> 'coordinator', p ->> 'role')
        WHEN 'read_part' THEN format('release %s of role %s at %s', p ->> 'release', p ->> 'role', p ->> 'coordinator')
        WHEN 'remember_server' THEN format('%s of epoch %s', p ->> 'server', p ->> 'epoch')
        WHEN 'maintenance' THEN ': ' || (p ->> 'what') END)
      FROM (SELECT $1 -> 'parameters' AS p) e
  $$;
COMMENT ON FUNCTION dpobj_internal.report_event(jsonb) IS
  'internal: an administrative event of a report, in words';

CREATE OR REPLACE FUNCTION dpobj_internal.report_neighbours(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE
        WHEN $1 ? 'population' THEN
          format('It is a population: adjacency %s, one person''s rows in all its tables by key %s.', $1 -> 'population' ->> 'adjacency',
                 $1 -> 'population' ->> 'person')
        WHEN $1 -> 'protection' = 'null' THEN 'The table is not protected.'
        WHEN $1 -> 'protection' -> 'person' = 'null' THEN
          format('The table is protected: adjacency %s.', $1 -> 'protection' ->> 'adjacency')
        ELSE
          format('The table is protected: adjacency %s, persons by column %s with at most %s rows each.',
                 $1 -> 'protection' ->> 'adjacency', $1 -> 'protection' ->> 'person',
                 $1 -> 'protection' ->> 'max_rows_per_person')
        END || coalesce(' What is composed below is for tables where ' || ($1 ->> 'neighbours') || '.',
                        ' Its releases are about neighbours of several kinds, so that they have no total.')
  $$;
COMMENT ON FUNCTION dpobj_internal.report_neighbours(jsonb) IS
  'internal: which tables a report is about, in words';

CREATE OR REPLACE FUNCTION dpobj_internal.report_assumptions(report jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT array_remove(ARRAY[
      'Sums below the caps of a budget hold for analysts who choose each release after the last answer. rdp at '
        'its best order and pld hold for releases that were all fixed before the first answer, and for no others.',
      'Releases labelled float: ' || (l ->> 'float') || '. Doubles decide something in their draw, which the proof does not cover.',
      'Releases labelled conditional: ' || (l ->> 'conditional') || '. A limit on time or memory could have stopped them, at a '
        'moment that the rows have a say in, or the number of their features was taken from a row; what that tells is not '
        'counted.',
      'Releases labelled unproven: ' || (l ->> 'unproven') || '. Their noise is as it was published; their epsilon is a claim, '
        'and so is every total above.'], NULL)
      FROM (SELECT $1 -> 'labels' AS l) r
  $$;
COMMENT ON FUNCTION dpobj_internal.report_assumptions(jsonb) IS
  'internal: what the totals of a report rest on, a paragraph each';

CREATE OR REPLACE FUNCTION dpobj_internal.report_budget_in_force(report jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT b
      FROM jsonb_array_elements($1 -> 'budgets') b
     WHERE b ->> 'relation_name' = $1 ->> 'relation' AND (b ->> 'all_roles')::boolean AND (b ->> 'within')::boolean
       AND coalesce((b ->> 'sums_equal')::boolean, true)
     ORDER BY (b ->> 'releases_before')::bigint > 0, (b ->> 'epsilon_limit')::numeric
     LIMIT 1
  $$;
COMMENT ON FUNCTION dpobj_internal.report_budget_in_force(jsonb) IS
  'internal: the budget over all roles, or limit of the owner, that bounds all releases of a report; null: none';

-- What was promised, to whom, and what is spent stand first, then the conditions.
CREATE OR REPLACE FUNCTION dpobj_internal.report_promise(report jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT array_remove(CASE
        WHEN ($1 #>> '{releases,charged}')::bigint = 0 THEN ARRAY['Nothing has been released from this table.']
        WHEN $1 ->> 'neighbours' IS NULL THEN ARRAY['The releases of this table are about neighbours of several kinds, so that they have no total.']
        WHEN b.budget IS NOT NULL THEN ARRAY[
          format('%s in %s was promised that all releases from it together are differentially private with epsilon %s and delta %s; of this, '
                 'epsilon %s and delta %s are spent, in %s releases.', w.whom, $1 ->> 'relation', b.budget ->> 'epsilon_limit',
            b.budget ->> 'delta_limit', b.budget ->> 'epsilon_spent', b.budget ->> 'delta_spent', $1 #>> '{releases,charged}'),
          format('This says that, if %s, no outcome of all these releases becomes more than %s times as likely%s. It holds whatever '
                 'the analysts asked after which answer%s.', $1 ->> 'neighbours',
            CASE WHEN (b.budget ->> 'epsilon_limit')::numeric > 13.8 THEN 'e^' || (b.budget ->> 'epsilon_limit')
                 ELSE trim_scale(ceil(10 * exp((b.budget ->> 'epsilon_limit')::numeric)) / 10)::text END,
            ', but for a probability of ' || nullif(b.budget ->> 'delta_limit', '0'),
            CASE WHEN (b.budget ->> 'releases_before')::bigint > 0
                 THEN ', if the decision about the budget, after ' || (b.budget ->> 'releases_before') || ' of them, did not depend on the answers'
                 ELSE '' END)]
        WHEN g.guarantee IS NOT NULL THEN ARRAY[
          format('%s in %s was promised no bound, because no budget over all roles is known to hold; epsilon %s and delta %s are spent, in %s releases.',
            w.whom, $1 ->> 'relation', g.guarantee ->> 'epsilon', g.guarantee ->> 'delta', $1 #>> '{releases,charged}'),
          format('Together they are differentially private with these, for tables where %s, if all of them were fixed before the first answer.',
            $1 ->> 'neighbours')]
        ELSE ARRAY['No accountant knows a total of these releases.'] END
      || (SELECT format('%s of them %s a guarantee that is not exact.', sum(v.n::bigint), CASE sum(v.n::bigint) WHEN 1 THEN 'has' ELSE 'have' END)
            FROM jsonb_each_text($1 -> 'labels') v(label, n) WHERE v.label <> 'exact' HAVING count(*) > 0), NULL)
      FROM (SELECT dpobj_internal.report_budget_in_force($1) AS budget) b,
           (SELECT (SELECT v.c FROM jsonb_each($1 -> 'composed') v(name, c) WHERE v.c ->> 'epsilon' IS NOT NULL
                     ORDER BY (v.c ->> 'epsilon')::numeric LIMIT 1) AS guarantee) g,
           (SELECT CASE WHEN $1 ->> 'neighbours' LIKE '%person%' THEN 'Each person' ELSE 'Everybody with one row' END AS whom) w
  $$;
COMMENT ON FUNCTION dpobj_internal.report_promise(jsonb) IS
  'internal: what all releases of a report guarantee together, to whom, and on which conditions, a paragraph each';

CREATE OR REPLACE FUNCTION dpobj_internal.report_as_text(report jsonb) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      dpobj_internal.report_lines(format('Privacy report of %s %s', CASE WHEN r.j ? 'population' THEN 'population' ELSE 'table' END, r.j ->> 'relation'), 0),
      format('%s, dpobj %s', to_char((r.j ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'), r.j ->> 'version'),
      '',
      (SELECT string_agg(dpobj_internal.report_lines(line, 0), E'\n' ORDER BY place) FROM unnest(dpobj_internal.report_promise(r.j)) WITH ORDINALITY v(line, place)),
      '', 'NEIGHBOURS',
      dpobj_internal.report_lines(dpobj_internal.report_neighbours(r.j), 2),
      CASE WHEN jsonb_array_length(r.j -> 'tables') > 1 THEN
        dpobj_internal.report_lines('Releases from these tables count: '
          || (SELECT string_agg(t, ', ') FROM jsonb_array_elements_text(r.j -> 'tables') t) || '.', 2) END,
      '', 'COMPOSED GUARANTEE of all releases',
      (SELECT string_agg(concat_ws(E'\n',
                format('  %-6s ', a.name)
                  || coalesce('epsilon ' || (r.j -> 'composed' -> a.name ->> 'epsilon'), 'no epsilon')
                  || ' at delta ' || (r.j -> 'composed' -> a.name ->> 'delta')
                  || coalesce(' (order ' || (r.j -> 'composed' -> a.name ->> 'rdp_order') || ')', ''),
                dpobj_internal.report_lines(r.j -> 'composed' -> a.name ->> 'assumes', 9)), E'\n' ORDER BY a.place)
         FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place)),
      '', 'BUDGETS: what holds whatever the analysts choose',
      coalesce((SELECT string_agg(dpobj_internal.report_lines(CASE at WHEN 1 THEN format('%s on %s: %s',
                           CASE WHEN (b -> 'of_owner')::boolean THEN 'the owner''s limit, for all roles together,'
                                WHEN (b -> 'all_roles')::boolean THEN 'all roles together' ELSE 'role ' || (b ->> 'role') END,
                           b ->> 'relation_name', line) ELSE line END, CASE at WHEN 1 THEN 2 ELSE 4 END), E'\n' ORDER BY place, at)
                  FROM jsonb_array_elements(r.j -> 'budgets') WITH ORDINALITY v(b, place),
                       unnest(dpobj_internal.report_budget(b)) WITH ORDINALITY w(line, at)),
               '  none: what is composed above is for releases that were fixed before the first answer.'),
      '', format('RELEASES: %s charged, %s released, %s failed, %s without an end', r.j -> 'releases' ->> 'charged',
                 r.j -> 'releases' ->> 'released', r.j -> 'releases' ->> 'failed', r.j -> 'releases' ->> 'open'),
      CASE WHEN jsonb_array_length(r.j -> 'kinds') > 0 THEN
        format('    %-17s %-11s %8s %9s %7s %5s   %s', 'mechanism', 'guarantee', 'charged', 'released', 'failed', 'open',
               'sums: epsilon, delta') END,
      dpobj_internal.report_releases(r.j),
      dpobj_internal.report_lines('Without an end: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'open') o)
        || CASE WHEN (r.j -> 'releases' ->> 'open')::bigint > jsonb_array_length(r.j -> 'open') THEN ', ...' ELSE '' END
        || '. They may have been released, and count.', 2),
      dpobj_internal.report_lines('Failed: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'failed') o)
        || CASE WHEN (r.j -> 'releases' ->> 'failed')::bigint > jsonb_array_length(r.j -> 'failed') THEN ', ...' ELSE '' END
        || '. They count too: a charge is never given back.', 2),
      '', 'ADMINISTRATION',
      coalesce((SELECT string_agg(dpobj_internal.report_lines(dpobj_internal.report_event(e), 2), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'events') WITH ORDINALITY v(e, place)), '  none'),
      '', 'WHAT IT RESTS ON',
      (SELECT string_agg(dpobj_internal.report_lines(line, 2), E'\n' ORDER BY place)
         FROM unnest(dpobj_internal.report_assumptions(r.j)) WITH ORDINALITY v(line, place))) || E'\n'
      FROM (SELECT $1 AS j) r
  $$;
COMMENT ON FUNCTION dpobj_internal.report_as_text(jsonb) IS 'internal: a report in lines of 100 columns';
