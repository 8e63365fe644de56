/*
 * tree_leaf.c - the exact mass of a closed box, and an exact draw from it.
 *
 * In a closed box L(w) = constant + sum_j cost_j(w_j), so the dynamic programme of tree_sum.c gives
 * the mass itself, not a bound.  Here it is computed with intervals, as narrow as needed.
 *
 * A uniform number of which the leading bits are known is compared with such an interval.  While
 * that does not decide, more bits are drawn and the mass is computed more precisely.  So each
 * decision is the decision for the complete number and the true mass.
 */
#include "core/exponential/tree_internal.h"

#define FIRST_BITS 64  /* of a uniform number */
#define SPARE_BITS 128 /* of precision: 64 to be close, 64 for the integer part of an exponent */

typedef struct Leaf
{
	const Relaxation *relaxation;
	const Grid *grid;
	SelectRate rate;
	long precision;
	int *number; /* of a state before a coordinate, if vectors of the box pass it; else -1 */
	int numbers;
	Interval *sum; /* as TreeSums.backward, by number; current for this precision */
	Interval term;
	Interval total;
} Leaf;

static int *
number_at(const Leaf *leaf, int j, int s)
{
	return leaf->number + (size_t) j * (size_t) leaf->relaxation->noise.states + s;
}

static Interval *
sum_at(const Leaf *leaf, int j, int s)
{
	return &leaf->sum[*number_at(leaf, j, s)];
}

/*
 * Sets term to the sum over all completions from state s before coordinate j that take choice k,
 * divided by the cheapest completion's term; false if there is none.
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
	if (excess == 0)
		interval_set(&leaf->term, sum_at(leaf, j + 1, next));
	else
	{
		select_set_exponential(&leaf->term, leaf->rate, excess);
		interval_multiply(&leaf->term, sum_at(leaf, j + 1, next));
	}
	return true;
}

static void
sum_state(Leaf *leaf, int j, int s)
{
	interval_set_ui(sum_at(leaf, j, s), 0);
	for (int k = 0; k < leaf->relaxation->choices[j].count; k++)
		if (set_term(leaf, j, s, k))
			interval_add(sum_at(leaf, j, s), &leaf->term);
}

/* Computes all sums at a precision. */
static void
sum_leaf(Leaf *leaf, long precision)
{
	int dimension = leaf->grid->dimension;
	int last = leaf->relaxation->noise.states - 1;

	leaf->precision = precision;
	for (int k = 0; k < leaf->numbers; k++)
		interval_reset(&leaf->sum[k], precision);
	interval_reset(&leaf->term, precision);
	interval_reset(&leaf->total, precision);
	for (int s = 0; s < last; s++)
		if (*number_at(leaf, dimension, s) >= 0)
			interval_set_ui(sum_at(leaf, dimension, s), 1);
	for (int j = dimension - 1; j >= 0; j--)
		for (int s = 0; s < last; s++)
			if (*number_at(leaf, j, s) >= 0)
				sum_state(leaf, j, s);
}

/* Numbers the state if it has a completion. */
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
	leaf->sum = memory_allocate(tree->memory, (size_t) leaf->numbers, sizeof(Interval));
	for (int k = 0; k < leaf->numbers; k++)
		interval_init(&leaf->sum[k], MPFR_PREC_MIN);
	interval_init(&leaf->term, MPFR_PREC_MIN);
	interval_init(&leaf->total, MPFR_PREC_MIN);
}

static void
leaf_clear(Leaf *leaf, const Tree *tree)
{
	for (int k = 0; k < leaf->numbers; k++)
		interval_clear(&leaf->sum[k]);
	memory_release(tree->memory, leaf->sum);
	interval_clear(&leaf->term);
	interval_clear(&leaf->total);
	memory_release(tree->memory, leaf->number);
}

/* Whether t, whose bits down to 2^exponent are known, is below the mass. */
static SelectVerdict
compare_to_mass(Leaf *leaf, const TreePoint *point)
{
	select_set_scaled_exponential(&leaf->total, leaf->rate, leaf->relaxation->lower,
								  point->exponent);
	interval_multiply(&leaf->total, sum_at(leaf, 0, 0));
	return select_compare(point->value, &leaf->total);
}

/* The chance that a comparison is still open halves with each bit. */
static bool
is_below_mass(Leaf *leaf, TreePoint *point)
{
	SelectVerdict verdict;

	sum_leaf(leaf, (long) mpz_sizeinbase(point->value, 2) + SPARE_BITS);
	while ((verdict = compare_to_mass(leaf, point)) == SELECT_OPEN)
	{
		tree_point_refine(point, FIRST_BITS);
		sum_leaf(leaf, 2 * leaf->precision);
	}
	return verdict == SELECT_BELOW;
}

/* The last choice of coordinate j at state s that has a completion. */
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
 * Finds the choice of coordinate j at state s: the first k for which u * sum is below the sum of
 * the terms up to k, and otherwise the last one.  u is uniform on [0, 1), value its first count
 * bits.  Returns -1 if the bits do not decide.
 */
static int
find_choice(Leaf *leaf, int j, int s, const mpz_t value, long count)
{
	int last = last_choice(leaf, j, s);
	int found = -1;
	bool open = false;
	Interval point; /* u * sum */

	interval_init(&point, leaf->precision);
	select_set_point(&point, sum_at(leaf, j, s), value, count);
	interval_set_ui(&leaf->total, 0);
	for (int k = 0; k < last && found < 0 && !open; k++)
	{
		if (!set_term(leaf, j, s, k))
			continue;
		interval_add(&leaf->total, &leaf->term);
		if (mpfr_lessequal_p(point.high, leaf->total.low))
			found = k;
		else if (mpfr_less_p(point.low, leaf->total.high))
			open = true;
	}
	interval_clear(&point);
	return open || found >= 0 ? found : last; /* u is above all terms before the last */
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
		bits_append(bits, value, FIRST_BITS);
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
