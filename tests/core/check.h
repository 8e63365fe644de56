/*
 * check.h - the smallest test frame that counts: CHECK(), and a closing line.
 */
#ifndef DPOBJ_TESTS_CHECK_H
#define DPOBJ_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

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
		}                                                                                          \
	} while (0)

/* The last line of main(): print the counts, fail if a check failed or none ran. */
static inline int
check_report(const char *name)
{
	printf("%s: %d passed, %d failed\n", name, check_passed, check_failed);
	return check_failed == 0 && check_passed > 0 ? 0 : 1;
}

/*
 * How often to repeat a random case: all of it, or the share of it (in percent)
 * that DPOBJ_TEST_SHARE asks for, because valgrind is slow.
 */
static inline int
check_repetitions(int all)
{
	const char *share = getenv("DPOBJ_TEST_SHARE");
	int some = share != NULL ? all * atoi(share) / 100 : all;

	return some > 0 ? some : 1;
}

static inline void
check_out_of_memory(void)
{
	printf("out of memory\n");
	exit(1);
}

#endif
