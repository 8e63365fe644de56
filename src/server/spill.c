/*
 * spill.c - records appended to a temporary file.
 */
#include "spill.h"

#include <fcntl.h>

#include "commands/tablespace.h"
#include "miscadmin.h"

#include "compat.h"

/* Waits show in pg_stat_activity by their event; these have none. */
#define NO_WAIT_EVENT 0

/* Says nothing about the rows: an errno and no more. */
static void
report_failure(void)
{
	if (errno == 0)
		errno = ENOSPC;
	ereport(ERROR, (errcode_for_file_access(), errmsg("could not write to a temporary file: %m")));
}

static void
open_file(Spill *spill)
{
	PrepareTempTablespaces();
	spill->file = OpenTemporaryFile(false);
}

static void
write_at(File file, off_t offset, const char *bytes, size_t count)
{
	while (count > 0)
	{
		int written;

		errno = 0;
		written = FileWrite(file, (char *) bytes, (int) count, offset, NO_WAIT_EVENT);
		if (written <= 0)
			report_failure();
		bytes += written;
		offset += written;
		count -= written;
	}
}

static void
append(SpillSink *self, const void *records, size_t bytes)
{
	Spill *spill = (Spill *) self;

	if (spill->file == 0)
		open_file(spill);
	if (spill->room > 0 && bytes > spill->room - spill->size)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the table has more rows than its size allows for")));
	write_at(spill->file, spill->size, records, bytes);
	spill->size += bytes;
}

void
spill_init(Spill *spill)
{
	*spill = (Spill){.sink = {append}};
}

/* Blocks of the disk, for all that may be written. */
static void
allocate(File file, off_t room)
{
	int result;

	do
	{
		CHECK_FOR_INTERRUPTS();
		result = posix_fallocate(FileGetRawDesc(file), 0, room);
	} while (result == EINTR);
	errno = result;
	if (result != 0)
		report_failure();
}

/*
 * The last byte makes all of the file count against temp_file_limit.  Once that and the disk have
 * room for it, no other write can be one too many.
 */
void
spill_reserve(Spill *spill, off_t room)
{
	open_file(spill);
	spill->room = room;
	write_at(spill->file, room - 1, "", 1);
	allocate(spill->file, room);
}

void
spill_close(Spill *spill)
{
	if (spill->file != 0)
		FileClose(spill->file);
	spill->file = 0;
}

const char *
spill_path(const Spill *spill)
{
	return spill->file == 0 ? NULL : FilePathName(spill->file);
}

Size
spill_limit(int megabytes)
{
	Size limit = get_hash_memory_limit();

	return megabytes == 0 ? limit : Min(limit, (Size) megabytes * (1024 * 1024 / 8));
}
