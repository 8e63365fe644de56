/*
 * attempt.h - the part of a release between its charge and its tick.
 */
#ifndef DPOBJ_ATTEMPT_H
#define DPOBJ_ATTEMPT_H

#include "server/release/release.h"

/*
 * Draws the answer and waits for the tick; false if the release has failed.  Raises only the error
 * of a cancel and the like, at a tick, too.
 */
extern bool attempt_until_tick(Release *release, int tick);

/* Draws the answer for a reader of the table, without a tick: errors are raised as they come. */
extern bool attempt_for_reader(Release *release);

#endif
