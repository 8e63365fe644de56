/*
 * oracle_incumbent.h - good vectors by local search, to prune against.
 *
 * The oracle's answer does not depend on the vectors found here, only its speed does.  Effort is
 * counted in visited non-zeros, not in time, and the caller sets the pseudo-random sequence, so the
 * same problem always takes the same steps.
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

/* The rows in which a column is not 0, and its values in them: value[row * stride]. */
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

	const RowTables *rows; /* they order rows so that a binary column's ones lie together */
	SparseColumn column[GRID_MAX_DIMENSION];
	RowRun *run;
	bool borrows; /* the runs belong to another search */

	int index[GRID_MAX_DIMENSION]; /* the current vector */
	int end;                       /* grid_end_state() of the current vector */
	int64_t *score;                /* of every row */
	int64_t objective;
	int64_t effort; /* non-zeros visited so far */
	int64_t effort_limit;
	uint64_t random; /* state of a fixed pseudo-random sequence */
} LocalSearch;

/*
 * If owner is not NULL, shares its runs and row tables, for another thread; both must then outlive
 * search.
 */
extern void local_search_create(LocalSearch *search, const RowTables *rows,
								const LocalSearch *owner, Memory *memory);
extern void local_search_destroy(LocalSearch *search, Memory *memory);

/*
 * Takes a first vector of the grid, then restarts from pseudo-random ones while the effort is
 * allowed.  Uses noise as scratch.
 */
extern void local_search_start(LocalSearch *search, NoiseProgramme *noise, int restarts,
							   Memory *memory);

/* Continues from this incumbent, with the pseudo-random sequence of this number. */
extern void local_search_resume(LocalSearch *search, const Incumbent *best, int64_t number);

/* Compares a vector of the grid, whose objective is value, with the best. */
extern void local_search_offer(LocalSearch *search, const int *index, int64_t value);

/* Descends from a vector of the grid. */
extern void local_search_descend(LocalSearch *search, const int *index);

#endif
