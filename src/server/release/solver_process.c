/*
 * solver_process.c - the server's end of a solve: starts the solver, serves it, waits, cleans up.
 *
 * The solver is a program of its own because a search cannot be interrupted from inside, and
 * because a crash, an abort() of a library or too much memory must not end the server (rule H7).
 *
 * One solve is one child and one socket.  The socket is non-blocking at this end: the backend waits
 * for it and for its latch together, and sends in short pieces, so it notices a cancel at once.
 * child_cleanup() runs however solver_run() ends: on an error through PG_TRY, at the end of the
 * process through before_shmem_exit.  If the backend cannot run anything, the kernel kills the
 * child (PR_SET_PDEATHSIG).
 */
#include "server/release/solver_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"

#include "core/mechanisms/wire.h"
#include "solver/frame.h"

#include "server/base/gate.h"
#include "server/base/random_bits.h"

/* Bytes of a problem that are sent between two checks of the latch. */
#define PIECE_SIZE 262144

/* Exit codes, as in a shell, of a child that cannot execute the solver. */
#define EXIT_CANNOT_EXECUTE 126
#define EXIT_NOT_FOUND 127

typedef struct SolverChild
{
	pid_t pid;  /* 0: none, or reaped */
	int socket; /* the backend's end; -1: none */
	instr_time start;

	/* the frame that is being sent; out_left counts its header too */
	uint8 out_header[FRAME_HEADER_SIZE];
	const uint8 *out_payload;
	Size out_length;
	Size out_left;

	/* the frame that is being received */
	uint8 in[FRAME_HEADER_SIZE + FRAME_SENT_MAX];
	Size in_have;

	uint8 random[FRAME_RANDOM_MAX];

	const SolverLimits *limits;
	SolverWatch watch;
	const SolverParts *parts;
	uint8 *sums; /* of the last pass; NULL before the first */
	bool concluded;
	SolverOutcome outcome; /* once concluded */
	uint8 *answer;
	Size answer_length;
} SolverChild;

/* What the child needs between vfork and exec, where it may not allocate. */
typedef struct Launch
{
	char program[MAXPGPATH];
	char protocol[12];
	char megabytes[12];
	char *arguments[4];
	char rows_path[MAXPGPATH]; /* "": no rows were spilled */
	pid_t server;
	int socket;
	int descriptors; /* upper bound of open ones, for systems without close_range */
} Launch;

/* ----- start ----- */

/* Finds the solver, which is installed beside this module. */
static void
find_program(char *program)
{
	Dl_info module;

	if (dladdr((void *) solver_run, &module) == 0 || module.dli_fname == NULL)
		elog(ERROR, "could not find the folder of the dpobj module");
	strlcpy(program, module.dli_fname, MAXPGPATH);
	get_parent_directory(program);
	join_path_components(program, program, "dpobj-solver-" DPOBJ_VERSION);
}

static void
prepare_launch(Launch *launch, const char *rows_path, const SolverLimits *limits)
{
	long descriptors = sysconf(_SC_OPEN_MAX);

	find_program(launch->program);
	snprintf(launch->protocol, sizeof(launch->protocol), "%d", FRAME_VERSION);
	snprintf(launch->megabytes, sizeof(launch->megabytes), "%d", limits->megabytes);
	launch->arguments[0] = launch->program;
	launch->arguments[1] = launch->protocol;
	launch->arguments[2] = launch->megabytes;
	launch->arguments[3] = NULL;
	if (rows_path != NULL)
		join_path_components(launch->rows_path, DataDir, rows_path);
	else
		launch->rows_path[0] = '\0';
	launch->server = getpid();
	launch->descriptors = descriptors > 0 && descriptors < INT_MAX ? (int) descriptors : 65536;
}

/* Closes the backend's files, sockets and pipes. */
static void
close_all_from(int first, int end)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
#endif
	for (int descriptor = first; descriptor < end; descriptor++)
		(void) close(descriptor);
}

/* Sets all signals to their default, so that no handler of the server runs in the child. */
static void
reset_signals(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigemptyset(&action.sa_mask);
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		(void) sigaction(signal_number, &action, NULL);
	(void) sigprocmask(SIG_SETMASK, &action.sa_mask, NULL);
}

/* Opens the spilled rows for reading only; true also if there are none. */
static bool
open_rows(const char *path)
{
	int descriptor;

	if (path[0] == '\0')
		return true;
	descriptor = open(path, O_RDONLY);
	return descriptor == FRAME_ROWS_DESCRIPTOR ||
		   (descriptor >= 0 && dup2(descriptor, FRAME_ROWS_DESCRIPTOR) >= 0);
}

/*
 * Runs in the child, from vfork to exec, in the memory of the backend, which waits: so it makes
 * async-signal-safe calls only and changes nothing but its own stack and errno.  Handlers, mask,
 * limits, descriptors and folder are the child's own.
 *
 * The child leaves the backend's process group, which gets every signal for the backend, so that
 * only the backend decides whether a cancel ends the solve.
 */
static _Noreturn void
become_solver(const Launch *launch)
{
	static char *const environment[] = {NULL};
	const struct rlimit no_core = {0, 0};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != launch->server)
		_exit(EXIT_CANNOT_EXECUTE);
	reset_signals();
	if (setpgid(0, 0) != 0 || dup2(launch->socket, STDIN_FILENO) < 0 ||
		fcntl(STDIN_FILENO, F_SETFD, 0) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
		!open_rows(launch->rows_path) || chdir("/") != 0 || setrlimit(RLIMIT_CORE, &no_core) != 0)
		_exit(EXIT_CANNOT_EXECUTE);
	close_all_from((launch->rows_path[0] == '\0' ? STDERR_FILENO : FRAME_ROWS_DESCRIPTOR) + 1,
				   launch->descriptors);
	(void) execve(launch->program, launch->arguments, environment);
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE);
}

/*
 * vfork() with all signals blocked, so that none is handled in a half-made child.  fork() would copy
 * the page tables of the backend, shared memory included, and have both fault on every page that
 * they write to until exec.
 */
static pid_t
start_solver(const Launch *launch)
{
	sigset_t all;
	sigset_t before;
	pid_t pid;
	int start_errno;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = vfork();
	if (pid == 0)
		become_solver(launch);
	start_errno = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = start_errno;
	return pid;
}

static void
child_start(SolverChild *child, const char *rows_path, const SolverLimits *limits)
{
	int sockets[2];
	bool reserved;
	Launch launch;

	INSTR_TIME_SET_CURRENT(child->start);
	prepare_launch(&launch, rows_path, limits);
	reserved = AcquireExternalFD();
	if (!reserved || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
	{
		if (reserved)
			ReleaseExternalFD();
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
						errmsg("could not open a socket for the solver process: %m")));
	}
	child->socket = sockets[0];
	launch.socket = sockets[1];
	child->pid = start_solver(&launch);
	close(sockets[1]);
	if (child->pid < 0)
	{
		child->pid = 0;
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
						errmsg("could not start the solver process: %m")));
	}
	if (!pg_set_noblock(child->socket))
		elog(ERROR, "could not set the socket of the solver process to non-blocking mode: %m");
}

/* ----- end ----- */

/*
 * Kills and reaps the child, and closes the socket; a second call does nothing.  Returns the
 * child's exit status, its own if it was ending already.
 */
static int
child_end(SolverChild *child)
{
	int status = 0;

	if (child->pid > 0)
	{
		(void) kill(child->pid, SIGKILL);
		while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
			;
		child->pid = 0;
	}
	if (child->socket >= 0)
	{
		close(child->socket);
		ReleaseExternalFD();
		child->socket = -1;
	}
	explicit_bzero(child->random, sizeof(child->random));
	return status;
}

static void
child_cleanup(int code, Datum argument)
{
	(void) child_end((SolverChild *) DatumGetPointer(argument));
}

static void
conclude(SolverChild *child, SolverOutcome outcome)
{
	child->concluded = true;
	child->outcome = outcome;
}

/* Logs the reason for the administrator only: when and how a solver dies can depend on the rows. */
static void
conclude_died(SolverChild *child, const char *reason)
{
	ereport(LOG_SERVER_ONLY, (errmsg("solver process (PID %d) %s", (int) child->pid, reason)));
	conclude(child, SOLVER_DIED);
}

static void
conclude_closed(SolverChild *child)
{
	int pid = (int) child->pid;
	int status = child_end(child);

	ereport(LOG_SERVER_ONLY, (errmsg("solver process (PID %d) ended without an answer: %s", pid,
									 wait_result_to_str(status))));
	conclude(child, SOLVER_DIED);
}

/* ----- frames ----- */

static void
queue_frame(SolverChild *child, FrameType type, const uint8 *payload, Size length)
{
	frame_pack_header(child->out_header, type, length);
	child->out_payload = payload;
	child->out_length = length;
	child->out_left = FRAME_HEADER_SIZE + length;
}

static void
finish_sending(SolverChild *child)
{
	child->out_left = 0;
	if (child->out_payload == child->random)
		explicit_bzero(child->random, child->out_length);
}

/* Sets the unsent part of the header and a piece of the payload; returns the number of vectors. */
static int
next_piece(SolverChild *child, struct iovec *piece)
{
	int pieces = 0;
	Size payload_left = Min(child->out_left, child->out_length);
	Size header_left = child->out_left - payload_left;

	if (header_left > 0)
	{
		piece[pieces].iov_base = child->out_header + FRAME_HEADER_SIZE - header_left;
		piece[pieces].iov_len = header_left;
		pieces++;
	}
	piece[pieces].iov_base = (uint8 *) child->out_payload + child->out_length - payload_left;
	piece[pieces].iov_len = Min(payload_left, PIECE_SIZE);
	return pieces + 1;
}

/*
 * Sends what the socket takes now; true if it takes anything.  If the child has ended, sending
 * stops, but the child may have sent a reason, so receiving goes on.
 */
static bool
send_piece(SolverChild *child)
{
	struct iovec piece[2];
	struct msghdr message = {0};
	ssize_t sent;

	if (child->out_left == 0)
		return false;
	message.msg_iov = piece;
	message.msg_iovlen = next_piece(child, piece);
	sent = sendmsg(child->socket, &message, MSG_NOSIGNAL);
	if (sent < 0)
	{
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
			finish_sending(child);
		return errno == EINTR;
	}
	child->out_left -= sent;
	if (child->out_left == 0)
		finish_sending(child);
	return sent > 0;
}

/* The child may send a request only when it has received all that it requested before. */
static void
serve_random(SolverChild *child, const uint8 *payload)
{
	uint64 count = frame_get(payload, FRAME_COUNT_SIZE);

	if (child->out_left > 0 || count < 1 || count > FRAME_RANDOM_MAX)
	{
		conclude_died(child, "sent a request for random bytes that is not valid");
		return;
	}
	random_bytes(child->random, count);
	queue_frame(child, FRAME_RANDOM, child->random, count);
}

/* Returns the milliseconds until the time limit, rounded up; -1 if there is none. */
static long
time_left(const SolverChild *child)
{
	instr_time elapsed;
	double left;

	if (child->limits->seconds == 0)
		return -1;
	INSTR_TIME_SET_CURRENT(elapsed);
	INSTR_TIME_SUBTRACT(elapsed, child->start);
	left = child->limits->seconds * 1000.0 - INSTR_TIME_GET_MILLISEC(elapsed);
	return left <= 0 ? 0 : (long) left + 1;
}

/* The child waits for the sums of a pass before it goes on. */
static void
serve_pass(SolverChild *child, const uint8 *payload, Size length)
{
	Size sums_length;

	if (child->out_left > 0 || child->parts == NULL)
	{
		conclude_died(child, "sent a pass that nobody expected");
		return;
	}
	if (child->sums != NULL)
		pfree(child->sums);
	child->sums =
		child->parts->sums(child->parts->context, payload, length, time_left(child), &sums_length);
	if (child->sums == NULL)
		conclude(child, SOLVER_TIME_LIMIT);
	else
		queue_frame(child, FRAME_SUMS, child->sums, sums_length);
}

static void
accept_answer(SolverChild *child, const uint8 *payload, Size length)
{
	child->answer = palloc(length);
	memcpy(child->answer, payload, length);
	child->answer_length = length;
	conclude(child, SOLVER_ANSWERED);
}

static void
accept_failure(SolverChild *child, uint8 reason)
{
	if (reason == FRAME_OUT_OF_MEMORY)
		conclude(child, SOLVER_MEMORY_LIMIT);
	else if (reason == FRAME_UNREADABLE)
		conclude_died(child, "could not read the rows from the temporary file");
	else
		conclude_died(child, "did not understand the problem");
}

static void
accept_progress(SolverChild *child, const uint8 *payload, Size length)
{
	MechanismProgress progress;

	if (child->watch == NULL || !wire_decode_progress(payload, length, &progress))
		conclude_died(child, "reported a progress that nobody asked for, or none");
	else
		child->watch(&progress);
}

static void
handle_frame(SolverChild *child, const FrameHeader *header)
{
	const uint8 *payload = child->in + FRAME_HEADER_SIZE;

	switch (header->type)
	{
		case FRAME_RANDOM_REQUEST:
			serve_random(child, payload);
			break;
		case FRAME_ANSWER:
			accept_answer(child, payload, header->length);
			break;
		case FRAME_FAILURE:
			accept_failure(child, payload[0]);
			break;
		case FRAME_PROGRESS:
			accept_progress(child, payload, header->length);
			break;
		case FRAME_PASS:
			serve_pass(child, payload, header->length);
			break;
		case FRAME_PROBLEM:
		case FRAME_RANDOM:
		case FRAME_SUMS:
			conclude_died(child, "sent a frame that only the server may send");
			break;
	}
}

/* All frames of the child are short: a header that announces a long one is not valid. */
static bool
unpack_header(SolverChild *child, FrameHeader *header)
{
	return frame_unpack_header(child->in, header) && header->length <= FRAME_SENT_MAX;
}

/* Handles the frame that is being received if it is complete. */
static void
examine_input(SolverChild *child)
{
	FrameHeader header;

	if (child->in_have < FRAME_HEADER_SIZE)
		return;
	if (!unpack_header(child, &header))
		conclude_died(child, "sent a frame that is not valid");
	else if (child->in_have == FRAME_HEADER_SIZE + header.length)
	{
		child->in_have = 0;
		handle_frame(child, &header);
	}
}

/* Returns the bytes to the end of the header or, if that is complete, of the frame. */
static Size
input_wanted(SolverChild *child)
{
	FrameHeader header;

	if (child->in_have < FRAME_HEADER_SIZE || !unpack_header(child, &header))
		return FRAME_HEADER_SIZE - child->in_have;
	return FRAME_HEADER_SIZE + header.length - child->in_have;
}

/* Receives what the socket holds now; true if it holds anything. */
static bool
receive_piece(SolverChild *child)
{
	ssize_t got = recv(child->socket, child->in + child->in_have, input_wanted(child), 0);

	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return false;
	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0)
	{
		conclude_closed(child);
		return true;
	}
	child->in_have += got;
	examine_input(child);
	return true;
}

/* ----- the conversation ----- */

static void
wait_for_event(SolverChild *child, long milliseconds)
{
	int events = WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH;
	int happened;

	if (child->out_left > 0)
		events |= WL_SOCKET_WRITEABLE;
	if (milliseconds >= 0)
		events |= WL_TIMEOUT;
	happened = WaitLatchOrSocket(MyLatch, events, child->socket, milliseconds, PG_WAIT_EXTENSION);
	if (happened & WL_LATCH_SET)
		ResetLatch(MyLatch);
}

static void
converse(SolverChild *child)
{
	while (!child->concluded)
	{
		long left = time_left(child);
		bool sent;
		bool received;

		GATE_CHECK_FOR_INTERRUPTS();
		if (left == 0)
		{
			conclude(child, SOLVER_TIME_LIMIT);
			break;
		}
		sent = send_piece(child);
		received = receive_piece(child);
		if (!sent && !received)
			wait_for_event(child, left);
	}
}

SolverOutcome
solver_run(const uint8 *problem, Size length, const char *rows_path, const SolverLimits *limits,
		   SolverWatch watch, const SolverParts *parts, uint8 **answer, Size *answer_length)
{
	SolverChild *child;
	SolverOutcome outcome;

	if (length < 1 || length > FRAME_PROBLEM_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("problem of %zu bytes is too large for a solver", length)));
	child = palloc0(sizeof(SolverChild));
	child->socket = -1;
	child->limits = limits;
	child->watch = watch;
	child->parts = parts;
	PG_ENSURE_ERROR_CLEANUP(child_cleanup, PointerGetDatum(child));
	{
		child_start(child, rows_path, limits);
		queue_frame(child, FRAME_PROBLEM, problem, length);
		converse(child);
	}
	PG_END_ENSURE_ERROR_CLEANUP(child_cleanup, PointerGetDatum(child));
	(void) child_end(child);
	outcome = child->outcome;
	*answer = child->answer;
	*answer_length = child->answer_length;
	pfree(child);
	return outcome;
}
