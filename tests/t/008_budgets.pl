# 008_budgets.pl - budgets under races, rollbacks, crashes, renames, dumps, restores
# and promotions, and who may administer them.

use DpobjTest;

my $node = dpobj_cluster('budgets', 'max_worker_processes = 40', 'max_connections = 60',
	'synchronous_commit = on');

sub run_as { return in_session($node, @_); }

my $superuser = scalar_of($node, 'SELECT current_user');
login_roles($node, qw(eve bob curator auditor));
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE maker LOGIN CREATEROLE;
CREATE ROLE team;
GRANT SELECT ON quick TO eve, bob;
SELECT dpobj.grant_trainer('eve'), dpobj.grant_trainer('bob');
SQL

# One release of a role, the superuser if none is named; how: its epsilon and its table.
sub releases
{
	my ($name, $role, %how) = @_;
	my $epsilon = $how{epsilon} // '0.5';
	spends($node, $name, { epsilon => $epsilon, charged => 1, released => 1 },
		sub { is_answered(run_as($role, train($how{table} // QUICK, epsilon => $epsilon)), "$name: the call is answered") });
	return;
}

# ---- a race for a cap ----

my @levels = ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE');
for my $level (@levels)
{
	race_for_cap($node, $level, 'by the owner');
	my $table = race_for_cap($node, $level);
	is(scalar_of($node, "SELECT epsilon_spent, epsilon_left, releases FROM dpobj.budgets WHERE relation_name = 'public.$table'"),
		'98|2|14', 'dpobj.budgets shows what was spent');
}

# ---- many charges: sums are exact, no deadlock ----

# Two tables with caps of role, group and all, trained on in either order.
scalar_of($node, <<'SQL');
CREATE TABLE left_one AS TABLE quick;
CREATE TABLE right_one AS TABLE quick;
GRANT SELECT ON left_one, right_one TO eve, bob;
GRANT team TO eve, bob;
SELECT dpobj.set_budget(t, r, 1000, 0)
FROM (VALUES ('left_one'::regclass), ('right_one')) t(t), (VALUES ('eve'::regrole), ('bob'), ('team'), (NULL)) r(r);
SQL
spends(
	$node,
	'500 charges from 8 clients',
	{ epsilon => 50, charged => 500, released => 500 },
	sub {
		my $folder = PostgreSQL::Test::Utils::tempdir;
		my %script = (left => [ 'left_one', 'right_one' ], right => [ 'right_one', 'left_one' ]);
		for my $name (keys %script)
		{
			append_to_file("$folder/$name.sql", join('', map { train($_, epsilon => '0.1') . ";\n" } @{ $script{$name} }));
		}
		my @runs;
		for my $run ([ eve => 'left', 32 ], [ eve => 'right', 31 ], [ bob => 'left', 31 ],
			[ bob => 'right', 31 ])
		{
			my ($user, $name, $count) = @$run;
			push @runs,
			  IPC::Run::start(
				[
					'pgbench', '-n', '-h', $node->host, '-p', $node->port, '-U', $user, '-c', '2', '-t',
					$count, '-f', "$folder/$name.sql", 'postgres'
				],
				'>', "$folder/$user.$name.out", '2>', "$folder/$user.$name.err");
		}
		ok($_->finish, 'a client without a refusal') for @runs;
	});
is( scalar_of($node,
		"SELECT string_agg(concat_ws(' ', relation_name, role, epsilon_spent, releases), ', ' ORDER BY relation_name, role) "
		  . "FROM dpobj.budgets WHERE relation_name IN ('public.left_one', 'public.right_one')"),
	join(', ', map { ("public.$_ bob 12.4 124", "public.$_ eve 12.6 126", "public.$_ team 25 250", "public.$_ 25 250") } qw(left_one right_one)),
	'every sum is exact');

# The counted charges, which new sums are made of, against the ledger.
my $counted = q{SELECT count(*) FROM (SELECT to_jsonb(c) - '{id,times}'::text[] AS kind, sum(c.times) AS times FROM dpobj.charge_counts c GROUP BY 1) c
  FULL JOIN (SELECT to_jsonb(k) - 'times' AS kind, k.times FROM dpobj.charge_kinds k) k USING (kind) WHERE c.times IS DISTINCT FROM k.times};
is(scalar_of($node, $counted), '0', 'every charge is counted once');
cmp_ok(scalar_of($node, q(SELECT count(*) FROM dpobj.charge_counts)), '<', 100, 'the counts take few rows');

# ---- what one transaction does not see of another ----

# Is the running sum unset, or equal to the sum of the ledger?
my $sums = 'SELECT b.cost_spent IS NULL OR b.cost_spent = s.cost FROM dpobj.budget_rows b JOIN dpobj.budget_sums s USING (id) '
  . "JOIN dpobj.identities i ON i.id = b.relation WHERE i.name = 'public.%s'";

# A budget that is younger than the snapshot of a change of its unit.
scalar_of($node, q(CREATE TABLE unseen AS TABLE quick; SELECT dpobj.protect('unseen', '{"label": {}}', 'add_remove')));
{
	my $session = session($node);
	my $options = '"adjacency": "add_remove", "dimension": 2, "grid": "sign"';
	$session->ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM unseen');
	scalar_of($node, "SELECT dpobj.set_budget('unseen', NULL, 2.5, 0)");
	is_answered(scalar_of($node, train('unseen', options => $options, epsilon => '1.0')), 'a release under the new budget');
	refused('dpobj.unprotect in a snapshot without that budget', '40001', $session->ask(q{SELECT dpobj.unprotect('unseen')}));
	$session->ask('ROLLBACK');
	$session->quit;
	is(scalar_of($node, sprintf $sums, 'unseen'), 't', 'the running sum is the ledger\'s');
}

# A charge on another parent of a child that began before the budget was made.
scalar_of($node, 'CREATE TABLE father AS TABLE quick; CREATE TABLE mother AS TABLE quick; CREATE TABLE heir () INHERITS (father, mother)');
scalar_of($node, train($_, epsilon => '0.1')) for qw(father mother);
{
	my $lock = session($node);
	my ($slow, $setter, $next) = map { session($node) } 1 .. 3;
	$lock->ask('BEGIN; LOCK TABLE dpobj.model_rows IN SHARE MODE');
	$slow->send(train('mother', epsilon => '1.0'));
	ok( $node->poll_query_until(
			'postgres', q{SELECT count(*) > 0 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = 'dpobj.model_rows'::regclass AND NOT granted AND backend_type = 'dpobj charge'}),
		'a charge has counted and not committed');
	$setter->send(q{SELECT dpobj.set_budget('father', NULL, 2, 0)});
	$next->send(train('father', epsilon => '0.2'));
	sleep(0.3);
	$lock->ask('COMMIT');
	like($_->result, qr/^\d*$/, 'a session without a refusal') for $slow, $setter, $next;
	$_->quit for $lock, $slow, $setter, $next;
	is_answered(scalar_of($node, train('father', epsilon => '0.1')), 'a further release');
	is(scalar_of($node, sprintf $sums, 'father'), 't', 'the running sum has the charges of both parents');
	is(scalar_of($node, q{SELECT epsilon_spent FROM dpobj.budgets WHERE relation_name = 'public.father'}), '1.5', 'the budget has spent what both parents were charged');
}

# The second call comes before the commit of the first, which counts already. Workers wait two seconds for a
# lock, so on a busy machine the test tries again with another table.
{
	my ($tight, @texts);
	my $workers = "SELECT count(*) >= %d FROM pg_stat_activity WHERE backend_type = 'dpobj charge' AND wait_event_type = 'Lock'";
	for (1 .. 5)
	{
		$tight = "tight_$_";
		scalar_of($node, "CREATE TABLE $tight AS TABLE quick; SELECT dpobj.set_budget('$tight', NULL, 1, 0)");
		scalar_of($node, train($tight, epsilon => '0.1')); # so that the race need not count the ledger, which takes a lock
		my ($lock, $look, @asking) = map { session($node) } 1 .. 4;
		$lock->ask('BEGIN; LOCK TABLE dpobj.model_rows IN SHARE MODE');
		for my $number (1, 2)
		{
			$asking[ $number - 1 ]->send(train($tight, epsilon => '0.6'));
			wait_until(10, sub { $look->ask(sprintf $workers, $number) eq 't' });
		}
		$lock->ask('COMMIT');
		@texts = map { $_->result } @asking;
		$_->quit for $lock, $look, @asking;
		last unless "@texts" =~ /55P03/;
	}
	is_answered($texts[0], 'the first call is answered');
	refused('the second before the first has committed', 'UB001', $texts[1]);
	is(scalar_of($node, "SELECT epsilon_spent FROM dpobj.budgets WHERE relation_name = 'public.$tight'"), '0.7', 'only one of the two is charged');
}

# ---- a crash in between ----

scalar_of($node, "CREATE TABLE crashed AS TABLE quick; SELECT dpobj.set_budget('crashed', NULL, 1.25, 0)");
spends(
	$node,
	'a charge before an immediate stop counts',
	{ epsilon => 1, charged => 2, released => 2 },
	sub {
		my $session = session($node);
		is_answered($session->ask('BEGIN; ' . train('crashed')), 'a release before the stop');
		$node->stop('immediate');
		$session->quit;
		$node->start;
		is_answered(scalar_of($node, train('crashed')), 'a release after the start');
		refused('a third release, which the budget has no room for', 'UB001', run_as($superuser, train('crashed')));
	});

# ---- errors of the budget write nothing ----

scalar_of($node, "SELECT dpobj.set_budget('quick', 'eve', 0.75, 0)");
spends(
	$node,
	'refusals',
	{},
	sub {
		my $before = scalar_of($node, "SELECT count(*) FROM dpobj.identities");
		refused('more than the cap', 'UB001', run_as('eve', train(QUICK, epsilon => '0.750000001')));
		scalar_of($node, 'ALTER ROLE bob SET dpobj.require_budget = on');
		refused('no budget where the role needs one', 'UB002', run_as('bob', train(QUICK)));
		refused('the role turns dpobj.require_budget off', 'UB002', run_as('bob', 'SET dpobj.require_budget = off', train(QUICK)));
		refused('the role turns it off after a call', 'UB002',
			run_as('bob', 'SELECT dp_score(NULL, NULL)', 'SET dpobj.require_budget = off', train(QUICK)));
		refused_to_connect($node, 'bob', 'dpobj.require_budget=off');
		scalar_of($node, 'ALTER ROLE bob RESET ALL; ALTER DATABASE postgres SET dpobj.require_budget = on');
		refused('the role turns off what the database requires', 'UB002', run_as('bob', 'SET dpobj.require_budget = off', train(QUICK)));
		scalar_of($node, 'ALTER DATABASE postgres RESET ALL');
		is(scalar_of($node, "SELECT count(*) FROM dpobj.identities"), $before, 'a refusal does not even make an identity');
	});
scalar_of($node, 'ALTER ROLE eve SET dpobj.require_budget = on');
releases('a role with a budget, where one is required', 'eve', epsilon => '0.25');
scalar_of($node, 'ALTER ROLE eve RESET ALL; ALTER DATABASE postgres SET dpobj.require_budget = on;'
	  . 'ALTER ROLE bob SET dpobj.require_budget = off');
releases('a role that a superuser has excused', 'bob');
scalar_of($node, 'ALTER DATABASE postgres RESET ALL; ALTER ROLE bob RESET ALL');

# The session user is charged, also after SET ROLE and in a SECURITY DEFINER function.
scalar_of($node, 'GRANT bob TO eve; CREATE FUNCTION by_definer() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS '
	  . '$$' . train('public.quick', epsilon => '0.75') . '$$');
spends(
	$node,
	'a call as another role',
	{},
	sub {
		refused('SET ROLE', 'UB003', run_as('eve', 'SET ROLE bob', train(QUICK, epsilon => '0.75')));
		refused('SECURITY DEFINER', 'UB003', run_as('eve', 'SELECT by_definer()'));
	});
scalar_of($node, 'REVOKE bob FROM eve');

# ---- a budget is dropped and set again, roles and tables are renamed and made again ----

scalar_of($node, "SELECT dpobj.drop_budget('quick', 'eve'); SELECT dpobj.set_budget('quick', 'eve', 0.3, 0)");
my $spent = "SELECT epsilon_spent, epsilon_left FROM dpobj.budgets WHERE role = '%s'"
  . " AND relation = '%s'::regclass";
is(scalar_of($node, sprintf($spent, 'eve', 'quick')), '0.25|0.05', 'a budget that is set again has spent what it had');
scalar_of($node, 'ALTER ROLE eve RENAME TO eva; ALTER TABLE quick RENAME TO quicker; CREATE SCHEMA hidden;'
	  . 'ALTER TABLE quicker SET SCHEMA hidden; CREATE ROLE eve LOGIN');
is(scalar_of($node, sprintf($spent, 'eva', 'hidden.quicker')),
	'0.25|0.05', 'a rename of role, table and schema resets nothing');
scalar_of($node, 'GRANT USAGE ON SCHEMA hidden TO eva');
spends($node, 'a renamed role on a renamed table', {},
	sub { refused('the old cap', 'UB001', run_as('eva', train('hidden.quicker', epsilon => '0.1'))) });
is( run_as('eve', 'SELECT count(*) FROM dpobj.ledger', 'SELECT count(*) FROM dpobj.budgets'),
	"0\n0", 'a new role with the old name sees no events and budgets');
cmp_ok(run_as('eva', 'SELECT count(*) FROM dpobj.ledger'), '>', 0, 'the renamed role sees its events');
scalar_of($node, 'DROP ROLE eve; ALTER ROLE eva RENAME TO eve; ALTER TABLE hidden.quicker SET SCHEMA public;'
	  . 'ALTER TABLE quicker RENAME TO quick');
scalar_of($node, "SELECT dpobj.set_budget('quick', 'eve', 0.3, 0); CREATE TABLE quick_copy AS TABLE quick;"
	  . 'DROP TABLE quick; ALTER TABLE quick_copy RENAME TO quick; GRANT SELECT ON quick TO eve');
is(scalar_of($node, sprintf($spent, 'eve', 'quick')),
	'0.25|0.05', 'a table that was dropped and made again has spent what it had');
spends($node, 'a table that was made again', {},
	sub { refused('the old cap', 'UB001', run_as('eve', train(QUICK, epsilon => '0.1'))) });

# ---- who may administer ----

my $set = "SELECT dpobj.set_budget('quick', NULL, 1000, 0)";
reach_roles($node, 'maker', qw(dpobj_admin curator));
spends(
	$node,
	'administration without a superuser\'s grant',
	{},
	sub {
		my $denied = '42501';
		refused('a role without a grant', $denied, run_as('curator', $set));
		refused('CREATEROLE that grants dpobj_admin to itself',
			$denied, run_as('maker', 'GRANT dpobj_admin TO maker', $set));
		refused('CREATEROLE that sets its role to dpobj_admin', $denied, run_as('maker', 'SET ROLE dpobj_admin', $set));
		scalar_of($node, 'GRANT dpobj_admin TO curator');
		refused('CREATEROLE that sets its role to an administrator',
			$denied, run_as('maker', 'GRANT curator TO maker', 'SET ROLE curator', $set));
		scalar_of($node, 'CREATE ROLE stewards; GRANT dpobj_admin TO stewards');
		reach_roles($node, 'maker', 'stewards');
		refused('CREATEROLE that joins a group of administrators', $denied, run_as('maker', 'GRANT stewards TO maker', $set));
		refused('drop_budget', $denied, run_as('maker', "SELECT dpobj.drop_budget('quick', 'eve')"));
		refused('confirm_epoch', $denied, run_as('maker', 'SELECT dpobj.confirm_epoch()'));
		unlike(run_as('curator', $set, "SELECT dpobj.drop_budget('quick', NULL)"),
			qr/ERROR/, 'a grant by a superuser is enough');
		scalar_of($node, 'GRANT stewards TO auditor');
		unlike(run_as('auditor', $set, "SELECT dpobj.drop_budget('quick', NULL)"),
			qr/ERROR/, 'a grant to a group is enough');
		scalar_of($node, 'REVOKE stewards FROM auditor, maker CASCADE; REVOKE curator, dpobj_admin FROM maker CASCADE');
	});
is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger WHERE event = 'set_budget' AND role = 'maker'"),
	'0', 'a refused change leaves no event');

# An operator of the caller's, first in its search_path, must not run as superuser.
scalar_of($node, 'CREATE SCHEMA evil AUTHORIZATION curator');
unlike(
	run_as(
		'curator',
		'CREATE FUNCTION evil.same(oid, oid) RETURNS boolean LANGUAGE plpgsql AS '
		  . q($$BEGIN RAISE EXCEPTION 'ran as %', current_user; END$$),
		'CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.same)',
		'SET search_path = evil, pg_catalog, public',
		$set,
		"SELECT dpobj.drop_budget('quick', NULL)"),
	qr/ran as/,
	'an administrator\'s functions call no operator of the caller');

# ---- who sees what ----

is(run_as('auditor', 'SELECT count(*) FROM dpobj.budgets', 'SELECT count(*) FROM dpobj.ledger WHERE role <> current_user'),
	"0\n0", 'a role without grants sees no budgets and events');
scalar_of($node, 'GRANT dpobj_auditor TO auditor');
is(run_as('auditor', 'SELECT count(*) FROM dpobj.budgets'),
	scalar_of($node, 'SELECT count(*) FROM dpobj.budget_rows'), 'an auditor sees all budgets');
is(run_as('auditor', 'SELECT count(*) FROM dpobj.ledger'),
	scalar_of($node, 'SELECT count(*) FROM dpobj.ledger_events'), 'an auditor sees the whole ledger');
refused('a change by an auditor', '42501', run_as('auditor', $set));

# ---- a cancel while the budget is locked ----

spends(
	$node,
	'cancelled while the budget is locked',
	{ epsilon => [ 0, 0.5 ], charged => [ 0, 1 ] },
	sub {
		my $holder = session($node);
		$holder->ask('BEGIN; SELECT FROM dpobj.budget_rows FOR UPDATE');
		refused('cancelled', '57014', run_as('eve', 'SET statement_timeout = 300', train('left_one')));
	});

# ---- a base backup that is started without recovery.signal ----

# The timeline is the same, but the copy lacks the charges since the backup.
my $ids = "SELECT string_agg(id::text, ',' ORDER BY id) FROM dpobj.ledger_events WHERE id > %s";
like(scalar_of($node, 'SELECT dpobj_internal.epoch()'), qr{^\d+/\d+/\d+$}, 'a server from initdb has no label in its epoch');
my $last = scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events');
$node->backup('plain');
releases('a release after the backup', undef, table => 'left_one');
my $lost = scalar_of($node, sprintf($ids, $last));
$node->stop;
my $original = $node;
for my $copy (qw(first second))
{
	$node = PostgreSQL::Test::Cluster->new("copy_$copy");
	$node->init_from_backup($original, 'plain');
	$node->start;
	is(scalar_of($node, 'SELECT max(id) FROM dpobj.ledger_events'), $last, "the $copy copy lacks charges");
	spends(
		$node,
		"the $copy copy",
		{},
		sub {
			refused('no release', '55000', run_as($superuser, train('left_one')));
			unlike(run_as('curator', 'SELECT dpobj.confirm_epoch()'), qr/ERROR|NOTICE/, 'an administrator confirms');
		});
	is( scalar_of($node, "SELECT l.role_identity = i.id FROM dpobj.ledger_events l, dpobj.identities i"
			  . " WHERE l.event = 'confirm_epoch' AND i.kind = 'role' AND i.name = 'curator'"),
		't', 'the ledger names who confirmed');
	releases("the $copy copy, confirmed", undef, table => 'left_one');
	my %lost = map { $_ => 1 } split /,/, $lost;
	my @given = split /,/, scalar_of($node, sprintf($ids, $last));
	is_deeply([ grep { $lost{$_} } @given ], [], 'no id is given again');
	$lost .= ',' . join ',', @given;
	$node->restart;
	releases("the $copy copy, restarted", undef, table => 'left_one');
	$lost .= ',' . scalar_of($node, sprintf($ids, $given[-1]));
	$node->stop;
}
append_to_file($node->data_dir . '/backup_label.old', "a snapshot of the storage, put back\n");
$node->start;
spends($node, 'a copy that has a label of a backup', {},
	sub { refused('no release', '55000', run_as($superuser, train('left_one'))) });
$node->stop;
$node = $original;
$node->start;

# ---- promotion ----

# A promoted standby has another epoch, because its timeline is new.
my $standby = standby_of($node, 'promoted');
$node->stop;
$standby->promote;
my $primary = $node;
$node = $standby;
spends(
	$node,
	'after a promotion',
	{},
	sub {
		refused('no release', '55000', run_as($superuser, train('left_one')));
		like(run_as($superuser, train('left_one')), qr/^HINT:  .*dpobj\.confirm_epoch/m, 'the refusal names dpobj.confirm_epoch');
		refused('no budget', '55000', run_as($superuser, $set));
		refused('a confirmation without the right', '42501', run_as('eve', 'SELECT dpobj.confirm_epoch()'));
		unlike(run_as('curator', 'SELECT dpobj.confirm_epoch()'), qr/ERROR|WARNING/, 'an administrator confirms');
		like(run_as('curator', 'SELECT dpobj.confirm_epoch()'), qr/^NOTICE:  00000: there is nothing/m, 'a second confirmation does nothing');
	});
is(scalar_of($node, "SELECT count(*) FROM dpobj.ledger WHERE event = 'confirm_epoch' AND role = 'curator'"),
	'1', 'the ledger names who confirmed the promotion');
is(scalar_of($node, sprintf($spent, 'eve', 'quick')), '0.25|0.05', 'what was spent stays');
releases('a release after the confirmation', 'eve', epsilon => '0.05');
$node->restart;
releases('a restart is no promotion', undef, table => 'left_one');

# ---- dump and restore into another server, where all OIDs differ ----

scalar_of($node, 'CREATE ROLE gone; CREATE TABLE "Odd name" AS TABLE quick; CREATE TABLE lost AS TABLE quick;'
	  . q(SELECT dpobj.set_budget('"Odd name"', 'gone', 1, 0), dpobj.set_budget('lost', NULL, 1, 0)));
scalar_of($node, 'DROP ROLE gone; ALTER TABLE lost RENAME TO found');
my $columns = 'relation_name, role_name, epsilon_limit, epsilon_spent, delta_limit, releases, max_releases';
my $all = "SELECT $columns FROM dpobj.budgets ORDER BY relation_name, role_name";
my $before = scalar_of($node, $all);
my $dump = PostgreSQL::Test::Utils::tempdir . '/dump.sql';
command_ok([ 'pg_dumpall', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dumpall');

my $target = PostgreSQL::Test::Cluster->new('restored');
$target->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
$target->{dpobj_destination} = $node->{dpobj_destination} // $primary->{dpobj_destination};
$target->append_conf('postgresql.conf',
	join "\n", grep { !/^(?:port|unix_socket|listen|restart_after|primary_)/ } split /\n/,
	DpobjTest::_settings($target));
$target->start;
# These objects come first, so that OIDs differ and old OIDs are those of other objects.
scalar_of($target, join '', map { "CREATE TABLE filler$_ (a int); CREATE ROLE filler$_;" } 1 .. 20);
my (undef, undef, $err) = $target->psql('postgres', "\\i $dump", on_error_stop => 0);
is_deeply([ grep { /ERROR/ && !/role "\w+" already exists/ } split /\n/, $err ], [], 'the dump is restored without an error');
$node->stop;
$node = $target;
is(scalar_of($node, $all), $before, 'the budgets and their spending are as they were');
is(scalar_of($node, $counted), '0', 'the restore has counted every charge');
spends(
	$node,
	'after a restore',
	{},
	sub {
		refused('no release', '55000', run_as($superuser, train('left_one')));
		like(run_as($superuser, 'SELECT dpobj.confirm_epoch()'),
			qr/^WARNING:  01000: tables or roles of some privacy budgets do not exist$/m,
			'a warning names tables and roles that do not exist');
		refused('a release over a restored cap', 'UB001', run_as('eve', train(QUICK, epsilon => '0.1')));
	});
is(scalar_of($node, $counted), '0', 'the confirmation has counted every charge');
spends($node, 'a table without a budget, whose OID was another table\'s', { epsilon => 0.5, charged => 1, released => 1 },
	sub { is_answered(scalar_of($node, train('slow', options => '"mechanism": "exponential", "grid": "sign"')), 'the call is answered') });
cmp_ok(run_as('eve', 'SELECT count(*) FROM dpobj.ledger'), '>', 100, 'eve sees her events after the restore');
is(run_as('bob', "SELECT count(*) FROM dpobj.ledger WHERE role <> 'bob'"), '0', 'bob sees no events of others');

# ---- the roles of the extension ----

scalar_of($node, 'CREATE DATABASE second');
is($node->safe_psql('second', 'CREATE EXTENSION dpobj; SELECT count(*) FROM dpobj.budgets'),
	'0', 'a second database takes the roles, whose members a superuser chose');
scalar_of($node, 'CREATE DATABASE third; GRANT dpobj_admin TO bob');
reach_roles($node, 'maker', 'dpobj_admin');
run_as('maker', 'GRANT dpobj_admin TO maker');
is($node->safe_psql('third', 'CREATE EXTENSION dpobj; SELECT count(*) FROM dpobj.budgets'),
	'0', 'a third database takes the roles that dpobj has marked, whoever their members are');
my (undef, undef, $message) = $node->psql('third', q{SET SESSION AUTHORIZATION maker; SELECT dpobj.set_budget(NULL, 'eve', 1, 0)});
like($message, qr/ERROR:  permission denied/, 'a member that no superuser chose administers nothing there');
scalar_of($node, 'REVOKE dpobj_admin FROM maker CASCADE');
$node->safe_psql('third', 'DROP EXTENSION dpobj');
$node->safe_psql('postgres', 'DROP EXTENSION dpobj');
$node->safe_psql('second', 'DROP EXTENSION dpobj');
scalar_of($node, 'DROP OWNED BY dpobj_admin; DROP ROLE dpobj_admin; CREATE ROLE dpobj_admin; GRANT dpobj_admin TO bob');
(undef, undef, $message) = $node->psql('third', 'CREATE EXTENSION dpobj');
like($message,
	qr/role "dpobj_admin" exists already and has members\nDETAIL:  .* postgres granted it to bob before dpobj was installed\.$/m,
	'CREATE EXTENSION refuses members that were there before dpobj');
scalar_of($node, 'REVOKE dpobj_admin FROM bob');
$node->safe_psql('third', 'CREATE EXTENSION dpobj');

finish($node);
