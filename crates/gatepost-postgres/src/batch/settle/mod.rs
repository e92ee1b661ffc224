//! Settlements: many callers, one statement.

mod wave;

use async_trait::async_trait;
use gatepost_storage::webhooks::{Settled, Settlement};
use tokio_postgres::Row;

use self::wave::{Wave, waves};
use crate::batch::batcher::{Outcome, Work};
use crate::db::Db;
use crate::error::{Failure, Result};

const SETTLE: &str = include_str!("../../sql/queue/settle.sql");
const SETTLED: &str = include_str!("../../sql/queue/settled.sql");

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

    fn shares(_: &Vec<Settlement>) -> bool {
        true
    }

    async fn alone(&self, item: Vec<Settlement>) -> Result<Vec<Settled>> {
        self.all(item).await
    }

    async fn run(&self, items: Vec<Vec<Settlement>>) -> Vec<Outcome<Self>> {
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
                Some(failure) => Outcome::Done(Err(failure.clone())),
                None => Outcome::Done(Ok(settled.by_ref().take(n).collect())),
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

    /// After each wave a query finds which of those without a running row an earlier call has
    /// stored: in a statement of its own, so that it sees the earlier call even if that was under
    /// way at the same time, and before the next wave, which may settle the same row under a newer
    /// token.
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

/// Marks as done what a statement returned: positions in the wave, from 1.
fn mark(wave: &Wave, rows: &[Row], settled: &mut [Settled]) -> Result<()> {
    let row = rows.first();
    let done: Vec<i64> = row
        .ok_or_else(|| Failure::unavailable("the database returned no result"))?
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
