/*
 * evaluate.c - dpobj.evaluate(): a private estimate of a model's accuracy.
 *
 * Two counts are released, of the rows that the model gets right and of those that
 * it gets wrong.  One row that comes or goes changes one of them by 1; a row that
 * is replaced changes their sum of absolute values by 2 at most, whatever the
 * filter does to it.  With s = 1 or 2 each count gets discrete Laplace noise at
 * rate epsilon / s (core/laplace.h, PRIVACY.md 7), which is exactly epsilon-DP; a
 * person with at most k rows has epsilon / k for each of them.  The accuracy is
 * computed from the noisy counts: no number of rows needs to be public.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "core/laplace.h"

#include "admin.h"
#include "analyst.h"
#include "decimal.h"
#include "digest.h"
#include "gate.h"
#include "grant.h"
#include "json_value.h"
#include "model.h"
#include "random_bits.h"
#include "rows_state.h"

enum
{
	ARGUMENT_NAME,
	ARGUMENT_RELATION,
	ARGUMENT_EPSILON,
	ARGUMENT_FILTER
};

/* ---- the model ---- */

/* A model of dpobj.train under its name, and what its details say of its columns. */
typedef struct NamedModel
{
	const char *name;
	Model model;
	Jsonb *details;
	char *label;
	List *features;
	bool intercept;
} NamedModel;

static void
read_details(NamedModel *named)
{
	JsonbContainer *root;
	JsonbContainer *features;
	JsonbContainer *encoding;
	JsonbValue *intercept;

	named->details =
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(named->model.details)));
	root = &named->details->root;
	features = json_get_array(json_member(root, "features"));
	encoding = json_get_object(json_member(root, "encoding"));
	if (features == NULL || encoding == NULL)
		elog(ERROR, "model \"%s\" does not say what its features are", named->name);
	named->label = json_get_string(json_member(root, "label"));
	named->features = NIL;
	for (int i = 0; i < JsonContainerSize(features); i++)
		named->features =
			lappend(named->features, json_get_string(getIthJsonbValueFromContainer(features, i)));
	intercept = json_member(encoding, "intercept");
	named->intercept = intercept != NULL && intercept->type == jbvBool && intercept->val.boolean;
}

static void
find_model(const char *name, NamedModel *named)
{
	static const char *const statement =
		"SELECT m.model FROM dpobj.model_rows m JOIN dpobj.identity_roles r ON r.id = m.owner"
		" WHERE r.role = $1 AND m.name = $2 AND m.model IS NOT NULL";
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(GetSessionUserId()), CStringGetTextDatum(name)};
	Datum row;
	bool isnull;

	if (!admin_select(statement, lengthof(types), types, values, &row, &isnull))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no model \"%s\" of role \"%s\"", name,
							   GetUserNameFromId(GetSessionUserId(), false)),
						errhint("A model has a name if dpobj.train was given one; see "
								"dpobj.models.")));
	named->name = name;
	model_read(DatumGetHeapTupleHeader(row), &named->model);
	if (strcmp(named->model.kind, method_name(METHOD_SIMPLEX)) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("model \"%s\" predicts a number", name),
						errdetail("dpobj.evaluate rates models that predict a label.")));
	read_details(named);
}

/* Its weights are for features as they were encoded then. */
static void
check_encoder(const NamedModel *named, const AnalystTable *opened, const char *column)
{
	JsonbContainer *encoders = json_get_object(json_member(&named->details->root, "encoders"));
	JsonbContainer *then = encoders == NULL ? NULL : json_get_object(json_member(encoders, column));
	JsonbContainer *now = json_get_object(json_member(&opened->protection.encoders->root, column));

	if (then != NULL && now != NULL && compareJsonbContainers(then, now) == 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("model \"%s\" does not fit table %s", named->name, opened->name),
					errdetail("Column \"%s\" was declared with another encoder when the model was "
							  "trained.",
							  column)));
}

static void
check_encoders(const NamedModel *named, const AnalystTable *opened)
{
	ListCell *cell;

	check_encoder(named, opened, named->label);
	foreach (cell, named->features)
		check_encoder(named, opened, lfirst(cell));
}

/* ---- the counts ---- */

typedef struct Evaluation
{
	const NamedModel *named;
	Encoding encoding;
	Scan *scan;
	int64 epsilon; /* of one row, nano-units */
	int sensitivity;
	int64 right; /* noisy, once it has run */
	int64 wrong;
} Evaluation;

static bool
predicts_positive(const Model *model, const int32 *x)
{
	double score = 0.0;

	for (int j = 0; j < model->weights; j++)
		score += model->weight[j] * x[j];
	return score > 0.0;
}

static void
count_rows(const Rows *rows, const Model *model, int64 *right, int64 *wrong)
{
	*right = *wrong = 0;
	for (uint32 i = 0; i < rows->distinct; i++)
	{
		const RowCount *count = &rows->count[i];
		bool positive = predicts_positive(model, rows->x + (Size) i * rows->stride);

		*right += positive ? count->positive : count->negative;
		*wrong += positive ? count->negative : count->positive;
	}
}

/* A draw may be anything an int64 holds: the sum must not wrap around. */
static int64
noisy(int64 count, Bits *bits, const Evaluation *evaluation)
{
	int64 noise =
		laplace_draw(bits, evaluation->epsilon, (uint64) evaluation->sensitivity * EPSILON_ONE);
	int64 sum;

	return pg_add_s64_overflow(count, noise, &sum) ? PG_INT64_MAX : sum;
}

/* All that looks at rows. */
static bool
run(void *context)
{
	Evaluation *evaluation = context;
	RowsState *state = rows_state_create(&evaluation->encoding, CurrentMemoryContext);
	int64 right;
	int64 wrong;
	Bits bits;

	scan_run(evaluation->scan, &state->rows);
	scan_close(evaluation->scan);
	rows_flush(&state->rows);
	count_rows(&state->rows, &evaluation->named->model, &right, &wrong);
	random_bits_init(&bits);
	evaluation->right = noisy(right, &bits, evaluation);
	evaluation->wrong = noisy(wrong, &bits, evaluation);
	return true;
}

/* ---- the release ---- */

static char *
parameters(const NamedModel *named, const Evaluation *evaluation, const AnalystTable *opened,
		   Jsonb *filter)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"model\": " INT64_FORMAT ", \"sensitivity\": %d%s}",
					 named->model.release, evaluation->sensitivity,
					 analyst_provenance(opened, filter));
	return text.data;
}

static void
settle(const NamedModel *named, const AnalystTable *opened, const PrivacyCost *cost,
	   Evaluation *evaluation)
{
	int rows = Max(opened->protection.max_rows_per_person, 1);
	Options options;

	memset(&options, 0, sizeof(options));
	encoders_describe(&opened->features, &options);
	options.intercept = named->intercept;
	encoders_encoding(&options, &evaluation->encoding);
	if (encoding_dimension(&evaluation->encoding) != named->model.weights)
		elog(ERROR, "model \"%s\" has another number of weights", named->name);
	evaluation->named = named;
	evaluation->sensitivity = opened->protection.adjacency == ADJACENCY_REPLACE ? 2 : 1;
	evaluation->epsilon = cost->epsilon / rows;
	if (evaluation->epsilon == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d rows of a person", rows)));
}

static void
commit_released(int64 release, const Evaluation *evaluation)
{
	StringInfoData bytes;
	uint8 hash[CHARGE_HASH_LENGTH];

	initStringInfo(&bytes);
	pq_sendint64(&bytes, evaluation->right);
	pq_sendint64(&bytes, evaluation->wrong);
	digest_bytes(&bytes, hash);
	charge_released(release, hash, NULL);
}

static void
evaluate(Oid table, const NamedModel *named, const PrivacyCost *cost, Jsonb *filter,
		 Evaluation *evaluation)
{
	AnalystTerms terms = {.name = NULL};
	AnalystTable opened;
	Charge charge = {.relation = table,
					 .mechanism = "laplace",
					 .guarantee = "exact",
					 .pair = {.kind = PAIR_PURE, .epsilon = cost->epsilon_charged, .count = 1}};
	int64 release;

	analyst_open(table, named->features, named->label, false, filter, &opened);
	grant_check_budgets(table, &charge.pair, opened.protection.adjacency);
	check_encoders(named, &opened);
	settle(named, &opened, cost, evaluation);
	evaluation->scan = scan_open(table, opened.protection.ignore_rls, &opened.shape);

	charge.adjacency = opened.protection.adjacency;
	charge.person = opened.protection.person;
	charge.parameters = parameters(named, evaluation, &opened, filter);
	charge.analyst = &terms;
	release = charge_commit(&charge);
	analyst_attempt(release, &terms, run, evaluation);
	commit_released(release, evaluation);
}

/* NULL where the noise leaves no rows to be right about. */
static Datum
accuracy(FunctionCallInfo fcinfo, const Evaluation *evaluation)
{
	double right = Max(evaluation->right, 0);
	double wrong = Max(evaluation->wrong, 0);

	if (right + wrong <= 0.0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(right / (right + wrong));
}

/* dpobj.evaluate(name, relation, epsilon, filter) -> float8 */
PG_FUNCTION_INFO_V1(dpobj_evaluate);
Datum
dpobj_evaluate(PG_FUNCTION_ARGS)
{
	Evaluation evaluation;
	NamedModel named;
	PrivacyCost cost;
	char *name = TextDatumGetCString(analyst_argument(fcinfo, ARGUMENT_NAME, "name"));
	Oid table = DatumGetObjectId(analyst_argument(fcinfo, ARGUMENT_RELATION, "relation"));
	Jsonb *filter = analyst_json(fcinfo, ARGUMENT_FILTER, "filter");

	decimal_epsilon(analyst_argument(fcinfo, ARGUMENT_EPSILON, "epsilon"), NUMERICOID, &cost);
	analyst_enter(table);
	find_model(name, &named);
	evaluate(table, &named, &cost, filter, &evaluation);
	analyst_leave();
	return accuracy(fcinfo, &evaluation);
}
