# 044_scale.pl - the set-ups in docs/scale.md, with two parts, and with Citus and two workers where it is
# installed.

use DpobjGuide;
use DpobjTest;

my ($coordinator, @parts) = map { dpobj_cluster($_) } qw(scale_coordinator scale_part1 scale_part2);
my @page = guide_pieces('docs/scale.md');

$_->safe_psql('postgres', 'DROP EXTENSION dpobj CASCADE') for @parts; # the page makes it
login_roles($coordinator, 'alice');
my @blocks = guide_blocks(@page);
my @of_citus = grep { $_->{on} =~ /^(node|citus)$/ } @blocks;
is(scalar(@of_citus), 3, 'the page sets Citus up in three blocks');

for my $block (grep { $_->{on} =~ /^(part|coordinator)$/ } @blocks)
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

# ---- Citus ----

my ($share) = split /\n/, `pg_config --sharedir`;
SKIP:
{
	skip 'skipped: citus.control not found', 1 unless -e "$share/extension/citus.control";
	my ($chief, @workers) = map { dpobj_cluster("scale_citus_$_", "shared_preload_libraries = 'citus,dpobj'", "listen_addresses = '127.0.0.1'",
			'max_connections = 60', 'max_prepared_transactions = 120', "citus.node_conninfo = 'sslmode=prefer'") } qw(coordinator worker1 worker2);
	my %port = (coordinator => $chief->port, worker1 => $workers[0]->port, worker2 => $workers[1]->port);

	$_->safe_psql('postgres', 'DROP EXTENSION dpobj CASCADE') for $chief, @workers;
	for my $block (@of_citus)
	{
		$block->{body} =~ s/'(\w+)\.example', 5432/'127.0.0.1', $port{$1}/g;
		guide_check($_, 'postgres', {%$block}, role => 'postgres') for $block->{on} eq 'node' ? ($chief, @workers) : $chief;
		login_roles($chief, 'alice') if $block->{on} eq 'node';
	}
	is(scalar_of($chief, "SELECT count(*) FROM dpobj.ledger WHERE event = 'released'"), '1', 'one release on the coordinator');
	$_->stop for $chief, @workers;
}

finish($coordinator);

