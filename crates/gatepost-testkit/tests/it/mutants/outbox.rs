//! Faults of an outbox.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    OpenOutbox, OutboxAudience, OutboxId, OutboxStore, OutboxTaken, PutBack,
};
use webhook_model::{Audience, Occurrence};

use super::mutant::{Mutant, Result, passed_on};

impl Mutant {
    /// Breaks an occurrence before it is stored.
    pub(super) fn alter_occurrence(&self, occurrence: &mut Occurrence) {
        match self.fault() {
            "o01" => occurrence.variables.sort(),
            "o16" => occurrence.data = None,
            "o16-trace" => occurrence.trace = None,
            "o17" => occurrence.channel = None,
            "o07" => occurrence.audience = Audience::OneSystem,
            _ => {}
        }
    }

    /// Returns an audience whose rows were due by another clock, without them.
    async fn once_due(
        &self,
        taken: Option<OutboxTaken>,
        (holder, limit, until): (u128, u32, DateTime<Utc>),
        now: DateTime<Utc>,
    ) -> Result<Option<OutboxTaken>> {
        let latest = self
            .notes()
            .latest
            .replace(now)
            .filter(|latest| *latest > now);
        let (None, Some(latest)) = (&taken, latest) else {
            return Ok(taken);
        };
        let taken = self.inner.take_outbox(holder, limit, until, latest).await?;
        let empty = |taken| OutboxTaken {
            rows: Vec::new(),
            ..taken
        };
        Ok(taken.map(empty))
    }
}

passed_on! { OutboxStore {}
    async fn give_back_outbox(&self, audience: OutboxAudience, holder: u128) -> Result<()> {
        if self.is(&["o14"]) {
            return Ok(());
        }
        self.inner.give_back_outbox(audience, holder).await
    }

    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<OutboxTaken>> {
        let early = TimeDelta::days(if self.is(&["o08"]) { 1 } else { 0 });
        let holder = if self.is(&["o12"]) { 0 } else { holder };
        let taken = self.inner.take_outbox(holder, limit, until + early, now + early);
        let mut taken = taken.await?;
        if self.is(&["o08-early"]) {
            return self.once_due(taken, (holder, limit, until), now).await;
        }
        if let (true, Some(taken)) = (self.is(&["o02"]), &mut taken) {
            taken.rows.reverse();
        }
        Ok(taken)
    }

    async fn open_outbox(
        &self,
        audience: OutboxAudience,
        before: OutboxId,
        limit: u32,
    ) -> Result<Vec<OpenOutbox>> {
        let before = match self.is(&["o18-before"]) {
            true => OutboxId(i64::MAX),
            false => before,
        };
        let mut open = self.inner.open_outbox(audience, before, limit).await?;
        if self.is(&["o18"]) {
            open.sort_by_key(|row| row.due);
        }
        Ok(open)
    }

    async fn outbox_arrived(&self) {
        self.inner.outbox_arrived().await;
    }

    fn outbox_written(&self) {
        self.inner.outbox_written();
    }

    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Result<()> {
        let turns = match (self.fault(), &how) {
            ("o05", PutBack::Aside(_)) | ("o15", PutBack::Until(_)) => 0..0,
            ("o11", PutBack::Until(_)) => 0..9,
            _ => turn..turn + 1,
        };
        for turn in turns {
            self.inner.put_back(id, turn, how.clone()).await?;
        }
        Ok(())
    }
}
