/*
 * threshold.h - from which noisy number of persons on a level is named that nobody has declared
 * (theorem T14).
 */
#ifndef DPOBJ_CORE_THRESHOLD_H
#define DPOBJ_CORE_THRESHOLD_H

#include <stdint.h>

/*
 * With noise P(z) = (1 - r) / (1 + r) r^|z|, r = exp(-epsilon / reach), the least tau >= 1 with
 *
 *   q <= 1 - r  and  1 - (1 - q)^levels <= delta,  where q = r^(tau - 1) / (1 + r)
 *
 * is the chance that a level is named which one person has.  levels: of one person at most; epsilon
 * in nano-units, delta in units of 1e-18, above 0.  Rounded up, by 1 at most; 0 if it is 2^62 or
 * more.
 */
extern int64_t threshold_least(int64_t epsilon, uint64_t reach, int64_t levels, int64_t delta);

#endif
