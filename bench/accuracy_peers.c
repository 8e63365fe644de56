/*
 * accuracy_peers.c - what others' private linear models reach when they are tuned on the very data.
 *
 *   accuracy_peers FOLDER [SET [TEXT [EPSILON]]]    as bench/accuracy.c, and prints the same lines
 *
 * Nobody could choose these settings privately: the rows are marks to compare with.
 *
 *   CMS11  objective perturbation (Chaudhuri, Monteleoni and Sarwate 2011, algorithm 2): rows
 *          shortened to a clip, noise of the L2 norm's gamma law, delta 0, under replace.  Grid: 3
 *          clips x 9 lambdas.
 *   GD     noisy gradient descent on all rows (Gaussian noise, composed exactly as Gaussian
 *          differential privacy, delta 1 / n^2): gradients of rows clipped, under replace and under
 *          add_remove.  Grid: 3 clips x 4 numbers of rounds x 4 steps x 2 momenta x (last weights
 *          or the mean of the last half).
 *
 * Tuning: FIRST_RUNS runs of each setting; MORE_RUNS more of the best sixth; the best of them is
 * measured by FINAL_RUNS runs of their own.  Noise and sums are floating point: these programs are
 * for comparison, and keep no promise.
 */
#include "accuracy_gauss.h"
#include "accuracy_set.h"

#define FIRST_RUNS 3
#define MORE_RUNS 9
#define FINAL_RUNS 30

#define BLOCK 128 /* rows that are worked on together; column by column they fit into the cache */
#define VARIANTS 2
#define MOST_SETTINGS 96
#define CLIPS 3
#define NEWTON_STEPS 15
#define NEWTON_GAP 1e-3 /* of the summed loss */
#define WIDEST GRID_MAX_DIMENSION
#define OPEN_ROW "logistic regression, not private"

static const char *const sets[] = {"adult23",  "cont15", "cont20sep", "onehot30", "mixed30",
								   "sparse40", "magic",  "german",    "full"};

/* ---- rows, a block at a time ---- */

typedef struct Peer
{
	const AccuracySet *set;
	int dimension;
	int blocks;
	float *x;        /* [block][column][BLOCK] */
	float *positive; /* labels of a row; 0 for both beyond the last row */
	float *negative;
	float *norm;
	float *clip; /* of this run: the longest row, or gradient, over the row's norm; at most 1 */
	double longest;
	double middle; /* the median norm */
} Peer;

static void
fill_rows(Peer *peer, const Instance *rows, double *norms)
{
	for (int64_t r = 0, label = 0; r < rows->rows; r++)
	{
		float *column = peer->x + r / BLOCK * peer->dimension * BLOCK + r % BLOCK;
		double sum = 0;

		for (int j = 0; j < peer->dimension; j++)
		{
			double value = (double) rows->x[r * rows->dimension + j] / FIXED_POINT_ONE;

			column[(int64_t) j * BLOCK] = (float) value;
			sum += value * value;
		}
		peer->positive[r] = (float) rows->positive[r];
		peer->negative[r] = (float) rows->negative[r];
		peer->norm[r] = (float) sqrt(sum);
		peer->longest = fmax(peer->longest, sqrt(sum));
		for (int64_t i = rows->positive[r] + rows->negative[r]; i > 0; i--)
			norms[label++] = sqrt(sum);
	}
}

static void
peer_make(Peer *peer, const AccuracySet *set, Memory *memory)
{
	const Instance *rows = &set->labelled;
	int64_t labels = 0;
	double *norms;
	size_t room;

	for (int64_t r = 0; r < rows->rows; r++)
		labels += rows->positive[r] + rows->negative[r];
	norms = memory_allocate(memory, (size_t) labels, sizeof(double));
	*peer = (Peer){.set = set,
				   .dimension = set->dimension,
				   .blocks = (int) ((rows->rows + BLOCK - 1) / BLOCK)};
	room = (size_t) peer->blocks * BLOCK;
	peer->x = memory_allocate_zero(memory, room * (size_t) set->dimension, sizeof(float));
	peer->positive = memory_allocate_zero(memory, room, sizeof(float));
	peer->negative = memory_allocate_zero(memory, room, sizeof(float));
	peer->norm = memory_allocate_zero(memory, room, sizeof(float));
	peer->clip = memory_allocate_zero(memory, room, sizeof(float));
	fill_rows(peer, rows, norms);
	peer->middle = median(norms, (int) labels);
}

/* The clips of both grids: the longest row, the median one, and shares of that. */
static double
clip_of(const Peer *peer, int choice)
{
	static const double shares[CLIPS] = {0, 1, 0.5};

	return choice == 0 ? peer->longest : shares[choice] * peer->middle;
}

static void
block_scores(const Peer *peer, int block, const float *weight, float *score)
{
	const float *x = peer->x + (size_t) block * (size_t) peer->dimension * BLOCK;

	memset(score, 0, BLOCK * sizeof(float));
	for (int j = 0; j < peer->dimension; j++, x += BLOCK)
		for (int r = 0; r < BLOCK; r++)
			score[r] += weight[j] * x[r];
}

static float
block_dot(const float *left, const float *right)
{
	float sum = 0;

	for (int r = 0; r < BLOCK; r++)
		sum += left[r] * right[r];
	return sum;
}

static double
accuracy_of_weights(const Peer *peer, const float *weight)
{
	double mistakes = 0;
	float score[BLOCK];

	for (int b = 0; b < peer->blocks; b++)
	{
		const float *positive = peer->positive + (size_t) b * BLOCK;
		const float *negative = peer->negative + (size_t) b * BLOCK;
		float sum = 0;

		block_scores(peer, b, weight, score);
		for (int r = 0; r < BLOCK; r++)
			sum += score[r] > 0 ? negative[r] : positive[r];
		mistakes += (double) sum;
	}
	return 100 * (1 - mistakes / (double) peer->set->rows);
}

/* ---- noise ---- */

static double
unit_draw(TestStream *stream)
{
	return teststream_between(stream, 0x1p-54, 1);
}

static double
normal_draw(TestStream *stream)
{
	double length = sqrt(-2 * log(unit_draw(stream)));

	return length * cos(2 * 3.14159265358979323846 * unit_draw(stream));
}

/* Density proportional to exp(-norm / scale): a gamma length in a uniform direction. */
static void
draw_gamma_vector(TestStream *stream, int dimension, double scale, double *noise)
{
	double length = 0;
	double squares = 0;

	for (int j = 0; j < dimension; j++)
	{
		length -= log(unit_draw(stream));
		noise[j] = normal_draw(stream);
		squares += noise[j] * noise[j];
	}
	for (int j = 0; j < dimension; j++)
		noise[j] *= scale * length / sqrt(squares);
}

/* ---- objective perturbation ---- */

/* The summed loss, its gradient and its Hessian (lower half) at weights. */
typedef struct Slope
{
	double loss;
	double gradient[WIDEST];
	double hessian[WIDEST][WIDEST];
} Slope;

/* A block's losses; per row the slope and curvature of its loss by the score, clip included. */
static double
block_loss(const Peer *peer, int block, const float *weight, float *slope, float *curvature)
{
	const float *positive = peer->positive + (size_t) block * BLOCK;
	const float *negative = peer->negative + (size_t) block * BLOCK;
	const float *clip = peer->clip + (size_t) block * BLOCK;
	float score[BLOCK];
	float sum = 0;

	block_scores(peer, block, weight, score);
	for (int r = 0; r < BLOCK; r++)
	{
		float margin = score[r] * clip[r];
		float tail = expf(-fabsf(margin));
		float likely = (margin > 0 ? 1 : tail) / (1 + tail);
		float both = positive[r] + negative[r];

		sum += both * (logf(1 + tail) + fmaxf(margin, 0)) - positive[r] * margin;
		slope[r] = clip[r] * (both * likely - positive[r]);
		curvature[r] = clip[r] * clip[r] * both * likely * (1 - likely);
	}
	return (double) sum;
}

static void
slope_at(const Peer *peer, const float *weight, Slope *at)
{
	int d = peer->dimension;
	float slope[BLOCK];
	float curvature[BLOCK];
	float curved[BLOCK];

	memset(at, 0, sizeof(*at));
	for (int b = 0; b < peer->blocks; b++)
	{
		const float *x = peer->x + (size_t) b * (size_t) d * BLOCK;

		at->loss += block_loss(peer, b, weight, slope, curvature);
		for (int j = 0; j < d; j++)
		{
			const float *column = x + (size_t) j * BLOCK;

			at->gradient[j] += (double) block_dot(slope, column);
			for (int r = 0; r < BLOCK; r++)
				curved[r] = curvature[r] * column[r];
			for (int k = 0; k <= j; k++)
				at->hessian[j][k] += (double) block_dot(curved, x + (size_t) k * BLOCK);
		}
	}
}

static void
add_regular(const float *weight, double lambda, const double *noise, int d, Slope *at)
{
	for (int j = 0; j < d; j++)
	{
		double w = (double) weight[j];

		at->loss += lambda / 2 * w * w + noise[j] * w;
		at->gradient[j] += lambda * w + noise[j];
		at->hessian[j][j] += lambda;
	}
}

/* Solves hessian step = gradient by Cholesky's factors, which replace the Hessian. */
static void
newton_step(Slope *at, int d, double *step)
{
	for (int i = 0; i < d; i++)
		for (int j = 0; j <= i; j++)
		{
			double value = at->hessian[i][j];

			for (int k = 0; k < j; k++)
				value -= at->hessian[i][k] * at->hessian[j][k];
			at->hessian[i][j] = i == j ? sqrt(fmax(value, 1e-9)) : value / at->hessian[j][j];
		}
	for (int i = 0; i < d; i++)
	{
		step[i] = at->gradient[i];
		for (int k = 0; k < i; k++)
			step[i] -= at->hessian[i][k] * step[k];
		step[i] /= at->hessian[i][i];
	}
	for (int i = d - 1; i >= 0; i--)
	{
		for (int k = i + 1; k < d; k++)
			step[i] -= at->hessian[k][i] * step[k];
		step[i] /= at->hessian[i][i];
	}
}

/* Newton's method from 0 with halved steps. */
static void
minimise(const Peer *peer, double lambda, const double *noise, float *weight)
{
	int d = peer->dimension;
	Slope now;
	Slope then;

	memset(weight, 0, (size_t) d * sizeof(float));
	slope_at(peer, weight, &now);
	add_regular(weight, lambda, noise, d, &now);
	for (int i = 0; i < NEWTON_STEPS; i++)
	{
		double step[WIDEST];
		float next[WIDEST];
		double gain = 0;
		double share = 2;

		newton_step(&now, d, step);
		for (int j = 0; j < d; j++)
			gain += now.gradient[j] * step[j];
		if (gain < NEWTON_GAP)
			return;
		do
		{
			share /= 2;
			for (int j = 0; j < d; j++)
				next[j] = weight[j] - (float) (share * step[j]);
			slope_at(peer, next, &then);
			add_regular(next, lambda, noise, d, &then);
		} while (then.loss > now.loss - 1e-4 * share * gain && share > 1e-3);
		memcpy(weight, next, sizeof(next));
		now = then;
	}
}

static const double cms_lambdas[] = {0.1, 0.316, 1, 3.16, 10, 31.6, 100, 316, 1000};
#define CMS_LAMBDAS 9
#define CMS_SETTINGS (CLIPS * CMS_LAMBDAS)

/*
 * Rows of norm 1 at most, curvature at most 1/4.  Lambda is for the sum: epsilon' is epsilon -
 * 2 ln(1 + 1 / (4 lambda)), and lambda grows until that is at least half of epsilon; the noise has
 * density proportional to exp(-epsilon' norm / 2).
 */
static void
run_cms(Peer *peer, double epsilon, int setting, TestStream *stream, double *accuracy)
{
	double lambda = cms_lambdas[setting % CMS_LAMBDAS];
	double clip = clip_of(peer, setting / CMS_LAMBDAS);
	double left = epsilon - 2 * log1p(0.25 / lambda);
	double noise[WIDEST];
	float weight[WIDEST];

	if (left < epsilon / 2)
	{
		lambda = fmax(lambda, 0.25 / expm1(epsilon / 4));
		left = epsilon / 2;
	}
	for (int r = 0; r < peer->blocks * BLOCK; r++)
		peer->clip[r] = (float) (1 / fmax(clip, (double) peer->norm[r]));
	draw_gamma_vector(stream, peer->dimension, 2 / left, noise);
	minimise(peer, lambda, noise, weight);
	accuracy[0] = accuracy_of_weights(peer, weight);
}

/* ---- gradient descent ---- */

static const double gd_steps[] = {1.5, 5, 15, 45}; /* 1: the median row's curvature */
static const int gd_rounds[] = {5, 20, 60, 200};
#define GD_STEPS 4
#define GD_ROUNDS 4
#define GD_SETTINGS (2 * CLIPS * GD_ROUNDS * GD_STEPS)
#define GD_MOMENTUM 0.9

/* The summed gradient, that of each label's loss no longer than the clip. */
static void
clipped_gradient(const Peer *peer, const float *weight, double *gradient)
{
	int d = peer->dimension;
	float score[BLOCK];
	float slope[BLOCK];

	memset(gradient, 0, (size_t) d * sizeof(double));
	for (int b = 0; b < peer->blocks; b++)
	{
		const float *x = peer->x + (size_t) b * (size_t) d * BLOCK;
		const float *positive = peer->positive + (size_t) b * BLOCK;
		const float *negative = peer->negative + (size_t) b * BLOCK;
		const float *clip = peer->clip + (size_t) b * BLOCK;

		block_scores(peer, b, weight, score);
		for (int r = 0; r < BLOCK; r++)
		{
			float likely = 1 / (1 + expf(-fmaxf(score[r], -80)));

			slope[r] =
				negative[r] * fminf(likely, clip[r]) - positive[r] * fminf(1 - likely, clip[r]);
		}
		for (int j = 0; j < d; j++)
			gradient[j] += (double) block_dot(slope, x + (size_t) j * BLOCK);
	}
}

static void
run_gd(Peer *peer, double epsilon, int setting, double reach, TestStream *stream, double *accuracy)
{
	int rounds = gd_rounds[setting / GD_STEPS % GD_ROUNDS];
	double clip = clip_of(peer, setting / GD_STEPS / GD_ROUNDS % CLIPS);
	double rows = (double) peer->set->rows;
	double step = gd_steps[setting % GD_STEPS] * 4 / (peer->middle * peer->middle * rows);
	double scale = reach * clip * sqrt(rounds) / gaussian_mu(epsilon, 1 / (rows * rows));
	double momentum = setting < GD_SETTINGS / 2 ? 0 : GD_MOMENTUM;
	double pace[WIDEST] = {0};
	float weight[WIDEST] = {0};
	float mean[WIDEST] = {0};

	for (int r = 0; r < peer->blocks * BLOCK; r++)
		peer->clip[r] = (float) (clip / fmax(peer->norm[r], 1e-9));
	for (int t = 0; t < rounds; t++)
	{
		double gradient[WIDEST];

		clipped_gradient(peer, weight, gradient);
		for (int j = 0; j < peer->dimension; j++)
		{
			pace[j] = momentum * pace[j] - step * (gradient[j] + scale * normal_draw(stream));
			weight[j] += (float) pace[j];
			mean[j] += t >= rounds / 2 ? weight[j] : 0;
		}
	}
	accuracy[0] = accuracy_of_weights(peer, weight);
	accuracy[1] = accuracy_of_weights(peer, mean);
}

static void
run_gd_replace(Peer *peer, double epsilon, int setting, TestStream *stream, double *accuracy)
{
	run_gd(peer, epsilon, setting, 2, stream, accuracy);
}

static void
run_gd_add_remove(Peer *peer, double epsilon, int setting, TestStream *stream, double *accuracy)
{
	run_gd(peer, epsilon, setting, 1, stream, accuracy);
}

/* ---- tuning ---- */

typedef struct Line
{
	const char *name;
	int settings;
	int variants; /* answers of one run */
	void (*run)(Peer *peer, double epsilon, int setting, TestStream *stream, double *accuracy);
} Line;

static const Line lines[] = {
	{"CMS11, tuned on the data", CMS_SETTINGS, 1, run_cms},
	{"noisy gradient descent, tuned on the data", GD_SETTINGS, 2, run_gd_replace},
	{"noisy gradient descent, tuned on the data, add_remove", GD_SETTINGS, 2, run_gd_add_remove},
};

/* Sums of a setting's runs. */
typedef struct Tried
{
	int setting;
	int runs;
	double sum[VARIANTS];
	double squares[VARIANTS];
} Tried;

static void
try_setting(Peer *peer, const Line *line, double epsilon, int runs, TestStream *stream,
			Tried *tried)
{
	for (int i = 0; i < runs; i++)
	{
		double accuracy[VARIANTS] = {0};

		line->run(peer, epsilon, tried->setting, stream, accuracy);
		for (int v = 0; v < line->variants; v++)
		{
			tried->sum[v] += accuracy[v];
			tried->squares[v] += accuracy[v] * accuracy[v];
		}
	}
	tried->runs += runs;
}

static int
best_variant(const Tried *tried)
{
	return tried->sum[1] > tried->sum[0] ? 1 : 0;
}

static int
compare_tried(const void *left, const void *right)
{
	const Tried *a = left;
	const Tried *b = right;
	double x = a->sum[best_variant(a)] / a->runs;
	double y = b->sum[best_variant(b)] / b->runs;

	return (x < y) - (x > y);
}

static Accuracy
measure_peer(Peer *peer, const Line *line, double epsilon)
{
	Tried tried[MOST_SETTINGS] = {{0}};
	double began;
	Accuracy accuracy;
	TestStream stream;
	int kept = line->settings / 6;
	int best;

	teststream_seed(&stream, 7);
	for (int s = 0; s < line->settings; s++)
	{
		tried[s] = (Tried){.setting = s};
		try_setting(peer, line, epsilon, FIRST_RUNS, &stream, &tried[s]);
	}
	qsort(tried, (size_t) line->settings, sizeof(Tried), compare_tried);
	for (int s = 0; s < kept; s++)
		try_setting(peer, line, epsilon, MORE_RUNS, &stream, &tried[s]);
	qsort(tried, (size_t) kept, sizeof(Tried), compare_tried);
	best = best_variant(&tried[0]);
	tried[0] = (Tried){.setting = tried[0].setting};
	began = seconds_now();
	try_setting(peer, line, epsilon, FINAL_RUNS, &stream, &tried[0]);
	accuracy_finish(&accuracy, tried[0].sum[best], tried[0].squares[best], FINAL_RUNS);
	accuracy.seconds = (seconds_now() - began) / FINAL_RUNS;
	return accuracy;
}

/* Without privacy, which no epsilon describes. */
static Accuracy
measure_open(Peer *peer)
{
	double began = seconds_now();
	double noise[WIDEST] = {0};
	float weight[WIDEST];

	for (int r = 0; r < peer->blocks * BLOCK; r++)
		peer->clip[r] = 1;
	minimise(peer, 1e-3, noise, weight);
	return (Accuracy){.mean = accuracy_of_weights(peer, weight),
					  .sd = (double) NAN,
					  .seconds = seconds_now() - began};
}

static void
print_set(const AccuracyAsk *ask, const char *name)
{
	Arena *arena = arena_create(check_out_of_memory);
	AccuracySet set;
	Accuracy accuracy;
	Peer peer;

	accuracy_set_read(&set, ask->folder, name, arena_memory(arena));
	peer_make(&peer, &set, arena_memory(arena));
	if (accuracy_is_asked(ask, OPEN_ROW, INFINITY))
	{
		accuracy = measure_open(&peer);
		accuracy_print(name, "open", OPEN_ROW, INFINITY, NULL, &accuracy);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (int e = 0; e < ACCURACY_EPSILONS; e++)
			if (accuracy_is_asked(ask, lines[i].name, accuracy_epsilons[e]))
			{
				accuracy = measure_peer(&peer, &lines[i], accuracy_epsilons[e]);
				accuracy_print(name, "peer", lines[i].name, accuracy_epsilons[e], NULL, &accuracy);
			}
	arena_destroy(arena);
}

int
main(int argc, char **argv)
{
	AccuracyAsk ask = accuracy_ask(argc, argv);

	for (size_t s = 0; s < sizeof(sets) / sizeof(sets[0]); s++)
		if (accuracy_is_set_asked(&ask, sets[s]))
			print_set(&ask, sets[s]);
	return 0;
}
