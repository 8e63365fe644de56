-- dp_model: verify, predict, score
\i tests/answers.sql
CREATE TABLE person (features float8[] CHECK (cardinality(features) = 2), rich boolean);
INSERT INTO person SELECT ARRAY[(i % 2)::float8, (i % 2 = 0)::int::float8], i % 2 = 1 FROM generate_series(1, 100) i;
CREATE TABLE kept AS SELECT dp_halfspace(features, rich, 10000.0, 0, '{"grid": "sign"}') AS model FROM person;

SELECT dpobj.verify(model) FROM kept;
SELECT dpobj.verify(ROW(NULL, NULL, '{}', NULL, NULL, NULL, NULL, 1, NULL)::dp_model) AS of_what_is_none;
-- a forged value is not in the ledger
SELECT dpobj.verify(ROW((model).kind, (model).mechanism, ARRAY[1, 1]::float8[], (model).epsilon, (model).delta,
  (model).adjacency, (model).guarantee, (model).release, (model).details)::dp_model) FROM kept;
SELECT dpobj.verify(ROW((model).kind, (model).mechanism, (model).weights, (model).epsilon, (model).delta,
  (model).adjacency, (model).guarantee, (model).release + 1, (model).details)::dp_model) FROM kept;
SELECT length(dpobj_internal.model_hash(model)) FROM kept;

-- positive if and only if the score is greater than 0
SELECT f, dp_score(model, f), dp_predict(model, f) FROM kept,
  (VALUES (ARRAY[1, 0]::float8[]), (ARRAY[0, 1]), (ARRAY[0, 0]), (ARRAY[0.25, 0.125]), (ARRAY[7, 0]),
          (ARRAY['NaN', 0]::float8[]), (ARRAY[NULL, 0]::float8[]), (NULL)) AS v(f);
SELECT count(*) FROM person, kept WHERE dp_predict(model, features) = rich;
SELECT dp_predict(model, ARRAY[1, 0, 0]) FROM kept;
SELECT dp_predict(NULL, ARRAY[1]::float8[]);

-- features go through the encoding of the training
CREATE TABLE aged AS SELECT 20 + i AS age, i > 25 AS rich FROM generate_series(0, 50) i;
CREATE TABLE aged_model AS
  SELECT dp_halfspace(ARRAY[age], rich, 10000, 0,
    '{"center": 45, "scale": 10, "clip": [-2, 2], "intercept": true, "grid": {"levels": [[-1, 1], [0]]}}') AS model FROM aged;
SELECT (model).weights FROM aged_model;
SELECT a, dp_score(model, ARRAY[a]), dp_predict(model, ARRAY[a]) FROM aged_model, (VALUES (45), (46), (44), (99), (0)) v(a);
SELECT bool_and(dp_predict(model, ARRAY[age]) = rich) FROM aged, aged_model;

-- a model made by hand is plain arithmetic; what cannot be one is refused
SELECT dp_score(ROW('halfspace', 'hand', ARRAY[2, -1], 0, 0, 'replace', 'unproven', 0, '{}')::dp_model, ARRAY[3, 4]);
SELECT dp_score(ROW('halfspace', 'hand', ARRAY[2, -1], 0, 0, 'replace', 'unproven', 0, '{}')::dp_model, ARRAY[3]);
SELECT dp_score(ROW('halfspace', 'hand', ARRAY[2, NULL], 0, 0, 'replace', 'unproven', 0, '{}')::dp_model, ARRAY[3, 4]);
SELECT dp_score(ROW(NULL, 'hand', ARRAY[2, -1], 0, 0, 'replace', 'unproven', 0, '{}')::dp_model, ARRAY[3, 4]);

-- the state type has no text form
SELECT NULL::dp_rows;
SELECT 'x'::dp_rows;
DROP TABLE person, kept, aged, aged_model;
