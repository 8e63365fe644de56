/*
 * rows.c - hash table of distinct rows.
 *
 * A slot holds 32 bits of the hash beside the row number.  They are both the slot's position and
 * its tag: a probe reads the row itself only if it is almost surely equal, and growing the table
 * reads no row.
 */
#include "core/rows/rows.h"

#include <string.h>

#include "core/base/mutant.h"
#include "core/rows/row_reader.h"

#define INITIAL_ROWS 256
#define ROWS_MAX (UINT32_C(1) << 30) /* with twice as many slots, 31 bits number them */

static void
slots_allocate(Rows *rows, uint32_t slots)
{
	rows->slot = memory_allocate_zero(rows->memory, slots, sizeof(uint64_t));
	rows->slot_mask = slots - 1;
}

/* Odd and well mixed (splitmix64). */
static uint64_t
hash_multiplier(uint64_t i)
{
	uint64_t z = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (z ^ (z >> 31)) | 1;
}

/* Coordinates padded to whole pairs, for the hash. */
static int
stride_of(const Encoding *encoding)
{
	return (encoding_dimension(encoding) + 1) & ~1;
}

static void
table_allocate(Rows *rows)
{
	rows->stride = stride_of(&rows->encoding);
	rows->shape = encoding_shape(&rows->encoding);
	rows->capacity = INITIAL_ROWS;
	rows->x = memory_allocate(rows->memory, (size_t) rows->capacity * (size_t) rows->stride,
							  sizeof(int32_t));
	rows->count = memory_allocate(rows->memory, rows->capacity, sizeof(RowCount));
	rows->batch_x =
		memory_allocate_zero(rows->memory, ROWS_BATCH * (size_t) rows->stride, sizeof(int32_t));
	rows->multiplier = memory_allocate(rows->memory, (size_t) rows->stride / 2, sizeof(uint64_t));
	for (int i = 0; i < rows->stride / 2; i++)
		rows->multiplier[i] = hash_multiplier((uint64_t) i);
	slots_allocate(rows, 2 * INITIAL_ROWS);
}

void
rows_init(Rows *rows, const Encoding *encoding, Memory *memory)
{
	memset(rows, 0, sizeof(*rows));
	rows->memory = memory;
	rows->encoding = *encoding;
	if (encoding->features > 0)
		table_allocate(rows);
}

bool
rows_set_features(Rows *rows, int features)
{
	rows->encoding.features = features;
	if (!encoding_finish(&rows->encoding))
	{
		rows->encoding.features = 0;
		return false;
	}
	table_allocate(rows);
	return true;
}

/* Multilinear hash: the upper half of a sum of independent products.  Only speed depends on it. */
static uint32_t
row_hash(const Rows *rows, const int32_t *x)
{
	uint64_t hash = 0;

	for (int i = 0; i < rows->stride / 2; i++)
	{
		uint64_t pair;

		memcpy(&pair, x + 2 * i, sizeof(pair));
		hash += pair * rows->multiplier[i];
	}
	hash ^= hash >> 32;
	return (uint32_t) (hash * UINT64_C(0xC4CEB9FE1A85EC53) >> 32);
}

static uint64_t
slot_make(uint32_t hash, uint32_t row)
{
	return (uint64_t) hash << 32 | (row + 1);
}

static uint32_t
slot_hash(uint64_t slot)
{
	return (uint32_t) (slot >> 32);
}

static uint32_t
slot_row(uint64_t slot)
{
	return (uint32_t) slot - 1;
}

/* Fills an empty slot for a row that no slot has. */
static void
slot_put(Rows *rows, uint64_t slot)
{
	uint32_t at = slot_hash(slot) & rows->slot_mask;

	while (rows->slot[at] != 0)
		at = (at + 1) & rows->slot_mask;
	rows->slot[at] = slot;
}

static void
slots_grow(Rows *rows)
{
	uint64_t *old = rows->slot;
	uint32_t old_mask = rows->slot_mask;

	slots_allocate(rows, 2 * (old_mask + 1));
	for (uint64_t i = 0; i <= old_mask; i++)
		if (old[i] != 0)
			slot_put(rows, old[i]);
	memory_release(rows->memory, old);
}

/* Beyond the largest table the allocation fails; no row is ever dropped. */
static void
table_grow(Rows *rows)
{
	size_t capacity = rows->capacity < ROWS_MAX ? 2 * (size_t) rows->capacity : SIZE_MAX;

	rows->x =
		memory_reallocate(rows->memory, rows->x, capacity, (size_t) rows->stride * sizeof(int32_t));
	rows->count = memory_reallocate(rows->memory, rows->count, capacity, sizeof(RowCount));
	rows->capacity = (uint32_t) capacity;
}

/* Writes out all rows and empties the table. */
static void
spill_table(Rows *rows)
{
	size_t record_size = spill_record_size(&rows->shape);
	uint8_t *at;

	if (rows->spilling == NULL)
		rows->spilling = memory_allocate(rows->memory, ROWS_SPILL_BATCH, record_size);
	at = rows->spilling;
	for (uint32_t i = 0; i < rows->distinct; i++)
	{
		spill_pack(&rows->shape, rows->x + (size_t) i * (size_t) rows->stride, rows->count[i], at);
		rows->spilled_labels += rows->count[i].positive + rows->count[i].negative;
		at += record_size;
		if ((i + 1) % ROWS_SPILL_BATCH == 0 || i + 1 == rows->distinct)
		{
			rows->sink->append(rows->sink, rows->spilling, (size_t) (at - rows->spilling));
			at = rows->spilling;
		}
	}
	rows->spilled += rows->distinct;
	rows->distinct = 0;
	memset(rows->slot, 0, ((size_t) rows->slot_mask + 1) * sizeof(uint64_t));
}

/* At most four slots a row: the slots double when half of them are taken. */
size_t
rows_bytes_per_row(const Encoding *encoding)
{
	return (size_t) stride_of(encoding) * sizeof(int32_t) + sizeof(RowCount) + 4 * sizeof(uint64_t);
}

static bool
fits(const Rows *rows, size_t capacity)
{
	return capacity <= rows->limit / rows_bytes_per_row(&rows->encoding);
}

static bool
sink_takes_all(const Rows *rows)
{
	return rows->sink->fits == NULL ||
		   rows->sink->fits(rows->sink, rows->distinct * spill_record_size(&rows->shape));
}

/*
 * Makes room for one more row.  A spill empties the table, so the caller must determine the slot
 * again.
 */
static void
make_room(Rows *rows)
{
	if (rows->sink != NULL && !fits(rows, 2 * (size_t) rows->capacity) && sink_takes_all(rows))
		spill_table(rows);
	else
		table_grow(rows);
}

/* The number of a row, which may be new. */
static uint32_t
intern(Rows *rows, const int32_t *x, uint32_t hash)
{
	size_t bytes = (size_t) rows->stride * sizeof(int32_t);
	uint32_t at = hash & rows->slot_mask;

	for (; rows->slot[at] != 0; at = (at + 1) & rows->slot_mask)
	{
		uint32_t row = slot_row(rows->slot[at]);

		if (slot_hash(rows->slot[at]) == hash &&
			memcmp(rows->x + (size_t) row * (size_t) rows->stride, x, bytes) == 0)
			return row;
	}
	if (rows->distinct == rows->capacity)
		make_room(rows);
	if (rows->distinct == 0)
		at = hash & rows->slot_mask;
	memcpy(rows->x + (size_t) rows->distinct * (size_t) rows->stride, x, bytes);
	rows->count[rows->distinct] = (RowCount){0, 0};
	rows->slot[at] = slot_make(hash, rows->distinct);
	rows->distinct++;
	if (rows->distinct > rows->slot_mask / 2)
		slots_grow(rows);
	return rows->distinct - 1;
}

/* ---- spilling ---- */

void
rows_set_spill(Rows *rows, SpillSink *sink, size_t limit)
{
	rows->sink = sink;
	rows->limit = limit;
}

bool
rows_append_records(Rows *rows, const uint8_t *records, int64_t count)
{
	size_t record_size = spill_record_size(&rows->shape);
	size_t bytes = (size_t) count * record_size;

	if (rows->sink == NULL || (rows->sink->fits != NULL && !rows->sink->fits(rows->sink, bytes)))
		return false;
	rows->sink->append(rows->sink, records, bytes);
	rows->spilled += count;
	for (int64_t i = 1; i <= count; i++)
	{
		RowCount labels;

		memcpy(&labels, records + (size_t) i * record_size - sizeof(labels), sizeof(labels));
		rows->spilled_labels += MUTANT(420) ? 0 : labels.positive + labels.negative;
	}
	return true;
}

bool
rows_fit_sink(Rows *rows)
{
	rows_flush(rows);
	return sink_takes_all(rows);
}

void
rows_leave_sink(Rows *rows)
{
	rows->sink = NULL;
	rows->spilled = 0;
	rows->spilled_labels = 0;
}

void
rows_spilled_instance(Rows *rows, Instance *instance)
{
	rows_flush(rows);
	if (!MUTANT(110) && rows->distinct > 0)
		spill_table(rows);
	memory_release(rows->memory, rows->x);
	memory_release(rows->memory, rows->count);
	memory_release(rows->memory, rows->slot);
	memory_release(rows->memory, rows->spilling);
	rows->x = NULL;
	rows->count = NULL;
	rows->slot = NULL;
	rows->spilling = NULL;
	*instance = (Instance){.dimension = rows->shape.dimension,
						   .rows = rows->spilled,
						   .spilled = true,
						   .shape = rows->shape};
}

void
rows_flush(Rows *rows)
{
	for (int i = 0; i < rows->waiting; i++)
	{
		uint32_t row = intern(rows, rows->batch_x + i * rows->stride, rows->batch_hash[i]);

		rows->count[row].positive += rows->batch_positive[i];
		rows->count[row].negative += !rows->batch_positive[i];
	}
	rows->waiting = 0;
}

int64_t
rows_usable(Rows *rows)
{
	int64_t usable = MUTANT(257) ? 0 : rows->spilled_labels;

	rows_flush(rows);
	for (uint32_t i = 0; i < rows->distinct; i++)
		usable += rows->count[i].positive + rows->count[i].negative;
	return usable;
}

void
rows_merge(Rows *rows, const int32_t *x, RowCount count)
{
	uint32_t row = intern(rows, x, row_hash(rows, x));

	rows->count[row].positive += count.positive;
	rows->count[row].negative += count.negative;
}

/* A row in the batch waits while the memory of its slot is fetched. */
static void
end_batch_row(Rows *rows, bool positive)
{
	const int32_t *x = rows->batch_x + rows->waiting * rows->stride;
	uint32_t hash = row_hash(rows, x);

	__builtin_prefetch(&rows->slot[hash & rows->slot_mask]);
	rows->batch_hash[rows->waiting] = hash;
	rows->batch_positive[rows->waiting] = positive;
	if (++rows->waiting == ROWS_BATCH)
		rows_flush(rows);
}

void
rows_add_record(Rows *rows, const uint8_t *record)
{
	RowCount count;

	spill_unpack(&rows->shape, record, rows->batch_x + rows->waiting * rows->stride, &count);
	end_batch_row(rows, count.positive > 0);
}

void
rows_add(Rows *rows, const double *features, bool positive)
{
	/* the padding after the last coordinate is always 0 */
	int32_t *x = rows->batch_x + rows->waiting * rows->stride;

	if (!encoding_apply(&rows->encoding, features, x))
	{
		rows->neutral++;
		return;
	}
	end_batch_row(rows, positive);
}

void
rows_add_neutral(Rows *rows, int64_t count)
{
	rows->neutral += count;
}

/*
 * Writes the rows to arrays of rows->distinct rows, or twice as many if apart.  If not, the arrays
 * may be the table's own, because each element is read before it is overwritten.
 */
static void
put_rows(const Rows *rows, bool apart, int32_t *x, int64_t *net, Instance *instance)
{
	int dimension = encoding_dimension(&rows->encoding);
	int64_t used = 0;

	*instance = (Instance){.dimension = dimension, .x = x, .net = net};
	for (uint32_t i = 0; i < rows->distinct; i++)
	{
		RowCount count = rows->count[i];
		int64_t part[2] = {count.positive, -count.negative};

		if (!apart)
		{
			instance->constant += count.positive < count.negative ? count.positive : count.negative;
			part[0] -= count.negative;
			part[1] = 0;
		}
		for (int k = 0; k < 2; k++)
		{
			if (part[k] == 0)
				continue;
			memmove(x + used * dimension, rows->x + (size_t) i * (size_t) rows->stride,
					(size_t) dimension * sizeof(int32_t));
			net[used++] = part[k];
		}
	}
	instance->rows = used;
}

void
rows_instance(Rows *rows, bool apart, Memory *memory, Instance *instance)
{
	size_t dimension = (size_t) encoding_dimension(&rows->encoding);
	size_t most;
	int32_t *x;
	int64_t *net;

	rows_flush(rows);
	most = (size_t) rows->distinct * (apart ? 2 : 1);
	x = memory_allocate(memory, most, dimension * sizeof(int32_t));
	net = memory_allocate(memory, most, sizeof(int64_t));
	put_rows(rows, apart, x, net, instance);
}

void
rows_labelled_instance(Rows *rows, Memory *memory, Instance *instance)
{
	int dimension = encoding_dimension(&rows->encoding);
	int32_t *x;
	int64_t *positive;
	int64_t *negative;

	rows_flush(rows);
	x = memory_allocate(memory, (size_t) rows->distinct * (size_t) dimension, sizeof(int32_t));
	positive = memory_allocate(memory, rows->distinct, sizeof(int64_t));
	negative = memory_allocate(memory, rows->distinct, sizeof(int64_t));
	for (uint32_t i = 0; i < rows->distinct; i++)
	{
		memcpy(x + (size_t) i * (size_t) dimension, rows->x + (size_t) i * (size_t) rows->stride,
			   (size_t) dimension * sizeof(int32_t));
		positive[i] = rows->count[i].positive;
		negative[i] = rows->count[i].negative;
	}
	*instance = (Instance){.dimension = dimension,
						   .rows = rows->distinct,
						   .x = x,
						   .positive = positive,
						   .negative = negative};
}

/* ---- from records ---- */

/* Turns the table into the instance, and frees the rest of its memory. */
static void
become_instance(Rows *rows, bool apart, Instance *instance)
{
	Memory *memory = rows->memory;

	memory_release(memory, rows->slot);
	memory_release(memory, rows->batch_x);
	memory_release(memory, rows->multiplier);
	if (apart)
	{
		rows_instance(rows, true, memory, instance);
		memory_release(memory, rows->x);
		memory_release(memory, rows->count);
		return;
	}
	put_rows(rows, false, rows->x, &rows->count->positive, instance);
	instance->x = memory_reallocate(
		memory, rows->x, (size_t) instance->rows * (size_t) instance->dimension, sizeof(int32_t));
	instance->net =
		memory_reallocate(memory, rows->count, (size_t) instance->rows, sizeof(int64_t));
}

void
rows_gather(const Instance *spilled, bool apart, Memory *memory, Instance *instance)
{
	RowReader *reader = row_reader_create(spilled, memory);
	int32_t x[COLUMNS_MAX + 1] = {0};
	int64_t labels = 0;
	Encoding encoding;
	Rows rows;

	encoding_init(&encoding);
	encoding.features = spilled->dimension;
	rows_init(&rows, &encoding, memory);
	for (int64_t first = 0; first < spilled->rows; first += BLOCK_ROWS)
	{
		RowBlock block = row_reader_block(reader, first);

		if (MUTANT(116) && first > 0)
			break;
		row_block_add_labels(&block, &labels);
		for (int64_t i = 0; i < block.rows; i++)
		{
			memcpy(x, block.x + i * spilled->dimension,
				   (size_t) spilled->dimension * sizeof(int32_t));
			rows_merge(&rows, x, (RowCount){block.positive[i], block.negative[i]});
		}
	}
	row_reader_destroy(reader, memory);
	become_instance(&rows, apart, instance);
}

void
rows_relabel(const Instance *classes, int class, bool apart, Memory *memory, Instance *instance)
{
	int features = classes->dimension - 1;
	int32_t x[COLUMNS_MAX + 1] = {0};
	Encoding encoding;
	Rows rows;

	encoding_init(&encoding);
	encoding.features = features;
	rows_init(&rows, &encoding, memory);
	for (int64_t i = 0; i < classes->rows; i++)
	{
		const int32_t *row = classes->x + i * classes->dimension;
		bool own = row[0] == class * FIXED_POINT_ONE;

		memcpy(x, row + 1, (size_t) features * sizeof(int32_t));
		rows_merge(&rows, x, (RowCount){own ? classes->net[i] : 0, own ? 0 : classes->net[i]});
	}
	become_instance(&rows, apart, instance);
}

/*
 * Byte form, in the byte order of the machine (it travels between the processes
 * of one server): a header, then the rows, then their counts.
 */
#define BYTES_MAGIC UINT32_C(0x53525044) /* "DPRS" */
#define BYTES_VERSION 2

typedef struct BytesHeader
{
	uint32_t magic;
	uint32_t version;
	uint32_t distinct;
	uint32_t stride;
	int64_t neutral;
	int32_t features;
	int32_t intercept; /* 0 or 1; reading any other byte as a bool is undefined */
	int32_t groups;
	int16_t group[COLUMNS_MAX];
	int16_t levels[COLUMNS_MAX];
	double center[COLUMNS_MAX];
	double scale[COLUMNS_MAX];
	double low[COLUMNS_MAX];
	double high[COLUMNS_MAX];
} BytesHeader;

static void
header_put_encoding(BytesHeader *header, const Encoding *encoding)
{
	header->features = encoding->features;
	header->intercept = encoding->intercept ? 1 : 0;
	header->groups = encoding->groups;
	memcpy(header->group, encoding->group, sizeof(header->group));
	memcpy(header->levels, encoding->levels, sizeof(header->levels));
	memcpy(header->center, encoding->center, sizeof(header->center));
	memcpy(header->scale, encoding->scale, sizeof(header->scale));
	memcpy(header->low, encoding->low, sizeof(header->low));
	memcpy(header->high, encoding->high, sizeof(header->high));
}

/* False if the fields are no valid encoding; features may be 0 (not known). */
static bool
header_get_encoding(const BytesHeader *header, Encoding *encoding)
{
	if (header->features < 0 || header->features > COLUMNS_MAX || header->intercept < 0 ||
		header->intercept > 1 || header->groups < 0 || header->groups > COLUMNS_MAX)
		return false;
	memset(encoding, 0, sizeof(*encoding));
	encoding->features = header->features;
	encoding->intercept = header->intercept == 1;
	encoding->groups = header->groups;
	memcpy(encoding->group, header->group, sizeof(header->group));
	memcpy(encoding->levels, header->levels, sizeof(header->levels));
	memcpy(encoding->center, header->center, sizeof(header->center));
	memcpy(encoding->scale, header->scale, sizeof(header->scale));
	memcpy(encoding->low, header->low, sizeof(header->low));
	memcpy(encoding->high, header->high, sizeof(header->high));
	return encoding->features == 0 || encoding_finish(encoding);
}

size_t
rows_byte_size(Rows *rows)
{
	rows_flush(rows);
	return sizeof(BytesHeader) +
		   (size_t) rows->distinct * ((size_t) rows->stride * sizeof(int32_t) + sizeof(RowCount));
}

void
rows_write_bytes(Rows *rows, uint8_t *bytes)
{
	BytesHeader header;
	size_t cells;

	rows_flush(rows);
	cells = (size_t) rows->distinct * (size_t) rows->stride * sizeof(int32_t);

	memset(&header, 0, sizeof(header));
	header.magic = BYTES_MAGIC;
	header.version = BYTES_VERSION;
	header.distinct = rows->distinct;
	header.stride = (uint32_t) rows->stride;
	header.neutral = rows->neutral;
	header_put_encoding(&header, &rows->encoding);
	memcpy(bytes, &header, sizeof(header));
	if (rows->distinct == 0)
		return;
	memcpy(bytes + sizeof(header), rows->x, cells);
	memcpy(bytes + sizeof(header) + cells, rows->count, rows->distinct * sizeof(RowCount));
}

/* Reads the header and its encoding; false unless it describes exactly this many bytes. */
static bool
read_header(const uint8_t *bytes, size_t length, BytesHeader *header, Encoding *encoding)
{
	size_t row_bytes;
	int stride;

	if (length < sizeof(*header))
		return false;
	memcpy(header, bytes, sizeof(*header));
	if (header->magic != BYTES_MAGIC || header->version != BYTES_VERSION || header->neutral < 0 ||
		!header_get_encoding(header, encoding))
		return false;
	stride = encoding->features > 0 ? (encoding_dimension(encoding) + 1) & ~1 : 0;
	row_bytes = (size_t) stride * sizeof(int32_t) + sizeof(RowCount);
	return header->stride == (uint32_t) stride && (stride > 0 || header->distinct == 0) &&
		   (length - sizeof(*header)) / row_bytes == header->distinct &&
		   (length - sizeof(*header)) % row_bytes == 0;
}

/* Whether the two encodings are equal, except that a feature count may be unknown. */
static bool
compatible(const Encoding *a, const Encoding *b)
{
	Encoding same = *b;

	same.features = a->features;
	return encoding_equal(a, &same);
}

/* More rows than any query reads, small enough that sums over sets do not overflow. */
#define BYTES_MAX_ROWS (INT64_C(1) << 48)

/* Checks that no count is negative and that their sum is at most BYTES_MAX_ROWS. */
static bool
counts_are_valid(const BytesHeader *header, const uint8_t *counts)
{
	int64_t left = BYTES_MAX_ROWS - header->neutral;

	for (uint32_t i = 0; i < header->distinct && left >= 0; i++)
	{
		RowCount count;

		memcpy(&count, counts + i * sizeof(RowCount), sizeof(count));
		if (count.positive < 0 || count.negative < 0 || count.positive > left)
			return false;
		left -= count.positive;
		if (count.negative > left)
			return false;
		left -= count.negative;
	}
	return left >= 0;
}

bool
rows_merge_bytes(Rows *rows, const uint8_t *bytes, size_t length)
{
	BytesHeader header;
	Encoding encoding;
	const uint8_t *x;
	const uint8_t *counts;

	if (!read_header(bytes, length, &header, &encoding) || !compatible(&rows->encoding, &encoding))
		return false;
	x = bytes + sizeof(header);
	counts = x + (size_t) header.distinct * header.stride * sizeof(int32_t);
	if (!counts_are_valid(&header, counts))
		return false;
	rows->neutral += header.neutral;
	if (encoding.features > 0 && rows->encoding.features == 0 &&
		!rows_set_features(rows, encoding.features))
		return false;
	for (uint32_t i = 0; i < header.distinct; i++)
	{
		int32_t row[COLUMNS_MAX + 1];
		RowCount count;

		memcpy(row, x + (size_t) i * header.stride * sizeof(int32_t),
			   header.stride * sizeof(int32_t));
		memcpy(&count, counts + i * sizeof(RowCount), sizeof(count));
		if (rows->encoding.features != encoding.features)
			rows->neutral += count.positive + count.negative;
		else
			rows_merge(rows, row, count);
	}
	return true;
}

bool
rows_init_like_bytes(Rows *rows, const uint8_t *bytes, size_t length, Memory *memory)
{
	BytesHeader header;
	Encoding encoding;

	if (!read_header(bytes, length, &header, &encoding))
		return false;
	rows_init(rows, &encoding, memory);
	return true;
}

bool
rows_init_from_bytes(Rows *rows, const uint8_t *bytes, size_t length, Memory *memory)
{
	return rows_init_like_bytes(rows, bytes, length, memory) &&
		   rows_merge_bytes(rows, bytes, length);
}
