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
	NOISE_GAMMA,
	NOISE_KNORM
} NoiseChoice;

/* What is trained. */
typedef enum TrainingMethod
{
	METHOD_HALFSPACE,
	METHOD_LOGISTIC,
	METHOD_SVM,
	METHOD_AUTO, /* halfspace, logistic, softmax or linear, chosen from public parameters */
	METHOD_SIMPLEX,
	METHOD_LINEAR,
	METHOD_SOFTMAX,
	METHOD_ONE_VS_REST, /* a halfspace for each class */
	TRAINING_METHODS
} TrainingMethod;

/* Sets of methods: those that a key or a mechanism is for. */
/* The most rows that can be declared. */
#define OPTIONS_MAX_ROWS INT64CONST(1000000000000000)

#define FOR_HALFSPACE (1 << METHOD_HALFSPACE)
#define FOR_CONVEX (1 << METHOD_LOGISTIC | 1 << METHOD_SVM)
#define FOR_AUTO (1 << METHOD_AUTO)
#define FOR_SIMPLEX (1 << METHOD_SIMPLEX)
#define FOR_LINEAR (1 << METHOD_LINEAR)
#define FOR_SOFTMAX (1 << METHOD_SOFTMAX)
#define FOR_ONE_VS_REST (1 << METHOD_ONE_VS_REST)
#define FOR_GRID (FOR_HALFSPACE | FOR_ONE_VS_REST)
#define FOR_CLASSES (FOR_SOFTMAX | FOR_ONE_VS_REST)
#define FOR_NAMED (FOR_HALFSPACE | FOR_CONVEX)
#define FOR_TARGETS (FOR_SIMPLEX | FOR_LINEAR)
#define FOR_ALL (FOR_NAMED | FOR_AUTO | FOR_TARGETS | FOR_CLASSES)

/* What a model of METHOD_AUTO is for. */
typedef enum ObjectiveChoice
{
	OBJECTIVE_AUTO, /* probabilities at the analyst's door, accuracy at the owner's */
	OBJECTIVE_ACCURACY,
	OBJECTIVE_RANKING,
	OBJECTIVE_PROBABILITY,
	OBJECTIVE_CHOICES
} ObjectiveChoice;

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

/* One number for all features, or a number for each. */
typedef struct FeatureNumbers
{
	int count; /* 0: not given, 1: one for all features, else one for each */
	double value[COLUMNS_MAX];
} FeatureNumbers;

typedef struct Options
{
	int methods;           /* the methods that every given option is for */
	const char *mechanism; /* NULL: chosen automatically */
	uint64 given;          /* a bit for each key that was given: options_given() */
	NoiseChoice noise;
	ObjectiveChoice objective; /* of METHOD_AUTO */
	ConvexLoss loss;           /* of METHOD_LOGISTIC */
	double regularization;     /* Lambda, 0: not given */
	double target_low;         /* clip bounds of the target */
	double target_high;
	double target_center; /* 0, or a declared target is (value - center) / scale */
	double target_scale;
	int classes;              /* of FOR_CLASSES; else 0.  Analysts do not set them */
	JsonbValue *class_values; /* an array of so many */
	double radius;            /* of the clipped rows, 0: not given */
	double norm;              /* of the weights, 0: not given */
	int64 net;                /* most points of a net, 0: not given */
	int64 calls;              /* of the oracle of OPSamp, 0: not given */
	DescentSampling sampling;
	int64 batch;      /* rows of a batch, 0: the default */
	int64 iterations; /* 0: the default */
	double step;      /* of a weight, 0: the default */
	GridChoice grid;
	int grid_bound;
	Grid grid_levels;  /* for GRID_LEVELS */
	int64 modulus;     /* of the sum of the levels' ranks, 0: none */
	int64 prior_power; /* in thousandths (core/grid/prior.h); 0: uniform */
	bool reference;    /* the first column of a one-hot group gets weight 0 */
	int numeric_count;
	int numeric[COLUMNS_MAX]; /* positions from 1 */
	int groups;
	int16 group[COLUMNS_MAX];
	int levels_count;           /* 0: not given */
	int16 levels[COLUMNS_MAX];  /* of each feature (core/rows/levels.h) */
	int16 ordered[COLUMNS_MAX]; /* bins in order (core/rows/encoding.h); of declared columns */
	FeatureNumbers scale;
	FeatureNumbers center;
	FeatureNumbers low; /* clip bounds */
	FeatureNumbers high;
	int64 coverage_epsilon; /* nano-units, 0: none */
	int64 holdout;          /* thousandths of the rows that are left out for ratings, 0: none */
	int64 rate;             /* nano-units: the epsilon of a rating, 0: none */
	bool force;             /* train even if it is of no use (usefulness.h) */
	JsonbValue *positive;   /* values of the label; NULL: not given */
	JsonbValue *negative;
	bool intercept;
	Adjacency adjacency;
	SolverKind solver;
	int64 parts;        /* of sample_aggregate, 0: chosen */
	int64 part_nodes;   /* that a part may search, 0: the default */
	int64 dimension;    /* 0: not declared */
	int64 n;            /* 0: not declared */
	int64 time_limit;   /* seconds, 0: none */
	int64 memory_limit; /* MiB, 0: none */
} Options;

/*
 * Parses the options of a training by this method; jsonb may be NULL.  Every method accepts the
 * keys that describe columns (numeric, groups, clip and so on), whether it uses them or not.
 * Raises 22023 for unknown keys, for keys of other methods and for values out of range; if
 * by_analyst, also for keys that dpobj.protect declares or administrators set.
 */
extern void options_parse(Jsonb *jsonb, TrainingMethod method, bool by_analyst, Options *options);

/*
 * Reads the option "holdout": a share, in thousandths, or of a rating also false, which is 0 and
 * stands for all rows.  Raises 22023.
 */
extern void options_read_holdout(JsonbValue *value, bool rates, int64 *thousandths);

/*
 * Returns "halfspace", "logistic", "svm", "simplex", "linear", "softmax", "one_vs_rest" (kinds of
 * models, too) or "auto".
 */
extern const char *method_name(TrainingMethod method);

/* Does the method predict a number, so that rows have targets instead of labels? */
static inline bool
method_has_target(TrainingMethod method)
{
	return (FOR_TARGETS & 1 << method) != 0;
}

/* Does the method predict one of several classes? */
static inline bool
method_has_classes(TrainingMethod method)
{
	return (FOR_CLASSES & 1 << method) != 0;
}

/* Are the weights those of a grid? */
static inline bool
method_has_grid(TrainingMethod method)
{
	return (FOR_GRID & 1 << method) != 0;
}

/* Does a kind of models predict one of several classes? */
extern bool method_kind_has_classes(const char *kind);

/* Does it predict a number? */
extern bool method_kind_has_target(const char *kind);

/*
 * Finds the first mechanism of that name that is for one of the methods; NULL if none is.  name:
 * NULL for the default of the methods, the first of the table that is for one of them.
 */
extern const Mechanism *mechanism_named(const char *name, int methods);

/* Lists "auto" and the names of the mechanisms that are for one of the methods. */
extern List *mechanism_names(int methods);

/* Is the option of that name given? */
extern bool options_given(const Options *options, const char *name);

/* Returns the name of the choice in the options. */
extern const char *noise_choice_name(NoiseChoice noise);

#endif
