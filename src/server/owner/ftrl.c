/*
 * ftrl.c - the window function dp_ftrl: private online learning, a choice for each row.
 *
 * The call for the first row computes the whole run: it refuses what it can refuse, commits the
 * charge, draws the choices, commits their hash, and only then returns the first choice.  A window
 * that is executed again starts with empty memory, so it makes another run and another charge.
 *
 * Neighbours differ in one row's costs.  The number of steps is declared: rows beyond it get null,
 * and whether there are fewer rows shows nowhere.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "core/mechanisms/ftrl.h"

#include "server/ledger/charge.h"
#include "server/ledger/charge_end.h"
#include "server/base/argument.h"
#include "server/base/digest.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/release/learning.h"
#include "server/owner/owner.h"
#include "server/plan/plan.h"
#include "server/base/random_bits.h"
#include "server/rows/rows_state.h"

#define ARGUMENT_COSTS 0
#define ARGUMENT_EPSILON 1
#define ARGUMENT_DELTA 2
#define ARGUMENT_OPTIONS 3

/* The memory of one execution of the window. */
typedef struct Choices
{
	bool released;
	int64 count;
	uint8 *choice; /* from 0 */
} Choices;

StaticAssertDecl(FTRL_MAX_DIMENSION <= PG_UINT8_MAX, "a choice must fit a byte");

/* ---- arguments ---- */

static Datum
required_argument(const PlanWindow *window, int position, const char *name)
{
	bool isnull;
	Datum value = plan_window_argument(window, position, name, &isnull);

	argument_require(isnull, name);
	return value;
}

static Jsonb *
options_argument(const PlanWindow *window)
{
	bool isnull;
	Datum value;

	if (list_length(window->call->args) <= ARGUMENT_OPTIONS)
		return NULL;
	value = plan_window_argument(window, ARGUMENT_OPTIONS, "options", &isnull);
	return isnull ? NULL : DatumGetJsonbP(value);
}

static Oid
argument_type(const PlanWindow *window, int position)
{
	return exprType(list_nth(window->call->args, position));
}

static void
open_learning(const PlanWindow *window, const PlanTable *table, Learning *learning)
{
	learning_begin(learning, required_argument(window, ARGUMENT_EPSILON, "epsilon"),
				   argument_type(window, ARGUMENT_EPSILON),
				   required_argument(window, ARGUMENT_DELTA, "delta"),
				   argument_type(window, ARGUMENT_DELTA), options_argument(window));
	if (!learning->clip_given)
		plan_refuse_unscaled(plan_window_expression(window, ARGUMENT_COSTS), NULL, 0, false,
							 "an array of costs", "cost", "declared bounds",
							 "Costs are clipped to [0, 1] unless options say otherwise.",
							 "Set \"clip\" in the options, or cast an indicator from boolean.");
	learning_settle(learning, plan_element_count(plan_window_expression(window, ARGUMENT_COSTS)));
	if (table->is_protected && table->adjacency != ADJACENCY_REPLACE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dp_ftrl does not protect rows that come and go"),
				 errdetail("The table is protected with adjacency \"add_remove\", and a row that "
						   "comes or goes would move all rows after it.")));
}

/* ---- the run ---- */

/* The costs of a step; all 0 unless the row has exactly the declared number of costs. */
static void
read_costs(WindowObject object, const Learning *learning, int64 step, int32 *cost)
{
	bool isnull;
	bool outside;
	Datum value = WinGetFuncArgInPartition(object, ARGUMENT_COSTS, (int) step, WINDOW_SEEK_HEAD,
										   true, &isnull, &outside);
	ArrayType *array;

	memset(cost, 0, learning->dimension * sizeof(int32));
	if (isnull || outside)
		return;
	array = DatumGetArrayTypeP(value);
	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != learning->dimension ||
		(ARR_HASNULL(array) && array_contains_nulls(array)))
		return;
	(void) ftrl_quantise((double *) ARR_DATA_PTR(array), learning->dimension, learning->low,
						 learning->high, learning->plan.terms.scale, cost);
}

typedef struct FtrlCall
{
	Release release; /* the first member */
	WindowObject object;
	Learning learning;
	Choices *choices;
} FtrlCall;

static bool
draw_choices(Release *release)
{
	FtrlCall *call = (FtrlCall *) release;
	const Learning *learning = &call->learning;
	Choices *choices = call->choices;
	MemoryContext row =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj costs of a row", ALLOCSET_DEFAULT_SIZES);
	RandomPool pool;
	ServerMemory memory;
	FtrlRun *run;
	Bits bits;

	server_memory_init(&memory, CurrentMemoryContext);
	random_pool_init(&pool, &bits);
	run = ftrl_start(&learning->plan, &bits, &memory.memory);
	for (int64 step = 0; step < choices->count; step++)
	{
		MemoryContext old = MemoryContextSwitchTo(row);
		int32 cost[FTRL_MAX_DIMENSION];

		GATE_CHECK_FOR_INTERRUPTS();
		choices->choice[step] = (uint8) ftrl_next(run);
		read_costs(call->object, learning, step, cost);
		ftrl_learn(run, cost);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	ftrl_end(run, &memory.memory);
	random_pool_wipe(&pool);
	MemoryContextDelete(row);
	return true;
}

/*
 * The columns of ORDER BY are public, so an error about them tells nothing.  The order of rows that
 * tie may depend on the size of the rows.
 */
static void
refuse_ties(WindowObject object, int64 rows, int64 steps)
{
	for (int64 step = 1; step <= steps && step < rows; step++)
	{
		CHECK_FOR_INTERRUPTS();
		if (WinRowsArePeers(object, step - 1, step))
			ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED), errmsg("rows tie in ORDER BY"),
							errdetail("The order of the steps would not be determined."),
							errhint("Add columns to ORDER BY until no two rows tie.")));
	}
}

static void
settle(Release *release)
{
	const Learning *learning = &((FtrlCall *) release)->learning;

	release->charge = (Charge){
		.mechanism = "ftrl",
		.adjacency = ADJACENCY_REPLACE,
		.pair = learning_pair(learning),
		.guarantee = "exact",
		.parameters = learning_parameters(learning),
	};
}

static Datum
keep(Release *release)
{
	Choices *choices = ((FtrlCall *) release)->choices;
	StringInfoData bytes;
	uint8 hash[CHARGE_HASH_LENGTH];

	initStringInfo(&bytes);
	pq_sendint64(&bytes, choices->count);
	pq_sendbytes(&bytes, (char *) choices->choice, (int) choices->count);
	digest_bytes(&bytes, hash);
	charge_released(release->id, hash, NULL);
	choices->released = true;
	return (Datum) 0;
}

/*
 * Counting the rows reads all of them before the charge, so an error below the window costs
 * nothing.  The expression of the costs is computed after the charge; over a protected table it
 * cannot raise an error.
 */
static void
release_choices(FunctionCallInfo fcinfo, WindowObject object, Choices *choices)
{
	static const ReleaseKind kind = {.settle = settle, .draw = draw_choices, .keep = keep};
	FtrlCall call = {.object = object, .choices = choices};
	PlanWindow window;
	PlanTable table;
	int64 rows;

	plan_read_window(fcinfo, &window);
	plan_check_window(&window, &table);
	charge_precheck();
	open_learning(&window, &table, &call.learning);
	rows = WinGetPartitionRowCount(object);
	refuse_ties(object, rows, call.learning.steps);
	choices->count = Min(rows, call.learning.steps);
	choices->choice = MemoryContextAlloc(window.window->partcontext, (Size) Max(choices->count, 1));

	owner_begin(&call.release, &kind, fcinfo, &table);
	(void) release_make(&call.release);
}

/* dp_ftrl(costs, epsilon, delta [, options]) OVER (ORDER BY t) -> integer from 1 */
PG_FUNCTION_INFO_V1(dpobj_ftrl);
Datum
dpobj_ftrl(PG_FUNCTION_ARGS)
{
	WindowObject object = PG_WINDOW_OBJECT();
	PlanWindow window;
	Choices *choices;
	int64 step;

	if (!WindowObjectIsValid(object))
		plan_read_window(fcinfo, &window); /* raises the error that fits */
	choices = WinGetPartitionLocalMemory(object, sizeof(Choices));
	if (!choices->released)
		release_choices(fcinfo, object, choices);
	step = WinGetCurrentPosition(object);
	if (step >= choices->count)
		PG_RETURN_NULL();
	PG_RETURN_INT32(choices->choice[step] + 1);
}
