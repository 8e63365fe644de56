# size_of_table.pl - nothing that an analyst sees before the noise follows from how a table is stored:
# prices, refusals, methods, mechanisms, details, entries of the ledger and temporary files are the
# same for tables that differ in one row, or in pages, TOAST, order, dead rows or statistics. Bits are
# the same in every session (tests/t/bits.c), so that where rows are equal the answers are, too.

use File::Basename;

use DpobjTest;

my $library = PostgreSQL::Test::Utils::tempdir('bits') . '/bits.so';
my $node;

system_or_bail(qw(cc -O2 -shared -fPIC -o), $library, dirname(__FILE__) . '/../t/bits.c');
{
	local $ENV{LD_PRELOAD} = $library;
	$node = dpobj_cluster('stored', 'dpobj.release_tick = 0', 'dpobj.longest_run = 20', 'fsync = off', 'autovacuum = off');
}
login_roles($node, 'ana');

# 187 rows of a page each and two that share one, unless the text of one of them is longer.
my $table = <<'SQL';
DROP TABLE IF EXISTS d;
CREATE TABLE d (a float8, b float8, c float8, g boolean, y boolean, note text);
ALTER TABLE d ALTER note SET STORAGE plain;
SQL
my $rows = q{INSERT INTO d SELECT 0.1 * (i % 5), 0.2, 0.3, i % 3 = 0, i % 2 = 0, repeat('x', 7000) FROM generate_series(1, 187) i;};
my $last = q{INSERT INTO d VALUES (0.1, 0.2, 0.3, true, true, repeat('x', 2000)), (0.1, 0.2, 0.3, true, true, repeat('x', 2000));};
my $longer = $last =~ s/2000(?=\)\);)/7000/r;
my $all = "$table $rows $last";
my $short = $all =~ s/repeat\('x', \d+\)/NULL/gr;

my %equal = (
	'a longer text' => "$table $rows $longer",
	'a text in TOAST' => "$table ALTER TABLE d ALTER note SET STORAGE external; $rows $longer",
	'shorter texts' => $short,
	'another order' => "$table $last $rows",
	'dead rows' => "$all UPDATE d SET note = note; UPDATE d SET note = note; DELETE FROM d; $rows $last",
	'a column that was added' => "$short ALTER TABLE d ADD more int DEFAULT 7;",
	'statistics' => "$all ANALYZE d; SET allow_system_table_mods = on; UPDATE pg_class SET reltuples = 1e9, relpages = 100000 WHERE oid = 'd'::regclass;");
my %neighbour = (
	'a row like no other' => "$all UPDATE d SET a = -0.77 WHERE ctid = (SELECT max(ctid) FROM d);",
	'a row that is read as neutral' => "$all UPDATE d SET a = NULL, note = repeat('y', 8000) WHERE ctid = (SELECT max(ctid) FROM d);");

# What is declared, and what is tried with it: all, or the changes that are likeliest to show.
my %declared = (
	'n of many more rows' => [ 'n => 1000000', sort(keys %equal, keys %neighbour) ],
	'no n' => [ 'n => NULL', sort keys %equal ],
	'n of fewer rows' => [ 'n => 50', 'a longer text', 'another order', 'a row like no other' ],
	'add_remove' => [ q(adjacency => 'add_remove'), 'shorter texts', 'statistics' ],
	'add_remove of fewer rows' => [ q(adjacency => 'add_remove', n => 50), 'shorter texts', 'a row like no other' ],
	persons => [ q(n => 300, person => 'g', max_rows_per_person => 2, earlier_rows_per_person => 200), 'shorter texts', 'a row like no other' ]);

sub model { return "SELECT to_jsonb(m) - 'release' FROM dpobj.train('d', 'y', $_[0]) m"; }
# Nothing is rated, and noise is no reason to refuse.
sub unrated { return model($_[0] . q(, options => '{"rate": 0, "force": true) . ($_[1] ? ", $_[1]}'" : "}'")); }
# Rows are held out by their places, under a key of the call, which is random. They come last: their bits differ.
my $groups = q{SELECT key, to_jsonb(model) - 'release' FROM dpobj.train_groups('d', 'y', 1, features => '{a,b,c}', by => '{g}', method => 'svm'};
my @rated = (model('1.0'), model(q(1, '{a,b,c}', 0.000001, 'logistic')), "$groups)");
my @requests = (
	q{SELECT dpobj.price('d', 'y', 1) - 'remaining' - 'calls'},
	q{SELECT dpobj.price('d', 'y', 1, method => 'halfspace', options => '{"mechanism": "sample_aggregate", "parts": 5}') - 'remaining' - 'calls'},
	unrated('1.0'),
	unrated(q(1, '{a,b,c}', method => 'halfspace'), '"grid": {"max": 60}'), # refused for so many rows
	unrated(q(1, '{a,b,c}', method => 'halfspace'), '"grid": {"max": 200}'),
	unrated(q(1, '{a,b}', method => 'halfspace'), '"mechanism": "opdisc"'),
	unrated(q(1, '{a,b}', method => 'halfspace'), '"mechanism": "sample_aggregate", "parts": 5'),
	unrated(q(1, '{a,b,c}', 0.000001, 'logistic')),
	unrated(q(1, '{a,b,c}', 0.000001, 'logistic'), '"mechanism": "pool"'),
	qq{$groups, options => '{"rate": 0}')},
	q{SELECT * FROM dpobj.count('d', 1, by => '{g}')},
	q{SELECT * FROM dpobj.histogram('d', 'a', 1, options => '{"bins": [0.25]}')},
	q{SELECT coalesce(dpobj.evaluate('kept', 'd', 1)::text, '0')},
	@rated);

my $ledger = q{SELECT jsonb_agg(to_jsonb(l) - '{id,at,release,snapshot,output_hash,relation}'::text[] ORDER BY id) FROM dpobj.ledger l WHERE event IN ('charged', 'released', 'failed') AND id > };
my $files = q(SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = 'postgres');

sub protect { return qq(SELECT dpobj.protect('$_[0]', '{"a": {}, "b": {}, "c": {}, "g": {}, "y": {}}', $_[1])); }
$node->safe_psql('postgres', "$short ALTER TABLE d RENAME TO earlier; " . protect('earlier', 'n => NULL') . ", dpobj.set_budget('earlier', 'ana', 1, 0)");
unlike(in_session($node, 'ana', q{SELECT (dpobj.train('earlier', 'y', 1, name => 'kept')).kind}), qr/ERROR/, 'a model to evaluate');

# What the analyst gets for each request, and what shows of the session: bits go on in a session.
sub observe
{
	my ($build, $declared) = @_;
	my @before = split /\|/, scalar_of($node, $files);
	my $entry = scalar_of($node, 'SELECT coalesce(max(id), 0) FROM dpobj.ledger');

	$node->safe_psql('postgres', "$build " . protect('d', $declared) . ", dpobj.set_budget('d', 'ana', 1000000, 0.1)");
	my $session = session($node, user => 'ana');
	$session->ask("SET work_mem = '64kB'");
	my @seen = map { $session->ask($_) } @requests;
	$session->ask('SELECT pg_stat_force_next_flush()');
	push @seen, scalar_of($node, $ledger . $entry);
	$session->quit;
	wait_until(2, sub { (split /\|/, scalar_of($node, $files))[0] > $before[0] });
	my @after = split /\|/, scalar_of($node, $files);
	push @seen, sprintf 'files: %d, bytes: %d', $after[0] - $before[0], $after[1] - $before[1];
	return \@seen;
}

# All that is public of an answer: not what the bits decide.
sub without_noise
{
	return join "\n", map { s/"(?:weights|weight_errors|coverage|rating|pool_\w+)": (?:\[[^\]]*\]|(\{(?:[^{}]|(?1))*\})|"[^"]*")//gr =~ s/(?<![^|\n])-?\d[\d.e+-]*(?![^|\n])/N/gr } @_;
}

sub same
{
	my ($what, $reference, $seen, $compared) = @_;
	my @different = grep
	{
		my ($request, $how) = ($requests[$_] // '', $compared);
		$how = \&without_noise if grep { $_ eq $request } @rated;
		$how->($seen->[$_]) ne $how->($reference->[$_])
	} 0 .. $#$seen;
	is(join("\n", map { ($requests[$_] // 'ledger or files') . ":\n$reference->[$_]\n-- became --\n$seen->[$_]" } @different), '', $what);
	return;
}

for my $declared (sort keys %declared)
{
	my ($terms, @changes) = @{ $declared{$declared} };
	my $reference = observe($all, $terms);

	for my $change (@changes)
	{
		# Which rows are left out, or chosen of a person, is random.
		my $is_equal = $equal{$change} && $declared !~ /^n of fewer|persons/;
		same("$declared: $change changes " . ($is_equal ? 'nothing' : 'the noise alone'),
			$reference, observe($equal{$change} // $neighbour{$change}, $terms), $is_equal ? sub { $_[0] } : \&without_noise);
	}
}

# ---- which rows are left out ----

# By their order either all or none of the first twenty could be used. A wrong draw has probability 1e-6.
for my $order ('i', '-i')
{
	$node->safe_psql('postgres', <<"SQL");
DROP TABLE IF EXISTS e;
CREATE TABLE e AS SELECT 0.5::float8 AS a, CASE WHEN i > 50 THEN i % 2 = 0 END AS y FROM generate_series(1, 100) i ORDER BY $order;
SELECT dpobj.protect('e', '{"a": {}, "y": {}}', n => 10), dpobj.set_budget('e', 'ana', 1000000, 0);
SQL
	# A warning may stand before them.
	my ($usable, $all) = in_session($node, 'ana', q{SELECT (c ->> 'usable')::int, (c ->> 'usable')::int + (c ->> 'unusable')::int FROM (SELECT details -> 'coverage'
	  FROM dpobj.train('e', 'y', 10000, method => 'halfspace', options => '{"coverage_epsilon": 5000, "rate": 0}')) m(c)}) =~ /(\d+)\|(\d+)\z/;
	is($all, 20, "in order $order, twice the declared rows are read");
	cmp_ok($usable, '>', 1, 'some of the first');
	cmp_ok($usable, '<', 19, 'and some of the last');
}

finish($node);
