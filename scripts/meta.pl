# meta.pl - is META.json what PGXN asks for, and of this version?
#
# PGXN Meta Spec 1.0.0: what must be there, what its values may be, and that the files
# it names exist; besides, that all places which have the version agree.
use strict;
use warnings;
use JSON::PP;

my @faults;

sub content
{
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!\n";
	local $/;
	return <$file>;
}

sub expect
{
	my ($what, $holds) = @_;
	push @faults, $what unless $holds;
	return;
}

sub report
{
	warn map { "META.json: $_\n" } @faults;
	exit 1;
}

my $semver = qr/^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-?[A-Za-z][0-9A-Za-z-]*)?$/;
my $term = qr{^[^\s/\\[:cntrl:]]{2,}$};
my $tag = qr{^[^/\\[:cntrl:]]{1,255}$};
my %licenses = map { $_ => 1 }
  qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2
  gpl_3 lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun
  zlib open_source restricted unrestricted unknown);

my $meta = decode_json(content('META.json'));
my ($makefile) = content('Makefile') =~ /^DPOBJ_VERSION = (\S+)$/m;
my ($control) = content('dpobj.control') =~ /^default_version = '(.*)'$/m;
my ($debian) = content('debian/changelog') =~ /\A\S+ \((\S+)-[^-]+\)/;
my ($changelog) = content('CHANGELOG.md') =~ /\A## (\S+)/;

for my $key (qw(name version abstract maintainer license provides meta-spec))
{
	expect("$key is missing", defined $meta->{$key});
}
report() if @faults;

expect('name is not a term', $meta->{name} =~ $term);
expect('version is not semantic', $meta->{version} =~ $semver);
expect('abstract is empty', $meta->{abstract} =~ /\S/);
expect('maintainer is empty',
	!grep { !/\S/ } ref $meta->{maintainer} ? @{ $meta->{maintainer} } : $meta->{maintainer});
expect("license $meta->{license} is unknown", $licenses{ $meta->{license} });
expect('meta-spec is not 1.0.x', $meta->{'meta-spec'}{version} =~ /^1\.0\.\d+$/);
expect('release_status is unknown',
	!defined $meta->{release_status} || $meta->{release_status} =~ /^(?:stable|testing|unstable)$/);
expect('a tag is not one', !grep { !/$tag/ } @{ $meta->{tags} // [] });
expect('provides nothing', %{ $meta->{provides} });
for my $name (sort keys %{ $meta->{provides} })
{
	my $extension = $meta->{provides}{$name};
	expect("$name is not a term", $name =~ $term);
	expect("version of $name is not semantic", ($extension->{version} // '') =~ $semver);
	expect("$name has another version", ($extension->{version} // '') eq $meta->{version});
	expect("$name has no file", defined $extension->{file});
	for my $key (grep { defined $extension->{$_} } qw(file docfile))
	{
		expect("$key of $name, $extension->{$key}, does not exist", -f $extension->{$key});
	}
}
for my $phase (sort keys %{ $meta->{prereqs} // {} })
{
	expect("phase $phase is unknown", $phase =~ /^(?:configure|build|test|runtime|develop)$/);
	for my $relation (sort keys %{ $meta->{prereqs}{$phase} })
	{
		expect("relationship $relation is unknown",
			$relation =~ /^(?:requires|recommends|suggests|conflicts)$/);
		expect('a version is not semantic',
			!grep { $_ ne '0' && !/$semver/ } values %{ $meta->{prereqs}{$phase}{$relation} });
	}
}
expect("the Makefile has version $makefile", $makefile eq $meta->{version});
expect("dpobj.control has version $control", $control eq $meta->{version});
expect("debian/changelog has version $debian", $debian eq $meta->{version});
expect("CHANGELOG.md has version $changelog", $changelog eq $meta->{version});

report() if @faults;
