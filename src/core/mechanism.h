/*
 * mechanism.h - the table of mechanisms: what each asks for, admits and releases.
 *
 * A request holds public parameters only.  mechanism_admit() decides from them
 * alone, before any row is read, whether the mechanism is sure to finish
 * (PRIVACY.md 3, T3) or at least well posed; release() then runs in the solver
 * process on the training set and the random bits.
 */
#ifndef DPOBJ_CORE_MECHANISM_H
#define DPOBJ_CORE_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bits.h"
#include "core/convex.h"
#include "core/grid.h"
#include "core/instance.h"
#include "core/memory.h"
#include "core/oracle.h"
#include "core/privacy.h"
#include "core/select.h"
#include "core/simplex.h"

typedef enum MechanismKind
{
	MECHANISM_EXPONENTIAL,
	MECHANISM_PERMUTE_FLIP,
	MECHANISM_OPDISC,
	MECHANISM_OUTPUT,
	MECHANISM_OBJECTIVE,
	MECHANISM_SIMPLEX,
	MECHANISM_KINDS
} MechanismKind;

/* Who finds the certified optimum: the same one, whoever it is. */
typedef enum SolverKind
{
	SOLVER_AUTO, /* the quicker by measurement (docs/method.md), from the grid alone */
	SOLVER_NATIVE,
	SOLVER_GLPK,
	SOLVER_GLPK_LITERAL,
	SOLVER_KINDS
} SolverKind;

typedef struct MechanismRequest
{
	MechanismKind kind;
	int64_t epsilon; /* nano-units */
	Adjacency adjacency;
	Grid grid;
	SelectGroup group; /* the declared one-hot group that may be summed out; size 0: none */
	SolverKind solver;
	int threads;
	bool progress; /* is anybody to be told how far it is? */
	/* Of a convex mechanism; its grid then holds the dimension only, each weight fixed at 0. */
	ConvexTerms convex;
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
 * owner only, never for an analyst (PRIVACY.md 3).
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
	uint64_t cost;  /* configurations that would be enumerated, saturating; 0: no enumeration */
	uint64_t limit; /* the most that is enumerated */
} MechanismVerdict;

typedef struct Mechanism
{
	const char *name; /* as in the option "mechanism" */
	/* bounded range gives rho = epsilon^2 / 8 instead of epsilon^2 / 2 (PRIVACY.md C6) */
	bool bounded_range;
	bool convex;  /* real weights for a convex loss: rows carry both label counts */
	bool targets; /* rows carry a target in front of the features (core/simplex.h) */
	void (*admit)(const MechanismRequest *request, MechanismVerdict *verdict);
	void (*release)(const MechanismRequest *request, const Instance *instance,
					const MechanismTools *tools, MechanismAnswer *answer);
} Mechanism;

extern const Mechanism *mechanism_get(MechanismKind kind);

/* The entries, one file each. */
extern const Mechanism mechanism_exponential;
extern const Mechanism mechanism_permute_flip;
extern const Mechanism mechanism_opdisc;
extern const Mechanism mechanism_output;
extern const Mechanism mechanism_objective;
extern const Mechanism mechanism_simplex;

#endif
