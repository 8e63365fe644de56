#!/usr/bin/env perl
# map.pl - do the sources keep to src/folders.txt?
#
#   perl scripts/map.pl         in the top folder of the sources
#
# Every folder of sources stands there, and names all folders whose headers its files include, and
# no others; it names only folders above it. GLPK is in the solver alone, and the core and the
# solver include nothing of PostgreSQL's.

use strict;
use warnings;

my $page = 'src/folders.txt';
my %foreign = (
	'core' => qr{^(?:utils|catalog)/|^postgres|^glpk|^stdio|^unistd},
	'solver' => qr{^(?:utils|catalog)/|^postgres},
	'server' => qr{^glpk|^gsl/});
my (%allowed, %used, @order, @wrong);

open my $text, '<', $page or die "$page: $!\n";
while (my $line = <$text>)
{
	if ($line =~ /^([a-z]\S*)/)
	{
		push @order, $1;
	}
	elsif ($line =~ /^\s+(\S.*)/)
	{
		my $folder = $order[-1];
		for my $below (split ' ', $1)
		{
			push @wrong, "$page: $folder names $below, which is not above it"
			  unless $below ne $folder && grep { $_ eq $below } @order;
			$allowed{$folder}{$below} = 1;
		}
	}
}

my $files = 0;
for my $file (glob('src/*/*.[ch] src/*/*/*.[ch]'))
{
	my ($folder, $area) = $file =~ m{^src/(([^/]+).*)/};

	$files++;
	push @wrong, "$page: no $folder" unless grep { $_ eq $folder } @order;
	open my $source, '<', $file or die "$file: $!\n";
	for my $header (map { /^#include [<"](.*)[>"]/ } <$source>)
	{
		my ($of) = $header =~ m{^((?:core|server|solver)(?:/\w+)*)/\w+\.h$};

		push @wrong, "$file includes $header" if $header =~ $foreign{$area};
		next if !defined $of || $of eq $folder;
		push @wrong, "$file includes $header: not allowed by $page" unless $allowed{$folder}{$of};
		$used{$folder}{$of} = 1;
	}
}
for my $folder (@order)
{
	push @wrong, "$page: no files in $folder" unless () = glob("src/$folder/*.[ch]");
	push @wrong, map { "$page: $folder includes nothing of $_" }
	  grep { !$used{$folder}{$_} } sort keys %{ $allowed{$folder} };
}
print "$_\n" for @wrong;
exit 1 if @wrong;
printf "%s: %d files in %d folders, %d arrows between them, none both ways\n", $page, $files,
  scalar @order, scalar map { keys %$_ } values %used;
