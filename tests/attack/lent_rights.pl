# lent_rights.pl - code of another role runs in somebody's name: in a maintenance command of a superuser,
# as a SECURITY DEFINER function, or in a trigger.  It releases nothing, spends nobody else's budget,
# changes nothing and reads no row of dpobj's views in his name, at both doors.

use DpobjTest;

my $node = dpobj_cluster('lent', 'dpobj.release_tick = 0', 'dpobj.max_failures = 1000', 'fsync = off', 'autovacuum_naptime = 1s');

login_roles($node, qw(own ana eve adm boss));
$node->safe_psql('postgres', <<'SQL');
GRANT dpobj_admin TO adm;
GRANT own TO adm, boss;
CREATE SCHEMA s AUTHORIZATION own;
GRANT USAGE ON SCHEMA s TO PUBLIC;
GRANT CREATE ON SCHEMA public TO adm;
SELECT dpobj.grant_trainer(r) FROM unnest('{own,ana,eve,adm}'::regrole[]) r;
SET SESSION AUTHORIZATION own;
CREATE TABLE s.patient (age int, outcome boolean);
INSERT INTO s.patient SELECT i % 90, i % 3 = 0 FROM generate_series(1, 300) i;
GRANT SELECT ON s.patient TO ana, eve;
RESET SESSION AUTHORIZATION;
SELECT dpobj.protect('s.patient', '{"age": {"scale": 100}, "outcome": {}}');
SELECT dpobj.set_budget('s.patient', 'own', 1, 0), dpobj.set_budget('s.patient', 'ana', 100, 0), dpobj.set_budget('s.patient', 'adm', 100, 0), dpobj.set_budget('s.patient', 'postgres', 100, 0);
-- what a superuser and an analyst have released
SELECT (dp_count(1.0)).value FROM s.patient;
SELECT dpobj.count('s.patient', 1, name => 'of the superuser');
SQL
in_session($node, 'ana', q{SELECT dpobj.count('s.patient', 1, name => 'of ana')});
is(in_session($node, 'own', 'SELECT (dp_count(1.0)).value IS NOT NULL FROM s.patient'), 't', 'the owner spends his budget');
like(in_session($node, 'own', 'SELECT dp_count(1.0) FROM s.patient'), qr/^ERROR:  UB001/, 'then it is used up');

# Nobody has a budget of his own here.
in_session($node, 'own', 'CREATE TABLE s.open AS SELECT i % 2 = 0 AS x FROM generate_series(1, 100) i');
$node->safe_psql('postgres', "SELECT dpobj.set_budget('s.open', NULL, 10, 0)");

# ---- maintenance ----

# What the owner's function tries; each line ends in what came of it.
my %tries = (
	'an aggregate' => q{SELECT public.dp_count(0.5)::text FROM s.patient},
	'an aggregate for which all pay' => q{SELECT public.dp_count(0.5)::text FROM s.open},
	'a training' => q{SELECT (public.dp_halfspace(ARRAY[age]::float8[], outcome, 0.5, 0))::text FROM s.patient},
	'a look' => q{SELECT value::text FROM dpobj.count('s.patient', 0.5)},
	'a job' => q{SELECT dpobj.submit('train', 's.patient', '{"label": "outcome", "epsilon": 0.5}', 'lent')::text},
	'an answer of a job' => q{SELECT dpobj.submit('count', 's.patient', '{"epsilon": 0.5}', name => 'lent too')::text},
	'a limit' => q{SELECT 'set' FROM dpobj.limit_budget('s.patient', 5000, 0, 'more')},
	'a budget' => q{SELECT 'set' FROM dpobj.set_budget('s.patient', 'own', 5000, 0)},
	'a declaration' => q{SELECT 'set' FROM dpobj.protect('s.patient', '{"age": {"scale": 1}, "outcome": {}}')},
	'the end of one' => q{SELECT 'set' FROM dpobj.unprotect('s.patient')},
	'a confirmation' => q{SELECT 'set' FROM dpobj.confirm_epoch()},
	'models' => q{SELECT 'seen' FROM dpobj.models LIMIT 1},
	'answers' => q{SELECT 'seen' FROM dpobj.answers LIMIT 1},
	'jobs' => q{SELECT 'seen' FROM dpobj.jobs LIMIT 1},
	'the ledger' => q{SELECT 'seen' FROM dpobj.ledger WHERE role <> 'own' LIMIT 1},
	'budgets' => q{SELECT 'seen' FROM dpobj.budgets WHERE role_name <> 'own' LIMIT 1},
	'the odometer' => q{SELECT 'seen' FROM dpobj.odometer WHERE role <> 'own' LIMIT 1},
	'schedules' => q{SELECT 'seen' FROM dpobj.schedules LIMIT 1},
	'runs of schedules' => q{SELECT 'seen' FROM dpobj.schedule_runs LIMIT 1});
my @order = sort keys %tries;
my $tries = join ', ', map { my $try = $_; "['$try', " . ($tries{$try} =~ s/'/''/gr =~ s/^(.*)$/'$1'/r) . ']' } @order;
in_session($node, 'own', <<"SQL", 'CREATE TABLE s.bait AS SELECT generate_series(1, 3) AS a', "CREATE FUNCTION s.f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT \$1'",
CREATE FUNCTION s.attempt(int) RETURNS int LANGUAGE plpgsql AS \$\$
DECLARE
  t text[];
  r text;
BEGIN
  FOREACH t SLICE 1 IN ARRAY ARRAY[$tries] LOOP
    BEGIN
      EXECUTE t[2] INTO r;
      RAISE LOG 'TRIED % as % of session %: %', t[1], current_user, session_user, coalesce('WORKED ' || r, 'nothing');
    EXCEPTION WHEN OTHERS THEN
      RAISE LOG 'TRIED % as % of session %: refused, %', t[1], current_user, session_user, sqlerrm;
    END;
  END LOOP;
  RETURN \$1;
END \$\$
SQL
	'CREATE INDEX bait_f ON s.bait (s.f(a))', 'CREATE MATERIALIZED VIEW s.fresh AS SELECT s.f(a) FROM s.bait',
	q{CREATE OR REPLACE FUNCTION s.f(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN s.attempt($1); END'});

sub spent { return scalar_of($node, q{SELECT string_agg(format('%s %s', role_name, epsilon_spent), ', ' ORDER BY role_name) FROM dpobj.budgets WHERE relation = 's.patient'::regclass}) }
# The administrator's own jobs are his.
sub events { return scalar_of($node, q{SELECT count(*) FROM dpobj.ledger WHERE role <> 'adm'}) }

sub gains_nothing
{
	my ($name, $as, $work, @tried) = @_;
	my ($start, $spent, $events) = (-s $node->logfile, spent(), events());
	$work->();
	my @lines = grep { /TRIED/ } split /\n/, substr(slurp_file($node->logfile), $start);
	for my $try (@tried)
	{
		my @of_it = grep { /TRIED \Q$try\E as $as: / } @lines;
		ok(scalar(@of_it), "$name: $try is tried");
		is(join('; ', grep { /WORKED/ } @of_it), '', "$name: $try is refused, or finds nothing");
	}
	is(spent(), $spent, "$name: no budget is spent");
	is(events(), $events, "$name: the ledger has no event of it");
	return;
}

for my $command ('ANALYZE s.bait', 'REINDEX TABLE s.bait', 'REFRESH MATERIALIZED VIEW s.fresh')
{
	gains_nothing($command, 'own of session postgres', sub { in_session($node, 'postgres', $command) }, @order);
}
gains_nothing('autovacuum', 'own of session postgres', sub {
	my $start = -s $node->logfile;
	$node->safe_psql('postgres', <<'SQL');
DROP INDEX s.bait_f;
INSERT INTO s.bait SELECT 1 FROM generate_series(1, 100);
CREATE STATISTICS s.planted ON s.f(a), a FROM s.bait;
ALTER SYSTEM SET autovacuum = on;
SELECT pg_reload_conf();
SQL
	ok(wait_until(60, sub { substr(slurp_file($node->logfile), $start) =~ /TRIED \Q$order[-1]\E as own/ }), 'autovacuum calls the function');
	$node->safe_psql('postgres', 'ALTER SYSTEM SET autovacuum = off; SELECT pg_reload_conf()');
}, @order);

# An administrator's own table: somebody's function administers nothing through him, either.
my @administration = ('a budget', 'a declaration', 'the end of one', 'a confirmation', 'a limit');
in_session($node, 'adm', 'CREATE TABLE administered AS SELECT 1 AS a');
gains_nothing("CREATE INDEX of an administrator", 'adm of session adm', sub { in_session($node, 'adm', 'CREATE INDEX ON administered (s.f(a))') }, @administration);
gains_nothing("ANALYZE of an administrator's table", 'adm of session postgres', sub { in_session($node, 'postgres', 'ANALYZE administered') },
	@administration, 'a job', 'a look', 'an aggregate');

# ---- functions of others ----

in_session($node, 'own', q{CREATE FUNCTION s.innocent() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ DECLARE r text; BEGIN SELECT dp_count(7.0)::text INTO r FROM s.patient; RETURN r; END $$});
in_session($node, 'own', q{CREATE FUNCTION s.lends() RETURNS float8 LANGUAGE sql AS 'SELECT (dp_count(0.5)).value FROM s.patient'});
my $before = spent();
like(in_session($node, 'ana', 'SELECT s.innocent()'), qr/^ERROR:  UB003: current role "own" does not hold the privacy budgets of session user "ana"/,
	'a SECURITY DEFINER function does not spend its caller\'s budget at the owner\'s door');
is(spent(), $before, 'the budgets are as before');
like(in_session($node, 'ana', 'SELECT s.lends()'), qr/^-?\d+$/, 'a function that runs as its caller spends his budget');
like(in_session($node, 'adm', 'SET ROLE own; SELECT dp_count(0.5) FROM s.patient'), qr/ERROR:  UB003: current role "own" does not hold/,
	'nor does a role that is set, if the budgets differ');
like(in_session($node, 'boss', 'SET ROLE own; SELECT dp_count(0.5) FROM s.patient'), qr/ERROR:  UB001: /, 'one that has all budgets of the session user pays with them');

# Nor does he see its caller's rows.
my @views = ('the ledger', 'budgets', 'the odometer', 'schedules', 'runs of schedules', 'models', 'answers', 'jobs');
in_session($node, 'own', "CREATE FUNCTION s.look_$_() RETURNS text LANGUAGE sql SECURITY DEFINER AS \$\$ $tries{$views[$_]} \$\$") for 0 .. $#views;
is(in_session($node, 'ana', "SELECT s.look_$_()"), '', "a SECURITY DEFINER function sees nothing in $views[$_]") for 0 .. $#views;
is(in_session($node, 'ana', 'SELECT count(*) > 0 FROM dpobj.ledger', 'SELECT count(*) > 0 FROM dpobj.budgets', 'SELECT count(*) > 0 FROM dpobj.odometer'),
	"t\nt\nt", 'its caller sees his own');
like(in_session($node, 'boss', 'SET ROLE own', 'SELECT count(*) FROM dpobj.budgets'), qr/^\n[1-9]/, 'and after SET ROLE');

# Where nobody has a budget of his own, a table's cap holds for all, and its owner may lend the aggregates.
in_session($node, 'own', q{CREATE FUNCTION s.lent() RETURNS float8 LANGUAGE sql SECURITY DEFINER AS 'SELECT (dp_count(0.5)).value FROM s.open'});
like(in_session($node, 'eve', 'SELECT s.lent()'), qr/^-?\d+$/, 'an owner may lend an aggregate to roles without budgets of their own');
$node->safe_psql('postgres', "SELECT dpobj.set_budget('s.open', 'eve', 10, 0)");
like(in_session($node, 'eve', 'SELECT s.lent()'), qr/^ERROR:  UB003/, 'but not to one that has a budget');

# A budget for a part of the table counts, too.
in_session($node, 'own', 'CREATE TABLE s.half () INHERITS (s.open)');
in_session($node, 'own', q{CREATE FUNCTION s.of_half() RETURNS float8 LANGUAGE sql SECURITY DEFINER AS 'SELECT (dp_count(0.5)).value FROM s.half'});
like(in_session($node, 'eve', 'SELECT s.of_half()'), qr/^ERROR:  UB003/, 'nor of a child of the table');

# What is kept for a role stays its own when it has no budget any more.
my $kept = q{SELECT value FROM dpobj.count(''s.patient'', 1, name => ''of ana'')};
$node->safe_psql('postgres', "SELECT dpobj.drop_budget('s.patient', 'ana'); GRANT CREATE ON SCHEMA s TO eve");
in_session($node, 'eve', "CREATE FUNCTION s.takes() RETURNS float8 LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN ($kept); END'");
like(in_session($node, 'ana', 'SELECT s.takes()'), qr/^ERROR:  UB003/, 'a SECURITY DEFINER function gets no answer that is kept for its caller');
like(in_session($node, 'ana', $kept =~ s/\x27\x27/\x27/gr), qr/^-?\d/, 'the caller still has it');

# Nobody learns the number of rows that policies hide from him.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE s.secret AS SELECT i % 90 AS age, i % 3 = 0 AS outcome, i % 2 AS half FROM generate_series(1, 300) i;
CREATE POLICY part ON s.secret USING (half = 0);
ALTER TABLE s.secret ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON s.secret TO eve;
SELECT dpobj.protect('s.secret', '{"age": {"scale": 100}, "outcome": {}}', ignore_rls => true);
SQL
my $rows = q{SELECT dpobj.price('s.secret', 'outcome', 1) ->> 'rows_at_most'};
is(in_session($node, 'eve', $rows), '1000000', 'a price does not tell the number of rows behind policies');
$node->safe_psql('postgres', 'ALTER TABLE s.secret DISABLE ROW LEVEL SECURITY');
is(in_session($node, 'eve', $rows), '300', 'it tells that of rows that one may read');

finish($node);
