"""The control of the checks: a small project that is right, and for each rule changes that make it
wrong. Each change must be refused by its rules and by no other."""

import pathlib
import subprocess
import tempfile

from tree import Tree

LIB = "crates/sample/src/lib.rs"
UPPER = "crates/sample/src/upper.rs"
BASE = "crates/sample/src/base/mod.rs"
TABLE = "crates/sample/src/base/table.rs"
ENGINE = "crates/gatepost-engine/src/lib.rs"
KEYS = "crates/gatepost-keys/Cargo.toml"
PLAN = "ARCHITECTURE.md"
MODULES = "checks/modules.txt"
RULES = "docs/internals/requirements.md"
SPEC = "tests/it/spec/legs.rs"
METER = "crates/sample/src/meter.rs"
MONITORING = "docs/operations/monitoring.md"
OPTIONS = "docs/reference/configuration.md"
SUMMARY = "docs/SUMMARY.md"
DASHBOARD = "docs/grafana/gatepost.json"
ALERTS = "docs/grafana/alerts.yaml"
SAMPLE_PAGE = "crates/sample/README.md"
# Nobody can break it, so no comment is too wide because of it.
LONG_ADDRESS = "https://example.com/" + "long/" * 20

RIGHT = {
    LIB: """//! A sample.

mod base;
mod upper;

pub use base::{Leg, Table};
pub use upper::sit;
""",
    UPPER: """//! Above the base.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Leg, Table};

/// How many may sit.
const SEATS: usize = 4;

/// Sits at a table. The word `super::nothing` in a comment or a string is no arrow.
pub fn sit(table: &Arc<Table>, leg: Leg) -> fmt::Result {
    const NEAR: char = '"';
    let _ = ("mod upper; use crate::sit; at {", NEAR, '\\'', r#"a "raw" one"#, SEATS);
    table.stand(leg)
}

/// A plate: as many as are needed, so long as there are chairs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Plate<'a>(&'a str);

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: usize = SEATS;

    #[derive(Clone, Debug)]
    struct Guest;
}
""",
    BASE: """//! The base.

mod leg;
mod table;

pub use leg::Leg;
pub use table::Table;
""",
    # An exported macro is named from the root, which is no arrow to lib.rs.
    "crates/sample/src/base/leg.rs": """//! Below the table.

/// Four.
#[macro_export]
macro_rules! four {
    () => {
        4
    };
}

/// A leg.
#[derive(Debug)]
pub struct Leg;
""",
    # Names its sibling through the parent: the arrow goes to leg.rs, which is no cycle.
    TABLE: """//! A table.

use super::Leg;

/// A table <ADDRESS>
#[derive(Debug)]
pub struct Table;

impl Table {
    const LEGS: usize = crate::four!();

    /// Sets the legs.
    pub fn legs(self, _: u8) -> Self {
        self
    }

    pub(crate) fn stand(&self, _: Leg) -> std::fmt::Result {
        Ok(())
    }
}
""".replace("ADDRESS", LONG_ADDRESS),
    ENGINE: """//! An engine.

/// At most eight fields.
pub struct Part {
    a: [u8; 8],
    b: Map<u8, (u8, u8)>,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
}
""",
    PLAN: """# Architecture

```
facade   gatepost ───► every crate below it
services gatepost-keys ───► apikey-core       above the models
models   apikey-core · delivery               know nobody
```
""",
    MODULES: "sample: upper > base\n",
    KEYS: "[dependencies]\napikey-core.workspace = true\nserde = { version = \"1\" }\n",
    "crates/gatepost/Cargo.toml": "[dependencies]\ngatepost-keys.workspace = true\n",
    "crates/apikey-core/Cargo.toml": "[dependencies]\n",
    "crates/delivery/Cargo.toml": "[dependencies]\n",
    RULES: """# Rules

| SPEC | subject and fields | rules |
|---|---|---|
| 2.1 | the leg: **Feet** | 2 |

## WIRE 1: tables
Tests: `spec/legs`
""",
    SPEC: """//! SPEC 2.1 rules 1 and 2.

/// SPEC 2.1
/// rule 1: three.
#[test]
fn spec_2_1_rule_1_three() {}

/// SPEC 2.1 "Feet": one a leg. SPEC 2.1 rule 2: four.
#[test]
fn spec_2_1_feet() {}
""",
    METER: """//! Metrics.

/// How often.
const SAT: &str = "gatepost_sat_total";

/// Counts and times, also of guests who are gone.
pub fn measure() {
    metrics::counter!(SAT).increment(1);
    metrics::histogram!("gatepost_meal_seconds").record(1.0);
}

#[cfg(test)]
mod tests {
    fn measures() {
        metrics::gauge!("gatepost_of_a_test").set(1.0);
    }
}
""",
    MONITORING: "| `gatepost_sat_total` | often |\n| `gatepost_meal_seconds` | long |\n",
    DASHBOARD: '{"expr": ["gatepost_sat_total", "gatepost_meal_seconds_bucket"]}\n',
    ALERTS: "expr: gatepost_meal_seconds_sum > 1\n",
    SAMPLE_PAGE: "| `gatepost_sat_total` |\n| `gatepost_meal_seconds` |\n",
    "README.md": "# A sample\n\nAt most ten. [Legs](docs/internals/requirements.md#wire-1-tables), [all](crates).\n",
    OPTIONS: f"""<!-- options: {TABLE} -->
| `Sample::builder()` | default |
|---|---|
| `legs(4)` | 4 |
""",
    SUMMARY: "[r](internals/requirements.md) [o](operations/monitoring.md)\n"
    "[c](reference/configuration.md)\n",
    "checks/words.txt": "# The most.\ngone 1 0 0\n",
    "CHANGELOG.md": "# Changes\n\nTen at the most.\n",
}

# What it shows, the rules that refuse it, and the changes: path -> (old, new), or a whole new file.
WRONG = (
    ("a folder that is ignored", "paths", {"crates/sample/src/target/x.md": "x\n"}),
    ("a file that is ignored", "paths", {"debug": "x\n"}),
    ("a child that imports from its parent", "cycles", {
        BASE: ("pub use leg::Leg;", "pub use leg::Leg;\npub struct Rug;"),
        TABLE: ("use super::Leg;", "use super::{Leg, Rug};"),
    }),
    ("a child that names its parent in code", "cycles", {
        BASE: ("pub use table::Table;", "pub use table::Table;\n\npub(crate) fn sweep() {}"),
        TABLE: ("        Ok(())", "        super::sweep();\n        Ok(())"),
    }),
    ("two files through re-exports", "cycles modules", {
        TABLE: ("use super::Leg;", "use super::Leg;\nuse crate::sit;"),
    }),
    ("a glob", "cycles modules", {TABLE: ("use super::Leg;", "use super::*;\nuse crate::upper::*;")}),
    ("a module in braces", "cycles modules", {
        TABLE: ("impl Table {", "mod low {\n    use crate::upper::Plate;\n}\n\nimpl Table {"),
    }),
    ("a crate that depends on its neighbour", "crates", {
        KEYS: ("serde =", "delivery.workspace = true\nserde ="),
    }),
    ("an arrow that no manifest has", "crates", {KEYS: ("apikey-core.workspace = true\n", "")}),
    ("a crate that is not on the map", "crates", {
        "crates/webhook-model/Cargo.toml": "[dependencies]\n",
    }),
    ("a module in another layer than planned", "modules", {
        MODULES: ("sample: upper > base", "sample: base > upper"),
    }),
    ("a cycle of modules that is none of files", "modules", {
        BASE: ("mod leg;", "mod leg;\nmod rug;"),
        "crates/sample/src/base/rug.rs": "//! A rug.\n\nuse crate::upper::Plate;\n",
    }),
    ("a path of a document that is not there", "paths_named", {
        "README.md": ("At most ten.", "See `crates/sample/src/{lib.rs,base,gone}`."),
    }),
    ("a struct called Inner", "inner", {
        LIB: ("pub use upper::sit;", "pub use upper::sit;\n\nstruct Inner(u8);"),
    }),
    ("nine fields", "fields", {ENGINE: ("    h: u8,\n", "    h: u8,\n    i: u8,\n")}),
    ("nine fields of a tuple", "fields", {
        ENGINE: (
            "/// At most",
            "struct Nine(u8, u8, u8, u8, u8, u8, u8, u8, (u8, u8));\n\n/// At most",
        ),
    }),
    ("a long file", "sizes", {"crates/sample/src/upper/long.rs": "// x\n" * 427}),
    ("a long function", "sizes", {
        "crates/sample/src/upper/long.rs": "fn long() {\n" + "    step();\n" * 117 + "}\n",
    }),
    ("an engine of many constants", "engine", {
        "crates/gatepost-engine/src/limits.rs": "".join(
            f"const LIMIT_{n}: u32 = {n};\n" for n in range(300)
        ),
    }),
    ("derives out of order", "derives", {UPPER: ("Clone, Debug,", "Debug, Clone,")}),
    ("derives out of byte order", "derives", {
        UPPER: ("Clone, Debug, Deserialize, Serialize", "Clone, Debug, serde::Serialize, Default"),
    }),
    ("a wide comment", "width", {
        UPPER: ("/// How many", "/// " + "wide " * 20 + "\n/// How many"),
    }),
    ("a wide comment in a body", "width", {
        UPPER: ("    table.stand", "    // " + "wide " * 20 + "\n    table.stand"),
    }),
    ("a constant at the end", "constants", {
        TABLE: ("impl Table {", "const X: u8 = 1;\n\nimpl Table {"),
    }),
    ("a constant after a test", "constants", {
        "crates/sample/tests/it/main.rs": "#[test]\nfn sits() {}\n\nconst SEATS: u8 = 1;\n",
    }),
    ("a constant above an import", "constants", {
        UPPER: ("use crate::{Leg", "const X: u8 = 1;\n\nuse crate::{Leg"),
    }),
    ("two imports of one module", "imports", {
        UPPER: (
            "use serde::{Deserialize, Serialize};",
            "use serde::Deserialize;\nuse serde::Serialize;",
        ),
    }),
    ("nested braces", "imports", {
        UPPER: ("use std::fmt;\nuse std::sync::Arc;", "use std::{fmt, sync::{Arc, Mutex}};"),
    }),
    ("groups in a wrong order", "imports", {
        TABLE: ("use super::Leg;", "use super::Leg;\n\nuse std::fmt;"),
    }),
    ("groups without a blank line", "imports", {
        UPPER: ("Serialize};\n\nuse crate", "Serialize};\nuse crate"),
    }),
    ("a phrase in a string", "words", {
        UPPER: ("mod upper; use", "ten at the most, mod upper; use"),
    }),
    ("a phrase in a doc comment", "words", {TABLE: ("/// A table ", "/// So many tables ")}),
    ("a phrase broken over two lines", "words", {
        TABLE: ("/// A table ", "/// It stands\n/// in a table "),
    }),
    ("a link to no file", "links", {"README.md": ("requirements.md", "requirement.md")}),
    ("a link to no heading", "links", {"README.md": ("#wire-1-tables", "#wire-1")}),
    ("a page that the summary lacks", "summary", {"docs/more.md": "# More\n"}),
    ("an option without a row", "options", {OPTIONS: ("| `legs(4)` | 4 |\n", "")}),
    ("an option that does not exist", "options", {OPTIONS: ("`legs(4)`", "`legs.arms`")}),
    ("a source that does not exist", "options", {OPTIONS: ("options: ", "options: src/away.rs ")}),
    ("a metric without a row", "metrics", {MONITORING: ("| `gatepost_sat_total` | often |", "")}),
    ("a metric that no panel shows", "metrics", {DASHBOARD: ('"gatepost_sat_total", ', "")}),
    ("a metric that its crate does not name", "metrics", {SAMPLE_PAGE: ("_sat_", "_stood_")}),
    ("a metric that does not exist", "metrics", {ALERTS: ("meal_seconds_sum", "meals")}),
    ("a metric of tests alone", "metrics", {ALERTS: ("meal_seconds_sum", "of_a_test")}),
    ("a dashboard that is no JSON", "metrics", {DASHBOARD: ("}", "")}),
    ("a section that is no rule's", "rules_cited", {
        LIB: ("//! A sample.", "//! A sample (SPEC 2.1 and 3)."),
    }),
    ("a rule that is on no page", "rules_cited", {SPEC: ("rules 1 and 2", "rules 1 and 3")}),
    ("a rule broken over two lines", "rules_cited", {SPEC: ("/// rule 1", "/// rule 4")}),
    ("a plan that is no part of the project", "rules_cited", {
        LIB: ("//! A sample.", "//! A sample (TENANTS.md 4)."),
    }),
    ("a rule that no test cites", "rules_proved", {RULES: ("| 2 |", "| 3 |")}),
    ("a field that no test cites", "rules_proved", {RULES: ("**Feet", "**Toes")}),
    ("a section that names no tests", "rules_proved", {RULES: ("`spec/legs`", "")}),
    ("a file that is not there", "rules_proved", {RULES: ("spec/legs`", "spec/arms`")}),
    ("a test of no section", "rules_proved", {SPEC: ("fn spec_2_1_feet", "fn spec_2_2_feet")}),
    ("a test of no rule", "rules_proved", {SPEC: ("fn spec_2_1_feet", "fn spec_2_1_rule_3_feet")}),
    ("a word too often in a doc comment", "word_counts", {
        TABLE: ("/// A table ", "/// A table\n/// of the house "),
    }),
    ("a word too often in a comment", "word_counts", {
        TABLE: ("        Ok(())", "        // Who stands is seen.\n        Ok(())"),
    }),
    ("a word too often in a string", "word_counts", {
        UPPER: ("mod upper; use", "Done at once: mod upper; use"),
    }),
    ("a word too often in Markdown", "word_counts", {
        "README.md": ("At most ten.", "Ten chairs, beside\neach other."),
    }),
    ("an allowance for no pattern", "word_counts", {
        "checks/words.txt": ("gone 1", "went 1 0 0\ngone 1"),
    }),
    ("a phrase in Markdown", "words", {"README.md": ("At most ten.", "Ten at the most.")}),
)


def self_test(rules):
    """Prints what each sample met; 1 if any sample met something else than it must."""
    failed = 0
    for what, expected, changes in (("the right sample", "", {}), *WRONG):
        refused = refusals(rules, changes)
        if set(refused) != set(expected.split()):
            failed += 1
            print(f"FAILED: {what}: expected {expected}, refused by {refused}")
    for rule in set(rules).difference(*(rule.split() for _, rule, _ in WRONG)):
        failed += 1
        print(f"FAILED: {rule} has no wrong sample")
    print(f"{len(WRONG)} wrong samples for {len(rules)} rules: {failed} failed")
    return 1 if failed else 0


def refusals(rules, changes):
    """The rules that refuse the right sample with these changes, with what they say."""
    files = dict(RIGHT)
    for path, change in changes.items():
        if isinstance(change, tuple):
            old, new = change
            assert files[path].count(old) == 1, f"{old!r} in {path}"
            change = files[path].replace(old, new)
        files[path] = change
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for command in (["init", "-q"], ["add", "--all", "--force"]):
            subprocess.run(["git", *command], cwd=folder, check=True)
        tree = Tree(folder)
        found = {name: [str(p) for p in rule(tree)] for name, rule in rules.items()}
    return {name: problems for name, problems in found.items() if problems}
