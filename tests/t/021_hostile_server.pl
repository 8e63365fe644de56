# 021_hostile_server.pl - the analyst's door among hostile or disturbing others: roles with their
# own rights, settings of the database, tables that change, interruptions in every phase, scans
# that fail, standbys, dumps.

use DpobjTest;
use DpobjHostile;

my $node = dpobj_cluster('server', 'dpobj.release_tick = 10', 'fsync = off', 'jit = off', 'dpobj.max_solvers = 1',
	'dpobj.max_role_releases = 1', 'wal_level = logical', 'max_connections = 40');
my $hostile = DpobjHostile->new($node);
my $superuser = scalar_of($node, 'SELECT current_user');

# CREATE EXTENSION comes before dpobj_admin has members, which it refuses.
$node->safe_psql('postgres', 'CREATE DATABASE his');
$node->safe_psql('his', 'CREATE EXTENSION dpobj');

# The tick of late never comes; zoe waits behind it in the queue of solvers.
login_roles($node, qw(ana late zoe noah poor writer reader curator dbo));
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE maker LOGIN CREATEROLE;
CREATE ROLE team;
GRANT noah TO ana;
GRANT pg_write_all_data TO writer;
GRANT pg_read_all_data TO reader;
GRANT dpobj_admin TO curator;
ALTER DATABASE postgres OWNER TO dbo;
ALTER DATABASE his OWNER TO dbo;
ALTER ROLE late SET dpobj.release_tick = 2147483647;
SELECT dpobj.set_budget('visit', r, 1000, 0) FROM (VALUES ('ana'::regrole), ('late'), ('zoe'), ('team')) v(r);
SELECT dpobj.set_budget('visit', 'poor', 0.4, 0);
CREATE TABLE part (LIKE visit) PARTITION BY LIST (y);
CREATE TABLE part_yes PARTITION OF part FOR VALUES IN (true);
CREATE TABLE part_no PARTITION OF part DEFAULT;
INSERT INTO part TABLE visit;
SELECT dpobj.protect('part', '{"a": {"scale": 60}, "y": {}}');
SELECT dpobj.set_budget('part', 'ana', 1000, 0);
SQL

my $train = q{SELECT (dpobj.train('visit', 'y', 0.5, '{a,t}')).release};

# ---- roles that may do more than an analyst ----

my @tables = qw(ledger_events charge_counts budget_rows identities lineage protections model_rows model_shares job_rows);
my %column = (ledger_events => 'role_name', charge_counts => 'mechanism', budget_rows => 'accountant', identities => 'name',
	lineage => 'ancestor', protections => 'adjacency', model_rows => 'name', model_shares => 'role_name', job_rows => 'state');
$hostile->try_all(
	'who may write every table',
	(
		map {
			my ($table, $name) = ($_, $column{$_});
			map { [ $_, 'writer', '42501', $_ ] } (
				"UPDATE dpobj.$table SET $name = NULL WHERE false",
				"INSERT INTO dpobj.$table DEFAULT VALUES",
				"DELETE FROM dpobj.$table",
				"TRUNCATE dpobj.$table CASCADE",
				"ALTER TABLE dpobj.$table DISABLE TRIGGER ALL",
				"MERGE INTO dpobj.$table USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE");
		} @tables),
	[ 'needs a budget too', 'writer', 'UB002', $train ],);
$hostile->try_all(
	'who may read every table',
	[ 'needs a budget', 'reader', 'UB002', $train ],
	[ 'calls no aggregate', 'reader', '42501', 'SELECT dp_halfspace(ARRAY[f], y, 0.5, 0) FROM visit' ]);

my $raise = q{SELECT dpobj.set_budget('visit', 'poor', 1000, 0)};
reach_roles($node, 'maker', qw(dpobj_admin curator));
$hostile->try_all(
	'who may make roles',
	[ 'makes himself a member of dpobj_admin', 'maker', '42501', 'GRANT dpobj_admin TO maker', $raise ],
	[ 'plays dpobj_admin', 'maker', '42501', 'SET ROLE dpobj_admin', $raise ],
	[ 'plays a real member', 'maker', '42501', 'GRANT curator TO maker', 'SET ROLE curator', $raise ],
	[ 'confirms an epoch', 'maker', '42501', 'SELECT dpobj.confirm_epoch()' ],
	[ 'sets our settings for others', 'maker', '42501', \'', 'ALTER ROLE ana SET dpobj.min_epsilon = 0' ],
	[ 'sets our settings for all', 'maker', '42501', \'', 'ALTER ROLE ALL SET dpobj.release_tick = 0' ],
	[ 'has no budget', 'maker', 'UB002', $train ]);
reach_roles($node, 'maker', 'team');
$hostile->try_all(
	'who may make roles',
	[ 'pays for a group like a member', 'maker', 1, 'RESET ROLE', 'GRANT team TO maker', $train ]);
$hostile->try_all(
	'who owns the database',
	map { [ $_, 'dbo', '42501', \'', $_ ] } (
		'ALTER DATABASE postgres SET dpobj.min_epsilon = 0', 'ALTER DATABASE postgres SET dpobj.release_tick = 0',
		'DROP EXTENSION dpobj CASCADE', 'DROP SCHEMA dpobj CASCADE', 'ALTER EXTENSION dpobj DROP TABLE dpobj.protections',
		'CREATE PUBLICATION x FOR TABLE dpobj.ledger_events', 'CREATE PUBLICATION x FOR TABLES IN SCHEMA dpobj',
		'DROP OWNED BY ' . $superuser, 'REASSIGN OWNED BY ' . $superuser . ' TO dbo',
		q{SELECT pg_create_logical_replication_slot('x', 'test_decoding')}, $raise));

# A role that may not drop the extension does not wait for the locks of others.
spends($node, 'DROP EXTENSION by anybody', { epsilon => 0.5, charged => 1, released => 1 }, sub {
	my ($ana, $noah) = map { session($node, user => $_) } qw(ana noah);
	$ana->send("BEGIN; $train");
	wait_until(20, sub { scalar_of($node, q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'ana' AND xact_start IS NOT NULL}) });
	like($noah->ask('DROP EXTENSION dpobj'), qr/^ERROR:  42501/, 'DROP EXTENSION is refused during a release');
	is_answered($ana->result, 'the release of another session goes on');
	like($noah->ask('DROP EXTENSION dpobj'), qr/^ERROR:  42501/, 'DROP EXTENSION is refused while that transaction is open');
	$ana->ask('COMMIT');
});

# The owner of the database may drop schema public, and with it the extension. A function of dpobj that waits
# for this must not read the owner's tables as a superuser afterwards.
{
	my ($owner, $caller) = map { session($node, user => 'dbo', database => 'his') } 0 .. 1;
	$owner->ask($_) for 'SET client_min_messages = error', 'BEGIN', 'DROP SCHEMA public CASCADE', 'CREATE SCHEMA dpobj',
		q{CREATE FUNCTION dpobj.gain() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN EXECUTE 'ALTER ROLE dbo SUPERUSER'; RETURN 1; END$$},
		'CREATE VIEW dpobj.lineage AS SELECT dpobj.gain() AS ancestor, dpobj.gain() AS descendant';
	$caller->send('SELECT dpobj_internal.relatives(1)');
	ok(wait_until(20, sub { scalar_of($node, 'SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = ' . $caller->pid) }), 'a function of dpobj waits');
	is($owner->ask('COMMIT'), '', 'the owner drops the extension');
	like($caller->result, qr/^ERROR:  42704: extension "dpobj" does not exist in this database/, 'the function finds no extension');
	is(scalar_of($node, q{SELECT rolsuper FROM pg_roles WHERE rolname = 'dbo'}), 'f', 'the owner has not become a superuser');
}

# ---- settings of the database ----

my @settings = ('exit_on_error = on', FORCE_PARALLEL . ' = regress', 'array_nulls = off',
	'quote_all_identifiers = on', 'search_path = nowhere, public', 'synchronous_commit = off',
	"default_transaction_isolation = 'serializable'", 'debug_print_plan = on', 'row_security = off');
$hostile->try_all('settings of the database',
	[ 'are made by its owner', 'dbo', 0, join ';', map { "ALTER DATABASE postgres SET $_" } @settings ],
	[ 'a release', 'ana', 1, \'', 'SHOW array_nulls', $train ],
	[ 'too poor', 'poor', 'UB001', \'', $train ],
	[ 'no budget', 'noah', 'UB002', \'', $train ]);
scalar_of($node, 'ALTER DATABASE postgres RESET ALL');
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET role = noah');
$hostile->try_all('another role by default', [ 'does not hold the budget', 'ana', 'UB003', \'', $train ]);
{
	local $ENV{PGOPTIONS} = '-c role=none';
	scalar_of($node, 'ALTER DATABASE postgres RESET ALL');
}

# ---- tables that change between two calls of a session ----

my $session = session($node, user => 'ana');
my $admin = session($node);
$session->ask("SET client_min_messages = 'debug5'");
for my $change (
	[ 'ALTER TABLE visit ADD COLUMN more text', 1, 'ALTER TABLE visit DROP COLUMN more' ],
	[ 'ALTER TABLE visit ALTER a TYPE text', '22023', 'ALTER TABLE visit ALTER a TYPE bigint USING a::bigint' ],
	[ 'ALTER TABLE visit ALTER a TYPE numeric', 1, 'ALTER TABLE visit ALTER a TYPE bigint' ],
	[ 'ALTER TABLE visit RENAME COLUMN t TO u', '22023', 'ALTER TABLE visit RENAME COLUMN u TO t' ],
	[ 'ALTER TABLE visit RENAME COLUMN y TO z', '22023', 'ALTER TABLE visit RENAME COLUMN z TO y' ],
	[ 'ALTER TABLE visit ENABLE ROW LEVEL SECURITY', 'UB003', 'ALTER TABLE visit DISABLE ROW LEVEL SECURITY' ],
	[ 'ALTER TABLE visit SET UNLOGGED', 'UB003', 'ALTER TABLE visit SET LOGGED' ],
	[ 'CREATE TABLE above (LIKE visit); ALTER TABLE visit INHERIT above', 'UB003', 'ALTER TABLE visit NO INHERIT above' ],
	[ 'CREATE TABLE below () INHERITS (visit); INSERT INTO below TABLE visit', 1, 'SELECT' ],
	[ 'ALTER TABLE below ENABLE ROW LEVEL SECURITY', 'UB003', 'ALTER TABLE below DISABLE ROW LEVEL SECURITY' ],
	[ 'ALTER TABLE below SET UNLOGGED', 'UB003', 'DROP TABLE below' ],
	[ 'CREATE TEMP TABLE below () INHERITS (visit)', 'UB003', 'DROP TABLE below' ],
	[ q{CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'CAPTURED'; RETURN NULL; END$$;
	    CREATE TRIGGER spy AFTER INSERT OR UPDATE ON visit EXECUTE FUNCTION spy();
	    CREATE RULE spy AS ON UPDATE TO visit DO ALSO SELECT 'CAPTURED'}, 1, 'DROP FUNCTION spy CASCADE; DROP RULE spy ON visit' ],
	[ 'VACUUM FULL visit', 1, 'SELECT' ],)
{
	my ($statement, $expected, $undo) = @$change;
	is($admin->ask($statement), '', $statement) if $statement !~ /^VACUUM/;
	$admin->ask($statement) if $statement =~ /^VACUUM/;
	$hostile->spent;
	$hostile->judge("after $statement", $expected, $session->ask($train));
	is($admin->ask($undo) =~ /ERROR/, '', $undo);
}
$hostile->spent;
$hostile->judge('after all changes were undone', 1, $session->ask($train));

# ---- locks that are left ----

$hostile->try_all('locks that are left',
	map { [ "on $_", 'ana', 1, 'BEGIN', "SELECT (dpobj.train('$_', 'y', 0.5, '{a}')).release",
			"SELECT 'SEC' || 'RET', locktype, relation::regclass FROM pg_locks WHERE pid = pg_backend_pid() AND (relation = ANY (ARRAY(SELECT relid FROM pg_partition_tree('$_'))) OR locktype = 'object')" ] }
		qw(part visit));

# ---- interruptions in every phase ----

my $control = session($node);
my $holder;

sub wait_for
{
	my ($condition) = @_;
	wait_until(30, sub { $control->ask("SELECT ($condition)") eq 't' }) or die "never: $condition";
}

# A release that has been charged, and whose solver is done.
sub reach_clock
{
	my ($pid) = @_;
	wait_for("SELECT count(*) = 1 FROM pg_locks WHERE pid = $pid AND objid = 0 AND objsubid >= 1024 AND granted");
	wait_for("SELECT count(*) = 1 FROM dpobj.ledger WHERE event = 'charged' AND id > " . $hostile->last_event);
	sleep(0.2);
	wait_until(30, sub { !children($pid) }) or die 'the solver does not end';
}

# late is in the middle of a release until its session ends.
sub hold
{
	$holder = session($node, user => 'late');
	$hostile->spent;
	$holder->send($train);
	reach_clock($holder->pid);
	$hostile->spent;
}

sub let_go
{
	$control->ask('SELECT pg_terminate_backend(' . $holder->pid . ')');
	$holder->result;
	$holder->quit;
	wait_for('SELECT count(*) = 0 FROM pg_locks WHERE objsubid > 0');
}

my $once = { epsilon => 0.5, charged => 1 };
my %phase = (
	'the queue of the role' => {
		user => 'late',
		prepare => \&hold,
		reach => sub { wait_for("SELECT count(*) = 1 FROM pg_locks WHERE pid = $_[0] AND objid <> 0 AND objsubid = 1") },
		tidy => \&let_go,
		cost => { failed => 1 }, # the holder's release
	},
	'the queue of solvers' => {
		user => 'zoe',
		prepare => \&hold,
		reach => sub { wait_for("SELECT count(*) = 1 FROM pg_locks WHERE pid = $_[0] AND objid = 0 AND objsubid = 1") },
		tidy => \&let_go,
		cost => { failed => 1 }, # the holder's release
	},
	'the charge' => {
		user => 'ana',
		prepare => sub {
			$holder = session($node);
			$holder->ask('BEGIN; LOCK TABLE dpobj.ledger_events IN EXCLUSIVE MODE');
		},
		reach => sub {
			wait_for("SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'dpobj charge' AND wait_event_type = 'Lock'");
		},
		tidy => sub { $holder->quit },
		cost => {}, # the caller takes the request back
	},
	'the solver' => {
		user => 'ana',
		prepare => sub { deaf_solver($node) },
		reach => sub {
			my ($pid) = @_;
			wait_until(30, sub { children($pid) }) or die 'no solver';
		},
		tidy => sub { restore_solver($node) },
		cost => { %$once, failed => 1 },
	},
	'the clock' => {
		user => 'late',
		reach => \&reach_clock,
		cost => { %$once, failed => 1 },
	},);
my %interruption = (
	cancel => [ '57014', sub { $control->ask('SELECT pg_cancel_backend(' . $_[0]->pid . ')') } ],
	terminate => [ '57P01', sub { $control->ask('SELECT pg_terminate_backend(' . $_[0]->pid . ')') } ],
	timeout => [ '57014', sub { }, 'SET statement_timeout = ' . 2000 * DpobjSession::PATIENCE ],
	'timeout of locks' => [ '55P03', sub { }, 'SET lock_timeout = 300' ],);

for my $phase (sort keys %phase)
{
	my $at = $phase{$phase};
	for my $how (sort keys %interruption)
	{
		my ($state, $act, @before) = @{ $interruption{$how} };
		next if $how eq 'timeout of locks' && $phase !~ /queue/;
		$at->{prepare}->() if $at->{prepare};
		my $session = session($node, user => $at->{user});
		$session->ask($_) for "SET client_min_messages = 'debug5'", @before;
		$hostile->spent unless $phase eq 'the charge';
		$session->send($train);
		$at->{reach}->($session->pid);
		$act->($session);
		my $text = $session->result;
		$at->{tidy}->() if $at->{tidy};
		$session->quit;

		# the release that held the others up was charged before
		$hostile->judge("$how in $phase", { %{ $at->{cost} }, error => $state }, $text);
		is(scalar(solvers($node)), 0, "$how in $phase: no solver is left");
	}
}
$hostile->try_all('after all interruptions', [ 'a release', 'ana', 1, $train ], [ 'a release', 'zoe', 1, $train ]);

my $idle = q{SELECT (dpobj.train('visit', 'y', 0.5, name => 'idle')).release};
$hostile->try_all('a transaction that is ended for being idle',
	[ 'keeps its charge', 'ana', { %$once, released => 1, error => '25P03' }, \'', 'SET idle_in_transaction_session_timeout = 50',
		'BEGIN', $idle, "SELECT\n\\! sleep 0.3\nSELECT 1" ],
	[ 'and its model', 'ana', 0, $idle ]);

# Other sessions cannot tell a solver that works from one that is done.
sub watched
{
	my ($pid) = @_;
	return in_session($node, 'late',
		"SELECT state, wait_event_type, wait_event, backend_xid, backend_xmin IS NULL, query FROM pg_stat_activity WHERE pid = $pid",
		"SELECT locktype, relation::regclass, classid, objsubid, mode, granted FROM pg_locks WHERE pid = $pid ORDER BY 2, 1, 3, 4, 5");
}
my %seen;
for my $phase ('the solver', 'the clock')
{
	my $at = $phase{$phase};
	$at->{prepare}->() if $at->{prepare};
	my $session = session($node, user => 'late');
	$hostile->spent;
	$session->send($train);
	$at->{reach}->($session->pid);
	wait_for('SELECT wait_event IS NOT NULL FROM pg_stat_activity WHERE pid = ' . $session->pid);
	$seen{$phase} = watched($session->pid);
	$control->ask('SELECT pg_cancel_backend(' . $session->pid . ')');
	$session->result;
	$session->quit;
	$at->{tidy}->() if $at->{tidy};
	$hostile->spent(1);
}
like($seen{'the solver'}, qr/^active\|Extension\|Extension\|/m, 'other sessions see that a release runs');
is($seen{'the clock'}, $seen{'the solver'}, 'other sessions see the same while it waits for the tick');

# ---- two sessions, one name ----

my $named = q{SELECT (dpobj.train('visit', 'y', 0.5, name => 'both')).release};
$hostile->spent;
my @two = map { session($node, user => 'ana') } 1 .. 2;
$_->send($named) for @two;
my @answers = map { $_->result } @two;
$_->quit for @two;
is($answers[0], $answers[1], 'two sessions that ask for one name get one model');
$hostile->judge('two sessions that ask for one name are charged once', 1, join "\n", @answers);

# ---- a scan that fails ----

# The reason stays in the log, the failure is counted, and a role is refused after three failures.
# The page is broken in the file, and VACUUM FULL leaves no copy of it in shared buffers.
scalar_of($node, 'VACUUM FULL visit');
my $path = $node->data_dir . '/' . scalar_of($node, "SELECT pg_relation_filepath('visit')");
my $failure = { epsilon => 0.5, charged => 1, failed => 1, error => 'UB004' };
my $caught = { %$failure, error => undef };
open(my $file, '+<:raw', $path) or die "cannot open $path: $!";
sysread($file, my $header, 24) == 24 or die "cannot read $path: $!";
sub write_header { sysseek($file, 0, 0); syswrite($file, $_[0]) == 24 or die "cannot write $path: $!"; return; }
write_header("\xff" x 24);
$hostile->try_all(
	'a scan that fails',
	[ 'under exit_on_error', 'ana', $failure, \'', 'SET exit_on_error = on', $train ],
	[ 'is caught', 'ana', $caught, \'',
		"DO \$\$ BEGIN PERFORM ($train); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '% %', SQLSTATE, SQLERRM; END \$\$" ],
	[ 'is rolled back', 'ana', $failure, \'', 'BEGIN', $train, 'ROLLBACK' ],
	[ 'too often', 'ana', 'UB003', \'', $train ],
	[ 'of others', 'zoe', $failure, \'', $train ]);
refused_to_connect($node, 'ana', 'dpobj.max_failures=9');
write_header($header);
close $file;
ok(!$node->log_contains(qr/ana.*invalid page|FATAL:.*invalid page/), 'no client is told the reason');
ok($node->log_contains(qr/private release \d+ failed: invalid page/), 'the log has the reason');
$node->append_conf('postgresql.conf', 'dpobj.max_failures = 1000');
$node->reload;

# ---- a standby ----

my $standby = standby_of($node, 'standby');
for my $try ([ $train, '25006' ], [ $named, '25006' ], [ 'TABLE visit', '42501' ],
	[ q{SELECT dpobj.evaluate('both', 'visit', 0.5)}, '25006' ],
	[ q{SELECT dpobj.submit('train', 'visit', '{"label": "y", "epsilon": 0.5, "features": ["a"]}', 'both')}, '25006' ],
	[ q{SELECT dpobj.cancel(1)}, '25006' ],
	[ q{SELECT dpobj.wait(1)}, '42704' ],
	[ q{SELECT count(*) FROM dpobj.jobs, dpobj.progress}, 0 ],
	[ $raise, '42501' ])
{
	my ($statement, $state) = @$try;
	$hostile->spent;
	$hostile->judge("standby: $statement", $state, in_session($standby, 'ana', $statement));
}
$standby->stop;

# ---- dumps ----

my ($dump, $told);
IPC::Run::run([ 'pg_dump', '-d', $node->connstr('postgres') . ' user=dbo' ], '>', \$dump, '2>', \$told);
like($told, qr/permission denied for table/, 'a dump by the owner of the database is refused');
ok(!DpobjHostile::shows_a_row($dump . $told), 'the refused dump has no row');

# CREATE EXTENSION would refuse the members that maker gave to dpobj_admin
scalar_of($node, 'REVOKE dpobj_admin FROM maker CASCADE');
copy_by_dump($node, 'postgres', 'restored', 'plain');
for my $kept (
	'SELECT count(*), sum(epsilon_nano) FROM dpobj.ledger_events',
	'SELECT relation_name, role_name, epsilon_limit, epsilon_spent FROM dpobj.budgets ORDER BY 1, 2',
	'SELECT release, name, md5(model::text), dpobj.verify(model) FROM dpobj.models ORDER BY 1',
	'SELECT relation_name, encoders, adjacency FROM dpobj.protected ORDER BY 1')
{
	is($node->safe_psql('restored', $kept), $node->safe_psql('postgres', $kept), "the restored database has the same: $kept");
}
my $restored = session($node, user => 'ana', database => 'restored');
like($restored->ask($train), qr/^ERROR:  55000: /m, 'a release is refused before dpobj.confirm_epoch');
$node->safe_psql('restored', 'SELECT dpobj.confirm_epoch()');
is_answered($restored->ask($train), 'a release after dpobj.confirm_epoch');
$restored->quit;

$_->quit for $session, $admin, $control;
cmp_ok($hostile->count, '>=', 100, $hostile->count . ' cases were tried');
finish($node);
