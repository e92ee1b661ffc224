//! The dispatcher's dependencies.

use std::sync::Arc;

use crate::admission::Admission;
use crate::attempt::Worker;
use crate::config::Timing;
use crate::core::Core;
use crate::routes::WebhookCache;

#[derive(Clone, Debug)]
pub(crate) struct Dispatcher {
    pub core: Arc<Core>,
    pub webhooks: Arc<WebhookCache>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub timing: Timing,
}
