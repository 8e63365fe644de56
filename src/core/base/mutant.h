/*
 * mutant.h - faults on purpose, to see that the tests catch them.
 *
 * A normal build has none of them.  With -DDPOBJ_MUTANTS, which only tests/core/Makefile says, a
 * program has the fault whose number stands in the environment's DPOBJ_MUTANT
 * (tests/core/mutant.c); the list of faults is in tests/core/mutants.sh.
 */
#ifndef DPOBJ_CORE_MUTANT_H
#define DPOBJ_CORE_MUTANT_H

#ifdef DPOBJ_MUTANTS

#include <stdbool.h>

extern int mutant_number;
bool mutant_reached(void);

#define MUTANT(n) (mutant_number == (n) && mutant_reached())

#else
#define MUTANT(n) 0
#endif

#endif
