/*
 * reference.h - all vectors of a small grid with their losses by the definition.
 *
 * The losses come from instance_loss(), so the test does not rely on the samplers' arithmetic.
 * Draws are counted by vector and compared with the exponential mechanism's law, with the problem's
 * prior if it has one.
 */
#ifndef DPOBJ_TESTS_REFERENCE_H
#define DPOBJ_TESTS_REFERENCE_H

#include <math.h>
#include <string.h>
#include <mpfr.h>

#include "core/exponential/tree.h"

#include "instances.h"
#include "law.h"
#include "vectors.h"

#define REFERENCE_VECTORS 7000

#define TENTH (EPSILON_ONE / 10)

/* In the public order. */
typedef struct Reference
{
	int vectors;
	int index[REFERENCE_VECTORS][CASE_COLUMNS];
	int64_t loss[REFERENCE_VECTORS];
	int64_t cost[REFERENCE_VECTORS]; /* of the prior, in units of 1 / PRIOR_SCALE of a row */
	double law[REFERENCE_VECTORS];   /* exp(-rate (score - least)), in rows, costs included */
	double other[REFERENCE_VECTORS]; /* with a rate that is off */
	int64_t count[REFERENCE_VECTORS];
} Reference;

static Reference reference;

static inline int
margin_of(const SelectProblem *problem)
{
	return problem->adjacency == ADJACENCY_REPLACE ? 2 : 1;
}

static inline double
rate_of(const SelectProblem *problem)
{
	return (double) problem->epsilon / 1e9 / margin_of(problem);
}

static inline void
forget_counts(void)
{
	memset(reference.count, 0, sizeof(int64_t) * (size_t) reference.vectors);
}

/* The loss and the cost of the k-th vector, in rows. */
static inline double
score_of(int k)
{
	return (double) reference.loss[k] + (double) reference.cost[k] / PRIOR_SCALE;
}

static inline void
enumerate(const SelectProblem *problem)
{
	const Grid *grid = problem->grid;
	int index[GRID_MAX_DIMENSION] = {0};
	double least = INFINITY;
	PriorCosts prior = {.span = 0};

	if (problem->prior_power > 0)
		prior_costs(grid, problem->prior_power, problem->epsilon, problem->adjacency, &prior);
	reference.vectors = 0;
	do
	{
		int k = reference.vectors;

		if (!grid_contains(grid, index))
			continue;
		if (k == REFERENCE_VECTORS)
			abort();
		memcpy(reference.index[k], index, sizeof(int) * (size_t) grid->dimension);
		reference.loss[k] = instance_loss(problem->instance, grid, index);
		reference.cost[k] = prior_cost(grid, &prior, index);
		least = fmin(least, score_of(k));
		reference.vectors++;
	} while (next_index(grid, index));
	for (int k = 0; k < reference.vectors; k++)
	{
		double excess = rate_of(problem) * (score_of(k) - least);

		reference.law[k] = exp(-excess);
		reference.other[k] = exp(-excess * LAW_OFF);
	}
	forget_counts();
}

/* The place of a vector in the reference, -1 if it is not there. */
static inline int
find_vector(const Grid *grid, const int *index)
{
	int low = 0;
	int high = reference.vectors;

	while (low < high)
	{
		int middle = (low + high) / 2;

		if (grid_compare(grid, reference.index[middle], index) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == reference.vectors || grid_compare(grid, reference.index[low], index) != 0)
		return -1;
	return low;
}

static inline void
count_answer(const Grid *grid, const SelectAnswer *answer)
{
	int k = find_vector(grid, answer->index);

	if (k < 0 || answer->loss != reference.loss[k])
		CHECK(!"the answer is in the grid and its loss is right");
	else
		reference.count[k]++;
}

/* Counts draws that are all from one tree. */
static inline void
draw_from_tree(const SelectProblem *problem, int draws)
{
	Tree *tree = tree_create(problem, memory);
	SelectAnswer answer;
	int answers = 0;

	for (int k = 0; k < draws; k++)
	{
		answers += tree_draw(tree, INT64_MAX, &bits, &answer);
		count_answer(problem->grid, &answer);
	}
	CHECK(answers == draws);
	tree_destroy(tree);
}

static inline double
p_value(const double *law)
{
	return law_p_value(reference.count, law, reference.vectors);
}

/* Adds exp(-rate (loss - constant + cost)) of the k-th vector. */
static inline void
add_mass(mpfr_t mass, const SelectProblem *problem, int k)
{
	mpfr_t term;

	mpfr_init2(term, 256);
	mpfr_set_si(term, problem->instance->constant - reference.loss[k], MPFR_RNDN);
	mpfr_mul_si(term, term, PRIOR_SCALE, MPFR_RNDN);
	mpfr_sub_si(term, term, reference.cost[k], MPFR_RNDN);
	mpfr_mul_si(term, term, problem->epsilon, MPFR_RNDN);
	mpfr_div_si(term, term, PRIOR_SCALE * 1000000000L * margin_of(problem), MPFR_RNDN);
	mpfr_exp(term, term, MPFR_RNDN);
	mpfr_add(mass, mass, term, MPFR_RNDN);
	mpfr_clear(term);
}

/*
 * A case whose losses differ enough for a rate that is off to show: at least
 * twenty vectors, the worst of which has a small probability.
 */
static inline bool
reference_is_telling(void)
{
	double least = 1.0;

	for (int k = 0; k < reference.vectors; k++)
		least = reference.law[k] < least ? reference.law[k] : least;
	return reference.vectors >= 20 && least < 0.05 && least > 1e-6;
}

/* A telling case of the recipe, with a prior if asked to, enumerated. */
static inline void
telling_recipe(Case *c, const Recipe *recipe, bool prior, uint64_t seed)
{
	reseed(seed);
	do
	{
		make_case(c, recipe);
		if (prior)
			set_prior(c);
		enumerate(&c->problem);
	} while (!reference_is_telling());
}

/* ---- the kinds of case that select distinguishes ---- */

#define CASE_KINDS 5 /* product, product with a group, ball, sparse, modulus */

/* Up to five coordinates and 250 vectors; every other with a prior. */
static inline void
random_case(Case *c, int kind, int rows, int64_t most_net, int64_t epsilon)
{
	static const GridConstraint constraint[CASE_KINDS] = {GRID_PRODUCT, GRID_PRODUCT, GRID_BALL,
														  GRID_SPARSE, GRID_MODULUS};
	int dimension = 1 + below(5);
	SelectGroup group = {0, 0};

	do
	{
		try_grid(&c->grid, constraint[kind], LEVELS_MIXED, dimension);
		if (kind == 1)
			group = random_group(&c->grid, 3);
	} while (!grid_has_size(&c->grid, 1, 250));
	random_rows(c, COLUMNS_ANY, rows, most_net, 0);
	set_problem(c, epsilon);
	set_group(c, group);
	if (below(2))
		set_prior(c);
}

/* A telling case of 16 rows, with a prior or without, enumerated. */
static inline void
telling_case(Case *c, int kind, bool prior, int64_t most_net, int64_t epsilon)
{
	do
	{
		random_case(c, kind, 16, most_net, epsilon);
		enumerate(&c->problem);
	} while (!reference_is_telling() || (c->problem.prior_power > 0) != prior);
}

/* ---- the largest numbers ---- */

/*
 * Four coordinates of -64, 0 and 64, rows of 2^size labels together, and the least epsilon for
 * which the dearest prior stays below 2^size units; enumerated.  The law is one of the vectors with
 * the least loss, of which the prior leaves few.
 */
static inline void
largest_case(Case *c, int size)
{
	static const Recipe recipe = {GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_BINARY, 4, 16, 1, 1, 0};
	PriorCosts costs;

	make_case(c, &recipe);
	for (int j = 0; j < c->grid.dimension; j++)
	{
		c->grid.level[j][0] = -GRID_MAX_WEIGHT;
		c->grid.level[j][2] = GRID_MAX_WEIGHT;
	}
	for (int64_t r = 0; r < c->instance.rows; r++)
		c->net[r] *= (INT64_C(1) << size) / c->instance.rows;
	CHECK(instance_span(&c->instance) == INT64_C(1) << size);
	prior_costs(&c->grid, PRIOR_MAX_POWER, 1, c->problem.adjacency, &costs);
	c->problem.epsilon = (costs.span >> size) + 1;
	c->problem.prior_power = PRIOR_MAX_POWER;
	prior_costs(&c->grid, PRIOR_MAX_POWER, c->problem.epsilon, c->problem.adjacency, &costs);
	CHECK(costs.span <= INT64_C(1) << size && costs.span > (INT64_C(1) << size) / 10 * 9);
	CHECK(prior_refusal(&c->grid, PRIOR_MAX_POWER, c->problem.epsilon, c->problem.adjacency) ==
		  NULL);
	enumerate(&c->problem);
}

#endif
