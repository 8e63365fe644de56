-- reports: prices of plans, recomputed totals, what an auditor reads
\i tests/answers.sql
CREATE TABLE harbour (features float8[] CHECK (cardinality(features) = 2), deep boolean);
INSERT INTO harbour SELECT ARRAY[i % 2, 1 - i % 2], i % 2 = 1 FROM generate_series(1, 20) i;
CREATE TABLE lagoon (LIKE harbour INCLUDING CONSTRAINTS);
CREATE TABLE tidepool (LIKE harbour INCLUDING CONSTRAINTS);
INSERT INTO lagoon TABLE harbour;
INSERT INTO tidepool TABLE harbour;
CREATE TABLE jetty (x float8, wet boolean);
CALL login_roles('report_ann', 'report_bea', 'report_auditor');
GRANT dpobj_auditor TO report_auditor;
GRANT SELECT ON harbour, lagoon TO report_ann, report_bea;
SELECT dpobj.grant_trainer('report_ann'), dpobj.grant_trainer('report_bea') \g /dev/null

-- ---- plans ----
-- for few pure releases the sum is the least; for many, or with Gaussian noise, another accountant is better
SELECT p ->> 'best', p -> 'basic' ->> 'epsilon', p -> 'zcdp' -> 'epsilon' > p -> 'basic' -> 'epsilon'
  FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 0.5, "count": 2}]', 1e-6) p;
SELECT p ->> 'best', p -> 'basic' ->> 'epsilon', p -> 'basic' -> 'delta', p -> 'zcdp' ->> 'epsilon', p -> 'releases', p ->> 'adjacency'
  FROM dpobj.price_plan('[{"method": "logistic", "d": 20, "epsilon": 0.1, "delta": 1e-8, "count": 100,
    "options": {"mechanism": "output", "noise": "gaussian"}}]', 1e-6) p;
-- a hundred exact exponential mechanisms: the rate of bounded range, 100 * 0.1^2 / 8
SELECT p ->> 'best', p -> 'zcdp' ->> 'epsilon', dpobj_internal.composed_epsilon('zcdp', NULL, 125000000000, 1000000000000) * 0.000000001
  FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 0.1, "count": 100, "options": {"mechanism": "exponential"}}]', 1e-6) p;
-- theorem A7: 10 times (0.1, 0), alone and with more
SELECT round((p #>> '{fixed_beforehand,kov,epsilon}')::numeric, 6), round((p #>> '{fixed_beforehand,pld,epsilon}')::numeric, 4), p ->> 'best'
  FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 0.1, "count": 10, "options": {"mechanism": "permute_flip"}}]', 1e-6) p;
SELECT key, value FROM jsonb_each(dpobj.price_plan('[
  {"method": "halfspace", "d": 5, "epsilon": 0.1, "count": 10, "options": {"mechanism": "permute_flip"}},
  {"method": "svm", "d": 20, "epsilon": 0.3, "delta": 1e-7, "options": {"mechanism": "objective", "noise": "gaussian"}},
  {"method": "ftrl", "d": 10, "epsilon": 1, "options": {"n": 100}}]', 1e-6) - 'zcdp' - 'rdp' - 'fixed_beforehand');
SELECT key, value ->> 'assumes' FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 1}]', 1e-6) p,
  jsonb_each((p -> 'fixed_beforehand') || jsonb_build_object('basic', p -> 'basic', 'zcdp', p -> 'zcdp', 'rdp', p -> 'rdp')) ORDER BY key;
-- evaluations, of d models
SELECT p -> 'basic' ->> 'epsilon', jsonb_path_query_array(p, '$.plan[*].mechanism')
  FROM dpobj.price_plan('[{"method": "accuracy", "d": 1, "epsilon": 0.1},
    {"method": "select", "d": 5, "epsilon": 0.2, "options": {"adjacency": "add_remove"}}]', 0) p;
SELECT dpobj.price_plan('[{"method": "confusion", "d": 2, "epsilon": 0.1}]', 0);
-- under add_remove only where all are; a replacement costs twice
SELECT p ->> 'adjacency', p -> 'basic' ->> 'epsilon'
  FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 1, "options": {"adjacency": "add_remove"}}]', 0) p
UNION ALL
SELECT p ->> 'adjacency', p -> 'basic' ->> 'epsilon'
  FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 1, "options": {"adjacency": "add_remove"}},
    {"method": "halfspace", "d": 5, "epsilon": 0.25}]', 0) p;
-- steps of gradient descent on samples
SELECT p ->> 'best', p -> 'rdp' ->> 'epsilon' < p -> 'basic' ->> 'epsilon', p -> 'rdp' -> 'rdp_order' > '1',
       (p #>> '{fixed_beforehand,pld,epsilon}')::numeric < (p -> 'rdp' ->> 'epsilon')::numeric
  FROM dpobj.price_plan('[{"method": "logistic", "d": 20, "epsilon": 1, "delta": 1e-7, "count": 4,
    "options": {"mechanism": "sgd", "sampling": "poisson", "batch": 100, "n": 10000, "adjacency": "add_remove"}}]', 1e-6) p;
-- a delta that does not cover the releases' own
SELECT p -> 'best', p -> 'basic' -> 'delta', p -> 'zcdp' -> 'epsilon', p -> 'zcdp' ->> 'assumes', p #>> '{fixed_beforehand,kov,assumes}'
  FROM dpobj.price_plan('[{"method": "logistic", "d": 20, "epsilon": 0.1, "delta": 1e-7, "count": 100,
    "options": {"mechanism": "objective", "noise": "gaussian"}}]', 1e-6) p;
-- the plan has the weakest guarantee of its releases
SELECT p ->> 'guarantee' FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 1, "options": {"time_limit": 1}},
  {"method": "halfspace", "d": 5, "epsilon": 1}]', 0) p;
-- nothing is written, and everybody may ask
SELECT count(*) AS ledger FROM dpobj.ledger \gset
SET SESSION AUTHORIZATION report_bea;
SELECT p -> 'releases' FROM dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 1, "count": 3}]', 0) p;
RESET SESSION AUTHORIZATION;
SELECT count(*) = :ledger FROM dpobj.ledger;
-- plans that are refused
SELECT * FROM answers('SELECT dpobj.price_plan(%)', $$NULL, 0$$, $$'[{"method": "halfspace", "d": 5, "epsilon": 1}]', NULL$$,
  $$'[{"method": "halfspace", "d": 5, "epsilon": 1}]', 1$$, $$'[{"method": "halfspace", "d": 5, "epsilon": 1}]', -0.1$$, $$'[]', 0$$,
  $$'{"method": "halfspace"}', 0$$);
-- plans that would take too long
SELECT dpobj.price_plan(jsonb_agg(jsonb_build_object('method', 'logistic', 'd', 20, 'epsilon', i, 'delta', 1e-6,
    'options', '{"mechanism": "sgd", "sampling": "fixed", "n": 100000}'::jsonb)), 1e-5) FROM generate_series(1, 21) i;
SELECT * FROM answers('SELECT dpobj.price_plan(%)', $$'"halfspace"', 0$$, $$'[3]', 0$$, $$'[[{"method": "halfspace", "d": 5, "epsilon": 1}]]', 0$$,
  $$'[{"method": "halfspace", "d": 5, "epsilon": 1, "times": 3}]', 0$$, $$'[{"d": 5, "epsilon": 1}]', 0$$,
  $$'[{"method": 7, "d": 5, "epsilon": 1}]', 0$$, $$'[{"method": "forest", "d": 5, "epsilon": 1}]', 0$$);
SELECT * FROM answers($$SELECT dpobj.price_plan('[{"method": "halfspace", %]', 0)$$,
  '"epsilon": 1}', '"d": 0, "epsilon": 1}', '"d": 2.5, "epsilon": 1}', '"d": 5000, "epsilon": 1}', '"d": 5}', '"d": 5, "epsilon": "1"}',
  '"d": 5, "epsilon": 0}', '"d": 5, "epsilon": 1, "delta": 2}', '"d": 5, "epsilon": 1, "delta": null}', '"d": 5, "epsilon": 1, "count": 0}',
  '"d": 5, "epsilon": 1, "count": 1000001}', '"d": 5, "epsilon": 1, "options": 1}', '"d": 5, "epsilon": 1, "options": {"colour": 1}}');
SELECT * FROM answers('SELECT dpobj.price_plan(%)', $$'[{"method": "ftrl", "d": 5, "epsilon": 1}]', 0$$,
  $$(SELECT jsonb_agg('{"method": "halfspace", "d": 5, "epsilon": 1}'::jsonb) FROM generate_series(1, 501)), 0$$);
-- a table's name can be given as text
SELECT dpobj.price('harbour', NULL, 1);

-- ---- what the ledger says, by other accountants ----
CREATE FUNCTION halfspaces(source text, number integer, epsilon numeric, options jsonb DEFAULT '{"mechanism": "permute_flip"}') RETURNS text LANGUAGE sql AS $$
  SELECT max(split_part(answer_of(format('SELECT (dp_halfspace(features, deep, %s, 0.0, %L)).mechanism FROM %I', epsilon, options, source)), ':', 1))
  FROM generate_series(1, number)
$$;
CREATE FUNCTION logistics(source text, number integer, epsilon numeric, delta numeric,
  options jsonb DEFAULT '{"mechanism": "output", "noise": "gaussian", "regularization": 10}') RETURNS text LANGUAGE sql AS $$
  SELECT max(split_part(answer_of(format('SELECT (dp_logistic(features, deep, %s, %s, %L)).mechanism FROM %I', epsilon, delta, options, source)), ':', 1))
  FROM generate_series(1, number)
$$;
SELECT * FROM dpobj.recompute('harbour', NULL, 'pld');
SELECT dpobj.set_budget('harbour', NULL, 20, 0.00001, 'zcdp', max_releases => 1000);
SELECT dpobj.set_budget('harbour', 'report_ann', 20, 0.001);
SELECT dpobj.set_budget('harbour', 'report_bea', 0.5, 0);
SET SESSION AUTHORIZATION report_ann;
SELECT halfspaces('harbour', 10, 0.1);
SET SESSION AUTHORIZATION report_bea;
SELECT halfspaces('harbour', 2, 0.2, '{"mechanism": "exponential"}'), halfspaces('harbour', 1, 0.2);
RESET SESSION AUTHORIZATION;
-- ten times (0.1, 0): theorem A7; those of one role, and all
SELECT accountant, releases, round(r.epsilon, 4) AS epsilon, delta, rdp_order, assumes
  FROM unnest('{basic,zcdp,rdp,kov,pld}'::text[]) a, dpobj.recompute('harbour', 'report_ann', a, 0.000001) r;
SELECT accountant, releases, epsilon, r.delta FROM unnest('{basic,zcdp,kov}'::text[]) a, dpobj.recompute('harbour', NULL, a) r;
-- the same as the view of budgets where that adds up the same things
SELECT b.epsilon_spent = r.epsilon FROM dpobj.budgets b, dpobj.recompute('harbour', NULL, 'zcdp', 0.00001) r
  WHERE b.relation = 'harbour'::regclass AND b.role_name IS NULL;
-- Gaussian noise and what has a delta of its own; at no delta, the sum of the deltas and 1e-6
SET SESSION AUTHORIZATION report_ann;
SELECT logistics('harbour', 5, 0.1, 0.00000001),
  logistics('harbour', 1, 0.3, 0.0000001, '{"mechanism": "objective", "noise": "gaussian"}') AS over_the_reserve;
RESET SESSION AUTHORIZATION;
SELECT accountant, releases, round(r.epsilon, 3) AS epsilon, r.delta
  FROM unnest('{basic,zcdp,rdp,kov,pld}'::text[]) a, dpobj.recompute('harbour', NULL, a) r;
-- better accountants have smaller totals, and no accountant has one if delta does not cover the releases' own
SELECT bool_and(e < before) FROM (SELECT epsilon AS e, lag(epsilon) OVER (ORDER BY place) AS before
  FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place), dpobj.recompute('harbour', NULL, a.name, 0.00001)) r
  WHERE before IS NOT NULL;
SELECT epsilon, delta, assumes FROM dpobj.recompute('harbour', NULL, 'zcdp', 0.00000001);
-- theorem A8: 10 x 0.1, a Gaussian mechanism of mu = 0.2 and (0.3, 1e-7), by charges written by hand
CREATE FUNCTION by_hand(epsilon numeric, delta numeric, pair text, terms jsonb DEFAULT '{}', guarantee text DEFAULT 'exact',
  person text DEFAULT NULL) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO dpobj.ledger_events (event, relation, relation_name, role, role_name, mechanism, mechanism_version, adjacency,
      epsilon_nano, delta_units, guarantee, pair, pair_terms, parameters, snapshot, relation_identity, role_identity, payers, door,
      rho_pico, rho_delta, rdp_pico, rdp_delta, person)
    SELECT e.event, e.relation, e.relation_name, e.role, e.role_name, 'by_hand', e.mechanism_version, e.adjacency,
      epsilon * 1000000000, delta * 1000000000000000000, by_hand.guarantee, by_hand.pair, terms, '{}', e.snapshot,
      e.relation_identity, e.role_identity, e.payers, e.door, 0, 0, e.rdp_pico, 0, by_hand.person
    FROM (SELECT * FROM dpobj.ledger_events WHERE event = 'charged' AND relation = 'lagoon'::regclass ORDER BY id LIMIT 1) e
  RETURNING id
$$;
SELECT halfspaces('lagoon', 1, 0.1);
SELECT count(by_hand(0.1, 0, 'pure')) FROM generate_series(1, 9);
SELECT by_hand(1, 0.000001, 'gauss', '{"mu": 0.2}'), by_hand(0.3, 0.0000001, 'approx') \g /dev/null
SELECT round(epsilon, 5), epsilon > 1.7757146, releases FROM dpobj.recompute('lagoon', NULL, 'pld', 0.000001);
-- more kinds of releases than are composed one by one
SELECT count(by_hand(0.005 + 0.00001 * n, 0, CASE n % 2 WHEN 0 THEN 'pure' ELSE 'br' END)) FROM generate_series(1, 2000) n;
SELECT accountant, releases, round(epsilon, 1) AS epsilon
  FROM unnest('{basic,zcdp,rdp,kov,pld}'::text[]) a, dpobj.recompute('lagoon', NULL, a, 0.000001) r;
-- the other kinds of pairs
SELECT by_hand(1, 0.000001, 'sgm', '{"count": 100, "rate": 0.01, "noise": 4}'), by_hand(1, 0.000001, 'batches', '{"count": 100, "rate": 0.01, "noise": 4}'),
  by_hand(1, 0.000001, 'glm-objpert', '{"mu": 0.1, "ratio": 0.01, "outer": 0.004}'), by_hand(1, 0.000001, 'zcdp', '{"rho": 0.01}') \g /dev/null
SELECT accountant, releases, round(epsilon, 1) AS epsilon
  FROM unnest('{basic,zcdp,rdp,pld}'::text[]) a, dpobj.recompute('lagoon', NULL, a, 0.00001) r;
SELECT by_hand(1, 0.000001, 'gauss', '{"sigma": 5}') \g /dev/null
SELECT * FROM dpobj.recompute('lagoon', NULL, 'basic');
-- who may see what
SET SESSION AUTHORIZATION report_bea;
SELECT accountant, releases, epsilon FROM dpobj.recompute('harbour', 'report_bea', 'basic');
SELECT * FROM dpobj.recompute('harbour', NULL, 'basic');
SELECT * FROM dpobj.recompute('harbour', 'report_ann', 'basic');
SELECT dpobj_internal.composed_charges('harbour', 'report_ann', 'basic', 0);
SELECT * FROM answers('SELECT dpobj.report(%)', $$'harbour'$$, $$'harbour'$$);
SELECT dpobj_internal.report_contents('harbour', 0);
SET SESSION AUTHORIZATION report_auditor;
SELECT releases FROM dpobj.recompute('harbour', 'report_ann', 'basic');
SELECT releases FROM dpobj.recompute('harbour', NULL, 'basic');
SELECT releases FROM dpobj.recompute('harbour', 'report_auditor', 'pld');
SELECT * FROM answers('SELECT * FROM dpobj.recompute(%)',
  $$'harbour', NULL, 'best'$$, $$'harbour', NULL, NULL$$, $$NULL, NULL, 'basic'$$, $$'harbour', NULL, 'basic', 1$$, $$'harbour', NULL, 'zcdp', -1$$);
RESET SESSION AUTHORIZATION;

-- ---- the report ----
-- times and versions hidden
CREATE FUNCTION report_shown(relation regclass, delta numeric DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(regexp_replace(regexp_replace(dpobj.report($1, delta => $2),
    '\d\d\d\d-\d\d-\d\d \d\d:\d\d(:\d\d [^,]+)?', 'THEN', 'g'), 'dpobj \d\S+', 'dpobj V'),
    '(Without an end|Failed): [\d, ]+\.', '\1: N.', 'g')
$$;
CREATE FUNCTION report_news(relation regclass) RETURNS SETOF text LANGUAGE sql AS $$ -- the lines that the report of a table without releases has not
  SELECT line FROM string_to_table(report_shown($1), E'\n') line WHERE line <> ALL (string_to_array(report_shown('pg_class'), E'\n'))
$$;
SET SESSION AUTHORIZATION report_ann;
SELECT halfspaces('harbour', 1, 1, '{"time_limit": 100}');
RESET SESSION AUTHORIZATION;
SELECT dpobj.raise_budget('harbour', 'report_bea', 1, 0, E'a second paper,\napproved by the board');
SELECT dpobj.set_budget('harbour', 'report_auditor', 1, 0);
SELECT dpobj.drop_budget('harbour', 'report_auditor');
SELECT dpobj.set_budget('harbour', 'report_ann', 1, 0.001);
SET SESSION AUTHORIZATION report_auditor;
SELECT report_shown('harbour', 0.00001);
SELECT jsonb_object_keys(dpobj.report('harbour', 'json')::jsonb);
SELECT r -> 'releases', r -> 'labels', r -> 'sums_equal', r -> 'protection', r -> 'tables', r -> 'kinds' -> 0, r -> 'composed' -> 'basic' -> 'epsilon'
  FROM (SELECT dpobj.report('harbour', 'json')::jsonb) v(r);
SELECT b - 'epsilon_spent' FROM (SELECT dpobj.report('harbour', 'json')::jsonb) v(r), jsonb_array_elements(r -> 'budgets') b;
SELECT max(length(line)) <= 100 FROM string_to_table(dpobj.report('harbour'), E'\n') line;
SELECT dpobj.report('harbour', delta => 1);
SELECT dpobj.report('harbour', 'html', -1);
SELECT dpobj.report(NULL);
SELECT dpobj.report('harbour', 'htm');
-- a table that nobody knows, and a protected one
SELECT report_shown('pg_class');
RESET SESSION AUTHORIZATION;
SELECT dpobj.protect('jetty', '{"x": {}, "wet": {}}', adjacency => 'add_remove');
SELECT report_news('jetty');
-- ---- a report that others verify ----
CREATE FUNCTION found(altered jsonb, earlier jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS $$ -- what does not hold
  SELECT coalesce(string_agg(what || ' ' || differences, ', '), 'all holds') FROM dpobj.verify_report($1, $2) WHERE differences > 0
$$;
-- as somebody would who knows how the digest is made
CREATE FUNCTION forged(report jsonb, path text[], value jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_set(l.report, '{ledger,digest}', to_jsonb(dpobj_internal.ledger_digest(l.report -> 'ledger')))
    FROM (SELECT CASE WHEN $3 IS NULL THEN $1 #- $2 ELSE jsonb_set($1, $2, $3) END AS report) l
$$;
SELECT dpobj.report('harbour', 'registry', 0.00001) AS kept \gset
CREATE VIEW kept AS SELECT :'kept'::jsonb AS r;
SELECT what, checked, differences, first_difference FROM kept, dpobj.verify_report(r);
SELECT r - 'ledger' - 'promise' - 'questions' - 'registry' = dpobj.report('harbour', 'json', 0.00001)::jsonb - 'events'
       || jsonb_build_object('at', r -> 'at') FROM kept;
-- a digit of what it says, of what it says it of, and a key that is not there or too many
SELECT found(jsonb_set(r, '{composed,pld,epsilon}', to_jsonb((r #>> '{composed,pld,epsilon}')::numeric - 0.000000001))) FROM kept;
SELECT path, found(jsonb_set(r, path, to_jsonb(translate(r #>> path, '0123456789', '1234567890')))) FROM kept,
  (VALUES ('{promise,0}'::text[]), ('{questions,2,answer}'), ('{registry,deployment,privacy_loss,privacy_parameters_details}')) v(path);
SELECT path, found(jsonb_set(r, path, to_jsonb((r #>> path)::numeric + 1))) FROM kept, (VALUES ('{releases,charged}'::text[]), ('{kinds,0,released}'),
  ('{budgets,0,releases_before}'), ('{labels,conditional}'), ('{registry,deployment,privacy_loss,privacy_parameters,epsilon}'), ('{ledger,kinds,0,rdp_pico,3}')) v(path);
SELECT found(r - 'neighbours'), found(r || '{"colour": 1}'), found(r #- '{ledger,digest}') FROM kept;
-- the same of the events, with the digest of what is left: the last charge, the first one, all of a kind, an end, an administrator's event
SELECT found(forged(r, '{ledger,kinds,0,charges,-1}', NULL)) AS last, found(forged(r, '{ledger,kinds,0,charges,0}', NULL)) AS first,
       found(forged(r, '{ledger,kinds,0}', NULL)) AS kind, found(forged(r, '{ledger,ends,-1}', NULL)) AS "end" FROM kept;
SELECT found(forged(r, ARRAY['ledger', 'events', (place - 1)::text], NULL)) FROM kept, jsonb_array_elements(r #> '{ledger,events}') WITH ORDINALITY e(e, place)
  WHERE e ->> 'event' = 'raise_budget';
SELECT found(forged(r, '{ledger,kinds,0,epsilon_nano}', '1')), found(forged(r, '{ledger,kinds,0,charges,0,0}', r #> '{ledger,ends,0,1}')) FROM kept;
SELECT found(forged(r, '{ledger,kinds,0,pair}', '"none at all"')), found(forged(r, '{ledger,roles}', '"nobody"')) FROM kept;
-- an earlier report has no event that a later one has not
SELECT found(r, r), found(forged(r, '{ledger,ends,-1}', NULL), r), found(r, forged(r, '{ledger,ends,-1}', NULL)) FROM kept;
SELECT * FROM answers('SELECT found(%)', $$NULL$$, $$'{}'$$, $$dpobj.report('harbour', 'json')::jsonb$$, $$dpobj.report('harbour', 'registry')::jsonb, '{"ledger": 7}'$$);
SET SESSION AUTHORIZATION report_bea;
SELECT * FROM dpobj.verify_report('{}');
RESET SESSION AUTHORIZATION;

-- the report shows running sums that differ from the ledger
ALTER TABLE dpobj.budget_rows DISABLE TRIGGER budget_guard;
UPDATE dpobj.budget_rows b SET cost_spent = cost_spent - 1 FROM dpobj.identities i WHERE i.id = b.role AND i.name = 'report_bea';
ALTER TABLE dpobj.budget_rows ENABLE ALWAYS TRIGGER budget_guard;
SELECT dpobj.report('harbour', 'json')::jsonb -> 'sums_equal';
SELECT line FROM string_to_table(dpobj.report('harbour'), E'\n') line WHERE line ~ 'DIFFER';
-- and so does a ledger that is cut short: at its end, and in the middle
CREATE FUNCTION cut(which text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    report jsonb;
  BEGIN
    ALTER TABLE dpobj.ledger_events DISABLE TRIGGER ALL;
    EXECUTE format('DELETE FROM dpobj.ledger_events WHERE id = (SELECT %s(id) FROM dpobj.ledger_events
                     WHERE relation = ''harbour''::regclass AND event = ''charged'')', which);
    report := dpobj.report('harbour', 'registry');
    RAISE EXCEPTION USING MESSAGE = found(report);
  EXCEPTION WHEN raise_exception THEN
    RETURN SQLERRM;
  END
$$;
SELECT cut('max'), cut('min');


-- what a child has spent counts; neighbours of several kinds have no total; labels and ends
CREATE TABLE slipway () INHERITS (tidepool);
INSERT INTO slipway SELECT * FROM harbour;
ALTER TABLE slipway NO INHERIT tidepool;
SELECT halfspaces('slipway', 1, 0.25), halfspaces('tidepool', 1, 0.5);
ALTER TABLE slipway INHERIT tidepool;
SELECT halfspaces('tidepool', 1, 0.5);
SELECT r.releases, r.epsilon FROM dpobj.recompute('tidepool', NULL, 'basic') r;
CREATE OR REPLACE FUNCTION by_hand(label text, ended text, who text) RETURNS bigint LANGUAGE sql AS $$
  WITH e AS (SELECT * FROM dpobj.ledger_events WHERE event = 'charged' AND relation = 'tidepool'::regclass ORDER BY id LIMIT 1),
  charge AS (INSERT INTO dpobj.ledger_events (event, relation, relation_name, role, role_name, mechanism, mechanism_version, adjacency,
      epsilon_nano, delta_units, guarantee, pair, pair_terms, parameters, snapshot, relation_identity, role_identity, payers, door,
      rho_pico, rho_delta, rdp_pico, rdp_delta, person)
    SELECT e.event, e.relation, e.relation_name, e.role, e.role_name, 'by_hand', e.mechanism_version, e.adjacency,
      1000000000, 1000000000, label, 'none', '{}', '{}', e.snapshot, e.relation_identity, e.role_identity, e.payers, e.door, 0, 0,
      e.rdp_pico, 0, who FROM e RETURNING *)
  INSERT INTO dpobj.ledger_events (event, release, relation, relation_name, role, role_name, mechanism, mechanism_version,
      relation_identity, role_identity)
    SELECT ended, c.id, c.relation, c.relation_name, c.role, c.role_name, c.mechanism, c.mechanism_version, c.relation_identity,
      c.role_identity FROM charge c WHERE ended IS NOT NULL
  RETURNING release
$$;
SELECT by_hand('float', NULL, NULL), by_hand('unproven', 'failed', NULL) \g /dev/null
SELECT report_news('tidepool');
SELECT accountant, epsilon, assumes FROM unnest('{basic,pld}'::text[]) a, dpobj.recompute('tidepool', NULL, a) r;
SELECT by_hand('exact', NULL, 'who') \g /dev/null
SELECT accountant, releases, epsilon, assumes FROM unnest('{basic,zcdp,rdp,kov,pld}'::text[]) a, dpobj.recompute('tidepool', NULL, a, 0.001) r;
SELECT line FROM string_to_table(dpobj.report('tidepool'), E'\n') line WHERE line ~ '^  (basic|pld)';
-- under add_remove while the table is protected so; else a replacement, which costs twice
SELECT (dp_halfspace(ARRAY[x], wet, 0.5, 0.0, '{"adjacency": "add_remove", "dimension": 1, "mechanism": "permute_flip"}')).epsilon FROM jetty;
SELECT accountant, round(epsilon, 2), assumes FROM unnest('{basic,kov}'::text[]) a, dpobj.recompute('jetty', NULL, a) r;
SELECT dpobj.unprotect('jetty');
SELECT accountant, round(epsilon, 2), assumes FROM unnest('{basic,kov}'::text[]) a, dpobj.recompute('jetty', NULL, a) r;

DROP TABLE harbour, lagoon, jetty, tidepool CASCADE;
DELETE FROM dpobj.budget_rows;
DROP VIEW kept;
DROP FUNCTION halfspaces, logistics, report_shown, report_news, found, forged, cut;
DROP FUNCTION by_hand(numeric, numeric, text, jsonb, text, text), by_hand(text, text, text);
DROP OWNED BY report_ann, report_bea, report_auditor;
DROP ROLE report_ann, report_bea, report_auditor;
