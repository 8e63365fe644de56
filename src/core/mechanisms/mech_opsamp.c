/*
 * mech_opsamp.c - OPSamp of Neel, Roth, Vietri and Wu for convex losses, with a corrected stability
 * lemma, Chernoff's bound and noise on each coordinate: (epsilon, delta)-DP by theorem O2.  The
 * paper's own claim is not proved.
 */
#include <math.h>

#include "core/mechanisms/convex_opsamp.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

static bool
searches(const MechanismRequest *request)
{
	(void) request;
	return true;
}

static void
describe(const MechanismRequest *request, Facts *facts)
{
	const ConvexTerms *terms = &request->convex;
	OpsampProblem problem = convex_opsamp_problem(request);
	OpsampPlan plan;

	opsamp_plan(&problem, &plan);
	convex_describe(request, facts);
	facts_text(facts, "noise", "laplace");
	facts_number(facts, "norm", ldexp((double) terms->norm, -CONVEX_OUTPUT_BITS) / terms->radius,
				 FACT_EXACT);
	facts_integer(facts, "n", terms->rows);
	facts_integer(facts, "calls", terms->calls);
	facts_number(facts, "eta", plan.eta, FACT_EXACT);
	facts_number(facts, "stability", plan.stable / terms->radius, FACT_EXACT);
	facts_number(facts, "shift", plan.shift / terms->radius, FACT_EXACT);
	facts_number(facts, "oracle_gap", plan.gap, FACT_EXACT);
	facts_number(facts, "weight_step", ldexp(1, -CONVEX_OUTPUT_BITS) / terms->radius, FACT_EXACT);
	facts_number(facts, "weight_noise", plan.shift / problem.epsilon / terms->radius, FACT_EXACT);
}

/* The mean regularised loss above the least, and that of zero weights. */
static void
describe_error(const MechanismRequest *request, double beta, Facts *facts)
{
	OpsampProblem problem = convex_opsamp_problem(request);
	OpsampPlan plan;

	(void) beta;
	opsamp_plan(&problem, &plan);
	facts_open(facts, "error");
	facts_number(facts, "mean_loss", plan.risk * (1 + 1e-5), 6);
	facts_number(facts, "of_zero", convex_opsamp_trivial(request), 6);
	facts_close(facts);
}

const Mechanism mechanism_opsamp = {
	.name = "opsamp",
	.options = {"norm", "calls"},
	.counts_rows = true,
	.default_lambda = LAMBDA_ONE, /* only its certificate needs one; this weighs as much as a row */
	.convex = true,
	.terms = TERMS_ORACLE,
	.streams = true,
	.passes = true,
	.admit = convex_opsamp_admit,
	.release = convex_opsamp_release,
	.searches = searches,
	.describe = describe,
	.error = describe_error,
};
