/*
 * body_choice.h - options "norm" and "net" of the convex mechanisms that choose from a body
 * of weights (core/convex_net.h).
 */
#ifndef DPOBJ_BODY_CHOICE_H
#define DPOBJ_BODY_CHOICE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/mechanism.h"

#include "options.h"

extern bool body_is_for(MechanismKind kind);

/*
 * Sets body and net of a request that has all else but lambda, which over a body may
 * be 0.  Raises 22023 where the options do not go together.
 */
extern void body_choose(const Options *options, MechanismRequest *request);

/* Raises 22023 for options of bodies where there is none. */
extern void body_refuse(const Options *options, MechanismKind kind);

/* Members about body and net, for jsonb text. */
extern void body_append_terms(StringInfo text, const MechanismRequest *request);

#endif
