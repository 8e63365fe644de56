/*
 * options.c - the table of the options of trainings, and their values.
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "utils/jsonb.h"

#include "core/mechanisms/convex_opsamp.h"
#include "core/convex/net.h"
#include "core/convex/convex_loss.h"
#include "core/grid/prior.h"

#include "server/base/decimal.h"
#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/rows/options.h"

/* Who may set a key.  Of analysts the others are declared, or set by administrators. */
enum
{
	BY_OWNER = 1,
	BY_ANALYST = 2,
	BY_BOTH = BY_OWNER | BY_ANALYST
};

/* ---- values ---- */

/* Returns the length of an array of at most COLUMNS_MAX integers, -1 for other values. */
static int
get_integers(JsonbValue *value, int min, int max, int64 *integers)
{
	JsonbContainer *array = json_get_array(value);
	int count;

	if (array == NULL || JsonContainerSize(array) > COLUMNS_MAX)
		return -1;
	count = JsonContainerSize(array);
	for (int i = 0; i < count; i++)
		if (!json_get_integer(getIthJsonbValueFromContainer(array, i), min, max, &integers[i]))
			return -1;
	return count;
}

static bool
get_feature_numbers(JsonbValue *value, FeatureNumbers *numbers)
{
	JsonbContainer *array = json_get_array(value);

	if (array == NULL)
	{
		numbers->count = 1;
		return json_get_number(value, &numbers->value[0]);
	}
	numbers->count = JsonContainerSize(array);
	if (numbers->count < 1 || numbers->count > COLUMNS_MAX)
		return false;
	for (int i = 0; i < numbers->count; i++)
		if (!json_get_number(getIthJsonbValueFromContainer(array, i), &numbers->value[i]))
			return false;
	return true;
}

static const char *const noise_names[] = {
	[NOISE_AUTO] = "auto",           [NOISE_GAUGE] = "gauge",
	[NOISE_LAPLACE] = "laplace",     [NOISE_SPHERICAL] = "spherical",
	[NOISE_GAUSSIAN] = "gaussian",   [NOISE_PARABOLOID] = "paraboloid",
	[NOISE_PUBLISHED] = "published", [NOISE_GAMMA] = "gamma",
	[NOISE_KNORM] = "knorm",
};

const char *
noise_choice_name(NoiseChoice noise)
{
	return noise_names[noise];
}

/* ---- mechanisms ---- */

static int
mechanism_methods(const Mechanism *mechanism)
{
	if (mechanism->targets)
		return mechanism->convex ? FOR_LINEAR : FOR_SIMPLEX;
	if (!mechanism->convex)
		return FOR_GRID;
	return mechanism->terms == TERMS_NOISE || mechanism->terms == TERMS_DESCENT
			   ? FOR_CONVEX | FOR_SOFTMAX
			   : FOR_CONVEX;
}

static bool
is_name_of(const Mechanism *mechanism, const char *name)
{
	return name == NULL || strcmp(mechanism->name, name) == 0 ||
		   (mechanism->also != NULL && strcmp(mechanism->also, name) == 0);
}

const Mechanism *
mechanism_named(const char *name, int methods)
{
	for (int i = 0; i < MECHANISM_KINDS; i++)
	{
		const Mechanism *mechanism = mechanism_get((MechanismKind) i);

		if ((mechanism_methods(mechanism) & methods) != 0 && is_name_of(mechanism, name))
			return mechanism;
	}
	return NULL;
}

/* A name that two mechanisms share is listed once, at the first one's position. */
List *
mechanism_names(int methods)
{
	List *names = list_make1("auto");

	for (int i = 0; i < MECHANISM_KINDS; i++)
	{
		const Mechanism *mechanism = mechanism_get((MechanismKind) i);

		if (mechanism_named(mechanism->name, FOR_NAMED) != mechanism ||
			mechanism_named(mechanism->name, methods) == NULL)
			continue;
		names = lappend(names, unconstify(char *, mechanism->name));
		if (mechanism->also != NULL)
			names = lappend(names, unconstify(char *, mechanism->also));
	}
	return names;
}

static void
read_mechanism(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;

	options->mechanism = json_get_string(value);
	if (options->mechanism == NULL)
		options->mechanism = "";
}

/*
 * Two mechanisms are called "exponential".  METHOD_AUTO takes the first, which draws from a grid,
 * because the other one draws from a net, and a net has few weights.
 */
static void
settle_mechanism(Options *options)
{
	const Mechanism *mechanism = mechanism_named(options->mechanism, FOR_NAMED);
	List *list = mechanism_names(options->methods);
	const char **names = palloc(list_length(list) * sizeof(char *));

	for (int i = 0; i < list_length(list); i++)
		names[i] = list_nth(list, i);
	if (mechanism == NULL)
		keyed_json_invalid_choice("mechanism", options->mechanism, names, list_length(list));
	else
		options->methods &= mechanism_methods(mechanism);
}

/* The methods that have the noise. */
static int
noise_methods(NoiseChoice noise)
{
	switch (noise)
	{
		case NOISE_GAUGE:
		case NOISE_SPHERICAL:
		case NOISE_PARABOLOID:
		case NOISE_PUBLISHED:
			return FOR_GRID;
		case NOISE_GAMMA:
			return FOR_CONVEX | FOR_SOFTMAX;
		case NOISE_KNORM:
			return FOR_CONVEX;
		default:
			return FOR_ALL;
	}
}

/* ---- keys ---- */

static bool
get_bounds(JsonbValue *value, double *low, double *high)
{
	return json_get_pair(value, low, high) && *low <= *high;
}

static void
read_target(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	if (!get_bounds(value, &options->target_low, &options->target_high))
		keyed_json_invalid(key->name, "a pair [low, high], low not above high");
}

static void
read_groups(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	int64 sizes[COLUMNS_MAX];

	options->groups = get_integers(value, 1, COLUMNS_MAX, sizes);
	if (options->groups < 1)
		keyed_json_invalid(key->name,
						   "an array of positive group sizes, for example [7, 6, 5, 2, 1]");
	for (int g = 0; g < options->groups; g++)
		options->group[g] = (int16) sizes[g];
}

static void
read_levels(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	int64 levels[COLUMNS_MAX];

	options->levels_count = get_integers(value, 0, LEVELS_MAX, levels);
	if (options->levels_count < 1)
		keyed_json_invalid(
			key->name,
			psprintf("an array with an integer from 0 to %d for each feature: its number of "
					 "levels, or 0 for a number",
					 LEVELS_MAX));
	for (int j = 0; j < options->levels_count; j++)
		options->levels[j] = (int16) levels[j];
	if (levels_weights(options->levels, options->levels_count) > LEVELS_WEIGHTS_MAX - 1)
		keyed_json_invalid(key->name,
						   psprintf("of at most %d levels in all", LEVELS_WEIGHTS_MAX - 1));
}

static void
read_numeric(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	int64 positions[COLUMNS_MAX];

	options->numeric_count = get_integers(value, 1, COLUMNS_MAX, positions);
	if (options->numeric_count < 0)
		keyed_json_invalid(key->name, "an array of feature positions, counted from 1");
	for (int i = 0; i < options->numeric_count; i++)
		options->numeric[i] = (int) positions[i];
}

static void
read_scale(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	bool valid = get_feature_numbers(value, &options->scale);

	for (int i = 0; valid && i < options->scale.count; i++)
		valid = options->scale.value[i] > 0;
	if (!valid)
		keyed_json_invalid(key->name, "a positive number, or an array of one for each feature");
}

static void
read_center(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	if (!get_feature_numbers(value, &options->center))
		keyed_json_invalid(key->name, "a number, or an array of one for each feature");
}

static void
read_clip(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	JsonbContainer *array = json_get_array(value);
	bool valid =
		array != NULL && JsonContainerSize(array) >= 1 && JsonContainerSize(array) <= COLUMNS_MAX;

	if (valid && json_get_array(getIthJsonbValueFromContainer(array, 0)) == NULL)
	{
		options->low.count = 1;
		valid = get_bounds(value, &options->low.value[0], &options->high.value[0]);
	}
	else if (valid)
	{
		options->low.count = JsonContainerSize(array);
		for (int i = 0; valid && i < options->low.count; i++)
			valid = get_bounds(getIthJsonbValueFromContainer(array, i), &options->low.value[i],
							   &options->high.value[i]);
	}
	options->high.count = options->low.count;
	if (!valid)
		keyed_json_invalid(
			key->name,
			"a pair [low, high], low not above high, or an array of one pair for each feature");
}

/* Reads {"levels": [[...], ...]}: a list of strictly increasing integers for each coordinate. */
static bool
get_levels(JsonbValue *value, Grid *grid)
{
	JsonbContainer *lists = json_get_array(value);

	if (lists == NULL || JsonContainerSize(lists) < 1 ||
		JsonContainerSize(lists) > GRID_MAX_DIMENSION)
		return false;
	memset(grid, 0, sizeof(*grid));
	grid->dimension = JsonContainerSize(lists);
	for (int j = 0; j < grid->dimension; j++)
	{
		int64 levels[COLUMNS_MAX];
		int count = get_integers(getIthJsonbValueFromContainer(lists, j), -GRID_MAX_WEIGHT,
								 GRID_MAX_WEIGHT, levels);

		if (count < 1 || count > GRID_MAX_LEVELS)
			return false;
		grid->levels[j] = count;
		for (int i = 0; i < count; i++)
			grid->level[j][i] = (int8) levels[i];
	}
	return grid_is_valid(grid);
}

static void
read_grid_object(const char *name, JsonbContainer *object, Options *options)
{
	static const char *const expected = "\"auto\", \"ternary\", \"sign\", {\"max\": B}, {\"ball\": "
										"D2}, {\"levels\": [[...], ...]} or "
										"{\"sparse\": k}";
	static const struct
	{
		const char *key;
		GridChoice choice;
		int max;
	} bounded[] = {{"max", GRID_MAX, (GRID_MAX_LEVELS - 1) / 2},
				   {"ball", GRID_NORM, GRID_MAX_STATES - 1},
				   {"sparse", GRID_NONZEROS, GRID_MAX_DIMENSION}};
	JsonbValue *levels;

	if (object == NULL || JsonContainerSize(object) != 1)
		keyed_json_invalid(name, expected);
	levels = json_member(object, "levels");
	if (levels != NULL)
	{
		options->grid = GRID_LEVELS;
		if (!get_levels(levels, &options->grid_levels))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid \"levels\" must be an array of one list for each coordinate"),
				 errdetail("A list holds at most %d strictly increasing integers from %d to %d.",
						   GRID_MAX_LEVELS, -GRID_MAX_WEIGHT, GRID_MAX_WEIGHT)));
		return;
	}
	for (int i = 0; i < lengthof(bounded); i++)
	{
		JsonbValue *bound = json_member(object, bounded[i].key);
		int64 integer;

		if (bound == NULL)
			continue;
		if (!json_get_integer(bound, 1, bounded[i].max, &integer))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("grid bound \"%s\" must be an integer from 1 to %d",
								   bounded[i].key, bounded[i].max)));
		options->grid = bounded[i].choice;
		options->grid_bound = (int) integer;
		return;
	}
	keyed_json_invalid(name, expected);
}

static void
read_grid(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	static const char *const names[] = {
		[GRID_AUTO] = "auto", [GRID_TERNARY] = "ternary", [GRID_SIGN] = "sign"};

	for (int i = 0; i < lengthof(names); i++)
		if (json_is_string(value, names[i]))
		{
			options->grid = (GridChoice) i;
			return;
		}
	read_grid_object(key->name, json_get_object(value), options);
}

/* A decimal of more places than thousandths is not that number of thousandths. */
static bool
get_thousandths(JsonbValue *value, int64 most, int64 *thousandths)
{
	double number;

	if (!json_get_number(value, &number) || !(number >= 0 && number * 1000 <= (double) most))
		return false;
	*thousandths = (int64) rint(number * 1000);
	return (double) *thousandths / 1000 == number;
}

static void
read_prior(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	JsonbContainer *object = json_get_object(value);
	JsonbValue *power = object == NULL ? NULL : json_member(object, "power");

	if (json_is_string(value, "uniform"))
		return;
	if (power == NULL || JsonContainerSize(object) != 1 ||
		!get_thousandths(power, PRIOR_MAX_POWER, &options->prior_power))
		keyed_json_invalid(key->name,
						   psprintf("\"uniform\" or {\"power\": p} with p from 0 to %d and at most "
									"three decimals",
									(int) (PRIOR_MAX_POWER / PRIOR_ONE)));
}

/* Which constants fit is known with the label's type (label.h). */
static void
read_label_values(const Key *key, JsonbValue *value, void *target)
{
	JsonbContainer *array = json_get_array(value);
	JsonbValue **copy = (JsonbValue **) ((char *) target + key->field);

	if (array == NULL ? value->type == jbvNull || json_get_object(value) != NULL
					  : JsonContainerSize(array) < 1)
		keyed_json_invalid(key->name, "a value of the label, or a non-empty array of them");
	*copy = palloc(sizeof(JsonbValue));
	**copy = *value;
}

static void
read_classes(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	JsonbContainer *array = json_get_array(value);

	options->classes = array == NULL ? 0 : JsonContainerSize(array);
	if (options->classes < 2 || options->classes > INSTANCE_MAX_CLASSES)
		keyed_json_invalid(
			key->name, psprintf("an array of 2 to %d values of the label", INSTANCE_MAX_CLASSES));
	read_label_values(key, value, options);
}

static void
read_coverage(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	if (value->type != jbvNumeric ||
		!decimal_epsilon_part(NumericGetDatum(value->val.numeric), &options->coverage_epsilon))
		keyed_json_invalid(key->name,
						   psprintf("0, or a number from 0.000000001 to %d", EPSILON_MAX));
}

void
options_read_holdout(JsonbValue *value, bool rates, int64 *thousandths)
{
	*thousandths = 0;
	if (rates && value->type == jbvBool && !value->val.boolean)
		return;
	if (!get_thousandths(value, 999, thousandths) || *thousandths == 0)
		keyed_json_invalid(
			"holdout", rates ? "false, for all rows, or a number from 0.001 to 0.999 with at most "
							   "three decimals"
							 : "a number from 0.001 to 0.999 with at most three decimals");
}

static void
read_holdout(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	options_read_holdout(value, true, &options->holdout);
}

static void
read_rate(const Key *key, JsonbValue *value, void *target)
{
	Options *options = target;
	if (value->type != jbvNumeric ||
		!decimal_epsilon_part(NumericGetDatum(value->val.numeric), &options->rate))
		keyed_json_invalid(key->name,
						   psprintf("0, or a number from 0.000000001 to %d", EPSILON_MAX));
}

static const char *const adjacency_names[] = {
	[ADJACENCY_REPLACE] = "replace", [ADJACENCY_ADD_REMOVE] = "add_remove"};

static const char *const solver_names[] = {[SOLVER_AUTO] = "auto",
										   [SOLVER_NATIVE] = "native",
										   [SOLVER_GLPK] = "glpk",
										   [SOLVER_GLPK_LITERAL] = "glpk_literal"};

static const char *const objective_names[OBJECTIVE_CHOICES] = {[OBJECTIVE_AUTO] = "auto",
															   [OBJECTIVE_ACCURACY] = "accuracy",
															   [OBJECTIVE_RANKING] = "ranking",
															   [OBJECTIVE_PROBABILITY] =
																   "probability"};

#define FIELD(name) offsetof(Options, name)

/* The losses before LOSS_HUBER are those of METHOD_LOGISTIC. */
static const Key keys[] = {
	{"adjacency", KEY_CHOICE, BY_OWNER, FOR_ALL, FIELD(adjacency), 0, lengthof(adjacency_names),
	 adjacency_names},
	{"batch", KEY_INTEGER, BY_BOTH, FOR_CONVEX, FIELD(batch), 1, DESCENT_MAX_ROWS,
	 .expected = "a positive integer"},
	{"calls", KEY_INTEGER, BY_BOTH, FOR_CONVEX, FIELD(calls), 1, OPSAMP_MAX_CALLS},
	{"center", KEY_VALUE, BY_OWNER, FOR_ALL, .read = read_center},
	{"classes", KEY_VALUE, BY_OWNER, FOR_CLASSES, FIELD(class_values), .read = read_classes},
	{"clip", KEY_VALUE, BY_OWNER, FOR_ALL, .read = read_clip},
	{"coverage_epsilon", KEY_VALUE, BY_BOTH, FOR_ALL, .read = read_coverage},
	{"dimension", KEY_INTEGER, BY_OWNER, FOR_ALL, FIELD(dimension), 1, COLUMNS_MAX},
	{"force", KEY_BOOLEAN, BY_ANALYST, FOR_ALL, FIELD(force)},
	{"grid", KEY_VALUE, BY_BOTH, FOR_GRID, .read = read_grid},
	{"groups", KEY_VALUE, BY_OWNER, FOR_ALL, .read = read_groups},
	{"holdout", KEY_VALUE, BY_ANALYST, FOR_ALL, .read = read_holdout},
	{"intercept", KEY_BOOLEAN, BY_BOTH, FOR_ALL, FIELD(intercept)},
	{"iterations", KEY_INTEGER, BY_OWNER, FOR_CONVEX | FOR_SOFTMAX, FIELD(iterations), 1,
	 DESCENT_MAX_ITERATIONS},
	{"levels", KEY_VALUE, BY_OWNER, FOR_CONVEX | FOR_LINEAR, .read = read_levels},
	{"loss", KEY_CHOICE, BY_BOTH, 1 << METHOD_LOGISTIC, FIELD(loss), 0, LOSS_HUBER, loss_names},
	{"mechanism", KEY_VALUE, BY_BOTH, FOR_NAMED | FOR_AUTO | FOR_CLASSES, .read = read_mechanism},
	{"memory_limit", KEY_INTEGER, BY_OWNER, FOR_ALL, FIELD(memory_limit), 0, INT_MAX,
	 .expected = "a whole number of MiB, 0 for no limit"},
	{"modulus", KEY_INTEGER, BY_BOTH, FOR_GRID, FIELD(modulus), 2, GRID_MAX_LEVELS},
	{"n", KEY_INTEGER, BY_OWNER, FOR_ALL, FIELD(n), 1, OPTIONS_MAX_ROWS,
	 .expected = "a positive integer"},
	{"negative", KEY_VALUE, BY_BOTH, FOR_NAMED | FOR_AUTO, FIELD(negative),
	 .read = read_label_values},
	{"net", KEY_INTEGER, BY_BOTH, FOR_CONVEX, FIELD(net), 3, NET_MAX_POINTS},
	{"noise", KEY_CHOICE, BY_BOTH, FOR_NAMED | FOR_AUTO | FOR_LINEAR | FOR_CLASSES, FIELD(noise), 0,
	 lengthof(noise_names), noise_names},
	{"norm", KEY_ABOVE_ZERO, BY_BOTH, FOR_CONVEX | FOR_SOFTMAX, FIELD(norm)},
	{"numeric", KEY_VALUE, BY_OWNER, FOR_ALL, .read = read_numeric},
	{"objective", KEY_CHOICE, BY_BOTH, FOR_AUTO, FIELD(objective), 0, OBJECTIVE_CHOICES,
	 objective_names},
	{"part_nodes", KEY_INTEGER, BY_BOTH, FOR_GRID, FIELD(part_nodes), 1, SAMPLE_MAX_PART_NODES},
	{"parts", KEY_INTEGER, BY_BOTH, FOR_GRID, FIELD(parts), 1, SAMPLE_MAX_PARTS},
	{"positive", KEY_VALUE, BY_BOTH, FOR_NAMED | FOR_AUTO, FIELD(positive),
	 .read = read_label_values},
	{"prior", KEY_VALUE, BY_BOTH, FOR_GRID, .read = read_prior},
	{"radius", KEY_ABOVE_ZERO, BY_BOTH, FOR_CONVEX | FOR_LINEAR | FOR_SOFTMAX, FIELD(radius)},
	{"rate", KEY_VALUE, BY_ANALYST, FOR_ALL, .read = read_rate},
	{"reference", KEY_BOOLEAN, BY_BOTH, FOR_GRID, FIELD(reference)},
	{"regularization", KEY_ABOVE_ZERO, BY_BOTH, FOR_CONVEX | FOR_TARGETS | FOR_SOFTMAX,
	 FIELD(regularization)},
	{"sampling", KEY_CHOICE, BY_BOTH, FOR_CONVEX, FIELD(sampling), 0, DESCENT_SAMPLINGS,
	 descent_sampling_names},
	{"scale", KEY_VALUE, BY_OWNER, FOR_ALL, .read = read_scale},
	{"solver", KEY_CHOICE, BY_OWNER, FOR_GRID, FIELD(solver), 0, lengthof(solver_names),
	 solver_names},
	{"step", KEY_ABOVE_ZERO, BY_BOTH, FOR_CONVEX | FOR_SOFTMAX, FIELD(step)},
	{"target", KEY_VALUE, BY_OWNER, FOR_ALL, .read = read_target},
	{"time_limit", KEY_INTEGER, BY_OWNER, FOR_ALL, FIELD(time_limit), 0, INT_MAX / 1000,
	 .expected = "a whole number of seconds, 0 for no limit"},
};

bool
options_given(const Options *options, const char *name)
{
	for (int i = 0; i < lengthof(keys); i++)
		if (strcmp(keys[i].name, name) == 0)
			return (options->given & UINT64CONST(1) << i) != 0;
	return false;
}

static const char *
elsewhere(const Key *key, int setter)
{
	if (setter == BY_OWNER)
		return "An aggregate reads the rows that its query gives it; the option is for dpobj.train "
			   "and its kin.";
	return key->takers == FOR_ALL ? "It follows from dpobj.protect or from a setting that an "
									"administrator makes."
								  : "It is for the aggregates only.";
}

const char *
method_name(TrainingMethod method)
{
	static const char *const names[] = {
		[METHOD_HALFSPACE] = "halfspace",
		[METHOD_LOGISTIC] = "logistic",
		[METHOD_SVM] = "svm",
		[METHOD_AUTO] = "auto",
		[METHOD_SIMPLEX] = "simplex",
		[METHOD_LINEAR] = "linear",
		[METHOD_SOFTMAX] = "softmax",
		[METHOD_ONE_VS_REST] = "one_vs_rest",
	};

	return names[method];
}

static bool
is_kind_of(const char *kind, int methods)
{
	for (int i = 0; i < TRAINING_METHODS; i++)
		if ((methods & 1 << i) != 0 && strcmp(kind, method_name((TrainingMethod) i)) == 0)
			return true;
	return false;
}

bool
method_kind_has_classes(const char *kind)
{
	return is_kind_of(kind, FOR_CLASSES);
}

bool
method_kind_has_target(const char *kind)
{
	return is_kind_of(kind, FOR_TARGETS);
}

/*
 * Thresholds are seldom 0, so convex models and models of METHOD_AUTO have an intercept by default.
 * So do all models of analysts, who cannot add a column for it, except those of METHOD_SIMPLEX.
 */
static bool
default_intercept(TrainingMethod method, bool by_analyst)
{
	return method != METHOD_SIMPLEX &&
		   (by_analyst || (1 << method & (FOR_CONVEX | FOR_AUTO | FOR_LINEAR | FOR_CLASSES)) != 0);
}

static void
check_together(const Options *options, TrainingMethod method, bool by_analyst)
{
	if (method == METHOD_AUTO && options->methods == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options are for different methods"),
						errdetail("Some are for halfspaces only, some for convex models only."),
						errhint("Leave some out, or name the method.")));
	if (method_has_classes(method) && !by_analyst && options->classes == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"%s\" needs the classes", method_name(method)),
						errdetail("They are not taken from the rows."),
						errhint("Add \"classes\": [\"...\", \"...\"] to the options.")));
	if (method == METHOD_SIMPLEX && options->intercept)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"intercept\" must be false for method \"simplex\""),
						errdetail("Its weights are shares of the features.")));
}

/* METHOD_AUTO has the keys of all methods that it may become. */
static void
read_keys(Jsonb *jsonb, TrainingMethod method, bool by_analyst, Options *options)
{
	const KeyTable table = {
		.what = "option",
		.of = psprintf("method \"%s\"", method_name(method)),
		.setter = by_analyst ? BY_ANALYST : BY_OWNER,
		.taker = method == METHOD_AUTO ? FOR_NAMED | FOR_AUTO : 1 << method,
		.count = lengthof(keys),
		.key = keys,
		.elsewhere = elsewhere,
	};

	options->given = keyed_json_read(&table, jsonb, options);
	options->methods &= noise_methods(options->noise);
	for (int i = 0; i < lengthof(keys); i++)
		if ((options->given & UINT64CONST(1) << i) != 0 && (keys[i].takers & FOR_AUTO) == 0)
			options->methods &= keys[i].takers;
	if (options->mechanism != NULL && strcmp(options->mechanism, "auto") == 0)
		options->mechanism = NULL;
	if (options->mechanism != NULL)
		settle_mechanism(options);
}

void
options_parse(Jsonb *jsonb, TrainingMethod method, bool by_analyst, Options *options)
{
	memset(options, 0, sizeof(*options));
	options->methods = method == METHOD_AUTO ? FOR_HALFSPACE | 1 << METHOD_LOGISTIC : 1 << method;
	options->target_low = -1;
	options->target_high = 1;
	options->target_scale = 1;
	if (jsonb != NULL)
		read_keys(jsonb, method, by_analyst, options);
	if (!options_given(options, "intercept"))
		options->intercept = default_intercept(method, by_analyst);
	check_together(options, method, by_analyst);
}
