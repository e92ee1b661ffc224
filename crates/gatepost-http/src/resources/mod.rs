//! The tables of `Management`.

mod audit_log;
mod deliveries;
mod events;
mod keys;
mod row;
pub(crate) mod subscriptions;
mod tasks;
mod unreadable;
mod webhooks;

use std::sync::Arc;

use audit_log::AuditLog;
use deliveries::Deliveries;
use events::Events;
use keys::Keys;
use tasks::Tasks;
use webhooks::Webhooks;

use crate::resource::Resource;

/// Returns all tables, with `audit_log` only if there is an audit log.
pub(crate) fn all(has_audit_log: bool) -> Vec<Arc<dyn Resource>> {
    let mut all: Vec<Arc<dyn Resource>> = vec![
        Arc::new(Keys),
        Arc::new(Webhooks),
        Arc::new(Deliveries),
        Arc::new(Tasks),
        Arc::new(Events),
    ];
    if has_audit_log {
        all.push(Arc::new(AuditLog));
    }
    all
}
