/*
 * glpk_problems.h - the problem classes of glpk.c: a training set, a
 * grid and a noise.
 *
 * Training sets, equal rows merged:
 *
 *   adult23    the papers' set (adult.h): 20 indicators and 3 numbers
 *   wide d     d indicators of Adult, in groups (oracle_large.h)
 *   numbers d  10,000 rows of d normal numbers, labels of a halfspace with a fifth
 *              of them wrong
 *
 * Noise is the gauge's of the product (gauge.h), or a published one (oracle_noise.h).
 */
#ifndef DPOBJ_BENCH_GLPK_PROBLEMS_H
#define DPOBJ_BENCH_GLPK_PROBLEMS_H

#include "core/noise/gauge.h"

#include "oracle_large.h"

#define NUMBERS_ROWS 10000

typedef enum SetKind
{
	SET_ADULT23,
	SET_WIDE,
	SET_NUMBERS
} SetKind;

typedef enum GridKind
{
	GRID_KIND_SIGN,
	GRID_KIND_TERNARY,
	GRID_KIND_BALL, /* -4 .. 4, |w|^2 <= d */
	GRID_KIND_MAX4,
	GRID_KIND_AUTO,     /* adult23: indicators -1 .. 1, numbers -4 .. 4 */
	GRID_KIND_PARITY,   /* of {-1, 1}: an even number of -1 */
	GRID_KIND_THREE,    /* of {-1, 0, 1}: the sum is a multiple of 3 */
	GRID_KIND_SPARSE_4, /* so many of -1, 1 */
	GRID_KIND_SPARSE_5,
	GRID_KIND_SPARSE_6,
	GRID_KINDS
} GridKind;

static const char *const grid_names[GRID_KINDS] = {"sign",     "ternary", "ball",  "max 4",
												   "auto",     "parity",  "mod 3", "sparse 4",
												   "sparse 5", "sparse 6"};

#define NOISE_GAUGE NOISE_FAMILIES

static const char *const noise_names[NOISE_FAMILIES + 1] = {"A", "B", "C", "T", "gauge"};

typedef struct ProblemClass
{
	SetKind set;
	int dimension;
	GridKind grid;
	int noise; /* a NoiseFamily or NOISE_GAUGE */
} ProblemClass;

static inline void
make_numbers(LargeSet *set, int dimension)
{
	TestStream stream;

	teststream_seed(&stream, (uint64_t) dimension);
	set->dimension = dimension;
	while (set->rows < NUMBERS_ROWS)
	{
		int32_t *x = large_add(set, false);
		double score = 0.0;

		for (int j = 0; j < dimension; j++)
		{
			double value = noise_normal(&stream);

			x[j] = fixed_point(value);
			score += value * (2 * j - dimension + 2);
		}
		if ((score > 0) != (teststream_below(&stream, 5) == 0))
			set->net[set->rows - 1] = 1;
	}
}

static inline uint64_t
row_hash(const int32_t *x, int dimension)
{
	uint64_t hash = 0;

	for (int j = 0; j < dimension; j++)
		hash = (hash ^ (uint32_t) x[j]) * UINT64_C(0x9E3779B97F4A7C15);
	return hash >> 32;
}

/* Equal rows become one, whose net is their sum; rows that cancel out go, conflicts are counted. */
static inline void
merge_rows(LargeSet *set, Instance *instance)
{
	size_t slots = 4 * (size_t) set->rows;
	int64_t *slot = large_allocate(NULL, slots * sizeof(int64_t)); /* row number + 1 */
	int64_t weight = set->rows;
	int64_t kept = 0;
	int64_t distinct = 0;
	size_t bytes = (size_t) set->dimension * sizeof(int32_t);

	memset(slot, 0, slots * sizeof(int64_t));
	for (int64_t r = 0; r < set->rows; r++)
	{
		const int32_t *x = set->x + r * set->dimension;
		size_t at = row_hash(x, set->dimension) % slots;

		while (slot[at] != 0 && memcmp(set->x + (slot[at] - 1) * set->dimension, x, bytes) != 0)
			at = (at + 1) % slots;
		if (slot[at] != 0)
			set->net[slot[at] - 1] += set->net[r];
		else
		{
			memmove(set->x + distinct * set->dimension, x, bytes);
			set->net[distinct++] = set->net[r];
			slot[at] = distinct;
		}
	}
	for (int64_t r = 0; r < distinct; r++)
	{
		if (set->net[r] == 0)
			continue;
		memmove(set->x + kept * set->dimension, set->x + r * set->dimension, bytes);
		set->net[kept++] = set->net[r];
		weight -= set->net[kept - 1] > 0 ? set->net[kept - 1] : -set->net[kept - 1];
	}
	free(slot);
	*instance = (Instance){.dimension = set->dimension,
						   .rows = kept,
						   .x = set->x,
						   .net = set->net,
						   .constant = weight / 2};
}

/* The set of a class, and how many rows it has before the merging; false, with a word about it,
 * where the folder has not got the data. */
static inline bool
class_set(const ProblemClass *class, const char *folder, Memory *memory, Instance *instance,
		  int64_t *count)
{
	LargeSet set = {.dimension = 0};
	Adult adult;

	if (class->set == SET_ADULT23)
	{
		if (!adult_read(&adult, folder, memory))
			return false;
		*instance = adult.distinct;
		*count = adult.all.rows;
		return true;
	}
	if (class->set == SET_WIDE)
		make_adult(&set, class->dimension, folder);
	else
		make_numbers(&set, class->dimension);
	*count = set.rows;
	merge_rows(&set, instance);
	return true;
}

static inline void
class_grid(Grid *grid, const ProblemClass *class)
{
	*grid = (Grid){.dimension = class->dimension, .constraint = GRID_PRODUCT};
	for (int j = 0; j < grid->dimension; j++)
	{
		bool number = class->grid == GRID_KIND_AUTO && j >= ADULT_CATEGORIES;

		if (class->grid == GRID_KIND_SIGN || class->grid == GRID_KIND_PARITY)
			grid_set_sign(grid, j);
		else if (class->grid == GRID_KIND_BALL || class->grid == GRID_KIND_MAX4 || number)
			grid_set_range(grid, j, 4);
		else
			grid_set_range(grid, j, 1);
	}
	if (class->grid == GRID_KIND_BALL)
	{
		grid->constraint = GRID_BALL;
		grid->bound = class->dimension;
	}
	if (class->grid == GRID_KIND_PARITY || class->grid == GRID_KIND_THREE)
	{
		grid->constraint = GRID_MODULUS;
		grid->bound = class->grid == GRID_KIND_PARITY ? 2 : 3;
	}
	if (class->grid >= GRID_KIND_SPARSE_4)
	{
		grid->constraint = GRID_SPARSE;
		grid->bound = 4 + (int) (class->grid - GRID_KIND_SPARSE_4);
	}
}

static inline OracleProblem
class_problem(const ProblemClass *class, int64_t epsilon, const Instance *instance, int64_t count,
			  uint64_t seed, Noise *noise, Memory *memory)
{
	OracleProblem problem;
	TestStream stream;
	Gauge gauge;
	Bits bits;

	class_grid(&noise->grid, class);
	teststream_seed(&stream, seed);
	if (class->noise != NOISE_GAUGE)
	{
		noise->family = (NoiseFamily) class->noise;
		noise_draw(noise, (double) epsilon / EPSILON_ONE, count, &stream);
		return noise_problem(noise, instance, 1);
	}
	problem = noise_problem(noise, instance, 1);
	bits_init(&bits, teststream_fill, &stream);
	gauge_choose(&gauge, &noise->grid, epsilon, ADJACENCY_REPLACE);
	gauge_draw(&gauge, &noise->grid, &bits, memory, noise->level);
	problem.scale = gauge.scale;
	problem.level_reward = NULL;
	return problem;
}

#endif
