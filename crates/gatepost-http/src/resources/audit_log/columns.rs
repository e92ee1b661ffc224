//! `audit_log`: the declaration.

use crate::schema::{Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "audit_log",
    singular: "audit_log_entry",
    doc: "Who changed what. An addition of Gatepost's, served where the platform keeps such a log.",
    columns: &[
        Column::time("created", "1790000000", "When the change was made.").rising().short(),
        Column::new(
            "user",
            Kind::Reference(Some("users")),
            "\"users/7\"",
            "The user whose record was changed.",
        )
        .read_only()
        .short(),
        Column::new(
            "actor",
            Kind::Reference(Some("users")),
            "\"users/1\"",
            "The user who changed it.",
        )
        .read_only()
        .short(),
        Column::int(
            "user_api_key",
            "0",
            "The API key by which the actor came; 0 for a login, and where the actor's keys are not the caller's to see.",
        )
        .short(),
        Column::text(
            "address",
            "\"192.0.2.7\"",
            "The address from which the actor came; empty where it is not known or not the caller's to know.",
        )
        .short(),
        Column::new(
            "record",
            Kind::Reference(None),
            "\"webhook_urls/2\"",
            "The record, by its table and row number. It may be gone.",
        )
        .read_only()
        .short(),
        Column::text("name", "\"Ops channel\"", "What the record was called then.").short(),
        Column::text(
            "action",
            "\"update\"",
            "What was done: create, update, delete, enable, disable, pause, resume, replay, retry, cancel, run, test, trigger, send, send_test, rotate_secret, or an action of a table of the platform's.",
        )
        .short(),
        Column::new(
            "changes",
            Kind::Object,
            "{\"retries\": [\"3\", \"5\"], \"message\": null}",
            "What an edit changed, by field: the value before and after, at most 120 characters of each; null for what is secret or large.",
        )
        .read_only(),
    ],
    joins: &[],
    counts: &[],
    page: 500,
    actions: &[],
    shown_once: false,
    creatable: false,
    updatable: false,
    deletable: false,
};
