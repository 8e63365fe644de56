/*
 * pass_link.h - the solver's end of passes over rows that are elsewhere: the server is asked for
 * the sums.
 */
#ifndef DPOBJ_SOLVER_PASS_LINK_H
#define DPOBJ_SOLVER_PASS_LINK_H

#include "core/base/memory.h"
#include "core/mechanisms/mechanism.h"

typedef struct PassLink
{
	PassSource source;
	int socket;
	Memory *memory;
	void (*broken)(void); /* ends the process: the server is gone, or sent what is not valid */
} PassLink;

extern void pass_link_init(PassLink *link, int socket, Memory *memory, void (*broken)(void));

#endif
