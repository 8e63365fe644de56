/*
 * body_choice.h - options "norm" and "net" of the convex mechanisms that choose from a
 * body of weights (core/mechanisms/convex_net.h).
 */
#ifndef DPOBJ_BODY_CHOICE_H
#define DPOBJ_BODY_CHOICE_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

#include "server/base/options.h"

/*
 * Option "norm" in the units of convex.h, 2^-20 of a score; usual where it is not given.
 * Raises 22023.
 */
extern int64 body_reach(const Options *options, double radius, double usual);

/*
 * Sets body and net of a request that has all else but lambda, which over a body may
 * be 0.  Raises 22023 where the options do not go together.
 */
extern void body_choose(const Options *options, MechanismRequest *request);

#endif
