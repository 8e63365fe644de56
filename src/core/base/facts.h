/*
 * facts.h - what a mechanism says of a request: named values in order, for the ledger, the model's
 * details and prices.  Whoever prints them knows the syntax.
 */
#ifndef DPOBJ_CORE_FACTS_H
#define DPOBJ_CORE_FACTS_H

#include <stdint.h>

typedef enum FactKind
{
	FACT_NUMBER, /* with so many significant digits */
	FACT_FIXED,  /* with so many decimals */
	FACT_INTEGER,
	FACT_TEXT,
	FACT_PAIR, /* of numbers, with 17 digits */
	FACT_NULL,
	FACT_OPEN, /* the facts up to FACT_CLOSE are about this one */
	FACT_CLOSE
} FactKind;

/* Digits that tell a double from all others. */
#define FACT_EXACT 17

typedef struct Fact
{
	FactKind kind;
	const char *name;
	double number;
	double other; /* FACT_PAIR */
	int digits;
	int64_t integer;
	const char *text;
} Fact;

#define FACTS_MAX 24

typedef struct Facts
{
	int count;
	Fact fact[FACTS_MAX];
} Facts;

/* Ends the process where there is no room. */
extern void facts_add(Facts *facts, Fact fact);

extern void facts_number(Facts *facts, const char *name, double number, int digits);
extern void facts_fixed(Facts *facts, const char *name, double number, int decimals);
extern void facts_integer(Facts *facts, const char *name, int64_t integer);
extern void facts_text(Facts *facts, const char *name, const char *text);
extern void facts_open(Facts *facts, const char *name);
extern void facts_close(Facts *facts);

#endif
