/*
 * dpobj.c - the module: magic block and settings.
 */
#include "dpobj.h"

#include <limits.h>

#include "fmgr.h"
#include "utils/guc.h"

#include "charge_queue.h"
#include "core/mutant.h"

PG_MODULE_MAGIC;

StaticAssertDecl(DPOBJ_MUTANT == 0, "deliberate faults are for tests/core/mutants.sh only");

int dpobj_time_limit = 0;
int dpobj_memory_limit = 0;
int dpobj_solver_threads = 2;
bool dpobj_progress = false;
bool dpobj_require_budget = false;

void _PG_init(void);

/* The prefix was reserved by EmitWarningsOnPlaceholders before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

void
_PG_init(void)
{
	DefineCustomIntVariable(
		"dpobj.time_limit", "Seconds after which a solver is stopped.",
		"Nothing is released then and the charge stays. A limit that can be reached "
		"makes the guarantee conditional; 0, the default, sets none.",
		&dpobj_time_limit, 0, 0, INT_MAX / 1000, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"dpobj.memory_limit", "Memory that a solver may use.",
		"Nothing is released when it is not enough and the charge stays. A limit that "
		"can be reached makes the guarantee conditional; 0, the default, sets none.",
		&dpobj_memory_limit, 0, 0, INT_MAX, PGC_SUSET, GUC_UNIT_MB, NULL, NULL, NULL);
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
	MarkGUCPrefixReserved("dpobj");
	charge_queue_install();
}
