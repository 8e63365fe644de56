/*
 * view_check.c - checks a view from its own columns on.
 */
#include "server/views/view_check.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/base/materialize.h"
#include "server/views/view_scope.h"

static int
compare_bases(const ListCell *a, const ListCell *b)
{
	Oid first = ((const ViewBase *) lfirst(a))->relation;
	Oid second = ((const ViewBase *) lfirst(b))->relation;

	return (first > second) - (first < second);
}

static void
require_view(Relation relation)
{
	if (relation->rd_rel->relkind != RELKIND_VIEW)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a view", RelationGetRelationName(relation))));
}

/* The view is a table of FROM in a query that reads all of it. */
static ViewRows *
rows_of(Relation relation, ViewWork *work)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	ViewScope scope = {
		.work = work, .query = makeNode(Query), .clause = "the query", .name = "the view"};

	entry->rtekind = RTE_RELATION;
	entry->relid = RelationGetRelid(relation);
	entry->relkind = RELKIND_VIEW;
	entry->inh = true;
	return view_check_relation(&scope, entry);
}

static void
require_person(Relation relation, const ViewRows *rows, const char *person)
{
	AttrNumber number = get_attnum(RelationGetRelid(relation), person);

	if (number == InvalidAttrNumber)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("view \"%s\" has no column \"%s\"",
							   RelationGetRelationName(relation), person)));
	if (rows->kind != VIEW_PERSONS || !bms_is_member(number, rows->persons))
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("view \"%s\" cannot be protected", RelationGetRelationName(relation)),
				 errdetail("Column \"%s\" does not say whose row it is.", person),
				 errhint("Select the column of persons of a protected table, as a plain column.")));
}

List *
view_check(Oid view, const char *person)
{
	Relation relation = acting_open(view, AccessShareLock);
	ViewWork work = {.name = RelationGetRelationName(relation)};

	require_view(relation);
	require_person(relation, rows_of(relation, &work), person);
	list_sort(work.bases, compare_bases);
	relation_close(relation, NoLock);
	return work.bases;
}

/* dpobj_internal.check_view(relation, person): the tables that the view reads */
PG_FUNCTION_INFO_V1(dpobj_check_view);
Datum
dpobj_check_view(PG_FUNCTION_ARGS)
{
	Oid view = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	char *person = TextDatumGetCString(argument_value(fcinfo, 1, "person"));
	TupleDesc descriptor;
	Tuplestorestate *rows = materialize_begin(fcinfo, &descriptor);
	ListCell *cell;

	foreach (cell, view_check(view, person))
	{
		const ViewBase *base = lfirst(cell);
		bool nulls[] = {false, base->person == NULL};
		Datum values[] = {ObjectIdGetDatum(base->relation),
						  base->person == NULL ? (Datum) 0 : CStringGetTextDatum(base->person)};

		tuplestore_putvalues(rows, descriptor, values, nulls);
	}
	PG_RETURN_NULL();
}
