//! The names of the tables in the API's paths and in audit records.

pub(crate) const AUDIT_LOG: &str = "audit_log";
pub(crate) const DELIVERIES: &str = "webhooks";
pub(crate) const EVENTS: &str = "task_events";
pub(crate) const KEYS: &str = "user_api_keys";
pub(crate) const TASKS: &str = "tasks";
pub(crate) const WEBHOOKS: &str = "webhook_urls";
