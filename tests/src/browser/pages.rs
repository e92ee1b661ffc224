//! The pages of a furnished site (`furnish`), for tests that look at all of them and for pictures.

/// The path of each page, and what its picture is called.
pub const PAGES: &[(&str, &str)] = &[
    ("/console/", "dashboard"),
    ("/console/keys", "keys"),
    ("/console/keys/new", "key-new"),
    ("/console/keys/1/edit", "key-edit"),
    ("/console/keys/1/delete", "key-delete"),
    ("/console/webhooks", "webhooks"),
    ("/console/webhooks/new", "webhook-new"),
    ("/console/webhooks/1", "webhook"),
    ("/console/webhooks/1/edit", "webhook-edit"),
    ("/console/webhooks/1/delete", "webhook-delete"),
    ("/console/tasks", "tasks"),
    ("/console/tasks/new", "task-new"),
    ("/console/tasks/1/edit", "task-edit"),
    ("/console/tasks/1/delete", "task-delete"),
    ("/console/events", "events"),
    ("/console/events/new", "event-type"),
    ("/console/events/new?type=vms", "event-new"),
    ("/console/events/1/edit", "event-edit"),
    ("/console/events/1/delete", "event-delete"),
    ("/console/deliveries", "deliveries"),
    ("/console/deliveries/2", "delivery"),
    ("/console/deliveries?state=queued", "deliveries-none"),
    ("/console/nothing-here", "not-found"),
];
