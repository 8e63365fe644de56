/*
 * pause.h - what long computations call now and then: their caller looks whether anybody wants
 * them to end.
 *
 * A pause may not return: nothing may be held then that only its holder can give back.
 */
#ifndef DPOBJ_CORE_PAUSE_H
#define DPOBJ_CORE_PAUSE_H

#include <stddef.h>

/* NULL: nobody looks. */
typedef void (*Pause)(void);

static inline void
take_pause(Pause pause)
{
	if (pause != NULL)
		pause();
}

#endif
