/*
 * check.h - a minimal test framework: CHECK(), and a closing line with the counts.
 */
#ifndef DPOBJ_TESTS_CHECK_H
#define DPOBJ_TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_passed;
static int check_failed;

#define CHECK(condition)                                                                           \
	do                                                                                             \
	{                                                                                              \
		if (condition)                                                                             \
			check_passed++;                                                                        \
		else                                                                                       \
		{                                                                                          \
			check_failed++;                                                                        \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
			if (getenv("DPOBJ_FIRST_FAILURE") != NULL) /* enough for mutants.sh */                 \
				exit(1);                                                                           \
		}                                                                                          \
	} while (0)

/* The last line of main(): prints the counts; fails if a check failed or none ran. */
static inline int
check_report(const char *name)
{
	printf("%s: %d passed, %d failed\n", name, check_passed, check_failed);
	return check_failed == 0 && check_passed > 0 ? 0 : 1;
}

/* The share of random cases, in percent, that DPOBJ_TEST_SHARE asks for: valgrind is slow. */
static inline int
check_share(void)
{
	static int share = -1;

	if (share < 0)
		share = getenv("DPOBJ_TEST_SHARE") != NULL ? atoi(getenv("DPOBJ_TEST_SHARE")) : 100;
	return share;
}

static inline int
check_repetitions(int all)
{
	int some = all / 100 * check_share() + all % 100 * check_share() / 100;

	return some > 0 ? some : 1;
}

/* A check that holds only if all cases have run. */
#define CHECK_WHOLE(condition)                                                                     \
	do                                                                                             \
	{                                                                                              \
		if (check_share() == 100)                                                                  \
			CHECK(condition);                                                                      \
	} while (0)

/* Tests what a format makes of a value, for tables of which only the digits are known. */
static inline bool
prints_in(const char *format, double value, const char *printed)
{
	char text[64];

	snprintf(text, sizeof(text), format, value);
	if (strcmp(text, printed) != 0)
		printf("%s instead of %s\n", text, printed);
	return strcmp(text, printed) == 0;
}

static inline bool
prints_as(double value, int places, const char *printed)
{
	char format[16];

	snprintf(format, sizeof(format), "%%.%df", places);
	return prints_in(format, value, printed);
}

static inline void
check_out_of_memory(void)
{
	printf("out of memory\n");
	exit(1);
}

#endif
