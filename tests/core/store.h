/*
 * store.h - a temporary file in memory, for rows that are spilled.
 */
#ifndef DPOBJ_TESTS_STORE_H
#define DPOBJ_TESTS_STORE_H

#include "core/rows/spill.h"

#include <stdlib.h>
#include <string.h>

#include "core/fixture.h"

typedef struct Store
{
	SpillSink sink;
	SpillSource source;
	uint8_t *bytes;
	size_t size;
	size_t appends;
	size_t room; /* 0: everything fits */
} Store;

static inline void
store_append(SpillSink *self, const void *records, size_t bytes)
{
	Store *store = (Store *) self;

	CHECK(bytes > 0 && (store->room == 0 || bytes <= store->room - store->size));
	store->bytes = memory_reallocate(memory, store->bytes, store->size + bytes, 1);
	memcpy(store->bytes + store->size, records, bytes);
	store->size += bytes;
	store->appends++;
}

static inline bool
store_fits(const SpillSink *self, size_t bytes)
{
	const Store *store = (const Store *) self;

	return store->room == 0 || bytes <= store->room - store->size;
}

/* Reads past the end would show in the sanitizer, but not in valgrind. */
static inline void
store_read(SpillSource *self, uint64_t offset, size_t bytes, void *records)
{
	Store *store = (Store *) ((char *) self - offsetof(Store, source));

	if (offset > store->size || bytes > store->size - offset)
		abort();
	memcpy(records, store->bytes + offset, bytes);
}

static inline Store
store_make(void)
{
	return (Store){.sink = {store_append, store_fits}, .source = {store_read}};
}

#endif
