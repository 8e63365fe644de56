/*
 * guarantee_laws.c - from pairs of the ledger to a short list of laws.
 */
#include "core/accounting/guarantee_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/accounting/accounting.h"

/* Each law costs some 10 milliseconds, and up to a megabyte while they are composed. */
#define MOST_LAWS 128

/* ---- laws ---- */

static int64_t
nano_up(double epsilon)
{
	return (int64_t) ceil(epsilon * EPSILON_ONE * (1 + 1e-15));
}

static CompositionPair
pure_law(int64_t times, int64_t epsilon)
{
	return (CompositionPair){.kind = COMPOSITION_APPROXIMATE, .times = times, .epsilon = epsilon};
}

/* The laws of a pair without its pure part; claim is what it is for these neighbours. */
static int
own_laws(const CountedPair *counted, const Pair *claim, int factor, Adjacency neighbours,
		 CompositionPair law[GUARANTEE_LAWS])
{
	const Pair *pair = &counted->pair;

	/* the law of the claim: randomised response, with an atom of delta */
	law[0] = pure_law(counted->times, claim->epsilon);
	law[0].delta = claim->delta;
	switch (pair->kind)
	{
		case PAIR_RANGE:
			law[0].kind = COMPOSITION_RANGE;
			law[0].delta = 0;
			return 1;
		case PAIR_GAUSSIAN:
			law[0] = (CompositionPair){
				.kind = COMPOSITION_GAUSSIAN, .times = counted->times, .mu = claim->mu};
			return 1;
		case PAIR_BATCHES:
			if (neighbours != ADJACENCY_REPLACE)
				return 1;
			/* FALLTHROUGH */
		case PAIR_SAMPLED:
			law[0] = (CompositionPair){
				.kind = COMPOSITION_SAMPLED,
				.times = accounting_add(0, counted->times, pair->count, INT64_MAX),
				.rate = pair->rate,
				.noise = pair->noise};
			return 1;
		case PAIR_OBJECTIVE:
			law[0] = (CompositionPair){.kind = COMPOSITION_OBJECTIVE,
									   .times = counted->times,
									   .mu = claim->mu,
									   .curvature = pair->ratio};
			law[1] = pure_law(counted->times, nano_up(factor * pair->outer));
			return MUTANT(145) ? 1 : 2;
		default:
			return 1;
	}
}

/*
 * For a replaced row, which is one removed and one added, mu and the length of an interval double,
 * and so does the claim. Sampled steps and objective perturbation have laws for replacements
 * (composition.h), the latter with twice the mu. Batches have a law for replacements only.
 */
int
guarantee_laws_of(const CountedPair *counted, Adjacency neighbours,
				  CompositionPair law[GUARANTEE_LAWS])
{
	const Pair *pair = &counted->pair;
	int factor = counted->adjacency != neighbours && !MUTANT(144) ? 2 : 1;
	Pair own = *pair;
	int laws;

	own.epsilon -= pair->pure;
	own = pair_of_group(&own, factor);
	laws = own_laws(counted, &own, factor, neighbours, law);
	if (pair->pure > 0 && !MUTANT(292))
		law[laws++] = pure_law(counted->times, factor * pair->pure);
	return laws;
}

/* ---- merging equal laws ---- */

static int
compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int
compare_laws(const void *one, const void *other)
{
	const CompositionPair *a = one;
	const CompositionPair *b = other;
	int order = compare_numbers(a->kind, b->kind);

	if (order == 0)
		order = (a->epsilon > b->epsilon) - (a->epsilon < b->epsilon);
	if (order == 0)
		order = (a->delta > b->delta) - (a->delta < b->delta);
	if (order == 0)
		order = compare_numbers(a->mu, b->mu);
	if (order == 0)
		order = compare_numbers(a->rate, b->rate);
	if (order == 0)
		order = compare_numbers(a->noise, b->noise);
	if (order == 0)
		order = compare_numbers(a->curvature, b->curvature);
	return order;
}

static int
merge_equal(CompositionPair *law, int laws)
{
	int last = -1;

	qsort(law, (size_t) laws, sizeof(*law), compare_laws);
	for (int k = 0; k < laws; k++)
		if (last >= 0 && compare_laws(&law[last], &law[k]) == 0)
			law[last].times = accounting_add(law[last].times, law[k].times, 1, INT64_MAX);
		else
			law[++last] = law[k];
	return last + 1;
}

/* All Gaussian mechanisms together count as one, because they are composed into one. */
static int
count_costly(const CompositionPair *law, int laws)
{
	int costly = 0;

	for (int k = 0; k < laws; k++)
		costly += law[k].kind != COMPOSITION_GAUSSIAN;
	return costly;
}

/* ---- rounding to fewer laws ---- */

/* The next power of ratio that is not below value, or, for sign < 0, not above it. */
static double
next_power(double value, double ratio, int sign)
{
	double place;

	if (!(value > 0))
		return value;
	place = ceil(sign * log(value) / log(ratio) - 1e-9);
	while (sign * compare_numbers(pow(ratio, sign * place), value) < 0)
		place++;
	return pow(ratio, sign * place);
}

/*
 * Rounds a law to one that costs no less: a larger loss; a larger sampling rate, because the law of
 * the smaller rate is a mixture of it and a law without the row; less noise, because noise can be
 * added to the answer.
 */
static void
round_up(CompositionPair *law, double ratio, int64_t *left)
{
	double epsilon = next_power((double) law->epsilon, ratio, 1);

	if (law->kind == COMPOSITION_GAUSSIAN)
		return;
	*left -= accounting_add(0, law->times, law->delta, DELTA_ONE);
	law->delta = 0;
	law->epsilon = MUTANT(146) ? law->epsilon / 2 : (int64_t) ceil(epsilon);
	law->mu = next_power(law->mu, ratio, 1);
	law->curvature = next_power(law->curvature, ratio, 1);
	law->rate = fmin(next_power(law->rate, ratio, 1), 1);
	law->noise = next_power(law->noise, ratio, -1);
}

/* Rounds to powers of 1 + step, with coarser steps until there are few enough laws. */
int
guarantee_few_laws(CompositionPair *law, int laws, int64_t *left, Memory *memory)
{
	CompositionPair *rounded;
	int64_t rest = *left;
	int count = 0;

	laws = merge_equal(law, laws);
	if (count_costly(law, laws) <= MOST_LAWS)
		return laws;
	rounded = memory_allocate(memory, (size_t) laws, sizeof(*rounded));
	for (double step = 1.0 / 1024; step < 4; step *= 1.5)
	{
		memcpy(rounded, law, (size_t) laws * sizeof(*rounded));
		rest = *left;
		for (int k = 0; k < laws && rest >= 0; k++)
			round_up(&rounded[k], 1 + step, &rest);
		count = merge_equal(rounded, laws);
		if (rest < 0 || count_costly(rounded, count) <= MOST_LAWS)
			break;
	}
	memcpy(law, rounded, (size_t) count * sizeof(*rounded));
	memory_release(memory, rounded);
	*left = rest;
	return count_costly(law, count) > MOST_LAWS ? -1 : count;
}
