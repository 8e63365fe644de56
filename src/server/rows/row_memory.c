/*
 * row_memory.c - the memory that rows take in this process.
 */
#include "server/rows/row_memory.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/uuid.h"

#include "core/looks/discovered.h"
#include "core/mechanisms/run_terms.h"
#include "core/rows/persons.h"

#include "server/rows/scan.h"
#include "server/rows/scan_state.h"

/* Of so many times the declared rows a run takes as many times as long. */
#define MOST_OF_DECLARED 2

/* Bytes of a text that names a person, such as a UUID; longer ones take room of other rows. */
#define TEXT_BYTES 40

int64
row_memory_rows(int64 declared)
{
	return declared > 0 ? MOST_OF_DECLARED * declared : RUN_ASSUMED_ROWS;
}

void
row_memory_refuse(double bytes, int megabytes, int64 rows, const char *hint)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("the memory limit of %d MiB is too low for this call", megabytes),
		 errdetail("It may need %.0f MiB.", ceil(bytes / (1 << 20))),
		 errhint("%s%sOtherwise a superuser raises dpobj.memory_limit.",
				 rows > 0 ? "" : "Declare the rows as \"n\" if there are fewer than a million. ",
				 hint)));
}

double
row_memory_of_persons(int most, const Encoding *encoding, int64 declared, int megabytes)
{
	if (most == 0)
		return 0;
	return persons_memory_at_most((double) row_memory_rows(declared),
								  persons_row_bytes(encoding, TEXT_BYTES), most,
								  spill_limit(megabytes));
}

void
row_memory_check(int most, const Encoding *encoding, int64 declared, int megabytes)
{
	double bytes = 2 * row_memory_of_persons(most, encoding, declared, megabytes);

	if (megabytes == 0)
		return;
	if (bytes > (double) megabytes * (1 << 20))
		row_memory_refuse(bytes, megabytes, declared,
						  "A smaller number of rows of each person takes less. ");
}

void
row_memory_check_levels(int most, int64 declared, int megabytes)
{
	double rows = (double) row_memory_rows(declared);
	double bytes = levels_memory_at_most(rows, TEXT_BYTES);

	if (most > 0)
		bytes =
			Max(bytes, persons_memory_at_most(rows, person_runs_row_bytes(TEXT_BYTES, TEXT_BYTES),
											  most, spill_limit(megabytes)));
	if (megabytes > 0 && 2 * bytes > (double) megabytes * (1 << 20))
		row_memory_refuse(2 * bytes, megabytes, declared, "");
}

/* ---- the room of a scan ---- */

static size_t
name_bytes(const Column *column)
{
	if (column->type == UUIDOID)
		return UUID_LEN;
	if (column->kind == COLUMN_TEXT || column->kind == COLUMN_ENUM || column->type == BYTEAOID)
		return TEXT_BYTES;
	return sizeof(uint64);
}

void
scan_make_room(Scan *scan, const Encoding *encoding, int64 declared, int megabytes)
{
	Size limit = spill_limit(megabytes);
	double rows;
	double room;
	size_t row;

	if (scan->shape->person == NULL)
		return;
	rows = (double) (scan->rows > 0 ? scan->rows : row_memory_rows(declared)) *
		   scan_places_here(scan) / scan_places(scan);
	row = persons_row_bytes(encoding, name_bytes(scan->shape->person));
	if (scan->shape->level != NULL)
		row =
			person_runs_row_bytes(name_bytes(scan->shape->level), name_bytes(scan->shape->person));
	room = persons_room(rows, row, limit);
	scan->room = (PersonsRoom){.run = persons_run_bytes(rows, row, limit)};
	spill_init(&scan->spill);
	if (room == 0)
		return;
	spill_reserve(&scan->spill, (off_t) room);
	scan->room.sink = &scan->spill.sink;
	scan->room.source = &scan->spill.source;
}

void
scan_end_room(Scan *scan)
{
	spill_close(&scan->spill);
}
