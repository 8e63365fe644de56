/*
 * decimal.h - epsilon and delta as exact decimals.
 *
 * Noise uses them rounded down, charges have them rounded up: epsilon in nano-units, delta in units
 * of 1e-18.
 *
 * A float8 means the shortest decimal that reads back as the same float8.  That is the number the
 * user wrote if it has at most 15 digits.
 */
#ifndef DPOBJ_DECIMAL_H
#define DPOBJ_DECIMAL_H

#include "postgres.h"

#define EPSILON_MAX 10000          /* of one release, in units of 1.0 */
#define EPSILON_CAP_MAX 1000000000 /* of a budget */

typedef struct PrivacyCost
{
	int64 epsilon;         /* nano-units, rounded down, for the noise */
	int64 epsilon_charged; /* nano-units, rounded up */
	int64 delta;           /* units of 1e-18, rounded down, for the noise */
	int64 delta_charged;   /* units of 1e-18, rounded up; 0 if the mechanism is pure */
} PrivacyCost;

/* Read a float8, numeric or integer; raise 22023 if it is out of range. */
extern void decimal_epsilon(Datum value, Oid type, PrivacyCost *cost);
extern void decimal_delta(Datum value, Oid type, PrivacyCost *cost);

/*
 * Reads a part of an epsilon (numeric) in nano-units, rounded down; false unless it is 0 or from
 * one nano-unit to EPSILON_MAX.
 */
extern bool decimal_epsilon_part(Datum value, int64 *part);

/*
 * Read a cap of a budget or an addition to it (numeric), rounded down; raise 22023 with this name
 * if it is out of range.
 */
extern int64 decimal_epsilon_cap(Datum value, const char *name);
extern int64 decimal_delta_cap(Datum value, const char *name);

#define EPSILON_UNIT "0.000000001"
#define HALF_EPSILON_UNIT "0.0000000005"
#define DELTA_UNIT "0.000000000000000001"

/* Writes a number of units as an exact decimal. */
extern char *decimal_text(int64 units, const char *unit);

/* Warns of a delta, in units of 1e-18, that is too large to protect a row. */
extern void decimal_warn_of_large_delta(int64 delta);

#endif
