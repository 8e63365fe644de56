/*
 * mechanism.h - the table of mechanisms: what each asks for, admits and releases.
 *
 * A request holds public parameters only.  From them alone, before any row is read, admit() decides
 * whether the mechanism may run and whether it is certain to finish (rule F3).  release() then runs
 * in the solver process, on the training set and the random bits.
 */
#ifndef DPOBJ_CORE_MECHANISM_H
#define DPOBJ_CORE_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/base/facts.h"
#include "core/convex/convex_scale.h"
#include "core/convex/descent.h"
#include "core/convex/residual.h"
#include "core/grid/grid.h"
#include "core/grid/prior.h"
#include "core/rows/encoding.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"
#include "core/optimum/oracle.h"
#include "core/mechanisms/run_terms.h"
#include "core/pool/pool_select.h"
#include "core/noise/pair_law.h"
#include "core/noise/perturbation.h"
#include "core/base/privacy.h"
#include "core/exponential/select.h"
#include "core/simplex/simplex.h"

/*
 * The mechanisms: MECHANISM_X is mechanism_x of mech_x.c.  Users see them in this order.  If two
 * have a name in common, the name means the first.
 */
#define MECHANISMS(ROW)                                                                            \
	ROW(EXPONENTIAL, exponential)                                                                  \
	ROW(PERMUTE_FLIP, permute_flip)                                                                \
	ROW(OPDISC, opdisc)                                                                            \
	ROW(RSPM, rspm)                                                                                \
	ROW(SAMPLE_AGGREGATE, sample_aggregate)                                                        \
	ROW(OBJECTIVE, objective)                                                                      \
	ROW(OUTPUT, output)                                                                            \
	ROW(POOL, pool)                                                                                \
	ROW(CONVEX_EXPONENTIAL, convex_exponential)                                                    \
	ROW(LOCALIZED, localized)                                                                      \
	ROW(OPSAMP, opsamp)                                                                            \
	ROW(SGD, sgd)                                                                                  \
	ROW(DESCENT, descent)                                                                          \
	ROW(SIMPLEX, simplex)                                                                          \
	ROW(LINEAR, linear)

typedef enum MechanismKind
{
#define KIND(upper, lower) MECHANISM_##upper,
	MECHANISMS(KIND)
#undef KIND
		MECHANISM_KINDS
} MechanismKind;

/* What the guarantee of a release rests on. */
typedef enum MechanismProof
{
	PROOF_EXACT,   /* the law that is drawn, with its scale, is the law that is proved */
	PROOF_FLOAT,   /* doubles decide, and no margin is proved; of no mechanism at present */
	PROOF_UNPROVEN /* as published: no proof, and counterexamples elsewhere */
} MechanismProof;

/* Which program finds the certified optimum; all find the same one. */
typedef enum SolverKind
{
	SOLVER_AUTO, /* the one that measurements show to be quicker for the grid (rule B9) */
	SOLVER_NATIVE,
	SOLVER_GLPK,
	SOLVER_GLPK_LITERAL,
	SOLVER_KINDS
} SolverKind;

/* Limits of what a request for sample_aggregate can hold; admit() is stricter. */
#define SAMPLE_MAX_PARTS 65536
#define SAMPLE_MAX_PART_NODES 1000000

/* The second stage of pool (pool_select.h). */
typedef struct PoolTerms
{
	int64_t epsilon; /* nano-units, of the request's epsilon; the rest finds the centre */
	int64_t rows;    /* the declared number */
	int rounds;
} PoolTerms;

typedef struct MechanismRequest
{
	MechanismKind kind;
	int64_t epsilon;         /* nano-units */
	int64_t delta;           /* atto-units; 0 unless the noise needs it */
	PerturbationNoise noise; /* of opdisc and rspm; gauge for the others */
	Adjacency adjacency;
	Grid grid;
	int64_t prior_power; /* of the prior over the grid (prior.h), in thousandths; 0: uniform */
	SelectGroup group;   /* a declared one-hot group that may be summed out; size 0: none */
	SolverKind solver;
	/*
	 * Of a halfspace for each class against the others (one_vs_rest.h) their number, and epsilon
	 * and delta are those of each; rows have the class, times FIXED_POINT_ONE, in front.  Else 0.
	 */
	int one_vs_rest;
	int parts;          /* of sample_aggregate, 1 .. SAMPLE_MAX_PARTS; else 0 */
	int64_t part_nodes; /* the most that a part searches, 1 .. SAMPLE_MAX_PART_NODES; else 0 */
	int threads;
	bool progress; /* report progress to the owner? */
	RunTerms run;  /* what is public about the length of the run; not sent to the solver */
	/*
	 * Of exponential: the tree sampler's effort before the enumeration, 0 if it is not tried and
	 * TREE_NO_LIMIT if nothing follows it (run_of_grid()).
	 */
	int64_t effort;
	Pause pause; /* called while the noise is calibrated */
	/*
	 * Convex mechanisms; the grid then has the dimension only, and 0 as the one level of each
	 * weight.  With classes the weights of a class are in one piece, and rows have the class, times
	 * FIXED_POINT_ONE, in front of the features.
	 */
	ConvexTerms convex;
	DescentTerms descent;   /* of sgd; else all 0 */
	ResidualTerms residual; /* of descent; else all 0 */
	SimplexTerms simplex;   /* of simplex, whose grid has the dimension only, too */
	PoolTerms pool;         /* of pool; else all 0 */
} MechanismRequest;

/* Only the vector is released.  loss and nodes are for the owner's tests. */
typedef struct MechanismAnswer
{
	int index[WEIGHTS_MAX]; /* with rest of each class, one behind the other */
	int64_t loss;
	int64_t nodes;
	/*
	 * mechanism_weights() of them, in the memory of who answers, or NULL for a mechanism over a
	 * grid. convex: R times the weights, of pool the weights, in units of 2^-20; simplex: draws.
	 */
	int64_t *weight;
	PoolRecord pool; /* of pool */
} MechanismAnswer;

/*
 * How far a release is.  This depends on the data and the noise, so only the table's owner may see
 * it, never an analyst (rule B10).
 */
typedef struct MechanismProgress
{
	bool sampling;     /* by the tree sampler; else a search for the optimum */
	int64_t nodes;     /* searched boxes of the grid */
	int64_t attempts;  /* of the sampler */
	int64_t bound;     /* no vector's objective is lower */
	int64_t incumbent; /* the best vector's objective so far */
	uint64_t scale;    /* a misclassified row in units of the objective */
} MechanismProgress;

/* What the caller of a release provides. */
typedef struct MechanismTools
{
	Bits *bits;
	Memory *memory;
	/* finds the certified optimum: oracle_search() or another function of its contract */
	void (*oracle)(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);
	void (*progress)(void *context, const MechanismProgress *progress); /* or NULL */
	void *progress_context;
} MechanismTools;

/* A public verdict, with the numbers that explain it. */
typedef struct MechanismVerdict
{
	bool admitted; /* are the terms in range? */
	/*
	 * Configurations to be enumerated (saturating), nodes to be searched or points of a net; 0 if
	 * the mechanism has no such cost.
	 */
	uint64_t cost;
	double expected;    /* seconds of a usual run */
	double most;        /* seconds of any run; both infinite if no bound is known */
	double usual_bytes; /* of a usual run */
	double bytes;       /* of any run */
	double holds;       /* the most distinct rows that fit; infinite without a limit, 0 in passes */
	bool finishes;      /* does it certainly end within the longest run and the memory (rule F3)? */
} MechanismVerdict;

/* In misclassified rows. */
typedef struct UtilityBound
{
	double rows; /* P(excess >= rows) <= beta if rows > 0; the excess is an integer */
	double mean; /* E(excess) <= mean */
	/*
	 * The same for the excess over the best vector of weights -1, 0 and 1, which a prior is not
	 * much against; small is false without a prior, or without such vectors in the grid.
	 */
	bool small;
	double small_rows;
	double small_mean;
} UtilityBound;

/* What a convex mechanism asks for besides loss, radius and regularisation. */
typedef enum ConvexTermsKind
{
	TERMS_NOISE,    /* the noise of output or objective perturbation */
	TERMS_BODY,     /* a ball of weights and a net of it (convex_net.h) */
	TERMS_DESCENT,  /* DescentTerms */
	TERMS_RESIDUAL, /* the columns, then ResidualTerms */
	TERMS_POOL,     /* the noise of objective perturbation, then PoolTerms */
	TERMS_ORACLE    /* a cube of weights and calls of an oracle (convex_opsamp.h) */
} ConvexTermsKind;

/* The most option names of a row. */
#define MECHANISM_OPTIONS 5

/*
 * A row of the table: all that differs between mechanisms.  Flags are false, numbers 0 and
 * functions NULL if the row does not mention them.
 */
typedef struct Mechanism
{
	const char *name; /* as in the option "mechanism" */
	const char *also; /* another name for it */
	/* The options for this mechanism that are not for every mechanism of its method. */
	const char *options[MECHANISM_OPTIONS];

	/* -- what it asks for -- */

	bool convex; /* real weights for a convex loss: rows carry both label counts */
	/* rows carry a target in front of the features (core/simplex/simplex.h, core/convex/convex.h)
	 */
	bool targets;
	/* needs labels of equal rows that are not cancelled out (rows_instance() with apart) */
	bool every_row;
	/* reads rows in passes, with both counts of labels; others need all distinct rows in memory */
	bool streams;
	/*
	 * learns of the rows by sums of passes alone (core/rows/pass.h), so that they may be elsewhere;
	 * mechanism_passes() says whether a request does
	 */
	bool passes;
	bool counts_rows;  /* needs the declared number of rows */
	bool prior;        /* its law may have a public prior over the grid (prior.h) */
	bool default_grid; /* its grid may be chosen automatically (grid_default.h) */
	bool perturbs;   /* adds noise to an objective: has a noise to choose and an optimum to find */
	bool separators; /* its noise is on thresholds of single weights */
	bool parts;      /* divides the rows into parts, each of which searches some nodes */
	bool centred;    /* spends half of epsilon on a centre, by output perturbation */
	/* -- convex mechanisms -- */
	ConvexTermsKind terms;
	ConvexKind noise_on;    /* the answer or the objective */
	int64_t default_lambda; /* 0: by its noise (convex_default.h) */
	double clip_share;      /* the default radius as a share of the longest row; 0: all of it */

	/* -- what it is -- */

	/*
	 * Its laws have bounded range, or are means of such laws over coins that do not depend on the
	 * rows. Then rho = epsilon^2 / 8 instead of epsilon^2 / 2 (theorem A3; PAIR_RANGE of
	 * pair_law.h).
	 */
	bool bounded_range;
	/*
	 * The name, for the ledger, of the factor of a misclassified row, or of a vote, in the
	 * exponent.
	 */
	const char *exponent;
	/* Sets all of a verdict but finishes; what it does not set is 0. */
	void (*admit)(const MechanismRequest *request, MechanismVerdict *verdict);
	void (*release)(const MechanismRequest *request, const Instance *instance,
					const MechanismTools *tools, MechanismAnswer *answer);
	/* Refines pair, which holds the claim, by what else is known of the laws. */
	void (*pair)(const MechanismRequest *request, Pair *pair);
	bool (*searches)(const MechanismRequest *request); /* does the calibration take long? */
	/* The error bound over a grid of at least two vectors (utility.h). */
	void (*bound)(const MechanismRequest *request, double beta, UtilityBound *bound);
	/* Up to so many rows the noise outweighs all that rows can say (rule U19); NULL: not known. */
	double (*useless_rows)(const MechanismRequest *request, const Encoding *encoding);
	/* Public facts about noise or parts, for the ledger and the model's details. */
	void (*describe)(const MechanismRequest *request, Facts *facts);
	/* The error bound that fails with probability beta, for prices. */
	void (*error)(const MechanismRequest *request, double beta, Facts *facts);
} Mechanism;

extern const Mechanism *mechanism_get(MechanismKind kind);

/* The largest dimension of a request's grid, which is plain beyond GRID_MAX_DIMENSION. */
static inline int
mechanism_most_dimension(const Mechanism *mechanism)
{
	if (mechanism->terms == TERMS_RESIDUAL)
		return COLUMNS_MAX; /* it has no classes */
	return mechanism->targets || (mechanism->convex && (mechanism->terms == TERMS_NOISE ||
														mechanism->terms == TERMS_DESCENT))
			   ? WEIGHTS_MAX
			   : GRID_MAX_DIMENSION;
}

/* The number of features of a row: of weights, or of those of a class. */
static inline int
mechanism_features(const MechanismRequest *request)
{
	return request->grid.dimension / (request->convex.classes > 0 ? request->convex.classes : 1);
}

/* The number of weights of an answer: one for a column or, if it has levels, for each of them. */
static inline int
mechanism_weights(const MechanismRequest *request)
{
	return levels_weights(request->convex.levels, request->grid.dimension) *
		   (request->one_vs_rest > 0 ? request->one_vs_rest : 1);
}

/* Makes room for the weights of an answer. */
static inline void
mechanism_make_weights(const MechanismRequest *request, Memory *memory, MechanismAnswer *answer)
{
	answer->weight =
		memory_allocate_zero(memory, (size_t) mechanism_weights(request), sizeof(int64_t));
}

/*
 * The verdict on a request, by admit() of its mechanism, the longest run and the memory.  With rest
 * the longest run is that of one halfspace, and the seconds are those of all.
 */
extern MechanismVerdict mechanism_verdict(const MechanismRequest *request);

/* The release of a request, for each class if there are several. */
extern void mechanism_release(const MechanismRequest *request, const Instance *instance,
							  const MechanismTools *tools, MechanismAnswer *answer);

/*
 * Does the release of a request learn of the rows by sums of passes alone?  A random batch of rows
 * is no function of each row, so that descent with batches does not.
 */
extern bool mechanism_passes(const MechanismRequest *request);

/* Mechanism.perturbs; false for a kind that does not exist. */
extern bool mechanism_perturbs(MechanismKind kind);

/* The noise of a request that perturbs; points to the request's grid. */
extern PerturbationRequest mechanism_perturbation(const MechanismRequest *request);

/* The prior over the grid as a fact: "uniform", or its power. */
extern void mechanism_describe_prior(const MechanismRequest *request, Facts *facts);

extern MechanismProof mechanism_proof(const MechanismRequest *request);

#define ENTRY(upper, lower) extern const Mechanism mechanism_##lower;
MECHANISMS(ENTRY)
#undef ENTRY

/*
 * The default number of parts of sample_aggregate; rows is the declared number, 0 if there is none.
 */
extern int sample_aggregate_parts(const Grid *grid, int64_t epsilon, int64_t rows);

/* The default number of nodes that a part searches, once all else of the request is set. */
extern int64_t sample_aggregate_nodes(const MechanismRequest *request);

/* Draws of a request for simplex (simplex_scale.h, simplex_draws()). */
extern int64_t simplex_request_draws(const MechanismRequest *request);

#endif
