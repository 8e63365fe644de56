/* glpk_hybrid.c - slabs for GLPK, and our own tree of the boxes proved. */
#include "solver/glpk_hybrid.h"

#include <string.h>

#include "core/optimum/oracle_node.h"
#include "solver/glpk_programme.h"

/* GLPK takes a number within 1e-5 of an integer as that integer. */
#define LEAST_FRACTION 1e-4
#define FRACTION 1e-3

#define SUITED_BITS 64

const GlpkHybridEffort glpk_hybrid_effort = {.slab_nodes = 10000, .slack = 0.5};

typedef struct Hybrid
{
	const OracleModel *model;
	const GlpkHybridEffort *effort;
	Memory *memory;
	Workspace work;
	void *block;  /* multipliers of the current node */
	int64_t next; /* number of the next node */
	bool failed;  /* GLPK raised an error */
	const OracleProblem *problem;
	int64_t
		bound; /* a bound on the remaining boxes, for progress messages; no objective is below 0 */
	GlpkHybridCounts counts;
} Hybrid;

typedef enum SlabState
{
	SLAB_OPEN,   /* bounded, not closed */
	SLAB_CLOSED, /* no vector in it precedes the incumbent */
	SLAB_SPLIT   /* into the half without a level, and the half with it alone */
} SlabState;

typedef struct SlabNode
{
	SlabState state;
	Node node; /* inherited is not used */
	Multipliers multipliers;
	int coordinate; /* of the split */
	int level;
	int half[2]; /* numbers of the halves' nodes; 0, which is the root's: GLPK has not visited it */
} SlabNode;

/* The steps done for the current node. */
typedef enum SlabStep
{
	STEP_BOUNDED,
	STEP_CUT,   /* its cut is in the programme */
	STEP_CHOSEN /* its split is chosen */
} SlabStep;

typedef struct Slab
{
	Hybrid *hybrid;
	GlpkProgramme programme;
	int theta;       /* loss, in misclassified rows, less the instance's constant */
	int64_t offered; /* the value of the last incumbent that GLPK got */
	int current;     /* the node that the workspace describes */
	SlabStep step;
	int pin; /* the row that makes its split fractional, or 0 */
	int count;
	int capacity;
	SlabNode *node;
	double *solution; /* by column */
} Slab;

static void search_box(Hybrid *hybrid, const Node *node, bool with_glpk);

static void
raise_bound(Hybrid *hybrid, int64_t bound)
{
	if (bound > hybrid->bound)
		hybrid->bound = bound;
}

/* Workspace.pause: after every bound and every sweep. */
static void
report(void *context)
{
	const Hybrid *hybrid = context;

	hybrid->problem->progress(hybrid->problem->progress_context,
							  &(OracleProgress){.phase = ORACLE_SEARCHING,
												.nodes = hybrid->next,
												.bound = hybrid->bound,
												.incumbent = hybrid->work.local.best.value});
}

/* ---- our tree ---- */

/* The half of a node that has been split. */
static Node
half_of(const SlabNode *parent, int half)
{
	Node node = parent->node;
	uint64_t level = UINT64_C(1) << parent->level;

	if (half == 1)
		node.box.levels[parent->coordinate] = level;
	else
		node.box.levels[parent->coordinate] &= ~level;
	node.depth++;
	node.inherited = &parent->multipliers;
	return node;
}

/* Adds a node from what node_expand() left in branch and block; returns its number. */
static int
add_node(Slab *slab, SlabState state, const Branch *branch)
{
	Memory *memory = slab->hybrid->memory;
	SlabNode *node;

	if (slab->count == slab->capacity)
	{
		slab->capacity = slab->capacity > 0 ? 2 * slab->capacity : 64;
		slab->node =
			memory_reallocate(memory, slab->node, (size_t) slab->capacity, sizeof(SlabNode));
	}
	node = &slab->node[slab->count];
	memset(node, 0, sizeof(*node));
	node->state = state;
	node->node = branch->node;
	if (state == SLAB_OPEN)
		multipliers_copy(&branch->multipliers, &node->multipliers, memory);
	return slab->count++;
}

static bool
is_single(const Hybrid *hybrid, const Box *box)
{
	for (int j = 0; j < hybrid->model->grid->dimension; j++)
		if ((box->levels[j] & (box->levels[j] - 1)) != 0)
			return false;
	return true;
}

/* Bounds a half of a split node; returns its number. */
static int
expand_half(Slab *slab, int parent, int half)
{
	Hybrid *hybrid = slab->hybrid;
	SlabNode *from = &slab->node[parent];
	Node node = half_of(from, half);
	SlabState state = SLAB_CLOSED;
	Branch branch;
	int number;

	hybrid->counts.expanded++;
	if (node_expand(&hybrid->work, &node, hybrid->next++, &branch, hybrid->block))
		state = SLAB_OPEN;
	/* A filter may leave a single vector, which cannot be split; bounding it again closes it. */
	if (state == SLAB_OPEN && is_single(hybrid, &branch.node.box))
	{
		node = branch.node;
		node.inherited = NULL;
		if (!node_expand(&hybrid->work, &node, hybrid->next++, &branch, hybrid->block))
			state = SLAB_CLOSED;
	}
	number = add_node(slab, state, &branch);
	from = &slab->node[parent]; /* add_node() may have moved it */
	from->half[half] = number;
	if (from->half[0] != 0 && from->half[1] != 0)
		multipliers_release(&from->multipliers, hybrid->memory);
	slab->current = number;
	slab->step = STEP_BOUNDED;
	slab->pin = 0;
	return number;
}

static void
search_unfinished(Slab *slab, const Node *node)
{
	Hybrid *hybrid = slab->hybrid;
	int64_t before = hybrid->next;

	hybrid->counts.left++;
	search_box(hybrid, node, false);
	hybrid->counts.finished += hybrid->next - before;
}

/* Searches the parts of the slab that GLPK left neither closed nor split. */
static void
search_rest(Slab *slab)
{
	for (int k = 0; k < slab->count; k++)
	{
		SlabNode *node = &slab->node[k];

		if (node->state == SLAB_OPEN)
		{
			Node left = node->node;

			left.inherited = &node->multipliers;
			search_unfinished(slab, &left);
		}
		for (int half = 0; half < 2 && node->state == SLAB_SPLIT; half++)
			if (node->half[half] == 0)
			{
				Node left = half_of(node, half);

				search_unfinished(slab, &left);
			}
	}
}

/* ---- GLPK's callbacks ---- */

/*
 * GLPK reuses the numbers of removed nodes, so its node's data holds the number of our node, plus
 * 1.
 */
static int *
node_number(glp_tree *tree, int node)
{
	return glp_ios_node_data(tree, node);
}

/*
 * Fixes removed levels at 0, so that GLPK does not branch on them.  A closed node keeps no level:
 * its relaxation is infeasible.
 */
static void
fix_removed(const Slab *slab, const SlabNode *node)
{
	glp_prob *problem = slab->programme.problem;

	for (int j = 0; j < slab->hybrid->model->grid->dimension; j++)
		for (int i = 0; i < GRID_MAX_LEVELS; i++)
		{
			int column = slab->programme.column[j][i];
			bool gone = node->state == SLAB_CLOSED || (node->node.box.levels[j] >> i & 1) == 0;

			if (column != 0 && gone && glp_get_col_ub(problem, column) > 0.5)
				glp_set_col_bnds(problem, column, GLP_FX, 0.0, 0.0);
		}
}

/*
 * The first step for a node: finds our node for it, and bounds it.  GLPK calls this again after
 * every cut, and also when it has dropped one half of a node: then it continues with the other half
 * under the same number.
 */
static void
preprocess(Slab *slab, glp_tree *tree)
{
	int *number = node_number(tree, glp_ios_curr_node(tree));
	int up = glp_ios_up_node(tree, glp_ios_curr_node(tree));
	int parent = *number != 0 ? *number - 1 : up != 0 ? *node_number(tree, up) - 1 : -1;
	const SlabNode *from;
	int column;

	if (parent < 0)
	{
		*number = 1; /* the slab, which is bounded already */
		return;
	}
	from = &slab->node[parent];
	if (*number != 0 && from->state != SLAB_SPLIT)
		return;
	if (from->state != SLAB_SPLIT || slab->count >= slab->hybrid->effort->slab_nodes)
	{
		glp_ios_terminate(tree);
		return;
	}
	column = slab->programme.column[from->coordinate][from->level];
	if (glp_get_col_lb(slab->programme.problem, column) > 0.5)
		*number = expand_half(slab, parent, 1) + 1;
	else
		*number = expand_half(slab, parent, 0) + 1;
	fix_removed(slab, &slab->node[*number - 1]);
}

/*
 * Adds the cut of the current node.  For every vector of the box
 *
 *   loss >= constant + sum of the cells' minima + sum_j (cost - the model's cost)[j][i_j]
 *
 * (oracle_cells.h); constant and minima are the bound less the noise programme's part.
 */
static void
add_bound_cut(Slab *slab)
{
	const Relaxation *relaxation = &slab->hybrid->work.relaxation;
	const OracleModel *model = slab->hybrid->model;
	double scale = (double) model->scale;
	int64_t constant = relaxation->lower - noise_minimum(&relaxation->noise);

	programme_add_entry(&slab->programme, slab->theta, 1.0);
	for (int j = 0; j < model->grid->dimension; j++)
		for (int k = 0; k < relaxation->choices[j].count; k++)
		{
			int i = relaxation->choices[j].index[k];

			if (slab->programme.column[j][i] != 0)
				programme_add_entry(&slab->programme, slab->programme.column[j][i],
									-(double) (relaxation->cost[j][i] - model->cost[j][i]) / scale);
		}
	programme_add_row(&slab->programme, GLP_LO, (double) constant / scale);
}

/*
 * Chooses the split: like the native search the coordinate with the most mass in cells, and of its
 * levels the one with the largest value in the relaxation.  False if the box is a single vector.
 */
static bool
choose_split(const Slab *slab, SlabNode *node)
{
	const Box *box = &node->node.box;
	double most = -1.0;

	node->coordinate = -1;
	for (int j = 0; j < slab->hybrid->model->grid->dimension; j++)
	{
		double mass = cells_coordinate_mass(&slab->hybrid->work.relaxation.cells, j);

		if (mass <= most || (box->levels[j] & (box->levels[j] - 1)) == 0)
			continue;
		most = mass;
		node->coordinate = j;
	}
	if (node->coordinate < 0)
		return false;
	most = -1.0;
	for (uint64_t left = box->levels[node->coordinate]; left != 0; left &= left - 1)
	{
		int i = __builtin_ctzll(left);
		double value =
			glp_get_col_prim(slab->programme.problem, slab->programme.column[node->coordinate][i]);

		if (value > most)
		{
			most = value;
			node->level = i;
		}
	}
	return true;
}

/*
 * GLPK branches only on fractional values.  If the chosen level's value is not, a row holds it a
 * little below 1 or above 0 until the branching; the relaxation hardly changes.
 */
static void
make_fractional(Slab *slab, const SlabNode *node)
{
	int column = slab->programme.column[node->coordinate][node->level];
	double value = glp_get_col_prim(slab->programme.problem, column);

	if (value > LEAST_FRACTION && value < 1.0 - LEAST_FRACTION)
		return;
	programme_add_entry(&slab->programme, column, 1.0);
	programme_add_row(&slab->programme, GLP_FX, value > 0.5 ? 1.0 - FRACTION : FRACTION);
	slab->pin = glp_get_num_rows(slab->programme.problem);
}

/* After each relaxation of a node: adds first its cut, then the row that the branching needs. */
static void
add_rows(Slab *slab, glp_tree *tree)
{
	SlabNode *node = &slab->node[slab->current];

	if (*node_number(tree, glp_ios_curr_node(tree)) - 1 != slab->current ||
		node->state != SLAB_OPEN)
		glp_ios_terminate(tree);
	else if (slab->step == STEP_BOUNDED)
	{
		slab->step = STEP_CUT;
		add_bound_cut(slab);
	}
	else if (slab->step == STEP_CUT)
	{
		slab->step = STEP_CHOSEN;
		if (choose_split(slab, node))
			make_fractional(slab, node);
		else
			glp_ios_terminate(tree);
	}
}

/*
 * Offers GLPK our incumbent, with the slack.  GLPK only records the objective and checks that the
 * binaries are integers.  So zeros will do; the incumbent's levels may lie outside the slab.
 */
static void
offer_incumbent(Slab *slab, glp_tree *tree)
{
	int64_t value = slab->hybrid->work.local.best.value;

	if (value >= slab->offered)
		return;
	slab->offered = value;
	slab->solution[slab->theta] =
		(double) value / (double) slab->hybrid->model->scale + slab->hybrid->effort->slack;
	(void) glp_ios_heur_sol(tree, slab->solution);
}

static void
branch_on_split(Slab *slab, glp_tree *tree)
{
	SlabNode *node = &slab->node[slab->current];
	int column = slab->programme.column[node->coordinate][node->level];

	if (slab->step != STEP_CHOSEN || !glp_ios_can_branch(tree, column))
	{
		glp_ios_terminate(tree);
		return;
	}
	if (slab->pin != 0)
		glp_set_row_bnds(slab->programme.problem, slab->pin, GLP_FR, 0.0, 0.0);
	node->state = SLAB_SPLIT;
	glp_ios_branch_upon(tree, column, GLP_UP_BRNCH);
}

static void
callback(glp_tree *tree, void *info)
{
	Slab *slab = info;

	switch (glp_ios_reason(tree))
	{
		case GLP_IPREPRO:
			preprocess(slab, tree);
			break;
		case GLP_IROWGEN:
			add_rows(slab, tree);
			break;
		case GLP_IHEUR:
			offer_incumbent(slab, tree);
			break;
		case GLP_IBRANCH:
			branch_on_split(slab, tree);
			break;
		default:
			break; /* GLP_ISELECT, GLP_ICUTGEN and GLP_IBINGO have nothing to add */
	}
}

/* ---- slabs ---- */

/* GLPK's solution and status are ignored: our tree records what is proved. */
static void
run_glpk(void *context)
{
	Slab *slab = context;
	Hybrid *hybrid = slab->hybrid;
	glp_prob *problem;
	glp_smcp relaxation;
	glp_iocp settings;

	programme_create(&slab->programme, hybrid->model, &slab->node[0].node.box);
	problem = slab->programme.problem;
	slab->theta = glp_add_cols(problem, 1);
	glp_set_col_bnds(problem, slab->theta, GLP_LO, 0.0, 0.0);
	glp_set_obj_coef(problem, slab->theta, 1.0);
	for (int s = 0; s < GRID_MAX_STATES; s++)
		if (slab->programme.end_column[s] != 0)
			glp_set_col_kind(problem, slab->programme.end_column[s], GLP_CV);
	if (slab->programme.multiple_column != 0)
		glp_set_col_kind(problem, slab->programme.multiple_column, GLP_CV);
	slab->solution = memory_allocate_zero(hybrid->memory, (size_t) slab->theta + 1, sizeof(double));

	glp_init_smcp(&relaxation);
	relaxation.msg_lev = GLP_MSG_OFF;
	glp_init_iocp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.pp_tech = GLP_PP_NONE; /* it would round what make_fractional() holds */
	settings.bt_tech = GLP_BT_DFS;
	settings.cb_func = callback;
	settings.cb_info = slab;
	settings.cb_size = sizeof(int);
	if (glp_simplex(problem, &relaxation) == 0 && glp_get_status(problem) == GLP_OPT)
		(void) glp_intopt(problem, &settings);
	programme_destroy(&slab->programme);
}

/* Searches a box whose numeric columns are fixed, just expanded into branch. */
static void
search_slab(Hybrid *hybrid, const Branch *branch)
{
	Slab *slab = memory_allocate_zero(hybrid->memory, 1, sizeof(Slab));

	hybrid->counts.slabs++;
	slab->hybrid = hybrid;
	slab->offered = INT64_MAX;
	(void) add_node(slab, SLAB_OPEN, branch);
	if (glpk_guard(run_glpk, slab))
		search_rest(slab);
	else
		hybrid->failed = true;
	for (int k = 0; k < slab->count; k++)
		multipliers_release(&slab->node[k].multipliers, hybrid->memory);
	memory_release(hybrid->memory, slab->solution);
	memory_release(hybrid->memory, slab->node);
	memory_release(hybrid->memory, slab);
}

/*
 * Searches a box for vectors that precede the incumbent.  Numeric columns are branched first
 * (oracle_node.h), so a branch on another column means that they are fixed.  The root's children
 * are taken by increasing bound, so the current child's bound holds for all that remain.
 */
static void
search_box(Hybrid *hybrid, const Node *node, bool with_glpk)
{
	Branch *branch = memory_allocate(hybrid->memory, 1, sizeof(Branch));
	Workspace *work = &hybrid->work;
	Node child;

	if (node_expand(work, node, hybrid->next++, branch, hybrid->block))
	{
		Multipliers own;

		multipliers_copy(&branch->multipliers, &own, hybrid->memory);
		branch->multipliers = own; /* the next node overwrites the block */
		if (node->depth == 0)
			raise_bound(hybrid, branch_bound(branch));
		if (with_glpk && !work->relaxation.cells.rows.is_numeric[branch->coordinate])
			search_slab(hybrid, branch);
		else
			while (!hybrid->failed && branch_take(branch, hybrid->model, &work->local.best, &child))
			{
				if (node->depth == 0)
					raise_bound(hybrid, child.bound);
				search_box(hybrid, &child, with_glpk);
			}
		multipliers_release(&branch->multipliers, hybrid->memory);
	}
	memory_release(hybrid->memory, branch);
}

static void
solve(Hybrid *hybrid, const OracleProblem *problem, OracleAnswer *answer)
{
	Workspace *work = &hybrid->work;
	Node root = {.box = hybrid->model->box};

	workspace_create(work, hybrid->model, &oracle_default_effort, NULL, hybrid->memory);
	hybrid->block = memory_allocate(hybrid->memory, 1, cells_most_bytes(&work->relaxation.cells));
	local_search_start(&work->local, &work->relaxation.noise, oracle_default_effort.restarts,
					   hybrid->memory);
	if (problem->progress != NULL)
	{
		work->pause = report;
		work->pause_context = hybrid;
	}
	search_box(hybrid, &root, true);
	if (!hybrid->failed)
	{
		memcpy(answer->index, work->local.best.index, sizeof(answer->index));
		answer->loss = instance_loss(problem->instance, problem->grid, answer->index);
		answer->nodes = hybrid->next;
	}
	memory_release(hybrid->memory, hybrid->block);
	workspace_destroy(work, hybrid->memory);
}

bool
glpk_hybrid_count(const OracleProblem *problem, const GlpkHybridEffort *effort, Memory *memory,
				  OracleAnswer *answer, GlpkHybridCounts *counts)
{
	Hybrid *hybrid = memory_allocate_zero(memory, 1, sizeof(Hybrid));
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	bool solved = false;

	hybrid->model = model;
	hybrid->problem = problem;
	hybrid->effort = effort;
	hybrid->memory = memory;
	if (oracle_reduce(problem, model))
	{
		solve(hybrid, problem, answer);
		solved = !hybrid->failed;
	}
	*counts = hybrid->counts;
	memory_release(memory, model);
	memory_release(memory, hybrid);
	return solved;
}

bool
glpk_hybrid_solve(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	GlpkHybridCounts counts;

	return glpk_hybrid_count(problem, &glpk_hybrid_effort, memory, answer, &counts);
}

bool
glpk_hybrid_suits(const Grid *grid)
{
	return grid_log2_size(grid) < SUITED_BITS;
}
