# explain_views.pl - what EXPLAIN shows of a view does not depend on the entries of others; a SECURITY DEFINER
# function of somebody sees his own entries, not the caller's; and the totals that views read are those of
# the ledger.

use DpobjTest;

# Pages of catalogs stay in memory, so that a second look finds them where the first one did.
my $node = dpobj_cluster('explain', 'dpobj.release_tick = 0', 'fsync = off', 'shared_buffers = 64MB');
login_roles($node, qw(ana bob mallory));
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient AS SELECT i % 5 AS a, i % 2 = 0 AS y FROM generate_series(1, 100) i;
SELECT dpobj.protect('patient', '{"a": {"bins": [2]}, "y": {}}', n => 100);
SELECT dpobj.set_budget('patient', r, 100, 0) FROM unnest('{ana,bob}'::regrole[]) r;
SQL

my @views = qw(ledger budgets odometer models model_list answers evaluations model_history drifts schedules schedule_runs scorecards jobs progress);

# The plans of queries on each view, and what EXPLAIN ANALYZE counts.
sub plans
{
	my ($role) = @_;
	my @statements;
	for my $view (@views)
	{
		my @columns = split /\|/, scalar_of($node, "SELECT string_agg(quote_ident(attname), '|' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'dpobj.$view'::regclass AND attnum > 0");
		my %is_column = map { $_ => 1 } @columns;
		my @tails = ('', "ORDER BY $columns[0] DESC LIMIT 3");
		push @tails, 'WHERE release < 1000', 'WHERE release IN (1, 2, 3, 4, 5, 6, 7, 8)' if $is_column{release};
		push @tails, 'WHERE id BETWEEN 1 AND 1000 ORDER BY id DESC' if $is_column{id};
		push @tails, map { "WHERE $_ = 'bob'" } grep { $is_column{$_} } qw(role owner name);
		for my $query (map { "SELECT * FROM dpobj.$view $_" } @tails)
		{
			push @statements, "EXPLAIN $query", "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, VERBOSE) $query";
		}
	}
	return in_session($node, $role, @statements);
}

# Each number makes a model, two histograms and a rating.
sub release
{
	my ($role, @numbers) = @_;
	return in_session($node, $role, map { (
			"SELECT (dpobj.train('patient', 'y', 0.5, name => 'm$_')).kind",
			"SELECT count(*) FROM dpobj.histogram('patient', 'a', 0.5, name => 'h$_')",
			"SELECT count(*) FROM dpobj.histogram('patient', 'a', 0.5, name => 'i$_')",
			"SELECT dpobj.evaluate('m$_', 'patient', 0.5, name => 'r$_') IS NULL") } @numbers);
}

unlike(release('ana', 1), qr/ERROR/, 'ana releases');
plans('ana');
my $before = plans('ana');
unlike($before, qr/ERROR/, 'each view can be explained');
like($before, qr/Function: see_$_\b/, "dpobj.$_ is one scan") for qw(ledger budgets odometer models model_list answers evaluations model_history drifts schedules schedule_runs);
unlike(release('bob', 1 .. 6), qr/ERROR/, 'bob releases');
$node->safe_psql('postgres', 'VACUUM ANALYZE');
is(plans('ana'), $before, 'what EXPLAIN shows ana is the same after the releases of bob');

# Its inner plan has estimates from the entries of others.
is(() = in_session($node, 'ana', 'SET debug_print_plan = on', 'SET client_min_messages = log', q{SELECT count(*) FROM dpobj.ledger WHERE role = 'bob'}) =~ /PLANNEDSTMT/g,
	1, 'a view prints no plan but that of the query');

# A view is planned again for each row of a join; the memory of that is given back.
my $peak = q{SELECT substring(pg_read_file('/proc/' || pg_backend_pid() || '/status') from 'VmHWM:\s*(\d+)')::int};
my @sizes = split /\n/, in_session($node, 'postgres', $peak, 'SELECT count((SELECT id FROM dpobj.ledger l WHERE l.id = i)) > 0 FROM generate_series(1, 3000) i', $peak);
cmp_ok($sizes[-1] - $sizes[0], '<', 20_000, 'three thousand scans of a view take less than 20 MB');

# ---- the same rows by each path ----

my $rows = 'count(*), min(id), max(id)';
is(in_session($node, 'ana', "SELECT $rows FROM dpobj.ledger"),
	in_session($node, 'ana', "SELECT $rows FROM (SELECT (dpobj_internal.see_ledger()).id) s"), 'a scan and a call of the function have the same rows');
is(in_session($node, 'ana', q{SELECT count(*) FROM dpobj.ledger WHERE role = 'bob' OR id = ANY (ARRAY(SELECT generate_series(1, 1000))) AND role <> 'ana'}),
	'0', 'no entry of others');
is(in_session($node, 'bob', "SELECT string_agg(id::text, ' ') = (SELECT string_agg(id::text, ' ' ORDER BY id DESC) FROM dpobj.ledger) FROM (SELECT id FROM dpobj.ledger ORDER BY id DESC) l"),
	't', 'the order of the scan is that of a sort');
is(in_session($node, 'bob', "SELECT (l).id = (l).release AND l IS NOT NULL IS NOT NULL FROM (SELECT l FROM dpobj.ledger l WHERE event = 'charged' LIMIT 1) w"), 't', 'a whole row');
is(in_session($node, 'bob', 'SELECT bool_and(n = 1) FROM (SELECT (SELECT count(*) FROM dpobj.ledger i WHERE i.id = o.id) AS n FROM dpobj.ledger o) x'),
	't', 'a condition with another value for each row');
is( in_session($node, 'bob', 'BEGIN', 'DECLARE c CURSOR WITH HOLD FOR SELECT id FROM dpobj.ledger ORDER BY id', 'MOVE 3 IN c', 'COMMIT', 'FETCH 1 IN c') =~ s/\n//gr,
	in_session($node, 'bob', 'SELECT id FROM dpobj.ledger ORDER BY id LIMIT 1 OFFSET 3'), 'a cursor outlives its transaction');

# LIKE raises an error at the end of its pattern if a name begins with m.
is(in_session($node, 'mallory', q{SELECT count(*) FROM dpobj.models WHERE name LIKE E'm\\\\'}), '0', 'a condition that may fail is not tried on entries of others');

# ---- functions of others ----

$node->safe_psql('postgres', join ';', 'CREATE SCHEMA bait AUTHORIZATION mallory', 'GRANT USAGE ON SCHEMA bait TO PUBLIC', 'SET ROLE mallory',
	"CREATE FUNCTION bait.remaining() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS 'SELECT count(*) FROM dpobj.remaining(''patient'')'",
	map { "CREATE FUNCTION bait.$_() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS 'SELECT count(*) FROM dpobj.$_'" } @views);
is(in_session($node, 'bob', "SELECT bait.$_()"), '0', "a function of mallory sees nothing of bob in $_") for @views, 'remaining';
is(in_session($node, 'bob', "SELECT count(*) FROM dpobj.remaining('patient')", 'SELECT count(*) > 0 FROM dpobj.ledger'), "1\nt", 'bob himself sees his');

# ---- the totals ----

my $check = q{SELECT string_agg(differences::text, ' ') FROM dpobj.check_ledger()};
is(scalar_of($node, $check), '0 0 0 0', 'the totals are those of the events');
is(scalar_of($node, "SELECT bool_and(release = (SELECT max(l.release) FROM dpobj.ledger l WHERE l.role = o.role)) FROM dpobj.odometer o"), 't',
	'the odometer has the last charge of each role');
for my $case (
	[ '1 1 0 0', 'UPDATE dpobj.charge_counts SET times = times + 1 WHERE id = 1' ], [ '1 0 0 0', 'UPDATE dpobj.charge_counts SET last = last + 1 WHERE id = 1' ],
	[ '1 1 0 0', 'DELETE FROM dpobj.charge_counts WHERE id = 1' ], [ '0 1 0 0', 'UPDATE dpobj.budget_rows SET cost_spent = cost_spent - 1 WHERE id = 1' ])
{
	my ($differences, $change) = @$case;
	is(scalar_of($node, "BEGIN; $change; $check; ROLLBACK"), $differences, "found: $change");
}
like(in_session($node, 'ana', 'SELECT * FROM dpobj.check_ledger()'), qr/ERROR:  42501/, 'check_ledger is for those who see all');

finish($node);
