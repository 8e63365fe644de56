# 026_models.pl - using models: predict_sql in a database without dpobj against dpobj.score, bit
# by bit, on rows of every kind; names, shares and JSON through dump and restore; parallel plans.

use List::Util qw(shuffle);
use DpobjTest;

# Rows and scrambled weights are the same in each run with the same DPOBJ_SEED.
srand($ENV{DPOBJ_SEED} // 1);

my $node = dpobj_cluster('models', 'dpobj.release_tick = 0');
my $rows = $node->data_dir . '/rows.copy';
my $count = 1500;

# ---- a table with columns of every type, and encoders with every key ----

my $table = <<'SQL';
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'unheard');
CREATE DOMAIN share AS float8;
CREATE SCHEMA "Ward";
CREATE TABLE "Ward"."a ""visit""" (id int, small int2, age int, big bigint, f4 real, f8 float8, tiny float8, n numeric,
  wide numeric, s share, bool boolean, flag boolean, born date, since date, seen timestamp, met timestamptz,
  sex text, "He said ""hm""" varchar, code char(6), m mood, lvl bigint, "select" int, ill boolean, cost float8);
SQL
$node->safe_psql('postgres', $table);
$node->safe_psql('postgres', 'CREATE DATABASE plain');
$node->safe_psql('plain', $table);

my %encoder = (
	small => '{"bins": [-3, 0, 5], "null": 4}',
	age => '{"bins": [25, 35, 45.5], "drop_first": true, "null_indicator": true}',
	big => '{"center": 3, "scale": 1000000000000, "clip": [-1, 1024], "null": 0.3}',
	f4 => '{"center": 0.1, "scale": 0.3, "clip": [-2, 2]}',
	f8 => '{"null": -0.70001, "null_indicator": true}',
	tiny => '{"scale": 1e-300, "clip": [-1.5, 0.25], "null": 0}',
	n => '{"center": 40, "scale": 10, "clip": [-2, 2], "null_indicator": true}',
	wide => '{"scale": 1e10, "clip": [0, 3], "null": 1.00001}',
	s => '{"bins": [0.1, 0.2, 1e10], "null": 0.1, "null_indicator": true}',
	bool => '{"null": true, "null_indicator": true}',
	flag => '{}',
	born => '{"epoch_of": "day", "center": 10000, "scale": 5000, "clip": [-3, 3], "null": 0}',
	since => '{"epoch_of": "hour", "bins": [0, 240000, 400000.5], "null_indicator": true}',
	seen => '{"epoch_of": "second", "center": 1600000000, "scale": 1e8, "clip": [-3, 1], "null": 1}',
	met => '{"epoch_of": "day", "bins": [0, 18500.25, 19000], "drop_first": true, "null": 18600}',
	sex => '{"levels": ["f", "m", "it\'s", "back\\\\slash", "two\\nlines -- ; DROP"], "null": "m", "null_indicator": true}',
	'He said "hm"' => '{"levels": ["a", "ä", "A", ""], "drop_first": true, "null": "a"}',
	code => '{"levels": ["x ", "yy"], "null_indicator": true}',
	m => '{"levels": ["happy", "sad"], "drop_first": true, "null": "sad", "null_indicator": true}',
	lvl => '{"levels": [1, -7, 9007199254740993], "null": 1}',
	select => '{"levels": [3, 4]}');
my @columns = sort keys %encoder;

sub quoted
{
	my ($name) = @_;
	$name =~ s/(["\\])/\\$1/g;
	return qq("$name");
}

my $encoders = join ', ', (map { quoted($_) . ": $encoder{$_}" } @columns), '"ill": {}', '"cost": {"scale": 100, "clip": [0, 2]}';
login_roles($node, qw(ana bob));
$node->safe_psql('postgres', <<"SQL");
CREATE ROLE team;
CREATE ROLE carl LOGIN IN ROLE team;
GRANT USAGE ON SCHEMA "Ward" TO ana;
SELECT dpobj.protect('"Ward"."a ""visit"""', \$\$ {$encoders} \$\$, n => $count);
SELECT dpobj.set_budget('"Ward"."a ""visit"""', 'ana', 1000000, 0);
SQL

my %values = (
	small => one_of(qw(-32768 -4 -3 0 4 5 32767 NULL)),
	age => 'nullif((random() * 60)::int, 30)',
	big => one_of(qw(3 -1000000000000 9223372036854775807 -9223372036854775808 NULL (random()*1e15)::bigint)),
	f4 => one_of("'NaN'::real", '(random() * 2 - 1)::real', '(random() * 2 - 1)::real', "'-Infinity'", 0.7, '-0.5', '1e-45', '3e38'),
	f8 => one_of("'NaN'::float8", 'NULL', 'random() * 4 - 2', "floor(random() * 131072) / 65536 - 1 + 1.0 / 131072",
		"-(floor(random() * 65536) + 0.5) / 65536", "'Infinity'", '5e-324', '-1e308', "'-0'", '0.9999999999999999', '-1'),
	tiny => one_of('random() * 1e-300', '-random() * 2e-300', '5e-324::float8', 'NULL', '1e308', '-1e-310::float8', '1e-290'),
	n => one_of("'NaN'::numeric", 'NULL', '(random() * 60 + 10)::numeric', '10::numeric ^ 1000', '-(10::numeric ^ 400)',
		'40 + 10 * (floor(random() * 100)::numeric + 0.5) / 65536', '40 - 10 * (floor(random() * 100)::numeric + 0.5) / 65536',
		'1 / 10::numeric ^ 500', "'Infinity'::numeric", '20', '60'),
	wide => one_of('NULL', '(random() * 4e10)::numeric', '-1', '1e-400::numeric', '1.7976931348623158e308::numeric',
		"'-Infinity'::numeric", '30000000000.0001', '5e-324::numeric', '12345678901234567890.12345678901234567890'),
	s => one_of(qw(0.1 0.2 1e10 NULL), "'NaN'", "'Infinity'", 'random()', '0.30000000000000004 - 0.2'),
	bool => one_of(qw(true false NULL)),
	flag => one_of(qw(true false true false true false NULL)),
	born => one_of("'infinity'::date", "'-infinity'", 'NULL', "date '1970-01-01' + (random() * 30000)::int", "'5874897-12-31'", "'4713-01-01 BC'"),
	since => one_of("'infinity'::date", "'-infinity'", 'NULL', "date '1970-01-01' + (random() * 30000)::int", "'1970-01-01'", "date '1970-01-01' + 10000"),
	seen => one_of("'infinity'::timestamp", "'-infinity'", 'NULL', "timestamp '2020-09-13' + random() * interval '90 days'",
		"timestamp '2022-01-01' - random() * interval '20 years'", "'294276-12-31 23:59:59.999999'", "'4713-01-01 BC'"),
	met => one_of("'infinity'::timestamptz", "'-infinity'", 'NULL', "timestamptz '2020-08-26 06:00+00'",
		"timestamptz '2020-08-26 05:59:59.999999+00'", "timestamptz '2020-01-01' + random() * interval '4 years'", "'294276-12-31 00:00+00'"),
	sex => one_of(map { "E'$_'" } qw(f m F it\\'s back\\\\slash other), 'two\nlines -- ; DROP', '', 'f ') . "::text",
	'He said "hm"' => one_of("'a'", "'ä'", "'A'", "''", "'b'", 'NULL', "repeat('a', 5000)", "'a '"),
	code => one_of("'x'", "'x  '", "'yy'", "' x'", "'zzzzzz'", 'NULL'),
	m => one_of(map({ "'$_'::mood" } qw(sad ok happy unheard)), 'NULL'),
	lvl => one_of(qw(1 -7 9007199254740993 9007199254740992 2 NULL 9223372036854775807)),
	select => one_of(qw(3 4 3 4 3 4 5 NULL)));

my $named = join ', ', map { my $name = $_; $name =~ s/"/""/g; qq("$name") } @columns;
$node->safe_psql('postgres', seeded(<<"SQL"));
INSERT INTO "Ward"."a ""visit""" (id, ill, cost, $named)
SELECT i, i % 3 = 0, i % 150, @{[ join ', ', map { $values{$_} } @columns ]} FROM generate_series(1, $count) i;
COPY "Ward"."a ""visit""" TO '$rows';
SQL
$node->safe_psql('plain', qq(COPY "Ward"."a ""visit""" FROM '$rows'));

# ---- the same scores without dpobj ----

my $lines = 0;
my $predicted = 0;

sub first_difference
{
	my @theirs = split /\n/, $_[0];
	my @ours = split /\n/, $_[1];
	my ($at) = grep { ($theirs[$_] // '') ne ($ours[$_] // '') } 0 .. $#ours;
	my ($id) = $ours[$at] =~ /^(\d+)/;
	my $table = $node->safe_psql('plain', qq(SELECT * FROM "Ward"."a ""visit""" WHERE id = $id), extra_params => ['-x']);
	return "without dpobj $theirs[$at], with it $ours[$at]\n$table";
}

# Compares score, prediction and other results of every row.
sub compare
{
	my ($what, $with, $statement, $results) = @_;
	my $theirs = $node->safe_psql('plain', "SELECT id, $results FROM (\n$statement) s ORDER BY id");
	my $ours = $node->safe_psql('postgres', $with);

	ok($theirs eq $ours, $what) or diag($statement, first_difference($theirs, $ours));
	$lines += () = $ours =~ /^/mg;
	$predicted += () = $ours =~ /\|[tf]$/mg;
	return;
}

my $relation = '"Ward"."a ""visit"""';

# Trains a model of a few columns.
sub model
{
	my ($method, $name, @features) = @_;
	my $list = join ', ', map { my $f = $_; $f =~ s/'/''/g; "'$f'" } @features;
	my $label = $method =~ /^(simplex|linear)$/ ? 'cost' : 'ill';

	$node->safe_psql('postgres',
		"SELECT FROM dpobj.train('$relation', '$label', 5, ARRAY[$list], method => '$method', name => '$name'"
		  . ($method eq 'simplex' ? '' : q(, options => '{"intercept": true}')) . ')',
		extra_params => [ '-U', 'ana' ]);
	return;
}

my @left = shuffle @columns;
for my $round (1 .. 8)
{
	@left = shuffle @columns if @left < 5;
	my @features = splice @left, 0, 5;
	my $method = (qw(halfspace logistic svm))[ $round % 3 ];
	my $results = 'dp_score, ' . ($method eq 'logistic' ? 'dp_probability, ' : '') . 'dp_prediction';
	my $proba = $method eq 'logistic' ? 'dpobj.predict_proba(m.model, v), ' : '';

	model($method, "model $round", @features);
	compare(
		"$method of @features", <<"SQL",
SELECT v.id, dpobj.score(m.model, v), ${proba}dpobj.predict('model $round', v, 'ana')
FROM $relation v, dpobj.models m WHERE m.name = 'model $round' ORDER BY 1
SQL
		$node->safe_psql('postgres', "SELECT dpobj.predict_sql('model $round', owner => 'ana')"), $results);
	$node->safe_psql('postgres', scramble("model $round", $round < 5 ? '(random() - 0.5) * 300' : 'floor(random() * 9 - 4)'));
	compare(
		"scrambled weights of @features", <<"SQL",
SELECT v.id, dpobj.score(m.model, v), ${proba}dpobj.predict(m.model, v) FROM $relation v, "scrambled model $round" m ORDER BY 1
SQL
		$node->safe_psql('postgres', qq(SELECT dpobj.predict_sql(model) FROM "scrambled model $round")), $results);
}

# A model with a prediction for every row: each of its columns has a value for NULL.
my @total = grep { $encoder{$_} =~ /null/ } @columns;
model('logistic', 'total', @total);
$node->safe_psql('postgres', scramble('total', 'random() - 0.5'));
compare(
	'all columns that have a value for NULL', <<"SQL",
SELECT v.id, dpobj.score(m.model, v), dpobj.predict(m.model, v) FROM $relation v, "scrambled total" m ORDER BY 1
SQL
	$node->safe_psql('postgres', 'SELECT dpobj.predict_sql(model) FROM "scrambled total"'), 'dp_score, dp_prediction');
is($node->safe_psql('postgres', qq(SELECT count(dpobj.score(model, v)) FROM $relation v, "scrambled total")), $count,
	'a model of these columns predicts every row');

for my $method (qw(simplex linear))
{
	model($method, $method, qw(f8 wide n));
	compare(
		$method, "SELECT id, dpobj.score('$method', v, 'ana') FROM $relation v ORDER BY 1",
		$node->safe_psql('postgres', "SELECT dpobj.predict_sql('$method', owner => 'ana')"), 'dp_prediction');
}

# Another table, whose name must be quoted.
my $elsewhere = $node->safe_psql('postgres', q(SELECT dpobj.predict_sql('model 1', '"Two Words"."New"', 'ana')));
like($elsewhere, qr/FROM "Two Words"."New" AS t$/m, 'predict_sql can read another table');

# ---- arrays ----

$node->safe_psql('postgres', seeded(<<"SQL"));
CREATE TABLE array_row AS SELECT i AS id, ARRAY[@{[ one_of('random() * 6 - 3', "'NaN'::float8", 'NULL', "'Infinity'", '-1e308', '5e-324') ]},
  random() * 100, random(), (floor(random() * 131072) + 0.5) / 65536] AS features, i % 2 = 0 AS y FROM generate_series(1, $count) i;
INSERT INTO array_row VALUES (-1, '{}', true), (-2, NULL, true);
COPY array_row TO '$rows';
CREATE TABLE array_model AS SELECT dp_logistic(features, y, 2.0, 0,
  '{"dimension": 4, "center": [0, 50, 0.5, 1], "scale": [2, 10, 1, 0.7], "clip": [[-1, 1], [0, 3], [-1, 1], [-0.4, 1]], "intercept": true}') AS model
  FROM array_row WHERE id > 0;
SQL
$node->safe_psql('plain', "CREATE TABLE array_row (id int, features float8[], y boolean); COPY array_row FROM '$rows'");
compare(
	'arrays', <<'SQL',
SELECT id, CASE WHEN cardinality(features) = 4 THEN dp_score(model, features) END, CASE WHEN cardinality(features) = 4 THEN
  dp_predict_proba(model, features) END, CASE WHEN cardinality(features) = 4 THEN dp_predict(model, features) END
FROM array_row, array_model ORDER BY 1
SQL
	$node->safe_psql('postgres', "SELECT dpobj.predict_sql(model, 'array_row') FROM array_model"),
	'dp_score, dp_probability, dp_prediction');
cmp_ok($lines, '>=', 19 * $count, 'enough rows were compared');
cmp_ok($predicted, '>', $count, 'many rows had a prediction');
cmp_ok($predicted, '<', $lines - $count, 'many rows had no prediction');

# ---- parallel plans ----

my $each = qq(SELECT count(*) FILTER (WHERE dpobj.predict('model 2', v)) FROM $relation v);
my $ana = session($node, user => 'ana');
$node->safe_psql('postgres', "GRANT SELECT ON $relation TO ana");
my $serial = $ana->ask("SET max_parallel_workers_per_gather = 0; $each");
like($ana->ask(join '; ', parallel(2), "EXPLAIN $each"), qr/Partial Aggregate/, 'predictions run in a parallel plan');
is($ana->ask($each), $serial, 'a parallel plan has the same predictions');

# ---- shares, through a rename and a restore ----

my $many = q{SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM dpobj.models};
$ana->ask("SELECT dpobj.share('model 1', 'bob'), dpobj.share('model 2', 'team')");
my %sees = (ana => 'linear,model 1,model 2,model 3,model 4,model 5,model 6,model 7,model 8,simplex,total', bob => 'model 1', carl => 'model 2');
sub sees
{
	my ($who, $role, $database) = @_;
	$role //= $who;
	return is($node->safe_psql($database // 'postgres', $many, extra_params => [ '-U', $role ]), $sees{$who}, "$role sees the models of $who");
}
sees($_) for sort keys %sees;
$node->safe_psql('postgres', 'ALTER ROLE bob RENAME TO robert');
sees('bob', 'robert');
$node->safe_psql('postgres', 'ALTER ROLE robert RENAME TO bob');
copy_by_dump($node, 'postgres', 'restored', 'custom');
sees($_, undef, 'restored') for sort keys %sees;
is($node->safe_psql('restored', "SELECT string_agg(array_to_string(shared_with, ' '), ',' ORDER BY name) FROM dpobj.models WHERE shared_with <> '{}'"),
	'bob,team', 'the owner sees who shares the models');
is($node->safe_psql('restored', 'SELECT bool_and(dpobj.verify(model::jsonb::dp_model)) FROM dpobj.models'), 't', 'restored models verify, also from JSON');
is($node->safe_psql('restored', $each =~ s/'model 2', v/'model 2', v, 'ana'/r), $serial, 'restored models predict the same');
$node->safe_psql('restored', q{SELECT dpobj.share('model 1', 'bob', false)}, extra_params => [ '-U', 'ana' ]);
is($node->safe_psql('restored', $many, extra_params => [ '-U', 'bob' ]), '', 'a share can be taken back after a restore');

# A later role of the same name has no share.
$node->safe_psql('postgres', 'DROP ROLE bob; CREATE ROLE bob LOGIN');
is($node->safe_psql('postgres', $many, extra_params => [ '-U', 'bob' ]), '', 'a role that was dropped and made again sees no models');

# ---- plans that are kept: shares are checked at each statement ----

my $carl = session($node, user => 'carl');
$carl->ask(<<'SQL');
CREATE FUNCTION pg_temp.kept(r record) RETURNS boolean LANGUAGE plpgsql
AS $$ DECLARE result boolean; BEGIN result := dpobj.predict('model 2', r) IS NULL; RETURN result IS NOT NULL; END $$
SQL
$node->safe_psql('postgres', "GRANT USAGE ON SCHEMA \"Ward\" TO carl; GRANT SELECT ON $relation TO carl");
my $kept = "SELECT pg_temp.kept(v) FROM $relation v WHERE id = 1";
$carl->ask('BEGIN');
is($carl->ask($kept), 't', 'PL/pgSQL uses a shared model');
is($carl->ask($kept), 't', 'the kept plan uses it again');
$ana->ask("SELECT dpobj.share('model 2', 'team', false)");
like($carl->ask($kept), qr/there is no model "model 2"/, 'the kept plan does not use it after the share was taken back');
$carl->quit;

# ---- a standby predicts, and shares nothing ----

my $standby = standby_of($node, 'models_standby');
is($standby->safe_psql('postgres', $each, extra_params => [ '-U', 'ana' ]), $serial, 'a standby has the same predictions');
my ($rc, $out, $error) = $standby->psql('postgres', "SELECT dpobj.share('model 2', 'team')",
	extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
like($error, qr/25006/, 'a standby shares no models');
$standby->stop;

# ---- predictions are not charged ----

is($node->safe_psql('postgres', "SELECT count(*) FROM dpobj.ledger WHERE event = 'charged' AND door = 'analyst'"), 11,
	'only trainings were charged');

$ana->quit;
finish($node);
