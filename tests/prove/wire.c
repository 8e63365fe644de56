/*
 * wire.c - reads problems, passes, sums, answers and progress from any bytes.
 *
 * What other files say of a request is left open: the table of mechanisms may say anything of a
 * kind that exists, and a check may find anything valid that its header does not exclude.
 */
#include "core/mechanisms/wire.h"

#include "core/convex/convex_columns.h"
#include "core/convex/convex_pass.h"
#include "core/convex/net_law.h"
#include "core/mechanisms/one_vs_rest.h"

#include "any.h"

#define LENGTH_MOST 100000

static uint8_t bytes[LENGTH_MOST];

static Mechanism row;

const Mechanism *
mechanism_get(MechanismKind kind)
{
	if ((unsigned) kind >= MECHANISM_KINDS)
		return NULL;
	row.convex = any_bool();
	row.targets = any_bool();
	row.prior = any_bool();
	row.parts = any_bool();
	row.passes = any_bool();
	row.perturbs = any_bool();
	row.terms = (ConvexTermsKind) Frama_C_interval(TERMS_NOISE, TERMS_ORACLE);
	return &row;
}

/*@ assigns \result \from *request; ensures \result == 0 || \result == 1; */
extern bool mechanism_passes(const MechanismRequest *request);

/*@ assigns \result \from kind; ensures \result == 0 || \result == 1; */
extern bool mechanism_perturbs(MechanismKind kind);

/*@ assigns \result \from noise; ensures \result == 0 || \result == 1; */
extern bool perturbation_needs_delta(PerturbationNoise noise);

/*@ assigns \result \from *grid; ensures \result == 0 || \result == 1; */
extern bool grid_is_valid(const Grid *grid);

/*@ assigns \result \from *grid, *index; ensures \result == 0 || \result == 1; */
extern bool grid_contains(const Grid *grid, const int *index);

/*@ assigns \result \from *grid, group; ensures \result == 0 || \result == 1; */
extern bool select_group_is_valid(const Grid *grid, SelectGroup group);

/*@ assigns \result \from *columns, dimension; ensures \result == 0 || \result == 1; */
extern bool convex_columns_valid(const ConvexColumns *columns, int dimension);

/*@ assigns \result \from *terms, *convex; ensures \result == 0 || \result == 1; */
extern bool descent_terms_valid(const DescentTerms *terms, const ConvexTerms *convex);

/*@ assigns \result \from *convex, *terms, dimension; ensures \result == 0 || \result == 1; */
extern bool residual_terms_valid(const ConvexTerms *convex, const ResidualTerms *terms,
								 int dimension);

/*@ assigns \result \from classes, dimension, weights, bent; */
extern int64_t convex_pass_sums(int classes, int dimension, int weights, bool bent);

/*@ assigns \result \from dimension, steps; ensures 1 <= \result <= NET_MAX_POINTS + 1; */
extern int64_t net_points(int dimension, int steps);

/*@ assigns *table \from loss; ensures \initialized(table); */
extern void loss_table_make(ConvexLoss loss, LossTable *table);

/*@ assigns \result \from *table; */
extern uint64_t loss_table_digest(const LossTable *table);

/*@ assigns sums->sum[at] \from value; assigns \result \from value; ensures \result == 0 || \result == 1; */
extern bool pass_sums_add(PassSums *sums, int64_t at, Wide value);

static const char *
any_refusal(void)
{
	return any_bool() ? "refused" : NULL;
}

PerturbationRequest
mechanism_perturbation(const MechanismRequest *request)
{
	return (PerturbationRequest){.grid = &request->grid};
}

const char *
perturbation_refusal(const PerturbationRequest *request)
{
	(void) request;
	return any_refusal();
}

const char *
prior_refusal(const Grid *grid, int64_t power, int64_t epsilon, Adjacency adjacency)
{
	(void) grid;
	(void) power;
	(void) epsilon;
	(void) adjacency;
	return any_refusal();
}

bool
one_vs_rest_is_valid(const MechanismRequest *request)
{
	return request->one_vs_rest == 0 ||
		   (request->one_vs_rest >= 2 && request->one_vs_rest <= INSTANCE_MAX_CLASSES &&
			request->one_vs_rest * request->grid.dimension <= WEIGHTS_MAX && any_bool());
}

int
main(void)
{
	static MechanismRequest request;
	static MechanismAnswer answer;
	size_t length = Frama_C_unsigned_long_interval(0, LENGTH_MOST);
	Instance instance;
	Pass pass;
	PassSums sums;
	bool added[2] = {any_bool(), any_bool()};
	MechanismProgress progress;

	Frama_C_make_unknown((char *) bytes, sizeof(bytes));
	(void) wire_decode_progress(bytes, length, &progress);
	if (!wire_decode_problem(bytes, length, NULL, &request, &instance))
		return 0;
	if (wire_decode_pass(bytes, length, &request, NULL, &pass))
	{
		sums = (PassSums){.number = pass.number, .count = pass.sums, .parts = 2, .added = added};
		sums.sum = memory_allocate_zero(NULL, (size_t) pass.sums, sizeof(Wide));
		(void) wire_add_sums(bytes, length, 1, &sums);
	}
	(void) wire_decode_answer(bytes, length, &request, NULL, &answer);
	return 0;
}
