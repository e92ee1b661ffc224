//! The headers in a webhook's form: as rows or as lines, with masks for stored values that are not
//! shown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use maud::{Markup, html};
use webhook_model::{Headers, MAX_HEADERS};

use crate::fields::{Sheet, webhook};
use crate::form::{Form, Rows};
use crate::layout::{self, Column};
use crate::problems::{Problems, rule};
use crate::texts::Texts;

/// The mask for a stored value that is secret. No header can contain it, so a typed value is never
/// mistaken for it.
pub(in crate::webhooks) const MASK: &str = "••••••••";

/// The columns of a row, and a blank row.
const COLUMNS: [&str; 2] = ["name", "value"];
const BLANK: [&str; 2] = ["", ""];

/// Returns the form with a single header, which says that the message is JSON.
pub(super) fn json(form: Form) -> Form {
    with(
        form,
        vec![["Content-Type".into(), "application/json".into()]],
    )
}

/// Returns the form with the stored headers, secrets masked.
pub(super) fn stored(form: Form, headers: &Headers) -> Form {
    let shown = headers.iter().map(|header| {
        let value = if header.is_sensitive() {
            MASK
        } else {
            header.value()
        };
        [header.name().to_owned(), value.to_owned()]
    });
    with(form, shown.collect())
}

/// Returns the form with the headers as rows and as lines; only the rows count.
fn with(form: Form, rows: Vec<[String; 2]>) -> Form {
    let lines = rows.iter().map(|row| format!("{}\n", row.join(": ")));
    form.with("header_mode", "rows")
        .with("headers_text", lines.collect::<String>())
        .with_rows("header", COLUMNS, rows)
}

/// Parses the rows or the lines; masked values are taken from `present`.
pub(super) fn parse(
    form: &Form,
    texts: &Texts,
    problems: &mut Problems,
    present: Option<&Headers>,
) -> Option<Headers> {
    let (field, rows) = (field(form), rows(form));
    let headers = if by_text(form) {
        of_text(texts, &form.lines("headers_text"), present)
    } else if rows.is_too_long(texts, field, problems) {
        return None;
    } else {
        of_rows(texts, &rows.rows, present)
    };
    problems.take(field, headers)
}

/// Whether all values were typed, so that no mask stands for a stored one.
pub(super) fn is_entered(form: &Form) -> bool {
    if by_text(form) {
        return !form.text("headers_text").contains(MASK);
    }
    let rows = rows(form).rows;
    !rows.iter().flatten().any(|cell| cell.contains(MASK))
}

/// Returns the field of the form that counts.
pub(super) fn field(form: &Form) -> &'static str {
    if by_text(form) {
        "headers_text"
    } else {
        "header"
    }
}

/// Renders the fields.
pub(super) fn fields(sheet: &Sheet<'_>) -> Markup {
    let t = sheet.texts;
    // The editor inserts the number here.
    let number = [("number", "%".into())];
    let columns = [
        Column {
            name: "name",
            label: &t.with("webhooks-form-row-name", &number),
            tick: None,
            placeholder: &t.of("webhooks-form-row-name-empty"),
        },
        Column {
            name: "value",
            label: &t.with("webhooks-form-row-value", &number),
            tick: None,
            placeholder: &t.of("webhooks-form-row-value-empty"),
        },
    ];
    let (legend, rows) = (sheet.text("header", ""), rows(sheet.form).rows);
    html! {
        h2 { (t.of("webhooks-form-headers-title")) }
        (sheet.field(&webhook::HEADER_MODE, ""))
        div.when.rows { (layout::editor(t, sheet.problems, "header", &legend, &columns, &rows, true)) }
        (sheet.field(&webhook::HEADERS_TEXT, ""))
    }
}

fn by_text(form: &Form) -> bool {
    form.text("header_mode") == "text"
}

fn rows(form: &Form) -> Rows {
    form.rows("header", COLUMNS, BLANK, MAX_HEADERS)
}

/// Parses headers from rows of a name and a value. Empty rows are skipped, but counted.
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

/// Parses headers from lines.
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
    fn header_mask_restores_stored_values_in_order() {
        let stored = Headers::parse_lines("X-Token:one\nX-Plain:p\nX-Token:two\n").unwrap();
        let texts = Texts::english();
        let read =
            |text: &str| of_text(&texts, text, Some(&stored)).map(|headers| headers.to_string());
        let text = format!("A:1\nx-token: {MASK}\nX-Token:new\nX-Token:{MASK} ");
        assert_eq!(
            read(&text).unwrap(),
            "A:1\nx-token:one\nX-Token:new\nX-Token:two\n"
        );
        // A third mask, a mask of a value that is not secret, and one without a stored value.
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
