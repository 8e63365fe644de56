/*
 * preload.c - the library is preloaded, and has shared memory.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "server/base/compat.h"
#include "server/base/preload.h"

/* A library that a session loads comes too late: it has no shared memory and no launcher. */
void
preload_require(void)
{
	if (process_shared_preload_libraries_in_progress)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("dpobj must be preloaded"),
			 errhint("Add dpobj to shared_preload_libraries in postgresql.conf, and restart "
					 "the server.")));
}

static SharedPiece *pieces = NULL;

static shmem_request_hook_type next_request_hook = NULL;
static shmem_startup_hook_type next_startup_hook = NULL;

static void
request_pieces(void)
{
	if (next_request_hook != NULL)
		next_request_hook();
	for (SharedPiece *piece = pieces; piece != NULL; piece = piece->next)
	{
		RequestAddinShmemSpace(MAXALIGN(piece->size));
		RequestNamedLWLockTranche(piece->name, 1);
	}
}

static void
find_piece(const SharedPiece *piece)
{
	bool found;
	void *memory = ShmemInitStruct(piece->name, piece->size, &found);

	if (!found)
		memset(memory, 0, piece->size);
	piece->attach(memory, &GetNamedLWLockTranche(piece->name)->lock, !found);
}

static void
find_pieces(void)
{
	if (next_startup_hook != NULL)
		next_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	for (SharedPiece *piece = pieces; piece != NULL; piece = piece->next)
		find_piece(piece);
	LWLockRelease(AddinShmemInitLock);
}

void
preload_memory(SharedPiece *piece)
{
	piece->next = pieces;
	pieces = piece;
}

void
preload_install(void)
{
	chain_shmem_request(&next_request_hook, request_pieces);
	next_startup_hook = shmem_startup_hook;
	shmem_startup_hook = find_pieces;
}
