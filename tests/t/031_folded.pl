# 031_folded.pl - functions that are wrongly declared IMMUTABLE: the planner calls them if their
# arguments are constants, before dpobj's check of the plan. So dpobj checks the query first.

use DpobjTest;
use DpobjHostile;

# ---- tables, and a function that reads one of them and says so ----

my $set_up = <<'SQL';
SELECT dpobj.grant_trainer('owner'), dpobj.grant_trainer('trusted');
CREATE SCHEMA own AUTHORIZATION owner;
GRANT USAGE ON SCHEMA own TO PUBLIC;
CREATE TABLE own.ward (id int PRIMARY KEY, age int, features float8[] CHECK (cardinality(features) = 2), y boolean);
INSERT INTO own.ward SELECT i, i, ARRAY[i % 2, i % 3 - 1], i % 2 = 0 FROM generate_series(1, 60) i;
CREATE TABLE own.ruled AS TABLE own.ward;
ALTER TABLE own.ruled ADD CHECK (cardinality(features) = 2);
CREATE TABLE own.closed (LIKE own.ward INCLUDING CONSTRAINTS);
INSERT INTO own.closed TABLE own.ward;
CREATE TABLE own.kept (release bigint);
CREATE TABLE own.models AS SELECT 1 AS id, ROW('halfspace', 'x', '{1,0}', 1, 0, 'replace', 'exact', 1, '{}')::dp_model AS m;
ALTER TABLE own.ward OWNER TO owner;
ALTER TABLE own.ruled OWNER TO owner;
ALTER TABLE own.closed OWNER TO owner;
ALTER TABLE own.kept OWNER TO owner;
ALTER TABLE own.models OWNER TO owner;
ALTER ROLE owner SET search_path = own, public;
ALTER ROLE trusted SET search_path = own, public;
SELECT dpobj.protect('own.closed', '{"age": {"clip": [0, 100]}, "y": {}}');
SET ROLE owner;
CREATE FUNCTION own.victim() RETURNS int LANGUAGE plpgsql IMMUTABLE AS
  $$ BEGIN RAISE NOTICE 'CAPTURED'; RETURN (SELECT max(age) FROM own.ward) - 10; END $$;
CREATE FUNCTION own.victim(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN own.victim() + $1; END $$;
CREATE FUNCTION own.inlined() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT own.victim() + 1';
CREATE FUNCTION own.older(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN own.victim() > $2; END $$;
CREATE OPERATOR own.<<< (LEFTARG = int, RIGHTARG = int, FUNCTION = own.older);
CREATE TYPE own.era AS (years int);
CREATE FUNCTION own.years(own.era) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN own.victim(); END $$;
CREATE CAST (own.era AS int) WITH FUNCTION own.years(own.era);
CREATE VIEW own.young AS SELECT * FROM own.ward WHERE age < own.victim();
CREATE VIEW own.barred WITH (security_barrier) AS SELECT * FROM own.ward WHERE age < own.victim();
ALTER TABLE own.ruled ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON own.ruled USING (age < own.victim());
GRANT SELECT ON own.ruled TO trusted;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA own TO trusted;
CREATE FUNCTION own.trains() RETURNS TABLE (release bigint) LANGUAGE sql STABLE
  AS 'SELECT (dp_halfspace(features, y, 0.5, 0)).release FROM own.ward WHERE age < own.victim()';
CREATE FUNCTION own.trains_well() RETURNS TABLE (release bigint) LANGUAGE sql
  AS 'SELECT (dp_halfspace(features, y, 0.5, 0)).release FROM own.ward';
CREATE FUNCTION own.helps() RETURNS TABLE (n int) LANGUAGE sql STABLE AS 'SELECT 1';
CREATE FUNCTION own.after(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
SQL

my $call = 'dp_halfspace(features, y, 0.5, 0)';
my $train = "SELECT ($call).release FROM ward";
my $hand = q{ROW('halfspace', 'x', '{1,0}', 1, 0, 'replace', 'exact', 1, '{}')::dp_model};

# Each is a way in which the value of a user's function meets the rows.
my @feeding = (
	"$train WHERE age < victim()",
	"$train WHERE age < inlined()",
	"$train WHERE age < victim(3) + 1",
	"$train WHERE 5 <<< 6",
	"$train WHERE age < ROW(5)::era::int",
	"$train WHERE CASE WHEN victim() > 30 THEN age < 30 ELSE age > 30 END",
	"$train WHERE age < ANY (ARRAY[victim(), 3])",
	"$train HAVING victim() > 30",
	'SELECT dp_halfspace(ARRAY[victim() / 60.0], y, 0.5, 0) FROM ward',
	'SELECT dp_halfspace(CASE WHEN victim() > 3 THEN features END, y, 0.5, 0) FROM ward',
	'SELECT dp_halfspace(features, victim() > 30, 0.5, 0) FROM ward',
	"SELECT $call FILTER (WHERE age < victim()) FROM ward",
	'SELECT dp_halfspace(features, y, victim() / 100.0, 0) FROM ward',
	q{SELECT dp_halfspace(features, y, 0.5, 0, jsonb_build_object('n', victim())) FROM ward},
	"SELECT $call FROM young",
	"SELECT $call FROM barred",
	"SELECT $call FROM ward, (SELECT victim() AS v) s WHERE age < v",
	"SELECT $call FROM (SELECT *, victim() AS v FROM ward) s WHERE age < v",
	"SELECT $call FROM ward, victim() v WHERE age < v",
	"SELECT $call FROM ward, (VALUES (victim())) s(v) WHERE age < v",
	"WITH s AS (SELECT victim() AS v) SELECT $call FROM ward, s WHERE age < v",
	"WITH s AS (SELECT victim() AS v), t AS (SELECT v FROM s) SELECT * FROM (SELECT $call FROM ward, t WHERE age < v) u",
	"SELECT (SELECT $call FROM ward WHERE age < s.v) FROM (SELECT victim() AS v) s",
	"SELECT u.* FROM (SELECT victim() AS v) s, LATERAL (SELECT $call FROM ward WHERE age < s.v) u",
	"WITH s AS (SELECT victim() AS v) SELECT u.* FROM s, LATERAL (SELECT $call FROM ward WHERE age < s.v) u",
	"SELECT (SELECT dp_halfspace(w.features, w.y, 0.5, 0)) FROM ward w WHERE w.age < victim()",
	"INSERT INTO kept $train WHERE age < victim()",
	"CREATE TABLE own.made AS $train WHERE age < victim()",
	"UPDATE kept SET release = ($train WHERE age < victim())",
	"COPY ($train WHERE age < victim()) TO STDOUT",
	"EXPLAIN $train WHERE age < victim()",
	"DECLARE c CURSOR WITH HOLD FOR $train WHERE age < victim()",
	"DO \$\$ BEGIN PERFORM ($train WHERE age < victim()); END \$\$",
	"SELECT dp_accuracy($hand, features, y, 0.5) FROM ward WHERE age < victim()",
	"SELECT dp_accuracy($hand, features, age < victim(), 0.5) FROM ward",
	"SELECT dp_accuracy(CASE WHEN victim() > 3 THEN $hand END, features, y, 0.5) FROM ward",
	"SELECT dp_groups(CASE WHEN victim() > 3 THEN y::text END, features, y, 0.5, 0, '{\"keys\": [\"true\"]}') FROM ward",
	"SELECT dp_ftrl(features, 0.5, 0, '{\"n\": 60, \"dimension\": 2}') OVER (ORDER BY CASE WHEN victim() > 3 THEN id ELSE age END) FROM ward",
	"SELECT dp_ftrl(CASE WHEN victim() > 3 THEN features END, 0.5, 0, '{\"n\": 60, \"dimension\": 2}') OVER (ORDER BY id) FROM ward",
	'SELECT dp_halfspace(ARRAY[age], y, 0.5, 0, \'{"clip": [0, 99]}\') FROM closed WHERE age < victim()');

# The planner replaces a function in FROM by its query: functions in it are called, but nothing is released.
my @replaced = ('SELECT * FROM trains()', 'SELECT * FROM helps(), trains()', "SELECT * FROM (SELECT $call FROM ward) s, trains()");

# Allowed: functions of an answer, and functions whose values meet no rows.
my @free = (
	"SELECT own.after(($call).release) FROM ward",
	"SELECT own.after(release) FROM ($train OFFSET 0) s WHERE own.after(release) > 0 ORDER BY own.after(release)",
	"WITH s AS (SELECT own.after(1) AS v) SELECT release + v FROM s, ($train) t",
	"SELECT * FROM trains_well()",
	"SELECT dp_accuracy((SELECT m FROM models WHERE id = own.after(1)), features, y, 0.5) IS NULL FROM ward",
	"$train WHERE dp_predict($hand, features)",
	q{SELECT (dp_halfspace(dpobj.features('{"age": {"clip": [0, 99]}}', w), y, 0.5, 0)).release FROM ward w});

# ---- before anything is computed ----

my $node = dpobj_cluster('folded', 'fsync = off', 'jit = off');
login_roles($node, qw(owner trusted));
$node->safe_psql('postgres', $set_up);
my $hostile = DpobjHostile->new($node);

$hostile->try_all('refused', map { [ $_, 'owner', 'UB003', $_ ] } @feeding);
$hostile->try_all('allowed', map { [ $_, 'owner', 1, $_ ] } @free);
$hostile->try_all(
	'other statements',
	[ 'in the first statement of a session', 'owner', 'UB003', \'', $feeding[0] ],
	[ 'row-level security', 'trusted', 'UB003', "SELECT $call FROM ruled" ],
	[ 'of which its owner is free', 'owner', 1, "SELECT ($call).release FROM ruled" ],
	[ 'a prepared statement', 'owner', 'UB003', "PREPARE x AS $feeding[0]", 'EXECUTE x' ],
	[ 'a generic plan', 'owner', 'UB003', 'SET plan_cache_mode = force_generic_plan',
		"PREPARE y(int) AS $train WHERE age < victim(\$1)", 'EXECUTE y(1)' ],
	[ 'a helper in FROM', 'owner', 'UB003', "SELECT release + n FROM ($train) s, helps()" ],
	[ 'a parallel plan', 'owner', 'UB003', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0', $feeding[0] ],
	[ 'without a call nobody is stopped', 'owner', 0, 'SELECT count(*) FROM ward WHERE own.after(age) > 0' ]);
my $replacing = session($node, user => 'owner');
spends($node, $_, {}, sub { like($replacing->ask($_), qr/^ERROR:  UB003: .*replaced by its query/ms, $_) }) for @replaced;
$replacing->quit;
$node->safe_psql('postgres', 'CREATE DATABASE bare');
is($node->safe_psql('bare', q{CREATE FUNCTION f(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
  CREATE AGGREGATE dp_halfspace(int) (SFUNC = int4larger, STYPE = int); SELECT dp_halfspace(f(i)) FROM generate_series(1, 3) i}),
	3, 'in a database without the extension nothing is refused');
finish($node);
