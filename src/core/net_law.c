/*
 * net_law.c - the losses of a net's points, and one of them drawn.
 */
#include "core/net_law.h"

#include <pthread.h>
#include <stdbool.h>
#include <gmp.h>

#include "core/mutant.h"

#define NET_MAX_THREADS 64

/* ---- losses ---- */

/* What one line asks of a row: the coordinates of its first point. */
typedef struct Start
{
	int64_t u[NET_MAX_DIMENSION];
	int32_t points;
} Start;

static void
start_line(const NetProblem *problem, const NetLine *line, Start *start)
{
	for (int j = 0; j < problem->net->dimension; j++)
		start->u[j] = problem->centre[j] + problem->step * line->k[j];
	start->points = 2 * line->reach + 1;
}

/* A row's loss along a line, where its margin grows by pace from point to point. */
static void
add_along(const NetLoss *loss, int64_t margin, int64_t pace, int64_t labels, int32_t points,
		  int64_t *sum)
{
	for (int32_t p = 0; p < points; p++, margin += pace)
		sum[p] += labels * net_loss(loss, margin);
}

/* lambda / 2 |u|^2, rounded down: public, so any function would do. */
static int64_t
regularity(int64_t lambda, int64_t square)
{
	const int shift = 1 + LAMBDA_BITS + 2 * CONVEX_OUTPUT_BITS - NET_LOSS_BITS;

	return (int64_t) (((Wide) lambda * square) >> shift);
}

static void
finish_line(const NetProblem *problem, const Start *start, int64_t *sum)
{
	int last = problem->net->dimension - 1;
	int64_t most = problem->limit * problem->limit;
	int64_t rest = 0;

	for (int j = 0; j < last; j++)
		rest += start->u[j] * start->u[j];
	for (int32_t p = 0; p < start->points; p++)
	{
		int64_t u = start->u[last] + p * problem->step;
		int64_t square = rest + u * u;

		if (square > most)
			sum[p] = NET_OUTSIDE;
		else
			sum[p] += regularity(problem->lambda, square);
	}
}

static void
line_losses(const NetProblem *problem, const NetLine *line, int64_t *sum)
{
	const ConvexSample *sample = problem->sample;
	int dimension = problem->net->dimension;
	const int32_t *v = sample->v;
	Start start;

	start_line(problem, line, &start);
	for (int32_t p = 0; p < start.points; p++)
		sum[p] = 0;
	for (int64_t i = 0; i < sample->rows; i++, v += dimension)
	{
		int64_t pace = v[dimension - 1] * problem->step;
		int64_t score = 0;

		for (int j = 0; j < dimension; j++)
			score += v[j] * start.u[j];
		if (sample->positive[i] > 0)
			add_along(problem->loss, score, pace, sample->positive[i], start.points, sum);
		if (sample->negative[i] > 0)
			add_along(problem->loss, -score, -pace, sample->negative[i], start.points, sum);
	}
	finish_line(problem, &start, sum);
}

/* Every so many lines are one worker's. */
typedef struct Worker
{
	const NetProblem *problem;
	int64_t first;
	int64_t pace;
	int64_t *loss;
	pthread_t thread;
	bool started;
} Worker;

static void *
work(void *context)
{
	const Worker *worker = context;
	const Net *net = worker->problem->net;

	for (int64_t l = worker->first; l < net->lines; l += worker->pace)
		line_losses(worker->problem, &net->line[l], worker->loss + net->line[l].first);
	return NULL;
}

/* What no thread can be had for is done here. */
void
net_losses(const NetProblem *problem, Memory *memory, int64_t *loss)
{
	int threads = problem->threads < NET_MAX_THREADS ? problem->threads : NET_MAX_THREADS;
	Worker *worker = memory_allocate_zero(memory, (size_t) threads, sizeof(Worker));

	for (int t = 0; t < threads; t++)
	{
		worker[t] = (Worker){.problem = problem, .first = t, .pace = threads, .loss = loss};
		if (t > 0)
			worker[t].started = pthread_create(&worker[t].thread, NULL, work, &worker[t]) == 0;
	}
	for (int t = 0; t < threads; t++)
		if (!worker[t].started)
			(void) work(&worker[t]);
	for (int t = 0; t < threads; t++)
		if (worker[t].started)
			(void) pthread_join(worker[t].thread, NULL);
	memory_release(memory, worker);
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
 * A point is proposed uniformly and kept with probability exp(-rate (loss - least)),
 * decided exactly (bits.h).  So each attempt ends with a given point with the
 * probability 1 / points times that, whatever attempts came before, and the answer has
 * the law.  The best point is always kept: an answer takes as many attempts as there
 * are points at most, in the mean.
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
