/*
 * mech_sample_aggregate.c - parts of the rows vote (theorems F5 and F6).
 *
 * Fair dice divide the rows into parts, each part votes for the vector that suits it best, and the
 * exponential mechanism over all of W draws from the votes with exponent epsilon / 2 for each vote.
 * For any throw of the dice the draw is epsilon-DP of bounded range epsilon (select_vote.c).  The
 * mean over throws is epsilon-DP, too.  Its privacy loss may leave every interval of length
 * epsilon, but the conclusions from bounded range hold: Renyi divergences are quasi-convex,
 * hockey-stick divergences jointly convex.
 *
 * The guarantee asks nothing of a solver, because a part may answer with any vector.  So a part
 * searches a limited number of nodes and votes for the best vector seen, and the mechanism is
 * certain to finish (rule F3).  A time limit or a lack of memory ends the whole release, not a
 * part.
 */
#include "core/mechanisms/mechanism.h"

#include <math.h>

#include "core/grid/grid_draw.h"
#include "core/mechanisms/sample.h"
#include "core/mechanisms/utility.h"

/*
 * Seconds of a node on a slow machine: of any part, and for each of the part's rows and
 * coordinates. The rows of all parts are those of the table.
 */
#define NODE_SECONDS 30e-6
#define NODE_ROW_SECONDS 50e-9
#define NODE_STATE_SECONDS 20e-9

/* The range of the default number of parts. */
#define LEAST_PARTS 16
#define MOST_DEFAULT_PARTS 4096

/* The default number of nodes that a part searches, fewer if the longest run allows no more. */
#define DEFAULT_PART_NODES 1000

/* The default number of parts leaves this many rows of a part for each coordinate. */
#define ROWS_PER_COORDINATE 2

/* Seconds for every node that a part may search. */
static double
node_seconds(const MechanismRequest *request)
{
	double d = request->grid.dimension;
	double part = NODE_SECONDS + NODE_STATE_SECONDS * d * grid_states(&request->grid);

	return request->parts * part + NODE_ROW_SECONDS * d * request->run.rows;
}

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	verdict->cost = (uint64_t) request->parts * (uint64_t) request->part_nodes;
	verdict->most = (double) request->part_nodes * node_seconds(request);
	verdict->expected = verdict->most / 15;
	verdict->admitted = true;
}

int64_t
sample_aggregate_nodes(const MechanismRequest *request)
{
	double fit = request->run.longest / node_seconds(request);

	return (int64_t) fmax(1, fmin(fit, DEFAULT_PART_NODES));
}

/* Twice the lead that wins, so half of the parts have to agree. */
int
sample_aggregate_parts(const Grid *grid, int64_t epsilon, int64_t rows)
{
	double parts = ceil(2 * utility_lead(grid, epsilon, 0.05));

	if (rows > 0)
		parts = fmin(parts, (double) (rows / (ROWS_PER_COORDINATE * (int64_t) grid->dimension)));
	return (int) fmax(LEAST_PARTS, fmin(parts, MOST_DEFAULT_PARTS));
}

static void
draw_answer(const MechanismRequest *request, const SampleBallot *ballot, Bits *bits, Memory *memory,
			int *index)
{
	GridCounts counts;
	int64_t winner;

	grid_counts_create(&counts, &request->grid, memory);
	winner = select_vote(select_vote_rate(request->epsilon), ballot->count, NULL,
						 ballot->candidates, grid_counts_size(&counts), bits);
	if (winner < 0)
		grid_draw(&counts, bits, index);
	else
		for (int j = 0; j < request->grid.dimension; j++)
			index[j] = ballot->candidate[winner].index[j];
	grid_counts_destroy(&counts, memory);
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	SampleEffort effort = {&request->grid, request->part_nodes, request->threads};
	Memory *memory = tools->memory;
	SampleSplit split;
	SampleBallot ballot;

	sample_split(&split, instance, request->parts, tools->bits, memory);
	sample_vote(&ballot, &split, &effort, memory);
	sample_split_destroy(&split, memory);
	draw_answer(request, &ballot, tools->bits, memory, answer->index);
	answer->loss = instance_loss(instance, &request->grid, answer->index);
	answer->nodes = ballot.nodes;
	sample_ballot_destroy(&ballot, memory);
}

static void
describe(const MechanismRequest *request, Facts *facts)
{
	facts_integer(facts, "parts", request->parts);
	facts_integer(facts, "part_nodes", request->part_nodes);
}

/*
 * How far parts agree depends on the data, so the error is null and the lead in votes that wins is
 * told instead (utility.h).
 */
static void
describe_error(const MechanismRequest *request, double beta, Facts *facts)
{
	facts_add(facts, (Fact){.kind = FACT_NULL, .name = "error"});
	facts_open(facts, "lead");
	facts_fixed(facts, "votes", ceil(utility_lead(&request->grid, request->epsilon, beta)), 0);
	facts_number(facts, "beta", beta, 6);
	facts_close(facts);
}

const Mechanism mechanism_sample_aggregate = {
	.name = "sample_aggregate",
	.options = {"parts", "part_nodes"},
	.bounded_range = true,
	.every_row = true,
	.parts = true,
	.admit = admit,
	.release = release,
	.describe = describe,
	.error = describe_error,
	.exponent = "exponent_per_vote",
};
