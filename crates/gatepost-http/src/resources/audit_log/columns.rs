//! `audit_log`: the declaration.

use crate::schema::{Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "audit_log",
    singular: "audit_log_entry",
    doc: "Who changed what. An addition of Gatepost's, served where the platform keeps such a log.",
    columns: &[
        Column::new("created", Kind::Time, "1790000000").read_only().rising().short()
            .doc("When the change was made."),
        Column::new("user", Kind::Reference(Some("users")), "\"users/7\"").read_only().short()
            .doc("The user whose record was changed."),
        Column::new("actor", Kind::Reference(Some("users")), "\"users/1\"").read_only().short()
            .doc("The user who changed it."),
        Column::new("user_api_key", Kind::Int(i64::MIN, i64::MAX), "0").read_only().short()
            .doc("The API key by which the actor came; 0 for a login, and where the actor's keys are not the caller's to see."),
        Column::new("address", Kind::Text(0, usize::MAX), "\"192.0.2.7\"").read_only().short()
            .doc("The address from which the actor came; empty where it is not known or not the caller's to know."),
        Column::new("record", Kind::Reference(None), "\"webhook_urls/2\"").read_only().short()
            .doc("The record, by its table and row number. It may be gone."),
        Column::new("name", Kind::Text(0, usize::MAX), "\"Ops channel\"").read_only().short()
            .doc("What the record was called then."),
        Column::new("action", Kind::Text(0, usize::MAX), "\"update\"").read_only().short()
            .doc("What was done: create, update, delete, enable, disable, pause, resume, replay, retry, cancel, run, test, trigger, send, send_test, rotate_secret, or an action of a table of the platform's."),
        Column::new("changes", Kind::Object, "{\"retries\": [\"3\", \"5\"], \"message\": null}").read_only()
            .doc("What an edit changed, by field: the value before and after, at most 120 characters of each; null for what is secret or large."),
    ],
    ..Table::READ_ONLY
};
