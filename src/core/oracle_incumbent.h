/*
 * oracle_incumbent.h - good vectors by local search, to prune against.
 *
 * The search's answer does not depend on what is found here, only its speed
 * does.  Effort is counted in visited non-zeros, never in time, so that the
 * same problem always takes the same steps.
 */
#ifndef DPOBJ_CORE_ORACLE_INCUMBENT_H
#define DPOBJ_CORE_ORACLE_INCUMBENT_H

#include "core/oracle_noise.h"

typedef struct LocalSearch
{
	const OracleModel *model;
	Choices choices[GRID_MAX_DIMENSION]; /* of the model's box */
	Incumbent best;
	bool found;

	int64_t *first; /* non-zeros by column: first[j] .. first[j + 1] - 1 */
	int64_t *row;
	int32_t *value;

	int index[GRID_MAX_DIMENSION]; /* the vector at hand */
	int64_t *score;                /* of every row */
	int64_t objective;
	int64_t effort; /* non-zeros visited since the last refill */
	int64_t allowance;
	uint64_t random; /* state of a fixed pseudo-random sequence */
} LocalSearch;

extern void local_search_create(LocalSearch *search, const OracleModel *model, Memory *memory);
extern void local_search_destroy(LocalSearch *search, Memory *memory);

/*
 * A first vector of the grid, then so many restarts from pseudo-random ones, as
 * the allowance of effort permits; noise is used as scratch.
 */
extern void local_search_start(LocalSearch *search, NoiseProgramme *noise, int restarts,
							   Memory *memory);

/* Compare one vector of the grid with the best; then, if asked, walk downhill from it. */
extern void local_search_offer(LocalSearch *search, const int *index, bool descend);

#endif
