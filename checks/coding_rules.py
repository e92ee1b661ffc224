#!/usr/bin/env python3
"""Checks the coding rules that a command can check, on all files that Git tracks.

Without arguments it checks the working copy that it is in, prints each problem and the sizes of
the library, and exits with 1 if there is any problem.

    checks/coding_rules.py                         all rules
    checks/coding_rules.py --rule cycles           one rule
    checks/coding_rules.py --under crates/delivery only problems in this folder
    checks/coding_rules.py --self-test             each rule refuses exactly its wrong samples

It needs Python 3 and Git, nothing else. It reads Rust by its own small rules (`rust.py`) and
expects code that `cargo fmt` has formatted.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True

import cycles  # noqa: E402
import figures  # noqa: E402
import layout  # noqa: E402
import links  # noqa: E402
import metrics  # noqa: E402
import options  # noqa: E402
import plan  # noqa: E402
import rules  # noqa: E402
import samples  # noqa: E402
import words  # noqa: E402
from tree import Tree  # noqa: E402

RULES = {
    "paths": layout.no_ignored_paths,
    "crates": plan.crates_as_planned,
    "cycles": cycles.no_cycles,
    "modules": plan.modules_as_planned,
    "links": links.links_that_lead,
    "paths_named": plan.paths_that_exist,
    "inner": figures.no_inner,
    "fields": figures.no_god_objects,
    "engine": figures.engine_within,
    "sizes": figures.no_giants,
    "derives": layout.derives_in_order,
    "width": layout.comments_in_width,
    "constants": layout.constants_at_the_top,
    "imports": layout.imports_in_form,
    "words": words.plain_english,
    "word_counts": words.words_at_most,
    "metrics": metrics.metrics_as_documented,
    "options": options.options_as_documented,
    "summary": links.pages_in_the_summary,
    "rules_cited": rules.rules_cited,
    "rules_proved": rules.rules_proved,
}


def main():
    """Runs what the arguments ask for; the exit status."""
    listed = "\n".join(f"  {name:<12} {rule.__doc__}" for name, rule in RULES.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"rules:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--root", default=here, help="the working copy (default: this one)")
    parser.add_argument("--rule", action="append", choices=RULES, help="only this rule; repeatable")
    parser.add_argument("--under", default="", help="only places whose path begins with this")
    parser.add_argument("--self-test", action="store_true", help="prove that each rule refuses")
    wanted = parser.parse_args()
    if wanted.self_test:
        return samples.self_test(RULES)
    return check(Tree(wanted.root), wanted.rule or RULES, wanted.under)


def check(tree, names, under):
    """Prints what breaks these rules; 1 if anything does."""
    broken = 0
    for name in names:
        problems = [p for p in RULES[name](tree) if p.path.startswith(under)]
        broken += len(problems)
        print(f"{name}: {f'{len(problems)} refused' if problems else 'ok'}")
        for problem in problems:
            print(f"  {problem}")
    print(figures.summary(tree))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
