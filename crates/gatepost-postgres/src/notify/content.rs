//! The content of a notification between processes: the queues and the outbox that have new work.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use gatepost_storage::webhooks::{Arrived, QueueClass, WebhookQueue};
use webhook_model::WebhookId;

/// The first word of the payload; the payload for a changed key is a number.
const WORK: &str = "work";
const DUE: &str = "due";
const ANYTHING: &str = "anything";
const OUTBOX: &str = "outbox";
/// The suffix of a webhook that stands for all its queues. Versions that do not know it scan all
/// queues of all webhooks.
const ALL_LANES: &str = ".*";

/// The maximum number of queues that are named; beyond it, the notification says only that
/// something is due. A payload of PostgreSQL has at most 8,000 bytes; these take 2,300.
const MOST_LANES: usize = 100;
/// The maximum number of webhooks that are named, which take 4,400 bytes; beyond it, all queues
/// must be scanned.
const MOST_WEBHOOKS: usize = 200;

/// The notifications since the last one was sent.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct News {
    /// Numbers of the webhook and of the class; empty if `due` covers them.
    queues: BTreeSet<(i64, i16)>,
    /// Webhooks whose deliveries with an old due time may be claimable: a query for newly due
    /// deliveries does not find those. Empty if `anything` covers them.
    webhooks: BTreeSet<i64>,
    due: bool,
    anything: bool,
    outbox: bool,
}

impl News {
    /// Returns everything: after a time without a connection the missed notifications are unknown.
    pub(crate) fn all() -> Self {
        Self {
            due: true,
            anything: true,
            outbox: true,
            ..Self::default()
        }
    }

    /// Returns that something became due, in too many queues to name.
    pub(crate) fn due() -> Self {
        Self {
            due: true,
            ..Self::default()
        }
    }

    /// Returns that deliveries with an old due time may be claimable.
    pub(crate) fn anything() -> Self {
        Self {
            anything: true,
            ..Self::default()
        }
    }

    /// Returns that the outbox has a row.
    pub(crate) fn outbox() -> Self {
        Self {
            outbox: true,
            ..Self::default()
        }
    }

    /// Returns that something waits in these queues.
    pub(crate) fn queues(queues: impl IntoIterator<Item = WebhookQueue>) -> Self {
        let mut news = Self::default();
        for queue in queues {
            news.add_queue((queue.webhook.0, queue.class.number()));
        }
        news
    }

    /// Returns that deliveries with an old due time may be claimable in any queue of this webhook.
    pub(crate) fn webhook(webhook: WebhookId) -> Self {
        Self {
            webhooks: BTreeSet::from([webhook.0]),
            ..Self::default()
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.due |= other.due;
        self.anything |= other.anything;
        self.outbox |= other.outbox;
        if self.due {
            self.queues.clear();
        }
        if self.anything {
            self.webhooks.clear();
        }
        for queue in other.queues {
            self.add_queue(queue);
        }
        for webhook in other.webhooks {
            self.add_webhook(webhook);
        }
    }

    fn add_queue(&mut self, queue: (i64, i16)) {
        if self.due {
            return;
        }
        self.queues.insert(queue);
        if self.queues.len() > MOST_LANES {
            self.queues.clear();
            self.due = true;
        }
    }

    fn add_webhook(&mut self, webhook: i64) {
        if self.anything {
            return;
        }
        self.webhooks.insert(webhook);
        if self.webhooks.len() > MOST_WEBHOOKS {
            self.webhooks.clear();
            self.anything = true;
        }
    }

    /// Takes the next work for the dispatcher to look at, the most specific first.
    pub(crate) fn take_work(&mut self) -> Option<Arrived> {
        if std::mem::take(&mut self.due) {
            return Some(Arrived::Due);
        }
        if !self.queues.is_empty() || !self.webhooks.is_empty() {
            let queues = std::mem::take(&mut self.queues).into_iter();
            let queues = queues.map(|(webhook, class)| WebhookQueue {
                webhook: WebhookId(webhook),
                class: QueueClass::from_number(class),
            });
            let webhooks = std::mem::take(&mut self.webhooks).into_iter();
            let queues = queues.chain(webhooks.flat_map(all_queues));
            return Some(Arrived::Queues(queues.collect()));
        }
        std::mem::take(&mut self.anything).then_some(Arrived::Anything)
    }

    pub(crate) fn has_work(&self) -> bool {
        self.due || self.anything || !self.queues.is_empty() || !self.webhooks.is_empty()
    }

    pub(crate) fn has_outbox(&self) -> bool {
        self.outbox
    }

    pub(crate) fn take_outbox(&mut self) -> bool {
        std::mem::take(&mut self.outbox)
    }

    /// Returns the payload with the number of the sending process.
    pub(super) fn payload(&self, process: u64) -> String {
        format!("{WORK} {process}{self}")
    }

    /// Returns the content of a payload and the number of its process; `None` for a payload of
    /// another kind. Unknown words, of a later version, mean `anything`.
    pub(super) fn read(payload: &str) -> Option<(u64, Self)> {
        let mut words = payload.split_ascii_whitespace();
        if words.next() != Some(WORK) {
            return None;
        }
        let process = words.next()?.parse().ok()?;
        let mut news = Self::default();
        for word in words {
            match (word, queue(word), webhook(word)) {
                (DUE, ..) => news.add(Self::due()),
                (ANYTHING, ..) => news.add(Self::anything()),
                (OUTBOX, ..) => news.add(Self::outbox()),
                (_, Some(queue), _) => news.add_queue(queue),
                (_, None, Some(webhook)) => news.add_webhook(webhook),
                (_, None, None) => news.add(Self::all()),
            }
        }
        Some((process, news))
    }
}

fn queue(word: &str) -> Option<(i64, i16)> {
    let (webhook, class) = word.split_once('.')?;
    Some((webhook.parse().ok()?, class.parse().ok()?))
}

fn webhook(word: &str) -> Option<i64> {
    word.strip_suffix(ALL_LANES)?.parse().ok()
}

/// Returns all queues of a webhook.
fn all_queues(webhook: i64) -> [WebhookQueue; 4] {
    let webhook = WebhookId(webhook);
    QueueClass::ALL.map(|class| WebhookQueue { webhook, class })
}

/// Writes the words, a space before each.
impl Display for News {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (said, word) in [
            (self.due, DUE),
            (self.anything, ANYTHING),
            (self.outbox, OUTBOX),
        ] {
            if said {
                write!(f, " {word}")?;
            }
        }
        self.queues
            .iter()
            .try_for_each(|(webhook, class)| write!(f, " {webhook}.{class}"))?;
        self.webhooks
            .iter()
            .try_for_each(|webhook| write!(f, " {webhook}{ALL_LANES}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queues(webhooks: std::ops::Range<i64>) -> News {
        News::queues(webhooks.map(|n| WebhookQueue {
            webhook: WebhookId(n),
            class: QueueClass::Retry,
        }))
    }

    fn webhooks(numbers: std::ops::Range<i64>) -> News {
        let mut news = News::default();
        numbers.for_each(|n| news.add(News::webhook(WebhookId(n))));
        news
    }

    #[test]
    fn a_payload_says_what_was_meant_and_fits() {
        let mut news = queues(i64::MAX - 100..i64::MAX);
        news.add(webhooks(i64::MAX - MOST_WEBHOOKS as i64..i64::MAX));
        news.add(News::outbox());
        let payload = news.payload(u64::MAX);
        assert!(payload.len() < 7_900, "{}", payload.len());
        assert_eq!(News::read(&payload).as_ref(), Some(&(u64::MAX, news)));
        let news = News::anything();
        assert_eq!(News::read(&news.payload(1)), Some((1, news)));
        assert_eq!(News::read("4711"), None, "the generation of a key");
        assert_eq!(News::read("work 7 of later"), Some((7, News::all())));
    }

    #[test]
    fn too_many_named_queues_collapse_to_due() {
        let mut news = queues(0..60);
        news.add(queues(60..100));
        assert!(!news.due);
        news.add(queues(100..101));
        assert_eq!(news, News::due());
        news.add(queues(0..1));
        assert_eq!(news, News::due());
    }

    #[test]
    fn resumed_webhooks_stay_named_until_too_many() {
        let mut news = queues(0..1);
        news.add(webhooks(0..MOST_WEBHOOKS as i64));
        news.add(News::due());
        assert_eq!(news.take_work(), Some(Arrived::Due));
        let named = (0..MOST_WEBHOOKS as i64).flat_map(all_queues).collect();
        assert_eq!(news.take_work(), Some(Arrived::Queues(named)));
        assert!(news.is_empty());
        news = webhooks(0..MOST_WEBHOOKS as i64);
        news.add(News::webhook(WebhookId(-1)));
        assert_eq!(news, News::anything());
        news.add(News::webhook(WebhookId(0)));
        assert_eq!(news, News::anything());
    }

    #[test]
    fn notifications_are_taken_once_nearest_first() {
        let mut news = News::anything();
        news.add(queues(1..2));
        news.add(News::outbox());
        assert!(matches!(news.take_work(), Some(Arrived::Queues(of)) if of.len() == 1));
        assert!(matches!(news.take_work(), Some(Arrived::Anything)));
        assert!(news.take_work().is_none() && !news.has_work());
        assert!(news.take_outbox() && !news.take_outbox() && news.is_empty());
    }
}
