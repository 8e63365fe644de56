/*
 * rating_quality.c - lift, and the distance of probabilities from the noisy shares.
 */
#include "core/looks/rating_quality.h"

#include <math.h>
#include <string.h>

#include "core/base/mutant.h"

/* ---- lift ---- */

static double
rows_from(const RatingTable *table, int from)
{
	double rows = 0;

	for (int i = 2 * from; i < 2 * table->cells; i++)
		rows += (double) table->number[i];
	return rows;
}

/* The first of the bins whose share of the rows is nearest; 0 if none is near. */
static int
find_highest(const RatingTable *table, double *share)
{
	double rows = rows_from(table, 0);
	int nearest = 0;

	for (int from = 1; from < table->cells; from++)
	{
		double part = rows_from(table, from) / rows;

		if (!(LIFT_LEAST_SHARE <= part && part <= LIFT_MOST_SHARE) ||
			(nearest > 0 && fabs(part - LIFT_SHARE) >= fabs(*share - LIFT_SHARE)))
			continue;
		nearest = from;
		*share = part;
	}
	return nearest;
}

static void
find_lift(const RatingTable *table, RatingQuality *quality)
{
	int from = find_highest(table, &quality->share);
	Noise noise = rating_noise(table);

	if (from == 0)
		return;
	estimate_lift(&noise, table->number, table->cells, from, MUTANT(394) ? 0.3 : RATING_CONFIDENCE,
				  &quality->lift);
	estimate_round(&quality->lift);
}

/* ---- probabilities ---- */

/*
 * Were p right in a bin, P (1 - p) - N p of its noisy numbers would be 0 in the mean and have this
 * variance of noise and sample; a normal number has a mean size of 0.798 deviations.
 */
static void
find_error(const RatingTable *table, const Rating *rating, RatingQuality *quality)
{
	Noise noise = rating_noise(table);
	double distance = 0;
	double by_chance = 0;

	for (int i = 0; i < table->cells; i++)
	{
		double p = rating_chance(table, rating, i);
		double positive = (double) table->number[2 * i];
		double negative = (double) table->number[2 * i + 1];
		double variance = fmax(positive + negative, 0) * p * (1 - p) +
						  noise_variance(&noise) * (p * p + (1 - p) * (1 - p));

		quality->predicted[i] = p;
		distance += fabs(positive * (1 - p) - negative * p);
		by_chance += (MUTANT(395) ? 0.4 : 0.797885) * sqrt(variance);
	}
	quality->error = distance / (double) rating->rows;
	quality->by_chance = by_chance / (double) rating->rows;
}

void
rating_quality(const RatingTable *table, const Rating *rating, RatingQuality *quality)
{
	memset(quality, 0, sizeof(*quality));
	find_lift(table, quality);
	if (rating->calibrated)
		find_error(table, rating, quality);
}
