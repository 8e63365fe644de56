/*
 * spill.h - a training set that is too large for memory, in a temporary file.
 *
 * PostgreSQL manages the file: it lies in one of temp_tablespaces, counts against temp_file_limit,
 * and goes away with the query, the transaction or, after a crash, the restart.  The solver process
 * reads it (solver_process.h); the leader of a parallel query reads the files of its workers
 * (rows_state.h).
 */
#ifndef DPOBJ_SPILL_H
#define DPOBJ_SPILL_H

#include "postgres.h"

#include "storage/fd.h"

#include "core/rows/encoding.h"
#include "core/rows/spill.h"

typedef struct Spill
{
	SpillSink sink;
	SpillSource source; /* reads records back, in this process */
	File file;          /* 0 before the first record or spill_reserve() */
	off_t size;
	off_t room; /* from spill_reserve(); 0: the file grows with its records */
} Spill;

extern void spill_init(Spill *spill);

/*
 * Makes a file that has this size from the beginning and keeps it.  Anybody can read the size of
 * temporary files in pg_stat_database, so it must not depend on rows.  Whether there is room must
 * not depend on rows either: users can fill temp_file_limit and the disk to within a block. Records
 * beyond it do not fit.
 */
extern void spill_reserve(Spill *spill, off_t room);

/* What the source does. */
extern void spill_read(const Spill *spill, off_t offset, void *records, size_t bytes);

/*
 * Call it after the tick: anybody can see in pg_tablespace_size() when a file goes, and with
 * log_temp_files the caller gets a message.  An error closes the file at the end of the
 * transaction.
 */
extern void spill_close(Spill *spill);

/* The path of the file below the data directory; NULL if there is no file. */
extern const char *spill_path(const Spill *spill);

/*
 * The bytes that rows may take before they are spilled: what PostgreSQL grants a hash table
 * (work_mem times hash_mem_multiplier), but at most an eighth of a limit of megabytes, if it is not
 * 0.  A backend may hold these rows twice while the solver runs, which makes a quarter; the solver
 * may have the rest (spill_solver_share()).
 */
extern Size spill_limit(int megabytes);

/* The solver's share of a limit of megabytes for backend and solver together; 0 is no limit. */
extern int spill_solver_share(int megabytes);

/*
 * The size of a file for a scan of at most most_rows rows into at most sets sets of one encoding; 0
 * if they fit into limit bytes of memory in any case.  It depends on public numbers only.
 */
extern double spill_room(const Encoding *encoding, double most_rows, int sets, Size limit);

#endif
