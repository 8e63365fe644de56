/*
 * conjugate.h - Newton's direction without a Hessian, for rows with levels.
 *
 * Conjugate gradients need only products H p of the Hessian, and such a product is a difference of
 * gradients: (grad J(u + h p) - grad J(u)) / h, a pass over the rows.  The gradients are exact, so
 * the difference is right to many digits for an h so small that few rows pass a bend of their loss.
 * The direction is not part of any proof (convex_minimise.h).
 */
#ifndef DPOBJ_CORE_CONJUGATE_H
#define DPOBJ_CORE_CONJUGATE_H

#include "core/convex/newton.h"

/*
 * Sets the direction to about -H^-1 gradient at the current point; false if J is not seen to bend.
 */
extern bool conjugate_solve(Newton *search);

#endif
