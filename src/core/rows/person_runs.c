/*
 * person_runs.c - an external merge sort.
 */
#include "core/rows/person_runs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"

#define WRITE_BYTES (64 * 1024)     /* at a time */
#define MOST_READ_BYTES (64 * 1024) /* of each run at a time, unless a row has more */
#define PAUSE_ROWS 1024
#define ALIGNMENT 8

/* A row of the run that is being filled; the hash decides most comparisons. */
typedef struct Entry
{
	uint64_t hash;
	const PersonRow *row;
} Entry;

/* A sorted run, in memory or in the file, and its first row that has not been taken. */
typedef struct Run
{
	const PersonRow *now; /* NULL: all rows have been taken */
	const Entry *entry;   /* in memory: the row's, of those up to end; NULL in the file */
	const Entry *end;
	uint64_t offset; /* in the file: of the bytes that have not been read */
	uint64_t left;   /* number of these */
	size_t longest;  /* bytes of a row, at most */
	uint8_t *buffer; /* of bytes that have been read */
	size_t size;
	size_t filled;
	size_t at; /* of the row in the buffer */
} Run;

struct PersonRuns
{
	Memory *memory;
	PersonsRoom room;
	uint64_t written; /* bytes in the file */

	/* The run that is being filled: rows from the front of the buffer, their entries from its end.
	 */
	uint8_t *buffer;
	size_t size;
	size_t used; /* by rows */
	size_t rows;
	size_t longest;

	uint8_t *staging; /* WRITE_BYTES, if there is a sink */
	size_t staged;

	Run *run;
	size_t count;
	size_t capacity;
	size_t *heap; /* numbers of runs that have rows, that with the first row on top */
	size_t heap_count;
	bool started; /* the row on top has been given out */
	uint32_t taken;
};

/* ---- rows ---- */

size_t
person_runs_row_bytes(size_t record, size_t length)
{
	return (sizeof(PersonRow) + record + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t
row_bytes(const PersonRow *row)
{
	return person_runs_row_bytes(row->record, row->length);
}

const uint8_t *
person_runs_name(const PersonRow *row)
{
	return row->bytes + row->record;
}

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Persons by their hashes, then by their bytes; equal rows are next to each other. */
static int
compare_rows(const PersonRow *a, const PersonRow *b)
{
	int order = compare_numbers(a->hash, b->hash);

	if (order == 0)
		order = compare_numbers(a->length, b->length);
	if (order == 0)
		order = memcmp(person_runs_name(a), person_runs_name(b), a->length);
	if (order == 0)
		order = compare_numbers(a->content, b->content);
	if (order == 0)
		order = compare_numbers(a->group, b->group);
	if (order == 0)
		order = compare_numbers(a->record, b->record);
	return order != 0 ? order : memcmp(a->bytes, b->bytes, a->record);
}

static int
compare_entries(const void *a, const void *b)
{
	const Entry *first = a;
	const Entry *second = b;

	if (first->hash != second->hash)
		return compare_numbers(first->hash, second->hash);
	return compare_rows(first->row, second->row);
}

/* ---- filling ---- */

static void
buffer_begin(PersonRuns *runs, size_t needed)
{
	size_t size = runs->room.run > needed ? runs->room.run : needed;

	runs->size = size / ALIGNMENT * ALIGNMENT;
	runs->buffer = memory_allocate(runs->memory, runs->size, 1);
	runs->used = runs->rows = runs->longest = 0;
}

PersonRuns *
person_runs_create(const PersonsRoom *room, Memory *memory)
{
	PersonRuns *runs = memory_allocate_zero(memory, 1, sizeof(PersonRuns));

	runs->memory = memory;
	runs->room = *room;
	buffer_begin(runs, 0);
	if (room->sink != NULL)
		runs->staging = memory_allocate(memory, WRITE_BYTES, 1);
	return runs;
}

static Run *
add_run(PersonRuns *runs)
{
	if (runs->count == runs->capacity)
	{
		runs->capacity = runs->capacity > 0 ? 2 * runs->capacity : 16;
		runs->run = memory_reallocate(runs->memory, runs->run, runs->capacity, sizeof(Run));
	}
	runs->run[runs->count] = (Run){.longest = runs->longest};
	return &runs->run[runs->count++];
}

static void
write_staged(PersonRuns *runs)
{
	if (runs->staged > 0)
		runs->room.sink->append(runs->room.sink, runs->staging, runs->staged);
	runs->staged = 0;
}

static void
write_row(PersonRuns *runs, const PersonRow *row)
{
	size_t bytes = row_bytes(row);

	if (bytes > WRITE_BYTES - runs->staged)
		write_staged(runs);
	if (bytes > WRITE_BYTES)
	{
		runs->room.sink->append(runs->room.sink, row, bytes);
		return;
	}
	memcpy(runs->staging + runs->staged, row, bytes);
	runs->staged += bytes;
}

static bool
fits_sink(const PersonRuns *runs)
{
	const SpillSink *sink = runs->room.sink;

	return sink != NULL && (sink->fits == NULL || sink->fits(sink, runs->used));
}

/* Sorts the rows in the buffer, which then stays if false is returned. */
static bool
end_run(PersonRuns *runs)
{
	Entry *entry = (Entry *) (runs->buffer + runs->size) - runs->rows;
	Run *run = add_run(runs);

	take_pause(runs->memory->pause);
	qsort(entry, runs->rows, sizeof(Entry), compare_entries);
	if (!fits_sink(runs))
	{
		run->entry = entry;
		run->end = entry + runs->rows;
		return false;
	}
	for (size_t i = 0; i < runs->rows; i++)
		write_row(runs, entry[i].row);
	write_staged(runs);
	run->offset = runs->written;
	run->left = runs->used;
	runs->written += runs->used;
	return true;
}

static void
make_room(PersonRuns *runs, size_t needed)
{
	if (runs->rows == 0 || end_run(runs))
		memory_release(runs->memory, runs->buffer);
	buffer_begin(runs, needed);
}

PersonRow *
person_runs_add(PersonRuns *runs, const PersonRow *header, const uint8_t *person)
{
	size_t bytes = row_bytes(header);
	size_t end = sizeof(PersonRow) + header->record + header->length;
	PersonRow *row;

	if (bytes + sizeof(Entry) > runs->size - runs->used - runs->rows * sizeof(Entry))
		make_room(runs, bytes + sizeof(Entry));
	row = (PersonRow *) (runs->buffer + runs->used);
	*row = *header;
	memcpy(row->bytes + row->record, person, header->length);
	memset((uint8_t *) row + end, 0, bytes - end);
	runs->used += bytes;
	runs->rows++;
	((Entry *) (runs->buffer + runs->size))[-(ptrdiff_t) runs->rows] = (Entry){row->hash, row};
	runs->longest = bytes > runs->longest ? bytes : runs->longest;
	return row;
}

/* ---- merging ---- */

/* Reads until the row at the front of the buffer is whole; its end is that of the bytes read. */
static void
read_more(PersonRuns *runs, Run *run)
{
	size_t kept = run->filled - run->at;
	size_t bytes = run->size - kept;

	if (bytes > run->left)
		bytes = (size_t) run->left;
	memmove(run->buffer, run->buffer + run->at, kept);
	runs->room.source->read(runs->room.source, run->offset, bytes, run->buffer + kept);
	run->offset += bytes;
	run->left -= bytes;
	run->filled = kept + bytes;
	run->at = 0;
}

static bool
is_whole(const Run *run)
{
	size_t bytes = run->filled - run->at;

	return bytes >= sizeof(PersonRow) &&
		   bytes >= row_bytes((const PersonRow *) (run->buffer + run->at));
}

static void
find_row(PersonRuns *runs, Run *run)
{
	if (run->buffer == NULL)
	{
		run->now = run->entry < run->end ? run->entry->row : NULL;
		return;
	}
	if (!is_whole(run) && run->left > 0)
		read_more(runs, run);
	run->now = run->at < run->filled ? (const PersonRow *) (run->buffer + run->at) : NULL;
}

static void
take_row(PersonRuns *runs, Run *run)
{
	if (run->buffer == NULL)
		run->entry++;
	else
		run->at += row_bytes(run->now);
	find_row(runs, run);
}

/* The memory of a run is shared by all that are in the file. */
static void
open_run(PersonRuns *runs, Run *run)
{
	size_t share = runs->room.run / runs->count / ALIGNMENT * ALIGNMENT;

	if (run->entry == NULL)
	{
		share = share < PERSON_RUNS_READ_BYTES ? PERSON_RUNS_READ_BYTES : share;
		share = share > MOST_READ_BYTES ? MOST_READ_BYTES : share;
		run->size = run->longest > share ? run->longest : share;
		run->buffer = memory_allocate(runs->memory, run->size, 1);
	}
	find_row(runs, run);
}

static bool
before(const PersonRuns *runs, size_t a, size_t b)
{
	const PersonRow *first = runs->run[a].now;
	const PersonRow *second = runs->run[b].now;

	if (first->hash != second->hash)
		return first->hash < second->hash;
	return compare_rows(first, second) < 0;
}

static void
sift_down(PersonRuns *runs, size_t at)
{
	size_t moving = runs->heap[at];

	for (size_t child = 2 * at + 1; child < runs->heap_count; child = 2 * at + 1)
	{
		if (child + 1 < runs->heap_count && before(runs, runs->heap[child + 1], runs->heap[child]))
			child++;
		if (!before(runs, runs->heap[child], moving))
			break;
		runs->heap[at] = runs->heap[child];
		at = child;
	}
	runs->heap[at] = moving;
}

/* All runs go to the file if they fit, even one that has no successor: nothing else shows there. */
void
person_runs_finish(PersonRuns *runs)
{
	if (runs->rows == 0 || end_run(runs))
		memory_release(runs->memory, runs->buffer);
	memory_release(runs->memory, runs->staging);
	runs->heap = memory_allocate(runs->memory, runs->count, sizeof(size_t));
	for (size_t i = 0; i < runs->count; i++)
	{
		open_run(runs, &runs->run[i]);
		runs->heap[runs->heap_count++] = i;
	}
	for (size_t i = runs->heap_count / 2; i > 0; i--)
		sift_down(runs, i - 1);
}

const PersonRow *
person_runs_next(PersonRuns *runs)
{
	Run *first;

	if (runs->heap_count == 0)
		return NULL;
	first = &runs->run[runs->heap[0]];
	if (runs->started)
	{
		take_row(runs, first);
		if (first->now == NULL)
			runs->heap[0] = runs->heap[--runs->heap_count];
		if (runs->heap_count == 0)
			return NULL;
		if (!MUTANT(371))
			sift_down(runs, 0);
	}
	runs->started = true;
	if (++runs->taken % PAUSE_ROWS == 0)
		take_pause(runs->memory->pause);
	return runs->run[runs->heap[0]].now;
}
