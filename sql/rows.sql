-- Rows follow a fixed public rule, silently: clip, or a neutral row
\i tests/answers.sql
\set SHOW_CONTEXT never
CREATE FUNCTION weights(query text, options text DEFAULT '{"dimension": 2, "grid": "sign"}') RETURNS float8[]
LANGUAGE plpgsql AS $$
DECLARE w float8[];
BEGIN
  EXECUTE format('SELECT (dp_halfspace(features, label, 10000, 0, %L)).weights FROM %s', options, query) INTO w;
  RETURN w;
END $$;

-- 10 rows vote for {1,-1}; any number of neutral rows against them changes nothing.
CREATE TABLE vote (features float8[], label boolean);
INSERT INTO vote SELECT ARRAY[1, 0], true FROM generate_series(1, 5);
INSERT INTO vote SELECT ARRAY[0, 1], false FROM generate_series(1, 5);
SELECT weights('vote');
INSERT INTO vote SELECT f, l FROM generate_series(1, 20),
  (VALUES (NULL::float8[], true), (ARRAY[1, 0], NULL), (ARRAY[1, NULL], false), (ARRAY['NaN', 1]::float8[], true),
          (ARRAY[1, 0, 1], false), (ARRAY[1], false), ('{}'::float8[], false),
          (ARRAY[[1, 0]], false)) AS v(f, l);
SELECT count(*) FROM vote;
SELECT weights('vote');
-- infinities and large values are clipped to the bounds
INSERT INTO vote SELECT ARRAY['-Infinity', 'Infinity']::float8[], true FROM generate_series(1, 30);
SELECT weights('vote');
-- a row that is not one-hot in a declared group is neutral
CREATE TABLE group_vote AS SELECT features, label FROM vote WHERE cardinality(features) = 2 AND features[1] = 1 LIMIT 0;
INSERT INTO group_vote SELECT ARRAY[1, 0], true FROM generate_series(1, 5);
INSERT INTO group_vote SELECT ARRAY[0, 1], false FROM generate_series(1, 5);
INSERT INTO group_vote SELECT ARRAY[1, 1], false FROM generate_series(1, 50);
INSERT INTO group_vote SELECT ARRAY[0, 0], true FROM generate_series(1, 50);
INSERT INTO group_vote SELECT ARRAY[0.5, 0], false FROM generate_series(1, 50);
SELECT weights('group_vote', '{"groups": [2], "grid": "sign"}');
-- without the groups the same rows count
SELECT weights('group_vote', '{"grid": "sign"}') <> ARRAY[1, -1]::float8[] AS differs;

-- Labels 1 and 0 or -1; any other integer makes a neutral row.
CREATE TABLE label_vote (features float8[], label integer);
INSERT INTO label_vote SELECT ARRAY[1, 0], 1 FROM generate_series(1, 5);
INSERT INTO label_vote SELECT ARRAY[0, 1], l FROM generate_series(1, 5), (VALUES (0), (-1)) v(l);
INSERT INTO label_vote SELECT ARRAY[0, 1], l FROM generate_series(1, 50), (VALUES (2), (-2), (NULL), (100)) v(l);
SELECT weights('label_vote');

-- All one label; conflicts; no row at all, with the dimension declared and without.
SELECT weights('(SELECT * FROM vote WHERE label) AS positive', '{"dimension": 2, "grid": {"levels": [[-1, 1], [-1]]}}');
SELECT cardinality(weights('(SELECT * FROM vote WHERE false) AS nothing'));
SELECT cardinality(weights('(SELECT * FROM vote WHERE cardinality(features) = 9) AS nothing'));
SELECT weights('(SELECT * FROM vote WHERE cardinality(features) = 9) AS nothing', '{}');
SELECT weights('(SELECT * FROM vote WHERE features IS NULL) AS nothing', '{}');

-- The dimension comes from the first row where nothing else tells it.
SELECT weights('(SELECT * FROM vote WHERE cardinality(features) = 2) AS pairs', '{"grid": "sign"}');
SELECT (dp_halfspace(ARRAY[features[1], features[2]], label, 10000, 0, '{"grid": "sign"}')).weights FROM group_vote
WHERE features[1] + features[2] = 1;
DROP FUNCTION weights(text, text);
DROP TABLE vote, group_vote, label_vote;
