/*
 * weight_error.c - the standard errors of weights.
 *
 * Source: rule U20.  Noise b on the gradient moves the minimiser by about b / (H + Lambda), H the
 * curvature of the rows.  Plain floating point suffices: a reader sees the errors, and no noise
 * depends on them.
 */
#include "core/mechanisms/weight_error.h"

#include <math.h>

#include "core/convex/convex_columns.h"
#include "core/convex/convex_loss.h"
#include "core/mechanisms/convex_default.h"
#include "core/mechanisms/convex_release.h"

/* What is left of a column's curvature beside the other columns, as a rule. */
#define OWN_SHARE 0.25

/* The mean square of a feature, as if levels were equally frequent and numbers uniform. */
static double
mean_square(const Encoding *encoding, int j, const ConvexColumns *columns)
{
	double low = encoding->low[j];
	double high = encoding->high[j];
	int size = 0;

	if (j >= encoding->features)
		return 1; /* the intercept */
	if (encoding->levels[j] > 0)
		return 1.0 / encoding->levels[j];
	if (columns->group[j] == COLUMN_INDICATOR)
		return 0.5;
	for (int i = 0; columns->group[j] > 0 && i < encoding->features; i++)
		size += columns->group[i] == columns->group[j];
	return size > 0 ? 1.0 / size : (low * low + low * high + high * high) / 3;
}

/* As large as the mean derivative of a slope for scores of this variance (pool_candidates.c). */
static double
curvature_of(const ConvexTerms *terms, double variance)
{
	double classes = terms->classes;

	if (classes > 0)
		return (classes - 1) / (classes * classes);
	if (terms->loss == LOSS_SQUARES)
		return 1;
	return loss_curvature(terms->loss) * loss_steepness(terms->loss) / sqrt(1 + 0.39 * variance);
}

/* The deviation of the noise in the gradient of each column, in units of features. */
static void
column_noises(const MechanismRequest *request, const Encoding *encoding, double *noise)
{
	const ConvexTerms *terms = &request->convex;
	int dimension = encoding_dimension(encoding);
	ColumnsBody body;
	double spread[COLUMNS_MAX];
	ConvexScale scale;

	(void) convex_request_scale(request, &scale);
	for (int j = 0; j < dimension; j++)
		noise[j] = scale.inner * terms->radius *
				   (terms->noise == CONVEX_GAUSSIAN ? 1 : sqrt(mechanism_weights(request) + 1));
	if (terms->noise != CONVEX_KNORM)
		return;
	columns_body_make(&terms->columns, terms->radius, dimension, &body);
	(void) columns_body_spread(&body, spread);
	for (int j = 0; j < dimension; j++)
		noise[j] = scale.inner * terms->columns.bound[j] / FIXED_POINT_ONE * spread[j];
}

/* Noise on the minimiser is the error, whatever the rows are. */
static void
output_errors(const MechanismRequest *request, double *error)
{
	int weights = mechanism_weights(request);
	double spread = request->convex.noise == CONVEX_GAUSSIAN ? 1 : sqrt(weights + 1);
	ConvexScale scale;

	(void) convex_request_scale(request, &scale);
	for (int k = 0; k < weights; k++)
		error[k] = scale.outer * spread * convex_weight_unit(&request->convex);
}

bool
weight_errors(const MechanismRequest *request, const Encoding *encoding, int64_t rows,
			  const double *weight, double *error)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	const ConvexTerms *terms = &request->convex;
	int dimension = encoding_dimension(encoding);
	int weights = levels_weights(encoding->levels, dimension);
	double unit = convex_weight_unit(terms) * terms->radius;
	double noise[COLUMNS_MAX];
	double variance = 0;
	ConvexColumns columns;
	int k = 0;

	if (!mechanism->convex || mechanism->terms != TERMS_NOISE)
		return false;
	if (convex_kind(request) == CONVEX_OUTPUT)
	{
		output_errors(request, error);
		return true;
	}
	column_noises(request, encoding, noise);
	convex_columns_of(encoding, &columns);
	for (int j = 0; j < encoding->features; j++)
		for (int i = 0; i < (encoding->levels[j] > 0 ? encoding->levels[j] : 1); i++, k++)
			variance += mean_square(encoding, j, &columns) * weight[k] * weight[k];
	k = 0;
	for (int j = 0; j < dimension; j++)
	{
		double curvature = OWN_SHARE * (double) rows * curvature_of(terms, variance) *
						   mean_square(encoding, j, &columns);

		for (int i = 0;
			 i < (j < encoding->features && encoding->levels[j] > 0 ? encoding->levels[j] : 1); i++)
			error[k++] = unit * noise[j] / (curvature + convex_regularization(terms));
	}
	for (; k < mechanism_weights(request); k++)
		error[k] = error[k - weights]; /* of the next class */
	return true;
}
