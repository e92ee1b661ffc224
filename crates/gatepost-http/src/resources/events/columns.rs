//! `task_events`: the declaration.

use crate::resources::row::{CREATED, MODIFIED};
use crate::resources::unreadable;
use crate::schema::{Access, Action, Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "task_events",
    singular: "task_event",
    doc: "Events: what runs which task.",
    columns: &[
        Column::new("task", Kind::Key("tasks"), "3").required().short()
            .doc("The task to run."),
        Column::new("table", Kind::Text(1, 64), "\"vms\"").required().access(Access::CreateOnly).short()
            .doc("The event type: the area of the platform."),
        Column::new("event", Kind::Text(1, 64), "\"poweron\"").required().access(Access::CreateOnly).short()
            .doc("What happens; fixed at creation."),
        Column::new("event_name", Kind::Text(0, 128), "\"Powered on\"").short()
            .doc("The event's label: what its user calls it, or, where that is empty, what the platform calls what happens."),
        Column::new("owner", Kind::Reference(None), "\"vms/3\"").short()
            .doc("The one object that it is about. A type that is not generic needs either this or a tag."),
        Column::new("tag", Kind::Int(0, i64::MAX), "0").short()
            .doc("The tag of all objects that it is about; 0 for none."),
        Column::new("enabled", Kind::Bool, "true").short()
            .doc("Whether it runs its task."),
        Column::new("table_event_filters", Kind::Object, "{\"severity\": {\"$in\": [\"high\", \"critical\"]}}")
            .doc("Which of these occurrences, by the data that they bring along: paths and conditions, all of which \
             must hold. A condition is a value to be equal to, or an object of $eq, $ne, $in, $nin, $gt, $gte, $lt, \
             $lte and $exists; $or has a list of such objects. At most 4096 bytes, 100 values, 8 objects in \
             each other. An empty object is all of them. What is not understood is refused with 422. The \
             operators are an addition of Gatepost."),
        Column::new("context", Kind::Object, "{}")
            .doc("What `${context}` and `${context.path}` in the message of the task are."),
        CREATED,
        MODIFIED,
        unreadable::COLUMN,
    ],
    joins: &["owner", "task"],
    actions: &[Action {
        params: &[Column::new("context", Kind::Object, "{}")
            .doc("Variables for the message, by name; up to 64 KiB, also its data.")],
        ..Action::new("trigger", "Triggers the event manually.")
    }],
    ..Table::EDITABLE
};
