# 042_parts.pl - a table whose partitions are on other servers: the analyst's door reads the same rows as
# from one table, what cannot be read is refused before the charge, and parts release nothing.

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('parts', 'dpobj.release_tick = 0');
login_roles($coordinator, 'ana');
$coordinator->safe_psql('postgres', "SELECT dpobj.set_budget(t, 'ana', 100000000, 0) FROM unnest('{visit,whole}'::regclass[]) t");
scan_functions($coordinator);
my $session = session($coordinator);
my $ana = session($coordinator, user => 'ana');

# ---- the same rows ----

sub digest_of
{
	my ($table, $arguments) = @_;
	return $session->ask("SELECT * FROM scan_digest('$table', $arguments)");
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


# ---- every release of the analyst's door ----

# One table and its parts deal rows by one key.
$session->ask("UPDATE dpobj.identities SET holdout_key = '00010203-0405-0607-0809-0a0b0c0d0e0f' WHERE kind = 'table'");

sub alike
{
	my ($name, $statement) = @_;
	my $whole = $ana->ask($statement =~ s/%s/whole/gr);
	unlike($whole, qr/ERROR/, "$name: one table answers");
	is($ana->ask($statement =~ s/%s/visit/gr), $whole, "$name: its parts answer the same");
	return;
}

# The noise at this epsilon is less than a half, but for a chance of e^-100 and less.
alike('a count', q{SELECT value FROM dpobj.count('%s', 1000)});
alike('counts by group', q{SELECT key, value FROM dpobj.count('%s', 1000, '{e,s}', filter => '{"r": {">": 0}}')});
alike('a sum', q{SELECT round(value::numeric) FROM dpobj.sum('%s', 'r', 1000)});
alike('averages by group', q{SELECT key, round(value::numeric, 1), rows FROM dpobj.avg('%s', 'r', 10000, '{b}')});
alike('a histogram', q{SELECT bin, value FROM dpobj.histogram('%s', 'n', 1000)});
alike('quantiles', q{SELECT quantile, round(value::numeric, 2) FROM dpobj.quantiles('%s', 'r', '{0.1,0.5}', 10000)});
alike('a profile', q{SELECT p FROM dpobj.profile('%s', 10000, columns => '{e,s,b}') p});

$ana->ask(q{SELECT FROM dpobj.train('visit', 'y', 100, '{r,e,s}', method => 'logistic', options => '{"mechanism": "objective", "holdout": 0.3}', name => 'dealt')});
$ana->ask(q{SELECT FROM dpobj.train('whole', 'y', 100, '{s}', method => 'logistic', options => '{"mechanism": "objective"}', name => 'other')});
alike("a confusion table, $_", qq{SELECT * FROM dpobj.confusion('dealt', '%s', 1000, NULL, '$_')}) for '{"holdout": 0.3}', '{"holdout": false}';
alike('an accuracy', q{SELECT round(dpobj.evaluate('dealt', '%s', 1000, NULL, '{"holdout": 0.3}')::numeric, 3)});
alike('an area under the curve', q{SELECT round(value::numeric, 1) FROM dpobj.auc('dealt', '%s', 1000, NULL, '{"holdout": 0.3}')});
alike('a calibration', q{SELECT * FROM dpobj.calibration('dealt', '%s', 1000, NULL, '{"holdout": 0.3}')});
alike('a selection', q{SELECT dpobj.select('{dealt,other}', '%s', 10000, NULL, '{"holdout": false}')});
alike('groups of a training', q{SELECT key FROM dpobj.train_groups('%s', 'y', 100, '{r,s}', by => '{b}', method => 'logistic', options => '{"mechanism": "objective"}')});
alike('a price', q{SELECT dpobj.price('%s', 'y', 1, '{r}', method => 'logistic') - '{remaining,calls}'::text[]});
my $id = $ana->ask(q{SELECT dpobj.submit('train', 'visit', '{"label": "y", "epsilon": 1, "features": ["r", "s"], "method": "logistic"}', 'job over parts')});
is($ana->ask("SELECT dpobj.wait($id, '60 s')"), 'released', 'a job trains over parts');

# Groups stay together: each model is that of its rows.
my $groups = q{SELECT key, round((model).weights[1]::numeric, 1) FROM dpobj.train_groups('%s', 'y', 10000, '{r}', by => '{b}',
  method => 'logistic', options => '{"mechanism": "objective", "regularization": 100}')};
alike('models of groups', $groups);

# Records that are spilled on the parts, and many chunks of them, are the same rows.
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM SET work_mem = '64kB'; ALTER SYSTEM SET hash_mem_multiplier = 1; SELECT pg_reload_conf()"); }
is(digest_of('visit', "'y'"), digest_of('whole', "'y'"), 'spilled rows of parts are the same');
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM RESET work_mem; ALTER SYSTEM RESET hash_mem_multiplier; SELECT pg_reload_conf()"); }

# ---- persons ----

$coordinator->safe_psql('postgres', sprintf <<'SQL', columns());
CREATE TABLE person (%1$s) PARTITION BY LIST (s);
CREATE TABLE person_0 PARTITION OF person FOR VALUES IN (0, 1);
CREATE TABLE person_whole (%1$s);
SQL
for my $i (1, 2)
{
	make_part($parts[ $i - 1 ], 'person_part', 1, 3000, of => 'postgres.public.person');
	my $kept = $i == 1 ? '2, 3' : '4, 5';
	$parts[ $i - 1 ]->safe_psql('postgres', "DELETE FROM person_part WHERE s NOT IN ($kept)");
	foreign_partition($coordinator, "person_$i", "IN ($kept)", "part$i", 'person_part', 'person');
}
$coordinator->safe_psql('postgres', sprintf <<'SQL', rows_between(1, 3000), encoders());
INSERT INTO person_whole %s;
INSERT INTO person_0 SELECT * FROM person_whole WHERE s IN (0, 1);
SELECT dpobj.protect(t, '%s', 'add_remove', 's', 5) FROM unnest('{person,person_whole}'::regclass[]) t;
SELECT dpobj.set_budget('person', 'ana', 1000, 0.001);
SQL
my $key = q{person_key => '\x000102030405060708090a0b0c0d0e0f'};
is(digest_of('person', "'y', '{a,r}', $key"), digest_of('person_whole', "'y', '{a,r}', $key"), 'the same rows of each person enter');
like($ana->ask(q{SELECT value FROM dpobj.count('person', 100)}), qr/^30$/m, 'six persons have five rows each, wherever they are');
like($ana->ask(q{SELECT value FROM dpobj.count('person', 100, options => '{"distinct": "person"}')}), qr/^6$/m, 'and are six persons');

# ---- refusals, before any charge ----

my $count = q{SELECT value FROM dpobj.count('%s', 1)};

sub free
{
	my ($name, $text, $block, $table) = @_;
	spends($coordinator, $name, {}, sub { like($block ? $block->() : $ana->ask(sprintf $count, $table // 'visit'), $text, $name); });
	return;
}

# A table over one part of the given relation on the first part's server.
sub over
{
	my ($table, $remote, %how) = @_;
	my $server = $how{server} // 'part1';
	$coordinator->safe_psql('postgres', sprintf 'CREATE TABLE %s (%s) PARTITION BY RANGE (id)', $table, $how{columns} // columns());
	foreign_partition($coordinator, "${table}_1", 'FROM (1) TO (20001)', $server, $remote, $table);
	foreign_partition($coordinator, "${table}_2", 'FROM (20001) TO (30000)', $server, $how{second}, $table) if $how{second};
	$coordinator->safe_psql('postgres', sprintf "SELECT dpobj.protect('%s', '%s', '%s', n => %s); SELECT dpobj.set_budget('%1\$s', 'ana', 100, 0)",
		$table, $how{encoders} // encoders(), $how{adjacency} // 'add_remove', $how{n} // 'NULL');
	return $table;
}

sub server_to
{
	my ($name, %options) = @_;
	my $list = join ', ', map { "$_ '$options{$_}'" } sort keys %options;
	$coordinator->safe_psql('postgres', <<"SQL");
CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($list);
CREATE USER MAPPING FOR postgres SERVER $name OPTIONS (user 'dealer');
SQL
	return;
}

my %place = (host => $parts[0]->host, port => $parts[0]->port);
my $not_marked = qr/UB003: part "public\.\w+" cannot be read\n.*not marked as a part of this table/;

make_part($parts[0], 'bare', 1, 10, unmarked => 1);
free('a part that is not marked', $not_marked, undef, over('bare', 'bare'));
make_part($parts[0], 'of_another', 1, 10, of => 'postgres.public.whole');
my %calls = (
	training => q{train('bare', 'y', 1)},
	groups => q{train_groups('bare', 'y', 1, '{a}', by => '{b}')},
	sum => q{sum('bare', 'r', 1)},
	quantiles => q{quantiles('bare', 'r', '{0.5}', 1)},
	profile => q{profile('bare', 1)},
	suggestion => q{suggest('bare', 1, '{"n": [0, 20]}')},
	accuracy => q{evaluate('dealt', 'bare', 1)},
	calibration => q{calibration('dealt', 'bare', 1)},
	job => q{submit('train', 'bare', '{"label": "y", "epsilon": 1, "features": ["r"]}', 'bare job')},
	choice => q{select('{dealt,other}', 'bare', 1)});
for my $call (sort keys %calls)
{
	free("a part that is not marked, $call", $not_marked, sub { $ana->ask("SELECT dpobj.$calls{$call}") });
}
free(
	'a run of a schedule over a part that is not marked',
	qr/^failed\|UB003\|part "public\.bare_1" cannot be read\n.*not marked as a part/,
	sub {
		$ana->ask(q{SELECT dpobj_internal.schedule_put('train', 'bare', '{"label": "y", "epsilon": 1, "features": ["r"], "method": "logistic", "options": {"intercept": false}}', 'bare', '0 0 1 1 *', NULL, NULL)});
		$ana->ask(q{CALL dpobj.run_schedule('bare')});
		return $ana->ask("SELECT state, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'bare'");
	});
like($ana->ask(q{SELECT dpobj.price('bare', 'y', 1) ->> 'adjacency'}), qr/^add_remove$/, 'a price asks no part');
free('a part of another table', $not_marked, undef, over('of_another', 'of_another'));
free('a part that does not exist', $not_marked, undef, over('nowhere', 'nowhere'));
login_roles($parts[0], 'eve');
make_part($parts[0], 'of_dealer', 1, 10, of => 'postgres.public.of_dealer');
server_to('as_eve', %place, dbname => 'postgres');
$coordinator->safe_psql('postgres', "ALTER USER MAPPING FOR postgres SERVER as_eve OPTIONS (SET user 'eve')");
free('a part of another role', $not_marked, undef, over('of_dealer', 'of_dealer', server => 'as_eve'));
make_part($parts[0], 'twice', 1, 10, of => 'postgres.public.twice');
free('a table that is two parts', qr/UB003: part "public\.twice_2" cannot be read\n.*the same table as part "public\.twice_1"/,
	undef, over('twice', 'twice', second => 'twice'));
make_part($parts[0], 'narrow', 1, 10, of => 'postgres.public.narrow');
$parts[0]->safe_psql('postgres', 'ALTER TABLE narrow ALTER s TYPE int, DROP COLUMN b');
over('narrow', 'narrow');
free('levels in parts', qr/0A000: levels cannot be found in a table with rows on other servers/,
	sub { $ana->ask(q{SELECT * FROM dpobj.discover('person', 's', 1, 1e-6)}) });
free('a part with another type', qr/UB003: part .*\n.*lacks a column of the request, or has it with another type/, sub { $ana->ask(q{SELECT value FROM dpobj.count('narrow', 1, '{s}')}) });
like(slurp_file($parts[0]->logfile), qr/LOG:  column "s" of part "narrow" is missing, or has another type/, 'the log of the part names the column');
like($ana->ask(q{SELECT value FROM dpobj.count('narrow', 100, '{e}') WHERE key = '{low}'}), qr/^\d+$/m, 'a column that no request names may be missing');

server_to('gone', host => $parts[0]->host, port => 1, dbname => 'postgres');
free('a server that is down', qr/08001: part "public\.gone_1" cannot be read\nDETAIL:  The reason is in the server log only\.\n/, undef, over('gone', 'gone', server => 'gone'));

# Another encoding: as text it is the same here, but the server cannot know.
$parts[0]->safe_psql('postgres', "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0");
$parts[0]->safe_psql('ascii', "CREATE EXTENSION dpobj; CREATE TYPE mood AS ENUM ('low', 'high')");
make_part($parts[0], 'ascii', 1, 10, of => 'postgres.public.ascii', database => 'ascii');
server_to('ascii', %place, dbname => 'ascii');
free('another encoding', qr/UB003: part .*\n.*another encoding/, undef, over('ascii', 'ascii', server => 'ascii'));

# A part with another version answers so; one with another layout says that.
$parts[0]->safe_psql('postgres', 'CREATE DATABASE older');
server_to('older', %place, dbname => 'older');
over('older', 'older', server => 'older');
free('a server without dpobj', qr/08001: part "public\.older_1" cannot be read/, undef, 'older');
for ([ '01', 'another version of dpobj' ], [ '02', 'stores numbers in another way' ], [ '03', 'computes other losses' ], [ '7f', 'is not valid' ], [ '00', 'invalid string in message|is not valid|insufficient data' ])
{
	my ($status, $text) = @$_;
	$parts[0]->safe_psql('older', "CREATE EXTENSION IF NOT EXISTS dpobj;"
		. " CREATE OR REPLACE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea LANGUAGE sql AS \$\$ SELECT '\\x64707031$status'::bytea \$\$");
	free("answer $status", qr/ERROR: .*(?:\n.*)?$text/, undef, 'older');
}

# ---- distinct rows of a halfspace, which the coordinator holds ----

my $held = q{SELECT p -> 'distinct_rows_at_most', p -> 'distinct_rows_limit', p -> 'memory_at_most' FROM dpobj.price('%s', 'y', 1, '{%s}', method => 'halfspace') p};
is($ana->ask(sprintf $held, 'visit', 'e,s,b'), '36|6350750|13', 'columns of few values bound the distinct rows of parts');
is($ana->ask(sprintf $held, 'whole', 'e,s,b'), '36|null|13', 'and those of one table, where nothing need bound them');
spends($coordinator, 'a halfspace of few distinct rows', { epsilon => 1, charged => 1, released => 1 },
	sub { like($ana->ask(q{SELECT (dpobj.train('visit', 'y', 1, '{e,s,b}', method => 'halfspace')).weights}), qr/^\{/, 'a halfspace of few distinct rows answers') });

my $many = qr/22023: mechanism "exponential" may need too much memory\nDETAIL:  With 17180393476 distinct rows it is expected to take \d+ MiB, and \d+ MiB at most; without a memory limit 1024 MiB are allowed, which is enough for \d+ distinct rows\.\nHINT:  An administrator declares the rows as "n" of dpobj\.protect\. Fewer columns, or bins instead of numbers, make fewer distinct rows\. Methods "logistic" and "svm" read the rows in passes, where they are\. A superuser sets dpobj\.memory_limit\./;
for my $call (q{dpobj.price('%s', 'y', 1, '{a,r}', method => 'halfspace')}, q{dpobj.train('%s', 'y', 1, '{a,r}', method => 'halfspace')},
	q{dpobj.submit('train', '%s', '{"label": "y", "epsilon": 1, "features": ["a", "r"], "method": "halfspace"}', 'too many')}, q{dpobj.train_groups('%s', 'y', 1, '{a,r}', by => '{b}', method => 'halfspace')})
{
	free("too many distinct rows: $call", $many, sub { $ana->ask('SELECT ' . sprintf $call, 'visit') });
}
is($ana->ask(q{SELECT p ->> 'method', p -> 'classifier' ->> 'because' FROM dpobj.price('visit', 'y', 1, '{a,r}', options => '{"objective": "accuracy"}') p}), 'logistic|a grid needs all rows in memory', 'method auto leaves the rows where they are');
is($ana->ask(sprintf $held, 'whole', 'a,r'), '1000000|null|141', 'one table is tried');

make_part($parts[0], 'stated', 1, 1000, of => 'postgres.public.stated');
over('stated', 'stated');
sub declare
{
	my ($n, $adjacency) = @_;
	$session->ask(sprintf "SELECT dpobj.protect('stated', '%s', '%s', n => %s)", encoders(), $adjacency, $n);
	return;
}
declare(3000, 'add_remove');
is($ana->ask(sprintf $held, 'stated', 'a,r'), '3000|10258904|13', 'a declared number of rows bounds the distinct ones');
like($ana->ask(q{SELECT (dpobj.train('stated', 'y', 1, '{a,r}', method => 'halfspace')).weights}), qr/^\{/, 'a halfspace of numbers answers with it');
declare(1e9, 'add_remove');
free('a declared number that is too large', qr/22023: .*too much memory\nDETAIL:  With 1000000000 distinct rows .*\nHINT:  Fewer columns/, sub { $ana->ask(sprintf $held, 'stated', 'a,r') });

# More rows than are declared are all read, wherever they are.
my $replaced = q{SELECT (dpobj.train('replaced', 'y', 1, '{a,r,n,s}', method => 'halfspace', options => '{"grid": {"max": 2}, "intercept": false, "force": true}')).weights};
make_part($parts[0], 'replaced', 1, 20000, of => 'postgres.public.replaced');
over('replaced', 'replaced', encoders => '{"a": {}, "r": {}, "n": {"scale": 10}, "s": {"scale": 6}, "y": {}}', adjacency => 'replace', n => 10);
like($ana->ask($replaced), qr/^\{/, 'more rows than declared answer');

# ---- the function on a part ----

my $dealer = session($parts[0], user => 'dealer');
sub message { return unpack 'H*', join '', @_; }
sub text { return pack('N', length $_[0]) . $_[0]; }
my $version = scalar_of($parts[0], "SELECT extversion FROM pg_extension WHERE extname = 'dpobj'");
is($dealer->ask(sprintf q{BEGIN; SELECT dpobj_internal.part('\x%s')}, message('o', pack('N', 0x64707031), text('9.9.9'))), '\x6470703101', 'a part refuses another version');
$dealer->ask('ROLLBACK');
is($dealer->ask(sprintf q{BEGIN; SELECT dpobj_internal.part('\x%s')}, message('o', pack('N', 0x64707031), text($version), pack('N', 32), "\1" x 32)), '\x6470703102', 'a part refuses another layout');
$dealer->ask('ROLLBACK');
my $layout = pack('L x4 LL d L x4', 0x01020304, 0x05060708, 0x01020304, 1 / 3, 16);
is($dealer->ask(sprintf q{BEGIN; SELECT dpobj_internal.part('\x%s')}, message('o', pack('N', 0x64707031), text($version), pack('N', 32), $layout, "\1" x 8)), '\x6470703103', 'a part refuses other losses');
$dealer->ask('ROLLBACK');
for my $bytes ('', 'o', 'q', 's', 'r', "s\0\0\0\1", 'o' . "\xff" x 30)
{
	like($dealer->ask(sprintf q{SELECT dpobj_internal.part('\x%s')}, message($bytes)), qr/^ERROR:  08P01: /m, 'a part refuses message ' . message($bytes));
}

# Each release is in the ledger of the part, for the owner of its table.
my $read = q{SELECT parameters FROM dpobj.ledger WHERE event = 'read_part' AND relation_name = 'public.visit_part' ORDER BY id DESC LIMIT 1};
my $last = $ana->ask(q{SELECT release FROM dpobj.train('visit', 'y', 1, '{r}', method => 'logistic')});
like($last, qr/^\d+$/, 'a release over parts');
is(scalar_of($_, $read), qq({"role": "ana", "release": $last, "coordinator": "postgres.public.visit"}), 'the ledger of each part has it') for @parts;

# ---- parts release nothing ----

my $of = qr/ERROR:  UB003: table public\.visit_part is a part of a table on another server\n.*\n.*Ask the coordinator, for table postgres\.public\.visit: the server that connects as role dealer\./;
my $owner = session($parts[0]);
my @declare = (sprintf("SELECT dpobj.protect('visit_part', '%s', 'add_remove')", encoders()), q{SELECT dpobj.set_budget('visit_part', 'eve', 10, 0)});
like($owner->ask($_), $of, "a part takes no declaration: $_") for @declare;
is(scalar_of($parts[0], q{SELECT count(*) FROM dpobj.ledger WHERE event IN ('protect', 'set_budget')}), '0', 'the ledger of the part has none');

# What was declared before the mark counts nothing under it, and goes.
my $mark = q{SELECT dpobj.mark_part('visit_part', 'postgres.public.visit', 'dealer')};
$owner->ask($_) for q{SELECT dpobj.mark_part('visit_part', NULL)}, @declare, $mark;
like($owner->ask(q{SELECT dpobj.raise_budget('visit_part', 'eve', 1, 0, 'more')}), $of, 'no budget of a part is raised');
like($owner->ask(q{SELECT dp_count(0.1) FROM visit_part}) . $owner->ask(q{SELECT (dp_logistic(ARRAY[r, b::int], y, 1, 0, '{"adjacency": "add_remove"}')).weights FROM visit_part}),
	$of, 'an aggregate over a part is refused');
my $eve = session($parts[0], user => 'eve');
like($eve->ask(sprintf $count, 'visit_part'), $of, 'an analyst on the server of a part is refused');
like($eve->ask(q{SELECT release FROM dpobj.train('visit_part', 'y', 1, '{r}')}), $of, 'a training of an analyst there is refused');
is(scalar_of($parts[0], "SELECT count(*) FROM dpobj.ledger WHERE event IN ('charged', 'released')"), '0', 'parts have charged nothing');
like($eve->ask(q{SELECT dpobj.mark_part('visit_part', 'a.b.c', 'eve')}), qr/ERROR:  42501: must be owner/, 'only owners mark parts');
like($eve->ask(q{SELECT dpobj.mark_part('visit_part', NULL)}), qr/ERROR:  42501: must be owner/, 'only owners unmark parts');
is(scalar_of($parts[0], q{SELECT parameters FROM dpobj.ledger WHERE event = 'mark_part' AND relation_name = 'public.visit_part'}),
	join("\n", ('{"role": "dealer", "coordinator": "postgres.public.visit"}') x 2), 'the ledger of a part has the marks');
unlike($owner->ask(q{SELECT dpobj.drop_budget('visit_part', 'eve'); SELECT dpobj.unprotect('visit_part')}), qr/ERROR/, 'earlier declarations about a part are dropped');
$owner->ask($_) for q{SELECT dpobj.mark_part('visit_part', NULL)}, @declare;
free('a part that is marked no longer', $not_marked);
like($eve->ask(q{SELECT value FROM dpobj.count('visit_part', 1)}), qr/^\d+$/m, 'a table that is no part any more answers');
refused('a mark without a coordinator', '22023', $owner->ask("SELECT dpobj.mark_part('visit_part', NULL, 'dealer')"));
refused('a mark without a role', '22023', $owner->ask("SELECT dpobj.mark_part('visit_part', 'postgres.public.visit')"));
refused('a mark without a database', '22023', $owner->ask("SELECT dpobj.mark_part('visit_part', 'public.visit', 'dealer')"));
refused('a mark of no name', '42602', $owner->ask(q{SELECT dpobj.mark_part('visit_part', 'postgres.public."visit', 'dealer')}));
$owner->ask(q{SELECT dpobj.mark_part('visit_part', 'POSTGRES.public."visit"', 'dealer')});

# The owner's door does not read over servers, and says who does.
like($session->ask('SELECT dp_count(0.1) FROM visit'), qr/UB003.*\n.*foreign table.*\n.*dpobj\.train/, 'aggregates over the table are refused');

# ---- persons over several parts, and connections ----

make_part($parts[0], 'spread', 1, 100, of => 'postgres.public.spread');
over('spread', 'spread');
my $by_person = sprintf "SELECT dpobj.protect('spread', '%s', 'add_remove', '%%s', 5)", encoders();
my $spread = qr/UB003: relation "spread" is not partitioned or distributed by column "s" alone/;
$session->ask(q{SELECT dpobj.set_budget('spread', 'ana', 1000, 0)});
unlike($session->ask(sprintf $by_person, 'id'), qr/ERROR/, 'persons by whom the table is partitioned are protected');
unlike($session->ask(sprintf $by_person, 's'), qr/ERROR/, 'persons of a single part are protected');
like($ana->ask(q{SELECT value FROM dpobj.count('spread', 100)}), qr/^30$/m, 'and five rows of each enter');
$session->ask('CREATE TABLE spread_2 PARTITION OF spread FOR VALUES FROM (20001) TO (30000)');
free('persons who may be on several parts', $spread, undef, 'spread');
is($session->ask(q{SELECT dpobj.unprotect('spread')}), '', 'their protection is taken back');
free('a protection of persons who may be on several parts', $spread, sub { $session->ask(sprintf $by_person, 's') });

$session->ask("CREATE SERVER open FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$place{host}', port '$place{port}', dbname 'postgres');"
	. " CREATE USER MAPPING FOR PUBLIC SERVER open OPTIONS (user 'dealer', password 'x')");
over('open', 'open', server => 'open');
free('a user mapping for everybody', qr/UB003: part "public\.open_1" cannot be read\n.*no user mapping/, undef, 'open');
$session->ask("CREATE ROLE bob LOGIN; GRANT USAGE ON FOREIGN SERVER open TO bob; CREATE USER MAPPING FOR bob SERVER open OPTIONS (user 'dealer');"
	. ' ALTER FOREIGN TABLE open_1 OWNER TO bob');
free('an owner without a password', qr/UB003: part "public\.open_1" cannot be read\n.*no password/, undef, 'open');
$session->ask("ALTER USER MAPPING FOR bob SERVER open OPTIONS (ADD password 'x')");
free('a server that asks for no password', qr/08001: part "public\.open_1" cannot be read\n.*asked for no password/, undef, 'open');

# ---- locks ----

# A transaction that changes a part: the training waits for it, in vain, before it is charged.
my $writer = session($parts[1]);
$writer->ask('BEGIN; UPDATE visit_part SET s = 1 WHERE id = 2500');
$ana->ask("SET lock_timeout = '300ms'");
free('a part that is being changed', qr/55P03: part "public\.visit_2" is being changed/);
$ana->ask('RESET lock_timeout');
$ana->send(sprintf $count, 'visit');
ok(wait_until(20, sub { scalar_of($parts[1], 'SELECT count(*) FROM pg_locks WHERE NOT granted') }), 'a release waits for a transaction on a part');
$writer->ask('ROLLBACK');
like($ana->result, qr/^[\d.]+$/m, 'and goes on after it');

# A transaction on both parts waits for the release, and the release for the transaction: the release gives way.
my $other = session($parts[0]);
my $dealing = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'dealer' AND application_name = 'dpobj'";
wait_until(20, sub { !grep { scalar_of($_, $dealing) } @parts }); # a server may close connections later
$other->ask('BEGIN; UPDATE visit_part SET s = 1 WHERE id = 1500');
$ana->send(sprintf $count, 'visit');
ok(wait_until(20, sub { scalar_of($parts[0], 'SELECT count(*) FROM pg_locks WHERE NOT granted') }), 'a release waits again');
unlike($writer->ask('UPDATE visit_part SET s = s WHERE id = 2500'), qr/ERROR/, 'the transaction goes on with the other part');
$other->ask('ROLLBACK');
like($ana->result, qr/^[\d.]+$/m, 'and then the release does');
is(scalar_of($_, $dealing), '0', 'no connection is left')
  for @parts;

# What the caller's own transaction changes elsewhere cannot be waited for; what it changes here is read.
$coordinator->safe_psql('postgres', 'CREATE ROLE mover SUPERUSER LOGIN');
$coordinator->safe_psql('postgres', "CREATE USER MAPPING FOR mover SERVER part$_ OPTIONS (user 'postgres')") for 1, 2;
$coordinator->safe_psql('postgres', q{SELECT dpobj.set_budget('visit', 'mover', 100000000, 0)});
my $mover_session = session($coordinator, user => 'mover');
for my $change ('UPDATE visit SET s = s WHERE id = 1500', 'DELETE FROM visit_1 WHERE id = 1500', 'TRUNCATE visit_1')
{
	$mover_session->ask("BEGIN; $change");
	free("a transaction that has done $change", qr/^ERROR:  55000: table "visit_1" cannot be read in the transaction that changes it\n.*\n.*Commit first/,
		sub { $mover_session->ask(sprintf $count, 'visit') });
	$mover_session->ask('ROLLBACK');
}
$mover_session->ask('BEGIN; DELETE FROM visit_0 WHERE id <= 10');
like($mover_session->ask(q{SELECT value FROM dpobj.count('visit', 1000)}), qr/^2990$/m, 'its changes of rows here are read');
$mover_session->ask('ROLLBACK');

# The snapshot of the caller is older than the locks; rows that were moved here since then count.
my $rows = $ana->ask(q{SELECT value FROM dpobj.count('visit', 1000)});
my $move = q{WITH gone AS (DELETE FROM %s WHERE s = 3 RETURNING *) INSERT INTO %s SELECT %d + row_number() OVER (), a, n, r, d, tz, t, c, e, b, s, y FROM gone};
$ana->ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$mover_session->ask(sprintf $move, 'visit_1', 'visit_0', 0);
is($ana->ask(q{SELECT value FROM dpobj.count('visit', 1000)}), $rows, 'an old snapshot misses no row that was moved here');
$ana->ask('COMMIT');
$mover_session->ask(sprintf $move, 'visit_0', 'visit_1', 1000);

# Rows that move between servers are counted once, whatever moment a release begins at.
$_->quit for $dealer, $eve, $other, $mover_session; # a part has ten connections
my $script = PostgreSQL::Test::Utils::tempdir() . '/move.sql';
append_to_file($script, sprintf("$move;\n", 'visit_1', 'visit_0', 0) . sprintf("$move;\n", 'visit_0', 'visit_2', 2000) . sprintf("$move;\n", 'visit_2', 'visit_1', 1000)) for 1 .. 60;
my $mover = IPC::Run::start([ 'psql', '-XAtq', '-d', $coordinator->connstr('postgres') . ' user=mover', '-f', $script ],
	'<', \undef, '>', \my $moved, '2>', \my $problems, IPC::Run::timeout(600));
my @counts = map { $ana->ask(q{SELECT value FROM dpobj.count('visit', 1000)}) } 1 .. 15;
$mover->finish;
is($problems, '', 'rows move');
is_deeply([ grep { $_ ne $rows } @counts ], [], 'rows that move are counted once');

# ---- many parts of a server ----

# A server has ten connections, and more parts.
make_many($coordinator, 'many', 32, @parts);
$coordinator->safe_psql('postgres', "SELECT dpobj.set_budget('many', 'ana', 100000000, 0)");
my $all = digest_of('whole', "'y', '{a,r,e}'");
my $counted = q{SELECT key, value FROM dpobj.count('%s', 1000, '{e,s}')};
my $answer = $ana->ask(sprintf $counted, 'whole');

sub remembered { return scalar_of($_[0], "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'remember_server'"); }

$_->safe_psql('postgres', 'SELECT dpobj.confirm_epoch()') for $coordinator, @parts;
my @met = map { remembered($_) } $coordinator, @parts;
is(digest_of('many', "'y', '{a,r,e}'"), $all, 'many parts of a server have the same digest');
is(join(' ', map { remembered($_) - shift @met } $coordinator, @parts), '2 1 1', 'each server remembers another one once');
is($ana->ask(sprintf $counted, 'many'), $answer, 'and answer the same');
is(scalar_of($parts[1], "SELECT count(DISTINCT relation_name) FROM dpobj.ledger WHERE event = 'read_part' AND parameters ->> 'coordinator' = 'postgres.public.many'"),
	'16', 'the owner of each part sees that it was read');

# Sessions here keep connections of postgres_fdw.
my $kept = q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'dealer' AND application_name !~ '^dpobj'};
for my $limit (5, 1)
{
	$parts[0]->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'dealer' AND application_name ~ '^dpobj'}) or die 'connections stay';
	$parts[0]->safe_psql('postgres', sprintf 'ALTER ROLE dealer CONNECTION LIMIT %d', $limit + scalar_of($parts[0], $kept));
	is(digest_of('many', "'y', '{a,r,e}'"), $all, "a server that lets $limit in serves them all");
	is($ana->ask(sprintf $counted, 'many'), $answer, "and answers the same over $limit");
}
$parts[0]->safe_psql('postgres', 'ALTER ROLE dealer CONNECTION LIMIT 0');
free('a server that lets none in',
	qr/^ERROR:  53300: part "public\.many_0" cannot be read\nDETAIL:  Its server has no room for a connection\. Asked for were 1, for 16 parts; dpobj\.max_part_connections allows 8\.\nHINT:  Try again/,
	undef, 'many');
unlike($ana->ask(sprintf $count, 'many'), qr/too many connections/, 'what the server said is not told');
$parts[0]->safe_psql('postgres', sprintf 'ALTER ROLE dealer CONNECTION LIMIT %d', 2 + scalar_of($parts[0], $kept));
$session->ask('SET dpobj.max_part_connections = 2');
is(digest_of('many', "'y', '{a,r,e}'"), $all, 'no more are asked for than the setting allows');
$session->ask('RESET dpobj.max_part_connections');
$parts[0]->safe_psql('postgres', 'ALTER ROLE dealer CONNECTION LIMIT -1');

# Each of them is locked and checked, not only the first of a connection.
my $changer = session($parts[1]);
$changer->ask('BEGIN; UPDATE many_31 SET s = s');
$ana->send(sprintf $count, 'many');
ok(wait_until(20, sub { scalar_of($parts[1], "SELECT count(*) FROM pg_locks WHERE relation = 'many_31'::regclass AND NOT granted") }), 'a release waits for a writer of the last part');
my $asked = time;
scalar_of($coordinator, 'SELECT pg_cancel_backend(' . $ana->pid . ')');
like($ana->result, qr/^ERROR:  57014: /, 'a cancel ends the wait');
cmp_ok(time - $asked, '<', 5, 'at once');
$ana->send(sprintf $count, 'many');
ok(wait_until(20, sub { scalar_of($parts[1], "SELECT count(*) FROM pg_locks WHERE relation = 'many_31'::regclass AND NOT granted") }), 'the next one waits');
$changer->ask('COMMIT');
like($ana->result, qr/^[\d.]+$/m, 'until the writer has ended');
ok(wait_until(20, sub { !links_of($parts[0]) && !links_of($parts[1]) }), 'no connection is left');
$parts[1]->safe_psql('postgres', "SELECT dpobj.mark_part('many_31', NULL)");
free('the last part is not marked', qr/^ERROR:  UB003: part "public\.many_31" cannot be read\n/, undef, 'many');
$parts[1]->safe_psql('postgres', "SELECT dpobj.mark_part('many_31', 'postgres.public.many', 'dealer'); SELECT dpobj.limit_budget('many_29', 1, 0, 'enough')");
free('a part in the middle is limited', qr/^ERROR:  UB003: part "public\.many_29" cannot be read\n/, undef, 'many');
$parts[1]->safe_psql('postgres', "SELECT dpobj.limit_budget('many_29', NULL, NULL, 'more')");
is(digest_of('many', "'y', '{a,r,e}'"), $all, 'all of it is undone');

finish($coordinator);
