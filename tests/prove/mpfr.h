/*
 * mpfr.h - MPFR as Frama-C sees it in `make prove`: types, for headers that name them.
 */
#ifndef DPOBJ_PROVE_MPFR_H
#define DPOBJ_PROVE_MPFR_H

#include "gmp.h"

typedef long mpfr_prec_t;
typedef long mpfr_exp_t;
typedef struct
{
	int alive;
} __mpfr_struct;
typedef __mpfr_struct mpfr_t[1];
typedef __mpfr_struct *mpfr_ptr;
typedef const __mpfr_struct *mpfr_srcptr;
typedef enum
{
	MPFR_RNDN,
	MPFR_RNDZ,
	MPFR_RNDU,
	MPFR_RNDD
} mpfr_rnd_t;

static inline void
mpfr_init2(mpfr_ptr x, mpfr_prec_t precision)
{
	(void) precision;
	x->alive = 1;
}

static inline void
mpfr_clear(mpfr_ptr x)
{
	/*@ assert lives: x->alive == 1; */
	x->alive = 0;
}

static inline int
mpfr_set(mpfr_ptr x, mpfr_srcptr a, mpfr_rnd_t round)
{
	/*@ assert lives: x->alive == 1 && a->alive == 1; */
	(void) round;
	return any_int();
}

/* The exponent of a number that is not 0 and far from the ends of MPFR's range. */
static inline mpfr_exp_t
mpfr_get_z_2exp(mpz_ptr z, mpfr_srcptr a)
{
	/*@ assert lives: a->alive == 1; */
	mpz_changed(z);
	return Frama_C_long_interval(-(INT64_C(1) << 40), INT64_C(1) << 40);
}

#endif
