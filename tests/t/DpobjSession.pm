# DpobjSession.pm - one psql that stays connected, for statements in the background.
#
#   my $session = DpobjSession->new($node, user => 'eve', options => '-c x=y');
#   my $text = $session->ask('SELECT 1');       # send and wait for the result
#   $session->send($statement); ...             # send only
#   my $text = $session->result;                # wait for it; errors are in the text
#
# With seconds => 600 a statement may take so long, 60 seconds otherwise; set => [...] are statements
# that the session begins with.
#
# Errors appear as psql prints them in verbose mode: "ERROR:  SQLSTATE: message".
# With split => 1 answers and messages are kept apart, each in their order:
#
#   my $text = $session->ask($statement);
#   my $messages = $session->messages;

package DpobjSession;

use strict;
use warnings;

use IPC::Run;
use List::Util qw(max);
use Scalar::Util qw(weaken);
use PostgreSQL::Test::Utils;

# A slow machine has PG_TEST_TIMEOUT_DEFAULT above PostgreSQL's own 180: all waits are longer by so much.
use constant PATIENCE => max(1, ($ENV{PG_TEST_TIMEOUT_DEFAULT} || 180) / 180);

# Sessions whose statement was sent and whose result was not asked for yet.
my %running;

# Reads what they say: at debug5 that fills a pipe, and then the backend waits for its reader.
sub read_running
{
	local $@;
	for my $session (values %running)
	{
		eval { $session->{run}->pump_nb };
	}
	return;
}

sub new
{
	my ($class, $node, %how) = @_;
	my $connection = $node->connstr($how{database} // 'postgres');
	my $self = bless { input => '', output => '', errors => '', sent => 0 }, $class;
	# one pipe for both: from two, a long message is read in pieces, with the end of the statement between them
	my @errors = $how{split} ? ('2>', \$self->{errors}) : '2>&1';

	$connection .= " user=$how{user}" if $how{user};
	local $ENV{PGOPTIONS} = $how{options} // '';
	$self->{timer} = IPC::Run::timeout(PATIENCE * ($how{seconds} // 60));
	$self->{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $connection ],
		'<', \$self->{input}, '>', \$self->{output}, @errors,
		$self->{timer});
	$self->{split} = $how{split};
	$self->{pid} = $self->ask('SELECT pg_backend_pid()');
	die "no session: $self->{pid}" unless $self->{pid} =~ /^\d+$/;
	$self->ask($_) for @{ $how{set} // [] };
	return $self;
}

# The backend's process id.
sub pid { return $_[0]{pid}; }

sub send
{
	my ($self, $statement) = @_;
	$self->{sent}++;
	$self->{input} .= "$statement;\n\\echo END $self->{sent}\n";
	$self->{input} .= "\\warn END $self->{sent}\n" if $self->{split};
	$self->{timer}->start; # for one statement
	weaken($running{$self} = $self);
	$self->{run}->pump_nb;
	return;
}

# The output of the last statement, or the output so far if the connection is lost.
sub result
{
	my ($self) = @_;
	my $end = qr/^END $self->{sent}\n/m;

	delete $running{$self};
	eval {
		$self->{run}->pump
		  until $self->{output} =~ $end && (!$self->{split} || $self->{errors} =~ $end)
		  || !$self->{run}->pumpable;
	};
	my $error = $@;
	die $error if $error =~ /timeout/;
	my $text = $self->{output};
	$self->{output} = '';
	$text =~ s/$end//;
	$text =~ s/^NOTICE:  00000: the model will have no name\nHINT: .*\nLOCATION: .*\n//mg; # sql/train.sql tests it
	chomp $text;
	$self->{messages} = $self->{errors} =~ s/$end//r;
	$self->{errors} = '';
	return $text;
}

# What was said while the last statement ran.
sub messages { return $_[0]{messages}; }

sub ask
{
	my ($self, $statement) = @_;
	$self->send($statement);
	return $self->result;
}

# Ends the session, as the end of its variable does; a lost connection or a killed client is no error.
sub quit
{
	my ($self) = @_;
	return if $self->{ended}++ || !$self->{run};
	$self->{timer}->start;
	$self->{input} .= "\\q\n";
	eval { $self->{run}->finish; };
	return;
}

sub DESTROY
{
	my ($self) = @_;
	local ($@, $?, $!);
	delete $running{$self};
	$self->quit if ${^GLOBAL_PHASE} ne 'DESTRUCT';
	return;
}

# Kills the client: the server finds a closed connection.
sub kill_client
{
	my ($self) = @_;
	$self->{ended} = 1;
	eval { $self->{run}->kill_kill(grace => 0); };
	return;
}

1;
