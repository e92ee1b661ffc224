//! The durable queue: enqueue, claim, settle.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use webhook_model::{OccurrenceId, TaskId, WebhookId};

use super::cause::Cause;
use super::delivery::{AttemptRecord, Delivery, DeliveryId, DeliveryState, MessageId};
use super::lanes::{Arrived, DueLane, FoundQueues, Lane, LaneClass, Queues};
use super::outbox_row::{Left, NewOutbox, OutboxId};
use super::record::RecordId;
use super::routes::RoutesVersion;
use crate::error::StoreError;
use crate::page::Revision;

/// Where a batch of deliveries comes from; decides what makes it happen only once.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Origin {
    /// From a call without an id of its own; stored as often as it is asked for.
    Direct,
    /// From an occurrence that the caller named: the same id again is [`Enqueued::AlreadyKnown`].
    Occurrence {
        /// The place of its audience, within which the id is unique.
        place: Place,
        /// The id.
        id: OccurrenceId,
    },
    /// From a row of the outbox, which is used up or moved on in the same transaction. Gone, set
    /// aside, or at another turn means [`Enqueued::AlreadyKnown`].
    Outbox {
        /// The row.
        row: OutboxId,
        /// The turn at which it was read.
        turn: u32,
        /// The place and the id of its occurrence, if it has one and this is its first turn. A
        /// known id consumes the row and stores nothing else: [`Enqueued::AlreadyKnown`]
        /// too.
        occurrence: Option<(Place, OccurrenceId)>,
        /// What is left of it and when that is due; `None`: the row is used up.
        left: Option<(Left, DateTime<Utc>)>,
    },
}

/// A delivery to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewDelivery {
    /// What the receiver will see as the id. Not checked: 128 random bits make it unique.
    pub message_id: MessageId,
    /// The webhook to send to.
    pub webhook: WebhookId,
    /// The task that makes it.
    pub task: Option<TaskId>,
    /// What it is made by.
    pub cause: Option<Cause>,
    /// The rendered message.
    pub body: Arc<str>,
    /// When the first attempt is due.
    pub due: DateTime<Utc>,
    /// `Some(end)`: stored as `running`, already leased to the caller until then, so that it need
    /// not walk the queue for what it can send at once.
    pub lease_until: Option<DateTime<Utc>>,
}

/// What must still be true of the records when an enqueue is stored.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Basis {
    /// Nothing: no task was matched (a message sent by hand, or an occurrence that is only written
    /// to the outbox).
    Nothing,
    /// These places have these versions. At most three.
    Places(Vec<(Place, RoutesVersion)>),
    /// These rows have these revisions, and their owners are neither held nor moving: for an emit
    /// that has lost against changes of its places and does not depend on the rest of them.
    Rows(Vec<(RecordId, Revision)>),
}

/// What one occurrence does to the queue, in one transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Enqueue {
    /// What it was decided by.
    pub basis: Basis,
    /// What makes it happen only once.
    pub origin: Origin,
    /// The deliveries. May be empty: an outbox row that matches nothing is still consumed.
    pub deliveries: Vec<NewDelivery>,
    /// One-time tasks to delete, with their events.
    pub consume: Vec<TaskId>,
    /// What is to be decided later, as rows of the outbox.
    pub later: Vec<NewOutbox>,
}

impl Enqueue {
    /// The end of an origin, and rows of the outbox, whatever the records say.
    #[must_use]
    pub fn later(origin: Origin, later: Vec<NewOutbox>) -> Self {
        Self {
            basis: Basis::Nothing,
            origin,
            deliveries: Vec::new(),
            consume: Vec::new(),
            later,
        }
    }
}

/// A delivery that was stored by [`QueueStore::enqueue_all`], in the order of the request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct StoredDelivery {
    /// Its row number.
    pub id: DeliveryId,
    /// The claim, where the caller asked for a lease.
    pub token: Option<ClaimToken>,
}

/// What became of an [`Enqueue`].
#[derive(Clone, Debug, PartialEq)]
pub enum Enqueued {
    /// Stored, all of it.
    Stored {
        /// The deliveries, in the order of the request.
        deliveries: Vec<StoredDelivery>,
        /// The rows of the outbox, in the order of the request.
        later: Vec<OutboxId>,
        /// The versions, after it, of the places in which a task was consumed.
        moved: Vec<(Place, RoutesVersion)>,
    },
    /// The origin was used before; nothing was stored now.
    AlreadyKnown,
    /// A place of [`Basis::Places`] has changed since it was read, or a task to consume is gone;
    /// nothing was stored. Read what has changed and match again.
    RoutesChanged,
    /// These rows of [`Basis::Rows`] have changed, are gone, or are of an owner who is held or
    /// moving; or these tasks to consume are gone. Nothing was stored.
    RowsChanged(Vec<RecordId>),
}

/// Proof of a claim. What was stored or claimed in one call may share one, which is good for each
/// of these deliveries, once; every later claim of a delivery gives a greater one, so that a worker
/// whose lease ran out cannot overwrite what the next one did.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ClaimToken(pub i64);

/// A delivery and the proof of its claim.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Claim {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The proof.
    pub token: ClaimToken,
}

/// A lane to claim from, and how many deliveries at most.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LaneClaim {
    /// The lane.
    pub lane: Lane,
    /// The maximum number of deliveries to claim.
    pub limit: u32,
}

/// A claimed delivery, now `running`.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    /// The delivery, with the due time that it had in the queue.
    pub delivery: Delivery,
    /// The proof to settle it with. Others claimed in the same call may have the same.
    pub token: ClaimToken,
    /// The lane in which it waited.
    pub class: LaneClass,
    /// The webhook's revision at the moment of the claim.
    pub revision: Revision,
}

/// How a claim ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Disposition {
    /// The target accepted: `sent`.
    Sent,
    /// Another attempt at `due`: `queued`.
    Retry {
        /// When.
        due: DateTime<Utc>,
    },
    /// No further attempt: `error`.
    Failed,
    /// Given back without an attempt (shutdown, or the webhook was paused): `queued`, no attempt
    /// counted.
    Release {
        /// When it is due again.
        due: DateTime<Utc>,
    },
}

impl Disposition {
    /// The state in which it leaves the delivery, and when that is due if it is queued again.
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
    /// The delivery and the proof.
    pub claim: Claim,
    /// How it ends.
    pub disposition: Disposition,
    /// The new `status_info`.
    pub status_info: String,
    /// The attempt that was made; `None` for [`Disposition::Release`], or where none could be
    /// made.
    pub attempt: Option<AttemptRecord>,
    /// Whether the message is kept when this ends the delivery. Without it the delivery is listed
    /// with an empty body, `message_kept` false, and is not replayed.
    pub keep_message: bool,
}

/// What became of a [`Settlement`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Settled {
    /// Stored under this token, now or by an earlier call: then nothing was changed, whatever this
    /// one says.
    Done,
    /// Not stored under this token, and nothing was changed: the claim was taken back
    /// ([`QueueStore::reclaim`]) or never given, or the delivery was deleted. Also of a delivery
    /// that was settled under this token and has been replayed since, or has ended without a
    /// settlement; and a store may say so of one that was settled or taken back under a later token
    /// since, or is shown no more.
    Stale,
}

/// What [`QueueStore::reclaim`] did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Reclaimed {
    /// Deliveries put back into the queue.
    pub requeued: u64,
    /// Deliveries that ended in `error` after [`Delivery::MAX_LOST_CLAIMS`].
    pub ended: u64,
}

/// The queue.
///
/// # Contract
/// As [`RecordStore`](super::RecordStore). In addition:
/// - A delivery is claimable when it is `queued`, `due <= now`, and its webhook
///   [sends](webhook_model::Webhook::sends): it is neither paused nor disabled, and what it has is
///   not [fetched](webhook_model::DeliveryMode). Of a webhook in order
///   ([`DeliveryOrder::InOrder`](webhook_model::DeliveryOrder)) only the oldest delivery that has
///   not ended is claimable, whichever lane it waits in, and nothing while one is `running`.
///   Nothing of an owner who is held, gone or moving is claimable.
/// - At any time at most one token of a delivery is valid: the one given last.
/// - Row numbers of the deliveries of a webhook in order rise in the order in which the enqueues
///   were committed, in any number of processes.
/// - Calls share transactions and never each other's fate: none waits for what another's places or
///   rows are locked by, and none fails by what is wrong with another.
#[async_trait]
pub trait QueueStore: fmt::Debug + Send + Sync + 'static {
    /// Stores what occurrences do to the queue, in as few commits as can be.
    ///
    /// - The answers must be one for each batch, in order.
    /// - A batch must be stored whole or not at all: its deliveries, its rows of the outbox, the
    ///   end of its origin, and the deletion of the tasks that it consumes.
    /// - The store must check the origin first, then the basis, and then write the rows.
    /// - Each batch must be judged alone, in the order given, by what those before it have stored.
    /// - Row numbers of what is stored must rise in that order.
    /// - A batch whose place others hold must not delay others than those behind it that were
    ///   decided by the same tenant's or user's place.
    /// - A batch that fails must change nothing of the others.
    /// - A call may share its commit with other calls.
    /// - A delivery must belong to its webhook's owner and to the tenant in which that owner
    ///   stands.
    ///
    /// # Errors
    /// `Invalid` when a webhook does not exist; `Unavailable`.
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>>;

    /// Stores what one occurrence does to the queue: [`enqueue_all`](Self::enqueue_all) of one.
    ///
    /// # Errors
    /// As there.
    async fn enqueue(&self, batch: Enqueue, now: DateTime<Utc>) -> Result<Enqueued, StoreError> {
        let answer = self.enqueue_all(vec![batch], now).await.pop();
        answer.unwrap_or_else(|| Err(StoreError::corrupt("enqueue_all", "too few results")))
    }

    /// Finds webhooks' queues from which something can be claimed at `now`.
    ///
    /// - Each queue must be there once, in order of queue.
    /// - A queue must be left out if nothing can be claimed from it: the webhook does not send, its
    ///   owner is held, gone or moving, or it is in order and its head is not due or one of it is
    ///   running.
    /// - [`Queues::Due`] must look at no more than `limit` deliveries. It must not cost what waits,
    ///   nor how many queues there are.
    /// - [`Queues::Of`] must look at all queues of these webhooks, one lookup each.
    /// - [`Queues::Beyond`] must look at no more than `limit` queues, one lookup each.
    /// - The next due time must be the earliest one after `now` of anything that waits, whether or
    ///   not its webhook is active. What is gone may count until its rows are removed.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn queues(
        &self,
        which: Queues,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues, StoreError>;

    /// Returns those of the queues of these webhooks from which something can be claimed:
    /// [`queues`](Self::queues).
    ///
    /// # Errors
    /// As there.
    async fn lanes_of(
        &self,
        webhooks: &[WebhookId],
        now: DateTime<Utc>,
    ) -> Result<Vec<DueLane>, StoreError> {
        let of = Queues::Of(webhooks.to_vec());
        Ok(self.queues(of, 0, now).await?.due)
    }

    /// Returns the earliest due time after `now`: [`queues`](Self::queues).
    ///
    /// # Errors
    /// As there.
    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
        let none = Queues::Of(Vec::new());
        Ok(self.queues(none, 0, now).await?.next_due)
    }

    /// Claims deliveries: from each lane the claimable ones, by `(due, id)`, up to its limit. They
    /// are `running` until `lease_until` and have fresh tokens, which may be shared
    /// ([`ClaimToken`]). No delivery is given to two callers. A delivery that cannot be read ends
    /// in `error` with a reason, or, where no more can be stored of it, leaves the queue and is
    /// `Corrupt`; it does not hold up the others. The webhooks are not read.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError>;

    /// Ends claims. For each, in order: if the row is `running` under that token, the disposition,
    /// the attempt (numbered by the store, appended to the log) and the row's summary of it
    /// (`attempts` and `tries`, one more each; `class`, `last_attempt`, `response_status`,
    /// `duration`) are stored in one transaction: `Done`. A lease that ran out but was not
    /// reclaimed yet still settles. Where no attempt was made, `attempts` and `tries` stay, and a
    /// delivery that waits again does so where its `tries` say.
    ///
    /// If an earlier call settled it under that very token (whose answer was lost, perhaps),
    /// nothing changes, and it is `Done`, whether it waits again, was claimed again, or has ended
    /// by that. Once it was replayed or deleted, or has ended without a settlement (it was
    /// cancelled or fetched, has expired, or its owner moved), it is [`Stale`](Settled::Stale).
    /// Once it was settled or taken back under a later token, or is shown no more
    /// ([`DeliveryLog::purge`](super::DeliveryLog::purge)), or its webhook or owner is gone, a
    /// store may say either. In all other
    /// cases nothing changes, and it is `Stale`. [`DeliveryRow`](super::DeliveryRow) has these
    /// rules as functions.
    ///
    /// A store with a sealing key must not store in plaintext what an attempt sent and met: it
    /// holds the URL and the headers. `columns::SealedAttempt` seals it.
    ///
    /// # Errors
    /// `Unavailable`: none was stored; the same call may be repeated.
    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError>;

    /// Puts back at most `limit` deliveries whose lease ended before or at `now`: `queued`, due
    /// now, in the lane [`LaneClass::Lost`], no attempt counted. One that was claimed from that
    /// lane has one more lost claim: before the last that it may have it waits in
    /// [`LaneClass::Alone`], and after [`Delivery::MAX_LOST_CLAIMS`] it is `error` with
    /// [`EndReason::LostClaims`](super::EndReason::LostClaims) instead, and counts as failed in the
    /// hour of `now`. Their tokens are void from then on. What shares a token is taken back
    /// together, so it may be somewhat more than `limit`. What is gone is left to
    /// [`remove_gone`](crate::OwnerStore::remove_gone).
    ///
    /// # Errors
    /// `Unavailable`.
    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError>;

    /// Returns when another process may have queued deliveries, or made a webhook active or an
    /// owner free. May return without a reason and may never return: the engine polls as well.
    /// A future that is dropped loses nothing: what it would have said is said to the next.
    async fn work_arrived(&self) -> Arrived;
}
