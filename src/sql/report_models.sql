-- What dpobj.report shows in HTML beside a report: spending over time, and the models of the table

/*
 * It runs as the owner of dpobj's tables, on the snapshot of the report; the caller's right is checked
 * as for dpobj.report (src/server/ledger/recompute.c).  Times are those of events of the ledger.  There
 * are 60 periods at most; the newest 12 models have all their facts, those of different releases first,
 * and 1000 more a row each.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.model_contents(relation regclass) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      here AS (SELECT t.id FROM dpobj.identity_tables t WHERE t.relation = $1),
      family AS (SELECT DISTINCT unnest(f.members) AS id FROM dpobj.families f WHERE f.id IN (SELECT id FROM here)),
      -- reads the charges once
      days AS MATERIALIZED (
        SELECT date_trunc('day', e.at) AS day, e.payers, count(*) AS charged, sum(e.epsilon_nano) AS epsilon
          FROM dpobj.ledger_events e
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)
         GROUP BY 1, 2),
      failures AS (
        SELECT e.at FROM dpobj.ledger_events e WHERE e.event = 'failed' AND e.relation_identity IN (SELECT id FROM family)),
      unit AS (
        SELECT u.unit, u.step, date_trunc(u.unit, s.first) AS first, s.last
          FROM (SELECT min(day) AS first, max(day) AS last FROM days) s,
               (VALUES ('day', interval '1 day'), ('week', '7 days'), ('month', '1 month'), ('quarter', '3 months'), ('year', '1 year'))
               u(unit, step)
         WHERE u.unit = 'year' OR date_trunc(u.unit, s.first) + 59 * u.step >= s.last
         ORDER BY u.step LIMIT 1),
      periods AS (
        SELECT g.begins, (row_number() OVER (ORDER BY g.begins) - 1)::numeric / count(*) OVER () AS part
          FROM unit u, generate_series(u.first, u.last, u.step) g(begins)),
      -- -1: all roles
      shares AS MATERIALIZED (
        SELECT p.payer, date_trunc(u.unit, d.day) AS begins, sum(d.charged) AS charged, sum(d.epsilon) AS epsilon
          FROM days d, unit u, unnest(d.payers || -1::bigint) p(payer)
         GROUP BY 1, 2),
      models AS MATERIALIZED (
        SELECT m.release, m.place, row_number() OVER (ORDER BY m.deleted IS NOT NULL, m.place, m.release DESC) AS number
          FROM dpobj.model_rows m JOIN dpobj.ledger_events e ON e.id = m.release
         WHERE e.relation_identity IN (SELECT id FROM family) AND (m.model IS NOT NULL OR m.hash IS NOT NULL)),
      cards AS (
        SELECT m.model, n.number FROM models n JOIN dpobj.model_rows m USING (release, place) WHERE n.number <= 12 AND m.deleted IS NULL),
      listed AS (
        SELECT n.number, m.release, m.name, coalesce(r.role_name, r.recorded_name) AS owner, (m.model).kind,
               (m.model).details ->> 'label' AS label, trim_scale(e.epsilon_nano * 0.000000001) AS epsilon,
               coalesce(m.released, e.at) AS created, m.retired, m.deleted
          FROM models n
          JOIN dpobj.model_rows m USING (release, place)
          JOIN dpobj.ledger_events e ON e.id = m.release
          JOIN dpobj.identity_roles r ON r.id = m.owner
         WHERE n.number <= 1012 AND (n.number > 12 OR m.deleted IS NOT NULL))
    SELECT jsonb_build_object(
      'timeline', (SELECT jsonb_build_object('unit', u.unit, 'first', u.first, 'last', u.last, 'periods',
                            (SELECT jsonb_agg(jsonb_build_object('begins', p.begins, 'charged', coalesce(s.charged, 0),
                                                'epsilon', trim_scale(coalesce(s.epsilon, 0) * 0.000000001),
                                                'failed', (SELECT count(*) FROM failures f
                                                            WHERE f.at >= p.begins AND f.at < p.begins + u.step)) ORDER BY p.begins)
                               FROM periods p LEFT JOIN shares s ON s.begins = p.begins AND s.payer = -1))
                     FROM unit u WHERE u.first IS NOT NULL),
      'spending', (SELECT coalesce(jsonb_agg(jsonb_build_object('relation_name', t.relation_name, 'of_owner', coalesce(b.role = -1, false),
                            'role', coalesce(r.role_name, r.recorded_name), 'steps',
                            (SELECT jsonb_agg(jsonb_build_object('x', p.part, 'y', trim_scale(s.epsilon * 0.000000001)) ORDER BY p.part)
                               FROM (SELECT x.begins, sum(x.epsilon) OVER (ORDER BY x.begins) AS epsilon
                                       FROM shares x WHERE x.payer = coalesce(b.role, -1)) s JOIN periods p USING (begins)))), '[]')
                     FROM dpobj.budget_rows b
                     JOIN dpobj.identity_tables t ON t.id = b.relation
                     LEFT JOIN dpobj.identity_roles r ON r.id = b.role
                    WHERE b.relation IN (SELECT id FROM family)),
      'models', (SELECT count(*) FROM models),
      'cards', (SELECT coalesce(jsonb_agg(f.facts ORDER BY f.place), '[]')
                  FROM dpobj_internal.model_facts(ARRAY(SELECT c.model FROM cards c ORDER BY c.number)) WITH ORDINALITY f(facts, place)),
      'listed', (SELECT coalesce(jsonb_agg(to_jsonb(l) - 'number' ORDER BY l.number), '[]') FROM listed l))
  $$;
COMMENT ON FUNCTION dpobj_internal.model_contents(regclass) IS
  'internal: spending over time and the models of a table, for dpobj.report as HTML';
