"""The sets of bench/ranking: raw tables with a declaration by hand, and the panel of accuracy_sets.py.

Nobody looked at labels to declare the tables: bins are round numbers, levels are all that a column has.
dpobj and its rivals see the same declaration. An empty number, of telco, is 0. A quarter of the rows, drawn once, is for the test; of
adult it is the second file.
"""
import bisect
import csv
import os
import random

import accuracy_sets

YES = ['No', 'Yes']
FLAG = ['0', '1']
SERVICE = ['No', 'Yes', 'No internet service']
TABLES = {  # name: separator, label, its positive values, columns: levels, or a tuple of bounds of bins
    'stroke': (',', 'stroke', ['1'], {
        'gender': ['Female', 'Male'], 'age': (10, 20, 30, 40, 50, 60, 70, 80), 'hypertension': FLAG, 'heart_disease': FLAG,
        'ever_married': FLAG, 'work_type': ['Govt_job', 'Never_worked', 'Private', 'Self-employed', 'children'],
        'Residence_type': ['Rural', 'Urban'], 'avg_glucose_level': (70, 85, 100, 125, 160, 200), 'bmi': (18.5, 25, 30, 35, 40),
        'smoking_status': ['Unknown', 'formerly smoked', 'never smoked', 'smokes']}),
    'telco': (',', 'Churn', ['Yes'], {
        'gender': ['Female', 'Male'], 'SeniorCitizen': FLAG, 'Partner': YES, 'Dependents': YES, 'tenure': (1, 3, 6, 12, 24, 36, 48, 60),
        'PhoneService': YES, 'MultipleLines': ['No', 'Yes', 'No phone service'], 'InternetService': ['No', 'DSL', 'Fiber optic'],
        'OnlineSecurity': SERVICE, 'OnlineBackup': SERVICE, 'DeviceProtection': SERVICE, 'TechSupport': SERVICE,
        'StreamingTV': SERVICE, 'StreamingMovies': SERVICE, 'Contract': ['Month-to-month', 'One year', 'Two year'],
        'PaperlessBilling': YES, 'MonthlyCharges': (25, 40, 55, 70, 85, 100), 'TotalCharges': (100, 300, 1000, 2000, 4000, 6000),
        'PaymentMethod': ['Bank transfer (automatic)', 'Credit card (automatic)', 'Electronic check', 'Mailed check']}),
    'shop': (';', 'Revenue', ['TRUE'], {
        'Administrative': (1, 2, 4, 8), 'Administrative_Duration': (1, 30, 120, 300), 'Informational': (1, 2, 4),
        'Informational_Duration': (1, 60, 240), 'ProductRelated': (5, 10, 20, 40, 80, 160),
        'ProductRelated_Duration': (60, 300, 600, 1200, 2400, 4800), 'BounceRates': (0.001, 0.01, 0.02, 0.05, 0.1),
        'ExitRates': (0.01, 0.02, 0.03, 0.05, 0.1), 'PageValues': (0.1, 5, 10, 20, 40), 'SpecialDay': (0.1,),
        'Month': ['Feb', 'Mar', 'May', 'June', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
        'OperatingSystems': [str(k) for k in range(1, 9)], 'Browser': [str(k) for k in range(1, 14)],
        'Region': [str(k) for k in range(1, 10)], 'TrafficType': [str(k) for k in range(1, 21)],
        'VisitorType': ['New_Visitor', 'Returning_Visitor', 'Other'], 'Weekend': ['FALSE', 'TRUE']}),
    'wine': (';', 'quality', ['7', '8', '9'], {
        'fixed acidity': (5.5, 6, 6.5, 7, 7.5, 8, 9), 'volatile acidity': (0.15, 0.2, 0.25, 0.3, 0.4, 0.5),
        'citric acid': (0.2, 0.25, 0.3, 0.35, 0.4, 0.5), 'residual sugar': (1.5, 2, 4, 6, 9, 12, 16),
        'chlorides': (0.03, 0.035, 0.04, 0.045, 0.05, 0.06), 'free sulfur dioxide': (10, 20, 30, 40, 50, 60),
        'total sulfur dioxide': (80, 100, 120, 140, 160, 180, 200), 'density': (0.99, 0.991, 0.992, 0.993, 0.994, 0.996, 0.998),
        'pH': (3, 3.1, 3.2, 3.3, 3.4), 'sulphates': (0.35, 0.4, 0.5, 0.6, 0.7), 'alcohol': (9, 9.5, 10, 10.5, 11, 11.5, 12, 13)}),
}
ADULT = {  # but for fnlwgt, a weight, and education-num, which says the same as education
    'age': (20, 25, 30, 35, 40, 45, 50, 55, 60, 65), 'workclass': None, 'education': None, 'marital-status': None,
    'occupation': None, 'relationship': None, 'race': None, 'sex': None, 'capital-gain': (1, 3000, 5000, 7000, 10000),
    'capital-loss': (1, 1500, 1900, 2200), 'hours-per-week': (20, 35, 40, 41, 50, 60), 'native-country': None}
EXTRA = {  # files of numbers and a last one, 0 or 1, without a head: so many columns, their range, and bins
    'spambase': [(48, (0, 100), (0.01, 0.5, 1.5)), (6, (0, 100), (0.01, 0.2, 0.6)), (1, (1, 1000), (1.5, 2, 3, 5, 10)),
                 (1, (1, 10000), (5, 10, 20, 50, 100)), (1, (1, 20000), (20, 50, 100, 200, 500, 1000))]}
SUGGESTED = '-suggested'  # bins are those of dpobj.suggest
PANEL = ['german', 'magic', 'adult23', 'cont15', 'cont20sep', 'mixed30', 'onehot30', 'sparse40', 'full']
BINNED = ['german', 'magic', 'cont15', 'cont20sep', 'mixed30']  # with numbers in 8 bins of equal width, too
NAMES = list(TABLES) + ['adult'] + PANEL + [name + '-bins' for name in BINNED] + [
    name + way for name in EXTRA for way in ('', SUGGESTED)]


class Column:
    """A column, its type and encoder for dpobj, and what the rivals see."""

    def __init__(self, name, kind, encoder):
        self.name = name.lower().replace(' ', '_').replace('-', '_')
        self.kind, self.encoder = kind, encoder
        self.levels = len(encoder['levels']) if 'levels' in encoder else len(encoder['bins']) + 1 if 'bins' in encoder else \
            2 if kind == 'boolean' else 0  # 0: a number
        self.is_ordered = 'bins' in encoder
        self.bound = max(map(abs, encoder['clip'])) if 'clip' in encoder else 0

    def code(self, value):
        if 'levels' in self.encoder:
            return self.encoder['levels'].index(value)
        return bisect.bisect_right(self.encoder['bins'], float(value)) if self.is_ordered else float(value)


def column_of(name, spec):
    return Column(name, 'float8', {'bins': list(spec)}) if isinstance(spec, tuple) else Column(name, 'text', {'levels': spec})


def halves(rows):
    random.Random(20261128).shuffle(rows)
    return rows[len(rows) // 4:], rows[:len(rows) // 4]


def read_table(data, name):
    separator, label, positive, specs = TABLES[name]
    with open(os.path.join(data, 'tables', name + '.csv')) as file:
        rows = [[row[column].strip() or '0' for column in specs] + [str(int(row[label] in positive))]
                for row in csv.DictReader(file, delimiter=separator)]
    return [column_of(*item) for item in specs.items()], *halves(rows)


def read_extra(data, name):
    """Columns that dpobj.suggest is to declare have a range, but no bins."""
    base = name.replace(SUGGESTED, '')
    with open(os.path.join(data, 'extra', base + '.csv')) as file:
        rows = [line.rstrip().split(',') for line in file]
    bins = [{'range': limits} if name.endswith(SUGGESTED) else {'bins': list(bins)}
            for count, limits, bins in EXTRA[base] for _ in range(count)]
    return [Column('c%d' % (j + 1), 'float8', encoder) for j, encoder in enumerate(bins)], *halves(rows)


def read_adult(data):
    parts = []
    for name in ('adult.data.csv', 'adult.test.csv'):
        with open(os.path.join(data, name)) as file:
            head, *lines = [[field.strip() for field in row] for row in csv.reader(file)]
        places = [head.index(name) for name in ADULT]
        parts.append([[row[place] for place in places] + [str(int(row[14].startswith('>50K')))] for row in lines if len(row) == 15])
    levels = [sorted({row[j] for part in parts for row in part}) for j in range(len(ADULT))]
    return [column_of(name, spec or levels[j]) for j, (name, spec) in enumerate(ADULT.items())], *parts


def read_panel(data, name, folder):
    path = os.path.join(folder, name.replace('-bins', '') + '.set')
    if not os.path.exists(path):
        accuracy_sets.write_adult23(data, folder)
        accuracy_sets.write_panel(data, folder)
        accuracy_sets.write_full(accuracy_sets.read_raw(data), folder)
    _, _, sizes, numeric, bounds, lines = accuracy_sets.read_set(path)
    columns = list(accuracy_sets.columns_of(sizes, numeric, bounds))
    rows = [[accuracy_sets.value_of(features, first, size, kind) for first, size, kind, _ in columns] + [label]
            for label, *features in lines]
    if name.endswith('-bins'):
        columns = [(first, size, kind, {'bins': [low + (high - low) * k / 8 for k in range(1, 8)]} if 'clip' in encoder else encoder)
                   for first, size, kind, encoder in columns for low, high in [encoder.get('clip', (0, 0))]]
    return [Column('c%d' % (first + 1), kind, encoder) for first, _, kind, encoder in columns], *halves(rows)


def read(data, name, folder):
    """Columns, training rows and test rows; a row's last value is its label, 0 or 1."""
    if name.replace(SUGGESTED, '') in EXTRA:
        return read_extra(data, name)
    return read_table(data, name) if name in TABLES else read_adult(data) if name == 'adult' else read_panel(data, name, folder)
