/*
 * test_simplex.c - sampling from a simplex: certified weights, the law of the draws, privacy
 * itself, and utility.
 */
#include "core/mechanisms/mechanism.h"
#include "core/simplex/simplex_minimise.h"
#include "core/simplex/simplex_scale.h"

#include <math.h>
#include <string.h>

#include "core/law.h"
#include "core/simplex_data.h"

/* ---- weights ---- */

typedef struct Solution
{
	int dimension;
	int64_t rounds;
	double residual; /* certified */
	mpz_t weight[GRID_MAX_DIMENSION];
} Solution;

static void
solve(const Data *data, const SimplexTerms *terms, Solution *solution)
{
	Instance instance = data_instance(data);
	SimplexMoments moments;

	solution->dimension = data->dimension;
	for (int j = 0; j < data->dimension; j++)
		mpz_init(solution->weight[j]);
	simplex_moments_make(&instance, terms, &bits, memory, &moments);
	solution->rounds =
		simplex_minimise(&moments, terms, simplex_tolerance(terms), memory, solution->weight);
	solution->residual =
		simplex_residual(&moments, terms->lambda, (const mpz_t *) solution->weight);
	simplex_moments_release(&moments, memory);
}

static void
solution_clear(Solution *solution)
{
	for (int j = 0; j < solution->dimension; j++)
		mpz_clear(solution->weight[j]);
}

/* ln theta_j to a double's precision, from a weight of any length. */
static void
log_theta(const Solution *solution, double *result)
{
	double largest = -INFINITY;
	double sum = 0;

	for (int j = 0; j < solution->dimension; j++)
	{
		signed long exponent;
		double mantissa = mpz_get_d_2exp(&exponent, solution->weight[j]);

		result[j] = log(mantissa) + (double) exponent * M_LN2;
		largest = fmax(largest, result[j]);
	}
	for (int j = 0; j < solution->dimension; j++)
		sum += exp(result[j] - largest);
	for (int j = 0; j < solution->dimension; j++)
		result[j] -= largest + log(sum);
}

/* Finds ln theta_j; returns the certified residual. */
static double
solve_logs(const Data *data, const SimplexTerms *terms, double *result)
{
	Solution solution;

	solve(data, terms, &solution);
	log_theta(&solution, result);
	solution_clear(&solution);
	return solution.residual;
}

/* sum over rows of 1/2 (<x, theta> - y)^2, and the range of its gradient plus lambda ln theta_j. */
static double
plain_loss(const Data *data, const double *theta)
{
	double loss = 0;

	for (int64_t i = 0; i < data->rows; i++)
	{
		const int32_t *row = data->x + i * (data->dimension + 1);
		double residual = -row[0];

		for (int j = 0; j < data->dimension; j++)
			residual += theta[j] * row[j + 1];
		loss += (double) data->count[i] * residual * residual / 2;
	}
	return loss / ONE / ONE;
}

static double
plain_residual(const Data *data, double lambda, const double *logarithm)
{
	double least = INFINITY;
	double largest = -INFINITY;

	for (int k = 0; k < data->dimension; k++)
	{
		double entry = lambda * logarithm[k];

		for (int64_t i = 0; i < data->rows; i++)
		{
			const int32_t *row = data->x + i * (data->dimension + 1);
			double residual = -row[0];

			for (int j = 0; j < data->dimension; j++)
				residual += exp(logarithm[j]) * row[j + 1];
			entry += (double) data->count[i] * residual * row[k + 1] / ONE / ONE;
		}
		least = fmin(least, entry);
		largest = fmax(largest, entry);
	}
	return largest - least;
}

static Data *
random_data(const SimplexTerms *terms, int dimension, int rows)
{
	Data *data = data_create(dimension);
	int32_t copied = integer_between(0, dimension - 1);

	for (int i = 0; i < rows; i++)
	{
		int32_t row[MOST_FEATURES + 1];

		random_row(terms, dimension, row);
		if (i % 2 == 0)
			row[0] = row[copied + 1] < terms->target_low    ? terms->target_low
					 : row[copied + 1] > terms->target_high ? terms->target_high
															: row[copied + 1];
		data_add(data, 1 + below(3), row);
	}
	return data;
}

static void
test_weights(void)
{
	int64_t most = 0;

	for (int i = 0; i < check_repetitions(300); i++)
	{
		SimplexTerms terms = random_terms();
		int d = 1 + below(MOST_FEATURES);
		int rows = i % 5 == 0 ? below(3) : 100;
		Data *data = random_data(&terms, d, rows);
		double logarithm[GRID_MAX_DIMENSION];
		double theta[GRID_MAX_DIMENSION];
		double slack;
		Solution solution;

		terms.lambda = fmax(terms.lambda, 1e-2);
		solve(data, &terms, &solution);
		most = solution.rounds > most ? solution.rounds : most;
		log_theta(&solution, logarithm);
		CHECK(solution.residual <= simplex_tolerance(&terms));
		/* the same in doubles, but for their rounding */
		slack = 1e-12 * (rows * 100.0 + terms.lambda * (1 - logarithm[0]) * 100);
		CHECK(plain_residual(data, terms.lambda, logarithm) <= solution.residual + slack);
		/* no neighbour on the simplex is better */
		for (int j = 0; j < d; j++)
			theta[j] = exp(logarithm[j]);
		for (int j = 0; j < d; j++)
			CHECK(mpz_sgn(solution.weight[j]) > 0);
		for (int k = 0; k < 4 && d > 1; k++)
		{
			double other[GRID_MAX_DIMENSION];
			double here = plain_loss(data, theta);
			double there;
			int to = integer_between(0, d - 1);

			for (int j = 0; j < d; j++)
				other[j] = theta[j] * 0.999 + (j == to ? 0.001 : 0);
			there = plain_loss(data, other);
			for (int j = 0; j < d; j++)
			{
				here += theta[j] > 0 ? terms.lambda * theta[j] * logarithm[j] : 0;
				there += other[j] > 0 ? terms.lambda * other[j] * log(other[j]) : 0;
			}
			CHECK(here <= there + simplex_tolerance(&terms) + slack);
		}
		solution_clear(&solution);
		free(data);
	}
	CHECK(most <= 100);
}

/* The certificate refuses other weights: here theta_0 is twice as likely. */
static void
test_certificate(void)
{
	SimplexTerms terms = printed_terms(100);
	Data *data = random_data(&terms, 3, 50);
	Instance instance = data_instance(data);
	SimplexMoments moments;
	Solution solution;

	solve(data, &terms, &solution);
	simplex_moments_make(&instance, &terms, &bits, memory, &moments);
	mpz_mul_2exp(solution.weight[0], solution.weight[0], 1);
	CHECK(simplex_residual(&moments, terms.lambda, (const mpz_t *) solution.weight) >
		  terms.lambda * 0.1);
	simplex_moments_release(&moments, memory);
	solution_clear(&solution);
	free(data);
}

/* Weights that are hundreds of powers of ten apart; features that are all alike; no row. */
static void
test_corners(void)
{
	SimplexTerms terms = {.lambda = 0.05,
						  .rows = 1000000,
						  .low = 0,
						  .high = ONE,
						  .target_low = 0,
						  .target_high = ONE};
	Data *data = data_create(3);
	double logarithm[GRID_MAX_DIMENSION];
	Solution solution;

	data_add(data, 1000, (int32_t[]){ONE, ONE, 0, 0});
	data_add(data, 300, (int32_t[]){ONE, ONE, ONE, 0});
	CHECK(solve_logs(data, &terms, logarithm) <= simplex_tolerance(&terms));
	CHECK(logarithm[0] > -1e-3 && logarithm[1] < -1 && logarithm[2] < logarithm[1]);

	/* the second feature is wrong in a thousand rows, by the length of the unit */
	terms.lambda = 1e-3;
	data->rows = 1;
	data_add(data, 500, (int32_t[]){0, 0, ONE, ONE});
	CHECK(solve_logs(data, &terms, logarithm) <= simplex_tolerance(&terms));
	CHECK(logarithm[1] < logarithm[0]);

	/* targets out of reach: ln theta is some -1000 */
	terms.high = ONE;
	terms.target_high = 1024 * ONE;
	terms.lambda = 1000;
	data->rows = 0;
	data_add(data, 1000, (int32_t[]){1024 * ONE, ONE, 0, ONE / 2});
	CHECK(solve_logs(data, &terms, logarithm) <= simplex_tolerance(&terms));
	CHECK(logarithm[1] < -1000 && logarithm[2] < -500 && logarithm[2] > -600);

	data->rows = 0;
	solve(data, &terms, &solution);
	CHECK(mpz_cmp(solution.weight[0], solution.weight[1]) == 0 && solution.residual == 0);
	solution_clear(&solution);

	terms.high = terms.low;
	data_add(data, 7, (int32_t[]){1024 * ONE, ONE, 0, ONE / 2});
	solve(data, &terms, &solution);
	CHECK(mpz_cmp(solution.weight[0], solution.weight[2]) == 0 && solution.residual == 0);
	solution_clear(&solution);

	/* lambda far beyond everything else */
	terms.high = ONE;
	terms.lambda = 0x1p90;
	CHECK(solve_logs(data, &terms, logarithm) <= simplex_tolerance(&terms));
	free(data);
}

/* ---- privacy ---- */

/* The interval that ln(theta_j / theta'_j) is in. */
static void
log_ratios(const Data *data, const Data *other, const SimplexTerms *terms, double *least,
		   double *largest)
{
	double here[GRID_MAX_DIMENSION];
	double there[GRID_MAX_DIMENSION];

	(void) solve_logs(data, terms, here);
	(void) solve_logs(other, terms, there);
	*least = INFINITY;
	*largest = -INFINITY;
	for (int j = 0; j < data->dimension; j++)
	{
		*least = fmin(*least, here[j] - there[j]);
		*largest = fmax(*largest, here[j] - there[j]);
	}
}

static void
test_range_on_neighbours(void)
{
	double most = 0;

	for (int i = 0; i < check_repetitions(400); i++)
	{
		SimplexTerms terms = random_terms();
		int d = 2 + below(4);
		int rows = 1 + below(30);
		Data *data = random_data(&terms, d, rows);
		Data *other = data_create(d);
		double claimed;
		double least;
		double largest;

		terms.lambda = exp(between(0, 6));
		data->count[0] = 1;
		*other = *data;
		random_row(&terms, d, data_row(other, 0));
		/* the worst directions: opposite corners */
		if (i % 2 == 0)
		{
			for (int j = 1; j <= d; j++)
				data_row(data, 0)[j] = data_row(other, 0)[j] = j % 2 == 0 ? terms.low : terms.high;
			data_row(data, 0)[0] = terms.target_low;
			data_row(other, 0)[0] = terms.target_high;
		}
		terms.rows = 0;
		for (int64_t k = 0; k < data->rows; k++)
			terms.rows += data->count[k];
		log_ratios(data, other, &terms, &least, &largest);
		claimed = simplex_draw_epsilon(&terms);
		CHECK(largest - least <= claimed + 1e-11);
		most = fmax(most, (largest - least) / claimed);
		free(data);
		free(other);
	}
	CHECK_WHOLE(most > 0.5 && most <= 1 + 1e-9);
}

/*
 * The hardest pair that is known: two features, R = 1, targets of up to 100, so that L = 101 and
 * the slopes are close to it wherever theta is; one row's target changes sign.  The common rows
 * make the first feature's theta as likely as asked.
 */
static SimplexTerms
hard_terms(int64_t rows)
{
	return (SimplexTerms){.lambda = 1,
						  .rows = rows,
						  .low = -ONE,
						  .high = ONE,
						  .target_low = -100 * ONE,
						  .target_high = 100 * ONE};
}

static void
add_hard_rows(Data *data, int64_t count, int32_t target)
{
	data_add(data, count, (int32_t[]){target, ONE, -ONE});
}

/* Rows with targets of -100 make the first feature rarer. */
static void
hard_pair(int64_t common, Data *data, Data *other)
{
	add_hard_rows(data, 1, 100 * ONE);
	add_hard_rows(data, common, -100 * ONE);
	*other = *data;
	data_row(other, 0)[0] = -100 * ONE;
}

/* sup over events of P(event) - e^epsilon P'(event) for counts of the first of two features. */
static double
exact_delta(double log_p, double log_q, double log_p_other, double log_q_other, int64_t draws,
			double epsilon)
{
	double delta = 0;

	for (int64_t k = 0; k <= draws; k++)
	{
		double ways = log_choose((double) draws, (double) k);
		double here = ways + (double) k * log_p + (double) (draws - k) * log_q;
		double there = ways + (double) k * log_p_other + (double) (draws - k) * log_q_other;

		if (here > there + epsilon)
			delta += exp(here) - exp(there + epsilon);
	}
	return delta;
}

/* The law of the frequencies, exactly, for both orders of the pair. */
static double
pair_delta(const Data *data, const Data *other, const SimplexTerms *terms, int64_t draws,
		   double epsilon)
{
	double here[GRID_MAX_DIMENSION];
	double there[GRID_MAX_DIMENSION];

	(void) solve_logs(data, terms, here);
	(void) solve_logs(other, terms, there);
	return fmax(exact_delta(here[0], here[1], there[0], there[1], draws, epsilon),
				exact_delta(there[0], there[1], here[0], here[1], draws, epsilon));
}

/* Pure: no event is more than e^epsilon likelier; and the bound is nearly reached. */
static void
test_pure_law(void)
{
	for (int draws = 1; draws <= 20; draws += draws < 5 ? 1 : 5)
	{
		int64_t common = 12 * draws;
		SimplexTerms terms = hard_terms(common + 1);
		SimplexBudget budget = {EPSILON_ONE, 0};
		Data *data = data_create(2);
		Data *other = data_create(2);
		bool pure;

		/* the least lambda for so many draws is that for one with a share of epsilon */
		budget.epsilon /= draws;
		terms.lambda = simplex_least_lambda(&terms, &budget);
		budget.epsilon = EPSILON_ONE;
		CHECK(simplex_draws(&terms, &budget, &pure) == draws);
		hard_pair(common, data, other);
		CHECK(pair_delta(data, other, &terms, draws, 1 + 1e-9) == 0);
		CHECK(pair_delta(data, other, &terms, draws, 0.9) > 0);
		free(data);
		free(other);
	}
}

/* With delta: the exact profile of the frequencies stays below it, though not by much. */
static void
test_approximate_law(void)
{
	static const int64_t wanted[] = {300, 2000, 8000};
	int64_t delta = (int64_t) (1e-6 * DELTA_ONE);
	SimplexBudget budget = simplex_budget(EPSILON_ONE, delta);

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
	{
		SimplexTerms terms = hard_terms(2);
		Data *data = data_create(2);
		Data *other = data_create(2);
		int64_t draws;
		double exact;
		bool pure;

		for (terms.lambda = 100; simplex_draws(&terms, &budget, &pure) < wanted[i];)
			terms.lambda *= 1.01;
		draws = simplex_draws(&terms, &budget, &pure);
		CHECK(!pure);
		/* one row and its opposite: theta is even between the two */
		add_hard_rows(data, 1, 100 * ONE);
		add_hard_rows(other, 1, -100 * ONE);
		exact = pair_delta(data, other, &terms, draws, 1);
		CHECK(exact <= 1e-6);
		CHECK(exact > 1e-7);
		free(data);
		free(other);
	}
}

/*
 * Under add_remove the row that comes pushes out another one: with one row more than n the law is
 * the mean over the rows that may be left out, and still e^epsilon near.
 */
static void
test_pushed_out(void)
{
	int64_t rows = 40;
	SimplexTerms terms = hard_terms(rows);
	SimplexBudget budget = {EPSILON_ONE, 0};
	Data *data = data_create(2);
	Data *more = data_create(2);
	double here[GRID_MAX_DIMENSION];
	double there[GRID_MAX_DIMENSION];
	Instance instance;
	SimplexMoments moments;

	terms.lambda = simplex_least_lambda(&terms, &budget);
	add_hard_rows(data, rows, 100 * ONE);
	*more = *data;
	add_hard_rows(more, 1, -100 * ONE);
	instance = data_instance(more);
	for (int i = 0; i < 50; i++)
	{
		simplex_moments_make(&instance, &terms, &bits, memory, &moments);
		CHECK(moments.rows == rows);
		/* all rows agree in |b|: one row pushed out leaves n or n - 2 of them */
		CHECK(mpz_get_d(moments.a[0]) == ldexp((double) rows, 34));
		simplex_moments_release(&moments, memory);
	}
	(void) solve_logs(data, &terms, here);
	/* with the row that came, whichever of the n others went */
	data->count[0] = rows - 1;
	add_hard_rows(data, 1, -100 * ONE);
	(void) solve_logs(data, &terms, there);
	for (int j = 0; j < 2; j++)
	{
		double mixed = ((double) rows * exp(there[j]) + exp(here[j])) / (double) (rows + 1);

		CHECK(fabs(log(mixed) - here[j]) <= 1 + 1e-9);
	}
	free(data);
	free(more);
}

/* ---- the mechanism as it is ---- */

static MechanismRequest
request_of(const SimplexTerms *terms, int dimension, int64_t epsilon)
{
	MechanismRequest request = {
		.kind = MECHANISM_SIMPLEX, .epsilon = epsilon, .threads = 1, .simplex = *terms};

	grid_set_plain(&request.grid, dimension);
	return request;
}

static void
release(const MechanismRequest *request, const Data *data, MechanismAnswer *answer)
{
	MechanismTools tools = {.bits = &bits, .memory = memory};
	Instance instance = data_instance(data);

	memset(answer, 0, sizeof(*answer));
	mechanism_get(request->kind)->release(request, &instance, &tools, answer);
}

/* The frequencies follow theta; they do not follow theta with lambda off by 30 %. */
static void
test_draws(void)
{
	SimplexTerms terms = printed_terms(20);
	MechanismRequest request;
	MechanismAnswer answer;
	Data *data = random_data(&terms, 6, 40);
	Histogram histogram = histogram_create(6);
	double logarithm[GRID_MAX_DIMENSION];
	int64_t total = 0;

	terms.rows = 200;
	request = request_of(&terms, 6, 3000 * EPSILON_ONE);
	while (total < LAW_DRAWS)
	{
		int64_t draws = 0;

		release(&request, data, &answer);
		for (int j = 0; j < 6; j++)
		{
			histogram.count[j] += answer.weight[j];
			draws += answer.weight[j];
		}
		CHECK(draws == simplex_request_draws(&request) && draws > 100);
		total += draws;
	}
	(void) solve_logs(data, &terms, logarithm);
	for (int j = 0; j < 6; j++)
	{
		histogram.truth[j] = exp(logarithm[j]);
		histogram.other[j] = exp(logarithm[j] * LAW_OFF);
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, 6);
	histogram_destroy(&histogram);
	free(data);
}

/* How often the rare feature is drawn. */
static double
share_of_first(const MechanismRequest *request, const Data *data, int runs)
{
	int64_t count = 0;

	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;

		release(request, data, &answer);
		count += answer.weight[0];
	}
	return (double) count / runs;
}

/*
 * One draw at the least lambda for epsilon = 1, and the rare one of two features, whose probability
 * grows as much as epsilon allows.
 */
static void
test_audit(void)
{
	int runs = check_repetitions(30000);
	int64_t common = 4;
	SimplexTerms terms = hard_terms(common + 1);
	SimplexBudget budget = {EPSILON_ONE, 0};
	MechanismRequest request;
	MechanismVerdict verdict;
	Data *data = data_create(2);
	Data *other = data_create(2);
	double here;
	double there;
	double error;

	terms.lambda = simplex_least_lambda(&terms, &budget);
	request = request_of(&terms, 2, EPSILON_ONE);
	request.run = (RunTerms){.rows = 1000, .distinct = 1000, .longest = 600, .memory = INFINITY};
	verdict = mechanism_verdict(&request);
	CHECK(verdict.admitted && verdict.finishes);
	hard_pair(common, data, other);
	here = share_of_first(&request, data, runs);
	there = share_of_first(&request, other, runs);
	CHECK(here > 0 && there > 0);
	/* three standard deviations of the logarithm: the seed is fixed */
	error = 3 * sqrt(1 / (here * runs) + 1 / (there * runs));
	CHECK_WHOLE(log(here / there) > 0.8);
	CHECK(log(here / there) <= 1 + error);
	CHECK_WHOLE(error < 0.15);
	request.simplex.lambda *= 0.99;
	CHECK(!mechanism_verdict(&request).admitted);
	free(data);
	free(other);
}

/* ---- utility ---- */

/* The mean excess over many runs is below its bound, single ones seldom above theirs. */
static void
test_excess(void)
{
	for (int i = 0; i < 6; i++)
	{
		SimplexTerms terms = printed_terms(1);
		int runs = check_repetitions(300);
		int d = 2 + 2 * i;
		MechanismRequest request;
		Data *data;
		SimplexBudget budget = {2 * EPSILON_ONE, 0};
		SimplexExcess excess;
		double theta[GRID_MAX_DIMENSION];
		double least;
		double mean = 0;
		int above = 0;

		data = random_data(&terms, d, 1000);
		terms.rows = 3000;
		terms.lambda = simplex_default_lambda(&terms, &budget, d);
		request = request_of(&terms, d, budget.epsilon);
		excess = simplex_excess(&terms, simplex_draws(&terms, &budget, NULL), d, 0.05);
		CHECK(excess.mean <= excess.bound);
		/* a lower bound on what can be reached: the solution for a lambda of next to nothing */
		{
			SimplexTerms sharp = terms;
			double logarithm[GRID_MAX_DIMENSION];

			sharp.lambda = 0.3; /* spreads as far as may be */
			(void) solve_logs(data, &sharp, logarithm);
			for (int j = 0; j < d; j++)
				theta[j] = exp(logarithm[j]);
			least = plain_loss(data, theta);
		}
		for (int k = 0; k < runs; k++)
		{
			MechanismAnswer answer;
			int64_t draws = 0;
			double found;

			release(&request, data, &answer);
			for (int j = 0; j < d; j++)
				draws += answer.weight[j];
			for (int j = 0; j < d; j++)
				theta[j] = (double) answer.weight[j] / (double) draws;
			found = plain_loss(data, theta) - least;
			mean += found / runs;
			above += found > excess.bound;
		}
		CHECK(mean <= excess.mean && above <= runs / 20);
		free(data);
	}
}

int
main(void)
{
	test_begin(56);
	test_weights();
	test_certificate();
	test_corners();
	test_range_on_neighbours();
	test_pure_law();
	test_approximate_law();
	test_pushed_out();
	test_draws();
	test_audit();
	test_excess();

	return test_end("simplex");
}
