/*
 * trainers_groups.c - the aggregate dp_groups: a model for each key of a public list.
 *
 * The options hold the list and the method, so both are known without a row.  The final function
 * has the order of the other aggregates (trainers.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "server/release/groups.h"
#include "server/base/json_value.h"
#include "server/owner/owner.h"
#include "server/plan/plan.h"
#include "server/release/progress.h"
#include "server/release/run_choice.h"
#include "server/owner/trainers.h"

/* Positions of the arguments after the state. */
#define ARGUMENT_KEY 0
#define ARGUMENT_FIRST 1 /* the features, and what follows them */

/* ---- the call ---- */

static Jsonb *
without(Jsonb *options, const char *member)
{
	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options), CStringGetTextDatum(member)));
}

/* Reads keys and method; returns the options without them. */
static Jsonb *
read_options(PlanCall *call, Training *training, KeyList *keys)
{
	Jsonb *options = trainer_options(call, ARGUMENT_FIRST);
	JsonbValue *method;

	if (options == NULL || !JB_ROOT_IS_OBJECT(options))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options of dp_groups must be a JSON object with \"keys\"")));
	key_list_read(json_member(&options->root, "keys"), keys);
	method = json_member(&options->root, "method");
	if (method != NULL && json_get_string(method) == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"method\" must be a string")));
	training_set_method(training,
						method == NULL ? method_name(METHOD_AUTO) : json_get_string(method), "");
	return without(without(options, "keys"), "method");
}

static void
check_columns(PlanCall *call, const KeyList *keys)
{
	Oid type = list_nth_oid(call->aggref->aggargtypes, ARGUMENT_KEY);

	if (keys->columns == 1 || type != TEXTOID)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the listed keys have %d columns, and the key is one text", keys->columns),
			 errhint("Write the key as ARRAY[...].")));
}

static void
open_call(FunctionCallInfo fcinfo, PlanTable *table, int64 rows, Training *training, KeyList *keys)
{
	PlanCall call;
	Jsonb *options;

	owner_open_call(fcinfo, &call, table);
	memset(training, 0, sizeof(*training));
	options = read_options(&call, training, keys);
	check_columns(&call, keys);
	trainer_read(&call, ARGUMENT_FIRST, options, table, training);
	groups_set(training, keys);
	trainer_begin(&call, ARGUMENT_FIRST, table, rows, training);
}

/* ---- one row ---- */

/* What the transition function keeps between rows; the state is the array of states. */
typedef struct Accumulation
{
	Training training;
	KeyList keys;
	bool is_array;      /* is the key an array? */
	const char **bytes; /* the parts of a row's key */
	int *lengths;
} Accumulation;

static void *
accumulation_create(FunctionCallInfo fcinfo)
{
	Accumulation *accumulation = palloc0(sizeof(Accumulation));
	PlanTable table;

	open_call(fcinfo, &table, TRAINER_ROWS_TO_COME, &accumulation->training, &accumulation->keys);
	accumulation->is_array = get_fn_expr_argtype(fcinfo->flinfo, 1 + ARGUMENT_KEY) != TEXTOID;
	accumulation->bytes = palloc(accumulation->keys.columns * sizeof(char *));
	accumulation->lengths = palloc(accumulation->keys.columns * sizeof(int));
	return accumulation;
}

static void
set_part(Accumulation *accumulation, int column, Datum text)
{
	struct varlena *part = PG_DETOAST_DATUM_PACKED(text);

	accumulation->bytes[column] = VARDATA_ANY(part);
	accumulation->lengths[column] = VARSIZE_ANY_EXHDR(part);
}

/* The group of a key; -1 if it is not listed, has another length or contains a null. */
static int
find_group(Accumulation *accumulation, Datum key)
{
	const KeyList *keys = &accumulation->keys;
	Datum *parts;
	bool *nulls;
	int count;

	if (!accumulation->is_array)
		set_part(accumulation, 0, key);
	else
	{
		ArrayType *array = DatumGetArrayTypeP(key);

		if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != keys->columns)
			return -1;
		deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &parts, &nulls, &count);
		for (int i = 0; i < count; i++)
		{
			if (nulls[i])
				return -1;
			set_part(accumulation, i, parts[i]);
		}
	}
	return key_list_find(keys, accumulation->bytes, accumulation->lengths);
}

static void
add_row(FunctionCallInfo fcinfo, Accumulation *accumulation, RowsState **states)
{
	const Training *training = &accumulation->training;
	int group;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		return;
	group = find_group(accumulation, PG_GETARG_DATUM(1));
	if (group < 0)
		return;
	trainer_let_spill(fcinfo, training,
					  group_limit(training, spill_limit(training_megabytes(training))),
					  states[group]);
	trainer_add(training, states[group], PG_GETARG_ARRAYTYPE_P(2), PG_GETARG_DATUM(3));
}

/*
 * dpobj_internal.groups_accumulate(internal, key, features float8[], label, epsilon, delta,
 * options) -> internal: a row without a listed key adds nothing.
 */
PG_FUNCTION_INFO_V1(dpobj_groups_accumulate);
Datum
dpobj_groups_accumulate(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	Accumulation *accumulation = owner_accumulation(fcinfo, &context, accumulation_create);
	RowsState **states;

	states = PG_ARGISNULL(0) ? groups_states(&accumulation->training,
											 accumulation->training.keys->count, context)
							 : (RowsState **) PG_GETARG_POINTER(0);
	add_row(fcinfo, accumulation, states);
	PG_RETURN_POINTER(states);
}

/* ---- the release ---- */

typedef struct GroupsRun
{
	Release release; /* the first member */
	Training training;
	KeyList keys;
	Oid group_type;
	RowsState **states;
	GroupProblem *problems;
	MechanismAnswer *answers;
	SolverOutcome outcome;
} GroupsRun;

static void
settle(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;
	Training *training = &run->training;

	training->request.progress = progress_wanted(release->table);
	training->provenance = groups_provenance(training, NIL);
	run->problems = groups_encode(training, run->states, false);
	run->answers = palloc(run->keys.count * sizeof(MechanismAnswer));
	release->charge = trained_charge(training);
	run_tell(training);
}

static bool
draw(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;

	run->outcome = groups_solve(&run->training, run->problems, run->answers);
	return run->outcome == SOLVER_ANSWERED;
}

static void
fail(Release *release)
{
	const GroupsRun *run = (GroupsRun *) release;

	trainer_fail(run->outcome, &run->training);
}

static void
close_run(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;

	groups_close(&run->training, run->problems);
}

static Datum
keep(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;

	return PointerGetDatum(
		groups_release(&run->training, release->id, NULL, NIL, run->answers, run->group_type));
}

/* dpobj_internal.groups_final(internal) -> dp_group[]: charges, solves, releases. */
PG_FUNCTION_INFO_V1(dpobj_groups_final);
Datum
dpobj_groups_final(PG_FUNCTION_ARGS)
{
	static const ReleaseKind kind = {
		.settle = settle, .draw = draw, .fail = fail, .close = close_run, .keep = keep};
	GroupsRun run;
	PlanTable table;

	memset(&run, 0, sizeof(run));
	run.group_type = get_element_type(get_fn_expr_rettype(fcinfo->flinfo));
	open_call(fcinfo, &table, 0, &run.training, &run.keys);
	run.states = PG_ARGISNULL(0)
					 ? groups_states(&run.training, run.training.keys->count, CurrentMemoryContext)
					 : (RowsState **) PG_GETARG_POINTER(0);
	owner_begin(&run.release, &kind, fcinfo, &table);
	return release_make(&run.release);
}
