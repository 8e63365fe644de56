-- dpobj.report as HTML: the report of a table with its models, as one page for auditors

/*
 * It runs as the owner of dpobj's tables; dpobj.report checks who may call it,
 * and fills src/server/ledger/report_page.html with it.  What the page shows is limited, so that it stays
 * small.  Pictures have 100 units to the right, or one for each period.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.page_contents(relation regclass, delta numeric) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH r AS MATERIALIZED (SELECT dpobj_internal.report_contents($1, $2) || dpobj_internal.model_contents($1) AS j)
    SELECT r.j || jsonb_build_object(
      'what', CASE WHEN r.j ? 'population' THEN 'population' ELSE 'table' END,
      'made', to_char((r.j ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'),
      'promise', (dpobj_internal.report_promise(r.j))[1],
      'conditions', array_to_string((dpobj_internal.report_promise(r.j))[2:], ' '),
      'questions', dpobj_internal.report_answers(r.j),
      'about', dpobj_internal.report_neighbours(r.j),
      'budgets', (SELECT jsonb_agg(b || jsonb_build_object('caps', w.words[1], 'spent_words', w.words[2], 'holds', w.words[3],
                            'differs', NOT (b ->> 'sums_equal')::boolean,
                            'spent', coalesce(trim_scale(round(n.spent, 6))::text, 'beyond all bounds'),
                            'left', trim_scale(round(greatest(n.most - coalesce(n.spent, n.most), 0), 6)),
                            'share', CASE WHEN n.most > 0 THEN round(least(coalesce(100 * n.spent / n.most, 100), 100), 2)
                                          ELSE sign(coalesce(n.spent, 1)) * 100 END,
                            'steps', (SELECT jsonb_build_object('sum', max(y), 'path', string_agg(format('H%sV%s', trim_scale(round(100 * x, 2)),
                                                                  trim_scale(round(40 - 38 * y / z, 2))), '' ORDER BY x))
                                        FROM (SELECT p.*, greatest(max(p.y) OVER (), 0.000000001) AS z
                                                FROM jsonb_array_elements(r.j -> 'spending') s, jsonb_to_recordset(s -> 'steps') p(x numeric, y numeric)
                                               WHERE (s -> 'relation_name', s -> 'of_owner', s -> 'role')
                                                     = (b -> 'relation_name', b -> 'of_owner', b -> 'role')) q
                                      HAVING count(*) > 0)) ORDER BY place)
                    FROM jsonb_array_elements(r.j -> 'budgets') WITH ORDINALITY v(b, place),
                         LATERAL (SELECT (b ->> 'epsilon_spent')::numeric AS spent, (b ->> 'epsilon_limit')::numeric AS most) n,
                         LATERAL (SELECT dpobj_internal.report_budget(b) AS words) w
                   WHERE place <= 40),
      'more_budgets', nullif(greatest(jsonb_array_length(r.j -> 'budgets') - 40, 0), 0),
      'all_count', r.j #>> '{releases,charged}' <> r.j #>> '{releases,released}',
      'timeline', (SELECT (r.j -> 'timeline') || jsonb_build_object('count', count(*), 'most', max(p.charged), 'any_failed', max(p.failed) > 0,
                            'periods', jsonb_agg(to_jsonb(p) || jsonb_build_object('x', p.place - 0.9,
                                         'bars', jsonb_build_array(jsonb_build_object('class', 'mark', 'y', round(40 - 40 * p.charged / p.largest, 2),
                                                                     'height', round(40 * p.charged / p.largest, 2)))
                                           || CASE WHEN p.failed > 0
                                                   THEN jsonb_build_array(jsonb_build_object('class', 'minus', 'y', round(40 - 40 * p.failed / p.largest, 2),
                                                          'height', round(40 * p.failed / p.largest, 2))) ELSE '[]' END) ORDER BY p.place))
                     FROM (SELECT t.*, greatest(max(t.charged) OVER (), max(t.failed) OVER (), 1) AS largest
                             FROM ROWS FROM (jsonb_to_recordset(r.j #> '{timeline,periods}') AS (begins text, charged numeric, failed numeric,
                                               epsilon numeric)) WITH ORDINALITY t(begins, charged, failed, epsilon, place)) p
                   HAVING count(*) > 0),
      'kinds', (SELECT jsonb_agg(k || jsonb_build_object('unreleased', (k ->> 'failed')::bigint + (k ->> 'open')::bigint) ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'kinds') WITH ORDINALITY v(k, place) WHERE place <= 100),
      'more_kinds', nullif(greatest(jsonb_array_length(r.j -> 'kinds') - 100, 0), 0),
      'family', (SELECT jsonb_agg(jsonb_build_object('name', name, 'comma', CASE WHEN place > 1 THEN ', ' END) ORDER BY place)
                   FROM jsonb_array_elements(r.j -> 'tables') WITH ORDINALITY v(name, place)
                  WHERE jsonb_array_length(r.j -> 'tables') > 1 AND place <= 100),
      'many_tables', jsonb_array_length(r.j -> 'tables') > 100,
      'totals', (SELECT jsonb_agg(c || jsonb_build_object('accountant', name, 'epsilon', coalesce(c ->> 'epsilon', 'none')) ORDER BY place)
                   FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place), LATERAL (SELECT r.j -> 'composed' -> name AS c) t),
      'no_models', r.j ->> 'models' = '0',
      'cards', (SELECT jsonb_agg(f || jsonb_build_object(
                         'learned', l.learned,
                         'more_points', nullif(jsonb_array_length(f -> 'points') - jsonb_array_length(l.learned), 0),
                         'ratings', (SELECT jsonb_agg(jsonb_build_object('low', round(100 * i.low, 2), 'width', round(greatest(100 * (i.high - i.low), 0.6), 2),
                                              'mark', round(100 * i.value - 0.5, 2),
                                              'words', dpobj_internal.rating_words(x) || coalesce('; as a sample of more, '
                                                || dpobj_internal.rating_interval((x ->> 'sample_low')::float8, (x ->> 'sample_high')::float8), ''))
                                              ORDER BY at)
                                       FROM jsonb_array_elements(f -> 'ratings') WITH ORDINALITY v(x, at),
                                            LATERAL (SELECT max(part) FILTER (WHERE key = 'value') AS value, max(part) FILTER (WHERE key = 'low') AS low,
                                                            max(part) FILTER (WHERE key = 'high') AS high
                                                       FROM (SELECT key, greatest(least(value::float8, 1), 0)::numeric AS part
                                                               FROM jsonb_each_text(x) WHERE key IN ('value', 'low', 'high') AND value IS NOT NULL) e) i)) ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'cards') WITH ORDINALITY v(f, place),
                       LATERAL (SELECT jsonb_agg(to_jsonb(p) || jsonb_build_object('sign', CASE WHEN p.length < 0 THEN 'minus' WHEN p.weight IS NOT NULL THEN 'mark' END,
                                                   'x', round(50 + least(p.length, 0), 2), 'width', round(abs(p.length), 2)) ORDER BY p.place) AS learned
                                  FROM (SELECT g.*, coalesce((50 * g.weight / nullif(max(abs(g.weight)) OVER (), 0))::numeric, 0) AS length
                                          FROM dpobj_internal.largest_points(f, 30) g) p) l),
      'listed', (SELECT jsonb_agg(m || CASE WHEN m ->> 'deleted' IS NOT NULL THEN jsonb_build_object('now', 'deleted', 'since', m -> 'deleted')
                                            WHEN m ->> 'retired' IS NOT NULL THEN jsonb_build_object('now', 'retired', 'since', m -> 'retired')
                                            ELSE '{}' END ORDER BY place)
                   FROM jsonb_array_elements(r.j -> 'listed') WITH ORDINALITY v(m, place)),
      'more_models', nullif((r.j ->> 'models')::bigint - jsonb_array_length(r.j -> 'cards') - jsonb_array_length(r.j -> 'listed'), 0),
      'many_events', nullif(greatest(jsonb_array_length(r.j -> 'events'), 40), 40),
      'acts', (SELECT jsonb_agg(dpobj_internal.report_event(e) ORDER BY place DESC)
                 FROM (SELECT e, place FROM jsonb_array_elements(r.j -> 'events') WITH ORDINALITY v(e, place) ORDER BY place DESC LIMIT 40) v),
      'rests', dpobj_internal.report_assumptions(r.j))
      FROM r
  $$;
COMMENT ON FUNCTION dpobj_internal.page_contents(regclass, numeric) IS
  'internal: the contents of dpobj.report as HTML';
