/*
 * facts.h - what a mechanism reports about a request: named values in order, for the ledger, the
 * model's details and prices.  The code that prints them chooses the syntax.
 */
#ifndef DPOBJ_CORE_FACTS_H
#define DPOBJ_CORE_FACTS_H

#include <stdint.h>

typedef enum FactKind
{
	FACT_NUMBER, /* printed with this many significant digits */
	FACT_FIXED,  /* printed with this many decimals */
	FACT_INTEGER,
	FACT_TEXT,
	FACT_PAIR, /* two numbers, with 17 digits */
	FACT_NULL,
	FACT_OPEN, /* the facts up to FACT_CLOSE belong to this one */
	FACT_CLOSE
} FactKind;

/* Significant digits that identify a double, and those of a decimal that a double keeps. */
#define FACT_EXACT 17
#define FACT_DECIMAL 15

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

/* Ends the process if the list is full. */
extern void facts_add(Facts *facts, Fact fact);

extern void facts_number(Facts *facts, const char *name, double number, int digits);
extern void facts_fixed(Facts *facts, const char *name, double number, int decimals);
extern void facts_integer(Facts *facts, const char *name, int64_t integer);
extern void facts_text(Facts *facts, const char *name, const char *text);
extern void facts_open(Facts *facts, const char *name);
extern void facts_close(Facts *facts);

#endif
