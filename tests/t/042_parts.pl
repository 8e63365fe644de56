# 042_parts.pl - a table whose partitions are on other servers: the analyst's door reads the same rows as
# from one table, what cannot be read is refused before the charge, and parts release nothing.

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('parts', 'dpobj.release_tick = 0');
login_roles($coordinator, 'ana');
$coordinator->safe_psql('postgres', "SELECT dpobj.set_budget(t, 'ana', 100000000, 0) FROM unnest('{visit,whole}'::regclass[]) t");
my $session = session($coordinator);
my $ana = session($coordinator, user => 'ana');

# ---- the same rows ----

sub digest_of
{
	my ($table, $arguments) = @_;
	return $session->ask("SELECT * FROM dpobj_internal.scan_digest('$table', $arguments)");
}

my %scans = (
	'all columns' => "'y'",
	'some columns' => "'y', '{e,n,a}'",
	'another label' => "'b', '{r,d,tz}'",
	'a filter' => q{'y', '{a,s}', filter => '{"n": {">=": 0.25, "<": 7.5}, "e": {"in": ["low"]}, "t": {"<>": "tt"}, "d": {">": "2026-02-01"}}'},
	'a filter for missing values' => q{'y', '{a,s}', filter => '{"n": {"is null": true}, "c": {"=": "cc"}}'});
for my $name (sort keys %scans)
{
	my $whole = digest_of('whole', $scans{$name});
	like($whole, qr/^3000\|\d+\|\d+\|\\x[0-9a-f]{64}$/, "$name: one table has a digest");
	is(digest_of('visit', $scans{$name}), $whole, "$name: its parts have the same");
}

# ---- a training ----

my $train = q{SELECT (dpobj.train('%s', 'y', 1000, '{a,r,b}', method => 'logistic', options => '{"mechanism": "objective"}')).weights};
spends(
	$coordinator,
	'a training over parts',
	{ epsilon => 1000, charged => 1, released => 1 },
	sub { like($ana->ask(sprintf $train, 'visit'), qr/^\{[-0-9.,e]+\}$/, 'a training over parts answers'); });

finish($coordinator);
