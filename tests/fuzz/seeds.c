/*
 * seeds.c - writes the seeds of the core's fuzzers: valid inputs of each kind, small ones.
 *
 *   seeds FOLDER    makes FOLDER/problem, answer, passes, rows and frames
 *
 * The encoders make them on each run, because kept files of an old version would be refused at
 * their first field. tests/fuzz/found keeps inputs that revealed a fault.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "core/convex/convex_pass.h"
#include "core/rows/rows.h"
#include "core/mechanisms/wire.h"
#include "solver/frame.h"

#include "fuzz.h"

static const char *folder;

static void
save(const char *fuzzer, int number, const uint8_t *bytes, size_t length)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, fuzzer);
	(void) mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/seed%d", folder, fuzzer, number);
	file = fopen(path, "wb");
	MUST(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

/* ---- problems and answers ---- */

static const int32_t cell[8] = {65536, -65536, 0, 12345, -1, 1, 32768, -32768};
static const int64_t weight[2] = {3, -2};
static const int64_t label[2] = {2, 1};

/* A request of each kind that its own checks pass, without regard to whether it is a wise one. */
static MechanismRequest
request_of(MechanismKind kind)
{
	MechanismRequest request = {
		.kind = kind, .epsilon = EPSILON_ONE, .solver = SOLVER_AUTO, .threads = 1};
	const Mechanism *mechanism = mechanism_get(kind);

	request.grid.dimension = 2;
	grid_set_range(&request.grid, 0, 1);
	grid_set_range(&request.grid, 1, 1);
	if (kind == MECHANISM_SAMPLE_AGGREGATE)
	{
		request.parts = 3;
		request.part_nodes = 100;
	}
	if (mechanism->convex || mechanism->targets)
		grid_set_plain(&request.grid, 2);
	if (mechanism->convex)
		request.convex = (ConvexTerms){.loss = mechanism->targets ? LOSS_SQUARES : LOSS_HUBER,
									   .radius = 1.0,
									   .lambda = LAMBDA_ONE};
	if (kind == MECHANISM_OBJECTIVE || kind == MECHANISM_POOL)
	{
		request.convex.noise = CONVEX_KNORM;
		request.convex.columns =
			(ConvexColumns){.group = {1, 1}, .bound = {FIXED_POINT_ONE, FIXED_POINT_ONE}};
	}
	if (kind == MECHANISM_POOL)
		request.pool = (PoolTerms){.epsilon = EPSILON_ONE / 2, .rows = 100, .rounds = 3};
	if (kind == MECHANISM_SGD)
	{
		request.convex.noise = CONVEX_GAUSSIAN;
		request.convex.delta = DELTA_ONE / 1000;
		request.descent = (DescentTerms){.sampling = DESCENT_FIXED,
										 .iterations = 10,
										 .batch = 2,
										 .rows = 4,
										 .step = 1,
										 .norm = 8};
	}
	if (kind == MECHANISM_DESCENT)
	{
		request.convex.loss = LOSS_LOGISTIC;
		request.convex.noise = CONVEX_GAUSSIAN;
		request.convex.delta = DELTA_ONE / 1000;
		request.convex.columns =
			(ConvexColumns){.group = {1, 1}, .bound = {FIXED_POINT_ONE, FIXED_POINT_ONE}};
	}
	if (kind == MECHANISM_CONVEX_EXPONENTIAL || kind == MECHANISM_LOCALIZED)
	{
		request.convex.norm = INT64_C(1) << CONVEX_OUTPUT_BITS;
		request.convex.steps = 8;
	}
	if (kind == MECHANISM_SIMPLEX)
		request.simplex = (SimplexTerms){.lambda = 1.0,
										 .rows = 3,
										 .low = -65536,
										 .high = 65536,
										 .target_low = -65536,
										 .target_high = 65536};
	return request;
}

static Instance
instance_of(const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	Instance instance = {.dimension = request->grid.dimension + (mechanism->targets ? 1 : 0),
						 .rows = 2,
						 .x = cell,
						 .constant = 1};

	if (mechanism->convex || mechanism->targets)
		instance.positive = instance.negative = label;
	else
		instance.net = weight;
	return instance;
}

/* What request_of() does not have: other grids, noises and columns, a prior, a limited search. */
static int
vary(MechanismRequest *request, int variant)
{
	switch (variant)
	{
		case 0:
			request->grid.constraint = GRID_BALL;
			request->grid.bound = 1;
			break;
		case 1:
			request->grid.constraint = GRID_SPARSE;
			request->grid.bound = 1;
			break;
		case 2:
			request->grid.constraint = GRID_MODULUS;
			request->grid.bound = 3;
			break;
		case 3:
			request->noise = PERTURBATION_GAUSSIAN;
			request->delta = DELTA_ONE / 1000;
			break;
		case 4:
			request->group = (SelectGroup){.first = 0, .size = 2};
			break;
		case 5:
			request->prior_power = 2 * PRIOR_ONE;
			break;
		case 6:
			request->effort = 1000000;
			break;
		case 7:
			request->convex.noise = CONVEX_GAUSSIAN;
			request->convex.delta = DELTA_ONE / 1000;
			request->convex.columns = (ConvexColumns){.group = {COLUMN_INDICATOR, 1},
													  .bound = {FIXED_POINT_ONE, FIXED_POINT_ONE}};
			break;
		default:
			return 0;
	}
	return 1;
}

static void
save_problem(int number, const MechanismRequest *request, Memory *memory)
{
	Instance instance = instance_of(request);
	MechanismRequest read;
	Instance read_instance;
	MechanismAnswer answer = {.loss = 3, .nodes = 17};
	static uint8_t reply[WIRE_ANSWER_MAX];
	size_t length;
	size_t reply_length;
	uint8_t *problem = wire_encode_problem(request, &instance, memory, &length);
	uint8_t *both;

	MUST(wire_decode_problem(problem, length, memory, &read, &read_instance));
	save("problem", number, problem, length);
	if (request->grid.constraint == GRID_SPARSE)
		answer.index[1] = 1;
	mechanism_make_weights(request, memory, &answer);
	reply_length = wire_encode_answer(request, &answer, reply);
	both = memory_allocate(memory, 2 + length + reply_length, 1);
	both[0] = (uint8_t) length;
	both[1] = (uint8_t) (length >> 8);
	memcpy(both + 2, problem, length);
	memcpy(both + 2 + length, reply, reply_length);
	save("answer", number, both, 2 + length + reply_length);
}

static void
save_problems(Memory *memory)
{
	int number = 0;

	for (int kind = 0; kind < MECHANISM_KINDS; kind++)
	{
		MechanismRequest request = request_of((MechanismKind) kind);

		save_problem(number++, &request, memory);
	}
	for (int variant = 0;; variant++)
	{
		MechanismRequest request = request_of(variant == 3   ? MECHANISM_OPDISC
											  : variant == 7 ? MECHANISM_POOL
															 : MECHANISM_EXPONENTIAL);

		if (!vary(&request, variant))
			break;
		save_problem(number++, &request, memory);
	}
}

/* ---- passes ---- */

static uint8_t *
put_piece(uint8_t *at, const uint8_t *bytes, size_t length)
{
	at[0] = (uint8_t) length;
	at[1] = (uint8_t) (length >> 8);
	memcpy(at + 2, bytes, length);
	return at + 2 + length;
}

static void
save_pass(int number, const MechanismRequest *request, Pass *pass, Memory *memory)
{
	Instance elsewhere = {.dimension = 2, .elsewhere = true};
	static uint8_t all[65536];
	size_t length;
	uint8_t *at = all;
	PassSums sums;
	uint8_t *bytes = wire_encode_problem(request, &elsewhere, memory, &length);

	save("problem", 100 + number, bytes, length);
	at = put_piece(at, bytes, length);
	pass->number = 1;
	bytes = wire_encode_pass(pass, memory, &length);
	at = put_piece(at, bytes, length);
	pass_sums_create(&sums, pass, 1, memory);
	sums.sum[0] = 5;
	sums.missing = 0;
	bytes = wire_encode_sums(&sums, memory, &length);
	memcpy(at, bytes, length);
	save("passes", number, all, (size_t) (at - all) + length);
}

/* The labels, a gradient with the Hessian, and points of a net where there is one. */
static void
save_passes(Memory *memory)
{
	static const Wide place[3] = {1, -1, 1};
	int number = 0;

	for (int kind = 0; kind < MECHANISM_KINDS; kind++)
	{
		MechanismRequest request = request_of((MechanismKind) kind);
		Pass labels = {.kind = PASS_LABELS, .sums = 1};
		Pass gradient = {.kind = PASS_GRADIENT,
						 .thin = 1,
						 .bent = true,
						 .places = 2,
						 .place = place,
						 .sums = convex_pass_sums(0, 2, 2, true)};
		Pass net = {.kind = PASS_NET, .places = 3, .place = place, .first = 3, .sums = 5};

		request.descent.sampling = DESCENT_FULL;
		request.descent.batch = request.descent.rows = 0;
		if (!mechanism_passes(&request))
			continue;
		save_pass(number++, &request, &labels, memory);
		save_pass(number++, &request, &gradient, memory);
		if (mechanism_get(request.kind)->terms == TERMS_BODY)
			save_pass(number++, &request, &net, memory);
	}
}

/* ---- training sets ---- */

static void
save_rows(int number, Rows *rows, Memory *memory)
{
	size_t length = rows_byte_size(rows);
	uint8_t *bytes = memory_allocate(memory, length, 1);

	rows_write_bytes(rows, bytes);
	save("rows", number, bytes, length);
}

static void
save_training_sets(Memory *memory)
{
	Encoding encoding;
	Rows rows;

	encoding_init(&encoding);
	rows_init(&rows, &encoding, memory);
	rows_add_neutral(&rows, 5);
	save_rows(0, &rows, memory);

	encoding.features = 2; /* what fuzz_rows.c merges with */
	MUST(encoding_finish(&encoding));
	rows_init(&rows, &encoding, memory);
	rows_add(&rows, (double[]){1, -1}, true);
	rows_add(&rows, (double[]){1, -1}, false);
	rows_add(&rows, (double[]){0.5, 0}, false);
	save_rows(1, &rows, memory);

	encoding.features = 3;
	encoding.intercept = true;
	encoding.groups = 2;
	encoding.group[0] = 2;
	encoding.group[1] = 1;
	MUST(encoding_finish(&encoding));
	rows_init(&rows, &encoding, memory);
	rows_add(&rows, (double[]){1, 0, 1}, true);
	save_rows(2, &rows, memory);
}

/* ---- conversations ---- */

static size_t
append_frame(uint8_t *at, FrameType type, const void *payload, size_t length)
{
	frame_pack_header(at, type, length);
	memcpy(at + FRAME_HEADER_SIZE, payload, length);
	return FRAME_HEADER_SIZE + length;
}

static void
save_conversations(void)
{
	const MechanismProgress progress = {true, 1, 2, 3, 4, 5};
	uint8_t told[WIRE_PROGRESS_SIZE];
	uint8_t bytes[1024];
	size_t length = 0;

	wire_encode_progress(&progress, told);
	length += append_frame(bytes + length, FRAME_RANDOM_REQUEST, "\0\20\0\0", FRAME_COUNT_SIZE);
	length += append_frame(bytes + length, FRAME_PROGRESS, told, sizeof(told));
	length += append_frame(bytes + length, FRAME_ANSWER, "answer", 6);
	save("frames", 0, bytes, length);
	length = append_frame(bytes, FRAME_PROBLEM, "problem", 7);
	length += append_frame(bytes + length, FRAME_RANDOM, "random", 6);
	length += append_frame(bytes + length, FRAME_FAILURE, "\1", 1);
	save("frames", 1, bytes, length);
}

int
main(int argc, char **argv)
{
	Arena *arena = arena_create(fuzz_out_of_memory);

	MUST(argc == 2);
	folder = argv[1];
	save_problems(arena_memory(arena));
	save_passes(arena_memory(arena));
	save_training_sets(arena_memory(arena));
	save_conversations();
	arena_destroy(arena);
	return 0;
}
