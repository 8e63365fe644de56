# 041_passes.pl - convex models over rows on several servers: weights go down and sums come up.  The
# model is that of the same rows in one table, bit by bit where the random bits are the same, and so is
# every other answer of the analyst's door; what moves does not grow with the rows; and a part that is
# lost or answers wrongly between passes is the one failure, which is charged once.

use File::Basename qw(dirname);

use List::Util qw(uniq);

use DpobjParts;
use DpobjTest;

my ($coordinator, @parts) = parts_clusters('passes', 'dpobj.release_tick = 0', 'dpobj.max_failures = 1000000');
login_roles($coordinator, 'ana');
make_many($coordinator, 'many', 20, @parts);
$coordinator->safe_psql('postgres', sprintf <<'SQL', encoders());
SELECT dpobj.protect(t, '%s', 'add_remove', n => 3000) FROM unnest('{visit,whole,many}'::regclass[]) t;
SELECT dpobj.set_budget(t, 'ana', 100000000, 0.1) FROM unnest('{visit,whole,many}'::regclass[]) t;
UPDATE dpobj.identities SET holdout_key = '00010203-0405-0607-0809-0a0b0c0d0e0f' WHERE kind = 'table'
SQL

# ---- the same bits, the same model ----

my $library = PostgreSQL::Test::Utils::tempdir('bits') . '/bits.so';
system_or_bail(qw(cc -O2 -shared -fPIC -o), $library, dirname(__FILE__) . '/bits.c');
{
	local $ENV{LD_PRELOAD} = $library;
	$coordinator->restart;
}

# A model is rated unless this is said, by coins of the rows' places, which differ from table to table.
sub unrated
{
	my ($arguments) = @_;
	return $arguments =~ s/options => '\{/$&"rate": 0, /r if $arguments =~ /options/;
	return "$arguments, options => '{\"rate\": 0}'";
}

# In a session of its own, so that its bits begin again.
sub model_of
{
	my ($table, $arguments) = @_;
	return in_session($coordinator, 'ana', "SELECT (dpobj.train('$table', @{[ unrated($arguments) ]})).weights");
}

my %models = (
	'objective' => q{'y', 2, '{a,r,b,e}', method => 'logistic', options => '{"mechanism": "objective"}'},
	'objective of a clipped loss' => q{'y', 2, '{a,r,b}', method => 'logistic', options => '{"mechanism": "objective", "loss": "clipped_logistic"}'},
	'objective, gaussian' => q{'y', 2, '{a,r,b}', 1e-6, method => 'logistic', options => '{"mechanism": "objective", "noise": "gaussian"}'},
	'objective of a smooth hinge' => q{'y', 2, '{a,r,b}', method => 'svm', options => '{"mechanism": "objective"}'},
	'objective of levels' => q{'y', 2, '{a,s,t,d}', method => 'logistic', options => '{"mechanism": "objective"}'},
	'output' => q{'y', 2, '{a,r,b}', method => 'svm', options => '{"mechanism": "output", "regularization": 200}'},
	'output, logistic' => q{'y', 2, '{a,r,b}', method => 'logistic', options => '{"mechanism": "output", "regularization": 200}'},
	'linear' => q{'r', 2, '{a,b,s}', method => 'linear'},
	'softmax' => q{'s', 2, '{a,r}', method => 'softmax'},
	'sgd' => q{'y', 2, '{a,r}', 1e-6, method => 'logistic', options => '{"mechanism": "sgd", "sampling": "full"}'},
	'descent' => q{'y', 2, '{a,r,b}', 1e-6, method => 'logistic', options => '{"mechanism": "descent"}'},
	'descent of levels' => q{'y', 2, '{a,s,t,d}', 1e-6, method => 'logistic', options => '{"mechanism": "descent"}'},
	'sgd, softmax' => q{'s', 2, '{a,r}', 1e-6, method => 'softmax', options => '{"mechanism": "sgd"}'},
	'exponential' => q{'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "exponential", "net": 3000}'},
	'localized' => q{'y', 2, '{a,r}', method => 'svm', options => '{"mechanism": "localized", "net": 3000, "regularization": 200}'},
	'opsamp' => q{'y', 40, '{a,r}', 1e-5, method => 'logistic', options => '{"mechanism": "opsamp", "calls": 500}'},
	'a filter' => q{'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "objective"}', filter => '{"b": {"=": true}}'},
	'rows held out' => q{'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "objective", "holdout": 0.3}'});

sub same_models
{
	my ($tables, @names) = @_;
	for my $name (@names)
	{
		my $whole = model_of('whole', $models{$name});
		like($whole, qr/^\{[-0-9.,e]+\}$/, "$name: one table has a model");
		is(model_of($_, $models{$name}), $whole, "$name: the parts of $_ have the same, to the last bit") for @$tables;
	}
	return;
}

same_models(['visit'], sort keys %models);
same_models(['many'], 'objective', 'sgd', 'rows held out');
isnt(model_of('visit', $models{objective}), model_of('visit', $models{'rows held out'}), 'other rows have another model');

# Rows that every server keeps in a file.
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM SET work_mem = '64kB'; ALTER SYSTEM SET hash_mem_multiplier = 1; SELECT pg_reload_conf()"); }
same_models([ 'visit', 'many' ], 'objective', 'descent', 'linear', 'softmax', 'localized');
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM RESET work_mem; ALTER SYSTEM RESET hash_mem_multiplier; SELECT pg_reload_conf()"); }

# ---- the same bits, the same rating ----

# Rows that are dealt by their values rate where they are, and the rows of no part are sent for it.
my $of = q{weights, details -> 'rate', details -> 'rating', details -> 'coverage', details -> 'unrated'};

sub rating_of
{
	my ($table, $arguments, $what) = @_;
	return in_session($coordinator, 'ana', "SELECT $what FROM dpobj.train('$table', $arguments)");
}
my %ratings = (
	'objective' => q{'y', 2, '{a,r,b,e}', method => 'logistic', options => '{"mechanism": "objective", "holdout": 0.3}'},
	'descent of levels, normal noise' => q{'y', 2, '{a,s,t,d}', 1e-6, method => 'logistic', options => '{"mechanism": "descent", "holdout": 0.3}'},
	'softmax' => q{'s', 2, '{a,r}', method => 'softmax', options => '{"holdout": 0.3, "rate": 1}'},
	'a halfspace' => q{'y', 2, '{r,s}', method => 'halfspace', options => '{"holdout": 0.3}'},
	'a halfspace of each class' => q{'s', 2, '{r,b}', method => 'one_vs_rest', options => '{"holdout": 0.3, "rate": 2}'},
	'a pool' => q{'y', 2, '{r,b}', 1e-7, method => 'logistic', options => '{"mechanism": "pool", "holdout": 0.3, "rate": 2}'},
	'counts of usable rows' => q{'y', 4, '{n,r}', method => 'logistic', options => '{"mechanism": "objective", "holdout": 0.3, "rate": 1, "coverage_epsilon": 1}'},
	'a filter' => q{'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "objective", "holdout": 0.3, "rate": 1}', filter => '{"b": {"=": true}}'});

sub same_ratings
{
	my ($tables, @names) = @_;
	for my $name (@names)
	{
		my $whole = rating_of('whole', $ratings{$name}, $of);
		like($whole, qr/"on": "rows held out".*"verdict": /, "$name: one table has a rated model");
		is(rating_of($_, $ratings{$name}, $of), $whole, "$name: the parts of $_ have the same, noise included") for @$tables;
	}
	return;
}
same_ratings(['visit'], sort keys %ratings);
same_ratings(['many'], 'objective', 'a halfspace');
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM SET work_mem = '64kB'; ALTER SYSTEM SET hash_mem_multiplier = 1; SELECT pg_reload_conf()"); }
same_ratings(['visit'], 'objective', 'a halfspace');
for my $node ($coordinator, @parts) { $node->safe_psql('postgres', "ALTER SYSTEM RESET work_mem; ALTER SYSTEM RESET hash_mem_multiplier; SELECT pg_reload_conf()"); }

# Numbers of the label are rounded as in training, so that their sums differ in the last digits.
for my $arguments (q{'r', 40, '{a,b,s}', method => 'linear', options => '{"holdout": 0.3, "rate": 30}'}, q{'r', 40, '{a,b}', method => 'simplex', options => '{"holdout": 0.3, "rate": 30}'})
{
	my $number = q{weights, details #> '{rating,rows}', round((details #>> '{rating,r_squared,value}')::numeric, 2), round((details #>> '{rating,r_squared,high}')::numeric, 2),
  (SELECT array_agg(round(c::numeric, -5)) FROM jsonb_array_elements(details #> '{rating,counts}') c)};
	my $whole = rating_of('whole', $arguments, $number);
	like($whole, qr/\|8\d\d\|.*\|\{/, 'one table has a rated model of a number');
	is(rating_of('visit', $arguments, $number), $whole, 'its parts have the same');
}

# Each group is rated by rows of its own.
my $of_groups = q{SELECT key, (model).weights, (model).details -> 'rating' FROM dpobj.train_groups('%s', 'y', 10, '{r,s}', by => '{b}', method => 'logistic', options => '{"holdout": 0.3}')};
my $groups_whole = in_session($coordinator, 'ana', $of_groups =~ s/%s/whole/r);
like($groups_whole, qr/^\{false\}.*"rows": [45]\d\d.*\n\{true\}.*"rows": [34]\d\d/, 'groups of one table are rated');
is(in_session($coordinator, 'ana', $of_groups =~ s/%s/$_/r), $groups_whole, "and those over the parts of $_ the same") for qw(visit many);

# By coins, which no two calls share: under replace, too, the charge is that of the model.
for my $arguments (q{'y', 500, '{a,r,b,e}'}, q{'y', 500, '{a,r}', method => 'halfspace'}, q{'r', 500, '{a,b,s}', method => 'linear'}, q{'s', 500, '{a,r}'})
{
	my $rows = q{SELECT details #>> '{rating,rows}' FROM dpobj.train('many', %s)};
	my @rows = split /\n/, in_session($coordinator, 'ana', ($rows =~ s/%s/$arguments/r) x 4);
	is(scalar(grep { 480 < $_ && $_ < 720 } @rows), 4, "a fifth of the rows of parts rates: @rows");
	cmp_ok(scalar(uniq(@rows)), '>', 1, 'not always the same ones');
}
spends(
	$coordinator,
	'a training with its rating over parts',
	{ epsilon => 5, charged => 1, released => 1 },
	sub { like(rating_of('visit', q{'y', 5, '{a,r,b,e}'}, q{details -> 'rate', details -> 'rating' ->> 'verdict', details -> 'coverage'}), qr/^\{"rows": 0\.2, .*"charged": 0.*better than chance.*"unusable": \d/, 'a training over parts is rated by default') });
spends(
	$coordinator,
	'a rating of rows that were seen',
	{},
	sub { like(in_session($coordinator, 'ana', q{SELECT dpobj.train('visit', 'y', 5, '{a,r}', options => '{"holdout": false, "rate": 1}')}), qr/^ERROR:  22023: option "rate" is not for this request\nDETAIL:  Rows of the table are on other servers, and no rows are held out\./, 'rows on other servers are read once, to train or to rate') });


# ---- the same bits, the same answer ----

# What ana asks of a table, in a session of its own.
sub answer_of
{
	my ($table, $statement) = @_;
	return in_session($coordinator, 'ana', $statement =~ s/%s/$table/gr);
}

sub same_answer
{
	my ($name, $statement) = @_;
	my $whole = answer_of('whole', $statement);
	unlike($whole, qr/ERROR|^$/, "$name: one table has an answer");
	is(answer_of('visit', $statement), $whole, "$name: its parts have the same, noise included");
	return;
}

# One charge at either table.
sub one_charge_each
{
	my ($name, $statement, $epsilon) = @_;
	return spends($coordinator, "$name, on two tables", { epsilon => 2 * $epsilon, charged => 2, released => 2 }, sub { same_answer($name, $statement); });
}

answer_of('visit', "SELECT FROM dpobj.train('%s', $_)") for (
	q{'y', 20, '{a,r,b}', method => 'logistic', options => '{"holdout": 0.3}', name => 'rated'},
	q{'y', 20, '{b}', method => 'halfspace', options => '{"holdout": 0.3}', name => 'other'},
	q{'r', 20, '{a,b,s}', method => 'linear', options => '{"holdout": 0.3}', name => 'number'},
	q{'s', 20, '{a,r}', method => 'softmax', options => '{"holdout": 0.3}', name => 'classes'});
my %answers = (
	'a count by group' => q{SELECT * FROM dpobj.count('%s', 1, '{e,s}', '{"r": {">": 0}}')},
	'a sum' => q{SELECT * FROM dpobj.sum('%s', 'r', 1)},
	'averages by group' => q{SELECT * FROM dpobj.avg('%s', 'r', 1, '{b}')},
	'a histogram' => q{SELECT * FROM dpobj.histogram('%s', 'n', 1)},
	'quantiles by group' => q{SELECT * FROM dpobj.quantiles('%s', 'r', '{0.1,0.5}', 1, '{e}')},
	'a profile' => q{SELECT * FROM dpobj.profile('%s', 1, options => '{"label": "y"}')},
	'a suggestion' => q{SELECT dpobj.suggest('%s', 1, '{"n": [0, 20], "a": [-2, 2], "s": [0, 1, 2, 9], "t": ["t", "tt", "u"], "d": ["2026-01-01", "2027-12-31"], "e": ["low", "high"]}', '{"b": {"=": true}}')},
	'an accuracy' => q{SELECT dpobj.evaluate('rated', '%s', 1, NULL, '{"holdout": 0.3}')},
	'an accuracy of all rows' => q{SELECT dpobj.evaluate('rated', '%s', 1, '{"b": {"=": true}}', '{"holdout": false}')},
	'R-squared' => q{SELECT dpobj.evaluate('number', '%s', 1, NULL, '{"holdout": 0.3}')},
	'residuals' => q{SELECT * FROM dpobj.residuals('number', '%s', 1, NULL, '{"holdout": 0.3}')},
	'a confusion table' => q{SELECT * FROM dpobj.confusion('rated', '%s', 1, NULL, '{"holdout": 0.3}')},
	'a confusion table of classes' => q{SELECT * FROM dpobj.confusion('classes', '%s', 1, NULL, '{"holdout": 0.3}')},
	'an area under the curve' => q{SELECT * FROM dpobj.auc('rated', '%s', 1, NULL, '{"holdout": 0.3}')},
	'a calibration' => q{SELECT * FROM dpobj.calibration('rated', '%s', 1, NULL, '{"holdout": 0.3}')},
	'a choice of a model' => q{SELECT dpobj.select('{rated,other}', '%s', 1, NULL, '{"holdout": 0.3}')},
	'models of groups' => q{SELECT key, (model).weights FROM dpobj.train_groups('%s', 'y', 1, '{r,s}', by => '{b}', method => 'logistic', options => '{"holdout": 0.2, "rate": 0}')},
	'a halfspace' => q{SELECT (dpobj.train('%s', 'y', 1, '{r,s}', method => 'halfspace', options => '{"holdout": 0.2, "rate": 0}')).weights},
	'a halfspace of each class' => q{SELECT (dpobj.train('%s', 's', 1, '{r,b}', method => 'one_vs_rest', options => '{"rate": 0}')).weights},
	'weights on the simplex' => q{SELECT (dpobj.train('%s', 'r', 1, '{a,b}', method => 'simplex', options => '{"rate": 0}')).weights},
	'a model of a pool' => q{SELECT (dpobj.train('%s', 'y', 1, '{r,b}', 1e-7, method => 'logistic', options => '{"mechanism": "pool", "rate": 0}')).weights});
one_charge_each($_, $answers{$_}, 1) for sort keys %answers;

# Two kept histograms with the same noise have not drifted.
answer_of('visit', "SELECT FROM dpobj.histogram('%s', 'n', 1, name => 'n in $_')") for qw(May June);
is(in_session($coordinator, 'ana', q{SELECT count(*) > 3, max(abs(difference)) FROM dpobj.drift('n in May', 'n in June')}), 't|0', 'nothing has drifted');

# Rows of the table predict, wherever they are; this reader may read them by postgres_fdw.
$coordinator->safe_psql('postgres', 'CREATE ROLE reader SUPERUSER LOGIN');
$coordinator->safe_psql('postgres', "CREATE USER MAPPING FOR reader SERVER part$_ OPTIONS (user 'postgres')") for 1, 2;
my $predictions = q{SELECT count(*), count(p), sum(p::int), sum(id) FILTER (WHERE p), sum(v) FROM
  (SELECT id, dpobj.predict('rated', t, 'ana') AS p, dpobj.score('rated', t, 'ana')::numeric AS v FROM %s t) s};
is(in_session($coordinator, 'reader', $predictions =~ s/%s/visit/r), in_session($coordinator, 'reader', $predictions =~ s/%s/whole/r), 'the rows of all parts predict');

# What is known of a table's models.
like(answer_of('visit', "SELECT dpobj.show('rated', 'markdown')"), qr/\| from \| public\.visit, .*0\.3 of the rows held out.*\n- accuracy 0\.\d/s, 'a model over parts has a card with its rating');
like(answer_of('visit', "SELECT dpobj.show('number')"), qr/public\.visit.*rated/s, 'and a text');
my $page = scalar_of($coordinator, "SELECT dpobj.report('visit', 'html')");
like($page, qr/\Q$_\E/, "the report of the table names model $_") for qw(rated other number classes);
is(scalar_of($coordinator, "SELECT dpobj.report('visit', 'json')::jsonb ->> 'sums_equal'"), 'true', 'its sums are those of the ledger');

# Prices do not know where the rows are.
my $price = q{SELECT dpobj.price('%s', %a) - '{remaining,calls}'::text[]};
for my $arguments (q{'y', 1, '{r,s}', method => 'logistic'}, unrated(q{'s', 1, '{r}', method => 'softmax'}), q{NULL, 1, method => 'accuracy'},
	q{NULL, 1, method => 'suggest', options => '{"columns": {"n": [0, 20]}}'}, q{NULL, 1, '{e}', method => 'count'})
{
	same_answer("a price of $arguments", $price =~ s/%a/$arguments/r);
}

# ---- neighbours of as many rows ----

$coordinator->safe_psql('postgres', sprintf <<'SQL', columns(), rows_between(1, 3000), rows_between(1, 1000));
CREATE TABLE bounded (%1$s) PARTITION BY RANGE (id);
CREATE TABLE bounded_0 PARTITION OF bounded FOR VALUES FROM (1) TO (1001);
CREATE TABLE bounded_whole (%1$s);
INSERT INTO bounded_whole %2$s;
INSERT INTO bounded_0 %3$s;
SQL
for my $i (1, 2)
{
	make_part($parts[ $i - 1 ], 'bounded_part', $i * 1000 + 1, $i * 1000 + 1000, of => 'postgres.public.bounded');
	foreign_partition($coordinator, "bounded_$i", sprintf('FROM (%d) TO (%d)', $i * 1000 + 1, $i * 1000 + 1001), "part$i", 'bounded_part', 'bounded');
}
$coordinator->safe_psql('postgres', sprintf <<'SQL', encoders());
SELECT dpobj.protect(t, '%s', n => 3000), dpobj.set_budget(t, 'ana', 1000, 0.1) FROM unnest('{bounded,bounded_whole}'::regclass[]) t;
UPDATE dpobj.identities SET holdout_key = '00010203-0405-0607-0809-0a0b0c0d0e0f' WHERE kind = 'table'
SQL
for my $arguments (q{'y', 1, '{a,r}', method => 'logistic'}, q{'y', 1, '{r,s}', method => 'halfspace'}, q{'y', 1, '{r,s}'})
{
	like(model_of('bounded_whole', $arguments), qr/^\{/, "a bounded table has a model of $arguments");
	is(model_of('bounded', $arguments), model_of('bounded_whole', $arguments), 'its parts have the same');
}
for my $arguments (q{'y', 2, '{a,r}', method => 'logistic', options => '{"holdout": 0.3}'}, q{'y', 2, '{n,b}', method => 'halfspace', options => '{"mechanism": "sample_aggregate", "holdout": 0.3}'})
{
	my $whole = rating_of('bounded_whole', $arguments, $of);
	like($whole, qr/"because": "a part of epsilon".*"verdict": /, 'a bounded table rates where the side is that of the values, for a part of epsilon');
	is(rating_of('bounded', $arguments, $of), $whole, 'its parts have the same');
}

# ---- schedules ----

# As pg_cron runs them, at the last New Year: a training, and a rating of its newest model.
sub scheduled
{
	my ($table) = @_;
	my $put = 'SELECT dpobj_internal.schedule_put';
	in_session($coordinator, 'ana',
		qq($put('train', '$table', '{"label": "y", "epsilon": 3, "features": ["a", "r"], "method": "logistic", "options": {"holdout": 0.3, "rate": 0}}', 'model of $table', '0 0 1 1 *', NULL, NULL)),
		qq($put('evaluate', '$table', '{"model": "model of $table", "epsilon": 2}', 'rating of $table', '0 0 1 1 *', 2, '1 year')));
	for my $name ("model of $table", "rating of $table")
	{
		spends(
			$coordinator,
			"a run of $name, twice",
			{ epsilon => $name =~ /^model/ ? 3 : 2, charged => 1, released => 1 },
			sub { is(in_session($coordinator, 'ana', "CALL dpobj.run_schedule('$name')"), '', "$name runs") for 1, 2; });
	}
	return in_session($coordinator, 'ana', "SELECT (model).weights FROM dpobj.models WHERE name LIKE 'model of $table %'",
		"SELECT value, holdout, models = ARRAY(SELECT latest_model FROM dpobj.schedules WHERE name = 'model of $table') FROM dpobj.evaluations WHERE name LIKE 'rating of $table %'");
}
my $yearly = scheduled('whole');
like($yearly, qr/^\{.*\}\n0\.\d+\|0\.3\|t$/, 'schedules over one table train and rate');
is(scheduled('visit'), $yearly, 'those over its parts have the same model and rating');

# ---- jobs, and rows of persons ----

sub job_model
{
	my ($table) = @_;
	my $ana = session($coordinator, user => 'ana');
	my $id = $ana->ask(qq(SELECT dpobj.submit('train', '$table', '{"label": "y", "epsilon": 2, "features": ["a", "r", "b", "e"], "method": "logistic", "options": {"mechanism": "objective", "rate": 0}}', 'job of $table')));
	is($ana->ask("SELECT dpobj.wait($id, '60 s')"), 'released', "a job over $table is released");
	return $ana->ask("SELECT (dpobj.train('$table', @{[ unrated($models{objective}) ]}, name => 'job of $table')).weights");
}
is(job_model('visit'), job_model('whole'), 'a job over parts has the same model');

sub job_answer
{
	my ($table) = @_;
	my $ana = session($coordinator, user => 'ana');
	my $id = $ana->ask(qq{SELECT dpobj.submit('auc', '$table', '{"model": "rated", "epsilon": 1, "options": {"holdout": 0.3}}', 'job answer of $table')});
	is($ana->ask("SELECT dpobj.wait($id, '60 s')"), 'released', "a rating over $table is released by a job");
	return $ana->ask("SELECT answer FROM dpobj.answers WHERE name = 'job answer of $table'");
}
is(job_answer('visit'), job_answer('whole'), 'a job over parts has the same rating');

# All rows of each person enter, so that the key of their choice does not matter.
$coordinator->safe_psql('postgres', sprintf <<'SQL', columns(), rows_between(1, 3000), encoders());
CREATE TABLE person (%1$s) PARTITION BY LIST (s);
CREATE TABLE person_0 PARTITION OF person FOR VALUES IN (0, 1);
CREATE TABLE person_whole (%1$s);
INSERT INTO person_whole %2$s;
INSERT INTO person_0 SELECT * FROM person_whole WHERE s IN (0, 1);
SELECT dpobj.protect(t, '%3$s', 'add_remove', 's', 500) FROM unnest('{person,person_whole}'::regclass[]) t;
SELECT dpobj.set_budget(t, 'ana', 100000, 0) FROM unnest('{person,person_whole}'::regclass[]) t;
UPDATE dpobj.identities SET holdout_key = '00010203-0405-0607-0809-0a0b0c0d0e0f' WHERE kind = 'table';
SQL
for my $i (1, 2)
{
	make_part($parts[ $i - 1 ], 'person_part', 1, 3000, of => 'postgres.public.person');
	my $kept = $i == 1 ? '2, 3' : '4, 5';
	$parts[ $i - 1 ]->safe_psql('postgres', "DELETE FROM person_part WHERE s NOT IN ($kept)");
	foreign_partition($coordinator, "person_$i", "IN ($kept)", "part$i", 'person_part', 'person');
}
my $persons = q{'y', 1000, '{a,r}', method => 'logistic', options => '{"mechanism": "objective"}'};
like(model_of('person_whole', $persons), qr/^\{/, 'a table of persons has a model');
is(model_of('person', $persons), model_of('person_whole', $persons), 'its parts have the same');

# All rows of a person train or rate; at this epsilon the noise of the table is 0, but for a chance of e^-20 for each number.
my $of_persons = q{SELECT weights, details #> '{rating,counts}' FROM dpobj.train('%s', 'y', 10000, '{b}', method => 'logistic', options => '{"mechanism": "objective", "rate": 10000, "holdout": 0.5}')};
my $persons_whole = answer_of('person_whole', $of_persons);
like($persons_whole, qr/^\{.*\}\|\[\[\d+, \d+\], /, 'persons of one table rate');
is(answer_of('person', $of_persons), $persons_whole, 'those of parts the same');
my $by_coins = q{SELECT details #> '{rating,rows}' FROM dpobj.train('person', 'y', 10000, '{b}', method => 'logistic', options => '{"mechanism": "objective", "rate": 10000}')};
my @sums = (0);
for my $rows (split /\n/, scalar_of($coordinator, 'SELECT count(y) FROM person_whole GROUP BY s')) { push @sums, map { $_ + $rows } @sums; }
my @rated = split /\n/, in_session($coordinator, 'ana', ($by_coins) x 6);
is(scalar(grep { my $rows = $_; grep { $_ == $rows } @sums } @rated), 6, "persons of parts rate with all of their rows: @rated");
cmp_ok(scalar(uniq(@rated)), '>', 1, 'and not always the same persons');
for my $look (q{histogram('%s', 'n', 100)}, q{avg('%s', 'r', 100, '{b}')}, q{auc('rated', '%s', 100, NULL, '{"holdout": 0.3}')}, q{evaluate('rated', '%s', 100)})
{
	my $whole = answer_of('person_whole', "SELECT * FROM dpobj.$look");
	unlike($whole, qr/ERROR|^$/, "persons: one table has an answer to $look");
	is(answer_of('person', "SELECT * FROM dpobj.$look"), $whole, 'and its parts have the same');
}

# ---- no row moves ----

# The number of passes of this mechanism is public.
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $file = PostgreSQL::Test::Utils::tempdir('proxy') . '/bytes';
my $proxy = start_proxy($parts[1], $port, $file);
END { kill 'KILL', $proxy if $proxy; }
$coordinator->safe_psql('postgres', "ALTER SERVER part2 OPTIONS (SET host '127.0.0.1', SET port '$port')");

# The bytes that a training moves between the coordinator and the second part, both ways.
sub bytes_moved
{
	my ($arguments) = @_;
	my $before = -e $file ? slurp_file($file) : 0;
	like(in_session($coordinator, 'ana', "SELECT (dpobj.train('visit', $arguments)).weights"), qr/^\{/, 'a training through a proxy answers');
	ok(wait_until(20, sub { !links_of($parts[1]) }), 'its connection ends');
	my $moved = '';
	wait_until(20, sub { my $last = $moved; sleep(0.5); $moved = slurp_file($file); $moved ne '' && $moved eq $last });
	return $moved - $before;
}
my $of_passes = unrated($models{sgd});
my $of_rated = $models{sgd} =~ s/"mechanism"/"holdout": 0.3, "rate": 1, $&/r;
my $gathered = q{'y', 2, '{a,r}', method => 'halfspace', options => '{"rate": 0}'};
my ($few, $few_rated, $few_rows) = map { bytes_moved($_) } $of_passes, $of_rated, $gathered;
$parts[1]->safe_psql('postgres', 'INSERT INTO visit_part ' . rows_between(2001, 32000));
is(bytes_moved($of_passes), $few, "31,000 rows move the $few bytes that 1,000 rows move");
is(bytes_moved($of_rated), $few_rated, "and $few_rated bytes with a rating, for which no row moves either");
cmp_ok($few_rated, '<', $few + 3000, 'a rating sends the model and gets the numbers of its table');
my @small = ("SET work_mem = '64kB'", 'SET hash_mem_multiplier = 1');
$coordinator->safe_psql('postgres', "GRANT SET ON PARAMETER temp_file_limit TO ana");
like(in_session($coordinator, 'ana', @small, "SET temp_file_limit = '256kB'", "SELECT (dpobj.train('visit', $of_rated)).weights"), qr/^\{/m,
	'and take no room in the files of the coordinator');
cmp_ok(bytes_moved($gathered), '>', $few_rows + 100_000, 'a halfspace gathers the rows');
$parts[1]->safe_psql('postgres', 'DELETE FROM visit_part WHERE ctid IN (SELECT ctid FROM visit_part ORDER BY ctid OFFSET 1000)');
kill 'KILL', $proxy;
waitpid $proxy, 0;
undef $proxy;
$coordinator->safe_psql('postgres', sprintf q{ALTER SERVER part2 OPTIONS (SET host '%s', SET port '%s')}, $parts[1]->host, $parts[1]->port);

# ---- parts that are lost or answer wrongly between passes ----

my $failure = "ERROR:  UB004: the release failed and nothing was released\n"
  . 'DETAIL:  The charge stays. Failures are counted against the table, and the reason is in the server log only.';
my $train = "SELECT (dpobj.train('visit', $of_passes)).weights";
my $train_rated = q{SELECT (dpobj.train('visit', 'y', 2, '{a,r}', method => 'logistic', options => '{"mechanism": "objective", "holdout": 0.3}')).weights};
my $train_number = q{SELECT (dpobj.train('visit', 'r', 2, '{a,b}', method => 'linear', options => '{"holdout": 0.3, "rate": 1}')).weights};

my %wrong = (
	'ends between two passes' => q{IF kind = 'p' AND pass = 3 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(9); END IF;},
	'has an error of its own' => q{IF kind = 'p' AND pass = 3 THEN RAISE 'no'; END IF;},
	'lacks a sum' => q{IF kind = 'p' AND pass = 2 THEN answer := substr(answer, 1, length(answer) - 16); END IF;},
	'has a sum too many' => q{IF kind = 'p' AND pass = 2 THEN answer := answer || substr(answer, length(answer) - 15); END IF;},
	'counts its sums wrongly' => q{IF kind = 'p' THEN answer := set_byte(substr(answer, 1, length(answer) - 16), 15, get_byte(answer, 15) - 1); END IF;},
	'answers another pass' => q{IF kind = 'p' AND pass = 3 THEN answer := set_byte(answer, 7, 2); END IF;},
	'has a sum of no rows' => q{IF kind = 'p' AND pass = 2 THEN answer := set_byte(answer, length(answer) - 1, 63); END IF;},
	'has a negative number of rows' => q{IF kind = 'm' THEN answer := set_byte(answer, 5, 255); END IF;},
	'has more rows than any table' => q{IF kind = 'm' THEN answer := set_byte(answer, 13, 127); END IF;},
	'says nothing of its rows' => q{IF kind = 'm' THEN answer := substr(answer, 1, 5); END IF;},
	'answers no status' => q{IF kind = 'p' THEN answer := ''; END IF;});
my %wrong_rating = (
	'ends when it is to rate' => q{IF kind = 't' THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(9); END IF;},
	'has an error when it is to rate' => q{IF kind = 't' THEN RAISE 'no'; END IF;},
	'lacks a number of its rating' => q{IF kind = 't' THEN answer := substr(answer, 1, length(answer) - 8); END IF;},
	'has a number too many' => q{IF kind = 't' THEN answer := answer || '\x0000000000000000'; END IF;},
	'has fewer rows than none in a bin' => q{IF kind = 't' THEN answer := set_byte(answer, length(answer) - 8, 255); END IF;},
	'has more rows in a bin than any table' => q{IF kind = 't' THEN answer := set_byte(answer, length(answer) - 8, 127); END IF;},
	'has fewer unusable rows than none' => q{IF kind = 't' THEN answer := set_byte(answer, 5, 255); END IF;});
my %wrong_number = (
	'has a sum of residuals that its rows cannot have' => q{IF kind = 't' THEN answer := set_byte(answer, 13, 63); END IF;},
	'has a sum of residuals of no rows' => q{IF kind = 't' THEN answer := overlay(answer PLACING '\x0000000000000000' FROM length(answer) - 7); END IF;});
for ([ $train, %wrong ], [ $train_rated, %wrong_rating ], [ $train_number, %wrong_number ])
{
	my ($statement, %answers) = @$_;
	for my $name (sort keys %answers)
	{
		answers_by($parts[0], $answers{$name});
		spends(
			$coordinator,
			"a part that $name",
			{ epsilon => 2, charged => 1, failed => 1 },
			sub { is(in_session($coordinator, { user => 'ana', seconds => 150 }, $statement) =~ s/\nLOCATION.*//sr, $failure, "a part that $name: the one failure"); });
		no_link_is_left("a part that $name", @parts);
	}
}
answers_truly($parts[0]);

# Moments in a pass: writers go on, a cancel ends it, the time limit too.
answers_by($parts[0], q{IF kind = 'p' AND pass = 3 THEN PERFORM pg_sleep(60); END IF;});

sub in_third_pass
{
	return wait_until(30, sub { scalar_of($parts[0], q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dpobj' AND wait_event = 'PgSleep'}) });
}
spends(
	$coordinator,
	'a cancel during a pass',
	{ epsilon => 2, charged => 1, failed => 1 },
	sub {
		my $ana = session($coordinator, user => 'ana');
		$ana->send($train);
		ok(in_third_pass(), 'a pass waits for a part');
		is(in_session($_, 'postgres', "SET lock_timeout = '2s'; UPDATE visit_part SET s = s WHERE id < 0"), '', 'rows of a part may change during passes') for @parts;
		is(in_session($coordinator, 'postgres', "SET lock_timeout = '2s'; UPDATE visit_0 SET s = s WHERE id < 0"), '', 'and rows of the coordinator');
		scalar_of($coordinator, 'SELECT pg_cancel_backend(' . $ana->pid . ')');
		like($ana->result, qr/^ERROR:  57014: /, 'a cancel ends the wait for a part');
	});
no_link_is_left('a cancel during a pass', @parts);

$coordinator->safe_psql('postgres', "ALTER SYSTEM SET dpobj.time_limit = 2; SELECT pg_reload_conf()");
spends(
	$coordinator,
	'the time limit during a pass',
	{ epsilon => 2, charged => 1, failed => 1 },
	sub {
		my $start = time;
		is(in_session($coordinator, { user => 'ana', seconds => 150 }, $train) =~ s/\nLOCATION.*//sr, $failure, 'the time limit during a pass: the one failure');
		cmp_ok(time - $start, '<', 30, 'which does not wait for the part');
	});
no_link_is_left('the time limit during a pass', @parts);
$coordinator->safe_psql('postgres', "ALTER SYSTEM RESET dpobj.time_limit; SELECT pg_reload_conf()");
answers_truly($parts[0]);

# The session of the coordinator, and the server of a part.
answers_by($parts[0], q{IF kind = 'p' AND pass = 3 THEN PERFORM pg_sleep(60); END IF;});
spends(
	$coordinator,
	'the server of a part stops during a pass',
	{ epsilon => 2, charged => 1, failed => 1 },
	sub {
		my $ana = session($coordinator, user => 'ana');
		$ana->send($train);
		ok(in_third_pass(), 'a pass waits for a part');
		$parts[1]->stop('immediate');
		$parts[1]->start;
		scalar_of($parts[0], q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dpobj'});
		is($ana->result =~ s/\nLOCATION.*//sr, $failure, 'the server of a part stops: the one failure');
	});
answers_truly($parts[0]);
is(model_of('visit', $models{sgd}), model_of('whole', $models{sgd}), 'afterwards the model is the same again');

# ---- messages that come out of order ----

my $dealer = session($parts[0], user => 'dealer');
like($dealer->ask("SELECT dpobj_internal.part('\\x$_')"), qr/^ERROR:  08P01: /m, "a part that has not been opened refuses message $_") for qw(6d 6d00 70 7000);

finish($coordinator);
