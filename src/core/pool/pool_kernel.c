/*
 * pool_kernel.c - one loop, five times: in C, and for four sets of instructions.
 *
 * A 32-bit lane holds one row.  A multiplication takes two columns at a time: the products of two
 * pairs of 16-bit numbers, added up.  The scores of POOL_GROUP candidates on all or a part of a
 * tile stay in registers while the columns pass, and then choose which nets are added up.
 */
#include "core/pool/pool_kernel.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

_Static_assert((int64_t) POOL_MAX_NET *POOL_TILE_ROWS *POOL_CHUNK_TILES < INT64_C(1) << 31,
			   "sums of nets over a chunk fit 32 bits");

static const int16_t *
tile_features(const PoolRows *rows, int64_t tile)
{
	return rows->x + tile * rows->pairs * POOL_TILE_ROWS * 2;
}

static void
run_portable(const PoolRows *rows, int64_t first_tile, int tiles, const int16_t *weight,
			 int32_t *predicted)
{
	for (int q = 0; q < POOL_GROUP; q++, weight += 2 * rows->pairs)
	{
		predicted[q] = 0;
		for (int64_t tile = first_tile; tile < first_tile + tiles; tile++)
		{
			const int16_t *x = tile_features(rows, tile);
			const int32_t *net = rows->net + tile * POOL_TILE_ROWS;
			uint32_t score[POOL_TILE_ROWS] = {0};

			for (int p = 0; p < rows->pairs; p++, x += 2 * POOL_TILE_ROWS)
				for (int i = 0; i < POOL_TILE_ROWS; i++)
					score[i] += (uint32_t) (weight[2 * p] * x[2 * i]) +
								(uint32_t) (weight[2 * p + 1] * x[2 * i + 1]);
			for (int i = 0; i < POOL_TILE_ROWS; i++)
				predicted[q] += -((int32_t) score[i] > 0) & net[i]; /* a branch is slow */
		}
	}
}

#if defined(__x86_64__)

/* Weights of two columns, as one lane holds them. */
static inline int32_t
weight_pair(const int16_t *weight, int pairs, int q, int p)
{
	int32_t pair;

	memcpy(&pair, weight + 2 * (q * pairs + p), sizeof(pair));
	return pair;
}

/* Registers are variables, not arrays: no compiler then keeps them in memory. */
#define EACH(DO, V) DO(0, V) DO(1, V) DO(2, V) DO(3, V) DO(4, V) DO(5, V)

#define BEGIN_SUM(q, V) V sum_##q = V##_ZERO;
#define BEGIN_SCORE(q, V)                                                                          \
	V score_##q##_0 = V##_ZERO;                                                                    \
	V score_##q##_1 = V##_ZERO;
#define ADD_PRODUCTS(q, V)                                                                         \
	{                                                                                              \
		V both = V##_SET(weight_pair(weight, rows->pairs, q, p));                                  \
                                                                                                   \
		score_##q##_0 = ADD_PRODUCT(score_##q##_0, both, x_0);                                     \
		score_##q##_1 = ADD_PRODUCT(score_##q##_1, both, x_1);                                     \
	}
#define ADD_NETS(q, V)                                                                             \
	sum_##q = V##_ADD_IF(score_##q##_0, sum_##q, net_0);                                           \
	sum_##q = V##_ADD_IF(score_##q##_1, sum_##q, net_1);
#define END_SUM(q, V) predicted[q] = V##_TOTAL(sum_##q);

/* Two registers of rows at a time, for each candidate. */
#define RUN(V)                                                                                     \
	EACH(BEGIN_SUM, V)                                                                             \
	for (int64_t tile = first_tile; tile < first_tile + tiles; tile++)                             \
		for (int row = 0; row < POOL_TILE_ROWS; row += 2 * V##_ROWS)                               \
		{                                                                                          \
			const int16_t *x = tile_features(rows, tile) + 2 * row;                                \
			const int32_t *net = rows->net + tile * POOL_TILE_ROWS + row;                          \
			V net_0 = V##_LOAD(net);                                                               \
			V net_1 = V##_LOAD(net + V##_ROWS);                                                    \
			EACH(BEGIN_SCORE, V)                                                                   \
                                                                                                   \
			for (int p = 0; p < rows->pairs; p++, x += 2 * POOL_TILE_ROWS)                         \
			{                                                                                      \
				V x_0 = V##_LOAD(x);                                                               \
				V x_1 = V##_LOAD(x + 2 * V##_ROWS);                                                \
                                                                                                   \
				EACH(ADD_PRODUCTS, V)                                                              \
			}                                                                                      \
			EACH(ADD_NETS, V)                                                                      \
		}                                                                                          \
	EACH(END_SUM, V)

/* ---- 128 bits: every x86-64 has SSE2 ---- */

typedef __m128i Least;

#define Least_ROWS 4
#define Least_ZERO _mm_setzero_si128()
#define Least_SET _mm_set1_epi32
#define Least_LOAD(from) _mm_load_si128((const __m128i *) (from))
#define Least_ADD_IF(score, sum, net)                                                              \
	_mm_add_epi32(sum, _mm_and_si128(_mm_cmpgt_epi32(score, Least_ZERO), net))
#define Least_TOTAL least_total

static inline int32_t
least_total(__m128i sum)
{
	int32_t lane[Least_ROWS];

	_mm_storeu_si128((__m128i *) lane, sum);
	return lane[0] + lane[1] + lane[2] + lane[3];
}

#define ADD_PRODUCT(sum, a, b) _mm_add_epi32(sum, _mm_madd_epi16(a, b))

static void
run_sse2(const PoolRows *rows, int64_t first_tile, int tiles, const int16_t *weight,
		 int32_t *predicted)
{
	RUN(Least)
}

/* ---- 256 bits ---- */

typedef __m256i Short;

#define Short_ROWS 8
#define Short_ZERO _mm256_setzero_si256()
#define Short_SET _mm256_set1_epi32
#define Short_LOAD(from) _mm256_load_si256((const __m256i *) (from))
#define Short_ADD_IF(score, sum, net)                                                              \
	_mm256_add_epi32(sum, _mm256_and_si256(_mm256_cmpgt_epi32(score, Short_ZERO), net))
#define Short_TOTAL short_total

__attribute__((target("avx2"))) static inline int32_t
short_total(__m256i sum)
{
	int32_t lane[Short_ROWS];
	int32_t total = 0;

	_mm256_storeu_si256((__m256i *) lane, sum);
	for (int i = 0; i < Short_ROWS; i++)
		total += lane[i];
	return total;
}

#undef ADD_PRODUCT
#define ADD_PRODUCT(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))

__attribute__((target("avx2"))) static void
run_avx2(const PoolRows *rows, int64_t first_tile, int tiles, const int16_t *weight,
		 int32_t *predicted)
{
	RUN(Short)
}

/* ---- 512 bits ---- */

typedef __m512i Long;

#define Long_ROWS 16
#define Long_ZERO _mm512_setzero_si512()
#define Long_SET _mm512_set1_epi32
#define Long_LOAD _mm512_load_si512
#define Long_ADD_IF(score, sum, net)                                                               \
	_mm512_mask_add_epi32(sum, _mm512_cmpgt_epi32_mask(score, Long_ZERO), sum, net)
#define Long_TOTAL _mm512_reduce_add_epi32

#undef ADD_PRODUCT
#define ADD_PRODUCT(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))

__attribute__((target("avx512f,avx512bw"))) static void
run_avx512(const PoolRows *rows, int64_t first_tile, int tiles, const int16_t *weight,
		   int32_t *predicted)
{
	RUN(Long)
}

#undef ADD_PRODUCT
#define ADD_PRODUCT _mm512_dpwssd_epi32

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
run_avx512_vnni(const PoolRows *rows, int64_t first_tile, int tiles, const int16_t *weight,
				int32_t *predicted)
{
	RUN(Long)
}

#endif

int
pool_kernels(PoolKernel kernel[POOL_MAX_KERNELS])
{
	int count = 0;

	kernel[count++] = run_portable;
#if defined(__x86_64__)
	kernel[count++] = run_sse2;
	if (__builtin_cpu_supports("avx2"))
		kernel[count++] = run_avx2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
	{
		kernel[count++] = run_avx512;
		if (__builtin_cpu_supports("avx512vnni"))
			kernel[count++] = run_avx512_vnni;
	}
#endif
	return count;
}

PoolKernel
pool_fastest_kernel(void)
{
	PoolKernel kernel[POOL_MAX_KERNELS] = {NULL};

	return kernel[pool_kernels(kernel) - 1];
}
