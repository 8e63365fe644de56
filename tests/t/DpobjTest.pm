# DpobjTest.pm - what the hostile tests share: a cluster with dpobj, sessions that
# run in the background, the processes behind them, and the ledger's invariant.
#
# Each cluster gets a copy of the installed files of its own: a test may break
# the solver in it, and every solver of the cluster is known by its path.

package DpobjTest;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test2::API;
use Test::More;
use Time::HiRes qw(sleep time);

use DpobjSession;

our @EXPORT = qw(
  dpobj_cluster hard_table session in_session train scalar_of refused spends race_for_cap settle
  wait_until wait_for_server children descriptors runs solver_of solver_path deaf_solver
  solvers solvers_and_backends
  QUICK SLOW
);

# Of a fault it is enough to see that something fails (scripts/faults.sh).
Test2::API::test2_add_callback_context_release(
	sub {
		my $hub = $_[0]->hub;
		exit 1 unless $hub->is_passing || $hub->isa('Test2::Hub::Subtest');
	}) if $ENV{DPOBJ_FIRST_FAILURE};

# A solve of milliseconds, and one of several seconds: permute-and-flip over 3^15 vectors.
use constant QUICK => 'quick';
use constant SLOW => 'slow';

my $library_folder = `pg_config --pkglibdir`;
chomp $library_folder;

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
SQL

# ---- clusters ----------------------------------------------------------------

# Jobs and schedules need the preloaded library; a test of what happens without it empties the setting.
# The guides show times of GMT, which is pg_cron's zone; initdb takes the machine's.
sub _settings
{
	my ($destination) = @_;
	return <<"CONF";
extension_destdir = '$destination'
dynamic_library_path = '$destination$library_folder:\$libdir'
shared_preload_libraries = 'dpobj'
max_prepared_transactions = 5
max_worker_processes = 16
timezone = 'UTC'
restart_after_crash = on
autovacuum = off
log_statement = none
dpobj.solver_threads = 1
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
	$node->append_conf('postgresql.conf', _settings($destination));
	$node->append_conf('postgresql.conf', $_) for @settings;
	$node->start;
	$node->safe_psql('postgres', $tables);
	return $node;
}

# For the analyst's door: protected, and permute-and-flip over its 3^15 vectors takes seconds.
sub hard_table
{
	my ($node, $database) = @_;
	$node->safe_psql($database // 'postgres', <<'SQL');
CREATE TABLE hard AS SELECT hashint4(7 * i) & 1 = 1 AS ill FROM generate_series(1, 400) i;
DO $$
BEGIN
  FOR j IN 1..15 LOOP
    EXECUTE format('ALTER TABLE hard ADD c%s boolean NOT NULL DEFAULT random() < 0.5', j);
  END LOOP;
END $$;
SELECT dpobj.protect('hard', (SELECT jsonb_object_agg(attname, '{}'::jsonb) FROM pg_attribute
                              WHERE attrelid = 'hard'::regclass AND attnum > 0));
SQL
	return;
}

sub session
{
	my ($node, %how) = @_;
	return DpobjSession->new($node, %how);
}

# SELECT of a release: its ledger id, or another expression over the model.
# options are the members of the JSON object.
sub train
{
	my ($table, %how) = @_;
	my $epsilon = $how{epsilon} // '0.5';
	my @members = grep { $_ } $how{options};
	push @members, '"mechanism": "permute_flip"' if $table eq SLOW && "@members" !~ /"mechanism"/;
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

# True once the condition holds, false after the given seconds.
sub wait_until
{
	my ($seconds, $condition) = @_;
	my $end = time() + $seconds;
	until ($condition->())
	{
		return 0 if time() > $end;
		sleep(0.002);
	}
	return 1;
}

# Runs statements in one session, as a role if one is named; the output with its errors.
sub in_session
{
	my ($node, $user, @statements) = @_;
	my $session = session($node, defined $user ? (user => $user) : ());
	my $text = join "\n", map { $session->ask($_) } @statements;
	$session->quit;
	return $text;
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

# Waits for the charge workers that nobody waits for any more.
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

# An end has a charge, one charge has one end, and no cost is negative or missing.
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

# Runs the block and checks what it cost: $expected has epsilon and the numbers
# of charged, released and failed events that it must leave in the ledger.  A
# number may be a pair [least, most], where a race decides.
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
			my $range = $expected->{$what} // 0;
			my ($least, $most) = ref $range ? @$range : ($range, $range);
			ok($least <= $found{$what} && $found{$what} <= $most,
				"$what: $found{$what}" . (ref $range ? " in $least .. $most" : " = $least"));
		}
		cmp_ok($found{released}, '<=', $found{charged}, 'released <= charged');
		is(scalar_of($node, $broken_events), '0', 'every end has its charge');
	};
	return;
}

# Twenty sessions race for a cap of 100 at cost 7, a budget over all roles or a limit of the owner's:
# exactly 14 get through.  The table, a new one.
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

# [pid, parent, state, command] of every process of the machine.
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

# The installed solver of this cluster.
sub solver_path
{
	my ($node) = @_;
	my ($path) = glob "$node->{dpobj_destination}$library_folder/dpobj-solver-*";
	return $path;
}

# Puts a script in the solver's place that answers nothing; the solver is kept beside it.
sub deaf_solver
{
	my ($solver) = @_;
	rename $solver, "$solver.kept" or die "cannot rename $solver: $!";
	append_to_file($solver, "#!/bin/sh\nexec sleep 60\n");
	chmod 0755, $solver;
	return;
}

# Is the process running this cluster's solver, or a script that stands in for it?
sub _is_solver
{
	my ($node, $pid) = @_;
	open my $file, '<', "/proc/$pid/cmdline" or return 0;
	local $/;
	my ($program, @arguments) = split /\0/, <$file> // '';
	return !!grep { defined && m{^\Q$node->{dpobj_destination}\E/.*/dpobj-solver-} }
	  $program, $arguments[0];
}

# Solvers of this cluster, whoever their parent is now.
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

# The solver of a backend, once it is there and has become the solver.
sub solver_of
{
	my ($node, $session) = @_;
	my $solver;
	wait_until(30, sub { ($solver) = grep { _is_solver($node, $_) } children($session->pid) })
	  or die 'no solver was started';
	return $solver;
}

# A process that still runs: a zombie does not.
sub runs
{
	my ($pid) = @_;
	return !!grep { $_->[0] == $pid && $_->[2] ne 'Z' } _processes();
}

# What a session's backend has open, but for the files of the cluster, which it
# keeps or closes as it likes: sorted, without numbers.
sub descriptors
{
	my ($node, $session) = @_;
	my $files = $node->data_dir;
	my @targets = grep { !m{^\Q$files\E/} }
	  map { readlink($_) // () } glob '/proc/' . $session->pid . '/fd/*';
	return sort map { s/:\[\d+\]//r } @targets;
}

1;
