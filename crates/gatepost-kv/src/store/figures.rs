//! The queue in figures.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::QueueStats;
use serde::{Deserialize, Serialize};
use webhook_model::WebhookId;

use super::deliveries::is_gone;
use super::error::{Outcome, damaged};
use super::key::{Key, Parts};
use super::kv_store::KvStore;
use super::tables::{DUE, META, OUTBOX_DUE, RUNNING};
use super::tx::row;
use super::{claims, lanes, micros};
use crate::contract::{Kv, View};
use crate::span::{Go, Span};
use crate::table::Table;

/// Rows that are read in one view.
const AT_ONCE: usize = 1024;

#[derive(Deserialize, Serialize)]
struct Stored {
    counted: i64,
    queued: u64,
    running: u64,
    oldest_due: Option<i64>,
    outbox: u64,
}

/// What waits and what runs of a webhook.
#[derive(Clone, Copy, Default)]
struct Own {
    queued: u64,
    running: u64,
    oldest_due: Option<i64>,
}

impl<K: Kv> KvStore<K> {
    /// Counts what has not ended, and keeps the figures.
    pub(super) async fn count(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError> {
        let mut of: BTreeMap<WebhookId, Own> = BTreeMap::new();
        for (key, lane) in self.rows_of(DUE).await? {
            let (due, lane) = (due_in(&key)?, lanes::lane_in(&lane)?);
            let own = of.entry(lane.webhook).or_default();
            own.queued += 1;
            own.oldest_due.get_or_insert(due);
        }
        for (key, _) in self.rows_of(RUNNING).await? {
            let webhook = Parts::of(&key).number()?;
            of.entry(webhook).or_default().running += 1;
        }
        let mut sum = Stored {
            counted: micros(now).timestamp_micros(),
            queued: 0,
            running: 0,
            oldest_due: None,
            outbox: self.rows_of(OUTBOX_DUE).await?.len() as u64,
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
            shown(&sum)
        })
        .await
    }

    /// All rows of a table, as far as they are there while they are read.
    async fn rows_of(&self, table: Table) -> Result<Vec<(Vec<u8>, Vec<u8>)>, StoreError> {
        let (mut rows, mut span) = (Vec::new(), Span::all());
        loop {
            let asked = span.clone();
            let mut part: Vec<(Vec<u8>, Vec<u8>)> = self
                .read(move |view| {
                    let mut part = Vec::new();
                    view.scan(table, &asked, &mut |key, value| {
                        part.push((key.to_vec(), value.to_vec()));
                        if part.len() < AT_ONCE {
                            Go::On
                        } else {
                            Go::Stop
                        }
                    })?;
                    Ok(part)
                })
                .await?;
            let last = part.last().map(|(key, _)| key.clone());
            let is_full = part.len() == AT_ONCE;
            rows.append(&mut part);
            match last {
                Some(last) if is_full => span = span.after(&last),
                _ => return Ok(rows),
            }
        }
    }
}

pub(super) fn counted_last(view: &dyn View) -> Outcome<Option<QueueStats>> {
    let stored: Option<Stored> = row(view, META, figures_key().bytes())?;
    stored.as_ref().map(shown).transpose()
}

fn shown(stored: &Stored) -> Outcome<QueueStats> {
    let counted = DateTime::from_timestamp_micros(stored.counted);
    Ok(QueueStats {
        counted: counted.ok_or_else(|| damaged("the time of the figures"))?,
        queued: stored.queued,
        running: stored.running,
        oldest_due: stored.oldest_due.and_then(DateTime::from_timestamp_micros),
        outbox: stored.outbox,
    })
}

fn figures_key() -> Key {
    Key::new().text("figures")
}

fn due_in(key: &[u8]) -> Outcome<i64> {
    Ok(Parts::of(key).time()?.timestamp_micros())
}
