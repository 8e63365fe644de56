/*
 * test_select.c - selection against enumeration by the definition.
 *
 * The reference throughout is a list of all vectors of a small grid with their losses from
 * instance_loss(): the test does not rely on select's own arithmetic.
 */
#include "core/exponential/select_internal.h"

#include <math.h>
#include <string.h>

#include "core/fixture.h"
#include "core/reference.h"
#include "core/script.h"

#define MAX_ROWS 16

static int64_t
draw_many(const SelectProblem *problem, int64_t blocks, int draws)
{
	int64_t attempts = 0;
	SelectAnswer answer;
	SelectLaw law;

	select_law_create(&law, problem, blocks, memory);
	for (int k = 0; k < draws; k++)
	{
		attempts += select_law_draw(&law, &bits, &answer);
		count_answer(problem->grid, &answer);
	}
	select_law_destroy(&law, memory);
	return attempts;
}

/* ---- the enumeration ---- */

/* Walks over all group levels of the walker's configuration. */
typedef struct Coverage
{
	int64_t visits[REFERENCE_VECTORS]; /* by place in the reference */
	int64_t wrong;
} Coverage;

static bool
visit_coverage(SelectWalker *walker, void *context)
{
	const SelectPlan *plan = walker->plan;
	Coverage *coverage = context;
	int index[GRID_MAX_DIMENSION];
	int level[CASE_COLUMNS];
	int g;

	memcpy(index, walker->index, sizeof(index));
	for (g = 0; g < plan->groups; g++)
		level[g] = plan->from[g];
	do
	{
		int64_t loss = plan->instance->constant + plan->base;
		int k;

		for (g = 0; g < plan->groups; g++)
		{
			loss += walker->loss[g * plan->levels + level[g]];
			if (plan->first >= 0)
				index[plan->first + g] = level[g] - plan->from[g];
		}
		k = find_vector(plan->grid, index);
		if (k < 0 || loss != reference.loss[k])
			coverage->wrong++;
		else
			coverage->visits[k]++;
		for (g = 0; g < plan->groups && ++level[g] == plan->end[g]; g++)
			level[g] = plan->from[g];
	} while (g < plan->groups);
	return true;
}

static void
check_coverage(const Case *c, SelectLayout layout)
{
	Coverage coverage = {.wrong = 0};
	SelectPlan *plan = select_plan_create(&c->problem, 1 + below(40), layout, memory);
	SelectTeam team;
	bool once = true;

	select_team_create(&team, plan, 1, memory);
	select_visit_all(&team, visit_coverage, &coverage);
	for (int k = 0; k < reference.vectors; k++)
		once = once && coverage.visits[k] == 1;
	CHECK(once);
	CHECK(coverage.wrong == 0);
	select_team_destroy(&team, memory);
	select_plan_destroy(plan, memory);
}

/*
 * Every vector is visited exactly once and with its loss, in either layout,
 * however it is cut into blocks, and also where nets do not fit 32 bits.
 */
static void
test_enumeration(void)
{
	reseed(1);
	for (int round = 0; round < check_repetitions(400); round++)
	{
		Case c;

		random_case(&c, round % CASE_KINDS, below(MAX_ROWS + 1),
					round % 3 == 0 ? INT64_C(1) << 35 : 5, EPSILON_ONE);
		enumerate(&c.problem);
		CHECK((uint64_t) reference.vectors == grid_size(&c.grid));
		check_coverage(&c, SELECT_TABLES);
		check_coverage(&c, SELECT_DENSE);
	}
}

static bool
visit_one(SelectWalker *walker, void *context)
{
	((int64_t *) context)[walker->block]++;
	return true;
}

/* select_cost() is the number of visits, with several threads too. */
static void
test_cost(void)
{
	Grid wide = {.dimension = 64, .constraint = GRID_PRODUCT};

	reseed(2);
	for (int round = 0; round < check_repetitions(40); round++)
	{
		Case c;
		SelectPlan *plan;
		SelectTeam team;
		int64_t *visits;
		int64_t sum = 0;

		random_case(&c, round % CASE_KINDS, MAX_ROWS, 5, EPSILON_ONE);
		plan = select_plan_create(&c.problem, 50, SELECT_FASTEST, memory);
		select_team_create(&team, plan, 3, memory);
		visits = memory_allocate_zero(memory, (size_t) plan->blocks, sizeof(int64_t));
		select_visit_all(&team, visit_one, visits);
		for (int64_t b = 0; b < plan->blocks; b++)
		{
			CHECK(visits[b] > 0);
			sum += visits[b];
		}
		CHECK((uint64_t) sum == select_cost(&c.grid, c.problem.group));
		memory_release(memory, visits);
		select_team_destroy(&team, memory);
		select_plan_destroy(plan, memory);
	}
	for (int j = 0; j < wide.dimension; j++)
		grid_set_range(&wide, j, 1);
	CHECK(select_cost(&wide, (SelectGroup){0, 0}) == UINT64_MAX);
	CHECK(select_cost(&wide, (SelectGroup){1, 20}) == UINT64_MAX);
	CHECK(select_cost(&wide, (SelectGroup){1, 62}) == 9);
}

/* ---- the weights ---- */

typedef struct WeightCheck
{
	const SelectLaw *law;
	const SelectProblem *problem;
	double tolerance;
	int64_t below;   /* weights that are no upper bound */
	int64_t distant; /* weights that are too large */
	mpz_t sum;
} WeightCheck;

/* The walker's mass at 256 bits, straight from the losses of all its vectors. */
static void
set_mass(mpfr_t mass, const SelectWalker *walker, const SelectProblem *problem)
{
	SelectGroup group = problem->group;

	mpfr_set_ui(mass, 0, MPFR_RNDN);
	for (int k = 0; k < reference.vectors; k++)
	{
		bool same = true;

		for (int j = 0; j < problem->grid->dimension; j++)
			if (j < group.first || j >= group.first + group.size)
				same = same && reference.index[k][j] == walker->index[j];
		if (same)
			add_mass(mass, problem, k);
	}
}

static bool
visit_check_weight(SelectWalker *walker, void *context)
{
	WeightCheck *check = context;
	SelectWeight weight = select_weight(check->law->tables, walker);
	int64_t above = weight.exponent - check->law->floor;
	mpfr_t mass;
	mpz_t units;

	CHECK(weight.mantissa >> 52 == 1);
	mpfr_init2(mass, 256);
	set_mass(mass, walker, check->problem);
	mpfr_mul_2si(mass, mass, -weight.exponent, MPFR_RNDN);
	if (mpfr_cmp_ui(mass, weight.mantissa) > 0)
		check->below++;
	mpfr_mul_d(mass, mass, 1.0 + check->tolerance, MPFR_RNDN);
	if (mpfr_cmp_ui(mass, weight.mantissa) < 0)
		check->distant++;
	mpfr_clear(mass);

	mpz_init_set_ui(units, weight.mantissa);
	mpz_mul_2exp(units, units, above > 0 ? (mp_bitcnt_t) above : 0);
	mpz_add(check->sum, check->sum, units);
	mpz_clear(units);
	return true;
}

static void
check_weights(const Case *c, double tolerance)
{
	WeightCheck check = {.problem = &c->problem, .tolerance = tolerance};
	SelectLaw law;

	enumerate(&c->problem);
	select_law_create(&law, &c->problem, 1 + below(20), memory);
	check.law = &law;
	mpz_init(check.sum);
	for (int64_t b = 0; b < law.plan->blocks; b++)
		select_visit_block(&law.team.walker[0], b, visit_check_weight, &check);
	CHECK(check.below == 0);
	CHECK(check.distant == 0);
	CHECK(mpz_cmp(check.sum, law.sum) == 0);
	mpz_clear(check.sum);
	select_law_destroy(&law, memory);
}

/* Integer weights are upper bounds of the masses, close ones, and their sum is complete. */
static void
test_weights(void)
{
	static const int64_t epsilons[] = {1, 30000000, EPSILON_ONE, 40 * EPSILON_ONE,
									   10000 * EPSILON_ONE};

	reseed(3);
	for (int round = 0; round < check_repetitions(150); round++)
	{
		Case c;

		random_case(&c, round % CASE_KINDS, below(MAX_ROWS + 1), 8,
					epsilons[round / CASE_KINDS % 5]);
		check_weights(&c, 1e-12);
	}
	/* Losses of millions: terms are looked up in steps, and each may cost 2^-11. */
	for (int round = 0; round < check_repetitions(20); round++)
	{
		Case c;

		random_case(&c, 1, MAX_ROWS, 3000000, 1000);
		check_weights(&c, 3.0 / 2048);
	}
}

/* ---- the law of the exponential mechanism ---- */

static void
test_exponential_cases(void)
{
	reseed(4);
	for (int round = 0; round < check_repetitions(400); round++)
	{
		int64_t epsilon = EPSILON_ONE / 20 * (1 + below(40));
		int64_t attempts;
		Case c;

		random_case(&c, round % CASE_KINDS, below(MAX_ROWS + 1), 4, epsilon);
		enumerate(&c.problem);
		attempts = draw_many(&c.problem, 1 + below(30), 500);
		CHECK(p_value(reference.law) > LAW_THRESHOLD);
		CHECK(attempts < 505);
	}
}

static void
test_exponential_law(void)
{
	reseed(5);
	for (int kind = 0; kind < 2 * CASE_KINDS; kind++)
	{
		Case c;

		telling_case(&c, kind % CASE_KINDS, kind >= CASE_KINDS, 4, EPSILON_ONE / 2);
		(void) draw_many(&c.problem, 10, LAW_DRAWS);
		CHECK_LAW(reference.count, reference.law, reference.other, reference.vectors);
	}
}

/* The public entry, which makes everything anew for each draw. */
static void
test_exponential_entry(void)
{
	Case c;

	reseed(6);
	telling_case(&c, 1, true, 4, EPSILON_ONE / 2);
	for (int k = 0; k < check_repetitions(5000); k++)
	{
		SelectAnswer answer;

		select_exponential(&c.problem, &bits, memory, &answer);
		count_answer(&c.grid, &answer);
	}
	CHECK_LAW(reference.count, reference.law, reference.other, reference.vectors);
}

/* Losses of millions at a tiny epsilon: terms in steps, so that some attempts fail. */
static void
test_exponential_steps(void)
{
	int64_t attempts;
	Case c;

	reseed(7);
	telling_case(&c, 1, true, 3000000, 1000);
	attempts = draw_many(&c.problem, 10, LAW_DRAWS);
	CHECK_LAW(reference.count, reference.law, reference.other, reference.vectors);
	CHECK(attempts < LAW_DRAWS * 1.01);
}

/* Losses and costs of 2^30; tables grow with their square roots. */
static void
test_largest_numbers(void)
{
	Case c;

	reseed(19);
	largest_case(&c, 30);
	(void) draw_many(&c.problem, 5, 300);
	CHECK(p_value(reference.law) > LAW_THRESHOLD);
}

/*
 * Makes the weights bad on purpose, by raising the floor to the largest exponent
 * of all: everything below counts far more than its mass.
 */
static void
spoil_weights(SelectLaw *law)
{
	law->floor += SELECT_BUCKETS - 1;
	mpz_set_ui(law->sum, 0);
	for (int64_t b = 0; b < law->plan->blocks; b++)
	{
		SelectHistogram *histogram = &law->histogram[b];

		for (int k = 1; k < SELECT_BUCKETS; k++)
		{
			histogram->bucket[0] += histogram->bucket[k];
			histogram->bucket[k] = 0;
		}
		histogram->low = law->floor;
		mpz_set_ui(law->total[b], (uint64_t) histogram->bucket[0]); /* few vectors: it fits */
		mpz_add(law->sum, law->sum, law->total[b]);
	}
}

/* The law does not depend on how good the upper bounds are. */
static void
test_rejection(void)
{
	int draws = check_repetitions(20000); /* of many attempts each */
	int64_t attempts = 0;
	SelectAnswer answer;
	SelectLaw law;
	Case c;

	reseed(8);
	telling_case(&c, 0, false, 4, EPSILON_ONE / 2);
	select_law_create(&law, &c.problem, 10, memory);
	spoil_weights(&law);
	for (int k = 0; k < draws; k++)
	{
		attempts += select_law_draw(&law, &bits, &answer);
		count_answer(&c.grid, &answer);
	}
	select_law_destroy(&law, memory);
	CHECK(attempts > draws * 1.1);
	CHECK_LAW(reference.count, reference.law, reference.other, reference.vectors);
}

/* Writes the 64 bits of a word at a bit position, lowest first. */
static void
script_write(Script *script, size_t position, uint64_t word)
{
	script->word[position / 64] |= word << position % 64;
	if (position % 64 > 0)
		script->word[position / 64 + 1] |= word >> (64 - position % 64);
}

/*
 * One vector, no rows: the mass is 1 and the weight a little more.  The first 64
 * bits of the acceptance are those of mass / weight itself, so that they decide
 * nothing and the next 64 must: zeros accept, ones reject.
 */
static void
test_open_comparison(void)
{
	Case c;
	SelectLaw law;
	SelectAnswer answer;
	SelectWeight weight;
	mpz_t ratio;
	size_t unit_bits;
	uint64_t first;

	reseed(9);
	random_case(&c, 0, 0, 1, EPSILON_ONE);
	c.problem.prior_power = 0;
	c.grid.dimension = c.instance.dimension = 1;
	c.grid.levels[0] = 1;
	select_law_create(&law, &c.problem, 1, memory);
	weight = select_weight(law.tables, &law.team.walker[0]);
	unit_bits = mpz_sizeinbase(law.sum, 2);
	mpz_init(ratio);
	mpz_ui_pow_ui(ratio, 2, (unsigned long) (64 - weight.exponent));
	mpz_fdiv_q_ui(ratio, ratio, weight.mantissa);
	CHECK(mpz_sizeinbase(ratio, 2) == 64);
	first = mpz_get_ui(ratio);
	mpz_clear(ratio);
	for (int ones = 0; ones <= 1; ones++)
	{
		Script script = {.next = 0};

		script_write(&script, unit_bits, first);
		script_write(&script, unit_bits + 64, ones ? UINT64_MAX : 0);
		bits = scripted(&script);
		CHECK(select_law_draw(&law, &bits, &answer) == 1 + ones);
		CHECK(script.next * 64 >= unit_bits + 128);
	}
	select_law_destroy(&law, memory);
}

/*
 * Two vectors, no rows, so equal weights in one bucket: the last unit of the
 * first weight proposes the first vector, the next unit the second.
 */
static void
test_unit_boundary(void)
{
	Case c;
	SelectLaw law;
	mpz_t unit;

	reseed(18);
	random_case(&c, 0, 0, 1, EPSILON_ONE);
	c.problem.prior_power = 0;
	c.grid.dimension = c.instance.dimension = 1;
	grid_set_sign(&c.grid, 0);
	select_law_create(&law, &c.problem, 1, memory);
	mpz_init(unit);
	for (int second = 0; second <= 1; second++)
	{
		Script script = {.next = 0};
		SelectAnswer answer;

		mpz_fdiv_q_ui(unit, law.sum, 2);
		mpz_sub_ui(unit, unit, (unsigned long) (1 - second));
		for (size_t k = 0; k < mpz_size(unit); k++)
			script_write(&script, 64 * k, mpz_getlimbn(unit, (mp_size_t) k));
		bits = scripted(&script);
		CHECK(select_law_draw(&law, &bits, &answer) == 1);
		CHECK(answer.index[0] == second);
	}
	mpz_clear(unit);
	select_law_destroy(&law, memory);
}

/* ---- edges ---- */

/* A law that must be uniform on the vectors for which member is 1. */
static void
check_uniform(const Case *c, const double *member)
{
	(void) draw_many(&c->problem, 5, 1500);
	CHECK(p_value(member) > LAW_THRESHOLD);
}

static void
test_edges(void)
{
	reseed(10);
	for (int round = 0; round < check_repetitions(40); round++)
	{
		double member[REFERENCE_VECTORS];
		Case c;

		/* no rows, or an epsilon that tells nothing: uniform */
		random_case(&c, round % CASE_KINDS, below(2) ? 0 : 5, 3, 1 - below(2));
		c.problem.prior_power = 0;
		enumerate(&c.problem);
		for (int k = 0; k < reference.vectors; k++)
			member[k] = 1.0;
		check_uniform(&c, member);

		/* a huge epsilon: uniform on the best vectors; all rows of one label */
		random_case(&c, round % CASE_KINDS, MAX_ROWS, 3,
					round / CASE_KINDS % 2 ? 10000 * EPSILON_ONE : SELECT_MAX_EPSILON);
		c.problem.prior_power = 0;
		for (int i = 0; i < MAX_ROWS; i++)
			c.net[i] = round % 3 == 0   ? llabs(c.net[i])
					   : round % 3 == 1 ? -llabs(c.net[i])
										: c.net[i];
		enumerate(&c.problem);
		for (int k = 0; k < reference.vectors; k++)
			member[k] = reference.law[k] == 1.0 ? 1.0 : 0.0;
		check_uniform(&c, member);
	}
}

/* Same bits, any number of threads: the same answer. */
static void
test_threads(void)
{
	reseed(11);
	for (int round = 0; round < check_repetitions(40); round++)
	{
		uint64_t seed = teststream_next(&stream);
		SelectAnswer first = {.loss = 0};
		SelectAnswer answer;
		SelectLaw law;
		Case c;

		random_case(&c, round % CASE_KINDS, MAX_ROWS, 4, EPSILON_ONE / 2);
		for (int threads = 1; threads <= 3; threads++)
		{
			TestStream again;
			Bits same;

			teststream_seed(&again, seed);
			bits_init(&same, teststream_fill, &again);
			c.problem.threads = threads;
			select_law_create(&law, &c.problem, 16, memory);
			(void) select_law_draw(&law, &same, &answer);
			select_law_destroy(&law, memory);
			if (threads == 1)
				first = answer;
			CHECK(memcmp(first.index, answer.index, sizeof(first.index)) == 0);
			CHECK(first.loss == answer.loss);
		}
	}
}

/* Large enough for several blocks by itself, through the public entries. */
static void
test_threads_large(void)
{
	Case c;
	SelectAnswer first[2] = {{.loss = 0}};
	SelectAnswer answer[2];
	double mean = 0.0;

	reseed(12);
	random_case(&c, 0, 0, 1, EPSILON_ONE / 2);
	c.grid.dimension = 8;
	for (int j = 0; j < c.grid.dimension; j++)
		grid_set_range(&c.grid, j, j < 4 ? 1 : 2);
	random_rows(&c, COLUMNS_ANY, MAX_ROWS, 4, 0);
	for (int threads = 1; threads <= 4; threads++)
	{
		TestStream again;
		Bits same;

		teststream_seed(&again, 12);
		bits_init(&same, teststream_fill, &again);
		c.problem.threads = threads;
		memset(answer, 0, sizeof(answer));
		select_exponential(&c.problem, &same, memory, &answer[0]);
		select_permute_and_flip(&c.problem, &same, memory, &answer[1]);
		if (threads == 1)
		{
			memcpy(first, answer, sizeof(first));
			mean = select_mean_loss(&c.problem, memory);
		}
		CHECK(memcmp(first, answer, sizeof(first)) == 0);
		CHECK(select_mean_loss(&c.problem, memory) == mean);
		for (int k = 0; k < 2; k++)
			CHECK(answer[k].loss == instance_loss(&c.instance, &c.grid, answer[k].index));
	}
}

/* Counts the visits, and those whose loss is not the definition's. */
static bool
visit_definition(SelectWalker *walker, void *context)
{
	const SelectPlan *plan = walker->plan;
	int64_t loss = plan->instance->constant + plan->base + walker->loss[0];
	int64_t *visits = context;

	visits[0]++;
	visits[1] += loss != instance_loss(plan->instance, plan->grid, walker->index);
	return true;
}

/*
 * So many binary columns and levels that cells' tables would not fit: no column is summed then, and
 * the losses are the same.
 */
static void
test_wide_cells(void)
{
	enum
	{
		ROWS = 1500,
		COLUMNS = 40
	};
	int32_t *x = memory_allocate_zero(memory, ROWS * COLUMNS, sizeof(int32_t));
	int64_t *net = memory_allocate(memory, ROWS, sizeof(int64_t));
	Instance instance = {.dimension = COLUMNS, .rows = ROWS, .x = x, .net = net, .constant = 3};
	Grid grid = {.dimension = COLUMNS, .constraint = GRID_SPARSE, .bound = 1};
	SelectProblem problem = {.instance = &instance,
							 .grid = &grid,
							 .epsilon = EPSILON_ONE / 100,
							 .adjacency = ADJACENCY_ADD_REMOVE,
							 .threads = 2};
	int64_t visits[2] = {0, 0};
	SelectPlan *plan;
	SelectTeam team;

	reseed(13);
	for (int j = 0; j < COLUMNS; j++)
	{
		grid.levels[j] = 3;
		grid.level[j][0] = -GRID_MAX_WEIGHT;
		grid.level[j][1] = 0;
		grid.level[j][2] = GRID_MAX_WEIGHT;
	}
	for (int i = 0; i < ROWS; i++)
	{
		net[i] = below(2) ? 1 : -2;
		for (int j = 0; j < COLUMNS; j++)
			x[i * COLUMNS + j] = below(4) > 0 ? FIXED_POINT_ONE : 0;
	}
	plan = select_plan_create(&problem, 8, SELECT_FASTEST, memory);
	select_team_create(&team, plan, 1, memory);
	CHECK(plan->dense);
	select_visit_all(&team, visit_definition, visits);
	CHECK(visits[0] == 2 * COLUMNS && visits[1] == 0);
	select_team_destroy(&team, memory);
	select_plan_destroy(plan, memory);
	memory_release(memory, x);
	memory_release(memory, net);
}

/* ---- the mean ---- */

static void
test_mean(void)
{
	reseed(17);
	for (int round = 0; round < check_repetitions(100); round++)
	{
		double mass = 0.0;
		double loss = 0.0;
		Case c;

		random_case(&c, round % CASE_KINDS, below(MAX_ROWS + 1), 6,
					EPSILON_ONE / 10 * (1 + below(50)));
		enumerate(&c.problem);
		for (int k = 0; k < reference.vectors; k++)
		{
			mass += reference.law[k];
			loss += reference.law[k] * (double) reference.loss[k];
		}
		CHECK(fabs(select_mean_loss(&c.problem, memory) - loss / mass) < 1e-10 * (1 + loss / mass));
	}
}

int
main(void)
{
	test_begin(1);
	test_enumeration();
	test_cost();
	test_weights();
	test_exponential_cases();
	test_exponential_law();
	test_exponential_entry();
	test_exponential_steps();
	test_largest_numbers();
	test_rejection();
	test_open_comparison();
	test_unit_boundary();
	test_edges();
	test_threads();
	test_threads_large();
	test_wide_cells();
	test_mean();
	return test_end("select");
}
