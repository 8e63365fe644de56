#!/usr/bin/env python3
"""pmml.py DOCUMENT < rows: predicts by the rules of PMML 4.4, to test dpobj.show.

It knows nothing of dpobj and only those elements of PMML that it needs; any other is an error.  A row is
a line of JSON, an object with a member for each field.  For each row it prints an object with the
prediction and the scores of the regression tables, null where there are none.
"""
import datetime
import json
import math
import sys
import xml.etree.ElementTree as xml

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"


def local(element):
    if not element.tag.startswith(NAMESPACE):
        raise ValueError(f"{element.tag} is not of PMML 4.4")
    return element.tag[len(NAMESPACE):]


def children(element, name):
    return element.findall(NAMESPACE + name)


def child(element, name):
    (found,) = children(element, name)
    return found


# ---- values: None is a missing one

def cast(value, data_type):
    if value is None or data_type == "string":
        return value if value is None else str(value)
    if data_type == "double":
        return float(str(value))
    if data_type == "integer":
        if float(value) != math.floor(float(value)):
            raise ValueError(value)
        return int(value)
    if data_type == "boolean":
        return {"true": True, "false": False}[str(value).lower()]
    if data_type == "date":
        return value if isinstance(value, datetime.date) else datetime.date.fromisoformat(value)
    if data_type == "dateTime":
        return value if isinstance(value, datetime.date) else datetime.datetime.fromisoformat(value)
    raise ValueError(data_type)


def seconds_since(time, year):
    return (time - datetime.datetime(int(year), 1, 1)) // datetime.timedelta(seconds=1)


FUNCTIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "floor": lambda a: a if math.isinf(a) else math.floor(a),
    "ceil": lambda a: a if math.isinf(a) else math.ceil(a),
    "lessThan": lambda a, b: a < b,
    "greaterThan": lambda a, b: a > b,
    "dateDaysSinceYear": lambda date, year: (date - datetime.date(int(year), 1, 1)).days,
    "dateSecondsSinceYear": seconds_since,
    "formatDatetime": lambda time, pattern: time.strftime(pattern),
}


def inside(interval, number):
    closure = interval.get("closure")
    left, right = interval.get("leftMargin"), interval.get("rightMargin")
    if left is not None and not (number >= float(left) if closure.startswith("closed") else number > float(left)):
        return False
    return right is None or (number <= float(right) if closure.endswith("Closed") else number < float(right))


def discretize(element, value):
    if value is None:
        return element.get("mapMissingTo")
    for part in children(element, "DiscretizeBin"):
        if inside(child(part, "Interval"), value):
            return part.get("binValue")
    return element.get("defaultValue")


class Document:
    def __init__(self, path):
        root = xml.parse(path).getroot()
        if local(root) != "PMML" or root.get("version") != "4.4":
            raise ValueError("not PMML 4.4")
        dictionary = child(root, "DataDictionary")
        self.columns = {e.get("name"): e for e in children(dictionary, "DataField")}
        if len(self.columns) != int(dictionary.get("numberOfFields")):
            raise ValueError("numberOfFields")
        derived = children(child(root, "TransformationDictionary"), "DerivedField")
        self.derived = {e.get("name"): e for e in derived}
        if len(self.derived) != len(derived) or self.derived.keys() & self.columns.keys():
            raise ValueError("two fields have one name")
        self.model = child(root, "RegressionModel")
        self.schema = {e.get("name"): e for e in children(child(self.model, "MiningSchema"), "MiningField")}
        (self.target,) = [n for n, e in self.schema.items() if e.get("usageType") == "target"]
        self.tables = children(self.model, "RegressionTable")

    def column(self, name, value):
        declared = self.columns[name]
        value = cast(value, declared.get("dataType"))
        listed = [e for e in children(declared, "Value") if e.get("property", "valid") == "valid"]
        for e in children(declared, "Value"):
            if e.get("property") == "missing" and str(value).lower() == e.get("value").lower():
                return None
        if value is not None and listed and value not in [cast(e.get("value"), declared.get("dataType")) for e in listed]:
            treatment = self.schema[name].get("invalidValueTreatment")
            if treatment not in ("asMissing", "asIs"):
                raise ValueError(f"{name} is invalid")
            return value if treatment == "asIs" else None
        return value

    def field(self, name):
        if name not in self.values:
            element = self.derived[name]
            (expression,) = element
            self.values[name] = cast(self.evaluate(expression), element.get("dataType"))
        return self.values[name]

    def evaluate(self, element):
        kind = local(element)
        if kind == "FieldRef":
            return self.field(element.get("field"))
        if kind == "Constant":
            return cast(element.text, element.get("dataType"))
        if kind == "NormDiscrete":
            value = self.field(element.get("field"))
            if value is None:
                return element.get("mapMissingTo")
            text = str(value).lower() if isinstance(value, bool) else str(value)
            return 1 if text == element.get("value") else 0
        if kind == "Discretize":
            return discretize(element, self.field(element.get("field")))
        if kind != "Apply":
            raise ValueError(kind)
        function = element.get("function")
        if function == "isNotMissing":
            return self.evaluate(element[0]) is not None
        if function == "if":
            chosen = 1 if self.evaluate(element[0]) else 2
            return None if chosen == len(element) else self.evaluate(element[chosen])
        arguments = [self.evaluate(e) for e in element]
        if None in arguments:
            raise ValueError(f"{function} of a missing value")  # as in some readers
        return FUNCTIONS[function](*arguments)

    def score(self, table):
        total = 0.0
        for predictor in children(table, "NumericPredictor"):
            value = self.field(predictor.get("name"))
            if value is None:
                return None
            total += float(predictor.get("coefficient")) * value
        return total + float(table.get("intercept"))

    def predict(self, row):
        self.values = {n: self.column(n, row[n]) for n in self.schema if n != self.target}
        scores = [self.score(table) for table in self.tables]
        if None in scores:
            return None, None
        if self.model.get("functionName") == "regression":
            return scores[0], scores
        if self.model.get("normalizationMethod") != "softmax":
            raise ValueError("normalizationMethod")
        shares = [math.exp(score - max(scores)) for score in scores]
        category = self.tables[shares.index(max(shares))].get("targetCategory")
        return cast(category, self.columns[self.target].get("dataType")), scores


def main():
    document = Document(sys.argv[1])
    for line in sys.stdin:
        prediction, scores = document.predict(json.loads(line))
        print(json.dumps({"prediction": prediction, "scores": scores}))


main()
