/*
 * silent_servers.h - servers of parts that have not answered a short while ago.
 *
 * A server that does not answer costs whoever asks it a wait of some seconds.  So all sessions
 * remember it, for five seconds at first and then for twice as long each time, up to a minute, and
 * refuse to ask it meanwhile.
 */
#ifndef DPOBJ_SILENT_SERVERS_H
#define DPOBJ_SILENT_SERVERS_H

#include "postgres.h"

#include "server/remote/part_provider.h"

extern void silent_servers_install(void);

/*
 * The server of a part, by all options of the connection: two roles who write them differently
 * never have one key, so neither can make the other's server look silent.
 */
extern uint64 silent_server_key(const RemotePart *part);

extern bool silent_server_is(uint64 key);

/* It has not answered. */
extern void silent_server_note(uint64 key);

/* It has answered. */
extern void silent_server_forget(uint64 key);

#endif
