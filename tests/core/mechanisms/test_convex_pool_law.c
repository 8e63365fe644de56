/*
 * test_convex_pool_law.c - the law of both stages of mechanism pool together, for one weight: the
 * density of the centre in closed form, the answers around it by enumeration.  On neighbours it
 * moves by e^epsilon at most, with equality nearly, and releases follow it.
 */
#include "core/mechanisms/convex_pool.h"

#include <math.h>

#include "core/convex/convex_columns.h"
#include "core/convex/convex_loss.h"
#include "core/convex/convex_pass.h"
#include "core/mechanisms/convex_release.h"
#include "core/law.h"
#include "core/pool/pool_law.h"

static LossTable table;

/* ---- requests ---- */

/*
 * One number from -1 to 1, so that the radius is 1 and the centre is the first stage's answer. With
 * enough rows declared there are so few candidates.
 */
static MechanismRequest
make_request(Adjacency adjacency, double epsilon, double share, int rounds, int candidates)
{
	MechanismRequest request = {
		.kind = MECHANISM_POOL,
		.epsilon = (int64_t) (epsilon * EPSILON_ONE),
		.adjacency = adjacency,
		.threads = 1,
		.convex = {.loss = LOSS_CLIPPED,
				   .noise = CONVEX_KNORM,
				   .radius = 1,
				   .columns = {.bound = {FIXED_POINT_ONE}}},
	};

	grid_set_plain(&request.grid, 1);
	request.pool = (PoolTerms){.epsilon = (int64_t) (share * (double) request.epsilon),
							   .rows = INT64_C(1) << 50,
							   .rounds = rounds};
	while (pool_size(request.pool.rows, 1, rounds) < candidates)
		request.pool.rows -= request.pool.rows >> 8;
	CHECK(pool_size(request.pool.rows, 1, rounds) == candidates);
	return request;
}

/* Sets lambda, in units of the least that is accepted, and returns the noise for it. */
static ConvexScale
set_lambda(MechanismRequest *request, double times)
{
	MechanismRequest centre = convex_pool_centre(request);
	ConvexScale scale;

	(void) convex_request_scale(&centre, &scale);
	request->convex.lambda = centre.convex.lambda = (int64_t) (times * (double) scale.least);
	CHECK(convex_request_scale(&centre, &scale) == CONVEX_FITS);
	CHECK(mechanism_verdict(request).admitted);
	return scale;
}

/* The second stage.  The norm of one number is its size, of law Gamma(1): a deviation of sqrt 2. */
static PoolProblem
make_problem(const MechanismRequest *request, const Instance *instance, const ConvexScale *scale,
			 const PoolSeed *seed)
{
	return (PoolProblem){
		.instance = instance,
		.law = {.shape = {.dimension = 1, .peak = FIXED_POINT_ONE},
				.rows = (double) request->pool.rows,
				.noise = {sqrt(2) * scale->inner},
				.lambda = ldexp((double) request->convex.lambda, -LAMBDA_BITS),
				.length = 1},
		.seed = *seed,
		.candidates = pool_size(request->pool.rows, 1, request->pool.rounds),
		.rounds = request->pool.rounds,
		.epsilon = request->pool.epsilon,
		.adjacency = request->adjacency,
		.threads = 1,
	};
}

/* ---- the first stage ---- */

/* J'(u), and J''(u) unless second is NULL. */
static long double
gradient(const MechanismRequest *request, const Instance *instance, long double u,
		 long double *second)
{
	long double lambda = ldexpl((long double) request->convex.lambda, -LAMBDA_BITS);
	long double first = lambda * u;
	long double bend = lambda;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		long double x = ldexpl(instance->x[i], -FIXED_POINT_BITS);
		Wide score = (Wide) ldexpl(fmaxl(-SLOPE_REACH, fminl(u * x, SLOPE_REACH)), SCORE_BITS);

		first -= x * ldexpl((long double) loss_slope(&table, score), -SLOPE_FINE_BITS) *
				 (long double) instance->positive[i];
		first += x * ldexpl((long double) loss_slope(&table, -score), -SLOPE_FINE_BITS) *
				 (long double) instance->negative[i];
		bend += x * x * ldexpl((long double) loss_drop(&table, score), -DROP_BITS) *
				(long double) instance->positive[i];
		bend += x * x * ldexpl((long double) loss_drop(&table, -score), -DROP_BITS) *
				(long double) instance->negative[i];
	}
	if (second != NULL)
		*second = bend;
	return first;
}

/* The u with J'(u) = value. */
static long double
solve(const MechanismRequest *request, const Instance *instance, long double value)
{
	long double low = -0x1p40L;
	long double high = 0x1p40L;

	for (int i = 0; i < 120; i++)
	{
		long double middle = (low + high) / 2;

		if (gradient(request, instance, middle, NULL) < value)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* F(t), t over the scale of noise with density exp(-|t|) / 2. */
static long double
laplace_below(long double t)
{
	return t < 0 ? expl(t) / 2 : 1 - expl(-t) / 2;
}

/*
 * ln P(centre = k), but for a constant: the density of the minimiser, exp(-|J'(u)| / s) J''(u),
 * times the probability that noise on the answer takes u to the cell of k.  A sum over places, the
 * same ones on all rows.
 */
static long double
log_centre(const MechanismRequest *request, const Instance *instance, const ConvexScale *scale,
		   int64_t k)
{
	const int places = 200;
	long double unit = ldexpl(1, -CONVEX_OUTPUT_BITS);
	long double reach = unit + 20 * scale->outer;
	long double sum = 0;
	long double most = 0;

	for (int i = 0; i < places; i++)
	{
		long double away = reach * (2 * (i + 0.5L) / places - 1);
		long double bend;
		long double first =
			fabsl(gradient(request, instance, (long double) k * unit + away, &bend));

		if (i == 0)
			most = first;
		sum += expl((most - first) / scale->inner) * bend *
			   (laplace_below((unit / 2 - away) / scale->outer) -
				laplace_below((-unit / 2 - away) / scale->outer));
	}
	return logl(sum) - most / scale->inner;
}

/* ---- neighbours ---- */

/* The most that ln of the joint probability of this centre and an answer differs. */
static long double
largest_ratio(const MechanismRequest *request, const ConvexScale *scale, const PoolData *data,
			  int64_t k)
{
	PoolSeed seed = pool_seed_draw(&bits);
	long double first = log_centre(request, &data[0].instance, scale, k) -
						log_centre(request, &data[1].instance, scale, k);
	long double largest = 0;
	PoolAnswers law[2];

	for (int side = 0; side < 2; side++)
	{
		PoolProblem problem = make_problem(request, &data[side].instance, scale, &seed);
		SelectRate rate = pool_rate(&problem);

		problem.centre[0] = k;
		pool_law(&problem, (long double) rate.numerator / (long double) rate.denominator,
				 &law[side]);
	}
	CHECK(law[0].answers == law[1].answers);
	for (int a = 0; a < law[0].answers; a++)
		largest = fmaxl(largest, fabsl(first + logl(law[0].mass[a] / law[1].mass[a])));
	return largest;
}

#define MOST_ROWS 5

/* A row more, or another row, with one label. */
static void
make_neighbours(PoolData *data, Adjacency adjacency)
{
	int last = below(MOST_ROWS);
	bool positive = below(2);

	for (int side = 0; side < 2; side++)
		pool_data_create(&data[side], last + 1, 1);
	pool_data_fill(&data[0], FIXED_POINT_ONE);
	data[0].positive[last] = positive;
	data[0].negative[last] = !positive;
	for (int i = 0; i <= last; i++)
	{
		data[1].x[i] = data[0].x[i];
		data[1].positive[i] = data[0].positive[i];
		data[1].negative[i] = data[0].negative[i];
	}
	if (adjacency == ADJACENCY_ADD_REMOVE)
		data[1].instance.rows--;
	else
	{
		data[1].x[last] = below(2) ? data[0].x[last] : below(FIXED_POINT_ONE);
		data[1].positive[last] = !positive;
		data[1].negative[last] = positive;
	}
}

static void
test_neighbours(void)
{
	static const double epsilons[] = {0.3, 1, 3};

	for (int c = 0; c < check_repetitions(400); c++)
	{
		int rounds = 1 + below(3);
		double epsilon = epsilons[c % 3];
		MechanismRequest request = make_request((Adjacency) below(2), epsilon, between(0.1, 0.9),
												rounds, rounds == 1 ? 30 : 2 + below(3));
		ConvexScale scale = set_lambda(&request, exp(between(0, 4)));
		PoolData data[2];

		make_neighbours(data, request.adjacency);
		for (int i = 0; i < 4; i++)
		{
			int64_t k =
				(int64_t) ldexp(between(-5, 5) * exp(between(-5, 0)) / epsilon, CONVEX_OUTPUT_BITS);

			CHECK(largest_ratio(&request, &scale, data, k) <= epsilon);
		}
		for (int side = 0; side < 2; side++)
			pool_data_destroy(&data[side]);
	}
}

/*
 * Many rows of one label, and one of the other, which comes or replaces one of them.  A centre just
 * on its side of 0 has the largest change of slope and curvature, and an answer there is one of
 * few.
 */
static void
test_tight(void)
{
	for (int c = 0; c < 4; c++)
	{
		bool replace = c % 2 == 0;
		MechanismRequest request =
			make_request(replace ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE, 1, 0.4, 1, 30);
		ConvexScale scale = set_lambda(&request, c < 2 ? 1.5 : 20);
		PoolData data[2];
		long double ratio = 0;

		for (int side = 0; side < 2; side++)
		{
			pool_data_create(&data[side], 1, 1);
			data[side].x[0] = FIXED_POINT_ONE;
			data[side].negative[0] = 400 - (side == 1 && replace);
			data[side].positive[0] = side;
		}
		/* some pools have candidates of one sign only */
		for (int i = 0; i < 8; i++)
			ratio = fmaxl(ratio, largest_ratio(&request, &scale, data,
											   INT64_C(1) << (CONVEX_OUTPUT_BITS - 8)));
		CHECK(ratio > 0.99 && ratio <= 1);
		for (int side = 0; side < 2; side++)
			pool_data_destroy(&data[side]);
	}
}

/* ---- releases ---- */

/* Bits that begin with those of a seed, the same in each release. */
typedef struct SeededStream
{
	TestStream seed;
	int words;
} SeededStream;

static void
seeded_fill(void *context, uint8_t *bytes, size_t count)
{
	SeededStream *seeded = context;
	bool seeding = seeded->words++ < SIPHASH_KEY_LENGTH / 8;

	CHECK(count == 8);
	teststream_fill(seeding ? &seeded->seed : &stream, bytes, count);
}

#define CELLS 16

/* By its sign, and by its size. */
static int
cell_of(int64_t answer)
{
	int size = 0;

	while (size < CELLS / 2 - 1 && llabs(answer) >> (13 + size) > 0)
		size++;
	return answer > 0 ? CELLS / 2 + size : CELLS / 2 - 1 - size;
}

#define CENTRES 1000

/*
 * The u of probability p among those on one side of 0, with the first stage's noise times off; sets
 * how likely that side is.
 */
static long double
centre_at(const MechanismRequest *request, const Instance *instance, long double scale, bool above,
		  long double p, long double *side)
{
	long double below_0 = laplace_below(gradient(request, instance, 0, NULL) / scale);
	long double total;

	*side = above ? 1 - below_0 : below_0;
	total = above ? below_0 + p * (1 - below_0) : p * below_0;
	return solve(request, instance,
				 scale * (total < 0.5L ? logl(2 * total) : -logl(2 - 2 * total)));
}

/* Adds up the cells' probabilities over centres, with either stage's epsilon times off. */
static void
add_cells(const MechanismRequest *request, const PoolData *data, const ConvexScale *scale,
		  const PoolSeed *seed, const double *off, double *cell)
{
	PoolProblem problem = make_problem(request, &data->instance, scale, seed);

	for (int q = 0; q < CENTRES; q++)
	{
		long double side;
		long double u = centre_at(request, &data->instance, scale->inner / off[0], q % 2 == 0,
								  (q / 2 + 0.5L) / (CENTRES / 2), &side);
		PoolAnswers law;

		problem.centre[0] = (int64_t) ldexpl(u, CONVEX_OUTPUT_BITS);
		pool_law(&problem, pool_law_rate(&problem) * (long double) off[1], &law);
		for (int a = 0; a < law.answers; a++)
			cell[cell_of(law.answer[a][0])] += (double) (side * law.mass[a]);
	}
}

/* Releases follow the law, and not the one with either stage's epsilon off by 30 %. */
static void
check_releases(const MechanismRequest *request, const PoolData *data, const ConvexScale *scale)
{
	static const double off[3][2] = {{1, 1}, {LAW_OFF, 1}, {1, LAW_OFF}};
	double cell[3][CELLS] = {{0}};
	int64_t count[CELLS] = {0};
	SeededStream start = {.seed = stream};
	PoolSeed seed = pool_seed_draw(&bits);

	for (int k = 0; k < 3; k++)
		add_cells(request, data, scale, &seed, off[k], cell[k]);
	for (int i = 0; i < LAW_DRAWS / 4; i++)
	{
		SeededStream seeded = start;
		Bits own;
		MechanismTools tools = {.bits = &own, .memory = memory};
		MechanismAnswer answer;

		bits_init(&own, seeded_fill, &seeded);
		convex_pool_release(request, &data->instance, &tools, &answer);
		CHECK(memcmp(&answer.pool.seed, &seed, sizeof(seed)) == 0);
		count[cell_of(answer.weight[0])]++;
	}
	for (int k = 1; k < 3; k++)
		CHECK_LAW(count, cell[0], cell[k], CELLS);
}

/*
 * One row far from 0 and some near it, of the other label: the first stage does not know what to
 * do, the second does.
 */
static void
test_releases(void)
{
	for (int rounds = 1; rounds <= 2; rounds++)
	{
		MechanismRequest request =
			make_request((Adjacency) (rounds - 1), 2, 0.5, rounds, rounds == 1 ? 40 : 15);
		ConvexScale scale = set_lambda(&request, 3);
		PoolData data;

		reseed(60 + (uint64_t) rounds);
		pool_data_create(&data, 2, 1);
		data.x[0] = FIXED_POINT_ONE;
		data.positive[0] = 1;
		data.x[1] = FIXED_POINT_ONE / 4;
		data.negative[1] = 7;
		check_releases(&request, &data, &scale);
		pool_data_destroy(&data);
	}
}

/*
 * Noise on the answer hides how near it is to the minimiser, which is known here to many bits: the
 * first stage draws b from the same bits.
 */
static void
test_hiding(void)
{
	MechanismRequest request = make_request(ADJACENCY_REPLACE, 0.5, 0.2, 1, 12);
	ConvexScale scale = set_lambda(&request, 5);
	MechanismRequest first = convex_pool_centre(&request);
	int runs = check_repetitions(2000);
	double mean = 0;
	mpz_t *b = integers_create(1, memory);
	ColumnsBody body;
	PoolData data;

	pool_data_create(&data, 1, 1);
	data.x[0] = FIXED_POINT_ONE / 2;
	data.positive[0] = 3;
	columns_body_make(&request.convex.columns, 1, 1, &body);
	for (int i = 0; i < runs; i++)
	{
		MechanismTools tools = {.bits = &bits, .memory = memory};
		MechanismAnswer answer;
		long double u;

		reseed((uint64_t) i);
		columns_body_draw(&body, scale.inner, &bits, memory, b);
		u = solve(&request, &data.instance, -ldexpl((long double) mpz_get_d(b[0]), -GRADIENT_BITS));
		reseed((uint64_t) i);
		convex_release(&first, &data.instance, &tools, &answer);
		mean += (double) fabsl(ldexpl((long double) answer.weight[0], -CONVEX_OUTPUT_BITS) - u) /
				scale.outer / runs;
	}
	CHECK(fabs(mean - 1) < 6 / sqrt(runs));
	integers_destroy(b, 1, memory);
	pool_data_destroy(&data);
}

int
main(void)
{
	test_begin(48);
	loss_table_make(LOSS_CLIPPED, &table);
	test_neighbours();
	test_tight();
	test_releases();
	test_hiding();
	return test_end("convex_pool_law");
}
