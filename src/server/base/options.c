/*
 * options.c - the table of keys, each with the function that reads its value.
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "core/mechanisms/convex_opsamp.h"
#include "core/convex/net.h"
#include "core/convex/convex_loss.h"
#include "core/grid/prior.h"

#include "server/base/decimal.h"
#include "server/base/json_value.h"
#include "server/base/options.h"

typedef struct OptionKey OptionKey;

/* Who may set a key. */
typedef enum OptionDoor
{
	DOOR_OWNER, /* of analysts it is declared, or set by administrators */
	DOOR_BOTH,
	DOOR_ANALYST
} OptionDoor;

struct OptionKey
{
	const char *name;
	void (*read)(const OptionKey *key, JsonbValue *value, Options *options);
	OptionDoor door;
	int methods;          /* that it is for */
	size_t field;         /* in Options, for read_integer() and read_positive() */
	int64 least;          /* of an integer */
	int64 most;           /* of an integer */
	const char *expected; /* for the error about an integer; NULL: "an integer from ... to ..." */
};

static void
invalid(const char *name, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" must be %s", name, expected)));
}

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

/* ---- choices ---- */

/* Finds the value among the names; -1 if it is none of them. */
static int
find_choice(JsonbValue *value, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (json_is_string(value, names[i]))
			return i;
	return -1;
}

static void
refuse_choice(const char *name, const char *const *names, int count)
{
	StringInfoData known;

	initStringInfo(&known);
	for (int i = 0; i < count; i++)
		appendStringInfo(&known, "%s\"%s\"", i == 0 ? "" : i < count - 1 ? ", " : " or ", names[i]);
	invalid(name, known.data);
}

/* Finds the value among the names, or raises an error that lists them. */
static int
get_choice(const char *name, JsonbValue *value, const char *const *names, int count)
{
	int choice = find_choice(value, names, count);

	if (choice < 0)
		refuse_choice(name, names, count);
	return choice;
}

static bool
get_boolean(const char *name, JsonbValue *value)
{
	if (value->type != jbvBool)
		invalid(name, "true or false");
	return value->val.boolean;
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
refuse_mechanism(const char *name, int methods)
{
	List *list = mechanism_names(methods);
	const char **names = palloc(list_length(list) * sizeof(char *));

	for (int i = 0; i < list_length(list); i++)
		names[i] = list_nth(list, i);
	refuse_choice(name, names, list_length(list));
}

/*
 * Two mechanisms are called "exponential".  METHOD_AUTO takes the first, which draws from a grid,
 * because the other one draws from a net, and a net has few weights.
 */
static void
read_mechanism(const OptionKey *key, JsonbValue *value, Options *options)
{
	const char *text = json_get_string(value);
	const Mechanism *mechanism;

	if (json_is_string(value, "auto"))
		return;
	mechanism = text == NULL ? NULL : mechanism_named(text, FOR_NAMED);
	if (mechanism == NULL)
		refuse_mechanism(key->name, options->methods);
	else
	{
		options->mechanism = strcmp(text, mechanism->name) == 0 ? mechanism->name : mechanism->also;
		options->methods &= mechanism_methods(mechanism);
	}
}

/* ---- keys ---- */

static void
read_noise(const OptionKey *key, JsonbValue *value, Options *options)
{
	options->noise = (NoiseChoice) get_choice(key->name, value, noise_names, lengthof(noise_names));
	switch (options->noise)
	{
		case NOISE_GAUGE:
		case NOISE_SPHERICAL:
		case NOISE_PARABOLOID:
		case NOISE_PUBLISHED:
			options->methods &= FOR_GRID;
			break;
		case NOISE_GAMMA:
			options->methods &= FOR_CONVEX | FOR_SOFTMAX;
			break;
		case NOISE_KNORM:
			options->methods &= FOR_CONVEX;
			break;
		default:
			break;
	}
}

/* The losses before LOSS_HUBER are those of METHOD_LOGISTIC. */
static void
read_loss(const OptionKey *key, JsonbValue *value, Options *options)
{
	options->loss = (ConvexLoss) get_choice(key->name, value, loss_names, LOSS_HUBER);
}

static void
read_solver(const OptionKey *key, JsonbValue *value, Options *options)
{
	static const char *const names[] = {[SOLVER_AUTO] = "auto",
										[SOLVER_NATIVE] = "native",
										[SOLVER_GLPK] = "glpk",
										[SOLVER_GLPK_LITERAL] = "glpk_literal"};

	options->solver = (SolverKind) get_choice(key->name, value, names, lengthof(names));
}

static void
read_adjacency(const OptionKey *key, JsonbValue *value, Options *options)
{
	static const char *const names[] = {
		[ADJACENCY_REPLACE] = "replace", [ADJACENCY_ADD_REMOVE] = "add_remove"};

	options->adjacency = (Adjacency) get_choice(key->name, value, names, lengthof(names));
	options->adjacency_given = true;
}

static void
read_intercept(const OptionKey *key, JsonbValue *value, Options *options)
{
	options->intercept = get_boolean(key->name, value);
	options->intercept_given = true;
}

static void
read_reference(const OptionKey *key, JsonbValue *value, Options *options)
{
	options->reference = get_boolean(key->name, value);
}

static void *
field_of(const OptionKey *key, Options *options)
{
	return (char *) options + key->field;
}

static void
read_integer(const OptionKey *key, JsonbValue *value, Options *options)
{
	const char *expected = key->expected;

	if (json_get_integer(value, key->least, key->most, field_of(key, options)))
		return;
	if (expected == NULL)
		expected =
			psprintf("an integer from " INT64_FORMAT " to " INT64_FORMAT, key->least, key->most);
	invalid(key->name, expected);
}

static void
read_positive(const OptionKey *key, JsonbValue *value, Options *options)
{
	double *number = field_of(key, options);

	if (!json_get_number(value, number) || !(*number > 0))
		invalid(key->name, "a positive number");
}

static bool
get_bounds(JsonbContainer *pair, double *low, double *high)
{
	return pair != NULL && JsonContainerSize(pair) == 2 &&
		   json_get_number(getIthJsonbValueFromContainer(pair, 0), low) &&
		   json_get_number(getIthJsonbValueFromContainer(pair, 1), high) && *low <= *high;
}

static void
read_target(const OptionKey *key, JsonbValue *value, Options *options)
{
	options->target_given = true;
	if (!get_bounds(json_get_array(value), &options->target_low, &options->target_high))
		invalid(key->name, "a pair [low, high], low not above high");
}

static void
read_sampling(const OptionKey *key, JsonbValue *value, Options *options)
{
	options->sampling_given = true;
	options->sampling =
		(DescentSampling) get_choice(key->name, value, descent_sampling_names, DESCENT_SAMPLINGS);
}

static void
read_groups(const OptionKey *key, JsonbValue *value, Options *options)
{
	int64 sizes[COLUMNS_MAX];

	options->groups = get_integers(value, 1, COLUMNS_MAX, sizes);
	if (options->groups < 1)
		invalid(key->name, "an array of positive group sizes, for example [7, 6, 5, 2, 1]");
	for (int g = 0; g < options->groups; g++)
		options->group[g] = (int16) sizes[g];
}

static void
read_levels(const OptionKey *key, JsonbValue *value, Options *options)
{
	int64 levels[COLUMNS_MAX];

	options->levels_count = get_integers(value, 0, LEVELS_MAX, levels);
	if (options->levels_count < 1)
		invalid(key->name,
				psprintf("an array with an integer from 0 to %d for each feature: its number of "
						 "levels, or 0 for a number",
						 LEVELS_MAX));
	for (int j = 0; j < options->levels_count; j++)
		options->levels[j] = (int16) levels[j];
	if (levels_weights(options->levels, options->levels_count) > LEVELS_WEIGHTS_MAX - 1)
		invalid(key->name, psprintf("of at most %d levels in all", LEVELS_WEIGHTS_MAX - 1));
}

static void
read_numeric(const OptionKey *key, JsonbValue *value, Options *options)
{
	int64 positions[COLUMNS_MAX];

	options->numeric_count = get_integers(value, 1, COLUMNS_MAX, positions);
	if (options->numeric_count < 0)
		invalid(key->name, "an array of feature positions, counted from 1");
	for (int i = 0; i < options->numeric_count; i++)
		options->numeric[i] = (int) positions[i];
}

static void
read_scale(const OptionKey *key, JsonbValue *value, Options *options)
{
	bool valid = get_feature_numbers(value, &options->scale);

	for (int i = 0; valid && i < options->scale.count; i++)
		valid = options->scale.value[i] > 0;
	if (!valid)
		invalid(key->name, "a positive number, or an array of one for each feature");
}

static void
read_center(const OptionKey *key, JsonbValue *value, Options *options)
{
	if (!get_feature_numbers(value, &options->center))
		invalid(key->name, "a number, or an array of one for each feature");
}

static void
read_clip(const OptionKey *key, JsonbValue *value, Options *options)
{
	JsonbContainer *array = json_get_array(value);
	bool valid =
		array != NULL && JsonContainerSize(array) >= 1 && JsonContainerSize(array) <= COLUMNS_MAX;

	if (valid && json_get_array(getIthJsonbValueFromContainer(array, 0)) == NULL)
	{
		options->low.count = 1;
		valid = get_bounds(array, &options->low.value[0], &options->high.value[0]);
	}
	else if (valid)
	{
		options->low.count = JsonContainerSize(array);
		for (int i = 0; valid && i < options->low.count; i++)
			valid = get_bounds(json_get_array(getIthJsonbValueFromContainer(array, i)),
							   &options->low.value[i], &options->high.value[i]);
	}
	options->high.count = options->low.count;
	if (!valid)
		invalid(key->name,
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
		invalid(name, expected);
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
	invalid(name, expected);
}

static void
read_grid(const OptionKey *key, JsonbValue *value, Options *options)
{
	static const char *const names[] = {
		[GRID_AUTO] = "auto", [GRID_TERNARY] = "ternary", [GRID_SIGN] = "sign"};
	int choice = find_choice(value, names, lengthof(names));

	if (choice < 0)
		read_grid_object(key->name, json_get_object(value), options);
	else
		options->grid = (GridChoice) choice;
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
read_prior(const OptionKey *key, JsonbValue *value, Options *options)
{
	JsonbContainer *object = json_get_object(value);
	JsonbValue *power = object == NULL ? NULL : json_member(object, "power");

	options->prior_given = true;
	if (json_is_string(value, "uniform"))
		return;
	if (power == NULL || JsonContainerSize(object) != 1 ||
		!get_thousandths(power, PRIOR_MAX_POWER, &options->prior_power))
		invalid(key->name, psprintf("\"uniform\" or {\"power\": p} with p from 0 to %d and at most "
									"three decimals",
									(int) (PRIOR_MAX_POWER / PRIOR_ONE)));
}

/* Which constants fit is known with the label's type (label.h). */
static void
read_label_values(const OptionKey *key, JsonbValue *value, Options *options)
{
	JsonbContainer *array = json_get_array(value);
	JsonbValue **copy = field_of(key, options);

	if (array == NULL ? value->type == jbvNull || json_get_object(value) != NULL
					  : JsonContainerSize(array) < 1)
		invalid(key->name, "a value of the label, or a non-empty array of them");
	*copy = palloc(sizeof(JsonbValue));
	**copy = *value;
}

static void
read_classes(const OptionKey *key, JsonbValue *value, Options *options)
{
	JsonbContainer *array = json_get_array(value);

	options->classes = array == NULL ? 0 : JsonContainerSize(array);
	if (options->classes < 2 || options->classes > INSTANCE_MAX_CLASSES)
		invalid(key->name,
				psprintf("an array of 2 to %d values of the label", INSTANCE_MAX_CLASSES));
	read_label_values(key, value, options);
}

static void
read_coverage(const OptionKey *key, JsonbValue *value, Options *options)
{
	if (value->type != jbvNumeric ||
		!decimal_epsilon_part(NumericGetDatum(value->val.numeric), &options->coverage_epsilon))
		invalid(key->name, psprintf("0, or a number from 0.000000001 to %d", EPSILON_MAX));
	options->coverage_given = true;
}

void
options_read_holdout(JsonbValue *value, bool rates, int64 *thousandths)
{
	*thousandths = 0;
	if (rates && value->type == jbvBool && !value->val.boolean)
		return;
	if (!get_thousandths(value, 999, thousandths) || *thousandths == 0)
		invalid("holdout",
				rates ? "false, for all rows, or a number from 0.001 to 0.999 with at most "
						"three decimals"
					  : "a number from 0.001 to 0.999 with at most three decimals");
}

static void
read_holdout(const OptionKey *key, JsonbValue *value, Options *options)
{
	options_read_holdout(value, false, &options->holdout);
}

#define FIELD(name) offsetof(Options, name)

static const OptionKey keys[] = {
	{"adjacency", read_adjacency, DOOR_OWNER, FOR_ALL},
	{"batch", read_integer, DOOR_BOTH, FOR_CONVEX, FIELD(batch), 1, DESCENT_MAX_ROWS,
	 "a positive integer"},
	{"calls", read_integer, DOOR_BOTH, FOR_CONVEX, FIELD(calls), 1, OPSAMP_MAX_CALLS},
	{"center", read_center, DOOR_OWNER, FOR_ALL},
	{"classes", read_classes, DOOR_OWNER, FOR_CLASSES, FIELD(class_values)},
	{"clip", read_clip, DOOR_OWNER, FOR_ALL},
	{"coverage_epsilon", read_coverage, DOOR_BOTH, FOR_ALL},
	{"dimension", read_integer, DOOR_OWNER, FOR_ALL, FIELD(dimension), 1, COLUMNS_MAX},
	{"grid", read_grid, DOOR_BOTH, FOR_GRID},
	{"groups", read_groups, DOOR_OWNER, FOR_ALL},
	{"holdout", read_holdout, DOOR_ANALYST, FOR_ALL},
	{"intercept", read_intercept, DOOR_BOTH, FOR_ALL},
	{"iterations", read_integer, DOOR_OWNER, FOR_CONVEX | FOR_SOFTMAX, FIELD(iterations), 1,
	 DESCENT_MAX_ITERATIONS},
	{"levels", read_levels, DOOR_OWNER, FOR_CONVEX | FOR_LINEAR},
	{"loss", read_loss, DOOR_BOTH, 1 << METHOD_LOGISTIC},
	{"mechanism", read_mechanism, DOOR_BOTH, FOR_NAMED | FOR_AUTO | FOR_CLASSES},
	{"memory_limit", read_integer, DOOR_OWNER, FOR_ALL, FIELD(memory_limit), 0, INT_MAX,
	 "a whole number of MiB, 0 for no limit"},
	{"modulus", read_integer, DOOR_BOTH, FOR_GRID, FIELD(modulus), 2, GRID_MAX_LEVELS},
	{"n", read_integer, DOOR_OWNER, FOR_ALL, FIELD(n), 1, OPTIONS_MAX_ROWS, "a positive integer"},
	{"negative", read_label_values, DOOR_BOTH, FOR_NAMED | FOR_AUTO, FIELD(negative)},
	{"net", read_integer, DOOR_BOTH, FOR_CONVEX, FIELD(net), 3, NET_MAX_POINTS},
	{"noise", read_noise, DOOR_BOTH, FOR_NAMED | FOR_AUTO | FOR_LINEAR | FOR_CLASSES},
	{"norm", read_positive, DOOR_BOTH, FOR_CONVEX | FOR_SOFTMAX, FIELD(norm)},
	{"numeric", read_numeric, DOOR_OWNER, FOR_ALL},
	{"part_nodes", read_integer, DOOR_BOTH, FOR_GRID, FIELD(part_nodes), 1, SAMPLE_MAX_PART_NODES},
	{"parts", read_integer, DOOR_BOTH, FOR_GRID, FIELD(parts), 1, SAMPLE_MAX_PARTS},
	{"positive", read_label_values, DOOR_BOTH, FOR_NAMED | FOR_AUTO, FIELD(positive)},
	{"prior", read_prior, DOOR_BOTH, FOR_GRID},
	{"radius", read_positive, DOOR_BOTH, FOR_CONVEX | FOR_LINEAR | FOR_SOFTMAX, FIELD(radius)},
	{"reference", read_reference, DOOR_BOTH, FOR_GRID},
	{"regularization", read_positive, DOOR_BOTH, FOR_CONVEX | FOR_TARGETS | FOR_SOFTMAX,
	 FIELD(regularization)},
	{"sampling", read_sampling, DOOR_BOTH, FOR_CONVEX},
	{"scale", read_scale, DOOR_OWNER, FOR_ALL},
	{"solver", read_solver, DOOR_OWNER, FOR_GRID},
	{"step", read_positive, DOOR_BOTH, FOR_CONVEX | FOR_SOFTMAX, FIELD(step)},
	{"target", read_target, DOOR_OWNER, FOR_ALL},
	{"time_limit", read_integer, DOOR_OWNER, FOR_ALL, FIELD(time_limit), 0, INT_MAX / 1000,
	 "a whole number of seconds, 0 for no limit"},
};

/* METHOD_AUTO has the keys of all methods that it may become. */
static bool
is_key_of(const OptionKey *key, TrainingMethod method)
{
	return (key->methods & (method == METHOD_AUTO ? FOR_NAMED | FOR_AUTO : 1 << method)) != 0;
}

const char *
options_next_given(const Options *options, int *position)
{
	while (*position < lengthof(keys))
	{
		int key = (*position)++;

		if ((options->given & UINT64CONST(1) << key) != 0)
			return keys[key].name;
	}
	return NULL;
}

static bool
is_at_door(const OptionKey *key, bool by_analyst)
{
	return key->door != (by_analyst ? DOOR_OWNER : DOOR_ANALYST);
}

static char *
known_keys(TrainingMethod method, bool by_analyst)
{
	StringInfoData known;

	initStringInfo(&known);
	for (int i = 0; i < lengthof(keys); i++)
		if (is_at_door(&keys[i], by_analyst) && is_key_of(&keys[i], method))
			appendStringInfo(&known, "%s%s", known.len > 0 ? ", " : "", keys[i].name);
	return known.data;
}

static const OptionKey *
find_key(const char *key, int length, TrainingMethod method, bool by_analyst)
{
	for (int i = 0; i < lengthof(keys); i++)
	{
		if ((int) strlen(keys[i].name) != length || memcmp(keys[i].name, key, length) != 0)
			continue;
		if (!is_key_of(&keys[i], method))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("option \"%s\" is not for method \"%s\"", keys[i].name,
								   method_name(method)),
							errhint("Options are: %s.", known_keys(method, by_analyst))));
		if (!is_at_door(&keys[i], by_analyst))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"%s\" cannot be set here", keys[i].name),
					 !by_analyst ? errdetail("An aggregate reads the rows that its query gives it; "
											 "the option is for dpobj.train and its kin.")
					 : keys[i].methods == FOR_ALL
						 ? errdetail("It follows from dpobj.protect or from a setting "
									 "that an administrator makes.")
						 : errdetail("It is for the aggregates only."),
					 errhint("Options are: %s.", known_keys(method, by_analyst))));
		return &keys[i];
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%.*s\" is not known", length, key),
					errhint("Known options are: %s.", known_keys(method, by_analyst))));
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

static void
read_keys(Jsonb *jsonb, TrainingMethod method, bool by_analyst, Options *options)
{
	JsonbIterator *iterator = JsonbIteratorInit(&jsonb->root);
	JsonbValue value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		const OptionKey *key;

		if (token != WJB_KEY)
			continue;
		key = find_key(value.val.string.val, value.val.string.len, method, by_analyst);
		(void) JsonbIteratorNext(&iterator, &value, true);
		key->read(key, &value, options);
		options->given |= UINT64CONST(1) << (key - keys);
		if ((key->methods & FOR_AUTO) == 0)
			options->methods &= key->methods;
	}
}

void
options_parse(Jsonb *jsonb, TrainingMethod method, bool by_analyst, Options *options)
{
	memset(options, 0, sizeof(*options));
	options->methods = method == METHOD_AUTO ? FOR_HALFSPACE | 1 << METHOD_LOGISTIC : 1 << method;
	options->target_low = -1;
	options->target_high = 1;
	options->target_scale = 1;
	if (jsonb != NULL && !JB_ROOT_IS_OBJECT(jsonb))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options must be a JSON object")));
	if (jsonb != NULL)
		read_keys(jsonb, method, by_analyst, options);
	if (!options->intercept_given)
		options->intercept = default_intercept(method, by_analyst);
	check_together(options, method, by_analyst);
}
