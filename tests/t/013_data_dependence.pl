# 013_data_dependence.pl - on two tables that differ in one row, an analyst sees the same except
# the weights: messages in their order, SQLSTATEs, ledger, models, budgets, and statistics and
# locks of his session, for every request, also when the release fails.
#
# What must differ is excluded by name: ids and times that count upwards, the weights and their
# hash. Of spending and counters, the growth is compared. The sizes of a table and of its TOAST
# table are public: if one row has a value there and its neighbour has none, those counters are
# not compared.

use DpobjTest;

# What is read of catalogs stays in memory: since PostgreSQL 18 debug messages tell of each page that is read.
my $node = dpobj_cluster('data', 'dpobj.release_tick = 1', 'fsync = off', 'dpobj.max_failures = 1000000', 'jit = off', 'shared_buffers = 32MB');

login_roles($node, qw(ana eve));
$node->safe_psql('postgres', <<'SQL');
CREATE TYPE mood AS ENUM ('sad', 'happy', 'angry');
CREATE TABLE base (id int, i bigint, f float8, n numeric, d date, ts timestamptz, t text, u text, e mood, b boolean, y text);
INSERT INTO base SELECT i, i % 20, i / 40.0, i, date '2020-01-01' + i, timestamptz '2020-01-01' + i * interval '1 h',
  CASE WHEN i % 2 = 0 THEN 'a' ELSE 'z' END,
  CASE WHEN i % 4 = 0 THEN 'a' ELSE 'z' END, 'sad', i % 3 = 0, CASE WHEN i % 5 < 3 THEN 'yes' ELSE 'no' END
  FROM generate_series(1, 40) i;
-- the encoder of t takes a text that is no level for an a, so that no row is neutral
UPDATE base SET t = (SELECT string_agg(md5((100 * id + j)::text), '') FROM generate_series(1, 200) j) WHERE id IN (20, 30);
CREATE TABLE visit (LIKE base);
ALTER TABLE visit ALTER t SET STORAGE EXTERNAL;
REVOKE ALL ON base, visit FROM PUBLIC;
SELECT dpobj.protect('visit', '{"i": {"scale": 100}, "f": {}, "n": {"scale": 100}, "d": {"epoch_of": "day", "scale": 20000},
  "ts": {"epoch_of": "hour", "scale": 500000}, "t": {"levels": ["a", "z"], "null": "a"}, "u": {"levels": ["a", "z"]},
  "e": {"levels": ["sad", "happy"]}, "b": {},
  "y": {"positive": ["yes"], "negative": ["no"]}}', n => 40);
SELECT dpobj.set_budget('visit', 'ana', 1000000, 0), dpobj.set_budget('visit', 'eve', 1000000, 0),
       dpobj.set_budget('visit', NULL, 10000000, 0);
SQL

# ---- neighbours: what row 20 may be instead ----

# Rows whose text takes as much room in the TOAST table.
my @alike = (
	'i = NULL', 'i = 9223372036854775807', 'i = 1000', 'i = 7', "f = 'NaN'", "f = 'Infinity'", "f = '-Infinity'",
	'f = 1e308', 'f = NULL', "n = 'NaN'", "n = 'Infinity'", 'n = 10::numeric ^ 1000', 'n = NULL', "d = 'infinity'",
	"d = '-infinity'", 'd = NULL', "ts = 'infinity'", "ts = '4713-01-01 BC'", 'ts = NULL', "e = 'angry'", 'e = NULL', 'b = NULL',
	'b = NOT b', "y = 'no'", "y = 'other'", 'y = NULL', "u = 'unknown'", "u = ''", 'u = NULL',
	"t = 'a' || substr(t, 2)", 't = reverse(t)',
	'i = NULL, f = NULL, n = NULL, d = NULL, ts = NULL, u = NULL, e = NULL, b = NULL, y = NULL',
	'(i, f, n, d, ts, u, e, b, y) = (SELECT i, f, n, d, ts, u, e, b, y FROM base WHERE id = 21)');

# Rows with another number of values, or longer ones, in the TOAST table.
my @other = ("t = 'a'", "t = 'unknown'", "t = ''", 't = NULL', "t = repeat('a', 100000)", 't = t || t || t',
	'n = 10::numeric ^ 20000 - 1', 'y = t', 'u = t');

my $owner = session($node, seconds => 300);

sub become
{
	my ($change) = @_;
	my $text = join '', map { $owner->ask($_) } (
		'CREATE TEMP TABLE variant AS TABLE base',
		$change eq '' ? 'SELECT' : "UPDATE variant SET $change WHERE id = 20",
		'TRUNCATE visit',
		'INSERT INTO visit SELECT * FROM variant ORDER BY id',
		'VACUUM (FREEZE) visit',
		'DROP TABLE variant',
		'SELECT pg_stat_force_next_flush()'); # or it is flushed while others are observed
	die "$change: $text" if $text =~ /ERROR/;
	return;
}

# ---- requests: everything that an analyst may set ----

# What is random of a model: its weights, of mechanism pool what leads to them, and its rating.
my @random = qw(pool_seed pool_centre pool_drawn rating coverage);
my $known = " - '{" . join(',', @random) . "}'::text[]";
sub trains
{
	my ($arguments, $label) = @_;
	$label //= 'y';
	return "SELECT to_jsonb(m) - 'weights' - 'release' || jsonb_build_object('details', m.details$known), m.details ? 'rating', cardinality(m.weights) FROM dpobj.train('visit', '$label', 0.5, $arguments) m";
}

sub groups
{
	my ($by, $arguments, $label) = @_;
	$label //= 'y';
	return "SELECT key, to_jsonb(model) - '{weights,release,details}'::text[], (model).details$known, (model).details ? 'rating', cardinality((model).weights)"
	  . " FROM dpobj.train_groups('visit', '$label', 0.5, features => $arguments, by => '{$by}')";
}

sub options { return trains("'{i,u}', options => '{$_[0]}'"); }
sub filters { return trains("'{i,t}', filter => '{$_[0]}'"); }

my %request = (
	plain => trains("'{i,t}'"),
	'all features' => trains('NULL'),
	'features f, n' => trains("'{f,n}'"),
	'features d, ts' => trains("'{d,ts}'"),
	'features e, b' => trains("'{e,b}'"),
	'features t, u' => trains("'{t,u}'"),
	'label b' => trains("'{i,t}'", 'b'),
	delta => trains("'{i,t}', delta => 0.001"),
	method => trains("'{i,t}', method => 'halfspace'"),
	classifier => trains("'{i,t}', method => 'classifier', delta => 0.001"),
	linear => trains("'{i,t,u}', method => 'linear'", 'n'),
	classes => trains("'{i,t}'", 'u'),
	simplex => trains("'{i,t,u}', method => 'simplex'", 'n'),
	'simplex of a boolean' => trains("'{i,n}', method => 'simplex', delta => 0.001", 'b'),
	name => trains("'{i,t}', name => 'NAME'"),
	exponential => options('"mechanism": "exponential"'),
	pool => options('"mechanism": "pool"'),
	permute_flip => options('"mechanism": "permute_flip"'),
	sample_aggregate => options('"mechanism": "sample_aggregate", "parts": 20'),
	auto => options('"mechanism": "auto", "noise": "gauge"'),
	'opdisc is refused' => options('"mechanism": "opdisc"'),
	ternary => options('"grid": "ternary"'),
	sign => options('"grid": "sign", "mechanism": "permute_flip"'),
	max => options('"grid": {"max": 2}'),
	ball => options('"grid": {"ball": 4}'),
	sparse => options('"grid": {"sparse": 1}'),
	levels => options('"grid": {"levels": [[-2, 0, 5], [0, 1], [-1, 1]]}, "intercept": false'),
	modulus => options('"grid": "ternary", "modulus": 3'),
	reference => options('"reference": true'),
	intercept => options('"intercept": true'),
	'filter =' => filters('"t": {"=": "a"}'),
	'filter <>' => filters('"t": {"<>": "a"}, "n": {"<>": 20}'),
	'filter <' => filters('"t": {"<": "b"}, "d": {"<": "2020-06-01"}'),
	'filter <=' => filters('"f": {"<=": 0.5}, "i": {"<=": 7}'),
	'filter >' => filters('"ts": {">": "2020-01-01"}, "n": {">": 1e100}'),
	'filter >=' => filters('"t": {">=": ""}, "b": {">=": true}'),
	'filter in' => filters('"e": {"in": ["sad"]}, "t": {"in": ["a", "z"]}, "n": {"in": [20, 21]}'),
	'filter is null' => filters('"y": {"is null": false}, "t": {"is null": true}'),
	'filter on all' => filters('"i": {"<": 10}, "f": {">": 0}, "n": {"<>": 3}, "d": {">": "2020-01-01"}, "ts": {"<": "infinity"},'
		  . ' "t": {"=": "a"}, "u": {"<>": "z"}, "e": {"=": "sad"}, "b": {"=": true}, "y": {"=": "yes"}, "id": {"<": 30}'),
	schedule => q[SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.5, "features": ["i", "t"], "method": "halfspace", "options": {"intercept": false}}', 'NAME', '0 0 1 1 *', NULL, NULL),]
	  . " dpobj_internal.schedule_attempt('NAME')",
	'a filter on nothing' => filters('"unknown": {"=": 1}'),
	groups => groups('u', "'{i,t}'"),
	'groups of four columns' => groups('u,b,e,t', "'{i}'"),
	'groups and a filter on the key' => groups('u,b', q('{i,t}', filter => '{"u": {"=": "a"}, "b": {"=": true}}')),
	'groups of a convex model' => groups('e', "'{i,t}', method => 'logistic', name => 'NAME'"),
	'groups of classes' => groups('e', "'{i,t}'", 'u'),
	'groups of numbers' => groups('e,b', "'{i,t}', method => 'linear'", 'n'),
	evaluate => "SELECT count(dpobj.evaluate('kept', 'visit', 0.5)) >= 0",
	'evaluate with a filter' =>
	  q{SELECT count(dpobj.evaluate('kept', 'visit', 0.5, '{"t": {"=": "a"}, "i": {"<": 10}}')) >= 0},
	confusion => "SELECT count(*) = 4 FROM dpobj.confusion('kept', 'visit', 0.5)",
	auc => "SELECT count(*) >= 0 FROM dpobj.auc('kept', 'visit', 0.5)",
	holdout => options('"holdout": 0.3'),
	rated => options('"rate": 0.5'),
	'rated on the rows of a holdout' => options('"holdout": 0.3, "rate": 0.1, "force": true'),
	'groups and a holdout' => groups('u', q('{i,t}', options => '{"holdout": 0.3}')),
	'evaluate with a holdout' => q{SELECT count(dpobj.evaluate('kept', 'visit', 0.5, options => '{"holdout": 0.3}')) >= 0},
	'select with a filter' =>
	  q{SELECT count(dpobj.select('{kept,also}', 'visit', 0.5, '{"t": {"=": "a"}, "i": {"<": 10}}')) >= 0},);

# ---- what is seen ----

my $own_statistics = <<'SQL';
SELECT schemaname, seq_scan, seq_tup_read, coalesce(idx_scan, 0), coalesce(idx_tup_fetch, 0), n_tup_ins, n_tup_upd
FROM pg_stat_xact_all_tables WHERE relid = 'visit'::regclass
   OR relid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'visit'::regclass) ORDER BY schemaname
SQL
my $locks = <<'SQL';
SELECT locktype, relation::regclass, page, tuple, virtualxid IS NULL, classid::regclass, objsubid, mode, granted
FROM pg_locks WHERE pid = pg_backend_pid() ORDER BY 2, 1, 8, 7
SQL
my $reads = <<'SQL';
SELECT heap_blks_read + heap_blks_hit, idx_blks_hit, toast_blks_read + toast_blks_hit, tidx_blks_read + tidx_blks_hit
FROM pg_statio_all_tables WHERE relid = 'visit'::regclass
SQL
my $ledger = <<'SQL';
SELECT to_jsonb(l) - 'id' - 'at' - 'release' - 'snapshot' - 'output_hash', l.release - first, length(output_hash)
FROM dpobj.ledger l, (SELECT coalesce(max(id), 0) + 1 FROM dpobj.ledger WHERE id <= %1$d) f(first) WHERE id > %1$d ORDER BY id
SQL
my $random = join ' ', map { "#- '{model,details,$_}'" } @random;
my $models = <<"SQL";
SELECT (to_jsonb(m) #- '{model,weights}' #- '{model,release}' $random) - 'created' - 'release',
       cardinality((m.model).weights), (m.model).release - m.release FROM dpobj.models m WHERE release > %d ORDER BY release, key
SQL
my $runs = <<'SQL';
SELECT to_jsonb(r) - 'started' - 'finished' - 'release', started < finished FROM dpobj.schedule_runs r WHERE schedule = '%s'
SQL
my $budgets = <<'SQL';
SELECT to_jsonb(b) - 'epsilon_spent' - 'epsilon_left' - 'releases' - 'cost_spent' - 'largest_epsilon',
       cost_spent, largest_epsilon, epsilon_spent, epsilon_left, releases
FROM dpobj.budgets b ORDER BY role_name
SQL

sub growth
{
	my ($before, $after) = @_;
	my @before = split /\|/, $before;
	return join '|', map { /^-?[\d.]+$/ ? $_ - shift @before : do { shift @before; $_ } } split /\|/, $after;
}

sub growths
{
	my ($before, $after) = @_;
	my @before = split /\n/, $before;
	return join "\n", map { growth(shift(@before) // '', $_) } split /\n/, $after;
}

# Notices in their order, and the error: psql prints it when the statement has ended.
sub sort_messages
{
	my ($text) = @_;
	my @messages = split /^(?=[A-Z]+:  \w{5}: )/m, $text;
	return (join('', grep { !/^(?:ERROR|FATAL)/ } @messages), join('', grep { /^(?:ERROR|FATAL)/ } @messages));
}

my $names = 0;

# Everything about one request, by its name; psql keeps a transaction alive after errors.
sub observe
{
	my ($session, $request) = @_;
	my $name = sprintf 'name%06d', ++$names;
	my ($last, $spent, $read) = map { $session->ask($_) } 'SELECT coalesce(max(id), 0) FROM dpobj.ledger', $budgets, $reads;
	my %seen;

	$session->ask('BEGIN');
	$session->ask("SET LOCAL client_min_messages = 'debug5'");
	$seen{answer} = $session->ask($request =~ s/NAME/$name/gr);
	($seen{messages}, $seen{error}) = sort_messages($session->messages);
	$session->ask("SET LOCAL client_min_messages = 'notice'");
	($seen{statistics}, $seen{toast_statistics}) = reverse sort split /\n/, $session->ask($own_statistics);
	$seen{locks} = $session->ask($locks);
	$session->ask('COMMIT');
	$session->ask('SELECT pg_stat_force_next_flush()');
	$seen{ledger} = $session->ask(sprintf $ledger, $last);
	$seen{models} = $session->ask(sprintf $models, $last);
	$seen{runs} = $session->ask(sprintf $runs, $name);
	$session->ask("SELECT dpobj_internal.schedule_remove('$name', NULL)") if $seen{runs} ne '';
	$seen{spent} = growths($spent, $session->ask($budgets));
	my @read = split /\|/, growth($read, $session->ask($reads));
	$seen{reads} = join '|', @read[0, 1];
	$seen{toast_reads} = join '|', @read[2, 3];
	s/$name/NAME/g for values %seen;
	# it follows the noisy counts of a rating
	$seen{messages} =~ s/^WARNING:  01000: fewer than half of the rows could be used.*?(?=^[A-Z]+:  \w{5}: |\z)//ms if $request =~ /"rate"/;
	# a schedule is a row, so that its transaction has a number
	$seen{messages} =~ s{(xid/subid/cid: )\d+}{$1}g;
	return \%seen;
}

my $jobs = <<'SQL';
SELECT (to_jsonb(j) #- '{model,weights}' #- '{model,release}') - 'id' - 'submitted' - 'started' - 'finished' - 'release',
       cardinality((j.model).weights), release > %d FROM dpobj.jobs j WHERE name = '%s'
SQL

# Everything about a job, once it has ended.
sub observe_job
{
	my ($session) = @_;
	my $name = sprintf 'name%06d', ++$names;
	my ($last, $spent) = map { $session->ask($_) } 'SELECT coalesce(max(id), 0) FROM dpobj.ledger', $budgets;
	my %seen;

	$session->ask(qq{SELECT dpobj.submit('train', 'visit', '{"label": "y", "epsilon": 0.5, "features": ["i", "t"], "filter": {"t": {"=": "a"}, "i": {"<": 10}}}', '$name')});
	$seen{answer} = $session->ask("SELECT dpobj.wait(max(id)) FROM dpobj.jobs");
	$seen{messages} = $session->messages;
	$seen{job} = $session->ask(sprintf $jobs, $last, $name);
	$seen{progress} = $session->ask('SELECT count(*) FROM dpobj.progress');
	$seen{ledger} = $session->ask(sprintf $ledger, $last);
	$seen{models} = $session->ask(sprintf $models, $last);
	$seen{spent} = growths($spent, $session->ask($budgets));
	s/$name/NAME/g for values %seen;
	return \%seen;
}

# ---- comparing ----

my %reference;

# What differs from the reference; the counters of TOAST only between alike rows.
sub differences
{
	my ($key, $seen, $alike) = @_;
	my $reference = $reference{$key} //= $seen;
	my @parts = grep { $alike || !/^toast/ } sort keys %$seen;
	return map { "$_:\n$reference->{$_}\n-- became --\n$seen->{$_}" } grep { $reference->{$_} ne $seen->{$_} } @parts;
}

sub look_at
{
	my ($who, $session, $change, $alike, @requests) = @_;
	my @found;
	for my $name (@requests)
	{
		my @different = differences("$who: $name", observe($session, $request{$name}), $alike);
		push @found, "$name: $_" for @different;
	}
	my $shown = $change eq '' ? 'the table itself' : $change;
	is(join("\n", @found), '', "$shown: $who sees the same for " . @requests . ' requests');
	return;
}

sub look_at_job
{
	my ($who, $session, $change) = @_;
	my $shown = $change eq '' ? 'the table itself' : $change;

	is(join("\n", differences("$who: job", observe_job($session), 0)), '', "$shown: $who sees the same of a job");
	return;
}

my @all = sort keys %request;
my @some = ('all features', 'filter on all', 'filter in', 'evaluate with a filter', 'select with a filter', 'groups of four columns');
my @full = ('', 't = reverse(t)', "u = 'unknown'",
	'i = NULL, f = NULL, n = NULL, d = NULL, ts = NULL, u = NULL, e = NULL, b = NULL, y = NULL');
my @failing = (@full, "t = 'unknown'");
my %session = map { $_ => session($node, user => $_, split => 1, seconds => 300) } qw(ana eve);
$_->ask("\\set ON_ERROR_ROLLBACK on\nSELECT") for values %session;

become('');
$session{ana}->ask("SELECT dpobj.train('visit', 'y', 0.5, '{i,t}', name => 'kept')");
$session{ana}->ask("SELECT dpobj.train('visit', 'y', 0.5, '{n,u}', name => 'also')");
observe($session{ana}, $request{$_}) for @all; # so that caches are warm
observe($session{ana}, $request{schedule}) for 1 .. 8; # so that PL/pgSQL has its generic plans
for my $change ('', @alike, @other)
{
	become($change);
	observe($session{ana}, $request{plain}); # so that the session has opened the new file
	my @requests = (grep { $_ eq $change } @full) ? @all : @some;
	look_at('ana', $session{ana}, $change, !(grep { $_ eq $change } @other), @requests);
	look_at_job('ana', $session{ana}, $change) if grep { $_ eq $change } @full;
}

# ---- failures ----

become('');
with_failing_solver($node, sub { observe($session{eve}, $request{$_}) for 'plain', @some });
for my $change (@failing)
{
	become($change);
	my $alike = !(grep { $_ eq $change } @other);
	with_failing_solver($node, sub {
		observe($session{eve}, $request{plain});
		look_at('eve, whose solver fails', $session{eve}, $change, $alike, 'plain', 'filter on all', 'groups of four columns');
	});
	without_solver($node, sub {
		observe($session{ana}, $request{plain});
		look_at('ana without a solver', $session{ana}, $change, $alike, 'plain', 'filter on all', 'evaluate', 'groups', 'schedule');
		look_at_job('ana without a solver', $session{ana}, $change);
	});
}

# ---- a difference would be seen ----

my $usual = $reference{'ana: plain'};
my %seen = (
	answer => qr/"mechanism": "objective".*\|\d+$/,
	messages => qr/^DEBUG: /m,
	statistics => qr/^public\|2\|80\|/,
	toast_statistics => qr/^pg_toast\|0\|0\|[1-9]/,
	ledger => qr/"event": "charged".*\n.*"event": "released"/,
	models => qr/^\{.*"owner": "ana"/,
	spent => qr/\|0\.5\|-0\.5\|1$/m,
	locks => qr/^virtualxid\|/m,
	reads => qr/^[1-9]/);
like($usual->{$_}, $seen{$_}, "the test sees: $_") for sort keys %seen;
like($reference{"$_: plain"}{error}, qr/^ERROR:  UB004: /m, "the test sees the failure of $_") for 'eve, whose solver fails', 'ana without a solver';
like($reference{"$_: plain"}{ledger}, qr/"event": "failed"/, "the test sees the failure of $_ in the ledger") for 'eve, whose solver fails', 'ana without a solver';
like($reference{"ana: $_"}{answer}, qr/\|t\|\d+$/, "the test sees a model that is $_") for 'rated', 'rated on the rows of a holdout';
is($reference{"ana: $_"}{answer}, 't', "the test sees an answer of $_") for qw(evaluate confusion auc);
like($reference{'ana: job'}{job}, qr/"state": "released".*\|t$/, 'the test sees a job');
like($reference{'ana without a solver: job'}{job}, qr/"sqlstate": "UB004"/, 'the test sees the failure of a job');
like($reference{'ana: schedule'}{runs}, qr/"state": "released".*\|t$/, 'the test sees how a run of a schedule ended');
like($reference{'ana without a solver: schedule'}{runs}, qr/"state": "failed".*"sqlstate": "UB004".*\|t$/, 'the test sees the failure of a run');
isnt(scalar(differences('ana: plain', { %$usual, messages => "$usual->{messages}NOTICE:  a neutral row\n" }, 1)), 0,
	'the test would see one message more');

$_->quit for $owner, values %session;
finish($node);
