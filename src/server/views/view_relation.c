/*
 * view_relation.c - the tables and views that a view reads.
 *
 * A table is protected with a column of persons, or public by its owner's declaration.  A view is
 * its query.  All are locked, and opened as their owners.
 */
#include "server/views/view_scope.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "server/base/acting.h"
#include "server/base/compat.h"
#include "server/base/identity.h"
#include "server/remote/part_provider.h"
#include "server/rows/protection.h"
#include "server/rows/public_table.h"
#include "server/rows/scan_tables.h"
#include "server/views/view_check.h"

typedef struct KnownView
{
	Oid view;
	ViewRows *rows;
} KnownView;

static _Noreturn void
refuse_table(ViewScope *scope, Relation relation, const char *rule, const char *hint)
{
	view_refuse(scope, psprintf("relation \"%s\": %s", RelationGetRelationName(relation), rule),
				hint);
}

/* ---- keys of tables ---- */

/* A tuple of pg_index; are two rows never equal in its columns, in the order of their types? */
static Bitmapset *
columns_of_key(HeapTuple tuple, TupleDesc descriptor)
{
	Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);
	Bitmapset *columns = NULL;
	oidvector *classes;
	bool isnull;

	if (!index->indisunique || !index->indisvalid || !index->indisready || !index->indislive ||
		!index->indimmediate || !heap_attisnull(tuple, Anum_pg_index_indpred, NULL) ||
		!heap_attisnull(tuple, Anum_pg_index_indexprs, NULL))
		return NULL;
	classes = (oidvector *) DatumGetPointer(
		SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indclass, &isnull));
	for (int i = 0; i < index->indnkeyatts; i++)
	{
		AttrNumber number = index->indkey.values[i];

		if (classes->values[i] >= FirstNormalObjectId || number < 1 ||
			!column_is_never_null(descriptor, number))
			return NULL;
		columns = bms_add_member(columns, number);
	}
	return columns;
}

/* has_subclass() is also true after the last child has gone. */
static bool
has_children(Relation relation)
{
	return find_inheritance_children(RelationGetRelid(relation), NoLock) != NIL;
}

/* A unique index of a parent says nothing of the rows of its children; a partitioned table's does. */
static List *
keys_of(Relation relation)
{
	List *keys = NIL;
	ListCell *cell;

	if (relation->rd_rel->relkind == RELKIND_RELATION && has_children(relation))
		return NIL;
	foreach (cell, RelationGetIndexList(relation))
	{
		HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Bitmapset *columns;

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for index %u", lfirst_oid(cell));
		columns = columns_of_key(tuple, RelationGetDescr(relation));
		if (columns != NULL)
			keys = lappend(keys, columns);
		ReleaseSysCache(tuple);
	}
	return keys;
}

/* ---- which tables are read ---- */

static void
check_rules(ViewScope *scope, Relation relation)
{
	const char *rule = scan_rule(relation, true);

	if (rule == NULL && part_provider_of(RelationGetRelid(relation)) != NULL)
		rule = "Its rows are on other servers.";
	if (rule != NULL)
		refuse_table(scope, relation, rule, NULL);
}

/* Policies are for whom the view reads; those of children do not count. */
static void
check_table(ViewScope *scope, const RangeTblEntry *table, Relation relation)
{
	Oid relid = RelationGetRelid(relation);
	ListCell *cell;

	check_rules(scope, relation);
	if (table->tablesample != NULL)
		refuse_table(scope, relation, "It has TABLESAMPLE, which chooses among all rows", NULL);
	if (check_enable_rls(relid, scope->work->reader, true) == RLS_ENABLED)
		refuse_table(scope, relation, "It has row-level security for the view's owner",
					 "Only tables of which the view's owner sees every row are read.");
	if (!table->inh)
		return;
	foreach (cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		Relation member = acting_open(lfirst_oid(cell), NoLock);

		check_rules(scope, member);
		relation_close(member, NoLock);
	}
}

static void
add_base(ViewWork *work, Oid relation, char *person)
{
	ViewBase *base = palloc(sizeof(ViewBase));
	ListCell *cell;

	foreach (cell, work->bases)
		if (((ViewBase *) lfirst(cell))->relation == relation)
			return;
	base->relation = relation;
	base->person = person;
	work->bases = lappend(work->bases, base);
}

/* ---- persons ---- */

/* Types whose equality is that of persons; one for all integers.  InvalidOid: another type. */
static Oid
key_type_of(Form_pg_attribute attribute)
{
	switch (getBaseType(attribute->atttypid))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return INT8OID;
		case UUIDOID:
			return UUIDOID;
		case TEXTOID:
		case VARCHAROID:
			return get_collation_isdeterministic(attribute->attcollation) ? TEXTOID : InvalidOid;
		default:
			return InvalidOid;
	}
}

static AttrNumber
find_person(ViewScope *scope, Relation relation, const char *person)
{
	Form_pg_attribute attribute = column_attribute(RelationGetDescr(relation), person);
	Oid type = attribute == NULL ? InvalidOid : key_type_of(attribute);

	if (!OidIsValid(type))
		refuse_table(scope, relation,
					 psprintf("its column of persons, \"%s\", is no integer, uuid or text of a "
							  "deterministic collation",
							  person),
					 NULL);
	if (OidIsValid(scope->work->key_type) && scope->work->key_type != type)
		refuse_table(scope, relation,
					 psprintf("its column of persons, \"%s\", is of another kind than that of "
							  "another table",
							  person),
					 "Let all be integers, or uuids, or texts.");
	scope->work->key_type = type;
	return attribute->attnum;
}

/* Its rows must be no other table's: those of parents and children may be about persons. */
static void
check_public(ViewScope *scope, Relation relation)
{
	if (!public_table_is_declared(relation))
		refuse_table(scope, relation, "it is neither protected nor declared public",
					 "Protect it with a person, or let its owner call dpobj.declare_public. Of "
					 "partitions and children name the topmost table.");
	if (has_children(relation) || has_superclass(RelationGetRelid(relation)))
		refuse_table(scope, relation, "it is declared public, but has parents or children", NULL);
}

static ViewKind
kind_of_table(ViewScope *scope, Relation relation, Bitmapset **persons)
{
	Protection protection;
	Oid relid = RelationGetRelid(relation);

	/* First, in case somebody declared it public meanwhile. */
	if (!protection_find(relation, &protection))
	{
		check_public(scope, relation);
		add_base(scope->work, relid, NULL);
		return VIEW_PUBLIC;
	}
	if (protection.person == NULL)
		refuse_table(scope, relation, "it is protected without a column of persons",
					 "Protect it with person and max_rows_per_person.");
	*persons = bms_make_singleton(find_person(scope, relation, protection.person));
	add_base(scope->work, relid, protection.person);
	return VIEW_PERSONS;
}

static ViewRows *
rows_of_table(ViewScope *scope, const RangeTblEntry *table, Relation relation)
{
	ViewRows *rows = palloc0(sizeof(ViewRows));
	TupleDesc descriptor = RelationGetDescr(relation);

	check_table(scope, table, relation);
	rows->kind = kind_of_table(scope, relation, &rows->persons);
	rows->columns = descriptor->natts;
	rows->column = palloc0(descriptor->natts * sizeof(ViewValue));
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		if (attribute->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL)
			refuse_table(scope, relation, "it has a virtual generated column", NULL);
		if (!attribute->attisdropped)
			rows->column[i] = view_value_of_type(attribute->atttypid, attribute->atttypmod);
	}
	rows->keys = keys_of(relation);
	return rows;
}

/* ---- views ---- */

static ViewRows *
rows_of_view(ViewScope *scope, Relation relation)
{
	ViewWork *work = scope->work;
	Oid reader = work->reader;
	KnownView *known;
	ListCell *cell;

	foreach (cell, work->views)
		if (((KnownView *) lfirst(cell))->view == RelationGetRelid(relation))
			return ((KnownView *) lfirst(cell))->rows;
	if (relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		refuse_table(scope, relation, "it is temporary", NULL);
	if (RelationHasSecurityInvoker(relation))
		refuse_table(scope, relation, "it is read with the rights of the caller",
					 "ALTER VIEW ... RESET (security_invoker).");
	if (identity_is_system_table(RelationGetRelid(relation)))
		refuse_table(scope, relation, "it is a view of PostgreSQL or of dpobj", NULL);
	check_stack_depth();
	work->reader = relation->rd_rel->relowner;
	known = palloc(sizeof(KnownView));
	known->view = RelationGetRelid(relation);
	known->rows = view_check_query(copyObject(get_view_query(relation)), NULL, work,
								   psprintf("view \"%s\"", RelationGetRelationName(relation)));
	work->reader = reader;
	work->views = lappend(work->views, known);
	return known->rows;
}

ViewRows *
view_check_relation(ViewScope *scope, const RangeTblEntry *table)
{
	Relation relation = acting_open(table->relid, AccessShareLock);
	ViewRows *rows;

	switch (relation->rd_rel->relkind)
	{
		case RELKIND_VIEW:
			rows = rows_of_view(scope, relation);
			break;
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			rows = rows_of_table(scope, table, relation);
			break;
		default:
			check_rules(scope, relation);
			refuse_table(scope, relation, "Only tables and views are read", NULL);
	}
	relation_close(relation, NoLock);
	return rows;
}
