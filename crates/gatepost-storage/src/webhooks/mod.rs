//! Where webhooks, tasks, events, the queue and the delivery log are stored.
//!
//! Four traits, one database: what one of them stores and another reads is bound by
//! transactions, so a backend implements all four on one type and is then a [`WebhookStore`].

mod body;
mod cause;
mod counters;
mod delivery;
mod delivery_query;
mod delivery_row;
mod dropped;
mod excerpt;
mod fetched;
mod lanes;
mod log;
mod outbox;
mod outbox_row;
mod queue;
mod record;
mod records;
mod routes;
mod row_edits;

pub use body::Bodied;
pub use cause::{Cause, InvalidCause};
pub use counters::{CounterKind, CounterQuery, Counters, HourlyCount, UsageDelta};
pub use delivery::{
    AttemptRecord, Delivery, DeliveryId, DeliveryState, InvalidMessageId, MessageId, Phases,
};
pub use delivery_query::DeliveryQuery;
pub use delivery_row::DeliveryRow;
pub use dropped::{DropReason, Dropped};
pub use excerpt::{DataExcerpt, InvalidExcerpt};
pub use fetched::{Acknowledged, Acknowledgement, FETCHED_INFO, HandedOut};
pub use lanes::{Arrived, DueLane, DuePoint, FoundQueues, Lane, LaneClass, Queues};
pub use log::{
    DeliveryLog, EXPIRED_INFO, LogRoom, LogUsage, PurgeBounds, Purged, QueueStats, Replay,
};
pub use outbox::OutboxStore;
pub use outbox_row::{
    Left, NewOutbox, OutboxAudience, OutboxId, OutboxRow, OutboxTaken, PutBack, Unreadable,
};
pub use queue::{
    Basis, Claim, ClaimToken, Claimed, Disposition, Enqueue, Enqueued, LaneClaim, MAX_LOST_CLAIMS,
    NewDelivery, Origin, QueueStore, Reclaimed, Settled, Settlement, StoredDelivery,
    lost_claims_info,
};
pub use record::{
    Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery, RecordRow, TaskRow,
};
pub use records::{Cascade, EventQuery, RecordStore, TaskQuery, WebhookQuery};
pub use routes::{
    ChangedRoutes, EventRoute, RouteChanges, RouteDelta, Routes, RoutesVersion, TaskRoute,
    UnreadableRecord, WebhookRoute,
};

/// Everything that the task engine needs of a backend: records, queue, delivery log and outbox
/// in one database. Implemented for every type that implements the four.
pub trait WebhookStore: RecordStore + QueueStore + DeliveryLog + OutboxStore {}

impl<S: RecordStore + QueueStore + DeliveryLog + OutboxStore> WebhookStore for S {}
