# 047_part_epochs.pl - servers of one table that are restored, replaced or copied: each remembers the epoch
# of the other, and a release is refused before its charge until an administrator has confirmed the new one.
# So two copies of a coordinator never release the rows of one part.

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('epochs', 'dpobj.release_tick = 0', 'wal_level = replica', 'max_wal_senders = 4');
login_roles($coordinator, 'ana');
$coordinator->safe_psql('postgres', "SELECT dpobj.set_budget('visit', 'ana', 1000000, 0)");
my $count = q{SELECT value FROM dpobj.count('visit', 1000)};

sub answer { my ($node) = @_; return session($node, user => 'ana')->ask($count); }

sub charged { return scalar_of($_[0], "SELECT count(*) FROM dpobj.ledger_events WHERE event = 'charged'"); }

sub answers
{
	my ($node, $name) = @_;
	my $before = charged($node);
	is(answer($node), '3000', "$name: an answer");
	is(charged($node), $before + 1, "$name: a charge");
	return;
}

sub refuses
{
	my ($node, $name, $text) = @_;
	my $before = charged($node);
	my $error = answer($node);
	refused($name, '55000', $error);
	like($error, $text, "$name: why");
	is(charged($node), $before, "$name: no charge");
	return;
}

sub confirm { my ($node) = @_; return session($node)->ask('SELECT dpobj.confirm_epoch()'); }

# As if the server had been started from another base backup.
sub restore_anew
{
	my ($node, $label) = @_;
	append_to_file($node->data_dir . '/backup_label.old', "$label\n");
	return;
}

sub remembered
{
	my ($node) = @_;
	return scalar_of($node, "SELECT string_agg(parameters ->> 'server', ', ' ORDER BY id) FROM dpobj.ledger_events WHERE event = 'remember_server'");
}

my $restored = qr/database was restored or the server was promoted/;
my $unconfirmed = qr/part "public\.visit_1" cannot be read\n.*restored or promoted since the last entry.*\n.*of the part's server must call dpobj\.confirm_epoch/;
my $replaced = qr/part "public\.visit_1" cannot be read\n.*restored, promoted or replaced since this one first read it.*\n.*SELECT dpobj\.confirm_epoch/;
my $copied = qr/part "public\.visit_[12]" cannot be read\n.*answered another coordinator with this role.*\n.*of the part's server must call dpobj\.confirm_epoch/;

# ---- what is remembered ----

my $session = session($coordinator, user => 'ana');
$session->ask('BEGIN');
is($session->ask($count), '3000', 'a first release');
$session->ask('ROLLBACK');
my $places = join ', ', map { 'part ' . $_->host . ':' . $_->port . '/postgres' } @parts;
is(remembered($coordinator), $places, 'the coordinator remembers each part, also after a rollback');
is(remembered($_), 'coordinator of role dealer', 'a part remembers the coordinator') for @parts;
is(scalar_of($parts[1], "SELECT parameters ->> 'epoch' FROM dpobj.ledger WHERE event = 'remember_server'"), scalar_of($coordinator, 'SELECT dpobj_internal.epoch()'), 'and its epoch');
answers($coordinator, 'the same servers');
is(remembered($coordinator), $places, 'the coordinator remembers nothing twice');
like($coordinator->safe_psql('postgres', "SELECT dpobj.report('visit')"), qr/\S/, 'the report can be made');

# ---- a part that is restored ----

restore_anew($parts[0], 'restored');
refuses($coordinator, 'a part that was restored', $unconfirmed);
unlike(confirm($parts[0]), qr/ERROR|NOTICE/, 'an administrator of the part confirms');
refuses($coordinator, 'a part that was restored and confirmed there', $replaced);
unlike(confirm($coordinator), qr/ERROR|NOTICE/, 'an administrator of the coordinator confirms');
like(confirm($coordinator), qr/^NOTICE:  00000: there is nothing to confirm/m, 'a second confirmation does nothing');
my $job = $session->ask(q{SELECT dpobj.submit('train', 'visit', '{"label": "y", "epsilon": 1, "features": ["r"], "method": "logistic"}', 'after a restore')});
is($session->ask("SELECT dpobj.wait($job, '60 s')"), 'released', 'a job meets a part that was confirmed on both');
answers($coordinator, 'a part that was restored and confirmed on both');

# Another server at the same place, whose ledger has nothing that would tell.
$parts[1]->safe_psql('postgres', 'CREATE DATABASE spare');
$parts[1]->safe_psql('spare', "CREATE EXTENSION dpobj; CREATE TYPE mood AS ENUM ('high', 'spare', 'low')");
make_part($parts[1], 'visit_part', 2001, 3000, database => 'spare');
$coordinator->safe_psql('postgres', "ALTER SERVER part2 OPTIONS (SET dbname 'spare')");
answers($coordinator, 'a part at a new place');
$parts[1]->safe_psql('template1', 'ALTER DATABASE spare RENAME TO gone; ALTER DATABASE postgres RENAME TO spare');
refuses($coordinator, 'another server at the place of a part', qr/part "public\.visit_2" cannot be read\n.*replaced since/);
$parts[1]->safe_psql('template1', 'ALTER DATABASE spare RENAME TO postgres; ALTER DATABASE gone RENAME TO spare');
answers($coordinator, 'the first server at its place again');
$coordinator->safe_psql('postgres', "ALTER SERVER part2 OPTIONS (SET dbname 'postgres')");
answers($coordinator, 'a part at its first place');

# ---- a coordinator that is restored, and one that is copied ----

$coordinator->backup('copy');
restore_anew($coordinator, 'restored');
refuses($coordinator, 'a coordinator that was restored', $restored);
unlike(confirm($coordinator), qr/ERROR|NOTICE/, 'an administrator confirms');
refuses($coordinator, 'a coordinator that was restored and confirmed', $copied);
confirm($parts[0]);
refuses($coordinator, 'and confirmed on one part', $copied);
confirm($parts[1]);
answers($coordinator, 'and on both parts');

my $copy = PostgreSQL::Test::Cluster->new('epochs_copy');
$copy->init_from_backup($coordinator, 'copy');
$copy->start;
refuses($copy, 'a copy of the coordinator', $restored);
answers($coordinator, 'the coordinator meanwhile');
unlike(confirm($copy), qr/ERROR|NOTICE/, 'an administrator of the copy confirms');
refuses($copy, 'a copy that was confirmed', $copied);
answers($coordinator, 'the coordinator after that');

# Whichever asks first after a confirmation on the parts goes on; never both.
for my $round (1 .. 4)
{
	confirm($_) for @parts;
	my @both = map { session($_, user => 'ana') } $round % 2 ? ($coordinator, $copy) : ($copy, $coordinator);
	$_->send($count) for @both;
	my @got = map { $_->result } @both;
	cmp_ok(scalar(grep { $_ eq '3000' } @got), '<=', 1, "round $round: the rows are released for one coordinator at most");
	is(scalar(grep { /^ERROR:  55000/m || $_ eq '3000' } @got), 2, "round $round: the other one is refused");
}
confirm($_) for @parts;
answers($copy, 'the copy, once the parts are confirmed for it');
refuses($coordinator, 'the coordinator in whose place the copy is', $copied);

finish($coordinator);
