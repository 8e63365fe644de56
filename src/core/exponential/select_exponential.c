/*
 * select_exponential.c - the exponential mechanism by group elimination, exactly.
 *
 * P(w) is proportional to exp(-beta L(w)), beta = epsilon / M (theorem E1).
 * Summed over the levels of the group's columns, an outer configuration o has
 *
 *   mass(o) = exp(-beta x) prod_g z_g,   x = base + sum_g min_v loss[g][v],
 *   z_g = sum_v exp(-beta (loss[g][v] - min)).
 *
 * Weights.  Every o has an integer weight that is at least its mass: floating
 * point computes an upper bound (proof at select_weight), and a positive double
 * is an integer mantissa times a power of two,
 *
 *   U(o) = mantissa 2^max(exponent, floor) >= mass(o),   2^52 <= mantissa < 2^53.
 *
 * The floor is the largest exponent of all configurations less SELECT_BUCKETS - 1.
 * It keeps all sums short, and nothing is skipped: whatever lies below it counts
 * with more than its mass, and rejection takes the difference away.
 *
 * Attempts.  An attempt draws o with probability U(o) / sum U, by one integer
 * below sum U, and accepts it with probability mass(o) / U(o), decided exactly.
 * So each attempt ends with a given o accepted with probability
 *
 *   U(o) / sum U * mass(o) / U(o)  =  mass(o) / sum U,
 *
 * whatever happened in attempts before, because each uses fresh bits and the
 * weights never change.  Hence, for every o, P(answer is o) = sum over the number
 * of failures k of (1 - a)^k mass(o) / sum U = mass(o) / sum of all masses, where
 * a = sum of masses / sum U is the chance to accept.  It does not matter how good
 * the bounds are, only that they are upper bounds.  How bad can a be?  The bound
 * itself is within a factor 1 + 2^-37 (no more than 2^13 roundings of at most
 * 2^-51 each), within 1 + 2^-11 per group column where terms are looked up in
 * steps (make_terms), and the N <= 2^64 weights at the floor, each below
 * 2^(floor + 53), add less than 2^-120 times the largest, which is at least
 * 2^(floor + SELECT_BUCKETS - 1 + 52).
 *
 * The levels of the group's columns follow given o: they are independent, and
 * P(v_g) is proportional to exp(-beta (loss[g][v_g] - min)).
 */
#include "core/exponential/select_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"

#ifdef __FAST_MATH__
#error "the bounds on rounding need IEEE arithmetic"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "doubles are rounded after each operation");
_Static_assert(DBL_MANT_DIG == 53, "mantissas have 53 bits");

/* Precision in which table entries are computed before they are rounded up to doubles. */
#define TABLE_PRECISION 192

/* Entries of the table of terms at most, and the x at which it may end: beta x = TERM_END. */
#define TERM_ENTRIES (INT64_C(1) << 20)
#define TERM_END 140.0 /* e^-140 is below 2^-200 */

/* value * 2^exponent */
typedef struct Power
{
	double value;
	int64_t exponent;
} Power;

struct SelectTables
{
	/* term[k] >= exp(-beta x) for all x >= k 2^term_shift; the last one serves all x above */
	double *term;
	int64_t last_term;
	int term_shift;

	/* high[x >> low_bits] low[x mod 2^low_bits] >= exp(-beta x), inflated for rounding */
	Power *high;
	Power *low;
	int low_bits;
};

/*
 * Upper bounds of exp(-beta x).  The table ends where terms no longer matter,
 * or is looked up in steps of 2^term_shift if it were too long: exp decreases, so
 * that the entry at a smaller x is an upper bound.  A step then costs a factor of
 * at most e^(TERM_END / TERM_ENTRIES * 2) < 1 + 2^-11 of a term.
 *
 * Entry k is entry k - 1 times exp(-beta 2^term_shift), each rounded up.
 */
static void
make_terms(SelectTables *tables, SelectRate rate, int64_t span, Memory *memory)
{
	double beta = (double) rate.numerator / (double) rate.denominator;
	int64_t end = beta * (double) span > TERM_END ? (int64_t) (TERM_END / beta) + 1 : span;
	mpfr_t factor;
	mpfr_t term;

	tables->term_shift = 0;
	while ((end >> tables->term_shift) >= TERM_ENTRIES)
		tables->term_shift++;
	tables->last_term = end >> tables->term_shift;
	tables->term = memory_allocate(memory, (size_t) tables->last_term + 1, sizeof(double));

	mpfr_init2(factor, TABLE_PRECISION);
	mpfr_init2(term, TABLE_PRECISION);
	select_exponential_bound(factor, rate, INT64_C(1) << tables->term_shift, MPFR_RNDU);
	mpfr_set_ui(term, 1, MPFR_RNDU);
	for (int64_t k = 0; k <= tables->last_term; k++)
	{
		tables->term[k] = mpfr_get_d(term, MPFR_RNDU);
		mpfr_mul(term, term, factor, MPFR_RNDU);
	}
	mpfr_clear(factor);
	mpfr_clear(term);
}

/* An upper bound of exp(-beta x) inflation, with a value near 1. */
static Power
make_power(SelectRate rate, int64_t x, double inflation)
{
	Power power;
	mpfr_t y;

	mpfr_init2(y, TABLE_PRECISION);
	select_binary_exponent_bound(y, rate, x, MPFR_RNDD);
	power.exponent = -mpfr_get_si(y, MPFR_RNDD);
	mpfr_add_si(y, y, power.exponent, MPFR_RNDD); /* the fraction of y */
	mpfr_neg(y, y, MPFR_RNDU);
	mpfr_exp2(y, y, MPFR_RNDU);
	mpfr_mul_d(y, y, inflation, MPFR_RNDU);
	power.value = mpfr_get_d(y, MPFR_RNDU);
	mpfr_clear(y);
	return power;
}

/* The factor that compensates for the rounding in select_weight(); see there. */
static double
rounding_allowance(const SelectPlan *plan)
{
	int operations = plan->groups * plan->levels + 2;

	return 1.0 + 2.0 * (operations + 2) * DBL_EPSILON;
}

static void
make_powers(SelectTables *tables, const SelectPlan *plan, SelectRate rate, Memory *memory)
{
	double inflation = rounding_allowance(plan);
	int64_t lows;
	int64_t highs;

	tables->low_bits = 0;
	while ((plan->span >> tables->low_bits) >> tables->low_bits > 0)
		tables->low_bits++;
	lows = INT64_C(1) << tables->low_bits;
	highs = (plan->span >> tables->low_bits) + 1;
	tables->low = memory_allocate(memory, (size_t) lows, sizeof(Power));
	tables->high = memory_allocate(memory, (size_t) highs, sizeof(Power));
	for (int64_t k = 0; k < lows; k++)
		tables->low[k] = make_power(rate, k, 1.0);
	for (int64_t k = 0; k < highs; k++)
		tables->high[k] = make_power(rate, k << tables->low_bits, inflation);
}

static SelectTables *
tables_create(const SelectPlan *plan, SelectRate rate, Memory *memory)
{
	SelectTables *tables = memory_allocate(memory, 1, sizeof(SelectTables));

	assert(rate.numerator >= 0 && rate.numerator <= SELECT_MAX_EPSILON);
	assert(plan->span <= SELECT_MAX_SPAN);
	make_terms(tables, rate, plan->span, memory);
	make_powers(tables, plan, rate, memory);
	return tables;
}

static void
tables_destroy(SelectTables *tables, Memory *memory)
{
	memory_release(memory, tables->term);
	memory_release(memory, tables->high);
	memory_release(memory, tables->low);
	memory_release(memory, tables);
}

/* ---- the weight of one configuration ---- */

static inline int64_t
least_loss(const int64_t *loss, int levels)
{
	int64_t least = loss[0];

	for (int v = 1; v < levels; v++)
		least = loss[v] < least ? loss[v] : least;
	return least;
}

static inline double
term_of(const SelectTables *tables, int64_t excess)
{
	int64_t k = excess >> tables->term_shift;

	return tables->term[k < tables->last_term ? k : tables->last_term];
}

/* An upper bound of exp(-beta x) times bound. */
static inline SelectWeight
make_weight(const SelectTables *tables, int64_t x, double bound)
{
	Power high = tables->high[x >> tables->low_bits];
	Power low = tables->low[x & ((INT64_C(1) << tables->low_bits) - 1)];
	double value = high.value * low.value * bound;
	uint64_t bits;
	int64_t exponent;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (int64_t) (bits >> 52) - 1023 - 52;
	return (SelectWeight){
		.mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (UINT64_C(1) << 52),
		.exponent = high.exponent + low.exponent + exponent,
	};
}

/*
 * The weight is computed with n = groups * levels + 2 roundings that matter:
 * levels - 1 additions of positive numbers and one multiplication per group
 * column, and two multiplications for the powers.  In whatever direction, each
 * loses less than a factor 1 - u, u = DBL_EPSILON, so that the result is at least
 * (1 - u)^n times the exact result from the table entries.  The entries are upper
 * bounds, and one of them is inflated by 1 + 2 (n + 2) u, which repairs the loss:
 *
 *   (1 - u)^n (1 + 2 (n + 2) u) >= (1 - n u) (1 + 2 (n + 2) u)
 *      = 1 + (n + 4) u - 2 n (n + 2) u^2  >=  1,   as n < 2^13.
 *
 * No operation underflows or overflows: every z_g is at least term[0] = 1, the
 * powers' values are between 1/2 and 2, and the product of all z_g is below
 * 33^128 (1 + ...) < 2^700.  For the same reason the value is a normal double.
 */
SelectWeight
select_weight(const SelectTables *tables, const SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;
	const int64_t *loss = walker->loss;
	int64_t x = plan->base;
	double product = 1.0;

	for (int g = 0; g < plan->groups; g++, loss += plan->levels)
	{
		int64_t least = least_loss(loss, plan->levels);
		double sum = 0.0;

		x += least;
		for (int v = 0; v < plan->levels; v++)
			sum += term_of(tables, loss[v] - least);
		product *= sum;
	}
	return make_weight(tables, x, product);
}

/* ---- sums of weights ---- */

#define EMPTY_LOW (INT64_MIN / 2)

/* Moves the window up; mantissas below it count at the new low. */
static void
histogram_raise(SelectHistogram *histogram, int64_t low)
{
	int64_t distance = low - histogram->low;

	if (distance <= 0)
		return;
	for (int k = 1; k < SELECT_BUCKETS; k++)
	{
		uint128 sum = histogram->bucket[k];
		int64_t to = k > distance ? k - distance : 0;

		histogram->bucket[k] = 0;
		histogram->bucket[to] += sum;
	}
	histogram->low = low;
}

/* A bucket holds up to 2^64 mantissas below 2^53, so it cannot overflow. */
static inline void
histogram_add(SelectHistogram *histogram, SelectWeight weight)
{
	int64_t k = weight.exponent - histogram->low;

	if (k >= SELECT_BUCKETS)
	{
		histogram_raise(histogram, weight.exponent - (SELECT_BUCKETS - 1));
		k = SELECT_BUCKETS - 1;
	}
	histogram->bucket[k > 0 ? k : 0] += weight.mantissa;
}

static bool
visit_weight(SelectWalker *walker, void *context)
{
	SelectLaw *law = context;

	histogram_add(&law->histogram[walker->block], select_weight(law->tables, walker));
	return true;
}

static void
set_uint128(mpz_t result, uint128 value)
{
	mpz_set_ui(result, (uint64_t) (value >> 64));
	mpz_mul_2exp(result, result, 64);
	mpz_add_ui(result, result, (uint64_t) value);
}

static uint128
get_uint128(const mpz_t value)
{
	uint64_t words[2] = {0, 0};

	assert(mpz_sizeinbase(value, 2) <= 128);
	mpz_export(words, NULL, -1, sizeof(uint64_t), 0, 0, value);
	return ((uint128) words[1] << 64) | words[0];
}

/* A bucket's sum in units of 2^floor, all histograms having low = floor. */
static void
bucket_total(mpz_t result, const SelectHistogram *histogram, int k)
{
	set_uint128(result, histogram->bucket[k]);
	mpz_mul_2exp(result, result, (mp_bitcnt_t) k);
}

static void
sum_histograms(SelectLaw *law)
{
	mpz_t part;

	law->floor = law->histogram[0].low;
	for (int64_t b = 1; b < law->plan->blocks; b++)
		if (law->histogram[b].low > law->floor)
			law->floor = law->histogram[b].low;

	mpz_init(part);
	for (int64_t b = 0; b < law->plan->blocks; b++)
	{
		histogram_raise(&law->histogram[b], law->floor);
		for (int k = 0; k < SELECT_BUCKETS; k++)
		{
			bucket_total(part, &law->histogram[b], k);
			mpz_add(law->total[b], law->total[b], part);
		}
		mpz_add(law->sum, law->sum, law->total[b]);
	}
	mpz_clear(part);
}

void
select_law_create(SelectLaw *law, const SelectProblem *problem, int64_t blocks, Memory *memory)
{
	size_t count;

	law->rate = select_rate(problem);
	law->plan = select_plan_create(problem, blocks, SELECT_FASTEST, memory);
	law->tables = tables_create(law->plan, law->rate, memory);
	count = (size_t) law->plan->blocks;
	law->histogram = memory_allocate_zero(memory, count, sizeof(SelectHistogram));
	law->total = integers_create(count, memory);
	for (size_t b = 0; b < count; b++)
		law->histogram[b].low = EMPTY_LOW;
	mpz_init(law->sum);
	select_team_create(&law->team, law->plan, problem->threads, memory);
	select_visit_all(&law->team, visit_weight, law);
	sum_histograms(law);
}

void
select_law_destroy(SelectLaw *law, Memory *memory)
{
	mpz_clear(law->sum);
	integers_destroy(law->total, (size_t) law->plan->blocks, memory);
	memory_release(memory, law->histogram);
	select_team_destroy(&law->team, memory);
	tables_destroy(law->tables, memory);
	select_plan_destroy(law->plan, memory);
}

/* ---- one draw ---- */

/* Looks for the configuration that holds a given unit of a bucket. */
typedef struct Search
{
	const SelectLaw *law;
	int64_t exponent;
	uint128 rank; /* the unit among the mantissas of this exponent, in walking order */
	SelectWeight found;
} Search;

static bool
visit_search(SelectWalker *walker, void *context)
{
	Search *search = context;
	SelectWeight weight = select_weight(search->law->tables, walker);

	if (weight.exponent < search->law->floor)
		weight.exponent = search->law->floor;
	if (weight.exponent != search->exponent)
		return true;
	if (search->rank >= weight.mantissa)
	{
		search->rank -= weight.mantissa;
		return true;
	}
	search->found = weight;
	return false;
}

/*
 * Draws a configuration with probability U(o) / sum U: a uniform unit below the
 * sum lies in one block, in one bucket of it and, after division by the bucket's
 * power of two, in one mantissa.  The first walker is left on the configuration.
 */
static SelectWeight
propose(SelectLaw *law, Bits *bits)
{
	Search search = {.law = law};
	int64_t block = 0;
	int k = 0;
	mpz_t unit;
	mpz_t part;

	mpz_init(unit);
	mpz_init(part);
	bits_below_mpz(bits, unit, law->sum);
	for (; mpz_cmp(unit, law->total[block]) >= 0; block++)
		mpz_sub(unit, unit, law->total[block]);
	for (;; k++)
	{
		bucket_total(part, &law->histogram[block], k);
		if (mpz_cmp(unit, part) < 0)
			break;
		mpz_sub(unit, unit, part);
	}
	mpz_fdiv_q_2exp(unit, unit, (mp_bitcnt_t) k);
	search.exponent = law->floor + k;
	search.rank = get_uint128(unit);
	mpz_clear(unit);
	mpz_clear(part);
	select_visit_block(&law->team.walker[0], block, visit_search, &search);
	return search.found;
}

/* mass(o) / U(o) for the walker's configuration, rounded in the given direction. */
static void
ratio_bound(mpfr_t result, const SelectLaw *law, SelectWeight weight, mpfr_rnd_t rounding)
{
	const SelectPlan *plan = law->plan;
	const int64_t *loss = law->team.walker[0].loss;
	mpfr_rnd_t opposite = rounding == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
	int64_t x = plan->base;
	mpfr_t term;
	mpfr_t sum;

	mpfr_init2(term, mpfr_get_prec(result));
	mpfr_init2(sum, mpfr_get_prec(result));
	mpfr_set_ui(result, 1, rounding);
	for (int g = 0; g < plan->groups; g++, loss += plan->levels)
	{
		int64_t least = least_loss(loss, plan->levels);

		x += least;
		mpfr_set_ui(sum, 0, rounding);
		for (int v = 0; v < plan->levels; v++)
		{
			select_exponential_bound(term, law->rate, loss[v] - least, rounding);
			mpfr_add(sum, sum, term, rounding);
		}
		mpfr_mul(result, result, sum, rounding);
	}
	/* exp(-beta x) / 2^exponent in one power of two, which is of the order of 2^-53 */
	select_binary_exponent_bound(term, law->rate, x, opposite);
	mpfr_add_si(term, term, weight.exponent, opposite);
	mpfr_neg(term, term, rounding);
	mpfr_exp2(term, term, rounding);
	mpfr_mul(result, result, term, rounding);
	mpfr_div_ui(result, result, weight.mantissa, rounding);
	mpfr_clear(term);
	mpfr_clear(sum);
}

/*
 * Is a uniform number of [0, 1), of which the first precision bits are given, below the ratio? 1:
 * yes, -1: no, 0: the bits do not suffice to decide.
 */
static int
compare_to_ratio(const SelectLaw *law, SelectWeight weight, const mpz_t uniform, long precision)
{
	int verdict = 0;
	mpfr_t ratio;
	mpz_t bound;

	/* 64 bits more for the integer part of beta x / ln 2, 64 to be close */
	mpfr_init2(ratio, precision + 128);
	mpz_init(bound);
	ratio_bound(ratio, law, weight, MPFR_RNDD);
	mpfr_mul_2si(ratio, ratio, precision, MPFR_RNDD);
	mpfr_get_z(bound, ratio, MPFR_RNDD);
	if (mpz_cmp(uniform, bound) < 0)
		verdict = 1;
	else
	{
		ratio_bound(ratio, law, weight, MPFR_RNDU);
		mpfr_mul_2si(ratio, ratio, precision, MPFR_RNDU);
		mpfr_get_z(bound, ratio, MPFR_RNDU);
		if (mpz_cmp(uniform, bound) >= 0)
			verdict = -1;
	}
	mpfr_clear(ratio);
	mpz_clear(bound);
	return verdict;
}

/*
 * True with probability mass(o) / U(o): the bits of a uniform number are drawn as
 * long as they leave the comparison open, against bounds that close in on the
 * ratio.  A verdict agrees with the comparison of the complete number, because
 * u < floor(2^p low) puts [u, u + 1) below the ratio and u >= ceil(2^p high) puts
 * it above.  The chance that the comparison is still open halves with each bit.
 */
static bool
accept(const SelectLaw *law, Bits *bits, SelectWeight weight)
{
	long precision = 64;
	int verdict;
	mpz_t uniform;

	mpz_init(uniform);
	set_uint128(uniform, bits_take(bits, 64));
	while ((verdict = compare_to_ratio(law, weight, uniform, precision)) == 0)
	{
		for (long k = 0; k < precision; k += 64)
		{
			mpz_mul_2exp(uniform, uniform, 64);
			mpz_add_ui(uniform, uniform, bits_take(bits, 64));
		}
		precision *= 2;
	}
	mpz_clear(uniform);
	return verdict > 0;
}

/* P(v) proportional to exp(-beta loss[v]): a uniform proposal, accepted relative to the best. */
static int
draw_level(Bits *bits, const int64_t *loss, int levels, SelectRate rate)
{
	int64_t least = least_loss(loss, levels);
	bool accepted = false;
	int level = 0;
	mpz_t p;
	mpz_t q;

	mpz_init(p);
	mpz_init(q);
	while (!accepted)
	{
		level = (int) bits_below(bits, (uint64_t) levels);
		select_exponent(p, q, rate, loss[level] - least);
		accepted = bits_bernoulli_exp(bits, p, q);
	}
	mpz_clear(p);
	mpz_clear(q);
	return level;
}

int64_t
select_law_draw(SelectLaw *law, Bits *bits, SelectAnswer *answer)
{
	const SelectPlan *plan = law->plan;
	const SelectWalker *walker = &law->team.walker[0];
	int64_t attempts = 1;

	while (!accept(law, bits, propose(law, bits)) && !MUTANT(6))
		attempts++;
	memcpy(answer->index, walker->index, sizeof(answer->index));
	answer->loss = plan->instance->constant + plan->base;
	for (int g = 0; g < plan->groups; g++)
	{
		const int64_t *loss = walker->loss + (int64_t) g * plan->levels;
		int level = draw_level(bits, loss, plan->levels, law->rate);

		answer->loss += loss[level];
		if (plan->levels > 1)
			answer->index[plan->first + g] = level;
	}
	return attempts;
}

void
select_exponential(const SelectProblem *problem, Bits *bits, Memory *memory, SelectAnswer *answer)
{
	SelectLaw law;

	select_law_create(&law, problem, 0, memory);
	(void) select_law_draw(&law, bits, answer);
	select_law_destroy(&law, memory);
}

/* ---- the mean loss ---- */

/* Sums of mass and of mass times loss, in units of 2^exponent. */
typedef struct Moments
{
	int64_t exponent;
	long double mass;
	long double loss; /* without the instance's constant */
} Moments;

typedef struct MeanPass
{
	const SelectTables *tables;
	Moments *moments; /* one per block */
} MeanPass;

static int
clip_exponent(int64_t exponent)
{
	return exponent < -20000 ? -20000 : (int) exponent;
}

static void
moments_add(Moments *sum, Moments part)
{
	if (part.exponent > sum->exponent)
	{
		int scale = clip_exponent(sum->exponent - part.exponent);

		sum->mass = ldexpl(sum->mass, scale);
		sum->loss = ldexpl(sum->loss, scale);
		sum->exponent = part.exponent;
	}
	else
	{
		int scale = clip_exponent(part.exponent - sum->exponent);

		part.mass = ldexpl(part.mass, scale);
		part.loss = ldexpl(part.loss, scale);
	}
	sum->mass += part.mass;
	sum->loss += part.loss;
}

/* The mean of base + sum over the group columns of their loss, given the outer configuration. */
static long double
conditional_mean(const SelectTables *tables, const SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;
	const int64_t *loss = walker->loss;
	long double mean = plan->base;

	for (int g = 0; g < plan->groups; g++, loss += plan->levels)
	{
		int64_t least = least_loss(loss, plan->levels);
		double mass = 0.0;
		double moment = 0.0;

		for (int v = 0; v < plan->levels; v++)
		{
			double term = term_of(tables, loss[v] - least);

			mass += term;
			moment += term * (double) (loss[v] - least);
		}
		mean += (long double) least + moment / mass;
	}
	return mean;
}

static bool
visit_moments(SelectWalker *walker, void *context)
{
	MeanPass *pass = context;
	SelectWeight weight = select_weight(pass->tables, walker);
	long double mass = weight.mantissa;

	moments_add(&pass->moments[walker->block],
				(Moments){weight.exponent, mass, mass * conditional_mean(pass->tables, walker)});
	return true;
}

double
select_mean_loss(const SelectProblem *problem, Memory *memory)
{
	SelectPlan *plan = select_plan_create(problem, 0, SELECT_FASTEST, memory);
	SelectTables *tables = tables_create(plan, select_rate(problem), memory);
	MeanPass pass = {tables, NULL};
	Moments sum = {EMPTY_LOW, 0.0L, 0.0L};
	SelectTeam team;

	pass.moments = memory_allocate(memory, (size_t) plan->blocks, sizeof(Moments));
	for (int64_t b = 0; b < plan->blocks; b++)
		pass.moments[b] = sum;
	select_team_create(&team, plan, problem->threads, memory);
	select_visit_all(&team, visit_moments, &pass);
	for (int64_t b = 0; b < plan->blocks; b++)
		moments_add(&sum, pass.moments[b]);
	select_team_destroy(&team, memory);
	memory_release(memory, pass.moments);
	tables_destroy(tables, memory);
	select_plan_destroy(plan, memory);
	return (double) (problem->instance->constant + sum.loss / sum.mass);
}
