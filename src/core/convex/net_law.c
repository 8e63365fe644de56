/*
 * net_law.c - the losses of a net's points, and one of them drawn.
 */
#include "core/convex/net_law.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <gmp.h>

#include "core/convex/convex_row.h"
#include "core/base/crew.h"
#include "core/base/mutant.h"
#include "core/rows/row_reader.h"

/* ---- losses ---- */

/* Some points of a line that follow one another: the coordinates of the first, and how many. */
typedef struct Start
{
	int64_t u[NET_MAX_DIMENSION];
	int32_t points;
} Start;

/* Returns the number of the first point; those of the line from first to end - 1 are wanted. */
static int64_t
start_line(const NetProblem *problem, const NetLine *line, int64_t first, int64_t end, Start *start)
{
	int64_t from = first > line->first ? first : line->first;
	int64_t line_end = line->first + 2 * line->largest + 1;

	for (int j = 0; j < problem->net->dimension; j++)
		start->u[j] = problem->centre[j] + problem->step * line->k[j];
	start->u[problem->net->dimension - 1] += problem->step * (from - line->first);
	start->points = (int32_t) ((end < line_end ? end : line_end) - from);
	return from;
}

/* A row's loss along a line, where its margin grows by pace from point to point. */
static void
add_along(const NetLoss *loss, int64_t margin, int64_t pace, int64_t labels, int32_t points,
		  int64_t *sum)
{
	for (int32_t p = 0; p < points; p++, margin += pace)
		sum[p] += labels * net_loss(loss, margin);
}

/* lambda / 2 |u|^2, rounded down.  The term is public, so its rounding is harmless. */
static int64_t
regularity(int64_t lambda, int64_t square)
{
	const int shift = 1 + LAMBDA_BITS + 2 * CONVEX_OUTPUT_BITS - NET_LOSS_BITS;

	return (int64_t) (((Wide) lambda * square) >> shift);
}

static void
finish_line(const NetProblem *problem, const NetLine *line, int64_t *loss)
{
	int last = problem->net->dimension - 1;
	int64_t most = problem->limit * problem->limit;
	int64_t rest = 0;
	Start start;
	int64_t *sum = loss + start_line(problem, line, 0, INT64_MAX, &start);

	for (int j = 0; j < last; j++)
		rest += start.u[j] * start.u[j];
	for (int32_t p = 0; p < start.points; p++)
	{
		int64_t u = start.u[last] + p * problem->step;
		int64_t square = rest + u * u;

		if (square > most)
			sum[p] = NET_OUTSIDE;
		else
			sum[p] += regularity(problem->lambda, square);
	}
}

/* The points from first to end - 1, divided into as many shares as threads. */
typedef struct Deal
{
	const NetProblem *problem;
	int64_t first;
	int64_t end;
	int64_t *sum;
	Pause pause;
	int shares;
	atomic_int next; /* next share that no thread has taken */
} Deal;

typedef struct Worker
{
	Deal *deal;
	RowReader *reader;
	int64_t first; /* point of the share at hand */
	int64_t end;
	int64_t line; /* of its first point */
	int32_t v[BLOCK_ROWS * NET_MAX_DIMENSION];
} Worker;

/* Adds the losses of a block's rows, which are clipped already, along a line. */
static void
add_line(const Worker *worker, const NetLine *line, const RowBlock *block)
{
	const NetProblem *problem = worker->deal->problem;
	int dimension = problem->net->dimension;
	const int32_t *v = worker->v;
	Start start;
	int64_t from = start_line(problem, line, worker->first, worker->end, &start);
	int64_t *sum = worker->deal->sum + (from - worker->deal->first);

	for (int64_t i = 0; i < block->rows; i++, v += dimension)
	{
		int64_t pace = v[dimension - 1] * problem->step;
		int64_t score = 0;

		for (int j = 0; j < dimension; j++)
			score += v[j] * start.u[j];
		if (block->positive[i] > 0)
			add_along(problem->loss, score, pace, block->positive[i], start.points, sum);
		if (block->negative[i] > 0)
			add_along(problem->loss, -score, -pace, block->negative[i], start.points, sum);
	}
}

static void
add_block(Worker *worker, const RowBlock *block)
{
	const NetProblem *problem = worker->deal->problem;
	const Net *net = problem->net;

	for (int64_t i = 0; i < block->rows; i++)
		convex_clip_row(block->x + i * net->dimension, net->dimension, problem->radius,
						worker->v + i * net->dimension);
	for (int64_t l = worker->line; l < net->lines && net->line[l].first < worker->end; l++)
		add_line(worker, &net->line[l], block);
}

/* Each thread takes the next share when it is free, and visits all rows for it. */
static void
work(void *context)
{
	Worker *worker = context;
	Deal *deal = worker->deal;
	const NetProblem *problem = deal->problem;
	int64_t points = deal->end - deal->first;
	int share;

	while ((share = atomic_fetch_add(&deal->next, 1)) < deal->shares)
	{
		worker->first = deal->first + points * share / deal->shares;
		worker->end = deal->first + points * (share + 1) / deal->shares;
		worker->line = net_line(problem->net, worker->first);
		for (int64_t first = 0; first < problem->instance->rows; first += BLOCK_ROWS)
		{
			RowBlock block = row_reader_block(worker->reader, first);

			if (!MUTANT(114) || share == 0 || first == 0)
				add_block(worker, &block);
			take_pause(deal->pause);
		}
	}
}

/*
 * Threads divide the points and not the rows, because otherwise each would need the losses of all
 * points.
 */
void
net_sums(const NetProblem *problem, int64_t first, int64_t end, Memory *memory, int64_t *sum)
{
	int threads = problem->threads < CREW_MAX_THREADS ? problem->threads : CREW_MAX_THREADS;
	Deal deal = {.problem = problem,
				 .first = first,
				 .end = end,
				 .sum = sum,
				 .pause = threads == 1 ? memory->pause : NULL,
				 .shares = threads};
	void *worker[CREW_MAX_THREADS] = {NULL};

	for (int t = 0; t < threads; t++)
	{
		Worker *one = memory_allocate_zero(memory, 1, sizeof(Worker));

		one->deal = &deal;
		one->reader = row_reader_create(problem->instance, memory);
		worker[t] = one;
	}
	memset(sum, 0, (size_t) (end - first) * sizeof(int64_t));
	crew_run(threads, work, worker);
	for (int t = 0; t < threads; t++)
	{
		row_reader_destroy(((Worker *) worker[t])->reader, memory);
		memory_release(memory, worker[t]);
	}
}

/* The same in as many passes as the points need. */
static void
sums_elsewhere(const NetProblem *problem, Memory *memory, int64_t *loss)
{
	int dimension = problem->net->dimension;
	Wide place[NET_MAX_DIMENSION + 1];
	Wide *sum = memory_allocate(memory, PASS_SUMS_MAX, sizeof(Wide));

	for (int j = 0; j < dimension; j++)
		place[j] = problem->centre[j];
	place[dimension] = problem->step;
	for (int64_t first = 0; first < problem->net->points; first += PASS_SUMS_MAX)
	{
		int64_t left = problem->net->points - first;
		Pass pass = {.kind = PASS_NET,
					 .first = first,
					 .places = dimension + 1,
					 .place = place,
					 .sums = left < PASS_SUMS_MAX ? left : PASS_SUMS_MAX};

		pass_make(problem->instance->parts, &pass, sum);
		for (int64_t i = 0; i < pass.sums; i++)
			loss[first + i] = (int64_t) sum[i];
	}
	memory_release(memory, sum);
}

/* Labels are counted first, to check that the sum of their losses does not overflow. */
void
net_losses(const NetProblem *problem, Memory *memory, int64_t *loss)
{
	(void) row_reader_labels(problem->instance, memory);
	if (problem->instance->elsewhere)
		sums_elsewhere(problem, memory, loss);
	else
		net_sums(problem, 0, problem->net->points, memory, loss);
	for (int64_t l = 0; l < problem->net->lines; l++)
		finish_line(problem, &problem->net->line[l], loss);
}

void
net_weights(const NetProblem *problem, int64_t number, int64_t *u)
{
	int32_t k[NET_MAX_DIMENSION];

	net_point(problem->net, number, k);
	for (int j = 0; j < problem->net->dimension; j++)
		u[j] = problem->centre[j] + problem->step * k[j];
}

/* ---- one draw ---- */

static int64_t
least_loss(const int64_t *loss, int64_t points)
{
	int64_t least = NET_OUTSIDE;

	for (int64_t i = 0; i < points; i++)
		if (loss[i] < least)
			least = loss[i];
	return least;
}

/*
 * Proposes a point uniformly and keeps it with probability exp(-rate (loss - least)), decided
 * exactly (bits.h), so the answer has the law.  The best point is always kept, so the mean number
 * of attempts is at most the number of points.
 */
int64_t
net_draw(const int64_t *loss, int64_t points, NetRate rate, Bits *bits)
{
	int64_t least = least_loss(loss, points);
	bool kept = false;
	int64_t number = 0;
	mpz_t p;
	mpz_t q;

	mpz_init(p);
	mpz_init_set_si(q, rate.denominator);
	while (!kept)
	{
		number = (int64_t) bits_below(bits, (uint64_t) points);
		if (loss[number] == NET_OUTSIDE)
			continue;
		mpz_set_si(p, loss[number] - least);
		mpz_mul_si(p, p, rate.numerator);
		if (MUTANT(91))
			mpz_mul_ui(p, p, 2);
		kept = bits_bernoulli_exp(bits, p, q);
	}
	mpz_clear(p);
	mpz_clear(q);
	return number;
}
