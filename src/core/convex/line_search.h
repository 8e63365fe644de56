/*
 * line_search.h - how far to go along a direction in which a convex function falls.
 *
 * Looks are taken at shares of the direction, the whole of it first, until one is known
 * where the function still falls, but slowly.  Slopes are rounded up: what is held to fall, does.
 */
#ifndef DPOBJ_CORE_LINE_SEARCH_H
#define DPOBJ_CORE_LINE_SEARCH_H

#include <stdbool.h>

typedef struct LineSearch
{
	double share; /* where to look next */
	double first; /* the slope at the start */
	double low;   /* the farthest share where it is known to fall; 0: the start */
	double low_slope;
	double high; /* the least where it may rise; 1 before there is one */
	double high_slope;
	int looks;
} LineSearch;

extern void line_search_start(LineSearch *line, double slope);

/* Is another look, at line->share, worth its price? */
extern bool line_search_goes_on(const LineSearch *line);

/* Takes the slope there; does the function fall there? */
extern bool line_search_note(LineSearch *line, double slope);

#endif
