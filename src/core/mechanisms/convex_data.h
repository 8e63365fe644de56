/*
 * convex_data.h - the rows of a convex model as its request has them clipped, in passes.
 */
#ifndef DPOBJ_CORE_CONVEX_DATA_H
#define DPOBJ_CORE_CONVEX_DATA_H

#include "core/convex/convex_rows.h"
#include "core/mechanisms/mechanism.h"

/* The instance may be elsewhere; convex_rows_release() ends it. */
extern void convex_data_make(const MechanismRequest *request, const Instance *instance,
							 Memory *memory, ConvexRows *rows);

/* To what the term of a row in the gradient is shortened (softmax_pass.h); INFINITY: not at all. */
extern double convex_data_longest(const MechanismRequest *request);

#endif
