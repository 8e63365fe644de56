/*
 * row_memory.c - the memory that rows take in this process.
 */
#include "server/rows/row_memory.h"

#include <math.h>

#include "core/mechanisms/run_terms.h"
#include "core/rows/rows.h"

/*
 * Bytes of a person with a row that competes (core/rows/persons.h): 110 were measured for six
 * million, and arrays double.
 */
#define PERSONS_ROW_BYTES 160.0
#define DOUBLING 2.0

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

/* Half of the limit is for the choice of rows, the other half for those that were chosen. */
void
row_memory_check(const char *person, const Encoding *encoding, int64 rows, int megabytes)
{
	double count = (double) (rows > 0 ? rows : RUN_ASSUMED_ROWS);
	double distinct = Min(count, encoding_most_distinct(encoding));
	double bytes =
		2 * Max(count * PERSONS_ROW_BYTES, DOUBLING * distinct * rows_bytes_per_row(encoding));

	if (person == NULL || megabytes == 0)
		return;
	if (bytes > (double) megabytes * (1 << 20))
		row_memory_refuse(bytes, megabytes, rows, "");
}
