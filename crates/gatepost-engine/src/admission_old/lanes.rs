//! The lanes that may have something to send, whose turn it is, and when the store is to be asked
//! for more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{DueLane, Lane};
use tokio::sync::Notify;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::backlogs::Backlogs;
use super::board::Board;
use super::inquiries::Inquiries;
use super::later::Later;
use super::lot::Lot;
use super::room::{Room, Wait};

/// What has been due for this long when its lane is found was held: by a pause, or because nobody
/// was there to send it.
pub(super) const HELD: TimeDelta = TimeDelta::seconds(60);
/// What is waiting for less may be overtaken by what is sent at once, where the webhook does not
/// ask for its order.
const OVERTAKEN: TimeDelta = TimeDelta::milliseconds(250);
/// Owners that rest and are remembered although their time is over.
const RESTING: usize = 1000;

#[derive(Debug)]
pub(super) struct State {
    pub(super) board: Board,
    later: Later,
    pub(super) backlogs: Backlogs,
    /// Owners who send nothing before then.
    resting: HashMap<OwnerId, Instant>,
}

#[derive(Debug)]
pub(crate) struct Lanes {
    state: Mutex<State>,
    /// What the store is to be asked.
    pub(crate) inquiries: Inquiries,
    /// Something is ready.
    wake: Notify,
    /// A webhook is to be read.
    read: Notify,
    /// A lane waits for a lot.
    lots: Notify,
    /// Those that were ready had their turns.
    passed: Notify,
}

impl State {
    /// True: it was not known. Lanes that wait make room for it.
    fn add(&mut self, due: DueLane) -> bool {
        if !self.board.has(due.lane) && self.board.is_full() {
            for lane in self.board.forget_some() {
                self.backlogs.end(lane);
            }
            if self.board.is_full() {
                return false;
            }
        }
        self.board.add(due)
    }
}

impl Lanes {
    /// The store is to be asked first.
    pub(crate) fn new(resumed_per_second: u32) -> Arc<Self> {
        let state = State {
            board: Board::default(),
            later: Later::default(),
            backlogs: Backlogs::new(resumed_per_second),
            resting: HashMap::new(),
        };
        Arc::new(Self {
            state: Mutex::new(state),
            inquiries: Inquiries::new(),
            wake: Notify::new(),
            read: Notify::new(),
            lots: Notify::new(),
            passed: Notify::new(),
        })
    }

    /// Something was queued in this lane.
    pub(crate) fn ready(&self, due: DueLane) {
        self.lock().add(due);
        self.wake.notify_one();
    }

    /// Something will be due in this lane then: nobody need ask for it.
    pub(crate) fn ready_later(&self, due: DueLane) {
        if self.lock().later.add(due) {
            self.wake.notify_one();
        }
    }

    /// Something was queued in this lane, as another process says. True: it is known.
    pub(crate) fn touch(&self, lane: Lane) -> bool {
        self.lock().board.touch(lane)
    }

    /// These lanes have something, as the store says.
    pub(crate) fn found(&self, due: &[DueLane], now: DateTime<Utc>) {
        if due.is_empty() {
            return;
        }
        let mut state = self.lock();
        for due in due {
            if state.add(*due) && now - due.due >= HELD {
                state.backlogs.begin(due.lane, now, Instant::now());
            }
        }
        drop(state);
        self.wake.notify_one();
    }

    /// What is due by now is ready.
    pub(crate) fn fall_due(&self, now: DateTime<Utc>) {
        let mut state = self.lock();
        while let Some(due) = state.later.take_due(now) {
            state.add(due);
        }
    }

    /// When the next falls due.
    pub(crate) fn next_later(&self) -> Option<DateTime<Utc>> {
        self.lock().later.next()
    }

    /// Whether something waits in this lane, as far as is known here.
    #[cfg(test)]
    pub(crate) fn has(&self, lane: Lane) -> bool {
        self.lock().board.has(lane)
    }

    /// Whether what this lane waits for is a time; `None` where it does not wait.
    pub(crate) fn waits_for_time(&self, lane: Lane) -> Option<bool> {
        let state = self.lock();
        let wait = state.board.wait_of(lane)?;
        Some(matches!(wait, Wait::Until(_)))
    }

    /// Whether something waits in this lane that must not be overtaken, as far as is known here.
    ///
    /// What has waited for a moment may be: while a claim is under way more comes, and if that had
    /// to wait too, the lane would never be empty again under load, though there is room.
    pub(crate) fn is_ahead(&self, lane: Lane, now: DateTime<Utc>) -> bool {
        let head = self.lock().board.head(lane);
        head.is_some_and(|head| now - head >= OVERTAKEN)
    }

    /// Whether one more may be sent from this lane now; `true`: of a backlog, for which there is a
    /// turn.
    ///
    /// # Errors
    /// What there is to wait for: the turn, the lot, or that its owner rests no more.
    pub(crate) fn may_send(&self, due: &DueLane, now: Instant) -> Result<bool, Wait> {
        let state = self.lock();
        if let Some(until) = state.resting.get(&due.owner).filter(|until| **until > now) {
            return Err(Wait::Until(*until));
        }
        state.backlogs.may_send(due.lane, now)
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

    /// This process sends the backlogs of this lot until then. True: it did not before, and does
    /// not know of all that are in it.
    pub(crate) fn hold_lot(&self, lot: Lot, until: Instant) -> bool {
        let mut state = self.lock();
        let State {
            board, backlogs, ..
        } = &mut *state;
        let is_new = backlogs.hold(lot, until, Instant::now());
        if is_new {
            // Another process may have sent the others.
            backlogs.forget_unless(lot, |lane| board.has(lane));
        }
        board.wake_all(&Wait::Lot(lot));
        drop(state);
        self.wake.notify_one();
        is_new
    }

    /// Another process does, and finds what waits here: these lanes are left to it.
    pub(crate) fn leave_lot(&self, lot: Lot) {
        self.lock().board.forget_all(&Wait::Lot(lot));
    }

    /// A lane waits for this now.
    pub(super) fn park(&self, lane: Lane, wait: Wait) {
        let asked = match wait {
            Wait::Read => Some(&self.read),
            Wait::Lot(_) => Some(&self.lots),
            _ => None,
        };
        self.lock().board.wait(lane, wait);
        if let Some(asked) = asked {
            asked.notify_one();
        }
    }

    /// A lane that waits for room may be tried in its turn.
    pub(super) fn line_up(&self, lane: Lane) {
        self.lock().board.line_up(lane);
    }

    /// Whether lanes wait to be tried.
    pub(crate) fn has_line(&self) -> bool {
        self.lock().board.has_line()
    }

    /// At most this number of them get a turn for that.
    pub(super) fn offer_trials(&self, most: usize) {
        self.lock().board.offer_trials(most);
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

    /// Lanes that are ready.
    pub(crate) fn ready_count(&self) -> usize {
        self.lock().board.ready_count()
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

    /// Something became due a moment ago: the store is to be asked.
    pub(crate) fn look_now(&self) {
        self.inquiries.look();
    }

    /// Wakes the dispatcher: webhooks were read.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Those that were ready had their turns, as far as a pass goes.
    pub(crate) fn note_pass(&self) {
        self.passed.notify_waiters();
    }

    /// Ready when a pass that comes later has given its turns.
    pub(crate) async fn passed(&self) {
        self.passed.notified().await;
    }

    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }

    pub(crate) async fn asked_to_read(&self) {
        self.read.notified().await;
    }

    /// Ready when a lane waits for a lot.
    pub(crate) async fn asked_for_lots(&self) {
        self.lots.notified().await;
    }

    #[cfg(test)]
    pub(super) fn ready_places(&self) -> Vec<gatepost_ids::Place> {
        self.lock().board.ready_places()
    }

    /// Whether the store was to be asked anything; not any more.
    #[cfg(test)]
    pub(crate) fn take_look(&self, _now: DateTime<Utc>) -> bool {
        let (inquiry, sweep) = (self.inquiries.take(), self.inquiries.take_sweep());
        sweep || inquiry.look || !inquiry.webhooks.is_empty()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
