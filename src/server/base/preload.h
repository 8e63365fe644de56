/*
 * preload.h - the library is preloaded, and has shared memory.
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
 * Called by _PG_init(): first, to refuse with 55000 a library that is not preloaded; then for each
 * piece; then once to request all pieces.
 */
extern void preload_require(void);
extern void preload_memory(SharedPiece *piece);
extern void preload_install(void);

#endif
