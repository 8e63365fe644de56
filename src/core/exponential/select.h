/*
 * select.h - exact exponential mechanism and permute-and-flip over a public grid.
 *
 * The exponential mechanism draws w with P(w) proportional to exp(-rate (L(w) + s(w))), rate =
 * epsilon / margin (theorem E1: epsilon / 2 under replace, epsilon under add_remove), s(w) the cost
 * of a public prior (theorem E13).  A one-hot group of columns is summed out analytically, the
 * other coordinates are enumerated (theorems E4, E15).  No term is skipped and the draw is exact:
 * integer upper bounds of the masses, then an acceptance decided with intervals that are refined
 * until they decide.
 */
#ifndef DPOBJ_CORE_SELECT_H
#define DPOBJ_CORE_SELECT_H

#include <stdbool.h>
#include <stdint.h>
#include <gmp.h>

#include "core/random/bits.h"
#include "core/grid/grid.h"
#include "core/grid/prior.h"
#include "core/rows/instance.h"
#include "core/base/crew.h"
#include "core/base/memory.h"
#include "core/base/privacy.h"

#define SELECT_MAX_EPSILON (INT64_C(1) << 50) /* nano-units: about a million */
#define SELECT_MAX_SPAN (INT64_C(1) << 40)    /* of instance_span() */

/*
 * A run of columns of which every row has exactly one at FIXED_POINT_ONE, the rest 0.  Their level
 * lists are equal, but that some columns may have a single level, which the others' list has too:
 * so a weight may be fixed at 0.
 */
typedef struct SelectGroup
{
	int first;
	int size; /* 0: no group is summed out, every coordinate is enumerated */
} SelectGroup;

/* Progress of the tree sampler (tree.h); both numbers only grow. */
typedef struct TreeProgress
{
	int64_t expanded; /* nodes */
	int64_t attempts;
} TreeProgress;

typedef struct SelectProblem
{
	const Instance *instance;
	const Grid *grid;
	SelectGroup group; /* select_group_is_valid() */
	int64_t epsilon;   /* nano-units, 0 .. SELECT_MAX_EPSILON */
	Adjacency adjacency;
	int64_t prior_power; /* in thousandths; prior_refusal() is NULL (prior.h); 0 if epsilon is */
	int threads; /* 1 .. CREW_MAX_THREADS; the same bits give the same answer for any number */

	/*
	 * NULL, or called by the tree sampler, in the thread that called it, between attempts and now
	 * and then during one.  The progress depends on the data, so only the owner may see it, never
	 * an analyst (rule B10).
	 */
	void (*progress)(void *context, const TreeProgress *progress);
	void *progress_context;
} SelectProblem;

typedef struct SelectAnswer
{
	int index[GRID_MAX_DIMENSION];
	int64_t loss;
} SelectAnswer;

/* Is there no group, or may it be summed out: in a product, with levels as SelectGroup has them? */
extern bool select_group_is_valid(const Grid *grid, SelectGroup group);

/* The number of configurations that are enumerated (saturating): a public cost. */
extern uint64_t select_cost(const Grid *grid, SelectGroup group);

/*
 * Chooses the group to sum out, among one-hot groups of these sizes that begin at column 0: the
 * first of those that leave the fewest configurations to enumerate.  Size 0 if no group can be
 * summed out (see SelectProblem.group).  Depends on public parameters only.
 */
extern SelectGroup select_cheapest_group(const Grid *grid, const int16_t *group_sizes, int groups);

extern void select_exponential(const SelectProblem *problem, Bits *bits, Memory *memory,
							   SelectAnswer *answer);
extern void select_permute_and_flip(const SelectProblem *problem, Bits *bits, Memory *memory,
									SelectAnswer *answer);

/*
 * The rate beta = numerator / denominator of exp(-beta L): epsilon in units of 1 / M, M the margin
 * of the 0/1 loss (theorem E1).
 */
typedef struct SelectRate
{
	int64_t numerator;   /* epsilon in nano-units */
	int64_t denominator; /* EPSILON_ONE * M */
} SelectRate;

/*
 * The exponential mechanism on votes: draws one of |W| vectors with P(w) proportional to
 * exp(rate votes(w)).  votes lists the numbers of votes of the vectors that have any, each at least
 * 1, and count how many vectors an entry stands for; NULL: one each.  Returns a position of the
 * list, for any of the entry's vectors, or -1 for a vector to be drawn uniformly from all of W
 * (select_vote.c).
 */
extern int64_t select_vote(SelectRate rate, const int64_t *votes, const int64_t *count,
						   int64_t candidates, const mpz_t size, Bits *bits);

/* The rate with which parts of the rows vote: epsilon / 2, under either adjacency. */
extern SelectRate select_vote_rate(int64_t epsilon);

/* The most candidates of select_from_list(). */
#define SELECT_LIST_MAX 256

/*
 * Permute-and-flip over a list of losses: numbers of misclassified rows, at least 0, of 1 ..
 * SELECT_LIST_MAX candidates.  Returns a position of the list.  Candidates of equal loss have equal
 * probability, and a candidate that is listed twice counts twice (select_list.c).
 */
extern int select_from_list(int64_t epsilon, Adjacency adjacency, const int64_t *loss,
							int candidates, Bits *bits);

/*
 * The exact law's mean loss, to double precision, for benchmarks and tests only: it is not private.
 */
extern double select_mean_loss(const SelectProblem *problem, Memory *memory);

#endif
