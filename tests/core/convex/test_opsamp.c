/*
 * test_opsamp.c - OPSamp: calibrations (theorem O2), certified minimisers over a cube, the distance
 * between those of neighbours, the laws of both noises, and an audit.
 */
#include "core/convex/box_minimise.h"
#include "core/mechanisms/convex_opsamp.h"

#include <math.h>

#include "core/law.h"
#include "core/problem.h"

#define MOST_DIMENSION 6

/* Of the test at hand. */
static Problem problem;
static Problem neighbour;
static LossTable table;

/* ---- calibration ---- */

/* Values of another program: G = 1 / d, D = 1, epsilon 1, delta 1e-6, replace, 100,000 calls. */
static void
test_values(void)
{
	static const struct
	{
		double rows;
		int dimension;
		const char *risk;
		const char *eta;
		const char *stable;
		const char *shift;
	} values[] = {{1e5, 5, "0.0974", "1.078e-03", "0.04312", "0.05102"},
				  {1e6, 5, "0.0328", "3.245e-04", "0.01298", "0.01743"},
				  {1e6, 10, "0.0657", "3.245e-04", "0.02596", "0.03487"},
				  {1e7, 10, "0.0231", "9.772e-05", "0.00782", "0.01290"}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
	{
		OpsampProblem problem = {.dimension = values[i].dimension,
								 .side = 1,
								 .lipschitz = 1.0 / values[i].dimension,
								 .range = 1,
								 .epsilon = 1,
								 .delta = 1e-6,
								 .rows = values[i].rows,
								 .calls = 100000,
								 .adjacency = ADJACENCY_REPLACE};
		double least = INFINITY;
		double best = 0;
		OpsampPlan plan;

		/* for an oracle without error and any real eta, on the grid of the other program */
		for (int k = 0; k < 400; k++)
		{
			double eta = pow(10, -8 + 8.0 * k / 399);
			double shift = opsamp_shift(&problem, opsamp_stability(&problem, eta, 0));
			double risk = opsamp_risk(&problem, eta, 0, shift);

			if (risk < least)
				best = eta;
			least = fmin(least, risk);
		}
		CHECK(prints_in("%.4f", least, values[i].risk));
		CHECK(prints_in("%.3e", best, values[i].eta));
		CHECK(prints_in("%.5f", opsamp_stability(&problem, best, 0), values[i].stable));
		CHECK(prints_in("%.5f", opsamp_shift(&problem, opsamp_stability(&problem, best, 0)),
						values[i].shift));
		/* the plan allows for the oracle's error, and costs hardly more */
		opsamp_plan(&problem, &plan);
		CHECK(plan.risk >= least && plan.risk <= least * 1.002);
		CHECK(prints_in("%.3e", plan.eta, values[i].eta));
		CHECK(plan.eta == ldexp((double) plan.rate, -OPSAMP_RATE_BITS));
		CHECK(plan.gap > 0 && plan.stable >= opsamp_stability(&problem, plan.eta, plan.gap));
		CHECK(plan.shift >= opsamp_shift(&problem, plan.stable));
	}
}

/* The least over t of the lemma's bounds is found. */
static void
test_bounds(void)
{
	for (int i = 0; i < check_repetitions(300); i++)
	{
		OpsampProblem problem = {.dimension = 1 + below(8),
								 .side = exp(between(-2, 2)),
								 .lipschitz = exp(between(-3, 0)),
								 .range = exp(between(-2, 2)),
								 .epsilon = 1,
								 .delta = 1e-6,
								 .rows = 1e6,
								 .calls = 1 << below(15),
								 .adjacency = (Adjacency) below(2)};
		double d = problem.dimension;
		double margin = problem.adjacency == ADJACENCY_REPLACE ? 2 : 1;
		double g = margin * problem.lipschitz;
		double o = margin * problem.range;
		double eta = exp(between(-14, 0));
		double gap = exp(between(-14, -4));
		double bound = opsamp_stability(&problem, eta, gap);
		double least = d * problem.side;
		double shift = opsamp_shift(&problem, bound);
		double a = shift / (d * problem.side);
		double p = bound / (d * problem.side);

		for (double t = 1e-6; t < 1e8; t *= 1.003)
		{
			if (t > d * g)
				least = fmin(least, d * (3 * gap / t + eta * t * problem.side) / (1 - d * g / t));
			least = fmin(least, d * ((o + 3 * gap) / t + (1 - exp(-eta * t)) * problem.side));
		}
		CHECK(bound > least * 0.999 && bound < least * 1.002);
		/* kl(a || B / R) = ln(1 / delta) / m, or all of R */
		CHECK(a >= p && a <= 1);
		if (a < 1)
			CHECK(fabs((a * log(a / p) + (1 - a) * log((1 - a) / (1 - p))) * problem.calls /
						   log(1e6) -
					   1) < 1e-6);
		else
			CHECK(p == 1 || log(1 / p) <= log(1e6) / problem.calls);
	}
}

/* ---- problems ---- */

static MechanismRequest
make_request(ConvexLoss loss, int dimension, double reach, int calls)
{
	MechanismRequest request = {
		.kind = MECHANISM_OPSAMP,
		.epsilon = EPSILON_ONE,
		.threads = 1,
		.convex = {.loss = loss,
				   .noise = CONVEX_LAPLACE,
				   .radius = 1.5,
				   .lambda = LAMBDA_ONE,
				   .delta = DELTA_ONE / 1000000,
				   .norm = (int64_t) ldexp(reach, CONVEX_OUTPUT_BITS),
				   .rows = 1000000,
				   .peak = INT64_C(1) << ROW_BITS,
				   .calls = calls},
	};

	grid_set_plain(&request.grid, dimension);
	return request;
}

/* ---- minimisers ---- */

/* Rows in the unit ball. */
typedef struct Sample
{
	int dimension;
	int64_t rows;
	int32_t *v;
	const int64_t *positive;
	const int64_t *negative;
} Sample;

static Sample
sample_create(const Instance *instance, double radius)
{
	size_t cells = (size_t) instance->rows * (size_t) instance->dimension;
	Sample sample = {.dimension = instance->dimension,
					 .rows = instance->rows,
					 .v = memory_allocate(memory, cells, sizeof(int32_t)),
					 .positive = instance->positive,
					 .negative = instance->negative};

	for (int64_t i = 0; i < instance->rows; i++)
		convex_clip_row(instance->x + i * instance->dimension, instance->dimension, radius,
						sample.v + i * instance->dimension);
	return sample;
}

/* J(u) + <b, u>, in doubles. */
static double
value_at(const Sample *sample, ConvexLoss loss, double lambda, const double *b, const double *u)
{
	int dimension = sample->dimension;
	double sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += lambda / 2 * u[j] * u[j] + b[j] * u[j];
	for (int64_t i = 0; i < sample->rows; i++)
	{
		double score = 0;

		for (int j = 0; j < dimension; j++)
			score += ldexp(sample->v[i * dimension + j], -ROW_BITS) * u[j];
		sum += (double) sample->positive[i] * true_loss(loss, score) +
			   (double) sample->negative[i] * true_loss(loss, -score);
	}
	return sum;
}

/* Minimises along one coordinate by ternary search. */
static double
least_along(const Sample *sample, ConvexLoss loss, double lambda, const double *b, double *u, int j,
			double reach)
{
	double low = -reach;
	double high = reach;

	for (int i = 0; i < 80; i++)
	{
		double third = (high - low) / 3;
		double left;

		u[j] = low + third;
		left = value_at(sample, loss, lambda, b, u);
		u[j] = high - third;
		if (left < value_at(sample, loss, lambda, b, u))
			high -= third;
		else
			low += third;
	}
	u[j] = (low + high) / 2;
	return value_at(sample, loss, lambda, b, u);
}

/* No point is better than the answer by more than the gap: neither what coordinate descent finds
 * from there nor a random point. */
static void
test_minimisers(void)
{
	int64_t most_rounds = 0;
	int at_walls = 0;
	int inside = 0;

	for (int c = 0; c < check_repetitions(120); c++)
	{
		Shape shape = (Shape) (c % SHAPES);
		int dimension = 1 + below(MOST_DIMENSION);
		ConvexLoss loss = (ConvexLoss) below(LOSS_LABEL_KINDS);
		double lambda = exp(between(-6, 4));
		double reach = exp(between(-2, 2));
		double strength = exp(between(-2, 5));
		double gap = exp(between(-12, -6));
		double b[MOST_DIMENSION];
		double u[MOST_DIMENSION];
		Wide wide_b[MOST_DIMENSION];
		Wide wide_u[MOST_DIMENSION] = {0};
		Wide wide_reach = (Wide) ldexpl((long double) reach, WEIGHT_BITS);
		Sample sample;
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = &table,
									 .curvature = loss_curvature(loss),
									 .lambda = (int64_t) ldexp(lambda, LAMBDA_BITS),
									 .b = wide_b};
		double found;
		double least;
		double scale;
		int64_t rounds;

		problem_random(&problem, shape, dimension, INT64_C(1) << 24);
		loss_table_make(loss, &table);
		sample = sample_create(&problem.instance, 1.5);
		convex_rows_make(&problem.instance, 1.5, 1 + below(3), memory, &rows);
		scale = 1e-7 * (rows.count + strength);
		for (int j = 0; j < dimension; j++)
		{
			b[j] = between(-strength, strength);
			wide_b[j] = (Wide) ldexpl((long double) b[j], GRADIENT_BITS);
		}
		rounds = box_minimise(&objective, wide_reach, gap, memory, wide_u);
		most_rounds = rounds > most_rounds ? rounds : most_rounds;
		for (int j = 0; j < dimension; j++)
		{
			CHECK(wide_u[j] >= -wide_reach && wide_u[j] <= wide_reach);
			at_walls += wide_u[j] == wide_reach || wide_u[j] == -wide_reach;
			inside += wide_u[j] != wide_reach && wide_u[j] != -wide_reach;
			u[j] = ldexp((double) wide_u[j], -WEIGHT_BITS);
		}
		least = found = value_at(&sample, loss, lambda, b, u);
		for (int sweep = 0; sweep < (shape == SHAPE_MANY_LABELS ? 0 : 12); sweep++)
			for (int j = 0; j < dimension; j++)
				least = fmin(least, least_along(&sample, loss, lambda, b, u, j, reach));
		CHECK(found - least <= gap + scale);
		for (int i = 0; i < 50; i++)
		{
			for (int j = 0; j < dimension; j++)
				u[j] = between(-reach, reach);
			CHECK(found <= value_at(&sample, loss, lambda, b, u) + gap + scale);
		}
		convex_rows_release(&rows, memory);
		memory_release(memory, sample.v);
	}
	CHECK(most_rounds < 200);
	CHECK_WHOLE(at_walls > 50 && inside > 50);
}

static void
test_rounds(void)
{
	Wide b[MOST_DIMENSION] = {0};
	int64_t most = 0;

	for (int c = 0; c < check_repetitions(1000); c++)
	{
		ConvexLoss loss = (ConvexLoss) (c % LOSS_LABEL_KINDS);
		int dimension = 1 + below(4);
		double reach = exp(between(-3, 3.4));
		Wide u[GRID_MAX_DIMENSION] = {0};
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = &table,
									 .curvature = loss_curvature(loss),
									 .lambda = (int64_t) ldexp(LAMBDA_MIN, c % 4),
									 .b = b};
		int64_t rounds;

		loss_table_make(loss, &table);
		problem_contrasts(&problem, dimension);
		for (int j = 0; j < dimension; j++)
			b[j] = -(Wide) ldexpl(exp(between(-5, 8)), GRADIENT_BITS);
		convex_rows_make(&problem.instance, 1, 1, memory, &rows);
		rounds = box_minimise(&objective, (Wide) ldexpl(reach, WEIGHT_BITS), exp(between(-16, -8)),
							  memory, u);
		most = rounds > most ? rounds : most;
		convex_rows_release(&rows, memory);
	}
	CHECK(most < 100);
}

/* ---- neighbours ---- */

/* How far the means of the neighbours are apart if sigma is the same for both. */
static double
distance(const MechanismRequest *request, const OpsampPlan *plan, uint64_t seed)
{
	TestStream coupled;
	Bits same;
	MechanismTools tools = {.bits = &same, .memory = memory};
	Wide sums[2][GRID_MAX_DIMENSION];
	double apart = 0;

	for (int side = 0; side < 2; side++)
	{
		teststream_seed(&coupled, seed);
		bits_init(&same, teststream_fill, &coupled);
		(void) convex_opsamp_sum(request, plan, side == 0 ? &problem.instance : &neighbour.instance,
								 &tools, sums[side]);
	}
	for (int j = 0; j < request->grid.dimension; j++)
		apart += fabs(ldexp((double) (sums[0][j] - sums[1][j]), -WEIGHT_BITS));
	return apart / request->convex.calls;
}

static void
test_stability(void)
{
	double mean = 0;

	for (int c = 0; c < check_repetitions(80); c++)
	{
		int dimension = 1 + below(3);
		MechanismRequest request =
			make_request((ConvexLoss) below(LOSS_LABEL_KINDS), dimension, exp(between(-2, 1)), 64);
		OpsampProblem opsamp;
		OpsampPlan plan;
		int64_t last;
		double apart;

		request.convex.lambda = LAMBDA_MIN;
		request.convex.rows = 1 << below(20);
		problem_random(&problem, below(3) == 0 ? SHAPE_ONE_ROW : SHAPE_ANY, dimension, 0);
		problem.instance.rows = 1 + below(3) % (int) problem.instance.rows;
		last = problem.instance.rows - 1;
		problem.positive[last] = 1;
		problem.negative[last] = 0;
		for (int j = 0; j < dimension; j++)
			problem.x[last * dimension + j] = random_feature(4);
		request.adjacency = problem_neighbour(&problem, &neighbour);
		opsamp = convex_opsamp_problem(&request);
		opsamp_plan(&opsamp, &plan);
		apart = distance(&request, &plan, 1000 + (uint64_t) c);
		CHECK(apart <= plan.shift);
		mean += apart / plan.stable / check_repetitions(80);
	}
	CHECK_WHOLE(mean > 0.005 && mean < 1);
}

/*
 * Where the loss is linear the distance is known: a row with a positive label puts u on the upper
 * wall, one with a negative label on the lower wall until sigma > 1.  So E X = D (1 - e^-eta), and
 * the bound on it is 8 eta D.
 */
static void
test_linear_pair(void)
{
	MechanismRequest request = make_request(LOSS_HUBER, 1, 0.4, check_repetitions(20000));
	OpsampPlan plan = {.rate = INT64_C(1) << (OPSAMP_RATE_BITS - 6), .gap = 1e-6};
	double share = -expm1(-1.0 / 64);
	double error = 0.8 * sqrt(share / request.convex.calls);
	OpsampProblem opsamp = convex_opsamp_problem(&request);
	double apart;

	request.convex.lambda = LAMBDA_MIN;
	problem_random(&problem, SHAPE_ONE_ROW, 1, 0);
	problem.x[0] = 2 * FIXED_POINT_ONE;
	problem.positive[0] = 1;
	problem.negative[0] = 0;
	problem_copy(&neighbour, &problem);
	neighbour.positive[0] = 0;
	neighbour.negative[0] = 1;
	apart = distance(&request, &plan, 5);
	CHECK(fabs(apart - 0.8 * share) < 5 * error + 1e-3);
	CHECK(fabs(opsamp_stability(&opsamp, 1.0 / 64, 0) - 8 * 0.8 / 64) < 1e-4);
}

/* Rows are clipped at the declared peak. */
static void
test_peak(void)
{
	MechanismRequest request = make_request(LOSS_HUBER, 2, 1, 1);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	OpsampPlan plan = {.rate = INT64_C(1) << OPSAMP_RATE_BITS, .eta = 1, .gap = 1e-6};
	Wide sum[GRID_MAX_DIMENSION];

	/* 1,000 rows that pull with a slope of 1 in the first coordinate, times the peak */
	problem_random(&problem, SHAPE_ONE_ROW, 2, 0);
	problem.x[0] = 2 * FIXED_POINT_ONE;
	problem.x[1] = 0;
	problem.positive[0] = 1000;
	problem.negative[0] = 0;
	request.convex.peak = INT64_C(1) << (ROW_BITS - 10);
	request.convex.lambda = 100 * LAMBDA_ONE;
	plan.rate = INT64_C(1) << (OPSAMP_RATE_BITS + 8); /* sigma of mean 1/256 */
	(void) convex_opsamp_sum(&request, &plan, &problem.instance, &tools, sum);
	CHECK(fabs(ldexp((double) sum[0], -WEIGHT_BITS) - 1000.0 / 1024 / 100) < 1e-3);
}

/* ---- laws ---- */

#define CELLS 61
#define MIDDLE_CELL 30

/* Without rows u_j = min(sigma_j / lambda, reach): sigma is exponential of rate eta. */
static void
test_sigma_law(void)
{
	const Instance none = {.dimension = 1};
	MechanismRequest request = make_request(LOSS_LOGISTIC, 1, 8, 1);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	OpsampPlan plan = {.gap = 1e-9};
	Histogram h = histogram_create(CELLS);

	/*
	 * Eta 2, lambda 1: sigma is above 6 with probability e^-12 only.  5,000 draws of a rate that is
	 * off by 30 % add 2 (0.3 - ln 1.3) 5000 = 376 to a statistic of about 40, and 190 is enough.
	 */
	plan.rate = INT64_C(2) << OPSAMP_RATE_BITS;
	for (int i = 0; i < LAW_DRAWS / 20; i++)
	{
		Wide sum[GRID_MAX_DIMENSION];

		(void) convex_opsamp_sum(&request, &plan, &none, &tools, sum);
		histogram_add(&h, (uint64_t) ldexp((double) sum[0] * 10, -WEIGHT_BITS));
	}
	for (int c = 0; c < CELLS; c++)
	{
		h.truth[c] = exp(-2 * c / 10.0) - (c == CELLS - 1 ? 0 : exp(-2 * (c + 1) / 10.0));
		h.other[c] = exp(-2 * LAW_OFF * c / 10.0) -
					 (c == CELLS - 1 ? 0 : exp(-2 * LAW_OFF * (c + 1) / 10.0));
	}
	CHECK_LAW(h.count, h.truth, h.other, CELLS);
	histogram_destroy(&h);
}

static double
laplace_below(double x)
{
	return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2;
}

/* The noise on the mean: Laplace of scale shift / epsilon, about sum / calls. */
static void
test_laplace_law(void)
{
	MechanismRequest request = make_request(LOSS_LOGISTIC, 2, 32, 3);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	OpsampPlan plan = {.shift = 3};
	Wide sum[GRID_MAX_DIMENSION] = {0};
	Histogram h = histogram_create(CELLS);

	request.epsilon = 2 * EPSILON_ONE;
	sum[1] = (Wide) 3 << WEIGHT_BITS; /* a mean of 1 */
	for (int i = 0; i < LAW_DRAWS / 2; i++)
	{
		int64_t weight[GRID_MAX_DIMENSION];
		double cell;

		convex_opsamp_noise(&request, &plan, &tools, sum, weight);
		cell = floor(ldexp((double) weight[1], -CONVEX_OUTPUT_BITS) * 4) + MIDDLE_CELL;
		histogram_add(&h, (uint64_t) fmax(0, cell));
		CHECK(weight[0] >= -request.convex.norm && weight[0] <= request.convex.norm);
	}
	for (int c = 0; c < CELLS; c++)
	{
		double low = c == 0 ? -INFINITY : (c - MIDDLE_CELL) / 4.0 - 1;
		double high = c == CELLS - 1 ? INFINITY : (c + 1 - MIDDLE_CELL) / 4.0 - 1;

		h.truth[c] = laplace_below(high / 1.5) - laplace_below(low / 1.5);
		h.other[c] = laplace_below(high / 1.5 * LAW_OFF) - laplace_below(low / 1.5 * LAW_OFF);
	}
	CHECK_LAW(h.count, h.truth, h.other, CELLS);
	histogram_destroy(&h);
}

/* ---- the whole ---- */

/* With 10,000 a violation by 0.07 shows: five errors of sqrt(1 + e^2) / 2 / sqrt(10000). */
#define AUDIT_RUNS 10000

static double
planned_share_above(const MechanismRequest *request, const OpsampPlan *plan, int rows,
					double threshold)
{
	const int32_t x = 2 * FIXED_POINT_ONE;
	const int64_t one = 1;
	const int64_t none = 0;
	Instance instance = {
		.dimension = 1, .rows = rows, .x = &x, .positive = &one, .negative = &none};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	int above = 0;

	for (int i = 0; i < AUDIT_RUNS; i++)
	{
		Wide sum[GRID_MAX_DIMENSION];
		int64_t weight[GRID_MAX_DIMENSION];

		(void) convex_opsamp_sum(request, plan, &instance, &tools, sum);
		convex_opsamp_noise(request, plan, &tools, sum, weight);
		above += ldexp((double) weight[0], -CONVEX_OUTPUT_BITS) > threshold;
	}
	return (double) above / AUDIT_RUNS;
}

/* One row or none: P(above) - e^epsilon P'(above) may not exceed delta, and neither may the same of
 * the complement. */
static void
test_audit(void)
{
	MechanismRequest request = make_request(LOSS_HUBER, 1, 1, 4);
	OpsampProblem problem;
	OpsampPlan plan;
	double with;
	double without;
	double error;

	if (check_share() < 100)
		return;
	request.adjacency = ADJACENCY_ADD_REMOVE;
	request.convex.lambda = LAMBDA_MIN;
	request.convex.rows = 100;
	problem = convex_opsamp_problem(&request);
	opsamp_plan(&problem, &plan);
	with = planned_share_above(&request, &plan, 1, 0.9);
	without = planned_share_above(&request, &plan, 0, 0.9);
	error = sqrt(with * (1 - with) + exp(2) * without * (1 - without)) / sqrt(AUDIT_RUNS);
	CHECK(with - exp(1) * without - 5 * error <= 1e-6);
	CHECK(1 - without - exp(1) * (1 - with) - 5 * error <= 1e-6);
}

/* How far a release's mean loss, regularised, is above the least on a mesh of the cube -1 .. 1. */
static double
mean_excess(const MechanismRequest *request, const Instance *instance, int runs)
{
	MechanismTools tools = {.bits = &bits, .memory = memory};
	double lambda = ldexp((double) request->convex.lambda, -LAMBDA_BITS);
	double none[2] = {0};
	double least = INFINITY;
	double sum = 0;
	Sample sample = sample_create(instance, request->convex.radius);

	for (int i = 0; i <= 200; i++)
		for (int k = 0; k <= 200; k++)
		{
			double u[2] = {i / 100.0 - 1, k / 100.0 - 1};

			least = fmin(least, value_at(&sample, request->convex.loss, lambda, none, u));
		}
	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;
		double u[2];

		mechanism_get(MECHANISM_OPSAMP)->release(request, instance, &tools, &answer);
		for (int j = 0; j < 2; j++)
			u[j] = ldexp((double) answer.weight[j], -CONVEX_OUTPUT_BITS);
		sum += value_at(&sample, request->convex.loss, lambda, none, u) - least;
	}
	memory_release(memory, sample.v);
	return sum / (double) request->convex.rows / runs;
}

static MechanismVerdict
verdict_on(const MechanismRequest *request)
{
	MechanismRequest timed = *request;

	timed.run = (RunTerms){.rows = 1000, .distinct = 1000, .longest = 600, .memory = INFINITY};
	return mechanism_verdict(&timed);
}

/* A request is admitted only if its bound says something, and the bound holds. */
static void
test_admission(void)
{
	MechanismRequest request = make_request(LOSS_LOGISTIC, 2, 1, 256);
	OpsampProblem opsamp;
	OpsampPlan plan;
	double risk;
	int runs = check_repetitions(10);

	CHECK(convex_opsamp_calls(1) == OPSAMP_DEFAULT_CALLS);
	CHECK(convex_opsamp_calls(1 << 18) == 1 << 10);
	CHECK(convex_opsamp_calls(INT64_C(1) << 40) == OPSAMP_LEAST_CALLS);
	CHECK(verdict_on(&request).admitted && verdict_on(&request).finishes);
	request.convex.rows = 100;
	CHECK(!verdict_on(&request).admitted);
	request.convex.rows = INT64_C(1) << 40;
	CHECK(!verdict_on(&request).admitted);
	request.convex.rows = 100000;
	request.convex.delta = 0;
	CHECK(!verdict_on(&request).admitted);
	/* a large lambda makes the noise on the weights expensive */
	request.convex.delta = DELTA_ONE / 1000000;
	request.convex.lambda = LAMBDA_ONE << 20;
	CHECK(!verdict_on(&request).admitted);

	/* few distinct rows that stand for 100,000 */
	request = make_request(LOSS_LOGISTIC, 2, 1, 256);
	request.convex.rows = 100000;
	problem_random(&problem, SHAPE_ANY, 2, 0);
	problem.instance.rows = 2;
	problem.positive[0] = 30000;
	problem.negative[0] = 20000;
	problem.positive[1] = 40000;
	problem.negative[1] = 10000;
	opsamp = convex_opsamp_problem(&request);
	opsamp_plan(&opsamp, &plan);
	risk = mean_excess(&request, &problem.instance, runs);
	CHECK(risk <= plan.risk);
	CHECK_WHOLE(risk > plan.risk / 200);
	CHECK(fabs(convex_opsamp_trivial(&request) - (log(2) - true_loss(LOSS_LOGISTIC, sqrt(2)))) <
		  1e-4);
	CHECK(fabs(opsamp.range - sqrt(2)) < 1e-4);
	/* a lambda that outweighs the rows */
	request.convex.lambda = LAMBDA_MAX;
	opsamp = convex_opsamp_problem(&request);
	opsamp_plan(&opsamp, &plan);
	risk = mean_excess(&request, &problem.instance, runs);
	CHECK_WHOLE(risk <= plan.risk);
	opsamp.pull = 0;
	opsamp_plan(&opsamp, &plan);
	CHECK_WHOLE(risk > plan.risk); /* the rows' share alone would not do */
}

int
main(void)
{
	test_begin(95);
	test_values();
	test_bounds();
	test_minimisers();
	test_rounds();
	test_stability();
	test_linear_pair();
	test_peak();
	test_sigma_law();
	test_laplace_law();
	test_admission();
	test_audit();
	return test_end("opsamp");
}
