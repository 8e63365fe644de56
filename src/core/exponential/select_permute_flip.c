/*
 * select_permute_flip.c - permute-and-flip (McKenna and Sheldon 2020; theorem E2), exactly: visit W
 * in random order and take the first w whose coin of bias exp(-beta (L(w) - L_min)), beta = epsilon
 * / M, shows heads.
 *
 * The vectors are counted by loss instead of visited one by one (theorem E3): with c_l vectors of
 * loss l, the number of heads among them is binomial(c_l, exp(-beta (l - L_min))).  The answer has
 * loss l with probability proportional to that number, and is then uniform among the c_l vectors: a
 * rank is drawn, and a second count finds its vector.
 */
#include "core/exponential/select_internal.h"

#include <assert.h>
#include <string.h>

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

/* ---- counting ---- */

static int64_t
walker_loss(const SelectWalker *walker)
{
	return walker->plan->base + walker->loss[0];
}

/* The context holds for each walker the counts by loss. */
static bool
visit_count(SelectWalker *walker, void *context)
{
	uint64_t **count = context;

	count[walker->number][walker_loss(walker)]++;
	return true;
}

uint64_t *
select_count_losses(SelectTeam *team, Memory *memory)
{
	int64_t losses = team->walker[0].plan->span + 1;
	uint64_t *count[CREW_MAX_THREADS];

	assert(team->walker[0].plan->groups == 1 && team->walker[0].plan->levels == 1);
	for (int k = 0; k < team->size; k++)
		count[k] = memory_allocate_zero(memory, (size_t) losses, sizeof(uint64_t));
	select_visit_all(team, visit_count, count);
	for (int k = 1; k < team->size; k++)
	{
		for (int64_t l = 0; l < losses; l++)
			count[0][l] += count[k][l];
		memory_release(memory, count[k]);
	}
	return count[0];
}

/* ---- finding ---- */

typedef struct RankPass
{
	int64_t loss;
	uint64_t *count; /* per block: vectors with this loss */
	uint64_t rank;   /* the rank of the wanted vector in its block */
} RankPass;

static bool
visit_equal(SelectWalker *walker, void *context)
{
	RankPass *pass = context;

	if (walker_loss(walker) == pass->loss)
		pass->count[walker->block]++;
	return true;
}

static bool
visit_rank(SelectWalker *walker, void *context)
{
	RankPass *pass = context;

	return walker_loss(walker) != pass->loss || pass->rank-- > 0;
}

/* Leaves the first walker on the vector of this rank among those with this loss. */
static void
find_rank(SelectTeam *team, int64_t loss, uint64_t rank, Memory *memory)
{
	const SelectPlan *plan = team->walker[0].plan;
	RankPass pass = {.loss = loss, .rank = rank};
	int64_t block = 0;

	pass.count = memory_allocate_zero(memory, (size_t) plan->blocks, sizeof(uint64_t));
	select_visit_all(team, visit_equal, &pass);
	for (; pass.rank >= pass.count[block]; block++)
		pass.rank -= pass.count[block];
	select_visit_block(&team->walker[0], block, visit_rank, &pass);
	memory_release(memory, pass.count);
}

/* ---- the mechanism ---- */

/* Draws the answer's loss; heads is room for one number per loss. */
static int64_t
draw_loss(Bits *bits, const uint64_t *count, uint64_t *heads, int64_t span, SelectRate rate)
{
	int64_t least = 0;
	int64_t loss = 0;
	uint64_t total = 0;
	uint64_t rank;

	while (count[least] == 0)
		least++;
	for (int64_t l = least; l <= span; l++)
	{
		heads[l] = count[l] > 0 ? select_binomial(bits, count[l], rate, l - least) : 0;
		total += heads[l];
	}
	rank = bits_below(bits, total);
	for (loss = least; rank >= heads[loss]; loss++)
		rank -= heads[loss];
	return loss;
}

void
select_permute_and_flip(const SelectProblem *problem, Bits *bits, Memory *memory,
						SelectAnswer *answer)
{
	SelectProblem plain = *problem;
	SelectPlan *plan;
	SelectTeam team;
	uint64_t *count;
	uint64_t *heads;
	int64_t loss;

	plain.group = (SelectGroup){0, 0};
	plan = select_plan_create(&plain, 0, SELECT_FASTEST, memory);
	select_team_create(&team, plan, problem->threads, memory);
	count = select_count_losses(&team, memory);
	heads = memory_allocate(memory, (size_t) plan->span + 1, sizeof(uint64_t));
	loss = draw_loss(bits, count, heads, plan->span, select_rate(problem));
	find_rank(&team, loss, bits_below(bits, count[loss]), memory);
	memcpy(answer->index, team.walker[0].index, sizeof(answer->index));
	answer->loss = plan->instance->constant + loss;
	memory_release(memory, heads);
	memory_release(memory, count);
	select_team_destroy(&team, memory);
	select_plan_destroy(plan, memory);
}
