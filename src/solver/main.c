/*
 * main.c - the solver process: reads one problem, releases one answer, ends.
 *
 *   dpobj-solver-VERSION PROTOCOL MEGABYTES
 *
 * The server starts it with one end of a socket pair as its standard input
 * (server/release/solver_process.c).  It has no other source of data or randomness but the open
 * file of the rows, if the problem's were spilled: no environment, no locale, no connection.  If it
 * crashes, runs out of memory or is killed, the server, which holds the other end, is not harmed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <gmp.h>

#include "core/random/bits.h"
#include "core/mechanisms/mechanism.h"
#include "core/base/memory.h"
#include "core/rows/rows.h"
#include "core/mechanisms/wire.h"
#include "solver/frame.h"
#include "solver/oracle_choice.h"
#include "solver/pass_link.h"

#ifdef DPOBJ_MUTANTS
#error "deliberate faults are for tests/core/Makefile only"
#endif

#define SERVER STDIN_FILENO

/* Bytes asked for at a time: a round trip costs some ten microseconds. */
#define RANDOM_BATCH 4096

_Static_assert(RANDOM_BATCH <= FRAME_RANDOM_MAX, "the server must grant a batch");

/* Ends without a message, because the server is gone. */
static _Noreturn void
server_is_gone(void)
{
	_exit(EXIT_FAILURE);
}

/*
 * Uses no memory but the stack, because it reports that memory has run out; any thread may call it.
 */
static _Noreturn void
fail(FrameFailure reason)
{
	uint8_t payload = (uint8_t) reason;

	(void) frame_send(SERVER, FRAME_FAILURE, &payload, 1);
	_exit(EXIT_FAILURE);
}

static void
out_of_memory(void)
{
	fail(FRAME_OUT_OF_MEMORY);
}

/* GMP, and MPFR through it, abort by default when malloc fails. */
static void *
gmp_allocate(size_t bytes)
{
	void *block = malloc(bytes);

	if (block == NULL)
		out_of_memory();
	return block;
}

static void *
gmp_reallocate(void *block, size_t old_bytes, size_t bytes)
{
	(void) old_bytes;
	block = realloc(block, bytes);
	if (block == NULL)
		out_of_memory();
	return block;
}

static void
gmp_release(void *block, size_t bytes)
{
	(void) bytes;
	free(block);
}

/* Random bytes from the server that have not been used yet: the last `left` of the batch. */
typedef struct RandomSupply
{
	size_t left;
	uint8_t batch[RANDOM_BATCH];
} RandomSupply;

static void
supply_refill(RandomSupply *supply)
{
	uint8_t count[FRAME_COUNT_SIZE];
	FrameHeader header;

	frame_put(count, RANDOM_BATCH, FRAME_COUNT_SIZE);
	if (!frame_send(SERVER, FRAME_RANDOM_REQUEST, count, sizeof(count)) ||
		!frame_receive_header(SERVER, &header) || header.type != FRAME_RANDOM ||
		header.length != RANDOM_BATCH ||
		!frame_receive_payload(SERVER, supply->batch, RANDOM_BATCH))
		server_is_gone();
	supply->left = RANDOM_BATCH;
}

/* Bits.fill: no byte is handed out twice, and none stays behind. */
static void
supply_fill(void *context, uint8_t *bytes, size_t count)
{
	RandomSupply *supply = context;

	while (count > 0)
	{
		uint8_t *next;
		size_t take;

		if (supply->left == 0)
			supply_refill(supply);
		take = count < supply->left ? count : supply->left;
		next = supply->batch + RANDOM_BATCH - supply->left;
		memcpy(bytes, next, take);
		explicit_bzero(next, take);
		supply->left -= take;
		bytes += take;
		count -= take;
	}
}

static void
receive_problem(Memory *memory, MechanismRequest *request, Instance *instance)
{
	FrameHeader header;
	uint8_t *bytes;

	if (!frame_receive_header(SERVER, &header) || header.type != FRAME_PROBLEM)
		server_is_gone();
	bytes = memory_allocate(memory, header.length, 1);
	if (!frame_receive_payload(SERVER, bytes, header.length))
		server_is_gone();
	if (!wire_decode_problem(bytes, header.length, memory, request, instance))
		fail(FRAME_BAD_PROBLEM);
	memory_release(memory, bytes);
}

/* ---- spilled rows ---- */

static void
read_rows(SpillSource *self, uint64_t offset, size_t bytes, void *records)
{
	uint8_t *at = records;

	(void) self;
	while (bytes > 0)
	{
		ssize_t got = pread(FRAME_ROWS_DESCRIPTOR, at, bytes, (off_t) offset);

		if (got == 0 || (got < 0 && errno != EINTR))
			fail(FRAME_UNREADABLE);
		if (got > 0)
		{
			at += got;
			offset += (uint64_t) got;
			bytes -= (size_t) got;
		}
	}
}

/* The owner of the table reads progress messages, so one a second is enough. */
#define PROGRESS_INTERVAL INT64_C(1000000000) /* nanoseconds */

static int64_t
now(void)
{
	struct timespec time;

	(void) clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* MechanismTools.progress; the context is the moment of the last message. */
static void
send_progress(void *context, const MechanismProgress *progress)
{
	int64_t *last = context;
	uint8_t bytes[WIRE_PROGRESS_SIZE];

	if (now() - *last < PROGRESS_INTERVAL)
		return;
	wire_encode_progress(progress, bytes);
	if (!frame_send(SERVER, FRAME_PROGRESS, bytes, sizeof(bytes)))
		server_is_gone();
	*last = now();
}

static void
send_answer(const MechanismRequest *request, const MechanismAnswer *answer)
{
	static uint8_t bytes[WIRE_ANSWER_MAX];
	size_t length = wire_encode_answer(request, answer, bytes);

	_Static_assert(WIRE_ANSWER_MAX <= FRAME_ANSWER_MAX, "an answer fits a frame");
	if (!frame_send(SERVER, FRAME_ANSWER, bytes, length))
		server_is_gone();
}

static void
release_once(Memory *memory)
{
	MechanismRequest request;
	MechanismAnswer answer = {0};
	Instance instance;
	SpillSource rows = {read_rows};
	PassLink parts;
	RandomSupply supply = {0};
	int64_t last_progress = now();
	Bits bits;
	MechanismTools tools = {.bits = &bits, .memory = memory, .progress_context = &last_progress};

	const Mechanism *mechanism;

	receive_problem(memory, &request, &instance);
	mechanism = mechanism_get(request.kind);
	instance.source = &rows;
	pass_link_init(&parts, SERVER, memory, server_is_gone);
	instance.parts = &parts.source;
	bits_init(&bits, supply_fill, &supply);
	tools.oracle = oracle_choose(request.solver, &request.grid);
	if (request.progress)
		tools.progress = send_progress;
	if (instance.spilled && !mechanism->streams)
	{
		Instance spilled = instance;

		rows_gather(&spilled, mechanism->every_row, memory, &instance);
	}
	mechanism_release(&request, &instance, &tools, &answer);
	explicit_bzero(&supply, sizeof(supply));
	explicit_bzero(&bits, sizeof(bits));
	send_answer(&request, &answer);
}

/* A number of the command line; false unless it consists of digits and is in range. */
static bool
read_number(const char *text, unsigned long max, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *number <= max;
}

/*
 * Makes the kernel end this process first when it runs out of memory, because the end of a server
 * process restarts the server.  Every process may raise its own value; without such a file nothing
 * is lost.  To be called before the process becomes not dumpable and loses its files in /proc.
 */
static void
offer_to_kernel(void)
{
	static const char most[] = "1000";
	int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (file < 0)
		return;
	(void) !write(file, most, sizeof(most) - 1);
	(void) close(file);
}

/*
 * exec resets "dumpable".  Only root may look into a process that knows the rows and the noise, by
 * ptrace, by /proc or by a core file.  The server has asked for SIGKILL when it dies; asking again
 * costs nothing, and if it died before, the socket's end shows it.
 *
 * The memory limit is set here and not before exec, because exec cannot report that the limit is
 * too small to load the program.
 */
static bool
confine(unsigned long megabytes)
{
	rlim_t wanted = (rlim_t) megabytes << 20;
	struct rlimit limit;

	if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
		getrlimit(RLIMIT_AS, &limit) != 0)
		return false;
	if (megabytes == 0 || limit.rlim_cur <= wanted)
		return true;
	limit.rlim_cur = limit.rlim_max = wanted;
	return setrlimit(RLIMIT_AS, &limit) == 0;
}

int
main(int argc, char **argv)
{
	unsigned long protocol;
	unsigned long megabytes;
	Arena *arena;

	if (argc != 3 || !read_number(argv[1], INT32_MAX, &protocol) || protocol != FRAME_VERSION ||
		!read_number(argv[2], INT32_MAX, &megabytes))
	{
		fputs("dpobj-solver is started by the dpobj extension of PostgreSQL\n", stderr);
		return EXIT_FAILURE;
	}
	offer_to_kernel();
	if (!confine(megabytes))
		return EXIT_FAILURE;
	mp_set_memory_functions(gmp_allocate, gmp_reallocate, gmp_release);
	arena = arena_create(out_of_memory);
	release_once(arena_memory(arena));
	arena_destroy(arena);
	return EXIT_SUCCESS;
}
