/*
 * ranking.c - private rivals of dpobj.train that add up columns or trees: a library of bench/ranking.py,
 * which encodes the columns, names the settings and rates the scores.
 *
 * Noise is normal, and releases compose as Gaussian differential privacy: squares of mu add up.  Noise
 * and sums are floating point: these programs are for comparison, and keep no promise.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "accuracy_gauss.h"

#define MOST_LEVELS 64
#define MOST_WEIGHTS 512

/* The training rows come first; codes and numbers are column by column. */
typedef struct Set
{
	long rows;
	long training;
	int columns;
	int weights;
	int groups;          /* columns of levels or bins */
	double squares;      /* the squared length of a row's numbers is at most this */
	const int *levels;   /* of a column; 0: a number */
	const int *ordered;  /* a column's levels are bins */
	const double *bound; /* of a number */
	const int *first;    /* a column's first weight */
	const uint8_t *code;
	const float *number;
	const uint8_t *label;
	float *score;
	float *residual;
	uint8_t *leaf;
} Set;

static Set set;
static bool replace;
static double mu;
static double count_reach; /* of neighbours' counts, in L2 */
static uint64_t random_state;
static float weight[MOST_WEIGHTS]; /* that after the columns' is the constant */

static void
score_rows(void)
{
	for (int r = 0; r < set.rows; r++)
		set.score[r] = weight[set.weights];
	for (int j = 0; j < set.columns; j++)
	{
		const float *own = weight + set.first[j];
		const uint8_t *code = set.code + j * set.rows;

		if (set.levels[j] > 0)
			for (int r = 0; r < set.rows; r++)
				set.score[r] += own[code[r]];
		else
			for (int r = 0; r < set.rows; r++)
				set.score[r] += own[0] * set.number[j * set.rows + r];
	}
}

static void
sum_residuals(double *sum)
{
	memset(sum, 0, MOST_WEIGHTS * sizeof(double));
	for (int r = 0; r < set.training; r++)
		sum[set.weights] += (double) set.residual[r];
	for (int j = 0; j < set.columns; j++)
	{
		double *own = sum + set.first[j];
		const uint8_t *code = set.code + j * set.rows;

		if (set.levels[j] > 0)
			for (int r = 0; r < set.training; r++)
				own[code[r]] += (double) set.residual[r];
		else
			for (int r = 0; r < set.training; r++)
				own[0] += (double) (set.residual[r] * set.number[j * set.rows + r]);
	}
}

/* ---- noise ---- */

static double
unit(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return ((double) ((z ^ (z >> 31)) >> 11) + 0.5) / 0x1p53;
}

static double
normal(double sd)
{
	double length = sqrt(-2 * log(unit()));

	return sd * length * cos(2 * 3.14159265358979323846 * unit());
}

/* The deviation of a release that has a share of mu's square. */
static double
deviation(double reach, double share)
{
	return reach / (mu * sqrt(share));
}

/* ---- clipped residuals, the base rate, counts of bins ---- */

enum
{
	FULL,   /* as residuals are */
	HALVED, /* to -.5 .. .5 */
	SKEWED  /* to a range of width 1 which lets the rarer label pull harder */
};

static double low; /* the clip of residuals */
static double high;

static void
set_clip(int which, double share)
{
	double skew = which != SKEWED ? 0 : share < 0.35 ? 0.2 : share > 0.65 ? -0.2 : 0;

	low = which == FULL ? -1 : -0.5 + skew;
	high = which == FULL ? 1 : 0.5 + skew;
}

/*
 * How far neighbours' sums of residuals differ, in L2: over bins of some columns, some constants, and
 * numbers of a squared length.  Under replace the residuals' signs agree, while bins differ and numbers
 * are opposite; or signs differ, and their distance is at most the clip's width.
 */
static double
reach(double bins, double ones, double squares)
{
	double most = fmax(-low, high);
	double width = high - low;

	if (!replace)
		return most * sqrt(bins + ones + squares);
	return sqrt(fmax(most * most * (2 * bins + ones + 4 * squares),
					 width * width * (bins + ones + squares)));
}

static void
fill_residuals(void)
{
	for (int r = 0; r < set.training; r++)
	{
		float p = 1 / (1 + expf(-fminf(fmaxf(set.score[r], -40), 40)));

		set.residual[r] = fminf(fmaxf((float) set.label[r] - p, (float) low), (float) high);
	}
}

#define BASE_SHARE 0.02

typedef struct Base
{
	double rows;
	float logit; /* of the share of positive labels */
} Base;

/* Residuals are clipped by it. */
static Base
noisy_base(int which)
{
	double sd = deviation(count_reach, BASE_SHARE);
	double count[2] = {0};
	double share;
	Base base;

	for (int r = 0; r < set.training; r++)
		count[set.label[r]]++;
	for (int y = 0; y < 2; y++)
		count[y] = fmax(count[y] + normal(sd), 1);
	base.rows = count[0] + count[1];
	share = fmin(fmax(count[1] / base.rows, 0.005), 0.995);
	base.logit = (float) log(share / (1 - share));
	set_clip(which, share);
	return base;
}

/* Returns the least count, which is above three deviations. */
static double
noisy_counts(double share, double *count)
{
	double sd = deviation(count_reach * sqrt(set.groups), share);

	memset(count, 0, MOST_WEIGHTS * sizeof(double));
	for (int j = 0; j < set.columns; j++)
		for (int r = 0; set.levels[j] > 0 && r < set.training; r++)
			count[set.first[j] + set.code[j * set.rows + r]]++;
	for (int k = 0; k < set.weights; k++)
		count[k] = fmax(count[k] + normal(sd), 3 * sd + 1);
	return 3 * sd + 1;
}

double
ranking_begin(const Set *asked, double epsilon, double delta, int replaces, uint64_t seed)
{
	set = *asked;
	mu = gaussian_mu(epsilon, delta);
	replace = replaces != 0;
	count_reach = replace ? sqrt(2) : 1;
	random_state = seed;
	memset(weight, 0, sizeof(weight));
	return mu;
}

/* ---- noisy gradient descent on all rows, with momentum ---- */

/* informed: from the noisy base rate, and each weight's steps by the noisy count of its bin. */
void
ranking_descent(int informed, int which, int rounds, double rate, double momentum)
{
	double pace = rate * (1 - momentum) / (set.groups + 1 + set.squares);
	double counts = informed && set.groups > 0 ? 0.05 : 0;
	Base base = noisy_base(which);
	double sd = deviation(reach(set.groups, 1, set.squares), (1 - BASE_SHARE - counts) / rounds);
	double count[MOST_WEIGHTS];
	double sum[MOST_WEIGHTS];
	double speed[MOST_WEIGHTS] = {0};

	if (counts > 0)
		noisy_counts(counts, count);
	for (int j = 0; j < set.columns; j++)
		if (set.levels[j] == 0)
			count[set.first[j]] = base.rows * set.bound[j] * set.bound[j] / 3;
	for (int k = 0; k <= set.weights; k++)
		count[k] = informed && k < set.weights ? count[k] : base.rows;
	weight[set.weights] = informed ? base.logit : 0;
	for (int t = 0; t < rounds; t++)
	{
		score_rows();
		fill_residuals();
		sum_residuals(sum);
		for (int k = 0; k <= set.weights; k++)
		{
			speed[k] = momentum * speed[k] + pace * (sum[k] + normal(sd)) / count[k];
			weight[k] += (float) speed[k];
		}
	}
	score_rows();
}

/* ---- DP-EBM (Nori et al. 2021): boosting of one column at a time, at random cuts ---- */

#define EBM_LEAVES 3
#define EBM_COUNTS_SHARE 0.1

/* Intervals of an ordered column, random sets of levels of another. */
static void
draw_leaves(int j, int leaves, int *leaf)
{
	bool cut[MOST_LEVELS] = {false};
	bool every = set.levels[j] <= leaves;

	for (int made = 1; made < (every ? set.levels[j] : leaves);)
	{
		int at = 1 + (int) (unit() * (set.levels[j] - 1));

		made += !cut[at];
		cut[at] = true;
	}
	for (int k = 0, now = 0; k < set.levels[j]; k++)
	{
		now += cut[k];
		leaf[k] = set.ordered[j] || every ? now : (int) (unit() * leaves);
	}
}

static void
boost_column(int j, const double *count, double least, double pace, double sd)
{
	const uint8_t *code = set.code + j * set.rows;
	double in_leaf[EBM_LEAVES] = {0};
	double of_leaf[EBM_LEAVES] = {0};
	int leaf[MOST_LEVELS];

	draw_leaves(j, EBM_LEAVES, leaf);
	fill_residuals();
	for (int k = 0; k < set.levels[j]; k++)
		in_leaf[leaf[k]] += count[set.first[j] + k];
	for (int r = 0; r < set.training; r++)
		of_leaf[leaf[code[r]]] += (double) set.residual[r];
	for (int l = 0; l < EBM_LEAVES; l++)
		of_leaf[l] = pace * (of_leaf[l] + normal(sd)) / fmax(in_leaf[l], least);
	for (int r = 0; r < set.rows; r++)
		set.score[r] += (float) of_leaf[leaf[code[r]]];
}

/* travel: rounds times rate; others' programs have 300, 3 and FULL by default */
void
ranking_ebm(int which, int rounds, double travel)
{
	Base base = noisy_base(which);
	double share = (1 - BASE_SHARE - EBM_COUNTS_SHARE) / rounds / set.columns;
	double sd = deviation(reach(1, 0, 0), share);
	double count[MOST_WEIGHTS];
	double least = noisy_counts(EBM_COUNTS_SHARE, count);

	weight[set.weights] = which == FULL ? 0 : base.logit;
	score_rows();
	for (int t = 0; t < rounds; t++)
		for (int j = 0; j < set.columns; j++)
			boost_column(j, count, least, travel / rounds, sd);
}

/* ---- boosted trees of random tests, one test for each depth ---- */

#define TREE_LEAVES 32
#define TREE_COUNTS_SHARE 0.2

static void
draw_tree(int depth)
{
	memset(set.leaf, 0, (size_t) set.rows);
	for (int d = 0; d < depth; d++)
	{
		int j = (int) (unit() * set.columns);
		const uint8_t *code = set.code + j * set.rows;
		int side[MOST_LEVELS];

		draw_leaves(j, 2, side);
		for (int r = 0; r < set.rows; r++)
			set.leaf[r] = (uint8_t) (2 * set.leaf[r] + side[code[r]]);
	}
}

void
ranking_trees(int which, int depth, int rounds, double travel)
{
	Base base = noisy_base(which);
	double share = (1 - BASE_SHARE) / rounds;
	double counted = deviation(count_reach, share * TREE_COUNTS_SHARE);
	double sd = deviation(reach(1, 0, 0), share * (1 - TREE_COUNTS_SHARE));

	weight[set.weights] = base.logit;
	score_rows();
	for (int t = 0; t < rounds; t++)
	{
		double sum[TREE_LEAVES] = {0};
		double count[TREE_LEAVES] = {0};
		float step[TREE_LEAVES];

		draw_tree(depth);
		fill_residuals();
		for (int r = 0; r < set.training; r++)
		{
			sum[set.leaf[r]] += (double) set.residual[r];
			count[set.leaf[r]]++;
		}
		for (int l = 0; l < TREE_LEAVES; l++)
			step[l] = (float) (travel / rounds * (sum[l] + normal(sd)) /
							   fmax(count[l] + normal(counted), 2 * counted + 1));
		for (int r = 0; r < set.rows; r++)
			set.score[r] += step[set.leaf[r]];
	}
}
