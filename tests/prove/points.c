/*
 * points.c - lengths and uniform numbers of the tree of boxes, with any mantissas.
 *
 * Exponents are those of a tree: far from what 64 bits hold.
 */
#include "core/exponential/tree_internal.h"

#include "any.h"

#define EXPONENT_MOST (INT64_C(1) << 40)

static TreeLength
any_length(void)
{
	return (TreeLength){any_word(), Frama_C_long_interval(-EXPONENT_MOST, EXPONENT_MOST)};
}

int
main(void)
{
	Bits bits;
	TreePoint point;
	TreeLength length = any_length();
	mpfr_t bound;

	bits_init(&bits, any_fill, NULL);
	mpfr_init2(bound, 64);
	(void) tree_length_above(bound, Frama_C_long_interval(-EXPONENT_MOST, EXPONENT_MOST));
	mpfr_clear(bound);
	if (length.mantissa == 0)
		return 0;
	(void) tree_length_compare(any_length(), any_length());
	(void) tree_length_add(any_length(), any_length());
	tree_point_init(&point, &bits, length);
	(void) tree_point_is_below(&point, any_length());
	tree_point_subtract(&point, any_length());
	tree_point_refine(&point, Frama_C_interval(0, 64));
	tree_point_clear(&point);
	return 0;
}
