/*
 * decimal.h - privacy parameters as exact decimals.
 *
 * Both are used rounded down and charged rounded up, epsilon in nano-units and delta in
 * atto-units, 1e-18.
 *
 * A float8 stands for the shortest decimal that reads back as it.  This is the number that the user
 * wrote if that has at most 15 digits, or is the shortest with 16 or 17.
 */
#ifndef DPOBJ_DECIMAL_H
#define DPOBJ_DECIMAL_H

#include "postgres.h"

#define EPSILON_MAX 10000          /* of one release, in units of 1.0 */
#define EPSILON_CAP_MAX 1000000000 /* of a budget */

typedef struct PrivacyCost
{
	int64 epsilon;         /* nano-units, rounded down: what the noise is made for */
	int64 epsilon_charged; /* nano-units, rounded up */
	int64 delta;           /* atto-units, rounded down: what may be used of it */
	int64 delta_charged;   /* atto-units, rounded up; 0 where a pure mechanism uses none */
} PrivacyCost;

/* Values of type float8, numeric or integer; raises 22023 for what is out of range. */
extern void decimal_epsilon(Datum value, Oid type, PrivacyCost *cost);
extern void decimal_delta(Datum value, Oid type, PrivacyCost *cost);

/*
 * Caps of a budget or what is added to them, type numeric, rounded down; they raise 22023 likewise,
 * with the name that they are given.
 */
extern int64 decimal_epsilon_cap(Datum value, const char *name);
extern int64 decimal_delta_cap(Datum value, const char *name);

/* Units as an exact decimal. */
#define EPSILON_UNIT "0.000000001"
#define HALF_EPSILON_UNIT "0.0000000005"
#define DELTA_UNIT "0.000000000000000001"
extern char *decimal_text(int64 units, const char *unit);

/* WARNING of a delta, in units of 1e-18, that is no protection. */
extern void decimal_warn_of_large_delta(int64 delta);

#endif
