-- Tables that teach nothing, and declarations that are far off: every method answers, or refuses before the charge.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_bad_ana');
CREATE TABLE sample AS SELECT i, i / 500.0::float8 AS a, CASE WHEN i > 250 THEN 'x' ELSE 'z' END AS c, i > 250 AS f, i > 250 AS y FROM generate_series(1, 500) i;
CREATE TABLE of_separable AS TABLE sample;
CREATE TABLE of_constants AS SELECT i, 1.0::float8 AS a, 'x' AS c, true AS f, i % 2 = 0 AS y FROM sample;
CREATE TABLE of_one_label AS SELECT i, a, c, f, true AS y FROM sample;
CREATE TABLE of_one_row AS TABLE sample LIMIT 1;
CREATE TABLE of_no_row AS TABLE sample LIMIT 0;
CREATE TABLE of_no_level AS SELECT i, a, 'w' AS c, f, y FROM sample;
CREATE TABLE of_nulls AS SELECT i, NULL::float8 AS a, NULL AS c, NULL::boolean AS f, y FROM sample;
CREATE TABLE of_infinities AS SELECT i, 'infinity'::float8 * (CASE WHEN y THEN 1 ELSE -1 END) AS a, c, f, y FROM sample;
CREATE TABLE said_one AS TABLE sample;
CREATE TABLE said_billion AS TABLE sample;
CREATE TABLE said_none AS TABLE sample;
SELECT array_agg(relname::text ORDER BY relname) AS tables FROM pg_class WHERE relname ~ '^(of|said)_' AND relkind = 'r' \gset
SET client_min_messages = error; -- of the large delta
SELECT count(dpobj.protect(t::regclass, '{"a": {"clip": [0, 1]}, "c": {"levels": ["x", "z", "q"]}, "f": {}, "y": {}}',
  n => CASE t WHEN 'said_one' THEN 1 WHEN 'said_billion' THEN 1000000000 WHEN 'of_one_row' THEN 1 WHEN 'said_none' THEN NULL ELSE 500 END)),
       count(dpobj.set_budget(t::regclass, 'dpobj_bad_ana', 100000, 0.1)) FROM unnest(:'tables'::text[]) t;

-- The analyst's door: weights, or what is refused; at an epsilon that says nothing, and at one that hides nothing.  Noisy counts of usable rows warn of tables
-- that teach nothing, and by chance where a billion rows were declared.
ALTER ROLE dpobj_bad_ana SET client_min_messages = error;
\c - dpobj_bad_ana
SELECT method, t, count(*) FILTER (WHERE answer = '6') AS answered, min(answer) FILTER (WHERE answer <> '6') AS refused
  FROM unnest(:'tables'::text[]) t, (VALUES (0.01, 0), (100, 0.001)) e(epsilon, delta),
       (VALUES ('auto', ''), ('logistic', ''), ('svm', ''), ('logistic', '"mechanism": "pool"'), ('logistic', '"loss": "clipped_logistic", "noise": "knorm"')) v(name, option),
       LATERAL (SELECT concat_ws(', ', name, nullif(option, '')) AS method, replace(answer_of(format(
         'SELECT cardinality((dpobj.train(%L, ''y'', %s, ''{a,c,f}'', %s, %L, ''{%s"force": true}'')).weights)', t, epsilon, delta, name, option || left(', ', 2 * length(option)))), E'\n', ' | ') AS answer OFFSET 0) w
 GROUP BY method, t HAVING count(*) FILTER (WHERE answer <> '6') > 0 OR t = 'of_no_row' ORDER BY method, t;
SELECT count(*) FILTER (WHERE event = 'charged') AS charged, count(*) FILTER (WHERE event = 'released') AS released, count(*) FILTER (WHERE event NOT IN ('charged', 'released')) AS others
  FROM dpobj.ledger WHERE event NOT IN ('protect', 'set_budget');

-- Looks, models of several classes and models of a number, and what rates them: an answer with its interval, also for groups without rows.
SELECT (dpobj.train('of_separable', 'c', 100, '{a,f}', name => 'classes')).kind, (dpobj.train('of_separable', 'a', 100, '{c,f}', method => 'linear', name => 'number')).kind AS other;
SELECT (dpobj.train('of_separable', 'y', 100, '{a,f}', method => 'halfspace', name => 'points')).kind, (dpobj.train('of_separable', 'y', 100, '{a,f}', method => 'logistic', name => 'chance')).kind AS other;
SELECT call, count(*) FILTER (WHERE answer = 'true') AS answered, min(answer) FILTER (WHERE answer <> 'true') AS refused
  FROM unnest(:'tables'::text[]) t, (VALUES (0.01), (1000)) e(epsilon),
       (VALUES ('count', $$count(*) = 6 AND bool_and(low <= high) FROM dpobj.count(%L, %s, '{c,f}')$$), ('sum', $$count(*) = 3 AND bool_and(value BETWEEN low AND high) FROM dpobj.sum(%L, 'a', %s, '{c}')$$),
               ('avg', $$count(*) = 3 AND bool_and(0 <= low AND low <= high AND high <= 1) FROM dpobj.avg(%L, 'a', %s, '{c}')$$), ('histogram', $$count(*) = 10 AND bool_and(low <= high) FROM dpobj.histogram(%L, 'c', %s, '{f}')$$),
               ('quantiles', $$count(*) = 6 AND bool_and(value BETWEEN 0 AND 1) FROM dpobj.quantiles(%L, 'a', '{0.1,0.9}', %s, '{c}')$$), ('profile', $$count(*) = 17 AND bool_and(low <= high) FROM dpobj.profile(%L, %s)$$),
               ('residuals', $$count(*) = 2 AND bool_and(low <= high) FROM dpobj.residuals('number', %L, %s)$$), ('evaluate, a number', $$coalesce(dpobj.evaluate('number', %L, %s), 0) <= 1$$),
               ('evaluate, classes', $$coalesce(dpobj.evaluate('classes', %L, %s), 0) BETWEEN 0 AND 1$$), ('confusion, classes', $$count(*) = 9 AND bool_and(label IN ('x', 'z', 'q')) FROM dpobj.confusion('classes', %L, %s)$$),
               ('evaluate', $$coalesce(dpobj.evaluate('points', %L, %s), 0) BETWEEN 0 AND 1$$), ('evaluate, rows held out', $$coalesce(dpobj.evaluate('points', %L, %s, options => '{"holdout": 0.5}'), 0) BETWEEN 0 AND 1$$),
               ('confusion', $$count(rows) = 4 FROM dpobj.confusion('points', %L, %s)$$), ('auc', $$count(*) = 1 AND bool_and(0 <= low AND low <= high AND high <= 1) FROM dpobj.auc('points', %L, %s)$$),
               ('auc of probabilities', $$count(*) = 1 AND bool_and(0 <= low AND low <= high AND high <= 1) FROM dpobj.auc('chance', %L, %s)$$), ('calibration', $$count(*) = 10 AND bool_and(0 <= low AND low <= high AND high <= 1) FROM dpobj.calibration('chance', %L, %s)$$),
               ('softmax, rows held out', $$cardinality((dpobj.train(%L, 'c', %s, '{a,f}', options => '{"holdout": 0.9, "force": true}')).weights) = 9$$),
               ('softmax', $$cardinality((dpobj.train(%L, 'c', %s, '{a,f}', options => '{"force": true}')).weights) = 9$$), ('linear', $$cardinality((dpobj.train(%L, 'a', %s, '{c,f}', method => 'linear', options => '{"force": true}')).weights) = 5$$),
               ('a class against the others', $$cardinality((dpobj.train(%L, 'c', %s, '{a,f}', method => 'logistic', options => '{"positive": "q", "force": true}')).weights) = 3$$)) v(call, statement),
       LATERAL (SELECT replace(answer_of(format('SELECT ' || statement, t, epsilon)), E'\n', ' | ') AS answer OFFSET 0) w GROUP BY call ORDER BY call;
SELECT count(*) AS compared, bool_and(0 <= low AND low <= high AND high <= 1) AS ordered FROM dpobj.drifts;
SELECT count(*) FILTER (WHERE event NOT IN ('charged', 'released')) AS others FROM dpobj.ledger WHERE event NOT IN ('protect', 'set_budget');

-- The aggregates, on the same rows.
\c - postgres
SELECT model::text AS classes FROM dpobj.models WHERE name = 'classes' \gset
SELECT call, count(*) FILTER (WHERE answer = 'true') AS answered, min(answer) FILTER (WHERE answer <> 'true') AS refused
  FROM unnest(:'tables'::text[]) t, (VALUES (0.01), (1000)) e(epsilon),
       (VALUES ('dp_count', '(dp_count(%s)).low >= 0'), ('dp_sum', '(dp_sum(a, 0, 1, %s)).low IS NOT NULL'), ('dp_avg', '(dp_avg(a, 0, 1, %s)).low BETWEEN 0 AND 1'), ('dp_histogram', $$cardinality(dp_histogram(c, '{x,z,q}', %s)) = 5$$),
               ('dp_quantiles', $$(dp_quantiles(a, '{0.1,0.9}', 0, 1, %s))[2].value BETWEEN 0 AND 1$$), ('dp_softmax', $$cardinality((dp_softmax(ARRAY[a, a], c, %s, 0, '{"classes": ["x", "z", "q"]}')).weights) = 9$$),
               ('dp_linear', $$cardinality((dp_linear(ARRAY[a, a], a, %s, 0, '{"target": [0, 1]}')).weights) = 3$$), ('dp_accuracy', format('coalesce(dp_accuracy(%L::dp_model, ARRAY[a, a], c, %%s), 0) BETWEEN 0 AND 1', :'classes')),
               ('dp_class_confusion', format('cardinality(dp_class_confusion(%L::dp_model, ARRAY[a, a], c, %%s)) = 9', :'classes'))) v(call, expression),
       LATERAL (SELECT replace(answer_of(format('SELECT ' || expression || ' FROM %I', epsilon, t)), E'\n', ' | ') AS answer OFFSET 0) w GROUP BY call ORDER BY call;
-- A column whose type has changed since it was declared is named before the charge; the others answer.
CREATE TABLE changed AS TABLE sample;
SELECT dpobj.protect('changed', '{"a": {"clip": [0, 1]}, "c": {"levels": ["x", "z", "q"]}, "f": {}, "y": {}}', n => 500), dpobj.set_budget('changed', 'dpobj_bad_ana', 100, 0);
ALTER TABLE changed ALTER a TYPE text, ALTER c TYPE int USING i;
\c - dpobj_bad_ana
SELECT * FROM answers($$SELECT dpobj.% IS NOT NULL$$, $$count('changed', 1, '{c}')$$, $$count('changed', 1, NULL, '{"c": {"=": 1}}')$$, $$sum('changed', 'a', 1)$$, $$avg('changed', 'a', 1)$$, $$histogram('changed', 'c', 1)$$, $$quantiles('changed', 'a', '{0.5}', 1)$$,
  $$profile('changed', 1)$$, $$residuals('number', 'changed', 1)$$, $$evaluate('classes', 'changed', 1)$$, $$confusion('points', 'changed', 1)$$, $$auc('points', 'changed', 1)$$, $$calibration('chance', 'changed', 1)$$, $$train('changed', 'c', 1, '{f}')$$, $$train('changed', 'a', 1, '{f}', method => 'linear')$$, $$submit('train', 'changed', '{"label": "c", "epsilon": 1, "features": ["f"]}', 'changed')$$);
SELECT epsilon = 100 AS nothing_charged FROM dpobj.remaining('changed');
SELECT count(*) AS groups FROM dpobj.count('changed', 1, '{f}');

-- The aggregates of convex models, on the same rows.
\c - postgres
SELECT call, t, count(*) FILTER (WHERE answer = '3') AS answered, min(answer) FILTER (WHERE answer <> '3') AS refused
  FROM unnest(:'tables'::text[]) t, (VALUES (0.01, 0), (100, 0.001)) e(epsilon, delta), (VALUES ('dp_logistic', ''), ('dp_svm', ''), ('dp_logistic', ', "n": 500, "mechanism": "pool"')) v(call, option),
       LATERAL (SELECT replace(answer_of(format('SELECT cardinality((%s(ARRAY[a, a], y, %s, %s, ''{"dimension": 2%s}'')).weights) FROM %I', call, epsilon, delta, option, t)), E'\n', ' | ') AS answer OFFSET 0) w
 GROUP BY call, t HAVING count(*) FILTER (WHERE answer <> '3') > 0 OR t = 'of_no_row' ORDER BY call, t;
-- So do those that choose by themselves, with one-hot groups that may never be hot, and rows that are declared far off.
SELECT call, n, t, count(*) FILTER (WHERE answer ~ '^[56]$') AS answered, min(answer) FILTER (WHERE answer !~ '^[56]$') AS refused
  FROM unnest(:'tables'::text[]) t, (VALUES (0.01, 0), (100, 0.001)) e(epsilon, delta), (VALUES ('dp_classifier'), ('dp_halfspace')) v(call), (VALUES (1), (500), (1000000000)) d(n),
       LATERAL (SELECT replace(answer_of(format('SELECT cardinality((%s(ARRAY[(c = ''x'')::int, (c = ''z'')::int, (c = ''q'')::int, f::int, a], y, %s, %s, ''{"dimension": 5, "n": %s, "groups": [3, 1, 1], "numeric": [5]}'')).weights) FROM %I', call, epsilon, delta, n, t)), E'\n', ' | ') AS answer OFFSET 0) w
 GROUP BY call, n, t HAVING count(*) FILTER (WHERE answer !~ '^[56]$') > 0 OR t = 'of_no_row' ORDER BY call, n, t;
-- Wide rows and wide bounds are nothing to real weights, up to the limit of every method; a halfspace of a grid is refused.
SELECT method, d, clip, replace(answer_of(format('SELECT cardinality((%s(array_fill(a, ARRAY[%s]), y, 1.0, 0, ''{"n": 500, "dimension": %2$s, "clip": [-%s, %3$s]%s}'')).weights) FROM sample', method, d, clip, option)), E'\n', ' | ') AS answer
  FROM (VALUES ('dp_logistic', ''), ('dp_logistic', ', "mechanism": "pool"'), ('dp_svm', ''), ('dp_classifier', ''), ('dp_halfspace', '')) v(method, option), (VALUES (127, 1), (127, 1000)) w(d, clip);
-- More rows than are declared: what can bear them answers.  The rest is refused to an analyst before the charge by the room of a table whose number of rows is public, and takes longer
-- elsewhere, as nothing may tell how many rows there are.  Rows that are declared right are no reason to refuse, however much room there is.
CREATE TABLE many_replace AS SELECT i, i / 20000.0::float8 AS a, i % 7 / 7.0::float8 AS b, i % 11 / 11.0::float8 AS c, i % 13 / 13.0::float8 AS d, i % 3 > 0 AS y FROM generate_series(1, 20000) i;
CREATE TABLE many_add_remove AS TABLE many_replace;
CREATE TABLE many_declared AS TABLE many_replace;
SELECT count(dpobj.protect(t::regclass, '{"a": {"clip": [0, 1]}, "b": {"clip": [0, 1]}, "c": {"clip": [0, 1]}, "d": {"clip": [0, 1]}, "y": {}}', n => n, adjacency => adjacency)),
       count(dpobj.set_budget(t::regclass, 'dpobj_bad_ana', 100, 0.1))
  FROM (VALUES ('many_replace', 10, 'replace'), ('many_add_remove', 10, 'add_remove'), ('many_declared', 20000, 'replace')) v(t, n, adjacency);
SET dpobj.longest_run = 1;
SELECT * FROM answers($$SELECT cardinality((dp_halfspace(ARRAY[a, b, c, d], y, 1.0, 0, '{"dimension": 4, %}')).weights) FROM many_add_remove WHERE i <= 2000$$,
  '"n": 10, "grid": {"max": 16}', '"n": 20000, "grid": {"max": 16}', '"n": 10, "grid": {"max": 4}');
RESET dpobj.longest_run;
ALTER ROLE dpobj_bad_ana SET dpobj.longest_run = 1;
ALTER ROLE dpobj_bad_ana SET dpobj.release_tick = 0;
\c - dpobj_bad_ana
SELECT t, g, replace(answer_of(format('SELECT cardinality((dpobj.train(%L, ''y'', 1, ''{a,b,c,d}'', 0, ''halfspace'', ''{"grid": {"max": %s}, "intercept": false, "force": true}'')).weights)', t, g)), E'\n', ' | ') AS answer
  FROM (VALUES ('many_replace', 10), ('many_replace', 4), ('many_add_remove', 16), ('many_add_remove', 4), ('many_declared', 10)) v(t, g);
\c - postgres
SELECT relation, event, count(*) FROM dpobj.ledger WHERE relation::text ~ '^many_' AND event IN ('charged', 'released', 'failed') GROUP BY relation, event ORDER BY relation::text, event;
DROP TABLE sample, changed, many_replace, many_add_remove, many_declared CASCADE;
SELECT format('DROP TABLE %I CASCADE', t) FROM unnest(:'tables'::text[]) t \gexec
DROP OWNED BY dpobj_bad_ana;
DROP ROLE dpobj_bad_ana;
