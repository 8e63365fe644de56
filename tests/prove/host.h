/*
 * host.h - what Frama-C's C lacks: GCC's integers of 128 bits and some of its builtins.
 */
#ifndef DPOBJ_PROVE_HOST_H
#define DPOBJ_PROVE_HOST_H

#include <stdint.h>

#include "__fc_builtin.h"

/* Half as wide: what is said of these numbers is a test's to show. */
#define __int128 long
#define _Alignof(type) 16

/*@ requires not_zero: word != 0;
    assigns \result \from word;
    ensures 0 <= \result <= 63; */
extern int prove_clz(uint64_t word);
#define __builtin_clzll(word) prove_clz(word)

/* Whether it overflows and what the sum is are left open. */
#define PROVE_ANY(a, b, result)                                                                    \
	((void) (a), (void) (b), *(result) = Frama_C_long_interval(INT64_MIN, INT64_MAX),              \
	 Frama_C_interval(0, 1) != 0)
#define __builtin_add_overflow PROVE_ANY
#define __builtin_mul_overflow PROVE_ANY

#endif
