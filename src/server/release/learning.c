/*
 * learning.c - plans a run of dp_ftrl from its arguments, before any row.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "server/base/json_value.h"
#include "server/release/learning.h"

/* The largest size of a cost that can be declared. */
#define MAX_COST 1e15

/* Options "mechanism" and "noise"; all false if they are not given. */
typedef struct LearningOptions
{
	bool exponential;
	bool tree;
	bool gauge;
	bool gaussian;
} LearningOptions;

typedef struct LearningKey
{
	const char *name;
	void (*read)(const char *name, JsonbValue *value, Learning *learning, LearningOptions *options);
} LearningKey;

static void
invalid(const char *name, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" must be %s", name, expected)));
}

/* ---- keys ---- */

static void
read_adjacency(const char *name, JsonbValue *value, Learning *learning, LearningOptions *options)
{
	if (!json_is_string(value, "replace"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"%s\" must be \"replace\"", name),
						errdetail("A row that comes or goes would move all rows after it.")));
}

static void
read_clip(const char *name, JsonbValue *value, Learning *learning, LearningOptions *options)
{
	JsonbContainer *pair = json_get_array(value);

	if (pair == NULL || JsonContainerSize(pair) != 2 ||
		!json_get_number(getIthJsonbValueFromContainer(pair, 0), &learning->low) ||
		!json_get_number(getIthJsonbValueFromContainer(pair, 1), &learning->high) ||
		!(learning->low < learning->high) || learning->low < -MAX_COST || learning->high > MAX_COST)
		invalid(name, "a pair [low, high] with low below high");
	learning->clip_given = true;
}

static void
read_dimension(const char *name, JsonbValue *value, Learning *learning, LearningOptions *options)
{
	int64 dimension;

	if (!json_get_integer(value, 2, FTRL_MAX_DIMENSION, &dimension))
		invalid(name, "an integer from 2 to " CppAsString2(FTRL_MAX_DIMENSION));
	learning->dimension = (int) dimension;
}

static void
read_mechanism(const char *name, JsonbValue *value, Learning *learning, LearningOptions *options)
{
	options->exponential = json_is_string(value, "exponential");
	options->tree = json_is_string(value, "tree");
	if (!options->exponential && !options->tree && !json_is_string(value, "auto"))
		invalid(name, "\"auto\", \"exponential\" or \"tree\"");
}

static void
read_n(const char *name, JsonbValue *value, Learning *learning, LearningOptions *options)
{
	if (!json_get_integer(value, 1, FTRL_MAX_STEPS, &learning->steps))
		invalid(name, psprintf("an integer from 1 to " INT64_FORMAT, (int64) FTRL_MAX_STEPS));
}

static void
read_noise(const char *name, JsonbValue *value, Learning *learning, LearningOptions *options)
{
	options->gauge = json_is_string(value, "gauge");
	options->gaussian = json_is_string(value, "gaussian");
	if (!options->gauge && !options->gaussian)
		invalid(name, "\"gauge\" or \"gaussian\"");
}

static const LearningKey keys[] = {
	{"adjacency", read_adjacency}, {"clip", read_clip}, {"dimension", read_dimension},
	{"mechanism", read_mechanism}, {"n", read_n},       {"noise", read_noise},
};

static const LearningKey *
find_key(const char *key, int length)
{
	StringInfoData known;

	for (int i = 0; i < lengthof(keys); i++)
		if ((int) strlen(keys[i].name) == length && memcmp(keys[i].name, key, length) == 0)
			return &keys[i];
	initStringInfo(&known);
	for (int i = 0; i < lengthof(keys); i++)
		appendStringInfo(&known, "%s%s", i > 0 ? ", " : "", keys[i].name);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%.*s\" is not known", length, key),
					errhint("Known options are: %s.", known.data)));
}

static void
read_options(Jsonb *jsonb, Learning *learning, LearningOptions *options)
{
	JsonbIterator *iterator;
	JsonbValue value;
	JsonbIteratorToken token;

	if (!JB_ROOT_IS_OBJECT(jsonb))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options must be a JSON object")));
	iterator = JsonbIteratorInit(&jsonb->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		const LearningKey *key;

		if (token != WJB_KEY)
			continue;
		key = find_key(value.val.string.val, value.val.string.len);
		(void) JsonbIteratorNext(&iterator, &value, true);
		key->read(key->name, &value, learning, options);
	}
}

static void
choose_kind(Learning *learning, const LearningOptions *options)
{
	bool noise_given = options->gauge || options->gaussian;

	if (options->exponential && noise_given)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"noise\" is not for mechanism \"exponential\""),
						errhint("Leave it out, or take mechanism \"tree\".")));
	learning->kind_given = options->exponential || noise_given;
	learning->any_tree = options->tree && !noise_given;
	learning->kind = options->exponential ? FTRL_EXPONENTIAL
					 : options->gaussian  ? FTRL_TREE_GAUSSIAN
										  : FTRL_TREE_GAUGE;
}

void
learning_begin(Learning *learning, Datum epsilon, Oid epsilon_type, Datum delta, Oid delta_type,
			   Jsonb *options)
{
	LearningOptions given = {false};

	memset(learning, 0, sizeof(*learning));
	learning->high = 1;
	decimal_epsilon(epsilon, epsilon_type, &learning->cost);
	decimal_delta(delta, delta_type, &learning->cost);
	if (options != NULL)
		read_options(options, learning, &given);
	choose_kind(learning, &given);
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
