/*
 * facts.c - a list of named values.
 */
#include "core/base/facts.h"

#include <stdlib.h>

void
facts_add(Facts *facts, Fact fact)
{
	if (facts->count == FACTS_MAX)
		abort();
	facts->fact[facts->count++] = fact;
}

void
facts_number(Facts *facts, const char *name, double number, int digits)
{
	facts_add(facts, (Fact){FACT_NUMBER, name, .number = number, .digits = digits});
}

void
facts_fixed(Facts *facts, const char *name, double number, int decimals)
{
	facts_add(facts, (Fact){FACT_FIXED, name, .number = number, .digits = decimals});
}

void
facts_integer(Facts *facts, const char *name, int64_t integer)
{
	facts_add(facts, (Fact){FACT_INTEGER, name, .integer = integer});
}

void
facts_text(Facts *facts, const char *name, const char *text)
{
	facts_add(facts, (Fact){FACT_TEXT, name, .text = text});
}

void
facts_open(Facts *facts, const char *name)
{
	facts_add(facts, (Fact){.kind = FACT_OPEN, .name = name});
}

void
facts_close(Facts *facts)
{
	facts_add(facts, (Fact){.kind = FACT_CLOSE});
}
