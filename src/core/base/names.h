/*
 * names.h - names of the values of an enumeration, as users and the ledger write them.
 */
#ifndef DPOBJ_NAMES_H
#define DPOBJ_NAMES_H

#include <string.h>

/* The place of a name among so many, or count where it is none of them. */
static inline int
names_find(const char *const *names, int count, const char *name)
{
	int place = 0;

	while (place < count && strcmp(name, names[place]) != 0)
		place++;
	return place;
}

#endif
