/*
 * worker_start.c - starts background workers, and frees the slots of those that never run.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

#include "server/base/worker_start.h"

void
worker_describe(BackgroundWorker *worker, const char *name, const char *function)
{
	memset(worker, 0, sizeof(*worker));
	strlcpy(worker->bgw_name, name, sizeof(worker->bgw_name));
	strlcpy(worker->bgw_type, name, sizeof(worker->bgw_type));
	strlcpy(worker->bgw_library_name, "$libdir/dpobj", sizeof(worker->bgw_library_name));
	strlcpy(worker->bgw_function_name, function, sizeof(worker->bgw_function_name));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker->bgw_restart_time = BGW_NEVER_RESTART;
}

void
worker_wait_for_latch(long milliseconds)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* A start in the future means that the clock was set back. */
bool
worker_slot_is_lost(const WorkerSlot *slot)
{
	TimestampTz now = GetCurrentTimestamp();

	return slot->number != 0 && slot->worker == NULL &&
		   (now < slot->since ||
			TimestampDifferenceExceeds(slot->since, now, WORKER_START_TIMEOUT));
}

WorkerSlot *
worker_slot_take(WorkerSlots *slots, int limit, Oid database)
{
	WorkerSlot *found = NULL;
	int taken = 0;

	for (int i = 0; i < WORKER_SLOTS; i++)
	{
		if (slots->slot[i].number != 0 && !worker_slot_is_lost(&slots->slot[i]))
			taken++;
		else if (found == NULL)
			found = &slots->slot[i];
	}
	if (found == NULL || taken >= limit)
		return NULL;
	*found = (WorkerSlot){
		.number = ++slots->last_number, .since = GetCurrentTimestamp(), .database = database};
	return found;
}

WorkerSlot *
worker_slot_numbered(WorkerSlots *slots, uint64 number)
{
	for (int i = 0; i < WORKER_SLOTS; i++)
	{
		if (number != 0 && slots->slot[i].number == number)
			return &slots->slot[i];
	}
	return NULL;
}

void
worker_slot_clear(WorkerSlot *slot)
{
	memset(slot, 0, sizeof(*slot));
}

void
worker_slot_give_up(WorkerSlots *slots, uint64 number)
{
	WorkerSlot *slot = worker_slot_numbered(slots, number);

	if (slot != NULL)
		worker_slot_clear(slot);
}

bool
worker_register(const WorkerSlot *slot, const char *name, const char *function)
{
	BackgroundWorker worker;

	worker_describe(&worker, name, function);
	worker.bgw_main_arg = ObjectIdGetDatum(slot->database);
	memcpy(worker.bgw_extra, &slot->number, sizeof(slot->number));
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

uint64
worker_number(void)
{
	uint64 number;

	memcpy(&number, MyBgworkerEntry->bgw_extra, sizeof(number));
	return number;
}
