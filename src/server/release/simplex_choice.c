/*
 * simplex_choice.c - the request of method simplex, from options "regularization", "target"
 * and "n".
 */
#include "server/release/simplex_choice.h"

#include <math.h>

#include "core/simplex/simplex_scale.h"

#include "server/release/mechanism_choice.h"

/* Rounds as core/rows/encoding.c does, so no encoded value is beyond its encoded bound. */
static int32
encoded_bound(double value)
{
	value *= FIXED_POINT_ONE;
	return (int32) (value + copysign(0.5, value));
}

static void
set_bounds(const Encoding *encoding, SimplexTerms *terms)
{
	terms->target_low = encoded_bound(encoding->low[0]);
	terms->target_high = encoded_bound(encoding->high[0]);
	terms->low = encoded_bound(encoding->low[1]);
	terms->high = encoded_bound(encoding->high[1]);
	for (int j = 2; j < encoding->features; j++)
	{
		terms->low = Min(terms->low, encoded_bound(encoding->low[j]));
		terms->high = Max(terms->high, encoded_bound(encoding->high[j]));
	}
}

static void
refuse_lambda(const SimplexTerms *terms, const SimplexBudget *budget)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"regularization\" is too small for this epsilon"),
					errdetail("It must be at least %.6g for one draw, with " INT64_FORMAT " rows.",
							  simplex_least_lambda(terms, budget) * (1 + 1e-5), terms->rows)));
}

bool
simplex_choose(const Options *options, const Encoding *encoding, int64 delta,
			   MechanismRequest *request)
{
	SimplexTerms *terms = &request->simplex;
	SimplexBudget budget;
	bool pure;

	grid_set_plain(&request->grid, encoding->features - 1);
	request->kind = mechanism_kind(mechanism_choose(METHOD_SIMPLEX, options));
	set_bounds(encoding, terms);
	terms->delta = delta;
	terms->lambda = options->regularization;
	if (terms->lambda != 0 &&
		(terms->lambda < SIMPLEX_LAMBDA_MIN || terms->lambda > SIMPLEX_LAMBDA_MAX))
		mechanism_refuse_range("regularization", SIMPLEX_LAMBDA_MIN, SIMPLEX_LAMBDA_MAX, NULL);
	terms->rows = Min(options->n, SIMPLEX_ROWS_MAX);
	budget = simplex_budget(request->epsilon, delta);
	if (options->regularization == 0)
		terms->lambda = simplex_default_lambda(terms, &budget, request->grid.dimension);
	if (simplex_draws(terms, &budget, &pure) == 0)
		refuse_lambda(terms, &budget);
	if (pure)
		terms->delta = 0;
	return pure;
}
