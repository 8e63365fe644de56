/*
 * test_passes.c - a model of rows in parts is the model of the same rows on one machine, bit by
 * bit (theorem V20), and sums that no part can have sent are refused.
 */
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/convex/convex_pass.h"
#include "core/convex/net_law.h"
#include "core/mechanisms/convex_part.h"
#include "core/mechanisms/wire.h"
#include "solver/frame.h"
#include "solver/pass_link.h"

#include "core/fixture.h"

#define MOST_ROWS 600
#define MOST_COLUMNS 8
#define MOST_PARTS 7

/* ---- tables ---- */

typedef struct Table
{
	Instance instance;
	int32_t x[MOST_ROWS * MOST_COLUMNS];
	int64_t positive[MOST_ROWS];
	int64_t negative[MOST_ROWS];
} Table;

static Table whole;
static Table part_table[MOST_PARTS];

static void
table_begin(Table *table, int dimension)
{
	table->instance = (Instance){.dimension = dimension,
								 .x = table->x,
								 .positive = table->positive,
								 .negative = table->negative};
}

static void
table_add(Table *table, const int32_t *x, int64_t positive, int64_t negative)
{
	int64_t i = table->instance.rows++;

	memcpy(table->x + i * table->instance.dimension, x,
		   (size_t) table->instance.dimension * sizeof(int32_t));
	table->positive[i] = positive;
	table->negative[i] = negative;
}

static int32_t
draw_value(const MechanismRequest *request, int j)
{
	int levels = request->convex.levels[j];

	if (levels > 0)
		return below(levels + 1) * FIXED_POINT_ONE;
	return below(3) == 0 ? (below(3) - 1) * FIXED_POINT_ONE
						 : (int32_t) (between(-1, 1) * FIXED_POINT_ONE);
}

/* Rows of the request's kind; few kinds of rows are many, and up to many labels are equal. */
static void
draw_table(const MechanismRequest *request, int rows, int64_t many)
{
	bool targets = mechanism_get(request->kind)->targets;
	int classes = request->convex.classes;
	int front = targets || classes > 0;
	int features = mechanism_features(request);

	table_begin(&whole, features + front);
	for (int i = 0; i < rows; i++)
	{
		int32_t x[MOST_COLUMNS];

		if (targets)
			x[0] = (int32_t) (between(-2, 2) * FIXED_POINT_ONE);
		else if (classes > 0)
			x[0] = below(classes) * FIXED_POINT_ONE;
		for (int j = 0; j < features; j++)
			x[front + j] = draw_value(request, j);
		table_add(&whole, x, (int64_t) teststream_below(&stream, (uint64_t) many),
				  front ? 0 : (int64_t) teststream_below(&stream, (uint64_t) many));
	}
}

static int64_t
some_of(int64_t labels, bool last)
{
	return last || labels == 0 ? labels
							   : (int64_t) teststream_below(&stream, (uint64_t) labels + 1);
}

/* Labels of equal rows are in several parts; every third part is empty if there are several. */
static void
split_table(int parts)
{
	for (int k = 0; k < parts; k++)
		table_begin(&part_table[k], whole.instance.dimension);
	for (int64_t i = 0; i < whole.instance.rows; i++)
	{
		int64_t positive = whole.positive[i];
		int64_t negative = whole.negative[i];

		for (int k = parts - 1; k >= 0; k--)
		{
			int64_t p = some_of(positive, k == 0);
			int64_t n = some_of(negative, k == 0);

			if (k % 3 == 1)
				continue;
			table_add(&part_table[k], whole.x + i * whole.instance.dimension, p, n);
			positive -= p;
			negative -= n;
		}
	}
}

/* ---- memory ---- */

/* As palloc's, aligned to 8 bytes and no better. */
static void *
crooked_allocate(Memory *self, size_t bytes)
{
	uintptr_t block = (uintptr_t) memory_allocate(memory, bytes + 16, 1);

	(void) self;
	return (void *) (block + (block % 16 == 0 ? 8 : 0));
}

/* memory_renew() frees all. */
static void
crooked_release(Memory *self, void *block)
{
	(void) self;
	(void) block;
}

static Memory server_memory = {.allocate = crooked_allocate, .release = crooked_release};

/* ---- parts ---- */

typedef struct Parts
{
	PassSource source;
	MechanismRequest request; /* as the coordinator has it */
	int parts;
	ConvexPart *part[MOST_PARTS];
	int kinds[PASS_KINDS]; /* passes made */
	int thin;
	int64_t longest_sums;
} Parts;

/* The way of the server: a pass to every part, their sums added, and the total to the solver. */
static uint8_t *
ask_parts(Parts *parts, const uint8_t *bytes, size_t length, size_t *total_length)
{
	Pass pass;
	PassSums sums;
	int first = below(parts->parts);
	uint8_t *total;

	CHECK(wire_decode_pass(bytes, length, &parts->request, &server_memory, &pass));
	parts->kinds[pass.kind]++;
	parts->thin += pass.thin > 1;
	pass_sums_create(&sums, &pass, parts->parts, &server_memory);
	for (int k = 0; k < parts->parts; k++)
	{
		int next = (first + k) % parts->parts;
		size_t sums_length;
		uint8_t *answer = convex_part_answer(parts->part[next], bytes, length, &sums_length);

		CHECK(wire_encode_sums(&sums, &server_memory, total_length) == NULL);
		CHECK(answer != NULL && wire_add_sums(answer, sums_length, next, &sums));
		CHECK(sums_length <= WIRE_SUMS_MAX);
	}
	total = wire_encode_sums(&sums, &server_memory, total_length);
	CHECK(total != NULL);
	if (sums.count > parts->longest_sums)
		parts->longest_sums = sums.count;
	return total;
}

static void
sum_parts(PassSource *self, const Pass *pass, Wide *sum)
{
	Parts *parts = (Parts *) self;
	size_t length;
	size_t total_length;
	uint8_t *bytes = wire_encode_pass(pass, memory, &length);
	uint8_t *total = ask_parts(parts, bytes, length, &total_length);
	PassSums sums;

	CHECK(length <= WIRE_PASS_MAX);
	pass_sums_create(&sums, pass, 1, memory);
	CHECK(wire_add_sums(total, total_length, 0, &sums));
	memcpy(sum, sums.sum, (size_t) pass->sums * sizeof(Wide));
	pass_sums_destroy(&sums, memory);
	memory_release(memory, bytes);
}

/* The request and the instance elsewhere are what the bytes of the problem say. */
static void
parts_open(Parts *parts, const MechanismRequest *request, int count, Instance *elsewhere)
{
	Instance sent = {.dimension = whole.instance.dimension, .elsewhere = true};
	size_t length;
	uint8_t *problem = wire_encode_problem(request, &sent, memory, &length);

	memset(parts, 0, sizeof(*parts));
	parts->source.sum = sum_parts;
	parts->parts = count;
	CHECK(wire_decode_problem(problem, length, memory, &parts->request, elsewhere));
	CHECK(elsewhere->elsewhere && elsewhere->dimension == whole.instance.dimension);
	elsewhere->parts = &parts->source;
	split_table(count);
	for (int k = 0; k < count; k++)
	{
		parts->part[k] =
			convex_part_create(&parts->request, &part_table[k].instance, 1 + below(2), memory);
		CHECK(parts->part[k] != NULL);
	}
	memory_release(memory, problem);
}

static void
parts_close(Parts *parts)
{
	for (int k = 0; k < parts->parts; k++)
		convex_part_destroy(parts->part[k]);
}

/* ---- requests ---- */

typedef struct Recipe
{
	MechanismKind kind;
	ConvexLoss loss;
	ConvexNoise noise;
	int classes;
	bool levels;
} Recipe;

static const Recipe recipes[] = {
	{MECHANISM_OBJECTIVE, LOSS_LOGISTIC, CONVEX_GAUSSIAN, 0, false},
	{MECHANISM_OBJECTIVE, LOSS_HUBER, CONVEX_GAMMA, 0, false},
	{MECHANISM_OBJECTIVE, LOSS_CLIPPED, CONVEX_KNORM, 0, false},
	{MECHANISM_OBJECTIVE, LOSS_CLIPPED, CONVEX_GAUSSIAN, 3, false},
	{MECHANISM_OBJECTIVE, LOSS_LOGISTIC, CONVEX_GAMMA, 0, true},
	{MECHANISM_OUTPUT, LOSS_CLIPPED, CONVEX_GAMMA, 0, false},
	{MECHANISM_OUTPUT, LOSS_LOGISTIC, CONVEX_GAUSSIAN, 0, true},
	{MECHANISM_OUTPUT, LOSS_CLIPPED, CONVEX_GAMMA, 4, false},
	{MECHANISM_LINEAR, LOSS_SQUARES, CONVEX_GAUSSIAN, 0, false},
	{MECHANISM_LINEAR, LOSS_SQUARES, CONVEX_GAMMA, 0, true},
	{MECHANISM_LOCALIZED, LOSS_LOGISTIC, CONVEX_GAMMA, 0, false},
	{MECHANISM_CONVEX_EXPONENTIAL, LOSS_HUBER, CONVEX_GAMMA, 0, false},
	{MECHANISM_OPSAMP, LOSS_LOGISTIC, CONVEX_LAPLACE, 0, false},
	{MECHANISM_SGD, LOSS_LOGISTIC, CONVEX_GAUSSIAN, 0, false},
	{MECHANISM_SGD, LOSS_CLIPPED, CONVEX_GAUSSIAN, 3, false},
	{MECHANISM_DESCENT, LOSS_LOGISTIC, CONVEX_GAUSSIAN, 0, false},
	{MECHANISM_DESCENT, LOSS_LOGISTIC, CONVEX_GAUSSIAN, 0, true},
};

#define RECIPES ((int) (sizeof(recipes) / sizeof(recipes[0])))

/* Numbers, and perhaps levels of which some are in order. */
static void
set_residual_terms(MechanismRequest *request)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = request->grid.dimension;
	if (request->convex.levels[0] > 0)
	{
		encoding_set_levels(&encoding, 0, request->convex.levels[0]);
		encoding.ordered[0] = (int16_t) (request->convex.levels[0] - 2);
	}
	residual_describe(&encoding, &request->convex, &request->residual);
}

static void
set_terms(MechanismRequest *request, const Recipe *recipe)
{
	const Mechanism *mechanism = mechanism_get(recipe->kind);
	ConvexTerms *terms = &request->convex;

	*terms = (ConvexTerms){.loss = recipe->loss,
						   .noise = recipe->noise,
						   .classes = recipe->classes,
						   .radius = 1.25,
						   .lambda = 50 * LAMBDA_ONE};
	if (!convex_noise_is_pure(recipe->noise))
		terms->delta = DELTA_ONE / 1000;
	if (recipe->levels)
		terms->levels[0] = (int16_t) (5 + below(30));
	if (recipe->noise == CONVEX_KNORM)
		for (int j = 0; j < request->grid.dimension; j++)
			terms->columns.bound[j] = FIXED_POINT_ONE;
	if (mechanism->terms == TERMS_BODY)
	{
		terms->norm = INT64_C(2) << CONVEX_OUTPUT_BITS;
		terms->steps = 20;
	}
	if (mechanism->terms == TERMS_ORACLE)
	{
		terms->norm = INT64_C(1) << CONVEX_OUTPUT_BITS;
		terms->lambda = LAMBDA_ONE;
		terms->delta = DELTA_ONE / 1000000;
		terms->rows = 100000000;
		terms->peak = INT64_C(1) << (CONVEX_OUTPUT_BITS - 1);
		terms->calls = 40;
	}
	if (mechanism->terms == TERMS_RESIDUAL)
		set_residual_terms(request);
	if (mechanism->terms == TERMS_DESCENT)
		request->descent =
			(DescentTerms){.sampling = DESCENT_FULL, .iterations = 12, .step = 1, .norm = 8};
}

static MechanismRequest
request_of(const Recipe *recipe)
{
	MechanismRequest request = {.kind = recipe->kind,
								.epsilon = EPSILON_ONE,
								.adjacency = (Adjacency) below(2),
								.threads = 1 + below(2)};
	MechanismVerdict verdict = {0};

	if (mechanism_get(recipe->kind)->terms == TERMS_ORACLE)
		request.epsilon = 10 * EPSILON_ONE;
	grid_set_plain(&request.grid, recipe->classes > 0 ? 2 * recipe->classes : 2 + below(2));
	set_terms(&request, recipe);
	mechanism_get(recipe->kind)->admit(&request, &verdict);
	CHECK(verdict.admitted);
	return request;
}

/* ---- the law ---- */

/* Both take the same bits; the next ones tell whether they took as many. */
static void
release(const MechanismRequest *request, const Instance *instance, uint64_t seed,
		MechanismAnswer *answer, uint64_t *next)
{
	TestStream own;
	Bits coins;
	MechanismTools tools = {.bits = &coins, .memory = memory};

	teststream_seed(&own, seed);
	bits_init(&coins, teststream_fill, &own);
	memset(answer, 0, sizeof(*answer));
	mechanism_release(request, instance, &tools, answer);
	*next = bits_take(&coins, 30);
}

static void
check_same(const MechanismRequest *request, const MechanismAnswer *a, const MechanismAnswer *b)
{
	CHECK(memcmp(a->weight, b->weight, (size_t) mechanism_weights(request) * sizeof(int64_t)) == 0);
	CHECK(a->nodes == b->nodes && a->loss == b->loss);
}

static void
compare(const MechanismRequest *request, int count, Parts *parts)
{
	uint64_t seed = teststream_next(&stream);
	MechanismAnswer here;
	MechanismAnswer there;
	Instance elsewhere;
	uint64_t next[2];

	parts_open(parts, request, count, &elsewhere);
	release(request, &whole.instance, seed, &here, &next[0]);
	release(&parts->request, &elsewhere, seed, &there, &next[1]);
	check_same(request, &here, &there);
	CHECK(next[0] == next[1]);
	CHECK(parts->kinds[PASS_LABELS] > 0);
	CHECK(parts->source.passes == parts->kinds[PASS_LABELS] + parts->kinds[PASS_GRADIENT] +
									  parts->kinds[PASS_NET] + parts->kinds[PASS_COUNTS]);
	CHECK(parts->kinds[PASS_COUNTS] == (request->kind == MECHANISM_DESCENT));
	memory_release(memory, here.weight);
	memory_release(memory, there.weight);
	parts_close(parts);
}

static void
test_law(void)
{
	static const int counts[] = {1, 2, 7};
	int thin = 0;
	int runs = check_repetitions(10);

	for (int run = 0; run < runs; run++)
		for (int r = 0; r < RECIPES; r++)
		{
			MechanismRequest request = request_of(&recipes[r]);
			bool many = below(2) == 0;
			int rows = below(8) == 0 ? 0 : 1 + below(MOST_ROWS);
			Parts parts;

			draw_table(&request, rows, many ? 1000 : 3);
			compare(&request, counts[below(3)], &parts);
			CHECK((parts.kinds[PASS_NET] > 0) ==
				  (mechanism_get(request.kind)->terms == TERMS_BODY));
			thin += parts.thin;
			memory_renew();
		}
	CHECK(thin > 0);
}

/* More points than one pass asks for; those that are likely are of the second pass. */
static void
test_large_net(void)
{
	MechanismRequest request = request_of(&recipes[11]);
	Parts parts;

	grid_set_plain(&request.grid, 2);
	request.convex.steps = 160;
	draw_table(&request, 100, 1000);
	for (int i = 0; i < 100; i++)
	{
		whole.x[2 * i] = FIXED_POINT_ONE;
		whole.negative[i] = 0;
	}
	compare(&request, 2, &parts);
	CHECK(parts.kinds[PASS_NET] == 2 && parts.longest_sums == PASS_SUMS_MAX);
	memory_renew();
}

/* Each mechanism with passes has a recipe. */
static void
test_mechanisms(void)
{
	for (int kind = 0; kind < MECHANISM_KINDS; kind++)
	{
		bool listed = false;

		for (int r = 0; r < RECIPES; r++)
			listed |= recipes[r].kind == (MechanismKind) kind;
		CHECK(listed == mechanism_get((MechanismKind) kind)->passes);
		CHECK(!listed || mechanism_get((MechanismKind) kind)->streams);
	}
}

/* ---- what is refused ---- */

/* A batch that each part drew for itself would be another batch. */
static void
test_batches(void)
{
	MechanismRequest request = request_of(&recipes[13]);
	Instance sent = {.dimension = request.grid.dimension, .elsewhere = true};
	MechanismRequest read;
	Instance instance;
	size_t length;
	uint8_t *problem;

	CHECK(mechanism_passes(&request));
	request.descent.sampling = DESCENT_FIXED;
	request.descent.batch = 10;
	request.descent.rows = 100;
	CHECK(!mechanism_passes(&request));
	problem = wire_encode_problem(&request, &sent, memory, &length);
	CHECK(!wire_decode_problem(problem, length, memory, &read, &instance));
	sent.elsewhere = false;
	problem = wire_encode_problem(&request, &sent, memory, &length);
	CHECK(wire_decode_problem(problem, length, memory, &read, &instance));
	draw_table(&request, 10, 3);
	CHECK(convex_part_create(&request, &whole.instance, 1, memory) == NULL);
}

/* The table of the loss, which libm makes, has to be the same everywhere. */
static void
test_digest(void)
{
	MechanismRequest request = request_of(&recipes[0]);
	Instance sent = {.dimension = request.grid.dimension, .elsewhere = true};
	MechanismRequest read;
	Instance instance;
	size_t length;
	uint8_t *problem = wire_encode_problem(&request, &sent, memory, &length);

	CHECK(wire_decode_problem(problem, length, memory, &read, &instance));
	problem[length - 1 - (size_t) below(8)] ^= (uint8_t) (1 << below(8));
	CHECK(!wire_decode_problem(problem, length, memory, &read, &instance));
}

/* Rows that the request does not describe would end the process. */
static void
test_rows(void)
{
	MechanismRequest levels = request_of(&recipes[4]);
	MechanismRequest classes = request_of(&recipes[3]);

	draw_table(&levels, 20, 3);
	CHECK(convex_part_create(&levels, &whole.instance, 1, memory) != NULL);
	whole.x[0] = (levels.convex.levels[0] + 1) * FIXED_POINT_ONE;
	CHECK(convex_part_create(&levels, &whole.instance, 1, memory) == NULL);
	whole.x[0] = -FIXED_POINT_ONE;
	CHECK(convex_part_create(&levels, &whole.instance, 1, memory) == NULL);
	draw_table(&classes, 20, 3);
	CHECK(convex_part_create(&classes, &whole.instance, 1, memory) != NULL);
	whole.x[0] = 3 * FIXED_POINT_ONE;
	CHECK(convex_part_create(&classes, &whole.instance, 1, memory) == NULL);
	whole.x[0] = 1;
	CHECK(convex_part_create(&classes, &whole.instance, 1, memory) == NULL);
	whole.x[0] = 0;
	whole.instance.dimension--;
	CHECK(convex_part_create(&classes, &whole.instance, 1, memory) == NULL);
}

static bool
adds(const uint8_t *bytes, size_t length, int part, int parts, const Pass *pass)
{
	PassSums sums;

	pass_sums_create(&sums, pass, parts, memory);
	return wire_add_sums(bytes, length, part, &sums);
}

static uint8_t *
sums_with(const Pass *pass, Wide value, size_t *length)
{
	PassSums sums;

	pass_sums_create(&sums, pass, 1, memory);
	sums.missing = 0;
	for (int64_t i = 0; i < sums.count; i++)
		sums.sum[i] = value;
	return wire_encode_sums(&sums, memory, length);
}

static void
test_sums(void)
{
	Pass pass = {.kind = PASS_GRADIENT, .number = 5, .sums = 6};
	Pass other;
	PassSums sums;
	size_t length;
	uint8_t *bytes = sums_with(&pass, -3, &length);

	CHECK(adds(bytes, length, 0, 1, &pass) && adds(bytes, length, 2, 3, &pass));
	CHECK(!adds(bytes, length, 3, 3, &pass) && !adds(bytes, length, -1, 3, &pass));
	for (size_t shorter = 0; shorter < length; shorter++)
		CHECK(!adds(bytes, shorter, 0, 1, &pass));
	CHECK(!adds(bytes, length + 1, 0, 1, &pass));
	other = pass;
	other.number = 4;
	CHECK(!adds(bytes, length, 0, 1, &other));
	other = pass;
	other.sums = 5;
	CHECK(!adds(bytes, length, 0, 1, &other));

	/* the same part twice */
	pass_sums_create(&sums, &pass, 2, memory);
	CHECK(wire_add_sums(bytes, length, 1, &sums) && sums.missing == 1);
	CHECK(!wire_add_sums(bytes, length, 1, &sums));
	CHECK(wire_encode_sums(&sums, memory, &length) == NULL);
}

/* Sums at the border of what rows can have, and one beyond. */
static void
test_impossible_sums(void)
{
	const Wide labels = INSTANCE_MAX_LABELS;
	const struct
	{
		PassKind kind;
		Wide least;
		Wide most;
	} bound[] = {{PASS_LABELS, 0, labels - 1},
				 {PASS_GRADIENT, -(labels << 75), labels << 75},
				 {PASS_NET, 0, labels << 24}};
	const Wide largest = (Wide) (((unsigned __int128) 1 << 127) - 1);

	for (int i = 0; i < 3; i++)
	{
		Pass pass = {.kind = bound[i].kind, .number = 1, .sums = 1};
		const struct
		{
			Wide value;
			bool taken;
		} try[] = {{bound[i].least, true},     {bound[i].most, true}, {bound[i].least - 1, false},
				   {bound[i].most + 1, false}, {largest, false},      {-largest - 1, false}};
		size_t length;
		PassSums sums;
		uint8_t *most;

		for (int t = 0; t < 6; t++)
		{
			uint8_t *bytes = sums_with(&pass, try[t].value, &length);

			CHECK(adds(bytes, length, 0, 1, &pass) == try[t].taken);
		}
		/* each is possible, but not both together */
		pass_sums_create(&sums, &pass, 2, memory);
		most = sums_with(&pass, bound[i].most, &length);
		CHECK(wire_add_sums(most, length, 0, &sums) && !wire_add_sums(most, length, 1, &sums));
	}
}

static bool
decodes(const MechanismRequest *request, const Pass *pass)
{
	Pass read;
	size_t length;
	uint8_t *bytes = wire_encode_pass(pass, memory, &length);

	return wire_decode_pass(bytes, length, request, memory, &read);
}

#define REFUSED(field, value)                                                                      \
	do                                                                                             \
	{                                                                                              \
		Pass wrong = pass;                                                                         \
		wrong.field = (value);                                                                     \
		CHECK(decodes(&request, &pass) && !decodes(&request, &wrong));                             \
	} while (0)

static void
test_gradient_passes(void)
{
	MechanismRequest request = request_of(&recipes[0]);
	MechanismRequest levels = request_of(&recipes[4]);
	int d = request.grid.dimension;
	Wide u[GRID_MAX_DIMENSION + LEVELS_MAX] = {0};
	Pass pass = {.kind = PASS_GRADIENT,
				 .number = 1,
				 .thin = 1,
				 .places = d,
				 .place = u,
				 .sums = convex_pass_sums(0, d, d, false)};

	REFUSED(kind, PASS_LABELS);
	REFUSED(kind, PASS_NET);
	REFUSED(kind, PASS_KINDS);
	REFUSED(number, 0);
	REFUSED(number, -1);
	REFUSED(thin, 0);
	REFUSED(thin, INSTANCE_MAX_LABELS);
	REFUSED(bent, true);
	REFUSED(first, 1);
	REFUSED(places, d - 1);
	REFUSED(places, d + 1);
	REFUSED(sums, pass.sums + 1);
	u[1] = ((Wide) 1 << (WEIGHT_BITS + WEIGHT_LIMIT_BITS)) - 1;
	CHECK(decodes(&request, &pass));
	u[1]++;
	CHECK(!decodes(&request, &pass));
	u[1] = 0;
	pass.bent = true;
	pass.sums = convex_pass_sums(0, d, d, true);
	CHECK(decodes(&request, &pass));
	pass.places = mechanism_weights(&levels);
	pass.sums = convex_pass_sums(0, levels.grid.dimension, pass.places, true);
	CHECK(!decodes(&levels, &pass));
}

static void
test_net_passes(void)
{
	MechanismRequest request = request_of(&recipes[11]);
	int d = request.grid.dimension;
	int64_t points = net_points(d, request.convex.steps);
	Wide place[NET_MAX_DIMENSION + 1] = {0};
	Pass pass = {.kind = PASS_NET,
				 .number = 1,
				 .places = d + 1,
				 .place = place,
				 .first = points - 10,
				 .sums = 10};

	place[d] = 1;
	REFUSED(kind, PASS_GRADIENT);
	REFUSED(thin, 1);
	REFUSED(bent, true);
	REFUSED(first, points - 9);
	REFUSED(first, -1);
	REFUSED(first, INT64_MAX);
	REFUSED(sums, 11);
	REFUSED(sums, 0);
	REFUSED(places, d);
	place[d] = NET_REACH / request.convex.steps;
	CHECK(decodes(&request, &pass));
	place[d]++;
	CHECK(!decodes(&request, &pass));
	place[d] = 0;
	CHECK(!decodes(&request, &pass));
	place[d] = 1;
	place[0] = -NET_REACH;
	CHECK(decodes(&request, &pass));
	place[0]--;
	CHECK(!decodes(&request, &pass));
}

static bool
answers(ConvexPart *part, int64_t number)
{
	Pass pass = {.kind = PASS_LABELS, .number = number, .sums = 1};
	size_t length;
	size_t sums_length;
	uint8_t *bytes = wire_encode_pass(&pass, memory, &length);

	return convex_part_answer(part, bytes, length, &sums_length) != NULL;
}

/* A part answers passes in their order, each once. */
static void
test_order(void)
{
	MechanismRequest request = request_of(&recipes[0]);
	ConvexPart *part;

	draw_table(&request, 20, 3);
	part = convex_part_create(&request, &whole.instance, 1, memory);
	CHECK(!answers(part, 2) && answers(part, 1) && !answers(part, 1) && answers(part, 2));
}

/* ---- the solver process ---- */

static void
leave(void)
{
	_exit(7);
}

/* The child: releases with the parent's sums, and sends the answer. */
static _Noreturn void
solve(int socket, const MechanismRequest *request, uint64_t seed)
{
	Instance elsewhere = {.dimension = whole.instance.dimension, .elsewhere = true};
	PassLink link;
	MechanismAnswer answer;
	uint8_t *bytes = memory_allocate(memory, WIRE_ANSWER_MAX, 1);
	uint64_t next;
	size_t length;

	pass_link_init(&link, socket, memory, leave);
	elsewhere.parts = &link.source;
	release(request, &elsewhere, seed, &answer, &next);
	length = wire_encode_answer(request, &answer, bytes);
	_exit(frame_send(socket, FRAME_ANSWER, bytes, length) ? 0 : 1);
}

/* Answers passes, the one with this number falsely.  Returns the child's exit status. */
static int
serve(Parts *parts, int socket, pid_t child, int false_pass, MechanismAnswer *answer)
{
	FrameHeader header = {0};
	int status = 0;
	int passes = 0;

	while (frame_receive_header(socket, &header))
	{
		uint8_t *bytes = memory_allocate(memory, header.length, 1);
		uint8_t *total;
		size_t length;

		CHECK(frame_receive_payload(socket, bytes, header.length));
		if (header.type == FRAME_ANSWER)
			CHECK(wire_decode_answer(bytes, header.length, &parts->request, memory, answer));
		if (header.type != FRAME_PASS)
			break;
		total = ask_parts(parts, bytes, header.length, &length);
		if (++passes == false_pass)
			total[2]++; /* its number */
		CHECK(frame_send(socket, FRAME_SUMS, total, length));
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
test_link(int false_pass)
{
	MechanismRequest request = request_of(&recipes[below(RECIPES)]);
	uint64_t seed = teststream_next(&stream);
	MechanismAnswer here;
	MechanismAnswer there = {0};
	Instance elsewhere;
	uint64_t next;
	Parts parts;
	int sockets[2];
	pid_t child;

	draw_table(&request, 40, 3);
	release(&request, &whole.instance, seed, &here, &next);
	parts_open(&parts, &request, 2, &elsewhere);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	child = fork();
	if (child == 0)
	{
		close(sockets[0]);
		solve(sockets[1], &parts.request, seed);
	}
	close(sockets[1]);
	CHECK(serve(&parts, sockets[0], child, false_pass, &there) == (false_pass > 0 ? 7 : 0));
	close(sockets[0]);
	CHECK((there.weight != NULL) == (false_pass == 0));
	if (false_pass == 0)
		check_same(&request, &here, &there);
	memory_renew();
}

int
main(void)
{
	test_begin(330);
	test_mechanisms();
	test_law();
	test_large_net();
	test_batches();
	test_digest();
	test_rows();
	test_sums();
	test_impossible_sums();
	test_gradient_passes();
	test_net_passes();
	test_order();
	for (int i = 0; i < check_repetitions(12); i++)
		test_link(0);
	test_link(1);
	test_link(3);
	return test_end("passes");
}
