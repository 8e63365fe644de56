/*
 * named_model.c - finds models by their names.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/base/admin.h"
#include "server/models/named_model.h"
#include "server/base/options.h"

/* ---- by name ---- */

/*
 * A model named $1, of any owner or of a role; $2 is the current user.  Operators are qualified,
 * because the search_path is that of an aggregate's caller.
 */
#define NAMED                                                                                      \
	" FROM dpobj.model_rows m"                                                                     \
	" JOIN dpobj.identity_roles r ON r.id OPERATOR(pg_catalog.=) m.owner"                          \
	" WHERE m.name OPERATOR(pg_catalog.=) $1 AND m.model IS NOT NULL"
#define OF(role) " AND r.role OPERATOR(pg_catalog.=) " role
#define SHARED                                                                                     \
	" AND EXISTS (SELECT FROM dpobj.model_readers s"                                               \
	" WHERE s.release OPERATOR(pg_catalog.=) m.release AND s.place OPERATOR(pg_catalog.=) m.place" \
	" AND pg_catalog.pg_has_role($2, s.role, 'USAGE'))"

static bool
select_model(const char *statement, const char *name, Oid owner, Datum *row)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(name), ObjectIdGetDatum(GetUserId()),
					  ObjectIdGetDatum(owner)};
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, row, &isnull) && !isnull;
}

void
named_model_find(const char *name, Model *model)
{
	Datum row;

	if (!select_model("SELECT m.model" NAMED OF("$3"), name, GetSessionUserId(), &row))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no model \"%s\" of role \"%s\"", name,
							   GetUserNameFromId(GetSessionUserId(), false)),
						errhint("A model has a name if dpobj.train was given one; see "
								"dpobj.models. Models that others share with you can be applied, "
								"but not rated.")));
	model_read(DatumGetHeapTupleHeader(row), model);
}

static void
refuse_name(const char *name, Oid owner)
{
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					errmsg("there is no model \"%s\" of role \"%s\"", name,
						   GetUserNameFromId(owner, false)),
					errhint("Models that you may read are in dpobj.models.")));
}

/* Raises an error if several owners share a model of that name with the current user. */
static void
check_one_owner(const char *name)
{
	Datum owners;

	if (select_model(
			"SELECT CASE WHEN pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 THEN"
			" pg_catalog.string_agg(pg_catalog.quote_ident("
			"coalesce(r.role_name, r.recorded_name)), ', ' ORDER BY r.id) END" NAMED SHARED,
			name, InvalidOid, &owners))
		ereport(ERROR, (errcode(ERRCODE_AMBIGUOUS_ALIAS),
						errmsg("several roles share a model \"%s\" with role \"%s\"", name,
							   GetUserNameFromId(GetUserId(), false)),
						errdetail("They are: %s.", TextDatumGetCString(owners)),
						errhint("Add owner => '...'.")));
}

void
named_model_read(const char *name, Oid owner, Model *model)
{
	bool found;
	Datum row;

	if (!OidIsValid(owner))
	{
		found = select_model("SELECT m.model" NAMED OF("$2"), name, InvalidOid, &row);
		if (!found)
		{
			check_one_owner(name);
			found = select_model("SELECT m.model" NAMED SHARED, name, InvalidOid, &row);
		}
	}
	else if (owner == GetUserId() || superuser())
		found = select_model("SELECT m.model" NAMED OF("$3"), name, owner, &row);
	else
		found = select_model("SELECT m.model" NAMED OF("$3") SHARED, name, owner, &row);
	if (!found)
		refuse_name(name, OidIsValid(owner) ? owner : GetUserId());
	model_read(DatumGetHeapTupleHeader(row), model);
}

bool
named_model_argument(FunctionCallInfo fcinfo, Model *model)
{
	if (PG_ARGISNULL(0))
		return false;
	if (PG_NARGS() == 1)
		model_read(PG_GETARG_HEAPTUPLEHEADER(0), model);
	else
		named_model_read(text_to_cstring(PG_GETARG_TEXT_PP(0)),
						 PG_ARGISNULL(1) ? InvalidOid : PG_GETARG_OID(1), model);
	return true;
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
