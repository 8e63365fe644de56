# 044_scale.pl - the set-up in docs/scale.md, with two parts.

use DpobjGuide;
use DpobjTest;

my ($coordinator, @parts) = map { dpobj_cluster($_) } qw(scale_coordinator scale_part1 scale_part2);
my @page = guide_pieces('docs/scale.md');

$_->safe_psql('postgres', 'DROP EXTENSION dpobj CASCADE') for @parts; # the page makes it
login_roles($coordinator, 'alice');
for my $block (guide_blocks(@page))
{
	if ($block->{on} eq 'part')
	{
		guide_check($_, 'postgres', $block, role => 'postgres') for @parts;
		$parts[ $_ - 1 ]->safe_psql('postgres', sprintf q{INSERT INTO claim_part SELECT i, i %% 90, (ARRAY['north', 'south'])[1 + i %% 2], i %% 90 > 45
		  FROM generate_series(%d, %d) i}, ($_ - 1) * 1000 + 1, $_ * 1000) for 1, 2;
		next;
	}
	for my $i (1, 2)
	{
		my ($host, $port) = ($parts[ $i - 1 ]->host, $parts[ $i - 1 ]->port);
		$block->{body} =~ s/host 'part$i\.example', port '5432'/host '$host', port '$port'/;
	}
	guide_check($coordinator, 'postgres', $block, role => 'postgres');
}
is(scalar_of($coordinator, "SELECT count(*) FROM dpobj.ledger WHERE event = 'released'"), '2', 'two releases');
is(in_session($coordinator, 'alice', "SELECT value FROM dpobj.count('claim', 8)") =~ /^(?:199\d|20[01]\d)$/ ? 'about 2000' : 'other', 'about 2000', 'rows of both parts');

finish($coordinator);
