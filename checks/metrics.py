"""The metrics of the code are those of docs/operations/monitoring.md, of the dashboard, of the alerts, and of the
README of the crate that has them."""

import json
import re

from tree import Problem

TABLE = "docs/operations/monitoring.md"
DASHBOARD = "docs/grafana/gatepost.json"
ALERTS = "docs/grafana/alerts.yaml"
CALL = re.compile(r'\b(?:counter|gauge|histogram)!\(\s*(?:"(\w+)"|([A-Z_]+)\b)')
NAME = re.compile(r"\bgatepost_\w+")
# What Prometheus makes of a histogram.
PARTS = re.compile(r"_(?:bucket|count|sum)$")


def metrics_as_documented(tree):
    """metrics are in docs/operations/monitoring.md, dashboard and README, which name no others; so do alerts"""
    real = dict(measured(tree))
    named = {TABLE: set(rows(tree))}
    for page in (DASHBOARD, ALERTS):
        found = NAME.findall(tree.text(page))
        named[page] = {name if name in real else PARTS.sub("", name) for name in found}
    for page, names in named.items():
        for name in sorted(names - real.keys()):
            yield Problem(page, 0, f"no code has the metric {name}")
    for name, crate in sorted(real.items()):
        for page in (TABLE, DASHBOARD):
            if name not in named[page]:
                yield Problem(page, 0, f"{name} is missing")
        readme = f"crates/{crate}/README.md"
        if name not in NAME.findall(tree.text(readme)):
            yield Problem(readme, 0, f"{name} is missing")
    try:
        json.loads(tree.text(DASHBOARD))
    except json.JSONDecodeError as error:
        yield Problem(DASHBOARD, error.lineno, f"is no JSON: {error.msg}")


def measured(tree):
    """Each metric of the library, with its crate. Its name is a literal, or a constant of the same
    file."""
    for source in tree.sources():
        for call in CALL.finditer(source.text):
            if source.product[call.start()].isspace():
                continue
            literal, constant = call.groups()
            if constant:
                value = re.search(rf'const {constant}: &str = "(\w+)"', source.text)
                literal = value[1] if value else constant
            yield literal, source.path.split("/")[1]


def rows(tree):
    """The metrics that have a row in the table."""
    for line in tree.text(TABLE).splitlines():
        if row := re.match(r"\| `(gatepost_\w+)` \|", line):
            yield row[1]
