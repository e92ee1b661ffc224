//! How much of each kind of record an owner may have.

use std::sync::Arc;

use gatepost_storage::webhooks::{RecordId, WebhookStore};
use gatepost_storage::{AtMost, ErrorKind};
use webhook_model::OwnerId;

use crate::error::EngineError;
use crate::judge::Judge;

/// What a store says when it is the bytes that are too many.
const BYTES: &str = "bytes";

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Webhooks,
    Tasks,
    Events,
}

#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    pub store: Arc<dyn WebhookStore>,
    pub judge: Arc<Judge>,
}

/// Whose record is being stored: asked for once in an edit, however often that is tried.
#[derive(Debug, Default)]
pub(super) struct Admitted(Option<(OwnerId, AtMost)>);

impl Allowance {
    /// Before a record of this owner is stored: how much there may be.
    pub(super) async fn of(
        &self,
        owner: OwnerId,
        kind: Kind,
        admitted: &mut Admitted,
    ) -> Result<AtMost, EngineError> {
        if let Some((known, at_most)) = admitted.0
            && known == owner
        {
            return Ok(at_most);
        }
        let quota = self.judge.admit_change(owner).await?;
        let rows = match kind {
            Kind::Webhooks => quota.webhooks,
            Kind::Tasks => quota.tasks,
            Kind::Events => quota.events,
        };
        let at_most = AtMost {
            rows,
            bytes: quota.record_bytes,
        };
        admitted.0 = Some((owner, at_most));
        Ok(at_most)
    }

    /// As [`of`](Self::of), of a record that another owner may have now. The place that it leaves
    /// changes as well.
    pub(super) async fn of_edited(
        &self,
        (from, to): (OwnerId, OwnerId),
        kind: Kind,
        admitted: &mut Admitted,
    ) -> Result<AtMost, EngineError> {
        if from != to && admitted.0.is_none() {
            self.judge.pace_change(from).await?;
        }
        self.of(to, kind, admitted).await
    }

    /// Before a record is deleted. One that cannot be read is always let go. Returns its owner.
    pub(super) async fn of_deletion(
        &self,
        record: RecordId,
    ) -> Result<Option<OwnerId>, EngineError> {
        let Some(owner) = self.owner_of(record).await? else {
            return Ok(None);
        };
        match self.judge.pace_change(owner).await {
            Err(EngineError::TooFast { .. }) if !self.is_readable(record).await? => {}
            other => other?,
        }
        Ok(Some(owner))
    }

    async fn is_readable(&self, record: RecordId) -> Result<bool, EngineError> {
        let read = match record {
            RecordId::Webhook(id) => self.store.webhook(id).await.map(drop),
            RecordId::Task(id) => self.store.task(id).await.map(drop),
            RecordId::Event(id) => self.store.event(id).await.map(drop),
        };
        match read {
            Err(error) if error.kind() == ErrorKind::Corrupt => Ok(false),
            other => Ok(other.map(|()| true)?),
        }
    }

    /// Who owns what a new record hangs on.
    pub(super) async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, EngineError> {
        Ok(self.store.owner_of(record).await?)
    }

    /// A refusal for its number or size, in figures.
    pub(super) async fn explained<T>(
        &self,
        result: Result<T, EngineError>,
        kind: Kind,
        admitted: &Admitted,
    ) -> Result<T, EngineError> {
        let (Err(EngineError::Store(error)), Some((owner, at_most))) = (&result, admitted.0) else {
            return result;
        };
        if error.kind() != ErrorKind::Full {
            return result;
        }
        let usage = self.store.record_usage(owner).await?;
        let (what, have) = match kind {
            _ if error.context() == BYTES => ("bytes of records", usage.bytes),
            Kind::Webhooks => ("webhooks", usage.webhooks),
            Kind::Tasks => ("tasks", usage.tasks),
            Kind::Events => ("events", usage.events),
        };
        let most = if error.context() == BYTES {
            at_most.bytes
        } else {
            at_most.rows
        };
        Err(EngineError::Full { what, have, most })
    }
}
