/*
 * links.c - opens connections to servers of parts with libpq, and waits for all of them at once.
 *
 * Every wait is for the latch, the sockets and a second, whichever is first, so that a cancel ends
 * it.  After the charge interrupts are held and GATE_CHECK_FOR_INTERRUPTS() ends the work.  Every
 * wait has an end of its own besides: CONNECT_TIME, dpobj.part_timeout for the answer to one
 * message, and dpobj.longest_run for all that is waited for at once.
 *
 * A part whose coordinator has gone must not keep its lock: its session checks the connection every
 * second, gives up on packets that nobody acknowledges, and ends if the next message does not come
 * within a minute.  That is longer than other parts take to open, and than a charge waits for
 * locks.
 */
#include "postgres.h"

#include <libpq-fe.h>

#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/remote/link_log.h"
#include "server/remote/links.h"
#include "server/remote/silent_servers.h"

/* Milliseconds: of one wait, of a connection attempt, and until a connection has gone. */
#define WAIT_TIME 1000
#define CONNECT_TIME 15000
#define TURNED_AWAY_TIME 100

/* Of one connection; more are not written to the log. */
#define MOST_NOTICES 10

typedef enum LinkState
{
	LINK_CONNECTING,
	LINK_IDLE,
	LINK_SENDING, /* a message is on its way, or its answer is awaited */
	LINK_CLOSED
} LinkState;

typedef struct Link
{
	const RemotePart *part; /* the first of its server, for the options of the connection */
	List *parts;            /* that it serves */
	const char *name;       /* of what is talked about */
	LinkState state;
	PGconn *connection;
	bool is_counted; /* among the files that the server has open */
	bool wants_write;
	int notices;     /* that have come */
	bool is_checked; /* is the function there dpobj's? */
	uint64 server;   /* by which it is remembered if it does not answer */
	bool has_answered;
	TimestampTz asked; /* when the message was sent whose answer is awaited */
	StringInfo answer; /* that has come, while the end of the statement has not */
} Link;

struct Links
{
	int count;
	Link **link;
	int lock_time;    /* milliseconds that a part waits for a lock */
	const char *busy; /* the name of what did not get one */
	MemoryContextCallback callback;
};

/* ---- errors ---- */

/* The reason is for the server log only: it may have what libpq knows of the connection. */
static void
fail(const Link *link, const char *reason)
{
	link_log(link->name, reason == NULL ? "" : reason);
	ereport(ERROR,
			(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			 errmsg("part \"%s\" cannot be read", link->name),
			 errdetail("The reason is in the server log only."),
			 errhint("The part's server must be up, reachable from this one, let the role of "
					 "the connection in, and have this version of dpobj.")));
}

static void
fail_by_password(const Link *link)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
		 errmsg("part \"%s\" cannot be read", link->name),
		 errdetail("Its server asked for no password, and the owner of the foreign table is no "
				   "superuser."),
		 errhint("Let the part's server ask for a password in pg_hba.conf, or let a superuser set "
				 "password_required to false in the user mapping.")));
}

static void
fail_by_connection(const Link *link)
{
	fail(link, PQerrorMessage(link->connection));
}

/* The links of this process share its files with tables and others. */
static void
fail_by_files(const Link *link)
{
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					errmsg("part \"%s\" cannot be read", link->name),
					errdetail("This server process has no room for another connection."),
					errhint("Raise max_files_per_process, or lower dpobj.max_part_connections.")));
}

static void
fail_by_silence(const Link *link, const char *rule, const char *hint)
{
	link_log(link->name, rule);
	ereport(ERROR, (errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
					errmsg("part \"%s\" cannot be read", link->name), errdetail("%s", rule),
					errhint("%s", hint)));
}

/* libpq would write notices to the standard error of this process. */
static void
take_notice(void *argument, const PGresult *notice)
{
	Link *link = argument;

	if (link->notices++ < MOST_NOTICES)
		link_log(link->name, PQresultErrorMessage(notice));
}

/* ---- closing ---- */

static void
close_link(Link *link)
{
	if (link->connection != NULL)
		PQfinish(link->connection);
	link->connection = NULL;
	if (link->is_counted)
		ReleaseExternalFD();
	link->is_counted = false;
	link->state = LINK_CLOSED;
}

void
links_close(Links *links)
{
	for (int i = 0; i < links->count; i++)
		close_link(links->link[i]);
}

static void
close_at_reset(void *argument)
{
	links_close(argument);
}

/* ---- waiting ---- */

/* Is there something to wait for at the link's socket? */
static bool
is_busy(const Link *link)
{
	return link->state == LINK_CONNECTING || link->state == LINK_SENDING;
}

/* Waits for the latch, for a busy socket, or for so many milliseconds. */
static void
wait_for_links(const Links *links, long milliseconds)
{
	WaitEventSet *set = create_wait_set(links->count + 2);
	WaitEvent event;

	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	for (int i = 0; i < links->count; i++)
	{
		const Link *link = links->link[i];

		if (is_busy(link))
			AddWaitEventToSet(set,
							  link->wants_write ? WL_SOCKET_WRITEABLE | WL_SOCKET_READABLE
												: WL_SOCKET_READABLE,
							  PQsocket(link->connection), NULL, NULL);
	}
	(void) WaitEventSetWait(set, milliseconds, &event, 1, PG_WAIT_EXTENSION);
	FreeWaitEventSet(set);
	ResetLatch(MyLatch);
}

static bool
any_is_busy(const Links *links)
{
	for (int i = 0; i < links->count; i++)
		if (is_busy(links->link[i]))
			return true;
	return false;
}

/* All of them were waited for at the same time. */
void
links_fail_by_silence(const Links *links)
{
	const Link *silent = NULL;

	for (int i = links->count - 1; i >= 0; i--)
	{
		if (!is_busy(links->link[i]))
			continue;
		silent = links->link[i];
		silent_server_note(silent->server);
	}
	if (silent == NULL)
		elog(ERROR, "no part is awaited");
	fail_by_silence(silent, "It has not answered in time.", "Try again.");
}

/* A server that another call has waited for in vain costs this one nothing. */
static void
check_silent(const Links *links)
{
	for (int i = 0; i < links->count; i++)
		if (silent_server_is(links->link[i]->server))
			fail_by_silence(links->link[i], "Its server did not answer a short while ago.",
							"It is asked again within a minute: try again then.");
}

/* ---- opening ---- */

/* Verbose errors have the SQLSTATE, which libpq tells of no failed connection otherwise. */
static void
start_connecting(Link *link)
{
	if (!AcquireExternalFD())
		fail_by_files(link);
	link->is_counted = true;
	link->connection = PQconnectStartParams(link->part->keyword, link->part->value, false);
	if (link->connection == NULL || PQstatus(link->connection) == CONNECTION_BAD)
		fail_by_connection(link);
	(void) PQsetNoticeReceiver(link->connection, take_notice, link);
	(void) PQsetErrorVerbosity(link->connection, PQERRORS_VERBOSE);
	link->state = LINK_CONNECTING;
	link->wants_write = true;
}

/* Has its server, or its role or database there, no room for another connection? */
static bool
is_turned_away(const Link *link)
{
	const char *state = psprintf(" %s: ", unpack_sql_state(ERRCODE_TOO_MANY_CONNECTIONS));

	return strstr(PQerrorMessage(link->connection), state) != NULL;
}

static void
go_on_connecting(Link *link)
{
	switch (PQconnectPoll(link->connection))
	{
		case PGRES_POLLING_READING:
			link->wants_write = false;
			return;
		case PGRES_POLLING_OK:
			break;
		case PGRES_POLLING_FAILED:
			if (!is_turned_away(link))
				fail_by_connection(link);
			close_link(link);
			return;
		default:
			link->wants_write = true;
			return;
	}
	if (link->part->needs_password && !PQconnectionUsedPassword(link->connection))
		fail_by_password(link);
	if (PQsetnonblocking(link->connection, 1) != 0)
		fail_by_connection(link);
	(void) PQsetErrorVerbosity(link->connection, PQERRORS_DEFAULT);
	link->state = LINK_IDLE;
}

/*
 * The owner of a part's database may have dropped dpobj there and made a function of his own under
 * the name that is called, which would run as the role of the connection: for Citus, a superuser.
 * So the transaction asks first whether the function is a member of extension dpobj, and whether a
 * superuser has made that.  A relation of the extension is locked before, by a name that LOCK alone
 * resolves, and asked for too: nobody drops the extension until the transaction ends.  Without the
 * lock, it could be dropped between the question and a call.  Every role may lock this view.
 */
#define LOCK_EXTENSION "LOCK TABLE dpobj.protected IN ACCESS SHARE MODE"
#define IS_GENUINE                                                                                 \
	"SELECT pg_catalog.count(*) OPERATOR(pg_catalog.=) 2 FROM pg_catalog.pg_depend d"              \
	" JOIN pg_catalog.pg_extension e ON d.refobjid OPERATOR(pg_catalog.=) e.oid"                   \
	" JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) e.extowner"                       \
	" WHERE e.extname OPERATOR(pg_catalog.=) 'dpobj' AND r.rolsuper"                               \
	" AND d.deptype OPERATOR(pg_catalog.=) 'e'"                                                    \
	" AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass"      \
	" AND (d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass"             \
	" AND d.objid OPERATOR(pg_catalog.=) 'dpobj_internal.part(bytea)'::pg_catalog.regprocedure"    \
	" OR d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"              \
	" AND d.objid OPERATOR(pg_catalog.=) 'dpobj.protected'::pg_catalog.regclass)"

/*
 * The settings of the part's session, and the begin of its transaction.  The search_path is the
 * first, so nothing is looked up in another one.  client_connection_check_interval is new in
 * PostgreSQL 14; the others exist everywhere.  READ COMMITTED: each message has a snapshot of its
 * own, and the lock that the first one takes keeps the rows as they are.
 */
static char *
preparation(const Links *links, const Link *link)
{
	return psprintf("SET search_path = pg_catalog, pg_temp;"
					" SET statement_timeout = 0; SET lock_timeout = %d;"
					" SET idle_in_transaction_session_timeout = '1min';"
					" SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;"
					" SET tcp_keepalives_count = 4; SET tcp_user_timeout = 30000;%s"
					" BEGIN ISOLATION LEVEL READ COMMITTED; " LOCK_EXTENSION "; " IS_GENUINE,
					links->lock_time,
					PQserverVersion(link->connection) >= 140000
						? " SET client_connection_check_interval = 1000;"
						: "");
}

static void
send_preparation(const Links *links, Link *link)
{
	if (!PQsendQuery(link->connection, preparation(links, link)))
		fail_by_connection(link);
	link->state = LINK_SENDING;
	link->wants_write = true;
}

/* ---- conversations ---- */

/* Sends what libpq holds back, and reads what has come. */
static void
move_bytes(Link *link)
{
	int left = PQflush(link->connection);

	if (left < 0)
		fail_by_connection(link);
	link->wants_write = left > 0;
	if (!PQconsumeInput(link->connection))
		fail_by_connection(link);
}

/* Frees the result and raises the error. */
static void
fail_by_result(const Link *link, PGresult *result)
{
	char *reason = pstrdup(result == NULL ? "no answer" : PQresultErrorMessage(result));

	PQclear(result);
	fail(link, reason);
}

/* The next result of the link if it has come; the connection is idle when there is none left. */
static bool
next_result(Link *link, PGresult **result)
{
	if (PQisBusy(link->connection))
		return false;
	*result = PQgetResult(link->connection);
	return true;
}

/* Is it the answer yes? */
static bool
says_yes(const PGresult *result)
{
	return PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1 &&
		   PQnfields(result) == 1 && strcmp(PQgetvalue(result, 0, 0), "t") == 0;
}

/* Ends the statements that prepare the session; true when the link is idle. */
static bool
end_preparation(Link *link)
{
	PGresult *result;

	while (next_result(link, &result))
	{
		if (result == NULL)
		{
			if (!link->is_checked)
				fail(link, "its function dpobj_internal.part is not that of an extension dpobj of "
						   "a superuser");
			return true;
		}
		if (says_yes(result))
			link->is_checked = true;
		else if (PQresultStatus(result) != PGRES_COMMAND_OK &&
				 PQresultStatus(result) != PGRES_TUPLES_OK)
			fail_by_result(link, result);
		PQclear(result);
	}
	return false;
}

/* Is it an answer that dpobj_internal.part() may give? */
static bool
is_answer(const PGresult *result)
{
	return PQresultStatus(result) == PGRES_SINGLE_TUPLE && PQnfields(result) == 1 &&
		   PQftype(result, 0) == BYTEAOID && PQfformat(result, 0) == 1 &&
		   !PQgetisnull(result, 0, 0) && PQgetlength(result, 0, 0) <= LINK_MESSAGE_MAX;
}

/* Is it the error of a lock that was not granted in time? */
static bool
is_about_lock(const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return sqlstate != NULL && strcmp(sqlstate, unpack_sql_state(ERRCODE_LOCK_NOT_AVAILABLE)) == 0;
}

/* Is it the end of the rows, of which the answer is one? */
static bool
is_end(const PGresult *result)
{
	return PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 0;
}

/*
 * Copies the answer of a message, after which the link is idle; NULL if not all of it has come, or
 * the part is busy.
 */
static StringInfo
end_message(Links *links, Link *link)
{
	StringInfo answer;
	PGresult *result;

	while (next_result(link, &result))
	{
		if (result == NULL)
		{
			if (link->answer == NULL)
				fail_by_result(link, result);
			answer = link->answer;
			link->answer = NULL;
			link->state = LINK_IDLE;
			return answer;
		}
		if (is_about_lock(result))
		{
			PQclear(result);
			links->busy = link->name;
			return NULL;
		}
		if (link->answer != NULL && is_end(result))
		{
			PQclear(result);
			continue;
		}
		if (link->answer != NULL || !is_answer(result))
			fail_by_result(link, result);
		link->answer = makeStringInfo();
		appendBinaryStringInfo(link->answer, PQgetvalue(result, 0, 0), PQgetlength(result, 0, 0));
		PQclear(result);
	}
	return NULL;
}

/* Rows are taken one by one, so that libpq does not collect as many as another server may send. */
void
links_send(Links *links, int i, const StringInfoData *message)
{
	Link *link = links->link[i];
	Oid type = BYTEAOID;
	const char *value = message->data;
	int length = message->len;
	int format = 1;

	if (link->state != LINK_IDLE)
		elog(ERROR, "a link to a part is not free");
	if (!PQsendQueryParams(link->connection, "SELECT dpobj_internal.part($1)", 1, &type, &value,
						   &length, &format, 1) ||
		PQsetSingleRowMode(link->connection) != 1)
		fail_by_connection(link);
	link->state = LINK_SENDING;
	link->wants_write = true;
	link->asked = GetCurrentTimestamp();
}

/* The next time that it does not answer is the first one again. */
static void
note_answer(Link *link)
{
	if (!link->has_answered)
		silent_server_forget(link->server);
	link->has_answered = true;
}

/* Ends the wait for a part that has not answered one message for too long. */
static void
check_answering(const Links *links)
{
	TimestampTz now = GetCurrentTimestamp();

	for (int i = 0; i < links->count; i++)
	{
		const Link *link = links->link[i];

		if (link->state != LINK_SENDING ||
			!TimestampDifferenceExceeds(link->asked, now, dpobj_part_timeout * 1000))
			continue;
		silent_server_note(link->server);
		fail_by_silence(link, psprintf("It has not answered for %d seconds.", dpobj_part_timeout),
						"A superuser sets dpobj.part_timeout.");
	}
}

/* The milliseconds of the next wait. */
static long
time_to_wait(TimestampTz end)
{
	return Min(TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end), WAIT_TIME);
}

bool
links_collect(Links *links, LinkAnswer take, void *context, long milliseconds)
{
	TimestampTz end = TimestampTzPlusMilliseconds(
		GetCurrentTimestamp(),
		milliseconds < 0 ? dpobj_longest_run * INT64CONST(1000) : milliseconds);
	StringInfoData next;

	initStringInfo(&next);
	for (;;)
	{
		for (int i = 0; i < links->count; i++)
		{
			StringInfo answer;

			if (links->link[i]->state != LINK_SENDING)
				continue;
			move_bytes(links->link[i]);
			answer = end_message(links, links->link[i]);
			if (links->busy != NULL)
			{
				pfree(next.data);
				links_close(links);
				return false;
			}
			if (answer == NULL)
				continue;
			note_answer(links->link[i]);
			resetStringInfo(&next);
			if (take(context, i, answer, &next))
				links_send(links, i, &next);
			pfree(answer->data);
			pfree(answer);
		}
		GATE_CHECK_FOR_INTERRUPTS();
		if (!any_is_busy(links) || GetCurrentTimestamp() >= end)
			break;
		check_answering(links);
		wait_for_links(links, time_to_wait(end));
	}
	pfree(next.data);
	if (milliseconds < 0 && any_is_busy(links))
		links_fail_by_silence(links);
	return !any_is_busy(links);
}

const char *
links_busy(const Links *links)
{
	return links->busy;
}

static void
prepare_links(Links *links, TimestampTz end)
{
	while (any_is_busy(links))
	{
		wait_for_links(links, WAIT_TIME);
		GATE_CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < links->count; i++)
		{
			Link *link = links->link[i];

			if (is_busy(link) && GetCurrentTimestamp() > end)
				links_fail_by_silence(links);
			if (link->state == LINK_CONNECTING)
			{
				go_on_connecting(link);
				if (link->state == LINK_IDLE)
					send_preparation(links, link);
			}
			else if (link->state == LINK_SENDING)
			{
				move_bytes(link);
				if (end_preparation(link))
					link->state = LINK_IDLE;
			}
		}
	}
}

/* A server of parts that is being connected to. */
typedef struct Server
{
	List *parts;
	int first; /* of its links */
	int links;
} Server;

static List *
list_servers(List *parts)
{
	List *servers = NIL;
	ListCell *cell;

	foreach (cell, parts)
	{
		Server *server = NULL;
		ListCell *known;

		foreach (known, servers)
		{
			server = lfirst(known);
			if (parts_share_server(linitial(server->parts), lfirst(cell)))
				break;
			server = NULL;
		}
		if (server == NULL)
		{
			server = palloc0(sizeof(Server));
			servers = lappend(servers, server);
		}
		server->parts = lappend(server->parts, lfirst(cell));
	}
	return servers;
}

static void
begin_links(Links *links, List *servers, int most)
{
	ListCell *cell;

	foreach (cell, servers)
	{
		Server *server = lfirst(cell);
		const RemotePart *part = linitial(server->parts);

		server->first = links->count;
		server->links = Min(list_length(server->parts), most);
		for (int i = 0; i < server->links; i++)
		{
			Link *link = palloc0(sizeof(Link));

			link->part = part;
			link->name = part->name;
			link->server = silent_server_key(part);
			links->link[links->count++] = link;
		}
	}
}

static void
refuse_by_room(const Server *server)
{
	const RemotePart *part = linitial(server->parts);

	ereport(ERROR,
			(errcode(ERRCODE_TOO_MANY_CONNECTIONS),
			 errmsg("part \"%s\" cannot be read", part->name),
			 errdetail("Its server has no room for a connection. Asked for were %d, for %d parts; "
					   "dpobj.max_part_connections allows %d.",
					   server->links, list_length(server->parts), dpobj_max_part_connections),
			 errhint("Try again when others have ended, or raise max_connections there, or the "
					 "CONNECTION LIMIT of the role or database.")));
}

/* The links that it has let in. */
static List *
open_links(const Links *links, const Server *server)
{
	List *open = NIL;

	for (int i = server->first; i < server->first + server->links; i++)
		if (links->link[i]->state != LINK_CLOSED)
			open = lappend(open, links->link[i]);
	return open;
}

/* A server may count those that it turns away, and those that go: it is asked again for one. */
static void
ask_for_one(Links *links, const List *servers, TimestampTz end)
{
	ListCell *cell;

	foreach (cell, servers)
	{
		const Server *server = lfirst(cell);

		if (open_links(links, server) == NIL)
		{
			pg_usleep(TURNED_AWAY_TIME * 1000L);
			start_connecting(links->link[server->first]);
		}
	}
	prepare_links(links, end);
}

/* Deals its parts to the links that it has let in. */
static void
deal_parts(const Links *links, const Server *server)
{
	const List *open = open_links(links, server);
	int dealt = 0;
	ListCell *cell;

	if (open == NIL)
		refuse_by_room(server);
	foreach (cell, server->parts)
	{
		Link *link = list_nth(open, dealt++ % list_length(open));

		link->parts = lappend(link->parts, lfirst(cell));
	}
}

static void
drop_closed(Links *links)
{
	int open = 0;

	for (int i = 0; i < links->count; i++)
		if (links->link[i]->state != LINK_CLOSED)
			links->link[open++] = links->link[i];
	links->count = open;
}

Links *
links_open(List *parts, int most, int lock_milliseconds)
{
	Links *links = palloc0(sizeof(Links));
	List *servers = list_servers(parts);
	TimestampTz end;
	ListCell *cell;

	links->lock_time = lock_milliseconds;
	links->link = palloc(list_length(parts) * sizeof(Link *));
	begin_links(links, servers, most);
	links->callback.func = close_at_reset;
	links->callback.arg = links;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &links->callback);
	gate_enter_parts();
	check_silent(links);
	for (int i = 0; i < links->count; i++)
		start_connecting(links->link[i]);
	end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), CONNECT_TIME);
	prepare_links(links, end);
	ask_for_one(links, servers, end);
	gate_leave_parts();
	foreach (cell, servers)
		deal_parts(links, lfirst(cell));
	drop_closed(links);
	return links;
}

int
links_count(const Links *links)
{
	return links->count;
}

List *
links_parts(const Links *links, int link)
{
	return links->link[link]->parts;
}

void
links_name(Links *links, int link, const char *name)
{
	links->link[link]->name = name;
}

/* With an option hostaddr the host is only a name for certificates. */
const char *
links_place(const Links *links, int link)
{
	const PGconn *connection = links->link[link]->connection;
	const char *address = part_option(links->link[link]->part, "hostaddr", "");

	return psprintf("%s%s%s:%s/%s", PQhost(connection), *address == '\0' ? "" : "@", address,
					PQport(connection), PQdb(connection));
}
