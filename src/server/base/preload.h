/*
 * preload.h - shared memory, in a server that preloads the library.
 */
#ifndef DPOBJ_PRELOAD_H
#define DPOBJ_PRELOAD_H

#include "postgres.h"

#include "storage/lwlock.h"

/* A piece of shared memory; static. */
typedef struct SharedPiece
{
	const char *name; /* of the piece and of its lock */
	Size size;
	/* called when the server starts; new: the memory is zeroed, else another process filled it */
	void (*attach)(void *memory, LWLock *lock, bool new);
	struct SharedPiece *next; /* for preload_memory() */
} SharedPiece;

/*
 * Called by _PG_init(), first for each piece, then once to request them all.  A server that does
 * not preload the library attaches none.
 */
extern void preload_memory(SharedPiece *piece);
extern void preload_install(void);

extern bool preload_done(void);

/* Raises 55000 if the library is not preloaded; what is the plural noun that needs it. */
extern void preload_require(const char *what);

#endif
