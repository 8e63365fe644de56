/*
 * grid_choice.c - a grid from options "grid", "numeric", "reference" and "modulus".
 */
#include "server/release/grid_choice.h"

#include <math.h>

/* Weights of a numeric column under "grid": "auto" (rule U14). */
#define AUTO_NUMERIC_MAX 4

static void
set_level(Grid *grid, const Options *options, int j)
{
	int widest = (GRID_MAX_LEVELS - 1) / 2;

	switch (options->grid)
	{
		case GRID_AUTO:
		case GRID_TERNARY:
		case GRID_NONZEROS:
			grid_set_range(grid, j, 1);
			break;
		case GRID_SIGN:
			grid_set_sign(grid, j);
			break;
		case GRID_MAX:
			grid_set_range(grid, j, options->grid_bound);
			break;
		case GRID_NORM:
			grid_set_range(grid, j, Min((int) sqrt((double) options->grid_bound), widest));
			break;
		case GRID_LEVELS:
			grid->levels[j] = options->grid_levels.levels[j];
			memcpy(grid->level[j], options->grid_levels.level[j], sizeof(grid->level[j]));
			break;
	}
}

static void
set_numeric(Grid *grid, const Options *options)
{
	for (int i = 0; i < options->numeric_count && options->grid == GRID_AUTO; i++)
		grid_set_range(grid, options->numeric[i] - 1, AUTO_NUMERIC_MAX);
}

/* The intercept must outweigh the features unless a group's columns hold a constant. */
static void
set_intercept(Grid *grid, const Options *options, const Encoding *encoding)
{
	if (encoding->intercept && options->grid == GRID_AUTO &&
		(options->reference || !grid_has_constant(encoding)))
		grid_set_range(grid, encoding->features, AUTO_NUMERIC_MAX);
}

static void
fix_at_zero(Grid *grid, int j)
{
	grid->levels[j] = 1;
	grid->level[j][0] = 0;
}

/*
 * Adding a number to all weights of one one-hot group and subtracting it from those of another
 * changes no score.  If the first column of a group, the reference level, has weight 0, one of
 * these equal vectors is left.  The first group keeps all its columns unless there is an intercept,
 * so that a constant can still be added.
 */
static void
set_references(Grid *grid, const Options *options)
{
	bool constant = options->intercept;
	int first = 0;

	for (int g = 0; g < options->groups; first += options->group[g++])
	{
		if (options->group[g] < 2)
			continue;
		if (constant)
			fix_at_zero(grid, first);
		constant = true;
	}
}

static void
set_constraint(Grid *grid, const Options *options)
{
	if (options->grid == GRID_NORM || options->grid == GRID_NONZEROS)
	{
		if (options->modulus > 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("option \"modulus\" cannot be combined with grid \"ball\" or "
								   "\"sparse\"")));
		grid->constraint = options->grid == GRID_NORM ? GRID_BALL : GRID_SPARSE;
		grid->bound = options->grid_bound;
	}
	else if (options->modulus > 0)
	{
		grid->constraint = GRID_MODULUS;
		grid->bound = options->modulus;
	}
}

/* Refuses an empty grid, or a modulus that is smaller than the levels of a coordinate. */
static void
check_grid(const Grid *grid, const Options *options)
{
	if (grid_is_valid(grid))
		return;
	if (grid->constraint == GRID_MODULUS)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a coordinate has more than %d levels", grid->bound),
			 errdetail("With \"modulus\": %d the levels of a coordinate must all differ modulo %d.",
					   grid->bound, grid->bound),
			 errhint("Use \"modulus\": 2 with grid \"sign\" and \"modulus\": 3 with grid "
					 "\"ternary\".")));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("no weight vector of %d coordinates is in the grid", grid->dimension)));
}

void
grid_check_scores(const Grid *grid, const Encoding *encoding)
{
	if (grid_scores_fit(encoding, grid))
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("weights times clipped features exceed what dp_halfspace computes with"),
					errdetail("The sum over all features of the largest weight times the largest "
							  "clipped value must stay below 32767."),
					errhint("Choose larger scales, narrower clip bounds or a smaller grid.")));
}

void
grid_choose(const Options *options, const Encoding *encoding, Grid *grid)
{
	int dimension = encoding_dimension(encoding);

	if (options->grid == GRID_LEVELS && options->grid_levels.dimension != dimension)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid \"levels\" has %d lists for %d coordinates",
						options->grid_levels.dimension, dimension),
				 encoding->intercept && options->grid_levels.dimension == encoding->features
					 ? errhint("The last one is the intercept's; \"intercept\": false leaves "
							   "it out.")
					 : 0));
	if (options->grid == GRID_NONZEROS && options->grid_bound > dimension)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("grid \"sparse\" asks for %d non-zeros of %d coordinates",
							   options->grid_bound, dimension)));
	memset(grid, 0, sizeof(*grid));
	grid->dimension = dimension;
	for (int j = 0; j < dimension; j++)
		set_level(grid, options, j);
	set_numeric(grid, options);
	set_intercept(grid, options, encoding);
	if (options->reference)
		set_references(grid, options);
	set_constraint(grid, options);
	check_grid(grid, options);
	grid_check_scores(grid, encoding);
}

/* ---- the default grid ---- */

bool
grid_is_open(const Options *options)
{
	const Mechanism *mechanism = mechanism_named(options->mechanism, FOR_HALFSPACE);

	return options->grid == GRID_AUTO && options->modulus == 0 && !options->reference &&
		   mechanism != NULL && mechanism->default_grid;
}

void
grid_terms(const Options *options, const Encoding *encoding, int64 epsilon, RunTerms run,
		   GridTerms *terms)
{
	memset(terms, 0, sizeof(*terms));
	terms->encoding = encoding;
	for (int i = 0; i < options->numeric_count; i++)
		terms->numeric[options->numeric[i] - 1] = true;
	terms->rows = options->n;
	terms->evidence = grid_evidence(options->n, epsilon, options->adjacency);
	terms->run = run;
}
