/*
 * pass.c - sums of several parts.
 */
#include "core/rows/pass.h"

#include "core/base/mutant.h"
#include "core/rows/limits.h"

void
pass_make(PassSource *source, Pass *pass, Wide *sum)
{
	pass->number = ++source->passes;
	source->sum(source, pass, sum);
}

void
pass_sums_create(PassSums *sums, const Pass *pass, int parts, Memory *memory)
{
	*sums = (PassSums){
		.kind = pass->kind,
		.number = pass->number,
		.count = pass->sums,
		.parts = parts,
		.missing = parts,
		.added = memory_allocate_zero(memory, (size_t) parts, sizeof(bool)),
		.sum = memory_allocate_zero(memory, (size_t) pass->sums, sizeof(Wide)),
	};
}

void
pass_sums_destroy(PassSums *sums, Memory *memory)
{
	memory_release(memory, sums->sum);
	memory_release(memory, sums->added);
}

/*
 * Below INSTANCE_MAX_LABELS = 2^38 labels, of which each adds to a sum of a gradient 2^75 at most
 * (convex_pull.h), to one of a Hessian 2^58 (convex_hessian.h) and to a loss 2^24 (net_loss.h).
 */
static bool
is_possible(PassKind kind, Wide sum)
{
	const Wide labels = INSTANCE_MAX_LABELS;
	const Wide gradient = labels << 75;

	switch (kind)
	{
		case PASS_LABELS:
			return sum >= 0 && sum < labels;
		case PASS_NET:
			return sum >= 0 && sum <= labels << 24;
		default:
			return sum >= -gradient && sum <= gradient;
	}
}

bool
pass_sums_add(PassSums *sums, int64_t at, Wide value)
{
	Wide sum;

	if (__builtin_add_overflow(sums->sum[at], value, &sum) ||
		(!is_possible(sums->kind, sum) && !MUTANT(330)))
		return false;
	sums->sum[at] = sum;
	return true;
}
