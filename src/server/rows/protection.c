/*
 * protection.c - dpobj.protect(), dpobj.unprotect() and the reading of their table.
 *
 * The caller's transaction writes the declaration; the charge worker commits its event in the
 * ledger, as with budgets (budget.c).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/ledger/budget.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_tables.h"
#include "core/accounting/pair.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/rows/encoders.h"
#include "server/rows/population.h"
#include "server/base/extension.h"
#include "server/base/identity.h"
#include "server/base/json_value.h"
#include "server/base/near_name.h"
#include "server/rows/protection.h"
#include "server/rows/public_table.h"
#include "server/rows/scan_tables.h"

/*
 * Bytes of a declaration, as text and as jsonb: names of 100 bytes for all weights that a model may
 * have.
 */
#define DECLARATION_MAX (1024 * 1024)

/* What a column shall do, for messages. */
#define NAME_PERSONS "name persons"
#define DEAL_ROWS "deal rows between training and rating"

/* ---- reading ---- */

static char *
text_attribute(HeapTuple tuple, TupleDesc descriptor, const char *name)
{
	bool isnull;
	Datum value = identity_attribute(tuple, descriptor, name, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static void
read_protection(HeapTuple tuple, TupleDesc descriptor, Protection *protection)
{
	bool isnull;
	Datum value = identity_attribute(tuple, descriptor, "encoders", &isnull);

	protection->encoders = DatumGetJsonbPCopy(value);
	protection->adjacency = adjacency_named(text_attribute(tuple, descriptor, "adjacency"));
	protection->person = text_attribute(tuple, descriptor, "person");
	protection->holdout_by = text_attribute(tuple, descriptor, "holdout_by");
	value = identity_attribute(tuple, descriptor, "max_rows_per_person", &isnull);
	protection->max_rows_per_person = isnull ? 0 : DatumGetInt32(value);
	value = identity_attribute(tuple, descriptor, "n", &isnull);
	protection->n = isnull ? 0 : DatumGetInt64(value);
	value = identity_attribute(tuple, descriptor, "ignore_rls", &isnull);
	protection->ignore_rls = DatumGetBool(value);
}

bool
protection_find(Relation relation, Protection *protection)
{
	int64 identity = identity_of_table(RelationGetRelid(relation));
	Relation protections = extension_open_table("protections");
	TupleDesc descriptor = RelationGetDescr(protections);
	SysScanDesc scan = systable_beginscan(protections, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;
	bool found = false;
	bool isnull;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (DatumGetInt64(identity_attribute(tuple, descriptor, "relation", &isnull)) == identity)
		{
			read_protection(tuple, descriptor, protection);
			protection->relation = RelationGetRelid(relation);
			found = true;
		}
	systable_endscan(scan);
	table_close(protections, AccessShareLock);
	return found;
}

bool
protection_find_topmost(Relation relation, Protection *protection)
{
	bool found = false;
	ListCell *cell;

	foreach (cell, charge_tables_topmost(RelationGetRelid(relation)))
	{
		Relation topmost = acting_open(lfirst_oid(cell), AccessShareLock);
		Protection one;

		if (protection_find(topmost, &one))
		{
			if (found)
				ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
								errmsg("relation \"%s\" is a child of several protected tables",
									   RelationGetRelationName(relation)),
								errhint("Ask for one of these tables, or let an administrator call "
										"dpobj.unprotect for the others.")));
			*protection = one;
			found = true;
		}
		relation_close(topmost, AccessShareLock);
	}
	return found;
}

void
protection_require(Relation relation, Protection *protection)
{
	if (!protection_find_topmost(relation, protection))
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("relation \"%s\" is not protected", RelationGetRelationName(relation)),
				 errdetail("How its columns become features was not declared."),
				 errhint("An administrator must call dpobj.protect for it, or for the topmost "
						 "parent if it is a partition or child.")));
}

/*
 * Finds a column that shall name persons or deal rows; does says which.  Returns NULL, or what is
 * wrong with it; then the column has no name if it does not exist.
 */
static char *
find_key(const char *name, TupleDesc descriptor, const char *does, Column *column)
{
	memset(column, 0, sizeof(*column));
	if (!column_find(descriptor, name, column))
		return psprintf("column \"%s\", which shall %s, does not exist", name, does);
	if (!column_names_persons(column))
		return psprintf("column \"%s\" of type %s cannot %s", name, format_type_be(column->type),
						does);
	return NULL;
}

static void
check_key(const char *name, TupleDesc descriptor, const char *does)
{
	Column column;
	const char *problem = name == NULL ? NULL : find_key(name, descriptor, does, &column);

	if (problem != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", problem),
						column.name == NULL ? near_name_errhint(name, column_names(descriptor))
											: errdetail(KEY_TYPES_DETAIL)));
}

/* Raises 22023 with a hint for the caller: only an administrator can declare the columns again. */
static void
refuse_outdated(const Protection *protection, const char *problem, const char *other_way)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("the protection of table \"%s\" does not fit its columns any more",
				get_rel_name(protection->relation)),
		 errdetail("It was declared earlier: %s.", problem),
		 admin_allowed()
			 ? errhint("Call dpobj.protect for it with a declaration of the columns as they are "
					   "now.")
			 : errhint("%s a member of dpobj_admin to call dpobj.protect for it again.",
					   other_way)));
}

void
protection_encoders(const Protection *protection, TupleDesc descriptor, List *names,
					const char *label, List *by, Encoders *encoders)
{
	List *columns = list_concat(encoders_taken(protection->encoders, names, label), list_copy(by));
	MemoryContext context = CurrentMemoryContext;
	ErrorData *volatile error = NULL;

	PG_TRY();
	{
		encoders_parse_columns(protection->encoders, descriptor, columns, encoders);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (error->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error != NULL)
		refuse_outdated(protection, error->message,
						"Name only columns that have not changed, or ask");
}

static void
require_key(const Protection *protection, TupleDesc descriptor, const char *name, const char *does,
			Column *column)
{
	const char *problem = find_key(name, descriptor, does, column);

	if (problem != NULL)
		refuse_outdated(protection, problem, "Ask");
}

bool
protection_person(const Protection *protection, TupleDesc descriptor, Column *column)
{
	if (protection->person != NULL)
		require_key(protection, descriptor, protection->person, NAME_PERSONS, column);
	return protection->person != NULL;
}

Column *
protection_dealing(const Protection *protection, TupleDesc descriptor, int *count)
{
	char *key = protection->person != NULL ? protection->person : protection->holdout_by;
	List *names = key != NULL ? list_make1(key) : json_keys(&protection->encoders->root);
	Column *columns = palloc(Max(list_length(names), 1) * sizeof(Column));

	*count = list_length(names);
	for (int i = 0; i < *count; i++)
		require_key(protection, descriptor, list_nth(names, i), DEAL_ROWS, &columns[i]);
	return columns;
}

/* ---- declaring ---- */

/* The arguments of dpobj.protect; strings are NULL and numbers 0 if they are not given. */
typedef struct Declaration
{
	Oid relation;
	Jsonb *encoders;
	const char *adjacency;
	const char *person;
	int max_rows_per_person;
	int64 n;
	bool ignore_rls;
	int earlier_rows;
	const char *holdout_by;
	Oid population;
} Declaration;

static void
invalid(const char *message, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message),
					hint == NULL ? 0 : errhint("%s", hint)));
}

static char *
text_argument(FunctionCallInfo fcinfo, int position)
{
	return PG_ARGISNULL(position) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(position));
}

static void
check_earlier_rows(const Declaration *declaration, bool given)
{
	if (!given)
		return;
	if (declaration->person == NULL)
		invalid("earlier_rows_per_person is for tables with a person",
				"It says for how many rows of a person the charges for single rows count.");
	if (declaration->earlier_rows < 1 || declaration->earlier_rows > PAIR_GROUP_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("earlier_rows_per_person must be between 1 and %d", PAIR_GROUP_MAX)));
}

static void
read_arguments(FunctionCallInfo fcinfo, Declaration *declaration)
{
	declaration->relation = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	declaration->encoders = DatumGetJsonbP(argument_value(fcinfo, 1, "encoders"));
	declaration->adjacency = PG_ARGISNULL(2) ? "replace" : text_argument(fcinfo, 2);
	declaration->person = text_argument(fcinfo, 3);
	declaration->max_rows_per_person = PG_ARGISNULL(4) ? 0 : PG_GETARG_INT32(4);
	declaration->n = PG_ARGISNULL(5) ? 0 : PG_GETARG_INT64(5);
	declaration->ignore_rls = !PG_ARGISNULL(6) && PG_GETARG_BOOL(6);
	if (strcmp(declaration->adjacency, "replace") != 0 &&
		strcmp(declaration->adjacency, "add_remove") != 0)
		invalid("adjacency must be \"replace\" or \"add_remove\"", NULL);
	if (!PG_ARGISNULL(4) && declaration->max_rows_per_person < 1)
		invalid("max_rows_per_person must be greater than zero", NULL);
	if ((declaration->person == NULL) != (declaration->max_rows_per_person == 0))
		invalid("person and max_rows_per_person must be given together",
				"Privacy of a person needs a bound on the rows that the person contributes.");
	if (!PG_ARGISNULL(5) && (declaration->n < 1 || declaration->n > OPTIONS_MAX_ROWS))
		invalid("n must be between 1 and 1e15", NULL);
	declaration->earlier_rows = PG_ARGISNULL(7) ? 0 : PG_GETARG_INT32(7);
	check_earlier_rows(declaration, !PG_ARGISNULL(7));
	declaration->holdout_by = text_argument(fcinfo, 8);
	if (declaration->person != NULL && declaration->holdout_by != NULL)
		invalid("holdout_by is for tables without a person",
				"All rows of a person are on one side of a holdout.");
	declaration->population = PG_ARGISNULL(9) ? InvalidOid : PG_GETARG_OID(9);
}

/* The ledger keeps the text, and everybody reads it in dpobj.protected. */
static void
check_size(const Declaration *declaration)
{
	Jsonb *encoders = declaration->encoders;

	if (VARSIZE(encoders) > DECLARATION_MAX ||
		strlen(JsonbToCString(NULL, &encoders->root, VARSIZE(encoders))) > DECLARATION_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("encoders must not be larger than %d bytes", DECLARATION_MAX),
						errhint("Declare fewer columns, fewer levels, or shorter levels.")));
}

/* Checks the relation and its descendants. */
static void
check_relations(const Declaration *declaration)
{
	ListCell *cell;

	foreach (cell, find_all_inheritors(declaration->relation, AccessShareLock, NULL))
	{
		Relation relation = acting_open(lfirst_oid(cell), NoLock);

		scan_check_relation(relation, declaration->ignore_rls, false);
		relation_close(relation, NoLock);
	}
}

/*
 * Refuses a text label of which the positive values alone are named: in another spelling than that
 * of the rows, they would make every row negative.  An enum has no other spelling.
 */
static void
check_labels(const Encoders *encoders)
{
	for (int i = 0; i < encoders->count; i++)
	{
		const Encoder *encoder = &encoders->encoder[i];

		if (encoder->kind == ENCODER_LABEL && encoder->column.kind == COLUMN_TEXT &&
			encoder->label.negative.count == 0)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("label \"%s\" has no negative values", encoder->column.name),
				 errdetail("If rows had another spelling of the positive ones, all would be "
						   "negative."),
				 errhint("Name both, as in {\"positive\": [\"yes\"], \"negative\": [\"no\"]}, or "
						 "all values, as in {\"levels\": [\"yes\", \"no\"]}, or let a boolean "
						 "be read, by {\"as\": \"boolean\"}.")));
	}
}

static void
check_declaration(Declaration *declaration)
{
	Encoders encoders;
	Relation relation;

	LockRelationOid(declaration->relation, AccessShareLock);
	if (get_rel_name(declaration->relation) == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", declaration->relation)));
	population_refuse(declaration->relation);
	check_relations(declaration);
	charge_tables_check_topmost(declaration->relation, "Protect the topmost parent.");
	public_table_check_none(declaration->relation);
	check_size(declaration);
	relation = acting_open(declaration->relation, NoLock);
	encoders_parse(declaration->encoders, RelationGetDescr(relation), &encoders);
	check_labels(&encoders);
	check_key(declaration->person, RelationGetDescr(relation), NAME_PERSONS);
	if (declaration->person != NULL)
		scan_check_person(declaration->relation, declaration->person);
	check_key(declaration->holdout_by, RelationGetDescr(relation), DEAL_ROWS);
	relation_close(relation, NoLock);
	if (OidIsValid(declaration->population))
		population_check_table(declaration->relation, declaration->population,
							   declaration->adjacency, declaration->person);
}

static char *
describe_declaration(const Declaration *declaration)
{
	StringInfoData parameters;

	initStringInfo(&parameters);
	appendStringInfoString(&parameters, "{\"encoders\": ");
	(void) JsonbToCString(&parameters, &declaration->encoders->root,
						  VARSIZE(declaration->encoders));
	appendStringInfo(&parameters, ", \"adjacency\": \"%s\", \"person\": ", declaration->adjacency);
	if (declaration->person == NULL)
		appendStringInfoString(&parameters, "null, \"max_rows_per_person\": null");
	else
	{
		escape_json(&parameters, declaration->person);
		appendStringInfo(&parameters, ", \"max_rows_per_person\": %d",
						 declaration->max_rows_per_person);
	}
	if (declaration->n == 0)
		appendStringInfoString(&parameters, ", \"n\": null");
	else
		appendStringInfo(&parameters, ", \"n\": " INT64_FORMAT, declaration->n);
	appendStringInfo(&parameters, ", \"ignore_rls\": %s",
					 declaration->ignore_rls ? "true" : "false");
	if (declaration->earlier_rows > 0)
		appendStringInfo(&parameters, ", \"earlier_rows_per_person\": %d",
						 declaration->earlier_rows);
	if (declaration->holdout_by != NULL)
	{
		appendStringInfoString(&parameters, ", \"holdout_by\": ");
		escape_json(&parameters, declaration->holdout_by);
	}
	if (OidIsValid(declaration->population))
	{
		appendStringInfoString(&parameters, ", \"population\": ");
		escape_json(&parameters, quote_qualified_identifier(
									 get_namespace_name(get_rel_namespace(declaration->population)),
									 get_rel_name(declaration->population)));
	}
	appendStringInfoChar(&parameters, '}');
	return parameters.data;
}

/*
 * What a new declaration changes in the old one, both of which are public; NULL if there was none,
 * or nothing changes.
 */
static char *
describe_changes(int64 identity, const char *parameters)
{
	static const char *const statement =
		"SELECT string_agg(CASE WHEN o.key = 'encoders' THEN 'encoders of '"
		" || (SELECT string_agg(quote_ident(c), ', ' ORDER BY c) FROM (SELECT "
		"jsonb_object_keys(o.value)"
		" UNION SELECT jsonb_object_keys($2::jsonb -> o.key)) k(c)"
		" WHERE o.value -> c IS DISTINCT FROM $2::jsonb -> o.key -> c)"
		" ELSE format('%s (it was %s)', o.key, coalesce(o.value #>> '{}', 'not given')) END,"
		" ', ' ORDER BY o.key) FROM dpobj.protections p,"
		" jsonb_each(to_jsonb(p) - '{relation,at}'::text[]) o"
		" WHERE p.relation = $1 AND o.value <> coalesce($2::jsonb -> o.key, 'null')";
	Oid types[] = {INT8OID, TEXTOID};
	Datum values[] = {Int64GetDatum(identity), CStringGetTextDatum(parameters)};
	Datum changes;
	bool isnull;

	if (!admin_select(statement, lengthof(types), types, values, &changes, &isnull) || isnull)
		return NULL;
	return TextDatumGetCString(changes);
}

static void
report_changes(const Declaration *declaration, const char *changes)
{
	if (changes != NULL)
		ereport(NOTICE, (errmsg("the protection of table \"%s\" has been replaced",
								get_rel_name(declaration->relation)),
						 errdetail("What has changed: %s.", changes)));
}

/* Writes the declaration as the table's owner: administrators need no privilege on it. */
static void
store_declaration(const Declaration *declaration, int64 identity)
{
	static const char *const statement =
		"INSERT INTO dpobj.protections (relation, encoders, adjacency, person,"
		" max_rows_per_person, n, ignore_rls, earlier_rows_per_person, holdout_by)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (relation) DO UPDATE SET"
		" encoders = EXCLUDED.encoders, adjacency = EXCLUDED.adjacency, person = EXCLUDED.person,"
		" max_rows_per_person = EXCLUDED.max_rows_per_person, n = EXCLUDED.n,"
		" ignore_rls = EXCLUDED.ignore_rls, at = pg_catalog.clock_timestamp(),"
		" earlier_rows_per_person = EXCLUDED.earlier_rows_per_person,"
		" holdout_by = EXCLUDED.holdout_by";
	Oid types[] = {INT8OID, JSONBOID, TEXTOID, TEXTOID, INT4OID,
				   INT8OID, BOOLOID,  INT4OID, TEXTOID};
	char nulls[] = "         ";
	Datum values[] = {
		Int64GetDatum(identity),
		JsonbPGetDatum(declaration->encoders),
		CStringGetTextDatum(declaration->adjacency),
		(Datum) 0,
		Int32GetDatum(declaration->max_rows_per_person),
		Int64GetDatum(declaration->n),
		BoolGetDatum(declaration->ignore_rls),
		Int32GetDatum(declaration->earlier_rows),
		(Datum) 0,
	};

	if (declaration->person == NULL)
		nulls[3] = nulls[4] = 'n';
	else
		values[3] = CStringGetTextDatum(declaration->person);
	if (declaration->n == 0)
		nulls[5] = 'n';
	if (declaration->earlier_rows == 0)
		nulls[7] = 'n';
	if (declaration->holdout_by == NULL)
		nulls[8] = 'n';
	else
		values[8] = CStringGetTextDatum(declaration->holdout_by);
	(void) admin_execute(statement, lengthof(types), types, values, nulls);
}

/*
 * Makes the next charge add up the sums of the table's budgets anew, because their unit may have
 * changed, and those of a population that it has joined.  Raises 40001 in a transaction whose snapshot does not see all of these budgets.
 */
static void
forget_sums(int64 relation)
{
	static const char *const statement =
		"UPDATE dpobj.budget_rows SET cost_spent = NULL, delta_spent = NULL, releases_spent = NULL"
		" WHERE relation = $1";
	static const char *const left =
		"SELECT true FROM dpobj.budget_rows WHERE relation = $1 AND cost_spent IS NOT NULL";
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(relation)};
	Datum found;
	bool isnull;

	(void) admin_execute(statement, lengthof(types), types, values, NULL);
	CommandCounterIncrement();
	if (admin_select(left, lengthof(types), types, values, &found, &isnull))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("could not serialize access due to concurrent change of a privacy "
							   "budget"),
						errhint("The transaction might succeed if retried.")));
}

/*
 * dpobj.protect(relation, encoders, adjacency, person, max_rows_per_person, n, ignore_rls,
 * earlier_rows_per_person, holdout_by, population)
 */
PG_FUNCTION_INFO_V1(dpobj_protect);
Datum
dpobj_protect(PG_FUNCTION_ARGS)
{
	TableChange change = {InvalidOid};
	Declaration declaration;
	int64 population;
	char *changes;

	admin_require("dpobj.protect()");
	read_arguments(fcinfo, &declaration);
	check_declaration(&declaration);
	change.relation = declaration.relation;
	change.parameters = describe_declaration(&declaration);
	change.adjacency = declaration.adjacency;
	change.person = declaration.person;

	population_lock(change.relation, declaration.population);
	budget_check_unit(change.relation, change.adjacency, change.person, declaration.earlier_rows);
	population_check_change(change.relation, declaration.population, change.person,
							declaration.earlier_rows);
	charge_table_change(CHARGE_PROTECT, &change);
	changes = describe_changes(change.relation_identity, change.parameters);
	store_declaration(&declaration, change.relation_identity);
	report_changes(&declaration, changes);
	population = population_put(change.relation_identity, declaration.population, change.person,
								declaration.earlier_rows, change.id);
	forget_sums(change.relation_identity);
	if (population != 0)
		forget_sums(population);
	PG_RETURN_VOID();
}

/* dpobj.unprotect(relation) */
PG_FUNCTION_INFO_V1(dpobj_unprotect);
Datum
dpobj_unprotect(PG_FUNCTION_ARGS)
{
	static const char *const exists =
		"SELECT FROM dpobj.protections p JOIN dpobj.identity_tables t ON t.id = p.relation"
		" WHERE t.relation = $1 FOR UPDATE OF p";
	static const char *const statement = "DELETE FROM dpobj.protections WHERE relation = $1";
	TableChange change = {InvalidOid};
	Oid types[] = {OIDOID};
	Oid identity_types[] = {INT8OID};
	Datum values[1];

	admin_require("dpobj.unprotect()");
	change.relation = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	change.parameters = "{}";
	LockRelationOid(change.relation, AccessShareLock);
	charge_lock_table(change.relation, true);
	values[0] = ObjectIdGetDatum(change.relation);
	if (admin_execute(exists, lengthof(types), types, values, NULL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 get_rel_name(change.relation) == NULL
					 ? errmsg("relation with OID %u does not exist", change.relation)
					 : errmsg("table \"%s\" is not protected", get_rel_name(change.relation))));
	budget_check_unit(change.relation, "replace", NULL, 0);
	charge_table_change(CHARGE_UNPROTECT, &change);
	values[0] = Int64GetDatum(change.relation_identity);
	if (admin_execute(statement, lengthof(identity_types), identity_types, values, NULL) != 1)
		elog(ERROR, "could not remove the protection");
	population_leave(change.relation, change.relation_identity);
	forget_sums(change.relation_identity);
	PG_RETURN_VOID();
}
