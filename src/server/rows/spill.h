/*
 * spill.h - a training set that is too large for memory, in a temporary file.
 *
 * The file is one of PostgreSQL's own: it lies in one of temp_tablespaces, counts against
 * temp_file_limit, and goes away with the query, the transaction or, after a crash, the
 * restart.  The solver process reads it by itself (solver_process.h); the leader of a parallel
 * query reads the files of its workers (rows_state.h).
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
	File file; /* 0: none yet */
	off_t size;
	off_t room; /* 0: it grows as it must */
} Spill;

extern void spill_init(Spill *spill);

/*
 * Makes a file that has this size from the beginning and keeps it: anybody may read in
 * pg_stat_database how large temporary files are, so that it must not depend on rows.  Nor may
 * it depend on them whether there is room for them: users decide how much their other files and
 * tables leave of temp_file_limit and of the disk, to a block.  More than that is an error.
 */
extern void spill_reserve(Spill *spill, off_t room);

/*
 * After the tick: anybody can see in pg_tablespace_size() when a file goes, and with log_temp_files
 * the caller gets a message.  Not needed where an error ends the transaction; the end of it closes
 * files itself.
 */
extern void spill_close(Spill *spill);

/* Its path below the data directory; NULL: there is none. */
extern const char *spill_path(const Spill *spill);

/*
 * How many bytes rows may take up before they are spilled: what PostgreSQL grants a hash table
 * (work_mem times hash_mem_multiplier), but at most an eighth of a limit of megabytes, if there is
 * one.  A backend may hold these rows twice while the solver runs, which is a quarter; the solver
 * may have the rest (spill_solver_share()).
 */
extern Size spill_limit(int megabytes);

/* The solver's share of a limit of megabytes for backend and solver together; 0: none. */
extern int spill_solver_share(int megabytes);

/*
 * The size of a file for all rows of a scan of at most most_rows rows, in at most sets sets of one
 * encoding; 0: they fit into limit bytes of memory whatever they are.  It depends on public numbers
 * and the declaration only.
 */
extern double spill_room(const Encoding *encoding, double most_rows, int sets, Size limit);

#endif
