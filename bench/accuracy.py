#!/usr/bin/env python3
"""The tables of bench/accuracy: accuracy.py [NEW_LINES]

Puts new lines in the place of those with the same set, row and epsilon in results/accuracy.tsv, with
today's date, then writes results/accuracy.md. A line of accuracy.tsv has, separated by tabs:

  set  family  row  epsilon  runs  mean  sd  seconds of a run  MiB  date

accuracy.py --rule fits the thresholds of rule U13 (docs/proofs/utility.md) on all sets but one, for each set.

accuracy.py --check GOALS prints by how much the default's rows miss the goals of
accuracy_goals.tsv and the tuned peers, and fails if they miss more than may be. Nothing but Python's
own library is used.
"""
import datetime
import math
import os
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'results', 'accuracy.tsv')
PAGE = RESULTS.replace('.tsv', '.md')
EPSILONS = [0.1, 0.3, 0.5, 1, 2, 5, 10]
PANEL = {
    'adult23': "adult23: the papers' 15,682 rows of UCI Adult, 20 indicators in 4 groups and 3 numbers",
    'cont15': 'cont15: 10,000 generated rows of 15 numbers',
    'cont20sep': 'cont20sep: 10,000 generated rows of 20 numbers, well separated',
    'onehot30': 'onehot30: 10,000 generated rows, six one-hot groups of five',
    'mixed30': 'mixed30: 10,000 generated rows, three one-hot groups of five and 15 numbers',
    'sparse40': 'sparse40: 10,000 generated rows of 40 ungrouped indicators',
    'magic': 'magic: 19,020 rows of the UCI MAGIC telescope, 11 numbers of which one is constant',
    'german': 'german: 1,000 rows of UCI German credit, 54 indicators in 13 groups and 7 numbers',
    'full': 'full: 32,561 rows of UCI Adult, 111 indicators in 11 groups',
}
OTHERS = {
    'few': 'few: four columns of the rows of adult23: married, education, gain, hours',
    'two': 'two: 200,000 generated rows, an indicator and a number',
}
TARGETS = {
    'shares': "adult23's 23 columns, the label 0 or 1 as the target; 15,682 rows",
    'forecasts': 'Generated: eight forecasts of a number between 0 and 1; 100,000 rows',
}
LINES = {
    'hours': "adult23's hours by its other 22 columns; 15,682 rows",
    'ages': 'The ages of UCI Adult by 56 columns; 32,561 rows',
    'beam': "magic's second number by the other nine; 19,020 rows",
    'slopes': 'A generated target by the 30 columns of mixed30; 10,000 rows',
}
CLASSES = {
    'marriage': 'marriage: marital status of UCI Adult in three classes, by 24 columns; 32,561 rows',
    'school': 'school: education of UCI Adult in three classes, by 28 columns; 32,561 rows',
    'three': 'three: three classes of a softmax model, by 15 generated numbers; 10,000 rows',
    'five': 'five: five classes of a softmax model, by a group of five and 11 numbers; 20,000 rows',
}
DESCENT = 'noisy gradient descent, tuned'
NAN = float('nan')

# What stands in the place of the number of runs.
RUNS_WORDS = {'refused': -1, 'late': -2}
REFUSED, LATE = -1, -2

# Rows of the default, and of peers under the same adjacency and their allowance.
DEFAULTS = ['dp_classifier', 'dp_classifier through SQL', 'dpobj.train through SQL']
# The same calls on equal terms with the peers, which have no intercept.
EQUAL = [row + ', no intercept' for row in DEFAULTS[1:]]
PEERS = ['CMS11, tuned on the data', 'noisy gradient descent, tuned on the data']
EASIER_PEER = 'noisy gradient descent, tuned on the data, add_remove'
OPEN = 'logistic regression, not private'
PEERS_ALLOWANCE = 0.3
PEERS_SHARE = 0.9
SQUARES_ALLOWANCE = 1.02 ** 2  # of squared errors: 2 % of their root

# What a default call may take through SQL, but on sets with more than 60 columns or 20,000 rows.
SECONDS = 15
MEMORY = 512
LARGE = ('german', 'full')


# ---- what was measured ----

def read(path, today):
    """The cells of a file; lines that have just been measured have no date yet."""
    cells = {}
    with open(path) as file:
        for line in file:
            fields = line.rstrip('\n').split('\t')
            fields += ['0', today][len(fields) - 8:] if len(fields) < 10 else []
            name, family, row, epsilon, runs, mean, sd, seconds, memory, date = fields
            cells[name, row, float(epsilon)] = (
                family, RUNS_WORDS[runs] if runs in RUNS_WORDS else int(runs), float(mean), float(sd),
                float(seconds), int(memory), date)
    return cells


def write_cells(path, cells):
    words = {number: word for word, number in RUNS_WORDS.items()}
    with open(path, 'w') as file:
        for (name, row, epsilon), (family, runs, mean, sd, seconds, memory, date) in cells.items():
            file.write('%s\t%s\t%s\t%g\t%s\t%.3f\t%.3f\t%.3f\t%d\t%s\n' %
                       (name, family, row, epsilon, words.get(runs, runs), mean, sd, seconds, memory, date))


def rows_of(cells, name):
    rows = {}
    for (place, row, _), cell in cells.items():
        if place == name:
            rows.setdefault(row, cell[0])
    return rows


def mean_of(cells, name, row, epsilon):
    cell = cells.get((name, row, epsilon))
    return cell[2] if cell and cell[1] >= 0 else None


def error_of(cell):
    """The standard error of a mean; 0 where nothing was drawn."""
    _, runs, _, sd = cell[:4]
    return sd / math.sqrt(runs) if runs > 0 and not math.isnan(sd) else 0


def best_peer(cells, name, epsilon):
    means = [mean_of(cells, name, row, epsilon) for row in PEERS]
    return max((mean for mean in means if mean is not None), default=None)


# ---- the page ----

def table(out, head, rows):
    out.append('| ' + ' | '.join(head) + ' |')
    out.append('|' + '---|' * len(head))
    out.extend('| ' + ' | '.join(row) + ' |' for row in rows)
    out.append('')


def cell_text(cell):
    if cell is None:
        return '-'
    _, runs, mean, sd, seconds = cell[:5]
    if runs == REFUSED:
        return 'refused: %.3g of %.3g' % (mean, sd)
    if runs == LATE:
        return 'over %.0f s' % seconds
    return '%.2f' % mean + ('±%.2f' % error_of(cell) if runs > 0 else '')


def row_texts(cells, name, row):
    return [cell_text(cells.get((name, row, epsilon))) for epsilon in EPSILONS]


def dates_text(cells, is_in):
    dates = sorted({cell[6] for key, cell in cells.items() if is_in(key, cell)})
    return 'on ' + dates[0] if len(dates) == 1 else 'from %s to %s' % (dates[0], dates[-1]) if dates else 'never'


def panel_table(out, cells):
    rows = []
    for name in PANEL:
        measured = rows_of(cells, name)
        open_cell = cells.get((name, OPEN, math.inf))
        head = '%s (%s)' % (name, cell_text(open_cell))
        for row in DEFAULTS + EQUAL + PEERS + [EASIER_PEER]:
            if row in measured:
                title = '**%s**' % row if row in DEFAULTS + EQUAL else row
                rows.append([head, title] + row_texts(cells, name, row))
                head = ''
    table(out, ['set (without privacy)', 'row'] + ['%g' % e for e in EPSILONS], rows)


def peers_sentences(cells):
    """How the default's rows stand beside the better tuned peer."""
    sentences = []
    for row in DEFAULTS + EQUAL:
        gaps = []
        for name in PANEL:
            for epsilon in EPSILONS:
                cell = cells.get((name, row, epsilon))
                peer = best_peer(cells, name, epsilon)
                if cell is not None and peer is not None:
                    gaps.append((-math.inf if cell[1] < 0 else cell[2] - peer, name, epsilon))
        if not gaps:
            continue
        late = sum(gap == -math.inf for gap, _, _ in gaps)
        worst = min(gap for gap in gaps if gap[0] > -math.inf)
        sentences.append('`%s` is above the better of the two peers under replace in %d of %d cells, and not more than '
                         '%g points below it in %d; at worst it is %.2f points below, on %s at epsilon %g%s.' %
                         (row, sum(gap > 0 for gap, _, _ in gaps), len(gaps), PEERS_ALLOWANCE,
                          sum(gap >= -PEERS_ALLOWANCE for gap, _, _ in gaps), -worst[0], worst[1], worst[2],
                          '; in %d cells it did not end in time' % late if late else ''))
    return sentences


def sql_table(out, cells):
    rows = []
    for name in PANEL:
        row = [name]
        for door in DEFAULTS[1:]:
            found = [cells[name, door, epsilon] for epsilon in EPSILONS if (name, door, epsilon) in cells]
            row += ['%s%.1f' % ('over ' if any(cell[1] == LATE for cell in found) else '',
                                max(cell[4] for cell in found)),
                    '%d' % max(cell[5] for cell in found)] if found else ['-', '-']
        rows.append(row)
    table(out, ['set', 'dp_classifier, s', 'MiB', 'dpobj.train, s', 'MiB'], rows)


def set_table(out, cells, name):
    rows = []
    order = {'automatic': 0, 'halfspace': 1, 'convex': 2, 'add_remove': 3}
    for row, family in sorted(rows_of(cells, name).items(), key=lambda item: order.get(item[1], 9)):
        if family in order:
            rows.append(['**%s**' % row if family == 'automatic' else row] + row_texts(cells, name, row))
    out.append('Measured %s.\n' % dates_text(cells, lambda key, cell: key[0] == name and cell[0] in order))
    table(out, ['epsilon'] + ['%g' % e for e in EPSILONS], rows)


def squares_table(out, cells, name):
    def line(title, text):
        rows.append([title] + [text(epsilon) for epsilon in EPSILONS])

    def above(row, beside, epsilon):
        return '%+.2f' % (mean_of(cells, name, row, epsilon) - mean_of(cells, name, beside, epsilon))

    rows = []
    least, vertex = 'least on the simplex, not private', 'best single feature, not private'
    for row in ('dp_simplex', 'dp_simplex, delta 0'):
        if any(mean_of(cells, name, row, epsilon) is None for epsilon in EPSILONS):
            continue
        line('**%s**' % row, lambda epsilon: cell_text(cells[name, row, epsilon]))
        line('above the least error', lambda epsilon: above(row, least, epsilon))
        line('above it in the mean, as promised', lambda epsilon: above(row + ', promised mean', least, epsilon))
        line('above the best single feature', lambda epsilon: above(row, vertex, epsilon))
    if not rows:
        return
    out.append('%s. Without privacy: the least error on the simplex %.2f, the best single feature %.2f, equal shares %.2f.\n' %
               ((TARGETS[name],) + tuple(mean_of(cells, name, row, EPSILONS[0])
                                         for row in (least, vertex, 'equal shares'))))
    table(out, ['epsilon'] + ['%g' % e for e in EPSILONS], rows)


def descent_table(out, cells, names, aggregates, not_private):
    rows = []
    for name in names:
        for row in aggregates + [DESCENT]:
            rows.append(['%s (%.2f)' % (name, mean_of(cells, name, not_private, EPSILONS[0])) if row == aggregates[0] else '',
                         '**%s**' % row if row.startswith('dp') else row] + row_texts(cells, name, row))
    table(out, ['set (without privacy)', 'row'] + ['%g' % e for e in EPSILONS], rows)


def regret_table(out, cells):
    rows = []
    for row in ('dp_ftrl', 'dp_ftrl, delta 0'):
        if any(('experts', row, epsilon) not in cells for epsilon in EPSILONS):
            continue
        rows.append(['**%s**' % row] + [cell_text(cells['experts', row, epsilon]) for epsilon in EPSILONS])
        rows.append(['in the mean, as promised'] +
                    ['%.2f' % mean_of(cells, 'experts', row + ', promised mean', epsilon) for epsilon in EPSILONS])
    table(out, ['epsilon'] + ['%g' % e for e in EPSILONS], rows)


def page(cells):
    out = ["""# Accuracy: all figures

Made by `bench/accuracy.sh` from [accuracy.tsv](accuracy.tsv), which also has the number of runs, the standard deviation and the day;
[docs/accuracy.md](../../docs/accuracy.md) says what follows from it. Training accuracies are in percent, as mean±standard error of the
mean; cells without ± need no draw. A row is predicted positive if and only if its score is greater than 0. `bench/accuracy_sets.py`
describes the sets. Adjacency is replace unless a row says add_remove, which is the easier notion. delta is 1 / n^2 for Gaussian noise,
and 0 otherwise. A cell has at least 20 runs, or fewer where they take long or go through SQL; - is not measured.

## The panel

`dp_classifier` is called with the public declarations (the number of rows, groups, numeric columns, clip bounds), without an
intercept, and with no other option. The rows "through SQL" are such calls at both doors, which have an intercept by default. **No
peer has an intercept**, and no set here needs one: the rows "no intercept" say `"intercept": false`, so that they are on equal terms
with the peers. `dpobj.train` says `"coverage_epsilon": 0, "rate": 0, "objective": "accuracy"`: the model gets all of
epsilon and all rows, and is for few mistakes.

The other rows are peers, for comparison: **their settings were chosen on the very data**, which nobody can do privately.
`bench/accuracy_peers.c` runs them: CMS11 is objective perturbation (Chaudhuri, Monteleoni and Sarwate 2011), pure, with 27 pairs
of clip and lambda; noisy gradient descent has 96 settings of clip, rounds, step and momentum, each with the last weights and with
the mean of the last half. Each setting had 3 runs, the best sixth 9 more; the best has 30 runs of its own in the table.
"""]
    panel_table(out, cells)
    out.append('\n'.join('- ' + sentence for sentence in peers_sentences(cells)))
    out.append('- Measured: `dp_classifier` %s, through SQL %s, peers %s.\n' % (
        dates_text(cells, lambda key, cell: key[0] in PANEL and key[1] == DEFAULTS[0]),
        dates_text(cells, lambda key, cell: cell[0] == 'sql'),
        dates_text(cells, lambda key, cell: cell[0] == 'peer')))
    out.append("""### Seconds and memory through SQL

The longest of all default calls at all epsilons, with reading, charge and ledger, and the largest private memory of backend and
solver together (`bench/accuracy.sh --sql`).
""")
    sql_table(out, cells)
    out.append("""## Each mechanism

In a cell that says over so many seconds, a run took longer and was ended. Rows marked unproven are not private as they claim. In a cell that
says refused, the mechanism promises nothing and releases nothing (theorem O4). The first number is its bound on the mean loss of a
row above the least, the second that of weights of 0.
""")
    for name, title in list(PANEL.items()) + list(OTHERS.items()):
        out.append('### %s\n' % title)
        set_table(out, cells, name)
        if name == 'two':
            out.append("""OPSamp is for very few weights and many rows, and even here `objective` is better. Its weights are in a cube, here between -1 and
1, while the labels were drawn with 3 and -1.5: a better approximation of the cube's best vector, (-1, 1), makes more mistakes.
""")
    out.append("""## Several classes

`dp_softmax` and `dp_one_vs_rest` predict one of several classes. The table has the rows in percent whose class is predicted.
`dp_softmax` takes mechanism `sgd` or `objective`, whichever rule D7 says; its settings were found on these four sets. One-vs-rest
draws a halfspace for each class from the default grid, with no delta. Each has few mistakes of its own, where "never this class"
may be the best answer, and their scores have no common scale: so more epsilon need not help. The descent adds normal noise to sums
of clipped gradients of the softmax loss; for each cell the best of 27 numbers of steps, clips and step lengths is taken with the
rows in view, and choosing it is not charged.
""")
    out += ['- ' + text for text in CLASSES.values()] + ['']
    descent_table(out, cells, CLASSES, ['dp_softmax', 'dp_softmax, delta 0', 'dp_one_vs_rest'], 'softmax regression, not private')
    out.append("""## Squared errors

`dp_simplex` predicts a number. The tables have the mean over the rows of (score - target)^2 in thousandths. The promise is the
bound of `dpobj.price_aggregate` on the mean, whatever the rows are.
""")
    for name in TARGETS:
        squares_table(out, cells, name)
    out.append("""`dp_linear` predicts a number in its own units; here targets are between -1 and 1, and so are clipped predictions. The descent
adds normal noise to sums of clipped gradients; for each cell the best of 45 numbers of steps, clips and step lengths is taken with
the rows in view, and choosing it is not charged. The noise of least width needs no delta on these sets.
""")
    out += ['- %s: %s' % line for line in LINES.items()] + ['']
    descent_table(out, cells, LINES, ['dp_linear', 'dp_linear, delta 0'], 'least squares, not private')
    out.append("""## Regret

`dp_ftrl` learns while it answers. The rows of adult23 come one by one, in an order drawn once. Each of the 23 columns is a choice
that predicts the label, and costs 1 if it is wrong. The table has 100 times the regret over the 15,682 steps, that is, the points
of accuracy lost against the best single column. The promise is the bound of `dpobj.price_aggregate` on the mean.
""")
    regret_table(out, cells)
    return '\n'.join(out).rstrip('\n') + '\n'


def write_page(*added):
    today = datetime.date.today().isoformat()
    cells = read(RESULTS, today)
    for new in added:
        cells.update(read(new, today))
    write_cells(RESULTS, cells)
    with open(PAGE, 'w') as file:
        file.write(page(cells))
    return 0


# ---- the goals ----

def read_goals(path):
    with open(path) as file:
        for line in file:
            if not line.startswith('#'):
                name, epsilon, figure, allowance, source = line.rstrip('\n').split('\t')
                yield name, float(epsilon), float(figure) - float(allowance), source


def peer_goals(cells):
    for name in PANEL:
        for epsilon in EPSILONS:
            peer = best_peer(cells, name, epsilon)
            if peer is not None:
                yield name, epsilon, peer - PEERS_ALLOWANCE, 'tuned peer'


def misses(cells, row, goals):
    """(cells measured, a sentence for each that misses its goal)"""
    measured, missed = 0, []
    for name, epsilon, goal, source in goals:
        cell = cells.get((name, row, epsilon))
        if cell is None:
            continue
        measured += 1
        if cell[1] < 0 or cell[2] < goal:
            missed.append('%-10s %4g  %s, and must reach %.2f (%s)' % (name, epsilon, cell_text(cell), goal, source))
    return measured, missed


def descent_misses(cells):
    """(cells measured, a sentence for each that is worse than the tuned descent by more than may be)"""
    measured, missed = 0, []
    for names, row in ((CLASSES, 'dp_softmax'), (LINES, 'dp_linear')):
        for name in names:
            for epsilon in EPSILONS:
                mean, descent = (mean_of(cells, name, which, epsilon) for which in (row, DESCENT))
                if mean is None or descent is None:
                    continue
                measured += 1
                if mean < descent - PEERS_ALLOWANCE if names is CLASSES else mean > descent * SQUARES_ALLOWANCE:
                    missed.append('%-10s %4g  %s: %.2f, and the tuned descent has %.2f' % (name, epsilon, row, mean, descent))
    return measured, missed


def long_calls(cells, row):
    return ['%-10s %4g  %.1f s, %d MiB' % (name, epsilon, cell[4], cell[5])
            for (name, place, epsilon), cell in cells.items()
            if place == row and cell[0] == 'sql' and name not in LARGE and (cell[4] > SECONDS or cell[5] > MEMORY)]


def check(goals):
    cells = read(RESULTS, '')
    kept = True
    for row in DEFAULTS + EQUAL:
        measured, missed = misses(cells, row, read_goals(goals))
        compared, behind = misses(cells, row, peer_goals(cells))
        long = long_calls(cells, row)
        print('%s: misses %d of %d goals and %d of %d peers; %d calls are too long or large' %
              (row, len(missed), measured, len(behind), compared, len(long)))
        print('\n'.join(missed + behind + long))
        kept = kept and measured > 0 and not missed and not long and len(behind) <= (1 - PEERS_SHARE) * compared
    compared, behind = descent_misses(cells)
    print('dp_softmax and dp_linear: behind the tuned descent in %d of %d cells' % (len(behind), compared))
    print('\n'.join(behind))
    return 0 if kept and len(behind) <= (1 - PEERS_SHARE) * compared else 1


# ---- the thresholds of rule U13 ----

# Rows and columns of the sets whose choice they decide; those that have a dense grid; and where its noise rules out
# the centre.
SHAPES = {'cont15': (10000, 15), 'cont20sep': (10000, 20), 'onehot30': (10000, 30), 'mixed30': (10000, 30),
          'sparse40': (10000, 40), 'magic': (19020, 11), 'german': (1000, 61), 'full': (32561, 111)}
GRIDS = ('magic',)
NOISY = [('german', 0.1), ('german', 0.3), ('german', 0.5)]
CENTRE, POOL, HALFSPACE = 'clipped logistic, objective', 'pool', 'dp_halfspace'
EVIDENCES = list(range(100, 1050, 50)) + [1200, 1500, 2000]
EXCESSES = list(range(8, 42, 2)) + [math.inf]


class Choice:
    """A set and an epsilon: what the two numbers of the rule are, and the accuracy with and without a pool."""

    def __init__(self, cells, name, epsilon):
        rows, columns = SHAPES[name]
        other = HALFSPACE if name in GRIDS or (name, epsilon) in NOISY else CENTRE
        self.name = name
        self.evidence = rows * epsilon / columns
        self.excess = self.evidence * math.sqrt(columns / rows)
        self.pool = mean_of(cells, name, POOL, epsilon)
        self.other = mean_of(cells, name, other, epsilon)

    def accuracy(self, thresholds):
        return self.pool if self.evidence >= thresholds[0] or self.excess >= thresholds[1] else self.other

    def best(self):
        return max(self.pool, self.other)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def fitted(choices):
    """The thresholds of the highest mean accuracy; of equal ones the middle."""
    grid = [(evidence, excess) for evidence in EVIDENCES for excess in EXCESSES]
    sums = [mean(choice.accuracy(thresholds) for choice in choices) for thresholds in grid]
    best = [thresholds for thresholds, value in zip(grid, sums) if value > max(sums) - 1e-9]
    return best[len(best) // 2]


def rule():
    cells = read(RESULTS, '')
    choices = [Choice(cells, name, epsilon) for name in SHAPES for epsilon in EPSILONS]
    choices = [choice for choice in choices if choice.pool is not None and choice.other is not None]
    all_sets = fitted(choices)
    print('all sets: q %g, q sqrt(d / n) %g' % all_sets)
    for name in SHAPES:
        left = [choice for choice in choices if choice.name == name]
        if not left:
            continue
        thresholds = fitted([choice for choice in choices if choice.name != name])
        print('| %s | %g, %g | %.2f | %.2f | %.2f |' % (
            (name,) + thresholds + (mean(c.accuracy(thresholds) for c in left), mean(c.accuracy(all_sets) for c in left),
                                    mean(c.best() for c in left))))
    return 0


if __name__ == '__main__':
    modes = {'--check': check, '--rule': rule}
    sys.exit(modes[sys.argv[1]](*sys.argv[2:]) if sys.argv[1] in modes else write_page(*sys.argv[1:]))
