/*
 * charge_protection.c - checks that charges and protections have the same neighbours.
 *
 * The checks have no race: a charge takes charge_lock_table() shared, a protection holds it
 * exclusively until its transaction ends, and each statement here takes its snapshot after the
 * lock.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/ledger/charge_protection.h"
#include "server/ledger/charge_plan.h"
#include "server/base/dpobj.h"

/*
 * Says whether a cost counts in another unit.  It does in the same unit; from add_remove to replace
 * (dpobj_internal.cost_under converts it); and from a row to a person if rows, the number of rows
 * of a person, is known (dpobj_internal.cost_of_rows converts it).
 */
#define ADDS_UP(adjacency, person, unit, unit_person, rows)                                        \
	"((" adjacency " = " unit " OR " adjacency " = 'add_remove' AND " unit " = 'replace')"         \
	" AND (coalesce(" person ", '') = coalesce(" unit_person ", '')"                               \
	" OR " person " IS NULL AND " rows " IS NOT NULL))"

/* For a new charge: a charge for rows does not count under a protection of persons. */
#define NO_ROWS "NULL"

/* Describes a unit; person is NULL or empty for rows. */
static char *
unit_text(const char *adjacency, const char *person)
{
	if (person == NULL || person[0] == '\0')
		return psprintf("adjacency \"%s\" of rows", adjacency);
	return psprintf("adjacency \"%s\" of persons (column \"%s\")", adjacency, person);
}

static char *
request_unit(const ChargeRequest *request)
{
	return unit_text(charge_request_text(request, CHARGE_TEXT_ADJACENCY),
					 charge_request_text(request, CHARGE_TEXT_PERSON));
}

/* Runs a query about the table's family, $1, and the request's unit; returns the number of rows. */
static uint64
query_units(const char *query, const ChargeRequest *request, const ChargeParties *parties)
{
	Oid types[] = {INT8ARRAYOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {parties->family,
					  CStringGetTextDatum(charge_request_text(request, CHARGE_TEXT_ADJACENCY)),
					  CStringGetTextDatum(charge_request_text(request, CHARGE_TEXT_PERSON)),
					  CStringGetTextDatum(charge_request_text(request, CHARGE_TEXT_PARAMETERS))};

	(void) charge_query(query, lengthof(types), types, values);
	return SPI_processed;
}

static char *
first_row(int column)
{
	return charge_column_text(0, column);
}

/*
 * Former relatives are compared too, because their budgets count the charge; a population only if
 * somebody has given its relation rows, and asks for these.
 */
void
charge_check_protection(ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const query =
		"SELECT p.adjacency, p.person, i.name FROM dpobj.units p"
		" JOIN dpobj.identities i ON i.id = p.relation "
		"WHERE p.relation = ANY ($1) AND (NOT p.is_population OR p.relation = ($1)[1])"
		" AND NOT " ADDS_UP("$2", "$3", "p.adjacency", "p.person", NO_ROWS) " ORDER BY p.relation";

	if (query_units(query, request, parties) == 0)
		return;
	request->denied = true;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("table %s is protected under other neighbours", first_row(3)),
			 errdetail("It is protected under %s; the charge would be under %s.",
					   unit_text(first_row(1), first_row(2)), request_unit(request)),
			 errhint("Set the option \"adjacency\" of an aggregate as the table is protected; "
					 "tables with a person are trained on with dpobj.train. If the protection has "
					 "just been changed, try again.")));
}

/* Relatives are asked too: a child of a part has rows of the part.  No mark has an address. */
void
charge_check_part(ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const query =
		"SELECT p.coordinator, i.name, r.name FROM dpobj.parts p"
		" JOIN dpobj.identities i ON i.id = p.relation JOIN dpobj.identities r ON r.id = p.role"
		" WHERE p.relation = ANY ($1) ORDER BY p.relation";
	Oid types[] = {INT8ARRAYOID};
	Datum values[] = {parties->family};

	if (!charge_query(query, lengthof(types), types, values))
		return;
	request->denied = true;
	ereport(
		ERROR,
		(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
		 errmsg("table %s is a part of a table on another server", first_row(2)),
		 errdetail("Budgets of that table, and not of this one, count releases about its rows."),
		 errhint("Ask the coordinator, for table %s: the server that connects as role %s.",
				 first_row(1), first_row(3))));
}

/*
 * Selects the units of the charges that the table's budgets count, and whether each is another unit
 * than the request's; those come first.
 */
static const char *const units_of_charges =
	"SELECT DISTINCT e.adjacency, e.person,"
	" NOT " ADDS_UP(
		"e.adjacency", "e.person", "$2", "$3",
		"($4::jsonb ->> 'earlier_rows_per_person')") " AS other "
													 "FROM dpobj.ledger_events e "
													 "WHERE e.event = 'charged' AND "
													 "e.relation_identity = ANY ($1) "
													 "ORDER BY other DESC, e.adjacency, e.person";

/* Writes a hint: the protection under which all charges of these units add up. */
static const char *
protection_hint(Oid table, uint64 units)
{
	const char *adjacency = first_row(1);
	const char *person = NULL;
	bool rows = false;

	for (uint64 i = 0; i < units; i++)
	{
		const char *unit = charge_column_text(i, 1);
		const char *of_person = charge_column_text(i, 2);

		if (strcmp(unit, "replace") == 0)
			adjacency = unit;
		if (of_person == NULL)
			rows = true;
		else if (person != NULL && strcmp(person, of_person) != 0)
			return "The table was charged under persons of several columns, and no protection fits "
				   "them all.";
		else
			person = of_person;
	}
	if (person == NULL)
		return psprintf("Protect the table with adjacency => '%s' and without person.", adjacency);
	return psprintf("%sProtect the table with adjacency => '%s'%s person => %s%s.",
					get_attnum(table, person) == InvalidAttrNumber
						? "Give the column of persons its former name again. "
						: "",
					adjacency, rows ? "," : " and", quote_literal_cstr(person),
					rows ? " and earlier_rows_per_person, the most rows that a person had" : "");
}

/*
 * earlier_rows_per_person cannot decrease after a charge of persons, because a smaller number would
 * lower the sum of the charges for rows.
 */
static void
check_earlier_rows(ChargeRequest *request, const ChargeParties *parties)
{
	/* Each declaration holds for the charges up to the next one; $2 and $3 are not used. */
	static const char *const query =
		"SELECT max(d.rows) FROM"
		" (SELECT (e.parameters ->> 'earlier_rows_per_person')::bigint AS rows, e.id,"
		" lead(e.id) OVER (PARTITION BY e.relation_identity ORDER BY e.id) AS next"
		" FROM dpobj.ledger_events e"
		" WHERE e.event = 'protect' AND e.relation_identity = ANY ($1)) d "
		"WHERE EXISTS (SELECT FROM dpobj.ledger_events c WHERE c.event = 'charged'"
		" AND c.relation_identity = ANY ($1) AND c.person IS NOT NULL"
		" AND c.id > d.id AND c.id < coalesce(d.next, c.id + 1)) "
		"AND ($2::text, $3::text) IS NOT NULL "
		"HAVING max(d.rows) > ($4::jsonb ->> 'earlier_rows_per_person')::bigint";

	if (query_units(query, request, parties) == 0)
		return;
	request->denied = true;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("earlier_rows_per_person cannot be lowered"),
			 errdetail("It was %s when persons were charged. A smaller number would lower what "
					   "has been spent.",
					   first_row(1)),
			 errhint("Give that number, or a greater one.")));
}

static bool
charged_persons(uint64 units)
{
	for (uint64 i = 0; i < units; i++)
		if (charge_column_text(i, 2) != NULL)
			return true;
	return false;
}

/* Describes the cost of the charges for rows under a protection of persons; NULL: not known. */
static const char *
cost_of_rows(const ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const query =
		"SELECT coalesce(dpobj_internal.earlier_cost(m.members, $2, $3, m.rows),"
		" 'Protect the table with adjacency => ''replace'': charges under it say nothing about rows"
		" that come or go.' || CASE WHEN $4::jsonb ? 'earlier_rows_per_person' THEN ''"
		" ELSE ' ' || dpobj_internal.earlier_cost(m.members, 'replace', $3, m.rows) END)"
		" FROM (SELECT $1 AS members,"
		" ($4::jsonb ->> 'max_rows_per_person')::integer AS rows) m";

	return query_units(query, request, parties) == 0 ? NULL : first_row(1);
}

void
charge_check_charges(ChargeRequest *request, const ChargeParties *parties)
{
	uint64 units = query_units(units_of_charges, request, parties);
	const char *detail;
	const char *hint;
	const char *cost = NULL;

	if (units == 0 || strcmp(first_row(3), "t") != 0)
	{
		check_earlier_rows(request, parties);
		return;
	}
	detail = psprintf("They are under %s, and their costs do not add up with costs under %s.",
					  unit_text(first_row(1), first_row(2)), request_unit(request));
	hint = protection_hint(request->relation, units);
	if (charge_request_text(request, CHARGE_TEXT_PERSON)[0] != '\0' && !charged_persons(units))
		cost = cost_of_rows(request, parties);
	request->denied = true;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("the privacy ledger has charges on this table under other neighbours"),
					errdetail("%s", detail), errhint("%s", cost == NULL ? hint : cost)));
}

/* The budgets of a new relative count the charges of the table, so the units must agree. */
void
charge_check_relatives(ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const query =
		"SELECT p.adjacency, p.person, i.name, c.name, e.adjacency, e.person"
		" FROM dpobj.families g JOIN dpobj.units p ON p.relation = ANY (g.members)"
		" JOIN dpobj.identities i ON i.id = p.relation"
		" JOIN dpobj.families f ON f.id = p.relation"
		" JOIN dpobj.charge_counts e ON e.relation_identity = ANY (f.members)"
		" JOIN dpobj.identities c ON c.id = e.relation_identity "
		"WHERE g.id = $1 AND NOT p.is_population AND NOT " ADDS_UP(
			"e.adjacency", "e.person", "p.adjacency", "p.person",
			"p.rows") " ORDER BY e.id LIMIT 1";
	Oid types[] = {INT8OID};
	Datum values[] = {parties->relation};

	if (!charge_query(query, lengthof(types), types, values))
		return;
	request->denied = true;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("the privacy ledger has charges on a relative of table %s under other "
					"neighbours",
					first_row(3)),
			 errdetail("Table %s was charged under %s, and such costs do not add up with costs "
					   "under %s.",
					   first_row(4), unit_text(first_row(5), first_row(6)),
					   unit_text(first_row(1), first_row(2))),
			 errhint("Detach or disinherit it, or let an administrator call dpobj.unprotect.")));
}
