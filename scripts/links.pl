#!/usr/bin/env perl
# links.pl - are there dead links in pages, or citations of what does not exist in pages and sources?
#
#   perl scripts/links.pl         in the top folder of the sources
#
# Looks at every page for links to files and headings of the project, and for paths of it between
# backquotes (`docs/x.md`, `tests/t/014_guides.pl`). Looks at pages and at sources, comments
# included, for citations: of a statement of docs/proofs ("theorem G3", "rules H1 to H4"), of a page
# ("x.md", which must be in the project), of a heading of it ("x.md, "Not covered""). What is
# elsewhere is not asked, and so is never the source of a claim. A table must have a heading and rows of its width.

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Find qw(find);
use File::Spec::Functions qw(canonpath);

my $kind = qr/definition|theorem|lemma|counterexample|rule/i;
my $tag = qr/[A-Z]\d+\b/;
my $is_source = qr/\.(?:c|h|sql|pl|pm|sh|py|gp|spec|patch|yml|json)$|\/Makefile$|\/rules$/;
my (@pages, @sources, @dead, %headings, %statement);
my ($links, $paths, $citations) = (0, 0, 0);

# Scripts of versions that were released stand as they were. Expected results repeat their statements.
find({no_chdir => 1, wanted => sub {
	return if !-f || m{/\.|^tests/upgrade/|^expected/|^tests/expected/};
	push @pages, $_ if /\.md$/;
	push @sources, $_ if $_ =~ $is_source && !/links\.pl$/; # has examples
}}, grep { -d } qw(bench dashboards debian docs scripts sql src tests));
@pages = sort(@pages, glob('*.md'));
@sources = sort(@sources, grep { -f } qw(Makefile Dockerfile META.json .ci/run));

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

# One line of it all, without what begins the lines of a comment: a citation may be broken.
sub one_line
{
	my ($text) = @_;
	$text =~ s{\n[+ \t]*(?:\*(?!/)|--|//|\#)?[ \t]*}{ }g;
	return $text;
}

# The anchors that a page's headings get: lower case, without punctuation, blanks as hyphens.
sub anchor_of
{
	my $anchor = lc shift;
	$anchor =~ s/[^\w\s-]//g;
	$anchor =~ s/\s/-/g;
	return $anchor;
}

sub anchors
{
	my ($page) = @_;

	$headings{$page} //= { map { anchor_of($_) => 1 } prose(text_of($page)) =~ /^#+ +(.*?) *$/gm };
	return $headings{$page};
}

sub check_link
{
	my ($page, $target) = @_;
	my ($file, $anchor) = split /#/, $target, 2;
	my $path = $file eq '' ? $page : canonpath(dirname($page) . "/$file");

	1 while $path =~ s{(?<![^/])(?!\.\./)[^/]+/\.\./}{};
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

# A path may have a pattern in it (`tests/faults/*.patch`), be below src (`core/oracle.h`), or be a
# program's without its `.c`.
sub check_path
{
	my ($page, $path) = @_;

	$paths++;
	push @dead, "$page: no $path" unless grep { -e } glob("$path $path.c src/$path tests/$path");
	return;
}

# What a name of a page may mean in this file.
sub page_of
{
	my ($file, $name) = @_;

	$name =~ s{^[./]+}{};
	my ($page) = grep { -f } map { canonpath("$_/$name") } '.', 'docs', 'docs/proofs', dirname($file);
	return $page;
}

# Bars of code or formulas, and escaped ones, divide nothing.
sub check_table
{
	my ($page, @rows) = @_;
	my %widths = map { scalar(() = s/\\\||`[^`]*`//gr =~ /\|/g) => 1 } @rows;

	push @dead, "$page: no table: $rows[0]" if @rows < 3 || $rows[1] !~ /^\|(?: *:?-+:? *\|)+$/ || keys %widths > 1;
	return;
}

sub check_citations
{
	my ($file, $text) = @_;

	while ($text =~ /\b($kind)s? ($tag(?:(?:, and|,| and| or| to) $tag)*)/g)
	{
		my ($word, $list) = (lc $1, $2);
		foreach my $one ($list =~ /($tag)/g)
		{
			$citations++;
			push @dead, "$file: there is no $word $one" if ($statement{$one} // '') ne $word;
		}
	}
	while ($text =~ m{(?<![\w:/.\$-])((?:[\w.-]*/)*[\w.-]*\w\.md)\b(?:, "([^"]+)")?}g)
	{
		my ($name, $heading) = ($1, $2);
		my $page = page_of($file, $name);
		$citations++;
		push @dead, "$file: $name is no page of the project" unless defined $page;
		push @dead, "$file: no heading \"$heading\" in $page"
		  if defined $heading && defined $page && !anchors($page)->{anchor_of($heading)};
	}
	return;
}

for my $page (glob('docs/proofs/*.md'))
{
	my $text = text_of($page);
	while ($text =~ /^### ($kind) ($tag)\. /gm)
	{
		push @dead, "$page: there are two of $2" if exists $statement{$2};
		$statement{$2} = lc $1;
	}
}
for my $page (@pages)
{
	my $text = prose(text_of($page));

	check_link($page, $_) for grep { !/^(?:https?|mailto):/ } $text =~ /\]\(([^()\s]+)\)/g;
	check_table($page, split /\n/) for $text =~ /((?:^\|.*\|\n)+)/gm;
	check_path($page, $_) for $text =~ m{`((?:bench|core|dashboards|docs|expected|scripts|server|solver|sql|src|tests)/[\w./*-]*)`}g;
}
check_citations($_, one_line(text_of($_))) for @pages, @sources;
print "$_\n" for @dead;
printf "%d pages, %d links, %d paths, %d sources, %d citations, %d statements, %d dead\n", scalar @pages, $links, $paths,
  scalar @sources, $citations, scalar keys %statement, scalar @dead;
exit(@dead || !@pages || !@sources || !%statement ? 1 : 0);
