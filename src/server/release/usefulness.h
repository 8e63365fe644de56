/*
 * usefulness.h - refuses a training whose noise outweighs its rows, before the charge.
 */
#ifndef DPOBJ_USEFULNESS_H
#define DPOBJ_USEFULNESS_H

#include "postgres.h"

#include "server/release/training.h"

/*
 * Raises 22023 for a settled training by an analyst with no more rows than rule U19 says, by the
 * public number of them; names the epsilon and the rows from which it would be of use.  Option
 * "force" allows it, and so does a number of rows that is not known.  A job was checked when it was
 * submitted; one of 0.3.0 runs as it is.  Groups are not checked: how
 * many rows a group has is not public.
 */
extern void usefulness_check(const Training *training);

#endif
