/*
 * select_time.h - how long an enumeration takes, and how long at most by public numbers alone.
 */
#ifndef DPOBJ_CORE_SELECT_TIME_H
#define DPOBJ_CORE_SELECT_TIME_H

#include <stdbool.h>

#include "core/exponential/select.h"
#include "core/rows/encoding.h"

/*
 * Nanoseconds of one thread, the only such numbers of an enumeration; bench/enumerate.sh prints
 * what they say beside what it measures.  They hold with AVX2, on one of two busy cores of an EPYC
 * at 2.6 GHz: a row of a step of a scored column; a row that enters a table; a word of a first
 * table; a table that is made of others, and a word of it; a row and a level of a dense sum; a
 * configuration, and each group column and level of it; a choice of some columns that leaves the
 * next one a single level.
 */
#define SELECT_STEP_TIME 0.15
#define SELECT_ENTRY_TIME 3.0
#define SELECT_FIRST_WORD_TIME 0.6
#define SELECT_TABLE_TIME 2.0
#define SELECT_WORD_TIME 0.25
#define SELECT_DENSE_TIME 0.08
#define SELECT_VISIT_TIME 25.0
#define SELECT_LOOK_TIME 2.0
#define SELECT_FORCED_TIME 10.0

/* What a run must be able to bear: a machine that is 2.5 times as slow, with two threads. */
#define SELECT_SLOWEST 2.5
#define SELECT_TIME_THREADS 2.0

/* The cells of the rows by some summed columns, and the words of their tables. */
typedef struct SelectSize
{
	double cells;
	double words;
} SelectSize;

/* The words that a table of this many entries takes. */
extern int64_t select_table_words(int64_t entries);

/*
 * An enumeration: nodes[k] choices of the first k columns, of which the last can be summed, and at
 * most moves[k] times that column k changes its level.
 */
typedef struct SelectWork
{
	int depths;
	double nodes[GRID_MAX_DIMENSION + 1];
	double moves[GRID_MAX_DIMENSION];
	double forced; /* of these choices, those that leave the next column a single level */
	int groups;    /* group columns, 1 without a group */
	int levels;    /* of each */
	double rows;
	bool narrow;                             /* sums of nets fit 32 bits */
	int most;                                /* columns that can be summed */
	SelectSize size[GRID_MAX_DIMENSION + 1]; /* by the number of summed columns */
} SelectWork;

/* Sets depths, nodes, moves and forced for columns that change in this order, the first one
 * slowest. */
extern void select_count_work(const Grid *grid, const int *order, int depths, SelectWork *work);

/*
 * The order of a dense plan under a constraint, which is public: columns with fewer levels first.
 */
extern void select_public_order(const Grid *grid, int *order);

/* The nanoseconds of that plan; sets what select_count_work() sets. */
extern double select_constrained_time(const Grid *grid, SelectWork *work);

/* The number of columns to sum so that it is fastest and tables fit; its nanoseconds. */
extern int select_fastest_summed(const SelectWork *work, double *time);

/* The most columns, 0 .. most, whose tables fit. */
extern int select_most_summed(const SelectWork *work);

/* What is public about coordinates: which hold 0 and 1 only, and which exclude one another. */
typedef struct SelectParts
{
	int16_t part[COLUMNS_MAX];  /* -1: any number; of each part at most one column is 1 */
	int16_t cells[COLUMNS_MAX]; /* that all columns of a part make */
} SelectParts;

extern void select_parts_of(SelectParts *parts, const Encoding *encoding);

/* What an enumeration takes at most. */
typedef struct SelectBound
{
	double seconds;
	double words; /* of a thread's tables */
} SelectBound;

/* Over at most so many distinct rows. */
extern SelectBound select_bound(const Grid *grid, SelectGroup group, double rows,
								const SelectParts *parts);

#endif
