# 039_report_page.pl - dpobj.report as HTML and dpobj.show as Markdown with names that attack a page, in a browser, and
# with many models and charges.
#
# The pages, pictures of them and a PDF are left in $W/pages; scripts/check.sh keeps them.

use DpobjTest;
use Encode qw(decode_utf8 encode_utf8);
use JSON::PP;

my $node = dpobj_cluster('page', 'dpobj.release_tick = 0');
my $measure = slurp_file('tests/page/measure.js');
my $chromium = '/usr/bin/chromium';
my $pages = "$ENV{W}/pages";
mkdir $pages;

sub keep_page
{
	my ($name, $text) = @_;
	unlink "$pages/$name";
	append_to_file("$pages/$name", $text);
	return "$pages/$name";
}

# ---- a table whose every name attacks ----

my $attack = '<script>attacked=1</script>';
my %name = map { encode_utf8($_) } (
	role => qq($attack&amp;"'),
	other => "\x{202E}elor \x{1F511}",
	table => qq(a"'><img src=x onerror=attacked=1>),
	number => qq(-->]]>$attack),
	level => qq(</td></table><svg onload=attacked=1>\x{5D0}\x{5D1}),
	label => qq(ill" onmouseover="attacked=1),
	model => qq($attack |*_[x](javascript:attacked=1)` http://x.org)
	  . "\n\t\x01\x{202E}\x{5D0}\x{5D1}" . 'W' x 100,
	comment => qq(</style></title>$attack <!-- & "quoted" 'text' \x{1F600}\r\n) . 'long' x 300,
	reason => "a $attack reason");
my %sql = map { $_ => "'" . $name{$_} =~ s/'/''/gr . "'" } keys %name;
my %id = map { $_ => '"' . $name{$_} =~ s/"/""/gr . '"' } keys %name;
my %json = map { $_ => JSON::PP->new->allow_nonref->encode($name{$_}) =~ s/'/''/gr } keys %name;
my %named = map { $_ => "'" . $id{$_} =~ s/'/''/gr . "'" } keys %id; # for regclass and regrole
my $table = $named{table};

sub run_as
{
	my ($role, $sql) = @_;
	utf8::downgrade($sql); # bytes, which IPC::Run would write as they are kept
	return $node->safe_psql('postgres', "SET client_min_messages = warning; $sql", extra_params => [ '-U', $role ]);
}

run_as('postgres', <<"SQL");
CREATE ROLE $id{role} LOGIN; CREATE ROLE $id{other} LOGIN; CREATE ROLE auditor LOGIN; CREATE ROLE owner LOGIN;
GRANT dpobj_auditor TO auditor;
CREATE TABLE $id{table} ($id{number} int, kind text, $id{label} boolean, cost float8, sex text);
INSERT INTO $id{table}
  SELECT i % 60, CASE WHEN i % 2 = 0 THEN $sql{level} ELSE 'plain' END, i % 60 > 25, i % 10, (ARRAY['f', 'm'])[1 + i % 2]
    FROM generate_series(1, 2000) i;
ALTER TABLE $id{table} OWNER TO owner;
SELECT dpobj.protect($table, '{$json{number}: {"bins": [20, 40]}, "kind": {"levels": [$json{level}, "plain"]},
                     $json{label}: {}, "cost": {"scale": 10, "clip": [0, 1]}, "sex": {"levels": ["f", "m"]}}', n => 2000);
SELECT dpobj.set_budget($table, NULL, 1000, 0.000001, 'zcdp');
SELECT dpobj.set_budget($table, $named{role}, 100, 0);
SELECT dpobj.set_budget($table, $named{other}, 5, 0);
SELECT dpobj.raise_budget($table, $named{other}, 1, 0, $sql{reason});
SQL
run_as('owner', "SELECT dpobj.limit_budget($table, 2000, 0.000001, accountant => 'zcdp')");
run_as($name{role}, <<"SQL");
SELECT FROM dpobj.train($table, $sql{label}, 1, ARRAY[$sql{number}, 'kind'], method => 'halfspace', name => $sql{model});
SELECT FROM dpobj.train($table, $sql{label}, 1, ARRAY[$sql{number}, 'kind'], method => 'logistic', name => 'second');
SELECT FROM dpobj.train($table, 'cost', 1, ARRAY['kind'], method => 'linear', name => 'third');
SELECT FROM dpobj.train($table, 'kind', 1, ARRAY['sex', 'cost'], method => 'softmax', name => 'of classes');
SELECT FROM dpobj.train($table, $sql{label}, 1, ARRAY['sex'], method => 'halfspace', name => 'gone');
SELECT FROM dpobj.train_groups($table, $sql{label}, 1, ARRAY[$sql{number}], method => 'halfspace', by => ARRAY['kind'], name => 'by kind');
SELECT dpobj.comment($sql{model}, $sql{comment}), dpobj.retire('of classes'), dpobj.delete('gone');
SELECT dpobj.evaluate($sql{model}, $table, 0.5, name => 'accuracy of it'), dpobj.auc('second', $table, 1, options => '{"confidence": 0.9}'),
       dpobj.confusion($sql{model}, $table, 0.5, name => 'table of $attack');
SELECT dpobj.evaluate(name, $table, 0.5) FROM dpobj.models WHERE key IS NOT NULL;
SQL
run_as($name{other}, "SELECT FROM dpobj.train($table, $sql{label}, 1, ARRAY['sex'], method => 'halfspace')");

# ---- the page as text ----

sub page_of
{
	my ($relation) = @_;
	return run_as('auditor', "SELECT dpobj.report($relation, 'html')");
}

my $page = page_of($table);
keep_page('hostile.html', $page);
like($page, qr/<p class="promise">Everybody with one row in [^<]* was promised that all releases from it together are differentially private with epsilon 1000 and delta 0\.000001; of this, epsilon \S+ and delta \S+ are spent, in \d+ releases\.<\/p>\n<p>This says that, if one row is replaced, /,
	'the first sentence says what was promised, to whom, and what is spent; the next, on which conditions');
like($page, qr/id="budgets".*id="releases".*id="totals".*id="rests".*id="not-covered".*class="details".*id="questions".*id="kinds".*id="models".*id="administration"/s,
	'the summary comes before the details');
is(scalar(() = $page =~ m{<dt>[^<]+\?</dt><dd>[^<]{10,}</dd>}g), 14, 'each question has an answer');
ok(length($page) < 200_000, 'the page is small: ' . length($page) . ' bytes');
refused("dpobj.report for the owner of the table", "42501", in_session($node, "owner", "SELECT dpobj.report($table, 'html')"));

# Without the style sheet: only these tags and attributes, and no attribute that loads or runs.
my %tags = map { $_ => 1 } qw(html head meta title style body main header section h1 h2 h3 h4 p div article span b bdi time figure figcaption
  svg rect path table thead tbody tr th td dl dt dd code ul li details summary);
my %attributes = map { $_ => 1 } qw(lang charset http-equiv content name id class aria-labelledby aria-label aria-hidden role viewBox
  preserveAspectRatio x y width height d scope datetime data-head);
my $rest = $page =~ s{<style>.*?</style>}{}sr =~ s/\A<!DOCTYPE html>//r;
my (%strange, @open, @unbalanced);
while ($rest =~ m{<(/?)([^\s>/]*)([^>]*?)(/?)>}g)
{
	my ($end, $tag, $inside, $empty) = ($1, $2, $3, $4);
	$strange{"<$tag>"}++ unless $tags{$tag};
	$strange{$tag}++ if $inside =~ s/\s([\w-]+)="([^"<]*)"/$attributes{$1} ? '' : "?$1"/ger =~ /\S/;
	push @open, $tag unless $end || $empty;
	push @unbalanced, $tag if $end && (pop(@open) // '') ne $tag;
}
is_deeply([ sort keys %strange ], [], 'no tag and no attribute but those of the page');
is_deeply([ @open, @unbalanced ], [], 'every element is closed in its place');
unlike($page =~ s/<[^>]*>//gr =~ s/&(?:amp|lt|gt|quot|#39);//gr, qr/[&<>]|[\x00-\x08\x0b-\x1f]/, 'no character of markup is left in a text');
like($page, qr/\Q&lt;script&gt;attacked=1&lt;\/script&gt;&amp;amp;&quot;&#39;/, 'a role is there, escaped');
unlike($page, qr/\xE2\x80\xAE/, 'nothing turns the direction of what follows');
like($page, qr/<div class="curves">\n<figure><svg [^>]*><path class="even" [^>]*><path class="line" d="M0 100(?:L[\d.]+ [\d.]+)+"\/>.*<rect class="mark" [^>]*>.*calibrated probability/s, 'the ROC curve and the calibration of a model');
like($page, qr/default-src 'none'/, 'the page forbids itself scripts and loads');

# ---- a model as Markdown ----

my $card = run_as($name{role}, "SELECT dpobj.show($sql{model}, 'markdown')");
keep_page('card.txt', $card);
unlike($card =~ s/\\[\\`*_~#<>&|\$@\[\]:.]//gr, qr/[<>&`*_~\[\]\$@]|http:/, 'Markdown reads no name as markup');
is_deeply([ grep { /^\|/ && !/^\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\|(?:(?:[^|\\]|\\.)*\|)?$/ } split /\n/, $card ], [], 'each row of a table has its cells');
like($card, qr/^\| comment \| \\<\/style\\>/m, 'the comment is there');
like($card, qr/^- accuracy [\d.]+, [\d.]+ to [\d.]+ at confidence 0.95/m, 'the rating is there');
like($card, qr/^- confusion kept as table of \\<script/m, 'the confusion table is there');
like(run_as($name{role}, q{SELECT dpobj.show('of classes', 'markdown')}), qr/\| retired \| since \d.*\| Class \| Feature \|.*^- .*; rating: about \d+ rows held out/ms, 'a card of a retired model of classes');
like(run_as($name{role}, q{SELECT dpobj.show(name, 'markdown') FROM dpobj.models WHERE key @> '{plain}'}), qr/kind = plain.*^- accuracy/sm, 'a card of a group has its ratings');
refused('a card of a model that is not shared', '42704', in_session($node, 'owner', qq{SELECT dpobj.show('second', 'markdown', $named{role})}));
is(run_as($name{role}, "SELECT dpobj.show(model, 'markdown') = dpobj.show(name, 'markdown') FROM dpobj.models WHERE name = 'second'"), 't', 'a card of a value is that of its name');

# ---- the page in a browser ----

sub browse
{
	my ($file, $scheme, @how) = @_;
	my ($out, $error);
	IPC::Run::run([ $chromium, qw(--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run),
			'--user-data-dir=' . PostgreSQL::Test::Utils::tempdir(), '--blink-settings=preferredColorScheme=' . ($scheme eq 'dark' ? 0 : 1),
			@how, "file://$file" ], '<', \undef, '>', \$out, '2>', \$error, IPC::Run::timeout(60)) or diag($error);
	return $out;
}

# A file with the page in a frame of each width. Its own policy would keep scripts from running that the names should not have made.
sub framed
{
	my ($name, $height, $script, @widths) = @_;
	my $inner = $page =~ s/<meta http-equiv[^>]*>//r =~ s/&/&amp;/gr =~ s/"/&quot;/gr;
	return keep_page($name, qq(<!DOCTYPE html><html style="color-scheme: light dark"><meta charset="utf-8"><body style="margin: 0">)
		. join('', map { qq(<iframe style="border: 0; width: ${_}px; height: ${height}px" srcdoc="$inner"></iframe>) } @widths)
		. qq(<pre id="measured"></pre><script>$script</script></body></html>));
}

my @there = ('Privacy report of table', 'All roles together', 'The owner\'s limit', 'Budgets', 'Releases', 'What the releases guarantee together', 'Models',
	'Administration', 'What it rests on', 'What is not covered', 'differentially private with epsilon 1000 and delta 0.000001', 'one row is replaced',
	'retired', 'deleted', 'No rating of it is kept', 'confusion kept as table of ', 'accuracy', 'auc', 'which the ledger has',
	map { decode_utf8($_) =~ s/[\x{202E}\x00-\x20]+/ /gr } $id{table}, map { $name{$_} } grep { $_ ne 'table' } keys %name);

SKIP:
{
	skip 'the page in a browser: there is no chromium', 1 unless -x $chromium;
	for my $scheme (qw(light dark))
	{
		my $dump = browse(framed('measured.html', 1000, $measure, 360, 768, 1280), $scheme, '--window-size=1400,900', '--dump-dom') // '';
		my ($json) = $dump =~ m{<pre id="measured">(.*?)</pre>}s;
		my @frames = @{ decode_json(($json // '[]') =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr) };
		is_deeply([ map { $_->{width} } @frames ], [ 360, 768, 1280 ], "$scheme: the browser has measured three widths");
		for my $frame (@frames)
		{
			my $what = "$scheme, $frame->{width} px";
			is($frame->{dark} ? 'dark' : 'light', $scheme, "$what: the scheme");
			is_deeply($frame->{overflowing}, [], "$what: nothing sticks out");
			cmp_ok($frame->{scroll}, '<=', $frame->{width}, "$what: no scrolling to the side");
			cmp_ok($frame->{contrast}[0], '>=', 4.5, "$what: contrast of $frame->{texts} texts, the least $frame->{contrast}[0] of $frame->{contrast}[1]");
			cmp_ok($frame->{picture}[0], '>=', 3, "$what: contrast of $frame->{pictures} marks, the least $frame->{picture}[0]");
			cmp_ok($frame->{texts}, '>', 200, "$what: many texts");
			is_deeply([ grep { !$tags{$_} } @{ $frame->{elements} } ], [], "$what: no other element");
			is_deeply([ grep { !$attributes{$_} && $_ ne 'open' } @{ $frame->{attributes} } ], [], "$what: no other attribute");
			is($frame->{attacked}, undef, "$what: no name has run a script");
			is($frame->{nameless}, 0, "$what: each picture has a text or one beside it");
			is_deeply([ grep { index($frame->{text}, $_) < 0 } @there ], [], "$what: all texts are there");
		}
		browse("$pages/hostile.html", $scheme, '--window-size=1280,5000', "--screenshot=$pages/$scheme.png");
	}
	browse(framed('narrow.html', 9000, '', 360), 'light', '--window-size=500,9000', "--screenshot=$pages/narrow.png");
	browse("$pages/hostile.html", 'light', '--no-pdf-header-footer', "--print-to-pdf=$pages/hostile.pdf");
	ok(-s "$pages/$_", "there is $_") for qw(light.png dark.png narrow.png hostile.pdf);
}

# ---- 1,000 models and 100,000 charges ----

# Copies of a model of the hostile name and of its charge, in the two years before, as if each had been made.
run_as('postgres', <<"SQL");
CREATE TEMP TABLE charge AS
  SELECT e.* FROM dpobj.ledger_events e JOIN dpobj.model_rows m ON m.release = e.id WHERE e.event = 'charged' AND m.name = $sql{model};
DO \$\$
DECLARE names text := (SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
                        WHERE attrelid = 'charge'::regclass AND attnum > 0 AND attname NOT IN ('id', 'at', 'epsilon_nano'));
BEGIN
  EXECUTE format('INSERT INTO dpobj.ledger_events (at, epsilon_nano, %1\$s)
    SELECT now() - i * interval ''10 min'', 1000000 + i %% 50, %1\$s FROM generate_series(1, 100000) i, charge', names);
END \$\$;
INSERT INTO dpobj.ledger_events (at, event, release, relation, relation_name, role, role_name, mechanism, mechanism_version, relation_identity, role_identity, output_hash)
  SELECT e.at, CASE e.id % 100 WHEN 0 THEN 'failed' ELSE 'released' END, e.id, e.relation, e.relation_name, e.role, e.role_name, e.mechanism, e.mechanism_version,
         e.relation_identity, e.role_identity, CASE e.id % 100 WHEN 0 THEN NULL ELSE sha256('model') END
    FROM dpobj.ledger_events e WHERE e.event = 'charged' AND NOT EXISTS (SELECT FROM dpobj.ledger_events x WHERE x.release = e.id);
INSERT INTO dpobj.model_rows (release, owner, name, released, model, comment)
  SELECT e.id, m.owner, left(m.name, 150) || e.id, e.at, jsonb_set(m.model::jsonb, '{release}', to_jsonb(e.id))::dp_model, m.comment
    FROM dpobj.model_rows m, (SELECT e.id, e.at FROM dpobj.ledger_events e WHERE e.event = 'charged' ORDER BY e.id DESC LIMIT 1000) e WHERE m.name = $sql{model};
ANALYZE dpobj.ledger_events, dpobj.model_rows, dpobj.charge_counts;
SQL
my $start = time();
$page = page_of($table);
my $seconds = time() - $start;
keep_page('large.html', $page);
note(sprintf 'the page of 1,000 models and 100,000 charges: %d bytes in %.2f s', length($page), $seconds);
cmp_ok(length($page), '<', 2_000_000, 'it has less than 2 MB');
like($page, qr/<b>1000\d\d<\/b> charged/, 'it counts all charges');
is(scalar(() = $page =~ /<article class="card">/g), 12, 'the newest models have cards');
is(scalar(() = $page =~ /data-head="owner"/g), 996, 'the others a row each');

finish($node);
