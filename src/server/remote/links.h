/*
 * links.h - connections to the servers of a table's parts, and conversations over them.
 *
 * A link is one connection, in one transaction there that ends with the link.  It serves parts that
 * are reached with the same options: those of a server are dealt to a limited number of links.  A
 * message is bytes for one SQL function there, dpobj_internal.part(), and its answer is bytes
 * again. What the function keeps between messages lives in the transaction.  This file knows
 * nothing of what messages say.
 *
 * All links work at the same time.  Nothing is sent twice and no link is opened again: a part that
 * does not answer is an error.  The exception is a lock that a part does not get in time, which is
 * for the caller to ask for again.  What libpq and the other server say goes to the server log,
 * because the caller may be an analyst.
 */
#ifndef DPOBJ_LINKS_H
#define DPOBJ_LINKS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "server/remote/part_provider.h"

typedef struct Links Links;

/* The largest message or answer; larger ones are cut into several by whoever writes them. */
#define LINK_MESSAGE_MAX (64 * 1024 * 1024)

/*
 * Connects to the servers of all parts of the list, at most so many times to each, and begins a
 * transaction on each connection, in which a lock is waited for so long.  A server that has no room
 * for so many connections serves its parts over those that it lets in.  Raises 53300 if it lets
 * none in, and 08001 if one cannot be reached or, without a wait, if it did not answer somebody
 * else a short while ago (silent_servers.h).  One session of a role waits at a time.  The links are
 * closed when the current memory context is reset, so an error closes them.
 */
extern Links *links_open(List *parts, int most, int lock_milliseconds);

extern int links_count(const Links *links);

/* The parts of a link, a list of RemotePart; each part of links_open() has one link. */
extern List *links_parts(const Links *links, int link);

/* The name of what the next messages are about, for errors and the log; at first the first part's.
 */
extern void links_name(Links *links, int link, const char *name);

/* Where the link has got to: host, port and database. */
extern const char *links_place(const Links *links, int link);

/*
 * Takes the answer of a link; it is valid during the call.  Returns true if it has written another
 * message for the same link into next, which is empty before.  May raise an error.
 */
typedef bool (*LinkAnswer)(void *context, int link, StringInfo answer, StringInfo next);

/* Sends a message over one link, whose earlier messages have been answered. */
extern void links_send(Links *links, int link, const StringInfoData *message);

/*
 * Waits until all messages that were sent have been answered, in the order in which answers come.
 * False if they are not within so many milliseconds, or if a part did not get a lock in time, which
 * links_busy() tells; then the links can only be closed.  -1: raises 08001 after
 * dpobj.longest_run.  It does so in any case if one message has no answer for dpobj.part_timeout.
 */
extern bool links_collect(Links *links, LinkAnswer take, void *context, long milliseconds);

/* Raises 08001 for the links that have not answered, and remembers their servers as silent. */
extern void links_fail_by_silence(const Links *links);

/* The name (links_name()) of what did not get a lock in time; NULL: nothing. */
extern const char *links_busy(const Links *links);

/* Ends the transactions and the connections; again is allowed. */
extern void links_close(Links *links);

#endif
