# 050_edges.pl - values below, on and above declared numbers: for every type of column, each reader finds the same bin,
# and it is right by exact arithmetic: features, histogram, profile, count by, filters, training, dpobj.predict_sql,
# dpobj.show as JSON by the lines of docs/python.md, and as PMML.  NaN is missing for each of them.
#
# The bins that are expected are written down here and computed by nothing.

use DpobjGuide;
use DpobjTest;
use JSON::PP;

my $node = dpobj_cluster('edges', 'dpobj.release_tick = 0');
my $folder = $node->data_dir;
my $python = '/usr/bin/python3';
my ($numpy) = map { $_->{body} } grep { ($_->{language} // '') eq 'python' } guide_pieces('docs/python.md');
my $has_numpy = system("$python -c 'import numpy' 2>/dev/null") == 0;
append_to_file("$folder/numpy_reader.py", $numpy . slurp_file("$ENV{PWD}/tests/readers/numpy_rows.py"));

# Values and their bins, counted from 0; '' is missing.  not: rows that a program cannot be given, or read exactly.
my $nothing = [ 'NULL', '' ];
my @infinite = map { [ $_, $_ =~ /^-/ ? 'first' : 'last' ] } qw(-Infinity Infinity);
my @tables = (
	{ type => 'smallint', bins => '[-1.5, 0, 2.5, 40000]', filters => [ 0 ],
		rows => [ [ -32768, 0 ], [ -2, 0 ], [ -1, 1 ], [ 0, 2 ], [ 2, 2 ], [ 3, 3 ], [ 32767, 3 ], $nothing ] },
	{ type => 'integer', bins => '[9.99999999999999999999, 10, 2147483647]', filters => [ 10, 2147483647 ],
		rows => [ [ -2147483648, 0 ], [ 9, 0 ], [ 10, 2 ], [ 11, 2 ], [ 2147483646, 2 ], [ 2147483647, 3 ], $nothing ] },
	{ type => 'bigint', bins => '[9007199254740993, 9007199254740995, 9223372036854775808]', filters => [ '9007199254740993', '9007199254740995' ],
		rows => [ [ '-9223372036854775808', 0 ], [ '9007199254740992', 0 ], [ '9007199254740993', 1 ], [ '9007199254740994', 1 ],
			[ '9007199254740995', 2 ], [ '9223372036854775807', 2 ], $nothing ] },
	{ type => 'bigint', name => 'bounds of bigint', bins => '[-9223372036854775809, -9223372036854775807.5, 9223372036854775807]', filters => [ '9223372036854775807' ],
		rows => [ [ '-9223372036854775808', 1 ], [ '-9223372036854775807', 2 ], [ 0, 2 ], [ '9223372036854775806', 2 ], [ '9223372036854775807', 3 ] ] },
	{ type => 'real', bins => '[36.6, 37.4, 1e39]', filters => [ '36.6', '37.4', '1e39' ],
		rows => [ [ '36.599995', 0 ], [ '36.6', 1 ], [ '36.600002', 1 ], [ '37.399998', 1 ], [ '37.4', 2 ], [ '3.4028235e38', 2 ], $nothing, [ 'NaN', '' ], @infinite ] },
	{ type => 'real', name => 'corners of real', bins => '[-1e39, -0.1, 0, 1e-46, 16777217.0000000001]', filters => [ '-1e39', '-0.1', '0', '1e-46', '16777217.0000000001' ],
		rows => [ [ '-3.4028235e38', 1 ], [ '-0.10000001', 1 ], [ '-0.1', 2 ], [ '-1e-45', 2 ], [ '-0', 3 ], [ '0', 3 ], [ '1e-45', 4 ], [ '16777216', 4 ], [ '16777218', 5 ],
			[ 'NaN', '' ], @infinite ] },
	{ type => 'real', name => 'domain over real', domain => 1, bins => '[0.3, 0.7]', filters => [ '0.3' ], rows => [ [ '0.29999998', 0 ], [ '0.3', 1 ], [ '0.69999999', 2 ], [ '0.7', 2 ], [ '0.6999999', 1 ] ] },
	{ type => 'double precision', bins => '[0.1, 0.30000000000000004, 1e300]', filters => [ '0.1', '0.30000000000000004', '1e300' ],
		rows => [ [ '0.09999999999999999', 0 ], [ '0.1', 1 ], [ '0.3', 1 ], [ '0.30000000000000004', 2 ], [ '9.999999999999999e299', 2 ], [ '1e300', 3 ], $nothing, [ 'NaN', '' ], @infinite ] },
	{ type => 'numeric', bins => '[0.1, 36.6]', filters => [ '0.1', '36.6' ],
		rows => [ [ '0.0999999', 0 ], [ '0.1', 1 ], [ '0.10000', 1 ], [ '36.6', 2 ], [ '36.600', 2 ], [ '36.5999', 1 ], $nothing, [ 'NaN', '' ], @infinite ] },
	{ type => 'numeric', name => 'numeric of many digits', bins => '[0.1, 0.1000000000000000000000001, 36.6, 9007199254740993.5]', filters => [ '0.1', '0.1000000000000000000000001', '36.6', '9007199254740993.5' ],
		not => 'pmml', # whose numbers are float8s
		rows => [ [ '0.0999999999999999999999999', 0 ], [ '0.1', 1 ], [ '0.10000000000000000000000009', 1 ], [ '0.1000000000000000000000001', 2 ], [ '36.59999999999999999999', 2 ], [ '36.6', 3 ],
			[ '9007199254740993.4999', 3 ], [ '9007199254740993.5', 4 ], [ '1e-500', 0 ], [ '-1e400', 0 ], [ '1e400', 4 ], $nothing, [ 'NaN', '' ], @infinite ] },
	{ type => 'numeric(4,1)', name => 'domain over numeric(4,1)', domain => 1, bins => '[36.6, 37.4]', filters => [ '36.6' ], rows => [ [ '36.5', 0 ], [ '36.6', 1 ], [ '37.3', 1 ], [ '37.4', 2 ] ] },
	{ type => 'date', bins => '[0, 0.5, 365]', more => '"epoch_of": "day", "since": "2020-01-01", ', filters => [],
		rows => [ [ '2019-12-31', 0 ], [ '2020-01-01', 1 ], [ '2020-01-02', 2 ], [ '2020-12-30', 2 ], [ '2020-12-31', 3 ], $nothing ] },
	{ type => 'date', name => 'endless dates', bins => '[0, 1e12]', more => '"epoch_of": "second", ', filters => [], not => 'pmml',
		rows => [ [ '1969-12-31', 0 ], [ '4713-01-01 BC', 0 ], [ '1970-01-01', 1 ], [ '9999-12-31', 1 ], [ '33658-09-27', 1 ], [ '33658-09-28', 2 ], [ '5874897-12-31', 2 ], @infinite ] },
	{ type => 'timestamp', bins => '[0, 0.1, 24]', more => '"epoch_of": "hour", "since": "2020-01-01", ', filters => [],
		rows => [ [ '2019-12-31 23:59:59.999999', 0 ], [ '2020-01-01', 1 ], [ '2020-01-01 00:05:59.999999', 1 ], [ '2020-01-01 00:06:00', 2 ], [ '2020-01-01 23:59:59.999999', 2 ], [ '2020-01-02', 3 ], $nothing ] },
	{ type => 'timestamp', name => 'fractions of seconds', bins => '[0, 0.1, 0.1000001, 1e300]', more => '"epoch_of": "second", "since": "2020-01-01", ', filters => [], not => 'pmml',
		rows => [ [ '2019-12-31 23:59:59.999999', 0 ], [ '2020-01-01', 1 ], [ '2020-01-01 00:00:00.099999', 1 ], [ '2020-01-01 00:00:00.1', 2 ], [ '2020-01-01 00:00:00.100001', 3 ], @infinite ] },
	{ type => 'timestamptz', bins => '[0, 1]', more => '"epoch_of": "day", "since": "2020-07-01", "time_zone": "Europe/Rome", ', zone => 'Europe/Rome', filters => [], not => 'pmml',
		rows => [ [ '2020-06-30 21:59:59.999999+00', 0 ], [ '2020-06-30 22:00:00+00', 1 ], [ '2020-07-01 21:59:59.999999+00', 1 ], [ '2020-07-01 22:00:00+00', 2 ], $nothing, @infinite ] },
	{ type => 'timestamptz', name => 'timestamptz of no zone', bins => '[0, 1]', more => '"epoch_of": "day", "since": "2020-07-01", ', filters => [], not => 'pmml',
		rows => [ [ '2020-06-30 23:59:59.999999+00', 0 ], [ '2020-07-01 00:00:00+00', 1 ], [ '2020-07-02 00:00:00+00', 2 ] ] });

login_roles($node, 'ana');
$node->safe_psql('postgres', q{ALTER ROLE ana SET timezone = 'Asia/Tokyo'});

sub by_ana { return $node->safe_psql('postgres', $_[0], extra_params => [ '-U', 'ana' ]); }
sub literal { return $_[0] eq 'NULL' ? 'NULL' : "'$_[0]'"; }
sub counts
{
	my ($count, @bins) = @_;
	my %count = map { $_ => 0 } 0 .. $count - 1, '';
	$count{$_}++ for @bins;
	return join ' ', map { $count{$_} } 0 .. $count - 1, '';
}

# The bins that a program finds, from its scores.
sub read_elsewhere
{
	my ($table, $form, $file, $value, @command) = @_;
	my $rows = $node->safe_psql('postgres', "SELECT json_build_object('v', $value) FROM $table ORDER BY id");
	my ($theirs, $error);

	unlink $file;
	append_to_file($file, $node->safe_psql('postgres', "SELECT dpobj.show(model, '$form') FROM scrambled_$table"));
	IPC::Run::run([ @command, $file ], '<', \"$rows\n", '>', \$theirs, '2>', \$error) or die $error;
	return join ' ', map { my $scores = decode_json($_)->{scores}; defined $scores ? int $scores->[-1] : '-' } split /\n/, $theirs;
}

for my $number (0 .. $#tables)
{
	my $t = $tables[$number];
	my ($name, $table) = ($t->{name} // $t->{type}, "edge_$number");
	my $bins = 1 + ($t->{bins} =~ tr/,//) + 1;
	my %named = (first => 0, last => $bins - 1);
	my @bins = map { $named{ $_->[1] } // $_->[1] } @{ $t->{rows} };
	my $list = join ' ', map { $_ eq '' ? '-' : $_ } @bins;
	my $encoder = "{" . ($t->{more} // '') . "\"bins\": $t->{bins}}";
	my $type = $t->{domain} ? "domain_$number" : $t->{type};

	$node->safe_psql('postgres', "CREATE DOMAIN domain_$number AS $t->{type}") if $t->{domain};
	$node->safe_psql('postgres', <<"SQL");
CREATE TABLE $table (id int GENERATED ALWAYS AS IDENTITY, v $type, y boolean);
INSERT INTO $table (v) VALUES @{[ join ', ', map { '(' . literal($_->[0]) . ')' } @{ $t->{rows} } ]};
UPDATE $table SET y = id % 2 = 0;
SELECT dpobj.protect('$table', '{"v": $encoder, "y": {}}', n => @{[ scalar @bins ]}), dpobj.set_budget('$table', 'ana', 1e9, 0);
SQL

	# looks: the noise of epsilon 10,000 is no row.  Each answer is a line.
	my $truth = counts($bins, @bins);
	my @asked = (
		[ 'histogram', "string_agg(value::text, ' ') FROM dpobj.histogram('$table', 'v', 10000)", $truth ],
		[ 'profile', "string_agg(rows::text, ' ') FROM dpobj.profile('$table', 10000, '{v}') WHERE \"column\" = 'v'", $truth ],
		[ 'count by', "string_agg(value::text, ' ') FROM dpobj.count('$table', 10000, by => '{v}')", $truth =~ s/ \d+$//r ],
		[ 'missing values', "value FROM dpobj.count('$table', 10000, filter => '{\"v\": {\"is null\": true}}')", scalar(grep { $_ eq '' } @bins) ],
		[ 'different names of bins', "count(DISTINCT feature) FROM dpobj.protected_features('$table', '{v}')", $bins ]);
	for my $edge (@{ $t->{filters} })
	{
		my ($at) = grep { (split /[\[, \]]+/, $t->{bins})[ 1 + $_ ] eq $edge } 0 .. $bins - 2;
		push @asked, [ "a filter below $edge", "value FROM dpobj.count('$table', 10000, filter => '{\"v\": {\"<\": $edge}}')", scalar(grep { $_ ne '' && $_ <= $at } @bins) ],
		  [ "a filter from $edge on", "value FROM dpobj.count('$table', 10000, filter => '{\"v\": {\">=\": $edge}}')", scalar(grep { $_ ne '' && $_ > $at } @bins) ];
	}
	my @answers = split /\n/, by_ana(join('; ', map { "SELECT $_->[1]" } @asked)
		. "; SELECT 'trained' FROM dpobj.train('$table', 'y', 100, '{v}', method => 'logistic', options => '{\"intercept\": false}', name => '$table')");
	is($answers[$_], $asked[$_][2], "$name: $asked[$_][0]") for 0 .. $#asked;

	# a model whose score is the number of the bin
	$node->safe_psql('postgres', "CREATE TABLE scrambled_$table AS SELECT ROW((model).kind, 'x', ARRAY(SELECT i::float8 FROM generate_series(0, $bins - 1) i), 1, 0, 'replace', 'exact', 1,
	  (model).details)::dp_model AS model FROM dpobj.models WHERE name = '$table'");
	my $all = "string_agg(coalesce(%s::text, '-'), ' ' ORDER BY id) FROM %s";
	my $statement = $node->safe_psql('postgres', "SELECT dpobj.predict_sql(model) FROM scrambled_$table");
	my @read = (
		[ 'features', sprintf($all, "(array_position(dpobj.features('{\"v\": $encoder}', t), 1) - 1)", "$table t") ],
		[ 'predictions', sprintf($all, 'dpobj.score(m.model, t)', "scrambled_$table m, $table t") ],
		$name eq 'real' ? [ 'predictions of equal numerics', sprintf($all, 'dpobj.score(m.model, t)', "scrambled_$table m, (SELECT id, v::text::numeric AS v FROM $table) t") ] : (),
		map { [ "predict_sql in $_", sprintf($all, 'dp_score', "($statement) s"), "SET timezone = '$_'; SET datestyle = 'SQL, DMY'; SET extra_float_digits = 0; " ] } qw(UTC America/Caracas));
	my @found = split /\n/, $node->safe_psql('postgres', join '; ', map { ($_->[2] // '') . "SELECT $_->[1]" } @read);
	is($found[$_], $list, "$name: $read[$_][0]") for 0 .. $#read;

	my $not = $t->{not} // '';
	my $time = $t->{type} eq 'timestamptz' ? "v AT TIME ZONE '" . ($t->{zone} // 'UTC') . "'" : 'v';
	my $value = $t->{type} =~ /date|time/ ? "json_build_array(v, extract(epoch FROM $time))" : 'v';
	my $present = $value eq 'v' ? 'v' : "CASE WHEN v IS NOT NULL THEN $value END";
  SKIP:
	{
		skip "$name: Python has no NumPy (python3-numpy)", 1 unless $has_numpy;
		is(read_elsewhere($table, 'json', "$folder/$number.json", $present, $python, "$folder/numpy_reader.py"), $list, "$name: Python");
	}
	next if $not eq 'pmml';
	my @pmml = split / /, $ENV{DPOBJ_PMML_READER} // "$python $ENV{PWD}/tests/readers/pmml.py";
	is(read_elsewhere($table, 'pmml', "$folder/$number.pmml", 'v', @pmml), $list, "$name: PMML");
	is(read_elsewhere($table, 'pmml', "$folder/$number.pmml", 'v::float8', @pmml), $list, "$name: PMML of reals as doubles") if $t->{type} eq 'real';
}

# ---- numbers: what is below, within and above the clip bounds ----

# A value, and -1, 0 or 1.
my @numbers = (
	[ 'numeric(3,1)', '{"center": 7.4, "scale": 0.1, "clip": [-1, 1]}', '7.3 to 7.5', [ '7.2', -1 ], [ '7.3', 0 ], [ '7.4', 0 ], [ '7.5', 0 ], [ '7.6', 1 ] ],
	[ 'double precision', '{"center": 0.4, "scale": 0.3, "clip": [-1, 1]}', '0.1 to 0.7', [ '0.09999999999999999', -1 ], [ '0.1', 0 ], [ '0.7', 0 ], [ '0.7000000000000001', 1 ], [ 'Infinity', 1 ], [ '-Infinity', -1 ] ],
	[ 'real', '{"center": 36.6, "scale": 0.1, "clip": [-3, 3]}', '36.3 to 36.9', [ '36.299995', -1 ], [ '36.3', 0 ], [ '36.9', 0 ], [ '36.900005', 1 ], [ 'Infinity', 1 ] ],
	[ 'bigint', '{"center": 9007199254740993, "scale": 1, "clip": [0, 2]}', '9007199254740993 to 9007199254740995', [ '9007199254740992', -1 ], [ '9007199254740993', 0 ], [ '9007199254740995', 0 ], [ '9007199254740996', 1 ] ],
	[ 'smallint', '{"center": 0.5, "scale": 1, "clip": [-1, 1]}', '-0.5 to 1.5', [ -1, -1 ], [ 0, 0 ], [ 1, 0 ], [ 2, 1 ] ],
	[ 'date', '{"epoch_of": "day", "since": "2020-01-01", "scale": 0.1, "clip": [0, 10]}', '0 to 1', [ '2019-12-31', -1 ], [ '2020-01-01', 0 ], [ '2020-01-02', 0 ], [ '2020-01-03', 1 ], [ 'infinity', 1 ] ],
	[ 'timestamp', '{"epoch_of": "second", "since": "2020-01-01", "scale": 0.1, "clip": [0, 7]}', '0 to 0.7', [ '2020-01-01 00:00:00.7', 0 ], [ '2020-01-01 00:00:00.700001', 1 ], [ '2019-12-31 23:59:59.999999', -1 ] ]);
for my $number (0 .. $#numbers)
{
	my ($type, $encoder, $within, @rows) = @{ $numbers[$number] };
	my $table = "number_$number";
	my $count = @rows;
	my %side = (-1 => 0, 0 => 0, 1 => 0);

	$side{ $_->[1] }++ for @rows;
	$node->safe_psql('postgres', <<"SQL");
CREATE TABLE $table (v $type);
INSERT INTO $table VALUES @{[ join ', ', map { "('$_->[0]')" } @rows ]};
SELECT dpobj.protect('$table', '{"v": $encoder}', n => $count), dpobj.set_budget('$table', 'ana', 1e9, 0);
SQL
	my @profile = split /\n/, by_ana("SELECT bin || ': ' || rows FROM dpobj.profile('$table', 10000) WHERE \"column\" = 'v'");
	my ($low, $high) = split / to /, $within;
	is(join(', ', @profile), "below $low: $side{-1}, $within: $side{0}, above $high: $side{1}, NULL: 0", "$type: rows below, within and above the bounds");
}
is($node->safe_psql('postgres', q{SELECT dpobj.features('{"t": {"center": 36.6, "scale": 0.001, "clip": [-1, 1]}}', r) FROM (SELECT 36.6::real AS t) r}), '{0}', 'a real is the number that it shows');
is($node->safe_psql('postgres', q{SELECT dpobj.features('{"t": {"bins": [36.6, 37.4], "null": 36.6}}', r) FROM (SELECT NULL::real AS t) r}), '{0,1,0}', 'so is the substitute of a missing one');

# A number of a real column, in the statement for another server whatever its settings.
$node->safe_psql('postgres', q{
CREATE TABLE real_number (id int, v real, y boolean);
INSERT INTO real_number SELECT i, CASE i % 5 WHEN 0 THEN round((random() * 100)::numeric, 1) WHEN 1 THEN 1.1e-40 * i WHEN 2 THEN 1e30 * i WHEN 3 THEN 36.6 + (random() - 0.5) / 1000 ELSE random() * 73 END, i % 2 = 0
  FROM generate_series(1, 1000) i;
INSERT INTO real_number VALUES (1001, 'Infinity'), (1002, '-Infinity'), (1003, 'NaN'), (1004, NULL), (1005, '-0'), (1006, '3.4028235e38'), (1007, '1e-45');
SELECT dpobj.protect('real_number', '{"v": {"center": 36.6, "scale": 0.001, "clip": [-1024, 1024]}, "y": {}}', n => 1007), dpobj.set_budget('real_number', 'ana', 1e9, 0)});
by_ana(q{SELECT FROM dpobj.train('real_number', 'y', 100, '{v}', method => 'logistic', options => '{"intercept": false}', name => 'real number')});
my $read = "(" . $node->safe_psql('postgres', q{SELECT dpobj.predict_sql(model) FROM dpobj.models WHERE name = 'real number'}) . ") s";
is($node->safe_psql('postgres', "SET extra_float_digits = -3; SELECT count(*) FROM $read, dpobj.models m WHERE m.name = 'real number' AND s.dp_score IS DISTINCT FROM dpobj.score(m.model, s)"),
	0, 'predict_sql takes a real as the number that it shows');
is($node->safe_psql('postgres', "SELECT count(*) FROM (SELECT id, v, shown FROM real_number, LATERAL (SELECT v::text::numeric AS shown) s WHERE abs(v) < 1e38) r, dpobj.models m
  WHERE m.name = 'real number' AND dpobj.score(m.model, (SELECT x FROM (SELECT r.v) x)) IS DISTINCT FROM dpobj.score(m.model, (SELECT x FROM (SELECT r.shown AS v) x))"), 0, 'so does a prediction');

# ---- NaN in filters and labels ----

$node->safe_psql('postgres', q{
CREATE TABLE nan_row (f float8, r real, n numeric, y boolean);
INSERT INTO nan_row SELECT x::float8, x::real, x, i % 2 = 0 FROM generate_series(1, 1000) i, LATERAL (SELECT CASE WHEN i % 5 = 0 THEN 'NaN' ELSE (i % 10)::text END::numeric x) s;
SELECT dpobj.protect('nan_row', '{"f": {"bins": [5]}, "r": {"positive": [1], "negative": [2]}, "n": {"positive": [1]}, "y": {}}', n => 1000), dpobj.set_budget('nan_row', 'ana', 1e9, 0)});
my %condition = ('">=": 5' => 400, '">": 5' => 400, '"<": 5' => 400, '"<=": 4' => 400, '"<>": 1' => 700, '"in": [1, 2]' => 200, '"=": 1' => 100, '"is null": true' => 200, '"is null": false' => 800);
for my $column (qw(f r n))
{
	my @asked = sort keys %condition;
	my @counted = split /\n/, by_ana(join '; ', map { "SELECT value FROM dpobj.count('nan_row', 1000, filter => '{\"$column\": {$_}}')" } @asked);
	is($counted[$_], $condition{ $asked[$_] }, "$column $asked[$_] leaves NaN out") for 0 .. $#asked;
}
is(join(' ', split /\n/, by_ana("SELECT bin || ' ' || rows FROM dpobj.profile('nan_row', 1000, '{r,n}') WHERE \"column\" IS NOT NULL")),
	'positive 100 negative 100 NULL 200 other 600 positive 100 negative 700 NULL 200', 'NaN is a missing label');

finish($node);
