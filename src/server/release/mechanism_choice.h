/*
 * mechanism_choice.h - chooses a mechanism by the core's table of mechanisms, and describes it.
 */
#ifndef DPOBJ_MECHANISM_CHOICE_H
#define DPOBJ_MECHANISM_CHOICE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/mechanisms/mechanism.h"

#include "server/rows/options.h"

/*
 * The mechanism that the options name, the method's default if they name none; raises 22023 if it
 * is not for the method.
 */
extern const Mechanism *mechanism_choose(TrainingMethod method, const Options *options);

/* The position of a mechanism in the table. */
extern MechanismKind mechanism_kind(const Mechanism *mechanism);

/*
 * The number of weights: so many for each class, or for the one vector; raises 22023 if there are
 * too many classes.
 */
extern int mechanism_choose_weights(const Options *options, int dimension);

/* Raises 22023 for an option that is for other mechanisms only. */
extern void mechanism_check_options(const Options *options, const Mechanism *mechanism);

/* Raises 22023: the options' noise is not for this; what is "mechanism" or "method". */
extern _Noreturn void mechanism_refuse_noise(const Options *options, const char *what,
											 const char *name, const char *hint);

/* Raises 22023: the value of an option is not between low and high.  detail may be NULL. */
extern _Noreturn void mechanism_refuse_range(const char *option, double low, double high,
											 const char *detail);

/* Appends the mechanism's description of a request, members ", \"noise\": ..." of jsonb text. */
extern void mechanism_append_terms(StringInfo text, const MechanismRequest *request);

/* Appends the member "error", null if no bound is known, and the members that explain it. */
extern void mechanism_append_error(StringInfo text, const MechanismRequest *request, double beta);

#endif
