-- "Did you mean": errors about a name that is not known say which known name is near. They name only what the
-- caller may see, and no value of a row.
\i tests/answers.sql
CALL login_roles('dpobj_near_ana', 'dpobj_near_bob');
CREATE TABLE tenant (age int, region text, income float8, late boolean);
INSERT INTO tenant SELECT 20 + i % 50, 'southwest', i % 9, i % 50 > 25 FROM generate_series(1, 500) i;
\set encoders '{"age": {"bins": [30, 46]}, "region": {"levels": ["north", "south"]}, "income": {"scale": 10, "clip": [0, 1]}, "late": {}}'
SET client_min_messages = warning; -- an earlier test may have protected a table of that name
SELECT dpobj.protect('tenant', :'encoders', n => 500);
RESET client_min_messages;
SELECT dpobj.set_budget('tenant', 'dpobj_near_ana', 1000, 0);
-- ---- columns ----
SELECT * FROM answers($$SELECT dpobj.protect('tenant', %)$$, $$'{"agee": {"bins": [30]}}'$$, $$'{"Region": {"levels": ["a"]}}'$$,
  $$'{"age": {"bin": [30]}}'$$, $$'{"region": {"levels": ["north", "south"], "null": "nort"}}'$$, $$'{"late": {}}', person => 'ages', max_rows_per_person => 2$$);
\c - dpobj_near_ana
SELECT * FROM answers($$SELECT dpobj.price('tenant', %)$$, $$'Late', 1$$, $$'late', 1, '{agee}'$$, $$'late', 1, '{income, " AGE "}'$$,
  $$'late', 1, '{zone}'$$, $$'late', 1, filter => '{"incme": {">": 1}}'$$, $$'late', 1, filter => '{"income": {"=>": 1}}'$$,
  $$NULL, 1, '{regio}', method => 'count', options => '{"by": ["regionn"]}'$$);
-- a value that rows have and no declaration does is not offered
SELECT * FROM answers($$SELECT dpobj.price('tenant', 'late', 1, filter => %)$$, $$'{"region": {"=": "norht"}}'$$, $$'{"region": {"in": ["south", "Nor th"]}}'$$,
  $$'{"region": {"=": "southwes"}}'$$);
-- ---- options, methods, mechanisms, calls ----
SELECT * FROM answers($$SELECT dpobj.price('tenant', 'late', 1, %)$$, $$options => '{"interecpt": false}'$$, $$options => '{"mechanism": "objectiv"}'$$,
  $$method => 'logistic', options => '{"mechanism": "outptu"}'$$, $$method => 'halfspace', options => '{"mechanism": "output"}'$$,
  $$method => 'logisitc'$$, $$method => 'Halfspace'$$, $$method => 'logistic', options => '{"loss": "cliped"}'$$, $$method => 'logistic', options => '{"loss": 1}'$$);
SELECT * FROM answers($$SELECT dpobj.price('tenant', %)$$, $$NULL, 1, method => 'histogramm'$$, $$NULL, 1, method => 'accuracy', options => '{"confidance": 0.9}'$$,
  $$'income', 1, method => 'sum', options => '{"confidenc": 0.9}'$$);
SELECT * FROM answers($$SELECT dpobj.submit(%, 'x')$$, $$'trian', 'tenant', '{}'$$, $$'train', 'tenant', '{"epsilom": 1}'$$);
SELECT * FROM answers($$SELECT dpobj.price_plan(%, 0)$$, $$'[{"method": "count", "d": 1, "eps": 1}]'$$, $$'[{"method": "logistic", "d": 3, "epsilon": 1, "optoins": {}}]'$$);
-- ---- models, answers: one's own, and models that are shared ----
SELECT (dpobj.train('tenant', 'late', 1, '{age}', name => 'late by age')).kind IS NOT NULL AS trained;
SELECT (dpobj.train('tenant', 'late', 1, '{age}', name => 'secret model')).kind IS NOT NULL AS trained;
SELECT value IS NOT NULL AS counted FROM dpobj.histogram('tenant', 'age', 1, name => 'ages in May');
SELECT dpobj.share('late by age', 'dpobj_near_bob');
SELECT * FROM answers('SELECT %', $$dpobj.predict('late by agee', t) FROM tenant t$$, $$dpobj.show('secret modl')$$, $$dpobj.evaluate('Late By Age ', 'tenant', 1)$$,
  $$dpobj.share('late byage', 'dpobj_near_bob')$$, $$dpobj.retire('secretmodel')$$, $$dpobj.rename('ages in Mai', 'x')$$,
  $$dpobj.drift('ages in may', 'ages in May')$$, $$dpobj.show('late by age', 'pmlm')$$);
\c - dpobj_near_bob
SELECT * FROM answers('SELECT %', $$dpobj.show('late by agee')$$, $$dpobj.show('late by agee', owner => 'dpobj_near_ana')$$,
  $$dpobj.show('secret modl')$$, $$dpobj.show('secret modl', owner => 'dpobj_near_ana')$$, $$dpobj.evaluate('late by agee', 'tenant', 1)$$);
\c - postgres
-- A SECURITY DEFINER function tells none of its owner's names.
CREATE FUNCTION lent(call text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN EXECUTE 'SELECT ' || call; END $$;
ALTER FUNCTION lent OWNER TO dpobj_near_ana;
\c - dpobj_near_bob
SELECT * FROM answers('SELECT lent(%)', $$'dpobj.show(''secret modl'')'$$, $$'dpobj.share(''secret modl'', ''dpobj_near_bob'')'$$, $$'dpobj.retire(''secret modl'')'$$,
  $$'dpobj.drift(''ages in may'', ''ages in May'')'$$);
\c - postgres
DROP FUNCTION lent;
-- ---- accountants ----
SELECT * FROM answers('SELECT %', $$dpobj.set_budget('tenant', NULL, 1, 0, 'zcpd')$$, $$dpobj.recompute('tenant', NULL, 'plt')$$);
-- long names, and names of other scripts
SELECT * FROM answers($$SELECT dpobj.price('tenant', 'late', 1, options => %)$$, $$jsonb_build_object(repeat('x', 300), 1)$$, $$'{"": 1}'$$, $$'{"münster": 1}'$$, $$'{"interçept": 1}'$$);
