/*
 * test_agreement.c - all methods find the same optimum:
 *
 *   brute force        every vector in big integers, the definition
 *   native search      with one thread and with two
 *   hybrid             GLPK's search with our bounds
 *   group elimination  given the other weights, the objective separates over the
 *                      columns of a one-hot group, so that its minimum is a sum of
 *                      small minima over select's enumeration, which shares no line
 *                      with the search; without noise also select's own mean loss at
 *                      an epsilon that leaves nothing but the minimum
 *   literal            the whole programme in GLPK, where its doubles can take it
 *
 * Group elimination and brute force have no bound on the size of rewards, so they check rewards
 * beyond the search's int64 too.
 */
#include <math.h>

#include "core/noise/gauge.h"
#include "core/exponential/select_internal.h"
#include "solver/glpk_hybrid.h"
#include "solver/glpk_literal.h"

#include "core/instances.h"

#define FAMILY_INSTANCES 1000
#define LITERAL_EVERY 8
#define LARGE_INSTANCES 12
#define WIDE_INSTANCES 120
#define LEAST_AGREED 9000

typedef __int128 int128;

/* How many instances were compared, and in which ways. */
typedef struct Tally
{
	int64_t agreed; /* by the first four ways */
	int64_t grouped;
	int64_t beyond; /* int64 */
	int64_t literal;
} Tally;

/* ---- group elimination ---- */

/* The objective scale * L(w) - rewards, and its least value so far. */
typedef struct Minimum
{
	int128 scale;
	int128 reward[CASE_COLUMNS][GRID_MAX_LEVELS];
	int128 end_reward[GRID_MAX_STATES];
	int128 best;
} Minimum;

/* Rewards are below 2^100 here. */
static int128
small_number(const mpz_t number)
{
	int128 size = (int128) mpz_getlimbn(number, 1) << 64 | mpz_getlimbn(number, 0);

	return mpz_sgn(number) < 0 ? -size : size;
}

static void
minimum_init(Minimum *minimum, const OracleProblem *problem)
{
	memset(minimum, 0, sizeof(*minimum));
	minimum->scale = problem->scale;
	for (int j = 0; j < problem->grid->dimension; j++)
		for (int i = 0; i < problem->grid->levels[j]; i++)
			minimum->reward[j][i] = small_number(problem->reward[j * GRID_MAX_LEVELS + i]);
	for (int s = 0; problem->level_reward != NULL && s < grid_states(problem->grid); s++)
		minimum->end_reward[s] = small_number(problem->level_reward[s]);
	minimum->best = (int128) 1 << 126; /* a scale below 2^64, fewer than 2^20 rows */
}

/* Group columns count as level 0 in the walker's index, and only a product grid has them. */
static bool
visit_minimum(SelectWalker *walker, void *context)
{
	Minimum *minimum = context;
	const SelectPlan *plan = walker->plan;
	int128 objective = minimum->scale * (plan->instance->constant + plan->base);

	objective -= minimum->end_reward[grid_end_state(plan->grid, walker->index)];
	for (int depth = 0; depth < plan->depths; depth++)
	{
		int j = plan->column[depth].coordinate;

		objective -= minimum->reward[j][walker->index[j]];
	}
	for (int g = 0; g < plan->groups; g++)
	{
		int128 least = 0;

		for (int v = plan->from[g]; v < plan->end[g]; v++)
		{
			int128 part = minimum->scale * walker->loss[g * plan->levels + v];

			if (plan->first >= 0)
				part -= minimum->reward[plan->first + g][v - plan->from[g]];
			least = v == plan->from[g] || part < least ? part : least;
		}
		objective += least;
	}
	if (objective < minimum->best)
		minimum->best = objective;
	return true;
}

static void
eliminate(Minimum *minimum, const SelectProblem *problem)
{
	SelectPlan *plan = select_plan_create(problem, 0, SELECT_FASTEST, memory);
	SelectTeam team;

	select_team_create(&team, plan, 1, memory);
	select_visit_all(&team, visit_minimum, minimum);
	select_team_destroy(&team, memory);
	select_plan_destroy(plan, memory);
}

static int128
objective_of(const Minimum *minimum, const Grid *grid, const OracleAnswer *answer)
{
	int128 objective = minimum->scale * answer->loss;

	for (int j = 0; j < grid->dimension; j++)
		objective -= minimum->reward[j][answer->index[j]];
	return objective - minimum->end_reward[grid_end_state(grid, answer->index)];
}

/* ---- comparing ---- */

static bool
has_noise(const Trial *trial)
{
	const Grid *grid = &trial->c.grid;

	for (int k = 0; k < grid->dimension * GRID_MAX_LEVELS; k++)
		if (mpz_sgn(trial->reward[k]) != 0)
			return true;
	for (int s = 0; trial->problem.level_reward != NULL && s < grid_states(grid); s++)
		if (mpz_sgn(trial->end_reward[s]) != 0)
			return true;
	return false;
}

static void
compare_native(const Trial *trial, const OracleAnswer *truth)
{
	OracleProblem problem = trial->problem;
	OracleAnswer answer[2];

	for (int k = 0; k < 2; k++)
	{
		problem.threads = k + 1;
		oracle_search(&problem, memory, &answer[k]);
		CHECK(same_answer(&trial->c.grid, &answer[k], truth));
	}
	CHECK(answer[0].nodes == answer[1].nodes);
}

/* The hybrid works in int64, or refuses; is it within? */
static bool
compare_hybrid(const Trial *trial, const OracleAnswer *truth)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	bool fits = oracle_reduce(&trial->problem, model);
	OracleAnswer answer;

	CHECK(glpk_hybrid_solve(&trial->problem, memory, &answer) == fits);
	CHECK(!fits || same_answer(&trial->c.grid, &answer, truth));
	memory_release(memory, model);
	return fits;
}

static void
compare_elimination(const Trial *trial, const OracleAnswer *truth, Tally *tally)
{
	SelectProblem problem = trial->c.problem;
	Minimum minimum;

	minimum_init(&minimum, &trial->problem);
	eliminate(&minimum, &problem);
	CHECK(objective_of(&minimum, &trial->c.grid, truth) == minimum.best);
	CHECK(truth->loss == instance_loss(&trial->c.instance, &trial->c.grid, truth->index));
	tally->grouped += problem.group.size > 1;
	if (!has_noise(trial))
	{
		problem.epsilon = SELECT_MAX_EPSILON;
		CHECK(fabs(select_mean_loss(&problem, memory) - (double) truth->loss) < 1e-9);
	}
}

static void
compare_all(const Trial *trial, const OracleAnswer *truth, Tally *tally)
{
	bool fits;

	CHECK(grid_contains(&trial->c.grid, truth->index));
	compare_native(trial, truth);
	fits = compare_hybrid(trial, truth);
	compare_elimination(trial, truth, tally);
	tally->agreed += fits;
	tally->beyond += !fits;
}

static void
compare_with_definition(const Trial *trial, Tally *tally)
{
	OracleAnswer truth;

	oracle_enumerate(&trial->problem, memory, &truth);
	compare_all(trial, &truth, tally);
}

/* Numbers with few digits only: beyond, GLPK's tolerances may mislead it. */
static void
compare_literal(const Trial *trial, Tally *tally)
{
	OracleAnswer truth;
	OracleAnswer answer;

	oracle_search(&trial->problem, memory, &truth);
	CHECK(glpk_literal_solve(&trial->problem, memory, &answer));
	CHECK(same_answer(&trial->c.grid, &answer, &truth));
	tally->literal++;
}

/* ---- families of small instances ---- */

/* Columns with few digits if the levels are tame; most product grids have a group. */
static void
fill_trial(Trial *trial, LevelKind wildest, int dimension, uint64_t least, uint64_t most, int rows,
		   int64_t most_net, int label)
{
	static const ColumnKind tame[] = {COLUMNS_BINARY, COLUMNS_ONE_HOT, COLUMNS_MIXED,
									  COLUMNS_HALVES};
	Case *c = &trial->c;
	SelectGroup group;

	do
	{
		group = (SelectGroup){0, 0};
		try_grid(&c->grid, (GridConstraint) (below(2) * below(GRID_MODULUS + 1)), wildest,
				 dimension);
		if (c->grid.constraint == GRID_PRODUCT && below(4) > 0)
			group = random_group(&c->grid, dimension);
	} while (!grid_has_size(&c->grid, least, most));
	random_rows(c, wildest > LEVELS_MIXED ? COLUMNS_ANY : tame[below(4)], rows, most_net, label);
	spoil_columns(c, below(3) == 0, below(4) == 0);
	set_problem(c, EPSILON_ONE);
	set_group(c, group);
	random_rewards(trial, 0);
	trial->problem.scale = 1;
}

static void
make_ties(Trial *trial)
{
	fill_trial(trial, LEVELS_MIXED, 1 + below(6), 1, 500, below(12), 1, random_label());
	random_rewards(trial, 1);
}

static void
make_noiseless(Trial *trial)
{
	fill_trial(trial, LEVELS_FAR, 1 + below(6), 1, 500, below(16), 5, random_label());
}

static void
make_one_label(Trial *trial)
{
	fill_trial(trial, LEVELS_FAR, 1 + below(6), 1, 500, 1 + below(16), 5, below(2) ? 1 : -1);
	random_rewards(trial, 5);
	trial->problem.scale = random_scale(16);
}

static void
make_spoiled(Trial *trial)
{
	SelectGroup group;

	fill_trial(trial, LEVELS_MIXED, 2 + below(5), 1, 500, 1 + below(16), 5, random_label());
	group = trial->c.problem.group;
	spoil_columns(&trial->c, true, below(2));
	spoil_columns(&trial->c, below(2), true);
	set_group(&trial->c, group);
	random_rewards(trial, 5);
	trial->problem.scale = random_scale(16);
}

static void
make_empty(Trial *trial)
{
	fill_trial(trial, LEVELS_FAR, 1 + below(6), 1, 500, 0, 1, 0);
	random_rewards(trial, below(2) ? 5 : 40);
	trial->problem.scale = random_scale(UINT64_MAX);
}

/* Every end of the automaton has a reward. */
static void
make_ends(Trial *trial)
{
	do
		fill_trial(trial, LEVELS_FAR, 1 + below(6), 1, 500, below(16), 5, random_label());
	while (trial->c.grid.constraint == GRID_PRODUCT);
	random_rewards(trial, 12);
	trial->problem.level_reward = trial->end_reward;
	trial->problem.scale = random_scale(1024);
}

/* At most just below the largest numbers that the search takes, and at least just above. */
static void
make_edge(Trial *trial)
{
	do
	{
		fill_trial(trial, LEVELS_FAR, 1 + below(5), 2, 300, 1 + below(12), 1000, random_label());
		random_rewards(trial, 40);
	} while (!set_largest_scale(trial));
	trial->problem.scale += below(4) == 0;
}

/* Rewards of 2^57 or 2^58 among smaller ones: some instances fit, some do not. */
static void
make_large_rewards(Trial *trial)
{
	fill_trial(trial, LEVELS_FAR, 1 + below(5), 2, 300, 1 + below(12), 1000, random_label());
	random_rewards(trial, 57 + below(2));
	trial->problem.scale = random_scale(UINT64_C(1) << 40);
}

static void
make_any(Trial *trial)
{
	fill_trial(trial, LEVELS_FAR, 1 + below(6), 1, 500, below(30), 1000, random_label());
	random_rewards(trial, 40);
	trial->problem.scale = random_scale(UINT64_C(1) << 40);
}

static void
make_huge(Trial *trial)
{
	fill_trial(trial, LEVELS_FAR, 1 + below(5), 1, 300, below(12), 1000, random_label());
	random_rewards(trial, 80);
	trial->problem.scale = random_scale(UINT64_MAX);
}

static void
check_families(Trial *trial, Tally *tally)
{
	static const struct
	{
		void (*make)(Trial *trial);
		bool tame; /* few digits */
	} families[] = {
		{make_ties, true},           {make_noiseless, false}, {make_one_label, false},
		{make_spoiled, true},        {make_empty, false},     {make_ends, false},
		{make_edge, false},          {make_any, false},       {make_huge, false},
		{make_large_rewards, false},
	};

	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
	{
		reseed(100 + f);
		for (int k = 0; k < check_repetitions(FAMILY_INSTANCES); k++)
		{
			families[f].make(trial);
			compare_with_definition(trial, tally);
			if (families[f].tame && k % LITERAL_EVERY == 0)
				compare_literal(trial, tally);
		}
	}
}

/* ---- larger instances ---- */

/* As large as brute force takes in a test. */
static void
check_large(Trial *trial, Tally *tally)
{
	reseed(200);
	for (int k = 0; k < check_repetitions(LARGE_INSTANCES); k++)
	{
		fill_trial(trial, LEVELS_MIXED, 8 + below(4), 5000, 20000, 50, 5, 0);
		random_rewards(trial, 5);
		trial->problem.scale = 16;
		compare_with_definition(trial, tally);
	}
}

/* Too large for brute force: a one-hot group, overlapping binary columns, a numeric one. */
static void
make_wide(Trial *trial)
{
	Case *c = &trial->c;
	SelectGroup group = {below(3), 3 + below(4)};
	int dimension = group.first + group.size + 3 + below(3);

	c->grid = (Grid){.dimension = dimension, .constraint = GRID_PRODUCT};
	for (int j = 0; j < dimension; j++)
		grid_set_range(&c->grid, j, 1);
	if (below(2) == 0)
		grid_set_sign(&c->grid, dimension - 1);
	else
		grid_set_range(&c->grid, dimension - 1, 2);
	random_rows(c, COLUMNS_BINARY, 50 + below(CASE_ROWS - 50), 5, 0);
	for (int64_t r = 0; r < c->instance.rows; r++)
		c->x[(r + 1) * dimension - 1] = random_value(COLUMNS_NUMERIC);
	set_problem(c, EPSILON_ONE);
	set_group(c, group);
}

/* With the noise of a mechanism. */
static void
check_wide(Trial *trial, Tally *tally)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 10 * EPSILON_ONE};

	reseed(77);
	trial->problem.level_reward = NULL;
	for (int k = 0; k < check_repetitions(WIDE_INSTANCES); k++)
	{
		OracleAnswer truth;
		Gauge gauge;

		make_wide(trial);
		gauge_choose(&gauge, &trial->c.grid, epsilons[k % 3], (Adjacency) (k % 2));
		gauge_draw(&gauge, &trial->c.grid, &bits, memory, trial->reward);
		trial->problem.scale = gauge.scale;
		oracle_search(&trial->problem, memory, &truth);
		compare_all(trial, &truth, tally);
	}
}

int
main(void)
{
	Trial *trial;
	Tally tally = {.agreed = 0};

	test_begin(1);
	trial = trial_create();
	check_families(trial, &tally);
	check_large(trial, &tally);
	check_wide(trial, &tally);
	CHECK_WHOLE(tally.agreed >= LEAST_AGREED);
	CHECK_WHOLE(tally.beyond > 100 && tally.grouped > 100 && tally.literal > 100);
	trial_destroy(trial);
	return test_end("agreement");
}
