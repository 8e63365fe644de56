/*
 * charge_budget.c - identities and budgets, in the charge worker's transaction.
 *
 * A budget's row is locked before the ledger is summed, and the sum is a statement
 * of its own: under READ COMMITTED its snapshot has every charge that was committed
 * while the row was waited for.  All comparisons are between integers.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "charge_budget.h"
#include "dpobj.h"

/* ---- Statements ------------------------------------------------------------- */

/* Runs one statement; true if it had a row, which is then the first of SPI_tuptable. */
static bool
run(const char *statement, int count, Oid *types, Datum *values)
{
	if (SPI_execute_with_args(statement, count, types, values, NULL, false, 0) < 0)
		elog(ERROR, "could not read the privacy budgets");
	return SPI_processed > 0 && SPI_tuptable != NULL;
}

static Datum
column(int number, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number, isnull);
}

/* ---- Epoch ------------------------------------------------------------------ */

void
charge_check_epoch(ChargeRequest *request)
{
	bool isnull;

	if (!run("SELECT epoch <> dpobj.epoch() FROM dpobj.ledger_events ORDER BY id DESC LIMIT 1", 0,
			 NULL, NULL) ||
		!DatumGetBool(column(1, &isnull)))
		return;
	request->denied = true;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the database was restored or the server was promoted since the last entry of "
					"the privacy ledger"),
			 errdetail("Spending may be missing from the ledger."),
			 errhint("After a check, a member of dpobj_admin can allow releases again: SELECT "
					 "dpobj.confirm_epoch();")));
}

/* ---- Identities ------------------------------------------------------------- */

/*
 * The tables and roles of a request: $1 to $3 OIDs, schemas and names of the
 * tables, $4 the roles.  The groups are those that the roles were made members of,
 * directly or not; a superuser is not a member of every role here.
 */
#define SUBJECTS                                                                                   \
	"WITH RECURSIVE groups(oid) AS ("                                                              \
	" SELECT unnest($4) UNION"                                                                     \
	" SELECT m.roleid FROM pg_auth_members m JOIN groups g ON m.member = g.oid),"                  \
	" subjects(place, kind, object, name) AS ("                                                    \
	" SELECT t.place, 'table', t.object, format('%I.%I', t.schema, t.name)"                        \
	" FROM unnest($1, $2, $3) WITH ORDINALITY t(object, schema, name, place)"                      \
	" UNION ALL SELECT 0, 'role', a.oid, a.rolname::text"                                          \
	" FROM groups g JOIN pg_authid a ON a.oid = g.oid) "

#define SUBJECT_ARGUMENTS 4

/* The identity that has the subject's OID, if that OID means anything here. */
#define BOUND "i.kind = s.kind AND i.object = s.object AND i.origin = dpobj.origin()"

static const char *const find_parties =
	SUBJECTS "SELECT bool_and(i.id IS NOT NULL),"
			 " max(i.id) FILTER (WHERE s.place = 1),"
			 " max(i.id) FILTER (WHERE s.kind = 'role' AND s.object = $4[1]),"
			 " max(i.id) FILTER (WHERE s.kind = 'role' AND s.object = $4[2]),"
			 " array_agg(i.id ORDER BY s.place) FILTER (WHERE s.kind = 'table'),"
			 " array_agg(i.id) FILTER (WHERE s.kind = 'role') "
			 "FROM subjects s LEFT JOIN dpobj.identities i ON " BOUND " AND i.name = s.name";

/* What was renamed keeps its identity. */
static const char *const rename_parties =
	SUBJECTS "UPDATE dpobj.identities i SET name = s.name FROM subjects s "
			 "WHERE " BOUND " AND i.name <> s.name";

/* What was dropped and made again, or restored, gets the identity that had its name last. */
static const char *const rebind_parties =
	SUBJECTS "UPDATE dpobj.identities d SET object = s.object, origin = dpobj.origin() "
			 "FROM subjects s "
			 "WHERE NOT EXISTS (SELECT FROM dpobj.identities i WHERE " BOUND ")"
			 " AND d.id = (SELECT max(o.id) FROM dpobj.identities o"
			 " WHERE o.kind = s.kind AND o.name = s.name AND NOT (o.origin = dpobj.origin()"
			 " AND CASE o.kind WHEN 'table' THEN EXISTS (SELECT FROM pg_class WHERE oid = o.object)"
			 " ELSE EXISTS (SELECT FROM pg_authid WHERE oid = o.object) END))";

static const char *const make_parties =
	SUBJECTS "INSERT INTO dpobj.identities (kind, origin, object, name) "
			 "SELECT s.kind, dpobj.origin(), s.object, s.name FROM subjects s "
			 "WHERE NOT EXISTS (SELECT FROM dpobj.identities i WHERE " BOUND ") "
			 "ORDER BY s.kind, s.object "
			 "ON CONFLICT ON CONSTRAINT identity_key DO NOTHING";

static Datum
array_from_text(const char *text, Oid element)
{
	Oid input;
	Oid parameter;

	getTypeInputInfo(get_array_type(element), &input, &parameter);
	return OidInputFunctionCall(input, unconstify(char *, text), parameter, -1);
}

static void
subject_values(const ChargeRequest *request, Datum values[SUBJECT_ARGUMENTS])
{
	Datum roles[] = {ObjectIdGetDatum(request->role), ObjectIdGetDatum(request->grantee)};
	int count = OidIsValid(request->grantee) ? 2 : 1;

	values[0] = array_from_text(charge_request_text(request, CHARGE_TEXT_OIDS), OIDOID);
	values[1] = array_from_text(charge_request_text(request, CHARGE_TEXT_SCHEMAS), TEXTOID);
	values[2] = array_from_text(charge_request_text(request, CHARGE_TEXT_RELATIONS), TEXTOID);
	values[3] =
		PointerGetDatum(construct_array(roles, count, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

/* Reads the row of find_parties; false if an identity is still missing. */
static bool
read_parties(ChargeParties *parties)
{
	bool isnull;
	bool complete = DatumGetBool(column(1, &isnull));

	if (isnull || !complete)
		return false;
	parties->relation = column(2, &isnull);
	if (isnull)
		parties->relation = Int64GetDatum(0);
	parties->role = column(3, &isnull);
	if (isnull)
		return false;
	parties->grantee = column(4, &isnull);
	if (isnull)
		parties->grantee = Int64GetDatum(0);
	parties->tables = column(5, &isnull);
	if (isnull)
		parties->tables = PointerGetDatum(construct_empty_array(INT8OID));
	parties->payers = column(6, &isnull);
	return !isnull;
}

/* Tables that were charged together stay relatives. */
static void
record_lineage(const ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const statement =
		"INSERT INTO dpobj.lineage (ancestor, descendant) "
		"SELECT CASE WHEN place <= $3 + 1 THEN id ELSE $1 END,"
		" CASE WHEN place <= $3 + 1 THEN $1 ELSE id END "
		"FROM unnest($2) WITH ORDINALITY t(id, place) WHERE place > 1 AND NOT EXISTS"
		" (SELECT FROM dpobj.lineage l WHERE (l.ancestor, l.descendant) ="
		" CASE WHEN place <= $3 + 1 THEN (id, $1) ELSE ($1, id) END) "
		"ORDER BY id ON CONFLICT DO NOTHING";
	Oid types[] = {INT8OID, INT8ARRAYOID, INT4OID};
	Datum values[] = {parties->relation, parties->tables, Int32GetDatum(request->ancestors)};

	(void) run(statement, lengthof(types), types, values);
}

void
charge_bind(ChargeRequest *request, ChargeParties *parties)
{
	Oid types[SUBJECT_ARGUMENTS] = {OIDARRAYOID, TEXTARRAYOID, TEXTARRAYOID, OIDARRAYOID};
	Datum values[SUBJECT_ARGUMENTS];
	ArrayType *tables;

	subject_values(request, values);
	if (!run(find_parties, lengthof(types), types, values) || !read_parties(parties))
	{
		(void) run(rename_parties, lengthof(types), types, values);
		(void) run(rebind_parties, lengthof(types), types, values);
		(void) run(make_parties, lengthof(types), types, values);
		if (!run(find_parties, lengthof(types), types, values) || !read_parties(parties))
			elog(ERROR, "could not tell whom to charge");
	}
	request->relation_identity = DatumGetInt64(parties->relation);
	request->grantee_identity = DatumGetInt64(parties->grantee);
	if (OidIsValid(request->grantee) && request->grantee_identity == 0)
	{
		request->denied = true;
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("the role of a privacy budget does not exist yet"),
						errdetail("Nobody but its transaction can see it."),
						errhint("Commit the transaction that creates the role first.")));
	}
	tables = DatumGetArrayTypeP(parties->tables);
	if (ArrayGetNItems(ARR_NDIM(tables), ARR_DIMS(tables)) > 1)
		record_lineage(request, parties);
}

/* ---- Budgets ---------------------------------------------------------------- */

void
charge_lock_table(Oid table, bool exclusive)
{
	/* An object lock on an OID that is no row of pg_class: nobody else takes it. */
	Oid budgets = get_relname_relid("budget_rows", get_namespace_oid("dpobj", false));

	LockDatabaseObject(budgets, table, 0, exclusive ? ExclusiveLock : ShareLock);
}

static void
lock_tables(const ChargeRequest *request)
{
	Datum text = array_from_text(charge_request_text(request, CHARGE_TEXT_OIDS), OIDOID);
	Datum *tables;
	int count;

	deconstruct_array(DatumGetArrayTypeP(text), OIDOID, sizeof(Oid), true, TYPALIGN_INT, &tables,
					  NULL, &count);
	/* The descendants' own budgets cannot be set while they are descendants. */
	for (int i = 0; i <= request->ancestors && i < count; i++)
		charge_lock_table(DatumGetObjectId(tables[i]), false);
}

#define APPLIES "b.relation = ANY ($1) AND (b.role IS NULL OR b.role = ANY ($2))"

static bool
lock_budgets(int count, Oid *types, Datum *values)
{
	return run("SELECT b.id FROM dpobj.budget_rows b WHERE " APPLIES
			   " ORDER BY b.relation, b.role FOR UPDATE",
			   count, types, values);
}

/* The first budget that the charge does not fit into, as a sentence. */
static const char *const exceeded =
	"SELECT format('The budget of %s on table %s has %s.',"
	" CASE WHEN b.role IS NULL THEN 'all roles' ELSE format('role \"%s\"', r.name) END, t.name,"
	" CASE WHEN NOT fits.epsilon THEN format('epsilon: %s spent, %s asked, %s left of %s',"
	" trim_scale(b.epsilon_spent * 0.000000001), trim_scale($3 * 0.000000001),"
	" trim_scale(greatest(b.epsilon_nano - b.epsilon_spent, 0) * 0.000000001),"
	" trim_scale(b.epsilon_nano * 0.000000001))"
	" WHEN NOT fits.delta THEN format('delta, in units of 2^-60: %s spent, %s asked, %s left of "
	"%s',"
	" b.delta_spent, $4, greatest(b.delta_units - b.delta_spent, 0), b.delta_units)"
	" ELSE format('releases: %s spent, 1 asked, %s left of %s', b.releases,"
	" greatest(b.max_releases - b.releases, 0), b.max_releases) END) "
	"FROM dpobj.budget_state b"
	" JOIN dpobj.identities t ON t.id = b.relation"
	" LEFT JOIN dpobj.identities r ON r.id = b.role"
	" CROSS JOIN LATERAL (SELECT b.epsilon_spent + $3 <= b.epsilon_nano AS epsilon,"
	" b.delta_spent + $4 <= b.delta_units AS delta,"
	" coalesce(b.releases < b.max_releases, true) AS releases) fits "
	"WHERE " APPLIES " AND NOT (fits.epsilon AND fits.delta AND fits.releases) "
	"ORDER BY b.relation, b.role LIMIT 1";

/*
 * Until our library is loaded anybody can set dpobj.require_budget in his session
 * or when he connects, and that hides what an administrator has set.  So we ask
 * again here, where no client's settings are: what was set for the role, else what
 * holds in this database.  A superuser's session may do as it likes.
 */
static bool
budget_is_required(const ChargeRequest *request)
{
	static const char *const statement =
		"SELECT split_part(c, '=', 2)::boolean FROM pg_db_role_setting s, unnest(s.setconfig) c "
		"WHERE s.setrole = $1 AND s.setdatabase IN (0, $2)"
		" AND lower(split_part(c, '=', 1)) = 'dpobj.require_budget' ORDER BY s.setdatabase DESC";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(request->role), ObjectIdGetDatum(request->database)};
	bool isnull;

	if (request->budget_required || superuser_arg(request->role))
		return request->budget_required;
	if (run(statement, lengthof(types), types, values))
		return DatumGetBool(column(1, &isnull));
	return dpobj_require_budget;
}

static void
deny_without_budget(ChargeRequest *request)
{
	request->denied = true;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NO_BUDGET),
			 errmsg("role \"%s\" has no privacy budget on this table",
					charge_request_text(request, CHARGE_TEXT_ROLE)),
			 errdetail("A budget that was set in a transaction counts once that has committed."),
			 errhint("Ask a member of dpobj_admin for a budget: dpobj.set_budget(relation, role, "
					 "epsilon, delta).")));
}

void
charge_check_budgets(ChargeRequest *request, const ChargeParties *parties)
{
	Oid types[] = {INT8ARRAYOID, INT8ARRAYOID, INT8OID, INT8OID};
	Datum values[] = {parties->tables, parties->payers, Int64GetDatum(request->epsilon),
					  Int64GetDatum(request->delta)};
	bool isnull;

	lock_tables(request);
	if (!lock_budgets(2, types, values))
	{
		if (budget_is_required(request))
			deny_without_budget(request);
		return;
	}
	if (!run(exceeded, lengthof(types), types, values))
		return;
	request->denied = true;
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_BUDGET_EXHAUSTED), errmsg("privacy budget exhausted"),
					errdetail_internal("%s", TextDatumGetCString(column(1, &isnull))),
					errhint("Ask for less, or ask a member of dpobj_admin to raise the budget: "
							"dpobj.set_budget(relation, role, epsilon, delta).")));
}
