/*
 * epoch.c - the epoch of this database.
 *
 * The epoch changes with the system identifier (a restore into another server), the database's OID
 * (a restore into another database) and the timeline (the end of an archive recovery, a promotion).
 * A server that starts from a base backup without recovery.signal changes none of these.  But
 * backup_label says where and when the backup began, and PostgreSQL 14 to 18 rename it to
 * backup_label.old before they replay the first record.  So the epoch has the hash of
 * backup_label.old.  (If the backup contains a backup_label.old, the rename overwrites it.)
 */
#include "postgres.h"

#include "access/xlog.h"
#include "fmgr.h"
#include "storage/fd.h"
#include "utils/builtins.h"

#include "server/base/admin.h"
#include "server/base/compat.h"
#include "server/base/digest.h"
#include "server/base/identity.h"
#include "server/ledger/epoch.h"

/* ---- The epoch -------------------------------------------------------------- */

/* The working directory of every process of the server is the data directory. */
#define LABEL "backup_label.old"

/* Bytes of the label's hash in the epoch. */
#define LABEL_DIGEST_LENGTH 8

/* Returns false if this server was not started from a base backup. */
static bool
read_label(StringInfo label)
{
	FILE *file = AllocateFile(LABEL, PG_BINARY_R);
	char bytes[1024];
	size_t length;

	if (file == NULL && errno == ENOENT)
		return false;
	if (file == NULL)
		ereport(ERROR,
				(errcode_for_file_access(), errmsg("could not open file \"%s\": %m", LABEL)));
	initStringInfo(label);
	while ((length = fread(bytes, 1, sizeof(bytes), file)) > 0)
		appendBinaryStringInfo(label, bytes, length);
	if (ferror(file))
		ereport(ERROR,
				(errcode_for_file_access(), errmsg("could not read file \"%s\": %m", LABEL)));
	FreeFile(file);
	return true;
}

static void
append_label(StringInfo text)
{
	StringInfoData label;
	uint8 digest[DIGEST_LENGTH];

	if (!read_label(&label))
		return;
	digest_bytes(&label, digest);
	appendStringInfoChar(text, '/');
	for (int i = 0; i < LABEL_DIGEST_LENGTH; i++)
		appendStringInfo(text, "%02x", digest[i]);
}

/* On a standby the timeline is 0; nothing is written there. */
char *
epoch_current(void)
{
	uint32 timeline = RecoveryInProgress() ? 0 : (uint32) GetWALInsertionTimeLine();
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s/%u", identity_origin(), timeline);
	append_label(&text);
	return text.data;
}

PG_FUNCTION_INFO_V1(dpobj_epoch);
Datum
dpobj_epoch(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(epoch_current()));
}

bool
epoch_is_confirmed(void)
{
	Datum last;
	bool isnull;

	return !admin_select("SELECT epoch FROM dpobj.ledger_events ORDER BY id DESC LIMIT 1", 0, NULL,
						 NULL, &last, &isnull) ||
		   strcmp(TextDatumGetCString(last), epoch_current()) == 0;
}

void
epoch_refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the database was restored or the server was promoted since the last entry of "
					"the privacy ledger"),
			 errdetail("Spending may be missing from the ledger."),
			 errhint("After a check, a member of dpobj_admin can allow releases again: SELECT "
					 "dpobj.confirm_epoch();")));
}
