# DpobjClock.pm - a server whose clock the test sets (clock.c).
#
#   my $clock = DpobjClock->new;                   # undef where there is no C compiler
#   $clock->set('2030-01-01 00:00:00');            # UTC; from now on it runs like any clock
#   $clock->under(sub { $node->restart });         # the server that the block starts has this clock
#
# The test's own processes keep the machine's clock.

package DpobjClock;

use strict;
use warnings;

use File::Basename qw(dirname);
use IPC::Run;
use PostgreSQL::Test::Utils;
use Time::HiRes;
use Time::Local qw(timegm);

sub new
{
	my ($class) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir('clock');
	my $self = bless { library => "$folder/clock.so", file => "$folder/offset" }, $class;

	return undef unless eval { IPC::Run::run([qw(cc --version)], '>', \my $version, '2>', \my $error) };
	system_or_bail(qw(cc -O2 -shared -fPIC -o), $self->{library}, dirname(__FILE__) . '/clock.c');
	append_to_file($self->{file}, pack('q', 0));
	return $self;
}

# Overwrites the offset in one write: the server has mapped the file.
sub set
{
	my ($self, $time) = @_;
	my ($year, $month, @rest) = $time =~ /^(\d+)-(\d+)-(\d+) (\d+):(\d+):(\d+)$/ or die "no time: $time";
	my $offset = timegm(reverse(@rest), $month - 1, $year) - Time::HiRes::time();

	open my $file, '+<:raw', $self->{file} or die "open $self->{file}: $!";
	defined syswrite($file, pack('q', $offset * 1e9)) or die "write $self->{file}: $!";
	close $file;
	return;
}

sub under
{
	my ($self, $block) = @_;
	local $ENV{LD_PRELOAD} = $self->{library};
	local $ENV{DPOBJ_CLOCK} = $self->{file};
	$block->();
	return;
}

1;
