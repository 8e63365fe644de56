/*
 * dpobj.c - the module: magic block and settings.
 */
#include "server/base/dpobj.h"

#include <limits.h>

#include "fmgr.h"
#include "utils/guc.h"

#include "server/ledger/charge_end.h"
#include "server/ledger/charge_queue.h"
#include "server/ledger/role_end.h"
#include "server/base/compat.h"
#include "server/base/decimal.h"
#include "server/base/preload.h"
#include "server/base/seen_scan.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_launcher.h"
#include "server/base/pace.h"
#include "server/plan/plan_query.h"
#include "server/remote/silent_servers.h"

PG_MODULE_MAGIC_EXT(.name = "dpobj", .version = DPOBJ_VERSION);

#ifdef DPOBJ_MUTANTS
#error "deliberate faults are for tests/core/Makefile only"
#endif

int dpobj_time_limit = 0;
int dpobj_longest_run = 600;
double dpobj_machine_pace = 1;
int dpobj_part_timeout = 300;
int dpobj_max_part_connections = 8;
int dpobj_memory_limit = 0;
int dpobj_solver_threads = 2;
bool dpobj_progress = false;
bool dpobj_require_budget = false;
bool dpobj_allow_unproven = false;
double dpobj_min_epsilon = 0.001;
int dpobj_release_tick = 1000;
int dpobj_max_failures = 3;
int dpobj_max_solvers = 4;
int dpobj_max_role_releases = 4;
int dpobj_max_jobs = 2;
static char *dpobj_role = NULL;

void _PG_init(void);

/* Under a lower limit no solver starts. */
static bool
check_memory_limit(int *value, void **extra, GucSource source)
{
	if (*value == 0 || *value >= DPOBJ_LEAST_MEMORY)
		return true;
	GUC_check_errdetail("It must be 0, for no limit, or at least %d MB.", DPOBJ_LEAST_MEMORY);
	return false;
}

void
_PG_init(void)
{
	preload_require();
	DefineCustomIntVariable(
		"dpobj.time_limit", "Seconds after which a solver is stopped.",
		"Nothing is released then and the charge stays. A limit that can be reached "
		"makes the guarantee conditional; 0, the default, sets none.",
		&dpobj_time_limit, 0, 0, INT_MAX / 1000, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"dpobj.longest_run", "Seconds within which an analyst's run is expected to end.",
		"They are counted from public numbers, before the charge. A run that is expected to take "
		"longer, or that no number bounds, is refused.",
		&dpobj_longest_run, 600, 1, INT_MAX / 1000, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomRealVariable(
		"dpobj.machine_pace", "Seconds of this machine for one of that of docs/solver.md.",
		"All expected seconds are multiplied with it. The default is measured when the server "
		"starts.",
		&dpobj_machine_pace, pace_measure(), 0.1, 100, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"dpobj.part_timeout", "Seconds that the server of a part may take for one answer.",
		"Then the release fails and the charge stays. To read its rows is one answer.",
		&dpobj_part_timeout, 300, 1, INT_MAX / 1000, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"dpobj.max_part_connections", "Connections of a release to one server of parts, at most.",
		"They share its parts. A server that has no room for so many serves them over fewer.",
		&dpobj_max_part_connections, 8, 1, 1000, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"dpobj.memory_limit", "Memory for a training's rows and its solver together.",
		"Nothing is released when it is not enough and the charge stays. A limit that "
		"can be reached makes the guarantee conditional; 0, the default, sets none.",
		&dpobj_memory_limit, 0, 0, INT_MAX, PGC_SUSET, GUC_UNIT_MB, check_memory_limit, NULL, NULL);
	DefineCustomIntVariable("dpobj.solver_threads", "Threads of one solver process.",
							"The released model does not depend on it.", &dpobj_solver_threads, 2,
							1, 64, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"dpobj.progress", "Shows how far the solver is.",
		"Messages go only to a session of the table's owner, because they depend on its rows.",
		&dpobj_progress, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"dpobj.require_budget", "Refuses releases that no privacy budget covers.",
		"Otherwise a release from a table without a budget is only written to the ledger.",
		&dpobj_require_budget, false, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dpobj.allow_unproven", "Allows noise as the papers published it.",
							 "Its proofs do not hold. Such a model is recorded as unproven.",
							 &dpobj_allow_unproven, false, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable(
		"dpobj.min_epsilon", "Least epsilon of a release at the analyst's door.",
		"Every charge costs the server time and the ledger two rows.", &dpobj_min_epsilon, 0.001,
		0.0, EPSILON_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"dpobj.release_tick", "Interval of the answers to callers who may not read the table.",
		"They come a multiple of it after the charge, so that their duration says little about "
		"the rows. 0 sends them at once.",
		&dpobj_release_tick, 1000, 0, INT_MAX, PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"dpobj.max_failures", "Releases of a role at the analyst's door that may fail per table.",
		"A failure may tell one bit about the rows. After so many, the role's are refused, and "
		"after three times as many of all roles, everybody's.",
		&dpobj_max_failures, 3, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpobj.max_solvers",
							"Releases of the analyst's door that may run at a time.",
							"Others wait. It counts for the whole server.", &dpobj_max_solvers, 4,
							1, 1024, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpobj.max_role_releases",
							"Releases of one role at the analyst's door that may run at a time.",
							"Others wait. It counts for the whole server.",
							&dpobj_max_role_releases, 4, 1, 1024, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpobj.max_jobs", "Jobs that may run at a time.",
							"Others wait. It counts for the whole server, where two worker slots "
							"stay free in any case.",
							&dpobj_max_jobs, 2, 0, JOB_SLOTS, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"dpobj.role", "Marks the role of administrators and that of auditors.",
		"CREATE EXTENSION sets it for dpobj_admin and dpobj_auditor. They keep their rights when "
		"they are renamed, and no other role gets them with the name. In a session it says "
		"nothing.",
		&dpobj_role, "", PGC_SUSET, GUC_NO_SHOW_ALL | GUC_DISALLOW_IN_FILE, NULL, NULL, NULL);
	MarkGUCPrefixReserved("dpobj");
	charge_install();
	charge_queue_install();
	silent_servers_install();
	job_area_install();
	preload_install();
	job_launcher_install();
	plan_query_install();
	role_end_install();
	seen_scan_install();
}
