/*
 * fuzz_frames.c - solver/frame.c and the progress of core/mechanisms/wire.c: frames of both
 * directions, one after the other.
 *
 * The bytes come through a socket, as they do in the solver process.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/mechanisms/wire.h"
#include "solver/frame.h"

#include "fuzz.h"

/* A socket takes so much at once, without anybody reading. */
#define CONVERSATION_MAX 100000

static void
try_progress(const uint8_t *payload, size_t length)
{
	uint8_t written[WIRE_PROGRESS_SIZE];
	MechanismProgress progress;

	if (!wire_decode_progress(payload, length, &progress))
		return;
	MUST(length == WIRE_PROGRESS_SIZE);
	wire_encode_progress(&progress, written);
	/* any number but 0 says that it samples */
	MUST(memcmp(written, payload, 2) == 0 && memcmp(written + 10, payload + 10, length - 10) == 0);
}

/* False when there is nothing more to read; at is where the frame stands in the bytes. */
static bool
try_frame(int socket, const uint8_t *at, size_t left, size_t *taken)
{
	uint8_t again[FRAME_HEADER_SIZE];
	uint8_t payload[FRAME_ANSWER_MAX];
	FrameHeader header;

	if (!frame_receive_header(socket, &header))
		return false;
	MUST(left >= FRAME_HEADER_SIZE);
	frame_pack_header(again, header.type, header.length);
	MUST(memcmp(again, at, FRAME_HEADER_SIZE) == 0);
	MUST(header.length >= 1 && header.length <= FRAME_PROBLEM_MAX);
	if (header.length > sizeof(payload))
		return false;
	if (!frame_receive_payload(socket, payload, header.length))
	{
		MUST(left - FRAME_HEADER_SIZE < header.length);
		return false;
	}
	MUST(memcmp(payload, at + FRAME_HEADER_SIZE, header.length) == 0);
	if (header.type == FRAME_PROGRESS)
		try_progress(payload, header.length);
	*taken = FRAME_HEADER_SIZE + header.length;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int sockets[2];
	size_t at = 0;
	size_t taken;

	if (length > CONVERSATION_MAX)
		return 0;
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	MUST(send(sockets[0], bytes, length, MSG_DONTWAIT) == (ssize_t) length || length == 0);
	close(sockets[0]);
	while (try_frame(sockets[1], bytes + at, length - at, &taken))
		at += taken;
	close(sockets[1]);
	return 0;
}
