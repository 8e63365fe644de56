/*
 * test_simulation.c - counterexample R7 and theorem G15, whose deltas are known only from a
 * simulation: with a fixed seed, each with its error.
 */
#include "core/noise/calibration.h"

#include <math.h>

#include "core/fixture.h"

/* Above 0, at most 1. */
static double
uniform(void)
{
	return ldexp((double) (teststream_next(&stream) >> 11) + 1, -53);
}

static double
normal(void)
{
	double length = sqrt(-2 * log(uniform()));

	return length * cos(2 * M_PI * uniform());
}

/* Deviations that an estimate may be off by, with probability 1.4e-3; the bits are fixed. */
#define DEVIATIONS 3

/* ---- 1.7: P(gap <= alpha) <= 1 - e^(-epsilon alpha / 2) for gauge noise, replace ---- */

#define CUBE 6
#define VECTORS (1 << CUBE)

/* r with density proportional to e^(-epsilon max |r_i|): uniform in the cube, Gamma(d + 1). */
static void
draw_gauge(double epsilon, double *r)
{
	double radius = 0;

	for (int i = 0; i <= CUBE; i++)
		radius -= log(uniform()) / epsilon;
	for (int i = 0; i < CUBE; i++)
		r[i] = radius * (2 * uniform() - 1);
}

/* The best less the second best of <r, w> - L(w) over all signs. */
static double
gap_of(const double *r, const double *loss)
{
	double best = -INFINITY;
	double second = -INFINITY;

	for (int w = 0; w < VECTORS; w++)
	{
		double score = -loss[w];

		for (int i = 0; i < CUBE; i++)
			score += w >> i & 1 ? r[i] : -r[i];
		second = fmax(second, fmin(best, score));
		best = fmax(best, score);
	}
	return best - second;
}

static double
share_of_gaps(double epsilon, double alpha, const double *loss, int draws)
{
	int small = 0;

	for (int k = 0; k < draws; k++)
	{
		double r[CUBE];

		draw_gauge(epsilon, r);
		small += gap_of(r, loss) <= alpha;
	}
	return (double) small / draws;
}

/*
 * Without rows the gap is 2 min |r_i|, and P(min |r_i| > a) = e^(-epsilon a) exactly (take a from
 * each |r_i|), so that the bound is reached.  The largest share that stability.out has seen
 * in 12 data sets of 60,000 draws is above it by chance.
 */
static void
test_gap(void)
{
	static const struct
	{
		double epsilon;
		double alpha;
		double largest;
		double bound;
	} values[] = {{1, 0.5, 0.2238, 0.2212}, {1, 0.1, 0.0497, 0.0488}, {0.5, 0.5, 0.1198, 0.1175}};
	int draws = check_repetitions(60000);

	for (int v = 0; v < 3; v++)
	{
		double bound = -expm1(-values[v].epsilon * values[v].alpha / 2);
		double deviation = sqrt(bound * (1 - bound) / draws);
		double theirs = sqrt(bound * (1 - bound) / 60000);

		CHECK(fabs(bound - values[v].bound) < 0.5e-4);
		CHECK(fabs(values[v].largest - bound) < DEVIATIONS * theirs);
		for (int set = 0; set < 4; set++)
		{
			double loss[VECTORS];
			double share;

			for (int w = 0; w < VECTORS; w++)
				loss[w] = set == 0 ? 0 : teststream_below(&stream, 4);
			share = share_of_gaps(values[v].epsilon, values[v].alpha, loss, draws);
			CHECK(share < bound + DEVIATIONS * deviation);
			if (set == 0)
				CHECK(share > bound - DEVIATIONS * deviation);
		}
	}
}

/* ---- 1.1: the authors' own grid, |w|^2 <= d, and the parity of the first half ---- */

#define MOST_DIMENSION 484
#define MOST_DRAWS 4000

/* best[s]: the largest <a, w> over w >= 0 with |w|^2 = s. */
static void
fill_best(const double *a, int count, int budget, double *best)
{
	double next[MOST_DIMENSION + 1];

	for (int s = 0; s <= budget; s++)
		best[s] = s == 0 ? 0 : -INFINITY;
	for (int i = 0; i < count; i++)
	{
		for (int s = 0; s <= budget; s++)
			next[s] = best[s];
		for (int j = 1; j * j <= budget; j++)
			for (int s = j * j; s <= budget; s++)
				next[s] =
					best[s - j * j] + a[i] * j > next[s] ? best[s - j * j] + a[i] * j : next[s];
		for (int s = 0; s <= budget; s++)
			best[s] = next[s];
	}
}

/* The best <eta, pi(w)> of even w less that of odd w, in units of sigma. */
static double
draw_lead(int d)
{
	double a[MOST_DIMENSION] = {0};
	double front[MOST_DIMENSION + 1];
	double back[MOST_DIMENSION + 1];
	double best[2] = {-INFINITY, -INFINITY};
	double last = normal();

	for (int i = 0; i < d; i++)
		a[i] = fabs(normal());
	fill_best(a, d / 2, d, front);
	fill_best(a + d / 2, d - d / 2, d, back);
	for (int s = 0; s <= d; s++)
		for (int t = 0; s + t <= d; t++)
			best[s % 2] = fmax(best[s % 2], front[s] + back[t] + last * sqrt(d - s - t));
	return (best[0] - best[1]) / sqrt(d);
}

static double
share_above(const double *lead, int draws, double edge)
{
	int above = 0;

	for (int k = 0; k < draws; k++)
		above += lead[k] > edge;
	return (double) above / draws;
}

typedef struct Violation
{
	int d;
	int part; /* of the published sigma: 1, or 2 in the authors' code */
	double epsilon;
	double delta;
	double printed;
	int offset; /* of the losses' difference, where it is the largest (ce3.out) */
	int draws;  /* there */
} Violation;

/* P(Z > k / sigma) - e^epsilon P(Z > (k + 2) / sigma) is above delta, and is what was printed. */
static void
check_violation(const Violation *row, const double *lead, int draws)
{
	double sigma = calibration_published_opdisc(row->epsilon, row->delta, row->d, 1) / row->part;
	double here = share_above(lead, draws, row->offset / sigma);
	double there = share_above(lead, draws, (row->offset + 2) / sigma);
	double delta = here - exp(row->epsilon) * there;
	double variance =
		here * (1 - here) + exp(2 * row->epsilon) * fmax(there, 1.0 / draws) * (1 - there);

	CHECK(delta - DEVIATIONS * sqrt(variance / draws) > row->delta);
	if (!(fabs(delta - row->printed) < DEVIATIONS * sqrt(variance / draws + variance / row->draws)))
		printf("%g for %g at d = %d\n", delta, row->printed, row->d);
	CHECK(fabs(delta - row->printed) < DEVIATIONS * sqrt(variance / draws + variance / row->draws));
}

static void
test_own_grid(void)
{
	static const Violation rows[] = {
		{64, 2, 1, 0.1, 0.264, 0, 2500},   {144, 2, 1, 1e-3, 0.154, 0, 1500},
		{256, 1, 1, 0.1, 0.214, 0, 1000},  {256, 2, 1, 1e-6, 0.124, 0, 1000},
		{256, 1, 4, 1e-3, 0.385, 0, 1000}, {484, 1, 1, 1e-3, 0.159, 0, 500},
	};
	static double lead[MOST_DRAWS];
	int drawn = 0;

	/* a share of the draws shows no violation */
	if (check_share() < 100)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
	{
		int draws = rows[i].d > 300 ? 1500 : MOST_DRAWS;

		if (rows[i].d != drawn)
			for (int k = 0; k < draws; k++)
				lead[k] = draw_lead(rows[i].d);
		drawn = rows[i].d;
		check_violation(&rows[i], lead, draws);
	}
}

int
main(void)
{
	test_begin(7);
	test_gap();
	test_own_grid();
	return test_end("simulation");
}
