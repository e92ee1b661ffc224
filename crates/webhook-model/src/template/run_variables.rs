//! The variables of a manual run.

use gatepost_ids::mark_hidden;

use super::parse::is_name;
use crate::error::{Field, Invalid};

/// The maximum number of variables for one run.
const MOST: usize = 100;
/// The maximum size of their names and values together, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// Names with a built-in value in every message, which no variable could replace.
const TAKEN: [&str; 5] = ["DATE", "TIMESTAMP", "RANDOM", "data", "context"];

/// Further variables for one manual run of a task (WIRE 6): at most 100, of 64 KiB together,
/// without the character U+0000. Each name must be valid between `${` and `}`, and must not be
/// built in.
///
/// ```
/// use webhook_model::RunVariables;
/// let run = RunVariables::new([("REASON".to_owned(), "nightly".to_owned())])?;
/// assert_eq!(run.into_pairs(), [("REASON".to_owned(), "nightly".to_owned())]);
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RunVariables(Vec<(String, String)>);

impl RunVariables {
    /// Creates them from names and values.
    ///
    /// # Errors
    /// Names the variable and the rule that it breaks, or the limit.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, Invalid> {
        let mut read: Vec<(String, String)> = Vec::new();
        let mut bytes = 0;
        for (name, value) in pairs {
            if read.len() == MOST {
                return Err(refused("must be at most 100 variables".to_owned()));
            }
            bytes += name.len() + value.len();
            if bytes > MAX_BYTES {
                return Err(refused("must be at most 65536 bytes".to_owned()));
            }
            check(&name)?;
            if value.contains('\0') {
                return Err(refused(format!(
                    "must not hold the character U+0000 in '{name}'"
                )));
            }
            if read.iter().any(|(known, _)| *known == name) {
                return Err(refused(format!("must name '{name}' once")));
            }
            read.push((name, value));
        }
        Ok(Self(read))
    }

    /// Returns names and values, in their original order.
    #[must_use]
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }
}

fn check(name: &str) -> Result<(), Invalid> {
    if TAKEN.contains(&name) {
        let rule = format!("must not name '{name}', which has a value in every message");
        return Err(refused(rule));
    }
    if is_name(name) {
        return Ok(());
    }
    let shown: String = name.chars().take(64).collect();
    let shown = mark_hidden(&shown);
    Err(refused(format!(
        "must have names of 1 to 64 letters, digits and _ that do not begin with a digit, not '{shown}'"
    )))
}

fn refused(rule: String) -> Invalid {
    Invalid::new(Field::Parameters, rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(pairs: &[(&str, &str)]) -> String {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let refused = RunVariables::new(pairs).unwrap_err();
        assert_eq!(refused.field(), Field::Parameters);
        refused.rule().to_owned()
    }

    #[test]
    fn run_variable_with_nul_character_is_refused() {
        let said = rule(&[("A", "x"), ("B", "y\0")]);
        assert_eq!(said, "must not hold the character U+0000 in 'B'");
    }

    #[test]
    fn run_variable_names_are_valid_and_not_reserved() {
        let long = "x".repeat(64);
        for name in ["REASON", "_a1", "Name", "NAME", &long] {
            RunVariables::new([(name.to_owned(), String::new())]).unwrap();
        }
        let longer = "x".repeat(65);
        for name in [
            "",
            "1st",
            "a.b",
            "a b",
            "Größe",
            "a}",
            "x\u{202e}y",
            &longer,
        ] {
            let said = rule(&[(name, "v")]);
            assert!(
                said.starts_with("must have names of 1 to 64 letters"),
                "{said}"
            );
            assert!(!said.contains('\u{202e}'), "{said}");
        }
        for name in TAKEN {
            assert!(rule(&[(name, "v")]).contains(name));
        }
        assert_eq!(rule(&[("A", "1"), ("A", "2")]), "must name 'A' once");
    }

    #[test]
    fn run_variables_are_bounded_in_count_and_bytes() {
        let some = |count: usize| (0..count).map(|n| (format!("V{n}"), String::new()));
        RunVariables::new(some(100)).unwrap();
        let refused = RunVariables::new(some(101)).unwrap_err();
        assert_eq!(refused.rule(), "must be at most 100 variables");
        let of = |bytes: usize| [("V".to_owned(), "x".repeat(bytes - 1))];
        RunVariables::new(of(64 * 1024)).unwrap();
        let refused = RunVariables::new(of(64 * 1024 + 1)).unwrap_err();
        assert_eq!(refused.rule(), "must be at most 65536 bytes");
    }
}
