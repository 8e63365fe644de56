/*
 * wire.c - little-endian fields, appended and checked one by one.
 */
#include "core/mechanisms/wire.h"

#include <string.h>

#define WIRE_VERSION 5

typedef struct Writer
{
	uint8_t *at;
} Writer;

typedef struct Reader
{
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
} Reader;

static void
put(Writer *writer, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*writer->at++ = (uint8_t) (value >> (8 * i));
}

static uint64_t
get(Reader *reader, int bytes)
{
	uint64_t value = 0;

	if (reader->end - reader->at < bytes)
	{
		reader->failed = true;
		return 0;
	}
	for (int i = 0; i < bytes; i++)
		value |= (uint64_t) *reader->at++ << (8 * i);
	return value;
}

/* Bulk arrays are copied as they are: one machine, one byte order. */
static void
put_array(Writer *writer, const void *array, size_t bytes)
{
	if (bytes > 0)
		memcpy(writer->at, array, bytes);
	writer->at += bytes;
}

static void *
get_array(Reader *reader, uint64_t count, size_t size, Memory *memory)
{
	void *array;

	if (reader->failed || count > (uint64_t) (reader->end - reader->at) / size)
	{
		reader->failed = true;
		return NULL;
	}
	array = memory_allocate(memory, count, size);
	if (count > 0)
		memcpy(array, reader->at, count * size);
	reader->at += count * size;
	return array;
}

static void
put_grid(Writer *writer, const Grid *grid)
{
	put(writer, (uint64_t) grid->dimension, 2);
	put(writer, grid->constraint, 1);
	put(writer, (uint64_t) grid->bound, 2);
	for (int j = 0; j < grid->dimension; j++)
	{
		put(writer, (uint64_t) grid->levels[j], 1);
		for (int i = 0; i < grid->levels[j]; i++)
			put(writer, (uint8_t) grid->level[j][i], 1);
	}
}

static void
get_grid(Reader *reader, Grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = (int) get(reader, 2);
	grid->constraint = (GridConstraint) get(reader, 1);
	grid->bound = (int) get(reader, 2);
	if (grid->dimension > GRID_MAX_DIMENSION || grid->constraint > GRID_MODULUS)
		reader->failed = true;
	for (int j = 0; j < grid->dimension && !reader->failed; j++)
	{
		grid->levels[j] = (int) get(reader, 1);
		if (grid->levels[j] > GRID_MAX_LEVELS)
			reader->failed = true;
		for (int i = 0; i < grid->levels[j] && !reader->failed; i++)
			grid->level[j][i] = (int8_t) get(reader, 1);
	}
	if (!reader->failed && !grid_is_valid(grid))
		reader->failed = true;
}

static void
put_double(Writer *writer, double value)
{
	uint64_t word;

	memcpy(&word, &value, sizeof(word));
	put(writer, word, 8);
}

static double
get_double(Reader *reader)
{
	uint64_t word = get(reader, 8);
	double value;

	memcpy(&value, &word, sizeof(value));
	return value;
}

static void
put_convex(Writer *writer, const ConvexTerms *terms)
{
	put(writer, terms->loss, 1);
	put(writer, terms->noise, 1);
	put_double(writer, terms->radius);
	put(writer, (uint64_t) terms->lambda, 8);
	put(writer, (uint64_t) terms->delta, 8);
	put(writer, (uint64_t) terms->norm, 8);
	put(writer, (uint64_t) terms->steps, 4);
	put(writer, (uint64_t) terms->rows, 8);
	put(writer, (uint64_t) terms->peak, 8);
	put(writer, (uint64_t) terms->calls, 4);
}

static void
get_convex(Reader *reader, ConvexTerms *terms)
{
	terms->loss = (ConvexLoss) get(reader, 1);
	terms->noise = (ConvexNoise) get(reader, 1);
	terms->radius = get_double(reader);
	terms->lambda = (int64_t) get(reader, 8);
	terms->delta = (int64_t) get(reader, 8);
	terms->norm = (int64_t) get(reader, 8);
	terms->steps = (int) (uint32_t) get(reader, 4);
	terms->rows = (int64_t) get(reader, 8);
	terms->peak = (int64_t) get(reader, 8);
	terms->calls = (int) (uint32_t) get(reader, 4);
	if (!convex_terms_valid(terms))
		reader->failed = true;
}

static void
put_descent(Writer *writer, const DescentTerms *terms)
{
	put(writer, terms->sampling, 1);
	put(writer, (uint64_t) terms->iterations, 4);
	put(writer, (uint64_t) terms->batch, 8);
	put(writer, (uint64_t) terms->rows, 8);
	put_double(writer, terms->step);
	put_double(writer, terms->norm);
}

static void
get_descent(Reader *reader, const ConvexTerms *convex, DescentTerms *terms)
{
	uint64_t iterations;

	terms->sampling = (DescentSampling) get(reader, 1);
	iterations = get(reader, 4);
	terms->iterations = iterations > DESCENT_MAX_ITERATIONS ? 0 : (int) iterations;
	terms->batch = (int64_t) get(reader, 8);
	terms->rows = (int64_t) get(reader, 8);
	terms->step = get_double(reader);
	terms->norm = get_double(reader);
	if (!descent_terms_valid(terms, convex))
		reader->failed = true;
}

static void
put_simplex(Writer *writer, const SimplexTerms *terms)
{
	uint64_t lambda;

	memcpy(&lambda, &terms->lambda, sizeof(lambda));
	put(writer, lambda, 8);
	put(writer, (uint64_t) terms->rows, 8);
	put(writer, (uint32_t) terms->low, 4);
	put(writer, (uint32_t) terms->high, 4);
	put(writer, (uint32_t) terms->target_low, 4);
	put(writer, (uint32_t) terms->target_high, 4);
	put(writer, (uint64_t) terms->delta, 8);
}

static void
get_simplex(Reader *reader, SimplexTerms *terms)
{
	uint64_t lambda = get(reader, 8);

	memcpy(&terms->lambda, &lambda, sizeof(lambda));
	terms->rows = (int64_t) get(reader, 8);
	terms->low = (int32_t) get(reader, 4);
	terms->high = (int32_t) get(reader, 4);
	terms->target_low = (int32_t) get(reader, 4);
	terms->target_high = (int32_t) get(reader, 4);
	terms->delta = (int64_t) get(reader, 8);
	if (!simplex_terms_valid(terms))
		reader->failed = true;
}

/* The row of a request that is being read, too, whose kind may be none. */
static const Mechanism *
mechanism_of(const MechanismRequest *request)
{
	static const Mechanism none;
	const Mechanism *mechanism = mechanism_get(request->kind);

	return mechanism != NULL ? mechanism : &none;
}

/* Do rows carry both label counts, and answers real weights or draws? */
static bool
is_labelled(const MechanismRequest *request)
{
	return mechanism_of(request)->convex || mechanism_of(request)->targets;
}

/* Columns of an instance: a target comes before the features. */
static int
instance_columns(const MechanismRequest *request)
{
	return request->grid.dimension + (mechanism_of(request)->targets ? 1 : 0);
}

uint8_t *
wire_encode_problem(const MechanismRequest *request, const Instance *instance, Memory *memory,
					size_t *length)
{
	size_t rows = instance->spilled ? 0 : (size_t) instance->rows;
	size_t cells = rows * (size_t) instance->dimension;
	size_t bound = 256 + (size_t) request->grid.dimension * (1 + GRID_MAX_LEVELS) +
				   cells * sizeof(int32_t) + 2 * rows * sizeof(int64_t);
	uint8_t *bytes = memory_allocate(memory, bound, 1);
	Writer writer = {bytes};

	put(&writer, WIRE_VERSION, 2);
	put(&writer, request->kind, 1);
	put(&writer, request->adjacency, 1);
	put(&writer, (uint64_t) request->epsilon, 8);
	put(&writer, (uint64_t) request->delta, 8);
	put(&writer, request->noise, 1);
	put(&writer, (uint64_t) request->group.first, 2);
	put(&writer, (uint64_t) request->group.size, 2);
	put(&writer, request->solver, 1);
	put(&writer, (uint64_t) request->threads, 2);
	put(&writer, (uint64_t) request->parts, 4);
	put(&writer, (uint64_t) request->part_nodes, 4);
	put(&writer, request->progress, 1);
	put_grid(&writer, &request->grid);
	if (mechanism_of(request)->convex)
		put_convex(&writer, &request->convex);
	if (mechanism_of(request)->descends)
		put_descent(&writer, &request->descent);
	if (mechanism_of(request)->targets)
		put_simplex(&writer, &request->simplex);
	put(&writer, instance->spilled, 1);
	put(&writer, instance->shape.binary[0], 8);
	put(&writer, instance->shape.binary[1], 8);
	put(&writer, (uint64_t) instance->rows, 8);
	put(&writer, (uint64_t) instance->constant, 8);
	put_array(&writer, instance->x, cells * sizeof(int32_t));
	if (is_labelled(request))
	{
		put_array(&writer, instance->positive, rows * sizeof(int64_t));
		put_array(&writer, instance->negative, rows * sizeof(int64_t));
	}
	else
		put_array(&writer, instance->net, rows * sizeof(int64_t));
	*length = (size_t) (writer.at - bytes);
	return bytes;
}

/* select.h: only in a product, and all its coordinates have equal level lists. */
static bool
group_is_valid(const SelectGroup *group, const Grid *grid)
{
	if (group->size == 0)
		return group->first == 0;
	return grid->constraint == GRID_PRODUCT && group->first + group->size <= grid->dimension &&
		   grid_same_levels(grid, group->first, group->size);
}

/* perturbation.h: the law is one that the grid and delta allow. */
static bool
noise_is_valid(const MechanismRequest *request)
{
	PerturbationRequest asked = mechanism_perturbation(request);

	if (request->noise >= PERTURBATION_NOISES || request->delta < 0 || request->delta > DELTA_ONE)
		return false;
	if (!mechanism_perturbs(request->kind))
		return request->noise == PERTURBATION_GAUGE && request->delta == 0;
	if ((request->delta > 0) != perturbation_needs_delta(request->noise))
		return false;
	return perturbation_refusal(&asked) == NULL;
}

/* mechanism.h: where one mechanism's numbers are needed they are there, and nowhere else. */
static bool
parts_are_valid(const MechanismRequest *request)
{
	if (mechanism_of(request)->parts)
		return request->parts > 0 && request->part_nodes > 0;
	return request->parts == 0 && request->part_nodes == 0;
}

static bool
request_is_valid(const MechanismRequest *request)
{
	return mechanism_get(request->kind) != NULL && request->adjacency <= ADJACENCY_ADD_REMOVE &&
		   request->epsilon > 0 && request->solver < SOLVER_KINDS && request->threads >= 1 &&
		   request->threads <= 64 && noise_is_valid(request) && parts_are_valid(request) &&
		   group_is_valid(&request->group, &request->grid);
}

/* instance.h: no net weight is 0, and the largest loss fits. */
static bool
instance_is_valid(const Instance *instance)
{
	int64_t largest = instance->constant;

	if (instance->constant < 0)
		return false;
	for (int64_t i = 0; i < instance->rows; i++)
	{
		int64_t net = instance->net[i];

		if (net == 0 || net == INT64_MIN ||
			__builtin_add_overflow(largest, net > 0 ? net : -net, &largest))
			return false;
	}
	return true;
}

/* Counts of labels, none of them negative, with a sum that fits. */
static bool
labels_are_valid(const Instance *instance)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < instance->rows; i++)
		if (instance->positive[i] < 0 || instance->negative[i] < 0 ||
			__builtin_add_overflow(sum, instance->positive[i], &sum) ||
			__builtin_add_overflow(sum, instance->negative[i], &sum))
			return false;
	return sum < INSTANCE_MAX_LABELS;
}

/* No bit beyond the coordinates (spill.h), and none at all where nothing was spilled. */
static bool
set_shape(Instance *instance)
{
	SpillShape *shape = &instance->shape;
	int dimension = instance->dimension;

	if (!instance->spilled)
		return shape->binary[0] == 0 && shape->binary[1] == 0;
	shape->dimension = dimension;
	if (dimension < 64)
		return shape->binary[0] >> dimension == 0 && shape->binary[1] == 0;
	return dimension == 128 || shape->binary[1] >> (dimension - 64) == 0;
}

bool
wire_decode_problem(const uint8_t *bytes, size_t length, Memory *memory, MechanismRequest *request,
					Instance *instance)
{
	Reader reader = {bytes, bytes + length, false};
	uint64_t parts;
	uint64_t part_nodes;
	uint64_t progress;
	uint64_t rows;
	uint64_t spilled;
	uint64_t arrays; /* rows that follow */
	bool labelled;

	memset(request, 0, sizeof(*request));
	memset(instance, 0, sizeof(*instance));
	if (get(&reader, 2) != WIRE_VERSION)
		return false;
	request->kind = (MechanismKind) get(&reader, 1);
	request->adjacency = (Adjacency) get(&reader, 1);
	request->epsilon = (int64_t) get(&reader, 8);
	request->delta = (int64_t) get(&reader, 8);
	request->noise = (PerturbationNoise) get(&reader, 1);
	request->group.first = (int) get(&reader, 2);
	request->group.size = (int) get(&reader, 2);
	request->solver = (SolverKind) get(&reader, 1);
	request->threads = (int) get(&reader, 2);
	parts = get(&reader, 4);
	part_nodes = get(&reader, 4);
	progress = get(&reader, 1);
	request->progress = progress == 1;
	get_grid(&reader, &request->grid);
	if (!reader.failed && mechanism_of(request)->convex)
		get_convex(&reader, &request->convex);
	if (!reader.failed && mechanism_of(request)->descends)
		get_descent(&reader, &request->convex, &request->descent);
	if (!reader.failed && mechanism_of(request)->targets)
		get_simplex(&reader, &request->simplex);
	spilled = get(&reader, 1);
	instance->shape.binary[0] = get(&reader, 8);
	instance->shape.binary[1] = get(&reader, 8);
	rows = get(&reader, 8);
	instance->constant = (int64_t) get(&reader, 8);
	if (reader.failed || progress > 1 || spilled > 1 || parts > SAMPLE_MAX_PARTS ||
		part_nodes > SAMPLE_MAX_PART_NODES)
		return false;
	request->parts = (int) parts;
	request->part_nodes = (int64_t) part_nodes;
	if (!request_is_valid(request) || rows > INT64_MAX / GRID_MAX_DIMENSION ||
		(spilled == 1 && rows >= INSTANCE_MAX_LABELS))
		return false;
	instance->dimension = instance_columns(request);
	instance->rows = (int64_t) rows;
	if (instance->dimension > GRID_MAX_DIMENSION)
		return false;
	labelled = is_labelled(request);
	instance->spilled = spilled == 1;
	if (!set_shape(instance))
		return false;
	arrays = instance->spilled ? 0 : rows;
	instance->x =
		get_array(&reader, arrays * (uint64_t) instance->dimension, sizeof(int32_t), memory);
	if (labelled)
	{
		instance->positive = get_array(&reader, arrays, sizeof(int64_t), memory);
		instance->negative = get_array(&reader, arrays, sizeof(int64_t), memory);
	}
	else
		instance->net = get_array(&reader, arrays, sizeof(int64_t), memory);
	if (reader.failed || reader.at != reader.end)
		return false;
	if (instance->spilled)
		return true; /* the counts are checked when they are read */
	if (labelled)
		return labels_are_valid(instance);
	return instance_is_valid(instance);
}

size_t
wire_encode_answer(const MechanismRequest *request, const MechanismAnswer *answer, uint8_t *bytes)
{
	Writer writer = {bytes};

	put(&writer, WIRE_VERSION, 2);
	for (int j = 0; j < request->grid.dimension; j++)
		put(&writer, (uint64_t) answer->index[j], 1);
	put(&writer, (uint64_t) answer->loss, 8);
	put(&writer, (uint64_t) answer->nodes, 8);
	for (int j = 0; is_labelled(request) && j < request->grid.dimension; j++)
		put(&writer, (uint64_t) answer->weight[j], 8);
	return (size_t) (writer.at - bytes);
}

bool
wire_decode_answer(const uint8_t *bytes, size_t length, const MechanismRequest *request,
				   MechanismAnswer *answer)
{
	Reader reader = {bytes, bytes + length, false};

	memset(answer, 0, sizeof(*answer));
	if (get(&reader, 2) != WIRE_VERSION)
		return false;
	for (int j = 0; j < request->grid.dimension; j++)
		answer->index[j] = (int) get(&reader, 1);
	answer->loss = (int64_t) get(&reader, 8);
	answer->nodes = (int64_t) get(&reader, 8);
	for (int j = 0; is_labelled(request) && j < request->grid.dimension; j++)
		answer->weight[j] = (int64_t) get(&reader, 8);
	return !reader.failed && reader.at == reader.end &&
		   grid_contains(&request->grid, answer->index);
}

void
wire_encode_progress(const MechanismProgress *progress, uint8_t *bytes)
{
	Writer writer = {bytes};

	put(&writer, WIRE_VERSION, 2);
	put(&writer, progress->sampling, 8);
	put(&writer, (uint64_t) progress->nodes, 8);
	put(&writer, (uint64_t) progress->attempts, 8);
	put(&writer, (uint64_t) progress->bound, 8);
	put(&writer, (uint64_t) progress->incumbent, 8);
	put(&writer, progress->scale, 8);
}

bool
wire_decode_progress(const uint8_t *bytes, size_t length, MechanismProgress *progress)
{
	Reader reader = {bytes, bytes + length, false};

	if (get(&reader, 2) != WIRE_VERSION)
		return false;
	progress->sampling = get(&reader, 8) != 0;
	progress->nodes = (int64_t) get(&reader, 8);
	progress->attempts = (int64_t) get(&reader, 8);
	progress->bound = (int64_t) get(&reader, 8);
	progress->incumbent = (int64_t) get(&reader, 8);
	progress->scale = get(&reader, 8);
	return !reader.failed && reader.at == reader.end;
}
