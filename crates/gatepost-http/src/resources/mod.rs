//! The five tables, as the door offers them.

mod deliveries;
mod events;
mod keys;
mod row;
mod tasks;
mod unreadable;
mod webhooks;

use std::sync::Arc;

use deliveries::Deliveries;
use events::Events;
use keys::Keys;
use tasks::Tasks;
use webhooks::Webhooks;

use crate::resource::Resource;

/// All tables.
pub(crate) fn all() -> Vec<Arc<dyn Resource>> {
    vec![
        Arc::new(Keys),
        Arc::new(Webhooks),
        Arc::new(Deliveries),
        Arc::new(Tasks),
        Arc::new(Events),
    ]
}
