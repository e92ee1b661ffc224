//! What is to be looked at, as one process says it to the others.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use gatepost_storage::columns::{class_number, class_of};
use gatepost_storage::webhooks::{Arrived, Lane};
use webhook_model::WebhookId;

/// The first word of such a payload; one of a changed key is a number.
const WORK: &str = "work";
const DUE: &str = "due";
const ANYTHING: &str = "anything";
const OUTBOX: &str = "outbox";

/// More lanes than this are not named: that something is due is enough. A payload of PostgreSQL
/// has at most 8,000 bytes; these take 2,300.
const MOST_LANES: usize = 100;

/// What arrived since it was said last.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct News {
    /// By number of the webhook and of the class; empty where `due` says more.
    lanes: BTreeSet<(i64, i16)>,
    due: bool,
    anything: bool,
    outbox: bool,
}

impl News {
    /// All of it: what arrived while nobody listened is not known.
    pub(crate) fn all() -> Self {
        Self {
            lanes: BTreeSet::new(),
            due: true,
            anything: true,
            outbox: true,
        }
    }

    /// Something became due, in more lanes than can be named.
    pub(crate) fn due() -> Self {
        Self {
            due: true,
            ..Self::default()
        }
    }

    /// Something may be claimable that was due long ago.
    pub(crate) fn anything() -> Self {
        Self {
            anything: true,
            ..Self::default()
        }
    }

    /// The outbox has a row.
    pub(crate) fn outbox() -> Self {
        Self {
            outbox: true,
            ..Self::default()
        }
    }

    /// Something waits in these lanes.
    pub(crate) fn lanes(lanes: impl IntoIterator<Item = Lane>) -> Self {
        let mut news = Self::default();
        for lane in lanes {
            news.add_lane((lane.webhook.0, class_number(lane.class)));
        }
        news
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.due |= other.due;
        self.anything |= other.anything;
        self.outbox |= other.outbox;
        if self.due {
            self.lanes.clear();
        }
        for lane in other.lanes {
            self.add_lane(lane);
        }
    }

    fn add_lane(&mut self, lane: (i64, i16)) {
        if self.due {
            return;
        }
        self.lanes.insert(lane);
        if self.lanes.len() > MOST_LANES {
            self.lanes.clear();
            self.due = true;
        }
    }

    /// What the dispatcher should look at next, and that no more: the nearest first.
    pub(crate) fn take_work(&mut self) -> Option<Arrived> {
        if std::mem::take(&mut self.due) {
            return Some(Arrived::Due);
        }
        if !self.lanes.is_empty() {
            let lanes = std::mem::take(&mut self.lanes).into_iter();
            let lanes = lanes.map(|(webhook, class)| Lane {
                webhook: WebhookId(webhook),
                class: class_of(class),
            });
            return Some(Arrived::Lanes(lanes.collect()));
        }
        std::mem::take(&mut self.anything).then_some(Arrived::Anything)
    }

    pub(crate) fn has_work(&self) -> bool {
        self.due || self.anything || !self.lanes.is_empty()
    }

    pub(crate) fn has_outbox(&self) -> bool {
        self.outbox
    }

    pub(crate) fn take_outbox(&mut self) -> bool {
        std::mem::take(&mut self.outbox)
    }

    /// `None` for a payload that says something else. Words that are not known, of a later
    /// version, mean anything.
    pub(crate) fn read(payload: &str) -> Option<Self> {
        let mut words = payload.split_ascii_whitespace();
        if words.next() != Some(WORK) {
            return None;
        }
        let mut news = Self::default();
        for word in words {
            match (word, lane(word)) {
                (DUE, _) => news.add(Self::due()),
                (ANYTHING, _) => news.add(Self::anything()),
                (OUTBOX, _) => news.add(Self::outbox()),
                (_, Some(lane)) => news.add_lane(lane),
                (_, None) => news.add(Self::all()),
            }
        }
        Some(news)
    }
}

fn lane(word: &str) -> Option<(i64, i16)> {
    let (webhook, class) = word.split_once('.')?;
    Some((webhook.parse().ok()?, class.parse().ok()?))
}

/// The payload.
impl Display for News {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(WORK)?;
        for (said, word) in [
            (self.due, DUE),
            (self.anything, ANYTHING),
            (self.outbox, OUTBOX),
        ] {
            if said {
                write!(f, " {word}")?;
            }
        }
        self.lanes
            .iter()
            .try_for_each(|(webhook, class)| write!(f, " {webhook}.{class}"))
    }
}

#[cfg(test)]
mod tests {
    use gatepost_storage::webhooks::LaneClass;

    use super::*;

    fn lanes(webhooks: std::ops::Range<i64>) -> News {
        News::lanes(webhooks.map(|n| Lane {
            webhook: WebhookId(n),
            class: LaneClass::Retry,
        }))
    }

    #[test]
    fn a_payload_says_what_was_meant_and_fits() {
        let mut news = lanes(i64::MAX - 100..i64::MAX);
        news.add(News::outbox());
        news.add(News::anything());
        let payload = news.to_string();
        assert!(payload.len() < 8_000, "{}", payload.len());
        assert_eq!(News::read(&payload), Some(news));
        assert_eq!(News::read("4711"), None, "the generation of a key");
        assert_eq!(News::read("work of later"), Some(News::all()));
    }

    #[test]
    fn more_lanes_than_can_be_named_are_due() {
        let mut news = lanes(0..60);
        news.add(lanes(60..100));
        assert!(!news.due);
        news.add(lanes(100..101));
        assert_eq!(news, News::due());
        news.add(lanes(0..1));
        assert_eq!(news, News::due());
    }

    #[test]
    fn each_is_told_once_the_nearest_first() {
        let mut news = News::anything();
        news.add(lanes(1..2));
        news.add(News::outbox());
        assert!(matches!(news.take_work(), Some(Arrived::Lanes(of)) if of.len() == 1));
        assert!(matches!(news.take_work(), Some(Arrived::Anything)));
        assert!(news.take_work().is_none() && !news.has_work());
        assert!(news.take_outbox() && !news.take_outbox() && news.is_empty());
    }
}
