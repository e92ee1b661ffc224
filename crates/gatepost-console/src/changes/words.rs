//! What was done, and to what, in words. What the platform added stays as it calls it.

use maud::{Markup, html};
use webhook_model::ObjectId;

use crate::texts::Texts;

/// The tables of records: the name in the log, the text, and the path of a row before and after
/// its number.
pub(super) const TABLES: [(&str, &str, &str, &str); 5] = [
    ("user_api_keys", "changes-key", "/keys/", ""),
    ("webhook_urls", "changes-webhook", "/webhooks/", ""),
    ("tasks", "changes-task", "/tasks/", "/edit"),
    ("task_events", "changes-event", "/events/", "/edit"),
    ("webhooks", "changes-delivery", "/deliveries/", ""),
];

const OPERATIONS: [(&str, &str); 17] = [
    ("cancel", "changes-did-cancel"),
    ("create", "changes-did-create"),
    ("delete", "changes-did-delete"),
    ("disable", "changes-did-disable"),
    ("enable", "changes-did-enable"),
    ("pause", "changes-did-pause"),
    ("replay", "changes-did-replay"),
    ("resume", "changes-did-resume"),
    ("retry", "changes-did-retry"),
    ("roll", "changes-did-roll"),
    ("rotate_secret", "changes-did-rotate-secret"),
    ("run", "changes-did-run"),
    ("send", "changes-did-send"),
    ("send_test", "changes-did-send-test"),
    ("test", "changes-did-test"),
    ("trigger", "changes-did-trigger"),
    ("update", "changes-did-update"),
];

/// What was done.
pub(super) fn operation(texts: &Texts, word: &str) -> Markup {
    let known = OPERATIONS.iter().find(|(known, _)| *known == word);
    html! { @match known { Some((_, text)) => (texts.of(text)), None => code { (word) } } }
}

/// The kind of record.
pub(super) fn kind(texts: &Texts, table: &str) -> Markup {
    let known = TABLES.iter().find(|(known, ..)| *known == table);
    html! { @match known { Some((_, text, ..)) => (texts.of(text)), None => code { (table) } } }
}

/// The page of a record, below the console's own path; `None` of a table of the platform's.
pub(super) fn path(table: &str, row: ObjectId) -> Option<String> {
    let known = TABLES.iter().find(|(known, ..)| *known == table);
    known.map(|(_, _, before, after)| format!("{before}{row}{after}"))
}
