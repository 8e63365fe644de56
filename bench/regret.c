/*
 * regret.c - how far dp_ftrl stays behind the best single choice, for bench/accuracy.sh.
 *
 *   regret FOLDER [EPSILON]
 *
 * The rows of adult23 come one by one, in an order drawn once.  Each column is a choice: it
 * predicts a positive label where it is above 0, and a wrong prediction costs 1.  Prints lines of
 * bench/results/accuracy.tsv: the regret of a run in percent of its steps, as mean and sd of 20
 * runs, and the bound of dpobj.price_aggregate.
 */
#include "core/mechanisms/ftrl.h"

#include "accuracy_set.h"

#define RUNS 20
#define NAME "experts"

/* Costs of all steps, 0 or 1. */
typedef struct Costs
{
	int choices;
	int64_t steps;
	int32_t *cost; /* steps x choices, in units of FTRL_SCALE */
} Costs;

static void
put_rows(const Instance *rows, int64_t row, bool positive, int64_t labels, Costs *costs)
{
	for (int64_t i = 0; i < labels; i++)
	{
		int32_t *cost = costs->cost + costs->steps++ * costs->choices;

		for (int j = 0; j < costs->choices; j++)
			cost[j] = (rows->x[row * rows->dimension + j] > 0) == positive ? 0 : FTRL_SCALE;
	}
}

static void
shuffle(Costs *costs, Bits *bits)
{
	for (int64_t i = costs->steps - 1; i > 0; i--)
	{
		int32_t *a = costs->cost + i * costs->choices;
		int32_t *b = costs->cost + (int64_t) bits_below(bits, (uint64_t) i + 1) * costs->choices;

		for (int j = 0; j < costs->choices; j++)
		{
			int32_t swapped = a[j];

			a[j] = b[j];
			b[j] = swapped;
		}
	}
}

static void
make_costs(const AccuracySet *set, Bits *bits, Memory *memory, Costs *costs)
{
	const Instance *rows = &set->labelled;

	costs->choices = set->dimension;
	costs->steps = 0;
	costs->cost =
		memory_allocate(memory, (size_t) set->rows * (size_t) set->dimension, sizeof(int32_t));
	for (int64_t row = 0; row < rows->rows; row++)
	{
		put_rows(rows, row, true, rows->positive[row], costs);
		put_rows(rows, row, false, rows->negative[row], costs);
	}
	shuffle(costs, bits);
}

static double
best_choice(const Costs *costs)
{
	double best = INFINITY;

	for (int j = 0; j < costs->choices; j++)
	{
		double sum = 0;

		for (int64_t t = 0; t < costs->steps; t++)
			sum += costs->cost[t * costs->choices + j];
		best = fmin(best, sum / FTRL_SCALE);
	}
	return best;
}

static double
run_once(const FtrlPlan *plan, const Costs *costs, Bits *bits, Memory *memory)
{
	FtrlRun *run = ftrl_start(plan, bits, memory);
	double sum = 0;

	for (int64_t t = 0; t < costs->steps; t++)
	{
		const int32_t *cost = costs->cost + t * costs->choices;

		sum += cost[ftrl_next(run)];
		ftrl_learn(run, cost);
	}
	ftrl_end(run, memory);
	return sum / FTRL_SCALE;
}

static void
print_row(const char *row, const Costs *costs, double epsilon, double delta, Bits *bits,
		  Memory *memory)
{
	FtrlTerms terms = {.epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
					   .delta = (int64_t) (delta * (double) DELTA_ONE),
					   .steps = costs->steps,
					   .dimension = costs->choices,
					   .scale = FTRL_SCALE};
	double percent = 100 / (double) costs->steps;
	double best = best_choice(costs);
	double sum = 0;
	double squares = 0;
	double began = seconds_now();
	char promised[64];
	Accuracy accuracy;
	FtrlPlan plan;

	ftrl_choose(&terms, &plan);
	for (int i = 0; i < RUNS; i++)
	{
		double regret = percent * (run_once(&plan, costs, bits, memory) - best);

		sum += regret;
		squares += regret * regret;
	}
	accuracy_finish(&accuracy, sum, squares, RUNS);
	accuracy.seconds = (seconds_now() - began) / RUNS;
	accuracy_print(NAME, "regret", row, epsilon, NULL, &accuracy);
	snprintf(promised, sizeof(promised), "%s, promised mean", row);
	accuracy = (Accuracy){.mean = percent * plan.regret, .sd = (double) NAN};
	accuracy_print(NAME, "regret", promised, epsilon, NULL, &accuracy);
}

int
main(int arguments, char **argument)
{
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	AccuracySet set;
	TestStream stream;
	Bits bits;
	Costs costs;

	if (arguments < 2)
		return 2;
	accuracy_set_read(&set, argument[1], "adult23", memory);
	teststream_seed(&stream, 5);
	bits_init(&bits, teststream_fill, &stream);
	make_costs(&set, &bits, memory, &costs);
	for (int e = 0; e < ACCURACY_EPSILONS; e++)
	{
		double rows = (double) costs.steps;

		if (arguments > 2 && atof(argument[2]) != accuracy_epsilons[e])
			continue;
		print_row("dp_ftrl", &costs, accuracy_epsilons[e], 1 / (rows * rows), &bits, memory);
		print_row("dp_ftrl, delta 0", &costs, accuracy_epsilons[e], 0, &bits, memory);
	}
	arena_destroy(arena);
	return 0;
}
