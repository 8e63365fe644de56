/*
 * price_work.c - what a price says of the run.
 */
#include "server/analyst/price_work.h"

#include <math.h>

#include "core/mechanisms/mechanism.h"

#include "server/release/run_choice.h"

/* null: none, or more than can be counted */
static void
append_count(StringInfo json, const char *name, uint64 count)
{
	if (count == 0 || count == PG_UINT64_MAX)
		appendStringInfo(json, ", \"%s\": null", name);
	else
		appendStringInfo(json, ", \"%s\": " UINT64_FORMAT, name, count);
}

/* null: no public number bounds it */
static void
append_seconds(StringInfo json, const char *name, double seconds)
{
	if (isinf(seconds))
		appendStringInfo(json, ", \"%s\": null", name);
	else
		appendStringInfo(json, ", \"%s\": %.2g", name, seconds);
}

/* null: no public number, or no limit */
static void
append_number(StringInfo json, const char *name, double number)
{
	if (isinf(number))
		appendStringInfo(json, ", \"%s\": null", name);
	else
		appendStringInfo(json, number < 1e15 ? ", \"%s\": %.0f" : ", \"%s\": %.2g", name, number);
}

/* In MiB; where all distinct rows must be in memory, how many these are, and may be. */
static void
append_memory(StringInfo json, const Training *training, const RunVerdict *verdict)
{
	if (!mechanism_get(training->request.kind)->streams)
	{
		append_number(json, "distinct_rows_at_most", training->request.run.held);
		append_number(json, "distinct_rows_limit", verdict->holds);
	}
	append_number(json, "memory_expected", ceil(verdict->usual_bytes / (1 << 20)));
	append_number(json, "memory_at_most", ceil(verdict->bytes / (1 << 20)));
}

void
price_append_work(StringInfo json, const Training *training)
{
	const MechanismRequest *request = &training->request;
	RunVerdict verdict = run_verdict(training);

	appendStringInfo(json, ", \"dimension\": %d", mechanism_weights(request));
	if (method_has_grid(training->method))
	{
		appendStringInfo(json, ", \"log2_grid\": %.2f", grid_log2_size(&request->grid));
		append_count(json, mechanism_get(request->kind)->parts ? "nodes" : "configurations",
					 mechanism_verdict(request).cost);
	}
	appendStringInfo(json, ", \"rows_at_most\": %.0f", request->run.rows);
	append_seconds(json, "seconds_expected", verdict.expected);
	append_seconds(json, "seconds_at_most", verdict.most);
	appendStringInfo(json, ", \"sure_to_finish\": %s", verdict.is_sure ? "true" : "false");
	append_memory(json, training, &verdict);
}
