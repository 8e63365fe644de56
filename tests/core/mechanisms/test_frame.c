/*
 * test_frame.c - headers of frames and messages of progress, which the server reads while a solver
 * runs: what is sent comes back, and no other bytes are taken.
 */
#include <stdbool.h>
#include <stdint.h>

#include "core/mechanisms/wire.h"
#include "solver/frame.h"

#include "core/fixture.h"

/* ----- progress ----- */

static void
test_progress(void)
{
	MechanismProgress progress = {
		.sampling = below(2) == 1,
		.nodes = (int64_t) teststream_next(&stream),
		.attempts = (int64_t) teststream_next(&stream),
		.bound = (int64_t) teststream_next(&stream),
		.incumbent = (int64_t) teststream_next(&stream),
		.scale = teststream_next(&stream),
	};
	MechanismProgress back;
	uint8_t bytes[WIRE_PROGRESS_SIZE + 1] = {0};

	wire_encode_progress(&progress, bytes);
	CHECK(wire_decode_progress(bytes, WIRE_PROGRESS_SIZE, &back));
	CHECK(back.sampling == progress.sampling && back.nodes == progress.nodes &&
		  back.attempts == progress.attempts && back.bound == progress.bound &&
		  back.incumbent == progress.incumbent && back.scale == progress.scale);
	for (size_t length = 0; length <= sizeof(bytes); length++)
		CHECK(wire_decode_progress(bytes, length, &back) == (length == WIRE_PROGRESS_SIZE));
	bytes[0]++;
	CHECK(!wire_decode_progress(bytes, WIRE_PROGRESS_SIZE, &back));
}

/* ----- headers of frames ----- */

static void
test_frame_header(void)
{
	static const struct
	{
		FrameType type;
		uint64_t least;
		uint64_t most;
	} bound[] = {
		{FRAME_PROBLEM, 1, FRAME_PROBLEM_MAX},
		{FRAME_RANDOM_REQUEST, FRAME_COUNT_SIZE, FRAME_COUNT_SIZE},
		{FRAME_RANDOM, 1, FRAME_RANDOM_MAX},
		{FRAME_ANSWER, 1, FRAME_ANSWER_MAX},
		{FRAME_FAILURE, 1, 1},
		{FRAME_PROGRESS, 1, FRAME_ANSWER_MAX},
		{FRAME_PASS, 1, FRAME_PASS_MAX},
		{FRAME_SUMS, 1, FRAME_SUMS_MAX},
	};
	uint8_t bytes[FRAME_HEADER_SIZE];
	FrameHeader header;

	for (size_t i = 0; i < sizeof(bound) / sizeof(bound[0]); i++)
	{
		frame_pack_header(bytes, bound[i].type, bound[i].most);
		CHECK(frame_unpack_header(bytes, &header));
		CHECK(header.type == bound[i].type && header.length == bound[i].most);
		for (int at = 0; at < 6; at++) /* magic and version */
		{
			bytes[at] ^= 1;
			CHECK(!frame_unpack_header(bytes, &header));
			bytes[at] ^= 1;
		}
		frame_pack_header(bytes, bound[i].type, bound[i].least);
		CHECK(frame_unpack_header(bytes, &header));
		frame_pack_header(bytes, bound[i].type, bound[i].least - 1);
		CHECK(!frame_unpack_header(bytes, &header));
		frame_pack_header(bytes, bound[i].type, bound[i].most + 1);
		CHECK(!frame_unpack_header(bytes, &header));
		frame_pack_header(bytes, bound[i].type, UINT64_MAX);
		CHECK(!frame_unpack_header(bytes, &header));
	}
	frame_pack_header(bytes, (FrameType) 0, 1);
	CHECK(!frame_unpack_header(bytes, &header));
	frame_pack_header(bytes, (FrameType) (FRAME_SUMS + 1), 1);
	CHECK(!frame_unpack_header(bytes, &header));
	frame_pack_header(bytes, (FrameType) (FRAME_SUMS + 256), 1);
	CHECK(!frame_unpack_header(bytes, &header));
}

int
main(void)
{
	test_begin(7);
	for (int i = 0; i < check_repetitions(60); i++)
		test_progress();
	test_frame_header();
	return test_end("frame");
}
