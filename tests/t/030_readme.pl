# 030_readme.pl - every statement of README.md, in order, in a fresh database; and those
# of docs/reference.md, on tables that are made here, because nothing is walked through there.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use DpobjGuide;
use DpobjTest;

my $node = dpobj_cluster('readme', guide_settings('newcomer'));
$node->safe_psql('postgres', 'CREATE DATABASE newcomer');
$node->safe_psql('postgres', 'CREATE DATABASE reference');

# ---- README.md ------------------------------------------------------------------

my @readme = guide_pieces('README.md');
my @blocks = guide_blocks(@readme);

cmp_ok(scalar @blocks, '>=', 12, 'the README has statements');
cmp_ok(scalar(grep { $_->{result} } @blocks), '>=', 3, 'and results');
is_deeply([ guide_languages(@readme) ], [], 'no statement hides in a block of another language');

# The first one is the promise: its table is the demo's.
my ($promise) = $blocks[0]{body} =~ /\A(.*)/;
like($promise, qr/^SELECT dp_halfspace\(.*\) FROM adult;$/, 'the promise');
like(slurp_file('scripts/demo_train.sql'), qr/^\\echo '  \Q$promise\E'$/m, 'is what the demo says');
guide_check($node, 'newcomer', $_, role => 'postgres') for @blocks[ 1 .. $#blocks ];
guide_write('README.md', @readme);

# ---- docs/reference.md ------------------------------------------------------------

$node->safe_psql('reference', <<'SQL');
CREATE EXTENSION dpobj;
CREATE TABLE patient AS
  SELECT ARRAY[i % 2, i % 3 - 1, i % 7 / 6.0, 0, 0, 0, 0, 0, 0, 0, 0, 0]::float8[] AS features, i % 3 = 1 AS readmitted,
         (ARRAY['north', 'south'])[1 + i % 2] AS ward, (ARRAY['f', 'm'])[1 + i % 5 / 3] AS sex, 2023 + i % 2 AS year
  FROM generate_series(1, 3000) i;
CREATE TABLE kept AS SELECT dp_halfspace(features, readmitted, 0.5, 0) AS model FROM patient;
CREATE TABLE candidate AS SELECT 1 AS id, model FROM kept;
INSERT INTO candidate SELECT 2, dp_halfspace(features, readmitted, 0.5, 0, '{"grid": "sign"}') FROM patient;
CREATE TABLE season AS
  SELECT t, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, t % 2]::float8[] AS costs,
         ARRAY[0.5, t % 10 / 10.0]::float8[] AS forecasts, t % 10 / 10.0::float8 AS outcome
  FROM generate_series(1, 10000) t;
SQL

my @reference = guide_pieces('docs/reference.md');
my @calls = guide_blocks(@reference);

cmp_ok(scalar @calls, '>=', 6, 'the reference has statements');
is_deeply([ guide_languages(@reference) ], [], 'and none in a block of another language');
guide_check($node, 'reference', $_, role => 'postgres') for @calls;
guide_write('docs/reference.md', @reference);

$node->stop;
done_testing();
