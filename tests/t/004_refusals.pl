# 004_refusals.pl - where a charge is refused; which role is charged when roles and settings are
# hostile; and that no role may change the ledger.

use DpobjTest;

my $node = dpobj_cluster('refusals');
my $train = train('public.quick');
my $nothing = {};
my $once = { epsilon => 0.5, charged => 1, released => 1 };

login_roles($node, qw(eve bob mallory));
$node->safe_psql('postgres', <<'SQL');
GRANT SELECT ON quick TO eve, mallory;
DO $$
DECLARE
  aggregate regprocedure;
BEGIN
  FOR aggregate IN SELECT oid FROM pg_proc WHERE proname = 'dp_halfspace' LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO eve, bob', aggregate);
  END LOOP;
END $$;
SQL

sub run_as { return in_session($node, @_); }

my $superuser = scalar_of($node, 'SELECT current_user');

# ---- read-only ----

spends(
	$node,
	'read-only transactions',
	$nothing,
	sub {
		refused('BEGIN READ ONLY', '25006', run_as($superuser, 'BEGIN READ ONLY', $train, 'ROLLBACK'));
		refused('SET TRANSACTION READ ONLY',
			'25006', run_as($superuser, 'BEGIN', 'SET TRANSACTION READ ONLY', $train, 'ROLLBACK'));
		refused('default_transaction_read_only',
			'25006', run_as($superuser, 'SET default_transaction_read_only = on', $train));
	});
spends(
	$node,
	'standby',
	$nothing,
	sub {
		my $standby = standby_of($node, 'standby');
		my $session = session($standby);
		refused('standby', '25006', $session->ask($train));
		is($session->ask('SELECT count(*) FROM dpobj.ledger'),
			scalar_of($node, 'SELECT count(*) FROM dpobj.ledger'),
			'the standby shows the whole ledger');
		$session->quit;
		$standby->stop;
	});

# ---- settings of the caller ----

my $forced = session($node, options => '-c ' . FORCE_PARALLEL . '=on');
spends(
	$node,
	'whole plans in a worker',
	{ epsilon => [ 0, 0.5 ], charged => [ 0, 1 ], released => [ 0, 1 ] },
	sub {
		my $text = $forced->ask($train);
		like($text, qr/^(?:\d+|ERROR:  UB003: .*)$/m, 'the call is answered or refused');
		like($text, qr/^HINT:  Set @{[ FORCE_PARALLEL ]} to off\.$/m, 'the refusal has a hint') if $text !~ /^\d+$/;
	});
$forced->quit;

my @hostile = (
	"search_path = 'nowhere'",
	"default_transaction_isolation = 'serializable'",
	'synchronous_commit = off',
	'row_security = off',
	'quote_all_identifiers = on',
	'standard_conforming_strings = off',
	"bytea_output = 'escape'",
	"DateStyle = 'German'",
	"IntervalStyle = 'sql_standard'",
	"TimeZone = 'Asia/Kathmandu'",
	'extra_float_digits = -15',
	'transform_null_equals = on',
	'array_nulls = off',
	'lock_timeout = 1',
	"client_encoding = 'LATIN1'",
	'work_mem = 64',
	'temp_buffers = 100',
	'jit_above_cost = 0',
	"plan_cache_mode = 'force_generic_plan'",
	'enable_seqscan = off',
	'enable_sort = off',
	'cursor_tuple_fraction = 0',
	"client_min_messages = 'debug5'",
	"role = 'bob'",);

sub alter
{
	my ($what, @settings) = @_;
	return join '', map { "ALTER $what SET $_;\n" } @settings;
}

scalar_of($node, 'GRANT bob TO eve; GRANT SELECT ON quick TO bob');
scalar_of($node, alter('ROLE eve', @hostile));
spends(
	$node,
	'hostile settings of the role',
	$once,
	sub {
		my $session = session($node, user => 'eve', options => '-c client_min_messages=notice');
		is($session->ask('SELECT current_user'), 'bob', 'the role setting applies');
		is_answered($session->ask('SELECT (public.dp_halfspace(features, label, 0.5, 0)).release FROM public.quick'), 'the call is answered');
	});
is(last_charge($node, 'role'), 'eve', 'the session role is charged, not the current one');
scalar_of($node, 'ALTER ROLE eve RESET ALL');

# What a database or the superuser's role sets reaches the worker, which connects
# to the same database; the caller's session undoes what would stop itself.
my @reaching = (
	'default_transaction_read_only = on',
	'default_transaction_deferrable = on',
	"session_replication_role = 'replica'",
	'statement_timeout = 1',
	'idle_in_transaction_session_timeout = 1',
	"default_tablespace = 'pg_default'",
	'zero_damaged_pages = off');
scalar_of($node,
	alter('DATABASE postgres', @hostile, @reaching)
	  . alter("ROLE \"$superuser\"", @hostile, @reaching));
my $undo = join ' ', map { "-c $_" } qw(default_transaction_read_only=off statement_timeout=0
  lock_timeout=0 idle_in_transaction_session_timeout=0
  client_min_messages=notice role=none search_path=public bytea_output=hex client_encoding=UTF8);
{
	local $ENV{PGOPTIONS} = "$undo -c session_replication_role=origin";
	spends(
		$node,
		'hostile settings of the database and of the superuser',
		$once,
		sub {
			my $session = session($node, user => 'eve', options => $undo);
			is($session->ask('SHOW synchronous_commit'), 'off', 'the settings of the database apply');
			is_answered($session->ask($train), 'the call is answered');
		});
	is(last_charge($node, 'role'), 'eve', 'the session role is charged');
	like(
		scalar_of($node, 'SELECT relation_name FROM dpobj.ledger ORDER BY id DESC LIMIT 1'),
		qr/^public\.quick$/,
		'the ledger ignores quote_all_identifiers');
	scalar_of($node, "ALTER DATABASE postgres RESET ALL; ALTER ROLE \"$superuser\" RESET ALL");
}

# ---- privileges ----

spends(
	$node,
	'roles without the privileges',
	$nothing,
	sub {
		refused('no EXECUTE', '42501', run_as('mallory', $train));
		scalar_of($node, 'REVOKE SELECT ON quick FROM bob');
		refused('no SELECT', '42501', run_as('bob', $train));
		refused('the final function by hand',
			'42501', run_as('mallory', 'SELECT dpobj_internal.train_final(NULL)'));
		refused('an aggregate of their own',
			'42501',
			run_as(
				'mallory',
				'CREATE AGGREGATE pg_temp.mine(float8[], boolean, float8, float8) '
				  . '(SFUNC = dpobj_internal.train_accumulate, STYPE = dp_rows)'));
		refused('a column of the state', '42501',
			run_as('mallory', 'CREATE TABLE pg_temp.mine (state dp_rows)'));
	});
spends($node, 'EXECUTE and SELECT suffice', $once,
	sub { is_answered(run_as('eve', $train), 'a role with both privileges trains') });
is(last_charge($node, 'role'), 'eve', 'that role is charged');

spends(
	$node,
	'SECURITY DEFINER, SET ROLE and SET SESSION AUTHORIZATION',
	{ epsilon => 2, charged => 4, released => 4 },
	sub {
		scalar_of($node,
			"CREATE FUNCTION public.by_definer() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS '$train'");
		is_answered(run_as('mallory', 'SELECT public.by_definer()'), 'a SECURITY DEFINER function trains');
		is(last_charge($node, 'role'), 'mallory', 'its caller is charged');

		is_answered(run_as($superuser, 'SET ROLE eve', $train), 'a session trains after SET ROLE');
		is(last_charge($node, 'role'), $superuser, 'SET ROLE does not change who is charged');

		is_answered(run_as($superuser, 'SET ROLE eve', 'SELECT public.by_definer()'), 'SET ROLE and SECURITY DEFINER train together');
		is(last_charge($node, 'role'), $superuser, 'the session role is charged for both together');

		is_answered(run_as($superuser, 'SET SESSION AUTHORIZATION eve', $train), 'a session trains after SET SESSION AUTHORIZATION');
		is(last_charge($node, 'role'), 'eve', 'the authorised role is charged');
	});

is(run_as('eve', "SELECT count(*) FROM dpobj.ledger WHERE role <> 'eve'"),
	'0', 'a role sees no events of others');
cmp_ok(run_as('eve', 'SELECT count(*) FROM dpobj.ledger'), '>', 0, 'a role sees its own events');
unlike(
	run_as('eve', <<'SQL', 'SELECT count(*) FROM dpobj.ledger WHERE pg_temp.leak(role)'),
CREATE FUNCTION pg_temp.leak(text) RETURNS boolean COST 0.0001 LANGUAGE plpgsql
AS 'BEGIN RAISE NOTICE ''saw %'', $1; RETURN true; END'
SQL
	qr/saw (?!eve)/,
	'a function in WHERE is not called on events of others');

# ---- the ledger ----

my @touches = (
	'SELECT * FROM dpobj.ledger_events',
	"INSERT INTO dpobj.ledger_events (event, role, role_name) VALUES ('protect', 1, 'eve')",
	'UPDATE dpobj.ledger_events SET epsilon_nano = 0',
	'DELETE FROM dpobj.ledger_events',
	'TRUNCATE dpobj.ledger_events',
	'LOCK TABLE dpobj.ledger_events IN ACCESS SHARE MODE',
	'LOCK TABLE dpobj.ledger IN SHARE MODE',
	'SELECT * FROM dpobj.ledger FOR UPDATE',
	"SELECT nextval('dpobj.ledger_events_id_seq')",
	"SELECT setval('dpobj.ledger_events_id_seq', 1)",
	'ALTER TABLE dpobj.ledger_events DISABLE TRIGGER ALL',
	'CREATE INDEX ON dpobj.ledger_events (id)',
	'CREATE TRIGGER mine BEFORE INSERT ON dpobj.ledger_events '
	  . 'EXECUTE FUNCTION suppress_redundant_updates_trigger()',
	'CREATE RULE mine AS ON INSERT TO dpobj.ledger_events DO INSTEAD NOTHING',
	'CREATE TABLE dpobj.mine (a int)',
	'DROP TABLE dpobj.ledger_events CASCADE',
	'DROP EXTENSION dpobj CASCADE',);
spends(
	$node,
	'nobody touches the ledger',
	$nothing,
	sub {
		for my $touch (@touches)
		{
			like(run_as('eve', 'BEGIN', $touch, 'ROLLBACK'), qr/^ERROR:  42501: /m, "refused: $touch");
		}
	});

my @changes = (
	'UPDATE dpobj.ledger_events SET epsilon_nano = 0',
	'UPDATE dpobj.ledger_events SET epsilon_nano = 0 WHERE false',
	'DELETE FROM dpobj.ledger_events',
	'TRUNCATE dpobj.ledger_events CASCADE',
	'MERGE INTO dpobj.ledger_events USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE',
	'WITH gone AS (DELETE FROM dpobj.ledger_events RETURNING id) SELECT count(*) FROM gone',
	"INSERT INTO dpobj.ledger_events (id, event, role, role_name) OVERRIDING SYSTEM VALUE "
	  . "VALUES (1, 'protect', 1, 'eve') ON CONFLICT (id) DO UPDATE SET epsilon_nano = 0",);
my $ledger = 'SELECT md5(string_agg(e::text, chr(10) ORDER BY id)) FROM dpobj.ledger_events e';
my $before = scalar_of($node, $ledger);
for my $change (@changes)
{
	for my $setting ('session_replication_role = origin', 'session_replication_role = replica')
	{
		like(
			run_as($superuser, "SET $setting", $change),
			qr/^ERROR:  42501: the privacy ledger is append-only$/m,
			"append-only for superusers, $setting: $change");
	}
}
like(
	run_as(
		$superuser, 'BEGIN',
		'CREATE TABLE parent (LIKE dpobj.ledger_events)',
		'ALTER TABLE dpobj.ledger_events INHERIT parent',
		'DELETE FROM parent', 'ROLLBACK'),
	qr/^ERROR:  42501: the privacy ledger is append-only$/m,
	'append-only through an inheritance parent');
is(scalar_of($node, $ledger), $before, 'the ledger is as it was');

# Refused: an end without its charge, a second end, and a cost that is counted twice.
my $insert = 'INSERT INTO dpobj.ledger_events (event, release, role, role_name, output_hash, epsilon_nano)';
for my $forgery (
	"$insert SELECT 'released', id, role, role_name, sha256(''), 1 FROM dpobj.ledger_events LIMIT 1",
	"$insert SELECT 'released', release, role, role_name, sha256(''), NULL FROM dpobj.ledger_events "
	. 'WHERE release IS NOT NULL LIMIT 1',
	"$insert VALUES ('released', NULL, 1, 'eve', sha256(''), NULL)",
	"$insert VALUES ('charged', NULL, 1, 'eve', NULL, -1)")
{
	like(run_as($superuser, $forgery), qr/^ERROR:  23/m, "a constraint refuses: $forgery");
}

# ---- no worker to write the ledger ----

# The launcher of logical replication takes the only slot.
$node->append_conf('postgresql.conf', 'max_worker_processes = 1');
$node->restart;
spends(
	$node,
	'no free worker slot',
	$nothing,
	sub {
		my $start = time();
		refused('no free worker slot', '53000', run_as('eve', $train));
		cmp_ok(time() - $start, '<', 60, 'the refusal comes after half a minute');
		refused('no free worker slot, cancelled',
			'57014', run_as('eve', 'SET statement_timeout = 300', $train));
	});

is(scalar(solvers($node)), 0, 'no solver was started');
finish($node);
