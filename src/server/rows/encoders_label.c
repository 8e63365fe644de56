/*
 * encoders_label.c - the label of a request among the declared columns.
 */
#include "postgres.h"

#include "server/rows/declared_values.h"
#include "server/rows/encoders.h"

static const Encoder *
class_encoder(const Encoder *levels)
{
	Encoder *class = palloc(sizeof(Encoder));

	*class = *levels;
	class->is_class = true;
	class->features = 1;
	class->low = 0.0;
	class->high = levels->categories - 1;
	class->drop_first = class->null_indicator = class->substitute = false;
	return class;
}

static const Encoder *
target_encoder(const Encoder *encoder)
{
	bool is_label = encoder->kind == ENCODER_LABEL ||
					(encoder->kind == ENCODER_LEVELS && encoder->part == PART_NONE);

	if (encoder->kind != ENCODER_NUMBER || encoder->features != 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" is not declared as a number", encoder->column.name),
						errdetail("Methods \"linear\" and \"simplex\" predict a number."),
						is_label ? errhint("Use method \"auto\", which predicts the label as it is "
										   "declared.")
								 : errhint("Its encoder may have \"center\", \"scale\", \"clip\" "
										   "and \"null\", but no bins, levels or "
										   "\"null_indicator\".")));
	return encoder;
}

/* A label that is positive for some of the levels. */
static const Encoder *
binary_encoder(const Encoder *levels, const LabelChoice *choice)
{
	Encoder *binary = palloc(sizeof(Encoder));
	LabelRule *rule = &binary->label;

	*binary = *levels;
	binary->kind = ENCODER_LABEL;
	binary->features = 0;
	label_declare(rule, choice->positive, choice->negative);
	declared_values_check_label(levels, rule, "the options");
	if (choice->negative == NULL)
		column_set_rest(&levels->column, &levels->set, &rule->positive, &rule->negative);
	if (rule->negative.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"positive\" names every level of label \"%s\"", choice->name),
				 errdetail("No row could be negative.")));
	return binary;
}

static const Encoder *
levels_label(const Encoder *levels, const LabelChoice *choice)
{
	return choice->positive == NULL ? class_encoder(levels) : binary_encoder(levels, choice);
}

const Encoder *
encoders_label(const Encoders *all, const LabelChoice *choice)
{
	const Encoder *encoder = encoders_find(all, choice->name);

	if (choice->is_target || (choice->may_be_target && encoder_is_number(encoder)))
		return target_encoder(encoder);
	label_check_choice(choice->positive, choice->negative);
	if (encoder->kind == ENCODER_LEVELS && encoder->part == PART_NONE)
		return levels_label(encoder, choice);
	if (encoder->kind != ENCODER_LABEL && encoder->column.kind != COLUMN_BOOLEAN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is not declared as a label", choice->name),
				 encoder_is_number(encoder)
					 ? errhint("Use method \"linear\", which predicts a number.")
					 : errhint("A label is a boolean column, one whose encoder is {\"positive\": "
							   "[...]} or, for several classes, {\"levels\": [...]}, or, for "
							   "method \"linear\", a number.")));
	if (choice->positive != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"positive\" is not for label \"%s\"", choice->name),
						errdetail("It chooses among levels, and the column is declared without "
								  "them."),
						errhint("Leave it out. dpobj.protected has the declaration.")));
	return encoder;
}
