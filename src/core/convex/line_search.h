/*
 * line_search.h - how far to go along a direction in which a convex function falls.
 *
 * The slope is evaluated at shares of the direction, the whole first, until one is found where the
 * function still falls, but slowly.  Slopes are rounded up, so a slope that is negative here is
 * truly negative.
 */
#ifndef DPOBJ_CORE_LINE_SEARCH_H
#define DPOBJ_CORE_LINE_SEARCH_H

#include <stdbool.h>

typedef struct LineSearch
{
	double share; /* the share to evaluate next */
	double first; /* the slope at the start */
	double low;   /* the farthest share where it is known to fall; 0: the start */
	double low_slope;
	double high; /* the least share where it may rise; 1 if none is known */
	double high_slope;
	int evaluations;
} LineSearch;

extern void line_search_start(LineSearch *line, double slope);

/* Is another evaluation, at line->share, worthwhile? */
extern bool line_search_goes_on(const LineSearch *line);

/* Takes the slope there; does the function fall there? */
extern bool line_search_note(LineSearch *line, double slope);

#endif
