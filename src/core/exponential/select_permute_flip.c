/*
 * select_permute_flip.c - permute-and-flip (McKenna and Sheldon 2020; theorem E2), exactly: visit W
 * in random order and take the first w whose coin of bias exp(-beta (S(w) - S_min)) shows heads,
 * beta = epsilon / M and S = L + s, s the cost of a public prior (theorem E13), 0 without one.
 *
 * The vectors are counted by classes of their scores instead of visited one by one (theorem E14).
 * A vector's coin is two: one for the least score of its class, and one for the rest.  With c_k
 * vectors in class k, the number of heads among the first coins is binomial.  These vectors are
 * visited in random order, until the second coin of one shows heads: the class of the next has a
 * probability proportional to the number of those left in it, and then each of the class that has
 * not been visited is as likely as any other: a rank is drawn, and a second count finds its vector.
 *
 * Without a prior a class is a loss, the second coin always shows heads, and so the first visit is
 * the last (theorem E3).
 */
#include "core/exponential/select_internal.h"

#include <assert.h>
#include <string.h>

#include "core/base/mutant.h"

/* ---- exact binomial ---- */

/* Heads among n fair coins. */
static uint64_t
fair_heads(Bits *bits, uint64_t n)
{
	uint64_t heads = 0;

	for (; n >= 64; n -= 64)
		heads += (uint64_t) __builtin_popcountll(bits_take(bits, 64));
	return heads + (uint64_t) __builtin_popcountll(bits_take(bits, (int) n));
}

/*
 * Sets digits to the first precision binary digits of exp(-rate k), as an integer.  exp(-rate k) is
 * irrational for rational rate k > 0, so some working precision separates it from the next dyadic
 * number.
 */
static void
exponential_digits(mpz_t digits, SelectRate rate, int64_t k, long precision)
{
	bool certain = false;
	mpz_t above;

	mpz_init(above);
	for (long working = precision + 64; !certain; working *= 2)
	{
		Interval bound;

		interval_init(&bound, working);
		select_set_exponential(&bound, rate, k);
		mpfr_mul_2si(bound.low, bound.low, precision, MPFR_RNDD);
		mpfr_mul_2si(bound.high, bound.high, precision, MPFR_RNDU);
		mpfr_get_z(digits, bound.low, MPFR_RNDD);
		mpfr_get_z(above, bound.high, MPFR_RNDD);
		interval_clear(&bound);
		certain = mpz_cmp(digits, above) == 0;
	}
	mpz_clear(above);
}

/*
 * Each coin is a uniform number U that shows heads iff U < p = 0.d1 d2 ...  The next bits of all
 * coins are drawn together, and only the number of ones matters: if the digit is 1, a coin with bit
 * 0 is below p; if it is 0, a coin with bit 1 is above.  The other coins agree with p so far and
 * remain open.
 */
uint64_t
select_binomial(Bits *bits, uint64_t n, SelectRate rate, int64_t k)
{
	uint64_t heads = 0;
	uint64_t open = n;
	long precision = 0;
	mpz_t digits;

	if (rate.numerator == 0 || k == 0)
		return n;
	mpz_init(digits);
	for (long known = 0; open > 0; known++)
	{
		uint64_t ones;

		if (known == precision)
		{
			precision = precision == 0 ? 64 : 2 * precision;
			exponential_digits(digits, rate, k, precision);
		}
		ones = fair_heads(bits, open);
		if (mpz_tstbit(digits, (mp_bitcnt_t) (precision - 1 - known)))
		{
			heads += open - ones;
			open = ones;
		}
		else
			open -= ones;
	}
	mpz_clear(digits);
	return heads;
}

/* ---- classes ---- */

/*
 * With a prior: the number of classes at most, and their width in natural logarithms of a coin's
 * bias, which is between half of it and all.  So a second coin shows heads with probability 1 / e
 * or more, but for the last class, which begins 63 logarithms above the least score: few vectors of
 * it show heads first.  The law holds for any width and number.
 */
#define CLASSES INT64_C(128)
#define CLASS_LOGARITHMS 1.0

/* No prior's cost and no loss together need more bits. */
#define MAX_SHIFT 53

static int64_t
walker_score(const SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;

	return plan->scale * (plan->base + walker->loss[0]) + select_outer_cost(walker);
}

/* The context holds for each walker the least score. */
static bool
visit_least(SelectWalker *walker, void *context)
{
	int64_t *least = context;
	int64_t score = walker_score(walker);

	if (score < least[walker->number])
		least[walker->number] = score;
	return true;
}

static int64_t
least_score(SelectTeam *team)
{
	int64_t least[CREW_MAX_THREADS];

	for (int k = 0; k < team->size; k++)
		least[k] = INT64_MAX;
	select_visit_all(team, visit_least, least);
	return select_least(least, team->size);
}

SelectClasses
select_classes(SelectTeam *team, SelectRate rate)
{
	const SelectPlan *plan = team->walker[0].plan;
	double width = (double) rate.numerator / (double) rate.denominator;
	SelectClasses classes = {.first = 0, .shift = 0, .count = plan->span + 1};
	int64_t highest;

	assert(plan->first < 0);
	if (plan->scale == 1)
		return classes;
	classes.first = least_score(team);
	highest = plan->scale * plan->span + plan->prior.span - classes.first;
	for (; classes.shift < MAX_SHIFT && width <= CLASS_LOGARITHMS / 2; width *= 2)
		classes.shift++;
	classes.count = (highest >> classes.shift) + 1;
	if (classes.count > CLASSES)
		classes.count = CLASSES;
	return classes;
}

static inline int64_t
class_of(const SelectClasses *classes, int64_t score)
{
	int64_t k = (score - classes->first) >> classes->shift;

	return k < classes->count ? k : classes->count - 1;
}

/* ---- counting ---- */

typedef struct CountPass
{
	const SelectClasses *classes;
	uint64_t *count[CREW_MAX_THREADS]; /* for each walker the counts by class */
} CountPass;

static bool
visit_count(SelectWalker *walker, void *context)
{
	CountPass *pass = context;

	pass->count[walker->number][class_of(pass->classes, walker_score(walker))]++;
	return true;
}

uint64_t *
select_count_classes(SelectTeam *team, const SelectClasses *classes, Memory *memory)
{
	CountPass pass = {.classes = classes};

	for (int k = 0; k < team->size; k++)
		pass.count[k] = memory_allocate_zero(memory, (size_t) classes->count, sizeof(uint64_t));
	select_visit_all(team, visit_count, &pass);
	for (int k = 1; k < team->size; k++)
	{
		for (int64_t c = 0; c < classes->count; c++)
			pass.count[0][c] += pass.count[k][c];
		memory_release(memory, pass.count[k]);
	}
	return pass.count[0];
}

/* ---- finding ---- */

typedef struct RankPass
{
	const SelectClasses *classes;
	int64_t wanted;  /* a class */
	uint64_t *count; /* per block: vectors of this class */
	uint64_t rank;   /* the rank of the wanted vector in its block */
} RankPass;

static bool
is_wanted(const RankPass *pass, const SelectWalker *walker)
{
	return class_of(pass->classes, walker_score(walker)) == pass->wanted;
}

static bool
visit_equal(SelectWalker *walker, void *context)
{
	RankPass *pass = context;

	if (is_wanted(pass, walker))
		pass->count[walker->block]++;
	return true;
}

static bool
visit_rank(SelectWalker *walker, void *context)
{
	RankPass *pass = context;

	return !is_wanted(pass, walker) || pass->rank-- > 0;
}

/* A vector by its class and its rank among those of the class. */
typedef struct Place
{
	int64_t class;
	uint64_t rank;
} Place;

/* Leaves the first walker on the vector. */
static void
find_place(SelectTeam *team, const SelectClasses *classes, Place place, Memory *memory)
{
	const SelectPlan *plan = team->walker[0].plan;
	RankPass pass = {.classes = classes, .wanted = place.class, .rank = place.rank};
	int64_t block = 0;

	pass.count = memory_allocate_zero(memory, (size_t) plan->blocks, sizeof(uint64_t));
	select_visit_all(team, visit_equal, &pass);
	for (; pass.rank >= pass.count[block]; block++)
		pass.rank -= pass.count[block];
	select_visit_block(&team->walker[0], block, visit_rank, &pass);
	memory_release(memory, pass.count);
}

/* ---- the mechanism ---- */

/* The vectors whose first coin shows heads, and those that have been visited. */
typedef struct Heads
{
	SelectClasses classes;
	const uint64_t *count; /* of vectors, by class */
	uint64_t *left;        /* of heads that have not been visited, by class */
	uint64_t total;        /* of left */
	Place *visited;
	size_t visits;
} Heads;

/* The first coins of all vectors: of each class, relative to the first that is not empty. */
static void
flip_first_coins(Heads *heads, SelectRate rate, Bits *bits)
{
	int64_t least = 0;

	while (heads->count[least] == 0)
		least++;
	for (int64_t k = least; k < heads->classes.count; k++)
	{
		uint64_t vectors = heads->count[k];

		if (vectors > 0)
			heads->left[k] =
				select_binomial(bits, vectors, rate, (k - least) << heads->classes.shift);
		heads->total += heads->left[k];
	}
}

static bool
is_visited(const Heads *heads, Place place)
{
	for (size_t i = 0; i < heads->visits; i++)
		if (heads->visited[i].class == place.class && heads->visited[i].rank == place.rank)
			return true;
	return false;
}

/* Draws the next vector of the random order. */
static Place
next_place(Heads *heads, Bits *bits, Memory *memory)
{
	uint64_t rank = bits_below(bits, heads->total);
	Place place = {.class = 0};

	for (; rank >= heads->left[place.class]; place.class ++)
		rank -= heads->left[place.class];
	do
		place.rank = bits_below(bits, heads->count[place.class]);
	while (is_visited(heads, place));
	heads->left[place.class]--;
	heads->total--;
	heads->visited =
		memory_reallocate(memory, heads->visited, heads->visits + 1, sizeof(*heads->visited));
	heads->visited[heads->visits++] = place;
	return place;
}

/* The second coin, of bias exp(-rate k); no bits are needed where k is 0. */
static bool
flip_second_coin(Bits *bits, SelectRate rate, int64_t k)
{
	bool shown;
	mpz_t p;
	mpz_t q;

	if (k == 0 || MUTANT(196))
		return true;
	mpz_init_set_si(p, rate.numerator);
	mpz_init_set_si(q, rate.denominator);
	mpz_mul_si(p, p, k);
	shown = bits_bernoulli_exp(bits, p, q);
	mpz_clears(p, q, NULL);
	return shown;
}

/* Leaves the first walker on the answer. */
static void
visit_heads(Heads *heads, SelectTeam *team, SelectRate rate, Bits *bits, Memory *memory)
{
	const SelectClasses *classes = &heads->classes;
	int64_t rest;

	do
	{
		Place place = next_place(heads, bits, memory);

		find_place(team, classes, place, memory);
		rest = walker_score(&team->walker[0]) - classes->first - (place.class << classes->shift);
	} while (!flip_second_coin(bits, rate, rest));
}

void
select_permute_and_flip(const SelectProblem *problem, Bits *bits, Memory *memory,
						SelectAnswer *answer)
{
	SelectProblem plain = *problem;
	SelectRate rate = select_rate(problem);
	Heads heads = {.total = 0};
	SelectPlan *plan;
	SelectTeam team;
	uint64_t *count;

	plain.group = (SelectGroup){0, 0};
	plan = select_plan_create(&plain, 0, SELECT_FASTEST, memory);
	select_team_create(&team, plan, problem->threads, memory);
	rate.denominator *= plan->scale;
	heads.classes = select_classes(&team, rate);
	heads.count = count = select_count_classes(&team, &heads.classes, memory);
	heads.left = memory_allocate_zero(memory, (size_t) heads.classes.count, sizeof(uint64_t));
	flip_first_coins(&heads, rate, bits);
	visit_heads(&heads, &team, rate, bits, memory);
	memcpy(answer->index, team.walker[0].index, sizeof(answer->index));
	answer->loss = plan->instance->constant + plan->base + team.walker[0].loss[0];
	memory_release(memory, heads.visited);
	memory_release(memory, heads.left);
	memory_release(memory, count);
	select_team_destroy(&team, memory);
	select_plan_destroy(plan, memory);
}
