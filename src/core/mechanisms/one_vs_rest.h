/*
 * one_vs_rest.h - one-vs-rest: for each of K classes a halfspace that tells it from all others.
 *
 * Each halfspace is released by the request's own mechanism from the same rows, whose labels say
 * whether they are of its class.  Labels follow from a row's class alone, so that each release has
 * epsilon and delta of the request, and all together K times as much (theorem N9).
 */
#ifndef DPOBJ_CORE_ONE_VS_REST_H
#define DPOBJ_CORE_ONE_VS_REST_H

#include <stdint.h>

#include "core/mechanisms/mechanism.h"

/* Are classes and weights in range? */
extern bool one_vs_rest_is_valid(const MechanismRequest *request);

/* Releases the vectors of all classes, one behind the other; loss and nodes are sums. */
extern void one_vs_rest_release(const MechanismRequest *request, const Instance *instance,
								const MechanismTools *tools, MechanismAnswer *answer);

/* Makes the pair of all releases from that of one of them; claims are those of all. */
extern void one_vs_rest_pair(const MechanismRequest *request, Pair *pair);

#endif
