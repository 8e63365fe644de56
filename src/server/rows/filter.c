/*
 * filter.c - reads a structured filter and applies its conditions to values.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "server/rows/filter.h"
#include "server/base/json_value.h"

static const char *const operator_names[] = {
	[FILTER_EQUAL] = "=",       [FILTER_NOT_EQUAL] = "<>",    [FILTER_LESS] = "<",
	[FILTER_LESS_EQUAL] = "<=", [FILTER_GREATER] = ">",       [FILTER_GREATER_EQUAL] = ">=",
	[FILTER_IN] = "in",         [FILTER_IS_NULL] = "is null",
};

static FilterOperator
read_operator(const Column *column, JsonbValue *key)
{
	StringInfoData known;

	for (int i = 0; i < lengthof(operator_names); i++)
		if (json_is_string(key, operator_names[i]))
			return (FilterOperator) i;
	initStringInfo(&known);
	for (int i = 0; i < lengthof(operator_names); i++)
		appendStringInfo(&known, "%s%s", i > 0 ? ", " : "", operator_names[i]);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("operator \"%.*s\" in the filter of column \"%s\" is not known",
						   key->val.string.len, key->val.string.val, column->name),
					errhint("Known operators are: %s.", known.data)));
}

static void
read_condition(JsonbValue *key, JsonbValue *constant, Condition *condition)
{
	const Column *column = &condition->column;
	JsonbContainer *array = json_get_array(constant);

	condition->op = read_operator(column, key);
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
							   operator_names[condition->op], column->name),
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

/* The column of that name; its type must be one that is read. */
static void
find_column(TupleDesc descriptor, JsonbValue *key, Column *column)
{
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		if (attribute->attisdropped || !json_is_string(key, NameStr(attribute->attname)))
			continue;
		column_init_stored(column, attribute);
		if (column->kind == COLUMN_OTHER)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" of type %s cannot be filtered", column->name,
								   format_type_be(column->type)),
							errdetail(COLUMN_TYPES_DETAIL)));
		return;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the filter names column \"%.*s\", which does not exist",
						   key->val.string.len, key->val.string.val)));
}

static void
read_conditions(const Column *column, JsonbValue *json, Filter *filter)
{
	JsonbContainer *object = json_get_object(json);
	JsonbIterator *iterator;
	JsonbValue key;
	JsonbValue constant;
	JsonbIteratorToken token;

	if (object == NULL || JsonContainerSize(object) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the filter of column \"%s\" must be a JSON object", column->name),
						errhint("Write for example {\">=\": 18, \"<\": 65} or {\"in\": [1, 2]}.")));
	filter->condition =
		filter->condition == NULL
			? palloc0(JsonContainerSize(object) * sizeof(Condition))
			: repalloc(filter->condition,
					   (filter->count + JsonContainerSize(object)) * sizeof(Condition));
	iterator = JsonbIteratorInit(object);
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		Condition *condition = &filter->condition[filter->count];

		if (token != WJB_KEY)
			continue;
		(void) JsonbIteratorNext(&iterator, &constant, true);
		memset(condition, 0, sizeof(*condition));
		condition->column = *column;
		read_condition(&key, &constant, condition);
		filter->count++;
	}
}

void
filter_parse(Jsonb *jsonb, TupleDesc descriptor, Filter *filter)
{
	JsonbIterator *iterator;
	JsonbValue key;
	JsonbValue conditions;
	JsonbIteratorToken token;

	memset(filter, 0, sizeof(*filter));
	if (jsonb == NULL)
		return;
	if (!JB_ROOT_IS_OBJECT(jsonb))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("filter must be a JSON object"),
				 errhint("Write for example {\"age\": {\">=\": 18}}.")));
	iterator = JsonbIteratorInit(&jsonb->root);
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		Column column;

		if (token != WJB_KEY)
			continue;
		(void) JsonbIteratorNext(&iterator, &conditions, true);
		find_column(descriptor, &key, &column);
		read_conditions(&column, &conditions, filter);
	}
}

bool
condition_holds(const Condition *condition, Datum datum, bool isnull)
{
	const ColumnSet *constants = &condition->constants;
	ColumnValue value;
	int order;

	if (condition->op == FILTER_IS_NULL)
		return isnull == condition->want_null;
	if (isnull)
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
