#!/usr/bin/env perl
# update_sql.pl - prints what an update of the extension runs again of the installation's files.
#
#   perl scripts/update_sql.pl src/sql/schema.sql ...
#
# These are the statements that may be run on objects that are there: CREATE OR REPLACE, COMMENT and DO.
# What else a version changes (tables, types, indexes, triggers) is in src/sql/upgrade.

use strict;
use warnings;

for my $file (@ARGV)
{
	local $/;
	open my $handle, '<', $file or die "$file: $!\n";
	my $text = <$handle>;

	# A statement, with the comments before it; what is quoted may have semicolons.
	while ($text =~ /\G((?:\s|--[^\n]*\n|\/\*.*?\*\/)*)((?:[^;'"\$-]|-(?!-)|--[^\n]*\n|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$).*?\g{-1}|\$)*?;)\n*/gcs)
	{
		my ($comments, $statement) = ($1, $2);
		print "$comments$statement\n" if $statement =~ /^(?:CREATE OR REPLACE|COMMENT|DO)\b/;
	}
	die "$file: no statement: " . substr($text, pos($text) // 0, 60) . "\n" if substr($text, pos($text) // 0) =~ /^(?!\s*(?:--[^\n]*\s*)*$)/;
}
