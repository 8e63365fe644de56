/*
 * sample.h - the rows of a training set dealt to parts, each solved on its own (theorem F5).
 *
 * A fair die decides the part of every row, whatever the row and the other rows are.  So, under
 * either adjacency, the same throws deal two neighbours into parts of which only one differs: the
 * number of rows need not be public, and rows need no names.
 *
 * The answer of a part is a function of the multiset of its rows: rows are sorted, and a search
 * stops after a number of nodes, not after a time.  Nothing passes from one part to another.
 */
#ifndef DPOBJ_CORE_SAMPLE_H
#define DPOBJ_CORE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/grid/grid.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"

/* Rows of one part that are equal, labels included. */
typedef struct SampleShare
{
	int64_t row; /* of the instance */
	int64_t net; /* how many, negative for negative labels */
} SampleShare;

typedef struct SamplePart
{
	int64_t shares;
	int64_t capacity;
	SampleShare *share; /* in the order of their contents */
} SamplePart;

typedef struct SampleSplit
{
	const Instance *instance;
	int parts;
	SamplePart *part;
} SampleSplit;

/*
 * Every row of the instance counts |net| times: labels of equal rows must not be cancelled out
 * (rows_instance() with apart).
 */
extern void sample_split(SampleSplit *split, const Instance *instance, int parts, Bits *bits,
						 Memory *memory);
extern void sample_split_destroy(SampleSplit *split, Memory *memory);

/* Makes the instance of a part; sample_part_destroy() frees its arrays. */
extern void sample_part(const SampleSplit *split, int part, Memory *memory, Instance *instance);
extern void sample_part_destroy(Instance *instance, Memory *memory);

/* How a part searches for its vector. */
typedef struct SampleEffort
{
	const Grid *grid;
	int64_t nodes; /* of the search, at most */
	int threads;   /* of the search; they change nothing in its answer */
} SampleEffort;

/*
 * Finds a vector with the fewest mistakes on the part, or the best that the search has seen when it
 * stops. False, without a vote, if no row is left once labels cancel out.
 */
extern bool sample_answer(const SampleEffort *effort, const Instance *part, Memory *memory,
						  int *index, int64_t *nodes);

/* A vector in bytes, GRID_MAX_LEVELS being less than 256; zeros after its dimension. */
typedef struct SampleVote
{
	uint8_t index[GRID_MAX_DIMENSION];
} SampleVote;

/* The votes of all parts. */
typedef struct SampleBallot
{
	int64_t candidates;    /* vectors with a vote */
	SampleVote *candidate; /* in the public order */
	int64_t *count;        /* of each: how many parts voted for it, at least 1 */
	int64_t nodes;         /* of all searches: for the owner's tests only */
} SampleBallot;

extern void sample_vote(SampleBallot *ballot, const SampleSplit *split, const SampleEffort *effort,
						Memory *memory);
extern void sample_ballot_destroy(SampleBallot *ballot, Memory *memory);

#endif
