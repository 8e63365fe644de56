/*
 * pool_select.c - rates the pool, counts candidates by loss, and draws: a loss by the exact draw of
 * select_vote.c, with "votes" the rows by which a loss is better than the worst, then any of the
 * candidates with that loss.
 */
#include "core/pool/pool_select.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/pool/pool_losses.h"

/* Products in all rounds: 10 to 50 seconds on two processors, by their instructions
 * (bench/pool.sh). */
#define MOST_PRODUCTS 1.2e12

typedef struct Candidate
{
	int64_t loss;
	int64_t number;
} Candidate;

/* A pool by loss, the best first. */
typedef struct Ranking
{
	Candidate *candidate;
	int64_t candidates;
	int64_t stay;
	int64_t losses; /* different ones, without the worst */
	int64_t *votes; /* of each */
	int64_t *count; /* of candidates with it, candidate 0 as often as it counts */
	int64_t *first; /* their first place in the ranking; of the worst too */
} Ranking;

int64_t
pool_size(int64_t rows, int dimension, int rounds)
{
	double size = MOST_PRODUCTS / ((double) rows * dimension * rounds + 1);

	return size < 1 ? 1 : size > POOL_MOST ? POOL_MOST : (int64_t) size;
}

static int
compare_candidates(const void *left, const void *right)
{
	const Candidate *a = left;
	const Candidate *b = right;

	if (a->loss != b->loss)
		return a->loss < b->loss ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* How often the candidates of the ranking from first to end - 1 count. */
static int64_t
counted(const Ranking *ranking, int64_t first, int64_t end)
{
	int64_t count = end - first;

	for (int64_t i = first; i < end && !MUTANT(208); i++)
		if (ranking->candidate[i].number == 0)
			count += ranking->stay - 1;
	return count;
}

static void
ranking_create(Ranking *ranking, const int64_t *loss, int64_t candidates, int64_t stay,
			   Memory *memory)
{
	size_t size = (size_t) candidates;
	int64_t worst;

	*ranking = (Ranking){
		.candidate = memory_allocate(memory, size, sizeof(Candidate)),
		.candidates = candidates,
		.stay = stay,
		.votes = memory_allocate(memory, size, sizeof(int64_t)),
		.count = memory_allocate(memory, size, sizeof(int64_t)),
		.first = memory_allocate_zero(memory, size + 1, sizeof(int64_t)),
	};
	for (int64_t m = 0; m < candidates; m++)
		ranking->candidate[m] = (Candidate){loss[m], m};
	qsort(ranking->candidate, size, sizeof(Candidate), compare_candidates);
	worst = ranking->candidate[candidates - 1].loss;
	for (int64_t i = 0, end; ranking->candidate[i].loss < worst; i = end)
	{
		int64_t k = ranking->losses++;

		for (end = i; ranking->candidate[end].loss == ranking->candidate[i].loss;)
			end++;
		ranking->votes[k] = worst - ranking->candidate[i].loss;
		ranking->count[k] = counted(ranking, i, end);
		ranking->first[k] = i;
		ranking->first[k + 1] = end;
	}
}

static void
ranking_destroy(Ranking *ranking, Memory *memory)
{
	memory_release(memory, ranking->candidate);
	memory_release(memory, ranking->votes);
	memory_release(memory, ranking->count);
	memory_release(memory, ranking->first);
}

SelectRate
pool_rate(const PoolProblem *problem)
{
	int64_t margin = MUTANT(210) ? 1 : privacy_margin(problem->adjacency);
	int64_t rounds = MUTANT(207) ? 1 : problem->rounds;

	return (SelectRate){problem->epsilon, EPSILON_ONE * margin * rounds};
}

/* Candidate 0 has places of its own after the others', as many more as it counts. */
static int64_t
draw_candidate(const Ranking *ranking, SelectRate rate, Bits *bits)
{
	int64_t first = 0;
	int64_t end = ranking->candidates;
	int64_t found;
	int64_t place;
	mpz_t size;

	mpz_init(size);
	mpz_from_word(size, (uint64_t) counted(ranking, first, end));
	found = select_vote(rate, ranking->votes, ranking->count, ranking->losses, size, bits);
	mpz_clear(size);
	if (found >= 0)
	{
		first = ranking->first[found];
		end = ranking->first[found + 1];
	}
	place = (int64_t) bits_below(bits, (uint64_t) counted(ranking, first, end));
	if (place >= end - first)
		return 0;
	return found >= 0 ? ranking->candidate[first + place].number : place;
}

/* The losses of all candidates on all rows, a part of the table after the other. */
static int64_t *
rate(const PoolProblem *problem, const PoolCandidates *pool, Memory *memory)
{
	PoolUnits units = pool_units(&problem->law.shape);
	int64_t rows = MUTANT(239) ? POOL_PART_ROWS : problem->instance->rows;
	int64_t *loss = memory_allocate_zero(memory, (size_t) pool_room(pool->count), sizeof(int64_t));

	for (int64_t start = 0; start < rows; start += POOL_PART_ROWS)
	{
		PoolRows part;

		pool_rows_create(&part, problem->instance, start, &units, memory);
		pool_losses(&part, pool->weight, pool->count, pool_fastest_kernel(), problem->threads,
					memory, loss);
		pool_rows_destroy(&part, memory);
	}
	return loss;
}

/* Moves the centre to the candidate drawn, and returns its number. */
static int64_t
run_round(const PoolProblem *problem, int round, Bits *bits, Memory *memory, int64_t *centre)
{
	PoolLaw law = problem->law;
	int64_t *loss;
	int64_t drawn;
	PoolCandidates pool;
	Ranking ranking;

	if (MUTANT(206))
		law.rows = (double) problem->instance->rows;
	pool_candidates_create(&pool, &law, centre, &problem->seed, round, problem->candidates,
						   problem->threads, memory);
	loss = rate(problem, &pool, memory);
	ranking_create(&ranking, loss, pool.count, pool.stay, memory);
	drawn = draw_candidate(&ranking, pool_rate(problem), bits);
	pool_candidate(&pool, law.shape.dimension, drawn, centre);
	ranking_destroy(&ranking, memory);
	memory_release(memory, loss);
	pool_candidates_destroy(&pool, memory);
	return drawn;
}

void
pool_select(const PoolProblem *problem, Bits *bits, Memory *memory, int64_t *answer,
			PoolRecord *record)
{
	*record = (PoolRecord){.seed = problem->seed};
	memcpy(record->centre, problem->centre, sizeof(record->centre));
	memcpy(answer, problem->centre, (size_t) problem->law.shape.dimension * sizeof(int64_t));
	for (int round = 0; round < problem->rounds; round++)
		record->drawn[round] = run_round(problem, round, bits, memory, answer);
}
