-- Each row of one table enters at most once: what is let through and what is refused
CREATE TABLE person (id integer PRIMARY KEY, features float8[], rich boolean, city text);
INSERT INTO person SELECT i, ARRAY[(i % 2)::float8, (i % 2 = 0)::int::float8], i % 2 = 1, 'c' || i % 3
FROM generate_series(1, 200) i;
CREATE TABLE place (city text, country text);
INSERT INTO place VALUES ('c0', 'x'), ('c1', 'x'), ('c2', 'y');
ANALYZE person, place;
CREATE VIEW rich_person AS SELECT features, rich FROM person WHERE city <> 'c0';
CREATE TABLE part (id integer, features float8[], rich boolean) PARTITION BY RANGE (id);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (100);
CREATE TABLE part_high PARTITION OF part FOR VALUES FROM (100) TO (1000);
INSERT INTO part SELECT id, features, rich FROM person;

-- Allowed.
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person WHERE city IN ('c1', 'c2') AND id < 150;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person WHERE id = 7;
SELECT (dp_halfspace(features, rich, 1.0, 0) FILTER (WHERE id > 5)).kind FROM person;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM rich_person;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM (SELECT * FROM person WHERE id > 3) AS p;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM part;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM part_high;
SELECT (dp_halfspace(features, NOT rich, 1.0, 0)).kind, count(*) FROM person;
SELECT upper((m).kind) FROM (SELECT dp_halfspace(features, rich, 1.0, 0) AS m FROM person) AS s;
CREATE TABLE kept AS SELECT dp_halfspace(features, rich, 1.0, 0) AS model FROM person;
INSERT INTO kept SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
SELECT DISTINCT relation_name FROM dpobj.ledger WHERE relation_name ~ 'part|person' ORDER BY 1;

-- Refused; nothing is charged.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person GROUP BY city;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person GROUP BY ROLLUP (city);
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person HAVING count(*) > 3;
SELECT dp_halfspace(features, rich, 1.0, 0) OVER () FROM person;
SELECT dp_halfspace(DISTINCT features, rich, 1.0, 0) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0 ORDER BY id) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person JOIN place USING (city);
SELECT dp_halfspace(a.features, a.rich, 1.0, 0) FROM person a, person b WHERE a.id = b.id;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT * FROM person UNION ALL SELECT * FROM person) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT features, rich FROM person UNION ALL SELECT features, rich FROM part) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT * FROM person LIMIT 10) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT DISTINCT features, rich FROM person) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person, generate_series(1, 2);
SELECT dp_halfspace(ARRAY[x], true, 1.0, 0) FROM (VALUES (1.0::float8)) AS v(x);
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT features, rich, generate_series(1, 2) FROM person) AS p;
WITH p AS MATERIALIZED (SELECT * FROM person) SELECT dp_halfspace(features, rich, 1.0, 0) FROM p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person TABLESAMPLE BERNOULLI (50);
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
SELECT dpobj.halfspace_final(NULL);
BEGIN READ ONLY;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
ROLLBACK;
SELECT count(*) - :before AS events FROM dpobj.ledger;
DROP TABLE person, place, part, kept CASCADE;
