/*
 * suggest.h - what dpobj.suggest() looks at, settled from what the call says about columns.
 */
#ifndef DPOBJ_SUGGEST_H
#define DPOBJ_SUGGEST_H

#include "server/analyst/look.h"

/* Opens the table and settles the look at each column; raises 22023. */
extern void suggest_settle(AnalystLook *look);

#endif
