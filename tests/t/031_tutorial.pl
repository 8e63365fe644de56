# 031_tutorial.pl - every statement of docs/tutorial.md, in order, in a fresh database, on
# UCI Adult's raw files as the repository of data has them.
#
# The files are made of DPOBJ_DATA's adult.data.csv and adult.test.csv, which differ in their
# first line and in the dots behind the labels.  Without them the statements run on
# generated rows of the same columns, and only their SQLSTATEs are looked at.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use DpobjGuide;
use DpobjTest;

# ---- the raw files -----------------------------------------------------------------

my $folder = PostgreSQL::Test::Utils::tempdir('tutorial');
my $data = $ENV{DPOBJ_DATA} // '';
my $real = -r "$data/adult.data.csv" && -r "$data/adult.test.csv";

sub write_file
{
	my ($name, @lines) = @_;
	open my $file, '>', "$folder/$name" or die;
	print $file map { "$_\n" } @lines;
	close $file;
	return;
}

# Lines of a file of the shared folder, without its head.
sub shared_lines
{
	my ($name) = @_;
	my (undef, @lines) = split /\n/, slurp_file("$data/$name");
	return grep { /,/ } @lines;
}

# People who are nobody: those with more years of education and hours earn more.
sub generated_lines
{
	my ($count) = @_;
	my @relationships = qw(Husband Wife Own-child Not-in-family Unmarried Other-relative);

	return map {
		my ($education, $hours, $relationship) = (1 + $_ * 7 % 16, 20 + $_ * 11 % 41, $relationships[ $_ % 6 ]);
		my $rich = $education + $hours / 5 + ($relationship eq 'Husband' ? 4 : 0) > 19;
		join(', ', 18 + $_ % 60, 'Private', 1000 + $_, 'Some-college', $education, 'Divorced', 'Sales', $relationship,
			'White', ($_ % 3 ? 'Male' : 'Female'), ($_ % 13 ? 0 : 7000), 0, $hours, 'United-States', $rich ? '>50K' : '<=50K')
	} 1 .. $count;
}

my @train = $real ? shared_lines('adult.data.csv') : generated_lines(6000);
my @test = $real ? shared_lines('adult.test.csv') : generated_lines(3000);
write_file('adult.data', @train, '');
write_file('adult.test', '|1x3 Cross validator', (map { "$_." } @test), '');
note('no adult.data.csv and adult.test.csv in DPOBJ_DATA: generated rows, and no results are compared') unless $real;

# ---- the walk ----------------------------------------------------------------------

my $node = dpobj_cluster('tutorial', guide_settings('tutorial'));
$node->safe_psql('postgres', 'CREATE DATABASE tutorial');

my @pieces = guide_pieces('docs/tutorial.md');
my @blocks = guide_blocks(@pieces);

cmp_ok(scalar @blocks, '>=', 14, 'the tutorial has statements');
is_deeply([ guide_languages(@pieces) ], [], 'none of them in a block of another language');
chdir $folder or die;
# After a block that was skipped the results show less spending.
my $compared = $real;
for my $block (@blocks)
{
	$compared = guide_check($node, 'tutorial', $block, no_results => !$compared) && $compared;
}
guide_write('docs/tutorial.md', @pieces);

chdir '/' or die;
$node->stop;
done_testing();
