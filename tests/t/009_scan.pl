# 009_scan.pl - the scan of the analyst's door reveals no row, stops when it is cancelled, and
# declarations survive a dump and are never stale.

use DpobjTest;

# What is read of catalogs stays in memory: since PostgreSQL 18 debug messages tell of each page that is read.
my $node = dpobj_cluster('scan', 'shared_buffers = 32MB');
scan_functions($node);
my $session = session($node);

$node->safe_psql('postgres', <<'SQL');
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE visit (id int, i bigint, f float8, n numeric, d date, ts timestamptz, t text, c char(3000), e mood,
  b boolean, y text);
INSERT INTO visit SELECT i, i, i / 100.0, i, date '2020-01-01' + i, timestamptz '2020-01-01' + i * interval '1 h',
  'a', 'b', 'sad', true, 'yes' FROM generate_series(1, 100) i;
SELECT dpobj.protect('visit', '{"i": {"scale": 100}, "f": {}, "n": {"scale": 100}, "d": {"epoch_of": "day", "scale": 20000},
  "ts": {"epoch_of": "hour", "scale": 500000}, "t": {"levels": ["a", "z"]}, "c": {"levels": ["b"]}, "e": {"levels": ["sad"]},
  "b": {}, "y": {"positive": ["yes"], "negative": ["no"]}}');
SQL

# ---- pairs of tables that differ in one row ----

# Everything that a client is told at the most talkative setting, as sorted lines, because answers and
# messages come by two pipes.  Only the number of rows is asked for, which is public.
my $filter = '{"i": {"<": 1000}, "n": {"<>": 3}, "t": {">=": "a"}, "e": {"in": ["sad"]}, "ts": {">": "2001-01-01"}}';
my $scan = "SELECT rows FROM scan_digest('visit', 'y', filter => '$filter', with_digest => false)";

sub told
{
	$session->ask("SET client_min_messages = 'debug5'");
	my $text = $session->ask($scan);
	$session->ask("SET client_min_messages = 'notice'");
	return join "\n", sort split /\n/, $text;
}

$session->ask('VACUUM FULL visit');
told();
my $usual = told();
like($usual, qr/^100$/m, 'the scan answers');
like($usual, qr/^DEBUG: /m, 'debug messages are seen');
for my $bad (
	'i = NULL', 'i = 9223372036854775807', 'i = -9223372036854775808',
	"f = 'NaN'", "f = 'Infinity'", "f = '-Infinity'", 'f = 1e308', 'f = 5e-324', 'f = NULL',
	"n = 'NaN'", "n = 'Infinity'", 'n = 10::numeric ^ 1000', 'n = -(10::numeric ^ 100000)', 'n = NULL',
	"d = 'infinity'", "d = '-infinity'", "d = '4713-01-01 BC'", 'd = NULL',
	"ts = 'infinity'", "ts = '-infinity'", "ts = '294276-12-31 00:00'", 'ts = NULL',
	"t = 'unknown'", "t = ''", "t = repeat('a', 100000)", 't = NULL', "t = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 3000) i)",
	"c = ''", "c = repeat('b', 3000)", 'c = NULL', "e = 'happy'", 'e = NULL', 'b = NULL', "y = 'no'", 'y = NULL')
{
	$node->safe_psql('postgres', "CREATE TABLE kept AS SELECT * FROM visit WHERE id = 50; UPDATE visit SET $bad WHERE id = 50");
	is(told(), $usual, "$bad: the client is told the same");
	$node->safe_psql('postgres',
		'DELETE FROM visit WHERE id = 50; INSERT INTO visit SELECT * FROM kept; DROP TABLE kept');
}

# Pages of rows are read from the disk now, also of TOAST, and no message tells how many.
$node->safe_psql('postgres', 'UPDATE visit SET t = (SELECT string_agg(md5(i::text), $$$$) FROM generate_series(1, 3000) i) WHERE id = 50; VACUUM FULL visit');
my $read = told();
like($read, qr/^DEBUG: /m, 'debug messages are seen after VACUUM FULL');
unlike($read, qr/\baio\b|\breadv\b/, 'no message tells of the pages that are read');

# ---- a scan that is stopped ----

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE large AS SELECT i / 1e6 AS f, i % 2 = 0 AS y FROM generate_series(1, 1000000) i;
ALTER TABLE large ALTER f TYPE float8;
SELECT dpobj.protect('large', '{"f": {}, "y": {}}');
SQL
$session->ask('SET statement_timeout = 20');
my $start = time;
like(
	$session->ask("SELECT rows FROM scan_digest('large', 'y', with_digest => false)"),
	qr/^ERROR:  57014: /m,
	'a timeout stops a scan');
cmp_ok(time() - $start, '<', 10, 'the scan stops at once');
$session->ask('RESET statement_timeout');
is( scalar_of($node, "SELECT count(*) FROM pg_locks WHERE relation = 'large'::regclass"),
	'0', 'the scan leaves no lock');

# ---- declarations ----

# The rows are those of the snapshot, the declaration is the latest.
my $digest = "SELECT rows, distinct_rows FROM scan_digest('fresh', 'y')";
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE fresh AS SELECT i AS a, true AS y FROM generate_series(1, 10) i;
SELECT dpobj.protect('fresh', '{"a": {"scale": 10}, "y": {}}');
SQL
$session->ask('BEGIN ISOLATION LEVEL REPEATABLE READ');
is($session->ask($digest), '10|10', 'the scan sees the rows and the declaration');
$node->safe_psql('postgres', <<'SQL');
INSERT INTO fresh VALUES (11, true);
SELECT dpobj.protect('fresh', '{"a": {"bins": [6]}, "y": {}}');
SQL
is($session->ask($digest), '10|2', 'an old snapshot has the old rows and the new declaration');
$session->ask('COMMIT');
is($session->ask($digest), '11|2', 'a new snapshot has the new rows');

# Two administrators at once: the later one waits, and its declaration holds.
my $other = session($node);
$session->ask('BEGIN');
$session->ask(q{SELECT dpobj.protect('fresh', '{"a": {"bins": [3, 6]}, "y": {}}')});
$other->send(q{SELECT dpobj.protect('fresh', '{"a": {"bins": [2, 4, 6]}, "y": {}}')});
ok(wait_until(30, sub { scalar_of($node, 'SELECT count(*) FROM pg_locks WHERE NOT granted') > 0 }),
	'the later administrator waits');
$session->ask('COMMIT');
$other->result;
is($session->ask($digest), '11|4', 'the declaration of the later administrator holds');
$other->quit;

# A restored declaration is found by name, because OIDs differ.
my $all = "SELECT digest FROM scan_digest('visit', 'y')";
my $usual_digest = $session->ask($all);
like($usual_digest, qr/^\\x[0-9a-f]{64}$/, 'a digest before the dump');
$session->quit;
copy_by_dump($node, 'postgres', 'restored', 'plain');
is($node->safe_psql('restored', $all), $usual_digest, 'the restored table gives the same digest');
is( $node->safe_psql('restored',
		"SELECT count(*) FROM dpobj.identities i JOIN dpobj.protections p ON p.relation = i.id WHERE i.object <> to_regclass(i.name)"),
	'3', 'all OIDs of protected tables differ in the restored database');

finish($node);
