/*
 * privacy_law.h - exact output laws of the mechanisms on small neighbouring data
 * sets, and the privacy loss between them.
 *
 * A pair is two data sets of raw rows that differ in one row.  They go through
 * the product's encoding and merging, and instance_loss() gives the loss of every
 * vector of W.  From there:
 *
 *   exponential mechanism  P(w) proportional to exp(-rate (L(w) + cost of the prior)),
 *   permute-and-flip       a sum over how many vectors came before w, below,
 *   lattice gauges         P(w) = sum of exp(-rate |r|) over the lattice points r
 *                          that make w the answer: every r with |r| <= radius is visited, and
 *                          the mass beyond is bounded above.
 *
 * The rates come from the code under test (select_rate, gauge_rate), so that a wrong one is found;
 * the sizes |r| are implemented here independently (theorem G4).
 */
#ifndef DPOBJ_TESTS_PRIVACY_LAW_H
#define DPOBJ_TESTS_PRIVACY_LAW_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/integers.h"
#include "core/noise/gauge.h"
#include "core/optimum/oracle.h"
#include "core/rows/rows.h"
#include "core/exponential/select_internal.h"

#include "vectors.h"

#define LAW_DIMENSION 3
#define LAW_LEVELS 5
#define LAW_VECTORS 64
#define LAW_ROWS 8

/* ---- data sets ---- */

typedef struct RawRow
{
	double x[LAW_DIMENSION]; /* NaN makes the row a neutral one */
	bool positive;
	int copies;
} RawRow;

typedef struct DataSet
{
	int rows;
	RawRow row[LAW_ROWS];
} DataSet;

/* Two neighbours. */
typedef struct RowsPair
{
	DataSet data[2];
} RowsPair;

/* Through the product's own encoding, clipped to [-4, 4], and merging. */
static inline void
dataset_instance(const DataSet *data, int dimension, Memory *memory, Instance *instance)
{
	Encoding encoding;
	Rows rows;

	encoding_init(&encoding);
	encoding.features = dimension;
	for (int j = 0; j < dimension; j++)
	{
		encoding.low[j] = -4.0;
		encoding.high[j] = 4.0;
	}
	if (!encoding_finish(&encoding))
		abort();
	rows_init(&rows, &encoding, memory);
	for (int i = 0; i < data->rows; i++)
		for (int k = 0; k < data->row[i].copies; k++)
			rows_add(&rows, data->row[i].x, data->row[i].positive);
	rows_instance(&rows, false, memory, instance);
}

/* ---- the vectors of W, in the public order, and their losses ---- */

typedef struct VectorList
{
	int count;
	int index[LAW_VECTORS][LAW_DIMENSION];
} VectorList;

static inline void
list_vectors(VectorList *list, const Grid *grid)
{
	int index[GRID_MAX_DIMENSION] = {0};

	list->count = 0;
	do
	{
		if (!grid_contains(grid, index))
			continue;
		if (list->count == LAW_VECTORS)
			abort();
		memcpy(list->index[list->count++], index, sizeof(list->index[0]));
	} while (next_index(grid, index));
}

static inline int
vector_number(const VectorList *list, const Grid *grid, const int *index)
{
	for (int w = 0; w < list->count; w++)
		if (memcmp(list->index[w], index, sizeof(int) * (size_t) grid->dimension) == 0)
			return w;
	abort();
}

typedef struct LossTable
{
	Instance instance[2];
	int64_t loss[2][LAW_VECTORS];
	int64_t cost[2][LAW_VECTORS]; /* of a prior, in units of 1 / PRIOR_SCALE of a row */
	int64_t range;                /* the largest L(w) - L(v), over both data sets */
} LossTable;

static inline void
list_losses(LossTable *table, const RowsPair *pair, const Grid *grid, const VectorList *list,
			Memory *memory)
{
	table->range = 0;
	memset(table->cost, 0, sizeof(table->cost));
	for (int side = 0; side < 2; side++)
	{
		int64_t least = INT64_MAX;
		int64_t most = 0;

		dataset_instance(&pair->data[side], grid->dimension, memory, &table->instance[side]);
		for (int w = 0; w < list->count; w++)
		{
			int index[GRID_MAX_DIMENSION] = {0};
			int64_t loss;

			memcpy(index, list->index[w], sizeof(list->index[w]));
			loss = instance_loss(&table->instance[side], grid, index);
			table->loss[side][w] = loss;
			least = loss < least ? loss : least;
			most = loss > most ? loss : most;
		}
		table->range = most - least > table->range ? most - least : table->range;
	}
}

/* ---- laws of both sides, and the loss between them ---- */

/* P(w) on a side lies between mass and mass + tail, divided by the same number on both sides. */
typedef struct PairLaw
{
	int vectors;
	long double mass[2][LAW_VECTORS];
	long double tail;
} PairLaw;

/* The largest |ln P(w) / P'(w)| lies in here. */
typedef struct LossBounds
{
	double low;
	double high;
} LossBounds;

static inline LossBounds
privacy_loss(const PairLaw *law)
{
	LossBounds bounds = {0.0, 0.0};

	for (int w = 0; w < law->vectors; w++)
		for (int side = 0; side < 2; side++)
		{
			long double here = law->mass[side][w];
			long double there = law->mass[1 - side][w];

			/* every vector has a chance; this catches a law that is no number as well */
			if (!(here > 0.0L && there > 0.0L))
				return (LossBounds){INFINITY, INFINITY};
			bounds.low = fmax(bounds.low, (double) logl(here / (there + law->tail)));
			bounds.high = fmax(bounds.high, (double) logl((here + law->tail) / there));
		}
	return bounds;
}

static inline void
normalise_law(PairLaw *law)
{
	for (int side = 0; side < 2; side++)
	{
		long double sum = 0.0L;

		for (int w = 0; w < law->vectors; w++)
			sum += law->mass[side][w];
		for (int w = 0; w < law->vectors; w++)
			law->mass[side][w] /= sum;
	}
	law->tail = 0.0L;
}

/* ---- selection ---- */

/* exp(-rate (L(w) - least)): the weight of the one mechanism, the coin of the other. */
static inline void
selection_weights(const LossTable *table, int vectors, SelectRate rate, int side,
				  long double *weight)
{
	long double beta = (long double) rate.numerator / (long double) rate.denominator;
	long double least = INFINITY;

	for (int w = 0; w < vectors; w++)
	{
		weight[w] = (long double) table->loss[side][w] +
					(long double) table->cost[side][w] / (long double) PRIOR_SCALE;
		least = fminl(least, weight[w]);
	}
	for (int w = 0; w < vectors; w++)
		weight[w] = expl(-beta * (weight[w] - least));
}

/* Sets the costs of the problem's prior, on each side from what that side's sampler knows. */
static inline void
list_costs(LossTable *table, const SelectProblem *problem, const VectorList *list)
{
	for (int side = 0; side < 2; side++)
	{
		SelectProblem own = *problem;
		PriorCosts costs;

		own.instance = &table->instance[side];
		select_prior_costs(&own, &costs);
		for (int w = 0; w < list->count; w++)
			table->cost[side][w] = prior_cost(problem->grid, &costs, list->index[w]);
	}
}

static inline void
exponential_law(PairLaw *law, const LossTable *table, int vectors, SelectRate rate)
{
	law->vectors = vectors;
	for (int side = 0; side < 2; side++)
		selection_weights(table, vectors, rate, side, law->mass[side]);
	normalise_law(law);
}

/*
 * Permute-and-flip: w is the answer if its coin shows heads and those of all
 * vectors before it did not.  A given set of k of the m others comes before w in
 * a uniform order with probability 1 / ((m + 1) C(m, k)), so with e_k the sum
 * over sets of k others of the product of their chances of tails,
 *
 *   P(w) = coin_w sum over k of e_k / ((m + 1) C(m, k)).
 *
 * No term is negative, so nothing cancels.
 */
static inline long double
permute_flip_probability(const long double *coin, int vectors, int w)
{
	long double symmetric[LAW_VECTORS] = {1.0L}; /* e_k */
	long double orders = vectors;                /* (m + 1) C(m, k) */
	long double sum = 0.0L;
	int others = 0;

	for (int v = 0; v < vectors; v++)
		if (v != w)
			for (int k = ++others; k >= 1; k--)
				symmetric[k] += symmetric[k - 1] * (1.0L - coin[v]);
	for (int k = 0; k <= others; k++)
	{
		sum += symmetric[k] / orders;
		orders *= (long double) (others - k) / (long double) (k + 1);
	}
	return coin[w] * sum;
}

static inline void
permute_flip_law(PairLaw *law, const LossTable *table, int vectors, SelectRate rate)
{
	law->vectors = vectors;
	law->tail = 0.0L;
	for (int side = 0; side < 2; side++)
	{
		long double coin[LAW_VECTORS];

		selection_weights(table, vectors, rate, side, coin);
		for (int w = 0; w < vectors; w++)
			law->mass[side][w] = permute_flip_probability(coin, vectors, w);
	}
}

/* ---- lattice gauges ---- */

/* How the answer at a lattice point is found. */
typedef enum Decider
{
	DECIDE_DIRECTLY,    /* the definition: objectives in int64, ties by the public order */
	DECIDE_BY_ORACLE,   /* oracle_search() */
	DECIDE_BY_BOTH,     /* oracle_search(), which must agree with the definition */
	DECIDE_TIES_BY_LOSS /* not private: ties go to the vector of smaller loss */
} Decider;

typedef struct LatticeWalk
{
	const Gauge *gauge;
	const Grid *grid;
	const VectorList *list;
	const LossTable *table;
	Decider decider;
	Memory *memory;
	int64_t radius;
	uint64_t *count[2]; /* [w * (radius + 1) + size] */
	int64_t disagreements;

	/* of the current point: */
	int64_t reward[LAW_DIMENSION][LAW_LEVELS];
	int64_t gain[LAW_DIMENSION + 1][LAW_VECTORS]; /* rewards of the coordinates before */
	mpz_t *big;                                   /* the same rewards for the oracle */
} LatticeWalk;

static inline int
decide_directly(const LatticeWalk *walk, int side)
{
	const int64_t *loss = walk->table->loss[side];
	const int64_t *gain = walk->gain[walk->grid->dimension];
	int64_t scale = (int64_t) walk->gauge->scale;
	int best = 0;

	for (int w = 1; w < walk->list->count; w++)
	{
		int64_t ahead = scale * loss[w] - gain[w] - (scale * loss[best] - gain[best]);

		if (ahead < 0 ||
			(ahead == 0 && walk->decider == DECIDE_TIES_BY_LOSS && loss[w] < loss[best]))
			best = w;
	}
	return best;
}

static inline int
decide_by_oracle(LatticeWalk *walk, int side)
{
	OracleProblem problem = {
		.instance = &walk->table->instance[side],
		.grid = walk->grid,
		.scale = walk->gauge->scale,
		.reward = (const mpz_t *) walk->big,
	};
	OracleAnswer answer;

	for (int j = 0; j < walk->grid->dimension; j++)
		for (int i = 0; i < walk->grid->levels[j]; i++)
			mpz_set_si(walk->big[j * GRID_MAX_LEVELS + i], walk->reward[j][i]);
	oracle_search(&problem, walk->memory, &answer);
	return vector_number(walk->list, walk->grid, answer.index);
}

static inline void
count_point(LatticeWalk *walk, int64_t size)
{
	for (int side = 0; side < 2; side++)
	{
		bool directly = walk->decider == DECIDE_DIRECTLY || walk->decider == DECIDE_TIES_BY_LOSS;
		int w = directly ? decide_directly(walk, side) : decide_by_oracle(walk, side);

		if (walk->decider == DECIDE_BY_BOTH && w != decide_directly(walk, side))
			walk->disagreements++;
		walk->count[side][w * (walk->radius + 1) + size]++;
	}
}

static inline void walk_coordinate(LatticeWalk *walk, int j, int64_t max, int64_t sum);

/* Goes on from coordinate j, which has its rewards. */
static inline void
walk_on(LatticeWalk *walk, int j, int64_t max, int64_t sum)
{
	for (int w = 0; w < walk->list->count; w++)
		walk->gain[j + 1][w] = walk->gain[j][w] + walk->reward[j][walk->list->index[w][j]];
	walk_coordinate(walk, j + 1, max, sum);
}

static inline bool
size_is_sum(GaugeKind kind)
{
	return kind == GAUGE_LAPLACE || kind == GAUGE_SEPARATORS_LAPLACE;
}

/* phi(w) = w: every integer r_j. */
static inline void
walk_linear(LatticeWalk *walk, int j, int64_t max, int64_t sum)
{
	int64_t nonzeros = walk->gauge->kind == GAUGE_SPARSE ? walk->grid->bound : 1;
	int64_t most = size_is_sum(walk->gauge->kind) ? walk->radius - sum : walk->radius / nonzeros;

	for (int64_t r = -most; r <= most; r++)
	{
		int64_t size = r < 0 ? -r : r;

		for (int i = 0; i < walk->grid->levels[j]; i++)
			walk->reward[j][i] = r * walk->grid->level[j][i];
		walk_on(walk, j, size > max ? size : max, sum + size);
	}
}

/* Every row of integers >= 0, from entry i on; zero: an entry before is 0. */
static inline void
walk_row(LatticeWalk *walk, int j, int i, int64_t row, bool zero, int64_t max)
{
	if (i == walk->grid->levels[j])
	{
		if (zero)
			walk_on(walk, j, row > max ? row : max, 0);
		return;
	}
	for (int64_t r = 0; row + r <= walk->radius; r++)
	{
		walk->reward[j][i] = r;
		walk_row(walk, j, i + 1, row + r, zero || r == 0, max);
	}
}

/* phi(w) = [w_j is above a level]: every integer for each threshold, from that above level i on. */
static inline void
walk_separators(LatticeWalk *walk, int j, int i, int64_t max, int64_t sum)
{
	int64_t most = size_is_sum(walk->gauge->kind) ? walk->radius - sum : walk->radius;

	walk->reward[j][0] = 0;
	if (i + 1 == walk->grid->levels[j])
	{
		walk_on(walk, j, max, sum);
		return;
	}
	for (int64_t r = -most; r <= most; r++)
	{
		int64_t size = r < 0 ? -r : r;

		walk->reward[j][i + 1] = walk->reward[j][i] + r;
		walk_separators(walk, j, i + 1, size > max ? size : max, sum + size);
	}
}

static inline void
walk_coordinate(LatticeWalk *walk, int j, int64_t max, int64_t sum)
{
	GaugeKind kind = walk->gauge->kind;

	if (j < walk->grid->dimension)
	{
		if (kind == GAUGE_ONEHOT)
			walk_row(walk, j, 0, 0, false, max);
		else if (kind == GAUGE_SEPARATORS || kind == GAUGE_SEPARATORS_LAPLACE)
			walk_separators(walk, j, 0, max, sum);
		else
			walk_linear(walk, j, max, sum);
	}
	else if (size_is_sum(kind))
		count_point(walk, sum);
	else if (kind != GAUGE_SPARSE)
		count_point(walk, max);
	else
	{
		int64_t size = walk->grid->bound * max;

		size = sum > size ? sum : size;
		if (size <= walk->radius)
			count_point(walk, size);
	}
}

/*
 * An upper bound of the number of points with |r| <= J: (2 J / k + 1)^d for the
 * linear kinds (k = 1 but for the sparse one), as many for each threshold; for a row of n levels n
 * C(J + n - 1, n - 1), because one of its entries is zero and the other n - 1 have a sum of at most
 * J.
 */
static inline long double
body_bound(const Gauge *gauge, const Grid *grid, int64_t radius)
{
	long double bound = 1.0L;

	for (int j = 0; j < grid->dimension; j++)
	{
		int levels = grid->levels[j];

		if (gauge->kind == GAUGE_CUBE || gauge->kind == GAUGE_LAPLACE)
			bound *= 2.0L * radius + 1.0L;
		else if (gauge->kind == GAUGE_SEPARATORS || gauge->kind == GAUGE_SEPARATORS_LAPLACE)
			bound *= powl(2.0L * radius + 1.0L, levels - 1);
		else if (gauge->kind == GAUGE_SPARSE)
			bound *= 2.0L * radius / grid->bound + 1.0L;
		else
			for (int i = 1; i <= levels; i++)
				bound *= i < levels ? (long double) (radius + i) / i : levels;
	}
	return bound;
}

/*
 * An upper bound of the sum of rho^|r| over all |r| > radius.  There are at most
 * body_bound(J) points of size J, and body_bound(J + 1) / body_bound(J) falls
 * with J, so that from radius + 1 on the terms fall at least as fast as a
 * geometric series with the first two terms' ratio.
 */
static inline long double
tail_bound(const Gauge *gauge, const Grid *grid, long double rho, int64_t radius)
{
	long double first = body_bound(gauge, grid, radius + 1);
	long double ratio = body_bound(gauge, grid, radius + 2) / first * rho;

	return ratio < 1.0L ? first * powl(rho, radius + 1) / (1.0L - ratio) : INFINITY;
}

/*
 * A radius beyond which there is less than accuracy times the smallest P(w): the
 * point m N s_w makes w the answer if m M exceeds every loss difference, and has
 * the mass exp(-m epsilon), all masses being in units of that of r = 0.
 */
static inline int64_t
choose_radius(const Gauge *gauge, const Grid *grid, int64_t range, long double rho,
			  long double accuracy)
{
	int margin = gauge->adjacency == ADJACENCY_REPLACE ? 2 : 1;
	long double least =
		expl(-(long double) gauge->epsilon / EPSILON_ONE * (long double) (range / margin + 1));
	int64_t radius = 1;

	while (tail_bound(gauge, grid, rho, radius) > accuracy * least)
		radius += 1 + radius / 32;
	return radius;
}

/* rho = exp(-rate), with the rate that the product draws with. */
static inline long double
lattice_base(const Gauge *gauge, const Grid *grid)
{
	long double rho;
	mpz_t p;
	mpz_t q;

	mpz_inits(p, q, NULL);
	gauge_rate(gauge, grid, p, q);
	rho = expl(-(long double) mpz_get_d(p) / (long double) mpz_get_d(q));
	mpz_clears(p, q, NULL);
	return rho;
}

/* The law of OPDisc under a gauge; returns how often the deciders disagreed. */
static inline int64_t
lattice_law(PairLaw *law, const Gauge *gauge, const Grid *grid, const VectorList *list,
			const LossTable *table, Decider decider, long double accuracy, Memory *memory)
{
	long double rho = lattice_base(gauge, grid);
	int64_t radius = choose_radius(gauge, grid, table->range, rho, accuracy);
	size_t sizes = (size_t) radius + 1;
	int rewards = grid->dimension * GRID_MAX_LEVELS;
	LatticeWalk walk = {
		.gauge = gauge,
		.grid = grid,
		.list = list,
		.table = table,
		.decider = decider,
		.memory = memory,
		.radius = radius,
	};

	walk.big = integers_create((size_t) rewards, memory);
	for (int side = 0; side < 2; side++)
		walk.count[side] =
			memory_allocate_zero(memory, (size_t) list->count * sizes, sizeof(uint64_t));
	walk_coordinate(&walk, 0, 0, 0);

	law->vectors = list->count;
	law->tail = tail_bound(gauge, grid, rho, radius);
	for (int side = 0; side < 2; side++)
	{
		for (int w = 0; w < list->count; w++)
		{
			long double mass = 0.0L;

			for (int64_t size = radius; size >= 0; size--)
				mass = mass * rho + (long double) walk.count[side][(size_t) w * sizes + size];
			law->mass[side][w] = mass;
		}
		memory_release(memory, walk.count[side]);
	}
	integers_destroy(walk.big, (size_t) rewards, memory);
	return walk.disagreements;
}

#endif
