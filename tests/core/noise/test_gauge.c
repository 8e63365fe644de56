/*
 * test_gauge.c - the lattice gauges: their geometry in exact integers, and each
 * sampler against its law, computed here from the definition in floating point.
 */
#include "core/noise/gauge.h"

#include <math.h>

#include "core/fixture.h"
#include "core/law.h"
#include "core/vectors.h"

#define MAX_FEATURES 64

/* Big integers live on the heap, which the address sanitizer makes slow. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif
#ifdef SANITIZED
#define DRAWS (LAW_DRAWS / 5)
#else
#define DRAWS LAW_DRAWS
#endif

/* ---- grids ---- */

/* One, two, three and five levels. */
static Grid
mixed_grid(void)
{
	Grid grid = {.dimension = 4, .levels = {1, 0, 0, 0}, .level = {{1}}};

	grid_set_sign(&grid, 1);
	grid_set_range(&grid, 2, 1);
	grid_set_range(&grid, 3, 2);
	return grid;
}

/* Up to three coordinates of one to four levels, and a modulus for them. */
static Grid
random_modulus_grid(void)
{
	Grid grid = {.dimension = 1 + below(3), .constraint = GRID_MODULUS};
	int most = 2;

	for (int j = 0; j < grid.dimension; j++)
	{
		int weight = -4;

		grid.levels[j] = 1 + below(4);
		for (int i = 0; i < grid.levels[j]; i++)
			grid.level[j][i] = (int8_t) (weight += 1 + below(3));
		most = grid.levels[j] > most ? grid.levels[j] : most;
	}
	grid.bound = most + below(3);
	return grid;
}

/* ---- geometry: theorem G4's table, written down a second time ---- */

/* phi(w); returns the number of features. */
static int
features(const Gauge *gauge, const Grid *grid, const int *index, int64_t *phi)
{
	int count = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		if (gauge->kind != GAUGE_ONEHOT)
			phi[count++] = grid->level[j][index[j]];
		else
			for (int i = 0; i < grid->levels[j]; i++)
				phi[count++] = i == index[j];
	}
	return count;
}

/*
 * The shift in quarters of phi(w): under replace w, 2 phi, 2 w; under add_remove
 * half of it; with a modulus half of that (theorem G7).
 */
static int64_t
quarter_shifts(const Gauge *gauge, const Grid *grid)
{
	int64_t shift = gauge->kind == GAUGE_CUBE ? 4 : 8;

	if (gauge->adjacency == ADJACENCY_ADD_REMOVE)
		shift /= 2;
	return grid->constraint == GRID_MODULUS ? shift / 2 : shift;
}

/* Theorem G5, but for that every N is even. */
static uint64_t
least_scale(const Gauge *gauge, const Grid *grid)
{
	bool parity_cube = gauge->kind == GAUGE_CUBE && grid->constraint == GRID_MODULUS;

	return parity_cube && gauge->adjacency == ADJACENCY_ADD_REMOVE ? 4 : 2;
}

/* The integer size of a lattice vector. */
static int64_t
lattice_size(const Gauge *gauge, const Grid *grid, const int64_t *r)
{
	int64_t max = 0;
	int64_t sum = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		int64_t row = 0;

		if (gauge->kind == GAUGE_ONEHOT)
		{
			int64_t least = *r;

			for (int i = 0; i < grid->levels[j]; i++)
			{
				least = r[i] < least ? r[i] : least;
				row += r[i];
			}
			row -= least * grid->levels[j];
			r += grid->levels[j];
		}
		else
			row = llabs(*r++);
		max = row > max ? row : max;
		sum += row;
	}
	if (gauge->kind == GAUGE_SPARSE && grid->bound * max < sum)
		return sum;
	return gauge->kind == GAUGE_SPARSE ? grid->bound * max : max;
}

static bool
has_choice(const Grid *grid)
{
	for (int j = 0; j < grid->dimension; j++)
		if (grid->levels[j] > 1)
			return true;
	return false;
}

/*
 * N s_w is an integer vector, its size times the rate is exactly epsilon, and
 * <s_w, phi(w) - phi(v)> >= M for every other v (theorem G1).
 */
static void
check_vector(const Gauge *gauge, const Grid *grid, const int *index)
{
	int64_t phi[MAX_FEATURES];
	int64_t other[MAX_FEATURES];
	int64_t quarters = quarter_shifts(gauge, grid);
	int v[GRID_MAX_DIMENSION] = {0};
	int count = features(gauge, grid, index, phi);
	mpz_t p;
	mpz_t q;

	do
	{
		int64_t product = 0;

		features(gauge, grid, v, other);
		for (int i = 0; i < count; i++)
			product += quarters * phi[i] * (phi[i] - other[i]);
		if (grid_contains(grid, v) && grid_compare(grid, index, v) != 0)
			CHECK(product >= 4 * privacy_margin(gauge->adjacency));
	} while (next_index(grid, v));

	for (int i = 0; i < count; i++)
	{
		phi[i] *= quarters * (int64_t) gauge->scale;
		CHECK(phi[i] % 4 == 0);
		phi[i] /= 4;
	}
	mpz_inits(p, q, NULL);
	gauge_rate(gauge, grid, p, q);
	mpz_mul_si(p, p, (long) lattice_size(gauge, grid, phi));
	mpz_mul_si(p, p, EPSILON_ONE);
	mpz_mul_si(q, q, gauge->epsilon);
	CHECK(mpz_cmp(p, q) == 0 || (!has_choice(grid) && mpz_sgn(p) == 0));
	mpz_clears(p, q, NULL);
}

static void
check_vectors(const Gauge *gauge, const Grid *grid)
{
	int index[GRID_MAX_DIMENSION] = {0};

	CHECK(gauge_is_valid(gauge, grid));
	do
		if (grid_contains(grid, index))
			check_vector(gauge, grid, index);
	while (next_index(grid, index));
}

static void
test_geometry(const Grid *grid, GaugeKind kind)
{
	static const int64_t epsilons[] = {1, 123456789, EPSILON_ONE, 37 * EPSILON_ONE};

	for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE; adjacency++)
		for (size_t e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			Gauge gauge;

			gauge_choose(&gauge, grid, epsilons[e], adjacency);
			CHECK(gauge.kind == kind);
			CHECK(gauge.epsilon == epsilons[e]);
			CHECK(gauge.adjacency == adjacency);
			CHECK((gauge.scale & (gauge.scale - 1)) == 0);
			CHECK(gauge.scale >= GAUGE_MIN_SCALE && gauge.scale <= GAUGE_MAX_SCALE);
			check_vectors(&gauge, grid);

			/* The least N that theorem G5 allows is exact as well. */
			gauge.scale = least_scale(&gauge, grid);
			check_vectors(&gauge, grid);
		}
}

static void
test_geometries(void)
{
	Grid grid = uniform_grid(3, 0, GRID_PRODUCT, 0);

	test_geometry(&grid, GAUGE_CUBE);
	grid = uniform_grid(3, 1, GRID_SPARSE, 3);
	test_geometry(&grid, GAUGE_CUBE);
	grid = uniform_grid(3, 1, GRID_PRODUCT, 0);
	test_geometry(&grid, GAUGE_ONEHOT);
	grid = mixed_grid();
	test_geometry(&grid, GAUGE_ONEHOT);
	grid = uniform_grid(3, 2, GRID_BALL, 4);
	test_geometry(&grid, GAUGE_ONEHOT);
	grid = uniform_grid(3, 2, GRID_SPARSE, 2); /* levels beyond signs */
	test_geometry(&grid, GAUGE_ONEHOT);
	for (int k = 1; k < 4; k++)
	{
		grid = uniform_grid(4, 1, GRID_SPARSE, k);
		test_geometry(&grid, GAUGE_SPARSE);
	}
}

static void
test_modulus_geometries(void)
{
	Grid grid;

	for (int dimension = 1; dimension <= 4; dimension++)
		for (int modulus = 2; modulus <= 5; modulus++)
		{
			grid = uniform_grid(dimension, 0, GRID_MODULUS, 2);
			grid.bound = modulus;
			test_geometry(&grid, GAUGE_CUBE);
			if (modulus < 3)
				continue;
			grid = uniform_grid(dimension, 1, GRID_MODULUS, modulus);
			test_geometry(&grid, GAUGE_ONEHOT);
		}
	grid = mixed_grid();
	grid.constraint = GRID_MODULUS;
	for (grid.bound = 5; grid.bound <= 7; grid.bound++)
		test_geometry(&grid, GAUGE_ONEHOT);
	for (int k = check_repetitions(40); k > 0; k--)
	{
		Gauge gauge;

		grid = random_modulus_grid();
		gauge_choose(&gauge, &grid, EPSILON_ONE, ADJACENCY_REPLACE);
		test_geometry(&grid, gauge.kind);
	}
}

/* What the proofs do not cover is refused. */
static void
test_validity(void)
{
	Grid signs = uniform_grid(2, 0, GRID_PRODUCT, 0);
	Grid parity = uniform_grid(2, 0, GRID_MODULUS, 2);
	Grid ternary = uniform_grid(2, 1, GRID_PRODUCT, 0);
	Grid sparse = uniform_grid(3, 1, GRID_SPARSE, 2);
	Grid ball = uniform_grid(3, 1, GRID_BALL, 2);
	Grid slow = uniform_grid(128, 1, GRID_SPARSE, 47);
	Gauge gauge;

	gauge_choose(&gauge, &signs, EPSILON_ONE, ADJACENCY_ADD_REMOVE);
	CHECK(gauge_is_valid(&gauge, &signs));
	CHECK(!gauge_is_valid(&gauge, &ternary));
	CHECK(!gauge_is_valid(&gauge, &sparse));
	CHECK(gauge_is_valid(&gauge, &parity)); /* as a subset of the cube */
	for (uint64_t scale = 0; scale < 10; scale++)
	{
		gauge.scale = scale;
		CHECK(gauge_is_valid(&gauge, &signs) == (scale >= 2 && scale % 2 == 0));
		CHECK(gauge_is_valid(&gauge, &parity) == (scale >= 4 && scale % 4 == 0));
	}
	gauge.adjacency = ADJACENCY_REPLACE;
	gauge.scale = 2;
	CHECK(gauge_is_valid(&gauge, &parity));
	gauge_choose(&gauge, &signs, 0, ADJACENCY_REPLACE);
	CHECK(!gauge_is_valid(&gauge, &signs));

	gauge_choose(&gauge, &sparse, EPSILON_ONE, ADJACENCY_REPLACE);
	CHECK(gauge_is_valid(&gauge, &sparse));
	CHECK(!gauge_is_valid(&gauge, &ternary));
	CHECK(!gauge_is_valid(&gauge, &ball)); /* "at most k" is not "exactly k" (counterexample G9) */

	gauge_choose(&gauge, &slow, EPSILON_ONE, ADJACENCY_REPLACE);
	CHECK(gauge.kind == GAUGE_ONEHOT);
	gauge_choose(&gauge, &slow, 5000 * EPSILON_ONE, ADJACENCY_REPLACE);
	CHECK(gauge.epsilon == GAUGE_MAX_EPSILON && gauge_is_valid(&gauge, &slow));
}

/* ---- laws of the pieces ---- */

/* ln A(n, J) by the place of the first zero (theorem G11). */
static double
log_rows(int n, double radius)
{
	double first = log_choose(radius + n - 1, n - 1);
	double sum = 1; /* i = 1, relative to the first */

	for (int i = 2; i <= n; i++)
		sum += exp(log_choose(radius - i + n, n - 1) - first);
	return first + log(sum);
}

/* Scale a log-law by its peak. */
static void
exponentiate(double *weight, int cells)
{
	double peak = -INFINITY;

	for (int i = 0; i < cells; i++)
		peak = fmax(peak, weight[i]);
	for (int i = 0; i < cells; i++)
		weight[i] = exp(weight[i] - peak);
}

/* All levels 2 tests the cube's sampler too. */
static void
test_radius(int dimension, const int *levels, unsigned long p_word, unsigned long q_word, int cells)
{
	double rate = (double) p_word / (double) q_word;
	bool cube = levels == NULL;
	Histogram histogram = histogram_create(cells);
	mpz_t p;
	mpz_t q;
	mpz_t radius;

	mpz_init_set_ui(p, p_word);
	mpz_init_set_ui(q, q_word);
	mpz_init(radius);
	for (int i = 0; i < DRAWS; i++)
	{
		if (cube)
			gauge_cube_radius(&bits, radius, dimension, p, q);
		else
			gauge_onehot_radius(&bits, radius, levels, dimension, p, q);
		histogram_add(&histogram, mpz_get_ui(radius));
	}
	for (int J = 0; J < cells; J++)
	{
		double log_body = cube ? dimension * log(2.0 * J + 1) : 0;

		for (int j = 0; j < dimension && !cube; j++)
			log_body += log_rows(levels[j], J);
		histogram.truth[J] = log_body - rate * J;
		histogram.other[J] = log_body - rate * LAW_OFF * J;
	}
	exponentiate(histogram.truth, cells);
	exponentiate(histogram.other, cells);
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, cells);
	mpz_clears(p, q, radius, NULL);
	histogram_destroy(&histogram);
}

static void
test_radii(void)
{
	static const int ternary[] = {3, 3};
	static const int mixed[] = {1, 2, 3, 5};
	static const int falling[] = {4, 1, 2};
	static const int single[] = {5};
	static const int many[] = {3, 3, 3, 3, 3, 9};

	test_radius(1, NULL, 1, 4, 400);
	test_radius(2, NULL, 1, 1, 200);
	test_radius(3, NULL, 1, 20, 2000);
	test_radius(10, NULL, 1, 40, 4000);
	test_radius(1, single, 1, 1, 100);
	test_radius(2, ternary, 1, 3, 400);
	test_radius(2, ternary, 1, 20, 2000);
	test_radius(4, mixed, 1, 3, 400);
	test_radius(4, mixed, 1, 30, 3000);
	test_radius(3, falling, 3, 4, 200);
	test_radius(6, many, 1, 50, 5000);
}

/* Every row by its mixed-radix number; in the other law rows that begin with 0 are likelier. */
static void
test_row(int levels, int radius)
{
	int cells = 1;
	Histogram histogram;
	mpz_t *row = integers_create((size_t) levels, memory);
	mpz_t bound;

	for (int i = 0; i < levels; i++)
		cells *= radius + 1;
	histogram = histogram_create(cells);
	mpz_init_set_si(bound, radius);
	for (int n = 0; n < DRAWS; n++)
	{
		uint64_t cell = 0;

		gauge_onehot_row(&bits, row, levels, bound);
		for (int i = 0; i < levels; i++)
			cell = cell * (uint64_t) (radius + 1) + mpz_get_ui(row[i]);
		histogram_add(&histogram, cell);
	}
	for (int cell = 0; cell < cells; cell++)
	{
		int sum = 0;
		int least = radius;
		int entry = 0;

		for (int i = 0, rest = cell; i < levels; i++, rest /= radius + 1)
		{
			entry = rest % (radius + 1); /* the last one read is the row's first */
			sum += entry;
			least = entry < least ? entry : least;
		}
		histogram.truth[cell] = least == 0 && sum <= radius ? 1.0 : 0.0;
		histogram.other[cell] = histogram.truth[cell] * (entry == 0 ? LAW_OFF : 1.0);
	}
	CHECK(law_p_value(histogram.count, histogram.truth, cells) > LAW_THRESHOLD);
	if (levels > 1 && radius > 0)
		CHECK_WHOLE(law_p_value(histogram.count, histogram.other, cells) < LAW_THRESHOLD);
	integers_destroy(row, (size_t) levels, memory);
	mpz_clear(bound);
	histogram_destroy(&histogram);
}

/*
 * A radius J beyond any word: with one zero, the others have a sum S of at most J
 * with P(S <= t J) = t^(n-1), so (S / J)^(n-1) is uniform.  In 20 cells.
 */
static void
test_large_row(void)
{
	enum
	{
		LEVELS = 9
	};
	Histogram histogram = histogram_create(20);
	mpz_t *row = integers_create(LEVELS, memory);
	mpz_t radius;
	mpz_t sum;

	mpz_inits(radius, sum, NULL);
	mpz_setbit(radius, 100);
	for (int n = 0; n < DRAWS; n++)
	{
		int zeros = 0;

		gauge_onehot_row(&bits, row, LEVELS, radius);
		mpz_set_ui(sum, 0);
		for (int i = 0; i < LEVELS; i++)
		{
			zeros += mpz_sgn(row[i]) == 0;
			mpz_add(sum, sum, row[i]);
		}
		if (zeros != 1 || mpz_cmp(sum, radius) > 0)
		{
			CHECK(!"one zero, and a sum within the radius");
			break;
		}
		histogram_add(&histogram,
					  (uint64_t) (20 * pow(mpz_get_d(sum) / mpz_get_d(radius), LEVELS - 1)));
	}
	for (int i = 0; i < 20; i++)
	{
		histogram.truth[i] = 1.0;
		histogram.other[i] = pow((i + 1) / 20.0, LAW_OFF) - pow(i / 20.0, LAW_OFF);
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, 20);
	integers_destroy(row, LEVELS, memory);
	mpz_clears(radius, sum, NULL);
	histogram_destroy(&histogram);
}

/* ---- laws of noise vectors, over all of a box ---- */

/* Values -half..half in each coordinate, numbered. */
typedef struct Box
{
	int dimension;
	int half;
} Box;

static int
box_cells(const Box *box)
{
	int cells = 1;

	for (int j = 0; j < box->dimension; j++)
		cells *= 2 * box->half + 1;
	return cells;
}

/* Vectors outside count in the last cell, whose weight is negligible. */
static uint64_t
box_cell(const Box *box, const mpz_t *noise)
{
	uint64_t cell = 0;

	for (int j = 0; j < box->dimension; j++)
	{
		if (mpz_cmpabs_ui(noise[j], (unsigned long) box->half) > 0)
			return UINT64_MAX;
		cell =
			cell * (uint64_t) (2 * box->half + 1) + (uint64_t) (mpz_get_si(noise[j]) + box->half);
	}
	return cell;
}

/* max(nonzeros max|r_j|, sum|r_j|) of a cell; nonzeros 0 asks for max|r_j| alone. */
static double
box_size(const Box *box, int cell, int nonzeros)
{
	int max = 0;
	int sum = 0;

	for (int j = 0; j < box->dimension; j++)
	{
		int value = abs(cell % (2 * box->half + 1) - box->half);

		cell /= 2 * box->half + 1;
		max = value > max ? value : max;
		sum += value;
	}
	if (nonzeros == 0)
		return max;
	return nonzeros * max > sum ? nonzeros * max : sum;
}

/* Histogram of noise vectors against exp(-rate size), and against a rate 30 % off. */
static void
check_box(const Box *box, Histogram *histogram, int nonzeros, double rate)
{
	for (int cell = 0; cell < histogram->cells; cell++)
	{
		double size = box_size(box, cell, nonzeros);

		histogram->truth[cell] = exp(-rate * size);
		histogram->other[cell] = exp(-rate * LAW_OFF * size);
	}
	CHECK_LAW(histogram->count, histogram->truth, histogram->other, histogram->cells);
}

typedef void (*SparseSampler)(Bits *bits, mpz_t *noise, int dimension, int nonzeros, const mpz_t p,
							  const mpz_t q);

/* sampler NULL: the cube. */
static void
test_noise(SparseSampler sampler, Box box, int nonzeros, unsigned long p_word, unsigned long q_word)
{
	Histogram histogram = histogram_create(box_cells(&box));
	mpz_t *noise = integers_create(3, memory);
	mpz_t p;
	mpz_t q;

	mpz_init_set_ui(p, p_word);
	mpz_init_set_ui(q, q_word);
	for (int n = 0; n < DRAWS; n++)
	{
		if (sampler == NULL)
			gauge_cube_noise(&bits, noise, box.dimension, p, q);
		else
			sampler(&bits, noise, box.dimension, nonzeros, p, q);
		histogram_add(&histogram, box_cell(&box, (const mpz_t *) noise));
	}
	check_box(&box, &histogram, nonzeros, (double) p_word / (double) q_word);
	integers_destroy(noise, 3, memory);
	mpz_clears(p, q, NULL);
	histogram_destroy(&histogram);
}

static void
test_noises(void)
{
	static const SparseSampler samplers[] = {gauge_sparse_from_cube, gauge_sparse_from_laplace};

	test_noise(NULL, (Box){1, 200}, 0, 1, 4);
	test_noise(NULL, (Box){2, 60}, 0, 1, 2);
	test_noise(NULL, (Box){3, 24}, 0, 3, 4);
	for (int s = 0; s < 2; s++)
		for (unsigned long k = 1; k <= 3; k++)
		{
			if (k < 3)
				test_noise(samplers[s], (Box){2, 60}, (int) k, 1, 2 * k);
			test_noise(samplers[s], (Box){3, 24}, (int) k, 3, 4 * k);
		}
}

/*
 * epsilon itself, where the law is a line: in one dimension neighbouring lattice
 * points r and r + 1, r >= 0, have the log ratio epsilon / N under replace and
 * 2 epsilon / N under add_remove, within five standard errors; not 30 % more.
 */
static void
test_log_ratio(Adjacency adjacency)
{
	Grid grid = uniform_grid(1, 0, GRID_PRODUCT, 0);
	Gauge gauge = {GAUGE_CUBE, 2 * EPSILON_ONE, adjacency, 4};
	double rate = adjacency == ADJACENCY_REPLACE ? 0.5 : 1.0;
	int64_t count[4] = {0};
	double sum = 0;
	double error = 0;
	mpz_t *reward = integers_create(GRID_MAX_LEVELS, memory);

	for (int n = 0; n < LAW_DRAWS; n++)
	{
		gauge_draw(&gauge, &grid, &bits, memory, reward);
		if (mpz_cmpabs_ui(reward[1], 3) <= 0)
			count[labs(mpz_get_si(reward[1]))]++;
	}
	count[0] *= 2; /* |r| = 0 is one point, the others are two */
	for (int r = 0; r < 3; r++)
	{
		double ratio = log((double) count[r] / (double) count[r + 1]);
		double deviation =
			sqrt((r == 0 ? 2.0 : 1.0) / (double) count[r] + 1.0 / (double) count[r + 1]);

		CHECK(fabs(ratio - rate) < 5 * deviation);
		CHECK_WHOLE(fabs(ratio - rate * LAW_OFF) > 5 * deviation);
		sum += ratio;
		error += deviation;
	}
	CHECK(fabs(sum - 3 * rate) < 5 * error);
	integers_destroy(reward, GRID_MAX_LEVELS, memory);
}

/* ---- gauge_draw() from end to end ---- */

/* gauge_draw() with phi(w) = w: rewards are r_j times the level, and r has its law. */
static void
test_linear_draw(Grid grid, Gauge gauge, Box box, double rate)
{
	int nonzeros = gauge.kind == GAUGE_SPARSE ? grid.bound : 0;
	Histogram histogram = histogram_create(box_cells(&box));
	mpz_t *reward = integers_create(3 * GRID_MAX_LEVELS, memory);
	mpz_t *noise = integers_create(3, memory);
	mpz_t expected;

	mpz_init(expected);
	for (int n = 0; n < DRAWS; n++)
	{
		bool linear = true;

		gauge_draw(&gauge, &grid, &bits, memory, reward);
		for (int j = 0; j < grid.dimension; j++)
		{
			int last = grid.levels[j] - 1;

			mpz_set(noise[j], reward[j * GRID_MAX_LEVELS + last]); /* the level 1 */
			for (int i = 0; i <= last; i++)
			{
				mpz_mul_si(expected, noise[j], grid.level[j][i]);
				linear &= mpz_cmp(expected, reward[j * GRID_MAX_LEVELS + i]) == 0;
			}
		}
		if (!linear)
		{
			CHECK(!"rewards are noise times level");
			break;
		}
		histogram_add(&histogram, box_cell(&box, (const mpz_t *) noise));
	}
	check_box(&box, &histogram, nonzeros, rate);
	integers_destroy(reward, 3 * GRID_MAX_LEVELS, memory);
	integers_destroy(noise, 3, memory);
	mpz_clear(expected);
	histogram_destroy(&histogram);
}

static void
test_linear_draws(void)
{
	Grid signs = uniform_grid(2, 0, GRID_PRODUCT, 0);
	Grid parity = uniform_grid(2, 0, GRID_MODULUS, 2);
	Grid full = uniform_grid(2, 1, GRID_SPARSE, 2);
	int64_t epsilon = 3 * EPSILON_ONE / 2;

	/* eps / N and 2 eps / N. */
	test_linear_draw(signs, (Gauge){GAUGE_CUBE, epsilon, ADJACENCY_REPLACE, 2}, (Box){2, 80}, 0.75);
	test_linear_draw(signs, (Gauge){GAUGE_CUBE, epsilon, ADJACENCY_ADD_REMOVE, 2}, (Box){2, 40},
					 1.5);
	test_linear_draw(full, (Gauge){GAUGE_CUBE, epsilon, ADJACENCY_REPLACE, 2}, (Box){2, 80}, 0.75);

	/* 4 eps / N with a modulus. */
	test_linear_draw(parity, (Gauge){GAUGE_CUBE, epsilon, ADJACENCY_ADD_REMOVE, 4}, (Box){2, 40},
					 1.5);

	/* eps / (2 k N) and eps / (k N); d = 3 takes Laplace for k = 1, the cube for k = 2. */
	for (int k = 1; k <= 2; k++)
	{
		Grid sparse = uniform_grid(3, 1, GRID_SPARSE, k);

		test_linear_draw(sparse, (Gauge){GAUGE_SPARSE, 2 * epsilon, ADJACENCY_REPLACE, 2},
						 (Box){3, 24}, 0.75 / k);
		test_linear_draw(sparse, (Gauge){GAUGE_SPARSE, 2 * epsilon, ADJACENCY_ADD_REMOVE, 2},
						 (Box){3, 12}, 1.5 / k);
	}
}

/*
 * gauge_draw() on levels 2 and 3 with a coordinate of one level between: all
 * pairs of rows, P proportional to exp(-rate max of the row sums).
 */
static void
test_onehot_draw(GridConstraint constraint, int64_t epsilon, Adjacency adjacency, double rate)
{
	enum
	{
		SIDE = 22
	};
	Grid grid = {.dimension = 3,
				 .levels = {2, 1, 3},
				 .level = {{-1, 1}, {1}, {-1, 0, 1}},
				 .constraint = constraint,
				 .bound = constraint == GRID_MODULUS ? 3 : 0};
	Gauge gauge = {GAUGE_ONEHOT, epsilon, adjacency, 2};
	Histogram histogram = histogram_create(SIDE * SIDE * SIDE * SIDE * SIDE);
	mpz_t *reward = integers_create(3 * GRID_MAX_LEVELS, memory);
	const int place[] = {0, 1, 2 * GRID_MAX_LEVELS, 2 * GRID_MAX_LEVELS + 1,
						 2 * GRID_MAX_LEVELS + 2};

	for (int n = 0; n < DRAWS; n++)
	{
		uint64_t cell = 0;

		gauge_draw(&gauge, &grid, &bits, memory, reward);
		for (int i = 0; i < 5; i++)
		{
			uint64_t value = mpz_get_ui(reward[place[i]]);

			cell = cell * SIDE + (value < SIDE ? value : SIDE - 1);
		}
		if (mpz_sgn(reward[GRID_MAX_LEVELS]) != 0)
			CHECK(!"a coordinate of one level has no reward");
		histogram_add(&histogram, cell);
	}
	for (int cell = 0; cell < histogram.cells; cell++)
	{
		int r[5];
		int pair;
		int triple;

		for (int i = 4, rest = cell; i >= 0; i--, rest /= SIDE)
			r[i] = rest % SIDE;
		pair = r[0] + r[1];
		triple = r[2] + r[3] + r[4];
		if (r[0] * r[1] == 0 && r[2] * r[3] * r[4] == 0)
		{
			histogram.truth[cell] = exp(-rate * (pair > triple ? pair : triple));
			histogram.other[cell] = exp(-rate * LAW_OFF * (pair > triple ? pair : triple));
		}
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, histogram.cells);
	integers_destroy(reward, 3 * GRID_MAX_LEVELS, memory);
	histogram_destroy(&histogram);
}

/* A draw of the largest shape, and one with a tiny epsilon, whose rewards leave 64 bits. */
static void
test_extremes(void)
{
	Grid grid = uniform_grid(GRID_MAX_DIMENSION, (GRID_MAX_LEVELS - 1) / 2, GRID_PRODUCT, 0);
	int count = GRID_MAX_DIMENSION * GRID_MAX_LEVELS;
	mpz_t *reward = integers_create((size_t) count, memory);
	Gauge gauge;

	for (int i = 0; i < count; i++)
		mpz_set_si(reward[i], -1);
	gauge_choose(&gauge, &grid, GAUGE_MAX_EPSILON, ADJACENCY_ADD_REMOVE);
	gauge_draw(&gauge, &grid, &bits, memory, reward);
	for (int i = 0; i < count; i++)
		CHECK(mpz_sgn(reward[i]) >= 0);

	gauge_choose(&gauge, &grid, 1, ADJACENCY_REPLACE);
	gauge.scale = GAUGE_MAX_SCALE;
	gauge_draw(&gauge, &grid, &bits, memory, reward);
	for (int i = 1; i < count; i++)
		if (mpz_cmp(reward[i], reward[0]) > 0)
			mpz_swap(reward[i], reward[0]);
	CHECK(mpz_sizeinbase(reward[0], 2) > 60);
	integers_destroy(reward, (size_t) count, memory);
}

/*
 * Theorem G14: a separator's weight has E|eta| = (m + 1) / epsilon and the standard deviation
 * 2 / sqrt(3) sqrt((m + 1) (m + 2)) / epsilon, which is 1.155 (m + 1.5) / epsilon.
 */
static void
test_separator_moments(void)
{
	enum
	{
		SEPARATORS = 23
	};
	Grid grid = uniform_grid(SEPARATORS, 0, GRID_PRODUCT, 0);
	int draws = check_repetitions(20000);
	mpz_t *noise = integers_create(SEPARATORS, memory);
	mpz_t p;
	mpz_t q;
	double sum = 0;
	double squares = 0;
	double scale;
	double count = (double) draws * SEPARATORS;
	Gauge gauge;

	gauge_choose_kind(&gauge, &grid, GAUGE_SEPARATORS, EPSILON_ONE, ADJACENCY_REPLACE);
	mpz_inits(p, q, NULL);
	gauge_rate(&gauge, &grid, p, q);
	scale = (double) gauge.scale;
	for (int t = 0; t < draws; t++)
	{
		gauge_cube_noise(&bits, noise, SEPARATORS, p, q);
		for (int i = 0; i < SEPARATORS; i++)
		{
			double eta = mpz_get_d(noise[i]) / scale;

			sum += fabs(eta);
			squares += eta * eta;
		}
	}
	integers_destroy(noise, SEPARATORS, memory);
	mpz_clears(p, q, NULL);
	CHECK(fabs(sum / count / (SEPARATORS + 1) - 1) < 0.02);
	CHECK(fabs(sqrt(squares / count) / (1.155 * (SEPARATORS + 1.5)) - 1) < 0.02);
}

int
main(void)
{
	test_begin(11);
	test_geometries();
	test_modulus_geometries();
	test_validity();
	test_radii();
	for (int levels = 1; levels <= 4; levels++)
		for (int radius = 0; radius <= 6; radius += 2)
			test_row(levels, radius);
	test_row(5, 1);
	test_large_row();
	test_noises();
	test_log_ratio(ADJACENCY_REPLACE);
	test_log_ratio(ADJACENCY_ADD_REMOVE);
	test_linear_draws();
	/* eps / (2 N) and eps / N; twice the latter with a modulus. */
	test_onehot_draw(GRID_PRODUCT, 3 * EPSILON_ONE, ADJACENCY_REPLACE, 0.75);
	test_onehot_draw(GRID_PRODUCT, 3 * EPSILON_ONE, ADJACENCY_ADD_REMOVE, 1.5);
	test_onehot_draw(GRID_MODULUS, 3 * EPSILON_ONE / 2, ADJACENCY_ADD_REMOVE, 1.5);
	test_separator_moments();
	test_extremes();
	return test_end("gauge");
}
