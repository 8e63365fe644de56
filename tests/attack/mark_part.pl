# mark_part.pl - rows of a part leave for another server only if the table's owner says so, for a role that may
# read the table, while the owner has not limited it; and the owner sees in the ledger each time they do.

use DpobjTest;

my $node = dpobj_cluster('mark_part', 'dpobj.release_tick = 0');
login_roles($node, qw(own adm reader heir));
$node->safe_psql('postgres', <<'SQL');
GRANT dpobj_admin TO adm;
CREATE SCHEMA s AUTHORIZATION own;
GRANT USAGE ON SCHEMA s TO adm, reader, heir;
SET ROLE own;
CREATE TABLE s.vic (id int, age int, secret text);
INSERT INTO s.vic SELECT i, 20 + i % 60, 'CANARY_' || i FROM generate_series(1, 2000) i;
SQL

# The attacker's own server: another database, in which he is superuser.
$node->safe_psql('postgres', 'CREATE DATABASE other');
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('other', <<"SQL");
CREATE EXTENSION dpobj;
CREATE EXTENSION postgres_fdw;
CREATE SCHEMA s;
CREATE SERVER v FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
CREATE USER MAPPING FOR postgres SERVER v OPTIONS (user 'adm');
CREATE TABLE s.vic (id int, age int, secret text) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE s.vic1 PARTITION OF s.vic FOR VALUES FROM (MINVALUE) TO (MAXVALUE) SERVER v OPTIONS (table_name 'vic');
SELECT dpobj.protect('s.vic', '{"age": {"bins": [30, 45]}, "secret": {"levels": ["CANARY_1", "CANARY_17"]}}', n => 2000);
SELECT dpobj.set_budget('s.vic', 'postgres', 10000, 0);
SQL
my $attacker = session($node, database => 'other');
my $histogram = q{SELECT value FROM dpobj.histogram('s.vic', 'secret', 100) WHERE bin = 'CANARY_17'};

sub reads_as { my ($role) = @_; $node->safe_psql('other', "ALTER USER MAPPING FOR postgres SERVER v OPTIONS (SET user '$role')"); return $attacker->ask($histogram); }

sub events { return scalar_of($node, "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'read_part'"); }

my $unreadable = qr/ERROR:  UB003: part "s\.vic1" cannot be read\n.*not marked as a part of this table/;
my $marks = q{SELECT dpobj.mark_part('s.vic', 'other.s.vic', '%s')};
my ($own, $adm, $root) = map { session($node, user => $_) } qw(own adm postgres);

# ---- who marks ----

like($adm->ask(sprintf $marks, 'adm'), qr/ERROR:  42501: must be owner of table vic/, 'an administrator marks no table of another');
like($adm->ask(q{SELECT dpobj.mark_part('s.vic', NULL)}), qr/ERROR:  42501: must be owner of table vic/, 'nor takes a mark back');
like(reads_as('adm'), $unreadable, 'and reads nothing');
for my $session ($own, $root)
{
	like($session->ask(sprintf $marks, 'adm'), qr/ERROR:  UB003: role "adm" may not read table "vic"\n.*\n.*GRANT SELECT/, 'nobody marks for a role that may not read the table');
}
$own->ask('GRANT SELECT (id, age) ON s.vic TO reader');
like($own->ask(sprintf $marks, 'reader'), qr/ERROR:  UB003: role "reader" may not read table "vic"/, 'nor for one that may read columns of it');
$own->ask('GRANT SELECT ON s.vic TO reader; REVOKE USAGE ON SCHEMA s FROM reader');
like($own->ask(sprintf $marks, 'reader'), qr/ERROR:  UB003: role "reader" may not read table "vic"/, 'nor for one without its schema');
$own->ask('GRANT USAGE ON SCHEMA s TO reader; ALTER TABLE s.vic ENABLE ROW LEVEL SECURITY');
like($own->ask(sprintf $marks, 'reader'), qr/ERROR:  UB003: role "reader" may not read table "vic"/, 'nor for one that policies keep rows from');
$own->ask('ALTER TABLE s.vic DISABLE ROW LEVEL SECURITY');

# ---- the owner's limit ----

$own->ask(q{SELECT dpobj.limit_budget('s.vic', 0.1, 0)});
for my $session ($own, $root)
{
	like($session->ask(sprintf $marks, 'reader'), qr/ERROR:  UB003: the owner of table "vic" has limited its budgets\n.*\n.*dpobj\.limit_budget/, 'no rows leave beyond a limit');
}
$own->ask(q{SELECT dpobj.limit_budget('s.vic', NULL, NULL, 'counted elsewhere')});

# ---- what the owner sees ----

unlike($own->ask(sprintf $marks, 'reader'), qr/ERROR/, 'the owner marks for who may read the table');
is(events(), '0', 'nothing has been read');
like(reads_as('reader'), qr/^1$/m, 'then the other server reads it');
is(events(), '1', 'once for one release');
my $release = scalar_of($node, "SELECT parameters ->> 'release' FROM dpobj.ledger_events WHERE event = 'read_part'");
is($release, $attacker->ask(q{SELECT max(id) FROM dpobj.ledger WHERE event = 'charged'}), 'which the event names');
my $seen = q{SELECT event, role, parameters ->> 'role', parameters ->> 'coordinator' FROM dpobj.ledger WHERE event LIKE '%_part' ORDER BY id};
is($own->ask($seen), "mark_part|own|reader|other.s.vic\nread_part|reader|postgres|other.s.vic", 'the owner sees who has read for whom');
is(in_session($node, 'heir', $seen), '', 'others do not');

# ---- what ends it ----

sub stops
{
	my ($name, $stop, $go, $text) = @_;
	my $before = events();
	unlike($own->ask($stop), qr/ERROR/, "$name: the owner may");
	like(reads_as('reader'), $text // $unreadable, "$name: no rows leave");
	is(events(), $before, "$name: no event");
	unlike($own->ask($go), qr/ERROR/, "$name: and may take it back");
	like(reads_as('reader'), qr/^1$/m, "$name: rows leave again");
	return;
}

stops('a limit', q{SELECT dpobj.limit_budget('s.vic', 10000, 0)}, q{SELECT dpobj.limit_budget('s.vic', NULL, NULL, 'counted elsewhere')},
	qr/ERROR:  UB003: part "s\.vic1" cannot be read\n.*has limited what may be spent on it there\.\n.*dpobj\.limit_budget/);
stops('a revoke', 'REVOKE SELECT ON s.vic FROM reader', 'GRANT SELECT ON s.vic TO reader');
stops('row-level security', 'ALTER TABLE s.vic ENABLE ROW LEVEL SECURITY', 'ALTER TABLE s.vic DISABLE ROW LEVEL SECURITY');
stops('a mark that is taken back', q{SELECT dpobj.mark_part('s.vic', NULL)}, sprintf $marks, 'reader');

# What cannot be written to the ledger is not read.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON dpobj.ledger_events FOR EACH ROW WHEN (NEW.event = 'read_part') EXECUTE FUNCTION public.refuse();
SQL
my $before = events();
like(reads_as('reader'), qr/ERROR:  UB004/, 'without the event the release fails');
is(events(), $before, 'and has none');
$node->safe_psql('postgres', 'DROP FUNCTION public.refuse() CASCADE');
like(reads_as('reader'), qr/^1$/m, 'with it there is an answer');

finish($node);
