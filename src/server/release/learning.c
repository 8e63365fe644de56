/*
 * learning.c - plans a run of dp_ftrl from its arguments, before any row.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/release/learning.h"

/* The largest size of a cost that can be declared. */
#define MAX_COST 1e15

typedef struct LearningOptions
{
	int64 dimension;
	int64 steps;
	double low;
	double high;
	bool clip_given;
	enum
	{
		TAKE_BEST,
		TAKE_EXPONENTIAL,
		TAKE_TREE
	} mechanism;
	enum
	{
		ANY_NOISE, /* none is given */
		GAUGE_NOISE,
		GAUSSIAN_NOISE
	} noise;
} LearningOptions;

static void
read_adjacency(const Key *key, JsonbValue *value, void *target)
{
	if (!json_is_string(value, "replace"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"%s\" must be \"replace\"", key->name),
						errdetail("A row that comes or goes would move all rows after it.")));
}

static void
read_clip(const Key *key, JsonbValue *value, void *target)
{
	LearningOptions *options = target;

	if (!json_get_pair(value, &options->low, &options->high) || !(options->low < options->high) ||
		options->low < -MAX_COST || options->high > MAX_COST)
		keyed_json_invalid(key->name, "a pair [low, high] with low below high");
	options->clip_given = true;
}

static const char *const mechanism_names[] = {"auto", "exponential", "tree"};
static const char *const noise_names[] = {[GAUGE_NOISE] = "gauge", [GAUSSIAN_NOISE] = "gaussian"};

#define FIELD(name) offsetof(LearningOptions, name)

static const Key keys[] = {
	{"adjacency", KEY_VALUE, 1, 1, .read = read_adjacency},
	{"clip", KEY_VALUE, 1, 1, .read = read_clip},
	{"dimension", KEY_INTEGER, 1, 1, FIELD(dimension), 2, FTRL_MAX_DIMENSION},
	{"mechanism", KEY_CHOICE, 1, 1, FIELD(mechanism), 0, lengthof(mechanism_names),
	 mechanism_names},
	{"n", KEY_INTEGER, 1, 1, FIELD(steps), 1, FTRL_MAX_STEPS},
	{"noise", KEY_CHOICE, 1, 1, FIELD(noise), GAUGE_NOISE, lengthof(noise_names), noise_names},
};

static void
read_options(Jsonb *jsonb, Learning *learning)
{
	static const KeyTable table = {
		.what = "option", .setter = 1, .taker = 1, .count = lengthof(keys), .key = keys};
	LearningOptions options = {.high = 1};

	if (jsonb != NULL)
		(void) keyed_json_read(&table, jsonb, &options);
	if (options.mechanism == TAKE_EXPONENTIAL && options.noise != ANY_NOISE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"noise\" is not for mechanism \"exponential\""),
						errhint("Leave it out, or take mechanism \"tree\".")));
	learning->dimension = (int) options.dimension;
	learning->steps = options.steps;
	learning->low = options.low;
	learning->high = options.high;
	learning->clip_given = options.clip_given;
	learning->kind_given = options.mechanism == TAKE_EXPONENTIAL || options.noise != ANY_NOISE;
	learning->any_tree = options.mechanism == TAKE_TREE && options.noise == ANY_NOISE;
	learning->kind = options.mechanism == TAKE_EXPONENTIAL ? FTRL_EXPONENTIAL
					 : options.noise == GAUSSIAN_NOISE     ? FTRL_TREE_GAUSSIAN
														   : FTRL_TREE_GAUGE;
}

void
learning_begin(Learning *learning, Datum epsilon, Oid epsilon_type, Datum delta, Oid delta_type,
			   Jsonb *options)
{
	memset(learning, 0, sizeof(*learning));
	decimal_epsilon(epsilon, epsilon_type, &learning->cost);
	decimal_delta(delta, delta_type, &learning->cost);
	read_options(options, learning);
	learning->options_text =
		options == NULL ? pstrdup("{}") : JsonbToCString(NULL, &options->root, VARSIZE(options));
	if (learning->steps == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of steps must be declared"),
						errhint("Set \"n\" in the options; rows beyond it get null.")));
}

/* ---- the plan ---- */

static void
settle_dimension(Learning *learning, int dimension)
{
	if (learning->dimension == 0)
		learning->dimension = dimension;
	if (learning->dimension == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of choices is not known"),
						errhint("Set \"dimension\" in the options, or write the costs as "
								"ARRAY[...].")));
	if (learning->dimension < 2 || learning->dimension > FTRL_MAX_DIMENSION)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of choices must be from 2 to %d", FTRL_MAX_DIMENSION)));
}

/* Only the discrete Gaussian needs delta. */
static void
refuse_gaussian(const Learning *learning, const FtrlTerms *terms)
{
	if (terms->delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("gaussian noise needs delta greater than zero"),
						errhint("Take noise \"gauge\", or offer a delta such as 1e-6.")));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("epsilon and delta are too small for gaussian noise"),
					errhint("Take noise \"gauge\".")));
}

static void
plan_run(Learning *learning, const FtrlTerms *terms)
{
	FtrlPlan other;

	if (!learning->kind_given && !learning->any_tree)
		ftrl_choose(terms, &learning->plan);
	else if (!ftrl_plan(terms, learning->kind, &learning->plan))
		refuse_gaussian(learning, terms);
	if (learning->any_tree && ftrl_plan(terms, FTRL_TREE_GAUSSIAN, &other) &&
		other.regret < learning->plan.regret)
		learning->plan = other;
}

void
learning_settle(Learning *learning, int dimension)
{
	FtrlTerms terms = {
		.epsilon = learning->cost.epsilon,
		/* delta_charged is rounded up, so one unit less is at most what was written */
		.delta = Max(learning->cost.delta_charged - 1, 0),
		.steps = learning->steps,
		.scale = FTRL_SCALE};

	settle_dimension(learning, dimension);
	terms.dimension = learning->dimension;
	plan_run(learning, &terms);
	if (learning->plan.pure)
		learning->cost.delta_charged = 0;
}

/* ---- for the ledger ---- */

void
learning_append_mechanism(StringInfo json, const Learning *learning)
{
	const FtrlPlan *plan = &learning->plan;

	appendStringInfo(json, ", \"mechanism\": \"%s\"",
					 plan->kind == FTRL_EXPONENTIAL ? "exponential" : "tree");
	if (plan->kind != FTRL_EXPONENTIAL)
		appendStringInfo(json, ", \"noise\": \"%s\", \"base\": %d, \"levels\": %d",
						 plan->kind == FTRL_TREE_GAUGE ? "gauge" : "gaussian", plan->base,
						 plan->levels);
	if (plan->kind == FTRL_TREE_GAUSSIAN)
		appendStringInfo(json, ", \"sigma\": " UINT64_FORMAT, (uint64) plan->sigma);
	appendStringInfo(json, ", \"rate\": %.17g, \"scale\": %d", plan->rate, plan->terms.scale);
	if (!plan->pure)
		appendStringInfo(json, ", \"rho\": %.17g", plan->rho);
}

char *
learning_parameters(const Learning *learning)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text,
					 "{\"options\": %s, \"dimension\": %d, \"n\": " INT64_FORMAT
					 ", \"clip\": [%.17g, %.17g]",
					 learning->options_text, learning->dimension, learning->steps, learning->low,
					 learning->high);
	learning_append_mechanism(&text, learning);
	appendStringInfoChar(&text, '}');
	return text.data;
}

Pair
learning_pair(const Learning *learning)
{
	Pair pair = {.kind = learning->plan.pure ? PAIR_PURE : PAIR_CONCENTRATED,
				 .epsilon = learning->cost.epsilon_charged,
				 .delta = learning->cost.delta_charged,
				 .count = 1,
				 .rho = learning->plan.pure ? 0 : learning->plan.rho};

	return pair;
}
