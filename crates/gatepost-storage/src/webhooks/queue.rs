//! The durable queue: enqueue, claim, settle.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use webhook_model::{OccurrenceId, TaskId, WebhookId};

use super::cause::Cause;
use super::delivery::{AttemptRecord, Delivery, DeliveryId, DeliveryState, MessageId};
use super::outbox_row::{NewOutbox, OutboxId, RemainingTasks};
use super::queues::{Arrived, DueQueue, FoundQueues, QueueClass, Queues, WebhookQueue};
use super::record::RecordId;
use super::routes::RoutesVersion;
use crate::error::StoreError;
use crate::page::Revision;

/// The origin of a batch of deliveries, which decides how duplicates are detected.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Origin {
    /// A call without an id: every call is stored.
    Direct,
    /// An occurrence with an id: a repeated id is [`Enqueued::AlreadyKnown`].
    Occurrence {
        /// The realm of its audience, within which the id is unique.
        place: Realm,
        /// The id.
        id: OccurrenceId,
    },
    /// A row of the outbox, which is consumed or continued in the same transaction. If the row is
    /// deleted, rejected, or in another round, the result is [`Enqueued::AlreadyKnown`].
    Outbox {
        /// The row.
        row: OutboxId,
        /// The round in which it was read.
        turn: u32,
        /// The realm and the id of its occurrence, if it has an id and this is its first round. For
        /// a known id the store consumes the row and stores nothing else; the result is
        /// [`Enqueued::AlreadyKnown`] too.
        occurrence: Option<(Realm, OccurrenceId)>,
        /// The remaining tasks and their due time; `None` consumes the row.
        left: Option<(RemainingTasks, DateTime<Utc>)>,
    },
}

/// A delivery to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewDelivery {
    /// The id that the receiver sees. The store does not check it: 128 random bits make it unique.
    pub message_id: MessageId,
    /// The webhook to send to.
    pub webhook: WebhookId,
    /// The task that makes it.
    pub task: Option<TaskId>,
    /// Its cause.
    pub cause: Option<Cause>,
    /// The rendered message.
    pub body: Arc<str>,
    /// The due time of the first attempt.
    pub due: DateTime<Utc>,
    /// `Some(end)` stores it as `running`, leased to the caller until then. The caller can send it
    /// immediately, without claiming it from the queue.
    pub lease_until: Option<DateTime<Utc>>,
}

/// The precondition of an enqueue: the state of the records that must still hold when it is stored.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Precondition {
    /// No precondition: no task was matched (a message sent manually, or an occurrence that is only
    /// written to the outbox).
    Nothing,
    /// These realms must have these versions. At most three.
    Realms(Vec<(Realm, RoutesVersion)>),
    /// These rows must have these revisions, and their owners must be neither suspended nor moving.
    /// An emit uses it after it lost against changes of its realms, since it does not depend on the
    /// other rows.
    Rows(Vec<(RecordId, Revision)>),
}

/// The changes of the queue for one occurrence, applied in one transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Enqueue {
    /// The precondition.
    pub precondition: Precondition,
    /// The origin, for the detection of duplicates.
    pub origin: Origin,
    /// The deliveries. May be empty: an outbox row that matches nothing is still consumed.
    pub deliveries: Vec<NewDelivery>,
    /// One-time tasks to delete, with their events.
    pub consume: Vec<TaskId>,
    /// The tasks to process later, as rows of the outbox.
    pub later: Vec<NewOutbox>,
}

impl Enqueue {
    /// Creates an enqueue that ends an origin and adds rows of the outbox, without a precondition.
    #[must_use]
    pub fn later(origin: Origin, later: Vec<NewOutbox>) -> Self {
        Self {
            precondition: Precondition::Nothing,
            origin,
            deliveries: Vec::new(),
            consume: Vec::new(),
            later,
        }
    }
}

/// A delivery that [`QueueStore::enqueue_all`] stored, in the order of the request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct StoredDelivery {
    /// Its row number.
    pub id: DeliveryId,
    /// The claim token, if the caller asked for a lease.
    pub token: Option<ClaimToken>,
}

/// The result of an [`Enqueue`].
#[derive(Clone, Debug, PartialEq)]
pub enum Enqueued {
    /// Everything was stored.
    Stored {
        /// The deliveries, in the order of the request.
        deliveries: Vec<StoredDelivery>,
        /// The rows of the outbox, in the order of the request.
        later: Vec<OutboxId>,
        /// The versions, after the commit, of the realms in which a task was consumed.
        moved: Vec<(Realm, RoutesVersion)>,
    },
    /// The origin was used before. Nothing was stored.
    AlreadyKnown,
    /// A realm of [`Precondition::Realms`] has changed since it was read, or a task to consume was
    /// deleted. Nothing was stored; read the changes and match again.
    RoutesChanged,
    /// These rows of [`Precondition::Rows`] have changed, were deleted, or have an owner who is
    /// suspended or moving; or these tasks to consume were deleted. Nothing was stored.
    RowsChanged(Vec<RecordId>),
}

/// The token of a claim. Deliveries that were stored or claimed in one call may share a token,
/// which is valid once for each of them. Every later claim of a delivery has a greater token, so
/// that a worker whose lease expired cannot overwrite the result of the next one.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct ClaimToken(pub i64);

/// A delivery and the token of its claim.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Claim {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The token.
    pub token: ClaimToken,
}

/// A queue to claim from, and the maximum number of deliveries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QueueClaim {
    /// The queue.
    pub queue: WebhookQueue,
    /// The maximum number of deliveries to claim.
    pub limit: u32,
}

/// A claimed delivery, which is now `running`.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    /// The delivery, with the due time that it had in the queue.
    pub delivery: Delivery,
    /// The token to settle it with. Other deliveries of the same call may have the same token.
    pub token: ClaimToken,
    /// The class of the queue in which it waited.
    pub class: QueueClass,
    /// The webhook's revision at the time of the claim.
    pub revision: Revision,
}

/// The disposition of a delivery at the end of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Disposition {
    /// The target accepted: `sent`.
    Sent,
    /// Another attempt at `due`: `queued`.
    Retry {
        /// The due time.
        due: DateTime<Utc>,
    },
    /// No further attempt: `error`.
    Failed,
    /// Released without an attempt (shutdown, or the webhook was paused): `queued`, no attempt
    /// counted.
    Release {
        /// The due time.
        due: DateTime<Utc>,
    },
}

impl Disposition {
    /// Returns the resulting state of the delivery, and its due time if it is queued again.
    #[must_use]
    pub fn state_and_due(&self) -> (DeliveryState, Option<DateTime<Utc>>) {
        match *self {
            Self::Sent => (DeliveryState::Sent, None),
            Self::Failed => (DeliveryState::Error, None),
            Self::Retry { due } | Self::Release { due } => (DeliveryState::Queued, Some(due)),
        }
    }
}

/// The end of one claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// The delivery and the token.
    pub claim: Claim,
    /// The disposition.
    pub disposition: Disposition,
    /// The new `status_info`.
    pub status_info: String,
    /// The attempt; `None` for [`Disposition::Release`], or if no attempt could be made.
    pub attempt: Option<AttemptRecord>,
    /// Whether the message is kept if this ends the delivery. If not, the delivery is listed with
    /// an empty body and `message_kept` false, and cannot be replayed.
    pub keep_message: bool,
}

/// The result of a [`Settlement`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Settled {
    /// The delivery was settled under this token, by this call or an earlier one. A repeated
    /// settlement changes nothing, whatever it contains.
    Done,
    /// The delivery was not settled under this token, and nothing was changed. The claim was taken
    /// back ([`QueueStore::reclaim`]) or never made, or the delivery was deleted. The result is the
    /// same if the delivery was settled under this token and has since been replayed or ended
    /// without a settlement. A store may also return it for a delivery that was settled or taken
    /// back under a later token, or is no longer shown.
    Stale,
}

/// The result of [`QueueStore::reclaim`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Reclaimed {
    /// The number of deliveries that were queued again.
    pub requeued: u64,
    /// The number of deliveries that ended in `error` after [`Delivery::MAX_LOST_CLAIMS`].
    pub ended: u64,
}

/// Stores the queue.
///
/// # Contract
/// The contract of [`RecordStore`](super::RecordStore) applies. In addition:
/// - A delivery is claimable if it is `queued`, `due <= now`, and its webhook
///   [sends](webhook_model::Webhook::sends): the webhook is neither paused nor disabled, and its
///   mode is not [fetch](webhook_model::DeliveryMode).
/// - If a webhook sends in order ([`DeliveryOrder::InOrder`](webhook_model::DeliveryOrder)), only
///   its oldest delivery that has not ended is claimable, whichever queue it is in. None is
///   claimable while one is `running`.
/// - No delivery of an owner who is suspended, deleted or moving is claimable.
/// - At any time at most one token of a delivery may be valid: the last one.
/// - For a webhook in order, row numbers of deliveries must rise in the order in which the enqueues
///   were committed, in any number of processes.
/// - Calls may share transactions. A call must not wait for the locks of another call's realms or
///   rows, and must not fail because another call fails.
#[async_trait]
pub trait QueueStore: fmt::Debug + Send + Sync + 'static {
    /// Stores the changes of occurrences to the queue, in as few commits as possible.
    ///
    /// - The store must return one result for each batch, in order.
    /// - A batch must be stored completely or not at all: its deliveries, its rows of the outbox,
    ///   the end of its origin, and the deletion of the tasks that it consumes.
    /// - The store must check the origin first, then the precondition, and then write the rows.
    /// - It must check each batch separately, in the given order, against the state that the
    ///   batches before it have stored.
    /// - Row numbers of stored rows must rise in that order.
    /// - If a batch waits for its realm, it may delay only later batches whose preconditions name
    ///   the same tenant's or user's realm.
    /// - A batch that fails must not affect the others.
    /// - A call may share its commit with other calls.
    /// - A delivery must belong to its webhook's owner and to the tenant in which that owner is.
    ///
    /// # Errors
    /// `Invalid` if a webhook does not exist; `Unavailable`.
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>>;

    /// Stores the changes of one occurrence to the queue, by [`enqueue_all`](Self::enqueue_all).
    ///
    /// # Errors
    /// The errors of `enqueue_all`.
    async fn enqueue(&self, batch: Enqueue, now: DateTime<Utc>) -> Result<Enqueued, StoreError> {
        let answer = self.enqueue_all(vec![batch], now).await.pop();
        answer.unwrap_or_else(|| Err(StoreError::corrupt("enqueue_all", "too few results")))
    }

    /// Finds webhooks' queues from which something can be claimed at `now`.
    ///
    /// - Each queue must be returned once, in order of queue.
    /// - A queue must be left out if nothing can be claimed from it: the webhook does not send, its
    ///   owner is suspended, deleted or moving, or the webhook sends in order and its oldest
    ///   delivery is not due or one is running.
    /// - [`Queues::Due`] must look at no more than `limit` deliveries. Its cost must depend neither
    ///   on the number of waiting deliveries nor on the number of queues.
    /// - [`Queues::Of`] must look at all queues of these webhooks, with one lookup each.
    /// - [`Queues::Beyond`] must look at no more than `limit` queues, with one lookup each.
    /// - The next due time must be the earliest one after `now` of any waiting delivery, whether or
    ///   not its webhook is active. Deleted deliveries may count until their rows are removed.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn queues(
        &self,
        which: Queues,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues, StoreError>;

    /// Returns those queues of these webhooks from which something can be claimed. See
    /// [`queues`](Self::queues).
    ///
    /// # Errors
    /// The errors of `queues`.
    async fn queues_of(
        &self,
        webhooks: &[WebhookId],
        now: DateTime<Utc>,
    ) -> Result<Vec<DueQueue>, StoreError> {
        let of = Queues::Of(webhooks.to_vec());
        Ok(self.queues(of, 0, now).await?.due)
    }

    /// Returns the earliest due time after `now`. See [`queues`](Self::queues).
    ///
    /// # Errors
    /// The errors of `queues`.
    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
        let none = Queues::Of(Vec::new());
        Ok(self.queues(none, 0, now).await?.next_due)
    }

    /// Claims deliveries: from each queue the claimable ones, by `(due, id)`, up to its limit.
    ///
    /// - They must be `running` until `lease_until` and have fresh tokens, which they may share
    ///   ([`ClaimToken`]).
    /// - No delivery may be claimed by two callers.
    /// - A delivery that cannot be read must end in `error` with a reason. If nothing more can be
    ///   stored for it, it must leave the queue and be `Corrupt`. It must not delay the others.
    /// - The store must not read the webhooks.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn claim(
        &self,
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError>;

    /// Ends claims, in order. [`DeliveryRow`](super::DeliveryRow) implements these rules as
    /// functions.
    ///
    /// If the row is `running` under the token, the store must apply the following in one
    /// transaction and return `Done`:
    /// - the disposition;
    /// - the attempt, which the store numbers and appends to the log;
    /// - the row's summary of attempts: `attempts` and `tries` plus one each; `class`,
    ///   `last_attempt`, `response_status`, `duration`.
    ///
    /// A lease that expired but was not reclaimed yet must still settle. Without an attempt,
    /// `attempts` and `tries` must not change, and a delivery that waits again does so in the queue
    /// for its `tries`.
    ///
    /// In all other cases nothing may change, and the result depends on the delivery:
    /// - If an earlier call settled it under this token (its response may have been lost), the
    ///   result must be `Done`, whether the delivery waits again, was claimed again, or has ended
    ///   by that.
    /// - If it was replayed or deleted, or ended without a settlement (it was cancelled or fetched,
    ///   has expired, or its owner moved), the result must be [`Stale`](Settled::Stale).
    /// - If it was settled or taken back under a later token, is no longer shown
    ///   ([`DeliveryLog::purge`](super::DeliveryLog::purge)), or has a deleted webhook or owner, a
    ///   store may return either.
    /// - Otherwise the result must be `Stale`.
    ///
    /// A store with a sealing key must not store the request and the response of an attempt in
    /// plaintext: they contain the URL and the headers. `columns::SealedAttempt` seals them.
    ///
    /// # Errors
    /// `Unavailable`: none was stored; the caller may repeat the same call.
    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError>;

    /// Takes back at most `limit` deliveries whose lease ended at or before `now`. Their tokens are
    /// invalid from then on.
    ///
    /// - They must be `queued`, due now, and wait in [`QueueClass::Lost`], with no attempt
    ///   counted.
    /// - A delivery that was claimed from one of these two classes has one more lost claim. Before
    ///   the last that it may have it must wait in [`QueueClass::Quarantine`]. After
    ///   [`Delivery::MAX_LOST_CLAIMS`] it must be `error` with
    ///   [`EndReason::LostClaims`](super::EndReason::LostClaims), and count as failed in the hour
    ///   of `now`.
    /// - Deliveries that share a token must be taken back together, so the number may somewhat
    ///   exceed `limit`.
    /// - Deleted deliveries must be left to [`remove_gone`](crate::OwnerStore::remove_gone).
    ///
    /// # Errors
    /// `Unavailable`.
    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError>;

    /// Returns when another process may have queued deliveries, activated a webhook or released an
    /// owner. It may return without a reason and may never return: the engine polls as well. A
    /// dropped future must lose no notification: the next call returns it.
    async fn work_arrived(&self) -> Arrived;
}
