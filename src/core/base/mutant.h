/*
 * mutant.h - faults on purpose, to see that the tests catch them.
 *
 * MUTANT(n) is 0 unless this file is compiled with -DDPOBJ_MUTANT=n, which only
 * tests/core/mutants.sh does; the list of faults is there.  A normal build has
 * none of them.
 */
#ifndef DPOBJ_CORE_MUTANT_H
#define DPOBJ_CORE_MUTANT_H

#ifndef DPOBJ_MUTANT
#define DPOBJ_MUTANT 0
#endif

#define MUTANT(n) (DPOBJ_MUTANT == (n))

#endif
