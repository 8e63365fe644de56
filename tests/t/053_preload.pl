# 053_preload.pl - a server that does not preload dpobj: whatever loads the library is refused, and
# nothing is left behind; the ledger can be dumped, and all goes on when dpobj is preloaded again.

use DpobjTest;

my $node = dpobj_cluster('preload', 'dpobj.release_tick = 0');
my ($scripts) = glob "$node->{dpobj_destination}/usr/share/postgresql/*/extension";
system_or_bail('cp', 'tests/upgrade/dpobj--0.3.0.sql', $scripts);
my $refusal = qr/(?:ERROR|FATAL):  55000: dpobj must be preloaded\nHINT:  Add dpobj to shared_preload_libraries in postgresql\.conf, and restart the server\.$/m;

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient AS SELECT i % 2 = 0 AS ill, i % 3 = 0 AS a FROM generate_series(1, 100) i;
CREATE ROLE ana LOGIN;
SELECT dpobj.protect('patient', '{"ill": {}, "a": {}}');
SELECT dpobj.set_budget('patient', 'ana', 10, 0);
CREATE DATABASE empty;
CREATE DATABASE older;
SQL
$node->safe_psql('older', q{CREATE EXTENSION dpobj VERSION '0.3.0'});
is_answered(in_session($node, 'ana', "SELECT release FROM dpobj.train('patient', 'ill', 0.5, name => 'first')"), 'a release');

# A job that is left in the queue.
$node->safe_psql('postgres', 'ALTER SYSTEM SET dpobj.max_jobs = 0');
$node->reload;
ok(wait_until(10, sub { scalar_of($node, 'SHOW dpobj.max_jobs') eq '0' }), 'no job runs');
my $job = in_session($node, 'ana', q{SELECT dpobj.submit('train', 'patient', '{"label": "ill", "epsilon": 0.5}', 'second')});
$node->safe_psql('postgres', 'ALTER SYSTEM RESET dpobj.max_jobs');

my $objects = q{SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_type),
  (SELECT count(*) FROM pg_namespace), (SELECT count(*) FROM pg_extension), (SELECT count(*) FROM pg_shdepend)};
my $events = 'SELECT count(*), sum(epsilon_nano), max(id) FROM dpobj.ledger_events';
my $spent = scalar_of($node, $events);

# ---- dpobj is not preloaded any more ----

$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
like(in_session($node, undef, $_), $refusal, $_)
  for "LOAD 'dpobj'", 'SELECT * FROM dpobj.jobs', train(QUICK), 'SELECT dpobj_internal.epoch()', "SELECT dpobj.set_budget('patient', 'ana', 11, 0)";
like(in_session($node, 'ana', $_), $refusal, $_)
  for "SELECT release FROM dpobj.train('patient', 'ill', 0.5)", "SELECT release FROM dpobj.train('patient', 'ill', 0.5, name => 'first')",
  "SELECT dpobj.wait($job)", "SELECT dpobj.submit('train', 'patient', '{\"label\": \"ill\", \"epsilon\": 0.5}', 'third')";
my $session = session($node);
like($session->ask("LOAD 'dpobj'"), $refusal, 'the first attempt of a session');
like($session->ask(train(QUICK)), $refusal, 'and the next');
is($session->ask('SELECT 1'), '1', 'the session is alive');
$session->quit;
is(scalar_of($node, $events), $spent, 'nothing was charged');

my $before = $node->safe_psql('empty', $objects);
like(in_session($node, { database => 'empty' }, 'CREATE EXTENSION dpobj'), $refusal, 'CREATE EXTENSION');
is($node->safe_psql('empty', $objects), $before, 'CREATE EXTENSION leaves nothing behind');

# An installation of 0.3.0 that did not preload dpobj.
like(in_session($node, { database => 'older' }, 'ALTER EXTENSION dpobj UPDATE'), $refusal, 'ALTER EXTENSION UPDATE');
is($node->safe_psql('older', q{SELECT extversion FROM pg_extension WHERE extname = 'dpobj'}), '0.3.0', 'the extension is as it was');

# What a session preloads comes too late as well.
command_fails_like([ 'psql', '-Xc', 'SELECT 1', '-d', $node->connstr('postgres') . " options='-c session_preload_libraries=dpobj'" ],
	qr/FATAL:  dpobj must be preloaded/, 'session_preload_libraries');

# ---- what needs no function of dpobj ----

my $dump = PostgreSQL::Test::Utils::tempdir . '/dump.sql';
command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dump');
like(slurp_file($dump), qr/^COPY dpobj\.ledger_events /m, 'the dump has the ledger');
my (undef, undef, $complaints) = $node->psql('empty', "\\set VERBOSITY verbose\n\\i $dump");
like($complaints, $refusal, 'the dump is not restored there');
is($node->safe_psql('empty', 'SELECT count(*) FROM pg_extension WHERE extname = $$dpobj$$'), '0', 'nor anything of the extension');
is(in_session($node, undef, 'BEGIN', 'DROP EXTENSION dpobj CASCADE', 'ROLLBACK') =~ /ERROR/, '', 'DROP EXTENSION');

# ---- a cluster without dpobj: pg_upgrade ----

my $target = PostgreSQL::Test::Cluster->new('target');
$target->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
$target->append_conf('postgresql.conf', DpobjTest::_settings($node));
$target->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$target->start;
$before = $target->safe_psql('postgres', $objects);
like(in_session($target, undef, 'CREATE EXTENSION dpobj'), $refusal, 'CREATE EXTENSION in a new cluster');
is($target->safe_psql('postgres', $objects), $before, 'it leaves nothing behind');
is(scalar_of($target, q{SELECT count(*) FROM pg_roles WHERE rolname LIKE 'dpobj%'}), '0', 'nor a role');
$target->stop;
$node->stop;

sub upgrade
{
	my ($name, @how) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my $binaries = programs_of($node);
	my $output;
	my $passed = IPC::Run::run([ 'pg_upgrade', '-b', $binaries, '-B', $binaries, '-d', $node->data_dir, '-D', $target->data_dir,
			'-s', $node->host, '-p', $node->port, '-P', $target->port, @how ],
		'>&', \$output, init => sub { chdir $folder or die });
	my $reasons = join '', map { slurp_file($_) } glob($target->data_dir . '/pg_upgrade_output.d/*/loadable_libraries.txt');
	return ($passed, "$name: $output$reasons");
}

my ($passed, $says) = upgrade('not preloaded', '--check');
ok(!$passed, 'pg_upgrade --check refuses a new cluster that does not preload dpobj');
like($says, qr/dpobj must be preloaded/, 'it says why');
$target->append_conf('postgresql.conf', "shared_preload_libraries = 'dpobj'");
($passed, $says) = upgrade('preloaded');
ok($passed, 'pg_upgrade of a cluster that has ceased to preload dpobj') or diag($says);
$target->start;
is(scalar_of($target, $events), $spent, 'the new cluster has the ledger');
$target->stop;

# ---- single-user mode, which preloads libraries too ----

sub alone
{
	my ($statement) = @_;
	my $output;
	IPC::Run::run([ 'postgres', '--single', '-D', $node->data_dir, 'postgres' ], '<', \"$statement\n", '>&', \$output);
	return $output;
}
like(alone('SELECT count(*) FROM dpobj.jobs'), qr/ERROR:  dpobj must be preloaded/, 'single-user mode without preloading');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpobj'");
like(alone('SELECT count(*) AS jobs FROM dpobj.jobs'), qr/jobs = "1"/, 'single-user mode');
like(alone($_), qr/ERROR:  cannot write the privacy ledger in single-user mode/, "single-user mode: $_") for train(QUICK), "SELECT dpobj.drop_budget('patient', 'ana')";
unlike(alone('SELECT max(id) FROM dpobj.ledger_events'), qr/PANIC|server process/, 'single-user mode ends well');

# ---- preloaded again ----

$node->start;
ok(wait_until(20, sub { in_session($node, 'ana', "SELECT state FROM dpobj.jobs WHERE id = $job") eq 'released' }), 'the job that was left runs');
spends($node, 'a release', { epsilon => 0.5, charged => 1, released => 1 },
	sub { is_answered(in_session($node, 'ana', "SELECT release FROM dpobj.train('patient', 'ill', 0.5, name => 'fourth')"), 'dpobj.train is answered') });
$node->safe_psql('older', 'ALTER EXTENSION dpobj UPDATE');
is($node->safe_psql('older', q{SELECT extversion FROM pg_extension WHERE extname = 'dpobj'}), scalar_of($node, q{SELECT extversion FROM pg_extension WHERE extname = 'dpobj'}),
	'the older installation is updated');
finish($node);
