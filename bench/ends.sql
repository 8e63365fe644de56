-- See bench/ends.sh.
CREATE EXTENSION dpobj;
SET client_min_messages = error;
SET dpobj.release_tick = 0;

-- Numbers in -1/2 .. 1/2 that no sum of few of them explains; one-hot groups of 2; and labels that nothing explains.
CREATE FUNCTION number_of(i int, j int) RETURNS float8 IMMUTABLE LANGUAGE sql RETURN hashint8(1000 * i::bigint + j) / 4294967296.0;
CREATE TABLE twenty AS SELECT x, x[1] + x[2] - x[3] + number_of(i, 0) > 0 AS y
  FROM (SELECT i, array_agg(number_of(i, j) ORDER BY j) AS x FROM generate_series(1, 10000) i, generate_series(1, 20) j GROUP BY i) r;
CREATE TABLE eight AS SELECT x[1:8] AS x, y FROM twenty;
CREATE TABLE pairs AS SELECT x, x[2] + x[4] - x[6] + number_of(i, 0) > 0.5 AS y
  FROM (SELECT i, array_agg((v = (number_of(i, j) > 0)::int)::int::float8 ORDER BY j, v) AS x
          FROM generate_series(1, 10000) i, generate_series(1, 25) j, generate_series(0, 1) v GROUP BY i) r;
CREATE TABLE labels AS SELECT x || ARRAY[number_of(i, 11), number_of(i, 12), number_of(i, 13)] AS x, number_of(i, 0) > 0 AS y
  FROM (SELECT i, array_agg((v = abs(hashint8(1000 * i::bigint + j)::bigint) % 3)::int::float8 ORDER BY j, v) AS x
          FROM generate_series(1, 10578) i, generate_series(1, 6) j, generate_series(0, 2) v GROUP BY i) r;
CREATE TABLE adult23 (line text);
CREATE TABLE visit (y boolean NOT NULL);
DO $$
BEGIN
  FOR j IN 1..8 LOOP
    EXECUTE format('ALTER TABLE visit ADD c%s real NOT NULL DEFAULT 0', j);
  END LOOP;
  INSERT INTO visit SELECT y, x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8] FROM eight;
END $$;
CREATE ROLE ann LOGIN;
ALTER ROLE ann SET dpobj.release_tick = 0;
SELECT jsonb_object_agg('c' || j, '{"center": 0, "scale": 0.5}'::jsonb) || '{"y": {}}' AS columns FROM generate_series(1, 8) j \gset
SELECT dpobj.protect('visit', :'columns', n => 10000), dpobj.set_budget('visit', 'ann', 1000, 0) \gset ignored_

-- Prints a line: what the call was, what it took and may take, what answered.
CREATE PROCEDURE ends(name text, epsilon numeric, call text, price text) LANGUAGE plpgsql AS $$
DECLARE
  began timestamptz := clock_timestamp();
  seconds numeric; grid text; mechanism text; most text; detail text; hint text;
BEGIN
  -- OFFSET 0 keeps the planner from calling once for each column
  EXECUTE format('SELECT (m).mechanism, (m).details ->> ''grid'' FROM (SELECT %s AS m OFFSET 0) r', call) INTO mechanism, grid;
  seconds := extract(epoch FROM clock_timestamp() - began);
  BEGIN
    EXECUTE format('SELECT p ->> ''seconds_at_most'' FROM %s p', price) INTO most;
  EXCEPTION WHEN invalid_parameter_value THEN
    most := 'refused';  -- a price knows no table, whose room may bound the rows
  END;
  RAISE INFO '% | % | % | % | %', name, epsilon, round(seconds, 2), most, concat_ws(', ', mechanism, grid);
EXCEPTION WHEN OTHERS OR query_canceled THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RAISE INFO '% | % | % | | %', name, epsilon, round(extract(epoch FROM clock_timestamp() - began), 2), concat_ws(' ', SQLERRM || '.', detail, hint);
END $$;

-- At the owner's door: a table, its declarations, methods and options, each at an epsilon.
CREATE PROCEDURE owned(name text, relation regclass, method text, options jsonb, VARIADIC epsilons numeric[]) LANGUAGE plpgsql AS $$
DECLARE epsilon numeric; features int;
BEGIN
  EXECUTE format('SELECT cardinality(x) FROM %s LIMIT 1', relation) INTO features;
  FOREACH epsilon IN ARRAY epsilons LOOP
    CALL ends(format('%s: dp_%s %s', name, method, nullif((options - 'n' - 'groups')::text, '{}')), epsilon,
      format('(SELECT dp_%s(x, y, %s, 0, %L) FROM %s)', method, epsilon, options, relation),
      format('dpobj.price_aggregate(%L, %s, %s, 0, %L)', method, features, epsilon, options));
  END LOOP;
END $$;

SET statement_timeout = '300s';
\set declared '{"n": 10000}'
CALL owned('20 numbers', 'twenty', 'classifier', :'declared', 0.1, 1, 10);
CALL owned('20 numbers', 'twenty', 'halfspace', :'declared', 1);
CALL owned('20 numbers', 'twenty', 'halfspace', '{"n": 10000, "grid": {"max": 4}}', 1);
CALL owned('8 numbers', 'eight', 'classifier', :'declared', 1);
CALL owned('8 numbers', 'eight', 'halfspace', :'declared', 1);
CALL owned('8 numbers, a million rows declared', 'eight', 'halfspace', '{"n": 1000000, "grid": {"max": 4}}', 1);
SELECT jsonb_build_object('n', 10000, 'groups', array_fill(2, ARRAY[25])) AS grouped \gset
CALL owned('25 groups of 2', 'pairs', 'classifier', :'grouped', 0.1, 1, 10);
CALL owned('25 groups of 2', 'pairs', 'halfspace', :'grouped', 0.1, 1, 10);
CALL owned('25 groups of 2', 'pairs', 'halfspace', :'grouped' || '{"grid": {"sparse": 4}}'::jsonb, 1);
CALL owned('6 groups of 3 and 3 numbers, random labels', 'labels', 'classifier', '{"n": 10578, "groups": [3, 3, 3, 3, 3, 3], "numeric": [19, 20, 21]}', 0.1, 1);
\set file `echo "$W/adult23.csv"`
\set there `test -r "$W/adult23.csv" && echo on || echo off`
\if :there
COPY adult23 FROM :'file' DELIMITER E'\t';
CREATE TABLE adult AS SELECT v[2:] AS x, v[1] = 1 AS y FROM (SELECT string_to_array(line, ',')::float8[] AS v FROM adult23) r;
CALL owned('adult23', 'adult', 'classifier', '{"n": 15682}', 1);
CALL owned('adult23', 'adult', 'halfspace', '{"grid": {"max": 4}}', 1);
CALL owned('adult23', 'adult', 'halfspace', '{"n": 15682, "grid": {"max": 4}}', 1);
CALL owned('adult23', 'adult', 'classifier', '{"n": 15682, "groups": [7, 6, 5, 2, 1, 1, 1], "numeric": [21, 22, 23]}', 0.1, 1);
\endif

-- At the analyst's door.
CREATE PROCEDURE trained(method text, options jsonb) LANGUAGE sql AS $$
  CALL ends(format('8 numbers, analyst: method %s %s', method, nullif(options::text, '{}')), 1,
    format('(SELECT m FROM dpobj.train(''visit'', ''y'', 1, method => %L, options => %L) m)', method, options),
    format('dpobj.price(''visit'', ''y'', 1, method => %L, options => %L)', method, options));
$$;
\c - ann
SET statement_timeout = '300s';
CALL trained('auto', '{}');
CALL trained('halfspace', '{}');
CALL trained('halfspace', '{"grid": {"max": 4}}');
CALL trained('halfspace', '{"grid": {"max": 16}}');
