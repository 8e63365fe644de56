/*
 * kept.h - releases of the analyst's door that can be read again: models, and the answers of looks
 * and evaluations.
 *
 * The charge worker reserves a row of dpobj.model_rows in the transaction of the charge and fills
 * it in that of the released event, so what was released is kept whatever becomes of the caller's
 * transaction.  A name makes a request idempotent: the same request of the same role under the same
 * name gets what is kept, without a charge, and another request is refused before its charge.
 *
 * An answer is a JSON array with an object for each row that the caller gets.  A caller always gets
 * what the array says, so the first answer and later ones are the same.
 */
#ifndef DPOBJ_KEPT_H
#define DPOBJ_KEPT_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "server/release/release.h"

typedef enum KeptKind
{
	KEPT_MODEL, /* a dp_model */
	KEPT_ANSWER /* a jsonb */
} KeptKind;

/*
 * After analyst_ask(), which finds the table.  Reads the last argument, a name or null, and
 * hashes all others with the name of the function. Raises 22023 for a name of a wrong length.
 */
extern void kept_begin(FunctionCallInfo fcinfo, AnalystTerms *terms);

/*
 * Finds what the session user has released under a name; false if there is nothing or the name is
 * NULL.  Raises 22023 if another request made it.
 */
extern bool kept_find_name(const char *name, const uint8 hash[CHARGE_HASH_LENGTH], KeptKind kind,
						   Datum *kept);

/* Of a ReleaseKind; without a name they find what another copy of the call has released. */
extern bool kept_find_model(Release *release, Datum *kept);
extern bool kept_find_answer(Release *release, Datum *kept);

/* Raises 22023: another request made it. */
extern void kept_refuse_name(const char *name, KeptKind kind);

/* ---- rows of an answer ---- */

/* Columns of one type. */
extern TupleDesc kept_columns(int count, const char *const *names, Oid type);

/* Appends a row to the rows of an answer, which begin as an empty text. */
extern void kept_add_row(StringInfo rows, TupleDesc descriptor, const Datum *values,
						 const bool *nulls);

/* The answer that has these rows, and what the released event keeps of it: its text or NULL. */
extern Jsonb *kept_finish(const StringInfo rows, const AnalystTerms *terms, const char **text);

extern int kept_count(const Jsonb *answer);

/* Reads a row of an answer, from 0; a column that the row does not have is null. */
extern void kept_read_row(Jsonb *answer, int row, TupleDesc descriptor, Datum *values, bool *nulls);

/* Appends all rows to a set. */
extern void kept_put_rows(Jsonb *answer, Tuplestorestate *set, TupleDesc descriptor);

#endif
