/*
 * charge_end.h - the releases of this backend that are charged and have not ended.
 */
#ifndef DPOBJ_CHARGE_END_H
#define DPOBJ_CHARGE_END_H

#include "postgres.h"

#include "access/htup.h"
#include "storage/dsm.h"
#include "utils/array.h"

#include "server/ledger/charge_shared.h"

/*
 * Begins a release with the request of its charge, before it is asked for.  The end of the
 * (sub)transaction or process gives up the charge, or posts a failure if it is committed.  The
 * reason is a cancel until another one is noted: only a cancel ends the wait for a committed charge.
 */
extern void charge_open(dsm_segment *charge);

/* Says why the release has no answer, if the transaction ends without an end of it. */
extern void charge_note_reason(int64 release, ChargeReason reason);

/* The reason that an error of that SQLSTATE stands for. */
extern ChargeReason charge_reason_of(int sqlstate);

/*
 * The end of a release is posted: another process tries to write it until it can or the server
 * stops, whether this one waits or not.  So after an error of these functions, a cancel too, the
 * end is written all the same, and dpobj.answer() gives what was released.  If there is no shared
 * memory to post an answer in, the release ends as a failure.
 *
 * Commits the 'released' event of a charge with the SHA-256 of the answer, and the model (a row of
 * dp_model) if the charge reserved a row for it, else NULL.
 */
extern void charge_released(int64 release, const uint8 hash[CHARGE_HASH_LENGTH],
							HeapTupleHeader model);

/* The same for a grouped charge, with a model for each key: a flat dp_group[]. */
extern void charge_released_groups(int64 release, const uint8 hash[CHARGE_HASH_LENGTH],
								   const ArrayType *groups);

/* The same with the answer of a look or an evaluation, jsonb text; NULL: it is not kept. */
extern void charge_released_answer(int64 release, const uint8 hash[CHARGE_HASH_LENGTH],
								   const char *answer);

/*
 * Commits the 'failed' event of a charge: nothing was released, and the charge stays.  A charge
 * that has ended keeps its end.
 */
extern void charge_failed(int64 release, ChargeReason reason);

/* Waits until the ends of the role's releases are written. */
extern void charge_settle(Oid role);

/* For _PG_init: has ends of aborted releases written. */
extern void charge_install(void);

#endif
