//! The headers of a webhook, as they are typed: as rows or as lines, with masks for stored values
//! that are not shown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use webhook_model::{Headers, MAX_HEADERS};

use crate::form::{Form, Rows};
use crate::problems::{Problems, rule};
use crate::texts::Texts;

/// Shown in place of a stored value that is secret. No header can contain it, so a typed value is
/// never mistaken for it.
pub(in crate::webhooks) const MASK: &str = "••••••••";

/// The columns of a row, and a row to type into.
const COLUMNS: [&str; 2] = ["name", "value"];
const BLANK: [&str; 2] = ["", ""];

/// The headers, as rows and as lines; one of the two counts.
#[derive(Default)]
pub(in crate::webhooks) struct HeaderFields {
    pub by_text: bool,
    /// Name and value.
    pub rows: Rows,
    pub text: String,
}

impl HeaderFields {
    /// A single header: the message is JSON.
    pub(super) fn json() -> Self {
        Self {
            by_text: false,
            rows: Rows::of(
                vec![vec!["Content-Type".into(), "application/json".into()]],
                BLANK,
            ),
            text: "Content-Type: application/json\n".into(),
        }
    }

    pub(super) fn sent(form: &Form) -> Self {
        Self {
            by_text: form.text("header_mode") == "text",
            rows: form.rows("header", COLUMNS, BLANK, MAX_HEADERS),
            text: form.lines("headers_text"),
        }
    }

    /// What is stored, with its secrets masked.
    pub(super) fn of(headers: &Headers) -> Self {
        let shown = headers.iter().map(|header| {
            let value = if header.is_sensitive() {
                MASK
            } else {
                header.value()
            };
            vec![header.name().to_owned(), value.to_owned()]
        });
        let rows: Vec<_> = shown.collect();
        let lines = rows.iter().map(|row| format!("{}\n", row.join(": ")));
        Self {
            by_text: false,
            text: lines.collect(),
            rows: Rows::of(rows, BLANK),
        }
    }

    /// Parses the rows or the lines; masked values are taken from `present`.
    pub(super) fn parse(
        &self,
        texts: &Texts,
        problems: &mut Problems,
        present: Option<&Headers>,
    ) -> Option<Headers> {
        let headers = if self.by_text {
            of_text(texts, &self.text, present)
        } else if self.rows.is_too_long(texts, self.field(), problems) {
            return None;
        } else {
            of_rows(texts, &self.rows.rows, present)
        };
        problems.take(self.field(), headers)
    }

    /// Whether all values were typed: no mask stands for a stored one.
    pub(super) fn is_entered(&self) -> bool {
        if self.by_text {
            !self.text.contains(MASK)
        } else {
            !self
                .rows
                .rows
                .iter()
                .flatten()
                .any(|cell| cell.contains(MASK))
        }
    }

    /// The form field that counts.
    pub(super) fn field(&self) -> &'static str {
        if self.by_text {
            "headers_text"
        } else {
            "header"
        }
    }
}

/// Headers from rows of a name and a value. Empty rows are skipped, but counted.
fn of_rows(
    texts: &Texts,
    rows: &[Vec<String>],
    present: Option<&Headers>,
) -> Result<Headers, String> {
    let line = |row: &Vec<String>| {
        if row.iter().all(String::is_empty) {
            return Ok(String::new());
        }
        let line = row.join(":");
        if line.contains(['\r', '\n']) {
            return Err(texts.of("webhooks-problem-line-break"));
        }
        Ok(line)
    };
    let lines: Result<Vec<_>, _> = rows.iter().map(line).collect();
    let lines = lines.map_err(Cow::into_owned)?;
    of_text(texts, &lines.join("\n"), present)
}

/// Headers from lines.
fn of_text(texts: &Texts, text: &str, present: Option<&Headers>) -> Result<Headers, String> {
    Headers::parse_lines(&unmask(texts, text, present)?).map_err(rule)
}

/// Replaces each mask by its stored value: the first mask of a name by the first stored value of
/// that name.
fn unmask(texts: &Texts, text: &str, present: Option<&Headers>) -> Result<String, String> {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        let Some((name, value)) = line.split_once(':') else {
            return Ok(line.to_owned());
        };
        if value.trim() != MASK {
            return Ok(line.to_owned());
        }
        let name = name.trim();
        let nth = used.entry(name.to_ascii_lowercase()).or_default();
        let stored = present.and_then(|headers| {
            headers
                .iter()
                .filter(|h| h.is_sensitive() && h.name().eq_ignore_ascii_case(name))
                .nth(*nth)
        });
        *nth += 1;
        stored
            .map(|stored| format!("{name}:{}", stored.value()))
            .ok_or_else(|| {
                let line = ("line", (at + 1).into());
                texts.with("webhooks-problem-mask", &[line])
            })
    });
    Ok(lines.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_stands_for_the_stored_value_of_its_name_in_order() {
        let stored = Headers::parse_lines("X-Token:one\nX-Plain:p\nX-Token:two\n").unwrap();
        let texts = Texts::english();
        let read =
            |text: &str| of_text(&texts, text, Some(&stored)).map(|headers| headers.to_string());
        let text = format!("A:1\nx-token: {MASK}\nX-Token:new\nX-Token:{MASK} ");
        assert_eq!(
            read(&text).unwrap(),
            "A:1\nx-token:one\nX-Token:new\nX-Token:two\n"
        );
        // A third mask, a mask of a value that is shown, and one without a stored value.
        for wrong in [
            format!("X-Token:{MASK}\nX-Token:{MASK}\nX-Token:{MASK}"),
            format!("X-Plain:{MASK}"),
            format!("X-Other:{MASK}"),
            format!("X-Token:{MASK}x"),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
        assert!(of_text(&texts, &format!("X-Token:{MASK}"), None).is_err());
    }
}
