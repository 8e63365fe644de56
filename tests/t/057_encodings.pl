# 057_encodings.pl - what people read keeps every letter of names, columns and levels in databases of
# every kind of encoding, and shows no control character.

use DpobjTest;
use Encode qw(decode_utf8 encode_utf8);
use utf8;

my $node = dpobj_cluster('encodings', 'dpobj.release_tick = 0', 'fsync = off');

# Letters of each encoding; bytes 0x80 to 0x9f are letters in those of Windows and DOS and in KOI8.
my %letters = (
	UTF8 => [ 'Betrag in €', 'Škoda', "日本\x{1F600}" ], LATIN1 => [ 'Größe', 'Åland', 'ÿ' ], LATIN2 => [ 'částka', 'Škoda', 'ž' ], LATIN9 => [ 'Betrag in €', 'Škoda', 'ß' ],
	ISO_8859_5 => [ 'Цена', 'Њ', 'џ' ], WIN1252 => [ 'Betrag in €', 'Škoda', 'Ž™' ], WIN1250 => [ 'Cena w €', 'Škoda', 'śź' ],
	WIN1251 => [ 'Цена в €', 'Ђурђа', 'Џ' ], WIN866 => [ 'Цена', 'АБВГ', 'Я' ], KOI8R => [ 'Цена', 'ёж', '║█' ], EUC_JP => [ '値段', '東京', 'カタカナ' ],
	SQL_ASCII => [ 'Betrag in €', 'Škoda', 'Цена' ]);

for my $encoding (sort keys %letters)
{
	my ($column, $level, $other) = @{ $letters{$encoding} };
	my $database = lc $encoding;
	my $name = "$other \t\r\n\x7f$level" . ($encoding eq 'UTF8' ? "\x{202E}\x{200B}\x{85}" : '') . '!';
	my $run = sub { return decode_utf8($node->safe_psql($database, encode_utf8("SET client_encoding = 'UTF8'; $_[0]"))) };

	$node->safe_psql('postgres', "CREATE DATABASE $database ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	$run->(<<"SQL");
CREATE EXTENSION dpobj;
CREATE TABLE price ("$column" text, y boolean);
INSERT INTO price SELECT (ARRAY['$level', '$other', 'x'])[1 + i % 3], i % 3 = 0 FROM generate_series(1, 900) i;
SELECT dpobj.protect('price', '{"$column": {"levels": ["$level", "$other", "x"]}, "y": {}}', n => 900), dpobj.set_budget('price', current_user::regrole, 100, 0);
SELECT FROM dpobj.train('price', 'y', 50, name => '$name');
SELECT FROM dpobj.histogram('price', '$column', 1, name => '$name kept');
SQL
	for my $function (qw(show model_card))
	{
		my $text = $run->("SELECT dpobj.$function('$name')");
		like($text, qr/\Q$other\E  ?\Q$level\E ?\\?!/, "$encoding: $function has the name");
		like($text, qr/\Q$column\E/, "$encoding: $function has the column");
		like($text, qr/\Q$level\E/, "$encoding: $function has the level");
		unlike($text, qr/[\x00-\x09\x0b-\x1f\x7f-\x9f\x{200B}\x{202E}]/, "$encoding: $function has no control character");
	}
	my $page = $run->("SELECT dpobj.report_html('price')");
	like($page, qr/\Q$_\E/, "$encoding: report_html has its letters") for $column, $level, $other;
	unlike($page, qr/[\x00-\x09\x0b-\x1f\x7f-\x9f\x{200B}\x{202E}]/, "$encoding: report_html has no control character");
	is($run->("SELECT count(*) FROM dpobj.report_text('price')"), '1', "$encoding: report_text");
	is($run->("SELECT dpobj_internal.on_one_line('$column $level $other')"), "$column $level $other", "$encoding: a text without control characters stays");
}

# A name of any length is escaped at once.
my $start = time;
is(scalar_of($node, q{SELECT length(dpobj_internal.markdown(repeat('www.*', 1000000)))}), '7000000', 'a megabyte of markup');
cmp_ok(time - $start, '<', 5, 'takes seconds at most');
is(scalar_of($node, q{SELECT dpobj_internal.markdown(E'a|b\n[x](http://y) WWW.z a.b 1:2 \\\\ `c` <d> $e @f #g ~h &i _j')}),
	'a\|b \[x\](http\://y) WWW\.z a.b 1:2 \\\\ \`c\` \<d\> \$e \@f \#g \~h \&i \_j', 'what Markdown would read as markup');

finish($node);
