/*
 * charge_tables.c - the tables of a charge: the scanned table, its ancestors and its descendants.
 *
 * A training reads the rows of the descendants too, and budgets of ancestors cover these rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "server/ledger/charge_tables.h"

static List *
append_parents(List *tables, Relation inherits, Oid child)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(child));
	scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		tables = list_append_unique_oid(tables, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
	systable_endscan(scan);
	return tables;
}

List *
charge_table_and_ancestors(Oid relation)
{
	Relation inherits = table_open(InheritsRelationId, AccessShareLock);
	List *tables = list_make1_oid(relation);

	for (int i = 0; i < list_length(tables); i++) /* the list grows */
		tables = append_parents(tables, inherits, list_nth_oid(tables, i));
	table_close(inherits, AccessShareLock);
	return tables;
}

static const char *
array_text(Datum *elements, int count, Oid type)
{
	int16 length;
	bool by_value;
	char align;
	ArrayType *array;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	array = construct_array(elements, count, type, length, by_value, align);
	return OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(array));
}

static Datum
name_datum(const char *name, Oid relation)
{
	if (name == NULL)
		elog(ERROR, "cache lookup failed for the name of relation %u", relation);
	return CStringGetTextDatum(name);
}

static void
describe(List *tables, const char *texts[CHARGE_TEXTS])
{
	int count = list_length(tables);
	Datum *oids = palloc(count * sizeof(Datum));
	Datum *schemas = palloc(count * sizeof(Datum));
	Datum *names = palloc(count * sizeof(Datum));

	for (int i = 0; i < count; i++)
	{
		Oid table = list_nth_oid(tables, i);

		oids[i] = ObjectIdGetDatum(table);
		schemas[i] = name_datum(get_namespace_name(get_rel_namespace(table)), table);
		names[i] = name_datum(get_rel_name(table), table);
	}
	texts[CHARGE_TEXT_OIDS] = array_text(oids, count, OIDOID);
	texts[CHARGE_TEXT_SCHEMAS] = array_text(schemas, count, TEXTOID);
	texts[CHARGE_TEXT_RELATIONS] = array_text(names, count, TEXTOID);
}

/* A descendant was locked once for each of its parents; the relation itself was not locked. */
static void
unlock_descendants(List *family, List *parents)
{
	for (int i = 0; i < list_length(family); i++)
		for (int j = 0; j < list_nth_int(parents, i); j++)
			UnlockRelationOid(list_nth_oid(family, i), AccessShareLock);
}

int
charge_tables_describe(Oid relation, const char *texts[CHARGE_TEXTS])
{
	List *tables = charge_table_and_ancestors(relation);
	int ancestors = list_length(tables) - 1;
	List *parents;
	/* Locks descendants as a scan does, and leaves out those that are dropped meanwhile. */
	List *family = find_all_inheritors(relation, AccessShareLock, &parents);

	tables = list_concat_unique_oid(tables, family);
	describe(tables, texts);
	/* Unlocked at once, because the caller may keep the transaction open for any time. */
	unlock_descendants(family, parents);
	return ancestors;
}

void
charge_tables_check_topmost(Oid relation, const char *hint)
{
	if (has_superclass(relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a partition or child of another table", get_rel_name(relation)),
				 errhint("%s", hint)));
}

List *
charge_tables_topmost(Oid relation)
{
	List *topmost = NIL;
	ListCell *cell;

	foreach (cell, charge_table_and_ancestors(relation))
	{
		if (!has_superclass(lfirst_oid(cell)))
			topmost = lappend_oid(topmost, lfirst_oid(cell));
	}
	return topmost;
}
