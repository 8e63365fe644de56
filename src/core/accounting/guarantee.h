/*
 * guarantee.h - what a list of releases guarantees together, by each accountant (theorem A11).
 *
 *   basic  the sums of all epsilon and delta
 *   zcdp   the sum of rho, converted at delta less the deltas that rho leaves out
 *   rdp    the sums of the Renyi divergences, converted likewise at the best order for them
 *   kov    optimal composition, where all releases claim the same (epsilon, delta)
 *   pld    privacy loss distributions of the pairs, or of the claim where a pair has no law
 *
 * All are upper bounds.  The first two hold even if releases were chosen adaptively, as long as a
 * fixed cap limited the sum; the others are proved for releases that were fixed beforehand (theorem
 * A6).  This is for reports and prices: budgets have accounting.h.
 */
#ifndef DPOBJ_CORE_GUARANTEE_H
#define DPOBJ_CORE_GUARANTEE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/accounting/pair.h"

typedef enum GuaranteeKind
{
	GUARANTEE_BASIC,
	GUARANTEE_ZCDP,
	GUARANTEE_RDP,
	GUARANTEE_OPTIMAL,
	GUARANTEE_DISTRIBUTION,
	GUARANTEE_KINDS
} GuaranteeKind;

typedef struct Guarantee
{
	bool known;
	int64_t epsilon; /* nano-units */
	int64_t delta;   /* units of 1e-18: the sum for basic, else what was asked for */
	int order;       /* of rdp; else 0 */
} Guarantee;

/*
 * The guarantee for neighbours of one kind, at delta.  It is not known in three cases: for
 * add_remove if a pair is about replacements; if delta does not cover the deltas of the releases;
 * for kov if the claims differ.
 */
extern Guarantee guarantee_composed(const CountedPair *pair, int pairs, Adjacency neighbours,
									GuaranteeKind kind, int64_t delta, Memory *memory);

extern const char *guarantee_name(GuaranteeKind kind);

/* The accountant of that name, GUARANTEE_KINDS if there is none. */
extern GuaranteeKind guarantee_named(const char *name);

/* The assumption under which the guarantee holds, in words. */
extern const char *guarantee_assumes(GuaranteeKind kind);

#endif
