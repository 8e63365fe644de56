# 035_customers.pl - every statement of docs/customers.md, in order: from a messy table to a model
# of three classes by private looks alone; and how far that model is from one without privacy.

use DpobjGuide;
use DpobjTest;

my $page = 'docs/customers.md';
my $node = dpobj_cluster('customers', guide_settings('customers'));
$node->safe_psql('postgres', 'CREATE DATABASE customers');

my @pieces = guide_pieces($page);
my @blocks = guide_blocks(@pieces);
cmp_ok(scalar(grep { $_->{result} } @blocks), '>=', 4, 'the page has results');
is_deeply([ guide_languages(@pieces) ], [], 'no statement hides in a block of another language');
guide_check($node, 'customers', $_) for @blocks;

# ---- without privacy -----------------------------------------------------------

# The same rows without persons, with the bins by which the page makes the label, at the largest epsilon.
$node->safe_psql('customers', q{
	CREATE TABLE known AS SELECT * FROM customer;
	CREATE TABLE known_later AS SELECT * FROM customer_later;
	SELECT dpobj.protect(t, '{"plan": {"levels": ["basic", "plus", "premium"]},
		"age": {"bins": [25, 35, 45, 55, 65], "null_indicator": true}, "spent": {"bins": [12, 20, 33, 55, 90, 150, 240], "null": 0},
		"since": {"epoch_of": "day", "since": "2015-01-01", "bins": [1096], "null": 0},
		"region": {"levels": ["north", "North ", "south", "east", "west"], "null_indicator": true}}')
	  FROM unnest('{known,known_later}'::regclass[]) t;
	SELECT dpobj.set_budget('known', 'postgres', 10000, 0);
	SELECT dpobj.train('known', 'plan', 10000, name => 'known')});

# The exact share of right predictions in the later rows, in hundredths of a point.
sub points
{
	my ($model, $table) = @_;
	return $node->safe_psql('customers', "SELECT round(10000 * avg((dpobj.predict_class(m.model, c) = c.plan)::int)) FROM dpobj.models m, $table c"
		  . " WHERE m.name = '$model'");
}

my $private = points('plan', 'customer_later');
my $known = points('known', 'known_later');
cmp_ok($private, '>=', $known - 250, "private at epsilon 2: $private of 10000 right, without privacy: $known");
cmp_ok($known, '>=', 6400, 'there is something to learn');

guide_write($page, @pieces);
finish($node);
