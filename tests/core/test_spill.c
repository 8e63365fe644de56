/*
 * test_spill.c - rows that do not stay in memory: what is written, what is read back,
 * and that a release is the same, to the last bit, wherever its rows are.
 */
#include "core/convex_scale.h"
#include "core/mechanism.h"
#include "core/rows.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "testbits.h"

#define FEATURES 5
#define MOST_ROWS 3000

static TestStream stream;
static Memory *memory;

/* ---- a file in memory ---- */

typedef struct Store
{
	SpillSink sink;
	SpillSource source;
	uint8_t *bytes;
	size_t size;
	size_t appends;
} Store;

static void
store_append(SpillSink *self, const void *records, size_t bytes)
{
	Store *store = (Store *) self;

	CHECK(bytes > 0);
	store->bytes = memory_reallocate(memory, store->bytes, store->size + bytes, 1);
	memcpy(store->bytes + store->size, records, bytes);
	store->size += bytes;
	store->appends++;
}

/* Reads past the end would show in the sanitizer, but not in valgrind. */
static void
store_read(SpillSource *self, uint64_t offset, size_t bytes, void *records)
{
	Store *store = (Store *) ((char *) self - offsetof(Store, source));

	if (offset > store->size || bytes > store->size - offset)
		abort();
	memcpy(records, store->bytes + offset, bytes);
}

static Store
store_make(void)
{
	return (Store){.sink = {store_append}, .source = {store_read}};
}

/* ---- data ---- */

typedef struct Data
{
	int rows;
	double features[MOST_ROWS][FEATURES];
	bool positive[MOST_ROWS];
} Data;

/* levels: how many values a feature has; 0: as many as there are rows. */
static Data *
make_data(int rows, int levels)
{
	Data *data = memory_allocate_zero(memory, 1, sizeof(Data));

	data->rows = rows;
	for (int i = 0; i < rows; i++)
	{
		for (int j = 0; j < FEATURES; j++)
			data->features[i][j] =
				levels > 0 ? ((int) teststream_below(&stream, (uint64_t) levels) - 1) / 2.0
						   : ldexp((double) (teststream_next(&stream) >> 11), -52) - 1;
		data->positive[i] = data->features[i][0] + data->features[i][1] > 0.1;
	}
	return data;
}

static void
shuffle(Data *data)
{
	for (int i = data->rows - 1; i > 0; i--)
	{
		int k = (int) teststream_below(&stream, (uint64_t) i + 1);
		double row[FEATURES];
		bool positive = data->positive[i];

		memcpy(row, data->features[i], sizeof(row));
		memcpy(data->features[i], data->features[k], sizeof(row));
		memcpy(data->features[k], row, sizeof(row));
		data->positive[i] = data->positive[k];
		data->positive[k] = positive;
	}
}

static Encoding
make_encoding(void)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = FEATURES;
	encoding.intercept = true;
	CHECK(encoding_finish(&encoding));
	return encoding;
}

static void
fill(Rows *rows, const Data *data)
{
	for (int i = 0; i < data->rows; i++)
		rows_add(rows, data->features[i], data->positive[i]);
}

/* Of a table that may hold so many rows and no more: they are allocated in powers of two. */
static size_t
limit_of(const Rows *rows, int capacity)
{
	return (size_t) capacity *
		   (spill_record_size(encoding_dimension(&rows->encoding)) + 4 * sizeof(uint64_t));
}

static void
begin(Rows *rows, Store *store, int capacity)
{
	Encoding encoding = make_encoding();

	rows_init(rows, &encoding, memory);
	rows_set_spill(rows, &store->sink, limit_of(rows, capacity));
}

/* ---- what is written ---- */

/* Adds a record's counts to the table that has its row. */
static RowCount
take_record(Rows *rows, const uint8_t *record)
{
	int stride = spill_stride(encoding_dimension(&rows->encoding));
	int32_t x[FEATURES + 2];
	RowCount count;
	uint32_t row;

	memcpy(x, record, (size_t) stride * sizeof(int32_t));
	memcpy(&count, record + (size_t) stride * sizeof(int32_t), sizeof(count));
	CHECK(count.positive >= 0 && count.negative >= 0 && count.positive + count.negative > 0);
	row = rows_intern(rows, x, rows_hash(rows, x));
	rows->count[row].positive -= count.positive;
	rows->count[row].negative -= count.negative;
	return count;
}

/* The records hold each row as often as it came. */
static void
test_records(int levels, int capacity)
{
	Data *data = make_data(MOST_ROWS, levels);
	Encoding encoding = make_encoding();
	Store store = store_make();
	Instance instance;
	Rows spilled;
	Rows kept;
	size_t size = spill_record_size(encoding_dimension(&encoding));
	int64_t labels = 0;
	uint32_t distinct;
	int wrong = 0;

	begin(&spilled, &store, capacity);
	fill(&spilled, data);
	rows_add_neutral(&spilled, 3);
	rows_add(&spilled, (double[FEATURES]){NAN}, true);
	rows_flush(&spilled);
	CHECK(spilled.capacity <= (uint32_t) capacity && spilled.neutral == 4);
	rows_init(&kept, &encoding, memory);
	fill(&kept, data);
	rows_flush(&kept);
	distinct = kept.distinct;

	rows_spilled_instance(&spilled, &instance);
	CHECK(instance.spilled && instance.dimension == FEATURES + 1 && instance.x == NULL);
	CHECK(store.size == (size_t) instance.rows * size);
	CHECK(instance.rows >= distinct && instance.rows <= data->rows);
	CHECK(store.appends >= (size_t) (instance.rows / ROWS_SPILL_BATCH));
	for (int64_t i = 0; i < instance.rows; i++)
	{
		RowCount count = take_record(&kept, store.bytes + (size_t) i * size);

		labels += count.positive + count.negative;
	}
	CHECK(labels == data->rows && kept.distinct == distinct);
	for (uint32_t i = 0; i < kept.distinct; i++)
		wrong += kept.count[i].positive != 0 || kept.count[i].negative != 0;
	CHECK(wrong == 0);
	memory_release(memory, data);
}

/* As long as they fit, nothing is written; equal rows do not count. */
static void
test_limit(void)
{
	Store store = store_make();
	Rows rows;

	begin(&rows, &store, 512);
	for (int i = 0; i < 5000; i++)
		rows_add(&rows, (double[FEATURES]){i % 512 / 512.0}, true);
	rows_flush(&rows);
	CHECK(rows.distinct == 512 && rows.spilled == 0);
	rows_add(&rows, (double[FEATURES]){-1}, true);
	rows_flush(&rows);
	CHECK(rows.distinct == 1 && rows.spilled == 512);
	/* without a place to go they stay */
	begin(&rows, &store, 512);
	rows_set_spill(&rows, NULL, 0);
	for (int i = 0; i < 5000; i++)
		rows_add(&rows, (double[FEATURES]){i / 5000.0}, true);
	rows_flush(&rows);
	CHECK(rows.distinct == 5000 && rows.spilled == 0);
}

/* A set that is merged in is spilled like rows that come one by one. */
static void
test_merging(void)
{
	Data *data = make_data(MOST_ROWS, 0);
	Encoding encoding = make_encoding();
	Store store = store_make();
	Instance instance;
	Rows rows;
	Rows part;
	size_t size;
	uint8_t *bytes;

	rows_init(&part, &encoding, memory);
	fill(&part, data);
	size = rows_byte_size(&part);
	bytes = memory_allocate(memory, size, 1);
	rows_write_bytes(&part, bytes);
	begin(&rows, &store, 256);
	CHECK(rows_merge_bytes(&rows, bytes, size) && rows_merge_bytes(&rows, bytes, size));
	CHECK(rows.capacity == 256);
	rows_spilled_instance(&rows, &instance);
	CHECK(instance.rows == 2 * MOST_ROWS);
	memory_release(memory, bytes);
	memory_release(memory, data);
}

/* ---- releases ---- */

static MechanismRequest
make_request(MechanismKind kind, ConvexLoss loss, ConvexNoise noise, int threads)
{
	MechanismRequest request = {.kind = kind,
								.epsilon = EPSILON_ONE,
								.adjacency = ADJACENCY_REPLACE,
								.threads = threads,
								.convex = {.loss = loss,
										   .noise = noise,
										   .radius = 2,
										   .lambda = 3 * LAMBDA_ONE,
										   .delta = noise == CONVEX_GAUSSIAN ? 1 << 30 : 0}};

	request.grid.dimension = FEATURES + 1;
	for (int j = 0; j <= FEATURES; j++)
		request.grid.levels[j] = 1;
	return request;
}

/* With the same random bits every time. */
static MechanismAnswer
release(const MechanismRequest *request, const Instance *instance)
{
	TestStream same;
	Bits bits;
	MechanismTools tools = {.bits = &bits, .memory = memory};
	MechanismAnswer answer = {0};

	teststream_seed(&same, 5);
	bits_init(&bits, teststream_fill, &same);
	mechanism_get(request->kind)->release(request, instance, &tools, &answer);
	return answer;
}

static bool
same_answer(const MechanismAnswer *a, const MechanismAnswer *b)
{
	return a->nodes == b->nodes &&
		   memcmp(a->weight, b->weight, (FEATURES + 1) * sizeof(a->weight[0])) == 0;
}

static MechanismAnswer
release_kept(const MechanismRequest *request, const Data *data)
{
	Encoding encoding = make_encoding();
	Instance instance;
	Rows rows;

	rows_init(&rows, &encoding, memory);
	fill(&rows, data);
	rows_labelled_instance(&rows, memory, &instance);
	return release(request, &instance);
}

static MechanismAnswer
release_spilled(const MechanismRequest *request, const Data *data, int capacity)
{
	Store store = store_make();
	Instance instance;
	Rows rows;

	begin(&rows, &store, capacity);
	fill(&rows, data);
	rows_spilled_instance(&rows, &instance);
	instance.source = &store.source;
	return release(request, &instance);
}

/* However rows are merged, ordered, spilled and shared among threads. */
static void
test_sameness(MechanismKind kind, ConvexLoss loss, ConvexNoise noise)
{
	static const int sizes[] = {0, 1, 256, 257, 2999};

	for (int c = 0; c < 10; c++)
	{
		Data *data = make_data(sizes[c % 5], c < 5 ? 0 : 3);
		MechanismRequest request = make_request(kind, loss, noise, 1);
		MechanismAnswer kept = release_kept(&request, data);
		MechanismAnswer other;

		for (int threads = 1; threads <= 4; threads++)
		{
			request.threads = threads;
			other = release_kept(&request, data);
			CHECK(same_answer(&kept, &other));
			other = release_spilled(&request, data, threads % 2 == 0 ? 1 : 1024);
			CHECK(same_answer(&kept, &other));
		}
		shuffle(data);
		other = release_spilled(&request, data, 1);
		CHECK(same_answer(&kept, &other));
		if (data->rows == 2999)
		{
			/* and it would have been seen */
			data->positive[1] = !data->positive[1];
			other = release_spilled(&request, data, 1);
			CHECK(!same_answer(&kept, &other));
		}
		memory_release(memory, data);
	}
}

/* ---- records that nobody wrote ---- */

/* Does a release from one record with these counts end the process? */
static bool
is_fatal(RowCount count)
{
	MechanismRequest request = make_request(MECHANISM_OBJECTIVE, LOSS_LOGISTIC, CONVEX_GAMMA, 1);
	Store store = store_make();
	Instance instance = {
		.dimension = FEATURES + 1, .rows = 1, .spilled = true, .source = &store.source};
	uint8_t record[(FEATURES + 1) * sizeof(int32_t) + sizeof(RowCount)] = {0};
	int status = 0;
	pid_t child;

	memcpy(record + (FEATURES + 1) * sizeof(int32_t), &count, sizeof(count));
	store_append(&store.sink, record, sizeof(record));
	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		const struct rlimit none = {0, 0};

		(void) setrlimit(RLIMIT_CORE, &none);
		(void) fclose(stderr);
		(void) release(&request, &instance);
		_exit(0);
	}
	(void) waitpid(child, &status, 0);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void
test_hostile_records(void)
{
	CHECK(!is_fatal((RowCount){1, 0}));
	CHECK(!is_fatal((RowCount){CONVEX_MAX_LABELS - 1, 0}));
	CHECK(is_fatal((RowCount){CONVEX_MAX_LABELS, 0}));
	CHECK(is_fatal((RowCount){-1, 2}));
	CHECK(is_fatal((RowCount){2, -1}));
	CHECK(is_fatal((RowCount){INT64_MAX, INT64_MAX}));
}

int
main(void)
{
	Arena *arena = arena_create(check_out_of_memory);

	memory = arena_memory(arena);
	teststream_seed(&stream, 21);
	for (int levels = 0; levels <= 4; levels += 2)
	{
		test_records(levels, 256);
		test_records(levels, 1024);
		test_records(levels, 1 << 20);
	}
	test_limit();
	test_merging();
	for (int loss = 0; loss < LOSS_KINDS; loss++)
		for (int noise = 0; noise < CONVEX_NOISES; noise++)
		{
			test_sameness(MECHANISM_OUTPUT, (ConvexLoss) loss, (ConvexNoise) noise);
			test_sameness(MECHANISM_OBJECTIVE, (ConvexLoss) loss, (ConvexNoise) noise);
		}
	test_hostile_records();
	arena_destroy(arena);
	return check_report("spill");
}
