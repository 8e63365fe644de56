/*
 * part_provider.c - compares parts, and names their places.
 */
#include "postgres.h"

#include "server/remote/part_provider.h"

/* The last one counts, as for libpq. */
static const char *
option_of(const RemotePart *part, const char *keyword, const char *otherwise)
{
	for (int i = 0; part->keyword[i] != NULL; i++)
		if (strcmp(part->keyword[i], keyword) == 0)
			otherwise = part->value[i];
	return otherwise;
}

char *
part_place(const RemotePart *part)
{
	return psprintf("host %s, port %s, database %s",
					option_of(part, "host", option_of(part, "hostaddr", "localhost")),
					option_of(part, "port", "5432"),
					option_of(part, "dbname", option_of(part, "user", "")));
}

bool
parts_share_server(const RemotePart *one, const RemotePart *other)
{
	int i = 0;

	if (one->needs_password != other->needs_password)
		return false;
	for (; one->keyword[i] != NULL && other->keyword[i] != NULL; i++)
		if (strcmp(one->keyword[i], other->keyword[i]) != 0 ||
			strcmp(one->value[i], other->value[i]) != 0)
			return false;
	return one->keyword[i] == other->keyword[i];
}

static bool
is_same(const RemotePart *one, const RemotePart *other)
{
	return one->provider == other->provider && one->id == other->id &&
		   one->relation == other->relation && strcmp(one->schema, other->schema) == 0 &&
		   strcmp(one->table, other->table) == 0 && parts_share_server(one, other);
}

bool
parts_are_same(const List *one, const List *other)
{
	ListCell *cell;
	ListCell *match;

	if (list_length(one) != list_length(other))
		return false;
	forboth(cell, one, match, other) if (!is_same(lfirst(cell), lfirst(match))) return false;
	return true;
}
