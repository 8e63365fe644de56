/*
 * report_page.h - a report about a table as a page of HTML.
 */
#ifndef DPOBJ_REPORT_PAGE_H
#define DPOBJ_REPORT_PAGE_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/* Writes the page of what dpobj_internal.page_contents() says. */
extern void report_page(StringInfo page, JsonbContainer *report);

#endif
