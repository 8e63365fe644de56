/*
 * frame.c - the solver's end of the socket: blocking reads and writes.
 *
 * The server's end must react to cancel requests, so the server has its own non-blocking code
 * (server/release/solver_process.c).
 */
#include "solver/frame.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Moves the vector past the bytes written. */
static void
advance(struct iovec *piece, int pieces, size_t written)
{
	for (int i = 0; i < pieces; i++)
	{
		size_t part = written < piece[i].iov_len ? written : piece[i].iov_len;

		piece[i].iov_base = (uint8_t *) piece[i].iov_base + part;
		piece[i].iov_len -= part;
		written -= part;
	}
}

/*
 * One call writes header and payload, so that a small frame is never mixed with that of another
 * thread, which may report at any moment that memory has run out.
 */
bool
frame_send(int socket, FrameType type, const void *payload, size_t length)
{
	uint8_t header[FRAME_HEADER_SIZE];
	struct iovec piece[2] = {{header, sizeof(header)}, {(void *) payload, length}};

	frame_pack_header(header, type, length);
	while (piece[0].iov_len + piece[1].iov_len > 0)
	{
		ssize_t written = writev(socket, piece, 2);

		if (written < 0 && errno != EINTR)
			return false;
		if (written > 0)
			advance(piece, 2, (size_t) written);
	}
	return true;
}

bool
frame_receive_payload(int socket, void *payload, size_t length)
{
	uint8_t *at = payload;

	while (length > 0)
	{
		ssize_t got = recv(socket, at, length, 0);

		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		if (got > 0)
		{
			at += got;
			length -= (size_t) got;
		}
	}
	return true;
}

bool
frame_receive_header(int socket, FrameHeader *header)
{
	uint8_t bytes[FRAME_HEADER_SIZE];

	return frame_receive_payload(socket, bytes, sizeof(bytes)) &&
		   frame_unpack_header(bytes, header);
}
