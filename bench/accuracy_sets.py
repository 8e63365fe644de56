#!/usr/bin/env python3
"""Training sets for bench/accuracy: accuracy_sets.py FOLDER_OF_THE_DATA FOLDER_TO_FILL

Each file is a set with what is public about it: its name, the sizes of its one-hot groups,
the positions of its numeric columns, the clip bounds of each column, and then the rows,
label first. Every encoding is made of public constants:

  adult23  the papers' 23 columns, numbers divided by their largest values
  g1       17 columns: numbers scaled and clipped so that small integer weights suit them
  g2       14 columns: relationship, six numbers, an age indicator, sex and white collar
  full     all 32,561 rows of the raw file, the eight columns of words and three bins of
           gain, two of loss and four of age as 111 one-hot columns
  made     10,000 generated rows: three one-hot groups of six and six numbers, labels of
           a logistic model; no rule may fit Adult alone
  few      4 columns of the balanced subset: married, education, gain and hours, for the
           mechanisms that are for few weights only
  two      200,000 generated rows of an indicator and a number in steps of 1/8, with labels of a
           logistic model: for OPSamp, which asks for many rows and very few weights
  shares   adult23 with the label as a target: sets with targets, which stand in front of the
           features, are for dp_simplex
  forecasts  100,000 generated rows: eight forecasts of a number in 0 .. 1, four of them
           good and with errors of their own, and two with too small or too large values
"""
import csv
import math
import os
import random
import sys

WORDS = [1, 3, 5, 6, 7, 8, 9, 13]  # the raw file's columns of words
WHITE_COLLAR = ('Exec-managerial', 'Prof-specialty', 'Tech-support', 'Protective-serv')


def clip(value, low, high):
    return max(low, min(high, value))


def positive(row):
    return row[14].startswith('>50K')


def read_raw(folder):
    with open(os.path.join(folder, 'adult.data.csv')) as file:
        rows = [[field.strip() for field in row] for row in csv.reader(file)][1:]
    return [row for row in rows if len(row) == 15]


def balance(rows):
    """The papers' balanced subset, as adult23.py of the data's folder draws it."""
    draw = random.Random(20261121)
    chosen = [row for row in rows if positive(row)]
    chosen += draw.sample([row for row in rows if not positive(row)], len(chosen))
    draw.shuffle(chosen)
    return chosen


def one_hot(value, levels):
    return [int(value == level) for level in levels]


def levels_of(rows, column):
    return sorted({row[column] for row in rows})


def scaled(row):
    """Gain, loss and hours: numbers whose unit is a sensible difference."""
    return [clip(int(row[10]) / 5000, 0, 2), clip(int(row[11]) / 1500, 0, 2),
            clip((int(row[12]) - 40) / 10, -2, 2)]


SCALED_CLIP = [(0, 2), (0, 2), (-2, 2)]


def write(folder, name, groups, numeric, bounds, rows):
    with open(os.path.join(folder, name + '.set'), 'w') as file:
        file.write('%s %d %d\n' % (name, len(bounds), len(rows)))
        file.write('%d %s\n' % (len(groups), ' '.join(map(str, groups))))
        file.write('%d %s\n' % (len(numeric), ' '.join(map(str, numeric))))
        file.write(' '.join('%g %g' % pair for pair in bounds) + '\n')
        for label, features in rows:
            file.write('%d %s\n' % (label, ' '.join('%.9g' % value for value in features)))


def write_adult23(data, folder):
    with open(os.path.join(data, 'adult23.csv')) as file:
        rows = [[float(field) for field in row] for row in csv.reader(file)]
    write(folder, 'adult23', [7, 6, 5, 2, 1, 1, 1], [21, 22, 23], [(0, 1)] * 23,
          [(int(row[0] > 0), row[1:]) for row in rows])
    write(folder, 'shares', [], [], [(0, 1)] * 24, [(1, [int(row[0] > 0)] + row[1:]) for row in rows])


def write_g1(raw, chosen, folder):
    marital = levels_of(raw, 5)
    relationship = [level for level in levels_of(raw, 7) if level != 'Not-in-family']
    rows = [(int(positive(row)),
             one_hot(row[5], marital) + one_hot(row[7], relationship) +
             [int(row[8] == 'White'), int(row[9] == 'Male')] + scaled(row)) for row in chosen]
    write(folder, 'g1', [7] + [1] * 10, [15, 16, 17], [(0, 1)] * 14 + SCALED_CLIP, rows)


def write_g2(raw, chosen, folder):
    relationship = levels_of(raw, 7)
    rows = []
    for row in chosen:
        age = int(row[0])
        rows.append((int(positive(row)),
                     one_hot(row[7], relationship) +
                     [clip(int(row[4]) - 10, -4, 4) / 2, clip(age - 38, -20, 20) / 10,
                      int(age >= 60 or age < 25)] + scaled(row) +
                     [int(row[9] == 'Male'), int(row[6] in WHITE_COLLAR)]))
    write(folder, 'g2', [6] + [1] * 8, [7, 8, 10, 11, 12],
          [(0, 1)] * 6 + [(-2, 2), (-2, 2), (0, 1)] + SCALED_CLIP + [(0, 1)] * 2, rows)


def write_full(raw, folder):
    words = [(column, levels_of(raw, column)) for column in WORDS]
    groups = [len(levels) for _, levels in words] + [3, 2, 4]
    rows = []
    for row in raw:
        age, gain, loss = int(row[0]), int(row[10]), int(row[11])
        features = []
        for column, levels in words:
            features += one_hot(row[column], levels)
        features += one_hot((gain > 0) + (gain >= 5000), range(3))
        features += one_hot(loss >= 1500, range(2))
        features += one_hot((age >= 25) + (age >= 35) + (age >= 60), range(4))
        rows.append((int(positive(row)), features))
    write(folder, 'full', groups, [], [(0, 1)] * sum(groups), rows)


def write_few(chosen, folder):
    rows = [(int(positive(row)),
             [int(row[5] == 'Married-civ-spouse'), clip(int(row[4]) - 10, -4, 4) / 4,
              clip(int(row[10]) / 5000, 0, 1), clip((int(row[12]) - 40) / 20, -1, 1)]) for row in chosen]
    write(folder, 'few', [1] * 4, [2, 3, 4], [(0, 1), (-1, 1), (0, 1), (-1, 1)], rows)


def write_made(folder):
    draw = random.Random(1)
    groups = [6, 6, 6]
    weight = [draw.gauss(0, 1) for _ in range(24)]
    rows = []
    for _ in range(10000):
        features = []
        for size in groups:
            features += one_hot(int(size * draw.random() ** 1.5), range(size))
        features += [clip(draw.gauss(0, 0.5), -1, 1) for _ in range(6)]
        score = 1.5 * sum(w * x for w, x in zip(weight, features))
        rows.append((int(draw.random() < 1 / (1 + math.exp(-score))), features))
    write(folder, 'made', groups + [1] * 6, list(range(19, 25)), [(0, 1)] * 18 + [(-1, 1)] * 6,
          rows)


def write_two(folder):
    draw = random.Random(2)
    rows = []
    for _ in range(200000):
        indicator, number = draw.randrange(2), draw.randrange(-8, 9) / 8
        score = 3 * number - 1.5 * indicator
        rows.append((int(draw.random() < 1 / (1 + math.exp(-score))), [indicator, number]))
    write(folder, 'two', [1] * 2, [2], [(0, 1), (-1, 1)], rows)


def write_forecasts(folder):
    draw = random.Random(3)
    rows = []
    for _ in range(100000):
        truth = draw.random()
        errors = [0.10, 0.12, 0.15, 0.20]
        values = [truth + draw.gauss(0, sd) for sd in errors]
        values += [0.6 * truth + draw.gauss(0, 0.05), 0.5 + 0.6 * truth + draw.gauss(0, 0.05),
                   0.5, draw.random()]
        rows.append((1, [clip(value, 0, 1) for value in [truth + draw.gauss(0, 0.05)] + values]))
    write(folder, 'forecasts', [], [], [(0, 1)] * 9, rows)


def main(data, folder):
    raw = read_raw(data)
    chosen = balance(raw)
    write_adult23(data, folder)
    write_g1(raw, chosen, folder)
    write_g2(raw, chosen, folder)
    write_full(raw, folder)
    write_made(folder)
    write_few(chosen, folder)
    write_two(folder)
    write_forecasts(folder)


if __name__ == '__main__':
    main(*sys.argv[1:])
