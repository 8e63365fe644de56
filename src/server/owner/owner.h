/*
 * owner.h - what the aggregates and the window function have in common: their checks.
 */
#ifndef DPOBJ_OWNER_H
#define DPOBJ_OWNER_H

#include "postgres.h"

#include "server/plan/plan.h"
#include "server/release/release.h"
#include "server/rows/label.h"

/* Reads the call of a final function and checks all that is public; raises the refusal's error. */
extern void owner_open_call(FunctionCallInfo fcinfo, PlanCall *call, PlanTable *table);

extern Oid owner_argument_type(PlanCall *call, int position);

/* The value of an argument that must not depend on rows; raises 22023 if it does or is null. */
extern Datum owner_argument(PlanCall *call, int position, const char *name);

/*
 * Raises 22023 for a value of the label that is not declared for it, if the label is a column of a
 * protected table.  table: NULL in a parallel worker, whose leader checks.  place: what has the
 * values.
 */
extern void owner_check_label(PlanCall *call, int position, const PlanTable *table,
							  const LabelRule *rule, const char *place);

/*
 * What a transition function keeps between rows: made by create() at the first row, in memory that
 * lasts as long as the call.  Raises UB003 outside an aggregate; context: of the aggregate's state.
 */
extern void *owner_accumulation(FunctionCallInfo fcinfo, MemoryContext *context,
								void *(*create)(FunctionCallInfo fcinfo));

/* Raises UB003 if a combine function is called outside an aggregate of dpobj; name: its own. */
extern void owner_check_combine(FunctionCallInfo fcinfo, const char *name, MemoryContext *context);

/*
 * Begins a release, whose other members are 0, after owner_open_call().
 *
 * The caller can usually read the table.  A SECURITY DEFINER function or a view can read it for a
 * caller who cannot.  That caller gets the answer or a constant error, UB004, at a tick counted
 * from the charge (gate.h).  The query reads the rows before the charge, and the caller sees how
 * long that takes.
 */
extern void owner_begin(Release *release, const ReleaseKind *kind, FunctionCallInfo fcinfo,
						const PlanTable *table);

#endif
