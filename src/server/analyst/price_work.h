/*
 * price_work.h - what a price says of the run: how long it takes, and how many distinct rows must
 * be in memory (rule F3).
 */
#ifndef DPOBJ_PRICE_WORK_H
#define DPOBJ_PRICE_WORK_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "server/release/training.h"

/* Appends members of the answer, for a settled training; those of one group, if there are groups.
 */
extern void price_append_work(StringInfo json, const Training *training);

#endif
