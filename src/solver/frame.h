/*
 * frame.h - the messages between the server and its solver process (rule H7).
 *
 * A frame is a header of 16 bytes and a payload.  The header, little-endian:
 * magic (4 bytes), version (2), type (2), length of the payload (8).
 *
 * The server first sends the problem.  Then the solver requests random bytes as often as it needs,
 * and sums over rows if they are elsewhere, reports its progress if the problem asks for that, and
 * ends with an answer.  It may report a failure at any moment.  Both sides check headers here, so
 * that no length is used before it is known to be within its type's bounds.
 */
#ifndef DPOBJ_SOLVER_FRAME_H
#define DPOBJ_SOLVER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAGIC UINT32_C(0x4A424F44) /* "DOBJ" */
#define FRAME_VERSION 5
#define FRAME_HEADER_SIZE 16

/* The file descriptor of spilled rows, which the server opens for the solver for reading. */
#define FRAME_ROWS_DESCRIPTOR 3

#define FRAME_PROBLEM_MAX (UINT64_C(1) << 36)
#define FRAME_RANDOM_MAX 65536
#define FRAME_ANSWER_MAX 131072
#define FRAME_COUNT_SIZE 4
#define FRAME_PASS_MAX 262144
#define FRAME_SUMS_MAX (UINT64_C(1) << 21)

/* The longest payload that the solver sends. */
#define FRAME_SENT_MAX FRAME_PASS_MAX

typedef enum FrameType
{
	FRAME_PROBLEM = 1,    /* server to solver: a problem (wire.h) */
	FRAME_RANDOM_REQUEST, /* solver to server: a count of bytes, 1 .. FRAME_RANDOM_MAX */
	FRAME_RANDOM,         /* server to solver: that many bytes */
	FRAME_ANSWER,         /* solver to server: an answer (wire.h) */
	FRAME_FAILURE,        /* solver to server: one byte, a FrameFailure */
	FRAME_PROGRESS,       /* solver to server: progress (wire.h) */
	FRAME_PASS,           /* solver to server: a pass over rows that are elsewhere (wire.h) */
	FRAME_SUMS            /* server to solver: the sums of that pass (wire.h) */
} FrameType;

typedef enum FrameFailure
{
	FRAME_OUT_OF_MEMORY = 1,
	FRAME_BAD_PROBLEM,
	FRAME_UNREADABLE /* the file of the rows cannot be read */
} FrameFailure;

typedef struct FrameHeader
{
	FrameType type;
	uint64_t length;
} FrameHeader;

static inline void
frame_put(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t) (value >> (8 * i));
}

static inline uint64_t
frame_get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t) at[i] << (8 * i);
	return value;
}

static inline bool
frame_length_fits(uint64_t type, uint64_t length)
{
	switch (type)
	{
		case FRAME_PROBLEM:
			return length >= 1 && length <= FRAME_PROBLEM_MAX;
		case FRAME_RANDOM_REQUEST:
			return length == FRAME_COUNT_SIZE;
		case FRAME_RANDOM:
			return length >= 1 && length <= FRAME_RANDOM_MAX;
		case FRAME_ANSWER:
		case FRAME_PROGRESS:
			return length >= 1 && length <= FRAME_ANSWER_MAX;
		case FRAME_PASS:
			return length >= 1 && length <= FRAME_PASS_MAX;
		case FRAME_SUMS:
			return length >= 1 && length <= FRAME_SUMS_MAX;
		case FRAME_FAILURE:
			return length == 1;
		default:
			return false;
	}
}

static inline void
frame_pack_header(uint8_t *bytes, FrameType type, uint64_t length)
{
	frame_put(bytes, FRAME_MAGIC, 4);
	frame_put(bytes + 4, FRAME_VERSION, 2);
	frame_put(bytes + 6, type, 2);
	frame_put(bytes + 8, length, 8);
}

/* False unless the bytes are the header of a known type with a length it may have. */
static inline bool
frame_unpack_header(const uint8_t *bytes, FrameHeader *header)
{
	uint64_t type = frame_get(bytes + 6, 2);
	uint64_t length = frame_get(bytes + 8, 8);

	if (frame_get(bytes, 4) != FRAME_MAGIC || frame_get(bytes + 4, 2) != FRAME_VERSION ||
		!frame_length_fits(type, length))
		return false;
	header->type = (FrameType) type;
	header->length = length;
	return true;
}

/*
 * The solver's end, on a blocking socket.  False if the socket is broken or the header is invalid;
 * then the solver must end.
 */
extern bool frame_send(int socket, FrameType type, const void *payload, size_t length);
extern bool frame_receive_header(int socket, FrameHeader *header);
extern bool frame_receive_payload(int socket, void *payload, size_t length);

#endif
