/*
 * convex_default.c - the defaults of convex models.
 */
#include "core/mechanisms/convex_default.h"

#include <math.h>
#include <string.h>

#include "core/convex/convex_columns.h"
#include "core/convex/convex_loss.h"
#include "core/mechanisms/convex_release.h"

/* ---- radius ---- */

/* A level's column has a 1 at most. */
static double
largest_square(const Encoding *encoding, int feature)
{
	double largest = fmax(fabs(encoding->low[feature]), fabs(encoding->high[feature]));

	return encoding->levels[feature] > 0 ? 1 : largest * largest;
}

/*
 * A row has a single 1 in each one-hot group; the square of any other column counts share times its
 * largest, which clip bounds.
 */
static double
row_length(const Encoding *encoding, double share)
{
	double square = encoding->intercept ? 1 : 0;
	int j = 0;

	for (int g = 0; g < encoding->groups; j += encoding->group[g++])
		square += encoding->group[g] > 1 || encoding->levels[j] > 0
					  ? 1
					  : share * largest_square(encoding, j);
	for (; j < encoding->features; j++)
		square += (encoding->levels[j] > 0 ? 1 : share) * largest_square(encoding, j);
	return fmax(sqrt(square), CONVEX_RADIUS_MIN);
}

double
convex_default_radius(const Encoding *encoding)
{
	return row_length(encoding, 1);
}

/* The square of a column that is in no one-hot group is taken for this share of its largest. */
#define USUAL_SQUARE (1.0 / 3)

double
convex_usual_radius(const Encoding *encoding)
{
	return row_length(encoding, USUAL_SQUARE);
}

/* The share of the longest row for which all rows have the same length once they are clipped. */
#define EVEN_SHARE 0.15

double
convex_even_radius(const Encoding *encoding)
{
	return fmax(EVEN_SHARE * convex_default_radius(encoding), CONVEX_RADIUS_MIN);
}

/* ---- regularisation ---- */

/*
 * The largest lambda as a share of the noise's length; a larger one, for a small epsilon, would
 * hide the rows.
 */
#define LAMBDA_OF_LENGTH 0.1

/* The epsilon from which lambda falls with epsilon^1.5 instead of epsilon^2. */
#define LAMBDA_TURN 2

/* The least lambda that epsilon allows. */
static double
least_lambda(const MechanismRequest *request)
{
	MechanismRequest least_request = *request;
	ConvexScale scale;

	least_request.convex.lambda = 1; /* so small that convex_scale() ends before it calibrates */
	(void) convex_request_scale(&least_request, &scale);
	return (double) scale.least;
}

/*
 * Found by trial (rule U12), in units of R: for noise in the objective d / (24 epsilon^2), or
 * d / (24 sqrt(2) epsilon^1.5) from epsilon = 2 on; for noise on the minimiser 4 d / (3 epsilon).
 * At least twice what epsilon allows.
 */
int64_t
convex_default_lambda(const MechanismRequest *request)
{
	double epsilon = (double) request->epsilon / EPSILON_ONE;
	double dimension = mechanism_weights(request);
	double lambda = convex_kind(request) == CONVEX_OUTPUT
						? 4.0 / 3 * dimension / epsilon
						: dimension / (24 * pow(epsilon, 1.5) * sqrt(fmin(epsilon, LAMBDA_TURN)));

	/* beyond LAMBDA_MAX no lambda suffices, and the request will be refused */
	lambda = fmax(lambda * LAMBDA_ONE, 2 * least_lambda(request));
	return (int64_t) fmin(lambda, LAMBDA_MAX);
}

/* ---- noise ---- */

void
convex_set_noise(MechanismRequest *request, ConvexNoise noise, int64_t delta)
{
	request->convex.noise = noise;
	request->convex.delta = noise == CONVEX_GAUSSIAN ? delta : 0;
	memset(&request->convex.columns, 0, sizeof(request->convex.columns));
}

void
convex_set_knorm(MechanismRequest *request, const Encoding *encoding)
{
	convex_set_noise(request, CONVEX_KNORM, 0);
	convex_columns_of(encoding, &request->convex.columns);
}

/* The noise's scale, in gradients or weights; INFINITY if the request is refused. */
static double
noise_scale(const MechanismRequest *request)
{
	ConvexScale scales;

	if (convex_request_scale(request, &scales) != CONVEX_FITS)
		return INFINITY;
	return convex_kind(request) == CONVEX_OUTPUT ? scales.outer : scales.inner;
}

double
convex_noise_length(const MechanismRequest *request)
{
	int dimension = mechanism_weights(request);
	double unit = convex_unit_length(&request->convex, dimension);

	return noise_scale(request) * unit *
		   (request->convex.noise == CONVEX_GAUSSIAN ? sqrt(dimension) : dimension);
}

/* The coordinates of Gamma noise in the objective (theorem V14). */
static int
noise_dimension(const MechanismRequest *request)
{
	int classes = request->convex.classes;

	return classes > 0 && convex_kind(request) == CONVEX_OBJECTIVE
			   ? request->grid.dimension / classes * (classes - 1)
			   : mechanism_weights(request);
}

/*
 * The root mean square of the noise of a column over the noise's scale, for weights of features; of
 * K-norm noise over its reach.
 */
static double
column_spread(const MechanismRequest *request)
{
	const ConvexTerms *terms = &request->convex;
	ColumnsBody body;
	double spread[COLUMNS_MAX];

	if (terms->noise == CONVEX_GAUSSIAN)
		return terms->radius;
	if (terms->noise == CONVEX_GAMMA)
		return terms->radius * sqrt(noise_dimension(request) + 1);
	columns_body_make(&terms->columns, terms->radius, request->grid.dimension, &body);
	return columns_body_spread(&body, spread);
}

/* The mean over the columns of 1 / the largest |x_j|, columns that are always 0 left out. */
static double
inverse_reach(const Encoding *encoding)
{
	int dimension = encoding_dimension(encoding);
	ConvexColumns columns;
	double sum = 0;

	convex_columns_of(encoding, &columns);
	for (int j = 0; j < dimension; j++)
		if (columns.bound[j] > 0)
			sum += fmax(encoding->levels[j], 1) * FIXED_POINT_ONE / columns.bound[j];
	return sum / levels_weights(encoding->levels, dimension);
}

/* K-norm noise goes by the reaches already. */
double
convex_column_noise(const MechanismRequest *request, const Encoding *encoding)
{
	double noise = noise_scale(request) * column_spread(request);

	return request->convex.noise == CONVEX_KNORM ? noise : noise * inverse_reach(encoding);
}

/* At weights of 0 a row pulls a weight by at most this, times |x_j|. */
double
convex_pull(const ConvexTerms *terms)
{
	return loss_curvature(terms->loss) == 1 && terms->classes == 0 ? 1 : 0.5;
}

/* Source: rule U19.  Noise on the minimiser is noise of lambda times its size on the gradient. */
double
convex_useless_rows(const MechanismRequest *request, const Encoding *encoding)
{
	const ConvexTerms *terms = &request->convex;
	double noise = convex_column_noise(request, encoding);

	if (convex_kind(request) == CONVEX_OUTPUT)
		noise *= (double) terms->lambda / LAMBDA_ONE;
	return noise / convex_pull(terms);
}

/* Takes other for request if it has less noise in a column. */
static void
take_shorter(MechanismRequest *request, const MechanismRequest *other, const Encoding *encoding)
{
	if (convex_column_noise(other, encoding) < convex_column_noise(request, encoding))
		*request = *other;
}

void
convex_set_shorter_noise(MechanismRequest *request, const Encoding *encoding, int64_t delta)
{
	MechanismRequest other = *request;

	convex_set_noise(request, CONVEX_GAMMA, 0);
	if (convex_kind(request) == CONVEX_OBJECTIVE && request->convex.classes == 0 &&
		mechanism_weights(request) == request->grid.dimension)
	{
		convex_set_knorm(&other, encoding);
		take_shorter(request, &other, encoding);
	}
	if (delta == 0)
		return;
	convex_set_noise(&other, CONVEX_GAUSSIAN, delta);
	take_shorter(request, &other, encoding);
}

/* ---- regularisation by the noise ---- */

/*
 * Lambda over the noise s of a column, by s / n, and where n is not declared: for labels (rule
 * U17), classes (rule V18) and targets (rule Y3).
 */
typedef struct Kappa
{
	double rows;
	double least;
	double most;
	double middle;
	double hessian; /* the most that the Hessian takes of the objective's epsilon */
} Kappa;

static const Kappa kappa_of_labels = {500, 0.2, 20, 2, 0.5};
static const Kappa kappa_of_classes = {200, 0.2, 20, 2, 0.5};
static const Kappa kappa_of_targets = {30, 0.02, 20, 0.3, 0.25};

/*
 * The least lambda with lambda R^2 = kappa(s) s or more and e within its share of epsilon', where
 * e = ln(1 + beta / lambda) is what the Hessian takes.  s falls as lambda grows, so that halving
 * finds it.
 */
static int64_t
lambda_by_rows(const MechanismRequest *request, int64_t rows)
{
	const ConvexTerms *terms = &request->convex;
	const Kappa *by = terms->loss == LOSS_SQUARES ? &kappa_of_targets
					  : terms->classes > 0        ? &kappa_of_classes
												  : &kappa_of_labels;
	double epsilon = convex_inner_epsilon(privacy_epsilon(request->epsilon));
	double least = convex_lambda_for_hessian(terms, by->hessian * epsilon) * LAMBDA_ONE;
	double low = log(fmin(fmax(least, LAMBDA_MIN), LAMBDA_MAX));
	double high = log(LAMBDA_MAX);
	double spread = column_spread(request);

	for (int i = 0; i < 40; i++)
	{
		double middle = (low + high) / 2;
		MechanismRequest trial = *request;
		ConvexScale scale = {0};
		double noise;
		double kappa = by->middle;

		trial.convex.lambda = (int64_t) ceil(exp(middle));
		(void) convex_request_scale(&trial, &scale);
		noise = scale.inner * spread;
		if (rows > 0)
			kappa = fmin(fmax(by->rows * noise / (double) rows, by->least), by->most);
		if (kappa * noise > exp(middle) / LAMBDA_ONE * terms->radius * terms->radius)
			low = middle;
		else
			high = middle;
	}
	return (int64_t) fmin(ceil(exp(high)), LAMBDA_MAX);
}

int64_t
convex_default_lambda_for_noise(const MechanismRequest *request, int64_t rows)
{
	double most;

	if (convex_kind(request) == CONVEX_OUTPUT)
		return request->convex.lambda;
	if (request->convex.noise == CONVEX_KNORM || request->convex.loss == LOSS_CLIPPED ||
		request->convex.loss == LOSS_SQUARES)
		return lambda_by_rows(request, rows);
	most = LAMBDA_OF_LENGTH * LAMBDA_ONE * convex_noise_length(request);
	most = fmax(most, 2 * least_lambda(request));
	return (int64_t) fmin((double) request->convex.lambda, most);
}

void
convex_default(MechanismRequest *request, const Encoding *encoding, int64_t delta, int64_t rows)
{
	convex_set_noise(request, CONVEX_GAMMA, 0);
	request->convex.lambda = convex_default_lambda(request);
	convex_set_shorter_noise(request, encoding, delta);
	request->convex.lambda = convex_default_lambda_for_noise(request, rows);
}

/* ---- several classes ---- */

/* Found by trial: rows times epsilon for each weight, less under replace. */
#define DESCENT_ROWS 75.0

bool
convex_default_descent(MechanismRequest *request, const Encoding *encoding, int64_t delta,
					   int64_t rows)
{
	MechanismRequest descent = *request;
	double epsilon = privacy_epsilon(request->epsilon);

	if (delta == 0 || rows == 0 ||
		(double) rows * epsilon / privacy_margin(request->adjacency) >=
			DESCENT_ROWS * request->grid.dimension)
		return false;
	descent.kind = MECHANISM_SGD;
	descent.convex.loss = LOSS_CLIPPED;
	descent.convex.radius = convex_default_radius(encoding);
	descent.convex.lambda = LAMBDA_MIN;
	convex_set_noise(&descent, CONVEX_GAUSSIAN, delta);
	descent.descent =
		descent_default(DESCENT_FULL, rows, &descent.convex, epsilon, request->adjacency);
	if (!mechanism_verdict(&descent).admitted)
		return false;
	*request = descent;
	return true;
}

/* ---- targets ---- */

/*
 * Found by trial (rule Y3).  A small threshold has little noise, and minds rows far off less than
 * squares do.
 */
double
convex_default_threshold(int64_t epsilon)
{
	double threshold = 0.55 * pow((double) epsilon / EPSILON_ONE, 0.3);

	return fmin(fmax(threshold, 1.0 / TARGET_REACH), 1);
}

/* ---- a classifier ---- */

double
convex_default_classifier(MechanismRequest *request, const Encoding *encoding, int64_t delta,
						  int64_t rows)
{
	MechanismRequest gaussian;
	double knorm;
	double other;

	request->convex.loss = LOSS_CLIPPED;
	request->convex.radius = convex_default_radius(encoding);
	gaussian = *request;
	convex_set_knorm(request, encoding);
	request->convex.lambda = convex_default_lambda_for_noise(request, rows);
	knorm = convex_column_noise(request, encoding);
	if (delta == 0)
		return knorm;
	gaussian.convex.radius = convex_even_radius(encoding);
	convex_set_noise(&gaussian, CONVEX_GAUSSIAN, delta);
	gaussian.convex.lambda = convex_default_lambda_for_noise(&gaussian, rows);
	other = convex_column_noise(&gaussian, encoding) / gaussian.convex.radius *
			convex_usual_radius(encoding);
	if (knorm <= other)
		return knorm;
	*request = gaussian;
	return other;
}
