/*
 * usefulness.c - is there more noise than rows?
 */
#include "postgres.h"

#include <math.h>

#include "server/base/dpobj.h"
#include "server/base/run_watch.h"
#include "server/ledger/charge_analyst.h"
#include "server/release/encoding_choice.h"
#include "server/release/usefulness.h"

/* What a user asks for next is well beyond the rule, and has two digits. */
#define MORE 1.1

static double
two_digits(double number)
{
	double unit = pow(10, floor(log10(number)) - 1);

	return ceil(number / unit) * unit;
}

/* The noise falls about as epsilon grows, and the bound on it falls slower with a delta. */
static void
refuse(const Training *training, double rows, double useless)
{
	double epsilon = (double) training->cost.epsilon / EPSILON_ONE * (useless / rows) * MORE;

	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg_plural("epsilon is too small for %.0f row", "epsilon is too small for %.0f rows",
					   (unsigned long) rows, rows),
		 errdetail("The noise of mechanism \"%s\" outweighs all that so few rows can say, so that "
				   "the model would be no better than a constant.",
				   mechanism_get(training->request.kind)->name),
		 errhint("Use an epsilon of %.10g or more, or at least %.10g rows. Add \"force\": true to "
				 "the options to train all the same.",
				 two_digits(epsilon), two_digits(useless * MORE))));
}

void
usefulness_check(const Training *training)
{
	const Mechanism *mechanism = mechanism_get(training->request.kind);
	const Options *options = &training->options;
	double rows = (double) training_rows_read(training, training->table_rows);
	double useless;
	Encoding encoding;

	if (options->force || rows == 0 || run_watch != NULL || training->keys != NULL ||
		!training->settled || mechanism->useless_rows == NULL)
		return;
	charge_check_least_epsilon(training->cost.epsilon_charged, dpobj_min_epsilon);
	encoding_of_features(training, &encoding);
	useless = mechanism->useless_rows(&training->request, &encoding);
	if (rows <= useless)
		refuse(training, rows, useless);
}
