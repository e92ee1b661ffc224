//! Rows of the outbox that an occurrence must not overtake at a webhook that keeps its order.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OpenOutbox, OutboxAudience, OutboxId, RemainingTasks};
use webhook_model::{Audience, WebhookId};

use super::batch::Batch;
use super::emitter::Emitter;
use super::finder::Ask;
use super::sink::{Decided, Sink};
use crate::error::EmitError;
use crate::routes::{Matched, MatchedTask};

/// The maximum number of rows that are read. Behind more, every webhook in order waits.
const LOOKED_AT: u32 = 100;

/// The outbox rows that were written before an occurrence.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// For some of them it is not known which webhooks they will send.
    any: bool,
    /// The webhooks that the other rows will send.
    webhooks: BTreeSet<WebhookId>,
    /// The due time of the first row.
    due: Option<DateTime<Utc>>,
}

impl Ahead {
    /// Whether a task must wait for them.
    pub(super) fn holds(&self, task: &MatchedTask) -> bool {
        let webhook = &task.webhook;
        webhook.in_order && (self.any || self.webhooks.contains(&webhook.id))
    }

    /// Returns the result for a row of which no task can be decided.
    pub(super) fn undecided(&self, matched: &Matched, batch: &Batch) -> Decided {
        let later = matched.tasks.iter();
        let later = later.filter(|task| batch.later.contains_key(&task.id()));
        let (held, unknown): (Vec<_>, Vec<_>) = later.partition(|task| self.holds(task));
        match self.due.filter(|_| !held.is_empty()) {
            Some(due) => Decided::Behind {
                due,
                unknown: !unknown.is_empty(),
            },
            None => Decided::Undecided,
        }
    }
}

impl Ask<'_> {
    /// Whether some task must not overtake earlier emits. A manual run is in the log when the call
    /// returns, and waits for nothing.
    pub(super) fn keeps_order(&self, matched: &Matched) -> bool {
        let mut tasks = matched.tasks.iter().filter(|task| task.id() > self.after());
        self.by.is_none() && tasks.any(|task| task.webhook.in_order)
    }
}

impl Sink {
    /// The rows that count: those of the stored audience, before this one.
    fn behind(&self, audience: Audience) -> (OutboxAudience, OutboxId) {
        match self {
            Self::Emit(_) => (audience.into(), OutboxId(i64::MAX)),
            Self::Row(row) => (row.audience, row.id),
        }
    }
}

impl Emitter {
    /// Returns the rows that must not be overtaken, as they are at present or were when they were
    /// read for this emit.
    pub(super) async fn ahead(
        &self,
        ask: &Ask<'_>,
        sink: &Sink,
        matched: &Matched,
        open: &mut Option<Arc<[OpenOutbox]>>,
    ) -> Result<Ahead, EmitError> {
        if !ask.keeps_order(matched) {
            return Ok(Ahead::default());
        }
        if open.is_none() {
            let (audience, before) = sink.behind(ask.occurrence.audience);
            let store = &self.core.store;
            *open = Some(store.open_outbox(audience, before, LOOKED_AT).await?.into());
        }
        let rows = open.as_deref().unwrap_or_default();
        self.held(ask, rows, matched).await
    }

    async fn held(
        &self,
        ask: &Ask<'_>,
        rows: &[OpenOutbox],
        matched: &Matched,
    ) -> Result<Ahead, EmitError> {
        let mut ahead = Ahead {
            any: rows.len() >= LOOKED_AT as usize,
            due: rows.iter().map(|row| row.due).min(),
            ..Ahead::default()
        };
        let mut tasks = Vec::new();
        for row in rows {
            match &row.left {
                RemainingTasks::After(_) => ahead.any = true,
                RemainingTasks::Tasks(ids) => tasks.extend(ids),
            }
        }
        if !ahead.any && !tasks.is_empty() {
            let found = self.finder.webhooks_of(ask.places, &tasks, matched).await?;
            ahead.any = found.is_none();
            ahead.webhooks = found.unwrap_or_default();
        }
        Ok(ahead)
    }
}
