"""MODEL < rows: predicts by the lines of docs/python.md, which the test puts in front of this, to test dpobj.show.

The files are those of pmml.py, but the model is JSON, and the value of a time is its text and its seconds since 1970.
"""
import datetime
import decimal
import json
import sys


def number(column, value):
    if "origin" in column:
        return (float(str(value[1])) - column["origin"]) / column["unit"]
    if "part" in column:
        time = datetime.datetime.fromisoformat(value[0])
        return time.month if column["part"] == "month" else time.isoweekday()
    return value if column["type"] not in ("real", "double precision", "numeric") else decimal.Decimal(str(value))


model = json.load(open(sys.argv[1]))
for line in sys.stdin:
    row = {name: None if value is None else number(model["columns"][name], value)
           for name, value in json.loads(line, parse_float=decimal.Decimal).items() if name in model["columns"]}
    s = scores(model, row)  # noqa: F821
    prediction = None if np.isnan(s).any() else float(s[0]) if "classes" not in model else (  # noqa: F821
        model["classes"][int(s[0] > model["threshold"] if "threshold" in model else np.argmax(s))])  # noqa: F821
    print(json.dumps({"prediction": prediction, "scores": None if prediction is None else [float(x) for x in s]}))
