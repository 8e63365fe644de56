/*
 * convex_default.c - the defaults of convex models.
 */
#include "core/mechanisms/convex_default.h"

#include <math.h>

#include "core/mechanisms/convex_release.h"

/* ---- radius ---- */

static double
largest_square(const Encoding *encoding, int feature)
{
	double largest = fmax(fabs(encoding->low[feature]), fabs(encoding->high[feature]));

	return largest * largest;
}

/* A one-hot group has one 1, a number is at most its clip bound. */
double
convex_default_radius(const Encoding *encoding)
{
	double square = encoding->intercept ? 1 : 0;
	int j = 0;

	for (int g = 0; g < encoding->groups; j += encoding->group[g++])
		square += encoding->group[g] > 1 ? 1 : largest_square(encoding, j);
	for (; j < encoding->features; j++)
		square += largest_square(encoding, j);
	return fmax(sqrt(square), CONVEX_RADIUS_MIN);
}

/* ---- regularisation ---- */

/* As a share of the noise's length: where a small epsilon asks for more, it would hide the rows. */
#define LAMBDA_OF_LENGTH 0.1

/* From here on lambda falls with epsilon^1.5 instead of its square. */
#define LAMBDA_TURN 2

/* Least lambda that epsilon allows. */
static double
least_lambda(ConvexKind kind, const MechanismRequest *request)
{
	MechanismRequest least_request = *request;
	ConvexScale scale;
	int64_t least;

	least_request.convex.lambda = 1; /* too small, which tells the least */
	(void) convex_request_scale(kind, &least_request, &scale, &least);
	return (double) least;
}

/*
 * Found by trial on Adult and on generated data (rule U12): in units of R, for noise in
 * the objective d / (24 epsilon^2), or d / (24 sqrt(2) epsilon^1.5) from epsilon = 2 on, but
 * at least twice what epsilon allows; and 4 d / (3 epsilon) for noise on the minimiser.
 */
int64_t
convex_default_lambda(ConvexKind kind, const MechanismRequest *request)
{
	double epsilon = (double) request->epsilon / EPSILON_ONE;
	double dimension = request->grid.dimension;
	double lambda = kind == CONVEX_OUTPUT
						? 4.0 / 3 * dimension / epsilon
						: dimension / (24 * pow(epsilon, 1.5) * sqrt(fmin(epsilon, LAMBDA_TURN)));

	/* none will do if the least is beyond the largest */
	lambda = fmax(lambda * LAMBDA_ONE, 2 * least_lambda(kind, request));
	return (int64_t) fmin(lambda, LAMBDA_MAX);
}

/* ---- noise ---- */

void
convex_set_noise(MechanismRequest *request, ConvexNoise noise, int64_t delta)
{
	request->convex.noise = noise;
	request->convex.delta = noise == CONVEX_GAUSSIAN ? delta : 0;
}

void
convex_set_shorter_noise(ConvexKind kind, MechanismRequest *request, int64_t delta)
{
	double gamma;

	convex_set_noise(request, CONVEX_GAMMA, delta);
	if (delta == 0)
		return;
	gamma = convex_noise_length(kind, request);
	convex_set_noise(request, CONVEX_GAUSSIAN, delta);
	if (gamma <= convex_noise_length(kind, request))
		convex_set_noise(request, CONVEX_GAMMA, delta);
}

double
convex_noise_length(ConvexKind kind, const MechanismRequest *request)
{
	double dimension = request->grid.dimension;
	double scale;
	ConvexScale scales;
	int64_t least;

	if (convex_request_scale(kind, request, &scales, &least) != CONVEX_FITS)
		return INFINITY;
	scale = kind == CONVEX_OUTPUT ? scales.outer : scales.inner;
	return scale * (request->convex.noise == CONVEX_GAUSSIAN ? sqrt(dimension) : dimension);
}

int64_t
convex_default_lambda_for_noise(ConvexKind kind, const MechanismRequest *request)
{
	double most = LAMBDA_OF_LENGTH * LAMBDA_ONE * convex_noise_length(kind, request);

	if (kind == CONVEX_OUTPUT)
		return request->convex.lambda;
	most = fmax(most, 2 * least_lambda(kind, request));
	return (int64_t) fmin((double) request->convex.lambda, most);
}

void
convex_default(ConvexKind kind, MechanismRequest *request, int64_t delta)
{
	convex_set_noise(request, CONVEX_GAMMA, 0);
	request->convex.lambda = convex_default_lambda(kind, request);
	convex_set_shorter_noise(kind, request, delta);
	request->convex.lambda = convex_default_lambda_for_noise(kind, request);
}
