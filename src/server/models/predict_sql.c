/*
 * predict_sql.c - dpobj.predict_sql(), a model as a statement for a server without dpobj.
 *
 *   SELECT t.*, p.score AS dp_score, p.score > 0 AS dp_prediction
 *     FROM table AS t
 *    CROSS JOIN LATERAL (
 *          SELECT ... AS score                                  a term for each column
 *            FROM (SELECT ... AS "column", ... OFFSET 0) AS x   the columns, as they are compared
 *          OFFSET 0) AS p
 *
 * OFFSET 0 keeps the planner from writing an expression out at each place where its column is used.
 * One join that names each column of t once keeps the planner's lists short.  An array is read from
 * disk and unpacked once by features[:].
 *
 * The score is that of dp_score to the last bit.  There a weight times a feature is one product,
 * the feature is an integer multiple of 2^-16, and products are added in the order of the weights.
 * The statement computes the same: products by powers of two are exact, a category's feature is 1
 * or 0, and adding 0 changes nothing.  A term is null if the row has no prediction, and then the
 * sum is null.
 *
 * A model of several classes has a score for each.  The first class whose score is the highest is
 * the prediction; the probabilities are added up in the order of the classes, as in C.
 *
 * Some numbers raise errors in SQL but not in C.  So the statement first compares a number with the
 * values from which on it is clipped; clipped_from() searches them among the floating-point
 * numbers, so that the comparison decides exactly as clipping does.
 *
 * All this needs numbers that are neither huge nor close to 0, see is_ordinary(): then no sum or
 * product overflows, and no product by a power of two loses a bit to denormal numbers.  Models with
 * other numbers have no statement.
 *
 * A model can be forged.  Names and texts are quoted and numbers are formatted here; nothing else
 * of the model gets into the statement.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "common/shortest_dec.h"
#include "datatype/timestamp.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"
#include "utils/varlena.h"

#include "core/rows/text_value.h"

#include "server/models/named_model.h"
#include "server/models/predictor.h"
#include "server/models/trained_columns.h"

/* ---- which numbers a statement can have ---- */

/*
 * A weight times the least feature, 2^-16, is above 2^-1022.  The sum of 128 weights times the
 * greatest feature, 2^10, in units of 2^-16 is below 2^1024; so is the product of a number, 2^16
 * and a clip bound of at most 2^10 times a scale, away from a center.
 */
#define LEAST_NUMBER 1e-300
#define GREATEST_NUMBER 1e290

static bool
is_ordinary(double number)
{
	return number == 0 || (fabs(number) >= LEAST_NUMBER && fabs(number) <= GREATEST_NUMBER);
}

static void
check_ordinary(double number)
{
	if (!is_ordinary(number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the model cannot be written as SQL"),
				 errdetail("Its weights, centers and scales must be 0 or have a magnitude from "
						   "1e-300 to 1e290.")));
}

/* ---- constants ---- */

static char *
digits(double number)
{
	char *text = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	double_to_shortest_decimal_buf(number, text);
	return text;
}

/* A number in an expression, also after a sign. */
static char *
constant(double number)
{
	if (isinf(number))
		return psprintf("'%s'", digits(number));
	return signbit(number) ? psprintf("(%s)", digits(number)) : digits(number);
}

/* A term of the score.  Integers are written without a type: their sums are exact in any type. */
static char *
term(double number)
{
	if (number == floor(number) && fabs(number) <= PG_INT16_MAX)
		return psprintf("%.0f", number == 0 ? 0.0 : number); /* and not -0 */
	return psprintf("float8 '%s'", digits(number));
}

/* ---- one number ---- */

/* The map from a number to a feature; see core/rows/encoding.h. */
typedef struct NumberMap
{
	double center;
	double scale;
	double low;
	double high;
} NumberMap;

static double
map_number(const NumberMap *map, double x)
{
	return (x - map->center) / map->scale;
}

/*
 * An x from which on features are clipped to low (sign -1) or high (sign 1), while every x on the
 * inner side is mapped to the bound or within.  It is center + scale * bound if that is mapped to
 * the bound.  Else rounding has moved the first such x, and it is searched for: the map is
 * monotone, so doubled steps lead beyond it, and halving leads back.
 */
static double
clipped_from(const NumberMap *map, int sign)
{
	double bound = sign < 0 ? map->low : map->high;
	double inside = map->center;
	double outside = map->center + map->scale * bound;
	double step = map->scale;

	if (map_number(map, outside) == bound)
		return outside;
	while (sign * map_number(map, outside) < sign * bound && isfinite(outside))
	{
		outside += sign * step;
		step *= 2;
	}
	if (sign * map_number(map, inside) >= sign * bound)
		for (step = map->scale, inside = outside; sign * map_number(map, inside) >= sign * bound;
			 step *= 2)
			inside -= sign * step;
	if (isinf(inside))
		inside = copysign(DBL_MAX, inside);
	while (isfinite(outside) && nextafter(inside, outside) != outside)
	{
		double middle = inside / 2 + outside / 2;

		if (middle == inside || middle == outside)
			break;
		if (sign * map_number(map, middle) >= sign * bound)
			outside = middle;
		else
			inside = middle;
	}
	return outside;
}

static char *
difference(const NumberMap *map, const char *x)
{
	return map->center == 0 ? pstrdup(x) : psprintf("(%s - %s)", x, constant(map->center));
}

/* (x - center) / scale in units of 2^-16; multiplying by 2^16 first gives the same bits. */
static char *
scaled(const NumberMap *map, const char *x)
{
	char *product = psprintf("%s * %.0f", difference(map, x), (double) FIXED_POINT_ONE);

	return map->scale == 1 ? product : psprintf("%s / %s", product, digits(map->scale));
}

/*
 * Can (x - center) / scale underflow?  SQL raises an error then.  The least difference is that of
 * center and the next number towards zero.
 */
static bool
underflows(const NumberMap *map)
{
	double least = map->center == 0 ? DBL_TRUE_MIN : fabs(map->center - nextafter(map->center, 0));

	return map->scale > 1 && (map->center == 0 || least / map->scale < DBL_MIN);
}

/*
 * Appends the branches that clip and round half away from zero.  Below 2^-17 a feature is 0; a
 * branch of its own keeps such numbers from a quotient that would underflow.
 */
static void
append_rounding(StringInfo text, const NumberMap *map, const char *x, double weight)
{
	char *times = psprintf("%s * ", term(weight));

	check_ordinary(map->center);
	check_ordinary(map->scale);
	if (weight == 0)
	{
		appendStringInfoString(text, " ELSE 0");
		return;
	}
	appendStringInfo(text, " WHEN %s <= %s THEN %s", x, constant(clipped_from(map, -1)),
					 term(weight * trained_feature(map->low)));
	appendStringInfo(text, " WHEN %s >= %s THEN %s", x, constant(clipped_from(map, 1)),
					 term(weight * trained_feature(map->high)));
	if (underflows(map))
		appendStringInfo(text, " WHEN abs(%s) < %s THEN 0", difference(map, x),
						 digits(ldexp(map->scale, -18)));
	if (map->low < 0)
		appendStringInfo(text, " WHEN %s < %s THEN %s(ceil(%s - 0.5) / %.0f)", x,
						 constant(map->center), times, scaled(map, x), (double) FIXED_POINT_ONE);
	appendStringInfo(text, " ELSE %s(floor(%s + 0.5) / %.0f)", times, scaled(map, x),
					 (double) FIXED_POINT_ONE);
}

/* ---- columns in comparisons ---- */

/* 2^-1075, rounded up: half of the least float8.  Greater numbers are not rounded to 0. */
#define LEAST_NUMERIC "2.4703282292062327208828439643411068618253e-324"

/*
 * The number that a real shows (real_value.h): the first of 6 to 9 digits that reads back as the
 * same real.  The output of a real would depend on the setting extra_float_digits.
 */
#define SHOWN_REAL                                                                                 \
	"CASE WHEN abs(%1$s::real) < 'Infinity' THEN (SELECT s.shown FROM generate_series(5, 8) AS n," \
	" LATERAL (SELECT to_char(%1$s::real, '9.' || repeat('9', n) || 'EEEE')::float8 AS shown)"     \
	" AS s WHERE s.shown::real = %1$s::real ORDER BY n LIMIT 1) ELSE %1$s::float8 END"

/* A timestamptz by the clock of its declared zone, whatever the session's is. */
static const char *
local_time(const Encoder *encoder, const char *column)
{
	if (encoder->column.type != TIMESTAMPTZOID ||
		(encoder->zone == NULL && encoder->part == PART_NONE))
		return column;
	return psprintf("(%s AT TIME ZONE %s)", column,
					encoder->zone == NULL ? "'UTC'" : quote_literal_cstr(encoder->zone_name));
}

/* An expression, a float8, for the number of a column; see column_number(). */
static char *
number_expression(const Encoder *encoder, const char *column)
{
	const char *unit = encoder->unit == 1 ? "" : psprintf(" / %.0f", encoder->unit);
	const char *origin = encoder->origin == 0 ? "" : psprintf(" - %s", constant(encoder->origin));

	switch (encoder->column.kind)
	{
		case COLUMN_NUMERIC: /* a cast that is out of range, or underflows, would raise an error */
			return psprintf("CASE WHEN abs(%1$s) < " LEAST_NUMERIC
							" THEN 0 WHEN %1$s = 'NaN' THEN 'NaN'"
							" WHEN abs(%1$s) < 1.797693134862315807e308 THEN %1$s::float8"
							" WHEN %1$s > 0 THEN 'Infinity' WHEN %1$s < 0 THEN '-Infinity' END",
							column);
		case COLUMN_TIME:
			if (encoder->column.type == DATEOID)
				return psprintf("CASE WHEN isfinite(%1$s) THEN ((%1$s - date '1970-01-01') *"
								" float8 '86400'%3$s)%2$s WHEN %1$s = 'infinity' THEN 'Infinity'"
								" WHEN %1$s = '-infinity' THEN '-Infinity' END",
								column, unit, origin);
			return psprintf("(date_part('epoch', %s)%s)%s", local_time(encoder, column), origin,
							unit);
		case COLUMN_REAL:
			return psprintf(encoder->column.type == FLOAT4OID ? SHOWN_REAL : "%1$s::float8",
							column);
		default:
			return psprintf("%s::float8", column);
	}
}

/* An expression for a column that is compared with the edges of bins. */
static const char *
edges_expression(const Encoder *encoder, const char *column)
{
	switch (encoder->column.kind)
	{
		case COLUMN_NUMERIC:
			return psprintf("%s::numeric", column);
		case COLUMN_TIME:
			return local_time(encoder, column);
		case COLUMN_REAL:
			return psprintf(encoder->column.type == FLOAT4OID ? "%s::real::float8" : "%s::float8",
							column);
		default:
			return column;
	}
}

/* A date or timestamp that is not below an edge exactly if it is not below this one. */
static char *
time_constant(const Encoder *encoder, const Edge *edge)
{
	bool is_date = encoder->column.type == DATEOID;
	bool is_local = encoder->column.type == TIMESTAMPOID || encoder->zone != NULL;
	const char *type = is_date ? "date" : is_local ? "timestamp" : "timestamptz";
	int64 time = edge_time(&encoder->column, edge);
	char text[MAXDATELEN + 1];
	struct pg_tm tm = {0};
	fsec_t fraction;

	if (is_date && IS_VALID_DATE(time))
	{
		j2date((int) time + POSTGRES_EPOCH_JDATE, &tm.tm_year, &tm.tm_mon, &tm.tm_mday);
		EncodeDateOnly(&tm, USE_ISO_DATES, text);
	}
	else if (!is_date && IS_VALID_TIMESTAMP(time) &&
			 timestamp2tm(time, NULL, &tm, &fraction, NULL, NULL) == 0)
	{
		tm.tm_isdst = 0; /* else the zone is not written */
		EncodeDateTime(&tm, fraction, !is_local, 0, NULL, USE_ISO_DATES, text);
	}
	else
		strcpy(text, "infinity");
	return psprintf("%s '%s'", type, text);
}

static char *
edge_constant(const Encoder *encoder, const Edge *edge)
{
	char *text;

	if (encoder->column.kind == COLUMN_TIME)
		return time_constant(encoder, edge);
	if (encoder->column.kind == COLUMN_REAL)
		return constant(edge->number);
	text = edge_text(&encoder->column, edge);
	return text[0] == '-' ? psprintf("(%s)", text) : text;
}

#define BLANKS "E' \\t\\n\\013\\f\\r'"
#define SHORT_DATE "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"

/* See column_cast_value(): no value of the column may raise an error. */
static const char *
cast_expression(const Encoder *encoder, const char *column)
{
	ColumnCast cast = encoder->column.cast;
	const char *text = psprintf("btrim(%s::text, " BLANKS ") COLLATE \"C\"", column);
	const char *fits =
		psprintf("octet_length(%s::text) <= %d AND %s", column, TEXT_VALUE_LONGEST, text);

	if (cast == CAST_NONE)
		return column;
	if (cast == CAST_TIME)
		return psprintf("(date '1970-01-01' + %s)", column);
	if (cast == CAST_INTERVAL)
		return psprintf("(CASE WHEN %1$s IS NOT NULL THEN timestamp '1970-01-01' + make_interval("
						"secs => greatest(least(extract(epoch FROM %1$s), 2147483648),"
						" -2147483648)) END)",
						column);
	if (cast == CAST_BOOLEAN && column_kind_of(encoder->column.stored) != COLUMN_TEXT)
		return psprintf("CASE %s WHEN 1 THEN true WHEN 0 THEN false END", column);
	if (cast == CAST_BOOLEAN)
		return psprintf(
			"CASE WHEN octet_length(%2$s::text) > %3$d THEN NULL"
			" WHEN lower(%1$s) IN ('true', 'tru', 'tr', 't', 'yes', 'ye', 'y', 'on', '1')"
			" THEN true WHEN lower(%1$s) IN ('false', 'fals', 'fal', 'fa', 'f', 'no', 'n',"
			" 'off', 'of', '0') THEN false END",
			text, column, TEXT_VALUE_LONGEST);
	if (cast == CAST_NUMBER)
		return psprintf("CASE WHEN %s ~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?$'"
						" THEN (%s)::float8 END",
						fits, text);
	return psprintf("CASE WHEN %1$s ~ '^" SHORT_DATE "%2$s$' AND left(%3$s, 4) <> '0000' THEN"
					" CASE WHEN substr(%3$s, 9, 2)::int <= date_part('day', (left(%3$s, 7) ||"
					" '-01')::date + interval '1 month' - interval '1 day')"
					" THEN (%3$s)::%4$s END END",
					fits,
					cast == CAST_DATE
						? ""
						: "([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?",
					text, cast == CAST_DATE ? "date" : "timestamp");
}

/* An expression for a column: texts bytewise, enums by label, char without trailing blanks. */
static char *
column_expression(const Encoder *encoder, const char *column)
{
	column = cast_expression(encoder, column);
	if (encoder->column.kind == COLUMN_BOOLEAN)
		return pstrdup(column);
	if (encoder->part != PART_NONE)
		return psprintf("date_part('%s', %s)", encoder->part == PART_MONTH ? "month" : "isodow",
						local_time(encoder, column));
	if (encoder->kind == ENCODER_BINS)
		return pstrdup(edges_expression(encoder, column));
	if (encoder->kind != ENCODER_LEVELS)
		return number_expression(encoder, column);
	return encoder->column.kind == COLUMN_TEXT ? psprintf("%s::text COLLATE \"C\"", column)
											   : pstrdup(column);
}

/* ---- the terms of a column ---- */

static bool
has_nan(const Encoder *encoder)
{
	return encoder->column.kind == COLUMN_REAL || encoder->column.kind == COLUMN_NUMERIC;
}

static char *
level_constant(const Encoder *encoder, int level)
{
	char *text = column_text(&encoder->column, &encoder->set.value[level]);

	return encoder->column.kind == COLUMN_TEXT ? quote_literal_cstr(text) : text;
}

/* A condition: the value of a column with numbers is missing. */
static char *
missing_number(const Encoder *encoder, const char *x)
{
	return has_nan(encoder) ? psprintf("%s IS NULL OR %s = 'NaN'", x, x)
							: psprintf("%s IS NULL", x);
}

/* The term of a missing value, without its indicator: "NULL" if there is no prediction. */
static char *
missing_term(const Encoder *encoder, const double *weight)
{
	if (!encoder->substitute && !encoder->null_indicator)
		return pstrdup("NULL");
	if (encoder->kind == ENCODER_NUMBER)
		return term(weight[0] * trained_feature(encoder->null_value));
	return encoder->substitute ? term(trained_weight(encoder, weight, encoder->null_category))
							   : pstrdup("0");
}

static void
append_boolean(StringInfo text, const Encoder *encoder, const char *x, const double *weight)
{
	appendStringInfo(text, "CASE WHEN %s THEN %s WHEN NOT %s THEN 0 ELSE %s END", x,
					 term(weight[0]), x, missing_term(encoder, weight));
}

static void
append_number(StringInfo text, const Encoder *encoder, const char *x, const double *weight)
{
	NumberMap map = {encoder->center, encoder->scale, encoder->low, encoder->high};

	appendStringInfo(text, "CASE WHEN %s THEN %s", missing_number(encoder, x),
					 missing_term(encoder, weight));
	append_rounding(text, &map, x, weight[0]);
	appendStringInfoString(text, " END");
}

static void
append_bins(StringInfo text, const Encoder *encoder, const char *x, const double *weight)
{
	int last = encoder->categories - 1;

	appendStringInfo(text, "CASE WHEN %s THEN %s", missing_number(encoder, x),
					 missing_term(encoder, weight));
	for (int i = 0; i < last; i++)
	{
		appendStringInfo(text, " WHEN %s < %s THEN %s", x,
						 edge_constant(encoder, &encoder->edge[i]),
						 term(trained_weight(encoder, weight, i)));
	}
	appendStringInfo(text, " ELSE %s END", term(trained_weight(encoder, weight, last)));
}

static void
append_levels(StringInfo text, const Encoder *encoder, const char *x, const double *weight)
{
	appendStringInfo(text, "CASE %s", x);
	for (int i = 0; i < encoder->categories; i++)
		appendStringInfo(text, " WHEN %s THEN %s", level_constant(encoder, i),
						 term(trained_weight(encoder, weight, i)));
	appendStringInfo(text, " ELSE %s END", missing_term(encoder, weight));
}

/* Appends the indicator's product, which is added after that of the substitute. */
static void
append_indicator(StringInfo text, const Encoder *encoder, const char *x, double weight)
{
	if (encoder->kind != ENCODER_LEVELS)
	{
		appendStringInfo(text, "CASE WHEN %s THEN %s ELSE 0 END", missing_number(encoder, x),
						 term(weight));
		return;
	}
	appendStringInfo(text, "CASE WHEN %s IN (", x);
	for (int i = 0; i < encoder->categories; i++)
		appendStringInfo(text, "%s%s", i > 0 ? ", " : "", level_constant(encoder, i));
	appendStringInfo(text, ") THEN 0 ELSE %s END", term(weight));
}

#define PLUS "\n         + "

static void
append_encoder(StringInfo text, const Encoder *encoder, const double *weight)
{
	const char *x = psprintf("x.%s", quote_identifier(encoder->column.name));

	if (encoder->kind == ENCODER_LEVELS)
		append_levels(text, encoder, x, weight);
	else if (encoder->kind == ENCODER_BINS)
		append_bins(text, encoder, x, weight);
	else if (encoder->column.kind == COLUMN_BOOLEAN)
		append_boolean(text, encoder, x, weight);
	else
		append_number(text, encoder, x, weight);
	if (!encoder->null_indicator)
		return;
	appendStringInfoString(text, PLUS);
	append_indicator(text, encoder, x, weight[encoder_weights(encoder) - 1]);
}

/* ---- the statement ---- */

/* A text for a comment of SQL, which ends with its line. */
static char *
one_line(const char *text)
{
	char *copy = pstrdup(text);

	for (char *c = copy; *c != '\0'; c++)
		if ((unsigned char) *c < ' ')
			*c = ' ';
	return copy;
}

/* A list with an element for each class, whose number stands for %1$d of the format. */
static char *
list_classes(const Predictor *predictor, const char *format, const char *separator)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int k = 1; k <= predictor->classes; k++)
	{
		appendStringInfoString(&text, k > 1 ? separator : "");
		appendStringInfo(&text, format, k);
	}
	return text.data;
}

static char *
class_columns(const Predictor *predictor)
{
	StringInfoData text;

	initStringInfo(&text);
	if (predictor->shares)
		appendStringInfo(&text,
						 "       CASE WHEN p.highest IS NOT NULL THEN\n"
						 "       ARRAY[%s] END AS dp_probability,\n",
						 list_classes(predictor, "p.part_%1$d / p.parts", ", "));
	appendStringInfoString(&text, "       CASE p.highest");
	for (int k = 0; k < predictor->classes; k++)
		appendStringInfo(&text, " WHEN p.score_%d THEN %s", k + 1,
						 quote_literal_cstr(text_to_cstring(predictor->class_name[k])));
	appendStringInfoString(&text, " END AS dp_prediction\n");
	return text.data;
}

/* The scores of several classes with the highest, from a query of the scores. */
static const char *
with_highest(const Predictor *predictor, const char *scores)
{
	return psprintf("SELECT p.*, greatest(%s) AS highest FROM (\n  %s) AS p OFFSET 0",
					list_classes(predictor, "p.score_%1$d", ", "), scores);
}

/* And what the probabilities of the classes are computed from, as in predictor.c. */
static const char *
with_shares(const Predictor *predictor, const char *scores)
{
	static const char *const share = "CASE WHEN p.score_%1$d - p.highest < -709.78 THEN 0"
									 " ELSE exp(p.score_%1$d - p.highest) END AS share_%1$d";
	static const char *const part = "p.share_%1$d / p.shares * greatest(1, (1 - p.share_%1$d / "
									"p.shares) * 2) AS part_%1$d";

	scores = psprintf("SELECT p.*, %s FROM (\n  %s) AS p OFFSET 0",
					  list_classes(predictor, share, ",\n         "), scores);
	scores = psprintf("SELECT p.*, %s AS shares FROM (\n  %s) AS p OFFSET 0",
					  list_classes(predictor, "p.share_%1$d", " + "), scores);
	scores = psprintf("SELECT p.*, %s FROM (\n  %s) AS p OFFSET 0",
					  list_classes(predictor, part, ",\n         "), scores);
	return psprintf("SELECT p.*, %s AS parts FROM (\n  %s) AS p OFFSET 0",
					list_classes(predictor, "p.part_%1$d", " + "), scores);
}

/*
 * The columns of the result.  For scores below -709.78 the exponential is out of range in SQL, and
 * the probability is below 10^-308; above 40 it is 1 in a float8.
 */
static const char *
result_columns(const Predictor *predictor)
{
	if (predictor->classes > 0)
		return class_columns(predictor);
	if (predictor->number)
		return "       p.score AS dp_prediction\n";
	if (predictor->probable)
	{
		bool fitted = predictor->fit_intercept != 0 || predictor->fit_slope != 1;
		const char *score = fitted ? psprintf("(%s + %s * p.score)", term(predictor->fit_intercept),
											  term(predictor->fit_slope))
								   : "p.score";

		return psprintf("       p.score AS dp_score,\n"
						"       CASE WHEN %1$s < -709.78 THEN 0 WHEN %1$s > 40 THEN 1\n"
						"            ELSE 1 / (1 + exp(-%1$s)) END AS dp_probability,\n"
						"       p.score > 0 AS dp_prediction\n",
						score);
	}
	return "       p.score AS dp_score,\n"
		   "       p.score > 0 AS dp_prediction\n";
}

/* Without an intercept adds 0, which turns -0 into 0: the sum in C begins with 0. */
static void
append_intercept(StringInfo text, bool intercept, double weight)
{
	appendStringInfo(text, PLUS "%s", intercept ? term(weight) : "0");
}

/* The columns of x, from those of t.  columns: NULL for a model that was trained on arrays. */
static void
append_columns(StringInfo text, const TrainedColumns *columns)
{
	if (columns == NULL)
		appendStringInfoString(text, "t.features[:] AS features");
	for (int i = 0; columns != NULL && i < columns->encoders.count; i++)
	{
		const Encoder *encoder = &columns->encoders.encoder[i];
		const char *name = quote_identifier(encoder->column.name);

		appendStringInfo(text, "%s%s AS %s", i > 0 ? ",\n         " : "",
						 column_expression(encoder, psprintf("t.%s", name)), name);
	}
}

static void
append_column_score(StringInfo text, const TrainedColumns *columns, const double *weight)
{
	for (int i = 0; i < columns->encoders.count; i++)
	{
		appendStringInfoString(text, i > 0 ? PLUS : "");
		append_encoder(text, &columns->encoders.encoder[i], weight);
		weight += encoder_weights(&columns->encoders.encoder[i]);
	}
	append_intercept(text, columns->intercept, columns->intercept ? *weight : 0);
}

/* Appends the weight of an index's level: of index 0 none, of what is no index null. */
static void
append_index(StringInfo text, int levels, const char *x, const double *weight)
{
	appendStringInfo(text, "CASE WHEN %s = 0 THEN 0 WHEN %s = floor(%s) THEN (ARRAY[", x, x, x);
	for (int i = 0; i < levels; i++)
		appendStringInfo(text, "%s%s", i > 0 ? ", " : "", term(weight[i]));
	appendStringInfo(text, "]::float8[])[CASE WHEN %s BETWEEN 1 AND %d THEN %s::int END] END", x,
					 levels, x);
}

/* Appends the term of an array's element, which need not be a float8 on the other server. */
static void
append_element(StringInfo text, const Predictor *predictor, const double *weight, int j)
{
	const Encoding *encoding = &predictor->encoding;
	const char *x = psprintf("x.features[%d]::float8", j + 1);

	weight += predictor_place(predictor, j);
	if (encoding->levels[j] > 0)
	{
		append_index(text, encoding->levels[j], x, weight);
		return;
	}
	appendStringInfo(text, "CASE WHEN %s IS NULL OR %s = 'NaN' THEN NULL", x, x);
	append_rounding(
		text,
		&(NumberMap){encoding->center[j], encoding->scale[j], encoding->low[j], encoding->high[j]},
		x, *weight);
	appendStringInfoString(text, " END");
}

/* For a model that was trained on arrays. */
static void
append_array_score(StringInfo text, const Predictor *predictor, const double *weight)
{
	int features = predictor_features(predictor);

	appendStringInfo(text, "CASE WHEN cardinality(x.features) = %d THEN\n           ", features);
	for (int j = 0; j < features; j++)
	{
		appendStringInfoString(text, j > 0 ? PLUS : "");
		append_element(text, predictor, weight, j);
	}
	append_intercept(text, predictor->encoding.intercept, weight[predictor->weights - 1]);
	appendStringInfoString(text, " END");
}

/* A query of all scores of a row of t. columns: NULL for a model that was trained on arrays. */
static const char *
scores_query(const Predictor *predictor, const TrainedColumns *columns)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, "SELECT ");
	for (int k = 0; k < Max(predictor->classes, 1); k++)
	{
		const double *weight = predictor->weight + k * predictor->weights;

		appendStringInfoString(&text, k > 0 ? ",\n         (" : "(");
		if (columns != NULL)
			append_column_score(&text, columns, weight);
		else
			append_array_score(&text, predictor, weight);
		appendStringInfoString(&text, ")::float8 AS score");
		if (predictor->classes > 0)
			appendStringInfo(&text, "_%d", k + 1);
	}
	appendStringInfoString(&text, "\n    FROM (\n  SELECT ");
	append_columns(&text, columns);
	appendStringInfoString(&text, " OFFSET 0) AS x OFFSET 0");
	return text.data;
}

static void
check_weights(const Model *model)
{
	for (int j = 0; j < model->weights; j++)
		check_ordinary(model->weight[j]);
}

static text *
build_statement(const Model *model, const char *name, const char *relation)
{
	StringInfoData text;
	Predictor predictor;
	TrainedColumns columns;
	const char *scores;
	bool knows_columns;

	predictor_init(&predictor, model);
	predictor_require_encoding(&predictor);
	check_weights(model);
	knows_columns = trained_columns_read(model, predictor.weights, &columns);
	if (relation == NULL)
		relation = knows_columns ? columns.relation : "some_table";
	if (knows_columns)
		trained_columns_check(&columns, &predictor.encoding);
	scores = scores_query(&predictor, knows_columns ? &columns : NULL);
	if (predictor.classes > 0)
		scores = with_highest(&predictor, scores);
	if (predictor.shares)
		scores = with_shares(&predictor, scores);
	initStringInfo(&text);
	appendStringInfo(&text,
					 "-- %s, release " INT64_FORMAT " of dpobj: null where there is no "
					 "prediction\n"
					 "SELECT t.*,\n"
					 "%s"
					 "  FROM %s AS t\n",
					 name == NULL ? "A model" : psprintf("Model \"%s\"", one_line(name)),
					 model->release, result_columns(&predictor),
					 NameListToQuotedString(textToQualifiedNameList(cstring_to_text(relation))));
	appendStringInfo(&text, " CROSS JOIN LATERAL (\n  %s) AS p\n", scores);
	return cstring_to_text(text.data);
}

/* dpobj.predict_sql(model dpobj.model_argument, relation text, owner regrole) -> text */
PG_FUNCTION_INFO_V1(dpobj_predict_sql);
Datum
dpobj_predict_sql(PG_FUNCTION_ARGS)
{
	char *name;
	Model model;

	if (!named_model_argument(fcinfo, 2, named_model_apply, &model, &name))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(build_statement(
		&model, name, PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1))));
}
