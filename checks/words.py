"""Phrases that a native technical writer would not use, in what users and readers see: string
literals of the library and the examples, doc comments, Markdown files, scripts of the console.
CHANGELOG.md quotes what was, and `vendor` holds the files of others."""

import functools
import re

from tree import Problem

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
    """The pattern with room for a line end at each space."""
    return re.compile(phrase.pattern.replace(" ", r"\s+"), phrase.flags)
