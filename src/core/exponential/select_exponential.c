/*
 * select_exponential.c - the exponential mechanism by group elimination, exactly.
 *
 * P(w) is proportional to exp(-beta (L(w) + s(w))), beta = epsilon / M (theorem E1), s(w) the cost
 * of a public prior (theorem E13), 0 without one.  Summed over the levels of the group's columns,
 * an outer configuration o has (theorem E4)
 *
 *   mass(o) = exp(-beta (x + s(o))) prod_g z_g,   x = base + sum_g min_v loss[g][v],
 *   z_g = sum_v exp(-beta s_g(v)) exp(-beta (loss[g][v] - min)),
 *
 * s(o) and s_g(v) the costs of the outer levels and of a level of the group.
 *
 * Weights (theorem E5).  Every o has an integer weight that is at least its mass: floating point
 * computes an upper bound (proof at select_weight), and a positive double is an integer mantissa
 * times a power of two,
 *
 *   U(o) = mantissa 2^max(exponent, floor) >= mass(o),   2^52 <= mantissa < 2^53.
 *
 * The floor is the largest exponent of all configurations less SELECT_BUCKETS - 1.  It keeps all
 * sums short, and nothing is skipped: a configuration below it counts with more than its mass, and
 * rejection removes the difference.
 *
 * Attempts (theorem E6).  An attempt draws o with probability U(o) / sum U, by one integer below
 * sum U, and accepts it with probability mass(o) / U(o), decided exactly.  Given o, the levels of
 * the group's columns are independent, and P(v_g) is proportional to exp(-beta (s_g(v_g) +
 * loss[g][v_g])).
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
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
			   "doubles are rounded after each operation"); /* 1: floats as doubles, on s390x */
_Static_assert(DBL_MANT_DIG == 53, "mantissas have 53 bits");

/* Precision in which powers are computed before they are rounded up to doubles. */
#define POWER_PRECISION 192

/* Entries of the table of terms at most, and the x at which it may end: beta x = TERM_END. */
#define TERM_ENTRIES (INT64_C(1) << 20)
#define TERM_END 140.0 /* e^-140 is below 2^-200 */

/* value * 2^exponent */
typedef struct Power
{
	double value;
	int64_t exponent;
} Power;

/* high[x >> low_bits] low[x mod 2^low_bits] >= exp(-rate x) */
typedef struct PowerTable
{
	Power *high;
	Power *low;
	int low_bits;
} PowerTable;

struct SelectTables
{
	/* term[k] >= exp(-beta x) for all x >= k 2^term_shift; the last one serves all x above */
	double *term;
	int64_t last_term;
	int term_shift;

	PowerTable losses; /* of x rows, inflated for rounding */

	/* With a prior: of outer costs, and factor[g * levels + v] >= exp(-beta s_g(v)). */
	PowerTable costs;
	double *factor; /* NULL without a prior */
};

/*
 * Upper bounds of exp(-beta x).  The table ends where terms no longer matter,
 * or is looked up in steps of 2^term_shift if it were too long: exp decreases, so
 * that the entry at a smaller x is an upper bound.  A step then costs a factor of
 * at most e^(TERM_END / TERM_ENTRIES * 2) < 1 + 2^-11 of a term.
 */
static void
make_terms(SelectTables *tables, SelectRate rate, int64_t span, Memory *memory)
{
	double beta = (double) rate.numerator / (double) rate.denominator;
	int64_t end = beta * (double) span > TERM_END ? (int64_t) (TERM_END / beta) + 1 : span;

	tables->term_shift = 0;
	while ((end >> tables->term_shift) >= TERM_ENTRIES)
		tables->term_shift++;
	tables->last_term = end >> tables->term_shift;
	tables->term = memory_allocate(memory, (size_t) tables->last_term + 1, sizeof(double));
	select_fill_powers(tables->term, tables->last_term + 1, rate, INT64_C(1) << tables->term_shift);
}

/* The factor that compensates for rounding; select_weight() proves that it suffices. */
static double
rounding_allowance(const SelectPlan *plan)
{
	int operations = plan->groups * plan->levels + 2;

	if (plan->scale > 1)
		operations += plan->groups * plan->levels + 2;
	return 1.0 + 2.0 * (operations + 2) * DBL_EPSILON;
}

/*
 * Upper bounds of exp(-rate step i) inflation, each made of the one before.  Exponents are kept
 * apart, because those of mpfr have an end.
 */
static void
fill_powers(Power *power, int64_t count, SelectRate rate, int64_t step, double inflation)
{
	int64_t exponent = 0;
	int64_t more;
	mpfr_t factor;
	mpfr_t bound;

	mpfr_init2(factor, POWER_PRECISION);
	mpfr_init2(bound, POWER_PRECISION);
	more = select_power_above(factor, rate, step);
	mpfr_set_d(bound, inflation, MPFR_RNDU);
	for (int64_t i = 0; i < count; i++)
	{
		exponent += mpfr_get_exp(bound);
		mpfr_set_exp(bound, 0);
		power[i] = (Power){mpfr_get_d(bound, MPFR_RNDU), exponent};
		mpfr_mul(bound, bound, factor, MPFR_RNDU);
		exponent += more;
	}
	mpfr_clear(bound);
	mpfr_clear(factor);
}

/* For 0 <= x <= span. */
static void
make_powers(PowerTable *table, SelectRate rate, int64_t span, double inflation, Memory *memory)
{
	int64_t lows;
	int64_t highs;

	table->low_bits = 0;
	while ((span >> table->low_bits) >> table->low_bits > 0)
		table->low_bits++;
	lows = INT64_C(1) << table->low_bits;
	highs = (span >> table->low_bits) + 1;
	table->low = memory_allocate(memory, (size_t) lows, sizeof(Power));
	table->high = memory_allocate(memory, (size_t) highs, sizeof(Power));
	fill_powers(table->low, lows, rate, 1, 1.0);
	fill_powers(table->high, highs, rate, lows, inflation);
}

/* Each above 2^-295: see select_weight(). */
static void
make_factors(SelectTables *tables, const SelectPlan *plan, SelectRate rate, Memory *memory)
{
	size_t count = (size_t) (plan->groups * plan->levels);
	Interval factor;

	interval_init(&factor, POWER_PRECISION);
	tables->factor = memory_allocate_zero(memory, count, sizeof(double));
	for (int g = 0; g < plan->groups; g++)
		for (int v = plan->from[g]; v < plan->end[g]; v++)
		{
			double *above = &tables->factor[g * plan->levels + v];

			select_set_exponential(&factor, rate, select_group_cost(plan, g, v));
			*above = mpfr_get_d(factor.high, MPFR_RNDU);
			if (MUTANT(195))
				*above = (float) *above;
		}
	interval_clear(&factor);
}

/* rate is per unit of a score. */
static SelectTables *
tables_create(const SelectPlan *plan, SelectRate rate, Memory *memory)
{
	SelectTables *tables = memory_allocate_zero(memory, 1, sizeof(SelectTables));
	SelectRate row = {rate.numerator, rate.denominator / plan->scale};

	assert(rate.numerator >= 0 && rate.numerator <= SELECT_MAX_EPSILON);
	assert(plan->span <= SELECT_MAX_SPAN && plan->prior.span <= PRIOR_MAX_COST);
	make_terms(tables, row, plan->span, memory);
	make_powers(&tables->losses, row, plan->span, rounding_allowance(plan), memory);
	if (plan->scale > 1)
	{
		make_powers(&tables->costs, rate, plan->prior.span, 1.0, memory);
		make_factors(tables, plan, rate, memory);
	}
	return tables;
}

static void
powers_release(PowerTable *table, Memory *memory)
{
	memory_release(memory, table->high);
	memory_release(memory, table->low);
}

static void
tables_destroy(SelectTables *tables, Memory *memory)
{
	memory_release(memory, tables->term);
	powers_release(&tables->losses, memory);
	powers_release(&tables->costs, memory);
	memory_release(memory, tables->factor);
	memory_release(memory, tables);
}

/* ---- the weight of one configuration ---- */

static inline double
term_of(const SelectTables *tables, int64_t excess)
{
	int64_t k = excess >> tables->term_shift;

	return tables->term[k < tables->last_term ? k : tables->last_term];
}

/* product times an upper bound of exp(-rate x), in the order in which the proof counts. */
static inline Power
times_power(const PowerTable *table, int64_t x, Power product)
{
	Power high = table->high[x >> table->low_bits];
	Power low = table->low[x & ((INT64_C(1) << table->low_bits) - 1)];

	return (Power){high.value * low.value * product.value,
				   high.exponent + low.exponent + product.exponent};
}

static inline SelectWeight
make_weight(Power power)
{
	uint64_t bits;
	int64_t exponent;

	memcpy(&bits, &power.value, sizeof(bits));
	exponent = (int64_t) (bits >> 52) - 1023 - 52;
	return (SelectWeight){
		.mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (UINT64_C(1) << 52),
		.exponent = power.exponent + exponent,
	};
}

/* The least loss of a group column. */
static inline int64_t
least_of(const SelectPlan *plan, int g, const int64_t *loss)
{
	return select_least(loss + plan->from[g], plan->end[g] - plan->from[g]);
}

/* z_g, given the column's factors, which are all 1 without a prior. */
static inline double
sum_of_terms(const SelectTables *tables, const SelectPlan *plan, int g, const int64_t *loss,
			 int64_t least)
{
	const double *factor = tables->factor;
	double sum = 0.0;

	if (factor == NULL)
	{
		for (int v = plan->from[g]; v < plan->end[g]; v++)
			sum += term_of(tables, loss[v] - least);
		return sum;
	}
	factor += g * plan->levels;
	for (int v = plan->from[g]; v < plan->end[g]; v++)
		sum += factor[v] * term_of(tables, loss[v] - least);
	return sum;
}

/* Keeps a product of small numbers away from underflow, exactly. */
static inline void
lift(Power *product)
{
	if (product->value >= 0x1p-400)
		return;
	product->value *= 0x1p+400;
	product->exponent -= 400;
}

/*
 * The weight is computed with n = groups * levels + 2 roundings that matter:
 * levels - 1 additions of positive numbers and one multiplication per group
 * column, and two multiplications for the powers.  With a prior there are
 * groups * levels + 2 more: the factors, and the powers of the outer cost.  In
 * whatever direction, each loses less than a factor 1 - u, u = DBL_EPSILON, so
 * that the result is at least (1 - u)^n times the exact result from the table
 * entries.  The entries are upper bounds, and one of them is inflated by
 * 1 + 2 (n + 2) u, which repairs the loss:
 *
 *   (1 - u)^n (1 + 2 (n + 2) u) >= (1 - n u) (1 + 2 (n + 2) u)
 *      = 1 + (n + 4) u - 2 n (n + 2) u^2  >=  1,   as n < 2^14.
 *
 * No operation underflows or overflows.  Without a prior every z_g is at least
 * term[0] = 1.  With one it is at least the least factor.  A level costs at most
 * (p / beta) ln 65 rows, p <= 16, and half a unit of 1 / 4096 row for rounding; with
 * beta <= 2^50 / 1e9 that is a factor of at least e^-(16 ln 65 + 138) > 2^-300.  A term
 * is above 2^-203, so each summand is above 2^-503.  lift() keeps the product above
 * 2^-400, so it is above 2^-700 before.  The product of all z_g is below 33^128 (1 + ...)
 * < 2^700, and the powers' values are between 1/2 and 2.  For the same reason the value
 * is a normal double.
 */
SelectWeight
select_weight(const SelectTables *tables, const SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;
	const int64_t *loss = walker->loss;
	int64_t x = plan->base;
	Power product = {1.0, 0};

	for (int g = 0; g < plan->groups; g++, loss += plan->levels)
	{
		int64_t least = least_of(plan, g, loss);

		x += least;
		product.value *= sum_of_terms(tables, plan, g, loss, least);
		lift(&product);
	}
	if (plan->scale > 1)
		product = times_power(&tables->costs, select_outer_cost(walker), product);
	return make_weight(times_power(&tables->losses, x, product));
}

/* ---- sums of weights ---- */

#define EMPTY_LOW (INT64_MIN / 2)

/* Raises low; mantissas of lower exponents then count at the new low. */
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

/* Sets result to a bucket's sum in units of 2^floor; all histograms have low = floor. */
static void
bucket_total(mpz_t result, const SelectHistogram *histogram, int k)
{
	mpz_from_wide(result, (Wide) histogram->bucket[k]); /* below 2^117 */
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

	law->plan = select_plan_create(problem, blocks, SELECT_FASTEST, memory);
	law->rate = select_rate(problem);
	law->rate.denominator *= law->plan->scale;
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

/* Searches for the configuration that holds a given unit of a bucket. */
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
	search.rank = (uint128) wide_from_mpz(unit);
	mpz_clear(unit);
	mpz_clear(part);
	select_visit_block(&law->team.walker[0], block, visit_search, &search);
	return search.found;
}

/* Sets ratio to 2^precision mass(o) / U(o) for the walker's configuration. */
static void
set_ratio(Interval *ratio, const SelectLaw *law, SelectWeight weight, long precision)
{
	const SelectPlan *plan = law->plan;
	const int64_t *loss = law->team.walker[0].loss;
	int64_t x = plan->base;
	Interval term;
	Interval sum;

	interval_init(&term, mpfr_get_prec(ratio->low));
	interval_init(&sum, mpfr_get_prec(ratio->low));
	interval_set_ui(ratio, 1);
	for (int g = 0; g < plan->groups; g++, loss += plan->levels)
	{
		int64_t least = least_of(plan, g, loss);

		x += least;
		interval_set_ui(&sum, 0);
		for (int v = plan->from[g]; v < plan->end[g]; v++)
		{
			select_set_exponential(&term, law->rate,
								   plan->scale * (loss[v] - least) + select_group_cost(plan, g, v));
			interval_add(&sum, &term);
		}
		interval_multiply(ratio, &sum);
	}
	x = plan->scale * x + select_outer_cost(&law->team.walker[0]);
	/* one power of two: exp(-rate x) / 2^exponent is of the order of 2^-53 */
	select_set_scaled_exponential(&term, law->rate, x, weight.exponent - precision);
	interval_multiply(ratio, &term);
	interval_divide_ui(ratio, weight.mantissa);
	interval_clear(&term);
	interval_clear(&sum);
}

/*
 * True with probability mass(o) / U(o): the bits of a uniform number are drawn as long as they
 * leave the comparison with the ratio open.  The chance that it is still open halves with each bit.
 */
static bool
accept(const SelectLaw *law, Bits *bits, SelectWeight weight)
{
	SelectVerdict verdict = SELECT_OPEN;
	long known = 0;
	mpz_t uniform;

	mpz_init(uniform);
	for (long precision = 64; verdict == SELECT_OPEN; precision *= 2)
	{
		Interval ratio;

		for (; known < precision; known += 64)
			bits_append(bits, uniform, 64);
		/* 64 bits more for the integer part of beta x / ln 2, 64 to be close */
		interval_init(&ratio, precision + 128);
		set_ratio(&ratio, law, weight, precision);
		verdict = select_compare(uniform, &ratio);
		interval_clear(&ratio);
	}
	mpz_clear(uniform);
	return verdict == SELECT_BELOW;
}

/* The score of level v of a group column, given its losses. */
static int64_t
level_score(const SelectPlan *plan, int g, const int64_t *loss, int v)
{
	return plan->scale * loss[v] + select_group_cost(plan, g, v);
}

/* P(v) proportional to exp(-rate score): a uniform proposal, accepted relative to the best. */
static int
draw_level(Bits *bits, const SelectPlan *plan, int g, const int64_t *loss, SelectRate rate)
{
	int from = plan->from[g];
	int64_t least = level_score(plan, g, loss, from);
	bool accepted = false;
	int level = from;
	mpz_t p;
	mpz_t q;

	for (int v = from + 1; v < plan->end[g]; v++)
	{
		int64_t score = level_score(plan, g, loss, v);

		least = score < least ? score : least;
	}
	mpz_inits(p, q, NULL);
	mpz_set_si(q, rate.denominator);
	while (!accepted)
	{
		level = from + (int) bits_below(bits, (uint64_t) (plan->end[g] - from));
		mpz_set_si(p, rate.numerator);
		mpz_mul_si(p, p, level_score(plan, g, loss, level) - least);
		accepted = bits_bernoulli_exp(bits, p, q);
	}
	mpz_clears(p, q, NULL);
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
		int level = draw_level(bits, plan, g, loss, law->rate);

		answer->loss += loss[level];
		if (plan->first >= 0)
			answer->index[plan->first + g] = level - plan->from[g];
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

/* Sums of mass and of mass times loss over a block, in units of 2^floor. */
typedef struct Moments
{
	long double mass;
	long double loss; /* without the instance's constant */
} Moments;

typedef struct MeanPass
{
	const SelectLaw *law;
	Moments *moments; /* one per block */
} MeanPass;

/* The mean of base + sum over the group columns of their loss, given the outer configuration. */
static long double
conditional_mean(const SelectTables *tables, const SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;
	const int64_t *loss = walker->loss;
	long double mean = plan->base;

	for (int g = 0; g < plan->groups; g++, loss += plan->levels)
	{
		int64_t least = least_of(plan, g, loss);
		double mass = 0.0;
		double moment = 0.0;

		for (int v = plan->from[g]; v < plan->end[g]; v++)
		{
			double term = term_of(tables, loss[v] - least);

			if (tables->factor != NULL)
				term *= tables->factor[g * plan->levels + v];
			mass += term;
			moment += term * (double) (loss[v] - least);
		}
		mean += (long double) least + moment / mass;
	}
	return mean;
}

/* All configurations below the floor together are too light for double precision. */
static bool
visit_moments(SelectWalker *walker, void *context)
{
	MeanPass *pass = context;
	const SelectLaw *law = pass->law;
	SelectWeight weight = select_weight(law->tables, walker);
	Moments *moments = &pass->moments[walker->block];
	long double mass;

	if (weight.exponent < law->floor)
		return true;
	mass = ldexpl(weight.mantissa, (int) (weight.exponent - law->floor));
	moments->mass += mass;
	moments->loss += mass * conditional_mean(law->tables, walker);
	return true;
}

double
select_mean_loss(const SelectProblem *problem, Memory *memory)
{
	SelectLaw law;
	MeanPass pass = {.law = &law};
	Moments sum = {0.0L, 0.0L};

	select_law_create(&law, problem, 0, memory);
	pass.moments = memory_allocate_zero(memory, (size_t) law.plan->blocks, sizeof(Moments));
	select_visit_all(&law.team, visit_moments, &pass);
	for (int64_t b = 0; b < law.plan->blocks; b++)
	{
		sum.mass += pass.moments[b].mass;
		sum.loss += pass.moments[b].loss;
	}
	memory_release(memory, pass.moments);
	select_law_destroy(&law, memory);
	return (double) (problem->instance->constant + sum.loss / sum.mass);
}
