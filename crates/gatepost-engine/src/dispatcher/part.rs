//! What the dispatcher is made of.

use std::sync::Arc;

use gatepost_storage::webhooks::WebhookStore;

use crate::admission::Admission;
use crate::attempt::Worker;
use crate::clock::EngineClock;
use crate::config::Timing;
use crate::judge::Judge;
use crate::routes::WebhookCache;

#[derive(Clone, Debug)]
pub(crate) struct Dispatcher {
    pub store: Arc<dyn WebhookStore>,
    pub webhooks: Arc<WebhookCache>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub judge: Arc<Judge>,
    pub clock: Arc<EngineClock>,
    pub timing: Timing,
    /// Under which this process holds leases.
    pub holder: u128,
}
