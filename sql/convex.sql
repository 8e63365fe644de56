-- dp_logistic and dp_svm: what is refused, what is released, what it costs.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TABLE grove (id int, x float8[] CHECK (cardinality(x) = 3), y boolean);
INSERT INTO grove SELECT i, ARRAY[(i % 7) / 7.0, (i % 11) / 11.0, (i % 2)::float8], i % 7 > 3 FROM generate_series(1, 4000) i;

-- A model has real weights on a public grid, and has learnt.
CREATE TABLE leaf AS
  SELECT 'logistic' AS method, dp_logistic(x, y, 5.0, 0) AS model FROM grove;
INSERT INTO leaf SELECT 'svm', dp_svm(x, y, 5.0, 0) FROM grove;
SELECT method, (model).kind, (model).mechanism, array_length((model).weights, 1) AS weights, (model).epsilon,
       (model).delta, (model).adjacency, (model).guarantee, dpobj.verify(model) AS verified,
       (model).details - 'objective_noise' - 'weight_noise' - 'weight_step' - 'radius' - 'regularization' AS details
  FROM leaf;
SELECT l.method, avg((dp_predict(l.model, x) = y)::int) > 0.6 AS learnt FROM leaf l, grove GROUP BY l.method ORDER BY 1;
SELECT l.method, bool_and(abs(w / s - round(w / s)) < 1e-6) AS on_grid
  FROM leaf l, unnest((l.model).weights) w, LATERAL (SELECT ((l.model).details ->> 'weight_step')::float8) d(s) GROUP BY l.method ORDER BY 1;
-- the errors of weights (rule U20): a weight below twice its error is not among what the model learned; errors that do not fit are none
CREATE TABLE noisy AS SELECT jsonb_set(jsonb_set(model::jsonb, '{weights}', '[1, -3, 0.5, 2]'), '{details,weight_errors}', '[0.6, 1, 0.1, 5]') AS m FROM leaf WHERE method = 'logistic';
SELECT feature, weight, error FROM noisy, dpobj.scorecard(m::dp_model) ORDER BY "position";
SELECT count(*), count(error) FROM noisy, dpobj.scorecard(jsonb_set(m, '{details,weight_errors}', '[1]')::dp_model);
SELECT substring(dpobj.show(v::dp_model) from '  learned.*(?=\n  from)') FROM noisy, LATERAL (VALUES (m), (jsonb_set(m, '{details,weight_errors}', '[9, 9, 9, 9]')), (m #- '{details,weight_errors}')) x(v);
SELECT substring(dpobj.show(m::dp_model, 'markdown') from '[|] Feature.*(?=\n\n## How)') FROM noisy;
DROP TABLE noisy;
SELECT bool_and(abs(dp_predict_proba(model, x) - 1 / (1 + exp(-dp_score(model, x)))) < 1e-12) AS proba,
       bool_and((dp_predict_proba(model, x) > 0.5) = dp_predict(model, x)) AS rule
  FROM leaf, grove WHERE method = 'logistic' AND id <= 100;
SELECT dp_predict_proba(model, ARRAY[NULL, 0, 0]::float8[]) FROM leaf WHERE method = 'logistic';
SELECT dp_predict_proba(model, ARRAY[0, 0, 0]) FROM leaf WHERE method = 'svm';

-- mechanism pool: a halfspace near a private minimiser, for one charge, with the seed of its candidates
SELECT (m).kind, (m).mechanism, (m).epsilon, (m).delta, (m).guarantee, dpobj.verify(m) AS verified, (m).details -> 'pool_rounds' AS rounds,
       (m).details -> 'pool_candidates' AS candidates, (m).details ->> 'pool_seed' ~ '^[0-9a-f]{32}$' AS seed,
       ((m).details ->> 'centre_epsilon')::numeric + ((m).details ->> 'pool_epsilon')::numeric AS shares
  FROM (SELECT dp_logistic(x, y, 2.0, 0, '{"mechanism": "pool", "n": 4000}') AS m FROM grove) s;
SELECT count(dp_predict(m, ARRAY[1, 0, 0])) FROM (SELECT dp_logistic(x, y, 2.0, 0.000001, '{"mechanism": "pool", "n": 4000}') AS m FROM grove) s;
SELECT dp_predict_proba(m, ARRAY[0, 0, 0]) FROM (SELECT dp_logistic(x, y, 2.0, 0, '{"mechanism": "pool", "n": 4000}') AS m FROM grove) s;
SELECT dp_logistic(x, y, 2.0, 0, '{"mechanism": "pool"}') FROM grove;
SELECT dp_logistic(x, y, 2.0, 0, '{"mechanism": "pool", "n": 4000, "radius": 1}') FROM grove;
SELECT dp_svm(x, y, 2.0, 0, '{"mechanism": "pool", "n": 4000}') FROM grove;
SELECT p -> 'centre_epsilon' AS centre, p -> 'pool_epsilon' AS pool, p -> 'pool_rounds' AS rounds, p -> 'delta' AS delta, p -> 'noise' AS noise
  FROM unnest(ARRAY[1000, 100000]) n, dpobj.price_aggregate('logistic', 23, 1, 0.000001, jsonb_build_object('mechanism', 'pool', 'n', n)) p;
-- delta: charged by Gaussian noise only.
SELECT m.mechanism, m.delta > 0 AS spent, m.delta <= 1e-6 * (1 + 1e-12) AS within, m.details ->> 'noise' AS noise FROM
  (SELECT (m).* FROM (SELECT dp_logistic(x, y, 1.0, 1e-6, '{"noise": "gaussian"}') AS m FROM grove) s
   UNION ALL SELECT (m).* FROM (SELECT dp_logistic(x, y, 1.0, 1e-6, '{"noise": "gamma"}') AS m FROM grove) s
   UNION ALL SELECT (m).* FROM (SELECT dp_logistic(x, y, 1.0, 1e-6, '{"noise": "gaussian", "mechanism": "output"}') AS m FROM grove) s
   UNION ALL SELECT (m).* FROM (SELECT dp_svm(x, y, 1.0, 1e-6, '{"mechanism": "amp"}') AS m FROM grove) s) m;
SELECT mechanism, epsilon, delta > 0 AS delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.grove' ORDER BY id;

-- K-norm noise takes no delta, and says which columns it goes by; a clipped slope halves every noise.
SELECT (m).delta, (m).guarantee, dpobj.verify(m) AS verified,
       (m).details - 'objective_noise' - 'weight_noise' - 'weight_step' - 'radius' - 'regularization' - 'weight_errors' AS details
  FROM (SELECT dp_logistic(ARRAY[(NOT y)::int, y::int, x[1], x[2]]::float8[], y, 1.0, 1e-6,
                           '{"loss": "clipped_logistic", "noise": "knorm", "groups": [2], "n": 4000}') AS m FROM grove) s;
SELECT (m).details ->> 'noise_groups' AS groups, (m).details ->> 'noise_dimension' AS dimension
  FROM (SELECT dp_svm(ARRAY[(NOT y)::int, y::int, x[1], x[2]]::float8[], y, 1.0, 0,
                      '{"noise": "knorm", "groups": [2, 1], "intercept": false, "clip": [0, 2]}') AS m FROM grove) s;
SELECT o AS options, round((coalesce(c ->> 'objective_noise', c ->> 'gradient_noise', c ->> 'weight_noise')::numeric /
                            coalesce(l ->> 'objective_noise', l ->> 'gradient_noise', l ->> 'weight_noise')::numeric), 6) AS clipped_over_logistic
  FROM unnest(ARRAY['{"noise": "knorm"}', '{"noise": "gamma"}', '{"noise": "gaussian"}', '{"mechanism": "output"}', '{"mechanism": "sgd"}']::jsonb[]) o,
       dpobj.price_aggregate('logistic', 5, 2, 0.000001, o || '{"regularization": 50}') l,
       dpobj.price_aggregate('logistic', 5, 2, 0.000001, o || '{"regularization": 50, "loss": "clipped_logistic"}') c;

-- The other arguments of the aggregates.
SELECT (dp_logistic(x, y::int, 1::float8, 0::float8, '{"intercept": true, "adjacency": "add_remove", "dimension": 3}')).mechanism FROM grove WHERE id > 5;
SELECT array_length((dp_svm(ARRAY[1.0::float8, 0], true, 1.0, 0)).weights, 1) FROM grove;
SELECT (m).guarantee, array_length((m).weights, 1) FROM (SELECT dp_logistic(x, y, 1.0, 0, '{"time_limit": 60}') AS m FROM grove) s;
-- no row, one row, one label, separable rows, a column of zeros, rows that are not numbers
SELECT array_length((dp_logistic(x, y, 1.0, 0, '{"dimension": 3}')).weights, 1) FROM grove WHERE id < 0;
SELECT array_length((dp_logistic(x, y, 1.0, 0)).weights, 1) FROM grove WHERE id = 1;
SELECT array_length((dp_svm(x, true, 1.0, 0)).weights, 1) FROM grove;
SELECT array_length((dp_logistic(ARRAY[CASE WHEN y THEN 1.0::float8 ELSE -1 END, 0], y, 1.0, 0)).weights, 1) FROM grove;
SELECT array_length((dp_logistic(ARRAY['NaN'::float8, 'Infinity', 1e300], y, 1.0, 0)).weights, 1) FROM grove;
SELECT array_length((dp_logistic(ARRAY[CASE WHEN id % 2 = 0 THEN NULL ELSE 'Infinity'::float8 END, -1e300], NULLIF(y, id % 3 = 0), 1.0, 0)).weights, 1) FROM grove;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT dp_logistic(x, y, 1.0, 0, '{"regularization": 0.1}') FROM grove;
SELECT dp_logistic(x, y, 1.0, 0, '{"regularization": 0.1, "radius": 1}') FROM grove;
SELECT dp_svm(x, y, 0.1, 0, '{"regularization": 1, "radius": 1}') FROM grove;
SELECT dp_svm(x, y, 1.0, 0, '{"regularization": 1e12}') FROM grove;
SELECT dp_logistic(x, y, 0.000000001, 0) FROM grove;
SELECT * FROM answers($$SELECT dp_logistic(x, y, 1.0, 0, '%') FROM grove$$,
  '{"regularization": 0}', '{"radius": -1}', '{"radius": 1e9}', '{"radius": "1"}', '{"noise": "gaussian"}', '{"noise": "gauge"}',
  '{"mechanism": "opdisc"}', '{"grid": "sign"}');
SELECT * FROM answers($$SELECT dp_logistic(x, y, 1.0, 1e-6, '%') FROM grove$$,
  '{"loss": "hinge"}', '{"loss": "huber"}', '{"noise": "knorm", "mechanism": "output"}', '{"noise": "knorm", "mechanism": "sgd"}',
  '{"noise": "knorm", "mechanism": "exponential"}', '{"noise": "knorm", "groups": [4]}');
SELECT dp_svm(x, y, 1.0, 0, '{"loss": "logistic"}') FROM grove;
SELECT dp_halfspace(x, y, 1.0, 0, '{"noise": "knorm"}') FROM grove;
SELECT dp_halfspace(x, y, 1.0, 0, '{"regularization": 1}') FROM grove;
SELECT dp_halfspace(x, y, 1.0, 0, '{"mechanism": "output"}') FROM grove;
SELECT dp_halfspace(x, y, 1.0, 0, '{"noise": "gamma"}') FROM grove;
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';
-- the least value that the message names is accepted
SELECT (dp_svm(x, y, 0.1, 0, '{"regularization": 10.2164, "radius": 1}')).mechanism FROM grove;

-- Prices use the same rules, without a charge.
SELECT p ->> 'mechanism' AS mechanism, p ->> 'noise' AS noise, p -> 'delta' AS delta, p -> 'sure_to_finish' AS sure,
       (p -> 'error' ->> 'distance')::float8 > 0 AS distance
  FROM unnest(ARRAY['{}', '{"noise": "knorm", "loss": "clipped_logistic", "groups": [5, 4]}', '{"noise": "gaussian"}', '{"mechanism": "output"}']::jsonb[]) o, dpobj.price_aggregate('logistic', 23, 1, 0.000001, o) p;
SELECT bool_and(b) AS closer FROM (SELECT (p -> 'error' ->> 'distance')::numeric < lag((p -> 'error' ->> 'distance')::numeric) OVER (ORDER BY e) AS b
  FROM unnest(ARRAY[0.1, 0.2, 0.5, 1]) e, dpobj.price_aggregate('svm', 5, e, 0, '{"regularization": 100}') p) s;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'logistic', 5, 1, 0, '{"regularization": 0.01}'$$, $$'lasso', 5, 1$$);

-- dpobj.train does the same, with mechanisms that are sure to finish.
CALL login_roles('dpobj_convex_ana');
CREATE TABLE orchard (age int, kind text, ripe boolean);
INSERT INTO orchard SELECT 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, i % 50 > 25 FROM generate_series(1, 3000) i;
REVOKE ALL ON orchard FROM PUBLIC;
SELECT dpobj.protect('orchard', '{"age": {"center": 45, "scale": 25}, "kind": {"levels": ["f", "m"]}, "ripe": {}}');
SELECT dpobj.set_budget('orchard', 'dpobj_convex_ana', 10.5, 0.00001);
\c - dpobj_convex_ana
SELECT (m).kind, (m).mechanism, (m).delta, array_length((m).weights, 1) AS weights FROM dpobj.train('orchard', label => 'ripe', epsilon => 5, method => 'logistic', name => 'a') m;
SELECT (m).kind, (m).mechanism, (m).delta FROM dpobj.train('orchard', label => 'ripe', epsilon => 1, method => 'svm', options => '{"mechanism": "output", "intercept": true}', name => 'b') m;
SELECT (m).delta > 0 AS delta FROM dpobj.train('orchard', label => 'ripe', epsilon => 1, delta => 0.000009, method => 'logistic', options => '{"noise": "gaussian"}') m;
SELECT (m).delta > 0 AS delta FROM dpobj.train('orchard', label => 'ripe', epsilon => 1, delta => 0.000009, method => 'logistic', options => '{"noise": "gaussian"}') m;
SELECT (m).delta, (m).details ->> 'loss' AS loss, (m).details ->> 'noise' AS noise, (m).details ->> 'noise_groups' AS groups,
       (m).details ->> 'noise_dimension' AS dimension
  FROM dpobj.train('orchard', label => 'ripe', epsilon => 0.5, method => 'logistic',
                   options => '{"loss": "clipped_logistic", "noise": "knorm"}') m;
SELECT * FROM answers('SELECT dpobj.train(%)', $$'orchard', label => 'ripe', epsilon => 1, method => 'logistic', options => '{"n": 5}'$$,
  $$'orchard', label => 'ripe', epsilon => 1, method => 'logistic', options => '{"solver": "glpk"}'$$,
  $$'orchard', label => 'ripe', epsilon => 1, method => 'ridge'$$);
SELECT dpobj.evaluate('a', 'orchard', 1) > 0.6 AS learnt, dpobj.evaluate('b', 'orchard', 1) BETWEEN 0 AND 1 AS rated;
SELECT epsilon, delta FROM dpobj.remaining('orchard');
\c - postgres
DROP OWNED BY dpobj_convex_ana;
DROP ROLE dpobj_convex_ana;
