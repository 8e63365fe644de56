/*
 * person_runs.h - sorts the rows of persons, in memory and in a file.
 *
 * Rows fill a run of a fixed size in memory.  A full run is sorted and appended to the sink; if the
 * sink has no room for it, it stays in memory.  In the end all runs are merged.  The order is total
 * up to equal rows, so it does not depend on what was written.
 */
#ifndef DPOBJ_CORE_PERSON_RUNS_H
#define DPOBJ_CORE_PERSON_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/rows/spill.h"

/* What the runs may take. */
typedef struct PersonsRoom
{
	size_t run;          /* bytes of a run in memory (persons_run_bytes()) */
	SpillSink *sink;     /* takes the runs, and nothing else; NULL: all stay in memory */
	SpillSource *source; /* reads what the sink has, from its beginning */
} PersonsRoom;

/* A row: a record of core/rows/spill.h, or another value, then the person's bytes. */
typedef struct PersonRow
{
	uint64_t hash;    /* of the person */
	uint64_t content; /* hash of row and label */
	uint32_t length;  /* of the person's bytes */
	uint16_t group;
	uint16_t record; /* bytes */
	uint8_t bytes[];
} PersonRow;

typedef struct PersonRuns PersonRuns;

extern PersonRuns *person_runs_create(const PersonsRoom *room, Memory *memory);

/* Bytes of a row whose person has so many bytes, in a run. */
extern size_t person_runs_row_bytes(size_t record, size_t length);

/* Adds a row; the caller fills the bytes of its record. */
extern PersonRow *person_runs_add(PersonRuns *runs, const PersonRow *header, const uint8_t *person);

/* The person's bytes. */
extern const uint8_t *person_runs_name(const PersonRow *row);

/*
 * No row can be added afterwards.  The rows come in the order of their persons, and those of one
 * person in the order of their contents; NULL after the last one.  A row is valid until the next
 * call.
 */
extern void person_runs_finish(PersonRuns *runs);
extern const PersonRow *person_runs_next(PersonRuns *runs);

/* The least bytes of each run that are read at a time. */
#define PERSON_RUNS_READ_BYTES 8192

#endif
