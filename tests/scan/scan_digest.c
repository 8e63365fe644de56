/*
 * scan_digest.c - a module for tests, which check with it that a scan reads the right rows.
 *
 * It calls functions of the preloaded dpobj.so; functions.sql compiles it and makes its functions.
 * The digest does not depend on the order of the rows, so a query can compute it too: SHA-256 over
 * one line for each distinct row, in bytewise order,
 *
 *   x1 x2 ... : positive negative
 *
 * with the features as integers in units of 2^-16.  scan_rows() returns these rows.  Both functions
 * take the key for the choice of rows if a person has more than may enter; no function of the
 * extension has such an argument.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "server/base/acting.h"
#include "server/analyst/analyst.h"
#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/materialize.h"
#include "server/rows/rows_state.h"

PG_MODULE_MAGIC;

static const uint8 *
read_key(FunctionCallInfo fcinfo, int argument)
{
	bytea *key;

	if (PG_ARGISNULL(argument))
		return NULL;
	key = PG_GETARG_BYTEA_PP(argument);
	if (VARSIZE_ANY_EXHDR(key) != PERSONS_KEY_LENGTH)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("person_key must have %d bytes", PERSONS_KEY_LENGTH)));
	return (const uint8 *) VARDATA_ANY(key);
}

/*
 * The rows of a scan with the arguments (relation, label, features, filter, ..., person_key).  The
 * features have the order of the declared table, also for a partition.
 */
static Rows *
scan_arguments(FunctionCallInfo fcinfo, int key_argument)
{
	Relation relation;
	Protection protection;
	AnalystTable opened;
	LabelChoice label = {0};
	Options options = {0};
	Encoding encoding;
	RowsState *state;
	Scan *scan;
	const uint8 *key;

	(void) argument_value(fcinfo, 0, "relation");
	(void) argument_value(fcinfo, 1, "label");
	key = read_key(fcinfo, key_argument);
	relation = acting_open(PG_GETARG_OID(0), AccessShareLock);
	protection_require(relation, &protection);
	relation_close(relation, AccessShareLock);
	label.name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	analyst_open(protection.relation, NIL,
				 PG_ARGISNULL(2) ? NIL : encoders_names(PG_GETARG_ARRAYTYPE_P(2)), &label,
				 PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3), &opened);
	encoders_describe(&opened.features, &options);
	encoders_encoding(&options, &encoding);

	scan = scan_open(PG_GETARG_OID(0), protection.ignore_rls, &opened.shape);
	state = rows_state_create(&encoding, CurrentMemoryContext);
	scan_make_room(scan, &encoding, protection.n, dpobj_memory_limit);
	if (key != NULL)
		scan_run_with_key(scan, &state->rows, key);
	else
		scan_run(scan, &state->rows);
	scan_close(scan);
	scan_end_room(scan);
	rows_flush(&state->rows);
	return &state->rows;
}

static int
compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

static char *
format_line(const Rows *rows, uint32 row)
{
	StringInfoData line;

	initStringInfo(&line);
	for (int j = 0; j < rows->encoding.features; j++)
		appendStringInfo(&line, "%d ", rows->x[(Size) row * rows->stride + j]);
	appendStringInfo(&line, ": " INT64_FORMAT " " INT64_FORMAT "\n", rows->count[row].positive,
					 rows->count[row].negative);
	return line.data;
}

static Datum
digest_rows(const Rows *rows)
{
	char **lines = palloc((Size) Max(rows->distinct, 1) * sizeof(char *));
	StringInfoData all;

	initStringInfo(&all);
	for (uint32 i = 0; i < rows->distinct; i++)
		lines[i] = format_line(rows, i);
	qsort(lines, rows->distinct, sizeof(char *), compare_lines);
	for (uint32 i = 0; i < rows->distinct; i++)
		appendStringInfoString(&all, lines[i]);
	return DirectFunctionCall1(sha256_bytea,
							   PointerGetDatum(cstring_to_text_with_len(all.data, all.len)));
}

static Datum
form_result(TupleDesc descriptor, Rows *rows, bool with_digest)
{
	bool nulls[4] = {false, false, false, !with_digest};
	int64 total = rows->neutral;
	Datum values[4];

	for (uint32 i = 0; i < rows->distinct; i++)
		total += rows->count[i].positive + rows->count[i].negative;
	values[0] = Int64GetDatum(total);
	values[1] = Int64GetDatum(rows->neutral);
	values[2] = Int64GetDatum(rows->distinct);
	values[3] = with_digest ? digest_rows(rows) : (Datum) 0;
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/*
 * scan_digest(relation, label, features, filter, with_digest, person_key) ->
 * rows, neutral, distinct_rows, digest
 */
PG_FUNCTION_INFO_V1(scan_digest);
Datum
scan_digest(PG_FUNCTION_ARGS)
{
	TupleDesc descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return form_result(descriptor, scan_arguments(fcinfo, 5), PG_ARGISNULL(4) || PG_GETARG_BOOL(4));
}

static void
put_row(ReturnSetInfo *result, const Rows *rows, uint32 row)
{
	int features = rows->encoding.features;
	Datum *x = palloc(features * sizeof(Datum));
	Datum values[3];
	bool nulls[3] = {false, false, false};

	for (int j = 0; j < features; j++)
		x[j] = Int32GetDatum(rows->x[(Size) row * rows->stride + j]);
	values[0] =
		PointerGetDatum(construct_array(x, features, INT4OID, sizeof(int32), true, TYPALIGN_INT));
	values[1] = Int64GetDatum(rows->count[row].positive);
	values[2] = Int64GetDatum(rows->count[row].negative);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * scan_rows(relation, label, features, filter, person_key) ->
 * features, positive, negative
 */
PG_FUNCTION_INFO_V1(scan_rows);
Datum
scan_rows(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc descriptor;
	const Rows *rows;

	(void) materialize_begin(fcinfo, &descriptor);
	rows = scan_arguments(fcinfo, 4);
	for (uint32 i = 0; i < rows->distinct; i++)
		put_row(result, rows, i);
	return (Datum) 0;
}
