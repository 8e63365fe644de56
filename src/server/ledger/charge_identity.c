/*
 * charge_identity.c - the identities of a request's tables and roles, and the lineage of tables.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_identity.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_protection.h"
#include "server/ledger/epoch.h"
#include "server/ledger/role_end.h"

/* ---- Epoch ------------------------------------------------------------------ */

static void
deny_epoch(ChargeRequest *request)
{
	request->denied = true;
	epoch_refuse();
}

/* ---- Identities ------------------------------------------------------------- */

/* The tables and roles of a request, as arguments of the statements below. */
typedef struct Subjects
{
	int count;
	int tables;  /* the first subjects */
	int grantee; /* its position, 0 if there is none */
	Datum values[3];
} Subjects;

static Oid subject_types[] = {TEXTARRAYOID, OIDARRAYOID, TEXTARRAYOID};

#define SUBJECTS "unnest($1, $2, $3) WITH ORDINALITY s(kind, object, name, place) "

/* Identity i has the OID of subject s, in this database. */
#define BOUND "i.kind = s.kind AND i.object = s.object AND i.origin = dpobj_internal.origin()"

/* Selects the identities in the order of the subjects, with nulls, and whether the epoch has
 * changed. */
static const char *const find_parties =
	"SELECT array_agg(i.id ORDER BY s.place),"
	" (SELECT epoch FROM dpobj.ledger_events ORDER BY id DESC LIMIT 1) <> dpobj_internal.epoch() "
	"FROM " SUBJECTS "LEFT JOIN dpobj.identities i ON " BOUND " AND i.name = s.name";

/* A renamed table or role keeps its identity. */
static const char *const rename_parties =
	"UPDATE dpobj.identities i SET name = s.name FROM " SUBJECTS "WHERE " BOUND
	" AND i.name <> s.name";

/*
 * A table or role that was created again or restored gets the last identity with its name.
 * pg_table_is_visible() is null for a table that does not exist; Citus hides shards from queries
 * that read pg_class.
 */
static const char *const rebind_parties =
	"UPDATE dpobj.identities d SET object = s.object, origin = dpobj_internal.origin() "
	"FROM " SUBJECTS "WHERE NOT EXISTS (SELECT FROM dpobj.identities i WHERE " BOUND ")"
	" AND d.id = (SELECT max(o.id) FROM dpobj.identities o"
	" WHERE o.kind = s.kind AND o.name = s.name AND NOT (o.origin = dpobj_internal.origin()"
	" AND CASE o.kind WHEN 'table' THEN pg_table_is_visible(o.object) IS NOT NULL"
	" ELSE EXISTS (SELECT FROM pg_authid WHERE oid = o.object) END))";

static const char *const insert_parties =
	"INSERT INTO dpobj.identities (kind, origin, object, name) "
	"SELECT s.kind, dpobj_internal.origin(), s.object, s.name FROM " SUBJECTS
	"WHERE NOT EXISTS (SELECT FROM dpobj.identities i WHERE " BOUND ") "
	"ORDER BY s.kind, s.object "
	"ON CONFLICT ON CONSTRAINT identity_key DO NOTHING";

/* Appends the groups of which the last role is a member, directly or not. */
static List *
append_groups(List *roles)
{
	for (int i = list_length(roles) - 1; i < list_length(roles); i++) /* the list grows */
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

Datum *
charge_elements(const ChargeRequest *request, ChargeText text, Oid type, int *count)
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
	Datum *oids = charge_elements(request, CHARGE_TEXT_OIDS, OIDOID, &subjects->tables);
	int count;
	Datum *schemas = charge_elements(request, CHARGE_TEXT_SCHEMAS, TEXTOID, &count);
	Datum *names = charge_elements(request, CHARGE_TEXT_RELATIONS, TEXTOID, &count);

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
			continue; /* the group was dropped meanwhile */
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

/* Looks up the subjects; false if an identity is missing or has another name. */
static bool
find_identities(ChargeRequest *request, Subjects *subjects, ChargeParties *parties)
{
	bool isnull;
	bool other_epoch;
	Datum *ids;
	bool *missing;
	int count;

	if (!charge_query(find_parties, lengthof(subject_types), subject_types, subjects->values))
		elog(ERROR, "could not tell whom to charge");
	other_epoch = DatumGetBool(charge_column(0, 2, &isnull));
	if (!isnull && other_epoch && request->event != CHARGE_CONFIRM_EPOCH)
		deny_epoch(request);
	deconstruct_array(DatumGetArrayTypeP(charge_column(0, 1, &isnull)), INT8OID, sizeof(int64),
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

/* ---- Lineage ---------------------------------------------------------------- */

/*
 * Pairs of relatives.  $1: the table, $2: the table, its ancestors and its descendants, $3: the
 * number of ancestors.  Other ancestors of a descendant that have an identity are relatives too,
 * because they share its rows.
 */
#define RELATIVES                                                                                  \
	"(WITH RECURSIVE up(descendant, ancestor) AS (SELECT t.id, h.inhparent"                        \
	" FROM unnest($2) WITH ORDINALITY t(id, place) JOIN dpobj.identities i ON i.id = t.id"         \
	" JOIN pg_inherits h ON h.inhrelid = i.object WHERE t.place > $3 + 1"                          \
	" UNION SELECT up.descendant, h.inhparent FROM up"                                             \
	" JOIN pg_inherits h ON h.inhrelid = up.ancestor)"                                             \
	" SELECT CASE WHEN place <= $3 + 1 THEN id ELSE $1 END AS ancestor,"                           \
	" CASE WHEN place <= $3 + 1 THEN $1 ELSE id END AS descendant"                                 \
	" FROM unnest($2) WITH ORDINALITY t(id, place) WHERE place > 1"                                \
	" UNION SELECT a.id, up.descendant FROM up JOIN dpobj.identities a"                            \
	" ON a.object = up.ancestor AND a.kind = 'table' AND a.origin = dpobj_internal.origin()) r "

/*
 * Locks the relatives against charges, in the order of the charges' locks.  A session that changes
 * budgets of the table has locked the table itself.
 */
static void
lock_relatives(const ChargeRequest *request, int count, Oid *types, Datum *values)
{
	static const char *const statement =
		"SELECT i.object FROM dpobj.identities i WHERE i.id = $1"
		" OR i.id IN (SELECT unnest(ARRAY[r.ancestor, r.descendant]) FROM " RELATIVES
		") ORDER BY i.object";

	(void) charge_query(statement, count, types, values);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Oid table = DatumGetObjectId(charge_column(i, 1, &isnull));

		if (request->event == CHARGE_CHARGED || table != request->relation)
			charge_lock_table(table, true);
	}
}

/*
 * Tables that were charged together stay relatives.  New relatives change which charges the budgets
 * count, so the sums are forgotten.  Charges on these tables are locked out meanwhile, so that the
 * new sums count each of them.
 */
static void
record_lineage(ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const missing =
		"SELECT FROM " RELATIVES "WHERE NOT EXISTS (SELECT FROM dpobj.lineage l"
		" WHERE (l.ancestor, l.descendant) = (r.ancestor, r.descendant))";
	static const char *const statement =
		"INSERT INTO dpobj.lineage (ancestor, descendant) SELECT ancestor, descendant "
		"FROM " RELATIVES "ORDER BY ancestor, descendant ON CONFLICT DO NOTHING";
	static const char *const forget_sums =
		"UPDATE dpobj.budget_rows SET cost_spent = NULL, delta_spent = NULL, releases_spent = NULL"
		" WHERE id IN (SELECT b.id FROM dpobj.budget_rows b WHERE b.relation ="
		" ANY ((SELECT f.members FROM dpobj.families f WHERE f.id = $1)::bigint[])"
		" ORDER BY b.relation, b.role FOR UPDATE)";
	Oid types[] = {INT8OID, INT8ARRAYOID, INT4OID};
	Datum values[] = {parties->relation, parties->tables, Int32GetDatum(request->ancestors)};

	if (!charge_query(missing, lengthof(types), types, values))
		return;
	lock_relatives(request, lengthof(types), types, values);
	(void) charge_query(statement, lengthof(types), types, values);
	(void) charge_query(forget_sums, 1, types, values);
	/* charge_check_charges() compares a new protection with all charges */
	if (request->event != CHARGE_PROTECT)
		charge_check_relatives(request, parties);
}

/*
 * The same tables as dpobj_internal.relatives(): a table, its descendants, and then the ancestors of
 * all these.  A recursive query would fill a large hash table with zeros, also for a table that has
 * no relatives.  Charges do not name the relation of a population, which may have been made again.
 */
ArrayType *
charge_find_family(ChargeParties *parties)
{
	static const char *const statement =
		"SELECT (SELECT $1 || array_agg(DISTINCT l.descendant) FROM dpobj.lineage l"
		" WHERE l.ancestor = ANY ($1) AND l.descendant <> ALL ($1) HAVING count(*) > 0),"
		" (SELECT $1 || array_agg(DISTINCT l.ancestor) FROM dpobj.lineage l"
		" WHERE l.descendant = ANY ($1) AND l.ancestor <> ALL ($1) HAVING count(*) > 0),"
		" (SELECT array_agg(o.object ORDER BY o.object) FROM"
		" (SELECT i.object FROM dpobj.identities i"
		" WHERE i.id = ANY ($1) AND i.origin = dpobj_internal.origin()"
		" UNION SELECT t.relation FROM dpobj.populations p"
		" JOIN dpobj.identity_tables t ON t.id = p.population"
		" WHERE p.population = ANY ($1) AND t.relation IS NOT NULL) o)";
	Oid types[] = {INT8ARRAYOID};
	bool down = true;
	bool grows = true;
	bool isnull;
	Datum found;

	parties->family = identities_array(&parties->relation, 1);
	while (grows)
	{
		(void) charge_query(statement, lengthof(types), types, &parties->family);
		found = charge_column(0, 1, &isnull);
		down = down && !isnull;
		if (!down)
			found = charge_column(0, 2, &isnull);
		grows = !isnull;
		if (grows)
			parties->family = PointerGetDatum(DatumGetArrayTypePCopy(found));
	}
	found = charge_column(0, 3, &isnull);
	if (isnull)
		elog(ERROR, "the table of a charge has no identity");
	return DatumGetArrayTypePCopy(found);
}

/* Removing a budget or a protection must not fail because of relatives. */
static bool
makes_relatives(const ChargeRequest *request)
{
	return request->event != CHARGE_DROP_BUDGET && request->event != CHARGE_UNPROTECT;
}

void
charge_bind(ChargeRequest *request, ChargeParties *parties)
{
	Subjects subjects;

	collect_subjects(request, &subjects);
	if (!find_identities(request, &subjects, parties))
	{
		role_end_sweep();
		(void) charge_query(rename_parties, lengthof(subject_types), subject_types,
							subjects.values);
		(void) charge_query(rebind_parties, lengthof(subject_types), subject_types,
							subjects.values);
		(void) charge_query(insert_parties, lengthof(subject_types), subject_types,
							subjects.values);
		if (!find_identities(request, &subjects, parties))
			elog(ERROR, "could not tell whom to charge");
	}
	request->relation_identity = DatumGetInt64(parties->relation);
	request->grantee_identity = DatumGetInt64(parties->grantee);
	if (subjects.tables > 1 && makes_relatives(request))
		record_lineage(request, parties);
}
