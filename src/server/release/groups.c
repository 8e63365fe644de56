/*
 * groups.c - shares the cost of a call among its groups, trains them, releases all or none.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "core/accounting/parallel.h"

#include "server/base/digest.h"
#include "server/release/groups.h"
#include "server/ledger/charge_end.h"

/* Bytes that a group's rows may take at least, however many groups there are. */
#define GROUP_LEAST_LIMIT (64 * 1024)

/* ---- what is not for groups ---- */

static void
refuse(const char *what, const char *name, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s \"%s\" is not for groups", what, name),
					errdetail("It goes by a number of rows, and how many rows a group has is not "
							  "public."),
					errhint("%s", hint)));
}

static void
check_options(const Training *training)
{
	const Options *options = &training->options;
	const Mechanism *mechanism = mechanism_named(options->mechanism, FOR_NAMED);

	if (training->method == METHOD_SIMPLEX)
		refuse("method", method_name(training->method), "Use method \"linear\".");
	if (mechanism->counts_rows)
		refuse("mechanism", mechanism->name, "Use mechanism \"objective\".");
	if (options_given(options, "sampling") && options->sampling != DESCENT_FULL)
		refuse("option", "sampling", "Use sampling \"full\", or leave it out.");
	if (options->n > 0 && !training->by_analyst)
		refuse("option", "n", "Leave it out.");
}

/* ---- the cost ---- */

/*
 * Gives each group's mechanism its share of the cost, under add_remove (theorem P2, which holds for
 * a person's rows in several groups too).  A declared number of rows is about the table, so no
 * group's model uses it.
 */
void
groups_set(Training *training, const KeyList *keys)
{
	ParallelCost call = {training->cost.epsilon, training->cost.delta};
	ParallelCost share =
		parallel_share(training->options.adjacency, call, Max(training->rows_per_person, 1));

	check_options(training);
	if (share.epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for groups"),
				 errdetail("Each group's mechanism has a share of it: half under replace, and "
						   "that divided by the most rows of a person.")));
	training->keys = keys;
	training->adjacency = training->options.adjacency;
	training->options.adjacency = ADJACENCY_ADD_REMOVE;
	training->table_rows = training->options.n; /* no group has more than the table */
	training->group_rows = (training->options.n + keys->count - 1) / keys->count;
	training->options.n = 0;
	training->cost.epsilon = share.epsilon;
	training->cost.delta = share.delta;
}

/* ---- describing ---- */

static void
append_by(StringInfo text, List *by)
{
	ListCell *cell;
	const char *comma = "";

	if (by == NIL)
		return;
	appendStringInfoString(text, "\"by\": [");
	foreach (cell, by)
	{
		appendStringInfoString(text, comma);
		escape_json(text, lfirst(cell));
		comma = ", ";
	}
	appendStringInfoString(text, "], ");
}

/* Appends the last members of a provenance: what each group's mechanism may cost. */
static void
append_share(StringInfo text, const Training *training)
{
	int64 delta = training->cost.delta_charged == 0 ? 0 : training->cost.delta;

	appendStringInfo(text, ", \"epsilon\": %s, \"delta\": %s, \"adjacency\": \"add_remove\"}",
					 decimal_text(training->cost.epsilon, EPSILON_UNIT),
					 decimal_text(delta, DELTA_UNIT));
}

char *
groups_provenance(const Training *training, List *by)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, ", \"groups\": {");
	append_by(&text, by);
	appendStringInfoString(&text, "\"keys\": ");
	key_list_append(&text, training->keys);
	append_share(&text, training);
	return text.data;
}

/* The provenance of one model has its own key only. */
static char *
group_provenance(const Training *training, const char *provenance, List *by, int position)
{
	StringInfoData text;

	initStringInfo(&text);
	if (provenance != NULL)
		appendStringInfoString(&text, provenance);
	appendStringInfoString(&text, ", \"group\": {");
	append_by(&text, by);
	appendStringInfoString(&text, "\"key\": ");
	key_append(&text, training->keys, position);
	append_share(&text, training);
	return text.data;
}

/* ---- training ---- */

RowsState **
groups_states(const Training *training, int count, MemoryContext parent)
{
	RowsState **states = MemoryContextAlloc(parent, count * sizeof(RowsState *));

	for (int i = 0; i < count; i++)
		states[i] = rows_state_create(&training->encoding, parent);
	return states;
}

Size
group_limit(const Training *training, Size limit)
{
	return Max(limit / training->keys->count, GROUP_LEAST_LIMIT);
}

/* Frees a state and returns its spill file, which is still read. */
static Spill *
free_state(RowsState *state)
{
	Spill *spill = palloc(sizeof(Spill));

	*spill = state->spill;
	MemoryContextDelete(state->header.eoh_context);
	return spill;
}

GroupProblem *
groups_encode(const Training *training, RowsState **states, bool free)
{
	GroupProblem *problems = palloc(training->keys->count * sizeof(GroupProblem));

	for (int i = 0; i < training->keys->count; i++)
	{
		GroupProblem *problem = &problems[i];

		problem->bytes = trained_encode(training, states[i], &problem->length);
		problem->spill = free ? free_state(states[i]) : &states[i]->spill;
	}
	return problems;
}

SolverOutcome
groups_solve(const Training *training, GroupProblem *problems, MechanismAnswer *answers)
{
	SolverOutcome outcome = SOLVER_ANSWERED;

	for (int i = 0; i < training->keys->count; i++)
	{
		GroupProblem *problem = &problems[i];

		if (outcome == SOLVER_ANSWERED)
			outcome = trained_solve(training, problem->bytes, problem->length, problem->spill, NULL,
									&answers[i]);
		pfree(problem->bytes);
	}
	return outcome;
}

void
groups_close(const Training *training, GroupProblem *problems)
{
	for (int i = 0; i < training->keys->count; i++)
		spill_close(problems[i].spill);
}

/* ---- releasing ---- */

static Datum
form_group(const KeyList *keys, int position, Datum model, TupleDesc descriptor)
{
	Datum values[] = {PointerGetDatum(key_array(keys, position)), model};
	bool nulls[] = {false, false};

	return HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls));
}

/* Makes the models; hash, for the ledger, is SHA-256 over their hashes in the order of the keys. */
static ArrayType *
form_groups(Training *training, int64 release, const char *provenance, List *by,
			const MechanismAnswer *answers, Oid group_type, uint8 hash[DIGEST_LENGTH])
{
	int count = training->keys->count;
	TupleDesc group = lookup_rowtype_tupdesc_copy(group_type, -1);
	TupleDesc model = lookup_rowtype_tupdesc_copy(TupleDescAttr(group, 1)->atttypid, -1);
	Datum *rows = palloc(count * sizeof(Datum));
	RatingTable *tables = training->rating.table;
	StringInfoData hashes;
	Model *described = palloc(sizeof(Model));

	initStringInfo(&hashes);
	for (int i = 0; i < count; i++)
	{
		uint8 own[MODEL_HASH_LENGTH];

		training->provenance = group_provenance(training, provenance, by, i);
		if (tables != NULL)
			training->rating.table = &tables[i];
		trained_describe(training, release, &answers[i], described);
		model_hash(described, own);
		appendBinaryStringInfo(&hashes, (const char *) own, sizeof(own));
		rows[i] = form_group(training->keys, i, model_form(described, model), group);
	}
	digest_bytes(&hashes, hash);
	return construct_array(rows, count, group_type, -1, false, TYPALIGN_DOUBLE);
}

ArrayType *
groups_release(Training *training, int64 release, const char *provenance, List *by,
			   const MechanismAnswer *answers, Oid group_type)
{
	uint8 hash[DIGEST_LENGTH];
	ArrayType *groups = form_groups(training, release, provenance, by, answers, group_type, hash);

	charge_released_groups(release, hash, groups);
	return groups;
}
