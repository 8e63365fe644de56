-- Drift: kept histograms compared, without a charge; with so large an epsilon that noise is below a row
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_drift_ana', 'dpobj_drift_bob', 'dpobj_drift_otto');
GRANT dpobj_auditor TO dpobj_drift_otto;
CREATE TABLE customer (id int, age int, region text);
CREATE TABLE client (id int, age int);
INSERT INTO customer SELECT i, i % 100, CASE WHEN i % 4 = 0 THEN 'north' ELSE 'south' END FROM generate_series(1, 2000) i;
INSERT INTO client SELECT id, age FROM customer;
SELECT dpobj.protect('client', '{"age": {"bins": [25, 50, 75]}}');
SELECT dpobj.protect('customer', '{"age": {"bins": [25, 50, 75]}, "region": {"levels": ["north", "south"]}}', 'add_remove');
SELECT dpobj.set_budget(t, r, 100000, 0) FROM unnest('{customer,client}'::regclass[]) t, unnest('{dpobj_drift_ana,dpobj_drift_bob}'::regrole[]) r;
\c - dpobj_drift_ana
SELECT count(*) FROM dpobj.histogram('customer', 'age', 100, name => 'ages in may');
SELECT count(*) FROM dpobj.histogram('customer', 'age', 50, options => '{"confidence": 0.9}', name => 'ages in june');
SELECT count(*) FROM dpobj.histogram('customer', 'age', 100, by => '{region}', name => 'ages by region');
SELECT count(*) FROM dpobj.histogram('customer', 'age', 100, filter => '{"region": {"=": "north"}}', name => 'ages in the north');
SELECT count(*) FROM dpobj.histogram('customer', 'region', 100, name => 'regions');
SELECT count(*) FROM dpobj.histogram('client', 'age', 100, name => 'ages of clients');
SELECT count(*) FROM dpobj.histogram('customer', 'age', 0.05, name => 'rough');
SELECT count(*) FROM dpobj.count('customer', 100, name => 'rows');
\c - postgres
-- 7 % of the rows move from the lowest bin to the highest one
UPDATE customer SET age = 80 WHERE age < 25 AND id % 4 = 0;
\c - dpobj_drift_ana
SELECT count(*) FROM dpobj.histogram('customer', 'age', 100, name => 'ages in july');
SELECT count(*) FROM dpobj.histogram('customer', 'age', 100, by => '{region}', name => 'ages by region in july');
SELECT sum(epsilon) AS spent FROM dpobj.ledger \gset

-- The shares, and by how much they differ.
SELECT key, bin, round(share_before::numeric, 3) AS before, round(share_after::numeric, 3) AS after, round(difference::numeric, 3) AS difference,
       low <= difference AND difference <= high AS around, high - low < 0.01 AS narrow, confidence
  FROM dpobj.drift('ages in may', 'ages in july');
SELECT bin, low <= 0 AND 0 <= high AS may_be_none, confidence FROM dpobj.drift('ages in may', 'ages in june', 0.99);
SELECT key, bin, round(difference::numeric, 2) + 0.0 AS difference FROM dpobj.drift('ages by region', 'ages by region in july') WHERE low > 0 OR high < 0;
-- backwards, and a histogram itself
SELECT bool_and(abs(a.difference + b.difference) < 1e-6) AS reversed FROM dpobj.drift('ages in may', 'ages in july') a JOIN dpobj.drift('ages in july', 'ages in may') b USING (bin);
SELECT bool_and(difference = 0 AND low <= 0 AND high >= 0) AS same FROM dpobj.drift('ages in may', 'ages in may');
-- one number each; where the noise explains the distance, the interval begins at 0
SELECT name, first, relation_name, "column", round(value::numeric, 2) AS value, low > 0 AS drifts, low <= value AND value <= high AS around, confidence, owner, epsilon
  FROM dpobj.drifts WHERE name <> 'rough' ORDER BY release;
-- with much noise the interval is wide
SELECT high - low > 0.05 AS wide FROM dpobj.drifts WHERE name = 'rough';
-- half the sum of the differences
SELECT round(sum(abs(difference))::numeric / 2, 3) = round(value::numeric, 3) AS half FROM dpobj.drifts v, dpobj.drift(v.first, v.name) WHERE v.name = 'ages in july' GROUP BY value;

-- What cannot be compared.
SELECT * FROM answers($$SELECT count(*) FROM dpobj.drift('ages in may', %)$$, $$'ages by region'$$, $$'ages in the north'$$, $$'regions'$$, $$'ages of clients'$$,
  $$'rows'$$, $$'nothing'$$, 'NULL', $$'ages in june', 0.4$$, $$'ages in june', 1$$, $$'ages in june', 'NaN'$$, $$'ages in june', NULL$$);
-- other bins of the same column
\c - postgres
SELECT dpobj.protect('customer', '{"age": {"bins": [25, 50, 60]}, "region": {"levels": ["north", "south"]}}', 'add_remove');
\c - dpobj_drift_ana
SELECT count(*) FROM dpobj.histogram('customer', 'age', 100, name => 'other bins');
SELECT answer_of($$SELECT count(*) FROM dpobj.drift('ages in may', 'other bins')$$);
-- comparisons were free, also in a transaction that can charge nothing
SELECT sum(epsilon) - :spent AS charged_for_other_bins FROM dpobj.ledger;
BEGIN READ ONLY;
SELECT count(*) FROM dpobj.drift('ages in may', 'ages in july');
ROLLBACK;
-- a renamed table is the same table; a deleted histogram is not shown
\c - postgres
ALTER TABLE customer RENAME TO guest;
\c - dpobj_drift_ana
SELECT count(*) FROM dpobj.drift('ages in may', 'ages in july');
SELECT dpobj.delete('ages in may');
SELECT name, first FROM dpobj.drifts ORDER BY release;
SELECT answer_of($$SELECT count(*) FROM dpobj.drift('ages in may', 'ages in july')$$);

-- Under persons the noise is larger, and with it the interval: here four times the noise, beside the half rows of the bound.
\c - postgres
CREATE TABLE stay AS SELECT i / 4 AS person, i % 2 = 0 AS long FROM generate_series(0, 1999) i;
CREATE TABLE night AS TABLE stay;
SELECT dpobj.protect('stay', '{"long": {}}', 'add_remove', 'person', 4);
SELECT dpobj.protect('night', '{"long": {}}', 'add_remove');
SELECT dpobj.set_budget(t, 'dpobj_drift_ana', 100, 0) FROM unnest('{stay,night}'::regclass[]) t;
\c - dpobj_drift_ana
SELECT count(*) FROM unnest('{stay,night}'::regclass[]) t, unnest('{1,2}'::text[]) n, dpobj.histogram(t, 'long', 1, name => t || n);
SELECT avg(s.high - s.low) / avg(n.high - n.low) BETWEEN 2 AND 5 AS larger FROM dpobj.drift('stay1', 'stay2') s JOIN dpobj.drift('night1', 'night2') n USING (bin);

-- Others see and compare their own only; auditors see how far all are, but no histogram; a superuser sees all.
\c - dpobj_drift_bob
SELECT count(*) FROM dpobj.drifts;
SELECT answer_of($$SELECT count(*) FROM dpobj.drift('ages in june', 'ages in july')$$);
SELECT answer_of('TABLE dpobj.kept_histograms');
\c - dpobj_drift_otto
SELECT count(*), count(DISTINCT owner) AS owners FROM dpobj.drifts WHERE owner ~ '^dpobj_drift';
SELECT answer_of($$SELECT count(*) FROM dpobj.drift('ages in june', 'ages in july')$$);
SELECT answer_of('TABLE dpobj.kept_histograms'), (SELECT count(*) FROM dpobj.answers) AS answers;
\c - postgres
SELECT count(*) FROM dpobj.drifts;
SELECT answer_of($$SELECT count(*) FROM dpobj.drift('ages in june', 'ages in july')$$);
DROP TABLE guest, client, stay, night;
DROP ROLE dpobj_drift_ana, dpobj_drift_bob, dpobj_drift_otto;
