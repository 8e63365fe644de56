/*
 * pace.h - how fast this machine computes, by a public benchmark.
 */
#ifndef DPOBJ_PACE_H
#define DPOBJ_PACE_H

/*
 * Processor seconds of this machine for one of the machine whose figures docs/solver.md shows, 0.2
 * to 20; takes 20 ms.  It reads nothing but its own numbers.
 */
extern double pace_measure(void);

#endif
