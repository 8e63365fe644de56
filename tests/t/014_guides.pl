# 014_guides.pl - every statement of docs/admin.md and docs/analyst.md, in order, in one fresh
# database; and dpobj.price on a standby.
#
# Every block has a role (DpobjGuide.pm). Blocks with the mark "run: last" close what both guides
# use, and run after all others.

use DpobjGuide;
use DpobjTest;

my $node = dpobj_cluster('guides', guide_settings('clinic'), 'dpobj.solver_threads = 2');
$node->safe_psql('postgres', 'CREATE DATABASE clinic');

# ---- the guides --------------------------------------------------------------

my @pages = qw(docs/admin.md docs/analyst.md);
my %guide = map { $_ => [ guide_pieces($_) ] } @pages;
my @blocks = map { guide_blocks(@{ $guide{$_} }) } @pages;

cmp_ok(scalar @blocks, '>=', 40, 'the guides have statements');
guide_check($node, 'clinic', $_) for grep { ($_->{run} // '') ne 'last' } @blocks;

# All other blocks are for a shell, or a part of a configuration file.
is_deeply(
	[ guide_languages(map { @$_ } values %guide) ],
	[], 'no statement hides in a block of another language');

# ---- a standby: prices, but no training --------------------------------------

my $standby = standby_of($node, 'standby');
my $price = "SELECT dpobj.price('patient', 'outcome', 0.5)";
is( $standby->safe_psql('clinic', $price, extra_params => [ '-U', 'alice' ]),
	$node->safe_psql('clinic', $price, extra_params => [ '-U', 'alice' ]),
	'a standby and its primary answer the same price');
my $report = "SELECT dpobj.report('patient', 'json')::jsonb - 'at'";
is($standby->safe_psql('clinic', $report), $node->safe_psql('clinic', $report), 'a standby and its primary answer the same report');
my ($rc, $out, $error) = $standby->psql('clinic', "SELECT dpobj.train('patient', 'outcome', 0.1)",
	extra_params => [ '-U', 'alice', '-v', 'VERBOSITY=verbose' ]);
like($error, qr/25006/, 'a standby trains nothing');
$standby->stop;

guide_check($node, 'clinic', $_) for grep { ($_->{run} // '') eq 'last' } @blocks;

guide_write($_, @{ $guide{$_} }) for @pages;
finish($node);
