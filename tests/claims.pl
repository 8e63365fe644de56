# claims.pl - docs/method.md and docs/security.md speak of files, functions, tests and mutants: are they there?
#
#   perl tests/claims.pl        from the top of the tree; prints what is not, and fails then
#
# In the table of claims each row must name its code and its tests, and a function or a word
# that stands beside a file must occur in a file of that cell.

use strict;
use warnings;

my $mutants = join '', lines_of('tests/core/mutants.sh');
my @wrong;
my $checked = 0;

sub lines_of
{
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!\n";
	return <$file>;
}

# Where a name of a file may be meant to lie.
sub files_of
{
	my ($name) = @_;
	my @places = ($name, "src/$name", glob("src/*/*/$name tests/core/*/$name"), "tests/t/$name", "tests/faults/$name", "tests/specs/$name");
	push @places, "src/sql/$name", "$1.c", "src/$1.h" if $name =~ m{^((?:src/)?(?:core|server|solver)/\w+)$};
	push @places, glob("src/$name*") if $name =~ /\*$/;
	return grep { -e } @places;
}

sub looks_like_file
{
	my ($name) = @_;
	return $name =~ m{^(?:src|core|server|solver|sql|tests|docs|bench|scripts)/[\w./-]+\*?$}
	  || $name =~ m{^\w+\.(?:c|h|pl|patch|spec|sh|md)$};
}

# Every file, anywhere in the text.
sub check_files
{
	my ($document, $line, $text) = @_;
	while ($text =~ /`([^`]+)`/g)
	{
		my $name = $1;
		next unless looks_like_file($name);
		$checked++;
		push @wrong, "$document:$line: there is no $name" unless files_of($name) || docs_neighbour($name);
	}
	return;
}

sub docs_neighbour { return -e "docs/$_[0]" }

# Numbers after "mutant": 7, 9 to 12 and 15.
sub check_mutants
{
	my ($document, $line, $text) = @_;
	while ($text =~ /\bmutants? ((?:\d+(?:, | to | and )?)+)/g)
	{
		my $list = $1;
		my @numbers = $list =~ /(\d+)/g;
		while ($list =~ /(\d+) to (\d+)/g) { push @numbers, $1 .. $2 }
		foreach my $number (@numbers)
		{
			$checked++;
			push @wrong, "$document:$line: there is no mutant $number" unless $mutants =~ /^  '$number\|/m;
		}
	}
	return;
}

# A cell of the claims: its files, and the words beside them.
sub check_cell
{
	my ($document, $line, $cell, $what) = @_;
	my @names = $cell =~ /`([^`]+)`/g;
	my @files = map { files_of($_) } grep { looks_like_file($_) } @names;
	return if $cell =~ /the same/;
	push @wrong, "$document:$line: a claim names no $what" unless @files;
	my $contents = join '', map { lines_of($_) } grep { -f } @files;
	foreach my $word (grep { /^\w+(?:\(\))?$/ && !looks_like_file($_) } @names)
	{
		$word =~ s/\(\)$//;
		$checked++;
		push @wrong, "$document:$line: $word is in none of the files that are named with it" if $contents !~ /\b\Q$word\E/;
	}
	return;
}

foreach my $document ('docs/method.md', 'docs/security.md')
{
	my ($line, $claims) = (0, 0);
	foreach my $text (lines_of($document))
	{
		$line++;
		$claims = 1 if $text =~ /^\| Claim \|/;
		$claims = 0 if $text !~ /^\|/;
		check_files($document, $line, $text);
		check_mutants($document, $line, $text);
		next if !$claims || $text =~ /^\| Claim \||^\|---/;
		my @cells = split /(?<!\\)\|/, $text;
		check_cell($document, $line, $cells[3], 'code');
		check_cell($document, $line, $cells[4], 'test');
	}
}
print "$_\n" for @wrong;
print "claims: $checked names checked, " . scalar(@wrong) . " wrong\n";
exit(@wrong == 0 && $checked > 0 ? 0 : 1);
