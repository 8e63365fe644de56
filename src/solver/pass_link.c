/*
 * pass_link.c - a frame with a pass to the server, a frame with its sums back.
 */
#include "solver/pass_link.h"

#include <string.h>

#include "core/mechanisms/wire.h"
#include "solver/frame.h"

_Static_assert(WIRE_PASS_MAX <= FRAME_PASS_MAX, "a pass fits a frame");
_Static_assert(WIRE_SUMS_MAX <= FRAME_SUMS_MAX, "sums fit a frame");

static void
send_pass(const PassLink *link, const Pass *pass)
{
	size_t length;
	uint8_t *bytes = wire_encode_pass(pass, link->memory, &length);

	if (!frame_send(link->socket, FRAME_PASS, bytes, length))
		link->broken();
	memory_release(link->memory, bytes);
}

static void
receive_sums(const PassLink *link, const Pass *pass, Wide *sum)
{
	FrameHeader header = {0};
	PassSums sums;
	uint8_t *bytes;

	if (!frame_receive_header(link->socket, &header) || header.type != FRAME_SUMS)
		link->broken();
	bytes = memory_allocate(link->memory, header.length, 1);
	pass_sums_create(&sums, pass, 1, link->memory);
	if (!frame_receive_payload(link->socket, bytes, header.length) ||
		!wire_add_sums(bytes, header.length, 0, &sums))
		link->broken();
	memcpy(sum, sums.sum, (size_t) sums.count * sizeof(Wide));
	pass_sums_destroy(&sums, link->memory);
	memory_release(link->memory, bytes);
}

static void
sum_elsewhere(PassSource *self, const Pass *pass, Wide *sum)
{
	const PassLink *link = (const PassLink *) self;

	send_pass(link, pass);
	receive_sums(link, pass, sum);
}

void
pass_link_init(PassLink *link, int socket, Memory *memory, void (*broken)(void))
{
	*link = (PassLink){{.sum = sum_elsewhere}, socket, memory, broken};
}
