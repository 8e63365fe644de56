/*
 * lp_bound.c - is GLPK's LP a better bound than ours where ours is loose?
 *
 * Usage: lp_bound [seconds] [folder of the data], by default 20 and that of
 * DPOBJ_DATA.
 *
 * Per problem (glpk_problems.h, one draw at epsilon 1): the best objective that
 * the native search finds within the limit, then random dives of its tree, that
 * is, at every node a random one of the children that are still open.  At depths
 * 0, 3, 6 and 10 the box is bounded in five ways, all proved in integers:
 *
 *   search  what the native search has there (oracle_node.h)
 *   sweeps  the same relaxation, swept until a sweep gains less than 1/1000 of the gap
 *   rows    the LP of the programme with a binary per distinct row (lp_relaxation.h);
 *           one per row of the training set is weaker: min(p, q) conflicts of equal
 *           rows are a constant here and next to nothing there
 *   cuts    the LP of the cuts of all boxes above and this one
 *   both    the best of the LPs of rows and cuts with a quarter, half and three
 *           quarters of each
 *
 * Printed are means over the dives: the gap that the search's bound leaves, in
 * misclassified rows; the share of it that each of the others closes beyond the
 * search; how many boxes it would close altogether; and the seconds of each.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "glpk_problems.h"
#include "lp_relaxation.h"

#define DIVES 5
#define DEPTHS 4
#define MAX_DEPTH 10
#define LP_MILLISECONDS 20000
#define LEAST_GAIN 1000
#define MOST_SWEEPS 200

static const int depths[DEPTHS] = {0, 3, 6, MAX_DEPTH};

typedef enum BoundKind
{
	BOUND_SEARCH,
	BOUND_SWEEPS,
	BOUND_ROWS,
	BOUND_CUTS,
	BOUND_BOTH,
	BOUND_KINDS
} BoundKind;

static const ProblemClass classes[] = {
	{SET_NUMBERS, 6, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_NUMBERS, 7, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_NUMBERS, 8, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_NUMBERS, 8, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_ADULT23, 23, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_ADULT23, 23, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_WIDE, 41, GRID_KIND_TERNARY, NOISE_GAUGE},
	{SET_WIDE, 41, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_WIDE, 51, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_WIDE, 60, GRID_KIND_TERNARY, NOISE_SEPARATORS},
	{SET_WIDE, 60, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_WIDE, 102, GRID_KIND_TERNARY, NOISE_SEPARATORS},
	{SET_WIDE, 102, GRID_KIND_BALL, NOISE_SPHERICAL},
};

/* Sums over the boxes at one depth. */
typedef struct Tally
{
	int boxes;
	double gap; /* of the search's bound */
	double closed[BOUND_KINDS];
	int finished[BOUND_KINDS];
	double seconds[BOUND_KINDS];
} Tally;

typedef struct Study
{
	const OracleModel *model;
	Memory *memory;
	int64_t best; /* objective */
	Workspace work;
	Relaxation swept;
	NoiseProgramme noise;
	OpenRow *open;
	Cut *cut; /* of the dive's boxes */
	void *block;
	Tally tally[DEPTHS];
} Study;

/* ---- the best objective ---- */

static void
report_incumbent(void *context, const OracleProgress *progress)
{
	const int *end = context;

	if (write(*end, &progress->incumbent, sizeof(int64_t)) != sizeof(int64_t))
		_exit(1);
}

/* What the search tells before the limit, in a process of its own; INT64_MAX if nothing. */
static int64_t
best_objective(OracleProblem problem, double limit, Memory *memory)
{
	int64_t best = INT64_MAX;
	int64_t told;
	int end[2];
	pid_t child;

	fflush(stdout);
	if (pipe(end) != 0 || (child = fork()) < 0)
		return best;
	if (child == 0)
	{
		OracleAnswer answer;

		alarm((unsigned) ceil(limit));
		problem.progress = report_incumbent;
		problem.progress_context = &end[1];
		oracle_search(&problem, memory, &answer);
		_exit(0);
	}
	close(end[1]);
	while (read(end[0], &told, sizeof(told)) == sizeof(told))
		best = told;
	close(end[0]);
	(void) waitpid(child, NULL, 0);
	return best;
}

/* ---- five bounds of a box ---- */

static int64_t
sweep_box(Study *study, const Box *box, const Multipliers *multipliers)
{
	Relaxation *swept = &study->swept;
	int64_t before;
	int sweeps = 0;

	relaxation_build(swept, box, multipliers);
	relaxation_bound(swept);
	do
	{
		int64_t gap = study->best - swept->lower;

		before = swept->lower;
		if (gap <= 0)
			break;
		relaxation_sweep(swept, 2 * (gap > swept->model->scale ? gap : swept->model->scale));
	} while (++sweeps < MOST_SWEEPS &&
			 swept->lower - before >= (study->best - swept->lower) / LEAST_GAIN);
	return swept->lower;
}

static void
save_cut(const Relaxation *relaxation, Cut *cut)
{
	cut->constant = relaxation->constant + relaxation->minima;
	for (int j = 0; j < relaxation->model->grid->dimension; j++)
		for (int k = 0; k < relaxation->choices[j].count; k++)
		{
			int i = relaxation->choices[j].index[k];

			cut->coefficient[j][i] = relaxation->cost[j][i] - relaxation->model->cost[j][i];
		}
}

static void
tally_bound(Study *study, Tally *tally, BoundKind kind, int64_t bound, int64_t search,
			double seconds)
{
	double gap = (double) (study->best - search);

	tally->seconds[kind] += seconds;
	tally->finished[kind] += bound >= study->best;
	if (bound > study->best)
		bound = study->best;
	tally->closed[kind] += gap > 0.0 ? (double) (bound - search) / gap : 0.0;
}

/* A box with the search's bound; cuts are those of the dive so far. */
static void
measure_box(Study *study, const Branch *branch, int64_t search, double seconds, int cuts,
			Tally *tally)
{
	Choices choices[GRID_MAX_DIMENSION];
	double start = seconds_now();
	int64_t both = INT64_MIN;
	int64_t swept;
	LpBound lp;

	tally->boxes++;
	tally->gap += (double) (study->best - search) / (double) study->model->scale;
	tally_bound(study, tally, BOUND_SEARCH, search, search, seconds);
	swept = sweep_box(study, &branch->node.box, &branch->multipliers);
	tally_bound(study, tally, BOUND_SWEEPS, swept, search, seconds_now() - start);
	choices_list(choices, study->model->grid, &branch->node.box);
	for (int quarter = 0; quarter <= 4; quarter++)
	{
		BoundKind kind = quarter == 0 ? BOUND_ROWS : quarter == 4 ? BOUND_CUTS : BOUND_BOTH;
		int64_t bound;

		start = seconds_now();
		lp_box(&lp, study->model, choices, study->open);
		lp.cut = study->cut;
		lp.cuts = quarter > 0 ? cuts : 0;
		bound = lp_bound(&lp, &study->noise, quarter / 4.0, LP_MILLISECONDS);
		both = kind == BOUND_BOTH && bound > both ? bound : both;
		if (kind != BOUND_BOTH)
			tally_bound(study, tally, kind, bound, search, seconds_now() - start);
		else
			tally_bound(study, tally, kind, quarter == 3 ? both : search, search,
						seconds_now() - start);
	}
}

/* ---- dives ---- */

/* A random one of the open children; false when there is none. */
static bool
random_child(const Study *study, Branch *branch, TestStream *stream, Node *child)
{
	Node next;
	uint64_t seen = 0;

	while (branch_take(branch, study->model, &study->work.local.best, &next))
		if (teststream_below(stream, ++seen) == 0)
			*child = next;
	return seen > 0;
}

/* As if the search had found the best objective already: only its value matters here. */
static void
know_best(Study *study)
{
	study->work.local.best.value = study->best;
}

static void
dive(Study *study, TestStream *stream, bool first)
{
	Branch *branch = memory_allocate(study->memory, MAX_DEPTH + 1, sizeof(Branch));
	Node node = {.box = study->model->box};
	int depth = 0;
	int cuts = 0;

	for (;; depth++)
	{
		double start = seconds_now();
		Multipliers own;
		int d = 0;

		know_best(study);
		if (!node_expand(&study->work, &node, depth + 1, &branch[depth], study->block))
			break;
		multipliers_copy(&branch[depth].multipliers, &own, study->memory);
		branch[depth].multipliers = own; /* the block is the next node's */
		save_cut(&study->work.relaxation, &study->cut[cuts++]);
		while (d < DEPTHS && depths[d] != depth)
			d++;
		if (d < DEPTHS && (depth > 0 || first))
			measure_box(study, &branch[depth], study->work.relaxation.lower, seconds_now() - start,
						cuts, &study->tally[d]);
		if (depth == MAX_DEPTH || !random_child(study, &branch[depth], stream, &node))
		{
			depth++;
			break;
		}
	}
	while (--depth >= 0)
		multipliers_release(&branch[depth].multipliers, study->memory);
	memory_release(study->memory, branch);
}

static void
print_tally(const ProblemClass *class, int64_t rows, int depth, const Tally *tally)
{
	static const char *const sets[] = {"adult23", "wide", "numbers"};
	double boxes = tally->boxes;

	if (tally->boxes == 0)
		return;
	printf("%-8s %3d %6" PRId64 " %-8s %-5s %5d %5d %8.1f", sets[class->set], class->dimension,
		   rows, grid_names[class->grid], noise_names[class->noise], depth, tally->boxes,
		   tally->gap / boxes);
	for (int kind = BOUND_SWEEPS; kind < BOUND_KINDS; kind++)
		printf(" %6.1f %2d", 100.0 * tally->closed[kind] / boxes, tally->finished[kind]);
	for (int kind = 0; kind < BOUND_KINDS; kind++)
		printf(" %8.4f", tally->seconds[kind] / boxes);
	printf("\n");
	fflush(stdout);
}

static void
study_problem(const ProblemClass *class, const OracleProblem *problem, double limit, Memory *memory)
{
	Study *study = memory_allocate_zero(memory, 1, sizeof(Study));
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	TestStream stream;

	study->model = model;
	study->memory = memory;
	study->best = best_objective(*problem, limit, memory);
	if (!oracle_reduce(problem, model))
		return;
	workspace_create(&study->work, model, &oracle_usual_effort, NULL, memory);
	relaxation_create(&study->swept, model, oracle_usual_effort.table_entries,
					  &study->work.relaxation, memory);
	noise_create(&study->noise, model->grid, memory);
	noise_set_end_costs(&study->noise, model->end_cost);
	study->open = memory_allocate(memory, (size_t) problem->instance->rows, sizeof(OpenRow));
	study->cut = memory_allocate(memory, MAX_CUTS, sizeof(Cut));
	study->block = memory_allocate(memory, 1, cells_most_bytes(&study->work.relaxation.cells));
	local_search_start(&study->work.local, &study->work.relaxation.noise, 0, memory);
	teststream_seed(&stream, 1);
	for (int k = 0; k < DIVES; k++)
		dive(study, &stream, k == 0);
	for (int d = 0; d < DEPTHS; d++)
		print_tally(class, problem->instance->rows, depths[d], &study->tally[d]);
}

int
main(int argc, char **argv)
{
	double limit = argc > 1 ? atof(argv[1]) : 20.0;
	const char *folder = argc > 2 ? argv[2] : getenv("DPOBJ_DATA");

	printf("%-8s %3s %6s %-8s %-5s %5s %5s %8s %9s %9s %9s %9s %8s %8s %8s %8s %8s\n", "set", "d",
		   "rows", "grid", "noise", "depth", "boxes", "gap", "sweeps %", "rows %", "cuts %",
		   "both %", "search s", "sweeps s", "rows s", "cuts s", "both s");
	for (size_t c = 0; c < sizeof(classes) / sizeof(classes[0]); c++)
	{
		Arena *arena = arena_create(check_out_of_memory);
		Memory *memory = arena_memory(arena);
		Noise *noise = memory_allocate(memory, 1, sizeof(Noise));
		OracleProblem problem;
		Instance instance;
		int64_t count;

		noise_init(noise);
		if (!class_set(&classes[c], folder, memory, &instance, &count))
			return EXIT_SUCCESS;
		problem = class_problem(&classes[c], EPSILON_ONE, &instance, count, 1, noise, memory);
		study_problem(&classes[c], &problem, limit, memory);
		noise_clear(noise);
		arena_destroy(arena);
	}
	return EXIT_SUCCESS;
}
