/*
 * judge.c - estimates from draws on neighbouring tables how much more likely an event becomes.
 *
 *   judge [SHARE] < draws > table
 *
 * Each line of the input is a draw: name, epsilon, delta, side (0 or 1), a number; separated by
 * tabs, the draws of a name together.  Each line of the output is a row of a table in Markdown.
 * The claim is SHARE times epsilon; SHARE is 1 by default.  With a smaller SHARE the judge must
 * find a violation, which shows that it can.
 *
 * Under (epsilon, delta)-DP every event has P(event) <= e^epsilon P'(event) + delta, so that
 * ln((P - delta) / P') is a loss that must not exceed epsilon.  P is bounded from below and P' from
 * above by the exact binomial limits of Clopper and Pearson.
 *
 * If there are few outcomes, all events are tried on both sides, and LEVEL is divided among them.
 * Otherwise the first half of the draws of either side chooses the event: outcomes (or twentieths
 * of the sample, if there are too many) are ranked by how much likelier they were on one side, and
 * the best first ones are the event; only the other half is counted.  So a mechanism that satisfies
 * its claim is accused with probability at most 2 LEVEL.  A pass is no proof of privacy.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_cdf.h>

#define LEVEL 1e-4
#define DRAWS_MIN 30 /* fewer say nothing */
#define CELLS_FEW 3  /* all events of so many outcomes are tried */
#define NAME_MAX_LENGTH 100
#define CELLS_MAX 40     /* different outcomes that are taken as they are */
#define CELLS_OF_MANY 20 /* of more than that */

/* The draws of one pair of neighbours. */
typedef struct Pair
{
	char name[NAME_MAX_LENGTH];
	double epsilon;
	double delta;
	size_t count[2];
	size_t room[2];
	double *draw[2];
} Pair;

/* An event: those outcomes that lie in chosen cells, bounded from above by their limits. */
typedef struct Event
{
	int cells;
	double limit[CELLS_MAX];
	bool chosen[CELLS_MAX];
	int likelier; /* the side on which it is */
} Event;

typedef struct Verdict
{
	double loss;  /* as found in the second half */
	double least; /* that it is at least, but for 2 LEVEL */
} Verdict;

static _Noreturn void
give_up(const char *message)
{
	fprintf(stderr, "judge: %s\n", message);
	exit(2);
}

/* ---- the limits of Clopper and Pearson ---- */

/*
 * The place where the beta law of these parameters has so much of its mass below, or above; by
 * bisection, because GSL's inverse does not always converge.  On the safe side of the place.
 */
static double
beta_limit(double a, double b, double level, bool from_below)
{
	double low = 0.0;
	double high = 1.0;

	for (int i = 0; i < 60; i++)
	{
		double middle = (low + high) / 2;
		bool beyond = from_below ? gsl_cdf_beta_P(middle, a, b) > level
								 : gsl_cdf_beta_Q(middle, a, b) < level;

		if (beyond)
			high = middle;
		else
			low = middle;
	}
	return from_below ? low : high;
}

static double
share_at_least(size_t hits, size_t draws, double level)
{
	return hits == 0 ? 0.0 : beta_limit((double) hits, (double) (draws - hits) + 1.0, level, true);
}

static double
share_at_most(size_t hits, size_t draws, double level)
{
	return hits == draws ? 1.0
						 : beta_limit((double) hits + 1.0, (double) (draws - hits), level, false);
}

/* ln((p - delta) / q), of numbers of draws and of their limits. */
static Verdict
verdict_of(const size_t *hits, const size_t *draws, int likelier, double delta, double level)
{
	int other = 1 - likelier;
	double p = (double) hits[likelier] / (double) draws[likelier] - delta;
	double q = (double) hits[other] / (double) draws[other];
	double p_least = share_at_least(hits[likelier], draws[likelier], level) - delta;
	double q_most = share_at_most(hits[other], draws[other], level);

	return (Verdict){.loss = p > 0.0 && q > 0.0 ? log(p / q)
							 : p > 0.0          ? INFINITY
												: 0.0,
					 .least = p_least > 0.0 ? log(p_least / q_most) : -INFINITY};
}

/* ---- cells ---- */

static int
compare_numbers(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left > right) - (left < right);
}

/* The first draws of both sides, one in so many, sorted; the caller frees them. */
static double *
sorted_draws(const Pair *pair, int divisor, size_t *count)
{
	size_t first = pair->count[0] / (size_t) divisor;
	size_t second = pair->count[1] / (size_t) divisor;
	double *all = malloc((first + second) * sizeof(double));

	if (all == NULL)
		give_up("out of memory");
	memcpy(all, pair->draw[0], first * sizeof(double));
	memcpy(all + first, pair->draw[1], second * sizeof(double));
	qsort(all, first + second, sizeof(double), compare_numbers);
	*count = first + second;
	return all;
}

/* A cell for each outcome; for numbers of equal draws where there are too many. */
static void
choose_cells(const Pair *pair, int divisor, Event *event)
{
	size_t count;
	double *all = sorted_draws(pair, divisor, &count);

	event->cells = 0;
	for (size_t i = 0; i < count && event->cells <= CELLS_MAX; i++)
		if (i + 1 == count || all[i] < all[i + 1])
		{
			if (event->cells < CELLS_MAX)
				event->limit[event->cells] = all[i];
			event->cells++;
		}
	if (event->cells > CELLS_MAX)
	{
		event->cells = CELLS_OF_MANY;
		for (int c = 0; c < CELLS_OF_MANY; c++)
			event->limit[c] = all[count * (size_t) (c + 1) / CELLS_OF_MANY - 1];
	}
	free(all);
}

/* The last cell has no end, so that each outcome has a cell. */
static int
cell_of(const Event *event, double outcome)
{
	int cell = 0;

	while (cell < event->cells - 1 && outcome > event->limit[cell])
		cell++;
	return cell;
}

static void
count_cells(const Pair *pair, const Event *event, int side, size_t from, size_t end, size_t *count)
{
	memset(count, 0, CELLS_MAX * sizeof(size_t));
	for (size_t i = from; i < end; i++)
		count[cell_of(event, pair->draw[side][i])]++;
}

/* ---- events ---- */

/* Is cell a to be taken before cell b, by what half a draw more on each side makes of them? */
static bool
before(size_t count[2][CELLS_MAX], int likelier, int a, int b)
{
	int other = 1 - likelier;

	return ((double) count[likelier][a] + 0.5) * ((double) count[other][b] + 0.5) >
		   ((double) count[likelier][b] + 0.5) * ((double) count[other][a] + 0.5);
}

/* Of the cells that are not taken, of which there is one. */
static int
best_cell(size_t count[2][CELLS_MAX], int likelier, int cells, const bool *taken)
{
	int best = 0;

	while (taken[best])
		best++;
	for (int c = best + 1; c < cells; c++)
		if (!taken[c] && before(count, likelier, c, best))
			best = c;
	return best;
}

/* Of the events that take the best cells of one side, the one with the largest proved loss. */
static double
choose_event_of(size_t count[2][CELLS_MAX], const size_t *draws, double delta, int likelier,
				Event *event)
{
	bool taken[CELLS_MAX] = {false};
	size_t hits[2] = {0, 0};
	double best = -INFINITY;

	event->likelier = likelier;
	for (int k = 0; k < event->cells - 1; k++)
	{
		int next = best_cell(count, likelier, event->cells, taken);
		Verdict verdict;

		taken[next] = true;
		hits[0] += count[0][next];
		hits[1] += count[1][next];
		verdict = verdict_of(hits, draws, likelier, delta, LEVEL);
		if (k == 0 || verdict.least > best)
		{
			best = verdict.least;
			memcpy(event->chosen, taken, sizeof(taken));
		}
	}
	return best;
}

/* The cells stand; the event is looked for in the first half and counted in the second. */
static Verdict
judge_by_halves(const Pair *pair, Event *event)
{
	size_t count[2][CELLS_MAX];
	size_t draws[2] = {pair->count[0] / 2, pair->count[1] / 2};
	size_t hits[2] = {0, 0};
	Event other;

	for (int side = 0; side < 2; side++)
		count_cells(pair, event, side, 0, draws[side], count[side]);
	other = *event;
	if (choose_event_of(count, draws, pair->delta, 1, &other) >
		choose_event_of(count, draws, pair->delta, 0, event))
		*event = other;
	for (int side = 0; side < 2; side++)
	{
		count_cells(pair, event, side, draws[side], pair->count[side], count[side]);
		draws[side] = pair->count[side] - draws[side];
		for (int c = 0; c < event->cells; c++)
			hits[side] += event->chosen[c] ? count[side][c] : 0;
	}
	return verdict_of(hits, draws, event->likelier, pair->delta, LEVEL);
}

/* All events but the empty one and the sure one, in either direction; the largest proved loss. */
static Verdict
judge_all_events(const Pair *pair, const Event *event)
{
	unsigned events = (1U << event->cells) - 2;
	size_t count[2][CELLS_MAX];
	Verdict worst = {0.0, -INFINITY};

	for (int side = 0; side < 2; side++)
		count_cells(pair, event, side, 0, pair->count[side], count[side]);
	for (unsigned chosen = 1; chosen <= events; chosen++)
	{
		size_t hits[2] = {0, 0};

		for (int side = 0; side < 2; side++)
			for (int c = 0; c < event->cells; c++)
				hits[side] += (chosen >> c & 1) == 1 ? count[side][c] : 0;
		for (int likelier = 0; likelier < 2; likelier++)
		{
			Verdict verdict =
				verdict_of(hits, pair->count, likelier, pair->delta, LEVEL / (2.0 * events));

			if (verdict.least > worst.least)
				worst = verdict;
		}
	}
	return worst;
}

static Verdict
judge(const Pair *pair)
{
	Event event = {0};

	choose_cells(pair, 1, &event);
	if (event.cells <= CELLS_FEW)
		return judge_all_events(pair, &event);
	choose_cells(pair, 2, &event); /* the other half has no say in these, either */
	return judge_by_halves(pair, &event);
}

/* ---- input and output ---- */

static void
add_draw(Pair *pair, int side, double outcome)
{
	if (pair->count[side] == pair->room[side])
	{
		pair->room[side] = 2 * pair->room[side] + 1024;
		pair->draw[side] = realloc(pair->draw[side], pair->room[side] * sizeof(double));
		if (pair->draw[side] == NULL)
			give_up("out of memory");
	}
	pair->draw[side][pair->count[side]++] = outcome;
}

/* One row of the table; true if the claim stands. */
static bool
report(const Pair *pair)
{
	Verdict verdict;
	double shows;
	bool holds;

	if (pair->count[0] < DRAWS_MIN || pair->count[1] < DRAWS_MIN)
	{
		printf("| %s | %g | %g | | | | %zu + %zu | too few runs to say |\n", pair->name,
			   pair->epsilon, pair->delta, pair->count[0], pair->count[1]);
		return true;
	}
	verdict = judge(pair);
	holds = !(verdict.least > pair->epsilon);
	shows = pair->epsilon + verdict.loss - verdict.least;
	printf("| %s | %g | %g | %.2f | ", pair->name, pair->epsilon, pair->delta, verdict.loss);
	printf(verdict.least > 0.0 ? "%.2f | " : "0 | ", verdict.least);
	printf(isfinite(shows) ? "%.1f | " : "| ", shows);
	printf("%zu + %zu | %s |\n", pair->count[0], pair->count[1], holds ? "holds" : "**EXCEEDED**");
	return holds;
}

int
main(int argc, char **argv)
{
	double share = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	Pair pair = {.name = ""};
	char line[512];
	int accused = 0;
	int pairs = 0;

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		char name[NAME_MAX_LENGTH];
		double epsilon;
		double delta;
		double outcome;
		int side;

		if (sscanf(line, "%99[^\t]\t%lf\t%lf\t%d\t%lf", name, &epsilon, &delta, &side, &outcome) !=
				5 ||
			side < 0 || side > 1 || isnan(outcome))
			give_up("a line is no draw");
		if (strcmp(name, pair.name) != 0)
		{
			if (pair.name[0] != '\0')
				accused += report(&pair) ? 0 : 1;
			strcpy(pair.name, name);
			pair.epsilon = share * epsilon;
			pair.delta = delta;
			pair.count[0] = pair.count[1] = 0;
			pairs++;
		}
		add_draw(&pair, side, outcome);
	}
	if (pairs == 0)
		give_up("there are no draws");
	accused += report(&pair) ? 0 : 1;
	for (int s = 0; s < 2; s++)
		free(pair.draw[s]);
	return accused == 0 ? 0 : 1;
}
