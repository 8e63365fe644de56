/*
 * mutant.h - deliberate faults, which show that the tests find them.
 *
 * A normal build contains none.  With -DDPOBJ_MUTANTS, which only tests/core/Makefile sets, the
 * environment variable DPOBJ_MUTANT chooses a fault by its number (tests/core/mutant.c);
 * tests/core/mutants.sh lists the faults.
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
