"""The rules that comments cite are in docs/internals/requirements.md, and tests cite its items.

The page has a row for each section of SPEC (`| 2.1 | … | 6 |`), with its fields in bold and the
number of its rules, and a heading for each section of WIRE, which ends with `Tests:` and files of
`tests/it`."""

import re

from tree import Problem
from words import paragraphs

PAGE = "docs/internals/requirements.md"
HEADING = re.compile(r"## (WIRE) ([\d.]+):")
ROW = re.compile(r"\| ([\d.]+) \| (.+) \| (\d+) \|")
CODE = re.compile(r"`([^`]+)`")
FIELD = re.compile(r"\*\*(.+?)\*\*")
NUMBER = r"\d+(?:\.\d+)*"
# `SPEC 2.1`, `SPEC 3 and 7`, `SPEC 2.1 rules 4 and 5`; one of these ends where the next begins.
CITED = re.compile(
    rf"\b(SPEC|WIRE) ({NUMBER}(?:(?:, | and |–){NUMBER})*)"
    r"(?: (rule|row)s? (\d+(?:(?:, | and )\d+)*))?"
)
# Plans of earlier steps; they are not part of the project.
PLANS = re.compile(r"\b(?:DESIGN|HOUSE|PEERS|RELIABILITY|SCALE|STYLE|TENANTS)(?:\.md)? [A-Z]?\d")
# The section and the rule in the name of a test: `spec_2_1_rule_4_…`.
NAMED = re.compile(r"\bfn spec_(\d+(?:_\d+)?)_(?:rule_(\d+)_)?")
SPEC_TESTS = "tests/it/spec/"


def rules_cited(tree):
    """the rules that comments cite are in docs/internals/requirements.md"""
    sections, rules, _ = known(tree)
    for source in tree.rust.values():
        for start, flat in comments(source):
            for match in CITED.finditer(flat):
                for missing in unknown(match, sections, rules):
                    yield Problem(source.path, source.line(start), f"{missing} is not in {PAGE}")
            for match in PLANS.finditer(flat):
                yield Problem(source.path, source.line(start), f"{match[0]}… is not in {PAGE}")


def comments(source):
    """The comments of a source, each on one line."""
    for start, comment in paragraphs(source):
        yield start, " ".join(re.sub(r"\n[ \t]*//[/!]?", " ", comment).split())


def cited(match):
    """The sections and the rules that a citation names."""
    page, listed, _, numbers = match.groups()
    sections = [(page, section) for section in re.findall(NUMBER, listed)]
    return sections, [(*sections[-1], number) for number in re.findall(r"\d+", numbers or "")]


def unknown(match, sections, rules):
    """What a citation names that the page has not."""
    named, numbered = cited(match)
    yield from (" ".join(section) for section in named if section not in sections)
    yield from (f"{page} {at} rule {n}" for page, at, n in numbered if (page, at, n) not in rules)


def known(tree):
    """The sections of the page; its rules and its fields, each with the line that it is on."""
    sections, rules, fields = set(), {}, {}
    for number, line in enumerate(tree.text(PAGE).splitlines(), 1):
        if heading := HEADING.match(line):
            sections.add(heading.groups())
        elif row := ROW.match(line):
            section = ("SPEC", row[1])
            sections.add(section)
            rules.update({(*section, str(n)): number for n in range(1, int(row[3]) + 1)})
            fields.update({(*section, name): number for name in FIELD.findall(row[2])})
    return sections, rules, fields


def rules_proved(tree):
    """tests cite each item of docs/internals/requirements.md, which names tests for WIRE"""
    sections, rules, fields = known(tree)
    tests = [source for path, source in tree.rust.items() if path.startswith("tests/")]
    proved = set()
    for _, comment in (c for source in tests for c in comments(source)):
        for match in CITED.finditer(comment):
            named, numbered = cited(match)
            proved.update(numbered)
            proved.update(f for f in fields if f[:2] in named and f[2] in comment)
    for item, number in (rules | fields).items():
        if item not in proved:
            yield Problem(PAGE, number, f"no test cites {' '.join(item)}")
    for section in tree.text(PAGE).split("\n## WIRE ")[1:]:
        files = CODE.findall(section.partition("\nTests: ")[2])
        if missing := [f for f in files if f"tests/it/{f}.rs" not in tree.paths] or not files:
            yield Problem(PAGE, 0, f"WIRE {section[0]}: no test, or not these: {missing}")
    for source in (s for s in tests if s.path.startswith(SPEC_TESTS)):
        for section, rule in NAMED.findall(source.code):
            at = ("SPEC", section.replace("_", "."))
            if at not in sections or rule and (*at, rule) not in rules:
                yield Problem(source.path, 0, f"spec_{section} {rule} is not in {PAGE}")
