//! What was done, and to what, in words. What the platform added stays as it calls it.

use maud::{Markup, html};
use webhook_model::ObjectId;

use crate::texts::Texts;

/// The tables of records: the name in the log, and the path of a row before and after its number.
pub(super) const TABLES: [(&str, &str, &str); 5] = [
    ("user_api_keys", "/keys/", ""),
    ("webhook_urls", "/webhooks/", ""),
    ("tasks", "/tasks/", "/edit"),
    ("task_events", "/events/", "/edit"),
    ("webhooks", "/deliveries/", ""),
];

/// What was done.
pub(super) fn operation(texts: &Texts, word: &str) -> Markup {
    named(
        texts,
        &format!("changes-did-{}", word.replace('_', "-")),
        word,
    )
}

/// The kind of record.
pub(super) fn kind(texts: &Texts, table: &str) -> Markup {
    let text = format!("lists-changes-state-{}", table.replace('_', "-"));
    named(texts, &text, table)
}

/// A text, or the word itself where there is none for it.
fn named(texts: &Texts, text: &str, word: &str) -> Markup {
    html! { @match texts.find(text) { Some(text) => (text), None => code { (word) } } }
}

/// The page of a record, below the console's own path; `None` of a table of the platform's.
pub(super) fn path(table: &str, row: ObjectId) -> Option<String> {
    let known = TABLES.iter().find(|(known, ..)| *known == table);
    known.map(|(_, before, after)| format!("{before}{row}{after}"))
}
