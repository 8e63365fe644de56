-- Maintenance: whether the running totals are those of the ledger's events, and notes of what was done

/*
 * It runs as the owner of dpobj's tables, on one snapshot; dpobj.check_ledger checks who may call it
 * (src/server/ledger/recompute.c).  The transaction of a charge also writes the totals, so they are equal
 * while charges are made.  Budgets are compared with the counts, which the first line compares with the
 * events.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.ledger_checks(OUT what text, OUT checked bigint, OUT differences bigint, OUT first_difference text)
    RETURNS SETOF record
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      -- several rows may count charges of one kind
      kinds AS (
        SELECT to_jsonb(c) - '{id,times,last}'::text[] AS kind, sum(c.times) AS times, max(c.last) AS last
          FROM dpobj.charge_counts c GROUP BY 1),
      counts AS (
        SELECT coalesce(k.last, e.last) AS id, coalesce(k.times, 0) AS kept, coalesce(e.times, 0) AS found,
               (k.times, k.last) IS NOT DISTINCT FROM (e.times, e.last) AS equal
          FROM kinds k
          FULL JOIN (SELECT to_jsonb(c) - '{times,last}'::text[] AS kind, c.times, c.last FROM dpobj.charge_kinds c) e
            ON e.kind = k.kind),
      budgets AS (
        SELECT b.id, b.cost_spent IS NULL OR (b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases) AS equal,
               format('budget %s: cost %s, delta %s and %s releases are kept, cost %s, delta %s and %s releases were charged', b.id,
                      b.cost_spent, b.delta_spent, b.releases_spent, s.cost, s.delta, s.releases) AS words
          FROM dpobj.budget_rows b JOIN dpobj.budget_sums s USING (id)),
      ends AS (
        SELECT e.id, e.release, c.event IS NOT DISTINCT FROM 'charged' AS equal
          FROM dpobj.ledger_events e LEFT JOIN dpobj.ledger_events c ON c.id = e.release
         WHERE e.release IS NOT NULL),
      models AS (
        SELECT m.release, c.event IS NOT DISTINCT FROM 'charged' AS equal
          FROM dpobj.model_rows m LEFT JOIN dpobj.ledger_events c ON c.id = m.release)
    SELECT 'counted charges', coalesce(sum(c.found), 0)::bigint, count(*) FILTER (WHERE NOT c.equal),
           (SELECT format('charges like %s: %s are counted, %s are in the ledger', d.id, d.kept, d.found)
              FROM counts d WHERE NOT d.equal ORDER BY d.id LIMIT 1)
      FROM counts c
    UNION ALL
    SELECT 'sums of budgets', count(*), count(*) FILTER (WHERE NOT b.equal),
           (SELECT d.words FROM budgets d WHERE NOT d.equal ORDER BY d.id LIMIT 1)
      FROM budgets b
    UNION ALL
    SELECT 'ends of charges', count(*), count(*) FILTER (WHERE NOT e.equal),
           (SELECT format('event %s ends %s, which is no charge', d.id, d.release) FROM ends d WHERE NOT d.equal ORDER BY d.id LIMIT 1)
      FROM ends e
    UNION ALL
    SELECT 'models and answers', count(*), count(*) FILTER (WHERE NOT m.equal),
           (SELECT format('release %s is no charge', d.release) FROM models d WHERE NOT d.equal ORDER BY d.release LIMIT 1)
      FROM models m
  $$;
COMMENT ON FUNCTION dpobj_internal.ledger_checks() IS 'internal: the rows of dpobj.check_ledger';

CREATE OR REPLACE FUNCTION dpobj.check_ledger(OUT what text, OUT checked bigint, OUT differences bigint, OUT first_difference text)
    RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_check_ledger';
COMMENT ON FUNCTION dpobj.check_ledger() IS
  'for superusers and dpobj_auditor: compares the counted charges and the sums of budgets with the events of the ledger, and ends, models and answers with their charges';

CREATE OR REPLACE FUNCTION dpobj.note_maintenance(what text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_note_maintenance';
COMMENT ON FUNCTION dpobj.note_maintenance(text) IS
  'writes into the ledger what was done to the database, such as an upgrade, a move or a copy of old events; for administrators';
