//! Headers as they are typed: as rows or as lines, with masks where stored values are not shown.

use std::collections::BTreeMap;

use webhook_model::Headers;

use super::MASK;
use crate::form::rule;

/// Headers from rows of a name and a value. Rows that are wholly empty are passed over, but
/// counted.
pub(super) fn of_rows(rows: &[Vec<String>], present: Option<&Headers>) -> Result<Headers, String> {
    let line = |row: &Vec<String>| {
        if row.iter().all(String::is_empty) {
            return Ok(String::new());
        }
        let line = row.join(":");
        if line.contains(['\r', '\n']) {
            return Err("a header must not hold line breaks");
        }
        Ok(line)
    };
    let lines: Vec<_> = rows.iter().map(line).collect::<Result<_, _>>()?;
    of_text(&lines.join("\n"), present)
}

/// Headers from lines.
pub(super) fn of_text(text: &str, present: Option<&Headers>) -> Result<Headers, String> {
    Headers::parse_lines(&unmask(text, present)?).map_err(rule)
}

/// Puts the stored values where their mask still stands: the first mask of a name is the first
/// stored value of it.
fn unmask(text: &str, present: Option<&Headers>) -> Result<String, String> {
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
                format!(
                    "line {}: there is no stored value of this name; enter it",
                    at + 1
                )
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
        let read = |text: &str| of_text(text, Some(&stored)).map(|headers| headers.to_string());
        let text = format!("A:1\nx-token: {MASK}\nX-Token:new\nX-Token:{MASK} ");
        assert_eq!(
            read(&text).unwrap(),
            "A:1\nx-token:one\nX-Token:new\nX-Token:two\n"
        );
        // A third, one of a value that is shown, and one without a stored value.
        for wrong in [
            format!("X-Token:{MASK}\nX-Token:{MASK}\nX-Token:{MASK}"),
            format!("X-Plain:{MASK}"),
            format!("X-Other:{MASK}"),
            format!("X-Token:{MASK}x"),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
        assert!(of_text(&format!("X-Token:{MASK}"), None).is_err());
    }
}
