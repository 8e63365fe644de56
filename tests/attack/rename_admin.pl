# rename_admin.pl - a role with CREATEROLE, which PostgreSQL 15 lets rename, comment, grant and drop
# all roles that are no superusers, gets no right of dpobj_admin and dpobj_auditor: not by a name,
# not in a second database, not through a dump, and not by a grant of its own.

use DpobjTest;

my $node = dpobj_cluster('rename', 'dpobj.release_tick = 0', 'fsync = off');
login_roles($node, qw(carol otto dev));
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE hr LOGIN CREATEROLE;
CREATE ROLE developers;
CREATE ROLE readers;
GRANT developers, readers TO hr WITH ADMIN OPTION;
GRANT developers, readers TO dev;
GRANT dpobj_admin TO carol;
GRANT dpobj_auditor TO otto;
CREATE TABLE patient AS SELECT i % 5 AS a, i % 2 = 0 AS y FROM generate_series(1, 100) i;
SELECT dpobj.protect('patient', '{"a": {"bins": [2]}, "y": {}}'), dpobj.set_budget('patient', 'carol', 10, 0);
SQL
reach_roles($node, 'hr', qw(dpobj_admin dpobj_auditor));

my $ranks = 'SELECT dpobj_internal.administers(), dpobj_internal.sees_all(), (SELECT count(*) FROM dpobj.budgets)';
my $set = q{SELECT dpobj.set_budget('patient', 'hr', 9000, 0.5)};

# What each role may do, in a database; hr and dev get nothing.
sub ranks_hold
{
	my ($when, $database) = @_;
	my %expected = (carol => 't|f|1', otto => 'f|t|1', hr => 'f|f|0', dev => 'f|f|0');
	for my $role (sort keys %expected)
	{
		is(in_session($node, { user => $role, database => $database }, $ranks), $expected{$role}, "$role, $when");
	}
	for my $role (qw(hr dev))
	{
		like(in_session($node, { user => $role, database => $database }, $set), qr/^ERROR:  42501: permission denied/, "$role sets no budget, $when");
		like(in_session($node, { user => $role, database => $database }, q{SELECT dpobj.report('patient')}), qr/^ERROR:  42501: /, "$role sees no report, $when");
	}
	return;
}

sub as_hr { return in_session($node, 'hr', @_) }

ranks_hold('before', 'postgres');

# ---- names ----

is(as_hr(
	'ALTER ROLE dpobj_admin RENAME TO olddpadmin',
	'ALTER ROLE developers RENAME TO dpobj_admin',
	q{COMMENT ON ROLE dpobj_admin IS 'dpobj: members administer privacy budgets, if a superuser granted the membership'},
	'ALTER ROLE dpobj_auditor RENAME TO olddpauditor',
	'ALTER ROLE readers RENAME TO dpobj_auditor'), "\n" x 4, 'PostgreSQL lets hr rename them');
ranks_hold('after the roles were renamed', 'postgres');
is(as_hr('GRANT olddpadmin, olddpauditor TO hr'), '', 'PostgreSQL lets hr grant them to itself');
ranks_hold('after hr granted the roles to itself', 'postgres');
reach_roles($node, 'hr', qw(carol otto)); # and their budgets with them
for my $to (qw(olddpadmin olddpauditor carol otto))
{
	as_hr("GRANT $to TO hr");
	is(as_hr("SET ROLE $to", $ranks =~ s/, \(.*//r), "\nf|f", "SET ROLE $to gives hr nothing");
	like(as_hr("SET ROLE $to", $set), qr/ERROR:  42501: permission denied/, "and as $to hr sets no budget");
}
as_hr('REVOKE olddpadmin, olddpauditor FROM hr');
$node->safe_psql('postgres', 'REVOKE carol, otto FROM hr CASCADE');

# ---- the setting by which they are known ----

for my $statement ('ALTER ROLE dpobj_admin SET dpobj.role = admin', 'ALTER ROLE hr SET dpobj.role = admin',
	'ALTER ROLE hr IN DATABASE postgres SET dpobj.role = admin', 'ALTER ROLE olddpadmin RESET dpobj.role', 'SET dpobj.role = admin')
{
	like(as_hr($statement), qr/^ERROR:  42501: permission denied to set parameter "dpobj.role"/, "refused: $statement");
}
is(as_hr('ALTER ROLE olddpadmin RESET ALL'), '', 'RESET ALL is not refused');
ranks_hold('after RESET ALL', 'postgres');

# ---- other databases ----

$node->safe_psql('postgres', 'CREATE DATABASE second');
$node->safe_psql('second', q{CREATE EXTENSION dpobj; CREATE TABLE patient (a int, y boolean);
  SELECT dpobj.protect('patient', '{"a": {"bins": [2]}, "y": {}}'), dpobj.set_budget('patient', 'carol', 10, 0)});
ranks_hold('in a database where the extension was created later', 'second');
copy_by_dump($node, 'postgres', 'restored', 'plain');
ranks_hold('in a restored database', 'restored');

# The roles and a database, on another server.
my $file = PostgreSQL::Test::Utils::tempdir() . '/all';
$node->command_ok([ 'pg_dumpall', '--no-tablespaces', '--database', $node->connstr('postgres'), '-f', $file ], 'pg_dumpall');
my $other = dpobj_cluster('other', 'dpobj.release_tick = 0', 'fsync = off');
$other->safe_psql('postgres', 'DROP EXTENSION dpobj CASCADE; DROP TABLE quick, slow, slower; DROP ROLE dpobj_admin, dpobj_auditor');
$other->command_ok([ 'psql', '-Xq', '-d', $other->connstr('template1'), '-f', $file ], 'the dump is restored on another server');
is($other->safe_psql('second', q{SELECT string_agg(setrole::regrole || ' ' || array_to_string(setconfig, ','), ', ' ORDER BY setconfig) FROM pg_db_role_setting}),
	'olddpadmin dpobj.role=admin, olddpauditor dpobj.role=auditor', 'there the roles have other names, too');
{
	my $here = $node;
	$node = $other;
	ranks_hold('on another server', $_) for qw(postgres second);
	$node = $here;
}
$other->stop;

# ---- put back, dropped and made again ----

as_hr('ALTER ROLE dpobj_admin RENAME TO developers', 'ALTER ROLE olddpadmin RENAME TO dpobj_admin',
	'ALTER ROLE dpobj_auditor RENAME TO readers', 'ALTER ROLE olddpauditor RENAME TO dpobj_auditor');
ranks_hold('after the names were put back', 'postgres');

# No privilege holds the role of auditors.
is(as_hr('DROP ROLE dpobj_auditor', 'ALTER ROLE readers RENAME TO dpobj_auditor'), "\n", 'PostgreSQL lets hr drop a role');
is(in_session($node, 'dev', $ranks), 'f|f|0', 'the next role of that name sees no more');
is(in_session($node, 'carol', $ranks), 't|f|1', 'administrators stay');

finish($node);
