# DpobjTest.pm - what the TAP tests share: a cluster with dpobj, sessions that run in the
# background, the processes behind them, and the ledger's invariant.
#
# Each cluster has its own copy of the installed files, so that a test may break its solver, and
# every solver of the cluster is known by its path.
#
# `use DpobjTest;` also imports strict, warnings, Test::More, PostgreSQL's test modules, and sleep
# and time in fractions of a second.

package DpobjTest;

use strict;
use warnings;

use Exporter ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test2::API;
use Test::More;
use Time::HiRes qw(sleep time);

use DpobjSession;

our @EXPORT = qw(
  dpobj_cluster standby_of programs_of login_roles reach_roles scan_functions finish point_table hard_table copy_by_dump seeded one_of scramble
  session in_session under parallel train scalar_of refused is_answered
  refused_to_connect spends race_for_cap last_charge ticks_since settle
  wait_until wait_for_server waits_for_lock children descriptors runs kill_server break_first_page
  solver_of solver_path deaf_solver hide_solver restore_solver without_solver with_failing_solver
  solvers solvers_and_backends
  QUICK SLOW FORCE_PARALLEL
);

sub import
{
	strict->import;
	warnings->import;
	local $Exporter::ExportLevel = 1;
	Exporter::import($_) for qw(Test::More PostgreSQL::Test::Utils DpobjTest);
	Time::HiRes->export_to_level(1, undef, qw(sleep time));
	return;
}

# scripts/faults.sh needs to see only the first failure.
Test2::API::test2_add_callback_context_release(
	sub {
		my $hub = $_[0]->hub;
		exit 1 unless $hub->is_passing || $hub->isa('Test2::Hub::Subtest');
	}) if $ENV{DPOBJ_FIRST_FAILURE};

# A solve of milliseconds, and one of several seconds: permute-and-flip over 3^15 vectors of numbers,
# which are in table slower; other mechanisms have those of slow.
use constant QUICK => 'quick';
use constant SLOW => 'slow';

# The setting that makes a parallel worker run the whole plan.
use constant FORCE_PARALLEL => `pg_config --version` =~ /^PostgreSQL 1[45]/ ? 'force_parallel_mode' : 'debug_parallel_query';

my $library_folder = `pg_config --pkglibdir`;
my $share_folder = `pg_config --sharedir`;
chomp($library_folder, $share_folder);

my $tables = <<'SQL';
CREATE EXTENSION dpobj;
CREATE TABLE quick AS
  SELECT i AS id, ARRAY[i % 2, i % 3 - 1]::float8[] AS features, i % 2 = 1 AS label
  FROM generate_series(1, 60) i;
CREATE TABLE slow AS
  SELECT i AS id, array_agg((hashint4(100 * i + j) >> 3 & 1)::float8 ORDER BY j) AS features,
         hashint4(7 * i) & 1 = 1 AS label
  FROM generate_series(1, 400) i, generate_series(1, 15) j
  GROUP BY i;
CREATE TABLE slower AS
  SELECT i AS id, array_agg((hashint4(100 * i + j) >> 3 & 255) / 256.0::float8 ORDER BY j) AS features,
         hashint4(7 * i) & 1 = 1 AS label
  FROM generate_series(1, 1000) i, generate_series(1, 15) j
  GROUP BY i;
SQL

# ---- clusters ----------------------------------------------------------------

# The guides show times of GMT, which is pg_cron's zone; initdb takes the machine's.
sub _settings
{
	my ($node) = @_;
	my $destination = $node->{dpobj_destination};
	my $extensions = "extension_destdir = '$destination'"; # Debian's own setting
	$extensions = "extension_control_path = '$destination$share_folder:\$system'" if $node->pg_version >= 18;
	return <<"CONF";
$extensions
dynamic_library_path = '$destination$library_folder:\$libdir'
shared_preload_libraries = 'dpobj'
max_prepared_transactions = 5
max_worker_processes = 16
timezone = 'UTC'
restart_after_crash = on
autovacuum = off
log_statement = none
dpobj.solver_threads = 1
dpobj.machine_pace = 1
CONF
}

# A running cluster with the extension and the tables quick and slow.
sub dpobj_cluster
{
	my ($name, @settings) = @_;
	my $destination = PostgreSQL::Test::Utils::tempdir('dest');
	my $node = PostgreSQL::Test::Cluster->new($name);

	system_or_bail('cp', '-r', "$ENV{PGXS_DEST}/.", $destination);
	$node->{dpobj_destination} = $destination;
	$node->init(extra => [ '-E', 'UTF8', '--locale=C' ], allows_streaming => 1);
	$node->append_conf('postgresql.conf', _settings($node));
	$node->append_conf('postgresql.conf', $_) for @settings;
	$node->start;
	$node->safe_psql('postgres', $tables);
	return $node;
}

# A streaming standby that has replayed all that the node has written.
sub standby_of
{
	my ($node, $name) = @_;
	my $standby = PostgreSQL::Test::Cluster->new($name);
	$node->backup($name);
	$standby->init_from_backup($node, $name, has_streaming => 1);
	$standby->start;
	$node->wait_for_catchup($standby);
	return $standby;
}

# The end of a test: no solver is left, no process of the server crashed by itself.
sub finish
{
	my ($node) = @_;
	ok(wait_until(10, sub { !solvers($node) }), 'no solver is left');
	unlike(slurp_file($node->logfile), qr/PANIC|TRAP|\(PID \d+\) was terminated by signal (?!9\b)/,
		'no process of the server crashed by itself');
	$node->stop;
	done_testing();
	return;
}

# PostgreSQL's programs for pg_upgrade, which looks for dpobj in $libdir. Since PostgreSQL 18 no setting leads from there to the
# cluster's copy, so they get a $libdir that has it.
sub programs_of
{
	my ($node) = @_;
	chomp(my $programs = `pg_config --bindir`);
	return $programs if $node->pg_version < 18;
	my $joined = PostgreSQL::Test::Utils::tempdir('joined');
	system_or_bail('cp', '-r', '--parents', $programs, $joined);
	system_or_bail('cp', '-rs', '--parents', $library_folder, $share_folder, $joined);
	system_or_bail('cp', '-rsT', $node->{dpobj_destination}, $joined);
	return "$joined$programs";
}

# What a scan reads (tests/scan), as functions of that database.
sub scan_functions
{
	my ($node) = @_;
	$node->safe_psql('postgres', '\i tests/scan/functions.sql');
	return;
}

# Since PostgreSQL 16 a role with CREATEROLE reaches only the roles that it has the ADMIN option on: it gets no more of them.
sub reach_roles
{
	my ($node, $maker, @roles) = @_;
	my $roles = join ', ', @roles;
	$node->safe_psql('postgres', "GRANT $roles TO $maker WITH ADMIN TRUE, INHERIT FALSE, SET FALSE") if $node->pg_version >= 16;
	return;
}

sub login_roles
{
	my ($node, @names) = @_;
	$node->safe_psql('postgres', join '', map { "CREATE ROLE $_ LOGIN;" } @names);
	return;
}

# All 3^6 ternary vectors, for which {1,-1,1,0,-1,1} is the only optimum.
sub point_table
{
	my ($node) = @_;
	$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION ternary(i int) RETURNS float8[] LANGUAGE sql IMMUTABLE
  AS 'SELECT array_agg((i / (3 ^ j)::int % 3 - 1)::float8 ORDER BY j) FROM generate_series(0, 5) j';
CREATE TABLE point AS
  SELECT i AS id, i % 7 AS week, f AS features, f[1] - f[2] + f[3] - f[5] + f[6] > 0 AS label,
         f[1] AS f1, f[2] AS f2, f[3] AS f3, f[4] AS f4, f[5] AS f5, f[6] AS f6
  FROM (SELECT i, ternary(i) FROM generate_series(0, 728) i) AS p(i, f);
SQL
	return;
}

# A protected table for dpobj.train: permute-and-flip over its 3^15 vectors takes seconds.
sub hard_table
{
	my ($node, $database) = @_;
	$node->safe_psql($database // 'postgres', <<'SQL');
CREATE TABLE hard AS SELECT hashint4(7 * i) & 1 = 1 AS ill FROM generate_series(1, 4000) i;
DO $$
BEGIN
  FOR j IN 1..15 LOOP
    EXECUTE format('ALTER TABLE hard ADD c%s real NOT NULL DEFAULT random()', j);
  END LOOP;
END $$;
SELECT dpobj.protect('hard', (SELECT jsonb_object_agg(attname, CASE attname WHEN 'ill' THEN '{}' ELSE '{"scale": 1}' END::jsonb) FROM pg_attribute
                              WHERE attrelid = 'hard'::regclass AND attnum > 0));
SQL
	return;
}

# Makes a database from a dump of another; format is plain or custom.
sub copy_by_dump
{
	my ($node, $from, $to, $format) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
	$node->safe_psql('postgres', qq{CREATE DATABASE "$to"});
	$node->command_ok([ 'pg_dump', '-F', $format, '-f', $file, $node->connstr($from) ], "pg_dump of $from, $format");
	$node->command_ok(
		$format eq 'plain'
		? [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($to), '-f', $file ]
		: [ 'pg_restore', '--exit-on-error', '-d', $node->connstr($to), $file ],
		"the dump is restored as $to");
	return;
}

# SQL after which random() returns numbers that follow from srand().
sub seeded
{
	my ($sql) = @_;
	return sprintf('SET seed = %.9f; %s', rand, $sql);
}

# SQL that picks one of these values at random.
sub one_of
{
	my (@values) = @_;
	my $list = join ', ', @values;
	return "(ARRAY[$list])[1 + floor(random() * " . scalar(@values) . ")::int]";
}

# SQL that makes ana's model of that name with other weights, as a value in a table.
sub scramble
{
	my ($name, $weight) = @_;
	return seeded(<<"SQL");
CREATE TABLE "scrambled $name" AS SELECT ROW((model).kind, 'x', ARRAY(SELECT $weight FROM unnest((model).weights) w), 1, 0, 'replace',
  'exact', 1, (model).details)::dp_model AS model FROM dpobj.models WHERE name = '$name' AND owner = 'ana'
SQL
}

sub session
{
	my ($node, %how) = @_;
	return DpobjSession->new($node, %how);
}

# Settings under which the planner prefers parallel plans with so many workers.
sub parallel
{
	my ($workers) = @_;
	return (
		"SET max_parallel_workers_per_gather = $workers",
		'SET min_parallel_table_scan_size = 0',
		'SET min_parallel_index_scan_size = 0',
		'SET parallel_setup_cost = 0',
		'SET parallel_tuple_cost = 0');
}

# The statement of a release, which answers its ledger id or another expression over the model.
# options are the members of the JSON object.
sub train
{
	my ($table, %how) = @_;
	my $epsilon = $how{epsilon} // '0.5';
	my @members = grep { $_ } $how{options};
	push @members, '"grid": "ternary"' if ($how{what} // '') eq 'weights' && "@members" !~ /"grid"/;
	if ($table eq SLOW && "@members" !~ /"mechanism"/)
	{
		push @members, '"mechanism": "permute_flip"';
		$table = 'slower';
	}
	my $options = @members ? ", '{" . join(', ', @members) . "}'" : '';
	my $what = $how{what} // 'release';
	my $where = $how{where} ? " WHERE $how{where}" : '';
	return "SELECT (dp_halfspace(features, label, $epsilon, 0$options)).$what FROM $table$where";
}

sub scalar_of
{
	my ($node, $query) = @_;
	return $node->safe_psql('postgres', $query);
}

# ---- the ledger --------------------------------------------------------------

# Waits until the condition holds; false if it does not within so many seconds.
sub wait_until
{
	my ($seconds, $condition) = @_;
	my $end = time() + DpobjSession::PATIENCE * $seconds;
	until ($condition->())
	{
		return 0 if time() > $end;
		DpobjSession::read_running();
		sleep(0.002);
	}
	return 1;
}

# The output, errors included, of statements in one session: of a role, or with the options of session().
sub in_session
{
	my ($node, $how, @statements) = @_;
	my $session = session($node, ref $how ? %$how : (user => $how));
	return join "\n", map { $session->ask($_) } @statements;
}

# Is the role refused a connection with this setting, which is a superuser's?
sub refused_to_connect
{
	my ($node, $user, $setting) = @_;
	local $ENV{PGOPTIONS} = "-c $setting";
	return command_fails_like([ 'psql', '-Xc', 'SELECT 1', '-d', $node->connstr('postgres') . " user=$user" ],
		qr/FATAL:  permission denied to set parameter/, "$user may not connect with $setting");
}

# What a statement answers in a session with these settings.
sub under
{
	my ($node, $statement, @settings) = @_;
	return session($node, set => \@settings)->ask($statement);
}

# Is the output the ledger id of a release?
sub is_answered
{
	my ($text, $name) = @_;
	return like($text, qr/^\d+$/m, $name);
}

# Is the output an error of that SQLSTATE, and no answer?
sub refused
{
	my ($name, $state, $text) = @_;
	like($text, qr/^ERROR:  $state: /m, "$name: $state");
	unlike($text, qr/^\d+$/m, "$name: no answer");
	return;
}

sub wait_for_server
{
	my ($node) = @_;
	return wait_until(
		30,
		sub {
			# psql may find the server gone before it has read its input
			my ($rc) = eval { $node->psql('postgres', 'SELECT 1', timeout => 10) };
			return defined $rc && $rc == 0;
		});
}

# Waits until a backend waits for a lock.
sub waits_for_lock
{
	my ($node, $pid) = @_;
	return wait_until(20, sub { scalar_of($node, "SELECT count(*) FROM pg_locks WHERE pid = $pid AND NOT granted") });
}

# Waits until no charge worker is left.
sub settle
{
	my ($node) = @_;
	wait_for_server($node);
	$node->poll_query_until('postgres',
		"SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dpobj charge'"
		  . " OR backend_type = 'dpobj writer' AND state = 'active'")
	  or die 'a charge worker does not end';
}

my $new_events = <<'SQL';
SELECT coalesce(trim_scale(sum(epsilon)), 0),
       count(*) FILTER (WHERE event = 'charged'),
       count(*) FILTER (WHERE event = 'released'),
       count(*) FILTER (WHERE event = 'failed')
FROM dpobj.ledger WHERE id > %d
SQL

# Every end has a charge, no charge has two ends, and no cost is negative or missing.
my $broken_events = <<'SQL';
SELECT count(*)
FROM dpobj.ledger_events e
WHERE e.event IN ('released', 'failed')
      AND (SELECT count(*) FROM dpobj.ledger_events c
           WHERE c.event = 'charged' AND c.id = e.release AND c.id < e.id
                 AND c.epsilon_nano > 0) <> 1
   OR e.event = 'charged'
      AND (SELECT count(*) FROM dpobj.ledger_events c WHERE c.release = e.id) > 1
SQL

# Runs the block and checks what it cost: $expected has epsilon and the numbers of charged, released
# and failed events that the block must leave in the ledger.  Where a race decides, a number is a
# pair [least, most].  Without a number of failed events, each charge that is not released may have
# one; with ended, each must have one.
sub spends
{
	my ($node, $name, $expected, $block) = @_;
	settle($node);
	my $last = scalar_of($node, 'SELECT coalesce(max(id), 0) FROM dpobj.ledger_events');
	$block->();
	settle($node);

	my %found;
	@found{qw(epsilon charged released failed)} = split /\|/,
	  scalar_of($node, sprintf($new_events, $last));
	subtest "ledger: $name" => sub {
		for my $what (qw(epsilon charged released failed))
		{
			my $unreleased = $found{charged} - $found{released};
			my $range = $expected->{$what} // ($what eq 'failed' ? [ $expected->{ended} ? $unreleased : 0, $unreleased ] : 0);
			my ($least, $most) = ref $range ? @$range : ($range, $range);
			ok($least <= $found{$what} && $found{$what} <= $most,
				"$what: $found{$what}" . (ref $range ? " in $least .. $most" : " = $least"));
		}
		cmp_ok($found{released}, '<=', $found{charged}, 'released <= charged');
		is(scalar_of($node, $broken_events), '0', 'every end has its charge');
	};
	return;
}

# Columns of the latest charge.
sub last_charge
{
	my ($node, $columns) = @_;
	return scalar_of($node, "SELECT $columns FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1");
}

# Since the event $last: do ticks of a second lie between each charge and its release, and how many are there?
sub ticks_since
{
	my ($node, $last) = @_;
	return scalar_of($node, <<"SQL");
SELECT bool_and(r.at - c.at BETWEEN interval '1 s' AND interval '1.9 s'), count(*)
FROM dpobj.ledger_events c JOIN dpobj.ledger_events r ON r.release = c.id WHERE c.id > $last
SQL
}

# Twenty sessions race for a cap of 100 at a cost of 7, so exactly 14 are answered.  The cap is a budget
# of all roles, or the owner's limit.  Returns the name of the table, which is new.
sub race_for_cap
{
	my ($node, $level, $limit) = @_;
	my $table = 'race_' . lc($level =~ s/ /_/gr) . ($limit ? '_limited' : '');
	my ($cap, $what) = $limit ? ("limit_budget('$table'", "owner's limit") : ("set_budget('$table', NULL", 'budget of all roles');
	scalar_of($node, "CREATE TABLE $table AS TABLE quick; SELECT dpobj.$cap, 100, 0)");
	spends(
		$node,
		"20 sessions race at $level",
		{ epsilon => 98, charged => 14, released => 14 },
		sub {
			my @sessions = map { session($node) } 1 .. 20;
			$_->ask("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM $table") for @sessions;
			$_->send(train($table, epsilon => '7.0')) for @sessions;
			my @texts = map { $_->result } @sessions;
			$_->ask('ROLLBACK') for @sessions;
			$_->quit for @sessions;
			is(scalar(grep { /^\d+$/ } @texts), 14, 'exactly 14 are answered');
			is(scalar(grep { /^ERROR:  UB001: privacy budget exhausted$/m } @texts), 6, '6 are refused');
			is( scalar(grep {
						/^DETAIL:  The $what on table public\.$table has epsilon: 98 spent, 7 asked, 2 left of 100\.$/m
				} @texts),
				6, 'and told what is left');
		});
	return $table;
}

# ---- processes ---------------------------------------------------------------

# The pid, parent, state and command of every process of the machine.
sub _processes
{
	my @found;
	for my $file (glob '/proc/[0-9]*/stat')
	{
		open my $stat, '<', $file or next;
		my $line = <$stat>;
		close $stat;
		push @found, [ $1, $4, $3, $2 ]
		  if defined $line && $line =~ /^(\d+) \((.*)\) (\S) (\d+)/s;
	}
	return @found;
}

sub children
{
	my ($pid) = @_;
	return map { $_->[0] } grep { $_->[1] == $pid } _processes();
}

# Kills the postmaster and starts the server again; the block, if any, looks at what is left.
sub kill_server
{
	my ($node, $look) = @_;
	my @server = ($node->{_pid}, children($node->{_pid}));
	$node->kill9;
	$look->() if $look;
	ok(wait_until(20, sub { !grep { runs($_) } @server }), 'no backend outlives the postmaster');

	# A postmaster that nobody has reaped yet looks alive to its successor.
	unless (wait_until(5, sub { !-e "/proc/$server[0]" }))
	{
		unlink $node->data_dir . '/postmaster.pid', $node->host . '/.s.PGSQL.' . $node->port . '.lock';
	}
	$node->start;
	return;
}

# Overwrites the first page of a table while the server is stopped.
sub break_first_page
{
	my ($node, $table) = @_;
	my $file = $node->data_dir . '/' . scalar_of($node, "SELECT pg_relation_filepath('$table')");
	$node->stop;
	open my $page, '+<:raw', $file or die "open $file: $!";
	print $page "\xff" x 100 or die;
	close $page or die;
	$node->start;
	return;
}

# The installed solver of this cluster.
sub solver_path
{
	my ($node) = @_;
	my ($path) = glob "$node->{dpobj_destination}$library_folder/dpobj-solver-*";
	return $path;
}

# Moves the solver out of the way; its path.
sub hide_solver
{
	my ($node) = @_;
	my $solver = solver_path($node);
	rename $solver, "$solver.kept" or die "cannot rename $solver: $!";
	return $solver;
}

sub restore_solver
{
	my ($node) = @_;
	my ($kept) = glob "$node->{dpobj_destination}$library_folder/dpobj-solver-*.kept";
	rename $kept, $kept =~ s/\.kept$//r or die "cannot rename $kept: $!";
	return;
}

# Runs the block while the solver is missing.
sub without_solver
{
	my ($node, $block) = @_;
	hide_solver($node);
	$block->();
	restore_solver($node);
	return;
}

# Runs the block while the solver ends without an answer.
sub with_failing_solver
{
	my ($node, $block) = @_;
	my $solver = hide_solver($node);
	append_to_file($solver, "#!/bin/sh\nexit 1\n");
	chmod 0755, $solver;
	$block->();
	unlink $solver;
	restore_solver($node);
	return;
}

# Puts a script in the solver's place that reads and answers nothing.
sub deaf_solver
{
	my ($node) = @_;
	my $solver = hide_solver($node);
	append_to_file($solver, "#!/bin/sh\nexec sleep 60\n");
	chmod 0755, $solver;
	return;
}

# Does the process run this cluster's solver, or a script in its place?
sub _is_solver
{
	my ($node, $pid) = @_;
	open my $file, '<', "/proc/$pid/cmdline" or return 0;
	local $/;
	my ($program, @arguments) = split /\0/, <$file> // '';
	return !!grep { defined && m{^\Q$node->{dpobj_destination}\E/.*/dpobj-solver-} }
	  $program, $arguments[0];
}

# The solvers of this cluster, also those whose parent has died.
sub solvers
{
	my ($node) = @_;
	return grep { _is_solver($node, $_) } map { $_->[0] } _processes();
}

# Pairs of a solver of this cluster and its parent.
sub solvers_and_backends
{
	my ($node) = @_;
	return map { [ $_->[0], $_->[1] ] } grep { _is_solver($node, $_->[0]) } _processes();
}

# Waits for the solver of a backend, and returns its process id.
sub solver_of
{
	my ($node, $session) = @_;
	my $solver;
	wait_until(30, sub { ($solver) = grep { _is_solver($node, $_) } children($session->pid) })
	  or die 'no solver was started';
	return $solver;
}

# Does the process run?  A zombie does not.
sub runs
{
	my ($pid) = @_;
	return !!grep { $_->[0] == $pid && $_->[2] ne 'Z' } _processes();
}

# What a session's backend has open, sorted and without numbers.  Files of the cluster are left out,
# because PostgreSQL keeps or closes them as it likes.
sub descriptors
{
	my ($node, $session) = @_;
	my $files = $node->data_dir;
	my @targets = grep { !m{^\Q$files\E/} }
	  map { readlink($_) // () } glob '/proc/' . $session->pid . '/fd/*';
	return sort map { s/:\[\d+\]//r } @targets;
}

1;
