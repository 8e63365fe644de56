/*
 * clock.c - a clock that a test sets, preloaded into the test's server (DpobjClock.pm).
 *
 * time(), gettimeofday() and clock_gettime(CLOCK_REALTIME) answer the machine's time plus an
 * offset: a number of 8 bytes, in nanoseconds, in the file that DPOBJ_CLOCK names.  Every process
 * maps the file, so a new offset holds in all of them at once.
 *
 * CLOCK_MONOTONIC, by which PostgreSQL measures how long it waits, is the machine's: a sleep of a
 * second takes a second.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static const volatile int64_t *offset;

__attribute__((constructor)) static void
map_offset(void)
{
	const char *path = getenv("DPOBJ_CLOCK");
	int file = path == NULL ? -1 : open(path, O_RDONLY);
	void *map;

	if (file < 0)
		return;
	map = mmap(NULL, sizeof(*offset), PROT_READ, MAP_SHARED, file, 0);
	if (map != MAP_FAILED)
		offset = map;
	close(file);
}

/* The kernel is asked directly: the C library's functions are those of this file. */
int
clock_gettime(clockid_t clock, struct timespec *time)
{
	int result = (int) syscall(SYS_clock_gettime, clock, time);
	int64_t now;

	if (result != 0 || clock != CLOCK_REALTIME || offset == NULL)
		return result;
	now = time->tv_sec * SECOND + time->tv_nsec + *offset;
	time->tv_sec = now / SECOND;
	time->tv_nsec = now % SECOND;
	return 0;
}

int
gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;

	(void) zone;
	clock_gettime(CLOCK_REALTIME, &now);
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t
time(time_t *seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (seconds != NULL)
		*seconds = now.tv_sec;
	return now.tv_sec;
}
