/*
 * mechanism.c - the table of mechanisms.
 */
#include "core/mechanism.h"

#include <stddef.h>

const Mechanism *
mechanism_get(MechanismKind kind)
{
	static const Mechanism *const table[MECHANISM_KINDS] = {
		[MECHANISM_EXPONENTIAL] = &mechanism_exponential,
		[MECHANISM_PERMUTE_FLIP] = &mechanism_permute_flip,
		[MECHANISM_OPDISC] = &mechanism_opdisc,
		[MECHANISM_OUTPUT] = &mechanism_output,
		[MECHANISM_OBJECTIVE] = &mechanism_objective,
		[MECHANISM_SIMPLEX] = &mechanism_simplex,
	};

	return (unsigned) kind < MECHANISM_KINDS ? table[kind] : NULL;
}
