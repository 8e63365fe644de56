/*
 * view_windows.c - windows, their frames and their functions: a table.
 */
#include "server/views/view_scope.h"

#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/regproc.h"

/* Most rows that an offset names. */
#define OFFSET_MOST 1000000

/* ---- functions ---- */

typedef struct Allowed
{
	Oid function;
	bool needs_order;
	int constant; /* position of an argument that must be a constant, -1: none */
	int least;    /* of that constant */
} Allowed;

static const Allowed table[] = {
	{F_ROW_NUMBER, true, -1, 0},
	{F_RANK_, false, -1, 0},
	{F_DENSE_RANK_, false, -1, 0},
	{F_PERCENT_RANK_, false, -1, 0},
	{F_CUME_DIST_, false, -1, 0},
	{F_NTILE, true, 0, 1},
	{F_LAG_ANYELEMENT, true, -1, 0},
	{F_LAG_ANYELEMENT_INT4, true, 1, 0},
	{F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE, true, 1, 0},
	{F_LEAD_ANYELEMENT, true, -1, 0},
	{F_LEAD_ANYELEMENT_INT4, true, 1, 0},
	{F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE, true, 1, 0},
	{F_FIRST_VALUE, true, -1, 0},
	{F_LAST_VALUE, true, -1, 0},
	{F_NTH_VALUE, true, 1, 1},
};

static const Allowed *
find(Oid function)
{
	for (int i = 0; i < lengthof(table); i++)
		if (table[i].function == function)
			return &table[i];
	return NULL;
}

static const WindowClause *
window_of(const WindowFunc *call, const ViewScope *scope)
{
	ListCell *cell;

	foreach (cell, scope->query->windowClause)
		if (lfirst_node(WindowClause, cell)->winref == call->winref)
			return lfirst_node(WindowClause, cell);
	elog(ERROR, "a window function has no window");
}

static void
require_order(const WindowFunc *call, const WindowClause *window, ViewScope *scope)
{
	view_require_order(list_concat_copy(window->partitionClause, window->orderClause), true,
					   psprintf("the window of function %s", format_procedure(call->winfnoid)),
					   scope);
}

/* A value of one of the rows: the first argument, or the default that is the last one. */
static ViewValue
check_arguments(const WindowFunc *call, const Allowed *allowed, ViewScope *scope)
{
	ViewValue value = view_value_of_type(call->wintype, -1);
	ListCell *cell;

	foreach (cell, call->args)
	{
		int position = foreach_current_index(cell);
		ViewValue argument = view_check_expression(lfirst(cell), scope);

		if (position == allowed->constant)
		{
			if (!view_constant_between(lfirst(cell), allowed->least, OFFSET_MOST))
				view_refuse(scope,
							psprintf("function %s has an offset that is no constant from %d to %d",
									 format_procedure(call->winfnoid), allowed->least, OFFSET_MOST),
							"Write such a constant.");
		}
		else
			value = position == 0 ? argument : view_value_either(value, argument);
	}
	return value;
}

ViewValue
view_check_window_call(WindowFunc *call, ViewScope *scope)
{
	const WindowClause *window = window_of(call, scope);
	const Allowed *allowed = find(call->winfnoid);

	if (call->aggfilter != NULL)
		(void) view_check_expression((Node *) call->aggfilter, scope);
	if (call->winagg)
	{
		if (window->frameOptions & FRAMEOPTION_ROWS)
			require_order(call, window, scope);
		return view_check_aggregated(call->winfnoid, call->args, false, call->inputcollid, scope);
	}
	if (allowed == NULL)
		view_refuse(scope, psprintf("window function %s is used", format_procedure(call->winfnoid)),
					"Window functions are row_number, rank, dense_rank, percent_rank, cume_dist, "
					"ntile, lag, lead, first_value, last_value, nth_value, and aggregates.");
	if (allowed->needs_order)
		require_order(call, window, scope);
	return check_arguments(call, allowed, scope);
}

/* ---- frames ---- */

static void
check_offset(Node *offset, ViewScope *scope)
{
	if (offset == NULL)
		return;
	(void) view_check_expression(offset, scope);
	if (!view_constant_between(offset, 0, OFFSET_MOST))
		view_refuse(scope, "the frame of a window has an offset that is no constant",
					psprintf("Write a constant from 0 to %d.", OFFSET_MOST));
}

static void
check_frame(const WindowClause *window, ViewScope *scope)
{
	if (window->frameOptions & FRAMEOPTION_EXCLUSION)
		view_refuse(scope, "the frame of a window has EXCLUDE", "Leave it out.");
	if ((window->frameOptions & FRAMEOPTION_RANGE) &&
		(window->startOffset != NULL || window->endOffset != NULL))
		view_refuse(scope, "the frame of a window is a RANGE with an offset",
					"Sums with an offset overflow: use ROWS or GROUPS.");
	check_offset(window->startOffset, scope);
	check_offset(window->endOffset, scope);
}

void
view_check_windows(ViewScope *scope)
{
	ListCell *cell;

	foreach (cell, scope->query->windowClause)
	{
		const WindowClause *window = lfirst_node(WindowClause, cell);

		view_check_keys(window->partitionClause, scope);
		view_check_sort(window->orderClause, scope);
		check_frame(window, scope);
	}
}
