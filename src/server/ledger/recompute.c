/*
 * recompute.c - the composed guarantee of a table's releases, and the report about the table.
 *
 * The ledger keeps the pair of each release, so every accountant can be applied to old releases.
 * Equal releases are counted (charge_count.c), so the list grows with the number of different
 * releases, not with the length of the ledger.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/ledger/composed.h"
#include "server/base/decimal.h"
#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/base/materialize.h"
#include "server/base/near_name.h"
#include "server/ledger/pair_terms.h"
#include "server/ledger/report_page.h"

/* The default delta of the conversion, on top of the releases' own deltas. */
#define DEFAULT_DELTA (DELTA_ONE / 1000000)

/* ---- privileges ---- */

/* role is 0 for all roles. */
static void
check_reader(Oid role)
{
	if ((OidIsValid(role) && role == GetSessionUserId()) || admin_sees_all())
		return;
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("permission denied to see the releases of other roles"),
					errhint("Members of dpobj_auditor see all; dpobj.recompute with your own role "
							"shows what it has paid for.")));
}

/* ---- the ledger's releases ---- */

typedef struct Charges
{
	ReleaseList list;
	int64 releases;
	int64 weaker; /* releases whose guarantee is not exact */
	Adjacency neighbours;
	char *person;
	int64
		earlier_rows; /* rows of a person that a charge for a row counts for; 0: no such charges */
	bool differ;      /* the charges have different neighbours */
	bool of_population;
} Charges;

static int64
member_integer(JsonbContainer *object, const char *key)
{
	JsonbValue *value = json_member(object, key);

	if (value == NULL || value->type != jbvNumeric)
		elog(ERROR, "the privacy ledger has no \"%s\" of a release", key);
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value->val.numeric)));
}

static char *
member_text(JsonbContainer *object, const char *key)
{
	char *text = json_get_string(json_member(object, key));

	if (text == NULL)
		elog(ERROR, "the privacy ledger has no \"%s\" of a release", key);
	return text;
}

static Adjacency
member_adjacency(JsonbContainer *object, const char *key)
{
	return adjacency_named(member_text(object, key));
}

static void
add_group(Charges *charges, JsonbContainer *group)
{
	Jsonb *terms = JsonbValueToJsonb(json_member(group, "terms"));
	char *tag = member_text(group, "pair");
	CountedPair counted = {.adjacency = member_adjacency(group, "adjacency"),
						   .times = member_integer(group, "times")};

	pair_read(tag, terms, &counted.pair);
	counted.pair.epsilon = member_integer(group, "epsilon");
	counted.pair.delta = member_integer(group, "delta");
	counted.pair = pair_of_group(&counted.pair, member_integer(group, "rows"));
	release_list_add(&charges->list, &counted);
	charges->releases += counted.times;
	pfree(terms);
	pfree(tag);
}

/* Selects the charges of a table's relatives, of a role or of all, as dpobj_internal.charge_groups(). */
static Jsonb *
select_groups(Oid table, Oid role)
{
	static const char *const statement =
		"WITH here AS (SELECT t.id FROM dpobj.identity_tables t WHERE t.relation = $1),"
		" family AS (SELECT DISTINCT unnest(f.members) AS id FROM dpobj.families f"
		" WHERE f.id IN (SELECT id FROM here)) "
		"SELECT dpobj_internal.charge_groups("
		"(SELECT coalesce(jsonb_agg(to_jsonb(c) || jsonb_build_object('table', "
		"c.relation_identity)),"
		" '[]') FROM dpobj.charge_counts c"
		" WHERE c.relation_identity IN (SELECT id FROM family) AND ($2 = 0"
		" OR EXISTS (SELECT FROM dpobj.identity_roles r WHERE r.role = $2 AND r.id = ANY "
		"(c.payers)))),"
		"coalesce((SELECT dpobj_internal.population_facts(o.population) FROM dpobj.populations o"
		" WHERE o.population IN (SELECT id FROM here)),"
		" (SELECT to_jsonb(p) FROM dpobj.protections p WHERE p.relation IN (SELECT id FROM "
		"here))))";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(table), ObjectIdGetDatum(role)};
	Datum result;
	bool isnull;

	if (!admin_select(statement, lengthof(types), types, values, &result, &isnull) || isnull)
		elog(ERROR, "could not read the privacy ledger");
	return DatumGetJsonbP(result);
}

static void
read_charges(Jsonb *json, Charges *charges)
{
	JsonbIterator *iterator = JsonbIteratorInit(json_get_array(json_member(&json->root, "groups")));
	JsonbIteratorToken token;
	JsonbValue value;

	memset(charges, 0, sizeof(*charges));
	charges->neighbours = member_adjacency(&json->root, "neighbours");
	charges->person = json_get_string(json_member(&json->root, "person"));
	charges->earlier_rows = member_integer(&json->root, "earlier_rows");
	charges->differ = member_integer(&json->root, "units") > 1;
	charges->of_population = json_member(&json->root, "population")->val.boolean;
	charges->weaker = member_integer(&json->root, "weaker");
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_ELEM)
			add_group(charges, json_get_object(&value));
		CHECK_FOR_INTERRUPTS();
	}
}

/* ---- the guarantee ---- */

static const char *
neighbours_text(const Charges *charges)
{
	if (charges->of_population)
		return psprintf("%s%s",
						charges->neighbours == ADJACENCY_REPLACE
							? "the rows of one person in all tables are replaced"
							: "one person, with all rows in all tables, comes or goes",
						charges->earlier_rows == 0
							? ""
							: psprintf(", at most " INT64_FORMAT
									   " of them in a table with charges for single rows",
									   charges->earlier_rows));
	if (charges->earlier_rows > 0)
		return psprintf(charges->neighbours == ADJACENCY_REPLACE
							? "at most " INT64_FORMAT " rows of one person are replaced"
							: "at most " INT64_FORMAT " rows of one person come or go",
						charges->earlier_rows);
	if (charges->person != NULL)
		return charges->neighbours == ADJACENCY_REPLACE
				   ? "the rows of one person are replaced"
				   : "one person, with all rows, comes or goes";
	return charges->neighbours == ADJACENCY_REPLACE ? "one row is replaced"
													: "one row comes or goes";
}

static const char *
assumption(const Charges *charges, GuaranteeKind kind, const Guarantee *guarantee)
{
	if (charges->differ)
		return "no total: the releases are about different neighbours";
	return guarantee->known ? guarantee_assumes(kind) : composed_reason(kind);
}

/* Adds the releases' own deltas to the default; below 1. */
static int64
default_delta(const Charges *charges)
{
	Guarantee sums = composed_guarantee(&charges->list, charges->neighbours, GUARANTEE_BASIC, 0);

	return Min(sums.delta, DELTA_ONE - 1 - DEFAULT_DELTA) + DEFAULT_DELTA;
}

static GuaranteeKind
required_accountant(const char *name)
{
	GuaranteeKind kind = guarantee_named(name);

	if (kind == GUARANTEE_KINDS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("accountant \"%s\" is not known", name),
						errhint("%sThe accountants are \"basic\", \"zcdp\", \"rdp\", \"kov\" and "
								"\"pld\".",
								near_name(name, near_name_listed("basic, zcdp, rdp, kov, pld")))));
	return kind;
}

static int64
delta_argument(FunctionCallInfo fcinfo, int position, const Charges *charges)
{
	PrivacyCost asked;

	if (PG_ARGISNULL(position))
		return default_delta(charges);
	decimal_delta(PG_GETARG_DATUM(position), NUMERICOID, &asked);
	return asked.delta;
}

/* Answers with the columns of both functions; the accountant and delta are its last two arguments. */
static Datum
composed(FunctionCallInfo fcinfo, Jsonb *groups)
{
	int last = PG_NARGS() - 1;
	GuaranteeKind kind =
		required_accountant(TextDatumGetCString(argument_value(fcinfo, last - 1, "accountant")));
	Charges charges;
	Guarantee guarantee;
	TupleDesc descriptor;
	Datum values[7];
	bool nulls[7] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	read_charges(groups, &charges);
	guarantee = composed_guarantee(&charges.list, charges.neighbours, kind,
								   delta_argument(fcinfo, last, &charges));
	if (charges.differ)
		guarantee = (Guarantee){.delta = guarantee.delta};

	values[0] = Int64GetDatum(charges.releases);
	values[1] = Int64GetDatum(guarantee.epsilon);
	values[2] = Int64GetDatum(guarantee.delta);
	values[3] = Int32GetDatum(guarantee.order);
	values[4] = CStringGetTextDatum(assumption(&charges, kind, &guarantee));
	values[5] = CStringGetTextDatum(neighbours_text(&charges));
	values[6] = Int64GetDatum(charges.weaker);
	nulls[1] = !guarantee.known;
	nulls[3] = guarantee.order == 0;
	nulls[5] = charges.differ;
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/*
 * dpobj_internal.composed_charges(relation, role, accountant, delta)
 *   -> (releases, epsilon_nano, delta_units, rdp_order, assumes, neighbours, weaker)
 */
PG_FUNCTION_INFO_V1(dpobj_composed_charges);
Datum
dpobj_composed_charges(PG_FUNCTION_ARGS)
{
	Oid table = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	Oid role = PG_ARGISNULL(1) ? InvalidOid : PG_GETARG_OID(1);

	(void) required_accountant(TextDatumGetCString(argument_value(fcinfo, 2, "accountant")));
	check_reader(role);
	return composed(fcinfo, select_groups(table, role));
}

/* dpobj_internal.composed_groups(groups, accountant, delta) -> the same of releases that are told */
PG_FUNCTION_INFO_V1(dpobj_composed_groups);
Datum
dpobj_composed_groups(PG_FUNCTION_ARGS)
{
	return composed(fcinfo, DatumGetJsonbP(argument_value(fcinfo, 0, "groups")));
}

/* ---- the report ---- */

#define FROM_CONTENTS " FROM dpobj_internal.report_contents($1, nullif($2, -1)) r"

typedef struct ReportFormat
{
	const char *name;
	const char *statement; /* of a relation and a delta */
	bool is_page;          /* does it return what fills a page? */
} ReportFormat;

static const ReportFormat formats[] = {
	{"text", "SELECT dpobj_internal.report_as_text(r)" FROM_CONTENTS},
	{"json", "SELECT r::text" FROM_CONTENTS},
	{"html", "SELECT dpobj_internal.page_contents($1, nullif($2, -1))", true},
	{"registry", "SELECT dpobj_internal.registry_contents($1, nullif($2, -1))::text"},
};

static const ReportFormat *
format_argument(FunctionCallInfo fcinfo)
{
	const char *names[lengthof(formats)];

	for (int i = 0; i < lengthof(formats); i++)
		names[i] = formats[i].name;
	return &formats[keyed_json_find("format", "", names, lengthof(formats),
									TextDatumGetCString(argument_value(fcinfo, 1, "format")))];
}

static Datum
make_page(Datum contents)
{
	StringInfoData page;

	initStringInfo(&page);
	report_page(&page, &DatumGetJsonbP(contents)->root);
	return PointerGetDatum(cstring_to_text_with_len(page.data, page.len));
}

/* dpobj.report(relation, format, delta) -> text, for those who see all */
PG_FUNCTION_INFO_V1(dpobj_report_table);
Datum
dpobj_report_table(PG_FUNCTION_ARGS)
{
	Oid types[] = {REGCLASSOID, NUMERICOID};
	Datum values[2];
	const ReportFormat *format;
	PrivacyCost asked;
	Datum report;
	bool isnull;

	values[0] = argument_value(fcinfo, 0, "relation");
	format = format_argument(fcinfo);
	values[1] =
		PG_ARGISNULL(2) ? DirectFunctionCall1(int4_numeric, Int32GetDatum(-1)) : PG_GETARG_DATUM(2);
	check_reader(InvalidOid);
	if (!PG_ARGISNULL(2))
		decimal_delta(values[1], NUMERICOID, &asked); /* checks it; -1 stands for no delta */
	if (!admin_select(format->statement, lengthof(types), types, values, &report, &isnull) ||
		isnull)
		elog(ERROR, "could not read the privacy ledger");
	return format->is_page ? make_page(report) : report;
}

static void
put_check(HeapTuple row, TupleDesc descriptor, void *set)
{
	tuplestore_puttuple(set, row);
}

/* dpobj.check_ledger() -> the rows of dpobj_internal.ledger_checks(), for those who see all */
PG_FUNCTION_INFO_V1(dpobj_check_ledger);
Datum
dpobj_check_ledger(PG_FUNCTION_ARGS)
{
	TupleDesc descriptor;
	Tuplestorestate *set = materialize_begin(fcinfo, &descriptor);

	check_reader(InvalidOid);
	admin_read("SELECT * FROM dpobj_internal.ledger_checks()", 0, NULL, NULL, put_check, set);
	return (Datum) 0;
}

/* dpobj.verify_report(report, earlier) -> the rows of dpobj_internal.report_checks(), for those who see all */
PG_FUNCTION_INFO_V1(dpobj_verify_report);
Datum
dpobj_verify_report(PG_FUNCTION_ARGS)
{
	Oid types[] = {JSONBOID, JSONBOID};
	TupleDesc descriptor;
	Tuplestorestate *set = materialize_begin(fcinfo, &descriptor);
	Datum values[2] = {argument_value(fcinfo, 0, "report")};

	values[1] = PG_ARGISNULL(1) ? DirectFunctionCall1(jsonb_in, CStringGetDatum("null"))
								: PG_GETARG_DATUM(1);
	check_reader(InvalidOid);
	admin_read("SELECT * FROM dpobj_internal.report_checks($1, nullif($2, 'null'))",
			   lengthof(types), types, values, put_check, set);
	return (Datum) 0;
}
