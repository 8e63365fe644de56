/*
 * drift.c - dpobj.drift(): how the shares of a column's bins have changed between two histograms
 * that dpobj.histogram() has released and that are kept; and the distance of the two as one number.
 *
 * Both read released answers and public parameters only, so they charge nothing (post-processing).
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/looks/drift.h"
#include "core/looks/look.h"

#include "server/release/kept.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/json_value.h"
#include "server/base/materialize.h"
#include "server/base/near_name.h"
#include "server/release/looks.h"

/* ---- a kept histogram ---- */

typedef struct KeptHistogram
{
	Jsonb *answer;
	int bins;
	NoisyHistogram numbers;
	Datum asked; /* jsonb: what must be the same */
	Datum *key;
	bool *no_key;
	Datum *bin;
} KeptHistogram;

/*
 * A row of dpobj.kept_histograms.  Anybody may call dpobj_internal.drift_total() with a row of
 * their own making, so nothing is taken for granted.
 */
static void
refuse_row(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("not a row of dpobj.kept_histograms"),
			 errdetail("Column \"%s\" is missing or has a wrong value.", name)));
}

static Datum
attribute(HeapTupleHeader row, const char *name)
{
	bool isnull;
	Datum value = GetAttributeByName(row, name, &isnull);

	if (isnull)
		refuse_row(name);
	return value;
}

static int64
positive_attribute(HeapTupleHeader row, const char *name, int64 most)
{
	int64 value = DatumGetInt64(attribute(row, name));

	if (value < 1 || value > most)
		refuse_row(name);
	return value;
}

/* Not so large that a sum of all bins would not fit. */
static int64
whole_number(double value)
{
	return (int64) rint(fmin(fmax(value, -1e15), 1e15));
}

static void
read_numbers(Jsonb *answer, KeptHistogram *histogram)
{
	int bins = JB_ROOT_IS_ARRAY(answer) ? kept_count(answer) : 0;
	int64 *number;

	if (bins < 1 || bins > LOOKS_MAX_CELLS)
		refuse_row("answer");
	number = palloc(bins * sizeof(int64));
	for (int i = 0; i < bins; i++)
	{
		JsonbContainer *bin = json_get_object(getIthJsonbValueFromContainer(&answer->root, i));
		double value = 0.0;

		if (bin == NULL || !json_get_number(json_member(bin, "value"), &value))
			refuse_row("answer");
		number[i] = whole_number(value);
	}
	histogram->bins = bins;
	histogram->numbers.number = number;
}

static void
read_histogram(HeapTupleHeader row, KeptHistogram *histogram)
{
	Look look = {.type = &look_histogram};

	histogram->answer = DatumGetJsonbP(attribute(row, "answer"));
	read_numbers(histogram->answer, histogram);
	if (strcmp(TextDatumGetCString(attribute(row, "adjacency")), "replace") == 0)
		look.adjacency = ADJACENCY_REPLACE;
	else
		look.adjacency = ADJACENCY_ADD_REMOVE;
	look.cells = histogram->bins;
	look.rows_per_person = positive_attribute(row, "rows_per_person", PG_INT32_MAX);
	histogram->numbers.reach = look_reach(&look, 0);
	histogram->numbers.epsilon = positive_attribute(row, "epsilon_nano", PG_INT64_MAX);
}

/* The names of the bins, and what must be the same; of a row that is really kept. */
static void
read_names(HeapTupleHeader row, KeptHistogram *histogram)
{
	TupleDesc columns = CreateTemplateTupleDesc(2);

	TupleDescInitEntry(columns, 1, "key", TEXTARRAYOID, -1, 0);
	TupleDescInitEntry(columns, 2, "bin", TEXTOID, -1, 0);
	histogram->asked = attribute(row, "asked");
	histogram->key = palloc(histogram->bins * sizeof(Datum));
	histogram->no_key = palloc(histogram->bins * sizeof(bool));
	histogram->bin = palloc(histogram->bins * sizeof(Datum));
	for (int i = 0; i < histogram->bins; i++)
	{
		Datum values[2];
		bool nulls[2];

		kept_read_row(histogram->answer, i, columns, values, nulls);
		histogram->key[i] = values[0];
		histogram->no_key[i] = nulls[0];
		histogram->bin[i] = values[1];
	}
}

static void
find_histogram(const char *name, KeptHistogram *histogram)
{
	static const char *const statement =
		"SELECT k FROM dpobj.kept_histograms k WHERE k.name = $1 AND k.owner = $2";
	static const char *const names =
		"SELECT ARRAY(SELECT k.name FROM dpobj.kept_histograms k WHERE k.owner = $2"
		" AND k.name IS NOT NULL LIMIT 1000)";
	const char *owner = GetUserNameFromId(GetUserId(), false);
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(owner)};
	Datum row;
	bool isnull;

	if (!admin_select(statement, lengthof(types), types, values, &row, &isnull))
	{
		List *named = admin_select_names(names, lengthof(types), types, values);

		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no kept histogram \"%s\" of role \"%s\"", name, owner),
						errhint("%sHistograms are the answers of kind histogram in dpobj.answers.",
								near_name(name, named))));
	}
	read_histogram(DatumGetHeapTupleHeader(row), histogram);
	read_names(DatumGetHeapTupleHeader(row), histogram);
}

/* Raises 22023 unless the two are answers of calls that ask for the same bins of the same rows. */
static void
check_same(const char *before, const KeptHistogram *earlier, const char *after,
		   const KeptHistogram *later)
{
	static const char *const statement =
		"SELECT string_agg(key, ', ' ORDER BY key) FROM jsonb_each($1) a"
		" FULL JOIN jsonb_each($2) b USING (key) WHERE a.value IS DISTINCT FROM b.value";
	Oid types[] = {JSONBOID, JSONBOID};
	Datum values[] = {earlier->asked, later->asked};
	Datum differ;
	bool isnull;

	if (admin_select(statement, lengthof(types), types, values, &differ, &isnull) && !isnull)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("histograms \"%s\" and \"%s\" cannot be compared", before, after),
						errdetail("They differ in: %s.", TextDatumGetCString(differ)),
						errhint("Table, column, by, filter and bins must be the same; epsilon and "
								"confidence may differ.")));
}

/* ---- answers ---- */

static void
put_bin(const KeptHistogram *before, const KeptHistogram *after, int bin, double confidence,
		Tuplestorestate *set, TupleDesc descriptor)
{
	Estimate earlier;
	Estimate later;
	Estimate difference;

	drift_of_bin(&before->numbers, &after->numbers, before->bins, bin, confidence, &earlier, &later,
				 &difference);
	tuplestore_putvalues(set, descriptor,
						 (Datum[]){before->key[bin], before->bin[bin],
								   Float8GetDatum(earlier.value), Float8GetDatum(later.value),
								   Float8GetDatum(difference.value), Float8GetDatum(difference.low),
								   Float8GetDatum(difference.high), Float8GetDatum(confidence)},
						 (bool[]){before->no_key[bin], false, !earlier.known, !later.known,
								  !difference.known, false, false, false});
}

/*
 * dpobj.drift(before, after, confidence) -> key, bin, share_before, share_after, difference, low,
 * high, confidence
 */
PG_FUNCTION_INFO_V1(dpobj_drift);
Datum
dpobj_drift(PG_FUNCTION_ARGS)
{
	const char *before = TextDatumGetCString(argument_value(fcinfo, 0, "before"));
	const char *after = TextDatumGetCString(argument_value(fcinfo, 1, "after"));
	double confidence = DatumGetFloat8(argument_value(fcinfo, 2, "confidence"));
	KeptHistogram earlier;
	KeptHistogram later;
	TupleDesc descriptor;
	Tuplestorestate *set = materialize_begin(fcinfo, &descriptor);

	looks_check_confidence(confidence, "confidence");
	find_histogram(before, &earlier);
	find_histogram(after, &later);
	check_same(before, &earlier, after, &later);
	for (int bin = 0; bin < earlier.bins; bin++)
		put_bin(&earlier, &later, bin, confidence, set, descriptor);
	return (Datum) 0;
}

/* dpobj_internal.drift_total(before, after, confidence) -> value, low, high */
PG_FUNCTION_INFO_V1(dpobj_drift_total);
Datum
dpobj_drift_total(PG_FUNCTION_ARGS)
{
	KeptHistogram before;
	KeptHistogram after;
	Estimate total;
	TupleDesc descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	read_histogram(PG_GETARG_HEAPTUPLEHEADER(0), &before);
	read_histogram(PG_GETARG_HEAPTUPLEHEADER(1), &after);
	looks_check_confidence(PG_GETARG_FLOAT8(2), "confidence");
	if (before.bins != after.bins)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("two histograms must have the same bins")));
	drift_total(&before.numbers, &after.numbers, before.bins, PG_GETARG_FLOAT8(2), &total);
	PG_RETURN_DATUM(HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(descriptor),
						(Datum[]){Float8GetDatum(total.value), Float8GetDatum(total.low),
								  Float8GetDatum(total.high)},
						(bool[]){!total.known, false, false})));
}
