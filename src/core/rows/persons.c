/*
 * persons.c - a heap of the kept rows for each person.
 *
 * One pass is enough: a kept row becomes one of the distinct rows of the training set at once, and
 * is counted at the end.
 *
 * The number of a row among its equals must not depend on which rows were kept, so equal rows are
 * counted (Tally).  While all equal rows of a person are kept and k is small, a search through the
 * kept rows replaces the tally.
 */
#include "core/rows/persons.h"

#include <string.h>

#include "core/base/mutant.h"

/* Up to this k a search through the person's kept rows counts equal rows, instead of the tally. */
#define LOOK_THROUGH_MAX 16

#define INITIAL_PERSONS 256
#define NUMBERS_MAX (UINT32_C(1) << 30) /* with twice as many slots, 31 bits number them */
#define BLOCK_SIZES 32
#define BATCH 16

/* A kept row. */
typedef struct Kept
{
	uint64_t priority;
	uint64_t content; /* hash of row and label */
	uint32_t row;     /* among the distinct rows of its group */
	uint16_t group;
	bool positive;
} Kept;

typedef struct Person
{
	uint64_t hash;
	uint64_t identity; /* the bytes themselves if they are at most eight, else their offset in
						  Persons.bytes */
	uint32_t length;
	uint32_t kept;      /* number of kept rows */
	uint32_t block;     /* the rows' block in the pool: a heap with the largest priority on top */
	uint8_t block_size; /* binary logarithm of the block's length in rows */
	bool tallied;       /* some of this person's rows are in the tally */
} Person;

/*
 * A row of a batch.  Each lookup in the tables is likely to miss the cache, so the rows of a batch
 * go through the lookups together and prefetch the memory of the next one.
 */
typedef struct Waiting
{
	uint64_t hash; /* of the person */
	size_t name;   /* offset of the person's bytes in names */
	uint32_t length;
	uint32_t number; /* of the person */
	uint32_t row_hash;
	Kept kept;
} Waiting;

/* The number of equal rows of a person seen so far; 0 in a free slot. */
typedef struct Tally
{
	uint64_t content;
	uint32_t person;
	uint32_t seen;
} Tally;

struct Persons
{
	Memory *memory;
	Rows *rows; /* NULL with groups */
	Rows *const *group;
	int groups;
	uint32_t limit;
	SipKey person_key;
	SipKey content_key;
	SipKey priority_key;
	int64_t offered;

	int waiting;
	Waiting batch[BATCH];
	int32_t *x; /* of the batch; each has one more element than a row, for the label */
	uint8_t *names;
	size_t names_used;
	size_t names_capacity;

	Person *person;
	uint32_t count;
	size_t capacity;
	uint64_t *slot; /* open addressing: hash in the upper half, person + 1 below */
	uint32_t slot_mask;
	uint8_t *bytes; /* identities longer than eight bytes */
	size_t bytes_used;
	size_t bytes_capacity;

	Kept *pool; /* blocks of 2^i rows */
	size_t pool_used;
	size_t pool_capacity;
	/*
	 * First free block of each size, plus 1; the field row of a free block's first element is the
	 * next one.
	 */
	uint32_t free_block[BLOCK_SIZES];

	Tally *tally; /* open addressing */
	uint32_t tallies;
	uint32_t tally_mask;
};

/* ---- memory ---- */

/* Makes room for more elements; if their number overflows, the allocation fails. */
static void *
grow(Persons *persons, void *block, size_t size, size_t needed, size_t *capacity)
{
	size_t more = *capacity > 0 ? *capacity : INITIAL_PERSONS;

	if (needed <= *capacity)
		return block;
	while (more < needed)
		more = more > SIZE_MAX / 2 ? SIZE_MAX : 2 * more;
	*capacity = more;
	return memory_reallocate(persons->memory, block, more, size);
}

static size_t
number_after(size_t used, size_t more)
{
	return used + more <= NUMBERS_MAX ? used + more : SIZE_MAX;
}

static void
slots_allocate(Persons *persons, uint32_t slots)
{
	persons->slot = memory_allocate_zero(persons->memory, slots, sizeof(uint64_t));
	persons->slot_mask = slots - 1;
}

static void
tallies_allocate(Persons *persons, size_t slots)
{
	persons->tally = memory_allocate_zero(persons->memory, slots, sizeof(Tally));
	persons->tally_mask = (uint32_t) slots - 1;
}

static SipKey
derive_key(SipKey key, uint8_t purpose)
{
	uint8_t first[2] = {purpose, 0};
	uint8_t second[2] = {purpose, 1};

	return (SipKey){{siphash(key, first, sizeof(first)), siphash(key, second, sizeof(second))}};
}

Persons *
persons_create(int limit, const uint8_t key[PERSONS_KEY_LENGTH], Rows *rows, Memory *memory)
{
	Persons *persons = persons_create_groups(limit, key, &rows, 1, memory);

	persons->rows = rows;
	persons->group = &persons->rows;
	return persons;
}

Persons *
persons_create_groups(int limit, const uint8_t key[PERSONS_KEY_LENGTH], Rows *const *groups,
					  int count, Memory *memory)
{
	Persons *persons = memory_allocate_zero(memory, 1, sizeof(Persons));
	SipKey all = siphash_key(key);
	size_t stride = (size_t) groups[0]->stride;

	persons->memory = memory;
	persons->group = groups;
	persons->groups = count;
	persons->x = memory_allocate_zero(memory, BATCH * (stride + 1), sizeof(int32_t));
	persons->limit = (uint32_t) limit;
	persons->person_key = derive_key(all, 0);
	persons->content_key = derive_key(all, 1);
	persons->priority_key = derive_key(all, 2);
	slots_allocate(persons, 2 * INITIAL_PERSONS);
	tallies_allocate(persons, 2 * INITIAL_PERSONS);
	return persons;
}

/* ---- persons ---- */

static uint64_t
short_identity(const uint8_t *bytes, uint32_t length)
{
	uint64_t identity = 0;

	memcpy(&identity, bytes, length);
	return identity;
}

static bool
is_person(const Persons *persons, const Person *person, const uint8_t *bytes, uint32_t length)
{
	if (person->length != length)
		return false;
	if (length <= sizeof(person->identity))
		return person->identity == short_identity(bytes, length);
	return memcmp(persons->bytes + person->identity, bytes, length) == 0;
}

static uint64_t
store_identity(Persons *persons, const uint8_t *bytes, uint32_t length)
{
	size_t at = persons->bytes_used;

	if (length <= sizeof(uint64_t))
		return short_identity(bytes, length);
	persons->bytes = grow(persons, persons->bytes, 1, at + length, &persons->bytes_capacity);
	memcpy(persons->bytes + at, bytes, length);
	persons->bytes_used += length;
	return at;
}

static void
slots_grow(Persons *persons)
{
	memory_release(persons->memory, persons->slot);
	slots_allocate(persons, 2 * (persons->slot_mask + 1));
	for (uint32_t i = 0; i < persons->count; i++)
	{
		uint64_t hash = persons->person[i].hash;
		uint32_t at = (uint32_t) (hash >> 32) & persons->slot_mask;

		while (persons->slot[at] != 0)
			at = (at + 1) & persons->slot_mask;
		persons->slot[at] = (hash >> 32 << 32) | (i + 1);
	}
}

static uint32_t
find_or_append_person(Persons *persons, uint64_t hash, const uint8_t *bytes, uint32_t length)
{
	uint32_t at = (uint32_t) (hash >> 32) & persons->slot_mask;
	Person *person;

	for (; persons->slot[at] != 0; at = (at + 1) & persons->slot_mask)
	{
		uint32_t number = (uint32_t) persons->slot[at] - 1;

		if (persons->slot[at] >> 32 == hash >> 32 &&
			is_person(persons, &persons->person[number], bytes, length))
			return number;
	}
	persons->person = grow(persons, persons->person, sizeof(Person),
						   number_after(persons->count, 1), &persons->capacity);
	person = &persons->person[persons->count];
	memset(person, 0, sizeof(*person));
	person->hash = hash;
	person->identity = store_identity(persons, bytes, length);
	person->length = length;
	persons->slot[at] = (hash >> 32 << 32) | ++persons->count;
	if (persons->count > persons->slot_mask / 2)
		slots_grow(persons);
	return persons->count - 1;
}

/* ---- equal rows ---- */

static uint32_t
tally_slot(const Persons *persons, uint32_t person, uint64_t content)
{
	return (uint32_t) (content ^ person * UINT64_C(0x9E3779B97F4A7C15) >> 32) & persons->tally_mask;
}

static Tally *
find_tally(const Persons *persons, uint32_t person, uint64_t content)
{
	for (uint32_t at = tally_slot(persons, person, content);; at = (at + 1) & persons->tally_mask)
	{
		Tally *tally = &persons->tally[at];

		if (tally->seen == 0 || (tally->person == person && tally->content == content))
			return tally;
	}
}

static void
tallies_grow(Persons *persons)
{
	Tally *old = persons->tally;
	uint32_t old_mask = persons->tally_mask;

	tallies_allocate(persons, number_after(old_mask, (size_t) old_mask + 2));
	for (size_t i = 0; i <= old_mask; i++)
		if (old[i].seen > 0)
			*find_tally(persons, old[i].person, old[i].content) = old[i];
	memory_release(persons->memory, old);
}

static void
add_tally(Persons *persons, Tally *tally, uint32_t person, uint64_t content, uint32_t seen)
{
	*tally = (Tally){content, person, seen};
	persons->person[person].tallied = true;
	if (++persons->tallies > persons->tally_mask / 4 * 3)
		tallies_grow(persons);
}

static uint32_t
count_kept(const Persons *persons, const Person *person, uint64_t content)
{
	const Kept *kept = persons->pool + person->block;
	uint32_t equal = 0;

	for (uint32_t i = 0; i < person->kept; i++)
		equal += kept[i].content == content;
	return equal;
}

/* The number of a new row among its equals, from 1. */
static uint32_t
number_row(Persons *persons, uint32_t number, uint64_t content)
{
	const Person *person = &persons->person[number];

	if (person->tallied || persons->limit > LOOK_THROUGH_MAX)
	{
		Tally *tally = find_tally(persons, number, content);

		if (tally->seen > 0)
			return ++tally->seen;
		if (persons->limit > LOOK_THROUGH_MAX)
		{
			add_tally(persons, tally, number, content, 1);
			return 1;
		}
	}
	return count_kept(persons, person, content) + 1;
}

/*
 * Starts a tally of the person's rows with this content if there is none, because after a loss the
 * kept rows no longer tell the number.
 */
static void
lose_row(Persons *persons, uint32_t number, uint64_t content)
{
	Tally *tally = find_tally(persons, number, content);

	if (tally->seen == 0)
		add_tally(persons, tally, number, content,
				  count_kept(persons, &persons->person[number], content) + 1);
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

static uint32_t
block_take(Persons *persons, int size)
{
	uint32_t block = persons->free_block[size];

	if (block > 0)
	{
		persons->free_block[size] = persons->pool[block - 1].row;
		return block - 1;
	}
	block = (uint32_t) persons->pool_used;
	persons->pool =
		grow(persons, persons->pool, sizeof(Kept),
			 number_after(persons->pool_used, (size_t) 1 << size), &persons->pool_capacity);
	persons->pool_used += (size_t) 1 << size;
	return block;
}

static void
block_give(Persons *persons, uint32_t block, int size)
{
	persons->pool[block].row = persons->free_block[size];
	persons->free_block[size] = block + 1;
}

/* Makes room for one more row. */
static void
block_extend(Persons *persons, Person *person)
{
	uint32_t block;

	if (person->kept == 0)
		person->block = block_take(persons, 0);
	else if (person->kept >> person->block_size > 0)
	{
		block = block_take(persons, person->block_size + 1);
		memcpy(persons->pool + block, persons->pool + person->block, person->kept * sizeof(Kept));
		block_give(persons, person->block, person->block_size++);
		person->block = block;
	}
}

static void
keep(Persons *persons, Waiting *waiting, const int32_t *x)
{
	Person *person = &persons->person[waiting->number];
	Kept *kept = &waiting->kept;
	Kept *heap;
	Kept lost;

	if (person->kept < persons->limit)
	{
		kept->row = rows_intern(persons->group[kept->group], x, waiting->row_hash);
		block_extend(persons, person);
		heap = persons->pool + person->block;
		heap[person->kept] = *kept;
		sift_up(heap, person->kept++);
		return;
	}
	heap = persons->pool + person->block;
	lost = *kept;
	if (before(kept, &heap[0]))
	{
		kept->row = rows_intern(persons->group[kept->group], x, waiting->row_hash);
		lost = heap[0];
		heap[0] = *kept;
		sift_down(heap, person->kept);
	}
	lose_row(persons, waiting->number, lost.content);
}

/* ---- input ---- */

static int32_t *
batch_row(const Persons *persons, int position)
{
	return persons->x + (size_t) position * ((size_t) persons->group[0]->stride + 1);
}

static void
settle(Persons *persons, Waiting *waiting, const int32_t *x)
{
	uint64_t identity[3] = {waiting->hash, waiting->kept.content};

	identity[2] = MUTANT(16) ? 1 : number_row(persons, waiting->number, waiting->kept.content);
	if (MUTANT(15))
		identity[2] = (uint64_t) persons->offered;
	waiting->kept.priority = siphash(persons->priority_key, identity, sizeof(identity));
	keep(persons, waiting, x);
}

static void
find_person(Persons *persons, Waiting *waiting)
{
	const Person *person;

	waiting->number = find_or_append_person(persons, waiting->hash, persons->names + waiting->name,
											waiting->length);
	person = &persons->person[waiting->number];
	if (person->kept > 0)
		__builtin_prefetch(persons->pool + person->block);
	if (person->tallied || person->kept == persons->limit || persons->limit > LOOK_THROUGH_MAX)
		__builtin_prefetch(
			&persons->tally[tally_slot(persons, waiting->number, waiting->kept.content)]);
}

static void
flush(Persons *persons)
{
	for (int i = 0; i < persons->waiting; i++)
	{
		uint64_t slot = persons->slot[(persons->batch[i].hash >> 32) & persons->slot_mask];

		if (slot != 0)
			__builtin_prefetch(&persons->person[(uint32_t) slot - 1]);
	}
	for (int i = 0; i < persons->waiting; i++)
		find_person(persons, &persons->batch[i]);
	for (int i = 0; i < persons->waiting; i++)
		settle(persons, &persons->batch[i], batch_row(persons, i));
	persons->waiting = 0;
	persons->names_used = 0;
}

static size_t
store_name(Persons *persons, const uint8_t *person, uint32_t length)
{
	size_t name = persons->names_used;

	/* a spare byte, so that names is allocated even if all identities are empty */
	persons->names = grow(persons, persons->names, 1, name + length + 1, &persons->names_capacity);
	memcpy(persons->names + name, person, length);
	persons->names_used += length;
	return name;
}

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
	int32_t *x = batch_row(persons, persons->waiting);
	Waiting *waiting = &persons->batch[persons->waiting];
	const Rows *rows = persons->group[group];
	size_t stride = (size_t) rows->stride;

	/* the padding after the last coordinate is always 0 */
	if (!encoding_apply(&rows->encoding, features, x))
	{
		add_neutral(persons, 1);
		return;
	}
	persons->offered++;
	x[stride] = 2 * group + (positive ? 1 : 0);
	waiting->kept.content = siphash(persons->content_key, x, (stride + 1) * sizeof(int32_t));
	waiting->kept.group = (uint16_t) group;
	waiting->kept.positive = positive;
	waiting->row_hash = rows_hash(rows, x);
	waiting->hash = siphash(persons->person_key, person, length);
	if (MUTANT(163))
		waiting->hash += (uint64_t) group << 32;
	waiting->length = length;
	waiting->name = store_name(persons, person, length);
	__builtin_prefetch(&persons->slot[(waiting->hash >> 32) & persons->slot_mask]);
	if (++persons->waiting == BATCH)
		flush(persons);
}

void
persons_finish(Persons *persons)
{
	int64_t entered = 0;

	flush(persons);
	for (uint32_t i = 0; i < persons->count; i++)
	{
		const Person *person = &persons->person[i];
		const Kept *kept = persons->pool + person->block;

		for (uint32_t j = 0; j < person->kept; j++)
			rows_count(persons->group[kept[j].group], kept[j].row, kept[j].positive);
		entered += person->kept;
	}
	add_neutral(persons, persons->offered - entered);
	for (int i = 0; i < persons->groups; i++)
		rows_drop_uncounted(persons->group[i]);
}
