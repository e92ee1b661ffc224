"""The rules that comments cite are in docs/internals/requirements.md.

The tests that it names exist. The page has a heading for each section (`## SPEC 2.1: …`) and a row for each rule, whose first cell
says where it is (`2.1 rule 4`) and whose last one names tests: functions, or files by their path."""

import re

from tree import Problem
from words import paragraphs

PAGE = "docs/internals/requirements.md"
HEADING = re.compile(r"## (SPEC|WIRE) ([\d.]+):")
NUMBER = r"\d+(?:\.\d+)*"
# `SPEC 2.1`, `SPEC 3 and 7`, `SPEC 2.1 rules 4 and 5`; one of these ends where the next begins.
CITED = re.compile(
    rf"\b(SPEC|WIRE) ({NUMBER}(?:(?:, | and |–){NUMBER})*)"
    r"(?: (rule|row)s? (\d+(?:(?:, | and )\d+)*))?"
)
# Plans of earlier steps; they are not part of the project.
PLANS = re.compile(r"\b(?:DESIGN|HOUSE|PEERS|RELIABILITY|SCALE|STYLE|TENANTS)(?:\.md)? [A-Z]?\d")
FUNCTION = re.compile(r"\bfn (\w+)\(")
# Contract tests that are texts: a name on a line of its own.
SCENARIOS = "crates/gatepost-testkit/src/scenario/"
SPEC_TESTS = "tests/it/spec/"


def rules_cited(tree):
    """the rules that comments cite are in docs/internals/requirements.md"""
    sections, rows = known(tree)
    for source in tree.rust.values():
        for start, comment in paragraphs(source):
            flat = re.sub(r"\n[ \t]*//[/!]?", lambda m: " " * len(m[0]), comment)
            flat = re.sub(r" +", " ", flat)
            for match in CITED.finditer(flat):
                for missing in unknown(match, sections, rows):
                    yield Problem(source.path, source.line(start), f"{missing} is not in {PAGE}")
            for match in PLANS.finditer(flat):
                yield Problem(source.path, source.line(start), f"{match[0]}… is not in {PAGE}")


def unknown(match, sections, rows):
    """What a citation names that the page has not."""
    page, listed, kind, numbers = match.groups()
    cited = re.findall(NUMBER, listed)
    yield from (f"{page} {section}" for section in cited if (page, section) not in sections)
    for number in re.findall(r"\d+", numbers or ""):
        if (page, f"{cited[-1]} {kind} {number}") not in rows:
            yield f"{page} {cited[-1]} {kind} {number}"


def known(tree):
    """The sections of the page, and the first cells of its rows, each with its page."""
    sections, rows, page = set(), set(), ""
    for _, line in lines(tree):
        if heading := HEADING.match(line):
            page = heading[1]
            sections.add(heading.groups())
        elif line.startswith("| "):
            rows.add((page, line.split("|")[1].strip()))
    return sections, rows


def lines(tree):
    """The lines of the page with their numbers."""
    return enumerate(tree.text(PAGE).splitlines(), 1)


def rules_proved(tree):
    """docs/internals/requirements.md names tests for each rule, all of them exist, and none of `spec` is left out"""
    functions = {
        name: source.path for source in tree.rust.values() for name in FUNCTION.findall(source.code)
    }
    for path in tree.paths:
        if path.startswith(SCENARIOS) and path.endswith(".txt"):
            functions.update((name, path) for name in re.findall(r"^\w+$", tree.text(path), re.M))
    named = set()
    for number, line in lines(tree):
        if not line.startswith("| ") or line.startswith(("| SPEC |", "| WIRE |", "| the rule |")):
            continue
        proofs = re.findall(r"`([^`]+)`", line.rstrip(" |").rsplit("|", 1)[1])
        named.update(proofs)
        if not proofs:
            yield Problem(PAGE, number, "names no test")
        for proof in proofs:
            if proof not in (tree.paths if "/" in proof else functions):
                yield Problem(PAGE, number, f"{proof} does not exist")
    for name, path in sorted(functions.items()):
        if path.startswith(SPEC_TESTS) and name.startswith("spec_") and name not in named:
            yield Problem(path, 0, f"{name} proves no rule of {PAGE}")
