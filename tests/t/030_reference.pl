# 030_reference.pl - every statement of docs/reference.md, on tables that this test makes.

use DpobjGuide;
use DpobjTest;

my $node = dpobj_cluster('reference', guide_settings('reference'));
$node->safe_psql('postgres', 'CREATE DATABASE reference');
$node->safe_psql('reference', <<'SQL');
CREATE EXTENSION dpobj;
CREATE TABLE patient AS
  SELECT ARRAY[i % 2, i % 3 - 1, i % 7 / 6.0, 0, 0, 0, 0, 0, 0, 0, 0, 0]::float8[] AS features, i % 3 = 1 AS readmitted,
         (ARRAY['north', 'south'])[1 + i % 2] AS ward, (ARRAY['f', 'm'])[1 + i % 5 / 3] AS sex, 2023 + i % 2 AS year,
         20 + i % 60 AS age, i % 60 AS days
  FROM generate_series(1, 3000) i;
CREATE TABLE kept AS SELECT dp_halfspace(features, readmitted, 0.5, 0) AS model FROM patient;
CREATE TABLE candidate AS SELECT 1 AS id, model FROM kept;
INSERT INTO candidate SELECT 2, dp_halfspace(features, readmitted, 0.5, 0, '{"grid": "sign"}') FROM patient;
CREATE TABLE visit AS SELECT age, ward, readmitted FROM patient;
SELECT dpobj.protect('visit', '{"age": {"bins": [30, 60]}, "ward": {"levels": ["north", "south"]}, "readmitted": {}}');
SELECT dpobj.set_budget('visit', 'postgres', 10, 0);
SELECT dpobj.train('visit', 'readmitted', 1, name => 'first');
CREATE TABLE stay AS SELECT row_number() OVER () / 3 AS person, ward FROM patient;
SELECT dpobj.protect('stay', '{"ward": {"levels": ["north", "south"]}}', person => 'person', max_rows_per_person => 3);
SELECT dpobj.set_budget('stay', 'postgres', 10, 1e-7);
CREATE TABLE season AS
  SELECT t, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, t % 2]::float8[] AS costs,
         ARRAY[0.5, t % 10 / 10.0]::float8[] AS forecasts, t % 10 / 10.0::float8 AS outcome
  FROM generate_series(1, 10000) t;
SQL

my @reference = guide_pieces('docs/reference.md');
my @calls = guide_blocks(@reference);

cmp_ok(scalar @calls, '>=', 6, 'the reference has statements');
is_deeply([ guide_languages(@reference) ], [], 'no statement hides in a block of another language');
guide_check($node, 'reference', $_, role => 'postgres') for @calls;
guide_write('docs/reference.md', @reference);

finish($node);
