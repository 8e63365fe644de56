-- dp_halfspace: every form of the call, and what its privacy parameters refuse
CREATE EXTENSION dpobj;
CREATE TABLE person (features float8[], rich boolean, rich01 integer, rich11 bigint, eps float8);
INSERT INTO person
SELECT ARRAY[(i % 2)::float8, (i % 2 = 0)::int::float8], i % 2 = 1, i % 2, 2 * (i % 2) - 1, 1.0
FROM generate_series(1, 100) i;

-- The optimum of {-1,1}^2 is unique, and at epsilon = 10000 nothing else can come out.
SELECT (dp_halfspace(features, rich, 10000.0, 0, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich, 10000.0, 0.0, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich, 10000.0::float8, 0::float8, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich01, 10000.0, 0, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich01, 10000.0, 0.0, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich01, 10000.0::float8, 0::float8, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich11, 10000.0, 0, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich11, 10000.0, 0.0, '{"grid": "sign"}')).weights FROM person;
SELECT (dp_halfspace(features, rich11, 10000.0::float8, 0::float8, '{"grid": "sign"}')).weights FROM person;
SELECT cardinality((dp_halfspace(features, rich, 1.0, 0)).weights) FROM person;
SELECT cardinality((dp_halfspace(features, rich01, 1.0, 0)).weights) FROM person;
SELECT cardinality((dp_halfspace(features, rich11, 1.0::float8, 0::float8)).weights) FROM person;
SELECT cardinality((dp_halfspace(features, rich, 1, 0)).weights) FROM person;

-- What was charged: the decimal that was written; a pure mechanism charges no delta.
SELECT (m).epsilon, (m).delta, (m).adjacency, (m).guarantee, (m).kind, (m).mechanism
FROM (SELECT dp_halfspace(features, rich, 0.1, 1e-6) AS m FROM person) s;
SELECT (m).epsilon FROM (SELECT dp_halfspace(features, rich, 0.1::float8, 0::float8) AS m FROM person) s;
SELECT epsilon, delta FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 2;
SELECT (m).epsilon FROM (SELECT dp_halfspace(features, rich, 0.12345678901, 0) AS m FROM person) s;

-- Refused before any row is looked at, and nothing is charged.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT dp_halfspace(features, rich, 0, 0) FROM person;
SELECT dp_halfspace(features, rich, -1.0, 0) FROM person;
SELECT dp_halfspace(features, rich, 'NaN'::numeric, 0) FROM person;
SELECT dp_halfspace(features, rich, 'NaN'::float8, 0::float8) FROM person;
SELECT dp_halfspace(features, rich, 'Infinity'::float8, 0::float8) FROM person;
SELECT dp_halfspace(features, rich, 10001, 0) FROM person;
SELECT dp_halfspace(features, rich, 0.0000000001, 0) FROM person;
SELECT dp_halfspace(features, rich, NULL::numeric, 0) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 1) FROM person;
SELECT dp_halfspace(features, rich, 1.0, -0.1) FROM person;
SELECT dp_halfspace(features, rich, 1.0::float8, 'NaN'::float8) FROM person;
SELECT dp_halfspace(features, rich, 1.0, NULL::integer) FROM person;
SELECT dp_halfspace(features, rich, eps, 0::float8) FROM person;
SELECT dp_halfspace(features, rich, 1.0::float8, eps - 1) FROM person;
SELECT dp_halfspace(features, rich, random(), 0::float8) FROM person;
SELECT dp_halfspace(features, rich, (SELECT 1.0::float8), 0::float8) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0, jsonb_build_object('dimension', cardinality(features))) FROM person;
SELECT dp_halfspace(features, rich, eps, 0::float8) FROM person WHERE false;
SELECT count(*) - :before AS events FROM dpobj.ledger;

-- Parameters of a statement are constants of it.
PREPARE train(float8, jsonb) AS
  SELECT (dp_halfspace(features, rich, $1, 0::float8, $2)).epsilon FROM person;
EXECUTE train(0.25, '{}');
SET plan_cache_mode = force_generic_plan;
EXECUTE train(0.125, '{"grid": "sign"}');
EXECUTE train(-1, '{}');
RESET plan_cache_mode;
SELECT (dp_halfspace(features, rich, 1.0, 0, jsonb_build_object('grid', 'sign'))).epsilon FROM person;
CREATE FUNCTION train(e numeric) RETURNS float8 LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT (dp_halfspace(features, rich, e, 0)).epsilon FROM person); END $$;
SELECT train(0.5);

-- The same call twice in one statement is one release.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT (dp_halfspace(features, rich, 1.0, 0)).release = (dp_halfspace(features, rich, 1.0, 0)).release AS same
FROM person;
SELECT count(*) - :before AS events FROM dpobj.ledger;
DROP FUNCTION train(numeric);
DROP TABLE person;
