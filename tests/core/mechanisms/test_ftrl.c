/*
 * test_ftrl.c - private online learning: privacy by enumeration on small horizons,
 * the law of whole runs, and the bound on the regret.
 */
#include "core/mechanisms/ftrl.h"

#include <math.h>
#include <string.h>

#include "core/base/privacy.h"
#include "core/noise/zcdp.h"

#include "core/fixture.h"
#include "core/law.h"

static FtrlTerms
terms(double epsilon, double delta, int64_t steps, int dimension, int scale)
{
	return (FtrlTerms){llround(epsilon * EPSILON_ONE), llround(delta * DELTA_ONE), steps, dimension,
					   scale};
}

/* ---- exponential: exact laws of runs of two choices ---- */

/* P(choice 1), h = g_2 - g_1 in integer units. */
static double
choose_second(double rate, double h)
{
	return 1 / (1 + exp(rate * h));
}

/*
 * The data: rows of which row 0 is replaced, (0, S) by (S, 0), and the others are as the
 * pattern says: 1 is (0, S), -1 is (S, 0), 0 is neutral.  The choices of a run are
 * independent, so their losses add up.  P(choice) on both, for every step.
 */
static void
exponential_laws(const FtrlPlan *plan, const int *pattern, double *here, double *there)
{
	double g = 0;

	for (int64_t t = 0; t < plan->terms.steps; t++)
	{
		here[t] = choose_second(plan->rate, t == 0 ? 0 : (g + 1) * plan->terms.scale);
		there[t] = choose_second(plan->rate, t == 0 ? 0 : (g - 1) * plan->terms.scale);
		g += t == 0 ? 0 : pattern[t];
	}
}

static double
largest_loss(const FtrlPlan *plan, const int *pattern)
{
	double here[16];
	double there[16];
	double loss = 0;
	double other = 0;

	exponential_laws(plan, pattern, here, there);
	for (int64_t t = 0; t < plan->terms.steps; t++)
	{
		loss += fmax(log(there[t] / here[t]), log((1 - there[t]) / (1 - here[t])));
		other += fmax(log(here[t] / there[t]), log((1 - here[t]) / (1 - there[t])));
	}
	return fmax(loss, other);
}

/* sum over runs of (P - e^epsilon P')+, all 2^T of them */
static double
exact_delta(const FtrlPlan *plan, const int *pattern, double epsilon)
{
	double here[16];
	double there[16];
	double delta = 0;

	exponential_laws(plan, pattern, here, there);
	for (int run = 0; run < 1 << plan->terms.steps; run++)
	{
		double p = 1;
		double q = 1;

		for (int64_t t = 0; t < plan->terms.steps; t++)
		{
			p *= run >> t & 1 ? here[t] : 1 - here[t];
			q *= run >> t & 1 ? there[t] : 1 - there[t];
		}
		delta += fmax(0, p - exp(epsilon) * q);
	}
	return delta;
}

/* The Renyi divergence of the whole run. */
static double
renyi(const FtrlPlan *plan, const int *pattern, double order)
{
	double here[16];
	double there[16];
	double sum = 0;

	exponential_laws(plan, pattern, here, there);
	for (int64_t t = 0; t < plan->terms.steps; t++)
		sum += log(pow(here[t], order) * pow(there[t], 1 - order) +
				   pow(1 - here[t], order) * pow(1 - there[t], 1 - order));
	return sum / (order - 1);
}

/* Every pattern of eight steps; the most costly comes near to what is claimed. */
static void
test_exponential_pure(void)
{
	FtrlTerms wanted = terms(8, 0, 8, 2, 3);
	double most = 0;
	FtrlPlan plan;

	CHECK(ftrl_plan(&wanted, FTRL_EXPONENTIAL, &plan) && plan.pure);
	for (int code = 0; code < 2187; code++)
	{
		int pattern[8] = {0};

		for (int t = 1, rest = code; t < 8; t++, rest /= 3)
			pattern[t] = rest % 3 - 1;
		most = fmax(most, largest_loss(&plan, pattern));
	}
	CHECK(most <= 8 * (1 + 1e-12));
	CHECK(most > 8 * 0.75);
}

static void
test_exponential_concentrated(void)
{
	FtrlTerms wanted = terms(1, 1e-3, 12, 2, 3);
	double most = 0;
	double delta = 0;
	FtrlPlan plan;

	CHECK(ftrl_plan(&wanted, FTRL_EXPONENTIAL, &plan) && !plan.pure);
	for (int code = 0; code < 64; code++)
	{
		int pattern[12] = {0};

		for (int t = 1; t < 12; t++)
			pattern[t] = code >> t % 6 & 1 ? 1 : -1;
		delta = fmax(delta, exact_delta(&plan, pattern, 1));
		for (double order = 1.1; order < 20; order *= 1.5)
			most = fmax(most, renyi(&plan, pattern, order) / order);
	}
	CHECK(delta <= 1e-3);
	CHECK(most <= plan.rho * (1 + 1e-9));
	CHECK(most > plan.rho * 0.8);
}

/* ---- tree: how many nodes hold a step ---- */

/* The most blocks that hold one step, among those that some t < T is made of; tries all t. */
static int
most_nodes(int64_t steps, int base)
{
	int most = 0;

	for (int64_t step = 0; step < steps; step++)
	{
		int nodes = 0;

		for (int64_t size = 1; size < steps; size *= base)
		{
			int64_t block = step / size;
			int64_t parent = block / base * base * size;
			bool used = false;

			/* t is made of the blocks of this size from its parent's beginning up to t */
			for (int64_t t = 1; t < steps && !used; t++)
				used = t / (size * base) * size * base == parent && t / size > block;
			nodes += used;
		}
		most = nodes > most ? nodes : most;
	}
	return most;
}

static void
test_levels(void)
{
	for (int64_t steps = 2; steps <= 70; steps++)
	{
		FtrlTerms wanted = terms(1, 1e-6, steps, 3, FTRL_SCALE);
		FtrlPlan plan;

		CHECK(ftrl_plan(&wanted, FTRL_TREE_GAUGE, &plan));
		CHECK(plan.levels >= most_nodes(steps, plan.base));
		CHECK(ftrl_plan(&wanted, FTRL_TREE_GAUSSIAN, &plan));
		CHECK(plan.levels >= most_nodes(steps, plan.base));
	}
}

/* ---- tree: exact privacy of the nodes ---- */

/*
 * All entries of a step's L nodes move by S: the loss at noise z is
 * sum of (2 S z + S^2) / (2 sigma^2), so the law of the sum of L d draws tells delta.
 */
static double
gaussian_delta(const FtrlPlan *plan, double epsilon)
{
	int entries = plan->levels * plan->terms.dimension;
	int reach = (int) (10 * (double) plan->sigma * sqrt(entries));
	double variance = (double) plan->sigma * (double) plan->sigma;
	double *law = calloc((size_t) (2 * reach + 1), sizeof(double));
	double *next = calloc((size_t) (2 * reach + 1), sizeof(double));
	int width = (int) (10 * plan->sigma);
	double total = 0;
	double delta = 0;

	for (int z = -width; z <= width; z++)
		total += exp(-z * z / (2 * variance));
	law[reach] = 1;
	for (int i = 0; i < entries; i++)
	{
		memset(next, 0, (size_t) (2 * reach + 1) * sizeof(double));
		for (int k = 0; k <= 2 * reach; k++)
			for (int z = -width; law[k] > 1e-30 && z <= width; z++)
				if (k + z >= 0 && k + z <= 2 * reach)
					next[k + z] += law[k] * exp(-z * z / (2 * variance)) / total;
		memcpy(law, next, (size_t) (2 * reach + 1) * sizeof(double));
	}
	for (int k = -reach; k <= reach; k++)
	{
		double s = plan->terms.scale;
		double loss = (2 * s * k + entries * s * s) / (2 * variance);

		delta += law[k + reach] * fmax(0, 1 - exp(epsilon - loss));
	}
	free(law);
	free(next);
	return delta;
}

static void
test_gaussian_nodes(double epsilon, double delta, int64_t steps, int dimension)
{
	FtrlTerms wanted = terms(epsilon, delta, steps, dimension, 1);
	double exact;
	FtrlPlan plan;

	CHECK(ftrl_plan(&wanted, FTRL_TREE_GAUSSIAN, &plan));
	CHECK(!plan.pure && plan.rho == zcdp_rho(wanted.epsilon, wanted.delta));
	exact = gaussian_delta(&plan, epsilon);
	CHECK(exact <= delta);
	CHECK(exact > delta / 100); /* the conversion from zCDP costs no more than this here */
}

/* ---- the law of a run of four steps, two choices ---- */

#define REACH 150

static const int32_t cost[4][2] = {{0, 4}, {4, 1}, {0, 4}, {2, 2}};

/* The law of the difference of the two entries of a node's noise. */
static void
difference_law(const FtrlPlan *plan, double scale_off, double *law)
{
	double total = 0;

	for (int k = -REACH; k <= REACH; k++)
	{
		law[k + REACH] = 0;
		for (int z = -REACH; z <= REACH; z++)
		{
			double epsilon = (double) plan->terms.epsilon / EPSILON_ONE;
			double rate = epsilon / (plan->levels * plan->terms.scale) / scale_off;
			double sigma = sqrt(plan->levels * 2.0 / (2 * plan->rho)) * plan->terms.scale;

			sigma = ceil(sigma) * scale_off;
			if (abs(z + k) <= REACH && plan->kind == FTRL_TREE_GAUGE)
				law[k + REACH] += exp(-rate * fmax(abs(z), abs(z + k)));
			else if (abs(z + k) <= REACH)
				law[k + REACH] += exp(-(z * z + (z + k) * (z + k)) / (2 * sigma * sigma));
		}
		total += law[k + REACH];
	}
	for (int k = -REACH; k <= REACH; k++)
		law[k + REACH] /= total;
}

/* P(choice of the second) for each value of the other noise, over a node of its own. */
static double
with_own_noise(const FtrlPlan *plan, const double *law, double rest)
{
	double sum = 0;

	for (int k = -REACH; k <= REACH; k++)
		sum += law[k + REACH] * choose_second(plan->rate, rest + k);
	return sum;
}

/* P(this step chose so, that step so), which share the noise of a node. */
static double
pair_law(const FtrlPlan *plan, const double *law, double before, double after, int choices)
{
	double sum = 0;

	for (int k = -REACH; k <= REACH; k++)
	{
		double first = with_own_noise(plan, law, before + k);
		double second = with_own_noise(plan, law, after + k);

		sum += law[k + REACH] * (choices & 1 ? first : 1 - first) *
			   (choices & 2 ? second : 1 - second);
	}
	return sum;
}

/*
 * With base 2 the sums at t = 0, 1 share a vector of the upper level that no block has,
 * those at 2 and 3 the block of two; each has a vector of the lower level of its own.
 */
static void
run_law(const FtrlPlan *plan, double scale_off, double *weight)
{
	static double law[2 * REACH + 1];
	double g[4] = {0};
	double early[4];
	double late[4];

	difference_law(plan, scale_off, law);
	for (int t = 1; t < 4; t++)
		g[t] = g[t - 1] + cost[t - 1][1] - cost[t - 1][0];
	for (int choices = 0; choices < 4; choices++)
	{
		early[choices] = pair_law(plan, law, g[0], g[1], choices);
		late[choices] = pair_law(plan, law, g[2], g[3], choices);
	}
	for (int choices = 0; choices < 16; choices++)
		weight[choices] = early[choices & 3] * late[choices >> 2];
}

static void
simulate(const FtrlPlan *plan, uint64_t seed, int64_t *count)
{

	reseed(seed);
	for (int i = 0; i < LAW_DRAWS; i++)
	{
		FtrlRun *run = ftrl_start(plan, &bits, memory);
		int choices = 0;

		for (int t = 0; t < 4; t++)
		{
			choices |= ftrl_next(run) << t;
			ftrl_learn(run, cost[t]);
		}
		count[choices]++;
		ftrl_end(run, memory);
	}
}

static void
test_run_law(FtrlKind kind, uint64_t seed)
{
	FtrlTerms wanted = terms(3, 0.01, 4, 2, 4);
	int64_t count[16] = {0};
	double truth[16];
	double other[16];
	FtrlPlan plan;

	/* the plan of four steps has one level; the test wants two */
	CHECK(ftrl_plan(&wanted, kind, &plan));
	plan.base = 2;
	plan.levels = 2;
	plan.sigma = (uint64_t) ceil(sqrt(2 / plan.rho) * 4) * (plan.rho > 0);
	plan.rate = 2;
	run_law(&plan, 1, truth);
	run_law(&plan, 0.7, other);
	simulate(&plan, seed, count);
	CHECK_LAW(count, truth, other, 16);
}

static void
test_exponential_law(void)
{
	FtrlTerms wanted = terms(6, 0, 4, 2, 4);
	int64_t count[16] = {0};
	double truth[16];
	double other[16];
	FtrlPlan plan;

	CHECK(ftrl_plan(&wanted, FTRL_EXPONENTIAL, &plan));
	for (int choices = 0; choices < 16; choices++)
	{
		double rate = 6.0 / (2 * 3 * 4);
		double g = 0;

		truth[choices] = other[choices] = 1;
		for (int t = 0; t < 4; t++)
		{
			double p = choose_second(rate, g);
			double q = choose_second(rate / 0.7, g);

			truth[choices] *= choices >> t & 1 ? p : 1 - p;
			other[choices] *= choices >> t & 1 ? q : 1 - q;
			g += cost[t][1] - cost[t][0];
		}
	}
	simulate(&plan, 5, count);
	CHECK_LAW(count, truth, other, 16);
}

/* ---- regret ---- */

/* Stochastic costs; or the choice that leads costs 1, which is the hardest. */
static double
regret_of_run(const FtrlPlan *plan, bool hard)
{
	int d = plan->terms.dimension;
	FtrlRun *run = ftrl_start(plan, &bits, memory);
	double total[FTRL_MAX_DIMENSION] = {0};
	double paid = 0;
	double best = INFINITY;

	for (int64_t t = 0; t < plan->terms.steps; t++)
	{
		int choice = ftrl_next(run);
		int32_t step_cost[FTRL_MAX_DIMENSION] = {0};

		for (int j = 0; j < d; j++)
		{
			if (hard)
				step_cost[j] = (t / 10 + j) % d == 0 || j > 0 ? plan->terms.scale : 0;
			else
				step_cost[j] = bits_below(&bits, 100) < (j == 0 ? 30 : 50) ? plan->terms.scale : 0;
			total[j] += step_cost[j];
		}
		paid += step_cost[choice];
		ftrl_learn(run, step_cost);
	}
	for (int j = 0; j < d; j++)
		best = fmin(best, total[j]);
	ftrl_end(run, memory);
	return (paid - best) / plan->terms.scale;
}

static void
test_regret(FtrlKind kind, double epsilon, double delta, bool hard)
{
	FtrlTerms wanted = terms(epsilon, delta, 2000, 5, FTRL_SCALE);
	int runs = check_repetitions(30);
	double mean = 0;
	FtrlPlan plan;

	reseed(77);
	CHECK(ftrl_plan(&wanted, kind, &plan));
	for (int i = 0; i < runs; i++)
		mean += regret_of_run(&plan, hard) / runs;
	if (getenv("DPOBJ_TEST_FIGURES") != NULL)
		printf("kind %d epsilon %g: regret %.1f, bound %.1f, base %d, levels %d\n", kind, epsilon,
			   mean, plan.regret, plan.base, plan.levels);
	/* the bound is on the mean; a run has a standard deviation of sqrt(T) / 2 or so */
	CHECK(mean <= plan.regret + 4 * sqrt(2000.0 / 4 / runs));
	CHECK(plan.regret <= 2000);
}

/* ---- choices of the plan ---- */

static void
test_choice(void)
{
	FtrlTerms wanted = terms(1, 0, 10000, 10, FTRL_SCALE);
	FtrlPlan plan;
	FtrlPlan other;

	ftrl_choose(&wanted, &plan);
	CHECK(plan.kind == FTRL_TREE_GAUGE && plan.pure && plan.regret < 1000);
	CHECK(!ftrl_plan(&wanted, FTRL_TREE_GAUSSIAN, &other));
	wanted.delta = DELTA_ONE / 1000000;
	ftrl_choose(&wanted, &plan);
	CHECK(plan.kind == FTRL_TREE_GAUGE && plan.pure);
	wanted.dimension = 100;
	ftrl_choose(&wanted, &plan);
	CHECK(plan.kind == FTRL_TREE_GAUSSIAN && !plan.pure && plan.regret < 2000);
	wanted.steps = 1000;
	ftrl_choose(&wanted, &plan);
	CHECK(plan.kind == FTRL_EXPONENTIAL && !plan.pure);
	for (int kind = 0; kind < FTRL_KINDS; kind++)
		CHECK(ftrl_plan(&wanted, (FtrlKind) kind, &other) && other.regret >= plan.regret);
	wanted.steps = 1;
	ftrl_choose(&wanted, &plan);
	CHECK(plan.kind == FTRL_EXPONENTIAL && plan.pure);
}

/* Noise that would not fit is refused, and the largest parameters are not. */
static void
test_extremes(void)
{
	FtrlTerms wanted = terms(1e-9, 1e-18, FTRL_MAX_STEPS, FTRL_MAX_DIMENSION, FTRL_SCALE);
	FtrlPlan plan;

	CHECK(!ftrl_plan(&wanted, FTRL_TREE_GAUSSIAN, &plan));
	ftrl_choose(&wanted, &plan);
	CHECK(plan.regret == FTRL_MAX_STEPS);
	wanted = terms(10000, 0.5, FTRL_MAX_STEPS, FTRL_MAX_DIMENSION, FTRL_SCALE);
	ftrl_choose(&wanted, &plan);
	CHECK(plan.regret < 10000);
}

static void
test_quantise(void)
{
	const double row[] = {-1, 0, 0.5, 1, INFINITY};
	const double bad[] = {0.5, NAN, 1};
	int32_t quantised[5];

	CHECK(ftrl_quantise(row, 5, 0, 1, 10, quantised));
	CHECK(quantised[0] == 0 && quantised[1] == 0 && quantised[2] == 5);
	CHECK(quantised[3] == 10 && quantised[4] == 10);
	CHECK(ftrl_quantise(row, 5, -1, 1, 10, quantised));
	CHECK(quantised[0] == 0 && quantised[1] == 5 && quantised[4] == 10);
	CHECK(!ftrl_quantise(bad, 3, 0, 1, 10, quantised));
	CHECK(quantised[0] == 0 && quantised[1] == 0 && quantised[2] == 0);
}

/*
 * Noise so large that hardly any lies within 2^50, and choices of the least sum: the same
 * costs at every step must not show.  If noise had ends, sums at the same end would show them.
 */
static void
test_far_noise(void)
{
	const FtrlTerms far = terms(1e-9, 0, 2, 2, FTRL_SCALE);
	const int32_t costs[] = {0, FTRL_SCALE};
	const int runs = 2000;
	FtrlPlan plan;
	int first = 0;

	reseed(3);
	CHECK(ftrl_plan(&far, FTRL_TREE_GAUGE, &plan));
	plan.rate = 1;
	plan.terms.scale *= 1000; /* of the noise: the costs stay as they are */
	CHECK(plan.base == 2 && plan.levels == 1);
	for (int i = 0; i < runs; i++)
	{
		FtrlRun *run = ftrl_start(&plan, &bits, memory);

		(void) ftrl_next(run);
		ftrl_learn(run, costs);
		first += ftrl_next(run) == 0;
		ftrl_end(run, memory);
	}
	CHECK(fabs(first - runs / 2.0) < 6 * sqrt(runs) / 2);
}

int
main(void)
{
	test_begin(1);
	test_exponential_pure();
	test_exponential_concentrated();
	test_levels();
	test_gaussian_nodes(1, 1e-6, 16, 2);
	test_gaussian_nodes(0.5, 1e-4, 60, 3);
	test_gaussian_nodes(3, 1e-8, 5, 4);
	test_run_law(FTRL_TREE_GAUGE, 1);
	test_run_law(FTRL_TREE_GAUSSIAN, 2);
	test_exponential_law();
	test_regret(FTRL_EXPONENTIAL, 4, 1e-6, false);
	test_regret(FTRL_TREE_GAUGE, 4, 0, false);
	test_regret(FTRL_TREE_GAUSSIAN, 4, 1e-6, false);
	test_regret(FTRL_EXPONENTIAL, 100, 0.01, true);
	test_regret(FTRL_TREE_GAUGE, 100, 0, true);
	test_regret(FTRL_TREE_GAUSSIAN, 100, 0.01, true);
	test_choice();
	test_extremes();
	test_far_noise();
	test_quantise();
	return test_end("ftrl");
}
