# claims.pl - the pages on method, security and proofs speak of files, functions, tests and mutants: are they there?
#
#   perl tests/claims.pl        from the top of the tree; prints what is not, and fails then
#
# In a table of claims each row must name its code and its tests, and a function or a word that stands beside a
# file must occur in a file of that cell. On the pages of docs/proofs each statement must have a paragraph
# "Code: ... Test: ..." of which the same is asked.

use strict;
use warnings;

use File::Basename qw(basename);
use File::Find qw(find);

my @pages = ('docs/method.md', 'docs/security.md', sort grep { !/README/ } glob('docs/proofs/*.md'));
my $statement = qr/^### ((?:Definition|Theorem|Lemma|Counterexample|Rule) [A-Z]\d+)\. /;
my $mutants = join '', lines_of('tests/core/mutants.sh');
my (@wrong, %named);
my $checked = 0;

# A file may be named with its path, with its path below src, or by its name alone.
find({no_chdir => 1, wanted => sub { push @{ $named{basename($_)} }, $_ if -f }}, qw(src tests sql bench scripts docs));

sub lines_of
{
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!\n";
	return <$file>;
}

sub files_of
{
	my ($name) = @_;
	return grep { -e } glob("$name src/$name") if $name =~ /\*/;
	my ($folder, $base) = $name =~ m{^(?:src/)?(core|server|solver)/(?:\w+/)*([\w.]+)$};
	return grep { m{^src/$folder/} } map { @{ $named{$_} // [] } } $base, "$base.c", "$base.h" if defined $base;
	return $name if -e $name;
	return $name =~ m{/} ? () : @{ $named{$name} // [] };
}

sub looks_like_file
{
	my ($name) = @_;
	return $name =~ m{^(?:src|core|server|solver|sql|tests|docs|bench|scripts)/[\w./-]+\*?$}
	  || $name =~ m{^\w+\.(?:c|h|pl|patch|spec|sh|md|sql)$};
}

# Every file, anywhere in the text.
sub check_files
{
	my ($place, $text) = @_;
	while ($text =~ /`([^`]+)`/g)
	{
		my $name = $1;
		next unless looks_like_file($name);
		$checked++;
		push @wrong, "$place: there is no $name" unless files_of($name);
	}
	return;
}

# Numbers after "mutant": 7, 9 to 12 and 15.
sub check_mutants
{
	my ($place, $text) = @_;
	while ($text =~ /\bmutants? ((?:\d+(?:, | to | and )?)+)/g)
	{
		my $list = $1;
		my @numbers = $list =~ /(\d+)/g;
		while ($list =~ /(\d+) to (\d+)/g) { push @numbers, grep { $mutants =~ /^  '$_\|/m } $1 .. $2 }
		foreach my $number (@numbers)
		{
			$checked++;
			push @wrong, "$place: there is no mutant $number" unless $mutants =~ /^  '$number\|/m;
		}
	}
	return;
}

# A cell of the claims, or one side of "Code: ... Test: ...": its files, and the words beside them.
sub check_cell
{
	my ($place, $cell, $what) = @_;
	my @names = $cell =~ /`([^`]+)`/g;
	my @files = map { files_of($_) } grep { looks_like_file($_) } @names;
	push @wrong, "$place: a claim names no $what" unless @files;
	my $contents = join '', map { lines_of($_) } grep { -f } @files;
	foreach my $word (grep { /^\w+(?:\(\))?$/ && !looks_like_file($_) } @names)
	{
		$word =~ s/\(\)$//;
		$checked++;
		push @wrong, "$place: $word is in none of the files that are named with it" if $contents !~ /\b\Q$word\E/;
	}
	return;
}

foreach my $page (@pages)
{
	my ($line, $claims, $open) = (0, 0, undef);
	my @lines = lines_of($page);

	foreach my $text (@lines, '### the end')
	{
		$line++;
		check_files("$page:$line", $text);
		check_mutants("$page:$line", $text);

		$claims = 1 if $text =~ /^\| Claim \|/;
		$claims = 0 if $text !~ /^\|/;
		if ($claims && $text !~ /^\| Claim \||^\|---/)
		{
			my @cells = split /(?<!\\)\|/, $text;
			check_cell("$page:$line", $cells[3], 'code') if $cells[3] !~ /the same/;
			check_cell("$page:$line", $cells[4], 'test') if $cells[4] !~ /the same/;
		}

		if ($text =~ /^##/)
		{
			push @wrong, "$page: $open has no line of code and test" if defined $open;
			$open = $text =~ $statement ? $1 : undef;
			push @wrong, "$page:$line: what kind of statement is this?"
			  if $page =~ m{/proofs/} && !defined $open && $text =~ /^### / && $text !~ /the end/;
		}
		elsif ($text =~ /^Code:\s/)
		{
			my ($paragraph) = join('', @lines[$line - 1 .. $#lines]) =~ /\A(.*?)(?:\n\n|\z)/s;
			my ($code, $test) = $paragraph =~ /^Code:\s(.*)\sTest:\s(.*)$/s;

			if (defined $test)
			{
				check_cell("$page:$line", $code, 'code');
				check_cell("$page:$line", $test, 'test');
			}
			else { push @wrong, "$page:$line: code without a test" }
			$open = undef;
		}
	}
}
print "$_\n" for @wrong;
print "claims: $checked names checked, " . scalar(@wrong) . " wrong\n";
exit(@wrong == 0 && $checked > 0 ? 0 : 1);
