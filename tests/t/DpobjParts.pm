# DpobjParts.pm - a coordinator and the servers of its parts, for the tests of tables on several servers.
#
#   my ($coordinator, @parts) = parts_clusters('name', @settings);
#
# Table visit of the coordinator has a partition with rows of its own, visit_0, and one on each of the
# two parts, visit_1 and visit_2; table whole has the same rows.  Both are protected alike.  The parts
# know the coordinator as role dealer, which may read them and nothing else there.

package DpobjParts;

use strict;
use warnings;

use Exporter 'import';
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();

use DpobjTest;

our @EXPORT = qw(parts_clusters make_many make_part foreign_partition encoders columns rows_between start_proxy links_of no_link_is_left answers_by answers_truly);

use constant ROWS => 3000;

sub columns
{
	return 'id int, a float8, n numeric, r real, d date, tz timestamptz, t text, c char(4), e mood, b boolean, s smallint, y boolean';
}

# Rows of all kinds, missing values too, that follow from their numbers.
sub rows_between
{
	my ($first, $last) = @_;
	return <<"SQL";
SELECT i, CASE WHEN i % 17 = 0 THEN 'NaN' WHEN i % 19 = 0 THEN 'Infinity' ELSE sin(i) END,
       CASE WHEN i % 13 <> 0 THEN (i % 40) / 4::numeric END, cos(i), date '2026-01-01' + i % 400,
       timestamptz '2026-01-01 00:00+00' + i * interval '7 hours', repeat('t', i % 5), repeat('c', i % 3),
       (ARRAY['low', 'high', NULL])[1 + i % 3]::mood, i % 7 < 3, i % 6, CASE WHEN i % 23 <> 0 THEN sin(i) + cos(3 * i) > 0 END
FROM generate_series($first, $last) i
SQL
}

sub encoders
{
	return <<'SQL' =~ s/\n//gr;
{"a": {"null": 0}, "n": {"bins": [2.5, 5], "null_indicator": true}, "r": {"center": 0.5, "scale": 2}, "d": {"part": "month"},
"tz": {"part": "weekday", "time_zone": "Europe/Rome"}, "t": {"levels": ["", "t", "tt", "ttt"], "null": ""}, "c": {"levels": ["", "c", "cc"]},
"e": {"levels": ["high", "low"], "null_indicator": true}, "b": {}, "s": {"levels": [0, 1, 2, 3, 4, 5]}, "y": {}}
SQL
}

# A table of that name on a part, with these rows, which the coordinator may ask for.
sub make_part
{
	my ($node, $table, $first, $last, %how) = @_;
	my $database = $how{database} // 'postgres';
	my $of = $how{of} // 'postgres.public.visit';
	$node->safe_psql($database, sprintf 'CREATE TABLE %s (%s); INSERT INTO %1$s %s', $table, columns(), rows_between($first, $last));
	$node->safe_psql($database, "GRANT SELECT ON $table TO dealer; SELECT dpobj.mark_part('$table', '$of', 'dealer')") unless $how{unmarked};
	return;
}

# A partition of the coordinator's table that is a foreign table.
sub foreign_partition
{
	my ($coordinator, $table, $bounds, $server, $remote, $parent) = @_;
	$parent //= 'visit';
	$coordinator->safe_psql('postgres',
		"CREATE FOREIGN TABLE $table PARTITION OF $parent FOR VALUES $bounds SERVER $server OPTIONS (table_name '$remote')");
	return;
}

# A table of the coordinator with the rows of visit, in so many partitions, dealt to the parts' servers.
sub make_many
{
	my ($coordinator, $table, $count, @parts) = @_;
	my @partitions;
	for my $i (0 .. $count - 1)
	{
		my ($first, $last) = (int(ROWS * $i / $count) + 1, int(ROWS * ($i + 1) / $count));
		my $server = $i % @parts;
		$parts[$server]->safe_psql('postgres', sprintf <<'SQL', "${table}_$i", columns(), rows_between($first, $last), "postgres.public.$table");
CREATE TABLE %1$s (%2$s); INSERT INTO %1$s %3$s; GRANT SELECT ON %1$s TO dealer; SELECT dpobj.mark_part('%1$s', '%4$s', 'dealer')
SQL
		push @partitions, sprintf 'CREATE FOREIGN TABLE %s_%d PARTITION OF %1$s FOR VALUES FROM (%d) TO (%d) SERVER part%d', $table, $i, $first, $last + 1, $server + 1;
	}
	$coordinator->safe_psql('postgres', join '; ', sprintf('CREATE TABLE %s (%s) PARTITION BY RANGE (id)', $table, columns()), @partitions,
		"SELECT dpobj.protect('$table', '@{[ encoders() ]}', 'add_remove')");
	return;
}

sub parts_clusters
{
	my ($name, @settings) = @_;
	my ($coordinator, @parts) = map { dpobj_cluster("${name}_$_", @settings) } qw(coordinator part1 part2);
	my $third = ROWS / 3;

	for my $i (1, 2)
	{
		$parts[ $i - 1 ]->safe_psql('postgres', "CREATE ROLE dealer LOGIN; CREATE TYPE mood AS ENUM ('high', 'spare', 'low')");
		make_part($parts[ $i - 1 ], 'visit_part', $i * $third + 1, ($i + 1) * $third);
	}
	$coordinator->safe_psql('postgres', sprintf <<'SQL', columns());
CREATE EXTENSION postgres_fdw;
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE visit (%s) PARTITION BY RANGE (id);
CREATE TABLE visit_0 PARTITION OF visit FOR VALUES FROM (0) TO (1001);
SQL
	for my $i (1, 2)
	{
		my ($host, $port) = ($parts[ $i - 1 ]->host, $parts[ $i - 1 ]->port);
		$coordinator->safe_psql('postgres', <<"SQL");
CREATE SERVER part$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
CREATE USER MAPPING FOR postgres SERVER part$i OPTIONS (user 'dealer');
SQL
		foreign_partition($coordinator, "visit_$i", sprintf('FROM (%d) TO (%d)', $i * $third + 1, ($i + 1) * $third + 1),
			"part$i", 'visit_part');
	}
	$coordinator->safe_psql('postgres', sprintf "INSERT INTO visit_0 %s; CREATE TABLE whole (%s); INSERT INTO whole %s",
		rows_between(1, $third), columns(), rows_between(1, ROWS));
	$coordinator->safe_psql('postgres', "SELECT dpobj.protect(t, '@{[ encoders() ]}', 'add_remove') FROM unnest('{visit,whole}'::regclass[]) t");
	return ($coordinator, @parts);
}

# ---- answers ----

# The part answers by this plpgsql, in which answer is the true one; a message begins with its kind, an
# answer with five bytes, and in sums their version, the number of the pass and how many they are follow.
sub answers_by
{
	my ($part, $code) = @_;
	$part->safe_psql('postgres', <<"SQL");
CREATE OR REPLACE FUNCTION public.true_part(bytea) RETURNS bytea LANGUAGE c AS '\$libdir/dpobj', 'dpobj_part';
CREATE OR REPLACE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea LANGUAGE plpgsql AS \$\$
DECLARE answer bytea; kind text := chr(get_byte(message, 0)); pass int := CASE WHEN length(message) > 8 THEN get_byte(message, 4) END;
BEGIN answer := public.true_part(message); $code RETURN answer; END \$\$
SQL
	return;
}

sub answers_truly
{
	my ($part) = @_;
	$part->safe_psql('postgres', q{CREATE OR REPLACE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea LANGUAGE c AS '$libdir/dpobj', 'dpobj_part'});
	return;
}

# ---- connections ----

# A process that passes bytes on between a port of this machine and the server, until it is killed: then
# both ends of each connection see it cut.  It keeps the number of all bytes that it has passed on in the
# file, if one is named.  Returns its process id.
sub start_proxy
{
	my ($node, $port, $file) = @_;
	my $passed = 0;
	my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 20, ReuseAddr => 1) or die "no proxy: $!";
	my $path = $node->host . '/.s.PGSQL.' . $node->port;
	my $pid = fork() // die 'no proxy';
	return $pid if $pid;

	my (%other, $select);
	my $test = getppid;
	$SIG{PIPE} = 'IGNORE';
	open STDOUT, '>', '/dev/null'; # prove waits until nobody holds them
	open STDERR, '>', '/dev/null';
	$select = IO::Select->new($server);
	while (getppid == $test)
	{
		for my $from ($select->can_read(1))
		{
			if ($from == $server)
			{
				my $client = $server->accept or next;
				my $link = IO::Socket::UNIX->new(Peer => $path);
				if (!$link) { close $client; next; }
				@other{ $client, $link } = ($link, $client);
				$select->add($client, $link);
				next;
			}
			my $to = $other{$from} or next;
			my $bytes;
			if (!sysread($from, $bytes, 65536) || !print {$to} $bytes or !$to->flush)
			{
				$select->remove($from, $to);
				delete @other{ $from, $to };
				close $_ for $from, $to;
				next;
			}
			$passed += length $bytes;
			write_number($file, $passed) if $file;
		}
	}
	POSIX::_exit(0);
}

# In one write, so that nobody reads half of it.
sub write_number
{
	my ($path, $number) = @_;
	open my $file, '+>>:raw', "$path" or die "open $path: $!";
	truncate $file, 0;
	syswrite $file, "$number\n";
	close $file;
	return;
}

# The process ids of the sessions on a part that the coordinator has opened.
sub links_of
{
	my ($part) = @_;
	return split /\n/, scalar_of($part, "SELECT pid FROM pg_stat_activity WHERE application_name = 'dpobj' AND usename = 'dealer'");
}

sub no_link_is_left
{
	my ($name, @parts) = @_;
	for my $part (@parts)
	{
		ok(wait_until(20, sub { !links_of($part) }), "$name: no connection is left on " . $part->name);
		is(scalar_of($part, "SELECT count(*) FROM pg_locks WHERE relation = 'visit_part'::regclass"), '0', "$name: nor a lock");
	}
	return;
}

1;
