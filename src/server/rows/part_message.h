/*
 * part_message.h - the messages between a table's server, the coordinator, and its parts.
 *
 *   PART_OPEN   names the relation and says what the scan reads (shape_bytes.h); the part checks
 *               that it may, locks the relation and answers with public sizes
 *   PART_SCAN   says for which release and how rows are encoded; the part commits this to its
 *               ledger, reads its rows into sets that it keeps until the transaction ends, and
 *               answers how many rows a filter or holdout left out
 *   PART_ROWS   asks for the next of the sets' rows; the last answer says that it is
 *   PART_PASSES instead: has the problem of a convex model (wire.h), whose passes the rows of the
 *               one set will answer; the part answers how many rows these are
 *   PART_PASS   has a pass of that problem; the part answers its sums
 *   PART_RATE   has a model and the kind and bins of its table, of a training with both sides of a
 *               holdout; the part answers the numbers of its rows of the other side.  These rows
 *               are not sent
 *   PART_CHECK  alone in its session: asks what a login on the server shows of the rows of parts;
 *               the part answers a jsonb text that follows from its catalogs and settings
 *
 * A message is a byte for its kind, and what follows.  An answer begins with PART_MAGIC and a
 * status.  Numbers are in network order, but for records of rows, which have the layout of
 * core/rows/spill.h; so both servers must have the same byte order, which PART_OPEN checks.  It
 * also checks that both have the same losses, whose sums a part may be asked for.
 *
 * Both sides take what they read for hostile.
 */
#ifndef DPOBJ_PART_MESSAGE_H
#define DPOBJ_PART_MESSAGE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/looks/rater.h"

#include "server/rows/scan_shape.h"

#define PART_MAGIC 0x64707031

/* Bytes of records in one answer, about. */
#define PART_CHUNK (8 * 1024 * 1024)

/* The most parts' rows that a count may stand for; sums of parts then do not overflow. */
#define PART_MAX_ROWS (INT64CONST(1) << 48)

typedef enum PartMessage
{
	PART_OPEN = 'o',
	PART_SCAN = 's',
	PART_ROWS = 'r',
	PART_PASSES = 'm',
	PART_PASS = 'p',
	PART_RATE = 't',
	PART_CHECK = 'c'
} PartMessage;

/* The numbers of rows that answer passes, and of those with the same loss under every model. */
typedef struct PartCounts
{
	int64 usable;
	int64 neutral;
} PartCounts;

/* Why a part does not open; PART_READY: it does.  They say nothing of rows. */
typedef enum PartStatus
{
	PART_READY,
	PART_OTHER_VERSION,
	PART_OTHER_LAYOUT,
	PART_OTHER_LOSSES,
	PART_OTHER_ENCODING,
	PART_NOT_MARKED,
	PART_OTHER_COLUMNS,
	PART_NOT_READ,          /* the relation is of a kind that is not read */
	PART_NOT_CONFIRMED,     /* the part's own epoch has changed */
	PART_OTHER_COORDINATOR, /* the coordinator's has, since the part first answered it */
	PART_LIMITED,           /* the relation's owner has limited what is spent on it here */
	PART_STATUSES
} PartStatus;

/* What PART_OPEN says besides the shape. */
typedef struct PartOpen
{
	const char *coordinator; /* database.schema.table that the part is one of */
	const char *schema;
	const char *table;
	bool ignore_rls;
	const char *epoch; /* of the coordinator */
} PartOpen;

/* What the part answers: public numbers only. */
typedef struct PartOpened
{
	uint64 system;   /* the identifier of its cluster */
	uint32 database; /* the OIDs of its database and relation */
	uint32 relation;
	const char *epoch;
} PartOpened;

/* Writes the versions and the layout, which the reader compares before it reads anything else. */
extern void part_write_open(StringInfo message, const PartOpen *open);

/* Reads them; the rest of the message is valid only if it returns PART_READY. */
extern PartStatus part_read_open(StringInfo message, PartOpen *open);

extern void part_write_status(StringInfo answer, PartStatus status);

/* Raises an error if the answer is not valid. */
extern PartStatus part_read_status(StringInfo answer);

extern void part_write_opened(StringInfo answer, const PartOpened *opened);
extern void part_read_opened(StringInfo answer, PartOpened *opened);

/* For whom the coordinator reads: a role there, and the id of its release, 0 for a test. */
typedef struct PartReader
{
	const char *role;
	int64 release;
} PartReader;

/* What is to be read, and into which sets. */
typedef struct PartScan
{
	PartReader reader;
	Encoding encoding;
	int sets; /* of a side; as in ScanSets, like the next two */
	bool grouped;
	bool sides;
	const uint8 *person_key; /* of the choice of rows of persons; NULL without a person */
	const SipKey *coins;     /* of a holdout by chance (holdout.h); else NULL */
	int64 room;              /* the rows that files have room for; 0: none */
} PartScan;

extern void part_write_scan(StringInfo message, const PartScan *scan, Memory *memory);

/* Raises an error if the message is not valid.  Keys are copies. */
extern void part_read_scan(StringInfo message, Memory *memory, PartScan *scan);

extern void part_write_counts(StringInfo answer, const PartCounts *counts);

/* Raises an error if they are not numbers of rows. */
extern void part_read_counts(StringInfo answer, PartCounts *counts);

/*
 * A model and the table that rates it on the rows of a set, numbered from 0 on the other side.  The
 * reader has the encoding of these rows; rater and table have nothing that is not read here.
 */
extern void part_write_rate(StringInfo message, int set, const Rater *rater,
							const RatingTable *table);

/* Raises an error if the message is not valid, or the model not one of such rows. */
extern void part_read_rate(StringInfo message, const Encoding *encoding, int *set, Rater *rater,
						   RatingTable *table);

extern void part_write_rated(StringInfo answer, const RatingTable *table);

/* Adds the numbers to the table; raises an error if they are not those of some rows. */
extern void part_read_rated(StringInfo answer, RatingTable *table);

#endif
