/*
 * usefulness.h - refuses a training whose noise outweighs its rows, before the charge.
 */
#ifndef DPOBJ_USEFULNESS_H
#define DPOBJ_USEFULNESS_H

#include "postgres.h"

#include "server/release/training.h"

/*
 * Raises 22023 for an analyst's training if the public number of rows is at most that of rule U19,
 * and names an epsilon and a number of rows that would do.  Not checked: a training with "force",
 * an undeclared number of rows, a running job, which was checked when it was submitted, and groups,
 * of which the number of rows is not public.
 */
extern void usefulness_check(const Training *training);

#endif
