"""Reads Rust source without a compiler: enough to tell code from comments and strings, to leave
out tests, and to find items, `use` declarations and functions. It expects code that rustfmt has
formatted."""

import bisect
import functools
import re
from dataclasses import dataclass, field

LEXEME = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*)
      | (?P<raw>\b[bc]?r(?P<hashes>\#*)")
      | (?P<string>\b[bc]?"|")
      | (?P<char>b?'(?:[^'\\\n]|\\[^\n]+?)')""",
    re.VERBOSE,
)
VISIBILITY = r"(?:pub(?:\([^)]*\))?\s+)?"
USE = re.compile(rf"^[ \t]*({VISIBILITY})use\s+([^;]+);", re.MULTILINE)
ITEM = re.compile(
    rf"^[ \t]*{VISIBILITY}(?:"
    r"(?:(?:const|async|unsafe|safe|default|extern\s*(?:\"\s*\")?)\s+)*"
    r"(?P<fn>fn)\s+(?P<fn_name>\w+)"
    r"|(?:unsafe\s+|auto\s+)*(?P<kind>struct|enum|union|trait|type|mod)\s+(?P<name>\w+)"
    r"|(?P<constant>const|static)\s+(?:mut\s+)?(?P<constant_name>\w+)"
    r"|(?:unsafe\s+)?(?P<impl>impl)\b"
    r"|(?P<macro>macro_rules)!\s*(?P<macro_name>\w+))",
    re.MULTILINE,
)
CFG_TEST = re.compile(r"#\[cfg\((?:test|all\(test\b[^\]]*)\)\]")


@dataclass(frozen=True)
class Item:
    """An item with a name: `kind` is the keyword that makes it."""

    kind: str
    name: str
    start: int
    depth: int


@dataclass(frozen=True)
class Use:
    """One `use` declaration. `names` are (segments, alias); a glob's last segment is `*`."""

    start: int
    depth: int
    visibility: str
    text: str
    names: tuple


@dataclass
class Source:
    """A file. `code` is `text` with the insides of comments and strings blanked, `product` is
    `code` with tests blanked too; all have the same length, so offsets agree."""

    path: str
    text: str
    code: str = ""
    product: str = ""
    strings: list = field(default_factory=list)  # (offset, inside)
    comments: list = field(default_factory=list)  # (offset, whole)

    def __post_init__(self):
        self.code = self._mask()
        self.product = blank_tests(self.code)
        self._lines = [match.end() for match in re.finditer("\n", self.text)]

    def line(self, offset):
        """The number of the line, from 1."""
        return bisect.bisect_right(self._lines, offset) + 1

    def _mask(self):
        text, out, at = self.text, [], 0
        while match := LEXEME.search(text, at):
            start = match.start()
            if match["line"]:
                end = match.end()
                self.comments.append((start, match[0]))
                blanked = " " * (end - start)
            elif match["block"]:
                end = end_of_block_comment(text, start)
                self.comments.append((start, text[start:end]))
                blanked = blank(text[start:end])
            elif match["char"]:
                end = match.end()
                blanked = "'" + " " * (end - start - 2) + "'"
            else:
                end = end_of_string(text, match)
                inside = text[match.end() : end - 1 - len(match["hashes"] or "")]
                self.strings.append((start, inside))
                blanked = '"' + blank(text[start + 1 : end - 1]) + '"'
            out += [text[at:start], blanked]
            at = end
        return "".join([*out, text[at:]])


def blank(text):
    """Spaces of the same length, with the line ends kept."""
    return re.sub(r"[^\n]", " ", text)


def end_of_string(text, match):
    """Where the string that this lexeme opens ends."""
    if match["raw"]:
        return text.index('"' + match["hashes"], match.end()) + 1 + len(match["hashes"])
    return re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL).match(text, match.end()).end()


def end_of_block_comment(text, start):
    """Where a block comment ends; they nest."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def closing(code, opening):
    """The offset of the bracket that closes the one at `opening`."""
    pairs = {"{": "}", "(": ")", "[": "]"}
    stack = []
    for match in re.compile(r"[{}()\[\]]").finditer(code, opening):
        if match[0] in pairs:
            stack.append(pairs[match[0]])
        elif stack and match[0] == stack[-1]:
            stack.pop()
            if not stack:
                return match.start()
    return len(code) - 1


def end_of_item(code, start):
    """Where the item ends that begins here, after its attributes."""
    if re.match(rf"\s*{VISIBILITY}(?:use|static|const(?!\s+(?:async|unsafe|fn)))\b", code[start:]):
        return code.index(";", start) + 1
    for match in re.compile(r"[;{(\[]").finditer(code, start):
        if match.start() < start:
            continue
        if match[0] == ";":
            return match.end()
        end = closing(code, match.start()) + 1
        if match[0] == "{":
            return end
        start = end
    return len(code)


def blank_tests(code):
    """The code without items marked `#[cfg(test)]`."""
    at = 0
    while match := CFG_TEST.search(code, at):
        start = match.end()
        while attribute := re.compile(r"\s*#\[").match(code, start):
            start = closing(code, attribute.end() - 1) + 1
        end = end_of_item(code, start)
        code = code[: match.start()] + blank(code[match.start() : end]) + code[end:]
        at = end
    return code


def depth_in(code):
    """Answers the brace depth at an offset."""
    at, depth = [-1], [0]
    for match in re.finditer("[{}]", code):
        opens = match[0] == "{"
        at.append(match.start() + opens)
        depth.append(depth[-1] + (1 if opens else -1))
    return lambda offset: depth[bisect.bisect_right(at, offset) - 1]


# Several rules ask for the same of each file.
@functools.cache
def items(code):
    """The items at every depth, in order."""
    depth, found = depth_in(code), []
    for match in ITEM.finditer(code):
        start = match.end() - len(match[0].lstrip())
        kind = match["fn"] or match["kind"] or match["constant"] or match["impl"] or match["macro"]
        name = match["fn_name"] or match["name"] or match["constant_name"] or match["macro_name"]
        found.append(Item(kind, name or "", start, depth(start)))
    return found


@functools.cache
def uses(code):
    """The `use` declarations at every depth, in order."""
    depth, found = depth_in(code), []
    for match in USE.finditer(code):
        start = match.end() - len(match[0].lstrip())
        text = " ".join(match[2].split())
        found.append(Use(start, depth(start), match[1].strip(), text, tuple(use_names(text))))
    return found


def use_names(text, before=()):
    """What a `use` names, braces taken apart."""
    text = text.strip().removeprefix("::")
    if "{" in text:
        head, inside = text.split("{", 1)
        head = tuple(part for part in head.strip().split("::") if part)
        for part in split_commas(inside[: inside.rindex("}")]):
            yield from use_names(part, before + head)
    elif text:
        path, _, alias = text.partition(" as ")
        segments = before + tuple(path.strip().split("::"))
        if segments[-1] == "self" and len(segments) > 1:
            segments = segments[:-1]
        yield segments, alias.strip() or segments[-1]


def split_commas(text):
    """Splits at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "{([<") - (char in "})]") - (char == ">" and text[at - 1] not in "-=")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in [*parts, text[start:]] if part.strip()]
