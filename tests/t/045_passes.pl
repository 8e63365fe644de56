# 045_passes.pl - convex models over rows on several servers: weights go down and sums come up.  The
# model is that of the same rows in one table, bit by bit where the random bits are the same; what moves
# does not grow with the rows; and a part that is lost or answers wrongly between passes is the one
# failure, which is charged once.

use File::Basename qw(dirname);

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('passes', 'dpobj.release_tick = 0', 'dpobj.max_failures = 1000000');
login_roles($coordinator, 'ana');
$coordinator->safe_psql('postgres', sprintf <<'SQL', encoders());
SELECT dpobj.protect(t, '%s', 'add_remove', n => 3000) FROM unnest('{visit,whole}'::regclass[]) t;
SELECT dpobj.set_budget(t, 'ana', 100000000, 0.1) FROM unnest('{visit,whole}'::regclass[]) t;
UPDATE dpobj.identities SET holdout_key = '00010203-0405-0607-0809-0a0b0c0d0e0f' WHERE kind = 'table'
SQL

# ---- the same bits, the same model ----

my $library = PostgreSQL::Test::Utils::tempdir('bits') . '/bits.so';
system_or_bail(qw(cc -O2 -shared -fPIC -o), $library, dirname(__FILE__) . '/bits.c');
{
	local $ENV{LD_PRELOAD} = $library;
	$coordinator->restart;
}

# In a session of its own, so that its bits begin again.
sub model_of
{
	my ($table, $arguments) = @_;
	return in_session($coordinator, 'ana', "SELECT (dpobj.train('$table', $arguments)).weights");
}

my %models = (
	'objective' => q{'y', 2, '{a,r,b,e}', method => 'logistic', options => '{"mechanism": "objective"}'},
	'objective, gaussian' => q{'y', 2, '{a,r,b}', 1e-6, method => 'logistic', options => '{"mechanism": "objective", "noise": "gaussian"}'},
	'objective of a smooth hinge' => q{'y', 2, '{a,r,b}', method => 'svm', options => '{"mechanism": "objective"}'},
	'objective of levels' => q{'y', 2, '{a,s,t,d}', method => 'logistic', options => '{"mechanism": "objective"}'},
	'output' => q{'y', 2, '{a,r,b}', method => 'svm', options => '{"mechanism": "output", "regularization": 200}'},
	'output, logistic' => q{'y', 2, '{a,r,b}', method => 'logistic', options => '{"mechanism": "output", "regularization": 200}'},
	'linear' => q{'r', 2, '{a,b,s}', method => 'linear'},
	'softmax' => q{'s', 2, '{a,r}', method => 'softmax'},
	'sgd' => q{'y', 2, '{a,r}', 1e-6, method => 'logistic', options => '{"mechanism": "sgd", "sampling": "full"}'},
	'sgd, softmax' => q{'s', 2, '{a,r}', 1e-6, method => 'softmax', options => '{"mechanism": "sgd"}'},
	'exponential' => q{'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "exponential", "net": 3000}'},
	'localized' => q{'y', 2, '{a,r}', method => 'svm', options => '{"mechanism": "localized", "net": 3000, "regularization": 200}'},
	'opsamp' => q{'y', 40, '{a,r}', 1e-5, method => 'logistic', options => '{"mechanism": "opsamp", "calls": 500}'},
	'a filter' => q{'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "objective"}', filter => '{"b": {"=": true}}'},
	'rows held out' => q{'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "objective", "holdout": 0.3}'});

sub same_models
{
	for my $name (sort keys %models)
	{
		my $whole = model_of('whole', $models{$name});
		like($whole, qr/^\{[-0-9.,e]+\}$/, "$name: one table has a model");
		is(model_of('visit', $models{$name}), $whole, "$name: its parts have the same, to the last bit");
	}
	return;
}

same_models();
isnt(model_of('visit', $models{objective}), model_of('visit', $models{'rows held out'}), 'other rows have another model');

# Rows that every server keeps in a file.
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM SET work_mem = '64kB'; ALTER SYSTEM SET hash_mem_multiplier = 1; SELECT pg_reload_conf()"); }
%models = map { $_ => $models{$_} } 'objective', 'linear', 'softmax', 'localized';
same_models();
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM RESET work_mem; ALTER SYSTEM RESET hash_mem_multiplier; SELECT pg_reload_conf()"); }

finish($coordinator);
