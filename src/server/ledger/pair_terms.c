/*
 * pair_terms.c - dominating pairs to jsonb and back.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "server/ledger/pair_terms.h"

/* The parameters of each kind. */
typedef enum Term
{
	TERM_COUNT,
	TERM_MU,
	TERM_RATE,
	TERM_NOISE,
	TERM_RATIO,
	TERM_OUTER,
	TERM_RHO,
	TERMS
} Term;

static const char *const term_names[TERMS] = {"count", "mu",    "rate", "noise",
											  "ratio", "outer", "rho"};

#define BIT(term) (1 << (term))

static const int terms_of_kind[PAIR_KINDS] = {
	[PAIR_GAUSSIAN] = BIT(TERM_MU),
	[PAIR_SAMPLED] = BIT(TERM_COUNT) | BIT(TERM_RATE) | BIT(TERM_NOISE),
	[PAIR_BATCHES] = BIT(TERM_COUNT) | BIT(TERM_RATE) | BIT(TERM_NOISE),
	[PAIR_OBJECTIVE] = BIT(TERM_MU) | BIT(TERM_RATIO) | BIT(TERM_OUTER),
	[PAIR_CONCENTRATED] = BIT(TERM_RHO),
};

static double *
term_place(Pair *pair, Term term)
{
	switch (term)
	{
		case TERM_MU:
			return &pair->mu;
		case TERM_RATE:
			return &pair->rate;
		case TERM_NOISE:
			return &pair->noise;
		case TERM_RATIO:
			return &pair->ratio;
		case TERM_OUTER:
			return &pair->outer;
		case TERM_RHO:
			return &pair->rho;
		default:
			return NULL;
	}
}

char *
pair_terms(const Pair *pair)
{
	Pair copy = *pair;
	StringInfoData text;

	initStringInfo(&text);
	for (int term = 0; term < TERMS; term++)
	{
		if ((terms_of_kind[pair->kind] & BIT(term)) == 0)
			continue;
		appendStringInfo(&text, "%s\"%s\": ", text.len == 0 ? "{" : ", ", term_names[term]);
		if (term == TERM_COUNT)
			appendStringInfo(&text, INT64_FORMAT, pair->count);
		else
			appendStringInfo(&text, "%.17g", *term_place(&copy, (Term) term));
	}
	appendStringInfoString(&text, text.len == 0 ? "{}" : "}");
	return text.data;
}

static double
read_term(Jsonb *terms, Term term)
{
	JsonbValue buffer;
	JsonbValue *value = getKeyJsonValueFromContainer(&terms->root, term_names[term],
													 strlen(term_names[term]), &buffer);

	if (value != NULL && value->type == jbvNumeric)
		return DatumGetFloat8(
			DirectFunctionCall1(numeric_float8, NumericGetDatum(value->val.numeric)));
	elog(ERROR, "the privacy ledger has no \"%s\" of a release", term_names[term]);
}

void
pair_read(const char *tag, Jsonb *terms, Pair *pair)
{
	pair->kind = pair_kind(tag);
	if (pair->kind == PAIR_KINDS)
		elog(ERROR, "unrecognized tag of a release in the privacy ledger: \"%s\"", tag);
	pair->count = 1;
	for (int term = 0; term < TERMS; term++)
	{
		if ((terms_of_kind[pair->kind] & BIT(term)) == 0)
			continue;
		if (term == TERM_COUNT)
			pair->count = (int64) read_term(terms, TERM_COUNT);
		else
			*term_place(pair, (Term) term) = read_term(terms, (Term) term);
	}
}
