# 037_export.pl - models in other programs: dpobj.show, PMML and JSON read by programs that
# know nothing of dpobj, against dpobj.predict on rows of every kind; and every line of docs/python.md.
#
# DPOBJ_PMML_READER is the command of another reader of PMML, which takes and prints what
# tests/readers/pmml.py does; it may print no scores.

use DpobjGuide;
use DpobjTest;
use JSON::PP;
use Scalar::Util qw(looks_like_number);

# Rows and scrambled weights are the same in each run with the same DPOBJ_SEED.
srand($ENV{DPOBJ_SEED} // 1);

my $node = dpobj_cluster('export', 'dpobj.release_tick = 0');
my $folder = $node->data_dir;
my $count = 1500;
my $top = $ENV{PWD};

# Debian's, to which its packages belong.
my $python = '/usr/bin/python3';
sub has { return system("$python -c 'import $_[0]' 2>/dev/null") == 0; }
my @pieces = guide_pieces('docs/python.md');
my ($numpy) = map { $_->{body} } grep { ($_->{language} // '') eq 'python' } @pieces;

# ---- a table with columns of every type, and encoders with every key ----

my $hostile = q(a<b> & "c" 'd' é\\);
my %encoder = (
	whole => '{"center": 3, "scale": 100, "clip": [-1, 1024], "null": 0.3}',
	f8 => '{"null": -0.70001, "null_indicator": true}',
	part => '{"scale": 0.1, "clip": [0.000001, 3.3]}',
	n => '{"center": 40, "scale": 10, "clip": [-2, 2], "null_indicator": true}',
	$hostile => '{"bins": [25, 35, 45.5], "drop_first": true, "null_indicator": true}',
	share => '{"bins": [0.1, 0.2, 1e10], "null": 0.1}',
	cents => '{"bins": [-2.5, 0.1]}',
	flag => '{}',
	known => '{"null": true, "null_indicator": true}',
	word => q({"levels": ["f", "m", "it's", "<&>\\"", "two\\nlines\\t", "ä €", " ", "", "𝔘"], "null": "m", "null_indicator": true}),
	zip => '{"levels": [' . join(', ', 1 .. 150) . '], "null_indicator": true}', # too many for a feature each
	dp_1 => '{"levels": ["a ", "A", "NaN", "true"], "drop_first": true, "null": "a "}',
	mood => '{"levels": ["happy", "sad"], "null_indicator": true}',
	lvl => '{"levels": [1, -7, 9007199254740993]}',
	born => '{"epoch_of": "day", "center": 10000, "scale": 5000, "clip": [-3, 3], "null": 0}',
	paid => '{"epoch_of": "hour", "since": "1999-12-31", "bins": [0, 24000, 96000.5], "null_indicator": true}',
	due => '{"part": "weekday", "drop_first": true, "null": 3}',
	met => '{"part": "month", "null_indicator": true}',
	left => '{"epoch_of": "day", "since": "2020-01-01", "bins": [0, 365.5, 700], "null": 1}');
my @columns = sort keys %encoder;
my %time = map { $_ => 1 } qw(born paid due met left);
my %values = (
	whole => one_of(qw(3 -97 -98 2147483647 NULL (random()*300)::int (random()*100000)::int)),
	f8 => one_of("'NaN'::float8", 'NULL', 'random() * 4 - 2', "floor(random() * 131072) / 65536 - 1 + 1.0 / 131072",
		"-(floor(random() * 65536) + 0.5) / 65536", "'Infinity'", "'-Infinity'", '5e-324', '-1e308', "'-0'", '0.9999999999999999'),
	part => one_of('0', '0.1', 'random()', 'random() * 0.3', "'NaN'::float8", '1e300', '(floor(random() * 9999) + 0.5) / 655360', 'NULL'),
	n => one_of("'NaN'::numeric", 'NULL', '(random() * 60 + 10)::numeric', '10::numeric ^ 400', '-(10::numeric ^ 400)', '20', '60',
		'40 + 10 * (floor(random() * 100)::numeric + 0.5) / 65536', '1 / 10::numeric ^ 500'),
	$hostile => 'nullif(20 + (random() * 40)::int, 30)',
	share => one_of(qw(0.1 0.2 1e10 NULL), "'NaN'", "'Infinity'", 'random()', '0.30000000000000004 - 0.2'),
	cents => one_of('0.1', '-2.5', '-2.50000001', 'NULL', '(random() * 3)::numeric', '(random() * 9 - 6)::numeric'),
	flag => one_of(qw(true false true false true false NULL)),
	known => one_of(qw(true false NULL)),
	word => one_of(map({ "E'$_'" } qw(f m F it\\'s <&>" <&> other 𝔘), 'two\nlines\t', 'ä €', ' ', '', 'f '), 'NULL') . '::text',
	dp_1 => one_of("'a '", "'a'", "'A'", "'NaN'", "'true'", 'NULL') . '::text',
	mood => one_of(map({ "'$_'::mood" } qw(sad ok happy unheard)), 'NULL'),
	lvl => one_of(qw(1 -7 9007199254740993 1 -7 1 -7 9007199254740992 NULL)),
	zip => 'nullif((random() * 170)::int, 7)',
	born => one_of('NULL', "date '1970-01-01' + (random() * 30000)::int", "'1850-02-28'", "'9999-12-31'"),
	paid => one_of('NULL', "date '1999-12-31' + (random() * 8000)::int", "'1999-12-31'", "date '1999-12-31' + 1000"),
	due => one_of('NULL', map { "date '1969-12-20' + (random() * 20000)::int" } 1 .. 9),
	met => one_of('NULL', map { "timestamp '1960-01-01' + random() * interval '90 years'" } 1 .. 9),
	left => one_of('NULL', "timestamp '2020-01-01'", "timestamp '2019-12-31 23:59:59'", "timestamp '2020-12-31 12:00:00'",
		"date_trunc('second', timestamp '2018-01-01' + random() * interval '5 years')"));

sub json { return JSON::PP->new->allow_nonref->latin1->encode($_[0]); }
sub identifier { return '"' . $_[0] =~ s/"/""/gr . '"'; }

my $encoders = join ', ', (map { json($_) . ": $encoder{$_}" } @columns), '"ill": {}', '"cost": {"scale": 100, "clip": [0, 2]}',
  q("kind": {"levels": ["owl", "<crow> & \\"co\\"", "wren"]});
my $types = join ', ', 'whole int, f8 float8, part float8, n numeric', identifier($hostile) . ' int',
  'share float8, cents numeric, flag boolean, known boolean, word text, dp_1 varchar, mood mood, lvl bigint, born date, paid date',
  'due date, met timestamp, "left" timestamp, zip int';
login_roles($node, qw(ana bob));
$node->safe_psql('postgres', seeded(<<"SQL"));
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'unheard');
CREATE TABLE visit (id int, $types, ill boolean, cost float8, kind text);
INSERT INTO visit (id, ill, cost, kind, @{[ join ', ', map { identifier($_) } @columns ]})
  SELECT i, i % 3 = 0, i % 150, (ARRAY['owl', '<crow> & "co"', 'wren'])[1 + i % 3], @{[ join ', ', map { $values{$_} } @columns ]}
  FROM generate_series(1, $count) i;
SELECT dpobj.protect('visit', \$\$ {$encoders} \$\$, n => $count);
SELECT dpobj.set_budget('visit', 'ana', 1000000, 0);
SQL

# ---- the readers ----

# Rows as JSON: floats with all digits, and for NumPy times with their seconds since 1970.
sub rows_file
{
	my ($name, $table, @fields) = @_;
	my $rows = $node->safe_psql('postgres', 'SELECT json_build_object(' . join(', ', @fields) . ") FROM $table ORDER BY id");
	append_to_file("$folder/$name", "$rows\n");
	return "$folder/$name";
}
my %raw = (pmml => [], numpy => []);
for my $name (@columns)
{
	my $key = "'" . $name =~ s/'/''/gr . "'";
	my $value = 'visit.' . identifier($name);
	push @{ $raw{pmml} }, "$key, $value";
	push @{ $raw{numpy} }, "$key, " . ($time{$name} ? "CASE WHEN $value IS NOT NULL THEN json_build_array($value, date_part('epoch', $value)) END" : $value);
}
my %visits = map { $_ => rows_file("visit.$_", 'visit', @{ $raw{$_} }) } keys %raw;

append_to_file("$folder/numpy_reader.py", $numpy . slurp_file("$top/tests/readers/numpy_rows.py"));
my %reader = (
	pmml => [ split(/ /, $ENV{DPOBJ_PMML_READER} // "$python $top/tests/readers/pmml.py") ],
	numpy => [ $python, "$folder/numpy_reader.py" ]);
my %form = (pmml => 'pmml', numpy => 'json');
my ($compared, $predicted) = (0, 0);

# Are two answers the same, numbers up to the order in which products were added?
sub alike
{
	my ($theirs, $ours) = @_;
	return 0 if defined $theirs != defined $ours;
	return 1 if !defined $ours;
	return abs($theirs - $ours) <= 1e-12 * (1 + abs $ours) if looks_like_number($ours) && !JSON::PP::is_bool($ours);
	return json($theirs) eq json($ours);
}

# Does a program that reads a model's form answer like dpobj?  ours: for each row the prediction, and the score if there is one.
sub read_elsewhere
{
	my ($what, $form, $model, $from, $rows, $ours) = @_;

  SKIP:
	{
		skip "$what: Python has no NumPy (python3-numpy)", 1 if $form eq 'numpy' && !has('numpy');
		my $file = "$folder/model.$form";
		unlink $file;
		append_to_file($file, $node->safe_psql('postgres', "SELECT dpobj.show($model, '$form{$form}') FROM $from"));
		unlike(slurp_file($file), qr/[^\n -~]/, "$what: the PMML is ASCII") if $form eq 'pmml';
		my ($theirs, $error);
		IPC::Run::run([ @{ $reader{$form} }, $file ], '<', $rows->{$form}, '>', \$theirs, '2>', \$error) or die $error;
		my @theirs = map { decode_json($_) } split /\n/, $theirs;
		my @ours = map { decode_json($_) } split /\n/, $node->safe_psql('postgres', $ours);
		my @wrong;
		for my $i (0 .. $#ours)
		{
			my ($prediction, $score, $scores) = ($theirs[$i]{prediction}, $ours[$i]{score}, $theirs[$i]{scores});
			my $same = alike($prediction, $ours[$i]{prediction});

			# a sum in another order may be on the other side of 0
			$same = 1 if defined $score && defined $prediction && abs($score) < 1e-9;
			$same = 0 if defined $score && $scores && !alike($scores->[-1], $score);
			push @wrong, $i unless $same;
			$predicted++ if defined $prediction;
		}
		$compared += @ours;
		is(scalar @theirs, scalar @ours, "$what: $form answers for each row");
		is(scalar @wrong, 0, "$what: $form answers like dpobj") or diag(map { "row $_: " . json($ours[$_]) . ' but ' . json($theirs[$_]) . "\n" } @wrong[ 0 .. ($#wrong < 4 ? $#wrong : 4) ]);
	}
	return;
}

# ---- every method ----

my %label = (simplex => 'cost', linear => 'cost', softmax => 'kind', one_vs_rest => 'kind');
sub answers
{
	my ($method, $from) = @_;
	my $label = $label{$method} // 'ill';
	my $prediction = { ill => 'dpobj.predict(m.model, v)', cost => 'dpobj.score(m.model, v)', kind => 'dpobj.predict_class(m.model, v)' }->{$label};
	my $score = $label eq 'kind' ? '' : ", 'score', dpobj.score(m.model, v)";
	return "SELECT json_build_object('prediction', $prediction$score) FROM visit v, $from m ORDER BY v.id";
}

for my $method (qw(halfspace logistic svm linear simplex softmax one_vs_rest))
{
	my @features = $method =~ /^(logistic|svm|linear)$/ ? @columns : $method eq 'simplex' ? qw(f8 n whole) : qw(word flag);
	my $list = join ', ', map { "'" . s/'/''/gr . "'" } @features;
	my $options = $method eq 'simplex' ? '{}' : '{"intercept": true, "force": true}';

	$node->safe_psql('postgres',
		"SELECT FROM dpobj.train('visit', '" . ($label{$method} // 'ill') . "', 5, ARRAY[$list], method => '$method', name => '$method', options => '$options')",
		extra_params => [ '-U', 'ana' ]);
	my $trained = "(SELECT model FROM dpobj.models WHERE name = '$method')";
	read_elsewhere($method, $_, 'model', "$trained s", \%visits, answers($method, $trained)) for qw(pmml numpy);
	$node->safe_psql('postgres', scramble($method, $method =~ /halfspace|rest/ ? 'floor(random() * 5 - 2)' : '(random() - 0.5) * 30'));
	read_elsewhere("$method with other weights", $_, 'model', qq("scrambled $method"), \%visits, answers($method, qq("scrambled $method")))
	  for qw(pmml numpy);
}

# ---- models of arrays ----

$node->safe_psql('postgres', seeded(<<"SQL"));
CREATE TABLE array_row AS SELECT i AS id, ARRAY[@{[ one_of('random() * 6 - 3', "'NaN'::float8", 'NULL', "'Infinity'", '-1e308', '5e-324') ]},
  random() * 100, random(), floor(random() * 5)] AS features, i % 2 = 0 AS y, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS kind FROM generate_series(1, $count) i;
CREATE TABLE array_number AS SELECT dp_logistic(features, y, 2.0, 0,
  '{"dimension": 4, "center": [0, 50, 0.5, 1], "scale": [2, 10, 1, 0.7], "clip": [[-1, 1], [0, 3], [-1, 1], [-0.4, 1]], "intercept": true}') AS model FROM array_row;
CREATE TABLE array_index AS SELECT dp_svm(features, y, 2.0, 0, '{"dimension": 4, "levels": [0, 0, 0, 3], "clip": [[-1, 1], [0, 100], [-1, 1], [0, 3]]}') AS model FROM array_row;
CREATE TABLE array_class AS SELECT dp_softmax(features, kind, 2.0, 0, '{"dimension": 4, "classes": ["a", "b", "c"]}') AS model FROM array_row;
SQL
my @elements = map { "'f$_', features[$_]" } 1 .. 4;
my $arrays = rows_file('array', 'array_row', @elements);
for my $model (qw(array_number array_index array_class))
{
	my $answer = $model eq 'array_class' ? "'prediction', dp_predict_class(model, features)" : "'prediction', dp_predict(model, features), 'score', dp_score(model, features)";
	read_elsewhere($model, $_, 'model', $model, { pmml => $arrays, numpy => $arrays }, "SELECT json_build_object($answer) FROM array_row, $model ORDER BY id")
	  for qw(pmml numpy);
}
cmp_ok($compared, '>=', 17 * $count, 'many rows were compared');
cmp_ok($predicted, '>', $compared / 10, 'many rows had a prediction');
cmp_ok($predicted, '<', $compared * 9 / 10, 'many rows had none');

# ---- who may take a model out ----

refused("$_ of a model that is not shared", '42704', in_session($node, 'bob', "SELECT dpobj.show('logistic', '$_', 'ana')")) for qw(pmml json);
$node->safe_psql('postgres', q{SELECT dpobj.share('logistic', 'bob')}, extra_params => [ '-U', 'ana' ]);
my $charges = $node->safe_psql('postgres', 'SELECT count(*) FROM dpobj.ledger');
is($node->safe_psql('postgres', qq{SELECT md5(dpobj.show('logistic', '$_', owner => 'ana'))}, extra_params => [ '-U', 'bob' ]),
	$node->safe_psql('postgres', qq{SELECT md5(dpobj.show('logistic', '$_'))}, extra_params => [ '-U', 'ana' ]), "$_ of a shared model is the same")
  for qw(pmml json);
is($node->safe_psql('postgres', 'SELECT count(*) FROM dpobj.ledger'), $charges, 'nothing is charged');

# ---- docs/python.md ----

guide_check($node, 'postgres', $_) for guide_blocks(grep { ($_->{language} // '') ne 'text' } @pieces);

guide_python($node, 'postgres', 'paula', $folder, [ 'psycopg2', 'numpy' ], @pieces);

finish($node);
