//! All webhooks in trouble, and the order in which they are checked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use chrono::{DateTime, TimeDelta, Utc};
use webhook_model::{OwnerId, WebhookId};

use super::trouble::Trouble;

/// The maximum number of webhooks whose troubles are reported: some 50 MiB.
const MOST: usize = 100_000;
/// The same for one owner.
const OF_ONE: usize = 1_000;
/// How long a webhook that is being checked is not checked again, in case the check fails.
const HELD: TimeDelta = TimeDelta::seconds(10);

#[derive(Debug, Default)]
pub(super) struct Book {
    troubles: HashMap<WebhookId, Trouble>,
    /// The due time of each, by owner, so that owners take turns.
    due: BTreeMap<OwnerId, BTreeSet<(DateTime<Utc>, WebhookId)>>,
    /// The owner whose turn was last.
    last: Option<OwnerId>,
}

impl Book {
    pub(super) fn len(&self) -> usize {
        self.troubles.len()
    }

    /// Changes the trouble of a webhook; `None` when there is none.
    pub(super) fn change<T>(
        &mut self,
        webhook: WebhookId,
        change: impl FnOnce(&mut Trouble) -> T,
    ) -> Option<T> {
        let trouble = self.troubles.get_mut(&webhook)?;
        let (owner, before) = (trouble.owner, trouble.due());
        let changed = change(trouble);
        let after = trouble.due();
        let forgotten = trouble.is_over() && after == DateTime::UNIX_EPOCH;
        if forgotten {
            self.troubles.remove(&webhook);
        }
        self.cancel(owner, (before, webhook));
        if !forgotten {
            self.due.entry(owner).or_default().insert((after, webhook));
        }
        Some(changed)
    }

    /// As [`change`](Self::change); begins a trouble if the limits allow.
    pub(super) fn begin(
        &mut self,
        webhook: WebhookId,
        owner: OwnerId,
        change: impl FnOnce(&mut Trouble),
    ) {
        let known = self.troubles.contains_key(&webhook);
        let of_owner = self.due.get(&owner).map_or(0, BTreeSet::len);
        if !known && (self.troubles.len() >= MOST || of_owner >= OF_ONE) {
            return;
        }
        self.troubles
            .entry(webhook)
            .or_insert_with(|| Trouble::new(owner));
        self.change(webhook, change);
    }

    pub(super) fn forget(&mut self, webhook: WebhookId) {
        if let Some(trouble) = self.troubles.remove(&webhook) {
            self.cancel(trouble.owner, (trouble.due(), webhook));
        }
    }

    /// Returns a due trouble of the next owner who has one. If it is not reported, it is due again
    /// a little later.
    pub(super) fn next(&mut self, now: DateTime<Utc>) -> Option<(WebhookId, Trouble)> {
        while let Some((owner, webhook)) = self.turn(now) {
            self.last = Some(owner);
            let trouble = self.change(webhook, |trouble| {
                let as_it_was = trouble.clone();
                trouble.held = now + HELD;
                as_it_was
            })?;
            if !trouble.is_over() {
                return Some((webhook, trouble));
            }
            self.forget(webhook);
        }
        None
    }

    fn turn(&self, now: DateTime<Utc>) -> Option<(OwnerId, WebhookId)> {
        let after = self.last.map_or(Bound::Unbounded, Bound::Excluded);
        let until = self
            .last
            .map_or(Bound::Excluded(OwnerId(0)), Bound::Included);
        let owners = self.due.range((after, Bound::Unbounded));
        let mut owners = owners.chain(self.due.range((Bound::Unbounded, until)));
        owners.find_map(|(owner, due)| {
            let (at, webhook) = due.first()?;
            (*at <= now).then_some((*owner, *webhook))
        })
    }

    fn cancel(&mut self, owner: OwnerId, due: (DateTime<Utc>, WebhookId)) {
        if let Some(of_owner) = self.due.get_mut(&owner) {
            of_owner.remove(&due);
            if of_owner.is_empty() {
                self.due.remove(&owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noon;

    fn failing(book: &mut Book, webhook: i64, owner: u128) {
        let failed = |trouble: &mut Trouble| trouble.failed("HTTP 500", true, noon());
        book.begin(WebhookId(webhook), OwnerId(owner), failed);
    }

    #[test]
    fn owners_take_turns_despite_many_troubled_webhooks() {
        let mut book = Book::default();
        (1..=100).for_each(|webhook| failing(&mut book, webhook, 1));
        failing(&mut book, 101, 2);
        failing(&mut book, 102, 3);
        let turns: Vec<_> = (0..4).map_while(|_| book.next(noon())).collect();
        let turns: Vec<_> = turns.iter().map(|(webhook, _)| webhook.0).collect();
        assert_eq!(turns, [1, 101, 102, 2]);
    }

    #[test]
    fn owner_has_a_hundredth_of_a_bounded_registry() {
        let mut book = Book::default();
        (0..3 * OF_ONE as i64).for_each(|webhook| failing(&mut book, webhook, 1));
        assert_eq!(book.len(), OF_ONE);
        let first = 3 * OF_ONE;
        for id in first..first + 2 * MOST {
            failing(&mut book, id as i64, id as u128);
        }
        assert_eq!(book.len(), MOST);
    }

    #[test]
    fn checked_trouble_is_due_again_ended_one_forgotten() {
        let mut book = Book::default();
        failing(&mut book, 1, 1);
        let (_, trouble) = book.next(noon()).unwrap();
        assert!(trouble.is_failing(noon()) && trouble.exhausted.is_due(noon()));
        assert!(book.next(noon()).is_none(), "somebody looks at it");
        assert!(
            book.next(noon() + HELD).is_some(),
            "nobody said anything of it"
        );
        book.change(WebhookId(1), |trouble| {
            trouble.received(noon());
            trouble.exhausted.count = 0;
            trouble.exhausted.next = noon() + TimeDelta::hours(1);
        });
        assert!(book.next(noon() + TimeDelta::minutes(59)).is_none());
        assert_eq!(book.len(), 1, "it is remembered that its owner knows");
        assert!(book.next(noon() + TimeDelta::hours(1)).is_none());
        assert_eq!((book.len(), book.due.len()), (0, 0));
    }
}
