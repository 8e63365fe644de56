/*
 * test_rating.c - the table with which a model comes: bins, reach, how often its intervals hold the
 * truth of the population, how often chance is called better, the fit of probabilities, and
 * thresholds against a direct search.
 */
#include "core/looks/rater.h"
#include "core/looks/rating.h"
#include "core/looks/rating_quality.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fixture.h"
#include "core/law.h"
#include "core/base/privacy.h"

#define RUNS check_repetitions(2500)

/* ---- a population of normal scores, whose labels follow a logistic function of them ---- */

typedef struct Population
{
	double middle;
	double spread;
	double intercept; /* of the label's logit */
	double slope;
	double chance[2 * RATING_BINS]; /* of the cells of a table */
	double base;
	double auc; /* of the scores */
	double accuracy;
} Population;

/* Cells by a fine sum over the scores. */
static void
populate(Population *population, const RatingTable *table)
{
	double below = 0;

	memset(population->chance, 0, sizeof(population->chance));
	population->base = population->auc = population->accuracy = 0;
	for (int i = 0; i < 20000; i++)
	{
		double score =
			population->middle + population->spread * gsl_cdf_ugaussian_Pinv((i + 0.5) / 20000);
		double p = 1 / (1 + exp(-population->intercept - population->slope * score));
		int bin = 0;

		while (bin < table->cells - 1 && score > table->edge[bin])
			bin++;
		population->chance[2 * bin] += p / 20000;
		population->chance[2 * bin + 1] += (1 - p) / 20000;
		population->base += p / 20000;
		population->accuracy += (score > 0 ? p : 1 - p) / 20000;
		population->auc += p / 20000 * (below + (1 - p) / 40000);
		below += (1 - p) / 20000;
	}
	population->auc /= population->base * (1 - population->base);
}

/* Draws rows of the population, and the noise. */
static void
draw(const Population *population, int rows, RatingTable *table)
{
	memset(table->number, 0, sizeof(table->number));
	for (int i = 0; i < rows; i++)
	{
		double u = between(0, 1);
		int cell = 0;

		while (cell < 2 * table->cells - 1 && u >= population->chance[cell])
			u -= population->chance[cell++];
		table->number[cell]++;
	}
	rating_draw(table, &bits, memory);
}

/* Discrete Laplace noise of this epsilon, or normal noise of a mu that is as strong. */
typedef enum Law
{
	LAPLACE,
	NORMAL,
	LAWS
} Law;

static RatingTable
begin_table(double middle, double spread, int rows, double share, double epsilon, Law law)
{
	RatingTable table = {.adjacency = ADJACENCY_REPLACE,
						 .epsilon = (int64_t) (epsilon * EPSILON_ONE),
						 .mu = law == NORMAL ? epsilon / 2 : 0,
						 .rows_per_person = 1};

	rating_set_bins(&table, middle, spread,
					rating_strength(rows, share, rating_epsilon(&table), 1));
	return table;
}

/* ---- bins and reach ---- */

static void
check_bins(double middle, double spread, double strength, int cells)
{
	RatingTable table = {.rows_per_person = 1};
	bool zero = false;

	rating_set_bins(&table, middle, spread, strength);
	CHECK(table.cells == cells || table.cells == cells + 1);
	for (int i = 0; i < table.cells - 1; i++)
	{
		CHECK(i == 0 || table.edge[i - 1] < table.edge[i]);
		zero = zero || table.edge[i] == 0;
	}
	CHECK(zero);
	/* an edge belongs to the bin below it, as a score of 0 predicts no positive label */
	for (int i = 0; i < table.cells - 1; i++)
	{
		rating_add_scores(&table, table.edge[i], 1, 0);
		rating_add_scores(&table, nextafter(table.edge[i], INFINITY), 0, 1);
		CHECK(table.number[2 * i] == 1 && table.number[2 * i + 3] == 1);
	}
	rating_add_scores(&table, NAN, 5, 0);
	CHECK(table.number[0] >= 5);
}

static void
test_bins(void)
{
	for (int i = -8; i <= 8; i++)
	{
		check_bins(i, 1, 10, 8);
		check_bins(i / 2.0, 0.1, 100, 12);
		check_bins(i, 3, 1000, 16);
	}
	check_bins(0.3, 0, 1000, 16); /* a constant score */
}

/* A row that changes moves two numbers by 1, a person's rows by their number; noise has this scale. */
static void
test_reach(void)
{
	for (int adjacency = 0; adjacency < 2; adjacency++)
		for (int rows = 1; rows <= 3; rows++)
		{
			RatingTable table = {.adjacency = (Adjacency) adjacency,
								 .epsilon = EPSILON_ONE,
								 .rows_per_person = rows};
			double moved = 0;
			double largest = 0;

			rating_set_bins(&table, 0, 1, 1000);
			for (int i = 0; i < rating_numbers(&table); i++)
				largest = fmax(largest, 1.0 / (double) rating_reach(&table, i));
			/* all rows of a person leave one cell, and as many enter another */
			moved = (adjacency == ADJACENCY_REPLACE ? 2.0 : 1.0) * rows * largest;
			CHECK(moved <= 1);
			CHECK(moved > 0.99);
			/* the same in Euclidean norm, against the deviation of normal noise */
			table.mu = 0.3;
			moved = sqrt(adjacency == ADJACENCY_REPLACE ? 2 : 1) * rows /
					rating_noise(&table).deviation;
			CHECK(moved <= 0.3);
			CHECK(moved > 0.2999);
		}
}

/* Normal noise of deviation 2 on each number: its law, and that each has its own. */
static void
test_normal(void)
{
	enum
	{
		MOST = 15
	};
	RatingTable table = {.adjacency = ADJACENCY_ADD_REMOVE, .mu = 1, .rows_per_person = 2};
	int64_t count[2 * MOST + 1] = {0};
	double law[2][2 * MOST + 1];
	double product = 0;
	int draws = LAW_DRAWS / 16;

	rating_set_bins(&table, 0, 1, 10);
	for (int i = -MOST; i <= MOST; i++)
		for (int off = 0; off < 2; off++)
		{
			double deviation = 2 * (off ? LAW_OFF : 1);

			law[off][i + MOST] = gsl_cdf_ugaussian_P((i + 0.5) / deviation) -
								 gsl_cdf_ugaussian_P((i - 0.5) / deviation);
		}
	for (int run = 0; run < draws; run++)
	{
		table.number[0] = INT64_MAX - 3; /* a sum beyond the range ends there */
		for (int i = 1; i < 16; i++)
			table.number[i] = 100 * i;
		rating_draw(&table, &bits, memory);
		CHECK(table.number[0] > INT64_MAX - 30);
		for (int i = 1; i < 16; i++)
			count[MOST + table.number[i] - 100 * i]++;
		product += (double) ((table.number[1] - 100) * (table.number[2] - 200));
	}
	CHECK_LAW(count, law[0], law[1], 2 * MOST + 1);
	CHECK(fabs(product / draws) < 6 * 4.1 / sqrt(draws));
}

static void
test_unusable(void)
{
	RatingTable table;

	/* the variance of noise of reach 2 at epsilon 0.1 is 800, and that of normal noise as strong */
	for (Law law = LAPLACE; law < LAWS; law++)
	{
		double squares = 0;

		table = begin_table(0, 1, 1000, 0.5, 0.1, law);
		for (int run = 0; run < 4000; run++)
		{
			table.unusable = 7;
			rating_draw(&table, &bits, memory);
			squares += (double) ((table.unusable - 7) * (table.unusable - 7));
		}
		CHECK(fabs(squares / 4000 - 800) < 150);
	}
	/* nothing bounds the unusable rows of a person, of whom one row is used */
	table.usable_only = true;
	table.unusable = 7;
	rating_draw(&table, &bits, memory);
	CHECK(table.unusable == 0 && !rating_counts_unusable(&table));
}

/* ---- intervals and verdicts ---- */

static void
check_held(double held, double confidence)
{
	double luck = 5 * sqrt(confidence * (1 - confidence) / RUNS);

	CHECK(held / RUNS >= confidence - 0.01 - luck);
}

/* base: the share of positive rows where the score is 0; slope 0: labels that know no score. */
static void
test_intervals(double intercept, double slope, int rows, double epsilon, Law law)
{
	Population population = {.middle = 0.2, .spread = 1, .intercept = intercept, .slope = slope};
	RatingTable table = begin_table(0.2, 0.9, rows, 0.2, epsilon, law);
	double held[3] = {0};
	double off = 0;
	double better = 0;
	double worse = 0;

	populate(&population, &table);
	for (int run = 0; run < RUNS; run++)
	{
		Rating rating;

		draw(&population, rows, &table);
		rating_find(&table, &rating);
		off += rating.main.value - population.auc;
		held[0] +=
			rating.main.sample_low <= population.auc && population.auc <= rating.main.sample_high;
		held[1] +=
			rating.base.sample_low <= population.base && population.base <= rating.base.sample_high;
		held[2] += rating.accuracy.sample_low <= population.accuracy &&
				   population.accuracy <= rating.accuracy.sample_high;
		better += rating.verdict == RATING_BETTER;
		worse += rating.verdict == RATING_WORSE;
		CHECK(rating.verdict == RATING_UNKNOWN || rating.times_rows == 0);
	}
	for (int i = 0; i < 3; i++)
		check_held(held[i], RATING_CONFIDENCE);
	if (rows >= 20000) /* the AUC of bins is 0.0018 below */
		CHECK(fabs(off / RUNS) < 0.001);
	if (slope == 0) /* at most 3.5 in a hundred, and five deviations of luck */
	{
		CHECK(better / RUNS <= 0.03 + 5 * sqrt(0.03 / RUNS));
		CHECK(worse / RUNS <= 0.03 + 5 * sqrt(0.03 / RUNS));
	}
	if (getenv("SAYS"))
		printf("%s n %d eps %g base %.3f auc %.3f: held %.3f %.3f %.3f better %.3f worse %.3f\n",
			   law ? "normal" : "laplace", rows, epsilon, population.base, population.auc,
			   held[0] / RUNS, held[1] / RUNS, held[2] / RUNS, better / RUNS, worse / RUNS);
}

/* ---- probabilities ---- */

/* The mean distance of fitted probabilities from the truth. */
static void
test_fit(double intercept, double slope, int rows, double epsilon, Law law, double most)
{
	Population population = {.middle = 0.5, .spread = 1, .intercept = intercept, .slope = slope};
	RatingTable table = begin_table(0.3, 0.8, rows, 0.2, epsilon, law);
	double error = 0;
	enum
	{
		FITS = 20
	};

	populate(&population, &table);
	for (int run = 0; run < FITS; run++)
	{
		Rating rating;

		draw(&population, rows, &table);
		rating_find(&table, &rating);
		CHECK(rating.calibrated);
		for (int i = 0; i < 1000; i++)
		{
			double score = 0.5 + gsl_cdf_ugaussian_Pinv((i + 0.5) / 1000);
			double p = 1 / (1 + exp(-intercept - slope * score));
			double fitted = 1 / (1 + exp(-rating.intercept - rating.slope * score));

			error += fabs(fitted - p) / 1000 / FITS;
		}
	}
	if (getenv("SAYS"))
		printf("fit: error %.4f\n", error);
	CHECK(error < most);
}

/* ---- lift and the error of probabilities ---- */

/* off: two neighbouring bins have each other's shares of positive rows. */
static void
test_quality(double intercept, double slope, int rows, double epsilon, Law law, bool off)
{
	Population population = {.middle = 0.2, .spread = 1, .intercept = intercept, .slope = slope};
	RatingTable table = begin_table(0.2, 0.8, rows, 0.3, epsilon, law);
	double held = 0;
	double known = 0;
	double error = 0;
	double by_chance = 0;
	double *chance = population.chance;
	int half = table.cells / 2;

	populate(&population, &table);
	if (off)
		for (int i = 0; i < 2; i++)
		{
			double low = chance[2 * (half - 1) + i];

			chance[2 * (half - 1) + i] = chance[2 * (half + 1) + i];
			chance[2 * (half + 1) + i] = low;
		}
	for (int run = 0; run < RUNS / 5; run++)
	{
		RatingQuality quality;
		Rating rating;
		double share = 0;

		draw(&population, rows, &table);
		rating_find(&table, &rating);
		rating_quality(&table, &rating, &quality);
		CHECK(rating.calibrated);
		error += quality.error;
		by_chance += quality.by_chance;
		if (!quality.lift.known)
			continue;
		CHECK(LIFT_LEAST_SHARE <= quality.share && quality.share <= LIFT_MOST_SHARE);
		/* which bins it is of follows from the noisy share */
		for (int from = table.cells - 1; from > 0; from--)
		{
			double taken[2] = {0};
			double all[2] = {0};
			double noisy[2] = {0};

			for (int i = 0; i < table.cells; i++)
				for (int j = 0; j < 2; j++)
				{
					taken[j] += i >= from ? chance[2 * i + j] : 0;
					all[j] += chance[2 * i + j];
					noisy[0] += i >= from ? (double) table.number[2 * i + j] : 0;
					noisy[1] += (double) table.number[2 * i + j];
				}
			if (fabs(noisy[0] / noisy[1] - quality.share) < 1e-12)
				share = taken[0] / (taken[0] + taken[1]) * (all[0] + all[1]) / all[0];
		}
		known++;
		held += quality.lift.sample_low <= share && share <= quality.lift.sample_high;
		CHECK(quality.lift.low <= quality.lift.value && quality.lift.value <= quality.lift.high);
	}
	if (getenv("SAYS"))
		printf("lift: known %.3f held %.3f; error %.4f by chance %.4f\n", known * 5 / RUNS,
			   held / known, error * 5 / RUNS, by_chance * 5 / RUNS);
	CHECK(known > 0.9 * RUNS / 5);
	CHECK(held / known >= RATING_CONFIDENCE - 5 * sqrt(0.05 / known));
	/* two numbers are fitted, so that chance makes a little less */
	CHECK(off ? error > 1.5 * by_chance : error > 0.7 * by_chance && error < 1.05 * by_chance);
}

static void
test_weak(void)
{
	Population population = {.spread = 1, .slope = 1};
	RatingTable table = begin_table(0, 1, 100, 0.5, 0.1, LAPLACE);
	RatingQuality quality;
	Rating rating;

	populate(&population, &table);
	draw(&population, 100, &table);
	rating_find(&table, &rating);
	CHECK(!rating.calibrated && rating.slope == 0);
	rating_move(&table, -6, 6);
	CHECK(table.moved == 0);
	for (int i = 0; i < 2 * table.cells; i++)
		table.number[i] = i % 2 == 0 ? INT64_MAX : INT64_MIN; /* as noise may make them */
	rating_quality(&table, &rating, &quality);
	CHECK(!quality.lift.known);
	/* rows that were seen have no verdict */
	table = begin_table(0, 1, 10000, 0.5, 1, NORMAL);
	table.seen = true;
	draw(&population, 10000, &table);
	rating_find(&table, &rating);
	CHECK(rating.verdict == RATING_NONE && rating.calibrated);
	rating_move(&table, -6, 6);
	CHECK(table.moved == 0);
}

/* ---- where score 0 is ---- */

/* Of predicting a positive label above a score. */
static double
accuracy_above(const Population *population, double cut)
{
	double right = 0;

	for (int i = 0; i < 20000; i++)
	{
		double score =
			population->middle + population->spread * gsl_cdf_ugaussian_Pinv((i + 0.5) / 20000);
		double p = 1 / (1 + exp(-population->intercept - population->slope * score));

		right += (score > cut ? p : 1 - p) / 20000;
	}
	return right;
}

/* Scores, bins, and probabilities move together, and no number changes. */
static void
check_moved(const RatingTable *before, const RatingTable *after, bool empty_below)
{
	Rating old;
	Rating new;
	bool zero = false;

	rating_find(before, &old);
	rating_find(after, &new);
	for (int i = 0; i < after->cells - 1; i++)
	{
		CHECK(i == 0 || after->edge[i - 1] < after->edge[i]);
		zero = zero || after->edge[i] == 0;
	}
	CHECK(zero);
	for (int i = 0; i < 2 * before->cells; i++)
		CHECK(after->number[i + (empty_below ? 2 : 0)] == before->number[i]);
	CHECK(fabs(new.slope / old.slope - 1) < 0.05);
	CHECK(fabs(new.intercept + new.slope * after->moved - old.intercept) < 0.1);
}

/*
 * The accuracy above the new score 0, in the mean as well as a constant's and by some more than above
 * the old one, and how often its interval holds it although the edge is chosen by the same numbers.
 */
static void
test_move(double intercept, double slope, int rows, double epsilon, Law law, double gain)
{
	Population population = {.middle = 0.2, .spread = 1, .intercept = intercept, .slope = slope};
	RatingTable table = begin_table(0.2, 0.9, rows, 0.2, epsilon, law);
	double held = 0;
	double accuracy = 0;
	int moved = 0;
	int ends = 0;
	int runs = (int) (RUNS / 5);

	populate(&population, &table);
	for (int run = 0; run < runs; run++)
	{
		RatingTable after;
		Rating rating;
		double truth;

		draw(&population, rows, &table);
		after = table;
		rating_move(&after, -6, 6);
		truth = accuracy_above(&population, -after.moved);
		accuracy += truth / runs;
		rating_find(&after, &rating);
		held += rating.accuracy.sample_low <= truth && truth <= rating.accuracy.sample_high;
		if (after.moved == 0)
			continue;
		moved++;
		ends += after.cells > table.cells;
		check_moved(&table, &after, after.cells > table.cells && after.moved > 0);
		CHECK(rating.verdict == RATING_BETTER && rating.calibrated);
	}
	if (getenv("SAYS"))
		printf("move: base %.3f accuracy %.4f, was %.4f; held %.3f; moved %.2f, to an end %.2f\n",
			   population.base, accuracy, population.accuracy, held / runs, (double) moved / runs,
			   (double) ends / runs);
	check_held(held * RUNS / runs, RATING_CONFIDENCE);
	CHECK(accuracy >= population.accuracy + gain);
	CHECK(accuracy >= fmax(population.base, 1 - population.base) - 0.002);
}

/* ---- classes and residuals ---- */

static void
test_classes(void)
{
	RatingTable table = {.kind = RATING_CLASSES,
						 .adjacency = ADJACENCY_ADD_REMOVE,
						 .epsilon = EPSILON_ONE,
						 .rows_per_person = 1,
						 .cells = 3,
						 .number = {900, 100, 400, 100, 10, 290}};
	Rating rating;

	rating_find(&table, &rating);
	CHECK(rating.verdict == RATING_BETTER && rating.rows == 1800);
	CHECK(fabs(rating.accuracy.value - 1310.0 / 1800) < 0.01);
	CHECK(fabs(rating.base.value - 1000.0 / 1800) < 0.01);
	table.number[0] = 100; /* a constant would do better */
	table.number[1] = 900;
	rating_find(&table, &rating);
	CHECK(rating.verdict == RATING_WORSE);
	table.number[2] = 100; /* less than a constant, but not by much */
	table.number[0] = 860;
	table.number[1] = 140;
	table.number[3] = 400;
	rating_find(&table, &rating);
	CHECK(rating.verdict == RATING_UNKNOWN);
	for (int i = 0; i < 6; i++)
		table.number[i] = i < 4 ? INT64_MAX : INT64_MIN; /* as noise may make them */
	rating_find(&table, &rating);
}

static void
test_residuals(void)
{
	for (int good = 0; good < 2; good++)
	{
		RatingTable table = {.kind = RATING_RESIDUALS,
							 .adjacency = ADJACENCY_REPLACE,
							 .epsilon = EPSILON_ONE,
							 .rows_per_person = 1,
							 .cells = 1};
		Rating rating;

		table.look = (Look){.type = look_find("residuals"),
							.adjacency = ADJACENCY_REPLACE,
							.cells = 1,
							.rows_per_person = 1};
		CHECK(look_set_bounds(&table.look, 0, 1));
		for (int i = 0; i < 20000; i++)
		{
			double value = between(0, 1);
			int32_t x = (int32_t) rint((value - table.look.middle) / table.look.unit);

			look_add(&table.look,
					 &(LookRow){.x = &x,
								.score = good ? value + between(-0.1, 0.1) : between(0, 1),
								.rows = 1},
					 table.number);
		}
		rating_draw(&table, &bits, memory);
		rating_find(&table, &rating);
		CHECK(rating.verdict == (good ? RATING_BETTER : RATING_WORSE));
		CHECK(!rating.calibrated && !rating.accuracy.known);
	}
}

/* ---- thresholds ---- */

static void
check_threshold(const RatingTable *table, RatingGoal goal, double aim, double fp, double fn)
{
	RatingThreshold chosen;
	bool found = rating_threshold(table, goal, aim, fp, fn, &chosen);
	double best = -INFINITY;

	for (int from = 0; from <= table->cells; from++)
	{
		double count[4] = {0};
		double taken;
		bool reached;
		double value;

		for (int i = 0; i < table->cells; i++)
		{
			count[i >= from ? 0 : 2] += (double) table->number[2 * i];
			count[i >= from ? 1 : 3] += (double) table->number[2 * i + 1];
		}
		taken = (count[0] + count[1]) / (count[0] + count[1] + count[2] + count[3]);
		reached = goal == GOAL_RECALL ? count[0] >= aim * (count[0] + count[2])
				  : goal == GOAL_PRECISION
					  ? count[0] + count[1] > 0 && count[0] >= aim * (count[0] + count[1])
					  : true;
		value = goal == GOAL_RECALL      ? -taken
				: goal == GOAL_PRECISION ? taken
				: goal == GOAL_SHARE     ? -fabs(taken - aim)
										 : -fp * count[1] - fn * count[3 - 1];
		if (reached)
			best = fmax(best, value);
	}
	CHECK(found == (best > -INFINITY));
	if (!found)
		return;
	CHECK(goal != GOAL_RECALL ||
		  (chosen.recall.value >= aim - 0.01 && fabs(chosen.share.value + best) < 0.01));
	CHECK(goal != GOAL_PRECISION ||
		  (chosen.precision.value >= aim - 0.01 && fabs(chosen.share.value - best) < 0.01));
	CHECK(goal != GOAL_SHARE || fabs(fabs(chosen.share.value - aim) + best) < 0.01);
	CHECK(goal != GOAL_COST || fabs(chosen.cost * 10000 + best) < 0.02 * 10000);
}

static void
test_thresholds(void)
{
	Population population = {.middle = 0, .spread = 1, .intercept = -2, .slope = 1.5};
	RatingTable table = begin_table(0, 1, 10000, 0.2, 1000, LAPLACE);
	RatingThreshold threshold;

	populate(&population, &table);
	draw(&population, 10000, &table);
	for (int i = 1; i < 10; i++)
	{
		check_threshold(&table, GOAL_RECALL, i / 10.0, 0, 0);
		check_threshold(&table, GOAL_PRECISION, i / 10.0, 0, 0);
		check_threshold(&table, GOAL_SHARE, i / 10.0, 0, 0);
		check_threshold(&table, GOAL_COST, 0, 1, i * i);
	}
	CHECK(!rating_threshold(&table, GOAL_PRECISION, 0.99999, 0, 0, &threshold));
	/* the chosen threshold's recall, although it is chosen by the noisy numbers */
	for (Law law = LAPLACE; law < LAWS; law++)
	{
		double held = 0;

		table = begin_table(0, 1, 2000, 0.2, 0.5, law);
		populate(&population, &table);
		for (int run = 0; run < RUNS / 5; run++)
		{
			double truth[2] = {0};

			draw(&population, 2000, &table);
			if (!rating_threshold(&table, GOAL_RECALL, 0.8, 0, 0, &threshold))
				continue;
			for (int i = 0; i < table.cells; i++)
				truth[i > 0 && table.edge[i - 1] >= threshold.score ? 0 : 1] +=
					population.chance[2 * i];
			if (threshold.score == -INFINITY)
				truth[0] += truth[1];
			held += threshold.recall.sample_low <= truth[0] / population.base &&
					truth[0] / population.base <= threshold.recall.sample_high;
		}
		CHECK(held / (RUNS / 5) >= RATING_CONFIDENCE - 5 * sqrt(0.05 / (RUNS / 5.0)));
	}
}

/* ---- rows and a model ---- */

#define ONE FIXED_POINT_ONE

/* Rows of a number and of an index of three levels, behind a label. */
static Encoding
make_encoding(bool with_label)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = with_label ? 3 : 2;
	encoding.intercept = true;
	encoding_set_levels(&encoding, encoding.features - 1, 3);
	CHECK(encoding_finish(&encoding));
	return encoding;
}

static void
test_rater_scores(void)
{
	const double weight[] = {2, 10, 20, 30, 0.5};
	const RowCount count = {3, 4};
	Encoding encoding = make_encoding(false);
	Rater rater = {.weight = weight};
	RatingTable table = {.kind = RATING_SCORES, .cells = 2, .edge = {20}};

	CHECK(rater_place(&rater, &encoding, false, 5));
	CHECK(!rater_place(&rater, &encoding, false, 4));
	CHECK(rater_score(&rater, 0, (int32_t[]){ONE / 2, 0, ONE}) == 1.5);
	CHECK(rater_score(&rater, 0, (int32_t[]){-ONE, 3 * ONE, ONE}) == 28.5);
	CHECK(rater_add(&rater, (int32_t[]){0, 3 * ONE, ONE}, &count, &table));
	CHECK(rater_add(&rater, (int32_t[]){0, 2 * ONE, ONE}, &count, &table));
	CHECK(rater_add(&rater, (int32_t[]){0, ONE, ONE}, &count, &table));
	CHECK(table.number[0] == 3 && table.number[1] == 4);
	CHECK(table.number[2] == 6 && table.number[3] == 8);
	/* no such index */
	CHECK(!rater_add(&rater, (int32_t[]){0, 4 * ONE, ONE}, &count, &table));
	CHECK(!rater_add(&rater, (int32_t[]){0, -ONE, ONE}, &count, &table));
	CHECK(!rater_add(&rater, (int32_t[]){0, 1, ONE}, &count, &table));
}

static void
test_rater_classes(void)
{
	const double weight[] = {0, 0, 0, 0, 1, 1, 0, 0, 3, 0};
	const RowCount count = {2, 0};
	Encoding encoding = make_encoding(true);
	Rater rater = {.classes = 2, .weight = weight};
	RatingTable table = {.kind = RATING_CLASSES, .cells = 2};

	CHECK(rater_place(&rater, &encoding, true, 10));
	CHECK(rater_predict(&rater, (int32_t[]){0, 0, 3 * ONE, ONE}) == 1);
	CHECK(rater_predict(&rater, (int32_t[]){0, 0, ONE, ONE}) == 0);
	CHECK(rater_add(&rater, (int32_t[]){0, 0, ONE, ONE}, &count, &table));
	CHECK(rater_add(&rater, (int32_t[]){ONE, 0, ONE, ONE}, &count, &table));
	CHECK(rater_add(&rater, (int32_t[]){ONE, 2 * ONE, ONE, ONE}, &count, &table));
	CHECK(table.number[0] == 2 && table.number[1] == 0);
	CHECK(table.number[2] == 2 && table.number[3] == 2);
	/* no such class */
	CHECK(!rater_add(&rater, (int32_t[]){2 * ONE, 0, ONE, ONE}, &count, &table));
	CHECK(!rater_add(&rater, (int32_t[]){-ONE, 0, ONE, ONE}, &count, &table));
}

/* A number that is encoded as in training is clipped to the bounds of the look. */
static void
test_rater_numbers(void)
{
	const double weight[] = {1, 0, 0, 0, 0};
	const RowCount count = {1, 0};
	Encoding encoding = make_encoding(true);
	Rater rater = {.weight = weight, .prediction = {10, 2}};
	RatingTable table = {.kind = RATING_RESIDUALS, .cells = 1, .look = {.type = &look_residuals}};
	const struct
	{
		double value; /* of the first column, of which the number is 10 + 4 times */
		double number;
	} row[] = {{0, 10}, {0.5, 12}, {-1, 6}, {3, 14}, {-3, 6}};

	CHECK(look_set_bounds(&table.look, 6, 14) && rater_place(&rater, &encoding, true, 5));
	for (int i = 0; i < 5; i++)
	{
		int32_t x[] = {(int32_t) (row[i].value * ONE), ONE / 2, 0, ONE};
		RatingTable own = table;

		CHECK(rater_number(&rater, x) == 11);
		rater.target = (RaterLine){10, 4.0 / ONE};
		CHECK(rater_add(&rater, x, &count, &table));
		rater.target = (RaterLine){0};
		x[0] = (int32_t) ((row[i].number - table.look.middle) / table.look.unit);
		CHECK(rater_add(&rater, x, &count, &own));
		for (int j = 0; j < RESIDUAL_NUMBERS; j++)
			CHECK(table.number[j] == own.number[j]);
	}
	CHECK(table.number[RESIDUAL_ROWS] == 5);
}

int
main(void)
{
	test_begin(40);
	test_rater_scores();
	test_rater_classes();
	test_rater_numbers();
	test_bins();
	test_reach();
	test_normal();
	test_unusable();
	reseed(41);
	for (Law law = LAPLACE; law < LAWS; law++)
	{
		test_intervals(0, 0, 2000, 1, law);
		test_intervals(-1.8, 0, 2466, 0.3, law);
		test_intervals(-3.2, 0, 982, 1, law);
		test_intervals(-1, 0, 400, 0.3, law);
		test_intervals(0, 1, 2000, 0.5, law);
		test_intervals(-2, 1.5, 2466, 0.3, law);
		test_intervals(-1, 1, 20000, 1, law);
		test_fit(-1.5, 1.2, 3000, 1, law, 0.02);
		test_fit(0.3, 0.2, 3000, 1, law, 0.03);
		test_fit(-3, 2, 5000, 0.5, law, 0.03);
		test_quality(-1.5, 1.2, 3000, 0.5, law, false);
		test_quality(-1.5, 1.2, 10000, 1, law, true);
		test_quality(-3.9, 1.2, 2000, 2, law, false);
	}
	test_weak();
	test_move(-1, 1, 2000, 0.5, LAPLACE, 0.05);
	test_move(1.5, 1.5, 2000, 1, NORMAL, 0.05);
	test_move(-3.5, 0.8, 10000, 1, LAPLACE, 0.02);
	test_move(-3.5, 0.8, 10000, 1, NORMAL, 0.02);
	test_move(0, 1, 2000, 0.5, NORMAL, -0.003);
	test_classes();
	test_residuals();
	test_thresholds();
	return test_end("rating");
}
