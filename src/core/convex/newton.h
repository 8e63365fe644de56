/*
 * newton.h - Newton's method for J(u) + <b, u>, with gradient steps to fall back on.
 *
 * It moves from point to point until a bound on the distance from the minimum is met.  Each round
 * goes along Newton's direction to a point where J still falls, but slowly, or by a full step that
 * halves the least bound so far.  In every eighth of the other rounds, and where there is no such
 * point, it takes a gradient step of length 1 / M, M = beta n + lambda.  While full steps reduce
 * the bound by much, the direction has the Hessian of an earlier point.  convex_minimise.h (the
 * whole space) and box_minimise.h (a cube) define the bound and say why the search ends.
 */
#ifndef DPOBJ_CORE_NEWTON_H
#define DPOBJ_CORE_NEWTON_H

#include <stdbool.h>

#include "core/base/memory.h"
#include "core/convex/convex.h"
#include "core/convex/convex_pass.h"
#include "core/convex/convex_rows.h"
#include "core/convex/softmax_pass.h"

typedef struct ConvexObjective
{
	ConvexRows *rows;
	const LossTable *table;
	const SoftmaxTable *softmax; /* of classes, instead of the table; else NULL */
	int classes;                 /* 0: a loss of the margin */
	double curvature;            /* beta */
	int64_t lambda;
	const Wide *b; /* units of 2^-85, its norm below 2^38 and 2^25 lambda */
} ConvexObjective;

/* The number of linear scores of a row. */
static inline int
objective_scores(const ConvexObjective *objective)
{
	return objective->classes > 0 ? objective->classes : 1;
}

/* The number of weights. */
static inline int
objective_dimension(const ConvexObjective *objective)
{
	return objective->rows->weights * objective_scores(objective);
}

typedef struct NewtonPoint
{
	Wide *u;
	Wide *gradient;
	double gap; /* the bound of NewtonDomain.gap() */
} NewtonPoint;

typedef struct Newton Newton;

/* The differences between the whole space and a cube. */
typedef struct NewtonDomain
{
	/* The bound at a point, from its gradient. */
	double (*gap)(const Newton *search, const NewtonPoint *point);

	/*
	 * Sets Newton's direction from the current point, by newton_solve() or conjugate_solve(); false
	 * if doubles do not suffice.
	 */
	bool (*newton)(Newton *search);

	/* Sets the direction of a gradient step, as long as the step. */
	void (*steepest)(Newton *search, long double most);

	/*
	 * Sets the trial point to t times the direction from the current one; false if it is out of
	 * range.
	 */
	bool (*move)(Newton *search, long double t);

	/* The slope of J along the direction, rounded up by its error. */
	double (*slope_above)(const Newton *search, const NewtonPoint *point);
} NewtonDomain;

struct Newton
{
	const NewtonDomain *domain;
	const ConvexObjective *objective;
	int dimension;
	Wide bound; /* of the cube: |u_j| <= bound */
	NewtonPoint current;
	NewtonPoint trial; /* along the direction */
	NewtonPoint best;  /* of a line search */
	long double *direction;
	int *free; /* the coordinates that Newton's direction moves */
	int frees;
	double *hessian; /* NULL where rows have levels or many weights: it would be too large */
	double *matrix;  /* of the free coordinates */
	bool curved;     /* is hessian that of the current point, or as good? */
	bool steady;     /* is hessian good for the next point too? */
	double record;   /* the least bound reached by a full Newton step */
	Memory *memory;
};

/* Moves u to a point whose bound is at most gap.  Returns the number of rounds. */
extern int64_t newton_minimise(const NewtonDomain *domain, const ConvexObjective *objective,
							   Wide bound, double gap, Memory *memory, Wide *u);

/* Sets gradient and gap of a point, in a pass over the rows; hessian as in convex_pass(). */
extern void newton_evaluate(const Newton *search, NewtonPoint *point, double *hessian);

/*
 * Solves hessian * step = -gradient for the free coordinates, in their order; false if that fails.
 */
extern bool newton_solve(Newton *search, double *step);

#endif
