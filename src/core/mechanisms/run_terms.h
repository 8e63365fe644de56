/*
 * run_terms.h - what is public about the length of a run (rule F3).
 *
 * The most seconds count with a slow machine, the expected ones with the machine of docs/solver.md:
 * bench/ends.sh prints them beside what is measured.  No law depends on any of them, and all are
 * public.
 */
#ifndef DPOBJ_CORE_RUN_TERMS_H
#define DPOBJ_CORE_RUN_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/exponential/select.h"
#include "core/exponential/select_time.h"
#include "core/rows/encoding.h"

/*
 * The number of rows that is assumed where none is public: under add_remove without a declared
 * number, and where no table is named yet.
 */
#define RUN_ASSUMED_ROWS INT64_C(1000000)

typedef struct RunTerms
{
	double rows;     /* that enter, at most */
	double distinct; /* of these, at most */
	double held;     /* distinct rows that a run may have to hold in memory, at most */
	SelectParts parts;
	double longest; /* seconds that a run may take: dpobj.longest_run */
	double memory;  /* bytes that it may usually take; infinite without a public number of rows */
} RunTerms;

/* A run that nobody has asked to be larger usually takes at most 1 GiB. */
#define RUN_MOST_MEMORY (1024.0 * 1024 * 1024)

/* What is chosen automatically takes at most half of that. */
#define RUN_CHOSEN_MEMORY (512.0 * 1024 * 1024)

/* rows: the public number, 0 if there is none. */
extern RunTerms run_terms(int64_t rows, const Encoding *encoding, double longest);

/*
 * Bytes of a run that has the distinct rows so many times in memory, beside tables and trees: at
 * most, and usually.  copies: 0 if it reads the rows in passes.
 */
extern double run_bytes(const RunTerms *terms, int dimension, int copies);
extern double run_usual_bytes(const RunTerms *terms, int dimension, int copies);

/* Bytes at most with the tables of an enumeration, whatever the grid is. */
extern double run_bytes_of_rows(const RunTerms *terms, int dimension, int threads);

/* Bytes of tables of so many words in each thread. */
extern double run_table_bytes(double words, int threads);

/* The most distinct rows for which these are no more than the memory; infinite if that is. */
extern double run_holds(const RunTerms *terms, int dimension, int copies);

/* May a run that has the distinct rows in memory be chosen automatically? */
extern bool run_fits_memory(const RunTerms *terms, int dimension, int threads);

/*
 * Does the exponential mechanism over the grid certainly end within the longest run?  group is
 * select_cheapest_group().
 */
extern bool run_fits_grid(const RunTerms *terms, const Grid *grid, SelectGroup group);

/*
 * Seconds of a pass over the distinct rows that computes gradients for so many classes, 1 for two,
 * with so many weights together.
 */
extern double run_pass_seconds(const RunTerms *terms, int weights, int classes);

/* Seconds until a solver has the distinct rows in the order of its columns. */
extern double run_prepare_seconds(const RunTerms *terms, int dimension);

/*
 * Passes of a certified minimiser.  It ends for every table (theorem V9), but the number that the
 * proof gives is far too large to count with: this is several times what was seen.  Of many
 * minimisers all but one count with twice the usual passes.
 */
#define RUN_USUAL_PASSES 10
#define RUN_MOST_PASSES 25

/* Passes of a minimiser without a Hessian for each of one with it (conjugate.h). */
#define RUN_SPARSE_PASSES 4

/* How the exponential mechanism draws from a grid, from public numbers alone. */
typedef struct GridRun
{
	bool bounded;       /* is an enumeration expected to end in time, so that one is made? */
	double enumeration; /* seconds, at most */
	double words;       /* of its tables */
	int64_t effort;     /* of the tree sampler before it: 0, some, or TREE_NO_LIMIT */
	double tree;        /* seconds of that, at most */
} GridRun;

extern GridRun run_of_grid(const RunTerms *terms, const Grid *grid, SelectGroup group);

#endif
