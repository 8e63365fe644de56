/*
 * persons.h - at most k rows of each person enter a training set.
 *
 * Every row that could enter is offered with the person whose it is.  Which rows
 * of a person are kept depends on nothing but that person's rows and a key: row
 * number j (from 1) of those that are equal has the priority
 *
 *   SipHash(key, person, row, j)
 *
 * and the k smallest are kept.  A row here is what the encoding makes of it, with
 * its label: equal rows are interchangeable, so that their order does not matter,
 * nor does any other order.  Under a fresh key each row of a person is as likely
 * to be kept as every other.
 *
 * So for every key, whatever it is, a change of one person's rows changes at most
 * k of the rows that enter when they come or go, and at most k for k others when
 * they are replaced: the privacy of persons does not rest on the hash function.
 * Persons are told apart by their bytes, not by a hash.
 */
#ifndef DPOBJ_CORE_PERSONS_H
#define DPOBJ_CORE_PERSONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/rows/rows.h"
#include "core/base/siphash.h"

#define PERSONS_KEY_LENGTH SIPHASH_KEY_LENGTH

typedef struct Persons Persons;

/* Nobody yet; limit is k, at least 1.  The rows will be added to this set. */
extern Persons *persons_create(int limit, const uint8_t key[PERSONS_KEY_LENGTH], Rows *rows,
							   Memory *memory);

/*
 * The same for rows that are divided among as many sets of one encoding: of a person's rows in all
 * of them together at most k enter, and a row that does not is in none.  The sets belong to the
 * caller, like the array.
 */
extern Persons *persons_create_groups(int limit, const uint8_t key[PERSONS_KEY_LENGTH],
									  Rows *const *groups, int count, Memory *memory);

/* Offers one row of a group, numbered from 0; equal rows of two groups are different rows. */
extern void persons_offer_group(Persons *persons, int group, const uint8_t *person, uint32_t length,
								const double *features, bool positive);

/*
 * Offers one row, with the features of rows_add(); one that has no encoding is
 * neutral at once and competes with no other.
 */
extern void persons_offer(Persons *persons, const uint8_t *person, uint32_t length,
						  const double *features, bool positive);

/* Groups of a call at most. */
#define PERSONS_MAX_GROUPS 65536

/*
 * Adds the rows that were kept to the set, all others as neutral rows.  To be
 * called once, at the end.
 */
extern void persons_finish(Persons *persons);

#endif
