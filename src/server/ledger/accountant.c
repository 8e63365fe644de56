/*
 * accountant.c - names and caps of the accountants.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/accounting/accounting.h"
#include "core/accounting/guarantee.h"
#include "core/base/names.h"

#include "server/base/near_name.h"
#include "server/ledger/accountant.h"

static const char *const names[ACCOUNTANTS] = {
	[ACCOUNTANT_BASIC] = "basic",
	[ACCOUNTANT_ZCDP] = "zcdp",
	[ACCOUNTANT_RDP] = "rdp",
};

const char *
accountant_name(AccountantKind kind)
{
	return names[kind];
}

AccountantKind
accountant_named(const char *name)
{
	return (AccountantKind) names_find(names, ACCOUNTANTS, name);
}

AccountantKind
accountant_require(const char *name)
{
	AccountantKind kind = accountant_named(name);

	if (kind == ACCOUNTANTS && guarantee_named(name) != GUARANTEE_KINDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("accountant \"%s\" cannot hold a budget", name),
				 errdetail("Its total is proved for releases that were fixed beforehand, not for "
						   "releases that are chosen after an answer."),
				 errhint("Use it in dpobj.price_plan and dpobj.recompute; the accountants of "
						 "budgets are \"basic\", \"zcdp\" and \"rdp\".")));
	if (kind == ACCOUNTANTS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("accountant \"%s\" is not known", name),
						errhint("%sThe accountants of budgets are \"basic\", \"zcdp\" and \"rdp\".",
								near_name(name, near_name_listed("basic, zcdp, rdp")))));
	return kind;
}

static char *
order_list(void)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		appendStringInfo(&list, i == 0 ? "%d" : ", %d", accounting_order[i]);
	return list.data;
}

void
accountant_check_order(int order)
{
	if (accounting_order_place(order) < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rdp_order must be an order that the ledger keeps"),
						errdetail("The orders are %s.", order_list())));
}

static void
choose_order(AccountantTerms *terms)
{
	if (terms->order == 0)
		terms->order = accounting_default_order(terms->epsilon, terms->delta - terms->reserve);
	accountant_check_order(terms->order);
}

void
accountant_set_limit(AccountantTerms *terms)
{
	int64 conversion = terms->delta - terms->reserve;

	if (terms->kind == ACCOUNTANT_BASIC)
	{
		terms->reserve = terms->delta;
		terms->cost_limit = terms->epsilon;
		return;
	}
	if (conversion <= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("accountant \"%s\" needs a delta greater than what is reserved",
							   accountant_name(terms->kind)),
						errdetail("The rest of delta is for the conversion of its sum.")));
	if (terms->kind == ACCOUNTANT_ZCDP)
	{
		terms->cost_limit = accounting_zcdp_cap(terms->epsilon, conversion);
		return;
	}
	choose_order(terms);
	terms->cost_limit = accounting_rdp_cap(terms->order, terms->epsilon, conversion);
	if (terms->cost_limit == 0 && terms->epsilon > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a budget of that epsilon and delta leaves nothing at order %d",
							   terms->order),
						errhint("Choose a higher rdp_order, or leave it out.")));
}
