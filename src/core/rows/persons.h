/*
 * persons.h - at most k rows of each person enter a training set.
 *
 * Every row is offered with the person to whom it belongs, and waits in a sort until all have come
 * (person_runs.h).  Which rows of a person are kept depends only on that person's rows and a key:
 * the j-th of equal rows, counted from 1, has the priority
 *
 *   SipHash(key, person, row, j)
 *
 * and the k smallest are kept.  A row here is the encoded row with its label.  Equal rows are
 * interchangeable, so the order of the rows does not matter.  Under a fresh key each row of a
 * person is equally likely to be kept.
 *
 * So for every key, adding or removing a person adds or removes at most k of the rows that enter,
 * and replacing a person's rows replaces at most k by at most k.  The privacy of persons does not
 * rest on the hash function.  Persons are compared by their bytes, not by a hash.
 */
#ifndef DPOBJ_CORE_PERSONS_H
#define DPOBJ_CORE_PERSONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/base/siphash.h"
#include "core/rows/person_runs.h"
#include "core/rows/rows.h"

#define PERSONS_KEY_LENGTH SIPHASH_KEY_LENGTH

typedef struct Persons Persons;

/*
 * What the choice takes, by public numbers: rows that compete, a row's bytes (persons_row_bytes()),
 * and a limit of memory.
 *
 * Rows beyond the limit go to a file of persons_room() bytes, 0 if they fit.  The run that is
 * filled has as many bytes as the buffers that read the runs afterwards: if it has m bytes, the
 * file has rows * row / m runs, whose buffers have PERSON_RUNS_READ_BYTES each, so
 *
 *   m = max(min(limit, 32 MiB), sqrt(rows * row * PERSON_RUNS_READ_BYTES))
 *
 * and the memory is at most
 *
 *   persons_memory_at_most = 1.25 * max(m, rows that fit) + 2 * min(k, rows) * row
 *
 * where a quarter is what a sort copies, the second term is the rows of one person, of whom k
 * enter, and arrays double.  More rows than the number, or persons with longer names, stay in
 * memory.
 */
extern size_t persons_row_bytes(const Encoding *encoding, size_t name);
extern double persons_room(double rows, size_t row, size_t limit);
extern size_t persons_run_bytes(double rows, size_t row, size_t limit);
extern double persons_memory_at_most(double rows, size_t row, int k, size_t limit);

/*
 * Starts without persons.  limit is k, at least 1.  Rows that enter are added to rows at the end.
 */
extern Persons *persons_create(int limit, const uint8_t key[PERSONS_KEY_LENGTH], Rows *rows,
							   const PersonsRoom *room, Memory *memory);

/*
 * The same for rows in several sets with one encoding.  At most k of a person's rows enter all sets
 * together; a row that does not enter is counted in no set.  The array and the sets belong to the
 * caller.
 */
extern Persons *persons_create_groups(int limit, const uint8_t key[PERSONS_KEY_LENGTH],
									  Rows *const *groups, int count, const PersonsRoom *room,
									  Memory *memory);

/* Before the first offer: only one of equal rows of a person in a group competes. */
extern void persons_set_distinct(Persons *persons);

/*
 * Offers one row of a group, numbered from 0, with features as in rows_add(); equal rows of two
 * groups are different rows.  A row without an encoding becomes neutral at once and does not use
 * up the limit.
 */
extern void persons_offer(Persons *persons, int group, const uint8_t *person, uint32_t length,
						  const double *features, bool positive);

/* The largest number of groups of a call. */
#define PERSONS_MAX_GROUPS 65536

/*
 * The same for values instead of rows, of at most so many bytes each: of a person at most k
 * different ones enter, chosen by the key, and take() gets each of them once.
 */
typedef void (*PersonsTake)(void *context, const uint8_t *value, size_t bytes);

extern Persons *persons_create_values(int limit, const uint8_t key[PERSONS_KEY_LENGTH],
									  size_t longest, PersonsTake take, void *context,
									  const PersonsRoom *room, Memory *memory);

extern void persons_offer_value(Persons *persons, const uint8_t *person, uint32_t length,
								const uint8_t *value, uint16_t bytes);

/* Adds the kept rows to the set, and all others as neutral rows.  Called once, at the end. */
extern void persons_finish(Persons *persons);

#endif
