/*
 * tree_leaf.c - the exact mass of a closed box, and an exact draw from it.
 *
 * In a closed box L(w) = constant + sum_j cost_j(w_j), so that the dynamic
 * programme of tree_sum.c is not a bound but the mass itself.  Here it is done
 * twice, with every operation rounded down and with every operation rounded up:
 * two numbers with the true one between them, as close as is asked for.
 *
 * A uniform number is compared with such a pair while only its leading bits are known.  If the
 * number's interval lies below or above that of the mass, the comparison is decided; otherwise more
 * bits are drawn and the mass is computed more precisely.  So each decision is that for the
 * complete number and the true mass.
 */
#include "core/exponential/tree_internal.h"

#define FIRST_BITS 64  /* of a uniform number */
#define SPARE_BITS 128 /* of precision: 64 to be close, 64 for the integer part of an exponent */

typedef enum Verdict
{
	VERDICT_OPEN,
	VERDICT_BELOW,
	VERDICT_NOT_BELOW
} Verdict;

/* What is rounded down and what is rounded up. */
enum
{
	DOWN,
	UP,
	SIDES
};

static const mpfr_rnd_t rounding_of[SIDES] = {MPFR_RNDD, MPFR_RNDU};

typedef struct Leaf
{
	const Relaxation *relaxation;
	const Grid *grid;
	SelectRate rate;
	long precision;
	int *
		number; /* of state s before coordinate j among those that vectors of the box pass; or -1 */
	int numbers;
	mpfr_t *sum[SIDES]; /* as TreeSums.backward, by number; current for this precision */
	mpfr_t term[SIDES];
	mpfr_t total[SIDES];
} Leaf;

static int *
number_at(const Leaf *leaf, int j, int s)
{
	return leaf->number + (size_t) j * (size_t) leaf->relaxation->noise.states + s;
}

static mpfr_ptr
sum_at(const Leaf *leaf, int side, int j, int s)
{
	return leaf->sum[side][*number_at(leaf, j, s)];
}

/*
 * term = the sum over all ways on from state s before coordinate j that take
 * choice k, over the cheapest way on from there; false if there is none.
 */
static bool
set_term(Leaf *leaf, int j, int s, int k)
{
	const NoiseProgramme *noise = &leaf->relaxation->noise;
	const Choices *own = &leaf->relaxation->choices[j];
	int next = noise_next(noise, j, own->index[k])[s];
	int64_t excess;

	if (*number_at(leaf, j + 1, next) < 0)
		return false;
	excess = leaf->relaxation->cost[j][own->index[k]] + noise_backward(noise, j + 1)[next] -
			 noise_backward(noise, j)[s];
	for (int side = 0; side < SIDES; side++)
	{
		mpfr_srcptr after = sum_at(leaf, side, j + 1, next);

		if (excess == 0)
			mpfr_set(leaf->term[side], after, rounding_of[side]);
		else
		{
			select_exponential_bound(leaf->term[side], leaf->rate, excess, rounding_of[side]);
			mpfr_mul(leaf->term[side], leaf->term[side], after, rounding_of[side]);
		}
	}
	return true;
}

static void
sum_state(Leaf *leaf, int j, int s)
{
	for (int side = 0; side < SIDES; side++)
		mpfr_set_ui(sum_at(leaf, side, j, s), 0, rounding_of[side]);
	for (int k = 0; k < leaf->relaxation->choices[j].count; k++)
	{
		if (!set_term(leaf, j, s, k))
			continue;
		for (int side = 0; side < SIDES; side++)
		{
			mpfr_ptr sum = sum_at(leaf, side, j, s);

			mpfr_add(sum, sum, leaf->term[side], rounding_of[side]);
		}
	}
}

/* All sums at a precision. */
static void
sum_leaf(Leaf *leaf, long precision)
{
	int dimension = leaf->grid->dimension;
	int last = leaf->relaxation->noise.states - 1;

	leaf->precision = precision;
	for (int side = 0; side < SIDES; side++)
	{
		for (int k = 0; k < leaf->numbers; k++)
			mpfr_set_prec(leaf->sum[side][k], precision);
		mpfr_set_prec(leaf->term[side], precision);
		mpfr_set_prec(leaf->total[side], precision);
		for (int s = 0; s < last; s++)
			if (*number_at(leaf, dimension, s) >= 0)
				mpfr_set_ui(sum_at(leaf, side, dimension, s), 1, rounding_of[side]);
	}
	for (int j = dimension - 1; j >= 0; j--)
		for (int s = 0; s < last; s++)
			if (*number_at(leaf, j, s) >= 0)
				sum_state(leaf, j, s);
}

/* Numbers the state if there is a way on from it. */
static void
pass_state(Leaf *leaf, int j, int s)
{
	int *number = number_at(leaf, j, s);

	if (*number < 0 && noise_backward(&leaf->relaxation->noise, j)[s] < ORACLE_UNREACHABLE / 2)
		*number = leaf->numbers++;
}

static void
number_states(Leaf *leaf, Memory *memory)
{
	const NoiseProgramme *noise = &leaf->relaxation->noise;
	size_t places = (size_t) (leaf->grid->dimension + 1) * (size_t) noise->states;

	leaf->number = memory_allocate(memory, places, sizeof(int));
	leaf->numbers = 0;
	for (size_t k = 0; k < places; k++)
		leaf->number[k] = -1;
	pass_state(leaf, 0, 0);
	for (int j = 0; j < leaf->grid->dimension; j++)
	{
		const Choices *own = &leaf->relaxation->choices[j];

		for (int s = 0; s < noise->states - 1; s++)
			for (int k = 0; *number_at(leaf, j, s) >= 0 && k < own->count; k++)
				pass_state(leaf, j + 1, noise_next(noise, j, own->index[k])[s]);
	}
}

static void
leaf_init(Leaf *leaf, const Tree *tree)
{
	leaf->relaxation = &tree->relaxation;
	leaf->grid = tree->problem->grid;
	leaf->rate = tree->powers.rate;
	number_states(leaf, tree->memory);
	for (int side = 0; side < SIDES; side++)
	{
		leaf->sum[side] = memory_allocate(tree->memory, (size_t) leaf->numbers, sizeof(mpfr_t));
		for (int k = 0; k < leaf->numbers; k++)
			mpfr_init2(leaf->sum[side][k], MPFR_PREC_MIN);
		mpfr_init2(leaf->term[side], MPFR_PREC_MIN);
		mpfr_init2(leaf->total[side], MPFR_PREC_MIN);
	}
}

static void
leaf_clear(Leaf *leaf, const Tree *tree)
{
	for (int side = 0; side < SIDES; side++)
	{
		for (int k = 0; k < leaf->numbers; k++)
			mpfr_clear(leaf->sum[side][k]);
		memory_release(tree->memory, leaf->sum[side]);
		mpfr_clear(leaf->term[side]);
		mpfr_clear(leaf->total[side]);
	}
	memory_release(tree->memory, leaf->number);
}

/* total[side] = mass / 2^exponent = 2^-(rate lower / ln 2 + exponent) sum[0][0] */
static void
set_mass(Leaf *leaf, int side, int64_t exponent)
{
	mpfr_ptr mass = leaf->total[side];
	mpfr_rnd_t rounding = rounding_of[side];
	mpfr_rnd_t opposite = rounding_of[side == UP ? DOWN : UP];

	select_binary_exponent_bound(mass, leaf->rate, leaf->relaxation->lower, opposite);
	mpfr_add_si(mass, mass, exponent, opposite);
	mpfr_neg(mass, mass, rounding);
	mpfr_exp2(mass, mass, rounding);
	mpfr_mul(mass, mass, sum_at(leaf, side, 0, 0), rounding);
}

/* Is t, of which the bits down to 2^exponent are known, below the mass? */
static Verdict
compare_to_mass(Leaf *leaf, const TreePoint *point)
{
	Verdict verdict = VERDICT_OPEN;
	mpz_t bound;

	mpz_init(bound);
	set_mass(leaf, DOWN, point->exponent);
	mpfr_get_z(bound, leaf->total[DOWN], MPFR_RNDD);
	if (mpz_cmp(point->value, bound) < 0)
		verdict = VERDICT_BELOW; /* value + 1 <= mass */
	else
	{
		set_mass(leaf, UP, point->exponent);
		mpfr_get_z(bound, leaf->total[UP], MPFR_RNDU);
		if (mpz_cmp(point->value, bound) >= 0)
			verdict = VERDICT_NOT_BELOW;
	}
	mpz_clear(bound);
	return verdict;
}

/* The chance that a comparison is still open halves with each bit. */
static bool
is_below_mass(Leaf *leaf, TreePoint *point)
{
	Verdict verdict;

	sum_leaf(leaf, (long) mpz_sizeinbase(point->value, 2) + SPARE_BITS);
	while ((verdict = compare_to_mass(leaf, point)) == VERDICT_OPEN)
	{
		tree_point_refine(point, FIRST_BITS);
		sum_leaf(leaf, 2 * leaf->precision);
	}
	return verdict == VERDICT_BELOW;
}

/* The last choice of coordinate j at state s that has a way on. */
static int
last_choice(const Leaf *leaf, int j, int s)
{
	const Choices *own = &leaf->relaxation->choices[j];
	int k = own->count - 1;

	while (*number_at(leaf, j + 1, noise_next(&leaf->relaxation->noise, j, own->index[k])[s]) < 0)
		k--;
	return k;
}

/*
 * The choice of coordinate j at state s: the first k for which u * sum < the terms of the choices
 * up to k, u uniform on [0, 1) with value its first count bits.  That is the last one if it is none
 * before. -1 if the bits do not suffice.
 */
static int
find_choice(Leaf *leaf, int j, int s, const mpz_t value, long count)
{
	int last = last_choice(leaf, j, s);
	int found = -1;
	bool open = false;
	mpfr_t least;
	mpfr_t most;
	mpz_t value_after;

	mpfr_inits2(leaf->precision, least, most, (mpfr_ptr) NULL);
	mpz_init(value_after);
	mpz_add_ui(value_after, value, 1);
	mpfr_mul_z(least, sum_at(leaf, DOWN, j, s), value, MPFR_RNDD);
	mpfr_mul_z(most, sum_at(leaf, UP, j, s), value_after, MPFR_RNDU);
	mpfr_mul_2si(least, least, -count, MPFR_RNDD);
	mpfr_mul_2si(most, most, -count, MPFR_RNDU);
	for (int side = 0; side < SIDES; side++)
		mpfr_set_ui(leaf->total[side], 0, rounding_of[side]);
	for (int k = 0; k < last && found < 0 && !open; k++)
	{
		if (!set_term(leaf, j, s, k))
			continue;
		for (int side = 0; side < SIDES; side++)
			mpfr_add(leaf->total[side], leaf->total[side], leaf->term[side], rounding_of[side]);
		if (mpfr_lessequal_p(most, leaf->total[DOWN]))
			found = k;
		else if (mpfr_less_p(least, leaf->total[UP]))
			open = true;
	}
	mpfr_clears(least, most, (mpfr_ptr) NULL);
	mpz_clear(value_after);
	return open || found >= 0 ? found : last; /* last: u is above all terms before */
}

static int
draw_choice(Leaf *leaf, Bits *bits, int j, int s)
{
	long count = 0;
	int choice = -1;
	mpz_t value;

	if (leaf->relaxation->choices[j].count == 1)
		return 0;
	mpz_init(value);
	while (choice < 0)
	{
		mpz_mul_2exp(value, value, FIRST_BITS);
		mpz_add_ui(value, value, bits_take(bits, FIRST_BITS));
		count += FIRST_BITS;
		if (leaf->precision < count + SPARE_BITS)
			sum_leaf(leaf, 2 * (count + SPARE_BITS));
		choice = find_choice(leaf, j, s, value, count);
	}
	mpz_clear(value);
	return choice;
}

bool
tree_leaf_draw(Tree *tree, TreePoint *point, Bits *bits, int *index)
{
	const Relaxation *relaxation = &tree->relaxation;
	bool accepted;
	int state = 0;
	Leaf leaf;

	leaf_init(&leaf, tree);
	accepted = is_below_mass(&leaf, point);
	for (int j = 0; accepted && j < leaf.grid->dimension; j++)
	{
		const Choices *own = &relaxation->choices[j];
		int k = draw_choice(&leaf, bits, j, state);

		index[j] = own->index[k];
		state = noise_next(&relaxation->noise, j, own->index[k])[state];
	}
	leaf_clear(&leaf, tree);
	return accepted;
}
