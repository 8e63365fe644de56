/*
 * real_value.h - a real (float4) as the number that it shows.
 */
#ifndef DPOBJ_REAL_VALUE_H
#define DPOBJ_REAL_VALUE_H

/*
 * The double nearest to the shortest decimal number that reads back as the same real, as SQL shows
 * it: 36.6 and not 36.599998474.  So a real means the same as the equal numeric, and as its text
 * does to a program that reads it.  Zeros keep their sign; NaN and infinities are as they are.
 */
extern double real_value(float real);

#endif
