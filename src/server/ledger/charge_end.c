/*
 * charge_end.c - the end of each charge.
 *
 * Every charge gets an end while the server runs.  The backend holds the segment of the charge and
 * a slot of the queue from before the charge on, so that it can post a failure when its transaction
 * aborts or it exits, where it can neither allocate memory nor wait.  What was released is posted
 * before anybody waits for it.  From then on another process has it (charge_queue.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "fmgr.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/ledger/charge_end.h"
#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_request.h"
#include "server/ledger/charge_worker.h"

/* ---- Releases without an end ------------------------------------------------ */

typedef struct OpenRelease
{
	struct OpenRelease *next;
	dsm_segment *charge; /* its request becomes that of a failure */
	SubTransactionId subtransaction;
	ChargeReason reason;
} OpenRelease;

/* More than one if an expression of dp_ftrl makes a release. */
static OpenRelease *open_releases = NULL;

void
charge_open(dsm_segment *charge)
{
	OpenRelease *open = MemoryContextAlloc(TopMemoryContext, sizeof(OpenRelease));

	*open = (OpenRelease){open_releases, charge, GetCurrentSubTransactionId(), CHARGE_BY_CANCEL};
	dsm_pin_mapping(charge);
	open_releases = open;
}

/* NULL: the release is a job's, or has ended. */
static OpenRelease *
find_open(int64 release)
{
	OpenRelease *open = open_releases;

	while (open != NULL && ((ChargeRequest *) dsm_segment_address(open->charge))->id != release)
		open = open->next;
	return open;
}

static OpenRelease *
require_open(int64 release)
{
	OpenRelease *open = find_open(release);

	if (open == NULL)
		elog(ERROR, "release " INT64_FORMAT " does not run in this session", release);
	return open;
}

/* Forgets the release; the segment stays. */
static void
forget(OpenRelease *open)
{
	OpenRelease **link = &open_releases;

	while (*link != open)
		link = &(*link)->next;
	*link = open->next;
	pfree(open);
}

void
charge_note_reason(int64 release, ChargeReason reason)
{
	OpenRelease *open = find_open(release);

	if (open != NULL)
		open->reason = reason;
}

ChargeReason
charge_reason_of(int sqlstate)
{
	return ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION)
			   ? CHARGE_BY_CANCEL
			   : CHARGE_BY_ERROR;
}

/* ---- Aborts ----------------------------------------------------------------- */

/* Does the charge have to end, and is its segment the request of a failure by now? */
static bool
becomes_failure(ChargeRequest *request, ChargeReason reason)
{
	ChargeStatus status;

	if (request->event == CHARGE_FAILED)
		return true; /* but it could not be posted */
	if (charge_abandon(request))
		return false;
	status = charge_status(request);
	if (status != CHARGE_COMMITTED && status != CHARGE_UNKNOWN)
		return false;
	if (status == CHARGE_UNKNOWN)
		reason = CHARGE_BY_ERROR;
	charge_turn_into_failure(request, reason, status == CHARGE_UNKNOWN);
	return true;
}

/* Raises no error, allocates nothing and does not wait. */
static void
give_up(OpenRelease *open)
{
	dsm_segment *charge = open->charge;
	ChargeReason reason = proc_exit_inprogress ? CHARGE_BY_CANCEL : open->reason;

	forget(open);
	if (becomes_failure(dsm_segment_address(charge), reason))
		charge_post(charge, charge);
	dsm_detach(charge);
}

static void
at_end_of_transaction(XactEvent event, void *argument)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_COMMIT || event == XACT_EVENT_PREPARE)
	{
		while (open_releases != NULL)
			give_up(open_releases);
	}
}

static void
at_end_of_subtransaction(SubXactEvent event, SubTransactionId own, SubTransactionId parent,
						 void *argument)
{
	OpenRelease *open = open_releases;

	while (event == SUBXACT_EVENT_ABORT_SUB && open != NULL)
	{
		OpenRelease *next = open->next;

		if (open->subtransaction == own)
			give_up(open);
		open = next;
	}
}

void
charge_install(void)
{
	RegisterXactCallback(at_end_of_transaction, NULL);
	RegisterSubXactCallback(at_end_of_subtransaction, NULL);
}

/* ---- Ends ------------------------------------------------------------------- */

/* The context of an error while an answer is written. */
static void
name_release(void *argument)
{
	const ChargeRequest *request = argument;

	if (request->event == CHARGE_RELEASED)
		errcontext("release " INT64_FORMAT ", whose answer is written all the same: SELECT * FROM "
				   "dpobj.answer(" INT64_FORMAT ")",
				   request->release, request->release);
}

/* Posts the end, for which the open release is forgotten. */
static void
post(OpenRelease *open, dsm_segment *end)
{
	if (!charge_queue_post(open->charge, end))
		elog(ERROR, "the release holds no slot for its end");
	forget(open);
}

/*
 * Waits until the end is committed.  If the process that writes it waits for this transaction, the
 * end of this transaction is what it waits for: then an answer is refused now and given later.
 */
static void
await(dsm_segment *end)
{
	ChargeRequest *request = dsm_segment_address(end);
	ErrorContextCallback named = {error_context_stack, name_release, request};
	ChargeStatus status;

	error_context_stack = &named;
	status = charge_queue_wait(end);
	if (status != CHARGE_COMMITTED && request->event == CHARGE_RELEASED)
	{
		if (status == CHARGE_REFUSED)
			charge_report_failure(status, request);
		ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
						errmsg("the answer is paid for but cannot be written yet"),
						errdetail("Its process waits for a lock, perhaps of this transaction."),
						errhint("End the transaction and read the answer.")));
	}
	error_context_stack = named.previous;
	dsm_detach(end);
}

/* Posts an end and waits for it. */
static void
end_commit(ChargeRequest *request, int64 release)
{
	OpenRelease *open = require_open(release);
	dsm_segment *charge = open->charge;
	dsm_segment *end;

	request->release = release;
	request->role = ((ChargeRequest *) dsm_segment_address(charge))->role;
	end = charge_request_share(request);
	post(open, end);
	dsm_detach(charge);
	await(end);
	pfree(request);
}

void
charge_released(int64 release, const uint8 hash[CHARGE_HASH_LENGTH], HeapTupleHeader model)
{
	Size length = model == NULL ? 0 : HeapTupleHeaderGetDatumLength(model);
	ChargeRequest *request = charge_request_create(CHARGE_RELEASED, NULL, model, length);

	memcpy(request->hash, hash, CHARGE_HASH_LENGTH);
	end_commit(request, release);
}

void
charge_released_groups(int64 release, const uint8 hash[CHARGE_HASH_LENGTH], const ArrayType *groups)
{
	ChargeRequest *request = charge_request_create(CHARGE_RELEASED, NULL, groups, VARSIZE(groups));

	request->grouped = true;
	memcpy(request->hash, hash, CHARGE_HASH_LENGTH);
	end_commit(request, release);
}

void
charge_released_answer(int64 release, const uint8 hash[CHARGE_HASH_LENGTH], const char *answer)
{
	const char *texts[CHARGE_TEXTS] = {[CHARGE_TEXT_ANSWER] = answer};
	ChargeRequest *request = charge_request_create(CHARGE_RELEASED, texts, NULL, 0);

	memcpy(request->hash, hash, CHARGE_HASH_LENGTH);
	end_commit(request, release);
}

/* The charge's own segment becomes the request, so that this needs no memory. */
void
charge_failed(int64 release, ChargeReason reason)
{
	OpenRelease *open = require_open(release);
	dsm_segment *end = open->charge;

	charge_turn_into_failure(dsm_segment_address(end), reason, false);
	post(open, end);
	dsm_unpin_mapping(end);
	await(end);
}

/* ---- What others ask -------------------------------------------------------- */

void
charge_settle(Oid role)
{
	charge_queue_settle(role);
}

/* dpobj_internal.charge_state(release) -> text */
PG_FUNCTION_INFO_V1(dpobj_charge_state);
Datum
dpobj_charge_state(PG_FUNCTION_ARGS)
{
	const char *state = charge_queue_state(PG_GETARG_INT64(0));

	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(state));
}
