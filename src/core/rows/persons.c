/*
 * persons.c - a heap of the kept rows, for one person after the other.
 *
 * The sort brings equal rows of a person together, which numbers them.  So the memory is that of
 * the sort and of one person's kept rows, however many persons there are and rows they have.
 */
#include "core/rows/persons.h"

#include <math.h>
#include <string.h>

#include "core/base/mutant.h"

#define INITIAL_ROWS 16
#define MOST_RUN_BYTES ((size_t) 32 * 1024 * 1024) /* one sort is not interrupted */

/* A row's place in the sort, beside the row. */
#define ENTRY_BYTES 16

/* A kept row. */
typedef struct Kept
{
	uint64_t priority;
	uint64_t content;
	uint16_t group;
	uint16_t bytes; /* of its record */
	uint32_t place;
} Kept;

struct Persons
{
	Memory *memory;
	Rows *rows; /* NULL with groups */
	Rows *const *group;
	int groups;
	uint32_t limit;
	bool distinct;
	SipKey person_key;
	SipKey content_key;
	SipKey priority_key;
	PersonsTake take; /* of values, instead of rows; or NULL */
	void *context;
	int64_t offered;
	int64_t entered;
	int32_t *x; /* of the row that is offered, and one more element, for the label */
	PersonRuns *runs;
	size_t record; /* bytes, at most */

	/* The person whose rows are being chosen. */
	uint64_t hash;
	uint8_t *name;
	uint32_t length;
	size_t name_capacity;
	uint64_t content; /* of the last row */
	uint64_t equal;   /* its number among its equals, from 1; 0: the person has had no row */
	Kept *kept;       /* a heap with the largest priority on top */
	uint8_t *records;
	uint32_t count;
	uint32_t capacity;
};

/* ---- what it takes ---- */

size_t
persons_row_bytes(const Encoding *encoding, size_t name)
{
	SpillShape shape = encoding_shape(encoding);

	return person_runs_row_bytes(spill_record_size(&shape), name);
}

double
persons_room(double rows, size_t row, size_t limit)
{
	return rows * (double) (row + ENTRY_BYTES) <= (double) limit ? 0 : rows * (double) row;
}

size_t
persons_run_bytes(double rows, size_t row, size_t limit)
{
	double run = sqrt(rows * (double) row * PERSON_RUNS_READ_BYTES);
	size_t least = limit < MOST_RUN_BYTES ? limit : MOST_RUN_BYTES;

	return run > (double) least ? (size_t) run : least;
}

double
persons_memory_at_most(double rows, size_t row, int k, size_t limit)
{
	double run = (double) persons_run_bytes(rows, row, limit);
	double all = rows * (double) (row + ENTRY_BYTES);
	double kept = k < rows ? k : rows;

	return 1.25 * (all <= (double) limit && all > run ? all : run) + 2 * kept * (double) row;
}

/* ---- beginning ---- */

static SipKey
derive_key(SipKey key, uint8_t purpose)
{
	uint8_t first[2] = {purpose, 0};
	uint8_t second[2] = {purpose, 1};

	return (SipKey){{siphash(key, first, sizeof(first)), siphash(key, second, sizeof(second))}};
}

Persons *
persons_create(int limit, const uint8_t key[PERSONS_KEY_LENGTH], Rows *rows,
			   const PersonsRoom *room, Memory *memory)
{
	Persons *persons = persons_create_groups(limit, key, &rows, 1, room, memory);

	persons->rows = rows;
	persons->group = &persons->rows;
	return persons;
}

static Persons *
create(int limit, const uint8_t key[PERSONS_KEY_LENGTH], size_t record, const PersonsRoom *room,
	   Memory *memory)
{
	Persons *persons = memory_allocate_zero(memory, 1, sizeof(Persons));
	SipKey all = siphash_key(key);

	persons->memory = memory;
	persons->limit = (uint32_t) limit;
	persons->person_key = derive_key(all, 0);
	persons->content_key = derive_key(all, 1);
	persons->priority_key = derive_key(all, 2);
	persons->record = record;
	persons->runs = person_runs_create(room, memory);
	return persons;
}

Persons *
persons_create_groups(int limit, const uint8_t key[PERSONS_KEY_LENGTH], Rows *const *groups,
					  int count, const PersonsRoom *room, Memory *memory)
{
	Persons *persons = create(limit, key, spill_record_size(&groups[0]->shape), room, memory);

	persons->group = groups;
	persons->groups = count;
	persons->x = memory_allocate_zero(memory, (size_t) groups[0]->stride + 1, sizeof(int32_t));
	return persons;
}

Persons *
persons_create_values(int limit, const uint8_t key[PERSONS_KEY_LENGTH], size_t longest,
					  PersonsTake take, void *context, const PersonsRoom *room, Memory *memory)
{
	Persons *persons = create(limit, key, longest, room, memory);

	persons->take = take;
	persons->context = context;
	persons->distinct = true;
	return persons;
}

void
persons_set_distinct(Persons *persons)
{
	persons->distinct = true;
}

/* ---- input ---- */

/* A row that was not kept becomes neutral; in a call with groups no set counts it. */
static void
add_neutral(Persons *persons, int64_t count)
{
	if (persons->rows != NULL)
		rows_add_neutral(persons->rows, count);
}

void
persons_offer(Persons *persons, int group, const uint8_t *person, uint32_t length,
			  const double *features, bool positive)
{
	const Rows *rows = persons->group[group];
	size_t stride = (size_t) rows->stride;
	RowCount label = {positive, !positive};
	int32_t *x = persons->x;
	PersonRow row;

	/* the padding after the last coordinate is always 0 */
	if (!encoding_apply(&rows->encoding, features, x))
	{
		add_neutral(persons, 1);
		return;
	}
	persons->offered++;
	x[stride] = 2 * group + (positive ? 1 : 0);
	row = (PersonRow){.hash = siphash(persons->person_key, person, length),
					  .content = siphash(persons->content_key, x, (stride + 1) * sizeof(int32_t)),
					  .length = length,
					  .group = (uint16_t) group,
					  .record = (uint16_t) persons->record};
	if (MUTANT(163))
		row.hash += (uint64_t) group << 32;
	spill_pack(&rows->shape, x, label, person_runs_add(persons->runs, &row, person)->bytes);
}

void
persons_offer_value(Persons *persons, const uint8_t *person, uint32_t length, const uint8_t *value,
					uint16_t bytes)
{
	PersonRow row = {.hash = siphash(persons->person_key, person, length),
					 .content = siphash(persons->content_key, value, bytes),
					 .length = length,
					 .record = bytes};

	persons->offered++;
	memcpy(person_runs_add(persons->runs, &row, person)->bytes, value, bytes);
}

/* ---- the rows of a person ---- */

/*
 * A total order up to equal rows: ties in priority are decided by content.  Equal rows are
 * interchangeable.
 */
static bool
before(const Kept *a, const Kept *b)
{
	return a->priority != b->priority ? a->priority < b->priority : a->content < b->content;
}

static void
sift_up(Kept *heap, uint32_t at)
{
	Kept moving = heap[at];

	for (; at > 0 && before(&heap[(at - 1) / 2], &moving); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = moving;
}

static void
sift_down(Kept *heap, uint32_t count)
{
	Kept moving = heap[0];
	uint32_t at = 0;

	for (uint32_t child = 1; child < count; child = 2 * at + 1)
	{
		if (child + 1 < count && before(&heap[child], &heap[child + 1]))
			child++;
		if (!before(&moving, &heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

static void
extend(Persons *persons)
{
	if (persons->count < persons->capacity)
		return;
	persons->capacity = persons->capacity > 0 ? 2 * persons->capacity : INITIAL_ROWS;
	persons->kept =
		memory_reallocate(persons->memory, persons->kept, persons->capacity, sizeof(Kept));
	persons->records =
		memory_reallocate(persons->memory, persons->records, persons->capacity, persons->record);
}

static void
store_record(Persons *persons, const Kept *kept, const uint8_t *record)
{
	memcpy(persons->records + kept->place * persons->record, record, kept->bytes);
}

static void
keep(Persons *persons, Kept kept, const uint8_t *record)
{
	if (persons->count < persons->limit)
	{
		extend(persons);
		kept.place = persons->count;
		store_record(persons, &kept, record);
		persons->kept[persons->count] = kept;
		sift_up(persons->kept, persons->count++);
	}
	else if (before(&kept, &persons->kept[0]))
	{
		kept.place = persons->kept[0].place;
		store_record(persons, &kept, record);
		persons->kept[0] = kept;
		sift_down(persons->kept, persons->count);
	}
}

static void
end_person(Persons *persons)
{
	for (uint32_t i = 0; i < persons->count; i++)
	{
		const Kept *kept = &persons->kept[i];
		const uint8_t *record = persons->records + kept->place * persons->record;

		if (persons->take != NULL)
			persons->take(persons->context, record, kept->bytes);
		else
			rows_add_record(persons->group[kept->group], record);
	}
	persons->entered += persons->count;
	persons->count = 0;
	persons->equal = 0;
}

static bool
is_same_person(const Persons *persons, const PersonRow *row)
{
	return persons->equal > 0 && row->hash == persons->hash && row->length == persons->length &&
		   memcmp(person_runs_name(row), persons->name, row->length) == 0;
}

static void
begin_person(Persons *persons, const PersonRow *row)
{
	end_person(persons);
	if (row->length >= persons->name_capacity)
	{
		persons->name_capacity = 2 * (size_t) row->length + INITIAL_ROWS;
		memory_release(persons->memory, persons->name);
		persons->name = memory_allocate(persons->memory, persons->name_capacity, 1);
	}
	memcpy(persons->name, person_runs_name(row), row->length);
	persons->hash = row->hash;
	persons->length = row->length;
}

/* Equal rows of a person follow one another. */
static void
settle(Persons *persons, const PersonRow *row)
{
	uint64_t identity[3] = {row->hash, row->content};
	Kept kept = {.content = row->content, .group = row->group, .bytes = row->record};

	if (!is_same_person(persons, row))
		begin_person(persons, row);
	persons->equal =
		persons->equal > 0 && row->content == persons->content ? persons->equal + 1 : 1;
	persons->content = row->content;
	if (persons->distinct && persons->equal > 1 && !MUTANT(400))
		return;
	identity[2] = MUTANT(16) ? 1 : persons->equal;
	if (MUTANT(15))
		identity[2] = (uint64_t) (persons->offered + persons->entered);
	kept.priority = siphash(persons->priority_key, identity, sizeof(identity));
	keep(persons, kept, row->bytes);
}

void
persons_finish(Persons *persons)
{
	const PersonRow *row;

	person_runs_finish(persons->runs);
	while ((row = person_runs_next(persons->runs)) != NULL)
		settle(persons, row);
	end_person(persons);
	add_neutral(persons, persons->offered - persons->entered);
	for (int i = 0; i < persons->groups; i++)
		rows_flush(persons->group[i]);
}
