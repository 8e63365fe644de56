/*
 * accountant.h - the accountants that a budget may have (core/accounting/accounting.h; theorem
 * A6).
 *
 * Only those whose sums hold whatever an analyst chooses next, after having seen the last
 * answer.  The best of several accountants, the best order for what has been asked, privacy
 * loss distributions and optimal composition are not among them: with those, cleverly chosen
 * requests exceed the cap.
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

/* How a budget's caps follow from what was asked for. */
typedef struct AccountantTerms
{
	AccountantKind kind;
	int order;        /* of ACCOUNTANT_RDP, else 0 */
	int64 epsilon;    /* nano-units */
	int64 delta;      /* units of 1e-18 */
	int64 reserve;    /* the part of delta that is for deltas of releases */
	int64 cost_limit; /* units of 1e-9 or 1e-12 */
} AccountantTerms;

extern const char *accountant_name(AccountantKind kind);

/* ACCOUNTANTS: there is none of that name. */
extern AccountantKind accountant_named(const char *name);

/* Raises 22023 for a name that cannot be an accountant of a budget, and says why. */
extern AccountantKind accountant_require(const char *name);

/* Raises 22023 unless the ledger keeps costs of that order. */
extern void accountant_check_order(int order);

/*
 * Sets order, unless it is one already, and cost_limit; raises 22023 where the terms allow
 * no cost at all.
 */
extern void accountant_settle(AccountantTerms *terms);

#endif
