/*
 * attempt.c - runs a release after its charge, so that nobody sees when and why it ends.
 */
#include "server/release/attempt.h"

#include "miscadmin.h"
#include "storage/lwlock.h"

#include "server/base/acting.h"
#include "server/base/gate.h"
#include "server/ledger/charge_end.h"

/*
 * Errors that the caller, the server or other transactions cause: they do not depend on a row, and
 * they are no failures of the release.
 */
static bool
is_interruption(int sqlstate)
{
	return sqlstate == ERRCODE_QUERY_CANCELED || sqlstate == ERRCODE_ADMIN_SHUTDOWN ||
		   sqlstate == ERRCODE_CRASH_SHUTDOWN || sqlstate == ERRCODE_T_R_SERIALIZATION_FAILURE ||
		   sqlstate == ERRCODE_T_R_DEADLOCK_DETECTED;
}

/* A cancel that came after the work, too, is told apart from no other cancel. */
static void
check_cancelled(int64 charge)
{
	charge_note_reason(charge, CHARGE_BY_CANCEL);
	CHECK_FOR_INTERRUPTS();
	charge_note_reason(charge, CHARGE_BY_ERROR);
}

/* The locks are released after the tick, by the abort, because other sessions can see them. */
bool
attempt_until_tick(struct Release *release, Draw draw, int64 charge, int tick)
{
	MemoryContext old = CurrentMemoryContext;
	bool exit_on_error = ExitOnAnyError;
	ErrorData *volatile interruption = NULL;
	volatile bool done = false;
	Acting caller;

	acting_note(&caller);
	gate_begin_run(tick);
	/* Every role may set it; an error would then go to the client without being caught here. */
	ExitOnAnyError = false;
	PG_TRY();
	{
		done = draw(release);
	}
	PG_CATCH();
	{
		ErrorData *error;

		gate_hold_again();
		MemoryContextSwitchTo(old);
		error = CopyErrorData();
		FlushErrorState();
		if (is_interruption(error->sqlerrcode))
		{
			interruption = error;
			charge_note_reason(charge, charge_reason_of(error->sqlerrcode));
		}
		else
			ereport(LOG_SERVER_ONLY, (errmsg("private release " INT64_FORMAT " failed: %s", charge,
											 error->message)));
	}
	PG_END_TRY();
	ExitOnAnyError = exit_on_error;
	acting_end(&caller); /* of a scan that has failed */
	if (!done)
		LWLockReleaseAll(); /* as an abort does, but before the wait for the tick */
	gate_end_run();
	if (interruption != NULL)
	{
		CHECK_FOR_INTERRUPTS(); /* its error says who has cancelled the statement */
		ReThrowError(interruption);
	}
	if (done)
		check_cancelled(charge);
	return done; /* a failure is counted, although a cancel may have come since */
}

bool
attempt_for_reader(struct Release *release, Draw draw, int64 charge)
{
	volatile bool done = false;

	PG_TRY();
	{
		done = draw(release);
	}
	PG_CATCH();
	{
		charge_note_reason(charge, charge_reason_of(geterrcode()));
		PG_RE_THROW();
	}
	PG_END_TRY();
	return done;
}
