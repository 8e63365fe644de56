/*
 * train_rating.c - the private table of a training: a second scan of the table, with the model.
 *
 * The scan is that of the training, so that locks, snapshot and charge are the same.  Its locks are
 * given back after the tick, because their end would tell how long the solver took.
 */
#include "postgres.h"

#include <math.h>

#include "pgstat.h"
#include "storage/proc.h"
#include "utils/wait_event.h"

#include "server/analyst/evaluate.h"
#include "server/analyst/train_rating.h"
#include "server/base/gate.h"
#include "server/base/random_bits.h"
#include "server/base/run_watch.h"
#include "server/base/server_memory.h"
#include "server/release/coverage.h"
#include "server/release/groups.h"
#include "server/release/rating_choice.h"
#include "server/release/trained.h"

/* The release while it is rated. */
typedef struct Raters
{
	RatedModel *rated; /* of each group, or one */
	RatingTable *table;
	const Encoder *target; /* of residuals */
} Raters;

static Raters *raters;

/* ---- where the scores are ---- */

/*
 * Adds what a column adds to a score in the mean, and the variance, if each of its values, or of
 * the numbers that it may have, is as frequent as the others: this is public, and no more is known.
 */
static void
add_column(const Encoder *encoder, const double *weight, double *mean, double *variance)
{
	int weights = encoder_weights(encoder);
	int values = weights + (encoder->drop_first ? 1 : 0);
	double sum = 0;
	double squares = 0;

	if (encoder->kind == ENCODER_NUMBER)
	{
		double width = weight[0] * (encoder->high - encoder->low);

		*mean += weight[0] * (encoder->low + encoder->high) / 2;
		*variance += width * width / 12;
		return; /* a missing number is taken to be rare */
	}
	if (encoder->null_indicator && values > 1) /* likewise, the last weight */
	{
		values--;
		weights--;
	}
	for (int i = 0; i < weights; i++)
	{
		sum += weight[i];
		squares += weight[i] * weight[i];
	}
	sum /= Max(values, 1);
	*mean += sum;
	*variance += Max(squares / Max(values, 1) - sum * sum, 0.0);
}

/*
 * Twice the share of the rarer label, if scores are spread so: the mean of the logistic function,
 * about, of a model that has probabilities; 1 of others.
 */
static double
rarity(const RatedModel *rated, double mean, double variance)
{
	double p = 1 / (1 + exp(-mean / sqrt(1 + variance * M_PI / 8)));

	return rated->probable ? 2 * Min(p, 1 - p) : 1.0;
}

static void
settle_scores(const Training *training, const AnalystTable *opened, const RatedModel *rated,
			  RatingTable *table)
{
	const double *weight = rated->model.weight;
	double mean = 0;
	double variance = 0;

	for (int i = 0; i < opened->features.count; i++)
	{
		const Encoder *encoder = &opened->features.encoder[i];

		add_column(encoder, weight, &mean, &variance);
		weight += encoder_weights(encoder);
	}
	if (rated->intercept)
		mean += *weight;
	rating_set_bins(table, mean, sqrt(variance),
					rating_strength_of(training) * rarity(rated, mean, variance));
}

/* ---- the rows ---- */

static void
add_classes(const RatedModel *rated, const int32 *x, const RowCount *count, RatingTable *table)
{
	int label = x[0] / FIXED_POINT_ONE;
	bool right = rated_model_predict(rated, x) == label;

	table->number[2 * label + (right ? 0 : 1)] += count->positive;
}

static void
add_residuals(const RatedModel *rated, const int32 *x, const RowCount *count, RatingTable *table)
{
	LookRow row = {.x = x, .rows = count->positive};

	row.score = rated_model_number(rated, raters->target, x);
	look_add(&table->look, &row, table->number);
}

static void
add_row(Release *release, int cell, const int32 *x, const RowCount *count)
{
	const RatedModel *rated = &raters->rated[cell];
	RatingTable *table = &raters->table[cell];

	GATE_CHECK_FOR_INTERRUPTS();
	if (table->kind == RATING_SCORES)
		rating_add_scores(table, rated_model_score(rated, 0, x), count->positive, count->negative);
	else if (table->kind == RATING_CLASSES)
		add_classes(rated, x, count, table);
	else
		add_residuals(rated, x, count, table);
}

/* ---- the table ---- */

/* Bytes that distinct rows may take before they are counted. */
#define RATED_TABLE_BYTES (1024 * 1024)

/* What is rated, and how rows are encoded for it: but for a number as in training. */
static void
settle(const Training *training, const AnalystTable *opened, RatedModel *rated, RatingTable *table,
	   Encoding *encoding)
{
	rating_begin(training, table);
	rated_model_place(rated, opened->shape.features);
	*encoding = training->encoding;
	if (rated->classes > 0)
	{
		table->kind = RATING_CLASSES;
		table->cells = rated->classes;
	}
	else if (rated->label.is_target)
	{
		table->kind = RATING_RESIDUALS;
		table->cells = 1;
		raters->target = opened->label;
		rated_model_residuals(opened, &table->look, encoding);
		table->look.rows_per_person = table->rows_per_person;
	}
	else
		settle_scores(training, opened, rated, table);
}

/* Grids and pools keep their vectors, which were drawn by their mistakes. */
static void
move(const Training *training, const AnalystTable *opened, const RatedModel *rated,
	 RatingTable *table)
{
	const Mechanism *mechanism = mechanism_get(training->request.kind);
	double lowest;
	double highest;

	if (table->kind != RATING_SCORES || !mechanism->convex || mechanism->terms == TERMS_POOL ||
		!rated->intercept)
		return;
	rated_model_range(rated, &opened->features, &lowest, &highest);
	rating_move(table, lowest, highest);
}

static void
draw(Release *release, AnalystTable *opened, Training *training, const MechanismAnswer *answer)
{
	int models = training->keys == NULL ? 1 : training->keys->count;
	Size bytes =
		training->keys == NULL ? RATED_TABLE_BYTES : group_limit(training, RATED_TABLE_BYTES);
	RatedModel *rated = palloc0(models * sizeof(RatedModel));
	RatingTable *table = palloc0(models * sizeof(RatingTable));
	Encoding encoding;
	ServerMemory memory;
	Bits bits;
	Model model;

	raters->rated = rated;
	raters->table = table;
	for (int i = 0; i < models; i++)
	{
		trained_describe(training, release->id, &answer[i], &model);
		rated_model_read(&model, &rated[i]);
		settle(training, opened, &rated[i], &table[i], &encoding);
	}
	opened->holdout.trains = false;
	table->unusable = analyst_read_open(release, &encoding, models, bytes, add_row);
	random_bits_init(&bits);
	server_memory_init(&memory, CurrentMemoryContext);
	for (int i = 0; i < models; i++)
	{
		rating_draw(&table[i], &bits, &memory.memory);
		move(training, opened, &rated[i], &table[i]);
	}
	training->rating.table = table;
	coverage_take(training, table);
}

/* It was settled before the locks were taken. */
void
train_rating_check(const Training *training, const Scan *scan)
{
	if (training->rating.epsilon > 0 && scan_parts_of(scan) != NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("rows of the table have just been moved to another server"),
						errhint("Try again.")));
}

/*
 * Progress and wait events would tell when the solver has ended: the watch sees nothing of this
 * scan, and pg_stat_activity shows the wait event of the solver and of the tick (gate.c) meanwhile.
 */
void
train_rating_draw(Release *release, AnalystTable *opened, Training *training,
				  const MechanismAnswer *answer)
{
	static uint32 unseen;
	const RunWatch *watch = run_watch;

	raters = palloc0(sizeof(Raters));
	run_watch = NULL;
	pgstat_report_wait_start(PG_WAIT_EXTENSION);
	pgstat_set_wait_event_storage(&unseen);
	PG_TRY();
	{
		draw(release, opened, training, answer);
	}
	PG_FINALLY();
	{
		pgstat_set_wait_event_storage(&MyProc->wait_event_info);
		pgstat_report_wait_end();
		run_watch = watch;
		raters = NULL;
	}
	PG_END_TRY();
}
