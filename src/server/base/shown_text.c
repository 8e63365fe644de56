/*
 * shown_text.c - texts of others, such as names, on one line, in Markdown and in HTML.
 *
 * What is no character to see is found by its byte below 0x20 and at 0x7f in every encoding, and by
 * its number where the server's encoding is UTF-8.  Bytes from 0x80 on are letters in the Windows
 * and DOS encodings and in KOI8, parts of letters in those of several bytes, and unknown in
 * SQL_ASCII; in the ISO encodings those below 0xa0 are control characters.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "server/base/compat.h"
#include "server/base/shown_text.h"

typedef struct Range
{
	pg_wchar first;
	pg_wchar last;
} Range;

/* In order. */
static const Range hidden[] = {
	{0x00, 0x1f},       /* control characters, and line breaks among them */
	{0x7f, 0x9f},       /* more of them */
	{0xad, 0xad},       /* soft hyphen */
	{0x34f, 0x34f},     /* grapheme joiner */
	{0x61c, 0x61c},     /* mark of the direction */
	{0x115f, 0x1160},   /* fillers */
	{0x17b4, 0x17b5},   /* vowels without a form */
	{0x180e, 0x180e},   /* separator without a width */
	{0x200b, 0x200f},   /* spaces without a width, joiners, marks of the direction */
	{0x2028, 0x202e},   /* line breaks, overrides of the direction */
	{0x2060, 0x206f},   /* operators without a form, isolates of the direction */
	{0x3164, 0x3164},   /* filler */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xffa0, 0xffa0},   /* filler */
	{0xfff9, 0xfffb},   /* annotations */
	{0xfffe, 0xffff},   /* no characters */
	{0xe0000, 0xe0fff}, /* tags */
};

#define ZERO_WIDTH_NON_JOINER 0x200c
#define ZERO_WIDTH_JOINER 0x200d

static bool
has_control_bytes(int encoding)
{
	return (encoding >= PG_LATIN1 && encoding <= PG_LATIN10) ||
		   (encoding >= PG_ISO_8859_5 && encoding <= PG_ISO_8859_8);
}

static bool
is_in(const Range *ranges, int count, pg_wchar character)
{
	for (int i = 0; i < count && ranges[i].first <= character; i++)
	{
		if (character <= ranges[i].last)
			return true;
	}
	return false;
}

/* The first character that a joiner changes the form of: of the scripts from Arabic on, and signs.
 */
#define FIRST_JOINED 0x600

static bool
is_joined(const char *text)
{
	pg_wchar character = utf8_to_unicode((const unsigned char *) text);

	return character >= FIRST_JOINED && !is_in(hidden, lengthof(hidden), character);
}

static const char *
character_before(const char *text)
{
	do
		text--;
	while ((*text & 0xc0) == 0x80);
	return text;
}

/*
 * The length of a character that is not seen, 0 if it is seen.  Between letters of some scripts,
 * and in signs made of several, a joiner changes the form: there it counts as seen.
 */
static int
hidden_length(const char *text, const char *start, const char *end)
{
	unsigned char byte = (unsigned char) *text;
	int encoding = GetDatabaseEncoding();
	int length;
	pg_wchar character;

	if (byte < 0x20 || byte == 0x7f)
		return 1;
	if (byte < 0x80)
		return 0;
	if (encoding != PG_UTF8)
		return has_control_bytes(encoding) && byte < 0xa0 ? 1 : 0;
	length = pg_mblen(text);
	if (length > end - text)
		return 0;
	character = utf8_to_unicode((const unsigned char *) text);
	if ((character == ZERO_WIDTH_JOINER || character == ZERO_WIDTH_NON_JOINER) && text > start &&
		is_joined(character_before(text)) && end - text > length &&
		end - text >= length + pg_mblen(text + length) && is_joined(text + length))
		return 0;
	return is_in(hidden, lengthof(hidden), character) ? length : 0;
}

/* Bytes of the character at text, at most up to end. */
static int
seen_length(const char *text, const char *end)
{
	return Min(pg_mblen(text), (int) (end - text));
}

/* Appends the text with one blank for each run of characters that are not seen. */
static void
append_on_one_line(StringInfo line, const char *start, int bytes)
{
	const char *end = start + bytes;
	bool is_run = false;

	for (const char *c = start; c < end;)
	{
		int length = hidden_length(c, start, end);

		if (length == 0)
		{
			length = seen_length(c, end);
			appendBinaryStringInfo(line, c, length);
			is_run = false;
		}
		else if (!is_run)
		{
			appendStringInfoChar(line, ' ');
			is_run = true;
		}
		c += length;
	}
}

/* dpobj_internal.on_one_line(words) -> text */
PG_FUNCTION_INFO_V1(dpobj_on_one_line);
Datum
dpobj_on_one_line(PG_FUNCTION_ARGS)
{
	text *words = PG_GETARG_TEXT_PP(0);
	StringInfoData line;

	initStringInfo(&line);
	append_on_one_line(&line, VARDATA_ANY(words), VARSIZE_ANY_EXHDR(words));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}

/* What Markdown would read as markup, HTML, a table's border or a link. */
static bool
is_markup(const char *line, int i, int length)
{
	return strchr("\\`*_~#<>&|$@[]", line[i]) != NULL ||
		   (line[i] == ':' && i + 2 < length && line[i + 1] == '/' && line[i + 2] == '/') ||
		   (line[i] == '.' && i >= 3 && pg_strncasecmp(line + i - 3, "www", 3) == 0);
}

/* dpobj_internal.markdown(words) -> text */
PG_FUNCTION_INFO_V1(dpobj_markdown);
Datum
dpobj_markdown(PG_FUNCTION_ARGS)
{
	text *words = PG_GETARG_TEXT_PP(0);
	StringInfoData line;
	StringInfoData markdown;

	initStringInfo(&line);
	initStringInfo(&markdown);
	append_on_one_line(&line, VARDATA_ANY(words), VARSIZE_ANY_EXHDR(words));
	/* A byte of a longer character may look like markup in encodings of clients only. */
	for (int i = 0; i < line.len; i++)
	{
		if (is_markup(line.data, i, line.len))
			appendStringInfoChar(&markdown, '\\');
		appendStringInfoChar(&markdown, line.data[i]);
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(markdown.data, markdown.len));
}

static const char *
html_entity(char character)
{
	switch (character)
	{
		case '&':
			return "&amp;";
		case '<':
			return "&lt;";
		case '>':
			return "&gt;";
		case '"':
			return "&quot;";
		case '\'':
			return "&#39;";
		default:
			return NULL;
	}
}

/* No encoding of a server has a byte of these within a longer character. */
void
shown_html(StringInfo page, const char *words)
{
	StringInfoData line;

	initStringInfo(&line);
	append_on_one_line(&line, words, strlen(words));
	for (int i = 0; i < line.len; i++)
	{
		const char *entity = html_entity(line.data[i]);

		if (entity != NULL)
			appendStringInfoString(page, entity);
		else
			appendStringInfoChar(page, line.data[i]);
	}
	pfree(line.data);
}
