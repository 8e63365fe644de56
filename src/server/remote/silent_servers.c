/*
 * silent_servers.c - servers of parts that have not answered a short while ago.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "storage/lwlock.h"
#include "utils/timestamp.h"

#include "server/base/preload.h"
#include "server/remote/silent_servers.h"

/* Milliseconds: of the first refusal, and of the longest. */
#define FIRST_TIME 5000
#define LONGEST_TIME 60000

/* Servers that are remembered; of more, those whose time ends first are forgotten. */
#define SERVERS 64

typedef struct SilentServer
{
	uint64 key; /* 0: none */
	int time;   /* milliseconds */
	TimestampTz end;
} SilentServer;

/* SERVERS of them, in shared memory. */
static SilentServer *servers = NULL;
static LWLock *lock = NULL;

static void
attach(void *memory, LWLock *its_lock, bool new)
{
	servers = memory;
	lock = its_lock;
}

void
silent_servers_install(void)
{
	static SharedPiece piece = {"dpobj silent servers", sizeof(SilentServer) * SERVERS, attach};

	preload_memory(&piece);
}

static uint64
add_text(uint64 key, const char *text)
{
	return DatumGetUInt64(
		hash_any_extended((const unsigned char *) text, (int) strlen(text) + 1, key));
}

uint64
silent_server_key(const RemotePart *part)
{
	uint64 key = 0;

	for (int i = 0; part->keyword[i] != NULL; i++)
		key = add_text(add_text(key, part->keyword[i]), part->value[i]);
	return Max(key, 1);
}

/* NULL: it is not remembered. */
static SilentServer *
find(uint64 key)
{
	for (int i = 0; i < SERVERS; i++)
		if (servers[i].key == key)
			return &servers[i];
	return NULL;
}

static SilentServer *
find_room(void)
{
	SilentServer *found = &servers[0];

	for (int i = 0; i < SERVERS; i++)
		if (servers[i].key == 0 || (found->key != 0 && servers[i].end < found->end))
			found = &servers[i];
	return found;
}

bool
silent_server_is(uint64 key)
{
	const SilentServer *server;
	bool is_silent;

	LWLockAcquire(lock, LW_SHARED);
	server = find(key);
	is_silent = server != NULL && GetCurrentTimestamp() < server->end;
	LWLockRelease(lock);
	return is_silent;
}

/* Two sessions that waited at a time count once. */
void
silent_server_note(uint64 key)
{
	TimestampTz now = GetCurrentTimestamp();
	SilentServer *server;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	server = find(key);
	if (server == NULL)
	{
		server = find_room();
		*server = (SilentServer){.key = key};
	}
	if (now >= server->end)
	{
		server->time = server->time == 0 ? FIRST_TIME : Min(2 * server->time, LONGEST_TIME);
		server->end = TimestampTzPlusMilliseconds(now, server->time);
	}
	LWLockRelease(lock);
}

void
silent_server_forget(uint64 key)
{
	SilentServer *server;
	bool is_known;

	LWLockAcquire(lock, LW_SHARED);
	is_known = find(key) != NULL;
	LWLockRelease(lock);
	if (!is_known)
		return;
	LWLockAcquire(lock, LW_EXCLUSIVE);
	server = find(key);
	if (server != NULL)
		*server = (SilentServer){0};
	LWLockRelease(lock);
}
