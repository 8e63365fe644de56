/*
 * test_release.c - releases follow the laws that test_privacy.c checks for privacy.
 *
 * Replay: OPDisc's answer is, bit for bit, the definition's argmin under noise that was drawn from
 * public parameters alone; nothing else is random, and the number of random bits does not depend on
 * the data.
 *
 * Audit: many releases on both of two neighbours.  The frequencies follow the
 * exact law and not one whose epsilon is 30 % off, and no answer is more likely
 * on one side than epsilon allows.
 */
#include "core/mechanisms/mechanism.h"

#include "core/fixture.h"
#include "core/law.h"
#include "core/neighbours.h"

/* Releases on each of two neighbours. */
#define AUDIT_DRAWS 30000

/*
 * The chance that one confidence bound fails; with fewer than 1000 of them in
 * this file, a false alarm has a chance below 1e-12.
 */
#define AUDIT_LOG_ALPHA (-16.0 * M_LN10)

static MechanismRequest
make_request(MechanismKind kind, const Grid *grid, int64_t epsilon, Adjacency adjacency)
{
	return (MechanismRequest){
		.kind = kind, .epsilon = epsilon, .adjacency = adjacency, .grid = *grid, .threads = 1};
}

/* ---- replay ---- */

static void
replay_definition(const MechanismRequest *request, const Instance *instance, Bits *replayed,
				  OracleAnswer *answer)
{
	mpz_t *reward = integers_create(LAW_DIMENSION * GRID_MAX_LEVELS, memory);
	mpz_t *level_reward = integers_create(GRID_MAX_STATES, memory);
	PerturbationRequest asked = mechanism_perturbation(request);
	Perturbation perturbation;
	Grid grid;

	perturbation_choose(&perturbation, &asked);
	perturbation_grid(&perturbation, &request->grid, &grid);
	perturbation_draw(&perturbation, &request->grid, replayed, memory, reward, level_reward);
	oracle_enumerate(
		&(OracleProblem){
			.instance = instance,
			.grid = &grid,
			.scale = perturbation.scale,
			.reward = (const mpz_t *) reward,
			.level_reward =
				perturbation.features == FEATURES_SPHERE ? (const mpz_t *) level_reward : NULL,
		},
		memory, answer);
	integers_destroy(reward, LAW_DIMENSION * GRID_MAX_LEVELS, memory);
	integers_destroy(level_reward, GRID_MAX_STATES, memory);
}

static void
check_replay(const MechanismRequest *request, const Instance *instance, uint64_t seed)
{
	TestStream released_stream;
	TestStream replayed_stream;
	Bits released_bits;
	Bits replayed_bits;
	MechanismAnswer released;
	OracleAnswer replayed;

	teststream_seed(&released_stream, seed);
	teststream_seed(&replayed_stream, seed);
	bits_init(&released_bits, teststream_fill, &released_stream);
	bits_init(&replayed_bits, teststream_fill, &replayed_stream);
	mechanism_get(request->kind)
		->release(
			request, instance,
			&(MechanismTools){.bits = &released_bits, .memory = memory, .oracle = oracle_search},
			&released);
	replay_definition(request, instance, &replayed_bits, &replayed);
	CHECK(grid_compare(&request->grid, released.index, replayed.index) == 0);
	CHECK(memcmp(&released_stream, &replayed_stream, sizeof(TestStream)) == 0);
	CHECK(released_bits.left == replayed_bits.left);
}

static void
test_replay(void)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 4 * EPSILON_ONE,
									   20 * EPSILON_ONE};
	const Shape shapes[] = {shape_signs(1),     shape_signs(3),    shape_ternary(3),
							shape_five(),       shape_ball(),      shape_round_ball(),
							shape_sparse(3, 1), shape_sparse(3, 2)};
	int count = sizeof(shapes) / sizeof(shapes[0]);

	for (int k = 0; k < check_repetitions(3000); k++)
	{
		const Grid *grid = &shapes[k % count].grid;
		Adjacency adjacency = k % 3 == 0 ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE;
		MechanismRequest request = make_request(k % 5 < 3 ? MECHANISM_OPDISC : MECHANISM_RSPM, grid,
												epsilons[k / count % 4], adjacency);
		PerturbationRequest asked;
		RowsPair pair = random_pair(&stream, grid->dimension, adjacency, LAW_ROWS - 1);
		uint64_t seed = teststream_next(&stream);

		/* every other one with another noise, of which Gaussian ones take long to calibrate */
		if (k % 2 == 1)
			request.noise = (PerturbationNoise) (k / 2 % PERTURBATION_NOISES);
		asked = mechanism_perturbation(&request);
		if (perturbation_refusal(&asked) != NULL)
			request.noise = PERTURBATION_GAUGE;
		if (perturbation_needs_delta(request.noise))
			request.delta = DELTA_ONE / 1000;

		for (int side = 0; side < 2; side++)
		{
			Instance instance;

			dataset_instance(&pair.data[side], grid->dimension, memory, &instance);
			check_replay(&request, &instance, seed);
		}
		memory_renew();
	}
}

/* ---- audit ---- */

/* n times the Kullback-Leibler divergence of coins with biases share and p. */
static double
log_chernoff(double n, double share, double p)
{
	double sum = 0.0;

	if (share > 0.0)
		sum += share * log(share / p);
	if (share < 1.0)
		sum += (1.0 - share) * log((1.0 - share) / (1.0 - p));
	return n * sum;
}

/*
 * By the Chernoff bound a coin of bias p shows a share on the far side of it with
 * probability at most exp(-log_chernoff); so a p for which that is below alpha can
 * be excluded.  direction -1 gives the lower bound of p, +1 the upper one.
 */
static double
confidence_bound(int64_t count, int direction)
{
	double share = (double) count / AUDIT_DRAWS;
	double inside = share;
	double outside = direction < 0 ? 0.0 : 1.0;

	for (int k = 0; k < 60; k++)
	{
		double middle = (inside + outside) / 2;

		if (log_chernoff(AUDIT_DRAWS, share, middle) > -AUDIT_LOG_ALPHA)
			outside = middle;
		else
			inside = middle;
	}
	return outside;
}

typedef struct Audit
{
	MechanismRequest request;
	VectorList list;
	LossTable table;
	int64_t count[2][LAW_VECTORS];
} Audit;

static void
exact_law(PairLaw *law, const Audit *audit, int64_t epsilon)
{
	const MechanismRequest *request = &audit->request;
	int vectors = audit->list.count;
	SelectProblem problem = {.instance = &audit->table.instance[0],
							 .grid = &request->grid,
							 .epsilon = epsilon,
							 .adjacency = request->adjacency};
	PerturbationRequest asked = mechanism_perturbation(request);
	Perturbation perturbation;

	switch (request->kind)
	{
		case MECHANISM_EXPONENTIAL:
			exponential_law(law, &audit->table, vectors, select_rate(&problem));
			break;
		case MECHANISM_PERMUTE_FLIP:
			permute_flip_law(law, &audit->table, vectors, select_rate(&problem));
			break;
		default:
			asked.epsilon = epsilon;
			perturbation_choose(&perturbation, &asked);
			(void) lattice_law(law, &perturbation.gauge, &request->grid, &audit->list,
							   &audit->table, DECIDE_DIRECTLY, 1e-4L, memory);
	}
}

/* p-value of a side's frequencies under a law. */
static double
audit_p_value(const Audit *audit, const PairLaw *law, int side)
{
	double weight[LAW_VECTORS];

	for (int w = 0; w < law->vectors; w++)
		weight[w] = (double) law->mass[side][w];
	return law_p_value(audit->count[side], weight, law->vectors);
}

static void
draw_audit(Audit *audit)
{
	const Mechanism *mechanism = mechanism_get(audit->request.kind);
	MechanismTools tools = {.bits = &bits, .memory = memory, .oracle = oracle_search};

	for (int side = 0; side < 2; side++)
		for (int k = 0; k < AUDIT_DRAWS; k++)
		{
			MechanismAnswer answer;

			mechanism->release(&audit->request, &audit->table.instance[side], &tools, &answer);
			audit->count[side][vector_number(&audit->list, &audit->request.grid, answer.index)]++;
		}
}

static void
check_log_ratios(const Audit *audit, double epsilon)
{
	for (int w = 0; w < audit->list.count; w++)
		for (int side = 0; side < 2; side++)
		{
			double least = confidence_bound(audit->count[side][w], -1);
			double most = confidence_bound(audit->count[1 - side][w], 1);

			CHECK(least <= most * exp(epsilon));
		}
}

typedef struct AuditCase
{
	MechanismKind kind;
	Shape shape;
	int64_t epsilon;
	Adjacency adjacency;
	PerturbationNoise noise; /* with an exact law */
} AuditCase;

static void
check_audit(const AuditCase *c)
{
	const Grid *grid = &c->shape.grid;
	Audit audit = {.request = make_request(c->kind, grid, c->epsilon, c->adjacency)};
	RowsPair pair = separating_pair(&c->shape, c->adjacency, 1);
	PairLaw truth;
	PairLaw other;

	audit.request.noise = c->noise;
	list_vectors(&audit.list, grid);
	list_losses(&audit.table, &pair, grid, &audit.list, memory);
	draw_audit(&audit);
	check_log_ratios(&audit, (double) c->epsilon / (double) EPSILON_ONE);

	exact_law(&truth, &audit, c->epsilon);
	for (int side = 0; side < 2; side++)
		CHECK(audit_p_value(&audit, &truth, side) > LAW_THRESHOLD);
	if (c->epsilon >= EPSILON_ONE)
	{
		exact_law(&other, &audit, c->epsilon / 10 * 13);
		CHECK(audit_p_value(&audit, &other, 0) < LAW_THRESHOLD ||
			  audit_p_value(&audit, &other, 1) < LAW_THRESHOLD);
	}
	memory_renew();
}

static void
test_audit(void)
{
	const int64_t one = EPSILON_ONE;
	const PerturbationNoise gauge = PERTURBATION_GAUGE;
	const PerturbationNoise laplace = PERTURBATION_LAPLACE;
	const AuditCase cases[] = {
		{MECHANISM_OPDISC, shape_ternary(1), one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_EXPONENTIAL, shape_signs(2), one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_PERMUTE_FLIP, shape_signs(2), one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_OPDISC, shape_signs(1), one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_EXPONENTIAL, shape_ternary(1), one, ADJACENCY_ADD_REMOVE, gauge},
		{MECHANISM_PERMUTE_FLIP, shape_ternary(1), one, ADJACENCY_ADD_REMOVE, gauge},
		{MECHANISM_OPDISC, shape_signs(2), one, ADJACENCY_ADD_REMOVE, gauge},
		{MECHANISM_EXPONENTIAL, shape_signs(2), 4 * one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_PERMUTE_FLIP, shape_signs(2), 4 * one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_OPDISC, shape_signs(1), 4 * one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_OPDISC, shape_sparse(2, 1), 4 * one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_OPDISC, shape_signs(2), 2 * one, ADJACENCY_REPLACE, laplace},
		{MECHANISM_RSPM, shape_signs(2), 4 * one, ADJACENCY_REPLACE, gauge},
		{MECHANISM_RSPM, shape_ternary(1), 4 * one, ADJACENCY_REPLACE, laplace},
		{MECHANISM_EXPONENTIAL, shape_signs(2), one / 10, ADJACENCY_REPLACE, gauge},
		{MECHANISM_PERMUTE_FLIP, shape_signs(2), one / 10, ADJACENCY_REPLACE, gauge},
		{MECHANISM_OPDISC, shape_signs(1), one / 10, ADJACENCY_REPLACE, gauge},
	};
	int count = sizeof(cases) / sizeof(cases[0]);

	/* The bounds need all draws of a case, so a share of the work is fewer cases. */
	for (int k = 0; k < check_repetitions(count); k++)
		check_audit(&cases[k]);
}

int
main(void)
{
	test_begin(29);
	test_replay();
	test_audit();
	return test_end("release");
}
