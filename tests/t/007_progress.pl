# 007_progress.pl - only the owner of the table is told how far a solver is.

use List::Util qw(max);

use DpobjTest;

my $node = dpobj_cluster('progress');

login_roles($node, qw(owner analyst guest));
$node->safe_psql('postgres', <<'SQL');
ALTER TABLE slow OWNER TO owner;
GRANT SELECT ON slow TO analyst;
SELECT dpobj.grant_trainer('owner');
SELECT dpobj.grant_trainer('analyst');
SELECT dpobj.grant_trainer('guest');
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE FUNCTION as_owner(options jsonb) RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS 'SELECT (dp_halfspace(features, label, 10, 0, options)).release FROM slow';
CREATE FUNCTION as_caller(options jsonb) RETURNS bigint LANGUAGE sql
  AS 'SELECT (dp_halfspace(features, label, 10, 0, options)).release FROM slow';
SQL

my $limits = '"grid": {"max": 4}, "time_limit": 2';
my $search = qq{"mechanism": "opdisc", "solver": "native", $limits};
my $sample = qq{"mechanism": "exponential", $limits};

# What psql shows to a user.
sub shown
{
	my ($user, $statement) = @_;
	my ($out, $err) = ('', '');
	$node->psql('postgres', $statement, stdout => \$out, stderr => \$err,
		extra_params => [ '-U', $user ]);
	return $out . $err;
}

my $on = 'SET dpobj.progress = on; SET client_min_messages = debug1;';
my $searching =
  qr/^.*INFO:  dpobj is searching: \d+ boxes of the grid, the optimum is at most \d+\.\d misclassified rows better than the best vector so far$/m;
my $sampling = qr/^.*INFO:  dpobj is sampling: \d+ boxes of the grid, \d+ attempts$/m;
my $anything = qr/dpobj is (searching|sampling)/;

my $text = shown('owner', $on . train(SLOW, epsilon => 10, options => $search));
like($text, $searching, 'the owner sees the search');
like($text, qr/training was stopped/, 'the time limit stops the search');
like(shown('owner', $on . train(SLOW, epsilon => 10, options => $sample)),
	$sampling, 'the owner sees the sampler');
unlike(shown('owner', train(SLOW, epsilon => 10, options => $search)),
	$anything, 'without dpobj.progress the owner sees nothing');

# A quarter of the rows can be used, which a WARNING would say after a model.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE partly AS TABLE slow;
INSERT INTO partly SELECT id, features, NULL FROM slow, generate_series(1, 3);
ALTER TABLE partly OWNER TO owner;
SQL
$text = shown('owner', train('partly', epsilon => 15, options => qq{$search, "coverage_epsilon": 5}));
like($text, qr/training was stopped.*The charge of epsilon 15 stays/s, 'the charge of both parts stays');
unlike($text, qr/usable|could be used/, 'nothing is said of usable rows where the training was stopped');

for my $options ($search, $sample)
{
	my $call = "'{$options}'";
	for my $statement (
		train(SLOW, epsilon => 10, options => $options),
		"SELECT as_owner($call)",
		"SELECT as_caller($call)")
	{
		$text = shown('analyst', $on . $statement);
		unlike($text, $anything, 'an analyst sees no progress');
		like($text, qr/training was stopped/, 'an analyst is told that the training was stopped');
	}
}
like(shown('owner', "$on SELECT as_caller('{$search}')"),
	$searching, 'the owner sees the search of a function');
$text = shown('guest', "$on SELECT as_owner('{$search}')");
unlike($text, $anything, 'a caller who may not read the table sees no progress');
like($text, qr/ERROR:  the release failed and nothing was released\nDETAIL:  The charge stays\. The reason is in the server log only\.$/m,
	'a caller who may not read the table is not told why the training ended');
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA hidden;
GRANT USAGE ON SCHEMA hidden TO owner;
GRANT SELECT ON slow TO guest;
ALTER TABLE slow SET SCHEMA hidden;
SET ROLE owner;
CREATE OR REPLACE FUNCTION as_owner(options jsonb) RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS 'SELECT (dp_halfspace(features, label, 10, 0, options)).release FROM hidden.slow';
SQL
like(shown('guest', "SELECT as_owner('{$search}')"),
	qr/the release failed/, 'a caller who may not use the schema is not told either');

# ---- nobody sees when the solver has ended and the rating begins ----

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE ward AS SELECT i % 9 AS a, i % 9 > 4 AS y FROM generate_series(1, 1000000) i;
SELECT dpobj.protect('ward', '{"a": {"bins": [3, 6]}, "y": {}}', n => 1000000), dpobj.set_budget('ward', 'guest', 10, 0);
SQL
my $control = session($node);
my $guest = session($node, user => 'guest', set => ["SET dpobj.release_tick = '3s'"]);
my $waits = 'SELECT wait_event FROM pg_stat_activity WHERE pid = ' . $guest->pid;
my @stretches = ([ '', 0 ]); # an event, and how often it was seen in a row
$guest->send(q{SELECT details -> 'rating' ->> 'verdict' FROM dpobj.train('ward', 'y', 1, method => 'logistic', name => 'rated')});
wait_until(30, sub { $control->ask($waits) ne 'ClientRead' });
for (1 .. 10000)
{
	my $event = $control->ask($waits);
	last if $event eq 'ClientRead';
	push @stretches, [ $event eq 'Extension', 0 ] if $stretches[-1][0] ne ($event eq 'Extension');
	$stretches[-1][1]++;
	sleep(0.002);
}
is($guest->result, 'better than chance', 'the model is rated');
diag("waited or not: " . join ' ', map { $_->[1] } @stretches);
shift @stretches until !@stretches || $stretches[0][0]; # until it waits for the charge
my @busy = map { $_->[0] ? () : $_->[1] } @stretches; # a busy machine adds a few that are short
is(scalar(grep { $_ > max(@busy) / 3 } @busy), 1, 'its session seems to read the rows once');
cmp_ok(max(map { $_->[0] ? $_->[1] : 0 } @stretches), '>', 100, 'and then to wait until the tick');
$_->quit for $control, $guest;

finish($node);
