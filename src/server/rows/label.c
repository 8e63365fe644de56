/*
 * label.c - the types of labels.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/rows/label.h"

Oid
label_check_type(Oid type)
{
	Oid base = getBaseType(type);

	if (base != BOOLOID && base != INT2OID && base != INT4OID && base != INT8OID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a label cannot be of type %s", format_type_be(type)),
						errdetail("Labels are boolean, smallint, integer or bigint: true or 1 is "
								  "positive, false, 0 or -1 is negative."),
						errhint("Write a condition, such as outcome = 'yes'.")));
	return base;
}
