# 019_time.pl - the time of an answer, or of the error of a cancel, says nothing about the rows.
#
# Requests whose runs differ in length are sent at the same moments, in a random order, and the
# client measures the time until each answer, in steps of GRAIN. The statistic is Kruskal and
# Wallis's (for two groups, Mann and Whitney's). For equal groups, a p below LEVEL occurs once in
# 1 / LEVEL comparisons, however busy the machine is, because its load affects all groups alike.
# Such a comparison is repeated with twice as many calls, and fails if p is below LEVEL again. A
# run shorter than a tick is answered at the first one, so the tick is longer than any of them on
# this machine.

use List::Util qw(max min shuffle sum);
use DpobjTest;

use constant { LEVEL => 1e-3, GRAIN => 0.005 };

my $node = dpobj_cluster('time', 'fsync = off', 'jit = off', 'dpobj.release_tick = 0');
my $control = session($node);

# Rows of calm are alike, those of busy are not, and the search goes over all of them; those of front have the first constant of a list, those of back the last.
hard_table($node);
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE team;
CREATE ROLE ana LOGIN IN ROLE team;
CREATE ROLE lender IN ROLE team;
ALTER TABLE hard ADD t text NOT NULL DEFAULT 'v2500';
CREATE TABLE busy AS TABLE hard;
ALTER TABLE busy DROP c13, DROP c14, DROP c15;
CREATE TABLE calm (LIKE busy);
INSERT INTO calm SELECT b.* FROM (TABLE busy LIMIT 1) b, generate_series(1, 4000);
CREATE TABLE long AS SELECT 1 AS a, 1 AS b, true AS ill, 'v2500'::text AS t FROM generate_series(1, 300000) i;
CREATE TABLE front AS SELECT 1 AS a, 1 AS b, true AS ill, 'v0001'::text AS t FROM generate_series(1, 20000) i;
CREATE TABLE back AS SELECT 1 AS a, 1 AS b, true AS ill, 'v2500'::text AS t FROM generate_series(1, 20000) i;
VACUUM (FREEZE, ANALYZE) calm, busy, long, front, back;
SELECT dpobj.protect(t, (SELECT jsonb_object_agg(attname, CASE attname WHEN 'ill' THEN '{}' ELSE '{"scale": 1}' END::jsonb) FROM pg_attribute
                         WHERE attrelid = t AND attnum > 0 AND NOT attisdropped AND attname <> 't')) FROM unnest('{calm,busy}'::regclass[]) t;
-- A number of rows that is public is counted before the charge, which takes time; that of long is not public.
SELECT dpobj.protect(t, '{"a": {"scale": 1}, "b": {"scale": 1}, "ill": {}}', adjacency => CASE t WHEN 'long'::regclass THEN 'add_remove' ELSE 'replace' END)
  FROM unnest('{long,front,back}'::regclass[]) t;
SELECT dpobj.set_budget(t, 'team', 100000, 0) FROM unnest('{calm,busy,long,front,back,hard}'::regclass[]) t;
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY '{calm,busy,hard}'::text[] LOOP
    EXECUTE format($e$CREATE FUNCTION lent_%1$s() RETURNS integer LANGUAGE sql SECURITY DEFINER AS $f$
      SELECT cardinality((dp_halfspace(ARRAY[%2$s], ill, 0.5, 0,
        '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}')).weights) FROM %1$s $f$ $e$, t,
      (SELECT string_agg(attname, ', ') FROM pg_attribute
       WHERE attrelid = t::regclass AND attname ~ '^c\d' AND NOT attisdropped));
    EXECUTE format('ALTER FUNCTION lent_%s() OWNER TO lender', t);
  END LOOP;
END $$;
GRANT SELECT ON calm, busy, hard TO lender;
SELECT dpobj.grant_trainer(r) FROM unnest('{ana,lender}'::regrole[]) r;
SQL

my $list = join ', ', map { sprintf '"v%04d"', $_ } 1 .. 2500;

# Requests differ in the table only, so that they take equally long until the charge.
sub request
{
	my ($table) = @_;
	my $options = '{"mechanism": "permute_flip", "grid": "ternary", "intercept": false}';
	return "SELECT cardinality(weights) FROM dpobj.train('$table', 'ill', 0.5, method => 'halfspace', options => '$options',"
	  . qq{ filter => '{"t": {"in": [$list]}}')};
}

# At the owner's door, for a caller who may not read the table and shares its budgets with a role that may.
sub lent { return "SELECT lent_$_[0]()" }

# ---- the statistic ----

sub ranks
{
	my @sorted = sort { $a <=> $b } @_;
	my %rank;
	for (my $i = 0; $i < @sorted;)
	{
		my $next = $i;
		$next++ while $next < @sorted && $sorted[$next] == $sorted[$i];
		$rank{ $sorted[$i] } = [ ($i + 1 + $next) / 2, $next - $i ];
		$i = $next;
	}
	return \%rank;
}

# The p of two or three groups (references to lists of seconds), by the law of chi squared.
sub alike
{
	my @groups = map { [ map { int($_ / GRAIN + 0.5) } @$_ ] } @_;
	my $rank = ranks(map { @$_ } @groups);
	my $all = sum(map { scalar @$_ } @groups);
	my $ties = sum(map { $_->[1]**3 - $_->[1] } values %$rank);
	return 1 if $ties == $all**3 - $all;
	my $sum = sum(map { my $group = $_; sum(map { $rank->{$_}[0] } @$group)**2 / @$group } @groups);
	my $statistic = (12 / ($all * ($all + 1)) * $sum - 3 * ($all + 1)) / (1 - $ties / ($all**3 - $all));
	return exp(-$statistic / 2) if @groups == 3;
	return 2 * (1 - normal(sqrt($statistic)));
}

# P(Z < x), x >= 0 (Abramowitz and Stegun 26.2.17, good to 1e-7)
sub normal
{
	my ($x) = @_;
	my $t = 1 / (1 + 0.2316419 * $x);
	my @b = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429);
	return 1 - exp(-$x * $x / 2) / sqrt(2 * 3.14159265358979) * sum(map { $b[$_] * $t**($_ + 1) } 0 .. 4);
}

sub median { return (sort { $a <=> $b } @_)[ @_ / 2 ]; }

cmp_ok(alike([ map { $_ / 100 } 1 .. 8 ], [ map { $_ / 100 } 9 .. 16 ]), '<', LEVEL, 'the statistic tells eight times from eight others');
cmp_ok(alike([ map { $_ / 100 } 1 .. 8 ], [ map { $_ / 100 } 9 .. 16 ], [ map { $_ / 100 } 9 .. 16 ]), '<', LEVEL, 'the statistic tells eight times from sixteen others');

# Calls each of these so many times, in a random order, and returns what each took.
sub interleaved
{
	my ($times, %call) = @_;
	my %seen;
	for my $name (shuffle(map { ($_) x $times } sort keys %call))
	{
		my $seconds = $call{$name}->();
		push @{ $seen{$name} }, $seconds;
	}
	return \%seen;
}

# Compares what calls take, with twice as many calls if p is below LEVEL; returns the seconds of each.
sub indistinct
{
	my ($what, $times, %call) = @_;
	my ($seen, $p);
	for my $calls ($times, 2 * $times)
	{
		$seen = interleaved($calls, %call);
		$p = alike(map { $seen->{$_} } sort keys %$seen);
		my $medians = join ', ', map { sprintf '%s %.0f', $_, 1000 * median(@{ $seen->{$_} }) } sort keys %$seen;
		diag(sprintf 'p = %.2g, medians in ms: %s (%s)', $p, $medians, $what);
		last if $p > LEVEL;
	}
	cmp_ok($p, '>', LEVEL, "$what: the times do not differ");
	return $seen;
}

# ---- times without a tick ----

my $ana = session($node, user => 'ana');

sub answered
{
	my ($session, $table, $request) = @_;
	my $start = time();
	my $text = $session->ask(($request // \&request)->($table));
	my $seconds = time() - $start;
	die "$table: $text" unless $text =~ /^\d+$/;
	return $seconds;
}

answered($ana, $_) for qw(calm busy long front back);
indistinct('values at the two ends of a list', 10, map { my $table = $_; $table => sub { answered($ana, $table) } } qw(front back));
my $seen = interleaved(5, map { my $table = $_; $table => sub { answered($ana, $table) } } qw(calm busy long));
my %usual = map { $_ => median(@{ $seen->{$_} }) } keys %$seen;
diag(join ', ', map { sprintf '%s takes %.0f ms', $_, 1000 * $usual{$_} } sort keys %usual);
cmp_ok($usual{busy}, '>', 2 * $usual{calm}, 'runs of busy take longer than runs of calm');
$seen = interleaved(5, map { my $table = $_; $table => sub { answered($ana, $table, \&lent) } } qw(calm busy));
cmp_ok(median(@{ $seen->{busy} }), '>', 2 * median(@{ $seen->{calm} }), "aggregates on busy take longer than on calm, too");
$ana->quit;

# ---- answers ----

my $tick = int(1000 * max(0.5, 3 * $usual{busy}));
diag("ticks of $tick ms");
$node->safe_psql('postgres', "ALTER ROLE ana SET dpobj.release_tick = $tick");
$ana = session($node, user => 'ana');
answered($ana, 'calm');

# So many seconds before a multiple of the tick on the clock.
sub wait_for_phase
{
	my ($before) = @_;
	my $now = time() - 946684800; # the clock of PostgreSQL begins in 2000
	my $length = $tick / 1000;
	my $left = $length - $before - ($now - $length * int($now / $length));
	$left += $length while $left < 0;
	sleep($left);
	return;
}

# In the middle between the ends of the two runs, and anywhere.
for my $before (($usual{calm} + $usual{busy}) / 2, 0.8 * $tick / 1000)
{
	$seen = indistinct(sprintf('answers, called %.0f ms before the clock ticks', 1000 * $before),
		8, map { my $table = $_; $table => sub { wait_for_phase($before); answered($ana, $table) } } qw(calm busy));
	cmp_ok(median(@{ $seen->{busy} }), '>=', $tick / 1000, 'a tick lies between the charge and the answer');
}
indistinct("answers at the owner's door to somebody who may not read",
	8, map { my $table = $_; $table => sub { answered($ana, $table, \&lent) } } qw(calm busy));
$ana->quit;

# ---- ends ----

# When calm waits for its tick, long is being read and hard is in the solver; the end is in the middle of a tick.
my $moment = ($usual{calm} + $usual{long}) / 2;
my $longer = int(2000 * ($moment + 0.1));
my %phase = ('waits' => 'calm', 'reads' => 'long', 'solves' => 'hard');
$node->safe_psql('postgres', "ALTER ROLE ana SET dpobj.release_tick = $longer");
$ana = session($node, user => 'ana');

my $newest_charge = "SELECT max(id) FROM dpobj.ledger_events WHERE event = 'charged'";

# A call that is ended before its charge has read nothing, and is made again.
sub ended
{
	my ($how, $table, $request) = @_;
	my $session = $how eq 'terminate' ? session($node, user => 'ana') : $ana;
	my $before = $control->ask($newest_charge);
	my $start = time();
	$session->ask('SET statement_timeout = ' . int(1000 * $moment)) if $how eq 'timeout';
	$start = time();
	$session->send(($request // \&request)->($table));
	if ($how ne 'timeout')
	{
		sleep($moment);
		$control->ask("SELECT pg_${how}_backend(" . $session->pid . ')');
	}
	my $text = $session->result;
	my $seconds = time() - $start;
	die "$how in $table: $text" unless $text =~ /^(?:ERROR:  57014|FATAL:  57P01): /m;
	$session->ask('RESET statement_timeout') if $how eq 'timeout';
	$session->quit if $how eq 'terminate';
	die "$how in $table: the solver stays" unless wait_until(5, sub { !solvers($node) });
	return $control->ask($newest_charge) eq $before ? ended(@_) : $seconds;
}

for my $how (qw(timeout cancel terminate))
{
	$seen = indistinct("$how, in three phases", 8, map { my $name = $_; $name => sub { ended($how, $phase{$name}) } } sort keys %phase);
	cmp_ok(min(@{ $seen->{waits} }), '>', $moment + 0.09, "$how: no answer before a solver could have been cleaned up");
	indistinct("$how at the owner's door, in two phases",
		8, map { my $table = $_; $table => sub { ended($how, $table, \&lent) } } qw(calm hard));
}
$ana->quit;
$node->safe_psql('postgres', "ALTER ROLE ana SET dpobj.release_tick = 3600000");
cmp_ok(ended('terminate', 'hard'), '<', 20, 'pg_terminate_backend ends a run before a long tick');
$node->safe_psql('postgres', 'GRANT SELECT ON calm TO ana');
$ana = session($node, user => 'ana');
cmp_ok(answered($ana, 'calm', \&lent), '<', 60, "an aggregate waits for no tick if the caller may read the table");
$ana->quit;

$control->quit;
finish($node);
