/*
 * train_rating.c - the private table of a training: a second scan of the table, with the model.
 *
 * The scan is that of the training, so that locks, snapshot and charge are the same.  Its locks are
 * given back after the tick, because their end would tell how long the solver took.
 *
 * Where rows are on other servers there is one scan, which deals them: a part gives its locks back
 * once it has read, and then another transaction may change the rows.  The rows that rate stay with
 * the part, which is asked for their numbers once the model is known (part_message.h).
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
#include "server/release/encoding_choice.h"
#include "server/release/groups.h"
#include "server/release/rating_choice.h"
#include "server/release/trained.h"
#include "server/rows/scan_parts.h"

/* The release while it is rated. */
typedef struct Raters
{
	RatedModel *rated; /* of each group, or one */
	RatingTable *table;
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
	if (rated->rater.intercept)
		mean += *weight;
	rating_set_bins(table, mean, sqrt(variance),
					rating_strength_of(training) * rarity(rated, mean, variance));
}

/* ---- the rows ---- */

static void
add_row(Release *release, int cell, const int32 *x, const RowCount *count)
{
	GATE_CHECK_FOR_INTERRUPTS();
	if (!rater_add(&raters->rated[cell].rater, x, count, &raters->table[cell]))
		elog(ERROR, "a row is none of the model's");
}

/* context: the number of the cell. */
static void
visit_row(void *context, const int32 *x, const RowCount *count)
{
	add_row(NULL, *(const int *) context, x, count);
}

/* An error ends the parts at once, and not at the tick. */
static void
add_dealt(const RatedRows *rows, int models)
{
	PG_TRY();
	{
		for (int i = 0; i < models; i++)
		{
			rows_state_visit(rows->here[i], visit_row, &i);
			raters->table[i].unusable = rows->here[i]->rows.neutral;
			if (rows->parts != NULL)
				scan_parts_rate(rows->parts, i, &raters->rated[i].rater, &raters->table[i]);
		}
	}
	PG_CATCH();
	{
		if (rows->parts != NULL)
			scan_parts_close(rows->parts);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* ---- the table ---- */

/* Bytes that distinct rows may take before they are counted. */
#define RATED_TABLE_BYTES (1024 * 1024)

/* Rows that were dealt in training have its encoding, also of the number that is predicted. */
static void
settle_target(const Training *training, const AnalystTable *opened, RatedModel *rated,
			  RatingTable *table, Encoding *encoding)
{
	table->kind = RATING_RESIDUALS;
	table->cells = 1;
	rated_model_number(rated, opened->label);
	rated_model_residuals(opened, &table->look, encoding);
	table->look.rows_per_person = table->rows_per_person;
	if (train_rating_is_dealt(training))
		rated->rater.target = (RaterLine){encoding_target_middle(training),
										  encoding_target_unit(training) / FIXED_POINT_ONE};
}

/* What is rated, and how rows are encoded for it: but for a number as in training. */
static void
settle(const Training *training, const AnalystTable *opened, RatedModel *rated, RatingTable *table,
	   Encoding *encoding)
{
	rating_begin(training, table);
	rated_model_place(rated, opened->shape.features);
	*encoding = training->encoding;
	if (rated->rater.classes > 0)
	{
		table->kind = RATING_CLASSES;
		table->cells = rated->rater.classes;
	}
	else if (rated->label.is_target)
		settle_target(training, opened, rated, table, encoding);
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
		!rated->rater.intercept)
		return;
	rated_model_range(rated, &opened->features, &lowest, &highest);
	rating_move(table, lowest, highest);
}

static void
draw(Release *release, AnalystTable *opened, Training *training, const MechanismAnswer *answer,
	 const RatedRows *rows)
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
	if (rows != NULL)
		add_dealt(rows, models);
	else
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
	if (training->rating.epsilon > 0 && !training->elsewhere && scan_parts_of(scan) != NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("rows of the table have just been moved to another server"),
						errhint("Try again.")));
}

bool
train_rating_is_dealt(const Training *training)
{
	return training->rating.epsilon > 0 && training->elsewhere;
}

/*
 * Progress and wait events would tell when the solver has ended: the watch sees nothing of this
 * scan, and pg_stat_activity shows the wait event of the solver and of the tick (gate.c) meanwhile.
 */
void
train_rating_draw(Release *release, AnalystTable *opened, Training *training,
				  const MechanismAnswer *answer, const RatedRows *rows)
{
	static uint32 unseen;
	const RunWatch *watch = run_watch;

	raters = palloc0(sizeof(Raters));
	run_watch = NULL;
	pgstat_report_wait_start(PG_WAIT_EXTENSION);
	pgstat_set_wait_event_storage(&unseen);
	PG_TRY();
	{
		draw(release, opened, training, answer, rows);
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
