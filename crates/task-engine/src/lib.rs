//! Occurrence to events to tasks to durable queue to sender.
