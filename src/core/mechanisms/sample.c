/* sample.c - deals rows to parts, solves parts and counts votes. */
#include "core/mechanisms/sample.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/optimum/oracle.h"

#define FIRST_CAPACITY 16

/* ---- the order of the rows ---- */

/* A row with its sort key. */
typedef struct SortedRow
{
	const int32_t *x;
	int dimension;
	int64_t row;
	int64_t net;
} SortedRow;

/* Compares features, then labels; equal rows are alike. */
static int
compare_rows(const void *left, const void *right)
{
	const SortedRow *a = left;
	const SortedRow *b = right;

	for (int j = 0; j < a->dimension; j++)
		if (a->x[j] != b->x[j])
			return a->x[j] < b->x[j] ? -1 : 1;
	return (a->net > 0) - (b->net > 0);
}

static SortedRow *
sort_rows(const Instance *instance, Memory *memory)
{
	SortedRow *sorted = memory_allocate(memory, (size_t) instance->rows, sizeof(SortedRow));

	for (int64_t i = 0; i < instance->rows; i++)
		sorted[i] = (SortedRow){instance->x + i * instance->dimension, instance->dimension, i,
								instance->net[i]};
	if (!MUTANT(51) && instance->rows > 0)
		qsort(sorted, (size_t) instance->rows, sizeof(SortedRow), compare_rows);
	return sorted;
}

/* ---- the split ---- */

static void
part_add(SamplePart *part, int64_t row, int64_t net, Memory *memory)
{
	if (part->shares == part->capacity)
	{
		part->capacity = part->capacity > 0 ? 2 * part->capacity : FIRST_CAPACITY;
		part->share =
			memory_reallocate(memory, part->share, (size_t) part->capacity, sizeof(SampleShare));
	}
	part->share[part->shares++] = (SampleShare){row, net};
}

/* Throws a die for each of the equal rows; a share that exists already grows. */
static void
deal_row(SampleSplit *split, const SortedRow *sorted, Bits *bits, Memory *memory)
{
	int64_t copies = sorted->net > 0 ? sorted->net : -sorted->net;

	for (int64_t k = 0; k < copies; k++)
	{
		uint64_t thrown = bits_below(bits, (uint64_t) split->parts);
		SamplePart *part = &split->part[thrown];

		if (MUTANT(52))
			part = &split->part[(uint64_t) (sorted->x[0] + copies) % (uint64_t) split->parts];
		if (part->shares == 0 || part->share[part->shares - 1].row != sorted->row)
			part_add(part, sorted->row, 0, memory);
		part->share[part->shares - 1].net += sorted->net > 0 ? 1 : -1;
	}
}

void
sample_split(SampleSplit *split, const Instance *instance, int parts, Bits *bits, Memory *memory)
{
	SortedRow *sorted = sort_rows(instance, memory);

	split->instance = instance;
	split->parts = parts;
	split->part = memory_allocate_zero(memory, (size_t) parts, sizeof(SamplePart));
	for (int64_t i = 0; i < instance->rows; i++)
		deal_row(split, &sorted[i], bits, memory);
	memory_release(memory, sorted);
}

void
sample_split_destroy(SampleSplit *split, Memory *memory)
{
	for (int k = 0; k < split->parts; k++)
		memory_release(memory, split->part[k].share);
	memory_release(memory, split->part);
}

/* ---- a part ---- */

/* Adds rows to the last vector if its features are the same; equal features are neighbours. */
static void
append_share(Instance *instance, int32_t *x, int64_t *net, const int32_t *features, int64_t more)
{
	size_t length = (size_t) instance->dimension;
	int64_t last = instance->rows - 1;

	if (last >= 0 &&
		memcmp(x + last * instance->dimension, features, length * sizeof(int32_t)) == 0)
		net[last] += more;
	else
	{
		/* Labels that cancel out leave no row. */
		if (last >= 0 && net[last] == 0)
			instance->rows--;
		memcpy(x + instance->rows * instance->dimension, features, length * sizeof(int32_t));
		net[instance->rows++] = more;
	}
}

void
sample_part(const SampleSplit *split, int part, Memory *memory, Instance *instance)
{
	const SamplePart *source = &split->part[part];
	int dimension = split->instance->dimension;
	int32_t *x =
		memory_allocate(memory, (size_t) source->shares, (size_t) dimension * sizeof(int32_t));
	int64_t *net = memory_allocate(memory, (size_t) source->shares, sizeof(int64_t));

	*instance = (Instance){.dimension = dimension, .x = x, .net = net};
	for (int64_t k = 0; k < source->shares; k++)
		append_share(instance, x, net, split->instance->x + source->share[k].row * dimension,
					 source->share[k].net);
	if (instance->rows > 0 && net[instance->rows - 1] == 0)
		instance->rows--;
}

void
sample_part_destroy(Instance *instance, Memory *memory)
{
	memory_release(memory, (void *) instance->x);
	memory_release(memory, (void *) instance->net);
}

/* ---- its answer ---- */

bool
sample_answer(const SampleEffort *effort, const Instance *part, Memory *memory, int *index,
			  int64_t *nodes)
{
	size_t rewards = (size_t) effort->grid->dimension * GRID_MAX_LEVELS;
	mpz_t *reward;
	OracleProblem problem = {
		.instance = part,
		.grid = effort->grid,
		.scale = 1,
		.threads = effort->threads,
		.node_limit = effort->nodes,
	};
	OracleAnswer answer = {.nodes = 0};
	bool found;

	if (part->rows == 0)
		return false;
	reward = integers_create(rewards, memory);
	problem.reward = (const mpz_t *) reward;
	found = oracle_search_within(&problem, memory, &answer);
	if (found)
		memcpy(index, answer.index, (size_t) effort->grid->dimension * sizeof(int));
	*nodes = answer.nodes;
	integers_destroy(reward, rewards, memory);
	return found;
}

/* ---- the votes ---- */

/* The public order of the grid. */
static int
compare_votes(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(SampleVote));
}

/* Merges the votes, which are in the array of candidates, and counts equal ones. */
static void
count_votes(SampleBallot *ballot, int64_t votes)
{
	SampleVote *vote = ballot->candidate;

	if (votes > 0)
		qsort(vote, (size_t) votes, sizeof(SampleVote), compare_votes);
	ballot->candidates = 0;
	for (int64_t k = 0; k < votes; k++)
	{
		int64_t last = ballot->candidates - 1;

		if (last >= 0 && compare_votes(&vote[last], &vote[k]) == 0)
			ballot->count[last]++;
		else
		{
			vote[last + 1] = vote[k];
			ballot->count[last + 1] = 1;
			ballot->candidates++;
		}
	}
}

/* Every part starts anew; only votes remain of earlier parts. */
void
sample_vote(SampleBallot *ballot, const SampleSplit *split, const SampleEffort *effort,
			Memory *memory)
{
	int64_t votes = 0;

	ballot->candidate = memory_allocate_zero(memory, (size_t) split->parts, sizeof(SampleVote));
	ballot->count = memory_allocate(memory, (size_t) split->parts, sizeof(int64_t));
	ballot->nodes = 0;
	for (int k = 0; k < split->parts; k++)
	{
		int index[GRID_MAX_DIMENSION] = {0};
		SampleEffort own = *effort;
		Instance part;
		int64_t nodes = 0;

		if (MUTANT(55) && ballot->nodes >= own.nodes)
			own.nodes = 1;
		sample_part(split, k, memory, &part);
		if (sample_answer(&own, &part, memory, index, &nodes))
		{
			for (int j = 0; j < effort->grid->dimension; j++)
				ballot->candidate[votes].index[j] = (uint8_t) index[j];
			votes++;
		}
		ballot->nodes += nodes;
		sample_part_destroy(&part, memory);
	}
	count_votes(ballot, votes);
}

void
sample_ballot_destroy(SampleBallot *ballot, Memory *memory)
{
	memory_release(memory, ballot->candidate);
	memory_release(memory, ballot->count);
}
