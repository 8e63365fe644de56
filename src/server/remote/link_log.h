/*
 * link_log.h - what another server says, in the log of this one.
 */
#ifndef DPOBJ_LINK_LOG_H
#define DPOBJ_LINK_LOG_H

#include "postgres.h"

/*
 * Writes the text of a part's server to the server log only, after the name of the part: the first
 * thousand bytes of it, on one line.  Raises no error, so libpq may call it.
 */
extern void link_log(const char *part, const char *text);

#endif
