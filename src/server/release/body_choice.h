/*
 * body_choice.h - options "norm" and "net" of the convex mechanisms that choose from a
 * body of weights (core/mechanisms/convex_net.h).
 */
#ifndef DPOBJ_BODY_CHOICE_H
#define DPOBJ_BODY_CHOICE_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

#include "server/rows/options.h"

/*
 * Returns the bound on weights in the units of convex.h, 2^-20 of a score: by option "norm", or
 * standard, in scores, if the option is not given.  Raises 22023 if it is out of range.
 */
extern int64 body_norm(const Options *options, double radius, double standard);

/*
 * Sets body and net of a request of which all else is set but lambda, which may be 0.  Raises 22023
 * if the options contradict each other or the net is too large.
 */
extern void body_choose(const Options *options, MechanismRequest *request);

#endif
