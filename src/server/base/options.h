/*
 * options.h - the jsonb argument "options" (rule Q2), parsed and checked.
 */
#ifndef DPOBJ_OPTIONS_H
#define DPOBJ_OPTIONS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "core/grid/grid.h"
#include "core/mechanisms/mechanism.h"
#include "core/base/privacy.h"

typedef enum NoiseChoice
{
	NOISE_AUTO,
	NOISE_GAUGE,
	NOISE_LAPLACE,
	NOISE_SPHERICAL,
	NOISE_GAUSSIAN,
	NOISE_PARABOLOID,
	NOISE_PUBLISHED,
	NOISE_GAMMA
} NoiseChoice;

/* What is trained. */
typedef enum TrainingMethod
{
	METHOD_HALFSPACE,
	METHOD_LOGISTIC,
	METHOD_SVM,
	METHOD_AUTO, /* halfspace or logistic, chosen from public parameters */
	METHOD_SIMPLEX,
	TRAINING_METHODS
} TrainingMethod;

/* A set of methods, for keys and mechanisms that are not for all. */
#define FOR_HALFSPACE (1 << METHOD_HALFSPACE)
#define FOR_CONVEX (1 << METHOD_LOGISTIC | 1 << METHOD_SVM)
#define FOR_AUTO (1 << METHOD_AUTO)
#define FOR_SIMPLEX (1 << METHOD_SIMPLEX)
#define FOR_NAMED (FOR_HALFSPACE | FOR_CONVEX)
#define FOR_ALL (FOR_NAMED | FOR_AUTO | FOR_SIMPLEX)

typedef enum GridChoice
{
	GRID_AUTO,    /* indicators {-1,0,1}, numeric columns -4..4 */
	GRID_TERNARY, /* {-1,0,1} */
	GRID_SIGN,    /* {-1,1} */
	GRID_MAX,     /* -bound..bound */
	GRID_NORM,    /* integer vectors of squared norm at most bound */
	GRID_LEVELS,  /* a list of levels per coordinate */
	GRID_NONZEROS /* exactly bound non-zeros of +-1 */
} GridChoice;

/* A number for every feature, or one for each. */
typedef struct FeatureNumbers
{
	int count; /* 0: not given, 1: for all, else one each */
	double value[GRID_MAX_DIMENSION];
} FeatureNumbers;

typedef struct Options
{
	int methods; /* methods that all of the options are for; of METHOD_AUTO those it may become */
	const char *mechanism; /* NULL: chosen automatically */
	uint64 given;          /* see options_next_given() */
	NoiseChoice noise;
	double regularization; /* Lambda, 0: not given */
	double target_low;     /* clip bounds of the target */
	double target_high;
	bool target_given;
	double radius; /* of the clipped rows, 0: not given */
	double norm;   /* of the weights, 0: not given */
	int64 net;     /* points of a net at most, 0: not given */
	int calls;     /* of OPSamp's oracle, 0: not given */
	DescentSampling sampling;
	bool sampling_given;
	int64 batch;    /* rows of a batch, 0: the usual number */
	int iterations; /* 0: the usual number */
	double step;    /* of a weight, 0: the usual one */
	GridChoice grid;
	int grid_bound;
	Grid grid_levels; /* for GRID_LEVELS */
	int modulus;      /* of the sum of the levels' ranks, 0: none */
	bool reference;   /* the first column of a one-hot group gets weight 0 */
	int numeric_count;
	int numeric[GRID_MAX_DIMENSION]; /* positions from 1 */
	int groups;
	int16 group[GRID_MAX_DIMENSION];
	FeatureNumbers scale;
	FeatureNumbers center;
	FeatureNumbers low; /* clip bounds */
	FeatureNumbers high;
	bool intercept;
	bool intercept_given;
	Adjacency adjacency;
	bool adjacency_given;
	SolverKind solver;
	int parts;        /* of sample_aggregate, 0: chosen */
	int part_nodes;   /* that a part may search, 0: the usual number */
	int dimension;    /* 0: not declared */
	int64 n;          /* 0: not declared */
	int time_limit;   /* seconds, 0: none */
	int memory_limit; /* MiB, 0: none */
} Options;

/*
 * Every method accepts what describes the columns (numeric, groups, clip and so on), whether it
 * uses it or not.  Raises 22023 for unknown keys and those of other methods,
 * for values out of range and, by_analyst, for what is declared by dpobj.protect or set by
 * administrators; jsonb may be NULL.
 */
extern void options_parse(Jsonb *jsonb, TrainingMethod method, bool by_analyst, Options *options);

/* "halfspace", "logistic", "svm", "simplex", which are kinds of models, too; or "auto". */
extern const char *method_name(TrainingMethod method);

/* The set of methods that a mechanism is for. */
extern int mechanism_methods(const Mechanism *mechanism);

/*
 * The mechanism of that name for one of the methods, NULL if there is none: the first in the
 * order of the table.
 */
extern const Mechanism *mechanism_named(const char *name, int methods);

/* The names, as far as they are for one of the methods, with "auto". */
extern List *mechanism_names(int methods);

/* The name of the next key after the place, from 0 on, that was given; NULL: no more. */
extern const char *options_next_given(const Options *options, int *place);

/* As it is written in the options. */
extern const char *noise_choice_name(NoiseChoice noise);

#endif
