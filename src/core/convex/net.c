/*
 * net.c - integer vectors of a ball, counted and listed line by line.
 */
#include "core/convex/net.h"

#include <math.h>
#include <string.h>

/* The largest integer whose square is at most square, below 2^40. */
static int32_t
root(int64_t square)
{
	int64_t r = (int64_t) sqrt((double) square);

	while (r * r > square)
		r--;
	while ((r + 1) * (r + 1) <= square)
		r++;
	return (int32_t) r;
}

/* Integer vectors of squared length at most square, counted until there are more than most. */
static int64_t
count(int dimension, int64_t square, int64_t most)
{
	int32_t largest = root(square);
	int64_t sum;

	if (dimension == 1)
		return 2 * (int64_t) largest + 1;
	sum = count(dimension - 1, square, most);
	for (int64_t k = 1; k <= largest && sum <= most; k++)
		sum += 2 * count(dimension - 1, square - k * k, most);
	return sum;
}

/* Does not count in more dimensions than a net may have. */
int64_t
net_points(int dimension, int steps)
{
	int64_t points;

	if (dimension > NET_MAX_DIMENSION && steps >= NET_LEAST_STEPS)
		return NET_MAX_POINTS + 1;
	points = count(dimension, (int64_t) steps * steps, NET_MAX_POINTS);
	return points > NET_MAX_POINTS ? NET_MAX_POINTS + 1 : points;
}

int
net_steps(int dimension, int64_t points)
{
	int low = 0;
	int high = NET_MOST_STEPS + 1;

	if (points > NET_MAX_POINTS)
		points = NET_MAX_POINTS;
	if (dimension > NET_MAX_DIMENSION)
		return 0;
	while (high - low > 1)
	{
		int steps = (low + high) / 2;

		if (net_points(dimension, steps) <= points)
			low = steps;
		else
			high = steps;
	}
	return low;
}

/* The state of a listing of lines. */
typedef struct Listing
{
	Net *net;
	int64_t place; /* of the next line */
	NetLine line;
} Listing;

/* All lines whose coordinates from depth on have squares that add up to square at most. */
static void
list_lines(Listing *listing, int depth, int64_t square)
{
	int32_t largest = root(square);

	if (depth == listing->net->dimension - 1)
	{
		listing->line.first = listing->net->points;
		listing->line.largest = largest;
		listing->line.k[depth] = -largest;
		listing->net->points += 2 * (int64_t) largest + 1;
		listing->net->line[listing->place++] = listing->line;
		return;
	}
	for (int64_t k = -largest; k <= largest; k++)
	{
		listing->line.k[depth] = (int32_t) k;
		list_lines(listing, depth + 1, square - k * k);
	}
}

void
net_create(Net *net, int dimension, int steps, Memory *memory)
{
	Listing listing = {.net = net};

	net->dimension = dimension;
	net->points = 0;
	net->lines = dimension == 1 ? 1 : net_points(dimension - 1, steps);
	net->line = memory_allocate(memory, (size_t) net->lines, sizeof(NetLine));
	memset(&listing.line, 0, sizeof(listing.line));
	list_lines(&listing, 0, (int64_t) steps * steps);
}

void
net_destroy(Net *net, Memory *memory)
{
	memory_release(memory, net->line);
}

int64_t
net_line(const Net *net, int64_t point)
{
	int64_t low = 0;
	int64_t high = net->lines;

	while (high - low > 1)
	{
		int64_t middle = (low + high) / 2;

		if (net->line[middle].first <= point)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void
net_point(const Net *net, int64_t number, int32_t *k)
{
	const NetLine *line = &net->line[net_line(net, number)];

	memcpy(k, line->k, (size_t) net->dimension * sizeof(int32_t));
	k[net->dimension - 1] += (int32_t) (number - line->first);
}
