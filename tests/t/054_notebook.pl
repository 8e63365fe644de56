# 054_notebook.pl - every block of docs/notebook.md, on the raw file of DPOBJ_DATA, else on made-up rows
# with its columns.

use DpobjGuide;
use DpobjTest;
use File::Copy qw(copy);

my $node = dpobj_cluster('notebook', 'dpobj.release_tick = 0');
my $folder = PostgreSQL::Test::Utils::tempdir('notebook');
my $raw = ($ENV{DPOBJ_DATA} // '') . '/tables/stroke.csv';

# Patients of which one in 25 has had a stroke, most of them old.
sub made_up
{
	my $text = "gender,age,hypertension,heart_disease,ever_married,work_type,Residence_type,avg_glucose_level,bmi,smoking_status,stroke\n";
	for my $i (1 .. 5000)
	{
		my $age = $i * 37 % 821 / 10;
		$text .= join(',', $i % 2 ? 'Female' : 'Male', $age, $i % 10 == 0 ? 1 : 0, $i % 18 == 0 ? 1 : 0, $age > 25 ? 1 : 0,
			$age < 16 ? 'children' : 'Private', 'Urban', 60.5 + $i % 150, $i % 25 ? 18 + $i % 23 / 2 : 'N/A', 'Unknown',
			$age > 60 && $i % 7 == 0 ? 1 : 0) . "\n";
	}
	return $text;
}

if (-r $raw) { copy($raw, "$folder/stroke.csv") or die; }
else { append_to_file("$folder/stroke.csv", made_up()); }

my @pieces = guide_pieces('docs/notebook.md');
guide_python($node, 'postgres', 'postgres', $folder, [ 'pandas', 'psycopg' ], @pieces);
guide_write('docs/notebook.md', @pieces);
like(PostgreSQL::Test::Utils::slurp_file("$folder/patient.html"), qr/better than chance|not distinguishable/, 'the page has the verdict');
finish($node);
