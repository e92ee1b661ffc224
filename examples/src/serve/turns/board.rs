//! Who has a turn, who waits, and who is next.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use tokio::sync::oneshot::Sender;

use super::Lane;

#[derive(Debug)]
pub(super) struct Board {
    free: usize,
    waiting: usize,
    most_waiting: usize,
    /// Numbers requests.
    next: u64,
    /// Those in which a request has a turn or waits; no other is kept.
    lanes: BTreeMap<Lane, Requests>,
    /// Those in which a request waits, the next one first.
    rotation: VecDeque<Lane>,
}

#[derive(Debug, Default)]
struct Requests {
    /// How many have a turn.
    held: usize,
    waiting: VecDeque<(u64, Sender<()>)>,
}

impl Board {
    pub(super) fn new(most: usize, most_waiting: usize) -> Self {
        Self {
            free: most,
            waiting: 0,
            most_waiting,
            next: 0,
            lanes: BTreeMap::new(),
            rotation: VecDeque::new(),
        }
    }

    /// A request, which hears when it has its turn, and whose sender is dropped if too many wait;
    /// its number.
    pub(super) fn enter(&mut self, lane: Lane, told: Sender<()>) -> u64 {
        self.next += 1;
        let number = self.next;
        let requests = self.lanes.entry(lane).or_default();
        requests.waiting.push_back((number, told));
        if requests.waiting.len() == 1 {
            self.rotation.push_back(lane);
        }
        self.waiting += 1;
        self.serve();
        if self.waiting > self.most_waiting {
            self.shorten();
        }
        number
    }

    /// A request waits no longer; nothing if it did not.
    pub(super) fn leave(&mut self, lane: Lane, number: u64) {
        let Some(requests) = self.lanes.get_mut(&lane) else {
            return;
        };
        let before = requests.waiting.len();
        requests.waiting.retain(|(waits, _)| *waits != number);
        self.waiting -= before - requests.waiting.len();
        self.tidy(lane);
    }

    pub(super) fn give_back(&mut self, lane: Lane) {
        if let Some(requests) = self.lanes.get_mut(&lane) {
            requests.held -= 1;
            self.free += 1;
        }
        self.tidy(lane);
        self.serve();
    }

    /// Whether a turn less for this lane is one for a request that waits, in it or in a lane that
    /// has fewer.
    pub(super) fn is_wanted(&self, lane: Lane) -> bool {
        let held = self.held(lane);
        self.rotation.iter().any(|other| {
            let has = match *other == lane {
                true => held.saturating_sub(1),
                false => self.held(*other),
            };
            has < held && has <= self.free
        })
    }

    /// Gives out what is free.
    fn serve(&mut self) {
        let may_take = |board: &Self, lane: &Lane| board.held(*lane) < board.free;
        while let Some(at) = self.rotation.iter().position(|lane| may_take(self, lane))
            && let Some(lane) = self.rotation.remove(at)
        {
            let Some(requests) = self.lanes.get_mut(&lane) else {
                continue;
            };
            if let Some((_, told)) = requests.waiting.pop_front() {
                self.waiting -= 1;
                if told.send(()).is_ok() {
                    requests.held += 1;
                    self.free -= 1;
                }
            }
            if !requests.waiting.is_empty() {
                self.rotation.push_back(lane);
            }
            self.tidy(lane);
        }
    }

    /// The last of the longest lane leaves.
    fn shorten(&mut self) {
        let length = |lane: &Lane| self.lanes.get(lane).map_or(0, |there| there.waiting.len());
        let longest = self
            .rotation
            .iter()
            .max_by_key(|lane| (length(lane), Reverse(**lane)));
        if let Some(lane) = longest.copied()
            && let Some(requests) = self.lanes.get_mut(&lane)
        {
            requests.waiting.pop_back();
            self.waiting -= 1;
            self.tidy(lane);
        }
    }

    /// What is not used is not kept.
    fn tidy(&mut self, lane: Lane) {
        let Some(requests) = self.lanes.get(&lane) else {
            return;
        };
        if requests.waiting.is_empty() {
            self.rotation.retain(|other| *other != lane);
            if requests.held == 0 {
                self.lanes.remove(&lane);
            }
        }
    }

    fn held(&self, lane: Lane) -> usize {
        self.lanes.get(&lane).map_or(0, |requests| requests.held)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty() && self.rotation.is_empty() && self.waiting == 0
    }
}
