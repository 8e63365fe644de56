/*
 * compat.h - every place where PostgreSQL 13 to 18 differ for us, and no other
 * file asks for the version.  The names are those of the newest version, or say
 * what is wanted; scripts/majors.sh builds and tests the others.
 */
#ifndef DPOBJ_COMPAT_H
#define DPOBJ_COMPAT_H

#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/numeric.h"

#if PG_VERSION_NUM >= 140000
#include "common/cryptohash.h"
#endif
#include "common/sha2.h"
#if PG_VERSION_NUM >= 170000
#include "utils/wait_event.h"
#endif

#if PG_VERSION_NUM < 130000 || PG_VERSION_NUM >= 190000
#error "dpobj needs PostgreSQL 13 to 18"
#endif

/* ---- The module ------------------------------------------------------------- */

/* The magic block has had the name and version of the module since PostgreSQL 18. */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* The prefix of settings was reserved by another name before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* Shared memory has been asked for in a hook of its own since PostgreSQL 15, before at once. */
#if PG_VERSION_NUM < 150000
typedef void (*shmem_request_hook_type)(void);
#endif

/* request calls *next first, unless it is null. */
static inline void
chain_shmem_request(shmem_request_hook_type *next, shmem_request_hook_type request)
{
#if PG_VERSION_NUM >= 150000
	*next = shmem_request_hook;
	shmem_request_hook = request;
#else
	*next = NULL;
	request();
#endif
}

/* ---- Settings --------------------------------------------------------------- */

/* The setting that pushes whole plans into a worker. */
#if PG_VERSION_NUM >= 160000
#define FORCE_PARALLEL "debug_parallel_query"
#else
#define FORCE_PARALLEL "force_parallel_mode"
#endif

/* A limit on whole transactions is new in PostgreSQL 17; before, no timeout is armed in workers. */
#if PG_VERSION_NUM >= 170000
#define TRANSACTION_TIMEOUT "transaction_timeout"
#else
#define TRANSACTION_TIMEOUT "statement_timeout"
#endif

/* work_mem times hash_mem_multiplier, in bytes. */
#if PG_VERSION_NUM < 150000
#define get_hash_memory_limit() ((Size) get_hash_mem() * 1024)
#endif

/* ---- The server ------------------------------------------------------------- */

/* The timeline was a global variable before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define GetWALInsertionTimeLine() ThisTimeLineID
#endif

/* Extensions name their wait events since PostgreSQL 17. */
#if PG_VERSION_NUM < 170000
#define WaitEventExtensionNew(name) PG_WAIT_EXTENSION
#endif

#if PG_VERSION_NUM >= 160000
#define owns_table(table, role) object_ownercheck(RelationRelationId, table, role)
#else
#define owns_table(table, role) pg_class_ownercheck(table, role)
#endif

/* ---- Values ----------------------------------------------------------------- */

/* numeric has had infinities since PostgreSQL 14. */
#if PG_VERSION_NUM < 140000
#define numeric_is_inf(value) false
#endif

/* SHA-256 was a plain function before PostgreSQL 14, and cannot fail there. */
static inline bool
sha256(const uint8 *bytes, Size length, uint8 digest[PG_SHA256_DIGEST_LENGTH])
{
#if PG_VERSION_NUM >= 140000
	pg_cryptohash_ctx *context = pg_cryptohash_create(PG_SHA256);
	bool done = context != NULL && pg_cryptohash_init(context) >= 0 &&
				pg_cryptohash_update(context, bytes, length) >= 0 &&
				pg_cryptohash_final(context, digest, PG_SHA256_DIGEST_LENGTH) >= 0;

	pg_cryptohash_free(context);
	return done;
#else
	pg_sha256_ctx context;

	pg_sha256_init(&context);
	pg_sha256_update(&context, bytes, length);
	pg_sha256_final(&context, digest);
	return true;
#endif
}

#endif
