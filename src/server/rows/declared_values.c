/*
 * declared_values.c - finds constants that are not declared.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "server/base/known_values.h"
#include "server/rows/declared_values.h"

static List *
add_texts(List *texts, const Column *column, const ColumnSet *set)
{
	for (int i = 0; i < set->count; i++)
		texts = lappend(texts, column_text(column, &set->value[i]));
	return texts;
}

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
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" in %s is not a declared value of column \"%s\"", text, place,
						column->name),
				 errhint("%s", known_values_hint(text, add_texts(add_texts(NIL, column, first),
																 column, second)))));
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
