/*
 * test_agreement.c - group elimination as a second implementation of the oracle.
 *
 * Given the other weights, the perturbed loss separates over the columns of a
 * one-hot group, so its minimum is a sum of small minima: the enumeration of
 * select finds the optimum of instances that are far too large to enumerate
 * vector by vector, and shares no line with the oracle's search.
 */
#include "core/check.h"
#include "core/testbits.h"

#include <inttypes.h>
#include <string.h>

#include "core/gauge.h"
#include "core/oracle.h"
#include "core/select_internal.h"

#define MAX_ROWS 400
#define MAX_COLUMNS 16

typedef struct Case
{
	Instance instance;
	Grid grid;
	SelectGroup group;
	int32_t x[MAX_ROWS * MAX_COLUMNS];
	int64_t net[MAX_ROWS];
} Case;

static TestStream stream;

static int
below(int n)
{
	return (int) teststream_below(&stream, (uint64_t) n);
}

/* A one-hot group, some overlapping binary columns and a numeric one. */
static void
random_case(Case *c)
{
	int dimension;

	memset(c, 0, sizeof(*c));
	c->group.first = below(3);
	c->group.size = 3 + below(4);
	dimension = c->group.first + c->group.size + 3 + below(3);
	c->grid.dimension = dimension;
	for (int j = 0; j < dimension; j++)
		grid_set_range(&c->grid, j, 1);
	if (below(2) == 0)
		grid_set_sign(&c->grid, dimension - 1);
	else
		grid_set_range(&c->grid, dimension - 1, 2);
	c->instance = (Instance){dimension, 50 + below(MAX_ROWS - 50), c->x, c->net, below(10)};
	for (int64_t i = 0; i < c->instance.rows; i++)
	{
		int32_t *x = c->x + i * dimension;

		for (int j = 0; j < dimension; j++)
			x[j] = below(3) == 0 ? FIXED_POINT_ONE : 0;
		for (int j = 0; j < c->group.size; j++)
			x[c->group.first + j] = 0;
		x[c->group.first + below(c->group.size)] = FIXED_POINT_ONE;
		x[dimension - 1] = below(2 * FIXED_POINT_ONE) - FIXED_POINT_ONE;
		c->net[i] = (1 + below(5)) * (below(2) == 0 ? 1 : -1);
	}
}

/* N L(w) minus the rewards, each of which fits a word here. */
typedef struct Minimum
{
	const Case *c;
	int64_t scale;
	const mpz_t *reward;
	int64_t best;
} Minimum;

static int64_t
reward_of(const Minimum *minimum, int coordinate, int level)
{
	return mpz_get_si(minimum->reward[coordinate * GRID_MAX_LEVELS + level]);
}

static bool
visit_minimum(SelectWalker *walker, void *context)
{
	Minimum *minimum = context;
	const SelectPlan *plan = walker->plan;
	int64_t objective = minimum->scale * (plan->instance->constant + plan->base);

	for (int depth = 0; depth < plan->depths; depth++)
	{
		int j = plan->column[depth].coordinate;

		objective -= reward_of(minimum, j, walker->index[j]);
	}
	for (int g = 0; g < plan->groups; g++)
	{
		int64_t least = INT64_MAX;

		for (int v = 0; v < plan->levels; v++)
		{
			int64_t part = minimum->scale * walker->loss[g * plan->levels + v] -
						   reward_of(minimum, plan->first + g, v);

			least = part < least ? part : least;
		}
		objective += least;
	}
	if (objective < minimum->best)
		minimum->best = objective;
	return true;
}

/* The least objective, by group elimination. */
static int64_t
eliminate(Minimum *minimum, Memory *memory)
{
	SelectProblem problem = {
		.instance = &minimum->c->instance,
		.grid = &minimum->c->grid,
		.group = minimum->c->group,
		.epsilon = EPSILON_ONE,
		.adjacency = ADJACENCY_REPLACE,
		.threads = 1,
	};
	SelectPlan *plan = select_plan_create(&problem, 0, SELECT_FASTEST, memory);
	SelectTeam team;

	minimum->best = INT64_MAX;
	select_team_create(&team, plan, 1, memory);
	select_visit_all(&team, visit_minimum, minimum);
	select_team_destroy(&team, memory);
	select_plan_destroy(plan, memory);
	return minimum->best;
}

static int64_t
objective_of(const Minimum *minimum, const OracleAnswer *answer)
{
	int64_t objective = minimum->scale * answer->loss;

	for (int j = 0; j < minimum->c->grid.dimension; j++)
		objective -= reward_of(minimum, j, answer->index[j]);
	return objective;
}

int
main(void)
{
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	mpz_t reward[MAX_COLUMNS * GRID_MAX_LEVELS];
	Bits bits;

	teststream_seed(&stream, 77);
	bits_init(&bits, teststream_fill, &stream);
	for (int i = 0; i < MAX_COLUMNS * GRID_MAX_LEVELS; i++)
		mpz_init(reward[i]);
	for (int k = check_repetitions(150); k > 0; k--)
	{
		static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 10 * EPSILON_ONE};
		static Case c;
		Gauge gauge;
		Minimum minimum = {.c = &c, .reward = (const mpz_t *) reward};
		OracleProblem problem;
		OracleAnswer answer;

		random_case(&c);
		gauge_choose(&gauge, &c.grid, epsilons[k % 3], (Adjacency) (k % 2));
		gauge_draw(&gauge, &c.grid, &bits, memory, reward);
		minimum.scale = (int64_t) gauge.scale;
		problem = (OracleProblem){
			.instance = &c.instance,
			.grid = &c.grid,
			.scale = gauge.scale,
			.reward = (const mpz_t *) reward,
		};
		oracle_search(&problem, memory, &answer);
		CHECK(answer.loss == instance_loss(&c.instance, &c.grid, answer.index));
		CHECK(objective_of(&minimum, &answer) == eliminate(&minimum, memory));
	}
	for (int i = 0; i < MAX_COLUMNS * GRID_MAX_LEVELS; i++)
		mpz_clear(reward[i]);
	arena_destroy(arena);
	return check_report("agreement");
}
