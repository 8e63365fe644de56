/*
 * definers.c - questions about dpobj's tables that callers may ask without reading the tables.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "server/base/admin.h"
#include "server/models/model.h"

/* Runs a query that returns one value. */
static Datum
select_value(FunctionCallInfo fcinfo, const char *statement, int count, Oid *types, Datum *values)
{
	Datum result;
	bool isnull;

	if (!admin_select(statement, count, types, values, &result, &isnull))
		elog(ERROR, "a query of one value has no row");
	fcinfo->isnull = isnull;
	return isnull ? (Datum) 0 : result;
}

/* dpobj_internal.relatives(id) -> bigint[]: a table, its descendants, and all their ancestors */
PG_FUNCTION_INFO_V1(dpobj_relatives);
Datum
dpobj_relatives(PG_FUNCTION_ARGS)
{
	static const char *const statement =
		"WITH RECURSIVE down(id) AS (SELECT $1 UNION"
		" SELECT l.descendant FROM dpobj.lineage l JOIN down ON l.ancestor = down.id),"
		" up(id) AS (SELECT id FROM down UNION"
		" SELECT l.ancestor FROM dpobj.lineage l JOIN up ON l.descendant = up.id)"
		" SELECT array_agg(id) FROM up";
	Oid types[] = {INT8OID};
	Datum values[] = {PG_GETARG_DATUM(0)};

	return select_value(fcinfo, statement, lengthof(types), types, values);
}

/*
 * For a release of groups the ledger holds one hash, of the hashes of all its models in the order
 * of their keys; the row of a deleted model keeps its hash.
 */
#define RELEASED                                                                                   \
	"EXISTS (SELECT FROM dpobj.ledger_events e"                                                    \
	" WHERE e.event = 'released' AND e.release = $1 AND (e.output_hash = $2"                       \
	" OR (SELECT sha256(string_agg(h.hash, '' ORDER BY h.place)) = e.output_hash"                  \
	" AND bool_or(h.hash = $2) FROM (SELECT m.place,"                                              \
	" coalesce(m.hash, dpobj_internal.model_hash(m.model)) AS hash FROM dpobj.model_rows m"        \
	" WHERE m.release = e.release AND m.key IS NOT NULL) h)))"

/* The role $3 made the release. */
#define IS_OWN                                                                                     \
	"EXISTS (SELECT FROM dpobj.ledger_events e JOIN dpobj.identity_roles r"                        \
	" ON r.id = e.role_identity WHERE e.id = $1 AND r.role = $3)"

/* Whether one of the release's models that are shared with the role $3 is this one; null: none is
 * shared. */
#define IS_SHARED                                                                                  \
	"(SELECT bool_or(dpobj_internal.model_hash(m.model) = $2) FROM dpobj.model_readers s"          \
	" JOIN dpobj.model_rows m ON (m.release, m.place) = (s.release, s.place)"                      \
	" WHERE s.release = $1 AND m.model IS NOT NULL AND pg_has_role($3, s.role, 'USAGE'))"

/*
 * dpobj.verify(dp_model) -> boolean: was this model released?  Of releases of others it answers
 * null: a guess at a model that is not shared with the caller must not be confirmed.
 */
PG_FUNCTION_INFO_V1(dpobj_verify);
Datum
dpobj_verify(PG_FUNCTION_ARGS)
{
	const char *statement = admin_sees_all() ? "SELECT " RELEASED
											 : "SELECT CASE WHEN " IS_OWN " THEN " RELEASED
											   " ELSE " IS_SHARED " END";
	Oid types[] = {INT8OID, BYTEAOID, OIDOID};
	Datum values[lengthof(types)];
	Model model;

	if (!model_can_be_read(PG_GETARG_HEAPTUPLEHEADER(0), &model))
		PG_RETURN_BOOL(false);
	values[0] = Int64GetDatum(model.release);
	values[1] = model_hash_datum(&model);
	values[2] = ObjectIdGetDatum(GetUserId());
	return select_value(fcinfo, statement, lengthof(types), types, values);
}
