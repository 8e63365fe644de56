#!/usr/bin/env perl
# links.pl - are there dead links in the pages of documentation?
#
#   perl scripts/links.pl         in the top folder of the sources
#
# Looks at every page for links to files and headings of the project, and for paths of
# it between backquotes (`docs/x.md`, `tests/t/014_guides.pl`). What is elsewhere is not asked.

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Spec::Functions qw(canonpath);

my @pages = sort(glob('*.md'), glob('docs/*.md'));
my (@dead, %headings, $links, $paths);

sub text_of
{
	my ($file) = @_;
	local $/;
	open my $handle, '<:encoding(UTF-8)', $file or die "$file: $!\n";
	return scalar <$handle>;
}

# Code is no text: a heading or a link in it is none.
sub prose
{
	my ($text) = @_;
	return $text =~ s/^```.*?^```\n//gmsr;
}

# The anchors that a page's headings get: lower case, without punctuation, blanks as hyphens.
sub anchors
{
	my ($page) = @_;

	$headings{$page} //= {
		map {
			my $anchor = lc;
			$anchor =~ s/[^\w\s-]//g;
			$anchor =~ s/\s/-/g;
			$anchor => 1
		} prose(text_of($page)) =~ /^#+ +(.*?) *$/gm
	};
	return $headings{$page};
}

sub check_link
{
	my ($page, $target) = @_;
	my ($file, $anchor) = split /#/, $target, 2;
	my $path = $file eq '' ? $page : canonpath(dirname($page) . "/$file");

	$path =~ s{[^/]+/\.\./}{}g;
	$links++;
	if (!-e $path)
	{
		push @dead, "$page: no $target";
	}
	elsif (defined $anchor && $path =~ /\.md$/ && !anchors($path)->{$anchor})
	{
		push @dead, "$page: no heading #$anchor in $path";
	}
	return;
}

# A path may have a pattern in it (`tests/faults/*.patch`), be below src (`core/optimum/oracle.h`), or be a
# program's without its `.c`.
sub check_path
{
	my ($page, $path) = @_;

	$paths++;
	push @dead, "$page: no $path" unless grep { -e } glob("$path $path.c src/$path tests/$path");
	return;
}

for my $page (@pages)
{
	my $text = prose(text_of($page));

	check_link($page, $_) for grep { !/^(?:https?|mailto):/ } $text =~ /\]\(([^()\s]+)\)/g;
	check_path($page, $_) for $text =~ m{`((?:bench|core|dashboards|docs|expected|scripts|server|solver|sql|src|tests)/[\w./*-]*)`}g;
}
print "$_\n" for @dead;
printf "%d pages, %d links, %d paths, %d dead\n", scalar @pages, $links, $paths, scalar @dead;
exit(@dead || !@pages ? 1 : 0);
