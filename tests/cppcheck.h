/*
 * cppcheck.h - what cppcheck must know of PostgreSQL's macros, whose headers it
 * does not read: an ERROR does not return, a foreach is a loop, a number is a text.
 */
#define ERROR 21
#define ereport(level, ...)                                                                        \
	do                                                                                             \
	{                                                                                              \
		if ((level) >= ERROR)                                                                      \
			__builtin_unreachable();                                                               \
	} while (0)
#define foreach(cell, list) for (cell = (void *) (list); cell != NULL; cell = NULL)
#define CppAsString2(number) #number
