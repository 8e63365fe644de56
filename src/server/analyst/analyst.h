/*
 * analyst.h - what dpobj.train and the other functions of the analyst's door share: who may call,
 * and the protected table with its encoders and the filter.  release.h has what follows.
 */
#ifndef DPOBJ_ANALYST_H
#define DPOBJ_ANALYST_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "server/release/release.h"
#include "server/rows/encoders.h"
#include "server/rows/filter.h"
#include "server/rows/protection.h"
#include "server/rows/scan.h"

/* A protected table and the columns that are read. */
typedef struct AnalystTable
{
	Oid table;
	char *name; /* schema-qualified and quoted */
	Protection protection;
	Encoders features;
	Encoders groups;      /* of the columns that rows are grouped by, if any */
	const Encoder *label; /* NULL for a look */
	Encoders columns;     /* a label that is a target or a class, and then the features */
	Filter filter;
	Holdout holdout;
	Column person;
	Column level; /* whose values are found */
	ScanShape shape;
} AnalystTable;

/*
 * Checks the table and the grant; raises UB003, also for a call from a SECURITY DEFINER function or
 * after SET ROLE.
 */
extern void analyst_ask(Oid table);

/* Begins a release, whose other members are 0; asks as analyst_ask() does. */
extern void analyst_begin(Release *release, const ReleaseKind *kind, FunctionCallInfo fcinfo,
						  Oid table);

/* The same for an answer that may have a name, the function's last argument (kept.h). */
extern void analyst_begin_answer(Release *release, const ReleaseKind *kind, FunctionCallInfo fcinfo,
								 Oid table);

/* The rows of an opened table are what the release reads. */
extern void analyst_shape(Release *release, const AnalystTable *opened);

/* Raises UB003 for a relation of the wrong kind, a partition or a child. */
extern void analyst_check_relation(Oid table);

/*
 * by: the columns that rows are grouped by, NIL for none; they are neither features nor the label.
 * names: the features, NIL for all declared columns.  A label that is a target or a class is
 * encoded before the features; without a name there is none.  filter: or NULL.
 */
extern void analyst_open(Oid table, List *by, List *names, const LabelChoice *label, Jsonb *filter,
						 AnalystTable *opened);

/*
 * The same for a look.  by: the columns that rows are grouped by.  column: NULL for a count; of a
 * histogram it is the last of the groups, in these bins or (NULL) the declared or usual ones, with
 * values for other rows; else the only feature, a plain number with the declared bounds low and
 * high, which are NaN if there are none.
 */
extern void analyst_open_look(Oid table, List *by, const char *column, bool is_histogram,
							  JsonbValue *bins, Jsonb *filter, AnalystTable *opened, double *low,
							  double *high);

/*
 * The same for a profile.  encoders: NULL for those that are declared.  names: the columns, NIL for
 * all; they are the features, by their values.
 */
extern void analyst_open_profile(Oid table, Jsonb *encoders, List *names, Jsonb *filter,
								 AnalystTable *opened);

/*
 * The same for levels that nobody has declared, of a column of texts, enums or integers, which need
 * not be declared, either.
 */
extern void analyst_open_level(Oid table, const char *column, Jsonb *filter, AnalystTable *opened);

/*
 * Leaves the rows that are held out at a share to ratings, or reads only these.  thousandths: 0 for
 * all rows.  Before the provenance is written.
 */
extern void analyst_hold_out(AnalystTable *opened, int64 thousandths, bool trains);

/* Leaves a share to the rating of the same call, which is dealt by chance (holdout.h). */
extern void analyst_hold_out_by_chance(AnalystTable *opened, int64 thousandths);

/* Takes equal rows of a cell; RowCount has their labels, and without a label all are positive. */
typedef void (*AnalystRow)(Release *release, int cell, const int32 *x, const RowCount *count);

/*
 * Reads the rows of a release in so many cells of its groups, or in one; take() gets them, which may
 * be once for several equal ones.  The distinct rows of a cell have so many bytes.
 */
extern void analyst_read(Release *release, const Encoding *encoding, int cells, Size bytes,
						 AnalystRow take);

/*
 * The same, and the scan stays open.  Without groups it returns the number of rows on the side that
 * is read that pass the filter and cannot be used.
 */
extern int64 analyst_read_open(Release *release, const Encoding *encoding, int cells, Size bytes,
							   AnalystRow take);

/* JSON members for the ledger: relation, filter, holdout, person. */
extern char *analyst_look_provenance(const AnalystTable *opened, Jsonb *filter);

/*
 * JSON members for ledger and model: relation, label, features, encoders, types, filter, holdout,
 * person.
 */
extern char *analyst_provenance(const AnalystTable *opened, Jsonb *filter);

#endif
