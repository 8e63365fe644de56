/*
 * look.h - a look at the analyst's door, settled from public parameters.
 */
#ifndef DPOBJ_ANALYST_LOOK_H
#define DPOBJ_ANALYST_LOOK_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "server/analyst/analyst.h"
#include "server/analyst/evaluate.h"
#include "server/release/looks.h"

typedef struct AnalystLook
{
	LookRequest request;
	AnalystTerms terms; /* of a call, not of a price */
	bool is_price;      /* are the options those of a price, without a model? */
	char *column;       /* NULL for a count, and with a model */
	Jsonb *known;       /* what is public about the columns of a suggestion, or NULL */
	RatedModel *rated;  /* whose residuals are looked at, or NULL */
	List *by;           /* names */
	Jsonb *filter;
	Jsonb *options;
	AnalystTable opened;
	Encoding encoding;
	Scan *scan;
	int64 *number;
} AnalystLook;

/*
 * Settles bounds and cells of a look at request.table from the declaration and the options alone;
 * raises an error if the request is not allowed.
 */
extern void analyst_look_settle(AnalystLook *look);

/* Writes the rows of an answer (kept.h), with the columns of a descriptor. */
typedef void (*AnalystLookRows)(StringInfo rows, TupleDesc descriptor, const AnalystLook *look,
								const LookAnswer *answer);

/*
 * After analyst_enter() and kept_begin(): settles, charges, reads and releases; returns what is
 * kept of the answer.
 */
extern Jsonb *analyst_look_release(FunctionCallInfo fcinfo, AnalystLook *look, TupleDesc descriptor,
								   AnalystLookRows write);

/*
 * Releases the R-squared of a model of numbers, for the arguments of dpobj.evaluate, after
 * analyst_enter() and kept_begin(): an answer of one row with the columns of RATING_COLUMNS.
 */
extern Jsonb *analyst_look_r_squared(FunctionCallInfo fcinfo, const AnalystTerms *terms);

#endif
