/*
 * rows.h - a training set as it streams in: distinct fixed-point rows with the
 * number of positive and negative labels of each.
 *
 * Merging equal rows does not change a 0/1 loss (definition B1).  Memory is proportional to the
 * number of distinct rows.  With a sink for spilling, a table that reaches its limit is written to
 * the sink, each row with its counts, and continues empty.
 */
#ifndef DPOBJ_CORE_ROWS_H
#define DPOBJ_CORE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rows/encoding.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"
#include "core/rows/spill.h"

/*
 * Rows wait in a small batch before they enter the table, so that the memory of
 * one row's slot can be fetched while the next rows are being encoded.
 */
#define ROWS_BATCH 16

typedef struct Rows
{
	Memory *memory;
	Encoding encoding;
	int stride;        /* int32 per row, even: the dimension, padded with a zero */
	uint32_t distinct; /* rows in x and count; without those of the batch */
	uint32_t capacity; /* rows that fit before the arrays grow */
	int32_t *x;
	RowCount *count;
	uint64_t *slot;       /* open addressing: hash in the upper half, row number + 1 below */
	uint32_t slot_mask;   /* number of slots minus one */
	int64_t neutral;      /* rows with the same loss under every vector */
	uint64_t *multiplier; /* of the hash, one for each pair of coordinates */
	int waiting;          /* rows in the batch */
	int32_t *batch_x;     /* ROWS_BATCH x stride */
	uint32_t batch_hash[ROWS_BATCH];
	bool batch_positive[ROWS_BATCH];
	SpillSink *sink;        /* NULL: all rows stay in memory */
	size_t limit;           /* bytes that the table may have before it is spilled */
	SpillShape shape;       /* of a record */
	int64_t spilled;        /* records in the sink */
	int64_t spilled_labels; /* rows that they stand for */
	uint8_t *spilling;      /* buffer for ROWS_SPILL_BATCH records */
} Rows;

#define ROWS_SPILL_BATCH 512

/*
 * Makes an empty set.  The encoding's features may still be 0 (not known); then only neutral rows
 * can be added until rows_set_features().
 */
extern void rows_init(Rows *rows, const Encoding *encoding, Memory *memory);
extern bool rows_set_features(Rows *rows, int features);

/* Adds one row of encoding.features numbers; one that has no encoding is neutral. */
extern void rows_add(Rows *rows, const double *features, bool positive);
extern void rows_add_neutral(Rows *rows, int64_t count);

/* Makes rows beyond limit bytes go to the sink; called before the first row. */
extern void rows_set_spill(Rows *rows, SpillSink *sink, size_t limit);

/* Does the sink take the rows that are still in memory?  If not, rows have stayed there. */
extern bool rows_fit_sink(Rows *rows);

/* From now on all rows stay in memory; the caller merges those that the sink has. */
extern void rows_leave_sink(Rows *rows);

/* Bytes of a row in the table, its slots included. */
extern size_t rows_bytes_per_row(const Encoding *encoding);

/* Adds an encoded row, padded with zeros to the stride, with its counts. */
extern void rows_merge(Rows *rows, const int32_t *x, RowCount count);

/* Adds the row of a record of the same encoding that counts one label. */
extern void rows_add_record(Rows *rows, const uint8_t *record);

/*
 * Adds records of the same encoding as they are, in the sink; false if there is none or they do not
 * fit, and then nothing is added.
 */
extern bool rows_append_records(Rows *rows, const uint8_t *records, int64_t count);

/* The number of rows that are not neutral, those in the sink included. */
extern int64_t rows_usable(Rows *rows);

/* Moves the batch into the table.  The functions below call it themselves. */
extern void rows_flush(Rows *rows);

/*
 * The rows with a net weight other than 0, in no particular order; if apart, all rows that have an
 * encoding, and equal features with both labels become two rows.  The arrays are allocated in
 * memory.
 */
extern void rows_instance(Rows *rows, bool apart, Memory *memory, Instance *instance);

/* All rows with both counts, for the convex losses. */
extern void rows_labelled_instance(Rows *rows, Memory *memory, Instance *instance);

/*
 * The same for spilled rows: writes the rest to the sink, which must take it, and frees the table,
 * so no row can be added afterwards.  The caller sets the instance's source.
 */
extern void rows_spilled_instance(Rows *rows, Instance *instance);

/*
 * Makes an instance as rows_instance() does from a spilled one, for mechanisms that need all rows
 * in memory.  Equal rows are merged in the order in which they first came, so that the instance is
 * the same as without a spill.  Reads each record once, and holds only one copy of the rows unless
 * apart is set.  Ends the process at a record that dpobj cannot have written.
 */
extern void rows_gather(const Instance *spilled, bool apart, Memory *memory, Instance *instance);

/*
 * The rows of an instance that has a class in front of the features (rows_instance()), without it:
 * positive are those of one class, negative all others.  Equal features are merged, unless apart.
 */
extern void rows_relabel(const Instance *classes, int class, bool apart, Memory *memory,
						 Instance *instance);

/*
 * The versioned byte form. rows_merge_bytes() adds such a set to another one: false if the bytes
 * are malformed or were made under a different encoding; the set must then not be used any more.  A
 * set whose feature count is not known takes that of the other.  If both are known and differ, the
 * other set's rows have another length and become neutral.
 */
extern size_t rows_byte_size(Rows *rows);
extern void rows_write_bytes(Rows *rows, uint8_t *bytes);
extern bool rows_merge_bytes(Rows *rows, const uint8_t *bytes, size_t length);

/*
 * rows_init_like_bytes() makes an empty set with the encoding of a byte form; the other function
 * adds the rows too.
 */
extern bool rows_init_like_bytes(Rows *rows, const uint8_t *bytes, size_t length, Memory *memory);
extern bool rows_init_from_bytes(Rows *rows, const uint8_t *bytes, size_t length, Memory *memory);

#endif
