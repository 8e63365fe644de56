/*
 * select_list.c - permute-and-flip over a list of losses (McKenna and Sheldon 2020; theorem E2):
 * visit the candidates in random order and take the first whose coin of bias exp(-rate (L_i -
 * L_min)), rate = epsilon / M, shows heads.
 *
 * A loss is a number of rows, and one row adds 0 or 1 to each candidate's.  With the margin M of
 * the 0/1 loss the choice is therefore epsilon-DP for any number of candidates.  No better bounded-
 * range guarantee is claimed (theorem A3).
 *
 * As in select_permute_flip.c all coins are flipped at once: the first of those with heads in a
 * random order is uniform among them, and a candidate at L_min always has heads.
 */
#include "core/exponential/select_internal.h"

#include <assert.h>

#include "core/base/mutant.h"

int
select_from_list(int64_t epsilon, Adjacency adjacency, const int64_t *loss, int candidates,
				 Bits *bits)
{
	SelectProblem problem = {.epsilon = epsilon, .adjacency = adjacency};
	SelectRate rate = select_rate(&problem);
	int64_t least = select_least(loss, candidates);
	int heads[SELECT_LIST_MAX] = {0};
	int count = 0;

	assert(candidates >= 1 && candidates <= SELECT_LIST_MAX);
	if (MUTANT(134))
		rate.denominator = rate.denominator / 10 * 8;
	for (int i = 0; i < candidates; i++)
		if (select_binomial(bits, 1, rate, loss[i] - least) == 1)
			heads[count++] = i;
	return heads[MUTANT(133) ? 0 : bits_below(bits, (uint64_t) count)];
}
