/*
 * part_provider.c - compares parts, and names their places.
 */
#include "postgres.h"

#include "server/remote/part_provider.h"

/* The last one counts, as for libpq. */
const char *
part_option(const RemotePart *part, const char *keyword, const char *otherwise)
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
					part_option(part, "host", part_option(part, "hostaddr", "localhost")),
					part_option(part, "port", "5432"),
					part_option(part, "dbname", part_option(part, "user", "")));
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
