-- What the ledger has of a table, composed by each accountant, and the report for auditors

CREATE FUNCTION dpobj.composed_charges(relation regclass, role regrole, accountant text, delta numeric,
    OUT releases bigint, OUT epsilon_nano bigint, OUT delta_units bigint, OUT rdp_order integer,
    OUT assumes text, OUT neighbours text, OUT weaker bigint)
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_composed_charges';
COMMENT ON FUNCTION dpobj.composed_charges(regclass, regrole, text, numeric) IS
  'internal: dpobj.recompute in units of the ledger';

CREATE FUNCTION dpobj.recompute(relation regclass, role regrole, accountant text, delta numeric DEFAULT NULL)
  RETURNS TABLE (accountant text, releases bigint, epsilon numeric, delta numeric, rdp_order integer, assumes text)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT $3, c.releases, trim_scale(c.epsilon_nano * 0.000000001),
           trim_scale(c.delta_units * 0.000000000000000001), c.rdp_order,
           concat_ws('; ', c.assumes, c.neighbours,
             CASE WHEN c.weaker > 0 THEN format('releases with a guarantee that is not exact: %s', c.weaker) END)
      FROM dpobj.composed_charges($1, $2, $3, $4) c
  $$;
COMMENT ON FUNCTION dpobj.recompute(regclass, regrole, text, numeric) IS
  'what all charges of a table that a role has paid for, or with null all, guarantee together by an accountant: basic, zcdp, rdp, kov or pld; delta: null for 1e-6 and the sum of the releases'' own';

CREATE FUNCTION dpobj.report(relation regclass, delta numeric DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_report';
COMMENT ON FUNCTION dpobj.report(regclass, numeric) IS
  'for superusers and dpobj_auditor: releases, budgets and administration of a table, and what its releases guarantee together; delta as for dpobj.recompute';

-- ---- in words ----

CREATE FUNCTION dpobj.report_lines(words text, indent integer) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(string_agg(repeat(' ', $2) || m.line[1], E'\n'), '')
      FROM regexp_matches(regexp_replace($1, '[[:cntrl:]]+', ' ', 'g'),
                          format('(\S.{0,%s}\S|\S)(?:\s+|$)', 98 - $2), 'g') m(line)
  $$;
COMMENT ON FUNCTION dpobj.report_lines(text, integer) IS
  'internal: a paragraph in lines of at most 100 columns';

CREATE FUNCTION dpobj.report_releases(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT string_agg(concat_ws(E'\n',
             CASE WHEN k.first THEN dpobj.report_lines('role ' || k.role, 2) END,
             format('    %-17s %-11s %8s %9s %7s %5s   %s', k.mechanism, k.guarantee, k.charged, k.released, k.failed, k.open,
                    CASE WHEN k.delta > 0 THEN format('%s, %s', k.epsilon, k.delta) ELSE k.epsilon::text END)),
             E'\n' ORDER BY k.place)
      FROM (SELECT x.*, x.place = min(x.place) OVER (PARTITION BY x.role) AS first
              FROM ROWS FROM (jsonb_to_recordset($1 -> 'kinds') AS (role text, mechanism text, guarantee text, charged bigint,
                                released bigint, failed bigint, open bigint, epsilon numeric, delta numeric))
                   WITH ORDINALITY x(role, mechanism, guarantee, charged, released, failed, open, epsilon, delta, place)) k
  $$;
COMMENT ON FUNCTION dpobj.report_releases(jsonb) IS
  'internal: the releases of a report, as a table for each role';
