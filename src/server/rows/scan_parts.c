/*
 * scan_parts.c - lets the parts of a table scan their rows, and adds these up.
 */
#include "postgres.h"

#include "commands/dbcommands.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/mechanisms/wire.h"

#include "server/base/dpobj.h"
#include "server/base/identity.h"
#include "server/ledger/epoch.h"
#include "server/ledger/met_server.h"
#include "server/remote/links.h"
#include "server/rows/part_message.h"
#include "server/rows/row_chunks.h"
#include "server/rows/scan_parts.h"
#include "server/rows/shape_bytes.h"

/* One part. */
typedef struct ScanPart
{
	const RemotePart *part;
	int link;
	PartStatus status;
	PartOpened opened; /* if it is ready */
} ScanPart;

/* The parts of one link, which are one after the other, and how far they are. */
typedef struct ScanLink
{
	ScanPart *part;
	int count;
	int opened;   /* that have answered PART_OPEN */
	bool scanned; /* they have answered PART_SCAN */
	RowChunksRead read;
} ScanLink;

struct ScanParts
{
	Links *links;
	Oid relation;      /* of which they are the parts */
	const char *table; /* its name for the owners of parts */
	bool ignore_rls;
	const ScanShape *shape;
	const char *epoch;
	int count; /* of the parts */
	ScanPart *part;
	ScanLink *link;
	Rows *const *sets;
	int number; /* of the sets */
	int64 left_out;
	StringInfo problem; /* whose passes the rows will answer; NULL: the rows are sent */
	int64 kept;
	PassSums *sums; /* that the parts' are added to */
};

/* ---- opening ---- */

#define CONFIRM_THERE "an administrator of the part's server must call dpobj.confirm_epoch() there."

static const struct
{
	const char *rule;
	const char *hint;
} refusals[PART_STATUSES] = {
	[PART_OTHER_VERSION] = {"It has another version of dpobj.",
							"All servers of a table need the same version of dpobj."},
	[PART_OTHER_LAYOUT] = {"It stores numbers in another way, such as another order of bytes.",
						   "All servers of a table need machines of one kind."},
	[PART_OTHER_LOSSES] = {"Its C library computes other losses.",
						   "All servers of a table need the same C library."},
	[PART_OTHER_ENCODING] = {"Its database has another encoding.",
							 "All databases of a table need the same encoding."},
	[PART_NOT_MARKED] = {"Its relation does not exist there, is not marked as a part of this table "
						 "for the role of the connection, or is not readable by this role.",
						 "The role as which Citus connects must be a superuser on each node."},
	[PART_OTHER_COLUMNS] = {"Its relation lacks a column of the request, or has it with another "
							"type.",
							"The relation on the part needs the columns of the foreign table; the "
							"log of its server names the first that it lacks."},
	[PART_NOT_READ] = {"Its relation is of a kind that is not read.",
					   "A part is a permanent table without row-level security, or a partitioned "
					   "one, and its rows are on its own server."},
	[PART_NOT_CONFIRMED] = {"Its server was restored or promoted since the last entry of its "
							"privacy ledger.",
							"After a check, " CONFIRM_THERE},
	[PART_LIMITED] = {"The owner of its relation has limited what may be spent on it there.",
					  "On the part's server the owner can remove the limit, and limit this table "
					  "instead: dpobj.limit_budget(relation, NULL, NULL, reason)."},
	[PART_OTHER_COORDINATOR] = {"Its server has answered another coordinator with this role, or "
								"this one before a restore or a promotion.",
								"Once no other coordinator has this role, " CONFIRM_THERE},
};

static void
refuse(const RemotePart *part, int code, const char *rule, const char *hint)
{
	ereport(ERROR, (errcode(code), errmsg("part \"%s\" cannot be read", part->name),
					errdetail("%s", rule), errhint("%s", hint)));
}

static bool
is_about_epoch(PartStatus status)
{
	return status == PART_NOT_CONFIRMED || status == PART_OTHER_COORDINATOR;
}

/* The statements that the owner of the part's relation has to run, but for the role. */
static const char *
mark_hint(const ScanParts *parts, const RemotePart *part)
{
	return psprintf(
		"Its owner can run there, once the role may SELECT it: SELECT dpobj.mark_part(%s, %s, 'the "
		"role of the connection');",
		quote_literal_cstr(quote_qualified_identifier(part->schema, part->table)),
		quote_literal_cstr(parts->table));
}

static void
invalid_answer(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROTOCOL_VIOLATION), errmsg("an answer of a part is not valid")));
}

/* Milliseconds, besides those for its lock, in which a part says that it is open. */
#define OPEN_TIME 15000

/* Milliseconds that a part may wait for a lock on dpobj when it is only reached. */
#define REACH_LOCK_TIME 5000

static void
check_ready(const ScanParts *parts)
{
	for (int i = 0; i < parts->count; i++)
	{
		const RemotePart *part = parts->part[i].part;
		PartStatus status = parts->part[i].status;

		if (status == PART_NOT_MARKED && part->provider->needs_mark)
			refuse(part, ERRCODE_DPOBJ_NOT_ALLOWED, refusals[status].rule, mark_hint(parts, part));
		if (status != PART_READY)
			refuse(part,
				   is_about_epoch(status) ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
										  : ERRCODE_DPOBJ_NOT_ALLOWED,
				   refusals[status].rule, refusals[status].hint);
	}
}

static bool
is_same(const PartOpened *a, const PartOpened *b)
{
	return a->system == b->system && a->database == b->database && a->relation == b->relation;
}

/* Rows that two parts have would be counted twice. */
static void
check_different(const ScanParts *parts)
{
	for (int i = 0; i < parts->count; i++)
		for (int j = 0; j < i; j++)
			if (is_same(&parts->part[i].opened, &parts->part[j].opened))
				refuse(parts->part[i].part, ERRCODE_DPOBJ_NOT_ALLOWED,
					   psprintf("It is the same table as part \"%s\".", parts->part[j].part->name),
					   "Each part needs a table of its own.");
}

/* Has the check of the part before it been the same? */
static bool
is_met(const ScanPart *part, const ScanPart *before)
{
	return part->link == before->link &&
		   identity_owner(part->part->relation) == identity_owner(before->part->relation) &&
		   strcmp(part->opened.epoch, before->opened.epoch) == 0;
}

/*
 * The rows may be older ones, others, or a copy that another coordinator reads (rule H26).  The
 * owner of the relation has written where its part is, or Citus has.
 */
static void
check_epochs(const ScanParts *parts)
{
	for (int i = 0; i < parts->count; i++)
	{
		const ScanPart *part = &parts->part[i];
		MetServer met = {.name = psprintf("part %s", links_place(parts->links, part->link)),
						 .owner = GetUserNameFromId(identity_owner(part->part->relation), false),
						 .table = parts->relation,
						 .epoch = part->opened.epoch};

		if (i > 0 && is_met(part, part - 1))
			continue;
		if (!epoch_of_server_is(&met))
			refuse(part->part, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
				   "Its server was restored, promoted or replaced since this one first read it.",
				   "After a check, a member of dpobj_admin can allow releases again: SELECT "
				   "dpobj.confirm_epoch();");
	}
}

static const char *
column_name(const char *name, void *context)
{
	const RemotePart *part = context;

	return part->provider->column_name(part, name);
}

/* The name under which the owner of a part marks it. */
static char *
name_of_table(Oid table)
{
	return psprintf("%s.%s", quote_identifier(get_database_name(MyDatabaseId)),
					quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
											   get_rel_name(table)));
}

void
scan_parts_reach(List *list)
{
	links_close(links_open(list, 1, REACH_LOCK_TIME));
}

/* The next part of the link that is to be opened. */
static void
write_open(const ScanParts *parts, int link, StringInfo message)
{
	const RemotePart *part = parts->link[link].part[parts->link[link].opened].part;
	PartOpen open = {.coordinator = parts->table,
					 .schema = part->schema,
					 .table = part->table,
					 .ignore_rls = parts->ignore_rls,
					 .epoch = parts->epoch};

	links_name(parts->links, link, part->name);
	part_write_open(message, &open);
	shape_write(message, parts->shape, column_name, unconstify(RemotePart *, part));
}

/* A part that is not ready will be the error, so no other one of its link is asked. */
static bool
take_opened(void *context, int link, StringInfo answer, StringInfo next)
{
	ScanParts *parts = context;
	ScanLink *its = &parts->link[link];
	ScanPart *part = &its->part[its->opened++];

	part->status = part_read_status(answer);
	if (part->status != PART_READY)
		return false;
	part_read_opened(answer, &part->opened);
	if (its->opened == its->count)
		return false;
	write_open(parts, link, next);
	return true;
}

/* How the parts of a link are called once they are open, when they are asked as one. */
static const char *
name_of_parts(const ScanLink *link)
{
	const char *first = link->part[0].part->name;

	return link->count == 1 ? first : psprintf("%s and %d more", first, link->count - 1);
}

static void
list_links(ScanParts *parts, int count)
{
	parts->part = palloc0(count * sizeof(ScanPart));
	parts->link = palloc0(links_count(parts->links) * sizeof(ScanLink));
	for (int i = 0; i < links_count(parts->links); i++)
	{
		ListCell *cell;

		parts->link[i].part = &parts->part[parts->count];
		foreach (cell, links_parts(parts->links, i))
			parts->part[parts->count++] = (ScanPart){.part = lfirst(cell), .link = i};
		parts->link[i].count = list_length(links_parts(parts->links, i));
	}
}

static bool
take_exposures(void *context, int link, StringInfo answer, StringInfo next)
{
	if (part_read_status(answer) != PART_READY)
		invalid_answer();
	*(char **) context = pstrdup(pq_getmsgstring(answer));
	pq_getmsgend(answer);
	return false;
}

char *
scan_parts_exposures(RemotePart *part)
{
	Links *links = links_open(list_make1(part), 1, REACH_LOCK_TIME);
	char *exposures = NULL;
	StringInfoData message;

	initStringInfo(&message);
	pq_sendbyte(&message, PART_CHECK);
	pq_sendbyte(&message, !part->provider->needs_mark);
	links_send(links, 0, &message);
	if (!links_collect(links, take_exposures, &exposures, OPEN_TIME))
		links_fail_by_silence(links);
	links_close(links);
	return exposures;
}

ScanParts *
scan_parts_open(List *list, Oid table, bool ignore_rls, const ScanShape *shape,
				int lock_milliseconds, const char **busy)
{
	ScanParts *parts = palloc0(sizeof(ScanParts));

	parts->epoch = epoch_current();
	if (!epoch_is_confirmed())
		epoch_refuse();
	parts->relation = table;
	parts->table = name_of_table(table);
	parts->ignore_rls = ignore_rls;
	parts->shape = shape;
	parts->links = links_open(list, dpobj_max_part_connections, lock_milliseconds);
	list_links(parts, list_length(list));
	for (int i = 0; i < links_count(parts->links); i++)
	{
		StringInfoData message;

		initStringInfo(&message);
		write_open(parts, i, &message);
		links_send(parts->links, i, &message);
		pfree(message.data);
	}
	if (!links_collect(parts->links, take_opened, parts, lock_milliseconds + OPEN_TIME))
	{
		if (links_busy(parts->links) == NULL)
			links_fail_by_silence(parts->links);
		*busy = links_busy(parts->links);
		return NULL;
	}
	for (int i = 0; i < links_count(parts->links); i++)
		links_name(parts->links, i, name_of_parts(&parts->link[i]));
	return parts;
}

void
scan_parts_check(const ScanParts *parts)
{
	check_ready(parts);
	check_different(parts);
	check_epochs(parts);
}

/* ---- reading ---- */

static void
send_to_all(const ScanParts *parts, const StringInfoData *message)
{
	for (int i = 0; i < links_count(parts->links); i++)
		links_send(parts->links, i, message);
}

void
scan_parts_start(ScanParts *parts, int64 release, const ScanSets *sets, const uint8 *key,
				 int64 room)
{
	const Holdout *holdout = parts->shape->holdout;
	const Rows *like = sets->rows[0];
	PartScan scan = {.reader = {GetUserNameFromId(GetSessionUserId(), false), release},
					 .encoding = like->encoding,
					 .sets = sets->count,
					 .grouped = sets->grouped,
					 .sides = sets->sides,
					 .person_key = key,
					 .room = room};
	StringInfoData message;

	if (holdout != NULL && holdout->by_chance)
		scan.coins = &holdout->key;
	initStringInfo(&message);
	part_write_scan(&message, &scan, like->memory);
	send_to_all(parts, &message);
	pfree(message.data);
}

static void
read_left_out(ScanParts *parts, StringInfo answer)
{
	int64 left_out = pq_getmsgint64(answer);

	if (left_out < 0 || left_out > PART_MAX_ROWS)
		invalid_answer();
	parts->left_out += left_out;
}

/* The rows stay where they are; what a release knows of them before its passes are these counts. */
static void
read_counts(ScanParts *parts, ScanLink *link, StringInfo answer)
{
	PartCounts counts;

	part_read_counts(answer, &counts);
	parts->kept += counts.usable;
	rows_add_neutral(parts->sets[0], counts.neutral);
	link->read.finished = true;
}

static void
ask_next(const ScanParts *parts, StringInfo next)
{
	if (parts->problem == NULL)
	{
		pq_sendbyte(next, PART_ROWS);
		return;
	}
	pq_sendbyte(next, PART_PASSES);
	pq_sendbytes(next, parts->problem->data, parts->problem->len);
}

/* The answer to PART_SCAN, then that to PART_PASSES or those to PART_ROWS up to the last one. */
static bool
take_rows(void *context, int link, StringInfo answer, StringInfo next)
{
	ScanParts *parts = context;
	ScanLink *its = &parts->link[link];

	if (part_read_status(answer) != PART_READY)
		invalid_answer();
	if (!its->scanned)
		read_left_out(parts, answer);
	else if (parts->problem == NULL)
		row_chunks_read(&its->read, answer, parts->sets, parts->number);
	else
		read_counts(parts, its, answer);
	its->scanned = true;
	pq_getmsgend(answer);
	if (!its->read.finished)
		ask_next(parts, next);
	return !its->read.finished;
}

int64
scan_parts_add(ScanParts *parts, Rows *const *sets, int count)
{
	parts->sets = sets;
	parts->number = count;
	parts->left_out = 0;
	if (!links_collect(parts->links, take_rows, parts, -1))
		invalid_answer();
	for (int i = 0; i < links_count(parts->links); i++)
		if (!parts->link[i].read.finished)
			invalid_answer();
	return parts->left_out;
}

/* ---- passes ---- */

void
scan_parts_keep(ScanParts *parts, const uint8 *problem, Size length)
{
	parts->problem = makeStringInfo();
	appendBinaryStringInfo(parts->problem, (const char *) problem, (int) length);
}

int64
scan_parts_kept(const ScanParts *parts)
{
	return parts->kept;
}

int
scan_parts_count(const ScanParts *parts)
{
	return parts->count;
}

int
scan_parts_sums_count(const ScanParts *parts)
{
	return links_count(parts->links);
}

void
scan_parts_pass(ScanParts *parts, const uint8 *pass, Size length)
{
	StringInfoData message;

	initStringInfo(&message);
	pq_sendbyte(&message, PART_PASS);
	pq_sendbytes(&message, (const char *) pass, (int) length);
	send_to_all(parts, &message);
	pfree(message.data);
}

/* The sums must be those of this pass, and the link's first. */
static bool
take_sums(void *context, int link, StringInfo answer, StringInfo next)
{
	ScanParts *parts = context;
	int length;

	if (part_read_status(answer) != PART_READY)
		invalid_answer();
	length = answer->len - answer->cursor;
	if (!wire_add_sums((const uint8 *) pq_getmsgbytes(answer, length), length, link, parts->sums))
		invalid_answer();
	return false;
}

bool
scan_parts_sums(ScanParts *parts, PassSums *sums, long milliseconds)
{
	parts->sums = sums;
	if (links_collect(parts->links, take_sums, parts, milliseconds))
		return true;
	if (links_busy(parts->links) != NULL)
		invalid_answer();
	return false;
}

/* ---- ratings ---- */

static bool
take_rated(void *context, int link, StringInfo answer, StringInfo next)
{
	if (part_read_status(answer) != PART_READY)
		invalid_answer();
	part_read_rated(answer, context);
	pq_getmsgend(answer);
	return false;
}

void
scan_parts_rate(ScanParts *parts, int set, const Rater *rater, RatingTable *table)
{
	StringInfoData message;

	initStringInfo(&message);
	part_write_rate(&message, set, rater, table);
	send_to_all(parts, &message);
	pfree(message.data);
	if (!links_collect(parts->links, take_rated, table, -1))
		invalid_answer();
}

void
scan_parts_close(ScanParts *parts)
{
	links_close(parts->links);
}
