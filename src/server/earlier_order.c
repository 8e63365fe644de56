/*
 * earlier_order.c - C functions of the scripts before 0.3.0, whose arguments had another order.
 *
 * A database may have the new library before it is updated.
 */
#include "postgres.h"

#include "fmgr.h"

#define MOST_ARGUMENTS 12

/* place: for each argument of the function that is called, which one of the caller's it is. */
static void
reorder(FunctionCallInfo fcinfo, const int *place)
{
	NullableDatum given[MOST_ARGUMENTS];

	memcpy(given, fcinfo->args, PG_NARGS() * sizeof(given[0]));
	for (int i = 0; i < PG_NARGS(); i++)
		fcinfo->args[i] = given[place[i]];
}

#define EARLIER_ORDER(earlier, function, ...)                                                      \
	extern Datum function(PG_FUNCTION_ARGS);                                                       \
	PG_FUNCTION_INFO_V1(earlier);                                                                  \
	Datum earlier(PG_FUNCTION_ARGS)                                                                \
	{                                                                                              \
		static const int place[MOST_ARGUMENTS] = {__VA_ARGS__};                                    \
                                                                                                   \
		reorder(fcinfo, place);                                                                    \
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
	static const int place[] = {0, 6, 1, 2, 3, 4, 5};
	LOCAL_FCINFO(call, 8);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 8, fcinfo->fncollation, fcinfo->context, NULL);
	for (int i = 0; i < lengthof(place); i++)
		call->args[i] = fcinfo->args[place[i]];
	call->args[lengthof(place)] = (NullableDatum){.isnull = true};
	return dpobj_price_training(call);
}
