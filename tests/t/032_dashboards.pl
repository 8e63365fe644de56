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
CREATE TABLE visit AS SELECT i % 50 AS age, i % 3 = 0 AS back FROM generate_series(1, 500) i;
SELECT dpobj.protect('visit', '{"age": {"scale": 50, "clip": [0, 1]}, "back": {}}');
SELECT dpobj.set_budget('visit', 'alice', 2, 0);
SELECT dpobj.set_budget('visit', NULL, 3, 0);
SELECT dpobj.set_budget('quick', NULL, 5, 0.00001, 'zcdp');
SELECT dpobj.raise_budget('visit', 'alice', 1, 0, 'a second paper');
SQL
$node->safe_psql('postgres', train(QUICK)) for 1 .. 2;
$node->safe_psql('postgres', "SELECT dpobj.train('visit', 'back', 0.5)", extra_params => [ '-U', 'alice' ]);
my ($rc) = $node->psql('postgres', train(SLOW, options => '"time_limit": 1'));
isnt($rc, 0, 'a release has failed');
$node->safe_psql('postgres', "SELECT dpobj.submit('visit', 'back', 0.1, name => 'tonight')", extra_params => [ '-U', 'alice' ]);

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

# The names of the columns and the number of rows; nothing if the query fails.
sub answer
{
	my ($name, $query) = @_;
	my ($rc, $out, $error) = $node->psql('postgres', "BEGIN READ ONLY; $query", extra_params => [ '-U', 'grafana', '-A', '--csv', '-P', 'tuples_only=off' ]);

	is($error, '', "$name runs") or return;
	my ($head, @rows) = split /\n/, $out;
	return ($head, scalar @rows);
}

# ---- one panel --------------------------------------------------------------------------

# Panels that may be empty in this database.
my %may_be_empty = map { $_ => 1 } ('Jobs that wait or run', 'Jobs that failed', 'Runs of schedules',
	'Refusals and failures of schedules');

sub check_answer
{
	my ($name, $panel, $target, $query) = @_;
	my ($head, $rows) = answer($name, $query);

	return unless defined $head;
	cmp_ok($rows, '>=', 1, "$name has rows") unless $may_be_empty{ $panel->{title} };
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

is_deeply([ map { basename($_) } @dashboards ], [qw(budgets.json releases.json)], 'there are two dashboards');
for my $file (@dashboards)
{
	my $board = decode_json(slurp_file($file));
	my $name = basename($file);
	my %variable = map { $_->{name} => $_ } @{ $board->{templating}{list} };
	my %ids = map { $_->{id} => 1 } @{ $board->{panels} };

	push @uids, $board->{uid};
	ok(!exists $board->{id} && !exists $board->{__inputs}, "$name can be provisioned and imported");
	is($variable{datasource}{type}, 'datasource', "$name lets its reader choose the data source");
	my (undef, $rows) = answer("$name: the list of tables", $variable{relation}{query});
	is($rows, 3, "$name lists the tables");
	is(scalar keys %ids, scalar @{ $board->{panels} }, "$name: every panel has its own id");
	is_deeply([ overlaps(@{ $board->{panels} }) ], [], "$name: no panel covers another");
	check_panel($name, $_) for @{ $board->{panels} };
}
isnt($uids[0], $uids[1], 'each dashboard has its own uid');

finish($node);
