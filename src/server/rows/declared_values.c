/*
 * declared_values.c - finds constants that are not declared.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "server/base/near_name.h"
#include "server/rows/declared_values.h"

static void
check(const Column *column, const ColumnSet *first, const ColumnSet *second,
	  const ColumnSet *constants, const char *place)
{
	for (int i = 0; i < constants->count; i++)
	{
		const ColumnValue *value = &constants->value[i];
		char *text;

		CHECK_FOR_INTERRUPTS();
		if (column_set_has(column, first, value) || column_set_has(column, second, value))
			continue;
		text = column_text(column, value);
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" in %s is not a declared value of column \"%s\"", text, place,
							   column->name),
						errhint("%s", near_name_of_values(
										  text, list_concat(column_set_texts(column, first),
															column_set_texts(column, second))))));
	}
}

void
declared_values_check(const Encoder *declared, const ColumnSet *constants, const char *place)
{
	static const ColumnSet none = {0};
	const LabelRule *label = &declared->label;

	if (declared->kind == ENCODER_LEVELS && declared->part == PART_NONE)
		check(&declared->column, &declared->set, &none, constants, place);
	else if (label->negative.count > 0 && column_has_text(&declared->column))
		check(&declared->column, &label->positive, &label->negative, constants, place);
}

void
declared_values_check_label(const Encoder *declared, const LabelRule *rule, const char *place)
{
	declared_values_check(declared, &rule->positive, place);
	declared_values_check(declared, &rule->negative, place);
	declared_values_check(declared, &rule->classes, place);
}
