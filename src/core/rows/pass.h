/*
 * pass.h - one pass over the rows, wherever they are: what it asks, and the sums it gives.
 *
 * A model that is made in passes learns nothing of the rows but sums of integers: each is the sum,
 * over all labels, of a function of the label, its row, the request and the pass.  So the rows may
 * be in parts on several servers: a pass goes to every part, and the sums of the parts are added
 * (theorem V20).
 */
#ifndef DPOBJ_CORE_PASS_H
#define DPOBJ_CORE_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/integers.h"
#include "core/base/memory.h"

typedef enum PassKind
{
	PASS_LABELS,   /* the number of all labels */
	PASS_GRADIENT, /* at weights: the gradient of J and perhaps its Hessian (convex_pass.h) */
	PASS_NET,      /* the losses of points of a net (net_law.h) */
	PASS_COUNTS,   /* labels of each kind, then those that have each column (count_pass.h) */
	PASS_KINDS
} PassKind;

typedef struct Pass
{
	PassKind kind;
	int64_t number;    /* the passes of a release are numbered from 1 on */
	int64_t thin;      /* of PASS_GRADIENT (ConvexRows.thin); else 0 */
	bool bent;         /* of PASS_GRADIENT: the Hessian too? */
	int clip;          /* of PASS_GRADIENT: of slopes (residual.h); else 0 */
	int64_t first;     /* of PASS_NET: the number of the first point; else 0 */
	int places;        /* the length of place */
	const Wide *place; /* the weights; of PASS_NET the centre and the step */
	int64_t sums;      /* how many integers it asks for */
} Pass;

/* The most sums of a pass; of PASS_NET, whose points come in several passes if there are more. */
#define PASS_SUMS_MAX 65536

/* The parts of the rows.  Initially passes is 0. */
typedef struct PassSource PassSource;

struct PassSource
{
	/* Sets pass->sums sums over the rows of all parts.  Does not return if a part fails. */
	void (*sum)(PassSource *self, const Pass *pass, Wide *sum);
	int64_t passes; /* so far */
};

/* Numbers the pass and makes it. */
extern void pass_make(PassSource *source, Pass *pass, Wide *sum);

/* Sums of a pass to which each of so many parts adds its own, once. */
typedef struct PassSums
{
	PassKind kind;
	int64_t number;
	int64_t count;
	int parts;
	int missing; /* parts that have not added theirs */
	bool *added; /* has part k? */
	Wide *sum;
} PassSums;

extern void pass_sums_create(PassSums *sums, const Pass *pass, int parts, Memory *memory);
extern void pass_sums_destroy(PassSums *sums, Memory *memory);

/*
 * Adds the next of the sums of a part.  False if the sum would be one that no rows have: then the
 * arithmetic on it could overflow.
 */
extern bool pass_sums_add(PassSums *sums, int64_t at, Wide value);

#endif
