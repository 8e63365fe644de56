/*
 * batch.h - random batches of a sample, drawn exactly from fair bits.
 *
 * A batch is how many labels of each distinct row are in it: labels are drawn one by
 * one, whatever rows they share.
 */
#ifndef DPOBJ_CORE_BATCH_H
#define DPOBJ_CORE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bits.h"
#include "core/convex_sample.h"

/* True with probability p / q exactly, 0 <= p <= q < 2^62; takes two bits on average. */
extern bool batch_chance(Bits *bits, int64_t p, int64_t q);

/* Each label is in the batch with probability batch / rows, independently of all others. */
extern void batch_poisson(const ConvexSample *all, int64_t batch, int64_t rows, Bits *bits,
						  int64_t *positive, int64_t *negative);

/*
 * Of as many places as there are labels, but no fewer than rows, batch are chosen, all sets
 * of them alike; places beyond the labels hold nothing.
 */
extern void batch_fixed(const ConvexSample *all, int64_t batch, int64_t rows, Bits *bits,
						int64_t *positive, int64_t *negative);

#endif
