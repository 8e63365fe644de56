/*
 * names.h - names of the values of an enumeration, as users and the ledger write them.
 */
#ifndef DPOBJ_NAMES_H
#define DPOBJ_NAMES_H

#include <string.h>

/* The index of a name in the list, or count if the list does not hold it. */
static inline int
names_find(const char *const *names, int count, const char *name)
{
	int index = 0;

	while (index < count && strcmp(name, names[index]) != 0)
		index++;
	return index;
}

#endif
