/*
 * frames.c - reads the header of a frame from any bytes.
 */
#include "solver/frame.h"

int
main(void)
{
	uint8_t bytes[FRAME_HEADER_SIZE];
	uint8_t again[FRAME_HEADER_SIZE];
	FrameHeader header;

	Frama_C_make_unknown((char *) bytes, sizeof(bytes));
	if (!frame_unpack_header(bytes, &header))
		return 0;
	/*@ assert bounded: 1 <= header.length <= FRAME_PROBLEM_MAX; */
	frame_pack_header(again, header.type, header.length);
	return 0;
}
