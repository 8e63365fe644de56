/*
 * test_spill.c - spilled rows: records written and read back, and releases that are the same to the
 * last bit whether rows are spilled or not.
 */
#include "core/convex/convex_columns.h"
#include "core/convex/convex_row.h"
#include "core/convex/convex_scale.h"
#include "core/mechanisms/convex_pool.h"
#include "core/mechanisms/descent_run.h"
#include "core/mechanisms/mechanism.h"
#include "core/rows/rows.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/fixture.h"
#include "core/meter.h"
#include "core/store.h"

#define FEATURES 5
#define MOST_ROWS 3000

/* Under valgrind, where a tenth of the work is asked for; mutants.sh needs more than that. */
static bool
is_slow(void)
{
	return check_share() <= 10;
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
			data->features[i][j] = levels > 0
									   ? (below(levels) - 1) / 2.0
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

/* The limit of a table that holds at most so many rows, a power of two. */
static size_t
limit_of(const Rows *rows, int capacity)
{
	return (size_t) capacity * rows_bytes_per_row(&rows->encoding);
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
	int32_t x[FEATURES + 2] = {0};
	RowCount count;

	spill_unpack(&rows->shape, record, x, &count);
	CHECK(count.positive >= 0 && count.negative >= 0 && count.positive + count.negative > 0);
	rows_merge(rows, x, (RowCount){-count.positive, -count.negative});
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
	SpillShape shape = encoding_shape(&encoding);
	size_t size = spill_record_size(&shape);
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
	CHECK(rows_usable(&spilled) == data->rows && rows_usable(&kept) == data->rows);

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

/* Records of another set are appended as they are, if they fit. */
static void
test_appending(void)
{
	Store from = store_make();
	Store to = store_make();
	Data *data = make_data(1000, 0);
	Instance instance;
	Rows first;
	Rows second;

	begin(&first, &from, 256);
	fill(&first, data);
	rows_spilled_instance(&first, &instance);
	begin(&second, &to, 256);
	rows_add(&second, (double[FEATURES]){0}, true);
	CHECK(rows_append_records(&second, from.bytes, instance.rows));
	CHECK(to.size == from.size && memcmp(to.bytes, from.bytes, to.size) == 0);
	CHECK(second.spilled == instance.rows && rows_usable(&second) == 1001);
	to.room = to.size + 1;
	CHECK(!rows_append_records(&second, from.bytes, 1) && to.size == from.size);
	rows_set_spill(&second, NULL, 0);
	CHECK(!rows_append_records(&second, from.bytes, 1) && rows_usable(&second) == 1001);
	memory_release(memory, data);
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

/* ---- records ---- */

/* Coordinates that are 0 or 1 take a bit each, whichever they are. */
static void
test_shapes(void)
{
	for (int c = 0; c < 2000; c++)
	{
		SpillShape shape = {.dimension = 1 + below(COLUMNS_MAX)};
		uint64_t share = teststream_below(&stream, 5);
		int32_t x[COLUMNS_MAX];
		int32_t back[COLUMNS_MAX];
		RowCount count = {(int64_t) (teststream_next(&stream) >> 1),
						  (int64_t) (teststream_next(&stream) >> 1)};
		RowCount count_back;
		size_t bits = 0;
		uint8_t *record;

		for (int j = 0; j < shape.dimension; j++)
			if (teststream_below(&stream, 4) < share)
			{
				shape.binary[j / 64] |= UINT64_C(1) << (j % 64);
				x[j] = below(2) == 0 ? FIXED_POINT_ONE : 0;
				bits++;
			}
			else
				x[j] = (int32_t) teststream_next(&stream);
		CHECK(spill_record_size(&shape) ==
			  4 * ((size_t) shape.dimension - bits + (bits + 31) / 32) + 16);
		record = memory_allocate(memory, spill_record_size(&shape), 1);
		spill_pack(&shape, x, count, record);
		spill_unpack(&shape, record, back, &count_back);
		CHECK(memcmp(x, back, (size_t) shape.dimension * sizeof(x[0])) == 0);
		CHECK(count.positive == count_back.positive && count.negative == count_back.negative);
		memory_release(memory, record);
	}
}

/* Of 64 coordinates at most. */
static bool
has_binary(const Encoding *encoding, uint64_t coordinates)
{
	SpillShape shape = encoding_shape(encoding);

	return shape.binary[0] == coordinates && shape.binary[1] == 0;
}

/* What is declared to be 0 or 1, one-hot groups of more than one, and the intercept. */
static void
test_encoding_shape(void)
{
	Encoding encoding = make_encoding();
	SpillShape shape;

	CHECK(has_binary(&encoding, UINT64_C(1) << FEATURES));
	CHECK(encoding_most_distinct(&encoding) == pow(2 * FIXED_POINT_ONE + 2, FEATURES));
	encoding.binary[0] = true;
	CHECK(has_binary(&encoding, UINT64_C(1) << FEATURES | 1));
	encoding.groups = 3;
	encoding.group[0] = encoding.group[2] = 1;
	encoding.group[1] = 3;
	CHECK(encoding_finish(&encoding));
	CHECK(has_binary(&encoding, UINT64_C(1) << FEATURES | 0xf));
	CHECK(encoding_most_distinct(&encoding) == 2.0 * 3 * (2 * FIXED_POINT_ONE + 2));
	encoding.features = COLUMNS_MAX - 1;
	encoding.groups = 0;
	shape = encoding_shape(&encoding);
	CHECK(shape.binary[COLUMNS_MAX / 64 - 1] == UINT64_C(1) << 63);
}

/* ---- gathering rows into memory ---- */

static bool
same_rows(const Instance *a, const Instance *b)
{
	size_t cells = (size_t) a->rows * (size_t) a->dimension;

	return a->rows == b->rows && a->dimension == b->dimension && a->constant == b->constant &&
		   !a->spilled && !b->spilled && memcmp(a->x, b->x, cells * sizeof(a->x[0])) == 0 &&
		   memcmp(a->net, b->net, (size_t) a->rows * sizeof(a->net[0])) == 0;
}

/* One-hot in the first three features, the fourth 0 or 1. */
static void
make_categorical(Data *data, Encoding *encoding)
{
	encoding->groups = 3;
	encoding->group[0] = 3;
	encoding->group[1] = encoding->group[2] = 1;
	encoding->binary[3] = true;
	CHECK(encoding_finish(encoding));
	for (int i = 0; i < data->rows; i++)
	{
		uint64_t one = teststream_below(&stream, 3);

		for (uint64_t j = 0; j < 3; j++)
			data->features[i][j] = j == one;
		data->features[i][3] = (double) below(2);
	}
}

/* Gathered records are the rows that memory has, however often a row was written. */
static void
test_gathering(int count, int levels, int capacity, bool categorical)
{
	Data *data = make_data(count, levels);
	Encoding encoding = make_encoding();
	Store store = store_make();
	Instance spilled;
	Instance kept;
	Instance gathered;
	Rows rows;

	if (categorical)
		make_categorical(data, &encoding);
	for (int apart = 0; apart < 2; apart++)
	{
		rows_init(&rows, &encoding, memory);
		fill(&rows, data);
		rows_instance(&rows, apart == 1, memory, &kept);
		store.size = 0;
		rows_init(&rows, &encoding, memory);
		rows_set_spill(&rows, &store.sink, limit_of(&rows, capacity));
		fill(&rows, data);
		rows_spilled_instance(&rows, &spilled);
		spilled.source = &store.source;
		CHECK(store.size == (size_t) spilled.rows * spill_record_size(&spilled.shape));
		rows_gather(&spilled, apart == 1, memory, &gathered);
		CHECK(same_rows(&kept, &gathered));
	}
	memory_release(memory, data);
}

static void
test_all_gathering(void)
{
	static const int sizes[] = {0, 1, 256, 257, 2999};

	for (int c = 0; c < 5; c++)
		for (int levels = 0; levels <= 3; levels += 3)
			for (int categorical = 0; categorical < 2; categorical++)
			{
				test_gathering(sizes[c], levels, 1, categorical == 1);
				test_gathering(sizes[c], levels, 512, categorical == 1);
				test_gathering(sizes[c], levels, 1 << 20, categorical == 1);
			}
}

/* ---- releases ---- */

static MechanismRequest
make_request(MechanismKind kind, ConvexLoss loss, ConvexNoise noise)
{
	MechanismRequest request = {.kind = kind,
								.epsilon = EPSILON_ONE,
								.adjacency = ADJACENCY_REPLACE,
								.threads = 1,
								.convex = {.loss = loss,
										   .noise = noise,
										   .radius = 2,
										   .lambda = 3 * LAMBDA_ONE,
										   .delta = noise == CONVEX_GAMMA ? 0 : 1 << 30}};

	grid_set_plain(&request.grid, FEATURES + 1);
	return request;
}

/* rows is the declared number. */
static MechanismRequest
make_descent(DescentSampling sampling, int64_t rows)
{
	MechanismRequest request = make_request(MECHANISM_SGD, LOSS_LOGISTIC, CONVEX_GAUSSIAN);
	bool full = sampling == DESCENT_FULL;

	request.descent = (DescentTerms){.sampling = sampling,
									 .iterations = 6,
									 .batch = full ? 0 : rows / 8,
									 .rows = full ? 0 : rows,
									 .step = 2,
									 .norm = 40};
	return request;
}

static MechanismRequest
make_net(MechanismKind kind, ConvexLoss loss)
{
	MechanismRequest request = make_request(kind, loss, CONVEX_GAMMA);

	request.convex.norm = INT64_C(8) << CONVEX_OUTPUT_BITS;
	request.convex.steps = 2;
	return request;
}

static MechanismRequest
make_opsamp(ConvexLoss loss)
{
	MechanismRequest request = make_request(MECHANISM_OPSAMP, loss, CONVEX_LAPLACE);

	request.epsilon = 1000000 * EPSILON_ONE; /* or all that is seen is the walls */
	request.convex.norm = INT64_C(1) << CONVEX_OUTPUT_BITS;
	request.convex.rows = 3000;
	request.convex.peak = INT64_C(1) << (ROW_BITS - 2); /* which cuts most rows */
	request.convex.calls = 3;
	return request;
}

/* A large declared number of rows makes the pool small. */
static MechanismRequest
make_pool(void)
{
	MechanismRequest request = make_request(MECHANISM_POOL, LOSS_CLIPPED, CONVEX_GAMMA);
	Encoding encoding = make_encoding();

	request.epsilon = 1000 * EPSILON_ONE;
	convex_pool_default(&request, INT64_C(1) << 30);
	request.convex.noise = CONVEX_KNORM;
	convex_columns_of(&encoding, &request.convex.columns);
	return request;
}

/* The first feature is the target, the intercept one of the features. */
static MechanismRequest
make_simplex(int64_t rows)
{
	MechanismRequest request = {.kind = MECHANISM_SIMPLEX,
								.epsilon = 1000 * EPSILON_ONE,
								.adjacency = ADJACENCY_REPLACE,
								.threads = 1,
								.simplex = {.lambda = 100,
											.rows = rows,
											.low = -FIXED_POINT_ONE,
											.high = FIXED_POINT_ONE,
											.target_low = -FIXED_POINT_ONE,
											.target_high = FIXED_POINT_ONE}};

	grid_set_plain(&request.grid, FEATURES);
	return request;
}

/* Noise of descents is not calibrated anew each time: that takes longer than all the rest. */
#define DESCENT_NOISE 20

/* Draws the same random bits every time. */
static MechanismAnswer
release(const MechanismRequest *request, const Instance *instance, Memory *room)
{
	TestStream same;
	Bits same_bits;
	MechanismTools tools = {.bits = &same_bits, .memory = room};
	MechanismAnswer answer = {0};

	teststream_seed(&same, 5);
	bits_init(&same_bits, teststream_fill, &same);
	if (request->kind == MECHANISM_SGD)
		descent_run(request, DESCENT_NOISE, instance, &tools, &answer);
	else
		mechanism_get(request->kind)->release(request, instance, &tools, &answer);
	return answer;
}

static bool
same_answer(const MechanismAnswer *a, const MechanismAnswer *b)
{
	return a->nodes == b->nodes &&
		   memcmp(a->weight, b->weight, FEATURES * sizeof(a->weight[0])) == 0;
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
	return release(request, &instance, memory);
}

static MechanismAnswer
release_spilled_in(const MechanismRequest *request, const Data *data, int capacity, Memory *room)
{
	Store store = store_make();
	Instance instance;
	Rows rows;

	begin(&rows, &store, capacity);
	fill(&rows, data);
	rows_spilled_instance(&rows, &instance);
	instance.source = &store.source;
	return release(request, &instance, room);
}

static MechanismAnswer
release_spilled(const MechanismRequest *request, const Data *data, int capacity)
{
	return release_spilled_in(request, data, capacity, memory);
}

/* Changes every row. */
static void
change_all(Data *data)
{
	for (int i = 0; i < data->rows; i++)
	{
		data->positive[i] = !data->positive[i];
		data->features[i][0] = -data->features[i][0];
	}
}

/* The answer does not depend on how rows are merged, ordered, spilled and shared among threads. */
static void
test_sameness(const MechanismRequest *asked)
{
	static const int sizes[] = {0, 1, 256, 257, 2999};

	for (int c = 0; c < (is_slow() ? 4 : 10); c++)
	{
		Data *data = make_data(sizes[c % 5], c < 5 ? 0 : 3);
		MechanismRequest request = *asked;
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
			/* other rows give another answer */
			change_all(data);
			other = release_spilled(&request, data, 1);
			CHECK(!same_answer(&kept, &other));
		}
		memory_release(memory, data);
	}
}

/* A release with the same noise shows that one label is another. */
static void
test_one_label(const MechanismRequest *request)
{
	Data *data = make_data(2999, 0);
	MechanismAnswer kept = release_kept(request, data);
	MechanismAnswer other;

	data->positive[1] = !data->positive[1];
	other = release_spilled(request, data, 1);
	CHECK(!same_answer(&kept, &other));
	memory_release(memory, data);
}

/* The records of a file as rows in memory, merged no further. */
static Instance
read_records(const Instance *spilled, const Store *store)
{
	size_t rows = (size_t) spilled->rows;
	size_t size = spill_record_size(&spilled->shape);
	size_t row_size = (size_t) spilled->dimension * sizeof(int32_t);
	int32_t *x = memory_allocate(memory, rows, row_size);
	int64_t *positive = memory_allocate(memory, rows, sizeof(int64_t));
	int64_t *negative = memory_allocate(memory, rows, sizeof(int64_t));

	for (size_t i = 0; i < rows; i++)
	{
		RowCount count;

		spill_unpack(&spilled->shape, store->bytes + i * size, x + i * (size_t) spilled->dimension,
					 &count);
		positive[i] = count.positive;
		negative[i] = count.negative;
	}
	return (Instance){.dimension = spilled->dimension,
					  .rows = spilled->rows,
					  .x = x,
					  .positive = positive,
					  .negative = negative};
}

/*
 * A mechanism that samples labels draws for them in the order of the records: the same records give
 * the same answer, and all of them the same law (test_descent, test_simplex_moments).
 */
static void
test_sampling(const MechanismRequest *asked)
{
	static const int capacities[] = {1, 512, 1 << 20};

	for (int c = 0; c < 6; c++)
	{
		Data *data = make_data(c < 3 ? 2999 : 257, c % 2 == 0 ? 0 : 3);
		MechanismRequest request = *asked;
		Store store = store_make();
		Instance spilled;
		Instance kept;
		MechanismAnswer answer;
		MechanismAnswer other;
		Rows rows;

		begin(&rows, &store, capacities[c % 3]);
		fill(&rows, data);
		rows_spilled_instance(&rows, &spilled);
		spilled.source = &store.source;
		kept = read_records(&spilled, &store);
		answer = release(&request, &kept, memory);
		for (int threads = 1; threads <= 3; threads++)
		{
			request.threads = threads;
			other = release(&request, &spilled, memory);
			CHECK(same_answer(&answer, &other));
		}
		change_all(data);
		other = release_spilled(&request, data, capacities[c % 3]);
		CHECK(!same_answer(&answer, &other));
		memory_release(memory, data);
	}
}

/* ---- memory ---- */

/* The most bytes that a release has at a time. */
static size_t
memory_of(const MechanismRequest *request, int rows)
{
	Data *data = make_data(rows, 0);
	Meter meter = meter_make();

	memory_release(&meter.memory, release_spilled_in(request, data, 1, &meter.memory).weight);
	CHECK(meter.used == 0);
	memory_release(memory, data);
	return meter.most;
}

/* More rows take no more memory. */
static void
test_memory(const MechanismRequest *request)
{
	size_t most = memory_of(request, 300);

	CHECK(mechanism_get(request->kind)->streams);
	CHECK(most > 0 && most == memory_of(request, MOST_ROWS));
}

/* ---- forged records ---- */

/* Does a release from one record with these counts end the process? */
static bool
is_fatal(const MechanismRequest *request, RowCount count)
{
	Store store = store_make();
	Instance instance = {.dimension = FEATURES + 1,
						 .rows = 1,
						 .spilled = true,
						 .shape = {.dimension = FEATURES + 1},
						 .source = &store.source};
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
		(void) release(request, &instance, memory);
		_exit(0);
	}
	(void) waitpid(child, &status, 0);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Not under valgrind, which reports the leaks of each process that is ended. */
static void
test_hostile_records(const MechanismRequest *request)
{
	if (is_slow())
		return;
	CHECK(!is_fatal(request, (RowCount){1, 0}));
	CHECK(request->kind != MECHANISM_OBJECTIVE ||
		  !is_fatal(request, (RowCount){INSTANCE_MAX_LABELS - 1, 0}));
	CHECK(is_fatal(request, (RowCount){INSTANCE_MAX_LABELS, 0}));
	CHECK(is_fatal(request, (RowCount){-1, 2}));
	CHECK(is_fatal(request, (RowCount){2, -1}));
	CHECK(is_fatal(request, (RowCount){INT64_MAX, INT64_MAX}));
}

/* ---- every mechanism that streams ---- */

static void
test_stream(const MechanismRequest *request)
{
	test_sameness(request);
	test_memory(request);
	test_hostile_records(request);
}

/* How rows are streamed does not depend on the loss: each of the two serves some mechanisms. */
static void
test_convex_models(void)
{
	static const MechanismKind kinds[] = {MECHANISM_OUTPUT, MECHANISM_OBJECTIVE};
	MechanismRequest request;

	for (int kind = 0; kind < 2; kind++)
		for (int noise = CONVEX_GAMMA; noise <= CONVEX_GAUSSIAN; noise++)
		{
			ConvexLoss loss = (kind + noise) % 2 == 0 ? LOSS_LOGISTIC : LOSS_HUBER;

			request = make_request(kinds[kind], loss, (ConvexNoise) noise);
			test_stream(&request);
			test_one_label(&request);
		}
	request = make_net(MECHANISM_CONVEX_EXPONENTIAL, LOSS_LOGISTIC);
	test_stream(&request);
	request = make_net(MECHANISM_LOCALIZED, LOSS_HUBER);
	test_stream(&request);
	request = make_opsamp(LOSS_LOGISTIC);
	test_stream(&request);
	test_one_label(&request);
}

static void
test_descents(void)
{
	MechanismRequest request = make_descent(DESCENT_FULL, 0);

	test_stream(&request);
	test_one_label(&request);
	for (int sampling = DESCENT_POISSON; sampling <= DESCENT_FIXED; sampling++)
		for (int rows = 100; rows <= 10000; rows *= 10)
		{
			request = make_descent((DescentSampling) sampling, rows);
			test_sampling(&request);
			test_memory(&request);
			test_hostile_records(&request);
		}
}

static void
test_simplex(void)
{
	MechanismRequest request = make_simplex(MOST_ROWS);

	test_stream(&request);
	request = make_simplex(200);
	test_sampling(&request);
	test_memory(&request);
}

/* The second stage keeps the rows in memory, each as 16-bit integers. */
static void
test_pool(void)
{
	MechanismRequest request = make_pool();

	CHECK(mechanism_verdict(&request).admitted);
	test_sameness(&request);
	test_hostile_records(&request);
}

/* Rows with both counts of labels are never gathered: that is for net ones (rows_gather()). */
static void
test_labelled(void)
{
	for (int kind = 0; kind < MECHANISM_KINDS; kind++)
	{
		const Mechanism *mechanism = mechanism_get((MechanismKind) kind);

		CHECK(mechanism->streams == (mechanism->convex || mechanism->targets));
	}
}

int
main(void)
{
	test_begin(21);
	for (int levels = 0; levels <= 4; levels += 2)
	{
		test_records(levels, 256);
		test_records(levels, 1024);
		test_records(levels, 1 << 20);
	}
	test_limit();
	test_appending();
	test_merging();
	test_shapes();
	test_encoding_shape();
	test_all_gathering();
	test_convex_models();
	test_descents();
	test_simplex();
	test_pool();
	test_labelled();
	return test_end("spill");
}
