//! `subscriptions`: the members of a request.

use crate::schema::{Column, Kind};

/// The members except for the events.
pub(crate) static MEMBERS: [Column; 5] = [
    Column::new(
        "name",
        Kind::Text { min: 1, max: 64 },
        "\"chat alerts\"",
        "The name of the task, and of the webhook if it is new; unique among the owner's webhooks then.",
    )
    .required(),
    Column::new(
        "url",
        Kind::Text { min: 1, max: 2048 },
        "\"https://hooks.example.com/in\"",
        "The endpoint of a new webhook: http or https. Either this or webhook_url is required.",
    ),
    Column::new(
        "webhook_url",
        Kind::Key("webhook_urls"),
        "2",
        "An existing webhook, instead of url.",
    ),
    Column::new(
        "message",
        Kind::Text {
            min: 0,
            max: 1_048_576,
        },
        "\"{\\\"text\\\":\\\"${NAME} is on\\\"}\"",
        "The payload, with variables; absent means the default payload.",
    ),
    Column::new(
        "signing_secret",
        Kind::Bool,
        "true",
        "Whether a signing secret is made for the new webhook. It is in the response, this once.",
    ),
];

/// The members of each event.
pub(crate) static EVENT: [Column; 6] = [
    Column::new(
        "table",
        Kind::Text { min: 1, max: 64 },
        "\"vms\"",
        "The event type: the area of the platform.",
    )
    .required(),
    Column::new(
        "event",
        Kind::Text { min: 1, max: 64 },
        "\"poweron\"",
        "The event; `*` is each event that the type has now.",
    )
    .required(),
    Column::new(
        "owner",
        Kind::Reference(None),
        "\"vms/3\"",
        "The one object that it is about. A type that is not generic needs either this or a tag.",
    ),
    Column::new(
        "tag",
        Kind::Int {
            min: 0,
            max: i64::MAX,
        },
        "0",
        "The tag of all objects that it is about; 0 for none.",
    ),
    Column::new(
        "table_event_filters",
        Kind::Object,
        "{\"severity\": {\"$in\": [\"high\", \"critical\"]}}",
        "Which of these occurrences, by the data that they bring along, as in `task_events`.",
    ),
    Column::new(
        "context",
        Kind::Object,
        "{}",
        "The values of `${context}` and `${context.path}` in the message.",
    ),
];
