-- pairs.sql - for each mechanism two neighbouring tables that are hard to keep apart, and how to draw.
--
-- Run by scripts/audit.sh in a database of its own.  Everything goes through SQL, by the installed
-- extension: charge, solver process, random bits and ledger are the product's own.
--
-- A statement answers with numbers, one for each draw.  {0} stands for the table of the side, {side} for 0 or
-- 1, {e} and {d} for epsilon and delta, {r:100} for a regularization of 100.  dp_groups
-- gives many draws for one charge: the tables hold {n} copies of the rows, each in a group of its own,
-- and under add_remove each group's mechanism has the whole epsilon.
--
-- Each pair but opsamp, which runs from an epsilon of about 0.5 on, is tried once more "at the ends": at the
-- least epsilon (and delta) with which the mechanism runs, give or take a power of ten, with the largest features
-- and targets, and, for looks, with the most rows of a person.  There the two sides must not differ at all, so
-- that a few draws show noise that has been cut to a range, which shows the rows.
\set QUIET 1
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
\o /dev/null
CREATE EXTENSION dpobj;
CREATE SCHEMA audit;
CREATE TABLE audit.pair (
  place serial PRIMARY KEY,
  name text UNIQUE,
  epsilon numeric,
  delta numeric,
  share float8 DEFAULT 1, -- of the time
  copies int DEFAULT 1,   -- of the rows, each a draw of its own
  least int DEFAULT 0,    -- draws on each side, whatever the time
  rows jsonb,             -- of either side
  statement text
);
CREATE TABLE audit.draw (place int, side int, outcome float8);

-- A row is [x, label, target, group]: what is left out is null.
CREATE FUNCTION audit.make_tables(p audit.pair) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  FOR side IN 0 .. 1 LOOP
    EXECUTE format('CREATE TABLE audit.rows_%s_%s AS
      SELECT row_number() OVER () AS t, copy, r ->> 3 AS part, concat(''g'', copy, r ->> 3) AS key,
             ARRAY(SELECT v::float8 FROM jsonb_array_elements_text(r -> 0) v) AS x, (r ->> 1)::boolean AS y, (r ->> 2)::float8 AS target
        FROM generate_series(1, %s) copy, jsonb_array_elements(%L::jsonb) r', p.place, side, p.copies, p.rows -> side);
  END LOOP;
END $$;

CREATE FUNCTION audit.fill(statement text, epsilon numeric, delta numeric, copies int, regularization text) RETURNS text LANGUAGE sql AS $$
  SELECT replace(replace(replace(regexp_replace(statement, '"?{r:(\d+)}"?', regularization), '{e}', epsilon::text), '{d}', delta::text),
                 '"{keys}"', (SELECT jsonb_agg('g' || i) FROM generate_series(1, copies) i)::text);
$$;

-- Adds a pair, and if it has a least epsilon the same at the ends.
CREATE FUNCTION audit.add_call(name text, epsilon numeric, delta numeric, rows jsonb, statement text, least_epsilon numeric DEFAULT 1e-9,
                               copies int DEFAULT 1, copies_of_ends int DEFAULT 1, least_delta numeric DEFAULT 1e-18)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO audit.pair (name, epsilon, delta, copies, rows, statement)
    VALUES (name, epsilon, delta, copies, rows, audit.fill(statement, epsilon, delta, copies, '\1'));
  INSERT INTO audit.pair (name, epsilon, delta, share, copies, least, rows, statement)
    SELECT name || ', at the ends', least_epsilon, d, 0, copies_of_ends, 30, regexp_replace(rows::text, '(?<![0-9.])1(?![0-9.])', '1e300', 'g')::jsonb,
           audit.fill(statement, least_epsilon, d, copies_of_ends, '1.6e7')
      FROM (SELECT CASE WHEN delta > 0 THEN least_delta ELSE 0 END AS d) s
     WHERE least_epsilon IS NOT NULL;
$$;

-- The same for a mechanism under add_remove, of groups.  outcome: the model as a number, or whether the event
-- whose probability is known to change most has happened.
CREATE FUNCTION audit.add_grouped(name text, method text, epsilon numeric, delta numeric, options jsonb, rows jsonb, copies int DEFAULT 100,
                                  outcome text DEFAULT 'w', least_epsilon numeric DEFAULT 1e-9)
RETURNS void LANGUAGE sql AS $$
  SELECT audit.add_call(name, epsilon, delta, rows,
    format('SELECT %s FROM (SELECT ((u).model).weights[1] AS w FROM (SELECT unnest(dp_groups(key, x, y, {e}, {d}, %L::jsonb)) AS u FROM {0}) s) t',
           outcome, options || jsonb_build_object('method', method, 'adjacency', 'add_remove', 'dimension', 1, 'intercept', false, 'keys', '{keys}')),
    least_epsilon, copies, 30);
$$;

-- ---- halfspaces, weights -1 and 1 ---- A second row comes: the winner's odds change most.
SELECT audit.add_grouped('exponential', 'halfspace', 1, 0, '{"grid": "sign", "mechanism": "exponential"}', '[[[[1], true], [[1], true]], [[[1], true]]]');
-- The first row comes: even odds become e to 1.
SELECT audit.add_grouped('permute_flip', 'halfspace', 1, 0, '{"grid": "sign", "mechanism": "permute_flip"}', '[[], [[[1], true]]]');
-- The same with a prior, which is against the winner.
SELECT audit.add_grouped('exponential, prior', 'halfspace', 1, 0, '{"grid": {"max": 1}, "mechanism": "exponential", "prior": {"power": 2}}',
                         '[[[[1], true], [[1], true]], [[[1], true]]]', least_epsilon => 1e-4);
SELECT audit.add_grouped('permute_flip, prior', 'halfspace', 1, 0, '{"grid": {"max": 1}, "mechanism": "permute_flip", "prior": {"power": 2}}',
                         '[[], [[[1], true]]]', least_epsilon => 1e-4);
SELECT audit.add_grouped('opdisc, ' || noise, 'halfspace', 1, CASE noise WHEN 'gaussian' THEN 0.05 ELSE 0 END,
                         jsonb_build_object('grid', 'sign', 'mechanism', 'opdisc', 'noise', noise), '[[], [[[1], true]]]', CASE noise WHEN 'gaussian' THEN 20 ELSE 100 END)
  FROM unnest('{gauge,laplace,spherical,paraboloid,gaussian}'::text[]) noise;
SELECT audit.add_grouped('rspm, ' || noise, 'halfspace', 1, CASE noise WHEN 'gaussian' THEN 0.05 ELSE 0 END,
                         jsonb_build_object('grid', 'sign', 'mechanism', 'rspm', 'noise', noise), '[[], [[[1], true]]]', CASE noise WHEN 'gaussian' THEN 20 ELSE 100 END)
  FROM unnest('{gauge,laplace,spherical,gaussian}'::text[]) noise;
-- One part, whose vote a row changes: the loss is epsilon / 2; with more votes it would be epsilon.
SELECT audit.add_grouped('sample_aggregate', 'halfspace', 1, 0, '{"grid": "sign", "mechanism": "sample_aggregate", "parts": 1}',
                         '[[[[1], true]], [[[1], true], [[1], false]]]');

-- A row moves from one class to the other: both halfspaces lose epsilon / 2.
SELECT audit.add_call('one-vs-rest', 1, 0, '[[[[1], true]], [[[1], false]]]',
                      $$SELECT ((w).weights[1] > (w).weights[2])::int FROM (SELECT dp_one_vs_rest(x, y::int, {e}, {d}, '{"classes": [0, 1], "grid": "sign", "mechanism": "exponential", "n": 1, "dimension": 1, "intercept": false}') AS w FROM {0}) s$$, 2e-9);

-- ---- convex models: Huber's loss, whose slope at 0 is the largest ----

SELECT audit.add_grouped('objective, ' || noise, 'svm', 1, CASE noise WHEN 'gaussian' THEN 0.05 ELSE 0 END,
                         jsonb_build_object('mechanism', 'objective', 'noise', noise, 'regularization', '{r:100}', 'radius', 1), '[[], [[[1], true]]]',
                         100, CASE noise WHEN 'gamma' THEN '(w < 0)::int' ELSE 'w' END, 1e-6)
  FROM unnest('{gamma,gaussian}'::text[]) noise;
-- A group of two columns and an intercept, where all sums are the same: half of the noise is below 0.
SELECT audit.add_call('objective, knorm', 1, 0, '[[], [[[1, 0], true]]]',
                      $$SELECT ((dp_svm(x, y, {e}, {d}, '{"noise": "knorm", "groups": [2], "adjacency": "add_remove", "regularization": {r:100}}')).weights[1] < 0)::int FROM {0}$$, 1e-6);
-- The index of a level: the loss is that of the weight of the other row's level.
SELECT audit.add_call('objective, levels', 1, 0, '[[], [[[2], true]]]',
                      $$SELECT ((dp_svm(x, y, {e}, {d}, '{"noise": "gamma", "levels": [2], "intercept": false, "adjacency": "add_remove", "regularization": {r:100}}')).weights[2] < 0)::int FROM {0}$$, 1e-6);
-- Both stages: a halfspace that gets the first row wrong is likelier when the second one comes.
SELECT audit.add_call('pool', 1, 0, '[[[[1], false]], [[[1], false], [[1], true]]]',
                      $$SELECT ((dp_logistic(x, y, {e}, {d}, '{"mechanism": "pool", "n": 2, "adjacency": "add_remove", "dimension": 1, "intercept": false}')).weights[1] > 0)::int FROM {0}$$, 1e-7);
SELECT audit.add_grouped('output, ' || noise, 'svm', 1, CASE noise WHEN 'gaussian' THEN 0.05 ELSE 0 END,
                         jsonb_build_object('mechanism', 'output', 'noise', noise, 'regularization', '{r:2}', 'radius', 1), '[[], [[[1], true]]]',
                         100, CASE noise WHEN 'gamma' THEN '(w < 0)::int' ELSE 'w' END, 1e-6)
  FROM unnest('{gamma,gaussian}'::text[]) noise;
SELECT audit.add_grouped('sgd, full', 'svm', 1, 0.2, '{"mechanism": "sgd", "iterations": 1, "radius": 1}', '[[], [[[1], true]]]');
SELECT audit.add_call('sgd, ' || sampling, 1, 0.2, '[[[[1], true]], [[[1], true], [[1], false]]]',
                      format('SELECT (dp_svm(x, y, {e}, {d}, %L)).weights[1] FROM {0}', jsonb_build_object('mechanism', 'sgd', 'sampling', sampling,
                             'adjacency', 'add_remove', 'n', 2, 'batch', 1, 'iterations', 1, 'radius', 1, 'dimension', 1, 'intercept', false)), 1e-2)
  FROM unnest('{poisson,fixed}'::text[]) sampling;
SELECT audit.add_grouped('exponential of a net', 'svm', 1, 0, '{"mechanism": "exponential", "net": 3, "norm": 0.5, "radius": 1}',
                         '[[[[1], true], [[1], true]], [[[1], true]]]');
SELECT audit.add_grouped('localized', 'svm', 1, 0, '{"mechanism": "localized", "net": 100, "radius": 1, "regularization": "{r:2}"}', '[[], [[[1], true]]]',
                         100, '(w < 0)::int', 1e-6);
SELECT audit.add_call('opsamp', 2, 0.1, '[[[[1], true]], [[[1], false]]]',
                      $$SELECT (dp_svm(x, y, {e}, {d}, '{"mechanism": "opsamp", "n": 100000, "calls": 300, "norm": 0.5, "radius": 1, "regularization": 2, "dimension": 1, "intercept": false}')).weights[1] FROM {0}$$, NULL);

-- ---- other trainers, and the same mechanisms through other functions ----

SELECT audit.add_call('dp_linear, pure', 1, 0, '[[[[1], null, 1]], [[[1], null, -1]]]',
                      $$SELECT (dp_linear(x, target, {e}, {d}, '{"n": 1, "target": [-1, 1], "dimension": 1, "intercept": false}')).weights[1] FROM {0}$$, 1e-6);
SELECT audit.add_call('dp_linear, with delta', 1, 0.05, '[[[[1], null, 1]], [[[1], null, -1]]]',
                      $$SELECT (dp_linear(x, target, {e}, {d}, '{"n": 1, "target": [-1, 1], "dimension": 1, "intercept": false, "noise": "gaussian"}')).weights[1] FROM {0}$$, 1e-6);
SELECT audit.add_call('dp_simplex, pure', 1, 0, '[[[[0, 1], null, 0]], [[[0, 1], null, 1]]]',
                      $$SELECT (dp_simplex(x, target, {e}, {d}, '{"n": 1, "clip": [0, 1], "target": [0, 1], "dimension": 2}')).weights[1] FROM {0}$$);
SELECT audit.add_call('dp_simplex, with delta', 1, 0.05, '[[[[0, 1], null, 0]], [[[0, 1], null, 1]]]',
                      $$SELECT (dp_simplex(x, target, {e}, {d}, '{"n": 1, "clip": [0, 1], "target": [0, 1], "dimension": 2}')).weights[1] FROM {0}$$);
SELECT audit.add_call('dp_halfspace, replace', 1, 0, '[[[[1], true], [[1], true], [[1], true]], [[[1], true], [[1], true], [[1], false]]]',
                      $$SELECT (dp_halfspace(x, y, {e}, {d}, '{"grid": "sign", "mechanism": "opdisc", "dimension": 1}')).weights[1] FROM {0}$$);
-- A row moves from group A to group B, each of which has half of epsilon.  The event: the models are -1
-- and 1.
INSERT INTO audit.pair (name, epsilon, delta, copies, rows, statement) VALUES ('dp_groups, replace', 1, 0, 50,
  '[[[[1], true, null, "a"], [[1], false, null, "b"], [[1], false, null, "b"]], [[[1], false, null, "b"], [[1], false, null, "b"], [[1], true, null, "b"]]]',
  format('SELECT (sum(((u).model).weights[1] * CASE WHEN (u).key[1] ~ ''a$'' THEN 2 ELSE 1 END) = -1)::int
            FROM (SELECT unnest(dp_groups(key, x, y, 1.0, 0.0, %L::jsonb)) AS u FROM {0}) s GROUP BY rtrim((u).key[1], ''ab'')',
         jsonb_build_object('dimension', 1, 'grid', 'sign', 'mechanism', 'opdisc', 'intercept', false,
                            'keys', (SELECT jsonb_agg(format('g%s%s', i, part)) FROM generate_series(1, 50) i, unnest('{a,b}'::text[]) part))));
-- The second choice of ten, when the first costs have been seen.
SELECT audit.add_call('dp_ftrl, ' || what, 1, delta, '[[[[0, 1, 1, 1, 1, 1, 1, 1, 1, 1]], [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]],
           [[[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]]]'::jsonb,
         format('SELECT (choice = 1)::int FROM (SELECT t, dp_ftrl(x, {e}, {d}, %L) OVER (ORDER BY t) AS choice FROM {0}) s ORDER BY t DESC LIMIT 1',
                options || '{"n": 2, "dimension": 10}'), CASE WHEN delta > 0 THEN 1e-3 ELSE 1e-9 END, least_delta => 1e-15)
    FROM (VALUES ('exponential', 0, '{"mechanism": "exponential"}'::jsonb), ('tree of gauge noise', 0, '{"mechanism": "tree", "noise": "gauge"}'),
                 ('tree of Gaussian noise', 0.05, '{"mechanism": "tree", "noise": "gaussian"}')) v(what, delta, options);

-- ---- rating: the model says yes to every row; one label changes ----

CREATE VIEW audit.yes AS SELECT ROW('halfspace', 'public', '{1}', 1, 0, 'replace', 'exact', 0, '{}')::dp_model AS model, 1 AS place
  UNION ALL SELECT ROW('halfspace', 'public', '{-1}', 1, 0, 'replace', 'exact', 0, '{}')::dp_model, 2;
SELECT audit.add_call('dp_accuracy', 1, 0, '[[[[1], true]], [[[1], false]]]',
                      $$SELECT (coalesce(dp_accuracy((SELECT model FROM audit.yes WHERE place = 1), x, y, {e}), 0) > 0.5)::int FROM {0}$$);
SELECT audit.add_call('dp_confusion', 1, 0, '[[[[1], true]], [[[1], false]]]',
                      $$SELECT ((c).true_positives <= 0 AND (c).false_positives >= 1)::int
                        FROM (SELECT dp_confusion((SELECT model FROM audit.yes WHERE place = 1), x, y, {e}) AS c FROM {0}) s$$);
SELECT audit.add_call('dp_select', 1, 0, '[[[[1], true], [[1], true], [[1], true]], [[[1], true], [[1], true], [[1], false]]]',
                      $$SELECT dp_select(ARRAY(SELECT model FROM audit.yes ORDER BY place), x, y, {e}) FROM {0}$$);

-- ---- looks: a row passes a filter or not, has another value, none, or another bin ----

SELECT audit.add_call('dp_count', 1, 0, '[[[[1], true]], [[[1], false]]]', 'SELECT ((dp_count({e}) FILTER (WHERE y)).value >= 1)::int FROM {0}');
SELECT audit.add_call('dp_sum', 1, 0, '[[[[1], true, 1]], [[[1], true, 0]]]', 'SELECT ((dp_sum(target, 0, 1, {e})).value >= 1)::int FROM {0}');
SELECT audit.add_call('dp_avg', 1, 0, '[[[[1], true, 1]], [[[1], true]]]',
                      'SELECT coalesce((a).rows >= 1 AND (a).value >= 1, false)::int FROM (SELECT dp_avg(target, 0, 1, {e}) AS a FROM {0}) s');
SELECT audit.add_call('dp_histogram', 1, 0, '[[[[1], true, 0]], [[[1], true, 1]]]',
                      $$SELECT ((h)[1].value >= 1 AND (h)[2].value <= 0)::int FROM (SELECT dp_histogram(target, '{0.5}', {e}) AS h FROM {0}) s$$);
-- The lowest row moves to the top: values above 0.9 come nearer to the median, and those below, nearly all, farther from it.
SELECT audit.add_call('dp_quantiles', 1, 0, '[[[[1], null, 0.9], [[1], null, 0.9], [[1], null, 1]], [[[1], null, 0], [[1], null, 0.9], [[1], null, 0.9]]]',
                      $$SELECT (((dp_quantiles(target, '{0.5}', 0, 1, {e}, '{"steps": 1000}'))[1]).value > 0.9)::int FROM {0}$$);
SELECT audit.add_call('dpobj.count by groups', 1, 0, '[[[[1], true]], [[[1], false]]]',
                      $$SELECT (max(value) FILTER (WHERE key[1] = 'true') >= 1 AND max(value) FILTER (WHERE key[1] = 'false') <= 0)::int
                        FROM dpobj.count('{0}', {e}, '{y}')$$);
-- A model that predicts -1 for every row; one row's target is the other bound, or the same.
CREATE TABLE audit.low AS SELECT -1::float8 AS target, false AS y FROM generate_series(1, 1000);
SELECT dpobj.protect('audit.low', '{"target": {}, "y": {}}'), dpobj.set_budget('audit.low', quote_ident(session_user)::regrole, 1000, 0);
SELECT dpobj.train('audit.low', 'target', 1000, '{y}', method => 'linear', name => 'low');
SELECT audit.add_call('dpobj.residuals', 1, 0, '[[[[1], false, 1]], [[[1], false, -1]]]',
                      $$SELECT coalesce(max(value) FILTER (WHERE measure = 'mean_absolute_error') >= 1, false)::int FROM dpobj.residuals('low', '{0}', {e})$$);
-- A model that says yes with more than even odds where target is 1; the row's label changes.
CREATE TABLE audit.odds AS SELECT sign(i % 2 - 0.5)::float8 AS target, i % 2 = 1 AS y FROM generate_series(1, 1000) i;
SELECT dpobj.protect('audit.odds', '{"target": {}, "y": {}}'), dpobj.set_budget('audit.odds', quote_ident(session_user)::regrole, 1000, 0);
SELECT dpobj.train('audit.odds', 'y', 1000, '{target}', method => 'logistic', name => 'odds');
SELECT audit.add_call('dpobj.calibration', 1, 0, '[[[[1], true, 1]], [[[1], false, 1]]]',
                      $$SELECT coalesce(bool_or(share = 1), false)::int FROM dpobj.calibration('odds', '{0}', {e}, options => '{"bins": 2}') WHERE bin_low = 0.5$$);

-- the row changes its use and its bin in both columns
SELECT audit.add_call('dpobj.profile', 1, 0, '[[[[1], true, 0]], [[[1], null, 5]]]',
                      $$SELECT (bool_and(rows >= 1) FILTER (WHERE bin IN ('usable', '-1 to 1', 'true'))
                                AND bool_and(rows <= 0) FILTER (WHERE bin IN ('not usable', 'above 1') OR ("column" = 'y' AND bin = 'NULL')))::int
                        FROM dpobj.profile('{0}', {e})$$);
-- A level is suggested from 7 rows on, as drawn: a row leaves the six of "a" and joins the seven of "b".
SELECT audit.add_call('dpobj.suggest', 1, 0,
                      (SELECT jsonb_agg(side ORDER BY a DESC)
                         FROM (SELECT a, jsonb_agg(jsonb_build_array(ARRAY[1], NULL, NULL, CASE WHEN i <= a THEN 'a' ELSE 'b' END)) AS side
                                 FROM unnest('{6,5}'::int[]) a, generate_series(1, 13) i GROUP BY a) s),
                      $$SELECT coalesce(s #> '{part,levels}' ? 'a' AND NOT s #> '{part,levels}' ? 'b', false)::int FROM dpobj.suggest('{0}', {e}, (SELECT jsonb_build_object('part', '["a", "b"]' || jsonb_agg('c' || i)) FROM generate_series(1, 23) i)) s$$);

-- ---- dpobj.train ----

SELECT audit.add_call('dpobj.train', 1, 0,
  '[[[[1], true, 1], [[1], true, 1], [[1], true, 1]], [[[1], true, 1], [[1], true, 1], [[1], false, 1]]]',
  $$SELECT (dpobj.train('{0}', 'y', {e}, '{target}', options => '{"grid": "sign", "mechanism": "permute_flip", "intercept": false, "force": true}')).weights[1]$$);
-- The same with the model's table of the rows that it learned from, for a half of epsilon, and of rows held out by coins.
SELECT audit.add_call('dpobj.train, rated on ' || v.rows, 1, 0,
  '[[[[1], true, 1], [[1], true, 1], [[1], true, 1]], [[[1], true, 1], [[1], true, 1], [[1], false, 1]]]',
  format($$SELECT ((m).weights[1] = 1 AND (t).no <= 0 AND (t).yes >= %s)::int
             FROM dpobj.train('{0}', 'y', {e}, '{target}', options => '{"grid": "sign", "mechanism": "permute_flip", "intercept": false, "force": true}'::jsonb || %L || jsonb_build_object('rate', {e} * %s)) m,
                  LATERAL (SELECT (c ->> 0)::float8 AS yes, (c ->> 1)::float8 AS no FROM (SELECT (m).details #> '{rating,counts,7}') s(c)) t$$,
         v.least, v.options, v.share), least_epsilon => 2e-9)
  FROM (VALUES ('its rows', 3, '{"holdout": false}'::jsonb, 0.5), ('others', 1, '{}', 1)) v(rows, least, options, share);

-- ---- looks at a person with the most rows: all of them, in 300 cells, become rows of no cell ----
-- A cell is a draw, of 600 rows: an answer near an end of the range is a double, which rounds to 1,024 counts.

CREATE TABLE audit.far_0 AS SELECT 1 AS who, cell, 1::float8 AS amount, true AS y FROM generate_series(1, 300) cell, generate_series(1, 600);
CREATE TABLE audit.far_1 AS SELECT 1 AS who, NULL::int AS cell, NULL::float8 AS amount, NULL::boolean AS y FROM audit.far_0;
SELECT dpobj.protect(t, jsonb_build_object('amount', '{"clip": [0, 1]}'::jsonb, 'y', '{}'::jsonb,
                                           'cell', jsonb_build_object('levels', (SELECT jsonb_agg(i) FROM generate_series(1, 300) i))),
                     person => 'who', max_rows_per_person => 2147483647),
       dpobj.set_budget(t, quote_ident(session_user)::regrole, 1, 0)
  FROM unnest('{audit.far_0,audit.far_1}'::regclass[]) t;
-- What is not near an end counts as 0, so that the ends are cells of their own.
CREATE FUNCTION audit.near(value float8, limits float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  'SELECT CASE WHEN abs(value) > 0.999999 * limits THEN value ELSE 0 END';
INSERT INTO audit.pair (name, epsilon, delta, copies, least, statement)
  SELECT name || ' of a person, at the ends', 1e-9, 0, copies, least, replace(statement, '{t}', 'audit.far_{side}')
    FROM (VALUES ('dpobj.count by groups', 300, 1200, $$SELECT audit.near(value, 2 ^ 63) FROM dpobj.count('{t}', 1e-9, '{cell}')$$),
                 ('dpobj.sum by groups', 300, 300, $$SELECT audit.near(value, 2 ^ 40) FROM dpobj.sum('{t}', 'amount', 1e-9, '{cell}')$$),
                 ('dpobj.avg by groups', 300, 300, $$SELECT coalesce(value, -1) FROM dpobj.avg('{t}', 'amount', 1e-9, '{cell}')$$),
                 ('dpobj.histogram by groups', 900, 3600, $$SELECT audit.near(value, 2 ^ 63) FROM dpobj.histogram('{t}', 'y', 1e-9, '{cell}')$$),
                 ('dpobj.quantiles by groups', 300, 300, $$SELECT value FROM dpobj.quantiles('{t}', 'amount', '{0.5}', 1e-9, '{cell}')$$),
                 ('dpobj.profile', 300, 300, $$SELECT audit.near(rows, 2 ^ 63) FROM dpobj.profile('{t}', 1e-9)$$)) v(name, copies, least, statement);

-- The calibration for batches, the calls of opsamp and a pool take long, choices and counts hardly any time.
UPDATE audit.pair SET share = 4 WHERE name ~ 'poisson|fixed|opsamp';
UPDATE audit.pair SET share = 2 WHERE name ~ '(opdisc|rspm), gaussian|pool';
UPDATE audit.pair SET share = 0.5 WHERE name ~ 'dp_(ftrl|accuracy|confusion|select|count|sum|avg|histogram|quantiles)|dpobj.(count|profile|suggest|residuals|calibration)';
UPDATE audit.pair SET share = 0 WHERE least > 0;
UPDATE audit.pair SET share = share / (SELECT avg(share) FROM audit.pair);

SELECT audit.make_tables(p) FROM audit.pair p WHERE rows IS NOT NULL;
SELECT dpobj.protect(format('audit.rows_%s_%s', place, side)::regclass, '{"target": {}, "y": {}}', n => CASE WHEN name ~ 'rated' THEN 3 END),
       dpobj.set_budget(format('audit.rows_%s_%s', place, side)::regclass, quote_ident(session_user)::regrole, 1000000, 0)
  FROM audit.pair, generate_series(0, 1) side WHERE rows IS NOT NULL AND statement ~ 'dpobj\.';

-- Draws on both sides in turn until the time is up and there are enough draws; their number does not
-- depend on what was drawn.  A worker takes one pair in so many.  seconds is the mean time of a pair: one that
-- takes longer leaves less for the next ones.
CREATE PROCEDURE audit.run(worker int, workers int, seconds float8, enough int) LANGUAGE plpgsql AS $$
DECLARE
  p audit.pair;
  stop timestamptz := clock_timestamp();
  draws int;
BEGIN
  FOR p IN SELECT (t.pair).* FROM (SELECT q AS pair, row_number() OVER (PARTITION BY least > 0 ORDER BY place) AS number FROM audit.pair q) t
            WHERE number % workers = worker ORDER BY (pair).place LOOP
    draws := 0;
    stop := stop + seconds * p.share * interval '1 s';
    LOOP
      FOR side IN 0 .. 1 LOOP
        EXECUTE format('INSERT INTO audit.draw SELECT %s, %s, s.outcome FROM (%s) AS s(outcome)', p.place, side,
                       replace(replace(p.statement, '{side}', side::text), '{0}', format('audit.rows_%s_%s', p.place, side)));
        COMMIT;
      END LOOP;
      draws := draws + p.copies;
      EXIT WHEN clock_timestamp() > stop AND draws >= greatest(enough, p.least);
    END LOOP;
  END LOOP;
END $$;
