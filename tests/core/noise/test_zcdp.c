/*
 * test_zcdp.c - zCDP to (epsilon, delta): published values, and that the conversions are certified.
 */
#include "core/noise/zcdp.h"

#include <math.h>

#include "core/values.h"

/* Values of theorem A5 by another program, to the digits that it printed. */
static void
test_values(void)
{
	CHECK(fabs(zcdp_rho(nano(1), atto(1e-6)) - 0.02435597) < 5e-9);
	CHECK(fabs(zcdp_rho(nano(4), atto(1e-6)) - 0.31106495) < 5e-9);
	for (int i = 0; i < 3; i++)
		CHECK(fabs(zcdp_rho(nano(zcdp_values[i].epsilon), atto(zcdp_values[i].delta)) -
				   zcdp_values[i].rho) < 1e-6);
}

/* What is a millionth above rho is not certified at any order. */
static void
test_sharp(void)
{
	const double epsilons[] = {1e-6, 0.01, 0.5, 3, 100, 9999};
	const double deltas[] = {1e-17, 1e-9, 1e-3, 0.4, 0.99};

	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 5; j++)
		{
			double rho = zcdp_rho(nano(epsilons[i]), atto(deltas[j]));
			bool implied = false;
			bool too_much = false;

			CHECK(rho > 0);
			for (double log_order = -40; log_order < 80; log_order += 0.05)
			{
				double alpha = 1 + exp(log_order);

				if (alpha <= 1)
					continue;
				/* the curve is flat at its best order */
				implied =
					implied || zcdp_implies(rho * 0.99, alpha, nano(epsilons[i]), atto(deltas[j]));
				too_much = too_much || zcdp_implies(rho * (1 + 1e-6), alpha, nano(epsilons[i]),
													atto(deltas[j]));
			}
			CHECK(implied);
			CHECK(!too_much);
		}
}

static void
test_none(void)
{
	CHECK(zcdp_rho(nano(1), 0) == 0);
	CHECK(!zcdp_implies(0.1, 1, nano(1), atto(0.5)));
	CHECK(!zcdp_implies(0.1, INFINITY, nano(1), atto(0.5)));
	CHECK(!zcdp_implies(NAN, 2, nano(1), atto(0.5)));
	CHECK(zcdp_rho(1, 1) >= 0);
}

int
main(void)
{
	test_values();
	test_sharp();
	test_none();
	return check_report("zcdp");
}
