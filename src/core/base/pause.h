/*
 * pause.h - a callback by which the caller can end a long computation.
 *
 * A pause may not return.  So a computation that calls it must hold no resource that only the
 * computation can free.
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
