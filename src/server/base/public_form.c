/*
 * public_form.c - functions that take numbers as double precision, and jsonb, json or text, as
 * drivers send them (arguments.sql).  Each calls the function of its name in dpobj_internal, which
 * takes numeric and jsonb.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/syscache.h"

/* Kept in fn_extra: a function that returns a set is called once for each row. */
typedef struct InternalForm
{
	FmgrInfo function;
	bool is_number[FUNC_MAX_ARGS];
} InternalForm;

static Oid
find_internal(Oid function, bool *is_number)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc form = (Form_pg_proc) GETSTRUCT(tuple);
	Oid json = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("json_argument"),
							   ObjectIdGetDatum(form->pronamespace));
	Oid types[FUNC_MAX_ARGS];
	Oid found;

	for (int i = 0; i < form->pronargs; i++)
	{
		Oid type = form->proargtypes.values[i];

		is_number[i] = type == FLOAT8OID;
		types[i] = is_number[i] ? NUMERICOID : type == json ? JSONBOID : type;
	}
	found =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(NameStr(form->proname)),
						PointerGetDatum(buildoidvector(types, form->pronargs)),
						ObjectIdGetDatum(get_namespace_oid("dpobj_internal", false)));
	if (!OidIsValid(found))
		elog(ERROR, "function %u has no internal form", function);
	ReleaseSysCache(tuple);
	return found;
}

PG_FUNCTION_INFO_V1(dpobj_public_form);
Datum
dpobj_public_form(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);
	InternalForm *internal = fcinfo->flinfo->fn_extra;
	Datum result;

	if (internal == NULL)
	{
		internal = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(InternalForm));
		fmgr_info_cxt(find_internal(fcinfo->flinfo->fn_oid, internal->is_number),
					  &internal->function, fcinfo->flinfo->fn_mcxt);
		internal->function.fn_expr = fcinfo->flinfo->fn_expr;
		fcinfo->flinfo->fn_extra = internal;
	}
	InitFunctionCallInfoData(*call, &internal->function, fcinfo->nargs, fcinfo->fncollation,
							 fcinfo->context, fcinfo->resultinfo);
	for (int i = 0; i < fcinfo->nargs; i++)
	{
		call->args[i] = fcinfo->args[i];
		if (internal->is_number[i] && !call->args[i].isnull)
			call->args[i].value = DirectFunctionCall1(float8_numeric, call->args[i].value);
	}
	result = FunctionCallInvoke(call);
	fcinfo->isnull = call->isnull;
	return result;
}
