# 052_clients.pl - what people read keeps every letter of names, columns and levels in databases of
# every kind of encoding, and shows no control character; and drivers call with the types they send.

use DpobjTest;
use Encode qw(decode_utf8 encode_utf8);
use utf8;

my $node = dpobj_cluster('clients', 'dpobj.release_tick = 0', 'fsync = off');

# Letters of each encoding; bytes 0x80 to 0x9f are letters in those of Windows and DOS and in KOI8.
my %letters = (
	UTF8 => [ 'Betrag in €', 'Škoda', "日本\x{1F600}" ], LATIN1 => [ 'Größe', 'Åland', 'ÿ' ], LATIN9 => [ 'Betrag in €', 'Škoda', 'ß' ],
	WIN1252 => [ 'Betrag in €', 'Škoda', 'Ž™' ],
	WIN1251 => [ 'Цена в €', 'Ђурђа', 'Џ' ], WIN866 => [ 'Цена', 'АБВГ', 'Я' ], KOI8R => [ 'Цена', 'ёж', '║█' ], EUC_JP => [ '値段', '東京', 'カタカナ' ],
	SQL_ASCII => [ 'Betrag in €', 'Škoda', 'Цена' ]);

for my $encoding (sort keys %letters)
{
	my ($column, $level, $other) = @{ $letters{$encoding} };
	my $database = lc $encoding;
	my $name = "$other \t\r\n\x7f$level" . ($encoding eq 'UTF8' ? "\x{202E}\x{200B}\x{85}" : '') . '!';
	my $run = sub { return decode_utf8($node->safe_psql($database, encode_utf8("SET client_encoding = 'UTF8'; $_[0]"))) };

	$node->safe_psql('postgres', "CREATE DATABASE $database ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	$run->(<<"SQL");
CREATE EXTENSION dpobj;
CREATE TABLE price ("$column" text, y boolean);
INSERT INTO price SELECT (ARRAY['$level', '$other', 'x'])[1 + i % 3], i % 3 = 0 FROM generate_series(1, 900) i;
SELECT dpobj.protect('price', '{"$column": {"levels": ["$level", "$other", "x"]}, "y": {}}', n => 900), dpobj.set_budget('price', current_user::regrole, 100, 0);
SELECT FROM dpobj.train('price', 'y', 50, name => '$name');
SELECT FROM dpobj.histogram('price', '$column', 1, name => '$name kept');
SQL
	for my $format (qw(text markdown))
	{
		my $text = $run->("SELECT dpobj.show('$name', '$format')");
		like($text, qr/\Q$other\E  ?\Q$level\E ?\\?!/, "$encoding: show as $format has the name");
		like($text, qr/\Q$column\E/, "$encoding: show as $format has the column");
		like($text, qr/\Q$level\E/, "$encoding: show as $format has the level");
		unlike($text, qr/[\x00-\x09\x0b-\x1f\x7f-\x9f\x{200B}\x{202E}]/, "$encoding: show as $format has no control character");
	}
	my $page = $run->("SELECT dpobj.report('price', 'html')");
	like($page, qr/\Q$_\E/, "$encoding: the page has its letters") for $column, $level, $other;
	unlike($page, qr/[\x00-\x09\x0b-\x1f\x7f-\x9f\x{200B}\x{202E}]/, "$encoding: the page has no control character");
	is($run->("SELECT count(*) FROM dpobj.report('price')"), '1', "$encoding: the report as text");
	is($run->("SELECT dpobj_internal.on_one_line('$column $level $other')"), "$column $level $other", "$encoding: a text without control characters stays");
}

# Joiners form letters of Arabic and Persian; elsewhere nobody sees them.
for my $case ([ q{U&'\\0645\\06cc\\200c\\062e'}, 't' ], [ q{U&'\\00e9\\200d\\00e9'}, 'f' ], [ q{U&'\\0645\\200d\\200d\\062e'}, 'f' ], [ q{U&'\\0645\\200d'}, 'f' ])
{
	my ($name, $stays) = @$case;
	is(scalar_of($node, "SELECT dpobj_internal.on_one_line($name) = $name"), $stays, "$name is shown " . ($stays eq 't' ? 'whole' : 'without joiners'));
}

# A name of any length is escaped at once.
my $start = time;
is(scalar_of($node, q{SELECT length(dpobj_internal.markdown(repeat('www.*', 1000000)))}), '7000000', 'a megabyte of markup');
cmp_ok(time - $start, '<', 60, 'takes seconds and not hours');
is(scalar_of($node, q{SELECT dpobj_internal.markdown(E'a|b\n[x](http://y) WWW.z a.b 1:2 \\\\ `c` <d> $e @f #g ~h &i _j')}),
	'a\|b \[x\](http\://y) WWW\.z a.b 1:2 \\\\ \`c\` \<d\> \$e \@f \#g \~h \&i \_j', 'what Markdown would read as markup');

# ---- drivers ----

login_roles($node, 'ana');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient AS SELECT i % 5 AS a, i % 2 = 0 AS y FROM generate_series(1, 1000) i;
SELECT dpobj.protect('patient', '{"a": {"bins": [2]}, "y": {}}', n => 1000), dpobj.set_budget('patient', 'ana', 1000::float8, 1e-6::float8);
SQL
my $epsilon = "SELECT epsilon FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1";
is(scalar_of($node, q{SELECT jsonb_typeof(dpobj.report('patient', 'json')::jsonb), jsonb_typeof(dpobj.report('patient', 'json', 1e-6)::jsonb), jsonb_typeof(dpobj.report('patient', 'json', 1e-6::float8)::jsonb),
  length(dpobj.report('patient')) > 0, (SELECT count(*) FROM dpobj.recompute('patient', 'ana', 'zcdp'))}), 'object|object|object|t|1', 'numbers that may be left out');
# The types of a number and of options, in every combination; null: a literal.
for my $number ('0.1', "'0.1'", '0.1::float8', '0.1::numeric', "'0.1'::real::numeric", '\'0.1\'::float8')
{
	for my $options ('', map { ", options => $_" } q{'{"confidence": 0.9}'}, map { qq{'{"confidence": 0.9}'::$_} } qw(jsonb json text varchar))
	{
		is(in_session($node, 'ana', "SELECT value IS NOT NULL FROM dpobj.count('patient', $number$options)", $epsilon), "t\n0.1", "epsilon $number$options");
	}
}
is(in_session($node, 'ana', "SELECT value IS NOT NULL FROM dpobj.count('patient', 1)", $epsilon), "t\n1", 'an integer');
is(in_session($node, 'ana', q{SELECT (dpobj.train('patient', 'y', 0.3::float8, delta => 0, options => '{}'::json, filter => '{"a": {"<": 4}}'::json)).epsilon}), '0.3', 'named arguments');
is(in_session($node, 'ana', 'PREPARE q(regclass, float8, json) AS SELECT value IS NOT NULL FROM dpobj.count($1, $2, options => $3)', q{EXECUTE q('patient', 0.7, '{}')}, $epsilon), "\nt\n0.7", 'a prepared statement');
is(in_session($node, 'ana', q{SELECT jsonb_typeof(dpobj.price('patient', 'y', 0.1::float8, options => '{}'::text))}, q{SELECT count(*) > 0 FROM dpobj.recompute('patient', 'ana', 'zcdp', 1e-6::float8)},
	q{SELECT jsonb_typeof(dpobj.price_plan('[{"method": "halfspace", "d": 5, "epsilon": 1}]'::json, 1e-6::float8))}), "object\nt\nobject", 'functions that release nothing');
is(scalar_of($node, q{SELECT dpobj.raise_budget('patient', 'ana', 0.1::float8, 0::float8, 'more')} . "; SELECT epsilon_limit FROM dpobj.budgets"), "\n1000.1", 'a budget');
refused('a number that is none', '22023', in_session($node, 'ana', q{SELECT FROM dpobj.count('patient', 'NaN'::float8)}));
refused('an infinite number', '22023', in_session($node, 'ana', q{SELECT FROM dpobj.count('patient', 'Infinity'::float8)}));
refused('text that is no json', '22P02', in_session($node, 'ana', q(SELECT FROM dpobj.count('patient', 0.1, options => '{'::text))));
# No function takes a numeric, and none of those that take one can be called.
is(scalar_of($node, q{SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p WHERE p.pronamespace = 'dpobj'::regnamespace AND 'numeric'::regtype = ANY (p.proargtypes)}),
	'', 'no function takes a numeric');
is(scalar_of($node, q{SELECT count(*) > 20, bool_or(has_function_privilege('ana', q.oid, 'EXECUTE')) FROM pg_proc p JOIN pg_proc q ON q.proname = p.proname
  WHERE p.prosrc = 'dpobj_public_form' AND q.pronamespace = 'dpobj_internal'::regnamespace}), 't|f', 'internal functions are for nobody');
$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION dpobj.count FROM PUBLIC');
refused('a function that was revoked', '42501', in_session($node, 'ana', q{SELECT FROM dpobj.count('patient', 0.1)}));
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION dpobj.count TO PUBLIC');

my %drivers = (psycopg => <<'PSYCOPG3', psycopg2 => <<'PSYCOPG2');
import psycopg, json
from psycopg.types.json import Json, Jsonb
from decimal import Decimal
c = psycopg.connect(autocommit=True)
for epsilon in (0.1, Decimal('0.1'), '0.1', 1):
    for options in (Json({"confidence": 0.9}), Jsonb({"confidence": 0.9}), json.dumps({"confidence": 0.9})):
        for binary in (False, True):
            with c.cursor(binary=binary) as cu:
                cu.execute("SELECT value IS NOT NULL FROM dpobj.count(%s, %s, options => %s)", ('patient', epsilon, options), prepare=True)
                assert cu.fetchone()[0] is True
c.execute("SELECT (dpobj.train(%s, %s, %s, features => %s, name => %s)).kind", ('patient', 'y', 0.1, ['a'], 'of psycopg'))
for binary in (False, True):
    with c.cursor(binary=binary) as cu:
        cu.execute("SELECT dpobj.predict(%s, p) IS NOT NULL, (SELECT count(*) > 0 FROM dpobj.scorecard(%s)) FROM (SELECT 1 AS a) p",
                   ('of psycopg', 'of psycopg'), prepare=True)
        assert cu.fetchone() == (True, True)
print(c.execute("SELECT epsilon FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1").fetchone()[0])
PSYCOPG3
import psycopg2, psycopg2.extras
c = psycopg2.connect('')
c.autocommit = True
cu = c.cursor()
for options in (psycopg2.extras.Json({"confidence": 0.9}), '{"confidence": 0.9}'):
    cu.execute("SELECT value IS NOT NULL FROM dpobj.count(%s, %s, options => %s)", ('patient', 0.1, options))
    assert cu.fetchone()[0] is True
cu.execute("SELECT (dpobj.train('patient', 'y', 0.1, name => 'of psycopg2')).kind")
cu.execute("SELECT dpobj.predict(%s, p) IS NOT NULL FROM (SELECT 1 AS a) p", ('of psycopg2',))
assert cu.fetchone()[0] is True
cu.execute("SELECT epsilon FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1")
print(cu.fetchone()[0])
PSYCOPG2
for my $driver (sort keys %drivers)
{
  SKIP:
	{
		skip "$driver is not installed (Debian package python3-$driver)", 1 if system("python3 -c 'import $driver' 2>/dev/null") != 0;
		local @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER)} = ($node->host, $node->port, 'postgres', 'ana');
		my ($out, $errors) = run_command([ 'python3', '-c', $drivers{$driver} ]);
		is("$out$errors", '0.1', "$driver calls with its own types");
	}
}

finish($node);
