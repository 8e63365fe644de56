/*
 * zcdp.h - zero-concentrated differential privacy and what it implies (theorem A5).
 */
#ifndef DPOBJ_CORE_ZCDP_H
#define DPOBJ_CORE_ZCDP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * epsilon is in nano-units, delta in atto-units.  The largest rho, to within 1e-8 of it, for which
 * rho-zCDP is proved to imply (epsilon, delta)-DP. 0 if there is none.
 */
extern double zcdp_rho(int64_t epsilon, int64_t delta);

/*
 * The least epsilon in nano-units, to within 1e-8 of it, for which rho-zCDP is proved to imply
 * (epsilon, delta)-DP.  INT64_MAX if there is none; delta > 0.
 */
extern int64_t zcdp_epsilon(double rho, int64_t delta);

/*
 * Is rho-zCDP (epsilon, delta)-DP, by the bound at this order alpha > 1?  "Yes" is
 * certain: the bound is rounded up.
 */
extern bool zcdp_implies(double rho, double alpha, int64_t epsilon, int64_t delta);

#endif
