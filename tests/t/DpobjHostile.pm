# DpobjHostile.pm - tables of hostile statements: each is refused or charged, and shows no row.
#
#   my $hostile = DpobjHostile->new($node);
#   $hostile->try_all('class', [ name, user, expected, statements ... ], ...);
#
# Expected is one of
#   SQLSTATEs   the statements are refused with these errors, and nothing is charged
#   a number    so many releases of epsilon 0.5 are charged
#   a hash      of epsilon, charged, released, failed and error (SQLSTATEs); what it leaves out is 0
#
# Sessions get all messages (client_min_messages = debug5).  Cases of one user share a session, which
# is reset between them; a reference to options of the connection as the first statement makes a new
# session.
#
# Rows have values that nothing else has (SECRETS); functions and operators of attackers say CAPTURED
# when another role calls them.

package DpobjHostile;

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use DpobjTest;

use constant EPSILON => 0.5;

my $secrets = qr/SECRET|4711471147|CAPTURED/;
my $internal = qr/^(?:ERROR|FATAL|PANIC):  XX\d\d\d: /m;

# A table of 60 rows, one of them with secrets in each column.
my $tables = <<'SQL';
CREATE TABLE visit (id int PRIMARY KEY, a bigint, f float8, n numeric, t text, d date, y boolean, note text);
INSERT INTO visit SELECT i, i, i / 60.0, i, CASE WHEN i % 2 = 0 THEN 'm' ELSE 'f' END, date '2020-01-01' + i, i % 3 = 0, ''
  FROM generate_series(1, 60) i;
UPDATE visit SET a = 471147114711, f = 0.47114711471, n = 471147114711.5, t = 'SECRET-471147114711',
  note = repeat('SECRET', 1000) WHERE id = 47;
CREATE INDEX visit_a ON visit (a);
CREATE STATISTICS visit_t ON a, t FROM visit;
ANALYZE visit;
REVOKE ALL ON visit FROM PUBLIC;
SELECT dpobj.protect('visit', '{"a": {"scale": 60}, "f": {}, "n": {"scale": 60}, "t": {"levels": ["f", "m"]}, "y": {}}');
SQL

sub new
{
	my ($class, $node) = @_;
	$node->safe_psql('postgres', $tables);
	return bless { node => $node, control => session($node), sessions => {}, last => 0, count => 0 }, $class;
}

# Restarts the server with more lines of configuration.
sub restart
{
	my ($self, @settings) = @_;
	$_->quit for $self->{control}, values %{ $self->{sessions} };
	$self->{sessions} = {};
	$self->{node}->append_conf('postgresql.conf', $_) for @settings;
	$self->{node}->restart;
	$self->{control} = session($self->{node});
	return;
}

# The number of cases so far.
sub count { return $_[0]{count}; }

# The last event of the ledger that spent() saw.
sub last_event { return $_[0]{last}; }

sub shows_a_row { return $_[0] =~ $secrets; }

# ---- costs ----

my $new_events = <<'SQL';
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpobj charge'
          OR backend_type = 'dpobj writer' AND state = 'active'),
       coalesce(max(id), 0),
       coalesce(trim_scale(sum(epsilon)), 0),
       count(*) FILTER (WHERE event = 'charged'),
       count(*) FILTER (WHERE event = 'released'),
       count(*) FILTER (WHERE event = 'failed'),
       count(*) FILTER (WHERE event NOT IN ('charged', 'released', 'failed'))
FROM dpobj.ledger WHERE id > %d
SQL

# Sums of the events since the last call.  It takes two looks without a worker: what a worker commits
# just before it ends is not in the snapshot of the first one. The end of a session that is broken off
# comes after the session's: so many failures are waited for.
sub spent
{
	my ($self, $failures) = @_;
	my ($workers, $last, %found) = (1);
	my $waits_until = time() + 10;
	wait_until(
		30,
		sub {
			my $before = $workers;
			($workers, $last, @found{qw(epsilon charged released failed administration)}) = split /\|/,
			  $self->{control}->ask(sprintf $new_events, $self->{last});
			die "the control session is lost: $workers" unless defined $last;
			return $before == 0 && $workers == 0 && ($found{failed} >= ($failures // 0) || time() > $waits_until);
		}) or die 'a charge worker does not end';
	$self->{last} = $last if $last > 0;
	return \%found;
}

sub _expected
{
	my ($expected) = @_;
	my %none = (epsilon => 0, charged => 0, released => 0, failed => 0, administration => 0);
	return { %none, %$expected } if ref $expected;
	return { %none, error => $expected } if $expected =~ /^[0-9A-Z]{5}\b/;
	return { %none, epsilon => $expected * EPSILON, charged => $expected, released => $expected };
}

# ---- one case ----

sub _session
{
	my ($self, $user) = @_;
	my $session = $self->{sessions}{$user};

	return $session if $session && $session->ask('ROLLBACK; DISCARD ALL; SELECT 47') =~ /^47$/m;
	return $self->{sessions}{$user} = session($self->{node}, user => $user);
}

# All that the client is told; with options, in a new session.
sub told
{
	my ($self, $user, $options, @statements) = @_;
	my $session =
	  defined $options ? session($self->{node}, user => $user, options => $options) : $self->_session($user);
	my $text = join "\n", map { $session->ask($_) } 'SET client_min_messages = debug5', @statements;
	$session->quit if defined $options;
	return $text;
}

# Checks the errors in a text, that it shows no row, and what was spent.
sub judge
{
	my ($self, $name, $expected, $text) = @_;
	$expected = _expected($expected);
	my $found = $self->spent($expected->{failed});
	$self->{count}++;

	my @errors = $text =~ /^(?:ERROR|FATAL|PANIC):  (\w{5}): /mg;
	my @problems;
	push @problems, "errors: @errors, expected " . ($expected->{error} // 'none')
	  if join(' ', sort @errors) ne ($expected->{error} // '');
	push @problems, "$_: $found->{$_}, expected $expected->{$_}"
	  for grep { $found->{$_} != $expected->{$_} } qw(epsilon charged released failed administration);
	push @problems, 'a row is shown' if shows_a_row($text);
	push @problems, 'an internal error' if $text =~ $internal;
	is(join('; ', @problems), '', $name) or diag(grep { !/^(?:DEBUG|LOCATION):/ } map { "$_\n" } split /\n/, $text);
	return;
}

# ---- many cases ----

sub try_all
{
	my ($self, $class, @cases) = @_;
	for my $case (@cases)
	{
		my ($name, $user, $expected, @statements) = @$case;
		my $options = ref $statements[0] ? ${ shift @statements } : undef;
		$self->spent;
		$self->judge("$class: $name ($user)", $expected, $self->told($user, $options, @statements));
	}
	return;
}

1;
