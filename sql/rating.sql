-- The table of scores with which a model comes: its rows, its charge, the verdict, probabilities and thresholds
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL login_roles('dpobj_rating_ana');

-- Whether y is positive follows from a; at epsilon 1000 there is no noise to speak of.
CREATE TABLE guest (id int, a float8, b int, y boolean, cost float8, ward text, who int);
INSERT INTO guest SELECT i, (i * 7919 % 2000) / 2000.0, i % 3, (i * 7919 % 2000) + (i * 104729 % 997) > 1600, (i * 7919 % 2000) / 20.0, (ARRAY['x', 'y', 'z'])[1 + (i * 7919 % 2000) / 700], i / 2
  FROM generate_series(1, 2000) i;
SELECT '{"a": {}, "b": {"levels": [0, 1, 2]}, "y": {}, "cost": {"clip": [0, 100]}, "ward": {"levels": ["x", "y", "z"]}}' AS encoders \gset
SELECT dpobj.protect('guest', :'encoders', n => 2000);
SELECT dpobj.set_budget('guest', 'dpobj_rating_ana', 1000000, 0.001);
CREATE TABLE guest_add AS TABLE guest;
CREATE TABLE guest_unsaid AS TABLE guest;
CREATE TABLE guest_person AS TABLE guest;
CREATE TABLE guest_by_b AS TABLE guest;
CREATE TABLE guest_flat AS SELECT 0.5::float8 AS a, false AS y FROM generate_series(1, 2000);
SELECT dpobj.protect('guest_flat', '{"a": {}, "y": {}}', n => 2000), dpobj.set_budget('guest_flat', 'dpobj_rating_ana', 100, 0.001);
CREATE TABLE guest_one AS SELECT * FROM guest UNION ALL SELECT -i, 'NaN', 0, true, 0, 'x', 1 FROM generate_series(1, 1000) i;
CREATE TABLE guest_many AS SELECT i AS who, i % 7 AS a, i > 30000 AS y FROM generate_series(1, 60000) i;
SELECT count(dpobj.protect(t::regclass, :'encoders', n => n, adjacency => adjacency, person => person, max_rows_per_person => rows, holdout_by => holdout_by))
  FROM (VALUES ('guest_add', 2000, 'add_remove', NULL, NULL::int, NULL), ('guest_unsaid', NULL, 'replace', NULL, NULL, NULL), ('guest_person', 2000, 'replace', 'who', 2, NULL),
               ('guest_one', 2000, 'replace', 'who', 1, NULL), ('guest_by_b', 2000, 'replace', NULL, NULL, 'id')) v(t, n, adjacency, person, rows, holdout_by);
SELECT count(dpobj.set_budget(t::regclass, 'dpobj_rating_ana', 1000000, 0.001)) FROM unnest('{guest_add,guest_unsaid,guest_person,guest_one,guest_by_b}'::text[]) t;
SELECT dpobj.protect('guest_many', '{"a": {"bins": [2, 4]}, "y": {}}', n => 60000, person => 'who', max_rows_per_person => 1), dpobj.set_budget('guest_many', 'dpobj_rating_ana', 10000, 0);
CREATE FUNCTION charged(t regclass, label text, epsilon numeric, delta numeric, method text, options jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', d ->> 'mechanism', coalesce(((d -> 'rate') - 'mu')::text, 'no rating'), 'mu ' || round((d #>> '{rate,mu}')::numeric, 4), 'coverage ' || (d ->> 'coverage_epsilon'), 'model ' || (d ->> 'model_epsilon'), 'holdout ' || (d ->> 'holdout'), 'of ' || (d ->> 'epsilon'))
    FROM dpobj.price(t, label, epsilon, '{a,b}', delta, method, options) d $$;
\c - dpobj_rating_ana

-- A fifth of the rows by coins of the call, and one charge.  Counts are rows; the others have trained.
CREATE TEMP TABLE made AS SELECT name, details, release, epsilon, kind
  FROM unnest('{first,second,third,fourth}'::text[]) name, LATERAL (SELECT (dpobj.train('guest', 'y', 1000, '{a,b}', method => 'logistic', name => name)).*) m;
SELECT name, kind, epsilon, (details -> 'rate') - 'epsilon' AS rate, details -> 'rating' ->> 'verdict' AS verdict, details -> 'rating' ->> 'of' AS of, details -> 'rating' ->> 'on' AS "on",
       (details -> 'rating' ->> 'rows')::int BETWEEN 320 AND 480 AS a_fifth, details -> 'rating' -> 'unusable' AS unusable, details -> 'rating' ? 'calibration' AS calibrated, details ? 'holdout' AS holdout FROM made WHERE name = 'first';
SELECT count(DISTINCT (details -> 'rating' -> 'rows', details #> '{rating,base_rate,value}')) > 1 AS each_by_its_own_coins FROM made;
SELECT (SELECT sum(c::int) FROM jsonb_array_elements(r -> 'counts') p(pair), jsonb_array_elements(pair) c) = (r ->> 'rows')::int AS the_sum,
       jsonb_array_length(r -> 'edges') + 1 = jsonb_array_length(r -> 'counts') AS bins, r -> 'edges' @> '[0]' AS an_edge_at_0,
       abs((r #>> '{base_rate,value}')::float8 - 0.4) < 0.15 AS base, (r #>> '{auc,low}')::float8 > 0.7 AS ranks, (r #>> '{accuracy,value}')::float8 > 0.7 AS right
  FROM made, LATERAL (SELECT details -> 'rating') v(r) WHERE name = 'first';
-- Lift, the error of probabilities and the curves, by the same counts.
SELECT r ? 'lift' = (l.share IS NOT NULL) AS lift_known, abs((r #>> '{lift,value}')::float8 - l.lift) < 0.1 AS lift, abs((r ->> 'lift_share')::float8 - l.share) < 0.01 AS share,
       (r #>> '{calibration_error,value}')::float8 BETWEEN 0 AND 0.2 AND (r #>> '{calibration_error,by_chance}')::float8 BETWEEN 0.001 AND 0.1 AS error,
       abs(area - (r #>> '{auc,value}')::float8) < 0.01 AS area_is_auc, jsonb_array_length(c -> 'bins') BETWEEN 3 AND jsonb_array_length(r -> 'counts') AS bins
  FROM made, LATERAL (SELECT details -> 'rating', dpobj_internal.rating_curves(details -> 'rating')) v(r, c),
       LATERAL (SELECT sum((x - before_x) * (200 - y - before_y)) / 20000 FROM (SELECT x, y, lag(x) OVER w AS before_x, lag(y) OVER w AS before_y
                  FROM regexp_matches(c ->> 'roc', '[ML](\S+) ([^L]+)', 'g') WITH ORDINALITY m(xy, at), LATERAL (SELECT xy[1]::float8, xy[2]::float8) p(x, y) WINDOW w AS (ORDER BY at)) s) a(area),
       LATERAL (SELECT max(rows / n) AS share, max(positive / rows / base) AS lift
                  FROM (SELECT sum(p + q) OVER w AS rows, sum(p) OVER w AS positive, sum(p + q) OVER () AS n, sum(p) OVER () / sum(p + q) OVER () AS base
                          FROM jsonb_array_elements(r -> 'counts') WITH ORDINALITY b(pair, at), LATERAL (SELECT (pair ->> 0)::float8, (pair ->> 1)::float8) d(p, q) WINDOW w AS (ORDER BY at DESC)
                         ORDER BY abs(sum(p + q) OVER w / sum(p + q) OVER () - 0.1) LIMIT 1) t WHERE rows / n BETWEEN 0.05 AND 0.2) l
 WHERE name IN ('first', 'second');
\c -
SELECT e.epsilon, e.parameters -> 'rate' AS rate, e.pair FROM dpobj.ledger e WHERE e.event = 'charged' AND e.relation_name = 'public.guest' ORDER BY e.id LIMIT 1;
\c - dpobj_rating_ana

-- What is charged, and why, at both doors of a price and a training.
SELECT t, label, epsilon, delta, method, options, charged(t::regclass, label, epsilon, delta, method, options::jsonb)
  FROM (VALUES ('guest', 'y', 1, 0, 'halfspace', '{}'), ('guest', 'y', 1, 0, 'logistic', '{}'), ('guest', 'y', 1, 0.00001, 'logistic', '{"noise": "gaussian"}'),
               ('guest', 'y', 1, 0.00001, 'logistic', '{"mechanism": "sgd"}'), ('guest', 'y', 1, 0, 'halfspace', '{"rate": 1}'), ('guest', 'y', 1, 0, 'halfspace', '{"rate": 0.25}'),
               ('guest', 'y', 1, 0, 'halfspace', '{"rate": 0}'), ('guest', 'y', 0.1, 0, 'halfspace', '{}'), ('guest', 'y', 0.1, 0, 'halfspace', '{"rate": 0.01}'), ('guest', 'y', 10, 0, 'halfspace', '{"holdout": 0.3}'),
               ('guest', 'y', 10, 0, 'halfspace', '{"holdout": false}'), ('guest', 'y', 10, 0, 'halfspace', '{"holdout": false, "rate": 2}'), ('guest', 'y', 10, 0, 'halfspace', '{"rate": 2, "coverage_epsilon": 0.5}'),
               ('guest_add', 'y', 10, 0, 'halfspace', '{"holdout": 0.3}'), ('guest_unsaid', 'y', 10, 0, 'halfspace', '{}'), ('guest_unsaid', 'y', 10, 0, 'halfspace', '{"rate": 2}'),
               ('guest_person', 'y', 10, 0, 'halfspace', '{}'), ('guest_by_b', 'y', 10, 0, 'halfspace', '{}'), ('guest', 'cost', 1, 0, 'linear', '{}'), ('guest', 'cost', 100, 0, 'linear', '{}'), ('guest', 'ward', 10, 0, 'softmax', '{}')) v(t, label, epsilon, delta, method, options);
SELECT * FROM answers($$SELECT dpobj.price('guest', 'y', 1, '{a}', options => %)$$, $$'{"rate": 1.5}'$$, $$'{"rate": 1, "holdout": 0.2}'$$, $$'{"rate": 1, "holdout": false}'$$, $$'{"rate": -1}'$$, $$'{"rate": "1"}'$$, $$'{"rate": true}'$$);

-- Both scans toss the same coins: each row trains or rates.
SELECT (details #>> '{coverage,usable}')::int + (details #>> '{rating,rows}')::int AS rows
  FROM dpobj.train('guest', 'y', 1000, '{a,b}', method => 'logistic', options => '{"coverage_epsilon": 100}', name => 'both');
-- How many unusable rows a person has is not bounded, so they are not counted.
SELECT details -> 'rating' ? 'unusable' AS unusable, details ? 'coverage' AS coverage FROM dpobj.train('guest_one', 'y', 1000, '{a,b}', method => 'logistic', name => 'one');
-- Persons of a large table are sorted in a file; the second scan reads its own rows of it, of all parts of the table.
SET work_mem = '64kB';
SELECT (details #>> '{rating,base_rate,value}')::float8 BETWEEN 0.45 AND 0.55 AS half FROM dpobj.train('guest_many', 'y', 1000, method => 'logistic', name => 'many');
RESET work_mem;

-- Other models, rows that were seen, persons, and a training without a rating.
SELECT m.name, v.kind, v.details -> 'rating' ->> 'verdict' AS verdict, v.details -> 'rating' ->> 'on' AS "on", v.details -> 'rating' -> 'unusable' AS unusable, v.details -> 'unrated' AS unrated
  FROM (VALUES ('points', 'guest', 'y', 'halfspace', '{}'), ('seen', 'guest', 'y', 'logistic', '{"holdout": false, "rate": 500}'), ('number', 'guest', 'cost', 'linear', '{}'), ('number of persons', 'guest_person', 'cost', 'linear', '{}'), ('classes', 'guest', 'ward', 'softmax', '{}'),
               ('rest', 'guest', 'ward', 'one_vs_rest', '{}'), ('persons', 'guest_person', 'y', 'logistic', '{}'), ('dealt', 'guest', 'y', 'halfspace', '{"holdout": 0.3}'), ('blind', 'guest_unsaid', 'y', 'halfspace', '{}'), ('wide', 'guest', 'y', 'halfspace', '{"rate": 1000}')) m(name, t, label, method, options),
       LATERAL (SELECT (dpobj.train(m.t::regclass, m.label, 1000, CASE m.label WHEN 'y' THEN '{a,b}' ELSE '{a}' END::text[], method => m.method, options => m.options::jsonb, name => m.name)).* OFFSET 0) v;
SELECT name, split_part(dpobj.show(name), E'\n', 1) ~ '^Verdict: (better than chance|on the rows it learned from) \((AUC|R-squared|accuracy) ' AS verdict_first, dpobj.show(name, 'markdown') LIKE E'%\nVerdict: %' AS on_card
  FROM unnest('{first,points,seen,number,number of persons,classes,rest,persons,blind}'::text[]) name;
-- The number of a person of two rows has twice the noise.
SELECT max(width) / min(width) > 1.6 AS twice
  FROM unnest('{guest,guest_person}'::text[]) t, LATERAL (SELECT (dpobj.train(t::regclass, 'cost', 10000, '{b}', method => 'linear', options => '{"rate": 50, "holdout": false}', name => t || ' width')).details #> '{rating,r_squared}') v(d),
       LATERAL (SELECT (d ->> 'high')::float8 - (d ->> 'low')::float8) w(width);
-- The law in the ledger: a table with more than half of epsilon leaves no bounded range.
\c - postgres
SELECT m.name, e.pair, e.epsilon, e.parameters #> '{rate,epsilon}' AS rate FROM dpobj.models m JOIN dpobj.ledger e ON e.id = m.release WHERE m.name IN ('points', 'wide', 'dealt', 'seen') ORDER BY m.name;
\c - dpobj_rating_ana

-- Beside a normal law the counts have normal noise of its mu: a row that is replaced moves them by the root of 2, one that comes or goes by 1, and a person of two rows by twice as much.
-- A larger "rate" leaves the claim alone.
CREATE TEMP TABLE normal AS SELECT t, asked, m.details FROM unnest('{guest,guest_add,guest_person}'::text[]) t, unnest(ARRAY['{}', '{"rate": 0.1}', '{"rate": 0.9}']) asked,
  LATERAL (SELECT (dpobj.train(t::regclass, 'y', 1, '{a,b}', 0.00001, method => 'logistic', options => asked::jsonb || '{"mechanism": "descent"}', name => 'normal ' || t || ' ' || asked)).* OFFSET 0) m WHERE asked = '{}' OR t = 'guest';
SELECT t, asked, (details #> '{rate,mu}') = (details #> '{rating,mu}') AS normal, (details #>> '{rating,epsilon}')::float8 AS epsilon,
       round(((details #>> '{rating,deviation}')::float8 * coalesce((details #>> '{rating,mu}')::float8, 1))::numeric, 2) AS reach FROM normal ORDER BY 1, 2;
SELECT dpobj.show(model) ~ 'normal\s+noise\s+of\s+standard\s+deviation\s+5\.28\s+on\s+each\s+count' AS said FROM (SELECT dpobj.train('guest', 'y', 1, '{a,b}', 0.00001, method => 'logistic', options => '{"mechanism": "descent"}', name => 'normal')) v(model);
-- Where a logistic model says that a label is rare, there are fewer bins.
SELECT jsonb_array_length(details #> '{rating,counts}') <= 9 AS few FROM dpobj.train('guest_flat', 'y', 2, '{a}', 0.00001, method => 'logistic', options => '{"mechanism": "descent"}', name => 'flat')
UNION ALL SELECT jsonb_array_length(details #> '{rating,counts}') <= 9 FROM dpobj.train('guest', 'y', 2, '{a}', 0.00001, method => 'logistic', options => '{"mechanism": "descent"}', name => 'not flat');
-- Equal rows are in one cell.  The others, and the unusable rows, are noise of that deviation, but for a chance of one in a million.
CREATE TEMP TABLE drawn AS SELECT (dpobj.train('guest_flat', 'y', 0.5, '{a}', 0.00001, method => 'logistic', options => '{"mechanism": "descent"}', name => 'flat ' || i)).details -> 'rating' AS r FROM generate_series(1, 8) i;
SELECT count(*) > 100 AS many, stddev_pop(c) / max(deviation) BETWEEN 0.75 AND 1.3 AS as_said
  FROM drawn, LATERAL (SELECT (r ->> 'deviation')::float8) d(deviation), LATERAL (SELECT (r ->> 'unusable')::float8 UNION ALL SELECT c::float8 FROM jsonb_array_elements(r -> 'counts') p(pair), jsonb_array_elements(pair) c ORDER BY 1 DESC OFFSET 1) v(c);
\c -
SELECT m.name, e.pair, e.parameters -> 'rate' = (m.model).details -> 'rate' AS as_in_ledger FROM dpobj.models m JOIN dpobj.ledger e ON e.id = m.release WHERE m.name LIKE 'normal guest%' ORDER BY m.name;
\c - dpobj_rating_ana

-- Groups: each model has a table of its own group's rows, a group without rows, too.
CREATE TEMP TABLE ward AS SELECT filter, (g.key)[1] AS key, (g.model).details AS d FROM (VALUES ('{}'::jsonb), ('{"ward": {"=": "x"}}')) f(filter),
  LATERAL dpobj.train_groups('guest', 'y', 1000, '{a,b}', method => 'logistic', filter => filter, name => 'ward' || filter::text, by => '{ward}') g;
SELECT filter, key, d -> 'rate' AS rate, CASE WHEN d #>> '{rating,rows}' = '0' THEN 'no' WHEN (d #>> '{rating,rows}')::int BETWEEN 80 AND 200 THEN 'a fifth' END AS rows,
       round((d #>> '{rating,base_rate,value}')::numeric * 2) AS mostly, d #>> '{rating,on}' AS "on", d #> '{rating,rows_per_person}' AS k, d -> 'rating' ? 'unusable' AS unusable, d ? 'coverage' AS coverage FROM ward ORDER BY 1, 2;
-- of 140 rows: one verdict in two hundred is not that it is better than chance
SELECT d #>> '{rating,verdict}' IN ('better than chance', 'not distinguishable from chance: do not use') AS verdict, starts_with(dpobj.show('ward{}{y}'), 'Verdict: ' || (d #>> '{rating,verdict}')) AS shown, d -> 'rating' ? 'calibration' AS calibrated, dpobj.show('ward{}{y}', 'json')::jsonb -> 'probability' = d #> '{rating,calibration}' AS in_json,
       (t.expected #>> '{recall,value}')::float8 >= 0.89 AS recall, t.probability BETWEEN 0 AND 1 AS probability FROM ward, dpobj.threshold('ward{}{y}', recall => 0.9) t WHERE filter = '{}' AND key = 'y';
SELECT count(DISTINCT (g.model).details #> '{rating,rows}') > 1 AS each_by_its_own_coins FROM generate_series(1, 5) i, LATERAL dpobj.train_groups('guest', 'y', 1000, '{a,b}', method => 'logistic', name => 'coins ' || i, by => '{ward}') g WHERE g.key = '{x}';
SELECT (g.key)[1] AS key, (SELECT bool_or(c::int <> 0) FROM jsonb_array_elements((g.model).details #> '{rating,counts}') p(pair), jsonb_array_elements(pair) c) AS noise, (dpobj.threshold(g.model, share => 0.5)).expected ->> 'on' AS "on"
  FROM dpobj.train_groups('guest', 'y', 0.2, '{a}', method => 'logistic', options => '{"rate": 0.01}', filter => '{"ward": {"=": "x"}}', name => 'noise', by => '{ward}') g;
-- What the call costs for it: a group has half of epsilon under replace, a fourth for persons of two rows, all of it under add_remove; and the least that leaves the law in the ledger.
CREATE TEMP TABLE grouped AS SELECT v.*, d, r FROM (VALUES (1, 'guest', 'y', 100, 0, 'logistic', '{}'), (2, 'guest', 'y', 100, 0, 'halfspace', '{}'), (3, 'guest', 'y', 10, 0.00001, 'logistic', '{"mechanism": "output", "noise": "gaussian"}'),
  (4, 'guest', 'y', 10, 0.00001, 'logistic', '{"noise": "gaussian"}'), (5, 'guest_add', 'y', 10, 0.00001, 'logistic', '{"mechanism": "output", "noise": "gaussian"}'), (6, 'guest_add', 'y', 100, 0, 'halfspace', '{}'), (7, 'guest_person', 'y', 100, 0, 'logistic', '{}'), (8, 'guest_person', 'y', 100, 0, 'logistic', '{"holdout": false, "rate": 5}'),
  (9, 'guest', 'y', 100, 0, 'logistic', '{"holdout": 0.3}'), (10, 'guest', 'y', 100, 0, 'logistic', '{"holdout": false}'), (11, 'guest', 'y', 100, 0, 'halfspace', '{"holdout": false, "rate": 10}'), (12, 'guest', 'y', 100, 0, 'halfspace', '{"rate": 50}'),
  (13, 'guest', 'y', 0.4, 0, 'logistic', '{}'), (14, 'guest_unsaid', 'y', 100, 0, 'logistic', '{}'), (15, 'guest', 'ward', 100, 0, 'softmax', '{}'), (16, 'guest', 'cost', 1000, 0, 'linear', '{}'), (17, 'guest', 'y', 100, 0, 'logistic', '{"rate": 0}')) v(no, t, label, epsilon, delta, method, options),
  LATERAL (SELECT (g.model).details, (g.model).release FROM dpobj.train_groups(v.t::regclass, v.label, v.epsilon, '{a}', v.delta, v.method, v.options::jsonb, name => 'grouped ' || v.no, by => '{b}') g LIMIT 1) m(d, r);
SELECT no, t, method, options, d #> '{group,epsilon}' AS of_a_group, d #> '{rate,epsilon}' AS rate, round((d #>> '{rate,mu}')::numeric, 3) AS mu, d #> '{rate,charged}' AS charged, d #> '{rating,of}' AS of, d -> 'unrated' AS unrated, e.epsilon, e.pair
  FROM grouped JOIN dpobj.ledger e ON e.id = r AND e.event = 'charged' ORDER BY no;
SELECT * FROM answers($$SELECT dpobj.train_groups('guest', 'y', 1, '{a}', by => '{b}', options => %)$$, $$'{"rate": 0.6}'$$, $$'{"rate": 0.5, "holdout": false}'$$, $$'{"rate": 0.1, "coverage_epsilon": 0.1}'$$);

-- Labels that do not depend on the features, and few rows: in words, not to be used.
SELECT d -> 'rating' ->> 'verdict' AS verdict, d #> '{rating,auc}' AS auc, d -> 'rating' ? 'calibration' AS calibrated,
       EXISTS (SELECT FROM jsonb_array_elements(d #> '{rating,counts}') p(pair), jsonb_array_elements(pair) c WHERE c::int < 0) AS has_noise
  FROM (SELECT (dpobj.train('guest', 'y', 0.1, '{b}', method => 'logistic', options => '{"rate": 0.001}', name => 'useless')).details) v(d);
SELECT dpobj.show('useless') LIKE 'Verdict: not distinguishable from chance: do not use (AUC unknown, 0 to 1;%' AS first_line;

-- Probabilities: calibrated ones of a halfspace, the same in SQL and JSON, and what is missing if there are none.
\c - postgres
SELECT max(abs(dpobj.predict_proba('points', g, 'dpobj_rating_ana') - 1 / (1 + exp(-(fit ->> 'intercept')::float8 - (fit ->> 'slope')::float8 * dpobj.score('points', g, 'dpobj_rating_ana'))))) < 1e-12 AS fitted,
       sqrt(avg((dpobj.predict_proba('points', g, 'dpobj_rating_ana') - g.y::int) ^ 2)) < 0.45 AS good
  FROM guest g, (SELECT (model).details -> 'rating' -> 'calibration' AS fit FROM dpobj.models WHERE name = 'points') f;
SELECT dpobj.predict_proba('blind', g, 'dpobj_rating_ana') FROM guest g LIMIT 1;
\c - dpobj_rating_ana
SELECT dpobj.show('points', 'json')::jsonb -> 'verdict' AS verdict, dpobj.show('points', 'pmml') LIKE '%of dpobj; better than chance"%' AS in_pmml, dpobj.predict_sql('points') LIKE '%dp_probability%' AS in_sql, (dpobj.show('points', 'json')::jsonb -> 'probability') =
  (SELECT (model).details -> 'rating' -> 'calibration' FROM dpobj.models WHERE name = 'points') AS in_json;

-- Where score 0 is: "regularization" holds the intercept near 0, so that it is far from probability one half.
SELECT count(*) FROM generate_series(1, 6) i, dpobj.train('guest', 'y', 1000, '{a,b}', method => CASE WHEN i < 4 THEN 'logistic' ELSE 'svm' END, options => '{"regularization": 10000}', name => 'moved ' || i);
SELECT count(*) FROM dpobj.train('guest', 'y', 1000, '{a,b}', method => 'logistic', options => '{"regularization": 3000, "rate": 0}', name => 'unrated');
\c - postgres
SELECT count(*) > 0 AS any, bool_and(r -> 'edges' @> '[0]') AS an_edge_at_0, max(r #>> '{moved,so_that}') AS so_that, bool_and(v.now >= v.unmoved) AS better,
       bool_and(abs(v.now - (r #>> '{accuracy,value}')::float8) < 0.08) AS as_rated, bool_and(v.likely > 0.85) AS as_probable, bool_and(t.score = 0 OR abs(t.probability - 0.5) < 0.35) AS cheapest,
       bool_and(dpobj.show(m.name, owner => 'dpobj_rating_ana') ~ 'intercept\s+moved\s+by\s+-?[0-9.]+,\s+so\s+that\s+bins\s+above\s+score\s+0') AS said
  FROM dpobj.models m, LATERAL (SELECT (m.model).details -> 'rating') d(r), dpobj.threshold(m.model, cost => '{"fp": 1, "fn": 1}') t,
       LATERAL (SELECT avg((dpobj.predict(m.model, g) = g.y)::int), avg(((dpobj.score(m.model, g) > (r #>> '{moved,intercept}')::float8) = g.y)::int),
                       avg((dpobj.predict(m.model, g) = (dpobj.predict_proba(m.model, g) > 0.5))::int) FROM guest g) v(now, unmoved, likely)
 WHERE m.name LIKE 'moved %' AND r ? 'moved';
SELECT m.name, (m.model).details #> '{rating,moved}' AS moved FROM dpobj.models m WHERE m.name IN ('points', 'unrated') ORDER BY m.name;
-- It follows from the numbers that are released, which have noise, and from nothing else.
CREATE TABLE weak AS SELECT (i * 7919 % 4000) / 4000.0::float8 AS a, (i * 104729 % 4001) / 4001.0 > 0.95 - 0.7 * (i * 7919 % 4000) / 4000.0 AS y FROM generate_series(1, 4000) i;
SELECT dpobj.protect('weak', '{"a": {"clip": [0, 1]}, "y": {}}', n => 4000), dpobj.set_budget('weak', 'postgres', 1e6, 0);
SELECT count(*) > 5 AS moved, bool_and(half > coalesce(below, '-Infinity') AND half < coalesce(above, 'Infinity')) AS one_half_is_in_a_bin_at_0
  FROM generate_series(1, 30) i, LATERAL (SELECT (dpobj.train('weak', 'y', 1000, method => 'logistic', options => '{"regularization": 3000, "rate": 0.2}', name => 'weak ' || i)).details -> 'rating') d(r),
       LATERAL (SELECT - (r #>> '{calibration,intercept}')::float8 / (r #>> '{calibration,slope}')::float8) h(half),
       LATERAL (SELECT max(e::float8) FILTER (WHERE e::float8 < 0), min(e::float8) FILTER (WHERE e::float8 > 0) FROM jsonb_array_elements_text(r -> 'edges') e) e(below, above)
 WHERE r ? 'moved';
DROP TABLE weak;
\c - dpobj_rating_ana

-- Thresholds.
SELECT goal, (t.score IS NOT NULL) AS score, t.probability BETWEEN 0 AND 1 AS probability, (t.expected #>> '{recall,value}')::float8 >= coalesce(recall, 0) - 0.01 AS recall,
       (t.expected #>> '{precision,value}')::float8 >= coalesce(prec, 0) - 0.01 AS precision, t.expected ? 'cost' AS cost, t.expected ->> 'on' AS "on"
  FROM (VALUES ('recall', 0.9::float8, NULL::float8, NULL::float8, NULL::jsonb), ('precision', NULL, 0.8, NULL, NULL), ('share', NULL, NULL, 0.1, NULL), ('cost', NULL, NULL, NULL, '{"fp": 1, "fn": 20}')) v(goal, recall, prec, share, cost),
       dpobj.threshold('points', recall, prec, share, cost) t;
SELECT (dpobj.threshold('points', cost => '{"fp": 20, "fn": 1}')).score > (dpobj.threshold('points', cost => '{"fp": 1, "fn": 20}')).score AS dearer_is_higher;
SELECT dpobj.threshold(model, recall => 0.5) = dpobj.threshold('points', recall => 0.5) AS of_a_row FROM dpobj.models WHERE name = 'points';
SELECT dpobj.threshold(NULL, recall => 0.5) IS NULL AS of_nothing;
SELECT * FROM answers($$SELECT dpobj.threshold('points', %)$$, 'recall => 0', 'recall => 1.1', $$"precision" => 'NaN'$$, 'share => -1', 'recall => 0.5, share => 0.5', 'recall => NULL', $$cost => '{"fp": 0, "fn": 20}'$$, $$cost => '{"fp": -1, "fn": 20}'$$,
  $$cost => '{"fp": 1}'$$, $$cost => '[1, 20]'$$, $$cost => '{"fp": 1, "fn": 2, "tp": 0}'$$);
SELECT * FROM answers($$SELECT dpobj.threshold(%, recall => 0.5)$$, $$'blind'$$, $$'number'$$, $$'classes'$$, $$'none'$$);
-- Tables that no training has made.
CREATE FUNCTION pg_temp.forged(rating jsonb, more jsonb DEFAULT '{}') RETURNS dp_model LANGUAGE sql AS $$
  SELECT ROW('halfspace', 'x', '{1}', 1, 0, 'replace', 'exact', 1, jsonb_build_object('rating', '{"of": "scores", "on": "rows held out", "epsilon": 1, "rows_per_person": 1, "middle": 0, "spread": 1, "edges": [0, 1], "counts": [[1, 2], [3, 4], [5, 6]]}' || rating) || more)::dp_model $$;
SELECT (dpobj.threshold(pg_temp.forged('{}'), recall => 0.5)).score;
-- The noise in a group is that of rows that come or go.
SELECT details, (t.expected #>> '{recall,high}')::numeric - (t.expected #>> '{recall,low}')::numeric AS width
  FROM unnest(ARRAY['{}', '{"group": {}}']::jsonb[]) details, dpobj.threshold(pg_temp.forged('{"counts": [[100, 20], [300, 4], [500, 60]]}', details), recall => 0.8) t;
SELECT * FROM answers($$SELECT dpobj.threshold(pg_temp.forged(%), recall => 0.5)$$, $$'{"edges": [1, 0]}'$$, $$'{"edges": []}'$$, $$'{"edges": [0, 1, 2]}'$$, $$'{"counts": [[1], [2], [3]]}'$$, $$'{"epsilon": 0}'$$, $$'{"epsilon": 1e-10}'$$, $$'{"epsilon": 1e300}'$$, $$'{"mu": 0}'$$, $$'{"mu": 1e-10}'$$, $$'{"mu": "1"}'$$, $$'{"mu": 0.1}'$$, $$'{"spread": 0}'$$,
  $$'{"rows_per_person": 0}'$$, $$'{"counts": [[9223372036854775807, 9223372036854775807], [9223372036854775807, 2], [-9223372036854775808, 1]]}'$$);

-- Cases: a label that one row in a hundred has, and a label in a spelling that no row has.
\c - postgres
CREATE TABLE rare AS SELECT CASE WHEN i % 200 = 0 THEN 9 ELSE i % 10 END AS a, (i * 7) % 13 AS b, i % 100 = 0 AS y FROM generate_series(1, 20000) i;
SELECT dpobj.protect('rare', '{"a": {"bins": [3, 6, 9]}, "b": {"bins": [4, 8]}, "y": {}}', n => 20000), dpobj.set_budget('rare', 'postgres', 1e6, 0);
SELECT count(*) FROM dpobj.train('rare', 'y', 1, name => 'rare auto');
SELECT dpobj.show('rare auto') ~ '^Verdict: (not distinguishable from chance: do not use|better than chance) .*accuracy\s+[0-9.]+,\s+[0-9.]+\s+to\s+[0-9.]+,\s+where\s+a\s+constant\s+has\s+[0-9.]+' AS said;
CREATE TABLE spelt (a int, b text);
INSERT INTO spelt SELECT i % 10, CASE WHEN i % 3 = 0 THEN 'yes' WHEN i % 3 = 1 THEN 'YES' END FROM generate_series(1, 3000) i;
SELECT dpobj.protect('spelt', '{"a": {"bins": [3, 6]}, "b": {"positive": ["Yes"], "negative": ["No"]}}', n => 3000), dpobj.set_budget('spelt', 'postgres', 10, 0);
SET client_min_messages = error; -- the warning has noisy numbers
SELECT count(*) FROM dpobj.train('spelt', 'b', 1, name => 'spelt');
RESET client_min_messages;
SELECT dpobj.show('spelt') LIKE 'Verdict: not distinguishable from chance: do not use%' AS said;

DROP TABLE rare, spelt, guest, guest_flat, guest_add, guest_unsaid, guest_person, guest_one, guest_many, guest_by_b;
DROP ROLE dpobj_rating_ana;
