# 051_settings.pl - no setting of a session changes what dpobj's functions answer: each of these at
# each of these values, in a session of its own, against a session with PostgreSQL's defaults.

use DpobjTest;

my $node = dpobj_cluster('settings', 'dpobj.release_tick = 0', 'fsync = off');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE ana LOGIN;
GRANT dpobj_auditor TO ana;
CREATE TABLE "Quoted ""set""" (a int, "b\c" text, d date, t timestamptz, w float8, y boolean);
INSERT INTO "Quoted ""set""" SELECT i % 10, (ARRAY['it''s', 'back\slash', '\1 E''x', 'NULL'])[1 + i % 4], date '2024-01-01' + i % 400,
  timestamptz '2024-01-01 00:30+00' + i * interval '1 hour', i % 7 / 3.0, i % 10 > 4 FROM generate_series(1, 500) i;
ALTER TABLE "Quoted ""set""" OWNER TO ana;
SELECT dpobj.protect('"Quoted ""set"""', $${"a": {"bins": [3, 6.5]}, "b\\c": {"levels": ["it's", "back\\slash", "\\1 E'x", "NULL"]},
    "d": {"epoch_of": "day", "since": "2024-01-01", "scale": 400}, "t": {"part": "weekday", "time_zone": "America/New_York"}, "w": {"center": 1.1, "scale": 2.5},
    "y": {}}$$, n => 500),
  dpobj.set_budget('"Quoted ""set"""', 'ana', 1000, 0);
CREATE TABLE trained AS TABLE "Quoted ""set""";
SELECT dpobj.protect('trained', (SELECT encoders FROM dpobj.protected), n => 500), dpobj.set_budget('trained', 'ana', 1000, 0);
SQL

# Dollars, because a session's setting says what a backslash in its own literals means.
my $table = q{$n$public."Quoted ""set"""$n$};
my $name = q{$n$the *bold* \1$n$};
my $train = "dpobj.train('public.trained', 'y', 1, filter => " . q{$n${"d": {">=": "2024-01-02"}, "t": {"<": "2024-03-01 12:00"}, "b\\\\c": {"in": ["it's", "NULL"]}}$n$};
my $ana = session($node, user => 'ana');
is($ana->ask("SELECT (dpobj.train($table, 'y', 1, method => 'halfspace', name => $name, features => " . q{$n${a,"b\\\\c",d,w}$n$)).kind}), 'halfspace', 'a model');
is($ana->ask("SELECT dpobj.evaluate($name, $table, 1) IS NOT NULL"), 't', 'and a rating');
is($ana->ask("SELECT count(*) FROM dpobj.histogram($table, 'a', 1, name => 'kept')"), '4', 'and a histogram');
is($ana->ask("SELECT dpobj.comment($name, " . q{$n$with a \ and an E'\n'$n$)}), '', 'and a comment');

# What people read; the table of these reports is not released from below.
my @texts = (
	(map { "SELECT dpobj.report($table, '$_')" } qw(text html)),
	"SELECT dpobj.report($table, 'json')::jsonb - 'at'",
	(map { "SELECT dpobj.$_')" } "show($name, 'text", "show($name, 'markdown", "show($name, 'json", "show($name, 'pmml"),
	"SELECT dpobj.predict_sql($name, $table)",
	"SELECT string_agg(s.feature || '=' || coalesce(s.level, '-') || '=' || s.points, ' ' ORDER BY s.feature, s.level) FROM dpobj.scorecard($name) s",
	"SELECT jsonb_agg(p) FROM dpobj.price($table, 'y', 0.5) p",
	"SELECT jsonb_agg(to_jsonb(l) - '{at,output_hash,relation}'::text[] ORDER BY id) FROM (SELECT * FROM dpobj.ledger WHERE relation_name ~ 'set') l",
	"SELECT string_agg(dpobj.predict($name, v)::text, '') FROM (SELECT * FROM public.\"Quoted \"\"set\"\"\" ORDER BY t LIMIT 50) v");
# The statement of predict_sql means the same wherever it is read.
my $statement = $ana->ask("SELECT dpobj.predict_sql($name, $table)") =~ s/;?\s*$//r;
push @texts, "SELECT string_agg(q.dp_prediction::text, '' ORDER BY q.t) FROM ($statement) q";
# What a release was asked for.
my $release = "SELECT (l.parameters - 'seed')::text || ' ' || l.relation_name || ' ' || l.epsilon || l.mechanism FROM dpobj.ledger l"
  . " WHERE l.event = 'charged' AND l.relation_name ~ 'trained' ORDER BY l.id DESC LIMIT 1";
my @releases = ("SELECT (m).kind || (m).adjacency || (m).guarantee FROM $train) m", $release);

my %values = (
	standard_conforming_strings => ['off'], escape_string_warning => ['off'], backslash_quote => ['on'],
	datestyle => [ 'SQL,DMY', 'German', 'Postgres,MDY' ], intervalstyle => [ 'sql_standard', 'iso_8601' ],
	extra_float_digits => [ '-15', '3' ], timezone => [ 'Asia/Kathmandu', 'Pacific/Kiritimati' ], bytea_output => ['escape'],
	lc_numeric => ['C.UTF-8'], lc_monetary => ['C.UTF-8'], lc_time => ['C.UTF-8'], search_path => [ '', 'pg_temp, dpobj, public' ],
	array_nulls => ['off'], transform_null_equals => ['on'], quote_all_identifiers => ['on'], xmlbinary => ['hex'],
	default_transaction_isolation => ['serializable'], default_transaction_read_only => ['on'], row_security => ['off'],
	client_min_messages => ['error'], 'plpgsql.extra_errors' => ['all'], FORCE_PARALLEL, ['regress'], plan_cache_mode => ['force_generic_plan']);

# The answers of sessions with these settings, which work side by side.
sub answers
{
	my (@settings) = @_;
	my @sessions = map { my $to = $_; session($node, user => 'ana', seconds => 300, set => [ $to ? "SET $to" : () ]) } @settings;
	my @answers = map { [] } @settings;

	for my $text (@texts, @releases)
	{
		my @asked = grep { $settings[$_] !~ /read_only/ || !grep { $text eq $_ } @releases } 0 .. $#settings;
		$sessions[$_]->send($text) for @asked;
		push @{ $answers[$_] }, $sessions[$_]->result =~ s/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, dpobj/at, dpobj/r for @asked;
	}
	return @answers;
}

my ($default) = answers('');
unlike(join("\n", @$default), qr/^ERROR/m, 'all of them answer') or BAIL_OUT(join "\n", grep { /^ERROR/ } @$default);
like($default->[0], qr/Quoted/, 'the report has words');
like($default->[3], qr/the \*bold\* \\1/, 'dpobj.show has the name');
like($default->[4], qr/the \\\*bold\\\* \\\\1/, 'dpobj.show escapes it');
my @all = map { my $setting = $_; map { "$setting = " . ($setting eq 'search_path' ? $_ || q{''} : "'$_'") } @{ $values{$setting} } } sort keys %values;
while (my @some = splice @all, 0, 6)
{
	my @got = answers(@some);
	for my $i (0 .. $#some)
	{
		my @differ = grep { $got[$i][$_] ne $default->[$_] } 0 .. $#{ $got[$i] };
		is(join("\n", map { (@texts, @releases)[$_] } @differ), '', "the same answers with $some[$i]")
		  or diag(map { "got: " . substr($got[$i][$_], 0, 300) . "\ndefault: " . substr($default->[$_], 0, 300) . "\n" } @differ);
	}
}

finish($node);
