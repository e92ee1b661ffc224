//! The storage traits for webhooks, tasks, events, the queue, the delivery log and the outbox.
//!
//! The four traits belong to one database: transactions span the data of all of them. A backend
//! implements all four on one type, which is then a [`WebhookStore`].
//!
//! # The states of a delivery
//! ```text
//!  enqueue_all                     enqueue_all, leased
//!       |                                  |
//!       v              claim               v
//!    queued --------------------------> running
//!     ^ | |  <-------------------------   | |
//!     | | |     settle: Retry, Release;   | |
//!     | | |     reclaim                   | |
//!     | | |                               | |  settle: Failed;
//!     | | |     Cancelled; expire_held;   | |  reclaim, the last loss
//!     | | +---- a move of the owner ------|-+---------------------------> error
//!     | |                                 |   settle: Sent                 |
//!     | +------ Fetched ------------------+-----------------------------> sent
//!     |                                                                    |
//!     +------------------------------ replay ------------------------------+
//! ```
//! `Fetched`, `Cancelled` and `Due` are changes of [`DeliveryLog::change_waiting`]; `Due` changes
//! when a `queued` delivery is due. `delete_delivery` removes a delivery in any state; `purge` and
//! `recount_usage` remove only those that are `sent` or `error`.

mod body;
mod cause;
mod counters;
mod delivery;
mod delivery_query;
mod delivery_row;
mod end_reason;
mod excerpt;
mod invalid_delivery;
mod log;
mod outbox;
mod outbox_row;
mod queue;
mod queues;
mod record;
mod record_query;
mod records;
mod rejected;
mod routes;
mod waiting;

pub use body::HasBody;
pub use cause::Cause;
pub use counters::{CounterKind, CounterQuery, Counters, HourlyCount, UsageDelta};
pub use delivery::{AttemptRecord, Delivery, DeliveryId, DeliveryState, MessageId, Phases};
pub use delivery_query::DeliveryQuery;
pub use delivery_row::DeliveryRow;
pub use end_reason::EndReason;
pub use excerpt::DataExcerpt;
pub use invalid_delivery::InvalidDelivery;
pub use log::{DeliveryLog, LogHeadroom, LogUsage, PurgeBounds, Purged, QueueStats};
pub use outbox::OutboxStore;
pub use outbox_row::{
    NewOutbox, OpenOutbox, OutboxAudience, OutboxId, OutboxRow, OutboxTaken, PutBack,
    RemainingTasks, Unreadable,
};
pub use queue::{
    Claim, ClaimToken, Claimed, Disposition, Enqueue, Enqueued, NewDelivery, Origin, Precondition,
    QueueClaim, QueueStore, Reclaimed, Settled, Settlement, StoredDelivery,
};
pub use queues::{Arrived, DuePoint, DueQueue, FoundQueues, QueueClass, Queues, WebhookQueue};
pub use record::{
    Cascade, EventRow, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordRow,
    TaskRow, WebhookRow,
};
pub use record_query::{EventQuery, RecordQuery, TaskQuery, WebhookQuery};
pub use records::RecordStore;
pub use rejected::{RejectReason, RejectedCount};
pub use routes::{
    EventRoute, RouteChanges, Routes, RoutesVersion, TaskRoute, UnreadableRecord, WebhookRoute,
};
pub use waiting::{ChangedDelivery, IfWaiting, WaitingChange};

/// Everything that the task engine needs of a backend: records, queue, delivery log and outbox
/// in one database. Implemented for every type that implements the four.
pub trait WebhookStore: RecordStore + QueueStore + DeliveryLog + OutboxStore {}

impl<S: RecordStore + QueueStore + DeliveryLog + OutboxStore> WebhookStore for S {}
