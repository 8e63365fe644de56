/*
 * test_tree.c - the tree sampler against enumeration by the definition.
 *
 * The reference is a list of all vectors of a small grid with their losses from
 * instance_loss().  Draws are counted in two ways, because a fault of the tree may
 * show in one of them only: many from one tree, which becomes complete after a
 * while, and the first draw of a new tree over and over again.
 */
#include "core/exponential/tree_internal.h"

#include <math.h>
#include <string.h>

#include "core/fixture.h"
#include "core/reference.h"
#include "core/script.h"

/* ---- draws ---- */

/* Each from the tree as it is at first; returns how many there were within max_attempts. */
static int
draw_anew(const SelectProblem *problem, int draws, int64_t max_attempts)
{
	Tree *tree = tree_create(problem, memory);
	SelectAnswer answer;
	int answers = 0;

	for (int k = 0; k < draws; k++)
	{
		if (tree_draw(tree, max_attempts, &bits, &answer))
		{
			count_answer(problem->grid, &answer);
			answers++;
		}
		tree_forget(tree);
	}
	tree_destroy(tree);
	return answers;
}

static const Recipe recipes[] = {
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_BINARY, 5, 20, 4, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_ONE_HOT, 6, 30, 4, 5 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_NUMERIC, 4, 20, 4, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_MIXED, 6, 40, 3, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_SIGN, COLUMNS_BINARY, 8, 30, 4, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_SIGN, COLUMNS_MIXED, 8, 40, 2, 5 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_WIDE, COLUMNS_ONE_HOT, 5, 30, 4, 5 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_WIDE, COLUMNS_MIXED, 4, 20, 4, 3 * TENTH, 0},
	{GRID_PRODUCT, 0, LEVELS_UNEVEN, COLUMNS_MIXED, 8, 30, 3, 3 * TENTH, 0},
	{GRID_BALL, 3, LEVELS_TERNARY, COLUMNS_BINARY, 6, 20, 4, 3 * TENTH, 0},
	{GRID_BALL, 6, LEVELS_WIDE, COLUMNS_MIXED, 5, 30, 4, 3 * TENTH, 0},
	{GRID_BALL, 4, LEVELS_WIDE, COLUMNS_NUMERIC, 4, 20, 4, 3 * TENTH, 0},
	{GRID_SPARSE, 2, LEVELS_TERNARY, COLUMNS_ONE_HOT, 9, 30, 4, 3 * TENTH, 0},
	{GRID_SPARSE, 3, LEVELS_WIDE, COLUMNS_MIXED, 5, 30, 4, 3 * TENTH, 0},
	{GRID_SPARSE, 0, LEVELS_TERNARY, COLUMNS_BINARY, 4, 20, 4, 3 * TENTH, 0},
	{GRID_MODULUS, 2, LEVELS_SIGN, COLUMNS_BINARY, 7, 20, 4, 3 * TENTH, 0},
	{GRID_MODULUS, 3, LEVELS_TERNARY, COLUMNS_MIXED, 6, 30, 4, 3 * TENTH, 0},
	{GRID_MODULUS, 7, LEVELS_WIDE, COLUMNS_NUMERIC, 4, 20, 4, 3 * TENTH, 0},
	/* no rows; one label; an epsilon of nothing, very small or very large; large nets */
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_BINARY, 3, 0, 1, EPSILON_ONE, 0},
	{GRID_BALL, 3, LEVELS_WIDE, COLUMNS_BINARY, 3, 0, 1, EPSILON_ONE, 0},
	{GRID_BALL, 3, LEVELS_TERNARY, COLUMNS_MIXED, 5, 30, 2, 3 * TENTH, 1},
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_MIXED, 5, 30, 2, 3 * TENTH, -1},
	{GRID_BALL, 4, LEVELS_TERNARY, COLUMNS_MIXED, 5, 30, 4, 0, 0},
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_MIXED, 5, 30, 4, 1, 0},
	{GRID_BALL, 4, LEVELS_TERNARY, COLUMNS_MIXED, 5, 30, 4, 1000 * EPSILON_ONE, 0},
	{GRID_SPARSE, 3, LEVELS_TERNARY, COLUMNS_BINARY, 6, 30, 2, SELECT_MAX_EPSILON, 0},
	{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_BINARY, 5, 20, INT64_C(1) << 31, 1, 0},
	{GRID_BALL, 4, LEVELS_WIDE, COLUMNS_MIXED, 4, 20, INT64_C(1) << 35, SELECT_MAX_EPSILON, 0},
};

#define RECIPES ((int) (sizeof(recipes) / sizeof(recipes[0])))

static void
test_cases(void)
{
	reseed(1);
	for (int k = 0; k < 2 * RECIPES; k++)
	{
		Case c;

		make_case(&c, &recipes[k % RECIPES]);
		if (k >= RECIPES)
			set_prior(&c);
		enumerate(&c.problem);
		draw_from_tree(&c.problem, check_repetitions(1500));
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
		forget_counts();
		(void) draw_anew(&c.problem, check_repetitions(500), INT64_MAX);
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
	}
}

/* Enough first draws of cases with losses that differ to reject a rate that is off by 30 %. */
static void
test_law(void)
{
	static const Recipe telling[] = {
		{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_MIXED, 4, 30, 5, 3 * TENTH, 0},
		{GRID_BALL, 5, LEVELS_WIDE, COLUMNS_BINARY, 4, 30, 5, 3 * TENTH, 0},
		{GRID_SPARSE, 2, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, 3 * TENTH, 0},
		{GRID_MODULUS, 5, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, 3 * TENTH, 0},
	};

	for (int k = 0; k < 8; k++)
	{
		Case c;

		telling_recipe(&c, &telling[k % 4], k >= 4, 20 + (uint64_t) k);
		(void) draw_anew(&c.problem, check_repetitions(6000), INT64_MAX);
		CHECK_LAW(reference.count, reference.law, reference.other, reference.vectors);
	}
}

/* A case whose first attempt answers about every other time. */
static void
make_doubtful_case(Case *c)
{
	static const Recipe recipe = {GRID_BALL, 5, LEVELS_WIDE, COLUMNS_MIXED, 4, 30, 5, TENTH, 0};

	for (int tries = 0; tries < 100; tries++)
	{
		int answers;

		make_case(c, &recipe);
		enumerate(&c->problem);
		answers = draw_anew(&c->problem, 100, 1);
		forget_counts();
		if (answers >= 30 && answers <= 70)
			return;
	}
	CHECK(!"there is such a case");
}

/* Given that one of the first attempts answers, the law is the same: none answers more likely. */
static void
test_cap(void)
{
	SelectAnswer answer;
	Tree *tree;
	Case c;

	reseed(3);
	make_doubtful_case(&c);
	for (int64_t cap = 1; cap <= 3; cap++)
	{
		int draws = check_repetitions(5000);
		int answers = draw_anew(&c.problem, draws, cap);

		CHECK(answers > draws / 5 && answers < draws);
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
		forget_counts();
	}
	tree = tree_create(&c.problem, memory);
	CHECK(!tree_draw(tree, 0, &bits, &answer) && tree->attempts == 0);
	CHECK(tree_draw(tree, INT64_MAX, &bits, &answer) && tree->attempts > 0);
	tree_destroy(tree);
}

/* The public entry, which makes everything anew for each draw. */
static void
test_entry(void)
{
	static const Recipe recipe = {GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_MIXED, 4, 30, 5,
								  3 * TENTH,    0};
	Case c;

	reseed(4);
	make_case(&c, &recipe);
	set_prior(&c);
	enumerate(&c.problem);
	for (int k = 0; k < check_repetitions(1000); k++)
	{
		SelectAnswer answer;

		CHECK(tree_exponential(&c.problem, INT64_MAX, &bits, memory, &answer));
		count_answer(&c.grid, &answer);
	}
	CHECK(p_value(reference.law) > LAW_THRESHOLD);
	{
		SelectAnswer answer;

		CHECK(!tree_exponential(&c.problem, 0, &bits, memory, &answer));
	}
}

/* Losses and costs of 2^40. */
static void
test_largest_numbers(void)
{
	reseed(11);
	for (int round = 0; round < 4; round++)
	{
		Case c;

		largest_case(&c, 40);
		draw_from_tree(&c.problem, 300);
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
	}
}

/* ---- bounds ---- */

/* The mass of the vectors of the grid in a box, in 256 bits, straight from their losses. */
static void
set_mass(mpfr_t mass, const SelectProblem *problem, const Box *box)
{
	mpfr_set_ui(mass, 0, MPFR_RNDN);
	for (int k = 0; k < reference.vectors; k++)
	{
		bool inside = true;

		for (int j = 0; j < problem->grid->dimension; j++)
			inside = inside && (box->levels[j] >> reference.index[k][j] & 1);
		if (inside)
			add_mass(mass, problem, k);
	}
}

static void
set_length(mpfr_t result, TreeLength length)
{
	mpfr_set_ui(result, length.mantissa, MPFR_RNDN);
	mpfr_mul_2si(result, result, length.exponent, MPFR_RNDN);
}

/* What a walk over a tree finds. */
typedef struct Survey
{
	Tree *tree;
	bool complete; /* expand what is not expanded */
	int64_t below; /* nodes whose bound is less than their mass */
	int64_t loose; /* closed nodes whose bound is not close to their mass */
	int64_t burst; /* nodes that are shorter than their children together */
	int64_t lost;  /* branched nodes whose children's masses are not theirs */
	mpfr_t closed; /* sum of the closed nodes' bounds */
} Survey;

static void
survey_children(Survey *survey, const TreeNode *node, const mpfr_t mass)
{
	mpfr_t sum;
	mpfr_t masses;
	mpfr_t part;

	mpfr_inits2(2048, sum, masses, part, (mpfr_ptr) NULL);
	mpfr_set_ui(sum, 0, MPFR_RNDN);
	mpfr_set_ui(masses, 0, MPFR_RNDN);
	for (int k = 0; k < node->children; k++)
	{
		Box box;

		set_length(part, node->child[k].bound);
		mpfr_add(sum, sum, part, MPFR_RNDU);
		tree_box(survey->tree, &node->child[k], &box);
		set_mass(part, survey->tree->problem, &box);
		mpfr_add(masses, masses, part, MPFR_RNDN);
	}
	set_length(part, node->bound);
	survey->burst += mpfr_greater_p(sum, part);
	mpfr_sub(masses, masses, mass, MPFR_RNDN);
	mpfr_abs(masses, masses, MPFR_RNDN);
	mpfr_mul_d(part, mass, 1e-30, MPFR_RNDN);
	survey->lost += mpfr_greater_p(masses, part);
	mpfr_clears(sum, masses, part, (mpfr_ptr) NULL);
}

static void
survey_node(Survey *survey, TreeNode *node)
{
	mpfr_t mass;
	mpfr_t bound;
	Box box;

	if (survey->complete && node->state == TREE_UNEXPANDED && node->bound.mantissa != 0)
		tree_expand(survey->tree, node);
	mpfr_inits2(256, mass, bound, (mpfr_ptr) NULL);
	tree_box(survey->tree, node, &box);
	set_mass(mass, survey->tree->problem, &box);
	set_length(bound, node->bound);
	survey->below += mpfr_less_p(bound, mass);
	if (node->state == TREE_BRANCHED)
		survey_children(survey, node, mass);
	if (node->state == TREE_CLOSED)
	{
		mpfr_add(survey->closed, survey->closed, bound, MPFR_RNDN);
		mpfr_mul_d(mass, mass, 1.0 + 1e-8, MPFR_RNDN);
		survey->loose += mpfr_greater_p(bound, mass);
	}
	mpfr_clears(mass, bound, (mpfr_ptr) NULL);
	for (int k = 0; k < node->children; k++)
		survey_node(survey, &node->child[k]);
}

static void
check_survey(Tree *tree, bool complete)
{
	Survey survey = {.tree = tree, .complete = complete};
	mpfr_t mass;
	Box box;

	mpfr_init2(survey.closed, 256);
	mpfr_set_ui(survey.closed, 0, MPFR_RNDN);
	survey_node(&survey, &tree->root);
	CHECK(survey.below == 0);
	CHECK(survey.loose == 0);
	CHECK(survey.burst == 0);
	CHECK(survey.lost == 0);
	if (complete)
	{
		/* Z from the closed nodes and from the definition; their logarithms differ by less */
		mpfr_init2(mass, 256);
		tree_box(tree, &tree->root, &box);
		set_mass(mass, tree->problem, &box);
		mpfr_div(mass, survey.closed, mass, MPFR_RNDN);
		mpfr_sub_ui(mass, mass, 1, MPFR_RNDN);
		CHECK(fabs(mpfr_get_d(mass, MPFR_RNDN)) < 1e-6);
		mpfr_clear(mass);
	}
	mpfr_clear(survey.closed);
}

/*
 * At all times every bound is at least the mass of its box and at least the sum
 * of the children's.  Completed, the tree's closed boxes add up to everything.
 */
static void
test_bounds(void)
{
	int64_t restored = 0;

	reseed(5);
	for (int round = 0; round < check_repetitions(3 * RECIPES); round++)
	{
		SelectAnswer answer;
		Tree *tree;
		Case c;

		make_case(&c, &recipes[round % RECIPES]);
		if (c.problem.epsilon > 1000 * EPSILON_ONE)
			continue; /* masses far below MPFR's least number */
		if (below(2))
			set_prior(&c);
		enumerate(&c.problem);
		tree = tree_create(&c.problem, memory);
		for (int k = 0; k < 3; k++)
		{
			check_survey(tree, false);
			CHECK(tree_draw(tree, INT64_MAX, &bits, &answer));
		}
		check_survey(tree, true);
		CHECK(tree_draw(tree, INT64_MAX, &bits, &answer));
		check_survey(tree, true);
		restored += tree->restored;
		tree_destroy(tree);
	}
	CHECK_WHOLE(restored > 0); /* or the way back to the parent's multipliers is not tested */
}

/* ---- middle-sized cases ---- */

/* The law of single vectors, and the mean that select finds by enumeration. */
static void
test_middle(void)
{
	static const Recipe middle[] = {
		{GRID_PRODUCT, 0, LEVELS_TERNARY, COLUMNS_MIXED, 8, 40, 5, 2 * TENTH, 0},
		{GRID_PRODUCT, 0, LEVELS_SIGN, COLUMNS_ONE_HOT, 12, 40, 5, 2 * TENTH, 0},
		{GRID_BALL, 6, LEVELS_WIDE, COLUMNS_ONE_HOT, 7, 40, 5, 2 * TENTH, 0},
	};

	reseed(6);
	for (int k = 0; k < 3; k++)
	{
		int draws = check_repetitions(5000);
		double mean = 0.0;
		double square = 0.0;
		double expected;
		Case c;

		make_case(&c, &middle[k]);
		enumerate(&c.problem);
		draw_from_tree(&c.problem, draws);
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
		for (int v = 0; v < reference.vectors; v++)
		{
			double share = (double) reference.count[v] / draws;

			mean += share * (double) reference.loss[v];
			square += share * (double) reference.loss[v] * (double) reference.loss[v];
		}
		expected = select_mean_loss(&c.problem, memory);
		CHECK(fabs(mean - expected) < 7 * sqrt((square - mean * mean) / draws));
	}
}

/* ---- lengths and points ---- */

static TreeLength
random_length(void)
{
	uint64_t mantissa = teststream_next(&stream) >> below(64);

	if (below(4) == 0)
		mantissa = UINT64_MAX - (uint64_t) below(3);
	return (TreeLength){below(20) == 0 ? 0 : mantissa, below(200) - 100};
}

static void
set_units(mpz_t units, TreeLength length)
{
	mpz_set_ui(units, length.mantissa);
	mpz_mul_2exp(units, units, (mp_bitcnt_t) (length.exponent + 300));
}

/* a + b is no less than it should be, and by 2^-62 too much at most. */
static void
test_lengths(void)
{
	int64_t wrong = 0;
	mpz_t a;
	mpz_t b;
	mpz_t sum;

	reseed(7);
	mpz_inits(a, b, sum, NULL);
	for (int round = 0; round < 100000; round++)
	{
		TreeLength left = random_length();
		TreeLength right = random_length();

		set_units(a, left);
		set_units(b, right);
		set_units(sum, tree_length_add(left, right));
		wrong += tree_length_compare(left, right) * mpz_cmp(a, b) < 0 ||
				 (tree_length_compare(left, right) == 0) != (mpz_cmp(a, b) == 0);
		mpz_add(a, a, b);
		wrong += mpz_cmp(sum, a) < 0;
		mpz_sub(sum, sum, a);
		mpz_mul_2exp(sum, sum, 62);
		wrong += mpz_cmp(sum, a) > 0;
	}
	CHECK(wrong == 0);
	mpz_clears(a, b, sum, NULL);
}

/* Verdicts about a point are those about the number whose bits are drawn one after the other. */
static void
test_points(void)
{
	int64_t wrong = 0;
	mpz_t number;
	mpz_t units;

	reseed(8);
	mpz_inits(number, units, NULL);
	for (int round = 0; round < 20000; round++)
	{
		TreeLength whole = {teststream_next(&stream) | UINT64_C(1) << 63, 0};
		Script script = {.next = 0};
		TreePoint point;
		Bits told;

		for (int k = 0; k < 8; k++)
			script.word[k] = below(3) == 0   ? 0
							 : below(2) == 0 ? UINT64_MAX
											 : (uint64_t) below(1000);
		script.word[0] =
			below(2) == 0 ? (uint64_t) below(2) : teststream_below(&stream, whole.mantissa);
		told = scripted(&script);
		mpz_set_ui(number, script.word[0]); /* in units of 2^-256 */
		for (int k = 1; k <= 4; k++)
		{
			mpz_mul_2exp(number, number, 64);
			mpz_add_ui(number, number, script.word[k]);
		}
		tree_point_init(&point, &told, whole);
		for (int k = 0; k < 6; k++)
		{
			/* often one that ends where the point's first unit or the next one does */
			TreeLength length = {below(3) + (below(2) == 0 ? script.word[0] : 0), 0};
			bool is_below;

			if (below(2) == 0)
				length = (TreeLength){teststream_next(&stream), -64 * (1 + below(3))};
			set_units(units, length);
			mpz_fdiv_q_2exp(units, units, 300 - 256);
			is_below = tree_point_is_below(&point, length);
			wrong += is_below != (mpz_cmp(number, units) < 0);
			if (!is_below)
			{
				tree_point_subtract(&point, length);
				mpz_sub(number, number, units);
			}
		}
		tree_point_clear(&point);
	}
	CHECK(wrong == 0);
	mpz_clears(number, units, NULL);
}

/*
 * One coordinate, two levels, one numeric row that only the second gets right, so
 * that the root is branched.
 */
static void
two_level_case(Case *c, int64_t epsilon)
{
	static const Recipe recipe = {GRID_PRODUCT, 0, LEVELS_SIGN, COLUMNS_NUMERIC, 1, 1, 1,
								  EPSILON_ONE,  1};

	make_case(c, &recipe);
	c->x[0] = FIXED_POINT_ONE / 2;
	c->net[0] = 1;
	c->problem.epsilon = epsilon;
	c->problem.adjacency = ADJACENCY_ADD_REMOVE;
}

/*
 * Once both levels are closed, a point in the unit where the long interval ends.
 * Its bits further down decide between the short interval, e^-60 of the long one,
 * and the slack behind it.
 */
static void
test_fine_bits(void)
{
	Case c;
	Tree *tree;
	TreeLength first;
	TreeLength second;

	reseed(9);
	two_level_case(&c, 60 * EPSILON_ONE);
	tree = tree_create(&c.problem, memory);
	CHECK(tree->root.state == TREE_BRANCHED && tree->root.children == 2);
	for (int k = 0; k < 100; k++)
	{
		SelectAnswer answer;

		CHECK(tree_draw(tree, INT64_MAX, &bits, &answer));
	}
	first = tree->root.child[1].bound;
	second = tree->root.child[0].bound;
	CHECK(first.exponent == tree->root.bound.exponent);
	CHECK(second.exponent < first.exponent - 80 && second.exponent > first.exponent - 100);
	for (int ones = 0; ones <= 1; ones++)
	{
		Script script = {.word = {first.mantissa, ones ? UINT64_MAX : 0, ones ? UINT64_MAX : 0}};
		Bits told;
		SelectAnswer answer;

		told = scripted(&script);
		CHECK(tree_draw(tree, 1, &told, &answer) == !ones);
		CHECK(ones || answer.index[0] == 0);
	}
	tree_destroy(tree);
}

/*
 * No numeric column, so that the root is closed: mass 1 + e^-1 with the row's
 * column at 0 or 1, to be told from a point that shares its first 64 bits; then
 * the level, to be told from a number that shares its first 64 bits with the
 * share 1 / (1 + e).
 */
static void
test_open_comparisons(void)
{
	mpfr_t value;
	Tree *tree;
	Case c;
	uint64_t mass_bits;
	uint64_t share_bits;

	reseed(10);
	two_level_case(&c, EPSILON_ONE);
	c.x[0] = FIXED_POINT_ONE;
	tree = tree_create(&c.problem, memory);
	CHECK(tree->root.state == TREE_CLOSED);
	mpfr_init2(value, 256);
	mpfr_set_si(value, -1, MPFR_RNDN);
	mpfr_exp(value, value, MPFR_RNDN);
	mpfr_add_ui(value, value, 1, MPFR_RNDN);
	mpfr_mul_2si(value, value, -tree->root.bound.exponent, MPFR_RNDN);
	mass_bits = mpfr_get_ui(value, MPFR_RNDD);
	mpfr_set_ui(value, 1, MPFR_RNDN);
	mpfr_exp(value, value, MPFR_RNDN);
	mpfr_add_ui(value, value, 1, MPFR_RNDN);
	mpfr_ui_div(value, 1, value, MPFR_RNDN);
	mpfr_mul_2si(value, value, 64, MPFR_RNDN);
	share_bits = mpfr_get_ui(value, MPFR_RNDD);
	mpfr_clear(value);
	for (int ones = 0; ones < 4; ones++)
	{
		uint64_t mass_more = ones & 1 ? UINT64_MAX : 0;
		uint64_t share_more = ones & 2 ? UINT64_MAX : 0;
		Script script = {.word = {mass_bits, mass_more, share_bits, share_more}};
		SelectAnswer answer;
		Bits told;

		told = scripted(&script);
		CHECK(tree_draw(tree, 1, &told, &answer) == !mass_more);
		CHECK(script.next == (mass_more ? 2 : 4));
		if (!mass_more)
			CHECK(answer.index[0] == (share_more ? 1 : 0));
	}
	tree_destroy(tree);
}

int
main(void)
{
	test_begin(1);
	test_lengths();
	test_points();
	test_fine_bits();
	test_open_comparisons();
	test_bounds();
	test_cases();
	test_law();
	test_cap();
	test_entry();
	test_largest_numbers();
	test_middle();
	return test_end("tree");
}
