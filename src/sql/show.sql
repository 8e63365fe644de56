-- Models as text, for people and for programs

CREATE OR REPLACE FUNCTION dpobj_internal.show_line(head text, words text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT overlay(dpobj_internal.report_lines($2, 13, 78) PLACING rpad('  ' || $1, 13) FROM 1)
  $$;
COMMENT ON FUNCTION dpobj_internal.show_line(text, text) IS 'internal: a head and a paragraph beside it, at 78 columns';

CREATE OR REPLACE FUNCTION dpobj_internal.model_text(facts jsonb) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      dpobj_internal.report_lines('Verdict: ' || (f ->> 'verdict'), 0, 78),
      dpobj_internal.report_lines(format('Model %s, release %s',
        coalesce('"' || (f ->> 'name') || '" of ' || (f ->> 'owner'), 'without a name'), f ->> 'release'), 0, 78),
      dpobj_internal.show_line('predicts', f ->> 'predicts'),
      dpobj_internal.show_line('learned', concat_ws('; ',
        coalesce(w.largest, CASE WHEN w.noisy > 0 THEN 'nothing beyond its noise' ELSE 'nothing: all weights are 0' END),
        nullif(w.noisy, 0) || ' below twice their error')),
      dpobj_internal.show_line('from', f ->> 'from'),
      dpobj_internal.show_line('for', f ->> 'for'),
      dpobj_internal.show_line('neighbours', f ->> 'neighbours'),
      dpobj_internal.show_line('rating', f ->> 'table'),
      (SELECT string_agg(dpobj_internal.show_line('rated', dpobj_internal.rating_words(r)), E'\n' ORDER BY place)
         FROM jsonb_array_elements(f -> 'ratings') WITH ORDINALITY v(r, place)),
      dpobj_internal.show_line('comment', f ->> 'comment'),
      dpobj_internal.show_line('retired', to_char((f ->> 'retired')::timestamptz, 'YYYY-MM-DD')),
      dpobj_internal.show_line('hash', format('%s..., which the ledger %s', left(f ->> 'hash', 16),
        CASE WHEN (f ->> 'verified')::boolean THEN 'has' ELSE 'DOES NOT HAVE' END)))
      FROM (SELECT $1 AS f) v
     CROSS JOIN LATERAL
           (SELECT string_agg(format('%s%s %s: %s', c.class || ': ', c.feature, c.level, c.shown), '; ' ORDER BY c.place)
                     FILTER (WHERE c.place <= 4 AND NOT c.noisy)
                   || CASE WHEN count(*) FILTER (WHERE NOT c.noisy) > 4
                           THEN format('; and %s more', count(*) FILTER (WHERE NOT c.noisy) - 4) ELSE '' END AS largest,
                   count(*) FILTER (WHERE c.noisy) AS noisy
              FROM (SELECT p.class, p.feature, p.level, p.shown, p.noisy, row_number() OVER (ORDER BY p.noisy, abs(p.weight) DESC, p.place) AS place
                      FROM dpobj_internal.largest_points(f, 1000000) p
                     WHERE p.weight <> 0 AND p.feature <> '(intercept)') c) w
  $$;
COMMENT ON FUNCTION dpobj_internal.model_text(jsonb) IS 'internal: a model in about ten lines, of dpobj_internal.model_facts';

CREATE OR REPLACE FUNCTION dpobj_internal.export(model dpobj.model_argument, format text, owner regrole) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_export';
COMMENT ON FUNCTION dpobj_internal.export(dpobj.model_argument, text, regrole) IS
  'internal: a model in format json or pmml of dpobj.show; null in text and markdown';

CREATE OR REPLACE FUNCTION dpobj.show(model dpobj.model_argument, format text DEFAULT 'text', owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(dpobj_internal.export($1, $2, $3),
                    (SELECT CASE $2 WHEN 'markdown' THEN dpobj_internal.model_card(f) ELSE dpobj_internal.model_text(f) END
                       FROM dpobj_internal.model_facts(ARRAY[dpobj_internal.model_of($1, $3)]) f))
  $$;
COMMENT ON FUNCTION dpobj.show(dpobj.model_argument, text, regrole) IS
  'what a model predicts and learned, from what, for how much, and how good it is by its last ratings that are kept; format: text, about ten lines; markdown, a card with its points and its whole hash; and for programs json, what its weights are multiplied by, features with their columns and encoders, weights, intercepts and classes, or pmml, PMML 4.4, which predicts from the columns that it was trained on; one that was trained on arrays reads columns f1, f2, ...';
