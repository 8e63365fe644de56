/*
 * meter.h - memory that knows how much of it was in use at a time.
 */
#ifndef DPOBJ_TESTS_METER_H
#define DPOBJ_TESTS_METER_H

#include <string.h>

#include "core/fixture.h"

typedef struct Meter
{
	Memory memory;
	size_t used;
	size_t most;
} Meter;

/* Before each block, of a size that keeps it aligned. */
#define METER_SIZE 16

static inline void *
meter_allocate(Memory *self, size_t bytes)
{
	Meter *meter = (Meter *) self;
	uint8_t *block = memory_allocate(memory, METER_SIZE + bytes, 1);

	memcpy(block, &bytes, sizeof(bytes));
	meter->used += bytes;
	meter->most = meter->used > meter->most ? meter->used : meter->most;
	return block + METER_SIZE;
}

static inline void
meter_release(Memory *self, void *block)
{
	Meter *meter = (Meter *) self;
	size_t bytes;

	memcpy(&bytes, (uint8_t *) block - METER_SIZE, sizeof(bytes));
	meter->used -= bytes;
	memory_release(memory, (uint8_t *) block - METER_SIZE);
}

static inline void *
meter_reallocate(Memory *self, void *block, size_t bytes)
{
	void *other = meter_allocate(self, bytes);
	size_t size;

	memcpy(&size, (uint8_t *) block - METER_SIZE, sizeof(size));
	memcpy(other, block, size < bytes ? size : bytes);
	meter_release(self, block);
	return other;
}

static inline Meter
meter_make(void)
{
	return (Meter){.memory = {meter_allocate, meter_reallocate, meter_release, NULL}};
}

#endif
