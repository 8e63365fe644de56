/*
 * quantiles.c - recursive halving (Kaplan, Schnapp and Stemmer 2022) on cuts of a public grid, with
 * an exact draw of each cut.
 *
 * A node of the halving is an interval of cuts and the quantiles that lie in it.  Its scores are
 * integers: with q = p / r in the node, u = |r (M(cut) - M(first)) - p (M(last) - M(first))| in
 * units of 1 / (r parts) rows.  M does not decrease, so the cuts with u below a number are an
 * interval, whose ends binary searches find: no cut is looked at but those drawn.
 *
 * The draw.  With x = beta (u - min u) and k shells, a cut is proposed with weight
 * exp(-min(floor(x), k)) by select_vote(), which draws a shell of cuts with equal weights, and
 * accepted with probability exp(-(x - min(floor(x), k))), by bits_bernoulli_exp().  The product is
 * exp(-x) for every cut (theorem J4).  At least one cut has x = 0, so a proposal is accepted with
 * probability 1/3 or more.
 */
#include "core/exponential/quantiles.h"

#include <assert.h>
#include <math.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/exponential/select.h"

#define SHELLS 40

/* A fraction of the whole epsilon. */
typedef struct Share
{
	int64_t numerator;
	int64_t denominator;
} Share;

typedef struct Node
{
	int from; /* quantiles from .. end - 1, from < end */
	int end;
	Share left; /* of epsilon: what this node and those below it may spend */
	bool alone; /* no other node is as deep, or deeper but below this one */
} Node;

/* What is drawn at a node: its middle quantile, p / r of the node's rows. */
typedef struct Target
{
	int middle;
	int64_t p;
	int64_t r;
	bool last;       /* no node follows: u is that of the whole cell, outside() */
	Share share;     /* of epsilon */
	int64_t epsilon; /* beta is epsilon / divisor for each unit of u */
	Wide divisor;
} Target;

static int64_t
greatest_divisor(int64_t a, int64_t b)
{
	while (b != 0)
	{
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static Share
share_of(int64_t numerator, int64_t denominator)
{
	int64_t divisor = greatest_divisor(numerator, denominator);

	return (Share){numerator / divisor, denominator / divisor};
}

/* The nodes on the longest way down from a node with so many quantiles. */
static int
height(int quantiles)
{
	int nodes = 0;

	for (; quantiles > 0; quantiles /= 2)
		nodes++;
	return nodes;
}

/*
 * Twice the largest change of u, in units of one row's mass, under the relation of neighbours
 * (theorem J2): the range by which beta is divided.
 */
static Wide
range(const QuantilesRequest *request, const Node *node, int64_t p, int64_t r)
{
	int64_t most = p > r - p ? p : r - p;

	if (MUTANT(240))
		most = p < r - p ? p : r - p;
	if (request->adjacency == ADJACENCY_ADD_REMOVE)
		return 2 * most;
	if (node->alone)
		return 2 * r;
	return MUTANT(241) ? 2 * r : 4 * most;
}

static Target
target_of(const QuantilesRequest *request, const Node *node)
{
	int middle = (node->from + node->end) / 2;
	int64_t low = node->from > 0 ? request->quantile[node->from - 1] : 0;
	int64_t high = node->end < request->quantiles ? request->quantile[node->end] : QUANTILE_ONE;
	Share inside = share_of(request->quantile[middle] - low, high - low);
	int64_t person = MUTANT(243) ? 1 : request->person;
	Target target = {
		.middle = middle,
		.p = inside.numerator,
		.r = inside.denominator,
		.last = node->end - node->from == 1,
		.share =
			share_of(node->left.numerator, node->left.denominator * height(node->end - node->from)),
	};

	target.epsilon = request->epsilon * target.share.numerator;
	target.divisor = range(request, node, target.p, target.r) * request->parts * EPSILON_ONE *
					 person * target.share.denominator;
	return target;
}

/* The node of the quantiles below the middle one, or of those above it. */
static Node
child_of(const Node *node, const Target *target, bool upper)
{
	Share left = node->left;
	Share spent = target->share;
	Node child = *node;

	if (upper)
		child.from = target->middle + 1;
	else
		child.end = target->middle;
	child.alone = node->alone && child.end - child.from == node->end - node->from - 1;
	if (!MUTANT(242))
		child.left =
			share_of(left.numerator * spent.denominator - spent.numerator * left.denominator,
					 left.denominator * spent.denominator);
	return child;
}

static Node
root_of(const QuantilesRequest *request)
{
	return (Node){.end = request->quantiles, .left = {1, 1}, .alone = !request->grouped};
}

/* ---- the draw ---- */

typedef struct Draw
{
	const QuantilesRequest *request;
	const int64_t *up_to; /* rows in the cells up to each */
	Bits *bits;
	int64_t *cut; /* of each quantile */
} Draw;

/* Cuts first .. end - 1. */
typedef struct Cuts
{
	int64_t first;
	int64_t end;
} Cuts;

/* A node with its cuts and its target. */
typedef struct Place
{
	const Draw *draw;
	Cuts cuts;
	Target target;
	int64_t before;         /* M(first) */
	Wide wanted;            /* p (M(last) - M(first)) */
	int64_t zero;           /* find_zero() */
	Wide least;             /* min u */
	int shells;             /* beyond them are no cuts, or those of small weight */
	Wide shell[SHELLS + 1]; /* cuts of shell b have shell[b] <= u - least < shell[b + 1] */
	Cuts inner[SHELLS + 1]; /* those with u - least < shell[b] */
} Place;

static int64_t
cuts_in(Cuts cuts)
{
	return cuts.end - cuts.first;
}

static int64_t
mass(const Draw *draw, int64_t cut)
{
	int64_t parts = draw->request->parts;
	int64_t cell = cut / parts;
	int64_t below = cell > 0 ? draw->up_to[cell - 1] : 0;

	if (cut % parts == 0)
		return below * parts;
	return below * parts + (draw->up_to[cell] - below) * (cut % parts);
}

/* r (M(cut) - M(first)) - p (M(last) - M(first)) */
static Wide
deviation(const Place *place, int64_t cut)
{
	return (Wide) place->target.r * (mass(place->draw, cut) - place->before) - place->wanted;
}

/*
 * How far outside of the deviations of a cut's cell 0 lies, as far as its cuts are the place's;
 * below 0, how far inside.
 */
static Wide
outside(const Place *place, int64_t cut)
{
	int64_t parts = place->draw->request->parts;
	int64_t first = cut - cut % parts;
	int64_t last = first + parts;
	Wide low = deviation(place, first > place->cuts.first ? first : place->cuts.first);
	Wide high = deviation(place, last < place->cuts.end ? last : place->cuts.end - 1);

	return low > -high ? low : -high;
}

/* u */
static Wide
score(const Place *place, int64_t cut)
{
	Wide value = deviation(place, cut);

	if (place->target.last)
		return outside(place, cut);
	return value < 0 ? -value : value;
}

/* The first cut with a deviation of at least 0, or the end of the cuts. */
static int64_t
find_zero(const Place *place)
{
	int64_t low = place->cuts.first - 1;
	int64_t high = place->cuts.end;

	while (high - low > 1)
	{
		int64_t cut = low + (high - low) / 2;

		if (deviation(place, cut) < 0)
			low = cut;
		else
			high = cut;
	}
	return high;
}

/* The cuts with u < bound: u does not increase before the cut zero, nor decrease from it on. */
static Cuts
cuts_below(const Place *place, Wide bound)
{
	int64_t out = place->cuts.first - 1;
	int64_t in = place->zero;
	Cuts cuts;

	while (in - out > 1)
	{
		int64_t cut = out + (in - out) / 2;

		if (score(place, cut) < bound)
			in = cut;
		else
			out = cut;
	}
	cuts.first = in;
	in = place->zero - 1;
	out = place->cuts.end;
	while (out - in > 1)
	{
		int64_t cut = in + (out - in) / 2;

		if (score(place, cut) < bound)
			in = cut;
		else
			out = cut;
	}
	cuts.end = out;
	return cuts;
}

static void
find_shells(Place *place)
{
	const Target *target = &place->target;

	place->zero = find_zero(place);
	place->least = score(place, place->zero < place->cuts.end ? place->zero : place->zero - 1);
	if (place->zero > place->cuts.first && score(place, place->zero - 1) < place->least)
		place->least = score(place, place->zero - 1);
	place->shell[0] = 0;
	for (int b = 1; b <= SHELLS && cuts_in(place->inner[b - 1]) < cuts_in(place->cuts); b++)
	{
		place->shell[b] = (b * target->divisor + target->epsilon - 1) / target->epsilon;
		place->inner[b] = cuts_below(place, place->least + place->shell[b]);
		place->shells = b;
	}
	place->inner[0] = (Cuts){place->inner[1].first, place->inner[1].first};
}

/* Proposes a cut with weight exp(-its shell), and says which shell that is. */
static int64_t
propose(const Place *place, int *shell)
{
	int64_t votes[SHELLS];
	int64_t count[SHELLS];
	int number[SHELLS];
	int shells = 0;
	int64_t found;
	int64_t at;
	mpz_t size;

	for (int b = 0; b < place->shells; b++)
		if (cuts_in(place->inner[b + 1]) > cuts_in(place->inner[b]))
		{
			votes[shells] = place->shells - b;
			count[shells] = cuts_in(place->inner[b + 1]) - cuts_in(place->inner[b]);
			number[shells++] = b;
		}
	mpz_init(size);
	mpz_from_word(size, (uint64_t) cuts_in(place->cuts));
	found = select_vote((SelectRate){1, 1}, votes, count, shells, size, place->draw->bits);
	mpz_clear(size);
	if (found < 0)
	{
		Wide over;

		at = place->cuts.first +
			 (int64_t) bits_below(place->draw->bits, (uint64_t) cuts_in(place->cuts));
		over = score(place, at) - place->least;
		for (*shell = 0; *shell < place->shells && over >= place->shell[*shell + 1];)
			++*shell;
		return at;
	}
	*shell = number[found];
	at = place->inner[*shell + 1].first +
		 (int64_t) bits_below(place->draw->bits, (uint64_t) count[found]);
	return at < place->inner[*shell].first ? at : at + cuts_in(place->inner[*shell]);
}

/* True with probability exp(-(beta (u - least) - shell)). */
static bool
accept(const Place *place, int64_t cut, int shell)
{
	bool accepted;
	mpz_t over;
	mpz_t divisor;

	mpz_inits(over, divisor, NULL);
	mpz_from_wide(over, score(place, cut) - place->least);
	mpz_mul_si(over, over, place->target.epsilon);
	mpz_from_wide(divisor, place->target.divisor);
	mpz_submul_ui(over, divisor, (unsigned long) shell);
	accepted = MUTANT(244) || bits_bernoulli_exp(place->draw->bits, over, divisor);
	mpz_clears(over, divisor, NULL);
	return accepted;
}

static int64_t
draw_cut(const Draw *draw, const Target *target, Cuts cuts)
{
	Place place = {.draw = draw, .cuts = cuts, .target = *target};
	int64_t cut;
	int shell;

	place.before = mass(draw, cuts.first);
	place.wanted = (Wide) target->p * (mass(draw, cuts.end - 1) - place.before);
	find_shells(&place);
	do
		cut = propose(&place, &shell);
	while (!accept(&place, cut, shell));
	return cut;
}

/* Draws the quantiles of a node from its cuts. */
static void
draw_node(const Draw *draw, const Node *node, Cuts cuts)
{
	Target target;
	Node child;
	int64_t cut;

	if (node->from == node->end)
		return;
	target = target_of(draw->request, node);
	cut = draw_cut(draw, &target, cuts);
	draw->cut[target.middle] = cut;
	child = child_of(node, &target, false);
	draw_node(draw, &child, (Cuts){cuts.first, cut + 1});
	child = child_of(node, &target, true);
	draw_node(draw, &child, (Cuts){cut, cuts.end});
}

void
quantiles_draw(const QuantilesRequest *request, int64_t *count, Bits *bits, int64_t *answer)
{
	int64_t cells = request->cells;
	Draw draw = {.request = request, .up_to = count, .bits = bits, .cut = answer};
	Node root = root_of(request);

	for (int64_t cell = 1; cell < cells; cell++)
		count[cell] += count[cell - 1];
	assert(count[cells - 1] <= QUANTILES_MOST_ROWS);
	draw_node(&draw, &root, (Cuts){0, cells * request->parts + 1});
	for (int i = 0; i < request->quantiles; i++)
		answer[i] = answer[i] / request->parts < cells ? answer[i] / request->parts : cells - 1;
}

/* ---- how far from the quantiles ---- */

/*
 * The bound of a node's middle quantile is its own and a mean of those at the node's ends.  low and
 * high are theirs, 0 at an end of the grid.
 */
static void
bound_node(const QuantilesRequest *request, const Node *node, double logarithm, double low,
		   double high, double *error)
{
	Target target;
	Node child;
	double q;
	double own;

	if (node->from == node->end)
		return;
	target = target_of(request, node);
	q = (double) target.p / (double) target.r;
	own = logarithm * (double) target.divisor / (double) target.epsilon /
		  ((double) target.r * (double) request->parts);
	own += (1 - q) * low + q * high;
	error[target.middle] = own;
	child = child_of(node, &target, false);
	bound_node(request, &child, logarithm, low, own, error);
	child = child_of(node, &target, true);
	bound_node(request, &child, logarithm, own, high, error);
}

void
quantiles_error(const QuantilesRequest *request, double beta, double *error)
{
	int quantiles = request->quantiles;
	double cells = (double) request->cells;
	double rivals = quantiles == 1 ? cells : cells * (double) request->parts + 1;
	Node root = root_of(request);

	bound_node(request, &root, log(rivals * (quantiles - beta) / beta), 0, 0, error);
	for (int i = 0; i < request->quantiles; i++)
		error[i] = ceil(error[i] * (1 + 1e-9));
}
