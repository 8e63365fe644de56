/*
 * test_guarantee.c - lists of ledger rows under each accountant, against values of other programs,
 * closed forms and each other.
 */
#include "core/accounting/guarantee.h"

#include <math.h>
#include <mpfr.h>

#include "core/accounting/accounting.h"
#include "core/noise/calibration.h"
#include "core/accounting/composition.h"
#include "core/accounting/guarantee_laws.h"

#include "core/fixture.h"
#include "core/values.h"

static CountedPair
counted(PairKind kind, double epsilon, double delta, int64_t times)
{
	return (CountedPair){
		.pair = {.kind = kind, .epsilon = nano(epsilon), .delta = atto(delta), .count = 1},
		.adjacency = ADJACENCY_REPLACE,
		.times = times};
}

static CountedPair
gaussian(double mu, double epsilon, double delta, int64_t times)
{
	CountedPair pair = counted(PAIR_GAUSSIAN, epsilon, delta, times);

	pair.pair.mu = mu;
	return pair;
}

static CountedPair
objective(double mu, double ratio, double outer, int64_t times)
{
	CountedPair pair = counted(PAIR_OBJECTIVE, 1, 1e-6, times);

	pair.pair.mu = mu;
	pair.pair.ratio = ratio;
	pair.pair.outer = outer;
	return pair;
}

static CountedPair
sampled(PairKind kind, double rate, double noise, int64_t steps)
{
	CountedPair pair = counted(kind, 3, 1e-6, 1);

	pair.pair.rate = rate;
	pair.pair.noise = noise;
	pair.pair.count = steps;
	return pair;
}

static CountedPair
under(Adjacency adjacency, CountedPair pair)
{
	pair.adjacency = adjacency;
	return pair;
}

/* epsilon in units of 1.0, INFINITY if none is known. */
static double
epsilon_for(Adjacency neighbours, const CountedPair *pair, int pairs, GuaranteeKind kind,
			double delta)
{
	Guarantee guarantee = guarantee_composed(pair, pairs, neighbours, kind, atto(delta), memory);

	return guarantee.known ? (double) guarantee.epsilon / EPSILON_ONE : INFINITY;
}

static double
epsilon_of(const CountedPair *pair, int pairs, GuaranteeKind kind, double delta)
{
	return epsilon_for(ADJACENCY_REPLACE, pair, pairs, kind, delta);
}

/* ---- values ---- */

/* Theorems A5, A7 and A8, by other programs. */
static void
test_values(void)
{
	CountedPair list[] = {counted(PAIR_PURE, 0.1, 0, 10), gaussian(0.2, 0.9, 1e-6, 1),
						  counted(PAIR_APPROXIMATE, 0.3, 1e-7, 1)};

	CHECK(is_between(epsilon_of(list, 1, GUARANTEE_DISTRIBUTION, 1e-6), 0.9993709, 0.99940));
	CHECK(is_between(epsilon_of(list, 3, GUARANTEE_DISTRIBUTION, 1e-6), 1.7757146, 1.77574));
	for (int i = 0; i < 4; i++)
	{
		CountedPair pair = counted(PAIR_PURE, optimal_values[i].epsilon, 0, optimal_values[i].k);

		CHECK(is_between(epsilon_of(&pair, 1, GUARANTEE_OPTIMAL, 1e-6),
						 optimal_values[i].composed - 5e-7, optimal_values[i].composed + 6e-7));
	}
	for (int i = 0; i < 3; i++)
	{
		CountedPair pair = counted(PAIR_CONCENTRATED, 9, 1e-5, 10);

		pair.pair.rho = zcdp_values[i].rho / 10;
		CHECK(is_between(epsilon_of(&pair, 1, GUARANTEE_ZCDP, zcdp_values[i].delta),
						 zcdp_values[i].epsilon - 5e-7, zcdp_values[i].epsilon + 6e-7));
	}
}

/* DP-SGD, theorem D2: not below the value at all integer orders, and near it. */
static void
test_samples(void)
{
	static const double value[][6] = {{256.0 / 60000, 1.1, 14062, 1e-5, 2.596981, 2.38195},
									  {0.01, 1, 1000, 1e-6, 2.436694, 2.12455}};

	for (int i = 0; i < 2; i++)
	{
		CountedPair pair = under(ADJACENCY_ADD_REMOVE, sampled(PAIR_SAMPLED, value[i][0],
															   value[i][1], (int64_t) value[i][2]));
		CountedPair batches =
			sampled(PAIR_BATCHES, value[i][0], value[i][1], (int64_t) value[i][2]);

		CHECK(is_between(epsilon_for(ADJACENCY_ADD_REMOVE, &pair, 1, GUARANTEE_RDP, value[i][3]),
						 value[i][4] - 5e-7, value[i][4] * 1.03));
		CHECK(is_between(
			epsilon_for(ADJACENCY_ADD_REMOVE, &pair, 1, GUARANTEE_DISTRIBUTION, value[i][3]),
			value[i][5] - 1e-3, value[i][5] + 1e-5));
		/* of a row that is replaced samples and batches have one law, and its gradient moves twice
		 * as far */
		CHECK(epsilon_of(&pair, 1, GUARANTEE_DISTRIBUTION, value[i][3]) ==
			  epsilon_of(&batches, 1, GUARANTEE_DISTRIBUTION, value[i][3]));
		CHECK(epsilon_of(&batches, 1, GUARANTEE_DISTRIBUTION, value[i][3]) > 1.5 * value[i][5]);
		CHECK(epsilon_of(&batches, 1, GUARANTEE_DISTRIBUTION, value[i][3]) <=
			  epsilon_of(&batches, 1, GUARANTEE_RDP, value[i][3]));
		/* batches under add_remove: nothing but the claim */
		batches = under(ADJACENCY_ADD_REMOVE, batches);
		CHECK(epsilon_for(ADJACENCY_ADD_REMOVE, &batches, 1, GUARANTEE_DISTRIBUTION, 1e-6) == 3);
	}
}

/* No accountant is below the exact guarantee of k Gaussian mechanisms. */
static void
test_upper_bounds(void)
{
	for (double mu = 0.03; mu < 3; mu *= check_share() < 100 ? 9 : 2)
		for (int64_t times = 1; times <= 1000; times *= 10)
			for (int which = 0; which < GUARANTEE_KINDS; which++)
			{
				double claim = mu * mu / 2 + 5 * mu;
				double tail = fmin(calibration_gaussian_delta(claim, mu) * 1.01 + 2e-18, 1);
				CountedPair pair = gaussian(mu, claim, tail, times);
				double epsilon = epsilon_of(&pair, 1, (GuaranteeKind) which, 1e-5);
				Guarantee guarantee = guarantee_composed(&pair, 1, ADJACENCY_REPLACE,
														 (GuaranteeKind) which, atto(1e-5), memory);
				double exact = calibration_gaussian_delta(epsilon, mu * sqrt((double) times));

				if (isinf(epsilon))
					continue;
				CHECK(exact <= (double) guarantee.delta / DELTA_ONE * (1 + 1e-9));
				CHECK(guarantee.delta == atto(1e-5) || which == GUARANTEE_BASIC);
				CHECK((guarantee.order > 0) == (which == GUARANTEE_RDP));
			}
}

/* A hundred Gaussian releases at (0.1, 1e-8): more than five times below the sum. */
static void
test_many_gaussians(void)
{
	double mu = 1 / calibration_gaussian_sigma(0.1, 1e-8);
	CountedPair pair = gaussian(mu, 0.1, 1e-8, 100);
	double exact = calibration_gaussian_sigma(1, 1e-6);
	double best = epsilon_of(&pair, 1, GUARANTEE_DISTRIBUTION, 1e-6);

	CHECK(epsilon_of(&pair, 1, GUARANTEE_BASIC, 1e-6) == 10);
	CHECK(epsilon_of(&pair, 1, GUARANTEE_ZCDP, 1e-6) < 2);
	CHECK(best < epsilon_of(&pair, 1, GUARANTEE_RDP, 1e-6));
	CHECK(epsilon_of(&pair, 1, GUARANTEE_RDP, 1e-6) <
		  epsilon_of(&pair, 1, GUARANTEE_ZCDP, 1e-6) * 1.01);
	CHECK(is_between(calibration_gaussian_delta(best, 10 * mu), 0.999e-6, 1e-6));
	CHECK(exact > 4); /* sigma of (1, 1e-6), theorem A2 */
}

/* ---- units ---- */

/* One row that goes and one that comes, for every accountant and every kind of pair. */
static void
test_replaced(void)
{
	static const struct
	{
		PairKind kind;
		double delta;
	} kinds[] = {{PAIR_PURE, 0}, {PAIR_APPROXIMATE, 1e-8}, {PAIR_NONE, 0}, {PAIR_RANGE, 0}};

	for (int i = 0; i < 4; i++)
		for (int which = 0; which < GUARANTEE_KINDS; which++)
		{
			CountedPair once =
				under(ADJACENCY_ADD_REMOVE, counted(kinds[i].kind, 0.2, kinds[i].delta, 7));
			CountedPair twice = counted(kinds[i].kind, 0.4, 0, 7);
			double delta = 1e-6;

			twice.pair.delta = accounting_group_delta(nano(0.2), atto(kinds[i].delta), 2);
			CHECK(epsilon_of(&once, 1, (GuaranteeKind) which, delta) ==
				  epsilon_of(&twice, 1, (GuaranteeKind) which, delta));
			CHECK(epsilon_for(ADJACENCY_ADD_REMOVE, &once, 1, (GuaranteeKind) which, delta) <
				  epsilon_of(&once, 1, (GuaranteeKind) which, delta));
			/* nothing follows the other way round */
			CHECK(
				isinf(epsilon_for(ADJACENCY_ADD_REMOVE, &twice, 1, (GuaranteeKind) which, delta)));
		}
	{
		CountedPair once = under(ADJACENCY_ADD_REMOVE, gaussian(0.1, 0.5, 1e-6, 3));
		CountedPair twice = gaussian(0.2, 0.5, 1e-6, 3);

		CHECK(epsilon_of(&once, 1, GUARANTEE_DISTRIBUTION, 1e-5) ==
			  epsilon_of(&twice, 1, GUARANTEE_DISTRIBUTION, 1e-5));
		CHECK(epsilon_of(&once, 1, GUARANTEE_ZCDP, 1e-5) ==
			  epsilon_of(&twice, 1, GUARANTEE_ZCDP, 1e-5));
		once = under(ADJACENCY_ADD_REMOVE, objective(0.1, 0.05, 0.01, 3));
		twice = objective(0.2, 0.05, 0.02, 3);
		CHECK(epsilon_of(&once, 1, GUARANTEE_DISTRIBUTION, 1e-5) ==
			  epsilon_of(&twice, 1, GUARANTEE_DISTRIBUTION, 1e-5));
	}
}

/* Both noises of objective perturbation count: here the second is nearly all. */
static void
test_objective(void)
{
	CountedPair pair = objective(1e-4, 1e-6, 0.5, 1);

	CHECK(is_between(epsilon_of(&pair, 1, GUARANTEE_DISTRIBUTION, 1e-9), 0.5, 0.502));
	pair = objective(0.2, 0.25, 1e-6, 1);
	CHECK(is_between(epsilon_of(&pair, 1, GUARANTEE_DISTRIBUTION, 1e-6),
					 log(1.25) + 0.02 + 0.2 * 4.5, log(1.25) + 0.02 + 0.2 * 5.3));
}

/* A release and a pure one after it cost what they cost as two rows of the ledger (theorem X6). */
static void
test_with_pure(void)
{
	const CountedPair law[] = {counted(PAIR_PURE, 0.4, 0, 5),
							   counted(PAIR_RANGE, 0.4, 0, 5),
							   gaussian(0.1, 0.5, 1e-6, 5),
							   objective(0.1, 0.05, 0.01, 5),
							   sampled(PAIR_SAMPLED, 0.1, 1, 20),
							   sampled(PAIR_BATCHES, 0.1, 1, 20),
							   counted(PAIR_APPROXIMATE, 0.4, 1e-8, 5)};

	for (int i = 0; i < 7; i++)
		for (int which = 0; which < GUARANTEE_KINDS; which++)
			for (int changed = 0; changed < 2; changed++)
			{
				Adjacency adjacency = changed ? ADJACENCY_ADD_REMOVE : ADJACENCY_REPLACE;
				CountedPair both = under(adjacency, law[i]);
				CountedPair apart[] = {both, under(adjacency, counted(PAIR_PURE, 0.3, 0, 0))};

				if (which == GUARANTEE_OPTIMAL)
					continue;
				apart[1].times = both.times;
				both.pair = pair_with_pure(&both.pair, nano(0.3));
				CHECK(epsilon_of(&both, 1, (GuaranteeKind) which, 1e-4) ==
					  epsilon_of(apart, 2, (GuaranteeKind) which, 1e-4));
			}
}

/* ---- deltas ---- */

static void
test_deltas(void)
{
	CountedPair list[] = {counted(PAIR_APPROXIMATE, 0.1, 1e-7, 10), counted(PAIR_PURE, 0.1, 0, 1)};
	Guarantee sum =
		guarantee_composed(list, 2, ADJACENCY_REPLACE, GUARANTEE_BASIC, atto(1e-12), memory);

	CHECK(sum.known && sum.epsilon == nano(1.1) && sum.delta == atto(1e-6));
	for (int which = GUARANTEE_ZCDP; which < GUARANTEE_KINDS; which++)
	{
		/* 1e-6 is for the releases, and the conversion needs something too */
		CHECK(isinf(epsilon_of(list, 2, (GuaranteeKind) which, 0.9e-6)));
		CHECK(isinf(epsilon_of(list, 2, (GuaranteeKind) which, 0)));
		CHECK(isinf(epsilon_of(list, 2, (GuaranteeKind) which, 2e-6)) ==
			  (which == GUARANTEE_OPTIMAL));
		CHECK(epsilon_of(NULL, 0, (GuaranteeKind) which, 0) == 0);
	}
	CHECK(isinf(epsilon_of(list, 2, GUARANTEE_ZCDP, 1e-6)));
	CHECK(epsilon_of(list, 1, GUARANTEE_OPTIMAL, 1e-6) <= 1);
	CHECK(epsilon_of(NULL, 0, GUARANTEE_BASIC, 0) == 0);
	/* what converts is what is left: ten releases less than the same at twice the delta */
	CHECK(epsilon_of(list, 1, GUARANTEE_ZCDP, 1.5e-6) >
		  epsilon_of((CountedPair[]){counted(PAIR_PURE, 0.1, 0, 10)}, 1, GUARANTEE_ZCDP, 1.5e-6));
	CHECK(epsilon_of(list, 1, GUARANTEE_ZCDP, 1.5e-6) ==
		  epsilon_of((CountedPair[]){counted(PAIR_PURE, 0.1, 0, 10)}, 1, GUARANTEE_ZCDP, 0.5e-6));
	CHECK(epsilon_of(list, 1, GUARANTEE_RDP, 1.5e-6) ==
		  epsilon_of((CountedPair[]){counted(PAIR_PURE, 0.1, 0, 10)}, 1, GUARANTEE_RDP, 0.5e-6));
	/* equal claims of other kinds */
	list[1] = counted(PAIR_NONE, 0.1, 1e-7, 2);
	CHECK(epsilon_of(list, 2, GUARANTEE_OPTIMAL, 2e-6) ==
		  epsilon_of((CountedPair[]){counted(PAIR_APPROXIMATE, 0.1, 1e-7, 12)}, 1,
					 GUARANTEE_OPTIMAL, 2e-6));
}

/* Sums are exact, and what is too large is not known. */
static void
test_sums(void)
{
	CountedPair million = counted(PAIR_RANGE, 0.1, 0, 1000000);
	CountedPair list[] = {counted(PAIR_PURE, 10000, 0, 1000000), million};

	CHECK(epsilon_of(&million, 1, GUARANTEE_BASIC, 0) == 100000);
	CHECK(is_between(epsilon_of(&million, 1, GUARANTEE_ZCDP, 1e-6), 1250, 1250 + 2 * 150));
	CHECK(isinf(epsilon_of(list, 2, GUARANTEE_BASIC, 1e-6)));
	CHECK(isinf(epsilon_of(list, 2, GUARANTEE_ZCDP, 1e-6)));
	CHECK(isinf(epsilon_of(list, 2, GUARANTEE_RDP, 1e-6)));
	CHECK(isinf(epsilon_of(list, 1, GUARANTEE_OPTIMAL, 1e-6)));
}

/* ---- order and size ---- */

static void
make_mix(CountedPair *list)
{
	list[0] = counted(PAIR_PURE, 0.05, 0, 8);
	list[1] = gaussian(0.3, 1.5, 1e-7, 2);
	list[2] = counted(PAIR_RANGE, 0.2, 0, 5);
	list[3] = sampled(PAIR_BATCHES, 0.02, 2, 50);
	list[4] = objective(0.2, 0.1, 0.004, 2);
	list[5] = counted(PAIR_CONCENTRATED, 0.4, 0, 1);
	list[5].pair.rho = 0.01;
	list[6] = counted(PAIR_NONE, 0.1, 1e-9, 3);
	list[7] = under(ADJACENCY_ADD_REMOVE, counted(PAIR_PURE, 0.03, 0, 2));
}

static void
test_order(void)
{
	CountedPair list[8];

	if (check_share() < 100)
		return;
	make_mix(list);
	for (int which = 0; which < GUARANTEE_KINDS; which++)
	{
		double all = epsilon_of(list, 8, (GuaranteeKind) which, 1e-5);
		bool slow = which == GUARANTEE_DISTRIBUTION;

		if (which == GUARANTEE_OPTIMAL)
			continue;
		CHECK(!isinf(all));
		/* distributions take longer: one of them */
		for (int k = slow ? 4 : 0; k < (slow ? 5 : 8); k++)
		{
			CountedPair more[8];
			CountedPair fewer[8];
			CountedPair turned[9];

			for (int j = 0; j < 8; j++)
			{
				more[j] = fewer[j] = list[j];
				turned[j] = list[(k + 3 * j) % 8];
			}
			more[k].times++;
			fewer[k].times--;
			CHECK(epsilon_of(more, 8, (GuaranteeKind) which, 1e-5) > all);
			CHECK(epsilon_of(fewer, 8, (GuaranteeKind) which, 1e-5) < all);
			CHECK(epsilon_of(turned, 8, (GuaranteeKind) which, 1e-5) == all);
			/* one row of the ledger in a place of its own */
			turned[8] = turned[0];
			turned[8].times = 1;
			turned[0].times--;
			CHECK(epsilon_of(turned, 9, (GuaranteeKind) which, 1e-5) == all);
		}
		CHECK(which == GUARANTEE_BASIC || epsilon_of(list, 8, (GuaranteeKind) which, 1e-8) > all);
	}
}

/*
 * More laws than can be composed one by one: not below the list with every law of its own, and not
 * by much above.
 */
static void
test_many_laws(void)
{
	enum
	{
		COUNT = 300
	};
	CountedPair list[COUNT + 2];
	CompositionPair each[COUNT + 2];
	int64_t exact;
	double delta = 1e-5;
	double found;

	if (check_share() < 100)
		return;
	for (int k = 0; k < COUNT; k++)
	{
		double epsilon = 0.01 + 0.0013 * k;

		list[k] = counted(k % 3 == 0   ? PAIR_APPROXIMATE
						  : k % 3 == 1 ? PAIR_RANGE
									   : PAIR_PURE,
						  epsilon, k % 3 == 0 ? 1e-9 : 0, 1);
		each[k] =
			(CompositionPair){.kind = k % 3 == 1 ? COMPOSITION_RANGE : COMPOSITION_APPROXIMATE,
							  .times = 1,
							  .epsilon = nano(epsilon),
							  .delta = k % 3 == 0 ? atto(1e-9) : 0};
	}
	list[COUNT] = sampled(PAIR_BATCHES, 0.013, 2.1, 20);
	each[COUNT] =
		(CompositionPair){.kind = COMPOSITION_SAMPLED, .times = 20, .rate = 0.013, .noise = 2.1};
	list[COUNT + 1] = gaussian(0.1, 0.5, 1e-6, 5);
	each[COUNT + 1] = (CompositionPair){.kind = COMPOSITION_GAUSSIAN, .times = 5, .mu = 0.1};
	CHECK(composition_epsilon(each, COUNT + 2, ADJACENCY_REPLACE, atto(delta), memory, &exact));
	found = epsilon_of(list, COUNT + 2, GUARANTEE_DISTRIBUTION, delta);
	CHECK(is_between(found, (double) exact / EPSILON_ONE, 1.05 * (double) exact / EPSILON_ONE));
	/* the deltas of the claims are taken off first */
	CHECK(isinf(epsilon_of(list, COUNT + 2, GUARANTEE_DISTRIBUTION, 5e-8)));
}

/* ---- fewer laws ---- */

static double *
place_of(CompositionPair *law, int parameter)
{
	double *places[] = {&law->mu, &law->curvature, &law->rate, &law->noise};

	return places[parameter];
}

/* Of which parameter, from 0 on, there are how many releases that cost at least that much? */
static int64_t
count_beyond(CompositionPair *law, int laws, int parameter, double value)
{
	int64_t beyond = 0;

	for (int k = 0; k < laws; k++)
		if (parameter == 4   ? (double) law[k].epsilon >= value
			: parameter == 3 ? *place_of(&law[k], 3) <= value
							 : *place_of(&law[k], parameter) >= value)
			beyond += law[k].times;
	return beyond;
}

/* Every parameter is rounded to the side that costs more, and by little. */
static void
test_fewer_laws(void)
{
	enum
	{
		COUNT = 1000
	};
	static CompositionPair list[COUNT];
	static CompositionPair fewer[COUNT];
	static const CompositionKind kinds[] = {COMPOSITION_OBJECTIVE, COMPOSITION_OBJECTIVE,
											COMPOSITION_SAMPLED, COMPOSITION_SAMPLED,
											COMPOSITION_RANGE};

	for (int parameter = 0; parameter <= 4; parameter++)
	{
		int64_t left = atto(1e-6);
		int laws;

		for (int k = 0; k < COUNT; k++)
		{
			list[k] = (CompositionPair){.kind = kinds[parameter], .times = 1 + k % 3};
			if (parameter == 4)
				list[k].epsilon = nano(0.01) + 100003 * k;
			else
				*place_of(&list[k], parameter) = 0.01 + 0.0005 * k;
			fewer[k] = list[k];
		}
		laws = guarantee_few_laws(fewer, COUNT, &left, memory);
		CHECK(laws > 10 && laws <= 128);
		CHECK(left == atto(1e-6));
		for (int k = 0; k < COUNT; k++)
		{
			double value =
				parameter == 4 ? (double) list[k].epsilon : *place_of(&list[k], parameter);
			double more = parameter == 3 ? value / 1.06 : value * 1.06;

			CHECK(count_beyond(fewer, laws, parameter, value) >=
				  count_beyond(list, COUNT, parameter, value));
			CHECK(count_beyond(fewer, laws, parameter, more) <=
				  count_beyond(list, COUNT, parameter, value));
		}
		CHECK(count_beyond(fewer, laws, 0, 0) == count_beyond(list, COUNT, 0, 0));
	}
	/* a Gaussian mechanism costs nothing to compose, and a claim's delta is taken off */
	for (int k = 0; k < COUNT; k++)
		fewer[k] =
			(CompositionPair){.kind = k % 2 == 0 ? COMPOSITION_GAUSSIAN : COMPOSITION_APPROXIMATE,
							  .times = 2,
							  .mu = k % 2 == 0 ? 0.01 + k * 0.001 : 0,
							  .epsilon = k % 2 == 0 ? 0 : nano(0.01) + k * 1000,
							  .delta = k % 2 == 0 ? 0 : 7};
	{
		int64_t left = 7000;
		int laws = guarantee_few_laws(fewer, COUNT, &left, memory);

		CHECK(laws > COUNT / 2 && laws <= COUNT / 2 + 128);
		CHECK(left == 0);
	}
}

static void
test_names(void)
{
	for (int which = 0; which < GUARANTEE_KINDS; which++)
	{
		const char *name = guarantee_name((GuaranteeKind) which);

		CHECK(guarantee_named(name) == (GuaranteeKind) which);
		CHECK(guarantee_assumes((GuaranteeKind) which)[0] != '\0');
	}
	CHECK(guarantee_named("best") == GUARANTEE_KINDS);
}

int
main(void)
{
	test_begin(1);
	test_values();
	test_samples();
	test_upper_bounds();
	test_many_gaussians();
	test_replaced();
	test_objective();
	test_with_pure();
	test_deltas();
	test_sums();
	test_order();
	test_many_laws();
	test_fewer_laws();
	test_names();
	return test_end("guarantee");
}
