# reused_oid.pl - a role that gets the OID of a dropped one gets nothing of what that one had: no
# budget, schedule, share, job or ledger entry. A role with the old name gets no budget, and a new
# one counts what was spent.

use DpobjTest;

my $node = dpobj_cluster('reused', 'dpobj.release_tick = 0', 'fsync = off');
login_roles($node, qw(ana bob));
my $table = <<'SQL';
CREATE TABLE patient AS SELECT i % 5 AS a, i % 2 = 0 AS y FROM generate_series(1, 100) i;
SELECT dpobj.protect('patient', '{"a": {"bins": [2]}, "y": {}}', n => 100), dpobj.set_budget('patient', 'ana', 10, 0), dpobj.set_budget('patient', 'bob', 10, 0);
SQL
$node->safe_psql('postgres', $table);
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', "CREATE EXTENSION dpobj; $table");

sub oid_of { return scalar_of($node, "SELECT oid FROM pg_roles WHERE rolname = '$_[0]'") }

# A new role with the OID of a dropped one.
sub login_role_with
{
	my ($name, $oid) = @_;
	$node->safe_psql('postgres', "CREATE ROLE $name LOGIN; SET allow_system_table_mods = on; UPDATE pg_authid SET oid = $oid WHERE rolname = '$name'");
	is(oid_of($name), $oid, "$name has the OID");
	return;
}

my $count = q{SELECT value IS NOT NULL FROM dpobj.count('patient', 0.5)};
my $seen = q{SELECT (SELECT count(*) FROM dpobj.ledger), (SELECT count(*) FROM dpobj.budgets), (SELECT count(*) FROM dpobj.models),
  (SELECT count(*) FROM dpobj.schedules), (SELECT count(*) FROM dpobj.jobs), (SELECT count(*) FROM dpobj.remaining('patient'))};

is(in_session($node, 'ana', $count, q{SELECT dpobj.submit('train', 'patient', '{"label": "y", "epsilon": 0.5}', 'hers')}), "t\n1", 'ana releases');
ok(wait_until(60, sub { in_session($node, 'ana', 'SELECT count(*) FROM dpobj.models') eq '1' }), 'ana has a model of a job');
is(in_session($node, 'bob', "SELECT (dpobj.train('patient', 'y', 0.5, name => 'his')).kind", "SELECT dpobj.share('his', 'ana')",
	q{SELECT dpobj.verify(model) FROM dpobj.models}), "logistic\n\nt", 'bob shares a model with her');
# dpobj.schedule needs pg_cron.
$node->safe_psql('postgres', q{INSERT INTO dpobj.schedule_rows (owner, owner_name, name, cron, call, relation, arguments, epsilon)
  SELECT 'ana'::regrole, 'ana', 'weekly', '0 4 * * 1', 'train', id, '{"label": "y", "epsilon": 0.5}', 0.5 FROM dpobj.identity_tables WHERE relation = 'patient'::regclass});
is(in_session($node, 'ana', $seen), '4|1|2|1|1|1', 'what ana sees');
is(in_session($node, { user => 'ana', database => 'other' }, $count), 't', 'ana releases in another database');

# ---- verify ----

my $his = scalar_of($node, q{SELECT model::jsonb FROM dpobj.models WHERE name = 'his'});
my $verify = "SELECT dpobj.verify('$his'::jsonb::dp_model)";
my $tampered = $verify =~ s/"weights": \[/"weights": [7, /r;
login_roles($node, 'eve');
is(in_session($node, 'bob', $verify, $tampered), "t\nf", 'the owner verifies');
is(in_session($node, 'ana', $verify, $tampered), "t\nf", 'so does a role that the model is shared with');
is(in_session($node, 'eve', "SELECT coalesce((dpobj.verify('$his'::jsonb::dp_model))::text, 'null')"), 'null', 'others get no answer');
is(in_session($node, 'eve', $tampered =~ s/SELECT (.*)/SELECT coalesce(($1)::text, 'null')/r), 'null', 'to no guess');

# ---- the OID ----

my $oid = oid_of('ana');
is(in_session($node, 'postgres', 'BEGIN', 'DROP ROLE ana', 'ROLLBACK') =~ s/^\s+$//r, '', 'a drop that is rolled back');
is(in_session($node, 'ana', $seen), '4|1|2|1|1|1', 'changes nothing');
$node->safe_psql('postgres', 'DROP ROLE ana');
is(scalar_of($node, q{SELECT count(*) FROM dpobj.budgets WHERE role_name = 'ana'}), '0', 'DROP ROLE drops her budget');
login_role_with('noah', $oid);
is(in_session($node, 'noah', $seen), '0|0|0|0|0|0', 'noah sees nothing of hers');
refused('noah has no budget', 'UB002', in_session($node, 'noah', $count));
is(in_session($node, 'noah', $seen), '0|0|0|0|0|0', 'nor after a charge was refused');
is(scalar_of($node, q{SELECT count(*) FROM dpobj.ledger WHERE event = 'charged' AND role = 'ana'}), '2', 'the ledger keeps what she spent');

# The worker of another database meets the new role.
$node->safe_psql('postgres', 'DROP ROLE noah');
$node->safe_psql('postgres', 'CREATE ROLE passer LOGIN');
$node->safe_psql('other', q{SELECT dpobj.set_budget('patient', 'passer', 1, 0)});
login_role_with('noah', $oid);
refused('noah has no budget there', 'UB002', in_session($node, { user => 'noah', database => 'other' }, $count));
is($node->safe_psql('other', q{SELECT count(*) FROM dpobj.budgets WHERE role_name IN ('ana', 'noah')}), '0', 'her budget there is gone, too');

# ---- the name ----

login_roles($node, 'ana');
refused('a new ana has no budget', 'UB002', in_session($node, 'ana', $count));
$node->safe_psql('postgres', q{SELECT dpobj.set_budget('patient', 'ana', 10, 0)});
is(in_session($node, 'ana', q{SELECT epsilon FROM dpobj.remaining('patient')}), '9', 'a new budget begins with what ana spent');

# ---- renames ----

$node->safe_psql('postgres', 'ALTER ROLE bob RENAME TO robert');
is(in_session($node, 'robert', $count, q{SELECT epsilon FROM dpobj.remaining('patient')}), "t\n9", 'a renamed role keeps its budget and what it spent');

finish($node);
