#!/usr/bin/env python3
"""Training sets for bench/accuracy: accuracy_sets.py FOLDER_OF_THE_DATA FOLDER_TO_FILL

accuracy_sets.py --sql SET.set prints the SQL that makes tables of one of them.

Each file is a set with what is public about it: its name, the sizes of its one-hot groups,
the positions of its numeric columns, the clip bounds of each column, and then the rows,
label first. Every encoding is made of public constants:

  adult23  the papers' 23 columns, numbers divided by their largest values
  cont15 ... german  the seven sets of the folder panel: what is public about them is in the file's
           first line and in README.md of the folder of the data
  full     all 32,561 rows of the raw file, the eight columns of words and three bins of
           gain, two of loss and four of age as 111 one-hot columns
  few      4 columns of the balanced subset: married, education, gain and hours, for the
           mechanisms that are for few weights only
  two      200,000 generated rows of an indicator and a number in steps of 1/8, with labels of a
           logistic model: for OPSamp, which asks for many rows and very few weights
  shares   adult23 with the label as a target: sets with targets, which stand in front of the
           features, are for dp_simplex
  forecasts  100,000 generated rows: eight forecasts of a number in 0 .. 1, four of them
           good and with errors of their own, and two with too small or too large values
  hours    adult23's hours as a target, by its other 22 columns: sets for dp_linear, whose targets
           stand in front too
  ages     the age of all 32,561 rows of the raw file by six columns of words, hours and the label
  beam     magic's second number by the other nine
  slopes   the columns of mixed30, with a target drawn from a linear model of them
  marriage marital status of all rows of the raw file in three classes (married, never, formerly), by
           sex, race, occupation, age, hours and the label: sets for dp_softmax, whose classes stand
           in front
  school   education of all rows of the raw file in three classes (at most high school, some
           college, a degree), by class of work, occupation, sex, age, hours and the label
  three    10,000 generated rows of 15 numbers, three classes of a softmax model
  five     20,000 generated rows of a group of five and 11 numbers, five classes of unequal shares
"""
import csv
import glob
import gzip
import json
import math
import os
import random
import sys

WORDS = [1, 3, 5, 6, 7, 8, 9, 13]  # the raw file's columns of words


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


def write_targets(folder, name, groups, bounds, rows):
    """rows: a target from -1 to 1, then the features."""
    write(folder, name, [1] + groups, [], [(-1, 1)] + bounds, [(1, row) for row in rows])


def write_hours(data, folder):
    with open(os.path.join(data, 'adult23.csv')) as file:
        rows = [[float(field) for field in row] for row in csv.reader(file)]
    write_targets(folder, 'hours', [7, 6, 5, 2, 1, 1], [(0, 1)] * 22,
                  [[2 * row[23] - 1] + row[1:23] for row in rows])


def write_ages(raw, folder):
    words = [(column, levels_of(raw, column)) for column in [1, 3, 5, 6, 8, 9]]
    groups = [len(levels) for _, levels in words] + [1, 1]
    rows = []
    for row in raw:
        features = [(int(row[0]) - 53.5) / 36.5]
        for column, levels in words:
            features += one_hot(row[column], levels)
        rows.append(features + [clip(int(row[12]) / 40 - 1, -1, 1), int(positive(row))])
    write_targets(folder, 'ages', groups, [(0, 1)] * (sum(groups) - 2) + [(-1, 1), (0, 1)], rows)


def read_panel(data, name):
    with gzip.open(os.path.join(data, 'panel', name + '.dat.gz'), 'rt') as file:
        next(file)
        return [list(map(float, line.split()))[1:] for line in file]


def write_beam(data, folder):
    rows = read_panel(data, 'magic')  # of which the first column is constant
    write_targets(folder, 'beam', [1] * 9, [(-1, 1)] * 9, [[row[2], row[1]] + row[3:] for row in rows])


def write_slopes(data, folder):
    draw = random.Random(5)
    weights = [draw.gauss(0, 0.1) for _ in range(30)]
    rows = []
    for row in read_panel(data, 'mixed30'):
        target = sum(w * x for w, x in zip(weights, row)) + draw.gauss(0, 0.2)
        rows.append([clip(target, -1, 1)] + row)
    write_targets(folder, 'slopes', [5, 5, 5] + [1] * 15, [(0, 1)] * 15 + [(-1, 1)] * 15, rows)


def write_classes(folder, name, classes, groups, bounds, rows):
    """rows: a class from 0 on, then the features, of which those between -1 and 1 are numbers."""
    numbers = [i for i, bound in enumerate(bounds, 2) if bound == (-1, 1)]
    write(folder, name, [1] + groups, numbers, [(0, classes - 1)] + bounds, [(1, row) for row in rows])


MARRIAGES = {'Never-married': 1, 'Divorced': 2, 'Separated': 2, 'Widowed': 2}  # others: 0


def school(row):
    years = int(row[4])
    return 0 if years <= 9 else 1 if years <= 12 else 2


def person_of(row):
    """Age, hours, sex and the label, between -1 and 1."""
    return [(int(row[0]) - 53.5) / 36.5, clip(int(row[12]) / 40 - 1, -1, 1), int(row[9] == 'Male'), int(positive(row))]


def write_adult_classes(raw, folder):
    for name, class_of, words in [('marriage', lambda row: MARRIAGES.get(row[5], 0), [8, 6]),
                                  ('school', school, [1, 6])]:
        levels = [(column, levels_of(raw, column)) for column in words]
        groups = [len(found) for _, found in levels] + [1] * 4
        rows = [[class_of(row)] + sum((one_hot(row[column], found) for column, found in levels), []) + person_of(row)
                for row in raw]
        write_classes(folder, name, 3, groups, [(0, 1)] * (sum(groups) - 4) + [(-1, 1)] * 2 + [(0, 1)] * 2, rows)


def write_drawn_classes(folder, name, seed, count, classes, group, numbers, strength):
    draw = random.Random(seed)
    weights = [[draw.gauss(0, strength) for _ in range(group + numbers + 1)] for _ in range(classes)]
    rows = []
    for _ in range(count):
        row = one_hot(draw.randrange(group), range(group)) if group > 0 else []
        row += [draw.uniform(-1, 1) for _ in range(numbers)]
        scores = [sum(w * x for w, x in zip(weight, row + [1])) for weight in weights]
        rows.append([draw.choices(range(classes), [math.exp(score) for score in scores])[0]] + row)
    write_classes(folder, name, classes, [group] * (group > 0) + [1] * numbers,
                  [(0, 1)] * group + [(-1, 1)] * numbers, rows)


def write_panel(data, folder):
    for path in sorted(glob.glob(os.path.join(data, 'panel', '*.dat.gz'))):
        name = os.path.basename(path)[:-len('.dat.gz')]
        with gzip.open(path, 'rt') as file:
            columns, *sizes = map(int, next(file).split()[1:])
            lines = [list(map(float, line.split())) for line in file]
        grouped, others = sum(sizes[1:]), columns - sum(sizes[1:])
        numbers = [] if name == 'sparse40' else list(range(grouped + 1, columns + 1))
        bounds = [(-1, 1) if column in numbers else (0, 1) for column in range(1, columns + 1)]
        write(folder, name, sizes[1:] + [1] * others, numbers, bounds, [(line[0], line[1:]) for line in lines])


# ---- as tables ----

def read_set(path):
    with open(path) as file:
        _, columns, rows = next(file).split()
        sizes = list(map(int, next(file).split()))[1:]
        numeric = list(map(int, next(file).split()))[1:]
        ends = list(map(float, next(file).split()))
        bounds = list(zip(ends[::2], ends[1::2]))
        return int(columns), int(rows), sizes, numeric, bounds, [line.split() for line in file]


def columns_of(sizes, numeric, bounds):
    """The columns of a table for the analyst's door: first feature, features, type, how it is encoded."""
    first = 0
    for size in sizes:
        if size > 1:
            yield first, size, 'text', {'levels': ['level %d' % (k + 1) for k in range(size)]}
        elif first + 1 in numeric:
            yield first, size, 'float8', {'clip': list(bounds[first])}
        else:
            yield first, size, 'boolean', {}
        first += size


def value_of(features, first, size, kind):
    if kind == 'text':
        return 'level %d' % (features[first:first + size].index('1') + 1)
    return features[first]


def print_tables(path):
    """Tables owned, guarded and declared, of which the last has the options and the delta of a call."""
    dimension, rows, sizes, numeric, bounds, lines = read_set(path)
    columns = list(columns_of(sizes, numeric, bounds))
    names = ['c%d' % (first + 1) for first, _, _, _ in columns]
    encoders = {name: encoder for name, (_, _, _, encoder) in zip(names, columns)}
    options = {'n': rows, 'groups': sizes, 'numeric': numeric, 'clip': bounds}
    print('SET client_min_messages = error;')
    print('DROP TABLE IF EXISTS owned, guarded, declared;')
    print('CREATE TABLE owned (features float8[] CHECK (cardinality(features) = %d), positive boolean);' % dimension)
    print('CREATE TABLE guarded (%s, positive boolean);' %
          ', '.join('%s %s' % (name, kind) for name, (_, _, kind, _) in zip(names, columns)))
    print("CREATE TABLE declared AS SELECT '%s'::jsonb AS options, %.9g AS delta;" %
          (json.dumps(options), 1 / rows ** 2))
    print('COPY owned FROM stdin;')
    for label, *features in lines:
        print('{%s}\t%s' % (','.join(features), label))
    print('\\.')
    print('COPY guarded FROM stdin;')
    for label, *features in lines:
        print('\t'.join([value_of(features, first, size, kind) for first, size, kind, _ in columns] + [label]))
    print('\\.')
    print('VACUUM ANALYZE owned;')
    print('VACUUM ANALYZE guarded;')
    print("SELECT dpobj.protect('guarded', '%s', n => %d);" % (json.dumps(dict(encoders, positive={})), rows))
    print("SELECT dpobj.set_budget('guarded', 'postgres', 100000, 0.5);")


def main(data, folder):
    raw = read_raw(data)
    write_adult23(data, folder)
    write_panel(data, folder)
    write_full(raw, folder)
    write_few(balance(raw), folder)
    write_two(folder)
    write_forecasts(folder)
    write_hours(data, folder)
    write_ages(raw, folder)
    write_beam(data, folder)
    write_slopes(data, folder)
    write_adult_classes(raw, folder)
    write_drawn_classes(folder, 'three', 6, 10000, 3, 0, 15, 1.2)
    write_drawn_classes(folder, 'five', 7, 20000, 5, 5, 11, 1)


if __name__ == '__main__':
    print_tables(sys.argv[2]) if sys.argv[1] == '--sql' else main(*sys.argv[1:])
