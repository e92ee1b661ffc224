//! The statistics of the queue.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::QueueStats;
use webhook_model::WebhookId;

use super::deliveries::is_gone;
use super::error::Outcome;
use super::key::{Key, Parts, micros};
use super::kv_store::KvStore;
use super::tables::{DUE, META, OUTBOX_DUE, RUNNING};
use super::tx::{row, rows_in};
use super::{claims, queues};
use crate::contract::View;
use crate::key_range::KeyRange;
use crate::table::Table;

/// The number of rows that are read in one view.
const AT_ONCE: usize = 1024;

/// The waiting and running deliveries of a webhook.
#[derive(Clone, Copy, Default)]
struct Own {
    queued: u64,
    running: u64,
    oldest_due: Option<DateTime<Utc>>,
}

impl KvStore {
    /// Counts the deliveries that have not ended, and stores the result.
    pub(super) async fn count(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError> {
        let mut of: BTreeMap<WebhookId, Own> = BTreeMap::new();
        for (webhook, due) in self.rows_of(DUE, waiting).await? {
            let own = of.entry(webhook).or_default();
            own.queued += 1;
            own.oldest_due.get_or_insert(due);
        }
        for webhook in self
            .rows_of(RUNNING, |key, _| Parts::of(key).number())
            .await?
        {
            of.entry(webhook).or_default().running += 1;
        }
        let mut sum = QueueStats {
            counted: micros(now),
            queued: 0,
            running: 0,
            oldest_due: None,
            outbox: self.rows_of(OUTBOX_DUE, |_, _| Ok(())).await?.len() as u64,
        };
        for (webhook, own) in of {
            let (is_gone, sends) = self
                .read(move |view| {
                    let sends = claims::sending(view, webhook)?.is_some();
                    Ok((is_gone(view, webhook)?, sends))
                })
                .await?;
            if !is_gone {
                sum.queued += own.queued;
                sum.running += own.running;
            }
            if sends {
                let older = [sum.oldest_due, own.oldest_due].into_iter().flatten();
                sum.oldest_due = older.min();
            }
        }
        self.write(move |tx| {
            tx.put_row(META, figures_key().bytes(), &sum)?;
            Ok(sum)
        })
        .await
    }

    /// Reads the rows of a table in several views; rows may be missing that are changed in between.
    async fn rows_of<T: Send + 'static>(
        &self,
        table: Table,
        read: fn(&[u8], &[u8]) -> Outcome<T>,
    ) -> Result<Vec<T>, StoreError> {
        let (mut rows, mut range) = (Vec::new(), KeyRange::all());
        loop {
            let asked = range.clone();
            let (part, last) = self
                .read(move |view| {
                    let (mut left, mut last) = (AT_ONCE, None);
                    let part = rows_in(view, table, &asked, AT_ONCE, |key, value| {
                        left -= 1;
                        last = (left == 0).then(|| key.to_vec());
                        read(key, value)
                    })?;
                    Ok((part, last))
                })
                .await?;
            rows.extend(part);
            match last {
                Some(last) => range = range.after(&last),
                None => return Ok(rows),
            }
        }
    }
}

pub(super) fn counted_last(view: &dyn View) -> Outcome<Option<QueueStats>> {
    row(view, META, figures_key().bytes())
}

fn figures_key() -> Key {
    Key::new().text("figures")
}

/// Returns the webhook of a waiting delivery, and its due time.
fn waiting(key: &[u8], queue: &[u8]) -> Outcome<(WebhookId, DateTime<Utc>)> {
    Ok((queues::queue_in(queue)?.webhook, Parts::of(key).time()?))
}
