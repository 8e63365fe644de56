-- Models as Markdown, for repositories and wikis: dpobj.show makes it

-- A backslash keeps what Markdown would read as markup, HTML, a table's border or a link.
CREATE OR REPLACE FUNCTION dpobj_internal.markdown(words text) RETURNS text
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_markdown';
COMMENT ON FUNCTION dpobj_internal.markdown(text) IS 'internal: a text in Markdown';

CREATE OR REPLACE FUNCTION dpobj_internal.markdown_row(VARIADIC cells text[]) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN bool_and(c.words IS NOT NULL)
                THEN '| ' || string_agg(dpobj_internal.markdown(c.words), ' | ' ORDER BY c.place) || ' |' END
      FROM unnest($1) WITH ORDINALITY c(words, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.markdown_row(text[]) IS 'internal: a row of a table in Markdown; null if a cell is';

CREATE OR REPLACE FUNCTION dpobj_internal.model_card(facts jsonb) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      '# Model ' || coalesce(dpobj_internal.markdown('"' || (f ->> 'name') || '" of ' || (f ->> 'owner')), 'without a name'),
      E'\n' || dpobj_internal.markdown('Verdict: ' || (f ->> 'verdict')),
      '', '| | |', '|---|---|',
      dpobj_internal.markdown_row('predicts', f ->> 'predicts'),
      dpobj_internal.markdown_row('from', f ->> 'from'),
      dpobj_internal.markdown_row('for', f ->> 'for'),
      dpobj_internal.markdown_row('neighbours', f ->> 'neighbours'),
      dpobj_internal.markdown_row('comment', f ->> 'comment'),
      dpobj_internal.markdown_row('retired', 'since ' || to_char((f ->> 'retired')::timestamptz, 'YYYY-MM-DD')
        || ': it is not applied or rated by its name'),
      dpobj_internal.markdown_row('release', f ->> 'release'),
      dpobj_internal.markdown_row('SHA-256', format('%s, which the ledger %s', f ->> 'hash',
        CASE WHEN (f ->> 'verified')::boolean THEN 'has' ELSE 'DOES NOT HAVE' END)),
      '', '## What it learned', '',
      CASE WHEN c.classes THEN E'| Class | Feature | Level | Adds |\n|---|---|---|--:|'
           ELSE E'| Feature | Level | Adds |\n|---|---|---:|' END,
      c.rows,
      E'\n' || nullif(jsonb_array_length(f -> 'points') - c.shown, 0) || ' more, nearer to 0 or within twice their error, are in dpobj.scorecard.',
      '', '## How good it is', '',
      '- ' || dpobj_internal.markdown(concat_ws('; ', f ->> 'verdict', 'rating: ' || (f ->> 'table'))),
      coalesce((SELECT string_agg('- ' || dpobj_internal.markdown(dpobj_internal.rating_words(r)), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(f -> 'ratings') WITH ORDINALITY v(r, place)),
               CASE WHEN f ->> 'verdict' IS NULL THEN 'No rating of it is kept.' END)) || E'\n'
      FROM (SELECT $1 AS f) v
     CROSS JOIN LATERAL
           (SELECT count(p.class) > 0 AS classes, count(*) AS shown,
                   string_agg(CASE WHEN p.class IS NULL THEN dpobj_internal.markdown_row(p.feature, p.level, coalesce(p.shown, ''))
                                   ELSE dpobj_internal.markdown_row(p.class, p.feature, p.level, coalesce(p.shown, '')) END, E'\n' ORDER BY p.place) AS rows
              FROM dpobj_internal.largest_points(f, 100) p) c
  $$;
COMMENT ON FUNCTION dpobj_internal.model_card(jsonb) IS 'internal: a model as Markdown, of dpobj_internal.model_facts';
