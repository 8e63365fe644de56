/*
 * worker_start.c - how background workers are started, and when their places are free again.
 */
#include "postgres.h"

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

/* Also where the clock was set back. */
bool
worker_place_is_lost(const WorkerPlace *place)
{
	TimestampTz now = GetCurrentTimestamp();

	return place->number != 0 && place->worker == NULL &&
		   (now < place->since || TimestampDifferenceExceeds(place->since, now, WORKER_PATIENCE));
}

bool
worker_place_is_free(const WorkerPlace *place)
{
	return place->number == 0 || worker_place_is_lost(place);
}

WorkerPlace *
worker_place_take(WorkerPlaces *places, int limit, Oid database)
{
	WorkerPlace *found = NULL;
	int taken = 0;

	for (int i = 0; i < WORKER_PLACES; i++)
	{
		if (!worker_place_is_free(&places->place[i]))
			taken++;
		else if (found == NULL)
			found = &places->place[i];
	}
	if (found == NULL || taken >= limit)
		return NULL;
	*found = (WorkerPlace){
		.number = ++places->last_number, .since = GetCurrentTimestamp(), .database = database};
	return found;
}

WorkerPlace *
worker_place_numbered(WorkerPlaces *places, uint64 number)
{
	for (int i = 0; i < WORKER_PLACES; i++)
	{
		if (number != 0 && places->place[i].number == number)
			return &places->place[i];
	}
	return NULL;
}

void
worker_place_clear(WorkerPlace *place)
{
	memset(place, 0, sizeof(*place));
}

bool
worker_register(const WorkerPlace *place, const char *name, const char *function)
{
	BackgroundWorker worker;

	worker_describe(&worker, name, function);
	worker.bgw_main_arg = ObjectIdGetDatum(place->database);
	memcpy(worker.bgw_extra, &place->number, sizeof(place->number));
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

uint64
worker_number(void)
{
	uint64 number;

	memcpy(&number, MyBgworkerEntry->bgw_extra, sizeof(number));
	return number;
}
