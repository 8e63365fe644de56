-- Two tables of so many rows: 10,000 distinct feature vectors, and all distinct.
SELECT setseed(0.5) \g /dev/null

CREATE TABLE few AS
WITH pattern AS MATERIALIZED (
  SELECT k, ARRAY(SELECT (random() < 0.3)::int::float8 FROM generate_series(1, 20) WHERE k > 0)
            || ARRAY[random(), random(), random()] AS features
  FROM generate_series(1, 10000) k)
SELECT features, random() < 0.5 AS label
FROM generate_series(1, :rows) i JOIN pattern ON k = 1 + (i::bigint * 7919) % 10000;

CREATE TABLE many AS
SELECT features[1:20] || ARRAY[random(), random(), random()] AS features, label FROM few;
VACUUM ANALYZE few, many;
