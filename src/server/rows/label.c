/*
 * label.c - declares and reads labels.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "server/base/json_value.h"
#include "server/rows/label.h"

/* ---- declaring ---- */

static void
read_values(const Column *column, JsonbValue *values, ColumnSet *set)
{
	JsonbContainer *array = json_get_array(values);

	if (array == NULL)
		column_set_single(column, values, set);
	else
		column_set_read(column, array, set);
	if (set->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the values of %s must not be an empty array", column_phrase(column))));
}

void
label_declare(LabelRule *rule, JsonbValue *positive, JsonbValue *negative)
{
	read_values(&rule->column, positive, &rule->positive);
	if (negative == NULL)
		return;
	read_values(&rule->column, negative, &rule->negative);
	for (int i = 0; i < rule->negative.count; i++)
		for (int j = 0; j < rule->positive.count; j++)
			if (column_compare(&rule->column, &rule->negative.value[i], &rule->positive.value[j]) ==
				0)
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("a value of %s is declared as positive and as negative",
									   column_phrase(&rule->column))));
}

void
label_declare_rest(LabelRule *rule, JsonbValue *values)
{
	ColumnSet all;

	read_values(&rule->column, values, &all);
	column_set_rest(&rule->column, &all, &rule->positive, &rule->negative);
}

void
label_check_choice(JsonbValue *positive, JsonbValue *negative)
{
	if (negative != NULL && positive == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"negative\" needs option \"positive\"")));
}

/* ---- an aggregate's argument ---- */

static bool
says_itself(const Column *column)
{
	return column->kind == COLUMN_BOOLEAN || column->kind == COLUMN_INTEGER;
}

static bool
can_be_declared(const Column *column)
{
	return column->kind == COLUMN_TEXT || column->kind == COLUMN_ENUM;
}

static void
refuse_type(Oid type, const Column *column, const char *hint)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_DATATYPE_MISMATCH),
		 errmsg("a label cannot be of type %s", format_type_be(type)),
		 errdetail("Labels are boolean, smallint, integer or bigint: true or 1 is positive, "
				   "false, 0 or -1 is negative."),
		 errhint("%s", can_be_declared(column) ? hint
					   : column->kind == COLUMN_NUMERIC || column->kind == COLUMN_REAL
						   ? "Write a condition, such as days > 30; dp_linear predicts a number."
						   : "Write a condition, such as outcome = 'yes'.")));
}

void
label_open(Oid type, JsonbValue *positive, JsonbValue *negative, const char *hint, LabelRule *rule)
{
	Column *column = &rule->column;
	bool declared = positive != NULL;

	memset(rule, 0, sizeof(*rule));
	column_init_argument(column, type);
	if (!says_itself(column) && !(declared && can_be_declared(column)))
		refuse_type(type, column, hint);
	label_check_choice(positive, negative);
	if (declared && column->kind == COLUMN_BOOLEAN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"positive\" is not for a boolean label"),
						errdetail("true is positive, false is negative.")));
	if (declared)
		label_declare(rule, positive, negative);
}

void
label_open_classes(Oid type, JsonbValue *classes, LabelRule *rule)
{
	memset(rule, 0, sizeof(*rule));
	column_init_argument(&rule->column, type);
	if (!column_has_text(&rule->column))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a label of several classes cannot be of type %s", format_type_be(type)),
				 errdetail("Classes are integers, texts or values of an enum."),
				 errhint("Cast it to text.")));
	read_values(&rule->column, classes, &rule->classes);
}

void
label_open_target(Oid type, LabelRule *rule)
{
	Column *column = &rule->column;

	memset(rule, 0, sizeof(*rule));
	column_init_argument(column, type);
	if (column->kind != COLUMN_INTEGER && column->kind != COLUMN_REAL &&
		column->kind != COLUMN_NUMERIC)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a target cannot be of type %s", format_type_be(type)),
						errdetail("Targets are numbers.")));
}

/* ---- reading ---- */

double
label_read_target(const LabelRule *rule, Datum datum)
{
	return column_number(&rule->column, datum);
}

int
label_read_class(const LabelRule *rule, Datum datum)
{
	return column_set_find(&rule->column, &rule->classes, datum);
}

Label
label_read(const LabelRule *rule, Datum datum)
{
	const Column *column = &rule->column;
	double number;
	bool positive;
	bool negative;

	if (column->kind == COLUMN_BOOLEAN && rule->positive.count == 0)
		return DatumGetBool(datum) ? LABEL_POSITIVE : LABEL_NEGATIVE;
	if (rule->positive.count > 0)
	{
		positive = column_set_find(column, &rule->positive, datum) >= 0;
		negative = rule->negative.count == 0 ? !positive
											 : column_set_find(column, &rule->negative, datum) >= 0;
	}
	else
	{
		number = column_number(column, datum);
		positive = number == 1;
		negative = number == 0 || number == -1;
	}
	if (positive)
		return LABEL_POSITIVE;
	return negative ? LABEL_NEGATIVE : LABEL_NEITHER;
}
