\pset footer off
\pset linestyle ascii
\echo
\echo 'The table:'
SELECT count(*) AS rows, cardinality(min(features)) AS features, count(*) FILTER (WHERE label) AS positive
FROM adult;

\echo 'One private model by the exact exponential mechanism, epsilon = 1:'
\echo '  SELECT dp_halfspace(features, label, 1.0, 0) FROM adult;'
\timing on
CREATE TABLE model AS
  SELECT 'exponential' AS name, dp_halfspace(features, label, 1.0, 0) AS model FROM adult;
\timing off
\echo
\echo 'The same at epsilon = 0.1, and the two mechanisms of the papers at epsilon = 1, solved through GLPK:'
\echo '  opdisc perturbs the objective, for grids that are too large to draw from;'
\echo '  rspm perturbs examples that separate the grid''s vectors.'
\timing on
INSERT INTO model
  SELECT 'exponential', dp_halfspace(features, label, 0.1, 0) FROM adult;
INSERT INTO model
  SELECT 'opdisc', dp_halfspace(features, label, 1.0, 0, '{"mechanism": "opdisc", "solver": "glpk"}') FROM adult;
INSERT INTO model
  SELECT 'rspm', dp_halfspace(features, label, 1.0, 0, '{"mechanism": "rspm", "solver": "glpk"}') FROM adult;
\timing off
\echo
\echo 'What was released:'
\x on
SELECT name, (model).mechanism, (model).epsilon, (model).guarantee, (model).weights FROM model;
\x off
\echo 'Training accuracy in percent (the owner''s own look at the table, not private):'
SELECT name, (model).epsilon,
       round(100 * avg((dp_predict(model, features) = label)::int), 2) AS accuracy
FROM model, adult GROUP BY 1, 2 ORDER BY 1;

\echo 'A transaction that is rolled back keeps nothing but the charge:'
BEGIN;
SELECT (dp_halfspace(features, label, 0.5, 0)).release AS release FROM adult;
ROLLBACK;

\echo 'The ledger:'
SELECT id, event, release, relation_name, mechanism, epsilon, delta, guarantee
FROM dpobj.ledger ORDER BY id;
