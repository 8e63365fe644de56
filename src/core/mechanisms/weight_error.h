/*
 * weight_error.h - about how far the noise moves each weight of a convex model (rule U20).
 */
#ifndef DPOBJ_CORE_WEIGHT_ERROR_H
#define DPOBJ_CORE_WEIGHT_ERROR_H

#include "core/mechanisms/mechanism.h"
#include "core/rows/encoding.h"

/*
 * Sets the standard error of each of mechanism_weights() weights by the noise alone, from public
 * numbers and the released weights; rows is the declared number or 0.  False where the mechanism
 * has no noise on the objective or on its minimiser.
 */
extern bool weight_errors(const MechanismRequest *request, const Encoding *encoding, int64_t rows,
						  const double *weight, double *error);

#endif
