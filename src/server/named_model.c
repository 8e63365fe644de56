/*
 * named_model.c - finds a model by its name.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "admin.h"
#include "named_model.h"
#include "options.h"

/* Operators are qualified: an aggregate's caller has a search_path of his own. */
void
named_model_find(const char *name, Model *model)
{
	static const char *const statement =
		"SELECT m.model FROM dpobj.model_rows m"
		" JOIN dpobj.identity_roles r ON r.id OPERATOR(pg_catalog.=) m.owner"
		" WHERE r.role OPERATOR(pg_catalog.=) $1 AND m.name OPERATOR(pg_catalog.=) $2"
		" AND m.model IS NOT NULL";
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(GetSessionUserId()), CStringGetTextDatum(name)};
	Datum row;
	bool isnull;

	if (!admin_select(statement, lengthof(types), types, values, &row, &isnull))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no model \"%s\" of role \"%s\"", name,
							   GetUserNameFromId(GetSessionUserId(), false)),
						errhint("A model has a name if dpobj.train was given one; see "
								"dpobj.models.")));
	model_read(DatumGetHeapTupleHeader(row), model);
}

void
model_require_label(const Model *model, const char *name)
{
	if (strcmp(model->kind, method_name(METHOD_SIMPLEX)) != 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					name == NULL ? errmsg("the model predicts a number")
								 : errmsg("model \"%s\" predicts a number", name),
					errdetail("Only models that predict a label can be right or wrong.")));
}
