# 055_verify_report.pl - a report that an auditor takes home: another server, which has neither the table nor its roles, recomputes it
# from its events. Each altered digit is found, and a ledger that was cut short.

use DpobjTest;

my $node = dpobj_cluster('here', "dpobj.release_tick = 0\ntimezone = 'UTC'");
my $home = dpobj_cluster('home', "timezone = 'Asia/Tokyo'\ndatestyle = 'SQL, DMY'\nextra_float_digits = 0");

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE auditor LOGIN; CREATE ROLE "Ann" LOGIN; CREATE ROLE bea LOGIN;
GRANT dpobj_auditor TO auditor;
CREATE TABLE visit (who int, day int, ill boolean);
INSERT INTO visit SELECT i % 900, i % 7, i % 7 > 3 FROM generate_series(1, 2000) i;
CREATE TABLE "later Visit" () INHERITS (visit);
SELECT dpobj.protect('visit', '{"day": {"bins": [2, 4]}, "ill": {}}', person => 'who', max_rows_per_person => 3, n => 2000);
SELECT dpobj.set_budget('visit', NULL, 20, 0.00001, 'zcdp', delta_reserve => 0.000001);
SELECT dpobj.set_budget('visit', '"Ann"', 2, 0, max_releases => 100), dpobj.set_budget('visit', 'bea', 5, 0.00001, 'rdp', rdp_order => 8, delta_reserve => 0.000001);
SELECT dpobj.raise_budget('visit', '"Ann"', 2, 0, 'it''s a "second" paper');
SQL

sub paid
{
	my ($role, $sql) = @_;
	$node->safe_psql('postgres', "SET client_min_messages = warning; $sql", extra_params => [ '-U', $role ]);
}

sub report
{
	my ($how) = @_;
	return $node->safe_psql('postgres', "SELECT dpobj.report('visit', 'registry')$how", extra_params => [ '-U', 'auditor' ]);
}

# What does not hold of a report, as the other server says it; earlier: another report, or NULL.
sub found
{
	my ($report, $earlier) = @_;
	my $quoted = join ', ', map { defined $_ ? "\$report\$$_\$report\$" : 'NULL' } $report, $earlier;
	return $home->safe_psql('postgres', "SELECT coalesce(string_agg(what, ', '), 'all holds') FROM dpobj.verify_report($quoted) WHERE differences > 0");
}

paid('Ann', "SELECT FROM dpobj.train('visit', 'ill', 1, ARRAY['day'], method => 'halfspace', name => 'm');
             SELECT FROM dpobj.count('visit', 0.1) a, dpobj.count('visit', 0.1, name => 'again') b");
my $first = report('');
paid('bea', "SELECT FROM dpobj.train('visit', 'ill', 0.5, ARRAY['day'], method => 'logistic', delta => 1e-7,
               options => '{\"mechanism\": \"objective\", \"noise\": \"gaussian\"}');
             SELECT FROM dpobj.histogram('visit', 'day', 0.2)");
paid('Ann', "SELECT FROM dpobj.count('visit', 0.1)");
my $last = report('');

# ---- what holds ----

is($home->safe_psql('postgres', "SELECT count(*) FROM dpobj.ledger"), '0', 'the other server has no event');
is(found($first), 'all holds', 'a report holds on the other server');
is(found($last, $first), 'all holds', 'and so does a later one, which has all events of the first');
like($home->safe_psql('postgres', "SELECT (\$report\$$last\$report\$::jsonb)->'promise'->>0"),
	qr/^Each person in public\.visit was promised .* epsilon 20 and delta 0\.00001; of this, epsilon \S+ and delta 0\.0000091 are spent, in 6 releases\.$/,
	'its first sentence');

# ---- one digit ----

my $digits = () = $last =~ /[0-9]/g;
my $step = int($digits / 40) + 1;
my ($place, $sampled, @unfound) = (0, 0);
while ($last =~ /[0-9]/g)
{
	next if $place++ % $step != 7;
	my $altered = $last;
	substr($altered, pos($last) - 1, 1) =~ tr/0-9/1-98/;
	$sampled++;
	push @unfound, substr($last, pos($last) - 60, 80) if found($altered) eq 'all holds';
}
is_deeply(\@unfound, [], "each of $sampled altered digits of $digits is found");

# ---- a ledger cut short, by a superuser who leaves its counts or alters them, too ----

sub cut
{
	my ($events, $counts) = @_;
	return report_of(<<"SQL");
ALTER TABLE dpobj.ledger_events DISABLE TRIGGER ALL; ALTER TABLE dpobj.charge_counts DISABLE TRIGGER ALL; ALTER TABLE dpobj.budget_rows DISABLE TRIGGER ALL;
DELETE FROM dpobj.ledger_events WHERE $events;
$counts
SQL
}

sub report_of
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', "SET client_min_messages = warning; BEGIN; $sql SELECT dpobj.report('visit', 'registry'); ROLLBACK;");
}

my $recount = <<'SQL';
DELETE FROM dpobj.charge_counts;
INSERT INTO dpobj.charge_counts (block, relation_identity, role_identity, payers, mechanism, adjacency, person, guarantee, pair, pair_terms,
    epsilon_nano, delta_units, rho_pico, rho_delta, rdp_pico, rdp_delta, rdp_replaced, times, last) SELECT * FROM dpobj.charge_kinds;
UPDATE dpobj.budget_rows b SET cost_spent = s.cost, delta_spent = s.delta, releases_spent = s.releases FROM dpobj.budget_sums s WHERE s.id = b.id;
SQL
my $charge = "id = (SELECT %s(id) FROM dpobj.ledger_events WHERE event = 'charged')";
for my $where (qw(max min))
{
	my $events = sprintf $charge, $where;
	like(found(cut($events, '')), qr/^counted charges, /, "events cut at $where are found in a report alone: the counts are kept with the charges");
	my $both = "$events OR release" . ($events =~ s/^id//r);
	my $forged = cut($both, $recount);
	is(found($forged), 'all holds', "with the counts altered, too, a report alone says nothing");
	is(found($forged, $last), 'events of the earlier report', "but an earlier report does");
}
like(found(cut("event = 'raise_budget'", '')), qr/^caps of budgets/, 'an event of an administrator');
refused('for those who see all', '42501', in_session($node, 'bea', "SELECT * FROM dpobj.verify_report('{}')"));

finish($node, $home);
