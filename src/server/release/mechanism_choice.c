/*
 * mechanism_choice.c - names, options and descriptions of mechanisms.
 */
#include "server/release/mechanism_choice.h"

#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/base/near_name.h"

/* ---- names ---- */

MechanismKind
mechanism_kind(const Mechanism *mechanism)
{
	MechanismKind kind = 0;

	while (mechanism_get(kind) != mechanism)
		kind++;
	return kind;
}

static char *
joined(const List *names)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, names)
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "", (char *) lfirst(cell));
	return text.data;
}

const Mechanism *
mechanism_choose(TrainingMethod method, const Options *options)
{
	const Mechanism *mechanism = mechanism_named(options->mechanism, 1 << method);

	if (mechanism == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"%s\" is not for method \"%s\"", options->mechanism,
							   method_name(method)),
						errhint("%sMechanisms are: %s.",
								near_name(options->mechanism, mechanism_names(1 << method)),
								joined(mechanism_names(1 << method)))));
	return mechanism;
}

/* ---- options ---- */

static bool
takes_option(const Mechanism *mechanism, const char *option)
{
	for (int i = 0; i < MECHANISM_OPTIONS && mechanism->options[i] != NULL; i++)
		if (strcmp(mechanism->options[i], option) == 0)
			return true;
	return false;
}

/* Raises 22023: the option is for other mechanisms. */
static _Noreturn void
refuse_option(const char *option, const Mechanism *mechanism)
{
	const char *names[MECHANISM_KINDS];
	int count = 0;

	for (int i = 0; i < MECHANISM_KINDS; i++)
		if (takes_option(mechanism_get((MechanismKind) i), option))
			names[count++] = mechanism_get((MechanismKind) i)->name;
	if (count == 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"%s\" is for mechanism \"%s\" only", option, names[0]),
						errhint("Add \"mechanism\": \"%s\", or leave it out.", names[0])));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" is not for mechanism \"%s\"", option, mechanism->name),
					errhint("Set \"mechanism\" to %s, or leave it out.",
							keyed_json_choices(names, count))));
}

void
mechanism_check_options(const Options *options, const Mechanism *mechanism)
{
	for (int i = 0; i < MECHANISM_KINDS; i++)
	{
		const char *const *option = mechanism_get((MechanismKind) i)->options;

		for (int j = 0; j < MECHANISM_OPTIONS && option[j] != NULL; j++)
			if (options_given(options, option[j]) && !takes_option(mechanism, option[j]))
				refuse_option(option[j], mechanism);
	}
}

/* ---- weights ---- */

int
mechanism_choose_weights(const Options *options, int dimension)
{
	if (options->classes * dimension > WEIGHTS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%d classes are too many for %d weights each", options->classes, dimension),
				 errdetail("The limit is %d weights, those of all classes together.", WEIGHTS_MAX),
				 errhint("Choose columns with at most %d features.",
						 WEIGHTS_MAX / options->classes - (options->intercept ? 1 : 0))));
	return Max(options->classes, 1) * dimension;
}

/* ---- values that are refused ---- */

void
mechanism_refuse_noise(const Options *options, const char *what, const char *name, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("noise \"%s\" is not for %s \"%s\"", noise_choice_name(options->noise),
						   what, name),
					errhint("%s", hint)));
}

void
mechanism_refuse_range(const char *option, double low, double high, const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" must be between %.6g and %.6g", option, low, high),
					detail != NULL ? errdetail("%s", detail) : 0));
}

/* ---- descriptions ---- */

static void
append_fact(StringInfo text, const Fact *fact)
{
	switch (fact->kind)
	{
		case FACT_NUMBER:
			appendStringInfo(text, "%.*g", fact->digits, fact->number);
			break;
		case FACT_FIXED:
			appendStringInfo(text, "%.*f", fact->digits, fact->number);
			break;
		case FACT_INTEGER:
			appendStringInfo(text, INT64_FORMAT, fact->integer);
			break;
		case FACT_TEXT:
			appendStringInfo(text, "\"%s\"", fact->text);
			break;
		case FACT_PAIR:
			appendStringInfo(text, "[%.17g, %.17g]", fact->number, fact->other);
			break;
		case FACT_NULL:
			appendStringInfoString(text, "null");
			break;
		case FACT_OPEN:
		case FACT_CLOSE:
			appendStringInfoChar(text, fact->kind == FACT_OPEN ? '{' : '}');
			break;
	}
}

static void
append_facts(StringInfo text, const Facts *facts)
{
	for (int i = 0; i < facts->count; i++)
	{
		const Fact *fact = &facts->fact[i];

		if (fact->name != NULL)
			appendStringInfo(text, "%s\"%s\": ",
							 i > 0 && facts->fact[i - 1].kind == FACT_OPEN ? "" : ", ", fact->name);
		append_fact(text, fact);
	}
}

void
mechanism_append_terms(StringInfo text, const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	Facts facts = {0};

	if (mechanism->describe != NULL)
		mechanism->describe(request, &facts);
	append_facts(text, &facts);
}

void
mechanism_append_error(StringInfo text, const MechanismRequest *request, double beta)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	Facts facts = {0};

	if (mechanism->error != NULL)
		mechanism->error(request, beta, &facts);
	else
		facts_add(&facts, (Fact){.kind = FACT_NULL, .name = "error"});
	append_facts(text, &facts);
}
