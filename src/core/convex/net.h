/*
 * net.h - a finite net of a ball, from public numbers only.
 *
 * The net of K steps in d dimensions holds the integer vectors k with |k|_2 <= K.  Multiplied by a
 * step, it is a net of the ball of radius K steps: rounding the coordinates of a vector of the ball
 * towards zero gives a point of the net and moves each coordinate by less than a step.
 *
 * Its points are numbered line by line: a line fixes all coordinates but the last,
 * which goes from -largest to largest.
 */
#ifndef DPOBJ_CORE_NET_H
#define DPOBJ_CORE_NET_H

#include <stdint.h>

#include "core/base/memory.h"

/* With at least eight steps, nets of more dimensions exceed NET_MAX_POINTS. */
#define NET_MAX_DIMENSION 7
#define NET_LEAST_STEPS 8
#define NET_MOST_STEPS 1024
#define NET_MAX_POINTS INT64_C(10000000)

typedef struct NetLine
{
	int64_t first;                /* the number of its first point */
	int32_t largest;              /* of the last coordinate: 2 largest + 1 points */
	int32_t k[NET_MAX_DIMENSION]; /* its first point: the last coordinate is -largest */
} NetLine;

typedef struct Net
{
	int dimension;
	int64_t points;
	int64_t lines;
	NetLine *line;
} Net;

/* The number of points, or NET_MAX_POINTS + 1 if there are more; any dimension >= 1. */
extern int64_t net_points(int dimension, int steps);

/*
 * The largest number of steps, up to NET_MOST_STEPS, whose net has at most this many points; 0 if
 * none has.
 */
extern int net_steps(int dimension, int64_t points);

/* For nets of at most NET_MAX_POINTS points. */
extern void net_create(Net *net, int dimension, int steps, Memory *memory);
extern void net_destroy(Net *net, Memory *memory);

/* The number of the line that has this point. */
extern int64_t net_line(const Net *net, int64_t point);

/* The point of a number. */
extern void net_point(const Net *net, int64_t number, int32_t *k);

#endif
