/*
 * rating_choice.c - which rows rate a model, and what that costs.
 */
#include "postgres.h"

#include <math.h>

#include "core/accounting/parallel.h"
#include "core/rows/holdout.h"

#include "server/base/decimal.h"
#include "server/base/json_value.h"
#include "server/release/coverage.h"
#include "server/release/rating_choice.h"

/* Without the option: a fifth of the rows. */
#define USUAL_HOLDOUT (HOLDOUT_ONE / 5)

/* The table's part of epsilon where it is not free. */
#define USUAL_PARTS 10

/* Strengths below which a table tells nothing of most models; a number needs more than a label. */
#define LEAST_STRENGTH 50.0
#define LEAST_STRENGTH_OF_NUMBER 1000.0

static void
refuse(const char *name, const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" is not for this request", name), errdetail("%s", detail),
					errhint("Leave it out, or set \"rate\" to 0 for a model without a rating.")));
}

/* Who cannot have a rating; NULL: nothing hinders one. */
static const char *
hindrance(const Training *training)
{
	if (!training->by_analyst)
		return "A caller who may read the rows rates a model with the aggregates.";
	/* there each row is read once, to train or to rate */
	if (training->elsewhere && options_given(&training->options, "holdout") &&
		training->options.holdout == 0)
		return "Rows of the table are on other servers, and no rows are held out.";
	return NULL;
}

/* Of a model; how many rows a group has is not public. */
static int64
declared_rows(const Training *training)
{
	return training->keys == NULL ? training->options.n : training->group_rows;
}

double
rating_strength_of(const Training *training)
{
	const Options *options = &training->options;
	int64 rows = declared_rows(training);
	int64 seen = options->holdout > 0 ? training_rows_read(training, rows) : 0;
	RatingTable table;

	rating_begin(training, &table);
	return rating_strength((double) (rows - seen), 0.5, rating_epsilon(&table),
						   table.rows_per_person);
}

/* Each class has rows of its own. */
static bool
is_useful(const Training *training)
{
	double least = method_has_target(training->method) ? LEAST_STRENGTH_OF_NUMBER : LEAST_STRENGTH;

	return rating_strength_of(training) >= least * Max(training->options.classes, 2) / 2;
}

/* Is what the model costs all that both cost (theorem N11)? */
static bool
is_free(const Training *training)
{
	return training->options.holdout > 0 &&
		   (training->rating.by_chance || training->options.adjacency == ADJACENCY_ADD_REMOVE);
}

/* The chance of a normal number below x. */
static double
normal_below(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

/* Laws of which nothing but (epsilon, delta) is known once a table comes with the model. */
static bool
is_claim_left(PairKind kind)
{
	return kind == PAIR_SAMPLED || kind == PAIR_BATCHES || kind == PAIR_OBJECTIVE;
}

/* The largest mu of a table that leaves a normal law, and its claim, as they are; 0: no such law. */
static double
mu_beside(const Pair *model)
{
	return model->kind == PAIR_GAUSSIAN ? model->mu * (1 - 1e-6) : 0;
}

/*
 * The largest epsilon of a table that leaves the pair of a model as it is (theorem N11); of a pair
 * of which only the claim would be left, the claim.
 */
static int64
most_beside(const Pair *model)
{
	int64 own = model->epsilon - model->pure; /* counts of coverage.h are a law of their own */
	double most;

	if (model->kind == PAIR_RANGE)
		return own / 2;
	if (model->kind == PAIR_CONCENTRATED)
		most = sqrt(2 * model->rho);
	else if (model->kind == PAIR_GAUSSIAN)
		most = log(normal_below(model->mu / 2) / normal_below(-model->mu / 2));
	else
		return own;
	return (int64) Min((double) own, EPSILON_ONE * most * (1 - 1e-6));
}

/*
 * What the table of a group is compared with is what one row does to the model of the group, which
 * all that is known of the call follows from (theorem N11).
 */
static Pair
law_beside(const Training *training, const Pair *model)
{
	int64 delta = model->delta == 0 ? 0 : training->cost.delta;
	Pair row;

	if (training->keys == NULL)
		return *model;
	row = pair_of_request(&training->request, training_model_epsilon(training), delta, 1);
	if (row.kind == PAIR_OBJECTIVE) /* as in training_pair() */
		row.kind = PAIR_APPROXIMATE;
	return row;
}

/* charged: is the table's epsilon a part of the call's, or of a group's share of it? */
static void
check_rate(const Training *training, bool charged)
{
	const char *whole = training->keys == NULL ? "epsilon" : "a group's epsilon";

	if (training->options.rate < training->cost.epsilon + (charged ? 0 : 1))
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg(charged ? "option \"rate\" must be less than %s"
								   : "option \"rate\" must be at most %s",
						   whole),
					errdetail("It is the epsilon of the table that rates the model%s.",
							  charged ? ", and the model gets the rest" : "")));
}

/* Why no rating is wanted; NULL if one is. */
static const char *
find_reason(const Training *training)
{
	const Options *options = &training->options;
	const char *hindered = hindrance(training);

	if (options_given(options, "rate"))
	{
		if (options->rate > 0 && hindered != NULL)
			refuse("rate", hindered);
		return options->rate > 0 ? NULL : "Option \"rate\" is 0.";
	}
	if (hindered != NULL)
		return hindered;
	if (declared_rows(training) == 0)
		return "The number of rows is not declared.";
	/* rows that were seen are rated for those only who ask for it */
	return options_given(options, "holdout") && options->holdout == 0 ? "No rows are held out."
																	  : NULL;
}

/* The table of rows that were seen, or that change their sides, has a part of epsilon. */
static bool
settle_part(Training *training, int features, bool asked,
			void (*settle)(Training *training, int features))
{
	RatingPart *rating = &training->rating;

	rating->epsilon = asked ? training->options.rate : training->cost.epsilon / USUAL_PARTS;
	rating->charged = rating->epsilon;
	coverage_settle(training);
	settle(training, features);
	return true;
}

/*
 * Returns false if the table would replace the ledger's law by the claim and nobody asked for a
 * table.
 */
static bool
settle_free(Training *training, int features, bool asked,
			void (*settle)(Training *training, int features))
{
	RatingPart *rating = &training->rating;
	Pair model;

	rating->epsilon = 1; /* there will be one */
	coverage_settle(training);
	settle(training, features);
	rating->epsilon = 0;
	model = training_pair(training);
	model = law_beside(training, &model);
	rating->epsilon = asked ? training->options.rate : most_beside(&model);
	/* the number of a model of numbers has intervals for Laplace noise only */
	if (!asked && !method_has_target(training->method))
		rating->mu = mu_beside(&model);
	if (rating->mu > 0)
		rating->epsilon = model.epsilon - model.pure;
	return asked || !is_claim_left(model.kind);
}

void
rating_settle(Training *training, int features, void (*settle)(Training *training, int features))
{
	bool asked = options_given(&training->options, "rate");
	const char *why_not = find_reason(training);
	Training before = *training;

	for (int attempt = 0; why_not == NULL && attempt < 2; attempt++)
	{
		bool free;

		*training = before;
		training->rating.by_chance =
			!options_given(&training->options, "holdout") && !training->dealt_by_column;
		if (!options_given(&training->options, "holdout"))
			training->options.holdout = USUAL_HOLDOUT;
		free = attempt == 0 && is_free(training);
		check_rate(training, !free);
		if (!(free ? settle_free : settle_part)(training, features, asked, settle))
			continue;
		if (asked || is_useful(training))
			return;
		why_not = training->keys == NULL
					  ? "The declared rows times epsilon are too few."
					  : "The declared rows times epsilon are too few for each group.";
	}
	*training = before;
	training->rating.why_not = training->by_analyst ? why_not : NULL;
	coverage_settle(training);
	settle(training, features);
}

/* ---- the charge ---- */

/* Does a table without a part of epsilon cost a row no more than the model's law allows? */
static bool
is_within(const RatingPart *rating, const Pair *model)
{
	if (rating->mu > 0)
		return rating->mu <= mu_beside(model);
	return rating->epsilon <= most_beside(model) && !is_claim_left(model->kind);
}

int64
rating_charged(const Training *training)
{
	int rows = Max(training->rows_per_person, 1);

	if (training->keys == NULL)
		return training->rating.charged;
	return training->rating.charged * parallel_rows(training->adjacency, rows);
}

/* Else the ledger gets the claim alone. */
Pair
rating_pair(const Training *training, const Pair *model)
{
	Pair both = *model;
	Pair beside = law_beside(training, model);

	if (training->rating.charged > 0)
		return pair_with_pure(model, rating_charged(training));
	if (training->rating.epsilon == 0 || model->kind == PAIR_NONE ||
		is_within(&training->rating, &beside))
		return both;
	both = pair_pure(model->epsilon);
	both.delta = model->delta;
	if (model->delta > 0)
		both.kind = PAIR_APPROXIMATE;
	return both;
}

void
rating_append_charge(StringInfo text, const Training *training)
{
	const RatingPart *rating = &training->rating;
	const char *because = "a part of epsilon";

	if (rating->epsilon == 0)
		return;
	if (rating->charged == 0)
		because = "each row trains or rates";
	appendStringInfo(text, ", \"rate\": {\"epsilon\": %s",
					 decimal_text(rating->epsilon, EPSILON_UNIT));
	if (rating->mu > 0)
		appendStringInfo(text, ", \"mu\": %s", json_digits(rating->mu));
	appendStringInfo(text, ", \"charged\": %s, \"because\": \"%s\"",
					 decimal_text(rating_charged(training), EPSILON_UNIT), because);
	if (rating->by_chance)
		appendStringInfo(text, ", \"rows\": %g", (double) training->options.holdout / HOLDOUT_ONE);
	appendStringInfoChar(text, '}');
}

void
rating_begin(const Training *training, RatingTable *table)
{
	memset(table, 0, sizeof(*table));
	table->adjacency = training->options.adjacency;
	table->epsilon = training->rating.epsilon;
	table->mu = training->rating.mu;
	/* a group's share counts all rows of a person already (groups.c) */
	table->rows_per_person = training->keys != NULL ? 1 : Max(training->rows_per_person, 1);
	table->usable_only = training->rows_per_person > 0 || training->keys != NULL;
	table->seen = training->options.holdout == 0;
}
