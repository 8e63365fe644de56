/*
 * spill.c - appends records to a temporary file.
 */
#include "server/rows/spill.h"

#include <fcntl.h>

#include "catalog/pg_tablespace_d.h"
#include "commands/tablespace.h"
#include "miscadmin.h"

#include "core/rows/rows.h"

#include "server/base/compat.h"

/* Waits for these writes have no event in pg_stat_activity. */
#define NO_WAIT_EVENT 0

/* The tablespace of a temporary file, found in its path below the data directory. */
static const char *
tablespace_name(const char *path)
{
	const char *name;
	Oid tablespace = DEFAULTTABLESPACE_OID;

	(void) sscanf(path, "pg_tblspc/%u/", &tablespace);
	name = get_tablespace_name(tablespace);
	return name == NULL ? "?" : name;
}

/* The error says nothing about rows: it has errno, the file and the size, which anybody can see. */
static void
report_failure(const Spill *spill, off_t size)
{
	const char *path = spill_path(spill);
	bool is_full;

	if (errno == 0)
		errno = ENOSPC;
	is_full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
	ereport(ERROR,
			(is_full ? errcode(ERRCODE_DISK_FULL) : errcode_for_file_access(),
			 errmsg("could not write to temporary file \"%s\": %m", path),
			 errdetail("The file is in tablespace \"%s\" and was to have " INT64_FORMAT " bytes.",
					   tablespace_name(path), (int64) size),
			 is_full ? errhint("Make room there, or set temp_tablespaces.") : 0));
}

static void
open_file(Spill *spill)
{
	PrepareTempTablespaces();
	spill->file = OpenTemporaryFile(false);
}

static void
write_at(const Spill *spill, off_t offset, const char *bytes, size_t count)
{
	while (count > 0)
	{
		int written;

		errno = 0;
		written = FileWrite(spill->file, (char *) bytes, (int) count, offset, NO_WAIT_EVENT);
		if (written <= 0)
			report_failure(spill, offset + count);
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
	write_at(spill, spill->size, records, bytes);
	spill->size += bytes;
}

static bool
fits(const SpillSink *self, size_t bytes)
{
	const Spill *spill = (const Spill *) self;

	return spill->room == 0 || bytes <= (size_t) (spill->room - spill->size);
}

static void
read_back(SpillSource *self, uint64_t offset, size_t bytes, void *records)
{
	const Spill *spill = (const Spill *) ((char *) self - offsetof(Spill, source));

	spill_read(spill, (off_t) offset, records, bytes);
}

void
spill_init(Spill *spill)
{
	*spill = (Spill){.sink = {append, fits}, .source = {read_back}};
}

/* Allocates blocks of the disk for all of the file. */
static void
allocate(const Spill *spill)
{
	int result;

	do
	{
		CHECK_FOR_INTERRUPTS();
		result = posix_fallocate(FileGetRawDesc(spill->file), 0, spill->room);
	} while (result == EINTR);
	errno = result;
	if (result != 0)
		report_failure(spill, spill->room);
}

/*
 * Writing the last byte makes all of the file count against temp_file_limit.  If this limit and the
 * disk have room for it now, no later write can fail for want of room.
 */
void
spill_reserve(Spill *spill, off_t room)
{
	open_file(spill);
	spill->room = room;
	write_at(spill, room - 1, "", 1);
	allocate(spill);
}

void
spill_read(const Spill *spill, off_t offset, void *records, size_t bytes)
{
	while (bytes > 0)
	{
		int most = (int) Min(bytes, (size_t) PG_INT32_MAX);
		int got = FileRead(spill->file, records, most, offset, NO_WAIT_EVENT);

		if (got <= 0)
			ereport(ERROR, (errcode_for_file_access(),
							errmsg("could not read from a temporary file: %m")));
		records = (char *) records + got;
		offset += got;
		bytes -= got;
	}
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

int
spill_solver_share(int megabytes)
{
	return megabytes - megabytes / 4;
}

double
spill_room(const Encoding *encoding, double most_rows, int sets, Size limit)
{
	SpillShape shape = encoding_shape(encoding);
	double distinct = Min(most_rows, sets * encoding_most_distinct(encoding));

	if (distinct * rows_bytes_per_row(encoding) <= limit)
		return 0;
	return most_rows * spill_record_size(&shape);
}
