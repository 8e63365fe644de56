/*
 * paid_call.h - a paid call of the analyst's door as a statement, for a job or a schedule.
 *
 * A job or a schedule keeps a call, the name of the function and its arguments, and runs it as the
 * role that submitted it.  The function charges and keeps its answer under the job's name as in a
 * session, so a job adds nothing to what it promises.
 */
#ifndef DPOBJ_PAID_CALL_H
#define DPOBJ_PAID_CALL_H

#include "postgres.h"

#include "utils/jsonb.h"

/*
 * The statement that calls dpobj.<call> on a relation.  arguments: an object with its other
 * arguments by their names.  Raises 22023 unless they are arguments of one of the functions whose
 * answers are kept, and the error of a type that cannot read one.
 */
extern char *paid_call_statement(const char *call, Oid relation, Jsonb *arguments,
								 const char *name);

/*
 * Makes the checks of a call before its charge.  Returns the error that it would raise, without a
 * context, because the statement is not the caller's; NULL if it would be charged or its answer is
 * kept, and then kept says which.
 */
extern ErrorData *paid_call_rehearse(const char *statement, bool *kept);

#endif
