#!/usr/bin/env perl
# prove.pl - runs Frama-C on the units of tests/prove/units.txt; called by scripts/prove.sh.
#
#   perl tests/prove/prove.pl FOLDER SOURCES [UNIT...]
#
# The sources are src or a copy of it with a fault. Prints what is wrong and fails, or prints the tables of
# docs/proofs/machine.md. What Frama-C says is left in FOLDER.

use strict;
use warnings;

my ($folder, $sources, @wanted) = @ARGV;
my (@units, %unit, @wrong, @table, @left);

sub text_of
{
	my ($file) = @_;

	open my $handle, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$handle>;
}

for my $line (split /\n/, text_of('tests/prove/units.txt'))
{
	next if $line =~ /^(#|$)/;
	if ($line =~ /^\[(\w+)\]$/)
	{
		push @units, $1;
		next;
	}
	my ($key, $value) = split / +/, $line, 2;
	push @{$unit{$units[-1]}{$key}}, $value;
}

sub words { return map { split ' ' } @_ }
sub parts { return split / *\| */, $_[0] }

# Names of functions begin a line.
sub functions_of
{
	return text_of("$sources/$_[0]") =~ /^(\w+)\([^;]*?\)\n\{/mg;
}

sub frama_c
{
	my ($log, @arguments) = @_;
	my $include = "-Itests/prove -I$sources -Itests -include tests/prove/host.h";

	system("frama-c -machdep gcc_x86_64 -c11 -cpp-extra-args='$include' @arguments >$log 2>&1") == 0
	  or push @wrong, "frama-c failed:\n" . join('', grep { /[Ee]rror/ } split /^/, text_of($log));
	return text_of($log);
}

# Each report as one line: FILE: text.
sub reports_of
{
	my ($said) = @_;
	my @reports;

	while ($said =~ /^\[eva:alarm\] (\S+?):\d+: Warning:((?:(?!^\[).*\n)+)/mg)
	{
		my ($file, $text) = ($1, $2);

		$text =~ s/\s+/ /g;
		$text =~ s/^ function (\w+): precondition\b.*got status/ precondition of $1 got status/;
		$file =~ s/^\Q$sources\E\///;
		push @reports, "$file:$text";
	}
	return @reports;
}

sub take_reports
{
	my ($name, $said) = @_;
	my @expected = map { [parts($_)] } @{$unit{$name}{fails} || []};
	my %met;

	for my $report (reports_of($said))
	{
		my ($found) = grep { index($report, "$expected[$_][0]:") == 0 && index($report, $expected[$_][1]) >= 0 } 0 .. $#expected;

		defined $found ? $met{$found}++ : push @wrong, "$name: $report";
	}
	push @wrong, map { "$name: no longer reported: @{$expected[$_]}[0, 1]" } grep { !$met{$_} } 0 .. $#expected;
}

# The share of each function that Eva has reached.
sub take_file
{
	my ($name, $file, $said) = @_;
	my %missed = map { $_ => 1 } map { words((parts($_))[1]) } grep { (parts($_))[0] eq $file } @{$unit{$name}{misses} || []};
	my @functions = functions_of($file);
	my @reached;

	for my $function (@functions)
	{
		my $is = $said =~ /^  \Q$function\E(?:_\d+)?: [1-9]\d* stmts/m;

		push @reached, $function if $is;
		push @wrong, "$name: $function() of $file is not reached" if !$is && !$missed{$function};
		push @wrong, "$name: $function() of $file is reached now" if $is && $missed{$function};
	}
	push @wrong, "$name: no functions in $file" if @functions == 0;
	my ($about) = grep { (parts($_))[0] eq $file } @{$unit{$name}{file}};
	my (undef, $paper, $test) = parts($about);
	my ($left) = map { (parts($_))[2] } grep { (parts($_))[0] eq $file } @{$unit{$name}{misses} || []};

	push @table, sprintf("| `%s` | %s | %s | %s |", $file,
		@reached == @functions ? "all @{[scalar @functions]} functions" : @reached . ' of ' . @functions . " functions; $left", $paper, $test);
	push @left, map { my @p = parts($_); "| `$p[0]` | `$p[1]` | $p[2] | $p[3] |" } grep { (parts($_))[0] eq $file } @{$unit{$name}{fails} || []};
}

sub prove
{
	my ($name) = @_;
	my @files = words(@{$unit{$name}{proves}}, @{$unit{$name}{with} || []});
	my @compiled = map { "$sources/$_" } grep { /\.c$/ } @files;
	my $said = frama_c("$folder/$name.log", "tests/prove/$name.c", @compiled, '-eva', words(@{$unit{$name}{options}}),
		'-eva-msg-key=-final-states,-initial-state', '-metrics -metrics-eva-cover');

	push @wrong, "$name: the analysis has not ended" unless $said =~ /ANALYSIS SUMMARY/;
	take_reports($name, $said);
	take_file($name, $_, $said) for words(@{$unit{$name}{proves}});
	for my $entry (@{$unit{$name}{wp} || []})
	{
		my ($file, @functions) = words($entry);
		my $goals = frama_c("$folder/$name.wp.log", "$sources/$file", '-wp -wp-rte -warn-unsigned-overflow -wp-prover cvc4 -wp-timeout 60',
			map { /^@(.*)/ ? "-wp-prop $1" : "-wp-fct $_" } @functions);
		my ($proved, $all) = $goals =~ /Proved goals: +(\d+) \/ (\d+)/;

		push @wrong, "$name: WP proves " . ($proved // 0) . ' of ' . ($all // 0) . " goals of @functions" unless $all && $proved == $all;
	}
}

for my $name (@wanted ? @wanted : @units)
{
	die "no unit $name\n" unless $unit{$name};
	my $before = @wrong;
	my $began = time;

	prove($name);
	printf STDERR "  %s: %s, %d s\n", $name, @wrong > $before ? 'not proved' : 'proved', time - $began;
}
if (@wrong)
{
	print STDERR "$_\n" for @wrong;
	exit 1;
}
print "$_\n" for '| File | By machine | By paper | By test |', '|---|---|---|---|', sort(@table), '',
  'What Frama-C reports there, and why it is no error:', '', '| File | Report | Shown by | Because |', '|---|---|---|---|', sort(@left);
