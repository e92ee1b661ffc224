//! `task_events`: the declaration.

use crate::resources::unreadable;
use crate::schema::{Action, Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "task_events",
    singular: "task_event",
    doc: "Events: what runs which task.",
    columns: &[
        Column::new("task", Kind::Key("tasks"), "3", "The task to run.")
            .required()
            .short(),
        Column::new(
            "table",
            Kind::Text { min: 1, max: 64 },
            "\"vms\"",
            "The event type: the area of the platform.",
        )
        .required()
        .create_only()
        .short(),
        Column::new(
            "event",
            Kind::Text { min: 1, max: 64 },
            "\"poweron\"",
            "What happens; fixed at creation.",
        )
        .required()
        .create_only()
        .short(),
        Column::new(
            "event_name",
            Kind::Text { min: 0, max: 128 },
            "\"Powered on\"",
            "The event's label: what its user calls it, or, where that is empty, what the platform calls what happens.",
        )
        .short(),
        Column::new(
            "owner",
            Kind::Reference(None),
            "\"vms/3\"",
            "The one object that it is about. A type that is not generic needs either this or a tag.",
        )
        .short(),
        Column::new(
            "tag",
            Kind::Int {
                min: 0,
                max: i64::MAX,
            },
            "0",
            "The tag of all objects that it is about; 0 for none.",
        )
        .short(),
        Column::new("enabled", Kind::Bool, "true", "Whether it runs its task.").short(),
        Column::new(
            "table_event_filters",
            Kind::Object,
            "{\"severity\": {\"$in\": [\"high\", \"critical\"]}}",
            "Which of these occurrences, by the data that they bring along: paths and conditions, all of which \
             must hold. A condition is a value to be equal to, or an object of $eq, $ne, $in, $nin, $gt, $gte, $lt, \
             $lte and $exists; $or has a list of such objects. At most 4096 bytes, 100 values, 8 objects in \
             each other. An empty object is all of them. What is not understood is refused with 422. The \
             operators are an addition of Gatepost.",
        ),
        Column::new("context", Kind::Object, "{}", "What `${context}` and `${context.path}` in the message of the task are."),
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
        ("task", "name"),
        ("task", "$display"),
    ],
    counts: &[],
    page: 500,
    actions: &[Action {
        params: &[Column::new(
            "context",
            Kind::Object,
            "{}",
            "Variables for the message, by name; up to 64 KiB, also its data.",
        )],
        ..Action::new("trigger", "Triggers the event manually.")
    }],
    shown_once: false,
    creatable: true,
    updatable: true,
    deletable: true,
};
