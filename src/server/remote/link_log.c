/*
 * link_log.c - what another server says, in the log of this one.
 *
 * Its administrator chooses the text, so it must not look like lines of this server, nor fill the
 * log, nor make a terminal act.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "server/remote/link_log.h"

/* Bytes of a text that are written, and the most that one of them is written as. */
#define MOST_BYTES 1000
#define LONGEST_ESCAPE 4

static bool
is_written_as_it_is(unsigned char byte, bool is_valid)
{
	return byte >= 0x20 && byte != 0x7f && byte != '\\' && (byte < 0x80 || is_valid);
}

void
link_log(const char *part, const char *text)
{
	char line[MOST_BYTES * LONGEST_ESCAPE + 1];
	int whole = (int) strnlen(text, MOST_BYTES + 1);
	int length = pg_mbcliplen(text, whole, MOST_BYTES);
	bool is_valid;
	char *end = line;

	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
		length--;
	is_valid = pg_verifymbstr(text, length, true);
	for (int i = 0; i < length; i++)
	{
		unsigned char byte = (unsigned char) text[i];

		if (is_written_as_it_is(byte, is_valid))
			*end++ = (char) byte;
		else
			end += sprintf(end, "\\x%02x", byte);
	}
	*end = '\0';
	ereport(LOG_SERVER_ONLY,
			(errmsg("part \"%s\": %s%s", part, line, whole > MOST_BYTES ? " (cut off)" : "")));
}
