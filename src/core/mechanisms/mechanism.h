/*
 * mechanism.h - the table of mechanisms: what each asks for, admits and releases.
 *
 * A request holds public parameters only.  mechanism_admit() decides from them
 * alone, before any row is read, whether the mechanism is sure to finish
 * (rule F3) or at least well posed; release() then runs in the solver
 * process on the training set and the random bits.
 */
#ifndef DPOBJ_CORE_MECHANISM_H
#define DPOBJ_CORE_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/base/facts.h"
#include "core/convex/convex_scale.h"
#include "core/convex/descent.h"
#include "core/grid/grid.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"
#include "core/optimum/oracle.h"
#include "core/noise/pair_law.h"
#include "core/noise/perturbation.h"
#include "core/base/privacy.h"
#include "core/exponential/select.h"
#include "core/simplex/simplex.h"

/*
 * The mechanisms, one row each: MECHANISM_X is mechanism_x of mech_x.c.  Where two have a name in
 * common, the first is meant; users see them in this order.
 */
#define MECHANISMS(ROW)                                                                            \
	ROW(EXPONENTIAL, exponential)                                                                  \
	ROW(PERMUTE_FLIP, permute_flip)                                                                \
	ROW(OPDISC, opdisc)                                                                            \
	ROW(RSPM, rspm)                                                                                \
	ROW(SAMPLE_AGGREGATE, sample_aggregate)                                                        \
	ROW(OBJECTIVE, objective)                                                                      \
	ROW(OUTPUT, output)                                                                            \
	ROW(CONVEX_EXPONENTIAL, convex_exponential)                                                    \
	ROW(LOCALIZED, localized)                                                                      \
	ROW(OPSAMP, opsamp)                                                                            \
	ROW(SGD, sgd)                                                                                  \
	ROW(SIMPLEX, simplex)

typedef enum MechanismKind
{
#define KIND(upper, lower) MECHANISM_##upper,
	MECHANISMS(KIND)
#undef KIND
		MECHANISM_KINDS
} MechanismKind;

/* On what the guarantee of a release rests, without limits. */
typedef enum MechanismProof
{
	PROOF_EXACT,   /* the law that is drawn is the law that is proved, its scale included */
	PROOF_FLOAT,   /* doubles decide something, and no margin is proved; no mechanism has it */
	PROOF_UNPROVEN /* as published: no proof, and counterexamples elsewhere */
} MechanismProof;

/* Who finds the certified optimum: the same one, whoever it is. */
typedef enum SolverKind
{
	SOLVER_AUTO, /* the quicker by measurement (rule B9), from the grid alone */
	SOLVER_NATIVE,
	SOLVER_GLPK,
	SOLVER_GLPK_LITERAL,
	SOLVER_KINDS
} SolverKind;

/* Sample and aggregate: as many as the ledger can tell apart; admit() is stricter. */
#define SAMPLE_MAX_PARTS 65536
#define SAMPLE_MAX_PART_NODES 1000000

typedef struct MechanismRequest
{
	MechanismKind kind;
	int64_t epsilon;         /* nano-units */
	int64_t delta;           /* atto-units; 0 unless the noise needs it */
	PerturbationNoise noise; /* of opdisc and rspm; gauge for the others */
	Adjacency adjacency;
	Grid grid;
	SelectGroup group; /* the declared one-hot group that may be summed out; size 0: none */
	SolverKind solver;
	int parts;          /* of sample_aggregate, 1 .. SAMPLE_MAX_PARTS; else 0 */
	int64_t part_nodes; /* that a part may search, 1 .. SAMPLE_MAX_PART_NODES; else 0 */
	int threads;
	bool progress; /* is anybody to be told how far it is? */
	Pause pause;   /* called while the noise is calibrated */
	/* Of a convex mechanism; its grid then holds the dimension only, each weight fixed at 0. */
	ConvexTerms convex;
	DescentTerms descent; /* of sgd; else all 0 */
	SimplexTerms simplex; /* of one with targets, whose grid likewise holds the dimension only */
} MechanismRequest;

/* What a release gives away: the vector.  loss and nodes are for the owner's tests only. */
typedef struct MechanismAnswer
{
	int index[GRID_MAX_DIMENSION];
	int64_t loss;
	int64_t nodes;
	int64_t
		weight[GRID_MAX_DIMENSION]; /* convex: R times them, in units of 2^-20; simplex: draws */
} MechanismAnswer;

/*
 * How far a release is.  It depends on the data and on the noise: for the table's
 * owner only, never for an analyst (rule B10).
 */
typedef struct MechanismProgress
{
	bool sampling;     /* the tree sampler; else a search for the optimum */
	int64_t nodes;     /* boxes of the grid looked into */
	int64_t attempts;  /* of the sampler */
	int64_t bound;     /* no vector's objective is lower */
	int64_t incumbent; /* the best vector's objective so far */
	uint64_t scale;    /* a misclassified row in units of the objective */
} MechanismProgress;

/* What a release works with. */
typedef struct MechanismTools
{
	Bits *bits;
	Memory *memory;
	/* finds the certified optimum: oracle_search() or its like */
	void (*oracle)(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);
	void (*progress)(void *context, const MechanismProgress *progress); /* or NULL */
	void *progress_context;
} MechanismTools;

/* A public verdict, with the numbers that explain it. */
typedef struct MechanismVerdict
{
	bool admitted;
	bool
		finishes; /* for sure, from public parameters (T3); else nothing but its end ends it (T4) */
	/*
	 * Configurations that would be enumerated, saturating, or nodes that
	 * sample_aggregate would search; 0: there is no such number.  And the most.
	 */
	uint64_t cost;
	uint64_t limit;
} MechanismVerdict;

/* In misclassified rows. */
typedef struct UtilityBound
{
	double rows; /* P(excess >= rows) <= beta where rows > 0; the excess is an integer */
	double mean; /* E(excess) <= mean */
} UtilityBound;

/* Option names of a row. */
#define MECHANISM_OPTIONS 5

/*
 * A row of the table: all that differs between mechanisms.  Flags are false, numbers 0 and
 * functions NULL where a row says nothing.
 */
typedef struct Mechanism
{
	const char *name; /* as in the option "mechanism" */
	const char *also; /* another name for it */
	/* The options that are for it and not for every mechanism of its method. */
	const char *options[MECHANISM_OPTIONS];

	/* -- what it asks for -- */

	bool convex;  /* real weights for a convex loss: rows carry both label counts */
	bool targets; /* rows carry a target in front of the features (core/simplex/simplex.h) */
	/* asks for each row: an instance whose labels are not cancelled out (rows_instance() with
	 * apart) */
	bool every_row;
	bool streams;      /* reads rows in passes; others need all distinct rows in memory */
	bool counts_rows;  /* needs the declared number of rows */
	bool default_grid; /* its grid may be the one that rows and epsilon choose (grid_default.h) */
	bool perturbs;     /* an objective: so there is a noise to choose and an optimum to find */
	bool separators;   /* then its noise is on thresholds of single weights, as rspm has it */
	bool parts;        /* has parts, which search a number of nodes each */
	bool descends;     /* has the terms of descent */
	bool centred;      /* over a body: half of epsilon finds a centre by output perturbation */
	/* -- of a convex one -- */
	ConvexKind noise_on;    /* the answer or the objective */
	int64_t default_lambda; /* 0: by its noise (convex_default.h) */
	double clip_share;      /* of the longest row, to which rows are clipped; 0: all of it */

	/* -- what it is -- */

	/*
	 * Laws of bounded range, or means of such laws over coins that do not see what differs, give
	 * rho = epsilon^2 / 8 instead of epsilon^2 / 2 (theorem A3; pair_law.h, PAIR_RANGE)
	 */
	bool bounded_range;
	/* The name of epsilon per misclassified row, or per vote, in an exponent. */
	const char *exponent;
	void (*admit)(const MechanismRequest *request, MechanismVerdict *verdict);
	void (*release)(const MechanismRequest *request, const Instance *instance,
					const MechanismTools *tools, MechanismAnswer *answer);
	/* What is known of its laws beyond the claim, which pair holds already. */
	void (*pair)(const MechanismRequest *request, Pair *pair);
	bool (*searches)(const MechanismRequest *request); /* a noise that takes long to calibrate? */
	/* Of a mechanism over a grid of two vectors at least (utility.h). */
	void (*bound)(const MechanismRequest *request, double beta, UtilityBound *bound);
	/* Noise or parts, in public: for the ledger and the model's details. */
	void (*describe)(const MechanismRequest *request, Facts *facts);
	/* How good the model is, but with probability beta: for prices. */
	void (*error)(const MechanismRequest *request, double beta, Facts *facts);
} Mechanism;

extern const Mechanism *mechanism_get(MechanismKind kind);

/* Does it perturb an objective, so that there is a noise to choose and an optimum to find? */
extern bool mechanism_perturbs(MechanismKind kind);

/* The noise of such a request (perturbation.h); the grid is the request's own. */
extern PerturbationRequest mechanism_perturbation(const MechanismRequest *request);

extern MechanismProof mechanism_proof(const MechanismRequest *request);

/*
 * Configurations that exponential may enumerate: about ten seconds on two cores at a few
 * thousand distinct rows.  Fixed and public, so that a request that is admitted as finishing
 * always finishes (rule F3).
 */
#define EXPONENTIAL_SURE_COST UINT64_C(50000000)

/* The entries, one file each. */
#define ENTRY(upper, lower) extern const Mechanism mechanism_##lower;
MECHANISMS(ENTRY)
#undef ENTRY

/*
 * How many parts sample_aggregate has where nobody says: from public parameters, rows
 * being the declared number, 0 if there is none.
 */
extern int sample_aggregate_parts(const Grid *grid, int64_t epsilon, int64_t rows);

#define SAMPLE_DEFAULT_PART_NODES 1000

/* Draws of a request for simplex (simplex_scale.h, simplex_draws()). */
extern int64_t simplex_request_draws(const MechanismRequest *request, bool *pure);

#endif
