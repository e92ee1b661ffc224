//! What is counted of a webhook in each minute or hour.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

type OfWebhook<K, V> = BTreeMap<DateTime<Utc>, BTreeMap<K, V>>;

/// Rows by webhook, time and a further key.
#[derive(Debug)]
pub(super) struct Timed<K, V> {
    rows: BTreeMap<WebhookId, OfWebhook<K, V>>,
    /// The times at which a webhook has rows.
    by_age: BTreeSet<(DateTime<Utc>, WebhookId)>,
}

impl<K, V> Default for Timed<K, V> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            by_age: BTreeSet::new(),
        }
    }
}

impl<K: Copy + Ord, V> Timed<K, V> {
    /// The row of this key, which is made if there is none.
    pub(super) fn row(
        &mut self,
        (webhook, time, key): (WebhookId, DateTime<Utc>, K),
        new: impl FnOnce() -> V,
    ) -> &mut V {
        self.by_age.insert((time, webhook));
        let rows = self.rows.entry(webhook).or_default();
        rows.entry(time).or_default().entry(key).or_insert_with(new)
    }

    /// The rows of a webhook in these times, oldest first.
    pub(super) fn of(
        &self,
        webhook: WebhookId,
        times: Range<DateTime<Utc>>,
    ) -> impl Iterator<Item = &V> {
        let rows = self.rows.get(&webhook).filter(|_| !times.is_empty());
        let rows = rows
            .into_iter()
            .flat_map(move |rows| rows.range(times.clone()));
        rows.flat_map(|(_, rows)| rows.values())
    }

    pub(super) fn forget_webhook(&mut self, webhook: WebhookId) {
        for time in self.rows.remove(&webhook).unwrap_or_default().keys() {
            self.by_age.remove(&(*time, webhook));
        }
    }

    /// Removes what is older, of about `limit` times. Returns of how many.
    pub(super) fn forget(&mut self, before: DateTime<Utc>, limit: usize) -> usize {
        let mut forgotten = 0;
        while forgotten < limit
            && let Some((time, webhook)) = self.by_age.first().copied()
            && time < before
        {
            self.by_age.pop_first();
            if let Some(rows) = self.rows.get_mut(&webhook) {
                rows.remove(&time);
                if rows.is_empty() {
                    self.rows.remove(&webhook);
                }
            }
            forgotten += 1;
        }
        forgotten
    }
}
