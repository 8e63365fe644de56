/*
 * convex_part.h - a part of the rows of a convex model, on the server that has them.
 *
 * The release is made elsewhere, and nothing of it here: a part answers passes (core/rows/pass.h).
 * Its sums are exact and not private, so that they may go to nobody but the release.
 */
#ifndef DPOBJ_CORE_CONVEX_PART_H
#define DPOBJ_CORE_CONVEX_PART_H

#include "core/base/memory.h"
#include "core/mechanisms/mechanism.h"

typedef struct ConvexPart ConvexPart;

/*
 * The part with these rows, in memory or spilled, which must outlive it; the request is copied but
 * for its number of threads.  With one thread, as in a server process, the memory's pause is taken
 * after each block of rows.  NULL unless the request has passes and the rows are as it says.
 */
extern ConvexPart *convex_part_create(const MechanismRequest *request, const Instance *instance,
									  int threads, Memory *memory);
extern void convex_part_destroy(ConvexPart *part);

/*
 * Answers the bytes of a pass (wire_decode_pass()) by those of its sums (wire_encode_sums()), which
 * belong to the part's memory; NULL unless they are those of the next pass.
 */
extern uint8_t *convex_part_answer(ConvexPart *part, const uint8_t *bytes, size_t length,
								   size_t *sums_length);

#endif
