# sbom.pl - writes the bill of materials of a Debian package: SPDX 2.3, from the maps of the linker.
#
#   perl scripts/sbom.pl MAPS debian/postgresql-15-dpobj
#
# In the tree that is packaged it finds the module and the solver, in MAPS what the linker says of each
# (debian/rules), and writes usr/share/doc/PACKAGE/dpobj.spdx.json: both binaries, the sources that they were made
# from, and the packages of Debian whose libraries they load or whose objects they contain. What is named was linked,
# whatever control files say; a library whose licence is not known here is an error. Two builds write the same.
use strict;
use warnings;
use Digest::SHA qw(sha1_hex sha256_hex);
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use JSON::PP;
use POSIX qw(strftime);

my ($maps, $tree) = @ARGV;
my $package = basename($tree);
my ($major) = $package =~ /^postgresql-(\d+)-dpobj$/ or die "$package: not a package of dpobj\n";

# By source package, as copyright files of Debian say.
my %license_of = (
	'glibc' => 'LGPL-2.1-or-later',
	'glpk' => 'GPL-3.0-or-later',
	'gmp' => 'LGPL-3.0-or-later OR GPL-2.0-or-later',
	'gsl' => 'GPL-3.0-or-later',
	'mpfr4' => 'LGPL-3.0-or-later',
	'zlib' => 'Zlib');
my $gcc = 'GPL-3.0-or-later WITH GCC-exception-3.1';
my $postgresql = 'PostgreSQL';

sub content
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!\n";
	local $/;
	return scalar <$file>;
}

sub answer
{
	my (@command) = @_;
	open my $pipe, '-|', @command or die "$command[0]: $!\n";
	my @lines = <$pipe>;
	close $pipe or return;
	chomp @lines;
	return @lines;
}

# The package that has a file; it may name it below /usr or not.
my %owner;
sub owner
{
	my ($path) = @_;
	return $owner{$path} //= find_owner($path);
}

sub find_owner
{
	my ($path) = @_;
	my ($real) = answer('realpath', $path);
	for my $name ($real, "/usr$real", $real =~ s{^/usr}{}r)
	{
		open my $error, '>&', \*STDERR or die;
		open STDERR, '>', '/dev/null' or die;
		my ($line) = answer('dpkg-query', '-S', $name);
		open STDERR, '>&', $error or die;
		return $line =~ s/(:\w+)?: .*//r if $line;
	}
	die "$path belongs to no package\n";
}

# A source of ours by the object's path, or by its name alone in the archive.
my %sources = map { basename($_, '.c') . '.o' => $_ } glob 'src/core/*/*.c';
sub source_of
{
	my ($object) = @_;
	my $source = $sources{$object} // $object =~ s/\.o$/.c/r;
	-f $source or die "$object: there is no source\n";
	return $source;
}

my (%file, %linked, @relationships);

sub relate
{
	my ($from, $how, $to) = @_;
	push @relationships, { spdxElementId => $from, relationshipType => $how, relatedSpdxElement => $to };
	return;
}

sub id_of
{
	return 'SPDXRef-' . join('-', map { s{[^A-Za-z0-9.]+}{-}gr } @_);
}

sub add_file
{
	my ($name, $path, $license, @types) = @_;
	my $id = id_of('File', $name);
	$file{$id} //= {
		SPDXID => $id,
		fileName => "./$name",
		fileTypes => \@types,
		checksums => [
			{ algorithm => 'SHA1', checksumValue => sha1_hex(content($path)) },
			{ algorithm => 'SHA256', checksumValue => sha256_hex(content($path)) } ],
		licenseConcluded => $license,
		licenseInfoInFiles => [$license],
		copyrightText => 'NOASSERTION' };
	return $id;
}

sub add_package
{
	my ($name) = @_;
	my ($line) = answer('dpkg-query', '-W', '-f', '${source:Package} ${Version} ${Architecture}', $name);
	my ($source, $version, $architecture) = split / /, $line;
	my $license = $source =~ /^gcc-\d/ ? $gcc : $source =~ /^postgresql-\d+$/ ? $postgresql : $license_of{$source};
	die "$name ($source): its licence is not known to scripts/sbom.pl\n" unless $license;
	my $id = id_of('Package', $name);
	$linked{$id} = {
		SPDXID => $id,
		name => $name,
		versionInfo => $version,
		downloadLocation => 'NOASSERTION',
		filesAnalyzed => JSON::PP::false,
		licenseConcluded => $license,
		licenseDeclared => $license,
		copyrightText => 'NOASSERTION',
		externalRefs => [
			{ referenceCategory => 'PACKAGE-MANAGER', referenceType => 'purl',
				referenceLocator => "pkg:deb/debian/$name\@" . ($version =~ s/([^A-Za-z0-9.\-~])/sprintf '%%%02X', ord $1/egr) . "?arch=$architecture" } ] };
	return $id;
}

sub add_binary
{
	my ($map, $path, $name) = @_;
	my $binary = add_file($name, $path, 'GPL-3.0-or-later', 'BINARY');
	my $text = content($map);
	my %needed = map { /^\s*NEEDED\s+(\S+)/ ? ($1 => 1) : () } answer('objdump', '-p', $path);
	my (%from, %static, %dynamic);

	for ($text =~ /^LOAD (\S+)$/mg)
	{
		if (m{^/.*\.o$}) { $static{ owner($_) } = 1; }
		elsif (/\.o$/) { $from{ source_of($_) } = 1; }
		elsif (/\.so(\.|$)/ && m{^/} && content($_) =~ /^\x7fELF/) # and no script of the linker, which names others
		{
			my ($soname) = map { /^\s*SONAME\s+(\S+)/ ? $1 : () } answer('objdump', '-p', $_);
			$dynamic{ owner($_) } = 1 if delete $needed{ $soname // '' };
		}
	}
	for ($text =~ /^(\S+\.a\([^)]+\.o\))$/mg) # members of archives that were needed
	{
		my ($archive, $member) = /^(.*)\((.*)\)$/;
		if ($archive =~ m{^/}) { $static{ owner($archive) } = 1; }
		else { $from{ source_of($member) } = 1; }
	}
	die "$name loads @{[ sort keys %needed ]}, which the map does not have\n" if %needed;
	die "$name: the map has no source\n" unless %from;
	relate($binary, 'GENERATED_FROM', add_file($_, $_, $postgresql, 'SOURCE')) for sort keys %from;
	relate($binary, 'STATIC_LINK', add_package($_)) for sort keys %static;
	relate($binary, 'DYNAMIC_LINK', add_package($_)) for sort keys %dynamic;
	return $binary;
}

my $library = "usr/lib/postgresql/$major/lib";
my ($version, $date) = map { answer('dpkg-parsechangelog', '-S', $_) } qw(Version Timestamp);
my $solver = basename((glob "$tree/$library/dpobj-solver-*")[0] // die "$tree has no solver\n");
my @binaries = (
	add_binary("$maps/$major-dpobj.so.map", "$tree/$library/dpobj.so", "$library/dpobj.so"),
	add_binary("$maps/$major-dpobj-solver.map", "$tree/$library/$solver", "$library/$solver"));
my $dpobj = {
	SPDXID => 'SPDXRef-Package-dpobj',
	name => $package,
	versionInfo => $version,
	downloadLocation => 'NOASSERTION',
	filesAnalyzed => JSON::PP::true,
	packageVerificationCode => {
		packageVerificationCodeValue => sha1_hex(join '', sort map { $file{$_}{checksums}[0]{checksumValue} } @binaries) },
	licenseConcluded => 'GPL-3.0-or-later',
	licenseDeclared => $postgresql,
	licenseInfoFromFiles => [$file{ $binaries[0] }{licenseConcluded}],
	copyrightText => '2026, the dpobj founders' };
relate('SPDXRef-DOCUMENT', 'DESCRIBES', $dpobj->{SPDXID});
relate($dpobj->{SPDXID}, 'CONTAINS', $_) for @binaries;

my $json = JSON::PP->new->canonical->pretty;
my %document = (
	spdxVersion => 'SPDX-2.3',
	dataLicense => 'CC0-1.0',
	SPDXID => 'SPDXRef-DOCUMENT',
	name => "$package $version",
	creationInfo => { created => strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $date), creators => ['Tool: dpobj-scripts-sbom.pl'] },
	packages => [ $dpobj, map { $linked{$_} } sort keys %linked ],
	files => [ map { $file{$_} } sort keys %file ],
	relationships => \@relationships);
$document{documentNamespace} = "https://spdx.org/spdxdocs/$package-$version-" . sha256_hex($json->encode(\%document));

my $target = "$tree/usr/share/doc/$package/dpobj.spdx.json";
make_path(dirname($target));
open my $out, '>', $target or die "$target: $!\n";
print $out $json->encode(\%document);
close $out or die "$target: $!\n";
chmod 0644, $target;
