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

/*
 * Selects the charges of a table's relatives, grouped, and their unit: the unit of the table's
 * protection, else a replacement, as for budgets (dpobj.budget_sums).  The unit is a replacement
 * too if a charge says nothing about the protection's unit.
 */
static Jsonb *
select_groups(Oid table, Oid role)
{
	static const char *const statement =
		"WITH family(id) AS (SELECT DISTINCT unnest(f.members) FROM dpobj.identity_tables t"
		" JOIN dpobj.families f ON f.id = t.id WHERE t.relation = $1),"
		" payer(id) AS (SELECT r.id FROM dpobj.identity_roles r WHERE r.role = $2),"
		" own AS (SELECT p.adjacency, p.person,"
		" p.earlier_rows_per_person AS rows"
		" FROM dpobj.protections p JOIN dpobj.identity_tables t ON t.id = p.relation"
		" WHERE t.relation = $1),"
		" charges AS (SELECT e.*, CASE WHEN e.person IS NULL THEN o.rows END AS rows,"
		" CASE WHEN e.person IS NULL AND o.rows IS NOT NULL THEN o.person ELSE e.person END"
		" AS counted_person FROM dpobj.charge_counts e LEFT JOIN own o ON true"
		" WHERE e.relation_identity IN (SELECT id FROM family)"
		" AND ($2 = 0 OR EXISTS (SELECT FROM payer WHERE payer.id = ANY (e.payers)))),"
		" groups AS (SELECT adjacency, counted_person, rows, pair, pair_terms, epsilon_nano,"
		" delta_units, guarantee = 'exact' AS exact, sum(times)::bigint AS times FROM charges"
		" GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) "
		"SELECT jsonb_build_object("
		"'neighbours', CASE WHEN coalesce(bool_and(g.adjacency = 'add_remove'), true)"
		" AND EXISTS (SELECT FROM own WHERE own.adjacency = 'add_remove') THEN 'add_remove'"
		" ELSE 'replace' END,"
		" 'person', min(g.counted_person),"
		" 'units', count(DISTINCT coalesce('p' || g.counted_person, '')),"
		" 'earlier_rows', coalesce(max(g.rows), 0),"
		" 'weaker', coalesce(sum(g.times) FILTER (WHERE NOT g.exact), 0),"
		" 'groups', coalesce(jsonb_agg(jsonb_build_object('adjacency', g.adjacency,"
		" 'rows', coalesce(g.rows, 1), 'pair', g.pair, 'terms', g.pair_terms,"
		" 'epsilon', g.epsilon_nano, 'delta', g.delta_units, 'times', g.times)), '[]'))"
		" FROM groups g";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(table), ObjectIdGetDatum(role)};
	Datum result;
	bool isnull;

	if (!admin_select(statement, lengthof(types), types, values, &result, &isnull) || isnull)
		elog(ERROR, "could not read the privacy ledger");
	return DatumGetJsonbP(result);
}

static void
read_charges(Oid table, Oid role, Charges *charges)
{
	Jsonb *json = select_groups(table, role);
	JsonbIterator *iterator = JsonbIteratorInit(json_get_array(json_member(&json->root, "groups")));
	JsonbIteratorToken token;
	JsonbValue value;

	memset(charges, 0, sizeof(*charges));
	charges->neighbours = member_adjacency(&json->root, "neighbours");
	charges->person = json_get_string(json_member(&json->root, "person"));
	charges->earlier_rows = member_integer(&json->root, "earlier_rows");
	charges->differ = member_integer(&json->root, "units") > 1;
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
	GuaranteeKind kind =
		required_accountant(TextDatumGetCString(argument_value(fcinfo, 2, "accountant")));
	Charges charges;
	Guarantee guarantee;
	TupleDesc descriptor;
	Datum values[7];
	bool nulls[7] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	check_reader(role);
	read_charges(table, role, &charges);
	guarantee = composed_guarantee(&charges.list, charges.neighbours, kind,
								   delta_argument(fcinfo, 3, &charges));
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
