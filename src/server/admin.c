/*
 * admin.c - administration is for superusers.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "admin.h"

void
admin_check(void)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to administer dpobj"), errhint("Must be superuser.")));
}
