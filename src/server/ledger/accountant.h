/*
 * accountant.h - the accountants that a budget may have (core/accounting/accounting.h; theorem
 * A6).
 *
 * They are those whose sums hold when an analyst chooses each request after the last answer.  The
 * best of several accountants, the best order for the requests so far, privacy loss distributions
 * and optimal composition are not among them: chosen requests could exceed the cap.
 */
#ifndef DPOBJ_ACCOUNTANT_H
#define DPOBJ_ACCOUNTANT_H

#include "postgres.h"

typedef enum AccountantKind
{
	ACCOUNTANT_BASIC,
	ACCOUNTANT_ZCDP,
	ACCOUNTANT_RDP,
	ACCOUNTANTS
} AccountantKind;

/* The caps of a budget. */
typedef struct AccountantTerms
{
	AccountantKind kind;
	int order;        /* of ACCOUNTANT_RDP, else 0 */
	int64 epsilon;    /* nano-units */
	int64 delta;      /* units of 1e-18 */
	int64 reserve;    /* the part of delta that the deltas of releases use */
	int64 cost_limit; /* nano-units for ACCOUNTANT_BASIC, else units of 1e-12 */
} AccountantTerms;

extern const char *accountant_name(AccountantKind kind);

/* Returns ACCOUNTANTS for an unknown name. */
extern AccountantKind accountant_named(const char *name);

/* Raises 22023 for a name that is not an accountant of budgets. */
extern AccountantKind accountant_require(const char *name);

/* Raises 22023 unless the ledger keeps costs of that order. */
extern void accountant_check_order(int order);

/*
 * Computes cost_limit, and the order if it is 0; raises 22023 if the terms allow no cost at all.
 */
extern void accountant_set_limit(AccountantTerms *terms);

#endif
