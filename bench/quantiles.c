/*
 * quantiles.c - rank errors of private quantiles, beside the formulas of others
 * (bench/quantiles.sh).
 *
 * The figures are means, over quantiles, draws and samples, of how many rows the quantile q N lies
 * outside of the ranks of what was released: 0 if it is between the rows below and the rows up to
 * it.  Several samples, because with many equal values all depends on how near the borders of the
 * values are to the quantiles.  Neighbours: add_remove.  The table's last columns are dpobj's
 * figure over the smaller one of OpenDP and the tree, and its standard error from the samples'
 * differences.
 *
 *   halving   dpobj: quantiles_draw()
 *   joint     JointExp (Gillenwater, Joseph and Kulesza 2021): all quantiles by one draw of the
 *             exponential mechanism over the intervals between sorted rows, ties broken by jitter
 *   OpenDP    a noisy maximum with exponential noise for each quantile, with its share of epsilon,
 *             over the same grid, scores as in make_quantile_score_candidates()
 *   tree      noisy counts of a tree of height 4 and 16 branches, as in Google's BoundedQuantiles
 *
 * The others are formulas in doubles, with the sensitivities of their papers or documentation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exponential/quantiles.h"
#include "core/fixture.h"

#include "measure.h"

#define ROWS 10000
#define SAMPLES 12
#define DRAWS 600 /* from a sample, over the number of quantiles */
#define MOST_CELLS ((1 << 20) + 1)

typedef struct Sample
{
	const char *name;
	double low;
	double high;
	bool integer;
	double row[ROWS]; /* sorted */
	int64_t cells;
	int64_t *count;
	int64_t run[2 * ROWS + 2]; /* beginnings of cells with rows and of runs of cells without */
	int runs;
} Sample;

typedef struct Job
{
	const Sample *sample;
	double epsilon;
	int quantiles;
	double q[QUANTILES_MOST];
} Job;

static double
uniform(void)
{
	return between(0, 1);
}

static double
exponential_noise(void)
{
	return -log1p(-uniform());
}

static double
laplace_noise(double scale)
{
	return (below(2) ? scale : -scale) * exponential_noise();
}

static double
normal(void)
{
	return sqrt(2 * exponential_noise()) * cos(2 * M_PI * uniform());
}

/* ---- samples ---- */

static double
uniform_row(void)
{
	return uniform();
}

static double
lognormal_row(void)
{
	return exp(10 + normal());
}

/* A year of birth's worth of people each, fewer from 40 on. */
static double
age_row(void)
{
	return floor(17 + 22 * fabs(normal()) + 8 * uniform());
}

/* Nearly half of the rows are 40, others are round. */
static double
hours_row(void)
{
	static const double share[] = {0.47, 0.09, 0.06, 0.045, 0.04, 0.04, 0.035, 0.02, 0.02};
	static const double value[] = {40, 50, 45, 60, 35, 20, 30, 55, 25};
	double at = uniform();

	for (int i = 0; i < 9; i++)
		if ((at -= share[i]) < 0)
			return value[i];
	return 1 + below(98);
}

static double
step(const Sample *sample)
{
	return (sample->high - sample->low) / (double) (sample->cells - 1);
}

static void
make_sample(Sample *sample, const char *name, double low, double high, bool integer,
			double (*row)(void))
{
	*sample = (Sample){.name = name, .low = low, .high = high, .integer = integer};
	sample->cells = integer ? (int64_t) (high - low) + 1 : MOST_CELLS;
	sample->count = calloc(MOST_CELLS, sizeof(int64_t));
	if (sample->count == NULL)
		abort();
	for (int i = 0; i < ROWS; i++)
	{
		double value = fmin(fmax(row(), low), high);

		sample->row[i] = value;
		sample->count[(int64_t) rint((value - low) / step(sample))]++;
	}
	qsort(sample->row, ROWS, sizeof(double), compare_doubles);
	for (int64_t cell = 0; cell < sample->cells; cell++)
		if (cell == 0 || sample->count[cell] != 0 || sample->count[cell - 1] != 0)
			sample->run[sample->runs++] = cell;
	sample->run[sample->runs] = sample->cells;
}

/* The rows below a value, or up to it. */
static double
rank_of(const Sample *sample, double value, bool inclusive)
{
	int low = 0;
	int high = ROWS;

	while (low < high)
	{
		int middle = (low + high) / 2;

		if (sample->row[middle] < value || (inclusive && sample->row[middle] == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double
rank_error(const Job *job, const double *answer)
{
	double sum = 0;

	for (int i = 0; i < job->quantiles; i++)
	{
		double value = job->sample->integer ? rint(answer[i]) : answer[i];

		sum += fmax(0, fmax(rank_of(job->sample, value, false) - job->q[i] * ROWS,
							job->q[i] * ROWS - rank_of(job->sample, value, true)));
	}
	return sum / job->quantiles;
}

/* ---- the ways ---- */

static void
draw_halving(const Job *job, double *answer)
{
	static int64_t count[MOST_CELLS];
	int64_t cell[QUANTILES_MOST];
	QuantilesRequest request = {
		.quantiles = job->quantiles,
		.cells = job->sample->cells,
		.parts = QUANTILES_PARTS,
		.epsilon = (int64_t) rint(job->epsilon * EPSILON_ONE),
		.adjacency = ADJACENCY_ADD_REMOVE,
		.person = 1,
	};

	for (int i = 0; i < job->quantiles; i++)
		request.quantile[i] = (int32_t) rint(job->q[i] * QUANTILE_ONE);
	memcpy(count, job->sample->count, (size_t) request.cells * sizeof(int64_t));
	quantiles_draw(&request, count, &bits, cell);
	for (int i = 0; i < job->quantiles; i++)
		answer[i] = job->sample->low + (double) cell[i] * step(job->sample);
}

/* The largest of so many exponential draws. */
static double
largest_noise(double draws)
{
	return -log(-expm1(log(uniform()) / draws));
}

static double
noisy_maximum(const Sample *sample, double q, double epsilon)
{
	double rate = epsilon / (2 * fmax(q, 1 - q));
	double best = -INFINITY;
	int64_t answer = 0;
	double under = 0;

	for (int i = 0; i < sample->runs; i++)
	{
		int64_t from = sample->run[i];
		int64_t end = sample->run[i + 1];
		double rows = (double) sample->count[from];
		double noisy;

		noisy = largest_noise((double) (end - from)) -
				rate * fabs((1 - q) * under - q * (ROWS - under - rows));
		if (noisy > best)
		{
			best = noisy;
			answer = from + (int64_t) (uniform() * (double) (end - from));
		}
		under += rows;
	}
	return sample->low + (double) answer * step(sample);
}

static void
draw_opendp(const Job *job, double *answer)
{
	for (int i = 0; i < job->quantiles; i++)
		answer[i] = noisy_maximum(job->sample, job->q[i], job->epsilon / job->quantiles);
}

#define BRANCHES 16
#define TREE_HEIGHT 4
#define LEAVES 65536

static double tree[TREE_HEIGHT + 1][LEAVES];

static void
fill_tree(const Sample *sample, double epsilon)
{
	memset(tree, 0, sizeof(tree));
	for (int i = 0; i < ROWS; i++)
	{
		double place = (sample->row[i] - sample->low) / (sample->high - sample->low) * LEAVES;
		int leaf = place < LEAVES ? (int) place : LEAVES - 1;

		for (int depth = TREE_HEIGHT; depth > 0; depth--, leaf /= BRANCHES)
			tree[depth][leaf]++;
	}
	for (int depth = 1, nodes = BRANCHES; depth <= TREE_HEIGHT; depth++, nodes *= BRANCHES)
		for (int i = 0; i < nodes; i++)
			tree[depth][i] = fmax(0, tree[depth][i] + laplace_noise(TREE_HEIGHT / epsilon));
}

/* The branch that holds the rank, which becomes the rank in it; -1 if none counts. */
static int
find_branch(const double *count, double *rank)
{
	double total = 0;
	double counted = 0;
	double sum = 0;

	for (int i = 0; i < BRANCHES; i++)
		total += count[i];
	for (int i = 0; i < BRANCHES; i++)
		counted += count[i] >= 0.0075 * total ? count[i] : 0;
	for (int i = 0; i < BRANCHES && counted > 0; i++)
	{
		if (count[i] < 0.0075 * total)
			continue;
		sum += count[i];
		if (sum / counted >= *rank - 1e-6)
		{
			*rank = fmin(fmax((*rank * counted - (sum - count[i])) / count[i], 0), 1);
			return i;
		}
	}
	return -1;
}

static void
draw_tree(const Job *job, double *answer)
{
	const Sample *sample = job->sample;

	fill_tree(sample, job->epsilon);
	for (int i = 0; i < job->quantiles; i++)
	{
		double rank = fmin(fmax(job->q[i], 0.005), 0.995);
		double width = 1;
		int node = 0;

		for (int depth = 1; depth <= TREE_HEIGHT; depth++)
		{
			int branch = find_branch(&tree[depth][node * BRANCHES], &rank);

			if (branch < 0)
				break;
			node = node * BRANCHES + branch;
			width /= BRANCHES;
		}
		answer[i] = sample->low + (sample->high - sample->low) * width * (node + rank);
	}
}

/*
 * JointExp.  until[j][i] is the weight of all choices of quantiles 0 .. j with the last of them in
 * interval i and the next one in a later one, entered[j][i] of those whose quantile j is the first
 * in interval i, without its width.
 */
static double entered[QUANTILES_MOST][ROWS + 1];
static double until[QUANTILES_MOST][ROWS + 1];
static double jittered[ROWS + 2];
static double width[ROWS + 1];
static double fall[2 * ROWS + 1];
static double between_rows[QUANTILES_MOST + 1];

static double
joint_factor(int j, int rows)
{
	return fall[(int) fabs(rint(rows - between_rows[j]))];
}

/* The weight that quantiles j - k + 1 .. j are those of interval i. */
static double
run_weight(int j, int k, int i)
{
	double weight = entered[j - k + 1][i] * width[i];

	for (int l = 2; l <= k; l++)
		weight *= joint_factor(j - k + l, 0) * width[i] / l;
	return weight;
}

static void
prepare_joint(const Job *job)
{
	const Sample *sample = job->sample;
	double least = 1;

	for (int j = 0; j <= job->quantiles; j++)
	{
		double gap = (j < job->quantiles ? job->q[j] : 1) - (j > 0 ? job->q[j - 1] : 0);

		least = fmin(least, gap);
		between_rows[j] = gap * ROWS;
	}
	for (int k = 0; k <= 2 * ROWS; k++)
		fall[k] = exp(-job->epsilon * k / (4 * (1 - least)));
	jittered[0] = sample->low - 1e-6;
	jittered[ROWS + 1] = sample->high + 1e-6;
	for (int i = 0; i < ROWS; i++)
		jittered[i + 1] = sample->row[i] + (sample->integer ? 1 : 1e-7) * (uniform() - 0.5);
	qsort(jittered + 1, ROWS, sizeof(double), compare_doubles);
	for (int i = 0; i <= ROWS; i++)
		width[i] = (jittered[i + 1] - jittered[i]) / (sample->high - sample->low) * ROWS;
	for (int j = 0; j < job->quantiles; j++)
		for (int i = 0; i <= ROWS; i++)
		{
			entered[j][i] = j == 0 ? joint_factor(0, i) : 0;
			for (int h = 0; h < i && j > 0; h++)
				entered[j][i] += until[j - 1][h] * joint_factor(j, i - h);
			until[j][i] = 0;
			for (int k = 1; k <= j + 1; k++)
				until[j][i] += run_weight(j, k, i);
		}
}

static int
draw_weighted(const double *weight, int count)
{
	double total = 0;
	double point;

	for (int i = 0; i < count; i++)
		total += weight[i];
	point = uniform() * total;
	for (int i = 0; i < count; i++)
		if ((point -= weight[i]) < 0)
			return i;
	return count - 1;
}

static void
draw_joint(const Job *job, double *answer)
{
	double weight[ROWS + 1];
	int end = ROWS + 1;
	int next = ROWS;

	for (int j = job->quantiles - 1; j >= 0;)
	{
		double run[QUANTILES_MOST];
		int interval;
		int taken;

		for (int i = 0; i < end; i++)
			weight[i] = until[j][i] * joint_factor(j + 1, next - i);
		interval = draw_weighted(weight, end);
		for (int k = 1; k <= j + 1; k++)
			run[k - 1] = run_weight(j, k, interval);
		taken = 1 + draw_weighted(run, j + 1);
		for (int k = 0; k < taken; k++)
			answer[j - k] =
				jittered[interval] + uniform() * (jittered[interval + 1] - jittered[interval]);
		qsort(answer + j - taken + 1, (size_t) taken, sizeof(double), compare_doubles);
		j -= taken;
		next = end = interval;
	}
}

/* ---- the table ---- */

static double
mean_error(const Job *job, void (*draw)(const Job *, double *), int draws)
{
	double sum = 0;

	for (int k = 0; k < draws; k++)
	{
		double answer[QUANTILES_MOST];

		draw(job, answer);
		sum += rank_error(job, answer);
	}
	return sum / draws;
}

/* Each way's error is a mean over samples. */
static void
print_line(const Sample *samples, int quantiles, double epsilon)
{
	static void (*const ways[])(const Job *, double *) = {draw_halving, draw_joint, draw_opendp,
														  draw_tree};
	double error[4][SAMPLES];
	double mean[4] = {0};
	double variance = 0;
	int best;

	for (int k = 0; k < SAMPLES; k++)
	{
		Job job = {.sample = &samples[k], .epsilon = epsilon, .quantiles = quantiles};

		for (int i = 0; i < quantiles; i++)
			job.q[i] = (i + 1.0) / (quantiles + 1);
		prepare_joint(&job);
		for (int way = 0; way < 4; way++)
		{
			error[way][k] = mean_error(&job, ways[way], DRAWS / quantiles);
			mean[way] += error[way][k] / SAMPLES;
		}
	}
	best = mean[2] < mean[3] ? 2 : 3;
	for (int k = 0; k < SAMPLES; k++)
		variance += pow(error[0][k] - error[best][k] - mean[0] + mean[best], 2) /
					(SAMPLES * (SAMPLES - 1.0));
	printf("%-10s %4d %7g %9.3f %9.3f %9.3f %9.3f", samples[0].name, quantiles, epsilon, mean[0],
		   mean[1], mean[2], mean[3]);
	if (mean[best] > 0)
		printf(" %8.2f +- %.2f\n", mean[0] / mean[best], sqrt(variance) / mean[best]);
	else
		printf(" %8s\n", "-");
	fflush(stdout);
}

static void
print_values(const char *name, double low, double high, bool integer, double (*row)(void))
{
	static Sample samples[SAMPLES];
	static const int counts[] = {1, 3, 9, 19};

	for (int k = 0; k < SAMPLES; k++)
		make_sample(&samples[k], name, low, high, integer, row);
	for (int c = 0; c < 4; c++)
		for (int e = 0; e < 2; e++)
			print_line(samples, counts[c], e == 0 ? 0.1 : 1);
	for (int k = 0; k < SAMPLES; k++)
		free(samples[k].count);
}

/* A value's name as an argument: this one alone. */
int
main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : "uniform lognormal age hours";

	test_begin(1);
	printf("rank errors, %d samples of %d rows\n", SAMPLES, ROWS);
	printf("%-10s %4s %7s %9s %9s %9s %9s %8s\n", "values", "q's", "epsilon", "halving", "joint",
		   "OpenDP", "tree", "ratio");
	if (strstr(only, "uniform") != NULL)
		print_values("uniform", 0, 1, false, uniform_row);
	if (strstr(only, "lognormal") != NULL)
		print_values("lognormal", 0, 1e6, false, lognormal_row);
	if (strstr(only, "age") != NULL)
		print_values("age", 0, 120, true, age_row);
	if (strstr(only, "hours") != NULL)
		print_values("hours", 0, 100, true, hours_row);
	arena_destroy(arena);
	return 0;
}
