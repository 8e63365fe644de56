/*
 * test_wire.c - problems and answers survive the wire; hostile bytes are refused.
 */
#include <stdbool.h>
#include <stdint.h>
#include <limits.h>
#include <string.h>

#include "core/mechanisms/wire.h"
#include "solver/frame.h"

#include "core/fixture.h"
#include "core/vectors.h"

#define PROBLEMS 60
#define MUTATIONS 400
#define MAX_ROWS 12

/* A problem with room for its arrays; every test has one of its own. */
typedef struct Problem
{
	MechanismRequest request;
	Instance instance;
	int32_t x[MAX_ROWS * COLUMNS_MAX];
	int64_t net[MAX_ROWS];
	int64_t positive[MAX_ROWS];
	int64_t negative[MAX_ROWS];
} Problem;

/* A modulus is no smaller than any coordinate's number of levels. */
static int
draw_modulus(const Grid *grid)
{
	int least = 2;

	for (int j = 0; j < grid->dimension; j++)
		least = grid->levels[j] > least ? grid->levels[j] : least;
	return least + below(GRID_MAX_LEVELS + 1 - least);
}

static void
draw_grid(Grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = 1 + below(20);
	for (int j = 0; j < grid->dimension; j++)
		grid_set_range(grid, j, 1 + below(GRID_MAX_LEVELS / 2));
	grid->constraint = (GridConstraint) below(4);
	if (grid->constraint == GRID_BALL)
		grid->bound = below(GRID_MAX_STATES);
	if (grid->constraint == GRID_SPARSE)
		grid->bound = below(grid->dimension + 1);
	if (grid->constraint == GRID_MODULUS)
		grid->bound = draw_modulus(grid);
}

static void
draw_group(MechanismRequest *request)
{
	Grid *grid = &request->grid;
	int first = below(grid->dimension);

	if (grid->constraint != GRID_PRODUCT)
		return;
	request->group.first = first;
	request->group.size = 1 + below(grid->dimension - first);
	for (int j = first; j < first + request->group.size; j++)
		grid_set_range(grid, j, 2);
}

/* A noise that goes with the mechanism and the grid, and a delta if it needs one. */
static void
draw_law(MechanismRequest *request)
{
	PerturbationRequest asked;

	if (!mechanism_perturbs(request->kind))
		return;
	request->noise = (PerturbationNoise) below(PERTURBATION_NOISES);
	asked = mechanism_perturbation(request);
	if (perturbation_refusal(&asked) != NULL)
		request->noise = PERTURBATION_GAUGE;
	if (perturbation_needs_delta(request->noise))
		request->delta = 1 + (int64_t) teststream_below(&stream, (uint64_t) DELTA_ONE);
}

/* A power that the samplers have, for some of the requests whose mechanism has priors. */
static void
draw_prior(MechanismRequest *request)
{
	int64_t power = below((int) PRIOR_MAX_POWER + 1);

	if (mechanism_get(request->kind)->prior &&
		prior_refusal(&request->grid, power, request->epsilon, request->adjacency) == NULL)
		request->prior_power = power;
}

/* A group of two columns and numbers, whatever the dimension. */
static void
draw_columns(ConvexColumns *columns, int dimension)
{
	for (int j = 0; j < dimension; j++)
	{
		columns->group[j] = j < 2;
		columns->bound[j] = j < 2 ? FIXED_POINT_ONE : (int32_t) teststream_below(&stream, 1 << 26);
	}
}

static void
draw_terms(ConvexTerms *terms, bool targets, int dimension)
{
	terms->loss = targets ? LOSS_SQUARES : (ConvexLoss) below(LOSS_LABEL_KINDS);
	terms->noise = (ConvexNoise) below(CONVEX_NOISES);
	terms->radius = CONVEX_RADIUS_MIN + (double) teststream_below(&stream, 1000000) / 997;
	if (below(2) == 0)
	{
		terms->norm = 1 + (int64_t) teststream_below(&stream, CONVEX_NORM_MAX);
		terms->steps = below(INT_MAX);
		terms->rows = (int64_t) teststream_below(&stream, INT64_MAX);
		terms->peak = (int64_t) teststream_below(&stream, 1 << CONVEX_OUTPUT_BITS);
		terms->calls = below(INT_MAX);
	}
	terms->lambda = LAMBDA_MIN + (int64_t) teststream_below(&stream, LAMBDA_MAX - LAMBDA_MIN + 1);
	if (terms->noise == CONVEX_KNORM)
		draw_columns(&terms->columns, dimension);
	if (!convex_noise_is_pure(terms->noise))
		terms->delta = 1 + (int64_t) teststream_below(&stream, (uint64_t) DELTA_ONE - 1);
}

/* Of a mechanism that has classes: a number of them that divides the weights. */
static void
draw_classes(MechanismRequest *request, Instance *instance)
{
	int classes = 2 + below(INSTANCE_MAX_CLASSES - 1);

	if (request->grid.dimension % classes != 0)
		return;
	request->convex.classes = classes;
	request->convex.loss = LOSS_CLIPPED;
	request->convex.noise = CONVEX_GAMMA;
	request->convex.delta = 0;
	memset(&request->convex.columns, 0, sizeof(request->convex.columns));
	instance->dimension = request->grid.dimension / classes + 1;
}

/* Levels of some columns, of requests that may have them. */
static void
draw_levels(MechanismRequest *request)
{
	if (request->convex.classes > 0 || request->convex.noise >= CONVEX_LAPLACE)
		return;
	for (int j = 0; j < request->grid.dimension; j++)
		request->convex.levels[j] = (int16_t) (below(2) * below(LEVELS_MAX + 1));
	if (!levels_valid(request->convex.levels, request->grid.dimension))
		memset(request->convex.levels, 0, sizeof(request->convex.levels));
}

/* A halfspace for each of some classes, half of the time. */
static void
draw_rest(MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	int most = WEIGHTS_MAX / request->grid.dimension;

	if (!mechanism->convex && !mechanism->targets && most >= 2 && below(2) == 0)
		request->one_vs_rest =
			2 + below((most < INSTANCE_MAX_CLASSES ? most : INSTANCE_MAX_CLASSES) - 1);
}

static void
draw_simplex(SimplexTerms *terms)
{
	terms->lambda = SIMPLEX_LAMBDA_MIN + (double) teststream_below(&stream, 1000000) / 997;
	terms->rows = 1 + (int64_t) teststream_below(&stream, SIMPLEX_ROWS_MAX);
	terms->low = (int32_t) teststream_below(&stream, SIMPLEX_BOUND_MAX) - SIMPLEX_BOUND_MAX;
	terms->high = (int32_t) teststream_below(&stream, SIMPLEX_BOUND_MAX);
	terms->target_low = (int32_t) teststream_below(&stream, SIMPLEX_BOUND_MAX) - SIMPLEX_BOUND_MAX;
	terms->target_high = (int32_t) teststream_below(&stream, SIMPLEX_BOUND_MAX);
	terms->delta = (int64_t) teststream_below(&stream, (uint64_t) DELTA_ONE);
}

static void
draw_descent(ConvexTerms *convex, DescentTerms *terms)
{
	convex->noise = CONVEX_GAUSSIAN;
	convex->delta = 1 + (int64_t) teststream_below(&stream, (uint64_t) DELTA_ONE - 1);
	terms->sampling = convex->classes > 0
						  ? DESCENT_FULL
						  : (DescentSampling) teststream_below(&stream, DESCENT_SAMPLINGS);
	terms->iterations = 1 + below(DESCENT_MAX_ITERATIONS);
	if (terms->sampling != DESCENT_FULL)
	{
		terms->rows = 1 + (int64_t) teststream_below(&stream, (uint64_t) DESCENT_MAX_ROWS);
		terms->batch = 1 + (int64_t) teststream_below(&stream, (uint64_t) terms->rows);
	}
	terms->step = DESCENT_LENGTH_MIN + (double) teststream_below(&stream, 1000000) / 997;
	terms->norm = DESCENT_LENGTH_MIN + (double) teststream_below(&stream, 1000000) / 991;
}

/* Numbers, columns of 0 and 1, and levels, some of them in order. */
static void
draw_residual(MechanismRequest *request)
{
	Encoding encoding;
	ConvexTerms *convex = &request->convex;

	encoding_init(&encoding);
	encoding.intercept = below(2) == 0;
	encoding.features = request->grid.dimension - (encoding.intercept ? 1 : 0);
	for (int j = 0; j < encoding.features; j++)
	{
		encoding.binary[j] = below(2) == 0;
		if (below(4) == 0)
		{
			encoding_set_levels(&encoding, j, 1 + below(20));
			encoding.ordered[j] = (int16_t) below(encoding.levels[j] + 1);
		}
	}
	convex->loss = LOSS_LOGISTIC;
	convex->noise = CONVEX_GAUSSIAN;
	convex->delta = 1 + (int64_t) teststream_below(&stream, (uint64_t) DELTA_ONE - 1);
	residual_describe(&encoding, convex, &request->residual);
}

static bool
residuals_equal(const MechanismRequest *a, const MechanismRequest *b)
{
	return a->kind != MECHANISM_DESCENT ||
		   (memcmp(&a->residual, &b->residual, sizeof(a->residual)) == 0 &&
			memcmp(&a->convex.columns, &b->convex.columns, sizeof(a->convex.columns)) == 0);
}

static bool
descents_equal(const DescentTerms *a, const DescentTerms *b)
{
	return a->sampling == b->sampling && a->iterations == b->iterations && a->batch == b->batch &&
		   a->rows == b->rows && a->step == b->step && a->norm == b->norm;
}

/* Both label counts instead of their difference. */
static void
draw_labels(Problem *problem)
{
	for (int i = 0; i < problem->instance.rows; i++)
	{
		problem->positive[i] = (int64_t) (teststream_next(&stream) >> 31);
		problem->negative[i] = (int64_t) (teststream_next(&stream) >> 31);
	}
	problem->instance.net = NULL;
	problem->instance.positive = problem->positive;
	problem->instance.negative = problem->negative;
}

static void
draw_problem(Problem *problem)
{
	MechanismRequest *request = &problem->request;
	Instance *instance = &problem->instance;

	memset(problem, 0, sizeof(*problem));
	request->kind = (MechanismKind) below(MECHANISM_KINDS);
	request->epsilon = 1 + (int64_t) (teststream_next(&stream) >> 2);
	request->adjacency = (Adjacency) below(2);
	request->solver = (SolverKind) below(SOLVER_KINDS);
	request->threads = 1 + below(64);
	if (request->kind == MECHANISM_SAMPLE_AGGREGATE)
	{
		request->parts = 1 + below(SAMPLE_MAX_PARTS);
		request->part_nodes = 1 + (int64_t) teststream_below(&stream, SAMPLE_MAX_PART_NODES);
	}
	request->progress = below(2) == 1;
	draw_grid(&request->grid);
	draw_group(request);
	draw_law(request);
	draw_prior(request);

	draw_rest(request);
	instance->dimension = request->grid.dimension;
	if (mechanism_get(request->kind)->targets || request->one_vs_rest > 0)
		instance->dimension++;
	instance->rows = (int64_t) teststream_below(&stream, MAX_ROWS + 1);
	instance->constant = (int64_t) (teststream_next(&stream) >> 2);
	for (int i = 0; i < instance->rows * instance->dimension; i++)
		problem->x[i] = (int32_t) teststream_next(&stream);
	for (int i = 0; i < instance->rows; i++)
	{
		int64_t net = 1 + (int64_t) (teststream_next(&stream) >> 8);

		problem->net[i] = below(2) == 0 ? net : -net;
	}
	instance->x = problem->x;
	instance->net = problem->net;
	if (mechanism_get(request->kind)->convex)
	{
		draw_terms(&request->convex, mechanism_get(request->kind)->targets,
				   request->grid.dimension);
		if ((mechanism_get(request->kind)->terms == TERMS_NOISE &&
			 !mechanism_get(request->kind)->targets) ||
			request->kind == MECHANISM_SGD)
			draw_classes(request, instance);
		if (mechanism_get(request->kind)->terms == TERMS_NOISE)
			draw_levels(request);
		if (request->kind == MECHANISM_SGD)
			draw_descent(&request->convex, &request->descent);
		if (request->kind == MECHANISM_DESCENT)
			draw_residual(request);
		if (request->kind == MECHANISM_POOL)
			request->pool.rounds = 1 + below(POOL_MOST_ROUNDS);
		draw_labels(problem);
	}
	if (request->kind == MECHANISM_SIMPLEX)
	{
		draw_simplex(&request->simplex);
		draw_labels(problem);
	}
	if (below(3) == 0)
	{
		*instance = (Instance){.dimension = instance->dimension,
							   .rows = (int64_t) (teststream_next(&stream) >> 26),
							   .spilled = true,
							   .shape = {.dimension = instance->dimension}};
		for (int j = 0; j < instance->dimension; j++)
			instance->shape.binary[j / 64] |= teststream_below(&stream, 2) << (j % 64);
	}
}

static bool
grids_equal(const Grid *a, const Grid *b)
{
	if (a->dimension != b->dimension || a->constraint != b->constraint || a->bound != b->bound)
		return false;
	for (int j = 0; j < a->dimension; j++)
		if (a->levels[j] != b->levels[j] ||
			memcmp(a->level[j], b->level[j], (size_t) a->levels[j]) != 0)
			return false;
	return true;
}

static bool
requests_equal(const MechanismRequest *a, const MechanismRequest *b)
{
	return a->kind == b->kind && a->epsilon == b->epsilon && a->delta == b->delta &&
		   a->prior_power == b->prior_power && a->noise == b->noise &&
		   a->adjacency == b->adjacency && a->solver == b->solver && a->threads == b->threads &&
		   a->progress == b->progress && a->parts == b->parts && a->part_nodes == b->part_nodes &&
		   a->group.first == b->group.first && a->group.size == b->group.size &&
		   a->one_vs_rest == b->one_vs_rest && a->convex.loss == b->convex.loss &&
		   a->convex.classes == b->convex.classes && a->convex.noise == b->convex.noise &&
		   a->convex.radius == b->convex.radius && a->convex.lambda == b->convex.lambda &&
		   a->convex.delta == b->convex.delta && a->convex.norm == b->convex.norm &&
		   a->convex.steps == b->convex.steps && a->convex.rows == b->convex.rows &&
		   a->convex.peak == b->convex.peak && a->convex.calls == b->convex.calls &&
		   memcmp(a->convex.levels, b->convex.levels, sizeof(a->convex.levels)) == 0 &&
		   a->simplex.lambda == b->simplex.lambda && a->simplex.rows == b->simplex.rows &&
		   a->simplex.low == b->simplex.low && a->simplex.high == b->simplex.high &&
		   a->simplex.target_low == b->simplex.target_low &&
		   a->simplex.target_high == b->simplex.target_high &&
		   a->simplex.delta == b->simplex.delta &&

		   descents_equal(&a->descent, &b->descent) && residuals_equal(a, b) &&
		   grids_equal(&a->grid, &b->grid);
}

/* One of the arrays of labels, NULL where there is none. */
static bool
labels_equal(const int64_t *a, const int64_t *b, int64_t rows)
{
	if (a == NULL || b == NULL)
		return a == b;
	return memcmp(a, b, (size_t) rows * sizeof(int64_t)) == 0;
}

static bool
instances_equal(const Instance *a, const Instance *b)
{
	size_t cells = (size_t) a->rows * (size_t) a->dimension;

	if (a->spilled || b->spilled)
		return a->spilled == b->spilled && a->dimension == b->dimension && a->rows == b->rows &&
			   a->constant == b->constant && a->shape.dimension == b->shape.dimension &&
			   memcmp(a->shape.binary, b->shape.binary, sizeof(a->shape.binary)) == 0;
	return a->dimension == b->dimension && a->rows == b->rows && a->constant == b->constant &&
		   memcmp(a->x, b->x, cells * sizeof(int32_t)) == 0 &&
		   labels_equal(a->net, b->net, a->rows) &&
		   labels_equal(a->positive, b->positive, a->rows) &&
		   labels_equal(a->negative, b->negative, a->rows);
}

/* What was decoded last. */
static MechanismRequest decoded_request;
static Instance decoded_instance;

/* Decodes a copy of exactly that length, so that the sanitizer sees every byte read beyond it. */
static bool
decode(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = memory_allocate(memory, length, 1);
	bool valid;

	memcpy(copy, bytes, length);
	valid = wire_decode_problem(copy, length, memory, &decoded_request, &decoded_instance);
	memory_release(memory, copy);
	return valid;
}

static uint8_t *
encode(const Problem *problem, size_t *length)
{
	return wire_encode_problem(&problem->request, &problem->instance, memory, length);
}

/* ----- problems ----- */

static void
test_round_trip(const Problem *problem)
{
	size_t length;
	uint8_t *bytes = encode(problem, &length);

	CHECK(decode(bytes, length));
	CHECK(requests_equal(&decoded_request, &problem->request));
	CHECK(instances_equal(&decoded_instance, &problem->instance));
}

static void
test_wrong_lengths(const Problem *problem)
{
	size_t length;
	uint8_t *bytes = encode(problem, &length);
	uint8_t *longer = memory_allocate_zero(memory, length + 1, 1);
	int accepted = 0;

	for (size_t shorter = 0; shorter < length; shorter++)
		accepted += decode(bytes, shorter);
	memcpy(longer, bytes, length);
	accepted += decode(longer, length + 1);
	CHECK(accepted == 0);
}

/*
 * Damaged bytes are refused, or they are the encoding of another problem: what
 * was decoded then encodes to the same bytes, so that nothing was misread.
 */
static void
test_mutations(const Problem *problem)
{
	size_t length;
	size_t again_length;
	uint8_t *bytes = encode(problem, &length);
	int misread = 0;

	for (int mutation = 0; mutation < MUTATIONS; mutation++)
	{
		/* every other one hits the head, where the counts and sizes are */
		size_t at =
			teststream_below(&stream, mutation % 2 == 0 && length > 64 ? 64 : (uint64_t) length);
		uint8_t before = bytes[at];
		uint8_t *again;

		bytes[at] = (uint8_t) teststream_next(&stream);
		if (decode(bytes, length))
		{
			again = wire_encode_problem(&decoded_request, &decoded_instance, memory, &again_length);
			misread += again_length != length || memcmp(again, bytes, length) != 0;
			memory_release(memory, again);
		}
		bytes[at] = before;
	}
	CHECK(misread == 0);
}

static void
test_noise(void)
{
	uint8_t bytes[300];
	Problem problem;
	uint64_t version;
	size_t length;
	int accepted = 0;

	draw_problem(&problem);
	version = frame_get(encode(&problem, &length), 2);

	for (int attempt = 0; attempt < 2000; attempt++)
	{
		teststream_fill(&stream, bytes, sizeof(bytes));
		frame_put(bytes, version, 2); /* so that more than that is looked at */
		accepted += decode(bytes, teststream_below(&stream, sizeof(bytes)));
	}
	CHECK(accepted == 0);
}

/* A well-formed problem, but for one field at a time. */
static bool
survives(const Problem *problem)
{
	size_t length;
	uint8_t *bytes = encode(problem, &length);

	return decode(bytes, length);
}

static void
make_plain(Problem *problem)
{
	*problem = (Problem){
		.request = {.epsilon = EPSILON_ONE, .threads = 1, .group = {1, 3}},
		.instance = {.dimension = 4, .rows = 2, .x = problem->x, .net = problem->net},
		.net = {1, -1},
	};
	problem->request.grid = uniform_grid(4, 2, GRID_PRODUCT, 0);
}

/* Changes one field of the plain problem, which alone is sound. */
#define CHECK_REFUSED(change)                                                                      \
	do                                                                                             \
	{                                                                                              \
		Problem problem;                                                                           \
		make_plain(&problem);                                                                      \
		CHECK(survives(&problem));                                                                 \
		change;                                                                                    \
		CHECK(!survives(&problem));                                                                \
	} while (0)

/* The plain problem with parts, which are sound. */
static void
test_unsound_parts(void)
{
	static const struct
	{
		int parts;
		int64_t nodes;
		bool sound;
	} tries[] = {
		{1, 1, true},
		{SAMPLE_MAX_PARTS, SAMPLE_MAX_PART_NODES, true},
		{0, 1, false},
		{1, 0, false},
		{SAMPLE_MAX_PARTS + 1, 1, false},
		{1, SAMPLE_MAX_PART_NODES + 1, false},
		{-1, 1, false},
		{1, -1, false},
	};

	for (size_t k = 0; k < sizeof(tries) / sizeof(tries[0]); k++)
	{
		Problem problem;

		make_plain(&problem);
		problem.request.kind = MECHANISM_SAMPLE_AGGREGATE;
		problem.request.parts = tries[k].parts;
		problem.request.part_nodes = tries[k].nodes;
		CHECK(survives(&problem) == tries[k].sound);
	}
}

static void
test_unsound_fields(void)
{
	CHECK_REFUSED(problem.request.kind = MECHANISM_KINDS);
	CHECK_REFUSED(problem.request.adjacency = (Adjacency) 2);
	CHECK_REFUSED(problem.request.epsilon = 0);
	CHECK_REFUSED(problem.request.epsilon = -1);
	CHECK_REFUSED(problem.request.noise = PERTURBATION_LAPLACE); /* of a mechanism without any */
	CHECK_REFUSED(problem.request.delta = 1);
	CHECK_REFUSED(problem.request.kind = MECHANISM_RSPM;
				  problem.request.noise = PERTURBATION_NOISES);
	CHECK_REFUSED(problem.request.kind = MECHANISM_RSPM;
				  problem.request.noise = PERTURBATION_PARABOLOID); /* opdisc's */
	CHECK_REFUSED(problem.request.kind = MECHANISM_RSPM;
				  problem.request.noise = PERTURBATION_GAUSSIAN); /* without delta */
	CHECK_REFUSED(problem.request.kind = MECHANISM_RSPM; problem.request.delta = 1);
	CHECK_REFUSED(problem.request.kind = MECHANISM_RSPM;
				  problem.request.noise = PERTURBATION_GAUSSIAN; problem.request.delta = -1);
	CHECK_REFUSED(problem.request.kind = MECHANISM_RSPM;
				  problem.request.noise = PERTURBATION_GAUSSIAN;
				  problem.request.delta = DELTA_ONE + 1);
	CHECK_REFUSED(problem.request.prior_power = -1);
	CHECK_REFUSED(problem.request.prior_power = PRIOR_MAX_POWER + 1);
	CHECK_REFUSED(problem.request.prior_power = PRIOR_MAX_POWER; problem.request.epsilon = 1);
	CHECK_REFUSED(problem.request.kind = MECHANISM_RSPM; problem.request.prior_power = PRIOR_ONE);
	CHECK_REFUSED(problem.request.solver = SOLVER_KINDS);
	CHECK_REFUSED(problem.request.threads = 0);
	CHECK_REFUSED(problem.request.threads = 65);
	CHECK_REFUSED(problem.request.parts = 1);
	CHECK_REFUSED(problem.request.part_nodes = 1);
	CHECK_REFUSED(problem.request.kind = MECHANISM_SAMPLE_AGGREGATE);
	CHECK_REFUSED(problem.request.group.first = 2);
	CHECK_REFUSED(problem.request.group.size = 4);
	CHECK_REFUSED(problem.request.group.size = 0); /* with a first column all the same */
	CHECK_REFUSED(grid_set_range(&problem.request.grid, 2, 1));
	CHECK_REFUSED(problem.request.grid.level[3][0] = -3);
	CHECK_REFUSED(problem.request.grid.level[0][1] = 2); /* not increasing */
	CHECK_REFUSED(problem.request.grid.level[0][4] = GRID_MAX_WEIGHT + 1);
	CHECK_REFUSED(problem.request.grid.levels[0] = 0);
	CHECK_REFUSED(problem.request.grid.constraint = (GridConstraint) 4);
	CHECK_REFUSED(problem.request.grid.constraint = GRID_BALL); /* with a group */
	CHECK_REFUSED(problem.request.grid.constraint = GRID_MODULUS;
				  problem.request.grid.bound = 5); /* likewise */
	CHECK_REFUSED(problem.request.grid.bound = GRID_MAX_STATES);
	CHECK_REFUSED(problem.instance.constant = -1);
	CHECK_REFUSED(problem.instance.shape.binary[1] = 1); /* of rows that were not spilled */
	CHECK_REFUSED(problem.net[0] = 0);
	CHECK_REFUSED(problem.net[1] = INT64_MIN);
	CHECK_REFUSED(problem.net[0] = problem.net[1] = INT64_MAX);
}

/* A weight of the group may be fixed at a level that the others have. */
static void
test_fixed_weights(void)
{
	Problem problem;

	make_plain(&problem);
	grid_set_range(&problem.request.grid, 1, 0);
	CHECK(survives(&problem));
	problem.request.grid.level[1][0] = -2;
	CHECK(survives(&problem));
	problem.request.grid.level[1][0] = 3;
	CHECK(!survives(&problem));
}

/* Without a group, so that the modulus alone decides (counterexample G8). */
static void
test_moduli(void)
{
	Problem problem;
	Grid *grid = &problem.request.grid;

	make_plain(&problem);
	problem.request.group = (SelectGroup){0, 0};
	CHECK(survives(&problem));
	grid->constraint = (GridConstraint) 4;
	CHECK(!survives(&problem));
	grid->constraint = GRID_MODULUS;
	for (grid->bound = 0; grid->bound <= GRID_MAX_LEVELS + 2; grid->bound++)
		CHECK(survives(&problem) == (grid->bound >= 5 && grid->bound <= GRID_MAX_LEVELS));
}

/* Counts of rows whose arrays would not fit into memory, or whose size overflows. */
static void
test_row_counts(void)
{
	static const uint64_t count[] = {
		3,
		UINT64_C(1) << 30,
		UINT64_C(1) << 57,
		INT64_MAX / COLUMNS_MAX,
		INT64_MAX / COLUMNS_MAX + 1,
		UINT64_C(1) << 61,
		UINT64_C(1) << 63,
		UINT64_MAX,
	};
	Problem problem;
	size_t length;
	size_t rows_at;
	uint8_t *bytes;

	make_plain(&problem);
	bytes = encode(&problem, &length);
	rows_at = length - 2 * (4 * sizeof(int32_t) + sizeof(int64_t)) - 16;
	CHECK(frame_get(bytes + rows_at, 8) == 2);
	for (size_t i = 0; i < sizeof(count) / sizeof(count[0]); i++)
	{
		frame_put(bytes + rows_at, count[i], 8);
		CHECK(!decode(bytes, length));
	}
}

/* Records are not sent: only their number can be wrong. */
static void
test_spilled_counts(void)
{
	Problem problem;

	make_plain(&problem);
	problem.request.kind = MECHANISM_OBJECTIVE;
	problem.request.group = (SelectGroup){0, 0};
	problem.request.convex = (ConvexTerms){.radius = 1, .lambda = LAMBDA_ONE};
	problem.instance = (Instance){.dimension = 4, .spilled = true};
	CHECK(survives(&problem));
	problem.instance.shape.binary[0] = 0xf;
	CHECK(survives(&problem));
	problem.instance.shape.binary[0] = 0x10; /* of four coordinates */
	CHECK(!survives(&problem));
	problem.instance.shape.binary[0] = 0;
	problem.instance.shape.binary[1] = 1;
	CHECK(!survives(&problem));
	problem.instance.shape.binary[1] = 0;
	problem.instance.rows = INSTANCE_MAX_LABELS - 1;
	CHECK(survives(&problem));
	problem.instance.rows = INSTANCE_MAX_LABELS;
	CHECK(!survives(&problem));
}

/* 2^55 rows of 128 coordinates of 4 bytes: 2^64 bytes, which wrap around to none. */
static void
test_wrapping_size(void)
{
	Problem problem;
	size_t length;
	uint8_t *bytes;

	make_plain(&problem);
	problem.request.grid.dimension = problem.instance.dimension = GRID_MAX_DIMENSION;
	for (int j = 0; j < GRID_MAX_DIMENSION; j++)
		grid_set_range(&problem.request.grid, j, 2);
	problem.instance.rows = 0;
	bytes = encode(&problem, &length);
	CHECK(decode(bytes, length));
	frame_put(bytes + length - 16, UINT64_C(1) << 55, 8);
	CHECK(!decode(bytes, length));
}

/* More coordinates than there is room for, each with a sound list of levels. */
static void
test_large_dimension(void)
{
	enum
	{
		DIMENSION_AT = 50, /* after version, kind, adjacency, epsilon, delta, noise, ... */
		COORDINATES = WEIGHTS_MAX + 8
	};
	Problem problem;
	size_t length;
	uint8_t *bytes;
	uint8_t hostile[DIMENSION_AT + 5 + 2 * COORDINATES] = {0};

	make_plain(&problem);
	problem.instance.rows = 0;
	bytes = encode(&problem, &length);
	CHECK(frame_get(bytes + DIMENSION_AT, 2) == 4);
	memcpy(hostile, bytes, DIMENSION_AT);
	frame_put(hostile + DIMENSION_AT, COORDINATES, 2);
	for (int j = 0; j < COORDINATES; j++)
		frame_put(hostile + DIMENSION_AT + 5 + 2 * j, 1, 2); /* one level, 0 */
	CHECK(!decode(hostile, sizeof(hostile)));
}

/* Descent has an entry for each column, and no classes that would have more weights. */
static void
test_many_columns(void)
{
	for (int dimension = COLUMNS_MAX; dimension <= WEIGHTS_MAX; dimension += WEIGHTS_MAX / 4)
	{
		Problem problem = {.request = {.kind = MECHANISM_DESCENT,
									   .epsilon = EPSILON_ONE,
									   .threads = 1,
									   .convex = {.lambda = LAMBDA_MIN}}};

		grid_set_plain(&problem.request.grid, COLUMNS_MAX);
		draw_residual(&problem.request);
		grid_set_plain(&problem.request.grid, dimension);
		problem.instance.dimension = dimension;
		draw_labels(&problem);
		CHECK(survives(&problem) == (dimension == COLUMNS_MAX));
	}
}

/* ----- answers ----- */

static void
draw_answer(const Grid *grid, MechanismAnswer *answer)
{
	memset(answer, 0, sizeof(*answer));
	do
		for (int j = 0; j < grid->dimension; j++)
		{
			/* mostly the middle, which is the weight 0: it is in every ball */
			answer->index[j] = grid->levels[j] / 2;
			if (below(4) == 0)
				answer->index[j] = below(grid->levels[j]);
		}
	while ((grid->constraint == GRID_PRODUCT || grid->constraint == GRID_BALL) &&
		   !grid_contains(grid, answer->index));
	answer->loss = (int64_t) teststream_next(&stream);
	answer->nodes = (int64_t) teststream_next(&stream);
}

static void
test_answer(const Problem *problem)
{
	const MechanismRequest *request = &problem->request;
	uint8_t bytes[WIRE_ANSWER_MAX + 1];
	MechanismAnswer answer;
	MechanismAnswer back;
	size_t length;
	bool weights = mechanism_get(request->kind)->convex || mechanism_get(request->kind)->targets;
	bool member;

	draw_answer(&request->grid, &answer);
	for (int k = 1; k < request->one_vs_rest; k++)
		memcpy(answer.index + k * request->grid.dimension, answer.index,
			   (size_t) request->grid.dimension * sizeof(answer.index[0]));
	if (weights)
		mechanism_make_weights(request, memory, &answer);
	for (int j = 0; weights && j < mechanism_weights(request); j++)
		answer.weight[j] = (int64_t) teststream_next(&stream);
	member = grid_contains(&request->grid, answer.index);
	length = wire_encode_answer(request, &answer, bytes);
	CHECK(length <= WIRE_ANSWER_MAX);
	CHECK(wire_decode_answer(bytes, length, request, memory, &back) == member);
	CHECK(!weights || memcmp(answer.weight, back.weight,
							 (size_t) mechanism_weights(request) * sizeof(int64_t)) == 0);
	back.weight = answer.weight;
	CHECK(memcmp(&answer, &back, sizeof(answer)) == 0);
	CHECK(!wire_decode_answer(bytes, length - 1, request, memory, &back));
	CHECK(!wire_decode_answer(bytes, length + 1, request, memory, &back));
	CHECK(!wire_decode_answer(bytes, 0, request, memory, &back));
	for (int j = 0;
		 j < request->grid.dimension * (request->one_vs_rest > 0 ? request->one_vs_rest : 1); j++)
	{
		uint8_t index = bytes[2 + j];

		bytes[2 + j] = (uint8_t) request->grid.levels[j % request->grid.dimension];
		CHECK(!wire_decode_answer(bytes, length, request, memory, &back));
		bytes[2 + j] = 255;
		CHECK(!wire_decode_answer(bytes, length, request, memory, &back));
		bytes[2 + j] = index;
	}
	bytes[0]++;
	CHECK(!wire_decode_answer(bytes, length, request, memory, &back));
}

/* An answer outside a constraint is refused although each of its levels exists. */
static void
test_answer_outside(void)
{
	MechanismRequest request = {.epsilon = EPSILON_ONE, .threads = 1};
	MechanismAnswer answer = {.index = {4, 4, 2, 2}};
	MechanismAnswer back;
	uint8_t bytes[WIRE_ANSWER_MAX];
	size_t length;

	request.grid = uniform_grid(4, 2, GRID_PRODUCT, 0);
	length = wire_encode_answer(&request, &answer, bytes);
	CHECK(wire_decode_answer(bytes, length, &request, memory, &back));
	request.grid.constraint = GRID_BALL;
	request.grid.bound = 8;
	CHECK(wire_decode_answer(bytes, length, &request, memory, &back));
	request.grid.bound = 7;
	CHECK(!wire_decode_answer(bytes, length, &request, memory, &back));
	request.grid.constraint = GRID_SPARSE;
	request.grid.bound = 2;
	CHECK(wire_decode_answer(bytes, length, &request, memory, &back));
	request.grid.bound = 1;
	CHECK(!wire_decode_answer(bytes, length, &request, memory, &back));
	request.grid.bound = 3;
	CHECK(!wire_decode_answer(bytes, length, &request, memory, &back));
	request.grid.constraint = GRID_MODULUS; /* ranks 2 + 2 + 0 + 0 */
	for (request.grid.bound = 5; request.grid.bound < 20; request.grid.bound++)
		CHECK(!wire_decode_answer(bytes, length, &request, memory, &back));
	answer.index[0] = 0;
	length = wire_encode_answer(&request, &answer, bytes);
	CHECK(wire_decode_answer(bytes, length, &request, memory, &back));
}

int
main(void)
{
	test_begin(7);
	for (int i = 0; i < PROBLEMS; i++)
	{
		Problem problem;

		draw_problem(&problem);
		test_round_trip(&problem);
		test_wrong_lengths(&problem);
		test_mutations(&problem);
		test_answer(&problem);
		memory_renew();
	}
	test_noise();
	test_unsound_parts();
	test_unsound_fields();
	test_fixed_weights();
	test_moduli();
	test_row_counts();
	test_wrapping_size();
	test_spilled_counts();
	test_large_dimension();
	test_many_columns();
	test_answer_outside();
	return test_end("wire");
}
