/*
 * population.c - dpobj.population(), and the tables of populations.
 *
 * A population is named by a partitioned table that has no partitions.  It is an ancestor of its
 * tables in dpobj.lineage, so that its budgets count their charges as those of a parent count the
 * charges of partitions, under the same locks (docs/proofs/populations.md).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/identity.h"
#include "server/base/near_name.h"
#include "server/ledger/budget.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_tables.h"
#include "server/rows/column.h"
#include "server/rows/population.h"
#include "server/rows/scan_tables.h"

/* ---- Keys ------------------------------------------------------------------- */

/*
 * Values of one class are equal where their canonical bytes are (column_bytes()), so that they name
 * the same person in each table.  InvalidOid: the type cannot be a key.
 */
static Oid
key_class(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return INT8OID;
		case TEXTOID:
		case VARCHAROID:
			return TEXTOID;
		case UUIDOID:
			return UUIDOID;
		default:
			return InvalidOid;
	}
}

static void
check_type(Form_pg_attribute attribute)
{
	if (OidIsValid(key_class(attribute->atttypid)) &&
		(!OidIsValid(attribute->attcollation) ||
		 get_collation_isdeterministic(attribute->attcollation)))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("column \"%s\" cannot name the people of a population",
				NameStr(attribute->attname)),
		 errdetail("It is of type %s. The key may be of type smallint, integer, bigint or uuid, "
				   "or text or varchar with a deterministic collation.",
				   format_type_be(attribute->atttypid))));
}

static Form_pg_attribute
find_column(Relation relation, const char *name)
{
	TupleDesc descriptor = RelationGetDescr(relation);
	Form_pg_attribute attribute = column_attribute(descriptor, name);

	if (attribute == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of table \"%s\" does not exist", name,
							   RelationGetRelationName(relation)),
						near_name_errhint(name, column_names(descriptor))));
	return attribute;
}

/* Is it unique in each statement, for every row, by this column alone? */
static bool
is_key_index(HeapTuple tuple, AttrNumber column)
{
	Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

	return index->indisunique && index->indimmediate && index->indisvalid && index->indisready &&
		   index->indnkeyatts == 1 && index->indkey.values[0] == column &&
		   heap_attisnull(tuple, Anum_pg_index_indpred, NULL);
}

static void
check_unique(Relation relation, Form_pg_attribute attribute)
{
	List *indexes = RelationGetIndexList(relation);
	bool found = false;
	ListCell *cell;

	foreach (cell, indexes)
	{
		HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));

		if (!HeapTupleIsValid(tuple))
			continue;
		found = found || is_key_index(tuple, attribute->attnum);
		ReleaseSysCache(tuple);
	}
	if (!found || !attribute->attnotnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is not a key of table \"%s\"", NameStr(attribute->attname),
						RelationGetRelationName(relation)),
				 errdetail("The key of a population is NOT NULL and has a unique index that is "
						   "valid, not partial and not deferrable, for itself alone."),
				 errhint("Name the primary key, or make the column one.")));
}

/* ---- What is stored --------------------------------------------------------- */

typedef struct Population
{
	int64 identity;
	const char *adjacency;
} Population;

static bool
find_population(Oid relation, Population *population)
{
	static const char *const statement =
		"SELECT o.population, o.adjacency FROM dpobj.populations o"
		" JOIN dpobj.identity_tables t ON t.id = o.population WHERE t.relation = $1";
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(relation)};
	Datum row[2];
	bool isnull[2];

	if (!admin_select(statement, lengthof(types), types, values, row, isnull))
		return false;
	*population = (Population){DatumGetInt64(row[0]), TextDatumGetCString(row[1])};
	return true;
}

static Population
require_population(Oid relation)
{
	Population population;

	if (!find_population(relation, &population))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a population", get_rel_name(relation)),
				 errhint("The owner of the table of people names one: dpobj.population(name, "
						 "relation, column).")));
	return population;
}

/* A table in a population. */
typedef struct Membership
{
	int64 population;
	const char *name;
	const char *person;
	int rows; /* 0: none are known */
	int64 since;
} Membership;

static bool
find_membership(Oid table, Membership *membership)
{
	static const char *const statement =
		"SELECT m.population, o.name, m.person, m.rows, m.since FROM dpobj.population_tables m"
		" JOIN dpobj.identity_tables t ON t.id = m.relation"
		" JOIN dpobj.identities o ON o.id = m.population WHERE t.relation = $1";
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(table)};
	Datum row[5];
	bool isnull[5];

	if (!admin_select(statement, lengthof(types), types, values, row, isnull))
		return false;
	*membership = (Membership){DatumGetInt64(row[0]), TextDatumGetCString(row[1]),
							   TextDatumGetCString(row[2]), isnull[3] ? 0 : DatumGetInt32(row[3]),
							   DatumGetInt64(row[4])};
	return true;
}

bool
population_has(Oid table)
{
	Membership membership;

	return find_membership(table, &membership);
}

bool
population_is_later(Oid table, int64 release)
{
	Membership membership;

	return find_membership(table, &membership) && membership.since > release;
}

/* dpobj_internal.population_of(relation) -> relation */
PG_FUNCTION_INFO_V1(dpobj_population_of);
Datum
dpobj_population_of(PG_FUNCTION_ARGS)
{
	static const char *const statement =
		"SELECT o.relation FROM dpobj.population_tables m"
		" JOIN dpobj.identity_tables t ON t.id = m.relation"
		" JOIN dpobj.identity_tables o ON o.id = m.population WHERE t.relation = $1";
	Oid types[] = {OIDOID};
	Datum values[] = {PG_GETARG_DATUM(0)};
	Datum relation;
	bool isnull;

	if (!admin_select(statement, lengthof(types), types, values, &relation, &isnull) || isnull)
		PG_RETURN_NULL();
	return relation;
}

/* Does the ledger have a charge that counts for the table? */
static bool
is_charged(Oid table)
{
	static const char *const statement =
		"SELECT true FROM dpobj.identity_tables t JOIN dpobj.families f ON f.id = t.id"
		" JOIN dpobj.charge_counts c ON c.relation_identity = ANY (f.members)"
		" WHERE t.relation = $1";
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(table)};
	Datum found;
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, &found, &isnull);
}

/* ---- Tables of a population ------------------------------------------------- */

void
population_refuse(Oid relation)
{
	Population population;

	if (find_population(relation, &population))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" names a population", get_rel_name(relation)),
						errdetail("It has no rows. Protect the tables of its people, with "
								  "population => '%s'.",
								  get_rel_name(relation))));
}

/*
 * The owner of the population consents by REFERENCES, as to a foreign key.  The owner of the table
 * is the caller, or the same.
 */
static void
check_consent(Oid table, Oid population)
{
	Oid owner = identity_owner(table);

	if (owner == identity_owner(population))
		return;
	if (!owns_table(table, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", get_rel_name(table)),
				 errdetail("Population \"%s\" has another owner, so the owner of the table decides "
						   "whether it joins.",
						   get_rel_name(population))));
	if (pg_class_aclcheck(population, owner, ACL_REFERENCES) != ACLCHECK_OK)
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied to join population \"%s\"", get_rel_name(population)),
			 errdetail("What is released from table \"%s\" would be spent of its budgets.",
					   get_rel_name(table)),
			 errhint("Its owner allows it by GRANT REFERENCES ON %s TO %s.",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(population)),
												get_rel_name(population)),
					 quote_identifier(GetUserNameFromId(owner, false)))));
}

static void
check_person(Oid table, Oid population, const char *person)
{
	Relation names = acting_open(population, AccessShareLock);
	Relation relation = acting_open(table, AccessShareLock);
	Form_pg_attribute key = TupleDescAttr(RelationGetDescr(names), 0);
	Form_pg_attribute attribute = find_column(relation, person);

	check_type(attribute);
	if (key_class(attribute->atttypid) != key_class(key->atttypid))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" is of type %s, and the key of population \"%s\" is "
							   "of type %s",
							   person, format_type_be(attribute->atttypid),
							   RelationGetRelationName(names), format_type_be(key->atttypid)),
						errdetail("Equal values must name the same person in all its tables.")));
	relation_close(relation, NoLock);
	relation_close(names, NoLock);
}

void
population_check_table(Oid table, Oid population, const char *adjacency, const char *person)
{
	Population found;

	relation_close(acting_open(population, AccessShareLock), NoLock);
	found = require_population(population);
	if (person == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("population is for tables with a person"),
						errhint("Name the column of the key with person, and say with "
								"max_rows_per_person how many rows of a person enter.")));
	if (strcmp(adjacency, found.adjacency) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("adjacency of population \"%s\" is \"%s\"", get_rel_name(population),
							   found.adjacency),
						errdetail("It is the same for all its tables."),
						errhint("Pass adjacency => '%s'.", found.adjacency)));
	check_person(table, population, person);
	check_consent(table, population);
}

/* In the order of the charges' locks. */
void
population_lock(Oid table, Oid population)
{
	if (OidIsValid(population) && population < table)
		charge_lock_table(population, true);
	charge_lock_table(table, true);
	if (population > table)
		charge_lock_table(population, true);
}

void
population_check_change(Oid table, Oid population, const char *person, int rows)
{
	Membership now;
	Population next = {0};

	if (!find_membership(table, &now) || !is_charged(table))
		return;
	if (OidIsValid(population))
		next = require_population(population);
	if (next.identity != now.population)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" cannot leave population %s", get_rel_name(table), now.name),
				 errdetail("What was released from it counts for the population."),
				 errhint("Pass population => %s.", quote_literal_cstr(now.name))));
	if (strcmp(person, now.person) != 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the person of table \"%s\" cannot be changed", get_rel_name(table)),
						errdetail("It was charged in population %s by column \"%s\".", now.name,
								  now.person)));
	if (rows < now.rows)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("earlier_rows_per_person cannot be lowered"),
				 errdetail("It is %d, and a smaller number would lower what population %s has "
						   "spent.",
						   now.rows, now.name),
				 errhint("Give that number, or a greater one.")));
}

static void
remove_membership(int64 table)
{
	static const char *const forget = "WITH gone AS (DELETE FROM dpobj.population_tables WHERE "
									  "relation = $1 RETURNING population)"
									  " DELETE FROM dpobj.lineage l USING gone"
									  " WHERE (l.ancestor, l.descendant) = (gone.population, $1)";
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(table)};

	(void) admin_execute(forget, lengthof(types), types, values, NULL);
}

/* The event stays the one by which the table has joined. */
int64
population_put(int64 table, Oid population, const char *person, int rows, int64 event)
{
	static const char *const join =
		"WITH joined AS (INSERT INTO dpobj.population_tables AS m"
		" (relation, population, person, rows, since) VALUES ($1, $2, $3, nullif($4, 0), $5)"
		" ON CONFLICT (relation) DO UPDATE SET person = EXCLUDED.person, rows = EXCLUDED.rows)"
		" INSERT INTO dpobj.lineage (ancestor, descendant) VALUES ($2, $1) ON CONFLICT DO NOTHING";
	static const char *const other =
		"SELECT true FROM dpobj.population_tables WHERE relation = $1 AND population <> $2";
	Oid types[] = {INT8OID, INT8OID, TEXTOID, INT4OID, INT8OID};
	Datum values[] = {Int64GetDatum(table), (Datum) 0, (Datum) 0, Int32GetDatum(rows),
					  Int64GetDatum(event)};
	Population found;
	Datum is_other;
	bool isnull;

	if (!OidIsValid(population))
	{
		remove_membership(table);
		return 0;
	}
	found = require_population(population);
	values[1] = Int64GetDatum(found.identity);
	values[2] = CStringGetTextDatum(person);
	if (admin_select(other, 2, types, values, &is_other, &isnull))
		remove_membership(table);
	(void) admin_execute(join, lengthof(types), types, values, NULL);
	return found.identity;
}

void
population_leave(Oid table, int64 identity)
{
	if (!is_charged(table))
		remove_membership(identity);
}

/* ---- Naming ----------------------------------------------------------------- */

/* The arguments of dpobj.population. */
typedef struct Naming
{
	Oid table;
	const char *schema;
	const char *name;
	const char *column;
	const char *adjacency;
	const char *type; /* with its collation */
} Naming;

static void
read_name(const char *text, Naming *naming)
{
	List *parts = textToQualifiedNameList(cstring_to_text(text));

	if (list_length(parts) > 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("\"%s\" is not a name, with or without a schema", text)));
	naming->name = strVal(llast(parts));
	naming->schema = list_length(parts) == 2 ? strVal(linitial(parts))
											 : get_namespace_name(get_rel_namespace(naming->table));
}

static void
read_key(Relation relation, Naming *naming)
{
	Form_pg_attribute attribute = find_column(relation, naming->column);
	StringInfoData type;

	check_type(attribute);
	check_unique(relation, attribute);
	initStringInfo(&type);
	appendStringInfoString(&type, format_type_extended(getBaseType(attribute->atttypid), -1,
													   FORMAT_TYPE_FORCE_QUALIFY));
	if (OidIsValid(attribute->attcollation))
		appendStringInfo(&type, " COLLATE %s", generate_collation_name(attribute->attcollation));
	naming->type = type.data;
}

static void
read_naming(FunctionCallInfo fcinfo, Naming *naming)
{
	Relation relation;

	naming->table = DatumGetObjectId(argument_value(fcinfo, 1, "relation"));
	naming->column = TextDatumGetCString(argument_value(fcinfo, 2, "column"));
	naming->adjacency = PG_ARGISNULL(3) ? "replace" : text_to_cstring(PG_GETARG_TEXT_PP(3));
	if (strcmp(naming->adjacency, "replace") != 0 && strcmp(naming->adjacency, "add_remove") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("adjacency must be \"replace\" or \"add_remove\"")));
	relation = acting_open(naming->table, AccessShareLock);
	budget_require_owner(naming->table, "dpobj.population()");
	scan_check_relation(relation, true, false);
	charge_tables_check_topmost(naming->table, "Name the topmost parent.");
	population_refuse(naming->table);
	read_name(TextDatumGetCString(argument_value(fcinfo, 0, "name")), naming);
	read_key(relation, naming);
	relation_close(relation, NoLock);
}

static void
run_as_owner(const Naming *naming, const char *statement)
{
	Acting before;

	acting_begin(identity_owner(naming->table), &before);
	SPI_connect();
	if (SPI_execute(statement, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "could not make the relation of a population");
	SPI_finish();
	acting_end(&before);
}

/* Makes the relation in the name of the table's owner, who gets it. */
static Oid
make_relation(const Naming *naming)
{
	const char *qualified = quote_qualified_identifier(naming->schema, naming->name);
	const char *column = quote_identifier(naming->column);
	Oid relation;

	run_as_owner(naming, psprintf("CREATE TABLE %s (%s %s) PARTITION BY LIST (%s)", qualified,
								  column, naming->type, column));
	relation = get_relname_relid(naming->name, get_namespace_oid(naming->schema, false));
	run_as_owner(naming, psprintf("COMMENT ON TABLE %s IS %s", qualified,
								  quote_literal_cstr(psprintf(
									  "names the people of %s for dpobj; it never has rows",
									  quote_qualified_identifier(
										  get_namespace_name(get_rel_namespace(naming->table)),
										  get_rel_name(naming->table))))));
	return relation;
}

/* Commits the event about a relation, which names the other one; returns its identity. */
static int64
record_naming(const Naming *naming, Oid relation, const char *key, Oid other)
{
	TableChange change = {.relation = relation};
	StringInfoData parameters;

	initStringInfo(&parameters);
	appendStringInfo(&parameters, "{\"%s\": ", key);
	escape_json(&parameters,
				quote_qualified_identifier(get_namespace_name(get_rel_namespace(other)),
										   get_rel_name(other)));
	appendStringInfoString(&parameters, ", \"column\": ");
	escape_json(&parameters, naming->column);
	appendStringInfo(&parameters, ", \"adjacency\": \"%s\"}", naming->adjacency);
	change.parameters = parameters.data;
	charge_table_change(CHARGE_POPULATION, &change);
	return change.relation_identity;
}

/*
 * A key names one population, or none: then population is 0.  A relation that was dropped and made
 * again under its name names the same population, with the same key.
 */
static bool
is_known(const Naming *naming, int64 population, int64 table)
{
	static const char *const conflict =
		"SELECT i.name, (o.population, o.adjacency, o.key_relation, o.key_column)"
		" = ($1, $2, $3, $4) FROM dpobj.populations o JOIN dpobj.identities i ON i.id = "
		"o.population"
		" WHERE (o.population = $1 OR (o.key_relation, o.key_column) = ($3, $4))"
		" AND ($1 <> 0 OR dpobj_internal.table_named(i.name) IS NOT NULL)";
	Oid types[] = {INT8OID, TEXTOID, INT8OID, TEXTOID};
	Datum values[] = {Int64GetDatum(population), CStringGetTextDatum(naming->adjacency),
					  Int64GetDatum(table), CStringGetTextDatum(naming->column)};
	Datum row[2];
	bool isnull[2];

	if (!admin_select(conflict, lengthof(types), types, values, row, isnull))
		return false;
	if (!DatumGetBool(row[1]))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("population %s exists already", TextDatumGetCString(row[0])),
				 errdetail("A key names one population, and a population that was dropped stays "
						   "what it was."),
				 errhint("Have tables join it with dpobj.protect(..., population => name), or name "
						 "a population by another key.")));
	return true;
}

static void
store_population(const Naming *naming, int64 population, int64 table)
{
	static const char *const statement =
		"INSERT INTO dpobj.populations (population, adjacency, key_relation, key_column)"
		" VALUES ($1, $2, $3, $4)";
	Oid types[] = {INT8OID, TEXTOID, INT8OID, TEXTOID};
	Datum values[] = {Int64GetDatum(population), CStringGetTextDatum(naming->adjacency),
					  Int64GetDatum(table), CStringGetTextDatum(naming->column)};

	if (!is_known(naming, population, table))
		(void) admin_execute(statement, lengthof(types), types, values, NULL);
}

/* dpobj.population(name, relation, column, adjacency) */
PG_FUNCTION_INFO_V1(dpobj_population);
Datum
dpobj_population(PG_FUNCTION_ARGS)
{
	Naming naming;
	Oid relation;
	int64 table;

	read_naming(fcinfo, &naming);
	(void) is_known(&naming, 0, identity_of_table(naming.table));
	relation = make_relation(&naming);
	table = record_naming(&naming, naming.table, "population", relation);
	store_population(&naming, record_naming(&naming, relation, "key", naming.table), table);
	PG_RETURN_VOID();
}
