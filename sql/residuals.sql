-- dpobj.residuals, and dpobj.evaluate of a model that predicts a number: what is released, in which
-- units, what is refused, what it costs.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_residuals_ana', 'dpobj_residuals_eve');

-- price = 1000 area, and 20000 more or less; some prices are outside the bounds, some are missing
CREATE TABLE flat (owner int, area int, garden boolean, price numeric, sold boolean);
INSERT INTO flat SELECT i / 2, 50 + i % 100, i % 7 = 0,
  CASE WHEN i % 50 = 1 THEN 1e6 WHEN i % 50 = 2 THEN NULL ELSE 1000 * (50 + i % 100) + CASE WHEN i % 3 = 0 THEN 20000 ELSE -10000 END END, i % 2 = 0
  FROM generate_series(1, 6000) i;
CREATE TABLE flat_by_owner AS SELECT * FROM flat;
CREATE TABLE no_flat AS SELECT * FROM flat LIMIT 0;
CREATE TABLE one_flat AS SELECT * FROM flat WHERE area = 100 LIMIT 1;
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['flat', 'no_flat', 'one_flat'] LOOP
    EXECUTE format($f$SELECT dpobj.protect('%s', '{"area": {"center": 100, "scale": 50}, "garden": {}, "price": {"center": 100000, "scale": 50000}, "sold": {}}', n => 6000)$f$, t);
    EXECUTE format($f$SELECT dpobj.set_budget('%s', 'dpobj_residuals_ana', 100000, 0)$f$, t);
  END LOOP;
  PERFORM dpobj.protect('flat_by_owner', '{"area": {"center": 100, "scale": 50}, "garden": {}, "price": {"center": 100000, "scale": 50000}, "sold": {}}', adjacency => 'add_remove', person => 'owner', max_rows_per_person => 2);
  PERFORM dpobj.set_budget('flat_by_owner', 'dpobj_residuals_ana', 100000, 0);
END $$;

\c - dpobj_residuals_ana
SELECT (dpobj.train('flat', label => 'price', features => '{area}', epsilon => 1000, method => 'linear', options => '{"regularization": 0.02}', name => 'line')).kind;
SELECT (dpobj.train('flat', label => 'price', features => '{area,garden}', epsilon => 1000, method => 'simplex', name => 'share')).kind;
SELECT (dpobj.train('flat', label => 'sold', features => '{area}', epsilon => 1, name => 'yes')).kind;
-- With much epsilon it is the truth of clipped prices and predictions, in units of the price.
\c - postgres
CREATE FUNCTION truth(model text) RETURNS TABLE (r_squared numeric, mean_absolute_error numeric) LANGUAGE sql AS $$
  WITH p AS (SELECT greatest(least(price, 150000), 50000)::float8 AS y, least(greatest(
               CASE model WHEN 'line' THEN dpobj.score(model, f, 'dpobj_residuals_ana') ELSE 100000 + 50000 * dpobj.score(model, f, 'dpobj_residuals_ana') END, 50000), 150000) AS p
             FROM flat f WHERE price IS NOT NULL)
  SELECT round((1 - sum((y - p) ^ 2) / (var_pop(y) * count(*)))::numeric, 2), round(avg(abs(y - p))::numeric, -2) FROM p $$;
CREATE TABLE truths AS SELECT 'line' AS model, * FROM truth('line') UNION ALL SELECT 'share', * FROM truth('share');
GRANT SELECT ON truths TO dpobj_residuals_ana;
\c - dpobj_residuals_ana
SELECT model, abs(dpobj.evaluate(model, 'flat', 1000)::numeric - r_squared) < 0.006 AS r_squared FROM truths;
SELECT measure, round(value::numeric, 2) - r_squared BETWEEN -0.01 AND 0.01 AS near, low < value AND value < high AS within, high - low < 0.1 AS narrow, confidence
  FROM truths, dpobj.residuals('line', 'flat', 1000, options => '{"confidence": 0.9}') WHERE model = 'line' AND measure = 'r_squared';
SELECT measure, abs(round(value::numeric, -2) - mean_absolute_error) <= 100 AS near, low < value AND value < high AS within, high - low < 2000 AS narrow, confidence
  FROM truths, dpobj.residuals('share', 'flat', 1000) WHERE model = 'share' AND measure = 'mean_absolute_error';
SELECT abs(dpobj.evaluate('line', 'flat_by_owner', 2000)::numeric - r_squared) < 0.006 AS persons FROM truths WHERE model = 'line';
SELECT value > 0.7 AS filtered FROM dpobj.residuals('line', 'flat', 1000, filter => '{"price": {"<": 900000}, "sold": {"=": true}}') WHERE measure = 'r_squared' AND value <= 1;
-- the truth of a population, of which these rows may be a sample, is in a wider interval, as it is of other ratings
SELECT measure, sample_low < low AND high < sample_high AS wider, sample_high - sample_low < CASE measure WHEN 'r_squared' THEN 0.4 ELSE 10000 END AS narrow
  FROM dpobj.residuals('line', 'flat', 1000);
SELECT kind, models, count(*) AS ratings, bool_and(value BETWEEN low AND high) AS around, bool_and(sample_low < low AND high < sample_high AND sample_high <= 1) AS wider
  FROM dpobj.evaluations WHERE value IS NOT NULL AND relation_name = 'public.flat' AND low > 0 GROUP BY 1, 2 ORDER BY 1, 2;
-- rows that are none, that are one, and little epsilon
SELECT count(*) AS answers, bool_and(low <= high) AS ordered, bool_and(value IS NULL OR value BETWEEN low AND high) AS within FROM dpobj.residuals('line', 'no_flat', 0.1);
SELECT count(*) AS answers, bool_and(low <= high) AS ordered FROM dpobj.residuals('share', 'one_flat', 1);
SELECT bool_and(CASE measure WHEN 'r_squared' THEN low = '-Infinity' AND high = 1 ELSE low = 0 AND high = 100000 END) AS nothing, bool_and(sample_low = low AND sample_high = high) AS sample FROM dpobj.residuals('line', 'flat', 0.001, options => '{"confidence": 0.999999}');
-- both measures are one charge, as are equal calls in one list of results
SELECT epsilon FROM dpobj.remaining('one_flat');
SELECT count(*), count(DISTINCT (r).measure) AS measures, min((r).confidence) AS confidence FROM (SELECT dpobj.residuals('line', 'one_flat', 0.5) AS r) s;
SELECT epsilon FROM dpobj.remaining('one_flat');
\c - postgres
SELECT mechanism, epsilon, delta, pair, guarantee, adjacency, parameters - 'encoders' - 'types' - 'model' AS parameters
  FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.one_flat' ORDER BY id DESC LIMIT 1;
\c - dpobj_residuals_ana
SELECT round((high - low) / 2) AS half, dpobj.price('flat', NULL, 1, method => 'count') #> '{error,rows}' AS error FROM dpobj.count('flat', 1);
\c - postgres
SELECT dpobj_internal.rating_interval('-Infinity', 0.5);
SELECT dpobj_internal.rating_words(jsonb_build_object('kind', 'residuals', 'value', 0.5, 'low', 0.4, 'high', 0.6, 'confidence', 0.95)) AS rating,
       dpobj_internal.rating_interval('-Infinity', 0.9) AS sample;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
\c - dpobj_residuals_ana
SELECT * FROM answers($$SELECT * FROM dpobj.residuals(%)$$,
  '''yes'', ''flat'', 1', '''none'', ''flat'', 1', 'NULL, ''flat'', 1', '''line'', ''flat'', 0', '''line'', ''flat'', NULL', '''line'', ''flat'', 0.0000001',
  '''line'', ''flat'', 1, options => ''{"clip": [0, 1]}''', '''line'', ''flat'', 1, options => ''{"confidence": 2}''', '''line'', ''flat'', 1, filter => ''{"rooms": 1}''');
SELECT * FROM answers('SELECT %', $$dpobj.confusion('line', 'flat', 1)$$, $$dpobj.select('{line,share}', 'flat', 1)$$);
\c - dpobj_residuals_eve
SELECT dpobj.residuals('line', 'flat', 1);
\c - postgres
SELECT dpobj.protect('one_flat', '{"area": {"center": 100, "scale": 50}, "garden": {}, "price": {"center": 100000, "scale": 60000}, "sold": {}}');
\c - dpobj_residuals_ana
SELECT * FROM answers('SELECT dpobj.evaluate(%)', $$'line', 'one_flat', 1$$, $$'share', 'flat', 1000000$$);
-- What it would cost, and how near it would be: a look has a price as a training has.
SELECT dpobj.price('flat', 'price', 1, method => 'residuals') - 'remaining' - 'calls' AS price;
SELECT dpobj.price('flat_by_owner', 'price', 2, method => 'residuals') -> 'error' AS error;
SELECT dpobj.price_aggregate('residuals', 1, 1, options => '{"clip": [50000, 150000]}') -> 'error' AS error;
SELECT dpobj.price('flat', NULL, 1, method => 'count', options => '{"by": ["garden", "sold"], "confidence": 0.9}') - 'remaining' AS price;
SELECT dpobj.price('flat', 'area', 1, method => 'avg', filter => '{"sold": {"=": true}}') -> 'error' AS avg,
       dpobj.price('flat', 'area', 1, method => 'sum', options => '{"clip": [0, 10]}') -> 'error' AS sum,
       dpobj.price('flat', 'garden', 1, method => 'histogram', options => '{"by": ["sold"]}') - 'remaining' - 'calls' AS histogram,
       dpobj.price('flat', NULL, 1, '{area,sold}', method => 'profile') -> 'error' AS profile,
       dpobj.price('flat', 'area', 1, method => 'quantiles', options => '{"quantiles": [0.5], "steps": 100}') -> 'error' AS quantiles;
SELECT * FROM answers($$SELECT dpobj.price('flat', %)$$,
  'NULL, 1, method => ''sum''', '''area'', 1, method => ''quantiles''', 'NULL, 1, method => ''count'', options => ''{"by": "sold"}''',
  'NULL, 1, method => ''count'', options => ''{"by": ["area"]}''', 'NULL, 1, method => ''count'', options => ''{"adjacency": "replace"}''',
  'NULL, 1, method => ''count'', options => ''{"by": [1]}''', 'NULL, 1, method => ''count'', options => ''[]''', 'NULL, 1e-9, method => ''count''',
  '''owner'', 1, method => ''sum''', '''garden'', 1, method => ''residuals'', options => ''{"by": ["sold"]}''', 'NULL, 1, method => ''count'', filter => ''{"rooms": 1}''');
\c - postgres
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';
DROP OWNED BY dpobj_residuals_ana, dpobj_residuals_eve;
DROP ROLE dpobj_residuals_ana, dpobj_residuals_eve;
