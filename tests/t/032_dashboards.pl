# 032_dashboards.pl - the queries of the Grafana dashboards, run by an auditor.
#
# There is no Grafana here. The test replaces its macros as the documentation of its PostgreSQL
# data source says, and checks the rest of a dashboard only as far as possible without Grafana.

use File::Basename qw(basename dirname);
use JSON::PP;
use DpobjTest;

my $node = dpobj_cluster('dashboards', "dpobj.release_tick = 0");
my @dashboards = sort glob(dirname(__FILE__) . '/../../dashboards/*.json');
my @uids;

# ---- a database with something to show --------------------------------------------------

login_roles($node, qw(grafana alice));
$node->safe_psql('postgres', <<'SQL');
GRANT dpobj_auditor TO grafana;
CREATE TABLE visit AS SELECT i % 50 AS age, i % 3 = 0 AS back, CASE WHEN i % 4 = 0 THEN 'north' ELSE 'south' END AS ward FROM generate_series(1, 500) i;
SELECT dpobj.protect('visit', '{"age": {"scale": 50, "clip": [0, 1]}, "back": {}, "ward": {"levels": ["north", "south"]}}');
SELECT dpobj.set_budget('visit', 'alice', 600, 0);
SELECT dpobj.set_budget('visit', NULL, 700, 0);
SELECT dpobj.set_budget('quick', NULL, 5, 0.00001, 'zcdp');
SELECT dpobj.raise_budget('visit', 'alice', 1, 0, 'a second paper');
SQL
$node->safe_psql('postgres', train(QUICK)) for 1 .. 2;
$node->safe_psql('postgres', "SELECT dpobj.train('visit', 'back', 0.5)", extra_params => [ '-U', 'alice' ]);
my ($rc) = $node->psql('postgres', train(SLOW, options => '"time_limit": 1'));
isnt($rc, 0, 'a release has failed');
# At so large an epsilon no noise is left; 60 of the 500 rows move from one ward to the other.
$node->safe_psql('postgres', <<'SQL', extra_params => [ '-U', 'alice' ]);
SELECT count(dpobj.train('visit', 'back', 0.5, name => name)) FROM unnest('{rated,old,forgotten}'::text[]) name;
SELECT dpobj.evaluate('rated', 'visit', 100);
SELECT dpobj.retire('old'), dpobj.delete('forgotten');
SELECT count(*) FROM dpobj.histogram('visit', 'ward', 100, name => 'wards in may');
SELECT count(*) FROM dpobj.histogram('visit', 'back', 100, name => 'labels in may');
SQL
$node->safe_psql('postgres', "UPDATE visit SET ward = 'north' WHERE age < 8 AND ward = 'south'");
my $moved = scalar_of($node, "SELECT (count(*) - 125) / 500.0 FROM visit WHERE ward = 'north'") + 0;
my $accuracy = scalar_of($node, "SELECT avg((dpobj.predict('rated', v, 'alice') = back)::integer)::float8 FROM visit v");
$node->safe_psql('postgres', "SELECT count(*) FROM dpobj.histogram('visit', 'ward', 100, name => 'wards in june');
  SELECT count(*) FROM dpobj.histogram('visit', 'back', 100, name => 'labels in june')", extra_params => [ '-U', 'alice' ]);
$node->safe_psql('postgres', "SELECT dpobj.submit('train', 'visit', '{\"label\": \"back\", \"epsilon\": 0.1}', 'tonight')", extra_params => [ '-U', 'alice' ]);
$node->safe_psql('postgres', "SELECT dpobj.wait(1, '1 min')", extra_params => [ '-U', 'alice' ]);

# ---- what Grafana does to a query -------------------------------------------------------

sub expanded
{
	my ($query) = @_;
	my ($from, $to) = ("'2020-01-01T00:00:00Z'", "'2100-01-01T00:00:00Z'");

	$query =~ s/\$__interval\b/1h/g;
	$query =~ s/\$__timeGroup\(([\w.]+),\s*1h\)/floor(extract(epoch from $1)\/3600)*3600/g;
	$query =~ s/\$__timeFilter\(([\w.]+)\)/$1 BETWEEN $from AND $to/g;
	$query =~ s/\$__timeFrom\(\)/$from/g;
	$query =~ s/\$__timeTo\(\)/$to/g;
	$query =~ s/\$\{relation:sqlstring\}/'public.quick','public.slower','public.visit'/g;
	return $query;
}

# The line of the names of columns, and the rows; nothing if the query fails.
sub answer
{
	my ($name, $query) = @_;
	my ($rc, $out, $error) = $node->psql('postgres', "BEGIN READ ONLY; $query", extra_params => [ '-U', 'grafana', '-A', '--csv', '-P', 'tuples_only=off' ]);

	is($error, '', "$name runs") or return;
	my ($head, @rows) = split /\n/, $out;
	return ($head, @rows);
}

# ---- one panel --------------------------------------------------------------------------

# Panels that may be empty in this database.
my %may_be_empty = map { $_ => 1 } ('Jobs that wait or run', 'Jobs that failed', 'Runs of schedules',
	'Refusals and failures of schedules');

# What some panels show: columns, and their cells in each row.
my %rows_of = (
	'Models in use' => [ 'models', 5 ],
	'Retired' => [ 'retired', 1 ],
	'Ratings' => [ 'ratings', 1 ],
	'Epsilon of ratings and looks' => [ 'epsilon', 500 ],
	'Columns that drift' => [ 'columns', 1 ],
	'Ratings over time' => [ 'metric value', map { "accuracy of rated of alice$_ $accuracy" } '', ', low', ', high' ],
	'Drift of columns' => [ 'metric value', (map { "public.visit, ward of alice since wards in may$_ $moved" } '', ', low', ', high'),
		(map { "public.visit, back of alice since labels in may$_ 0" } '', ', low', ', high') ],
	'Models' => [ 'name state', 'rated in use', 'old retired ' . scalar_of($node, 'SELECT current_date'), ' not kept', (' in use') x 3, 'tonight in use' ],
	'Ratings and their intervals' => [ 'models value low high', "rated $accuracy $accuracy $accuracy" ],
	'Compared histograms' => [ 'name verdict', 'wards in june drifts', 'labels in june noise may explain it' ]);

# The cells of the named columns, which have no commas but within quotes.
sub columns_of
{
	my ($columns, $head, @rows) = @_;
	my @heads = split /,/, $head;
	my %place = map { $heads[$_] => $_ } 0 .. $#heads;

	return map {
		my @cells = map { s/^"(.*)"$/$1/r } $_ =~ /\G("[^"]*"|[^,]*)(?:,|$)/g;
		join ' ', @cells[ @place{ split / /, $columns } ];
	} @rows;
}

sub check_answer
{
	my ($name, $panel, $target, $query) = @_;
	my ($head, @rows) = answer($name, $query);
	my $expected = $rows_of{ $panel->{title} };

	return unless defined $head;
	cmp_ok(scalar @rows, '>=', 1, "$name has rows") unless $may_be_empty{ $panel->{title} };
	if ($expected)
	{
		my ($columns, @lines) = @$expected;
		my @shown = columns_of($columns, $head, @rows);
		is_deeply([ sort @shown ], [ sort @lines ], "$name has these numbers");
	}
	if ($target->{format} eq 'time_series')
	{
		like($head, qr/^time,metric,\w+$/, "$name has a time, a name and a number");
		like($query, qr/ORDER BY (?:time|1)\b/, "$name is ordered by time");
	}
	else
	{
		is($target->{format}, 'table', "$name is a table");
	}
	return;
}

sub check_panel
{
	my ($board, $panel) = @_;
	my $name = "$board: $panel->{title}";

	ok(length($panel->{description}) > 10, "$name says what it shows");
	for my $target (@{ $panel->{targets} })
	{
		my $query = expanded($target->{rawSql});

		is($target->{datasource}{uid}, '${datasource}', "$name asks the chosen data source");
		unlike($query, qr/\$/, "$name has no other macro");
		check_answer($name, $panel, $target, $query);
	}
	return;
}

# Panels outside the 24 columns, and panels that cover others.
sub overlaps
{
	my @panels = @_;
	my (%taken, @found);

	for my $panel (@panels)
	{
		my $place = $panel->{gridPos};
		for my $x ($place->{x} .. $place->{x} + $place->{w} - 1)
		{
			push @found, "$panel->{title} at column $x" if $x > 23;
			for my $y ($place->{y} .. $place->{y} + $place->{h} - 1)
			{
				push @found, "$panel->{title} covers $taken{$x, $y}" if $taken{$x, $y};
				$taken{$x, $y} = $panel->{title};
			}
		}
	}
	return @found;
}

# ---- the dashboards ---------------------------------------------------------------------

is_deeply([ map { basename($_) } @dashboards ], [qw(budgets.json models.json releases.json)], 'there are three dashboards');
for my $file (@dashboards)
{
	my $board = decode_json(slurp_file($file));
	my $name = basename($file);
	my %variable = map { $_->{name} => $_ } @{ $board->{templating}{list} };
	my %ids = map { $_->{id} => 1 } @{ $board->{panels} };

	push @uids, $board->{uid};
	ok(!exists $board->{id} && !exists $board->{__inputs}, "$name can be provisioned and imported");
	is($variable{datasource}{type}, 'datasource', "$name lets its reader choose the data source");
	my (undef, @tables) = answer("$name: the list of tables", $variable{relation}{query});
	is(scalar @tables, 3, "$name lists the tables");
	is(scalar keys %ids, scalar @{ $board->{panels} }, "$name: every panel has its own id");
	is_deeply([ overlaps(@{ $board->{panels} }) ], [], "$name: no panel covers another");
	check_panel($name, $_) for @{ $board->{panels} };
}
my %distinct = map { $_ => 1 } @uids;
is(scalar keys %distinct, scalar @dashboards, 'each dashboard has its own uid');

finish($node);
