/*
 * test_simplex_moments.c - the sums that sampling from a simplex keeps of its rows: their values,
 * rows clipped to the bounds, and rows chosen where there are more than n.
 */
#include "core/simplex/simplex_moments.h"

#include <math.h>
#include <string.h>

#include "core/law.h"
#include "core/simplex_data.h"

static void
test_moments(void)
{
	for (int i = 0; i < check_repetitions(300); i++)
	{
		SimplexTerms terms = random_terms();
		int d = 1 + below(MOST_FEATURES);
		Data *data = data_create(d);
		Instance instance;
		SimplexMoments moments;
		long double a[MOST_FEATURES][MOST_FEATURES] = {{0}};
		long double b[MOST_FEATURES] = {0};
		long double middle = ((long double) terms.low + terms.high) / 2;
		int64_t rows = 0;

		for (int k = 0; k < 20; k++)
		{
			int64_t count = 1 + (int64_t) teststream_below(&stream, i % 2 == 0 ? 1 : 40);
			int32_t row[MOST_FEATURES + 1];
			long double y;

			random_row(&terms, d, row);
			data_add(data, count, row);
			y = row[0] - middle;
			rows += count;
			for (int j = 0; j < d; j++)
			{
				b[j] += count * y * (row[j + 1] - middle);
				for (int l = 0; l < d; l++)
					a[j][l] += count * (row[j + 1] - middle) * (row[l + 1] - middle);
			}
		}
		instance = data_instance(data);
		simplex_moments_make(&instance, &terms, &bits, memory, &moments);
		CHECK(moments.rows == rows && moments.dimension == d);
		for (int j = 0; j < d; j++)
		{
			CHECK(fabsl(mpz_get_d(moments.b[j]) - 4 * b[j]) <= 1e-15L * fabsl(4 * b[j]) + 0.1L);
			for (int l = 0; l < d; l++)
				CHECK(fabsl(mpz_get_d(moments.a[j * d + l]) - 4 * a[j][l]) <=
					  1e-15L * fabsl(4 * a[j][l]) + 0.1L);
		}
		simplex_moments_release(&moments, memory);
		free(data);
	}
}

/* The widest numbers and the most rows that there may be: more do not come (wire.c). */
static void
test_largest(void)
{
	SimplexTerms terms = {.lambda = 1,
						  .rows = SIMPLEX_ROWS_MAX,
						  .low = -SIMPLEX_BOUND_MAX,
						  .high = SIMPLEX_BOUND_MAX,
						  .target_low = -SIMPLEX_BOUND_MAX,
						  .target_high = SIMPLEX_BOUND_MAX};
	Data *data = data_create(2);
	Instance instance;
	SimplexMoments moments;
	mpz_t expected;

	CHECK(simplex_terms_valid(&terms));
	data_add(data, INSTANCE_MAX_LABELS - 1,
			 (int32_t[]){SIMPLEX_BOUND_MAX, -SIMPLEX_BOUND_MAX, SIMPLEX_BOUND_MAX});
	instance = data_instance(data);
	simplex_moments_make(&instance, &terms, &bits, memory, &moments);
	mpz_init_set_ui(expected, (unsigned long) INSTANCE_MAX_LABELS - 1);
	mpz_mul_2exp(expected, expected, 56);
	CHECK(mpz_cmp(moments.a[0], expected) == 0 && mpz_cmp(moments.a[3], expected) == 0);
	CHECK(mpz_cmp(moments.b[1], expected) == 0);
	mpz_neg(expected, expected);
	CHECK(mpz_cmp(moments.a[1], expected) == 0 && mpz_cmp(moments.b[0], expected) == 0);
	mpz_clear(expected);
	simplex_moments_release(&moments, memory);
	free(data);
}

/* Values out of bounds are clipped. */
static void
test_clipping(void)
{
	SimplexTerms terms = {.lambda = 1,
						  .rows = 10,
						  .low = -ONE,
						  .high = 3 * ONE,
						  .target_low = -2 * ONE,
						  .target_high = ONE};
	Data *data = data_create(2);
	Instance instance;
	SimplexMoments moments;

	/* the target is clipped to the middle, 1 */
	data_add(data, 1, (int32_t[]){5 * ONE, -9 * ONE, 9 * ONE});
	instance = data_instance(data);
	simplex_moments_make(&instance, &terms, &bits, memory, &moments);
	CHECK(mpz_sgn(moments.b[0]) == 0 && mpz_sgn(moments.b[1]) == 0);
	CHECK(ldexp(mpz_get_d(moments.a[0]), -34) == 4 && ldexp(mpz_get_d(moments.a[1]), -34) == -4);
	simplex_moments_release(&moments, memory);
	free(data);
}

/*
 * Of more rows than n, each set of n is as likely as any other.  Rows are told apart by their
 * powers of two; the third kind comes twice.
 */
static void
test_choice_of_rows(void)
{
	SimplexTerms terms = {
		.lambda = 1, .rows = 2, .low = 0, .high = 8, .target_low = 0, .target_high = 8};
	Data *data = data_create(1);
	Instance instance;
	Histogram histogram = histogram_create(10);
	/* sums of (2 x - 8)^2 / 4 = 16, 9, 4, 4 of two rows; 8 = both of the third kind */
	static const int sums[] = {25, 20, 13, 8};
	static const double ways[] = {1, 2, 2, 1};
	static const double uneven[] = {1.3, 2, 2, 1};

	for (int i = 0; i < 3; i++)
		data_add(data, i == 2 ? 2 : 1, (int32_t[]){0, i}); /* |x - 4| = 4, 3, 2 */
	instance = data_instance(data);
	for (int i = 0; i < LAW_DRAWS; i++)
	{
		SimplexMoments moments;
		long sum;
		int cell = 4;

		simplex_moments_make(&instance, &terms, &bits, memory, &moments);
		CHECK(moments.rows == 2);
		sum = mpz_get_si(moments.a[0]) / 4;
		for (int k = 0; k < 4; k++)
			if (sums[k] == sum)
				cell = k;
		histogram_add(&histogram, (uint64_t) cell);
		simplex_moments_release(&moments, memory);
	}
	memcpy(histogram.truth, ways, sizeof(ways));
	memcpy(histogram.other, uneven, sizeof(uneven));
	CHECK(histogram.count[4] == 0);
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, 5);
	histogram_destroy(&histogram);
	free(data);
}

int
main(void)
{
	test_begin(57);
	test_moments();
	test_largest();
	test_clipping();
	test_choice_of_rows();
	return test_end("simplex_moments");
}
