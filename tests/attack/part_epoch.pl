# part_epoch.pl - a role that writes the address of another role's part for a server of its own, which claims to be
# that part in another life, does not have the other role's releases refused.

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('part_epoch', 'dpobj.release_tick = 0', "listen_addresses = '127.0.0.1,127.0.0.2'");
my ($true, $false) = @parts;
login_roles($coordinator, qw(ana mallory));
my $port = $true->port;
$coordinator->safe_psql('postgres', sprintf <<'SQL', $port, $false->port, columns(), encoders());
ALTER SERVER part1 OPTIONS (SET host '127.0.0.1', SET port '%1$s');
SELECT dpobj.set_budget('visit', 'ana', 1000000, 0);
CREATE SERVER hoax FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%2$s', dbname 'postgres');
GRANT USAGE ON FOREIGN SERVER hoax TO mallory;
CREATE USER MAPPING FOR mallory SERVER hoax OPTIONS (user 'dealer', password_required 'false');
CREATE TABLE hoax (%3$s) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE hoax_1 PARTITION OF hoax FOR VALUES FROM (0) TO (20000) SERVER hoax OPTIONS (table_name 'hoax_part');
ALTER TABLE hoax OWNER TO mallory;
ALTER FOREIGN TABLE hoax_1 OWNER TO mallory;
SELECT dpobj.protect('hoax', '%4$s', 'add_remove');
SELECT dpobj.set_budget('hoax', 'mallory', 1000000, 0);
SQL
make_part($false, 'hoax_part', 1, 10, of => 'postgres.public.hoax');
my $ana = session($coordinator, user => 'ana');
my $mallory = session($coordinator, user => 'mallory');

# His server says that it is the true one, in another life.
my $epoch = scalar_of($true, 'SELECT dpobj_internal.epoch()');
my $claimed = ($epoch =~ m{^(\d+/\d+)/})[0] . '/99';
sub claim
{
	answers_by($false, <<"SQL");
DECLARE own bytea := convert_to(dpobj_internal.epoch(), 'UTF8'); new bytea := '$claimed'; at int := position(own IN answer);
BEGIN IF kind = 'o' AND at > 0 THEN answer := substring(answer, 1, at - 5) || int4send(length(new)) || new || substring(answer, at + length(own)); END IF; END;
SQL
	return;
}
claim();
is($mallory->ask(q{SELECT value FROM dpobj.count('hoax', 1000)}), '10', 'his table answers, from the server that he has named');
my $met = q{SELECT relation_name, role_name, parameters ->> 'owner', parameters ->> 'server', parameters ->> 'epoch' FROM dpobj.ledger_events WHERE event = 'remember_server' ORDER BY id};
my $hoax = sprintf 'public.hoax|mallory|mallory|part 127.0.0.1:%s/postgres|%s', $false->port, $claimed;
is(scalar_of($coordinator, $met), $hoax, 'the event names his table, him, and what he has written');

# The true part has the claimed identity, and the false one the place of another part.
answers_truly($false);
is($ana->ask(q{SELECT value FROM dpobj.count('visit', 1000)}), '3000', 'the true part is read for others');
like($mallory->ask(q{SELECT value FROM dpobj.count('hoax', 1000)}), qr/ERROR:  55000: part "public\.hoax_1" cannot be read/, 'his own is refused once it says something else');

# The place itself, with hostaddr.
$coordinator->safe_psql('postgres', 'SELECT dpobj.confirm_epoch()');
$coordinator->safe_psql('postgres', "ALTER SERVER hoax OPTIONS (ADD hostaddr '127.0.0.2')");
is($mallory->ask(q{SELECT value FROM dpobj.count('hoax', 1000)}), '10', 'a server behind a name answers');
is(scalar_of($coordinator, "SELECT parameters ->> 'server' FROM dpobj.ledger_events WHERE event = 'remember_server' ORDER BY id DESC LIMIT 1"),
	sprintf('part 127.0.0.1@127.0.0.2:%s/postgres', $false->port), 'and is remembered with its address');

# A part at another address is known by what it is: restored, it is refused there, too.
is($ana->ask(q{SELECT value FROM dpobj.count('visit', 1000)}), '3000', 'the parts are read');
append_to_file($true->data_dir . '/backup_label.old', "restored\n");
session($true)->ask('SELECT dpobj.confirm_epoch()');
$coordinator->safe_psql('postgres', "ALTER SERVER part1 OPTIONS (SET host 'localhost')");
like($ana->ask(q{SELECT value FROM dpobj.count('visit', 1000)}), qr/ERROR:  55000: part "public\.visit_1" cannot be read\n.*restored, promoted or replaced/, 'a restored part at a new address is refused');
session($coordinator)->ask('SELECT dpobj.confirm_epoch()');
is($ana->ask(q{SELECT value FROM dpobj.count('visit', 1000)}), '3000', 'until an administrator confirms');

finish($coordinator);
