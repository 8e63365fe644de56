-- accounting: zcdp and rdp budgets, costs in the ledger, running sums, top-ups, odometers
\i tests/answers.sql
CREATE TABLE parish (features float8[] CHECK (cardinality(features) = 2), rich boolean);
INSERT INTO parish SELECT ARRAY[i % 2, 1 - i % 2], i % 2 = 1 FROM generate_series(1, 20) i;
CREATE TABLE hamlet AS TABLE parish;
CREATE TABLE manor AS TABLE parish;
CALL login_roles('accounting_amy', 'accounting_curator');
GRANT dpobj_admin TO accounting_curator;
GRANT SELECT ON parish, hamlet, manor TO accounting_amy;
SELECT dpobj.grant_trainer('accounting_amy') \g /dev/null
CREATE FUNCTION logistic(source text, epsilon numeric, delta numeric, options jsonb DEFAULT '{"mechanism": "output", "noise": "gaussian"}')
RETURNS text LANGUAGE sql AS $$
  SELECT answer_of(format('SELECT (dp_logistic(features, rich, %s, %s, %L)).mechanism FROM %I', epsilon, delta, options || '{"regularization": 10}', source))
$$;
CREATE FUNCTION halfspace(source text, epsilon numeric, options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS
  $$ SELECT answer_of(format('SELECT (dp_halfspace(features, rich, %s, 0.0, %L)).mechanism FROM %I', epsilon, options, source)) $$;
-- are the counted charges and the running sums of all budgets equal to those of the ledger?
CREATE FUNCTION sums_hold() RETURNS boolean LANGUAGE sql AS $$
  SELECT bool_and((b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases))
         AND NOT EXISTS (
           SELECT FROM (SELECT to_jsonb(c) - '{id,times}'::text[] AS kind, sum(c.times) AS times
                          FROM dpobj.charge_counts c GROUP BY 1) c
             FULL JOIN (SELECT to_jsonb(k) - 'times' AS kind, k.times FROM dpobj.charge_kinds k) k USING (kind)
            WHERE c.times IS DISTINCT FROM k.times)
  FROM dpobj.budget_rows b JOIN dpobj.budget_sums s USING (id) WHERE b.cost_spent IS NOT NULL
$$;

-- the ledger's costs, against the formulas
SELECT halfspace('parish', 1, '{"mechanism": "exponential"}');
SELECT halfspace('parish', 1, '{"mechanism": "permute_flip"}');
SELECT halfspace('parish', 0.5, '{"mechanism": "exponential", "adjacency": "add_remove", "dimension": 2}');
SELECT logistic('parish', 0.1, 0.00000001);
SELECT logistic('parish', 1, 0.000001, '{"mechanism": "objective", "noise": "gaussian"}');
SELECT logistic('parish', 1, 0.000001, '{"mechanism": "sgd", "sampling": "poisson", "batch": 5, "n": 20, "adjacency": "add_remove", "dimension": 2}');
SELECT mechanism, pair, epsilon, rho, rho_delta, rdp[1], rdp_delta,
  (SELECT string_agg(key, ' ' ORDER BY key) FROM jsonb_object_keys(pair_terms) key)
FROM dpobj.ledger WHERE event = 'charged' AND relation = 'parish'::regclass ORDER BY id;
-- mu of the Gaussian mechanism: rho = mu^2 / 2, and (0.1, 1e-8) is what it claims
SELECT abs(sqrt(2 * rho::float8) - (pair_terms->>'mu')::float8) < 1e-9, round(1 / (pair_terms->>'mu')::numeric, 4)
FROM dpobj.ledger WHERE pair = 'gauss' AND relation = 'parish'::regclass;
-- a replaced row costs exactly four times a row that comes or goes
SELECT round(rdp_replaced[3]::numeric / rdp_pico[3], 3) FROM dpobj.ledger_events
WHERE pair = 'br' AND adjacency = 'add_remove' AND relation = 'parish'::regclass;

-- 100 releases at (0.1, 1e-8) under zCDP: the tight conversion, far below the sum
SELECT dpobj.set_budget('hamlet', 'accounting_amy', 2, 0.000001, 'zcdp');
SET SESSION AUTHORIZATION accounting_amy;
SELECT count(*) FROM generate_series(1, 100) WHERE logistic('hamlet', 0.1, 0.00000001) = 'output';
SELECT releases, round(epsilon_spent, 4), delta_spent, epsilon_limit, delta_limit, delta_left,
  (SELECT sum(epsilon) FROM dpobj.ledger WHERE relation = 'hamlet'::regclass) >= 5 * epsilon_spent AS five_times
FROM dpobj.budgets WHERE relation = 'hamlet'::regclass;
SELECT epsilon_spent = dpobj_internal.composed_epsilon('zcdp', NULL, cost_spent * 1000000000000, 1000000000000) * 0.000000001
FROM dpobj.budgets WHERE relation = 'hamlet'::regclass;
-- bounded range: epsilon^2 / 8
SELECT count(*) FROM generate_series(1, 20) WHERE halfspace('hamlet', 0.1, '{"mechanism": "exponential"}') = 'exponential';
SELECT cost_spent - (SELECT sum(rho) FROM dpobj.ledger WHERE pair = 'gauss' AND relation = 'hamlet'::regclass)
FROM dpobj.budgets WHERE relation = 'hamlet'::regclass;
SELECT accountant, mechanism, epsilon, delta, more FROM dpobj.odometer WHERE relation = 'hamlet'::regclass;
-- a release that fits is made, one with a billionth of epsilon more is refused
SELECT round(epsilon, 3), delta, releases FROM dpobj.remaining('hamlet');
SELECT halfspace('hamlet', epsilon + 0.000000001, '{"mechanism": "permute_flip"}') FROM dpobj.remaining('hamlet');
SELECT halfspace('hamlet', epsilon, '{"mechanism": "permute_flip"}') FROM dpobj.remaining('hamlet');
SELECT cost_limit - cost_spent < 0.000001 FROM dpobj.budgets WHERE relation = 'hamlet'::regclass;
SELECT halfspace('hamlet', 0.01, '{"mechanism": "permute_flip"}');
RESET SESSION AUTHORIZATION;
SELECT sums_hold();

-- a release with its own delta needs a reserve
SELECT dpobj.set_budget('manor', NULL, 5, 0.00001, 'zcdp', delta_reserve => 0.000002);
SELECT logistic('manor', 0.5, 0.000001, '{"mechanism": "objective", "noise": "gaussian"}');
SELECT accountant, delta_limit, delta_spent, delta_left, releases FROM dpobj.budgets WHERE relation = 'manor'::regclass;
SELECT logistic('manor', 0.5, 0.0000010001, '{"mechanism": "objective", "noise": "gaussian"}');
SELECT logistic('manor', 0.5, 0.000001, '{"mechanism": "objective", "noise": "gaussian"}');
SELECT logistic('manor', 0.5, 0.000000000001, '{"mechanism": "objective", "noise": "gaussian"}');
SELECT logistic('manor', 0.5, 0.000001);
SELECT sums_hold();

-- rdp: at one order, fixed when the budget is made
SELECT dpobj.drop_budget('manor', NULL);
SELECT dpobj.set_budget('manor', NULL, 3, 0.00001, 'rdp');
SELECT rdp_order, epsilon_spent FROM dpobj.budgets WHERE relation = 'manor'::regclass;
SELECT dpobj.drop_budget('manor', NULL);
SELECT dpobj.set_budget('manor', NULL, 3, 0.00001, 'rdp', rdp_order => 4);
SELECT dpobj.set_budget('manor', NULL, 6, 0.00001, 'rdp', rdp_order => 32);
-- many releases fit at the best order for them, and are refused at the order of the budget
SELECT count(*) FILTER (WHERE released = 'sgd'), max(left(released, 5)) FILTER (WHERE released <> 'sgd')
FROM (SELECT logistic('manor', 2, 0.000001, '{"mechanism": "sgd", "sampling": "full", "iterations": 5}') AS released
      FROM generate_series(1, 12)) r;
SELECT accountant, rdp_order, round(epsilon_spent, 3), releases FROM dpobj.budgets WHERE relation = 'manor'::regclass;
SELECT s.rdp_order, round(s.epsilon, 3) FROM
  (SELECT o.rdp_order, dpobj_internal.composed_epsilon('rdp', o.rdp_order, (sum(e.rdp_pico[o.place])
     + (SELECT l.rdp_pico[o.place] FROM dpobj.ledger_events l WHERE event = 'charged' ORDER BY id DESC LIMIT 1)),
     8000000000000) * 0.000000001 AS epsilon
   FROM dpobj.ledger_events e CROSS JOIN unnest(dpobj_internal.rdp_orders()) WITH ORDINALITY o(rdp_order, place)
   WHERE e.event = 'charged' AND e.relation = 'manor'::regclass GROUP BY o.rdp_order, o.place) s
ORDER BY s.epsilon LIMIT 1;
SELECT sums_hold();

-- running sums: after a change of the budget the next charge sums up the ledger
SELECT dpobj.drop_budget('hamlet', 'accounting_amy');
SELECT dpobj.set_budget('hamlet', 'accounting_amy', 100, 0.01);
SELECT cost_spent IS NULL FROM dpobj.budget_rows JOIN dpobj.identities i ON i.id = relation WHERE name = 'public.hamlet';
SELECT epsilon_spent, releases FROM dpobj.budgets WHERE relation = 'hamlet'::regclass;
SET SESSION AUTHORIZATION accounting_amy;
SELECT halfspace('hamlet', 0.5);
RESET SESSION AUTHORIZATION;
SELECT sums_hold(), cost_spent IS NOT NULL FROM dpobj.budget_rows JOIN dpobj.identities i ON i.id = relation WHERE name = 'public.hamlet';
SELECT epsilon_spent, releases FROM dpobj.budgets WHERE relation = 'hamlet'::regclass;

SELECT dpobj.set_budget('hamlet', 'accounting_amy', 100, 0.01);
SELECT sums_hold() IS NOT FALSE;
-- a million costs, in any order, to the last unit
SELECT sum(dpobj_internal.cost_under(ROW('add_remove', i, 0, i + 7, 0, ARRAY[i], 0, ARRAY[3 * i])::dpobj.charge_cost, unit, 'zcdp', NULL)),
  sum(dpobj_internal.cost_under(ROW('add_remove', i, 0, i + 7, 0, ARRAY[i], 0, ARRAY[3 * i])::dpobj.charge_cost, unit, 'rdp', 1))
FROM generate_series(1, 1000000) i, (VALUES ('add_remove'), ('replace')) u(unit) GROUP BY unit ORDER BY unit;

-- raising a budget needs a reason
SELECT * FROM answers($$SELECT dpobj.raise_budget('hamlet', 'accounting_amy', %)$$,
  $$1, 0, '  '$$, '1, 0, NULL', $$0, 0, 'nothing'$$, $$-1, 0, 'less'$$);
SELECT * FROM answers('SELECT dpobj.raise_budget(%)', $$'hamlet', NULL, 1, 0, 'no such budget'$$, $$'hamlet', 'accounting_amy', 1, 1, 'too much'$$);
SET SESSION AUTHORIZATION accounting_amy;
SELECT dpobj.raise_budget('hamlet', 'accounting_amy', 1, 0, 'because I can');
SET SESSION AUTHORIZATION accounting_curator;
SELECT dpobj.raise_budget('hamlet', 'accounting_amy', 1.5, 0.001, 'a second paper, approved by the board');
RESET SESSION AUTHORIZATION;
SELECT epsilon_limit, delta_limit, epsilon_spent, releases FROM dpobj.budgets WHERE relation = 'hamlet'::regclass;
SELECT event, role, parameters FROM dpobj.ledger WHERE event = 'raise_budget';
SELECT dpobj.set_budget('parish', NULL, 1, 0.000001, 'zcdp');
SELECT dpobj.raise_budget('parish', NULL, 1, 0, 'to two');
SELECT cost_limit = (SELECT dpobj_internal.composed_epsilon('basic', NULL, b.cost_limit, 0)) AS same,
  dpobj_internal.composed_epsilon('zcdp', NULL, cost_limit, delta_units) <= epsilon_nano AS converts, epsilon_nano
FROM dpobj.budget_rows b JOIN dpobj.identities i ON i.id = relation WHERE i.name = 'public.parish';
-- the views show a rest also for extreme sums
SELECT dpobj_internal.largest_epsilon('zcdp', NULL, -20000000000000000000), dpobj_internal.largest_epsilon('rdp', 2, -20000000000000000000),
  dpobj_internal.largest_epsilon('zcdp', NULL, 20000000000000000000) * 0.000000001;

-- an overspent delta leaves nothing, also for releases without delta
CREATE TABLE croft AS TABLE parish;
SELECT logistic('croft', 0.5, 0.000001);
SELECT dpobj.set_budget('croft', NULL, 10, 0);
SELECT * FROM dpobj.remaining('croft');
SELECT epsilon_left, delta_left, largest_epsilon FROM dpobj.budgets WHERE relation = 'croft'::regclass;
SELECT more FROM dpobj.odometer WHERE relation = 'croft'::regclass;
SELECT dpobj_internal.calls_that_fit('croft', ROW('replace', 1000000000, 0, 0, 0, NULL, 0, NULL)::dpobj.charge_cost);
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM croft;
SELECT dpobj.raise_budget('croft', NULL, 0, 0.000001, 'what was spent');
SELECT * FROM dpobj.remaining('croft');
SELECT halfspace('croft', 0.5, '{"dimension": 2}');
SELECT more FROM dpobj.odometer WHERE relation = 'croft'::regclass;
-- an overspent reserve leaves nothing, and only delta_reserve raises it
SELECT dpobj.drop_budget('croft', NULL);
SELECT logistic('croft', 0.5, 0.000001, '{"mechanism": "objective", "noise": "gaussian", "dimension": 2}');
SELECT dpobj.set_budget('croft', NULL, 10, 0.00001, 'zcdp');
SELECT * FROM dpobj.remaining('croft');
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM croft;
SELECT dpobj.set_budget('croft', NULL, 10, 0.00001, 'zcdp', delta_reserve => 0.000001);
SELECT (dp_logistic(features, rich, 0.5, 0.000001, '{"mechanism": "objective", "noise": "gaussian", "regularization": 10, "dimension": 2}')).kind FROM croft;
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM croft;
-- a budget keeps its accountant when its numbers change
SELECT dpobj.set_budget('croft', NULL, 5, 0.000002);
-- the most epsilon that fits
SELECT (dp_halfspace(features, rich, 30, 0, '{"dimension": 2}')).kind FROM croft;
SELECT largest_epsilon FROM dpobj.budgets WHERE relation = 'croft'::regclass;
SELECT dpobj.set_budget('croft', NULL, 0.1, 0.00001, 'zcdp', delta_reserve => 0.000001);
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM croft;
-- a number of releases
SELECT dpobj.set_budget('croft', NULL, 5, 0.00001, 'zcdp', max_releases => 1, delta_reserve => 0.000001);
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM croft;
-- large deltas of budgets warn as those of releases do
SELECT dpobj.set_budget('croft', 'accounting_amy', 5, 0.01), dpobj.set_budget('croft', 'accounting_amy', 5, 0.5);
SELECT dpobj.raise_budget('croft', 'accounting_amy', 1, 0, 'more'), dpobj.raise_budget('croft', 'accounting_amy', 0, 0.5, 'all');
SELECT dpobj.limit_budget('croft', 10, 1, accountant => 'zcdp');
SELECT * FROM answers('SELECT %', $$dpobj.limit_budget('croft', 10, 1, 'a reason')$$,
  $$dpobj.raise_budget('croft', 'accounting_curator', 1, 0, 'no such budget')$$, $$dpobj.raise_budget('croft', 'accounting_amy', 0, -0.1, 'less')$$,
  $$dpobj.raise_budget('croft', 'accounting_amy', 1, 1.5, 'too much')$$);
DROP TABLE croft;

-- accountants that cannot hold a budget, and parameters that cannot change
SELECT * FROM answers($$SELECT dpobj.set_budget('hamlet', NULL, 1, 0.1, %)$$,
  $$'pld'$$, $$'kov'$$, $$'best'$$, $$'zcdp', rdp_order => 4$$, $$'rdp', rdp_order => 7$$, $$'rdp', rdp_order => 0$$,
  $$'basic', delta_reserve => 0.1$$, $$'zcdp', delta_reserve => 0.1$$);
SELECT * FROM answers('SELECT dpobj.set_budget(%)', $$'hamlet', NULL, 0.001, 1e-12, 'rdp', rdp_order => 2$$, $$'parish', NULL, 1, 0.000001, 'basic'$$,
  $$'manor', NULL, 1, 0.000001, 'rdp', rdp_order => 16$$);
SELECT dpobj.set_budget('manor', NULL, 4, 0.00001, 'rdp');
SELECT rdp_order FROM dpobj.budgets WHERE relation = 'manor'::regclass;

-- operators of other roles, first in search_path, are not called
CREATE SCHEMA accounting_captor;
CREATE FUNCTION accounting_captor.nothing(int, numeric) RETURNS numeric LANGUAGE sql AS 'SELECT 0.0';
CREATE FUNCTION accounting_captor.nothing(bigint, numeric) RETURNS numeric LANGUAGE sql AS 'SELECT 0.0';
CREATE FUNCTION accounting_captor.nothing(numeric, numeric) RETURNS numeric LANGUAGE sql AS 'SELECT 0.0';
CREATE FUNCTION accounting_captor.never(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE FUNCTION accounting_captor.never(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR accounting_captor.* (LEFTARG = int, RIGHTARG = numeric, FUNCTION = accounting_captor.nothing);
CREATE OPERATOR accounting_captor.* (LEFTARG = bigint, RIGHTARG = numeric, FUNCTION = accounting_captor.nothing);
CREATE OPERATOR accounting_captor.* (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = accounting_captor.nothing);
CREATE OPERATOR accounting_captor.+ (LEFTARG = int, RIGHTARG = numeric, FUNCTION = accounting_captor.nothing);
CREATE OPERATOR accounting_captor.+ (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = accounting_captor.nothing);
CREATE OPERATOR accounting_captor.= (LEFTARG = text, RIGHTARG = text, FUNCTION = accounting_captor.never);
CREATE OPERATOR accounting_captor.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = accounting_captor.never);
SET search_path = accounting_captor, pg_catalog;
SELECT unit, accountant, dpobj_internal.cost_under(ROW('add_remove', 5000000000, 1000000000000000, 7, 0, ARRAY[8], 0, ARRAY[9])::dpobj.charge_cost, unit, accountant, 1),
  dpobj_internal.delta_under(ROW('add_remove', 5000000000, 1000000000000000, 7, 0, ARRAY[8], 0, ARRAY[9])::dpobj.charge_cost, unit, accountant)
FROM unnest(ARRAY['add_remove', 'replace']) unit, unnest(ARRAY['basic', 'zcdp', 'rdp']) accountant;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA accounting_captor CASCADE;
RESET client_min_messages;

-- charges for rows do not count for persons, also when tables become relatives later
CREATE TABLE village (features float8[], rich boolean, wealth float8, who int);
INSERT INTO village SELECT ARRAY[i % 2, 1 - i % 2], i % 2 = 1, i % 2, i / 4 FROM generate_series(1, 20) i;
CREATE TABLE annex AS TABLE village;
SELECT dpobj.protect('village', '{"wealth": {"scale": 1}, "rich": {}}', person => 'who', max_rows_per_person => 4);
SELECT dpobj.set_budget('village', 'accounting_amy', 5, 0);
SELECT halfspace('annex', 2);
ALTER TABLE annex INHERIT village;
SET SESSION AUTHORIZATION accounting_amy;
SELECT (dpobj.train('village', label => 'rich', features => ARRAY['wealth'], epsilon => 1, delta => 0, method => 'halfspace')).epsilon;
RESET SESSION AUTHORIZATION;
ALTER TABLE annex NO INHERIT village;
CREATE TABLE barn () INHERITS (village);
SET SESSION AUTHORIZATION accounting_amy;
SELECT (dpobj.train('village', label => 'rich', features => ARRAY['wealth'], epsilon => 1, delta => 0, method => 'halfspace')).epsilon;
RESET SESSION AUTHORIZATION;
ALTER TABLE barn NO INHERIT village;
INSERT INTO barn TABLE annex;
SELECT halfspace('barn', 2);
SELECT epsilon_spent, releases FROM dpobj.budgets WHERE relation = 'village'::regclass;

-- a child whose budget is dropped is no ancestor of its parent
SELECT dpobj.set_budget('barn', NULL, 1, 0);
ALTER TABLE barn INHERIT village;
SELECT dpobj.raise_budget('barn', NULL, 1, 0, 'a test');
SELECT dpobj.drop_budget('barn', NULL);
SELECT a.name, d.name FROM dpobj.lineage l JOIN dpobj.identities a ON a.id = l.ancestor
  JOIN dpobj.identities d ON d.id = l.descendant WHERE a.name LIKE '%.barn' OR d.name LIKE '%.barn';
SELECT dpobj.unprotect('village');

DROP TABLE village, barn, annex;
DROP TABLE parish, hamlet, manor;
DELETE FROM dpobj.budget_rows;
DROP FUNCTION logistic, halfspace, sums_hold;
DROP OWNED BY accounting_amy, accounting_curator;
DROP ROLE accounting_amy, accounting_curator;
