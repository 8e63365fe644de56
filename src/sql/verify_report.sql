-- A report with the ledger's events, and its verification on another server

/*
 * The export has each kind of charge with the ids and times of its charges, as the ledger has them, and how
 * many of them were counted when they were committed (dpobj.charge_counts).
 */
CREATE OR REPLACE FUNCTION dpobj_internal.ledger_digest(ledger jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$ SELECT encode(sha256(convert_to(($1 - 'digest')::text, 'UTF8')), 'hex') $$;
COMMENT ON FUNCTION dpobj_internal.ledger_digest(jsonb) IS
  'internal: SHA-256 of the ledger in a report, as jsonb writes it';

CREATE OR REPLACE FUNCTION dpobj_internal.ledger_of_facts(facts jsonb) RETURNS jsonb
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      tables AS (SELECT DISTINCT unnest(t.members) AS id FROM jsonb_to_recordset($1 -> 'tables') t(members bigint[])),
      written AS (
        SELECT e.relation_identity AS "table", e.role_identity AS role, e.payers, e.mechanism, e.adjacency, e.person, e.guarantee, e.pair,
               e.pair_terms, e.epsilon_nano, e.delta_units, e.rho_pico, e.rho_delta, e.rdp_pico, e.rdp_delta, e.rdp_replaced,
               jsonb_agg(jsonb_build_array(e.id, e.at) ORDER BY e.id) AS charges
          FROM dpobj.ledger_events e
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM tables)
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
      kinds AS (
        SELECT kind || jsonb_build_object('charges', coalesce(w.charges, '[]'), 'counted', coalesce(c.counted, '0'), 'last', coalesce(c.last, 'null')) AS kind
          FROM (SELECT to_jsonb(w) - 'charges' AS kind, w.charges FROM written w) w
          FULL JOIN (SELECT k - '{times,last}'::text[] AS kind, k -> 'times' AS counted, k -> 'last' AS last FROM jsonb_array_elements($1 -> 'kinds') k) c
          USING (kind)),
      ends AS (
        SELECT x.release, x.id, x.at, x.event, encode(x.output_hash, 'hex') AS hash, x.reason
          FROM dpobj.ledger_events x JOIN dpobj.ledger_events e ON e.id = x.release
         WHERE e.relation_identity IN (SELECT id FROM tables))
    SELECT l.ledger || jsonb_build_object('digest', dpobj_internal.ledger_digest(l.ledger))
      FROM (SELECT $1 - 'unreleased' || jsonb_build_object(
                     'kinds', (SELECT coalesce(jsonb_agg(k.kind ORDER BY k.kind #> '{charges,0,0}', k.kind), '[]') FROM kinds k),
                     'ends', (SELECT coalesce(jsonb_agg(jsonb_build_array(x.release, x.id, x.at, x.event, x.hash, x.reason) ORDER BY x.id), '[]') FROM ends x),
                     'budgets', (SELECT coalesce(jsonb_agg(b - 'releases_before' ORDER BY place), '[]')
                                   FROM jsonb_array_elements($1 -> 'budgets') WITH ORDINALITY v(b, place))) AS ledger) l
  $$;
COMMENT ON FUNCTION dpobj_internal.ledger_of_facts(jsonb) IS
  'internal: what a report is made of, with each charge and end of the ledger instead of their numbers';

-- What a report of format registry has: without the facts' events, which are in its ledger.
CREATE OR REPLACE FUNCTION dpobj_internal.registry_of_facts(facts jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT r - 'events' || jsonb_build_object('promise', dpobj_internal.report_promise(r), 'questions', dpobj_internal.report_answers(r),
                                              'registry', dpobj_internal.report_entry(r))
      FROM (SELECT dpobj_internal.report_of_facts($1) AS r OFFSET 0) v
  $$;
COMMENT ON FUNCTION dpobj_internal.registry_of_facts(jsonb) IS
  'internal: the contents of dpobj.report in the format registry, without its ledger';

CREATE OR REPLACE FUNCTION dpobj_internal.registry_contents(relation regclass, delta numeric) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.registry_of_facts(f) || jsonb_build_object('ledger', dpobj_internal.ledger_of_facts(f))
      FROM (SELECT dpobj_internal.report_facts($1, $2) AS f OFFSET 0) v
  $$;
COMMENT ON FUNCTION dpobj_internal.registry_contents(regclass, numeric) IS
  'internal: the contents of dpobj.report in the format registry';

-- ---- on another server: nothing below reads a table ----

CREATE OR REPLACE FUNCTION dpobj_internal.facts_of_ledger(ledger jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      kinds AS MATERIALIZED (SELECT k, jsonb_array_length(k -> 'charges') AS times FROM jsonb_array_elements($1 -> 'kinds') k),
      charges AS MATERIALIZED (
        SELECT (c ->> 0)::bigint AS id, k -> 'role' AS role, k -> 'mechanism' AS mechanism, k -> 'guarantee' AS guarantee, k -> 'payers' AS payers
          FROM kinds, jsonb_array_elements(k -> 'charges') c WHERE $1 -> 'family' @> (k -> 'table')),
      ends AS (SELECT (x ->> 0)::bigint AS release, x ->> 3 AS event FROM jsonb_array_elements($1 -> 'ends') x),
      unreleased AS (
        SELECT c.role, c.mechanism, c.guarantee, coalesce(x.event, 'open') AS ended, count(*) AS times, (array_agg(c.id ORDER BY c.id))[:100] AS ids
          FROM charges c LEFT JOIN ends x ON x.release = c.id
         WHERE x.event IS DISTINCT FROM 'released'
         GROUP BY 1, 2, 3, 4)
    SELECT $1 - '{ends,digest}'::text[] || jsonb_build_object(
      'kinds', (SELECT coalesce(jsonb_agg(k - 'charges' || jsonb_build_object('times', times)), '[]') FROM kinds),
      'unreleased', (SELECT coalesce(jsonb_agg(to_jsonb(u)), '[]') FROM unreleased u),
      'budgets', (SELECT coalesce(jsonb_agg(b || jsonb_build_object('releases_before',
                           (SELECT count(*) FROM charges c
                             WHERE c.id < (SELECT max((e ->> 'id')::bigint) FROM jsonb_array_elements($1 -> 'events') e
                                            WHERE dpobj_internal.is_of_budget(e, b, (SELECT r FROM jsonb_array_elements($1 -> 'roles') r WHERE r -> 'id' = b -> 'role')))
                               AND (b -> 'role' IN ('null', '-1') OR c.payers @> (b -> 'role')))) ORDER BY place), '[]')
                    FROM jsonb_array_elements($1 -> 'budgets') WITH ORDINALITY v(b, place)))
  $$;
COMMENT ON FUNCTION dpobj_internal.facts_of_ledger(jsonb) IS
  'internal: what a report is made of, from the events in a report';

CREATE OR REPLACE FUNCTION dpobj_internal.json_leaves(value jsonb) RETURNS TABLE (path text, leaf jsonb)
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    WITH RECURSIVE nodes(path, value) AS (
      SELECT '', $1
       UNION ALL
      SELECT n.path || x.step, x.value
        FROM nodes n
       CROSS JOIN LATERAL
             (SELECT '.' || key AS step, o.value FROM jsonb_each(CASE jsonb_typeof(n.value) WHEN 'object' THEN n.value ELSE '{}' END) o
               UNION ALL
              SELECT format('[%s]', place - 1), a.value
                FROM jsonb_array_elements(CASE jsonb_typeof(n.value) WHEN 'array' THEN n.value ELSE '[]' END) WITH ORDINALITY a(value, place)) x)
    SELECT n.path, n.value FROM nodes n WHERE n.value IN ('{}', '[]') OR jsonb_typeof(n.value) NOT IN ('object', 'array')
  $$;
COMMENT ON FUNCTION dpobj_internal.json_leaves(jsonb) IS 'internal: the values in a JSON value, each with its path';

-- The events in a report that a later one must have, too.
CREATE OR REPLACE FUNCTION dpobj_internal.ledger_events_of(ledger jsonb) RETURNS TABLE (id bigint, event jsonb)
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT (c ->> 0)::bigint, k - '{charges,counted,last}'::text[] || jsonb_build_object('at', (c ->> 1)::timestamptz AT TIME ZONE 'UTC')
      FROM jsonb_array_elements($1 -> 'kinds') k, jsonb_array_elements(k -> 'charges') c
     UNION ALL
    SELECT (x ->> 1)::bigint, jsonb_set(x, '{2}', to_jsonb((x ->> 2)::timestamptz AT TIME ZONE 'UTC')) FROM jsonb_array_elements($1 -> 'ends') x
     UNION ALL
    SELECT (e ->> 'id')::bigint, jsonb_set(e, '{at}', to_jsonb((e ->> 'at')::timestamptz AT TIME ZONE 'UTC')) FROM jsonb_array_elements($1 -> 'events') e
  $$;
COMMENT ON FUNCTION dpobj_internal.ledger_events_of(jsonb) IS 'internal: the events in a report by their ids';

CREATE OR REPLACE FUNCTION dpobj_internal.ledger_of_report_checks(ledger jsonb, OUT what text, OUT checked bigint, OUT differences bigint,
    OUT first_difference text) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      kinds AS MATERIALIZED (
        SELECT k, place, jsonb_array_length(k -> 'charges') AS times, (k ->> 'counted')::bigint AS counted,
               (SELECT max((c ->> 0)::bigint) FROM jsonb_array_elements(k -> 'charges') c) AS newest
          FROM jsonb_array_elements($1 -> 'kinds') WITH ORDINALITY v(k, place)),
      charges AS MATERIALIZED (SELECT (c ->> 0)::bigint AS id FROM kinds, jsonb_array_elements(k -> 'charges') c),
      counts AS (
        SELECT place, (times, newest) IS DISTINCT FROM (counted, (k ->> 'last')::bigint) AS differs,
               format('%s charges of mechanism %s were counted, the last is %s; %s are there, the last is %s', counted, k ->> 'mechanism',
                      k ->> 'last', times, coalesce(newest::text, 'none')) AS words
          FROM kinds),
      costs AS (
        SELECT place, c.cost IS DISTINCT FROM ROW(k.adjacency, k.epsilon_nano, k.delta_units, k.rho_pico, k.rho_delta, k.rdp_pico, k.rdp_delta,
                                                  coalesce(k.rdp_replaced, '{}'))::dpobj.charge_cost AS differs,
               format('charges of mechanism %s have epsilon %s and delta %s in units of the ledger, from which and from pair "%s" other costs follow',
                      k.mechanism, k.epsilon_nano, k.delta_units, k.pair) AS words
          FROM kinds v,
               jsonb_to_record(v.k) k(mechanism text, adjacency text, pair text, pair_terms jsonb, epsilon_nano bigint, delta_units bigint,
                 rho_pico bigint, rho_delta bigint, rdp_pico bigint[], rdp_delta bigint, rdp_replaced bigint[])
         CROSS JOIN LATERAL (SELECT dpobj_internal.cost_of_rows(k.adjacency, k.pair, k.pair_terms, k.epsilon_nano, k.delta_units, 1) AS cost) c),
      ids AS (
        SELECT e.id, count(*) > 1 AS differs, format('id %s belongs to %s events', e.id, count(*)) AS words
          FROM dpobj_internal.ledger_events_of($1) e GROUP BY e.id),
      ends AS (
        SELECT x ->> 1 AS id, c.id IS NULL OR count(*) OVER (PARTITION BY x -> 0) > 1 OR (x ->> 1)::bigint <= c.id AS differs,
               format('event %s ends release %s, which is no charge before it, or ended before', x ->> 1, x ->> 0) AS words
          FROM jsonb_array_elements($1 -> 'ends') x LEFT JOIN charges c ON c.id = (x ->> 0)::bigint),
      -- each event that sets or raises caps, from the last one on
      steps AS (
        SELECT b, place, e.*, row_number() OVER (PARTITION BY place ORDER BY e.id DESC) AS number,
               lag(e.p) OVER (PARTITION BY place ORDER BY e.id) AS before
          FROM jsonb_array_elements($1 -> 'budgets') WITH ORDINALITY v(b, place)
         CROSS JOIN LATERAL
               (SELECT (e ->> 'id')::bigint AS id, e -> 'parameters' AS p
                  FROM jsonb_array_elements($1 -> 'events') e
                 WHERE dpobj_internal.is_of_budget(e, b, (SELECT r FROM jsonb_array_elements($1 -> 'roles') r WHERE r -> 'id' = b -> 'role'))) e),
      caps AS (
        SELECT v.place, s.differs IS NOT FALSE AS differs,
               format('the caps of budget %s are not what the events say%s', v.b ->> 'id', ', ' || s.first) AS words
          FROM jsonb_array_elements($1 -> 'budgets') WITH ORDINALITY v(b, place)
          LEFT JOIN (SELECT place, min('event ' || id) FILTER (WHERE bad) AS first, bool_or(bad) AS differs
                       FROM (SELECT *, CASE WHEN number = 1 THEN ((p ->> 'epsilon')::numeric, (p ->> 'delta')::numeric, p ->> 'accountant',
                                                                  coalesce((p ->> 'delta_reserve')::numeric, CASE p ->> 'accountant' WHEN 'basic' THEN (p ->> 'delta')::numeric END))
                                            IS DISTINCT FROM ((b ->> 'epsilon_nano')::numeric / 1000000000, (b ->> 'delta_units')::numeric / 1000000000000000000,
                                                              b ->> 'accountant', (b ->> 'reserve_units')::numeric / 1000000000000000000) ELSE false END
                                       OR p ? 'epsilon_added' AND ((p ->> 'epsilon')::numeric - (p ->> 'epsilon_added')::numeric,
                                                                   (p ->> 'delta')::numeric - (p ->> 'delta_added')::numeric)
                                            IS DISTINCT FROM ((before ->> 'epsilon')::numeric, (before ->> 'delta')::numeric) AS bad
                               FROM steps) t
                      GROUP BY place) s USING (place)),
      protected AS (
        SELECT (t ->> 'id')::bigint AS id, (t ->> 'name') AS name, e, p
          FROM jsonb_array_elements($1 -> 'tables') t
          LEFT JOIN LATERAL (SELECT e FROM jsonb_array_elements($1 -> 'events') e
                              WHERE e -> 'identity' = t -> 'id' AND e ->> 'event' IN ('protect', 'unprotect') ORDER BY (e ->> 'id')::bigint DESC LIMIT 1) v(e) ON true
          LEFT JOIN LATERAL (SELECT p FROM jsonb_array_elements($1 -> 'protections') p WHERE p -> 'table' = t -> 'id') w(p) ON true),
      protections AS (
        SELECT id, CASE WHEN p IS NULL THEN coalesce(e ->> 'event', 'unprotect') <> 'unprotect'
                        ELSE (e ->> 'event', e #>> '{parameters,adjacency}', e #>> '{parameters,person}', e #>> '{parameters,max_rows_per_person}')
                             IS DISTINCT FROM ('protect', p ->> 'adjacency', p ->> 'person', p ->> 'max_rows_per_person') END AS differs,
               format('table %s is not protected as its last event says', name) AS words
          FROM protected),
      -- a population's events say its adjacency and key, and those of its tables for how many rows of a person a row counts
      populations AS (
        SELECT t -> 'id' AS id, v.differs, format('population %s is not what its events say', t ->> 'name') AS words
          FROM jsonb_array_elements($1 -> 'tables') t
         CROSS JOIN LATERAL
               (SELECT NOT EXISTS (SELECT FROM jsonb_array_elements($1 -> 'events') e
                                    WHERE e -> 'identity' = t -> 'id' AND e ->> 'event' = 'population'
                                      AND (e #>> '{parameters,adjacency}', e #>> '{parameters,column}')
                                          = (t #>> '{population,adjacency}', t #>> '{population,person}'))
                       OR EXISTS (SELECT FROM jsonb_each_text(t #> '{population,rows}') r(id, rows)
                                   WHERE r.rows::integer < (SELECT (e #>> '{parameters,earlier_rows_per_person}')::integer
                                                               FROM jsonb_array_elements($1 -> 'events') e
                                                              WHERE e ->> 'identity' = r.id AND e ->> 'event' = 'protect'
                                                              ORDER BY (e ->> 'id')::bigint DESC LIMIT 1)) AS differs) v
         WHERE t ? 'population'),
      rows AS (
        SELECT 1 AS place, 'digest of the ledger' AS what, 1::bigint AS checked, (d <> coalesce($1 ->> 'digest', ''))::int::bigint AS differences,
               format('it is %s, and the ledger''s is %s', $1 ->> 'digest', d) AS words
          FROM dpobj_internal.ledger_digest($1) d
         UNION ALL SELECT 2, 'counted charges', coalesce(sum(greatest(times, counted)), 0)::bigint, (SELECT count(*) FROM counts WHERE differs),
                          (SELECT words FROM counts WHERE differs ORDER BY place LIMIT 1) FROM kinds
         UNION ALL SELECT 3, 'ids of events', count(*), count(*) FILTER (WHERE differs), (array_agg(words ORDER BY id) FILTER (WHERE differs))[1] FROM ids
         UNION ALL SELECT 4, 'ends of charges', count(*), count(*) FILTER (WHERE differs), (array_agg(words ORDER BY id) FILTER (WHERE differs))[1] FROM ends
         UNION ALL SELECT 5, 'costs of charges', count(*), count(*) FILTER (WHERE differs), (array_agg(words ORDER BY place) FILTER (WHERE differs))[1] FROM costs
         UNION ALL SELECT 6, 'caps of budgets', count(*), count(*) FILTER (WHERE differs), (array_agg(words ORDER BY place) FILTER (WHERE differs))[1] FROM caps
         UNION ALL SELECT 7, 'protection of tables', count(*), count(*) FILTER (WHERE differs), (array_agg(words ORDER BY id) FILTER (WHERE differs))[1] FROM protections
         UNION ALL SELECT 8, 'populations', count(*), count(*) FILTER (WHERE differs), (array_agg(words ORDER BY id) FILTER (WHERE differs))[1]
                     FROM populations HAVING count(*) > 0)
    SELECT r.what, r.checked, r.differences, CASE WHEN r.differences > 0 THEN r.words END FROM rows r ORDER BY r.place
  $$;
COMMENT ON FUNCTION dpobj_internal.ledger_of_report_checks(jsonb) IS
  'internal: compares the ledger in a report with itself, for dpobj.verify_report';

CREATE OR REPLACE FUNCTION dpobj_internal.report_checks(report jsonb, earlier jsonb, OUT what text, OUT checked bigint, OUT differences bigint,
    OUT first_difference text) RETURNS SETOF record
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
  DECLARE
    found jsonb;
  BEGIN
    IF coalesce(jsonb_typeof(report -> 'ledger'), '') <> 'object' OR earlier IS NOT NULL AND coalesce(jsonb_typeof(earlier -> 'ledger'), '') <> 'object' THEN
      RAISE EXCEPTION 'the report has no ledger'
        USING ERRCODE = 'invalid_parameter_value', HINT = 'dpobj.report(relation, ''registry'') makes a report that can be verified.';
    END IF;
    -- what was altered may be no number any more
    BEGIN
      RETURN QUERY SELECT * FROM dpobj_internal.ledger_of_report_checks(report -> 'ledger');
      found := dpobj_internal.registry_of_facts(dpobj_internal.facts_of_ledger(report -> 'ledger'));
    EXCEPTION WHEN OTHERS THEN
      RETURN QUERY SELECT 'ledger', 1::bigint, 1::bigint, format('it cannot be read: %s', SQLERRM);
      RETURN;
    END;
    RETURN QUERY
      SELECT k.key, count(*) FILTER (WHERE l.path IS NOT NULL), count(*) FILTER (WHERE l.differs),
             (array_agg(format('%s%s is %s, and the events give %s', k.key, l.path, coalesce(l.stated::text, 'not there'), coalesce(l.leaf::text, 'nothing'))
                        ORDER BY l.path) FILTER (WHERE l.differs))[1]
        FROM (SELECT jsonb_object_keys(report - 'ledger' || found) AS key) k
        LEFT JOIN LATERAL
             (SELECT path, s.leaf AS stated, f.leaf, s.leaf IS DISTINCT FROM f.leaf AS differs
                FROM dpobj_internal.json_leaves(report -> k.key) s FULL JOIN dpobj_internal.json_leaves(found -> k.key) f USING (path)) l ON true
       GROUP BY k.key ORDER BY k.key COLLATE "C";
    IF earlier IS NOT NULL THEN
      RETURN QUERY
        WITH gone AS (SELECT * FROM dpobj_internal.ledger_events_of(earlier -> 'ledger') EXCEPT SELECT * FROM dpobj_internal.ledger_events_of(report -> 'ledger'))
        SELECT 'events of the earlier report', (SELECT count(*) FROM dpobj_internal.ledger_events_of(earlier -> 'ledger')), count(*),
               format('event %s is not there, or was another one', min(g.id))
          FROM gone g;
    END IF;
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.report_checks(jsonb, jsonb) IS 'internal: the rows of dpobj.verify_report';

CREATE OR REPLACE FUNCTION dpobj.verify_report(report jsonb, earlier jsonb DEFAULT NULL, OUT what text, OUT checked bigint, OUT differences bigint,
    OUT first_difference text) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_verify_report';
COMMENT ON FUNCTION dpobj.verify_report(jsonb, jsonb) IS
  'for superusers and dpobj_auditor: recomputes a report in the format registry, also of another server, from its events, and compares each number; earlier: a report of the same table whose events must all be in this one';
