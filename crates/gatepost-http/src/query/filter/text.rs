//! Texts of a row, read in steps, since some have several MiB.

use std::borrow::Cow;

use serde_json::Value;

use super::pace::Pace;
use crate::error::Result;
use crate::schema::RowMap;

/// The number of bytes that are read before the task may yield.
const STEP: usize = 128 * 1024;

/// A row, and its case-folded texts, each folded once however often it is used.
pub(super) struct Texts<'r> {
    row: &'r RowMap,
    folded: Vec<(&'r str, String)>,
}

impl<'r> Texts<'r> {
    pub(super) fn of(row: &'r RowMap) -> Self {
        Self {
            row,
            folded: Vec::new(),
        }
    }

    pub(super) fn value(&self, field: &str) -> &'r Value {
        self.row.get(field).unwrap_or(&Value::Null)
    }

    /// Returns the text for text operators: strings unchanged, numbers in digits.
    pub(super) fn text(&self, field: &str) -> Option<Cow<'r, str>> {
        match self.value(field) {
            Value::String(text) => Some(text.into()),
            Value::Number(number) => Some(number.to_string().into()),
            _ => None,
        }
    }

    /// Returns the same, case-folded.
    pub(super) async fn folded(
        &mut self,
        field: &str,
        pace: &mut impl Pace,
    ) -> Result<Option<&str>> {
        let known = self.folded.iter().position(|(known, _)| *known == field);
        let found = self.row.iter().find(|(name, _)| *name == field);
        let at = match (known, found, self.text(field)) {
            (Some(at), ..) => at,
            (None, Some((name, _)), Some(text)) => {
                self.folded.push((name, folded(&text, pace).await?));
                self.folded.len() - 1
            }
            _ => return Ok(None),
        };
        Ok(self.folded.get(at).map(|(_, text)| text.as_str()))
    }
}

/// Folds the case of a text.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(lower).collect()
}

/// The two forms of the Greek small sigma become one: which of them a capital becomes depends on
/// the next character, which may be in another step.
fn lower(c: char) -> impl Iterator<Item = char> {
    match c {
        'Σ' | 'ς' => 'σ'.to_lowercase(),
        c => c.to_lowercase(),
    }
}

async fn folded(text: &str, pace: &mut impl Pace) -> Result<String> {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while at < text.len() {
        let end = boundary(text, at + STEP);
        out.push_str(&fold(&text[at..end]));
        pace.spend(2 * (end - at)).await?;
        at = end;
    }
    Ok(out)
}

/// Returns whether a text contains a part.
pub(super) async fn contains(text: &str, part: &str, pace: &mut impl Pace) -> Result<bool> {
    let mut at = 0;
    loop {
        let next = boundary(text, at + STEP);
        // A match may begin in this step and end in the next.
        let end = boundary(text, next + part.len());
        if text[at..end].contains(part) {
            return Ok(true);
        }
        pace.spend(end - at).await?;
        if end == text.len() {
            return Ok(false);
        }
        at = next;
    }
}

/// Returns the first character boundary at or after `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut behind = at.min(text.len())..text.len();
    behind
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::super::pace::AtOnce;
    use super::*;

    #[test]
    fn a_part_is_found_wherever_steps_meet() {
        for filler in ["a", "é", "𝄞"] {
            for before in [STEP - 9, STEP - 4, STEP - 1, STEP, STEP + 1, 2 * STEP - 2] {
                let before = filler.repeat(before / filler.len());
                let text = format!("{before}needle{}", filler.repeat(STEP / filler.len()));
                assert_eq!(
                    AtOnce::run(|mut at_once| async move {
                        let found = contains(&text, "needle", &mut at_once).await?;
                        Ok(found && !contains(&text, "needles", &mut at_once).await?)
                    }),
                    Ok(true)
                );
            }
        }
    }

    #[test]
    fn stepwise_case_folding_equals_whole_text_folding() {
        let text = "ΑΒΓΣ ΣΑΣ İSTANBUL Straße É ".repeat(STEP / 20);
        let wanted = fold(&text);
        let in_steps = AtOnce::run(|mut at_once| async move { folded(&text, &mut at_once).await });
        assert_eq!(in_steps, Ok(wanted));
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        assert_eq!(fold("Web HOOK"), "web hook");
    }
}
