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
#include "core/grid.h"
#include "core/instance.h"
#include "core/memory.h"
#include "core/privacy.h"
#include "core/select.h"

typedef enum MechanismKind
{
	MECHANISM_EXPONENTIAL,
	MECHANISM_PERMUTE_FLIP,
	MECHANISM_OPDISC,
	MECHANISM_KINDS
} MechanismKind;

typedef struct MechanismRequest
{
	MechanismKind kind;
	int64_t epsilon; /* nano-units */
	Adjacency adjacency;
	Grid grid;
	SelectGroup group; /* the declared one-hot group that may be summed out; size 0: none */
	int threads;
} MechanismRequest;

/* What a release gives away: the vector.  loss and nodes are for the owner's tests only. */
typedef struct MechanismAnswer
{
	int index[GRID_MAX_DIMENSION];
	int64_t loss;
	int64_t nodes;
} MechanismAnswer;

/* A public verdict, with the numbers that explain it. */
typedef struct MechanismVerdict
{
	bool admitted;
	uint64_t cost;  /* configurations that would be enumerated, saturating; 0: no enumeration */
	uint64_t limit; /* the most that is admitted */
} MechanismVerdict;

typedef struct Mechanism
{
	const char *name; /* as in the option "mechanism" */
	/* bounded range gives rho = epsilon^2 / 8 instead of epsilon^2 / 2 (PRIVACY.md C6) */
	bool bounded_range;
	void (*admit)(const MechanismRequest *request, MechanismVerdict *verdict);
	void (*release)(const MechanismRequest *request, const Instance *instance, Bits *bits,
					Memory *memory, MechanismAnswer *answer);
} Mechanism;

extern const Mechanism *mechanism_get(MechanismKind kind);

/* The entries, one file each. */
extern const Mechanism mechanism_exponential;
extern const Mechanism mechanism_permute_flip;
extern const Mechanism mechanism_opdisc;

#endif
