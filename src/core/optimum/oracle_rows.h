/*
 * oracle_rows.h - the loss of a training set as a sum of small tables.
 *
 * A column whose values are all 0 or 1 is binary, any other is numeric.  Rows
 * with the same binary pattern form a group: their scores are s + (numeric part),
 * where s is the sum of the weights of the pattern's columns, an integer.  Over a
 * box of numeric weights every row's numeric part lies in an interval, so each
 * value of s makes some rows wrong for sure.  table[s - low] adds up scale * |net|
 * of these: a lower bound of the group's loss in the box, exact once the
 * numeric weights are fixed (theorem B3).
 *
 * Reading a binary column as numeric is valid too, only the bound is weaker.
 * This is how instances are handled whose tables would not fit memory.
 */
#ifndef DPOBJ_CORE_ORACLE_ROWS_H
#define DPOBJ_CORE_ORACLE_ROWS_H

#include "core/optimum/oracle_internal.h"

/* A set of columns. */
typedef struct ColumnSet
{
	uint64_t word[2];
} ColumnSet;

static inline bool
column_set_has(ColumnSet set, int j)
{
	return set.word[j / 64] >> (j % 64) & 1;
}

static inline void
column_set_add(ColumnSet *set, int j)
{
	set->word[j / 64] |= UINT64_C(1) << (j % 64);
}

static inline ColumnSet
column_set_intersection(ColumnSet a, ColumnSet b)
{
	return (ColumnSet){{a.word[0] & b.word[0], a.word[1] & b.word[1]}};
}

static inline ColumnSet
column_set_difference(ColumnSet a, ColumnSet b)
{
	return (ColumnSet){{a.word[0] & ~b.word[0], a.word[1] & ~b.word[1]}};
}

static inline bool
column_set_equal(ColumnSet a, ColumnSet b)
{
	return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

/* Negative, zero or positive, in some total order. */
static inline int
column_set_compare(ColumnSet a, ColumnSet b)
{
	for (int k = 0; k < 2; k++)
		if (a.word[k] != b.word[k])
			return a.word[k] < b.word[k] ? -1 : 1;
	return 0;
}

static inline int
column_set_count(ColumnSet set)
{
	return __builtin_popcountll(set.word[0]) + __builtin_popcountll(set.word[1]);
}

/* Removes the smallest member and returns it; -1 if the set is empty. */
static inline int
column_set_take(ColumnSet *set)
{
	for (int k = 0; k < 2; k++)
		if (set->word[k] != 0)
		{
			int j = 64 * k + __builtin_ctzll(set->word[k]);

			set->word[k] &= set->word[k] - 1;
			return j;
		}
	return -1;
}

typedef struct RowGroup
{
	ColumnSet scope;   /* the binary pattern */
	int64_t first_row; /* in RowTables.value and RowTables.net */
	int64_t end_row;
	int low;        /* smallest sum of the pattern's weights */
	int width;      /* number of sums; not all of them need be reachable */
	int64_t *table; /* width entries and a spare one */
} RowGroup;

typedef struct RowTables
{
	const OracleModel *model;
	bool borrows; /* rows and their order belong to other tables */
	int numerics;
	int numeric[GRID_MAX_DIMENSION]; /* the numeric columns */
	bool is_numeric[GRID_MAX_DIMENSION];
	int64_t mass[GRID_MAX_DIMENSION]; /* sum of |net| over the rows where the column is not 0 */
	int groups;
	RowGroup *group;
	int64_t *entries; /* of all tables */
	int32_t *value;   /* rows x numerics, in the order of groups */
	int64_t *net;
	int64_t updates; /* how often the tables were computed */
	bool tabulated;  /* the tables are for the numeric box low .. high */
	int low[GRID_MAX_DIMENSION];
	int high[GRID_MAX_DIMENSION];
	int64_t pairs; /* of a group and a column of its pattern */
	int64_t sums;  /* number of partial sums, over groups and prefixes of their patterns */
	int stride;    /* largest number of levels of a coordinate */
} RowTables;

/*
 * Groups the rows.  Reads as few binary columns as needed as numeric to keep the cells that can be
 * built on these groups (oracle_cells.h) within max_entries.
 */
extern void row_tables_create(RowTables *tables, const OracleModel *model, int64_t max_entries,
							  Memory *memory);

/*
 * Makes tables of their own for another thread, which share the rows of owner; owner must outlive
 * them.
 */
extern void row_tables_borrow(RowTables *tables, const RowTables *owner, Memory *memory);

extern void row_tables_destroy(RowTables *tables, Memory *memory);

/*
 * Returns the loss of a vector less the instance's constant, from the definition, without tables.
 */
extern int64_t row_tables_loss(const RowTables *tables, const int *index);

/*
 * Returns a lower bound of scale times the loss of a vector in the tables' box, from one entry per
 * group.
 */
extern int64_t row_tables_least(const RowTables *tables, const int *index);

/* Computes the tables for these numeric choices, if they have changed. */
extern void row_tables_update(RowTables *tables, const Choices *choices);

#endif
