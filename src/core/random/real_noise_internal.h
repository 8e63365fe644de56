/*
 * real_noise_internal.h - what the laws of continuous noise share: uniform numbers, of which some
 * bits are known, and the intervals that follow from them.
 */
#ifndef DPOBJ_CORE_REAL_NOISE_INTERNAL_H
#define DPOBJ_CORE_REAL_NOISE_INTERNAL_H

#include "core/base/interval.h"
#include "core/random/real_noise.h"

/* Bits of each uniform number at the start, and bits added each time more are needed. */
#define FIRST_BITS 192
#define MORE_BITS 128

/*
 * Precision beyond the bits of the uniform numbers, because each operation loses one or two bits.
 */
#define GUARD_BITS 64

struct RealDraw
{
	/* Sets value for scale = 1, normal variables to begin with; false if more bits are needed. */
	bool (*law)(RealDraw *draw);
	int dimension;
	int normals; /* number of coordinates that are drawn as normal variables */
	double scale;
	int uniforms;   /* those of the normal variables first, two for each */
	mpz_t *uniform; /* in units of 2^-known, rounded down */
	mpfr_prec_t known;
	Interval *value; /* of each coordinate */
	void *choices;   /* what a law has drawn besides, one block of memory */
};

/* A draw with the first bits of each uniform number; real_draw_settle() bounds its coordinates. */
extern RealDraw *real_draw_begin(bool (*law)(RealDraw *draw), int dimension, int normals,
								 int uniforms, double scale, Bits *bits, Memory *memory);
extern void real_draw_settle(RealDraw *draw, Bits *bits);

/* Draws so many further bits of each uniform number. */
extern void real_draw_take_bits(RealDraw *draw, Bits *bits, int count);

/* The interval of the k-th uniform number; its lower end may be 0. */
extern void real_draw_uniform(const RealDraw *draw, int k, Interval *u);

/*
 * -ln of the k-th uniform number: an exponential variable.  Its interval is unbounded while all
 * known bits are 0, and begins at 0 while all are 1.
 */
extern void real_draw_exponential(const RealDraw *draw, int k, Interval *size);

/* The sum of so many exponential variables, of the uniform numbers from first on: Gamma(shape). */
extern void real_draw_gamma(const RealDraw *draw, int first, int shape, Interval *size);

#endif
