# 048_part_messages.pl - messages between a coordinator and its parts that somebody has changed: a part refuses
# them, a coordinator fails as for every lost part, and neither server crashes or runs what a caller has planted.

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('messages', 'dpobj.release_tick = 0', 'dpobj.max_failures = 1000000');
my $part = $parts[0];
login_roles($coordinator, 'ana');
$coordinator->safe_psql('postgres', "SELECT dpobj.set_budget('visit', 'ana', 100000000, 0)");
my $ana = session($coordinator, user => 'ana');

# ---- a caller's operators ----

# For a role that may read the table, dpobj_internal.part() looks for marks as the owner of dpobj's tables:
# nothing of the caller may run then.
$part->safe_psql('postgres', 'CREATE ROLE eve LOGIN; CREATE SCHEMA planted AUTHORIZATION eve; GRANT SELECT ON visit_part TO eve');
my $eve = session($part, user => 'eve');
for my $type (qw(oid int8 text))
{
	$eve->ask(<<"SQL");
CREATE FUNCTION planted.equal($type, $type) RETURNS boolean LANGUAGE plpgsql AS
  \$\$ BEGIN EXECUTE 'ALTER ROLE eve SUPERUSER'; RETURN \$1 OPERATOR(pg_catalog.=) \$2; END \$\$;
CREATE OPERATOR planted.= (LEFTARG = $type, RIGHTARG = $type, PROCEDURE = planted.equal)
SQL
}

# ---- what the coordinator sends ----

$part->safe_psql('postgres', "ALTER ROLE dealer SET log_statement = 'all'");

# The messages to the part for a statement, as hexadecimal digits.
sub messages_of
{
	my ($statement) = @_;
	my $from = -s $part->logfile;
	unlike($ana->ask($statement), qr/ERROR/, 'a release is made');
	return slurp_file($part->logfile, $from) =~ /parameters: \$1 = '\\x([0-9a-f]+)'/gi;
}

my %sent = (
	'a count' => q{SELECT sum(value) FROM dpobj.count('visit', 10, '{e}', filter => '{"r": {">": 0}, "n": {">=": 0.25}, "e": {"in": ["low"]}, "t": {"<>": "tt"}}')},
	'a linear separator' => q{SELECT (dpobj.train('visit', 'y', 10, '{a,r,e,t}', options => '{"holdout": 0.3}')).release > 0},
	'a rating' => q{SELECT (dpobj.train('visit', 's', 10, '{r,e,t}', method => 'softmax', options => '{"holdout": 0.3, "rate": 1}')).release > 0},
	'a model of passes' => q{SELECT (dpobj.train('visit', 'y', 10, '{r,d,c,s}', method => 'logistic', options => '{"mechanism": "objective"}')).release > 0});
%sent = map { $_ => [ messages_of($sent{$_}) ] } keys %sent;
is(join(' ', map { $_->[0] =~ /^6f/ && $_->[1] =~ /^73/ ? 'open, scan' : 'others' } values %sent), join(' ', ('open, scan') x 4), 'the messages are known');

$eve->ask('SET search_path = planted, pg_catalog');
is($eve->ask("BEGIN; SELECT dpobj_internal.part('\\x$sent{'a count'}[0]')"), '\x6470703105', 'a part refuses any other role');
$eve->ask('COMMIT');
is(scalar_of($part, "SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'"), 'f', "and runs no operator of a caller's");

# ---- a table of a marked one's name ----

make_part($part, 'again', 1, 10);
my $again = unpack('H*', pack('N', 10) . 'visit_part');
my $named = unpack('H*', pack('N', 5) . 'again');
my $opened = $sent{'a count'}[0] =~ s/\Q$again\E/$named/r;
my $opening = "BEGIN; SELECT dpobj_internal.part('\\x$opened'); ROLLBACK";
like(in_session($part, 'dealer', $opening), qr/^\\x6470703100/m, 'a marked table opens');
$part->safe_psql('postgres', 'ALTER TABLE again RENAME TO kept; ALTER TABLE kept RENAME TO again');
like(in_session($part, 'dealer', $opening), qr/^\\x6470703100/m, 'and after other names');
$part->safe_psql('postgres', 'DROP TABLE again; CREATE TABLE again (LIKE visit_part); ALTER TABLE again OWNER TO eve; GRANT SELECT ON again TO dealer');
like(in_session($part, 'dealer', $opening), qr/^\\x6470703105$/m, 'a table that somebody has made under its name is not marked');
like(in_session($part, 'postgres', 'SELECT dp_count(0.1) FROM again'), qr/is a part of a table on another server/, 'but releases nothing either');
like(in_session($part, 'dealer', $opening), qr/^\\x6470703105$/m, 'nor is it after the attempt');
$part->safe_psql('postgres', "SELECT dpobj.mark_part('again', 'postgres.public.visit', 'dealer')");
like(in_session($part, 'dealer', $opening), qr/^\\x6470703100/m, 'a new mark is of the new table');

$part->safe_psql('postgres', "SELECT dpobj.mark_part('again', NULL)");
like(in_session($part, 'dealer', "BEGIN; SELECT dpobj_internal.part('\\x$sent{'a count'}[0]'); SELECT dpobj_internal.part('\\x$opened'); ROLLBACK"),
	qr/^\\x6470703100\w+\n\\x6470703105$/m, 'a table that is not marked does not open after one that is');

# ---- messages out of order ----

my $dealer = session($part, user => 'dealer', split => 1);

# The text of the first error; empty if there is none.
sub told
{
	my (@messages) = @_;
	$dealer->ask(join ';', 'BEGIN', (map { "SELECT dpobj_internal.part('\\x$_')" } @messages), 'ROLLBACK');
	return $dealer->messages =~ /^ERROR:  (?!25P02)(\w+: .*)$/m ? $1 : '';
}

my ($open, $scan, $passes, $pass) = @{ $sent{'a model of passes'} };
my $rows = unpack 'H*', 'r';
my $disorder = '08P01: a message between parts of a table comes out of order';
is(told($open, $scan, $passes, $pass), '', 'passes are answered');
is(told($open, $scan, $rows), '', 'rows are answered');
is(told($open, $scan, @$_), $disorder, 'messages out of order are refused: ' . join ' ', map { pack 'H2', $_ } @$_)
  for [ $passes, $rows ], [ $passes, $passes ], [$scan], [$open], [$pass], [ $passes, $pass, $rows ], [ $rows, $passes ];
is(told($open, $_), $disorder, 'rows are read before they are asked for') for $rows, $passes, $pass;
my @rating = @{ $sent{'a rating'} };
my ($rate) = grep { /^74/ } @rating;
is(told(@rating), '', 'a rating is answered');
is(told(@rating, $rate), '', 'and again, to whom all rows are sent');
is(told(@rating[ 0, 1 ], $rate), '', 'also before the other rows are asked for');
is(told(@$_), $disorder, 'a rating is of rows that were dealt') for [ $rating[0], $rate ], [ $open, $scan, $rate ], [ @rating[ 0, 1 ], $rate =~ s/^74\K0{8}/00000001/r ];
is(told($open, $sent{'a count'}[0], $scan), $disorder, 'two parts are read together only if both have what is asked for');
is(told($scan), $disorder, 'nothing is read before the part is opened');

# ---- what does not fit ----

sub text { return pack('N', length $_[0]) . $_[0]; }

# The opening of a count with one piece of its bytes in the place of another.
sub changed
{
	my ($name, $old, $new) = @_;
	my $bytes = pack 'H*', $sent{$name}[0];
	die "no such bytes: $name" unless $bytes =~ s/\Q$old\E/$new/;
	return unpack 'H*', $bytes;
}

my $invalid = '08P01: the description of a scan is not valid';
my ($real, $number) = (text('r') . pack('NC', 700, 0), pack('N', 0)); # a type, which is not cast
is(told(changed('a model of passes', $real . $number . pack('N', 1), $real . $number . pack('N', 2)), $scan), $invalid,
	'a number has one feature');
my $label = text('y') . pack('N', 16);
my $other = text('t') . pack('N', 25);
my $bytes = pack 'H*', $open;
my $at = rindex $bytes, $label;
is(told(unpack('H*', substr($bytes, 0, $at) . $other . substr($bytes, $at + length $label)), $scan), $invalid, "a label is read from its encoder's column");

# An encoder and a label of a smallint, read as 0 and 1 by the casts, and without constants that tell them apart.
sub cast_label
{
	my (@casts) = @_;
	my $cast = pack 'H*', $open;
	for (@casts) { die 'no such label' unless $cast =~ s/\Q$label\E\0/text('s') . pack 'NC', 21, $_/e; }
	return unpack 'H*', $cast;
}
is(told(cast_label(2, 2), $scan), '', 'a number is read as a boolean');
is(told(cast_label(@$_), $scan), $invalid, "a label is read as its encoder's column is") for [ 2, 0 ], [ 0, 2 ];

# A model has the classes and the weights of the rows, whatever a label is encoded as.
my $rated = pack 'H*', $rate;
my ($kind, $classes, $weights) = unpack 'x5 C N2', $rated;
my $each = $weights / 6;
my $message = '08P01: a message between parts of a table is not valid';
is("$kind $classes", '1 6', 'the message is known');
sub of_another { my ($header, $length) = @_; return unpack 'H*', substr($rated, 0, 5) . $header . substr($rated, 14, $length // $weights * 8); }
is(told(@rating[ 0, 1 ], of_another(pack 'CNN', @$_)), $message, "a model of other rows is refused: @$_")
  for [ 1, 5, $weights ], [ 1, 65, 65 * $each ], [ 1, 6, 5 * $each ], [ 0, 6, $weights ], [ 2, 6, $weights ], [ 3, 6, $weights ];
is(told(@rating[ 0, 1 ], unpack 'H*', substr($rated, 0, 14 + 8 * $_) . pack('d>', 9**9**9) . substr($rated, 22 + 8 * $_)), $message, 'and one whose weight is no number') for 0, $weights - 1;
is(told(@rating[ 0, 1 ], of_another(pack('CNN', 1, 5, 5 * $each), 5 * $each * 8)), $disorder, 'so is one that lacks a class of some rows');

# A person or a column that deals rows is read as it is stored.
my $separator = pack 'H*', $sent{'a linear separator'}[0];
my ($nobody, $dealt) = (pack('NCNCCCq>', 0, 0, 0, 0, 0, 1, 300), text('t') . pack('N', 25));
my $person = $separator =~ s/\Q$nobody\E/pack('NC', 0, 1) . $dealt . pack('CNCCCq>', 0, 1, 0, 0, 1, 300)/er;
is(told(unpack 'H*', $person), '', 'a text names persons');
is(told(unpack 'H*', $_), $invalid, 'what names persons or deals rows is not cast')
  for $person =~ s/\Q$dealt\E\K\0(?=\0\0\0\x01\0\0\x01)/\x01/r, $separator =~ s/.*\Q$dealt\E\K\0/\x01/sr;

# ---- bytes that anybody may have changed ----

my $times = $ENV{DPOBJ_FUZZ_TIMES} // 1;
srand $times;
my @large = (0, 1, 65536, 0xfffff, 0x100000, 0x7fffffff, 0x80000000, 0xffffffff);
my @reals = map { pack 'd>', $_ } 9**9**9, -9**9**9, -sin(9**9**9), 1e300, -1, 2**48, 1e-320;

sub mutated
{
	my ($message) = @_;
	my $length = length $message;
	my $place = int rand $length;
	my $kind = int rand 6;
	if ($kind == 0) { substr($message, $place, 1) ^= chr(1 << int rand 8); }
	elsif ($kind == 1) { $message = substr $message, 0, $place; }
	elsif ($kind == 2) { $message .= chr int rand 256; }
	elsif ($kind == 3) { substr($message, $place, 1) = chr int rand 256; }
	elsif ($kind == 4 && $length > 4) { substr($message, int rand $length - 4, 4) = pack 'N', $large[ rand @large ]; }
	elsif ($length > 8) { substr($message, int rand $length - 8, 8) = $reals[ rand @reals ]; }
	return $message;
}

# 22003, 22P02, 22021: a number, a constant, a text that are none; 22023: an unknown time zone; 53200: not so much memory.
my (%told, @strange);
for my $i (1 .. 900 * $times)
{
	my @messages = @{ $sent{ (sort keys %sent)[ $i % 3 ] } };
	my $which = rand() < 0.6 ? 0 : int rand @messages;
	$messages[$which] = unpack 'H*', mutated(pack 'H*', $messages[$which]);
	$#messages = 7 if @messages > 8;
	my $text = told(@messages);
	$told{ substr $text, 0, 5 }++;
	push @strange, "$text: @messages[0 .. $which]" unless $text =~ /^(?:$|(?:08P01|22003|22P02|22021|22023|53200): )/;
}
is_deeply(\@strange, [], 'changed messages are refused or answered');
cmp_ok($told{'08P01'}, '>', 100, 'many of them are refused');
unlike(slurp_file($part->logfile), qr/terminated by signal|PANIC/, 'and none ends the part');

# ---- what a part answers ----

# A database of a part whose superuser has replaced the function by one that gives the answers that are put into a table.
$part->safe_psql('postgres', 'CREATE DATABASE strange');
$part->safe_psql('strange', <<'SQL');
CREATE EXTENSION dpobj;
GRANT USAGE ON SCHEMA dpobj_internal TO dealer;
CREATE TABLE dpobj_internal.given (message integer PRIMARY KEY, answer bytea);
GRANT SELECT ON dpobj_internal.given TO dealer;
CREATE OR REPLACE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea LANGUAGE sql
  AS $$ SELECT g.answer FROM dpobj_internal.given g WHERE g.message = get_byte($1, 0) $$;
SQL
my ($host, $port) = ($part->host, $part->port);
$coordinator->safe_psql('postgres', sprintf <<'SQL', columns(), encoders(), $host, $port);
CREATE SERVER strange FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%3$s', port '%4$s', dbname 'strange');
CREATE USER MAPPING FOR postgres SERVER strange OPTIONS (user 'dealer');
CREATE TABLE strange (%1$s) PARTITION BY RANGE (id);
SELECT dpobj.protect('strange', '%2$s', 'add_remove');
SELECT dpobj.set_budget('strange', 'ana', 100000000, 0);
SQL
foreign_partition($coordinator, 'strange_1', 'FROM (1) TO (2000)', 'strange', 'visit_part', 'strange');
my $count = q{SELECT value FROM dpobj.count('%s', 1000)};
my @asked = messages_of(sprintf $count, 'visit');
my @given = split /\n/, $dealer->ask(join ';', 'BEGIN', (map { "SELECT encode(dpobj_internal.part('\\x$_'), 'hex')" } @asked), 'ROLLBACK');
my $store = session($part, database => 'strange');
my $failure = qr/^ERROR:  UB004: [^\n]*\n/;

sub give
{
	my ($which, $answer) = @_;
	$store->ask(sprintf q{INSERT INTO dpobj_internal.given VALUES (%d, '\x%s') ON CONFLICT (message) DO UPDATE SET answer = EXCLUDED.answer},
		hex substr($asked[$which], 0, 2), $answer);
	return;
}

sub charged { return scalar_of($coordinator, "SELECT count(*) FROM dpobj.ledger WHERE event = 'charged'"); }

give($_, $given[$_]) for 0 .. 2;
is(scalar(@given), 3, 'a count has three answers');
my $truth = $ana->ask(sprintf $count, 'strange');
like($truth, qr/^1000$/m, 'a part may be a function that somebody else wrote');

# The answers to the count with each byte of an answer changed.
sub answers_with
{
	my ($which) = @_;
	my $bytes = pack 'H*', $given[$which];
	my @answers;
	for my $changed (map { my $b = $bytes; substr($b, $_, 1) ^= chr(1 << $_ % 8); $b } 0 .. length($bytes) - 1)
	{
		give($which, unpack 'H*', $changed);
		push @answers, $ana->ask(sprintf $count, 'strange');
	}
	give($which, $given[$which]);
	return @answers;
}

my $before = charged();
my @answers = answers_with(0);
is_deeply([ grep { !/^[\d.]+$/m && !/^ERROR:  (?:08P01|UB003|55000): / } @answers ], [], 'the answer of an opened part is taken, or refused');
cmp_ok(charged() - $before, '<=', scalar(grep { !/^ERROR:  (?:08P01|UB003|55000): / } @answers), 'what is refused then is free');
for my $which (1, 2)
{
	$before = charged();
	@answers = answers_with($which);
	is_deeply([ grep { !/^[\d.]+$/m && $_ !~ $failure } @answers ], [], 'a later answer is taken, or is the one failure');
	is(charged() - $before, scalar(@answers), 'which is charged');
}

# Pieces without rows, one after the other, would never end.
give(2, unpack('H*', pack('N C N C q> N', 0x64707031, 0, 0, 0, 0, 0)));
$ana->ask("SET statement_timeout = '20s'");
like($ana->ask(sprintf $count, 'strange'), $failure, 'a part that sends no row and does not end is the one failure');

# Rows without end are not collected: the second one is the failure, in the time of a few.
$part->safe_psql('strange', <<'SQL');
ALTER EXTENSION dpobj DROP FUNCTION dpobj_internal.part(bytea);
DROP FUNCTION dpobj_internal.part(bytea);
CREATE FUNCTION dpobj_internal.part(message bytea) RETURNS SETOF bytea LANGUAGE plpgsql
  AS $$ BEGIN RETURN QUERY SELECT g.answer FROM dpobj_internal.given g, generate_series(1, CASE get_byte($1, 0) WHEN 115 THEN 2 ELSE 1 END) WHERE g.message = get_byte($1, 0); END $$;
ALTER EXTENSION dpobj ADD FUNCTION dpobj_internal.part(bytea);
SQL
like($ana->ask(sprintf $count, 'strange'), $failure, 'a part that answers twice is the one failure');
$part->safe_psql('strange', <<'SQL');
ALTER EXTENSION dpobj DROP FUNCTION dpobj_internal.part(bytea);
DROP FUNCTION dpobj_internal.part(bytea);
CREATE FUNCTION dpobj_internal.part(message bytea) RETURNS SETOF bytea LANGUAGE sql
  AS $$ SELECT s.answer FROM (SELECT decode(repeat('00', 100000), 'hex') AS answer, generate_series(1, 1000000000)) s $$;
ALTER EXTENSION dpobj ADD FUNCTION dpobj_internal.part(bytea);
SQL
my $began = time;
like($ana->ask(sprintf $count, 'strange'), qr/^ERROR:  08001: /, 'a part that answers for ever is refused');
cmp_ok(time - $began, '<', 10, 'after its second answer');

finish($coordinator);
