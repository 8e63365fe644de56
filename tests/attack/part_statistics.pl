# part_statistics.pl - who may log in to the server of a part counts the calls of dpobj_internal.part,
# which depend on the rows.  dpobj.check_parts says so, and what to do, which then helps; it says what
# keeps a part from being read, charges nothing, and is for the table's owner and administrators.

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('statistics', 'dpobj.release_tick = 0', 'track_functions = all');
login_roles($coordinator, 'ana', 'own', 'adm');
login_roles($parts[0], 'eve');
$coordinator->safe_psql('postgres', q{SELECT dpobj.set_budget('visit', 'ana', 1000, 0); GRANT dpobj_admin TO adm});
my $session = session($coordinator);
my $ana = session($coordinator, user => 'ana');
my $adm = session($coordinator, user => 'adm');

sub calls { return scalar_of($parts[0], q{SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE schemaname = 'dpobj_internal' AND funcname = 'part'}); }

sub checked { my ($by, $table) = @_; return $by->ask("SELECT server, what, problem, to_do FROM dpobj.check_parts('" . ($table // 'visit') . "') ORDER BY server, what"); }

sub problems { return grep { (split /\|/)[2] ne '' } split /\n/, checked(@_); }

sub release { return $ana->ask(q{SELECT value FROM dpobj.count('visit', 10)}); }

# ---- the attack, and what names it ----

like(release(), qr/^\d+$/, 'a release over parts answers');
ok(wait_until(20, sub { calls() > 0 }), 'its calls are counted');
my @place = map { "host @{[ $_->host ]}, port @{[ $_->port ]}, database postgres" } @parts;
my $events = scalar_of($coordinator, 'SELECT count(*) FROM dpobj.ledger_events');
my $all = checked($adm);
like($all, qr/^\Q$place[$_]\E\|part public\.visit_@{[ $_ + 1 ]}\|\|$/m, 'a part that can be read') for 0, 1;
like($all, qr/^\Q$place[0]\E\|logins\|roles eve may connect to database postgres.*\|On this server: GRANT CONNECT ON DATABASE postgres TO dealer; REVOKE CONNECT ON DATABASE postgres FROM PUBLIC, eve$/m, 'logins are named');
like($all, qr/^\Q$place[1]\E\|logins\|\|$/m, 'a server without other logins');
like($all, qr/^\Q$place[$_]\E\|track_functions\|calls of dpobj_internal\.part are counted.*\|On this server: ALTER ROLE dealer SET track_functions = 'pl'$/m, 'and what counts the calls') for 0, 1;
is(scalar_of($coordinator, 'SELECT count(*) FROM dpobj.ledger_events'), $events, 'a check writes nothing to the ledger');
is(scalar_of($parts[0], q{SELECT count(*) FROM dpobj.ledger_events WHERE event = 'read_part'}), '1', 'and reads no rows');

# ---- what to do helps ----

for my $line (problems($session))
{
	my ($server, $what, undef, $to_do) = split /\|/, $line;
	my ($node) = grep { "host @{[ $_->host ]}, port @{[ $_->port ]}, database postgres" eq $server } @parts;
	ok($node && $to_do =~ s/^On this server: //, "$what: there is something to do") and $node->safe_psql('postgres', $to_do);
}
is_deeply([ problems($session) ], [], 'it was all done');
my ($code) = $parts[0]->psql('postgres', 'SELECT 1', connstr => $parts[0]->connstr('postgres') . ' user=eve');
isnt($code, 0, 'the other login is refused');
my $before = calls();
like(release(), qr/^\d+$/, 'a release answers all the same');
ok(!wait_until(3, sub { calls() ne $before }), 'and its calls are not counted');
$parts[0]->safe_psql('postgres', 'ALTER ROLE dealer CREATEROLE');
is(join("\n", problems($session)), "$place[0]|role|role dealer, as which the coordinator connects, may do more than SELECT the part|On this server: ALTER ROLE dealer NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS", 'a role that may do more');
$parts[0]->safe_psql('postgres', 'ALTER ROLE dealer NOCREATEROLE');

# ---- what keeps a part from being read ----

$parts[0]->safe_psql('postgres', q{SELECT dpobj.mark_part('visit_part', NULL)});
my ($unmarked, @more) = problems($session);
like($unmarked, qr/^\Q$place[0]\E\|part public\.visit_1\|part "public\.visit_1" cannot be read: .*not marked.*\|.*dpobj\.mark_part\(.*visit_part/, 'a part that is not marked, and the statement to run');
is_deeply(\@more, [], 'nothing else');
$parts[0]->safe_psql('postgres', q{SELECT dpobj.mark_part('visit_part', 'postgres.public.visit', 'dealer'); ALTER TABLE visit_part DROP COLUMN b});
like(join("\n", problems($session)), qr/^\Q$place[0]\E\|part public\.visit_1\|.*lacks a column[^\n]*$/, 'a part without a declared column');
$parts[1]->stop;
my $down = join "\n", problems($session);
$parts[1]->start;
like($down, qr/^\Q$place[1]\E\|part public\.visit_2\|part "public\.visit_2" cannot be read/m, 'a server that is down');
like($down, qr/^\Q$place[0]\E\|part public\.visit_1\|.*lacks a column/m, 'the others are asked all the same');
is($adm->ask(q{SELECT DISTINCT current_user FROM dpobj.check_parts('visit')}), 'adm', 'the caller stays who he is after errors of parts');
is($session->ask(q{SELECT count(*) FROM dpobj.check_parts('whole')}), '0', 'a table without parts has nothing to check');
like($session->ask(q{SELECT dpobj.check_parts('visit_1')}), qr/is a partition or child of another table.*topmost parent/s, 'a part is not checked by itself');

# ---- who may ask ----

refused('an analyst', '42501', checked($ana));
refused('an owner of another table', '42501', checked(session($coordinator, user => 'own')));
like(checked(session($coordinator, user => 'own'), 'mine'), qr/42P01/, 'no table');
$coordinator->safe_psql('postgres', 'GRANT CREATE ON SCHEMA public TO own; SET ROLE own; CREATE TABLE mine (a int) PARTITION BY LIST (a)');
is(checked(session($coordinator, user => 'own'), 'mine'), '', 'the owner of a table may');

finish($coordinator);
