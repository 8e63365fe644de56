/*
 * real_noise.h - noise vectors with continuous laws, drawn exactly.
 *
 * A draw is a function of independent uniform real numbers, whose bits are drawn when they are
 * needed.  Interval arithmetic with outward rounding (MPFR) bounds each coordinate; if a bound is
 * too wide, the draw takes further bits.  So a rounded coordinate is the rounding of the real
 * number, with the exact law, and no floating-point number is ever released (theorem R3).
 */
#ifndef DPOBJ_CORE_REAL_NOISE_H
#define DPOBJ_CORE_REAL_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <gmp.h>

#include "core/random/bits.h"
#include "core/base/memory.h"

typedef enum RealLaw
{
	REAL_GAUSSIAN, /* independent normal coordinates */
	REAL_GAMMA,    /* density proportional to exp(-|b|_2): a Gamma(d) length, any direction */
	REAL_CONE      /* exp(-h), h the last coordinate, where the norm of the others is at most h */
} RealLaw;

typedef struct RealDraw RealDraw;

/*
 * Creates a draw of dimension coordinates of the law, times scale > 0.  The double scale is taken
 * as an exact real number.
 */
extern RealDraw *real_draw_create(RealLaw law, int dimension, double scale, Bits *bits,
								  Memory *memory);
extern void real_draw_destroy(RealDraw *draw, Memory *memory);

/*
 * integer[j] = floor(offset[j] + 2^places b_j + 1/2) for every j, exactly; offset[j]
 * is offset_numerator[j] / 2^offset_places.  Takes as many bits as it needs.
 */
extern void real_draw_round(RealDraw *draw, Bits *bits, const mpz_t *offset, int offset_places,
							int places, mpz_t *integer);

/*
 * integer = floor(b_j sqrt(square) + 1/2), exactly.  All calls on a draw see the same b_j, in any
 * order of the calls.
 */
extern void real_draw_round_root(RealDraw *draw, Bits *bits, int j, unsigned long square,
								 mpz_t integer);

/* Sets integer[j] to within two of 2^places b_j. */
extern void real_draw_near(RealDraw *draw, Bits *bits, int places, mpz_t *integer);

#endif
