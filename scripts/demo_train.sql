\pset footer off
\pset linestyle ascii
\echo
\echo 'The table:'
SELECT count(*) AS rows, cardinality(min(features)) AS features, count(*) FILTER (WHERE label) AS positive
FROM adult;

\echo 'One private model by optimisation with a certificate, epsilon = 1:'
\echo '  SELECT dp_halfspace(features, label, 1.0, 0) FROM adult;'
\timing on
CREATE TABLE model AS
  SELECT 'opdisc' AS name, dp_halfspace(features, label, 1.0, 0) AS model FROM adult;
\timing off
\echo
\echo 'One by the exact exponential mechanism, with the one-hot groups declared, epsilon = 0.1:'
\timing on
INSERT INTO model
  SELECT 'exponential', dp_halfspace(features, label, 0.1, 0, '{"groups": [7, 6, 5, 2, 1, 1, 1]}')
  FROM adult;
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
