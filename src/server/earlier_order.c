/*
 * earlier_order.c - the C functions of scripts before 0.3.0, whose arguments had another order.
 *
 * The library may be new before the extension of a database is updated.
 */
#include "postgres.h"

#include "fmgr.h"

#define MOST_ARGUMENTS 12

/* from[i] is the position that argument i of the new order has in the earlier order. */
static void
reorder(FunctionCallInfo fcinfo, const int *from)
{
	NullableDatum given[MOST_ARGUMENTS];

	memcpy(given, fcinfo->args, PG_NARGS() * sizeof(given[0]));
	for (int i = 0; i < PG_NARGS(); i++)
		fcinfo->args[i] = given[from[i]];
}

#define EARLIER_ORDER(earlier, function, ...)                                                      \
	extern Datum function(PG_FUNCTION_ARGS);                                                       \
	PG_FUNCTION_INFO_V1(earlier);                                                                  \
	Datum earlier(PG_FUNCTION_ARGS)                                                                \
	{                                                                                              \
		static const int from[MOST_ARGUMENTS] = {__VA_ARGS__};                                     \
                                                                                                   \
		reorder(fcinfo, from);                                                                     \
		return function(fcinfo);                                                                   \
	}

/* name, relation, features, label, epsilon, delta, method, options, filter */
EARLIER_ORDER(dpobj_submit, dpobj_submit_training, 1, 3, 4, 2, 5, 6, 7, 8, 0)

/* relation, by, label, epsilon, features, delta, method, options, filter, name */
EARLIER_ORDER(dpobj_train_groups, dpobj_train_by, 0, 2, 3, 4, 5, 6, 7, 8, 9, 1)

/* name, cron, relation, label, epsilon, features, delta, method, options, filter, allowance, period
 */
EARLIER_ORDER(dpobj_schedule_put, dpobj_schedule_training, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 10, 11)

/* relation, epsilon, features, delta, method, options, label; there was no filter. */
extern Datum dpobj_price_training(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(dpobj_price_relation);
Datum
dpobj_price_relation(PG_FUNCTION_ARGS)
{
	static const int from[] = {0, 6, 1, 2, 3, 4, 5};
	LOCAL_FCINFO(call, 8);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 8, fcinfo->fncollation, fcinfo->context, NULL);
	for (int i = 0; i < lengthof(from); i++)
		call->args[i] = fcinfo->args[from[i]];
	call->args[lengthof(from)] = (NullableDatum){.isnull = true};
	return dpobj_price_training(call);
}
