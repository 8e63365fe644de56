/*
 * pair_terms.c - the dominating pair of a release in the ledger.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "server/base/json_value.h"
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
	TERM_PURE,
	TERMS
} Term;

static const struct
{
	const char *name;
	size_t field; /* of a Pair: an int64 for is_integer(), else a double */
} terms[TERMS] = {
	[TERM_COUNT] = {"count", offsetof(Pair, count)},
	[TERM_MU] = {"mu", offsetof(Pair, mu)},
	[TERM_RATE] = {"rate", offsetof(Pair, rate)},
	[TERM_NOISE] = {"noise", offsetof(Pair, noise)},
	[TERM_RATIO] = {"ratio", offsetof(Pair, ratio)},
	[TERM_OUTER] = {"outer", offsetof(Pair, outer)},
	[TERM_RHO] = {"rho", offsetof(Pair, rho)},
	[TERM_PURE] = {"pure_nano", offsetof(Pair, pure)},
};

#define BIT(term) (1 << (term))

static const int terms_of_kind[PAIR_KINDS] = {
	[PAIR_GAUSSIAN] = BIT(TERM_MU),
	[PAIR_SAMPLED] = BIT(TERM_COUNT) | BIT(TERM_RATE) | BIT(TERM_NOISE),
	[PAIR_BATCHES] = BIT(TERM_COUNT) | BIT(TERM_RATE) | BIT(TERM_NOISE),
	[PAIR_OBJECTIVE] = BIT(TERM_MU) | BIT(TERM_RATIO) | BIT(TERM_OUTER),
	[PAIR_CONCENTRATED] = BIT(TERM_RHO),
};

static bool
is_integer(Term term)
{
	return term == TERM_COUNT || term == TERM_PURE;
}

/* Every kind may have a pure part, which is left out where there is none. */
static bool
has_term(const Pair *pair, Term term)
{
	return term == TERM_PURE ? pair->pure > 0 : (terms_of_kind[pair->kind] & BIT(term)) != 0;
}

char *
pair_terms(const Pair *pair)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int term = 0; term < TERMS; term++)
	{
		const void *field = (const char *) pair + terms[term].field;

		if (!has_term(pair, (Term) term))
			continue;
		appendStringInfo(&text, "%s\"%s\": ", text.len == 0 ? "{" : ", ", terms[term].name);
		if (is_integer((Term) term))
			appendStringInfo(&text, INT64_FORMAT, *(const int64 *) field);
		else
			appendStringInfo(&text, "%.17g", *(const double *) field);
	}
	appendStringInfoString(&text, text.len == 0 ? "{}" : "}");
	return text.data;
}

static double
read_term(Jsonb *json, Term term)
{
	double number;

	if (!json_get_number(json_member(&json->root, terms[term].name), &number) || number < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the terms of a release have no valid \"%s\"", terms[term].name)));
	return number;
}

void
pair_read(const char *tag, Jsonb *json, Pair *pair)
{
	pair->kind = pair_kind(tag);
	if (pair->kind == PAIR_KINDS || !JB_ROOT_IS_OBJECT(json))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" with these terms is no release", tag)));
	pair->count = 1;
	pair->pure = json_member(&json->root, terms[TERM_PURE].name) != NULL;
	for (int term = 0; term < TERMS; term++)
	{
		void *field = (char *) pair + terms[term].field;

		if (!has_term(pair, (Term) term))
			continue;
		if (is_integer((Term) term))
			*(int64 *) field = (int64) Min(read_term(json, (Term) term), 0x1p62);
		else
			*(double *) field = read_term(json, (Term) term);
	}
}
