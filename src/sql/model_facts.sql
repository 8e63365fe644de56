-- What is known of a model: dpobj.show and the auditor's page are made of it

CREATE OR REPLACE FUNCTION dpobj_internal.model_of(model dpobj.model_argument, owner regrole) RETURNS @extschema@.dp_model
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_of';
COMMENT ON FUNCTION dpobj_internal.model_of(dpobj.model_argument, regrole) IS 'internal: the model of an argument';

CREATE OR REPLACE VIEW dpobj.ratings_seen AS
SELECT a.parameters ->> 'model' AS model, a.parameters #> '{keys,0}' AS key, a.parameters ->> 'filter' AS filter, a.name, a.kind, a.value,
       a.low, a.high, a.sample_low, a.sample_high, a.confidence, a.relation_name, a.created, a.release, a.holdout
  FROM dpobj.kept_answers a
 WHERE a.parameters ? 'model' AND a.owns;
COMMENT ON VIEW dpobj.ratings_seen IS 'ratings of one model each that the role dpobj_internal.reader() has made';
CREATE OR REPLACE FUNCTION dpobj_internal.see_ratings() RETURNS SETOF dpobj.ratings_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_ratings() IS 'internal: dpobj.ratings_seen for the reader';

/*
 * The registry's part
 * (name, owner, comment, ratings) is what the current role may see. Of the ratings it has the last
 * three with a number and the last three without, of the last 100.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.model_facts(models @extschema@.dp_model[]) RETURNS SETOF jsonb
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    WITH
      given AS MATERIALIZED (
        SELECT p.place, v.model, dpobj_internal.model_hash(v.model) AS hash, (v.model).details #> '{group,key}' AS key
          FROM generate_subscripts($1, 1) p(place) CROSS JOIN LATERAL (SELECT ($1)[p.place] AS model) v
         WHERE v.model IS DISTINCT FROM NULL),
      known AS MATERIALIZED (
        SELECT * FROM dpobj.models v WHERE v.release = ANY (ARRAY(SELECT (g.model).release FROM given g)))
    SELECT jsonb_build_object(
        'name', k.name, 'owner', k.owner, 'release', m.release, 'comment', k.comment, 'retired', k.retired,
        'hash', encode(g.hash, 'hex'), 'verified', dpobj.verify(g.model),
        'predicts', format(CASE
            WHEN m.kind IN ('softmax', 'one_vs_rest') THEN '%1$s: which of %2$s'
            WHEN m.kind IN ('linear', 'simplex') THEN '%1$s: a number%3$s'
            ELSE 'whether %1$s is %4$s' END || ' (%5$s, by %6$s)',
          coalesce(m.details ->> 'label', 'the label'),
          (SELECT string_agg(c.name, ', ' ORDER BY c.place)
             FROM jsonb_array_elements_text(m.details -> 'classes') WITH ORDINALITY c(name, place)),
          ' from ' || (m.details #>> '{target,0}') || ' to ' || (m.details #>> '{target,1}'),
          coalesce(btrim(coalesce(m.details #>> '{options,positive}', m.details -> 'encoders' -> (m.details ->> 'label') ->> 'positive'), '[]'),
                   CASE m.details -> 'types' ->> (m.details ->> 'label') WHEN 'boolean' THEN 'true' END, 'positive'),
          m.kind, m.mechanism),
        'from', concat_ws(', ',
          coalesce(m.details ->> 'relation', k.relation_name, 'arrays of a table that it does not name'),
          to_char(k.created, 'YYYY-MM-DD'),
          (SELECT string_agg(format('%s = %s', coalesce(x.by, 'key'), x.key), ', ' ORDER BY x.place)
             FROM ROWS FROM (jsonb_array_elements_text(m.details #> '{group,by}'), jsonb_array_elements_text(g.key))
                  WITH ORDINALITY x(by, key, place)),
          'filter ' || (m.details ->> 'filter'),
          coalesce((m.details ->> 'holdout') || ' of the rows held out', (m.details #>> '{rate,rows}') || ' of the rows held out for its rating'),
          'at most ' || (m.details ->> 'max_rows_per_person') || ' rows of each person, chosen by a keyed hash'),
        'verdict', dpobj_internal.verdict_words(m.details -> 'rating'),
        'curves', dpobj_internal.rating_curves(m.details -> 'rating'),
        'table', coalesce(dpobj_internal.table_words(m.details -> 'rating'), 'none. ' || (m.details ->> 'unrated')),
        'for', format('epsilon %s, delta %s; guarantee %s', m.epsilon, m.delta, m.guarantee),
        'neighbours', CASE
          WHEN m.details ? 'person' THEN format('tables that differ in the rows of one person (column %s), at most %s each',
                                                m.details ->> 'person', m.details ->> 'max_rows_per_person')
          WHEN m.adjacency = 'replace' THEN 'tables that differ in one row'
          ELSE 'tables of which one has one row more' END,
        'points', (SELECT jsonb_agg(jsonb_build_object('class', s.class, 'feature', s.feature, 'level', s.level,
                                                       'points', s.points, 'weight', s.weight, 'error', s.error) ORDER BY s."position")
                     FROM dpobj.scorecard(g.model) s),
        'ratings', (SELECT coalesce(jsonb_agg(to_jsonb(r) - '{model,key,recent}'::text[]
                                            || CASE WHEN g.key IS NOT NULL AND r.filter IS NULL THEN '{"all_groups": true}' ELSE '{}' END::jsonb
                                          ORDER BY r.release), '[]')
                      FROM (SELECT x.*, row_number() OVER (PARTITION BY x.value IS NULL ORDER BY x.release DESC) AS recent
                              FROM (SELECT * FROM dpobj_internal.see_ratings() v
                                     WHERE v.model = m.release::text AND coalesce(v.key, 'null') = coalesce(g.key, 'null')
                                     ORDER BY v.release DESC LIMIT 100) x
                             WHERE k.release IS NOT NULL) r
                     WHERE r.recent <= 3))
      FROM given g
     CROSS JOIN LATERAL (SELECT (g.model).*) m
      LEFT JOIN LATERAL (SELECT * FROM known v WHERE v.release = m.release AND dpobj_internal.model_hash(v.model) = g.hash) k ON true
     ORDER BY g.place
  $$;
COMMENT ON FUNCTION dpobj_internal.model_facts(@extschema@.dp_model[]) IS
  'internal: an object for each model: what it predicts and learned, from what, for how much, and its last ratings';

-- The ends are rounded outwards, so that the interval holds the truth as often as it says. R-squared may
-- have no lower end, and in PostgreSQL 13 a numeric cannot say so.
CREATE OR REPLACE FUNCTION dpobj_internal.rating_interval(low float8, high float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s to %s', CASE WHEN $1 = '-Infinity' THEN $1::text ELSE round(floor($1::numeric * 1000) / 1000, 3)::text END,
                  round(ceil($2::numeric * 1000) / 1000, 3))
  $$;
COMMENT ON FUNCTION dpobj_internal.rating_interval(float8, float8) IS 'internal: an interval with three decimals, which holds the given one';

CREATE OR REPLACE FUNCTION dpobj_internal.rating_words(rating jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(', ',
      format(CASE WHEN r.value IS NOT NULL THEN '%1$s %2$s, %3$s at confidence %4$s'
                  WHEN r.kind IN ('accuracy', 'residuals', 'auc') THEN '%1$s: the noise left no number'
                  WHEN r.name IS NULL THEN '%1$s kept without a name'
                  ELSE '%1$s kept as %5$s' END,
             CASE r.kind WHEN 'residuals' THEN 'R-squared' ELSE r.kind END,
             round(r.value::numeric, 3), dpobj_internal.rating_interval(r.low, r.high), r.confidence, r.name),
      'on ' || r.relation_name, to_char(r.created, 'YYYY-MM-DD'), 'filter ' || r.filter, CASE WHEN r.all_groups THEN 'rows of all groups' END,
      'rows held out at ' || r.holdout)
      FROM jsonb_to_record($1) r(name text, kind text, value float8, low float8, high float8, confidence float8,
                                 relation_name text, created timestamptz, filter text, all_groups boolean, holdout text)
  $$;
COMMENT ON FUNCTION dpobj_internal.rating_words(jsonb) IS 'internal: a rating of dpobj_internal.model_facts in words';

-- Three digits of a number that is not 0.
CREATE OR REPLACE FUNCTION dpobj_internal.show_number(value float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN n = 0 THEN '0' ELSE trim_scale(round(n, greatest(2 - floor(log(abs(n)))::integer, 0)))::text END
      FROM (SELECT $1::numeric AS n) v
  $$;
COMMENT ON FUNCTION dpobj_internal.show_number(float8) IS 'internal: a number with three digits';

-- The points of a model that count most, in the order of the scorecard: those of more than twice their error first.
CREATE OR REPLACE FUNCTION dpobj_internal.largest_points(facts jsonb, most integer)
  RETURNS TABLE (place bigint, class text, feature text, level text, shown text, weight float8, noisy boolean)
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT r.place, r.class, r.feature, r.level,
           coalesce(r.points::text, dpobj_internal.show_number(r.weight) || coalesce(' +- ' || dpobj_internal.show_number(nullif(r.error, 0)), '')),
           r.weight, r.noisy
      FROM (SELECT p.*, n.noisy, row_number() OVER (ORDER BY n.noisy, abs(p.weight) DESC NULLS LAST, p.place) AS rank
              FROM ROWS FROM (jsonb_to_recordset($1 -> 'points') AS (class text, feature text, level text, points integer, weight float8, error float8))
                   WITH ORDINALITY p(class, feature, level, points, weight, error, place),
                   LATERAL (SELECT coalesce(abs(p.weight) < 2 * p.error, false) AS noisy) n) r
     WHERE r.rank <= $2
     ORDER BY r.place
  $$;
COMMENT ON FUNCTION dpobj_internal.largest_points(jsonb, integer) IS
  'internal: the points of dpobj_internal.model_facts, or so many that are furthest from 0';
