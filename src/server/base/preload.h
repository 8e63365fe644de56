/*
 * preload.h - what only a server has that preloads the library: shared memory.
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
	/* called when the server starts; new: the memory was made just now and holds zeros */
	void (*attach)(void *memory, LWLock *lock, bool new);
	struct SharedPiece *next; /* preload_memory() fills it in */
} SharedPiece;

/*
 * From _PG_init(): names each piece, and then asks for all of them.  A server that does not
 * preload the library attaches none.
 */
extern void preload_memory(SharedPiece *piece);
extern void preload_install(void);

/* Is the library preloaded? */
extern bool preload_done(void);

/* Raises 55000, saying how to preload the library, if it is not; what: who needs it, a plural. */
extern void preload_require(const char *what);

#endif
