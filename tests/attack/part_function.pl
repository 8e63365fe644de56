# part_function.pl - the owner of the database of a part drops dpobj there and makes objects of his own under its
# names: nothing of his runs as the role of the connection, which is a superuser for Citus.

use DpobjTest;

my $node = dpobj_cluster('part_function', 'dpobj.release_tick = 0');
login_roles($node, qw(dbo));
$node->safe_psql('postgres', 'CREATE DATABASE shop OWNER dbo');
$node->safe_psql('shop', 'CREATE EXTENSION dpobj');
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER shop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'shop');
CREATE USER MAPPING FOR postgres SERVER shop OPTIONS (user 'postgres');
CREATE TABLE claim (id int, age int) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE claim_1 PARTITION OF claim FOR VALUES FROM (1) TO (1001) SERVER shop OPTIONS (table_name 'claim_part');
SELECT dpobj.protect('claim', '{"age": {"bins": [30]}}', 'add_remove');
SELECT dpobj.set_budget('claim', 'postgres', 1000, 0);
SQL
my $make = q{CREATE TABLE claim_part AS SELECT i AS id, i % 60 AS age FROM generate_series(1, 1000) i; SELECT dpobj.mark_part('claim_part', 'postgres.public.claim', 'postgres')};
$node->safe_psql('shop', $make);

my $root = session($node);
my $dbo = session($node, user => 'dbo', database => 'shop');
my $count = q{SELECT round(value) FROM dpobj.count('claim', 100)};
is($root->ask($count), '1000', 'the part answers');

sub is_super { return scalar_of($node, "SELECT rolsuper FROM pg_roles WHERE rolname = 'dbo'"); }

sub runs_nothing
{
	my ($name) = @_;
	my $charged = scalar_of($node, "SELECT count(*) FROM dpobj.ledger WHERE event = 'charged'");
	like($root->ask($count), qr/ERROR:  08001: part "public\.claim_1" cannot be read\n/, "$name: the part is not read");
	is(is_super(), 'f', "$name: nothing of the database's owner has run");
	is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger WHERE event = 'charged'"), $charged, "$name: no charge");
	return;
}

# While the part is asked, its extension stays: else it could be replaced between the check and the call.
my $writer = session($node, database => 'shop');
$writer->ask('BEGIN; LOCK TABLE claim_part IN ROW EXCLUSIVE MODE');
$root->send($count);
ok(wait_until(30, sub { $node->safe_psql('shop', q{SELECT count(*) FROM pg_locks w JOIN pg_locks l USING (pid)
  WHERE NOT w.granted AND w.relation = 'claim_part'::regclass AND l.relation = 'dpobj.protected'::regclass AND l.mode = 'AccessShareLock'}) }),
	'a part that is asked keeps a relation of its extension');
$writer->ask('ROLLBACK');
is($root->result, '1000', 'and answers');

# The database is the owner's, and so is schema public since PostgreSQL 15.
$node->safe_psql('shop', 'ALTER SCHEMA public OWNER TO dbo');
unlike($dbo->ask('DROP SCHEMA public CASCADE'), qr/ERROR/, 'the owner of the database drops dpobj');
is($node->safe_psql('shop', "SELECT count(*) FROM pg_extension WHERE extname = 'dpobj'"), '0', 'it is gone');
runs_nothing('no dpobj');

my $evil = q{LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE dbo SUPERUSER; RETURN %s; END $$};
unlike($dbo->ask('CREATE SCHEMA public; CREATE SCHEMA dpobj_internal; GRANT USAGE ON SCHEMA dpobj_internal TO PUBLIC;'
	. sprintf("CREATE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea $evil", 'message')), qr/ERROR/, 'he makes a function of its name');
runs_nothing('a function');
unlike($dbo->ask('CREATE SCHEMA dpobj; GRANT USAGE ON SCHEMA dpobj TO PUBLIC;'
	. sprintf("CREATE FUNCTION dpobj.act() RETURNS boolean $evil;", 'true') . 'CREATE VIEW dpobj.protected AS SELECT 1 AS one WHERE dpobj.act()'), qr/ERROR/, 'and a view');
runs_nothing('a function and a view');

# Operators and functions that the question uses, before those of the system in the path of the database.
for my $type (qw(oid name text bool int8 regclass regprocedure))
{
	$dbo->ask(sprintf("CREATE FUNCTION public.equal($type, $type) RETURNS boolean $evil", 'true')
		. "; CREATE OPERATOR public.= (LEFTARG = $type, RIGHTARG = $type, PROCEDURE = public.equal)");
}
$dbo->ask(sprintf("CREATE FUNCTION public.count() RETURNS bigint $evil", '2'));
unlike($dbo->ask('ALTER DATABASE shop SET search_path = public, pg_catalog'), qr/ERROR/, 'and a path to operators');
runs_nothing('operators');

# The true extension again, beside what he has made.
$dbo->ask('DROP SCHEMA dpobj, dpobj_internal CASCADE; ALTER DATABASE shop RESET search_path');
$node->safe_psql('shop', 'CREATE EXTENSION dpobj');
$node->safe_psql('shop', $make);
$node->safe_psql('postgres', 'SELECT dpobj.confirm_epoch()');
is($root->ask($count), '1000', 'a part whose dpobj was made again answers');
is(is_super(), 'f', 'still nothing has run');

# A notice of a part is one line of this log, and not a long one.
$node->safe_psql('shop', <<'SQL');
CREATE FUNCTION public.true_part(bytea) RETURNS bytea LANGUAGE c AS '$libdir/dpobj', 'dpobj_part';
CREATE OR REPLACE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1 .. 100 LOOP RAISE NOTICE E'first\n2026-01-01 00:00:00 UTC LOG:  forged line\x1b[31m%', repeat('x', 5000); END LOOP;
  RETURN public.true_part(message);
END $$
SQL
my $from = -s $node->logfile;
is($root->ask($count), '1000', 'a part that talks answers');
my $log = slurp_file($node->logfile, $from);
unlike($log, qr/^2026-01-01 00:00:00 UTC LOG:  forged line/m, 'a notice makes no line of its own');
my @lines = $log =~ /(LOG:  part "public\.claim_1": .*)/g;
is(scalar(@lines), 10, 'ten notices of a connection are written');
like($lines[0], qr/^LOG:  part "public\.claim_1": NOTICE:  first\\x0a2026-01-01 .*\\x1b\[31mx+ \(cut off\)$/, 'with their part, and control characters as numbers');
cmp_ok(length $lines[0], '<', 1200, 'and not longer than a thousand bytes');

finish($node);
