/*
 * adult.h - the papers' training set, adult23.csv: a label, -1 or 1, and 23
 * features in 0 .. 1, of which the first 20 are one-hot in groups of 7, 6, 5 and 2.
 */
#ifndef DPOBJ_BENCH_ADULT_H
#define DPOBJ_BENCH_ADULT_H

#include <stdio.h>
#include <stdlib.h>

#include "core/check.h"
#include "core/rows/rows.h"

#define ADULT_FEATURES 23
#define ADULT_CATEGORIES 20
#define ADULT_GROUP 7 /* columns of the first group, the largest */

typedef struct Adult
{
	Instance all;      /* row by row */
	Instance distinct; /* equal rows merged */
} Adult;

/* NULL, with a word about it, where there is no such file. */
static inline FILE *
data_open(const char *folder, const char *name)
{
	char path[4096];
	FILE *file = NULL;

	if (folder != NULL)
	{
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		file = fopen(path, "r");
	}
	if (file == NULL)
		printf("skipped: no %s (name its folder, or set DPOBJ_DATA)\n", name);
	return file;
}

static inline bool
adult_read_row(FILE *file, double *label, double *feature)
{
	if (fscanf(file, "%lf", label) != 1)
		return false;
	for (int j = 0; j < ADULT_FEATURES; j++)
		if (fscanf(file, ",%lf", &feature[j]) != 1)
			return false;
	return true;
}

static inline void
adult_read_file(Adult *adult, FILE *file, Memory *memory)
{
	int64_t room = 1024;
	int32_t *x = memory_allocate(memory, (size_t) room * ADULT_FEATURES, sizeof(int32_t));
	int64_t *net = memory_allocate(memory, (size_t) room, sizeof(int64_t));
	double feature[ADULT_FEATURES];
	double label;
	int64_t count = 0;
	Encoding encoding;
	Rows rows;

	encoding_init(&encoding);
	encoding.features = ADULT_FEATURES;
	(void) encoding_finish(&encoding);
	rows_init(&rows, &encoding, memory);
	for (; adult_read_row(file, &label, feature); count++)
	{
		if (count == room)
		{
			room *= 2;
			x = memory_reallocate(memory, x, (size_t) room * ADULT_FEATURES, sizeof(int32_t));
			net = memory_reallocate(memory, net, (size_t) room, sizeof(int64_t));
		}
		(void) encoding_apply(&encoding, feature, x + count * ADULT_FEATURES);
		net[count] = label > 0 ? 1 : -1;
		rows_add(&rows, feature, label > 0);
	}
	adult->all = (Instance){.dimension = ADULT_FEATURES, .rows = count, .x = x, .net = net};
	rows_instance(&rows, false, memory, &adult->distinct);
}

/* False, with a word about it, where the folder has no adult23.csv. */
static inline bool
adult_read(Adult *adult, const char *folder, Memory *memory)
{
	FILE *file = data_open(folder, "adult23.csv");

	if (file == NULL)
		return false;
	adult_read_file(adult, file, memory);
	fclose(file);
	return true;
}

/* Training accuracy in percent. */
static inline double
adult_accuracy(const Adult *adult, double loss)
{
	return 100.0 * (1.0 - loss / (double) adult->all.rows);
}

#endif
