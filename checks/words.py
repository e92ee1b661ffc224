#!/usr/bin/env python3
"""Phrases that a native technical writer would not use, in what users and readers see: string
literals of the library and the examples, doc comments, Markdown files, scripts of the console.
CHANGELOG.md quotes what was, and `vendor` holds the files of others."""

import argparse
import functools
import pathlib
import re
import sys

sys.dont_write_bytecode = True

from tree import Problem, Tree  # noqa: E402

# The phrase as a pattern, and what to write instead.
PHRASES = (
    (r"at the most", "at most"),
    (r"look-ups?", "lookup"),
    (r"(?:stands?|stood) in(?! for\b)", "is in"),
    (r"(?:is|are|was|were|be|been|being) told", "receives, is notified of, says"),
    (r"(?:hears?|heard|hearing) of", "receives, is notified of"),
    (r"in clear(?! text)", "in plaintext"),
    (r"belongs? into", "belongs in"),
    (r"meanwhile", "in the meantime, or say when"),
    (r"anew", "again"),
    (r"whom", "who, or turn the sentence round"),
    (r"so (?:many|often|long)(?! as\b)(?![^.;:]*\bthat\b)", "a number, how often, how long"),
    (r"of late", "recent, recently"),
    (r"so may (?:you|we|they|it)", "and you can, too"),
    (r"more came than", "truncated"),
    (r"is no date", "enter a date such as …"),
    (r"the target sees", "name the header or the field"),
)
BANNED = [(re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE), use) for phrase, use in PHRASES]
DOC = ("///", "//!", "/**", "/*!")
STRINGS_OF = re.compile(r"crates/[^/]+/src/|examples/")


def plain_english(tree):
    """no banned phrase in strings, doc comments, Markdown, scripts of the console"""
    for source in tree.rust.values():
        places = [c for c in paragraphs(source) if c[1].startswith(DOC)]
        if STRINGS_OF.match(source.path):
            places += source.strings
        for start, text in places:
            yield from banned(source.path, text, source.line(start))
    for path in filter(is_read_whole, tree.paths):
        yield from banned(path, tree.text(path), 1)


def is_read_whole(path):
    """Whether all that is in a file may be seen by users: Markdown, the console's scripts."""
    if "vendor" in path.split("/") or path == "CHANGELOG.md":
        return False
    return path.endswith(".md") or (path.startswith("crates/") and path.endswith(".js"))


def paragraphs(source):
    """The comments, with those on consecutive lines joined: a phrase may be broken over two."""
    joined = []
    for start, text in source.comments:
        if joined:
            before, so_far = joined[-1]
            between = source.text[before + len(so_far) : start]
            same = so_far[:3] == text[:3]
            if same and between.count("\n") == 1 and not between.strip():
                joined[-1] = (before, so_far + between + text)
                continue
        joined.append((start, text))
    return joined


def banned(path, text, first):
    """The banned phrases in a text that begins in line `first`."""
    # Line ends, and what begins a line of a comment or continues a string, count as one space.
    flat = re.sub(r"\\?\n[ \t]*(?:///|//!)?[ \t]*", lambda m: " " * len(m[0]), text)
    for phrase, use in BANNED:
        for match in re.finditer(spaced(phrase), flat):
            line = first + text.count("\n", 0, match.start())
            found = " ".join(match[0].split())
            yield Problem(path, line, f'"{found}": write "{use}"')


@functools.cache
def spaced(phrase):
    """The pattern with any white space at each space."""
    return re.compile(phrase.pattern.replace(" ", r"\s+"), phrase.flags)


# -- the ratchet -----------------------------------------------------------------------------------

# What each column of the table counts.
COLUMNS = ("docs", "comments", "markdown", "tests")
COUNTS = "checks/words.txt"
HEAD = """# How often each pattern of checks/words.py may occur at most: in doc comments, strings and
# translations; in other comments; in Markdown; in names of tests. The numbers only fall:
# checks/words.py --lower"""
START = r"(?:^|(?<=[.!?:])[ ]+)(?:[-*|>] +|\*\*)*"
# Words that have another meaning in the field, or none, and turns of phrase that are not English.
# Their names are the rows of `checks/words.txt`, which says how often each may occur.
WORDS = {
    "begins-with-what": START + r"(?-i:What|Whatever|Who|Whoever)\b(?![^.!?]*\?)",
    "begins-with-of": START + r"(?-i:Of (?!course\b)|That of\b|Those\b)",
    "test-begins-with": r"^test: (?:what|who|whoever|of|that|those|where|when|if)\b",
    "test-over-8-words": r"^test: (?!spec )(?:\S+ ){8}|^test: .{71}",
    "alone": r"(?<!let )(?<!leave )(?<!stand-)\balone\b",
    "at-once": r"\bat once\b",
    "basis": r"\bbasis\b",
    "beside": r"\bbeside\b",
    "bite": r"\bbites?\b",
    "by-hand": r"\bby hand\b",
    "clause": r"\bclauses?\b|\bproof kit\b|\bproven\b",
    "figures": r"\bfigures?\b",
    "front": r"(?<!in )\bfronts?\b",
    "go-on": r"\bgo(?:es)? on\b",
    "gone": r"\bgone\b",
    "he": r"\b(?:he|she|his)\b",
    "hint": r"\bhints?\b",
    "house": r"\b(?:door|floor|ground|house|landing|roof|room|wall(?! (?:clock|time))|wing)s?\b",
    "is-to-be": r"\b(?:is|are|was|were) (?:not |never |only )?to be\b",
    "judge": r"\bjudg(?:e[sd]?|ing|e?ments?)\b|\bhear(?:s|d|ing|ings)?\b",
    "lane": r"\blanes?\b",
    "life": r"\b(?:life|lives)\b(?! ?(?:time|cycle))",
    "lot": r"(?<!\ba )\blots?\b",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "news": r"\bnews\b|\bears?\b",
    "no-more": r"\bno more\b(?! than\b)",
    "of-its-own": r"\bof (?:its|their|your|our) own\b",
    "place": r"(?<!\bin )(?<!\bdecimal )(?<!\btakes )(?<!\btake )(?<!\btaking )\bplaces?\b",
    "powers": r"\bpowers\b(?! of two)",
    "set-down": r"\bset(?:s|ting)? down\b|\bwaiting way\b",
    "slice": r"\bslices?\b",
    "spot": r"\bspots?\b|\bbatons?\b|\bparked\b",
    "standing": r"\bstanding\b",
    "tell": r"\b(?:tell(?:s|ing)?|told)\b",
    "where-for-if": r"(?:^|[.;:,(] ?|\bonly |\bexcept )\bwhere\b",
    "whoever": r"(?<!^)(?<![.!?] )\bwhoever\b",
}
WORDS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in WORDS.items()}
# In Markdown and doc comments: code, addresses and the targets of links, which are no prose.
CODE = re.compile(
    r"^[ ]*(```|~~~).*?^[ ]*\1|`[^`]*`|\]\([^)]*\)|\bhttps?:\S+|^\[[^]]*\]: \S+",
    re.DOTALL | re.MULTILINE,
)
# A test, behind its attributes.
TEST = re.compile(r"#\[(?:tokio::)?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn (\w+)")
FTL = re.compile(r"^[\w-]+ = ?|\{[^}]*\}", re.MULTILINE)
# The lines of a scenario other than its sentence.
SENTENCE = re.compile(r"^(?![A-Z]).*$", re.MULTILINE)
# What begins a line of a comment.
MARKS = re.compile(r"^[ \t]*(?://[/!]|/\*[*!]?|//|\*/) ?", re.MULTILINE)
# Between two items, paragraphs or cells.
PARTS = r"(\n(?:[ \t]*\n)*)(?=\s*(?:[-*>] |\d+\. |#|\|))|(\n(?:[ \t]*\n)+)|(?<=\S)( \| )"
SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|WHERE|SET|VALUES|LIMIT)\b")


def words_at_most(tree):
    """no word that `checks/words.txt` counts more often than it says"""
    allowed, found = allowances(tree), occurrences(tree)
    for name in sorted(allowed.keys() - WORDS):
        yield Problem(COUNTS, 0, f"{name} is no pattern of checks/words.py")
    for name in WORDS:
        most, counts = allowed.get(name, (0,) * len(COLUMNS)), counted(found[name])
        for column, limit, count in zip(COLUMNS, most, counts):
            if count > limit:
                yield Problem(
                    COUNTS,
                    0,
                    f"{name}: {count} in {column}, at most {limit}; "
                    f"`checks/words.py {name}` lists them",
                )
            if count < limit:
                print(f"  {COUNTS}: {name} in {column} fell to {count}: checks/words.py --lower")


def allowances(tree):
    """How often each pattern may occur in each column: none where there is no row."""
    rows = [line.split() for line in tree.text(COUNTS).splitlines() if line[:1] not in ("", "#")]
    return {name: tuple(map(int, counts)) for name, *counts in rows}


def occurrences(tree):
    """Where each pattern occurs: (column, path, line of the paragraph, the words around it)."""
    found = {name: [] for name in WORDS}
    for column, path, line, text in prose(tree):
        for name, pattern in WORDS.items():
            for match in pattern.finditer(text):
                around = text[max(0, match.start() - 40) : match.end() + 40]
                found[name].append((column, path, line, around))
    return found


def counted(places):
    """The number of these places in each column."""
    return tuple(sum(column == place[0] for place in places) for column in COLUMNS)


def prose(tree):
    """All that is counted, by paragraphs: (column, path, line, text). Code is none of it."""
    for source in tree.rust.values():
        for start, text in paragraphs(source):
            column = "docs" if text.startswith(DOC) else "comments"
            yield from split(column, source.path, source.line(start), text)
        for test in TEST.finditer(source.code):
            name = test[1].replace("_", " ")
            yield "tests", source.path, source.line(test.start(1)), f"test: {name}"
        if STRINGS_OF.match(source.path):
            for start, text in source.strings:
                if " " in text and not SQL.search(text):
                    yield from split("docs", source.path, source.line(start), text)
    for path in tree.paths:
        if "/src/" in path and path.endswith(".json"):
            for line, text in enumerate(tree.text(path).splitlines(), 1):
                for quoted in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
                    if " " in quoted:
                        yield from split("docs", path, line, quoted)
        if path.endswith(".ftl"):
            yield from split("docs", path, 1, FTL.sub("\n", tree.text(path)))
        if "/scenario/" in path and path.endswith(".txt"):
            yield from split("docs", path, 1, SENTENCE.sub("\n", tree.text(path)))
        if path.endswith(".md") and is_read_whole(path) and not path.startswith("docs/reviews/"):
            yield from split("markdown", path, 1, tree.text(path))


def split(column, path, first, text):
    """The paragraphs, items and cells of a text that begins in line `first`."""
    text = MARKS.sub("", text)
    text = CODE.sub(lambda match: "`" + "\n" * match[0].count("\n"), text.replace("\\\n", "\n"))
    line = first
    for part in filter(None, re.split(PARTS, text)):
        if plain := " ".join(part.split()).strip("# "):
            yield column, path, line, plain
        line += part.count("\n")


def main():
    """Lists where patterns occur, or lowers what `checks/words.txt` allows to what there is."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("name", nargs="*", help="list this pattern; repeatable")
    parser.add_argument("--under", default="", help="only places whose path begins with this")
    parser.add_argument("--lower", action="store_true", help="write the numbers that fell")
    wanted = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    tree = Tree(root)
    found = occurrences(tree)
    for name in wanted.name:
        for column, path, line, around in found[name]:
            if path.startswith(wanted.under):
                print(f"{path}:{line}: {column}: {around}")
    if wanted.lower:
        allowed, rows = allowances(tree), [HEAD]
        for name in sorted(WORDS):
            counts = counted(found[name])
            lowered = map(min, counts, allowed.get(name, counts))
            rows.append(" ".join([f"{name:<18}", *(f"{count:>6}" for count in lowered)]))
        (root / COUNTS).write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
