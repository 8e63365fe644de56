/*
 * select_time.c - how long an enumeration takes at most.
 *
 * Every configuration costs the same: a step of one coordinate changes the score of each row, and
 * each row is looked at once for every level of the group that is summed out.  Tables are used only
 * where they are quicker (select_plan.c).  Under a constraint, consecutive configurations differ in
 * two coordinates more than in one.
 */
#include "core/exponential/select_time.h"

double
select_seconds(const Grid *grid, SelectGroup group, double rows)
{
	int levels = group.size > 0 ? grid->levels[group.first] : 1;
	int steps = grid->constraint == GRID_PRODUCT ? 1 : 2;
	int looks = levels * (group.size > 0 ? group.size : 1);
	double each = SELECT_STEP_TIME + (double) looks + rows * (steps + levels) * SELECT_ROW_TIME;

	return 1e-9 * each * (double) select_cost(grid, group);
}
