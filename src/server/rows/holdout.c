/*
 * holdout.c - finds the columns and the key of a holdout, and the side of a row.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/json.h"

#include "server/base/identity.h"
#include "server/base/random_bits.h"
#include "server/rows/holdout.h"

static void
find_key(Oid relation, SipKey *key)
{
	uint8 bytes[SIPHASH_KEY_LENGTH];

	identity_holdout_key(relation, bytes);
	*key = siphash_key(bytes);
}

/* The values of a place: the cluster, the table, and where the row is in it. */
#define PLACE_VALUES 3

size_t
holdout_room(int count)
{
	return holdout_row_bytes(Max(count, PLACE_VALUES));
}

void
holdout_find(const Protection *protection, TupleDesc descriptor, int64 thousandths, bool trains,
			 Holdout *holdout)
{
	memset(holdout, 0, sizeof(*holdout));
	holdout->thousandths = thousandths;
	holdout->trains = trains;
	find_key(protection->relation, &holdout->key);
	holdout->column = protection_dealing(protection, descriptor, &holdout->count);
	holdout->row = palloc0(holdout_room(holdout->count));
}

void
holdout_find_by_chance(const Protection *protection, TupleDesc descriptor, int64 thousandths,
					   Holdout *holdout)
{
	memset(holdout, 0, sizeof(*holdout));
	holdout->thousandths = thousandths;
	holdout->trains = holdout->by_chance = true;
	holdout->by_place = protection->person == NULL;
	if (!holdout->by_place)
		holdout->column = protection_dealing(protection, descriptor, &holdout->count);
	holdout->row = palloc0(holdout_room(holdout->count));
}

void
holdout_draw(Holdout *holdout)
{
	uint8 bytes[SIPHASH_KEY_LENGTH];

	if (!holdout->by_chance)
		return;
	random_bytes(bytes, sizeof(bytes));
	holdout->key = siphash_key(bytes);
}

/* No two rows of a table have one place, also where its parts are on several servers (rule H22). */
static bool
has_place(const Holdout *holdout, const TupleTableSlot *slot)
{
	uint64 place = (uint64) ItemPointerGetBlockNumberNoCheck(&slot->tts_tid) << 16 |
				   ItemPointerGetOffsetNumberNoCheck(&slot->tts_tid);
	uint64 table = (uint64) MyDatabaseId << 32 | slot->tts_tableOid;
	uint64 cluster = GetSystemIdentifier();

	holdout_put(holdout->key, holdout->row, PLACE_VALUES, 0, &place, sizeof(place));
	holdout_put(holdout->key, holdout->row, PLACE_VALUES, 1, &table, sizeof(table));
	holdout_put(holdout->key, holdout->row, PLACE_VALUES, 2, &cluster, sizeof(cluster));
	return holdout_has(holdout->key, holdout->row, PLACE_VALUES, (int) holdout->thousandths);
}

/* Every value is fetched, whatever the side and the other values are. */
bool
holdout_reads(const Holdout *holdout, const AttrNumber *place, const TupleTableSlot *slot)
{
	if (holdout->by_place)
		return has_place(holdout, slot) != holdout->trains;
	for (int i = 0; i < holdout->count; i++)
	{
		int at = place[i] - 1;
		uint8 buffer[sizeof(uint64)];
		uint32 length = 0;
		const uint8 *bytes = NULL;

		if (!slot->tts_isnull[at])
			bytes = column_bytes(&holdout->column[i], slot->tts_values[at], buffer, &length);
		holdout_put(holdout->key, holdout->row, holdout->count, i, bytes, length);
	}
	return holdout_has(holdout->key, holdout->row, holdout->count, (int) holdout->thousandths) !=
		   holdout->trains;
}

void
holdout_append_share(StringInfo text, int64 thousandths)
{
	appendStringInfo(text, ", \"holdout\": %g", (double) thousandths / HOLDOUT_ONE);
}

void
holdout_append(StringInfo text, const Holdout *holdout)
{
	holdout_append_share(text, holdout->thousandths);
	for (int i = 0; i < holdout->count; i++)
	{
		appendStringInfoString(text, i == 0 ? ", \"holdout_by\": [" : ", ");
		escape_json(text, holdout->column[i].name);
	}
	appendStringInfoChar(text, ']');
}
