/*
 * gmp.h - GMP as Frama-C sees it in `make prove`: which numbers live, and any value for each.
 *
 * Every call demands that its numbers are initialised and not yet cleared, and answers whatever
 * GMP's manual allows it to answer.
 */
#ifndef DPOBJ_PROVE_GMP_H
#define DPOBJ_PROVE_GMP_H

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "__fc_builtin.h"

#define GMP_NUMB_BITS 64
#define MPZ_MOST_LIMBS 4

typedef unsigned long mp_limb_t;
typedef long mp_size_t;
typedef unsigned long mp_bitcnt_t;

typedef struct
{
	int alive;                      /* 1: initialised and not cleared */
	int wide;                       /* 1: does not fit a word */
	mp_limb_t limb[MPZ_MOST_LIMBS]; /* for mpz_limbs_write() only */
} __mpz_struct;

typedef __mpz_struct mpz_t[1];
typedef __mpz_struct *mpz_ptr;
typedef const __mpz_struct *mpz_srcptr;

/*@ requires lives: z->alive == 1;
    assigns \nothing; */
extern void mpz_used(mpz_srcptr z);

static inline unsigned long
any_word(void)
{
	return Frama_C_unsigned_long_interval(0, ULONG_MAX);
}

static inline int
any_int(void)
{
	return Frama_C_interval(INT_MIN, INT_MAX);
}

static inline void
mpz_init(mpz_ptr z)
{
	z->alive = 1;
	z->wide = 0;
}

/* A call sets z. */
static inline void
mpz_changed(mpz_ptr z)
{
	mpz_used(z);
	z->wide = Frama_C_interval(0, 1);
}

static inline void
mpz_clear(mpz_ptr z)
{
	mpz_used(z);
	z->alive = 0;
}

static inline void
mpz_inits(mpz_ptr z, ...)
{
	va_list rest;

	va_start(rest, z);
	for (; z != NULL; z = va_arg(rest, mpz_ptr))
		mpz_init(z);
	va_end(rest);
}

static inline void
mpz_clears(mpz_ptr z, ...)
{
	va_list rest;

	va_start(rest, z);
	for (; z != NULL; z = va_arg(rest, mpz_ptr))
		mpz_clear(z);
	va_end(rest);
}

/* Calls that differ in what they compute only. */
#define MPZ_RESULT_OF_1(name)                                                                      \
	static inline void name(mpz_ptr r, mpz_srcptr a)                                               \
	{                                                                                              \
		mpz_changed(r);                                                                            \
		mpz_used(a);                                                                               \
	}
#define MPZ_RESULT_OF_2(name)                                                                      \
	static inline void name(mpz_ptr r, mpz_srcptr a, mpz_srcptr b)                                 \
	{                                                                                              \
		mpz_changed(r);                                                                            \
		mpz_used(a);                                                                               \
		mpz_used(b);                                                                               \
	}
#define MPZ_RESULT_OF_WORD(name)                                                                   \
	static inline void name(mpz_ptr r, mpz_srcptr a, unsigned long b)                              \
	{                                                                                              \
		mpz_changed(r);                                                                            \
		mpz_used(a);                                                                               \
		(void) b;                                                                                  \
	}

MPZ_RESULT_OF_1(mpz_set)
MPZ_RESULT_OF_1(mpz_neg)
MPZ_RESULT_OF_1(mpz_sqrt)
MPZ_RESULT_OF_2(mpz_add)
MPZ_RESULT_OF_2(mpz_sub)
MPZ_RESULT_OF_2(mpz_mul)
MPZ_RESULT_OF_2(mpz_fdiv_q)
MPZ_RESULT_OF_2(mpz_divexact)
MPZ_RESULT_OF_WORD(mpz_add_ui)
MPZ_RESULT_OF_WORD(mpz_sub_ui)
MPZ_RESULT_OF_WORD(mpz_mul_2exp)
MPZ_RESULT_OF_WORD(mpz_cdiv_q_2exp)

static inline void
mpz_set_ui(mpz_ptr r, unsigned long word)
{
	mpz_used(r);
	r->wide = 0;
	(void) word;
}

static inline void
mpz_init_set(mpz_ptr r, mpz_srcptr a)
{
	mpz_used(a);
	mpz_init(r);
	r->wide = a->wide;
}

static inline void
mpz_init_set_ui(mpz_ptr r, unsigned long word)
{
	(void) word;
	mpz_init(r);
}

static inline void
mpz_fdiv_qr(mpz_ptr q, mpz_ptr r, mpz_srcptr a, mpz_srcptr b)
{
	mpz_changed(q);
	mpz_changed(r);
	mpz_used(a);
	mpz_used(b);
}

static inline int
mpz_cmp(mpz_srcptr a, mpz_srcptr b)
{
	mpz_used(a);
	mpz_used(b);
	return any_int();
}

static inline int
mpz_sgn(mpz_srcptr a)
{
	mpz_used(a);
	return Frama_C_interval(-1, 1);
}

static inline int
mpz_fits_ulong_p(mpz_srcptr a)
{
	mpz_used(a);
	if (a->wide != 0)
		return 0;
	return 1;
}

static inline int
mpz_divisible_p(mpz_srcptr a, mpz_srcptr b)
{
	mpz_used(a);
	mpz_used(b);
	return any_int();
}

static inline int
mpz_divisible_2exp_p(mpz_srcptr a, mp_bitcnt_t count)
{
	mpz_used(a);
	(void) count;
	return any_int();
}

static inline unsigned long
mpz_get_ui(mpz_srcptr a)
{
	mpz_used(a);
	return any_word();
}

/* A length that memory can hold. */
static inline size_t
mpz_sizeinbase(mpz_srcptr a, int base)
{
	mpz_used(a);
	(void) base;
	return a->wide != 0 ? Frama_C_unsigned_long_interval(65, 64 * MPZ_MOST_LIMBS)
						: Frama_C_unsigned_long_interval(1, 64);
}

static inline mp_bitcnt_t
mpz_scan1(mpz_srcptr a, mp_bitcnt_t from)
{
	mpz_used(a);
	(void) from;
	return any_word();
}

static inline mp_limb_t *
mpz_limbs_write(mpz_ptr r, mp_size_t count)
{
	mpz_changed(r);
	/*@ assert room: 0 < count <= MPZ_MOST_LIMBS; */
	return r->limb;
}

static inline void
mpz_limbs_finish(mpz_ptr r, mp_size_t count)
{
	mpz_used(r);
	/*@ assert set: \initialized(&r->limb[0 .. count - 1]); */
}

/* Words in and out, as they are called here: whole words, the lowest first. */
static inline void
mpz_import(mpz_ptr r, size_t count, int order, size_t size, int endian, size_t nails,
		   const void *words)
{
	mpz_changed(r);
	/*@ assert words: size == 8 && nails == 0 &&
	                  \initialized((const unsigned long *) words + (0 .. count - 1)); */
	(void) order;
	(void) endian;
}

/* An array of two words is enough for a number below 2^128, which callers promise. */
static inline void *
mpz_export(void *words, size_t *count, int order, size_t size, int endian, size_t nails,
		   mpz_srcptr a)
{
	unsigned long *word = words;

	mpz_used(a);
	/*@ assert words: size == 8 && nails == 0 && count == \null; */
	(void) order;
	(void) endian;
	word[0] = any_word();
	word[1] = any_word();
	return words;
}

#endif
