/*
 * profile.c - closed forms of delta(epsilon), in intervals.
 */
#include "core/noise/profile.h"

#include <math.h>

#include "core/base/interval.h"

/* Enough bits to survive cancellation: kappa is above 1e-15, which costs twice 50 bits. */
#define PRECISION 384

/* ---- the normal law ---- */

/* x becomes P(z > x). */
static void
normal_above(Interval *x)
{
	Interval root;

	interval_init(&root, mpfr_get_prec(x->low));
	interval_set_ui(&root, 2);
	interval_root(&root);
	interval_divide(x, &root);
	interval_erfc(x);
	interval_divide_ui(x, 2);
	interval_clear(&root);
}

/* x becomes e^exponent x. */
static void
multiply_exp(Interval *x, double exponent)
{
	Interval factor;

	interval_init(&factor, mpfr_get_prec(x->low));
	interval_set_d(&factor, exponent);
	interval_exp(&factor);
	interval_multiply(x, &factor);
	interval_clear(&factor);
}

/* epsilon / kappa + kappa / 2 if plus, else epsilon / kappa - kappa / 2. */
static void
threshold(Interval *result, double epsilon, double kappa, bool plus)
{
	Interval part;

	interval_init(&part, mpfr_get_prec(result->low));
	interval_set_d(&part, kappa);
	interval_set_d(result, epsilon);
	interval_divide(result, &part);
	interval_divide_ui(&part, 2);
	if (plus)
		interval_add(result, &part);
	else
		interval_subtract(result, &part);
	interval_clear(&part);
}

/* Source: theorem A2, Balle and Wang 2018: P(z > e/k - k/2) - e^e P(z > e/k + k/2). */
static void
gaussian_delta(Interval *delta, double epsilon, double kappa)
{
	Interval other;

	interval_init(&other, PRECISION);
	threshold(delta, epsilon, kappa, false);
	normal_above(delta);
	threshold(&other, epsilon, kappa, true);
	normal_above(&other);
	multiply_exp(&other, epsilon);
	interval_subtract(delta, &other);
	interval_clear(&other);
}

bool
profile_gaussian(double epsilon, double delta, double log_vectors, double kappa)
{
	Interval bound;
	bool holds;

	interval_init(&bound, PRECISION);
	gaussian_delta(&bound, epsilon, kappa);
	multiply_exp(&bound, log_vectors);
	holds = mpfr_cmp_d(bound.high, delta) <= 0;
	interval_clear(&bound);
	return holds;
}

/* ---- folded ---- */

/* 1 - 2 e^epsilon P(z > kappa), where every loss is above epsilon. */
static void
folded_whole(Interval *delta, double epsilon, double kappa)
{
	Interval other;

	interval_init(&other, PRECISION);
	interval_set_d(&other, kappa);
	normal_above(&other);
	multiply_exp(&other, epsilon);
	interval_multiply_ui(&other, 2);
	interval_set_ui(delta, 1);
	interval_subtract(delta, &other);
	interval_clear(&other);
}

/*
 * Source: theorem V4.  If the loss equals epsilon at some |z| >= 0, delta is 2 delta_G; otherwise
 * every loss is above epsilon.
 */
bool
profile_folded(double epsilon, double delta, double kappa)
{
	Interval start;
	Interval bound;
	bool decided = true;
	bool holds;

	interval_init(&start, PRECISION);
	interval_init(&bound, PRECISION);
	threshold(&start, epsilon, kappa, false);
	if (mpfr_sgn(start.low) >= 0)
	{
		gaussian_delta(&bound, epsilon, kappa);
		interval_multiply_ui(&bound, 2);
	}
	else if (mpfr_sgn(start.high) <= 0)
		folded_whole(&bound, epsilon, kappa);
	else
		decided = false;
	holds = decided && mpfr_cmp_d(bound.high, delta) <= 0;
	interval_clear(&start);
	interval_clear(&bound);
	return holds;
}

/* ---- chi ---- */

/*
 * I_n(shift) = integral over x > t of x^n exp(-(x + shift)^2 / 2).  By parts
 *
 *   I_0 = sqrt(pi / 2) erfc((t + shift) / sqrt(2))
 *   I_1 = exp(-(t + shift)^2 / 2) - shift I_0
 *   I_n = t^(n-1) exp(-(t + shift)^2 / 2) + (n - 1) I_(n-2) - shift I_(n-1)
 *
 * With shift kappa the differences cancel about 3 kappa sqrt(n) bits; the intervals widen
 * accordingly, so the result stays a proof.
 */
typedef struct Moments
{
	Interval shift;
	Interval edge; /* t^(n-1) exp(-(t + shift)^2 / 2) */
	Interval last; /* I_(n-1) */
	Interval this; /* I_n */
	Interval next;
} Moments;

static void
moments_init(Moments *moments, const Interval *start, double shift)
{
	mpfr_prec_t precision = mpfr_get_prec(start->low);
	Interval *const all[] = {&moments->shift, &moments->edge, &moments->last, &moments->this,
							 &moments->next};

	for (int i = 0; i < 5; i++)
		interval_init(all[i], precision);
	interval_set_d(&moments->shift, shift);

	/* edge = exp(-(t + shift)^2 / 2) */
	interval_set(&moments->next, start);
	interval_add(&moments->next, &moments->shift);
	interval_square(&moments->edge, &moments->next);
	interval_divide_ui(&moments->edge, 2);
	interval_negate(&moments->edge);
	interval_exp(&moments->edge);

	/* last = I_0 = sqrt(2 pi) P(z > t + shift) */
	normal_above(&moments->next);
	mpfr_const_pi(moments->last.low, MPFR_RNDD);
	mpfr_const_pi(moments->last.high, MPFR_RNDU);
	interval_multiply_ui(&moments->last, 2);
	interval_root(&moments->last);
	interval_multiply(&moments->last, &moments->next);

	/* this = I_1 */
	interval_set(&moments->next, &moments->last);
	interval_multiply(&moments->next, &moments->shift);
	interval_set(&moments->this, &moments->edge);
	interval_subtract(&moments->this, &moments->next);
}

/* Replaces I_(n-1), I_n by I_n, I_(n+1). */
static void
moments_step(Moments *moments, const Interval *start, unsigned long n)
{
	interval_multiply(&moments->edge, start);
	interval_multiply_ui(&moments->last, n);
	interval_add(&moments->last, &moments->edge);
	interval_set(&moments->next, &moments->this);
	interval_multiply(&moments->next, &moments->shift);
	interval_subtract(&moments->last, &moments->next);
	interval_set(&moments->next, &moments->this);
	interval_set(&moments->this, &moments->last);
	interval_set(&moments->last, &moments->next);
}

/* I_n(shift) */
static void
moment(Interval *result, const Interval *start, double shift, int n)
{
	Moments moments;

	moments_init(&moments, start, shift);
	for (int i = 1; i < n; i++)
		moments_step(&moments, start, (unsigned long) i);
	interval_set(result, n == 0 ? &moments.last : &moments.this);
	interval_clear(&moments.shift);
	interval_clear(&moments.edge);
	interval_clear(&moments.last);
	interval_clear(&moments.this);
	interval_clear(&moments.next);
}

/* The normalising constant of the chi density x^(k-1) exp(-x^2 / 2): 2^(k/2 - 1) Gamma(k / 2). */
static void
chi_constant(Interval *result, int k)
{
	Interval gamma;

	interval_init(&gamma, mpfr_get_prec(result->low));
	interval_set_ui(&gamma, (unsigned long) k);
	interval_divide_ui(&gamma, 2);
	mpfr_gamma(gamma.low, gamma.low, MPFR_RNDD);
	mpfr_gamma(gamma.high, gamma.high, MPFR_RNDU);
	mpfr_set_ui_2exp(result->low, 1, k - 2, MPFR_RNDD);
	mpfr_set_ui_2exp(result->high, 1, k - 2, MPFR_RNDU);
	interval_root(result);
	interval_multiply(result, &gamma);
	interval_clear(&gamma);
}

/* Computations that would need more bits are given up; epsilon is then above a thousand. */
#define MOST_CANCELLED 5000

/*
 * Source: theorem R5.  The loss is epsilon at t = max(0, epsilon / kappa - kappa / 2);
 * beyond it the chi density times 1 - exp(epsilon - kappa x - kappa^2 / 2) is integrated:
 * I_(k-1)(0) - e^epsilon I_(k-1)(kappa).  (k / 2 is a double, so Gamma is taken at one point.)
 */
bool
profile_chi(double epsilon, double delta, int k, double kappa)
{
	double cancelled = kappa * sqrt(k);
	mpfr_prec_t precision;
	Interval start;
	Interval bound;
	Interval other;
	bool holds;

	if (!(cancelled < MOST_CANCELLED))
		return false;
	precision = PRECISION + 8 * (mpfr_prec_t) cancelled;
	interval_init(&start, precision);
	interval_init(&bound, precision);
	interval_init(&other, precision);
	threshold(&start, epsilon, kappa, false);
	if (mpfr_sgn(start.low) < 0)
		mpfr_set_zero(start.low, 1);
	if (mpfr_sgn(start.high) < 0)
		mpfr_set_zero(start.high, 1);

	moment(&other, &start, kappa, k - 1);
	multiply_exp(&other, epsilon);
	moment(&bound, &start, 0, k - 1);
	interval_subtract(&bound, &other);
	chi_constant(&other, k);
	interval_divide(&bound, &other);

	holds = mpfr_cmp_d(bound.high, delta) <= 0;
	interval_clear(&start);
	interval_clear(&bound);
	interval_clear(&other);
	return holds;
}
