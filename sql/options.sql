-- dp_halfspace: options, grids, mechanisms, and what they refuse
\i tests/answers.sql
\set SHOW_CONTEXT never
CREATE TABLE person (features float8[] CHECK (cardinality(features) = 2), rich boolean, age integer, income numeric, sex text, pair integer[]);
INSERT INTO person
SELECT ARRAY[(i % 2)::float8, (i % 2 = 0)::int::float8], i % 2 = 1, 20 + i % 50, i,
       CASE WHEN i % 2 = 1 THEN 'm' ELSE 'f' END, ARRAY[i % 2, 1 - i % 2]
FROM generate_series(1, 100) i;

-- Every grid and mechanism on rows with a clear optimum.
CREATE FUNCTION weights(options jsonb) RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE m dp_model;
BEGIN
  m := (SELECT dp_halfspace(features, rich, 10000, 0, options) FROM person);
  RETURN format('%s %s %s', m.mechanism, m.weights, m.guarantee);
END $$;
SELECT * FROM answers($$SELECT weights('%')$$,
  '{"grid": "sign"}', '{"grid": "sign", "mechanism": "permute_flip"}', '{"grid": "sign", "mechanism": "opdisc"}',
  '{"grid": "sign", "mechanism": "opdisc", "adjacency": "add_remove", "dimension": 2}', '{"grid": {"levels": [[-3, 5], [-2, 7]]}}',
  '{"grid": {"levels": [[-3, 5], [-2, 7]]}, "mechanism": "opdisc"}', '{"grid": {"sparse": 2}}', '{"grid": {"sparse": 2}, "mechanism": "opdisc"}',
  '{"grid": {"sparse": 2}, "mechanism": "permute_flip"}', '{"grid": "sign", "mechanism": "sample_aggregate"}',
  '{"grid": {"sparse": 2}, "mechanism": "sample_aggregate", "parts": 5, "part_nodes": 20, "n": 100}',
  '{"grid": "sign", "mechanism": "sample_aggregate", "adjacency": "add_remove", "dimension": 2, "time_limit": 60}',
  '{"grid": {"levels": [[-1, 1], [-1, 1]]}, "groups": [2]}', '{"grid": "sign", "groups": [2], "time_limit": 60}',
  '{"grid": "sign", "memory_limit": 4096, "noise": "gauge"}', '{"grid": "sign", "time_limit": 0}');
-- an option cannot lift the administrator's limit
SET dpobj.time_limit = 30;
SELECT weights('{"grid": "sign", "time_limit": 0}');
SELECT weights('{"grid": "sign", "time_limit": 60}');
RESET dpobj.time_limit;
-- every solver proves the same optimum
SELECT weights(jsonb_build_object('grid', 'sign', 'mechanism', 'opdisc', 'solver', solver))
FROM unnest('{auto,native,glpk,glpk_literal}'::text[]) solver;
SELECT weights('{"grid": "sign", "solver": "glpk"}');
SELECT weights('{"grid": "sign", "mechanism": "permute_flip", "solver": "native"}');
-- every noise of objective perturbation
SELECT noise, mechanism, weights(jsonb_build_object('grid', 'sign', 'mechanism', mechanism, 'noise', noise))
FROM unnest('{gauge,laplace,spherical}'::text[]) noise, unnest('{opdisc,rspm}'::text[]) mechanism;
SELECT weights('{"grid": "sign", "mechanism": "opdisc", "noise": "paraboloid"}');
-- a grid of one vector has no noise
SELECT weights(jsonb_build_object('grid', '{"levels": [[3], [-2]]}'::jsonb, 'mechanism', 'opdisc', 'noise', noise))
FROM unnest('{spherical,paraboloid}'::text[]) noise;
SELECT weights('{"grid": "sign", "mechanism": "rspm", "solver": "glpk_literal"}');
SELECT weights('{"grid": {"levels": [[-3, 0, 5], [-2, 0, 7]]}, "mechanism": "rspm", "reference": true}') ~ 'rspm \{5,(0|-2)\} exact' AS positive_first;
SELECT weights('{"grid": "sign", "mechanism": "opdisc", "noise": "spherical", "time_limit": 60}');
SELECT weights(jsonb_build_object('grid', '{"ball": 2}'::jsonb, 'mechanism', 'opdisc', 'noise', 'spherical', 'solver', solver))
       ~ 'opdisc \{1,(0|-1)\} exact' AS positive_first
FROM unnest('{native,glpk,glpk_literal}'::text[]) solver;
SELECT weights('{"grid": "ternary", "mechanism": "opdisc", "noise": "spherical"}') ~ '\{1,(0|-1)\}' AS positive_first;
SELECT weights('{"grid": {"max": 16}, "mechanism": "opdisc", "noise": "paraboloid"}') ~ '\{\d+,(0|-\d+)\}' AS positive_first;
-- Gaussian noise needs a delta, and it is charged
CREATE FUNCTION noisy(delta numeric, options jsonb) RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE m dp_model;
BEGIN
  m := (SELECT dp_halfspace(features, rich, 10000::numeric, delta, options) FROM person);
  RETURN format('%s %s %s, delta %s, ledger %s %s', m.mechanism, m.weights, m.guarantee, m.delta,
                (SELECT format('%s %s', l.guarantee, l.delta = m.delta::numeric) FROM dpobj.ledger l
                 WHERE l.id = m.release),
                (SELECT l.pair FROM dpobj.ledger l WHERE l.id = m.release));
END $$;
SELECT noisy(0.25, '{"grid": "sign", "mechanism": "opdisc", "noise": "gaussian"}');
SELECT noisy(0.25, '{"grid": "ternary", "mechanism": "opdisc", "noise": "gaussian"}') ~ '\{1,(0|-1)\} exact' AS positive_first;
SELECT noisy(0.25, '{"grid": "sign", "mechanism": "rspm", "noise": "gaussian"}');
-- a delta that is not used is not charged, and there is no warning
SELECT noisy(0.25, '{"grid": "sign", "mechanism": "rspm"}');
SELECT noisy(0, '{"grid": "sign", "mechanism": "opdisc", "noise": "gaussian"}');
SELECT noisy(1e-19, '{"grid": "sign", "mechanism": "rspm", "noise": "gaussian"}');
-- noise "published" needs a superuser's setting, and is recorded as unproven
SELECT noisy(0.25, '{"grid": "sign", "mechanism": "opdisc", "noise": "published"}');
CREATE ROLE dpobj_options_user;
SET ROLE dpobj_options_user;
SET dpobj.allow_unproven = on;
RESET ROLE;
DROP ROLE dpobj_options_user;
SET dpobj.allow_unproven = on;
SELECT noisy(0.25, '{"grid": "sign", "mechanism": "opdisc", "noise": "published"}');
SELECT noisy(0.25, '{"grid": "sign", "mechanism": "rspm", "noise": "published", "time_limit": 60}');
SELECT noisy(0, '{"grid": "sign", "mechanism": "rspm", "noise": "published"}');
RESET dpobj.allow_unproven;
DROP FUNCTION noisy(numeric, jsonb);
-- options that exclude each other
SELECT weights('{"grid": "ternary", "mechanism": "opdisc", "noise": "laplace"}');
SELECT weights('{"grid": "ternary", "mechanism": "rspm", "noise": "paraboloid"}');
SELECT weights('{"grid": "ternary", "modulus": 3, "mechanism": "opdisc", "noise": "spherical"}');
SELECT weights('{"grid": {"levels": [[-60, 60], [-60, 0]]}, "mechanism": "opdisc", "noise": "spherical"}');
SELECT weights('{"grid": "sign", "noise": "spherical"}');
SELECT weights('{"grid": "sign", "mechanism": "sample_aggregate", "solver": "native"}');
-- options of sample_aggregate, which is never chosen automatically
SELECT * FROM answers($$SELECT weights('%')$$,
  '{"grid": "sign", "parts": 5}', '{"grid": "sign", "mechanism": "opdisc", "part_nodes": 5}', '{"mechanism": "sample_aggregate", "parts": 0}',
  '{"mechanism": "sample_aggregate", "parts": 65537}', '{"mechanism": "sample_aggregate", "part_nodes": 1.5}',
  '{"mechanism": "sample_aggregate", "part_nodes": 1000001}');
-- a reference level of each one-hot group is fixed at 0; without an intercept the first is not
SELECT weights('{"grid": "sign", "groups": [2], "reference": true}');
SELECT weights('{"grid": "sign", "groups": [2], "reference": true, "intercept": true}');
-- the sum of the weights is a multiple of 3
SELECT weights('{"grid": "ternary", "modulus": 3}');
SELECT weights('{"grid": "ternary", "modulus": 3, "mechanism": "opdisc"}');
SELECT weights('{"grid": "ternary", "modulus": 3, "mechanism": "permute_flip"}');
-- ternary, range and ball hold several optima here: only the rule is checked
SELECT weights('{"grid": "ternary"}') ~ '\{1,(0|-1)\}' AS positive_first;
SELECT weights('{"grid": {"max": 2}}') ~ '\{[12],(0|-1|-2)\}' AS positive_first;
SELECT weights('{"grid": {"ball": 2}, "mechanism": "opdisc"}') ~ '\{1,(0|-1)\}' AS positive_first;
SELECT weights('{"numeric": [1]}') ~ '\{(1|2|3|4|6|8|12|16),(0|-1|-2)\}' AS positive_first;
-- a prior: of vectors with the same loss, small weights are drawn (but for a chance of 1e-10)
SELECT * FROM answers($$SELECT weights('%')$$,
  '{"grid": {"levels": [[1, 8], [-8, -1]]}, "prior": {"power": 16}}', '{"grid": {"levels": [[1, 8], [-8, -1]]}, "prior": {"power": 16}, "mechanism": "permute_flip"}',
  '{"grid": {"levels": [[1, 8], [-8, -1]]}, "prior": {"power": 16}, "groups": [2], "adjacency": "add_remove", "dimension": 2}');
-- the model and the ledger say which; a power of 0 is none
CREATE FUNCTION prior_of(options jsonb) RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE m dp_model;
BEGIN
  m := (SELECT dp_halfspace(features, rich, 1, 0, options) FROM person);
  RETURN format('%s, ledger: %s', m.details -> 'prior',
                (SELECT coalesce(l.parameters ->> 'prior', 'null') FROM dpobj.ledger l WHERE l.id = m.release));
END $$;
SELECT * FROM answers($$SELECT prior_of('%')$$,
  '{"grid": "sign", "prior": {"power": 2}}', '{"grid": "sign", "prior": {"power": 0.125}}', '{"grid": "ternary", "prior": {"power": 16.0}, "mechanism": "permute_flip"}',
  '{"grid": "sign", "prior": {"power": 0}}', '{"grid": "sign", "prior": "uniform"}', '{"grid": "sign"}', '{"grid": "sign", "mechanism": "permute_flip"}',
  '{"grid": "sign", "mechanism": "opdisc"}');
SELECT * FROM answers($$SELECT prior_of('%')$$,
  '{"prior": "normal"}', '{"prior": 2}', '{"prior": {}}', '{"prior": {"power": -1}}', '{"prior": {"power": 16.001}}', '{"prior": {"power": 1.0005}}',
  '{"prior": {"power": "2"}}', '{"prior": {"power": 2, "scale": 1}}', '{"prior": {"exponent": 2}}',
  '{"grid": "sign", "mechanism": "opdisc", "prior": {"power": 2}}', '{"grid": "sign", "mechanism": "rspm", "prior": "uniform"}',
  '{"grid": "sign", "mechanism": "sample_aggregate", "prior": {"power": 2}}');
SELECT dp_logistic(features, rich, 1, 0, '{"prior": {"power": 2}}') FROM person;
SELECT dp_halfspace(features, rich, 0.0000001, 0, '{"grid": {"max": 16}, "prior": {"power": 16}}') FROM person;
DROP FUNCTION prior_of(jsonb);
-- with an intercept: one weight more, and the constant counts
SELECT weights('{"grid": {"levels": [[-1, 2], [1], [-1]]}, "intercept": true}');

-- Public maps: (x - center) / scale, then clip.
SELECT (dp_halfspace(ARRAY[age], rich, 1.0, 0, '{"center": 40, "scale": 10, "clip": [-2, 2]}')).details -> 'encoding'
FROM person;
SELECT (dp_halfspace(ARRAY[age, income], rich, 1.0, 0,
                     '{"scale": [10, 100], "clip": [[0, 2], [0, 1.5]]}')).details -> 'encoding' FROM person;
SELECT cardinality((dp_halfspace(ARRAY[(sex = 'm')::int, CASE WHEN sex = 'f' THEN 1 ELSE 0 END], rich, 1.0, 0)).weights)
FROM person;

-- Integers and numerics without a scale would be clipped to 1.
SELECT * FROM answers('SELECT dp_halfspace(%, rich, 1.0, 0) FROM person',
  'ARRAY[age]', 'ARRAY[features[1], income]', 'pair', 'ARRAY[coalesce(age, 0)]');
SELECT * FROM answers('SELECT dp_halfspace(%, rich, 1.0, 0) FROM person', 'ARRAY[age, features[1]]', 'ARRAY[income::numeric(9,2)]');
-- but a cast to a real type is taken at its word, with a notice; and the hint works
SELECT (dp_halfspace(ARRAY[age::float8, features[1]], rich, 1.0, 0)).kind FROM person;
SELECT (dp_logistic(ARRAY[features[1], income::float4], rich, 1.0, 0)).kind FROM person;
SELECT (dp_svm(pair::float8[], rich, 1.0, 0, '{"dimension": 2}')).kind FROM person;
SELECT (dp_halfspace(ARRAY[age::float8, income], rich, 1.0, 0, '{"center": 40, "scale": 40, "clip": [-1, 1]}')).kind FROM person;
SELECT (dp_halfspace(ARRAY[(age > 40)::int::float8], rich, 1.0, 0)).kind FROM person;

-- Unknown keys and values out of range.
SELECT * FROM answers($$SELECT weights('%')$$,
  '{"mech": 1}', '{"Grid": "sign"}', '[1]', '{"mechanism": "svrg"}', '{"mechanism": 3}');
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'logistic', 3, 1, 0, '{"mechanism": "svrg"}'$$,
  $$'auto', 3, 1, 0, '{"grid": "sign", "mechanism": "svrg"}'$$, $$'auto', 3, 1, 0, '{"mechanism": "svrg"}'$$);
SELECT * FROM answers($$SELECT weights('%')$$,
  '{"noise": "gauss"}', '{"solver": "cplex"}', '{"adjacency": "swap"}', '{"intercept": "yes"}', '{"dimension": 0}', '{"dimension": 1025}',
  '{"dimension": 2.5}', '{"n": -1}', '{"time_limit": -1}', '{"memory_limit": "1GB"}', '{"groups": []}', '{"groups": [2, 0]}',
  '{"groups": [2, 1], "dimension": 2}', '{"numeric": [3]}', '{"numeric": 1}', '{"scale": 0}', '{"scale": [1, 2, 3], "dimension": 2}',
  '{"center": "x"}', '{"clip": [2, -2]}', '{"clip": [-5000, 5000]}', '{"clip": [[0, 1], [1]]}',
  '{"clip": [-1000, 1000], "grid": {"levels": [[-64, 64], [-1, 1]]}}', '{"grid": "cube"}', '{"grid": {"max": 2, "ball": 3}}',
  '{"grid": {"max": 17}}', '{"grid": {"ball": 0}}', '{"grid": {"sparse": 3}}', '{"grid": {"levels": [[1, 0], [1]]}}',
  '{"grid": {"levels": [[-1, 1]]}}', '{"grid": {"levels": [[-65, 1], [1]]}}');

SELECT * FROM answers($$SELECT weights('%')$$,
  '{"modulus": 1}', '{"modulus": 2}', '{"modulus": 3, "grid": {"ball": 3}}', '{"reference": 1}');

-- Grids up to 128 coordinates; these rows have another length, so they are neutral.
CREATE FUNCTION drawn(options jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m dp_model;
BEGIN
  m := (SELECT dp_halfspace(features, rich, 1, 0, options) FROM person);
  RETURN format('%s %s of %s', m.mechanism, cardinality(m.weights), m.details -> 'log2_grid');
END $$;
SELECT * FROM answers($$SELECT drawn('%')$$,
  '{"dimension": 23}', '{"dimension": 128, "mechanism": "exponential", "grid": {"max": 4}}',
  '{"dimension": 128, "mechanism": "exponential", "grid": {"ball": 128}}',
  '{"dimension": 128, "mechanism": "exponential", "grid": "sign", "modulus": 2}', '{"dimension": 128, "grid": {"sparse": 4}}',
  '{"dimension": 128, "mechanism": "opdisc", "grid": {"max": 4}}', '{"dimension": 128, "mechanism": "opdisc", "grid": {"ball": 128}}',
  '{"dimension": 128, "mechanism": "opdisc", "grid": {"sparse": 4}}', '{"dimension": 128, "mechanism": "opdisc", "grid": "sign", "modulus": 2}',
  '{"dimension": 128, "mechanism": "sample_aggregate", "grid": {"max": 4}}',
  '{"dimension": 128, "mechanism": "sample_aggregate", "grid": {"ball": 128}, "parts": 3}',
  '{"dimension": 128, "mechanism": "sample_aggregate", "grid": {"sparse": 4}}', '{"dimension": 43, "groups": [20, 20, 3], "numeric": [41, 42, 43]}');

-- The default grid is small enough to end; what is named runs until it is stopped.
SELECT * FROM answers($$SELECT drawn('%')$$, '{"dimension": 60}', '{"dimension": 45, "n": 100000}', '{"dimension": 45}');
SET dpobj.longest_run = 1;
SELECT dp_halfspace(features, rich, 1, 0, '{"dimension": 15, "mechanism": "permute_flip"}') IS NOT NULL AS trained FROM person;
-- The rows that meet a condition are not public, so that those of the table count.
SELECT dp_halfspace(features, rich, 1, 0, '{"dimension": 15, "mechanism": "permute_flip"}') IS NOT NULL AS trained FROM person WHERE rich;
SELECT dp_halfspace(features, rich, 1, 0, '{"dimension": 15, "mechanism": "permute_flip"}') FILTER (WHERE rich) IS NOT NULL AS trained FROM person;
RESET dpobj.longest_run;
SELECT dp_halfspace(features, rich, 1, 0, '{"grid": "sign", "mechanism": "opdisc", "time_limit": 60}') IS NOT NULL AS no_notice FROM person;
SELECT dp_halfspace(features || '{}'::float8[], rich, 1.0, 0, '{"adjacency": "add_remove"}') FROM person;
SELECT dp_halfspace(features || array_fill(0::float8, ARRAY[1100]), rich, 1.0, 0) FROM person;
DROP FUNCTION weights(jsonb), drawn(jsonb);
DROP TABLE person;
