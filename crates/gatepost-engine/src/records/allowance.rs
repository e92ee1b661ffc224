//! How much of each kind of record an owner may have.

use gatepost_storage::webhooks::RecordId;
use gatepost_storage::{AtMost, ErrorKind};
use webhook_model::OwnerId;

use crate::core::Core;
use crate::engine::Engine;
use crate::error::EngineError;

/// What a store says when it is the bytes that are too many.
const BYTES: &str = "bytes";

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Webhooks,
    Tasks,
    Events,
}

/// How much there may be of what one request stores: asked for once in an edit, however often that
/// is tried.
#[derive(Debug)]
pub(super) struct Allowance<'a> {
    core: &'a Core,
    kind: Kind,
    /// Whose record is being stored.
    admitted: Option<(OwnerId, AtMost)>,
}

impl<'a> Allowance<'a> {
    pub(super) fn new(core: &'a Core, kind: Kind) -> Self {
        Self {
            core,
            kind,
            admitted: None,
        }
    }

    /// Before a record of this owner is stored: how much there may be.
    pub(super) async fn of(&mut self, owner: OwnerId) -> Result<AtMost, EngineError> {
        if let Some((known, at_most)) = self.admitted
            && known == owner
        {
            return Ok(at_most);
        }
        let quota = self.core.access.admit_change(owner).await?;
        let rows = match self.kind {
            Kind::Webhooks => quota.webhooks,
            Kind::Tasks => quota.tasks,
            Kind::Events => quota.events,
        };
        let at_most = AtMost {
            rows,
            bytes: quota.record_bytes,
        };
        self.admitted = Some((owner, at_most));
        Ok(at_most)
    }

    /// As [`of`](Self::of), of a record that another owner may have now. The place that it leaves
    /// changes as well.
    pub(super) async fn of_edited(
        &mut self,
        from: OwnerId,
        to: OwnerId,
    ) -> Result<AtMost, EngineError> {
        if from != to && self.admitted.is_none() {
            self.core.access.pace_change(from).await?;
        }
        self.of(to).await
    }

    /// A refusal for its number or size, in figures.
    pub(super) async fn explained<T>(
        &self,
        result: Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (Err(EngineError::Store(error)), Some((owner, at_most))) = (&result, self.admitted)
        else {
            return result;
        };
        if error.kind() != ErrorKind::Full {
            return result;
        }
        let usage = self.core.store.record_usage(owner).await?;
        let (what, have) = match self.kind {
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

impl Engine {
    /// Before a record is deleted. One that cannot be read is always let go. Returns its owner.
    pub(super) async fn admit_deletion(
        &self,
        record: RecordId,
    ) -> Result<Option<OwnerId>, EngineError> {
        let Some(owner) = self.owner_of(record).await? else {
            return Ok(None);
        };
        match self.core.access.pace_change(owner).await {
            Err(EngineError::TooFast { .. }) if !self.is_readable(record).await? => {}
            other => other?,
        }
        Ok(Some(owner))
    }

    async fn is_readable(&self, record: RecordId) -> Result<bool, EngineError> {
        let store = &self.core.store;
        let read = match record {
            RecordId::Webhook(id) => store.webhook(id).await.map(drop),
            RecordId::Task(id) => store.task(id).await.map(drop),
            RecordId::Event(id) => store.event(id).await.map(drop),
        };
        match read {
            Err(error) if error.kind() == ErrorKind::Corrupt => Ok(false),
            other => Ok(other.map(|()| true)?),
        }
    }
}
