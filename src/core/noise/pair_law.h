/*
 * pair_law.h - the pair of laws of a release on neighbouring tables, as far as it is known.
 *
 * Every release claims an epsilon and a delta.  If the kind of noise and its parameters are known,
 * too, several releases together cost less than the sum of their claims (theorem A4).  All of it is
 * public.
 */
#ifndef DPOBJ_CORE_PAIR_LAW_H
#define DPOBJ_CORE_PAIR_LAW_H

#include <stdint.h>

typedef enum PairKind
{
	PAIR_NONE,         /* published and not proved: the claim only */
	PAIR_PURE,         /* (epsilon, 0) */
	PAIR_APPROXIMATE,  /* (epsilon, delta) */
	PAIR_RANGE,        /* a privacy loss in an interval of length epsilon, or a mean of such laws */
	PAIR_GAUSSIAN,     /* mu = sensitivity / sigma */
	PAIR_SAMPLED,      /* count Gaussian steps on Poisson samples; one row is added or removed */
	PAIR_BATCHES,      /* count Gaussian steps on samples of any kind; rows may be replaced */
	PAIR_OBJECTIVE,    /* Gaussian objective perturbation, then pure noise on the answer */
	PAIR_CONCENTRATED, /* rho-zCDP, whatever the laws are */
	PAIR_KINDS
} PairKind;

typedef struct Pair
{
	PairKind kind;
	int64_t epsilon; /* nano-units; what is claimed and charged */
	int64_t pure;    /* of epsilon: of an epsilon-DP release that follows; the law has the rest */
	int64_t delta;   /* units of 1e-18 */
	int64_t count;   /* of steps */
	double mu;       /* PAIR_GAUSSIAN, and PAIR_OBJECTIVE for its inner noise; rounded up */
	double rate;     /* PAIR_SAMPLED, PAIR_BATCHES: share of the rows */
	double noise;    /* of a step, in units of what one row adds at most */
	double ratio;    /* PAIR_OBJECTIVE: beta / lambda, rounded up */
	double outer;    /* PAIR_OBJECTIVE: epsilon of the noise on the answer, rounded up */
	double rho;      /* PAIR_CONCENTRATED, rounded up */
} Pair;

/* An epsilon-DP release of which nothing more is known, in nano-units. */
static inline Pair
pair_pure(int64_t epsilon)
{
	return (Pair){.kind = PAIR_PURE, .epsilon = epsilon, .count = 1};
}

/*
 * Parameters are rounded towards a larger loss, by more than the rounding errors of their
 * computation.
 */
#define PAIR_ROUNDED_UP (1 + 1e-9)

#endif
