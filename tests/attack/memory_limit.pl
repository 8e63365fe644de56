# memory_limit.pl - a call that needs more memory than the limit is refused before the charge: for
# random calls under random limits, what is charged is answered, and price says what the run says.

use DpobjTest;

my $node = dpobj_cluster('memory', 'dpobj.release_tick = 0', 'dpobj.max_failures = 1000000', 'fsync = off');
login_roles($node, 'ana');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visit AS SELECT i AS who, random() AS a, random() AS b, i % 3 = 0 AS g, random() < 0.5 AS y FROM generate_series(1, 20000) i;
CREATE TABLE stay AS TABLE visit;
CREATE TABLE bed AS TABLE visit;
SELECT dpobj.protect(t, '{"a": {}, "b": {}, "g": {}, "y": {}}'), dpobj.set_budget(t, 'ana', 1000000, 0.001) FROM unnest('{visit}'::regclass[]) t;
SELECT dpobj.protect(t, '{"a": {}, "b": {}, "g": {}, "y": {}}', n => n, person => 'who', max_rows_per_person => k), dpobj.set_budget(t, 'ana', 1000000, 0.001)
  FROM (VALUES ('stay'::regclass, 20000, 1), ('bed', NULL, 200000)) v(t, n, k);
SQL

my $high = session($node, user => 'ana');
$high->ask("SELECT (dpobj.train('visit', 'y', 1, '{a,b}', name => 'kept')).kind");

# ---- the setting ----

my $super = session($node);
like($super->ask("SET dpobj.memory_limit = $_"), qr/invalid value.*at least 24 MB/s, "a limit of $_ MB is refused") for 1, 23;
unlike($super->ask("SET dpobj.memory_limit = $_"), qr/ERROR/, "a limit of $_ MB is allowed") for 0, 24;
like($super->ask(q{SELECT (dp_logistic(ARRAY[a, b], y, 1.0, 0, '{"memory_limit": 8}')).kind FROM visit}), qr/at least 24 MiB/, 'so is an option');

# ---- random calls ----

my %call = (
	halfspace => [ q{dpobj.train('%s', 'y', 1, '{a,b}', method => 'halfspace')}, q{dpobj.price('%s', 'y', 1, '{a,b}', method => 'halfspace')} ],
	logistic => [ q{dpobj.train('%s', 'y', 1, '{a,b,g}', 0.000001, 'logistic')}, q{dpobj.price('%s', 'y', 1, '{a,b,g}', 0.000001, 'logistic')} ],
	groups => [ q{(SELECT count(*) FROM dpobj.train_groups('%s', 'y', 1, '{a}', by => '{g}', method => 'svm'))} ],
	count => [ q{(SELECT count(*) FROM dpobj.count('%s', 1, by => '{g}'))}, q{dpobj.price('%s', NULL, 1, method => 'count', options => '{"by": ["g"]}')} ],
	profile => [ q{(SELECT count(*) FROM dpobj.profile('%s', 1))}, q{dpobj.price('%s', NULL, 1, method => 'profile')} ],
	accuracy => [ q{dpobj.evaluate('kept', '%s', 1)} ],);

srand(7);
my (%answered, %refused);
for my $round (1 .. 40)
{
	my $name = (sort keys %call)[ rand keys %call ];
	my $table = qw(visit stay bed) [ rand 3 ];
	my $limit = 24 + int rand 3 ** (1 + rand 5);
	$node->safe_psql('postgres', "ALTER ROLE ana SET dpobj.memory_limit = '${limit}MB'");
	my $session = session($node, user => 'ana');
	my ($run, $price) = map { sprintf "SELECT $_ IS NOT NULL", $table } @{ $call{$name} };
	my $before = scalar_of($node, 'SELECT coalesce(max(id), 0) FROM dpobj.ledger');
	my ($said) = defined $price ? $session->ask($price) : undef;
	my $text = $session->ask($run);
	my $charged = scalar_of($node, "SELECT count(*) FROM dpobj.ledger WHERE event = 'charged' AND id > $before");

	$session->quit;
	if ($text =~ /ERROR/)
	{
		$refused{$name}++;
		like($text, qr/22023.*too low for this call/, "$name of $table with $limit MB is refused");
		is($charged, 0, 'before the charge');
	}
	else
	{
		$answered{$name}++;
		is($charged, 1, "$name of $table with $limit MB is charged and answered");
	}
	is($said =~ /ERROR/ ? 'no' : 'yes', $text =~ /ERROR/ ? 'no' : 'yes', 'its price says so') if defined $said;
}
cmp_ok($refused{count} // 0, '>', 0, 'a count of many rows of each person, with no declared number of rows, was refused');
cmp_ok(scalar(keys %answered), '>', 3, 'most kinds of calls were answered');
cmp_ok(scalar(keys %refused), '>', 1, 'several were refused');
$_->quit for $high, $super;
finish($node);
