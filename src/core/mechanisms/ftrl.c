/*
 * ftrl.c - private online learning: calibration, bounds, and the run.
 *
 * S is the scale, the cost 1 in integers; a neighbour changes one vector by c with |c_j| <= S. Each
 * calibration is checked exactly.
 *
 * exponential (theorem L1): bounded range, epsilon_0 = 2 S rate, in T - 1 draws, because the first
 * choice depends on no vector:
 *
 *   pure  (T - 1) 2 S rate <= epsilon
 *   zCDP  (T - 1) (2 S rate)^2 / 8 = (T - 1) S^2 rate^2 / 2 <= rho
 *
 * tree (theorem L2): g_t is the sum of the blocks that the digits of t in base b count: t / b^l mod
 * b blocks of b^l steps at level l.  A step is in at most L such blocks (nodes), L the number of
 * digits of T - 1.  The noise of a node, d entries, is drawn once:
 *
 *   gauge     P(z) proportional to exp(-max|z_j| epsilon / (L S))
 *   Gaussian  rho = L d S^2 / (2 sigma^2), as the nodes change by S sqrt(L d) at most
 *
 * A level always adds b - 1 vectors of noise, so that the noise of g_t has the same law at every t;
 * vectors without a block are drawn anew and never serve a block (rule L3).  The choice is drawn
 * from exp(-rate h), h the noisy sum.  Sums are kept modulo 2^64: noise has no largest value, and
 * clipped noise would reveal the sums (rule L4).
 */
#include "core/mechanisms/ftrl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gmp.h>

#include "core/random/discrete_gaussian.h"
#include "core/noise/gauge.h"
#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/base/privacy.h"
#include "core/noise/zcdp.h"

#define MAX_BASE 256

/* ---- exact comparisons ---- */

/* Multiplies exactly. */
static void
times(mpq_t value, uint64_t word)
{
	mpq_t factor;

	mpq_init(factor);
	mpz_from_word(mpq_numref(factor), word);
	mpq_mul(value, value, factor);
	mpq_clear(factor);
}

/* (T - 1) 2 S rate 1e9 <= epsilon? */
static bool
rate_is_pure(const FtrlTerms *terms, double rate)
{
	bool pure;
	mpq_t cost;
	mpq_t epsilon;

	mpq_inits(cost, epsilon, NULL);
	mpq_set_d(cost, rate);
	times(cost, (uint64_t) (terms->steps - 1));
	times(cost, (uint64_t) (2 * terms->scale));
	times(cost, (uint64_t) EPSILON_ONE);
	mpz_from_word(mpq_numref(epsilon), (uint64_t) terms->epsilon);
	pure = mpq_cmp(cost, epsilon) <= 0;
	mpq_clears(cost, epsilon, NULL);
	return pure;
}

/* (T - 1) S^2 rate^2 <= 2 rho? */
static bool
rate_is_concentrated(const FtrlTerms *terms, double rho, double rate)
{
	bool concentrated;
	mpq_t cost;
	mpq_t twice;

	mpq_inits(cost, twice, NULL);
	mpq_set_d(cost, rate);
	times(cost, (uint64_t) terms->scale);
	mpq_mul(cost, cost, cost);
	times(cost, (uint64_t) (terms->steps - 1));
	mpq_set_d(twice, rho);
	times(twice, 2);
	concentrated = mpq_cmp(cost, twice) <= 0;
	mpq_clears(cost, twice, NULL);
	return concentrated;
}

/* The least integer sigma with L d S^2 <= 2 rho sigma^2; 0 if sigma^2 does not fit a word. */
static uint64_t
least_sigma(const FtrlTerms *terms, int levels, double rho)
{
	uint64_t sigma = 0;
	mpq_t square;
	mpz_t root;

	mpq_init(square);
	mpz_init(root);
	mpq_set_d(square, rho);
	times(square, 2);
	if (mpq_sgn(square) > 0)
	{
		mpq_inv(square, square);
		times(square, (uint64_t) levels);
		times(square, (uint64_t) terms->dimension);
		times(square, (uint64_t) terms->scale);
		times(square, (uint64_t) terms->scale);
		/* the least integer whose square is at least an integer at least this */
		mpz_cdiv_q(root, mpq_numref(square), mpq_denref(square));
		mpz_sub_ui(root, root, 1);
		mpz_sqrt(root, root);
		mpz_add_ui(root, root, 1);
		if (MUTANT(71))
			mpz_set_d(root, ceil(mpz_get_d(root) * 0.7));
		if (mpz_sizeinbase(root, 2) <= 32)
			sigma = mpz_get_ui(root);
	}
	mpq_clear(square);
	mpz_clear(root);
	return sigma;
}

/* The largest epsilon that the gauge's sampler allows replaces a larger one. */
static int64_t
gauge_epsilon(const FtrlPlan *plan)
{
	return plan->terms.epsilon < GAUGE_MAX_EPSILON ? plan->terms.epsilon : GAUGE_MAX_EPSILON;
}

/* The rate of a node's gauge noise, epsilon / (L S), per unit of 1 / S. */
static void
gauge_node_rate(const FtrlPlan *plan, mpz_t p, mpz_t q)
{
	mpz_from_word(p, (uint64_t) gauge_epsilon(plan));
	mpz_from_word(q, (uint64_t) (MUTANT(72) ? EPSILON_ONE / 10 * 7 : EPSILON_ONE));
	mpz_mul_ui(q, q, (unsigned long) plan->levels);
	mpz_mul_ui(q, q, (unsigned long) plan->terms.scale);
}

/* ---- bounds on the regret ---- */

/*
 * Source: theorem L5.  The mean regret, at noise of mean variance proxy V, for costs fixed in
 * advance:
 *
 *   ln d / eta + eta (V / 2 + T / 8) + T / S
 */
static double
regret_bound(const FtrlTerms *terms, double eta, double variance)
{
	double steps = (double) terms->steps;
	double regret =
		log(terms->dimension) / eta + eta * (variance / 2 + steps / 8) + steps / terms->scale;

	return fmin(regret, steps);
}

static double
best_eta(const FtrlTerms *terms, double variance)
{
	return sqrt(log(terms->dimension) / (variance / 2 + (double) terms->steps / 8));
}

/*
 * V of one node.  A discrete Gaussian is subgaussian with sigma^2 (Canonne, Kamath and Steinke
 * 2020). Uniform integers in -J .. J are subgaussian with their variance J (J + 1) / 3: with m = 2
 * J + 1 their moment generating function is the product over k of (1 + m^2 a_k) / (1 + a_k), a_k =
 * (t / 2 pi k)^2, at most exp((m^2 - 1) t^2 / 24).  J has weight (2 J + 1)^d exp(-r J), so u = J +
 * 1/2 has that of a Gamma(d + 1) of rate r on a lattice, and E J (J + 1) <= E u^2 <= (d + 1) (d +
 * 2) / r^2 (1 + r^2) for r <= 1.
 */
static double
node_variance(const FtrlPlan *plan)
{
	double scale = plan->terms.scale;
	double d = plan->terms.dimension;
	double r;

	if (plan->kind == FTRL_TREE_GAUSSIAN)
		return (double) plan->sigma * (double) plan->sigma / (scale * scale);
	r = (double) gauge_epsilon(plan) / EPSILON_ONE / (plan->levels * scale);
	return (d + 1) * (d + 2) * (1 + r * r) / (3 * r * r * scale * scale);
}

/* ---- calibration ---- */

/* The proposed rate, reduced until it is proved private. */
static double
certified_rate(const FtrlPlan *plan, double rate)
{
	while (!(plan->pure ? rate_is_pure(&plan->terms, rate)
						: rate_is_concentrated(&plan->terms, plan->rho, rate)))
		rate = nextafter(rate * (1 - 1e-15), 0);
	return rate;
}

/*
 * Takes pure or zCDP, whichever allows the larger rate, but no larger rate than is best without
 * privacy.
 */
static bool
plan_exponential(FtrlPlan *plan)
{
	const FtrlTerms *terms = &plan->terms;
	double scale = terms->scale;
	double draws = (double) (terms->steps - 1);
	double wanted = best_eta(terms, 0) / scale;
	double pure = wanted;
	double concentrated = 0;

	plan->rho = zcdp_rho(terms->epsilon, terms->delta);
	if (draws > 0)
	{
		pure = fmin(wanted, (double) terms->epsilon / EPSILON_ONE / (2 * scale * draws));
		concentrated = fmin(wanted, sqrt(2 * plan->rho / draws) / scale);
	}
	plan->pure = pure >= concentrated;
	plan->rate = certified_rate(plan, plan->pure ? pure : concentrated);
	plan->regret = regret_bound(terms, plan->rate * scale, 0);
	if (MUTANT(73))
		plan->rate /= 0.7;
	return true;
}

/* The number of digits of T - 1. */
static int
count_levels(int64_t steps, int base)
{
	int levels = 1;

	for (int64_t rest = (steps - 1) / base; rest > 0; rest /= base)
		levels++;
	return MUTANT(74) && levels > 1 ? levels - 1 : levels;
}

static bool
plan_base(FtrlPlan *plan, int base)
{
	const FtrlTerms *terms = &plan->terms;
	double variance;
	double eta;

	plan->base = base;
	plan->levels = count_levels(terms->steps, base);
	if (plan->kind == FTRL_TREE_GAUSSIAN &&
		(plan->sigma = least_sigma(terms, plan->levels, plan->rho)) == 0)
		return false;
	variance = plan->levels * (base - 1) * node_variance(plan);
	eta = best_eta(terms, variance);
	plan->rate = eta / terms->scale;
	plan->regret = regret_bound(terms, eta, variance);
	return true;
}

/* Takes the base of least noise. */
static bool
plan_tree(FtrlPlan *plan)
{
	bool found = false;
	FtrlPlan best = *plan;

	for (int base = 2; base <= MAX_BASE; base++)
	{
		FtrlPlan other = *plan;

		if (!plan_base(&other, base) || (found && other.rate <= best.rate))
			continue;
		found = true;
		best = other;
	}
	*plan = best;
	return found;
}

bool
ftrl_plan(const FtrlTerms *terms, FtrlKind kind, FtrlPlan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->terms = *terms;
	plan->kind = kind;
	if (kind == FTRL_EXPONENTIAL)
		return plan_exponential(plan);
	plan->pure = kind == FTRL_TREE_GAUGE;
	if (!plan->pure)
		plan->rho = zcdp_rho(terms->epsilon, terms->delta);
	return plan_tree(plan);
}

void
ftrl_choose(const FtrlTerms *terms, FtrlPlan *plan)
{
	FtrlPlan other;

	if (!ftrl_plan(terms, FTRL_EXPONENTIAL, plan))
		abort(); /* unreachable: FTRL_EXPONENTIAL always has a plan */
	for (int kind = 0; kind < FTRL_KINDS; kind++)
		if (ftrl_plan(terms, (FtrlKind) kind, &other) && other.regret < plan->regret)
			*plan = other;
}

/* ---- costs ---- */

bool
ftrl_quantise(const double *cost, int dimension, double low, double high, int scale,
			  int32_t *quantised)
{
	for (int j = 0; j < dimension; j++)
	{
		double clipped = fmin(fmax(cost[j], low), high);

		if (isnan(cost[j]))
		{
			memset(quantised, 0, (size_t) dimension * sizeof(*quantised));
			return false;
		}
		quantised[j] =
			(int32_t) fmin(fmax(round((clipped - low) / (high - low) * scale), 0), scale);
	}
	return true;
}

/* ---- the run ---- */

struct FtrlRun
{
	FtrlPlan plan;
	Bits *bits;
	int64_t step;    /* vectors learnt */
	int slots;       /* of noise: b - 1 for each level */
	uint64_t *sum;   /* modulo 2^64: of the costs, and of the noise in all slots */
	uint64_t *noise; /* slots x dimension */
};

/* The value modulo 2^64. */
static uint64_t
wrap(const mpz_t value)
{
	uint64_t word = 0;
	mpz_t low;

	mpz_init(low);
	mpz_fdiv_r_2exp(low, value, 64);
	mpz_export(&word, NULL, -1, sizeof(word), 0, 0, low);
	mpz_clear(low);
	return MUTANT(76) && mpz_sizeinbase(value, 2) > 50 ? (uint64_t) mpz_sgn(value) << 50 : word;
}

static void
draw_gauge(FtrlRun *run, uint64_t *noise)
{
	int dimension = run->plan.terms.dimension;
	mpz_t drawn[FTRL_MAX_DIMENSION];
	mpz_t p;
	mpz_t q;

	mpz_inits(p, q, NULL);
	for (int j = 0; j < dimension; j++)
		mpz_init(drawn[j]);
	gauge_node_rate(&run->plan, p, q);
	gauge_cube_noise(run->bits, drawn, dimension, p, q);
	for (int j = 0; j < dimension; j++)
	{
		noise[j] = wrap(drawn[j]);
		mpz_clear(drawn[j]);
	}
	mpz_clears(p, q, NULL);
}

static void
draw_gaussian(FtrlRun *run, uint64_t *noise)
{
	mpz_t drawn;
	mpz_t variance;
	mpz_t one;

	mpz_inits(drawn, variance, NULL);
	mpz_init_set_ui(one, 1);
	mpz_from_word(variance, run->plan.sigma * run->plan.sigma);
	for (int j = 0; j < run->plan.terms.dimension; j++)
	{
		discrete_gaussian_draw(run->bits, drawn, variance, one);
		noise[j] = wrap(drawn);
	}
	mpz_clears(drawn, variance, one, NULL);
}

static void
draw_slot(FtrlRun *run, int slot)
{
	int dimension = run->plan.terms.dimension;
	uint64_t *noise = run->noise + (size_t) slot * dimension;

	for (int j = 0; j < dimension; j++)
		run->sum[j] -= noise[j];
	if (run->plan.kind == FTRL_TREE_GAUGE)
		draw_gauge(run, noise);
	else
		draw_gaussian(run, noise);
	for (int j = 0; j < dimension; j++)
		run->sum[j] += noise[j];
}

/*
 * Renews noise from step t - 1 to t.  If the digit of a level has become a, the a-th block is
 * complete and its noise is new.  If the digit has become 0, the blocks of the level are all in one
 * of the next, and their noise, which was seen with them, must not be used as noise without a
 * block.
 */
static void
renew_noise(FtrlRun *run)
{
	int base = run->plan.base;
	int64_t rest = run->step;
	int digit = 0;

	for (int level = 0; level < run->plan.levels && digit == 0; level++)
	{
		int first = level * (base - 1);

		digit = (int) (rest % base);
		rest /= base;
		if (digit > 0)
			draw_slot(run, first + digit - 1);
		for (int slot = 0; slot < base - 1 && digit == 0 && !MUTANT(75); slot++)
			draw_slot(run, first + slot);
	}
}

FtrlRun *
ftrl_start(const FtrlPlan *plan, Bits *bits, Memory *memory)
{
	FtrlRun *run = memory_allocate_zero(memory, 1, sizeof(FtrlRun));
	size_t dimension = (size_t) plan->terms.dimension;

	run->plan = *plan;
	run->bits = bits;
	run->slots = plan->kind == FTRL_EXPONENTIAL ? 0 : plan->levels * (plan->base - 1);
	run->sum = memory_allocate_zero(memory, dimension, sizeof(uint64_t));
	run->noise =
		memory_allocate_zero(memory, dimension * (size_t) (run->slots + 1), sizeof(uint64_t));
	for (int slot = 0; slot < run->slots; slot++)
		draw_slot(run, slot);
	return run;
}

void
ftrl_end(FtrlRun *run, Memory *memory)
{
	memory_release(memory, run->sum);
	memory_release(memory, run->noise);
	memory_release(memory, run);
}

/*
 * Proposes a choice uniformly and keeps it with probability exp(-rate (h_j - min h)).  No big
 * integer outlives a call, so a run may be abandoned between two calls.
 */
int
ftrl_next(FtrlRun *run)
{
	int dimension = run->plan.terms.dimension;
	int64_t least = INT64_MAX;
	mpz_t exponent;
	mpq_t rate;
	int choice;

	for (int j = 0; j < dimension; j++)
		if ((int64_t) run->sum[j] < least)
			least = (int64_t) run->sum[j];
	mpz_init(exponent);
	mpq_init(rate);
	mpq_set_d(rate, run->plan.rate);
	do
	{
		choice = (int) bits_below(run->bits, (uint64_t) dimension);
		mpz_from_word(exponent, run->sum[choice] - (uint64_t) least);
		mpz_mul(exponent, exponent, mpq_numref(rate));
	} while (!bits_bernoulli_exp(run->bits, exponent, mpq_denref(rate)));
	mpz_clear(exponent);
	mpq_clear(rate);
	return choice;
}

void
ftrl_learn(FtrlRun *run, const int32_t *cost)
{
	for (int j = 0; j < run->plan.terms.dimension; j++)
		run->sum[j] += (uint64_t) cost[j];
	run->step++;
	if (run->step < run->plan.terms.steps && run->slots > 0)
		renew_noise(run);
}
