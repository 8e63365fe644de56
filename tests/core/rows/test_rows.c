/*
 * test_rows.c - encoding, distinct rows, merging and the byte form.
 */
#include "core/fixture.h"

#include <math.h>
#include <string.h>

#include "core/rows/rows.h"

static Encoding
plain_encoding(int features)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = features;
	CHECK(encoding_finish(&encoding));
	return encoding;
}

static void
check_encoding(void)
{
	Encoding encoding = plain_encoding(4);
	double features[4] = {0.5, -INFINITY, 7.0, 1.0 / 3.0};
	int32_t x[5];

	CHECK(encoding_apply(&encoding, features, x));
	CHECK(x[0] == 32768 && x[1] == -65536 && x[2] == 65536 && x[3] == 21845);
	features[2] = NAN;
	CHECK(!encoding_apply(&encoding, features, x));

	/* center, scale and clip, then the intercept */
	encoding.center[0] = 40;
	encoding.scale[0] = 10;
	encoding.low[0] = -2;
	encoding.high[0] = 2;
	encoding.intercept = true;
	CHECK(encoding_finish(&encoding) && !encoding.identity);
	memcpy(features, (double[]){65, 0, 0, -0.0}, sizeof(features));
	CHECK(encoding_apply(&encoding, features, x));
	CHECK(x[0] == 2 * 65536 && x[1] == 0 && x[3] == 0 && x[4] == 65536);
	features[0] = 45;
	CHECK(encoding_apply(&encoding, features, x) && x[0] == 32768);
	features[0] = -INFINITY;
	CHECK(encoding_apply(&encoding, features, x) && x[0] == -2 * 65536);

	encoding.scale[0] = 0;
	CHECK(!encoding_finish(&encoding));
	encoding.scale[0] = 1;
	encoding.high[0] = 5000;
	CHECK(!encoding_finish(&encoding));
	encoding.high[0] = NAN;
	CHECK(!encoding_finish(&encoding));
}

/* Wherever it stands. */
static void
check_nan(void)
{
	for (int count = 1; count <= 9; count++)
		for (int at = 0; at <= count; at++)
		{
			Encoding encoding = plain_encoding(count);
			double features[10] = {0};
			int32_t x[10];

			features[at] = NAN;
			CHECK(encoding_apply(&encoding, features, x) == (at == count));
		}
}

static int32_t
plain_round(double feature, double low, double high)
{
	double value = fmin(fmax(feature, low), high) * 65536;

	return (int32_t) trunc(value + copysign(0.5, value));
}

/* Every kernel rounds as the first line of encoding.h says, in whatever place of a row, and the padding stays. */
static void
check_kernels(void)
{
	static const double special[] = {0.0,   -0.0,        INFINITY,     -INFINITY,
									 1e300, 0.5 / 65536, -0.5 / 65536, 0x1p-1074};
	const EncodingKernel *kernel[ENCODING_MAX_KERNELS];
	int kernels = encoding_kernels(kernel);

	CHECK(kernels >= 1 && encoding_fastest_kernel() == kernel[kernels - 1]);
	for (int count = 1; count <= 40; count++)
	{
		double features[40];
		double low[40];
		double high[40];
		int32_t x[41];

		for (int j = 0; j < count; j++)
		{
			low[j] = -(double) below(1025);
			high[j] = low[j] + (double) below(1024 - (int) low[j] + 1);
			features[j] = below(4) == 0
							  ? special[below(8)]
							  : ((double) below(1 << 30) - (1 << 29)) / (1 << (10 + below(20)));
		}
		for (int k = 0; k < kernels; k++)
		{
			x[count] = 7;
			CHECK(kernel[k]->quantise(features, low, high, count, x) && x[count] == 7);
			for (int j = 0; j < count; j++)
				CHECK(x[j] == plain_round(features[j], low[j], high[j]));
		}
	}
}

/* What encoding_apply() makes is admitted; what no row of features gives is not. */
static void
check_admission(void)
{
	Encoding encoding = plain_encoding(6);
	int32_t x[7];

	encoding.groups = 1;
	encoding.group[0] = 2;
	encoding.binary[2] = true;
	encoding.low[2] = 0;
	encoding_set_levels(&encoding, 3, 3);
	encoding.low[4] = -0.3;
	encoding.high[4] = 0.7;
	encoding.intercept = true;
	CHECK(encoding_finish(&encoding));
	for (int i = 0; i < 2000; i++)
	{
		double features[6] = {i % 2, (i + 1) % 2, i / 2 % 2, i % 4, i / 700.0 - 1, i / 1e3 - 1};

		CHECK(encoding_apply(&encoding, features, x) && encoding_admits(&encoding, x));
		for (int j = 0; j < 7; j++)
		{
			int32_t kept = x[j];
			int32_t high = j == 4 ? 45875 : FIXED_POINT_ONE;
			int32_t low = j == 4 ? -19661 : -FIXED_POINT_ONE;

			if (j == 4 || j == 5)
			{
				x[j] = high + 1;
				CHECK(!encoding_admits(&encoding, x));
				x[j] = low - 1;
				CHECK(!encoding_admits(&encoding, x));
				x[j] = high;
				CHECK(encoding_admits(&encoding, x));
				x[j] = low;
				CHECK(encoding_admits(&encoding, x));
			}
			else
			{
				x[j] = kept + 1;
				CHECK(!encoding_admits(&encoding, x));
				x[j] = j == 3 ? 4 * FIXED_POINT_ONE : 2 * FIXED_POINT_ONE;
				CHECK(!encoding_admits(&encoding, x));
			}
			x[j] = kept;
		}
	}
}

/* Only an index passes, whatever the clip bounds of numbers are. */
static void
check_levels(void)
{
	static const double no_index[] = {-1, 0.5, 3.999, 5, 1e9, INFINITY, -INFINITY, NAN};
	Encoding encoding = plain_encoding(3);
	Encoding other = plain_encoding(3);
	int32_t x[3];

	encoding_set_levels(&encoding, 1, 4);
	CHECK(encoding_finish(&encoding) && encoding.indices && encoding_dimension(&encoding) == 3);
	CHECK(encoding_finish(&other) && !other.indices && !encoding_equal(&encoding, &other));
	for (int index = 0; index <= 4; index++)
		CHECK(encoding_apply(&encoding, (double[]){0.5, index, 9}, x) && x[0] == 32768 &&
			  x[1] == index * 65536 && x[2] == 65536);
	for (size_t i = 0; i < sizeof(no_index) / sizeof(no_index[0]); i++)
		CHECK(!encoding_apply(&encoding, (double[]){0.5, no_index[i], 9}, x));
	other = encoding;
	other.scale[1] = 2;
	CHECK(!encoding_finish(&other));
	other = encoding;
	other.high[1] = 3;
	CHECK(!encoding_finish(&other));
	other = encoding;
	other.groups = 1;
	other.group[0] = 3;
	CHECK(!encoding_finish(&other));
	encoding_set_levels(&encoding, 0, LEVELS_MAX);
	CHECK(encoding_finish(&encoding));
	encoding_set_levels(&encoding, 0, LEVELS_MAX + 1);
	CHECK(!encoding_finish(&encoding));
}

static void
check_groups(void)
{
	Encoding encoding;
	int32_t x[4];

	encoding_init(&encoding);
	encoding.features = 4;
	encoding.groups = 2;
	encoding.group[0] = 3;
	encoding.group[1] = 1;
	CHECK(encoding_finish(&encoding));
	CHECK(encoding_apply(&encoding, (double[]){0, 1, 0, 0.3}, x));
	CHECK(!encoding_apply(&encoding, (double[]){0, 0, 0, 1}, x));
	CHECK(!encoding_apply(&encoding, (double[]){1, 1, 0, 0}, x));
	CHECK(!encoding_apply(&encoding, (double[]){1, 0.25, 0, 0}, x));
	CHECK(!encoding_apply(&encoding, (double[]){-1, 0, 0, 0}, x));
	encoding.group[1] = 2;
	CHECK(!encoding_finish(&encoding));
	encoding.groups = 1; /* the last column is in no group */
	CHECK(encoding_finish(&encoding));
	CHECK(encoding_apply(&encoding, (double[]){0, 1, 0, 0.3}, x) && x[3] == 19661);
	CHECK(!encoding_apply(&encoding, (double[]){1, 1, 0, 0.3}, x));
}

static void
check_score_bound(void)
{
	Encoding encoding = plain_encoding(2);
	Grid grid = {.dimension = 2};

	grid_set_range(&grid, 0, 3);
	grid_set_sign(&grid, 1);
	encoding.low[0] = -7;
	CHECK(encoding_score_bound(&encoding, &grid) == 3 * (7 * 65536.0 + 1) + (65536.0 + 1));
}

/* Loss of a fixed vector straight from the raw rows. */
static int64_t
raw_loss(const double (*features)[3], const bool *positive, const bool *neutral, int count,
		 const int *weight)
{
	int64_t loss = 0;

	for (int i = 0; i < count; i++)
	{
		double score = 0;

		for (int j = 0; j < 3; j++)
			score += weight[j] * features[i][j];
		if (!neutral[i])
			loss += (score > 0) != positive[i];
	}
	return loss;
}

#define COUNT 3000

static void
check_merging(void)
{
	static double features[COUNT][3];
	static bool positive[COUNT], neutral[COUNT];
	Encoding encoding = plain_encoding(3);
	Rows whole, part[2], copy;
	Grid grid = {.dimension = 3};
	size_t size;
	uint8_t *bytes;

	rows_init(&whole, &encoding, memory);
	rows_init(&part[0], &encoding, memory);
	rows_init(&part[1], &encoding, memory);
	for (int i = 0; i < COUNT; i++)
	{
		Rows *half = &part[teststream_below(&stream, 2)];

		/* quarters are exact in fixed point; few values make many duplicates and conflicts */
		for (int j = 0; j < 3; j++)
			features[i][j] = (below(9) - 4) / 4.0;
		positive[i] = below(2) == 0;
		neutral[i] = below(50) == 0;
		if (neutral[i])
		{
			features[i][1] = NAN;
			rows_add_neutral(&whole, 1);
		}
		else
			rows_add(&whole, features[i], positive[i]);
		rows_add(half, features[i], positive[i]);
		if (neutral[i])
			features[i][1] = 0;
	}
	rows_flush(&whole);
	CHECK(whole.distinct <= 729 && whole.distinct > 600);

	size = rows_byte_size(&part[1]);
	bytes = memory_allocate(memory, size, 1);
	rows_write_bytes(&part[1], bytes);
	CHECK(rows_merge_bytes(&part[0], bytes, size));
	CHECK(part[0].distinct == whole.distinct && part[0].neutral == whole.neutral);
	CHECK(rows_init_from_bytes(&copy, bytes, size, memory));
	CHECK(copy.distinct == part[1].distinct && copy.neutral == part[1].neutral);

	for (int j = 0; j < 3; j++)
		grid_set_range(&grid, j, 1);
	for (int t = 0; t < 27; t++)
	{
		int index[3] = {t % 3, t / 3 % 3, t / 9};
		int weight[3] = {index[0] - 1, index[1] - 1, index[2] - 1};
		Instance a, b, apart;

		rows_instance(&whole, false, memory, &a);
		rows_instance(&part[0], false, memory, &b);
		rows_instance(&whole, true, memory, &apart);
		CHECK(instance_loss(&a, &grid, index) ==
			  raw_loss((const double(*)[3]) features, positive, neutral, COUNT, weight));
		CHECK(instance_loss(&b, &grid, index) == instance_loss(&a, &grid, index));
		CHECK(instance_loss(&apart, &grid, index) == instance_loss(&a, &grid, index));
		CHECK(instance_span(&apart) + whole.neutral == COUNT && apart.constant == 0);
		CHECK(apart.rows > a.rows); /* both labels of one row */
	}
}

static void
check_hostile_bytes(void)
{
	Encoding encoding = plain_encoding(3), other = plain_encoding(3);
	Rows rows, into;
	size_t size;
	uint8_t *bytes;

	rows_init(&rows, &encoding, memory);
	rows_add(&rows, (double[]){1, 0, 0}, true);
	rows_add(&rows, (double[]){0, 1, 0}, false);
	size = rows_byte_size(&rows);
	bytes = memory_allocate(memory, size, 1);

	/* another encoding is refused and adds nothing */
	other.high[1] = 2;
	CHECK(encoding_finish(&other));
	rows_init(&into, &other, memory);
	rows_write_bytes(&rows, bytes);
	CHECK(!rows_merge_bytes(&into, bytes, size) && into.distinct == 0);
	for (size_t cut = 0; cut < size; cut += 7)
		CHECK(!rows_merge_bytes(&into, bytes, cut));

	/* counts that no query has, whose sum would not fit, are refused and add nothing */
	for (int64_t count = INT64_MAX; count > INT64_C(1) << 48; count /= 2)
	{
		RowCount counts = {count / 2 + 1, count / 2};

		rows_init(&into, &encoding, memory);
		rows_write_bytes(&rows, bytes);
		memcpy(bytes + size - sizeof(counts), &counts, sizeof(counts));
		CHECK(!rows_merge_bytes(&into, bytes, size) && into.distinct == 0 && into.neutral == 0);
	}

	/* flipped bytes never crash; whether they are accepted depends on which */
	reseed(3);
	for (int i = 0; i < 5000; i++)
	{
		rows_write_bytes(&rows, bytes);
		bytes[teststream_below(&stream, size)] ^= (uint8_t) (1 + teststream_below(&stream, 255));
		(void) rows_init_from_bytes(&into, bytes, size, memory);
	}
	CHECK(true);
}

/* A set that has seen only neutral rows takes the dimension of the other one. */
static void
check_open_dimension(void)
{
	Encoding open;
	Rows rows, other, longer;
	Encoding encoding = plain_encoding(3), five = plain_encoding(5);
	uint8_t *bytes;
	size_t size;

	encoding_init(&open);
	rows_init(&rows, &open, memory);
	rows_add_neutral(&rows, 2);
	size = rows_byte_size(&rows);
	bytes = memory_allocate(memory, size, 1);
	rows_write_bytes(&rows, bytes);
	rows_init(&other, &encoding, memory);
	rows_add(&other, (double[]){1, 0, 0}, true);
	CHECK(rows_merge_bytes(&other, bytes, size));
	rows_flush(&other);
	CHECK(other.neutral == 2 && other.distinct == 1);

	size = rows_byte_size(&other);
	bytes = memory_allocate(memory, size, 1);
	rows_write_bytes(&other, bytes);
	CHECK(rows_merge_bytes(&rows, bytes, size));
	CHECK(rows.neutral == 4 && rows.distinct == 1 && rows.encoding.features == 3);

	/* rows of another length are neutral */
	rows_init(&longer, &five, memory);
	rows_add(&longer, (double[]){1, 0, 0, 0, 0}, true);
	CHECK(rows_merge_bytes(&longer, bytes, size));
	rows_flush(&longer);
	CHECK(longer.distinct == 1 && longer.neutral == 3);
}

static void
check_growth(void)
{
	Encoding encoding = plain_encoding(2);
	Rows rows;
	Instance instance;

	rows_init(&rows, &encoding, memory);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < 60000; i++)
			rows_add(&rows, (double[]){i / 65536.0, -i / 65536.0}, true);
	rows_flush(&rows);
	CHECK(rows.distinct == 60000);
	rows_instance(&rows, false, memory, &instance);
	CHECK(instance.rows == 60000 && instance_span(&instance) == 120000);
}

int
main(void)
{
	test_begin(2);
	check_encoding();
	check_nan();
	check_kernels();
	check_admission();
	check_levels();
	check_groups();
	check_score_bound();
	check_merging();
	check_hostile_bytes();
	check_open_dimension();
	check_growth();
	return test_end("rows");
}
