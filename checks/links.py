"""Links between the Markdown pages lead somewhere, and the summary of the book has each page."""

import posixpath
import re

from tree import Problem

SUMMARY = "docs/SUMMARY.md"
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def links_that_lead(tree):
    """relative links of Markdown pages lead to a file, and to a heading that it has"""
    folders = {path.rsplit("/", n)[0] for path in tree.paths for n in range(1, path.count("/") + 1)}
    for page in (p for p in tree.paths if p.endswith(".md") and "vendor" not in p.split("/")):
        text = tree.text(page)
        # Code is blanked: a link in it is a sample.
        prose = CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        for match in LINK.finditer(prose):
            path, _, anchor = match[1].partition("#")
            if ":" in path:
                continue
            line = prose.count("\n", 0, match.start()) + 1
            at = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
            if at not in folders and at not in tree.paths and at != ".":
                # Rust pages link items by their path, which rustdoc checks.
                if "/" in path or "." in path:
                    yield Problem(page, line, f"{path} does not exist")
            elif anchor and at.endswith(".md") and anchor not in anchors(tree.text(at)):
                yield Problem(page, line, f"{at} has no heading for #{anchor}")


def pages_in_the_summary(tree):
    """each page in docs/ is linked from docs/SUMMARY.md: a book has no others"""
    summary = tree.text(SUMMARY)
    linked = {posixpath.join("docs", match[1]) for match in LINK.finditer(summary)}
    pages = (p for p in tree.paths if p.startswith("docs/") and p.endswith(".md") and tree.text(p))
    for page in pages:
        if page not in linked and page != SUMMARY:
            yield Problem(SUMMARY, 0, f"{page} is not linked")


def anchors(text):
    """The anchors that GitHub gives the headings of a page."""
    prose = CODE.sub("", text)
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE)}


def slug(heading):
    """Lower case, blanks as `-`, without punctuation; of a link its text."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-")
