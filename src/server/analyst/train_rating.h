/*
 * train_rating.h - rates a model that has just been trained, before anybody has seen it.
 */
#ifndef DPOBJ_TRAIN_RATING_H
#define DPOBJ_TRAIN_RATING_H

#include "postgres.h"

#include "server/analyst/analyst.h"
#include "server/release/training.h"
#include "server/rows/rows_state.h"

/* Raises 55000 if the rows have left this server since the training was settled. */
extern void train_rating_check(const Training *training, const Scan *scan);

/*
 * Is a table drawn of rows that are dealt while the training reads them?  So it is where some are on
 * other servers, which read theirs once.  Else a second scan of the same snapshot reads them.
 */
extern bool train_rating_is_dealt(const Training *training);

/* The rows on the side that rates: of each group, or one. */
typedef struct RatedRows
{
	RowsState **here;
	struct ScanParts *parts; /* NULL: none */
} RatedRows;

/*
 * Draws the table with noise, and keeps it with the training.  rows: NULL to read those that were
 * held out, or all rows if none were, with the scan of the training, which is still open and stays
 * open.  With keys the training has an answer for each, and gets an array of tables.
 */
extern void train_rating_draw(Release *release, AnalystTable *opened, Training *training,
							  const MechanismAnswer *answer, const RatedRows *rows);

#endif
