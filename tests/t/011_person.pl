# 011_person.pl - at most k rows of each person enter: the choice is fair and depends on that
# person's rows only; one person changes at most k rows; and no race mixes two kinds of
# neighbours.

use DpobjTest;

my $node = dpobj_cluster('person');
scan_functions($node);
my $session = session($node);

# ---- one person changes at most k rows ----

# A partitioned table and one with children; the rows of the kind "kept" are read.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visit (id int, who text, kind text, y boolean) PARTITION BY LIST (kind);
CREATE TABLE visit_kept PARTITION OF visit FOR VALUES IN ('kept');
CREATE TABLE visit_other PARTITION OF visit DEFAULT;
CREATE TABLE trip (id int, who text, kind text, y boolean);
CREATE TABLE trip_child (more int) INHERITS (trip);
CREATE TABLE trip_grandchild () INHERITS (trip_child);
CREATE TABLE source (id int, who text, kind text, y boolean);
CREATE TABLE changed (LIKE source);
SQL

# Fills a table in a random order, a third of it as updated row versions.
my %fill = (
	visit => 'INSERT INTO visit SELECT id, who, kind, y FROM %s ORDER BY random()',
	trip => 'WITH p AS MATERIALIZED (SELECT *, floor(random() * 3) AS part FROM %s ORDER BY random()),'
	  . ' a AS (INSERT INTO trip SELECT id, who, kind, y FROM p WHERE part = 0),'
	  . ' b AS (INSERT INTO trip_child SELECT id, who, kind, y FROM p WHERE part = 1)'
	  . ' INSERT INTO trip_grandchild SELECT id, who, kind, y FROM p WHERE part = 2');

# The ids of the rows that enter, with a key, as a hash from id to person.
sub entered
{
	my ($table, $key, $filter) = @_;
	my $text = $session->ask("SELECT DISTINCT v.id || ':' || v.who FROM scan_rows('$table', 'y', '{id}', "
		  . ($filter ? "'$filter'" : 'NULL') . ", decode(md5('$key'), 'hex')) s JOIN $table v ON v.id = s.x[1] >> 16");
	return { map { split /:/ } grep { /:/ } split /\n/, $text };
}

sub fill
{
	my ($table, $from) = @_;
	$session->ask("TRUNCATE $table; " . sprintf($fill{$table}, $from) . "; UPDATE $table SET y = NOT y WHERE random() < 0.3");
	return;
}

sub difference
{
	my ($one, $other) = @_;
	return grep { !exists $other->{$_} } keys %$one;
}

srand(42);
$session->ask('SET seed = 0.42');
my %failures = (others => 0, most => 0, order => 0, add_remove => 0, replace => 0);
my $compared = 0;
for my $table ('visit', 'trip')
{
	for my $k (1, 3, 20)
	{
		$session->ask("SELECT dpobj.protect('$table', '{\"id\": {\"scale\": 1, \"clip\": [0, 1000]}, \"y\": {}}', 'replace', 'who', $k)");
		for my $round (1 .. 6)
		{
			# person 0 is the one who changes: comes, goes, has other rows, fewer or all
			my $rows = 1 + int rand 200;
			my $share = rand;
			$session->ask("TRUNCATE source, changed; INSERT INTO source SELECT i, 'p' || CASE WHEN random() < $share THEN 0 ELSE floor(random() * 12) END,"
				  . " (ARRAY['kept', 'other'])[1 + floor(random() * 2)], random() < 0.5 FROM generate_series(1, $rows) i");
			my $filter = $round % 2 ? '{"kind": {"=": "kept"}}' : undef;
			my $key = "$table $k $round";
			fill($table, 'source');
			my $all = entered($table, $key, $filter);
			my %count;
			$count{$_}++ for values %$all;
			$failures{most}++ if grep { $_ > $k } values %count;
			my $expected = $session->ask("SELECT sum(least(n, $k)) FROM (SELECT count(*) AS n FROM source "
				  . ($filter ? "WHERE kind = 'kept'" : '') . ' GROUP BY who) s') || 0;
			$failures{most}++ if $expected != keys %$all;

			# the same rows elsewhere; labels are content, so that they are kept
			$session->ask("TRUNCATE changed; INSERT INTO changed SELECT * FROM $table");
			$session->ask("TRUNCATE $table; " . sprintf($fill{$table}, 'changed'));
			my $moved = entered($table, $key, $filter);
			$failures{order}++ if difference($all, $moved) || difference($moved, $all);

			# without person 0, and with other rows of theirs
			$session->ask("DELETE FROM $table WHERE who = 'p0'");
			my $without = entered($table, $key, $filter);
			$failures{others}++ if difference($without, $all) || grep { $all->{$_} ne 'p0' } difference($all, $without);
			$failures{add_remove}++ if difference($all, $without) + difference($without, $all) > $k;
			my $more = 1 + int rand 100;
			$session->ask("INSERT INTO $table SELECT 500 + i, 'p0', (ARRAY['kept', 'other'])[1 + floor(random() * 2)], random() < 0.5"
				  . " FROM generate_series(1, $more) i");
			my $replaced = entered($table, $key, $filter);
			$failures{others}++ if grep { $all->{$_} ne 'p0' } difference($all, $replaced);
			$failures{others}++ if grep { $replaced->{$_} ne 'p0' } difference($replaced, $all);
			$failures{replace}++ if difference($all, $replaced) + difference($replaced, $all) > 2 * $k;
			$compared++ if keys %$all && keys %$without;
		}
	}
}
cmp_ok($compared, '>=', 24, 'tables were compared that had rows');
is($failures{most}, 0, 'at most k rows of each person enter, and all if there are fewer');
is($failures{order}, 0, 'the choice does not depend on the places of the rows');
is($failures{others}, 0, 'the choice does not depend on the rows of other persons');
is($failures{add_remove}, 0, 'a person who comes or goes changes at most k rows');
is($failures{replace}, 0, 'a person whose rows are replaced changes at most 2 k');

# ---- every row of a person is equally likely ----

# The largest |z| of eight counts, each of which should be binomial(keys, 2/8).
my $keys = 4000;
sub largest_z
{
	my ($chooser) = @_;
	return $session->ask("SELECT round(max(abs(n - $keys * 0.25) / sqrt($keys * 0.25 * 0.75)), 2) FROM generate_series(1, 8) AS v(id)"
		  . " LEFT JOIN LATERAL (SELECT count(*) AS n FROM chosen WHERE chosen.id = v.id) c ON true") if !$chooser;
	$session->ask('TRUNCATE chosen');
	$session->ask("INSERT INTO chosen $chooser");
	return largest_z();
}
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE fair (id int, who uuid, y boolean);
INSERT INTO fair SELECT i, md5('one')::uuid, i % 2 = 0 FROM generate_series(1, 8) i;
INSERT INTO fair SELECT 8 + i, md5(i::text)::uuid, true FROM generate_series(1, 5) i;
CREATE TABLE chosen (id int);
SELECT dpobj.protect('fair', '{"id": {"scale": 1, "clip": [0, 100]}, "y": {}}', 'replace', 'who', 2);
SQL
# p < 1e-6 for the largest of eight two-sided tests
my $limit = 5.4;
my $fresh = largest_z("SELECT s.x[1] >> 16 FROM generate_series(1, $keys) i, scan_rows('fair', 'y', CASE WHEN i > 0 THEN '{id}'::text[] END) s");
cmp_ok($fresh, '<', $limit, "under fresh keys each of eight rows is chosen as often: largest z $fresh");
is($session->ask('SELECT count(*) FROM chosen WHERE id > 8'), 5 * $keys, 'the row of a person with one row is always chosen');
my $places = largest_z("SELECT f.id FROM generate_series(1, $keys) i, LATERAL (SELECT id FROM fair WHERE id <= 8 AND i > 0 ORDER BY ctid LIMIT 2) f");
cmp_ok($places, '>', $limit, "a choice by the place of the rows would be noticed: z $places");

# ---- memory ----

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE crowd AS SELECT i AS id, 'a person whose name is long ' || i AS who, true AS y FROM generate_series(1, 200000) i;
SELECT dpobj.protect('crowd', '{"id": {"bins": [0]}, "y": {}}', 'replace', 'who', 1);
SQL
my $crowd = "SELECT rows - neutral FROM scan_digest('crowd', 'y', with_digest => false)";
is($session->ask($crowd), '200000', 'a scan keeps track of many persons');
$session->ask('SET dpobj.memory_limit = 24');
is($session->ask($crowd), '200000', 'a scan whose persons do not fit into dpobj.memory_limit has a file for them');
$session->ask(q(SELECT dpobj.protect('crowd', '{"id": {"bins": [0]}, "y": {}}', 'replace', 'who', 1, n => 1000)));
like($session->ask($crowd), qr/^ERROR:  53200: out of memory$/m, 'many more rows than were declared do not fit into dpobj.memory_limit');
$session->ask('SET dpobj.memory_limit = 128');
is($session->ask($crowd), '200000', 'they fit into a higher limit');
$session->ask('RESET dpobj.memory_limit');
is($session->ask("SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dpobj persons'"), '0', 'the scan frees its memory');

# ---- a protection and a charge at once ----

my $other = session($node);
my $protect = q{SELECT dpobj.protect('quick', '{"id": {"scale": 60}, "label": {}}', '%s')};
spends(
	$node,
	'a protection that is not committed yet',
	{},
	sub {
		$session->ask('BEGIN');
		is($session->ask(sprintf $protect, 'add_remove'), '', 'a session protects the table');
		$other->ask("SET lock_timeout = '2s'");
		like($other->ask(train(QUICK)), qr/^ERROR:  55P03: could not write the privacy ledger$/m,
			'a charge under another adjacency is refused before the commit');
		$session->ask('COMMIT');
		like($other->ask(train(QUICK, options => '"adjacency": "replace"')), qr/^ERROR:  22023: option "adjacency" is not the table's$/m,
			'such a charge is refused after the commit');
	});
$session->ask("SELECT dpobj.unprotect('quick')");
spends(
	$node,
	'a charge that comes first',
	{ epsilon => 0.5, charged => 1, released => 1 },
	sub {
		$session->ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM dpobj.ledger');
		is_answered($other->ask(train(QUICK)), 'another session is charged');
		like($session->ask(sprintf $protect, 'add_remove'),
			qr/^ERROR:  55000: the privacy ledger has charges on this table under other neighbours$/m,
			'dpobj.protect sees the charge in an older snapshot');
		$session->ask('ROLLBACK');
	});
is($session->ask(sprintf $protect, 'replace'), '', 'a protection under the adjacency of the charge is made');
$session->ask('BEGIN; SELECT dpobj.unprotect(\'quick\'); ROLLBACK');
is(scalar_of($node, "SELECT count(*) FROM dpobj.protected WHERE relation = 'quick'::regclass"), '1', 'a rollback of dpobj.unprotect keeps the protection');
is( scalar_of($node, "SELECT string_agg(event, ' ' ORDER BY id) FROM dpobj.ledger WHERE relation = 'quick'::regclass AND event NOT IN ('charged', 'released')"),
	'protect unprotect protect unprotect',
	'the ledger has all protections and ends of protections');

# ---- charges for rows, on a table that protects persons afterwards ----

# Three rows of each person; by "basic" 3 epsilon and (1 + e^epsilon + e^(2 epsilon)) delta (theorem N4).
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE clinic AS SELECT i % 50 AS who, i % 7 / 7.0::float8 AS x, i % 2 = 0 AS y FROM generate_series(1, 150) i;
SELECT dpobj.set_budget('clinic', NULL, 3, 1e-5);
SQL
my $declare = q{SELECT dpobj.protect('clinic', '{"x": {"clip": [0, 1]}, "y": {}}', '%s', 'who', 3%s)};
my $spent = q{SELECT epsilon_spent, delta_spent, releases FROM dpobj.budgets WHERE relation = 'clinic'::regclass AND role IS NULL};
like($session->ask($_), qr/^0\.[23]$/m, 'a release before persons are protected')
  for q{SELECT (dp_halfspace(ARRAY[x], y, 0.2, 0)).epsilon FROM clinic},
  q{SELECT (dp_svm(ARRAY[x], y, 0.3, 1e-6, '{"mechanism": "output", "noise": "gaussian"}')).epsilon FROM clinic};
my $refused = $session->ask(sprintf $declare, 'replace', '');
like($refused, qr/^ERROR:  55000: the privacy ledger has charges on this table under other neighbours$/m, 'a protection of persons is refused because the charges are for rows');
like($refused, qr/HINT:  Say with earlier_rows_per_person .* With 3, .*\(2\) count epsilon 1\.5 and delta 0\.0000041719776\d+ instead of 0\.5 and 0\.000001\./,
	'the hint shows the argument that allows it, and its cost');
like($session->ask(sprintf $declare, 'add_remove', ', earlier_rows_per_person => 3'),
	qr/HINT:  Protect the table with adjacency => 'replace': charges under it say nothing about rows that come or go\./,
	'charges under replace cannot count under add_remove');
like($session->ask(sprintf $declare, 'replace', ", earlier_rows_per_person => $_"), qr/^ERROR:  22023: earlier_rows_per_person must be/m, "not $_ rows")
  for 0, -1, 100001;
like($session->ask(q{SELECT dpobj.protect('clinic', '{"x": {}, "y": {}}', earlier_rows_per_person => 3)}),
	qr/^ERROR:  22023: earlier_rows_per_person is for tables with a person$/m, 'earlier_rows_per_person needs a person');
is($session->ask($spent), '0.5|0.000001|2', 'the charges still count for one row');
is($session->ask(sprintf $declare, 'replace', ', earlier_rows_per_person => 3'), '', 'with earlier_rows_per_person persons can be protected');
like($session->ask($spent), qr/^1\.5\|0\.0000041719776\d+\|2$/, 'the charges count for three rows');
cmp_ok($session->ask("SELECT delta_spent - 1e-6 * (1 + exp(0.3::numeric) + exp(0.6::numeric)) FROM dpobj.budgets"
	  . " WHERE relation = 'clinic'::regclass"), '>=', 0, 'delta is rounded up');
like($session->ask(q{SELECT parameters ->> 'earlier_rows_per_person' FROM dpobj.ledger WHERE event = 'protect' ORDER BY id DESC LIMIT 1}),
	qr/^3$/, 'the ledger has earlier_rows_per_person');
like($session->ask(q{SELECT epsilon, delta, assumes FROM dpobj.recompute('clinic', NULL, 'basic')}),
	qr/^1\.5\|0\.0000041719776\d+\|.*; at most 3 rows of one person are replaced/, 'dpobj.recompute names the number of rows');
like($session->ask(q{SELECT dpobj.report('clinic')}), qr/for tables where at most 3 rows of one\s+person are replaced/, 'the text of a report names the number of rows');
$node->safe_psql('postgres', q{SELECT dpobj.set_budget('clinic', 'postgres', 100, 0.1)});
my $train = q{SELECT (dpobj.train('clinic', features => '{x}', label => 'y', epsilon => %s, method => 'halfspace')).epsilon};
like($session->ask(sprintf $train, 1.6), qr/^ERROR:  UB001: privacy budget exhausted\nDETAIL:  .*epsilon: 1\.5 spent, 1\.6 asked, 1\.5 left of 3\./m,
	'the budget counts the earlier charges for three rows');
is($session->ask(sprintf $train, 1.5), '1.5', 'all that is left can be spent');
like($session->ask(q{SELECT (dp_halfspace(ARRAY[x], y, 0.001, 0)).epsilon FROM clinic}), qr/^DETAIL:  Table "clinic" is protected per person/m,
	'an aggregate is refused on a table that is protected per person');
like($session->ask(sprintf $declare, 'replace', ', earlier_rows_per_person => 4'),
	qr/^NOTICE:  00000: the protection of table "clinic" has been replaced\nDETAIL:  What has changed: earlier_rows_per_person \(it was 3\)\.$/m,
	'earlier_rows_per_person can be raised');
like($session->ask($spent), qr/^3\.5\|/, 'the earlier charges cost more: 4 * 0.5 + 1.5');
my $once_more = qr/^ERROR:  55000: .*\n.*\nHINT:  Protect the table with adjacency => 'replace', person => 'who' and earlier_rows_per_person, the most rows that a person had\.$/m;
like($session->ask(sprintf $declare, 'replace', ''), $once_more, 'a protection without the number is refused');
like($session->ask(q{SELECT dpobj.protect('clinic', '{"x": {"clip": [0, 1]}, "y": {}}')}), $once_more, 'a protection without persons is refused');
my $lowered = qr/^ERROR:  55000: earlier_rows_per_person cannot be lowered\nDETAIL:  It was 3 when persons were charged\./m;
like($session->ask(sprintf $declare, 'replace', ', earlier_rows_per_person => 2'), $lowered, 'a lower number is refused');
like($session->ask(q{SELECT dpobj.unprotect('clinic'); } . sprintf $declare, 'replace', ', earlier_rows_per_person => 2'), $lowered, 'a lower number is refused after dpobj.unprotect');
unlike($session->ask(sprintf $declare, 'replace', ', earlier_rows_per_person => 3'), qr/ERROR/, 'a number under which nothing was charged can be lowered');
like($session->ask($spent), qr/^3\|/, 'the earlier charges count for three rows again');
like($session->ask(q{SELECT dpobj.report('clinic')}), qr/protect by postgres replace, person who, earlier_rows_per_person 4$/m, 'a report has each number');
$session->ask('ALTER TABLE clinic RENAME who TO patient');
like($session->ask(q{SELECT dpobj.protect('clinic', '{"x": {"clip": [0, 1]}, "y": {}}', 'replace', 'patient', 3, earlier_rows_per_person => 3)}),
	qr/^HINT:  Give the column of persons its former name again\. Protect the table with .* person => 'who' and/m, 'the column of persons keeps its name');
$session->ask('ALTER TABLE clinic RENAME patient TO who');

# Under zcdp rho counts nine times, under rdp at most alpha times that; add_remove is two groups under replace.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE ward AS SELECT * FROM clinic;
CREATE TABLE cabin AS SELECT * FROM clinic;
SELECT dpobj.set_budget('ward', NULL, 1000, 0.1, 'zcdp', delta_reserve => 0.05);
SELECT dpobj.set_budget('cabin', NULL, 1000, 0.1, 'rdp', rdp_order => 8, delta_reserve => 0.05);
SELECT dp_halfspace(ARRAY[x], y, 0.2, 0, '{"mechanism": "exponential"}') FROM ward;
SELECT dp_svm(ARRAY[x], y, 0.2, 1e-6, '{"mechanism": "objective", "noise": "gaussian", "adjacency": "add_remove", "dimension": 1}') FROM cabin;
SELECT dpobj.protect('ward', '{"x": {"clip": [0, 1]}, "y": {}}', 'replace', 'who', 3, earlier_rows_per_person => 3);
SELECT dpobj.protect('cabin', '{"x": {"clip": [0, 1]}, "y": {}}', 'replace', 'who', 3, earlier_rows_per_person => 3);
SQL
my $sums = "SELECT s.cost, s.delta FROM dpobj.budget_sums s JOIN dpobj.budget_rows b USING (id)"
  . " JOIN dpobj.identity_tables t ON t.id = b.relation WHERE t.relation = '%s'::regclass";
is(scalar_of($node, sprintf $sums, 'ward'), 9 * 0.2**2 / 8 * 1e12 . '|0', 'rho of three rows: 9 epsilon^2 / 8');
my ($cost, $delta) = split /\|/, scalar_of($node, sprintf $sums, 'cabin');
my $exact = 0;
$exact += 1e12 * exp(0.2 * $_) for 0 .. 5;
cmp_ok($delta, '>=', $exact, 'delta of six rows that go or come');
cmp_ok($delta, '<=', $exact * (1 + 1e-6), 'delta is hardly more than that');
cmp_ok($cost, '>', 0.9 * 1e12, 'the Renyi cost is near that of a loss of 1.2');
cmp_ok($cost, '<=', 1.2 * 1e12 * (1 + 1e-8), 'the Renyi cost is at most that');

$_->quit for $session, $other;
finish($node);
