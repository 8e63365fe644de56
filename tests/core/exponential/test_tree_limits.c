/*
 * test_tree_limits.c - the tree sampler at its limits: a tree that may not grow, the largest
 * dimension, and the progress reported meanwhile.
 */
#include "core/exponential/tree_internal.h"

#include "core/fixture.h"
#include "core/reference.h"

#define MUCH_EFFORT (INT64_C(1) << 27)
#define SOME_EFFORT 30000
#define WIDE_DIMENSION GRID_MAX_DIMENSION
#define WIDE_ROWS 60

/* ---- full trees ---- */

static const Recipe recipes[] = {
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_MIXED, 4, 30, 5, 5 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_WIDE, COLUMNS_ONE_HOT, 5, 30, 5, 5 * TENTH, 0},
	{GRID_BALL, 5, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, 5 * TENTH, 0},
	{GRID_SPARSE, 2, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, 5 * TENTH, 0},
	{GRID_MODULUS, 5, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, 5 * TENTH, 0},
};

#define RECIPES ((int) (sizeof(recipes) / sizeof(recipes[0])))

/* The children's bounds add up to no more than their parent's, everywhere (T2). */
static int
count_burst(const TreeNode *node)
{
	TreeLength sum = {0, 0};
	int burst = 0;

	for (int k = 0; k < node->children; k++)
	{
		sum = tree_length_add(sum, node->child[k].bound);
		burst += count_burst(&node->child[k]);
	}
	return burst + (tree_length_compare(sum, node->bound) > 0);
}

/* Draws from one tree; once it is full, what is in it stays the same. */
static void
draw_from_full(const Case *c, int64_t max_bytes, int draws)
{
	Tree *tree = tree_create(&c->problem, memory);
	int64_t full_at = -1;
	int64_t expanded = 0;
	int grown = 0;

	tree->max_bytes = max_bytes;
	for (int k = 0; k < draws; k++)
	{
		SelectAnswer answer;

		if (!tree_draw(tree, MUCH_EFFORT, &bits, &answer))
		{
			CHECK(!"a full tree still draws");
			break;
		}
		count_answer(&c->grid, &answer);
		grown += full_at >= 0 && tree->bytes != full_at;
		if (full_at < 0 && tree->bytes >= max_bytes)
		{
			full_at = tree->bytes;
			expanded = tree->expanded;
		}
	}
	CHECK(full_at >= 0 && grown == 0);
	CHECK(tree->expanded > expanded); /* it did expand, and kept nothing */
	CHECK(count_burst(&tree->root) == 0);
	tree_destroy(tree);
}

/* A tree of the root only, and one that stops growing at about six nodes. */
static void
test_full_trees(void)
{
	for (int k = 0; k < RECIPES; k++)
	{
		Case c;

		reseed(100 + (uint64_t) k);
		make_case(&c, &recipes[k]);
		enumerate(&c.problem);
		draw_from_full(&c, 0, check_repetitions(5000));
		CHECK_LAW(reference.count, reference.law, reference.other, reference.vectors);
		forget_counts();
		draw_from_full(&c, 6 * (int64_t) sizeof(Box), check_repetitions(2000));
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
	}
}

/*
 * Draws anew with a limit of effort that stops many of them, and lets the enumeration answer these:
 * the limit is looked at between attempts, so both have the law (theorem E10).
 */
static void
test_effort(void)
{
	int draws = check_repetitions(5000);
	int stopped = 0;

	for (int k = 0; k < RECIPES; k++)
	{
		Case c;

		reseed(150 + (uint64_t) k);
		make_case(&c, &recipes[k]);
		enumerate(&c.problem);
		for (int draw = 0; draw < draws; draw++)
		{
			Tree *tree = tree_create(&c.problem, memory);
			SelectAnswer answer;

			if (!tree_draw(tree, SOME_EFFORT, &bits, &answer))
			{
				stopped++;
				select_exponential(&c.problem, &bits, memory, &answer);
			}
			count_answer(&c.grid, &answer);
			tree_destroy(tree);
		}
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
	}
	CHECK(stopped > draws / 10 && stopped < RECIPES * draws - draws / 10);
}

/* An attempt's effort is below its bound, and without room for so much none is made. */
static void
test_most_effort(void)
{
	for (int k = 0; k < RECIPES; k++)
	{
		SelectAnswer answer;
		int64_t most;
		Tree *tree;
		Case c;

		reseed(180 + (uint64_t) k);
		make_case(&c, &recipes[k]);
		tree = tree_create(&c.problem, memory);
		most = tree_attempt_effort(tree);
		CHECK(tree->effort <= most);
		for (int draw = 0; draw < 100; draw++)
			CHECK(!tree_exponential(&c.problem, most, &bits, memory, &answer));
		for (int draw = 0; draw < 300; draw++)
		{
			int64_t before = tree->effort;

			(void) tree_draw(tree, 1, &bits, &answer);
			CHECK(tree->effort > before && tree->effort - before <= most);
		}
		tree_destroy(tree);
	}
}

static bool
same_length(TreeLength a, TreeLength b)
{
	return tree_length_compare(a, b) == 0;
}

/*
 * A node that is expanded, folded up and expanded again has the same bound and
 * children: so that its place in a full tree stays as it is.
 */
static void
test_folding(void)
{
	int compared = 0;

	for (int k = 0; k < RECIPES; k++)
	{
		TreeLength before[GRID_MAX_LEVELS];
		TreeNode *node;
		SelectAnswer answer;
		Tree *tree;
		Case c;

		reseed(200 + (uint64_t) k);
		make_case(&c, &recipes[k]);
		tree = tree_create(&c.problem, memory);
		tree->max_bytes = 0;
		CHECK(tree->root.state == TREE_BRANCHED);
		for (int draw = 0; draw < 200; draw++)
			(void) tree_draw(tree, 10, &bits, &answer);
		for (int child = 0; child < tree->root.children; child++)
		{
			TreeLength bound;

			node = &tree->root.child[child];
			CHECK(node->state == TREE_UNEXPANDED && node->multipliers == NULL);
			bound = node->bound;
			if (bound.mantissa == 0)
				continue;
			tree_expand(tree, node);
			before[child] = node->bound;
			compared += same_length(bound, before[child]);
		}
		/* and once more, now from all children expanded */
		tree_forget(tree);
		for (int child = 0; child < tree->root.children; child++)
			if (tree->root.child[child].bound.mantissa != 0)
			{
				tree_expand(tree, &tree->root.child[child]);
				CHECK(same_length(tree->root.child[child].bound, before[child]));
			}
		tree_destroy(tree);
	}
	CHECK(compared > 0);
}

/* ---- the largest dimension ---- */

typedef struct WideCase
{
	Instance instance;
	Grid grid;
	SelectProblem problem;
	int32_t x[WIDE_ROWS * WIDE_DIMENSION];
	int64_t net[WIDE_ROWS];
} WideCase;

static WideCase wide;

/* Indicators, but every eighth column of sixteenths. */
static void
make_wide(GridConstraint constraint, int bound)
{
	wide.grid = (Grid){.dimension = WIDE_DIMENSION, .constraint = constraint, .bound = bound};
	for (int j = 0; j < WIDE_DIMENSION; j++)
		grid_set_range(&wide.grid, j, constraint == GRID_PRODUCT ? j >= WIDE_DIMENSION - 5 : 1);
	for (int r = 0; r < WIDE_ROWS; r++)
	{
		for (int j = 0; j < WIDE_DIMENSION; j++)
			wide.x[r * WIDE_DIMENSION + j] =
				j % 8 == 7 ? (below(33) - 16) * (FIXED_POINT_ONE / 16) : FIXED_POINT_ONE * below(2);
		wide.net[r] = random_net(3, 0);
	}
	wide.instance =
		(Instance){.dimension = WIDE_DIMENSION, .rows = WIDE_ROWS, .x = wide.x, .net = wide.net};
	wide.problem = (SelectProblem){.instance = &wide.instance,
								   .grid = &wide.grid,
								   .epsilon = TENTH,
								   .adjacency = ADJACENCY_ADD_REMOVE,
								   .threads = 1};
	CHECK(grid_is_valid(&wide.grid));
}

/* Vectors with one coordinate that is not 0, two for each coordinate, and then the zero vector. */
static void
single_vector(int k, int *index)
{
	for (int j = 0; j < WIDE_DIMENSION; j++)
		index[j] = k / 2 == j ? k % 2 * 2 : 1;
}

static int
single_number(const int *index)
{
	int number = 2 * WIDE_DIMENSION;

	for (int j = 0; j < WIDE_DIMENSION; j++)
		if (index[j] != 1)
			number = number == 2 * WIDE_DIMENSION ? 2 * j + index[j] / 2 : -1;
	return number;
}

/* Five coordinates that are free, behind all the others: 243 vectors. */
static void
last_vector(int k, int *index)
{
	for (int j = WIDE_DIMENSION - 1; j >= 0; j--, k /= 3)
		index[j] = j >= WIDE_DIMENSION - 5 ? k % 3 : 0;
}

static int
last_number(const int *index)
{
	int number = 0;

	for (int j = WIDE_DIMENSION - 5; j < WIDE_DIMENSION; j++)
		number = 3 * number + index[j];
	return number;
}

/* The law of the wide problem, whose vectors have numbers. */
static void
check_wide(int vectors, void (*vector_of)(int k, int *index), int (*number_of)(const int *index))
{
	Histogram histogram = histogram_create(vectors);
	Tree *tree = tree_create(&wide.problem, memory);

	for (int k = 0; k < vectors; k++)
	{
		int index[GRID_MAX_DIMENSION];
		double loss;

		vector_of(k, index);
		loss = (double) instance_loss(&wide.instance, &wide.grid, index);
		histogram.truth[k] = exp(-rate_of(&wide.problem) * loss);
		histogram.other[k] = exp(-rate_of(&wide.problem) * loss * LAW_OFF);
	}
	for (int k = 0; k < check_repetitions(10000); k++)
	{
		SelectAnswer answer;
		int number;

		CHECK(tree_draw(tree, INT64_MAX, &bits, &answer));
		number = number_of(answer.index);
		CHECK(grid_contains(&wide.grid, answer.index) && number >= 0 && number < vectors);
		histogram_add(&histogram, (uint64_t) number);
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, vectors);
	tree_destroy(tree);
	histogram_destroy(&histogram);
}

static void
test_largest_dimension(void)
{
	reseed(300);
	make_wide(GRID_SPARSE, 1);
	check_wide(2 * WIDE_DIMENSION, single_vector, single_number);
	make_wide(GRID_BALL, 1);
	check_wide(2 * WIDE_DIMENSION + 1, single_vector, single_number);
	make_wide(GRID_PRODUCT, 0);
	check_wide(243, last_vector, last_number);
}

/* ---- progress ---- */

typedef struct Watch
{
	TreeProgress last;
	int64_t calls;
	bool fell;
} Watch;

static void
watch_progress(void *context, const TreeProgress *progress)
{
	Watch *watch = context;

	watch->fell |=
		progress->attempts < watch->last.attempts || progress->expanded < watch->last.expanded;
	watch->last = *progress;
	watch->calls++;
}

static void
test_progress(void)
{
	Watch watch = {.calls = 0};
	int64_t attempts = 0;
	Tree *tree;
	Case c;

	reseed(400);
	make_case(&c, &recipes[2]);
	c.problem.progress = watch_progress;
	c.problem.progress_context = &watch;
	tree = tree_create(&c.problem, memory);
	for (int k = 0; k < 100; k++)
	{
		SelectAnswer answer;

		CHECK(tree_draw(tree, INT64_MAX, &bits, &answer));
		CHECK(watch.last.attempts == tree->attempts && watch.last.expanded == tree->expanded);
		attempts = watch.last.attempts;
	}
	CHECK(attempts >= 100 && watch.calls >= attempts && !watch.fell);
	tree_destroy(tree);

	/* during an attempt too, if it is a long one */
	make_wide(GRID_BALL, 8);
	wide.problem.progress = watch_progress;
	wide.problem.progress_context = &watch;
	watch = (Watch){.calls = 0};
	tree = tree_create(&wide.problem, memory);
	for (int k = 0; k < 5; k++)
	{
		SelectAnswer answer;

		(void) tree_draw(tree, 1, &bits, &answer);
	}
	CHECK(watch.calls > 5 && !watch.fell && watch.last.expanded == tree->expanded);
	tree_destroy(tree);
}

int
main(void)
{
	test_begin(1);
	test_full_trees();
	test_effort();
	test_most_effort();
	test_folding();
	test_largest_dimension();
	test_progress();
	return test_end("tree_limits");
}
