/*
 * protection.c - dpobj.protect() and the reading of its table.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "admin.h"
#include "dpobj.h"
#include "encoders.h"
#include "protection.h"
#include "scan.h"

/* ---- reading ---- */

static Datum
attribute(HeapTuple tuple, TupleDesc descriptor, const char *name, bool *isnull)
{
	int number = SPI_fnumber(descriptor, name);

	if (number <= 0)
		elog(ERROR, "table dpobj.protections has no column \"%s\"", name);
	return heap_getattr(tuple, number, descriptor, isnull);
}

static char *
text_attribute(HeapTuple tuple, TupleDesc descriptor, const char *name)
{
	bool isnull;
	Datum value = attribute(tuple, descriptor, name, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static void
read_protection(HeapTuple tuple, TupleDesc descriptor, Protection *protection)
{
	bool isnull;
	Datum value = attribute(tuple, descriptor, "encoders", &isnull);

	protection->encoders = DatumGetJsonbPCopy(value);
	protection->adjacency =
		strcmp(text_attribute(tuple, descriptor, "adjacency"), "add_remove") == 0
			? ADJACENCY_ADD_REMOVE
			: ADJACENCY_REPLACE;
	protection->person = text_attribute(tuple, descriptor, "person");
	value = attribute(tuple, descriptor, "max_rows_per_person", &isnull);
	protection->max_rows_per_person = isnull ? 0 : DatumGetInt32(value);
	value = attribute(tuple, descriptor, "n", &isnull);
	protection->n = isnull ? 0 : DatumGetInt64(value);
	value = attribute(tuple, descriptor, "ignore_rls", &isnull);
	protection->ignore_rls = DatumGetBool(value);
}

/* The latest committed declaration counts, however old the caller's snapshot is. */
bool
protection_find(Relation relation, Protection *protection)
{
	const char *schema = get_namespace_name(RelationGetNamespace(relation));
	const char *name = RelationGetRelationName(relation);
	Oid table = get_relname_relid("protections", get_namespace_oid("dpobj", false));
	Relation protections = table_open(table, AccessShareLock);
	TupleDesc descriptor = RelationGetDescr(protections);
	SysScanDesc scan = systable_beginscan(protections, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;
	bool found = false;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (strcmp(text_attribute(tuple, descriptor, "schema_name"), schema) == 0 &&
			strcmp(text_attribute(tuple, descriptor, "relation_name"), name) == 0)
		{
			read_protection(tuple, descriptor, protection);
			found = true;
		}
	systable_endscan(scan);
	table_close(protections, AccessShareLock);
	return found;
}

void
protection_require(Relation relation, Protection *protection)
{
	if (!protection_find(relation, protection))
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("relation \"%s\" is not protected", RelationGetRelationName(relation)),
				 errdetail("How its columns become features was not declared."),
				 errhint("An administrator must call dpobj.protect for it.")));
}

/* ---- declaring ---- */

/* The arguments of dpobj.protect; strings are NULL, numbers 0 where not given. */
typedef struct Declaration
{
	Oid relation;
	const char *schema;
	const char *name;
	Jsonb *encoders;
	const char *adjacency;
	const char *person;
	int max_rows_per_person;
	int64 n;
	bool ignore_rls;
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
read_arguments(FunctionCallInfo fcinfo, Declaration *declaration)
{
	if (PG_ARGISNULL(0))
		invalid("relation must not be null", NULL);
	if (PG_ARGISNULL(1))
		invalid("encoders must not be null", NULL);
	declaration->relation = PG_GETARG_OID(0);
	declaration->encoders = PG_GETARG_JSONB_P(1);
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
	if (!PG_ARGISNULL(5) && declaration->n < 1)
		invalid("n must be greater than zero", NULL);
}

static void
check_person(const Declaration *declaration, Relation relation)
{
	if (declaration->person != NULL &&
		get_attnum(RelationGetRelid(relation), declaration->person) <= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" of relation \"%s\" does not exist",
							   declaration->person, RelationGetRelationName(relation))));
}

/* The relation and its descendants, as far as the catalogs tell. */
static void
check_relations(const Declaration *declaration)
{
	ListCell *cell;

	foreach (cell, find_all_inheritors(declaration->relation, AccessShareLock, NULL))
	{
		Relation relation = relation_open(lfirst_oid(cell), NoLock);

		scan_check_relation(relation, declaration->ignore_rls);
		relation_close(relation, NoLock);
	}
}

static void
check_declaration(Declaration *declaration)
{
	Encoders encoders;
	Relation relation;

	check_relations(declaration);
	relation = relation_open(declaration->relation, NoLock);
	encoders_parse(declaration->encoders, RelationGetDescr(relation), &encoders);
	check_person(declaration, relation);
	declaration->schema = get_namespace_name(RelationGetNamespace(relation));
	declaration->name = pstrdup(RelationGetRelationName(relation));
	relation_close(relation, NoLock);
}

/* Administrators need no privilege on our table: it is written as its owner. */
static void
store_declaration(const Declaration *declaration)
{
	static const char *const statement =
		"INSERT INTO dpobj.protections (relation, schema_name, relation_name, encoders,"
		" adjacency, person, max_rows_per_person, n, ignore_rls)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
		" ON CONFLICT (schema_name, relation_name) DO UPDATE SET"
		" relation = EXCLUDED.relation, encoders = EXCLUDED.encoders,"
		" adjacency = EXCLUDED.adjacency, person = EXCLUDED.person,"
		" max_rows_per_person = EXCLUDED.max_rows_per_person, n = EXCLUDED.n,"
		" ignore_rls = EXCLUDED.ignore_rls, at = pg_catalog.clock_timestamp()";
	Oid types[] = {OIDOID, TEXTOID, TEXTOID, JSONBOID, TEXTOID, TEXTOID, INT4OID, INT8OID, BOOLOID};
	char nulls[] = "         ";
	Datum values[] = {
		ObjectIdGetDatum(declaration->relation),         CStringGetTextDatum(declaration->schema),
		CStringGetTextDatum(declaration->name),          JsonbPGetDatum(declaration->encoders),
		CStringGetTextDatum(declaration->adjacency),     (Datum) 0,
		Int32GetDatum(declaration->max_rows_per_person), Int64GetDatum(declaration->n),
		BoolGetDatum(declaration->ignore_rls),
	};

	if (declaration->person == NULL)
		nulls[5] = nulls[6] = 'n';
	else
		values[5] = CStringGetTextDatum(declaration->person);
	if (declaration->n == 0)
		nulls[7] = 'n';
	(void) admin_execute(statement, lengthof(types), types, values, nulls);
}

/* dpobj.protect(relation, encoders, adjacency, person, max_rows_per_person, n, ignore_rls) */
PG_FUNCTION_INFO_V1(dpobj_protect);
Datum
dpobj_protect(PG_FUNCTION_ARGS)
{
	Declaration declaration;

	admin_require("dpobj.protect()");
	read_arguments(fcinfo, &declaration);
	check_declaration(&declaration);
	store_declaration(&declaration);
	PG_RETURN_VOID();
}
