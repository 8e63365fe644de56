/*
 * witness.c - who the server acts as while it reads a page, preloaded into the test's server.
 *
 * Each read of a page of a data file writes a line to the file that WITNESS names: the file, the
 * current user, whether the operation is security-restricted, and the authenticated user.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define PAGE 8192

/* PostgreSQL's; other programs, which are preloaded too, do not have them. */
extern void GetUserIdAndSecContext(unsigned *user, int *security) __attribute__((weak));
extern unsigned GetAuthenticatedUserId(void) __attribute__((weak));

#define RESTRICTED 2

static void
note(int file)
{
	char link[64];
	char path[4096];
	char line[4224];
	const char *name = getenv("WITNESS");
	unsigned user;
	int security;
	ssize_t length;
	int out;

	if (name == NULL || GetUserIdAndSecContext == NULL || GetAuthenticatedUserId == NULL)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return;
	path[length] = '\0';
	if (strstr(path, "/base/") == NULL)
		return;
	GetUserIdAndSecContext(&user, &security);
	length = snprintf(line, sizeof(line), "%s %u %d %u\n", strrchr(path, '/') + 1, user,
					  (security & RESTRICTED) != 0, GetAuthenticatedUserId());
	out = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (out >= 0 && write(out, line, (size_t) length) != length)
		abort();
	if (out >= 0)
		close(out);
}

ssize_t
pread64(int file, void *buffer, size_t size, off64_t offset)
{
	static ssize_t (*read_file)(int, void *, size_t, off64_t);

	if (read_file == NULL)
		read_file = (ssize_t(*)(int, void *, size_t, off64_t)) dlsym(RTLD_NEXT, "pread64");
	if (size == PAGE)
		note(file);
	return read_file(file, buffer, size, offset);
}

ssize_t
pread(int file, void *buffer, size_t size, off_t offset)
{
	return pread64(file, buffer, size, offset);
}
