#!/usr/bin/env python3
"""How often the intervals of a model's rating hold the truth: ratings.py FOLDER RUNS [SET,... [EPSILON [ADJACENCY]]]

Called by bench/ranking.sh --ratings. The population is all rows of a set, so that the truth is known: a table has as many rows as the set, each
drawn anew from the population, and dpobj.train its defaults at delta 1e-6. Then labels are drawn that no feature has to do with.
A line has, separated by tabs:

  set  adjacency  epsilon  runs  of 100 intervals of the AUC, the accuracy and the base rate that hold the population's
  mean and standard deviation of the AUC in the rating  mean of that of the population  of 100 verdicts that say "better"
  of 100 that say so for labels drawn by chance
"""
import itertools
import json
import os
import sys

import numpy as np

import ranking
import ranking_sets

SETS = 'stroke,telco,shop,wine'


def run(columns, epsilon, label):
    """The rating of a new table and its model, and accuracy, AUC and base rate of the population."""
    names = ', '.join(column.name for column in columns)
    ranking.answer("""SET client_min_messages = error; TRUNCATE guarded, kept;
      INSERT INTO guarded SELECT %s, %s FROM population JOIN (SELECT 1 + floor(random() * rows)::int AS place
        FROM (SELECT count(*) AS rows FROM population) c, generate_series(1, rows)) s USING (place);
      INSERT INTO kept SELECT dpobj.train('guarded', label => 'positive', epsilon => %g, delta => %g, options => '{"force": true}')"""
                   % (names, label, epsilon, ranking.DELTA))
    rating = json.loads(ranking.answer("SELECT coalesce((model).details -> 'rating', '{}') FROM kept"))
    return rating, ranking.rate_model()[:2] if label == 'positive' else None


def line_of(name, adjacency, columns, epsilon, runs, base):
    found = [run(columns, epsilon, 'positive') for _ in range(runs)]
    by_chance = [run(columns, epsilon, 'random() < %.6f' % base)[0] for _ in range(runs)]
    held = []
    for member, truth in (('auc', lambda t: t[1] / 100), ('accuracy', lambda t: t[0] / 100), ('base_rate', lambda t: base)):
        held.append(100 * np.mean([rating[member]['low'] <= truth(t) <= rating[member]['high'] for rating, t in found if rating]))
    values = [rating['auc']['value'] for rating, _ in found if rating and rating['auc']['value'] is not None]
    better = [100 * np.mean([rating.get('verdict') == 'better than chance' for rating in some])
              for some in ([rating for rating, _ in found], by_chance)]
    figures = held + [100 * np.mean(values), 100 * np.std(values), np.mean([truth[1] for _, truth in found])]
    return '\t'.join([name, adjacency, '%g' % epsilon, '%d' % runs] + ['%.1f' % x for x in figures] + ['%.2f' % x for x in better])


def main(folder, runs, names=SETS, epsilon='1', asked='replace'):
    for name, adjacency in itertools.product(names.split(','), asked.split(',')):
        columns, training, test = ranking_sets.read(os.environ['DPOBJ_DATA'], name, folder)
        rows = training + test
        ranking.make_tables(columns, rows, rows, adjacency)
        ranking.answer('DROP TABLE IF EXISTS population; CREATE TABLE population AS SELECT row_number() OVER () AS place, * FROM fresh')
        base = np.mean([row[-1] == '1' for row in rows])
        for e in epsilon.split(','):
            print(line_of(name, adjacency, columns, float(e), int(runs), base), flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
