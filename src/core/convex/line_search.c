/*
 * line_search.c - how far to go along a direction in which a convex function falls.
 */
#include "core/convex/line_search.h"

#include <math.h>

/* A search ends when at most this share of the slope is left, or after this many evaluations. */
#define FLAT_SHARE 0.3
#define MOST_EVALUATIONS 40

void
line_search_start(LineSearch *line, double slope)
{
	*line = (LineSearch){
		.share = 1, .first = slope, .low_slope = slope, .high = 1, .high_slope = INFINITY};
}

bool
line_search_goes_on(const LineSearch *line)
{
	return line->evaluations < MOST_EVALUATIONS && line->low_slope < FLAT_SHARE * line->first &&
		   line->low < 1;
}

/*
 * The next share, between one where the function falls and one where it rises: the zero of the
 * slope if the slope were linear.  While only the start is known to fall, such a guess could
 * approach it only as 1, 1/2, 1/3, ..., because a hinge is flat far out.
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
	line->evaluations++;
	line->share = next_share(line);
	return falls;
}
