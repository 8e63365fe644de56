/*
 * declare.h - what the catalog says of one column.
 */
#ifndef DPOBJ_DECLARE_H
#define DPOBJ_DECLARE_H

#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "lib/stringinfo.h"
#include "utils/relcache.h"

typedef enum DeclaredColumn
{
	DECLARED_LEFT_OUT, /* it is no feature, or has no encoder */
	DECLARED_GAP,      /* not enough is said */
	DECLARED_RANGE,    /* a number with two bounds, [low, high] */
	DECLARED_ENCODER   /* the members of its encoder */
} DeclaredColumn;

/* Writes the encoder, the range or the gap into text. */
extern DeclaredColumn declare_column(Relation relation, Form_pg_attribute attribute,
									 StringInfo text);

/* Are these strings the two of a boolean, such as yes and no? */
extern bool declare_are_booleans(List *values);

#endif
