# DpobjGuide.pm - the statements of a page of documentation, run and compared.
#
# A block of SQL may have marks above it, one HTML comment each:
#
#   <!-- role: alice -->      the role that runs the block
#   <!-- error: UB001 -->     the SQLSTATE in which the block must end; a block without it must not fail
#   <!-- random: at score --> columns whose numbers may differ from those on the page
#   <!-- needs: pg_cron -->   the block is skipped where pg_cron is not installed
#   <!-- run: last -->        tests may choose blocks by this mark
#
# A block of text below it is what psql prints.  In cells of a random column every number counts as 0,
# bars of # count as nothing, and the width of columns does not matter then.  Blocks of Python are one program, of which a block of
# text below shows what it prints; with a mark random that of one run.  With DPOBJ_GUIDES=folder, pages with the results
# of this run are written there.

package DpobjGuide;

use strict;
use warnings;

use Exporter 'import';
use File::Basename qw(basename dirname);
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(guide_has_cron guide_settings guide_pieces guide_blocks guide_check guide_languages guide_python guide_write);

my $top = dirname(__FILE__) . '/../..';

my $library_folder = `pg_config --pkglibdir`;
chomp $library_folder;
my $has_cron = -e "$library_folder/pg_cron.so";

sub guide_has_cron { return $has_cron; }

# Settings of a cluster; where pg_cron is installed, it has its jobs in the database.
sub guide_settings
{
	my ($database) = @_;
	return "shared_preload_libraries = 'dpobj'" unless $has_cron;
	return ("shared_preload_libraries = 'dpobj, pg_cron'", "cron.database_name = '$database'");
}

# ---- reading a page ----------------------------------------------------------

# The pieces of a page in order: text, or a block with its language, marks and lines.
sub guide_pieces
{
	my ($page) = @_;
	my @pieces;
	my $text = slurp_file("$top/$page");

	while ($text =~ /\G(.*?)((?:^<!-- \w+: [\w ]+ -->\n)*)^```(\w+)\n(.*?)^```\n/gmsc)
	{
		my ($before, $marks, $language, $body) = ($1, $2, $3, $4);
		push @pieces, { text => $before . $marks };
		push @pieces, { language => $language, body => $body, page => $page,
			blank => scalar($before =~ /^\s*$/), $marks =~ /<!-- (\w+): ([\w ]+) -->/g };
	}
	push @pieces, { text => substr($text, pos($text) // 0) };
	return @pieces;
}

# The blocks of SQL, each with the result below it.
sub guide_blocks
{
	my @pieces = @_;
	my @blocks;
	my $last;

	for my $piece (grep { $_->{language} } @pieces)
	{
		if ($piece->{language} eq 'sql')
		{
			push @blocks, $last = $piece;
		}
		elsif ($piece->{language} eq 'text')
		{
			die "$piece->{page}: a result without a statement" unless $last && $piece->{blank};
			$last->{result} = $piece;
			$last = undef;
		}
	}
	return @blocks;
}

# The languages of blocks that may hide SQL.
sub guide_languages
{
	return grep { !/^(sql|text|sh|ini)$/ } map { $_->{language} // () } @_;
}

# ---- running a block ---------------------------------------------------------

# What psql prints, with errors in their places, and the last SQLSTATE.
sub _run
{
	my ($node, $database, $block) = @_;
	my $input = "\\pset pager off\n\\set SHOW_CONTEXT never\n$block->{body}\\echo SQLSTATE :LAST_ERROR_SQLSTATE\n";
	my $output = '';

	IPC::Run::run(
		[ 'psql', '-Xq', '-d', $node->connstr($database) . " user=$block->{role}" ],
		'<', \$input, '>&', \$output, IPC::Run::timeout(300));
	$output =~ s/^SQLSTATE (\w+)\n\z//m or die "psql broke off: $output";
	return ($output, $1);
}

# Removes blanks at the ends of lines, and empty lines at the end.
sub _trimmed
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//mg;
	$text =~ s/\n+\z/\n/;
	return $text;
}

# How many bins there are depends on noise, too.
sub _numbers_masked
{
	my ($cell) = @_;
	return $cell =~ s/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/0/gr =~ s/("bins": \[0)(?:, 0)+/$1/gr =~ s/#//gr;
}

# A result with the numbers of the named columns masked, and blanks around cells removed.
sub _masked
{
	my ($text, @random) = @_;
	my %random = map { $_ => 1 } @random;
	my (@lines, @titles);

	for my $line (split /\n/, $text)
	{
		my @cells = map { s/^\s+|\s+$//gr } split /\|/, $line, -1;

		# a rule below the line of titles; a line of expanded output; a row
		if ($line =~ /^-[-+]*$/ && @lines)
		{
			@titles = split /\|/, $lines[-1], -1;
			next;
		}
		@titles = () if $line eq '';
		if (@titles)
		{
			@cells = map { $random{ $titles[$_] // '' } ? _numbers_masked($cells[$_]) : $cells[$_] } 0 .. $#cells;
		}
		elsif (@cells == 2 && $random{ $cells[0] })
		{
			$cells[1] = _numbers_masked($cells[1]);
		}
		push @lines, join('|', @cells);
	}
	return join("\n", @lines) . "\n";
}

# Runs a block as its role, or as the given one, and compares its result; false if it was skipped.
sub guide_check
{
	my ($node, $database, $block, %how) = @_;
	my ($name) = $block->{body} =~ /\A(.*)/;
	my @random = split / /, $block->{random} // '';
	my ($output, $state, $shown);

	if (($block->{needs} // '') eq 'pg_cron' && !$has_cron)
	{
	  SKIP: { skip "$block->{page}: pg_cron is not installed: $name", 1; }
		return 0;
	}
	$block->{role} //= $how{role};
	ok($block->{role}, "$block->{page}: the role of: $name") or return 1;
	($output, $state) = _run($node, $database, $block);
	is($state, $block->{error} // '00000', "$block->{page}: $name") or diag($output);
	return 1 unless $block->{result};
	$output = _trimmed($output);
	$shown = _trimmed($block->{result}{body});
	if (!$how{no_results})
	{
		is( @random ? _masked($output, @random) : $output,
			@random ? _masked($shown, @random) : $shown,
			"$block->{page}: the result of $name");
	}
	$block->{result}{body} = $output;
	return 1;
}

# ---- running the blocks of Python --------------------------------------------

my $python = '/usr/bin/python3';

sub _has_module { return system("$python -c 'import $_[0]' 2>/dev/null") == 0; }

# Runs a page's program in a folder, up to the first block that needs a module which is not installed.
sub guide_python
{
	my ($node, $database, $role, $folder, $needed, @pieces) = @_;
	my ($program, @shown, $printed, $error) = ('');

	for my $piece (grep { ($_->{language} // '') =~ /^(python|text)$/ } @pieces)
	{
		if ($piece->{language} eq 'text')
		{
			$shown[-1]{result} = $piece;
			next;
		}
		if ($piece->{needs} && !_has_module($piece->{needs}))
		{
		  SKIP: { skip "$piece->{page} from here on: Python has no $piece->{needs}", 1; }
			last;
		}
		$program .= "$piece->{body}\nprint('--')\n";
		push @shown, $piece;
	}
  SKIP:
	{
		my ($absent) = grep { !_has_module($_) } @$needed;
		skip "$pieces[1]{page}: Python has no $absent", 2 if $absent;
		append_to_file("$folder/page.py", "import os\nos.chdir('$folder')\n$program");
		local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGUSER => $role, PGDATABASE => $database);
		IPC::Run::run([ $python, "$folder/page.py" ], '>', \$printed, '2>', \$error);
		is($error, '', "$pieces[1]{page}: the program runs");
		my @printed = split /^--\n/m, $printed;
		for my $i (0 .. $#shown)
		{
			my ($name) = $shown[$i]{body} =~ /\A(.*)/;
			my ($text, $expected) = map { _trimmed($_) } $printed[$i] // '', $shown[$i]{result} ? $shown[$i]{result}{body} : '';
			if ($shown[$i]{random}) { isnt($text, '', "$pieces[1]{page}: something is printed below $name"); }
			else { is($text, $expected, "$pieces[1]{page}: what is printed below $name"); }
			$shown[$i]{result}{body} = $text if $shown[$i]{result};
		}
	}
	return;
}

# ---- a page with the results of this run ----------------------------------------

sub guide_write
{
	my ($page, @pieces) = @_;

	return unless $ENV{DPOBJ_GUIDES};
	open my $file, '>', "$ENV{DPOBJ_GUIDES}/" . basename($page) or die;
	print $file map { $_->{language} ? "```$_->{language}\n$_->{body}```\n" : $_->{text} } @pieces;
	close $file;
	return;
}

1;
