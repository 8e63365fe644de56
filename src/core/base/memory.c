/*
 * memory.c - checked sizes, and the arena of the solver process and the tests.
 */
#include "core/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A product that does not fit asks for SIZE_MAX, which every allocator refuses. */
static size_t
product(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return SIZE_MAX;
	return bytes > 0 ? bytes : 1;
}

void *
memory_allocate(Memory *memory, size_t count, size_t size)
{
	return memory->allocate(memory, product(count, size));
}

void *
memory_allocate_zero(Memory *memory, size_t count, size_t size)
{
	size_t bytes = product(count, size);
	void *block = memory->allocate(memory, bytes);

	memset(block, 0, bytes);
	return block;
}

void *
memory_reallocate(Memory *memory, void *block, size_t count, size_t size)
{
	if (block == NULL)
		return memory_allocate(memory, count, size);
	return memory->reallocate(memory, block, product(count, size));
}

void
memory_release(Memory *memory, void *block)
{
	if (block != NULL)
		memory->release(memory, block);
}

/* Every block is preceded by a link, so that the arena can free what is left. */
typedef struct Link
{
	struct Link *previous;
	struct Link *next;
} Link;

struct Arena
{
	Memory memory;
	Link blocks; /* head of a circular list */
	void (*exhausted)(void);
};

_Static_assert(sizeof(Link) % _Alignof(max_align_t) == 0, "blocks must stay aligned");

static void *
arena_link(Arena *arena, Link *link)
{
	if (link == NULL)
	{
		arena->exhausted();
		abort(); /* exhausted() must not return */
	}
	link->previous = &arena->blocks;
	link->next = arena->blocks.next;
	link->next->previous = link;
	arena->blocks.next = link;
	return link + 1;
}

static void
arena_unlink(Link *link)
{
	link->previous->next = link->next;
	link->next->previous = link->previous;
}

static void *
arena_allocate(Memory *self, size_t bytes)
{
	Arena *arena = (Arena *) self;

	return arena_link(arena, bytes > SIZE_MAX - sizeof(Link) ? NULL : malloc(sizeof(Link) + bytes));
}

static void *
arena_reallocate(Memory *self, void *block, size_t bytes)
{
	Arena *arena = (Arena *) self;
	Link *link = (Link *) block - 1;

	arena_unlink(link);
	return arena_link(arena,
					  bytes > SIZE_MAX - sizeof(Link) ? NULL : realloc(link, sizeof(Link) + bytes));
}

static void
arena_release(Memory *self, void *block)
{
	Link *link = (Link *) block - 1;

	(void) self;
	arena_unlink(link);
	free(link);
}

Arena *
arena_create(void (*exhausted)(void))
{
	Arena *arena = malloc(sizeof(Arena));

	if (arena == NULL)
	{
		exhausted();
		abort();
	}
	arena->memory = (Memory){arena_allocate, arena_reallocate, arena_release, NULL};
	arena->blocks.previous = arena->blocks.next = &arena->blocks;
	arena->exhausted = exhausted;
	return arena;
}

Memory *
arena_memory(Arena *arena)
{
	return &arena->memory;
}

void
arena_destroy(Arena *arena)
{
	while (arena->blocks.next != &arena->blocks)
	{
		Link *link = arena->blocks.next;

		arena_unlink(link);
		free(link);
	}
	free(arena);
}
