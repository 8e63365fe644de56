/*
 * charge_budget.c - identities and budgets, in the charge worker's transaction.
 *
 * A budget's row is locked before the ledger is summed, and the sum is a statement
 * of its own: under READ COMMITTED its snapshot has every charge that was committed
 * while the row was waited for.  All comparisons are between integers.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "charge_budget.h"
#include "charge_plan.h"
#include "charge_setting.h"
#include "dpobj.h"

/* ---- Statements ------------------------------------------------------------- */

/* Runs one statement; true if it had a row, which is then the first of SPI_tuptable. */
static bool
run(const char *statement, int count, Oid *types, Datum *values)
{
	if (charge_run(statement, count, types, values, NULL) < 0)
		elog(ERROR, "could not read the privacy budgets");
	return SPI_processed > 0 && SPI_tuptable != NULL;
}

static Datum
column(int number, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number, isnull);
}

/* ---- Epoch ------------------------------------------------------------------ */

static void
deny_epoch(ChargeRequest *request)
{
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

/* The tables and roles of a request, as arguments of the statements below. */
typedef struct Subjects
{
	int count;
	int tables;  /* the first ones */
	int grantee; /* its place, 0 if there is none */
	Datum values[3];
} Subjects;

#define SUBJECT_TYPES                                                                              \
	{                                                                                              \
		TEXTARRAYOID, OIDARRAYOID, TEXTARRAYOID                                                    \
	}
#define SUBJECTS "unnest($1, $2, $3) WITH ORDINALITY s(kind, object, name, place) "

/* The identity that has the subject's OID, if that OID means anything here. */
#define BOUND "i.kind = s.kind AND i.object = s.object AND i.origin = dpobj.origin()"

/* In the order of the subjects, null where there is none; and: is the ledger of another epoch? */
static const char *const find_parties =
	"SELECT array_agg(i.id ORDER BY s.place),"
	" (SELECT epoch FROM dpobj.ledger_events ORDER BY id DESC LIMIT 1) <> dpobj.epoch() "
	"FROM " SUBJECTS "LEFT JOIN dpobj.identities i ON " BOUND " AND i.name = s.name";

/* What was renamed keeps its identity. */
static const char *const rename_parties =
	"UPDATE dpobj.identities i SET name = s.name FROM " SUBJECTS "WHERE " BOUND
	" AND i.name <> s.name";

/* What was dropped and made again, or restored, gets the identity that had its name last. */
static const char *const rebind_parties =
	"UPDATE dpobj.identities d SET object = s.object, origin = dpobj.origin() FROM " SUBJECTS
	"WHERE NOT EXISTS (SELECT FROM dpobj.identities i WHERE " BOUND ")"
	" AND d.id = (SELECT max(o.id) FROM dpobj.identities o"
	" WHERE o.kind = s.kind AND o.name = s.name AND NOT (o.origin = dpobj.origin()"
	" AND CASE o.kind WHEN 'table' THEN EXISTS (SELECT FROM pg_class WHERE oid = o.object)"
	" ELSE EXISTS (SELECT FROM pg_authid WHERE oid = o.object) END))";

static const char *const make_parties =
	"INSERT INTO dpobj.identities (kind, origin, object, name) "
	"SELECT s.kind, dpobj.origin(), s.object, s.name FROM " SUBJECTS
	"WHERE NOT EXISTS (SELECT FROM dpobj.identities i WHERE " BOUND ") "
	"ORDER BY s.kind, s.object "
	"ON CONFLICT ON CONSTRAINT identity_key DO NOTHING";

/* Appends the groups that the last of the roles was made a member of, directly or not. */
static List *
append_groups(List *roles)
{
	for (int i = list_length(roles) - 1; i < list_length(roles); i++) /* grows meanwhile */
	{
		CatCList *memberships =
			SearchSysCacheList1(AUTHMEMMEMROLE, ObjectIdGetDatum(list_nth_oid(roles, i)));

		for (int j = 0; j < memberships->n_members; j++)
		{
			HeapTuple tuple = &memberships->members[j]->tuple;

			roles =
				list_append_unique_oid(roles, ((Form_pg_auth_members) GETSTRUCT(tuple))->roleid);
		}
		ReleaseSysCacheList(memberships);
	}
	return roles;
}

static Datum *
elements_from_text(const ChargeRequest *request, ChargeText text, Oid type, int *count)
{
	int16 length;
	bool by_value;
	char align;
	Oid input;
	Oid parameter;
	Datum array;
	Datum *elements;

	getTypeInputInfo(get_array_type(type), &input, &parameter);
	array = OidInputFunctionCall(input, unconstify(char *, charge_request_text(request, text)),
								 parameter, -1);
	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(DatumGetArrayTypeP(array), type, length, by_value, align, &elements, NULL,
					  count);
	return elements;
}

static void
append_subject(Subjects *subjects, ArrayBuildState *states[3], const char *kind, Oid object,
			   const char *name)
{
	states[0] = accumArrayResult(states[0], CStringGetTextDatum(kind), false, TEXTOID,
								 CurrentMemoryContext);
	states[1] =
		accumArrayResult(states[1], ObjectIdGetDatum(object), false, OIDOID, CurrentMemoryContext);
	states[2] = accumArrayResult(states[2], CStringGetTextDatum(name), false, TEXTOID,
								 CurrentMemoryContext);
	subjects->count++;
}

static void
append_tables(const ChargeRequest *request, Subjects *subjects, ArrayBuildState *states[3])
{
	Datum *oids = elements_from_text(request, CHARGE_TEXT_OIDS, OIDOID, &subjects->tables);
	int count;
	Datum *schemas = elements_from_text(request, CHARGE_TEXT_SCHEMAS, TEXTOID, &count);
	Datum *names = elements_from_text(request, CHARGE_TEXT_RELATIONS, TEXTOID, &count);

	for (int i = 0; i < subjects->tables; i++)
		append_subject(subjects, states, "table", DatumGetObjectId(oids[i]),
					   quote_qualified_identifier(TextDatumGetCString(schemas[i]),
												  TextDatumGetCString(names[i])));
}

static void
deny_unknown_role(ChargeRequest *request)
{
	request->denied = true;
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					errmsg("the role of a privacy budget does not exist yet"),
					errdetail("Nobody but its transaction can see it."),
					errhint("Commit the transaction that creates the role first.")));
}

static void
append_roles(ChargeRequest *request, Subjects *subjects, ArrayBuildState *states[3])
{
	List *roles = append_groups(list_make1_oid(request->role));

	if (OidIsValid(request->grantee))
		roles = list_append_unique_oid(roles, request->grantee);
	for (int i = 0; i < list_length(roles); i++)
	{
		Oid role = list_nth_oid(roles, i);
		char *name = GetUserNameFromId(role, role != request->role);

		if (name == NULL && role == request->grantee)
			deny_unknown_role(request);
		if (name == NULL)
			continue; /* a group that has gone meanwhile */
		if (role == request->grantee)
			subjects->grantee = subjects->count;
		append_subject(subjects, states, "role", role, name);
	}
}

static void
collect_subjects(ChargeRequest *request, Subjects *subjects)
{
	ArrayBuildState *states[3] = {NULL, NULL, NULL};

	memset(subjects, 0, sizeof(*subjects));
	append_tables(request, subjects, states);
	append_roles(request, subjects, states);
	for (int i = 0; i < 3; i++)
		subjects->values[i] = makeArrayResult(states[i], CurrentMemoryContext);
}

static Datum
identities_array(Datum *ids, int count)
{
	return PointerGetDatum(
		construct_array(ids, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Looks the subjects up; false if an identity is missing or has another name. */
static bool
find(ChargeRequest *request, Subjects *subjects, ChargeParties *parties)
{
	Oid types[] = SUBJECT_TYPES;
	bool isnull;
	bool other_epoch;
	Datum *ids;
	bool *missing;
	int count;

	if (!run(find_parties, lengthof(types), types, subjects->values))
		elog(ERROR, "could not tell whom to charge");
	other_epoch = DatumGetBool(column(2, &isnull));
	if (!isnull && other_epoch && request->event != CHARGE_CONFIRM_EPOCH)
		deny_epoch(request);
	deconstruct_array(DatumGetArrayTypeP(column(1, &isnull)), INT8OID, sizeof(int64),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &ids, &missing, &count);
	for (int i = 0; i < count; i++)
	{
		if (missing[i])
			return false;
	}
	parties->relation = subjects->tables > 0 ? ids[0] : Int64GetDatum(0);
	parties->role = ids[subjects->tables];
	parties->grantee = subjects->grantee > 0 ? ids[subjects->grantee] : Int64GetDatum(0);
	parties->tables = identities_array(ids, subjects->tables);
	parties->payers = identities_array(ids + subjects->tables, count - subjects->tables);
	return true;
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
	Oid types[] = SUBJECT_TYPES;
	Subjects subjects;

	collect_subjects(request, &subjects);
	if (!find(request, &subjects, parties))
	{
		(void) run(rename_parties, lengthof(types), types, subjects.values);
		(void) run(rebind_parties, lengthof(types), types, subjects.values);
		(void) run(make_parties, lengthof(types), types, subjects.values);
		if (!find(request, &subjects, parties))
			elog(ERROR, "could not tell whom to charge");
	}
	request->relation_identity = DatumGetInt64(parties->relation);
	request->grantee_identity = DatumGetInt64(parties->grantee);
	if (subjects.tables > 1)
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
	int count;
	Datum *tables = elements_from_text(request, CHARGE_TEXT_OIDS, OIDOID, &count);

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

static bool
budget_is_required(const ChargeRequest *request)
{
	const char *setting = charge_setting(request, "dpobj.require_budget");
	bool required = dpobj_require_budget;

	if (request->budget_required || superuser_arg(request->role))
		return request->budget_required;
	if (setting != NULL)
		(void) parse_bool(setting, &required);
	return required;
}

void
charge_deny_without_budget(ChargeRequest *request)
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
charge_deny_exhausted(const char *budget)
{
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_BUDGET_EXHAUSTED), errmsg("privacy budget exhausted"),
					errdetail_internal("%s", budget),
					errhint("Ask for less, or ask a member of dpobj_admin to raise the budget: "
							"dpobj.set_budget(relation, role, epsilon, delta).")));
}

void
charge_check_budgets(ChargeRequest *request, const ChargeParties *parties)
{
	Oid types[] = {INT8ARRAYOID, INT8ARRAYOID, INT8OID, INT8OID, TEXTOID};
	Datum values[] = {parties->tables, parties->payers, Int64GetDatum(request->epsilon),
					  Int64GetDatum(request->delta),
					  CStringGetTextDatum(charge_request_text(request, CHARGE_TEXT_ADJACENCY))};
	Datum exceeded;
	bool isnull;

	lock_tables(request);
	if (!lock_budgets(2, types, values))
	{
		if (budget_is_required(request))
			charge_deny_without_budget(request);
		return;
	}
	(void) run(CHARGE_FIND_EXCEEDED, lengthof(types), types, values);
	exceeded = column(1, &isnull);
	if (isnull)
		return;
	request->denied = true;
	charge_deny_exhausted(TextDatumGetCString(exceeded));
}
