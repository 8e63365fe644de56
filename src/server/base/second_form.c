/*
 * second_form.c - functions that take a number as double precision and json or text as jsonb, for
 * drivers that send these.
 *
 * A function of arguments.sql has the name and the arguments of another one, which takes numeric
 * and jsonb, and calls it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "server/base/compat.h"

/* Kept in fn_extra: a function that returns a set is called once for each row. */
typedef struct FirstForm
{
	FmgrInfo function;
	bool is_number[FUNC_MAX_ARGS];
} FirstForm;

/* Finds the function, and checks that the caller may call it. */
static Oid
first_form(Oid second, bool *is_number)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(second));
	Form_pg_proc form = (Form_pg_proc) GETSTRUCT(tuple);
	Oid json = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("json_argument"),
							   ObjectIdGetDatum(form->pronamespace));
	Oid types[FUNC_MAX_ARGS];
	Oid first;

	for (int i = 0; i < form->pronargs; i++)
	{
		Oid type = form->proargtypes.values[i];

		is_number[i] = type == FLOAT8OID;
		types[i] = is_number[i] ? NUMERICOID : type == json ? JSONBOID : type;
	}
	first =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(NameStr(form->proname)),
						PointerGetDatum(buildoidvector(types, form->pronargs)),
						ObjectIdGetDatum(form->pronamespace));
	if (!OidIsValid(first))
		elog(ERROR, "function %u has no first form", second);
	ReleaseSysCache(tuple);
	if (routine_aclcheck(first, GetUserId()) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, get_func_name(first));
	return first;
}

PG_FUNCTION_INFO_V1(dpobj_second_form);
Datum
dpobj_second_form(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);
	FirstForm *first = fcinfo->flinfo->fn_extra;
	Datum result;

	if (first == NULL)
	{
		first = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(FirstForm));
		fmgr_info_cxt(first_form(fcinfo->flinfo->fn_oid, first->is_number), &first->function,
					  fcinfo->flinfo->fn_mcxt);
		first->function.fn_expr = fcinfo->flinfo->fn_expr;
		fcinfo->flinfo->fn_extra = first;
	}
	InitFunctionCallInfoData(*call, &first->function, fcinfo->nargs, fcinfo->fncollation,
							 fcinfo->context, fcinfo->resultinfo);
	for (int i = 0; i < fcinfo->nargs; i++)
	{
		call->args[i] = fcinfo->args[i];
		if (first->is_number[i] && !call->args[i].isnull)
			call->args[i].value = DirectFunctionCall1(float8_numeric, call->args[i].value);
	}
	result = FunctionCallInvoke(call);
	fcinfo->isnull = call->isnull;
	return result;
}
