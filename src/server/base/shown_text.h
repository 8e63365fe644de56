/*
 * shown_text.h - texts of others in HTML.
 */
#ifndef DPOBJ_SHOWN_TEXT_H
#define DPOBJ_SHOWN_TEXT_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Appends the words on one line, without markup, for inside elements and attributes in double quotes. */
extern void shown_html(StringInfo page, const char *words);

#endif
