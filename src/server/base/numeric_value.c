/*
 * numeric_value.c - reads the stored form of a numeric.
 *
 * The form is fixed, because pg_upgrade keeps it: a header of two bytes, or of four with the weight
 * in the second half, then digits of base 10000.  For a short numeric, the integer of its digits
 * and the power of ten are exact doubles, so one division or product rounds correctly; the server
 * converts other numerics.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "server/base/compat.h"
#include "server/base/numeric_value.h"

#define HEADER_SHORT 0x8000
#define HEADER_SPECIAL 0xC000 /* NaN and the infinities */
#define HEADER_KIND 0xF000    /* of a special value, as it is for NaN */
#define LONG_NEGATIVE 0x4000
#define SHORT_NEGATIVE 0x2000
#define SHORT_WEIGHT_SIGN 0x0040
#define SHORT_WEIGHT 0x003F

#define BASE 10000
#define DIGITS_MAX 4                    /* so many fit an int64 */
#define EXACT_MAX (INT64CONST(1) << 53) /* integers up to here are doubles */
#define WEIGHT_MAX 5                    /* powers of ten up to 10^22 are doubles */

static const double power_of_base[] = {1e0, 1e4, 1e8, 1e12, 1e16, 1e20};

typedef struct Digits
{
	bool negative;
	int weight; /* of the first digit */
	int count;
	const char *bytes; /* may be unaligned */
} Digits;

/* Returns false for special values and for more than DIGITS_MAX digits. */
static bool
read_digits(const struct varlena *numeric, Digits *digits)
{
	const char *bytes = VARDATA_ANY(numeric);
	int length = VARSIZE_ANY_EXHDR(numeric);
	uint16 header;
	int16 weight;

	memcpy(&header, bytes, sizeof(header));
	if ((header & HEADER_SPECIAL) == HEADER_SPECIAL)
		return false;
	if ((header & HEADER_SHORT) != 0)
	{
		digits->negative = (header & SHORT_NEGATIVE) != 0;
		digits->weight =
			(header & SHORT_WEIGHT) - ((header & SHORT_WEIGHT_SIGN) != 0 ? SHORT_WEIGHT + 1 : 0);
		digits->bytes = bytes + sizeof(header);
	}
	else
	{
		memcpy(&weight, bytes + sizeof(header), sizeof(weight));
		digits->negative = (header & LONG_NEGATIVE) != 0;
		digits->weight = weight;
		digits->bytes = bytes + sizeof(header) + sizeof(weight);
	}
	digits->count = (length - (int) (digits->bytes - bytes)) / (int) sizeof(int16);
	return digits->count <= DIGITS_MAX;
}

/* The weight of the last digit. */
static int
last_weight(const Digits *digits)
{
	return digits->weight - digits->count + 1;
}

/* All digits, without a sign; below 10^16. */
static int64
integer_of(const Digits *digits)
{
	int64 integer = 0;

	for (int i = 0; i < digits->count; i++)
	{
		int16 digit;

		memcpy(&digit, digits->bytes + i * sizeof(digit), sizeof(digit));
		integer = integer * BASE + digit;
	}
	return integer;
}

static bool
convert(const Digits *digits, double *value)
{
	int last = last_weight(digits);
	int64 integer = integer_of(digits);

	if (integer > EXACT_MAX || last < -WEIGHT_MAX || last > WEIGHT_MAX)
		return false;
	*value =
		last < 0 ? (double) integer / power_of_base[-last] : (double) integer * power_of_base[last];
	if (digits->negative)
		*value = -*value;
	return true;
}

double
numeric_value(Datum datum)
{
	const struct varlena *numeric = (const struct varlena *) DatumGetPointer(datum);
	Digits digits;
	double value;

	if (!VARATT_IS_EXTERNAL(numeric) && !VARATT_IS_COMPRESSED(numeric) &&
		read_digits(numeric, &digits) && convert(&digits, &value))
		return value;
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, datum));
}

/* A special value is too short to be compressed or stored elsewhere. */
bool
numeric_value_is_nan(Datum datum)
{
	const struct varlena *numeric = (const struct varlena *) DatumGetPointer(datum);
	uint16 header;

	if (VARATT_IS_EXTERNAL(numeric) || VARATT_IS_COMPRESSED(numeric))
		return false;
	memcpy(&header, VARDATA_ANY(numeric), sizeof(header));
	return (header & HEADER_KIND) == HEADER_SPECIAL;
}

/* The integer, the weight of its last digit, and the sign.  No numeric ends with a digit of 0. */
#define BITS_INTEGER 54
#define BITS_WEIGHT 5
#define BITS_WEIGHT_MAX (1 << (BITS_WEIGHT - 1))

bool
numeric_bits(Datum datum, uint64 *bits)
{
	Digits digits;
	int last;

	if (!read_digits(PG_DETOAST_DATUM_PACKED(datum), &digits))
		return false;
	last = last_weight(&digits) + BITS_WEIGHT_MAX;
	if (last < 0 || last >= 2 * BITS_WEIGHT_MAX)
		return false;
	*bits = (uint64) integer_of(&digits) | (uint64) last << BITS_INTEGER |
			(uint64) digits.negative << (BITS_INTEGER + BITS_WEIGHT);
	return true;
}
