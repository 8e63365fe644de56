-- Real statements on the papers' instance: seconds of the whole statement, accuracy of its model.
CREATE EXTENSION dpobj;
VACUUM ANALYZE adult23;
CREATE TABLE run (mechanism text, epsilon numeric, seconds float8, model dp_model);
DO $$
DECLARE
  started timestamptz;
  epsilon numeric;
  options jsonb;
  m dp_model;
BEGIN
  FOR round IN 1..3 LOOP
    FOR epsilon, options IN
      VALUES (0.1, '{}'::jsonb), (1.0, '{}'),
             (0.1, '{"mechanism": "opdisc"}'), (1.0, '{"mechanism": "opdisc"}')
    LOOP
      started := clock_timestamp();
      m := (SELECT dp_halfspace(features, label, epsilon, 0, options) FROM adult23);
      INSERT INTO run VALUES (m.mechanism, epsilon, extract(epoch FROM clock_timestamp() - started), m);
    END LOOP;
  END LOOP;
END
$$;
\pset footer off
\echo 'Whole statements, three of each:'
SELECT mechanism, epsilon, string_agg(round(seconds::numeric, 2)::text, ' ' ORDER BY seconds) AS seconds,
       string_agg(accuracy::text, ' ' ORDER BY accuracy) AS "training accuracy, percent",
       bool_and((model).guarantee = 'exact') AS exact
FROM (SELECT *, (SELECT round(100 * avg((dp_predict(model, features) = (label = 1))::int), 2) FROM adult23) AS accuracy
      FROM run) AS r
GROUP BY mechanism, epsilon ORDER BY mechanism, epsilon;
\echo 'A statement over three rows: two ledger events and an empty solve, fifty times:'
CREATE TABLE three AS SELECT * FROM adult23 LIMIT 3;
CREATE TABLE small (seconds float8);
DO $$
DECLARE
  started timestamptz;
BEGIN
  FOR round IN 1..50 LOOP
    started := clock_timestamp();
    PERFORM dp_halfspace(features, label, 1.0, 0, '{"grid": {"sparse": 1}}') FROM three;
    INSERT INTO small VALUES (extract(epoch FROM clock_timestamp() - started));
  END LOOP;
END
$$;
SELECT round((1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds))::numeric, 1) AS "median ms",
       round((500 * percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds))::numeric, 1) AS "one event, ms at most"
FROM small;
