/*
 * test_convex_net.c - the exponential mechanism over a net, of a body or of a ball in it: nets,
 * losses in integers, the largest change by one row, the law of the draws, and privacy by
 * enumeration.
 */
#include "core/mechanisms/convex_net.h"
#include "core/convex/convex_row.h"
#include "core/mechanisms/utility.h"

#include "core/law.h"
#include "core/problem.h"

#define MOST_DIMENSION 3
#define MOST_ROWS 40

/* Of the test at hand. */
static Problem problem;
static Problem neighbour;

/* ---- nets ---- */

/* Nets against enumeration of a cube. */
static void
test_nets(void)
{
	for (int dimension = 1; dimension <= 4; dimension++)
		for (int steps = 1; steps <= 6; steps++)
		{
			Net net;
			int64_t inside = 0;
			int64_t cube = (int64_t) pow(2 * steps + 1, dimension);
			int32_t k[NET_MAX_DIMENSION] = {0};
			int wrong = 0;

			net_create(&net, dimension, steps, memory);
			for (int64_t c = 0; c < cube; c++)
			{
				int64_t rest = c;
				int square = 0;

				for (int j = dimension - 1; j >= 0; j--, rest /= 2 * steps + 1)
				{
					int value = (int) (rest % (2 * steps + 1)) - steps;

					square += value * value;
					k[j] = value;
				}
				if (square <= steps * steps)
				{
					int32_t point[NET_MAX_DIMENSION];

					net_point(&net, inside++, point);
					wrong += memcmp(point, k, (size_t) dimension * sizeof(int32_t)) != 0;
				}
			}
			CHECK(wrong == 0);
			CHECK(net.points == inside && net_points(dimension, steps) == inside);
			CHECK(net_steps(dimension, inside) == steps);
			CHECK(net_steps(dimension, inside - 1) == steps - 1);
			net_destroy(&net, memory);
		}
	CHECK(net_points(6, NET_LEAST_STEPS) == 1395261);
	CHECK(net_points(7, NET_LEAST_STEPS) == NET_MAX_POINTS + 1);
	CHECK(net_points(GRID_MAX_DIMENSION, NET_LEAST_STEPS) == NET_MAX_POINTS + 1);
	CHECK(net_steps(1, INT64_MAX) == NET_MOST_STEPS);
	CHECK(net_steps(GRID_MAX_DIMENSION, INT64_MAX) == 0);
}

/* Steps follow from public numbers; 0 refuses a net that is too much work. */
static void
test_steps(void)
{
	CHECK(convex_net_steps(2, 0, 0) == net_steps(2, 100000));
	CHECK(convex_net_steps(3, 1000, 0) == net_steps(3, 10000000));
	CHECK(convex_net_steps(3, 1000000, 0) == net_steps(3, 10000));
	CHECK(convex_net_steps(5, 100000, 0) == NET_LEAST_STEPS);
	CHECK(convex_net_steps(5, 1000000, 0) == 0);
	CHECK(convex_net_steps(6, 0, 0) == 0);
	CHECK(convex_net_steps(6, 10000, 0) == NET_LEAST_STEPS);
	CHECK(convex_net_steps(7, 1, 0) == 0);
	CHECK(convex_net_steps(2, 0, 200) == 8);
	CHECK(convex_net_steps(2, 1000000000, 200) == 0);
	CHECK(convex_net_steps(2, 0, 4) == 0);
	CHECK(convex_net_steps(1, INT64_C(1000000000000000), 0) == 0);
}

/* ---- losses ---- */

static int64_t
any_margin(double reach)
{
	return (int64_t) ldexp(between(-reach, reach), MARGIN_BITS);
}

static void
test_loss(ConvexLoss kind)
{
	LossTable *slopes = memory_allocate(memory, 1, sizeof(LossTable));
	NetLoss *loss = memory_allocate(memory, 1, sizeof(NetLoss));
	double worst = 0;
	int wrong = 0;

	loss_table_make(kind, slopes);
	net_loss_make(slopes, loss);
	for (int i = 0; i < check_repetitions(100000); i++)
	{
		int64_t margin = any_margin(i % 2 == 0 ? 32 : 2);
		int64_t width = (int64_t) ldexp(between(0, 1), MARGIN_BITS - below(30));
		double truth = true_loss(kind, ldexp((double) margin, -MARGIN_BITS));
		int64_t here = net_loss(loss, margin);
		int64_t there = net_loss(loss, margin + width);

		worst = fmax(worst, fabs(ldexp((double) here, -NET_LOSS_BITS) - truth));
		wrong += there > here || here - there > net_loss_change(loss, width);
	}
	CHECK(worst < 1e-5);
	CHECK(wrong == 0);
	/* beyond the reach it is flat, at the knots it is continuous */
	CHECK(net_loss(loss, INT64_MAX / 2) == 0);
	CHECK(net_loss(loss, INT64_MIN / 2) == net_loss(loss, -MARGIN_REACH));
	for (int i = 0; i < 1000; i++)
	{
		int64_t knot = (int64_t) below(SLOPE_KNOTS - 1) * (INT64_C(1) << MARGIN_KNOT_BITS);

		CHECK(net_loss(loss, knot - MARGIN_REACH) - net_loss(loss, knot - MARGIN_REACH + 1) <= 1);
		CHECK(net_loss(loss, knot - MARGIN_REACH - 1) - net_loss(loss, knot - MARGIN_REACH) <= 1);
	}
	/* osc of the logistic loss over scores in -s .. s is s (theorem V11) */
	for (double s = 0.25; s <= 32; s *= 2)
	{
		int64_t reach = (int64_t) ldexp(s, MARGIN_BITS);
		double osc = kind == LOSS_LOGISTIC ? s : true_loss(kind, -s) - true_loss(kind, s);

		CHECK(fabs(ldexp((double) net_loss_range(loss, reach), -NET_LOSS_BITS) - osc) < 1e-5);
	}
	memory_release(memory, slopes);
	memory_release(memory, loss);
}

/* ---- problems ---- */

/* Rows of any length, some of zeros; with one label each unless many are asked for. */
static void
make_problem(int dimension, int rows, bool many)
{
	problem_begin(&problem, dimension, rows);
	for (int i = 0; i < rows; i++)
	{
		double length = i % 7 == 6 ? 0 : exp(between(-2, 3));
		int label = below(2);

		for (int j = 0; j < dimension; j++)
			problem.x[i * dimension + j] = random_feature(length);
		problem.positive[i] = many ? below(5) : label;
		problem.negative[i] = many ? below(1 << 20) : 1 - label;
	}
}

static MechanismRequest
make_request(MechanismKind kind, ConvexLoss loss, int dimension, double reach, int steps)
{
	MechanismRequest request = {
		.kind = kind,
		.epsilon = EPSILON_ONE,
		.threads = 2,
		.convex = {.loss = loss,
				   .radius = 1.5,
				   .lambda = kind == MECHANISM_LOCALIZED ? 5 * LAMBDA_ONE : 0,
				   .norm = (int64_t) ldexp(reach, CONVEX_OUTPUT_BITS),
				   .steps = steps},
	};

	grid_set_plain(&request.grid, dimension);
	return request;
}

/* The loss of a point from the definition, row by row. */
static double
plain_loss(const Instance *instance, const MechanismRequest *request, const int64_t *u)
{
	int dimension = request->grid.dimension;
	double sum = 0;
	double square = 0;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		int32_t v[MOST_DIMENSION];
		double score = 0;

		convex_clip_row(instance->x + i * dimension, dimension, request->convex.radius, v);
		for (int j = 0; j < dimension; j++)
			score += ldexp(v[j], -ROW_BITS) * ldexp((double) u[j], -CONVEX_OUTPUT_BITS);
		score = fmax(-32, fmin(32, score));
		sum += (double) instance->positive[i] * true_loss(request->convex.loss, score) +
			   (double) instance->negative[i] * true_loss(request->convex.loss, -score);
	}
	for (int j = 0; j < dimension; j++)
		square += pow(ldexp((double) u[j], -CONVEX_OUTPUT_BITS), 2);
	return sum + ldexp((double) request->convex.lambda, -LAMBDA_BITS) / 2 * square;
}

static void
any_centre(const MechanismRequest *request, int64_t *centre)
{
	double most = ldexp((double) request->convex.norm, 0) / sqrt(MOST_DIMENSION);

	for (int j = 0; j < MOST_DIMENSION; j++)
		centre[j] = request->kind == MECHANISM_LOCALIZED ? (int64_t) between(-most, most) : 0;
}

static void
test_losses(void)
{

	for (int c = 0; c < check_repetitions(200); c++)
	{
		int dimension = 1 + below(MOST_DIMENSION);
		bool many = below(2) == 0;
		MechanismRequest request = make_request(
			below(2) == 0 ? MECHANISM_CONVEX_EXPONENTIAL : MECHANISM_LOCALIZED,
			(ConvexLoss) below(LOSS_LABEL_KINDS), dimension, between(0.01, 32), 1 + below(8));
		ConvexNetPlan plan;
		ConvexNetLaw *law;
		int64_t centre[NET_MAX_DIMENSION];
		int64_t u[NET_MAX_DIMENSION];
		double labels = 0;
		int wrong = 0;
		int counted = 0;

		make_problem(dimension, below(MOST_ROWS), many);
		any_centre(&request, centre);
		CHECK(convex_net_plan(&request, &plan) == CONVEX_FITS);
		law = convex_net_law_create(&request, &problem.instance, &plan, centre, memory);
		CHECK(law->net.points == plan.points);
		for (int64_t i = 0; i < problem.instance.rows; i++)
			labels += (double) (problem.positive[i] + problem.negative[i]);
		for (int64_t i = 0; i < law->net.points; i++)
		{
			double square = 0;
			double loss = ldexp((double) law->loss[i], -NET_LOSS_BITS);

			net_weights(&law->problem, i, u);
			for (int j = 0; j < dimension; j++)
				square += (double) u[j] * (double) u[j];
			counted += law->loss[i] != NET_OUTSIDE;
			if (law->loss[i] == NET_OUTSIDE)
				wrong += sqrt(square) < (double) plan.limit * (1 - 1e-12);
			else
				wrong +=
					sqrt(square) > (double) plan.limit * (1 + 1e-12) ||
					fabs(loss - plain_loss(&problem.instance, &request, u)) > 1e-5 * (labels + 1);
		}
		CHECK(wrong == 0);
		CHECK(counted > 0);
		CHECK(request.kind == MECHANISM_LOCALIZED || counted == law->net.points);
		convex_net_law_destroy(law, memory);
	}
}

/* ---- privacy, by enumeration ---- */

/* ln P of every point that counts, NAN for the others. */
static double *
log_law(const MechanismRequest *request, const Problem *data, const ConvexNetPlan *plan,
		const int64_t *centre)
{
	ConvexNetLaw *law = convex_net_law_create(request, &data->instance, plan, centre, memory);
	double *log_p = memory_allocate(memory, (size_t) plan->points, sizeof(double));
	double rate = (double) plan->rate.numerator / (double) plan->rate.denominator;
	double most = -INFINITY;
	double sum = 0;

	for (int64_t i = 0; i < plan->points; i++)
	{
		log_p[i] = law->loss[i] == NET_OUTSIDE ? NAN : -rate * (double) law->loss[i];
		most = fmax(most, log_p[i]);
	}
	for (int64_t i = 0; i < plan->points; i++)
		if (!isnan(log_p[i]))
			sum += exp(log_p[i] - most);
	for (int64_t i = 0; i < plan->points; i++)
		log_p[i] -= most + log(sum);
	convex_net_law_destroy(law, memory);
	return log_p;
}

/* No ratio exceeds e^epsilon, or e^(epsilon / 2) in the ball; the worst one comes close. */
static void
test_privacy(MechanismKind kind)
{
	static const double epsilons[] = {0.1, 1, 4};
	double share = kind == MECHANISM_LOCALIZED ? 0.5 : 1;
	double closest = 0;
	double widest = 0;

	for (int c = 0; c < check_repetitions(1500); c++)
	{
		int dimension = 1 + below(2);
		int rows = 1 + below(3);
		MechanismRequest request = make_request(kind, (ConvexLoss) below(LOSS_LABEL_KINDS),
												dimension, exp(between(-3, 3)), 2 + below(8));
		ConvexNetPlan plan;
		int64_t centre[NET_MAX_DIMENSION];
		double *p;
		double *q;
		double epsilon = epsilons[c % 3];
		double most = -INFINITY;
		double least = INFINITY;

		make_problem(dimension, rows, false);
		for (int j = 0; j < dimension; j++)
			problem.x[(rows - 1) * dimension + j] = random_feature(8);
		request.adjacency = problem_neighbour(&problem, &neighbour);
		request.epsilon = (int64_t) (epsilon * EPSILON_ONE);
		request.convex.lambda = (int64_t) (exp(between(-1, 4)) * LAMBDA_ONE);
		any_centre(&request, centre);
		CHECK(convex_net_plan(&request, &plan) == CONVEX_FITS);
		p = log_law(&request, &problem, &plan, centre);
		q = log_law(&request, &neighbour, &plan, centre);
		for (int64_t i = 0; i < plan.points; i++)
		{
			CHECK(isnan(p[i]) == isnan(q[i]));
			most = fmax(most, p[i] - q[i]);
			least = fmin(least, p[i] - q[i]);
		}
		CHECK(most <= share * epsilon + 1e-9 && -least <= share * epsilon + 1e-9);
		CHECK(most - least <= share * epsilon + 1e-9); /* bounded range */
		closest = fmax(closest, fmax(most, -least) / (share * epsilon));
		widest = fmax(widest, (most - least) / (share * epsilon));
		memory_release(memory, p);
		memory_release(memory, q);
	}
	CHECK_WHOLE(closest > 0.7); /* otherwise the pairs are too easy */
	CHECK_WHOLE(widest > 0.95);
}

/* The formulas of theorems V11 and V12. */
static void
test_plans(void)
{
	for (int loss = 0; loss < LOSS_LABEL_KINDS; loss++)
		for (int adjacency = 0; adjacency < 2; adjacency++)
		{
			MechanismRequest request =
				make_request(MECHANISM_CONVEX_EXPONENTIAL, (ConvexLoss) loss, 2, 8, 8);
			double margin = adjacency == ADJACENCY_REPLACE ? 2 : 1;
			double steep = loss_steepness((ConvexLoss) loss);
			double osc = loss == LOSS_LOGISTIC  ? 8
						 : loss == LOSS_CLIPPED ? log(2) + 4 - log1p(exp(-8))
												: 9;
			ConvexNetPlan plan;
			MechanismVerdict verdict;

			/* a = epsilon / (R B) under add_remove, epsilon / (2 R B) under replace */
			request.adjacency = (Adjacency) adjacency;
			CHECK(convex_net_plan(&request, &plan) == CONVEX_FITS);
			CHECK(fabs(ldexp((double) plan.rate.numerator / (double) plan.rate.denominator,
							 NET_LOSS_BITS) *
						   margin * osc -
					   1) < 1e-5);
			CHECK(plan.step == 1 << 20 && plan.points == 197);
			request.run =
				(RunTerms){.rows = 1000, .distinct = 1000, .longest = 600, .memory = INFINITY};
			verdict = mechanism_verdict(&request);
			CHECK(verdict.admitted && verdict.finishes && verdict.cost == 197);
			request.run.rows = 1e12;
			CHECK(!mechanism_verdict(&request).finishes);

			/* |b| ~ Gamma(p, (2 / epsilon) 2 L / (n Delta_s)); then osc <= 2 L 2 r */
			request = make_request(MECHANISM_LOCALIZED, (ConvexLoss) loss, 2, 32, 64);
			request.adjacency = (Adjacency) adjacency;
			request.convex.lambda = 50 * LAMBDA_ONE;
			CHECK(convex_net_plan(&request, &plan) == CONVEX_FITS);
			CHECK(fabs(plan.noise / (2 * steep * margin / 50) - 1) < 1e-6);
			CHECK(fabs(ldexp((double) plan.step * 64, -20) / (plan.noise * 5.571643) - 1) < 1e-3);
			CHECK(fabs(ldexp((double) plan.range, -NET_LOSS_BITS) /
						   (2 * steep * ldexp((double) plan.step * 64, -20)) -
					   1) < 1e-3);
			CHECK(plan.rate.numerator == EPSILON_ONE / 2);
		}
	{
		MechanismRequest request = make_request(MECHANISM_LOCALIZED, LOSS_LOGISTIC, 2, 32, 64);
		MechanismVerdict verdict;
		ConvexNetPlan plan;

		request.convex.lambda = 0;
		CHECK(convex_net_plan(&request, &plan) == CONVEX_LAMBDA_TOO_SMALL);
		convex_net_admit(&request, &verdict);
		CHECK(!verdict.admitted);
		request = make_request(MECHANISM_CONVEX_EXPONENTIAL, LOSS_LOGISTIC, 7, 32, 8);
		convex_net_admit(&request, &verdict);
		CHECK(!verdict.admitted && verdict.cost == UINT64_MAX);
		request = make_request(MECHANISM_CONVEX_EXPONENTIAL, LOSS_LOGISTIC, 8, 32, 8);
		convex_net_admit(&request, &verdict);
		CHECK(!verdict.admitted);
	}
}

/* ---- what is drawn ---- */

static int64_t
number_of(const ConvexNetLaw *law, int dimension, const int64_t *weight)
{
	for (int64_t i = 0; i < law->net.points; i++)
	{
		int64_t u[NET_MAX_DIMENSION];

		net_weights(&law->problem, i, u);
		if (memcmp(u, weight, (size_t) dimension * sizeof(int64_t)) == 0)
			return i;
	}
	return -1;
}

/* Releases of the mechanism against its law; with another rate they do not fit. */
static void
test_law(void)
{
	MechanismRequest request = make_request(MECHANISM_CONVEX_EXPONENTIAL, LOSS_LOGISTIC, 2, 4, 4);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	const int64_t centre[NET_MAX_DIMENSION] = {0};
	ConvexNetPlan plan;
	ConvexNetLaw *law;
	Histogram h;

	make_problem(2, MOST_ROWS, false);
	request.threads = 1;
	request.epsilon = 2 * EPSILON_ONE;
	CHECK(convex_net_plan(&request, &plan) == CONVEX_FITS);
	law = convex_net_law_create(&request, &problem.instance, &plan, centre, memory);
	h = histogram_create((int) law->net.points);
	for (int i = 0; i < LAW_DRAWS; i++)
		histogram_add(&h, (uint64_t) net_draw(law->loss, law->net.points, plan.rate, &bits));
	for (int c = 0; c < h.cells; c++)
	{
		double exponent = (double) plan.rate.numerator / (double) plan.rate.denominator *
						  (double) (law->loss[c] - law->loss[0]);

		h.truth[c] = exp(-exponent);
		h.other[c] = exp(-exponent * LAW_OFF);
	}
	CHECK_LAW(h.count, h.truth, h.other, h.cells);
	/* and what the mechanism releases are points of that net, with that law */
	for (int c = 0; c < h.cells; c++)
		h.count[c] = 0;
	for (int i = 0; i < LAW_DRAWS / 40; i++)
	{
		MechanismAnswer answer;
		int64_t number;

		mechanism_get(request.kind)->release(&request, &problem.instance, &tools, &answer);
		number = number_of(law, 2, answer.weight);
		CHECK(number >= 0);
		histogram_add(&h, (uint64_t) number);
	}
	CHECK(law_p_value(h.count, h.truth, h.cells) > 1e-6);
	histogram_destroy(&h);
	convex_net_law_destroy(law, memory);
}

/* ---- localisation as a whole ---- */

/*
 * One row of slope -1, or none: the row's minimiser is 1e-4 above 0, the centre's noise has the
 * scale 2e-4, and the row's loss is largest at the lower end of the ball.  So far below 0 both
 * parts of epsilon are nearly spent.
 */
static void
test_audit(void)
{
	MechanismRequest request = make_request(MECHANISM_LOCALIZED, LOSS_HUBER, 1, 8, 8);
	const int32_t x = 2 * FIXED_POINT_ONE;
	const int runs = 30000; /* the shares are small */
	double without;

	if (check_share() < 100)
		return;
	request.threads = 1;
	request.adjacency = ADJACENCY_ADD_REMOVE;
	request.convex.lambda = 10000 * LAMBDA_ONE;
	without = 1 - share_above(&request, 0, x, -9e-4, runs);
	check_log_ratio(without, 1 - share_above(&request, 1, x, -9e-4, runs), runs, 0.6);
}

/* ---- price ---- */

/* The answer's loss is that far above the best of the net only with probability beta. */
static void
test_bound(MechanismKind kind)
{
	MechanismRequest request = make_request(kind, LOSS_LOGISTIC, 2, 6, 10);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	int runs = check_repetitions(1000);
	int beyond = 0;
	int64_t least = INT64_MAX;
	double mean = 0;
	NetBound bound;
	ConvexNetPlan plan;
	ConvexNetLaw *law;
	int64_t centre[NET_MAX_DIMENSION] = {0};

	make_problem(2, MOST_ROWS, false);
	request.threads = 1;
	convex_net_bound(&request, 0.05, &bound);
	CHECK(convex_net_plan(&request, &plan) == CONVEX_FITS);
	law = convex_net_law_create(&request, &problem.instance, &plan, centre, memory);
	for (int64_t i = 0; i < law->net.points; i++)
		least = law->loss[i] < least ? law->loss[i] : least;
	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;
		double excess;

		mechanism_get(kind)->release(&request, &problem.instance, &tools, &answer);
		excess = plain_loss(&problem.instance, &request, answer.weight) -
				 ldexp((double) least, -NET_LOSS_BITS);
		beyond += excess > bound.loss;
		mean += excess / runs;
	}
	CHECK(beyond <= 0.05 * runs);
	CHECK(mean > bound.loss / 40);
	CHECK(bound.mesh * 1.5 >= ldexp(sqrt(2) * (double) plan.step, -CONVEX_OUTPUT_BITS));
	CHECK(bound.mesh * 1.5 <= ldexp(sqrt(2) * (double) plan.step + 20, -CONVEX_OUTPUT_BITS));
	convex_net_law_destroy(law, memory);
}

int
main(void)
{
	test_begin(90);
	test_nets();
	test_steps();
	for (int loss = 0; loss < LOSS_LABEL_KINDS; loss++)
		test_loss((ConvexLoss) loss);
	test_losses();
	test_plans();
	test_privacy(MECHANISM_CONVEX_EXPONENTIAL);
	test_privacy(MECHANISM_LOCALIZED);
	test_law();
	test_bound(MECHANISM_CONVEX_EXPONENTIAL);
	test_bound(MECHANISM_LOCALIZED);
	test_audit();
	return test_end("convex_net");
}
