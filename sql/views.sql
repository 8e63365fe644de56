-- Which views are row-local to a person: views of use, which are accepted, and hostile ones, which are refused with what was found
\i tests/answers.sql
SET client_min_messages = warning;
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- A hospital: three protected tables, two public ones, and others.
CREATE TYPE severity AS ENUM ('mild', 'severe');
CREATE DOMAIN score AS numeric(5, 2) CHECK (VALUE >= 0);
CREATE COLLATION ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE patient (id int PRIMARY KEY, sex text, birth date, weight numeric(5, 1), height float8, region varchar(20), smoker boolean, latin text COLLATE "C", posix text COLLATE "POSIX",
  letter char(1), free numeric, pain score, folded text COLLATE ignoring_case, tags text[], note jsonb, mail text, joined timestamptz, at_work time,
  state severity, code uuid, shoe real, points bigint, rank smallint, span interval, place point);
CREATE TABLE visit (id bigint PRIMARY KEY, patient_id int, at timestamp NOT NULL, ward text, cost numeric(10, 2), minutes int, severity severity,
  doctor int, free numeric, x float8, big bigint, seen date);
CREATE TABLE lab (id bigint PRIMARY KEY, patient_id bigint NOT NULL, visit_id bigint, code text NOT NULL, value numeric(12, 4), taken date, UNIQUE (patient_id, code, taken));
CREATE TABLE ward (name text PRIMARY KEY, floor int, price numeric(8, 2));
CREATE TABLE unit (code text PRIMARY KEY, factor numeric(6, 3), since date NOT NULL);
CREATE TABLE secret (id int PRIMARY KEY, patient_id int, ward text);
CREATE TABLE alone (id int PRIMARY KEY, x int);
CREATE TABLE badge (holder text, room int);
CREATE TABLE parent (id int PRIMARY KEY, patient_id int, kind text);
CREATE TABLE child (extra int) INHERITS (parent);
CREATE TABLE split (id int NOT NULL, patient_id int NOT NULL, v int, PRIMARY KEY (id, patient_id)) PARTITION BY HASH (patient_id);
CREATE TABLE split_0 PARTITION OF split FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE split_1 PARTITION OF split FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT dpobj.protect('patient', '{"sex": {"levels": ["f", "m"]}}', person => 'id', max_rows_per_person => 1);
SELECT dpobj.protect(t, '{"id": {"center": 0, "scale": 1}}', person => 'patient_id', max_rows_per_person => 5) FROM unnest('{visit, lab, parent, split}'::regclass[]) t;
SELECT dpobj.protect('badge', '{"room": {"center": 0, "scale": 1}}', person => 'holder', max_rows_per_person => 5);
SELECT dpobj.protect('alone', '{"x": {"center": 0, "scale": 1}}');
SELECT dpobj.declare_public('ward'), dpobj.declare_public('unit');

-- What others wrote: a function that is IMMUTABLE and reads a table, operators, an aggregate, a sequence.
CREATE FUNCTION mine(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT count(*)::int FROM secret';
CREATE FUNCTION fixed_secret() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM secret); END';
CREATE OPERATOR |+| (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl);
CREATE OPERATOR public.= (LEFTARG = int, RIGHTARG = int, FUNCTION = int4ne);
CREATE AGGREGATE mine_sum (int) (SFUNC = int4pl, STYPE = int);
CREATE FUNCTION ward_of(int) RETURNS ward STABLE LANGUAGE sql AS 'SELECT ward FROM ward LIMIT 1';
CREATE SEQUENCE counter;

-- The tables that a view reads, or why it is refused.
CREATE TABLE accepted (definition text);
CREATE FUNCTION checked(definition text, person text DEFAULT 'patient_id') RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; detail text;
BEGIN
  EXECUTE 'CREATE VIEW tried AS ' || definition;
  SELECT string_agg(concat_ws('.', base, base_person), ' ' ORDER BY base::text) INTO answer FROM dpobj_internal.check_view('tried', person);
  DROP VIEW tried;
  INSERT INTO accepted VALUES (definition);
  RETURN 'accepted: ' || answer;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ': ' || CASE WHEN detail = '' THEN SQLERRM ELSE detail END;
END $$;

-- 1. Views of use
SELECT checked($$SELECT id AS patient_id, sex, weight FROM patient$$);
SELECT checked($$SELECT p.id AS patient_id, p.sex, v.ward, v.cost FROM patient p JOIN visit v ON v.patient_id = p.id$$);
SELECT checked($$SELECT p.id AS patient_id, p.sex, v.ward FROM patient p, visit v WHERE v.patient_id = p.id AND v.cost > 10$$);
SELECT checked($$SELECT p.id AS patient_id, p.sex, count(*) AS visits, sum(v.cost) AS cost, max(v.at) AS last FROM patient p JOIN visit v ON v.patient_id = p.id GROUP BY p.id$$);
SELECT checked($$SELECT p.id AS patient_id, p.sex, count(v.id) AS visits FROM patient p LEFT JOIN visit v ON v.patient_id = p.id GROUP BY p.id, p.sex$$);
SELECT checked($$SELECT p.id AS patient_id, v.n, l.mean FROM patient p LEFT JOIN (SELECT patient_id, count(*) AS n FROM visit GROUP BY patient_id) v ON v.patient_id = p.id
  LEFT JOIN (SELECT patient_id, avg(value) AS mean FROM lab WHERE code = 'hb' GROUP BY patient_id) l ON l.patient_id = p.id$$);
SELECT checked($$SELECT patient_id, ward FROM visit v JOIN ward w ON w.name = v.ward WHERE w.floor = 2$$);
SELECT checked($$SELECT v.patient_id, w.floor FROM visit v LEFT JOIN ward w ON w.name = v.ward$$);
SELECT checked($$SELECT v.patient_id, w.floor FROM ward w RIGHT JOIN visit v ON w.name = v.ward$$);
SELECT checked($$SELECT p.id AS patient_id, EXISTS (SELECT FROM visit v WHERE v.patient_id = p.id AND v.ward = 'icu') AS intensive FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id FROM patient p WHERE NOT EXISTS (SELECT FROM lab l WHERE l.patient_id = p.id)$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT count(*) FROM visit v WHERE v.patient_id = p.id) AS visits FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT v.ward FROM visit v WHERE v.patient_id = p.id ORDER BY v.at DESC, v.id LIMIT 1) AS last_ward FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, last.* FROM patient p CROSS JOIN LATERAL (SELECT v.ward, v.cost FROM visit v WHERE v.patient_id = p.id ORDER BY v.at, v.id LIMIT 3) last$$);
SELECT checked($$SELECT p.id AS patient_id, last.cost FROM patient p LEFT JOIN LATERAL (SELECT v.cost FROM visit v WHERE p.id = v.patient_id ORDER BY v.id LIMIT 1) last ON true$$);
SELECT checked($$SELECT DISTINCT patient_id, ward FROM visit$$);
SELECT checked($$SELECT DISTINCT ON (patient_id) patient_id, ward, cost FROM visit ORDER BY patient_id, at DESC, id$$);
SELECT checked($$SELECT patient_id, ward, row_number() OVER (PARTITION BY patient_id ORDER BY at, id) AS nth FROM visit$$);
SELECT checked($$SELECT patient_id, cost, lag(cost) OVER w AS before, sum(cost) OVER (w ROWS 2 PRECEDING) AS recent FROM visit WINDOW w AS (PARTITION BY patient_id ORDER BY at, id)$$);
SELECT checked($$SELECT * FROM (SELECT patient_id, ward, rank() OVER (PARTITION BY patient_id ORDER BY at DESC) AS r FROM visit) x WHERE r = 1$$);
SELECT checked($$SELECT patient_id::bigint AS patient_id, ward AS what FROM visit UNION ALL SELECT patient_id, code FROM lab$$);
SELECT checked($$SELECT patient_id, ward AS what FROM visit UNION ALL SELECT id, sex FROM patient$$);
SELECT checked($$SELECT patient_id, count(*) AS n FROM (SELECT patient_id, ward AS what FROM visit UNION ALL SELECT id, sex FROM patient) u GROUP BY patient_id$$);
SELECT checked($$WITH v AS (SELECT patient_id, count(*) AS n FROM visit GROUP BY patient_id) SELECT p.id AS patient_id, v.n FROM patient p JOIN v ON v.patient_id = p.id$$);
SELECT checked($$WITH v AS MATERIALIZED (SELECT patient_id, at, id, ward FROM visit), w AS (SELECT patient_id, count(*) AS n FROM v GROUP BY 1)
  SELECT p.id AS patient_id, w.n, (SELECT v.ward FROM v WHERE v.patient_id = p.id ORDER BY v.id LIMIT 1) AS first FROM patient p LEFT JOIN w ON w.patient_id = p.id$$);
SELECT checked($$SELECT v.patient_id, l.code, l.value FROM visit v JOIN lab l ON l.patient_id = v.patient_id AND l.visit_id = v.id$$);
SELECT checked($$SELECT patient_id, v.ward, l.value FROM visit v JOIN lab l USING (patient_id)$$, 'patient_id');
SELECT checked($$SELECT v.patient_id, v.ward, l.value FROM visit v JOIN lab l USING (patient_id)$$);
SELECT checked($$SELECT patient_id, ward, kind FROM visit LEFT JOIN parent USING (patient_id)$$);
SELECT checked($$SELECT p.id AS patient_id FROM (patient p JOIN visit v ON true) JOIN lab l ON l.patient_id = v.patient_id WHERE v.patient_id = p.id$$);
SELECT checked($$SELECT p.id AS patient_id, u.factor * l.value AS v FROM patient p JOIN lab l ON l.patient_id = p.id JOIN unit u ON u.code = l.code$$);
SELECT checked($$SELECT patient_id, code, value FROM lab WHERE code IN (SELECT code FROM unit WHERE factor > 1)$$);
SELECT checked($$SELECT patient_id, value FROM lab WHERE code NOT IN ('hb', 'k') AND value BETWEEN 1 AND 5$$);
SELECT checked($$SELECT patient_id, value - (SELECT max(u.factor) FROM unit u) AS d FROM lab$$);
SELECT checked($$SELECT patient_id, (SELECT u.factor FROM unit u WHERE u.code = l.code ORDER BY u.code LIMIT 1) AS f FROM lab l$$);
SELECT checked($$SELECT patient_id, CASE WHEN cost > 100 THEN 'high' WHEN cost > 10 THEN 'middle' ELSE 'low' END AS band, coalesce(ward, '?') AS ward FROM visit$$);
SELECT checked($$SELECT patient_id, CASE ward WHEN 'icu' THEN 1 ELSE 0 END AS icu, nullif(minutes, 0) AS m, greatest(minutes, 5) AS g, least(cost, 100) AS l FROM visit$$);
SELECT checked($$SELECT patient_id, sum(CASE WHEN ward = 'icu' THEN cost ELSE 0 END) AS icu, sum(cost) FILTER (WHERE minutes > 60) AS long, count(DISTINCT ward) AS wards FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT patient_id, avg(minutes) AS a, stddev(cost) AS s, var_pop(minutes) AS v, min(ward) AS w, bool_or(cost > 5) AS b, every(minutes > 1) AS e FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT patient_id, sum(cost) / nullif(count(*)::numeric, 0) AS mean, sum(minutes)::numeric / 60 AS hours, round(avg(cost), 2) AS rounded FROM visit GROUP BY patient_id HAVING count(*) > 1$$);
SELECT checked($$SELECT patient_id, mode() WITHIN GROUP (ORDER BY ward) AS usual, percentile_disc(0.5) WITHIN GROUP (ORDER BY minutes) AS d, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS c,
  percentile_cont(0.9) WITHIN GROUP (ORDER BY cost) AS e FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT id AS patient_id, extract(year FROM birth) AS year, dpobj.days(birth, DATE '2026-01-01')::numeric / 365.25 AS age, isfinite(birth) AS known FROM patient$$);
SELECT checked($$SELECT patient_id, extract(dow FROM at) AS day, extract(hour FROM at) AS hour, at::date AS date, count(*) AS n FROM visit GROUP BY patient_id, extract(dow FROM at), extract(hour FROM at), at::date$$);
SELECT checked($$SELECT id AS patient_id, length(sex) AS l, lower(sex) AS s, upper(region) AS r, left(mail, 3) AS m, substr(mail, 2, 5) AS b, region LIKE 'N%' AS north, mail NOT LIKE '%@%' AS odd FROM patient$$);
SELECT checked($$SELECT id AS patient_id, weight / nullif((height::numeric) * (height::numeric), 0) AS bmi, abs(weight - 70) AS off, floor(weight) AS f, ceil(weight) AS c, sign(weight) AS s, -weight AS m FROM patient$$);
SELECT checked($$SELECT id AS patient_id, smoker::int AS smokes, rank::int AS r, points::numeric * 2 AS p, shoe::numeric AS shoe, rank::float8 AS f, region::text AS region FROM patient$$);
SELECT checked($$SELECT id AS patient_id, pain, letter, note, code, span, place FROM patient$$);
SELECT checked($$SELECT id AS patient_id, pain, pain > 3 AS hurts, letter, letter::text = 'F' AS f, note, joined, joined > '2020-01-01' AS late, at_work < '12:00' AS early, state = 'severe' AS severe, state FROM patient$$);
SELECT checked($$SELECT id AS patient_id, smoker IS NOT TRUE AS s, sex IS DISTINCT FROM 'f' AS d, (sex = 'f' OR NOT smoker) AS o, points > rank AS g, sex COLLATE "C" < 'm' AS c FROM patient$$);
SELECT checked($$SELECT patient_id, unpivot.kind, unpivot.n FROM visit v CROSS JOIN LATERAL (VALUES ('minutes', v.minutes), ('doctor', v.doctor)) AS unpivot(kind, n)$$);
SELECT checked($$SELECT p.id AS patient_id, m.month, (SELECT count(*) FROM visit v WHERE v.patient_id = p.id AND extract(month FROM v.at) = m.month) AS visits FROM patient p CROSS JOIN generate_series(1, 12) AS m(month)$$);
SELECT checked($$SELECT p.id AS patient_id, k.code, l.value FROM patient p CROSS JOIN (VALUES ('hb'), ('k')) k(code) LEFT JOIN lab l ON l.patient_id = p.id AND l.code = k.code$$);
SELECT checked($$SELECT s.patient_id, s.v FROM split s JOIN patient p ON p.id = s.patient_id$$);
SELECT checked($$SELECT patient_id, v, row_number() OVER (PARTITION BY patient_id ORDER BY id) AS n FROM split$$);
SELECT checked($$SELECT patient_id, kind FROM parent$$);
SELECT checked($$SELECT patient_id, count(*) AS n FROM ONLY parent GROUP BY patient_id$$);
SELECT checked($$SELECT holder AS patient_id, count(*) AS n FROM badge GROUP BY holder$$);
SELECT checked($$SELECT patient_id, ntile(4) OVER w AS q, first_value(cost) OVER w AS f, last_value(cost) OVER w AS l, nth_value(cost, 2) OVER w AS s, cume_dist() OVER w AS c, lead(minutes, 2, 0) OVER w AS a
  FROM visit WINDOW w AS (PARTITION BY patient_id ORDER BY at, id)$$);
SELECT checked($$SELECT p.id AS patient_id, x.n FROM patient p JOIN LATERAL (SELECT v.patient_id, count(*) AS n FROM visit v WHERE v.minutes > p.rank GROUP BY v.patient_id) x ON x.patient_id = p.id$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT count(*) FROM visit v JOIN lab l ON l.visit_id = v.id WHERE v.patient_id = p.id AND l.patient_id = p.id) AS n FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT max(s.n) FROM (SELECT v.ward, count(*) AS n FROM visit v WHERE v.patient_id = p.id GROUP BY v.ward) s) AS most FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT avg(v.cost) FROM (SELECT cost FROM visit WHERE patient_id = p.id ORDER BY at DESC, id LIMIT 5) v) AS recent FROM patient p$$);
SELECT checked($$SELECT v.patient_id, v.cost - avg(v.cost) OVER (PARTITION BY v.patient_id) AS off, max(v.cost) OVER (PARTITION BY v.patient_id, v.ward) AS most FROM visit v$$);
SELECT checked($$SELECT patient_id, sum(n) OVER (PARTITION BY patient_id ORDER BY ward) AS running FROM (SELECT patient_id, ward, count(*) AS n FROM visit GROUP BY patient_id, ward) g$$);
SELECT checked($$SELECT patient_id, ward, row_number() OVER (PARTITION BY patient_id ORDER BY count(*) DESC, ward) AS n FROM visit GROUP BY patient_id, ward$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT v.ward FROM visit v WHERE v.patient_id = p.id GROUP BY v.ward ORDER BY count(*) DESC, v.ward LIMIT 1) AS usual FROM patient p ORDER BY p.id$$);
SELECT checked($$SELECT b.patient_id, b.ward, b.cost FROM visit b WHERE EXISTS (SELECT FROM visit c WHERE c.patient_id = b.patient_id AND c.at > b.at)$$);
SELECT checked($$SELECT p.id AS patient_id FROM patient p WHERE (SELECT sum(v.cost) FROM visit v WHERE v.patient_id = p.id) > 100$$);
SELECT checked($$SELECT patient_id, ward FROM visit WHERE ward = ANY ('{icu,er}') AND severity IN ('mild', 'severe') AND minutes IN (1, 2, 3)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE (rank, weight) IN (SELECT 1, price FROM ward)$$);
SELECT checked($$SELECT patient_id, minutes, row_number() OVER (PARTITION BY patient_id ORDER BY minutes) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, DATE '2020-01-01' < at::date AS late, extract(year FROM at) AS year, max(at) AS last FROM visit GROUP BY patient_id, at::date, extract(year FROM at)$$);

-- They are local: a person's rows are the same where the others have none and the person's rows are stored in another order.
CREATE FUNCTION one_of(list text[], n int) RETURNS text LANGUAGE sql AS 'SELECT list[1 + n % cardinality(list)]';
SELECT setseed(0.5);
INSERT INTO ward SELECT w, n % 3, n * 10.5 FROM unnest('{icu,er,N1,S2}'::text[]) WITH ORDINALITY AS x(w, n);
INSERT INTO unit VALUES ('hb', 1.5, '2020-01-01'), ('k', 0.25, '2021-01-01'), ('na', 2, '2022-01-01');
INSERT INTO patient (id, sex, birth, weight, height, region, smoker, letter, free, pain, mail, joined, at_work, state, shoe, points, rank, latin, posix)
  SELECT i, one_of('{f,m,NULL}', i)::text, DATE '1960-01-01' + i * 999, 50 + i * 7.3, 1.5 + i / 20.0, one_of('{N1,S2,icu}', i), i % 2 = 0, one_of('{F,M}', i), i::numeric / 3, i / 2.0, i || '@b', '2019-06-01'::timestamptz + i * interval '90 days',
    '08:00'::time + i * interval '1 hour', one_of('{mild,severe}', i)::severity, 40 + i, i * 100, i, 'a', 'b' FROM generate_series(1, 6) i;
INSERT INTO visit SELECT i, nullif((random() * 6)::int, 0), '2024-01-01'::timestamp + (random() * 5)::int * interval '40 days', one_of('{icu,er,N1,NULL}', (random() * 8)::int), (random() * 200)::numeric(10, 2), (random() * 5)::int * 30, one_of('{mild,severe}', i)::severity,
  (random() * 6)::int, round((random() * 10)::numeric, (random() * 3)::int), (random() * 3)::int / 2.0, i, '2024-01-01' FROM generate_series(1, 60) i;
INSERT INTO lab SELECT DISTINCT ON (patient_id, code, taken) * FROM (SELECT i, 1 + (random() * 5)::int AS patient_id, (random() * 60)::int, one_of('{hb,k,na}', (random() * 9)::int) AS code, (random() * 9)::numeric(12, 4), DATE '2024-01-01' + (random() * 300)::int AS taken FROM generate_series(1, 60) i) x;
INSERT INTO parent SELECT i, nullif((random() * 6)::int, 0), one_of('{a,b}', (random() * 4)::int) FROM generate_series(1, 20) i;
INSERT INTO child SELECT i, nullif((random() * 6)::int, 0), 'c' FROM generate_series(1, 20) i;
INSERT INTO split SELECT i, 1 + (random() * 5)::int, (random() * 3)::int FROM generate_series(1, 30) i;
INSERT INTO badge SELECT nullif((random() * 6)::int, 0)::text, (random() * 3)::int FROM generate_series(1, 20) i;
CREATE FUNCTION rows_of_person(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  EXECUTE 'SELECT string_agg(v::text, '' '' ORDER BY v::text COLLATE "C") FROM local v WHERE v.patient_id::text = $1::text' INTO answer USING p;
  RETURN answer;
END $$;
CREATE FUNCTION rows_alone(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; base record;
BEGIN
  FOR base IN SELECT * FROM (VALUES ('patient', 'id'), ('visit', 'patient_id'), ('lab', 'patient_id'), ('parent', 'patient_id'), ('split', 'patient_id'), ('badge', 'holder')) AS b(name, person) LOOP
    EXECUTE format('DELETE FROM %I WHERE %2$I::text IS DISTINCT FROM $1::text', base.name, base.person) USING p;
    EXECUTE format('UPDATE %1$I SET %2$I = %2$I WHERE md5(%1$I::text) < ''9''', base.name, base.person);
  END LOOP;
  answer := rows_of_person(p);
  RAISE EXCEPTION 'undo';
EXCEPTION WHEN raise_exception THEN
  RETURN answer;
END $$;
CREATE FUNCTION locality(definition text, OUT rows int, OUT differs boolean) LANGUAGE plpgsql AS $$
DECLARE whole text;
BEGIN
  EXECUTE 'CREATE VIEW local AS ' || definition;
  rows := 0;
  differs := false;
  FOR p IN 1 .. 3 LOOP
    whole := rows_of_person(p);
    rows := rows + coalesce(cardinality(string_to_array(whole, '(')) - 1, 0);
    differs := differs OR whole IS DISTINCT FROM rows_alone(p);
  END LOOP;
  DROP VIEW local;
END $$;
SELECT definition FROM accepted, locality(definition) WHERE differs;
SELECT count(*) > 70 AS views, count(*) FILTER (WHERE rows > 2) > 60 AS with_rows, sum(rows) > 500 AS rows FROM accepted, locality(definition);
-- and the test would find one that is not
SELECT (locality('SELECT id AS patient_id, (SELECT count(*) FROM visit) AS n FROM patient')).differs, (locality('SELECT DISTINCT ON (patient_id) patient_id, ward, id FROM visit')).differs;

-- 2. Rows of different persons come together
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p, visit v$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p CROSS JOIN visit v$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.doctor = p.id$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id <> p.id$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id >= p.id AND v.patient_id <= p.id$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id = p.id OR v.ward = 'icu'$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON NOT (v.patient_id <> p.id)$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON (v.patient_id = p.id) IS NOT FALSE$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id IS NOT DISTINCT FROM p.id$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON coalesce(v.patient_id, 1) = p.id$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id::numeric = p.id::numeric$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id::float8 = p.id::float8$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON CASE WHEN true THEN v.patient_id = p.id END$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id IN (p.id, 7)$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p JOIN visit v ON v.patient_id = 7 AND p.id = 7$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward, l.code FROM patient p JOIN visit v ON v.patient_id = p.id JOIN lab l ON l.visit_id = v.id$$);
SELECT checked($$SELECT a.patient_id, b.ward FROM visit a JOIN visit b ON a.ward = b.ward$$);
SELECT checked($$SELECT a.patient_id, b.ward FROM visit a JOIN visit b USING (ward)$$);
SELECT checked($$SELECT a.patient_id, b.kind FROM visit a NATURAL JOIN parent b JOIN parent c ON true$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p LEFT JOIN visit v ON true WHERE v.patient_id = p.id$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p LEFT JOIN visit v ON v.ward = 'icu'$$);
SELECT checked($$SELECT p.id AS patient_id, v.ward FROM patient p LEFT JOIN (visit v JOIN lab l ON l.visit_id = v.id) ON v.patient_id = p.id$$);
SELECT checked($$SELECT v.patient_id, w.name FROM ward w LEFT JOIN visit v ON v.ward = w.name$$);
SELECT checked($$SELECT v.patient_id, w.name FROM visit v RIGHT JOIN ward w ON v.ward = w.name$$);
SELECT checked($$SELECT coalesce(p.id, v.patient_id) AS patient_id FROM patient p FULL JOIN visit v ON v.patient_id = p.id$$);
SELECT checked($$SELECT patient_id FROM visit FULL JOIN parent USING (patient_id)$$);
SELECT checked($$SELECT v.patient_id FROM visit v LEFT JOIN (ward w LEFT JOIN patient p ON p.region = w.name) ON w.name = v.ward$$);

-- The NULLs of an outer join are one group of all persons.
SELECT checked($$SELECT DISTINCT ON (v.patient_id) p.id AS patient_id, v.ward FROM patient p LEFT JOIN visit v ON v.patient_id = p.id ORDER BY v.patient_id, p.id, v.id$$);
SELECT checked($$SELECT p.id AS patient_id, count(*) OVER (PARTITION BY v.patient_id) AS n FROM patient p LEFT JOIN visit v ON v.patient_id = p.id$$);
SELECT checked($$SELECT p.id AS patient_id, rank() OVER (PARTITION BY l.patient_id ORDER BY p.weight) AS n FROM patient p LEFT JOIN lab l ON l.patient_id = p.id$$);

-- Aggregates, windows, DISTINCT and LIMIT over all persons
SELECT checked($$SELECT count(*) AS patient_id FROM visit$$);
SELECT checked($$SELECT max(patient_id) AS patient_id FROM visit$$);
SELECT checked($$SELECT min(patient_id) AS patient_id, ward FROM visit GROUP BY ward$$);
SELECT checked($$SELECT patient_id % 2 AS patient_id, count(*) FROM visit GROUP BY patient_id % 2$$);
SELECT checked($$SELECT patient_id + 0 AS patient_id, ward FROM visit$$);
SELECT checked($$SELECT 1 AS patient_id FROM visit HAVING count(*) > 3$$);
SELECT checked($$SELECT patient_id, ward FROM visit GROUP BY GROUPING SETS ((patient_id, ward), (ward))$$);
SELECT checked($$SELECT patient_id, count(*) AS n FROM visit GROUP BY ROLLUP (patient_id)$$);
SELECT checked($$SELECT patient_id, grouping(patient_id) AS g FROM visit GROUP BY CUBE (patient_id)$$);
SELECT checked($$SELECT patient_id, row_number() OVER (ORDER BY id) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, rank() OVER (PARTITION BY ward ORDER BY cost) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, count(*) OVER () AS n FROM visit$$);
SELECT checked($$SELECT patient_id, count(*) OVER (PARTITION BY patient_id + 0) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, count(*) OVER (PARTITION BY patient_id) AS a, count(*) OVER (PARTITION BY ward) AS b FROM visit$$);
SELECT checked($$SELECT patient_id FROM visit WINDOW w AS (ORDER BY id)$$);
SELECT checked($$SELECT patient_id, ward FROM visit LIMIT 10$$);
SELECT checked($$SELECT patient_id, ward FROM visit ORDER BY id OFFSET 1$$);
SELECT checked($$SELECT patient_id, ward FROM visit ORDER BY id FETCH FIRST 3 ROWS WITH TIES$$);
SELECT checked($$SELECT patient_id, ward FROM (SELECT * FROM visit ORDER BY id LIMIT 5) x$$);
SELECT checked($$SELECT DISTINCT ON (ward) patient_id, ward FROM visit ORDER BY ward, id$$);
SELECT checked($$SELECT DISTINCT ward AS patient_id FROM visit$$);
SELECT checked($$SELECT patient_id, ward FROM (SELECT DISTINCT ON (ward) patient_id, ward FROM visit ORDER BY ward, id) x WHERE patient_id = 1$$);
SELECT checked($$SELECT patient_id FROM visit UNION SELECT id FROM patient$$);
SELECT checked($$SELECT id AS patient_id FROM patient EXCEPT SELECT patient_id FROM visit$$);
SELECT checked($$SELECT id AS patient_id FROM patient EXCEPT ALL SELECT patient_id FROM visit$$);
SELECT checked($$SELECT id AS patient_id FROM patient INTERSECT SELECT patient_id FROM visit$$);
SELECT checked($$SELECT patient_id, ward FROM visit UNION ALL SELECT floor, name FROM ward$$);
SELECT checked($$SELECT patient_id, doctor FROM visit UNION ALL SELECT doctor, patient_id FROM visit$$);
SELECT checked($$SELECT patient_id, ward FROM visit UNION ALL (SELECT id, sex FROM patient ORDER BY id LIMIT 2)$$);
SELECT checked($$SELECT patient_id, ward FROM visit UNION ALL SELECT patient_id, kind FROM parent ORDER BY 1, 2 LIMIT 3$$);

-- Subqueries that read other persons
SELECT checked($$SELECT id AS patient_id, (SELECT count(*) FROM visit) AS n FROM patient$$);
SELECT checked($$SELECT id AS patient_id FROM patient WHERE EXISTS (SELECT FROM visit WHERE ward = 'icu')$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE EXISTS (SELECT FROM visit v WHERE v.doctor = p.id)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient_id = p.rank)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient_id = p.id OR true)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient_id = p.id + 0)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE id IN (SELECT patient_id FROM visit)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE id NOT IN (SELECT patient_id FROM visit)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE weight > ALL (SELECT cost FROM visit v WHERE v.patient_id = p.id)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE 3 = ANY (SELECT v.minutes FROM visit v WHERE v.patient_id = p.id)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE (rank, weight) IN (SELECT 1, cost FROM visit)$$);
SELECT checked($$SELECT id AS patient_id FROM patient p WHERE (rank, weight) = (SELECT floor, price FROM ward ORDER BY name LIMIT 1)$$);
SELECT checked($$SELECT id AS patient_id, ARRAY(SELECT v.ward FROM visit v WHERE v.patient_id = p.id) AS wards FROM patient p$$);
SELECT checked($$SELECT id AS patient_id, (SELECT v.ward FROM visit v WHERE v.patient_id = p.id) AS w FROM patient p$$);
SELECT checked($$SELECT id AS patient_id, (SELECT v.ward FROM visit v WHERE v.patient_id = p.id ORDER BY v.id LIMIT 2) AS w FROM patient p$$);
SELECT checked($$SELECT id AS patient_id, (SELECT w.floor FROM ward w WHERE w.floor > p.rank) AS f FROM patient p$$);
SELECT checked($$SELECT id AS patient_id, (SELECT count(*) FROM (SELECT * FROM visit ORDER BY id LIMIT 3) v WHERE v.patient_id = p.id) AS w FROM patient p$$);
SELECT checked($$SELECT id AS patient_id, (SELECT count(*) FROM (SELECT patient_id, rank() OVER (ORDER BY cost) AS r FROM visit) v WHERE v.patient_id = p.id) AS w FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, x.* FROM patient p CROSS JOIN LATERAL (SELECT v.ward FROM visit v WHERE v.doctor = p.rank) x$$);
SELECT checked($$SELECT p.id AS patient_id, x.n FROM patient p CROSS JOIN LATERAL (SELECT count(*) AS n FROM visit v WHERE v.ward = p.region) x$$);
SELECT checked($$SELECT x.patient_id FROM ward w CROSS JOIN LATERAL (SELECT v.patient_id FROM visit v WHERE v.ward = w.name ORDER BY v.id LIMIT 1) x$$);
SELECT checked($$SELECT v.patient_id, (SELECT count(*) FROM lab l WHERE l.patient_id = v.patient_id OR l.visit_id = v.id) AS n FROM visit v$$);
SELECT checked($$SELECT v.patient_id, v.ward FROM visit v JOIN ward w ON w.name = v.ward AND w.floor = (SELECT max(floor) FROM ward JOIN visit ON visit.ward = ward.name)$$);
SELECT checked($$SELECT v.patient_id, (SELECT count(*) FROM patient p LEFT JOIN lab l ON l.patient_id = v.patient_id WHERE p.id = v.patient_id) AS n FROM visit v$$);
SELECT checked($$SELECT v.patient_id, (SELECT count(*) FROM lab l JOIN parent q ON q.id = l.visit_id WHERE l.patient_id = v.patient_id) AS n FROM visit v$$);
SELECT checked($$SELECT min(v.patient_id) AS patient_id, v.ward, (SELECT count(*) FROM lab l WHERE l.patient_id = min(v.patient_id)) AS n FROM visit v GROUP BY v.ward$$);
SELECT checked($$SELECT patient_id, (SELECT sum(v.cost) FROM ward) AS n FROM visit v GROUP BY patient_id$$);

-- WITH
SELECT checked($$WITH RECURSIVE r(n, patient_id) AS (SELECT 1, patient_id FROM visit UNION ALL SELECT n + 1, patient_id FROM r WHERE n < 3) SELECT patient_id, n FROM r$$);
SELECT checked($$WITH all_visits AS (SELECT count(*) AS n FROM visit) SELECT p.id AS patient_id, n FROM patient p, all_visits$$);
SELECT checked($$WITH few AS MATERIALIZED (SELECT * FROM visit ORDER BY id LIMIT 10) SELECT patient_id, ward FROM few$$);
SELECT checked($$WITH v AS (SELECT patient_id FROM visit) SELECT id AS patient_id FROM patient WHERE id IN (SELECT patient_id FROM v)$$);

-- 3. What is first is left open
SELECT checked($$SELECT DISTINCT ON (patient_id) patient_id, ward FROM visit ORDER BY patient_id, at$$);
SELECT checked($$SELECT DISTINCT ON (patient_id) patient_id, ward FROM visit$$);
SELECT checked($$SELECT DISTINCT ON (patient_id) patient_id, ward FROM visit ORDER BY patient_id, id + 0$$);
SELECT checked($$SELECT patient_id, ward, row_number() OVER (PARTITION BY patient_id ORDER BY at) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, ward, row_number() OVER (PARTITION BY patient_id) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, lag(cost) OVER (PARTITION BY patient_id ORDER BY at) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, first_value(ward) OVER (PARTITION BY patient_id ORDER BY at) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, sum(cost) OVER (PARTITION BY patient_id ORDER BY at ROWS 1 PRECEDING) AS n FROM visit$$);
SELECT checked($$SELECT patient_id, ward, ntile(2) OVER (PARTITION BY patient_id ORDER BY cost) AS n FROM visit$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT row_number() OVER (ORDER BY v.minutes) FROM visit v WHERE v.patient_id = p.id ORDER BY v.minutes LIMIT 1) AS n FROM patient p$$);
SELECT checked($$SELECT DISTINCT ON (patient_id, minutes) patient_id, minutes, row_number() OVER (PARTITION BY patient_id ORDER BY minutes) AS n FROM visit ORDER BY patient_id, minutes$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT v.ward FROM visit v WHERE v.patient_id = p.id ORDER BY v.at LIMIT 1) AS w FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT v.ward FROM visit v WHERE v.patient_id = p.id LIMIT 1) AS w FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT s.v FROM split s WHERE s.patient_id = p.id ORDER BY s.patient_id LIMIT 1) AS w FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT v.ward FROM visit v JOIN lab l ON l.patient_id = v.patient_id WHERE v.patient_id = p.id ORDER BY v.id LIMIT 1) AS w FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT q.kind FROM parent q WHERE q.patient_id = p.id ORDER BY q.id LIMIT 1) AS w FROM patient p$$);
SELECT checked($$SELECT p.id AS patient_id, (SELECT v.ward FROM visit v WHERE v.patient_id = p.id GROUP BY v.ward, v.doctor ORDER BY v.ward LIMIT 1) AS w FROM patient p$$);
SELECT checked($$SELECT q.patient_id, q.id, q.kind FROM parent q GROUP BY q.patient_id, q.id$$);
SELECT checked($$SELECT patient_id, taken, row_number() OVER (PARTITION BY patient_id ORDER BY code, taken) AS n, value FROM lab$$);
SELECT checked($$SELECT l.patient_id, (SELECT w.name FROM ward w ORDER BY w.floor LIMIT 1) AS w FROM lab l$$);
SELECT checked($$SELECT patient_id, array_agg(ward ORDER BY id) AS w FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT patient_id, string_agg(ward, ',') AS w FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT patient_id, max(free) AS w FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT patient_id, sum(DISTINCT free) AS w FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT patient_id, mode() WITHIN GROUP (ORDER BY free) AS w FROM visit GROUP BY patient_id$$);
SELECT checked($$SELECT patient_id, free FROM visit GROUP BY patient_id, free$$);
SELECT checked($$SELECT patient_id, x FROM visit GROUP BY patient_id, x$$);
SELECT checked($$SELECT DISTINCT patient_id, x FROM visit$$);
SELECT checked($$SELECT id AS patient_id, count(*) OVER (PARTITION BY id, letter) AS n FROM patient$$);
SELECT checked($$SELECT DISTINCT id AS patient_id, letter FROM patient$$);
SELECT checked($$SELECT DISTINCT id AS patient_id, folded FROM patient$$);
SELECT checked($$SELECT id AS patient_id, min(folded) AS f FROM patient GROUP BY id$$);
SELECT checked($$SELECT patient_id, round(avg(cost), 1) AS a, max(c) AS c FROM (SELECT patient_id, ward, avg(cost) AS c, avg(cost) AS cost FROM visit GROUP BY patient_id, ward) g GROUP BY patient_id$$);

-- 4. What fails, or reads something else, for some rows
SELECT checked(format($$SELECT id AS patient_id, %s AS x FROM patient$$, e)) AS answer, e FROM unnest(ARRAY[
  'points + 1', 'points - rank', 'points * points', 'points / 2', 'points % 7', '-points', 'abs(points)', 'rank + 1', 'height + 1', 'height * height', 'height / 2', 'sqrt(height)', 'exp(height)', 'height ^ 2', 'shoe * 2',
  '1 / weight', 'weight / pain::numeric', 'weight / nullif(height::numeric, 1)', 'weight / (weight - weight)', 'weight / 0', 'weight % 2', 'mod(weight, 2)', 'free + 1', 'free * 2', 'round(free, 2)', 'power(weight, 2)', 'ln(weight)',
  'weight::int', 'height::int', 'weight::numeric(4, 1)', 'weight::float8::int', 'free::float8', 'points::int', 'points::smallint', 'points::text', 'sex::varchar(2)', 'sex::int', 'birth::text', 'mail::date', 'note::text', 'state::text', 'sex::severity',
  'region::char(3)', 'weight::score', 'birth - birth', 'birth + 1', 'birth - interval ''1 day''', 'birth::timestamp', 'birth::timestamptz', 'joined::date', 'joined::timestamp', 'joined > birth', 'joined > birth::timestamptz', 'birth > joined::timestamp', 'birth < timestamp ''2020-01-01''',
  'date_trunc(''month'', birth)', 'extract(hour FROM birth)', 'extract(year FROM joined)', 'extract(epoch FROM span)', 'extract(timezone FROM joined)', 'date_part(''year'', birth)', 'age(birth)', 'make_date(1, 1, rank)', 'to_char(birth, ''YYYY'')',
  'now()', 'current_date', 'current_user', 'clock_timestamp()', 'random()', 'txid_current()', 'pg_backend_pid()', 'current_setting(''work_mem'')', 'version()', 'pg_sleep(1) IS NULL', 'nextval(''counter'')', 'inet_client_addr()', 'pg_relation_size(''visit'')',
  'mail LIKE sex', 'mail LIKE ''a\''', 'mail LIKE ''a'' ESCAPE ''b''', 'mail ILIKE ''a%''', 'mail ~ ''a+''', 'mail SIMILAR TO ''a''', 'substr(mail, rank)', 'substr(mail, 1, -1)', 'left(mail, -1)', 'left(mail, rank)', 'substring(mail FROM ''a'')', 'split_part(mail, ''@'', rank)',
  'repeat(mail, 1000000)', 'mail || sex', 'concat(mail, sex)', 'md5(mail)', 'lpad(mail, 5)', 'chr(rank)', 'initcap(mail)', 'replace(mail, ''a'', ''b'')', 'convert_to(mail, ''LATIN1'')', 'quote_literal(mail)', 'format(mail)', 'regexp_replace(mail, ''a'', ''b'')',
  'tags[1]', 'tags', 'ARRAY[1, rank]', 'tags = ''{a}''', 'sex = ANY (tags)', 'rank = ANY (ARRAY[1, points])', 'note ->> ''a''', 'note -> ''a''', 'note[''a'']', '(note ->> ''a'')::int', 'patient', 'patient IS NULL', 'ROW(id, sex) < ROW(1, ''a'')', '(ward_of(id)).name', 'row_to_json(patient)',
  'patient.*::text', 'ctid', 'xmin', 'tableoid', 'cmax', 'folded = ''a''', 'folded LIKE ''a''', 'lower(folded)', 'sex COLLATE ignoring_case = ''a''', 'posix < latin', 'posix = latin', 'greatest(posix, latin) IS NULL', 'nullif(posix, latin) IS NULL', 'posix LIKE ''a'' COLLATE ignoring_case', 'length(lower(CASE WHEN smoker THEN latin ELSE posix END))', 'letter = ''f''', 'span > interval ''1 day''', 'at_work + interval ''1 hour''', 'place <-> point ''(1, 1)''', 'note = ''{}''',
  'generate_series(1, rank)', 'unnest(tags)', 'coalesce(points, 1 / rank)', 'CASE WHEN rank > 0 THEN points / rank END', 'greatest(span, span)', 'nullif(points / rank, 0)', 'xmlelement(NAME a, sex)', 'width_bucket(weight, 0, 1, rank)', 'weight + random()::numeric',
  '(weight * 1e60000::numeric) * 1e60000::numeric', '1e99999::numeric * weight', 'mine(id)', 'fixed_secret()', 'id |+| 1', 'id OPERATOR(public.=) 1', 'sum(weight) OVER (PARTITION BY id ORDER BY birth RANGE BETWEEN interval ''1 day'' PRECEDING AND CURRENT ROW)',
  'count(*) OVER (PARTITION BY id ORDER BY id ROWS BETWEEN (random() * 3)::int PRECEDING AND CURRENT ROW)', 'count(*) OVER (PARTITION BY id ORDER BY id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW)', 'count(*) OVER (PARTITION BY id ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)',
  'lag(weight, rank) OVER (PARTITION BY id ORDER BY id)', 'ntile(rank) OVER (PARTITION BY id ORDER BY id)', 'ntile(0) OVER (PARTITION BY id ORDER BY id)', 'nth_value(weight, 0) OVER (PARTITION BY id ORDER BY id)', 'avg(height) OVER (PARTITION BY id)', 'mine_sum(id) OVER (PARTITION BY id)']) e;
SELECT checked(format($$SELECT patient_id, %s AS x FROM visit GROUP BY patient_id$$, e)) AS answer, e FROM unnest(ARRAY[
  'sum(x)', 'avg(x)', 'stddev(x)', 'var_samp(x)', 'sum(free)', 'avg(free)', 'stddev(free)', 'corr(x, x)', 'regr_slope(x, x)', 'array_agg(ward)', 'json_agg(ward)', 'string_agg(ward, '','' ORDER BY ward)', 'bit_and(minutes)',
  'sum(cost ORDER BY id)', 'count(visit)', 'percentile_cont(2) WITHIN GROUP (ORDER BY x)', 'percentile_cont(NULL) WITHIN GROUP (ORDER BY x)', 'percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY x)',
  'percentile_cont(patient_id) WITHIN GROUP (ORDER BY x)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY free)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY at - at)', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY free)', 'rank(1) WITHIN GROUP (ORDER BY minutes)',
  'mine_sum(minutes)', 'max(ARRAY[minutes])', 'sum(big) + 1 / count(*)', 'sum(minutes) - 1', 'sum(cost) / count(*)', 'count(*) FILTER (WHERE 1 / minutes > 0)', 'sum(cost) FILTER (WHERE random() > 0.5)', 'max(at - at)', 'count(DISTINCT at - at)', 'max(ctid)']) e;

-- 5. Other relations, and ways to them
CREATE VIEW indirect AS SELECT patient_id, ward FROM visit;
CREATE VIEW invoker WITH (security_invoker = true) AS SELECT patient_id, ward FROM visit;
CREATE VIEW limited AS SELECT patient_id, ward FROM visit ORDER BY id LIMIT 5;
CREATE VIEW counted(patient_id, n) AS SELECT patient_id, count(*) FROM visit GROUP BY patient_id;
CREATE MATERIALIZED VIEW stored AS SELECT patient_id, ward FROM visit;
CREATE TEMPORARY TABLE passing (patient_id int);
CREATE UNLOGGED TABLE unlogged (patient_id int);
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER files FOREIGN DATA WRAPPER nowhere;
CREATE FOREIGN TABLE foreign_visit (patient_id int) SERVER files;
CREATE TABLE rules (patient_id int, ward text);
CREATE VIEW ruled AS SELECT patient_id, ward FROM visit;
CREATE RULE also AS ON INSERT TO ruled DO INSTEAD INSERT INTO rules VALUES (NEW.patient_id, NEW.ward);
SELECT checked('SELECT patient_id, ward FROM indirect');
SELECT checked('SELECT c.patient_id, c.n, i.ward FROM counted c JOIN indirect i ON i.patient_id = c.patient_id JOIN indirect j ON j.patient_id = c.patient_id');
SELECT checked('SELECT patient_id, ward FROM ruled');
SELECT checked('SELECT p.id AS patient_id, (SELECT c.n FROM counted c WHERE c.patient_id = p.id ORDER BY c.patient_id LIMIT 1) AS n FROM patient p');
SELECT checked(format('SELECT patient_id FROM %s', e)) AS answer, e FROM unnest(ARRAY['invoker', 'limited', 'stored', 'passing', 'unlogged', 'foreign_visit', 'rules', 'secret', 'child', 'split_0', 'visit TABLESAMPLE system (10)', 'visit FOR UPDATE', 'visit FOR SHARE',
  '(SELECT id AS patient_id FROM alone) x', '(VALUES (1)) x(patient_id)', 'generate_series(1, 3) x(patient_id)', 'ROWS FROM (generate_series(1, 3), generate_series(1, 3)) x(patient_id, b)', 'generate_series(1, 3) WITH ORDINALITY x(patient_id, b)',
  'visit CROSS JOIN generate_series(now(), now(), interval ''1 day'') n', 'visit CROSS JOIN fixed_secret() n', 'visit CROSS JOIN generate_series(1, minutes) n', 'visit CROSS JOIN generate_series(1, 5, 0) n', 'visit CROSS JOIN LATERAL unnest(ARRAY[minutes]) n',
  'visit CROSS JOIN pg_class', 'visit CROSS JOIN pg_stat_activity', 'visit CROSS JOIN dpobj.ledger', 'visit CROSS JOIN information_schema.tables', 'visit CROSS JOIN (SELECT ward FROM secret) s', 'visit CROSS JOIN (SELECT count(*) FROM secret) s',
  'visit WHERE EXISTS (SELECT FROM secret)', 'visit CROSS JOIN XMLTABLE(''/a'' PASSING ''<a/>'' COLUMNS b int)', 'visit CROSS JOIN json_to_record(''{}'') AS x(b int)']) e;
SELECT checked('SELECT patient_id AS who, ward FROM visit');
SELECT checked('SELECT patient_id, ward FROM visit', 'ward');
SELECT checked('SELECT doctor AS patient_id, ward FROM visit');
SELECT checked('SELECT patient_id::text AS patient_id, ward FROM visit');
SELECT checked('SELECT coalesce(patient_id, 0) AS patient_id, ward FROM visit');
SELECT checked('SELECT NULL::int AS patient_id, ward FROM visit');
SELECT checked('SELECT b.holder AS patient_id, v.ward FROM badge b CROSS JOIN visit v');
SELECT checked('SELECT b.holder AS patient_id, (SELECT count(*) FROM visit v WHERE v.patient_id::text = b.holder) AS n FROM badge b');
SELECT checked('SELECT holder AS patient_id, room FROM badge UNION ALL SELECT sex, rank FROM patient');
SELECT checked('SELECT patient_id, at FROM visit UNION ALL SELECT id, birth FROM patient');
SELECT checked('SELECT patient_id, minutes AS n FROM visit UNION ALL SELECT id, weight FROM patient');
SELECT answer_of($$SELECT dpobj_internal.check_view('visit', 'patient_id')$$);
SELECT answer_of($$SELECT dpobj_internal.check_view('indirect', 'nobody')$$);
SELECT answer_of($$SELECT dpobj_internal.check_view('limited', 'patient_id')$$);

-- What changes later: a view is checked as it is
CREATE OR REPLACE VIEW indirect AS SELECT patient_id, ward FROM visit WHERE EXISTS (SELECT FROM visit);
SELECT answer_of($$SELECT dpobj_internal.check_view('indirect', 'patient_id')$$);
CREATE OR REPLACE VIEW indirect AS SELECT patient_id, ward FROM visit;
SELECT dpobj_internal.check_view('indirect', 'patient_id');
CREATE ROLE views_owner;
ALTER VIEW indirect OWNER TO views_owner;
ALTER TABLE visit ENABLE ROW LEVEL SECURITY;
SELECT answer_of($$SELECT dpobj_internal.check_view('indirect', 'patient_id')$$);
SELECT dpobj_internal.check_view('counted', 'patient_id'); -- of a superuser
ALTER TABLE visit DISABLE ROW LEVEL SECURITY;
ALTER VIEW indirect SET (security_invoker = true);
SELECT answer_of($$SELECT dpobj_internal.check_view('indirect', 'patient_id')$$);
ALTER VIEW indirect RESET (security_invoker);
-- A key that is no more, or that says less than it seems
CREATE VIEW last AS SELECT p.id AS patient_id, (SELECT w.ward FROM visit w WHERE w.patient_id = p.id ORDER BY w.id LIMIT 1) AS ward FROM patient p;
SELECT dpobj_internal.check_view('last', 'patient_id');
ALTER TABLE visit DROP CONSTRAINT visit_pkey;
SELECT answer_of($$SELECT dpobj_internal.check_view('last', 'patient_id')$$);
CREATE UNIQUE INDEX partial ON visit (id) WHERE id > 0;
CREATE UNIQUE INDEX of_expression ON visit ((id + 0));
ALTER TABLE visit ADD CONSTRAINT late UNIQUE (id) DEFERRABLE;
SELECT answer_of($$SELECT dpobj_internal.check_view('last', 'patient_id')$$);
CREATE UNIQUE INDEX whole ON visit (id);
SELECT dpobj_internal.check_view('last', 'patient_id');
ALTER TABLE visit ALTER id DROP NOT NULL;
SELECT answer_of($$SELECT dpobj_internal.check_view('last', 'patient_id')$$);
ALTER TABLE visit ALTER id SET NOT NULL;
CREATE TABLE more () INHERITS (visit);
SELECT answer_of($$SELECT dpobj_internal.check_view('last', 'patient_id')$$);
DROP TABLE more;
CREATE FOREIGN TABLE elsewhere () INHERITS (visit) SERVER files;
SELECT answer_of($$SELECT dpobj_internal.check_view('counted', 'patient_id')$$);
DROP FOREIGN TABLE elsewhere;

-- Public tables: the owner's word about one table
CREATE TABLE kinds (kind text PRIMARY KEY, weight int);
CREATE TABLE kinds_more () INHERITS (kinds);
CREATE VIEW weighed AS SELECT v.patient_id, k.floor FROM visit v JOIN ward k ON k.name = v.ward;
SELECT item, answer FROM answers($$SELECT dpobj.declare_public('%')$$, 'visit', 'child', 'kinds', 'kinds_more', 'split', 'split_0', 'stored', 'indirect', 'passing', 'unlogged', 'pg_class', 'dpobj.ledger');
SELECT answer_of($$SELECT dpobj.protect('ward', '{"floor": {"center": 0, "scale": 1}}')$$);
SELECT answer_of($$SELECT dpobj.declare_public(NULL)$$);
SELECT answer_of($$SELECT dpobj.declare_public('secret', NULL)$$);
SET ROLE views_owner;
SELECT answer_of($$SELECT dpobj.declare_public('secret')$$);
SELECT answer_of($$SELECT dpobj_internal.check_view('indirect', 'patient_id')$$);
RESET ROLE;
SELECT dpobj_internal.check_view('weighed', 'patient_id');
CREATE TABLE wing () INHERITS (ward);
SELECT answer_of($$SELECT dpobj_internal.check_view('weighed', 'patient_id')$$);
DROP TABLE wing;
ALTER TABLE ward OWNER TO views_owner;
SELECT answer_of($$SELECT dpobj_internal.check_view('weighed', 'patient_id')$$);
ALTER TABLE ward OWNER TO CURRENT_USER;
SELECT dpobj_internal.check_view('weighed', 'patient_id');
SELECT dpobj.declare_public('ward', false);
SELECT answer_of($$SELECT dpobj_internal.check_view('weighed', 'patient_id')$$);

DROP VIEW indirect;
DROP ROLE views_owner;
