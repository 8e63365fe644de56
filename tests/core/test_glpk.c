/*
 * test_glpk.c - GLPK's two engines against the native oracle and the definition:
 * the same vector, ties included, on small instances of every kind of grid, with
 * and without rewards of the end; and errors inside GLPK.
 */
#include <limits.h>
#include <math.h>

#include "core/check.h"
#include "core/testbits.h"
#include "solver/glpk_hybrid.h"
#include "solver/glpk_literal.h"
#include "solver/glpk_programme.h"

#define MAX_DIMENSION 9
#define MAX_ROWS 40
#define HYBRID_INSTANCES 1200
#define WIDE_INSTANCES 60
#define LITERAL_INSTANCES 400

/* A problem and the room that it needs. */
typedef struct Trial
{
	Instance instance;
	Grid grid;
	OracleProblem problem;
	int32_t x[MAX_ROWS * MAX_DIMENSION];
	int64_t net[MAX_ROWS];
	mpz_t reward[MAX_DIMENSION * GRID_MAX_LEVELS];
	mpz_t end_reward[GRID_MAX_STATES];
} Trial;

static void
trial_init(Trial *trial)
{
	for (int k = 0; k < MAX_DIMENSION * GRID_MAX_LEVELS; k++)
		mpz_init(trial->reward[k]);
	for (int s = 0; s < GRID_MAX_STATES; s++)
		mpz_init(trial->end_reward[s]);
	trial->problem = (OracleProblem){
		.instance = &trial->instance,
		.grid = &trial->grid,
		.scale = 1,
		.reward = (const mpz_t *) trial->reward,
	};
}

static void
trial_clear(Trial *trial)
{
	for (int k = 0; k < MAX_DIMENSION * GRID_MAX_LEVELS; k++)
		mpz_clear(trial->reward[k]);
	for (int s = 0; s < GRID_MAX_STATES; s++)
		mpz_clear(trial->end_reward[s]);
}

static int
below(TestStream *stream, int n)
{
	return (int) teststream_below(stream, (uint64_t) n);
}

static void
random_grid(TestStream *stream, Grid *grid, int dimension, uint64_t most)
{
	do
	{
		int max = 1 + below(stream, 3);

		memset(grid, 0, sizeof(*grid));
		grid->dimension = dimension;
		for (int j = 0; j < dimension; j++)
			if (below(stream, 4) == 0)
				grid_set_sign(grid, j);
			else
				grid_set_range(grid, j, max);
		grid->constraint = (GridConstraint) below(stream, 3);
		if (grid->constraint == GRID_BALL)
			grid->bound = below(stream, 3 * dimension + 2);
		if (grid->constraint == GRID_SPARSE)
			grid->bound = below(stream, dimension + 1);
	} while (!grid_is_valid(grid) || grid_size(grid) > most);
}

/* Columns from here on are numeric, of sixteenths: whole scores are frequent, and so are ties. */
static void
random_rows(TestStream *stream, Trial *trial, int dimension, int rows, int binary)
{
	trial->instance =
		(Instance){dimension, rows, trial->x, trial->net, teststream_below(stream, 3)};
	for (int k = 0; k < rows * dimension; k++)
		trial->x[k] = k % dimension < binary ? below(stream, 2) * FIXED_POINT_ONE
											 : (below(stream, 33) - 16) * (FIXED_POINT_ONE / 16);
	for (int r = 0; r < rows; r++)
		trial->net[r] = (1 + below(stream, 4)) * (below(stream, 2) ? 1 : -1);
}

static void
random_reward(TestStream *stream, mpz_t reward, int size)
{
	mpz_set_si(reward, size > 0 ? below(stream, 2 * size + 1) - size : 0);
}

/* Small rewards tie often; large ones are far above the loss. */
static void
random_rewards(TestStream *stream, Trial *trial)
{
	static const int sizes[] = {0, 1, 3, 20, 1000};
	static const uint64_t scales[] = {1, 1, 2, 16};
	int size = sizes[below(stream, 5)];
	bool ends = below(stream, 2) == 0;

	for (int k = 0; k < trial->grid.dimension * GRID_MAX_LEVELS; k++)
		random_reward(stream, trial->reward[k], size);
	for (int s = 0; s < grid_states(&trial->grid); s++)
		random_reward(stream, trial->end_reward[s], size);
	trial->problem.level_reward = ends ? (const mpz_t *) trial->end_reward : NULL;
	trial->problem.scale = scales[below(stream, 4)];
}

static void
random_trial(TestStream *stream, Trial *trial, int dimension, int rows, uint64_t most)
{
	int binary = dimension - (below(stream, 2) ? below(stream, 3) : 0);

	random_grid(stream, &trial->grid, dimension, most);
	random_rows(stream, trial, dimension, rows, binary);
	random_rewards(stream, trial);
}

static bool
same_answer(const Grid *grid, const OracleAnswer *a, const OracleAnswer *b)
{
	return grid_compare(grid, a->index, b->index) == 0 && a->loss == b->loss;
}

static void
add_counts(GlpkHybridCounts *total, const GlpkHybridCounts *counts)
{
	total->slabs += counts->slabs;
	total->expanded += counts->expanded;
	total->left += counts->left;
	total->finished += counts->finished;
}

/*
 * Small ones against the definition, wider ones against the native search.  If
 * told so, GLPK is cut short or given an incumbent that is far too good, so that it
 * drops what holds the optimum: the answer must not change.
 */
static void
check_hybrid(TestStream *stream, Trial *trial, int small, int wide, bool misled, Memory *memory)
{
	GlpkHybridCounts total = {0};

	for (int k = 0; k < small + wide; k++)
	{
		OracleAnswer truth;
		OracleAnswer answer;
		GlpkHybridCounts counts;
		GlpkHybridEffort effort = glpk_hybrid_effort;

		if (k < small)
		{
			random_trial(stream, trial, 1 + below(stream, 6), below(stream, 16), 1500);
			oracle_enumerate(&trial->problem, memory, &truth);
		}
		else
		{
			random_trial(stream, trial, MAX_DIMENSION, MAX_ROWS, UINT64_MAX);
			oracle_search(&trial->problem, memory, &truth);
		}
		if (misled)
			effort = (GlpkHybridEffort){1 + below(stream, 30), -below(stream, 40)};
		CHECK(glpk_hybrid_count(&trial->problem, &effort, memory, &answer, &counts));
		CHECK(grid_contains(&trial->grid, answer.index));
		CHECK(same_answer(&trial->grid, &answer, &truth));
		add_counts(&total, &counts);
	}
	printf("glpk: %lld slabs, %lld nodes in GLPK, %lld boxes left behind, %lld nodes there\n",
		   (long long) total.slabs, (long long) total.expanded, (long long) total.left,
		   (long long) total.finished);
	/* A search that does without GLPK would test nothing. */
	CHECK_WHOLE(total.slabs > 0 && total.expanded > 2 * total.slabs);
	/* Left alone it leaves little behind; misled, more than it did. */
	CHECK(misled ? total.finished > total.expanded : 10 * total.finished <= total.expanded);
}

/*
 * Well scaled, GLPK's witness is right: the same objective as the definition's
 * optimum.  The answer is then the definition's, even where the witness is
 * another vector of the same objective.
 */
static void
check_literal(TestStream *stream, Trial *trial, Memory *memory)
{
	int repetitions = check_repetitions(LITERAL_INSTANCES);
	int ties = 0;

	for (int k = 0; k < repetitions; k++)
	{
		OracleAnswer truth;
		OracleAnswer answer;
		GlpkWitness witness;

		random_trial(stream, trial, 1 + below(stream, 5), below(stream, 12), 1500);
		oracle_enumerate(&trial->problem, memory, &truth);
		CHECK(glpk_literal_solve(&trial->problem, memory, &answer));
		CHECK(same_answer(&trial->grid, &answer, &truth));
		CHECK(glpk_literal_witness(&trial->problem, INT_MAX, memory, &witness));
		CHECK(witness.finished && grid_contains(&trial->grid, witness.index));
		ties += grid_compare(&trial->grid, witness.index, truth.index) != 0;
	}
	CHECK(ties > 0); /* or the public order would not have been tested */
}

/* Coefficients too large for doubles are refused, not approximated. */
static void
check_refusals(TestStream *stream, Trial *trial, Memory *memory)
{
	OracleAnswer answer;

	random_grid(stream, &trial->grid, 3, 1500);
	trial->grid.constraint = GRID_BALL;
	trial->grid.bound = 64;
	random_rows(stream, trial, 3, 4, 3);
	random_rewards(stream, trial);
	mpz_ui_pow_ui(trial->reward[0], 2, 41);
	CHECK(!glpk_literal_solve(&trial->problem, memory, &answer));
	CHECK(glpk_hybrid_solve(&trial->problem, memory, &answer));
	mpz_ui_pow_ui(trial->reward[0], 2, 60);
	CHECK(!glpk_literal_solve(&trial->problem, memory, &answer));
	CHECK(!glpk_hybrid_solve(&trial->problem, memory, &answer));
}

static void
misuse(void *context)
{
	glp_prob *problem = glp_create_prob();

	*(int *) context = 1;
	glp_set_obj_coef(problem, 7, 1.0); /* there is no column 7: GLPK would abort() */
	*(int *) context = 2;
}

static void
eat_memory(void *context)
{
	*(int *) context = 1;
	for (;;)
		(void) glp_alloc(1 << 10, 1 << 20);
}

static void
check_guard(void)
{
	int reached = 0;

	CHECK(!glpk_guard(misuse, &reached));
	CHECK(reached == 1);
	reached = 0;
	CHECK(!glpk_guard(eat_memory, &reached));
	CHECK(reached == 1);
}

int
main(void)
{
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	Trial *trial = memory_allocate_zero(memory, 1, sizeof(Trial));
	TestStream stream;

	teststream_seed(&stream, 11);
	trial_init(trial);
	check_hybrid(&stream, trial, check_repetitions(HYBRID_INSTANCES),
				 check_repetitions(WIDE_INSTANCES), false, memory);
	check_hybrid(&stream, trial, check_repetitions(HYBRID_INSTANCES),
				 check_repetitions(WIDE_INSTANCES), true, memory);
	check_literal(&stream, trial, memory);
	check_refusals(&stream, trial, memory);
	check_guard();
	check_hybrid(&stream, trial, 20, 5, false, memory); /* GLPK still works after errors */
	trial_clear(trial);
	memory_release(memory, trial);
	arena_destroy(arena);
	return check_report("glpk");
}
