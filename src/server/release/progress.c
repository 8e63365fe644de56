/*
 * progress.c - INFO messages to the owner of a table only.
 */
#include "server/release/progress.h"

#include "miscadmin.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"

/*
 * Both roles must own the table.  Inside a SECURITY DEFINER function of the owner the current role
 * does, but the session's user gets the messages.
 */
bool
progress_may_see(Oid table)
{
	return owns_table(table, GetUserId()) && owns_table(table, GetSessionUserId());
}

bool
progress_wanted(Oid table)
{
	return dpobj_progress && progress_may_see(table);
}

double
progress_gap(const MechanismProgress *progress)
{
	return ((double) progress->incumbent - (double) progress->bound) /
		   (double) Max(progress->scale, 1);
}

void
progress_report(const MechanismProgress *progress)
{
	if (progress->sampling)
		ereport(INFO, (errmsg("dpobj is sampling: " INT64_FORMAT " boxes of the grid, " INT64_FORMAT
							  " attempts",
							  progress->nodes, progress->attempts)));
	else
		ereport(INFO,
				(errmsg("dpobj is searching: " INT64_FORMAT " boxes of the grid, the optimum is "
						"at most %.1f misclassified rows better than the best vector so far",
						progress->nodes, progress_gap(progress))));
}
