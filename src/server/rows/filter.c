/*
 * filter.c - reads a structured filter and applies its conditions to values.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "server/rows/filter.h"
#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/base/near_name.h"
#include "server/rows/declared_values.h"

static const char *const operator_names[] = {
	[FILTER_EQUAL] = "=",       [FILTER_NOT_EQUAL] = "<>",    [FILTER_LESS] = "<",
	[FILTER_LESS_EQUAL] = "<=", [FILTER_GREATER] = ">",       [FILTER_GREATER_EQUAL] = ">=",
	[FILTER_IN] = "in",         [FILTER_IS_NULL] = "is null",
};

static void
read_condition(const char *operator_name, JsonbValue *constant, Condition *condition)
{
	const Column *column = &condition->column;
	JsonbContainer *array = json_get_array(constant);

	condition->op = (FilterOperator) keyed_json_find(
		"operator", psprintf(" in the filter of column \"%s\"", column->name), operator_names,
		lengthof(operator_names), operator_name);
	if (condition->op == FILTER_IS_NULL)
	{
		if (constant->type != jbvBool)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("\"is null\" in the filter of column \"%s\" must be true or "
								   "false",
								   column->name)));
		condition->want_null = constant->val.boolean;
		return;
	}
	if (column->kind == COLUMN_ENUM && condition->op >= FILTER_LESS && condition->op < FILTER_IN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("operator \"%s\" in the filter of column \"%s\" is not for enums",
							   operator_name, column->name),
						errhint("Use =, <>, in or \"is null\".")));
	if (condition->op == FILTER_IN && array == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"in\" in the filter of column \"%s\" must be an array of constants",
						column->name)));
	if (condition->op == FILTER_IN)
		column_set_read(column, array, &condition->constants);
	else
		column_set_single(column, constant, &condition->constants);
}

static void
find_column(TupleDesc descriptor, const char *name, Column *column)
{
	if (!column_find(descriptor, name, column))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the filter names column \"%s\", which does not exist", name),
						near_name_errhint(name, column_names(descriptor))));
	if (column->kind == COLUMN_OTHER)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" of type %s cannot be filtered", column->name,
							   format_type_be(column->type)),
						errdetail(COLUMN_TYPES_DETAIL)));
}

static void
read_conditions(const Column *column, JsonbValue *json, Filter *filter)
{
	JsonbContainer *object = json_get_object(json);
	ListCell *cell;

	if (object == NULL || JsonContainerSize(object) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the filter of column \"%s\" must be a JSON object", column->name),
						errhint("Write for example {\">=\": 18, \"<\": 65} or {\"in\": [1, 2]}.")));
	filter->condition =
		filter->condition == NULL
			? palloc0(JsonContainerSize(object) * sizeof(Condition))
			: repalloc(filter->condition,
					   (filter->count + JsonContainerSize(object)) * sizeof(Condition));
	foreach (cell, json_keys(object))
	{
		Condition *condition = &filter->condition[filter->count++];

		memset(condition, 0, sizeof(*condition));
		condition->column = *column;
		read_condition(lfirst(cell), json_member(object, lfirst(cell)), condition);
	}
}

void
filter_parse(Jsonb *jsonb, TupleDesc descriptor, Filter *filter)
{
	ListCell *cell;

	memset(filter, 0, sizeof(*filter));
	if (jsonb == NULL)
		return;
	if (!JB_ROOT_IS_OBJECT(jsonb))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("filter must be a JSON object"),
				 errhint("Write for example {\"age\": {\">=\": 18}}.")));
	foreach (cell, json_keys(&jsonb->root))
	{
		Column column;

		find_column(descriptor, lfirst(cell), &column);
		read_conditions(&column, json_member(&jsonb->root, lfirst(cell)), filter);
	}
}

/* ---- declared values ---- */

static bool
names_values(FilterOperator op)
{
	return op == FILTER_EQUAL || op == FILTER_NOT_EQUAL || op == FILTER_IN;
}

void
filter_check_declared(const Filter *filter, const Encoders *declared)
{
	for (int i = 0; i < filter->count; i++)
		for (int j = 0; j < declared->count; j++)
			if (names_values(filter->condition[i].op) &&
				filter->condition[i].column.number == declared->encoder[j].column.number)
				declared_values_check(&declared->encoder[j], &filter->condition[i].constants,
									  "the filter");
}

/* ---- values of rows ---- */

bool
condition_holds(const Condition *condition, Datum datum, bool isnull)
{
	const ColumnSet *constants = &condition->constants;
	bool missing = column_is_missing(&condition->column, datum, isnull);
	ColumnValue value;
	int order;

	if (condition->op == FILTER_IS_NULL)
		return missing == condition->want_null;
	if (missing)
		return false;
	if (condition->op == FILTER_IN)
		return column_set_find(&condition->column, constants, datum) >= 0;
	column_read(&condition->column, datum, constants->longest, &value);
	order = column_compare(&condition->column, &value, &constants->value[0]);
	switch (condition->op)
	{
		case FILTER_EQUAL:
			return order == 0;
		case FILTER_NOT_EQUAL:
			return order != 0;
		case FILTER_LESS:
			return order < 0;
		case FILTER_LESS_EQUAL:
			return order <= 0;
		case FILTER_GREATER:
			return order > 0;
		default:
			return order >= 0;
	}
}
