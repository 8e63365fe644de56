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

#include "core/optimum/oracle_noise.h"
#include "core/optimum/oracle_rows.h"

/* Rows first .. end - 1, in the order of the row tables; rows.h counts rows in 32 bits. */
typedef struct RowRun
{
	uint32_t first;
	uint32_t end;
} RowRun;

/* Where a column is not 0, and its values there: value[row * stride]. */
typedef struct SparseColumn
{
	int64_t first_run;
	int64_t end_run;
	const int32_t *value;
	int stride; /* 0: all values are the same */
} SparseColumn;

typedef struct LocalSearch
{
	const OracleModel *model;
	Choices choices[GRID_MAX_DIMENSION]; /* of the model's box */
	Incumbent best;
	bool found;

	const RowTables *rows; /* their order of the rows puts a binary column's ones together */
	SparseColumn column[GRID_MAX_DIMENSION];
	RowRun *run;
	bool borrows; /* the runs belong to another */

	int index[GRID_MAX_DIMENSION]; /* the vector at hand */
	int end;                       /* where the constraint's automaton ends with it */
	int64_t *score;                /* of every row */
	int64_t objective;
	int64_t effort; /* non-zeros visited since the last refill */
	int64_t allowance;
	uint64_t random; /* state of a fixed pseudo-random sequence */
} LocalSearch;

/*
 * Shares the runs and the row tables of owner unless that is NULL, for another thread; both must
 * live as long.
 */
extern void local_search_create(LocalSearch *search, const RowTables *rows,
								const LocalSearch *owner, Memory *memory);
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
