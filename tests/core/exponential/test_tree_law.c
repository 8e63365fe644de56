/*
 * test_tree_law.c - the law of the tree sampler, with many draws.
 *
 * Twenty small problems against enumeration by the definition, up to 100,000 draws each;
 * and on adult23 the distribution of the loss against select's, which counts the
 * vectors of each loss by going through all of them.
 */
#include "core/exponential/tree_internal.h"

#include "../../../bench/adult.h"
#include "core/fixture.h"
#include "core/reference.h"

#define ADULT_DRAWS 8000

static const Recipe recipes[] = {
	/* boxes */
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_BINARY, 5, 30, 5, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_ONE_HOT, 5, 30, 5, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_SIGN, COLUMNS_MIXED, 8, 30, 5, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_UNEVEN, COLUMNS_ANY, 6, 30, 5, 3 * TENTH, 0},
	/* balls */
	{GRID_BALL, 3, LEVELS_TERNARY, COLUMNS_BINARY, 6, 30, 5, 3 * TENTH, 0},
	{GRID_BALL, 5, LEVELS_WIDE, COLUMNS_ONE_HOT, 4, 30, 5, 3 * TENTH, 0},
	{GRID_BALL, 6, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, 3 * TENTH, 0},
	{GRID_BALL, 12, LEVELS_MIXED, COLUMNS_ANY, 5, 30, 5, 3 * TENTH, 0},
	/* sparse */
	{GRID_SPARSE, 2, LEVELS_TERNARY, COLUMNS_ONE_HOT, 9, 30, 5, 3 * TENTH, 0},
	{GRID_SPARSE, 3, LEVELS_TERNARY, COLUMNS_MIXED, 7, 30, 5, 3 * TENTH, 0},
	{GRID_SPARSE, 2, LEVELS_WIDE, COLUMNS_MIXED, 5, 30, 5, 3 * TENTH, 0},
	/* modulus */
	{GRID_MODULUS, 2, LEVELS_SIGN, COLUMNS_BINARY, 8, 30, 5, 3 * TENTH, 0},
	{GRID_MODULUS, 3, LEVELS_TERNARY, COLUMNS_ONE_HOT, 5, 30, 5, 3 * TENTH, 0},
	{GRID_MODULUS, 7, LEVELS_WIDE, COLUMNS_MIXED, 5, 30, 5, 3 * TENTH, 0},
	/* numeric columns */
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_NUMERIC, 4, 30, 5, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_WIDE, COLUMNS_HALVES, 4, 30, 5, 3 * TENTH, 0},
	{GRID_BALL, 4, LEVELS_WIDE, COLUMNS_NUMERIC, 4, 30, 5, 3 * TENTH, 0},
	{GRID_SPARSE, 2, LEVELS_TERNARY, COLUMNS_SIXTEENTHS, 5, 30, 5, 3 * TENTH, 0},
	{GRID_MODULUS, 5, LEVELS_TERNARY, COLUMNS_NUMERIC, 5, 30, 5, 3 * TENTH, 0},
};

#define RECIPES ((int) (sizeof(recipes) / sizeof(recipes[0])))

/* As many draws as it takes to tell the law from the other one, which is off by 30 %. */
static void
draw_until_told(const SelectProblem *problem)
{
	int draws = 0;

	do
	{
		draw_from_tree(problem, LAW_DRAWS / 10);
		draws += LAW_DRAWS / 10;
	} while (draws < LAW_DRAWS && p_value(reference.other) >= LAW_THRESHOLD);
}

static void
test_small(void)
{
	for (int k = 0; k < RECIPES; k++)
	{
		Case c;

		telling_recipe(&c, &recipes[k], k % 2 == 1, 1000 + (uint64_t) k);
		draw_until_told(&c.problem);
		CHECK_LAW(reference.count, reference.law, reference.other, reference.vectors);
	}
}

/* ---- adult23 ---- */

/* Losses less the instance's constant: the exact number of vectors of each, and its weight. */
static Histogram
loss_histogram(SelectTeam *team, const SelectProblem *problem)
{
	SelectClasses losses = select_classes(team, select_rate(problem));
	uint64_t *vectors = select_count_classes(team, &losses, memory);
	Histogram histogram = histogram_create((int) team->walker[0].plan->span + 1);
	int least = 0;

	while (vectors[least] == 0)
		least++;
	for (int l = least; l < histogram.cells; l++)
	{
		double excess = rate_of(problem) * (l - least);

		histogram.truth[l] = (double) vectors[l] * exp(-excess);
		histogram.other[l] = (double) vectors[l] * exp(-excess * LAW_OFF);
	}
	memory_release(memory, vectors);
	return histogram;
}

/* The two samplers' losses follow the same exact law. */
static void
compare_losses(const SelectProblem *problem)
{
	int draws = check_repetitions(ADULT_DRAWS);
	Tree *tree = tree_create(problem, memory);
	SelectLaw law;
	Histogram histogram;

	select_law_create(&law, problem, 0, memory);
	histogram = loss_histogram(&law.team, problem);
	for (int sampler = 0; sampler < 2; sampler++)
	{
		int answers = 0;

		memset(histogram.count, 0, sizeof(int64_t) * (size_t) histogram.cells);
		for (int k = 0; k < draws; k++)
		{
			SelectAnswer answer;

			if (sampler == 0)
				answers += tree_draw(tree, INT64_MAX, &bits, &answer);
			else
				answers += select_law_draw(&law, &bits, &answer) > 0;
			histogram_add(&histogram, (uint64_t) (answer.loss - problem->instance->constant));
		}
		CHECK(answers == draws);
		CHECK_LAW(histogram.count, histogram.truth, histogram.other, histogram.cells);
	}
	histogram_destroy(&histogram);
	select_law_destroy(&law, memory);
	tree_destroy(tree);
}

static void
test_adult(void)
{
	Grid grid = {.dimension = ADULT_FEATURES, .constraint = GRID_SPARSE, .bound = 4};
	Adult adult;
	SelectProblem problem = {.instance = &adult.distinct,
							 .grid = &grid,
							 .epsilon = EPSILON_ONE / 20,
							 .adjacency = ADJACENCY_REPLACE,
							 .threads = 2};

	if (!adult_read(&adult, getenv("DPOBJ_DATA"), memory))
		return;
	reseed(2000);
	for (int j = 0; j < ADULT_FEATURES; j++)
		grid_set_range(&grid, j, 1);
	compare_losses(&problem);
	grid = (Grid){.dimension = ADULT_FEATURES, .constraint = GRID_PRODUCT};
	for (int j = 0; j < ADULT_FEATURES; j++)
		grid_set_sign(&grid, j);
	compare_losses(&problem);
}

int
main(void)
{
	test_begin(1);
	test_small();
	test_adult();
	return test_end("tree_law");
}
