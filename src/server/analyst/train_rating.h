/*
 * train_rating.h - rates a model that has just been trained, before anybody has seen it.
 */
#ifndef DPOBJ_TRAIN_RATING_H
#define DPOBJ_TRAIN_RATING_H

#include "postgres.h"

#include "server/analyst/analyst.h"
#include "server/release/training.h"

/* Raises 55000 if the rows have left this server since the training was settled. */
extern void train_rating_check(const Training *training, const Scan *scan);

/*
 * Reads the rows that were held out, or all rows if none were, with the scan of the training, which
 * is still open and stays open; draws the table with noise, and keeps it with the training.  With
 * keys the training has an answer for each, and gets an array of tables.
 */
extern void train_rating_draw(Release *release, AnalystTable *opened, Training *training,
							  const MechanismAnswer *answer);

#endif
