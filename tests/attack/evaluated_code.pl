# evaluated_code.pl - the owner of a table plants functions wherever PostgreSQL evaluates something for a
# table.  A release, a job, a schedule, a price and a declaration evaluate none of them; and each page of
# the table is read as its owner in a security-restricted operation, by a process in which no superuser
# has authenticated himself, so that one that was evaluated could not become anybody else.

use File::Basename qw(dirname);

use DpobjTest;

my $node = dpobj_cluster('evaluated', 'dpobj.release_tick = 0', 'dpobj.max_failures = 1000', 'fsync = off');
my $witness = PostgreSQL::Test::Utils::tempdir('witness');
system_or_bail(qw(cc -O2 -shared -fPIC -o), "$witness/witness.so", dirname(__FILE__) . '/witness.c', '-ldl');

login_roles($node, qw(own ana adm));
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE mute NOLOGIN;
GRANT dpobj_admin TO adm;
CREATE EXTENSION postgres_fdw;
CREATE SERVER away FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1', dbname 'nowhere', connect_timeout '1');
GRANT USAGE ON FOREIGN SERVER away TO own;
CREATE USER MAPPING FOR own SERVER away OPTIONS (user 'own', password 'x');
CREATE SCHEMA s AUTHORIZATION own;
GRANT USAGE ON SCHEMA s TO PUBLIC;
SQL

# Each function is harmless until the objects are made.
my @kinds = qw(key bound fallback generated indexed predicate statistic checked domain policy rule trigger estimate cast);
$node->safe_psql('postgres', join '', 'SET SESSION AUTHORIZATION own;',
	(map { "CREATE FUNCTION s.$_(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN i; END';" } @kinds), <<'SQL');
CREATE FUNCTION s.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM s.trigger(1); RETURN NEW; END';
CREATE DOMAIN s.age AS int DEFAULT s.domain(1) CHECK (s.domain(1) = 1 AND VALUE >= 0);
CREATE TYPE s.level AS ENUM ('low', 'high');
CREATE FUNCTION s.to_level(int) RETURNS s.level LANGUAGE sql IMMUTABLE AS $$ SELECT (ARRAY['low', 'high']::s.level[])[1 + s.cast($1) % 2] $$;
CREATE CAST (int AS s.level) WITH FUNCTION s.to_level(int) AS IMPLICIT;
-- its estimate calls it for the most common values
CREATE FUNCTION s.same(s.level, s.level) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN s.estimate(1) = 1; END';
CREATE OPERATOR s.= (LEFTARG = s.level, RIGHTARG = s.level, FUNCTION = s.same, RESTRICT = pg_catalog.eqsel);
CREATE TABLE s.planted (
  person int DEFAULT s.fallback(1),
  age s.age CHECK (age + s.checked(1) >= 0),
  level s.level,
  twice int GENERATED ALWAYS AS (person + s.generated(1)) STORED,
  outcome boolean) PARTITION BY RANGE ((person + s.key(1)));
CREATE TABLE s.planted_1 PARTITION OF s.planted FOR VALUES FROM (s.bound(0)) TO (s.bound(100000));
CREATE INDEX ON s.planted_1 ((person + s.indexed(1)));
CREATE INDEX ON s.planted_1 (person) WHERE person > s.predicate(1);
CREATE STATISTICS s.related ON (person + s.statistic(1)), age FROM s.planted_1;
CREATE POLICY mine ON s.planted USING (person = s.policy(1));
CREATE POLICY mine ON s.planted_1 USING (person = s.policy(1));
ALTER TABLE s.planted ENABLE ROW LEVEL SECURITY;
ALTER TABLE s.planted_1 ENABLE ROW LEVEL SECURITY;
CREATE TRIGGER fires BEFORE INSERT ON s.planted_1 FOR EACH ROW EXECUTE FUNCTION s.fire();
CREATE RULE also AS ON DELETE TO s.planted_1 DO ALSO SELECT s.rule(1);
INSERT INTO s.planted (person, age, level, outcome) SELECT i, 20 + i % 60, i % 2, i % 3 = 0 FROM generate_series(1, 900) i;
CREATE TABLE s.simple (LIKE s.planted) PARTITION BY RANGE (person);
CREATE TABLE s.simple_1 PARTITION OF s.simple FOR VALUES FROM (0) TO (100000);
INSERT INTO s.simple OVERRIDING USER VALUE SELECT * FROM s.planted;
CREATE TABLE s.spread (LIKE s.planted) PARTITION BY RANGE ((person + s.key(1)));
CREATE TABLE s.spread_1 PARTITION OF s.spread FOR VALUES FROM (0) TO (100000);
ANALYZE s.planted, s.simple;
SQL

# Whatever is evaluated says as whom in the server's log, and tries to be a superuser.
in_session($node, 'own', q{CREATE FUNCTION s.rise() RETURNS void LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE own SUPERUSER; END $$});
in_session($node, 'own', join '', map { <<"SQL" } @kinds);
CREATE OR REPLACE FUNCTION s.$_(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS \$\$
BEGIN
  RAISE LOG 'EVALUATED $_ as % of session %', current_user, session_user;
  BEGIN PERFORM pg_catalog.set_config('role', 'postgres', false); EXCEPTION WHEN OTHERS THEN END;
  BEGIN PERFORM pg_catalog.set_config('session_authorization', 'postgres', false); EXCEPTION WHEN OTHERS THEN END;
  BEGIN EXECUTE 'RESET SESSION AUTHORIZATION'; EXCEPTION WHEN OTHERS THEN END;
  IF pg_catalog.current_setting('is_superuser') = 'on' THEN
    RAISE LOG 'ESCALATED $_';
    PERFORM s.rise();
  END IF;
  RETURN i;
END \$\$;
SQL

my $encoders = '{"age": {"scale": 100}, "level": {"levels": ["low", "high"]}, "outcome": {}}';
my $declare = join ';', map { "SELECT dpobj.protect('s.$_', '$encoders', person => 'person', max_rows_per_person => 1, n => 900, ignore_rls => true)" }
  qw(planted simple spread);
my $budget = join ';', map { my $table = $_; map { "SELECT dpobj.set_budget('s.$table', '$_', 1000, 0)" } qw(ana mute) } qw(planted simple spread);

sub lines_since
{
	my ($start, $pattern) = @_;
	return join "\n", grep { /$pattern/ } split /\n/, substr(slurp_file($node->logfile), $start);
}

sub evaluates_nothing
{
	my ($name, $work) = @_;
	my $start = -s $node->logfile;
	$work->();
	is(lines_since($start, 'EVALUATED|ESCALATED'), '', "$name: no function of the owner is evaluated");
	is(scalar_of($node, "SELECT rolsuper FROM pg_roles WHERE rolname = 'own'"), 'f', "$name: the owner is no superuser");
	return;
}

# The functions do speak: a test of this test.
my $start = -s $node->logfile;
in_session($node, 'own', 'INSERT INTO s.planted (person, age, level, outcome) VALUES (1000, 1, 1, true)', 'DELETE FROM s.planted WHERE person = 1000');
like(lines_since($start, 'EVALUATED'), qr/EVALUATED $_ /, "the function at $_ is evaluated by an INSERT") for qw(key checked generated domain indexed trigger);

evaluates_nothing('declarations and budgets', sub { in_session($node, 'adm', "$declare; $budget") });
in_session($node, 'own', q{CREATE FOREIGN TABLE s.spread_2 PARTITION OF s.spread FOR VALUES FROM (100000) TO (200000) SERVER away OPTIONS (schema_name 's', table_name 'other')});
evaluates_nothing('a declaration over a key that is an expression', sub {
	like(in_session($node, 'adm', $declare), qr/is not partitioned or distributed by column "person" alone/, 'such a key is refused');
});

my %calls = (
	train => "dpobj.train('s.%s', 'outcome', 0.5, '{age,level}')",
	groups => "dpobj.train_groups('s.%s', 'outcome', 0.5, '{age}', by => '{level}')",
	count => "dpobj.count('s.%s', 0.5, '{level}')",
	sum => "dpobj.sum('s.%s', 'age', 0.5)",
	histogram => "dpobj.histogram('s.%s', 'level', 0.5)",
	profile => "dpobj.profile('s.%s', 0.5)",
	suggest => q{dpobj.suggest('s.%s', 0.5, '{"age": [0, 120], "level": ["low", "high"]}')},
	filtered => q{dpobj.count('s.%s', 0.5, filter => '{"level": {"=": "low"}, "age": {">": 30}}')},
	price => "dpobj.price('s.%s', 'outcome', 0.5)",
	features => "dpobj.protected_features('s.%s')",
	declare => "dpobj.declare('s.%s')");
my %answered;
for my $table (qw(planted simple))
{
	evaluates_nothing("$_ of $table in a session", sub {
		$answered{$_}++ unless in_session($node, 'ana', sprintf "SELECT $calls{$_}", $table) =~ /ERROR/;
	}) for sort keys %calls;
}
for my $call (sort keys %calls) { is($answered{$call}, 2, "$call answers for both tables") }
evaluates_nothing('calls over a key that is an expression', sub {
	refused("$_ asks for the parts first, and none answers", '08001', in_session($node, 'ana', "SELECT dpobj.$_"))
	  for q{count('s.spread', 0.5)}, q{train('s.spread', 'outcome', 0.5)};
});

sub job_ends
{
	my ($role, $submission) = @_;
	my $job = scalar_of($node, "SET SESSION AUTHORIZATION $role; SELECT $submission");
	return scalar_of($node, "SELECT dpobj.wait($job, '1 min'); SELECT state || coalesce(' ' || reason, '') FROM dpobj.jobs WHERE id = $job") =~ s/^\w+\n//r;
}

evaluates_nothing('jobs', sub {
	is(job_ends($_, "dpobj.submit('train', 's.planted', '{\"label\": \"outcome\", \"epsilon\": 0.5, \"features\": [\"age\", \"level\"]}', 'job')"), 'released', "a job of $_ trains") for qw(ana mute);
	is(job_ends('ana', q{dpobj.submit('count', 's.simple', '{"epsilon": 0.5}', name => 'answer')}), 'released', 'a job answers');
	like(in_session($node, 'ana', q{SELECT dpobj.submit('count', 's.spread', '{"epsilon": 0.5}', name => 'refused')}),
		qr/is not partitioned or distributed by column "person" alone/, 'a job over a key that is an expression is refused');
});
SKIP:
{
	my $library = `pg_config --pkglibdir` =~ s/\n//r;
	skip 'pg_cron is not installed (Debian package postgresql-15-cron)', 3 unless -e "$library/pg_cron.so";
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpobj, pg_cron'\ncron.database_name = 'postgres'");
	$node->restart;
	$node->safe_psql('postgres', 'CREATE EXTENSION pg_cron; GRANT USAGE ON SCHEMA cron TO ana');
	evaluates_nothing('a schedule', sub {
		in_session($node, 'ana', q{SELECT dpobj.schedule('train', 's.planted', '{"label": "outcome", "epsilon": 0.5, "features": ["age"]}', 'nightly', '0 3 1 1 *')});
		unlike(in_session($node, 'ana', q{CALL dpobj.run_schedule('nightly')}), qr/ERROR/, 'a schedule runs');
	});
}

# ---- as whom pages are read ----

my %role = map { /^(\w+)\|(\d+)$/ } split /\n/, $node->safe_psql('postgres', 'SELECT rolname, oid FROM pg_roles');
my $file = scalar_of($node, "SELECT pg_relation_filenode('s.simple_1')");
{
	local $ENV{LD_PRELOAD} = "$witness/witness.so";
	local $ENV{WITNESS} = "$witness/reads";
	# From PostgreSQL 18 on, pages are read by other processes unless io_method says otherwise.
	$node->append_conf("postgresql.conf", "io_method = sync") if $node->pg_version >= 18;
	$node->stop;

	# The table's pages are in no buffer after a start.
	sub reads_of
	{
		my ($work) = @_;
		unlink "$witness/reads";
		$node->start;
		$work->();
		$node->stop;
		my %seen = map { /^\Q$file\E (.*)$/ ? ($1 => 1) : () } split /\n/, slurp_file("$witness/reads");
		return join ', ', sort keys %seen;
	}

	is(reads_of(sub { in_session($node, 'ana', q{SELECT FROM dpobj.count('s.simple', 0.5)}) }),
		"$role{own} 1 $role{ana}", 'a session reads pages as the owner of the table, restricted');
	is(reads_of(sub { job_ends($_, "dpobj.submit('train', 's.simple', '{\"label\": \"outcome\", \"epsilon\": 0.5, \"features\": [\"age\"]}', 'seen')") }),
		"$role{own} 1 $role{$_}", "so does a job of $_, in which no superuser has authenticated himself") for qw(ana mute);
	is(reads_of(sub { job_ends('ana', q{dpobj.submit('count', 's.simple', '{"epsilon": 0.5}', name => 'seen too')}) }),
		"$role{own} 1 $role{ana}", 'so does a job that answers');
}

finish($node);
