/*
 * descent_run.c - noisy sums of gradients, and the iterates that follow from them.
 *
 * The sum of gradients over a batch is an integer vector, exactly a sum of one vector of norm c at
 * most for each label (descent.h).  It is rounded to 2^-85; real noise is added and the sum rounded
 * exactly to 2^-20.  All later steps are functions of these integers (theorem D4), so they may use
 * doubles.
 */
#include "core/mechanisms/descent_run.h"

#include <math.h>

#include "core/convex/convex_pass.h"
#include "core/convex/softmax_pass.h"
#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/mechanisms/convex_data.h"
#include "core/random/real_noise.h"

/* Noisy sums of gradients are rounded to multiples of 2^-20. */
#define OBSERVED_BITS 20

/*
 * Decay of the running means of noisy gradients and of their squares, which scale the steps so that
 * columns may have any scale (Kingma and Ba 2015).
 */
#define MEAN_KEPT 0.9
#define SQUARE_KEPT 0.99

/* ---- what a step observes ---- */

typedef struct Observer
{
	const MechanismRequest *request;
	const MechanismTools *tools;
	LossTable table;
	SoftmaxTable softmax; /* of several classes */
	double noise;
	ConvexRows rows;
	Batch batch;
	mpz_t offset[WEIGHTS_MAX];
	mpz_t integer[WEIGHTS_MAX];
} Observer;

/* The exact sum of gradients over the batch. */
static void
sum_gradients(Observer *observer, const Wide *point, Wide *sum)
{
	const ConvexTerms *terms = &observer->request->convex;
	Memory *memory = observer->tools->memory;
	Wide none[WEIGHTS_MAX] = {0};

	if (terms->classes > 0)
		softmax_pass(&observer->rows, &observer->softmax, terms->classes,
					 convex_data_longest(observer->request), 0, none, point, memory, sum, NULL);
	else
		convex_pass(&observer->rows, &observer->table, 0, none, point, memory, sum, NULL);
}

/*
 * Sets the rounded noisy sum of gradients at u, in one pass over the rows, which also draws the
 * batch.
 */
static void
observe(Observer *observer, const double *u, double *gradient)
{
	const MechanismTools *tools = observer->tools;
	int dimension = observer->request->grid.dimension;
	Wide point[WEIGHTS_MAX];
	Wide sum[WEIGHTS_MAX];
	RealDraw *draw;

	for (int j = 0; j < dimension; j++)
		point[j] = (Wide) ldexp(u[j], WEIGHT_BITS);
	sum_gradients(observer, point, sum);
	for (int j = 0; j < dimension; j++)
		mpz_from_wide(observer->offset[j], sum[j]);
	draw = real_draw_create(REAL_GAUSSIAN, dimension, observer->noise, tools->bits, tools->memory);
	real_draw_round(draw, tools->bits, (const mpz_t *) observer->offset,
					GRADIENT_BITS - OBSERVED_BITS, OBSERVED_BITS, observer->integer);
	real_draw_destroy(draw, tools->memory);
	for (int j = 0; j < dimension; j++)
		gradient[j] = ldexp(mpz_get_d(observer->integer[j]), -OBSERVED_BITS);
}

static void
observer_open(Observer *observer, const MechanismRequest *request, double noise,
			  const Instance *instance, const MechanismTools *tools)
{
	const DescentTerms *terms = &request->descent;

	observer->request = request;
	observer->tools = tools;
	observer->noise = noise * (MUTANT(86) ? 0.8 : 1);
	loss_table_make(request->convex.loss, &observer->table);
	convex_data_make(request, instance, tools->memory, &observer->rows);
	if (request->convex.classes > 0)
		softmax_table_make(&observer->softmax);
	observer->batch = (Batch){.sampling = terms->sampling,
							  .size = terms->batch,
							  .rows = terms->rows,
							  .bits = tools->bits};
	if (terms->sampling != DESCENT_FULL)
		observer->rows.batch = &observer->batch;
	for (int j = 0; j < request->grid.dimension; j++)
		mpz_inits(observer->offset[j], observer->integer[j], NULL);
}

static void
observer_close(Observer *observer)
{
	for (int j = 0; j < observer->request->grid.dimension; j++)
		mpz_clears(observer->offset[j], observer->integer[j], NULL);
	convex_rows_release(&observer->rows, observer->tools->memory);
}

/* ---- what follows from it ---- */

typedef struct Descent
{
	double u[WEIGHTS_MAX];
	double mean[WEIGHTS_MAX];
	double square[WEIGHTS_MAX];
	double sum[WEIGHTS_MAX]; /* of the iterates that are averaged */
	int summed;
} Descent;

static void
project(Descent *descent, int dimension, double norm)
{
	double square = 0;

	for (int j = 0; j < dimension; j++)
		square += descent->u[j] * descent->u[j];
	if (square > norm * norm)
		for (int j = 0; j < dimension; j++)
			descent->u[j] *= norm / sqrt(square);
}

/* Takes step t, counted from 1, along the gradient plus that of the regularisation. */
static void
move(Descent *descent, const MechanismRequest *request, const double *gradient, int t)
{
	double lambda = (double) request->convex.lambda / (double) LAMBDA_ONE;
	double mean_known = 1 - pow(MEAN_KEPT, t);
	double square_known = 1 - pow(SQUARE_KEPT, t);

	for (int j = 0; j < request->grid.dimension; j++)
	{
		double slope = gradient[j] + lambda * descent->u[j];
		double length;

		descent->mean[j] = MEAN_KEPT * descent->mean[j] + (1 - MEAN_KEPT) * slope;
		descent->square[j] = SQUARE_KEPT * descent->square[j] + (1 - SQUARE_KEPT) * slope * slope;
		length = sqrt(descent->square[j] / square_known);
		if (length > 0)
			descent->u[j] -= request->descent.step * descent->mean[j] / mean_known / length;
	}
	project(descent, request->grid.dimension, request->descent.norm);
}

/*
 * Averages the later half of the iterates, because the earlier ones are still far from the
 * minimiser.
 */
static void
remember(Descent *descent, const MechanismRequest *request, int t)
{
	if (t <= request->descent.iterations / 2)
		return;
	for (int j = 0; j < request->grid.dimension; j++)
		descent->sum[j] += descent->u[j];
	descent->summed++;
}

void
descent_run(const MechanismRequest *request, double noise, const Instance *instance,
			const MechanismTools *tools, MechanismAnswer *answer)
{
	Observer *observer = memory_allocate_zero(tools->memory, 1, sizeof(Observer));
	Descent *descent = memory_allocate_zero(tools->memory, 1, sizeof(Descent));
	double gradient[WEIGHTS_MAX];

	observer_open(observer, request, noise, instance, tools);
	for (int t = 1; t <= request->descent.iterations; t++)
	{
		observe(observer, descent->u, gradient);
		move(descent, request, gradient, t);
		remember(descent, request, t);
	}
	mechanism_make_weights(request, tools->memory, answer);
	for (int j = 0; j < request->grid.dimension; j++)
		answer->weight[j] = llround(ldexp(descent->sum[j] / descent->summed, CONVEX_OUTPUT_BITS));
	answer->nodes = request->descent.iterations;
	observer_close(observer);
	memory_release(tools->memory, descent);
	memory_release(tools->memory, observer);
}
