/*
 * link_options.h - the options of a connection to a part, which a provider collects.
 */
#ifndef DPOBJ_LINK_OPTIONS_H
#define DPOBJ_LINK_OPTIONS_H

#include "postgres.h"

#include "server/remote/part_provider.h"

/* Makes room for so many options besides those that every connection has, and sets these. */
extern void link_options_begin(RemotePart *part, int most);

/* Sets an option, which replaces an earlier value of it.  The texts must live as long as the part.
 */
extern void link_options_set(RemotePart *part, const char *keyword, const char *value);

/* Sets the options of a connection string that a provider trusts; NULL: none. */
extern void link_options_parse(RemotePart *part, const char *text);

/* The number of options of such a string at most. */
extern int link_options_known(void);

#endif
