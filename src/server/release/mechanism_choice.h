/*
 * mechanism_choice.h - what options say about mechanisms, from the table of the core alone.
 */
#ifndef DPOBJ_MECHANISM_CHOICE_H
#define DPOBJ_MECHANISM_CHOICE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/mechanisms/mechanism.h"

#include "server/base/options.h"

/* The mechanism that is named, NULL where none is; raises 22023 if it is not for the method. */
extern const Mechanism *mechanism_choose(TrainingMethod method, const Options *options);

/* The place of a row in the table. */
extern MechanismKind mechanism_kind(const Mechanism *mechanism);

/* Raises 22023 for an option that is for other mechanisms only; mechanism: NULL for any other. */
extern void mechanism_check_options(const Options *options, const Mechanism *mechanism);

/* What the mechanism says of a request, as members ", \"noise\": ..." of jsonb text. */
extern void mechanism_append_terms(StringInfo text, const MechanismRequest *request);

/* The member "error", null where nothing is known, and what belongs to it. */
extern void mechanism_append_error(StringInfo text, const MechanismRequest *request, double beta);

#endif
