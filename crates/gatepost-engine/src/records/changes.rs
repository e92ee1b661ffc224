//! Creating, editing and deleting records of each kind within their owners' quotas.

use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{Cascade, InsertedRecords, NewRecords, RecordId, RecordRow};
use gatepost_storage::{ErrorKind, Row, StoreError};
use webhook_model::{Event, Field, Invalid, OwnerId, Task};

use crate::activity::TRIES;
use crate::engine::Engine;
use crate::error::EngineError;

/// The maximum number of events that are created in one commit.
pub const MAX_TOGETHER: usize = 100;
/// The store's name for bytes in a `Full` error.
const BYTES: &str = "bytes";

/// A record of one of the three kinds.
pub(super) trait Record: Clone + Into<NewRecords> + Send + Sync {
    type Id: Copy + Into<RecordId> + Send;

    /// The field that names the parent record.
    const PARENT: Field;

    /// Refuses invalid values, except those that it already had `before`. Returns its owner:
    /// `owner`, if its parent is stored together with it.
    fn validate(
        &self,
        before: Option<&Self>,
        owner: Option<OwnerId>,
        engine: &Engine,
    ) -> impl Future<Output = Result<OwnerId, EngineError>> + Send;

    /// Whether it is a task that its run deletes.
    fn runs_once(&self) -> bool {
        false
    }
}

/// The owner of a stored record, and the owner's limits.
type Admitted = (OwnerId, RecordUsage);

impl Engine {
    /// Creates a task, the events that run it, and the webhook that it sends if it is new: all of
    /// them in one commit, or none. Each belongs to the one before it; without a task, the events
    /// belong to the one that they name. All have one owner. It counts as one change.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] if there is no record, or for more than
    /// [`MAX_TOGETHER`](crate::MAX_TOGETHER) events; and as
    /// [`create_webhook`](Self::create_webhook), [`create_task`](Self::create_task) and
    /// [`create_event`](Self::create_event).
    pub async fn create_records(
        &self,
        records: NewRecords,
    ) -> Result<InsertedRecords, EngineError> {
        let NewRecords {
            webhook,
            task,
            events,
        } = &records;
        if events.len() > MAX_TOGETHER {
            let rule = format!("has more than {MAX_TOGETHER} entries");
            return Err(Invalid::new(Field::Event, rule).into());
        }
        let (mut owner, mut parent) = (None, Field::Owner);
        if let Some(webhook) = webhook {
            owner = Some(webhook.validate(None, None, self).await?);
        }
        if let Some(task) = task {
            owner = Some(task.validate(None, owner, self).await?);
        }
        let of_task = owner.filter(|_| task.is_some());
        if of_task.is_none() && !events.is_empty() {
            parent = Event::PARENT;
        }
        for event in events {
            let of = event.validate(None, of_task, self).await?;
            if *owner.get_or_insert(of) != of {
                return Err(EngineError::Dangling(parent));
            }
        }
        let owner = owner.ok_or_else(|| Invalid::new(Field::Event, "is required"))?;
        let added = RecordUsage {
            webhooks: webhook.iter().len() as u64,
            tasks: task.iter().len() as u64,
            events: events.len() as u64,
            bytes: 0,
        };
        let runs_once = task.as_ref().is_some_and(Task::runs_once);
        let admitted = self.admit(owner, runs_once).await?;
        let (store, now) = (&self.core.store, self.core.clock.now()?);
        let inserted = store.insert_records(records, &admitted.1, now).await;
        let inserted = inserted.map_err(EngineError::from);
        self.explained(inserted, admitted, parent, &added).await
    }

    pub(super) async fn create<R: Record>(&self, record: &R) -> Result<Row<R::Id, R>, EngineError>
    where
        Row<R::Id, R>: TryFrom<RecordRow, Error = StoreError>,
    {
        let inserted = self.create_records(record.clone().into()).await?;
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
            let owner = row.value.validate(Some(&before), None, self).await?;
            let runs_once = row.value.runs_once();
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
                    let unchanged = RecordUsage::default();
                    let row = self.explained(updated, admitted, R::PARENT, &unchanged);
                    let row = row.await?;
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

    /// Explains a refusal to the owner: a reference to no record, or a limit that is exceeded with
    /// the added records.
    async fn explained<T>(
        &self,
        result: Result<T, EngineError>,
        (owner, most): Admitted,
        parent: Field,
        added: &RecordUsage,
    ) -> Result<T, EngineError> {
        let Err(EngineError::Store(error)) = &result else {
            return result;
        };
        match error.kind() {
            ErrorKind::Invalid => return Err(EngineError::Dangling(parent)),
            ErrorKind::Full => {}
            _ => return result,
        }
        let used = self.core.store.record_usage(owner).await?;
        let counts = [
            ("webhooks", used.webhooks, most.webhooks, added.webhooks),
            ("tasks", used.tasks, most.tasks, added.tasks),
            ("events", used.events, most.events, added.events),
        ];
        let counts = counts.into_iter().filter(|(.., added)| *added > 0);
        let beyond = |(_, have, most, added): &(_, u64, u64, u64)| {
            have.saturating_add(*added).saturating_sub(*most)
        };
        let (what, have, most) = match counts.max_by_key(beyond) {
            Some((what, have, most, _)) if error.context() != BYTES => (what, have, most),
            _ => ("bytes of records", used.bytes, most.bytes),
        };
        Err(EngineError::Full { what, have, most })
    }
}
