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
	bool is_price;     /* are the options those of a price, without a model? */
	char *column;      /* NULL for a count, and with a model */
	Jsonb *known;      /* what is public about the columns of a suggestion, or NULL */
	RatedModel *rated; /* whose residuals are looked at, or NULL */
	List *by;          /* names */
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

/* After analyst_enter(): settles, and finds the release of another place or makes one. */
extern LookAnswer *analyst_look_answers(FunctionCallInfo fcinfo, AnalystLook *look);

/*
 * The R-squared of a model of numbers, for the arguments of dpobj.evaluate, after analyst_enter();
 * false if the noise leaves none.
 */
extern bool analyst_look_r_squared(FunctionCallInfo fcinfo, double *value);

#endif
