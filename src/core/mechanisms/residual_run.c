/*
 * residual_run.c - noisy counts, noisy sums of clipped residuals, and the weights that follow.
 *
 * What is known of the rows is one pass of counts and RESIDUAL_STEPS sums (theorem D10).  Sums are
 * of integers, exactly a sum of one vector for each label (lemma D8); real noise is added and the
 * sum rounded exactly.  All else is a function of these integers, so it uses doubles.
 */
#include "core/mechanisms/residual_run.h"

#include <math.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/convex/convex_pass.h"
#include "core/convex/count_pass.h"
#include "core/mechanisms/convex_data.h"
#include "core/mechanisms/residual_prior.h"
#include "core/random/real_noise.h"

/* Noisy counts and sums are rounded to multiples of 2^-20. */
#define OBSERVED_BITS 20

/* Weights are clipped to this, in units of u, for the arithmetic of passes. */
#define WEIGHT_MOST 0x1p20

typedef struct Run
{
	const MechanismRequest *request;
	const MechanismTools *tools;
	const ResidualScale *scale;
	ResidualLayout layout;
	LossTable table;
	ConvexRows rows;
	double labels;  /* N */
	double share;   /* p */
	double *count;  /* of each weight */
	double *weight; /* numbers in units of their bounds, like the next four */
	double *sum;    /* of a step */
	double *mean;   /* of the first steps' sums */
	double *step;   /* the direction */
	double *velocity;
	Wide *wide; /* sums of a pass */
	mpz_t *offset;
	mpz_t *integer;
	ResidualPrior prior;
} Run;

/* ---- what is observed ---- */

/* Sets so many noisy numbers to round(2^20 (value / 2^places + noise)) / 2^20. */
static void
observe(Run *run, const Wide *value, int count, int places, double deviation, double *noisy)
{
	RealDraw *draw;

	if (count == 0)
		return;
	for (int j = 0; j < count; j++)
	{
		mpz_from_wide(run->offset[j], value[j]);
		mpz_mul_2exp(run->offset[j], run->offset[j], OBSERVED_BITS);
	}
	draw = real_draw_create(REAL_GAUSSIAN, count, MUTANT(358) ? 0.8 * deviation : deviation,
							run->tools->bits, run->tools->memory);
	real_draw_round(draw, run->tools->bits, (const mpz_t *) run->offset, places, OBSERVED_BITS,
					run->integer);
	real_draw_destroy(draw, run->tools->memory);
	for (int j = 0; j < count; j++)
		noisy[j] = ldexp(mpz_get_d(run->integer[j]), -OBSERVED_BITS);
}

/* Labels are never fewer, and the share of positive ones is never nearer to 0 or 1. */
#define LABELS_LEAST 1.0
#define SHARE_LEAST 0.005

static void
observe_counts(Run *run)
{
	const ResidualLayout *layout = &run->layout;
	double label[2];
	double *noisy = run->step;
	int ones = 0;

	count_pass(&run->rows, run->tools->memory, run->wide);
	observe(run, run->wide, 2, 0, run->scale->labels, label);
	run->labels = fmax(label[0] + label[1], LABELS_LEAST);
	run->share = fmin(fmax(label[0] / run->labels, SHARE_LEAST), 1 - SHARE_LEAST);
	for (int g = 0; g < layout->groups; g++)
		for (int a = 0; a < layout->group[g].size; a++)
			run->wide[ones++] = run->wide[2 + layout->group[g].first + a];
	observe(run, run->wide, ones, 0, run->scale->counts, noisy);
	ones = 0;
	for (int g = 0; g < layout->groups; g++)
		for (int a = 0; a < layout->group[g].size; a++)
			run->count[layout->group[g].first + a] = noisy[ones++];
}

/* Is the weight's sum released? */
static bool
is_summed(const ResidualLayout *layout, int j)
{
	return j != layout->intercept || layout->sums_intercept;
}

/* Sets the noisy sums of residuals at the weights. */
static void
observe_sums(Run *run, double deviation)
{
	const ResidualLayout *layout = &run->layout;
	double radius = run->request->convex.radius;
	Memory *memory = run->tools->memory;
	Wide *point = memory_allocate(memory, (size_t) layout->weights, sizeof(Wide));
	Wide *none = memory_allocate_zero(memory, (size_t) layout->weights, sizeof(Wide));
	double *noisy = run->step;
	int summed = 0;

	for (int j = 0; j < layout->weights; j++)
		point[j] = (Wide) ldexp(run->weight[j] * radius, WEIGHT_BITS);
	convex_pass(&run->rows, &run->table, 0, none, point, memory, run->wide, NULL);
	memory_release(memory, none);
	memory_release(memory, point);
	for (int j = 0; j < layout->weights; j++)
		if (is_summed(layout, j))
			run->wide[summed++] = -run->wide[j];
	observe(run, run->wide, summed, GRADIENT_BITS, deviation / radius, noisy);
	summed = 0;
	for (int j = 0; j < layout->weights; j++)
		run->sum[j] = is_summed(layout, j) ? radius * noisy[summed++] : 0;
}

/* ---- the steps ---- */

/* The length of a step, and how much of the last one is kept; both were found by trial. */
typedef struct Pace
{
	double step;
	double kept;
	double relative; /* the noise, in the curvature of all rows */
} Pace;

#define LENGTH 0.8
#define LENGTH_LEAST 0.1
#define LENGTH_MOST 10.0
#define STEEP 600.0
#define STEEPEST 150.0

static Pace
pace_of(const Run *run, double noise)
{
	const ResidualLayout *layout = &run->layout;
	double variance = run->share * (1 - run->share);
	double steep = (layout->groups + 1 + layout->square) / variance;
	int weights = layout->weights - (layout->intercept >= 0 ? 1 : 0);
	double relative = noise * sqrt(weights) / (run->labels * variance);
	double length = fmin(fmax(LENGTH / sqrt(relative), LENGTH_LEAST), LENGTH_MOST);
	double kept = length * steep > STEEP ? 0.8 : 0.5;

	length = fmin(length, STEEPEST * RESIDUAL_STEPS / steep);
	return (Pace){.step = length * (1 - kept) / (RESIDUAL_STEPS * variance),
				  .kept = kept,
				  .relative = relative};
}

/* After so many steps the strength of each group is learned, and descent begins anew from there. */
#define LEARN_STEPS 5

static void
move(Run *run, const Pace *pace)
{
	double most = WEIGHT_MOST / run->request->convex.radius;

	residual_prior_step(&run->prior, run->sum, run->step);
	for (int j = 0; j < run->layout.weights; j++)
	{
		run->velocity[j] = pace->kept * run->velocity[j] + pace->step * run->step[j];
		run->weight[j] = fmin(fmax(run->weight[j] + run->velocity[j], -most), most);
	}
}

static void
learn(Run *run, double deviation)
{
	for (int j = 0; j < run->layout.weights; j++)
	{
		run->mean[j] /= LEARN_STEPS;
		run->velocity[j] = 0;
	}
	residual_prior_learn(&run->prior, run->mean, LEARN_STEPS, deviation);
}

/* The logit of the base rate is the intercept's weight, or without one those of the first group. */
static void
start(Run *run)
{
	const ResidualLayout *layout = &run->layout;
	double logit = log(run->share / (1 - run->share));

	if (layout->intercept >= 0)
		run->weight[layout->intercept] = logit;
	else if (layout->groups > 0 && layout->group[0].size > 1)
		for (int a = 0; a < layout->group[0].size; a++)
			run->weight[layout->group[0].first + a] = logit;
}

/*
 * A clip that is uneven lets rows of a probability above 0.3 pull towards the rarer label, so that
 * a probability of one half is beyond score 0.  Noise makes steps short, so that scores are nearer
 * to the base rate's logit than the truth, and one half is on this side of score 0, unless a label
 * is so rare that no row may be beyond one half.  How much was found by trial (rule D11).
 */
#define LEANING 1.5
#define SHORTENING 0.6
#define RELATIVE_MOST 6.0

/* Distances of the rarer label's share from a half: all of it is mended, and nothing. */
#define COMMON 0.12
#define UNCOMMON 0.2

static void
straighten(Run *run, const Pace *pace)
{
	int intercept = run->layout.intercept;
	double uneven = ((int) run->rows.clip - (int) CLIP_EVEN) / (double) CLIP_STEPS;
	double rare = uneven > 0 ? run->share : 1 - run->share;
	double logit = log(run->share / (1 - run->share));
	double common = (UNCOMMON - fabs(run->share - 0.5)) / (UNCOMMON - COMMON);
	double longer = 1 + SHORTENING * fmin(pace->relative, RELATIVE_MOST);

	if (intercept < 0)
		return;
	run->weight[intercept] -= LEANING * rare * uneven * fabs(uneven);
	run->weight[intercept] -= logit * fmin(fmax(common, 0), 1) * (1 - 1 / longer);
}

static void
descend(Run *run)
{
	double variance = run->share * (1 - run->share);
	ResidualClip clip = residual_clip(&run->layout, run->share, run->request->adjacency);
	double reach = residual_reach(&run->layout, clip, run->request->adjacency);
	double deviation = reach * run->scale->step;
	double noise = reach * run->scale->slope;
	Pace pace = pace_of(run, noise);

	run->rows.clip = clip;
	residual_prior_create(&run->layout, run->labels, variance, noise, run->count,
						  run->scale->counts, run->tools->memory, &run->prior);
	start(run);
	for (int t = 1; t <= RESIDUAL_STEPS; t++)
	{
		observe_sums(run, deviation);
		for (int j = 0; j < run->layout.weights && t <= LEARN_STEPS; j++)
			run->mean[j] += run->sum[j];
		move(run, &pace);
		if (t == LEARN_STEPS)
			learn(run, deviation);
	}
	straighten(run, &pace);
	residual_prior_destroy(&run->prior);
}

/* ---- a run ---- */

static double *
make_doubles(const Run *run)
{
	return memory_allocate_zero(run->tools->memory, (size_t) run->layout.weights + 2,
								sizeof(double));
}

static void
run_open(Run *run, const MechanismRequest *request, const ResidualScale *scale,
		 const Instance *instance, const MechanismTools *tools)
{
	size_t most;

	run->request = request;
	run->tools = tools;
	run->scale = scale;
	residual_layout_make(&request->convex, &request->residual, request->grid.dimension,
						 &run->layout);
	loss_table_make(request->convex.loss, &run->table);
	convex_data_make(request, instance, tools->memory, &run->rows);
	most = (size_t) run->layout.weights + 2;
	run->count = make_doubles(run);
	run->weight = make_doubles(run);
	run->sum = make_doubles(run);
	run->mean = make_doubles(run);
	run->step = make_doubles(run);
	run->velocity = make_doubles(run);
	run->wide = memory_allocate_zero(tools->memory, most, sizeof(Wide));
	run->offset = integers_create(most, tools->memory);
	run->integer = integers_create(most, tools->memory);
}

static void
run_close(Run *run)
{
	Memory *memory = run->tools->memory;
	size_t most = (size_t) run->layout.weights + 2;

	integers_destroy(run->integer, most, memory);
	integers_destroy(run->offset, most, memory);
	memory_release(memory, run->wide);
	memory_release(memory, run->velocity);
	memory_release(memory, run->step);
	memory_release(memory, run->mean);
	memory_release(memory, run->sum);
	memory_release(memory, run->weight);
	memory_release(memory, run->count);
	convex_rows_release(&run->rows, memory);
}

void
residual_run(const MechanismRequest *request, const ResidualScale *scale, const Instance *instance,
			 const MechanismTools *tools, MechanismAnswer *answer)
{
	Run *run = memory_allocate_zero(tools->memory, 1, sizeof(Run));

	run_open(run, request, scale, instance, tools);
	observe_counts(run);
	descend(run);
	mechanism_make_weights(request, tools->memory, answer);
	for (int k = 0; k < run->layout.numbers; k++)
		if (run->layout.bound[k] > 0)
			run->weight[run->layout.number[k]] /= run->layout.bound[k];
	for (int j = 0; j < run->layout.weights; j++)
		answer->weight[j] =
			llround(ldexp(run->weight[j] * request->convex.radius, CONVEX_OUTPUT_BITS));
	answer->nodes = RESIDUAL_STEPS;
	run_close(run);
	memory_release(tools->memory, run);
}
