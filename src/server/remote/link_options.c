/*
 * link_options.c - the options of a connection to a part.
 */
#include "postgres.h"

#include <libpq-fe.h>

#include "mb/pg_wchar.h"

#include "server/remote/link_options.h"

/* What a connection has unless its provider says otherwise. */
static const char *const defaults[][2] = {
	{"connect_timeout", "10"},     {"keepalives_idle", "10"},
	{"keepalives_interval", "5"},  {"keepalives_count", "4"},
	{"tcp_user_timeout", "30000"}, {"fallback_application_name", "dpobj"},
};

void
link_options_set(RemotePart *part, const char *keyword, const char *value)
{
	int i = 0;

	while (part->keyword[i] != NULL && strcmp(part->keyword[i], keyword) != 0)
		i++;
	part->keyword[i] = keyword;
	part->value[i] = value;
}

void
link_options_begin(RemotePart *part, int most)
{
	int room = most + lengthof(defaults) + 2; /* the encoding, and the end */

	part->keyword = palloc0(room * sizeof(char *));
	part->value = palloc0(room * sizeof(char *));
	for (int i = 0; i < lengthof(defaults); i++)
		link_options_set(part, defaults[i][0], defaults[i][1]);
	link_options_set(part, "client_encoding", GetDatabaseEncodingName());
}

int
link_options_known(void)
{
	PQconninfoOption *known = PQconndefaults();
	int count = 0;

	if (known == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	while (known[count].keyword != NULL)
		count++;
	PQconninfoFree(known);
	return count;
}

void
link_options_parse(RemotePart *part, const char *text)
{
	PQconninfoOption *options = text == NULL ? NULL : PQconninfoParse(text, NULL);

	if (text != NULL && options == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the options of the connection to part \"%s\" are not valid", part->name)));
	for (const PQconninfoOption *option = options; option != NULL && option->keyword != NULL;
		 option++)
		if (option->val != NULL)
			link_options_set(part, pstrdup(option->keyword), pstrdup(option->val));
	PQconninfoFree(options);
}
