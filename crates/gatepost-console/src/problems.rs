//! The problems of a form, field by field.

use std::fmt;

use axum::Json;
use serde_json::{Map, Value, json};
use webhook_model::Invalid;

use crate::texts::Texts;

/// The name that stands for the whole form.
const WHOLE: &str = "";

/// The rules that the fields of a form break, in the language of the page.
#[derive(Debug)]
pub(crate) struct Problems {
    texts: Option<Texts>,
    found: Vec<(String, String)>,
}

impl Problems {
    /// Creates an empty list for a form that is parsed.
    pub(crate) fn new(texts: &Texts) -> Self {
        Self {
            texts: Some(texts.clone()),
            found: Vec::new(),
        }
    }

    /// Creates an empty list for a form that is only shown.
    pub(crate) const fn none() -> Self {
        Self {
            texts: None,
            found: Vec::new(),
        }
    }

    /// Notes a broken rule, worded by a page or by the crates below.
    pub(crate) fn add(&mut self, field: impl Into<String>, rule: impl fmt::Display) {
        let rule = rule.to_string();
        let said = self.texts.as_ref().map(|texts| texts.rule(&rule));
        let said = sentence(said.as_deref().unwrap_or(&rule));
        self.found.push((field.into(), said));
    }

    /// Notes why the whole form is refused, whatever is in its fields.
    pub(crate) fn refuse(&mut self, why: impl fmt::Display) {
        self.add(WHOLE, why);
    }

    /// Returns the value; if it is invalid, notes the rule it breaks.
    pub(crate) fn take<T, E: fmt::Display>(
        &mut self,
        field: &str,
        value: Result<T, E>,
    ) -> Option<T> {
        value.map_err(|rule| self.add(field, rule)).ok()
    }

    pub(crate) fn of(&self, field: &str) -> Option<&str> {
        self.found
            .iter()
            .find(|(name, _)| name == field)
            .map(|(_, rule)| rule.as_str())
    }

    /// Returns the reasons for which the whole form is refused.
    pub(crate) fn refusals(&self) -> impl Iterator<Item = &str> {
        let whole = self.iter().filter(|(field, _)| *field == WHOLE);
        whole.map(|(_, why)| why)
    }

    /// Returns the problems of fields.
    pub(crate) fn of_fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.iter().filter(|(field, _)| *field != WHOLE)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns JSON for the script: each problem under its field, and the other hints while the
    /// user types.
    pub(crate) fn checked(&self, hints: &Value) -> Json<Value> {
        let problems = self.iter();
        let problems = problems.map(|(field, rule)| (field.to_owned(), rule.into()));
        let problems: Map<String, Value> = problems.collect();
        Json(json!({"problems": problems, "hints": hints}))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.found
            .iter()
            .map(|(field, rule)| (field.as_str(), rule.as_str()))
    }
}

/// Returns the rule that a value breaks, without the name of its field, next to which it is shown.
#[allow(clippy::needless_pass_by_value, reason = "errors are mapped by value")]
pub(crate) fn rule(invalid: Invalid) -> String {
    invalid.rule().to_owned()
}

/// Returns a rule such as `must be 3 or greater` as it is shown next to a field:
/// `Must be 3 or greater.`, and `is required` as `Required.`
pub(crate) fn sentence(rule: &str) -> String {
    let mut letters = rule.strip_prefix("is ").unwrap_or(rule).chars();
    let first = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect::<String>();
    let end = if rule.ends_with(['.', '!', '?', '。', '۔', '؟', '।']) {
        ""
    } else {
        "."
    };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_sentences() {
        let mut problems = Problems::new(&Texts::english());
        problems.add("timeout", "must be 3 or greater");
        assert_eq!(problems.of("timeout"), Some("Must be 3 or greater."));
        assert_eq!(problems.of("name"), None);
        problems.add("name", "is required");
        assert_eq!(problems.of("name"), Some("Required."));
    }
}
