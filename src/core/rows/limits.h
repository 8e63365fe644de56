/*
 * limits.h - the unit of features, and how many labels and classes there may be.
 */
#ifndef DPOBJ_CORE_LIMITS_H
#define DPOBJ_CORE_LIMITS_H

#include <stdint.h>

#define FIXED_POINT_BITS 16
#define FIXED_POINT_ONE (1 << FIXED_POINT_BITS) /* a feature of 1.0 */

/* More labels than any table has; the arithmetic of convex_pull.h is exact below it. */
#define INSTANCE_MAX_LABELS (INT64_C(1) << 38)

/* The most classes of a target that is a class. */
#define INSTANCE_MAX_CLASSES 64

#endif
