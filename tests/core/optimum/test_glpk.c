/*
 * test_glpk.c - GLPK's two engines against the native oracle and the definition:
 * the same vector, ties included, on small instances of every kind of grid, with
 * and without rewards of the end; and errors inside GLPK.
 */
#include <limits.h>
#include <math.h>

#include "solver/glpk_hybrid.h"
#include "solver/glpk_literal.h"
#include "solver/glpk_programme.h"

#include "core/instances.h"

#define MAX_DIMENSION 9
#define MAX_ROWS 40
#define HYBRID_INSTANCES 1200
#define WIDE_INSTANCES 25
#define LITERAL_INSTANCES 400
#define MOST_REWARD 10 /* bits; small rewards tie often, large ones are far above the loss */

/* Levels and features with few digits: GLPK computes in doubles, with tolerances. */
static void
random_trial(Trial *trial, int dimension, int rows, uint64_t least, uint64_t most)
{
	static const ColumnKind columns[] = {COLUMNS_BINARY, COLUMNS_BINARY, COLUMNS_MIXED,
										 COLUMNS_SIXTEENTHS};

	random_grid(&trial->c.grid, LEVELS_MIXED, dimension, least, most);
	random_rows(&trial->c, columns[below(4)], rows, 4, 0);
	random_rewards(trial, MOST_REWARD);
	trial->problem.scale = random_scale(16);
}

static void
add_counts(GlpkHybridCounts *total, const GlpkHybridCounts *counts)
{
	total->slabs += counts->slabs;
	total->expanded += counts->expanded;
	total->finished += counts->finished;
}

/*
 * Small ones against the definition, wider ones against the native search.  If
 * told so, GLPK is cut short or given an incumbent that is far too good, so that it
 * drops what holds the optimum: the answer must not change.
 */
static void
check_hybrid(Trial *trial, int small, int wide, bool misled)
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
			random_trial(trial, 1 + below(6), below(16), 1, 1500);
			oracle_enumerate(&trial->problem, memory, &truth);
		}
		else
		{
			random_trial(trial, MAX_DIMENSION, MAX_ROWS, 20000, UINT64_MAX);
			oracle_search(&trial->problem, memory, &truth);
		}
		if (misled)
		{
			effort.slab_nodes = 1 + below(30);
			effort.slack = -below(12);
		}
		CHECK(glpk_hybrid_count(&trial->problem, &effort, memory, &answer, &counts));
		CHECK(grid_contains(&trial->c.grid, answer.index));
		CHECK(same_answer(&trial->c.grid, &answer, &truth));
		add_counts(&total, &counts);
	}
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
check_literal(Trial *trial)
{
	int repetitions = check_repetitions(LITERAL_INSTANCES);
	int ties = 0;

	for (int k = 0; k < repetitions; k++)
	{
		OracleAnswer truth;
		OracleAnswer answer;
		GlpkWitness witness;

		random_trial(trial, 1 + below(5), below(12), 1, 1500);
		oracle_enumerate(&trial->problem, memory, &truth);
		CHECK(glpk_literal_solve(&trial->problem, memory, &answer));
		CHECK(same_answer(&trial->c.grid, &answer, &truth));
		CHECK(glpk_literal_witness(&trial->problem, INT_MAX, memory, &witness));
		CHECK(witness.finished && grid_contains(&trial->c.grid, witness.index));
		ties += grid_compare(&trial->c.grid, witness.index, truth.index) != 0;
	}
	CHECK_WHOLE(ties > 0); /* or the public order would not have been tested */
}

/* Coefficients too large for doubles are refused, not approximated. */
static void
check_refusals(Trial *trial)
{
	OracleAnswer answer;

	random_trial(trial, 3, 4, 1, 1500);
	for (int j = 0; j < 3; j++)
		grid_set_range(&trial->c.grid, j, 2);
	trial->c.grid.constraint = GRID_BALL;
	trial->c.grid.bound = 64;
	trial->problem.level_reward = NULL;
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
	Trial *trial;

	test_begin(11);
	trial = trial_create();
	check_hybrid(trial, check_repetitions(HYBRID_INSTANCES), check_repetitions(WIDE_INSTANCES),
				 false);
	check_hybrid(trial, check_repetitions(HYBRID_INSTANCES), check_repetitions(WIDE_INSTANCES),
				 true);
	check_literal(trial);
	check_refusals(trial);
	check_guard();
	check_hybrid(trial, 20, 5, false); /* GLPK still works after errors */
	trial_destroy(trial);
	return test_end("glpk");
}
