/*
 * price_plan.c - dpobj.price_plan(): what a batch of releases would cost together.
 *
 * Each release of the plan is settled as dpobj.price settles it.  Guarantees by the accountants of
 * budgets hold for any analyst; those by optimal composition and privacy loss distributions hold
 * only for a batch that is fixed before the first answer (theorem A6).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "core/base/names.h"

#include "server/base/argument.h"
#include "server/ledger/composed.h"
#include "server/base/decimal.h"
#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/analyst/price.h"

#define PLAN_RELEASES_MAX 500
#define PLAN_COUNT_MAX 1000000

/* Entries whose noise is found by a search, which takes 0.1 to 0.7 seconds each. */
#define PLAN_SEARCHED_MAX 20

/* One of the plan's entries. */
typedef struct PlannedRelease
{
	PricedCall call;
	CountedPair counted;
} PlannedRelease;

/* ---- an entry ---- */

static const char *const entry_keys[] = {"method", "d", "epsilon", "delta", "options", "count"};

/* missing: the value of an absent key, 0 if the key is required. */
static int64
entry_integer(JsonbContainer *entry, const char *key, int64 missing, double max)
{
	JsonbValue *value = json_member(entry, key);
	int64 integer = missing;

	if (value == NULL ? missing == 0 : !json_get_integer(value, 1, max, &integer))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" of a planned release must be a whole number from 1 to %.0f",
							   key, max)));
	return integer;
}

/* A number in quotes is a string and refused. */
static Datum
entry_numeric(JsonbContainer *entry, const char *key, bool required)
{
	JsonbValue *value = json_member(entry, key);

	if (value == NULL && !required)
		return DirectFunctionCall1(int4_numeric, Int32GetDatum(0));
	if (value == NULL || value->type != jbvNumeric)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" of a planned release must be a number", key)));
	return NumericGetDatum(value->val.numeric);
}

static char *
entry_method(JsonbContainer *entry)
{
	char *method = json_get_string(json_member(entry, "method"));

	if (method == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"method\" of a planned release must be a text")));
	return method;
}

static Jsonb *
entry_options(JsonbContainer *entry)
{
	JsonbValue *value = json_member(entry, "options");

	return value == NULL ? NULL : JsonbValueToJsonb(value);
}

static void
settle_entry(JsonbContainer *entry, PlannedRelease *release)
{
	PricedCall *call = &release->call;
	char *method;
	int dimension;
	ListCell *cell;

	foreach (cell, json_keys(entry))
		(void) keyed_json_find("key", " of a planned release", entry_keys, lengthof(entry_keys),
							   lfirst(cell));
	method = entry_method(entry);
	dimension = (int) entry_integer(entry, "d", 0, PG_INT32_MAX);
	release->counted.times = entry_integer(entry, "count", 1, PLAN_COUNT_MAX);
	price_settle(call, method, dimension, entry_numeric(entry, "epsilon", true),
				 entry_numeric(entry, "delta", false), entry_options(entry));
	release->counted.adjacency = call->charge.adjacency;
	release->counted.pair = call->charge.pair;
}

/* Is its noise found by a search? */
static bool
is_searched(const Training *training)
{
	const Mechanism *mechanism;

	if (training == NULL)
		return false;
	mechanism = mechanism_get(training->request.kind);
	return mechanism->searches != NULL && mechanism->searches(&training->request);
}

/* ---- the plan ---- */

typedef struct Plan
{
	ReleaseList list;
	int64 releases;
	int searched; /* entries */
	Adjacency neighbours;
	const char *guarantee; /* the weakest one of the entries */
	StringInfoData echo;   /* the entries as JSON, for the answer */
} Plan;

/* From the strongest, 0, to the weakest. */
static int
guarantee_rank(const char *guarantee)
{
	static const char *const ranks[] = {"exact", "float", "conditional", "unproven"};

	return Min(names_find(ranks, lengthof(ranks), guarantee), lengthof(ranks) - 1);
}

static void
add_entry(Plan *plan, const PlannedRelease *release)
{
	const CountedPair *counted = &release->counted;
	const Charge *charge = &release->call.charge;

	release_list_add(&plan->list, counted);
	plan->searched += is_searched(release->call.training);
	if (plan->searched > PLAN_SEARCHED_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("plan has more than %d entries of \"sgd\" on batches or \"opsamp\"",
							   PLAN_SEARCHED_MAX),
						errdetail("How much noise these need takes long to find."),
						errhint("Write equal releases as one entry with \"count\".")));
	plan->releases += counted->times;
	/* costs under add_remove convert to replace and not the other way round */
	if (counted->adjacency == ADJACENCY_REPLACE)
		plan->neighbours = ADJACENCY_REPLACE;
	if (guarantee_rank(charge->guarantee) > guarantee_rank(plan->guarantee))
		plan->guarantee = charge->guarantee;
	appendStringInfo(&plan->echo,
					 "%s{\"method\": \"%s\", \"mechanism\": \"%s\", \"epsilon\": %s, \"delta\": "
					 "%s, \"adjacency\": \"%s\", \"guarantee\": \"%s\", \"pair\": \"%s\", "
					 "\"count\": " INT64_FORMAT "}",
					 plan->echo.len == 0 ? "" : ", ", release->call.method, charge->mechanism,
					 decimal_text(counted->pair.epsilon, EPSILON_UNIT),
					 decimal_text(counted->pair.delta, DELTA_UNIT),
					 adjacency_name(counted->adjacency), charge->guarantee,
					 pair_name(counted->pair.kind), counted->times);
}

static void
deny_plan(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("plan must be an array of 1 to %d releases", PLAN_RELEASES_MAX),
			 errhint("Write [{\"method\": \"logistic\", \"d\": 20, \"epsilon\": 0.1, \"count\": "
					 "10}].")));
}

static void
settle_plan(Jsonb *json, Plan *plan)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (!JB_ROOT_IS_ARRAY(json) || JB_ROOT_IS_SCALAR(json) || JB_ROOT_COUNT(json) < 1 ||
		JB_ROOT_COUNT(json) > PLAN_RELEASES_MAX)
		deny_plan();
	memset(plan, 0, sizeof(*plan));
	plan->neighbours = ADJACENCY_ADD_REMOVE;
	plan->guarantee = "exact";
	initStringInfo(&plan->echo);
	iterator = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		PlannedRelease release = {0};

		if (token != WJB_ELEM)
			continue;
		CHECK_FOR_INTERRUPTS();
		if (json_get_object(&value) == NULL)
			deny_plan();
		settle_entry(json_get_object(&value), &release);
		add_entry(plan, &release);
	}
}

/* ---- the answer ---- */

/* Appends the guarantees by accountants of budgets; the best one must hold at this delta. */
static void
append_accountants(StringInfo json, const Plan *plan, int64 delta)
{
	static const GuaranteeKind kinds[] = {GUARANTEE_BASIC, GUARANTEE_ZCDP, GUARANTEE_RDP};
	const char *best = NULL;
	int64 least = PG_INT64_MAX;

	for (int i = 0; i < lengthof(kinds); i++)
	{
		Guarantee guarantee = composed_guarantee(&plan->list, plan->neighbours, kinds[i], delta);

		appendStringInfo(json, ", \"%s\": ", guarantee_name(kinds[i]));
		composed_append(json, kinds[i], &guarantee);
		if (guarantee.known && guarantee.delta <= delta && guarantee.epsilon < least)
		{
			least = guarantee.epsilon;
			best = guarantee_name(kinds[i]);
		}
	}
	if (best == NULL)
		appendStringInfoString(json, ", \"best\": null");
	else
		appendStringInfo(json, ", \"best\": \"%s\"", best);
}

static void
append_fixed_beforehand(StringInfo json, const Plan *plan, int64 delta)
{
	static const GuaranteeKind kinds[] = {GUARANTEE_OPTIMAL, GUARANTEE_DISTRIBUTION};

	appendStringInfoString(json, ", \"fixed_beforehand\": {");
	for (int i = 0; i < lengthof(kinds); i++)
	{
		Guarantee guarantee = composed_guarantee(&plan->list, plan->neighbours, kinds[i], delta);

		appendStringInfo(json, "%s\"%s\": ", i == 0 ? "" : ", ", guarantee_name(kinds[i]));
		composed_append(json, kinds[i], &guarantee);
	}
	appendStringInfoChar(json, '}');
}

/* dpobj.price_plan(plan, delta) -> jsonb; with the aggregates' options */
PG_FUNCTION_INFO_V1(dpobj_price_plan);
Datum
dpobj_price_plan(PG_FUNCTION_ARGS)
{
	PrivacyCost asked;
	Plan plan;
	StringInfoData json;

	(void) argument_value(fcinfo, 0, "plan");
	decimal_delta(argument_value(fcinfo, 1, "delta"), NUMERICOID, &asked);
	settle_plan(argument_json(fcinfo, 0, "plan"), &plan);

	initStringInfo(&json);
	appendStringInfo(&json,
					 "{\"releases\": " INT64_FORMAT ", \"delta\": %s, \"adjacency\": \"%s\", "
					 "\"guarantee\": \"%s\", \"plan\": [%s]",
					 plan.releases, decimal_text(asked.delta, DELTA_UNIT),
					 adjacency_name(plan.neighbours), plan.guarantee, plan.echo.data);
	append_accountants(&json, &plan, asked.delta);
	append_fixed_beforehand(&json, &plan, asked.delta);
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}
