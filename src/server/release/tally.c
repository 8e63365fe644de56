/*
 * tally.c - charge, noise and hash of an evaluation.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/array.h"

#include "core/base/names.h"
#include "core/exponential/select.h"

#include "server/base/digest.h"
#include "server/base/json_value.h"
#include "server/base/random_bits.h"
#include "server/base/near_name.h"
#include "server/release/looks.h"
#include "server/release/tally.h"
#include "server/rows/options.h"
#include "server/ledger/charge_end.h"

static const char *const names[] = {
	[TALLY_ACCURACY] = "accuracy", [TALLY_CONFUSION] = "confusion", [TALLY_SELECTION] = "select"};

static const char *
tally_name(TallyKind kind)
{
	return names[kind];
}

static const char *
tally_mechanism(TallyKind kind)
{
	return kind == TALLY_SELECTION ? "permute_flip" : "laplace";
}

bool
tally_find(const char *name, TallyKind *kind)
{
	int position = names_find(names, lengthof(names), name);

	*kind = (TallyKind) position;
	return position < lengthof(names);
}

void
tally_check_models(int models)
{
	if (models < 2 || models > SELECT_LIST_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a selection needs 2 to %d models, not %d", SELECT_LIST_MAX, models),
						models == 1 ? errhint("dp_accuracy and dpobj.evaluate rate one.") : 0));
}

/* ---- the options ---- */

/* A choice among models has no interval. */
static void
check_options(const TallyRequest *request, Jsonb *options)
{
	bool of_table = OidIsValid(request->table);
	bool selects = request->kind == TALLY_SELECTION;
	const char *known[3];
	int count = 0;
	ListCell *cell;

	known[count++] = of_table ? "holdout" : "adjacency";
	if (of_table && !selects)
		known[count++] = "confidence";
	if (request->is_price && request->kind == TALLY_CONFUSION)
		known[count++] = "classes";
	if (request->is_price && of_table && selects)
		known[count++] = "models";
	if (!JB_ROOT_IS_OBJECT(options))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options must be a JSON object")));
	foreach (cell, json_keys(&options->root))
		if (names_find(known, count, lfirst(cell)) == count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"%s\" is not for method \"%s\"", (char *) lfirst(cell),
							tally_name(request->kind)),
					 errhint("%sOptions are: %s.",
							 near_name(lfirst(cell), near_name_listed(json_known(known, count))),
							 json_known(known, count))));
}

static void
read_classes(JsonbValue *given, TallyRequest *request)
{
	int64 classes = 2;

	if (given != NULL && !json_get_integer(given, 2, INSTANCE_MAX_CLASSES, &classes))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"classes\" must be an integer from 2 to %d",
							   INSTANCE_MAX_CLASSES)));
	request->classes = (int) classes;
}

static void
read_models(JsonbValue *given, TallyRequest *request)
{
	int64 models = 0;

	if (given == NULL || !json_get_integer(given, 0, PG_INT32_MAX, &models))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of models is missing"),
						errhint("Set \"models\" in the options.")));
	request->models = (int) models;
}

void
tally_read_options(TallyRequest *request, Jsonb *options)
{
	JsonbValue *holdout;
	JsonbValue *confidence;

	if (options != NULL)
		check_options(request, options);
	holdout = json_option(options, "holdout");
	confidence = json_option(options, "confidence");
	request->provenance = "";
	request->adjacency = looks_read_adjacency(json_option(options, "adjacency"));
	request->holdout_given = holdout != NULL;
	if (holdout != NULL)
		options_read_holdout(holdout, true, &request->holdout);
	request->confidence = LOOKS_CONFIDENCE;
	if (confidence != NULL)
		looks_read_confidence(confidence, &request->confidence);
	read_classes(json_option(options, "classes"), request);
	if (request->is_price && request->kind == TALLY_SELECTION && OidIsValid(request->table))
		read_models(json_option(options, "models"), request);
}

void
tally_set_protected(TallyRequest *request, const PrivacyCost *cost, const Protection *protection)
{
	int rows = Max(protection->max_rows_per_person, 1);

	request->adjacency = protection->adjacency;
	request->person = protection->person;
	request->epsilon = cost->epsilon / rows;
	request->epsilon_charged = cost->epsilon_charged;
	if (request->epsilon == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d rows of a person", rows)));
}

/* ---- the charge ---- */

static char *
parameters(const TallyRequest *request)
{
	bool selection = request->kind == TALLY_SELECTION;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"evaluation\": \"%s\", ", tally_name(request->kind));
	appendStringInfoString(&text, selection ? "\"models\": [" : "\"model\": ");
	for (int i = 0; i < request->models && request->model_release != NULL; i++)
		appendStringInfo(&text, "%s" INT64_FORMAT, i > 0 ? ", " : "", request->model_release[i]);
	if (selection)
		appendStringInfo(&text, "], \"margin\": %d", privacy_margin(request->adjacency));
	else
		appendStringInfo(&text, ", \"sensitivity\": %d",
						 evaluation_sensitivity(request->adjacency));
	appendStringInfo(&text, "%s}", request->provenance);
	return text.data;
}

/* Both laws are pure only: permute-and-flip has no bounded range of epsilon (theorem A3). */
Charge
tally_charge(const TallyRequest *request)
{
	return (Charge){
		.mechanism = tally_mechanism(request->kind),
		.adjacency = request->adjacency,
		.pair = pair_pure(request->epsilon_charged),
		.guarantee = "exact",
		.parameters = parameters(request),
		.person = request->person,
	};
}

/* ---- the draw ---- */

/* Adds up a model's cells of right predictions, or of wrong ones. */
static int64
sum_cells(const int64 *count, int classes, bool right)
{
	int64 sum = 0;

	for (int predicted = 0; predicted < classes; predicted++)
		for (int label = 0; label < classes; label++)
			if ((predicted == label) == right)
				sum += count[tally_cell(predicted, label, classes)];
	return sum;
}

static int
choose(const TallyRequest *request, const int64 *count, Bits *bits)
{
	int64 *loss = palloc(request->models * sizeof(int64));

	for (int i = 0; i < request->models; i++)
		loss[i] = sum_cells(count + i * tally_cells(request->classes), request->classes, false);
	return select_from_list(request->epsilon, request->adjacency, loss, request->models, bits);
}

/* The accuracy of noisy counts, as it is shown. */
static void
estimate_accuracy(const TallyRequest *request, const int64 *count, Estimate *accuracy)
{
	Noise noise =
		noise_laplace(request->epsilon, (uint64) evaluation_sensitivity(request->adjacency));

	estimate_share(&noise, count[0], count[1], request->confidence, accuracy);
	estimate_round(accuracy);
}

void
tally_draw(const TallyRequest *request, const int64 *count, TallyResult *result)
{
	Bits bits;

	memset(result, 0, sizeof(*result));
	result->classes = request->classes;
	random_bits_init(&bits);
	switch (request->kind)
	{
		case TALLY_ACCURACY:
			result->count[0] = sum_cells(count, request->classes, true);
			result->count[1] = sum_cells(count, request->classes, false);
			evaluation_noise(&bits, request->epsilon, request->adjacency, result->count, 2);
			estimate_accuracy(request, result->count, &result->accuracy);
			break;
		case TALLY_CONFUSION:
			memcpy(result->count, count, tally_cells(request->classes) * sizeof(int64));
			evaluation_noise(&bits, request->epsilon, request->adjacency, result->count,
							 tally_cells(request->classes));
			result->error =
				evaluation_error(request->epsilon, request->adjacency,
								 tally_cells(request->classes), 1.0 - request->confidence);
			break;
		case TALLY_SELECTION:
			result->chosen = choose(request, count, &bits);
			break;
	}
}

/* ---- the answer ---- */

/*
 * Hashes the answer as the user gets it, so that the user can compare: a float8, nothing for null,
 * or integers.
 */
void
tally_released(int64 release, TallyKind kind, const TallyResult *result, const char *kept)
{
	StringInfoData bytes;
	uint8 hash[CHARGE_HASH_LENGTH];

	initStringInfo(&bytes);
	if (kind == TALLY_SELECTION)
		pq_sendint32(&bytes, result->chosen + 1);
	else if (kind == TALLY_CONFUSION)
		for (int i = 0; i < tally_cells(result->classes); i++)
			pq_sendint64(&bytes, result->count[i]);
	else if (result->accuracy.known)
		pq_sendfloat8(&bytes, result->accuracy.value);
	digest_bytes(&bytes, hash);
	charge_released_answer(release, hash, kept);
}

Datum
tally_confusion(FunctionCallInfo fcinfo, const TallyResult *result)
{
	Datum values[4];
	bool nulls[4] = {false};
	TupleDesc descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "a confusion table must be returned as dp_confusion_table");
	for (int i = 0; i < lengthof(values); i++)
		values[i] = Int64GetDatum(result->count[i]);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

Datum
tally_class_confusion(const TallyResult *result)
{
	int cells = tally_cells(result->classes);
	Datum *values = palloc(cells * sizeof(Datum));
	int lengths[] = {result->classes, result->classes};
	int bounds[] = {1, 1};

	for (int i = 0; i < cells; i++)
		values[i] = Int64GetDatum(result->count[i]);
	return PointerGetDatum(construct_md_array(values, NULL, lengthof(lengths), lengths, bounds,
											  INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
											  TYPALIGN_DOUBLE));
}

/* ---- the last result ---- */

static struct
{
	int64 release; /* 0: none */
	TallyResult result;
} latest;

void
tally_keep(int64 release, const TallyResult *result)
{
	latest.release = release;
	latest.result = *result;
}

bool
tally_recall(int64 release, TallyResult *result)
{
	if (release == 0 || release != latest.release)
		return false;
	*result = latest.result;
	return true;
}
