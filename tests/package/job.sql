-- The main job on a server as it was installed: train, predict, be charged, be refused.
-- Run as a superuser in an empty database with ON_ERROR_STOP; says "the main job is done".
\set QUIET 1
SET client_min_messages = warning;
CREATE EXTENSION dpobj;

CREATE TABLE patient (features float8[] CHECK (cardinality(features) = 3), readmitted boolean);
INSERT INTO patient
  SELECT ARRAY[i % 2, i % 3 - 1, i % 5 / 4.0]::float8[] AS features, i % 2 = 1 AS readmitted
  FROM generate_series(1, 3000) i;
SELECT dpobj.set_budget('patient', NULL, 4, 0.00001) \g /dev/null

CREATE TABLE kept AS
  SELECT dp_halfspace(features, readmitted, 1.0, 0) AS model FROM patient;
-- by the optimiser of GLPK, and with noise that GSL calibrates
INSERT INTO kept
  SELECT dp_halfspace(features, readmitted, 1.0, 0, '{"mechanism": "opdisc", "solver": "glpk"}') FROM patient;
INSERT INTO kept
  SELECT dp_logistic(features, readmitted, 1.0, 0.000001, '{"noise": "gaussian"}') FROM patient;

DO $body$
DECLARE
  right_ones bigint;
BEGIN
  ASSERT (SELECT count(*) FROM kept WHERE dpobj.verify(model)) = 3, 'a model is not what was released';
  ASSERT (SELECT guarantee FROM dpobj.ledger WHERE event = 'charged' ORDER BY id LIMIT 1) = 'exact', 'the guarantee differs';
  ASSERT (SELECT count(*) FROM dpobj.ledger WHERE event = 'released') = 3, 'a release is not in the ledger';
  ASSERT (SELECT sum(epsilon) FROM dpobj.ledger WHERE event = 'charged') = 3, 'the ledger has another sum';
  ASSERT (SELECT epsilon_left FROM dpobj.budgets) = 1, 'the budget has another rest';
  SELECT count(*) INTO right_ones FROM patient, (SELECT model FROM kept LIMIT 1) k
  WHERE dp_predict(model, features) = readmitted;
  ASSERT right_ones > 2900, format('the model is right for %s of 3000 rows', right_ones);
  BEGIN
    PERFORM dp_halfspace(features, readmitted, 2.0, 0) FROM patient;
    ASSERT false, 'the budget was exceeded';
  EXCEPTION WHEN SQLSTATE 'UB001' THEN
    NULL;
  END;
END
$body$;
SELECT 'the main job is done, PostgreSQL ' || current_setting('server_version') || ', dpobj ' || extversion
  FROM pg_extension WHERE extname = 'dpobj' \g (tuples_only format=unaligned)
