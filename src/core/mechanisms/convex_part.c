/*
 * convex_part.c - sums over a part of the rows, by the code that sums over all of them where they
 * are on one machine.
 */
#include "core/mechanisms/convex_part.h"

#include <math.h>

#include "core/base/mutant.h"
#include "core/convex/convex_pass.h"
#include "core/convex/count_pass.h"
#include "core/convex/net_law.h"
#include "core/convex/softmax_pass.h"
#include "core/mechanisms/convex_data.h"
#include "core/mechanisms/wire.h"

struct ConvexPart
{
	MechanismRequest request;
	Memory *memory;
	int64_t passes; /* answered so far */
	LossTable table;
	SoftmaxTable softmax; /* with classes */
	ConvexRows rows;
	NetLoss loss; /* with a net, like the next one */
	Net net;
};

static bool
has_net(const MechanismRequest *request)
{
	return mechanism_get(request->kind)->terms == TERMS_BODY;
}

static bool
net_fits(const MechanismRequest *request)
{
	int dimension = request->grid.dimension;
	int steps = request->convex.steps;

	return dimension <= NET_MAX_DIMENSION && steps >= 1 && steps <= NET_MOST_STEPS &&
		   net_points(dimension, steps) <= NET_MAX_POINTS;
}

/*
 * A class and an index are within what the request has, or the passes would end the process; and
 * columns of groups are 0 or 1 for descent (lemma D8).
 */
static bool
row_fits(const MechanismRequest *request, const int32_t *x)
{
	int classes = request->convex.classes;

	if (classes > 0 &&
		(x[0] < 0 || x[0] % FIXED_POINT_ONE != 0 || x[0] >> FIXED_POINT_BITS >= classes))
		return false;
	if (classes > 0)
		return true;
	if (mechanism_get(request->kind)->targets)
		x++;
	for (int j = 0; j < request->grid.dimension; j++)
	{
		int levels = request->convex.levels[j];
		bool one = mechanism_get(request->kind)->terms == TERMS_RESIDUAL &&
				   request->convex.columns.group[j] > 0;

		if (levels > 0 && (x[j] < 0 || x[j] >> FIXED_POINT_BITS > levels))
			return false;
		if (one && levels == 0 && x[j] != 0 && x[j] != FIXED_POINT_ONE)
			return false;
	}
	return true;
}

static bool
rows_fit(const MechanismRequest *request, const Instance *instance, Memory *memory)
{
	bool front = mechanism_get(request->kind)->targets || request->convex.classes > 0;
	RowReader *reader;
	bool fit = instance->dimension == mechanism_features(request) + (front ? 1 : 0);

	if (!fit)
		return false;
	reader = row_reader_create(instance, memory);
	for (int64_t first = 0; fit && first < instance->rows; first += BLOCK_ROWS)
	{
		RowBlock block = row_reader_block(reader, first);

		for (int64_t i = 0; i < block.rows; i++)
			fit = fit && row_fits(request, block.x + i * instance->dimension);
		take_pause(memory->pause);
	}
	row_reader_destroy(reader, memory);
	return fit;
}

ConvexPart *
convex_part_create(const MechanismRequest *request, const Instance *instance, int threads,
				   Memory *memory)
{
	ConvexPart *part;

	if (!mechanism_passes(request) || (has_net(request) && !net_fits(request)) ||
		!rows_fit(request, instance, memory))
		return NULL;
	part = memory_allocate_zero(memory, 1, sizeof(ConvexPart));
	part->request = *request;
	part->request.threads = threads;
	part->memory = memory;
	loss_table_make(request->convex.loss, &part->table);
	if (request->convex.classes > 0)
		softmax_table_make(&part->softmax);
	convex_data_make(&part->request, instance, memory, &part->rows);
	if (has_net(request))
	{
		net_loss_make(&part->table, &part->loss);
		net_create(&part->net, request->grid.dimension, request->convex.steps, memory);
	}
	return part;
}

void
convex_part_destroy(ConvexPart *part)
{
	if (has_net(&part->request))
		net_destroy(&part->net, part->memory);
	convex_rows_release(&part->rows, part->memory);
	memory_release(part->memory, part);
}

static void
sum_losses(ConvexPart *part, const Pass *pass, Wide *sum)
{
	int dimension = part->request.grid.dimension;
	int64_t centre[NET_MAX_DIMENSION];
	NetProblem problem = {.instance = part->rows.instance,
						  .radius = part->request.convex.radius,
						  .loss = &part->loss,
						  .net = &part->net,
						  .centre = centre,
						  .step = (int64_t) pass->place[dimension],
						  .threads = part->request.threads};
	int64_t *loss = memory_allocate(part->memory, (size_t) pass->sums, sizeof(int64_t));

	for (int j = 0; j < dimension; j++)
		centre[j] = (int64_t) pass->place[j];
	net_sums(&problem, MUTANT(337) ? 0 : pass->first,
			 MUTANT(337) ? pass->sums : pass->first + pass->sums, part->memory, loss);
	for (int64_t i = 0; i < pass->sums; i++)
		sum[i] = loss[i];
	memory_release(part->memory, loss);
}

static void
sum_pass(ConvexPart *part, const Pass *pass, Wide *sum)
{
	const MechanismRequest *request = &part->request;
	int classes = request->convex.classes;

	if (pass->kind == PASS_LABELS)
		sum[0] = part->rows.labels;
	else if (pass->kind == PASS_COUNTS)
		count_pass_sum(&part->rows, part->memory, sum);
	else if (pass->kind == PASS_NET)
		sum_losses(part, pass, sum);
	else if (classes > 0)
		softmax_pass_sum(&part->rows, &part->softmax, classes,
						 MUTANT(334) ? INFINITY : convex_data_longest(request), pass, part->memory,
						 sum);
	else
		convex_pass_sum(&part->rows, &part->table, pass, part->memory, sum);
}

uint8_t *
convex_part_answer(ConvexPart *part, const uint8_t *bytes, size_t length, size_t *sums_length)
{
	uint8_t *answer;
	Pass pass;
	PassSums sums;

	if (!wire_decode_pass(bytes, length, &part->request, part->memory, &pass) ||
		pass.number != part->passes + 1)
		return NULL;
	part->passes++;
	if (MUTANT(333))
		pass.thin = 1;
	pass_sums_create(&sums, &pass, 1, part->memory);
	sum_pass(part, &pass, sums.sum);
	sums.missing = 0;
	answer = wire_encode_sums(&sums, part->memory, sums_length);
	pass_sums_destroy(&sums, part->memory);
	memory_release(part->memory, (void *) pass.place);
	return answer;
}
