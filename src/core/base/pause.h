/*
 * pause.h - a callback of long computations, by which their caller can end them.
 *
 * A pause may not return.  So a computation that calls it must hold nothing that only it can give
 * back.
 */
#ifndef DPOBJ_CORE_PAUSE_H
#define DPOBJ_CORE_PAUSE_H

#include <stddef.h>

/* NULL: the computation cannot be ended. */
typedef void (*Pause)(void);

static inline void
take_pause(Pause pause)
{
	if (pause != NULL)
		pause();
}

#endif
