# 014_guides.pl - every statement of docs/admin.md and docs/analyst.md, in order, in
# one fresh database; and dpobj.price on a standby.
#
# A block of SQL may have marks above it, one HTML comment each:
#
#   <!-- role: alice -->   who runs it; every block has one
#   <!-- error: UB001 -->  the SQLSTATE that it must end in; no other may fail
#   <!-- run: last -->     it closes what both guides use: after all the others
#   <!-- needs: pg_cron -->  it is skipped where that is not installed
#
# A block of text below it is what psql prints.  With DPOBJ_GUIDES=folder, guides
# with the results of this run are written there.

use strict;
use warnings;

use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use DpobjTest;

my $docs = dirname(__FILE__) . '/../../docs';
my $libraries = `pg_config --pkglibdir`;
chomp $libraries;
my $has_cron = -e "$libraries/pg_cron.so";
my $node = dpobj_cluster('guides', "shared_preload_libraries = 'dpobj" . ($has_cron ? ', pg_cron' : '') . "'",
	'dpobj.solver_threads = 2', $has_cron ? "cron.database_name = 'clinic'" : '');
$node->safe_psql('postgres', 'CREATE DATABASE clinic');

# ---- reading a guide ---------------------------------------------------------

# Its pieces in order: text, or a block with its language, marks and lines.
sub pieces
{
	my ($guide) = @_;
	my @pieces;
	my $text = slurp_file("$docs/$guide");

	while ($text =~ /\G(.*?)((?:^<!-- \w+: \w+ -->\n)*)^```(\w+)\n(.*?)^```\n/gmsc)
	{
		my ($before, $marks, $language, $body) = ($1, $2, $3, $4);
		push @pieces, { text => $before . $marks };
		push @pieces, { language => $language, body => $body, guide => $guide,
			blank => scalar($before =~ /^\s*$/), $marks =~ /<!-- (\w+): (\w+) -->/g };
	}
	push @pieces, { text => substr($text, pos($text) // 0) };
	return @pieces;
}

# The blocks of SQL, each with the result that is shown below it.
sub blocks
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
			die "$piece->{guide}: a result without a statement" unless $last && $piece->{blank};
			$last->{result} = $piece;
			$last = undef;
		}
	}
	return @blocks;
}

# ---- running a block ---------------------------------------------------------

# What psql prints, errors among it in their place, and the last SQLSTATE.
sub run_block
{
	my ($block) = @_;
	my $input = "\\pset pager off\n\\set SHOW_CONTEXT never\n$block->{body}\\echo SQLSTATE :LAST_ERROR_SQLSTATE\n";
	my $output = '';

	IPC::Run::run(
		[ 'psql', '-Xq', '-d', $node->connstr('clinic') . " user=$block->{role}" ],
		'<', \$input, '>&', \$output, IPC::Run::timeout(120));
	$output =~ s/^SQLSTATE (\w+)\n\z//m or die "psql broke off: $output";
	return ($output, $1);
}

# Without blanks and empty lines at the ends of lines and of the whole.
sub trimmed
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//mg;
	$text =~ s/\n+\z/\n/;
	return $text;
}

sub check_block
{
	my ($block) = @_;
	my ($name) = $block->{body} =~ /\A(.*)/;
	my ($output, $state);

	if ($block->{needs} && !$has_cron)
	{
	  SKIP: { skip "$block->{guide}: pg_cron is not installed: $name", 1; }
		return;
	}

	ok($block->{role}, "$block->{guide}: the role of: $name") or return;
	($output, $state) = run_block($block);
	is($state, $block->{error} // '00000', "$block->{guide}: $name") or diag($output);
	return unless $block->{result};
	is(trimmed($output), trimmed($block->{result}{body}), "and its result: $name");
	$block->{result}{body} = trimmed($output);
	return;
}

# ---- the guides --------------------------------------------------------------

my %guide = map { $_ => [ pieces($_) ] } qw(admin.md analyst.md);
my @blocks = map { blocks(@{ $guide{$_} }) } qw(admin.md analyst.md);

cmp_ok(scalar @blocks, '>=', 40, 'the guides have statements');
check_block($_) for grep { ($_->{run} // '') ne 'last' } @blocks;

# Every other fence is a shell's, or a piece of a configuration file.
is_deeply(
	[ grep { !/^(sql|text|sh|ini)$/ } map { $_->{language} // () } map { @$_ } values %guide ],
	[], 'no statement hides in a block of another language');

# ---- a standby: prices, but no training --------------------------------------

my $standby = PostgreSQL::Test::Cluster->new('standby');
$node->backup('guides');
$standby->init_from_backup($node, 'guides', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
my $price = "SELECT dpobj.price('patient', 0.5, label => 'outcome')";
is( $standby->safe_psql('clinic', $price, extra_params => [ '-U', 'alice' ]),
	$node->safe_psql('clinic', $price, extra_params => [ '-U', 'alice' ]),
	'a price on a standby is the primary\'s');
my $report = "SELECT dpobj.report('patient') - 'at'";
is($standby->safe_psql('clinic', $report), $node->safe_psql('clinic', $report), 'so is a report');
my ($rc, $out, $error) = $standby->psql('clinic', "SELECT dpobj.train('patient', 'outcome', 0.1)",
	extra_params => [ '-U', 'alice', '-v', 'VERBOSITY=verbose' ]);
like($error, qr/25006/, 'a standby trains nothing');
$standby->stop;

check_block($_) for grep { ($_->{run} // '') eq 'last' } @blocks;

if ($ENV{DPOBJ_GUIDES})
{
	for my $name (keys %guide)
	{
		my $text = join '', map { $_->{language} ? "```$_->{language}\n$_->{body}```\n" : $_->{text} } @{ $guide{$name} };
		open my $file, '>', "$ENV{DPOBJ_GUIDES}/$name" or die;
		print $file $text;
		close $file;
	}
}

$node->stop;
done_testing();
