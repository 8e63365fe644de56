/*
 * look.h - a look at the analyst's door, settled from public parameters.
 */
#ifndef DPOBJ_ANALYST_LOOK_H
#define DPOBJ_ANALYST_LOOK_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "core/looks/discovered.h"

#include "server/analyst/analyst.h"
#include "server/analyst/evaluate.h"
#include "server/release/looks.h"

struct AnalystLook;

/* Writes the rows of an answer (kept.h), with the columns of a descriptor. */
typedef void (*AnalystLookRows)(StringInfo rows, TupleDesc descriptor,
								const struct AnalystLook *look, const LookAnswer *answer);

typedef struct AnalystLook
{
	Release release;      /* the first member */
	TupleDesc descriptor; /* of the rows of the answer */
	AnalystLookRows write;
	LookRequest request;
	char *column;      /* NULL for a count, and with a model */
	Jsonb *known;      /* what is public about the columns of a suggestion, or NULL */
	RatedModel *rated; /* whose residuals are looked at, or NULL */
	List *by;          /* names */
	Jsonb *filter;
	Jsonb *options;
	AnalystTable opened;
	Encoding encoding;
	int64 *number;
	const Level **level; /* of these, if levels are found */
} AnalystLook;

/* It settles bounds and cells from the declaration and the options alone. */
extern const ReleaseKind analyst_look_kind;

/*
 * Makes the release of a dpobj.evaluate, before it is settled, that of the R-squared of a model of
 * numbers: an answer of one row with the columns of RATING_COLUMNS.
 */
extern void analyst_look_r_squared(AnalystLook *look);

#endif
