//! Creating, editing and deleting records of each kind within their owners' quotas.

use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{Cascade, InsertedRecords, NewRecords, RecordId, RecordRow};
use gatepost_storage::{ErrorKind, Row, StoreError};
use webhook_model::{Field, Invalid, OwnerId};

use crate::activity::TRIES;
use crate::engine::Engine;
use crate::error::EngineError;

/// The store's name for bytes in a `Full` error.
const BYTES: &str = "bytes";

/// A record of one of the three kinds.
pub(super) trait Record: Clone + Into<NewRecords> + Send + Sync {
    type Id: Copy + Into<RecordId> + Send;

    /// The plural name of the kind, and its count in the usage.
    const COUNT: (&'static str, fn(&RecordUsage) -> u64);
    /// The field that names the parent record.
    const PARENT: Field;

    /// Refuses invalid values, except those that it already had `before`. Returns its owner, and
    /// whether it is a task that its run deletes.
    fn validate(
        &self,
        before: Option<&Self>,
        engine: &Engine,
    ) -> impl Future<Output = Result<(OwnerId, bool), EngineError>> + Send;
}

/// The owner of a stored record, and the owner's limits.
type Admitted = (OwnerId, RecordUsage);

impl Engine {
    pub(super) async fn create<R: Record>(&self, record: &R) -> Result<Row<R::Id, R>, EngineError>
    where
        Row<R::Id, R>: TryFrom<RecordRow, Error = StoreError>,
    {
        let (owner, runs_once) = record.validate(None, self).await?;
        let admitted = self.admit(owner, runs_once).await?;
        let (store, now) = (&self.core.store, self.core.clock.now()?);
        let inserted = store.insert_records(record.clone().into(), &admitted.1, now);
        let inserted = inserted.await.map_err(EngineError::from);
        let inserted = self.explained::<R, _>(inserted, admitted).await?;
        let InsertedRecords { webhook, task, .. } = inserted;
        let event = inserted.events.into_iter().next().map(RecordRow::from);
        let row = webhook.map(Into::into).or(task.map(Into::into)).or(event);
        let missing = || StoreError::corrupt("insert_records", "missing");
        Ok(row.ok_or_else(missing)?.try_into()?)
    }

    /// Applies an edit to the current record, and repeats it if another edit was stored first. Also
    /// returns the earlier record.
    pub(super) async fn edit<R: Record>(
        &self,
        id: R::Id,
        mut edit: impl FnMut(&mut R) -> Result<(), Invalid> + Send,
    ) -> Result<(R, Row<R::Id, R>), EngineError>
    where
        Row<R::Id, R>: Into<RecordRow> + TryFrom<RecordRow, Error = StoreError>,
    {
        let (store, mut admitted) = (&self.core.store, None::<Admitted>);
        for _ in 0..TRIES {
            let found = store.get_records(&[id.into()]).await?.pop();
            let found = found.transpose()?.flatten();
            let mut row = Row::try_from(found.ok_or(EngineError::NotFound)?)?;
            let before = row.value.clone();
            edit(&mut row.value)?;
            let (owner, runs_once) = row.value.validate(Some(&before), self).await?;
            let admitted = match admitted {
                // Admission is asked for once, however often the edit is tried.
                Some(known) if known.0 == owner => known,
                known => {
                    if known.is_none() && row.owner != owner {
                        // The realm that it leaves changes as well.
                        self.core.access.pace_change(row.owner).await?;
                    }
                    *admitted.insert(self.admit(owner, runs_once).await?)
                }
            };
            let now = self.core.clock.now()?;
            match store.update_record(row.into(), admitted.1.bytes, now).await {
                Err(error) if error.kind() == ErrorKind::Stale => {}
                updated => {
                    let updated = updated.map_err(EngineError::from);
                    let row = self.explained::<R, _>(updated, admitted).await?;
                    return Ok((before, row.try_into()?));
                }
            }
        }
        Err(EngineError::Contended)
    }

    /// Deletes a record and returns its owner. An unreadable record can always be deleted.
    pub(super) async fn delete(
        &self,
        id: RecordId,
        cascade: Cascade,
    ) -> Result<OwnerId, EngineError> {
        let now = self.core.clock.now()?;
        let owner = self.owner_of(id).await?.ok_or(EngineError::NotFound)?;
        if let Err(error) = self.core.access.pace_change(owner).await {
            let found = self.core.store.get_records(&[id]).await?;
            if found.iter().all(Result::is_ok) {
                return Err(error);
            }
        }
        self.core.store.delete_record(id, cascade, now).await?;
        Ok(owner)
    }

    /// Checks the limits before a record of this owner is stored. A one-time task counts as two
    /// changes, as its run deletes it.
    async fn admit(&self, owner: OwnerId, runs_once: bool) -> Result<Admitted, EngineError> {
        let quota = self.core.access.admit_change(owner).await?;
        if runs_once {
            self.core.access.pace_change(owner).await?;
        }
        let most = RecordUsage {
            webhooks: quota.webhooks,
            tasks: quota.tasks,
            events: quota.events,
            bytes: quota.record_bytes,
        };
        Ok((owner, most))
    }

    /// Adds the numbers to a refusal for the number or size of records.
    async fn explained<R: Record, T>(
        &self,
        result: Result<T, EngineError>,
        (owner, most): Admitted,
    ) -> Result<T, EngineError> {
        let Err(EngineError::Store(error)) = &result else {
            return result;
        };
        match error.kind() {
            ErrorKind::Invalid => return Err(EngineError::Dangling(R::PARENT)),
            ErrorKind::Full => {}
            _ => return result,
        }
        let used = self.core.store.record_usage(owner).await?;
        let (what, have, most) = match error.context() {
            BYTES => ("bytes of records", used.bytes, most.bytes),
            _ => (R::COUNT.0, R::COUNT.1(&used), R::COUNT.1(&most)),
        };
        Err(EngineError::Full { what, have, most })
    }
}
