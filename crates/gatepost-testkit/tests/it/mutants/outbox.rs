//! Faults of an outbox.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{OutboxId, OutboxRow, OutboxStore};
use webhook_model::{Audience, Occurrence};

use super::mutant::{Mutant, Result, passed_on};

passed_on! { OutboxStore {}
    async fn push_outbox(&self, occurrence: &Occurrence, now: DateTime<Utc>) -> Result<OutboxId> {
        let mut occurrence = occurrence.clone();
        match self.fault() {
            "o01" => occurrence.variables.sort(),
            "o07" => occurrence.audience = Audience::OneSystem,
            _ => {}
        }
        self.inner.push_outbox(&occurrence, now).await
    }

    async fn outbox(&self, limit: u32, now: DateTime<Utc>) -> Result<Vec<OutboxRow>> {
        let early = TimeDelta::days(if self.is(&["o08"]) { 1 } else { 0 });
        let in_order = self.is(&["o12"]);
        let many = if in_order { 1_000 } else { limit };
        let mut rows = self.inner.outbox(many, now + early).await?;
        if in_order {
            rows.truncate(limit as usize);
        }
        if self.is(&["o02"]) {
            rows.reverse();
        }
        Ok(rows)
    }

    async fn postpone_outbox(&self, id: OutboxId, turn: u32, due: DateTime<Utc>) -> Result<()> {
        let turns = if self.is(&["o11"]) { 0..9 } else { turn..turn + 1 };
        for turn in turns {
            self.inner.postpone_outbox(id, turn, due).await?;
        }
        Ok(())
    }

    async fn reject_outbox(&self, id: OutboxId, reason: &str, now: DateTime<Utc>) -> Result<()> {
        if self.is(&["o05"]) {
            return Ok(());
        }
        self.inner.reject_outbox(id, reason, now).await
    }
}
