/*
 * charge_ended.c - inserts the ends of charges.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "server/base/digest.h"
#include "server/ledger/charge_ended.h"
#include "server/ledger/charge_plan.h"

/* The end of a release copies the charge, but not its cost: a sum over the ledger counts it once.
 */
#define INSERT_END(column, value, reason, condition)                                               \
	"INSERT INTO dpobj.ledger_events (event, release, relation, relation_name, role, role_name,"   \
	" mechanism, mechanism_version, relation_identity, role_identity, reason" column               \
	") SELECT $1, id, relation, relation_name, role, role_name, mechanism, mechanism_version,"     \
	" relation_identity, role_identity, " reason value " FROM dpobj.ledger_events"                 \
	" WHERE event = 'charged' AND " condition                                                      \
	" ON CONFLICT (release) WHERE release IS NOT NULL DO NOTHING"

static const char *const reasons[] = {
	[CHARGE_BY_CANCEL] = "cancel", [CHARGE_BY_STOP] = "stop", [CHARGE_BY_ERROR] = "error"};

static bool
is_charged(int64 release)
{
	static const char *const statement =
		"SELECT FROM dpobj.ledger_events WHERE id = $1 AND event = 'charged'";
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(release)};

	return charge_query(statement, lengthof(types), types, values);
}

/*
 * Returns 0 if the charge has an end.  Then an earlier attempt has committed it but could not
 * answer, so that this one still waits for standbys: a transaction with an id does.
 */
int64
charge_insert_end(ChargeRequest *request)
{
	static const char *const statement =
		INSERT_END(", output_hash", ", $3", "$4", "id = $2") " RETURNING id";
	Oid types[] = {TEXTOID, INT8OID, BYTEAOID, TEXTOID};
	bool released = request->event == CHARGE_RELEASED;
	const char *reason = released ? NULL : reasons[request->reason];
	Datum values[] = {CStringGetTextDatum(released ? "released" : "failed"),
					  Int64GetDatum(request->release), digest_datum(request->hash),
					  reason == NULL ? (Datum) 0 : CStringGetTextDatum(reason)};
	char nulls[] = {' ', ' ', released ? ' ' : 'n', reason == NULL ? 'n' : ' ', '\0'};
	bool isnull;

	if (charge_run(statement, lengthof(types), types, values, nulls) != SPI_OK_INSERT_RETURNING)
		elog(ERROR, "could not insert into the privacy ledger");
	if (SPI_processed == 1)
		return DatumGetInt64(charge_column(0, 1, &isnull));
	if (!is_charged(request->release) && !request->perhaps)
	{
		request->denied = true; /* it never will be */
		elog(ERROR, "the charge is not in the privacy ledger");
	}
	(void) GetCurrentTransactionId();
	return 0;
}

/* Skips charges of another epoch: their releases may have ended on the other server. */
void
charge_fail_lost(Datum releases, ChargeReason reason)
{
	static const char *const statement =
		INSERT_END("", "", "$3", "id = ANY ($2) AND epoch = dpobj_internal.epoch()");
	Oid types[] = {TEXTOID, INT8ARRAYOID, TEXTOID};
	const char *word = reasons[reason];
	Datum values[] = {CStringGetTextDatum("failed"), releases,
					  word == NULL ? (Datum) 0 : CStringGetTextDatum(word)};

	if (charge_run(statement, lengthof(types), types, values, word == NULL ? "  n" : NULL) !=
		SPI_OK_INSERT)
		elog(ERROR, "could not insert into the privacy ledger");
}
