/*
 * view_refuse.c - says why a view cannot be protected.  Definitions of views are public.
 */
#include "server/views/view_scope.h"

#include "server/base/dpobj.h"

void
view_refuse(const ViewScope *scope, const char *found, const char *allowed)
{
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					errmsg("view \"%s\" cannot be protected", scope->work->name),
					errdetail("In %s of %s: %s.", scope->clause, scope->name, found),
					allowed == NULL ? 0 : errhint("%s", allowed)));
	pg_unreachable();
}
