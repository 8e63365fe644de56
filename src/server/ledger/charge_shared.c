/*
 * charge_shared.c - the status of a request, by which two processes hand it over.
 */
#include "postgres.h"

#include "storage/latch.h"

#include "server/ledger/charge_shared.h"

ChargeStatus
charge_status(ChargeRequest *request)
{
	ChargeStatus status = (ChargeStatus) pg_atomic_read_u32(&request->status);

	pg_read_barrier(); /* pairs with the write barrier of charge_answer() */
	return status;
}

/* Both the backend that gives up and the process that answers expect that there is no answer. */
static bool
set_status(ChargeRequest *request, ChargeStatus status)
{
	uint32 expected = CHARGE_PENDING;

	/* a full barrier: the answer is written before the status */
	return pg_atomic_compare_exchange_u32(&request->status, &expected, status);
}

bool
charge_abandon(ChargeRequest *request)
{
	return set_status(request, CHARGE_ABANDONED);
}

bool
charge_answer(ChargeRequest *request, ChargeStatus status)
{
	bool answered = set_status(request, status);

	if (answered)
		SetLatch(&request->backend->procLatch);
	return answered;
}

void
charge_turn_into_failure(ChargeRequest *request, ChargeReason reason, bool perhaps)
{
	request->event = CHARGE_FAILED;
	request->perhaps = perhaps;
	request->release = request->id;
	request->reason = reason;
	pg_atomic_write_u32(&request->status, CHARGE_PENDING);
}

bool
charge_is_about_locks(int sqlstate)
{
	return sqlstate == ERRCODE_LOCK_NOT_AVAILABLE || sqlstate == ERRCODE_T_R_DEADLOCK_DETECTED;
}

bool
charge_may_pass(int sqlstate)
{
	switch (ERRCODE_TO_CATEGORY(sqlstate))
	{
		case ERRCODE_TO_CATEGORY(ERRCODE_T_R_DEADLOCK_DETECTED):
		case ERRCODE_TO_CATEGORY(ERRCODE_LOCK_NOT_AVAILABLE):
		case ERRCODE_TO_CATEGORY(ERRCODE_INSUFFICIENT_RESOURCES):
		case ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION):
		case ERRCODE_TO_CATEGORY(ERRCODE_SYSTEM_ERROR):
			return true;
		default:
			return false;
	}
}
