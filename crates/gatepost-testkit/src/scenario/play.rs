//! The store of a scenario, and the names of its rows.

use std::collections::BTreeMap;

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    ClaimToken, DeliveryId, LogUsage, OutboxId, Precondition, QueueStats, RecordId, RecordRow,
    RoutesVersion,
};
use webhook_model::{EventId, Occurrence, TaskId, WebhookId};

use super::names::Names;
use crate::harness::Webhooks;

/// The number of a row that no store has given.
const NOWHERE: i64 = 1 << 40;

/// A body that is easily changed on its way.
pub(super) const ODD: &str = "{\"a\":\"é\u{2028}\0\r\n\"} ";

/// The answer of a step.
pub(super) type Answer = Result<String, StoreError>;

/// A store, and what the scenario calls its rows.
#[derive(Clone)]
pub(super) struct Play {
    pub(super) store: Webhooks,
    pub(super) now: i64,
    pub(super) records: Names<RecordId>,
    pub(super) deliveries: Names<DeliveryId>,
    pub(super) outbox: Names<OutboxId>,
    /// The pushed occurrences, by the names of their rows.
    pub(super) pushed: BTreeMap<String, Occurrence>,
    /// The tokens of each delivery, the newest last.
    pub(super) tokens: BTreeMap<DeliveryId, Vec<ClaimToken>>,
    pub(super) rows: BTreeMap<String, RecordRow>,
    pub(super) bases: BTreeMap<String, Precondition>,
    pub(super) versions: BTreeMap<String, RoutesVersion>,
    /// All deliveries with their attempts, as they were last looked at.
    pub(super) seen: String,
    /// The last counts of the queue, and the usage that shares are measured by.
    pub(super) counted: Option<QueueStats>,
    pub(super) measured: (LogUsage, u64),
}

impl Play {
    pub(super) fn new(store: Webhooks) -> Self {
        let mut records = Names::default();
        records.add("nowhere", WebhookId(NOWHERE).into());
        records.add("nowhere.task", TaskId(NOWHERE).into());
        records.add("nowhere.event", EventId(NOWHERE).into());
        let (mut deliveries, mut outbox) = (Names::default(), Names::default());
        deliveries.add("nothing", DeliveryId(NOWHERE));
        outbox.add("nothing", OutboxId(NOWHERE));
        Self {
            store,
            now: 0,
            records,
            deliveries,
            outbox,
            pushed: BTreeMap::new(),
            tokens: BTreeMap::from([(DeliveryId(NOWHERE), vec![ClaimToken(NOWHERE)])]),
            rows: BTreeMap::new(),
            bases: BTreeMap::new(),
            versions: BTreeMap::new(),
            seen: String::new(),
            counted: None,
            measured: (LogUsage::default(), 1),
        }
    }

    pub(super) fn webhook(&self, name: &str) -> WebhookId {
        match self.records.id(name) {
            RecordId::Webhook(id) => id,
            other => panic!("{name} is {other:?}"),
        }
    }

    pub(super) fn task(&self, name: &str) -> TaskId {
        match self.records.id(name) {
            RecordId::Task(id) => id,
            other => panic!("{name} is {other:?}"),
        }
    }

    pub(super) fn event(&self, name: &str) -> EventId {
        match self.records.id(name) {
            RecordId::Event(id) => id,
            other => panic!("{name} is {other:?}"),
        }
    }

    /// Returns whether this is as it was when it was last looked at.
    pub(super) fn look(&mut self, seen: String) -> String {
        let before = std::mem::replace(&mut self.seen, seen);
        let same = before == self.seen;
        if same { "same" } else { "changed" }.to_owned()
    }
}
