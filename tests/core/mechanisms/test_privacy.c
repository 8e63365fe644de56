/*
 * test_privacy.c - the mechanisms are exactly as private as they claim.
 *
 * For hundreds of random neighbours over small sets W, and for worst-case ones, the exact output
 * laws (privacy_law.h) give the largest |ln P(w) / P'(w)|: it is never above epsilon, and it is
 * epsilon for the worst case.  The second half detects noise that is larger than necessary, and
 * shows that the first half examines the answers with the largest loss.
 *
 * No finite number of pairs proves a mechanism private: docs/proofs has the proofs; this test finds
 * code that differs from them.
 */
#include "core/fixture.h"
#include "core/neighbours.h"

/* Numeric error of the laws, relative to the smallest probability. */
#define TOLERANCE 1e-9

/* The worst case must come this close to epsilon. */
#define TIGHT 1e-6

/* ---- one pair ---- */

/* The largest loss of a series of pairs, by its lower and its upper bound. */
static void
keep_larger(LossBounds *most, LossBounds pair)
{
	most->low = fmax(most->low, pair.low);
	most->high = fmax(most->high, pair.high);
}

static void
check_private(LossBounds loss, double epsilon)
{
	CHECK(loss.low <= epsilon + TOLERANCE);
	CHECK(loss.high <= epsilon + TIGHT);
}

static void
check_tight(LossBounds loss, double epsilon)
{
	check_private(loss, epsilon);
	CHECK(loss.low >= epsilon - TIGHT);
}

static double
as_number(int64_t epsilon)
{
	return (double) epsilon / (double) EPSILON_ONE;
}

/* ---- selection ---- */

typedef void (*SelectionLaw)(PairLaw *law, const LossTable *table, int vectors, SelectRate rate);

static LossBounds
selection_loss(SelectionLaw selection_law, const SelectProblem *problem, const VectorList *list,
			   const RowsPair *pair)
{
	LossTable table;
	PairLaw law;

	list_losses(&table, pair, problem->grid, list, memory);
	list_costs(&table, problem, list);
	selection_law(&law, &table, list->count, select_rate(problem));
	memory_renew();
	return privacy_loss(&law);
}

/*
 * The worst case of the exponential mechanism needs its vector far behind the
 * others, so that it hardly counts in the sum of all weights: 25 / rate rows.
 */
static void
check_selection(SelectionLaw selection_law, const Shape *shape, const SelectProblem *problem)
{
	double epsilon = as_number(problem->epsilon);
	LossBounds random = {0.0, 0.0};
	VectorList list;

	list_vectors(&list, &shape->grid);
	for (int k = check_repetitions(150); k > 0; k--)
	{
		RowsPair pair = random_pair(&stream, shape->grid.dimension, problem->adjacency, 6);

		keep_larger(&random, selection_loss(selection_law, problem, &list, &pair));
	}
	check_private(random, epsilon);
	if (shape->separates)
	{
		RowsPair pair = separating_pair(shape, problem->adjacency, (int) (50.0 / epsilon) + 1);

		check_tight(selection_loss(selection_law, problem, &list, &pair), epsilon);
	}
}

/* Both with and without a prior, whose power does not matter. */
static void
test_selection(void)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 4 * EPSILON_ONE};
	Shape shapes[] = {
		shape_signs(2),     shape_signs(3),  shape_ternary(1),        shape_ternary(3),
		shape_five(),       shape_ball(),    shape_round_ball(),      shape_sparse(3, 1),
		shape_sparse(3, 2), shape_parity(3), shape_ternary_modulus(3)};

	for (size_t k = 0; k < 4 * sizeof(shapes) / sizeof(shapes[0]); k++)
	{
		const Shape *shape = &shapes[k / 4];
		SelectProblem problem = {.grid = &shape->grid,
								 .epsilon = epsilons[k / 4 % 3],
								 .adjacency = (Adjacency) (k / 2 % 2),
								 .prior_power = (int64_t) (k % 2) * 2 * PRIOR_ONE};

		check_selection(exponential_law, shape, &problem);
		check_selection(permute_flip_law, shape, &problem);
	}
}

/* The sum over sets against the integral of its definition, by Simpson's rule. */
static void
test_permute_flip_formula(void)
{
	enum
	{
		STEPS = 2000
	};
	static const long double coin[] = {1.0L, 0.9L, 0.5L, 0.5L, 0.1L, 0.01L};

	for (int w = 0; w < 6; w++)
	{
		long double integral = 0.0L;

		for (int k = 0; k <= STEPS; k++)
		{
			long double t = (long double) k / STEPS;
			long double product = k == 0 || k == STEPS ? 1.0L : k % 2 ? 4.0L : 2.0L;

			for (int v = 0; v < 6; v++)
				product *= v == w ? coin[w] : 1.0L - coin[v] * t;
			integral += product / (3.0L * STEPS);
		}
		CHECK(fabsl(integral - permute_flip_probability(coin, 6, w)) < 1e-9L);
	}
}

/* ---- lattice gauges ---- */

/* scale 0: gauge_choose() decides on kind and N. */
typedef struct LatticeCase
{
	Shape shape;
	GaugeKind kind;
	uint64_t scale;
	int64_t epsilon;
	int pairs;
	int most_rows;
	Decider decider;
	int tight; /* with so many copies of its row the worst case has loss epsilon; 0: it has less */
} LatticeCase;

static Gauge
case_gauge(const LatticeCase *c, Adjacency adjacency)
{
	Gauge gauge = {c->kind, c->epsilon, adjacency, c->scale};

	if (c->scale == 0 && c->kind >= GAUGE_LAPLACE)
		gauge_choose_kind(&gauge, &c->shape.grid, c->kind, c->epsilon, adjacency);
	else if (c->scale == 0)
		gauge_choose(&gauge, &c->shape.grid, c->epsilon, adjacency);
	CHECK(gauge.kind == c->kind);
	CHECK(gauge_is_valid(&gauge, &c->shape.grid));
	return gauge;
}

static LossBounds
lattice_loss(const Gauge *gauge, const Grid *grid, const VectorList *list, Decider decider,
			 const RowsPair *pair)
{
	LossTable table;
	PairLaw law;

	list_losses(&table, pair, grid, list, memory);
	CHECK(lattice_law(&law, gauge, grid, list, &table, decider, TIGHT / 4, memory) == 0);
	memory_renew();
	return privacy_loss(&law);
}

static void
check_lattice(const LatticeCase *c, Adjacency adjacency)
{
	const Shape *shape = &c->shape;
	Gauge gauge = case_gauge(c, adjacency);
	LossBounds random = {0.0, 0.0};
	VectorList list;

	list_vectors(&list, &shape->grid);
	for (int k = check_repetitions(c->pairs); k > 0; k--)
	{
		RowsPair pair = random_pair(&stream, shape->grid.dimension, adjacency, c->most_rows);

		keep_larger(&random, lattice_loss(&gauge, &shape->grid, &list, c->decider, &pair));
	}
	check_private(random, as_number(c->epsilon));
	if (shape->separates)
	{
		RowsPair pair = separating_pair(shape, adjacency, c->tight > 0 ? c->tight : 1);
		LossBounds worst = lattice_loss(&gauge, &shape->grid, &list, c->decider, &pair);

		check_private(worst, as_number(c->epsilon));
		CHECK(c->tight == 0 || worst.low >= as_number(c->epsilon) - TIGHT);
	}
}

static void
test_lattice(void)
{
	const int64_t one = EPSILON_ONE;
	const LatticeCase cases[] = {
		{shape_signs(1), GAUGE_CUBE, 2, one, 100, 4, DECIDE_BY_BOTH, 1},
		{shape_signs(1), GAUGE_CUBE, 6, one / 2, 100, 4, DECIDE_DIRECTLY, 1},
		{shape_signs(1), GAUGE_CUBE, 0, one, 80, 4, DECIDE_DIRECTLY, 1},
		{shape_signs(2), GAUGE_CUBE, 2, 4 * one, 20, 4, DECIDE_BY_BOTH, 1},
		{shape_signs(2), GAUGE_CUBE, 4, 2 * one, 100, 4, DECIDE_DIRECTLY, 1},
		{shape_signs(2), GAUGE_CUBE, 0, 4 * one, 20, 4, DECIDE_DIRECTLY, 1},
		{shape_signs(3), GAUGE_CUBE, 2, 6 * one, 20, 3, DECIDE_DIRECTLY, 0},

		{shape_signs(1), GAUGE_ONEHOT, 2, one, 40, 4, DECIDE_BY_BOTH, 1},
		{shape_signs(2), GAUGE_ONEHOT, 2, 3 * one, 60, 4, DECIDE_DIRECTLY, 1},
		{shape_ternary(1), GAUGE_ONEHOT, 4, 2 * one, 60, 4, DECIDE_DIRECTLY, 1},
		{shape_ternary(1), GAUGE_ONEHOT, 2, 4 * one, 20, 4, DECIDE_BY_BOTH, 1},
		{shape_ternary(1), GAUGE_ONEHOT, 0, 4 * one, 10, 4, DECIDE_DIRECTLY, 1},
		{shape_ternary(3), GAUGE_ONEHOT, 2, 12 * one, 12, 2, DECIDE_DIRECTLY, 1},
		{shape_mixed(), GAUGE_ONEHOT, 2, 6 * one, 30, 3, DECIDE_DIRECTLY, 1},
		{shape_ball(), GAUGE_ONEHOT, 2, 12 * one, 12, 2, DECIDE_DIRECTLY, 1},
		{shape_round_ball(), GAUGE_ONEHOT, 2, 12 * one, 12, 2, DECIDE_DIRECTLY, 0},

		{shape_sparse(2, 1), GAUGE_SPARSE, 2, 4 * one, 40, 4, DECIDE_DIRECTLY, 1},
		{shape_sparse(2, 1), GAUGE_SPARSE, 2, 8 * one, 10, 3, DECIDE_BY_BOTH, 1},
		{shape_sparse(2, 1), GAUGE_SPARSE, 0, 8 * one, 10, 3, DECIDE_DIRECTLY, 1},
		{shape_sparse(3, 1), GAUGE_SPARSE, 2, 8 * one, 16, 3, DECIDE_DIRECTLY, 1},
		{shape_sparse(3, 2), GAUGE_SPARSE, 2, 10 * one, 16, 3, DECIDE_DIRECTLY, 0},
		{shape_sparse(3, 2), GAUGE_ONEHOT, 2, 40 * one, 2, 1, DECIDE_DIRECTLY, 0},

		{shape_signs(1), GAUGE_LAPLACE, 2, one, 40, 4, DECIDE_BY_BOTH, 1},
		{shape_signs(2), GAUGE_LAPLACE, 2, 6 * one, 20, 3, DECIDE_DIRECTLY, 1},
		{shape_signs(2), GAUGE_LAPLACE, 0, 20 * one, 2, 2, DECIDE_DIRECTLY, 1},
		{shape_sparse(2, 1), GAUGE_LAPLACE, 2, 8 * one, 10, 3, DECIDE_DIRECTLY, 1},
		{shape_sparse(3, 2), GAUGE_LAPLACE, 2, 24 * one, 4, 2, DECIDE_DIRECTLY, 0},
		{shape_parity(2), GAUGE_LAPLACE, 4, 8 * one, 10, 3, DECIDE_DIRECTLY, 0},

		{shape_signs(1), GAUGE_SEPARATORS, 2, one, 40, 4, DECIDE_BY_BOTH, 1},
		{shape_signs(2), GAUGE_SEPARATORS, 2, 3 * one, 40, 4, DECIDE_DIRECTLY, 1},
		{shape_ternary(1), GAUGE_SEPARATORS, 2, 4 * one, 20, 4, DECIDE_BY_BOTH, 0},
		{shape_ternary(1), GAUGE_SEPARATORS, 0, 8 * one, 4, 3, DECIDE_DIRECTLY, 0},
		{shape_mixed(), GAUGE_SEPARATORS, 2, 8 * one, 10, 3, DECIDE_DIRECTLY, 0},
		{shape_round_ball(), GAUGE_SEPARATORS, 2, 24 * one, 2, 2, DECIDE_DIRECTLY, 0},
		{shape_parity(2), GAUGE_SEPARATORS, 2, 2 * one, 20, 4, DECIDE_DIRECTLY, 1},
		{shape_signs(2), GAUGE_SEPARATORS_LAPLACE, 2, 6 * one, 20, 3, DECIDE_DIRECTLY, 1},
		{shape_ternary(1), GAUGE_SEPARATORS_LAPLACE, 2, 6 * one, 20, 4, DECIDE_BY_BOTH, 0},
		{shape_mixed(), GAUGE_SEPARATORS_LAPLACE, 2, 24 * one, 4, 2, DECIDE_DIRECTLY, 0},
		{shape_parity(2), GAUGE_SEPARATORS_LAPLACE, 2, 6 * one, 20, 4, DECIDE_DIRECTLY, 0},

		{shape_parity(1), GAUGE_CUBE, 4, 4 * one, 10, 4, DECIDE_BY_BOTH, 0},
		{shape_parity(2), GAUGE_CUBE, 4, one, 40, 4, DECIDE_DIRECTLY, 1},
		{shape_parity(2), GAUGE_CUBE, 4, 8 * one, 10, 3, DECIDE_BY_BOTH, 1},
		{shape_parity(3), GAUGE_CUBE, 4, 4 * one, 20, 3, DECIDE_DIRECTLY, 1},
		{shape_parity(2), GAUGE_CUBE, 0, 8 * one, 10, 3, DECIDE_DIRECTLY, 1},
		{shape_parity(2), GAUGE_ONEHOT, 2, 2 * one, 40, 4, DECIDE_DIRECTLY, 1},
		{shape_ternary_modulus(2), GAUGE_ONEHOT, 2, 4 * one, 10, 3, DECIDE_DIRECTLY, 0},
		{shape_ternary_modulus(2), GAUGE_ONEHOT, 2, 8 * one, 10, 3, DECIDE_DIRECTLY, 4},
		{shape_ternary_modulus(2), GAUGE_ONEHOT, 2, 16 * one, 2, 2, DECIDE_BY_BOTH, 4},
		{shape_positive_modulus(), GAUGE_ONEHOT, 2, 8 * one, 10, 3, DECIDE_DIRECTLY, 4},
		{shape_mixed_modulus(), GAUGE_ONEHOT, 2, 8 * one, 10, 3, DECIDE_DIRECTLY, 6},
		{shape_large_modulus(), GAUGE_ONEHOT, 2, 8 * one, 10, 3, DECIDE_DIRECTLY, 4},
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
		for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE;
			 adjacency++)
			check_lattice(&cases[k], adjacency);
}

/*
 * Ties.  One row, of which the label is flipped, W = {-1, 1}, N = 2: the vector 1
 * is behind by N and then ahead by N, which lattice points meet with equality.
 * The loss is epsilon if the public order decides there, as it does in the
 * product.  If the smaller loss decided it would be
 * epsilon + ln(1 + rho - rho^2), rho = exp(-epsilon / 2): 1.2138 for epsilon = 1.
 */
static void
test_ties(void)
{
	Shape shape = shape_signs(1);
	Gauge gauge = {GAUGE_CUBE, EPSILON_ONE, ADJACENCY_REPLACE, 2};
	RowsPair pair = separating_pair(&shape, ADJACENCY_REPLACE, 0);
	double rho = exp(-0.5);
	VectorList list;
	LossBounds loss;

	list_vectors(&list, &shape.grid);
	loss = lattice_loss(&gauge, &shape.grid, &list, DECIDE_BY_ORACLE, &pair);
	check_tight(loss, 1.0);
	loss = lattice_loss(&gauge, &shape.grid, &list, DECIDE_TIES_BY_LOSS, &pair);
	CHECK(fabs(loss.low - (1.0 + log(1.0 + rho - rho * rho))) < TIGHT);
}

/*
 * Why levels 0 .. 3 are refused with a modulus of 3 (counterexample G8).  Their
 * vectors 0 and 3 differ in one coordinate, so the whole shift is needed; half of
 * it is the noise of twice the epsilon, and that is what the loss would be.
 */
static void
test_refused_modulus(void)
{
	Shape shape = shape_refused_modulus();
	RowsPair pair = separating_pair(&shape, ADJACENCY_REPLACE, 1);
	Gauge whole = {GAUGE_ONEHOT, EPSILON_ONE, ADJACENCY_REPLACE, 2};
	Gauge half = {GAUGE_ONEHOT, 2 * EPSILON_ONE, ADJACENCY_REPLACE, 2};
	VectorList list;

	CHECK(!grid_is_valid(&shape.grid));
	list_vectors(&list, &shape.grid);
	CHECK(list.count == 2);
	check_tight(lattice_loss(&whole, &shape.grid, &list, DECIDE_DIRECTLY, &pair), 1.0);
	check_tight(lattice_loss(&half, &shape.grid, &list, DECIDE_DIRECTLY, &pair), 2.0);
}

int
main(void)
{
	test_begin(23);
	test_permute_flip_formula();
	test_selection();
	test_ties();
	test_refused_modulus();
	test_lattice();
	return test_end("privacy");
}
