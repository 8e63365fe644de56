/*
 * named_model.c - finds models by their names.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "server/base/admin.h"
#include "server/base/near_name.h"
#include "server/models/named_model.h"
#include "server/rows/options.h"

/* ---- by name ---- */

/*
 * A model named $1, of any owner or of a role; $2 is the current user.  Operators are qualified,
 * because the search_path is that of an aggregate's caller.
 */
#define MODELS                                                                                     \
	" FROM dpobj.model_rows m"                                                                     \
	" JOIN dpobj.identity_roles r ON r.id OPERATOR(pg_catalog.=) m.owner"                          \
	" WHERE m.name IS NOT NULL AND m.model IS NOT NULL"
#define NAMED MODELS " AND m.name OPERATOR(pg_catalog.=) $1"
#define OF(role) " AND r.role OPERATOR(pg_catalog.=) " role
#define SHARED                                                                                     \
	" AND EXISTS (SELECT FROM dpobj.model_readers s"                                               \
	" WHERE s.release OPERATOR(pg_catalog.=) m.release AND s.place OPERATOR(pg_catalog.=) m.place" \
	" AND pg_catalog.pg_has_role($2, s.role, 'USAGE'))"

typedef struct Found
{
	Datum column[2]; /* the model, and whether it is retired */
	bool isnull[2];
} Found;

static bool
select_row(const char *statement, const char *name, Oid owner, Found *found)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(name), ObjectIdGetDatum(GetUserId()),
					  ObjectIdGetDatum(owner)};

	return admin_select(statement, lengthof(types), types, values, found->column, found->isnull) &&
		   !found->isnull[0];
}

static bool
select_model(const char *named, const char *name, Oid owner, Found *found)
{
	return select_row(psprintf("SELECT m.model, m.retired IS NOT NULL%s", named), name, owner,
					  found);
}

static void
refuse_retired(const char *name, const Found *found)
{
	if (DatumGetBool(found->column[1]))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("model \"%s\" is retired", name),
						errdetail("It can be read and verified, but not applied or rated by its "
								  "name."),
						errhint("dpobj.show shows it with its comment. Its owner can take it back "
								"with dpobj.retire(name, false).")));
}

/* The names of such models, for hints to those who may read them. */
static List *
names_of(const char *models, Oid owner)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(""), ObjectIdGetDatum(GetUserId()),
					  ObjectIdGetDatum(owner)};

	return admin_select_names(psprintf("SELECT ARRAY(SELECT DISTINCT m.name%s LIMIT 1000)", models),
							  lengthof(types), types, values);
}

void
named_model_find(const char *name, Model *model)
{
	Found found;

	if (!select_model(NAMED OF("$3"), name, GetSessionUserId(), &found))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no model \"%s\" of role \"%s\"", name,
							   GetUserNameFromId(GetSessionUserId(), false)),
						errhint("%sA model has a name if dpobj.train was given one; see "
								"dpobj.models. Models that others share with you can be applied, "
								"but not rated.",
								near_name(name, names_of(MODELS OF("$2"), InvalidOid)))));
	refuse_retired(name, &found);
	model_read(DatumGetHeapTupleHeader(found.column[0]), model);
}

static void
refuse_name(const char *name, Oid owner, const List *names)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_UNDEFINED_OBJECT),
		 errmsg("there is no model \"%s\" of role \"%s\"", name, GetUserNameFromId(owner, false)),
		 errhint("%sModels that you may read are in dpobj.models.", near_name(name, names))));
}

/* Raises an error if several owners share a model of that name with the current user. */
static void
check_one_owner(const char *name)
{
	Found owners;

	if (select_row("SELECT CASE WHEN pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 THEN"
				   " pg_catalog.string_agg(pg_catalog.quote_ident("
				   "coalesce(r.role_name, r.recorded_name)), ', ' ORDER BY r.id) END" NAMED SHARED,
				   name, InvalidOid, &owners))
		ereport(ERROR, (errcode(ERRCODE_AMBIGUOUS_ALIAS),
						errmsg("several roles share a model \"%s\" with role \"%s\"", name,
							   GetUserNameFromId(GetUserId(), false)),
						errdetail("They are: %s.", TextDatumGetCString(owners.column[0])),
						errhint("Add owner => '...'.")));
}

/* Finds a model that the current user may read. */
static void
find_readable(const char *name, Oid owner, Found *found)
{
	if (!OidIsValid(owner))
	{
		if (select_model(NAMED OF("$2"), name, InvalidOid, found))
			return;
		check_one_owner(name);
		if (!select_model(NAMED SHARED, name, InvalidOid, found))
			refuse_name(name, GetUserId(),
						list_concat(names_of(MODELS OF("$2"), InvalidOid),
									names_of(MODELS SHARED, InvalidOid)));
	}
	else if (owner == GetUserId() || superuser())
	{
		if (!select_model(NAMED OF("$3"), name, owner, found))
			refuse_name(name, owner, names_of(MODELS OF("$3"), owner));
	}
	else if (!select_model(NAMED OF("$3") SHARED, name, owner, found))
		refuse_name(name, owner, names_of(MODELS OF("$3") SHARED, owner));
}

void
named_model_read(const char *name, Oid owner, Model *model)
{
	Found found;

	find_readable(name, owner, &found);
	model_read(DatumGetHeapTupleHeader(found.column[0]), model);
}

void
named_model_apply(const char *name, Oid owner, Model *model)
{
	Found found;

	find_readable(name, owner, &found);
	refuse_retired(name, &found);
	model_read(DatumGetHeapTupleHeader(found.column[0]), model);
}

/* ---- arguments ---- */

/* No text has a zero byte, and the header of a row has one: it has fewer than 256 attributes. */
static bool
is_row(struct varlena *argument)
{
	return memchr(VARDATA_ANY(argument), 0, VARSIZE_ANY_EXHDR(argument)) != NULL;
}

/* A copy, because dpobj.model_argument is aligned as a text. */
static Datum
copy_row(struct varlena *argument)
{
	return PointerGetDatum(PG_DETOAST_DATUM_COPY(PointerGetDatum(argument)));
}

Oid
named_model_owner(FunctionCallInfo fcinfo, int place)
{
	return place >= PG_NARGS() || PG_ARGISNULL(place) ? InvalidOid : PG_GETARG_OID(place);
}

bool
named_model_argument(FunctionCallInfo fcinfo, int place,
					 void (*read)(const char *name, Oid owner, Model *model), Model *model,
					 char **name)
{
	Oid owner = named_model_owner(fcinfo, place);
	struct varlena *argument;

	if (PG_ARGISNULL(0))
		return false;
	argument = PG_GETARG_VARLENA_PP(0);
	*name = is_row(argument) ? NULL : text_to_cstring(argument);
	if (*name != NULL)
		read(*name, owner, model);
	else if (OidIsValid(owner))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("owner is only for a model that is given by its name")));
	else
		model_read(DatumGetHeapTupleHeader(copy_row(argument)), model);
	return true;
}

/* dpobj_internal.model_of(model dpobj.model_argument, owner regrole) -> dp_model */
PG_FUNCTION_INFO_V1(dpobj_model_of);
Datum
dpobj_model_of(PG_FUNCTION_ARGS)
{
	Model model;
	char *name;
	TupleDesc descriptor;

	if (!named_model_argument(fcinfo, 1, named_model_read, &model, &name))
		PG_RETURN_NULL();
	(void) get_call_result_type(fcinfo, NULL, &descriptor);
	return model_form(&model, descriptor);
}

/* dpobj_internal.model_argument(dp_model) -> dpobj.model_argument: as it is, even compressed */
PG_FUNCTION_INFO_V1(dpobj_model_argument);
Datum
dpobj_model_argument(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* dpobj_internal.model_argument_out(dpobj.model_argument) -> cstring */
PG_FUNCTION_INFO_V1(dpobj_model_argument_out);
Datum
dpobj_model_argument_out(PG_FUNCTION_ARGS)
{
	struct varlena *argument = PG_GETARG_VARLENA_PP(0);

	PG_RETURN_CSTRING(is_row(argument) ? OidOutputFunctionCall(F_RECORD_OUT, copy_row(argument))
									   : text_to_cstring(argument));
}

/* ---- predictions ---- */

void
model_require_label(const Model *model, const char *name)
{
	if (!method_kind_has_target(model->kind))
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					name == NULL ? errmsg("the model predicts a number")
								 : errmsg("model \"%s\" predicts a number", name),
					errdetail("Only models that predict a label can be right or wrong.")));
}
