/*
 * select_vote.c - the exponential mechanism on votes, exactly (theorems F6 to F8).
 *
 * Where parts of the rows vote, one row changes the vote of one part, so no score changes by more
 * than 1: the mechanism with exp(epsilon c / 2) is epsilon-DP, and epsilon-bounded-range.  Other
 * callers have scores and a rate of their own.
 *
 * Most of W has no vote and weighs 1, so with A_v = exp(rate c_v) - 1
 *
 *   Z = |W| + sum of A_v over the vectors v with votes:
 *
 * the answer is v with probability A_v / Z, and otherwise uniform on all of W, v included.  Vectors
 * with equal votes may be told of together: n_v of them have the cell n_v A_v.
 *
 * The draw inverts one uniform number U: U Z lies in the cell of a vector v, or in the cell of W,
 * on a line of length Z.  The known bits of U and the computed A_v and Z give intervals; while
 * these do not determine the cell, U gets more bits and all intervals are computed again.  All
 * weights are divided by the largest exp(rate c), so no number is large.
 */
#include "core/exponential/select_internal.h"

#include "core/base/mutant.h"

#define FIRST_BITS 64
#define GUARD_BITS 64

SelectRate
select_vote_rate(int64_t epsilon)
{
	int64_t one = MUTANT(53) ? EPSILON_ONE / 10 * 8 : EPSILON_ONE;

	return (SelectRate){epsilon, 2 * one};
}

/* The votes, and intervals computed at one precision. */
typedef struct Line
{
	SelectRate rate;
	const int64_t *votes;
	const int64_t *count; /* of vectors; NULL: one each */
	int64_t candidates;
	int64_t most; /* votes of one vector */
	mpz_srcptr size;

	Interval term;  /* A_v, or n_v A_v */
	Interval none;  /* the weight of a vector without votes */
	Interval total; /* Z */
	Interval point; /* U Z */
	Interval border;
} Line;

static void
line_create(Line *line, mpfr_prec_t precision)
{
	interval_init(&line->term, precision);
	interval_init(&line->none, precision);
	interval_init(&line->total, precision);
	interval_init(&line->point, precision);
	interval_init(&line->border, precision);
}

static void
line_clear(Line *line)
{
	interval_clear(&line->term);
	interval_clear(&line->none);
	interval_clear(&line->total);
	interval_clear(&line->point);
	interval_clear(&line->border);
}

/* Adds n_v A_v: the weight of v less that of a vector without votes, for each of n_v vectors. */
static void
add_candidate(Line *line, Interval *sum, int64_t v)
{
	select_set_exponential(&line->term, line->rate, line->most - line->votes[v]);
	interval_subtract(&line->term, &line->none);
	if (line->count != NULL)
	{
		mpfr_mul_si(line->term.low, line->term.low, (long) line->count[v], MPFR_RNDD);
		mpfr_mul_si(line->term.high, line->term.high, (long) line->count[v], MPFR_RNDU);
	}
	interval_add(sum, &line->term);
}

static void
weigh(Line *line)
{
	select_set_exponential(&line->none, line->rate, line->most);
	mpfr_mul_z(line->total.low, line->none.low, line->size, MPFR_RNDD);
	mpfr_mul_z(line->total.high, line->none.high, line->size, MPFR_RNDU);
	for (int64_t v = 0; v < line->candidates; v++)
		add_candidate(line, &line->total, v);
}

/*
 * Finds the cell that holds the point; false if the intervals do not determine it.  The cells of
 * the candidates come first.
 */
static bool
find_cell(Line *line, int64_t *cell)
{
	interval_set_ui(&line->border, 0);
	for (int64_t v = 0; v < line->candidates; v++)
	{
		add_candidate(line, &line->border, v);
		if (mpfr_lessequal_p(line->point.high, line->border.low))
		{
			*cell = v;
			return true;
		}
		if (mpfr_less_p(line->point.low, line->border.high))
			return false;
	}
	*cell = -1;
	return true;
}

static int64_t
most_votes(const int64_t *votes, int64_t candidates)
{
	int64_t most = 0;

	for (int64_t v = 0; v < candidates; v++)
		if (votes[v] > most)
			most = votes[v];
	return most;
}

int64_t
select_vote(SelectRate rate, const int64_t *votes, const int64_t *count, int64_t candidates,
			const mpz_t size, Bits *bits)
{
	Line line = {
		.rate = rate,
		.votes = votes,
		.count = count,
		.candidates = candidates,
		.most = most_votes(votes, candidates),
		.size = size,
	};
	int64_t cell = -1;
	bool found = false;
	mpz_t digits;

	mpz_init(digits);
	for (int known = FIRST_BITS; !found; known += FIRST_BITS)
	{
		bits_append(bits, digits, FIRST_BITS);
		line_create(&line, known + GUARD_BITS);
		weigh(&line);
		select_set_point(&line.point, &line.total, digits, known);
		found = find_cell(&line, &cell);
		line_clear(&line);
	}
	mpz_clear(digits);
	return MUTANT(54) && cell < 0 && candidates > 0 ? 0 : cell;
}
