-- The charges of a table, composed by each accountant, and the report for auditors

CREATE OR REPLACE FUNCTION dpobj_internal.composed_charges(relation regclass, role regrole, accountant text, delta numeric,
    OUT releases bigint, OUT epsilon_nano bigint, OUT delta_units bigint, OUT rdp_order integer,
    OUT assumes text, OUT neighbours text, OUT weaker bigint)
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_composed_charges';
COMMENT ON FUNCTION dpobj_internal.composed_charges(regclass, regrole, text, numeric) IS
  'internal: dpobj.recompute in units of the ledger';

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
  'for superusers and dpobj_auditor: releases, budgets and administration of a table, and what its releases guarantee together; format: text in lines of 100 columns, json, or html, a page with the models of the table, for browsers and print, that needs nothing else; delta as for dpobj.recompute';

/*
 * The contents of a report.  It runs as the owner of dpobj's tables, on one snapshot; dpobj.report
 * checks who may call it (src/server/ledger/recompute.c).  It reads dpobj.charge_counts and indexes
 * instead of all rows of the ledger; dpobj.check_ledger() says whether the counts are those of the rows.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.report_contents(relation regclass, delta numeric) RETURNS jsonb
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
      -- an index has the charges of a table, another one the ends, both in the order of the charges
      unended AS MATERIALIZED (
        SELECT e.id
          FROM dpobj.ledger_events e
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)
           AND NOT EXISTS (SELECT FROM dpobj.ledger_events x
                            WHERE x.relation_identity = e.relation_identity AND x.release = e.id)
           AND NOT EXISTS (SELECT FROM dpobj.ledger_events x WHERE x.release = e.id OFFSET 0)),
      unreleased AS MATERIALIZED (
        SELECT u.id, u.ended, coalesce(r.role_name, r.recorded_name) AS role, e.mechanism, e.guarantee
          FROM (SELECT id, 'open' AS ended FROM unended
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
               trim_scale(dpobj_internal.composed_epsilon(b.accountant, b.rdp_order, s.cost, b.delta_units - b.reserve_units)
                          * 0.000000001) AS epsilon_spent,
               trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
               trim_scale((s.delta + CASE WHEN s.releases > 0 THEN b.delta_units - b.reserve_units ELSE 0 END)
                          * 0.000000000000000001) AS delta_spent,
               trim_scale(b.reserve_units * 0.000000000000000001) AS delta_reserve,
               CASE WHEN b.cost_spent IS NOT NULL
                    THEN (b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases) END AS sums_equal,
               s.cost <= b.cost_limit AND s.delta <= b.reserve_units AND s.releases <= coalesce(b.max_releases, s.releases)
                 AS within,
               -- earlier charges, to which the caps could have been adapted: whole blocks, and the first part of one
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
         CROSS JOIN LATERAL dpobj_internal.composed_charges($1, NULL, a.accountant, $2) c)
    SELECT jsonb_build_object(
      'relation', dpobj_internal.table_name($1),
      'at', statement_timestamp(),
      'version', (SELECT x.extversion FROM pg_extension x WHERE x.extname = 'dpobj'),
      'tables', (SELECT coalesce(jsonb_agg(i.name ORDER BY i.name), '[]')
                   FROM dpobj.identities i WHERE i.id IN (SELECT id FROM family)),
      'protection', (SELECT jsonb_build_object('adjacency', p.adjacency, 'person', p.person,
                              'max_rows_per_person', p.max_rows_per_person, 'since', p.at)
                       FROM dpobj.protections p WHERE p.relation IN (SELECT id FROM here)),
      'releases', (SELECT jsonb_build_object('charged', l.charged, 'released', l.charged - u.failed - u.open,
                            'failed', u.failed, 'open', u.open)
                     FROM (SELECT coalesce(sum(times), 0)::bigint AS charged FROM charges) l, (SELECT count(*) FILTER (WHERE ended = 'failed') AS failed,
                                            count(*) FILTER (WHERE ended = 'open') AS open FROM unreleased) u),
      'open', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                 FROM (SELECT id FROM unreleased WHERE ended = 'open' ORDER BY id LIMIT 100) o),
      'failed', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                   FROM (SELECT id FROM unreleased WHERE ended = 'failed' ORDER BY id LIMIT 100) o),
      'labels', (SELECT coalesce(jsonb_object_agg(l.guarantee, l.releases), '{}') FROM labels l),
      'kinds', (SELECT coalesce(jsonb_agg(to_jsonb(k) ORDER BY k.role, k.mechanism, k.guarantee), '[]') FROM kinds k),
      'budgets', (SELECT coalesce(jsonb_agg(to_jsonb(b) - 'id' ORDER BY b.relation_name, b.of_owner DESC, b.all_roles DESC, b.role), '[]')
                    FROM budgets b),
      'sums_equal', (SELECT coalesce(bool_and(b.sums_equal), true) FROM budgets b),
      'neighbours', (SELECT c.neighbours FROM composed c LIMIT 1),
      'composed', (SELECT jsonb_object_agg(c.accountant, jsonb_build_object(
                            'epsilon', trim_scale(c.epsilon_nano * 0.000000001),
                            'delta', trim_scale(c.delta_units * 0.000000000000000001),
                            'rdp_order', c.rdp_order, 'assumes', c.assumes)) FROM composed c),
      'events', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'at', e.at, 'event', e.event,
                          'by', e.role_name, 'table', e.relation_name, 'parameters', e.parameters) ORDER BY e.id), '[]')
                   FROM events e))
  $$;
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
                                ', earlier_rows_per_person ' || (p ->> 'earlier_rows_per_person'))
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

-- What was promised and what is spent stand first, then the conditions.
CREATE OR REPLACE FUNCTION dpobj_internal.report_promise(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE
        WHEN ($1 #>> '{releases,charged}')::bigint = 0 THEN 'Nothing has been released from this table.'
        WHEN $1 ->> 'neighbours' IS NULL THEN 'The releases of this table are about neighbours of several kinds, so that they have no total.'
        WHEN b.budget IS NOT NULL THEN
          format('All that is and will be released under the budget of this table is differentially private with epsilon %s and delta %s for '
                 'tables where %s; epsilon %s and delta %s of it are spent, in %s releases. This holds whatever the analysts asked after which answer%s.',
            b.budget ->> 'epsilon_limit', b.budget ->> 'delta_limit', $1 ->> 'neighbours', b.budget ->> 'epsilon_spent', b.budget ->> 'delta_spent',
            $1 #>> '{releases,charged}',
            CASE WHEN (b.budget ->> 'releases_before')::bigint > 0
                 THEN ', if the decision about the budget, after ' || (b.budget ->> 'releases_before') || ' of them, did not depend on the answers'
                 ELSE '' END)
        WHEN c.guarantee IS NOT NULL THEN
          format('No budget over all roles is known to bound this table; epsilon %s and delta %s are spent, in %s releases, for tables where %s. '
                 'Together they are differentially private with these if all of them were fixed before the first answer.',
            c.guarantee ->> 'epsilon', c.guarantee ->> 'delta', $1 #>> '{releases,charged}', $1 ->> 'neighbours')
        ELSE 'No accountant knows a total of these releases.' END
      || coalesce(' ' || w.weaker || CASE w.weaker WHEN 1 THEN ' of them has' ELSE ' of them have' END || ' a guarantee that is not exact.', '')
      FROM (SELECT (SELECT v.b FROM jsonb_array_elements($1 -> 'budgets') v(b)
                     WHERE v.b ->> 'relation_name' = $1 ->> 'relation' AND (v.b ->> 'all_roles')::boolean AND (v.b ->> 'within')::boolean
                       AND coalesce((v.b ->> 'sums_equal')::boolean, true)
                     ORDER BY (v.b ->> 'releases_before')::bigint > 0, (v.b ->> 'epsilon_limit')::numeric LIMIT 1) AS budget) b,
           (SELECT (SELECT v.c FROM jsonb_each($1 -> 'composed') v(name, c) WHERE v.c ->> 'epsilon' IS NOT NULL
                     ORDER BY (v.c ->> 'epsilon')::numeric LIMIT 1) AS guarantee) c,
           (SELECT nullif(coalesce(sum(v.n::bigint), 0), 0) AS weaker FROM jsonb_each_text($1 -> 'labels') v(label, n) WHERE v.label <> 'exact') w
  $$;
COMMENT ON FUNCTION dpobj_internal.report_promise(jsonb) IS
  'internal: what all releases of a report guarantee together, in one sentence';

CREATE OR REPLACE FUNCTION dpobj_internal.report_as_text(report jsonb) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      dpobj_internal.report_lines('Privacy report of table ' || (r.j ->> 'relation'), 0),
      format('%s, dpobj %s', to_char((r.j ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'), r.j ->> 'version'),
      '', dpobj_internal.report_lines(dpobj_internal.report_promise(r.j), 0),
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
