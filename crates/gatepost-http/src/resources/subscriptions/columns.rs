//! `subscriptions`: the members of a request.

use crate::schema::{Column, Kind};

/// The members except for the events.
pub(crate) static MEMBERS: [Column; 5] = [
    Column::new("name", Kind::Text(1, 64), "\"chat alerts\"").required()
        .doc("The name of the task, and of the webhook if it is new; unique among the owner's webhooks then."),
    Column::new("url", Kind::Text(1, 2048), "\"https://hooks.example.com/in\"")
        .doc("The endpoint of a new webhook: http or https. Either this or webhook_url is required."),
    Column::new("webhook_url", Kind::Key("webhook_urls"), "2")
        .doc("An existing webhook, instead of url."),
    Column::new("message", Kind::Text(0, 1_048_576), "\"{\\\"text\\\":\\\"${NAME} is on\\\"}\"")
        .doc("The payload, with variables; absent means the default payload."),
    Column::new("signing_secret", Kind::Bool, "true")
        .doc("Whether a signing secret is made for the new webhook. It is in the response, this once."),
];

/// The members of each event.
pub(crate) static EVENT: [Column; 6] = [
    Column::new("table", Kind::Text(1, 64), "\"vms\"")
        .required()
        .doc("The event type: the area of the platform."),
    Column::new("event", Kind::Text(1, 64), "\"poweron\"")
        .required()
        .doc("The event; `*` is each event that the type has now."),
    Column::new("owner", Kind::Reference(None), "\"vms/3\"").doc(
        "The one object that it is about. A type that is not generic needs either this or a tag.",
    ),
    Column::new("tag", Kind::Int(0, i64::MAX), "0")
        .doc("The tag of all objects that it is about; 0 for none."),
    Column::new(
        "table_event_filters",
        Kind::Object,
        "{\"severity\": {\"$in\": [\"high\", \"critical\"]}}",
    )
    .doc("Which of these occurrences, by the data that they bring along, as in `task_events`."),
    Column::new("context", Kind::Object, "{}")
        .doc("The values of `${context}` and `${context.path}` in the message."),
];
