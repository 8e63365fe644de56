/*
 * attempt.h - the part of a release between its charge and its tick.
 */
#ifndef DPOBJ_ATTEMPT_H
#define DPOBJ_ATTEMPT_H

#include "postgres.h"

struct Release;

/* Draws the answer of a release, after its charge; false: a limit was reached. */
typedef bool (*Draw)(struct Release *release);

/*
 * Draws the answer and waits for the tick; false if the release, with this charge, has failed.
 * Raises only the error of a cancel and the like, at a tick, too.
 */
extern bool attempt_until_tick(struct Release *release, Draw draw, int64 charge, int tick);

/* Draws the answer for a reader of the table, without a tick: errors are raised as they come. */
extern bool attempt_for_reader(struct Release *release, Draw draw, int64 charge);

#endif
