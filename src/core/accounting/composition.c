/*
 * composition.c - dominating pairs on a common grid.
 */
#include "core/accounting/composition.h"

#include <math.h>

#include "core/accounting/accounting.h"
#include "core/accounting/pld.h"
#include "core/base/mutant.h"

/*
 * The grid's step is a thousandth of the sum's deviation, divided among all releases (a step adds
 * an error of about its square), but large enough for at most these numbers of points in the window
 * and in a law.
 */
#define SHARE 1000
#define WINDOW_POINTS 0x1p16
#define LAW_POINTS 0x1p17
#define LEAST_STEP 0x1p-40

/* e^l of a larger loss overflows a double; the result is then the basic sums. */
#define MOST_REACH 600.0

/* Larger sums of epsilon say nothing. */
#define MOST_EPSILON (INT64_C(1000000) * EPSILON_ONE)

/* A double that is not below the quotient. */
static double
quotient_above(int64_t numerator, int64_t one)
{
	if (numerator <= 0)
		return 0;
	return nextafter(nextafter((double) numerator / (double) one, INFINITY), INFINITY);
}

/* ln(1 + curvature), rounded up by a few units; curvature >= 0. */
static double
determinant_of(const CompositionPair *pair)
{
	return log1p(pair->curvature) * (1 + 0x1p-50);
}

/* ---- the grid's step ---- */

/* Deviation and range of the loss of one release. */
typedef struct Extent
{
	double deviation;
	double reach;
} Extent;

static Extent
extent_of(const CompositionPair *pair, Adjacency adjacency)
{
	double epsilon = (double) pair->epsilon / EPSILON_ONE;
	double z = adjacency == ADJACENCY_REPLACE ? pair->noise / 2 : pair->noise;

	switch (pair->kind)
	{
		case COMPOSITION_GAUSSIAN:
			return (Extent){pair->mu, 13 * pair->mu + pair->mu * pair->mu};
		case COMPOSITION_SAMPLED:
			return (Extent){fmin(pair->rate * sqrt(expm1(fmin(1 / (z * z), 100))), 1 / z),
							13 / z + 1 / (z * z)};
		case COMPOSITION_OBJECTIVE:
			return (Extent){pair->mu, 14 * pair->mu + pair->mu * pair->mu + determinant_of(pair)};
		case COMPOSITION_RANGE:
		case COMPOSITION_APPROXIMATE:
			break;
	}
	return (Extent){epsilon, epsilon};
}

static double
choose_step(const CompositionPair *pair, int pairs, Adjacency adjacency)
{
	double variance = 0;
	double reach = 0;
	double times = 0;
	double fine;

	for (int k = 0; k < pairs; k++)
	{
		Extent extent = extent_of(&pair[k], adjacency);

		variance += (double) pair[k].times * extent.deviation * extent.deviation;
		reach = fmax(reach, extent.reach);
		times += (double) pair[k].times;
	}
	fine = sqrt(variance / times) / SHARE;
	fine = fmax(fine, 20 * sqrt(variance) / WINDOW_POINTS);
	return fmax(fmax(fine, reach / LAW_POINTS), LEAST_STEP);
}

/* ---- laws ---- */

static void
make_law(const CompositionPair *pair, Adjacency adjacency, PldDirection direction, double step,
		 Memory *memory, Pld *pld)
{
	switch (pair->kind)
	{
		case COMPOSITION_APPROXIMATE:
			pld_approximate(quotient_above(pair->epsilon, EPSILON_ONE),
							fmin(quotient_above(pair->delta, DELTA_ONE), 1), step, memory, pld);
			break;
		case COMPOSITION_GAUSSIAN:
			pld_gaussian(pair->mu, step, memory, pld);
			break;
		case COMPOSITION_SAMPLED:
			pld_sampled_gaussian(pair->rate, pair->noise, direction, step, memory, pld);
			break;
		case COMPOSITION_RANGE:
			pld_bounded_range(quotient_above(pair->epsilon, EPSILON_ONE), step, memory, pld);
			break;
		case COMPOSITION_OBJECTIVE:
			pld_objective(determinant_of(pair), pair->mu, adjacency, step, memory, pld);
			break;
	}
}

static double
answer(const CompositionPair *pair, int pairs, Adjacency adjacency, PldDirection direction,
	   double delta, Memory *memory)
{
	double step = choose_step(pair, pairs, adjacency);
	Pld *pld = memory_allocate(memory, (size_t) pairs, sizeof(Pld));
	PldPart *part = memory_allocate(memory, (size_t) pairs, sizeof(PldPart));
	double found;

	for (int k = 0; k < pairs; k++)
	{
		make_law(&pair[k], adjacency, direction, step, memory, &pld[k]);
		part[k] = (PldPart){&pld[k], pair[k].times};
	}
	found = pld_epsilon(part, pairs, delta, memory);
	for (int k = 0; k < pairs; k++)
		memory_release(memory, pld[k].mass);
	memory_release(memory, part);
	memory_release(memory, pld);
	return found;
}

static bool
is_too_far(const CompositionPair *pair, int pairs, Adjacency adjacency)
{
	for (int k = 0; k < pairs; k++)
		if (!(extent_of(&pair[k], adjacency).reach < MOST_REACH))
			return true;
	return false;
}

static bool
has_samples(const CompositionPair *pair, int pairs)
{
	for (int k = 0; k < pairs; k++)
		if (pair[k].kind == COMPOSITION_SAMPLED)
			return true;
	return false;
}

/* The worse direction; only sampled pairs differ between the two. */
static double
worst(const CompositionPair *pair, int pairs, Adjacency adjacency, double delta, Memory *memory)
{
	double added;
	double removed;

	if (is_too_far(pair, pairs, adjacency))
		return INFINITY;
	if (adjacency == ADJACENCY_REPLACE)
		return answer(pair, pairs, adjacency, PLD_REPLACE, delta, memory);
	added = answer(pair, pairs, adjacency, PLD_ADD, delta, memory);
	if (MUTANT(123) || !has_samples(pair, pairs))
		return added;
	removed = answer(pair, pairs, adjacency, PLD_REMOVE, delta, memory);
	return fmax(added, removed);
}

/* ---- the list ---- */

/*
 * Replaces all Gaussian mechanisms by one whose mu is the root of the sum of their squares.  The
 * others keep their order.  Returns the new number of pairs.
 */
static int
merge_gaussians(const CompositionPair *pair, int pairs, CompositionPair *merged)
{
	double square = 0;
	int count = 0;

	for (int k = 0; k < pairs; k++)
		if (pair[k].times <= 0)
			continue;
		else if (pair[k].kind == COMPOSITION_GAUSSIAN)
			square += (double) pair[k].times * pair[k].mu * pair[k].mu;
		else
			merged[count++] = pair[k];
	if (square > 0)
		merged[count++] = (CompositionPair){.kind = COMPOSITION_GAUSSIAN,
											.times = 1,
											.mu = sqrt(square) * (1 + 0x1p-50 * (pairs + 4))};
	return count;
}

/* The sums of all epsilons and all deltas; false if a pair has no epsilon and delta. */
static bool
basic(const CompositionPair *pair, int pairs, int64_t *epsilon, int64_t *delta)
{
	*epsilon = 0;
	*delta = 0;
	for (int k = 0; k < pairs; k++)
	{
		if (pair[k].kind != COMPOSITION_APPROXIMATE && pair[k].kind != COMPOSITION_RANGE)
			return false;
		*epsilon = accounting_add(*epsilon, pair[k].times, pair[k].epsilon, MOST_EPSILON);
		if (pair[k].kind == COMPOSITION_APPROXIMATE)
			*delta = accounting_add(*delta, pair[k].times, pair[k].delta, DELTA_ONE);
	}
	return *epsilon < MOST_EPSILON;
}

bool
composition_epsilon(const CompositionPair *pair, int pairs, Adjacency adjacency, int64_t delta,
					Memory *memory, int64_t *epsilon)
{
	CompositionPair *merged = memory_allocate(memory, (size_t) pairs + 1, sizeof(CompositionPair));
	int count = merge_gaussians(pair, pairs, merged);
	double found = count == 0 ? 0 : worst(merged, count, adjacency, privacy_delta(delta), memory);
	int64_t sum;
	int64_t deltas;

	*epsilon = found < (double) (MOST_EPSILON / EPSILON_ONE)
				   ? (int64_t) ceil(nextafter(found * EPSILON_ONE, INFINITY))
				   : MOST_EPSILON;
	if (found == 0)
		*epsilon = 0;
	if (basic(merged, count, &sum, &deltas) && deltas <= delta && sum < *epsilon)
		*epsilon = sum;
	memory_release(memory, merged);
	return *epsilon < MOST_EPSILON;
}
