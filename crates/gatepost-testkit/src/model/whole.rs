//! Whole rows as text, and edits of any field.

use std::fmt::Write as _;

use crate::fields::{Field, Rule};

/// Returns every field of a row except its number: the index of its value among those to try, or
/// else its `Debug` form. A field named in `own` has that text instead, if it has none of these
/// values.
pub(super) fn text<R>(fields: &[Field<R>], row: &R, own: &[(&str, String)]) -> String {
    let mut all = String::new();
    for field in fields.iter().filter(|field| !field.name().ends_with(".id")) {
        let name = field.name();
        let own = own.iter().find(|(of, _)| *of == name);
        let text = match (field.position(row), own) {
            (Some(value), _) => format!("#{value}"),
            (None, Some((_, text))) => text.clone(),
            (None, None) => field.show(row),
        };
        write!(all, "{name}={text} ").unwrap_or_default();
    }
    all
}

/// Sets a field of a row to a value, whether an edit may store it or not; these numbers name the
/// field and the value. Fields that name the row stay.
pub(super) fn change<R>(fields: &[Field<R>], (field, value): (u8, u8), row: &mut R) {
    let fields: Vec<_> = fields.iter().filter(|f| f.rule() != Rule::Shown).collect();
    let Some(field) = usize::from(field).checked_rem(fields.len()) else {
        return;
    };
    let values = fields[field].values();
    if let Some(value) = usize::from(value).checked_rem(values.len()) {
        fields[field].copy(&values[value], row);
    }
}
