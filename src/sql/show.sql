-- Models as text, for people

CREATE FUNCTION dpobj_internal.named_model(name text, owner regrole) RETURNS @extschema@.dp_model
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_named_model';
COMMENT ON FUNCTION dpobj_internal.named_model(text, regrole) IS
  'internal: a model of the current role or one that is shared with it';

CREATE FUNCTION dpobj_internal.show_line(head text, words text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT overlay(dpobj_internal.report_lines($2, 13, 78) PLACING rpad('  ' || $1, 13) FROM 1)
  $$;
COMMENT ON FUNCTION dpobj_internal.show_line(text, text) IS 'internal: a head and a paragraph beside it, at 78 columns';

-- Three digits of a number that is not 0.
CREATE FUNCTION dpobj_internal.show_number(value float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT trim_scale(round(n, greatest(2 - floor(log(abs(n)))::integer, 0)))::text FROM (SELECT $1::numeric AS n) v
  $$;
COMMENT ON FUNCTION dpobj_internal.show_number(float8) IS 'internal: a number with three digits';

CREATE FUNCTION dpobj.show(model @extschema@.dp_model) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      dpobj_internal.report_lines(format('Model %s, release %s', coalesce('"' || k.name || '" of ' || k.owner, 'without a name'), m.release),
                                  0, 78),
      dpobj_internal.show_line('predicts', format(CASE
        WHEN m.kind IN ('softmax', 'one_vs_rest') THEN '%1$s: which of %2$s'
        WHEN m.kind IN ('linear', 'simplex') THEN '%1$s: a number%3$s'
        ELSE 'whether %1$s is %4$s' END || ' (%5$s, by %6$s)',
        coalesce(m.details ->> 'label', 'the label'),
        (SELECT string_agg(c.name, ', ' ORDER BY c.place)
           FROM jsonb_array_elements_text(m.details -> 'classes') WITH ORDINALITY c(name, place)),
        ' from ' || (m.details #>> '{target,0}') || ' to ' || (m.details #>> '{target,1}'),
        coalesce(btrim(coalesce(m.details #>> '{options,positive}', m.details -> 'encoders' -> (m.details ->> 'label') ->> 'positive'), '[]'),
                 CASE m.details -> 'types' ->> (m.details ->> 'label') WHEN 'boolean' THEN 'true' END, 'positive'),
        m.kind, m.mechanism)),
      dpobj_internal.show_line('learned', coalesce(w.largest, 'nothing: all weights are 0')),
      dpobj_internal.show_line('from', concat_ws(', ',
        coalesce(m.details ->> 'relation', k.relation_name, 'arrays of a table that it does not name'),
        to_char(k.created, 'YYYY-MM-DD'),
        (SELECT string_agg(format('%s = %s', coalesce(g.by, 'key'), g.key), ', ' ORDER BY g.place)
           FROM ROWS FROM (jsonb_array_elements_text(m.details #> '{group,by}'), jsonb_array_elements_text(m.details #> '{group,key}'))
                WITH ORDINALITY g(by, key, place)),
        'filter ' || (m.details ->> 'filter'))),
      dpobj_internal.show_line('for', format('epsilon %s, delta %s; guarantee %s', m.epsilon, m.delta, m.guarantee)),
      dpobj_internal.show_line('neighbours', CASE
        WHEN m.details ? 'person' THEN format('tables that differ in the rows of one person (column %s), at most %s each',
                                              m.details ->> 'person', m.details ->> 'max_rows_per_person')
        WHEN m.adjacency = 'replace' THEN 'tables that differ in one row'
        ELSE 'tables of which one has one row more' END),
      r.lines,
      dpobj_internal.show_line('comment', k.comment),
      dpobj_internal.show_line('retired', to_char(k.retired, 'YYYY-MM-DD')),
      dpobj_internal.show_line('hash', format('%s..., which the ledger %s', left(encode(m.hash, 'hex'), 16),
        CASE WHEN dpobj.verify($1) THEN 'has' ELSE 'DOES NOT HAVE' END)))
      FROM (SELECT ($1).*, dpobj.model_hash($1) AS hash) m
      LEFT JOIN dpobj.models k ON k.release = m.release AND dpobj.model_hash(k.model) = m.hash
     CROSS JOIN LATERAL
           (SELECT string_agg(format('%s%s %s: %s', c.class || ': ', c.feature, c.level,
                                     coalesce(c.points::text, dpobj_internal.show_number(c.weight))), '; ' ORDER BY c.place)
                     FILTER (WHERE c.place <= 4)
                   || CASE WHEN count(*) > 4 THEN format('; and %s more', count(*) - 4) ELSE '' END AS largest
              FROM (SELECT s.*, row_number() OVER (ORDER BY abs(s.weight) DESC, s."position") AS place
                      FROM dpobj.scorecard($1) s
                     WHERE s.weight <> 0 AND s.feature <> '(intercept)') c) w
     CROSS JOIN LATERAL
           (SELECT string_agg(dpobj_internal.show_line('rated', concat(format('%s %s, %s to %s at level %s, on %s, %s',
                     CASE e.kind WHEN 'residuals' THEN 'R-squared' ELSE e.kind END,
                     round(e.value::numeric, 3), round(e.low::numeric, 3), round(e.high::numeric, 3), e.level,
                     e.relation_name, to_char(e.created, 'YYYY-MM-DD')), ', filter ' || e.filter)), E'\n' ORDER BY e.release) AS lines
              FROM (SELECT v.*, a.parameters ->> 'filter' AS filter FROM dpobj.answers a JOIN dpobj.evaluations v USING (release)
                     WHERE a.parameters -> 'model' = to_jsonb(m.release) AND k.release IS NOT NULL AND k.key IS NULL AND v.value IS NOT NULL
                     ORDER BY v.release DESC LIMIT 3) e) r
  $$;
COMMENT ON FUNCTION dpobj.show(@extschema@.dp_model) IS
  'a model in about ten lines: what it predicts and learned, from what, for how much, and how good it is by its last three ratings that are kept';

CREATE FUNCTION dpobj.show(name text, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT dpobj.show(dpobj_internal.named_model($1, $2)) $$;
COMMENT ON FUNCTION dpobj.show(text, regrole) IS 'dpobj.show of a named model';
