-- The table of scores with which a model comes

CREATE OR REPLACE FUNCTION dpobj.threshold(model dpobj.model_argument, recall float8 DEFAULT NULL, "precision" float8 DEFAULT NULL,
    share float8 DEFAULT NULL, cost dpobj.json_argument DEFAULT NULL, owner regrole DEFAULT NULL,
    OUT score float8, OUT probability float8, OUT expected jsonb)
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_threshold';
COMMENT ON FUNCTION dpobj.threshold(dpobj.model_argument, float8, float8, float8, dpobj.json_argument, regrole) IS
  'the score above which rows are to be taken, for a recall, a precision, a share of the rows or the costs of errors; its probability, and what is then expected to be right and wrong; costs nothing';

CREATE OR REPLACE FUNCTION dpobj_internal.estimate_words(estimate jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s, %s to %s', coalesce($1 ->> 'value', 'unknown'), coalesce($1 ->> 'low', '-Infinity'), coalesce($1 ->> 'high', 'Infinity'))
  $$;
COMMENT ON FUNCTION dpobj_internal.estimate_words(jsonb) IS 'internal: a number of a rating and its interval in words';

-- A verdict comes first; rows that the model has learned from give none.
CREATE OR REPLACE FUNCTION dpobj_internal.verdict_words(rating jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s (%s %s; %s)', coalesce($1 ->> 'verdict', 'on the rows it learned from'),
             CASE $1 ->> 'of' WHEN 'scores' THEN 'AUC' WHEN 'classes' THEN 'accuracy' ELSE 'R-squared' END,
             dpobj_internal.estimate_words($1 -> CASE $1 ->> 'of' WHEN 'scores' THEN 'auc' WHEN 'classes' THEN 'accuracy' ELSE 'r_squared' END),
             CASE $1 ->> 'of' WHEN 'scores' THEN 'chance has 0.5'
                              WHEN 'classes' THEN 'the most frequent class has ' || coalesce($1 #>> '{most_frequent_class,value}', 'no number')
                              ELSE 'a constant has 0' END)
           || CASE WHEN $1 ? 'needs'
                   THEN format('. If it is as good as it looks, %s times the rows would show it%s', $1 #>> '{needs,times_rows}',
                               coalesce(', or "rate": ' || ($1 #>> '{needs,rate}'), '')) ELSE '' END
           || CASE WHEN $1 ->> 'of' = 'scores' AND $1 #> '{auc,value}' = 'null'
                   THEN '. One of the two labels has so few rows that noise may have made them' ELSE '' END
  $$;
COMMENT ON FUNCTION dpobj_internal.verdict_words(jsonb) IS 'internal: the verdict of a rating that comes with a model in words';

CREATE OR REPLACE FUNCTION dpobj_internal.table_words(rating jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws('; ',
      format('about %s rows%s', $1 ->> 'rows', CASE WHEN $1 ? 'verdict' THEN ' held out' ELSE ' that it learned from' END),
      CASE WHEN $1 ? 'mu' THEN 'normal' ELSE 'Laplace' END || ' noise of standard deviation ' || ($1 ->> 'deviation') || ' on each count',
      CASE WHEN $1 ->> 'of' = 'scores'
           THEN format('positive %s; accuracy %s, where a constant has %s', dpobj_internal.estimate_words($1 -> 'base_rate'),
                       dpobj_internal.estimate_words($1 -> 'accuracy'),
                       coalesce(greatest(b.rate, 1 - b.rate)::text, 'an unknown one')) END,
      CASE WHEN $1 ->> 'of' = 'scores'
           THEN CASE WHEN $1 ? 'calibration'
                     THEN format('probabilities are calibrated, off by %s in the mean, where noise and chance alone make %s',
                                 $1 #>> '{calibration_error,value}', $1 #>> '{calibration_error,by_chance}')
                     ELSE 'too few rows to calibrate probabilities' END END,
      CASE WHEN $1 ? 'moved'
           THEN format('intercept moved by %s, so that %s', round(($1 #>> '{moved,intercept}')::numeric, 3), $1 #>> '{moved,so_that}') END,
      'lift ' || dpobj_internal.estimate_words($1 -> 'lift') || ', in the ' || ($1 ->> 'lift_share') || ' of rows with the highest scores',
      format('at confidence %s', $1 ->> 'confidence'))
      FROM (SELECT ($1 #>> '{base_rate,value}')::numeric AS rate) b
  $$;
COMMENT ON FUNCTION dpobj_internal.table_words(jsonb) IS 'internal: the numbers of a rating that comes with a model in words';

/*
 * The curves of a table of scores by its noisy counts, none of them below 0, in a square of 100: which
 * share of the positive rows is above a threshold, by that of the negative ones; and for each bin
 * with more rows than noise makes, the share of positive rows by the probability.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.rating_curves(rating jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    WITH bin AS (
      SELECT c.place, greatest((c.pair ->> 0)::numeric, 0) AS positive, greatest((c.pair ->> 1)::numeric, 0) AS negative,
             ($1 -> 'predicted' ->> (c.place::int - 1))::numeric AS predicted
        FROM jsonb_array_elements($1 -> 'counts') WITH ORDINALITY c(pair, place)),
    above AS (
      SELECT b.place, round(100 * sum(b.negative) OVER w / nullif(sum(b.negative) OVER (), 0), 1) AS x,
             100 - round(100 * sum(b.positive) OVER w / nullif(sum(b.positive) OVER (), 0), 1) AS y
        FROM bin b WINDOW w AS (ORDER BY b.place DESC))
    SELECT jsonb_build_object(
      'roc', (SELECT 'M0 100' || string_agg(format('L%s %s', a.x, a.y), '' ORDER BY a.place DESC) FROM above a),
      'bins', (SELECT jsonb_agg(jsonb_build_object('x', round(96 * b.predicted, 1), 'y', round(96 - 96 * b.positive / (b.positive + b.negative), 1)) ORDER BY b.place)
                 FROM bin b WHERE b.predicted IS NOT NULL AND b.positive + b.negative > 4.5 * ($1 ->> 'deviation')::numeric))
      WHERE $1 ->> 'of' = 'scores' AND $1 #>> '{auc,value}' IS NOT NULL
  $$;
COMMENT ON FUNCTION dpobj_internal.rating_curves(jsonb) IS 'internal: the ROC curve and the calibration of a rating that comes with a model, as places in a square';
