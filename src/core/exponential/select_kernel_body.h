/*
 * select_kernel_body.h - the loops of select_kernel.c, which includes this file for each set of
 * vector instructions: BITS is the size of a vector, TARGET the attribute that allows the
 * instructions, and NAME() makes a function's name.
 *
 * The vectors are those of GCC and clang, which lower them to what the target has.  They are as
 * wide as its registers, and may lie at any address that an element may have.
 */
#define LANES (BITS / 32)
#define WORDS (BITS / 64)
#define Lanes NAME(Lanes)
#define UnsignedLanes NAME(UnsignedLanes)
#define Words NAME(Words)

typedef int32_t Lanes __attribute__((vector_size(BITS / 8), aligned(4), may_alias));
typedef uint32_t UnsignedLanes __attribute__((vector_size(BITS / 8), aligned(4), may_alias));
typedef uint64_t Words __attribute__((vector_size(BITS / 8), aligned(8), may_alias));

/* ---- scores ---- */

TARGET static void
NAME(step)(uint32_t *score, const int32_t *value, int64_t rows, int32_t difference)
{
	int64_t i = 0;

	for (; i + LANES <= rows; i += LANES)
		*(UnsignedLanes *) (score + i) +=
			*(const UnsignedLanes *) (value + i) * (uint32_t) difference;
	for (; i < rows && !MUTANT(211); i++)
		score[i] += (uint32_t) difference * (uint32_t) value[i];
}

/* ---- tables from scores ---- */

/*
 * score + t 2^FIXED_POINT_BITS > 0  iff  t > -score / 2^FIXED_POINT_BITS, and the least such t is
 * -floor((score - 1) / 2^FIXED_POINT_BITS).
 */
TARGET static void
NAME(tabulate)(uint64_t *table, const uint32_t *score, const SelectRows *rows)
{
	int64_t i = 0;

	for (; i + LANES <= rows->count; i += LANES)
	{
		Lanes size = *(const Lanes *) (rows->size + i);
		Lanes entry = -((Lanes) (*(const UnsignedLanes *) (score + i) - 1) >> FIXED_POINT_BITS) -
					  *(const Lanes *) (rows->low + i);
		Lanes word;

		entry &= entry > 0;
		entry -= (entry - size) & (entry > size);
		word = *(const Lanes *) (rows->start + i) + entry;
		for (int k = 0; k < LANES; k++)
			table[word[k]] -= (uint64_t) rows->net[i + k];
	}
	for (; i < rows->count; i++)
	{
		int32_t entry = -((int32_t) (score[i] - 1) >> FIXED_POINT_BITS) - rows->low[i];

		entry = entry < 0 ? 0 : entry > rows->size[i] ? rows->size[i] : entry;
		table[rows->start[i] + entry] -= (uint64_t) rows->net[i];
	}
}

/* ---- tables from tables ---- */

/* Words beyond a table's end belong to another table or to none: what is made of them is not used.
 */
TARGET static void
NAME(add)(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count, int32_t shift)
{
	for (int64_t m = 0; m < count; m++)
		for (int32_t i = 0; i < move[m].words; i += WORDS)
			*(Words *) (to + move[m].to + i) = *(const Words *) (from + move[m].without + i) +
											   *(const Words *) (from + move[m].with + shift + i);
}

TARGET static void
NAME(copy_with)(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count,
				int32_t shift)
{
	for (int64_t m = 0; m < count; m++)
		for (int32_t i = 0; i < move[m].words; i += WORDS)
			*(Words *) (to + move[m].to + i) = *(const Words *) (from + move[m].with + shift + i);
}

TARGET static void
NAME(copy_without)(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count)
{
	for (int64_t m = 0; m < count; m++)
		for (int32_t i = 0; i < move[m].words; i += WORDS)
			*(Words *) (to + move[m].to + i) = *(const Words *) (from + move[m].without + i);
}

/* ---- sums without tables ---- */

/*
 * The sums of a tile: levels that follow one another by 1, each with a vector of sums of its own.
 * A lane's sum is one of some rows' nets, so it stays in 32 bits.
 */
TARGET static inline __attribute__((always_inline)) void
NAME(sum_tile)(int64_t *sum, const SelectRun *run, int32_t weight, int levels, int32_t bound)
{
	Lanes total[TILE] = {{0}};
	int64_t whole = run->count - run->count % LANES;

	for (int64_t i = 0; i < whole; i += LANES)
	{
		Lanes net = *(const Lanes *) (run->net + i);
		UnsignedLanes value = *(const UnsignedLanes *) (run->value + i);
		UnsignedLanes score = *(const UnsignedLanes *) (run->score + i) + value * (uint32_t) weight;

		for (int k = 0; k < levels; k++)
		{
			total[k] -= net & ((Lanes) score > bound);
			score += value;
		}
	}
	for (int k = 0; k < levels; k++)
	{
		sum[k] = 0;
		for (int lane = 0; lane < LANES; lane++)
			sum[k] += total[k][lane];
		for (int64_t i = whole; i < run->count && !MUTANT(211); i++)
		{
			uint32_t score = run->score[i] + (uint32_t) run->value[i] * (uint32_t) (weight + k);

			sum[k] -= (int32_t) score > bound ? run->net[i] : 0;
		}
	}
}

/* A constant number of levels keeps their sums in registers. */
TARGET static void
NAME(sum)(int64_t *sum, const SelectRun *run, const int8_t *weight, int levels, int32_t bound)
{
	for (int first = 0, count; first < levels; first += count)
	{
		count = 1;
		while (first + count < levels && weight[first + count] == weight[first] + count)
			count++;
		/* tiles of about equal length */
		count = (count + (count - 1) / TILE) / ((count - 1) / TILE + 1);
		switch (count)
		{
			case TILE:
				NAME(sum_tile)(sum + first, run, weight[first], TILE, bound);
				break;
			case 7:
				NAME(sum_tile)(sum + first, run, weight[first], 7, bound);
				break;
			case 6:
				NAME(sum_tile)(sum + first, run, weight[first], 6, bound);
				break;
			case 5:
				NAME(sum_tile)(sum + first, run, weight[first], 5, bound);
				break;
			case 4:
				NAME(sum_tile)(sum + first, run, weight[first], 4, bound);
				break;
			case 3:
				NAME(sum_tile)(sum + first, run, weight[first], 3, bound);
				break;
			case 2:
				NAME(sum_tile)(sum + first, run, weight[first], 2, bound);
				break;
			default:
				NAME(sum_tile)(sum + first, run, weight[first], 1, bound);
		}
	}
}

/* ---- the kernel ---- */

static const SelectKernel NAME(kernel) = {
	NAME(step), NAME(tabulate), NAME(add), NAME(copy_with), NAME(copy_without), NAME(sum),
};

#undef Words
#undef UnsignedLanes
#undef Lanes
#undef WORDS
#undef LANES
#undef NAME
#undef TARGET
#undef BITS
