/*
 * test_evaluation.c - noisy counts of right and wrong predictions: their law, the law of the
 * accuracy computed from two of them, the privacy loss between neighbours, and the error bound.
 */
#include "core/looks/evaluation.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/fixture.h"
#include "core/law.h"

/* Noise beyond it has a mass below e^-40 at the rates used here. */
#define REACH 160

/* The definition: epsilon over 2 rows under replace, over 1 under add_remove. */
static double
rate_of(int64_t epsilon, Adjacency adjacency)
{
	return (double) epsilon / 1e9 / (adjacency == ADJACENCY_REPLACE ? 2.0 : 1.0);
}

static double
noise_probability(int64_t z, double rate)
{
	return tanh(rate / 2) * exp(-rate * (double) llabs(z));
}

/* ---- the accuracy ---- */

/* All values that it can have with noise up to REACH, ascending; -1 stands for none. */
typedef struct Fractions
{
	int count;
	double value[(2 * REACH + 1) * (2 * REACH + 1)];
	double truth[(2 * REACH + 1) * (2 * REACH + 1)];
	double other[(2 * REACH + 1) * (2 * REACH + 1)];
	int64_t drawn[(2 * REACH + 1) * (2 * REACH + 1)];
} Fractions;

static Fractions fractions;

static double
fraction(int64_t right, int64_t wrong)
{
	right = right > 0 ? right : 0;
	wrong = wrong > 0 ? wrong : 0;
	return right + wrong > 0 ? (double) right / (double) (right + wrong) : -1.0;
}

static void
list_fractions(int64_t right, int64_t wrong)
{
	int all = 0;

	memset(&fractions, 0, sizeof(fractions));
	for (int64_t a = -REACH; a <= REACH; a++)
		for (int64_t b = -REACH; b <= REACH; b++)
			fractions.value[all++] = fraction(right + a, wrong + b);
	qsort(fractions.value, (size_t) all, sizeof(double), compare_doubles);
	for (int i = 0; i < all; i++)
		if (i == 0 || fractions.value[i] != fractions.value[i - 1])
			fractions.value[fractions.count++] = fractions.value[i];
}

static int
cell_of(double value)
{
	double *found =
		bsearch(&value, fractions.value, (size_t) fractions.count, sizeof(double), compare_doubles);

	return found == NULL ? -1 : (int) (found - fractions.value);
}

/* The mass of every value: summed directly over pairs of noises. */
static void
weigh_fractions(int64_t right, int64_t wrong, double rate, double *law)
{
	for (int64_t a = -REACH; a <= REACH; a++)
		for (int64_t b = -REACH; b <= REACH; b++)
			law[cell_of(fraction(right + a, wrong + b))] +=
				noise_probability(a, rate) * noise_probability(b, rate);
}

static void
test_accuracy_law(int64_t right, int64_t wrong, int64_t epsilon, Adjacency adjacency)
{
	double rate = rate_of(epsilon, adjacency);
	int64_t outside = 0;

	list_fractions(right, wrong);
	weigh_fractions(right, wrong, rate, fractions.truth);
	weigh_fractions(right, wrong, rate * LAW_OFF, fractions.other);
	for (int draw = 0; draw < LAW_DRAWS; draw++)
	{
		int64_t count[2] = {right, wrong};
		double accuracy = -1.0;
		int cell;

		evaluation_noise(&bits, epsilon, adjacency, count, 2);
		if (!evaluation_accuracy(count[0], count[1], &accuracy))
			accuracy = -1.0;
		cell = cell_of(accuracy);
		if (cell < 0)
			outside++;
		else
			fractions.drawn[cell]++;
	}
	CHECK(outside == 0);
	CHECK_LAW(fractions.drawn, fractions.truth, fractions.other, fractions.count);
}

static void
test_accuracy(void)
{
	double accuracy = 7.0;

	CHECK(evaluation_accuracy(3, 1, &accuracy) && accuracy == 0.75);
	CHECK(evaluation_accuracy(-3, 5, &accuracy) && accuracy == 0.0);
	CHECK(evaluation_accuracy(5, -3, &accuracy) && accuracy == 1.0);
	CHECK(evaluation_accuracy(INT64_MAX, INT64_MAX, &accuracy) && accuracy == 0.5);
	accuracy = 7.0;
	CHECK(!evaluation_accuracy(0, 0, &accuracy) && !evaluation_accuracy(-1, INT64_MIN, &accuracy));
	CHECK(accuracy == 7.0);
	reseed(1);
	test_accuracy_law(12, 5, EPSILON_ONE, ADJACENCY_REPLACE);
	test_accuracy_law(12, 5, EPSILON_ONE, ADJACENCY_ADD_REMOVE);
	test_accuracy_law(0, 0, EPSILON_ONE, ADJACENCY_REPLACE);
	test_accuracy_law(40, 2, EPSILON_ONE / 2, ADJACENCY_ADD_REMOVE);
}

/* ---- the counts ---- */

/* Each of four by itself, and two neighbouring ones together, which shows that they differ. */
static void
test_counts_law(Adjacency adjacency)
{
	enum
	{
		NEAR = 12, /* what is farther counts there */
		SIDE = 2 * NEAR + 1
	};
	static const int64_t truth[4] = {50, 0, 7, 1000000};
	double rate = rate_of(EPSILON_ONE, adjacency);
	Histogram alone[4];
	Histogram pair = histogram_create(SIDE * SIDE);

	for (int i = 0; i < 4; i++)
		alone[i] = histogram_create(SIDE);
	for (int draw = 0; draw < LAW_DRAWS; draw++)
	{
		int64_t count[4];
		int64_t cell[4];

		memcpy(count, truth, sizeof(count));
		evaluation_noise(&bits, EPSILON_ONE, adjacency, count, 4);
		for (int i = 0; i < 4; i++)
		{
			cell[i] = count[i] - truth[i];
			cell[i] = (cell[i] < -NEAR ? -NEAR : cell[i] > NEAR ? NEAR : cell[i]) + NEAR;
			histogram_add(&alone[i], (uint64_t) cell[i]);
		}
		histogram_add(&pair, (uint64_t) (cell[1] * SIDE + cell[2]));
	}
	for (int64_t z = -REACH; z <= REACH; z++)
	{
		int64_t near = (z < -NEAR ? -NEAR : z > NEAR ? NEAR : z) + NEAR;

		for (int i = 0; i < 4; i++)
		{
			alone[i].truth[near] += noise_probability(z, rate);
			alone[i].other[near] += noise_probability(z, rate * LAW_OFF);
		}
	}
	for (int a = 0; a < SIDE; a++)
		for (int b = 0; b < SIDE; b++)
		{
			pair.truth[a * SIDE + b] = alone[1].truth[a] * alone[2].truth[b];
			pair.other[a * SIDE + b] = a == b ? alone[1].truth[a] : 0.0;
		}
	for (int i = 0; i < 4; i++)
		CHECK_LAW(alone[i].count, alone[i].truth, alone[i].other, SIDE);
	CHECK_LAW(pair.count, pair.truth, pair.other, SIDE * SIDE);
	for (int i = 0; i < 4; i++)
		histogram_destroy(&alone[i]);
	histogram_destroy(&pair);
}

/* Every cell of a table of many classes has the same law, whatever its place. */
static void
test_classes_law(int classes)
{
	enum
	{
		NEAR = 12,
		SIDE = 2 * NEAR + 1
	};
	int cells = classes * classes;
	int64_t count[EVALUATION_COUNTS];
	double rate = rate_of(EPSILON_ONE, ADJACENCY_REPLACE);
	Histogram noise = histogram_create(SIDE);

	for (int draw = 0; draw < LAW_DRAWS; draw += cells)
	{
		for (int i = 0; i < cells; i++)
			count[i] = i;
		evaluation_noise(&bits, EPSILON_ONE, ADJACENCY_REPLACE, count, cells);
		for (int i = 0; i < cells; i++)
		{
			int64_t z = count[i] - i;

			histogram_add(&noise, (uint64_t) ((z < -NEAR ? -NEAR : z > NEAR ? NEAR : z) + NEAR));
		}
	}
	for (int64_t z = -REACH; z <= REACH; z++)
	{
		int64_t near = (z < -NEAR ? -NEAR : z > NEAR ? NEAR : z) + NEAR;

		noise.truth[near] += noise_probability(z, rate);
		noise.other[near] += noise_probability(z, rate * LAW_OFF);
	}
	CHECK_LAW(noise.count, noise.truth, noise.other, SIDE);
	histogram_destroy(&noise);
}

/* ---- neighbours ---- */

/* The log of the ratio of two densities of noisy counts at one outcome. */
static double
log_ratio(const int64_t *count, const int64_t *neighbour, const int64_t *outcome, double rate)
{
	int64_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum += llabs(neighbour[i] - outcome[i]) - llabs(count[i] - outcome[i]);
	return rate * (double) sum;
}

/* The most that any outcome near the counts tells about which of the two it was. */
static double
largest_loss(const int64_t *count, const int64_t *neighbour, double rate)
{
	double largest = 0.0;

	for (int outcome = 0; outcome < 6 * 6 * 6 * 6; outcome++)
	{
		int64_t at[4] = {outcome % 6 - 1, outcome / 6 % 6 - 1, outcome / 36 % 6 - 1,
						 outcome / 216 - 1};

		largest = fmax(largest, fabs(log_ratio(count, neighbour, at, rate)));
	}
	return largest;
}

/* Where a row can be: in one of the four counts, or in none (a neutral row, or no row). */
static void
test_neighbours(Adjacency adjacency)
{
	double epsilon = 1.0;
	double rate = epsilon / evaluation_sensitivity(adjacency);
	double worst = 0.0;

	for (int start = 0; start < 81; start++)
		for (int from = 0; from < 5; from++)
			for (int to = 0; to < 5; to++)
			{
				int64_t count[4] = {start % 3, start / 3 % 3, start / 9 % 3, start / 27};
				int64_t neighbour[4];

				/* under add_remove one of the two is without the row */
				if (adjacency == ADJACENCY_ADD_REMOVE && from != 4 && to != 4)
					continue;
				memcpy(neighbour, count, sizeof(count));
				if (from < 4)
					count[from]++;
				if (to < 4)
					neighbour[to]++;
				worst = fmax(worst, largest_loss(count, neighbour, rate));
			}
	CHECK(worst <= epsilon * (1 + 1e-12));
	CHECK(worst >= epsilon * (1 - 1e-12)); /* and no less: the noise is not wasted */
}

/* ---- the bound ---- */

/* The chance that one of the counts is more than t away, from the law. */
static double
miss_probability(double t, double rate, int counts)
{
	double inside = 0.0;

	for (int64_t z = (int64_t) -t; z <= (int64_t) t; z++)
		inside += noise_probability(z, rate);
	return counts * (1 - inside);
}

static void
test_error(void)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE / 2, EPSILON_ONE,
									   3 * EPSILON_ONE, 100 * EPSILON_ONE};

	for (int e = 0; e < 5; e++)
		for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE;
			 adjacency++)
			for (int counts = 1; counts <= 4; counts++)
			{
				double rate = rate_of(epsilons[e], adjacency);
				double t = evaluation_error(epsilons[e], adjacency, counts, 0.05);

				CHECK(t >= 0.0 && t == floor(t));
				CHECK(miss_probability(t, rate, counts) <= 0.05 + 1e-12);
				CHECK(t == 0.0 || miss_probability(t - 1, rate, counts) > 0.05 - 1e-9);
			}
	/* 2 exp(-(t + 1) / 2) / (1 + exp(-1/2)) * 2 <= 0.05 from t + 1 = 7.816 on, by hand */
	CHECK(evaluation_error(EPSILON_ONE, ADJACENCY_REPLACE, 2, 0.05) == 7.0);
}

/* Noise so large that sums leave int64 is clamped, and does not wrap around. */
static void
test_clamping(void)
{
	int negative = 0;

	for (int i = 0; i < 1000; i++)
	{
		int64_t count = INT64_MAX - 1;

		evaluation_noise(&bits, 1, ADJACENCY_REPLACE, &count, 1);
		negative += count < 0;
	}
	CHECK(negative == 0);
}

int
main(void)
{
	test_begin(2);
	CHECK(evaluation_sensitivity(ADJACENCY_REPLACE) == 2);
	CHECK(evaluation_sensitivity(ADJACENCY_ADD_REMOVE) == 1);
	test_accuracy();
	test_counts_law(ADJACENCY_REPLACE);
	test_counts_law(ADJACENCY_ADD_REMOVE);
	test_classes_law(3);
	test_classes_law(INSTANCE_MAX_CLASSES);
	test_neighbours(ADJACENCY_REPLACE);
	test_neighbours(ADJACENCY_ADD_REMOVE);
	test_error();
	test_clamping();
	return test_end("evaluation");
}
