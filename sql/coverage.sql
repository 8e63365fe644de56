-- Usable rows: two counts with noise, bought with a part of the call's epsilon and kept in the model's details.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL login_roles('dpobj_coverage_ana');
-- Of 1000 rows 700 have a label, and 100 of these no feature.
CREATE TABLE gap (id int PRIMARY KEY, x float8[] CHECK (cardinality(x) = 2), a float8, y boolean, t text);
INSERT INTO gap SELECT i, CASE WHEN i > 100 THEN ARRAY[i % 2, 1] END, CASE WHEN i > 100 THEN i % 2 END, CASE WHEN i <= 700 THEN i % 2 = 1 END, CASE WHEN i % 4 = 0 THEN 'gold' ELSE 'basic' END FROM generate_series(1, 1000) i;
CREATE FUNCTION coverage(model dp_model) RETURNS text LANGUAGE sql RETURN concat_ws(' ', model.details -> 'coverage_epsilon', model.details -> 'coverage', 'of', model.epsilon);
-- At epsilon 500 for the counts the noise is 0.
SELECT coverage(dp_halfspace(x, y, 1000.0, 0, '{"coverage_epsilon": 500}')) FROM gap;
SELECT coverage(dp_halfspace(x, y, 1000.0, 0, '{"coverage_epsilon": 500, "adjacency": "add_remove", "mechanism": "permute_flip", "grid": "sign"}')) FROM gap WHERE id > 500;
SELECT coverage(dp_logistic(x, y, 1000.0, 1e-6, '{"coverage_epsilon": 500, "noise": "gaussian"}')) FROM gap;
SELECT coverage(dp_simplex(x, a, 1000.0, 0.01, '{"coverage_epsilon": 500, "n": 1000, "intercept": false}')) FROM gap;
SELECT coverage(dp_linear(x, a, 1000.0, 0, '{"coverage_epsilon": 500, "target": [0, 1]}')) FROM gap;
SELECT coverage(dp_softmax(x, CASE WHEN id % 4 > 0 THEN t END, 1000.0, 0, '{"coverage_epsilon": 500, "classes": ["gold", "basic"]}')) FROM gap;
SELECT coverage(dp_classifier(x, y, 1000.0, 0, '{"coverage_epsilon": 500, "n": 1000}')) FROM gap;
SELECT coverage(dp_logistic(x, y, 1000.0, 0, '{"coverage_epsilon": 500, "mechanism": "pool", "n": 1000}')) FROM gap;
SELECT coverage(dp_halfspace(x, y, 1000.0, 0)) FROM gap;
-- The WARNING follows from the noisy counts, also where there is no row.
SELECT coverage(dp_halfspace(x, t, 1000.0, 0, '{"coverage_epsilon": 500, "positive": "Gold", "negative": "Basic"}')) FROM gap;
SELECT coverage(dp_halfspace(x, y, 1000.0, 0, '{"coverage_epsilon": 500}')) FROM gap WHERE false;
-- a parallel plan counts the rows of all workers
CREATE TABLE many AS SELECT ARRAY[i / 40000.0, i % 7]::float8[] AS x, CASE WHEN i % 4 > 0 THEN i % 3 = 0 END AS y FROM generate_series(1, 40000) i;
ALTER TABLE many ADD CHECK (cardinality(x) = 2), SET (parallel_workers = 2);
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT coverage(dp_logistic(x, y, 1000.0, 0, '{"coverage_epsilon": 500}')) FROM many;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- The charge is the whole; the model has what the part leaves, in price, noise and bounds.
SELECT DISTINCT epsilon, parameters -> 'coverage_epsilon' AS part FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.gap' ORDER BY 2;
CREATE FUNCTION price(epsilon numeric, options jsonb) RETURNS jsonb LANGUAGE sql RETURN dpobj.price_aggregate('halfspace', 2, epsilon, 0, options || '{"n": 1000, "grid": "ternary"}');
SELECT p -> 'epsilon' AS epsilon, p -> 'coverage_epsilon' AS coverage, p -> 'model_epsilon' AS model FROM price(1, '{"coverage_epsilon": 0.1}') p;
SELECT jsonb_object_agg(k, v) = price(0.7, '{}') - 'epsilon' AS same_but_the_parts FROM jsonb_each(price(1, '{"coverage_epsilon": 0.3}')) e(k, v) WHERE k NOT IN ('epsilon', 'coverage_epsilon', 'model_epsilon');
SELECT price(1, '{"coverage_epsilon": 0}') = price(1, '{}') AS none;
-- in nano-units that add up, whatever the decimals
SELECT e, c, (p ->> 'coverage_epsilon')::numeric + (p ->> 'model_epsilon')::numeric = trunc(e, 9) AS adds_up, p -> 'epsilon' AS charged
  FROM (VALUES (0.1, 0.0333333333333), (1.0000000001, 0.4999999999), (0.1, 0.000000001), (10000, 0.000000001)) v(e, c), dpobj.price_aggregate('logistic', 1, e, 0, jsonb_build_object('coverage_epsilon', c)) p;

-- Refused before anything is charged.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT * FROM answers($$SELECT dp_halfspace(x, y, 1.0, 0, '{"coverage_epsilon": %}') FROM gap$$, '1', '1.5', '-0.1', '"a"', 'null', '1e-10', '0.0000000009999999999999999999', '10000.0000000000001', '[0.1]');
SELECT dp_groups(t, x, y, 1.0, 0, '{"keys": ["gold"], "coverage_epsilon": 0.1}') FROM gap;
SELECT count(*) - :before AS events FROM dpobj.ledger;

-- At the analyst's door, with a filter: rows that it leaves out are in neither count.
SELECT dpobj.protect('gap', '{"a": {}, "y": {}, "t": {"levels": ["Gold", "Basic"]}}', n => 1000);
SELECT dpobj.set_budget('gap', NULL, 1000000, 0.001), dpobj.set_budget('gap', 'dpobj_coverage_ana', 1000000, 0.000001), dpobj.grant_trainer('dpobj_coverage_ana');
\c - dpobj_coverage_ana
SELECT (dpobj.train('gap', 'y', 1000, '{a}', options => '{"rate": 0, "coverage_epsilon": 500}')).details -> 'coverage' AS coverage;
SELECT (dpobj.train('gap', 'y', 1000, '{a}', options => '{"rate": 0, "coverage_epsilon": 500}', filter => '{"id": {"<": 301}}')).details -> 'coverage' AS coverage;
SELECT (dpobj.train('gap', 'y', 1000, '{t}', options => '{"rate": 0, "coverage_epsilon": 500}', name => 'misspelt')).details -> 'coverage' AS coverage;
-- the model under its name is the same, and costs nothing
SELECT (dpobj.train('gap', 'y', 1000, '{t}', options => '{"rate": 0, "coverage_epsilon": 500}', name => 'misspelt')).details -> 'coverage' AS coverage;
-- a job keeps the warning in its row, here by default
SELECT dpobj.submit('train', 'gap', '{"label": "y", "epsilon": 10000, "features": ["t"], "method": "logistic", "options": {"regularization": 0.1, "rate": 0}}', 'misspelt_job') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT reason FROM dpobj.jobs WHERE id = :job;
SELECT p -> 'epsilon' AS epsilon, p -> 'coverage_epsilon' AS coverage, p -> 'model_epsilon' AS model FROM dpobj.price('gap', 'y', 1, '{a}', options => '{"coverage_epsilon": 0.02}') p;
SELECT dpobj.train_groups('gap', 'y', 1, '{a}', options => '{"coverage_epsilon": 0.1}', by => '{t}');

-- The default: a fiftieth of epsilon, where both counts are off by a sixteenth of the declared rows at most.
SELECT (m).details -> 'options' AS options, (m).details -> 'coverage_epsilon' AS part, (m).epsilon, (m).details -> 'coverage' AS coverage FROM dpobj.train('gap', 'y', 10000, '{a}', options => '{"rate": 0}', name => 'default') m;
-- options that say the same are another request; the default is charged once, and once more by the job above
SELECT * FROM answers($$SELECT (dpobj.train('gap', 'y', 10000, '{a}', name => 'default'%)).details -> 'coverage_epsilon'$$, '', $$, options => '{"rate": 0}'$$, $$, options => '{"rate": 0, "coverage_epsilon": 200}'$$);
SELECT count(*) AS charges FROM dpobj.ledger WHERE event = 'charged' AND epsilon = 10000 AND parameters -> 'coverage_epsilon' = '200';
\c - postgres
CREATE TABLE gap_few AS TABLE gap;
CREATE TABLE gap_many AS TABLE gap;
CREATE TABLE gap_add AS TABLE gap;
CREATE TABLE gap_unsaid AS TABLE gap;
CREATE TABLE gap_person AS SELECT id / 3 AS who, a, y FROM gap;
SELECT count(dpobj.protect(t::regclass, '{"a": {}, "y": {}}', n => n, adjacency => adjacency, person => person, max_rows_per_person => rows))
  FROM (VALUES ('gap_few', 100, 'replace', NULL, NULL::int), ('gap_many', 1000000000000, 'replace', NULL, NULL), ('gap_add', 1000, 'add_remove', NULL, NULL), ('gap_unsaid', NULL, 'replace', NULL, NULL), ('gap_person', 1000, 'replace', 'who', 2)) v(t, n, adjacency, person, rows);
CREATE FUNCTION part(t regclass, epsilon numeric, options jsonb DEFAULT NULL) RETURNS text LANGUAGE sql RETURN
  (SELECT concat_ws(' + ', p -> 'coverage_epsilon', p -> 'model_epsilon', 'of ' || (p ->> 'epsilon')) FROM dpobj.price(t, 'y', epsilon, '{a}', method => 'halfspace', options => coalesce(options, '{}') || '{"rate": 0}') p);
SELECT t, part(t::regclass, 2.95) AS at_2_95, part(t::regclass, 2.96) AS at_2_96, part(t::regclass, 5.9) AS at_5_9, part(t::regclass, 5.91) AS at_5_91, part(t::regclass, 10000) AS at_10000
  FROM unnest('{gap,gap_few,gap_add,gap_unsaid,gap_person}'::text[]) t;
SELECT part('gap', 10, '{"coverage_epsilon": 0}') AS switched_off, part('gap', 1, '{"coverage_epsilon": 0.02}') AS asked_for, part('gap', 10.0000001) AS rounded_down;
-- in whole nano-units: below fifty of them there is none
SET dpobj.min_epsilon = 0;
SELECT e, part('gap_many', e, '{"force": true}') FROM unnest('{0.000000049,0.00000005,0.000000099,0.0000001}'::numeric[]) e;
RESET dpobj.min_epsilon;
-- neither for aggregates, whose caller can count the rows, nor for groups and persons
SELECT p -> 'coverage_epsilon' AS part FROM dpobj.price_aggregate('halfspace', 2, 100, 0, '{"n": 1000}') p;
SELECT (dp_halfspace(x, y, 100.0, 0, '{"n": 1000}')).details -> 'coverage' AS coverage FROM gap;
SELECT dpobj.set_budget('gap_person', NULL, 1000, 0), dpobj.set_budget('gap_person', 'dpobj_coverage_ana', 1000, 0);
\c - dpobj_coverage_ana
SELECT count(*) AS models, count((model).details -> 'coverage') AS counted FROM dpobj.train_groups('gap', 'y', 100, '{a}', by => '{t}');
SELECT (dpobj.train('gap_person', 'y', 100)).details -> 'coverage' AS coverage;
SELECT dpobj.train('gap_person', 'y', 1, options => '{"coverage_epsilon": 0.1}');

-- The ledger keeps the law of the model, of epsilon 5.88, and that of the counts, of 0.12: what both cost adds up.
SELECT (dpobj.train('gap', 'y', 6, '{a}', method => method, delta => delta, options => options::jsonb || '{"rate": 0}', name => name)).mechanism
  FROM (VALUES ('halfspace', 0, '{}', 'of 6'), ('halfspace', 0, '{"coverage_epsilon": 0}', 'whole'), ('logistic', 0.00000001, '{"noise": "gaussian"}', 'gaussian'), ('logistic', 0.00000001, '{"mechanism": "sgd"}', 'sgd')) v(method, delta, options, name);
\c - postgres
SELECT m.name, e.pair, e.pair_terms - '{mu,ratio,outer,rate,noise,count}'::text[] AS terms, e.epsilon_nano, e.rho_pico, c.rho_pico = e.rho_pico AND c.rdp_pico = e.rdp_pico AS read_again
  FROM dpobj.model_rows m JOIN dpobj.ledger_events e ON e.id = m.release, dpobj_internal.cost_of_rows(e.adjacency, e.pair, e.pair_terms, e.epsilon_nano, e.delta_units, 1) c WHERE m.name IN ('of 6', 'whole', 'gaussian', 'sgd') ORDER BY e.id;
DROP OWNED BY dpobj_coverage_ana;
DROP ROLE dpobj_coverage_ana;
