/*
 * wire.c - one list of fields for each message, which writes it and reads it.
 */
#include "core/mechanisms/wire.h"

#include <string.h>

#include "core/base/mutant.h"
#include "core/base/siphash.h"
#include "core/convex/convex_columns.h"
#include "core/convex/convex_pass.h"
#include "core/convex/net_law.h"
#include "core/mechanisms/one_vs_rest.h"

#define WIRE_VERSION 14

/* A message that is written to out, or read from in .. end where out is NULL. */
typedef struct Wire
{
	uint8_t *out;
	const uint8_t *in;
	const uint8_t *end;
	bool failed; /* the bytes that were read are not valid */
} Wire;

/* Writes the value and returns it, or returns what is read: little-endian, without sign. */
static int64_t
field(Wire *wire, int64_t value, int bytes)
{
	uint64_t word = 0;

	if (wire->out != NULL)
	{
		for (int i = 0; i < bytes; i++)
			*wire->out++ = (uint8_t) ((uint64_t) value >> (8 * i));
		return value;
	}
	if (wire->end - wire->in < bytes)
	{
		wire->failed = true;
		return 0;
	}
	for (int i = 0; i < bytes; i++)
		word |= (uint64_t) *wire->in++ << (8 * i);
	return (int64_t) word;
}

/* A number of things that there can be at most so many of; else 0, so that no loop goes on for more. */
static int
count_field(Wire *wire, int value, int bytes, int most)
{
	int64_t count = field(wire, value, bytes);

	if (count >= 0 && count <= most)
		return (int) count;
	wire->failed = true;
	return 0;
}

static bool
bool_field(Wire *wire, bool value)
{
	int64_t number = field(wire, value, 1);

	wire->failed |= number > 1;
	return number == 1;
}

static double
double_field(Wire *wire, double value)
{
	int64_t word;

	memcpy(&word, &value, sizeof(word));
	word = field(wire, word, 8);
	memcpy(&value, &word, sizeof(value));
	return value;
}

static void
version_field(Wire *wire)
{
	wire->failed |= field(wire, WIRE_VERSION, 2) != WIRE_VERSION;
}

/* Copies numbers as they are: one machine, one byte order.  An array that is read is memory's. */
static const void *
array_field(Wire *wire, const void *array, uint64_t count, size_t size, Memory *memory)
{
	uint64_t left;
	void *copy;

	if (wire->out != NULL)
	{
		if (count > 0)
			memcpy(wire->out, array, count * size);
		wire->out += count * size;
		return array;
	}
	left = (uint64_t) (wire->end - wire->in);
	if (wire->failed || count > left / size)
	{
		wire->failed = true;
		return NULL;
	}
	/*@ assert inside: count * size <= left; */
	copy = memory_allocate(memory, count, size);
	if (count > 0)
		memcpy(copy, wire->in, count * size);
	wire->in += count * size;
	return copy;
}

/* ---- a problem ---- */

static void
grid_fields(Wire *wire, Grid *grid)
{
	grid->dimension = count_field(wire, grid->dimension, 2, WEIGHTS_MAX);
	grid->constraint = (GridConstraint) field(wire, grid->constraint, 1);
	grid->bound = (int) field(wire, grid->bound, 2);
	wire->failed |= grid->constraint > GRID_MODULUS;
	for (int j = 0; j < grid->dimension && !wire->failed; j++)
	{
		grid->levels[j] = count_field(wire, grid->levels[j], 1, GRID_MAX_LEVELS);
		for (int i = 0; i < grid->levels[j] && !wire->failed; i++)
			grid->level[j][i] = (int8_t) field(wire, grid->level[j][i], 1);
	}
	wire->failed = wire->failed || !grid_is_valid(grid);
}

static void
columns_fields(Wire *wire, ConvexColumns *columns, int dimension)
{
	wire->failed |= dimension > COLUMNS_MAX;
	for (int j = 0; j < dimension && j < COLUMNS_MAX && !wire->failed; j++)
	{
		columns->group[j] = (int16_t) field(wire, columns->group[j], 2);
		columns->bound[j] = (int32_t) field(wire, columns->bound[j], 4);
	}
	wire->failed = wire->failed || !convex_columns_valid(columns, dimension);
}

static void
convex_fields(Wire *wire, ConvexTerms *terms, int dimension)
{
	terms->loss = (ConvexLoss) field(wire, terms->loss, 1);
	terms->classes = (int) field(wire, terms->classes, 1);
	terms->noise = (ConvexNoise) field(wire, terms->noise, 1);
	terms->radius = double_field(wire, terms->radius);
	terms->lambda = field(wire, terms->lambda, 8);
	terms->delta = field(wire, terms->delta, 8);
	terms->norm = field(wire, terms->norm, 8);
	terms->steps = (int) field(wire, terms->steps, 4);
	terms->rows = field(wire, terms->rows, 8);
	terms->peak = field(wire, terms->peak, 8);
	terms->calls = (int) field(wire, terms->calls, 4);
	wire->failed |=
		!convex_terms_valid(terms) || (terms->classes > 0 && dimension % terms->classes != 0);
	for (int j = 0; j < dimension; j++)
		terms->levels[j] = (int16_t) count_field(wire, terms->levels[j], 2, LEVELS_MAX);
	wire->failed |= !levels_valid(terms->levels, dimension) ||
					(levels_weights(terms->levels, dimension) > dimension &&
					 (terms->classes > 0 || terms->noise >= CONVEX_LAPLACE));
	if (!wire->failed && terms->noise == CONVEX_KNORM)
		columns_fields(wire, &terms->columns, dimension);
}

/* The second stage, and the columns whatever the noise of the first is. */
static void
pool_fields(Wire *wire, ConvexTerms *convex, int dimension, PoolTerms *terms)
{
	if (convex->noise != CONVEX_KNORM)
		columns_fields(wire, &convex->columns, dimension);
	terms->epsilon = field(wire, terms->epsilon, 8);
	terms->rows = field(wire, terms->rows, 8);
	/* an answer has a candidate for each round */
	terms->rounds = count_field(wire, terms->rounds, 2, POOL_MOST_ROUNDS);
	wire->failed |= terms->rounds < 1;
}

static void
descent_fields(Wire *wire, const ConvexTerms *convex, DescentTerms *terms)
{
	terms->sampling = (DescentSampling) field(wire, terms->sampling, 1);
	terms->iterations = (int) field(wire, terms->iterations, 4);
	terms->batch = field(wire, terms->batch, 8);
	terms->rows = field(wire, terms->rows, 8);
	terms->step = double_field(wire, terms->step);
	terms->norm = double_field(wire, terms->norm);
	wire->failed |= !descent_terms_valid(terms, convex);
}

static void
residual_fields(Wire *wire, ConvexTerms *convex, int dimension, ResidualTerms *terms)
{
	columns_fields(wire, &convex->columns, dimension);
	terms->intercept = bool_field(wire, terms->intercept);
	for (int j = 0; j < dimension && j < COLUMNS_MAX && !wire->failed; j++)
		terms->ordered[j] = (int16_t) field(wire, terms->ordered[j], 2);
	wire->failed = wire->failed || !residual_terms_valid(convex, terms, dimension);
}

static void
simplex_fields(Wire *wire, SimplexTerms *terms)
{
	terms->lambda = double_field(wire, terms->lambda);
	terms->rows = field(wire, terms->rows, 8);
	terms->low = (int32_t) field(wire, terms->low, 4);
	terms->high = (int32_t) field(wire, terms->high, 4);
	terms->target_low = (int32_t) field(wire, terms->target_low, 4);
	terms->target_high = (int32_t) field(wire, terms->target_high, 4);
	terms->delta = field(wire, terms->delta, 8);
	wire->failed |= !simplex_terms_valid(terms);
}

/* The row of the table; an empty one for a kind that was read and does not exist. */
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

static void
request_fields(Wire *wire, MechanismRequest *request)
{
	version_field(wire);
	request->kind = (MechanismKind) field(wire, request->kind, 1);
	request->adjacency = (Adjacency) field(wire, request->adjacency, 1);
	request->epsilon = field(wire, request->epsilon, 8);
	request->delta = field(wire, request->delta, 8);
	request->prior_power = field(wire, request->prior_power, 4);
	request->noise = (PerturbationNoise) field(wire, request->noise, 1);
	request->group.first = (int) field(wire, request->group.first, 2);
	request->group.size = (int) field(wire, request->group.size, 2);
	request->solver = (SolverKind) field(wire, request->solver, 1);
	request->threads = (int) field(wire, request->threads, 2);
	request->one_vs_rest = (int) field(wire, request->one_vs_rest, 1);
	request->parts = (int) field(wire, request->parts, 4);
	request->part_nodes = field(wire, request->part_nodes, 4);
	request->progress = bool_field(wire, request->progress);
	request->effort = field(wire, request->effort, 8);
	wire->failed |= request->effort < 0;
	grid_fields(wire, &request->grid);
	if (!wire->failed && mechanism_of(request)->convex)
		convex_fields(wire, &request->convex, request->grid.dimension);
	if (!wire->failed && mechanism_of(request)->convex)
		wire->failed = mechanism_of(request)->targets != (request->convex.loss == LOSS_SQUARES);
	/* other mechanisms but descent know no levels, and of them sgd alone knows classes */
	if (!wire->failed && mechanism_of(request)->terms != TERMS_NOISE)
		wire->failed =
			(request->convex.classes > 0 && mechanism_of(request)->terms != TERMS_DESCENT) ||
			(mechanism_of(request)->terms != TERMS_RESIDUAL &&
			 mechanism_weights(request) > request->grid.dimension);
	if (!wire->failed && mechanism_of(request)->terms == TERMS_POOL)
		pool_fields(wire, &request->convex, request->grid.dimension, &request->pool);
	if (!wire->failed && mechanism_of(request)->terms == TERMS_DESCENT)
		descent_fields(wire, &request->convex, &request->descent);
	if (!wire->failed && mechanism_of(request)->terms == TERMS_RESIDUAL)
		residual_fields(wire, &request->convex, request->grid.dimension, &request->residual);
	if (!wire->failed && mechanism_of(request)->targets && !mechanism_of(request)->convex)
		simplex_fields(wire, &request->simplex);
}

static uint64_t
digest_loss(ConvexLoss loss, Memory *memory)
{
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));
	uint64_t digest;

	loss_table_make(loss, table);
	digest = loss_table_digest(table);
	memory_release(memory, table);
	return digest;
}

uint64_t
wire_losses_digest(Memory *memory)
{
	static const SipKey key;
	uint64_t digests[LOSS_KINDS];

	for (int loss = 0; loss < LOSS_KINDS; loss++)
		digests[loss] = digest_loss((ConvexLoss) loss, memory);
	return siphash(key, digests, sizeof(digests));
}

/* Are the slopes of the loss those of the encoder, so that all parts sum the same function? */
static void
loss_field(Wire *wire, ConvexLoss loss, Memory *memory)
{
	int64_t digest = (int64_t) digest_loss(loss, memory);

	wire->failed |= field(wire, digest, 8) != digest && !MUTANT(336);
}

static void
instance_fields(Wire *wire, Instance *instance)
{
	instance->spilled = bool_field(wire, instance->spilled);
	instance->elsewhere = bool_field(wire, instance->elsewhere);
	for (int k = 0; k < COLUMNS_MAX / 64; k++)
		instance->shape.binary[k] = (uint64_t) field(wire, (int64_t) instance->shape.binary[k], 8);
	instance->rows = field(wire, instance->rows, 8);
	instance->constant = field(wire, instance->constant, 8);
}

/* The rows, unless they are spilled. */
static void
row_fields(Wire *wire, const MechanismRequest *request, Instance *instance, Memory *memory)
{
	uint64_t rows = instance->spilled ? 0 : (uint64_t) instance->rows;
	uint64_t cells = rows * (uint64_t) instance->dimension;

	instance->x = array_field(wire, instance->x, cells, sizeof(int32_t), memory);
	if (is_labelled(request))
	{
		instance->positive = array_field(wire, instance->positive, rows, sizeof(int64_t), memory);
		instance->negative = array_field(wire, instance->negative, rows, sizeof(int64_t), memory);
	}
	else
		instance->net = array_field(wire, instance->net, rows, sizeof(int64_t), memory);
}

uint8_t *
wire_encode_problem(const MechanismRequest *request, const Instance *instance, Memory *memory,
					size_t *length)
{
	size_t rows = instance->spilled ? 0 : (size_t) instance->rows;
	size_t cells = rows * (size_t) instance->dimension;
	size_t bound = 512 + (size_t) request->grid.dimension * (8 + GRID_MAX_LEVELS) +
				   cells * sizeof(int32_t) + 2 * rows * sizeof(int64_t);
	uint8_t *bytes = memory_allocate(memory, bound, 1);
	MechanismRequest sent = *request;
	Instance table = *instance;
	Wire wire = {.out = bytes};

	request_fields(&wire, &sent);
	instance_fields(&wire, &table);
	if (table.elsewhere)
		loss_field(&wire, sent.convex.loss, memory);
	row_fields(&wire, &sent, &table, memory);
	*length = (size_t) (wire.out - bytes);
	return bytes;
}

/* perturbation.h: the grid and delta allow the law. */
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

/* mechanism.h: a mechanism with parts has both numbers, any other has neither. */
static bool
parts_are_valid(const MechanismRequest *request)
{
	if (mechanism_of(request)->parts)
		return request->parts > 0 && request->parts <= SAMPLE_MAX_PARTS &&
			   request->part_nodes > 0 && request->part_nodes <= SAMPLE_MAX_PART_NODES;
	return request->parts == 0 && request->part_nodes == 0;
}

/* Of a mechanism that has priors, and within the samplers' limits. */
static bool
prior_is_valid(const MechanismRequest *request)
{
	if (!mechanism_of(request)->prior)
		return request->prior_power == 0;
	return prior_refusal(&request->grid, request->prior_power, request->epsilon,
						 request->adjacency) == NULL;
}

static bool
request_is_valid(const MechanismRequest *request)
{
	return mechanism_get(request->kind) != NULL && request->adjacency <= ADJACENCY_ADD_REMOVE &&
		   request->epsilon > 0 && request->solver < SOLVER_KINDS && request->threads >= 1 &&
		   request->threads <= 64 && noise_is_valid(request) && parts_are_valid(request) &&
		   request->grid.dimension <= mechanism_most_dimension(mechanism_of(request)) &&
		   prior_is_valid(request) && one_vs_rest_is_valid(request) &&
		   select_group_is_valid(&request->grid, request->group);
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

/* All that is known of rows elsewhere comes in passes. */
static bool
place_is_valid(const MechanismRequest *request, const Instance *instance)
{
	return !instance->elsewhere || (mechanism_passes(request) && !instance->spilled &&
									instance->rows == 0 && instance->constant == 0);
}

/* Bits are for coordinates (spill.h), and for spilled rows only; sets the shape's dimension. */
static bool
set_shape(Instance *instance)
{
	SpillShape *shape = &instance->shape;
	int dimension = instance->dimension;

	shape->dimension = instance->spilled ? dimension : 0;
	for (int k = 0; k < COLUMNS_MAX / 64; k++)
	{
		int used = shape->dimension - 64 * k;

		if (used < 64 && shape->binary[k] >> (used > 0 ? used : 0) != 0)
			return false;
	}
	return true;
}

bool
wire_decode_problem(const uint8_t *bytes, size_t length, Memory *memory, MechanismRequest *request,
					Instance *instance)
{
	Wire wire = {.in = bytes, .end = bytes + length};

	memset(request, 0, sizeof(*request));
	memset(instance, 0, sizeof(*instance));
	request_fields(&wire, request);
	instance_fields(&wire, instance);
	if (wire.failed || !request_is_valid(request) || instance->rows < 0 ||
		instance->rows > INT64_MAX / COLUMNS_MAX ||
		(instance->spilled && instance->rows >= INSTANCE_MAX_LABELS) ||
		!place_is_valid(request, instance))
		return false;
	/* a target comes before the features */
	instance->dimension = mechanism_features(request);
	if (mechanism_of(request)->targets || request->convex.classes > 0 || request->one_vs_rest > 0)
		instance->dimension++;
	if (instance->dimension > COLUMNS_MAX || !set_shape(instance))
		return false;
	if (instance->elsewhere)
		loss_field(&wire, request->convex.loss, memory);
	row_fields(&wire, request, instance, memory);
	if (wire.failed || wire.in != wire.end)
		return false;
	if (instance->spilled)
		return true; /* the counts are checked when they are read */
	return is_labelled(request) ? labels_are_valid(instance) : instance_is_valid(instance);
}

/* ---- a pass ---- */

static Wide
wide_field(Wire *wire, Wide value)
{
	uint64_t low = (uint64_t) field(wire, (int64_t) value, 8);
	int64_t high = field(wire, (int64_t) wide_high((UnsignedWide) value), 8);

	return wide_join((uint64_t) high, low);
}

static void
pass_fields(Wire *wire, Pass *pass)
{
	version_field(wire);
	pass->kind = (PassKind) field(wire, pass->kind, 1);
	pass->number = field(wire, pass->number, 8);
	pass->thin = field(wire, pass->thin, 8);
	pass->bent = bool_field(wire, pass->bent);
	pass->clip = (int) field(wire, pass->clip, 1);
	pass->first = field(wire, pass->first, 8);
	pass->sums = field(wire, pass->sums, 4);
	pass->places = (int) field(wire, pass->places, 4);
}

uint8_t *
wire_encode_pass(const Pass *pass, Memory *memory, size_t *length)
{
	uint8_t *bytes = memory_allocate(memory, WIRE_PASS_MAX, 1);
	Pass sent = *pass;
	Wire wire = {.out = bytes};

	pass_fields(&wire, &sent);
	for (int j = 0; j < pass->places; j++)
		(void) wide_field(&wire, pass->place[j]);
	*length = (size_t) (wire.out - bytes);
	return bytes;
}

static bool
places_are_within(const Pass *pass, int places, Wide most)
{
	for (int j = 0; j < places; j++)
		if (pass->place[j] < -most || pass->place[j] > most)
			return false;
	return true;
}

/* At any weights that convex_pass() may have, with as many sums as these give. */
static bool
gradient_is_valid(const MechanismRequest *request, const Pass *pass)
{
	int weights = mechanism_weights(request);
	bool clips = mechanism_of(request)->terms == TERMS_RESIDUAL;

	return pass->thin >= 1 && pass->thin < INSTANCE_MAX_LABELS && pass->first == 0 &&
		   (pass->clip != CLIP_NONE) == clips && pass->clip < RESIDUAL_CLIPS &&
		   pass->places == weights && (!clips || (pass->thin == 1 && !pass->bent)) &&
		   (!pass->bent || (weights == request->grid.dimension && weights <= GRID_MAX_DIMENSION)) &&
		   pass->sums == convex_pass_sums(request->convex.classes, mechanism_features(request),
										  weights, pass->bent) &&
		   (places_are_within(pass, weights, ((Wide) 1 << (WEIGHT_BITS + WEIGHT_LIMIT_BITS)) - 1) ||
			MUTANT(339));
}

/* Points of the request's net. */
static bool
net_is_valid(const MechanismRequest *request, const Pass *pass)
{
	int dimension = request->grid.dimension;
	int steps = request->convex.steps;

	return mechanism_of(request)->terms == TERMS_BODY && dimension <= NET_MAX_DIMENSION &&
		   steps >= 1 && steps <= NET_MOST_STEPS && pass->thin == 0 && !pass->bent &&
		   pass->places == dimension + 1 && places_are_within(pass, dimension, NET_REACH) &&
		   pass->place[dimension] >= 1 && pass->place[dimension] <= NET_REACH / steps &&
		   pass->sums >= 1 && pass->sums <= PASS_SUMS_MAX && pass->first >= 0 &&
		   pass->first <= NET_MAX_POINTS - pass->sums &&
		   pass->first + pass->sums <= net_points(dimension, steps);
}

static bool
pass_is_valid(const MechanismRequest *request, const Pass *pass)
{
	if (pass->kind != PASS_GRADIENT && pass->clip != CLIP_NONE)
		return false;
	switch (pass->kind)
	{
		case PASS_LABELS:
			return pass->thin == 0 && !pass->bent && pass->first == 0 && pass->places == 0 &&
				   pass->sums == 1;
		case PASS_COUNTS:
			return mechanism_of(request)->terms == TERMS_RESIDUAL && pass->thin == 0 &&
				   !pass->bent && pass->first == 0 && pass->places == 0 &&
				   pass->sums == 2 + mechanism_weights(request);
		case PASS_GRADIENT:
			return gradient_is_valid(request, pass);
		case PASS_NET:
			return net_is_valid(request, pass);
		default:
			return false;
	}
}

bool
wire_decode_pass(const uint8_t *bytes, size_t length, const MechanismRequest *request,
				 Memory *memory, Pass *pass)
{
	Wire wire = {.in = bytes, .end = bytes + length};
	Wide *place;

	memset(pass, 0, sizeof(*pass));
	pass_fields(&wire, pass);
	if (wire.failed || pass->number < 1 || pass->places < 0 || pass->places > LEVELS_WEIGHTS_MAX ||
		(wire.end - wire.in) != 16 * (ptrdiff_t) pass->places)
		return false;
	place = memory_allocate(memory, (size_t) pass->places, sizeof(Wide));
	for (int j = 0; j < pass->places; j++)
		place[j] = wide_field(&wire, 0);
	pass->place = place;
	return pass_is_valid(request, pass);
}

static void
sums_fields(Wire *wire, int64_t *number, int64_t *count)
{
	version_field(wire);
	*number = field(wire, *number, 8);
	*count = field(wire, *count, 4);
}

uint8_t *
wire_encode_sums(const PassSums *sums, Memory *memory, size_t *length)
{
	uint8_t *bytes;
	int64_t number = sums->number;
	int64_t count = sums->count;
	Wire wire = {0};

	if (sums->missing > 0 && !MUTANT(338))
		return NULL;
	bytes = wire.out = memory_allocate(memory, 14 + 16 * (size_t) count, 1);
	sums_fields(&wire, &number, &count);
	for (int64_t i = 0; i < count; i++)
		(void) wide_field(&wire, sums->sum[i]);
	*length = (size_t) (wire.out - bytes);
	return bytes;
}

bool
wire_add_sums(const uint8_t *bytes, size_t length, int part, PassSums *sums)
{
	Wire wire = {.in = bytes, .end = bytes + length};
	int64_t number = 0;
	int64_t count = 0;

	sums_fields(&wire, &number, &count);
	if (wire.failed || (number != sums->number && !MUTANT(331)) || count != sums->count ||
		wire.end - wire.in != 16 * (ptrdiff_t) count || part < 0 || part >= sums->parts ||
		(sums->added[part] && !MUTANT(332)))
		return false;
	for (int64_t i = 0; i < count; i++)
		if (!pass_sums_add(sums, i, wide_field(&wire, 0)))
			return false;
	sums->added[part] = true;
	sums->missing--;
	return true;
}

/* ---- an answer ---- */

static void
record_fields(Wire *wire, const MechanismRequest *request, PoolRecord *record)
{
	for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
		record->seed.byte[i] = (uint8_t) field(wire, record->seed.byte[i], 1);
	for (int j = 0; j < request->grid.dimension; j++)
		record->centre[j] = field(wire, record->centre[j], 8);
	for (int round = 0; round < request->pool.rounds; round++)
	{
		record->drawn[round] = field(wire, record->drawn[round], 4);
		wire->failed |= record->drawn[round] >= POOL_MOST;
	}
}

/* Vectors of an answer over a grid. */
static int
models_of(const MechanismRequest *request)
{
	return request->one_vs_rest > 0 ? request->one_vs_rest : 1;
}

static void
answer_fields(Wire *wire, const MechanismRequest *request, MechanismAnswer *answer)
{
	version_field(wire);
	for (int j = 0; j < models_of(request) * request->grid.dimension; j++)
		answer->index[j] = (int) field(wire, answer->index[j], 1);
	answer->loss = field(wire, answer->loss, 8);
	answer->nodes = field(wire, answer->nodes, 8);
	for (int j = 0; is_labelled(request) && j < mechanism_weights(request); j++)
		answer->weight[j] = field(wire, answer->weight[j], 8);
	if (mechanism_of(request)->terms == TERMS_POOL)
		record_fields(wire, request, &answer->pool);
}

size_t
wire_encode_answer(const MechanismRequest *request, const MechanismAnswer *answer, uint8_t *bytes)
{
	MechanismAnswer sent = *answer;
	Wire wire = {.out = bytes};

	answer_fields(&wire, request, &sent);
	return (size_t) (wire.out - bytes);
}

bool
wire_decode_answer(const uint8_t *bytes, size_t length, const MechanismRequest *request,
				   Memory *memory, MechanismAnswer *answer)
{
	Wire wire = {.in = bytes, .end = bytes + length};

	memset(answer, 0, sizeof(*answer));
	if (is_labelled(request))
		mechanism_make_weights(request, memory, answer);
	answer_fields(&wire, request, answer);
	for (int k = 0; k < models_of(request); k++)
		wire.failed |= !grid_contains(&request->grid, answer->index + k * request->grid.dimension);
	return !wire.failed && wire.in == wire.end;
}

/* ---- progress ---- */

static void
progress_fields(Wire *wire, MechanismProgress *progress)
{
	version_field(wire);
	progress->sampling = field(wire, progress->sampling, 8) != 0;
	progress->nodes = field(wire, progress->nodes, 8);
	progress->attempts = field(wire, progress->attempts, 8);
	progress->bound = field(wire, progress->bound, 8);
	progress->incumbent = field(wire, progress->incumbent, 8);
	progress->scale = (uint64_t) field(wire, (int64_t) progress->scale, 8);
}

void
wire_encode_progress(const MechanismProgress *progress, uint8_t *bytes)
{
	MechanismProgress sent = *progress;
	Wire wire = {.out = bytes};

	progress_fields(&wire, &sent);
}

bool
wire_decode_progress(const uint8_t *bytes, size_t length, MechanismProgress *progress)
{
	Wire wire = {.in = bytes, .end = bytes + length};

	memset(progress, 0, sizeof(*progress));
	progress_fields(&wire, progress);
	return !wire.failed && wire.in == wire.end;
}
