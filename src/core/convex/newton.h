/*
 * newton.h - Newton's method for J(u) + <b, u>, with gradient steps to fall back on.
 *
 * It goes from place to place until a bound on how far it is from the least is met.  Each round
 * goes along Newton's direction, to where J still falls, but slowly, or by a whole step that halves
 * the least bound so far; every eighth round, and where there is no such place, it takes a gradient
 * step of length 1 / M, M = beta n + lambda.  Why that ends is said for the whole space in
 * convex_minimise.h and for a cube in box_minimise.h, which say what a place's bound is, too.
 */
#ifndef DPOBJ_CORE_NEWTON_H
#define DPOBJ_CORE_NEWTON_H

#include <stdbool.h>

#include "core/base/memory.h"
#include "core/convex/convex.h"
#include "core/convex/convex_pass.h"
#include "core/convex/convex_rows.h"

typedef struct ConvexObjective
{
	ConvexRows *rows;
	const LossTable *table;
	double curvature; /* beta */
	int64_t lambda;
	const Wide *b; /* units of 2^-85, its norm below 2^38 and 2^25 lambda */
} ConvexObjective;

typedef struct NewtonPlace
{
	Wide u[GRID_MAX_DIMENSION];
	Wide gradient[GRID_MAX_DIMENSION];
	double gap; /* the bound */
} NewtonPlace;

typedef struct Newton Newton;

/* What the whole space and a cube differ in. */
typedef struct NewtonDomain
{
	/* The bound for a place, from its gradient. */
	double (*gap)(const Newton *search, const NewtonPlace *place);

	/* Newton's direction from here, by newton_solve(); false if the doubles do not allow it. */
	bool (*newton)(Newton *search);

	/* The direction of a gradient step: it is as long as the step. */
	void (*steepest)(Newton *search, long double most);

	/* Puts there t times the direction away from here; false if that is out of range. */
	bool (*move)(Newton *search, long double t);

	/* The slope of J along the direction, rounded up by its error. */
	double (*slope_above)(const Newton *search, const NewtonPlace *place);
} NewtonDomain;

struct Newton
{
	const NewtonDomain *domain;
	const ConvexObjective *objective;
	int dimension;
	Wide bound; /* of the cube: |u_j| <= bound */
	NewtonPlace here;
	NewtonPlace there;
	long double direction[GRID_MAX_DIMENSION];
	int free[GRID_MAX_DIMENSION]; /* the coordinates that Newton's direction moves */
	int frees;
	double *hessian;
	double *matrix; /* of the free coordinates */
	bool curved;    /* does hessian belong to here? */
	double record;  /* the least bound reached by a full Newton step */
	Memory *memory;
};

/*
 * From u to a place whose bound is at most gap, which it puts in u's place.  Returns the number of
 * rounds.
 */
extern int64_t newton_minimise(const NewtonDomain *domain, const ConvexObjective *objective,
							   Wide bound, double gap, Memory *memory, Wide *u);

/* Solves hessian * step = -gradient for the free coordinates, in their order; false if it cannot.
 */
extern bool newton_solve(Newton *search, double *step);

#endif
