//! `tasks`: the declaration.

use crate::resources::unreadable;
use crate::schema::{Action, Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "tasks",
    singular: "task",
    doc: "Tasks: what to send through a webhook when an event occurs.",
    columns: &[
        Column::new(
            "name",
            Kind::Text { min: 1, max: 64 },
            "\"tell the chat\"",
            "A descriptive name.",
        )
        .required()
        .short(),
        Column::new(
            "description",
            Kind::Text { min: 0, max: 2048 },
            "\"\"",
            "Purpose, expected outcome.",
        )
        .short(),
        Column::new("enabled", Kind::Bool, "true", "Whether events can run it.").short(),
        Column::new(
            "owner",
            Kind::Reference(Some("webhook_urls")),
            "\"webhook_urls/2\"",
            "The webhook to send.",
        )
        .required()
        .short(),
        Column::new(
            "table",
            Kind::Word(&["webhook_urls"]),
            "\"webhook_urls\"",
            "The kind of object that the task acts on; fixed.",
        )
        .create_only()
        .short(),
        Column::new(
            "action",
            Kind::Word(&["send"]),
            "\"send\"",
            "What it does with the object.",
        )
        .short(),
        Column::new(
            "action_display",
            Kind::Text { min: 0, max: 64 },
            "\"Send\"",
            "The action, in words.",
        )
        .read_only(),
        Column::new(
            "status",
            Kind::Word(&["idle", "running"]),
            "\"idle\"",
            "Whether a delivery of it is in progress.",
        )
        .recorded()
        .short(),
        Column::new(
            "last_run",
            Kind::Time,
            "1790000000",
            "When it last ran; 0 for never.",
        )
        .recorded()
        .short(),
        Column::new(
            "delete_after_run",
            Kind::Bool,
            "false",
            "Whether it is deleted after it has run once.",
        ),
        Column::new(
            "settings_args",
            Kind::Object,
            "{\"message\":\"{\\\"text\\\":\\\"${NAME} is on\\\"}\"}",
            "`message`: the payload, with variables; absent means the default payload.",
        ),
        Column::new(
            "id",
            Kind::Text { min: 40, max: 40 },
            "\"8843d7f92416211de9ebb963ff4ce28125932878\"",
            "40 hexadecimal digits that name the task.",
        )
        .read_only(),
        Column::new(
            "creator",
            Kind::Reference(Some("users")),
            "\"users/1\"",
            "The user who created it.",
        )
        .read_only(),
        Column::new(
            "system_created",
            Kind::Bool,
            "false",
            "Whether the platform created it.",
        )
        .read_only(),
        Column::new("created", Kind::Time, "1790000000", "When it was created.")
            .read_only()
            .rising(),
        Column::new(
            "modified",
            Kind::Time,
            "1790000000",
            "When it was last changed.",
        )
        .read_only(),
        unreadable::COLUMN,
    ],
    joins: &[
        ("owner", "$display"),
        ("owner", "name"),
        ("creator", "$display"),
        ("creator", "name"),
    ],
    counts: &[("events", "task_events"), ("triggers", "tasks")],
    page: 500,
    actions: &[
        Action::new("execute", "Runs the task now.").with_any(
            "A variable of this run: `REASON` is what `${REASON}` in the message becomes. Names are 1 to 64 letters, \
             digits and `_` that do not begin with a digit; those of `${DATE}`, `${TIMESTAMP}`, `${RANDOM}`, `${data}` \
             and `${context}` are taken. What is no text is shown as JSON. At most 100, of 64 KiB together. A run is about no object: `NAME` is what `${NAME}` becomes, which is empty without it.",
        ),
        Action::new(
            "cancel",
            "Ends what still waits of the task's deliveries; what is being sent goes on.",
        ),
        Action::new("enable", "Lets events run the task."),
        Action::new("disable", "Keeps events from running the task."),
    ],
    shown_once: false,
    creatable: true,
    updatable: true,
    deletable: true,
};
