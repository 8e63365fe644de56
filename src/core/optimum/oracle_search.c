/*
 * oracle_search.c - branch and bound over boxes of the grid (theorem B4), by several threads with
 * one outcome (theorem B5).
 *
 * Bounded nodes with children left are open.  The search goes in rounds.  A round takes a fixed
 * number of children, those of the least bound first.  Each becomes a task, which searches its box
 * depth first for a fixed number of nodes, starting from the incumbent at the start of the round.
 * After the round the tasks are merged in their order: their incumbents are compared, and their
 * open nodes join the others.  A task depends on its node, its number and that incumbent only, so
 * the answer and the number of nodes are the same for any number of threads.
 *
 * Memory.  Only the calling thread allocates memory, and only between rounds.  A task works in its
 * thread's workspace and keeps its open nodes in room of its own, made before; a task without room
 * stops as if it had done its nodes.  So Memory need not be safe for threads, and may raise an
 * error.  The memory of open nodes is limited.  Beyond open_bytes the search goes deep instead of
 * wide, which opens few nodes at a time; beyond twice that the nodes that come last lose their
 * multipliers.
 */
#include "core/optimum/oracle_node.h"

#include <stdatomic.h>
#include <string.h>

#define ROUND_TASKS 16
#define NARROW_ROUND_TASKS 4 /* if memory is short */
#define TASK_NODES 16

typedef struct Task
{
	Node node;
	int64_t number; /* of the task's first node */
	Incumbent best; /* before and after */
	int64_t nodes;
	int opens; /* nodes with children left, each a descendant of the one before */
	Branch branch[TASK_NODES];
	char *room; /* of the open nodes' multipliers, one after the other */
	size_t used;
} Task;

/* A node with children left for later rounds. */
typedef struct OpenNode
{
	Branch branch;
	int64_t number;              /* counts open nodes */
	struct OpenNode *next_spent; /* another spent node */
} OpenNode;

typedef struct Search
{
	const OracleModel *model;
	const OracleEffort *effort;
	const OracleProblem *problem;
	Memory *memory;
	Incumbent best;
	int64_t nodes;
	int64_t node_limit;

	int threads;
	int workspaces;
	Workspace *workspace[CREW_MAX_THREADS];

	int wide_tasks; /* in a full round, while memory is not short */
	int tasks;      /* of the current round */
	int task_nodes;
	size_t room; /* of each task */
	Task *task[ROUND_TASKS];
	atomic_int next_task;
	atomic_int round_nodes; /* done in the current round */
	int64_t bound;          /* at the start of the round */

	OpenNode **open; /* a heap, see goes_first() */
	int opens;
	int capacity;
	int64_t numbered; /* open nodes, ever */
	int64_t bytes;    /* of the open nodes */
	bool deep;        /* the deepest nodes come first, because memory is short */
	OpenNode *spent;  /* no child left; the children are tasks of the current round */
} Search;

/* ---- tasks ---- */

/* Takes the next child of the deepest open node; false if the task has no open node left. */
static bool
take_child(const Search *search, const Workspace *work, Task *task, Node *child)
{
	while (task->opens > 0)
	{
		Branch *branch = &task->branch[task->opens - 1];

		if (branch_take(branch, search->model, &work->local.best, child))
			return true;
		task->used -= branch->multipliers.bytes;
		task->opens--;
	}
	return false;
}

/*
 * Whether another node fits the task's room.  A child needs no more than its parent: all groups of
 * a parent's cell go to one cell of the child, with no more coordinates, so it has neither more
 * cells nor more multipliers.
 */
static bool
has_room(const Search *search, const Task *task)
{
	return task->opens == 0 ||
		   search->room - task->used >= task->branch[task->opens - 1].multipliers.bytes;
}

static void
run_task(Search *search, Workspace *work, Task *task)
{
	Node node = task->node;

	local_search_resume(&work->local, &task->best, task->number);
	task->nodes = 0;
	task->opens = 0;
	task->used = 0;
	do
	{
		Branch *branch = &task->branch[task->opens];

		if (node_expand(work, &node, task->number + task->nodes, branch, task->room + task->used))
		{
			task->used += branch->multipliers.bytes;
			task->opens++;
		}
		task->nodes++;
		atomic_fetch_add(&search->round_nodes, 1);
	} while (task->nodes < search->task_nodes && has_room(search, task) &&
			 take_child(search, work, task, &node));
	task->best = work->local.best;
}

/* ---- threads ---- */

typedef struct Thread
{
	Search *search;
	Workspace *work;
} Thread;

static void
run_tasks(void *context)
{
	const Thread *thread = context;
	Search *search = thread->search;
	int t;

	while ((t = atomic_fetch_add(&search->next_task, 1)) < search->tasks)
		run_task(search, thread->work, search->task[t]);
}

/* Workspaces and tasks are made when they are first needed: many searches end at the root. */
static void
make_ready(Search *search, int threads)
{
	for (; search->workspaces < threads; search->workspaces++)
	{
		const Workspace *owner = search->workspaces > 0 ? search->workspace[0] : NULL;
		Workspace *work = memory_allocate(search->memory, 1, sizeof(Workspace));

		workspace_create(work, search->model, search->effort, owner, search->memory);
		search->workspace[search->workspaces] = work;
	}
}

static void
run_round(Search *search)
{
	Thread thread[CREW_MAX_THREADS];
	void *context[CREW_MAX_THREADS];
	int threads = search->threads < search->tasks ? search->threads : search->tasks;

	make_ready(search, threads);
	atomic_store(&search->next_task, 0);
	atomic_store(&search->round_nodes, 0);
	for (int k = 0; k < threads; k++)
	{
		thread[k] = (Thread){search, search->workspace[k]};
		context[k] = &thread[k];
	}
	crew_run(threads, run_tasks, context);
}

/* ---- open nodes ---- */

/* The order of the heap: by bound, then by depth; in a deep search by depth, then by bound. */
static bool
goes_first(const Search *search, const OpenNode *a, const OpenNode *b)
{
	int64_t gain = branch_bound(&b->branch) - branch_bound(&a->branch);
	int depth = a->branch.node.depth - b->branch.node.depth;

	if (gain != 0 && (depth == 0 || !search->deep))
		return gain > 0;
	return depth != 0 ? depth > 0 : a->number < b->number;
}

static void
sift_down(Search *search, int at)
{
	OpenNode *node = search->open[at];

	for (int child; (child = 2 * at + 1) < search->opens; at = child)
	{
		if (child + 1 < search->opens &&
			goes_first(search, search->open[child + 1], search->open[child]))
			child++;
		if (!goes_first(search, search->open[child], node))
			break;
		search->open[at] = search->open[child];
	}
	search->open[at] = node;
}

static void
sift_up(Search *search, int at)
{
	OpenNode *node = search->open[at];

	for (int parent; at > 0; at = parent)
	{
		parent = (at - 1) / 2;
		if (!goes_first(search, node, search->open[parent]))
			break;
		search->open[at] = search->open[parent];
	}
	search->open[at] = node;
}

/*
 * Switches to a deep search when open nodes take too much memory, and back when they take half of
 * that: a deep search opens few nodes at a time.
 */
static void
choose_order(Search *search)
{
	bool deep = search->bytes > search->effort->open_bytes / (search->deep ? 2 : 1);

	if (deep == search->deep)
		return;
	search->deep = deep;
	for (int k = search->opens / 2 - 1; k >= 0; k--)
		sift_down(search, k);
}

static int64_t
open_bytes(const OpenNode *node)
{
	return (int64_t) (sizeof(OpenNode) + node->branch.multipliers.bytes);
}

/*
 * Frees multipliers, first those at the end of the heap, whose nodes come late.  A child of such a
 * node starts without multipliers; its bound does not fall, because the parent's bound is kept.
 */
static void
drop_multipliers(Search *search)
{
	int64_t most = search->effort->open_bytes / 4 * 7; /* leaves room for some more */

	for (int k = search->opens - 1; k >= 0 && search->bytes > most; k--)
	{
		OpenNode *node = search->open[k];

		search->bytes -= open_bytes(node);
		multipliers_release(&node->branch.multipliers, search->memory);
		search->bytes += open_bytes(node);
	}
}

static void
add_open(Search *search, const Branch *branch)
{
	OpenNode *node = memory_allocate(search->memory, 1, sizeof(OpenNode));

	if (search->opens == search->capacity)
	{
		search->capacity = search->capacity > 0 ? 2 * search->capacity : ROUND_TASKS * TASK_NODES;
		search->open = memory_reallocate(search->memory, search->open, (size_t) search->capacity,
										 sizeof(OpenNode *));
	}
	node->branch = *branch;
	multipliers_copy(&branch->multipliers, &node->branch.multipliers, search->memory);
	node->number = search->numbered++;
	search->open[search->opens++] = node;
	search->bytes += open_bytes(node);
	sift_up(search, search->opens - 1);
	if (search->bytes > 2 * search->effort->open_bytes)
		drop_multipliers(search);
}

/*
 * Removes the heap's first node, which has no child left.  The last child taken still needs its
 * multipliers.
 */
static void
spend_first(Search *search)
{
	OpenNode *node = search->open[0];

	node->next_spent = search->spent;
	search->spent = node;
	search->open[0] = search->open[--search->opens];
	if (search->opens > 0)
		sift_down(search, 0);
}

static void
release_spent(Search *search)
{
	while (search->spent != NULL)
	{
		OpenNode *node = search->spent;

		search->spent = node->next_spent;
		search->bytes -= open_bytes(node);
		multipliers_release(&node->branch.multipliers, search->memory);
		memory_release(search->memory, node);
	}
}

/* ---- rounds ---- */

static void
add_task(Search *search, const Node *node)
{
	Task *task = search->task[search->tasks];

	if (task == NULL)
	{
		task = memory_allocate(search->memory, 1, sizeof(Task));
		task->room = memory_allocate(search->memory, 1, search->room);
		search->task[search->tasks] = task;
	}
	task->node = *node;
	task->number = search->nodes + search->tasks;
	task->best = search->best;
	search->tasks++;
}

/* The nodes left of the limit, or the most that a round can do. */
static int
nodes_left(const Search *search)
{
	int64_t left = search->node_limit - search->nodes;

	return left < ROUND_TASKS * TASK_NODES ? (int) left : ROUND_TASKS * TASK_NODES;
}

/*
 * Takes children of open nodes as tasks.  If they do not fill the round, each task does only one
 * node, so that more nodes are open for the next round.
 */
static void
fill_round(Search *search)
{
	int left = nodes_left(search);
	int full;
	Node child;

	search->tasks = 0;
	choose_order(search);
	full = search->deep ? NARROW_ROUND_TASKS : search->wide_tasks;
	if (full > left)
		full = left;
	while (search->tasks < full && search->opens > 0)
	{
		Branch *branch = &search->open[0]->branch;

		if (branch_take(branch, search->model, &search->best, &child))
			add_task(search, &child);
		if (branch->next == branch->children)
			spend_first(search);
		else
			sift_down(search, 0);
	}
	search->task_nodes = search->tasks == full ? TASK_NODES : 1;
	if (search->tasks > 0 && search->task_nodes > left / search->tasks)
		search->task_nodes = left / search->tasks;
}

static void
merge_round(Search *search)
{
	release_spent(search);
	for (int t = 0; t < search->tasks; t++)
	{
		Task *task = search->task[t];

		search->nodes += task->nodes;
		if (incumbent_precedes(search->model, &task->best, &search->best))
			search->best = task->best;
		for (int k = 0; k < task->opens; k++)
			if (task->branch[k].next < task->branch[k].children)
				add_open(search, &task->branch[k]);
	}
}

static void
report(const Search *search, OraclePhase phase, int64_t nodes)
{
	OracleProgress progress = {phase, nodes, search->bound, search->best.value};

	if (search->problem->progress != NULL)
		search->problem->progress(search->problem->progress_context, &progress);
}

/*
 * Vectors outside open nodes have been compared with the incumbent, so open nodes give the bound.
 */
static void
report_round(Search *search)
{
	search->bound = search->best.value;
	for (int k = 0; k < search->opens; k++)
		if (branch_bound(&search->open[k]->branch) < search->bound)
			search->bound = branch_bound(&search->open[k]->branch);
	report(search, search->tasks > 0 || search->opens > 0 ? ORACLE_SEARCHING : ORACLE_CERTIFIED,
		   search->nodes);
}

/* Reports during a round: only the number of nodes has changed. */
static void
report_pause(void *context)
{
	Search *search = context;

	report(search, ORACLE_SEARCHING, search->nodes + atomic_load(&search->round_nodes));
}

static void
search_create(Search *search, const OracleModel *model, const OracleEffort *effort,
			  const OracleProblem *problem, Memory *memory)
{
	size_t least;

	memset(search, 0, sizeof(*search));
	search->model = model;
	search->effort = effort;
	search->problem = problem;
	search->memory = memory;
	search->threads = problem->threads < 1                  ? 1
					  : problem->threads > CREW_MAX_THREADS ? CREW_MAX_THREADS
															: problem->threads;
	make_ready(search, 1);
	if (problem->progress != NULL)
	{
		search->workspace[0]->pause = report_pause; /* the workspace of the calling thread */
		search->workspace[0]->pause_context = search;
	}
	least = cells_most_bytes(&search->workspace[0]->relaxation.cells);
	/* As many tasks as nodes of the largest size fit the memory of the open ones. */
	search->wide_tasks = NARROW_ROUND_TASKS;
	while (search->wide_tasks < ROUND_TASKS &&
		   (size_t) search->wide_tasks * least < (size_t) effort->open_bytes)
		search->wide_tasks++;
	search->room = TASK_NODES * least;
	if (search->room > (size_t) effort->task_bytes)
		search->room = (size_t) effort->task_bytes > least ? (size_t) effort->task_bytes : least;
}

static void
search_destroy(Search *search)
{
	for (int t = 0; t < ROUND_TASKS && search->task[t] != NULL; t++)
	{
		memory_release(search->memory, search->task[t]->room);
		memory_release(search->memory, search->task[t]);
	}
	/* The first workspace owns the rows that the others borrow. */
	for (int k = search->workspaces - 1; k >= 0; k--)
	{
		workspace_destroy(search->workspace[k], search->memory);
		memory_release(search->memory, search->workspace[k]);
	}
	memory_release(search->memory, search->open);
}

void
oracle_solve(const OracleModel *model, const OracleEffort *effort, const OracleProblem *problem,
			 int64_t node_limit, Memory *memory, OracleAnswer *answer)
{
	Search *search = memory_allocate(memory, 1, sizeof(Search));
	Node root = {.box = model->box};
	Workspace *first;

	search_create(search, model, effort, problem, memory);
	search->node_limit = node_limit;
	first = search->workspace[0];
	local_search_start(&first->local, &first->relaxation.noise, effort->restarts, memory);
	search->best = first->local.best;
	report(search, ORACLE_STARTED, 0);

	search->task_nodes = 1;
	add_task(search, &root);
	while (search->tasks > 0)
	{
		run_round(search);
		merge_round(search);
		report_round(search);
		fill_round(search);
	}
	report_round(search);
	memcpy(answer->index, search->best.index, sizeof(answer->index));
	answer->nodes = search->nodes;
	search_destroy(search);
	memory_release(memory, search);
}
