//! `tasks`: the declaration.

use crate::resources::row::{CREATED, MODIFIED};
use crate::resources::unreadable;
use crate::schema::{Access, Action, Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "tasks",
    singular: "task",
    doc: "Tasks: what to send through a webhook when an event occurs.",
    columns: &[
        Column::new("name", Kind::Text(1, 64), "\"tell the chat\"").required().short()
            .doc("A descriptive name."),
        Column::new("description", Kind::Text(0, 2048), "\"\"").short()
            .doc("Purpose, expected outcome."),
        Column::new("enabled", Kind::Bool, "true").short()
            .doc("Whether events can run it."),
        Column::new("owner", Kind::Reference(Some("webhook_urls")), "\"webhook_urls/2\"").required().short()
            .doc("The webhook to send."),
        Column::new("table", Kind::Word(&["webhook_urls"]), "\"webhook_urls\"").access(Access::CreateOnly).short()
            .doc("The kind of object that the task acts on; fixed."),
        Column::new("action", Kind::Word(&["send"]), "\"send\"").short()
            .doc("What it does with the object."),
        Column::new("action_display", Kind::Text(0, 64), "\"Send\"").read_only()
            .doc("The action, in words."),
        Column::new("status", Kind::Word(&["idle", "running"]), "\"idle\"").access(Access::Recorded).short()
            .doc("Whether a delivery of it is in progress."),
        Column::new("last_run", Kind::Time, "1790000000").access(Access::Recorded).short()
            .doc("When it last ran; 0 for never."),
        Column::new("delete_after_run", Kind::Bool, "false")
            .doc("Whether it is deleted after it has run once."),
        Column::new("settings_args", Kind::Object, "{\"message\":\"{\\\"text\\\":\\\"${NAME} is on\\\"}\"}")
            .doc("`message`: the payload, with variables; absent means the default payload."),
        Column::new("id", Kind::Text(40, 40), "\"8843d7f92416211de9ebb963ff4ce28125932878\"").read_only()
            .doc("40 hexadecimal digits that name the task."),
        Column::new("creator", Kind::Reference(Some("users")), "\"users/1\"").read_only()
            .doc("The user who created it."),
        Column::new("system_created", Kind::Bool, "false").read_only()
            .doc("Whether the platform created it."),
        CREATED,
        MODIFIED,
        unreadable::COLUMN,
    ],
    joins: &["owner", "creator"],
    counts: &[("events", "task_events"), ("triggers", "tasks")],
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
    ..Table::EDITABLE
};
