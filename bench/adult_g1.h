/*
 * adult_g1.h - the papers' rows of Adult (adult_balanced.csv) in a public encoding,
 * chosen without the data, with which small integer weights do better than with
 * the papers' own: 17 columns,
 *
 *   marital status     seven indicators, weights -3 .. 3; all other weights -2 .. 2
 *   relationship       five, "Not-in-family" being the reference
 *   race, sex          white, male
 *   capital gain       / 5000, at most 2
 *   capital loss       / 1500, at most 2
 *   hours per week     (hours - 40) / 10, within -2 .. 2
 */
#ifndef DPOBJ_BENCH_ADULT_G1_H
#define DPOBJ_BENCH_ADULT_G1_H

#include <string.h>

#include "adult.h"

#define G1_MARITAL 7
#define G1_RELATIONSHIPS 5
#define G1_FEATURES (G1_MARITAL + G1_RELATIONSHIPS + 5)

typedef struct AdultG1
{
	Instance instance; /* equal rows merged */
	int64_t rows;      /* before that */
} AdultG1;

/* A line of the file. */
typedef struct AdultLine
{
	int label;
	char marital[32];
	char relationship[32];
	char race[32];
	char sex[32];
	int gain;
	int loss;
	int hours;
} AdultLine;

static inline bool
adult_line_read(FILE *file, AdultLine *line)
{
	return fscanf(file, "%d,%31[^,],%31[^,],%31[^,],%31[^,],%d,%d,%d", &line->label, line->marital,
				  line->relationship, line->race, line->sex, &line->gain, &line->loss,
				  &line->hours) == 8;
}

static inline double
clip(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

static inline void
adult_g1_encode(const AdultLine *line, double *feature)
{
	static const char *const marital[G1_MARITAL] = {"Divorced",
													"Married-AF-spouse",
													"Married-civ-spouse",
													"Married-spouse-absent",
													"Never-married",
													"Separated",
													"Widowed"};
	static const char *const relationship[G1_RELATIONSHIPS] = {"Husband", "Other-relative",
															   "Own-child", "Unmarried", "Wife"};

	for (int k = 0; k < G1_MARITAL; k++)
		*feature++ = strcmp(line->marital, marital[k]) == 0;
	for (int k = 0; k < G1_RELATIONSHIPS; k++)
		*feature++ = strcmp(line->relationship, relationship[k]) == 0;
	*feature++ = strcmp(line->race, "White") == 0;
	*feature++ = strcmp(line->sex, "Male") == 0;
	*feature++ = clip(line->gain / 5000.0, 0.0, 2.0);
	*feature++ = clip(line->loss / 1500.0, 0.0, 2.0);
	*feature = clip((line->hours - 40) / 10.0, -2.0, 2.0);
}

static inline void
adult_g1_read_file(AdultG1 *g1, FILE *file, Memory *memory)
{
	double feature[G1_FEATURES];
	AdultLine line;
	Encoding encoding;
	Rows rows;

	encoding_init(&encoding);
	encoding.features = G1_FEATURES;
	for (int j = 0; j < G1_FEATURES; j++)
	{
		encoding.low[j] = -2.0;
		encoding.high[j] = 2.0;
	}
	(void) encoding_finish(&encoding);
	rows_init(&rows, &encoding, memory);
	g1->rows = 0;
	while (!feof(file) && fgetc(file) != '\n')
		; /* the headings */
	for (; adult_line_read(file, &line); g1->rows++)
	{
		adult_g1_encode(&line, feature);
		rows_add(&rows, feature, line.label > 0);
	}
	rows_instance(&rows, memory, &g1->instance);
}

/* False, with a word about it, where the folder has no such file. */
static inline bool
adult_g1_read(AdultG1 *g1, const char *folder, Memory *memory)
{
	FILE *file = data_open(folder, "adult_balanced.csv");

	if (file == NULL)
		return false;
	adult_g1_read_file(g1, file, memory);
	fclose(file);
	return true;
}

static inline void
adult_g1_grid(Grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = G1_FEATURES;
	for (int j = 0; j < G1_FEATURES; j++)
		grid_set_range(grid, j, j < G1_MARITAL ? 3 : 2);
}

#endif
