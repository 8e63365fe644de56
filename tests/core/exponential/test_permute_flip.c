/*
 * test_permute_flip.c - permute-and-flip against its law by integration, and its parts: counts by
 * classes, and binomial numbers of rare events.
 */
#include "core/exponential/select_internal.h"

#include <math.h>

#include "core/fixture.h"
#include "core/reference.h"

#define MAX_ROWS 16

/*
 * P(w) = p_w * integral over t in 0..1 of prod over v != w of (1 - p_v t): in a
 * uniform order by arrival times, w arrives at t, and nobody before has succeeded.
 */
static void
permute_and_flip_law(const double *coin, double *law)
{
	enum
	{
		STEPS = 2000 /* of Simpson's rule */
	};

	for (int w = 0; w < reference.vectors; w++)
		law[w] = 0.0;
	for (int k = 0; k <= STEPS; k++)
	{
		double t = (double) k / STEPS;
		double simpson = k == 0 || k == STEPS ? 1.0 : k % 2 ? 4.0 : 2.0;
		double product = simpson;

		/* the factor of a sure coin vanishes at t = 1; its products are 0 or of lower order */
		for (int v = 0; v < reference.vectors; v++)
			product *= fmax(1.0 - coin[v] * t, 1e-12);
		for (int w = 0; w < reference.vectors; w++)
			law[w] += coin[w] * product / fmax(1.0 - coin[w] * t, 1e-12);
	}
}

static void
draw_permute_and_flip(const Case *c, int draws)
{
	SelectAnswer answer;

	for (int k = 0; k < draws; k++)
	{
		select_permute_and_flip(&c->problem, &bits, memory, &answer);
		count_answer(&c->grid, &answer);
	}
}

static void
test_permute_and_flip_law(void)
{
	static double law[REFERENCE_VECTORS];
	static double other[REFERENCE_VECTORS];
	int differs = 0;

	reseed(14);
	for (int kind = 0; kind < 2 * CASE_KINDS; kind++)
	{
		Case c;

		telling_case(&c, kind % CASE_KINDS, kind >= CASE_KINDS, 4, EPSILON_ONE);
		permute_and_flip_law(reference.law, law);
		permute_and_flip_law(reference.other, other);
		draw_permute_and_flip(&c, check_repetitions(10000));
		CHECK_LAW(reference.count, law, other, reference.vectors);
		if (p_value(reference.law) < LAW_THRESHOLD)
			differs++;
	}
	CHECK_WHOLE(differs > 0); /* from the exponential mechanism's law */
	for (int round = 0; round < check_repetitions(80); round++)
	{
		static const int64_t epsilons[] = {0, 1, EPSILON_ONE / 4, EPSILON_ONE, SELECT_MAX_EPSILON};
		Case c;

		random_case(&c, round % CASE_KINDS, below(MAX_ROWS + 1), 4,
					epsilons[round / CASE_KINDS % 5]);
		enumerate(&c.problem);
		permute_and_flip_law(reference.law, law);
		draw_permute_and_flip(&c, 300);
		CHECK(p_value(law) > LAW_THRESHOLD);
	}
}

/* Losses and costs of 2^40: the classes do not grow with them. */
static void
test_largest_numbers(void)
{
	static double law[REFERENCE_VECTORS];

	reseed(17);
	for (int round = 0; round < 4; round++)
	{
		Case c;

		largest_case(&c, 40);
		permute_and_flip_law(reference.law, law);
		draw_permute_and_flip(&c, 300);
		CHECK(p_value(law) > LAW_THRESHOLD);
	}
}

/*
 * Every vector is in the class of its score.  Without a prior that is its loss; with one the first
 * class begins at the least score, and a coin inside one shows heads with 1 / e or more.
 */
static void
test_class_counts(void)
{
	reseed(15);
	for (int round = 0; round < check_repetitions(100); round++)
	{
		SelectClasses classes;
		SelectPlan *plan;
		SelectTeam team;
		SelectRate rate;
		uint64_t *count;
		int64_t left = 0;
		int64_t least = INT64_MAX;
		Case c;

		random_case(&c, round % CASE_KINDS, below(MAX_ROWS + 1), 4, EPSILON_ONE);
		c.problem.group = (SelectGroup){0, 0};
		enumerate(&c.problem);
		plan = select_plan_create(&c.problem, 20, SELECT_FASTEST, memory);
		select_team_create(&team, plan, 3, memory);
		rate = select_rate(&c.problem);
		rate.denominator *= plan->scale;
		classes = select_classes(&team, rate);
		count = select_count_classes(&team, &classes, memory);
		for (int k = 0; k < reference.vectors; k++)
		{
			int64_t score =
				plan->scale * (reference.loss[k] - c.instance.constant) + reference.cost[k];
			int64_t class = (score - classes.first) >> classes.shift;

			least = score < least ? score : least;
			count[class < classes.count ? class : classes.count - 1]--;
		}
		for (int64_t k = 0; k < classes.count; k++)
			left += count[k] != 0;
		CHECK(left == 0);
		if (c.problem.prior_power == 0)
			CHECK(classes.first == 0 && classes.shift == 0 && classes.count == plan->span + 1);
		else
			CHECK(classes.first == least &&
				  exp(-rate_of(&c.problem) / PRIOR_SCALE * (double) (1 << classes.shift)) > 0.36);
		memory_release(memory, count);
		select_team_destroy(&team, memory);
		select_plan_destroy(plan, memory);
	}
}

static void
binomial_law(double *law, int n, double p)
{
	for (int k = 0; k <= n; k++)
		law[k] = exp(log_choose(n, k) + k * log(p) + (n - k) * log1p(-p));
}

static void
test_binomial(void)
{
	enum
	{
		COINS = 150
	};
	SelectRate rate = {3, 10};
	uint64_t many = UINT64_C(40000000);

	reseed(16);
	for (int64_t k = 1; k <= 4; k++)
	{
		int64_t count[COINS + 1] = {0};
		double law[COINS + 1];
		double other[COINS + 1];

		for (int draw = 0; draw < LAW_DRAWS; draw++)
			count[select_binomial(&bits, COINS, rate, k)]++;
		binomial_law(law, COINS, exp(-0.3 * (double) k));
		binomial_law(other, COINS, exp(-0.3 * LAW_OFF * (double) k));
		CHECK_LAW(count, law, other, COINS + 1);
	}
	/* many coins: the mean within six standard deviations */
	for (int64_t k = 1; k <= 50; k += 7)
	{
		double p = exp(-0.3 * (double) k);
		double expected = p * (double) many;

		CHECK(fabs((double) select_binomial(&bits, many, rate, k) - expected) <
			  6 * sqrt(expected * (1 - p)) + 1);
	}
	CHECK(select_binomial(&bits, many, rate, 0) == many);
	CHECK(select_binomial(&bits, many, (SelectRate){0, 10}, 5) == many);
	CHECK(select_binomial(&bits, many, rate, INT64_C(1) << 39) == 0);
	CHECK(select_binomial(&bits, 0, rate, 1) == 0);
}

int
main(void)
{
	test_begin(1);
	test_permute_and_flip_law();
	test_largest_numbers();
	test_class_counts();
	test_binomial();
	return test_end("permute_flip");
}
