/*
 * discovered.c - a hash table of levels, and the named ones among them.
 */
#include "core/looks/discovered.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/noise/noisy.h"

#define INITIAL_SLOTS 1024
#define CHUNK_BYTES (64 * 1024)
#define ALIGNMENT 8
#define PAUSE_LEVELS 1024

struct Levels
{
	Memory *memory;
	SipKey key;
	Level **slot; /* NULL: free; at most half of them are not */
	size_t slots;
	size_t count;
	uint8_t *chunk; /* where the next levels lie; it stays where it is */
	size_t left;
};

Levels *
levels_create(const uint8_t key[SIPHASH_KEY_LENGTH], Memory *memory)
{
	Levels *levels = memory_allocate_zero(memory, 1, sizeof(Levels));

	levels->memory = memory;
	levels->key = siphash_key(key);
	levels->slots = INITIAL_SLOTS;
	levels->slot = memory_allocate_zero(memory, levels->slots, sizeof(Level *));
	return levels;
}

static size_t
level_bytes(size_t length)
{
	return (sizeof(Level) + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

double
levels_memory_at_most(double levels, size_t bytes)
{
	/* twice to four times as many slots, and half of that before they are doubled */
	return levels * (6.0 * sizeof(Level *) + (double) level_bytes(bytes)) + CHUNK_BYTES;
}

/* ---- the table ---- */

/* Its slot, or the free one where it belongs. */
static Level **
find(const Levels *levels, uint64_t hash, const uint8_t *bytes, size_t length)
{
	size_t at = (size_t) hash & (levels->slots - 1);

	for (;; at = (at + 1) & (levels->slots - 1))
	{
		const Level *level = levels->slot[at];

		if (level == NULL || (level->hash == hash && level->length == length &&
							  memcmp(level->bytes, bytes, length) == 0))
			return &levels->slot[at];
	}
}

static void
double_slots(Levels *levels)
{
	Level **old = levels->slot;
	size_t slots = levels->slots;

	levels->slots = 2 * slots;
	levels->slot = memory_allocate_zero(levels->memory, levels->slots, sizeof(Level *));
	for (size_t i = 0; i < slots; i++)
		if (old[i] != NULL)
			*find(levels, old[i]->hash, old[i]->bytes, old[i]->length) = old[i];
	memory_release(levels->memory, old);
}

static Level *
make_level(Levels *levels, uint64_t hash, const uint8_t *bytes, size_t length)
{
	size_t size = level_bytes(length);
	Level *level;

	if (size > levels->left)
	{
		levels->left = size > CHUNK_BYTES ? size : CHUNK_BYTES;
		levels->chunk = memory_allocate(levels->memory, levels->left, 1);
	}
	level = (Level *) levels->chunk;
	levels->chunk += size;
	levels->left -= size;
	*level = (Level){.hash = hash, .length = (uint32_t) length};
	memcpy(level->bytes, bytes, length);
	return level;
}

void
levels_add(void *context, const uint8_t *bytes, size_t length)
{
	Levels *levels = context;
	uint64_t hash = siphash(levels->key, bytes, length);
	Level **slot = find(levels, hash, bytes, length);

	if (*slot == NULL)
	{
		if (2 * (levels->count + 1) > levels->slots)
		{
			double_slots(levels);
			slot = find(levels, hash, bytes, length);
		}
		*slot = make_level(levels, hash, bytes, length);
		if (++levels->count % PAUSE_LEVELS == 0)
			take_pause(levels->memory->pause);
	}
	(*slot)->persons++;
}

/* ---- the named levels ---- */

static int
compare(const void *a, const void *b)
{
	const Level *first = *(const Level *const *) a;
	const Level *second = *(const Level *const *) b;
	size_t length = first->length < second->length ? first->length : second->length;
	int order = (first->persons < second->persons) - (first->persons > second->persons);

	if (order == 0)
		order = memcmp(first->bytes, second->bytes, length);
	return order != 0 ? order : (first->length > second->length) - (first->length < second->length);
}

/* The first ones of a full list. */
static int
keep_first(const Level **level, int count, int most)
{
	qsort(level, (size_t) count, sizeof(level[0]), compare);
	return count < most ? count : most;
}

int
levels_name(Levels *levels, const Look *look, int64_t epsilon, Bits *bits, int most,
			const Level **named)
{
	const Level **list = memory_allocate(levels->memory, 2 * (size_t) most, sizeof(Level *));
	uint64_t reach = look_reach(look, 0);
	int count = 0;

	for (size_t i = 0; i < levels->slots; i++)
	{
		Level *level = levels->slot[i];

		if (i % PAUSE_LEVELS == 0)
			take_pause(levels->memory->pause);
		if (level == NULL)
			continue;
		if (!MUTANT(405) || level->persons < look->threshold)
			noisy_numbers(bits, epsilon, &reach, &level->persons, 1);
		if (level->persons < look->threshold)
			continue;
		if (count == 2 * most)
			count = keep_first(list, count, most);
		list[count++] = level;
	}
	count = keep_first(list, count, most);
	memcpy(named, list, (size_t) count * sizeof(named[0]));
	memory_release(levels->memory, list);
	return count;
}
