/*
 * sample.h - the rows of a training set dealt out to parts, each solved on its own
 * (theorem F5).
 *
 * The split.  Every row goes to one of the parts by a fair die of its own, whatever
 * the row is and whatever the others are.  That one law serves both adjacencies.  Let
 * two data sets differ in one row, which is replaced, comes or goes; give every row
 * that they share the same throw, and the old and the new row the same one too.  Each
 * set's throws are fair and independent then, and the parts of the two sets are the
 * same but for one.  Nothing has to be known about the number of rows, and a row has
 * no name that could change.  (A uniform permutation cut into equal parts would do
 * under replace; a hash of a name that a new row may choose would not: the old row
 * would leave one part and the new one enter another.)
 *
 * The answer of a part is a function of the multiset of its rows: they are put in an
 * order that depends on nothing else, and a search stops after a number of nodes,
 * not after a time.  Nothing passes from one part to another.
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
 * Every row of the instance counts |net| times: labels must not have been cancelled
 * out (rows_instance() with apart).
 */
extern void sample_split(SampleSplit *split, const Instance *instance, int parts, Bits *bits,
						 Memory *memory);
extern void sample_split_destroy(SampleSplit *split, Memory *memory);

/* The rows of a part as the optimisers want them; sample_part_destroy() frees its arrays. */
extern void sample_part(const SampleSplit *split, int part, Memory *memory, Instance *instance);
extern void sample_part_destroy(Instance *instance, Memory *memory);

/* What a part does to find its vector. */
typedef struct SampleEffort
{
	const Grid *grid;
	int64_t nodes; /* of the search, at most */
	int threads;   /* of the search; they change nothing in its answer */
} SampleEffort;

/*
 * A vector with the fewest mistakes on the part, or the best that the search has found
 * when it stops.  False, without a vote, if no row is left once labels have cancelled out.
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
