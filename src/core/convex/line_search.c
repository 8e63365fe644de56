/*
 * line_search.c - how far to go along a direction in which a convex function falls.
 */
#include "core/convex/line_search.h"

#include <math.h>

/* A search ends where this share of the slope is left, or after so many looks. */
#define FLAT_SHARE 0.3
#define LOOKS 40

void
line_search_start(LineSearch *line, double slope)
{
	*line = (LineSearch){
		.share = 1, .first = slope, .low_slope = slope, .high = 1, .high_slope = INFINITY};
}

bool
line_search_goes_on(const LineSearch *line)
{
	return line->looks < LOOKS && line->low_slope < FLAT_SHARE * line->first && line->low < 1;
}

/*
 * Between a place where it falls and one where it rises: where it is flat, if the slope were
 * linear.  Where nothing but the start is known to fall, a guess from the slope far out would come
 * nearer only as 1, 1/2, 1/3, ...: a hinge is flat there, whatever it is near the start.
 */
static double
next_share(const LineSearch *line)
{
	double share;

	if (line->low == 0)
		return line->high / 8;
	share = line->low_slope / (line->low_slope - line->high_slope);
	return line->low + (line->high - line->low) * fmin(fmax(share, 0.1), 0.9);
}

bool
line_search_note(LineSearch *line, double slope)
{
	bool falls = slope < 0;

	if (falls)
	{
		line->low = line->share;
		line->low_slope = slope;
	}
	else
	{
		line->high = line->share;
		line->high_slope = slope;
	}
	line->looks++;
	line->share = next_share(line);
	return falls;
}
