# database_settings.pl - the owner of a database sets who its sessions are and how they work, for the
# workers of dpobj too.  Jobs and charges go on as before: released, and charged to who submitted them.

use DpobjTest;

my $node = dpobj_cluster('settings', 'dpobj.release_tick = 0', 'fsync = off');
login_roles($node, qw(dbo ana));
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient AS SELECT i % 90 AS age, i % 3 = 0 AS ill FROM generate_series(1, 300) i;
SELECT dpobj.protect('patient', '{"age": {"scale": 100}, "ill": {}}'), dpobj.set_budget('patient', 'ana', 1000, 0);
ALTER DATABASE postgres OWNER TO dbo;
SQL

# Sessions that began before the settings.
my ($control, $dbo, $ana) = map { session($node, user => $_, seconds => 60) } qw(postgres dbo ana);
my $number = 0;
for my $setting (
	'session_authorization = dbo', 'role = dbo', 'search_path = nowhere', 'exit_on_error = on', 'default_transaction_read_only = on',
	"default_transaction_isolation = 'serializable'", 'statement_timeout = 1', 'lock_timeout = 1', FORCE_PARALLEL . ' = on',
	'standard_conforming_strings = off', 'row_security = off', "temp_tablespaces = nowhere")
{
	$dbo->ask("ALTER DATABASE postgres SET $setting");
	my $last = $control->ask('SELECT max(id) FROM dpobj.ledger_events');
	$number++;
	my @jobs = map { $ana->ask($_) } "SELECT dpobj.submit('train', 'patient', '{\"label\": \"ill\", \"epsilon\": 0.5, \"features\": [\"age\"]}', 'job $number')",
	  "SELECT dpobj.submit('count', 'patient', '{\"epsilon\": 0.5}', name => 'answer $number')";
	is($ana->ask("SELECT dpobj.wait($_, '1 min')"), 'released', "a job is released under $setting") for @jobs;
	is($control->ask("SELECT string_agg(event || ' ' || role, ', ' ORDER BY event) FROM dpobj.ledger WHERE id > $last"),
		'charged ana, charged ana, released ana, released ana', "its role is charged once under $setting");
	$dbo->ask('ALTER DATABASE postgres RESET ALL');
}

finish($node);
