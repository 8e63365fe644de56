/*
 * holdout.h - which side of a holdout a scan reads.
 *
 * Option "holdout" of a training leaves a share of the rows out, so that the model can be rated on
 * rows that it has not seen.  core/rows/holdout.h has the rule.  Rows are dealt by the person, else
 * by the column that dpobj.protect names, else by all declared columns, whatever a request names;
 * the key belongs to the table's identity.  To a mechanism rows of the other side are those that do
 * not pass a filter.
 *
 * Where a training holds rows out to rate its model in the same call, each row, or each person, has
 * a coin instead: they are dealt by the place of the row in its table, under a key of the call
 * (theorem N11).
 */
#ifndef DPOBJ_HOLDOUT_H
#define DPOBJ_HOLDOUT_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "lib/stringinfo.h"

#include "core/rows/holdout.h"

#include "server/rows/column.h"
#include "server/rows/protection.h"

typedef struct Holdout
{
	int64 thousandths; /* the share that is held out, 1 .. HOLDOUT_ONE - 1 */
	bool trains;       /* are the other rows read, and not those that are held out? */
	bool by_chance;    /* is the key one of the call?  It is 0 until holdout_draw() */
	bool by_place;     /* are rows dealt by their places, and not by columns? */
	SipKey key;
	int count;
	Column *column; /* whose values deal the rows */
	uint8 *row;     /* the values of one row (holdout_put()), of holdout_room() bytes */
} Holdout;

/* The bytes of the values of so many columns, or of a place. */
extern size_t holdout_room(int count);

/*
 * Finds the table's key and columns.  Raises 22023 if one of the columns has changed, and 55000 if
 * the installed version has no keys.
 */
extern void holdout_find(const Protection *protection, TupleDesc descriptor, int64 thousandths,
						 bool trains, Holdout *holdout);

/* The same by chance; trains is true. */
extern void holdout_find_by_chance(const Protection *protection, TupleDesc descriptor,
								   int64 thousandths, Holdout *holdout);

/* After the charge: tosses the coins of a holdout by chance. */
extern void holdout_draw(Holdout *holdout);

/* Is the row on the side that is read?  place: of each column in the table. */
extern bool holdout_reads(const Holdout *holdout, const AttrNumber *place,
						  const TupleTableSlot *slot);

/* Appends ", \"holdout\": 0.2". */
extern void holdout_append_share(StringInfo text, int64 thousandths);

/* Appends the same, and the columns as ", \"holdout_by\": [...]". */
extern void holdout_append(StringInfo text, const Holdout *holdout);

#endif
