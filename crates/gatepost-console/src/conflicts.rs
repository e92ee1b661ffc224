//! Conflicts between an open form and edits by other users: found by digests of the values with
//! which the form was opened, and shown with both values to choose from.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash as _, Hasher as _};

use maud::{Markup, html};

use crate::fields::is_secret;
use crate::form::Form;
use crate::layout::{beginning, label};
use crate::texts::Texts;
use crate::time::zone_field;

/// The field with a digest of each value with which the form was opened.
pub(crate) const BEGAN: &str = "began";
/// The prefixes of a field's name: for its choice, and for its stored value.
const CHOICE: &str = "take.";
const THEIRS: &str = "theirs.";
/// The values of a choice.
const STORED: &str = "stored";
const TYPED: &str = "typed";
/// The maximum number of bytes shown of a value.
const MAX_SHOWN: usize = 2_000;

/// Returns the form of a stored record, with digests of its values.
pub(crate) fn begun(stored: Form) -> Form {
    let began = values(&stored).into_iter();
    let began = began.map(|(name, value)| format!("{name}:{}", digest(&value)));
    let began = began.collect::<Vec<_>>().join(" ");
    stored.with(BEGAN, began)
}

/// Returns the form with the stored value in each field for which the user chose it.
pub(crate) fn taken(stored: &Form, sent: Form) -> Form {
    let chosen = sent.iter().filter(|(_, choice)| *choice == STORED);
    let chosen = chosen.filter_map(|(name, _)| name.strip_prefix(CHOICE));
    let chosen: BTreeSet<String> = chosen.map(str::to_owned).collect();
    let is_taken = |name: &str| chosen.contains(group(name));
    let zones: BTreeSet<_> = chosen.iter().map(|name| zone_field(name)).collect();
    let kept = |name: &str| !is_taken(name) && !zones.contains(name) && !name.starts_with(CHOICE);
    let taken = stored.iter().filter(|(name, _)| is_taken(name));
    sent.only(kept).and(taken)
}

/// Returns the form with a choice for each field that others changed and that this form would
/// change back; `None` if there is no such field, or the form has no digests.
pub(crate) fn conflicting(stored: &Form, sent: &Form) -> Option<Form> {
    let began = sent.given(BEGAN)?.split(' ');
    let began: BTreeMap<_, _> = began.filter_map(|one| one.split_once(':')).collect();
    let (theirs, typed) = (values(stored), values(sent));
    let of = |values: &BTreeMap<&str, String>, name| values.get(name).cloned().unwrap_or_default();
    let (nothing, unused) = (digest(""), unused(sent));
    let names: BTreeSet<_> = theirs.keys().chain(began.keys()).copied().collect();
    let mut form = begun(stored.clone()).only(|name| name == BEGAN);
    for name in names.into_iter().filter(|name| *name != unused) {
        let (theirs, typed) = (of(&theirs, name), of(&typed, name));
        let was = began.get(name).copied().unwrap_or(&nothing);
        if digest(&theirs) != was && theirs != typed {
            let choice = if digest(&typed) == was { STORED } else { TYPED };
            form = form.with(&format!("{CHOICE}{name}"), choice);
            form = form.with(&format!("{THEIRS}{name}"), theirs);
        }
    }
    let found = form.iter().any(|(name, _)| name != BEGAN);
    found.then(|| sent.clone().only(|name| name != BEGAN).and(form.iter()))
}

/// Renders the choices within the form; nothing if there are none.
pub(crate) fn choices(t: &Texts, area: &str, form: &Form) -> Markup {
    let typed = values(form);
    let theirs = form.iter();
    let theirs = theirs.filter_map(|(name, theirs)| Some((name.strip_prefix(THEIRS)?, theirs)));
    html! {
        @for (name, theirs) in theirs {
            @let (choice, typed) = (format!("{CHOICE}{name}"), typed.get(name).map_or("", String::as_str));
            fieldset {
                legend { (label(t, area, name)) }
                @for (word, text, value) in [(STORED, "forms-changed-stored", theirs), (TYPED, "forms-changed-typed", typed)] {
                    @let id = format!("{choice}.{word}");
                    div.check {
                        input type="radio" id=(id) name=(choice) value=(word) checked[form.text(&choice) == word];
                        label for=(id) { (t.of(text)) " " (shown(t, area, name, value)) }
                    }
                }
            }
        }
    }
}

fn shown(t: &Texts, area: &str, name: &str, value: &str) -> Markup {
    let word = format!("{area}-form-{}-{value}", name.replace('_', "-"));
    let is_word = !value.is_empty() && value.bytes().all(|b| b.is_ascii_alphanumeric());
    html! {
        @match (value, t.find(&word).filter(|_| is_word)) {
            ("", _) => { (t.of("forms-changed-empty")) }
            ("on", _) => { (t.of("forms-changed-on")) }
            (_, Some(text)) => { (text) }
            _ => { code { (beginning(value, MAX_SHOWN)) } }
        }
    }
}

/// Returns the field for headers that the form does not use: rows or text.
fn unused(form: &Form) -> &'static str {
    match form.text("header_mode") {
        "text" => "header",
        _ => "headers_text",
    }
}

/// Returns the values of fields by name, and lists as lines; without secrets and empty values.
fn values(form: &Form) -> BTreeMap<&str, String> {
    let mut rows: BTreeMap<&str, Vec<(&str, Vec<&str>)>> = BTreeMap::new();
    let fields = form
        .iter()
        .filter(|(name, value)| !is_secret(name) && !value.is_empty());
    for (name, value) in fields {
        let row = name.rsplit_once('.').map_or("", |(row, _)| row);
        let rows = rows.entry(group(name)).or_default();
        match rows.last_mut() {
            Some((last, cells)) if *last == row && !row.is_empty() => cells.push(value),
            _ => rows.push((row, vec![value])),
        }
    }
    let lines = |(name, rows): (_, Vec<(&str, Vec<&str>)>)| {
        // A row that has only a ticked box is blank.
        let rows = rows
            .into_iter()
            .filter(|(row, cells)| row.is_empty() || cells != &["on"]);
        let lines: Vec<_> = rows.map(|(_, cells)| cells.join(" ")).collect();
        (name, lines.join("\n").replace("\r\n", "\n"))
    };
    rows.into_iter().map(lines).collect()
}

/// Returns the name of a field, or of the list to which it belongs.
fn group(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn digest(value: &str) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:x}", hasher.finish() >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> Form {
        Form::parse(b"name=a&retries=3&enabled=on&header.0.name=X-A&header.0.value=1&allow.0.net=10.0.0.0/8&allow.0.on=on")
    }

    #[test]
    fn edit_conflict_is_only_change_form_would_revert() {
        let began = begun(stored());
        assert!(conflicting(&stored(), &began).is_none());
        // The user's own change, a blank row, and a field that only the form has.
        let mine = began.clone().with("name", "mine").with("allow.1.on", "on");
        let mine = mine.with("csrf", "c").with("header.1.name", "");
        assert!(conflicting(&stored(), &mine).is_none());
        let theirs = stored().with("name", "theirs").with("retries", "7");
        let theirs = theirs
            .with("header.0.value", "2")
            .only(|name| name != "enabled");
        let found = conflicting(&theirs, &mine).unwrap();
        let choice = |name: &str| found.text(&format!("take.{name}")).to_owned();
        assert_eq!(choice("name"), TYPED);
        assert_eq!(
            ["retries", "header", "enabled", "allow"].map(choice),
            [STORED, STORED, STORED, ""]
        );
        assert_eq!(found.text("theirs.header"), "X-A 2");
        assert_eq!(found.text("name"), "mine");
        // Both made the same change.
        let same = began.with("name", "theirs");
        assert!(conflicting(&stored().with("name", "theirs"), &same).is_none());
        // A form of an older page.
        assert!(conflicting(&theirs, &stored()).is_none());
        // The user has seen the conflict: the next answer is final.
        assert!(conflicting(&theirs, &found).is_none());
    }

    #[test]
    fn chosen_stored_values_replace_typed_ones() {
        let theirs = stored().with("name", "theirs").with("header.0.value", "2");
        let sent = Form::parse(b"name=mine&take.name=typed&header.0.name=X-A&header.0.value=1&header.1.name=X-B&take.header=stored&enabled=on&take.enabled=stored");
        let form = taken(&theirs.only(|name| name != "enabled"), sent);
        let fields: Vec<_> = form
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            fields,
            ["name=mine", "header.0.name=X-A", "header.0.value=2"]
        );
    }

    #[test]
    fn no_digest_is_made_of_a_secret() {
        let form = begun(Form::parse(b"token=s3cret&name=a"));
        assert!(!form.text(BEGAN).contains("token"), "{}", form.text(BEGAN));
    }
}
