-- Labels of text, enums and integers, whose values are declared: at the owner's door by options, at the analyst's by dpobj.protect.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL login_roles('dpobj_labels_ana');
CREATE TYPE stage AS ENUM ('early', 'late', 'gone');
CREATE DOMAIN verdict AS text;
-- Of 900 rows a third says yes, a third no, and the others neither; the first feature is 1 exactly for yes.
CREATE TABLE reply (id int PRIMARY KEY, x float8[] CHECK (cardinality(x) = 2), t text, v varchar(20), c char(8), e stage, d verdict, k int, b boolean, f float8, n numeric, day date);
INSERT INTO reply SELECT i, ARRAY[(i % 3 = 0)::int, i % 2], o, o, o, (enum_range(NULL::stage))[1 + i % 3], o, i % 3, i % 3 = 0, i % 3, i % 3, '2024-01-01'
  FROM generate_series(1, 900) i, LATERAL (SELECT (ARRAY['yes', 'no', 'perhaps'])[1 + i % 3] AS o) s;
CREATE FUNCTION learn(label text, options text) RETURNS text LANGUAGE sql RETURN
  format($$SELECT (dp_halfspace(x, %s, 1000.0, 0, '{"grid": "ternary", "intercept": true%s}')).weights FROM reply$$, label, options);
-- Every other value is negative, or, if negative values are given, none.  The sums of the rows say so at epsilon 1000.
SELECT label, options, answer_of(learn(label, options)) AS weights
  FROM (VALUES ('t', ', "positive": "yes"'), ('t', ', "positive": ["yes"], "negative": "no"'), ('t', ', "positive": ["no", "perhaps"]'), ('v', ', "positive": "yes"'), ('c', ', "positive": "yes"'),
               ('d', ', "positive": "yes"'), ('e', ', "positive": "early"'), ('k', ', "positive": 0'), ('k', ', "positive": [0], "negative": [1, 2]'), ('b', '')) s(label, options);
-- who is neutral: with yes against no only 600 rows count
CREATE TABLE answer_model AS
  SELECT dp_logistic(x, t, 1000.0, 0, '{"positive": "yes", "negative": "no"}') AS yes_no, dp_logistic(x, t, 1000.0, 0, '{"positive": "yes"}') AS yes,
         dp_halfspace(x, k, 1000.0, 0, '{"positive": 0, "grid": "ternary", "intercept": true}') AS zero, dp_logistic(x, b, 1000.0, 0) AS plain FROM reply;
SELECT (yes_no).details -> 'options' AS options FROM answer_model;
SELECT (dp_confusion((SELECT yes_no FROM answer_model), x, t, 1000.0)).* FROM reply;
SELECT (dp_confusion((SELECT yes FROM answer_model), x, v, 1000.0)).* FROM reply;
SELECT (dp_confusion((SELECT zero FROM answer_model), x, k, 1000.0)).* FROM reply;
SELECT (dp_confusion((SELECT yes FROM answer_model), x, b, 1000.0)).* FROM reply;
SELECT dp_accuracy((SELECT yes FROM answer_model), x, d, 1000.0), dp_select(ARRAY[(SELECT yes FROM answer_model), (SELECT yes FROM answer_model)], x, t, 1000.0) > 0 AS chosen FROM reply;
SELECT g.key, (g.model).weights[1] > 0 AS learnt FROM unnest((SELECT dp_groups((id % 2)::text, x, t, 1000.0, 0, '{"keys": ["0", "1"], "method": "logistic", "positive": "yes", "dimension": 2}') FROM reply)) g;

-- Text categories with declared levels, and a label of text, in one statement.
SELECT (m).weights, (m).details -> 'dimension' AS dimension FROM (SELECT dp_halfspace(dpobj.features('{"v": {"levels": ["yes", "no", "perhaps"]}}', r), t, 1000.0, 0, '{"grid": "sign", "groups": [3], "positive": ["yes"]}') AS m FROM reply r) s;

-- Refused before anything is charged.
CREATE TEMP TABLE before AS SELECT count(*) AS charges FROM dpobj.ledger;
SELECT label, options, replace(answer_of(learn(label, options)), E'\n', ' | ') AS answer
  FROM (VALUES ('t', ''), ('e', ''), ('t', ', "negative": "no"'), ('k', ', "negative": 0'), ('b', ', "positive": true'), ('f', ', "positive": 1'), ('n', ', "positive": 1'), ('day', ', "positive": "2024-01-01"'),
               ('t', ', "positive": 1'), ('t', ', "positive": null'), ('t', ', "positive": []'), ('t', ', "positive": {}'), ('t', ', "positive": ["yes", null]'), ('t', ', "positive": ["yes", "yes"]'),
               ('t', ', "positive": "yes", "negative": ["no", "yes"]'), ('t', ', "positive": "yes", "negative": []'), ('c', ', "positive": "yes", "negative": "yes  "'), ('e', ', "positive": "Early"'), ('k', ', "positive": "yes"'),
               ('k', ', "positive": 1.5')) s(label, options);
SELECT dp_simplex(x, f, 1.0, 0, '{"n": 900, "positive": "yes"}') FROM reply;
SELECT dp_halfspace(x, t, 1.0, 0) FROM reply WHERE false;
SELECT dp_accuracy((SELECT plain FROM answer_model), x, t, 1.0) FROM reply;
SELECT dp_accuracy((SELECT yes FROM answer_model), x, k, 1.0) FROM reply;
SELECT dp_select(ARRAY[(SELECT yes FROM answer_model), (SELECT yes_no FROM answer_model)], x, t, 1.0) FROM reply;
SELECT dp_accuracy(ROW('halfspace', 'by hand', '{1,0}', 1, 0, 'replace', 'exact', 0, '{"options": {"positive": []}}')::dp_model, x, t, 1.0) FROM reply;
SELECT dp_accuracy(ROW('halfspace', 'by hand', '{1,0}', 1, 0, 'replace', 'exact', 0, '{"options": {"positive": null}}')::dp_model, x, t, 1.0) FROM reply;
SELECT count(*) - (SELECT charges FROM before) AS charges FROM dpobj.ledger;
-- a select of equal rules, and a condition where the rules differ
SELECT dp_select(ARRAY[(SELECT yes FROM answer_model), (SELECT yes_no FROM answer_model)], x, t = 'yes', 1000.0) > 0 AS chosen FROM reply;
SELECT p ->> 'method' AS method FROM dpobj.price_aggregate('halfspace', 2, 1, 0, '{"n": 900, "positive": "yes", "negative": ["no"]}') p;

-- No value of a row raises an error: NULL, a long text, another encoding of the same word.
CREATE TABLE odd (x float8[], t text);
INSERT INTO odd VALUES ('{1,0}', NULL), ('{1,0}', repeat('y', 100000)), (NULL, 'yes'), ('{1}', 'yes'), ('{1,0}', ''), ('{1,0}', 'Yes'), ('{1,0}', 'yes ');
SELECT cardinality((dp_halfspace(x, t, 1.0, 0, '{"dimension": 2, "positive": "yes", "negative": "no"}')).weights) FROM odd;

-- Declared for analysts.
SELECT dpobj.protect('reply', '{"f": {"scale": 2}, "n": {"scale": 2}, "t": {"positive": ["yes"], "negative": ["no"]}, "v": {"positive": ["yes"]}}', n => 900);
SELECT dpobj.set_budget('reply', NULL, 100000, 0), dpobj.set_budget('reply', 'dpobj_labels_ana', 100000, 0), dpobj.grant_trainer('dpobj_labels_ana');
SELECT label, (SELECT format('%s positive, %s negative', sum(positive), sum(negative)) FROM dpobj_internal.scan_rows('reply', label)) FROM (VALUES ('t'), ('v')) s(label);
SELECT answer FROM answers($$SELECT dpobj.protect('reply', '{"t": %}')$$, '{"negative": ["no"]}', '{"positive": ["yes"], "negative": []}', '{"positive": ["yes"], "negative": "no"}',
  '{"positive": ["yes"], "negative": ["no", "yes"]}', '{"positive": ["yes"], "negative": [1]}', '{"levels": ["yes"], "negative": ["no"]}');

-- A filter names declared values, so that a misspelt one is refused and not bought; the hint knows case and blanks, from declarations alone.
CREATE TABLE client (id int PRIMARY KEY, plan text, tier stage, floor int, city text, kept text, share numeric, since date);
SELECT dpobj.protect('client', '{"plan": {"levels": ["basic", "gold plan", "\u00c4lter", "no"], "null": "no"}, "tier": {"levels": ["early", "late"]}, "floor": {"levels": [1, 2, 30], "drop_first": true},
  "city": {"positive": ["Rome"]}, "kept": {"positive": ["yes"], "negative": ["no", "never"]}, "share": {"positive": [0.5], "negative": [1]}, "since": {"epoch_of": "day", "scale": 10}}', n => 900);
SELECT dpobj.set_budget('client', NULL, 1000, 0), dpobj.set_budget('client', 'dpobj_labels_ana', 1000, 0);
\c - dpobj_labels_ana
SELECT * FROM answers($$SELECT dpobj.price('client', label => 'kept', epsilon => 1, features => '{floor}', filter => '%') -> 'dimension'$$,
  '{"plan": {"=": "Basic"}}', '{"plan": {"=": "gold_plan"}}', '{"plan": {"=": " goldplan"}}', '{"plan": {"in": ["basic", "Gold Plan"]}}', '{"plan": {"=": 1}}', '{"tier": {"=": "Early"}}', '{"tier": {"=": "gone"}}',
  '{"floor": {"=": 3}}', '{"floor": {"in": [1, 30, 31]}}', '{"kept": {"=": "Yes"}}', '{"kept": {"=": "maybe"}}',
  '{"plan": {"=": "basic"}}', '{"plan": {"in": ["no", "gold plan"], "<": "x"}}', '{"plan": {">=": "B"}}', '{"plan": {"is null": false}}', '{"tier": {"<>": "late"}}', '{"floor": {"in": []}}', '{"floor": {"<": 7}}', '{"kept": {"in": ["yes", "never"]}}',
  '{"city": {"=": "rome"}}', '{"share": {"=": 0.7}}', '{"id": {"=": -1}}', '{"since": {"=": "2024-01-01"}}');
-- the same at every function that takes a filter, before the charge
SELECT * FROM answers($$SELECT %$$, $$dpobj.train('client', 'kept', 1, filter => '{"plan": {"=": "Basic"}}')$$, $$dpobj.train_groups('client', 'kept', 1, by => '{plan}', filter => '{"plan": {"=": "Basic"}}')$$,
  $$dpobj.submit('client', 'kept', 1, name => 'kept', filter => '{"plan": {"=": "Basic"}}')$$);
\c - postgres
SELECT count(*) AS charges FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.client';
\c - dpobj_labels_ana
SELECT dpobj.train('reply', label => 't', epsilon => 1, options => '{"positive": "no"}');
SELECT (dpobj.train('reply', label => 't', epsilon => 1000, name => 'reply yes or no')).details -> 'encoders' -> 't' AS label;
SELECT dpobj.evaluate('reply yes or no', 'reply', epsilon => 1000) > 0.4 AS rated;
SELECT dpobj.evaluate('reply yes or no', 'reply', epsilon => 1000, filter => '{"t": {"=": "YES"}}');
