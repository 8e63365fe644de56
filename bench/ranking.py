#!/usr/bin/env python3
"""How well models rank rows that they have not seen: ranking.py FOLDER WHAT [SET,... [TEXT [EPSILON [ADJACENCY]]]]

Called by bench/ranking.sh. WHAT is rivals, dpobj, all or draw. FOLDER has the library of ranking.c, and is filled with the
sets. New lines take the place of those with the same set, adjacency, row and epsilon in results/ranking.tsv; from all
of them results/ranking.md is made. A line has, separated by tabs:

  set  adjacency  row  epsilon  runs  accuracy  AUC  log loss  calibration error
  their standard deviations (of the first two)  seconds of a run  MiB  date

runs is 0 where a call was refused or late. Needs numpy and scikit-learn.
"""
import ctypes
import datetime
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import time

import numpy as np
from sklearn.linear_model import LogisticRegression

import ranking_sets

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'results', 'ranking.tsv')
EPSILONS = [0.1, 0.5, 1, 3, 5]
DELTA = 1e-6
NAN = float('nan')
DOUBLE = ctypes.c_double
TRIES, SECONDS = (2, 4, 10), 2  # runs of a rival's settings, of the best for each figure, of the very best; fewer where they take long
RUNS, LIMIT = int(os.environ.get('DPOBJ_RUNS', 10)), int(os.environ.get('DPOBJ_LIMIT', 60))
FORCE = '"force": true'  # even where the error bound says that a model is of no use
OURS = {'dpobj.train': ", options => '{%s}'" % FORCE, 'dpobj.train, no rating': """, options => '{"rate": 0, %s}'""" % FORCE,
        'dpobj.train, logistic': ", method => 'logistic', options => '{%s}'" % FORCE,
        'dpobj.train, descent': """, method => 'logistic', options => '{"mechanism": "descent", %s}'""" % FORCE}
AUC_BEHIND, ACCURACY_BEHIND = 0.5, 0.3
SUGGESTION_EPSILON = 1  # of the declarations of dpobj.suggest


def ranks(values):
    """From 1; equal values share theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def figures(label, positive, score, probability=None):
    """Accuracy, AUC (equal scores count half), log loss, and calibration error: the mean distance of probabilities and
    labels in ten groups of equal size by probability."""
    rows, ones = len(label), label.sum()
    auc = (ranks(score)[label == 1].sum() - ones * (ones + 1) / 2) / (ones * (rows - ones))
    loss = calibration = NAN
    if probability is not None:
        p = np.clip(probability, 1e-6, 1 - 1e-6)
        loss = -np.mean(np.where(label == 1, np.log(p), np.log(1 - p)))
        calibration = np.abs(np.bincount(((ranks(p) - 0.5) * 10 / rows).astype(int), p - label)).sum() / rows
    return 100 * np.mean(positive == (label == 1)), 100 * auc, loss, calibration


# ---- the rivals ----

class Rivals:
    """A set as the rivals see it. What is not of ranking.c is least squares on all columns and scikit-learn."""

    def __init__(self, library, columns, training, test):
        rows = training + test
        codes = np.array([[column.code(value) for column, value in zip(columns, row)] for row in rows], dtype=float)
        self.levels, ordered = np.array([(column.levels, column.is_ordered) for column in columns], dtype=np.int32).T.copy()
        self.first = np.concatenate([[0], np.cumsum(np.maximum(self.levels, 1))[:-1]]).astype(np.int32)
        self.bounds = np.array([column.bound for column in columns], dtype=float)
        self.training, self.groups = len(training), int((self.levels > 0).sum())
        self.label = np.array([row[-1] == '1' for row in rows], dtype=np.uint8)
        self.weights = int(np.maximum(self.levels, 1).sum())
        self.score = np.zeros(len(rows), dtype=np.float32)
        self.dense = np.zeros((len(rows), self.weights + 1))
        self.dense[:, -1] = 1
        for j, at in enumerate(self.first):
            is_number = self.levels[j] == 0
            self.dense[np.arange(len(rows)), at if is_number else at + codes[:, j].astype(int)] = codes[:, j] if is_number else 1
        self.numbers = self.first[self.levels == 0]
        self.squares = float((self.bounds ** 2).sum())
        self.shared = {}
        self.library = ctypes.CDLL(library)
        self.library.ranking_begin.restype = DOUBLE
        self.kept = [self.levels, ordered, self.bounds, self.first, np.ascontiguousarray(codes.T.astype(np.uint8)), np.zeros(1),
                     self.label, self.score, np.zeros_like(self.score), np.zeros_like(self.label)]
        self.sizes = [len(rows), self.training, len(columns), self.weights, self.groups]

    def shortened(self, share):
        """All columns, with numbers of a squared length of at most share times that of the bounds; products of the training
        rows; and the numbers for ranking.c."""
        if share not in self.shared:
            dense = self.dense.copy()
            length = np.sqrt((dense[:, self.numbers] ** 2).sum(axis=1))
            dense[:, self.numbers] *= np.minimum(1, math.sqrt(share * self.squares) / np.maximum(length, 1e-9))[:, None]
            own = dense[:self.training]
            self.shared[share] = (dense, own.T @ own, own.T @ (2.0 * self.label[:self.training] - 1),
                                  np.ascontiguousarray(dense[:, self.first].T.astype(np.float32)))
        return self.shared[share]

    def run(self, function, epsilon, replace, seed, setting):
        """Fills the scores. A setting begins with the share of the squares of the numbers' bounds."""
        share, *others = setting
        self.kept[5] = self.shortened(share)[3]
        what = SET(*self.sizes, share * self.squares, *[array.ctypes.data for array in self.kept])
        arguments = [DOUBLE(x) if isinstance(x, float) else ctypes.c_int(x) for x in others]
        mu = self.library.ranking_begin(ctypes.byref(what), DOUBLE(epsilon), DOUBLE(DELTA), int(replace), ctypes.c_uint64(seed))
        if hasattr(self, function):
            getattr(self, function)(mu, replace, seed, *setting)
        else:
            getattr(self.library, 'ranking_' + function)(*arguments)

    def adassp(self, mu, replace, seed, share, factor):
        """Wang 2018: least squares of labels -1 and 1 by noisy sums. The least eigenvalue takes no budget: it is 0 where
        a column has levels, and lambda has a factor."""
        draw = np.random.default_rng(seed)
        dense, products, sums, _ = self.shortened(share)
        squared, size, mu = self.groups + 1 + share * self.squares, self.weights + 1, mu * math.sqrt(0.5)
        sd = (math.sqrt(2) if replace else 1) * squared / mu
        noise = draw.normal(size=(size, size)) * sd
        noise = (np.tril(noise, -1) + np.tril(noise, -1).T) / math.sqrt(2) + np.diag(np.diag(noise))
        sums = sums + draw.normal(size=size) * (2 if replace else 1) * math.sqrt(squared) / mu
        self.score[:] = dense @ np.linalg.solve(products + noise + factor * math.sqrt(size) * sd * np.eye(size), sums)

    def base_rate(self, *_):
        share = self.label[:self.training].mean()
        self.score[:] = math.log(share / (1 - share))

    def scikit_learn(self, *_):
        columns = self.dense[:, :-1]  # it adds a constant itself
        model = LogisticRegression(max_iter=1000).fit(columns[:self.training], self.label[:self.training])
        self.score[:] = model.decision_function(columns)

    def lines(self, text, epsilon, replace):
        """For each figure the setting that is best on the test rows, which then has runs of its own."""
        for row, (function, settings, probabilities) in RIVALS.items():
            is_open = row in OPEN
            if text not in row or is_open and epsilon != EPSILONS[0] or self.squares > 0 and function in ('ebm', 'trees'):
                continue

            def runs_of(setting, count, function=function, probabilities=probabilities):
                found, began = [], time.monotonic()
                for run in range(count):
                    if run > 1 and time.monotonic() > began + SECONDS:
                        break
                    self.run(function, epsilon, replace, hash((setting, run, count, epsilon)) % 2 ** 63, setting)
                    score = self.score[self.training:].astype(float)
                    found.append(figures(self.label[self.training:], score > 0, score,
                                         1 / (1 + np.exp(-np.clip(score, -40, 40))) if probabilities else None))
                return np.array(found)

            settings = [setting for setting in settings if self.squares > 0 or setting[0] in (1, SHARES[0])]
            signs, (first, more, last) = [-1, -1, 1, 1], (1, 1, 1) if is_open else TRIES
            tried = np.nan_to_num([runs_of(s, first).mean(axis=0) for s in settings]) * signs
            near = sorted({*np.argsort(tried, axis=0)[:len(settings) // 12 + 1].flat})
            best = np.array(near)[np.argmin(np.nan_to_num([runs_of(settings[s], more).mean(axis=0) for s in near]) * signs, axis=0)]
            began = time.monotonic()
            final = {s: runs_of(settings[s], last) for s in set(best)}
            seconds = (time.monotonic() - began) / sum(map(len, final.values()))
            yield row, math.inf if is_open else epsilon, [final[s][:, f] for f, s in enumerate(best)], seconds, 0


class SET(ctypes.Structure):
    _fields_ = [('rows', ctypes.c_long), ('training', ctypes.c_long), ('columns', ctypes.c_int), ('weights', ctypes.c_int),
                ('groups', ctypes.c_int), ('squares', DOUBLE)] + [('array%d' % k, ctypes.c_void_p) for k in range(10)]


FULL, HALVED, SKEWED = range(3)  # clips, of ranking.c
SHARES = [1 / 3, 1 / 12]
DESCENTS = [[10, 30, 100], [2.0, 8.0, 32.0, 128.0], [0.5, 0.9]]  # rounds, rate, momentum
RIVALS = {  # function, settings, whether scores are logits
    'base rate, not private': ('base_rate', [(1,)], True),
    'logistic regression of scikit-learn, not private': ('scikit_learn', [(1,)], True),
    'DP-EBM': ('ebm', list(itertools.product([1], [FULL, HALVED, SKEWED], [40, 150], [1.0, 3.0, 10.0, 30.0])), True),
    'noisy descent': ('descent', list(itertools.product(SHARES, [0], [FULL, HALVED], *DESCENTS)), True),
    'noisy descent from noisy counts': ('descent', list(itertools.product(SHARES, [1], [HALVED, SKEWED], *DESCENTS)), True),
    'AdaSSP': ('adassp', list(itertools.product(SHARES, [0.1, 1.0, 10.0, 100.0])), False),
    'boosted random trees': ('trees', list(itertools.product([1], [HALVED, SKEWED], [3, 5], [50, 200], [3.0, 10.0, 40.0])), True),
}
OPEN = list(RIVALS)[:2]


# ---- dpobj ----

def psql(text):
    """A session that is asked all of text; its first line, which comes before it ends; and a function for the others."""
    process = subprocess.Popen(['psql', '-X', '-q', '-At', '-v', 'ON_ERROR_STOP=1'], text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write('SELECT pg_backend_pid();\n' + text)
    process.stdin.close()

    def rest():
        out, errors = process.stdout.read(), process.stderr.read()
        if process.wait() != 0:
            raise RuntimeError(errors.strip())
        return out
    return process, process.stdout.readline().strip(), rest


def answer(text):
    return psql(text)[2]()


def measured(text):
    """The seconds of the last statement, and the MiB of backend and solver, as bench/peak.sh measures them."""
    process, pid, rest = psql('\\timing on\n' + text)
    peak = 0
    while process.poll() is None:
        try:
            with open('/proc/%s/task/%s/children' % (pid, pid)) as file:
                status = ''.join(open('/proc/%s/status' % own).read() for own in [pid] + file.read().split())
            peak = max(peak, sum(int(part.split()[0]) for part in status.split('RssAnon:')[1:]))
        except OSError:
            pass  # it has just ended
        time.sleep(0.02)
    return float(rest().split('Time: ')[-1].split()[0]) / 1000, peak // 1024


def make_tables(columns, training, test, adjacency, encoders=None):
    if encoders is None:
        encoders = {column.name: column.encoder for column in columns}
    encoders = json.dumps(dict(encoders, positive={})).replace("'", "''")
    script = ['SET client_min_messages = error;', 'DROP TABLE IF EXISTS guarded, fresh, kept;', 'CREATE TABLE kept (model dp_model);']
    for name, rows in (('guarded', training), ('fresh', test)):
        script.append('CREATE TABLE %s (%s, positive boolean);' % (name, ', '.join(c.name + ' ' + c.kind for c in columns)))
        script += ['COPY %s FROM stdin;' % name] + ['\t'.join(row) for row in rows] + ['\\.', 'VACUUM ANALYZE %s;' % name]
    script += ["SELECT dpobj.protect('guarded', '%s', '%s', n => %d);" % (encoders, adjacency, len(training)),
               "SELECT dpobj.set_budget('guarded', 'postgres', 100000, 0.5);"]
    answer('\n'.join(script))


def suggested(columns, training):
    """The columns with bins by dpobj.suggest, at an epsilon that is not counted: once for rivals and dpobj."""
    ranges = {column.name: column.encoder['range'] for column in columns}
    make_tables(columns, training, [], 'replace', {})
    bins = json.loads(answer("SELECT dpobj.suggest('guarded', %d, '%s')" % (SUGGESTION_EPSILON, json.dumps(ranges))).splitlines()[-1])
    return [ranking_sets.Column(column.name, column.kind, bins[column.name]) for column in columns]


def rate_model():
    """The figures of the model that is kept, on the test rows."""
    text = """COPY (SELECT positive::int, dpobj.predict(k.model, f)::int, dpobj.score(k.model, f), %s
                      FROM kept k, fresh f) TO STDOUT (DELIMITER ' ', NULL 'nan')"""
    try:
        out = answer(text % 'dpobj.predict_proba(k.model, f)')
    except RuntimeError:  # it has none
        out = answer(text % 'NULL')
    label, predicted, score, probability = np.array(out.split(), dtype=float).reshape(-1, 4).T
    return figures(label, predicted == 1, score, None if np.isnan(probability).any() else probability)


def dpobj_lines(text, epsilon):
    for row, arguments in OURS.items():
        if text not in row:
            continue
        arguments = "'guarded', label => 'positive', epsilon => %g, delta => %g%s" % (epsilon, DELTA, arguments)
        found, seconds, peak = [], 0, 0
        try:
            answer('SELECT dpobj.price(%s)' % arguments)
            for _ in range(RUNS):
                once, memory = measured("SET client_min_messages = error; SET statement_timeout = '%ds'; TRUNCATE kept;\n"
                                        "INSERT INTO kept SELECT dpobj.train(%s)" % (LIMIT, arguments))
                found.append(rate_model())
                seconds, peak = max(seconds, once), max(peak, memory)
        except RuntimeError as error:
            if 'option "mechanism"' in str(error):
                continue  # not in this dpobj
            print('%s at epsilon %g: %s' % (row, epsilon, error), file=sys.stderr)
            found = []
        yield row, epsilon, np.array(found).T if found else [[]] * 4, seconds, peak


# ---- the page ----

def line_of(name, adjacency, row, epsilon, columns, seconds, peak):
    runs = len(columns[0])
    means = [statistics.fmean(column) if runs else NAN for column in columns]
    sds = [statistics.stdev(column) if runs > 1 else 0 for column in columns[:2]]
    return '\t'.join([name, adjacency, row, '%g' % epsilon, '%d' % runs] + ['%.3f' % x for x in means[:2]] +
                     ['%.4f' % x for x in means[2:]] + ['%.3f' % x for x in sds] +
                     ['%.3f' % seconds, '%d' % peak, datetime.date.today().isoformat()])


class Cell:
    def __init__(self, line):
        fields = line.split('\t')
        self.runs = int(fields[4])
        self.accuracy, self.auc, self.loss, self.calibration, *sds, self.seconds, self.memory = map(float, fields[5:13])
        self.accuracy_error, self.auc_error = [sd / math.sqrt(max(self.runs, 1)) for sd in sds]

    def text(self):
        if self.runs == 0:
            return 'refused or late'
        loss = '' if math.isnan(self.loss) else ', %.3f, %.3f' % (self.loss, self.calibration)
        return ('**%.1f**±%.1f, %.1f±%.1f%s' % (self.auc, self.auc_error, self.accuracy, self.accuracy_error, loss)).replace('±0.0', '')


def read_lines():
    if not os.path.exists(RESULTS):
        return {}
    with open(RESULTS) as file:
        return {tuple(line.split('\t')[:4]): line.rstrip('\n') for line in file}


def compared(cells, row):
    """How a row stands beside the best private rival of each cell: sentences, and the cells that are too far behind."""
    behind, ahead, far, count = [], [0, 0], 0, 0
    for (name, adjacency, own, epsilon), cell in cells.items():
        rivals = [cells[key] for key in cells if key[2] in RIVALS and key[:2] + key[3:] == (name, adjacency, epsilon)]
        if own != row or not rivals:
            continue
        count += 1
        auc, accuracy = max(rivals, key=lambda c: c.auc), max(rivals, key=lambda c: c.accuracy)
        gaps = (cell.auc - auc.auc, cell.accuracy - accuracy.accuracy) if cell.runs else (-NAN, -NAN)
        noise = math.hypot(cell.auc_error, auc.auc_error), math.hypot(cell.accuracy_error, accuracy.accuracy_error)
        ahead = [n + (gap > 0) for n, gap in zip(ahead, gaps)]
        if not (gaps[0] >= -AUC_BEHIND and gaps[1] >= -ACCURACY_BEHIND):
            far += not (gaps[0] >= -AUC_BEHIND - 2 * noise[0] and gaps[1] >= -ACCURACY_BEHIND - 2 * noise[1])
            behind.append('%s, %s, epsilon %s: ' % (name, adjacency, epsilon) +
                          ('AUC %+.2f, accuracy %+.2f' % gaps if cell.runs else 'refused or late'))
    return ('%s is more than %g AUC or %g points of accuracy behind the best private rival in %d of %d cells, in %d of them by two '
            'standard errors more; it is ahead in AUC in %d, in accuracy in %d.' %
            (row, AUC_BEHIND, ACCURACY_BEHIND, len(behind), count, far, *ahead)), behind


def write_page(lines):
    cells = {key: Cell(line) for key, line in lines.items()}
    dates = sorted({line.split('\t')[-1] for line in lines.values()})
    out = ["""# Ranking and probabilities: all figures

Made by `bench/ranking.sh` from [ranking.tsv](ranking.tsv), measured from %s to %s. Models are trained on three quarters of the rows
(adult: the first file) and rated on the others. A cell has AUC and accuracy in percent with the standard errors of the noise, log loss,
and calibration error (the mean distance of probabilities and labels in ten groups of equal size). delta is 1e-6. A model without
probabilities has neither of the last two. `bench/ranking_sets.py` has the sets and how their columns are declared.

`dpobj.train` is called at the analyst's door with defaults but delta, and `force`: it holds a fifth of the rows out for the rating of the
model. "No rating" learns from all rows (`"rate": 0`), as the rivals do. **The rivals' settings were chosen on the test rows**, for each
figure the best, which nobody can do privately; `bench/ranking.py` lists the settings. They see the same bins and levels. DP-EBM and
trees take no numbers. A rival that is named "from noisy counts" begins at a noisy base rate and divides steps by noisy counts of bins. All
have normal noise in floating point. The bins of a set whose name ends in "-suggested" were declared by `dpobj.suggest` at epsilon %d, which is not
counted, once for all. Seconds, of the longest call for dpobj and the mean of a run for rivals, are of a busy machine.
""" % (dates[0], dates[-1], SUGGESTION_EPSILON)]
    for name, adjacency in sorted({key[:2] for key in lines}, key=lambda pair: (pair[1] != 'replace', ranking_sets.NAMES.index(pair[0]))):
        if adjacency == 'any':
            continue
        out.append('## %s, %s\n' % (name, adjacency))
        found = [(row, cells[name, 'any', row, 'inf']) for row in OPEN if (name, 'any', row, 'inf') in cells]
        out += ['- %s: %s; %.1f s' % (row, cell.text(), cell.seconds) for row, cell in found] + ['']
        out += ['| row | ' + ' | '.join('%g' % e for e in EPSILONS) + ' | s, MiB |', '|---' * (len(EPSILONS) + 2) + '|']
        for row in list(OURS) + list(RIVALS):
            found = [cells.get((name, adjacency, row, '%g' % e)) for e in EPSILONS]
            if any(found):
                out.append('| %s | %s | %.1f, %d |' % (row, ' | '.join(cell.text() if cell else '-' for cell in found), max(
                    cell.seconds for cell in found if cell), max(cell.memory for cell in found if cell)))
        out.append('')
    out.append('## Beside the best private rival\n')
    for row in OURS:
        sentence, behind = compared(cells, row)
        if any(key[2] == row for key in cells):
            print(sentence)
            out += [sentence, ''] + ['- ' + text for text in behind] + ([''] if behind else [])
    with open(RESULTS.replace('.tsv', '.md'), 'w') as file:
        file.write('\n'.join(out).rstrip('\n') + '\n')


def main(folder, what, names='all', text='', epsilon='', asked=''):
    names = ranking_sets.NAMES if names == 'all' else names.split(',')
    for name, adjacency in itertools.product(names if what != 'draw' else [], ['replace', 'add_remove']):
        if asked not in ('', adjacency):
            continue
        try:
            parts = ranking_sets.read(os.environ['DPOBJ_DATA'], name, folder)
        except FileNotFoundError as error:
            print('%s is skipped: there is no %s' % (name, error.filename), file=sys.stderr)
            continue
        if name.endswith(ranking_sets.SUGGESTED):
            if what == 'rivals':
                print('%s is skipped: its declaration takes a server' % name, file=sys.stderr)
                continue
            parts = (suggested(*parts[:2]), *parts[1:])
        found, lines = [], {}
        if what != 'dpobj':
            rivals = Rivals(os.path.join(folder, 'ranking.so'), *parts)
            found.append(lambda e: rivals.lines(text, e, adjacency == 'replace'))
        if what != 'rivals':
            make_tables(*parts, adjacency)
            found.append(lambda e: dpobj_lines(text, e))
        for e, source in itertools.product([float(epsilon)] if epsilon else EPSILONS, found):
            for row, at, *measured in source(e):
                line = line_of(name, 'any' if row in OPEN else adjacency, row, at, *measured)
                print(line, flush=True)
                lines[tuple(line.split('\t')[:4])] = line
        lines = {**read_lines(), **lines}
        with open(RESULTS, 'w') as file:
            file.write(''.join(lines[key] + '\n' for key in sorted(lines)))
    write_page(read_lines())


if __name__ == '__main__':
    main(*sys.argv[1:])
