/*
 * accuracy.c - training accuracy of every mechanism on the sets of accuracy_sets.py.
 *
 *   accuracy FOLDER [SET [TEXT [EPSILON]]]    FOLDER has the sets; all: every set
 *   accuracy --times FOLDER RUNS              how long releases take, for bench/plot.sh
 *
 * Prints a line for each set, row and epsilon that is measured, separated by tabs:
 *
 *   set  family  row  epsilon  runs  mean  sd  seconds of a run
 *
 * mean and sd in percent, or for squared errors in thousandths; runs "late" where a run did not end
 * in RUN_SECONDS, "refused" where nothing is released: then mean and sd hold the error's bound and
 * that of weights of 0.  TEXT chooses the rows whose names contain it, =TEXT the row with that
 * name, EPSILON the rows with that epsilon. delta is 1 / n^2 where a mechanism needs one.
 * bench/accuracy.sh runs it and bench/accuracy.py makes tables of what it prints.  With
 * --times it prints, for some rows of adult23 and each epsilon, a line for each of so many
 * releases: row, epsilon and processor seconds of one thread.
 *
 * To add a mechanism, add a Line: a name, a function that fills in the request, and the numbers
 * that the function uses.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accuracy_set.h"

#include "core/mechanisms/classifier.h"
#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/convex_opsamp.h"
#include "core/mechanisms/convex_pool.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/convex_default.h"

/* Scores of a net are at most this, as in the server (body_choice.c). */
#define NET_REACH INT64_C(8)

/* dpobj.longest_run's default: grids whose draw may take longer are not chosen. */
#define LONGEST_RUN 600

/* Points of a net: the server takes more by itself, and seconds for a draw. */
#define NET_POINTS 10000

typedef enum BenchSet
{
	ON_ADULT23 = 1,
	ON_PANEL = 2,
	ON_FULL = 4,
	ON_FEW = 8,
	ON_TWO = 16,
	ON_SHARES = 32,
	ON_FORECASTS = 64,
	ON_ALL = ON_ADULT23 | ON_PANEL | ON_FULL,
	ON_EVERY = ON_ALL | ON_FEW | ON_TWO,
	ON_TARGETS = ON_SHARES | ON_FORECASTS
} BenchSet;

typedef struct Line Line;

struct Line
{
	const char *family; /* the part of the page */
	const char *name;
	unsigned sets;
	/* Fills in all but epsilon, adjacency and threads; false where there is no such request. */
	bool (*settle)(const AccuracySet *set, const Line *line, MechanismRequest *request);
	MechanismKind kind;
	int noise; /* PerturbationNoise, ConvexNoise, DescentSampling or SquaresBeside */
	Adjacency adjacency;
	const char *grid; /* see make_grid() */
	bool pure;        /* delta is 0 though the mechanism could use it */
	ConvexLoss loss;
};

/* ---- requests ---- */

static int64_t
usual_delta(const AccuracySet *set)
{
	return (int64_t) ((double) DELTA_ONE / ((double) set->rows * (double) set->rows));
}

static RunTerms
set_run(const AccuracySet *set)
{
	return run_terms(set->rows, &set->encoding, LONGEST_RUN);
}

static GridTerms
set_terms(const AccuracySet *set, const MechanismRequest *request)
{
	GridTerms terms = {.encoding = &set->encoding,
					   .rows = set->rows,
					   .run = request->run,
					   .evidence = grid_evidence(set->rows, request->epsilon, request->adjacency)};

	for (int i = 0; i < set->numerics; i++)
		terms.numeric[set->numeric[i] - 1] = true;
	return terms;
}

/* The first column of each one-hot group but the first one stays 0. */
static void
fix_references(const AccuracySet *set, Grid *grid)
{
	bool constant = false;
	int first = 0;

	for (int g = 0; g < set->groups; first += set->group[g++])
		if (set->group[g] > 1)
		{
			if (constant)
				grid_set_range(grid, first, 0);
			constant = true;
		}
}

/*
 * "sign"; "ball D2" and "sparse K"; "modulus M"; or "A B C": -A .. A for columns of
 * groups, -B .. B for other indicators, -C .. C for numbers, and " 0" for references.
 * " prior" behind it is for settle_grid().
 */
static void
make_grid(const AccuracySet *set, const char *text, Grid *grid)
{
	int range[3] = {1, 1, 1};
	int bound = 0;
	int fixed = 0;
	int first = 0;
	bool numeric[GRID_MAX_DIMENSION] = {false};

	memset(grid, 0, sizeof(*grid));
	grid->dimension = set->dimension;
	grid->constraint = sscanf(text, "ball %d", &bound) == 1      ? GRID_BALL
					   : sscanf(text, "sparse %d", &bound) == 1  ? GRID_SPARSE
					   : sscanf(text, "modulus %d", &bound) == 1 ? GRID_MODULUS
																 : GRID_PRODUCT;
	grid->bound = bound;
	if (grid->constraint == GRID_BALL)
		range[0] = range[1] = range[2] = (int) sqrt((double) bound);
	else if (grid->constraint == GRID_PRODUCT && strcmp(text, "sign") != 0)
		(void) sscanf(text, "%d %d %d %d", &range[0], &range[1], &range[2], &fixed);
	for (int i = 0; i < set->numerics; i++)
		numeric[set->numeric[i] - 1] = true;
	for (int g = 0; g < set->groups; first += set->group[g++])
		for (int j = first; j < first + set->group[g]; j++)
			grid_set_range(grid, j, range[set->group[g] > 1 ? 0 : numeric[j] ? 2 : 1]);
	for (int j = 0; j < set->dimension && (strcmp(text, "sign") == 0 || bound == 2); j++)
		if (grid->constraint == GRID_MODULUS || grid->constraint == GRID_PRODUCT)
			grid_set_sign(grid, j);
	if (strlen(text) > strlen("4 4 4") && grid->constraint == GRID_PRODUCT)
		fix_references(set, grid);
}

/* How the exponential mechanism draws, as in the server (halfspace_choice.c). */
static void
set_draw(const AccuracySet *set, MechanismRequest *request)
{
	request->group = select_cheapest_group(&request->grid, set->group, set->groups);
	request->effort = run_of_grid(&request->run, &request->grid, request->group).effort;
}

static bool
settle_grid(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	request->kind = line->kind;
	request->noise = (PerturbationNoise) line->noise;
	make_grid(set, line->grid, &request->grid);
	if (perturbation_needs_delta(request->noise))
		request->delta = usual_delta(set);
	request->prior_power = strstr(line->grid, "prior") != NULL ? 2 * PRIOR_ONE : 0;
	set_draw(set, request);
	request->parts = sample_aggregate_parts(&request->grid, request->epsilon, set->rows);
	request->part_nodes = sample_aggregate_nodes(request);
	return true;
}

static bool
settle_auto_halfspace(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	GridTerms terms = set_terms(set, request);
	GridWidths widths;

	(void) line;
	request->kind = MECHANISM_EXPONENTIAL;
	grid_default(&terms, &widths, &request->grid);
	request->run = grid_default_run(&terms, &request->grid);
	request->prior_power = widths.sparse > 0 ? 0 : GRID_DEFAULT_PRIOR;
	set_draw(set, request);
	return true;
}

static bool
settle_convex(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	bool gaussian = line->noise == CONVEX_GAUSSIAN && !line->pure;

	request->kind = line->kind;
	make_grid(set, "0 0 0", &request->grid);
	request->convex.loss = line->loss;
	request->convex.radius = convex_default_radius(&set->encoding);
	convex_set_noise(request, CONVEX_GAMMA, 0);
	request->convex.lambda = convex_default_lambda(request);
	if (line->noise == CONVEX_KNORM)
		convex_set_knorm(request, &set->encoding);
	else if (gaussian)
		convex_set_noise(request, CONVEX_GAUSSIAN, usual_delta(set));
	request->convex.lambda = convex_default_lambda_for_noise(request, set->rows);
	return convex_noise_length(request) < INFINITY;
}

/* Noisy gradient descent; noise is a DescentSampling.  The radius is the server's
 * (convex_choice.c). */
static bool
settle_descent(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	request->kind = MECHANISM_SGD;
	make_grid(set, "0 0 0", &request->grid);
	request->convex = (ConvexTerms){.loss = line->loss,
									.noise = CONVEX_GAUSSIAN,
									.radius = 0.75 * convex_default_radius(&set->encoding),
									.lambda = LAMBDA_MIN,
									.delta = usual_delta(set)};
	request->descent = descent_default((DescentSampling) line->noise, set->rows, &request->convex,
									   (double) request->epsilon / EPSILON_ONE, request->adjacency);
	return true;
}

/* The exponential mechanism over a net, or over one around a noisy minimiser; lambda is 0 or usual.
 */
static bool
settle_net(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	MechanismRequest centre;

	request->kind = line->kind;
	make_grid(set, "0 0 0", &request->grid);
	request->convex =
		(ConvexTerms){.loss = line->loss,
					  .radius = convex_default_radius(&set->encoding),
					  .norm = NET_REACH << CONVEX_OUTPUT_BITS,
					  .steps = convex_net_steps(request->grid.dimension, set->rows, NET_POINTS)};
	centre = convex_net_centre(request);
	if (line->kind == MECHANISM_LOCALIZED)
		request->convex.lambda = convex_default_lambda(&centre);
	return request->convex.steps > 0;
}

/* OPSamp as the server has it where nobody says otherwise (opsamp_choice.c): scores in -2 .. 2. */
static bool
settle_opsamp(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	double radius = convex_default_radius(&set->encoding);
	double d = set->dimension;
	double peak = 0;

	for (int j = 0; j < set->dimension; j++)
		peak = fmax(peak, fmax(fabs(set->encoding.low[j]), fabs(set->encoding.high[j])));
	peak = fmin(peak / radius, 1);
	request->kind = MECHANISM_OPSAMP;
	make_grid(set, "0 0 0", &request->grid);
	request->convex =
		(ConvexTerms){.loss = line->loss,
					  .noise = CONVEX_LAPLACE,
					  .radius = radius,
					  .lambda = LAMBDA_ONE,
					  .delta = usual_delta(set),
					  .norm = (int64_t) ldexp(2 / fmin(sqrt(d), d * peak), CONVEX_OUTPUT_BITS),
					  .rows = set->rows,
					  .peak = (int64_t) ceil(ldexp(peak, CONVEX_OUTPUT_BITS)),
					  .calls = convex_opsamp_calls(set->rows)};
	return true;
}

static int32_t
encoded_bound(double value)
{
	return (int32_t) nearbyint(value * FIXED_POINT_ONE);
}

/* Sampling from a simplex as the server has it (simplex_choice.c); all features have one range. */
static bool
settle_simplex(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	SimplexTerms *terms = &request->simplex;
	SimplexBudget budget;

	request->kind = MECHANISM_SIMPLEX;
	request->grid.dimension = set->dimension - 1;
	*terms = (SimplexTerms){.rows = set->rows,
							.target_low = encoded_bound(set->encoding.low[0]),
							.target_high = encoded_bound(set->encoding.high[0]),
							.low = encoded_bound(set->encoding.low[1]),
							.high = encoded_bound(set->encoding.high[1]),
							.delta = line->pure ? 0 : usual_delta(set)};
	budget = simplex_budget(request->epsilon, terms->delta);
	terms->lambda = simplex_default_lambda(terms, &budget, request->grid.dimension);
	return simplex_draws(terms, &budget, NULL) > 0;
}

static bool
settle_auto_logistic(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	request->kind = MECHANISM_OBJECTIVE;
	make_grid(set, "0 0 0", &request->grid);
	request->convex.loss = LOSS_LOGISTIC;
	request->convex.radius = convex_default_radius(&set->encoding);
	convex_default(request, &set->encoding, line->pure ? 0 : usual_delta(set), set->rows);
	return true;
}

/* The private centre with all of epsilon, as dp_classifier has it. */
static bool
settle_centre(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	request->kind = MECHANISM_OBJECTIVE;
	make_grid(set, "0 0 0", &request->grid);
	(void) convex_default_classifier(request, &set->encoding, line->pure ? 0 : usual_delta(set),
									 set->rows);
	return true;
}

static bool
settle_pool(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	request->kind = MECHANISM_POOL;
	make_grid(set, "0 0 0", &request->grid);
	convex_pool_settle(request, &set->encoding, line->pure ? 0 : usual_delta(set), set->rows);
	return true;
}

static bool
settle_classifier(const AccuracySet *set, const Line *line, MechanismRequest *request)
{
	GridTerms terms = set_terms(set, request);
	ClassifierReason reason;

	make_grid(set, "0 0 0", &request->grid);
	reason = classifier_choose(&terms, line->pure ? 0 : usual_delta(set), request);
	return classifier_model(reason) != CLASSIFIER_GRID || settle_auto_halfspace(set, line, request);
}

/* ---- rows ---- */

#define EM MECHANISM_EXPONENTIAL
#define OPDISC MECHANISM_OPDISC
#define RSPM MECHANISM_RSPM
#define OBJECTIVE MECHANISM_OBJECTIVE
#define OUTPUT MECHANISM_OUTPUT
#define HALFSPACE_ROW(name, sets, kind, noise, grid)                                               \
	{                                                                                              \
		"halfspace", name, sets, settle_grid, kind, noise, ADJACENCY_REPLACE, grid, false,         \
			LOSS_LOGISTIC                                                                          \
	}
#define CONVEX_ROW(name, sets, settle, kind, noise, loss)                                          \
	{                                                                                              \
		"convex", name, sets, settle, kind, noise, ADJACENCY_REPLACE, NULL, false, loss            \
	}

#define DESCENT_ROW(name, sets, sampling, adjacency)                                               \
	{                                                                                              \
		(adjacency) == ADJACENCY_REPLACE ? "convex" : "add_remove", name, sets, settle_descent,    \
			MECHANISM_SGD, sampling, adjacency, NULL, false, LOSS_LOGISTIC                         \
	}

#define SQUARES_ROW(name, beside, pure)                                                            \
	{                                                                                              \
		"squares", name, ON_TARGETS, settle_simplex, MECHANISM_SIMPLEX, beside, ADJACENCY_REPLACE, \
			NULL, pure, LOSS_LOGISTIC                                                              \
	}
#define AUTOMATIC_ROW(name, settle, pure)                                                          \
	{                                                                                              \
		"automatic", name, ON_EVERY, settle, EM, 0, ADJACENCY_REPLACE, NULL, pure, LOSS_LOGISTIC   \
	}

static const Line lines[] = {
	AUTOMATIC_ROW("dp_classifier", settle_classifier, false),
	AUTOMATIC_ROW("dp_classifier, delta 0", settle_classifier, true),
	AUTOMATIC_ROW("dp_halfspace", settle_auto_halfspace, false),
	AUTOMATIC_ROW("dp_logistic", settle_auto_logistic, false),
	HALFSPACE_ROW("exponential, {-1,0,1}", ON_ADULT23 | ON_PANEL, EM, 0, "1 1 1"),
	HALFSPACE_ROW("exponential, {-1,0,1}, numbers ±4", ON_ADULT23, EM, 0, "1 1 4"),
	HALFSPACE_ROW("exponential, ±2 with reference levels, numbers ±4", ON_ADULT23, EM, 0,
				  "2 2 4 0"),
	HALFSPACE_ROW("exponential, prior, ±2 with reference levels, numbers ±8", ON_ADULT23, EM, 0,
				  "2 2 8 0 prior"),
	HALFSPACE_ROW("exponential, sparse 2", ON_ALL, EM, 0, "sparse 2"),
	HALFSPACE_ROW("exponential, sparse 3", ON_ALL, EM, 0, "sparse 3"),
	HALFSPACE_ROW("exponential, sparse 6", ON_ADULT23, EM, 0, "sparse 6"),
	HALFSPACE_ROW("exponential, ball 23", ON_ADULT23, EM, 0, "ball 23"),
	HALFSPACE_ROW("permute_flip, sparse 3", ON_ADULT23, MECHANISM_PERMUTE_FLIP, 0, "sparse 3"),
	HALFSPACE_ROW("opdisc gauge, signs", ON_ADULT23, OPDISC, PERTURBATION_GAUGE, "sign"),
	HALFSPACE_ROW("opdisc gauge, signs, modulus 2", ON_ADULT23, OPDISC, PERTURBATION_GAUGE,
				  "modulus 2"),
	HALFSPACE_ROW("opdisc gauge, {-1,0,1}", ON_ADULT23 | ON_PANEL, OPDISC, PERTURBATION_GAUGE,
				  "1 1 1"),
	HALFSPACE_ROW("opdisc gauge, {-1,0,1}, modulus 3", ON_ADULT23, OPDISC, PERTURBATION_GAUGE,
				  "modulus 3"),
	HALFSPACE_ROW("opdisc gauge, sparse 4", ON_ADULT23, OPDISC, PERTURBATION_GAUGE, "sparse 4"),
	HALFSPACE_ROW("opdisc laplace, signs", ON_ADULT23, OPDISC, PERTURBATION_LAPLACE, "sign"),
	HALFSPACE_ROW("opdisc spherical, ball 23", ON_ADULT23, OPDISC, PERTURBATION_SPHERICAL,
				  "ball 23"),
	HALFSPACE_ROW("opdisc gaussian, ball 23", ON_ADULT23, OPDISC, PERTURBATION_GAUSSIAN, "ball 23"),
	HALFSPACE_ROW("opdisc published (unproven), ball 23", ON_ADULT23, OPDISC,
				  PERTURBATION_PUBLISHED, "ball 23"),
	HALFSPACE_ROW("rspm gauge, {-1,0,1}", ON_ADULT23 | ON_PANEL, RSPM, PERTURBATION_GAUGE, "1 1 1"),
	HALFSPACE_ROW("rspm laplace, {-1,0,1}", ON_ADULT23, RSPM, PERTURBATION_LAPLACE, "1 1 1"),
	HALFSPACE_ROW("rspm gaussian, {-1,0,1}", ON_ADULT23, RSPM, PERTURBATION_GAUSSIAN, "1 1 1"),
	HALFSPACE_ROW("rspm published (unproven), {-1,0,1}", ON_ADULT23, RSPM, PERTURBATION_PUBLISHED,
				  "1 1 1"),
	HALFSPACE_ROW("sample_aggregate, sparse 2", ON_ADULT23, MECHANISM_SAMPLE_AGGREGATE, 0,
				  "sparse 2"),
	CONVEX_ROW("logistic, objective, gamma", ON_EVERY, settle_convex, OBJECTIVE, CONVEX_GAMMA,
			   LOSS_LOGISTIC),
	CONVEX_ROW("logistic, objective, gaussian", ON_EVERY, settle_convex, OBJECTIVE, CONVEX_GAUSSIAN,
			   LOSS_LOGISTIC),
	CONVEX_ROW("logistic, objective, K-norm", ON_ALL | ON_FEW, settle_convex, OBJECTIVE,
			   CONVEX_KNORM, LOSS_LOGISTIC),
	CONVEX_ROW("logistic, output, gamma", ON_ALL | ON_FEW, settle_convex, OUTPUT, CONVEX_GAMMA,
			   LOSS_LOGISTIC),
	CONVEX_ROW("logistic, output, gaussian", ON_ALL | ON_FEW, settle_convex, OUTPUT,
			   CONVEX_GAUSSIAN, LOSS_LOGISTIC),
	CONVEX_ROW("clipped logistic, objective", ON_ALL | ON_FEW, settle_centre, OBJECTIVE, 0,
			   LOSS_CLIPPED),
	CONVEX_ROW("pool", ON_ALL | ON_FEW, settle_pool, MECHANISM_POOL, 0, LOSS_CLIPPED),
	CONVEX_ROW("svm, objective, gamma", ON_ALL | ON_FEW, settle_convex, OBJECTIVE, CONVEX_GAMMA,
			   LOSS_HUBER),
	DESCENT_ROW("logistic, sgd, full batches", ON_ALL | ON_FEW, DESCENT_FULL, ADJACENCY_REPLACE),
	DESCENT_ROW("logistic, sgd, fixed batches", ON_ADULT23, DESCENT_FIXED, ADJACENCY_REPLACE),
	DESCENT_ROW("logistic, sgd, Poisson batches", ON_ADULT23, DESCENT_POISSON, ADJACENCY_REPLACE),
	DESCENT_ROW("logistic, sgd, full batches, add_remove", ON_ALL, DESCENT_FULL,
				ADJACENCY_ADD_REMOVE),
	CONVEX_ROW("logistic, exponential over a net", ON_FEW, settle_net, MECHANISM_CONVEX_EXPONENTIAL,
			   0, LOSS_LOGISTIC),
	CONVEX_ROW("logistic, localized", ON_FEW, settle_net, MECHANISM_LOCALIZED, 0, LOSS_LOGISTIC),
	CONVEX_ROW("svm, exponential over a net", ON_FEW, settle_net, MECHANISM_CONVEX_EXPONENTIAL, 0,
			   LOSS_HUBER),
	CONVEX_ROW("svm, localized", ON_FEW, settle_net, MECHANISM_LOCALIZED, 0, LOSS_HUBER),
	CONVEX_ROW("logistic, opsamp", ON_FEW | ON_TWO, settle_opsamp, MECHANISM_OPSAMP, 0,
			   LOSS_LOGISTIC),
	SQUARES_ROW("least on the simplex, not private", BESIDE_LEAST, false),
	SQUARES_ROW("best single feature, not private", BESIDE_VERTEX, false),
	SQUARES_ROW("equal shares", BESIDE_EQUAL, false),
	SQUARES_ROW("dp_simplex", BESIDE_NONE, false),
	SQUARES_ROW("dp_simplex, promised mean", BESIDE_PROMISED, false),
	SQUARES_ROW("dp_simplex, delta 0", BESIDE_NONE, true),
	SQUARES_ROW("dp_simplex, delta 0, promised mean", BESIDE_PROMISED, true),
};

/* ---- measuring ---- */

/* What needs no draw. */
static Accuracy
squares_beside(const AccuracySet *set, const Line *line, const MechanismRequest *request)
{
	const Squares *squares = &set->squares;
	double value = line->noise == BESIDE_LEAST    ? squares_least(squares)
				   : line->noise == BESIDE_VERTEX ? squares_vertex(squares)
				   : line->noise == BESIDE_EQUAL  ? squares_equal(squares)
												  : squares_promised(squares, &request->simplex,
																	 simplex_request_draws(request));

	return (Accuracy){.mean = value, .sd = (double) NAN};
}

/* OPSamp's refusal has two numbers. */
static bool
is_refused(const MechanismRequest *request, Accuracy *accuracy)
{
	MechanismVerdict verdict = {.admitted = true};
	OpsampProblem problem;
	OpsampPlan plan;

	if (request->kind == MECHANISM_OPSAMP)
		mechanism_get(request->kind)->admit(request, &verdict);
	if (verdict.admitted)
		return false;
	problem = convex_opsamp_problem(request);
	opsamp_plan(&problem, &plan);
	*accuracy = (Accuracy){.mean = plan.risk, .sd = convex_opsamp_trivial(request)};
	return true;
}

static void
measure_cell(const AccuracySet *set, const Line *line, double epsilon,
			 const MechanismRequest *request)
{
	Accuracy accuracy;
	TestStream stream;
	Bits bits;
	bool refused = is_refused(request, &accuracy);

	teststream_seed(&stream, 5);
	bits_init(&bits, teststream_fill, &stream);
	if (line->kind == MECHANISM_SIMPLEX && line->noise != BESIDE_NONE)
		accuracy = squares_beside(set, line, request);
	else if (!refused)
		accuracy = accuracy_of_releases(set, request, &bits);
	accuracy_print(set->name, line->family, line->name, epsilon, refused ? "refused" : NULL,
				   &accuracy);
}

/* In a process of its own, which the timer of accuracy_of_releases() may end. */
static void
print_cell(const AccuracySet *set, const Line *line, double epsilon)
{
	MechanismRequest request = {.epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
								.adjacency = line->adjacency,
								.threads = 1,
								.run = set_run(set)};
	Accuracy late = {.sd = (double) NAN, .seconds = RUN_SECONDS};
	int status = 0;
	pid_t child;

	if (!line->settle(set, line, &request))
		return;
	child = fork();
	if (child == 0)
	{
		measure_cell(set, line, epsilon, &request);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
		(status != 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)))
	{
		fprintf(stderr, "%s at epsilon %g on %s failed\n", line->name, epsilon, set->name);
		exit(1);
	}
	if (status != 0)
		accuracy_print(set->name, line->family, line->name, epsilon, "late", &late);
}

static void
print_set(const AccuracyAsk *ask, const char *name, unsigned bit)
{
	Arena *arena = arena_create(check_out_of_memory);
	AccuracySet set;

	accuracy_set_read(&set, ask->folder, name, arena_memory(arena));
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (int e = 0; e < ACCURACY_EPSILONS; e++)
			if ((lines[i].sets & bit) != 0 &&
				accuracy_is_asked(ask, lines[i].name, accuracy_epsilons[e]))
				print_cell(&set, &lines[i], accuracy_epsilons[e]);
	arena_destroy(arena);
}

/* ---- times ---- */

/* Rows whose releases are timed: each is the work of a kind of its own. */
static const char *const timed[] = {
	"exponential, {-1,0,1}",
	"exponential, {-1,0,1}, numbers ±4",
	"opdisc gauge, {-1,0,1}",
	"opdisc published (unproven), ball 23",
	"rspm gauge, {-1,0,1}",
	"rspm published (unproven), {-1,0,1}",
	"dp_logistic",
};

static const Line *
line_named(const char *name)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strcmp(lines[i].name, name) == 0)
			return &lines[i];
	return NULL;
}

static void
print_times_of(const AccuracySet *set, const Line *line, int runs)
{
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, 6);
	bits_init(&bits, teststream_fill, &stream);
	for (int e = 0; e < ACCURACY_EPSILONS; e++)
	{
		double epsilon = accuracy_epsilons[e];
		MechanismRequest request = {.epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
									.adjacency = line->adjacency,
									.threads = 1,
									.run = set_run(set)};

		if (!line->settle(set, line, &request))
			continue;
		for (int k = 0; k < runs; k++)
			printf("%s\t%g\t%.4f\n", line->name, epsilon,
				   accuracy_time_release(set, &request, &bits));
		fflush(stdout);
	}
}

static void
print_times(const char *folder, int runs)
{
	Arena *arena = arena_create(check_out_of_memory);
	AccuracySet set;

	accuracy_set_read(&set, folder, "adult23", arena_memory(arena));
	for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++)
		print_times_of(&set, line_named(timed[i]), runs);
	arena_destroy(arena);
}

int
main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		BenchSet bit;
	} sets[] = {{"adult23", ON_ADULT23},
				{"cont15", ON_PANEL},
				{"cont20sep", ON_PANEL},
				{"onehot30", ON_PANEL},
				{"mixed30", ON_PANEL},
				{"sparse40", ON_PANEL},
				{"magic", ON_PANEL},
				{"german", ON_PANEL},
				{"full", ON_FULL},
				{"few", ON_FEW},
				{"two", ON_TWO},
				{"shares", ON_SHARES},
				{"forecasts", ON_FORECASTS}};
	AccuracyAsk ask;

	if (argc == 4 && strcmp(argv[1], "--times") == 0)
	{
		print_times(argv[2], atoi(argv[3]));
		return 0;
	}
	ask = accuracy_ask(argc, argv);
	for (size_t s = 0; s < sizeof(sets) / sizeof(sets[0]); s++)
		if (accuracy_is_set_asked(&ask, sets[s].name))
			print_set(&ask, sets[s].name, sets[s].bit);
	return 0;
}
