/*
 * looks.c - the aggregates dp_count, dp_sum, dp_avg, dp_histogram and dp_quantiles: what a table
 * holds, with noise and the interval in which the truth is.
 *
 * The transition function adds up integers and keeps nothing else of the rows.  A row whose value
 * is missing counts nowhere, or in the bin "NULL" of a histogram; it is never an error.  The charge
 * comes after all that can be refused and before the noise.
 *
 * Neighbours are those of the table's protection.  Without one a row is replaced, as the other
 * aggregates assume by default.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "server/base/json_value.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/owner/counts.h"
#include "server/owner/owner.h"
#include "server/plan/plan.h"
#include "server/release/key_list.h"
#include "server/release/looks.h"

/* The value of a row, if any, is argument 0 after the state. */
#define ARGUMENT_VALUE 0

/* ---- the call ---- */

/* A call, settled from its public arguments. */
typedef struct OwnerLook
{
	LookRequest request;
	Encoding encoding;
	bool has_levels;
	KeyList levels; /* of a histogram of texts */
	int edges;      /* between the bins of a histogram of numbers */
	double *edge;
} OwnerLook;

/* The position of epsilon, which follows what the look is of. */
static int
epsilon_position(const LookType *type)
{
	static const int positions[] = {
		[READS_ROWS] = 0, [READS_NUMBER] = 3, [READS_POINT] = 4, [READS_BIN] = 2};

	return positions[type->reads];
}

/* The aggregates are named after the looks. */
static const LookType *
called_type(const PlanCall *call)
{
	const char *name = get_func_name(call->aggref->aggfnoid);
	const LookType *type = NULL;

	if (name != NULL && strncmp(name, "dp_", 3) == 0)
		type = look_find(name + 3);
	if (type == NULL || !look_has_groups(type))
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("this is not an aggregate that looks at a table")));
	return type;
}

static void
read_edges(OwnerLook *look, ArrayType *array)
{
	Datum *values;
	bool *nulls;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, &look->edges);
	looks_set_cells(&look->request, look->edges < 1 ? 0 : (double) look->edges + 2);
	look->edge = palloc(look->edges * sizeof(double));
	for (int i = 0; i < look->edges; i++)
	{
		look->edge[i] = nulls[i] ? NAN : DatumGetFloat8(values[i]);
		if (!isfinite(look->edge[i]) || (i > 0 && !(look->edge[i - 1] < look->edge[i])))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("bins must be strictly increasing finite numbers"),
							errdetail("They are the numbers between the bins.")));
	}
}

static void
read_bins(PlanCall *call, OwnerLook *look)
{
	Datum array =
		owner_argument(call, ARGUMENT_VALUE + 1,
					   owner_argument_type(call, ARGUMENT_VALUE) == TEXTOID ? "levels" : "bins");

	look->has_levels = owner_argument_type(call, ARGUMENT_VALUE) == TEXTOID;
	if (!look->has_levels)
	{
		read_edges(look, DatumGetArrayTypeP(array));
		return;
	}
	key_list_texts(DatumGetArrayTypeP(array), "levels", &look->levels);
	looks_set_cells(&look->request, (double) look->levels.count + 2);
}

static float8
read_bound(PlanCall *call, int position, const char *name)
{
	return DatumGetFloat8(owner_argument(call, position, name));
}

static void
read_options(PlanCall *call, int position, OwnerLook *look)
{
	Datum options;
	bool isnull;

	if (list_length(call->aggref->args) <= position)
		return;
	options = plan_constant_argument(call, position, "options", &isnull);
	if (!isnull)
		looks_read_options(&look->request, DatumGetJsonbP(options), NULL, NULL);
}

/* Settles a call, or raises the error that refuses it. */
static void
open_look(PlanCall *call, OwnerLook *look)
{
	const LookType *type = called_type(call);
	int epsilon = epsilon_position(type);

	memset(look, 0, sizeof(*look));
	looks_begin(&look->request, type);
	decimal_epsilon(owner_argument(call, epsilon, "epsilon"), owner_argument_type(call, epsilon),
					&look->request.cost);
	if (type->reads == READS_BIN)
		read_bins(call, look);
	else if (type->reads == READS_POINT)
		looks_read_quantiles(&look->request, DatumGetArrayTypeP(owner_argument(
												 call, ARGUMENT_VALUE + 1, "quantiles")));
	read_options(call, epsilon + 1, look);
	look->request.whole =
		type->reads == READS_POINT && plan_is_whole(plan_argument_expression(call, ARGUMENT_VALUE));
	if (look_has_values(type))
		looks_set_bounds(&look->request, read_bound(call, epsilon - 2, "low"),
						 read_bound(call, epsilon - 1, "high"));
	look_encoding(&look->request.look, &look->encoding);
}

/* ---- one row ---- */

/* A parallel worker leaves the checks to the leader, which makes them before its own first row. */
static void *
look_create(FunctionCallInfo fcinfo)
{
	OwnerLook *look = palloc(sizeof(OwnerLook));
	PlanCall call;
	PlanTable table;

	if (IsParallelWorker())
		plan_read_call(fcinfo, &call);
	else
		owner_open_call(fcinfo, &call, &table);
	open_look(&call, look);
	return look;
}

/* The bin of a number: that of NULL comes after the others, and NaN has it, too. */
static int
find_bin(const OwnerLook *look, double number)
{
	int low = 0;
	int high = look->edges;

	if (isnan(number))
		return look->edges + 1;
	while (low < high)
	{
		int middle = (low + high) / 2;

		if (number < look->edge[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The bin of a text: after the levels come those of NULL and of all other texts. */
static int
find_level(const OwnerLook *look, text *value)
{
	const char *bytes = VARDATA_ANY(value);
	int length = VARSIZE_ANY_EXHDR(value);
	int level = key_list_find(&look->levels, &bytes, &length);

	return level >= 0 ? level : look->levels.count + 1;
}

static int
find_cell(FunctionCallInfo fcinfo, const OwnerLook *look)
{
	if (look->request.look.type->reads != READS_BIN)
		return 0;
	if (PG_ARGISNULL(1))
		return look->has_levels ? look->levels.count : look->edges + 1;
	return look->has_levels ? find_level(look, PG_GETARG_TEXT_PP(1))
							: find_bin(look, PG_GETARG_FLOAT8(1));
}

/*
 * dpobj_internal.look_accumulate(bytea [, value, low, high | bins | levels | quantiles, low, high],
 * epsilon [, options])
 */
PG_FUNCTION_INFO_V1(dpobj_look_accumulate);
Datum
dpobj_look_accumulate(PG_FUNCTION_ARGS)
{
	OwnerLook *look = owner_accumulation(fcinfo, NULL, look_create);
	Counts *counts = counts_get(fcinfo, look_numbers(&look->request.look));
	bool has_values = look_has_values(look->request.look.type);
	double value = 0.0;
	int32_t x[2];

	if (has_values)
		value = PG_ARGISNULL(1) ? NAN : PG_GETARG_FLOAT8(1);
	if (encoding_apply(&look->encoding, &value, x))
	{
		LookRow row = {.cell = find_cell(fcinfo, look), .x = x, .rows = 1};

		look_add(&look->request.look, &row, counts->count);
	}
	PG_RETURN_POINTER(counts);
}

/* ---- the release ---- */

typedef struct LookRun
{
	Release release; /* the first member */
	OwnerLook *look;
	PlanTable table;
	int64 *number;
} LookRun;

static void
settle(Release *release)
{
	LookRun *run = (LookRun *) release;
	LookRequest *request = &run->look->request;

	request->table = release->table;
	request->look.adjacency = run->table.is_protected ? run->table.adjacency : ADJACENCY_REPLACE;
	run->number = counts_get(release->fcinfo, look_numbers(&request->look))->count;
	release->charge = looks_charge(request);
}

static bool
draw(Release *release)
{
	LookRun *run = (LookRun *) release;

	looks_draw(&run->look->request, run->number);
	return true;
}

static Datum
keep(Release *release)
{
	LookRun *run = (LookRun *) release;
	const LookRequest *request = &run->look->request;

	LookAnswer *answer = looks_answers(request, run->number);

	looks_released(request, release->id, answer, NULL);
	return PointerGetDatum(answer);
}

static LookAnswer *
finish(FunctionCallInfo fcinfo, OwnerLook *look)
{
	static const ReleaseKind kind = {.settle = settle, .draw = draw, .keep = keep};
	LookRun run = {.look = look};
	PlanCall call;

	owner_open_call(fcinfo, &call, &run.table);
	open_look(&call, look);
	owner_begin(&run.release, &kind, fcinfo, &run.table);
	return (LookAnswer *) DatumGetPointer(release_make(&run.release));
}

/* The name of a bin, as a range of PostgreSQL, or of a level. */
static char *
bin_name(const OwnerLook *look, int bin)
{
	if (look->has_levels && bin < look->levels.count)
		return key_list_get(&look->levels, bin)[0];
	if (bin == (look->has_levels ? look->levels.count : look->edges + 1))
		return "NULL";
	if (look->has_levels)
		return "other";
	return psprintf("[%s,%s)", bin == 0 ? "" : json_digits(look->edge[bin - 1]),
					bin == look->edges ? "" : json_digits(look->edge[bin]));
}

static HeapTuple
make_row(const OwnerLook *look, TupleDesc descriptor, int position, const LookAnswer *answer)
{
	Datum *values = palloc(descriptor->natts * sizeof(Datum));
	bool *nulls = palloc0(descriptor->natts * sizeof(bool));

	for (int i = 0; i < descriptor->natts; i++)
	{
		const char *column = NameStr(TupleDescAttr(descriptor, i)->attname);

		if (strcmp(column, "bin") == 0)
			values[i] = CStringGetTextDatum(bin_name(look, position));
		else
			values[i] = looks_column(&look->request, column, position, answer, &nulls[i]);
	}
	return heap_form_tuple(descriptor, values, nulls);
}

/* dpobj_internal.look_final(bytea) -> dp_look, and all others: a row, or an array of rows */
PG_FUNCTION_INFO_V1(dpobj_look_final);
Datum
dpobj_look_final(PG_FUNCTION_ARGS)
{
	Oid result = get_fn_expr_rettype(fcinfo->flinfo);
	Oid element = get_element_type(result);
	TupleDesc descriptor = lookup_rowtype_tupdesc_copy(OidIsValid(element) ? element : result, -1);
	OwnerLook look;
	LookAnswer *answer = finish(fcinfo, &look);
	int count = look_answers(&look.request.look);
	Datum *row = palloc(count * sizeof(Datum));

	for (int i = 0; i < count; i++)
		row[i] = HeapTupleGetDatum(make_row(&look, descriptor, i, &answer[i]));
	if (!OidIsValid(element))
		PG_RETURN_DATUM(row[0]);
	PG_RETURN_ARRAYTYPE_P(construct_array(row, count, element, -1, false, TYPALIGN_DOUBLE));
}
