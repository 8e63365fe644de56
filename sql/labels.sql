-- Labels of text, enums and integers, whose values are declared: at the owner's door by options, at the analyst's by dpobj.protect.
\i tests/answers.sql
\i tests/scan/functions.sql
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
SELECT dpobj.protect('reply', '{"f": {"scale": 2}, "n": {"scale": 2}, "t": {"positive": ["yes"], "negative": ["no"]}, "v": {"positive": ["yes"], "negative": ["no", "perhaps"]}, "k": {"positive": [2], "negative": [0]}, "b": {}}', n => 900);
SELECT dpobj.set_budget('reply', NULL, 100000, 0), dpobj.set_budget('reply', 'dpobj_labels_ana', 100000, 0), dpobj.grant_trainer('dpobj_labels_ana');
SELECT label, (SELECT format('%s positive, %s negative', sum(positive), sum(negative)) FROM scan_rows('reply', label)) FROM (VALUES ('t'), ('v')) s(label);
-- A text label names both sides: the positive values alone, in a spelling that no row has, would make every row negative.
SELECT answer FROM answers($$SELECT dpobj.protect('reply', '{"t": %}')$$, '{"positive": ["Yes"]}', '{"negative": ["no"]}', '{"positive": ["yes"], "negative": []}', '{"positive": ["yes"], "negative": "no"}',
  '{"positive": ["yes"], "negative": ["no", "yes"]}', '{"positive": ["yes"], "negative": [1]}', '{"levels": ["yes"], "negative": ["no"]}');

-- A filter names declared values, so that a misspelt one is refused and not bought; the hint knows case and blanks, from declarations alone.
CREATE TABLE client (id int PRIMARY KEY, plan text, tier stage, floor int, city text, kept text, share numeric, since date);
SELECT dpobj.protect('client', '{"plan": {"levels": ["basic", "gold plan", "\u00c4lter", "no"], "null": "no"}, "tier": {"levels": ["early", "late"]}, "floor": {"levels": [1, 2, 30], "drop_first": true},
  "city": {"positive": ["Rome"], "negative": ["Paris", "Oslo"]}, "kept": {"positive": ["yes"], "negative": ["no", "never"]}, "share": {"positive": [0.5], "negative": [1]}, "since": {"epoch_of": "day", "scale": 10}}', n => 900);
SELECT dpobj.set_budget('client', NULL, 1000, 0), dpobj.set_budget('client', 'dpobj_labels_ana', 1000, 0);
\c - dpobj_labels_ana
SELECT * FROM answers($$SELECT dpobj.price('client', label => 'kept', epsilon => 1, features => '{floor}', options => '{"force": true}', filter => '%') -> 'dimension'$$,
  '{"plan": {"=": "Basic"}}', '{"plan": {"=": "gold_plan"}}', '{"plan": {"=": " goldplan"}}', '{"plan": {"in": ["basic", "Gold Plan"]}}', '{"plan": {"=": 1}}', '{"tier": {"=": "Early"}}', '{"tier": {"=": "gone"}}',
  '{"floor": {"=": 3}}', '{"floor": {"in": [1, 30, 31]}}', '{"kept": {"=": "Yes"}}', '{"kept": {"=": "maybe"}}',
  '{"plan": {"=": "basic"}}', '{"plan": {"in": ["no", "gold plan"], "<": "x"}}', '{"plan": {">=": "B"}}', '{"plan": {"is null": false}}', '{"tier": {"<>": "late"}}', '{"floor": {"in": []}}', '{"floor": {"<": 7}}', '{"kept": {"in": ["yes", "never"]}}',
  '{"city": {"=": "rome"}}', '{"share": {"=": 0.7}}', '{"id": {"=": -1}}', '{"since": {"=": "2024-01-01"}}');
-- the same at every function that takes a filter, before the charge
SELECT * FROM answers($$SELECT %$$, $$dpobj.train('client', 'kept', 1, filter => '{"plan": {"=": "Basic"}}')$$, $$dpobj.train_groups('client', 'kept', 1, by => '{plan}', filter => '{"plan": {"=": "Basic"}}')$$,
  $$dpobj.submit('train', 'client', '{"label": "kept", "epsilon": 1, "filter": {"plan": {"=": "Basic"}}}', 'kept')$$);
\c - postgres
SELECT count(*) AS charges FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.client';
\c - dpobj_labels_ana
SELECT dpobj.train('reply', label => 't', epsilon => 1, options => '{"positive": "no"}');
SELECT (dpobj.train('reply', label => 't', epsilon => 1000, name => 'reply yes or no')).details -> 'encoders' -> 't' AS label;
SELECT dpobj.evaluate('reply yes or no', 'reply', epsilon => 1000) > 0.4 AS rated;
SELECT label, (dpobj.train('reply', label, 1000, '{b}', options => '{"rate": 0, "coverage_epsilon": 500}', name => label)).details -> 'coverage' ->> 'usable' AS usable FROM unnest('{t,v,k}'::text[]) label;
SELECT dpobj.evaluate('reply yes or no', 'reply', epsilon => 1000, filter => '{"t": {"=": "YES"}}');

-- A label with levels is positive for the levels that the options name, against the others or those that they name; what is no level is of no use.
\c - postgres
CREATE TABLE tariff AS
  SELECT i % 4 = 1 AS gold, i % 3 > 0 AS odd, p AS plan, i % 4 AS code, (ARRAY['late', 'early', 'late', 'gone'])[1 + i % 4]::stage AS tier, p AS vague
    FROM generate_series(1, 1200) i, LATERAL (SELECT (ARRAY['basic', 'gold plan', 'none', 'Gold Plan'])[1 + i % 4] AS p) s;
SELECT dpobj.protect('tariff', '{"gold": {}, "odd": {}, "plan": {"levels": ["basic", "gold plan", "none"], "null": "none", "drop_first": true}, "code": {"levels": [0, 1, 2]}, "tier": {"levels": ["early", "late"]}, "vague": {"positive": ["basic"], "negative": ["gold plan", "none", "Gold Plan"]}}', n => 1200);
SELECT dpobj.set_budget('tariff', NULL, 1000000, 0), dpobj.set_budget('tariff', 'dpobj_labels_ana', 1000000, 0);
\c - dpobj_labels_ana
SELECT label, options, (details -> 'coverage' ->> 'usable')::int AS usable, weights[1] > 0 AS learnt, mechanism, details -> 'encoders' -> label AS declared
  FROM (VALUES ('plan', '"gold plan"'), ('plan', '["gold plan"], "negative": "basic"'), ('plan', '["basic", "none"]'), ('code', '1'), ('tier', '"early"')) v(label, options),
       LATERAL dpobj.train('tariff', label, 1000, '{gold}', options => format('{"rate": 0, "coverage_epsilon": 500, "grid": "ternary", "positive": %s}', options)::jsonb) m;
SELECT (dpobj.train('tariff', 'plan', 1000, '{gold}', options => '{"grid": "ternary", "positive": "gold plan"}', name => 'golden')).kind,
       (dpobj.train('tariff', 'plan', 1000, '{odd}', method => 'logistic', options => '{"positive": "gold plan"}', name => 'odd')).kind AS other,
       (dpobj.train('tariff', 'plan', 1000, '{gold}', options => '{"positive": "none"}', name => 'nothing')).kind AS another,
       (dpobj.train('tariff', 'plan', 1000, '{gold}', name => 'classes')).kind AS classes;
SELECT string_agg(rows::text, '|') FROM dpobj.confusion('golden', 'tariff', 1000);
SELECT dpobj.evaluate('golden', 'tariff', 1000) AS accuracy, dpobj.select('{odd,golden}', 'tariff', 1000) AS chosen;
SELECT count(*) AS groups, bool_and((model).weights[1] > 0) AS learnt FROM dpobj.train_groups('tariff', 'plan', 1000, '{gold}', options => '{"grid": "ternary", "positive": "gold plan"}', by => '{odd}');
SELECT dpobj.submit('train', 'tariff', '{"label": "plan", "epsilon": 1000, "features": ["gold"], "options": {"grid": "ternary", "positive": "gold plan"}}', 'golden job') AS job \gset
SELECT dpobj.wait(:job, '1 min'), (SELECT (model).weights[1] > 0 FROM dpobj.jobs WHERE id = :job) AS learnt;
SELECT p -> 'method' AS method, p -> 'mechanism' AS mechanism FROM dpobj.price('tariff', 'plan', 1000, '{gold}', options => '{"grid": "ternary", "positive": "gold plan"}') p;
-- refused before anything is charged
SELECT epsilon AS before FROM dpobj.remaining('tariff') \gset
SELECT * FROM answers($$SELECT dpobj.train('tariff', %)$$,
  $$'plan', 1, '{gold}', options => '{"positive": "Gold Plan"}'$$, $$'plan', 1, '{gold}', options => '{"positive": ["basic", "silver"]}'$$, $$'plan', 1, '{gold}', options => '{"positive": "basic", "negative": "Gold plan"}'$$,
  $$'plan', 1, '{gold}', options => '{"positive": 1}'$$, $$'plan', 1, '{gold}', options => '{"positive": ["none", "basic", "gold plan"]}'$$, $$'plan', 1, '{gold}', options => '{"positive": "none", "negative": "none"}'$$,
  $$'plan', 1, '{gold}', options => '{"negative": "none"}'$$, $$'plan', 1, '{gold}', options => '{"positive": []}'$$, $$'plan', 1, '{gold}', method => 'softmax', options => '{"positive": "none"}'$$,
  $$'plan', 1, '{gold}', method => 'logistic'$$, $$'code', 1, '{gold}', options => '{"positive": 3}'$$, $$'code', 1, '{gold}', options => '{"positive": "1"}'$$,
  $$'tier', 1, '{gold}', options => '{"positive": "Late"}'$$, $$'tier', 1, '{gold}', options => '{"positive": "gone"}'$$, $$'gold', 1, '{odd}', options => '{"positive": true}'$$,
  $$'vague', 1, '{gold}', options => '{"positive": "none"}'$$);
SELECT * FROM answers('SELECT dpobj.select(%)', $$'{golden,nothing}', 'tariff', 1$$, $$'{golden,classes}', 'tariff', 1$$);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('tariff');
-- The owner's door knows the declaration, too, where the label is a column of the table; a condition may say what it likes.
\c - postgres
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'charged' \gset
SELECT * FROM answers('SELECT (%).kind FROM tariff', $$dp_halfspace(ARRAY[gold::int::float8], plan, 1, 0, '{"positive": "Gold Plan"}')$$, $$dp_logistic(ARRAY[gold::int::float8], plan, 1, 0, '{"positive": "basic", "negative": "nothing"}')$$,
  $$dp_softmax(ARRAY[gold::int::float8], plan, 1, 0, '{"classes": ["basic", "None"]}')$$, $$dp_softmax(ARRAY[gold::int::float8], code, 1, 0, '{"classes": [0, 3]}')$$,
  $$dp_halfspace(ARRAY[gold::int::float8], tier, 1, 0, '{"positive": "gone"}')$$);
SELECT dp_groups(vague, ARRAY[gold::int::float8], plan, 1, 0, '{"keys": ["basic"], "dimension": 1, "positive": "Basic"}') FROM tariff;
SELECT dp_accuracy((SELECT jsonb_set(model::jsonb, '{details,options}', '{"positive": "Gold Plan"}')::dp_model FROM dpobj.models WHERE name = 'golden'), ARRAY[gold::int::float8], plan, 1) FROM tariff;
SELECT count(*) - :before AS charged FROM dpobj.ledger WHERE event = 'charged';
SELECT * FROM answers('SELECT (%).kind FROM tariff', $$dp_halfspace(ARRAY[gold::int::float8], plan, 1000, 0, '{"positive": "gold plan", "intercept": true}')$$, $$dp_halfspace(ARRAY[gold::int::float8], vague, 1, 0, '{"positive": "Gold Plan"}')$$,
  $$dp_halfspace(ARRAY[gold::int::float8], plan = 'Gold Plan', 1, 0)$$, $$dp_softmax(ARRAY[gold::int::float8], plan, 1, 0, '{"classes": ["basic", "none"]}')$$);
-- Both doors count the same rows for a model of the analyst's door: a value that is neither positive nor negative by the declaration is in no count.
SELECT * FROM answers($$SELECT (%)::text$$, $$SELECT dp_confusion((SELECT model FROM dpobj.models WHERE name = 'golden'), ARRAY[gold::int::float8], plan, 1000) FROM tariff$$,
  $$SELECT dp_confusion((SELECT model FROM dpobj.models WHERE name = 'golden'), ARRAY[gold::int::float8], plan = 'gold plan', 1000) FROM tariff$$, $$SELECT dp_confusion((SELECT model FROM dpobj.models WHERE name = 't'), ARRAY[b::int::float8], t, 1000) FROM reply$$,
  $$SELECT dp_confusion((SELECT model FROM dpobj.models WHERE name = 'v'), ARRAY[b::int::float8], v, 1000) FROM reply$$, $$SELECT dp_confusion((SELECT model FROM dpobj.models WHERE name = 'k'), ARRAY[b::int::float8], k, 1000) FROM reply$$);
SELECT (SELECT sum(n) FROM unnest(c) n) AS of_classes FROM (SELECT dp_class_confusion((SELECT model FROM dpobj.models WHERE name = 'classes'), ARRAY[gold::int::float8], plan, 1000) AS c FROM tariff) s;
SELECT dp_select(ARRAY(SELECT model FROM dpobj.models WHERE name IN ('golden', 'nothing')), ARRAY[gold::int::float8], plan, 1) FROM tariff;
\c - dpobj_labels_ana
SELECT * FROM answers($$SELECT string_agg(rows::text, '|') FROM dpobj.confusion(%, 1000)$$, $$'golden', 'tariff'$$, $$'t', 'reply'$$, $$'v', 'reply'$$, $$'k', 'reply'$$);
SELECT sum(rows) AS of_classes FROM dpobj.confusion('classes', 'tariff', 1000);
\c - postgres
DROP OWNED BY dpobj_labels_ana;
DROP ROLE dpobj_labels_ana;
