//! Settlements: many callers, one statement.

use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Settled, Settlement};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::batcher::Work;
use crate::column::{micros, without_nul};
use crate::db::Db;
use crate::error::{Failure, Result};

const SETTLE: &str = include_str!("../sql/queue/settle.sql");
const SETTLED: &str = include_str!("../sql/queue/settled.sql");

pub(crate) struct SettleWork {
    db: Db,
}

impl SettleWork {
    pub(crate) fn new(db: Db) -> Self {
        Self { db }
    }
}

#[async_trait]
impl Work for SettleWork {
    type Item = Vec<Settlement>;
    type Answer = Vec<Settled>;
    const MOST: usize = 1024;

    fn weight(item: &Vec<Settlement>) -> usize {
        let kept = |s: &Settlement| {
            s.attempt
                .as_ref()
                .map_or(0, |a| a.response_body.len() + a.response_head.len())
        };
        item.iter().map(|s| 1 + kept(s) / 16_384).sum()
    }

    async fn run(&self, items: Vec<Vec<Settlement>>) -> Vec<Result<Vec<Settled>>> {
        let lengths: Vec<usize> = items.iter().map(Vec::len).collect();
        let mut failed: Option<Failure> = None;
        let mut settled = Vec::new();
        match self.all(items.into_iter().flatten().collect()).await {
            Ok(answers) => settled = answers,
            Err(failure) => failed = Some(failure),
        }
        let mut settled = settled.into_iter();
        lengths
            .into_iter()
            .map(|n| match &failed {
                Some(failure) => Err(failure.clone()),
                None => Ok(settled.by_ref().take(n).collect()),
            })
            .collect()
    }
}

impl SettleWork {
    /// One transaction for all. A delivery that is settled twice (twice the same, or by an old and
    /// a new token) needs a statement for each time.
    async fn all(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let count = settlements.len();
        let waves = waves(settlements);
        let mut tries = 0;
        loop {
            match self.store(&waves, count).await {
                Err(failure) if failure.was_victim && tries < 3 => tries += 1,
                other => return other,
            }
        }
    }

    /// After each wave it is asked which of those that found no running row an earlier call has
    /// stored: in a statement of its own, so that it sees the earlier call even if that was
    /// under way at the same time, and before the next wave, which may settle the same row
    /// under a newer token.
    async fn store(&self, waves: &[Wave], count: usize) -> Result<Vec<Settled>> {
        let mut settled = vec![Settled::Stale; count];
        if let [wave] = waves {
            mark(
                wave,
                &self.db.query(SETTLE, &wave.params()).await?,
                &mut settled,
            )?;
            if settled.contains(&Settled::Stale) {
                let rows = self
                    .db
                    .query(SETTLED, &[&wave.delivery, &wave.token])
                    .await?;
                mark(wave, &rows, &mut settled)?;
            }
            return Ok(settled);
        }
        let mut client = self.db.client().await?;
        let tx = client.transaction().await?;
        let settle = tx.prepare_cached(SETTLE).await?;
        let known = tx.prepare_cached(SETTLED).await?;
        for wave in waves {
            mark(
                wave,
                &tx.query(&settle, &wave.params()).await?,
                &mut settled,
            )?;
            let rows = tx.query(&known, &[&wave.delivery, &wave.token]).await?;
            mark(wave, &rows, &mut settled)?;
        }
        tx.commit().await?;
        Ok(settled)
    }
}

/// Marks as done what a statement answered: positions in the wave, from 1.
fn mark(wave: &Wave, rows: &[Row], settled: &mut [Settled]) -> Result<()> {
    let row = rows.first();
    let done: Vec<i64> = row
        .ok_or_else(|| Failure::unavailable("no answer came back"))?
        .try_get("done")?;
    for ord in done {
        let at = usize::try_from(ord - 1)
            .ok()
            .and_then(|i| wave.places.get(i));
        if let Some(place) = at.and_then(|at| settled.get_mut(*at)) {
            *place = Settled::Done;
        }
    }
    Ok(())
}

/// Settlements of different deliveries, as columns.
#[derive(Default)]
struct Wave {
    /// Where each stands among all.
    places: Vec<usize>,
    seen: HashSet<i64>,
    delivery: Vec<i64>,
    token: Vec<i64>,
    state: Vec<&'static str>,
    due: Vec<Option<DateTime<Utc>>>,
    status_info: Vec<String>,
    attempted: Vec<bool>,
    started: Vec<Option<DateTime<Utc>>>,
    duration: Vec<Option<i64>>,
    dns: Vec<Option<i64>>,
    connect: Vec<Option<i64>>,
    tls: Vec<Option<i64>>,
    first_byte: Vec<Option<i64>>,
    class: Vec<Option<String>>,
    info: Vec<Option<String>>,
    status: Vec<Option<i32>>,
    remote: Vec<Option<String>>,
    protocol: Vec<Option<String>>,
    head: Vec<Option<Vec<u8>>>,
    body: Vec<Option<Vec<u8>>>,
    truncated: Vec<Option<bool>>,
}

/// Each settlement goes to the first wave that does not hold its delivery yet, so their order is
/// kept.
fn waves(settlements: Vec<Settlement>) -> Vec<Wave> {
    let mut waves = vec![Wave::default()];
    for (place, settlement) in settlements.into_iter().enumerate() {
        let id = settlement.claim.delivery.0;
        let free = waves
            .iter()
            .position(|wave| !wave.seen.contains(&id))
            .unwrap_or_else(|| {
                waves.push(Wave::default());
                waves.len() - 1
            });
        if let Some(wave) = waves.get_mut(free) {
            wave.push(place, settlement);
        }
    }
    waves
}

impl Wave {
    fn push(&mut self, place: usize, settlement: Settlement) {
        let (state, due) = settlement.verdict.state_and_due();
        self.places.push(place);
        self.seen.insert(settlement.claim.delivery.0);
        self.delivery.push(settlement.claim.delivery.0);
        self.token.push(settlement.claim.token.0);
        self.state.push(state.as_str());
        self.due.push(due);
        self.status_info.push(without_nul(settlement.status_info));
        let attempt = settlement.attempt;
        self.attempted.push(attempt.is_some());
        let a = attempt.as_ref();
        self.started.push(a.map(|a| a.started));
        self.duration.push(a.map(|a| micros(a.duration)));
        self.dns.push(a.and_then(|a| a.phases.dns).map(micros));
        self.connect
            .push(a.and_then(|a| a.phases.connect).map(micros));
        self.tls.push(a.and_then(|a| a.phases.tls).map(micros));
        self.first_byte
            .push(a.and_then(|a| a.phases.first_byte).map(micros));
        self.status.push(a.and_then(|a| a.status).map(i32::from));
        self.remote
            .push(a.and_then(|a| a.remote).map(|r| r.to_string()));
        self.truncated.push(a.map(|a| a.truncated));
        let texts = attempt.map(|a| {
            (
                a.class,
                a.info,
                a.protocol,
                a.response_head,
                a.response_body,
            )
        });
        let (class, info, protocol, head, body) = match texts {
            Some((class, info, protocol, head, body)) => {
                (Some(class), Some(info), protocol, Some(head), Some(body))
            }
            None => (None, None, None, None, None),
        };
        self.class.push(class.map(without_nul));
        self.info.push(info.map(without_nul));
        self.protocol.push(protocol.map(without_nul));
        self.head.push(head);
        self.body.push(body);
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 20] {
        [
            &self.delivery,
            &self.token,
            &self.state,
            &self.due,
            &self.status_info,
            &self.attempted,
            &self.started,
            &self.duration,
            &self.dns,
            &self.connect,
            &self.tls,
            &self.first_byte,
            &self.class,
            &self.info,
            &self.status,
            &self.remote,
            &self.protocol,
            &self.head,
            &self.body,
            &self.truncated,
        ]
    }
}
