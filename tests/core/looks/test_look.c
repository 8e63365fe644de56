/*
 * test_look.c - noisy counts, sums, averages, histograms, profiles and residuals: what neighbours
 * can change,
 * by trying all of them, the law of the noise, and how often the intervals hold the truth.
 */
#include "core/looks/look.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fixture.h"
#include "core/noise/noisy.h"
#include "core/law.h"

#define MAX_CELLS 3
#define NUMBERS (RESIDUAL_NUMBERS * MAX_CELLS) /* of the longest vector whose noise is tried */

static Look
make_look(const LookType *type, Adjacency adjacency, int cells, int rows_per_person)
{
	return (Look){
		.type = type, .adjacency = adjacency, .cells = cells, .rows_per_person = rows_per_person};
}

/* ---- neighbours ---- */

/* A row's value; NaN stands for NULL, and so for any row that is not usable. */
static const double values[] = {NAN, -INFINITY, -1e300, -3, 0, 0.1, 2, 6.5, 9, 1e9, INFINITY};

/* A model's prediction of it. */
static const double predictions[] = {-1e300, 0.1, 2, 1e9, NAN};

enum
{
	VALUES = sizeof(values) / sizeof(values[0]),
	PREDICTIONS = sizeof(predictions) / sizeof(predictions[0]),
	STATES = MAX_CELLS * VALUES * PREDICTIONS
};

/* Adds a row with this value to its cell by way of the encoding of both doors. */
static void
add_value(const Look *look, int cell, double value, double prediction, int64_t sign,
		  int64_t *number)
{
	Encoding encoding;
	int32_t x[2];

	look_encoding(look, &encoding);
	if (!encoding_apply(&encoding, &value, x))
		return;
	/* a score takes the place of a value, its label that of a cell */
	if (look->type->reads == READS_SCORES)
		prediction = value;
	look_add(
		look,
		&(LookRow){
			.cell = cell, .x = x, .score = prediction, .negative = cell % 2 == 1, .rows = sign},
		number);
}

/* A state of a row is its cell, its value and, where it matters, its prediction. */
static int
states_of(const Look *look)
{
	return look->cells * VALUES * (look->type == &look_residuals ? PREDICTIONS : 1);
}

static double
value_of(const Look *look, int state)
{
	return values[state / look->cells % VALUES];
}

static void
add_row_state(const Look *look, int state, int64_t sign, int64_t *number)
{
	add_value(look, state % look->cells, value_of(look, state),
			  predictions[state / look->cells / VALUES], sign, number);
}

/* What a row that is in state from in one table and in state to in the other changes. */
static void
change_of(const Look *look, int from, int to, int64_t *change)
{
	memset(change, 0, NUMBERS * sizeof(int64_t));
	add_row_state(look, from, -1, change);
	add_row_state(look, to, 1, change);
}

static double
loss_of(const Look *look, const int64_t *change)
{
	double loss = 0.0;

	for (int i = 0; i < look_numbers(look); i++)
		loss += (double) llabs(change[i]) / (double) look_reach(look, i);
	return loss;
}

/*
 * All changes of one row, all pairs of them for a person of two rows, and each thrice for one of
 * three, lose epsilon at most, and one of them all of it.
 */
static void
test_neighbours(const Look *look)
{
	static int64_t change[STATES * STATES][NUMBERS];
	int states = states_of(look);
	int changes = 0;
	double worst = 0.0;

	for (int from = 0; from < states; from++)
		for (int to = 0; to < states; to++)
			/* a row that comes or goes is in the other table not at all: like one of no use */
			if (look->adjacency == ADJACENCY_REPLACE || isnan(value_of(look, from)) ||
				isnan(value_of(look, to)))
				change_of(look, from, to, change[changes++]);
	for (int a = 0; a < changes; a++)
		for (int b = 0; b < (look->rows_per_person == 2 ? changes : 1); b++)
		{
			int64_t both[NUMBERS];

			for (int i = 0; i < NUMBERS; i++)
				both[i] = change[a][i] * (look->rows_per_person == 3 ? 3 : 1) +
						  (look->rows_per_person == 2 ? change[b][i] : 0);
			worst = fmax(worst, loss_of(look, both));
		}
	CHECK(worst <= 1 + 1e-12);
	CHECK(worst >= 1 - 1e-6);
}

/* A look at these cells; false if it has none of its own, or other tests ask it. */
static bool
make_tried(const LookType *type, Adjacency adjacency, int cells, int rows, const double *bounds,
		   Look *look)
{
	if (type->reads == READS_COLUMNS || type->reads == READS_LEVEL || type->draw != NULL)
		return false;
	*look = make_look(type, adjacency, cells, rows);
	look->lowest = -1;
	look->highest = 10;
	if (type->reads == READS_SCORES && cells % 2 != 0)
		return false;
	if (look_has_values(type))
		CHECK(look_set_bounds(look, bounds[0], bounds[1]));
	return true;
}

/*
 * T1 for each row of the table but those that draw for themselves: their tests are test_quantiles
 * and test_suggestion.  A person of two rows is tried where there are few states.
 */
static void
test_all_neighbours(void)
{
	static const double bounds[][2] = {{0, 9}, {-3, 6.5}, {0.1, 2}, {-1e9, -3}, {6.5, 9}};

	for (int t = 0; look_type(t) != NULL; t++)
		for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE;
			 adjacency++)
			for (int cells = 1; cells <= MAX_CELLS; cells++)
				for (int rows = 1; rows <= 3; rows++)
					for (int b = 0; b < (look_has_values(look_type(t)) ? 5 : 1); b++)
					{
						Look look;

						if (make_tried(look_type(t), adjacency, cells, rows, bounds[b], &look) &&
							(rows != 2 || states_of(&look) < 25))
							test_neighbours(&look);
					}
}

/*
 * T13: a person is in any at most k of the cells, or in none, and is replaced by one who is in others;
 * sets of cells are bits.
 */
static void
test_distinct(const Look *look)
{
	int sets = 1 << look->cells;
	double worst = 0.0;

	for (int old = 0; old < sets; old++)
		for (int new = 0; new < sets; new ++)
		{
			int64_t change[NUMBERS] = {0};

			if (__builtin_popcount((unsigned) old) > look->rows_per_person ||
				__builtin_popcount((unsigned) new) > look->rows_per_person ||
				(look->adjacency == ADJACENCY_ADD_REMOVE && old != 0 && new != 0))
				continue;
			for (int cell = 0; cell < look->cells; cell++)
			{
				add_value(look, cell, 0, 0, -(old >> cell & 1), change);
				add_value(look, cell, 0, 0, new >> cell & 1, change);
			}
			worst = fmax(worst, loss_of(look, change));
		}
	CHECK(fabs(worst - 1) <= 1e-12);
}

static void
test_all_distinct(void)
{
	for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE; adjacency++)
		for (int cells = 1; cells <= MAX_CELLS; cells++)
			for (int rows = 1; rows <= 4; rows++)
			{
				Look look = make_look(&look_count, adjacency, cells, rows);

				look.distinct = true;
				test_distinct(&look);
			}
}

/* ---- bounds ---- */

static int32_t
encode(const Look *look, double value)
{
	Encoding encoding;
	int32_t x[2] = {INT32_MIN};

	look_encoding(look, &encoding);
	CHECK(encoding_apply(&encoding, &value, x));
	return x[0];
}

static void
test_bounds(void)
{
	static const double wrong[][2] = {{0, 0},
									  {1, 0},
									  {NAN, 1},
									  {0, NAN},
									  {-INFINITY, 1},
									  {0, INFINITY},
									  {0, 1e300},
									  {0, 1e-300},
									  {-DBL_MAX, DBL_MAX},
									  {1e20, 1e20 + 1e5}};
	Look look = make_look(&look_sum, ADJACENCY_REPLACE, 1, 1);

	for (int i = 0; i < 10; i++)
		CHECK(!look_set_bounds(&look, wrong[i][0], wrong[i][1]));
	look.type = &look_average;
	for (int i = 0; i < 10; i++)
		CHECK(!look_set_bounds(&look, wrong[i][0], wrong[i][1]));

	/* whole numbers are exact; the unit is 2^-17 */
	look.type = &look_sum;
	CHECK(look_set_bounds(&look, 0, 100));
	CHECK(look.unit == 0x1p-17 && look.low == 0 && look.high == 100 << 17 && look.middle == 0);
	CHECK(encode(&look, 37) == 37 << 17 && encode(&look, -1) == 0);
	CHECK(encode(&look, 1e300) == 100 << 17 && encode(&look, INFINITY) == 100 << 17);
	CHECK(encode(&look, 0x1p-18) == 1 && encode(&look, 0x1p-19) == 0);

	/* around the middle, 50, the reach of 100 is half of it */
	look.type = &look_average;
	CHECK(look_set_bounds(&look, 0, 100));
	CHECK(look.unit == 0x1p-18 && look.middle == 50 && look.low == -look.high);
	CHECK(encode(&look, 50) == 0 && encode(&look, 100) == 50 << 18 && look.high == 50 << 18);
	/* a narrow interval far from 0 */
	CHECK(look_set_bounds(&look, 1e6, 1e6 + 1));
	CHECK(encode(&look, 1e6 + 0.5) == 0 && encode(&look, 1e6 + 1) == 1 << 23);
}

/* ---- the noise ---- */

/* P(Z >= t) for t >= 1 and the law of rate r. */
static double
tail(double t, double rate)
{
	return exp(-rate * t) / (1 + exp(-rate));
}

/* P(a <= Z < b) */
static double
mass_between(double a, double b, double rate)
{
	if (a > 0)
		return tail(a, rate) - tail(b, rate);
	if (b <= 0)
		return mass_between(1 - b, 1 - a, rate);
	return 1 - tail(b, rate) - tail(1 - a, rate);
}

enum
{
	SIDE = 8,
	PLACES = 2 * SIDE + 2
};

/* The place of a noise among intervals of a quarter of the reach. */
static int
place_of(int64_t noise, double quarter)
{
	double place = floor((double) noise / quarter);

	return (int) fmin(fmax(place, -SIDE - 1), SIDE) + SIDE + 1;
}

static double
place_mass(int place, double quarter, double rate)
{
	double first = (place - SIDE - 1) * quarter;
	double low = place == 0 ? -1e4 * quarter : ceil(first);
	double high = place == PLACES - 1 ? 1e4 * quarter : ceil(first + quarter);

	return mass_between(low, high, rate);
}

static void
draw_cells(const Look *look, int64_t epsilon, int64_t *number)
{
	for (int cell = 0; cell < look->cells; cell++)
		look_draw(look, epsilon, &bits, cell, number);
}

/* Numbers i and j of a look have the reaches that are given here, and independent noise. */
static void
test_law(const Look *look, int64_t epsilon, int i, double reach_i, int j, double reach_j)
{
	double reach[2] = {reach_i, reach_j};
	int position[2] = {i, j};
	Histogram alone[2] = {histogram_create(PLACES), histogram_create(PLACES)};
	Histogram pair = histogram_create(PLACES * PLACES);

	for (int draw = 0; draw < LAW_DRAWS; draw++)
	{
		int64_t number[NUMBERS] = {1000, 0, -7, 1000000, 3, INT32_MAX};
		int64_t truth[NUMBERS];
		int place[2];

		memcpy(truth, number, sizeof(truth));
		draw_cells(look, epsilon, number);
		for (int k = 0; k < 2; k++)
		{
			place[k] = place_of(number[position[k]] - truth[position[k]], reach[k] / 4);
			histogram_add(&alone[k], (uint64_t) place[k]);
		}
		histogram_add(&pair, (uint64_t) (place[0] * PLACES + place[1]));
	}
	for (int p = 0; p < PLACES; p++)
		for (int k = 0; k < 2; k++)
		{
			double rate = privacy_epsilon(epsilon) / reach[k];

			alone[k].truth[p] = place_mass(p, reach[k] / 4, rate);
			alone[k].other[p] = place_mass(p, reach[k] / 4, rate * LAW_OFF);
		}
	for (int a = 0; a < PLACES; a++)
		for (int b = 0; b < PLACES; b++)
		{
			pair.truth[a * PLACES + b] = alone[0].truth[a] * alone[1].truth[b];
			pair.other[a * PLACES + b] = a == b ? alone[0].truth[a] : 0.0;
		}
	for (int k = 0; k < 2; k++)
		CHECK_LAW(alone[k].count, alone[k].truth, alone[k].other, PLACES);
	if (i != j)
		CHECK_LAW(pair.count, pair.truth, pair.other, PLACES * PLACES);
	for (int k = 0; k < 2; k++)
		histogram_destroy(&alone[k]);
	histogram_destroy(&pair);
}

/* The reaches are written out here: the rows of a person, twice where a row can move, the bounds.
 */
static void
test_laws(void)
{
	Look look = make_look(&look_count, ADJACENCY_REPLACE, 1, 1);
	double unit = 0x1p17; /* units in 1, of bounds like -20 and 100 */

	test_law(&look, EPSILON_ONE / 4, 0, 1, 0, 1);
	look = make_look(&look_histogram, ADJACENCY_REPLACE, 3, 5);
	test_law(&look, EPSILON_ONE, 0, 10, 2, 10);
	look = make_look(&look_histogram, ADJACENCY_ADD_REMOVE, 3, 5);
	test_law(&look, EPSILON_ONE, 1, 5, 2, 5);
	/* two bins of scores, the cells of positive and of negative rows */
	look = make_look(&look_auc, ADJACENCY_REPLACE, 4, 1);
	test_law(&look, EPSILON_ONE, 0, 2, 1, 2);
	look = make_look(&look_calibration, ADJACENCY_ADD_REMOVE, 4, 3);
	test_law(&look, EPSILON_ONE, 2, 3, 3, 3);
	look = make_look(&look_sum, ADJACENCY_REPLACE, 1, 4);
	CHECK(look_set_bounds(&look, -20, 100));
	test_law(&look, EPSILON_ONE, 0, 480 * unit, 0, 480 * unit);
	look = make_look(&look_sum, ADJACENCY_ADD_REMOVE, 2, 1);
	CHECK(look_set_bounds(&look, -20, 100));
	test_law(&look, EPSILON_ONE, 0, 100 * unit, 1, 100 * unit);
	look = make_look(&look_average, ADJACENCY_REPLACE, 2, 3);
	CHECK(look_set_bounds(&look, 0, 80));
	test_law(&look, EPSILON_ONE / 10, 0, 3 * 4 * 40 * 2 * unit, 1, 12);
	/* values of 2^23 units from the middle, residuals of 2^24, less half of it; squares over 2^26
	 */
	look = make_look(&look_residuals, ADJACENCY_REPLACE, 1, 3);
	CHECK(look_set_bounds(&look, 2, 4));
	CHECK(look.unit == 0x1p-23);
	test_law(&look, EPSILON_ONE, RESIDUAL_SQUARES, 3 * 5 * 0x1p21, RESIDUAL_SIZES, 3 * 10 * 0x1p23);
	look.adjacency = ADJACENCY_ADD_REMOVE;
	test_law(&look, EPSILON_ONE, RESIDUAL_VALUES, 3 * 10 * 0x1p23, RESIDUAL_VALUE_SQUARES,
			 3 * 10 * 0x1p19);
	test_law(&look, EPSILON_ONE, RESIDUAL_ROWS, 6, RESIDUAL_SQUARES, 3 * 5 * 0x1p21);
}

/*
 * The most rows of a person and the least epsilon that SQL takes: a reach fits a word, and noise
 * does not.  A number near an end of the range would be the truth beside noise that was clamped
 * (counterexample T11).
 */
static void
test_beyond_words(const Look *look)
{
	Look least = *look;

	least.rows_per_person = 1;
	for (int i = 0; i < look_numbers(look); i++)
		CHECK((Wide) look_reach(look, i) == (Wide) look->rows_per_person * look_reach(&least, i));
	for (int draw = 0; draw < check_repetitions(100); draw++)
	{
		int64_t number[NUMBERS] = {1000, -7, 0, 12345678, -1000000000, 3};

		draw_cells(look, 1, number);
		for (int i = 0; i < look_numbers(look); i++)
			CHECK(number[i] == INT64_MIN || number[i] == INT64_MAX ||
				  llabs(number[i]) < INT64_MAX - INT32_MAX);
	}
}

static void
test_all_beyond_words(void)
{
	static LookBlock columns[2] = {{.cells = 2, .usable = 1}, {.cells = 3, .usable = 2}};

	for (int t = 0; look_type(t) != NULL; t++)
		for (Adjacency adjacency = ADJACENCY_REPLACE;
			 look_type(t)->draw == NULL && adjacency <= ADJACENCY_ADD_REMOVE; adjacency++)
		{
			const LookType *type = look_type(t);
			Look look = make_look(type, adjacency, type->reads == READS_SCORES ? 2 : 3, INT32_MAX);

			if (look_has_values(type))
				CHECK(look_set_bounds(&look, -1, 1));
			if (type->reads == READS_COLUMNS)
			{
				look_set_blocks(&look, 2, columns);
			}
			test_beyond_words(&look);
		}
}

/* A truth of 2^61 and noise of scale 2^62: each end of the range has the law's mass beyond it. */
static void
test_ends(void)
{
	uint64_t reach = UINT64_C(1) << 62;
	double beyond[2] = {exp(-1.5) / 2, exp(-2.5) / 2}; /* above and below, in units of the scale */
	int64_t count[3] = {0};

	for (int draw = 0; draw < LAW_DRAWS; draw++)
	{
		int64_t number = INT64_C(1) << 61;

		noisy_numbers(&bits, EPSILON_ONE, &reach, &number, 1);
		count[number == INT64_MAX ? 0 : number == INT64_MIN ? 1 : 2]++;
	}
	CHECK_LAW(count, ((double[]){beyond[0], beyond[1], 1 - beyond[0] - beyond[1]}),
			  ((double[]){exp(-2) / 2, exp(-2) / 2, 1 - exp(-2)}), 3);
}

/* ---- intervals ---- */

/* The chance to be more than t away is at most beta, and t is the least such number. */
static void
test_error(void)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 100, EPSILON_ONE / 3, EPSILON_ONE,
									   20 * EPSILON_ONE};
	static const double betas[] = {0.5, 0.1, 0.05, 0.001};

	for (int e = 0; e < 4; e++)
		for (int b = 0; b < 4; b++)
			for (int rows = 1; rows <= 7; rows += 3)
			{
				Look look = make_look(&look_count, ADJACENCY_REPLACE, 1, rows);
				double rate = privacy_epsilon(epsilons[e]) / rows;
				double t = look_error(&look, epsilons[e], 0, betas[b]);

				CHECK(t >= 0 && t == floor(t));
				CHECK(2 * tail(t + 1, rate) <= betas[b] * (1 + 1e-12));
				CHECK(t == 0 || 2 * tail(t, rate) > betas[b] * (1 - 1e-6));
			}
	/* by hand: 2 e^-(t + 1) / (1 + e^-1) <= 0.05 from t + 1 = 3.38 on */
	{
		Look look = make_look(&look_count, ADJACENCY_REPLACE, 1, 1);
		int64_t number = 7;
		LookAnswer answer;

		CHECK(look_error(&look, EPSILON_ONE, 0, 0.05) == 3);
		look_answer(&look, EPSILON_ONE, 0.95, &number, 0, &answer);
		CHECK(answer.known && answer.value == 7 && answer.low == 4 && answer.high == 10);
		number = -2;
		look_answer(&look, EPSILON_ONE, 0.95, &number, 0, &answer);
		CHECK(answer.known && answer.value == -2 && answer.low == 0 && answer.high == 1);
		number = INT64_MAX;
		look_answer(&look, EPSILON_ONE, 0.95, &number, 0, &answer);
		CHECK(answer.low < (double) (INT64_MAX - 3) && answer.high > (double) INT64_MAX);
	}
}

/*
 * The chance that the interval of one number holds the truth, by the law of its noise: the confidence
 * at least, and less with an interval that is shorter by 1 at both ends.
 */
static void
test_exact_coverage(const LookType *type, int64_t epsilon, int rows, double confidence)
{
	Look look = make_look(type, ADJACENCY_ADD_REMOVE, 1, rows);
	int64_t far = (int64_t) (40 * rows / privacy_epsilon(epsilon)) + 2;
	double rate = privacy_epsilon(epsilon) / rows;
	double chance = 0;
	double shorter = 0;

	if (look_has_values(type))
	{
		/* so that all values are 0 or one unit */
		look.unit = 0.25;
		look.high = 1;
	}
	for (int64_t noise = -far; noise <= far; noise++)
	{
		int64_t number = far + noise;
		double truth = (double) far * (look_has_values(type) ? 0.25 : 1);
		double step = look_has_values(type) ? 0.25 : 1;
		double mass = mass_between((double) noise, (double) noise + 1, rate);
		LookAnswer answer;

		look_answer(&look, epsilon, confidence, &number, 0, &answer);
		if (answer.low <= truth && truth <= answer.high)
			chance += mass;
		if (answer.low + step <= truth && truth <= answer.high - step)
			shorter += mass;
	}
	CHECK(chance >= confidence - 1e-9 && shorter < confidence);
}

static void
test_exact_coverages(void)
{
	static const double levels[] = {0.5, 0.9, 0.95, 0.999};
	static const LookType *types[] = {&look_count, &look_histogram, &look_sum};

	for (int l = 0; l < 4; l++)
		for (int k = 0; k < 3; k++)
			for (int rows = 1; rows <= 5; rows += 2)
			{
				test_exact_coverage(types[k], EPSILON_ONE, rows, levels[l]);
				test_exact_coverage(types[k], EPSILON_ONE / 20, rows, levels[l]);
				test_exact_coverage(types[k], EPSILON_ONE * 5 / 2, rows, levels[l]);
			}
}

/* How often the interval of the second of two cells holds the truth, by simulation. */
static void
test_coverage(const LookType *type, Adjacency adjacency, int64_t rows, double value,
			  double confidence, int64_t epsilon)
{
	Look look = make_look(type, adjacency, 2, 2);
	double truth = type == &look_sum       ? value * (double) rows
				   : type == &look_average ? value
										   : (double) rows;
	double held = 0;
	double width = 0;
	int64_t exact[NUMBERS] = {0};
	int32_t x = 0;

	if (look_has_values(type))
	{
		CHECK(look_set_bounds(&look, -8, 24));
		x = encode(&look, value);
	}
	look_add(&look, &(LookRow){.cell = 1, .x = &x, .rows = rows}, exact);
	for (int draw = 0; draw < LAW_DRAWS; draw++)
	{
		int64_t number[NUMBERS];
		LookAnswer answer;

		memcpy(number, exact, sizeof(number));
		draw_cells(&look, epsilon, number);
		look_answer(&look, epsilon, confidence, number, 1, &answer);
		CHECK(answer.low <= answer.high);
		CHECK(type != &look_average || answer.known == (answer.rows > 0));
		if (type == &look_average)
		{
			CHECK(answer.low >= -8 && answer.high <= 24 && answer.rows == number[3]);
			CHECK(!answer.known || (answer.low <= answer.value && answer.value <= answer.high));
		}
		held += answer.low <= truth && truth <= answer.high;
		width += (answer.high - answer.low) / LAW_DRAWS;
	}
	/* five standard deviations: a chance of 3 in 10^7 */
	CHECK(held / LAW_DRAWS >= confidence - 5 * sqrt(confidence * (1 - confidence) / LAW_DRAWS));
	/* of many rows it says something, at every confidence that is tried */
	CHECK(type != &look_average || rows < 10000 || width < 2);
}

static void
test_coverages(void)
{
	static const int64_t rows[] = {1, 3, 40, 10000};
	static const double value[] = {-8, 0.25, 8, 24};

	for (int t = 0; look_has_groups(look_type(t)) && look_type(t)->draw == NULL; t++)
		for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE;
			 adjacency++)
			for (int i = 0; i < 4; i++)
			{
				test_coverage(look_type(t), adjacency, rows[i], value[i], 0.95, EPSILON_ONE);
				test_coverage(look_type(t), adjacency, rows[i], value[3 - i], 0.5, EPSILON_ONE / 2);
			}
}

/* Targets from 0 to 100 in a line, predicted with this slope, moved by this. */
typedef struct Fit
{
	int rows;
	double slope;
	double shift;
	bool many; /* so many rows that the answers say something */
} Fit;

static const Fit fits[] = {
	{3, 1, 0, false},     {40, 0.5, 10, false},   {20000, 1, 3, true},      {20000, 0.7, 15, true},
	{20000, 0, 50, true}, {20000, -1, 100, true}, {20000, 1e6, -500, true},
};

/* Adds the rows to the numbers of the second of two cells, and says what the answers should be. */
static void
add_fit(const Look *look, const Fit *fit, int64_t *number, double *truth)
{
	double squares = 0;
	double sizes = 0;
	double sum = 0;
	double values_squared = 0;

	for (int i = 0; i < fit->rows; i++)
	{
		double value = 100.0 * i / (fit->rows - 1);
		double x = encode(look, value) * look->unit + look->middle;
		double guess = fmin(fmax(fit->slope * value + fit->shift, 0), 100);
		double residual;

		guess = rint((guess - look->middle) / look->unit) * look->unit + look->middle;
		residual = x - guess;
		{
			int32_t whole = encode(look, value);
			LookRow row = {
				.cell = 1, .x = &whole, .score = fit->slope * value + fit->shift, .rows = 1};

			look_add(look, &row, number);
		}
		squares += residual * residual;
		sizes += fabs(residual);
		sum += x;
		values_squared += x * x;
	}
	truth[RESIDUAL_MEAN_SIZE] = sizes / fit->rows;
	truth[RESIDUAL_R_SQUARED] = 1 - squares / (values_squared - sum * sum / fit->rows);
}

static void
test_fit(const Fit *fit, Adjacency adjacency, double confidence, int64_t epsilon)
{
	Look look = make_look(&look_residuals, adjacency, 2, 2);
	int64_t exact[NUMBERS] = {0};
	double truth[RESIDUAL_ANSWERS];
	double held[RESIDUAL_ANSWERS] = {0};
	double width[RESIDUAL_ANSWERS] = {0};
	LookAnswer answer;

	CHECK(look_set_bounds(&look, 0, 100));
	CHECK(look_numbers(&look) == 2 * RESIDUAL_NUMBERS && look_answers(&look) == 4);
	add_fit(&look, fit, exact, truth);
	for (int draw = 0; draw < LAW_DRAWS; draw++)
	{
		int64_t number[NUMBERS];

		memcpy(number, exact, sizeof(number));
		look_draw(&look, epsilon, &bits, 1, number);
		for (int i = 0; i < RESIDUAL_ANSWERS; i++)
		{
			look_answer(&look, epsilon, confidence, number, RESIDUAL_ANSWERS + i, &answer);
			CHECK(answer.low <= answer.high);
			CHECK(!answer.known || (answer.low <= answer.value && answer.value <= answer.high));
			CHECK(answer.known || answer.low == (i == RESIDUAL_R_SQUARED ? -INFINITY : 0));
			CHECK(i == RESIDUAL_R_SQUARED ? answer.high <= 1
										  : answer.low >= 0 && answer.high <= 100);
			held[i] += answer.low <= truth[i] && truth[i] <= answer.high;
			width[i] += (answer.high - answer.low) / LAW_DRAWS;
		}
	}
	for (int i = 0; i < RESIDUAL_ANSWERS; i++)
		CHECK(held[i] / LAW_DRAWS >=
			  confidence - 5 * sqrt(confidence * (1 - confidence) / LAW_DRAWS));
	CHECK(!fit->many || (width[RESIDUAL_MEAN_SIZE] < 5 && width[RESIDUAL_R_SQUARED] < 0.3));
	/* without noise it is the truth */
	for (int i = 0; i < RESIDUAL_ANSWERS; i++)
	{
		look_answer(&look, 1000000 * EPSILON_ONE, confidence, exact, RESIDUAL_ANSWERS + i, &answer);
		CHECK(answer.known && fabs(answer.value - truth[i]) < 1e-5 * fmax(1, fabs(truth[i])));
	}
}

static void
test_fits(void)
{
	for (int i = 0; i < (int) (sizeof(fits) / sizeof(fits[0])); i++)
		for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE;
			 adjacency++)
		{
			test_fit(&fits[i], adjacency, 0.95, EPSILON_ONE);
			test_fit(&fits[i], adjacency, 0.5, EPSILON_ONE / 2);
		}
}

/* A table without rows: an average that mostly has no value, and the whole interval. */
static void
test_empty(void)
{
	Look look = make_look(&look_average, ADJACENCY_REPLACE, 1, 1);
	int64_t number[2] = {123456, 0};
	LookAnswer answer;

	CHECK(look_set_bounds(&look, 10, 20));
	look_answer(&look, EPSILON_ONE, 0.95, number, 0, &answer);
	CHECK(!answer.known && answer.rows == 0);
	CHECK(answer.low == 10 && answer.high == 20);
	number[1] = INT64_MIN;
	look_answer(&look, EPSILON_ONE, 0.95, number, 0, &answer);
	CHECK(!answer.known && answer.low == 10 && answer.high == 20);
}

/*
 * Values are counted where they belong; the numbers of a cell begin with the quantiles after the
 * draw.  Under replace a row may move between cells, so the quantile 0.9 of one of them has 3.6 / 2
 * times the error.
 */
static void
test_quantiles(void)
{
	int64_t rows[2] = {0};

	for (int cells = 1; cells <= 2; cells++)
	{
		Look look = make_look(&look_quantiles, ADJACENCY_REPLACE, cells, 2);
		int64_t number[2 * 5] = {0};
		int32_t x = 3;
		LookAnswer answer;

		look.quantiles = 1;
		look.quantile[0] = 900000;
		CHECK(!look_set_grid(&look, 1, 1, false, 4));
		CHECK(!look_set_grid(&look, 0, 1, false, QUANTILES_MOST_CELLS / cells));
		CHECK(look_set_grid(&look, -10, 10, false, 4));
		CHECK(look_numbers(&look) == 5 * cells && look_answers(&look) == cells);
		look_add(&look, &(LookRow){.cell = cells - 1, .x = &x, .rows = 100}, number);
		draw_cells(&look, 1000 * EPSILON_ONE, number);
		look_answer(&look, 1000 * EPSILON_ONE, 0.95, number, cells - 1, &answer);
		CHECK(answer.value == 5);
		look_answer(&look, EPSILON_ONE / 1000, 0.95, number, cells - 1, &answer);
		rows[cells - 1] = answer.rows;
	}
	CHECK(fabs((double) rows[1] / (double) rows[0] - 1.8) < 1e-4);
}

/* ---- profiles ---- */

/* A column where all values can be used, one where the first two can, and one where the first can.
 */
static LookBlock profiled[] = {
	{.cells = 2, .usable = 2}, {.cells = 3, .usable = 2}, {.cells = 2, .usable = 1}};

enum
{
	PROFILED = sizeof(profiled) / sizeof(profiled[0]),
	PROFILE_STATES = 2 * 3 * 2 + 1,
	PROFILE_NUMBERS = 2 + 2 + 3 + 2
};

static Look
make_profile(Adjacency adjacency, int columns, int rows_per_person)
{
	Look look = make_look(&look_profile, adjacency, 1, rows_per_person);

	look_set_blocks(&look, columns, profiled);
	return look;
}

/* State 0 is a row that does not pass the filter; the others are the combinations of cells. */
static void
add_state(const Look *look, int state, int64_t sign, int64_t *number)
{
	double cell[LOOK_MOST_COLUMNS];
	int32_t x[LOOK_MOST_COLUMNS];
	Encoding encoding;

	if (state-- == 0)
		return;
	for (int i = 0; i < look->columns; i++)
	{
		cell[i] = state % look->block[i].cells;
		state /= look->block[i].cells;
	}
	look_encoding(look, &encoding);
	CHECK(encoding_apply(&encoding, cell, x));
	look_add(look, &(LookRow){.cell = 0, .x = x, .rows = sign}, number);
}

/* The whole of epsilon is lost by a row that changes its cell in each column and its use. */
static void
test_profile_neighbours(const Look *look)
{
	int states = look->columns == 1 ? 3 : look->columns == 2 ? 7 : PROFILE_STATES;
	double worst = 0;

	for (int a = 0; a < states * states; a++)
		for (int b = 0; b < (look->rows_per_person == 2 ? states * states : 1); b++)
		{
			int64_t change[PROFILE_NUMBERS] = {0};
			int pair[4] = {a % states, a / states, b % states, b / states};
			bool comes = (pair[0] == 0 || pair[1] == 0) && (pair[2] == 0 || pair[3] == 0);

			if (look->adjacency == ADJACENCY_ADD_REMOVE && !comes)
				continue;
			for (int i = 0; i < 4; i++)
				add_state(look, pair[i], i % 2 == 0 ? 1 : -1, change);
			worst = fmax(worst, loss_of(look, change));
		}
	CHECK(worst <= 1 + 1e-12);
	/* only of one column whose values can all be used do usable rows stay usable */
	CHECK(worst >= (look->adjacency == ADJACENCY_REPLACE && look->columns == 1 ? 0.5 : 1) - 1e-12);
}

static void
test_profiles(void)
{
	Look look = make_profile(ADJACENCY_REPLACE, 2, 1);
	int64_t number[PROFILE_NUMBERS] = {0};
	static const int64_t expected[] = {3, 1, 2, 2, 1, 2, 1};
	static const int32_t row[][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 2}};

	for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE; adjacency++)
		for (int columns = 1; columns <= PROFILED; columns++)
			for (int rows = 1; rows <= (columns < PROFILED ? 2 : 1); rows++)
			{
				Look tried = make_profile(adjacency, columns, rows);

				test_profile_neighbours(&tried);
			}
	/* each row in one cell of each column, and usable if all of its cells are */
	CHECK(look_numbers(&look) == 7 && look_answers(&look) == 7);
	for (int i = 0; i < 4; i++)
		look_add(&look, &(LookRow){.cell = 0, .x = row[i], .rows = 1}, number);
	CHECK(memcmp(number, expected, sizeof(expected)) == 0);
	/* two columns and the rows, twice under replace, for 5 rows of a person */
	look = make_profile(ADJACENCY_REPLACE, 2, 5);
	test_law(&look, EPSILON_ONE, 0, 30, 6, 30);
	look = make_profile(ADJACENCY_ADD_REMOVE, 2, 1);
	test_law(&look, EPSILON_ONE, 1, 3, 4, 3);
	CHECK(look_error(&look, EPSILON_ONE, 3, 0.05) ==
		  noisy_error(&(Noise){.rate = 1.0 / 3}, 1, 0.05));
}

int
main(void)
{
	test_begin(23);
	test_all_neighbours();
	test_all_distinct();
	test_bounds();
	test_laws();
	test_all_beyond_words();
	test_ends();
	test_error();
	test_exact_coverages();
	test_coverages();
	test_fits();
	test_empty();
	test_quantiles();
	test_profiles();
	return test_end("look");
}
