/*
 * wire.h - the byte form of a problem and its answer, between the server and the solver process.
 * Both run the same build on the same machine; the form still has a version, and every field is
 * checked when read.
 */
#ifndef DPOBJ_CORE_WIRE_H
#define DPOBJ_CORE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rows/instance.h"
#include "core/mechanisms/mechanism.h"
#include "core/base/memory.h"

/*
 * Encodes request and instance; the bytes belong to memory.  An instance that is elsewhere has no
 * rows here: the bytes are for the solver process and, the same, for each part of the rows.
 */
extern uint8_t *wire_encode_problem(const MechanismRequest *request, const Instance *instance,
									Memory *memory, size_t *length);

/*
 * Decodes them; the instance's arrays belong to memory.  False if the bytes are not valid, or if
 * the instance is elsewhere and this machine's table of the loss is not that of the encoder's.
 */
extern bool wire_decode_problem(const uint8_t *bytes, size_t length, Memory *memory,
								MechanismRequest *request, Instance *instance);

/*
 * A number that two machines share if and, for all but a chance of 2^-64, only if all tables of
 * losses are equal on both.
 */
extern uint64_t wire_losses_digest(Memory *memory);

/* ---- passes over rows that are elsewhere (core/rows/pass.h) ---- */

#define WIRE_PASS_MAX (37 + 16 * LEVELS_WEIGHTS_MAX)
#define WIRE_SUMS_MAX (14 + 16 * PASS_SUMS_MAX)

/* The bytes belong to memory. */
extern uint8_t *wire_encode_pass(const Pass *pass, Memory *memory, size_t *length);

/* False unless the bytes are a pass of this request, which has passes; its arrays are memory's. */
extern bool wire_decode_pass(const uint8_t *bytes, size_t length, const MechanismRequest *request,
							 Memory *memory, Pass *pass);

/* The bytes of sums, which belong to memory; NULL while a part has not added its own. */
extern uint8_t *wire_encode_sums(const PassSums *sums, Memory *memory, size_t *length);

/*
 * Adds the sums of one of the parts.  False unless the bytes are sums of this pass, and the part's
 * first; then the sums are of no more use.
 */
extern bool wire_add_sums(const uint8_t *bytes, size_t length, int part, PassSums *sums);

/*
 * The most bytes of an answer: a level index for each coordinate, loss and nodes, real weights, a
 * pool's seed, centre and candidates drawn.
 */
#define WIRE_ANSWER_MAX                                                                            \
	(2 + 9 * WEIGHTS_MAX + 16 + 8 * LEVELS_WEIGHTS_MAX + SIPHASH_KEY_LENGTH + 4 * POOL_MOST_ROUNDS)

extern size_t wire_encode_answer(const MechanismRequest *request, const MechanismAnswer *answer,
								 uint8_t *bytes);

/*
 * False unless the bytes are an answer to this request: a member of its grid.  The weights belong
 * to memory.
 */
extern bool wire_decode_answer(const uint8_t *bytes, size_t length, const MechanismRequest *request,
							   Memory *memory, MechanismAnswer *answer);

/* Progress of the solver: six numbers. */
#define WIRE_PROGRESS_SIZE (2 + 6 * 8)

extern void wire_encode_progress(const MechanismProgress *progress, uint8_t *bytes);
extern bool wire_decode_progress(const uint8_t *bytes, size_t length, MechanismProgress *progress);

#endif
