/*
 * convex_data.c - the rows of a convex model, the same for a release and for a part of the rows.
 */
#include "core/mechanisms/convex_data.h"

#include <math.h>

void
convex_data_make(const MechanismRequest *request, const Instance *instance, Memory *memory,
				 ConvexRows *rows)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	const ConvexTerms *terms = &request->convex;

	convex_rows_make(instance, terms->radius, request->threads, memory, rows);
	if (mechanism->targets)
		convex_rows_set_targets(rows);
	if (terms->classes > 0)
		convex_rows_set_classes(rows);
	if (mechanism_weights(request) > request->grid.dimension)
		convex_rows_set_levels(rows, terms->levels, memory);
	if (mechanism->terms == TERMS_RESIDUAL)
	{
		rows->columns = &terms->columns;
		rows->number_length = residual_number_length(terms, request->grid.dimension);
	}
	if (mechanism->terms == TERMS_ORACLE)
		rows->peak = (int32_t) terms->peak;
}

double
convex_data_longest(const MechanismRequest *request)
{
	return mechanism_get(request->kind)->terms == TERMS_DESCENT ? descent_longest(&request->convex)
																: INFINITY;
}
