/*
 * oracle_incumbent.h - good vectors by local search, to prune against.
 *
 * The search's answer does not depend on what is found here, only its speed
 * does.  Effort is counted in visited non-zeros, never in time, and the
 * pseudo-random sequence is set by the caller, so that the same problem always
 * takes the same steps.
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

	bool borrows;   /* the columns belong to another */
	int64_t *first; /* non-zeros by column: first[j] .. first[j + 1] - 1 */
	uint32_t *row;  /* rows.h counts distinct rows in 32 bits */
	int32_t *value;

	int index[GRID_MAX_DIMENSION]; /* the vector at hand */
	int end;                       /* where the constraint's automaton ends with it */
	int64_t *score;                /* of every row */
	int64_t objective;
	int64_t effort; /* non-zeros visited since the last refill */
	int64_t allowance;
	uint64_t random; /* state of a fixed pseudo-random sequence */
} LocalSearch;

extern void local_search_create(LocalSearch *search, const OracleModel *model, Memory *memory);

/* On the columns of another, which must live as long: for another thread. */
extern void local_search_borrow(LocalSearch *search, const LocalSearch *owner, Memory *memory);

extern void local_search_destroy(LocalSearch *search, Memory *memory);

/*
 * A first vector of the grid, then so many restarts from pseudo-random ones, as
 * the allowance of effort permits; noise is used as scratch.
 */
extern void local_search_start(LocalSearch *search, NoiseProgramme *noise, int restarts,
							   Memory *memory);

/* Go on from this incumbent, with the pseudo-random sequence of this number. */
extern void local_search_resume(LocalSearch *search, const Incumbent *best, int64_t number);

/* Compare a vector of the grid, whose objective is value, with the best. */
extern void local_search_offer(LocalSearch *search, const int *index, int64_t value);

/* Walk downhill from a vector of the grid. */
extern void local_search_descend(LocalSearch *search, const int *index);

#endif
