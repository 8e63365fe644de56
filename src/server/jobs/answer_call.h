/*
 * answer_call.h - the statement by which a job or a schedule calls a look or an evaluation.
 *
 * A job of an answer runs the SQL function itself, as the role that submitted it.  The function
 * charges, reads and keeps its answer under the job's name as in a session, so a job adds nothing
 * to what it promises.
 */
#ifndef DPOBJ_ANSWER_CALL_H
#define DPOBJ_ANSWER_CALL_H

#include "postgres.h"

#include "utils/jsonb.h"

/*
 * The statement that calls dpobj.<call> on a relation.  arguments: an object with its other
 * arguments by their names.  Raises 22023 unless they are arguments of one of the functions whose
 * answers are kept, and the error of a type that cannot read one.
 */
extern char *answer_call_statement(const char *call, Oid relation, Jsonb *arguments,
								   const char *name);

#endif
