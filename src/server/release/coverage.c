/*
 * coverage.c - the part of a release that counts usable rows.
 */
#include "postgres.h"

#include "core/looks/evaluation.h"

#include "server/base/random_bits.h"
#include "server/base/run_watch.h"
#include "server/release/coverage.h"

/* The bound on the error may fail with this probability. */
#define COVERAGE_BETA 0.05

/* Rule X7: a fiftieth of epsilon, where the bound is at most a sixteenth of the declared rows. */
#define DEFAULT_PARTS 50
#define DEFAULT_SHARPNESS 16

#define COVERAGE_LOW "fewer than half of the rows could be used, by their noisy counts"

static void
refuse(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"coverage_epsilon\" is not for this request"),
					errdetail("%s", detail), errhint("Leave it out, or set it to 0.")));
}

static double
error_of(const Training *training, int64 part)
{
	return evaluation_error(part, training->options.adjacency, COVERAGE_COUNTS, COVERAGE_BETA);
}

/*
 * Who may read the table counts its usable rows himself.  Without a declared number of rows nothing
 * public says whether the counts are of use.  Rows that are held out are in neither count.
 */
static int64
default_part(const Training *training)
{
	int64 part = training->cost.epsilon / DEFAULT_PARTS;
	int64 rows = training->by_analyst ? training_rows_read(training, training->options.n) : 0;

	/* the table that rates the model has the number of unusable rows */
	if (training->rating.epsilon > 0 && training->rows_per_person == 0 &&
		!method_has_target(training->method))
		return 0;
	if (part == 0 || rows == 0 || training->keys != NULL || training->rows_per_person > 0)
		return 0;
	return error_of(training, part) * DEFAULT_SHARPNESS <= (double) rows ? part : 0;
}

/*
 * The parts are whole numbers of nano-units, and the model's is what the other leaves (theorem X6).
 * A person may have any number of unusable rows, of which no choice keeps a few.  Groups are
 * charged together, each for its own rows.
 */
void
coverage_settle(Training *training)
{
	const Options *options = &training->options;
	int64 part = options_given(options, "coverage_epsilon") ? options->coverage_epsilon
															: default_part(training);

	training->coverage_epsilon = 0;
	if (part == 0)
		return;
	if (training->keys != NULL)
		refuse("Groups are trained under a shared charge, of which it is no part.");
	if (training->rows_per_person > 0)
		refuse("Persons are protected, and nothing bounds a person's unusable rows.");
	if (part >= training->cost.epsilon - training->rating.charged)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"coverage_epsilon\" must be less than epsilon"),
						errdetail("It is the part of epsilon that counts usable rows; the model "
								  "gets the rest.")));
	training->coverage_epsilon = part;
}

/* Are there counts, by themselves or of the table that rates the model? */
static bool
is_counted(const Training *training)
{
	const RatingTable *table = training->rating.table;

	return training->coverage_epsilon > 0 || (table != NULL && rating_counts_unusable(table));
}

void
coverage_take(Training *training, const RatingTable *table)
{
	if (training->coverage_epsilon > 0 || !rating_counts_unusable(table))
		return;
	training->coverage[COVERAGE_USABLE] = rating_rows(table);
	training->coverage[COVERAGE_UNUSABLE] = table->unusable;
}

void
coverage_draw(Training *training, int64 usable, int64 unusable)
{
	Bits bits;

	if (training->coverage_epsilon == 0)
		return;
	training->coverage[COVERAGE_USABLE] = usable;
	training->coverage[COVERAGE_UNUSABLE] = unusable;
	random_bits_init(&bits);
	evaluation_noise(&bits, training->coverage_epsilon, training->request.adjacency,
					 training->coverage, COVERAGE_COUNTS);
}

static bool
share_of(const Training *training, double *share)
{
	return evaluation_accuracy(training->coverage[COVERAGE_USABLE],
							   training->coverage[COVERAGE_UNUSABLE], share);
}

void
coverage_append(StringInfo text, const Training *training)
{
	double share;

	if (!is_counted(training))
		return;
	appendStringInfo(text,
					 ", \"coverage\": {\"usable\": " INT64_FORMAT ", \"unusable\": " INT64_FORMAT,
					 training->coverage[COVERAGE_USABLE], training->coverage[COVERAGE_UNUSABLE]);
	if (share_of(training, &share))
		appendStringInfo(text, ", \"share\": %.4g", share);
	else
		appendStringInfoString(text, ", \"share\": null");
	if (training->coverage_epsilon > 0)
		appendStringInfo(text, ", \"within\": %.0f, \"confidence\": %g",
						 error_of(training, training->coverage_epsilon), 1 - COVERAGE_BETA);
	appendStringInfoChar(text, '}');
}

static bool
is_low(const Training *training)
{
	double share;
	Rating rating;

	if (is_counted(training) && training->coverage_epsilon == 0)
	{
		rating_find(training->rating.table, &rating);
		return rating.usable.known && rating.usable.high < 0.5;
	}
	return is_counted(training) && !(share_of(training, &share) && share >= 0.5);
}

static char *
counts(const Training *training)
{
	if (training->coverage_epsilon == 0)
		return psprintf("Usable: about " INT64_FORMAT "; unusable: about " INT64_FORMAT
						", of the rows that rate the model.",
						training->coverage[COVERAGE_USABLE], training->coverage[COVERAGE_UNUSABLE]);
	return psprintf("Usable: about " INT64_FORMAT "; unusable: about " INT64_FORMAT
					". Each is off by at most %.0f with probability %g.",
					training->coverage[COVERAGE_USABLE], training->coverage[COVERAGE_UNUSABLE],
					error_of(training, training->coverage_epsilon), 1 - COVERAGE_BETA);
}

void
coverage_warn(const Training *training)
{
	if (!is_low(training))
		return;
	if (run_watch != NULL)
		run_watch->warn(psprintf("%s\n%s", COVERAGE_LOW, counts(training)));
	ereport(WARNING,
			(errmsg(COVERAGE_LOW), errdetail_internal("%s", counts(training)),
			 errhint("Compare the declared levels and values of the label with what the columns "
					 "are meant to hold. \"coverage\" in the model's details has the counts.")));
}
