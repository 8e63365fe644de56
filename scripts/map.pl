#!/usr/bin/env perl
# map.pl - is docs/architecture.md a map of the sources?
#
#   perl scripts/map.pl         in the top folder of the sources
#
# Each name in the first column of the tables on core, solver and server stands for the files of
# that name (x.c, x.h), with * for many of them. Every file must have one place; a file that two
# rows would take belongs to the one that says its name. The folders keep to what the page
# says of them: who includes what.

use strict;
use warnings;

my ($page, %heading) = ('docs/architecture.md', 'core' => 0, 'solver' => 0, 'server' => 0);
my %foreign = (
	'core' => qr{^(?:solver|server|utils|catalog)/|^postgres|^glpk|^stdio|^unistd},
	'solver' => qr{^(?:server|utils|catalog)/|^postgres},
	'server' => qr{^glpk|^gsl/});
my ($folder, %place, @wrong);

open my $text, '<', $page or die "$page: $!\n";
while (my $line = <$text>)
{
	if ($line =~ /^## The (\w+)/)
	{
		$folder = exists $heading{$1} ? $1 : undef;
	}
	elsif (defined $folder && $line =~ /^\| (`[^|]+) \|/)
	{
		push @{ $place{$folder} }, $1 =~ /`([\w*]+)`/g;
	}
}

for my $in (sort keys %heading)
{
	my %names = map { m{([^/]+)\.[ch]$} => 1 } glob("src/$in/*.[ch] src/$in/*/*.[ch]");
	my @names = sort keys %names;
	my %taken;

	push @wrong, "$page: no files of src/$in" unless @names;
	for my $name (@{ $place{$in} // [] })
	{
		(my $pattern = $name) =~ s/\*/\\w+/;
		push @wrong, "$page: $name is no file of src/$in" unless grep { /^$pattern$/ } @names;
		push @wrong, "$page: $name has two places in src/$in" if $taken{$name}++;
	}
	for my $name (@names)
	{
		next if $taken{$name};
		my @takers = grep { /\*/ && $name =~ /^@{[s{\*}{\\w+}r]}$/ } @{ $place{$in} // [] };
		push @wrong, "src/$in/$name has " . @takers . " places in $page" unless @takers == 1;
	}
	for my $file (glob("src/$in/*.[ch] src/$in/*/*.[ch]"))
	{
		open my $source, '<', $file or die "$file: $!\n";
		push @wrong, "$file includes $_"
		  for grep { /$foreign{$in}/ } map { /^#include [<"](.*)[>"]/ } <$source>;
	}
	$heading{$in} = @names;
}
print "$_\n" for @wrong;
exit 1 if @wrong;
print "docs/architecture.md: ", join(', ', map { "$heading{$_} of $_" } sort keys %heading), "\n";
