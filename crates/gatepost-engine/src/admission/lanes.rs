//! The lanes that may have something to send, whose turn it is, and when the store is to be asked
//! for more.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{DueLane, Lane};
use tokio::sync::Notify;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::board::Board;
use super::pace::Pace;
use super::room::{Room, Wait};

/// What has been due for this long when its lane is found was held: by a pause, or because nobody
/// was there to send it.
const HELD: TimeDelta = TimeDelta::seconds(60);
/// Owners that rest and are remembered although their time is over.
const RESTING: usize = 1000;

#[derive(Debug, Default)]
struct State {
    board: Board,
    /// Webhooks that send what was held.
    held: HashMap<WebhookId, Pace>,
    /// Webhooks that were resumed here, until their lanes are found.
    resumed: HashSet<WebhookId>,
    /// Owners who send nothing before then.
    resting: HashMap<OwnerId, Instant>,
    /// When the next retry is due, as far as is known.
    next_retry: Option<DateTime<Utc>>,
    /// The store is to be asked.
    look: bool,
}

#[derive(Debug)]
pub(crate) struct Lanes {
    state: Mutex<State>,
    /// Zero: what was held is sent as fast as all else.
    resumed_per_second: u32,
    /// Something is ready.
    wake: Notify,
    /// A webhook is to be read.
    read: Notify,
    /// The store is to be asked, or is to be asked at another time.
    look: Notify,
}

/// A lane whose turn it is. Dropped, it is ready again, behind the others.
#[derive(Debug)]
pub(crate) struct Turn {
    lanes: Arc<Lanes>,
    pub(crate) due: DueLane,
    call: u64,
    is_over: bool,
}

impl Turn {
    /// It steps aside until that changes.
    pub(crate) fn wait(mut self, wait: Wait) {
        self.is_over = true;
        let to_read = wait == Wait::Read;
        self.lanes.lock().board.wait(self.due.lane, wait);
        if to_read {
            self.lanes.read.notify_one();
        }
    }

    /// Whether the lane has not waited for room yet.
    pub(crate) fn is_new(&self) -> bool {
        self.lanes.lock().board.is_new(self.due.lane)
    }

    /// There is nothing more in it, unless something was added in between.
    pub(crate) fn done(mut self) {
        self.is_over = true;
        let mut state = self.lanes.lock();
        let webhook = self.due.lane.webhook;
        if state.board.done(self.due.lane, self.call) && !state.board.has_any_of(webhook) {
            state.held.remove(&webhook);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_over {
            self.lanes.lock().board.again(self.due.lane);
        }
    }
}

impl Lanes {
    /// The store is to be asked first.
    pub(crate) fn new(resumed_per_second: u32) -> Arc<Self> {
        let state = State {
            look: true,
            ..State::default()
        };
        Arc::new(Self {
            state: Mutex::new(state),
            resumed_per_second,
            wake: Notify::new(),
            read: Notify::new(),
            look: Notify::new(),
        })
    }

    /// Something was queued in this lane.
    pub(crate) fn ready(&self, due: DueLane) {
        self.lock().board.add(due);
        self.wake.notify_one();
    }

    /// These lanes have something, as the store says.
    pub(crate) fn found(&self, due: &[DueLane], now: DateTime<Utc>) {
        let mut state = self.lock();
        for due in due {
            let webhook = due.lane.webhook;
            let is_new = state.board.add(*due);
            let was_held = now - due.due >= HELD || state.resumed.contains(&webhook);
            if is_new
                && was_held
                && let Some(rate) = NonZeroU32::new(self.resumed_per_second)
            {
                let pace = || Pace::new(rate, Instant::now());
                state.held.entry(webhook).or_insert_with(pace);
            }
        }
        drop(state);
        self.wake.notify_one();
    }

    /// Whether something waits in this lane, as far as is known here.
    pub(crate) fn has(&self, lane: Lane) -> bool {
        self.lock().board.has(lane)
    }

    /// The lane whose turn it is.
    pub(crate) fn next(self: &Arc<Self>, now: Instant) -> Option<Turn> {
        let next = self.lock().board.next(now)?;
        Some(self.turn(next))
    }

    /// A lane whose webhook is to be read.
    pub(crate) fn next_unread(self: &Arc<Self>) -> Option<Turn> {
        let next = self.lock().board.next_of(&Wait::Read)?;
        Some(self.turn(next))
    }

    fn turn(self: &Arc<Self>, (due, call): (DueLane, u64)) -> Turn {
        Turn {
            lanes: self.clone(),
            due,
            call,
            is_over: false,
        }
    }

    /// Whether the webhook may send one more now of what was held.
    ///
    /// # Errors
    /// Not before then: because of its rate, or because its owner rests.
    pub(crate) fn may_send(&self, due: &DueLane, now: Instant) -> Result<(), Instant> {
        let state = self.lock();
        if let Some(until) = state.resting.get(&due.owner).filter(|until| **until > now) {
            return Err(*until);
        }
        let held = state.held.get(&due.lane.webhook);
        held.map_or(Ok(()), |pace| pace.check(now))
    }

    /// It sends one.
    pub(crate) fn sends(&self, webhook: WebhookId, now: Instant) {
        if let Some(pace) = self.lock().held.get_mut(&webhook) {
            pace.take(now);
        }
    }

    /// Until then nothing of this owner is sent.
    pub(crate) fn rest(&self, owner: OwnerId, until: Instant) {
        let mut state = self.lock();
        if state.resting.len() >= RESTING {
            let now = Instant::now();
            state.resting.retain(|_, until| *until > now);
        }
        state.resting.insert(owner, until);
    }

    /// What it waited for may not be so any more.
    pub(super) fn again(&self, lane: Lane) {
        self.lock().board.again(lane);
    }

    /// There is room again: one lane for each that waits for it gets a turn.
    pub(super) fn freed(&self, rooms: &[Room]) {
        let mut state = self.lock();
        for room in rooms {
            state.board.wake(&Wait::Room(room.clone()));
            if matches!(
                room,
                Room::All | Room::Weak | Room::Origin(_) | Room::OriginWeak(_)
            ) {
                state.board.wake(&Wait::Share(room.clone()));
            }
        }
        drop(state);
        self.wake.notify_one();
    }

    /// This number of retries may be claimed.
    pub(crate) fn retry_turns(&self, turns: usize) {
        let mut state = self.lock();
        for _ in 0..turns {
            if !state.board.wake(&Wait::RetryTurn) {
                break;
            }
        }
    }

    /// What is known of the webhook has changed: it may have room elsewhere.
    pub(super) fn changed(&self, webhook: WebhookId) {
        self.lock().board.wake_all_of(webhook);
        self.wake.notify_one();
    }

    /// Whether a pass would find anything.
    pub(crate) fn has_ready(&self) -> bool {
        self.lock().board.has_ready()
    }

    /// Whether retries wait for their turn.
    pub(crate) fn has_retries(&self) -> bool {
        self.lock().board.has_waiting(&Wait::RetryTurn)
    }

    /// When the next of those is ready that wait for a time.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.lock().board.next_time()
    }

    /// A dispatcher begins: what the last one had is ready.
    pub(crate) fn recover(&self) {
        self.lock().board.recover();
    }

    /// The webhook is active: what it held until now is sent at a bounded rate.
    pub(crate) fn resumed(&self, webhook: WebhookId) {
        self.lock().resumed.insert(webhook);
    }

    /// A retry will be due then.
    pub(crate) fn retry_at(&self, due: Option<DateTime<Utc>>) {
        let Some(due) = due else { return };
        let mut state = self.lock();
        if state.next_retry.is_none_or(|known| due < known) {
            state.next_retry = Some(due);
            drop(state);
            self.look.notify_one();
        }
    }

    pub(crate) fn next_retry(&self) -> Option<DateTime<Utc>> {
        self.lock().next_retry
    }

    /// The store is to be asked.
    pub(crate) fn look(&self) {
        self.lock().look = true;
    }

    /// As [`look`](Self::look), if that is so.
    pub(crate) fn look_if(&self, reason: bool) {
        if reason {
            self.look();
        }
    }

    /// As [`look`](Self::look), at once.
    pub(crate) fn look_now(&self) {
        self.look();
        self.look.notify_one();
    }

    /// Whether the store is to be asked now. The next call says no, unless there is a new reason.
    pub(crate) fn take_look(&self, now: DateTime<Utc>) -> bool {
        let mut state = self.lock();
        if state.next_retry.is_some_and(|due| due <= now) {
            state.next_retry = None;
            state.look = true;
        }
        std::mem::take(&mut state.look)
    }

    /// All that is due was found, of what had been resumed when that began.
    pub(crate) fn looked(&self, resumed: &HashSet<WebhookId>) {
        self.lock()
            .resumed
            .retain(|webhook| !resumed.contains(webhook));
    }

    pub(crate) fn resumed_before(&self) -> HashSet<WebhookId> {
        self.lock().resumed.clone()
    }

    /// Wakes the dispatcher: webhooks were read.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }

    pub(crate) async fn asked_to_read(&self) {
        self.read.notified().await;
    }

    pub(crate) async fn asked_to_look(&self) {
        self.look.notified().await;
    }

    #[cfg(test)]
    pub(super) fn ready_places(&self) -> Vec<gatepost_ids::Place> {
        self.lock().board.ready_places()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
