"""Sizes: of files, of functions, of the engine's parts."""

import re
import statistics

import plan
from cycles import Crate
from rust import closing, items, split_commas
from tree import Problem

MAX_FILE = 426
MAX_FUNCTION = 118
MAX_FIELDS = 8
ENGINE = "crates/gatepost-engine/src/"
# What the engine may have at most. These figures only fall.
ENGINE_MOST = {
    "lines of code": 14357,
    "files": 169,
    "modules": 36,
    "layers": 12,
    "numeric constants": 204,
}
NUMBER = r"(?:[ui](?:8|16|32|64|128|size)|f64|Duration|TimeDelta)"
CONSTANT = re.compile(rf"\bconst [A-Z][A-Z0-9_]*: [(\[]?{NUMBER}\b")


def functions(source):
    """Every function that has a body: its name, its first line and its number of lines."""
    for item in items(source.code):
        if item.kind != "fn":
            continue
        at = item.start
        while (found := re.compile(r"[;{(\[]").search(source.code, at)) and found[0] in "([":
            at = closing(source.code, found.start()) + 1
        if found and found[0] == "{":
            first = source.line(item.start)
            last = source.line(closing(source.code, found.start()))
            yield item.name, first, last - first + 1


def lines(source):
    """The number of lines of a file."""
    return len(source.text.splitlines())


def no_giants(tree):
    """library files of at most 426 lines, functions of at most 118"""
    for source in tree.sources():
        if lines(source) > MAX_FILE:
            yield Problem(source.path, 0, f"{lines(source)} lines, more than {MAX_FILE}")
        for name, first, length in functions(source):
            if length > MAX_FUNCTION:
                text = f"`{name}` has {length} lines, more than {MAX_FUNCTION}"
                yield Problem(source.path, first, text)


def summary(tree):
    """The figures in one line."""
    files = sorted(map(lines, tree.sources()))
    lengths = sorted(length for s in tree.sources() for _, _, length in functions(s))
    if not files or not lengths:
        return "no library files"
    p99 = lengths[min(len(lengths) - 1, len(lengths) * 99 // 100)]
    return (
        f"files: {len(files)}, median {statistics.median(files):.0f} lines, max {files[-1]}; "
        f"functions: {len(lengths)}, p99 {p99} lines, max {lengths[-1]}"
    )


def no_god_objects(tree):
    """no struct in the engine with more than eight fields, other than options and records"""
    for source in tree.below(ENGINE):
        if re.search(r"/(builder|config|records)(/|\.rs$)", source.path):
            continue
        for item in items(source.product):
            if item.kind != "struct":
                continue
            count = len(fields(source.product, item.start))
            if count > MAX_FIELDS:
                text = f"`{item.name}` has {count} fields, more than {MAX_FIELDS}"
                yield Problem(source.path, source.line(item.start), text)


def engine_figures(tree):
    """What the engine has, tests apart."""
    sources = [s for s in tree.below(ENGINE) if not re.search(r"/(tests|testing)(/|\.rs$)", s.path)]
    code = [source.product for source in sources]
    order, _ = plan.layers(Crate(tree, ENGINE + "lib.rs"))
    layers = order.split(" > ") if order else []
    return {
        "lines of code": sum(bool(line.strip()) for text in code for line in text.splitlines()),
        "files": len(sources),
        "modules": sum(len(layer.split(", ")) for layer in layers),
        "layers": len(layers),
        "numeric constants": sum(len(CONSTANT.findall(text)) for text in code),
    }


def engine_within(tree):
    """the engine has no more lines, files, modules, layers and constants than it had"""
    if ENGINE + "lib.rs" not in tree.rust:
        return
    for what, count in engine_figures(tree).items():
        if count > ENGINE_MOST[what]:
            text = f"the engine has {count} {what}, more than {ENGINE_MOST[what]}"
            yield Problem(ENGINE + "lib.rs", 0, text)


def fields(code, start):
    """The fields of the struct that begins here."""
    found = re.compile(r"[;{(]").search(code, start)
    if not found or found[0] == ";":
        return []
    return split_commas(code[found.end() : closing(code, found.start())])


def no_inner(tree):
    """nothing is called `Inner`"""
    for source in tree.below("crates/"):
        for item in items(source.code):
            if item.name == "Inner":
                text = "`Inner` says nothing: name it after what it does"
                yield Problem(source.path, source.line(item.start), text)
